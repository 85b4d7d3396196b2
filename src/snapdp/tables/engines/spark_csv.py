"""CSV files on Spark: lines are judged and cut into cells by expressions, in the cluster, by the one definition.

Takes a reader and paths. Spark's own CSV reader is not used: it splits quoted cells at their line ends,
replaces bytes that are not UTF-8, and skips lines of blanks. Here files are read as lines of bytes, split at the line
end that a header has. One scan judges every line and counts per file; only sums reach the driver:

    a line   text without NUL, CR and LF; cells as in `csv_form`, as many as the header has, more of them missing
    a file   its first line is the header; its lines and line ends together have as many bytes as the file

A quoted line end splits a cell into two lines of which neither is well formed, so such files are refused here, and read
by DuckDB. The rows are then all lines without one copy of the header for each file: equal lines are the same
row, wherever they stand.
Theory: docs/theory/exact-sums.md, (11).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from snapdp.errors import DataError
from snapdp.studies.csv_dialect import ENCODINGS, CsvDialect
from snapdp.tables.sources.csv_form import BOM, ROW_BYTES, NotWellFormed, header
from snapdp.tables.sql.dialects import SPARK
from snapdp.values import Value

_NO_TEXT, _NO_LATIN = rb"[\x00\x0a\x0d]", rb"[\x{80}-\x{9f}]"
ADVICE = (
    "Each line needs as many cells as the header, in UTF-8 or the encoding that is declared, with quotes in place and "
    "one kind of line end; on Spark no cell holds a line end."
)


class Headed(Value):
    """What the first line of the first file says: the line itself, the names in it, the line end behind it."""

    line: bytes
    names: tuple[str, ...]
    end: str


def headed(reader: Any, path: str, dialect: CsvDialect) -> Headed:
    """Return the header of a file: public, the same in all files."""
    lines = reader.option("lineSep", "\n").text(path).where("_metadata.file_block_start = 0")  # of a file's first piece
    most = len(BOM) + ROW_BYTES + 2  # a file without LF is one line, and stays where it is
    found = lines.selectExpr(f"substr(CAST(value AS BINARY), 1, {most}) AS line").head(1)
    start = bytes(found[0].line) if found else b""
    line, returned, more = start.partition(b"\r")
    end = "\n" if not returned else "\r" if more or len(start) == most else "\r\n"
    mark = BOM if dialect.encoding == "utf-8" else b""  # Spark took one mark away: another one is part of a name
    try:
        names = header(mark + line, dialect)
        return Headed(line=line, names=tuple(names), end=end)
    except NotWellFormed:
        pass
    encoding = ENCODINGS[dialect.encoding]
    raise DataError(f"line 1 of the CSV files is no header of column names in {encoding}.", ADVICE)


class CsvLines:
    """The lines of CSV files of one header, as Spark reads them."""

    def __init__(self, reader: Any, paths: Sequence[str], dialect: CsvDialect, first: Headed) -> None:
        self._reader, self.paths, self.dialect, self.first = reader, list(paths), dialect, first
        self._quote, self._cut = _code(dialect.quote), _code(dialect.separator)
        # Spark reads lines as bytes; what they say is text in the declared encoding.
        self._line = "value" if dialect.encoding == "utf-8" else "decode(CAST(value AS BINARY), 'ISO-8859-1')"

    def summary(self) -> Any:
        """Return one line for each file: path, how many lines break a rule, copies of the header, what else is so."""
        read = self._lines().selectExpr(
            "value",
            f"{self._is_header()} AS headed",
            "_metadata.file_path AS path",
            "_metadata.file_size AS size",
            "_metadata.file_block_start AS start",
            "monotonically_increasing_id() AS place",  # in the order of the lines, inside a piece of a file
        )
        width = len(self.first.end)
        missed = "MAX(size) - SUM(octet_length(value)) - "  # bytes of line ends, and of a byte order mark
        fits = " OR ".join(
            f"{missed}{mark} = {width} * (COUNT(*) - {unended})" for mark in self._marks() for unended in (0, 1)
        )
        return read.groupBy("path").agg(
            _expression(f"COUNT_IF(NOT COALESCE(headed OR {self._is_row()}, FALSE))").alias("broken"),
            _expression("COUNT_IF(headed)").alias("headers"),
            _expression("COALESCE(MIN_BY(headed, IF(start = 0, place, NULL)), FALSE)").alias("starts"),
            _expression(f"endswith(path, '.gz') OR {fits}").alias("whole"),
        )

    def check(self, files: int) -> int:
        """Refuse files that are not well formed; return how many rows look like the header."""
        ((seen, broken, headers, others, torn),) = (
            self.summary()
            .selectExpr("COUNT(*)", "SUM(broken)", "SUM(headers)", "COUNT_IF(NOT starts)", "COUNT_IF(NOT whole)")
            .collect()
        )
        if seen != files or others:
            raise DataError("the CSV files do not all start with one header.", "Write each with the same first line.")
        if broken or torn:
            raise DataError("a line of the CSV files is not well formed.", ADVICE)
        return int(headers) - files

    def frame(self, like_header: int) -> Any:
        """Return the rows of files that were checked: cells as text, missing ones as NULL, under the header's names."""
        lines = self._lines().where(f"NOT {self._is_header()}").select("value")
        if like_header:
            again = lines.sparkSession.range(like_header).selectExpr(f"{_text(self.first.line)} AS value")
            lines = lines.union(again)
        if len(self.first.names) > 1 or "" not in self.dialect.nulls:
            lines = lines.where("octet_length(value) > 0")
        cells = lines.selectExpr(f"{self._cells()} AS cells")
        return cells.selectExpr(*(self._cell(i) for i in range(len(self.first.names)))).toDF(*self.first.names)

    def _marks(self) -> tuple[int, ...]:
        """Return how many bytes of a byte order mark a file may have, which Spark takes away without a word."""
        return (0, len(BOM)) if self.dialect.encoding == "utf-8" else (0,)

    def _lines(self) -> Any:
        return self._reader.option("lineSep", self.first.end).text(self.paths)

    def _is_header(self) -> str:
        return f"CAST(value AS BINARY) = X'{self.first.line.hex()}'"

    def _is_row(self) -> str:
        pattern = (
            f"\\A(?:{self._cell_pattern()}{self._cut}){{{len(self.first.names)}}}+(?:{self._null()}{self._cut})*+\\z"
        )
        utf8 = self.dialect.encoding == "utf-8"
        rules = [
            "is_valid_utf8(value)" if utf8 else f"NOT {self._line} RLIKE {_text(_NO_LATIN)}",
            f"octet_length(value) <= {ROW_BYTES}",
            f"NOT {self._line} RLIKE {_text(_NO_TEXT)}",
            f"(octet_length(value) = 0 OR {self._ended()} RLIKE {_text(pattern.encode())})",
        ]
        return f"({' AND '.join(rules)})"

    def _cell_pattern(self) -> str:
        """Return what a cell looks like; without turning back, so that a long line costs its length and no stack."""
        q = self._quote
        return f"(?:{q}[^{q}]*+(?:{q}{q}[^{q}]*+)*+{q}|[^{q}{self._cut}]*+)"

    def _null(self) -> str:
        """Return what missing cells look like."""
        return f"(?:{'|'.join(''.join(map(_code, each)) for each in self.dialect.nulls)})"

    def _ended(self) -> str:
        return f"concat({self._line}, {_text(self.dialect.separator.encode())})"

    def _cells(self) -> str:
        """Return a line as an array of cells, as they are written."""
        pattern = f"({self._cell_pattern()}){self._cut}"
        plain = f"split({self._line}, {_text(_split_pattern(self.dialect.separator))})"
        quoted = f"regexp_extract_all({self._ended()}, {_text(pattern.encode())}, 1)"
        return f"CASE WHEN instr({self._line}, {_text(self.dialect.quote.encode())}) = 0 THEN {plain} ELSE {quoted} END"

    def _cell(self, place: int) -> str:
        raw, quote = f"try_element_at(cells, {place + 1})", self.dialect.quote.encode()
        inside = f"substr({raw}, 2, length({raw}) - 2)"
        nulls = ", ".join(_text(each.encode()) for each in self.dialect.nulls)
        return (
            f"CASE WHEN {raw} IN ({nulls}) THEN NULL "
            f"WHEN startswith({raw}, {_text(quote)}) THEN replace({inside}, {_text(quote * 2)}, {_text(quote)}) "
            f"ELSE {raw} END"
        )


def _text(content: bytes) -> str:
    """Return text as a literal that no setting of a session reads otherwise."""
    return f"CAST(X'{content.hex()}' AS {SPARK.text})"


def _code(character: str) -> str:
    """Return a character as a regular expression says it by its number."""
    return f"\\x{{{ord(character):x}}}"


def _split_pattern(delimiter: str) -> bytes:
    return f"\\{delimiter}".encode() if delimiter in ".$|()[{^?*+\\" else delimiter.encode()


def _expression(text: str) -> Any:
    from pyspark.sql.functions import expr

    return expr(text)
