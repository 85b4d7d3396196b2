"""The checker's own numbers against MPFR: enclosures of ln and exp, and ln correctly rounded at every precision."""

from __future__ import annotations

import random
from fractions import Fraction

import gmpy2
import pytest

from snapdp.audits import check_program as check
from tests.unit.lab.loss.certificates import float_of, fraction, mpfr

WIDE = 4000  # bits of the second opinion


def ends(function: str, x: Fraction) -> tuple[Fraction, Fraction]:
    """Return rationals around ln x or exp x from MPFR, far narrower than what they are compared with."""
    found = []
    for mode in (gmpy2.RoundDown, gmpy2.RoundUp):
        with gmpy2.context(precision=WIDE, round=mode, emin=-(2**40), emax=2**40) as context:
            argument = gmpy2.mpfr(gmpy2.mpq(x.numerator, x.denominator), WIDE)  # exact for the dyadic x used here
            found.append(fraction(getattr(context, function)(argument)))
    return found[0], found[1]


def dyadic(rng: random.Random, *, exponents: int) -> Fraction:
    return Fraction(rng.getrandbits(60) | 1, 1 << 60) * Fraction(2) ** rng.randint(-exponents, exponents)


@pytest.mark.parametrize("bits", [8, 64, 724])
def test_ln_is_enclosed(bits):
    rng = random.Random(bits)
    points = [dyadic(rng, exponents=1100) for _ in range(100)]
    points += [Fraction(2) ** k for k in (-1074, -1, 1, 1023)] + [
        1 + Fraction(s, 1 << k) for s in (1, -1) for k in (1, 2, 53, 200)
    ]
    points += [Fraction(2, 3) + Fraction(n, 1 << 80) for n in (0, 1)] + [Fraction(4, 3)]
    for x in (
        Fraction(x.numerator * (1 << 300) // x.denominator, 1 << 300) if x.denominator % 3 == 0 else x for x in points
    ):
        low, high = check.ln(x, bits)
        true_low, true_high = ends("log", x)
        assert low <= true_low
        assert true_high <= high
        # two series of at most bits/3 + 1 terms, 3 units a term and 3 more, one of them up to 1161 times, all doubled
        assert high - low <= Fraction(2 * 1162 * (bits + 6), 1 << bits)


@pytest.mark.parametrize("bits", [8, 64, 724])
def test_exp_is_enclosed(bits):
    rng = random.Random(bits)
    points = [abs(dyadic(rng, exponents=16)) for _ in range(100)]
    points += [
        Fraction(0),
        Fraction(1),
        Fraction(1, 1 << 60),
        Fraction(1 << 16),
        (1 << 16) + Fraction(1, 2),
        Fraction(1 << 20),
    ]
    for x in points:
        low, high = check.exp_minus(x, bits)
        true_low, true_high = ends("exp", -x)
        assert 0 <= low <= true_low
        assert true_high <= high
        assert high - low <= Fraction(1, 1 << bits)


def test_the_logarithm_of_one_is_zero():
    assert check.ln(Fraction(1), 64) == (0, 0)
    assert check.ln_nearest(Fraction(1), 53) == 0


def nearest_logarithm(x: Fraction, p: int) -> Fraction:
    with gmpy2.context(precision=p, emin=-(2**40), emax=2**40) as context:
        return fraction(context.log(mpfr(x, p)))


@pytest.mark.parametrize("p", range(2, 201))
def test_ln_is_correctly_rounded_at_every_precision(p):
    """Random floats; floats next to 1, where ln is tiny; powers of two; small precisions completely over binades."""
    rng = random.Random(p)
    one = 1 << p - 1
    ordinals = [rng.randint(-1074 * one, 1023 * one) for _ in range(8)] + [rng.randint(-one, one) for _ in range(8)]
    ordinals += [n for d in range(1, 6) for n in (-d, d)] + [
        k * one + d for k in (-1074, -1, 1, 1000) for d in (-1, 0, 1)
    ]
    if p <= 6:
        ordinals += range(-2 * one, 2 * one)
    for x in (float_of(n, p) for n in ordinals):
        assert check.ln_nearest(x, p) == nearest_logarithm(x, p)


# ln of the first lies within 2**-61 ulp of a midpoint of two doubles, ln of the second within 2**-61 ulp of a double.
HARDEST = ["0x1.9476E304CD7C7p-384", "0x1.26E9C4D327960p-232"]


@pytest.mark.parametrize("x", HARDEST)
def test_ln_is_correctly_rounded_near_ties(x):
    value = Fraction(float.fromhex(x))
    assert check.ln_nearest(value, 53) == nearest_logarithm(value, 53)


@pytest.mark.parametrize("p", [5, 11, 24, 53, 113])
def test_ln_is_correctly_rounded_at_the_hardest_of_many_points(p):
    """Of many floats keep those whose ln comes nearest to a midpoint, and ask there."""
    rng = random.Random(p)
    one = 1 << p - 1

    def distance(x: Fraction) -> Fraction:
        with gmpy2.context(precision=p + 60, emin=-(2**40), emax=2**40) as context:
            y = fraction(context.log(mpfr(x, p)))
        ulp = Fraction(2) ** (check.exponent(y) - p + 1)
        return abs((y / ulp) % 1 - Fraction(1, 2))

    points = [float_of(rng.randint(-50 * one, 50 * one), p) for _ in range(1500)]
    for x in sorted((x for x in points if x != 1), key=distance)[:20]:
        assert check.ln_nearest(x, p) == nearest_logarithm(x, p)


@pytest.mark.parametrize("p", [2, 3, 24, 53, 113])
def test_floats_round_to_nearest_even(p):
    rng = random.Random(p)
    numbers = [dyadic(rng, exponents=40) * rng.choice((1, -1)) / 3 for _ in range(200)]
    numbers += [(2 * n + 1) * Fraction(2) ** -p for n in range(1 << min(p, 10))] + [Fraction(0)]
    for x in numbers:
        assert check.nearest(x, p) == fraction(mpfr(x, p))
