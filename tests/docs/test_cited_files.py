"""Nothing here cites a file that is not here: pages in their prose, modules in docstrings and comments."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from functools import cache
from pathlib import Path

import pytest

from tests import ROOT

FOLDERS = ("docs", "src", "tests", "benchmarks", "bin")
PEERS = ".peers"  # environments of other libraries, which benchmarks and long tests make
NAMED = re.compile(r"(?<![\w/.{<-])((?:[\w-]+/|\.\./)*[\w-]+\.(?:md|py|imp))(?![\w(])")
CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
MODULES = sorted(path for folder in FOLDERS[1:4] for path in (ROOT / folder).rglob("*.py") if PEERS not in path.parts)
EXAMPLES = {"mine.imp", "mine.py", "FILE.py"}  # what a reader would write
FOREIGN = {"cc_snap.py"}  # programs of others, which are judged here


@cache
def here() -> frozenset[str]:
    """Return every file of the project and every end of its path: check_program.py, audits/check_program.py, ..."""
    files = [
        path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file() and PEERS not in path.parts
    ]
    parts = [path.relative_to(ROOT).parts for path in [*files, *(each for each in ROOT.iterdir() if each.is_file())]]
    return frozenset("/".join(each[start:]) for each in parts for start in range(len(each)))


def absent(text: str) -> list[str]:
    """Return the files that a text names and that are not there."""
    return sorted({name for name in NAMED.findall(text) if name.lstrip("./") not in here()} - EXAMPLES - FOREIGN)


def spoken(source: str) -> str:
    """Return what a module says to its reader: docstrings and comments."""
    tree = ast.parse(source)
    owners = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = [ast.get_docstring(node) or "" for node in ast.walk(tree) if isinstance(node, owners)]
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return "\n".join([*docstrings, *(each.string for each in tokens if each.type == tokenize.COMMENT)])


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_page_names_files_that_are_there(page):
    assert absent(CODE.sub("", page.read_text(encoding="utf-8"))) == []


def test_modules_name_files_that_are_there():
    texts: dict[Path, str] = {path: path.read_text(encoding="utf-8") for path in MODULES}
    suspects = {path: text for path, text in texts.items() if absent(text)}  # taking a module apart takes longer
    found = {str(path.relative_to(ROOT)): absent(spoken(text)) for path, text in suspects.items()}
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("see docs/theory/planning.md, planning.md and [it](../theory/planning.md)", []),
        ("tests/unit/exact/test_dyadic.py; `exact/dyadic.py:nearest_index`", []),
        ("docs/theory/elsewhere.md", ["docs/theory/elsewhere.md"]),
        ("the table of ELSEWHERE.md, section 7", ["ELSEWHERE.md"]),
        ("`nowhere/module.py:function`", ["nowhere/module.py"]),
        ("[a page](elsewhere.md)", ["elsewhere.md"]),
    ],
)
def test_a_file_that_is_not_there_is_found(text, names):
    assert absent(text) == names


def test_docstrings_and_comments_are_read_and_strings_are_not():
    source = '"""Header a.md."""\n\ndef f():\n    """Says b.md."""\n    return "c.md"  # d.md\n'
    assert absent(spoken(source)) == ["a.md", "b.md", "d.md"]
