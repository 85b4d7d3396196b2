"""The grammar of the two languages, and what a reader is told where a text does not follow it.

Room: verifier. Text goes in, a lark tree with positions comes out, or a ProgramError in words. lark is imported when
first needed. The parser is LALR, so neither its time nor its stack depends on how deeply a hostile text is nested;
what is built from the tree is limited by `DEEPEST` and `LONGEST_TEXT`.
A `let` reaches as far to the right as it can: the one conflict of the grammar, settled by shifting.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NoReturn

from snapdp.errors import ProgramError
from snapdp.exact import shown

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
_OPERATORS = frozenset(("PLUS", "MINUS", "STAR", "SLASH"))


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
    if rest >= _OPERATORS:
        words.append("an operator")
        rest -= _OPERATORS
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
