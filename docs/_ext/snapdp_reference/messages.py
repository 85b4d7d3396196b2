"""Every refusal of the package, read from its source: class, room, message and what to do.

A message is what is handed to an error of the family when it is made (message_texts has what that can be). A helper
that makes errors from what it is given is followed to where it is called, and a function that returns the words of a
message to what it returns. Nothing of the package is run.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

from snapdp_reference.message_texts import (
    MOST_ALTERNATIVES,
    Known,
    assigned,
    clean,
    constants,
    in_function,
    is_wordless,
    returned,
    said,
    texts_in,
)

FAMILY = "SnapdpError"
MISUSE = {"UsageError": 0, "BadParameter": 0, "FileError": 1, "OutputError": 0}  # of click: where its words stand
FAILING = {"self": "BadParameter", "ctx": "UsageError"}  # whose method `fail` raises what
_DERIVED = re.compile(r"^ *class \w+\([^)]*Error\b", re.MULTILINE)
RAISING = re.compile(r"\braise |Error\(|\.fail\(")
_HOLDING = (ast.expr, ast.stmt, ast.keyword, ast.excepthandler, ast.comprehension, ast.withitem, ast.match_case)


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
        node.name: (node, path)
        for path in sorted(source.rglob("*.py"))
        if _DERIVED.search(text := path.read_text(encoding="utf-8"))  # parsing them all would take seconds
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ClassDef)
    }
    found: dict[str, ErrorClass] = {}
    while more := [name for name in classes if name not in found and _base(classes[name][0], found)]:
        for name in more:
            node, path = classes[name]
            told = ast.get_docstring(node) or ""
            found[name] = ErrorClass(name, _base(node, found), told, _where(path, source))
    return found


def _base(node: ast.ClassDef, family: Mapping[str, ErrorClass]) -> str:
    """Return the base of a class that belongs to the family; none where it does not."""
    bases = [_last_name(base) for base in node.bases]
    return bases[0] if node.name == FAMILY else next((base for base in bases if base in family), "")


def messages(source: Path) -> list[Message]:
    """Return every refusal of the package; the same words of one class and room once."""
    return list({each[:4]: each for each in at_every_place(source)}.values())


def at_every_place(source: Path) -> Iterator[Message]:
    """Yield every refusal of the package wherever it is made, by classes and in the order of files."""
    for error in (*error_classes(source), *MISUSE):
        for made in _read(source).calls.get(error, ()):
            yield from _of_call(made, error, source)


@cache
def trees(source: Path) -> dict[Path, ast.Module]:
    """Return every module of the package that makes or raises an error, parsed."""
    texts = ((path, path.read_text(encoding="utf-8")) for path in sorted(source.rglob("*.py")))
    return {path: ast.parse(text) for path, text in texts if RAISING.search(text)}


def _where(path: Path, source: Path) -> str:
    return path.relative_to(source).as_posix()


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


class _Made(NamedTuple):
    """A call: where it stands, the functions around it, the outermost first, and what names stand for there."""

    call: ast.Call
    within: tuple[ast.FunctionDef, ...]
    place: str
    known: Known


class _Read(NamedTuple):
    """The calls and the functions of the package, by name; a function with the file that has it."""

    calls: dict[str, list[_Made]]
    functions: dict[str, list[tuple[ast.FunctionDef, str]]]


@cache
def _read(source: Path) -> _Read:
    """Return what the package calls and defines, from one walk: there are hundreds of thousands of nodes."""
    found = _Read({}, {})
    for path, tree in trees(source).items():
        known, place = _texts_of(tree, source), _where(path, source)
        for node, within in _within(tree, ()):
            if isinstance(node, ast.Call):
                found.calls.setdefault(_raised(node.func), []).append(_Made(node, within, place, known))
            else:
                found.functions.setdefault(node.name, []).append((node, place))
    return found


def _raised(called: ast.expr) -> str:
    """Return the name that is called; where a method `fail` is, the error that it raises."""
    if isinstance(called, ast.Attribute) and called.attr == "fail":
        return FAILING.get(_last_name(called.value), "")
    return _last_name(called)


def _within(
    node: ast.AST, around: tuple[ast.FunctionDef, ...]
) -> Iterator[tuple[ast.Call | ast.FunctionDef, tuple[ast.FunctionDef, ...]]]:
    """Yield calls and functions below a node, each with the functions around it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.Call, ast.FunctionDef)):
            yield child, around
        if isinstance(child, _HOLDING):
            yield from _within(child, (*around, child) if isinstance(child, ast.FunctionDef) else around)


