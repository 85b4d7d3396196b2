"""Epsilon for a target: the least one of four digits, monotone in the target, and what the published formulas spend."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings, strategies as st

import snapdp
from snapdp.accuracy.epsilon import (
    DIGITS,
    Constants,
    Family,
    decimal,
    epsilon_for,
    floor_epsilon,
    index_down,
    index_up,
    next_four_digits,
)
from snapdp.accuracy.error import METHODS, accuracy, unclamped_accuracy, unclamped_chance, value_chance
from snapdp.errors import BoundError, ParameterError, PremiseError
from snapdp.exact.dyadic import floor_log10, round_digits_up
from snapdp.exact.enclosure import refined
from tests.unit.accuracy.brute import F, parameters

FOLLOWING = ["natural", "fine", None]


def ask(accuracy, **more):
    return epsilon_for(**{"accuracy": accuracy, "sensitivity": 1, "lower": 0, "upper": 1000, **more})


def one_unit_less(epsilon: Fraction) -> Fraction:
    """Return the decimal of four digits before one."""
    below = epsilon * (1 - F(1, 10**6))
    unit = F(10) ** (floor_log10(below) - 3)
    return unit * math.floor(below / unit)


@pytest.mark.parametrize("grid", [*FOLLOWING, 1, "1/8"])
@pytest.mark.parametrize("alpha", ["0.05", "0.5", "0.001"])
@pytest.mark.parametrize("target", ["0.51", "1", "3.3", "17", "250"])
def test_one_unit_less_in_the_last_digit_fails_the_target(target, alpha, grid):
    found = ask(target, alpha=alpha, grid=grid)
    assert round_digits_up(found.epsilon, DIGITS) == found.epsilon
    assert found.accuracy <= F(target)
    assert found.clamped_accuracy <= found.accuracy
    kept = found.grid if grid in (1, "1/8") else grid
    lesser = parameters(epsilon=one_unit_less(found.epsilon), sensitivity=1, lower=0, upper=1000, grid=kept)
    assert unclamped_accuracy(noise_scale=lesser.noise_scale, grid=lesser.grid, alpha=F(alpha)) > F(target)
    assert not Constants(noise_scale=lesser.noise_scale, grid=lesser.grid, alpha=F(alpha)).meets(F(target))


def test_the_answer_may_be_a_power_of_ten_at_which_the_grid_halves():
    assert ask("3.41", grid="natural").epsilon == 1
    assert ask("3.4", grid="natural").epsilon > 1


@pytest.mark.parametrize("method", METHODS)
def test_published_formulas_are_minimal_too(method):
    for target in ("0.7", "9", "123"):
        found = ask(target, grid="natural", method=method)
        lesser = parameters(
            epsilon=one_unit_less(found.epsilon), sensitivity=1, lower=-(10**6), upper=10**6, grid="natural"
        )
        assert found.accuracy <= F(target) < accuracy(lesser, method=method)


def test_the_mechanism_with_that_epsilon_keeps_the_promise():
    found = ask("2.5", alpha="0.1", sensitivity="1/3", lower=500, upper=510, grid="natural")
    p = parameters(epsilon=found.epsilon, sensitivity="1/3", lower=500, upper=510, grid="natural")
    assert (p.noise_scale, p.data_grid) == (found.noise_scale, found.grid)
    assert accuracy(p, alpha="0.1") == found.clamped_accuracy <= F("2.5")


@pytest.mark.parametrize("grid", ["natural", "fine", 1])
def test_accuracy_without_a_clamp_never_grows_with_epsilon_jumps_included(grid):
    last = None
    for i in range(240):
        epsilon = F(240 + 5 * i, 1000)  # 0.24 to 1.435: two halvings of the grid
        p = parameters(epsilon=epsilon, sensitivity=1, lower=0, upper=10, grid=grid)
        a = unclamped_accuracy(noise_scale=p.noise_scale, grid=p.grid, alpha=F(1, 20))
        assert last is None or a <= last
        last = a


@settings(max_examples=150, deadline=None)
@given(
    scale=st.fractions(min_value=F(1, 20), max_value=20),
    steps=st.fractions(min_value=F(1, 2), max_value=60),
)
def test_halving_the_grid_never_hurts_the_worst_case(scale, steps):
    coarse = unclamped_chance(distance=steps, noise_scale=scale, grid=F(1))
    fine = unclamped_chance(distance=steps, noise_scale=scale, grid=F(1, 2))
    # Strictly: by a factor cosh(x/4) or e^(x/4) at least, x >= 1/20, so 2**-100 decides.
    assert refined(fine, relative_bits=100).upper < refined(coarse, relative_bits=100).lower


@pytest.mark.long
@pytest.mark.parametrize("seed", [20200803])
def test_over_400_targets_the_published_formulas_spend_what_they_spend_in_one_octave(seed):
    """The figures that docs/theory/planning.md computes, within half a percent of epsilon."""
    rng = random.Random(seed)
    extra: dict[str, list[Fraction]] = {"notes": [], "simple": []}
    for _ in range(400):
        target = F(f"{math.exp(rng.uniform(math.log(0.05), math.log(500))):.6g}")
        tight, notes, simple = (ask(target, grid="natural", upper=10**6, method=m).epsilon for m in METHODS)
        extra["notes"].append(notes / tight - 1)
        extra["simple"].append(simple / tight - 1)
    found = [figure for each in extra.values() for figure in (sum(each) / 400, max(each))]
    for figure, of_an_octave in zip(found, ("8.1", "20.4", "16.3", "27.8"), strict=True):
        assert abs(100 * figure - F(of_an_octave)) < F(1, 2)
    assert min(extra["notes"]) >= 0


def test_a_target_that_no_epsilon_meets_on_a_fixed_grid_is_refused_with_what_is_allowed():
    with pytest.raises(ParameterError, match=r"rounding alone can err by 2(.|\n)*above 2, take a grid below 3"):
        ask("1.5", grid=4)
    with pytest.raises(ParameterError, match="met by no epsilon"):
        ask(2, grid=4)  # half the grid itself: P -> 1/2 however large epsilon
    assert ask(2, grid=4, alpha="0.6").accuracy == 2
    assert ask("2.01", grid=4).accuracy <= F("2.01")
    with pytest.raises(ParameterError, match="met by no epsilon"):
        ask(2, grid=4, alpha="0.6", method="notes")


def test_the_simple_formula_needs_a_grid_that_follows():
    with pytest.raises(PremiseError, match="grid <= 2 noise scales"):
        ask("2.2", grid=4, method="simple")


def test_bad_questions_are_refused():
    for bad in ({"accuracy": 0}, {"accuracy": 1, "alpha": 1}, {"accuracy": 1, "method": "best"}):
        with pytest.raises(ParameterError):
            ask(**bad)
    with pytest.raises(BoundError, match="power of two"):
        ask(1, grid=3)
    with pytest.raises(BoundError, match="swapped"):
        ask(1, lower=5, upper=2)


@given(x=st.fractions(min_value=F(1, 10**9), max_value=10**9))
def test_four_digits_are_rounded_up_and_no_further(x):
    found = round_digits_up(x, DIGITS)
    unit = F(10) ** (floor_log10(x) - 3)
    assert found - unit < x <= found
    assert (found / unit).denominator == 1
    assert x < next_four_digits(found)
    assert next_four_digits(found) == round_digits_up(found * (1 + F(1, 10**7)), DIGITS)


# The public range


def misses(found: Fraction, target: str, step: int, **declared) -> bool:
    """Tell whether the decimals of four digits from the floor to one before `found` all miss a target."""
    family = Family(sensitivity=F(1), **declared)
    first = index_down(floor_epsilon(family, F(target), F(1, 20)))
    last = index_up(found)
    places = {*range(first, last, step), *range(max(first, last - 20), last)}
    return all(accuracy(family.at(decimal(n))) > F(target) for n in sorted(places))


@pytest.mark.parametrize(
    ("upper", "target", "expected"), [("1/4", "9", "0.2499"), ("1", "9", "0.3042"), ("1/4", "4.5", "0.6014")]
)
def test_a_narrow_range_needs_less_on_the_natural_grid_and_no_decimal_below_meets_the_target(upper, target, expected):
    declared = {"lower": 0, "upper": upper, "grid": "natural"}
    found = ask(target, **declared)
    assert found.epsilon == F(expected)
    assert found.accuracy == found.clamped_accuracy <= F(target)
    assert misses(found.epsilon, target, 97, **declared)
    assert ask(target, grid="natural").epsilon >= found.epsilon * F(26, 25)


@pytest.mark.long
@pytest.mark.parametrize(("upper", "target"), [("1/4", "9"), ("1/2", "10"), ("3/2", "6")])
def test_no_decimal_at_all_below_the_answer_meets_the_target(upper, target):
    declared = {"lower": 0, "upper": upper, "grid": "natural"}
    assert misses(ask(target, **declared).epsilon, target, 1, **declared)


def test_over_a_narrow_range_a_larger_epsilon_may_miss_the_target_again():
    family = Family(sensitivity=F(1), lower=0, upper=F(1, 4), grid="natural")
    assert accuracy(family.at(F("0.2499"))) <= 9 < accuracy(family.at(F("0.25")))
    assert ask(9, upper="1/4", grid="natural").epsilon == F("0.2499")


@pytest.mark.parametrize("grid", ["natural", "fine", 1])
def test_on_one_grid_no_value_gets_worse_with_epsilon(grid):
    """planning (36), at every value of a lattice finer than the grid and at many distances."""
    steps = [F(51 + i, 100) for i in range(0, 49, 12)]  # one band: 0.51 to 0.99
    for low, high in pairwise(steps):
        p, q = (parameters(epsilon=e, sensitivity=1, lower=0, upper=3, grid=grid) for e in (low, high))
        for f in (F(i, 8) for i in range(0, 25, 5)):
            for a in (F(0), F(1, 3), F(1), F(7, 4)):
                assert value_chance(q, f, a).lower <= value_chance(p, f, a).upper


@pytest.mark.parametrize("rule", ["proved", "notes"])
def test_finite_precision_has_the_least_epsilon_of_its_own_arithmetic(rule):
    declared = {"sensitivity": 1, "lower": 0, "upper": 1000}
    found = epsilon_for(accuracy=7, arithmetic=rule, bits=118, **declared)
    assert found.arithmetic == rule
    assert found.epsilon == {"proved": F("0.5"), "notes": F("0.5001")}[rule]
    m, lesser = (
        snapdp.Snapping(epsilon=e, arithmetic=rule, bits=118, **declared)
        for e in (found.epsilon, one_unit_less(found.epsilon))
    )
    assert m.accuracy() == found.accuracy <= 7 < lesser.accuracy()
    assert (found.noise_scale, found.grid) == (m.parameters.noise_scale, m.parameters.data_grid)


def test_the_notes_formula_in_the_notes_arithmetic_is_their_equation():
    """(6.4) of the notes with eta and B: eps = eps' (1 + 12 B eta) + 2 eta, rounded up to four digits."""
    found = ask(7, method="notes", arithmetic="notes", bits=118, gamma="0.01")
    p = parameters(
        epsilon=found.epsilon, sensitivity=1, lower=0, upper=1000, arithmetic="notes", bits=118, gamma="0.01"
    )
    assert found.accuracy == accuracy(p, method="notes") <= 7
    assert found.epsilon == F("0.5001")
    half = parameters(epsilon="0.5", sensitivity=1, lower=0, upper=1000, arithmetic="notes", bits=118)
    assert f"{float(accuracy(half, method='notes')):.4f}" == "7.9915"


