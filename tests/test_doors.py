"""Rooms have doors: what crosses from room to room goes through them, and guides use nothing else."""

from __future__ import annotations

import ast
import pydoc
import re
from functools import cache
from importlib import import_module

import pytest

from tests import ROOT
from tests.docs import reference  # noqa: F401, where snapdp_reference lies
from tests.test_architecture import MODULES, SOURCE, dotted_name, every_module, parsed, room_of, tree_of

from snapdp_reference.api import NO_DOOR  # isort: skip

ROOMS = sorted(path.parent.name for path in SOURCE.glob("*/__init__.py"))
WITH_DOOR = [room for room in ROOMS if room not in NO_DOOR]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"])
every_door = pytest.mark.parametrize("room", WITH_DOOR)


@cache
def seen_by_type_checkers(room: str) -> dict[str, str]:
    """Return the names that the door of a room imports for type checkers, and the files they come from."""
    tree = tree_of(SOURCE / room / "__init__.py")
    blocks = [node for node in tree.body if isinstance(node, ast.If)]
    imports = [node for block in blocks for node in block.body if isinstance(node, ast.ImportFrom)]
    return {str(alias.asname): str(node.module) for node in imports for alias in node.names}


def around_doors(tree: ast.AST, module: str) -> list[str]:
    """Return the imports that enter another room by a window: a file of it, or a name its door does not offer."""
    found = []
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        found += [name for name in names if name.startswith("snapdp.") and room_of(name) not in ("", room_of(module))]
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("snapdp."):
            continue
        room = room_of(node.module)
        if room == room_of(module) or room not in WITH_DOOR:
            continue
        offered = seen_by_type_checkers(room) if node.module.count(".") == 1 else {}
        found += [f"{node.module}.{alias.name}" for alias in node.names if alias.name not in offered]
    return found


@every_door
def test_a_door_offers_what_it_says(room):
    door, said = import_module(f"snapdp.{room}"), seen_by_type_checkers(room)
    assert set(dir(door)) == set(said)
    for name, file in said.items():
        assert getattr(door, name) is getattr(import_module(file), name)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        door.nothing  # noqa: B018


@every_door
def test_a_star_and_pydoc_find_what_the_door_offers(room):
    found: dict[str, object] = {}
    exec(f"from snapdp.{room} import *", found)
    offered = set(seen_by_type_checkers(room))
    assert set(found) - {"__builtins__"} == offered
    page = pydoc.plaintext.document(import_module(f"snapdp.{room}"))
    assert all(name in page for name in offered)


@every_door
def test_no_name_of_a_door_is_the_name_of_a_file_behind_it(room):
    """Importing the file would put the module in the place of the name."""
    assert {path.stem for path in (SOURCE / room).iterdir()} & set(seen_by_type_checkers(room)) == set()


@every_module
def test_imports_across_rooms_go_through_doors(path):
    if dotted_name(path) != "snapdp":
        assert around_doors(tree_of(path), dotted_name(path)) == []


@pytest.mark.parametrize(
    "line",
    [
        "from snapdp.exact.numbers import positive",
        "from snapdp.exact import numbers",
        "from snapdp.exact import _anything",
        "import snapdp.exact.numbers",
        "def f():\n    from snapdp.mechanism.law.law import Law",
    ],
)
def test_a_window_is_seen(line):
    assert around_doors(parsed(line), "snapdp.studies.plan")


def test_a_door_is_no_window():
    assert (
        around_doors(parsed("from snapdp.exact import positive\nfrom snapdp import Snapping"), "snapdp.cli.app") == []
    )
    assert around_doors(parsed("from snapdp.exact.numbers import positive"), "snapdp.exact.dyadic") == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_guides_import_from_the_package_or_a_door(path):
    text = path.read_text(encoding="utf-8")
    asked = re.findall(r"^(?:>>> )?\s*(?:from|import) (snapdp(?:\.\w+)*)", text, flags=re.MULTILINE)
    assert [
        name
        for name in asked
        if name.count(".") > 1 or (room_of(name) and room_of(name) not in [*WITH_DOOR, "errors", "values", "published"])
    ] == []


def test_every_room_with_a_door_is_tried():
    assert {"exact", "studies", "tables", "verifier", "release", "audits"} <= set(WITH_DOOR)
    assert len(MODULES) > 100
