"""Where the noise of a program is: the outermost product around ln(U), for what is exported to other tools.

Room: verifier. Names that were assigned are written out on the way down; what a product is, each export says itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from snapdp.verifier.language.syntax import Assignment, Expression, Program, Sample, Variable
from snapdp.verifier.machine.folding import children

R = TypeVar("R")


class NoiseWalk:
    """A program on the way to its noise: its samples, and what its names stand for."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.samples = {s.name: s.distribution for s in program.statements if isinstance(s, Sample)}
        self._assigned = {s.name: s.expression for s in program.statements if isinstance(s, Assignment)}

    def inlined(self, e: Expression) -> Expression:
        """Return what a name stands for; anything else as it is."""
        while isinstance(e, Variable) and e.name in self._assigned:
            e = self._assigned[e.name]
        return e

    def is_uniform(self, e: Expression) -> bool:
        """Tell whether an expression is a draw of U itself."""
        return isinstance(e, Variable) and self.samples.get(e.name) == "unif"

    def outermost(self, product: Callable[[Expression], R | None]) -> R | None:
        """Return the first answer of `product`, asked of the result and then of its parts, outermost first."""
        return self._outermost(Variable(name=self.program.result), product)

    def _outermost(self, e: Expression, product: Callable[[Expression], R | None]) -> R | None:
        e = self.inlined(e)
        if (found := product(e)) is not None:
            return found
        answers = (self._outermost(child, product) for child in children(e))
        return next((each for each in answers if each is not None), None)
