"""Where things of a conversation are: the table, the ledger, and the files of a release, of which none is overwritten.

Room: cli.
"""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import count
from pathlib import Path

from snapdp.display import is_address
from snapdp.values import Value

STUDY = "study.toml"


class Place(Value):
    """Where things are: the table, the ledger, and where the files of the release go, unless that is to be chosen.

    study      the name of the study file there, which nothing had when the conversation began
    is_named   somebody named the ledger
    """

    data: Path
    ledger: str
    stem: str
    directory: Path | None = None
    study: str = STUDY
    is_named: bool = False

    @property
    def has_ledger(self) -> bool:
        """Tell whether the ledger is there; of an address only its server knows."""
        return is_address(self.ledger) or os.path.exists(self.ledger)

    def made_directory(self) -> Path:
        """Make the directory that was asked for, or a new one beside the table, which nobody else can have made."""
        if self.directory is not None:
            self.directory.mkdir(parents=True, exist_ok=True)
            return self.directory
        for number in count(1):
            found = self.data.parent / (f"{self.stem}-release" + (f"-{number}" if number > 1 else ""))
            with suppress(FileExistsError):
                found.mkdir()
                return found
        raise AssertionError


def unused_study(directory: Path) -> str:
    """Return a name for a study file that nothing in a directory has."""
    names = (STUDY, *(f"study-{number}.toml" for number in range(2, 1000)))
    return next((name for name in names if not os.path.lexists(directory / name)), STUDY)
