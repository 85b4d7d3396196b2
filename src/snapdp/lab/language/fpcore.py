"""FPCore 2.0, read and written, and the noise of a program for other tools: as an FPCore, and as a script for Gappa.

Straight-line cores are read, with a box as precondition; a core that holds anything else (branches, loops, arrays,
other functions, casts, other precisions) is refused by name and line. A let binds a node of the tree, so what it names
is one computation with one rounding error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from snapdp.display.numbers import exact_operand
from snapdp.errors import ParameterError, ProgramError
from snapdp.exact.dyadic import exponent_of_power, power_of_two, round_up
from snapdp.exact.enclosure import Enclosure, enclose
from snapdp.exact.functions import exp_enclosure, fraction_of_mpfr, ln_enclosure, mpfr_context, sqrt_of
from snapdp.exact.numbers import LARGEST_DECIMAL_EXPONENT, shown
from snapdp.lab.language.syntax import (
    BINARY,
    FORMULAS,
    PROGRAMS,
    Addition,
    Binary,
    Constant,
    Exponential,
    Expression,
    FusedMultiplyAdd,
    Logarithm,
    Multiplication,
    NamedConstant,
    Negation,
    Parts,
    Program,
    Semantics,
    SquareRoot,
    Subtraction,
    Variable,
)
from snapdp.values import Value, replaced

if TYPE_CHECKING:
    from snapdp.lab.semantics.machine import Machine

LONGEST_CORES = 1 << 18
MOST_COMPARED = 1000  # numbers and inputs in one comparison of a precondition
DEEPEST = 150
LARGEST_HEX_EXPONENT = 1 << 14
OPERATIONS: dict[str, type[Expression]] = {
    **BINARY,
    "log": Logarithm,
    "sqrt": SquareRoot,
    "exp": Exponential,
    "fma": FusedMultiplyAdd,
}


class Format(Value):
    """Floats of p bits; least and greatest are exponents of the smallest subnormal and of overflow, or None."""

    p: int
    least: int | None = None
    greatest: int | None = None

    def _check(self) -> None:
        if not 2 <= self.p <= 4096:
            raise ParameterError(f"p = {self.p} is no precision a float can have.", "Give 2 <= p <= 4096.")

    def __str__(self) -> str:
        return next((n for n, f in FORMATS.items() if f == self), f"{self.p} bits, exponents unbounded")

    @property
    def largest(self) -> Fraction | None:
        """Return the largest finite float."""
        return None if self.greatest is None else power_of_two(self.greatest) * (1 - power_of_two(-self.p))


BINARY64 = Format(p=53, least=-1074, greatest=1024)
BINARY32 = Format(p=24, least=-149, greatest=128)
FORMATS = {"binary64": BINARY64, "binary32": BINARY32}


def _pi(precision: int) -> Enclosure:
    ends = (fraction_of_mpfr(mpfr_context(precision, way).const_pi()) for way in ("down", "up"))
    return Enclosure(*ends)


def _ln(x: int, precision: int) -> Enclosure:
    return ln_enclosure(Fraction(x), precision)


CONSTANTS: dict[str, Callable[[int], Enclosure]] = {
    "E": lambda precision: exp_enclosure(Fraction(1), precision),
    "LOG2E": lambda precision: enclose(1) / _ln(2, precision),
    "LOG10E": lambda precision: enclose(1) / _ln(10, precision),
    "LN2": lambda precision: _ln(2, precision),
    "LN10": lambda precision: _ln(10, precision),
    "PI": _pi,
    "PI_2": lambda precision: _pi(precision) * Fraction(1, 2),
    "PI_4": lambda precision: _pi(precision) * Fraction(1, 4),
    "M_1_PI": lambda precision: enclose(1) / _pi(precision),
    "M_2_PI": lambda precision: enclose(2) / _pi(precision),
    "M_2_SQRTPI": lambda precision: enclose(2) / sqrt_of(_pi(precision), precision),
    "SQRT2": lambda precision: sqrt_of(enclose(2), precision),
    "SQRT1_2": lambda precision: sqrt_of(enclose(Fraction(1, 2)), precision),
}


class Core(Value):
    """A core: its formula, its box (inputs that the formula uses) and its floats."""

    name: str
    formula: Expression
    box: tuple[tuple[str, Fraction, Fraction], ...]
    floats: Format
    left_out: int = 0  # conjuncts of the precondition that are no part of a box


# Text to nested groups


class CoreNode(NamedTuple):
    """A word or a number, or a group of nodes in brackets, which has no text."""

    line: int
    text: str = ""
    items: tuple[CoreNode, ...] = ()

    @property
    def head(self) -> str:
        """The first word of a group, or nothing."""
        return self.items[0].text if self.items else ""


_TOKEN = re.compile(r'\s+|;[^\n]*|(?P<token>[()\[\]]|"(?:[^"\\]|\\.)*"|[^\s()\[\]";]+|")')
_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_RATIONAL = re.compile(r"[+-]?\d+/\d*[1-9]\d*")
_HEX = re.compile(r"([+-]?)0[xX]([0-9a-fA-F]*)\.?([0-9a-fA-F]*)([pP][+-]?\d+)?")


def read_cores(text: str, *, name: str = "core") -> Iterator[Core | ProgramError]:
    """Yield each core of a text, or the refusal of a core that is not supported; text that is no FPCore is refused.

    >>> core, = read_cores('(FPCore (x) :name "inverse" :pre (<= 1 x 2) (/ 1 x))')
    >>> core.name, write_expression(core.formula), core.box
    ('inverse', '(/ 1 x)', (('x', Fraction(1, 1), Fraction(2, 1)),))
    """
    reader = _CoreReader(name)
    for group in reader.groups(text):
        try:
            yield reader.core(group)
        except ProgramError as refusal:
            yield refusal


def number(text: str) -> Fraction | None:
    """Return the rational that a token writes (decimal, quotient or hexadecimal float), None where it is no number.

    >>> number("-1.5e1"), number("3/4"), number("0x1.8p-1"), number("x")
    (Fraction(-15, 1), Fraction(3, 4), Fraction(3, 4), None)
    """
    if len(text) > LARGEST_DECIMAL_EXPONENT:
        return None
    if _RATIONAL.fullmatch(text):
        return Fraction(text)
    if match := _DECIMAL.fullmatch(text):
        return Fraction(text) if abs(int((match[3] or "e0")[1:])) <= LARGEST_DECIMAL_EXPONENT else None
    if (match := _HEX.fullmatch(text)) and (match[2] or match[3]):
        sign, whole, rest, power = match.groups()
        exponent = int((power or "p0")[1:]) - 4 * len(rest)
        if abs(exponent) <= LARGEST_HEX_EXPONENT:
            return Fraction(int(whole + rest, 16) * (-1 if sign == "-" else 1)) * Fraction(2) ** exponent
    return None


# Groups to expressions. A precondition is a conjunction; its comparisons of one input with numbers give the box, and
# other conjuncts are left out, which only makes the box larger: `left_out` says how many.


class _CoreReader:
    def __init__(self, source: str) -> None:
        self.source = source

    def refuse(self, line: int, problem: str, advice: str = "") -> NoReturn:
        raise ProgramError(f"{self.source}, line {line}: {problem}", advice, line=line)

    def groups(self, text: str) -> list[CoreNode]:
        """Return the cores of a text, as nested groups."""
        if len(text) > LONGEST_CORES:
            self.refuse(1, f"the text is longer than {LONGEST_CORES} characters.")
        stack: list[tuple[list[CoreNode], int, str]] = [([], 1, "")]
        line = 1
        for match in _TOKEN.finditer(text):
            token = match["token"]
            if token == '"':
                self.refuse(line, "a text in quotes has no end.")
            elif token in ("(", "["):
                if len(stack) > DEEPEST:
                    self.refuse(line, f"brackets are nested more than {DEEPEST} deep.")
                stack.append(([], line, token))
            elif token in (")", "]"):
                items, begin, opened = stack.pop()
                if not stack or opened + token not in ("()", "[]"):
                    self.refuse(line, f"{token!r} closes no bracket.")
                stack[-1][0].append(CoreNode(begin, items=tuple(items)))
            elif token is not None:
                stack[-1][0].append(CoreNode(line, token))
            line += match[0].count("\n")
        if len(stack) > 1:
            self.refuse(stack[-1][1], "a bracket is not closed.")
        groups = stack[0][0]
        for group in groups:
            if group.head != "FPCore":
                self.refuse(group.line, "this is no FPCore.", "A core is (FPCore (inputs) ... expression).")
        if not groups:
            self.refuse(1, "there is no core in this text.")
        return groups

    def core(self, group: CoreNode) -> Core:
        items = list(group.items[1:])
        title = items.pop(0).text if items and items[0].text else self.source
        if not items or items[0].text:
            self.refuse(group.line, "a core needs a list of inputs.")
        inputs: dict[str, Expression] = {}
        for item in items.pop(0).items:
            if not item.text:
                advice = "Inputs are plain names."
                self.refuse(item.line, "an input with properties or dimensions is not supported.", advice)
            inputs[item.text] = Variable(name=item.text)
        properties: dict[str, CoreNode] = {}
        while len(items) >= 2 and items[0].text.startswith(":"):
            key, value, *items = items
            properties[key.text] = value
        if len(items) != 1:
            self.refuse(group.line, "a core has one expression at its end.")
        if ":name" in properties and properties[":name"].text:
            title = properties[":name"].text.strip('"')
        floats = self._format(properties)
        formula = self._expression(items[0], inputs)
        used = {part.name for part in Parts(formula).parts if isinstance(part, Variable)}
        box, left_out = self._box(properties.get(":pre"), [name for name in inputs if name in used], group)
        return Core(name=title, formula=formula, box=box, floats=floats, left_out=left_out)

    def _format(self, properties: dict[str, CoreNode]) -> Format:
        floats = None
        for key in (":precision", ":type"):  # the second is what the first was called before version 1.2
            if (given := properties.get(key)) is None:
                continue
            if given.text not in FORMATS:
                problem = f"precision {given.text or 'an expression'} is not supported."
                self.refuse(given.line, problem, "Give binary64 or binary32.")
            floats = floats or FORMATS[given.text]
        if ":round" in properties and properties[":round"].text != "nearestEven":
            self.refuse(properties[":round"].line, "only rounding to nearestEven is supported.")
        return floats or BINARY64

    def _expression(self, item: CoreNode, scope: dict[str, Expression]) -> Expression:
        if item.text in scope:
            return scope[item.text]
        if (value := number(item.text)) is not None:
            return Constant(value=value)
        if item.text in CONSTANTS:
            return NamedConstant(name=item.text)
        if item.text:
            self.refuse(item.line, f"{shown(item.text)} is no input, number or constant.")
        head, operands = item.head, item.items[1:]
        if not head:
            self.refuse(item.line, "this is no expression.")
        if head in ("let", "let*"):
            return self._let(item, scope)
        operation = Negation if head == "-" and len(operands) == 1 else OPERATIONS.get(head)
        if operation is None:
            supported = ", ".join([*OPERATIONS, "let", "let*"])
            self.refuse(item.line, f"{shown(head)} is not supported.", f"Supported are {supported}.")
        if len(operands) != len(operation._parts):
            self.refuse(item.line, f"{head} with {len(operands)} arguments is not supported.")
        return operation(**{p: self._expression(o, scope) for p, o in zip(operation._parts, operands, strict=True)})

    def _let(self, item: CoreNode, scope: dict[str, Expression]) -> Expression:
        if len(item.items) != 3 or item.items[1].text:
            self.refuse(item.line, "a let is (let ([name expression] ...) expression).")
        inner = dict(scope)
        for binding in item.items[1].items:
            if len(binding.items) != 2 or not binding.head:
                self.refuse(binding.line, "a binding is [name expression].")
            inner[binding.head] = self._expression(binding.items[1], inner if item.head == "let*" else scope)
        return self._expression(item.items[2], inner)

    def _box(
        self, condition: CoreNode | None, inputs: list[str], core: CoreNode
    ) -> tuple[tuple[tuple[str, Fraction, Fraction], ...], int]:
        lower: dict[str, Fraction] = {}
        upper: dict[str, Fraction] = {}
        conjuncts = () if condition is None else _conjuncts(condition)
        left_out = sum(not self._narrow(conjunct, lower, upper) for conjunct in conjuncts)
        for name in inputs:
            if name not in lower or name not in upper:
                advice = "A precondition gives both: :pre (<= lower name upper)."
                self.refuse(core.line, f"input {name} has no lower and upper bound.", advice)
            if lower[name] > upper[name]:
                self.refuse(core.line, f"input {name} has no value: {lower[name]} is above {upper[name]}.")
        return tuple((name, lower[name], upper[name]) for name in inputs), left_out

    def _narrow(self, condition: CoreNode, lower: dict[str, Fraction], upper: dict[str, Fraction]) -> bool:
        """Take bounds of single inputs from a comparison; return whether it was only that."""
        if condition.head not in ("<=", "<", ">=", ">") or not all(part.text for part in condition.items):
            return False
        if len(condition.items) > MOST_COMPARED:  # each is compared with all others
            return False
        parts = condition.items[1:] if condition.head.startswith("<") else condition.items[:0:-1]
        values = [number(part.text) for part in parts]
        for place, name in enumerate(part.text for part in parts):
            if values[place] is not None:
                continue
            before = [value for value in values[:place] if value is not None]
            after = [value for value in values[place + 1 :] if value is not None]
            if before:
                lower[name] = max(*before, lower.get(name, before[0]))
            if after:
                upper[name] = min(*after, upper.get(name, after[0]))
        return values.count(None) <= 1  # else inputs are compared with each other


def _conjuncts(condition: CoreNode) -> Iterator[CoreNode]:
    if condition.head == "and":
        for conjunct in condition.items[1:]:
            yield from _conjuncts(conjunct)
    else:
        yield condition


# The noise of a program: the outermost product around ln(U), with assigned names written out. A sign changes no
# relative error and is left out.


class Factor(NamedTuple):
    """A product of constants, signs and at most one ln(U)."""

    tree: Expression | None  # None: signs alone
    uniform: str = ""  # the name of U, or nothing: a constant


class _Factors(Semantics[Factor | None], language=PROGRAMS):
    """What an expression is as a factor of the noise, or None."""

    def __init__(self, program: Program) -> None:
        super().__init__()
        self.program = program

    def written_out(self, e: Expression) -> Expression:
        """Return what a name stands for; anything else as it is."""
        while isinstance(e, Variable) and e.name in self.program.assignments:
            e = self.program.assignments[e.name].expression
        return e

    def outermost(self, e: Expression) -> Factor | None:
        """Return the first product around ln(U), asked of an expression and then of its operands."""
        e = self.written_out(e)
        if (factor := self.of(e)) is not None and factor.uniform:
            return factor
        return next(filter(None, map(self.outermost, e.operands)), None)

    def const(self, e: Constant) -> Factor:
        return Factor(e)

    def var(self, e: Variable) -> Factor | None:
        if e.name in self.program.assignments:
            return self.of(self.written_out(e))
        return Factor(None) if self.program.samples[e.name].distribution == "sign" else None

    def query(self, *_: Any) -> None:
        return None

    round = clamp = floor = rint = abs = sign = query

    def ln(self, e: Logarithm, _: Factor | None) -> Factor | None:
        uniform = self.written_out(e.operand)
        if not isinstance(uniform, Variable) or self.program.samples[uniform.name].distribution != "unif":
            return None
        return Factor(Logarithm(operand=uniform), uniform.name)

    def neg(self, _: Negation, operand: Factor | None) -> Factor | None:
        if operand is None or operand.tree is None:
            return operand
        return Factor(Negation(operand=operand.tree), operand.uniform)

    def add(self, e: Binary, left: Factor | None, right: Factor | None) -> Factor | None:
        """Return an operation of two constants, or of the noise and a constant."""
        if left is None or right is None or (right.uniform and (left.uniform or not isinstance(e, Multiplication))):
            return None
        if isinstance(e, (Addition, Subtraction)) and (left.uniform or left.tree is None or right.tree is None):
            return None
        if right.tree is None:
            return left
        if left.tree is None and isinstance(e, Multiplication):
            return right
        top = left.tree or Constant(value=Fraction(1))
        return Factor(replaced(e, left=top, right=right.tree), left.uniform or right.uniform)

    sub = mul = div = add


def noise_of(program: Program) -> tuple[Expression, str]:
    """Return the noise, products and quotients of ln(U) and constants, and the name of U."""
    noise = _Factors(program).outermost(Variable(name=program.result))
    if noise is None or noise.tree is None:
        advice = "The noise lemma is about products and quotients of ln(U), the sign sample and constants."
        raise ProgramError(f"{program.name} has no noise of the form ln(U) times constants.", advice)
    return noise.tree, noise.uniform


# FPCore. Constants remain as they are written, so that a reader's tool rounds them as the machine does.


class _CoreText(Semantics[str], language=FORMULAS):
    _symbols = {operation.word: symbol for symbol, operation in OPERATIONS.items()} | {"neg": "-"}

    def const(self, e: Constant) -> str:
        text = exact_operand(e.value)
        return str(e.value) if "/" in text else text.strip("()")

    def var(self, e: Variable | NamedConstant) -> str:
        return e.name

    named = var

    def add(self, e: Expression, *operands: str) -> str:
        return f"({' '.join((self._symbols[e.word], *operands))})"

    sub = mul = div = neg = ln = exp = sqrt = fma = add


def write_expression(e: Expression) -> str:
    """Return an expression in the syntax of FPCore; shared parts are written out."""
    return _CoreText().of(e)


def fpcore(program: Program, machine: Machine) -> str:
    """Return the noise of a program as an FPCore 2.0.

    >>> from snapdp.lab.language.parser import load_program
    >>> from snapdp.lab.semantics.machine import Machine
    >>> print(fpcore(load_program("snap_tenth"), Machine(umin=-64)), end="")
    (FPCore (U)
      :name "snap_tenth, noise"
      :precision binary64
      :pre (<= 0x1p-64 U 0x1fffffffffffffp-53)
      (/ (log U) 0.1))
    """
    precisions = {floats.p: (name, floats) for name, floats in FORMATS.items()}
    if machine.p not in precisions:
        raise ProgramError(f"FPCore has no name for floats of {machine.p} bits.", "There are p = 53 and p = 24.")
    name, floats = precisions[machine.p]
    noise, uniform = noise_of(program)
    assert floats.least is not None
    smallest = machine.umin if machine.umin is not None else floats.least
    return (
        f"(FPCore ({uniform})\n"
        f'  :name "{program.name}, noise"\n'
        f"  :precision {name}\n"
        f"  :pre (<= {_hex(power_of_two(smallest))} {uniform} {_hex(1 - machine.eta)})\n"
        f"  {write_expression(noise)})\n"
    )


def _hex(x: Fraction) -> str:
    """Return a dyadic rational as a hexadecimal float."""
    return f"{x.numerator:#x}p-{x.denominator.bit_length() - 1}"


# Gappa. The noise lemma says that the noise, computed with j inexact roundings from l = fl(ln U), differs from the
# noise over the reals by a factor between (1 + eta)**-j and (1 + eta)**j. Gappa knows no logarithm, so L = ln U is a
# real variable and l its rounding (or, for a ln with more than one rounding, any number that near). Constants are
# folded as the machine computes them, because they are the same in both runs and no part of the error.

_LARGEST_LN = 1 << 20  # where U is unbounded below, the lemma is stated for ln U >= -2**20
_LEAST_EXPONENT = -16_000  # far below every number here: no rounding is subnormal; Gappa reads no larger numbers
_BITS = 50  # of the bound, rounded up: Gappa itself computes with 60


class _Steps(NamedTuple):
    """The noise so far: as computed, over the reals, and its inexact roundings."""

    computed: str
    real: str
    roundings: int


def _write_steps(e: Expression, machine: Machine) -> _Steps:
    """Follow the noise from ln(U) outward."""
    from snapdp.lab.semantics.floats import evaluate_float

    if isinstance(e, Logarithm):
        return _Steps("l", "L", machine.ln_roundings)
    if isinstance(e, Negation):
        inner = _write_steps(e.operand, machine)
        return inner._replace(computed=f"-({inner.computed})", real=f"-({inner.real})")
    assert isinstance(e, Binary)
    is_left = any(isinstance(part, Variable) for part in Parts(e.left).parts)
    inner = _write_steps(e.left if is_left else e.right, machine)
    value = evaluate_float(e.right if is_left else e.left, {}, machine)
    computed, real = (f"({part} {e.symbol} {_dyadic(value)})" for part in inner[:2])
    if exponent_of_power(abs(value)) is None:
        return _Steps(f"rnd{computed}", real, inner.roundings + 1)
    return _Steps(computed, real, inner.roundings)


def gappa(program: Program, machine: Machine) -> str:
    """Return the script; `gappa < script` proves it or says what it cannot."""
    computed, real, roundings = _write_steps(noise_of(program)[0], machine)
    bound = round_up((1 + machine.eta) ** roundings - 1, _BITS)
    largest = _LARGEST_LN if machine.umin is None else -machine.umin
    hypotheses = [f"L in [-{largest}, -{_dyadic(machine.eta)}]"]
    logarithm = "l = rnd(L);"
    if machine.ln_roundings > 1:
        near = (1 + machine.eta) ** machine.ln_roundings - 1
        hypotheses.append(f"|l -/ L| <= {_dyadic(near)}")
        logarithm = "# l: any number within the roundings of this machine's ln"
    counted = "one inexact rounding" if roundings == 1 else f"{roundings} inexact roundings"
    premises = " /\\ ".join(hypotheses)
    return "\n".join(
        [
            f"# Noise lemma of {program.name}: {counted}, p = {machine.p}.",
            "# L is ln U, l what the machine makes of it; n is the computed noise, N the noise over the reals.",
            f"@rnd = float<{machine.p}, {_LEAST_EXPONENT}, ne>;",
            logarithm,
            f"n = {computed};",
            f"N = {real};",
            f"{{ {premises} -> |n -/ N| <= {_dyadic(bound)} }}",
            "",
        ]
    )


def _dyadic(x: Fraction) -> str:
    """Return a dyadic rational as Gappa writes it: 3b-5 is 3 * 2**-5."""
    exponent = exponent_of_power(Fraction(x.denominator))
    assert exponent is not None
    return f"{x.numerator}b{-exponent}" if exponent else str(x.numerator)
