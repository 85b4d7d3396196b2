"""The two languages of Liu's note (L20), imperative statements and functional lets, read into the one syntax.

`parse` gives the tree of a text and `claim_value` the number a program claims; syntax.py goes back. Right-hand sides of
`param`, `query`, `claim`, grids and clamp bounds are exact rationals and are folded here; in statements the arithmetic
stays, because there it is the machine's. A let is read from left to right, call by value, into statements; a name bound
a second time gets a fresh one, so in the tree each name has one meaning.
lark makes a tree with positions of a text, or a ProgramError says what is wrong; lark is imported when it is first
needed. The parser is LALR, so neither its time nor its stack depends on how deeply a hostile text is nested, and
`DEEPEST` and `LONGEST_TEXT` limit what is built from the tree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any, NoReturn

from snapdp.errors import ProgramError
from snapdp.exact.numbers import LARGEST_DECIMAL_EXPONENT, shown
from snapdp.lab.language.syntax import (
    BINARY,
    FUNCTIONS,
    Assignment,
    Binary,
    Clamping,
    Constant,
    Expression,
    Logarithm,
    Negation,
    Program,
    Query,
    QueryValue,
    Rounding,
    Sample,
    Variable,
    Written,
    children,
    expression_text,
    printed as printed,
    walk,
)

ETA = "eta"
LONGEST_NUMBER = 4000  # characters; Python itself reads 4300
LARGEST_BITS = 1 << 13  # of a folded numerator or denominator: prints in fewer than LONGEST_NUMBER digits
LARGEST_EXPANSION = 10_000  # nodes of the result, each variable replaced by what it stands for
_OPERATORS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}

Scope = Mapping[str, str]


def parse(text: str, *, name: str = "program") -> Program:
    """Return the program of a text in either language; `name` is what errors call the text.

    >>> parse("program p { query f; y = f(D) + 1/4; return y; }").statements[0].expression.right
    BINARY['/'](left=Constant(value=1), right=Constant(value=4))
    """
    return _ProgramReader(name).program(tree_of(text, name=name))


def claim_value(program: Program, eta: Fraction) -> Fraction | None:
    """Return the loss a program claims on a machine with unit roundoff eta, or None where it claims nothing."""
    if program.claim is None:
        return None
    try:
        return _value(program.claim, {**dict(program.parameters), ETA: eta})
    except (ZeroDivisionError, OverflowError) as problem:
        raise ProgramError(f"the claim of {program.name} has no value: {problem}.", "", line=0, column=0) from None


def _value(formula: Expression, names: Mapping[str, Fraction]) -> Fraction:
    """Return the exact value of a formula; growth beyond LARGEST_BITS is refused before it costs anything."""
    match formula:
        case Constant(value=value):
            return value
        case Variable(name=name):
            return names[name]
        case Negation(operand=operand):
            return -_value(operand, names)
        case Binary(operator=operator, left=left, right=right):
            a, b = _value(left, names), _value(right, names)
            if operator == "/" and b == 0:
                raise ZeroDivisionError("it divides by zero")
            result = {"+": a.__add__, "-": a.__sub__, "*": a.__mul__, "/": a.__truediv__}[operator](b)
            if max(result.numerator.bit_length(), result.denominator.bit_length()) > LARGEST_BITS:
                raise OverflowError(f"it needs a number of more than {LARGEST_BITS} bits")
            return result
        case _:
            raise TypeError(f"no formula: {type(formula).__name__}")


class _ProgramReader:
    """Reads one tree of the grammar; holds what has been declared and bound so far."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.parameters: dict[str, Fraction] = {}
        self.queries: dict[str, Query] = {}
        self.statements: list[Sample | Assignment] = []
        self.drawn: set[str] = set()
        self.later: set[str] = set()
        self.size: dict[str, tuple[int, int]] = {}  # nodes and depth of what each bound name stands for

    def refuse(self, place: Any, problem: str, advice: str = "") -> Any:
        at = getattr(place, "meta", place)
        refuse(self.source, getattr(at, "line", 1), getattr(at, "column", 1), problem, advice)

    def program(self, tree: Any) -> Program:
        title, *parts = tree.children
        for part in parts:
            if part is not None and part.data in ("param", "query"):
                getattr(self, f"_{part.data}")(*part.children)
        body = next(part for part in parts if part is not None and part.data == "body")
        claims = [part for part in parts if part is not None and part.data == "claim"]
        result = self._body(body)
        claim = self._formula(claims[0].children[0], {*self.parameters, ETA}) if claims else None
        if claim is not None:
            self._folded(claims[0].children[0], claim, {**self.parameters, ETA: Fraction(1, 1 << 53)})
        return Program(
            name=str(title),
            parameters=tuple(self.parameters.items()),
            queries=tuple(self.queries.values()),
            statements=tuple(self.statements),
            result=result,
            claim=claim,
        )

    # Declarations and exact numbers

    def _param(self, name: Any, tree: Any) -> None:
        self._refuse_taken(name)
        self.parameters[str(name)] = self._exact(tree)

    def _query(self, name: Any, interval: Any, sensitivity: Any) -> None:
        self._refuse_taken(name)
        lower, upper = (self._exact(end) for end in interval.children) if interval is not None else (None, None)
        if lower is not None and upper is not None and lower > upper:
            self.refuse(interval, f"{lower} is above {upper}.", "An interval is [lower, upper].")
        distance = self._exact(sensitivity) if sensitivity is not None else Fraction(1)
        if distance <= 0:
            self.refuse(sensitivity, f"a sensitivity of {distance} is not positive.")
        self.queries[str(name)] = Query(name=str(name), lower=lower, upper=upper, sensitivity=distance)

    def _refuse_taken(self, name: Any) -> None:
        if name == ETA:
            self.refuse(name, "eta is the unit roundoff of the machine and cannot be declared.")
        if name in self.parameters or name in self.queries:
            kind = "parameter" if name in self.parameters else "query"
            self.refuse(name, f"{name} is already a {kind}.", "Choose another name.")

    def _exact(self, tree: Any) -> Fraction:
        formula = self._formula(tree, self.parameters.keys())
        value = self._folded(tree, formula, self.parameters)
        named = any(isinstance(part, Variable) for part in walk(formula))
        return Written(value, expression_text(formula)) if named else value

    def _folded(self, place: Any, formula: Expression, names: Mapping[str, Fraction]) -> Fraction:
        try:
            return _value(formula, names)
        except (ZeroDivisionError, OverflowError) as problem:
            self.refuse(place, f"the expression has no value: {problem}.")
            raise

    def _formula(self, tree: Any, names: Any) -> Expression:
        """Return an exact expression: numbers, the names given, + - * / and minus."""
        if (operation := self._operation(tree, lambda part: self._formula(part, names))) is not None:
            return operation
        match tree.data:
            case "name" if str(tree.children[0]) in names:
                return Variable(name=str(tree.children[0]))
            case "name":
                known = f"Known here: {', '.join(sorted(names))}." if names else "No parameter is declared yet."
                self.refuse(tree, f"{tree.children[0]} is no parameter.", known)
        what = {"call": "a query", "let_value": "a let", "let_draw": "a let"}.get(tree.data, tree.data)
        if tree.data == "call" and (name := str(tree.children[0])) in FUNCTIONS and name not in self.queries:
            what = name
        advice = "Declarations, claims, grids and bounds use numbers, parameters and + - * / only."
        raise self.refuse(tree, f"{what} has no exact value.", advice)

    def _operation(self, tree: Any, read: Callable[[Any], Expression]) -> Expression | None:
        """Return a number, or what minus and + - * / make of the parts that are read; None: it is something else."""
        if tree.data == "number":
            return Constant(value=self._number(tree.children[0]))
        if tree.data == "neg":
            return Negation(operand=read(tree.children[0]))
        if tree.data not in _OPERATORS:
            return None
        left, right = map(read, tree.children)
        return BINARY[_OPERATORS[tree.data]](left=left, right=right)

    def _number(self, token: Any) -> Fraction:
        mantissa, _, exponent = str(token).lower().partition("e")
        places = len(mantissa.partition(".")[2])
        shift = int(exponent or 0) if len(token) <= LONGEST_NUMBER else LONGEST_NUMBER
        if max(abs(shift), places - shift) > LARGEST_DECIMAL_EXPONENT:
            advice = f"Numbers have at most {LARGEST_DECIMAL_EXPONENT} places before or after the point."
            self.refuse(token, f"{shown(str(token))} is too long a number.", advice)
        return Fraction(f"{mantissa}e{shift}")

    # Statements and expressions

    def _body(self, body: Any) -> str:
        *statements, result = body.children
        self.later = {str(statement.children[0]) for statement in statements}
        scope: dict[str, str] = {}
        for statement in statements:
            name, tree = statement.children
            scope[str(name)] = self._bind(name, tree, scope, draws=statement.data == "draw")
        expression = self._expression(result, scope)
        return expression.name if isinstance(expression, Variable) else self._assign("result", expression, result)

    def _bind(self, name: Any, tree: Any, scope: Scope, *, draws: bool) -> str:
        self._refuse_taken(name)
        if draws:
            return self._draw(name, tree)
        return self._assign(str(name), self._expression(tree, scope), tree)

    def _assign(self, name: str, expression: Expression, place: Any) -> str:
        nodes, depth = self._extent(expression)
        if nodes > LARGEST_EXPANSION or depth > DEEPEST:
            self.refuse(place, f"written out in samples and queries, {name} has {nodes} operations, {depth} deep.")
        fresh = self._fresh(name)
        self.size[fresh] = (nodes, depth)
        self.statements.append(Assignment(name=fresh, expression=expression))
        return fresh

    def _draw(self, name: Any, tree: Any) -> str:
        if tree.data in self.drawn:
            kind = {"unif": "uniform", "sign": "sign"}.get(tree.data, tree.data)
            self.refuse(name, f"a second {kind} sample is not supported.", "A program draws one number of each kind.")
        self.drawn.add(tree.data)
        argument = None
        if tree.data == "sign" and [str(child) for child in tree.children] != ["1", "1"]:
            self.refuse(tree, "only {-1,1} can be drawn from.")
        if tree.data in ("laplace", "bernoulli"):
            argument = self._exact(tree.children[0])
            if tree.data == "laplace" and argument <= 0:
                self.refuse(tree, f"a scale of {argument} is not positive.")
            if tree.data == "bernoulli" and not 0 <= argument <= 1:
                self.refuse(tree, f"{argument} is no probability.")
        fresh = self._fresh(str(name))
        self.size[fresh] = (1, 1)
        self.statements.append(Sample(name=fresh, distribution=str(tree.data), argument=argument))
        return fresh

    def _fresh(self, name: str) -> str:
        taken = {*self.parameters, *self.queries, *self.size, ETA}
        candidates = (f"{name}_{number}" if number else name for number in range(len(taken) + 1))
        return next(candidate for candidate in candidates if candidate not in taken)

    def _extent(self, expression: Expression) -> tuple[int, int]:
        """Return nodes and depth of an expression whose variables are replaced by what they stand for."""
        if isinstance(expression, Variable):
            return self.size[expression.name]
        parts = [self._extent(child) for child in children(expression)]
        return 1 + sum(nodes for nodes, _ in parts), 1 + max((depth for _, depth in parts), default=0)

    def _expression(self, tree: Any, scope: Scope) -> Expression:
        if (operation := self._operation(tree, lambda part: self._expression(part, scope))) is not None:
            return operation
        match tree.data:
            case "name":
                return self._named(tree.children[0], scope)
            case "call":
                return self._call(tree, scope)
            case "ln":
                return Logarithm(operand=self._expression(tree.children[0], scope))
            case "round":
                grid = self._exact(tree.children[0])
                if grid <= 0:
                    self.refuse(tree.children[0], f"a grid of {grid} is not positive.")
                return Rounding(grid=grid, operand=self._expression(tree.children[1], scope))
            case "clamp":
                first, second, operand = tree.children
                return self._clamping(first, second, operand, scope)
        name, value, rest = tree.children
        unique = self._bind(name, value, scope, draws=tree.data == "let_draw")
        return self._expression(rest, {**scope, str(name): unique})

    def _call(self, tree: Any, scope: Scope) -> Expression:
        """Return f(D) for a query f, else a function of an expression: a query may have the name of a function."""
        name, argument = str(tree.children[0]), tree.children[1]
        if name in self.queries:
            if argument.data != "name":
                self.refuse(tree, f"{name} is a query, and no function.", f"Its value is written {name}(D).")
            return QueryValue(name=name)
        if name in FUNCTIONS:
            return FUNCTIONS[name](operand=self._expression(argument, scope))
        advice = f"Declare it: query NAME in [lower, upper]; functions are ln, {', '.join(FUNCTIONS)}."
        raise self.refuse(tree, f"{name} is no query.", advice)

    def _clamping(self, first: Any, second: Any, operand: Any, scope: Scope) -> Clamping:
        upper = self._exact(first if second is None else second)
        lower = -upper if second is None else self._exact(first)
        if lower > upper:
            self.refuse(first, f"the clamp's lower end {lower} is above its upper end {upper}.")
        return Clamping(lower=lower, upper=upper, operand=self._expression(operand, scope))

    def _named(self, token: Any, scope: Scope) -> Expression:
        name = str(token)
        if name in scope:
            return Variable(name=scope[name])
        if name in self.parameters:
            return Constant(value=Written(self.parameters[name], name))
        if name in self.queries:
            self.refuse(token, f"{name} is a query.", f"Its value is written {name}(D).")
        if name in self.later:
            self.refuse(token, f"{name} is used before it is defined.")
        known = sorted({*scope, *self.parameters})
        raise self.refuse(token, f"{name} is not defined.", f"Known here: {', '.join(known)}." if known else "")


