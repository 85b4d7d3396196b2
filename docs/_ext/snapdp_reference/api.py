"""The public names: which door offers them, on which page each stands, and what the page says of it.

A name that several doors offer stands on the page of the first of them, and the others lead there. Names of a room
stand under the file that has them, whose first sentence says what they have in common.
"""

from __future__ import annotations

import ast
import inspect
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import snapdp
from snapdp_reference.docstrings import as_rst, inline
from snapdp_reference.markdown import plain

SOURCE = Path(str(snapdp.__file__)).parent
IMPORTED_BY_MOST = ("snapdp", "snapdp.testing", "snapdp.interop")
FIRST = (*IMPORTED_BY_MOST, "snapdp.errors", "snapdp.published", "snapdp.values")
NO_DOOR = {"api", "cli", "web"}  # the package itself is the door of api; front ends are asked by nobody
LONGEST_VALUE = 80


class Name(NamedTuple):
    """A public name: the door that offers it, the name itself, and what it is."""

    door: str
    name: str
    value: Any

    @property
    def path(self) -> str:
        return f"{self.door}.{self.name}"


def doors() -> list[str]:
    """Return every door, in the order in which names are looked for."""
    rooms = sorted(f"snapdp.{path.parent.name}" for path in SOURCE.glob("*/__init__.py"))
    return [*FIRST, *(room for room in rooms if room not in FIRST and room.removeprefix("snapdp.") not in NO_DOOR)]


def page_of(door: str) -> str:
    """Return the page of a door, relative to docs."""
    return f"reference/api/{door.removeprefix('snapdp.')}.md"


@cache
def names_of(door: str) -> list[str]:
    """Return what a door offers."""
    return list(import_module(door).__all__)


@cache
def places() -> dict[tuple[str, str], str]:
    """Return, for each door and name, the path under which it is described: its own, or that of an earlier door."""
    described: dict[tuple[str, int], str] = {}
    every = ((door, name, getattr(import_module(door), name)) for door in doors() for name in names_of(door))
    return {(door, name): described.setdefault((name, id(value)), f"{door}.{name}") for door, name, value in every}


def is_function(value: object) -> bool:
    """Tell whether something is a function, also one that keeps its answers (`functools.cache`)."""
    return inspect.isfunction(inspect.unwrap(value)) and not inspect.isclass(value)  # type: ignore[arg-type]


def files_of(door: str) -> dict[str, list[str]]:
    """Return the files of a room whose names its door offers, in the order of the door, with these names."""
    tree = ast.parse(_init_of(door).read_text(encoding="utf-8"))
    blocks = [node for node in tree.body if isinstance(node, ast.If)]
    imports = [node for block in blocks for node in block.body if isinstance(node, ast.ImportFrom)]
    found: dict[str, list[str]] = {}
    for node in imports:
        found.setdefault(str(node.module), []).extend(alias.asname or alias.name for alias in node.names)
    return found


def _init_of(door: str) -> Path:
    """Return the file that opens a door of several files; of one that is a file itself there is none."""
    return SOURCE.joinpath(*door.split(".")[1:], "__init__.py")


# Pages


def door_page(door: str) -> str:
    """Return the generated part of the page of a room: what it offers, by files."""
    if not _init_of(door).exists():
        return described(door, names_of(door))
    parts = []
    for file, names in files_of(door).items():
        told = (inspect.getdoc(import_module(file)) or "").partition("\n\n")[0].replace("\n", " ")
        heading = file.removeprefix(f"{door}.").replace("_", " ").replace(".", ": ")
        parts.append(f"## {heading[0].upper()}{heading[1:]}\n\n{plain(told)}\n\n{described(door, names)}")
    return "\n\n".join(parts)


def names_block(door: str, *names: str) -> str:
    """Return a block that describes some names of a door, as a page lists them."""
    return described(door, list(names))


def described(door: str, names: list[str]) -> str:
    """Return a block that describes some names of a door."""
    lines = [line for name in names for line in (*_directive(door, name), "")]
    return "\n".join(["```{eval-rst}", f".. py:currentmodule:: {door}", "", *lines, "```"])


def _directive(door: str, name: str) -> Iterator[str]:
    place, value = places()[door, name], getattr(import_module(door), name)
    if place != f"{door}.{name}":
        role = "class" if inspect.isclass(value) else "func" if is_function(value) else "data"
        yield f"``{name}`` is described as :py:{role}:`{place}`."
    elif inspect.isclass(value):
        yield from (f".. autoclass:: {place}", "   :members:")
    elif is_function(value):
        yield f".. autofunction:: {place}"
    else:
        yield from _constant(name, value, *_comment_of(door, name))


