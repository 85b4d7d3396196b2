"""Same bits, same answer: vector path, scalar path and definition agree bit for bit.

Shown on a million values by default and ten million in the long run, over both arithmetics, every numpy type and
layout; with each level of the filter narrowed so that most values go to the next; with a logarithm that is wrong by as
much as the proof allows: nothing changes. Also shown: no output is a negative zero,
and the premise of the filter, that the platform's logarithms are far more accurate than it needs.
Everything is fixed by seeds in the default run; the long run takes a fresh seed and names it when it fails.
"""

from __future__ import annotations

import itertools
import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import gmpy2
import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

from snapdp import FinitePrecision, SnapdpError
from snapdp.mechanism.mechanism import declared, index_with_bits, release_with_bits
from snapdp.mechanism.sampling import vectors as vector_module
from snapdp.mechanism.sampling.filter import (
    KNOWN_LOG_TOLERANCE,
    KNOWN_LOGARITHMS,
    KNOWN_SINGLE_LOG_TOLERANCE,
    SINGLE_LOG_ERROR,
    ScalarSampler,
    logarithm_is_trusted,
)
from snapdp.mechanism.sampling.vectors import (
    BLOCK,
    SINGLE_LIMIT,
    VectorSampler,
    numpy_log_is_trusted,
    numpy_single_log_is_trusted,
)
from snapdp.values import replaced
from tests.properties.samebits import (
    CASES,
    PLACED_DIGITS,
    Array,
    Case,
    HashedBits,
    awkward,
    awkward_doubles,
    awkward_integers,
    by_scalar,
    by_vector,
    defined,
    differences,
    disagreements,
    exact,
    fair_words,
    finite,
    first_digits,
    random_words,
    reference_index,
    reference_inner,
    released,
    seeded,
    with_step,
)
from tests.tiers import first_of, one_in

PER_CASE, PER_CASE_UNFILTERED, PER_CASE_SCALAR = 4_000, 600, 1_000
PER_TYPE = 2_000
PER_CASE_LONG = 220_000
FALSE_ALARM = 1e-9

TYPED_CASES = [
    "count, fine",
    "sensitivity 72/1000, 500..1000, natural",
    "grid 2**-29, natural",
    "2**26 + 1 steps",
    "integers beyond 2**53, split",
    "notes, count",
    "proved, sensitivity 10**6, fine",
    "step 1/10",
]

# Ranges that reach beyond 2**53, where an integer is no double any more.
WIDE = {
    "0..2**60, grid 2**40": exact(1, 1 << 40, 0, 1 << 60, "natural"),
    "-2**60..2**60, grid 2**36, 2**26 steps": exact("0.9", 1 << 35, -(1 << 62), 1 << 62, 1 << 36, "range"),
    "-2**60..2**60, grid 2**10": exact(1, 1 << 10, -(1 << 60), 1 << 60, "natural", "range"),
    "2**62..2**63 - 2**20, grid 2**16": exact(1, 1 << 16, 1 << 62, (1 << 63) - (1 << 20), "natural"),
    "all of uint64, grid 2**20": exact(1, 1 << 20, 0, 1 << 64, "natural"),
    "all of int64, grid 2**13": exact("0.8", 1 << 12, -(1 << 63), (1 << 63) - 1, "natural"),
    "around 2**60, notes": finite("0.5", 1 << 12, 1 << 60, (1 << 60) + (1 << 57), "notes"),
    "around 2**60, off the lattice": finite("0.5", 3 << 40, 1 << 60, (1 << 60) + (1 << 57), "proved"),
    "0..2**60, step 2**12": with_step(exact(1, 1 << 20, 0, 1 << 60, "natural"), 1 << 12),
    "0..2**60, step 1000": with_step(exact(1, 10**9, 0, 1 << 60, "natural"), 1000),
    "grid 1, 2**51 steps": CASES["2**51 steps"],
}


# Units near the ends of the doubles.
EXTREME = {
    "units of 10**-310": finite(1, "1e-310", "-1e-308", "1e-308", "proved"),
    "units of 10**-306": finite(1, "1e-306", "-1e-304", "1e-304", "proved", grid="fine"),
    "units of 10**306": finite(1, "1e304", "-1e307", "1e307", "proved", grid="fine"),
    "3 * 10**310 sensitivities": finite("1e-300", "3e-301", "-1e10", "1e10", "proved"),
    "ends of the doubles": exact(1, "1e305", "-1.7e308", "1.7e308", "natural", "range"),
    "subnormal grid": exact(1, "1e-320", 0, "1e-310", "natural"),
}

