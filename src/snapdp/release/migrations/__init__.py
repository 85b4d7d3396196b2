"""The steps of a team ledger's schema: numbered SQL files. The database records which ones it has, by their digests."""

from __future__ import annotations

import hashlib
from importlib import resources


class Migration:
    """One step: its number and name, from the name of its file, and its text."""

    def __init__(self, file: str, text: str) -> None:
        self.text = text
        self.row = (int(file[:4]), file[5:].removesuffix(".sql"), hashlib.sha256(text.encode()).hexdigest())


def migrations() -> list[Migration]:
    """Return all steps, oldest first."""
    files = {each.name: each for each in resources.files(__name__).iterdir() if each.name.endswith(".sql")}
    return [Migration(name, files[name].read_text(encoding="utf-8")) for name in sorted(files)]
