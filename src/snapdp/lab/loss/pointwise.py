"""The cases of Theorem 2 of Liu's note (L20): the bound for two inputs and one output, and the draws of an output.

Every probability that occurs is enclosed. Two forms of the same analysis: `post` treats the sum's rounding as a fixed
move of the boundary; `note` perturbs the boundary by a factor 1 + eta either way, as the proof in the note does. For S
= 1 the noise is negative: left(t) = P(y < t); for S = -1 positive: right(t) = P(y >= t). `output_draws` returns the
draws U with z = x (L20's (L, R) and (l, r)): as a formula, as an interval of reals, and as the float interval found by
running the program. Where the program has no such formula the answer says what it lacks.
Theory: docs/theory/verifier-loss.md, (15)-(20).
"""

from __future__ import annotations

from fractions import Fraction

from snapdp.errors import ParameterError, PremiseError
from snapdp.exact.dyadic import HALF, exponent_of_power, nearest_multiple, round_nearest
from snapdp.exact.enclosure import Enclosure, enclose, maximum
from snapdp.exact.functions import exp_enclosure
from snapdp.exact.numbers import parameter
from snapdp.lab.language.syntax import Program, QueryValue
from snapdp.lab.loss.exact_loss import Outputs, ProgramLaw, held_output
from snapdp.lab.loss.normal_form import Snap, half_gap
from snapdp.lab.loss.universal_bound import Shape, exp_down, exp_up, ln_up, recognise, tail_errors, working_bits
from snapdp.lab.semantics.execution import Execution
from snapdp.lab.semantics.machine import Machine, query_value, typed
from snapdp.values import Value

FORMS = ("post", "note")
NOTHING, WHOLE = enclose(0), enclose(1)


class Pointwise(Value):
    """The case an output falls into, its probabilities from both inputs, and the bound of the loss (None: none)."""

    case: str
    output: Fraction
    probability: Enclosure
    probability_prime: Enclosure
    loss_upper: Fraction | None


def pointwise(
    shape: Shape, machine: Machine, *, f: Fraction, f_prime: Fraction, output: Fraction, form: str = "post"
) -> Pointwise:
    """Return the case analysis of one output, for a shape without a failed premise."""
    p, q = (_probability(shape, machine, value, output, form) for value in (f, f_prime))
    loss_upper = None
    if p.lower > 0 and q.lower > 0:
        loss_upper = ln_up(max(p.upper / q.lower, q.upper / p.lower), working_bits(machine))
    return Pointwise(
        case=case_of(shape, f=f, f_prime=f_prime, output=output),
        output=output,
        probability=p,
        probability_prime=q,
        loss_upper=loss_upper,
    )


def cell_ends(shape: Shape, output: Fraction) -> tuple[Fraction | None, Fraction | None]:
    """Return t1 and t2: y in [t1, t2) gives the output; None where the clamp leaves no end."""
    (low, high), (grid, lower, upper) = shape.boundaries, shape.grid_and_clamp
    if output == lower:
        return None, low
    if output == upper:
        return high, None
    middle = output + shape.snap.offset
    return middle - grid / 2, middle + grid / 2


def _probability(shape: Shape, machine: Machine, f: Fraction, output: Fraction, form: str) -> Enclosure:
    """Enclose the probability of an output, 1/2 (left(t2) - left(t1)) + 1/2 (right(t1) - right(t2)); theory (15)."""
    low, high = cell_ends(shape, output)
    left_low, right_low = (NOTHING, WHOLE) if low is None else _both_sides(shape, machine, f, low, form)
    left_high, right_high = (WHOLE, NOTHING) if high is None else _both_sides(shape, machine, f, high, form)
    return (_difference(left_high, left_low) + _difference(right_low, right_high)) * HALF


def _difference(more: Enclosure, less: Enclosure) -> Enclosure:
    return maximum(more - less, NOTHING)


def _both_sides(shape: Shape, machine: Machine, f: Fraction, t: Fraction, form: str) -> tuple[Enclosure, Enclosure]:
    """Return left(t) and right(t) for one input."""
    low, high = moved_boundary(t, shape.snap, machine, form)
    left = Enclosure(_tail(shape, machine, f - low).lower, _tail(shape, machine, f - high).upper)
    right = Enclosure(_tail(shape, machine, high - f).lower, _tail(shape, machine, low - f).upper)
    return left, right


