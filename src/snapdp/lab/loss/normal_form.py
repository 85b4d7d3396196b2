"""The normal form of a program. Every proof about its loss starts from it.

    released = r(clamp(snap(rising steps and clamps of (path(query) + noise))))

`normal_form` finds these parts in the folded expression of a program, once: the way from the query to what the noise
is added to, and how far it moves neighbours; the noise, with its inexact roundings counted; what stands between the sum
and the step that makes multiples (round, floor, rint), and where the cells of that step begin; the clamp; and what is
released of the snapped value. A program of another form gets one refusal, which names the construct and its statement.
Theory: docs/theory/verifier-loss.md, (1)-(2), (22), (34)-(39) and (42)-(51).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NoReturn

from snapdp.errors import PremiseError
from snapdp.exact.dyadic import HALF, exponent_of_power, floor_log2, nearest_multiple, power_of_two, round_nearest
from snapdp.lab.language.syntax import (
    FOLDED,
    STEPS,
    Addition,
    Binary,
    Clamping,
    Constant,
    Division,
    Expression,
    Held,
    Logarithm,
    Multiplication,
    Negation,
    Parts,
    Program,
    Query,
    QueryValue,
    Rounding,
    Sample,
    Semantics,
    Subtraction,
    UnaryOperation,
    Variable,
    walk,
)
from snapdp.lab.language.text import statement_text
from snapdp.lab.semantics.execution import direction, first_index
from snapdp.lab.semantics.floats import Folded, evaluate_float, fold
from snapdp.lab.semantics.machine import FUNCTIONS, Machine
from snapdp.values import Value, replaced

Ends = tuple[Fraction, Fraction]
Range = tuple[Fraction | None, Fraction | None]
LONGEST_STATEMENT = 120  # of which a refusal prints more than its name


class NormalForm(Value):
    """The parts of a program. None: the part is missing, and `refusal` says what is there instead, or the premises."""

    query: Query | None
    path: Expression | None  # from the query to what the noise is added to
    private: Range  # private values beyond which all are alike
    reach: Reach | None  # how far what the noise is added to may move
    noise: Noise | None
    snap: Snap
    refusal: str = ""

    @property
    def lower(self) -> Fraction | None:
        """Return the least number that noise is added to."""
        return None if self.reach is None else self.reach.lower

    @property
    def upper(self) -> Fraction | None:
        return None if self.reach is None else self.reach.upper

    @property
    def grid(self) -> Fraction | None:
        return self.snap.grid

    @property
    def clamp_lower(self) -> Fraction | None:
        return None if self.snap.ends is None else self.snap.ends[0]

    @property
    def clamp_upper(self) -> Fraction | None:
        return None if self.snap.ends is None else self.snap.ends[1]

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
    def folds_its_draw(self) -> bool:
        return self.noise is not None and self.noise.folded

    @property
    def grid_and_clamp(self) -> tuple[Fraction, Fraction, Fraction]:
        """Return the grid and both ends of the clamp of a program that has them."""
        assert self.snap.grid is not None
        assert self.snap.ends is not None
        return self.snap.grid, *self.snap.ends

    @property
    def boundaries(self) -> Ends:
        """Return t_min and t_max: the output is the lower end below t_min, the upper end from t_max on."""
        grid, lower, upper = self.grid_and_clamp
        low, high = math.floor(lower / grid), math.ceil(upper / grid)
        return (low + HALF) * grid + self.snap.offset, (high - HALF) * grid + self.snap.offset

    def added(self, f: Fraction, machine: Machine) -> Fraction:
        """Return what the noise is added to, for a private value."""
        return f if self.path is None else value_on(self.path, f, machine)


def normal_form(program: Program, machine: Machine) -> NormalForm:
    """Return the normal form of a program."""
    folding = fold(program, machine)
    layers = Layers(folding.expression)
    snap = snap_of(layers, machine)
    query, path, noise, refusal = None, None, None, ""
    private: Range = (None, None)
    reach = None
    try:
        path, drawn = _sides(layers)
        query = next((query for query in program.queries if query.name == query_of(path)), None)
        if query is not None:
            private = confined(path, (query.lower, query.upper), machine)
            reach = reach_of(path, private, query.sensitivity, machine)
        noise = noise_of(drawn, program.samples, machine)
    except OtherForm as other:
        refusal = other.located(folding)
    return NormalForm(query=query, path=path, private=private, reach=reach, noise=noise, snap=snap, refusal=refusal)


NAMES = {"add": "a sum", "sub": "a difference", "mul": "a product", "div": "a quotient"}
NAMES |= {"ln": "a logarithm", "round": "a rounding", "clamp": "a clamp"}


def named(e: Expression) -> str:
    """Return what an operation is called in a refusal."""
    return NAMES.get(e.word, e.word)


class OtherForm(Exception):
    """A part of a program that the normal form has no place for."""

    def __init__(self, part: Expression | None, problem: str) -> None:
        super().__init__(problem)
        self.part, self.problem = part, problem

    def located(self, folding: Folded) -> str:
        """Return the refusal: the statement that the part comes from, and the problem."""
        statement = folding.statements.get(id(self.part))
        if statement is None:
            return self.problem
        text = statement_text(statement)
        text = text if len(text) <= LONGEST_STATEMENT else statement.name
        return f"{f'line {statement.line}, ' if statement.line else ''}{text}: {self.problem}"


# Layers: each one is a function of the next, which it may use more than once, and of constants only. What is computed
# from a released number costs nothing, so the theorem is about the innermost layers; theory (34).

SNAPPED = "snapped"  # no name of a program is compared with it: no other variable is left where it stands


class Layers:
    """The expressions on which all that is drawn or private in a tree depends, from the tree itself inward."""

    def __init__(self, tree: Expression) -> None:
        self._all = Parts(tree)
        parts, operands = self._all.parts, self._all.operands
        named = list[bool]()  # does a sample or a query stand in a part?
        for part, places in zip(parts, operands, strict=True):
            named.append(isinstance(part, (Variable, QueryValue)) or any(named[place] for place in places))
        self._places, self.found = list[int](), list[Expression]()
        # Parts come after what they are made of, so the last one that is not opened stands in none of the others.
        unopened = {len(parts) - 1} if named[-1] else set[int]()
        for place in reversed(range(len(parts))):
            if unopened == {place}:
                self._places.append(place)
                self.found.append(parts[place])
            if place in unopened:
                inside = [operand for operand in operands[place] if named[operand]]
                if not inside:
                    break
                unopened = unopened - {place} | {*inside}

    def of_snapped(self, number: int, snapped: int) -> Expression:
        """Return a layer as a function of a layer inside of it, which is named SNAPPED."""
        made: list[Expression] = []
        for place, part in enumerate(self._all.parts[: self._places[number] + 1]):
            is_snapped = place == self._places[snapped]
            changed = part.with_operands(lambda operand: made[self._all.place(operand)])
            made.append(Variable(name=SNAPPED) if is_snapped else changed)
        return made[-1]


# Steps: operations with a constant


class AffineStep(Value):
    """x -> factor x + shift: a product or quotient, or a sum or difference, with a constant; or a negation."""

    factor: Fraction = Fraction(1)
    shift: Fraction = Fraction(0)
    is_product: bool = False

    @property
    def rounds(self) -> bool:
        return not self.is_product or exponent_of_power(abs(self.factor)) is None


def step_of(e: Expression) -> tuple[AffineStep, Expression] | None:
    """Return the step that an expression is, and its operand: -x, x + c, c + x, x - c, c - x, x * c, c * x, x / c."""
    if isinstance(e, Negation):
        return AffineStep(factor=Fraction(-1)), e.operand
    if not isinstance(e, Binary):
        return None
    constant, operand = (e.right, e.left) if isinstance(e.right, Constant) else (e.left, e.right)
    if not isinstance(constant, Constant) or (operand is e.right and isinstance(e, Division)):
        return None
    c = constant.value
    if isinstance(e, Addition):
        return AffineStep(shift=c), operand
    if isinstance(e, Subtraction):
        return (AffineStep(shift=-c) if operand is e.left else AffineStep(factor=Fraction(-1), shift=c)), operand
    return (AffineStep(factor=c if isinstance(e, Multiplication) else 1 / c, is_product=True), operand) if c else None


def affine(steps: list[AffineStep]) -> tuple[Fraction, Fraction]:
    """Return slope and offset of all steps, the first of them nearest to the operand, as if nothing rounded."""
    slope, offset = Fraction(1), Fraction(0)
    for step in steps:
        slope, offset = step.factor * slope, step.factor * offset + step.shift
    return slope, offset


# The way from the query to what the noise is added to. Each step rounds once. A step with a power of two rounds
# nothing; others move the two values of neighbours by half a unit each, so that the float query can move by more than
# the sensitivity says: 0.4/0.1 - 0.3/0.1 > 1. What a clamp on the way cuts off need not be counted.
# Theory: docs/theory/verifier-loss.md, (37)-(39).

TRIES = 200  # steps outward, each twice as long, from where a clamp should begin to where it does


class Reach(Value):
    """Where the values of one step lie, and how far apart those of neighbours may be."""

    lower: Fraction
    upper: Fraction
    distance: Fraction  # of the machine's values
    ideal: Fraction  # of the real ones: the sensitivity, scaled
    rounded: int = 0  # how many steps round


def _sides(layers: Layers) -> tuple[Expression, Expression]:
    """Return the path of the query and the noise, which the innermost layer adds."""
    if not layers.found:
        raise OtherForm(None, "the output is a constant")
    e = layers.found[-1]
    if not isinstance(e, (Addition, Subtraction)):
        names = {type(part) for part in walk(e)} & {QueryValue, Variable}
        if len(names) < 2:
            raise OtherForm(e, "no noise is added" if QueryValue in names else "the output depends on no query")
        what = "multiplied by the query" if isinstance(e, (Multiplication, Division)) else "not added to the query"
        raise OtherForm(e, f"the noise is {what}")
    for private, noise in ((e.left, e.right), (e.right, e.left)):
        if not any(isinstance(part, Variable) for part in walk(private)):
            # noise - f is -f + noise
            path = Negation(operand=private) if isinstance(e, Subtraction) and private is e.right else private
            innermost = _way(path)[-1][0]
            if not isinstance(innermost, QueryValue):
                allowed = "only constants may scale, shift, negate and clamp a query before the noise is added"
                raise OtherForm(innermost, f"{allowed}; here is {named(innermost)}")
            return path, noise
    raise OtherForm(e, "both sides of the sum are drawn, so that neither is a query")


def _way(path: Expression) -> list[tuple[Expression, AffineStep]]:
    """Return a path and what each of its steps is made of, inward to the query; here a clamp does nothing."""
    way = []
    while True:
        step, operand = (
            (AffineStep(), path.operand) if isinstance(path, Clamping) else step_of(path) or (AffineStep(), None)
        )
        way.append((path, step))
        if operand is None:
            return way
        path = operand


def affine_steps(path: Expression) -> list[tuple[Fraction, Fraction]]:
    """Return slope and offset after each step of a path that may round."""
    return [_affine(e) for e, _ in _way(path) if isinstance(e, Binary)]


def _affine(path: Expression) -> tuple[Fraction, Fraction]:
    """Return slope and offset of the real function, as if nothing rounded and nothing were clamped."""
    return affine([step for _, step in reversed(_way(path))])


def query_of(path: Expression) -> str:
    query, _ = _way(path)[-1]
    assert isinstance(query, QueryValue)
    return query.name


def value_on(path: Expression, f: Fraction, machine: Machine) -> Fraction:
    """Return what the noise is added to, for one private value."""
    return evaluate_float(path, {query_of(path): f}, machine)


def confined(path: Expression, ends: Range, machine: Machine) -> Range:
    """Return an interval of private values beyond which a clamp on the way makes them all alike; theory (38)."""

    def beyond(clamp: Clamping, end: Fraction, outward: int) -> Fraction | None:
        """Return a private value at or beyond an end of a clamp: outward is 1 above it, -1 below."""
        slope, offset = _affine(clamp.operand)
        x = start = (machine.constant(end) - offset) / slope
        step = max(abs(start), Fraction(1)) * machine.eta
        for _ in range(TRIES):
            f = round_nearest(x, machine.p)
            passed = value_on(clamp.operand, f, machine) - machine.constant(end)
            if passed * (outward if slope > 0 else -outward) >= 0:
                return f
            x, step = x + outward * step, 2 * step
        return None

    low, high = ends
    for e, _ in _way(path):
        if isinstance(e, Clamping):
            lower, upper = (e.lower, e.upper) if _affine(e.operand)[0] > 0 else (e.upper, e.lower)
            first, last = beyond(e, lower, -1), beyond(e, upper, 1)
            low = first if low is None else low if first is None else max(low, first)
            high = last if high is None else high if last is None else min(high, last)
    if low is None or high is None or low <= high:
        return low, high
    kept = next((end for end in ends if end is not None), low)  # the clamp makes all of the declared interval alike
    return kept, kept


def reach_of(path: Expression, ends: Range, sensitivity: Fraction, machine: Machine) -> Reach | None:
    """Return where the end of a path lies and how far neighbours may be apart there; theory (37). None: anywhere.

    ends  between which the private values lie that are not alike        sensitivity  how far apart those may be
    A step scales the distance, and a rounding adds a unit. Where sums are exact, their results are no floats, and every
    product rounds, also one with a power of two.
    """
    (low, high), distance, ideal, rounded, p = ends, sensitivity, sensitivity, 0, machine.p
    if low is None or high is None:
        return None
    for e, step in reversed(_way(path)):
        if isinstance(e, Clamping):
            least, most = (machine.constant(end) for end in (e.lower, e.upper))
            low, high = (min(max(end, least), most) for end in (low, high))
            continue
        low, high = sorted((step.factor * low, step.factor * high))
        if machine.adds_exactly:
            exact = not step.is_product
        else:
            # A sum with a float of the other sign, between half and twice as large, is exact (Sterbenz).
            small, large = sorted((abs(low), abs(high)))
            cancels = low * step.shift < 0 and high * step.shift < 0 and large / 2 <= abs(step.shift) <= 2 * small
            exact = exponent_of_power(abs(step.factor)) is not None and (not step.shift or cancels)
        low, high = low + step.shift, high + step.shift
        distance, ideal = abs(step.factor) * distance, abs(step.factor) * ideal
        if not exact:
            largest = max(abs(low), abs(high))
            distance += 2 * half_gap(largest, p)
            low, high, rounded = round_nearest(low, p), round_nearest(high, p), rounded + 1
    return Reach(lower=low, upper=high, distance=distance, ideal=ideal, rounded=rounded)


def half_gap(size: Fraction, p: int) -> Fraction:
    """Return half the distance of neighbouring floats from a size on; nothing at zero, where they are dense."""
    return power_of_two(floor_log2(size) - p) if size else Fraction(0)


# Noise: a multiple of S ln U, or of sign(U - 1/2) ln(1 - 2 |U - 1/2|), which is the inverse of the distribution
# function. A factor that is a power of two or a sign rounds nothing; constants multiplied by the sign are constants up
# to the sign, so the machine's product of them is folded too. The second kind counts only where sign and magnitude are
# taken of the same centred draw, by powers of two alone: then w = 1 - 2 |U - 1/2| is exact.
# Theory: docs/theory/verifier-loss.md, (2), (22) and (48)-(51).

U, CENTRED, MAGNITUDE, FOLDED_DRAW = "U", "U - 1/2", "|U - 1/2|", "1 - 2 |U - 1/2|"


class Noise(Value):
    """coefficient * S**signed * (ln U)**drawn, rounded that many times.

    sign_of    the draw whose sign about 1/2 is the sign, where that is no sample of its own
    folded_of  the draw that is folded, ln(1 - 2 |U - 1/2|) in the place of ln U
    draw, of   instead of S and ln U: what is made of a draw; the coefficient is then a power of two, or minus one, so
               that every step but U - 1/2 is exact
    """

    coefficient: Fraction
    signed: bool = False
    drawn: bool = False
    roundings: int = 0
    laplace: bool = False
    sign_of: str | None = None
    folded_of: str | None = None
    draw: str = ""
    of: str = ""

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


def noise_of(e: Expression, samples: dict[str, Sample], machine: Machine) -> Noise:
    """Return an expression as a multiple of S and ln U, with every inexact rounding counted."""
    for part in walk(e):
        if isinstance(part, QueryValue) or any(isinstance(operand, QueryValue) for operand in part.operands):
            how = "is multiplied by" if isinstance(part, (Multiplication, Division)) else "depends on"
            raise OtherForm(part, f"the noise {how} the query")
    noise = _NoiseOf(samples, machine).of(e)
    if not noise.is_one:
        raise OtherForm(e, "the noise is no multiple of S ln(U)")
    return noise


class _NoiseOf(Semantics[Noise], language=FOLDED):
    def __init__(self, samples: dict[str, Sample], machine: Machine) -> None:
        super().__init__()
        self.samples, self.machine = samples, machine

    def const(self, e: Constant) -> Noise:
        return Noise(coefficient=e.value)

    held = const

    def var(self, e: Variable) -> Noise:
        sample = self.samples.get(e.name)
        if sample is None:
            raise _no_step(e)
        if sample.distribution == "unif":
            return Noise(coefficient=Fraction(1), draw=e.name, of=U)
        if sample.distribution == "sign":
            return Noise(coefficient=Fraction(1), signed=True)
        if sample.distribution == "laplace":  # a real Laplace draw, rounded once to a float
            scale = sample.argument or Fraction(1)
            return Noise(coefficient=scale, signed=True, drawn=True, roundings=1, laplace=True)
        raise OtherForm(e, f"a {sample.distribution} draw is no noise that has a bound")

    def neg(self, _: Negation, x: Noise) -> Noise:
        return replaced(x, coefficient=-x.coefficient)

    def ln(self, e: Logarithm, x: Noise) -> Noise:
        """Return ln U, or ln of the folded draw itself: a multiple of that would shift the noise."""
        drawn = Noise(coefficient=Fraction(1), drawn=True, roundings=self.machine.ln_roundings)
        if isinstance(e.operand, Variable) and x.of == U:
            return drawn
        if x.of == FOLDED_DRAW and x.coefficient == 1:
            return replaced(drawn, folded_of=x.draw)
        raise OtherForm(e, f"the noise takes ln of something else than U or {FOLDED_DRAW}")

    def abs(self, e: UnaryOperation, x: Noise) -> Noise:
        if x.of == CENTRED:
            return replaced(x, of=MAGNITUDE, coefficient=abs(x.coefficient))
        raise _no_step(e)

    def sign(self, e: UnaryOperation, x: Noise) -> Noise:
        if x.of == CENTRED:
            return Noise(coefficient=Fraction(1 if x.coefficient > 0 else -1), signed=True, sign_of=x.draw)
        raise _no_step(e)

    def add(self, e: Binary, *operands: Noise) -> Noise:
        """Return k (U - 1/2), or k (1 - 2 |U - 1/2|) for k > 0, in any order and with any signs."""
        x, found = next((x for x in operands if x.of), None), step_of(e)
        if x is not None and found is not None:
            step, k = found[0], x.coefficient * found[0].factor
            if x.of == U and step.shift == -k * HALF:
                return replaced(x, of=CENTRED, coefficient=k)
            if x.of == MAGNITUDE and step.shift > 0 and k == -2 * step.shift:
                return replaced(x, of=FOLDED_DRAW, coefficient=step.shift)
        raise _no_step(e)

    sub = add

    def mul(self, e: Binary, a: Noise, b: Noise) -> Noise:
        if a.of or b.of:
            x, found = a if a.of else b, step_of(e)
            if found is not None and not found[0].rounds:
                return replaced(x, coefficient=x.coefficient * found[0].factor)
            raise _no_step(e)
        divides = isinstance(e, Division)
        if (a.drawn and b.drawn) or (a.signed and b.signed):
            raise OtherForm(e, f"two {'logarithms' if a.drawn and b.drawn else 'signs'} are multiplied in the noise")
        if divides and (b.drawn or not b.coefficient or b.sign_of is not None):  # which is zero at U = 1/2
            raise OtherForm(e, "the noise divides by what may be zero")
        signed, sign_of = a.signed or b.signed, a.sign_of or b.sign_of
        if not a.drawn and not b.drawn:  # a constant up to the sign: the machine's product, the same in both runs
            constants = (Held(value=x.coefficient) for x in (a, b))
            product = evaluate_float(e.with_operands(lambda _: next(constants)), {}, self.machine)
            return Noise(coefficient=product, signed=signed, sign_of=sign_of)
        coefficient = a.coefficient / b.coefficient if divides else a.coefficient * b.coefficient
        drawn, factor = (a, b) if a.drawn else (b, a)
        rounds = exponent_of_power(abs(factor.coefficient)) is None
        roundings = drawn.roundings + rounds
        return replaced(drawn, coefficient=coefficient, signed=signed, sign_of=sign_of, roundings=roundings)

    div = mul

    def query(self, e: Expression, *_: Noise) -> NoReturn:
        raise _no_step(e)

    round = clamp = floor = rint = query


def _no_step(e: Expression) -> OtherForm:
    of_draw = " with U itself" if isinstance(e, (Multiplication, Division)) else ""
    return OtherForm(e, f"the noise is no multiple of S ln(U): it has {named(e)}{of_draw}")


# The snap: how the innermost sum becomes multiples of a grid. Between the sum and the step that makes multiples there
# may be clamps, and operations that rise, such as y / 3 and y + 0.5; outside of it one clamp is looked for, and
# everything else is post-processing. An operation that rises rounds once, so that a cell still begins at one place of
# the real sum, the same for every private value; it lies near where it would without roundings, and `slack` says how
# near. Theory: docs/theory/verifier-loss.md, (34)-(36) and (42)-(47).


class Snap(Value):
    """How the innermost sum becomes an output: the grid, the ends between which outputs lie, and what is released.

    `released` is the output as an expression of the snapped value, named SNAPPED; None where that is the output itself,
    moved between the ends. `unit` is what the sum is multiplied by before it is snapped. The cell of k begins at
    (k - 1/2) grid + offset in the real sum, or up to `below` under or `above` over that.
    """

    grid: Fraction | None = None
    ends: Ends | None = None
    released: Expression | None = None
    unit: Fraction = Fraction(1)
    step: str = Rounding.word  # what makes multiples of the sum: round, floor or rint
    exact: bool = False  # the step rounds nothing: its own grid is a power of two
    is_plain: bool = True  # the snap of the theorem: to a grid, ties up, of the sum times a power of two
    offset: Fraction = Fraction(0)
    below: Fraction = Fraction(0)
    above: Fraction = Fraction(0)
    splits_zero: bool = False  # -0.0 is an output beside 0.0
    needs_nonzero_noise: bool = False  # without it a sum of -0.0 could be told from 0.0

    @property
    def width(self) -> Fraction:
        """Return the least width of a cell; theory (10) and (45)."""
        assert self.grid is not None
        return (self.grid / 2 if self.splits_zero else self.grid) - self.below - self.above


def snap_of(layers: Layers, machine: Machine) -> Snap:
    """Return the snap in the layers of a program: the first rounding outside of the sum, and a clamp in or around it.

    round(clamp(y)) = clamp'(round(y)), clamp' between the rounded ends; clamp(g(x)) for an increasing g bounds the
    multiples of the grid that differ in it; theory (35) and (36). Scaling by a power of two is exact; other steps that
    rise round, and move where cells begin.
    """
    steps: list[AffineStep] = []  # between the sum and the snap, from the sum outward
    ends: Ends | None = None  # of clamps there, as the machine carries them through the steps
    unsnapped: Ends | None = None  # the same in the unit of the sum, as long as nothing rounds
    signed, tangled = True, False  # may -0.0 be met here? by a clamp that ends at 0: then a private -0.0 shows?
    for number in reversed(range(len(layers.found) - 1)):
        layer = layers.found[number]
        if isinstance(layer, (Rounding, *STEPS)):
            break
        if isinstance(layer, Clamping):
            own = machine.constant(layer.lower), machine.constant(layer.upper)
            ends = _composed(ends, own)
            tangled = tangled or (signed and 0 in own)
            if not any(step.rounds for step in steps):
                slope, _ = affine(steps)
                unsnapped = ends[0] / slope, ends[1] / slope
            continue
        found = None if machine.adds_exactly else step_of(layer)
        if found is None or found[0].factor < 0:  # which falls
            return Snap(ends=unsnapped)
        step, _ = found
        steps.append(step)
        if ends is not None:
            low, high = (round_nearest(step.factor * end + step.shift, machine.p) for end in ends)
            ends = low, high
        if step.shift:  # a sum with a number that is not zero is never -0.0
            signed = tangled = False
    else:
        return Snap(ends=unsnapped)
    (unit, shift), own_grid = affine(steps), layer.grid if isinstance(layer, Rounding) else Fraction(1)
    if ends is not None:
        rounds = isinstance(layer, Rounding)
        low, high = (nearest_multiple(end, own_grid) if rounds else FUNCTIONS[layer.word](end) for end in ends)
        ends = low / unit, high / unit
    grid = own_grid / unit
    snap = Snap(
        grid=grid,
        unit=unit,
        step=layer.word,
        exact=exponent_of_power(own_grid) is not None,
        is_plain=isinstance(layer, Rounding) and not any(step.rounds for step in steps),
        offset=(grid / 2 if layer.word == "floor" else Fraction(0)) - shift / unit,
        needs_nonzero_noise={"round": False, "floor": signed, "rint": tangled}[layer.word],
    )
    # Outside of the step: the first clamp, and what is released.
    is_output, is_sum_snapped = number == 0, snap.is_plain and unit == 1
    around = next((i for i in reversed(range(number)) if isinstance(layers.found[i], Clamping)), None)
    if around is not None:
        clamp = layers.of_snapped(around, number)
        assert isinstance(clamp, Clamping)
        if around == number - 1 and is_sum_snapped:
            ends, is_output = _composed(ends, (clamp.lower, clamp.upper)), around == 0
        elif (reached := _reached(clamp, snap, machine)) is not None:
            ends = _composed(ends, reached)
    snap = replaced(snap, released=None if is_output and is_sum_snapped else layers.of_snapped(0, number))
    if ends is None or machine.adds_exactly:
        return replaced(snap, ends=ends)
    # Where cells begin; theory (42)-(46).
    low, high = ends
    splits_zero = snap.step == "rint" and low <= 0 <= high
    if splits_zero:  # -0.0 lies between -1 and 0.0: all three are told apart
        low, high = min(low, -grid), max(high, grid)
    first, last = math.floor(low / grid) + 1, math.ceil(high / grid)
    cuts = [(k - (0 if snap.step == "floor" else HALF)) * own_grid for k in (first, last)]
    held = all(round_nearest(cut, machine.p) == cut for cut in cuts)
    at_floats = held and snap.step != "rint" and max(abs(first), abs(last)) <= 1 << machine.p
    below, above = slack((min(cuts), max(cuts)), steps, at_floats=at_floats, p=machine.p)
    return replaced(snap, ends=(low, high), splits_zero=splits_zero, below=below, above=above)


def _composed(inner: Ends | None, outer: Ends) -> Ends:
    """Return the clamp that is one clamp after another."""
    if inner is None:
        return outer
    low, high = (min(max(end, outer[0]), outer[1]) for end in inner)
    return low, high


def _reached(clamp: Clamping, snap: Snap, machine: Machine) -> Ends | None:
    """Return the multiples of the grid from which on a clamp of a monotone function of them changes nothing more.

    They are compared with the ends that the machine holds: a sum that is exact may lie between such an end and the
    number that the program states; theory (36).
    """
    inside = clamp.operand
    trend = direction(inside, SNAPPED, 1)
    # A logarithm gives no number far from the clamp: that is one more output.
    if not trend or any(isinstance(part, Logarithm) for part in walk(inside)):
        return None
    assert snap.grid is not None
    grid, most = snap.grid, 1 << machine.p

    def value(k: int) -> Fraction:
        return trend * evaluate_float(inside, {SNAPPED: k * grid * snap.unit}, machine)

    low, high = sorted(trend * machine.constant(end) for end in (clamp.lower, clamp.upper))
    try:
        if not low < value(most) >= high:
            return None
        first = first_index(lambda k: value(k) > low, -most, most)
        last = first_index(lambda k: value(k) >= high, -most, most)
    except PremiseError:
        return None
    return None if first <= -most else ((first - 1) * grid, last * grid)


def released_value(snap: Snap, machine: Machine, multiple: Fraction) -> Fraction | None:
    """Return what is released where the sum, in its own unit, was snapped to a multiple of the grid; None: no number.

    The ends are not applied where the snapped value itself is released: they are no part of what was peeled off.
    """
    if snap.released is None:
        return multiple
    try:
        return evaluate_float(snap.released, {SNAPPED: multiple * snap.unit}, machine)
    except PremiseError:
        return None


def slack(cuts: Ends, steps: list[AffineStep], *, at_floats: bool, p: int) -> Ends:
    """Return how far below and above its place in the real sum a cell may begin.

    cuts       the least and greatest value, after all steps, at which a cell begins
    at_floats  a cell begins at such a value and not after it, and the value is a float: rounding moves it down only

    Each rounding, the sum's too, moves a cut by at most half the gap of floats at the largest of them; theory (44).
    """
    (low, high), below, above = cuts, Fraction(0), Fraction(0)
    the_sum = AffineStep()
    for step in (*reversed(steps), the_sum):
        if step.rounds:
            moved = half_gap(max(abs(low), abs(high)) + max(below, above), p)
            below, above, at_floats = below + moved, above + (0 if at_floats else moved), False
        low, high = ((end - step.shift) / step.factor for end in (low, high))
        below, above = below / step.factor, above / step.factor
    return below, above
