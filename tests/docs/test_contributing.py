"""CONTRIBUTING.md is true: its rooms are those of the package, its paths exist, its walks go through real functions."""

from __future__ import annotations

import ast
import re
from itertools import groupby

import pytest

from tests import ROOT
from tests.test_architecture import LEVELS, SOURCE, tree_of

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
ROOMS = {path.stem for path in SOURCE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
SENTENCE = re.compile(r"^- `(\w+)`: \w.*", re.MULTILINE)
STEP = re.compile(r"^(\d+)\. `([\w/]+\.py):([\w.]+)` \w", re.MULTILINE)
NAMED = re.compile(r"`([\w/.]+/[\w.]+\.(?:py|md|toml))(?::([\w.]+))?`")
MOST_STEPS = 12
VISITED_AGAIN = {"release"}  # where table, ledger and bits meet


def section(title: str) -> str:
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def walks() -> list[list[tuple[str, str, str]]]:
    """Return the steps of each walk: number, file and function."""
    found: list[list[tuple[str, str, str]]] = []
    for step in STEP.findall(section("Four walks")):
        if step[0] == "1":
            found.append([])
        found[-1].append(step)
    return found


every_walk = pytest.mark.parametrize("walk", walks(), ids=lambda walk: walk[0][2])


def functions_of(tree: ast.AST, prefix: str = "") -> set[str]:
    """Return the functions and methods that a module defines, methods with the names of their classes."""
    found = set()
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            found |= functions_of(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.FunctionDef):
            found.add(prefix + node.name)
    return found


def visits(walk: list[tuple[str, str, str]]) -> list[str]:
    """Return the rooms that a walk visits, in order; steps inside one room are one visit."""
    return [room for room, _ in groupby(file.split("/")[0] for _, file, _ in walk)]


def test_every_room_has_its_sentence_and_they_stand_in_the_order_of_the_levels():
    told = SENTENCE.findall(section("The house"))
    assert set(told) == ROOMS - {"__init__", "__main__"}
    assert len(told) == len(set(told))
    levels = [LEVELS[room] for room in told]
    assert levels == sorted(levels)


def test_every_file_that_is_named_exists():
    named = NAMED.findall(PAGE)
    assert len(named) > 50
    places = (ROOT, SOURCE, SOURCE.parent)
    assert [file for file, _ in named if not any((place / file).is_file() for place in places)] == []


def test_every_program_and_every_folder_of_tests_is_named():
    programs = {f"bin/{path.name}" for path in (ROOT / "bin").iterdir() if path.is_file()}
    assert [name for name in sorted(programs) if not re.search(rf"\b{name}(?![\w-])", PAGE)] == []
    folders = {path.parent.name for path in (ROOT / "tests").glob("*/*") if path.parent.name != "__pycache__"}
    told = re.findall(r"^- `tests/(\w+)`", section("Where a new test goes"), re.MULTILINE)
    assert sorted(told) == sorted(folders)


def test_every_function_that_is_named_exists():
    named = [(file, function) for file, function in NAMED.findall(PAGE) if function]
    assert len(named) >= sum(len(walk) for walk in walks())
    assert [(file, f) for file, f in named if f not in functions_of(tree_of(SOURCE / file))] == []


def test_there_are_four_walks():
    assert [walk[0][1].split("/")[0] for walk in walks()] == ["api", "cli", "cli", "api"]


@every_walk
def test_a_walk_is_short(walk):
    assert [int(number) for number, _, _ in walk] == list(range(1, len(walk) + 1))
    assert 5 <= len(walk) <= MOST_STEPS


@every_walk
def test_no_walk_comes_to_a_room_twice(walk):
    rooms = [room for room in visits(walk) if room not in VISITED_AGAIN]
    assert len(rooms) == len(set(rooms))


def test_a_function_that_is_not_there_and_a_second_visit_would_be_found():
    assert functions_of(ast.parse("class A:\n    def f(self): ...\ndef g(): ...")) == {"A.f", "g"}
    steps = [("1", "api/a.py", "f"), ("2", "api/b.py", "f"), ("3", "exact/a.py", "f"), ("4", "api/a.py", "g")]
    assert visits(steps) == ["api", "exact", "api"]
