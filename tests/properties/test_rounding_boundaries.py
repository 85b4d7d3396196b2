"""At the edge: sums placed so close to a rounding boundary that doubles cannot tell the side, and at the filter's edge.

A placed value is a double and 511 digits of U, solved at 560 bits so that value + Y lies 2**-20 to 2**-116 grid steps
above or below a boundary (k + 1/2) grid. The right index is then known by construction, and an independent reference
(Arb, not MPFR) confirms it. Plain doubles get a good part of these wrong; definition, scalar and vector path none.
Values at the acceptance threshold of the filter fall on both sides of it by units in the last place, and agree too.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
from flint import ctx

from snapdp.mechanism.parameters import SnappingParameters
from snapdp.mechanism.sampling import vectors as vector_module
from snapdp.mechanism.sampling.filter import ScalarSampler, coordinates
from snapdp.mechanism.sampling.vectors import VectorSampler
from tests.properties.samebits import (
    CASES,
    HALF,
    PLACED_DIGITS,
    REFERENCE_BITS,
    SMALL_BLOCK,
    Array,
    HashedBits,
    PlacedBits,
    awkward_doubles,
    ball,
    beside_threshold,
    by_scalar,
    defined,
    differences,
    disagreements,
    first_digits,
    packed,
    random_words,
    reference_index,
    reference_inner,
    released,
    seeded,
)

FURTHEST, CLOSEST = 20, 116
DEEPEST = 200  # U > e**-200 > 2**-289: then 222 of the 511 digits follow the first one, enough for 2**-116
PER_CASE = 1_200

# Exact arithmetic, and 118 bits or more: there plain doubles must fail on many.
PLACED_CASES = [
    "count, fine",
    "count, natural",
    "sensitivity 1/10, -10..30",
    "sensitivity 72/1000, 500..1000, natural",
    "sensitivity 10**6",
    "noise far below the grid",
    "grid 2**-29, noise of 2**29 steps",
    "grid 2**52",
    "2**26 + 1 steps",
    "2**51 steps",
    "no power of two",
    "notes, count",
    "notes, sensitivity 1/10",
    "proved, sensitivity 72/1000, 500..1000",
    "step 1/10",
    "proved, off the lattice, far from zero",
    "step 1/10, far from zero",
]
# So few bits that the mechanism itself, by its rounding, is far from the real sum.
FEW_BITS = ["53 bits", "53-bit logarithm, 118-bit product", "24-bit logarithm, 30-bit product", "16 bits"]


class Placement(NamedTuple):
    """Values and bits; `side` is the index by construction where `certain`, `expected` the reference's index."""

    values: Array
    bits: PlacedBits
    side: Array
    certain: Array
    expected: Array
    by_doubles: Array


def place(p: SnappingParameters, rng: np.random.Generator, count: int) -> Placement:
    """Return placed values: for a double and a boundary near value + Y, solve for the digits of U."""
    rho = p.noise_scale / p.grid
    rows: list[tuple[Any, ...]] = []
    while len(rows) < count:
        batch = awkward_doubles(p, rng, count)
        for value in batch[np.isfinite(batch)].tolist()[: count - len(rows)]:
            inner = reference_inner(value, p)
            row = _solved(inner, p, rho, rng)
            if row is not None:
                sign, digits, side, certain = row
                expected = reference_index(inner, p, sign, digits, PLACED_DIGITS)
                doubles = plain_index(value, p, sign, digits / (1 << PLACED_DIGITS))
                rows.append((value, *packed(sign, digits, PLACED_DIGITS), side, certain, expected, doubles))
    values, words, extensions, sides, certain, expected, doubles = zip(*rows, strict=True)
    return Placement(
        np.array(values),
        PlacedBits(np.array(words, np.int64), extensions),
        np.array(sides),
        np.array(certain),
        np.array(expected),
        np.array(doubles),
    )


