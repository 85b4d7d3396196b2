"""The reference of the Python names: what is public, what the page says of a name, and a map of the modules."""

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

import snapdp
from snapdp_reference.docstrings import as_rst, inline
from snapdp_reference.markdown import plain

SOURCE = Path(str(snapdp.__file__)).parent
PUBLIC = (
    "snapdp",
    "snapdp.lab",
    "snapdp.lab.testing",
    "snapdp.errors",
    "snapdp.lab.claims",
)  # in the order in which names are described
LONGEST_VALUE = 80


@cache
def names_of(module: str) -> list[str]:
    """Return the public names of a module."""
    home = import_module(module)
    listed = getattr(home, "__all__", None) or sorted(_imported(module))
    return [name for name in listed if not inspect.ismodule(getattr(home, name))]


def _imported(module: str) -> dict[str, str]:
    """Return the names that a package imports for its users, with the modules that define them."""
    folder = SOURCE.joinpath(*module.split(".")[1:])
    stub = folder / "__init__.pyi"
    path = stub if stub.exists() else folder / "__init__.py"
    if not path.exists():
        return {}
    nodes = [node for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.ImportFrom)]
    return {alias.asname: str(node.module) for node in nodes for alias in node.names if alias.asname}


def is_function(value: object) -> bool:
    """Tell whether something is a function, also one that keeps its answers (`functools.cache`)."""
    return inspect.isfunction(inspect.unwrap(value)) and not inspect.isclass(value)  # type: ignore[arg-type]


# Pages


def names_page(module: str, *names: str) -> str:
    """Return a block that describes some public names of a module, or all of them."""
    lines = [line for name in names or names_of(module) for line in (*_directive(module, name), "")]
    return "\n".join(["```{eval-rst}", f".. py:currentmodule:: {module}", "", *lines, "```"])


def modules_page() -> str:
    """Return a map of the package: each module with the first sentence of its header."""
    paths = sorted(SOURCE.rglob("*.py"), key=lambda path: (path.parent, path.name))
    folders = {path.parent for path in paths if path.parent != SOURCE}
    parts = []
    for folder in [SOURCE, *sorted(folders)]:
        modules = [path for path in paths if path.parent == folder and path.name not in ("__init__.py", "__main__.py")]
        name = ".".join(("snapdp", *folder.relative_to(SOURCE).parts))
        rows = [f"- `{path.stem}`: {_first_sentence(path)}" for path in modules]
        if rows:
            parts.append(f"## {name}\n\n{_first_sentence(folder / '__init__.py')}\n\n" + "\n".join(rows))
    return "\n\n".join(parts)


def _first_sentence(path: Path) -> str:
    doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return plain(doc.partition("\n\n")[0].replace("\n", " "))


def _directive(module: str, name: str) -> Iterator[str]:
    value = getattr(import_module(module), name)
    if inspect.isclass(value):
        yield from (f".. autoclass:: {module}.{name}", "   :members:")
    elif is_function(value):
        yield f".. autofunction:: {module}.{name}"
    else:
        yield from _constant(name, value, *_comment_of(_imported(module).get(name, module), name))


def _constant(name: str, value: object, written: str, comment: str) -> Iterator[str]:
    yield f".. py:data:: {name}"
    shown = written if 0 < len(written) <= LONGEST_VALUE else repr(value)
    if len(shown) <= LONGEST_VALUE and "\n" not in shown and " at 0x" not in shown:
        yield f"   :value: {shown}"
    yield from ("", f"   {inline(comment) if comment else ''}")


def _comment_of(module: str, name: str) -> tuple[str, str]:
    """Return how a constant is written in its file, and what the comment beside it says."""
    written, comments = _written(str(import_module(module).__file__))
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