both_levels = pytest.mark.parametrize("limit", [0, SINGLE_LIMIT], ids=["both levels", "second level"])


# All three agree -----------------------------------------------------------------------------------------------------


def compare_on_doubles(case: Case, rng: np.random.Generator, count: int, scalars: int) -> list[str]:
    p = case.parameters
    values, bits = awkward(p, rng, count)
    numbers = values.tolist()
    expected = defined(p, numbers, bits)
    scalar, vector = ScalarSampler(p), VectorSampler(p)
    assert (scalar.filter is not None, vector.filter is not None) == (case.filtered, case.filtered)
    indices, floats = by_vector(vector, values, bits)
    return [
        *differences(expected, indices, numbers, bits),
        *differences(released(p, expected), floats, numbers, bits),
        *differences(expected[:scalars], by_scalar(scalar, numbers[:scalars], bits), numbers[:scalars], bits),
    ]


@pytest.mark.parametrize("name", CASES)
def test_vector_scalar_and_definition_agree_on_doubles(name):
    case = CASES[name]
    count = PER_CASE if case.filtered else PER_CASE_UNFILTERED
    assert not compare_on_doubles(case, seeded("doubles", name), count, PER_CASE_SCALAR)


def typed_values(p: Any, dtype: Any, rng: np.random.Generator, count: int) -> Array:
    if np.dtype(dtype).kind != "f":
        return awkward_integers(p, dtype, rng, count)
    largest = 3e38 if dtype is np.float32 else np.inf
    return np.clip(awkward_doubles(p, rng, count), -largest, largest).astype(dtype)


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        *itertools.product(TYPED_CASES, [np.float32, np.int64, np.uint64, np.int32]),
        *itertools.product(WIDE, [np.int64, np.uint64, np.float64]),
        *itertools.product(EXTREME, [np.float64]),
    ],
)
def test_vector_scalar_and_definition_agree_on_every_type_and_beyond_2_to_53(name, dtype):
    p, rng = {**CASES, **WIDE, **EXTREME}[name].parameters, seeded(dtype.__name__, name)
    values = typed_values(p, dtype, rng, PER_TYPE)
    assert not disagreements(p, values, HashedBits(random_words(rng, PER_TYPE)))


@pytest.mark.long
@pytest.mark.parametrize("name", CASES)
def test_vector_scalar_and_definition_agree_on_ten_million_doubles(name):
    case, seed = CASES[name], np.random.SeedSequence().entropy
    count = PER_CASE_LONG if case.filtered else 10 * PER_CASE_UNFILTERED
    rng = np.random.default_rng(seed)
    assert not compare_on_doubles(case, rng, count, count), f"seed {seed}"


@st.composite
def mechanisms(draw: Any) -> Case:
    """Return a mechanism with parameters nobody would choose."""
    rational = st.fractions(min_value=Fraction(1, 1000), max_value=1000, max_denominator=1000)
    factor = draw(st.sampled_from([1, 10, Fraction(1, 10), Fraction(72, 1000)]))
    unit = Fraction(2) ** draw(st.integers(-40, 40)) * factor
    lower = draw(st.fractions(min_value=-1000, max_value=1000, max_denominator=10))
    upper = lower + draw(st.fractions(min_value=Fraction(1, 100), max_value=10**4, max_denominator=100))
    constants = {"epsilon": draw(rational), "sensitivity": draw(rational) * unit, "lower": lower * unit}
    constants |= {"upper": upper * unit, "grid": draw(st.sampled_from(["natural", "fine"]))}
    kind = draw(st.sampled_from(["wide", "range", "notes", "proved"]))
    try:
        if kind in ("wide", "range"):
            case = exact(**constants, clamp=kind)
        else:
            case = finite(**constants, rule=kind, bits=draw(st.sampled_from([None, 64, 118, 160])))
    except SnapdpError:
        assume(False)
    steps = draw(st.sampled_from([None, None, Fraction(1, 10), Fraction(2, 3), 1, 3]))
    return case if steps is None else with_step(case, steps * case.parameters.data_grid)


