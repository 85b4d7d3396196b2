"""Theorem 2', which replaces Theorem 2 of Liu's note (L20): its premises, and the bound of the loss of all outputs.

A shape is the normal form of a program with every premise of the theorem judged: proved, assumed (by the file or the
machine), or failed. The bound holds for any output and every pair of neighbours at once: the sum, the snap and the
clamp are one fixed function of the real number query + noise; so only the tail of the noise is perturbed, by the
factors e^(-shortfall) to e^(surplus), and cells are at least `width` wide. For exact sums this uses the same formula as
the mechanism (mechanism/law/finite.py), so the verifier and the charge agree. All numbers are enclosed outward; the
bound is reported as a decimal rounded up.
Theory: docs/theory/verifier-loss.md, (1)-(13), (22), (27)-(30) and (34)-(54).
"""

from __future__ import annotations

import math
from fractions import Fraction

from snapdp.display.numbers import four_digits, general, scientific_up
from snapdp.exact.dyadic import exponent_of_power, power_of_two, round_nearest, round_places_up
from snapdp.exact.enclosure import maximum
from snapdp.exact.functions import exp_enclosure, expm1_enclosure, ln_enclosure
from snapdp.lab.language.syntax import Clamping, Program, QueryValue, walk
from snapdp.lab.loss.normal_form import NormalForm, normal_form
from snapdp.lab.semantics.machine import GRID_BITS, Machine
from snapdp.mechanism.law.finite import overhead_of, ratio_of_masses
from snapdp.values import Value

PROVED, ASSUMED, FAILED = "proved", "assumed", "failed"
LONGEST_NUMBER = 40  # letters of a number in a sentence


class TheoremPremise(Value):
    """One line of the checklist."""

    name: str
    status: str
    detail: str


class Shape(NormalForm):
    """A normal form with its premises, but for that of the sampler's range."""

    premises: tuple[TheoremPremise, ...]

    @property
    def failed(self) -> tuple[TheoremPremise, ...]:
        return tuple(premise for premise in self.premises if premise.status == FAILED)


def recognise(program: Program, machine: Machine) -> Shape:
    """Return the shape of a program, with every premise of the theorem judged."""
    form = normal_form(program, machine)
    lines = _of_the_query(form, machine)
    if form.noise is None:
        lines.insert(0, judge("shape", False, "", form.refusal))
    else:
        noise = form.noise
        drawn, fair = "ln(U)", "S is -1 or 1 with equal probability"
        if noise.laplace:
            drawn, fair = "a Laplace draw", "the draw is symmetric"
        elif noise.folded:
            drawn, fair = "sign(U - 1/2) ln(1 - 2 |U - 1/2|)", "U lies on either side of 1/2 with equal probability"
        times = "once" if noise.roundings == 1 else f"{noise.roundings} times"
        scale = f"of scale {short(abs(noise.coefficient))}" if noise.laplace else f"times {short(noise.coefficient)}"
        detail = f"query + noise; the noise is {drawn} {scale}, rounded {times}"
        lines.insert(0, judge("shape", True, detail))
        lines.append(judge("sign fair", noise.signed, fair, "the noise has no random sign"))
    low, high = form.snap.ends or (None, None)
    where = "outputs stay in" if form.snap.released is None else "the snapped value matters in"
    otherwise = "the output is not clamped" if form.snap.ends is None else "the clamp is empty or one point"
    is_clamped = low is not None and high is not None and low < high
    lines.append(judge("clamp present", is_clamped, f"{where} [{low}, {high}]", otherwise))
    lines += _of_the_grid(form, machine) if form.snap.is_plain else _of_the_step(form, machine)
    if form.snap.released is not None:
        detail = "what is released is computed from the snapped value and constants alone, which costs nothing"
        lines.append(judge("post-processing", True, detail))
    k = machine.ln_roundings
    within = ("ln accurate", f"within {k} roundings, by the machine")
    assumed = [("ln correctly rounded", "to nearest, by the machine") if k == 1 else within]
    if machine.adds_exactly:
        assumed.append(("sum exact", "+ and - do not round, by the machine"))
    assumed.append(("no fma", "strict evaluation, no contraction, no extra precision"))
    assumed.append(("exponents", "no result but U leaves the exponent range"))
    lines += [TheoremPremise(name=name, status=ASSUMED, detail=detail) for name, detail in assumed]
    fields = {field: getattr(form, field) for field in form._fields}
    return Shape(**fields, premises=tuple(lines))


