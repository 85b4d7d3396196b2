"""Arrays and lists of every type and layout: same bits, same answers as one value at a time; little extra memory."""

from __future__ import annotations

import math
import tracemalloc
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from snapdp import FinitePrecision
from snapdp.mechanism.mechanism import Mechanism, declared, index_with_bits, release_with_bits
from snapdp.mechanism.sampling.vectors import BLOCK
from snapdp.randomness.bits import RecordedBits
from tests.unit import word_of_digits

FLOATS = ["f2", "f4", "f8", "g", ">f2", ">f4", ">f8"]
INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i2", ">i4", ">i8", ">u8"]
WORDS = np.random.default_rng(20260).integers(-(2**63), 2**63, 3 * BLOCK).tolist()  # recorded bits: any fixed ones do
MORE_WORDS = {i: [(word + 2**63) ^ 0x9E3779B97F4A7C15, 5, 0, 0] for i, word in enumerate(WORDS)}

MECHANISMS = {
    "exact": declared(epsilon="0.5", sensitivity=1, lower=10, upper=90, nan=50),
    "natural grid, range clamp": declared(
        epsilon=1, sensitivity=3, lower=-10, upper=30, grid="natural", clamp="range", nan=0
    ),
    "quantised": declared(epsilon=1, sensitivity=1, lower=20, upper=80, step="0.1", nan=70),
    "no filter": declared(epsilon="1e-6", sensitivity=1, lower=0, upper=1000, grid=Fraction(1, 2**24), nan=1),
    "finite, on the lattice": declared(
        epsilon=1, sensitivity=1, lower=0, upper=100, nan=50, arithmetic=FinitePrecision(rule="notes")
    ),
    "finite, off the lattice": declared(
        epsilon=1, sensitivity="1/3", lower=0, upper=100, nan=50, arithmetic=FinitePrecision()
    ),
}

mechanisms = pytest.mark.parametrize("m", MECHANISMS.values(), ids=MECHANISMS)


def bits() -> RecordedBits:
    return RecordedBits(WORDS, MORE_WORDS)


def bits_of(position: int) -> RecordedBits:
    """Return the bits of one position of a call, for a call of its own."""
    return RecordedBits([WORDS[position]], {0: MORE_WORDS[position]})


def numbers(count: int) -> list[int]:
    return [(37 * i + 5) % 101 for i in range(count)]


def one_by_one(m: Mechanism, values: Any) -> list[float]:
    """Return what single releases give with the same bits: the definition of what an array must give."""
    return [release_with_bits(m, v, bits_of(i)) for i, v in enumerate(values)]


def same(a: Any, b: Any) -> bool:
    """Bit for bit: -0.0 is not 0.0."""
    return np.asarray(a, "f8").tobytes() == np.asarray(b, "f8").tobytes()


def assert_possible_outputs(m: Mechanism, out: np.ndarray) -> None:
    """Every output is a multiple of the grid inside the clamp."""
    p = m.parameters
    for number in {float(x) for x in out.flat}:
        index = (Fraction(number) - p.offset) / p.data_grid
        if p.lattice is None:  # then the number printed is the nearest double of one of the outputs
            index = Fraction(round(index))
            assert number == p.released(int(index))
        assert index.denominator == 1
        assert p.low <= index <= p.high
        assert math.copysign(1.0, number) == 1.0 or number < 0


# Types


@mechanisms
@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
@pytest.mark.parametrize("size", [5, 60])
def test_every_type_gives_what_its_values_give_one_by_one(m, dtype, size):
    values = np.array(numbers(size)).astype(dtype)
    before = values.copy()
    out = release_with_bits(m, values, bits())
    assert out.dtype == np.float64
    assert out.shape == (size,)
    assert same(out, one_by_one(m, numbers(size)))
    indices = index_with_bits(m, values, bits())
    assert indices.dtype == np.int64
    assert same(out, [m.parameters.released(int(k)) for k in indices])
    assert_possible_outputs(m, out)
    assert values.dtype == before.dtype
    assert (values == before).all()