@given(case=mechanisms(), seed=st.integers(0, 1 << 32))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_odd_parameters_make_no_difference_and_the_definition_equals_the_reference(case, seed):
    p, rng, count = case.parameters, np.random.default_rng(seed), 48
    values, bits = awkward(p, rng, count)
    assert not disagreements(p, values, bits)
    expected = defined(p, values.tolist(), bits)
    for i in np.flatnonzero(np.isfinite(values))[:12].tolist():
        inner = reference_inner(float(values[i]), p)
        assert reference_index(inner, p, *first_digits(bits, i), PLACED_DIGITS) == expected[i]


# Shapes, layouts and declared mechanisms


def assert_as_defined(m: Any, values: Any, numbers: Any, bits: Any, expected: Array | None = None) -> None:
    """Assert that the indices and releases of a declared mechanism are those of the definition, unless given."""
    expected = defined(m.parameters, numbers, bits) if expected is None else expected
    assert not differences(expected, index_with_bits(m, values, bits), numbers, bits)
    assert not differences(released(m.parameters, expected), release_with_bits(m, values, bits), numbers, bits)


LAYOUTS = {
    "every second": lambda a: a[::2],
    "backwards": lambda a: a[::-1],
    "rows of three": lambda a: a[: len(a) // 3 * 3].reshape(-1, 3),
    "columns first": lambda a: np.asfortranarray(a[: len(a) // 6 * 6].reshape(-1, 2, 3)),
    "a middle column": lambda a: a[: len(a) // 3 * 3].reshape(-1, 3)[:, 1],
    "transposed": lambda a: a[: len(a) // 4 * 4].reshape(4, -1).T,
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ["count, fine", "2**26 + 1 steps", "notes, sensitivity 1/10", "step 1/10"])
def test_layout_and_shape_change_nothing(layout, name):
    p, rng = CASES[name].parameters, seeded(layout, name)
    count = 2 * BLOCK + 1_000
    values = LAYOUTS[layout](awkward_doubles(p, rng, count))
    bits = HashedBits(fair_words(rng, values.size))
    sampler = VectorSampler(p)
    flat = values.flatten()
    plain_indices, plain_numbers = by_vector(sampler, flat, bits)
    same = differences(defined(p, flat[:2000].tolist(), bits), plain_indices[:2000], flat[:2000].tolist(), bits)
    indices = LAYOUTS[layout](np.zeros(count, np.int64))
    numbers = LAYOUTS[layout](np.full(count, np.nan))
    sampler.index(values, indices, bits)
    sampler.release(values, numbers, bits)
    assert not same
    assert not differences(plain_indices, indices.flatten(), flat.tolist(), bits)
    assert not differences(plain_numbers, numbers.flatten(), flat.tolist(), bits)


@pytest.mark.parametrize("size", [0, 1, 2, 31, 32, 33, SINGLE_LIMIT - 1, SINGLE_LIMIT, BLOCK - 1, BLOCK, BLOCK + 1])
def test_the_size_of_an_array_does_not_matter(size):
    m = declared(epsilon="0.5", sensitivity=1, lower=-10, upper=30)
    rng = seeded("size")
    values, bits = awkward_doubles(m.parameters, rng, BLOCK + 1)[:size], HashedBits(fair_words(rng, BLOCK + 1))
    expected = by_scalar(m._scalar, values.tolist(), bits)
    assert_as_defined(m, values, values.tolist(), bits, expected)


def test_lists_and_single_numbers_of_every_kind_agree_with_the_definition():
    m = declared(epsilon="0.5", sensitivity=1 << 9, lower=-(1 << 59), upper=1 << 59, grid=256, clamp="range")
    kinds = [(1 << 58) + 129, -(1 << 58) - 127, 1 << 70, Fraction(1, 3), Decimal("1e15"), -0.0, 0.1, math.inf]
    kinds += [np.float32(0.1), np.int64(-(1 << 62)), np.uint64((1 << 64) - 1), np.float64(-math.inf)]
    values = kinds * 5
    bits = HashedBits(fair_words(seeded("kinds"), len(values)))
    exact_values = [v.item() if isinstance(v, np.generic) else v for v in values]
    assert_as_defined(m, values, exact_values, bits)
    assert not differences(index_with_bits(m, values, bits), by_scalar(m._scalar, exact_values, bits), values, bits)


@pytest.mark.parametrize("dtype", ["f2", "g", ">f4", ">f8", "i1", "u1", "i2", ">i4", "u4", ">i8", ">u8"])
@pytest.mark.parametrize("finite_precision", [False, True])
@both_levels
def test_arrays_of_rare_types_agree_with_the_definition(dtype, finite_precision, limit, monkeypatch):
    monkeypatch.setattr(vector_module, "SINGLE_LIMIT", limit)
    arithmetic = FinitePrecision() if finite_precision else None
    m = declared(epsilon="0.5", sensitivity="1/3", lower=-10, upper=90, arithmetic=arithmetic)
    rng = seeded(dtype, finite_precision)
    kind = np.dtype(dtype).kind
    values = rng.uniform(0 if kind == "u" else -20, 110, 800).astype("g")
    values = (values / 3 if kind == "f" else values).astype(dtype)
    bits = HashedBits(random_words(rng, 800))
    numbers = [Fraction(*v.as_integer_ratio()) if dtype == "g" else v.item() for v in values]
    assert_as_defined(m, values, numbers, bits)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble])
@pytest.mark.parametrize("step", [None, "1/4"])
@both_levels
def test_infinite_values_of_every_float_type_are_clamped(dtype, step, limit, monkeypatch):
    monkeypatch.setattr(vector_module, "SINGLE_LIMIT", limit)
    m = declared(epsilon="0.5", sensitivity=1, lower=-10, upper=30, step=step)
    rng = seeded("infinite")
    values = rng.choice(np.array([-np.inf, np.inf, -1e4, 3.25], dtype), 500)
    bits = HashedBits(random_words(rng, 500))
    numbers = [float(v) for v in values]
    assert_as_defined(m, values, numbers, bits)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble])
@pytest.mark.parametrize("size", [20, 500])
@both_levels
def test_the_replacement_for_nan_is_the_same_number_in_every_float_type(dtype, size, limit, monkeypatch):
    monkeypatch.setattr(vector_module, "SINGLE_LIMIT", limit)
    m = declared(epsilon=1, sensitivity=Fraction(1, 1 << 30), lower=0, upper=1, nan="0.1")
    values, bits = np.full(size, np.nan, dtype), HashedBits(fair_words(seeded("nan"), size))
    assert_as_defined(m, values, [0.1] * size, bits)


# The exact way, forced -----------------------------------------------------------------------------------------------


def narrowed(f: Any, share: float) -> Any:
    """Return a filter that leaves this share of values in doubt."""
    return replaced(f, threshold=f.grid * (1 - share) / 2)


@pytest.mark.parametrize("share", one_in(3, [0.5, 0.02, 0.999]))
@pytest.mark.parametrize(
    "name", ["count, natural", "clamped to 500..1000", "2**51 steps", "notes, count", "step 1/10, off the lattice"]
)
def test_sending_more_values_the_exact_way_changes_nothing(name, share):
    p, rng, count = CASES[name].parameters, seeded(name, share), 3_000
    values = evenly_spread(p, rng, count)
    bits = HashedBits(fair_words(rng, count))
    expected = defined(p, values.tolist(), bits)
    scalar = ScalarSampler(p, filter=narrowed(ScalarSampler(p).filter, share))
    vector = VectorSampler(p, filter=narrowed(VectorSampler(p).filter, share))
    assert not disagreements(p, values, bits, expected=expected, scalar=scalar, vector=vector)
    if p.step is None:  # a step makes the values, hence the distances, lie on a lattice of their own
        bits.exact = 0
        by_scalar(scalar, values.tolist(), bits)
        assert abs(bits.exact - count * share) <= tolerance(count, share)
        bits.exact = 0
        vector.index(values, np.empty(count, np.int64), bits)
        assert abs(bits.exact - count * share) <= tolerance(count, share)


# The first level -----------------------------------------------------------------------------------------------------


def test_the_catalogue_has_every_kind_of_first_level():
    kinds = {name: VectorSampler(case.parameters).single for name, case in CASES.items()}
    single, double = ("count, natural", "clamped to 500..1000"), ("2**26 + 1 steps", "2**51 steps")
    for name, case in CASES.items():
        assert case.filtered or kinds[name] is None
    assert all(kinds[name].single_sums for name in single)
    assert not any(kinds[name].single_sums for name in (*double, "step 1/10", "notes, sensitivity 1/10"))
    assert kinds["grid 2**-29, noise of 2**29 steps"] is None  # noise of too many grid steps
    assert kinds["proved, grid 2**-29"] is None


def doubts(vector: VectorSampler, values: Array, bits: HashedBits) -> tuple[int, int]:
    """Return how many values the first level leaves in doubt, and how many of those go the exact way."""
    bits.seconds = bits.exact = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vector_module, "SINGLE_LIMIT", 0)
        vector.index(values, np.empty(len(values), np.int64), bits)
    return bits.seconds, bits.exact


