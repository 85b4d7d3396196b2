"""Faults to plant in our own code: a release with one of them goes through the same public API as one without.

Each takes a `pytest.MonkeyPatch` and changes as little as makes the fault. Much that breaks others changes nothing in
ours, and is no fault here: a finer grid alone, a sum cut off instead of rounded, halves of the sum rounded to even or
its zero printed as -0.0 are functions of an exact sum and tell no more than it does. So a fault leaves the exact sum.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from snapdp.exact.dyadic import round_down
from snapdp.lab.attacks import statistics as equal_columns, statistics as means, timing
from snapdp.mechanism import mechanism, parameters
from snapdp.mechanism.sampling import filter as filtering
from snapdp.mechanism.sampling.filter import Filter, ScalarSampler
from snapdp.mechanism.sampling.vectors import VectorSampler
from snapdp.release import release as releasing
from snapdp.studies.statistics import histogram, parts, sum as sums
from snapdp.values import replaced

Plant = Callable[[pytest.MonkeyPatch], None]
FINER_THAN_DOUBLES = 1 << 120
SMALLEST_DRAW = 2.0**-52
NOISE_BITS = 53


def _never_in_doubt(monkeypatch: pytest.MonkeyPatch, noise: float = 1.0) -> None:
    """Plant a beta of 0: a filter that takes the logarithm in doubles for the truth, and hands nothing over."""

    def build_filter(_: Any, where: Any, **__: Any) -> Filter:
        scale, grid = float(where.noise_scale), float(where.grid)
        return Filter(noise_scale=noise * scale, grid=grid, smallest=SMALLEST_DRAW, threshold=math.inf)

    monkeypatch.setattr(filtering, "build_filter", build_filter)


def unsnapped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plant a grid finer than doubles, of numbers and of statistics, and a beta of 0: a sum of doubles is released.

    Without the last of their 52 digits its draws are draws of numpy as well, whose reach the attacks know.
    """
    _never_in_doubt(monkeypatch)
    monkeypatch.setattr(filtering, "DOUBLE_MASK", filtering.DOUBLE_MASK - 1)
    monkeypatch.setattr(parameters, "LARGEST_INDEX", FINER_THAN_DOUBLES**2)
    monkeypatch.setattr(parameters, "FINE", FINER_THAN_DOUBLES)
    monkeypatch.setattr(parts, "part_grid", lambda *_: Fraction(1, FINER_THAN_DOUBLES))
    monkeypatch.setattr(parts, "check_printable", lambda *_, **__: None)


def unsnapped_in_little_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plant the same with a sixteenth of the noise: more outputs lie near zero, and fewer need be drawn.

    It is the digits that give the input away: on its grid ours has none below 2^-53, however small the noise is.
    """
    unsnapped(monkeypatch)
    _never_in_doubt(monkeypatch, noise=1 / 16)


def snapped_in_little_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plant the little noise alone: the twin that the attack on digits must not see."""
    _never_in_doubt(monkeypatch, noise=1 / 16)


def truncated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plant a grid of 1 at epsilon 1/2, and noise that is cut off to it, not rounded, before it is added."""
    _never_in_doubt(monkeypatch)
    monkeypatch.setattr(parameters, "FINE", 2)
    monkeypatch.setattr(filtering, "UNSPLIT_SPAN", -1)  # value and noise apart: the sum may be cut off as one likes
    monkeypatch.setattr(filtering, "floor", lambda above: math.trunc(above - 0.5))


def value_to_even(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plant that a value is rounded to the grid before the noise, halves to the even multiple."""
    monkeypatch.setattr(ScalarSampler, "_split", lambda self, value: (round(value / self.filter.grid), 0.0))


def _released_by(monkeypatch: pytest.MonkeyPatch, changed: Callable[[Callable[[float], float], float], float]) -> None:
    """Plant another release of a number, made of ours: from our release and a value to an output."""
    ours = ScalarSampler.release

    def release(self: Any, value: float, *given: Any) -> float:
        return changed(lambda each: ours(self, each, *given), value)

    monkeypatch.setattr(ScalarSampler, "release", release)


