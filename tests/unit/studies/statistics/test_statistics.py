"""Descriptions of statistics: mechanisms, whole outputs, exact privacy loss of histograms, and refusals."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given, settings, strategies as st

from snapdp.errors import BoundError, DataError, ParameterError, PremiseError
from snapdp.exact.enclosure import enclose
from snapdp.mechanism.law.loss import pair_loss
from snapdp.release.draw import Drawn
from snapdp.studies.columns import category_column, integer_column, number_column
from snapdp.studies.conditions import condition
from snapdp.studies.declarations import column_from, column_values
from snapdp.studies.plans.lines import Line
from snapdp.studies.relation import add_remove, change_one
from snapdp.studies.statistics.counts import count_query
from snapdp.studies.statistics.covariance import covariance_query
from snapdp.studies.statistics.histogram import histogram_query
from snapdp.studies.statistics.mean import Mean, mean_query
from snapdp.studies.statistics.parts import mechanism
from snapdp.studies.statistics.registry import statistic_class
from snapdp.studies.statistics.sum import sum_query
from snapdp.studies.statistics.variance import variance_query
from snapdp.values import replaced

F = Fraction
PROPERTY = settings(deadline=None, max_examples=100)
AGE = integer_column("age", lower=0, upper=120, missing="middle")
PAY = number_column("pay", lower=500, upper=1000, step="1/4", missing="middle")
REGION = category_column("region", categories=["north", "south", "east", "west"])
epsilons = st.fractions(min_value=F(1, 1000), max_value=50, max_denominator=1000).filter(bool)


def test_the_mean_of_the_design_runs_on_the_sum_in_steps():
    (part,) = mean_query(number_column("age", lower=0, upper=120, step=1, missing="middle"), change_one(n=5000)).parts
    p = mechanism(part, "0.3").parameters
    assert (p.sensitivity, p.noise_scale, p.grid) == (120, 400, 32)
    assert (p.lower, p.upper, part.numerator.factor) == (0, 600_000, F(1, 5000))


def printed(query, epsilon, indices):
    """Return the values that people see of some indices."""
    (part,) = query.parts
    line = Line(statistic=query, epsilon=F(epsilon))
    return Drawn(line=line, part=part, mechanism=mechanism(part, epsilon), indices=indices).block.values


def test_bounds_far_from_zero_keep_small_indices_under_change_one():
    """Counted from zero the sum of eight values near 2**52 would need grid indices beyond 2**52."""
    column = integer_column("x", lower=2**52, upper=2**52 + 1, missing="middle")
    assert mechanism(sum_query(column, change_one(n=8)).parts[0], 1).parameters.high < 1000
    with pytest.raises(BoundError, match="doubles near"):  # whole numbers print exactly, means there do not
        mechanism(mean_query(column, change_one(n=8)).parts[0], 1)
    assert printed(sum_query(column, change_one(n=8)), 1, [0, 5]) == (8 * 2**52, 8 * 2**52 + 5)


WHOLE = {
    "count": count_query(change_one(n=50), where=[condition(REGION, equals="north")]),
    "rows": count_query(add_remove(n_max=50)),
    "histogram": histogram_query(REGION, change_one(n=50)),
    "bins": histogram_query(PAY, add_remove(n_max=50), edges=[500, 700, 1000]),
    "sum": sum_query(AGE, change_one(n=50)),
    "sum of tens": sum_query(integer_column("x", lower=-35, upper=35, step=10, missing="middle"), change_one(n=7)),
    "sum add-remove": sum_query(integer_column("x", lower=-3, upper=5, missing="middle"), add_remove(n_max=50)),
    "groups": count_query(add_remove(n_max=50), by=REGION),
}


@pytest.mark.parametrize("query", WHOLE.values(), ids=WHOLE.keys())
@PROPERTY
@given(epsilon=epsilons)
def test_whole_statistics_use_a_grid_of_at_least_one_and_print_integers(query, epsilon):
    (part,) = query.parts
    m = mechanism(part, epsilon)
    p = m.parameters
    assert part.numerator.integers
    assert p.grid >= 1
    assert p.grid == 1 or p.grid * 16 < 2 * p.noise_scale  # the fine grid
    indices = [p.low, -1, 0, 1, m.release_index(part.numerator.upper), p.high]
    for index, value in zip(indices, printed(query, epsilon, indices), strict=True):
        assert type(value) is int
        assert value == part.numerator.statistic(p.data_value(index))


def test_other_statistics_keep_the_fine_grid_and_print_doubles():
    for query in (
        mean_query(AGE, change_one(n=50)),
        sum_query(number_column("x", lower=0, upper=1, missing="middle"), change_one(n=50)),
        variance_query(AGE, change_one(n=50)),
        covariance_query(AGE, PAY, change_one(n=50)),
    ):
        (part,) = query.parts
        m = mechanism(part, 40)
        assert not part.numerator.integers
        assert m.parameters.grid * 16 >= m.parameters.noise_scale > m.parameters.grid * 8
        assert {type(each) for each in printed(query, 40, [0, 3])} == {float}
    assert (
        mechanism(
            mean_query(integer_column("x", lower=0, upper=1, missing="middle"), change_one(n=9)).parts[0], 4
        ).parameters.grid
        < 1
    )


@PROPERTY
@given(epsilon=epsilons, below=st.integers(min_value=0, max_value=48), above=st.integers(min_value=0, max_value=48))
def test_a_row_that_changes_its_cell_costs_exactly_the_epsilon_typed(epsilon, below, above):
    """Exact laws: two cells move by one, each loses epsilon/2; at epsilon per cell the loss would be twice as much."""
    (part,) = histogram_query(REGION, change_one(n=50)).parts
    m = mechanism(part, epsilon)
    leaving = pair_loss(m.law(below + 1), m.law(below)).loss
    entering = pair_loss(m.law(above), m.law(above + 1)).loss
    assert leaving + entering == enclose(epsilon)
    (other,) = histogram_query(REGION, add_remove(n_max=50)).parts
    single = mechanism(other, epsilon)
    assert pair_loss(single.law(below), single.law(below + 1)).loss == enclose(epsilon)


@settings(deadline=None, max_examples=25)
@given(epsilon=epsilons, share=st.fractions(min_value=F(1, 2), max_value=F(99, 100), max_denominator=100))
def test_a_row_that_starts_or_stops_counting_costs_exactly_the_epsilon_typed(epsilon, share):
    """Exact laws: the sum moves by half its sensitivity, the count by one. One that stays costs no more."""
    wages = integer_column("wages", lower=-3, upper=5, missing="dropped")
    centred, count = mean_query(wages, change_one(n=9), count_share=share).parts
    sums, counts = (mechanism(part, epsilon) for part in (centred, count))
    half = centred.numerator.sensitivity // 2
    leaving = pair_loss(sums.law(0), sums.law(half)).loss + pair_loss(counts.law(4), counts.law(3)).loss
    assert leaving == enclose(epsilon)
    staying = pair_loss(sums.law(-half), sums.law(half)).loss
    assert staying == enclose(2 * (1 - share) * epsilon)
    assert staying.upper <= leaving.upper


def test_a_statistic_that_claims_more_than_its_parts_lose_cannot_be_built():
    class Greedy(Mean):
        @property
        def parts(self):
            centred, count = super().parts
            return centred, replaced(count, share=F(5, 8))

    wages = integer_column("wages", lower=0, upper=50, missing="dropped")
    assert Mean.of(wages, relation=change_one(n=9)).charged == 1
    with pytest.raises(PremiseError, match="spend 9/8 of the epsilon typed"):
        Greedy.of(wages, relation=change_one(n=9))


WAGES = number_column("wages", lower=0, upper=50, step="1/4", missing="dropped")
KIDS = integer_column("kids", lower=0, upper=12, missing=0)
NORTH = [condition(REGION, equals="north")]
SOME = {
    "mean(wages)": mean_query(WAGES, change_one(n=9)),
    "mean(wages) where region = north": mean_query(WAGES, change_one(n=9), where=NORTH, count_share="3/4"),
    "sum(kids) where 10 <= wages < 20 and region = north": sum_query(
        KIDS, change_one(n=9), where=[condition(WAGES, start=10, below=20), *NORTH]
    ),
    "mean(wages) where kids < 3 by region": mean_query(
        WAGES, add_remove(n_max=9), where=[condition(KIDS, below=3)], by=REGION
    ),
    "histogram(wages) where region = north": histogram_query(
        WAGES, change_one(n=9), edges=[0, 20, 50], missing="binned", where=NORTH
    ),
    "histogram(region) where 3 <= kids": histogram_query(REGION, change_one(n=9), where=[condition(KIDS, start=3)]),
    "count where wages < 7": count_query(add_remove(n_max=9), where=[condition(WAGES, below=7)]),
}


@pytest.mark.parametrize("title", SOME)
def test_conditions_and_rules_for_missing_cells_survive_records(title):
    statistic = SOME[title]
    assert statistic.title == title
    declared = json.loads(json.dumps(statistic.declaration()))
    kind = statistic_class(statistic.kind)
    again = kind.from_declaration(declared, statistic.relation)
    assert again.declaration() == declared
    assert again.parts == statistic.parts
    assert again.aggregates == statistic.aggregates


def test_a_column_says_in_records_which_rule_it_has():
    assert column_values(WAGES)["missing"] == "dropped"
    assert column_values(KIDS)["missing_in_sums"] == "0"
    for column in (WAGES, KIDS, AGE):
        assert column_from(column_values(column)).declared_lower == column.lower
        assert column_values(column_from(column_values(column))) == column_values(column)
    both = column_values(KIDS) | {"missing": "1"}
    neither = {key: value for key, value in column_values(KIDS).items() if key != "missing_in_sums"}
    number = {"missing": "1", **neither}
    for wrong in (both, neither, number):
        with pytest.raises(DataError, match="does not say once"):
            column_from(wrong)


def test_what_missing_cells_count_as_is_said_in_words():
    def told(query):
        return list(query.missing_in_words)

    middle = number_column("age", lower=0, upper=121, step=1, missing="middle")
    assert told(mean_query(WAGES, change_one(n=9))) == ["rows without wages are left out"]
    assert told(mean_query(KIDS, change_one(n=9))) == ["missing cells of kids count as 0"]
    assert told(mean_query(middle, change_one(n=9))) == ["missing cells of age count as 61 (middle)"]
    assert told(histogram_query(KIDS, change_one(n=9), edges=[0, 3])) == ["rows without kids are in no bin"]
    binned = histogram_query(KIDS, change_one(n=9), edges=[0, 3], missing="binned")
    assert told(binned) == ["rows without kids have a bin of their own"]
    where = [condition(KIDS, start=3)]
    assert told(count_query(change_one(n=9), where=where)) == ["a row without kids meets no condition on it"]


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: count_query(change_one(n=9)), "the number of rows is public: it is n = 9"),
    ],
)
def test_statistics_that_the_relation_does_not_define_are_refused_with_what_is_allowed(build, words):
    with pytest.raises(PremiseError, match=words) as refusal:
        build()
    assert refusal.value.advice


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: covariance_query(AGE, AGE, change_one(n=9)), "with itself is its variance"),
        (lambda: mean_query(REGION, change_one(n=9)), "'region' holds categories and has no mean"),
        (lambda: mean_query(AGE, change_one(n=9), count_share="1/2"), "the mean is one number"),
        (lambda: mean_query(AGE, add_remove(n_max=9), count_share=1), "count_share = 1 is no probability"),
        (lambda: histogram_query(REGION, change_one(n=9), edges=[1, 2]), "no bin edges"),
        (lambda: histogram_query(REGION, change_one(n=9), missing="dropped"), "no bin edges"),
        (lambda: number_column("x", lower=0, upper=1, missing="left out"), "missing of column 'x'"),
        (lambda: number_column("x", lower=0, upper=1, missing="none"), "missing = 'none' of column 'x' is not known"),
        (lambda: condition(REGION, start=3), "names one of them"),
        (lambda: condition(REGION, equals="nord"), "'nord' is no declared category of column 'region'"),
        (lambda: condition(AGE, equals=3), "is a range"),
        (lambda: condition(AGE), "is a range"),
        (
            lambda: count_query(change_one(n=9), where=[condition(AGE, start=3), condition(AGE, below=9)]),
            "same column",
        ),
    ],
)
def test_wrong_declarations_are_refused(build, words):
    with pytest.raises(ParameterError, match=words):
        build()


@pytest.mark.parametrize(("start", "below"), [(0, None), (121, None), (None, 0), (None, 121), (50, 50), (60, 50)])
def test_a_condition_that_is_always_or_never_met_is_refused(start, below):
    with pytest.raises(BoundError, match="'age'"):
        condition(AGE, start=start, below=below)


def test_conditions_and_bins_that_hold_no_step_are_refused():
    age = number_column("age", lower=0, upper=120, missing="middle")
    far, near = age.step, age.step / 4
    with pytest.raises(BoundError, match="no multiple of the step"):
        condition(age, start=far + near, below=far + 2 * near)
    assert condition(age, start=far + near, below=2 * far + near).start == far + near
    with pytest.raises(BoundError, match="holds no multiple of the step"):
        histogram_query(age, change_one(n=9), edges=[0, far + near, far + 2 * near, 120])
    assert histogram_query(age, change_one(n=9), edges=[0, 120 - near, 120]).cells == 2