def evenly_spread(p: Any, rng: np.random.Generator, count: int) -> Array:
    """Return values uniform over whole grid steps: so is then the distance of the sum from the nearest multiple."""
    start = math.ceil((p.lower - p.offset) / p.data_grid) * p.data_grid + p.offset
    steps = min(math.floor((p.upper - start) / p.data_grid), 1 << 20)
    return float(start) + rng.random(count) * steps * float(p.data_grid)


def tolerance(count: int, share: float) -> float:
    spread = math.log(2 / FALSE_ALARM)
    return math.sqrt(2 * count * share * (1 - share) * spread) + spread  # Bernstein's inequality


@pytest.mark.parametrize("name", ["count, natural", "count, fine", "2**26 + 1 steps", "noise of 16 grid steps"])
def test_the_first_level_leaves_no_more_in_doubt_than_its_bound_says(name):
    """A computed sum is off by less than beta grid steps, so in doubt are at most those nearer than 2 beta to a tie."""
    p, rng, count = CASES[name].parameters, seeded("share", name), 200_000
    values, bits = evenly_spread(p, rng, count), HashedBits(fair_words(rng, count))
    vector = VectorSampler(p)
    beta, small = 0.5 - vector.single.threshold / vector.single.grid, vector.single.smallest
    most, found = 4 * beta + small, doubts(vector, values, bits)[0]
    assert count * small - tolerance(count, small) <= found <= count * most + tolerance(count, most)


