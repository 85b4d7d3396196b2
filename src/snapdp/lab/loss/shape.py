"""The shape that the loss theorem is about: any function of clamp(round(query + noise)), noise a multiple of S ln U.

Reads the folded expression of a program and finds the numbers of the theorem in it: the effective epsilon of the noise
and how often that is rounded, how far the float query moves (query_path.py), grid and clamp (snap.py). What is computed
from the snapped value is post-processing; what is done to the query before the noise is added is charged. What the
theorem needs besides is a checklist: each premise is proved, assumed (by the file or the machine), or failed.
Theory: docs/theory/verifier-loss.md, (1)-(2), (22), (34)-(40) and (42)-(51).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from snapdp.display.numbers import four_digits, general, scientific_up
from snapdp.exact.dyadic import HALF, exponent_of_power, round_nearest
from snapdp.lab.language.syntax import (
    Binary,
    Clamping,
    Constant,
    ExactFunction,
    Expression,
    Logarithm,
    Negation,
    Program,
    Query,
    QueryValue,
    Sample,
    Variable,
    walk,
)
from snapdp.lab.loss.query_path import (
    Range,
    Reach,
    confined,
    constant_operation,
    is_path,
    layers,
    query_of,
    reach_of,
)
from snapdp.lab.loss.snap import ROUND, Snap, snap_of
from snapdp.lab.semantics.floats import names_in, rounded_operation
from snapdp.lab.semantics.machine import Machine
from snapdp.values import Value, replaced

# Noise: a multiple of S ln U, or of sign(U - 1/2) ln(1 - 2 |U - 1/2|), which is the inverse of the distribution
# function. A factor that is a power of two or a sign rounds nothing; constants multiplied by the sign are constants up
# to the sign, so the machine's product of them is folded too. The second kind counts only where sign and magnitude are
# taken of the same centred draw, by powers of two alone: then w = 1 - 2 |U - 1/2| is exact.
# Theory: docs/theory/verifier-loss.md, (2), (22) and (48)-(51).

Samples = dict[str, Sample]
Multiple = tuple[str, Fraction]  # a draw, and the power of two by which something made of it is multiplied


class Noise(Value):
    """coefficient * S**signed * (ln U)**drawn, rounded that many times.

    sign_of    the draw whose sign about 1/2 is the sign, where that is no sample of its own
    folded_of  the draw that is folded, ln(1 - 2 |U - 1/2|) in the place of ln U
    """

    coefficient: Fraction
    signed: bool = False
    drawn: bool = False
    roundings: int = 0
    laplace: bool = False
    sign_of: str | None = None
    folded_of: str | None = None

    @property
    def is_exact_factor(self) -> bool:
        return not self.drawn and exponent_of_power(abs(self.coefficient)) is not None

    @property
    def folded(self) -> bool:
        """Return whether this is the inverse of the distribution function at one draw."""
        return self.folded_of is not None

    @property
    def is_one(self) -> bool:
        """Return whether sign and logarithm belong together: a folded draw has its own sign, and no other has one."""
        return self.drawn and bool(self.coefficient) and self.sign_of == self.folded_of

    def is_never_zero(self, machine: Machine) -> bool:
        """Return whether no draw gives the noise 0: U = 1/2 does where it is folded, and U = 1 where that is drawn."""
        return not self.folded and (self.laplace or machine.sampler != "nearest")


def noise_of(tree: Expression, kinds: Samples, machine: Machine) -> Noise | None:
    """Return an expression as a multiple of S and ln U, with every inexact rounding counted; None if it is none."""
    match tree:
        case Constant(value=value):
            return Noise(coefficient=value)
        case Variable(name=name) if name in kinds:
            sample = kinds[name]
            if sample.distribution == "sign":
                return Noise(coefficient=Fraction(1), signed=True)
            if sample.distribution == "laplace":  # a real Laplace draw, rounded once to a float
                scale = sample.argument or Fraction(1)
                return Noise(coefficient=scale, signed=True, drawn=True, roundings=1, laplace=True)
            return None
        case Logarithm(operand=operand):
            return _logarithm(operand, kinds, machine)
        case ExactFunction(name="sign", operand=operand):
            centred = _multiple(operand, _centred, kinds)
            return None if centred is None else Noise(coefficient=_sign(centred[1]), signed=True, sign_of=centred[0])
        case Negation(operand=operand):
            inner = noise_of(operand, kinds, machine)
            return None if inner is None else replaced(inner, coefficient=-inner.coefficient)
        case Binary(operator="*" | "/", left=left, right=right):
            a, b = noise_of(left, kinds, machine), noise_of(right, kinds, machine)
            return None if a is None or b is None else _combined(tree.operator, a, b, machine)
        case _:
            return None


def _logarithm(operand: Expression, kinds: Samples, machine: Machine) -> Noise | None:
    """Return ln U, or ln of the folded draw itself: a multiple of that would shift the noise."""
    drawn = Noise(coefficient=Fraction(1), drawn=True, roundings=machine.ln_roundings)
    if _uniform(operand, kinds) is not None:
        return drawn
    folded = _multiple(operand, _folded, kinds)
    return replaced(drawn, folded_of=folded[0]) if folded is not None and folded[1] == 1 else None


def _combined(operator: str, a: Noise, b: Noise, machine: Machine) -> Noise | None:
    if (a.drawn and b.drawn) or (a.signed and b.signed) or (operator == "/" and (b.drawn or not b.coefficient)):
        return None
    if operator == "/" and b.sign_of is not None:  # which is zero at U = 1/2
        return None
    signed, sign_of = a.signed or b.signed, a.sign_of or b.sign_of
    if not a.drawn and not b.drawn:  # a constant up to the sign: the machine's product, the same in both runs
        product = rounded_operation(operator, a.coefficient, b.coefficient, machine)
        return Noise(coefficient=product, signed=signed, sign_of=sign_of)
    coefficient = a.coefficient * b.coefficient if operator == "*" else a.coefficient / b.coefficient
    drawn, factor = (a, b) if a.drawn else (b, a)
    roundings = drawn.roundings + (0 if factor.is_exact_factor else 1)
    return replaced(drawn, coefficient=coefficient, signed=signed, sign_of=sign_of, roundings=roundings)


# The folded draw: every step but U - 1/2 is exact, and the form says so


def _multiple(
    tree: Expression, part: Callable[[Expression, Samples], Multiple | None], kinds: Samples
) -> Multiple | None:
    """Return a part times a power of two, or minus one: exact products of it."""
    found = part(tree, kinds)
    if found is not None:
        return found
    if isinstance(tree, Negation):
        inner = _multiple(tree.operand, part, kinds)
        return None if inner is None else (inner[0], -inner[1])
    step = constant_operation(tree)
    if step is None or step.operator not in "*/" or exponent_of_power(abs(step.constant)) is None:
        return None
    inner = _multiple(step.operand, part, kinds)
    return None if inner is None else (inner[0], inner[1] * step.factor)


def _uniform(tree: Expression, kinds: Samples) -> Multiple | None:
    drawn = isinstance(tree, Variable) and tree.name in kinds and kinds[tree.name].distribution == "unif"
    return (tree.name, Fraction(1)) if drawn and isinstance(tree, Variable) else None


def _plus(
    tree: Expression, part: Callable[[Expression, Samples], Multiple | None], kinds: Samples
) -> tuple[str, Fraction, Fraction] | None:
    """Return (draw, k, c) where an expression is k times a part, plus c, in any order and with any signs."""
    step = constant_operation(tree)
    inner = None if step is None or step.operator not in "+-" else _multiple(step.operand, part, kinds)
    if step is None or inner is None:
        return None
    return inner[0], inner[1] * step.factor, step.shift


def _centred(tree: Expression, kinds: Samples) -> Multiple | None:
    """Return (draw, k) for k (U - 1/2), computed with one rounding: k U is exact."""
    found = _plus(tree, _uniform, kinds)
    return (found[0], found[1]) if found is not None and found[2] == -found[1] * HALF else None


def _magnitude(tree: Expression, kinds: Samples) -> Multiple | None:
    if not (isinstance(tree, ExactFunction) and tree.name == "abs"):
        return None
    found = _multiple(tree.operand, _centred, kinds)
    return None if found is None else (found[0], abs(found[1]))


def _folded(tree: Expression, kinds: Samples) -> Multiple | None:
    """Return (draw, k) for k (1 - 2 |u|), u = U - 1/2 as the machine has it, k > 0 a power of two."""
    found = _plus(tree, _magnitude, kinds)
    return (found[0], found[2]) if found is not None and found[1] == -2 * found[2] and found[2] > 0 else None


def _sign(x: Fraction) -> Fraction:
    return Fraction((x > 0) - (x < 0))


PROVED, ASSUMED, FAILED = "proved", "assumed", "failed"
LONGEST_NUMBER = 40  # letters of a number in a sentence
NO_SUM = "the output is no sum of one query and one noise"


class TheoremPremise(Value):
    """One line of the checklist."""

    name: str
    status: str
    detail: str


class Shape(Value):
    """What was found in a program. None: the part is missing; the premises say so too."""

    query: Query | None
    lower: Fraction | None  # of what the noise is added to
    upper: Fraction | None
    noise: Noise | None
    grid: Fraction | None
    clamp_lower: Fraction | None
    clamp_upper: Fraction | None
    premises: tuple[TheoremPremise, ...]
    path: Expression | None = None  # from the query to what the noise is added to
    private: Range = (None, None)  # private values beyond which all are alike
    reach: Reach | None = None  # how far what the noise is added to may move
    snap: Snap = Snap()

    @property
    def noise_epsilon(self) -> Fraction | None:
        """Return 1/c, the loss for each unit of distance if nothing rounded."""
        return None if self.noise is None or not self.noise.coefficient else 1 / abs(self.noise.coefficient)

    @property
    def epsilon(self) -> Fraction:
        """Return noise_epsilon of a program that has noise."""
        assert self.noise_epsilon is not None
        return self.noise_epsilon

    @property
    def grid_and_clamp(self) -> tuple[Fraction, Fraction, Fraction]:
        """Return the grid and both ends of the clamp of a program that has them."""
        assert self.grid is not None
        assert self.clamp_lower is not None
        assert self.clamp_upper is not None
        return self.grid, self.clamp_lower, self.clamp_upper

    @property
    def failed(self) -> tuple[TheoremPremise, ...]:
        return tuple(premise for premise in self.premises if premise.status == FAILED)

    @property
    def boundaries(self) -> tuple[Fraction, Fraction]:
        """Return t_min and t_max: the output is the lower end below t_min, the upper end from t_max on."""
        grid, lower, upper = self.grid_and_clamp
        low, high = math.floor(lower / grid), math.ceil(upper / grid)
        return (low + HALF) * grid + self.snap.offset, (high - HALF) * grid + self.snap.offset


def recognise(expression: Expression, program: Program, machine: Machine) -> Shape:
    """Return the shape of a folded expression, with every premise of the theorem judged."""
    kinds = {s.name: s for s in program.statements if isinstance(s, Sample)}
    found = layers(expression)
    path, noise, problem = _parts(found[-1], kinds, machine) if found else (None, None, NO_SUM)
    snap = snap_of(found, machine)
    query = None if path is None else next((q for q in program.queries if q.name == query_of(path)), None)
    private: Range = (None, None)
    reach = None
    if path is not None and query is not None:
        private = confined(path, (query.lower, query.upper), machine)
        if private[0] is not None and private[1] is not None:
            ends = {"lower": private[0], "upper": private[1]}
            reach = reach_of(path, **ends, sensitivity=query.sensitivity, machine=machine)
    shape = Shape(
        query=query,
        lower=None if reach is None else reach.lower,
        upper=None if reach is None else reach.upper,
        noise=noise,
        grid=snap.grid,
        clamp_lower=snap.ends[0] if snap.ends else None,
        clamp_upper=snap.ends[1] if snap.ends else None,
        premises=(),
        path=path,
        private=private,
        reach=reach,
        snap=snap,
    )
    return replaced(shape, premises=tuple(_checklist(shape, problem, machine)))


def _parts(tree: Expression, kinds: Samples, machine: Machine) -> tuple[Expression | None, Noise | None, str]:
    """Return what the noise is added to and the noise, or what is wrong with an innermost layer."""
    if not isinstance(tree, Binary) or tree.operator not in "+-":
        return None, None, NO_SUM
    for private, noise in ((tree.left, tree.right), (tree.right, tree.left)):
        if not names_in(private) & kinds.keys() and names_in(private):
            negated = tree.operator == "-" and private is tree.right  # noise - f is -f + noise
            path: Expression = Negation(operand=private) if negated else private
            if not is_path(path):
                return None, None, "what the noise is added to is no query, scaled and shifted by constants"
            made = noise_of(noise, kinds, machine)
            if made is None or not made.is_one:
                return path, None, "the noise is no multiple of S ln(U)"
            return path, made, ""
    return None, None, NO_SUM


def _judged(name: str, holds: bool, detail: str, otherwise: str, status: str = PROVED) -> TheoremPremise:
    return TheoremPremise(name=name, status=status if holds else FAILED, detail=detail if holds else otherwise)


def _checklist(shape: Shape, problem: str, machine: Machine) -> list[TheoremPremise]:
    noise, snap = shape.noise, shape.snap
    lines = [_judged("shape", noise is not None and not problem, _in_words(noise), problem or "there is no noise")]
    lines += _of_the_query(shape, machine)
    if noise is not None:
        detail = "the draw is symmetric" if noise.laplace else "S is -1 or 1 with equal probability"
        detail = "U lies on either side of 1/2 with equal probability" if noise.folded else detail
        lines.append(_judged("sign fair", noise.signed, detail, "the noise has no random sign"))
    lines.append(_clamp_premise(snap))
    lines += _of_the_grid(shape, machine) if snap.is_plain else _of_the_step(shape, machine)
    if snap.released is not None:
        detail = "what is released is computed from the snapped value and constants alone, which costs nothing"
        lines.append(TheoremPremise(name="post-processing", status=PROVED, detail=detail))
    return lines + _of_the_machine(machine)


def _of_the_grid(shape: Shape, machine: Machine) -> list[TheoremPremise]:
    grid, snap = shape.grid, shape.snap
    dyadic = grid is not None and exponent_of_power(grid) is not None
    otherwise = "the output is not rounded to a grid" if grid is None else f"{grid} is no power of two: the snap rounds"
    lines = [_judged("grid power of two", dyadic, f"Lambda = {grid}", otherwise)]
    if dyadic and snap.ends is not None:
        halves = () if machine.adds_exactly else shape.boundaries  # an exact sum is compared with any number
        what = "the ends of clamps" if machine.adds_exactly else "the half steps of the grid and the ends of clamps"
        fits = all(round_nearest(end, machine.p) == end for end in (*halves, *snap.ends))
        detail, otherwise = f"{what} are floats", f"{machine.p} bits cannot hold {what}"
        lines.append(_judged("boundaries representable", fits, detail, otherwise))
    return lines


def _of_the_step(shape: Shape, machine: Machine) -> list[TheoremPremise]:
    """Judge a snap by floor or rint, or after steps that round: cells are where they are, but for a few roundings."""
    snap, noise = shape.snap, shape.noise
    assert snap.grid is not None
    words = {"floor": "floor gives whole numbers", "rint": "rint gives whole numbers, ties to even"}
    detail = f"{words.get(snap.step, 'the rounding is exact')}; Lambda = {short(snap.grid)} in the unit of the sum"
    lines = [_judged("snap exact", snap.exact, detail, "its grid is no power of two: the snap rounds")]
    otherwise = "where sums do not round there is no bound for this snap, only for round[Lambda]"
    lines.append(
        _judged("sum rounded", not machine.adds_exactly, "the ends of cells are those of rounded sums", otherwise)
    )
    if snap.ends is not None and not machine.adds_exactly:
        detail = f"roundings move the ends of cells by at most {scientific_up(max(snap.below, snap.above))}"
        lines.append(_judged("cells apart", snap.width > 0, detail, "cells are narrower than what roundings move"))
    if snap.step != ROUND:
        safe = not snap.needs_nonzero_noise or (noise is not None and noise.is_never_zero(machine))
        detail = "-0.0 counts as an output beside 0.0" if snap.splits_zero else "no output can be -0.0 beside 0.0"
        otherwise = "a private value of -0.0 may be released as -0.0: add 0.5 before the floor, clamp after it"
        lines.append(_judged("signed zeros", safe, detail, otherwise))
    return lines


def _clamp_premise(snap: Snap) -> TheoremPremise:
    low, high = snap.ends or (None, None)
    holds = low is not None and high is not None and low < high
    where = "outputs stay in" if snap.released is None else "the snapped value matters in"
    otherwise = "the output is not clamped" if snap.ends is None else "the clamp is empty or one point"
    return _judged("clamp present", holds, f"{where} [{low}, {high}]", otherwise)


def _of_the_query(shape: Shape, machine: Machine) -> list[TheoremPremise]:
    query, reach = shape.query, shape.reach
    if query is None:
        return []
    name, other = f"{query.name}(D)", f"{query.name}(D')"
    is_clamped = _is_clamped(shape.path)
    itself = isinstance(shape.path, Clamping) and isinstance(shape.path.operand, QueryValue)
    what = name if itself or not is_clamped else "what the noise is added to"
    low, high = (shape.lower, shape.upper) if is_clamped else shape.private
    said = f"{low} <= {what} <= {high}, {'by an inner clamp' if is_clamped else 'declared by the program'}"
    status = PROVED if is_clamped else ASSUMED
    lines = [_judged("query confined", reach is not None, said, f"nothing confines {name} to an interval", status)]
    whose = "" if machine.adds_exactly else " for the float query"  # an exact sum takes any number
    detail = f"|{name} - {other}| <= {query.sensitivity}{whose}, declared by the program"
    lines.append(TheoremPremise(name="sensitivity", status=ASSUMED, detail=detail))
    if reach is not None and (reach.rounded or reach.ideal != query.sensitivity):
        lines.append(TheoremPremise(name="query scaled", status=PROVED, detail=_moves_in_words(reach)))
    return lines


def _moves_in_words(reach: Reach) -> str:
    if not reach.rounded:
        return f"what the noise is added to moves by at most {short(reach.distance)}: nothing rounds on the way"
    times = "one rounding" if reach.rounded == 1 else f"{reach.rounded} roundings"
    added = general(reach.distance - reach.ideal, 3)
    return f"what the noise is added to moves by at most {short(reach.ideal)} + {added}: {times} on the way"


def short(x: Fraction) -> str:
    """Return a number exactly, or about where more bits than those of a double would fill a line."""
    texts = (str(x), f"about {four_digits(x)}", f"about {scientific_up(x)}")
    return next((text for text in texts if len(text) <= LONGEST_NUMBER), texts[-1])


def _is_clamped(path: Expression | None) -> bool:
    """Return whether a clamp stands on the way from the query."""
    return path is not None and any(isinstance(part, Clamping) for part in walk(path))


def _of_the_machine(machine: Machine) -> list[TheoremPremise]:
    k = machine.ln_roundings
    names = ("ln correctly rounded", "to nearest, by the machine") if k == 1 else ("ln accurate", _within(k))
    strict = "strict evaluation, no contraction, no extra precision"
    sums = [("sum exact", "+ and - do not round, by the machine")] if machine.adds_exactly else []
    lines = [names, *sums, ("no fma", strict), ("exponents", "no result but U leaves the exponent range")]
    return [TheoremPremise(name=name, status=ASSUMED, detail=detail) for name, detail in lines]


def _within(roundings: int) -> str:
    return f"within {roundings} roundings, by the machine"


def _in_words(noise: Noise | None) -> str:
    if noise is None:
        return ""
    drawn = "a Laplace draw" if noise.laplace else "ln(U)"
    drawn = "sign(U - 1/2) ln(1 - 2 |U - 1/2|)" if noise.folded else drawn
    times = "once" if noise.roundings == 1 else f"{noise.roundings} times"
    scale = (
        f"times {short(noise.coefficient)}, " if not noise.laplace else f"of scale {short(abs(noise.coefficient))}, "
    )
    return f"query + noise; the noise is {drawn} {scale}rounded {times}"
