"""The second definition shares nothing with the first, and answers what a third one answers, by Arb."""

from __future__ import annotations

import ast
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import flint
import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from snapdp.lab.selftest.sampler import draw_words
from tests import ROOT
from tests.oracles import cipher, definition, logarithm
from tests.oracles.definition import index
from tests.oracles.logarithm import ln_enclosed, minus_ln_rounded, rounded
from tests.oracles.strings import SeededBits
from tests.properties.samebits import (
    CASES,
    PLACED_DIGITS,
    awkward_doubles,
    first_digits,
    reference_index,
    reference_inner,
    rounded_to,
)

ALONE = (logarithm, definition, cipher)
PLAIN = {"__future__", "math", "fractions", "functools", "typing", "collections.abc"}
NAMES = [
    "count, fine",
    "clamped to -100..0",
    "2**51 steps",
    "no power of two",
    "notes, sensitivity 1/10",
    "step 3/7, notes",
]
NAMES += ["53-bit logarithm, 118-bit product", "4 bits"]


@pytest.mark.parametrize("module", ALONE, ids=lambda module: module.__name__.split(".")[-1])
def test_a_second_definition_imports_nothing_but_plain_python_and_its_own_logarithm(module):
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    nodes = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
    asked = {node.module if isinstance(node, ast.ImportFrom) else node.names[0].name for node in nodes}
    assert asked <= PLAIN | {"tests.oracles.logarithm"}


def test_neither_gmpy2_nor_numpy_is_loaded_by_it():
    program = (
        "import sys\nfrom tests.oracles import definition, cipher\n"
        "assert not {'gmpy2', 'numpy', 'mpmath', 'flint', 'cryptography'} & set(sys.modules), 'loaded'"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)


@given(st.integers(1, 1 << 200), st.integers(1, 1 << 200), st.sampled_from([8, 40, 150]), st.integers(0, 1))
@example(1, 1, 40, 0)
@example(1, 1, 40, 1)
@example(3, 2, 150, 0)
@example((1 << 64) - 1, 1 << 64, 40, 1)
@settings(max_examples=150, deadline=None)
def test_the_second_logarithm_is_enclosed(numerator, denominator, bits, wider):
    denominator = 1 << denominator.bit_length() if wider else denominator
    lower, upper, scale = ln_enclosed(numerator, denominator, bits, wider=wider)
    with flint.ctx.workprec(600):
        ends = [
            flint.arb(flint.fmpq(each, denominator)).log() * flint.arb(2) ** scale
            for each in (numerator, numerator + wider)
        ]
        assert numerator == denominator or lower <= ends[0]
        assert numerator + wider == denominator or ends[1] <= upper
    assert lower <= upper
    if not wider and bits > 8:  # a square that cannot be told from 2 ends the digits early, once in some 2**16
        assert Fraction(upper - lower, 1 << scale) < Fraction(1, 1 << 8)


def test_numbers_on_both_sides_of_a_power_of_two_are_not_enclosed_together():
    with pytest.raises(ValueError, match="a power of two"):
        ln_enclosed(1, 3, 8, wider=1)


@given(st.integers(1, 1 << 90), st.integers(1, 1 << 90), st.integers(2, 60))
@settings(max_examples=150, deadline=None)
def test_the_second_rounding_is_to_nearest_ties_to_even(numerator, denominator, bits):
    m, e = rounded(numerator, denominator, bits)
    x, unit = Fraction(numerator, denominator), Fraction(2) ** e
    assert 1 << (bits - 1) <= m < 1 << bits
    assert 2 * abs(x - m * unit) <= unit
    assert 2 * abs(x - m * unit) < unit or m % 2 == 0 or m == 1 << (bits - 1)


@given(st.integers(2, 60), st.integers(0, 1 << 60), st.integers(0, 90))
@settings(max_examples=100, deadline=None)
def test_the_second_rounded_logarithm_is_that_of_arb(bits, tail, exponent):
    significand = 1 << (bits - 1) | tail % (1 << (bits - 1))
    m, e = minus_ln_rounded(significand, -bits - exponent, bits)
    with flint.ctx.workprec(400):
        true = rounded_to(bits, (flint.arb(significand) * flint.arb(2) ** (-bits - exponent)).log())
    assert -m * Fraction(2) ** e == true


@pytest.mark.parametrize("name", NAMES)
def test_the_second_definition_answers_as_the_reference_by_arb(name):
    p, rng, count = CASES[name].parameters, np.random.default_rng(7), 24
    values = [value for value in awkward_doubles(p, rng, 2 * count).tolist() if np.isfinite(value)][:count]
    fair = [int(each) for each in rng.integers(-(1 << 63), 1 << 63, len(values))]
    bits = SeededBits(fair, name)
    for i, value in enumerate(values):
        expected = reference_index(reference_inner(value, p), p, *first_digits(bits, i), PLACED_DIGITS)
        assert index(value, p, bits.digits(i)) == expected


def test_words_hold_the_extremes_and_strings_that_go_on_with_zeros_and_ones():
    from random import Random

    found = draw_words(Random(1), 100)
    assert {0, -1, (1 << 63) - 1, -(1 << 63)} <= set(found)
    bits = SeededBits(found, "name")
    first = [next(bits.extension(position)) for position in (0, 7, 11)]
    assert first == [0, 0, (1 << 64) - 1]
    assert next(bits.extension(1)) == next(bits.extension(1)) != next(bits.extension(2))