# The grammar. A `let` reaches as far to the right as it can: the one conflict of the grammar, settled by shifting.

LONGEST_TEXT = 1 << 16
DEEPEST = 100

GRAMMAR = r"""
start: "program" NAME "{" decl* body claim? "}"
body: stmt* "return" expr ";" | let ";"?
?decl: "param" NAME "=" expr ";" -> param
     | "query" NAME [interval] ["sensitivity" expr] ";" -> query
interval: "in" "[" expr "," expr "]"
claim: "claim" "loss" "<=" expr ";"
?stmt: NAME "=" expr ";" -> assign
     | NAME "<-$" dist ";" -> draw
?dist: "unif" -> unif
     | "{" "-" NUMBER "," NUMBER "}" -> sign
     | "laplace" "(" expr ")" -> laplace
     | "bernoulli" "(" expr ")" -> bernoulli
?expr: term
     | expr "+" term -> add
     | expr "-" term -> sub
?term: unary
     | term "*" unary -> mul
     | term "/" unary -> div
?unary: atom
     | "-" unary -> neg
?atom: NUMBER -> number
     | NAME -> name
     | NAME "(" expr ")" -> call
     | "ln" "(" expr ")" -> ln
     | "round" "[" expr "]" "(" expr ")" -> round
     | "clamp" "[" expr ["," expr] "]" "(" expr ")" -> clamp
     | "(" expr ")"
     | let
let: "let" NAME "=" expr "in" expr -> let_value
   | "let" NAME "<-$" dist "in" expr -> let_draw
NAME: /[A-Za-z_][A-Za-z0-9_]*/
NUMBER: /[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?/
COMMENT: /\/\/[^\n]*/
%ignore COMMENT
%ignore /[ \t\r\n]+/
"""