def _solved(
    inner: Fraction, p: SnappingParameters, rho: Fraction, rng: np.random.Generator
) -> tuple[int, int, int, bool] | None:
    """Return (sign, digits of U, index by construction, whether that is certain), or None if no U reaches there."""
    t = inner / p.grid
    sign = 1 if rng.random() < 0.5 else -1
    reach = rng.exponential() if rng.random() < 0.9 else rng.uniform(0, 120)  # now and then U below 2**-63
    k = math.floor(t - sign * rho * Fraction(reach))
    if not p.low <= k < p.high:
        return None
    above = bool(rng.random() < 0.5)
    distance = Fraction(int(rng.integers(1 << 20, 1 << 21)), 1 << (20 + int(rng.integers(FURTHEST + 1, CLOSEST + 1))))
    logarithm = sign * (k + HALF + (distance if above else -distance) - t) / rho
    if not -DEEPEST < logarithm < 0:
        return None
    with ctx.workprec(REFERENCE_BITS):
        mantissa, exponent = (int(part) for part in ball(logarithm).exp().mid().man_exp())
    shift = exponent + PLACED_DIGITS
    digits = mantissa << shift if shift >= 0 else mantissa >> -shift
    return sign, digits, k + above, distance > rounding_error(-logarithm, p, rho)


def rounding_error(size: Fraction, p: SnappingParameters, rho: Fraction) -> Fraction:
    """Return a bound, in grid steps, on how far p-bit arithmetic moves a noise of |ln U| = size; 0 if exact."""
    if p.precision is None:
        return Fraction(0)
    one = Fraction(1)
    truncation = one / (1 << (p.precision.uniform - 2))  # -ln(1 - 2**(1-p)) <= 2**(2-p)
    stretch = (1 + one / (1 << p.precision.logarithm)) * (1 + one / (1 << p.precision.product)) - 1
    return rho * (truncation + (size + truncation) * stretch)


def plain_index(value: float, p: SnappingParameters, sign: int, u: float) -> int:
    """Return what doubles give: the formula of the mechanism as one would write it down."""
    value = min(max(value, float(p.lower)), float(p.upper))
    if p.step is not None:
        value = math.floor(value / float(p.step) + 0.5) * float(p.step)
    inner = min(max((value - float(p.offset)) / float(p.unit), float(p.value_lower)), float(p.value_upper))
    total = inner + sign * float(p.noise_scale) * math.log(u)
    return min(max(math.floor(total / float(p.grid) + 0.5), p.low), p.high)


def placed_disagreements(p: SnappingParameters, placed: Placement) -> list[str]:
    """Return how definition, scalar and vector path differ from the reference on placed values."""
    numbers = placed.values.tolist()
    out, again = np.full(len(numbers), np.nan), np.full(len(numbers), np.nan)
    with pytest.MonkeyPatch.context() as patch:  # many blocks: each value must read its own further digits
        patch.setattr(vector_module, "BLOCK", SMALL_BLOCK)
        patch.setattr(vector_module, "SINGLE_LIMIT", 0)
        VectorSampler(p).release(placed.values, out, placed.bits)
        patch.setattr(vector_module, "SINGLE_LIMIT", len(numbers) + 1)
        VectorSampler(p).release(placed.values, again, placed.bits)
    return [
        *differences(placed.expected, defined(p, numbers, placed.bits), numbers, placed.bits),
        *differences(placed.expected, by_scalar(ScalarSampler(p), numbers, placed.bits), numbers, placed.bits),
        *differences(released(p, placed.expected), out, numbers, placed.bits),
        *differences(released(p, placed.expected), again, numbers, placed.bits),
    ]


@pytest.mark.parametrize("name", PLACED_CASES)
def test_sums_at_a_rounding_boundary_fall_on_their_side_where_doubles_do_not(name):
    p = CASES[name].parameters
    placed = place(p, seeded("placed", name), PER_CASE)
    assert placed.certain.mean() > 0.9
    assert (placed.side == placed.expected)[placed.certain].all()
    assert not placed_disagreements(p, placed)
    wrong = (placed.by_doubles != placed.expected).mean()
    assert wrong > 0.1, f"plain doubles are wrong on {wrong:.1%} only: the values are not hard enough"