def judge(name: str, holds: bool, detail: str, otherwise: str = "", status: str = PROVED) -> TheoremPremise:
    """Return a premise that holds, or that fails: for another reason than what would hold, where there is one."""
    return TheoremPremise(
        name=name, status=status if holds else FAILED, detail=detail if holds else otherwise or detail
    )


def _of_the_query(form: NormalForm, machine: Machine) -> list[TheoremPremise]:
    query, reach, path = form.query, form.reach, form.path
    if query is None or path is None:
        return []
    name, other = f"{query.name}(D)", f"{query.name}(D')"
    is_clamped = any(isinstance(part, Clamping) for part in walk(path))
    itself = isinstance(path, Clamping) and isinstance(path.operand, QueryValue)
    what = name if itself or not is_clamped else "what the noise is added to"
    low, high = (form.lower, form.upper) if is_clamped else form.private
    detail = f"{low} <= {what} <= {high}, {'by an inner clamp' if is_clamped else 'declared by the program'}"
    status = PROVED if is_clamped else ASSUMED
    lines = [judge("query confined", reach is not None, detail, f"nothing confines {name} to an interval", status)]
    whose = "" if machine.adds_exactly else " for the float query"  # an exact sum takes any number
    detail = f"|{name} - {other}| <= {query.sensitivity}{whose}, declared by the program"
    lines.append(judge("sensitivity", True, detail, status=ASSUMED))
    if reach is not None and (reach.rounded or reach.ideal != query.sensitivity):
        moved, steps = short(reach.distance), "nothing rounds"
        if reach.rounded:
            moved = f"{short(reach.ideal)} + {general(reach.distance - reach.ideal, 3)}"
            steps = "one rounding" if reach.rounded == 1 else f"{reach.rounded} roundings"
        detail = f"what the noise is added to moves by at most {moved}: {steps} on the way"
        lines.append(judge("query scaled", True, detail))
    return lines


def short(x: Fraction) -> str:
    """Return a number exactly, or about where more bits than those of a double would fill a line."""
    texts = (str(x), f"about {four_digits(x)}", f"about {scientific_up(x)}")
    return next((text for text in texts if len(text) <= LONGEST_NUMBER), texts[-1])


def _of_the_grid(form: NormalForm, machine: Machine) -> list[TheoremPremise]:
    grid, ends = form.snap.grid, form.snap.ends
    dyadic = grid is not None and exponent_of_power(grid) is not None
    otherwise = "the output is not rounded to a grid" if grid is None else f"{grid} is no power of two: the snap rounds"
    lines = [judge("grid power of two", dyadic, f"Lambda = {grid}", otherwise)]
    if dyadic and ends is not None:
        halves = () if machine.adds_exactly else form.boundaries  # an exact sum is compared with any number
        what = "the ends of clamps" if machine.adds_exactly else "the half steps of the grid and the ends of clamps"
        fits = all(round_nearest(end, machine.p) == end for end in (*halves, *ends))
        detail, otherwise = f"{what} are floats", f"{machine.p} bits cannot hold {what}"
        lines.append(judge("boundaries representable", fits, detail, otherwise))
    return lines


