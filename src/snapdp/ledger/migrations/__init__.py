"""The steps of a ledger's schema, numbered SQL files: those of a file in `sqlite`, those of a team's in `postgres`.

Room: ledger. Opens nothing. A step that was published never changes: databases record it by its digest, and verify
compares theirs with what the steps make. Step N of `sqlite` makes format N. A database on a server records its steps in
a table; a file needs none, its format says which ones it has.
"""

from __future__ import annotations

import hashlib
from importlib import resources

from snapdp.ledger.storage.storage import UnavailableError


class Migration:
    """One step: its number and name, from the name of its file, and its text."""

    def __init__(self, file: str, text: str) -> None:
        self.text = text
        self.row = (int(file[:4]), file[5:].removesuffix(".sql"), hashlib.sha256(text.encode()).hexdigest())

    @property
    def number(self) -> int:
        return self.row[0]


def migrations(store: str) -> list[Migration]:
    """Return all steps of a store, "sqlite" or "postgres", oldest first."""
    try:
        folder = resources.files(__name__) / store
        files = {each.name: each for each in folder.iterdir() if each.name.endswith(".sql")}
        return [Migration(name, files[name].read_text(encoding="utf-8")) for name in sorted(files)]
    except OSError:
        failure = UnavailableError(
            "the steps that make the tables of a ledger cannot be read.",
            "They are files of this library: is it installed whole, and has this process too many files open? "
            "Nothing was spent.",
        )
    raise failure
