"""The radius of a sum of noises: exact coverage by enumeration, near the shortest, and the same in plain integers."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import example, given, settings, strategies as st

from snapdp.accuracy.adjusted.figures import terms_of
from snapdp.accuracy.adjusted.margins import margin_family, subsets
from snapdp.accuracy.adjusted.noise import Summand, summands_of
from snapdp.accuracy.adjusted.radius import (
    KEPT,
    PLACES,
    SMEAR,
    CircleLaw,
    circle_law,
    holds,
    inside,
    inverted_radius,
    kernel,
    period_of,
)
from tests.unit.accuracy.adjusted.brute import EnumeratedLaw
from tests.unit.accuracy.adjusted.plain_radius import plain_radius
from tests.unit.accuracy.adjusted.sums import added, noise, small_tables

F = Fraction
LEVELS = [F(1, 5), F(1, 20), F(1, 1000)]
TABLES = small_tables()
SUMS = [
    added((1, F(1, 2), 2)),
    added((1, F(2), 3)),
    added((1, F(1), 24)),
    added((1, F(1, 3), 1), (F(1, 2), F(1, 3), 2), (F(1, 6), F(1, 2), 9)),
    added((F(5, 7), F(1), 1), (F(1, 7), F(1), 20)),
    added((1, F(1, 8), 2)),
]


enumerated = cache(EnumeratedLaw)


def within(radius, law, level):
    """Tell whether a radius covers by the exact law, and return how much longer than the shortest it is."""
    shortest = law.shortest(level)
    return law.beyond(radius)[1] <= level, radius / shortest


@pytest.mark.parametrize("name", TABLES)
def test_adjusted_numbers_of_small_tables_are_covered_and_the_radius_is_near_the_shortest(name):
    law = enumerated(TABLES[name])
    for level in LEVELS:
        covered, ratio = within(inverted_radius(TABLES[name], level=level), law, level)
        assert covered
        assert 1 <= ratio <= F(115, 100)


@pytest.mark.long
@pytest.mark.parametrize("variances", [(1, 1, 1, 1), (2, 1, 1, 1)])
def test_so_are_those_of_a_table_on_a_fine_grid(variances):
    margins = list(subsets((0, 1)))
    family, share = margin_family([2, 2], dict(zip(margins, variances, strict=True))), noise(F(1, 8))
    for margin in family.margins:
        summands = tuple(summands_of(terms_of(family.coefficients(margin), dict.fromkeys(margins, share))))
        law = EnumeratedLaw(summands)
        for level in LEVELS:
            covered, ratio = within(inverted_radius(summands, level=level), law, level)
            assert covered
            assert 1 <= ratio <= F(103, 100)


@pytest.mark.parametrize("summands", SUMS)
def test_sums_are_covered_and_the_radius_is_near_the_shortest(summands):
    law = enumerated(summands)
    for level in (*LEVELS, F(1, 10**6)):
        covered, ratio = within(inverted_radius(summands, level=level), law, level)
        assert covered
        assert 1 <= ratio <= F(103, 100)


COEFFICIENTS = st.sampled_from([F(1), F(1, 2), F(1, 3), F(2, 3), F(-1), F(3), F(1, 4)])
RATIOS = st.sampled_from([F(1, 2), F(1), F(2), F(2, 3)])


@settings(deadline=None, max_examples=15)
@given(
    st.lists(st.tuples(COEFFICIENTS, RATIOS, st.integers(1, 3)), min_size=1, max_size=3),
    st.sampled_from([F(1, 3), F(1, 10), F(1, 20), F(1, 100), F(1, 10**5)]),
)
@example([(F(1), F(2), 1)], F(1, 20))  # e^-3 is just below 1/20: one step further out than need be
def test_any_sum_is_covered_and_its_radius_is_near_the_shortest_or_one_step_beyond(parts, level):
    summands = added(*parts)
    law, radius = EnumeratedLaw(summands), inverted_radius(summands, level=level)
    assert law.beyond(radius)[1] <= level
    assert law.shortest(level) <= radius <= max(law.shortest(level) * F(103, 100), law.shortest(level) + law.spacing)


@pytest.mark.parametrize("summands", SUMS[:3])
@pytest.mark.parametrize("level", LEVELS[:2])
def test_one_lattice_step_less_would_not_cover(summands, level):
    """The twin: on these coarse lattices the radius is the shortest there is."""
    law, radius = enumerated(summands), inverted_radius(summands, level=level)
    assert law.spacing >= period_of(summands, level=level) / PLACES
    assert law.beyond(radius)[1] <= level < law.beyond(radius - law.spacing)[0]


@pytest.mark.parametrize("name", TABLES)
def test_two_percent_less_would_not_cover(name):
    law, radius = enumerated(TABLES[name]), inverted_radius(TABLES[name], level=F(1, 20))
    assert law.beyond(radius * F(98, 100) - law.spacing)[0] > F(1, 20)


def test_the_smear_stays_within_its_places_with_the_probability_that_is_divided_by():
    """P(|V| <= t) by (24) with no noise at all; errors of rounding are below 2**-100."""
    weights, width = kernel(), 160
    alone = CircleLaw([(weights[n] << width) // (weights[0] * n) for n in range(1, len(weights))], 0, width)
    assert inside(alone, SMEAR) - F(1, 2**100) >= KEPT
    assert inside(alone, SMEAR - 1) + F(1, 2**100) < KEPT  # one place less would not do


def test_the_law_on_the_circle_grows_from_nothing_to_everything():
    summands = SUMS[3]
    law = circle_law(summands, period=period_of(summands, level=F(1, 20)), level=F(1, 20))
    found = [inside(law, place) for place in range(0, PLACES // 2 + 1, 512)]
    assert found[0] == 0
    assert found[-1] == 1
    slack = F(2 * law.dropped * 2, 3 << law.width) + F(1, 2**99)
    assert all(b - a >= -slack for a, b in pairwise(found))


def test_the_place_before_the_one_that_is_found_is_not_proved():
    summands, level = added((F(1), F(1, 8), 1), (F(1000, 3001), F(1, 7), 3)), F(1, 20)
    period = period_of(summands, level=level)
    place = int(inverted_radius(summands, level=level) * PLACES / period) - SMEAR
    law = circle_law(summands, period=period, level=level)
    assert holds(law, place, level=level)
    assert not holds(law, place - 1, level=level)


PLAIN = [
    [(F(1), F(1, 2), 2)],
    [(F(1), F(1, 8), 1), (F(1, 3), F(1, 8), 3)],
    [(F(3), F(1, 7), 9), (F(5, 3), F(1), 2), (F(1, 7), F(1, 3), 50)],
    [(F(2), F(0), 3), (F(1), F(1, 4), 2)],
    [(F(1), F(1, 4), 10**5)],
    [(F(1, k), F(1, 16), k * k) for k in range(1, 12)],
    [(F(8), F(6), 2), (F(1, 10**6), F(1, 10**4), 3)],
]


@pytest.mark.parametrize("laws", PLAIN)
@pytest.mark.parametrize("level", [F(1, 20), F(3, 1000)])
def test_plain_integers_derive_the_same_radius_from_the_theory_alone(laws, level):
    summands = sorted(
        (Summand(scale, x / 2, times) for scale, x, times in laws),
        key=lambda each: (each.times * each.scale**2, each.scale, each.half_ratio),
        reverse=True,
    )
    assert inverted_radius(tuple(summands), level=level) == plain_radius(laws, level)


def test_radii_are_those_that_were_published():
    """Pinned: records will hold such numbers, and they must come out the same for ever."""
    fine = added((F(1), F(1, 8), 1), (F(1000, 3001), F(1, 7), 3))
    found = [inverted_radius(each, level=F(1, 20)) for each in (*SUMS[:3], TABLES["five and their total (0,)"], fine)]
    assert [str(each) for each in found] == ["8", "3", "14", "16/3", "108615/4096"]
