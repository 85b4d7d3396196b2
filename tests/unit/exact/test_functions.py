"""Logarithm and exponential against two libraries that share no code with MPFR: Arb (balls) and mpmath."""

from __future__ import annotations

import math
from fractions import Fraction

import flint
import gmpy2
import mpmath
import pytest
from hypothesis import assume, example, given, settings, strategies as st

from snapdp.exact.dyadic import next_above, next_below, power_of_two
from snapdp.exact.enclosure import TINY_EXPONENT, Enclosure, enclose
from snapdp.exact.functions import (
    LN2,
    exact_mpfr,
    exp_enclosure,
    expm1_enclosure,
    fraction_of_mpfr,
    ln_enclosure,
    ln_nearest,
    mpfr_context,
)
from tests.unit import EXTRA_BITS, arb, arb_ends

PROPERTY = settings(deadline=None, max_examples=150)
PRECISIONS = [2, 3, 5, 8, 24, 53, 113, 118, 500]

precisions = st.sampled_from([16, 53, 128, 247, 248, 300, 512])


@st.composite
def positive_rationals(draw):
    """Positive rationals: of ordinary size, very large or small, dyadic or not, and close to 1."""
    kind = draw(st.sampled_from(["ordinary", "scaled", "dyadic", "near one"]))
    n, d = draw(st.integers(1, 10**12)), draw(st.integers(1, 10**12))
    if kind == "ordinary":
        return Fraction(n, d)
    if kind == "scaled":
        return Fraction(n, d) * Fraction(2) ** draw(st.integers(-3000, 3000))
    if kind == "dyadic":
        return n * Fraction(2) ** draw(st.integers(-200, 200))
    return 1 + draw(st.sampled_from([-1, 1])) * Fraction(n, d * 10**12) / draw(st.integers(1, 10**30))


arguments = st.builds(Fraction, st.integers(-(10**6), 10**6), st.integers(1, 10**9)) | st.builds(
    lambda n, k: Fraction(n) / 2**k, st.integers(-2000, 2000), st.integers(0, 400)
)


def own_bits(x: Fraction) -> int:
    """Return how close, in bits, x can come to 1 or 0 without being it, and (if of ordinary size) e**x to 0."""
    return x.numerator.bit_length() + x.denominator.bit_length() + 2 * min(math.floor(abs(x)), 2000)


def mpmath_value(name: str, x: Fraction, bits: int) -> Fraction:
    """Return mpmath's value: off by a few units of 2**-(bits + EXTRA_BITS), relatively."""
    with mpmath.workprec(bits + EXTRA_BITS):
        sign, mantissa, exponent, _ = getattr(mpmath, name)(mpmath.mpf(x.numerator) / x.denominator)._mpf_
    return (-1) ** sign * int(mantissa) * Fraction(2) ** int(exponent)


