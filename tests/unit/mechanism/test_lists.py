"""Plain lists are converted to an array at once, and nothing but the time can tell."""

from __future__ import annotations

import math
import random
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from snapdp import Snapping
from snapdp.errors import DataError
from snapdp.mechanism.snapping import release_with_bits
from snapdp.randomness.bits import RecordedBits


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
    m = Snapping(epsilon="0.5", sensitivity=1, **clamp)
    repeated = values * times  # nine times: the vector path
    words = [random.Random(i).getrandbits(64) - 2**63 for i in range(np.array(repeated, dtype=object).size)]
    found = release_with_bits(m, repeated, RecordedBits(words))
    assert found.dtype == np.float64
    assert list(map(float.hex, found.reshape(-1).tolist())) == list(map(float.hex, one_by_one(m, repeated, words)))


@pytest.mark.parametrize("wrong", [True, "1", None, 1j, np.bool_(True)])
@pytest.mark.parametrize("others", [[1.5, 2.5], [1, 2], [1, 2.5]])
def test_a_list_with_something_else_among_its_numbers_is_refused(wrong, others):
    m = Snapping(epsilon="0.5", sensitivity=1, lower=0, upper=1000)
    for values in ([*others, wrong], [wrong, *others]):
        with pytest.raises(DataError, match="is not a real number"):
            m.release(values)


@pytest.mark.parametrize("others", [[1.5] * 40, [1, 2.5]])
def test_nan_in_a_list_is_refused_or_replaced(others):
    values = [*others, math.nan]
    with pytest.raises(DataError, match="contain NaN"):
        Snapping(epsilon="0.5", sensitivity=1, lower=0, upper=1000).release(values)
    m = Snapping(epsilon="0.5", sensitivity=1, lower=0, upper=1000, nan=7)
    words = list(range(10**9, 10**9 + len(values)))
    found = release_with_bits(m, values, RecordedBits(words))
    assert found.tolist() == one_by_one(m, [*others, 7], words)


@pytest.mark.parametrize("nothing", [[], (), [[]]])
def test_an_empty_list_gives_an_empty_array(nothing):
    assert Snapping(epsilon="0.5", sensitivity=1, lower=0, upper=1000).release(nothing).size == 0
