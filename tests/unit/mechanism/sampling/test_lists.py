"""Plain lists are converted to an array at once, and nothing but the time can tell."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from snapdp.errors import DataError
from snapdp.mechanism.mechanism import Mechanism, declared, index_with_bits, release_with_bits
from snapdp.randomness.bits import RecordedBits
from tests.tiers import first_of


def one_by_one(m, values, words):
    """Return what each value gives alone, with the bits of its own position."""
    flat = np.array(values, dtype=object).reshape(-1)
    return [release_with_bits(m, v, RecordedBits([word])) for v, word in zip(flat.tolist(), words, strict=True)]


LISTS = {
    "floats": [0.1, -0.0, 1e308, 5e-324, 412.25],
    "floats and infinities": [math.inf, -math.inf, 3.5, 0.5],
    "ints": [0, -7, 412, 1000, 2**53 + 1, -(2**53) - 1],
    "ints beyond 64 bits": [2**63, -(2**63) - 1, 2**64, 10**30, 3],
    "an int beyond the doubles": [10**400, -(10**400), 5, 7.25],
    "mixed": [1, 2.5, 2**60 + 1, 0.1],
    "fractions": [Fraction(1, 3), 2, 0.1],
    "decimals": [Decimal("0.1"), 0.1, 5],
    "nested": [[1, 2.5], [3.5, 4]],
    "numpy scalars": [np.float64(0.1), np.int32(4), 3],
}
CLAMPS = {
    "small": {"lower": 0, "upper": 1000},
    "up to 2**53": {"lower": -(2**53), "upper": 2**53, "grid": 4, "clamp": "range"},
    "beyond 2**53": {"lower": -(2**60), "upper": 2**60, "grid": 2**10},
}


@pytest.mark.parametrize("values", LISTS.values(), ids=LISTS.keys())
@pytest.mark.parametrize("clamp", CLAMPS.values(), ids=CLAMPS.keys())
@pytest.mark.parametrize("times", [1, 9])
def test_a_list_gives_what_its_values_give_one_by_one(values, clamp, times):
    m = declared(epsilon="0.5", sensitivity=1, **clamp)
    repeated = values * times  # nine times: the vector path
    words = [random.Random(i).getrandbits(64) - 2**63 for i in range(np.array(repeated, dtype=object).size)]
    found = release_with_bits(m, repeated, RecordedBits(words))
    assert found.dtype == np.float64
    assert list(map(float.hex, found.reshape(-1).tolist())) == list(map(float.hex, one_by_one(m, repeated, words)))


@pytest.mark.parametrize("wrong", [True, "1", None, 1j, np.bool_(True)])
@pytest.mark.parametrize("others", [[1.5, 2.5], [1, 2], [1, 2.5]])
def test_a_list_with_something_else_among_its_numbers_is_refused(wrong, others):
    m = declared(epsilon="0.5", sensitivity=1, lower=0, upper=1000)
    for values in ([*others, wrong], [wrong, *others]):
        with pytest.raises(DataError, match="is not a real number"):
            m.release(values)


@pytest.mark.parametrize("others", [[1.5] * 40, [1, 2.5]])
def test_nan_in_a_list_is_refused_or_replaced(others):
    values = [*others, math.nan]
    with pytest.raises(DataError, match="contain NaN"):
        declared(epsilon="0.5", sensitivity=1, lower=0, upper=1000).release(values)
    m = declared(epsilon="0.5", sensitivity=1, lower=0, upper=1000, nan=7)
    words = list(range(10**9, 10**9 + len(values)))
    found = release_with_bits(m, values, RecordedBits(words))
    assert found.tolist() == one_by_one(m, [*others, 7], words)


@pytest.mark.parametrize("nothing", [[], (), [[]]])
def test_an_empty_list_gives_an_empty_array(nothing):
    assert declared(epsilon="0.5", sensitivity=1, lower=0, upper=1000).release(nothing).size == 0


# One definition: value i of a list is what a release of that element alone takes, whatever else is in the list.


def drawn_mechanism(rng: random.Random) -> Mechanism:
    """Return a mechanism with bounds on and off its step, near zero and beyond 2**53."""
    width = Fraction(rng.choice([1, 3, 10, Fraction(1, 3), Fraction(7, 8), 2**40 + 1, 2**54]))
    step = rng.choice([None, width, width / rng.choice([2, 3, 5])])
    lower = rng.choice([0, -5, 6, 2**53 - 40, 2**55, -(2**60)]) + Fraction(rng.randrange(8), rng.choice([1, 2, 7]))
    size = width * rng.choice([4, 100, 1001]) + Fraction(rng.randrange(1, 50), rng.choice([1, 4, 9]))
    furthest = max(abs(lower), abs(lower + size))
    grid = Fraction(2) ** max(-3, int(furthest).bit_length() - 46)
    return declared(epsilon=1, sensitivity=width, lower=lower, upper=lower + size, step=step, grid=grid, nan=None)


def drawn_numbers(m: Mechanism, rng: random.Random) -> Iterator[Fraction]:
    """Yield numbers in and around the public range: among them ties of the step, and both sides of every end."""
    p = m.parameters
    step = p.step or p.data_grid
    while True:
        near = rng.choice([p.lower, p.upper, *p.value_clamp, p.lower + (p.upper - p.lower) * Fraction(rng.random())])
        moved = rng.choice([0, rng.randint(-3, 3), step / 2, -step / 2, step * Fraction(rng.uniform(-2, 2)), step])
        tie = (math.floor((near + moved) / step) + Fraction(1, 2)) * step
        yield rng.choice(
            [near + moved, tie, tie - 1, tie + 1, Fraction(rng.choice([-1, 1]) * 10 ** rng.randint(1, 30))]
        )


KINDS = {
    "ints": lambda x: int(x),
    "floats": lambda x: float(x),
    "fractions": lambda x: x,
    "decimals": lambda x: Decimal(int(x * 1000)).scaleb(-3),
    "numpy floats": lambda x: np.float64(float(x)),
    "numpy singles": lambda x: np.float32(float(x)),
    "numpy ints": lambda x: np.int64(min(max(int(x), -(2**63)), 2**63 - 1)),
    "numpy unsigned ints": lambda x: np.uint64(min(max(int(x), 0), 2**64 - 1)),
}
MIXTURES = [*([kind] for kind in KINDS), ["ints", "floats"], ["ints", "fractions"], ["ints", "numpy ints"], [*KINDS]]
QUIET = [1 << 62, (1 << 62) - (1 << 63), (1 << 52) - 1, (1 << 52) - 1 - (1 << 63)]  # little noise: the value decides


@pytest.mark.parametrize("seed", first_of(range(120), 40))
def test_a_list_an_array_and_single_values_give_the_same_indices(seed):
    rng = random.Random(seed)
    m = drawn_mechanism(rng)
    numbers = drawn_numbers(m, rng)
    for kinds in MIXTURES:
        values = [KINDS[rng.choice(kinds)](next(numbers)) for _ in range(rng.choice([3, 40]))]
        words = [rng.choice([*QUIET, rng.getrandbits(64) - 2**63]) for _ in values]
        more = {i: [rng.getrandbits(64) for _ in range(8)] for i in range(len(values))}
        alone = [index_with_bits(m, v, RecordedBits([words[i]], {0: more[i]})) for i, v in enumerate(values)]
        assert index_with_bits(m, values, RecordedBits(words, more)).tolist() == alone, kinds
        assert index_with_bits(m, [[v] for v in values], RecordedBits(words, more)).reshape(-1).tolist() == alone
        array = np.array(values)  # where it holds the values exactly: numpy itself rounds ints of both signs
        if array.dtype.kind in "fiu" and len(set(map(type, values))) == 1 and array.tolist() == values:
            assert index_with_bits(m, array, RecordedBits(words, more)).tolist() == alone, kinds
            assert index_with_bits(m, [array], RecordedBits(words, more)).reshape(-1).tolist() == alone, kinds


def test_an_integer_is_quantised_before_it_is_clamped_whatever_else_is_in_the_list():
    m = declared(epsilon=1, sensitivity=10, lower=6, upper=1000, step=10)
    for first in (5, 15):
        bits = RecordedBits([(1 << 52) - 1] * 2, {0: [1] * 9, 1: [1] * 9})  # next to no noise
        assert index_with_bits(m, [first, Fraction(7)], bits)[0] == index_with_bits(m, first, bits)


def test_an_integer_is_not_rounded_before_it_is_quantised():
    t = 3_200_000_000_000_000
    m = declared(epsilon=1, sensitivity=2 * t, lower=0, upper=2**53, step=2 * t)
    bits = RecordedBits([(1 << 52) - 1], {0: [1] * 9})
    assert index_with_bits(m, [3 * t - 1], bits)[0] == index_with_bits(m, 3 * t - 1, bits)


# Columns of other libraries: cells and missing cells are read as they are.

LARGE = 2**55 + 3


def columns(cells):
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    return {
        "pandas Int64": pd.Series(cells, dtype="Int64"),
        "pandas array": pd.array(cells, dtype="Int64"),
        "pandas index": pd.Index(pd.array(cells, dtype="Int64")),
        "pandas by pyarrow": pd.Series(cells, dtype="int64[pyarrow]"),
        "pandas decimals": pd.Series(pa.array([c and Decimal(c) for c in cells]).to_pandas(types_mapper=pd.ArrowDtype)),
        "polars": pl.Series(cells, dtype=pl.Int64),
        "pyarrow": pa.array(cells, pa.int64()),
        "pyarrow chunks": pa.chunked_array([pa.array(cells, pa.int64())]),
    }


@pytest.mark.parametrize("missing", [True, False])
@pytest.mark.parametrize("count", [1, 40])
@pytest.mark.parametrize("name", columns([1]))
def test_a_large_integer_in_a_column_with_missing_cells_is_not_rounded(name, count, missing):
    low = 2**55
    m = declared(epsilon="1/8", sensitivity=2, lower=low, upper=low + 64, grid=16, nan=low)
    cells = [LARGE, LARGE + 2] * count + ([None] if missing else [])
    words = [random.Random(i).getrandbits(64) - 2**63 for i in range(len(cells))]
    expected = index_with_bits(m, [low if c is None else c for c in cells], RecordedBits(words)).tolist()
    column = columns(cells)[name]
    assert index_with_bits(m, column, RecordedBits(words)).tolist() == expected
    assert index_with_bits(m, [column], RecordedBits(words)).tolist() == [expected]
    if missing:
        with pytest.raises(DataError, match="contain NaN"):
            declared(epsilon="1/8", sensitivity=2, lower=low, upper=low + 64, grid=16).release(column)


def test_columns_of_floats_and_of_numpy_types_are_taken_as_they_are():
    import pandas as pd
    import polars as pl

    m = declared(epsilon=1, sensitivity=1, lower=0, upper=100, nan=50)
    words = list(range(10**9, 10**9 + 3))
    expected = index_with_bits(m, [1.5, math.nan, 3], RecordedBits(words)).tolist()
    for cells in ([1.5, None, 3.0],):
        for column in (
            pd.Series(cells),
            pd.Series(cells, dtype="Float64"),
            pd.Series(cells, dtype="double[pyarrow]"),
            pl.Series(cells),
            pd.DataFrame({"x": cells})["x"],
        ):
            assert index_with_bits(m, column, RecordedBits(words)).tolist() == expected
    assert index_with_bits(m, pd.DataFrame({"x": [1.5, None, 3.0]}), RecordedBits(words)).tolist() == [
        [k] for k in expected
    ]


def test_columns_that_hold_no_real_numbers_are_refused():
    import pandas as pd
    import polars as pl

    m = declared(epsilon=1, sensitivity=1, lower=0, upper=100, nan=50)
    for column in (
        pd.Series([True, None], dtype="boolean"),
        pd.Series(["1", None], dtype="string"),
        pd.Series([2**60, None], dtype=object),
        pl.Series([True, None]),
        pl.Series(["1"]),
        pl.Series([[1, 2], [3]]),
    ):
        with pytest.raises(DataError, match=r"real number|ragged"):
            m.release(column)


def test_a_table_whose_columns_would_be_rounded_to_one_type_is_refused():
    import pandas as pd
    import polars as pl

    m = declared(epsilon=1, sensitivity=1, lower=0, upper=100, nan=50)
    for table in (pd.DataFrame({"x": [2**60 + 1], "y": [0.5]}), pl.DataFrame({"x": [2**60 + 1], "y": [0.5]})):
        with pytest.raises(DataError, match="rounded to one type"):
            m.release(table)


def test_a_masked_array_in_a_list_is_refused_as_it_is_by_itself():
    m = declared(epsilon=1, sensitivity=1, lower=0, upper=100, nan=50)
    masked = np.ma.array([1.0, 2.0], mask=[True, False])
    for values in ([masked], [[1.0, 2.0], masked], ([masked, masked],), [np.ma.array(1.0, mask=True), 2.0]):
        with pytest.raises(DataError, match="masked"):
            m.release(values)


@pytest.mark.parametrize("depth", [33, 64, 65, 100, 5000])
def test_a_list_of_too_many_levels_is_refused(depth):
    nested = [1.0]
    for _ in range(depth - 1):
        nested = [nested]
    with pytest.raises(DataError, match="levels"):
        declared(epsilon=1, sensitivity=1, lower=0, upper=100).release(nested)
    itself: list = []
    itself.append(itself)
    with pytest.raises(DataError, match="levels"):
        declared(epsilon=1, sensitivity=1, lower=0, upper=100).release(itself)
