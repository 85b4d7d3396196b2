"""The draft of a conversation: answers as they were typed, in a file, so that it can go on later.

Room: cli. Answers are public: names, bounds, categories, numbers that were declared. Nothing that was read from a row
is ever in it. It is written whole after each answer; one that cannot be read is not overwritten without a question.
What the command line named is kept with the answers, a password left out: they are about this table and this ledger.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from snapdp.cli.start.questions import Key
from snapdp.drafts import draft, finish
from snapdp.errors import DataError

K = TypeVar("K")
VERSION = 1
LARGEST = 10_000_000  # bytes
MOST_ANSWERS = 5_000
LONGEST_ANSWER = 100_000  # characters


class DraftFile:
    """Where the answers about a table are kept, until a release is made of them.

    names   of the columns that the answers speak of, some of them by their numbers
    named   what the command line names now, by its flags
    kept    what it named when the answers were given, where a draft was read
    """

    def __init__(self, path: Path, about: str, named: Mapping[str, str] | None = None) -> None:
        self.path, self._about = path, about
        self.names: list[str] | None = None
        self.named, self.kept = dict(named or {}), dict[str, str]()

    @property
    def exists(self) -> bool:
        return os.path.exists(self.path)

    def read(self) -> dict[Key, str]:
        """Return the answers that are kept; refuse a file that holds none."""
        try:
            values = json.loads(_text(self.path))
            answers, kept = _answers(values, self._about), _texts(values.get("named", {}).items())
            self.names, self.kept = values["columns"], kept
            return answers
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise DataError(
                f"{self.path.name!r} is no draft of answers about {self._about!r}.",
                "Start over, or move it elsewhere first.",
            ) from None

    def write(self, answers: dict[Key, str]) -> None:
        """Write all answers, whole or not at all."""
        said = ",\n".join(f"  {json.dumps([list(key), text])}" for key, text in answers.items())
        head = {"snapdp_start": VERSION, "about": self._about, "named": self.named, "columns": self.names}
        with suppress(OSError):  # where it cannot be made nothing can be written, and that is told
            self.path.parent.mkdir(parents=True, exist_ok=True)
        with draft(self.path.parent, self.path.suffix) as made:  # a pipe of this name is replaced, not written into
            made.write_text(f'{json.dumps(head)[:-1]}, "answers": [\n{said}\n]}}\n', encoding="utf-8")
            finish(made, self.path)

    def remove(self) -> None:
        """Remove it: what was answered is a study now."""
        self.path.unlink(missing_ok=True)


def _text(path: Path) -> str:
    """Return the text of a regular file of some length; a link, a pipe or a device is no draft."""
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW), encoding="utf-8") as opened:
        about = os.fstat(opened.fileno())
        if not stat.S_ISREG(about.st_mode) or about.st_size > LARGEST:
            raise ValueError
        return opened.read(LARGEST)


def _answers(values: Any, about: str) -> dict[Key, str]:
    if values["snapdp_start"] != VERSION or values["about"] != about or len(values["answers"]) > MOST_ANSWERS:
        raise ValueError
    return _texts((tuple(map(str, key)), text) for key, text in values["answers"])


def _texts(pairs: Iterable[tuple[K, Any]]) -> dict[K, str]:
    found = dict(pairs)
    if not all(isinstance(text, str) and len(text) <= LONGEST_ANSWER for text in found.values()):
        raise ValueError
    return found
