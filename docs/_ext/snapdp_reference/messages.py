"""Every refusal of the package, read from its source: class, room, message and what to do.

A message is what is handed to an error of the family when it is made. What is put into it when it happens is shown as
a hole, ‹column›. A helper of a module that makes errors from what it is given is followed to where it is called.
Nothing of the package is run.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

FAMILY = "SnapdpError"
MISUSE = ("UsageError", "BadParameter", "BadOptionUsage", "BadArgumentUsage", "ClickException")
_DERIVED = re.compile(r"^class \w+\(\w*Error\)", re.MULTILINE)
RAISING = re.compile(r"\braise |Error\(")
MOST_ALTERNATIVES = 12  # of one message, where what is put into it can be several texts
OPENED, CLOSED = "\u2039", "\u203a"  # around a hole
_ONE_HOLE = re.compile(f"(?:{OPENED}[^{CLOSED}]*{CLOSED})?")
_UNKNOWN = f"{OPENED}...{CLOSED}"
_HOLDING = (ast.expr, ast.stmt, ast.keyword, ast.excepthandler, ast.comprehension, ast.withitem, ast.match_case)
Known = Mapping[str, Sequence[str]]


class Message(NamedTuple):
    """A refusal: the error's class, the room that refuses, what it says, what to do about it, and where it stands."""

    error: str
    room: str
    problem: str
    advice: str
    place: str  # "studies/reader.py:120"


class ErrorClass(NamedTuple):
    """A class of the family: its name, the one it is derived from, what its docstring says, and where it is."""

    name: str
    base: str
    told: str
    place: str


def error_classes(source: Path) -> dict[str, ErrorClass]:
    """Return every class of the family, by name, those first that others are derived from."""
    classes = {
        node.name: ErrorClass(node.name, _bases(node)[0], ast.get_docstring(node) or "", _where(path, source))
        for path in sorted(source.rglob("*.py"))
        if _DERIVED.search(text := path.read_text(encoding="utf-8"))  # parsing them all would take seconds
        for node in ast.parse(text).body
        if isinstance(node, ast.ClassDef) and _bases(node)
    }
    found: dict[str, ErrorClass] = {FAMILY: classes[FAMILY]}
    while more := {name: each for name, each in classes.items() if each.base in found and name not in found}:
        found |= more
    return found


def messages(source: Path) -> list[Message]:
    """Return every refusal of the package; the same words of one class and room once."""
    return list({each[:4]: each for each in at_every_place(source)}.values())


def at_every_place(source: Path) -> Iterator[Message]:
    """Yield every refusal of the package wherever it is made, by classes and in the order of files."""
    for error in (*error_classes(source), *MISUSE):
        for made in _calls(source).get(error, ()):
            yield from _of_call(made, error, source)


@cache
def trees(source: Path) -> dict[Path, ast.Module]:
    """Return every module of the package that makes or raises an error, parsed."""
    texts = ((path, path.read_text(encoding="utf-8")) for path in sorted(source.rglob("*.py")))
    return {path: ast.parse(text) for path, text in texts if RAISING.search(text)}


def _where(path: Path, source: Path) -> str:
    return path.relative_to(source).as_posix()


def _bases(node: ast.ClassDef) -> list[str]:
    return [_last_name(base) for base in node.bases]


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


class _Made(NamedTuple):
    """A call: where it stands, the functions around it, the outermost first, and what names stand for there."""

    call: ast.Call
    within: tuple[ast.FunctionDef, ...]
    place: str
    known: Known


@cache
def _calls(source: Path) -> dict[str, list[_Made]]:
    """Return every call of the package, by the name that is called."""
    found: dict[str, list[_Made]] = {}
    for path, tree in trees(source).items():
        known = _texts_of(tree, source)
        for call, within in _within(tree, ()):
            found.setdefault(_last_name(call.func), []).append(_Made(call, within, _where(path, source), known))
    return found


def _within(
    node: ast.AST, around: tuple[ast.FunctionDef, ...]
) -> Iterator[tuple[ast.Call, tuple[ast.FunctionDef, ...]]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call):
            yield child, around
        if isinstance(child, _HOLDING):
            yield from _within(child, (*around, child) if isinstance(child, ast.FunctionDef) else around)


@cache
def _helpers(source: Path) -> dict[str, int]:
    """Return how many functions of the package have a name."""
    return Counter(
        node.name for tree in trees(source).values() for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)
    )