@pytest.mark.parametrize("method", ["tight", "notes", "simple"])
def test_bits_that_allow_no_epsilon_refuse_the_request_by_what_was_asked_for(method):
    """The epsilons that were tried nobody asked for: none is named."""
    with pytest.raises(PremiseError, match="24 bits are too few for accuracy = 7 on this range, whatever epsilon"):
        ask(7, arithmetic="proved", bits=24, method=method)
    few = snapdp.FinitePrecision(bits=24, slack="1e-9")
    with pytest.raises(PremiseError, match=r"accuracy = 7 on this range.*more than slack = 1/1000000000 beyond it"):
        ask(7, arithmetic=few, method=method)


@pytest.mark.parametrize("method", ["notes", "simple"])
def test_a_formula_passes_over_epsilons_that_so_few_bits_do_not_allow(method):
    found = ask("5.9", arithmetic="proved", bits=33, method=method)
    assert found.accuracy <= F("5.9")
    with pytest.raises(PremiseError, match="33 bits are too few for epsilon"):  # where the search begins
        parameters(epsilon="0.5078", sensitivity=1, lower=0, upper=1000, arithmetic="proved", bits=33)


def test_a_target_that_a_narrow_range_makes_possible_on_a_fixed_grid_is_met():
    assert ask("1.5", lower=-1, upper=1, grid=4).accuracy <= F("1.5")
    with pytest.raises(ParameterError, match="met by no epsilon"):
        ask("0.5", lower=-1, upper=1, grid=4)
