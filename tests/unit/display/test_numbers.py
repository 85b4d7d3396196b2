"""Numbers as text: exact ones read back, rounded ones lie on the named side, within one unit of their last digit."""

from __future__ import annotations

import re
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from fractions import Fraction

import pytest
from hypothesis import example, given, strategies as st

from snapdp.display.numbers import (
    decimal_down,
    decimal_up,
    exact_amount,
    exact_float,
    exact_operand,
    figure,
    four_digits,
    four_digits_up,
    noise_digits,
    plain_decimal,
    scientific_up,
    six_digits,
    two_digits,
)
from snapdp.exact.enclosure import Enclosure

F = Fraction
NUMBERS = st.one_of(
    st.fractions(),
    st.fractions(max_denominator=10),
    st.builds(lambda n, e: n * F(10) ** e, st.integers(-99999, 99999), st.integers(-40, 40)),
    st.builds(lambda n, e: n * F(2) ** e, st.integers(-99999, 99999), st.integers(-90, 90)),
)
DOUBLES = st.floats(allow_nan=False, allow_infinity=False)


def last_unit(text: str) -> Fraction:
    """Return one unit of the last digit of a decimal."""
    exponent = Decimal(text).as_tuple().exponent
    assert isinstance(exponent, int)
    return F(10) ** exponent


def significant_digits(text: str) -> int:
    return len(Decimal(text).as_tuple().digits)


# Exact


@pytest.mark.parametrize(
    ("number", "text"),
    [
        ("1", "1"),
        ("3/10", "0.3"),
        ("9823/100000", "0.09823"),
        ("1/3", "1/3"),
        ("5/2", "2.5"),
        ("-1/2", "-0.5"),  # once shown as -1.5
        ("-7/4", "-1.75"),
        ("1/10000000", "1e-7"),
        ("1/1099511627776", "1/1099511627776"),
        (f"{10**30 + 1}/10", f"{10**29}.1"),
    ],
)
def test_amounts_print_exactly(number, text):
    assert exact_amount(F(number)) == text
    assert F(text) == F(number)


@given(NUMBERS)
def test_an_amount_reads_back_as_itself(x):
    assert F(exact_amount(x)) == x
    assert len(exact_amount(x).partition("e")[0].partition(".")[2]) <= 6


@given(NUMBERS)
@example(F(-1, 2**80))
@example(F(-3, 10))
@example(F(1, 3))
def test_an_operand_reads_back_as_itself_and_binds_tightly(x):
    text = exact_operand(x)
    assert F(text.strip("()")) == x
    assert text.startswith("(") == text.endswith(")")
    assert text.startswith("(") or not set(text[1:]) & set("/+")
    assert text.startswith("(") or x > 0 or "e-" in text or text == "0"


@given(NUMBERS)
@example(F(2) ** 2000)
@example(F(-1, 2**2000))
@example(F(3) * 2**1100)
@example(F(0))
def test_a_value_of_a_machine_reads_back_as_itself(x):
    text = exact_float(x)
    if "2^" in text:
        sign, _, exponent = text.partition("2^")
        assert (-1 if sign else 1) * F(2) ** int(exponent) == x
    else:
        assert F(text) == x or F(float(text)) == x


# Rounded


@given(NUMBERS, st.integers(0, 30))
def test_decimals_enclose_a_number_within_one_unit_of_their_last_place(x, places):
    low, high = decimal_down(x, places), decimal_up(x, places)
    assert F(low) <= x <= F(high)
    assert x - F(low) < F(1, 10**places) > F(high) - x
    assert decimal_up(-x, places) == ("0" if low == "0" else low[1:] if low.startswith("-") else f"-{low}")
    for text in (low, high):
        assert "." not in text or text[-1] not in "0."
        assert text != "-0"


@given(NUMBERS)
@example(F(9999, 10**5) + F(1, 10**9))  # another digit
@example(F(9999999, 10))
@example(F(-1, 3))
@example(10**12 + F(1, 2))  # a billionth is a thousand units
@example(1 + F(1, 10**9))
def test_four_digits_lie_away_from_zero_but_for_a_billionth_within_one_unit_of_the_last(x):
    text = four_digits_up(x)
    assert abs(x) * (1 - F(1, 10**9)) <= abs(F(text)) < abs(x) + last_unit(text)
    assert x.denominator == 1 or (significant_digits(text) >= 4 and F(text) * x > 0)
    assert "e" not in text
    assert four_digits_up(-x) == ("0" if x == 0 else text[1:] if x < 0 else f"-{text}")


@given(NUMBERS)
def test_four_digits_to_nearest_differ_from_a_number_by_half_a_unit_of_the_last_at_most(x):
    text = four_digits(x)
    assert abs(x - F(text)) <= last_unit(text) / 2
    assert x.denominator == 1 or significant_digits(text) >= 4


@pytest.mark.parametrize("excess", [F(1, 2**51), F(1, 10**9), F(26, 10**36), F(11, 10**10), F(1, 10**6)])
def test_a_hair_above_a_round_number_is_not_shown_as_a_thousandth_and_more_is_rounded_up(excess):
    shown = ["1.000", "0.8750", "100.0"] if excess <= F(1, 10**9) else ["1.001", "0.8751", "100.1"]
    assert [four_digits_up(n * (1 + excess)) for n in (F(1), F(7, 8), F(100))] == shown