def moved_boundary(t: Fraction, snap: Snap, machine: Machine, form: str) -> tuple[Fraction, Fraction]:
    """Return c-, c+: y < t if the real sum is below the first, only if it is at most the second; theory (9), (18).

    A sum that does not round moves nothing, in either form; theory (27). What other steps than the sum's rounding move
    is bounded, in both forms, by the same two numbers for every t; theory (44).
    """
    if machine.adds_exactly:
        return t, t
    if not snap.is_plain:
        return t - snap.below, t + snap.above
    if form == "note":
        stretch = 1 + machine.eta
        return (t / stretch, t * stretch) if t > 0 else (t * stretch, t / stretch)
    moved = half_gap(abs(t), machine.p)
    if exponent_of_power(t) is not None:
        moved /= 2  # below a power of two floats are twice as dense
    return t - moved, t - moved


def _tail(shape: Shape, machine: Machine, distance: Fraction) -> Enclosure:
    """Enclose P(noise of one sign goes at least, or strictly further than, the distance); theory (7)."""
    if distance < 0:
        return WHOLE
    bits, scaled = working_bits(machine), shape.epsilon * distance
    shortfall, surplus = tail_errors(distance, shape, machine)
    return Enclosure(exp_down(-scaled - shortfall, bits), min(Fraction(1), exp_up(-scaled + surplus, bits)))


# The cases


def case_of(shape: Shape, *, f: Fraction, f_prime: Fraction, output: Fraction) -> str:
    """Return the name of the case that an output falls into; every output falls into exactly one."""
    low, high = sorted((snapped(shape, f), snapped(shape, f_prime)))
    if output == shape.clamp_lower:
        return "x = lower end"
    if output == shape.clamp_upper:
        return "x = upper end"
    if low == high == output:
        return "x = [f(a)] = [f(a')]"
    if output == low:
        return "x = [f(a)]"
    if output == high:
        return "x = [f(a')]"
    if low < output < high:
        return "x between [f(a)] and [f(a')]"
    where = "x = 0" if output == 0 else "y < 0" if output < 0 else "y > 0"
    return f"x below [f(a)], {where}" if output < low else f"x above [f(a')], {where}"


CASES = (
    "x = lower end",
    "x below [f(a)], y < 0",
    "x below [f(a)], y > 0",
    "x below [f(a)], x = 0",
    "x = [f(a)]",
    "x between [f(a)] and [f(a')]",
    "x = [f(a')]",
    "x above [f(a')], y > 0",
    "x above [f(a')], y < 0",
    "x above [f(a')], x = 0",
    "x = upper end",
    "x = [f(a)] = [f(a')]",
)


def snapped(shape: Shape, value: Fraction) -> Fraction:
    """Return what a value would be released as without noise."""
    grid, lower, upper = shape.grid_and_clamp
    return min(max(nearest_multiple(value - shape.snap.offset, grid), lower), upper)


def tried_outputs(shape: Shape, *, f: Fraction, f_prime: Fraction, most: int = 400) -> list[Fraction]:
    """Return all outputs, or of more than `most` those near the ends, near the inputs and near zero."""
    outputs = Outputs(shape)
    indices = list(range(outputs.first, outputs.last + 1))[:most]
    if len(outputs) > most:
        centres = (outputs.nearest(value) for value in (f, f_prime, Fraction(0)))
        indices = outputs.near((outputs.first, outputs.last, *centres), 8)
    return [outputs.at(index) for index in indices]


def case_table(
    shape: Shape, machine: Machine, *, f: Fraction, f_prime: Fraction, form: str = "post", most: int = 400
) -> list[tuple[str, Pointwise | None]]:
    """Return, for every case, the tried output with the largest bound; None where none falls into it."""
    worst: dict[str, Pointwise] = {}
    for output in tried_outputs(shape, f=f, f_prime=f_prime, most=most):
        analysis = pointwise(shape, machine, f=f, f_prime=f_prime, output=output, form=form)
        known, loss = worst.get(analysis.case), analysis.loss_upper
        if known is None or known.loss_upper is None or (loss is not None and loss > known.loss_upper):
            worst[analysis.case] = analysis
    return [(case, worst.get(case)) for case in CASES]


