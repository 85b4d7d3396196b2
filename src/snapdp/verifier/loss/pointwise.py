"""The bound for one pair of inputs and one output, by cases: enclosures of every probability that occurs.

Room: verifier. Two forms of the same analysis. `post` treats the sum's rounding as a fixed move of the boundary;
`note` perturbs the boundary by a factor 1 + eta either way, as the published case analysis does.
For S = 1 the noise is negative: left(t) = P(y < t); for S = -1 positive: right(t) = P(y >= t).
Theory: docs/theory/verifier-loss.md, (15)-(19).
"""

from __future__ import annotations

import math
from fractions import Fraction

from snapdp.exact import (
    HALF,
    Enclosure,
    enclose,
    exp_enclosure,
    floor_log2,
    ln_enclosure,
    nearest_multiple,
    power_of_two,
)
from snapdp.values import Value
from snapdp.verifier.loss.shape import Shape
from snapdp.verifier.loss.snap import Snap
from snapdp.verifier.loss.universal_bound import shorter, tail_errors, working_bits
from snapdp.verifier.machine.machine import Machine

FORMS = ("post", "note")
NOTHING, WHOLE = enclose(0), enclose(1)


class SidedTails(Value):
    """left(t1), left(t2), right(t1), right(t2) for one input, and the probability of the output they enclose."""

    left_low: Enclosure
    left_high: Enclosure
    right_low: Enclosure
    right_high: Enclosure

    @property
    def probability(self) -> Enclosure:
        """Return 1/2 (left(t2) - left(t1)) + 1/2 (right(t1) - right(t2)); theory (15)."""
        return (_difference(self.left_high, self.left_low) + _difference(self.right_low, self.right_high)) * HALF


class Pointwise(Value):
    """The case an output falls into, the tails of both inputs, and the bound of the loss (None: it gives none)."""

    case: str
    form: str
    f: Fraction
    f_prime: Fraction
    output: Fraction
    tails: SidedTails
    tails_prime: SidedTails
    loss_upper: Fraction | None


def _difference(more: Enclosure, less: Enclosure) -> Enclosure:
    return Enclosure(max(Fraction(0), more.lower - less.upper), max(Fraction(0), more.upper - less.lower))


def pointwise(
    shape: Shape, machine: Machine, *, f: Fraction, f_prime: Fraction, output: Fraction, form: str = "post"
) -> Pointwise:
    """Return the case analysis of one output, for a shape without a failed premise."""
    tails = {value: _tails(shape, machine, value, output, form) for value in (f, f_prime)}
    p, q = tails[f].probability, tails[f_prime].probability
    loss_upper = None
    if p.lower > 0 and q.lower > 0:
        bits = working_bits(machine)
        loss_upper = ln_enclosure(shorter(max(p.upper / q.lower, q.upper / p.lower), bits, up=True), bits).upper
    return Pointwise(
        case=case_of(shape, f=f, f_prime=f_prime, output=output),
        form=form,
        f=f,
        f_prime=f_prime,
        output=output,
        tails=tails[f],
        tails_prime=tails[f_prime],
        loss_upper=loss_upper,
    )


def cell_ends(shape: Shape, output: Fraction) -> tuple[Fraction | None, Fraction | None]:
    """Return t1 and t2: y in [t1, t2) gives the output; None where the clamp leaves no end."""
    assert shape.grid is not None
    low, high = shape.boundaries
    if output == shape.clamp_lower:
        return None, low
    if output == shape.clamp_upper:
        return high, None
    middle = output + shape.snap.offset
    return middle - shape.grid / 2, middle + shape.grid / 2


def _tails(shape: Shape, machine: Machine, f: Fraction, output: Fraction, form: str) -> SidedTails:
    low, high = cell_ends(shape, output)
    left_low, right_low = (NOTHING, WHOLE) if low is None else _both_sides(shape, machine, f, low, form)
    left_high, right_high = (WHOLE, NOTHING) if high is None else _both_sides(shape, machine, f, high, form)
    return SidedTails(left_low=left_low, left_high=left_high, right_low=right_low, right_high=right_high)


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
    p = machine.p
    if machine.adds_exactly:
        return t, t
    if not snap.is_plain:
        return t - snap.below, t + snap.above
    if form == "note":
        stretch = 1 + power_of_two(-p)
        return (t / stretch, t * stretch) if t > 0 else (t * stretch, t / stretch)
    gap = power_of_two(floor_log2(abs(t)) - p + 1)
    if t > 0 and t == power_of_two(floor_log2(t)):
        gap /= 2  # below a power of two floats are twice as dense
    return t - gap / 2, t - gap / 2