_CONTROL = {
    **dict.fromkeys(("while", "for", "repeat"), "a loop"),
    **dict.fromkeys(("if", "then", "else"), "a branch"),
    **dict.fromkeys(("def", "function"), "a function definition"),
}
RESERVED = frozenset(re.findall(r'"([a-z]+)"', GRAMMAR)) | _CONTROL.keys()  # words that name nothing
_HINTS = {
    "^": "There are no powers: write the product.",
    ".": "A number has digits on both sides of its point: 0.5, not .5 or 5.",
    "#": "A comment begins with //.",
    "<": "A sample is drawn by <-$.",
    "$": "A sample is drawn by <-$.",
    ":": "An assignment is written name = expression.",
}
_STARTS = frozenset(("NAME", "NUMBER", "MINUS", "LPAR", "LN", "ROUND", "CLAMP", "LET"))
_GRAMMAR_OPERATORS = frozenset(("PLUS", "MINUS", "STAR", "SLASH"))


def tree_of(text: str, *, name: str) -> Any:
    """Return the lark tree of a program text."""
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    if len(text) > LONGEST_TEXT:
        raise ProgramError(
            f"{name} is longer than {LONGEST_TEXT} characters.",
            "No program is; a record or certificate is a .json file.",
            line=1,
            column=1,
        )
    _refuse_control(text, name)
    try:
        tree = _parser().parse(text)
    except UnexpectedToken as problem:
        met = "the end of the text" if problem.token.type == "$END" else shown(str(problem.token))
        line, column = _place(problem, text)
        refuse(name, line, column, f"{met} stands where {_in_words(problem.accepts or problem.expected)} was expected.")
    except UnexpectedCharacters as problem:
        character = problem.char
        advice = _HINTS.get(character, "The grammar is in docs/theory/verifier-rules.md.")
        refuse(name, problem.line, problem.column, f"{character!r} is no part of the language.", advice)
    _refuse_depth(tree, name)
    return tree


