"""The sampler and the law are one: exactly, at every threshold of U; and by sampling, with a derived tolerance.

The sampled test has two twins that must fail: an error of 10 % in the noise scale is seen on both sides.
"""

from __future__ import annotations

from fractions import Fraction
from math import log, sqrt

import numpy as np
import pytest

import snapdp
from snapdp.exact.dyadic import HALF
from snapdp.exact.functions import exp_enclosure
from snapdp.mechanism.definition import decide
from snapdp.mechanism.mechanism import Mechanism, declared, index_with_bits
from snapdp.randomness.bits import RecordedBits, SystemBits
from snapdp.randomness.uniform import DOUBLE_DIGITS, LazyUniform

FALSE_ALARM = 1e-9  # per test
SAMPLES = 400_000
TOLERANCE = sqrt(log(2 / FALSE_ALARM) / (2 * SAMPLES))  # 0.0052; Dvoretzky-Kiefer-Wolfowitz-Massart, any law

CASES = [
    {"epsilon": "0.5", "sensitivity": 1, "lower": 500, "upper": 1000},
    {"epsilon": "0.5", "sensitivity": 1, "lower": -10, "upper": 30, "grid": "natural"},
    {"epsilon": 1, "sensitivity": "1/10", "lower": 0, "upper": 1, "clamp": "range"},
    {"epsilon": "0.5", "sensitivity": 3, "lower": 0, "upper": 100, "arithmetic": snapdp.FinitePrecision()},
    {
        "epsilon": "0.5",
        "sensitivity": 1,
        "lower": 0,
        "upper": 1000,
        "arithmetic": snapdp.FinitePrecision(bits=118, rule="notes"),
    },
]


def digits_of(u: Fraction, sign: int, words: int = 7) -> LazyUniform:
    """Return the bit string whose U starts with the digits of u."""
    count = 63 + 64 * words
    digits = int(u * (1 << count))
    first, rest = digits >> 64 * words, digits & ((1 << 64 * words) - 1)
    low, high = first >> 11, first & 0x7FF
    word = high << DOUBLE_DIGITS | low
    extension = [(rest >> 64 * (words - 1 - i)) & ((1 << 64) - 1) for i in range(words)]
    return LazyUniform(word if sign > 0 else word - (1 << 63), iter(extension))


@pytest.mark.parametrize("case", CASES[:3], ids=str)
def test_the_index_changes_exactly_where_the_law_says(case):
    """For each sign the index jumps at U = exp(-|b_j - f|/lam): just above and just below it differ by one."""
    p = declared(**case).parameters
    value = p.inner(p.lower + (p.upper - p.lower) * Fraction(3, 7))
    checked = 0
    for j in range(p.low + 1, p.high + 1):
        t = (j - HALF) * p.grid - value
        threshold = exp_enclosure(-abs(t) / p.noise_scale, 400)
        if not Fraction(1, 1 << 200) < threshold.lower < threshold.upper < 1:
            continue
        apart = threshold.lower / (1 << 60)
        sign = -1 if t > 0 else 1  # Y = S lam ln U: positive noise needs S = -1
        larger_noise = decide(value, p, digits_of(threshold.lower - apart, sign))
        smaller_noise = decide(value, p, digits_of(threshold.upper + apart, sign))
        assert (larger_noise, smaller_noise) == ((j, j - 1) if t > 0 else (j - 1, j))
        checked += 1
    assert checked > 5


def empirical_distance(m: Mechanism, value: Fraction, source, law=None) -> float:
    indices = index_with_bits(m, np.full(SAMPLES, float(value)), source)
    law = law or m.law(float(value))
    support, counts = np.unique(indices, return_counts=True)
    empirical = np.cumsum(counts) / SAMPLES
    exact = np.array([float(law.index_cdf(int(k))) for k in support])
    before = np.array([float(law.index_cdf(int(k) - 1)) for k in support])
    return float(max(np.abs(empirical - exact).max(), np.abs(empirical - counts / SAMPLES - before).max()))


def recorded(seed: int) -> RecordedBits:
    words = np.random.default_rng(seed).integers(-(1 << 63), 1 << 63, SAMPLES, dtype=np.int64)
    extension = [int(w) for w in np.random.default_rng(seed + 1).integers(0, 1 << 64, 64, dtype=np.uint64)]
    return RecordedBits(words, extensions=dict.fromkeys(range(SAMPLES), extension))


@pytest.mark.distribution
@pytest.mark.parametrize("case", CASES, ids=str)
def test_outputs_follow_the_law(case):
    m = declared(**case)
    value = m.parameters.lower + (m.parameters.upper - m.parameters.lower) / 3
    assert empirical_distance(m, value, recorded(7)) <= TOLERANCE


@pytest.mark.distribution
@pytest.mark.long
@pytest.mark.parametrize("case", CASES, ids=str)
def test_outputs_follow_the_law_with_fresh_entropy(case):
    m = declared(**case)
    value = m.parameters.lower + (m.parameters.upper - m.parameters.lower) / 3
    assert empirical_distance(m, value, SystemBits()) <= TOLERANCE


@pytest.mark.distribution
@pytest.mark.parametrize("wrong", ["0.45", "0.55"])
def test_an_error_of_ten_percent_in_the_scale_is_seen(wrong):
    case = {"sensitivity": 1, "lower": 500, "upper": 1000, "grid": "1/8", "clamp": (0, 2000)}
    right, other = declared(epsilon="0.5", **case), declared(epsilon=wrong, **case)
    assert empirical_distance(right, Fraction(700), recorded(7), law=other.law(700)) > TOLERANCE