def _tail(shape: Shape, machine: Machine, distance: Fraction) -> Enclosure:
    """Enclose P(noise of one sign goes at least, or strictly further than, the distance); theory (7)."""
    if distance < 0:
        return WHOLE
    epsilon, bits = shape.noise_epsilon, working_bits(machine)
    assert epsilon is not None
    shortfall, surplus = tail_errors(distance, shape, machine)
    low = exp_enclosure(shorter(-epsilon * distance - shortfall, bits, up=False), bits).lower
    high = exp_enclosure(shorter(-epsilon * distance + surplus, bits, up=True), bits).upper
    return Enclosure(low, min(Fraction(1), high))


# The cases


def case_of(shape: Shape, *, f: Fraction, f_prime: Fraction, output: Fraction) -> str:
    """Return the name of the case that an output falls into; every output falls into exactly one."""
    assert shape.grid is not None
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
    assert shape.grid is not None
    assert shape.clamp_lower is not None
    assert shape.clamp_upper is not None
    return min(max(nearest_multiple(value - shape.snap.offset, shape.grid), shape.clamp_lower), shape.clamp_upper)


class Outputs:
    """All outputs of a shape in order: the ends of the clamp and the multiples of the grid between them."""

    def __init__(self, shape: Shape) -> None:
        assert shape.grid is not None
        assert shape.clamp_lower is not None
        assert shape.clamp_upper is not None
        self.grid, self.lower, self.upper = shape.grid, shape.clamp_lower, shape.clamp_upper
        self.first, self.last = math.floor(self.lower / self.grid), math.ceil(self.upper / self.grid)
        self.offset = shape.snap.offset

    def __len__(self) -> int:
        return self.last - self.first + 1

    def at(self, index: int) -> Fraction:
        """Return the output with the index round(output/grid)."""
        if index <= self.first:
            return self.lower
        return self.upper if index >= self.last else index * self.grid

    def nearest(self, value: Fraction) -> int:
        return max(self.first, min(self.last, math.floor((value - self.offset) / self.grid + HALF)))


def held_output(shape: Shape, machine: Machine, output: Fraction) -> Fraction:
    """Return an output as the machine holds it: a multiple of 1/10 is no float, nor need an end of the clamp be one."""
    assert shape.grid is not None
    assert shape.clamp_lower is not None
    assert shape.clamp_upper is not None
    inside = shape.clamp_lower < output < shape.clamp_upper
    return machine.snapped(output, shape.grid) if inside else machine.constant(output)


def tried_outputs(shape: Shape, *, f: Fraction, f_prime: Fraction, most: int = 400) -> list[Fraction]:
    """Return all outputs, or of more than `most` those near the ends, near the inputs and near zero."""
    outputs = Outputs(shape)
    if len(outputs) <= most:
        indices = set(range(outputs.first, outputs.last + 1))
    else:
        centres = [outputs.first, outputs.last, *(outputs.nearest(v) for v in (f, f_prime, Fraction(0)))]
        indices = {c + d for c in centres for d in range(-8, 9) if outputs.first <= c + d <= outputs.last}
    return [outputs.at(index) for index in sorted(indices)]


def case_table(
    shape: Shape, machine: Machine, *, f: Fraction, f_prime: Fraction, form: str = "post", most: int = 400
) -> list[tuple[str, Pointwise | None]]:
    """Return, for every case, the tried output with the largest bound; None where none falls into it."""
    worst: dict[str, Pointwise] = {}
    for output in tried_outputs(shape, f=f, f_prime=f_prime, most=most):
        found = pointwise(shape, machine, f=f, f_prime=f_prime, output=output, form=form)
        old = worst.get(found.case)
        if (
            old is None
            or old.loss_upper is None
            or (found.loss_upper is not None and found.loss_upper > old.loss_upper)
        ):
            worst[found.case] = found
    return [(case, worst.get(case)) for case in CASES]
