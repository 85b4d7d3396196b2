"""The mechanism against its second definition, on the same strings of bits: one value, short vectors, long ones.

Indices are compared as integers, released numbers by their bits, because -0.0 == 0.0. A vector of 2**15
values or more is drawn by halves of words, in single precision first.
Theory: docs/theory/fast-path.md.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from snapdp.lab.selftest.sampler import draw_value, draw_words
from snapdp.lab.selftest.suite import Checked, Comparison, Effort
from snapdp.mechanism.mechanism import Mechanism, index_with_bits, integer_indices, release_with_bits
from snapdp.mechanism.parameters import SnappingParameters
from snapdp.mechanism.sampling.filter import ScalarSampler
from tests.oracles.definition import index, number
from tests.oracles.mechanisms import CATALOGUE
from tests.oracles.strings import SeededBits, placed

LONG = (  # sums in singles, in doubles, values that are split, both clamps within reach, finite precision
    "count, natural",
    "clamped to 0..100",
    "2**26 + 1 steps",
    "sensitivity 72/1000, 500..1000",
    "notes, count",
)
LONG_SIZE = 50_000  # more than one block, and more than the 2**15 values from which words are taken by halves
QUICK_LONG_SIZE = 33_000


class ComparedCase:
    """One mechanism of the catalogue, values for it, their strings of bits, and what the second definition answers."""

    def __init__(self, name: str, effort: Effort, count: int) -> None:
        dice = effort.dice("same bits", name, count)
        self.name, self.parameters = name, CATALOGUE[name]()
        self.bits = SeededBits(draw_words(dice, count), f"{effort.seed} {name}")
        self.values: list[Any] = [draw_value(self.parameters, dice) for _ in range(count)]
        for place in range(3, count, 4 if count < 1000 else 200):
            self.values[place] = placed(self.parameters, self.bits.digits(place), dice)

    @property
    def doubles(self) -> list[float]:
        return [float(value) for value in self.values]

    def indices(self, values: list[Any]) -> list[int]:
        return [index(value, self.parameters, self.bits.digits(i)) for i, value in enumerate(values)]

    def told(self, values: list[Any]) -> Any:
        """Return a function that says which value it was."""
        return lambda i: f"{self.name}: value {values[i]!r}, first word {self.bits.first_word(i)}: "


@lru_cache(maxsize=256)
def case_of(name: str, effort: Effort, count: int) -> ComparedCase:
    return ComparedCase(name, effort, count)


def compare_scalars(effort: Effort) -> Checked:
    """Compare index and number of one value at a time, rationals among them."""
    comparison = Comparison()
    for name in CATALOGUE:
        case = case_of(name, effort, effort.size(800, 40))
        sampler, expected = ScalarSampler(case.parameters), case.indices(case.values)
        found = [sampler.index(value, case.bits, i) for i, value in enumerate(case.values)]
        comparison.all_same(found, expected, case.told(case.values))
        printed = [sampler.release(value, case.bits, i).hex() for i, value in enumerate(case.values)]
        comparison.all_same(printed, numbers(expected, case.parameters), case.told(case.values))
    return comparison.checked()


def compare_vectors(effort: Effort) -> Checked:
    """Compare arrays of doubles, and integers as the release of a table hands them over."""
    comparison = Comparison()
    for name in CATALOGUE:
        case = case_of(name, effort, effort.size(800, 40))
        _compare_array(case, comparison)
        p = case.parameters
        whole = [int(value) for value in case.doubles if p.lower <= value <= p.upper and value.is_integer()]
        if whole:
            found = [int(each) for each in integer_indices(Mechanism(p), whole, case.bits)]
            comparison.all_same(found, case.indices(whole), case.told(whole))
    return comparison.checked()


def compare_long_vectors(effort: Effort) -> Checked:
    """Compare arrays that are long enough to be drawn by halves of words."""
    comparison = Comparison()
    for name in LONG[:2] if effort.quick else LONG:
        _compare_array(ComparedCase(name, effort, effort.size(LONG_SIZE, QUICK_LONG_SIZE)), comparison)
    return comparison.checked()


def _compare_array(case: ComparedCase, comparison: Comparison) -> None:
    import numpy as np

    m, values = Mechanism(case.parameters), case.doubles
    expected, array = case.indices(values), np.array(values)
    comparison.all_same(index_with_bits(m, array, case.bits).tolist(), expected, case.told(values))
    printed = [each.hex() for each in release_with_bits(m, array, case.bits).tolist()]
    comparison.all_same(printed, numbers(expected, case.parameters), case.told(values))


def numbers(indices: list[int], p: SnappingParameters) -> list[str]:
    """Return the printed number of each index by its bits."""
    known = {each: number(each, p).hex() for each in set(indices)}
    return [known[each] for each in indices]
