"""The texts that an expression of the source can be, with holes for what is known when it happens: ‹column›.

A name stands for the texts that its function or module gives it, by one assignment or several; a choice between two
texts is both. Nothing of the package is run: an expression is read as it is written.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product

MOST_ALTERNATIVES = 12  # of one message, where what is put into it can be several texts
OPENED, CLOSED = "\u2039", "\u203a"  # around a hole
TRIMMING = ("strip", "rstrip", "removeprefix", "removesuffix")  # of a text, which stays what it is
_HOLE = re.compile(f"{OPENED}[^{CLOSED}]*{CLOSED}")
_UNKNOWN = f"{OPENED}...{CLOSED}"
Known = Mapping[str, Sequence[str]]


def texts_in(node: ast.expr, known: Known) -> list[str]:
    """Return the texts that an expression can be, with holes for what is known when it happens."""
    if isinstance(node, ast.Constant):
        return [] if node.value is None else [str(node.value)]
    if isinstance(node, ast.JoinedStr):
        return _joined([texts_in(each, known) for each in node.values])
    if isinstance(node, ast.FormattedValue):
        quote = "'" if node.conversion == ord("r") and not isinstance(node.value, ast.Constant) else ""
        return [f"{quote}{each}{quote}" for each in texts_in(node.value, known)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _joined([texts_in(node.left, known), texts_in(node.right, known)])
    if isinstance(node, ast.IfExp):
        return [*texts_in(node.body, known), *texts_in(node.orelse, known)]
    if isinstance(node, ast.Name) and node.id in known:
        return list(known[node.id])
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in TRIMMING:
        return texts_in(node.func.value, known)
    return [f"{OPENED}{hole(node)}{CLOSED}"]


def _joined(parts: Sequence[Sequence[str]]) -> list[str]:
    found = ["".join(each) for each in product(*parts)] if parts else [""]
    if len(found) <= MOST_ALTERNATIVES:
        return found
    return ["".join(each[0] if len(each) == 1 else _UNKNOWN for each in parts)]


def hole(node: ast.expr) -> str:
    """Return a word for what an expression puts into a message: the name that it is about.

    >>> hole(ast.parse("one_line(column.name)", mode="eval").body)
    'column'
    """
    if isinstance(node, ast.Name):
        return node.id.strip("_").replace("_", " ").lower()
    if isinstance(node, ast.Attribute):
        of = hole(node.value)
        plain = node.attr.strip("_").replace("_", " ").lower()
        return of if plain in ("name", "title", "value", "text", "strerror") and of not in ("self", "...") else plain
    if isinstance(node, ast.Call) and (node.args or node.keywords):
        is_method = isinstance(node.func, ast.Attribute) and node.func.attr != "join"
        inner = node.args[-1] if node.args else node.keywords[-1].value
        return hole(node.func.value if is_method else inner)  # type: ignore[attr-defined]
    if isinstance(node, ast.Call):
        return hole(node.func)
    if isinstance(node, (ast.GeneratorExp, ast.ListComp, ast.SetComp)):
        return hole(node.generators[0].iter)
    if isinstance(node, (ast.Subscript, ast.Starred)):
        return hole(node.value)
    if isinstance(node, ast.BinOp):
        return hole(node.left)
    if isinstance(node, ast.BoolOp):
        return hole(node.values[0])
    if isinstance(node, ast.IfExp):
        return hole(node.body)
    return "..."


def said(node: ast.expr, known: Known) -> list[str]:
    """Return the texts of an expression, if it is one; a hole by itself says nothing."""
    found = texts_in(node, known)
    return [] if all(each == "" or _HOLE.fullmatch(each) for each in found) else found


def is_wordless(text: str) -> bool:
    """Tell whether a text is made of holes, and has no word of its own.

    >>> is_wordless("‹column›: ‹problem›"), is_wordless("no ‹column›")
    (True, False)
    """
    return not re.search(r"\w", _HOLE.sub("", text))


def clean(text: str) -> str:
    """Return a text in one line."""
    return " ".join(text.replace(2 * _UNKNOWN, _UNKNOWN).split())


# What names stand for


def in_function(function: ast.FunctionDef, known: Known) -> dict[str, Sequence[str]]:
    """Return what names stand for inside of a function, where those of its module are known."""
    return {**known, **_defaults(function, known), **assigned(function, known)}


def returned(function: ast.FunctionDef, known: Known) -> list[str]:
    """Return the texts that a function returns."""
    local = in_function(function, known)
    values = (node.value for node in ast.walk(function) if isinstance(node, ast.Return) and node.value is not None)
    return [text for value in values for text in said(value, local)]


def _defaults(function: ast.FunctionDef, known: Known) -> dict[str, list[str]]:
    """Return the texts that parameters of a function stand for where they are not given."""
    given = function.args
    placed = zip(given.args[len(given.args) - len(given.defaults) :], given.defaults, strict=True)
    named = (
        (each, value) for each, value in zip(given.kwonlyargs, given.kw_defaults, strict=True) if value is not None
    )
    return {each.arg: texts_in(value, known) for each, value in (*placed, *named) if _is_text(value)}


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def assigned(function: ast.FunctionDef, known: Known) -> dict[str, list[str]]:
    """Return the texts that names of a function are given in it: by assignments, or one after the other by a loop."""
    found: dict[str, list[str]] = {}
    for name, value in _given_in(function):
        if options := said(value, known):
            found.setdefault(name, []).extend(options)
    return found


@cache
def _given_in(function: ast.FunctionDef) -> list[tuple[str, ast.expr]]:
    """Return the names that a function gives something to, each with that; many calls of a helper ask for them."""
    return [pair for node in ast.walk(function) for pair in _pairs(node)]


def _pairs(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that a statement gives something to, each with that."""
    if isinstance(node, ast.For) and isinstance(node.iter, ast.Call) and isinstance(node.iter.func, ast.Attribute):
        last = node.target.elts[-1] if isinstance(node.target, ast.Tuple) else node.target
        if node.iter.func.attr in ("items", "values") and isinstance(last, ast.Name):
            yield last.id, node.iter.func.value  # the name of a table stands for the texts in it
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return
    target, value = node.targets[0], node.value
    if isinstance(target, ast.Name):
        yield target.id, value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        for each, one in zip(target.elts, value.elts, strict=True):
            if isinstance(each, ast.Name):
                yield each.id, one


def constants(tree: ast.Module) -> dict[str, list[str]]:
    """Return the texts that names of a module stand for; that of a table stands for the texts in it."""
    found: dict[str, list[str]] = {}
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if not isinstance(target, ast.Name):
            continue
        values = node.value.values if isinstance(node.value, ast.Dict) else [node.value]
        if options := [text for value in values for text in said(value, found)]:
            found[target.id] = options
    return found