@pytest.mark.parametrize("name", FEW_BITS)
def test_with_few_bits_the_index_is_that_of_the_rounded_sum(name):
    p = CASES[name].parameters
    placed = place(p, seeded("few bits", name), 1_200)
    assert (placed.side == placed.expected)[placed.certain].all()
    assert (placed.side != placed.expected).any()  # rounding to few bits does carry sums across
    assert not placed_disagreements(p, placed)


@pytest.mark.long
@pytest.mark.parametrize("name", PLACED_CASES + FEW_BITS)
def test_a_million_sums_at_a_rounding_boundary_fall_on_their_side(name):
    seed = np.random.SeedSequence().entropy
    p = CASES[name].parameters
    placed = place(p, np.random.default_rng(seed), 60_000)
    assert (placed.side == placed.expected)[placed.certain].all(), f"seed {seed}"
    assert not placed_disagreements(p, placed), f"seed {seed}"


@pytest.mark.parametrize("name", ["count, fine", "count, natural", "2**51 steps", "no power of two", "notes, count"])
def test_a_tie_is_broken_by_the_sign_of_the_smallest_noise(name):
    p, rng, count = CASES[name].parameters, seeded("ties", name), 400
    ties = [k for k in range(p.low, min(p.high, p.low + 4 * count)) if _is_double_inside(p, k)]
    indices = rng.choice(ties, count)
    signs, depths = rng.choice([-1, 1], count), rng.integers(80, 380, count)
    strings = [
        packed(int(s), (1 << PLACED_DIGITS) - (1 << (PLACED_DIGITS - int(d))), PLACED_DIGITS)
        for s, d in zip(signs, depths, strict=True)
    ]
    values = np.array([float(p.offset + p.unit * p.grid * (int(k) + HALF)) for k in indices])
    bits = PlacedBits(np.array([word for word, _ in strings], np.int64), [rest for _, rest in strings])
    expected = indices + (signs < 0)  # Y = S lam ln U: a negative sign adds
    assert not disagreements(p, values, bits, expected=expected)
    assert not differences(expected, defined(p, values.tolist(), bits), values.tolist(), bits)


def _is_double_inside(p: SnappingParameters, k: int) -> bool:
    tie = p.offset + p.unit * p.grid * (k + HALF)
    return p.lower < tie < p.upper and Fraction(float(tie)) == tie


@pytest.mark.parametrize("name", CASES)
def test_the_definition_agrees_with_the_independent_reference(name):
    p, rng, count = CASES[name].parameters, seeded("reference", name), 150
    values = awkward_doubles(p, rng, 2 * count)
    values = values[np.isfinite(values)][:count]
    bits = HashedBits(random_words(rng, count))
    pairs = enumerate(values.tolist())
    expected = [reference_index(reference_inner(v, p), p, *first_digits(bits, i), PLACED_DIGITS) for i, v in pairs]
    assert not differences(np.array(expected), defined(p, values.tolist(), bits), values.tolist(), bits)


# The acceptance threshold --------------------------------------------------------------------------------------------

THRESHOLD_CASES = [
    "count, natural",
    "count, fine",
    "sensitivity 1/10, -10..30",
    "noise of just more than 16 grid steps",
    "grid 2**-29, noise of 2**29 steps",
    "2**26 + 1 steps",
    "notes, count",
    "notes, sensitivity 1/10",
    "53 bits",
    "24-bit logarithm, 30-bit product",
]


def at_the_threshold(p: SnappingParameters, sampler: Any, rng: np.random.Generator, count: int) -> tuple[Array, Any]:
    """Return values whose computed sum lies within four units in the last place of the sampler's threshold."""
    values, total, bits = beside_threshold(p, sampler.filter, rng, count, sampler.filter.threshold)
    nudge = np.maximum(np.spacing(np.abs(values)), np.spacing(np.abs(total)))
    values += rng.integers(-4, 5, count) * nudge
    if not coordinates(p).on_lattice:
        values = float(p.offset) + float(p.unit) * values
    return values, bits


