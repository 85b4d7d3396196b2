"""What a source is: a table that can be opened on a connection, and recognised again.

Room: tables. Opens nothing itself. Each kind of source has a file here, those of servers and clusters stand with their
engines; `opening` says which one some data are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from snapdp.errors import ParameterError
from snapdp.studies import Column, CsvDialect
from snapdp.tables.sql.stored import Rows


class Source(ABC):
    """A table that can be opened on a connection, as often as needed.

    dialect   how its CSV files are written; None for any other table
    """

    dialect: CsvDialect | None = None

    def prepare(self, connection: Any) -> int | None:  # noqa: ARG002
        """Refuse a table that is not well formed. Called before statements run, never to show what would run.

        Returns how many rows it has, where the source counts them itself: the engine must read as many.
        """
        return None

    @abstractmethod
    def open(self, connection: Any, columns: Sequence[Column]) -> Rows:
        """Return the table as statements see it, with at least the columns asked for.

        What is returned depends on names, stored types and declarations alone: people read it.
        """

    def undeclared(self) -> dict[str, str]:
        """Return what the first line of a CSV file shows, and nobody has declared: what stands between its cells."""
        return {}

    def state(self) -> object:
        """Return something that changes when the files behind the table do."""
        return None

    @abstractmethod
    def fingerprint(self) -> bytes:
        """Return a digest of the content, to recognise the same data again. It never leaves the ledger unkeyed."""


def no_dialect(name: str = "") -> ParameterError:
    """Return the refusal of a dialect for what is no CSV file: nothing that is declared may go unread."""
    what = f"{name!r} is no CSV file and has" if name else "tables that are no CSV files have"
    return ParameterError(f"{what} no dialect.", "Leave the dialect out: delimiter, signs, encoding and null texts.")
