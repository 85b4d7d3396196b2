"""The equations of the theory: each file numbers its own once, so that what the code cites is one equation."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

THEORY = sorted((Path(__file__).parents[2] / "docs" / "theory").glob("*.md"))
DISPLAYED = re.compile(r"^ {4}.*\S +\((\d+)\)$")  # an equation, its number at the end of the line
STATED = re.compile(r"^\*\*[(\[](\d+)[)\]]")  # a rule in words, its number at the start of the paragraph


def numbers_of(text: str) -> Counter[int]:
    found = (DISPLAYED.match(line) or STATED.match(line) for line in text.splitlines())
    return Counter(int(match[1]) for match in found if match)


@pytest.mark.parametrize("path", THEORY, ids=lambda path: path.stem)
def test_equations_are_numbered_once(path):
    numbers = numbers_of(path.read_text(encoding="utf-8"))
    assert numbers
    assert [number for number, times in numbers.items() if times > 1] == []


def test_a_number_that_stands_twice_would_be_found():
    assert numbers_of("    a = b      (1)\n\nas in (1)\n\n**(1)** In words.\n") == {1: 2}