@pytest.mark.parametrize("name", THRESHOLD_CASES)
@pytest.mark.parametrize("path", [VectorSampler, ScalarSampler])
def test_values_on_both_sides_of_the_acceptance_threshold_agree(name, path):
    p, count = CASES[name].parameters, 800
    sampler = path(p)
    values, bits = at_the_threshold(p, sampler, seeded("threshold", name, path.__name__), count)
    assert not disagreements(p, values, bits)
    bits.exact = 0
    if isinstance(sampler, VectorSampler):
        sampler.index(values, np.empty(count, np.int64), bits)
    else:
        by_scalar(sampler, values.tolist(), bits)
    assert count / 4 <= bits.exact <= 3 * count / 4, "the values do not straddle the threshold"


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.filtered])
def test_draws_on_both_sides_of_the_smallest_accepted_one_agree(name):
    p, rng, count = CASES[name].parameters, seeded("smallest", name), 200
    vector = VectorSampler(p)
    smallest = int(vector.filter.smallest * 2.0**52)
    ends = [-math.inf, math.inf, float(p.lower), float(p.upper)]
    values = np.where(rng.random(count) < 0.5, rng.choice(ends, count), awkward_doubles(p, rng, count))
    sign_and_rest = rng.integers(-(1 << 11), 1 << 11, count) << 52
    accepted = smallest + np.where(rng.random(count) < 0.5, rng.integers(0, 3, count), rng.integers(0, smallest, count))
    either = smallest + rng.integers(-3, 4, count)
    # Where no draw of a block is refused the vector path may skip the clamp: once without any such draw, once with.
    for digits in (accepted, either):
        bits = HashedBits(sign_and_rest | digits)
        assert not disagreements(p, values, bits, vector=vector)
        bits.exact = 0
        vector.index(values, np.empty(count, np.int64), bits)
        assert bits.exact >= (digits < smallest).sum()


# The first level's threshold -----------------------------------------------------------------------------------------

FIRST_LEVEL_CASES = [
    "count, natural",
    "count, fine",
    "sensitivity 72/1000, 500..1000, natural",
    "noise far below the grid",
    "noise of 16 grid steps",
    "2**26 + 1 steps",
    "notes, count",
    "24-bit logarithm, 30-bit product",
]


@pytest.mark.parametrize("name", FIRST_LEVEL_CASES)
def test_values_on_both_sides_of_the_first_level_s_threshold_agree(name, monkeypatch):
    p, count, rng = CASES[name].parameters, 3_000, seeded("first threshold", name)
    sampler = VectorSampler(p)
    f = sampler.single
    # Beyond its margin the first level is sure.
    distance = f.grid / 2 - (f.grid / 2 - f.threshold) * rng.uniform(0.5, 1.5, count)
    values, _, bits = beside_threshold(p, f, rng, count, distance)
    assert not disagreements(p, values, bits, vector=sampler)
    bits.seconds = 0
    monkeypatch.setattr(vector_module, "SINGLE_LIMIT", 0)
    sampler.index(values, np.empty(count, np.int64), bits)
    assert count / 4 <= bits.seconds <= 3 * count / 4, "the values do not straddle the threshold"


@pytest.mark.parametrize("name", FIRST_LEVEL_CASES)
def test_draws_on_both_sides_of_the_smallest_that_the_first_level_accepts_agree(name, monkeypatch):
    p, count, rng = CASES[name].parameters, 600, seeded("first smallest", name)
    sampler = VectorSampler(p)
    smallest = int(sampler.single.smallest * 2.0**31)
    digits = smallest + rng.integers(-3, 4, count)
    words = digits << 21 | rng.integers(0, 1 << 21, count) | rng.integers(-(1 << 11), 1 << 11, count) << 52
    values, bits = awkward_doubles(p, rng, count), HashedBits(words)
    assert not disagreements(p, values, bits, vector=sampler)
    bits.seconds = 0
    monkeypatch.setattr(vector_module, "SINGLE_LIMIT", 0)
    sampler.index(values, np.empty(count, np.int64), bits)
    assert (digits < smallest).sum() <= bits.seconds < count
