"""The uniform number: exact probabilities by enumeration, an exponent without end, a fair and independent sign."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from snapdp.randomness.bits import RecordedBits
from snapdp.randomness.uniform import DOUBLE_DIGITS, DOUBLE_MASK, FIRST_DIGITS, HALF_MASK, LazyUniform, halves, joined
from tests.unit import word_of_digits

PROPERTY = settings(deadline=None, max_examples=200)
DEPTH = 70  # leading zeros enumerated: past the 63 digits of the first word, into the first extension word
EXTENSIONS = 3


def uniform_of(digits: list[int], sign: int = 1) -> LazyUniform:
    """Return the uniform number that starts with these digits (at most 63 + 3 * 64), followed by zeros."""
    padded = digits + [0] * (FIRST_DIGITS + EXTENSIONS * 64 - len(digits))
    words = [int("".join(map(str, padded[start : start + 64])), 2) for start in range(FIRST_DIGITS, len(padded), 64)]
    source = RecordedBits([word_of_digits(padded[:FIRST_DIGITS], sign)], extensions={0: words})
    return LazyUniform(source.first_word(0), source.extension(0))


def number(significand: int, exponent: int) -> Fraction:
    return significand * Fraction(2) ** exponent


def masses(bits: int) -> dict[Fraction, Fraction]:
    """Return the probability of each value of U* with at most DEPTH leading zeros, from all prefixes of fair bits.

    A prefix of j zeros, a one and bits - 1 more digits has mass 2**-(j + bits). That it decides U* is checked by
    following it with zeros and with ones.
    """
    found: dict[Fraction, Fraction] = {}
    for zeros in range(DEPTH + 1):
        for mantissa in product((0, 1), repeat=bits - 1):
            prefix = [0] * zeros + [1, *mantissa]
            results = {uniform_of(prefix + [rest] * 60, sign).truncated(bits) for rest in (0, 1) for sign in (1, -1)}
            assert len(results) == 1
            significand, exponent = results.pop()
            assert 1 << bits - 1 <= significand < 1 << bits
            value = number(significand, exponent)
            found[value] = found.get(value, Fraction(0)) + Fraction(1, 1 << zeros + bits)
    return found


def is_uniform(found: dict[Fraction, Fraction], *, below: Fraction) -> bool:
    """Return whether P(U* < v) = v for every v, `below` being the mass of everything under the smallest."""
    for value in sorted(found):
        if below != value:
            return False
        below += found[value]
    return below == 1


@pytest.mark.parametrize("bits", range(2, 9))
def test_the_probability_below_every_float_is_the_float_itself(bits):
    found = masses(bits)
    assert len(found) == (DEPTH + 1) << bits - 1  # no two prefixes share a value, and no float is missing
    assert is_uniform(found, below=Fraction(1, 1 << DEPTH + 1))  # strings with more zeros lie below all of these


def test_the_check_sees_an_exponent_that_starts_one_too_late_and_a_single_mass_moved():
    found = masses(3)
    late = {value / 2: mass for value, mass in found.items()}
    assert not is_uniform(late, below=Fraction(1, 1 << DEPTH + 2))
    first, second, *_ = sorted(found)
    moved = found | {first: found[first] / 2, second: found[second] + found[first] / 2}
    assert not is_uniform(moved, below=Fraction(1, 1 << DEPTH + 1))


@pytest.mark.parametrize("zeros", [62, 63, 64, 126, 127, 190, 64 * 50 + 63])
def test_the_exponent_has_no_end(zeros):
    extension = iter([0] * ((zeros - 63) // 64) + [1 << 63 - (zeros - 63) % 64] + [0] * 4)
    first = word_of_digits([0] * 62 + [1]) if zeros == 62 else 0
    significand, exponent = LazyUniform(first, iter([0] * 4) if zeros == 62 else extension).truncated(53)
    assert number(significand, exponent) == Fraction(1, 1 << zeros + 1)
    assert significand == 1 << 52


def test_digits_beyond_those_recorded_are_asked_for_and_not_invented():
    with pytest.raises(IndexError):
        LazyUniform(0, RecordedBits([0]).extension(0)).truncated(2)


@PROPERTY
@given(digits=st.lists(st.integers(0, 1), min_size=63 + 128, max_size=63 + 128), count=st.integers(1, 63 + 128))
def test_digits_are_the_binary_digits_in_the_declared_order(digits, count):
    expected = int("".join(map(str, digits[:count])), 2)
    assert uniform_of(digits).digits(count) == expected


@PROPERTY
@given(
    digits=st.lists(st.integers(0, 1), min_size=63 + 128, max_size=63 + 128),
    counts=st.lists(st.integers(1, 63 + 128), max_size=8),
)
def test_asking_for_more_or_fewer_digits_never_changes_an_answer(digits, counts):
    lazy = uniform_of(digits)
    assert [lazy.digits(count) for count in counts] == [uniform_of(digits).digits(count) for count in counts]


@PROPERTY
@given(word=st.integers(-(2**63), 2**63 - 1))
def test_the_first_52_digits_are_the_low_bits_of_the_word(word):
    assert LazyUniform(word, iter(())).digits(DOUBLE_DIGITS) == word & DOUBLE_MASK == word % 2**52


@PROPERTY
@given(word=st.integers(0, 2**63 - 1))
def test_the_sign_bit_changes_the_sign_and_nothing_else(word):
    # The map word -> word with the sign bit set is a bijection of the words of either sign: S is fair given the digits.
    plus, minus = LazyUniform(word, iter([7, 8])), LazyUniform(word - 2**63, iter([7, 8]))
    assert (plus.sign, minus.sign) == (1, -1)
    assert plus.digits(191) == minus.digits(191)


@PROPERTY
@given(word=st.integers(-(2**63), 2**63 - 1))
def test_the_first_half_is_the_sign_and_31_digits_and_the_second_the_next_32(word):
    first, second = halves(word)
    lazy = LazyUniform(word, iter(()))
    assert -(2**31) <= first < 2**31
    assert 0 <= second < 2**32
    assert (first < 0) == (lazy.sign < 0)
    assert lazy.digits(31) == first & HALF_MASK
    assert lazy.digits(63) == (first & HALF_MASK) << 32 | second
    assert joined(first, second) == word


def test_arrays_are_halved_and_joined_like_numbers():
    words = np.random.default_rng(1).integers(-(2**63), 2**63, 1_000, dtype=np.int64)
    first, second = halves(words)
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == [halves(word) for word in words.tolist()]
    assert (joined(first, second) == words).all()


def test_distinct_words_give_distinct_digits():
    # All 63 bits below the sign are used once: flipping any of them flips exactly one digit.
    base = LazyUniform(0, iter(())).digits(63)
    flipped = [LazyUniform(1 << bit, iter(())).digits(63) ^ base for bit in range(63)]
    assert sorted(flipped) == [1 << digit for digit in range(63)]


@PROPERTY
@given(word=st.integers(-(2**63), 2**63 - 1), more=st.integers(0, 2**64 - 1), bits=st.integers(2, 120))
def test_the_truncated_number_is_the_number_with_its_tail_cut_off(word, more, bits):
    words = [more, 1 << 63, 0, 0, 0, 0]
    whole = Fraction(LazyUniform(word, iter(words)).digits(63 + 128), 1 << 63 + 128)
    significand, exponent = LazyUniform(word, iter(words)).truncated(bits)
    assert 1 << bits - 1 <= significand < 1 << bits
    assert number(significand, exponent) <= whole < number(significand + 1, exponent)


def test_no_more_bits_are_read_than_needed():
    def forbidden():
        raise AssertionError("an extension word was read")
        yield 0

    assert LazyUniform(1 << 51, forbidden()).truncated(63) == (1 << 62, -63)
    assert LazyUniform(1, forbidden()).truncated(12) == (1 << 11, -63)