def _of_the_step(form: NormalForm, machine: Machine) -> list[TheoremPremise]:
    """Judge a snap by floor or rint, or after steps that round: cells are where they are, but for a few roundings."""
    snap, noise = form.snap, form.noise
    assert snap.grid is not None
    words = {"floor": "floor gives whole numbers", "rint": "rint gives whole numbers, ties to even"}
    detail = f"{words.get(snap.step, 'the rounding is exact')}; Lambda = {short(snap.grid)} in the unit of the sum"
    lines = [judge("snap exact", snap.exact, detail, "its grid is no power of two: the snap rounds")]
    detail = "the ends of cells are those of rounded sums"
    otherwise = "where sums do not round there is no bound for this snap, only for round[Lambda]"
    lines.append(judge("sum rounded", not machine.adds_exactly, detail, otherwise))
    if snap.ends is not None and not machine.adds_exactly:
        detail = f"roundings move the ends of cells by at most {scientific_up(max(snap.below, snap.above))}"
        lines.append(judge("cells apart", snap.width > 0, detail, "cells are narrower than what roundings move"))
    if snap.step != "round":
        safe = not snap.needs_nonzero_noise or (noise is not None and noise.is_never_zero(machine))
        detail = "-0.0 counts as an output beside 0.0" if snap.splits_zero else "no output can be -0.0 beside 0.0"
        otherwise = "a private value of -0.0 may be released as -0.0: add 0.5 before the floor, clamp after it"
        lines.append(judge("signed zeros", safe, detail, otherwise))
    return lines


# The premise of the sampler's range


def sampler_premise(shape: Shape, machine: Machine) -> TheoremPremise:
    """Judge whether every noise that matters can be drawn: e^(-eps tau K) is at least the smallest U; theory (6).

    Of a folded draw U - 1/2 must keep enough of U: e^(-eps tau K) is above g; theory (53).
    """
    name, smallest = "sampler range", smallest_exponent(machine)
    missing, source = "", f"that U from 2**{smallest} on gives"
    if shape.noise is not None and shape.noise.laplace:
        return judge(name, True, "the Laplace draw is real, rounded once")
    if shape.folds_its_draw:
        source = "that the steps of U - 1/2 allow"
        if machine.adds_exactly or machine.sampler == "ideal":
            what = "exact sums" if machine.adds_exactly else "a real U"
            missing = f"what U - 1/2 keeps of U is not known for {what}"
        elif machine.sampler != "grid53" and smallest is not None and smallest > -machine.p - 2:
            missing = f"U has p bits from 2**{smallest} on only, and {machine.p} bits are folded"
        elif shape.failed:
            missing = "U - 1/2 loses the low bits of U, and nothing bounds the noise that matters"
    elif machine.sampler == "ideal":
        return judge(name, True, "U is real")
    elif smallest is None:
        return judge(name, True, "the exponent of U is unbounded")
    elif shape.failed:
        missing = "U has a least value, and nothing bounds the noise that matters"
    if missing:
        return judge(name, False, "", missing)
    needed = shape.epsilon * furthest_boundary(shape) * stretch_of(shape, machine)
    if shape.folds_its_draw:
        available = -ln_enclosure(folded_step(machine), 64).upper
    else:
        assert smallest is not None
        available = -smallest * ln_enclosure(Fraction(2), 64).lower
    relation = "at most" if needed <= available else "above"
    detail = f"noise up to {general(needed, 6)}/eps is needed, {relation} the {general(available, 6)}/eps {source}"
    return judge(name, needed <= available, detail)


def smallest_exponent(machine: Machine) -> int | None:
    """Return an exponent down to which U surely has p bits, subnormal floats or not; None where U has no least one."""
    if machine.sampler == "grid53":
        return -GRID_BITS
    if machine.umin is None or machine.sampler == "ideal":
        return None
    return machine.umin + machine.p - 1


# The bound

HOPELESS = -2  # in the place of ln of what is not positive: an error above 1 has no bound
Deviations = tuple[Fraction, Fraction, Fraction]  # above, below, and both together


class UniversalBound(Value):
    """The bound and the numbers it is made of; every number rounded to the unfavourable side."""

    loss_upper: Fraction
    proved: Fraction  # the same before it was rounded to a decimal
    base: Fraction  # epsilon_eff * D, the loss if the noise were not rounded
    furthest: Fraction  # tau, the largest noise that matters
    width: Fraction  # w, the least width of a cell
    shortfall: Fraction  # delta-
    surplus: Fraction  # delta+
    above: Fraction  # ln of computed over ideal probability, at most
    below: Fraction  # ln of ideal over computed probability, at most