def refuse(name: str, line: int, column: int, problem: str, advice: str = "") -> NoReturn:
    """Raise a ProgramError that says where."""
    raise ProgramError(f"{name}, line {line}, column {column}: {problem}", advice, line=line, column=column)


@lru_cache(maxsize=1)
def _parser() -> Any:
    from lark import Lark

    # The basic lexer keeps the words of the grammar reserved everywhere: no parameter can be called `ln`.
    return Lark(GRAMMAR, parser="lalr", lexer="basic", propagate_positions=True, maybe_placeholders=True)


def _refuse_control(text: str, name: str) -> None:
    """Name loops and branches for what they are, before the grammar only sees names out of place."""
    for number, line in enumerate(text.split("\n"), start=1):
        for word in re.finditer(r"[A-Za-z_][A-Za-z0-9_]*", line.split("//")[0]):
            if word[0] in _CONTROL:
                advice = "Programs are straight lines of samples and assignments, ended by return."
                refuse(name, number, word.start() + 1, f"{_CONTROL[word[0]]} ('{word[0]}') is not supported.", advice)


def _place(problem: Any, text: str) -> tuple[int, int]:
    if problem.token.type != "$END":
        return problem.token.line, problem.token.column
    lines = text.split("\n")
    return len(lines), len(lines[-1]) + 1


def _in_words(terminals: set[str]) -> str:
    """Return what may stand here, in words: "an operator or ';'"."""
    words, rest = [], set(terminals)
    if rest >= _STARTS:
        words.append("an expression")
        rest -= _STARTS
    if rest >= _GRAMMAR_OPERATORS:
        words.append("an operator")
        rest -= _GRAMMAR_OPERATORS
    plain = {"NAME": "a name", "NUMBER": "a number", "$END": "the end of the text"}
    literals = {terminal.name: terminal.pattern.value for terminal in _parser().terminals}
    words += sorted(plain.get(name) or repr(literals[name]) for name in rest)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _refuse_depth(tree: Any, name: str) -> None:
    """Refuse a tree deeper than recursion over it could bear; walks with a stack of its own."""
    stack = [(tree, 0)]
    while stack:
        node, depth = stack.pop()
        if depth > DEEPEST:
            refuse(
                name,
                getattr(node.meta, "line", 1),
                getattr(node.meta, "column", 1),
                f"the expression is nested more than {DEEPEST} deep.",
                "Give parts of it names of their own.",
            )
        stack += [(child, depth + 1) for child in node.children if hasattr(child, "children")]
