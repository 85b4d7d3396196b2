"""The columns of a table in a conversation: which one an answer means, and whether it fits what it is asked for.

Room: cli. Names are those of the file's first line or schema; what is declared of them stands in `declarations`.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from typing import Any

from snapdp.cli.start.pages import name_of, paragraph, show_names
from snapdp.cli.start.questions import (
    Question,
    listed,
)
from snapdp.errors import ParameterError
from snapdp.studies import BOOLEAN, CATEGORY, DATE, INTEGER, MAGNITUDE, NUMBER, storable
from snapdp.tables import StoredColumn

Declared = dict[str, dict[str, Any]]
CLOSE = 0.6  # likeness of names that are taken for a slip of the pen
FEW_COLUMNS = 20
KINDS_IN_WORDS = {CATEGORY: "categories", BOOLEAN: "yes and no", DATE: "dates", MAGNITUDE: "numbers without bounds"}


class KnownColumns:
    """The columns of a table: those that a file names, or any where no file is opened; and what is declared of them."""

    def __init__(self, stored: Sequence[StoredColumn] | None = None) -> None:
        self.stored, self.declared = stored, Declared()

    @property
    def names(self) -> list[str]:
        return [each.name for each in self.stored or ()]

    def show(self) -> None:
        """Print the names, where they are known; many were shown once and are not shown again."""
        if self.stored is not None and len(self.stored) <= FEW_COLUMNS:
            show_names(self.names)
        elif self.stored is not None:
            paragraph(f"? lists all {len(self.stored)} columns.", indent="  ", first="  ")

    def named(self, text: str) -> str:
        """Return the column that an answer means: its name, or its number in the list."""
        if self.stored is None:
            return storable(text, "the name of a column")
        names = self.names
        numbered = text.isascii() and text.isdigit() and 0 < int(text[:9]) <= len(names)
        found = text if text in names else names[int(text) - 1] if numbered else None
        if found is None:
            raise _no_column(text, names)
        if not found.strip():
            raise ParameterError("this column has no name.", "Name it in the first line of the file, and start again.")
        if names.count(found) > 1:
            raise ParameterError(
                f"the table has several columns named {name_of(found)}.", "Rename one of them in the file."
            )
        return storable(found, "the name of a column")

    def of_numbers(self, text: str) -> str:
        """Return a column that holds, or may hold, numbers."""
        return self._fit(text, (NUMBER,), "numbers")

    def of_groups(self, text: str) -> str:
        """Return a column that rows can be counted by."""
        return self._fit(text, (CATEGORY, BOOLEAN, DATE, NUMBER), "groups")

    def of_sizes(self, text: str) -> str:
        """Return a column of numbers of which no bounds are declared."""
        return self._fit(text, (MAGNITUDE,), "numbers without bounds")

    def groups(self, text: str, about: Sequence[str] = ()) -> list[str]:
        """Return several columns that rows are grouped by, none that a statistic is about; an empty answer is none."""
        names = [self.of_groups(each) for each in listed(text)] if text else []
        if own := set(names).intersection(about):
            raise ParameterError(f"{name_of(own.pop())!r} is what this is about.", "Name another column.")
        if len(set(names)) < len(names):
            raise ParameterError("a column is named twice.", "Name each once, such as region, sex.")
        return names

    def _fit(self, text: str, kinds: Sequence[str], what: str) -> str:
        name = self.named(text)
        kind = self.declared.get(name, {}).get("kind")
        stored = next((each.kind for each in self.stored or () if each.name == name), None)
        said = NUMBER if kind == INTEGER else kind
        if said is not None and said not in kinds:
            told = KINDS_IN_WORDS.get(said, "numbers with bounds")
            raise ParameterError(f'"{name_of(name)}" was said to hold {told}, not {what}.', "Name another column.")
        wanted = NUMBER if MAGNITUDE in kinds else kinds[0]
        if said is None and stored is not None and stored not in (*kinds, wanted):
            raise ParameterError(
                f"the file stores {name_of(name)!r} as {KINDS_IN_WORDS.get(stored, stored)}, not as {what}.",
                "Name another column.",
            )
        return name

    def stored_kind(self, name: str) -> str | None:
        return next((each.kind for each in self.stored or () if each.name == name), None)


def which(
    columns: KnownColumns, *, key: tuple[str, ...], text: str, why: str, check: Callable[[str], Any], **more: Any
) -> Question:
    """Return a question for a column: the names are shown with it.

    why   what the column is for
    """
    every = "  ".join(f"{number} {name_of(name)}" for number, name in enumerate(columns.names, start=1))
    told = f"Type its name as the file has it, or its number. All columns: {every}" if every else "Type its name."
    told = f"{why} {told}"
    hint = more.pop("hint", "A name, or its number." if every else "Its name as the table has it, such as age.")
    return Question(key=key, text=text, hint=hint, check=check, more=told, listing=columns.show, **more)


def _no_column(text: str, names: Sequence[str]) -> ParameterError:
    small = {each.casefold(): each for each in reversed(names) if len(each) <= 200}
    near = difflib.get_close_matches(text[:200].casefold(), small, n=1, cutoff=CLOSE)
    if not near:
        return ParameterError(f'there is no column "{name_of(text)}".', "Type a name or a number of the list.")
    found = small[near[0]]
    return ParameterError(
        f'there is no column "{name_of(text)}".',
        f'Did you mean "{name_of(found)}"? Enter takes it.',
        nearest=found,
        given=text,
    )