def universal_bound(shape: Shape, machine: Machine) -> UniversalBound | None:
    """Return the bound of Theorem 2', or None where a premise fails or the rounding errors are too large.

    loss <= eps D + above + below, D the distance of the float query                                   theory (13), (40)
    """
    if shape.failed or sampler_premise(shape, machine).status == FAILED:
        return None
    assert shape.reach is not None
    epsilon, furthest, width = shape.epsilon, furthest_boundary(shape), shape.snap.width
    shortfall, surplus = tail_errors(furthest, shape, machine)
    if shortfall > 1 or surplus > 1:  # the bound would be larger than any epsilon in use
        return None
    if machine.adds_exactly:
        deviations = _deviations_of_an_exact_sum(shape, machine, furthest)
    else:
        deviations = cell_deviations(epsilon * width, shortfall, surplus, working_bits(machine))
    if deviations is None:
        return None
    above, below, overhead = deviations
    base = epsilon * shape.reach.distance
    return UniversalBound(
        loss_upper=round_places_up(base + overhead, decimal_places(machine)),
        proved=base + overhead,
        base=base,
        furthest=furthest,
        width=width,
        shortfall=shortfall,
        surplus=surplus,
        above=above,
        below=below,
    )


def working_bits(machine: Machine) -> int:
    return 192 + 2 * machine.p


def decimal_places(machine: Machine) -> int:
    """Return how many places a loss is rounded to: four more than eta needs."""
    return math.ceil(machine.p * math.log10(2)) + 4


def stretch_of(shape: Shape, machine: Machine) -> Fraction:
    """Return K = (1 + eta)**j: rounding moves the noise by a factor of at most K either way; theory (4)."""
    assert shape.noise is not None
    return (1 + machine.eta) ** shape.noise.roundings


def furthest_boundary(shape: Shape) -> Fraction:
    """Return tau, the largest distance between a query value and a boundary of the real sum; theory (8), (45)."""
    assert shape.reach is not None
    low, high = shape.boundaries
    return max(shape.reach.upper - low, high - shape.reach.lower) + max(shape.snap.below, shape.snap.above)


def tail_errors(distance: Fraction, shape: Shape, machine: Machine) -> tuple[Fraction, Fraction]:
    """Return (shortfall, surplus), rounded up: e^(-eps d - shortfall) <= P(noise beyond d) <= e^(-eps d + surplus).

    Theory (5)-(7); the sampler pays ln(1 + 2 eta) for truncation, ln((1 + eta)/(1 - eta)) in two halves for rounding to
    nearest, nothing for a real draw, and for a grid what a whole step adds at the far end. A draw that is folded about
    1/2 has steps of one size: they cost what a step is worth at the far end, either way; theory (52).
    """
    bits, stretch, scaled = working_bits(machine), stretch_of(shape, machine), shape.epsilon * distance
    more, less = granularity(scaled, shape, machine)
    left = shorter(1 - less, bits, up=False)
    surplus = scaled * (1 - 1 / stretch) + ln_up(1 + more, bits)
    shortfall = scaled * (stretch - 1) - (ln_enclosure(left, bits).lower if left > 0 else HOPELESS)
    return shorter(shortfall, bits, up=True), shorter(surplus, bits, up=True)


def granularity(furthest: Fraction, shape: Shape, machine: Machine) -> tuple[Fraction, Fraction]:
    """Return (more, less): P(U <= v) lies between v (1 - less) and v (1 + more), for noise up to `furthest` scales."""
    assert shape.noise is not None
    bits, stretch = working_bits(machine), stretch_of(shape, machine)
    if shape.folds_its_draw:
        step = folded_step(machine)
        return step / exp_down(-furthest / stretch, bits), step / exp_down(-furthest * stretch, bits)
    if shape.noise.laplace or machine.sampler == "ideal":
        return Fraction(0), Fraction(0)
    if machine.sampler == "grid53":
        return shorter(power_of_two(-GRID_BITS) / exp_down(-furthest / stretch, bits), bits, up=True), Fraction(0)
    return (2 * machine.eta, Fraction(0)) if machine.sampler == "ulp" else (machine.eta, machine.eta)


