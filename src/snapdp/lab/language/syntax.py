"""The syntax of the laboratory: one tree for programs, traced Python functions, FPCore, and bounds of their values.

Every operation is one frozen class with its operands. `word` is its name: in certificates, and of the method that every
semantics has for it. `Semantics` is the one way to give trees a meaning; a semantics that lacks an operation of its
language fails when it is imported. A new operation is a class here and a method in each semantics; tests run each
operation of `PROGRAMS` in floats, over the reals and in bounds.
Trees compare by structure. Parameters and exact right-hand sides are folded into rationals when a text is read; a
number keeps the text that the program has for it (`Written`), so that a derivation can print `eps` for eps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, ClassVar, Generic, TypeVar

from snapdp.values import Value, replaced

Meaning = TypeVar("Meaning")


class Written(Fraction):
    """A number with the text that a program has for it. It computes and compares as a Fraction, without the text.

    >>> eps = Written(Fraction(1, 2), "eps")
    >>> eps.text, eps + 1, eps == Fraction(1, 2)
    ('eps', Fraction(3, 2), True)
    """

    __slots__ = ("text",)
    text: str

    def __new__(cls, value: Fraction, text: str) -> Written:
        number = super().__new__(cls, value)
        number.text = text
        return number

    def __reduce__(self) -> Any:
        return Written, (Fraction(self), self.text)

    def __copy__(self) -> Written:
        return self

    def __deepcopy__(self, _: Any) -> Written:
        return self


# Expressions


class Expression(Value):
    """An operation and its operands; what else it says (a number, a name, a grid) is `own`."""

    word: ClassVar[str]
    _parts: ClassVar[tuple[str, ...]] = ()  # the fields that hold operands

    @property
    def operands(self) -> tuple[Expression, ...]:
        return tuple(getattr(self, part) for part in self._parts)

    @property
    def own(self) -> tuple[Any, ...]:
        return tuple(getattr(self, field) for field in self._fields if field not in self._parts)

    def with_operands(self, change: Callable[[Expression], Expression]) -> Expression:
        """Return this expression with each of its operands changed."""
        return replaced(self, **{part: change(getattr(self, part)) for part in self._parts}) if self._parts else self


class Constant(Expression):
    """A real constant r; a float program computes with fl(r)."""

    word = "const"
    value: Fraction


class Held(Constant):
    """A constant that a machine has evaluated: a number that it holds, used as it is and never rounded again.

    It may have more than p bits where sums are exact.
    """

    word = "held"


class NamedConstant(Expression):
    """A real constant of FPCore, such as PI."""

    word = "named"
    name: str


class Variable(Expression):
    """A name bound by a sample or by an earlier assignment."""

    word = "var"
    name: str


class QueryValue(Expression):
    """f(D): the private value, a float of the machine."""

    word = "query"
    name: str


class UnaryOperation(Expression):
    _parts = ("operand",)
    operand: Expression

    @property
    def operands(self) -> tuple[Expression, ...]:
        return (self.operand,)


class Negation(UnaryOperation):
    word = "neg"


class Logarithm(UnaryOperation):
    word = "ln"


class Exponential(UnaryOperation):
    word = "exp"


class SquareRoot(UnaryOperation):
    word = "sqrt"


class Rounding(UnaryOperation):
    """The multiple of `grid` nearest to the operand, ties toward +infinity."""

    word = "round"
    grid: Fraction


class Clamping(UnaryOperation):
    word = "clamp"
    lower: Fraction
    upper: Fraction


class ExactFunction(UnaryOperation):
    """A function of one number that rounds nothing on any machine."""


class Floor(ExactFunction):
    word = "floor"


class NearestInteger(ExactFunction):
    """The nearest whole number, ties to even."""

    word = "rint"


class Magnitude(ExactFunction):
    word = "abs"


class Sign(ExactFunction):
    """-1, 0 or 1."""

    word = "sign"


class Binary(Expression):
    """left (symbol) right, with one rounding."""

    symbol: ClassVar[str]
    _parts = ("left", "right")
    left: Expression
    right: Expression

    @property
    def operands(self) -> tuple[Expression, ...]:
        return self.left, self.right


class Addition(Binary):
    word, symbol = "add", "+"


class Subtraction(Binary):
    word, symbol = "sub", "-"


class Multiplication(Binary):
    word, symbol = "mul", "*"


class Division(Binary):
    word, symbol = "div", "/"


class FusedMultiplyAdd(Expression):
    """left * right + addend, with one rounding."""

    word = "fma"
    _parts = ("left", "right", "addend")
    left: Expression
    right: Expression
    addend: Expression


BINARY: dict[str, type[Binary]] = {each.symbol: each for each in (Addition, Subtraction, Multiplication, Division)}
FUNCTIONS: dict[str, type[ExactFunction]] = {each.word: each for each in (Floor, NearestInteger, Magnitude, Sign)}
STEPS = (Floor, NearestInteger)  # functions that give whole numbers, and rise

# What programs are made of, what formulas (FPCore, `lab bound`) are made of, and what programs are folded into.
PROGRAMS: frozenset[type[Expression]] = frozenset(
    (Constant, Variable, QueryValue, Negation, Logarithm, Rounding, Clamping)
)
PROGRAMS |= {*BINARY.values(), *FUNCTIONS.values()}
FOLDED = PROGRAMS | {Held}
FORMULAS: frozenset[type[Expression]] = frozenset(
    (Constant, NamedConstant, Variable, Negation, Logarithm, Exponential, SquareRoot)
)
FORMULAS |= {*BINARY.values(), FusedMultiplyAdd}


# Bounds: real expressions that also say which way a rounding moved them


class Powered(UnaryOperation):
    """operand * (1 + eta)**power: rd or ru of a bound whose sign is known."""

    word = "powered"
    power: int


class Down(UnaryOperation):
    """rd, `roundings` times: the smaller of v (1 + eta) and v / (1 + eta)."""

    word = "down"
    roundings: int


class Up(UnaryOperation):
    """ru, `roundings` times: the larger of the two."""

    word = "up"
    roundings: int


class Choice(Expression):
    """The least or the greatest of several bounds."""

    choices: tuple[Expression, ...]

    @property
    def operands(self) -> tuple[Expression, ...]:
        return self.choices

    @property
    def own(self) -> tuple[Any, ...]:
        return ()

    def with_operands(self, change: Callable[[Expression], Expression]) -> Expression:
        return replaced(self, choices=tuple(map(change, self.choices)))


class Least(Choice):
    word = "least"


class Greatest(Choice):
    word = "greatest"


class BySign(Expression):
    """One of two bounds, chosen by the sign of a real value: what the printed rules do, and why they fail."""

    word = "by_sign"
    _parts = ("premise", "nonnegative", "negative")
    premise: Expression
    nonnegative: Expression
    negative: Expression


BOUNDS = PROGRAMS | {Powered, Down, Up, Least, Greatest, BySign}


# Programs


class Statement(Value):
    name: str
    line: int = 0  # of the text; statements are equal wherever they stand
    _beside = ("line",)


class Sample(Statement):
    """name <-$ distribution: "unif", "sign" ({-1,1}), "laplace" (scale) or "bernoulli" (probability)."""

    distribution: str
    argument: Fraction | None = None


class Assignment(Statement):
    expression: Expression


class Query(Value):
    """A private value: its declared interval (None: not confined) and how far neighbours may be apart."""

    name: str
    lower: Fraction | None
    upper: Fraction | None
    sensitivity: Fraction


class Program(Value):
    """A straight-line program. `parameters` are for display and for claims; the trees hold their values."""

    name: str
    parameters: tuple[tuple[str, Fraction], ...]
    queries: tuple[Query, ...]
    statements: tuple[Statement, ...]
    result: str
    claim: Expression | None = None  # an exact expression over the parameters, numbers and eta, or None

    @property
    def samples(self) -> dict[str, Sample]:
        return {s.name: s for s in self.statements if isinstance(s, Sample)}

    @property
    def assignments(self) -> dict[str, Assignment]:
        return {s.name: s for s in self.statements if isinstance(s, Assignment)}


# Ways over a tree


class Semantics(Generic[Meaning]):
    """What expressions mean: one method for each operation of `language`, named by its word.

    A method gets the expression and what its operands mean, in their order. `of` keeps what it has found, so that a
    part that a tree shares is met once; the tree must outlive the semantics.

    >>> class Depth(Semantics[int], language=frozenset((Variable, Negation))):
    ...     def var(self, e): return 0
    ...     def neg(self, e, operand): return operand + 1
    >>> Depth().of(Negation(operand=Negation(operand=Variable(name="x"))))
    2
    >>> class Lacking(Semantics[int], language=frozenset((Variable, Negation))):
    ...     def var(self, e): return 0
    Traceback (most recent call last):
    TypeError: Lacking has no meaning for neg
    """

    def __init_subclass__(cls, *, language: frozenset[type[Expression]] = frozenset()) -> None:
        missing = sorted(each.word for each in language if not hasattr(cls, each.word))
        if missing:
            raise TypeError(f"{cls.__name__} has no meaning for {', '.join(missing)}")

    def __init__(self) -> None:
        self.known: dict[int, Meaning] = {}

    def of(self, e: Expression) -> Meaning:
        """Return what an expression means."""
        known, place = self.known, id(e)
        if place not in known:
            known[place] = getattr(self, e.word)(e, *map(self.of, e.operands))
        return known[place]


def table(
    language: frozenset[type[Expression]], **functions: Callable[..., Meaning]
) -> dict[str, Callable[..., Meaning]]:
    """Return functions by the words of operations; one that lacks an operation of its language is refused.

    >>> table(frozenset((Negation, Magnitude)), neg=lambda x: -x)
    Traceback (most recent call last):
    TypeError: the table has nothing for abs
    """
    if missing := sorted(operation.word for operation in language if operation.word not in functions):
        raise TypeError(f"the table has nothing for {', '.join(missing)}")
    return functions


def walk(tree: Expression) -> Iterator[Expression]:
    """Yield an expression and all of its parts, each before its own."""
    waiting = [tree]
    while waiting:
        part = waiting.pop()
        yield part
        waiting += reversed(part.operands)


class Parts:
    """The different parts of a tree in order of evaluation: operands first, equal parts once, the tree itself last.

    parts      one expression for each          operands  the places of its operands in this order
    No two trees are compared part by part, and nothing recurses, so a tree may share parts and be deep.

    >>> x = Variable(name="x")
    >>> Parts(Multiplication(left=Negation(operand=x), right=Negation(operand=x))).operands
    [(), (0,), (1, 1)]
    """

    def __init__(self, tree: Expression) -> None:
        self.parts: list[Expression] = []
        self.operands: list[tuple[int, ...]] = []
        self._kept = tree  # places are found by identity
        self._places: dict[int, int] = {}
        known: dict[Any, int] = {}
        waiting = [tree]
        while waiting:
            part = waiting[-1]
            missing = [each for each in part.operands if id(each) not in self._places]
            if missing:
                waiting += reversed(missing)
                continue
            waiting.pop()
            places = tuple(self._places[id(each)] for each in part.operands)
            key = (type(part), part.own, places)
            if key not in known:
                known[key] = len(self.parts)
                self.parts.append(part)
                self.operands.append(places)
            self._places[id(part)] = known[key]

    def place(self, part: Expression) -> int:
        """Return the place of a part, which is a node of the tree itself."""
        return self._places[id(part)]