def _of_call(made: _Made, error: str, source: Path) -> Iterator[Message]:
    arguments = [each for each in made.call.args if not isinstance(each, ast.Starred)]
    advice = arguments[1:2] or [each.value for each in made.call.keywords if each.arg == "advice"]
    if not arguments or (error in MISUSE and isinstance(arguments[0], ast.Attribute)):
        return
    room = made.place.partition("/")[0].removesuffix(".py")
    for known in _given(made, source):
        told = texts_in(advice[0], known) if advice and error not in MISUSE else [""]
        for problem, what_to_do in list(product(texts_in(arguments[0], known), told))[:MOST_ALTERNATIVES]:
            if not _ONE_HOLE.fullmatch(problem):  # handed on as it was told elsewhere
                yield Message(error, room, _clean(problem), _clean(what_to_do), f"{made.place}:{made.call.lineno}")


def _given(made: _Made, source: Path) -> Iterator[Known]:
    """Yield what names stand for where an error is made: texts of the module, and what its helper is called with."""
    if not made.within:
        yield made.known
        return
    helper = made.within[-1]
    local = {**made.known, **_defaults(helper, made.known), **_assigned(helper, made.known)}
    parameters = [each.arg for each in helper.args.args if each.arg not in ("self", "cls")]
    used = {node.id for node in ast.walk(made.call) if isinstance(node, ast.Name)}
    texts = {each for each in (*parameters, *(each.arg for each in helper.args.kwonlyargs)) if each in used}
    filled = [
        {name: options for name, argument in _arguments(each.call, parameters) if (options := _said(argument, each))}
        for each in (_calls(source).get(helper.name, ()) if texts else ())
        if each.place == made.place or _helpers(source)[helper.name] == 1
    ]
    filled = [each for each in filled if texts & set(each)]
    yield from ({**local, **each} for each in filled) if filled else (local,)


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


def _arguments(call: ast.Call, parameters: Sequence[str]) -> Iterator[tuple[str, ast.expr]]:
    yield from zip(parameters, call.args, strict=False)
    yield from ((each.arg, each.value) for each in call.keywords if each.arg)


def _said(node: ast.expr, where: _Made | Known) -> list[str]:
    """Return the texts of an argument, if it is one; a hole by itself says nothing."""
    known = where
    if isinstance(where, _Made):
        around = where.within[-1:]
        known = {**where.known, **(_assigned(around[0], where.known) if around and isinstance(node, ast.Name) else {})}
    found = texts_in(node, known)
    return [] if all(map(_ONE_HOLE.fullmatch, found)) else found


def _assigned(function: ast.FunctionDef, known: Known) -> dict[str, list[str]]:
    """Return the texts that names of a function are given in it, each by one assignment or several."""
    found: dict[str, list[str]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            pairs = _pairs(node.targets[0], node.value)
            for name, value in pairs:
                if options := _said(value, known):
                    found.setdefault(name, []).extend(options)
    return found


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[str, ast.expr]]:
    if isinstance(target, ast.Name):
        return [(target.id, value)]
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return [(each.id, one) for each, one in zip(target.elts, value.elts, strict=True) if isinstance(each, ast.Name)]
    return []


def _texts_of(tree: ast.Module, source: Path) -> dict[str, list[str]]:
    """Return the names of a module that stand for texts: its own, and those it imports from files of the package."""
    found = {
        alias.asname or alias.name: told
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("snapdp")
        for alias in node.names
        if (told := _texts_anywhere(source).get(alias.name))
    }
    return {**found, **_constants(tree)}


@cache
def _texts_anywhere(source: Path) -> dict[str, list[str]]:
    """Return every text that some module has a name for; where two have one name, neither."""
    every: dict[str, list[list[str]]] = {}
    for tree in trees(source).values():
        for name, options in _constants(tree).items():
            every.setdefault(name, []).append(options)
    return {name: options[0] for name, options in every.items() if len(options) == 1}


def _constants(tree: ast.Module) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if isinstance(target, ast.Name) and (options := _said(node.value, found)):
            found[target.id] = options
    return found


# Texts


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
    return [f"{OPENED}{hole(node)}{CLOSED}"]


def _joined(parts: Sequence[Sequence[str]]) -> list[str]:
    found = ["".join(each) for each in product(*parts)] if parts else [""]
    return (
        found
        if len(found) <= MOST_ALTERNATIVES
        else ["".join(each[0] if len(each) == 1 else _UNKNOWN for each in parts)]
    )


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
        inner = node.args[-1] if node.args else node.keywords[-1].value
        return (
            hole(inner)
            if not isinstance(node.func, ast.Attribute) or node.func.attr == "join"
            else hole(node.func.value)
        )
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


def _clean(text: str) -> str:
    return " ".join(text.replace(2 * _UNKNOWN, _UNKNOWN).split())
