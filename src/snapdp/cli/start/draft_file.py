"""The draft of a conversation: answers as they were typed, in a file, so that it can go on later.

Room: cli. Answers are public: names, bounds, categories, numbers that were declared. Nothing that was read from a row
is ever in it. It is written whole after each answer; one that cannot be read is not overwritten without a question.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from snapdp.cli.start.questions import Key
from snapdp.drafts import write_text
from snapdp.errors import DataError

VERSION = 1
LARGEST = 10_000_000  # bytes


class DraftFile:
    """Where the answers about a table are kept, until a release is made of them.

    names     of the columns that the answers speak of, some of them by their numbers
    reading   the flags that say how the file is read, by their names
    """

    def __init__(self, path: Path, about: str) -> None:
        self.path, self._about = path, about
        self.names: list[str] | None = None
        self.reading: dict[str, str] = {}

    @property
    def exists(self) -> bool:
        return os.path.exists(self.path)

    def read(self) -> dict[Key, str]:
        """Return the answers that are kept; refuse a file that holds none."""
        try:
            if os.path.getsize(self.path) > LARGEST:
                raise ValueError
            values = json.loads(self.path.read_text(encoding="utf-8"))
            answers, reading = _answers(values, self._about), _texts(values.get("reading", {}))
            self.names, self.reading = values["columns"], reading
            return answers
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            raise DataError(
                f"{self.path.name!r} is no draft of answers about {self._about!r}.",
                "Start over, or move it elsewhere first.",
            ) from None

    def write(self, answers: dict[Key, str]) -> None:
        """Write all answers, whole or not at all."""
        said = ",\n".join(f"  {json.dumps([list(key), text])}" for key, text in answers.items())
        reading = {"reading": self.reading} if self.reading else {}
        head = {"snapdp_start": VERSION, "about": self._about, "columns": self.names, **reading}
        with suppress(OSError):  # where it cannot be made nothing can be written, and that is told
            self.path.parent.mkdir(parents=True, exist_ok=True)
        write_text(f'{json.dumps(head)[:-1]}, "answers": [\n{said}\n]}}\n', self.path)

    def remove(self) -> None:
        """Remove it: what was answered is a study now."""
        self.path.unlink(missing_ok=True)


def _answers(values: Any, about: str) -> dict[Key, str]:
    if values["snapdp_start"] != VERSION or values["about"] != about:
        raise ValueError
    found = {tuple(map(str, key)): text for key, text in values["answers"]}
    if not all(isinstance(text, str) for text in found.values()):
        raise ValueError
    return found


def _texts(values: Any) -> dict[str, str]:
    if not isinstance(values, dict) or not all(isinstance(each, str) for each in values.values()):
        raise ValueError
    return values
