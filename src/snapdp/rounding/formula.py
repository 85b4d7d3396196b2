"""Arithmetic formulas as straight lines of steps: what an error bound is about.

Room: rounding. Readers of text and of FPCore build these through `Builder`. Equal steps are one step: a machine that
repeats a computation repeats its rounding error, so the errors of repeated parts are not counted as independent.
A format says which floats there are: p bits, and exponents with or without an end.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from snapdp.display import exact_operand
from snapdp.errors import ParameterError
from snapdp.exact import power_of_two
from snapdp.values import Value

Given = Literal["input", "constant", "number"]  # what a formula begins with
Applied = Literal["neg", "sqrt", "exp", "ln", "add", "sub", "mul", "div", "fma"]  # a new one: mypy names who must know
# operation: number of arguments
OPERATIONS: dict[Applied, int] = {
    "neg": 1,
    "sqrt": 1,
    "exp": 1,
    "ln": 1,
    "add": 2,
    "sub": 2,
    "mul": 2,
    "div": 2,
    "fma": 3,
}
LARGEST_FORMULA = 2000


class Format(Value):
    """Floats of p bits; least and greatest are exponents of the smallest subnormal and of overflow, or None."""

    p: int
    least: int | None = None
    greatest: int | None = None

    def _check(self) -> None:
        if not 2 <= self.p <= 4096:
            raise ParameterError(f"p = {self.p} is no precision a float can have.", "Give 2 <= p <= 4096.")

    def __str__(self) -> str:
        known = {BINARY64: "binary64", BINARY32: "binary32"}
        return known.get(self, f"{self.p} bits, exponents unbounded")

    @property
    def largest(self) -> Fraction | None:
        """Return the largest finite float."""
        return None if self.greatest is None else power_of_two(self.greatest) * (1 - power_of_two(-self.p))


BINARY64 = Format(p=53, least=-1074, greatest=1024)
BINARY32 = Format(p=24, least=-149, greatest=128)


class Operation(Value):
    """One operation; its arguments are earlier steps. "input" and "constant" have a name, "number" has a value."""

    operation: Given | Applied
    arguments: tuple[int, ...] = ()
    name: str = ""
    value: Fraction | None = None


class Formula(Value):
    """Steps in order of evaluation; the last one is the result."""

    steps: tuple[Operation, ...]

    @property
    def inputs(self) -> tuple[str, ...]:
        return tuple(step.name for step in self.steps if step.operation == "input")

    def __str__(self) -> str:
        """Return the formula on one line; repeated parts are written out, cut where that is long."""
        text: list[str] = []
        for step in self.steps:
            text.append(_shortened(_written(step, [text[i] for i in step.arguments])))
        whole = text[-1]
        return whole[1:-1] if whole.startswith("(") and self.steps[-1].operation in _SIGNS else whole


_SIGNS: dict[str, str] = {"add": "+", "sub": "-", "mul": "*", "div": "/"}


def _written(step: Operation, parts: list[str]) -> str:
    if step.operation in _SIGNS:
        return f"({parts[0]} {_SIGNS[step.operation]} {parts[1]})"
    if step.operation == "number":
        assert step.value is not None
        return exact_operand(step.value)
    return step.name or ("-" + parts[0] if step.operation == "neg" else f"{step.operation}({', '.join(parts)})")


def _shortened(text: str) -> str:
    return text if len(text) <= 400 else f"{text[:200]} ... {text[-100:]}"


class Builder:
    """Collects steps; an equal step is found again instead of being added."""

    def __init__(self) -> None:
        self.steps: list[Operation] = []
        self._places: dict[Operation, int] = {}

    def add(self, step: Operation) -> int:
        if step not in self._places:
            if len(self.steps) >= LARGEST_FORMULA:
                raise ParameterError(f"the formula has more than {LARGEST_FORMULA} operations.", "Bound parts of it.")
            self._places[step] = len(self.steps)
            self.steps.append(step)
        return self._places[step]

    def number(self, value: Fraction) -> int:
        return self.add(Operation(operation="number", value=value))

    def input(self, name: str) -> int:
        return self.add(Operation(operation="input", name=name))

    def apply(self, operation: Applied, *arguments: int) -> int:
        assert len(arguments) == OPERATIONS[operation]
        return self.add(Operation(operation=operation, arguments=arguments))

    def formula(self, result: int) -> Formula:
        """Return the steps that the result needs."""
        needed: set[int] = set()
        waiting = [result]
        while waiting:
            place = waiting.pop()
            if place not in needed:
                needed.add(place)
                waiting += self.steps[place].arguments
        places = {old: new for new, old in enumerate(sorted(needed))}
        steps = (self.steps[old] for old in sorted(needed))
        return Formula(
            steps=tuple(
                Operation(
                    operation=s.operation,
                    arguments=tuple(places[i] for i in s.arguments),
                    name=s.name,
                    value=s.value,
                )
                for s in steps
            )
        )
