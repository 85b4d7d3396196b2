"""CONTRIBUTING.md is true: its rooms are those of the package, its paths and programs exist."""

from __future__ import annotations

import re

from tests import ROOT
from tests.test_architecture import SOURCE

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
NAMED = re.compile(r"`([\w/.]+/[\w.]+\.(?:py|md|toml))(?::[\w.]+)?`")


def test_every_room_has_its_sentence():
    rooms = {path.stem for path in SOURCE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    told = re.findall(r"^- `(\w+)`: \w.*", PAGE.split("\n## The house\n")[1].split("\n## ")[0], re.MULTILINE)
    assert sorted(told) == sorted(rooms - {"__init__", "__main__"})


def test_every_file_that_is_named_exists():
    places = (ROOT, SOURCE, SOURCE.parent)
    assert [file for file in NAMED.findall(PAGE) if not any((place / file).is_file() for place in places)] == []


def test_every_program_is_named():
    programs = {f"bin/{path.name}" for path in (ROOT / "bin").iterdir() if path.is_file()}
    assert [name for name in sorted(programs) if not re.search(rf"\b{name}(?![\w-])", PAGE)] == []