@pytest.mark.parametrize(
    ("number", "text"),
    [(F(24, 100), "0.2400"), (F(1, 3), "0.3334"), (F(43630001, 10**6), "43.64"), (F(123456, 10), "12346"), (F(7), "7")],
)
def test_figures_for_people_have_four_digits_rounded_up(number, text):
    assert four_digits_up(number) == text


@given(NUMBERS, st.integers(1, 12))
@example(F(99999, 10), 4)
@example(F(9999, 10**9), 3)
@example(F(10) ** 400 / 3, 4)
@example(F(10) ** 22 - 1, 4)  # its logarithm as a double is 22
def test_scientific_figures_lie_away_from_zero_within_one_unit_of_the_last(x, digits):
    text = scientific_up(x, digits)
    if x == 0:
        assert text == "0"
        return
    shown = F(text)
    assert abs(x) <= abs(shown) < abs(x) + last_unit(text)
    assert (shown > 0) == (x > 0)
    assert significant_digits(text) == digits


@given(DOUBLES, st.floats(0, 1e300).map(lambda x: Decimal(repr(x))))
@example(99.96, Decimal("0.3"))
@example(-0.3, Decimal("40"))  # no minus before a zero
@example(5e-324, Decimal(0))
@example(-1.7976931348623157e308, Decimal("5e-324"))
def test_a_number_has_two_digits_of_its_noise(x, half_width):
    printed, half = F(repr(x)), F(half_width)
    texts = [
        noise_digits(x, half_width=half_width, rounding=way) for way in (ROUND_FLOOR, ROUND_HALF_EVEN, ROUND_CEILING)
    ]
    low, near, high = map(F, texts)
    assert low <= printed <= high
    assert low <= near <= high
    assert high - low <= half / 10  # a unit of its second digit, at most
    assert abs(near - printed) <= half / 20
    assert "-0" not in texts
    assert not any(text.startswith("-0") and F(text) == 0 for text in texts)


@given(st.integers(-(10**20), 10**20), st.floats(0, 1e12).map(lambda x: Decimal(repr(x))))
def test_a_whole_number_stays_whole_whatever_its_noise(x, half_width):
    text = noise_digits(x, half_width=half_width)
    assert re.fullmatch("-?[0-9]+", text)
    assert abs(int(text) - x) <= half_width / 20


@pytest.mark.parametrize(
    ("number", "half_width", "text"),
    [
        (43.6981, "0.683", "43.70"),
        (43.6981, "6.83", "43.7"),
        (43.6981, "68.3", "44"),
        (94265.3125, "107.3", "94270"),
        (94266, "107.3", "94270"),
        (412, "3", "412"),
        (-0.04, "3", "0.0"),
        (0.5, "1e-20", "0.5"),
        (1.25e-11, "3e-12", "1.25e-11"),
        (3.1e30, "2e29", "3.10e30"),
        (3.5, "0", "3.5"),
    ],
)
def test_numbers_for_people_end_where_their_noise_begins(number, half_width, text):
    assert noise_digits(number, half_width=Decimal(half_width)) == text


@given(NUMBERS)
@example(F(-1, 3))
@example(F(995, 1000))  # another digit
@example(F(1) / (F(10) ** 400 + 1))
def test_two_digits_lie_on_the_side_that_is_told(x):
    low, high = two_digits(x, ROUND_FLOOR), two_digits(x, ROUND_CEILING)
    assert F(low) <= x <= F(high)
    assert F(high) - F(low) <= abs(x) / 10


@given(NUMBERS)
@example(F(1, 3))
@example(F(1, 2**61))  # a decimal of more than 60 places
@example(F(0))
def test_a_decimal_for_spreadsheets_is_plain_and_exact_or_rounded_up(x):
    text = plain_decimal(x)
    assert re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", text)
    assert F(text) == x or x < F(text) < x + last_unit(text)
    assert F(text) == x or significant_digits(text) >= 17 - (x < 0)


def test_a_number_of_thousands_of_digits_has_a_scientific_figure():
    assert scientific_up(F(10) ** 6000 + 1, 2) == "1.1e+6000"
    assert scientific_up(1 / (F(10) ** 6000 + 1)) == "1.000e-6000"


@given(DOUBLES, st.one_of(st.none(), st.floats(0, 1e300).map(lambda x: Decimal(repr(x)))))
@example(5e-324, None)
@example(-1.7976931348623157e308, Decimal(0))
def test_a_double_is_shown_to_the_side_that_is_named(x, half_width):
    printed = F(repr(x))  # a double means its shortest text here, as everywhere
    low, near, high = (
        F(text)
        for text in (
            six_digits(x, ROUND_FLOOR, half_width),
            six_digits(x, half_width=half_width),
            six_digits(x, ROUND_CEILING, half_width),
        )
    )
    assert low <= printed <= high
    assert low <= near <= high
    assert high - low <= abs(printed) / 10**5
    if half_width is not None:
        assert high - low <= F(half_width) / 100


def test_a_figure_has_three_places_or_three_digits_and_an_exponent_where_it_is_tiny_or_huge():
    shown = [figure(F(n)) for n in ("2.20126e-6", "-1234567.5", "12345678", "0", "0.5001", "1e400")]
    assert shown == ["2.20e-06", "-1234567.5", "1.23e+07", "0", "0.5001", "1.00e+400"]
    assert figure(Enclosure(F(1), F(2))) == "1.5"
