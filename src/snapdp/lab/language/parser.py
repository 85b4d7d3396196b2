"""The languages of Liu's note (L20), imperative statements and functional lets, and formulas, read into the one syntax.

`parse` gives the tree of a program's text, `claim_value` the number it claims, `load_program` the program of a file or
a bundled one, and `read_formula` the tree of a formula such as f + ln(U)/0.1. Right-hand sides of `param`, `query`,
`claim`, grids and clamp bounds are exact rationals and are folded here; in statements and formulas the arithmetic
stays, because there it is the machine's. A let is read from left to right, call by value, into statements, so Theorem 3
of L20 follows from Theorem 1' (docs/theory/verifier-rules.md). A name bound a second time gets a fresh one, so in the
tree each name has one meaning. lark makes a tree with positions of a text, or a ProgramError says what is wrong; lark
is imported when it is first needed. The parser is LALR, so neither its time nor its stack depends on how deeply a
hostile text is nested, and `DEEPEST` and `LONGEST_TEXT` limit what is built from the tree.
"""

from __future__ import annotations

import operator
import os
import re
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any, NoReturn

from snapdp.drafts import open_regular
from snapdp.errors import ProgramError
from snapdp.exact.numbers import LARGEST_DECIMAL_EXPONENT, shown
from snapdp.lab.language.syntax import (
    BINARY,
    FUNCTIONS,
    Assignment,
    Binary,
    Clamping,
    Constant,
    Division,
    Exponential,
    Expression,
    FusedMultiplyAdd,
    Logarithm,
    Negation,
    Program,
    Query,
    QueryValue,
    Rounding,
    Sample,
    SquareRoot,
    Variable,
    Written,
    walk,
)
from snapdp.lab.language.text import expression_text, unused_name

ETA = "eta"
LONGEST_NUMBER = 4000  # characters; Python itself reads 4300
LARGEST_BITS = 1 << 13  # of a folded numerator or denominator: prints in fewer than LONGEST_NUMBER digits
LARGEST_EXPANSION = 10_000  # nodes of the result, each variable replaced by what it stands for
_OPERATIONS: dict[str, type[Binary]] = {operation.word: operation for operation in BINARY.values()}
FORMULA_FUNCTIONS: dict[str, type[Expression]] = {
    "ln": Logarithm,
    "log": Logarithm,
    "exp": Exponential,
    "sqrt": SquareRoot,
    "fma": FusedMultiplyAdd,
}

Scope = Mapping[str, str]


def parse(text: str, *, name: str = "program") -> Program:
    """Return the program of a text in either language; `name` is what errors call the text.

    >>> parse("program p { query f; y = f(D) + 1/4; return y; }").statements[0].expression.right
    Division(left=Constant(value=1), right=Constant(value=4))
    """
    return _Reader(name).program(tree_of(text, name=name))


def read_formula(text: str) -> Expression:
    """Return the tree of a formula: numbers, names, + - * /, powers of numbers, and functions.

    >>> from snapdp.lab.language.text import expression_text
    >>> expression_text(read_formula("f + log(U)/2**-3"))
    'f + ln(U) / 2**-3'
    """
    name = "the formula"
    if len(text) > LONGEST_FORMULA:
        raise ProgramError(f"{name} is longer than {LONGEST_FORMULA} characters.", "Bound parts of it.")
    if "//" in text:  # else it would begin a comment
        raise ProgramError(f"{name} has //, which is no operation.", "A formula is e.g. f + ln(U)/0.1.")
    return _Reader(name).formula(tree_of(text, name=name, start="formula", deepest=DEEPEST_FORMULA))


def claim_value(program: Program, eta: Fraction) -> Fraction | None:
    """Return the loss a program claims on a machine with unit roundoff eta, or None where it claims nothing."""
    if program.claim is None:
        return None
    try:
        return _value(program.claim, {**dict(program.parameters), ETA: eta})
    except (ZeroDivisionError, OverflowError) as problem:
        raise ProgramError(f"the claim of {program.name} has no value: {problem}.", "", line=0, column=0) from None


