"""The steps of a team ledger's schema: numbered SQL files. The database records which ones it has, by their digests."""

from __future__ import annotations

import hashlib
import re
from importlib import resources

_FUNCTION = re.compile(r"CREATE FUNCTION snapdp\.(\w+).*?\$\$(.*?)\$\$", re.DOTALL)
_TRIGGER = re.compile(r"CREATE TRIGGER (\w+) .*? ON snapdp\.(\w+)")


class Migration:
    """One step: its number and name, from the name of its file, and its text."""

    def __init__(self, file: str, text: str) -> None:
        self.text = text
        self.row = (int(file[:4]), file[5:].removesuffix(".sql"), hashlib.sha256(text.encode()).hexdigest())


def migrations() -> list[Migration]:
    """Return all steps, oldest first."""
    files = {each.name: each for each in resources.files(__name__).iterdir() if each.name.endswith(".sql")}
    return [Migration(name, files[name].read_text(encoding="utf-8")) for name in sorted(files)]


def functions(steps: list[Migration]) -> dict[str, str]:
    """Return the functions that steps make, by name: what the server keeps as their source."""
    return {name: body for step in steps for name, body in _FUNCTION.findall(step.text)}


def triggers(steps: list[Migration]) -> list[tuple[str, str]]:
    """Return the triggers that steps make, and their tables, sorted."""
    return sorted(pair for step in steps for pair in _TRIGGER.findall(step.text))
