"""The draws that lead to one output: the set {U : z = x} as a formula, over the reals and as floats.

Room: verifier. For clamp(round(f + c S ln U)) the cell t1 <= y < t2 of an output is an interval of U for each sign,
with the ends exp((t - f) eps) or exp((f - t) eps), eps = 1/|c|; 1 where the noise is 0. The floats are found by running
the program. Theory: docs/theory/verifier-loss.md, (15) and (20).
"""

from __future__ import annotations

from fractions import Fraction

from snapdp.errors import ParameterError, PremiseError
from snapdp.exact import HALF, Enclosure, enclose, exp_enclosure, parameter
from snapdp.values import Value
from snapdp.verifier.language.syntax import Program, QueryValue
from snapdp.verifier.loss.exact_loss import ProgramLaw
from snapdp.verifier.loss.pointwise import cell_ends
from snapdp.verifier.loss.shape import Shape, recognise
from snapdp.verifier.machine.execution import Execution
from snapdp.verifier.machine.folding import folded
from snapdp.verifier.machine.given import query_value, typed
from snapdp.verifier.machine.machine import Machine

MARGIN_BITS = 64


class DrawsOfSign(Value):
    """For one sign: the condition on U in symbols, its ends over the reals, and the least and greatest float U."""

    sign: int
    condition: str | None  # None: over the reals no U leads to the output
    lower: Enclosure
    upper: Enclosure
    first: Fraction | None  # None: no float does, or all down to 0
    last: Fraction | None  # None: no float does


class OutputDraws(Value):
    """All draws that lead from one value of the query to one output."""

    program: Program
    machine: Machine
    f: Fraction
    output: Fraction
    shape: Shape
    signs: tuple[DrawsOfSign, ...]


def output_draws(program: Program, machine: Machine, *, f: object, output: object) -> OutputDraws:
    """Return the draws that lead from f(D) = f to an output.

    >>> from snapdp.verifier import Machine, load_program
    >>> found = output_draws(load_program("snap_half"), Machine(), f=3, output=6)
    >>> [each.condition for each in found.signs]
    [None, 'exp((f - x - Lambda/2) eps) < U <= exp((f - x + Lambda/2) eps)']
    """
    shape = recognise(folded(program, machine), program, machine)
    noise, query = shape.noise, shape.query
    plain = shape.snap.released is None and isinstance(shape.path, QueryValue)
    if noise is None or query is None or shape.failed or not plain or noise.laplace or machine.sampler == "ideal":
        raise PremiseError(
            f"the draws of an output of {program.name} have no formula here.",
            "It needs clamp(round(f(D) + noise)), with floats U and every premise of the theorem.",
        )
    value, x = query_value(query, parameter(f, name="f"), machine), parameter(output, name="the output")
    ends = (shape.clamp_lower, shape.clamp_upper)
    assert shape.grid is not None
    if x not in ends and (x % shape.grid or not ends[0] < x < ends[1]):  # type: ignore[operator]
        raise ParameterError(
            f"{typed(x)} is no output.", f"Outputs are multiples of {shape.grid} from {ends[0]} to {ends[1]}."
        )
    execution = Execution(program, machine)
    law = ProgramLaw(execution, value, shape)
    signs = tuple(_of_sign(sign, law, shape, value, x) for sign in execution.signs)
    return OutputDraws(program=program, machine=machine, f=value, output=x, shape=shape, signs=signs)


def _of_sign(sign: int, law: ProgramLaw, shape: Shape, f: Fraction, x: Fraction) -> DrawsOfSign:
    assert shape.noise is not None
    rising = shape.noise.coefficient * sign > 0  # the sum rises with U
    low, high = cell_ends(shape, x)
    if not rising:
        low, high = (None if end is None else 2 * f - end for end in (high, low))
    lower, upper = _draw_at(low, f, shape, law), _draw_at(high, f, shape, law)
    reached = low is None or low < f
    preimage = law.preimage(sign, x)
    draw = law.execution.draw
    some = preimage.start < preimage.stop
    return DrawsOfSign(
        sign=sign,
        condition=_condition(shape, f, x, rising=rising) if reached else None,
        lower=lower if low is not None else enclose(0),
        upper=upper,
        first=draw.value(preimage.start) if some and draw.is_float(preimage.start) else None,
        last=draw.value(preimage.stop - 1) if some else None,
    )


def _draw_at(t: Fraction | None, f: Fraction, shape: Shape, law: ProgramLaw) -> Enclosure:
    """Return exp((t - f) eps), at most 1; 1 also where there is no end."""
    epsilon = shape.noise_epsilon
    assert epsilon is not None
    if t is None or t >= f:
        return enclose(1)
    return exp_enclosure((t - f) * epsilon, 2 * law.execution.machine.p + MARGIN_BITS)


def _condition(shape: Shape, f: Fraction, x: Fraction, *, rising: bool) -> str:
    """Return the condition on U in symbols: f, x, Lambda, eps; where an end of the cell is no half step, its number."""
    assert shape.grid is not None
    low, high = cell_ends(shape, x)

    def end(t: Fraction, half: str) -> str:
        known = abs(t - x) == shape.grid * HALF  # type: ignore[operator]
        if rising:
            return f"exp(({f'x {half} Lambda/2' if known else typed(t)} - f) eps)"
        opposite = "-" if half == "+" else "+"
        return f"exp((f - {f'x {opposite} Lambda/2' if known else typed(t)}) eps)"

    lowest = None if low is None else end(low, "-")
    highest = None if high is None else end(high, "+")
    if rising:
        first = "0 < U" if lowest is None else f"{lowest} <= U"
        return f"{first} < 1" if high is None or high >= f else f"{first} < {highest}"
    first = "0 < U" if highest is None else f"{highest} < U"
    return f"{first} < 1" if low is None or low <= f else f"{first} <= {lowest}"