@mechanisms
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "g"])
@pytest.mark.parametrize("size", [5, 60])
def test_fractions_of_every_float_type_are_taken_as_stored(m, dtype, size):
    values = np.array(numbers(size), dtype) + np.dtype(dtype).type("0.1")
    stored = [Fraction(*x.as_integer_ratio()) for x in values]
    assert same(release_with_bits(m, values, bits()), one_by_one(m, stored))


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "u2"])
@pytest.mark.parametrize("clamp", ["wide", "range"])
@pytest.mark.parametrize(("lower", "upper"), [(500, 1000), (-1000, -500), ("500.3", "500.4")])
def test_a_range_away_from_zero_is_like_any_other(dtype, clamp, lower, upper):
    m = declared(epsilon="0.3", sensitivity=1, lower=lower, upper=upper, clamp=clamp)
    values = np.linspace(450, 1050, 60) * (1 if m.parameters.upper > 0 or dtype == "u2" else -1)
    stored = values.astype(dtype)
    out = release_with_bits(m, stored, bits())
    assert same(out, one_by_one(m, stored.tolist()))
    assert_possible_outputs(m, out)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "g"])
@pytest.mark.parametrize("size", [5, 60])
@mechanisms
def test_nan_is_replaced_by_the_public_value(m, dtype, size):
    values = np.array(numbers(size)).astype(dtype)
    values[::3] = np.nan
    before = values.copy()
    filled = [float(m._nan) if i % 3 == 0 else n for i, n in enumerate(numbers(size))]
    assert same(release_with_bits(m, values, bits()), one_by_one(m, filled))
    assert before.tobytes() == values.tobytes()


@pytest.mark.parametrize(
    "dtype",
    [
        "f2",
        "f4",
        "f8",
    ],
)
def test_the_replacement_of_nan_is_not_rounded_to_the_type_of_the_array(dtype):
    m = declared(epsilon=1, sensitivity=1, lower=0, upper=200_000, nan=70_000)  # 70000 is beyond float16
    values = np.full(60, np.nan, dtype)
    assert same(release_with_bits(m, values, bits()), one_by_one(m, [70_000] * 60))


def test_integers_at_the_ends_of_their_types_are_clamped():
    m = MECHANISMS["exact"]
    for dtype in ("i1", "i2", "i4", "i8", "u8"):
        ends = [int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)] * 30
        assert same(release_with_bits(m, np.array(ends, dtype), bits()), one_by_one(m, ends))


# Layouts


def layouts(values: np.ndarray) -> dict[str, np.ndarray]:
    """The same numbers in the same C order of a 3 x 4 x 5 array, laid out in memory in many ways."""
    cube = values.reshape(3, 4, 5)
    wide = np.zeros((3, 8, 5), values.dtype)
    wide[:, ::2] = cube
    backward = np.ascontiguousarray(cube[::-1, :, ::-1])[::-1, :, ::-1]
    padded = np.zeros((4, 5, 7), values.dtype)
    padded[1:, 1:, 1:6] = cube
    record = np.zeros((3, 4, 5), [("pad", "u1"), ("x", values.dtype)])
    record["x"] = cube
    read_only = cube.copy()
    read_only.flags.writeable = False
    return {
        "C": cube,
        "F": np.asfortranarray(cube),
        "transposed": np.ascontiguousarray(cube.transpose(2, 0, 1)).transpose(1, 2, 0),
        "strided": wide[:, ::2],
        "reversed": backward,
        "window": padded[1:, 1:, 1:6],
        "unaligned field": record["x"],
        "read only": read_only,
        "subclass": cube.view(np.memmap),
    }


@mechanisms
@pytest.mark.parametrize("dtype", ["f4", "f8", "i8", ">f8"])
def test_every_layout_gives_the_same_answers_in_the_same_order(m, dtype):
    values = np.array(numbers(60)).astype(dtype)
    expected = one_by_one(m, numbers(60))
    for name, laid_out in layouts(values).items():
        out = release_with_bits(m, laid_out, bits())
        assert out.shape == (3, 4, 5), name
        assert same(out, expected), name
        assert (index_with_bits(m, laid_out, bits()).ravel() == index_with_bits(m, values, bits())).all(), name


