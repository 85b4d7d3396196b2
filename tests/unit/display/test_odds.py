"""How often somebody guesses right: rounded up, and never too few."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from snapdp.display.text import guessed_right


@pytest.mark.parametrize(
    ("epsilon", "right"),
    [("0", 50), ("1/1000000", 51), ("1/2", 63), ("1", 74), ("2", 89), ("4.595", 99), ("4.596", 100)],
)
def test_cases_are_rounded_up(epsilon: str, right: int) -> None:
    assert guessed_right(Fraction(epsilon)) == right


def test_an_epsilon_of_any_size_has_an_answer() -> None:
    assert guessed_right(Fraction(10) ** 400) == 100
    assert guessed_right(1 / Fraction(10) ** 400) == 51


def test_one_case_fewer_would_be_too_few() -> None:
    for hundredths in range(1, 460):
        exactly = 100 / (1 + math.exp(-hundredths / 100))
        assert guessed_right(Fraction(hundredths, 100)) - 1 < exactly <= guessed_right(Fraction(hundredths, 100))
