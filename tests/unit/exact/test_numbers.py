"""Numbers come in as what they print (parameters) or store (data), and leave as doubles in a named direction."""

from __future__ import annotations

import math
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from snapdp import DataError, ParameterError
from snapdp.exact.numbers import (
    datum,
    parameter,
    positive,
    probability,
    ratio_down,
    ratio_up,
    ratios_down,
    ratios_up,
    to_float_down,
    to_float_nearest,
    to_float_up,
)

PROPERTY = settings(deadline=None, max_examples=300)
LARGEST = Fraction(sys.float_info.max)
LEAST = Fraction(1, 1 << 1074)

finite_doubles = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def rationals(draw):
    """Rationals of every size: inside, below and beyond the doubles, on and between them."""
    number = Fraction(draw(st.integers(-(10**20), 10**20)), draw(st.integers(1, 10**6)))
    return number * Fraction(2) ** draw(st.integers(-1200, 1100))


# What a parameter means


@pytest.mark.parametrize(
    "written",
    [
        0.1,
        "0.1",
        "1/10",
        "1e-1",
        " 0.1 ",
        "0.10",
        Decimal("0.1"),
        Fraction(1, 10),
        np.float64(0.1),
        np.float32(0.1),
        np.float16(0.1),
        np.longdouble("0.1"),
        np.array(0.1),
    ],
    ids=repr,
)
def test_a_tenth_is_one_tenth_however_it_is_written(written):
    assert parameter(written, name="epsilon") == Fraction(1, 10)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("1/3", Fraction(1, 3)),
        ("-7/2", Fraction(-7, 2)),
        (3, Fraction(3)),
        (2**80 + 1, Fraction(2**80 + 1)),
        (np.int8(-5), Fraction(-5)),
        (np.uint64(2**64 - 1), Fraction(2**64 - 1)),
        (1e300, Fraction(10**300)),
        (5e-324, Fraction(5, 10**324)),
        ("1e-400", Fraction(1, 10**400)),
        (Decimal("1e-400"), Fraction(1, 10**400)),
        (-0.0, Fraction(0)),
        (0.30000000000000004, Fraction(30000000000000004, 10**17)),
    ],
)
def test_a_parameter_is_the_rational_it_prints_as(written, meant):
    assert parameter(written, name="epsilon") == meant


@PROPERTY
@given(x=finite_doubles)
@example(x=5e-324)
@example(x=sys.float_info.max)
def test_a_double_and_its_text_are_the_same_parameter_and_round_back_to_the_double(x):
    number = parameter(x, name="epsilon")
    assert number == parameter(str(x), name="epsilon") == parameter(Decimal(str(x)), name="epsilon")
    assert to_float_nearest(number) == x


