"""The draws that lead to one output: the set {U : z = x} as a formula, over the reals and as floats.

Room: verifier. For clamp(round(g + c S ln U)) the cell t1 <= y < t2 of an output is an interval of U for each sign,
with the ends exp((t - g) eps) or exp((g - t) eps), eps = 1/|c|; 1 where the noise is 0. g is f(D), or what the program
makes of it before the noise. The floats are found by running the program, also where it has no such formula: then the
answer says what it lacks. Theory: docs/theory/verifier-loss.md, (15) and (20).
"""

from __future__ import annotations

from fractions import Fraction

from snapdp.errors import ParameterError, PremiseError
from snapdp.exact import HALF, Enclosure, enclose, exp_enclosure, exponent_of_power, parameter, round_nearest
from snapdp.values import Value
from snapdp.verifier.language.syntax import Program, QueryValue
from snapdp.verifier.loss.exact_loss import ProgramLaw
from snapdp.verifier.loss.pointwise import cell_ends, held_output
from snapdp.verifier.loss.query_path import value_on
from snapdp.verifier.loss.shape import Shape, recognise
from snapdp.verifier.machine.execution import Execution
from snapdp.verifier.machine.folding import folded
from snapdp.verifier.machine.given import query_value, typed
from snapdp.verifier.machine.machine import Machine

MARGIN_BITS = 64


class DrawsOfSign(Value):
    """For one sign: the condition on U in symbols, its ends over the reals, and the least and greatest float U."""

    sign: int
    condition: str | None  # None: over the reals no U leads to the output, or there is no formula
    lower: Enclosure | None  # None: there is no formula
    upper: Enclosure | None
    first: Fraction | None  # None: no float does, or all down to 0
    last: Fraction | None  # None: no float does


class OutputDraws(Value):
    """All draws that lead from one value of the query to one output.

    added    what the noise is added to, where that is known: f itself, or what the program makes of it
    lacking  why there is no formula, where there is none
    """

    program: Program
    machine: Machine
    f: Fraction
    added: Fraction | None
    output: Fraction
    shape: Shape
    signs: tuple[DrawsOfSign, ...]
    lacking: str | None


def output_draws(program: Program, machine: Machine, *, f: object, output: object) -> OutputDraws:
    """Return the draws that lead from f(D) = f to an output.

    >>> from snapdp.verifier import Machine, load_program
    >>> found = output_draws(load_program("snap_half"), Machine(), f=3, output=6)
    >>> [each.condition for each in found.signs]
    [None, 'exp((f - x - Lambda/2) eps) < U <= exp((f - x + Lambda/2) eps)']
    """
    shape, execution = recognise(folded(program, machine), program, machine), Execution(program, machine)
    _require_floats(program, execution)
    value, x = _query_value(execution, program, f), parameter(output, name="the output")
    lacking = _lacking(shape)
    if lacking is None:
        _require_output(shape, x)
    else:
        x = as_float(x, machine)
    law = ProgramLaw(execution, value, shape)
    added = None if shape.path is None else value_on(shape.path, value, machine)
    formula = added if lacking is None else None
    signs = tuple(_of_sign(sign, law, shape, formula, x) for sign in execution.signs)
    return OutputDraws(
        program=program, machine=machine, f=value, added=added, output=x, shape=shape, signs=signs, lacking=lacking
    )


def _require_floats(program: Program, execution: Execution) -> None:
    if execution.drawn is None or execution.query is None:
        raise PremiseError(f"{program.name} has no {'draw' if execution.drawn is None else 'query'}.")
    if execution.laplace:
        raise PremiseError(f"{program.name} draws a Laplace variable, and no uniform U.", "Give a program that does.")
    if execution.machine.sampler == "ideal":
        raise PremiseError("on this machine U is a real number, no float.", "Give the sampler ulp or nearest.")


def _query_value(execution: Execution, program: Program, f: object) -> Fraction:
    query = next(each for each in program.queries if each.name == execution.query)
    return query_value(query, parameter(f, name="f"), execution.machine)


