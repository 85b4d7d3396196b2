"""What a release gives back: its record, readable in a terminal and in a notebook, and as files.

Everything shown is read from the record, so an answer given again looks as it did the first time.
Screens show what the statistic can be, with the digits that the noise leaves meaningful; files hold the drawn value
beside it, with all digits.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from snapdp.display.text import one_line, visible
from snapdp.drafts import open_regular
from snapdp.errors import DataError, ParameterError, SnapdpError
from snapdp.exact.numbers import shown
from snapdp.ledger.chain import canonical
from snapdp.release.numbers import Number, NumberBlock, long_blocks, number_blocks, shown_row
from snapdp.release.record import checked, file_names, stated_files
from snapdp.release.remarks import bound_lines, cut_line, distribution_line, moved_line, share_line, unknown_line
from snapdp.studies.labels import Label
from snapdp.studies.statistics.parts import SHARE

MOST_BYTES = 1 << 25  # of a record: what the independent checker reads, too


class Release:
    """The published numbers of one request, and the record that proves what was done."""

    def __init__(self, record: dict[str, Any], *, free: bool = False, author: str | None = None) -> None:
        self.record = checked(record)
        self.free = free
        self.author = author  # the other role of a team ledger that drew it; the ledger proves payment, not the draw

    @property
    def charged(self) -> str:
        """Return the epsilon the request cost when it was drawn, as an exact fraction."""
        return str(self.record["charged"])

    def blocks(self) -> Iterator[NumberBlock]:
        """Yield the numbers that the record itself holds, by parts and by what is derived."""
        return number_blocks(self.record)

    def numbers(self, *, shares: bool = True) -> Iterator[Number]:
        """Yield every number that the record itself holds, or all but shares; long blocks are in their side files."""
        for block in self.blocks():
            if shares or block.name != SHARE:
                yield from block.numbers

    @property
    def values(self) -> dict[str, Any]:
        """Return {statistic: value}, or {statistic: {cell: value}}; what is derived takes the place of its parts.

        A cell is a text; by several keys (columns, or a group and a quantile or bin) a tuple of texts, one for each.
        Means of several columns are a value, or cells, for each: {statistic: {column: value}}.

        The values as drawn: sums and averages of them have no bias from what is possible. `numbers` has both.
        Of statistics with one title (other bin edges, say) the later ones are told apart by their number: "sum(x) (2)".
        """
        found: dict[str, Any] = {}
        means: dict[int, dict[str, Any]] = {}
        for block in self.blocks():
            if block.mean_of is not None:
                if block.place not in means:
                    found[_unused(block.title, block.place + 1, found)] = means[block.place] = {}
                means[block.place][block.mean_of] = _values(block)
            elif block.derived or not block.is_replaced:
                found[_unused(block.title, block.place + 1, found)] = _values(block)
        return found

    @property
    def value(self) -> Any:
        """Return the value of the only statistic: a number, or {cell: number}; with several statistics see `values`."""
        statistics = self.record["statistics"]
        if len(statistics) != 1:
            raise ParameterError(f"the release has {len(statistics)} statistics.", "Read release.values, by title.")
        if "margins" in statistics[0]:
            titles = (each["title"] for each in self.record["derived"])
            raise ParameterError(
                "the release has several tables.",
                f"Read release.values, by the title of a margin: {', '.join(map(shown, titles))}.",
            )
        found = self.values.get(statistics[0]["title"])
        if found is None:
            raise ParameterError("the cells of this statistic are in a side file.", f"Read {self.files()[0]}.")
        return found

    def __float__(self) -> float:
        """Return the only number, as in float(release); refuse where there are several."""
        found = self.value
        if isinstance(found, dict):
            of = "column" if len(self.record["statistics"][0].get("columns", ())) > 1 else "cell"
            raise ParameterError(f"the release has {len(found)} numbers.", f"Read release.value, by {of}.")
        return float(found)

    def to_pandas(self) -> Any:
        """Return a pandas frame with a row for each number, and the columns of a file of values."""
        from snapdp.release.files import pandas_frame

        return pandas_frame(self)

    def to_polars(self) -> Any:
        """Return the same as a Polars frame."""
        from snapdp.release.files import polars_frame

        return polars_frame(self)

    def files(self) -> list[str]:
        """Return the names of the side files that hold long blocks."""
        return file_names(self.record)

    def long_blocks(self) -> list[tuple[str, str]]:
        """Return the names of the side files, each with what its numbers are."""
        return list(long_blocks(self.record))

    def bytes_beside(self, name: str, directory: Path) -> bytes:
        """Return the bytes of a side file, which must be those that were released."""
        from snapdp.release.files import bytes_with

        digests = {each["name"]: each["digest"] for each in stated_files(self.record)}
        if name not in digests or Path(name).name != name:
            raise DataError("the release has no such file.", "Choose one of its list.")
        return bytes_with(directory / name, digest=digests[name])

    def to_json(self) -> str:
        """Return the record as canonical JSON: the text that is chained in the ledger."""
        return canonical(self.record, name="record")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the record (.json), the report (.html) or the values (.csv, .parquet), by the ending of the name.

        Beside values there is a dictionary of their columns, datapackage.json, which lists all files of values of a
        directory; where that is another's, it has the name of the file: values.datapackage.json.
        """
        from snapdp.drafts import write_text
        from snapdp.release.data_package import write_dictionary
        from snapdp.release.files import write_values
        from snapdp.release.value_table import value_table

        target = Path(path)
        if target.suffix == ".json":
            write_text(self.to_json() + "\n", target)
        elif target.suffix in (".html", ".htm"):
            write_text(self.to_html(), target)
        else:
            table = value_table(self.blocks())
            write_values(table, target)
            write_dictionary(self.record, table, target)

    def to_html(self) -> str:
        """Return the report: one self-contained page."""
        from snapdp.release.report.page import report_page

        return report_page(self)

    def _repr_html_(self) -> str:
        from snapdp.release.report.page import report_body

        return report_body(self)

    def __repr__(self) -> str:
        every = list(self.blocks())
        blocks = [block for block in every if block.is_first or not block.is_ranked]  # what ranks are read off is long
        adjusted = {block.place for block in blocks if block.is_margin and block.derived}
        measured = [block.place in adjusted and not block.derived for block in blocks]
        ordered = sorted(zip(blocks, measured, strict=True), key=lambda each: (each[0].place, each[1]))
        numbers = [
            number._replace(statistic=f"measured {number.statistic}") if is_measured else number
            for block, is_measured in ordered
            for number in block.readable
        ]
        rows = [(one_line(title), *rest) for title, *rest in map(shown_row, numbers)]
        widths = [max((len(row[i]) for row in rows), default=0) for i in range(3)]
        body = ["  ".join(text.ljust(w) for text, w in zip(row, widths, strict=True)).rstrip() for row in rows]
        paid = "free, answered before" if self.free else f"epsilon {self.charged} charged"
        paid += "" if self.author is None else f", drawn by {visible(self.author)}"
        more = [f"  {one_line(title)}: in {visible(name)}" for name, title in self.long_blocks()]
        unknown = (unknown_line(block) for block in blocks if block.is_first)
        ends_at = (line for block in blocks for line in bound_lines(block))
        of_noise = (moved_line(numbers), cut_line(numbers))
        told = (*map(share_line, blocks), *unknown, *ends_at, *of_noise, distribution_line(every))
        more += [line for line in told if line]
        name = one_line(self.record["dataset"])
        return "\n".join([f"release of {name}: {visible(paid)}", *(f"  {line}" for line in body), *more])