@pytest.mark.parametrize("second", one_in(2, [None, 0.02, 0.5, 0.999]))
@pytest.mark.parametrize("first", one_in(3, [0.5, 0.02, 0.999]))
@pytest.mark.parametrize(
    "name", ["count, natural", "clamped to 500..1000", "2**26 + 1 steps", "notes, sensitivity 1/10"]
)
def test_leaving_more_values_in_doubt_changes_nothing(name, first, second, monkeypatch):
    p, rng, count = CASES[name].parameters, seeded(name, first, second), 2_500
    values, bits = evenly_spread(p, rng, count), HashedBits(fair_words(rng, count))
    f, single = VectorSampler(p).filter, VectorSampler(p).single
    vector = VectorSampler(p, filter=f if second is None else narrowed(f, second), single=narrowed(single, first))
    expected = defined(p, values.tolist(), bits)
    assert not disagreements(p, values, bits, expected=expected, vector=vector)
    seconds, exact_ones = doubts(vector, values, bits)
    assert abs(seconds - count * first) <= tolerance(count, first)
    both = min(first, second or 0.0)  # the sums in doubt are those nearest to a boundary, at both levels
    assert abs(exact_ones - count * both) <= tolerance(count, both)
    monkeypatch.setattr(vector_module, "WAITING", 1)  # after every block
    assert not disagreements(p, values, bits, expected=expected, vector=vector)


def test_a_second_half_is_asked_for_once_and_only_where_there_is_doubt(monkeypatch):
    p, rng, count = CASES["count, natural"].parameters, seeded("once"), 50_000
    bits, asked = HashedBits(fair_words(rng, count)), []

    def second_halves(positions: Any) -> bytes:
        asked.extend(positions.tolist())
        return HashedBits.second_halves(bits, positions)

    monkeypatch.setattr(bits, "second_halves", second_halves)
    monkeypatch.setattr(vector_module, "WAITING", 5)
    VectorSampler(p).index(evenly_spread(p, rng, count), np.empty(count, np.int64), bits)
    assert 0 < len(asked) == len(set(asked)) < count / 500


# A wrong logarithm ---------------------------------------------------------------------------------------------------

FEW_STEPS = ["count, natural", "count, fine", "sensitivity 72/1000, 500..1000", "sensitivity 10**6, natural"]


def beside_boundaries(p: Any, rng: np.random.Generator, count: int, furthest: int, closest: int) -> tuple[Array, Any]:
    """Return values whose sum with the noise lies 2**-furthest to 2**-closest grid steps from a rounding boundary."""
    words = fair_words(rng, count)
    u = np.maximum(words & ((1 << 52) - 1), 1) * 2.0**-52
    noise = np.where(words >= 0, 1, -1) * np.log(u) * float(p.noise_scale / p.grid)
    distance = rng.choice([-1, 1], count) * 2.0 ** -rng.uniform(furthest, closest, count)
    lowest, highest = float(p.lower / p.grid), float(p.upper / p.grid)
    boundary = np.floor(rng.uniform(lowest, highest, count) + noise) + 0.5
    return (boundary + distance - noise) * float(p.grid), HashedBits(words)