@mechanisms
def test_every_layout_of_out_receives_the_same_answers(m):
    values = np.array(numbers(60), "f8").reshape(3, 4, 5)
    for method, dtype in ((release_with_bits, "f8"), (index_with_bits, "i8")):
        expected = method(m, values, bits())
        for name, out in layouts(np.zeros(60, dtype)).items():
            if out.flags.writeable:
                assert method(m, values, bits(), out=out) is out, name
                assert (out == expected).all(), name


def test_out_is_filled_and_returned_itself():
    m = MECHANISMS["exact"]
    for size in (5, 60):
        values, out, indices = np.full(size, 50.0), np.full(size, -1e9), np.full(size, -(10**9))
        assert m.release(values, out=out) is out
        assert m.release_index(values, out=indices) is indices
        assert_possible_outputs(m, out)
        assert ((m.parameters.low <= indices) & (indices <= m.parameters.high)).all()


def test_out_may_lie_between_the_values_where_no_memory_is_shared():
    m, base = MECHANISMS["exact"], np.zeros(120)
    base[::2] = numbers(60)
    release_with_bits(m, base[::2], bits(), out=base[1::2])
    assert same(base[1::2], one_by_one(m, numbers(60)))
    assert same(base[::2], numbers(60))


def test_an_out_for_a_list_and_for_a_single_number():
    m = MECHANISMS["exact"]
    out = np.empty((2, 2))
    assert release_with_bits(m, [[1, 2], [3, 4]], bits(), out=out) is out
    assert same(out, one_by_one(m, [1, 2, 3, 4]))
    zero_dimensional = np.empty(())
    assert release_with_bits(m, 50.0, bits(), out=zero_dimensional) is zero_dimensional
    assert same(zero_dimensional, one_by_one(m, [50.0]))