def load_release(path: str | os.PathLike[str]) -> Release:
    """Return the release whose record is in a JSON file."""
    return Release(load_record(path))


def load_record(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the JSON object in a file, as it stands: `checked` and the audit say whether it is a record."""
    try:
        with open_regular(path) as file:
            content = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as problem:
        name, why = one_line(str(path)), getattr(problem, "strerror", None) or "this is no path"
        raise DataError(f"the record {name} cannot be read: {why}.", "Check the path.") from None
    return record_from(content)


def record_from(content: bytes) -> dict[str, Any]:
    """Return the JSON object that the bytes of a file are, as it stands."""
    if len(content) > MOST_BYTES:
        raise DataError(f"the file is larger than {MOST_BYTES >> 20} MiB.", "Give a record that a release wrote.")
    try:
        record = json.loads(content.decode(), parse_constant=_no_number, object_pairs_hook=_unrepeated)
    except SnapdpError:
        raise
    except (ValueError, RecursionError):
        raise DataError("the file is no JSON.", "Give a record that a release wrote.") from None
    if not isinstance(record, dict):
        raise DataError("the file holds no record.", "Give a record that a release wrote.")
    return record


def _no_number(name: str) -> None:
    raise ValueError(name)  # NaN and infinities are no JSON, and no released numbers


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a table; one that says a field twice means different things to different readers."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise DataError("a field stands twice in one table.", "Give a record that a release wrote.")
    return found


def _values(block: NumberBlock) -> Any:
    """Return the number of a block, or {cell: number} where it has cells; one without a name is no cell."""
    if block.is_single:
        return block.numbers[0].value
    found: dict[Label, Any] = {}
    for place, each in enumerate(block.numbers, start=1):
        *groups, name = each.label if len(each.keys) > 1 or (block.is_crossed and each.keys) else (each.cell,)
        last = _unused(name, place, found, groups)
        found[(*groups, last) if groups else last] = each.value
    return found


def _unused(name: str, number: int, found: Mapping[Any, Any], groups: Sequence[str] = ()) -> str:
    """Return a name, with its number where it is taken: nothing is lost among things of one name."""
    while ((*groups, name) if groups else name) in found:
        name = f"{name} ({number})"
    return name