def off_by(relative: float) -> tuple[Any, Any]:
    """Return numpy's and Python's logarithm, both wrong by a relative error."""

    def vector(x: Array, out: Array | None = None) -> Array:
        result = np.log(x, out=out)
        return np.multiply(result, 1 + relative, out=result)

    return vector, lambda x: math.log(x) * (1 + relative)


def with_log(p: Any, relative: float, **changes: Any) -> tuple[VectorSampler, ScalarSampler]:
    """Return both samplers with their normal filters (or changed ones) and a wrong logarithm."""
    vector_log, scalar_log = off_by(relative)
    return (
        VectorSampler(p, filter=replaced(VectorSampler(p).filter, **changes), log=vector_log),
        ScalarSampler(p, filter=replaced(ScalarSampler(p).filter, **changes), log=scalar_log),
    )


@pytest.mark.parametrize("name", FEW_STEPS)
@pytest.mark.parametrize("relative", first_of([2.0**-32, -(2.0**-32)]))
def test_a_logarithm_wrong_by_2_to_minus_32_changes_nothing(name, relative):
    p = CASES[name].parameters
    values, bits = beside_boundaries(p, seeded("log", name, relative), 6_000, 16, 38)
    numbers = values.tolist()
    expected = defined(p, numbers, bits)
    vector, scalar = with_log(p, relative)
    assert not disagreements(p, values, bits, expected=expected, scalar=scalar, vector=vector)
    # Teeth: the error does carry sums across boundaries; a filter without margin answers wrongly.
    careless, careless_scalar = with_log(p, relative, threshold=float(p.grid))
    assert differences(expected, by_vector(careless, values, bits)[0], numbers, bits)
    assert differences(expected, by_scalar(careless_scalar, numbers, bits), numbers, bits)


def single_off_by(relative: float) -> Any:
    """Return numpy's logarithm, wrong by a relative error for singles only."""

    def log(x: Array, out: Array | None = None) -> Array:
        result = np.log(x, out=out)
        return np.multiply(result, np.float32(1 + relative), out=result) if x.dtype == np.float32 else result

    return log


def with_single_log(p: Any, relative: float, **changes: Any) -> VectorSampler:
    normal = VectorSampler(p)
    single = replaced(normal.single, **changes)
    return VectorSampler(p, filter=normal.filter, single=single, log=single_off_by(relative))


@pytest.mark.parametrize("name", [*FEW_STEPS, "2**26 + 1 steps"])
@pytest.mark.parametrize("relative", first_of([-(2.0**-19), 2.0**-19]))
def test_a_logarithm_of_singles_wrong_by_2_to_minus_19_changes_nothing(name, relative):
    p = CASES[name].parameters
    values, bits = beside_boundaries(p, seeded("single log", name, relative), 20_000, 6, 24)
    numbers = values.tolist()
    expected = defined(p, numbers, bits)
    assert 2.0**-19 < float(SINGLE_LOG_ERROR) == 2.0**-18
    vector = with_single_log(p, relative)
    assert not differences(expected, by_vector(vector, values, bits)[0], numbers, bits)
    assert doubts(vector, values, bits)[0] < 0.9 * len(values)
    # Teeth: the error does carry sums across boundaries; a first level without margin answers wrongly.
    careless = with_single_log(p, relative, threshold=float(p.grid))
    assert differences(expected, two_level_index(careless, values, bits), numbers, bits)


def two_level_index(sampler: VectorSampler, values: Array, bits: Any) -> Array:
    indices = np.empty(len(values), np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vector_module, "SINGLE_LIMIT", 0)
        sampler.index(values, indices, bits)
    return indices


@pytest.mark.parametrize("relative", [2.0**-8, -(2.0**-8), 2.0**-18])
def test_a_wrong_logarithm_of_singles_is_refused_and_the_second_level_takes_over(relative):
    assert numpy_single_log_is_trusted(np.log)
    assert not numpy_single_log_is_trusted(single_off_by(relative))
    p, rng, count = CASES["count, fine"].parameters, seeded("refused singles"), 5_000
    vector = VectorSampler(p, log=single_off_by(relative))
    assert vector.single is None
    assert vector.filter == VectorSampler(p).filter
    values, bits = awkward(p, rng, count)
    assert not disagreements(p, values, bits, vector=vector)