_EXACT: dict[str, Callable[..., Fraction]] = {
    "neg": operator.neg,
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
}


def _value(formula: Expression, names: Mapping[str, Fraction]) -> Fraction:
    """Return the exact value of a formula; growth beyond LARGEST_BITS is refused before it costs anything."""
    if isinstance(formula, Constant):
        return formula.value
    if isinstance(formula, Variable):
        return names[formula.name]
    operands = [_value(operand, names) for operand in formula.operands]
    if isinstance(formula, Division) and operands[1] == 0:
        raise ZeroDivisionError("it divides by zero")
    result: Fraction = _EXACT[formula.word](*operands)
    if max(result.numerator.bit_length(), result.denominator.bit_length()) > LARGEST_BITS:
        raise OverflowError(f"it needs a number of more than {LARGEST_BITS} bits")
    return result


class _Reader:
    """Reads one tree of the grammar; holds what has been declared and bound so far."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.parameters: dict[str, Fraction] = {}
        self.queries: dict[str, Query] = {}
        self.statements: list[Sample | Assignment] = []
        self.drawn: set[str] = set()
        self.later: set[str] = set()
        self.is_formula = False
        self.size: dict[str, tuple[int, int]] = {}  # nodes and depth of what each bound name stands for

    def refuse(self, place: Any, problem: str, advice: str = "") -> Any:
        at = getattr(place, "meta", place)
        refuse(self.source, getattr(at, "line", 1), getattr(at, "column", 1), problem, advice)

    def program(self, tree: Any) -> Program:
        title, *declarations, body, claim = tree.children
        for declaration in declarations:
            name, *rest = declaration.children
            self._refuse_taken(name)
            if declaration.data == "param":
                self.parameters[str(name)] = self._exact(rest[0])
            else:
                self.queries[str(name)] = self._query(str(name), *rest)
        result = self._body(body)
        claimed = None
        if claim is not None:
            place, names = claim.children[0], {**self.parameters, ETA: Fraction(1, 1 << 53)}
            claimed = self._exact_formula(place, names)
            self._folded(place, claimed, names)
        return Program(
            name=str(title),
            parameters=tuple(self.parameters.items()),
            queries=tuple(self.queries.values()),
            statements=tuple(self.statements),
            result=result,
            claim=claimed,
        )

    # Declarations and exact numbers

    def _query(self, name: str, interval: Any, sensitivity: Any) -> Query:
        lower, upper = (None, None) if interval is None else map(self._exact, interval.children)
        if lower is not None and upper is not None and lower > upper:
            self.refuse(interval, f"{lower} is above {upper}.", "An interval is [lower, upper].")
        distance = Fraction(1) if sensitivity is None else self._exact(sensitivity)
        if distance <= 0:
            self.refuse(sensitivity, f"a sensitivity of {distance} is not positive.")
        return Query(name=name, lower=lower, upper=upper, sensitivity=distance)

    def _refuse_taken(self, name: Any) -> None:
        if name == ETA:
            self.refuse(name, "eta is the unit roundoff of the machine and cannot be declared.")
        if name in self.parameters or name in self.queries:
            kind = "parameter" if name in self.parameters else "query"
            self.refuse(name, f"{name} is already a {kind}.", "Choose another name.")

    def _exact(self, tree: Any) -> Fraction:
        formula = self._exact_formula(tree, self.parameters.keys())
        value = self._folded(tree, formula, self.parameters)
        named = any(isinstance(part, Variable) for part in walk(formula))
        return Written(value, expression_text(formula)) if named else value

    def _folded(self, place: Any, formula: Expression, names: Mapping[str, Fraction]) -> Fraction:
        try:
            return _value(formula, names)
        except (ZeroDivisionError, OverflowError) as problem:
            raise self.refuse(place, f"the expression has no value: {problem}.") from None

    def _exact_formula(self, tree: Any, names: Any) -> Expression:
        """Return an exact expression: numbers, the names given, + - * / and minus."""
        if (operation := self._operation(tree, lambda part: self._exact_formula(part, names))) is not None:
            return operation
        name = str(tree.children[0])
        if tree.data == "name":
            if name in names:
                return Variable(name=name)
            advice = f"Known here: {', '.join(sorted(names))}." if names else "No parameter is declared yet."
            self.refuse(tree, f"{name} is no parameter.", advice)
        what = {"call": "a query", "let_value": "a let", "let_draw": "a let"}.get(tree.data, tree.data)
        if tree.data == "call" and name in {**FUNCTIONS, **FORMULA_FUNCTIONS} and name not in self.queries:
            what = name
        advice = "Declarations, claims, grids and bounds use numbers, parameters and + - * / only."
        raise self.refuse(tree, f"{what} has no exact value.", advice)

    def _operation(self, tree: Any, read: Callable[[Any], Expression]) -> Expression | None:
        """Return a number, or what minus and + - * / make of the parts that are read; None: it is something else."""
        match tree.data:
            case "number":
                return Constant(value=self._number(tree.children[0]))
            case "power":
                return Constant(value=self._power(tree))
            case "neg":
                return Negation(operand=read(tree.children[0]))
            case word if word in _OPERATIONS:
                left, right = map(read, tree.children)
                return _OPERATIONS[word](left=left, right=right)
        return None

    def _number(self, token: Any) -> Fraction:
        mantissa, _, exponent = str(token).lower().partition("e")
        whole, point, rest = mantissa.partition(".")
        if point and not (whole and rest) and not self.is_formula:
            self.refuse(token, f"{token} lacks digits.", "A number has digits on both sides of its point: 0.5, not .5.")
        shift = int(exponent or 0) if len(token) <= LONGEST_NUMBER else LONGEST_NUMBER
        if max(abs(shift), len(rest) - shift) > LARGEST_DECIMAL_EXPONENT:
            advice = f"Numbers have at most {LARGEST_DECIMAL_EXPONENT} places before or after the point."
            self.refuse(token, f"{shown(str(token))} is too long a number.", advice)
        return Fraction(f"{mantissa}e{shift}")

    def _power(self, tree: Any) -> Fraction:
        """Return an exact power, with the text that it has."""
        base, _, minus, exponent = tree.children
        number, size = self._number(base), self._number(exponent)
        if not str(exponent).isdecimal() or size > LARGEST_DECIMAL_EXPONENT:
            self.refuse(exponent, f"the power {shown(str(exponent))} is no small whole number.", "E.g. 2**20.")
        if number == 0 and minus:
            self.refuse(base, "zero has no negative powers.")
        if size * max(number.numerator.bit_length(), number.denominator.bit_length()) > LARGEST_BITS:
            self.refuse(base, f"the power needs a number of more than {LARGEST_BITS} bits.")
        power = Fraction(number ** int(-size if minus else size))
        return Written(power, f"{base}**{minus or ''}{exponent}")

    # Formulas

    def formula(self, tree: Any) -> Expression:
        """Return the tree of a formula; its names are inputs."""
        self.is_formula = True
        if tree.data == "neg" and tree.children[0].data == "number":
            return Constant(value=-self._number(tree.children[0].children[0]))
        if (operation := self._operation(tree, self.formula)) is not None:
            return operation
        if tree.data == "name":
            return Variable(name=str(tree.children[0]))
        what = str(tree.children[0]) if tree.data == "call" else str(tree.data).removesuffix("_value")
        operands = tree.children if tree.data == "ln" else tree.children[1:]
        function = FORMULA_FUNCTIONS.get(what)
        if function is None or len(operands) != len(function._parts):
            arguments = f" with {len(operands)} arguments" if function is not None else ""
            advice = f"Formulas use numbers, names, + - * / and {', '.join(FORMULA_FUNCTIONS)}; powers of numbers only."
            raise self.refuse(tree, f"{what}{arguments} is not supported.", advice)
        return function(**dict(zip(function._parts, map(self.formula, operands), strict=True)))

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
        self.statements.append(Assignment(name=fresh, expression=expression, line=place.meta.line))
        return fresh

    def _draw(self, name: Any, tree: Any) -> str:
        if tree.data in self.drawn:
            kind = {"unif": "uniform", "sign": "sign"}.get(tree.data, tree.data)
            self.refuse(name, f"a second {kind} sample is not supported.", "A program draws one number of each kind.")
        self.drawn.add(tree.data)
        argument = self._exact(tree.children[0]) if tree.data in ("laplace", "bernoulli") else None
        if tree.data == "sign" and [str(child) for child in tree.children] != ["1", "1"]:
            self.refuse(tree, "only {-1,1} can be drawn from.")
        if argument is not None and tree.data == "laplace" and argument <= 0:
            self.refuse(tree, f"a scale of {argument} is not positive.")
        if argument is not None and tree.data == "bernoulli" and not 0 <= argument <= 1:
            self.refuse(tree, f"{argument} is no probability.")
        fresh = self._fresh(str(name))
        self.size[fresh] = (1, 1)
        self.statements.append(Sample(name=fresh, distribution=str(tree.data), argument=argument, line=name.line))
        return fresh

    def _fresh(self, name: str) -> str:
        return unused_name(name, {*self.parameters, *self.queries, *self.size, ETA})

    def _extent(self, expression: Expression) -> tuple[int, int]:
        """Return nodes and depth of an expression whose variables are replaced by what they stand for."""
        if isinstance(expression, Variable):
            return self.size[expression.name]
        parts = [self._extent(operand) for operand in expression.operands]
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
                upper = self._exact(first if second is None else second)
                lower = -upper if second is None else self._exact(first)
                if lower > upper:
                    self.refuse(first, f"the clamp's lower end {lower} is above its upper end {upper}.")
                return Clamping(lower=lower, upper=upper, operand=self._expression(operand, scope))
        name, value, rest = tree.children
        unique = self._bind(name, value, scope, draws=tree.data == "let_draw")
        return self._expression(rest, {**scope, str(name): unique})

    def _call(self, tree: Any, scope: Scope) -> Expression:
        """Return f(D) for a query f, else a function of an expression: a query may have the name of a function."""
        name, (argument, *others) = str(tree.children[0]), tree.children[1:]
        if name in self.queries:
            if argument.data != "name" or others:
                self.refuse(tree, f"{name} is a query, and no function.", f"Its value is written {name}(D).")
            return QueryValue(name=name)
        functions = f"functions are ln, {', '.join(FUNCTIONS)}."
        if name in FUNCTIONS and not others:
            return FUNCTIONS[name](operand=self._expression(argument, scope))
        if name in FUNCTIONS:
            self.refuse(tree, f"{name} is a function of one number.")
        if name in FORMULA_FUNCTIONS:
            problem = f"{name} is a function of formulas (snapdp lab bound), not of programs."
            self.refuse(tree, problem, f"In programs {functions}")
        raise self.refuse(tree, f"{name} is no query.", f"Declare it: query NAME in [lower, upper]; {functions}")

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
        names = sorted({*scope, *self.parameters})
        raise self.refuse(token, f"{name} is not defined.", f"Known here: {', '.join(names)}." if names else "")


# The grammar. A `let` reaches as far to the right as it can: the one conflict of the grammar, settled by shifting.

LONGEST_TEXT = 1 << 16
LONGEST_FORMULA = 10_000
DEEPEST = 100
DEEPEST_FORMULA = 150

GRAMMAR = r"""
program: "program" NAME "{" decl* body [claim] "}"
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
?formula: expr
?expr: term
     | expr "+" term -> add
     | expr "-" term -> sub
