"""What quantiles are worth before anything is paid: the radius of ranks, its words, and a public distribution."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate

import pytest

import snapdp
from snapdp.accuracy.adjusted.radius import level_for
from snapdp.errors import ParameterError, PremiseError
from snapdp.mechanism.parameters import EXACT_GAMMA
from snapdp.studies.columns import integer_column, number_column
from snapdp.studies.plans.lines import advice_of, ask, planned
from snapdp.studies.plans.plan import Plan
from snapdp.studies.relation import add_remove, change_one
from snapdp.studies.statistics.quantiles import quantiles_query
from snapdp.values import replaced

AGE = integer_column("age", lower=0, upper=120, missing="dropped")
F = Fraction
QUARTILES = ("0.25", "0.5", "0.75")


def line(epsilon="0.5", *, column=AGE, relation=None, **said):
    return planned(ask(quantiles_query(column, relation or add_remove(n_max=10000), **said), epsilon=epsilon))


def radii(asked):
    """Return for each share the radii in rows, from the tree alone."""
    tree, scale = asked.statistic.tree, asked.statistic.tree.depth / asked.epsilon  # add-remove: sensitivity 1
    grid = next(Fraction(2) ** e for e in range(-60, 60) if Fraction(2) ** e >= scale) / 4096
    level = level_for(asked.alpha, tree.entering, EXACT_GAMMA)
    return [tree.radii(share, noise_scale=scale, grid=grid, level=level) for share in asked.statistic.at]


@pytest.mark.parametrize("epsilon", ["0.5", "1/3", "7"])
def test_the_radius_is_the_largest_over_values_and_shares(epsilon):
    asked = line(epsilon, at=QUARTILES)
    largest = max(float(each.max()) for each in radii(asked))
    assert float(asked.ranks.radius) == pytest.approx(largest, rel=2**-40)  # in grids and in rows, each once rounded
    assert asked.ranks.radius > line(epsilon).ranks.radius


def test_twice_the_epsilon_halves_the_radius():
    assert line("0.25").ranks.radius == 2 * line("0.5").ranks.radius == 4 * line("1").ranks.radius


def test_where_n_is_public_the_shares_play_no_part():
    known = {"column": integer_column("age", lower=0, upper=120, missing="middle"), "relation": change_one(n=5000)}
    one, several = line(**known), line(**known, at=QUARTILES)
    assert one.ranks == several.ranks
    assert one.ranks.size_is_public
    assert "% of all 5000 rows" in one.ranks.in_words
    assert not line(relation=change_one(n=5000)).ranks.size_is_public  # how many answered is private


def test_the_words_have_share_levels_and_tree():
    assert line().ranks.in_words.endswith(
        "% of at most 10000 rows; 121 levels are counted in wide ranges and in narrower ones within them (11 x 11), so "
        "that a rank is a sum of few counts"
    )
    flat = line(branching=121).ranks
    assert flat.branches == (121,)
    assert "each of 121 levels is counted by itself" in flat.in_words
    assert line("1/10000").ranks.advice() == "nothing will be known: give more epsilon, or a wider step"
    many = replaced(flat, levels=number_column("pay", lower=0, upper=1, missing="middle").levels + 1)
    assert many.advice("x") == "declare a wider step, such as x: fewer levels err less"
    assert flat.advice() == flat.advice("x") == ""
    assert replaced(flat, radius=F(flat.rows, 9)).advice("x").startswith("declare")
    assert replaced(flat, radius=F(flat.rows, 10)).advice("x") == ""


def test_the_plan_names_a_step_with_few_levels_by_its_key_and_its_flag():
    column = number_column("pay", lower=0, upper=120_000, step=1, missing="dropped")
    (told,) = advice_of(line("0.25", column=column, relation=add_remove(n_max=1000)))
    assert told == 'declare a wider step, such as step = "100" (--step pay=100): fewer levels err less'
    hundred = number_column("pay", lower=0, upper=120_000, step=100, missing="dropped")
    assert not list(advice_of(line("0.25", column=hundred, relation=add_remove(n_max=1000))))
    tenth = number_column("pay", lower=0, upper=2001, step="0.1", missing="dropped")
    (told,) = advice_of(line("0.01", column=tenth))
    assert told == 'declare a wider step, such as step = "10" (--step pay=10): fewer levels err less'


def test_a_plan_says_rows_in_text_offers_and_remarks():
    asked = line(at=QUARTILES)
    (offer,) = Plan(lines=(asked,)).offers()
    assert offer.accuracies == (asked.ranks.radius,)
    assert offer.gains[0] == pytest.approx(1 - 1 / 1.1, abs=1e-3)
    text = repr(Plan(lines=(asked,)))
    assert "± 32.13 rows" in text
    assert "derived" not in text
    assert "split" not in text
    assert "32.13 rows" in Plan(lines=(asked,))._repr_html_()


def test_a_target_is_refused_in_words_that_fit():
    with pytest.raises(PremiseError, match="units of its column depends on the rows") as refused:
        ask(quantiles_query(AGE, add_remove(n_max=100)), accuracy=3)
    assert "two releases" not in str(refused.value)
    assert "nothing spent" in str(refused.value)


# A public distribution


def by_definition(asked, counts, rows):
    """Return value, first and last value for each share: theory (12), with true ranks in the place of noisy ones."""
    total, below = sum(counts), [Fraction(each) for each in accumulate(counts)]
    found = []
    for share, radius in zip(asked.statistic.at, radii(asked), strict=True):
        beyond = [rows * (each / total - share) for each in below]
        low = next(j for j, each in enumerate(beyond) if each + Fraction(radius[j]) >= 0)
        high = max((j + 1 for j, each in enumerate(beyond) if each - Fraction(radius[j]) <= 0), default=0)
        found.append((next(j for j, each in enumerate(beyond) if each >= 0), low, min(high, len(counts) - 1)))
    return found


@pytest.mark.parametrize("rows", [50, 300, 10000])
@pytest.mark.parametrize("values", [[*range(20, 90)], [3] * 10 + [70], [40], [0, 120] * 9, [25, 25, 30, 31, 99]])
def test_what_is_within_reach_is_what_the_definition_says(values, rows):
    asked = line(at=QUARTILES)
    found = asked.error_if_like(values, rows=rows)
    counts = asked.statistic.public_counts(values)
    there = [(each.value, each.low, each.high) for each in found]
    least = list(by_definition(asked, counts, rows))
    assert [ends[1:] for ends in there] == [ends[1:] for ends in least]
    assert all(low <= value <= high for value, low, high in there)
    assert [each.share for each in found] == list(asked.statistic.at)
    assert all(each.error == max(each.high - each.value, each.value - each.low) for each in found)


def test_more_rows_and_more_epsilon_are_worth_more():
    values = list(range(20, 91))  # an odd number: no rank is exactly a half
    assert line().error_if_like(values)[0].rows == 10000
    errors = [line().error_if_like(values, rows=rows)[0].error for rows in (200, 1000, 10000)]
    assert errors == sorted(errors, reverse=True)
    assert errors[0] > errors[-1]
    assert line("1000").error_if_like(values)[0].error == 0


def test_public_values_are_clamped_and_rounded_as_cells_are():
    column = number_column("x", lower=0, upper=2, step="1/2", missing="dropped")
    statistic = quantiles_query(column, add_remove(n_max=9))
    given = [-5, 0.25, "0.24", 1, Fraction(5, 4), 9, None, float("nan")]
    assert statistic.public_counts(given) == [2, 1, 1, 1, 1]
    instead = number_column("x", lower=0, upper=2, step="1/2", missing=1)
    assert quantiles_query(instead, add_remove(n_max=9)).public_counts(given) == [2, 1, 3, 1, 1]


def test_nothing_to_compare_with_is_refused():
    with pytest.raises(ParameterError, match="no value to compare with"):
        line().error_if_like([])
    with pytest.raises(ParameterError, match="rows"):
        line().error_if_like([1], rows=0)
    with pytest.raises(ParameterError, match="no value"):
        line().error_if_counted([1, 2])
    study = snapdp.study(
        dataset="x", relation="add-remove", n_max=9, columns={"g": {"kind": "boolean"}},
        statistic=[{"kind": "count", "epsilon": 1}],
    )  # fmt: skip
    with pytest.raises(ParameterError, match="is no quantile"):
        study.plan().lines[0].error_if_like([1])
    assert study.plan().lines[0].ranks is None