@PROPERTY
@given(x=st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_a_float32_parameter_is_a_decimal_nearer_to_it_than_to_its_neighbours(x):
    number, stored = parameter(np.float32(x), name="epsilon"), Fraction(x)
    for direction in (-np.inf, np.inf):
        with np.errstate(all="ignore"):
            neighbour = float(np.nextafter(np.float32(x), np.float32(direction)))
        if math.isfinite(neighbour):
            assert abs(number - stored) <= abs(number - Fraction(neighbour))


# What is no parameter


@pytest.mark.parametrize(
    "given_value",
    [
        math.nan,
        math.inf,
        -math.inf,
        "nan",
        "inf",
        "abc",
        "",
        " ",
        "1/0",
        "0/0",
        "1//2",
        "0x10",
        "1/1e5",
        "9" * 5000,
        True,
        False,
        1j,
        complex(1, 0),
        None,
        b"0.1",
        [1],
        (1,),
        {},
        object,
        Decimal("NaN"),
        Decimal("sNaN"),
        Decimal("Infinity"),
        np.float32("nan"),
        np.float64("inf"),
        np.longdouble("inf"),
        np.bool_(True),
        np.complex64(1),
        np.datetime64(5, "s"),
        np.timedelta64(5, "s"),
        np.array([0.1]),
        np.array([0.1, 0.2]),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_what_is_not_a_finite_number_is_refused_by_name(given_value):
    with pytest.raises(ParameterError, match="epsilon"):
        parameter(given_value, name="epsilon")


BOMBS = [
    '"1e999999999"',
    '"-1E+999999999"',
    '"1e-999999999"',
    '"1e9_999_999_999 "',
    '"0e999999999"',
    'Decimal("1e999999999")',
    'Decimal("1e-999999999")',
    'Decimal("0e999999999")',
    'Decimal("123456789e999999999")',
    'numpy.str_("1e999999999")',
    '"1e\\u0669\\u0669\\u0669\\u0669\\u0669\\u0669\\u0669\\u0669\\u0669"',  # digits of another script
    'numpy.array("1e999999999")',
]
REFUSAL_OF_A_BOMB = """
import resource
import numpy
from decimal import Decimal
from snapdp.errors import ParameterError
from snapdp.exact.numbers import parameter
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (32 << 20),) * 2)   # 10**999999999 needs 415 MB
resource.setrlimit(resource.RLIMIT_CPU, (2, 2))
try:
    parameter({bomb}, name="epsilon")
except ParameterError as error:
    print(str(error).count("epsilon") > 0)
"""


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_number_too_large_to_store_is_refused_before_it_is_built(bomb):
    code = REFUSAL_OF_A_BOMB.replace("{bomb}", bomb)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.stdout == "True\n", run.stderr


@pytest.mark.parametrize(
    ("read", "value"),
    [(positive, value) for value in (0, -1, "-1/3", 0.0, -0.0, "-1e-400")]
    + [(probability, value) for value in (0, 1, -0.5, 1.5, "-1e-400")],
)
def test_a_positive_parameter_is_above_zero_and_a_probability_also_below_one(read, value):
    with pytest.raises(ParameterError, match="gamma"):
        read(value, name="gamma")


def test_positive_numbers_and_probabilities_pass_unchanged():
    assert positive("1e-400", name="step") == Fraction(1, 10**400)
    assert probability("0.05", name="gamma") == Fraction(1, 20)


def test_a_refusal_keeps_its_numbers():
    with pytest.raises(ParameterError) as refusal:
        positive("-1/3", name="epsilon")
    assert refusal.value.numbers == {"epsilon": Fraction(-1, 3)}
    assert "epsilon > 0" in refusal.value.advice


# What a datum is


@PROPERTY
@given(x=finite_doubles)
@example(x=5e-324)
@example(x=-2.2250738585072014e-308)
def test_a_datum_is_the_dyadic_rational_the_double_stores(x):
    mantissa, exponent = math.frexp(x)
    assert datum(x) == int(math.ldexp(mantissa, 53)) * Fraction(2) ** (exponent - 53)


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        (0.1, Fraction(3602879701896397, 1 << 55)),
        (np.float64(0.1), Fraction(3602879701896397, 1 << 55)),
        (np.float32(0.1), Fraction(13421773, 1 << 27)),
        (np.float16(0.1), Fraction(819, 1 << 13)),
        (np.longdouble(0.5), Fraction(1, 2)),
        (Decimal("0.1"), Fraction(1, 10)),
        (Fraction(1, 3), Fraction(1, 3)),
        (2**70 + 1, Fraction(2**70 + 1)),
        (np.int64(-(2**63)), Fraction(-(2**63))),
        (np.uint64(2**64 - 1), Fraction(2**64 - 1)),
        (-0.0, Fraction(0)),
    ],
    ids=repr,
)
def test_a_datum_is_what_it_stores(value, stored):
    assert datum(value) == stored


@pytest.mark.parametrize("value", [True, "7", None, 7j, [7], b"7", np.bool_(True), np.datetime64(7, "s")], ids=repr)
def test_what_is_not_a_real_number_is_no_datum_and_is_not_repeated(value):
    with pytest.raises(DataError) as refusal:
        datum(value)
    assert "7" not in str(refusal.value)
    assert type(value).__name__ in str(refusal.value)


# The way out


@PROPERTY
@given(x=rationals())
@example(x=LARGEST)
@example(x=LARGEST + LEAST)
@example(x=-LARGEST - 1)
@example(x=LEAST / 3)
@example(x=-LEAST / 3)
@example(x=LEAST / 2)
@example(x=Fraction(0))
def test_up_is_the_smallest_double_not_below(x):
    up = to_float_up(x)
    assert up >= x
    assert math.nextafter(up, -math.inf) < x


@PROPERTY
@given(x=rationals())
@example(x=LARGEST + 1)
@example(x=-LARGEST - LEAST)
@example(x=LEAST / 3)
@example(x=-LEAST / 3)
def test_down_is_the_largest_double_not_above(x):
    down = to_float_down(x)
    assert down <= x
    assert math.nextafter(down, math.inf) > x


@PROPERTY
@given(x=rationals())
@example(x=1 + Fraction(1, 1 << 53))
@example(x=1 + Fraction(3, 1 << 53))
@example(x=LEAST / 2)
@example(x=LEAST * Fraction(3, 2))
def test_nearest_is_the_nearer_of_down_and_up_and_even_at_a_tie(x):
    nearest, down, up = to_float_nearest(x), to_float_down(x), to_float_up(x)
    assert nearest in (down, up)
    if math.isfinite(down) and math.isfinite(up):
        distance = {end: abs(Fraction(end) - x) for end in (down, up)}
        assert distance[nearest] == min(distance.values())
        if down != up and distance[down] == distance[up]:
            assert math.frexp(nearest)[0] * 2**53 % 2 == 0 or abs(nearest) < sys.float_info.min


@given(x=finite_doubles)
@settings(deadline=None)
def test_a_double_leaves_as_itself_in_every_direction(x):
    exact = Fraction(x)
    assert to_float_down(exact) == to_float_nearest(exact) == to_float_up(exact) == x


def test_the_overflow_end_rounds_where_ieee_says():
    half_ulp = Fraction(2) ** 970  # of the largest double; a tie there goes to the even neighbour, which is 2**1024
    assert to_float_nearest(LARGEST + half_ulp - 1) == sys.float_info.max
    assert to_float_nearest(LARGEST + half_ulp) == math.inf
    assert to_float_nearest(-LARGEST - half_ulp) == -math.inf
    assert to_float_up(LARGEST + 1) == math.inf
    assert to_float_down(LARGEST + 1) == sys.float_info.max
    assert to_float_up(-LARGEST * 2) == -sys.float_info.max
    assert to_float_down(-LARGEST * 2) == -math.inf


def test_the_subnormal_end_rounds_where_ieee_says():
    assert to_float_nearest(LEAST / 2) == 0.0
    assert to_float_nearest(LEAST / 2 + LEAST / 1000) == 5e-324
    assert to_float_nearest(LEAST * Fraction(3, 2)) == 1e-323
    assert to_float_up(LEAST / 10**6) == 5e-324
    assert to_float_down(LEAST / 10**6) == 0.0
    assert to_float_up(-LEAST / 10**6) == 0.0
    assert to_float_down(-LEAST / 10**6) == -5e-324


@pytest.mark.parametrize("text", ["1_0", "1_0/3", "1/1_0", "1e1_0", "0.1_5", "_1"])
def test_a_number_given_as_text_has_no_underscores(text):
    """Python takes 1_0 for 10; a CSV file and every engine take it for no number."""
    with pytest.raises(ParameterError, match="not a finite number"):
        parameter(text, name="epsilon")


@pytest.mark.parametrize(
    "far", ["1e-5000", "-1e-5000", " 2.5E1001 ", "1e" + "9" * 5000, "1e-01001", Decimal("1e-2000"), Decimal("1e1001")]
)
def test_a_finite_number_with_a_far_exponent_is_refused_with_the_limit(far):
    with pytest.raises(ParameterError, match="has an exponent beyond 1000") as refused:
        parameter(far, name="gamma")
    assert refused.value.advice == "Give gamma between 1e-1000 and 1e1000 in size."
    assert refused.value.numbers == {"largest_exponent": 1000}


@pytest.mark.parametrize("near", ["1e-1000", "1e+1000", Decimal("1e-1000"), "1e0000000001000"])
def test_exponents_up_to_the_limit_are_read_exactly(near):
    assert parameter(near, name="gamma") in (Fraction(1, 10**1000), Fraction(10**1000))


@pytest.mark.parametrize(
    "long", ["1" * 5000, "0." + "3" * 5000, "1/" + "3" * 5000, "-" + "7" * 5000, Decimal("1" * 5000)]
)
def test_a_number_of_thousands_of_digits_is_called_that(long):
    with pytest.raises(ParameterError, match="gamma is a number of thousands of digits"):
        parameter(long, name="gamma")


@pytest.mark.parametrize("text", ["x1e5000", "1/3e5000", "e5000", "j" * 5000, "1e5000e5000", "", "nan", "inf"])
def test_what_is_no_number_is_told_from_what_is_not_read(text):
    with pytest.raises(ParameterError, match="is not a finite number"):
        parameter(text, name="gamma")


whole = st.integers(-(10**30), 10**30) | st.integers(-(2**60), 2**60) | st.integers(-5, 5)


@settings(max_examples=200)
@given(pairs=st.lists(st.tuples(whole, st.integers(1, 10**25) | st.integers(1, 9)), min_size=1, max_size=20))
def test_columns_of_ratios_are_rounded_as_single_ones(pairs):
    n, d = (np.array(column, dtype=object) for column in zip(*pairs, strict=True))
    for columns, single in ((ratios_up, ratio_up), (ratios_down, ratio_down)):
        found, expected = columns(n, d).tolist(), [single(a, b) for a, b in pairs]
        assert list(map(float.hex, found)) == list(map(float.hex, expected))


def test_columns_of_ratios_beyond_the_doubles():
    n, d = np.array([10**400, -(10**400), 1], dtype=object), np.array([1, 1, 10**330], dtype=object)
    assert ratios_up(n, d).tolist() == [ratio_up(a, b) for a, b in zip(n, d, strict=True)]
    assert ratios_down(n, d).tolist() == [ratio_down(a, b) for a, b in zip(n, d, strict=True)]
    tiny = np.array([1, 3], dtype=object), np.array([10**320, 2**1080], dtype=object)
    assert ratios_up(*tiny).tolist() == [ratio_up(a, b) for a, b in zip(*tiny, strict=True)]