def _constant(name: str, value: object, written: str, comment: str) -> Iterator[str]:
    yield f".. py:data:: {name}"
    shown = written if 0 < len(written) <= LONGEST_VALUE else repr(value)
    if len(shown) <= LONGEST_VALUE and "\n" not in shown and " at 0x" not in shown:
        yield f"   :value: {shown}"
    yield from ("", f"   {inline(comment) if comment else ''}")


def _comment_of(door: str, name: str) -> tuple[str, str]:
    """Return how a constant is written in its file, and what the comment beside it says."""
    file = door
    while file in doors() and _init_of(file).exists():  # a door may offer what another one does
        file = next(of for of, names in files_of(file).items() if name in names)
    written, comments = _written(str(import_module(file).__file__))
    shown, line = written.get(name, ("", 0))
    return shown, comments.get(line, "")


@cache
def _written(path: str) -> tuple[dict[str, tuple[str, int]], dict[int, str]]:
    """Return the assignments of a file, by name, with the line on which they begin; and its comments, by line."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    found: dict[str, tuple[str, int]] = {}
    for node in ast.parse(text).body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(target, ast.Name) and getattr(node, "value", None) is not None:
            found[target.id] = ast.unparse(node.value), node.lineno  # type: ignore[attr-defined]
        for each in target.elts if isinstance(target, ast.Tuple) else ():  # their values are those that they have
            found[ast.unparse(each)] = "", node.lineno
    lines = iter(text.splitlines(keepends=True))
    tokens = tokenize.generate_tokens(lambda: next(lines, ""))
    comments = {each.start[0]: each.string.lstrip("# ") for each in tokens if each.type == tokenize.COMMENT}
    return found, {line: said for line, said in comments.items() if not said.startswith(("fmt:", "type:", "noqa"))}


# What autodoc asks


def is_value(value: object) -> bool:
    """Tell whether something is a class of values, whose fields are its annotations."""
    from snapdp.values import Value

    return inspect.isclass(value) and issubclass(value, Value) and value is not Value


def fields_of(value: type) -> list[tuple[str, str, str, str]]:
    """Return the fields of a class of values: name, annotation, default as it is written, and the comment beside it."""
    found = {}
    for owner in reversed(value.__mro__):
        if is_value(owner):
            found |= {each[0]: each for each in _fields_in(owner)}
    return [found[name] for name in value._fields if name in found]  # type: ignore[attr-defined]


@cache
def _fields_in(owner: type) -> list[tuple[str, str, str, str]]:
    path = inspect.getsourcefile(owner)
    assert path is not None
    text = Path(path).read_text(encoding="utf-8")
    comments = _written(path)[1]
    node = next(
        each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.ClassDef) and each.name == owner.__name__
    )
    return [
        (
            each.target.id,
            ast.unparse(each.annotation),
            "" if each.value is None else ast.unparse(each.value),
            comments.get(each.lineno, ""),
        )
        for each in node.body
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
    ]


def signature_of(value: object) -> str | None:
    """Return the signature of a class of values that has no constructor of its own; None of anything else."""
    if not is_value(value) or list(inspect.signature(value).parameters) != ["fields"]:  # type: ignore[arg-type]
        return None
    fields = [f"{name}: {kind}{f' = {default}' if default else ''}" for name, kind, default, _ in fields_of(value)]  # type: ignore[arg-type]
    return f"(*, {', '.join(fields)})" if fields else "()"


def docstring_of(value: object, lines: list[str]) -> list[str]:
    """Return a docstring as reStructuredText; below that of a class of values, what the comments of its fields say."""
    found = as_rst(lines)
    if is_value(value):
        told = [(name, said) for name, _, _, said in fields_of(value) if said]  # type: ignore[arg-type]
        found += [line for name, said in told for line in (f"``{name}``", f"    {inline(said)}")]
    return [*found, ""]


@cache
def own_names() -> Counter[str]:
    """Return how often the package defines each name that a signature may use for a class or a type."""
    texts = (path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py"))
    return Counter(name for text in texts for name in _DEFINED.findall(text))


_DEFINED = re.compile(r"^(?:class |type )?([A-Z]\w*[a-z]\w*)(?: = |\(|:)", re.MULTILINE)
_ADDRESS = re.compile(r"<(?:function|built-in function|class) '?([\w.]+)[^>]*>")


def without_addresses(signature: str) -> str:
    """Return a signature whose defaults name functions by their names."""
    return _ADDRESS.sub(r"\1", signature)
