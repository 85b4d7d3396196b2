"""The shape that the loss theorem is about: clamp(round(query + noise)) with noise a multiple of S ln U.

Room: verifier. Reads the folded expression of a program and finds the numbers of the theorem in it: the effective
epsilon of the noise, how often the noise is rounded, grid and clamp. A factor that is a power of two or a sign rounds
nothing; constants multiplied by the sign are constants up to the sign, so the machine's product of them is folded too.
What the theorem needs besides is a checklist: each premise is proved, assumed (by the file or the machine), or failed.
Theory: docs/theory/verifier-loss.md, (1)-(2) and (22).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import assert_never

from snapdp.display import four_digits_up, scientific_up
from snapdp.exact import HALF, exponent_of_power, round_nearest
from snapdp.values import Value, replaced
from snapdp.verifier.language import syntax
from snapdp.verifier.machine.folding import rounded_operation
from snapdp.verifier.machine.machine import Machine

PROVED, ASSUMED, FAILED = "proved", "assumed", "failed"
LONGEST_NUMBER = 40  # letters of a number in a sentence
NO_SUM = "the output is no sum of one query and one noise"

Samples = dict[str, syntax.Sample]


class TheoremPremise(Value):
    """One line of the checklist."""

    name: str
    status: str
    detail: str


class Noise(Value):
    """coefficient * S**signed * (ln U)**drawn, rounded that many times."""

    coefficient: Fraction
    signed: bool = False
    drawn: bool = False
    roundings: int = 0
    laplace: bool = False

    @property
    def is_exact_factor(self) -> bool:
        return not self.drawn and exponent_of_power(abs(self.coefficient)) is not None


class Shape(Value):
    """What was found in a program. None: the part is missing; the premises say so too."""

    query: syntax.Query | None
    lower: Fraction | None  # of the query, after an inner clamp
    upper: Fraction | None
    noise: Noise | None
    grid: Fraction | None
    clamp_lower: Fraction | None
    clamp_upper: Fraction | None
    premises: tuple[TheoremPremise, ...]

    @property
    def noise_epsilon(self) -> Fraction | None:
        """Return 1/c, the loss for each unit of distance if nothing rounded."""
        return None if self.noise is None or not self.noise.coefficient else 1 / abs(self.noise.coefficient)

    @property
    def failed(self) -> tuple[TheoremPremise, ...]:
        return tuple(premise for premise in self.premises if premise.status == FAILED)

    @property
    def boundaries(self) -> tuple[Fraction, Fraction]:
        """Return t_min and t_max: the output is the lower end below t_min, the upper end from t_max on."""
        assert self.grid is not None
        assert self.clamp_lower is not None
        assert self.clamp_upper is not None
        low, high = math.floor(self.clamp_lower / self.grid), math.ceil(self.clamp_upper / self.grid)
        return (low + HALF) * self.grid, (high - HALF) * self.grid


def recognise(expression: syntax.Expression, program: syntax.Program, machine: Machine) -> Shape:
    """Return the shape of a folded expression, with every premise of the theorem judged."""
    found = _Parts()
    found.peel(expression, program, machine)
    query = next((q for q in program.queries if q.name == found.query_name), None)
    lower, upper = found.query_range(query)
    shape = Shape(
        query=query,
        lower=lower,
        upper=upper,
        noise=found.noise,
        grid=found.grid,
        clamp_lower=found.clamp[0] if found.clamp else None,
        clamp_upper=found.clamp[1] if found.clamp else None,
        premises=(),
    )
    return replaced(shape, premises=tuple(_checklist(shape, found, machine)))


class _Parts:
    """What peeling an expression from outside finds."""

    def __init__(self) -> None:
        self.clamp: tuple[Fraction, Fraction] | None = None
        self.inner: tuple[Fraction, Fraction] | None = None
        self.grid: Fraction | None = None
        self.noise: Noise | None = None
        self.query_name: str | None = None
        self.problem = ""

    def peel(self, tree: syntax.Expression, program: syntax.Program, machine: Machine) -> None:
        kinds = {s.name: s for s in program.statements if isinstance(s, syntax.Sample)}
        match tree:
            case syntax.Clamping(lower=lower, upper=upper, operand=operand) if self.clamp is None:
                self.clamp = (lower, upper)
                if self.grid is not None and any(end % self.grid for end in self.clamp):
                    self.problem = "the clamp inside the rounding does not end on the grid"
                self.peel(operand, program, machine)
            case syntax.Rounding(grid=grid, operand=operand) if self.grid is None:
                self.grid = grid
                self.peel(operand, program, machine)
            case syntax.Binary(operator="+" | "-", left=left, right=right):
                self._sum(tree.operator, left, right, kinds, machine)
            case syntax.Clamping() | syntax.Rounding() | syntax.Binary() | syntax.Negation() | syntax.Logarithm():
                self.problem = NO_SUM
            case syntax.Constant() | syntax.Variable() | syntax.QueryValue():
                self.problem = NO_SUM
            case _:
                assert_never(tree)

    def _sum(
        self, operator: str, left: syntax.Expression, right: syntax.Expression, kinds: Samples, machine: Machine
    ) -> None:
        for query, noise in ((left, right), (right, left)):
            if operator == "-" and query is right:
                continue  # noise - f releases -f: not this shape
            inner = None
            if isinstance(query, syntax.Clamping):
                inner, query = (query.lower, query.upper), query.operand
            if isinstance(query, syntax.QueryValue):
                self.query_name, self.inner = query.name, inner
                self.noise = noise_of(noise, kinds, machine)
                if self.noise is None or not self.noise.drawn or not self.noise.coefficient:
                    self.problem, self.noise = "the noise is no multiple of S ln(U)", None
                return
        self.problem = NO_SUM

    def query_range(self, query: syntax.Query | None) -> tuple[Fraction | None, Fraction | None]:
        ends = (None, None) if query is None else (query.lower, query.upper)
        if self.inner is None:
            return ends
        low = self.inner[0] if ends[0] is None else min(max(ends[0], self.inner[0]), self.inner[1])
        high = self.inner[1] if ends[1] is None else max(min(ends[1], self.inner[1]), self.inner[0])
        return low, high


def noise_of(tree: syntax.Expression, kinds: Samples, machine: Machine) -> Noise | None:
    """Return an expression as a multiple of S and ln U, with every inexact rounding counted; None if it is none."""
    match tree:
        case syntax.Constant(value=value):
            return Noise(coefficient=value)
        case syntax.Variable(name=name) if name in kinds:
            sample = kinds[name]
            if sample.distribution == "sign":
                return Noise(coefficient=Fraction(1), signed=True)
            if sample.distribution == "laplace":  # a real Laplace draw, rounded once to a float
                scale = sample.argument or Fraction(1)
                return Noise(coefficient=scale, signed=True, drawn=True, roundings=1, laplace=True)
            return None
        case syntax.Logarithm(operand=syntax.Variable(name=name)) if name in kinds:
            if kinds[name].distribution == "unif":
                return Noise(coefficient=Fraction(1), drawn=True, roundings=machine.ln_roundings)
            return None
        case syntax.Negation(operand=operand):
            inner = noise_of(operand, kinds, machine)
            return None if inner is None else replaced(inner, coefficient=-inner.coefficient)
        case syntax.Binary(operator="*" | "/", left=left, right=right):
            a, b = noise_of(left, kinds, machine), noise_of(right, kinds, machine)
            return None if a is None or b is None else _combined(tree.operator, a, b, machine)
        case syntax.Variable() | syntax.QueryValue() | syntax.Binary():
            return None
        case syntax.Logarithm() | syntax.Rounding() | syntax.Clamping():
            return None
        case _:
            assert_never(tree)


def _combined(operator: str, a: Noise, b: Noise, machine: Machine) -> Noise | None:
    if (a.drawn and b.drawn) or (a.signed and b.signed) or (operator == "/" and (b.drawn or not b.coefficient)):
        return None
    signed = a.signed or b.signed
    if not a.drawn and not b.drawn:  # a constant up to the sign: the machine's product, the same in both runs
        return Noise(coefficient=rounded_operation(operator, a.coefficient, b.coefficient, machine), signed=signed)
    coefficient = a.coefficient * b.coefficient if operator == "*" else a.coefficient / b.coefficient
    drawn, factor = (a, b) if a.drawn else (b, a)
    roundings = drawn.roundings + (0 if factor.is_exact_factor else 1)
    return replaced(drawn, coefficient=coefficient, signed=signed, roundings=roundings)


def _checklist(shape: Shape, found: _Parts, machine: Machine) -> list[TheoremPremise]:
    def judged(name: str, holds: bool, detail: str, otherwise: str, status: str = PROVED) -> TheoremPremise:
        return TheoremPremise(name=name, status=status if holds else FAILED, detail=detail if holds else otherwise)

    noise, query, grid = shape.noise, shape.query, shape.grid
    lines = [
        judged(
            "shape", noise is not None and not found.problem, _in_words(noise), found.problem or "there is no noise"
        ),
    ]
    if query is not None:
        confined = shape.lower is not None and shape.upper is not None
        how = "by an inner clamp" if found.inner else "declared in the file"
        lines.append(
            judged(
                "query confined",
                confined,
                f"{shape.lower} <= {query.name}(D) <= {shape.upper}, {how}",
                f"nothing confines {query.name}(D) to an interval",
                PROVED if found.inner else ASSUMED,
            )
        )
        whose = "" if machine.adds_exactly else " for the float query"  # an exact sum takes any number
        detail = f"|{query.name}(D) - {query.name}(D')| <= {query.sensitivity}{whose}, declared in the file"
        lines.append(TheoremPremise(name="sensitivity", status=ASSUMED, detail=detail))
    if noise is not None:
        detail = "the draw is symmetric" if noise.laplace else "S is -1 or 1 with equal probability"
        lines.append(judged("sign fair", noise.signed, detail, "the noise has no random sign"))
    lines.append(
        judged(
            "clamp present",
            found.clamp is not None and found.clamp[0] < found.clamp[1],
            f"outputs stay in [{shape.clamp_lower}, {shape.clamp_upper}]",
            "the output is not clamped" if found.clamp is None else "the clamp is empty or one point",
        )
    )
    dyadic = grid is not None and exponent_of_power(grid) is not None
    otherwise = "the output is not rounded to a grid" if grid is None else f"{grid} is no power of two: the snap rounds"
    lines.append(judged("grid power of two", dyadic, f"Lambda = {grid}", otherwise))
    if dyadic and found.clamp is not None:
        halves = () if machine.adds_exactly else shape.boundaries  # an exact sum is compared with any number
        what = "the ends of clamps" if machine.adds_exactly else "the half steps of the grid and the ends of clamps"
        fits = all(round_nearest(end, machine.p) == end for end in (*halves, *found.clamp, *(found.inner or ())))
        detail, otherwise = f"{what} are floats", f"{machine.p} bits cannot hold {what}"
        lines.append(judged("boundaries representable", fits, detail, otherwise))
    lines.append(
        TheoremPremise(name="ln correctly rounded", status=ASSUMED, detail="to nearest, by the machine")
        if machine.ln_roundings == 1
        else TheoremPremise(
            name="ln accurate", status=ASSUMED, detail=f"within {machine.ln_roundings} roundings, by the machine"
        )
    )
    if machine.adds_exactly:
        lines.append(TheoremPremise(name="sum exact", status=ASSUMED, detail="+ and - do not round, by the machine"))
    lines.append(
        TheoremPremise(name="no fma", status=ASSUMED, detail="strict evaluation, no contraction, no extra precision")
    )
    lines.append(TheoremPremise(name="exponents", status=ASSUMED, detail="no result but U leaves the exponent range"))
    return lines


def _short(x: Fraction) -> str:
    """Return a number exactly, or about where more bits than those of a double would fill a line."""
    texts = (str(x), f"about {four_digits_up(x)}", f"about {scientific_up(x)}")
    return next((text for text in texts if len(text) <= LONGEST_NUMBER), texts[-1])


def _in_words(noise: Noise | None) -> str:
    if noise is None:
        return ""
    drawn = "a Laplace draw" if noise.laplace else "ln(U)"
    times = "once" if noise.roundings == 1 else f"{noise.roundings} times"
    scale = (
        f"times {_short(noise.coefficient)}, " if not noise.laplace else f"of scale {_short(abs(noise.coefficient))}, "
    )
    return f"query + noise; the noise is {drawn} {scale}rounded {times}"
