"""Programs of the snapping mechanism with any constants, for tests."""

from __future__ import annotations

from fractions import Fraction

from snapdp.lab.language.parser import parse
from snapdp.lab.language.syntax import Program
from snapdp.lab.loss.universal_bound import Shape, recognise
from snapdp.lab.semantics.execution import Execution
from snapdp.lab.semantics.machine import Machine

DIVIDED = "S * ln(U) / eps"


def snap(
    eps, grid, bound, *, noise=DIVIDED, query=None, private="f(D)", output="clamp[B](round[Lambda](y))"
) -> Program:
    lower, upper = query or (f"-({bound})", bound)
    return parse(
        f"""program snap {{
          param eps = {eps}; param Lambda = {grid}; param B = {bound};
          query f in [{lower}, {upper}] sensitivity 1;
          U <-$ unif; S <-$ {{-1,1}};
          y = {private} + {noise};
          z = {output};
          return z;
        }}"""
    )


def shape_of(program: Program, machine: Machine) -> Shape:
    return recognise(program, machine)


def judged(program: Program, machine: Machine) -> tuple[Execution, Shape]:
    return Execution(program, machine), shape_of(program, machine)


def floats_in(lower: Fraction, upper: Fraction, p: int) -> list[Fraction]:
    """Return every f in [lower, upper - 1] such that f and f + 1 are p-bit floats."""
    from snapdp.exact.dyadic import round_nearest

    step = Fraction(1, 1 << (p - 1))  # one of f and f + 1 has magnitude at least 1/2
    count = int((upper - 1 - lower) / step)
    candidates = (lower + i * step for i in range(count + 1))
    return [f for f in candidates if round_nearest(f, p) == f and round_nearest(f + 1, p) == f + 1]