@pytest.mark.parametrize("point", range(len(KNOWN_LOGARITHMS)))
def test_a_logarithm_of_singles_wrong_at_a_single_known_point_is_refused(point):
    x, known = KNOWN_LOGARITHMS[point]

    def log(argument: Any) -> Any:
        there = argument == np.float32(x)
        return np.log(argument) + there * np.float32(3 * KNOWN_SINGLE_LOG_TOLERANCE * (1 - known))

    assert not numpy_single_log_is_trusted(log)


@pytest.mark.parametrize("relative", [2.0**-14, -(2.0**-14), 2.0**-28, 2.0**-39])
def test_a_wrong_logarithm_is_refused_and_every_value_goes_the_exact_way(relative):
    vector_log, scalar_log = off_by(relative)
    assert numpy_log_is_trusted(np.log)
    assert logarithm_is_trusted(math.log)
    assert not numpy_log_is_trusted(vector_log)
    assert not logarithm_is_trusted(scalar_log)
    p, rng, count = CASES["count, fine"].parameters, seeded("refused"), 1_000
    values, bits = awkward(p, rng, count)
    with pytest.warns(UserWarning, match="every value goes the exact way"):
        vector = VectorSampler(p, log=vector_log)
    scalar = ScalarSampler(p, log=scalar_log)
    assert vector.filter is None
    assert scalar.filter is None
    assert not disagreements(p, values, bits, vector=vector, scalar=scalar)
    bits.exact = 0
    vector.index(values, np.empty(count, np.int64), bits)
    by_scalar(scalar, values.tolist(), bits)
    assert bits.exact == 2 * count


@pytest.mark.parametrize("point", range(len(KNOWN_LOGARITHMS)))
def test_a_logarithm_wrong_at_a_single_known_point_is_refused(point):
    x = KNOWN_LOGARITHMS[point][0]

    def log(argument: Any) -> Any:
        wrong = np.where(np.asarray(argument) == x, 1 + 2 * KNOWN_LOG_TOLERANCE, 1.0)
        return np.log(argument) * wrong - (x == 1.0) * (np.asarray(argument) == x) * 1e-300

    assert not numpy_log_is_trusted(log)
    assert not logarithm_is_trusted(lambda argument: float(log(argument)))


# Negative zero -------------------------------------------------------------------------------------------------------

AROUND_ZERO = {
    "-10..30": exact("0.5", 1, -10, 30, "natural"),
    "-1..1, fine": exact(1, 1, -1, 1),
    "clamped to 0..100": CASES["clamped to 0..100"],
    "clamped to -100..0": CASES["clamped to -100..0"],
    "noise below the grid": CASES["noise far below the grid"],
    "more than 2**26 steps": exact(1, 1, -(1 << 40), 1 << 40, 1, "range"),
    "notes": finite("0.5", 1, -8, 8, "notes"),
    "off the lattice": finite(1, "1/10", -10, 10, "proved"),
    "no filter": CASES["no power of two"],
    "step": with_step(exact("0.5", 1, -10, 30, "natural"), "1/10"),
}


@pytest.mark.parametrize("name", AROUND_ZERO)
@pytest.mark.parametrize("value", [0.3, -0.3, 0.0, -0.0, 5e-324, -5e-324])
def test_no_output_is_a_negative_zero(name, value, monkeypatch):
    p, rng, count = AROUND_ZERO[name].parameters, seeded(name, value), 10_000
    bits = HashedBits(fair_words(rng, count))
    scalar, vector = ScalarSampler(p), VectorSampler(p)
    few, many = np.full(600, value), np.full(count if vector.filter else 600, value)
    outputs = [np.array([scalar.release(value, bits, i) for i in range(600)]), vector_release(vector, many, bits)]
    outputs.append(vector_release(vector, np.full((2, 600), value)[1, ::-1], bits))
    if vector.filter is not None:
        all_exact = VectorSampler(p, filter=replaced(vector.filter, threshold=0.0))
        outputs.append(vector_release(all_exact, few, bits))
        monkeypatch.setattr(vector_module, "SINGLE_LIMIT", 0)
        outputs.append(vector_release(vector, many, bits))
    if value == 0.0 or abs(value) == 0.3:
        outputs.append(vector_release(vector, many.astype(np.float32), bits))
    for numbers in outputs:
        assert_positive_zeros(numbers)