def _of_call(made: _Made, error: str, source: Path) -> Iterator[Message]:
    given = [each for each in made.call.args if not isinstance(each, ast.Starred)]
    arguments = given[MISUSE.get(error, 0) :]
    advice = arguments[1:2] or [each.value for each in made.call.keywords if each.arg == "advice"]
    if not arguments or (error in MISUSE and isinstance(arguments[0], ast.Attribute)):
        return
    room = made.place.partition("/")[0].removesuffix(".py")
    for known in _given(made, source):
        told = texts_in(advice[0], known) if advice and error not in MISUSE else [""]
        problems = _problems(arguments[0], known, made.place, source)
        for problem, what_to_do in list(product(problems, told))[:MOST_ALTERNATIVES]:
            if not is_wordless(problem):  # handed on as it was told elsewhere
                yield Message(error, room, clean(problem), clean(what_to_do), f"{made.place}:{made.call.lineno}")


def _problems(node: ast.expr, known: Known, place: str, source: Path) -> list[str]:
    """Return the texts of a message; where a function is asked for all of it, what that returns."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return texts_in(node, known)
    named = _read(source).functions.get(node.func.id, [])
    nearest = [each for each in named if each[1] == place] or named
    if len(nearest) != 1:
        return texts_in(node, known)
    function, file = nearest[0]
    return returned(function, _texts_of(trees(source)[source / file], source))


def _given(made: _Made, source: Path) -> Iterator[Known]:
    """Yield what names stand for where an error is made: texts of the module, and what its helper is called with."""
    if not made.within:
        yield made.known
        return
    helper = made.within[-1]
    local = in_function(helper, made.known)
    parameters = [each.arg for each in helper.args.args if each.arg not in ("self", "cls")]
    used = {node.id for node in ast.walk(made.call) if isinstance(node, ast.Name)}
    texts = {each for each in (*parameters, *(each.arg for each in helper.args.kwonlyargs)) if each in used}
    filled = [
        {
            name: options
            for name, argument in _arguments(each.call, parameters)
            if (options := _given_text(argument, each))
        }
        for each in (_read(source).calls.get(helper.name, ()) if texts else ())
        if each.place == made.place or len(_read(source).functions[helper.name]) == 1
    ]
    filled = [each for each in filled if texts & set(each)]
    yield from ({**local, **each} for each in filled) if filled else (local,)


def _arguments(call: ast.Call, parameters: Sequence[str]) -> Iterator[tuple[str, ast.expr]]:
    yield from zip(parameters, call.args, strict=False)
    yield from ((each.arg, each.value) for each in call.keywords if each.arg)


def _given_text(argument: ast.expr, made: _Made) -> list[str]:
    """Return the texts of an argument where a helper is called; names stand for what its caller gave them."""
    inside = made.within[-1:] if isinstance(argument, ast.Name) else ()
    return said(argument, {**made.known, **(assigned(inside[0], made.known) if inside else {})})


def _texts_of(tree: ast.Module, source: Path) -> dict[str, list[str]]:
    """Return the names of a module that stand for texts: its own, and those it imports from files of the package."""
    found = {
        alias.asname or alias.name: told
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("snapdp")
        for alias in node.names
        if (told := _texts_anywhere(source).get(alias.name))
    }
    return {**found, **constants(tree)}


@cache
def _texts_anywhere(source: Path) -> dict[str, list[str]]:
    """Return every text that some module has a name for; where two have one name, neither."""
    every: dict[str, list[list[str]]] = {}
    for tree in trees(source).values():
        for name, options in constants(tree).items():
            every.setdefault(name, []).append(options)
    return {name: options[0] for name, options in every.items() if len(options) == 1}
