"""A look at how the cells are read, within a conversation: shown to whoever answers, and not offered twice.

Room: cli. Of a look it is kept what was declared, never what was seen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from snapdp.cli.screen import is_conversation, watch
from snapdp.cli.start.pages import name_of, paragraph
from snapdp.cli.start.place import Place
from snapdp.cli.start.questions import Key
from snapdp.cli.start.table_file import Opened
from snapdp.errors import ParameterError

if TYPE_CHECKING:
    from snapdp.api.outline import Outline
    from snapdp.tables import Look

FOR_YOU = (
    "This is for you alone, and not public: change no bound or category because of it. One that was mistyped may be "
    "put right: to what was known before."
)


class Looking:
    """The looks of one conversation.

    place_of   returns the number of a question in the list of `change`
    """

    def __init__(self, place_of: Callable[[Key], int | None]) -> None:
        self._place_of, self._seen = place_of, ""

    def is_new(self, outline: Outline, opened: Opened) -> bool:
        """Tell whether this was not looked at last: other statistics of the same columns read the same cells."""
        return self._seen != _about(outline, opened)

    def show(self, outline: Outline, opened: Opened, place: Place) -> None:
        """Show how the cells are read, to whoever answers; not where it would go into a file."""
        from snapdp.api.study import study
        from snapdp.cli.inspect import show_look
        from snapdp.tables import open_table

        if not is_conversation():
            raise ParameterError("a look is shown on a terminal only: it is not to be kept.", "Choose something else.")
        table = open_table(str(place.data), table=opened.table, dialect=opened.dialect)
        found = study(outline.values()).inspect(table, watch=watch)
        show_look(found, to_stderr=True)
        self._say_what_to_change(found)
        paragraph(FOR_YOU)
        self._seen = _about(outline, opened)

    def _say_what_to_change(self, look: Look) -> None:
        for name in look.neither:
            if (number := self._place_of(("column", name, "holds"))) is not None:
                paragraph(
                    f"If {name_of(name)} holds other words: type change, then {number}, then categories, and the words."
                )


def _about(outline: Outline, opened: Opened) -> str:
    """Return all that decides how cells are read."""
    return repr((outline.columns, outline.relation.get("person"), opened.csv, opened.table))