def assert_positive_zeros(numbers: Array) -> None:
    zeros = numbers[numbers == 0.0]
    assert len(zeros) > 0
    assert not np.signbit(zeros).any()


def vector_release(sampler: VectorSampler, values: Array, bits: Any) -> Array:
    numbers = np.full(values.shape, np.nan)
    sampler.release(values, numbers, bits)
    return numbers


def test_no_output_of_an_integer_array_is_a_negative_zero():
    bits = HashedBits(fair_words(seeded("zero integers"), 3_000))
    for name in ("-10..30", "more than 2**26 steps", "clamped to -100..0"):
        for value in (-1, 0, 1):
            numbers = vector_release(VectorSampler(AROUND_ZERO[name].parameters), np.full(3_000, value), bits)
            assert_positive_zeros(numbers)


# The premise: logarithms ---------------------------------------------------------------------------------------------

NEAREST = gmpy2.context(precision=53, round=gmpy2.RoundToNearest)


def nearest_logarithms(points: Array) -> Array:
    """Return MPFR's correctly rounded logarithms of doubles."""
    log, mpfr = NEAREST.log, gmpy2.mpfr
    return np.fromiter((float(log(mpfr(x, 53))) for x in points.tolist()), np.float64, len(points))


def test_the_known_logarithms_are_the_nearest_doubles():
    points, known = np.array(KNOWN_LOGARITHMS).T
    assert not differences(nearest_logarithms(points), known + 0.0, points.tolist(), HashedBits(np.zeros(99, np.int64)))
    assert ((points * 2.0**52) % 1 == 0).all()
    assert len(set(points.tolist())) == len(points) >= 64


def logarithm_points(count: int) -> Array:
    """Return points k * 2**-52 of (0, 1): spread evenly, over all magnitudes, near 1, and near 15/16."""
    rng, each = seeded("logarithms"), count // 4
    even = rng.integers(1, 1 << 52, each)
    magnitudes = np.maximum(rng.integers(1, 1 << 52, each) >> rng.integers(0, 52, each), 1)
    near_one = (1 << 52) - magnitudes[::-1]
    switch = (15 << 48) + rng.integers(-(1 << 30), 1 << 30, each)
    points = np.concatenate([even, magnitudes, near_one, switch]) * 2.0**-52
    return points[(points > 0) & (points < 1)]


@pytest.mark.parametrize("count", [250_000, pytest.param(1_010_000, marks=pytest.mark.long)])
def test_the_logarithms_of_numpy_and_python_are_far_more_accurate_than_the_filter_needs(count):
    points = logarithm_points(count)
    assert len(points) >= count - 10_000
    nearest = nearest_logarithms(points)
    for name, found in (("np.log", np.log(points)), ("math.log", np.array([math.log(x) for x in points.tolist()]))):
        errors = np.abs(found - nearest) / -nearest + 2.0**-53  # MPFR's own rounding is at most 2**-53
        worst = int(errors.argmax())
        # 4 ulp is what numpy promises of its vectorised functions; the filter assumes 2**-40 at most.
        assert errors[worst] <= 4 * 2.0**-52, f"{name}: 2**{math.log2(errors[worst]):.2f} at {points[worst]!r}"
        assert KNOWN_LOG_TOLERANCE / errors[worst] >= 1000, f"{name}: 2**{math.log2(errors[worst]):.2f}"


def test_the_logarithm_of_every_single_is_far_more_accurate_than_the_first_level_needs():
    # Every argument from 2**-30, below which no u is accepted, to 1: all of 251 million singles.
    first, last = np.float32(2.0**-30).view(np.int32), np.float32(1.0).view(np.int32)
    worst = 0.0
    for start in range(int(first), int(last) + 1, 1 << 16):
        points = np.arange(start, min(start + (1 << 16), int(last) + 1), dtype=np.int32).view(np.float32)
        nearest = np.log(points.astype(np.float64))
        errors = np.abs(np.log(points) - nearest)
        worst = max(worst, float((errors / np.maximum(-nearest, 2.0**-3)).max()))
    # Relative to |ln u|, and to 1/8 near u = 1. What the budget allows is relative to the largest |ln u| accepted.
    assert worst <= 4 * 2.0**-23, f"2**{math.log2(worst):.2f}"
    assert float(SINGLE_LOG_ERROR) / worst >= 8