def arb_value(name: str, x: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    return arb_ends(lambda: getattr(arb(x), name)(), bits=bits + own_bits(x))


def encloses(e: Enclosure, name: str, x: Fraction, bits: int) -> bool:
    """Return whether an enclosure contains the number that Arb and mpmath compute with 400 bits more."""
    low, high = arb_value(name, x, bits)
    return e.lower <= low <= high <= e.upper and e.lower <= mpmath_value(name, x, bits + own_bits(x)) <= e.upper


# Enclosures


@PROPERTY
@given(x=positive_rationals(), bits=precisions)
@example(x=1 + Fraction(1, 10**100), bits=128)
@example(x=1 - Fraction(1, 2**300), bits=128)
@example(x=Fraction(1, 2), bits=128)
@example(x=Fraction(1, 2), bits=512)
@example(x=power_of_two(-14000), bits=128)
@example(x=Fraction(10) ** 4000, bits=128)
def test_the_logarithm_is_enclosed(x, bits):
    assume(x > 0)
    assert encloses(ln_enclosure(x, bits), "log", x, bits) or (x == 1 and ln_enclosure(x, bits) == enclose(0))


@PROPERTY
@given(x=arguments, bits=precisions)
@example(x=Fraction(1, 10**200), bits=128)
@example(x=Fraction(-1, 2**500), bits=128)
@example(x=Fraction(-65535), bits=128)
@example(x=Fraction(1000), bits=16)
def test_the_exponential_is_enclosed(x, bits):
    assume(abs(x) < 2000 or x == -65535)
    assert encloses(exp_enclosure(x, bits), "exp", x, bits) or (x == 0 and exp_enclosure(x, bits) == enclose(1))


@PROPERTY
@given(x=arguments, bits=precisions)
@example(x=Fraction(1, 10**200), bits=128)
@example(x=Fraction(-1, 2**500), bits=128)
def test_the_exponential_less_one_is_enclosed(x, bits):
    assume(abs(x) < 2000)
    assert encloses(expm1_enclosure(x, bits), "expm1", x, bits) or (x == 0 and expm1_enclosure(x, bits) == enclose(0))


@pytest.mark.parametrize("bits", [128, 247, 248, 600])
def test_a_known_value_is_a_single_point(bits):
    assert ln_enclosure(Fraction(1), bits) == enclose(0)
    assert exp_enclosure(Fraction(0), bits) == enclose(1)
    assert expm1_enclosure(Fraction(0), bits) == enclose(0)


@PROPERTY
@given(x=positive_rationals(), bits=precisions)
def test_a_logarithm_is_as_narrow_as_asked(x, bits):
    # Each end: the argument moves by 2**(1-bits) relatively, the logarithm by as much of itself. Two ends, and 2 spare.
    assume(x > 0)
    e = ln_enclosure(x, bits)
    assert e.width <= Fraction(8, 1 << bits) * (1 + max(abs(e.lower), abs(e.upper)))


@PROPERTY
@given(k=st.integers(1, 250), bits=st.sampled_from([128, 256]))
def test_the_exponential_less_one_keeps_its_relative_width_near_zero(k, bits):
    # The argument moves by 2**(1-bits) relatively and so does e**x - 1 (up to e**x < 3); each end is rounded once more.
    for x in (Fraction(1, 3 * 2**k), Fraction(-1, 3 * 2**k)):
        e = expm1_enclosure(x, bits)
        assert e.width <= Fraction(16, 1 << bits) * min(abs(e.lower), abs(e.upper))


@pytest.mark.parametrize("x", [Fraction(TINY_EXPONENT), Fraction(TINY_EXPONENT) - Fraction(1, 3), Fraction(-(10**9))])
def test_a_very_negative_argument_is_enclosed_by_zero_and_the_least_number(x):
    e = exp_enclosure(x, 128)
    assert e == Enclosure(Fraction(0), power_of_two(TINY_EXPONENT))
    _, binary_logarithm = arb_ends(lambda: arb(x) / flint.arb.const_log2())
    assert binary_logarithm < TINY_EXPONENT
    assert expm1_enclosure(x, 128) == e - 1


def test_enclosures_join_at_the_least_argument():
    x = Fraction(TINY_EXPONENT) + Fraction(1, 3)
    e = exp_enclosure(x, 128)
    assert encloses(e, "exp", x, 128)
    assert 0 < e.lower < e.upper < power_of_two(TINY_EXPONENT)


def test_the_stored_logarithm_of_two_is_right_to_its_last_bit():
    low, high = arb_ends(flint.arb.const_log2, bits=256)
    assert math.floor(low * 2**256) == math.floor(high * 2**256) == LN2.lower * 2**256
    assert LN2.width == power_of_two(-256)
    assert LN2.lower <= mpmath_value("log", Fraction(2), 256) <= LN2.upper


@pytest.mark.parametrize("exponent", [-100000, -1074, -40, -1, 1, 2, 1023, 99999])
def test_powers_of_two_need_no_library_and_mean_the_same(exponent):
    assert encloses(ln_enclosure(power_of_two(exponent), 200), "log", power_of_two(exponent), 200)


# Correct rounding


def is_correctly_rounded(candidate: Fraction, low: Fraction, high: Fraction, bits: int) -> bool:
    """Return whether the whole interval lies strictly nearer to the candidate than to its neighbours of p bits."""
    if candidate < 0:
        candidate, low, high = -candidate, -high, -low
    below, above = next_below(candidate, bits), next_above(candidate, bits)
    odd_part = candidate.numerator >> (candidate.numerator & -candidate.numerator).bit_length() - 1
    is_float = odd_part.bit_length() <= bits and (candidate.denominator & candidate.denominator - 1) == 0
    return is_float and (below + candidate) / 2 < low <= high < (candidate + above) / 2


NEAR_ONE = [1 + s * Fraction(1, b**k) for s in (1, -1) for b in (2, 10) for k in (1, 2, 5, 20, 53, 118, 200)]
SPREAD = [
    Fraction(1, 2),
    Fraction(2),
    Fraction(3),
    Fraction(10),
    Fraction(1, 3),
    Fraction(2, 3),
    Fraction(355, 113),
    Fraction(7, 2**70),
    Fraction(2**118 - 1, 2**118),
    Fraction(2**117 + 1, 2**118),
    Fraction(1, 10**30),
    Fraction(10**30 + 1, 7),
    Fraction(2) ** -2000,
    Fraction(3) ** -700,
]


@pytest.mark.parametrize("bits", PRECISIONS)
@pytest.mark.parametrize("x", SPREAD + NEAR_ONE, ids=lambda x: f"{float(x):.6g}")
def test_the_rounded_logarithm_is_the_nearest_float(x, bits):
    low, high = arb_value("log", x, bits)
    assert is_correctly_rounded(ln_nearest(x, bits), low, high, bits)


@PROPERTY
@given(x=positive_rationals(), bits=st.sampled_from(PRECISIONS))
def test_the_logarithm_of_any_rational_is_correctly_rounded(x, bits):
    assume(x not in (0, 1))
    low, high = arb_value("log", x, bits)
    assert is_correctly_rounded(ln_nearest(x, bits), low, high, bits)


@PROPERTY
@given(m=st.integers(1, 2**12), e=st.integers(0, 30), bits=st.sampled_from([2, 3, 4, 5, 8]))
def test_the_logarithm_of_a_short_float_is_correctly_rounded_to_few_bits(m, e, bits):
    x = Fraction(m, 2 ** (12 + e))
    assume(x != 1)
    low, high = arb_value("log", x, bits)
    assert is_correctly_rounded(ln_nearest(x, bits), low, high, bits)


def test_the_check_of_rounding_rejects_a_neighbour():
    low, high = arb_value("log", Fraction(3), 53)
    right = ln_nearest(Fraction(3), 53)
    assert is_correctly_rounded(right, low, high, 53)
    assert not is_correctly_rounded(next_above(right, 53), low, high, 53)
    assert not is_correctly_rounded(next_below(right, 53), low, high, 53)
    assert not is_correctly_rounded(right + Fraction(1, 2**80), low, high, 53)


@pytest.mark.parametrize("bits", PRECISIONS)
def test_the_logarithm_of_one_is_zero(bits):
    assert ln_nearest(Fraction(1), bits) == 0


@pytest.mark.parametrize("bits", [2, 3, 5, 8, 24])
def test_the_rounded_logarithm_never_decreases(bits):
    near_one = {1 + Fraction(k, 10**6) for k in range(-9, 9)}
    points = near_one | {Fraction(n, d) for n in range(1, 40) for d in (1, 3, 16, 64)}
    values = [ln_nearest(x, bits) for x in sorted(points)]
    assert values == sorted(values)
    assert values[0] < values[-1]


@PROPERTY
@given(x=positive_rationals(), y=positive_rationals(), bits=st.sampled_from(PRECISIONS))
def test_the_rounded_logarithm_is_monotone(x, y, bits):
    assume(x > 0)
    assume(y > 0)
    x, y = min(x, y), max(x, y)
    assert ln_nearest(x, bits) <= ln_nearest(y, bits)


def test_a_tenth_and_the_double_beside_it_have_different_logarithms():
    assert ln_nearest(Fraction(1, 10), 53) == Fraction(float.fromhex("-0x1.26bb1bbb55516p+1"))
    assert ln_nearest(Fraction(0.1), 53) == Fraction(float.fromhex("-0x1.26bb1bbb55515p+1"))


# The trap


def test_an_operator_on_an_mpfr_rounds_to_the_ambient_context():
    third = mpfr_context(200, "nearest").div(exact_mpfr(1), exact_mpfr(3))
    exact = fraction_of_mpfr(third)
    assert gmpy2.get_context().precision == 53
    assert fraction_of_mpfr(-third) != -exact  # the trap: unary minus rounds to 53 bits
    assert abs(fraction_of_mpfr(-third) + exact) > Fraction(1, 2**60)
    assert fraction_of_mpfr(mpfr_context(200, "nearest").minus(third)) == -exact  # the way out


def test_the_ambient_context_changes_nothing_here():
    x = Fraction(10, 3)
    expected = (ln_enclosure(x, 128), exp_enclosure(x, 128), ln_nearest(x, 118), ln_nearest(Fraction(5, 8), 118))
    with gmpy2.context(precision=4, round=gmpy2.RoundUp):
        assert (ln_enclosure(x, 128), exp_enclosure(x, 128), ln_nearest(x, 118), ln_nearest(Fraction(5, 8), 118)) == (
            expected
        )


@given(numerator=st.integers(-(2**400), 2**400), exponent=st.integers(-5000, 5000))
@settings(deadline=None)
def test_a_dyadic_number_enters_and_leaves_mpfr_unchanged(numerator, exponent):
    assert fraction_of_mpfr(exact_mpfr(numerator, exponent)) == numerator * Fraction(2) ** exponent
