"""What a source is: a table that can be opened on a connection, and recognised again.

Room: tables. Opens nothing itself. `sources` has files and frames, `csv` CSV files, the engines their own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from snapdp.studies import Column, CsvDialect
from snapdp.tables.sql.generator import Rows


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

    def state(self) -> object:
        """Return something that changes when the files behind the table do."""
        return None

    @abstractmethod
    def fingerprint(self) -> bytes:
        """Return a digest of the content, to recognise the same data again. It never leaves the ledger unkeyed."""