def zero_with_the_sign_of_the_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plant that a released zero keeps the sign that the value had."""

    def signed(ours: Callable[[float], float], value: float) -> float:
        output = ours(value)
        return math.copysign(output, value) if output == 0 else output

    _released_by(monkeypatch, signed)


def zeros_with_the_signs_of_the_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plant the same in arrays, which other code draws."""
    ours = VectorSampler.release

    def release(self: Any, values: Any, out: Any, *given: Any, **named: Any) -> None:
        ours(self, values, out, *given, **named)
        np.copysign(out, values, out=out, where=out == 0)

    monkeypatch.setattr(VectorSampler, "release", release)


def noise_for_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plant that noise alone is rounded to the grid, and the value is added to it."""
    _released_by(monkeypatch, lambda ours, value: value + ours(0.0))


def as_long_as_its_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plant a draw that takes longer for more noise, on a clock that counts it: no test waits for a real one."""
    now = [0]

    def slow(ours: Callable[[float], float], value: float) -> float:
        output = ours(value)
        now[0] += 100 + int(abs(output - value))
        return output

    _released_by(monkeypatch, slow)
    monkeypatch.setitem(timing.timed.__kwdefaults__, "clock", lambda: now[0])


def summed_by(total: Callable[[Any], float]) -> Plant:
    """Return the fault of another sum in place of the exact one: integers that are off by as much as it is.

    total   of an array of the cells; NaN where it has no number
    """

    def another_sum(monkeypatch: pytest.MonkeyPatch) -> None:
        exact, once = releasing.exact_values, equal_columns._released

        def released(kind: str, column: Any, epsilon: Fraction, cells: Any, copies: int) -> list[Any]:
            error = _error(total(np.array(cells)), column, cells)

            def off(*given: Any, **named: Any) -> Any:
                return [[[n + error for n in part] for part in found] for found in exact(*given, **named)]

            monkeypatch.setattr(releasing, "exact_values", off)
            return once(kind, column, epsilon, cells, copies)

        monkeypatch.setattr(equal_columns, "_released", released)

    return another_sum


def _error(found: float, column: Any, cells: Any) -> Any:
    """Return by how many steps of a column a sum is off; NaN where it is none."""
    if math.isnan(found):
        return found
    counted = (Fraction(column["missing"] if math.isnan(cell) else cell) for cell in cells)
    return int((Fraction(found) - sum(counted)) / Fraction(column.get("step", 1)))


def readable_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plant that a mean divides by the cells that can be read, under noise for all: n times it is the sum of n rows."""
    monkeypatch.setattr(means, "UNIT", equal_columns.numbers_between((0, 1)))
    summed_by(lambda cells: float(len(cells) * np.nanmean(cells)))(monkeypatch)


def one_bin_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plant that a row which changes is thought to move one bin."""
    two = histogram.count_part
    monkeypatch.setattr(histogram, "count_part", lambda *given: replaced(two(*given), moving=1, share=Fraction(1)))


def one_group_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plant that a row which changes is thought to move the sum of a group by its largest cell, and not by twice it."""
    two = sums.in_groups
    thought = {"moving": 1, "share": Fraction(1)}
    monkeypatch.setattr(sums, "in_groups", lambda *given, **named: replaced(two(*given, **named), **thought))


def one_row_of_each_person(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plant that the noise of a count is for one row of each person, however many are kept."""
    all_rows = histogram.count_part

    def of_one(*given: Any) -> Any:
        part = all_rows(*given)
        return replaced(part, numerator=replaced(part.numerator, sensitivity=1))

    monkeypatch.setattr(histogram, "count_part", of_one)


def noise_scale_rounded_down(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plant a noise scale that is a double: Delta/epsilon, rounded down to 53 bits."""
    exact = mechanism.exact_parameters

    def rounded(**premises: Any) -> Any:
        found = exact(**premises)
        return replaced(found, noise_scale=round_down(found.noise_scale, NOISE_BITS))

    monkeypatch.setattr(mechanism, "exact_parameters", rounded)