@mechanisms
def test_arrays_of_several_blocks_go_on_where_the_last_block_ended(m):
    size = 2 * BLOCK + 5 if m.parameters.lattice and m._scalar.filter else 300
    values = np.resize(np.array(numbers(101), "f8"), size)
    out = release_with_bits(m, values, bits())
    spread = np.zeros(2 * size)
    spread[::2] = values
    assert same(release_with_bits(m, spread[::2], bits()), out)
    assert same(release_with_bits(m, values.astype("i4"), bits()), out)
    sample = [*range(40), *range(size - 40, size), *range(max(0, size // 2 - 20), size // 2 + 20)]
    for i in sample:
        assert out[i] == release_with_bits(m, float(values[i]), bits_of(i))
    assert_possible_outputs(m, out)


# Lists


@pytest.mark.parametrize(
    ("nested", "shape"),
    [
        ([[1, 2.5], [3, Fraction(1, 2)]], (2, 2)),
        ([[[1], [2]], [[3], [4]], [[5], [2**80]]], (3, 2, 1)),
        ([], (0,)),
        ([[], []], (2, 0)),
        ([(1, 2), [3, 4]], (2, 2)),
        ([np.array([1.0, 2.0]), np.array([3.0, 4.0])], (2, 2)),
        ([[float(n)] * 4 for n in range(10)], (10, 4)),
    ],
)
def test_a_nested_list_keeps_its_shape(nested, shape):
    m = MECHANISMS["exact"]
    out = release_with_bits(m, nested, bits())
    assert out.shape == shape
    assert same(out, one_by_one(m, np.array(nested, object).ravel()))


def test_a_list_with_infinities_and_replaced_nan():
    m = MECHANISMS["exact"]
    values = [math.inf, -math.inf, math.nan, Decimal("NaN"), Decimal("-Infinity"), 2**70, Fraction(1, 3)]
    clear = [math.inf, -math.inf, 50, 50, -math.inf, 2**70, Fraction(1, 3)]
    assert same(release_with_bits(m, values, bits()), one_by_one(m, clear))


WIDE = declared(epsilon=1, sensitivity=2**24, lower=0, upper=2**61, grid=2**20)
BELOW_A_TIE = 2**60 + 2**19 - 1  # as a double it would be 2**60 + 2**19, a tie, and go up


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    "values",
    [
        [BELOW_A_TIE],
        [BELOW_A_TIE, 0.5],
        [BELOW_A_TIE, Fraction(1, 3)],
        [BELOW_A_TIE] * 60,
        [BELOW_A_TIE] * 60 + [0.5],
        np.array([BELOW_A_TIE]),
        np.array([BELOW_A_TIE] * 60),
        np.array([BELOW_A_TIE] * 60, "u8"),
        np.array([BELOW_A_TIE] * 60, ">i8"),
    ],
    ids=lambda v: f"{type(v).__name__} of {len(v)}",
)
def test_a_large_integer_is_never_rounded_to_a_double_on_the_way_in(values, sign):
    # U = 1 - 2**-63, so the noise is below 2**-38 and the index is that of the value.
    quiet = RecordedBits([word_of_digits([1] * 63, sign)] * len(values), {i: [0] * 8 for i in range(len(values))})
    assert index_with_bits(WIDE, values, quiet)[0] == 2**40
    rounded = index_with_bits(WIDE, float(BELOW_A_TIE), quiet)
    assert rounded == 2**40 + (sign < 0)  # a tie: the noise decides


@pytest.mark.parametrize("dtype", ["i8", "u8", ">i8", "list"])
def test_a_large_integer_is_not_rounded_where_the_noise_would_carry_the_double_over_the_tie(dtype):
    # The doubles next to the value are 256 apart: it would become the tie itself. Noise of +50 leaves the value 50
    # below the tie, and would bring the double 50 above it, far beyond what any filter leaves in doubt.
    value = 2**60 + 2**19 - 100
    values = [value] * 60 if dtype == "list" else np.array([value] * 60, dtype)
    digits = [int(digit) for digit in f"{2**24 - 50:024b}"] + [0] * 39  # U = 1 - 50/2**24, noise scale 2**24
    noise = RecordedBits([word_of_digits(digits, -1)] * 60)
    assert set(index_with_bits(WIDE, values, noise).tolist()) == {2**40}
    assert index_with_bits(WIDE, float(value), noise) == 2**40 + 1


@mechanisms
def test_values_in_doubt_are_decided_as_one_by_one(m):
    # Tiny U: beyond what the filter accepts, so that every value of the array goes the exact way.
    words = [word_of_digits([0] * (45 + i % 18) + [1] * (18 - i % 18), (-1) ** i) for i in range(60)]
    values = np.array(numbers(60), "f8")
    expected = [
        release_with_bits(m, v, RecordedBits([w], {0: MORE_WORDS[3]})) for v, w in zip(values, words, strict=True)
    ]
    assert same(release_with_bits(m, values, RecordedBits(words, dict.fromkeys(range(60), MORE_WORDS[3]))), expected)


# Memory


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8"])
@pytest.mark.parametrize("name", ["exact", "finite, on the lattice"])
def test_a_release_into_out_needs_two_megabytes_whatever_the_size(name, dtype):
    m = MECHANISMS[name]
    m.release(np.zeros(BLOCK, dtype), out=np.empty(BLOCK))
    for size in (1_000_000, 4_000_000):
        values, out = np.full(size, 50, dtype), np.empty(size)
        tracemalloc.start()
        try:
            m.release(values, out=out)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak <= 2_000_000


def test_the_memory_test_sees_a_copy_of_the_values():
    values, out = np.full(1_000_000, 50, ">f8"), np.empty(1_000_000)
    tracemalloc.start()
    try:
        MECHANISMS["exact"].release(values, out=out)  # foreign byte order is copied to the native one first
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak > 2_000_000