?term: unary
     | term "*" unary -> mul
     | term "/" unary -> div
?unary: atom
     | "-" unary -> neg
?atom: NUMBER -> number
     | NUMBER POWER [MINUS] NUMBER -> power
     | NAME -> name
     | NAME "(" expr ("," expr)* ")" -> call
     | "ln" "(" expr ")" -> ln
     | "round" "[" expr "]" "(" expr ")" -> round
     | "clamp" "[" expr ["," expr] "]" "(" expr ")" -> clamp
     | "(" expr ")"
     | let
let: "let" NAME "=" expr "in" expr -> let_value
   | "let" NAME "<-$" dist "in" expr -> let_draw
NAME: /[A-Za-z_][A-Za-z0-9_]*/
MINUS: "-"
POWER: "**"
NUMBER: /([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?/
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
    "^": "A power of a number is written 2**10; of anything else, write the product.",
    "#": "A comment begins with //.",
    "<": "A sample is drawn by <-$.",
    "$": "A sample is drawn by <-$.",
    ":": "An assignment is written name = expression.",
}
_STARTS = frozenset(("NAME", "NUMBER", "MINUS", "LPAR", "LN", "ROUND", "CLAMP", "LET"))
_GRAMMAR_OPERATORS = frozenset(("PLUS", "MINUS", "STAR", "SLASH"))


def tree_of(text: str, *, name: str, start: str = "program", deepest: int = DEEPEST) -> Any:
    """Return the lark tree of a text."""
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    if len(text) > LONGEST_TEXT:
        advice = "No program is; a record or certificate is a .json file."
        raise ProgramError(f"{name} is longer than {LONGEST_TEXT} characters.", advice, line=1, column=1)
    if start == "program":
        _refuse_control(text, name)
    try:
        tree = _parser(start).parse(text)
    except UnexpectedToken as problem:
        met, line, column = shown(str(problem.token)), problem.token.line, problem.token.column
        if problem.token.type == "$END":
            lines = text.split("\n")
            met, line, column = "the end of the text", len(lines), len(lines[-1]) + 1
        expected = _in_words(problem.accepts or problem.expected, _parser(start).terminals)
        refuse(name, line, column, f"{met} stands where {expected} was expected.")
    except UnexpectedCharacters as problem:
        advice = "The grammar is in docs/theory/verifier-rules.md."
        if start == "formula":
            advice = "A formula is e.g. f + ln(U)/0.1."
        if start == "program" or problem.char == "^":
            advice = _HINTS.get(problem.char, advice)
        refuse(name, problem.line, problem.column, f"{problem.char!r} is no part of the language.", advice)
    _refuse_depth(tree, name, deepest)
    return tree


def refuse(name: str, line: int, column: int, problem: str, advice: str = "") -> NoReturn:
    """Raise a ProgramError that says where."""
    raise ProgramError(f"{name}, line {line}, column {column}: {problem}", advice, line=line, column=column)


@lru_cache(maxsize=2)
def _parser(start: str) -> Any:
    from lark import Lark

    # The basic lexer keeps the words of a language reserved everywhere: no parameter can be called `ln`.
    settings = {"parser": "lalr", "lexer": "basic", "propagate_positions": True, "maybe_placeholders": True}
    return Lark(GRAMMAR, start=start, **settings)


def _refuse_control(text: str, name: str) -> None:
    """Name loops and branches for what they are, before the grammar only sees names out of place."""
    for number, line in enumerate(text.split("\n"), start=1):
        for word in re.finditer(r"[A-Za-z_][A-Za-z0-9_]*", line.split("//")[0]):
            if word[0] in _CONTROL:
                advice = "Programs are straight lines of samples and assignments, ended by return."
                refuse(name, number, word.start() + 1, f"{_CONTROL[word[0]]} ('{word[0]}') is not supported.", advice)


def _in_words(expected: set[str], terminals: Iterable[Any]) -> str:
    """Return what may stand here, in words: "an operator or ';'"."""
    words, rest = [], set(expected)
    if rest >= _STARTS:
        words.append("an expression")
        rest -= _STARTS
    if rest >= _GRAMMAR_OPERATORS:
        words.append("an operator")
        rest -= {*_GRAMMAR_OPERATORS, "POWER"}
    plain = {"NAME": "a name", "NUMBER": "a number", "$END": "the end of the text"}
    literals = {terminal.name: terminal.pattern.value for terminal in terminals}
    words += sorted(plain.get(name) or repr(literals[name]) for name in rest)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _refuse_depth(tree: Any, name: str, deepest: int) -> None:
    """Refuse a tree deeper than recursion over it could bear; walks with a stack of its own."""
    stack = [(tree, 0)]
    while stack:
        node, depth = stack.pop()
        if depth > deepest:
            problem = f"the expression is nested more than {deepest} deep."
            _Reader(name).refuse(node, problem, "Give parts of it names of their own.")
        stack += [(child, depth + 1) for child in node.children if hasattr(child, "children")]


# Programs in files, and bundled ones to try the verifier on: the snapping mechanism in its variants, and mechanisms
# that are broken. Each .imp file begins with a comment on what is to be seen in it.

_FOLDER = Path(__file__).parent / "programs"
_MACHINE = re.compile(r"^[ \t]*// Machine: (\S+)[ \t]*$", re.MULTILINE)


def program_names() -> tuple[str, ...]:
    """Return the names of the bundled programs, in alphabetical order."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.imp")))


def program_text(name: str) -> str:
    """Return the text of a bundled program."""
    if name not in program_names():
        raise ProgramError(f"no bundled program is called {name!r}.", f"There are: {', '.join(program_names())}.")
    return (_FOLDER / f"{name}.imp").read_text(encoding="utf-8")


def load_program(reference: str) -> Program:
    """Return the program in a file, or the bundled program of that name."""
    text, name = _source(reference)
    return parse(text, name=name)


def stated_machine(reference: str) -> str:
    """Return the machine that the file of a program says it runs on, in a comment; empty where it says none.

    So do the programs of this package's own mechanisms: on another machine they would be other mechanisms.
    """
    return machine_in(_source(reference)[0])


def machine_in(text: str) -> str:
    """Return the machine that the text of a program says it runs on, in a comment; empty where it says none."""
    match = _MACHINE.search(text.partition("{")[0])
    return "" if match is None else match[1]


def comment_of(text: str) -> str:
    """Return what the comment at the beginning of a program says, but for its machine.

    >>> comment_of("// One.\\n// Two.\\n// Machine: p=53\\nprogram a { }")
    'One. Two.'
    """
    lines = [line.strip() for line in _MACHINE.sub("", text.partition("{")[0]).splitlines()]
    return " ".join(line.removeprefix("//").strip() for line in lines if line.startswith("//"))


def _source(reference: str) -> tuple[str, str]:
    """Return the text of a program, and its name for messages."""
    if reference in program_names() and not os.path.isfile(reference):
        return program_text(reference), reference
    try:
        with open_regular(reference) as file:
            data = file.read(LONGEST_TEXT + 1)
    except (OSError, ValueError) as problem:
        why = getattr(problem, "strerror", None) or str(problem)
        raise ProgramError(
            f"{shown(reference)} is no bundled program and cannot be read as a file: {why}.",
            f"Bundled are: {', '.join(program_names())}.",
        ) from None
    source = os.path.basename(reference)
    return decoded(data, name=source), source


def decoded(data: bytes, *, name: str) -> str:
    """Return the text of a file."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise ProgramError(
            f"{name}, line {line}: this is no UTF-8 text.", "Save the program as UTF-8.", line=line, column=1
        ) from None
