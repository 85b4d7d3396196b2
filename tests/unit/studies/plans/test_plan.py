"""Plans of several statistics: exact budgets, accuracies that hold by the exact law, epsilons that are minimal."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import example, given, settings, strategies as st

from snapdp.accuracy.error import accuracy
from snapdp.display.numbers import four_digits_up
from snapdp.errors import BudgetError, ParameterError, PremiseError
from snapdp.exact.dyadic import floor_log10, power_of_ten
from snapdp.studies.columns import category_column, integer_column, number_column
from snapdp.studies.conditions import condition
from snapdp.studies.plans.lines import Line, ask, curve_of_part, planned
from snapdp.studies.plans.plan import Plan, plan
from snapdp.studies.plans.text import plan_words
from snapdp.studies.relation import add_remove, change_one
from snapdp.studies.statistics.centred import derived_mean
from snapdp.studies.statistics.counts import count_query, persons_query
from snapdp.studies.statistics.covariance import covariance_query
from snapdp.studies.statistics.histogram import histogram_query
from snapdp.studies.statistics.mean import mean_query
from snapdp.studies.statistics.parts import mechanism
from snapdp.studies.statistics.sum import sum_query
from snapdp.studies.statistics.variance import variance_query
from snapdp.values import replaced

F = Fraction
PROPERTY = settings(deadline=None, max_examples=100)
N, MANY = change_one(n=5000), add_remove(n_max=10_000)
AGE = number_column("age", lower=0, upper=120, step=1, missing="middle")
KIDS = integer_column("kids", lower=0, upper=12, missing="middle")
REGION = category_column("region", categories=["north", "south"])
QUERIES = [
    mean_query(AGE, N),
    sum_query(KIDS, N),
    histogram_query(REGION, N),
    variance_query(AGE, N),
    covariance_query(AGE, KIDS, N),
    count_query(N, where=[condition(KIDS, start=1)]),
    sum_query(AGE, N, by=REGION),
]
epsilons = st.fractions(min_value=F(1, 1000), max_value=10, max_denominator=1000).filter(bool)


def tail_over(m, value, distance):
    """Return an upper end of P(|released numerator - value| > distance), from the exact law."""
    grid, law = m.parameters.grid, m.law(value)
    above, below = math.floor((value + distance) / grid) + 1, math.ceil((value - distance) / grid)
    high = law.upper_tail(above).upper if above <= m.parameters.high else F(0)
    return high + (law.lower_tail(below).upper if below > m.parameters.low else F(0))


@st.composite
def plans(draw):
    lines = draw(st.lists(st.tuples(st.sampled_from(QUERIES), epsilons, st.booleans()), min_size=1, max_size=6))
    return plan([ask(query, epsilon=epsilon, lock=lock) for query, epsilon, lock in lines])


@PROPERTY
@given(drawn=plans(), budget=epsilons)
def test_fit_meets_the_budget_exactly_and_leaves_locked_lines_alone(drawn, budget):
    free = [line for line in drawn.lines if not line.lock]
    if not free:
        assert drawn.fit(drawn.total).lines == drawn.lines
        return
    aim = drawn.locked + budget
    fitted = drawn.fit(aim)
    assert fitted.total == aim == fitted.budget
    factors = set()
    for before, after in zip(drawn.lines, fitted.lines, strict=True):
        assert before.statistic == after.statistic
        if before.lock:
            assert after == before
        else:
            factors.add(after.epsilon / before.epsilon)
    assert factors == {budget / sum(line.epsilon for line in free)}
    assert fitted.fit(drawn.total).lines == drawn.lines  # and back


def test_a_budget_that_leaves_nothing_for_unlocked_lines_is_refused():
    both = plan([ask(QUERIES[0], epsilon="0.3", lock=True), ask(QUERIES[1], epsilon="0.2")])
    with pytest.raises(BudgetError, match=r"budget = 3/10 leaves nothing .* take 3/10"):
        both.fit("0.3")
    assert both.fit("0.31").lines[1].epsilon == F(1, 100)


def test_a_plan_whose_lines_are_all_locked_fits_its_own_total_only():
    locked = plan([ask(QUERIES[0], epsilon="0.3", lock=True)], budget=1)
    with pytest.raises(BudgetError, match="every line is locked: the total is 3/10, the budget 1"):
        locked.fit()
    assert locked.fit("0.3").total == F(3, 10)


def test_a_plan_without_a_budget_cannot_be_fitted_and_bad_budgets_are_refused():
    one = plan([ask(QUERIES[0], epsilon="0.3")])
    with pytest.raises(ParameterError, match="no budget"):
        one.fit()
    for bad in (0, -1, "nan", "x", True):
        with pytest.raises(ParameterError):
            one.fit(bad)
        with pytest.raises(ParameterError):
            plan([ask(QUERIES[0], epsilon="0.3")], budget=bad)


def test_an_empty_plan_and_mixed_relations_are_refused():
    with pytest.raises(ParameterError, match="at least one statistic"):
        plan([])
    with pytest.raises(PremiseError, match="different neighbour relations"):
        plan([ask(mean_query(AGE, N), epsilon=1), ask(count_query(MANY), epsilon=1)])


def test_a_request_has_an_epsilon_or_an_accuracy():
    for wrong in ({}, {"epsilon": 1, "accuracy": 1}):
        with pytest.raises(ParameterError, match=r"mean\(age\) needs an epsilon or a target accuracy, one of the two"):
            ask(mean_query(AGE, N), **wrong)
    for bad in ({"epsilon": 0}, {"accuracy": -1}, {"epsilon": 1, "alpha": 1}, {"epsilon": 1, "alpha": 0}):
        with pytest.raises(ParameterError):
            ask(mean_query(AGE, N), **bad)


@PROPERTY
@given(drawn=plans())
def test_the_total_is_the_sum_of_what_was_typed_and_charged(drawn):
    assert drawn.total == sum(line.epsilon for line in drawn.lines)
    for line in drawn.lines:
        spent = [mechanism(part, line.epsilon).parameters.epsilon * part.moving for part in line.statistic.parts]
        assert sum(spent) == line.epsilon


TARGETS = [
    (mean_query(AGE, N), "0.5"),
    (mean_query(AGE, N), "0.0123"),
    (variance_query(AGE, N), 7),
    (covariance_query(AGE, KIDS, N), "0.9"),
    (sum_query(AGE, MANY), 5000),
    (sum_query(KIDS, N), 100),
    (sum_query(KIDS, N), "99.5"),
    (sum_query(integer_column("tens", lower=0, upper=50, step=10, missing="middle"), N), 75),
    (histogram_query(REGION, N), 1),
    (histogram_query(REGION, N), 10),
    (count_query(MANY), "0.5"),
    (count_query(MANY), 23),
    (count_query(MANY), 24),
    (count_query(MANY), 25),
    (count_query(MANY), 300),
]


@pytest.mark.parametrize(("query", "target"), TARGETS, ids=lambda x: getattr(x, "title", x))
def test_the_epsilon_of_a_target_meets_it_and_one_unit_less_in_the_last_digit_does_not(query, target):
    line = planned(ask(query, accuracy=target))
    assert line.accuracy <= F(target)
    (part,) = query.parts
    in_a_cell = line.epsilon * part.share
    less = (in_a_cell - power_of_ten(floor_log10(in_a_cell) - 3)) / part.share
    assert Line(statistic=query, epsilon=less).accuracy > F(target)


@pytest.mark.parametrize("m", [1, 3, 8])
def test_targets_of_whole_statistics_around_the_grid_one_are_met_at_the_least_epsilon(m):
    """From noise scale 8 on the fine grid is 1 or more; below it whole statistics stay on 1."""
    query = count_query(add_remove(n_max=10_000, person="id", rows_per_person=m))
    grids = set()
    for target in [*range(20, 30), 5, 40]:
        line = planned(ask(query, accuracy=target))
        assert line.accuracy <= target
        less = line.epsilon - power_of_ten(floor_log10(line.epsilon) - 3)
        assert Line(statistic=query, epsilon=less).accuracy > target
        grids.add(mechanism(query.parts[0], line.epsilon).parameters.grid)
    assert 1 in grids


@pytest.mark.parametrize("epsilon", ["0.05", "0.3", "0.7", 1, 2])
@pytest.mark.parametrize(
    "query",
    [
        count_query(add_remove(n_max=9)),
        histogram_query(REGION, change_one(n=9)),
        sum_query(integer_column("x", lower=-1, upper=2, missing="middle"), add_remove(n_max=4)),
        sum_query(integer_column("x", lower=-30, upper=20, step=10, missing="middle"), change_one(n=4)),
    ],
    ids=lambda q: q.title,
)
def test_the_accuracy_of_a_whole_statistic_is_whole_valid_for_every_truth_and_attained(query, epsilon):
    line = Line(statistic=query, epsilon=F(epsilon), alpha=F(1, 10))
    (part,) = query.parts
    m, steps = mechanism(part, epsilon), line.accuracy / part.numerator.factor
    assert steps.denominator == 1
    truths = range(part.numerator.lower, part.numerator.upper + 1)
    assert all(tail_over(m, f, steps) <= F(1, 10) for f in truths)
    assert any(tail_over(m, f, steps - 1) > F(1, 10) for f in truths)


def test_accuracies_are_in_units_of_the_statistic():
    mean, total = (
        Line(statistic=query, epsilon=F(3, 10)).accuracy for query in (mean_query(AGE, N), sum_query(AGE, N))
    )
    assert total == 5000 * mean
    pence, pounds = (
        number_column("x", lower=0, upper=u, step=s, missing="middle") for u, s in ((1000, 1), (10, "0.01"))
    )
    assert (
        Line(statistic=mean_query(pence, N), epsilon=F(1)).accuracy
        == 100 * Line(statistic=mean_query(pounds, N), epsilon=F(1)).accuracy
    )


def test_the_figures_of_the_design_come_out():
    """Mean age of 5000 at epsilon 0.3: noise scale 400 steps, grid 32, so +-0.24 years at alpha 0.05."""
    assert Line(statistic=mean_query(AGE, N), epsilon=F(3, 10)).accuracy == F(24, 100)


def test_ten_percent_more_epsilon_is_offered_to_each_line():
    both = plan([ask(query, epsilon="0.5") for query in QUERIES])
    offers = both.offers()
    assert [offer.title for offer in offers] == [query.title for query in QUERIES]
    for offer, line in zip(offers, both.lines, strict=True):
        assert offer.more_epsilon == F(55, 100)
        assert offer.accuracies == line.accuracies
        assert all(0 <= gain < F(1, 5) for gain in offer.gains)
    assert any(gain > 0 for offer in offers for gain in offer.gains)
    doubled = both.offers(more=1)
    assert all(gain > F(2, 5) for offer in doubled for gain in offer.gains)
    assert "epsilon 1/2 -> 11/20, accuracy" in repr(offers[0])


def test_a_fitted_line_that_misses_the_accuracy_asked_for_says_so():
    small = plan([ask(mean_query(AGE, N), accuracy="0.5"), ask(QUERIES[2], epsilon=1)]).fit("0.1")
    assert not small.lines[0].meets_target
    assert "mean(age): misses the accuracy 0.5 asked for." in repr(small)
    large = small.fit(10)
    assert large.lines[0].meets_target


def test_a_mean_under_add_remove_shows_both_parts_and_promises_no_accuracy():
    line = Line(statistic=mean_query(AGE, MANY, count_share="1/4"), epsilon=F(1))
    assert line.accuracy is None
    of_sum, of_count = line.accuracies
    assert of_sum > of_count
    assert of_count.denominator == 1
    assert f"± {four_digits_up(line.derived_accuracy(10_000))} if 10,000 rows count" in repr(Plan(lines=(line,)))
    shown = [four_digits_up(each) for each in (of_sum, of_count)]
    made = f"a sum of distances from 60 (± {shown[0]}) and a count (± {shown[1]}); epsilon split 3/4 + 1/4"
    assert line.remarks == f"computed from {made}"
    with pytest.raises(PremiseError, match="computed from a sum and a count"):
        ask(mean_query(AGE, MANY), accuracy=1)
    with pytest.raises(PremiseError, match="computed from a sum and a count"):
        ask(mean_query(AGE, N, by=REGION), accuracy=1)


def test_a_mean_of_those_who_answered_says_what_its_parts_run_at_and_promises_no_accuracy():
    wages = integer_column("wages", lower=0, upper=120, missing="dropped")
    line = Line(statistic=mean_query(wages, N), epsilon=F(1))
    assert line.accuracy is None
    assert (
        "sum and count together cost the epsilon typed (1 and 1/2 of it: a row that changes the count moves the sum "
        "half as far)" in line.remarks
    )
    whole = Line(statistic=sum_query(integer_column("wages", lower=-60, upper=60, missing="middle"), N), epsilon=F(1))
    assert abs(line.accuracies[0] - whole.accuracies[0]) < 8  # the centred sum has the sensitivity of the width
    assert line.derived_accuracy(N.rows) < F(1, 5)
    assert line.derived_accuracy(N.rows // 2) > line.derived_accuracy(N.rows)
    assert curve_of_part(line.statistic.parts[1], line.alpha).sensitivity == 2  # the count, at half of what is typed
    (offer,) = Plan(lines=(line,)).offers()
    assert all(gain > 0 for gain in offer.gains)
    with pytest.raises(PremiseError, match="computed from a sum and a count"):
        ask(mean_query(wages, N), accuracy=1)


def test_the_derived_accuracy_shrinks_with_the_guessed_rows_and_never_passes_the_width():
    line = Line(statistic=mean_query(AGE, MANY), epsilon=F(1))
    found = [line.derived_accuracy(rows) for rows in (1, 10, 100, 1000, 10_000)]
    assert found == sorted(found, reverse=True)
    assert found[0] == 120
    assert found[-1] < F(1, 5)
    with pytest.raises(ParameterError, match="rows = 10001 is more than the 10000 declared"):
        line.derived_accuracy(10_001)
    with pytest.raises(ParameterError, match="is released itself"):
        Line(statistic=mean_query(AGE, N), epsilon=F(1)).derived_accuracy(5000)


@PROPERTY
@given(
    rows=st.integers(60, 5000), more=st.integers(0, 3000), level=st.integers(0, 120),
    slip=st.sampled_from([-1, 1]), miscount=st.sampled_from([-1, 0, 1]),
)  # fmt: skip
@example(rows=1000, more=0, level=120, slip=-1, miscount=1)
def test_a_sum_and_a_count_within_their_accuracies_give_a_mean_within_the_derived_one(
    rows, more, level, slip, miscount
):
    line = Line(statistic=mean_query(AGE, MANY), epsilon=F(1))
    half = Line(statistic=line.statistic, epsilon=F(1), alpha=line.alpha / 2)
    of_sum, of_count = half.accuracies
    n = rows + more
    found = derived_mean(AGE, centred_sum=n * F(level - 60) + slip * of_sum, count=n + miscount * of_count)
    assert abs(found - level) <= line.derived_accuracy(rows)


@pytest.mark.parametrize("level", [0, 1, 2])
@pytest.mark.parametrize("relation", [add_remove(n_max=12), change_one(n=12)], ids=["add-remove", "change-one"])
def test_the_derived_accuracy_holds_by_the_exact_laws_of_sum_and_count(relation, level):
    """All outputs of both mechanisms, for tables of equal values: the mean is further off with probability <= alpha."""
    column, rows = integer_column("x", lower=0, upper=2, missing="dropped"), 12
    query = mean_query(column, relation)
    line = Line(statistic=query, epsilon=F(6), alpha=F(1, 10))
    bound = line.derived_accuracy(rows)
    assert bound < 1
    sums, counts = (
        outputs(mechanism(part, 6), truth, part.numerator)
        for part, truth in zip(query.parts, (rows * (2 * level - 2), rows), strict=True)
    )
    wrong = F(0)
    for total, likely in sums:
        far = (p for count, p in counts if abs(mean_from(column, total, count) - level) > bound)
        wrong += likely * sum(far, F(0))
    assert wrong <= F(1, 10)


def outputs(m, truth, numerator):
    """Return the likely outputs with upper ends of their probabilities, and what is left as one wild output."""
    law, p = m.law(truth), m.parameters
    rows = [(k, law.index_probability(k).upper) for k in law.support]
    return [(numerator.statistic(p.data_value(k)), chance) for k, chance in rows if chance > F(1, 10**7)] + [
        (F(10**9), sum((chance for _, chance in rows if chance <= F(1, 10**7)), F(0)))
    ]


def mean_from(column, total, count):
    if total == 10**9 or count == 10**9:
        return F(-(10**9))  # counted as wrong
    return derived_mean(column, centred_sum=total, count=count)


def test_the_plan_prints_as_a_small_table():
    lines = [ask(mean_query(AGE, N), epsilon="0.3", lock=True), ask(histogram_query(REGION, N), epsilon="0.9")]
    assert repr(plan(lines, budget=1)) == (
        "Plan: epsilon 1.2 of a budget of 1, 0.2 too much\n"
        "  statistic             epsilon  share  ± error (95 %)\n"
        "  mean(age)          0.3 locked  █▌     ± 0.2400\n"
        "  histogram(region)         0.9  ████▌  ± 7\n"
        "Too much. plan.fit() makes every epsilon 77.8 % of what it is, the locked ones\n"
        "  as they are: histogram(region) ± 9.\n"
        "Or leave out mean(age) (0.3) or histogram(region) (0.9): the others fit.\n"
        "± x: in 95 of 100 releases the number is within ± x of the table's.\n"
        "± holds for each number by itself, not for all at once."
    )


@pytest.mark.parametrize(
    ("asked", "compared"),
    [
        (("persons",), "the table's."),
        (("count 3", "persons"), "that of the rows that count: at most 3 of each person."),
        (("count 3", "count 2"), "that of the rows and groups that count, as said above."),
        (("count 1", "persons by region"), "that of the rows and groups that count, as said above."),
    ],
)
def test_an_error_is_said_to_be_about_the_rows_that_count(asked, compared):
    relation = add_remove(n_max=900, person="id", rows_per_person=1)
    made = {
        "persons": persons_query(relation),
        "persons by region": persons_query(relation, by=REGION, groups_per_person=1),
        **{f"count {k}": replaced(count_query(relation), rows_per_person=k) for k in (1, 2, 3)},
    }
    legend = plan_words(plan([ask(made[each], epsilon=1) for each in asked])).legend
    (told,) = (each for each in legend if each.startswith("± x:"))
    assert told.endswith(f"the number is within ± x of {compared}")


def test_planning_a_million_cells_needs_no_cells():
    column = category_column("key", categories=[str(i) for i in range(200_000)])
    line = planned(ask(histogram_query(column, MANY), epsilon=1))
    assert line.statistic.cells == 200_000
    assert line.accuracy == 3


# Whole numerators, and other arithmetics


def test_a_mean_of_a_0_1_column_is_planned_with_whole_sums():
    """2 % less epsilon than for any real sum: a whole number never lies between two outputs of a grid below 1."""
    smoker = number_column("smoker", lower=0, upper=1, step=1, missing="middle")
    (line,) = plan([ask(mean_query(smoker, N), accuracy=F(6, 5000))]).lines
    assert line.epsilon == F("0.4891")
    (part,) = line.statistic.parts
    p = mechanism(part, line.epsilon).parameters
    assert line.accuracy == F(6, 5000) < accuracy(p) * part.numerator.factor
    assert max(accuracy(p, value=f) for f in (0, 1, 2500, 4999, 5000)) == 6
