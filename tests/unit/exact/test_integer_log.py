"""The logarithm in integers against Arb, whose balls share no code with it."""

from __future__ import annotations

import flint
from hypothesis import example, given, settings, strategies as st

from snapdp.exact import integers as integer_log
from snapdp.exact.integers import ln_scaled

PROPERTY = settings(deadline=None, max_examples=300)


@st.composite
def arguments(draw):
    """Digits and their number: any size, near 1, near 2/3 and 4/3 (where the reduction switches), powers of two."""
    count = draw(st.sampled_from([1, 2, 63, 127, 255, 511, 1023]))
    centre = draw(st.sampled_from([0, 1 << count, (2 << count) // 3, (4 << count) // 3, 1 << count // 2]))
    spread = 1 << draw(st.integers(0, count))
    return max(1, centre + draw(st.integers(-spread, spread))), count


def scaled(m: int, count: int, scale: int) -> flint.arb:
    return (flint.arb(m) / flint.arb(2) ** count).log() * flint.arb(2) ** scale


@PROPERTY
@given(arguments(), st.integers(0, 1100))
@example((1, 63), 79)
@example(((1 << 63) - 1, 63), 79)
@example((1 << 62, 63), 79)
def test_the_integers_enclose_the_logarithm_and_are_at_most_two_apart(argument, scale):
    m, count = argument
    a, b = ln_scaled(m, count, scale)
    assert 0 <= b - a <= 2
    if m == 1 << count:
        assert a <= 0 <= b
    else:
        assert a <= scaled(m, count, scale)
        assert scaled(m, count, scale) <= b


@PROPERTY
@given(st.integers(1, 10**30), st.integers(0, 10**30), st.sampled_from([8, 80, 150, 1000]))
def test_the_series_misses_by_at_most_what_is_claimed_and_never_exceeds(denominator, numerator, width):
    numerator %= denominator // 3 + 1
    found, slack = integer_log._artanh(numerator, denominator, width)
    assert slack == width + 8
    true = flint.arb(flint.fmpq(numerator, denominator)).atanh() * flint.arb(2) ** width
    assert numerator == found == 0 or (found <= true and true <= found + slack)


@PROPERTY
@given(arguments(), st.integers(8, 1100))
@example((1, 63), 79)
@example((5, 0), 79)
@example((1 << 400, 3), 79)
@example((1, 1023), 1000)
def test_the_enclosure_holds_before_it_is_rounded_outward(argument, width):
    m, count = argument
    least, most = integer_log._enclosed(m, count, width)
    low, high = integer_log._ln2(width)
    slack = width + 8
    assert most - least == 2 * slack + abs(_twos(m, count)) * (high - low)  # every slack is counted, once
    assert m == 1 << count or (least <= scaled(m, count, width) and scaled(m, count, width) <= most)


def _exponent(m: int) -> int:
    return next(k for k in (m.bit_length() - 1, m.bit_length()) if 2 << k <= 3 * m <= 4 << k)


def _twos(m: int, count: int) -> int:
    return _exponent(m) - count
