"""What many releases lose together: never below the exact law, near what others compute, and never charged."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, comb

import pytest

from snapdp import Snapping
from snapdp.errors import ParameterError
from snapdp.exact.functions import exp_enclosure
from snapdp.interop.composition import (
    LAPLACE,
    MASS_BITS,
    MOST_KINDS,
    MOST_RELEASES,
    POINTS,
    PURE,
    Composed,
    Spend,
    coarser,
    composed,
    delta_of,
    law_on_grid,
    spend,
)
from tests.interop.exact_convolution import classes, convolved, delta_at_least, deltas_at_least

HUNDRED = composed([spend("laplace", epsilon="0.1", times=100)])
HALVES = [Fraction(k, 20) for k in range(44)]


def mechanism(epsilon, grid=None):
    return Snapping(epsilon=epsilon, sensitivity=1, lower=-50, upper=50, grid=grid)


def test_a_hundred_releases_of_a_tenth_are_shown_as_4_70_at_one_in_a_million():
    assert HUNDRED.pure == 10
    assert HUNDRED.rho == Fraction(1, 2)
    assert Fraction("4.69") < HUNDRED.epsilon("1e-6") < Fraction("4.70")


def test_delta_falls_with_epsilon_and_is_nothing_from_the_sum_on():
    deltas = [HUNDRED.delta(each) for each in range(11)]
    assert deltas == sorted(deltas, reverse=True)
    assert deltas[-1] == 0 < deltas[-2] < deltas[0] < 1
    assert HUNDRED.delta("9.999999") > 0


@pytest.mark.parametrize("delta", ["1e-12", "1e-6", "0.001", "0.2"])
def test_an_epsilon_keeps_its_delta_and_a_smaller_one_does_not(delta):
    found = HUNDRED.epsilon(delta)
    assert HUNDRED.delta(found) <= Fraction(delta) + Fraction(1, 2**100)
    assert HUNDRED.delta(found - HUNDRED.grid / 2**20) > Fraction(delta)


def test_where_delta_is_large_nothing_is_lost():
    assert composed([spend("pure", epsilon="0.1")]).epsilon("0.5") == 0


@pytest.mark.parametrize(
    ("epsilons", "grid", "phase"),
    [
        (["0.5"], None, "0"),
        (["0.5", "0.5"], "1/2", "1/4"),
        (["0.5", "0.25", "1"], "4", "2"),
        (["0.5", "0.5", "0.5", "0.5"], "2", "1/2"),
        (["1", "0.1", "0.3", "0.7"], "1", "0"),
        (["0.4", "0.4", "0.4", "0.4"], "1/2", "1/8"),
    ],
)
def test_the_shown_delta_of_up_to_four_releases_is_never_below_an_exact_convolution(epsilons, grid, phase):
    start = Fraction(phase)
    exact = convolved([classes(mechanism(each, grid), start, start + 1) for each in epsilons])
    together = composed([spend("laplace", epsilon=each) for each in epsilons])
    points = [together.pure * k / 40 for k in range(42)]
    assert all(together.delta(each) >= delta_at_least(exact, each) for each in points)


def test_a_composition_of_too_little_epsilon_is_found_to_be_below():
    """The test above has teeth: one per cent less, on a fine grid, is refuted."""
    exact = convolved([classes(mechanism("0.5", "1/8"), Fraction(0), Fraction(1))] * 2)
    together = composed([spend("laplace", epsilon="0.495", times=2)])
    assert any(together.delta(each) < delta_at_least(exact, each) for each in HALVES)


def test_the_law_of_one_snapped_pair_does_not_dominate_another_pair_of_the_same_mechanism():
    """Why Laplace events are taken: a pair on the grid loses less than one between its points."""
    coarse = mechanism("0.5", "2")
    on_grid, between = (convolved([classes(coarse, Fraction(f), Fraction(f) + 1)]) for f in ("0", "1/2"))
    assert any(delta_at_least(between, each) > delta_at_least(on_grid, each) + Fraction(1, 1000) for each in HALVES)
    laplace = composed([spend("laplace", epsilon="0.5")])
    assert all(laplace.delta(each) >= delta_at_least(between, each) for each in HALVES)


@pytest.mark.parametrize("times", [1, 2, 3, 7])
def test_pure_releases_are_at_least_randomised_responses_and_hardly_more(times):
    """Their losses add up to (2k - n) epsilon with binomial chances: delta is a finite sum."""
    epsilon = Fraction(1, 4)
    keep = exp_enclosure(epsilon, 200).lower / (1 + exp_enclosure(epsilon, 200).upper)
    together = composed([spend("pure", epsilon=epsilon, times=times)])
    for t in HALVES:
        exact = sum(
            comb(times, k) * keep**k * (1 - keep) ** (times - k)
            * max(Fraction(0), 1 - exp_enclosure(t - (2 * k - times) * epsilon, 200).upper)
            for k in range(times + 1)
        )  # fmt: skip
        assert exact - Fraction(1, 10**20) <= together.delta(t) <= exact + Fraction(1, 10**5)


def test_a_pure_release_is_shown_larger_than_a_laplace_draw_of_the_same_epsilon():
    laplace, pure = (composed([spend(law, epsilon="0.3", times=4)]) for law in ("laplace", "pure"))
    points = [Fraction(k, 100) for k in range(0, 120, 7)]
    assert all(laplace.delta(each) <= pure.delta(each) for each in points)
    assert laplace.delta("0.1") < pure.delta("0.1")


@pytest.mark.parametrize("law", [LAPLACE, PURE])
@pytest.mark.parametrize("epsilon", ["0.37", "1", "0.0001", "4"])
def test_a_law_on_a_grid_has_the_delta_of_the_law_on_it_and_no_less_between(law, epsilon):
    each = Spend(law=law, epsilon=Fraction(epsilon))
    grid = Fraction(1, 8)
    masses = law_on_grid(each, grid)
    m = len(masses) // 2
    assert 1 <= Fraction(sum(masses), 1 << MASS_BITS) < 1 + Fraction(1, 2**100)
    weights = [exp_enclosure(-j * grid, 256).lower for j in range(-m, m + 1)]
    for k in range(8 * 3):
        t = Fraction(k, 3) * grid
        factor = exp_enclosure(t, 256).lower
        placed = enumerate(zip(masses, weights, strict=True), -m)
        above = [(mass, 1 - factor * weight) for j, (mass, weight) in placed if j * grid > t]
        found = sum((Fraction(mass, 1 << MASS_BITS) * each for mass, each in above), Fraction(0))
        exact = delta_of(each, t, 300)
        assert found >= exact.lower
        assert k % 3 or found <= exact.upper + Fraction(1, 2**100)


def test_different_releases_compose_in_any_order():
    spends = [spend("laplace", epsilon="0.5", times=3), spend("pure", epsilon="1/3"), spend("laplace", epsilon="0.01")]
    there, back = composed(spends), composed(spends[::-1])
    assert there.pure == back.pure
    assert abs(there.delta("0.7") - back.delta("0.7")) < Fraction(1, 2**100)


def test_very_small_and_very_large_epsilons_are_composed():
    tiny = composed([spend("laplace", epsilon="1e-30", times=2)])
    assert tiny.epsilon("1e-6") == 0
    assert tiny.delta(0) < Fraction(1, 10**29)
    assert composed([spend("laplace", epsilon=500), spend("pure", epsilon="0.001")]).epsilon("1e-6") > 490


def test_some_releases_are_needed():
    with pytest.raises(ParameterError, match="no releases are given"):
        composed([])


@pytest.mark.parametrize("epsilon", [1001, 5000, "1e900"])
def test_from_a_large_sum_on_the_sum_is_the_answer(epsilon):
    together = composed([spend("pure", epsilon=epsilon), spend("laplace", epsilon="0.1")])
    assert together.epsilon("1e-6") == together.pure
    assert (together.delta("0.5"), together.delta(together.pure)) == (1, 0)


@pytest.mark.parametrize(
    "spends",
    [
        [spend("pure", epsilon="1e-5", times=10**9 + 1)],
        [spend("laplace", epsilon=Fraction(1, 100 + k)) for k in range(1500)],
        [spend("laplace", epsilon=Fraction(1, 2**k), times=50) for k in range(600)],
    ],
)
def test_very_many_releases_are_composed_from_few_kinds_on_a_grid_of_public_size(spends):
    together, few = composed(spends), coarser(spends)
    assert len(few) <= 2 * MOST_KINDS
    assert sum(each.times for each in few) <= MOST_RELEASES + 2 * MOST_KINDS
    assert len(together.masses) <= 4 * (POINTS + MOST_RELEASES)
    assert 0 < together.epsilon("1e-6") <= together.pure == sum(each.total for each in spends)


def test_what_is_made_coarser_dominates_what_was_given(monkeypatch):
    """The same spends, composed as they are and through tight limits: at no point is less shown."""
    spends = [spend("laplace", epsilon=Fraction(1, 7 + k), times=3) for k in range(12)]
    exact = composed(spends)
    monkeypatch.setattr("snapdp.interop.composition.MOST_KINDS", 5)
    kinds = composed(spends)
    monkeypatch.setattr("snapdp.interop.composition.MOST_RELEASES", 9)
    both = composed(spends)
    assert len(coarser(spends)) < 12
    points = [exact.pure * k / 30 for k in range(30)]
    assert all(exact.delta(each) <= kinds.delta(each) <= both.delta(each) for each in points)
    assert exact.delta(1) < kinds.delta(1) < both.delta(1)


@pytest.mark.parametrize("epsilon", [-1, "-1/2", "x"])
def test_nonsense_is_no_epsilon(epsilon):
    with pytest.raises(ParameterError):
        HUNDRED.delta(epsilon)


def test_what_is_shown_is_a_value_with_a_grid_of_public_size():
    assert isinstance(HUNDRED, Composed)
    assert len(HUNDRED.masses) <= 4 * POINTS
    assert HUNDRED.first == -(len(HUNDRED.masses) // 2)


def is_never_below(together, exact):
    """Tell whether the shown delta is nowhere below the exact one, at any epsilon whatever.

    Between two losses of its grid the shown one is a straight line in e^epsilon, and the exact one is convex: it lies
    below the line between two of its points. So the losses of the grid are enough. From the sum on both are 0.
    """
    losses = range(ceil(together.pure / together.grid))
    deltas = deltas_at_least(exact, together.grid, len(losses))
    return all(together.delta(j * together.grid) >= found for j, found in zip(losses, deltas, strict=True))


@pytest.mark.parametrize("count", [1, 4])
def test_the_shown_delta_is_not_below_an_exact_convolution_at_any_epsilon(count):
    exact = convolved([classes(mechanism("0.5", "4"), Fraction(2), Fraction(3))] * count)
    assert is_never_below(composed([spend("laplace", epsilon="0.5", times=count)]), exact)
    assert not is_never_below(composed([spend("laplace", epsilon="0.495", times=count)]), exact)


@pytest.mark.long
@pytest.mark.parametrize("count", [1, 2, 3, 4])
@pytest.mark.parametrize("grid", ["1/4", "1", "4"])
@pytest.mark.parametrize("phase", ["0", "1/3", "1/2"])
def test_the_shown_delta_is_never_below_on_any_grid(count, grid, phase):
    start = Fraction(phase)
    for epsilon in ("0.1", "0.5", "1.7"):
        exact = convolved([classes(mechanism(epsilon, grid), start, start + 1)] * count)
        assert is_never_below(composed([spend("laplace", epsilon=epsilon, times=count)]), exact)