def _lacking(shape: Shape) -> str | None:
    """Return what a program lacks for a formula: the first premise of the theorem that fails, or a plain output."""
    if shape.failed:
        return f'the premise "{shape.failed[0].name}" fails: {shape.failed[0].detail}'
    if shape.snap.released is not None:
        return "what is released is computed from the snapped value"
    if shape.noise is not None and shape.noise.folded:
        return "the noise is the inverse of its distribution function, at a draw that is folded about 1/2"
    return None


def _require_output(shape: Shape, x: Fraction) -> None:
    ends = (shape.clamp_lower, shape.clamp_upper)
    assert shape.grid is not None
    if x not in ends and (x % shape.grid or not ends[0] < x < ends[1]):  # type: ignore[operator]
        raise ParameterError(
            f"{typed(x)} is no output.", f"Outputs are multiples of {shape.grid} from {ends[0]} to {ends[1]}."
        )


def as_float(x: Fraction, machine: Machine) -> Fraction:
    """Return a number as an output: itself where it is a binary fraction or sums are exact, else the nearest float."""
    is_output = machine.adds_exactly or exponent_of_power(Fraction(x.denominator)) is not None
    return x if is_output else round_nearest(x, machine.p)


def _of_sign(sign: int, law: ProgramLaw, shape: Shape, added: Fraction | None, x: Fraction) -> DrawsOfSign:
    condition, lower, upper = (None, None, None) if added is None else _over_the_reals(sign, law, shape, added, x)
    held = x if added is None else held_output(shape, law.execution.machine, x)
    preimage = law.preimage(sign, held)
    draw = law.execution.draw
    some = preimage.start < preimage.stop
    return DrawsOfSign(
        sign=sign,
        condition=condition,
        lower=lower,
        upper=upper,
        first=draw.value(preimage.start) if some and draw.is_float(preimage.start) else None,
        last=draw.value(preimage.stop - 1) if some else None,
    )


def _over_the_reals(
    sign: int, law: ProgramLaw, shape: Shape, f: Fraction, x: Fraction
) -> tuple[str | None, Enclosure, Enclosure]:
    assert shape.noise is not None
    rising = shape.noise.coefficient * sign > 0  # the sum rises with U
    low, high = cell_ends(shape, x)
    if not rising:
        low, high = (None if end is None else 2 * f - end for end in (high, low))
    reached = low is None or low < f
    condition = _condition(shape, f, x, rising=rising) if reached else None
    return condition, enclose(0) if low is None else _draw_at(low, f, shape, law), _draw_at(high, f, shape, law)


def _draw_at(t: Fraction | None, f: Fraction, shape: Shape, law: ProgramLaw) -> Enclosure:
    """Return exp((t - f) eps), at most 1; 1 also where there is no end."""
    epsilon = shape.noise_epsilon
    assert epsilon is not None
    if t is None or t >= f:
        return enclose(1)
    return exp_enclosure((t - f) * epsilon, 2 * law.execution.machine.p + MARGIN_BITS)


def _condition(shape: Shape, f: Fraction, x: Fraction, *, rising: bool) -> str:
    """Return the condition on U in symbols: f or g, x, Lambda, eps; an end that is no half step is its number."""
    assert shape.grid is not None
    low, high = cell_ends(shape, x)
    name = letter(shape)

    def end(t: Fraction, half: str) -> str:
        known = abs(t - x) == shape.grid * HALF  # type: ignore[operator]
        if rising:
            return f"exp(({f'x {half} Lambda/2' if known else typed(t)} - {name}) eps)"
        opposite = "-" if half == "+" else "+"
        return f"exp(({name} - {f'x {opposite} Lambda/2' if known else typed(t)}) eps)"

    lowest = None if low is None else end(low, "-")
    highest = None if high is None else end(high, "+")
    if rising:
        first = "0 < U" if lowest is None else f"{lowest} <= U"
        return f"{first} < 1" if high is None or high >= f else f"{first} < {highest}"
    first = "0 < U" if highest is None else f"{highest} < U"
    return f"{first} < 1" if low is None or low <= f else f"{first} <= {lowest}"


def letter(shape: Shape) -> str:
    """Return the letter for what the noise is added to: f where that is f(D) itself."""
    return "f" if isinstance(shape.path, QueryValue) else "g"