def folded_step(machine: Machine) -> Fraction:
    """Return g: twice the probability of w <= t on one side of 1/2 lies within g of t, for every sampler; theory (51).

    w = 1 - 2 |U - 1/2| is a multiple of 2**-p, or of 2**-52 for a sampler on the grid of 2**-53.
    """
    return 2 * (power_of_two(-GRID_BITS) if machine.sampler == "grid53" else machine.eta)


def cell_deviations(width: Fraction, shortfall: Fraction, surplus: Fraction, bits: int) -> Deviations | None:
    """Bound ln(computed/ideal) and ln(ideal/computed) of a cell of that many noise scales; theory (10)-(12)."""
    most, least = (shorter(-width, bits, up=up) for up in (True, False))
    q = exp_enclosure(most, bits).hull(exp_enclosure(least, bits))
    rest = (-expm1_enclosure(most, bits)).hull(-expm1_enclosure(least, bits))
    if rest.lower <= 0:  # narrower than any precision in use
        return None
    # Everything is written with expm1, so that 1 - q and the errors do not cancel.
    loss, gain = -expm1_enclosure(-shortfall, bits), expm1_enclosure(surplus, bits)
    more = maximum((gain + q * loss) / rest, (q + 1) * loss / rest)  # computed/ideal - 1: tail cell, cell that holds f
    less = maximum((loss + q * gain) / rest, (q + 1) * gain / rest)  # 1 - computed/ideal
    if less.upper >= 1:
        return None
    above = max(ln_up(1 + more.upper, bits), surplus)
    below = max(-_ln_down(1 - less.upper, bits), shortfall)
    return above, below, above + below


def _deviations_of_an_exact_sum(shape: Shape, machine: Machine, furthest: Fraction) -> Deviations | None:
    """Bound the same where boundaries stay where they are, so that each cell is judged by what it can meet.

    Theory (27)-(30), with the mechanism's own formula; rho is the largest distance from a query value to an end of the
    cell that holds it.
    """
    assert shape.reach is not None
    (low, high), (grid, *_) = shape.boundaries, shape.grid_and_clamp
    epsilon, bits = shape.epsilon, working_bits(machine)
    rho = max(grid, shape.reach.upper - high, low - shape.reach.lower)
    more, less = granularity(epsilon * furthest, shape, machine)
    ratio = ratio_of_masses(
        cell=epsilon * grid,
        largest=epsilon * furthest,
        around=epsilon * rho,
        stretch=stretch_of(shape, machine),
        granularity=more,
        missing=less,
        working=bits,
    )
    if ratio is None:
        return None
    return ln_up(ratio.upper, bits), -_ln_down(ratio.lower, bits), overhead_of(ratio, bits)


def shorter(x: Fraction, bits: int, *, up: bool) -> Fraction:
    """Return a dyadic number near x on the named side: short rationals keep the functions quick."""
    return Fraction((math.ceil if up else math.floor)(x * (1 << bits)), 1 << bits)


def exp_up(x: Fraction, bits: int) -> Fraction:
    return exp_enclosure(shorter(x, bits, up=True), bits).upper


def exp_down(x: Fraction, bits: int) -> Fraction:
    return exp_enclosure(shorter(x, bits, up=False), bits).lower


def ln_up(x: Fraction, bits: int) -> Fraction:
    return ln_enclosure(shorter(x, bits, up=True), bits).upper


def _ln_down(x: Fraction, bits: int) -> Fraction:
    short = shorter(x, bits, up=False)
    return ln_enclosure(short if short > 0 else x, bits).lower


def excess(loss: Fraction, *, epsilon: Fraction, bound: Fraction, machine: Machine) -> Fraction:
    """Return C = (loss - eps)/(B eps eta), the excess in the unit of the published bounds; theory (14)."""
    return (loss - epsilon) / (bound * epsilon * machine.eta)
