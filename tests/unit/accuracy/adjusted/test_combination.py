"""Which method finds a radius, what clamps take off alpha, values off the grid, and refusals."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import product

import pytest

from snapdp.accuracy.adjusted import radius as combination
from snapdp.accuracy.adjusted.noise import NoiseTerm, SnappedNoise, count_noise, summands_of
from snapdp.accuracy.adjusted.radius import (
    MOST_LAWS,
    inverted_radius,
    none_moves,
    radius_of,
    sum_numbers,
    variance_of,
    wide_radius,
)
from snapdp.errors import ParameterError
from snapdp.exact.enclosure import Enclosure, enclose
from snapdp.exact.functions import exp_enclosure
from snapdp.mechanism.parameters import EXACT_GAMMA
from tests.unit.accuracy.adjusted.brute import EnumeratedLaw
from tests.unit.accuracy.adjusted.sums import noise

F = Fraction
HALF = F(1, 2)


def term(coefficient, x=HALF, count=1, *, on_grid=True):
    return NoiseTerm(coefficient=F(coefficient), noise=noise(F(x), on_grid=on_grid), count=count)


@pytest.mark.parametrize("x", [F(1, 10), F(1, 2), F(2), F(9)])
@pytest.mark.parametrize("alpha", [F(1, 2), F(1, 20), F(1, 10**6)])
def test_one_noise_has_the_radius_of_its_exact_law(x, alpha):
    found = radius_of([term(F(-3, 2), x)], alpha=alpha)
    assert found.method == "exact"
    k = found.radius / F(3, 2) + 1  # P(|K| >= k) = e^(-(k - 1/2) x)
    level = alpha - EXACT_GAMMA
    assert exp_enclosure(-(k - F(1, 2)) * x, 128).upper <= level
    assert k == 1 or exp_enclosure(-(k - F(3, 2)) * x, 128).lower > level


def test_one_laplace_variable_has_the_radius_of_its_exact_law_and_half_a_grid():
    found = radius_of([term(2, F(1, 4), on_grid=False)], alpha="0.05")
    assert found.method == "exact"
    without = found.radius - 2 * F(1, 2)
    assert exp_enclosure(-without / 8, 128).upper <= F(1, 20) - EXACT_GAMMA
    assert exp_enclosure(-(without - F(8, 2**20)) / 8, 128).lower > F(1, 20) - EXACT_GAMMA


def test_nothing_has_no_radius():
    for terms in ([], [term(0)], [term(1, count=0)]):
        found = radius_of(terms, alpha="0.05")
        assert (found.radius, found.method) == (0, "exact")


def test_every_clamp_takes_its_probability_off_alpha():
    terms = [term(1, count=3), term(F(1, 3), count=4), term(0, count=100)]
    found = radius_of(terms, alpha="0.05", gamma="0.001")
    assert found.radius == inverted_radius(tuple(summands_of(terms[:2])), level=F(5, 100) - F(7, 1000))
    assert found.method == "inverted"
    law = EnumeratedLaw(summands_of(terms[:2]))
    assert law.beyond(found.radius)[1] + F(7, 1000) <= F(1, 20)


def test_an_alpha_that_the_clamps_could_use_up_is_refused():
    with pytest.raises(ParameterError, match=r"alpha = 1/1000 is too small for a sum of 7 measured numbers"):
        radius_of([term(1, count=7)], alpha="0.001", gamma="0.0001")
    with pytest.raises(ParameterError, match="too small"):
        radius_of([term(1, count=2)], alpha=F(1, 2**50))
    assert radius_of([term(1, count=2)], alpha=F(1, 2**38)).radius > 20


@pytest.mark.parametrize("alpha", [0, 1, "2"])
def test_what_is_no_level_is_refused(alpha):
    with pytest.raises(ParameterError):
        radius_of([term(1, count=2)], alpha=alpha)


def test_a_sum_with_too_many_laws_gets_a_wider_radius_that_says_so():
    terms = [term(F(1, k), F(1, 4)) for k in range(1, MOST_LAWS + 2)]
    found = radius_of(terms, alpha="0.05")
    fewer = radius_of(terms[:40], alpha="0.05")
    assert (found.method, fewer.method) == ("bounded", "inverted")
    assert fewer.radius < found.radius < 3 * fewer.radius  # what is left out has 1/40 of the variance


def test_the_bound_serves_where_the_limit_is_lower(monkeypatch):
    monkeypatch.setattr(combination, "MOST_LAWS", 1)
    terms = [term(1, count=2), term(F(1, 3), count=3)]
    found = radius_of(terms, alpha="0.05")
    assert found.method == "bounded"
    assert found.radius == wide_radius(sum_numbers(summands_of(terms)), level=F(1, 20) - 5 * EXACT_GAMMA)
    assert EnumeratedLaw(summands_of(terms)).beyond(found.radius)[1] <= F(1, 20)


def law_off_grid(phase, x):
    """Return {noise: probability} of a value that lies `phase` above a multiple of the grid 1, to within e^-30."""
    found = {}
    for k in range(-int(30 / x) - 2, int(30 / x) + 3):
        ends = [cdf(k + side - phase, x) for side in (F(-1, 2), F(1, 2))]
        found[k - phase] = (ends[1] - ends[0]).upper
    return found


def cdf(t: Fraction, x: Fraction) -> Enclosure:
    half = exp_enclosure(-abs(t) * x, 100) * F(1, 2)
    return half if t < 0 else 1 - half


@pytest.mark.parametrize("phases", list(product([F(0), F(1, 3), F(1, 2)], [F(-1, 2), F(1, 4)])))
def test_values_off_the_grid_are_covered_wherever_they_lie(phases):
    x = F(1)
    found = radius_of([term(1, x, on_grid=False), term(F(1, 2), x, on_grid=False)], alpha="0.1")
    first, second = (law_off_grid(phase, x) for phase in phases)
    missed = sum(p * q for (a, p), (b, q) in product(first.items(), second.items()) if abs(a + b / 2) > found.radius)
    assert missed + F(1, 10**12) <= F(1, 10)


def test_a_variance_is_the_sum_of_all():
    terms = [term(F(1, 3), F(1, 4), 5), term(-2)]
    expected = terms[0].noise.variance * F(5, 9) + terms[1].noise.variance * 4
    assert variance_of(terms) == expected
    assert variance_of([]) == enclose(0)


def test_noises_of_different_grids_and_scales_are_added():
    terms = [
        NoiseTerm(coefficient=F(3, 4), noise=count_noise(epsilon="0.2")),
        NoiseTerm(coefficient=F(1, 2), noise=SnappedNoise(noise_scale=F(3), grid=F(1, 2))),
    ]
    found = radius_of(terms, alpha="0.05")
    law = EnumeratedLaw(summands_of(terms))
    assert law.beyond(found.radius)[1] <= F(1, 20)
    assert found.radius <= law.shortest(F(1, 20)) * F(103, 100)


@pytest.mark.parametrize("count", [2, 3, 1000])
@pytest.mark.parametrize("alpha", [F(1, 20), F(1, 10**6)])
def test_noises_that_are_nearly_always_zero_have_no_radius(count, alpha):
    """Their circle holds rare values that are many steps away: the radius was the whole range of a table."""
    level = alpha - count * EXACT_GAMMA
    enough = 2 * math.ceil(count / level).bit_length()
    found = radius_of([term(F(1, 2), F(enough), count)], alpha=alpha)
    assert (found.radius, found.method) == (0, "inverted")
    assert exp_enclosure(-F(enough, 2), 200).upper * count <= level
    less = summands_of([term(1, F(enough), count - 1), term(1, F(enough) - F(1, 100), 1)])
    assert not none_moves(less, level=level)
    assert not none_moves(summands_of([term(1, on_grid=False, count=count)]), level=level)


def test_a_variance_that_is_added_up_in_integers_has_the_ends_that_the_definition_has():
    dice = random.Random(7)
    noises = [noise(F(1, 3)), noise(F(5, 7)), noise(F(2, 9), on_grid=False)]
    for _ in range(20):
        terms = [
            NoiseTerm(
                coefficient=F(dice.randint(-50, 50), dice.randint(1, 60)),
                noise=dice.choice(noises),
                count=dice.randint(0, 9),
            )
            for _ in range(12)
        ]
        plain = enclose(0)
        for each in terms:
            plain = plain + each.noise.variance * (each.count * each.coefficient**2)
        assert variance_of(terms) == plain