# The draws of an output. For clamp(round(g + c S ln U)) its cell t1 <= y < t2 is an interval of U for each sign, with
# the ends exp((t - g) eps) or exp((g - t) eps), eps = 1/|c|; 1 where the noise is 0. g is f(D), or what the program
# makes of it before the noise. Theory: docs/theory/verifier-loss.md, (15) and (20).

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

    >>> from snapdp.lab.language.parser import load_program
    >>> from snapdp.lab.semantics.machine import Machine
    >>> found = output_draws(load_program("snap_half"), Machine(), f=3, output=6)
    >>> [each.condition for each in found.signs]
    [None, 'exp((f - x - Lambda/2) eps) < U <= exp((f - x + Lambda/2) eps)']
    """
    shape, execution = recognise(program, machine), Execution(program, machine)
    if execution.drawn is None or execution.query is None:
        raise PremiseError(f"{program.name} has no {'draw' if execution.drawn is None else 'query'}.")
    if execution.laplace:
        raise PremiseError(f"{program.name} draws a Laplace variable, and no uniform U.", "Give a program that does.")
    if machine.sampler == "ideal":
        raise PremiseError("on this machine U is a real number, no float.", "Give the sampler ulp or nearest.")
    query = next(query for query in program.queries if query.name == execution.query)
    value, x = query_value(query, parameter(f, name="f"), machine), parameter(output, name="the output")
    lacking = None  # for a formula: the first premise of the theorem that fails, or a plain output
    if shape.failed:
        lacking = f'the premise "{shape.failed[0].name}" fails: {shape.failed[0].detail}'
    elif shape.snap.released is not None:
        lacking = "what is released is computed from the snapped value"
    elif shape.folds_its_draw:
        lacking = "the noise is the inverse of its distribution function, at a draw that is folded about 1/2"
    if lacking is None:
        grid, lower, upper = shape.grid_and_clamp
        if x not in (lower, upper) and (x % grid or not lower < x < upper):
            advice = f"Outputs are multiples of {grid} from {lower} to {upper}."
            raise ParameterError(f"{typed(x)} is no output.", advice)
        held = held_output(shape, machine, x)
    else:  # an output is a binary fraction, or any number where sums are exact
        is_output = machine.adds_exactly or exponent_of_power(Fraction(x.denominator)) is not None
        held = x = x if is_output else round_nearest(x, machine.p)
    law = ProgramLaw(execution, value, shape)
    added = None if shape.path is None else shape.added(value, machine)
    signs = []
    for sign in execution.signs:
        condition, lower_end, upper_end = None, None, None
        if lacking is None and added is not None:
            condition, lower_end, upper_end = _over_the_reals(sign, shape, machine, added, x)
        preimage, draw = law.preimage(sign, held), execution.draw
        some = preimage.start < preimage.stop
        signs.append(
            DrawsOfSign(
                sign=sign,
                condition=condition,
                lower=lower_end,
                upper=upper_end,
                first=draw.value(preimage.start) if some and draw.is_float(preimage.start) else None,
                last=draw.value(preimage.stop - 1) if some else None,
            )
        )
    return OutputDraws(
        program=program,
        machine=machine,
        f=value,
        added=added,
        output=x,
        shape=shape,
        signs=tuple(signs),
        lacking=lacking,
    )


def _over_the_reals(
    sign: int, shape: Shape, machine: Machine, g: Fraction, x: Fraction
) -> tuple[str | None, Enclosure, Enclosure]:
    """Return the condition on U in symbols, f or g, x, Lambda and eps, and both ends over the reals."""
    assert shape.noise is not None
    (grid, *_), (first, last), name = shape.grid_and_clamp, cell_ends(shape, x), letter(shape)
    rising, below, most = shape.noise.coefficient * sign > 0, "<=", "<"  # does the sum rise with U?
    if not rising:
        first, last, below, most = last, first, most, below

    def exponent(t: Fraction) -> Fraction:
        return (t - g if rising else g - t) * shape.epsilon

    def end(t: Fraction) -> str:
        half = "-" if (t < x) == rising else "+"
        text = f"x {half} Lambda/2" if abs(t - x) == grid * HALF else typed(t)  # an end that is no half step: a number
        return f"exp(({text} - {name}) eps)" if rising else f"exp(({name} - {text}) eps)"

    lower, upper = (
        WHOLE if t is None or exponent(t) >= 0 else exp_enclosure(exponent(t), 2 * machine.p + MARGIN_BITS)
        for t in (first, last)
    )
    if first is not None and exponent(first) >= 0:
        return None, lower, upper
    condition = "0 < U" if first is None else f"{end(first)} {below} U"
    condition += " < 1" if last is None or exponent(last) >= 0 else f" {most} {end(last)}"
    return condition, NOTHING if first is None else lower, upper


def letter(shape: Shape) -> str:
    """Return the letter for what the noise is added to: f where that is f(D) itself."""
    return "f" if isinstance(shape.path, QueryValue) else "g"
