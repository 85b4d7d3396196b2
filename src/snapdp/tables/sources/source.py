"""A source: a table that can be opened on a connection and recognised again, and the paths of tables.

Nothing is opened here. Each kind of source has a file in this package; those of servers and clusters are next to their
engines, and `opening` says which one some data are. A row of a file that is read twice would count twice, so two paths
to one file (the same name, a link, a pattern that meets a folder) are refused on every engine.
"""

from __future__ import annotations

import glob
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from snapdp.errors import DataError, ParameterError
from snapdp.studies.columns import Column
from snapdp.studies.csv_dialect import CsvDialect
from snapdp.tables.sql.dialects import literal
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


# Paths

PLAIN_CSV = (".csv", ".tsv", ".txt")
CSV_ENDINGS = (".csv", ".csv.gz", ".tsv", ".txt")
PARQUETS = (".parquet", ".pq")
# Engines take a file for a compressed one by such an ending, some in small letters only.
PACKED = (".gz", ".gzip", ".bz2", ".zip", ".zst", ".zstd", ".xz", ".lzma", ".lz4", ".lzo", ".snappy", ".deflate", ".br")


_EXCEL = "In Excel choose File, Save As, and the type CSV UTF-8 (Comma delimited)."
_SPSS = "In SPSS choose File, Save As, and the type Comma delimited (*.csv), with variable names in the first row."
_SAS = "In SAS run: proc export data=people outfile='people.csv' dbms=csv; run;"
_R = "In R run: write.csv(people, 'people.csv', row.names = FALSE, na = '')."
OTHER_PROGRAMS = {  # files of other programs: what they are, and how to save them as CSV there
    **dict.fromkeys((".xlsx", ".xls", ".xlsm", ".xlsb"), ("an Excel workbook", _EXCEL)),
    ".ods": (
        "a LibreOffice spreadsheet",
        "In LibreOffice Calc choose File, Save As, and the type Text CSV with the character set UTF-8.",
    ),
    ".numbers": ("a Numbers spreadsheet", "In Numbers choose File, Export To, CSV, with the encoding UTF-8."),
    ".dta": ("a Stata file", "In Stata run: export delimited using people.csv, nolabel."),
    **dict.fromkeys((".sav", ".zsav", ".por"), ("an SPSS file", _SPSS)),
    **dict.fromkeys((".sas7bdat", ".xpt"), ("a SAS file", _SAS)),
    **dict.fromkeys((".rds", ".rdata", ".rda"), ("an R file", _R)),
}


def refuse_unread(name: str) -> None:
    """Refuse a file of a program whose format is not read; say how that program saves it as CSV."""
    found = OTHER_PROGRAMS.get(os.path.splitext(name.lower())[1])
    if found is not None:
        what, how = found
        raise DataError(f"{name!r} is {what}, which is not read here.", how)


def is_csv_name(name: str) -> bool:
    """Tell whether a file is a CSV file by its name; refuse a compressed text that not every engine would unpack.

    >>> is_csv_name("people.CSV"), is_csv_name("people.csv.gz"), is_csv_name("people.parquet")
    (True, True, False)
    """
    small = name.lower()
    packed = next((each for each in PACKED if small.endswith(each)), "")
    if packed and (small.removesuffix(packed).endswith(PLAIN_CSV)) and not name.endswith(".csv.gz"):
        raise DataError(
            f"{name!r} is a compressed text that engines read differently.",
            "Write it as .csv.gz, in small letters, or unpack it.",
        )
    return small.endswith(CSV_ENDINGS)


def refuse_directory(path: str | Path) -> None:
    """Refuse a directory, whatever its name ends with: which of its files are the table, its user says."""
    if os.path.isdir(path):
        pattern = os.path.join(glob.escape(str(path)), "*.parquet")
        raise DataError(
            f"{str(path)!r} is a directory.",
            f"Name a file in it, or all of its Parquet files by a pattern in quotes: {pattern!r}.",
        )


def existing(path: str | Path) -> Path:
    """Return the path of a file that is there."""
    found = Path(path)
    refuse_directory(found)
    if not os.path.isfile(found):  # unlike the method of a path it never raises
        raise DataError(f"there is no file {str(path)!r}.", "Check the path.")
    return found.absolute()


def matching(path: str | Path) -> list[Path]:
    """Return the files of a path or a pattern, in the order of their names."""
    if os.path.exists(path) or not glob.has_magic(str(path)):
        return [existing(path)]
    matches = sorted(glob.glob(str(path), recursive=True))
    found = [each for each in matches if os.path.isfile(each)]
    for each in matches:  # a pattern reads files; a table that other programs keep in a directory is not left out
        if each.lower().endswith(PARQUETS) and os.path.isdir(each):
            inside = os.path.join(each, "")
            if not any(file.startswith(inside) for file in found):
                refuse_directory(each)
    if not found:
        raise DataError(f"no file matches {str(path)!r}.", "Check the pattern.")
    return [Path(each).absolute() for each in found]


def each_once(paths: Iterable[str | Path]) -> None:
    """Refuse two paths to one file, by name, by a symbolic link or by a hard link."""
    seen: dict[object, str] = {}
    for path in map(str, paths):
        try:
            found = os.stat(path)
            same: object = (found.st_dev, found.st_ino)
        except (OSError, ValueError):  # in a store that is not here: the name decides
            same = path
        if same in seen:
            raise DataError(
                f"{os.path.basename(seen[same])!r} and {os.path.basename(path)!r} are one file, named twice.",
                "Name each file once: its rows would count twice.",
            )
        seen[same] = path


def refuse_twins(names: Iterable[str], declared: Iterable[str]) -> None:
    """Refuse Parquet columns whose names differ from a declared one in capitals only: engines confuse them."""
    small = {each.lower(): each for each in declared} | {each.upper(): each for each in declared}
    for name in names:
        meant = small.get(name.lower()) or small.get(name.upper())
        if meant is not None and meant != name:
            raise DataError(
                f"the Parquet files have a column {name!r} beside the declared {meant!r}.",
                "Engines take names that differ in capitals only for one another: rename one of them.",
            )


def several_schemas() -> DataError:
    """Return the refusal of Parquet files that do not agree on the declared columns."""
    return DataError(
        "the Parquet files do not store the declared columns in the same types.",
        "Write them with one schema; a table is one set of typed columns.",
    )


def path_literal(path: Path) -> str:
    """Return a path that engines read as itself, also where its name looks like a pattern."""
    return literal("".join(f"[{each}]" if each in "*?[" else each for each in str(path)))


def changed_file() -> DataError:
    """Return the refusal of a file that another program writes, replaces or removes while it is read."""
    return DataError("the file changed while it was being read.", "Try again when no other program writes to it.")


def stat_of(paths: Sequence[Path]) -> object:
    """Return what changes when a file does; None for one that is not there."""
    states: list[object] = []
    for path in paths:
        try:
            found = path.stat()
            states.append((found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns))
        except OSError:
            states.append(None)
    return states
