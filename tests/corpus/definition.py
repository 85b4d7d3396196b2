"""What a study asks of a table, computed from its cells in plain Python: the definitions of the guides, and no SQL.

    column cells -> values on the step -> conditions -> groups -> counts and sums

It shares no code with snapdp, and reads studies and tables as the corpus stores them. Where it says nothing about a
part (quantiles, rows that persons keep by lot, sums of squares) it returns None; everything else must be what
`python -m tests.corpus.replay --write` finds, or nothing is written for that case.
"""

from __future__ import annotations

import datetime
import math
from bisect import bisect_right
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from tests.corpus.sources import Table

HALF = Fraction(1, 2)
TRUE, FALSE = {"true", "t", "yes", "y", "1", "1.0"}, {"false", "f", "no", "n", "0", "0.0"}
Row = dict[str, Any]
Found = dict[str, list[Fraction]]


class Number:
    """A column of numbers: bounds widened to the step, and what a missing cell counts as in sums."""

    def __init__(self, said: dict[str, Any]) -> None:
        lower, upper = Fraction(str(said["lower"])), Fraction(str(said["upper"]))
        step = said.get("step", 1 if said["kind"] == "integer" else None)
        self.step = Fraction(str(step)) if step is not None else finest(upper - lower)
        self.lower = math.floor(lower / self.step) * self.step
        self.upper = math.ceil(upper / self.step) * self.step
        missing = said["missing"]
        middle = (self.lower + self.upper) / 2 if missing == "middle" else None
        self.stands_in = None if missing == "dropped" else self.on_step(middle if middle is not None else missing)
        self.said = said

    def on_step(self, cell: Any) -> Fraction:
        if isinstance(cell, float) and math.isinf(cell):
            return self.upper if cell > 0 else self.lower
        x = min(max(Fraction(str(cell)) if isinstance(cell, str) else Fraction(cell), self.lower), self.upper)
        return self.lower + math.floor((x - self.lower) / self.step + HALF) * self.step

    def value(self, cell: Any) -> Fraction | None:
        """Return the value of a cell; None where it is missing or no number."""
        if cell is None or cell != cell or isinstance(cell, str):
            return None
        return self.on_step(cell)

    def filled(self, cell: Any) -> Fraction | None:
        """Return the value of a cell in sums."""
        found = self.value(cell)
        return self.stands_in if found is None else found

    @property
    def middle(self) -> Fraction:
        return (self.lower + self.upper) / 2


def finest(width: Fraction) -> Fraction:
    """Return the largest power of two that is at most width / 2**20."""
    power = Fraction(1)
    while power > width / 2**20:
        power /= 2
    while power * 2 <= width / 2**20:
        power *= 2
    return power


def places(said: dict[str, Any]) -> tuple[int, Callable[[Any], int | None]]:
    """Return how many cells a column has in groups and histograms, and the place of a table's cell among them."""
    kind = said["kind"]
    if kind in ("number", "integer"):
        return bins(said)
    if kind == "boolean":
        listed, read = ["false", "true"], as_boolean
    elif kind == "date":
        first, last = (datetime.date.fromisoformat(said[key]) for key in ("from", "to"))
        days = [first + datetime.timedelta(i) for i in range((last - first).days + 1)]
        listed = list(dict.fromkeys(period(day, said["each"]) for day in days))

        def read(cell: Any) -> str | None:
            day = as_day(cell)
            return period(day, said["each"]) if day is not None and first <= day <= last else None

    else:
        listed = list(said["categories"])
        read = as_number_text if all(map(is_plain, listed)) and said.get("compare") != "text" else as_text
        if read is as_number_text:
            listed = [str(as_number_text(each)) for each in listed]
    unknown, null = (said.get(key) == "binned" for key in ("unknown", "null"))
    known = {label: place for place, label in enumerate(listed)}

    def place(cell: Any) -> int | None:
        if cell is None:
            return len(listed) + unknown if null else None
        found = known.get(read(cell))
        return found if found is not None else len(listed) if unknown else None

    return len(listed) + unknown + null, place


def as_text(cell: Any) -> str:
    return str(cell)


def as_boolean(cell: Any) -> str | None:
    text = str(cell).strip(" ").lower()
    return "true" if text in TRUE else "false" if text in FALSE else None


def as_day(cell: Any) -> datetime.date | None:
    if isinstance(cell, datetime.datetime):
        return cell.date()
    if isinstance(cell, datetime.date):
        return cell
    try:
        return datetime.date.fromisoformat(str(cell)) if len(str(cell)) == 10 else None
    except ValueError:
        return None


def is_plain(text: str) -> bool:
    digits = text.removeprefix("-").replace(".", "", 1)
    return digits.isdecimal() and digits.isascii() and (len(digits) == 1 or not text.removeprefix("-").startswith("00"))


def as_number_text(cell: Any) -> str | None:
    try:
        return str(Fraction(str(cell).strip(" ")))
    except ValueError:
        return None


def period(day: datetime.date, each: str) -> str:
    year, week, _ = day.isocalendar()
    return {"day": str(day), "week": f"{year:04}-W{week:02}", "month": str(day)[:7], "year": str(day)[:4]}[each]


def bins(said: dict[str, Any], edges: list[Any] | None = None) -> tuple[int, Callable[[Any], int | None]]:
    """Return the same of a column of numbers with edges: those below and above where they count, then the missing."""
    column = Number(said)
    ends = [Fraction(str(edge)) for edge in (said["edges"] if edges is None else edges)]
    outside, null = (said.get(key) == "binned" for key in ("outside", "null"))
    below = outside and ends[0] > column.lower
    above = outside and ends[-1] < column.upper
    count = below + len(ends) - 1 + above

    def place(cell: Any) -> int | None:
        x = column.value(cell)
        if x is None:
            return count if null else None
        if x < ends[0]:
            return 0 if below else None
        if x > ends[-1]:
            return count - 1 if above else None
        return below + min(bisect_right(ends, x), len(ends) - 1) - 1

    return count + null, place


class Definition:
    """The noise-free numbers of a study of a table."""

    def __init__(self, study: dict[str, Any], table: Table) -> None:
        self.study, self.columns = study, study.get("columns", {})
        cells = {name: table.cells(name) for name in table.names}
        self.rows: list[Row] = [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)]
        self.size = len(table.rows)
        person = study.get("person")
        self.person = [person] if isinstance(person, str) else person or []

    def statistic(self, asked: dict[str, Any]) -> Found | None:
        """Return the numbers of each part that is defined here, by the part's name; None where none is."""
        if any(name in self.columns for name in self.person) or self.study.get("n_max", self.size) < self.size:
            return None
        if isinstance(asked.get("keys"), str) or "margins" in asked or asked["kind"] not in KINDS:
            return None
        rows = [row for row in self.rows if all(row[name] is not None for name in self.person)]
        if asked["kind"] == "persons":
            return self._persons(asked, rows)
        if self.person and self._most_rows(rows) > asked.get("rows_per_person", self.study.get("rows_per_person", 1)):
            return None
        rows = [row for row in rows if all(self._meets(test, row) for test in asked.get("where", ()))]
        return KINDS[asked["kind"]](self, asked, rows)

    def _most_rows(self, rows: list[Row]) -> int:
        found: dict[tuple[Any, ...], int] = {}
        for row in rows:
            who = tuple(row[name] for name in self.person)
            found[who] = found.get(who, 0) + 1
        return max(found.values(), default=0)

    def _meets(self, test: dict[str, Any], row: Row) -> bool:
        said, cell = self.columns[test["column"]], row[test["column"]]
        if said["kind"] in ("number", "integer"):
            x = Number(said).value(cell)
            low, high = (None if test.get(key) is None else Fraction(str(test[key])) for key in ("from", "below"))
            return x is not None and (low is None or x >= low) and (high is None or x < high)
        _, place = places({**said, "unknown": "dropped", "null": "dropped"})
        found = place(cell)
        if "equals" in test:
            equals = test["equals"]
            if said["kind"] == "date":
                day = as_day(cell)
                return found is not None and day is not None and period(day, said["each"]) == equals
            return found is not None and found == place(str(equals).lower() if equals in (True, False) else equals)
        day = as_day(cell)
        if found is None or day is None:
            return False
        label = period(day, said["each"])
        return test.get("from", "") <= label and ("below" not in test or label < test["below"])

    def _groups(self, asked: dict[str, Any]) -> tuple[int, Callable[[Row], int | None]]:
        by = asked.get("by") or []
        columns = [(name, *places(self.columns[name])) for name in ([by] if isinstance(by, str) else by)]

        def place(row: Row) -> int | None:
            code = 0
            for name, count, place_of in columns:
                found = place_of(row[name])
                if found is None:
                    return None
                code = code * count + found
            return code

        return math.prod(count for _, count, _ in columns), place

    def _added(
        self,
        asked: dict[str, Any],
        rows: list[Row],
        terms: Callable[[Row], Iterator[tuple[int, Fraction]]],
        cells: int = 1,
    ) -> list[Fraction]:
        groups, group_of = self._groups(asked)
        found = [Fraction(0)] * (groups * cells)
        for row in rows:
            group = group_of(row)
            if group is not None:
                for cell, term in terms(row):
                    found[group * cells + cell] += term
        return found

    def _counted(self, asked: dict[str, Any], rows: list[Row]) -> list[Fraction]:
        return self._added(asked, rows, lambda _: iter([(0, Fraction(1))]))

    def _count(self, asked: dict[str, Any], rows: list[Row]) -> Found:
        return {"count": self._counted(asked, rows)}

    def _persons(self, asked: dict[str, Any], rows: list[Row]) -> Found | None:
        rows = [row for row in rows if all(self._meets(test, row) for test in asked.get("where", ()))]
        groups, group_of = self._groups(asked)
        own: dict[tuple[Any, ...], set[int]] = {}
        for row in rows:
            group = group_of(row)
            if group is not None:
                own.setdefault(tuple(row[name] for name in self.person), set()).add(group)
        if max(map(len, own.values()), default=0) > asked.get("groups_per_person", 1):
            return None
        return {"persons": [Fraction(sum(group in each for each in own.values())) for group in range(groups)]}

    def _histogram(self, asked: dict[str, Any], rows: list[Row]) -> Found:
        said = self.columns[asked["column"]]
        if "edges" in asked:
            rules = {"outside": asked.get("outside"), "null": asked.get("missing")}
            count, place = bins({**said, **rules}, asked["edges"])
        else:
            count, place = places(said)

        def terms(row: Row) -> Iterator[tuple[int, Fraction]]:
            found = place(row[asked["column"]])
            if found is not None:
                yield found, Fraction(1)

        return {"count": self._added(asked, rows, terms, count)}

    def _sum(self, asked: dict[str, Any], rows: list[Row]) -> Found:
        column = Number(self.columns[asked["column"]])

        def terms(row: Row) -> Iterator[tuple[int, Fraction]]:
            value = column.filled(row[asked["column"]])
            if value is not None:
                yield 0, value

        return {"sum": self._added(asked, rows, terms)}

    def _mean(self, asked: dict[str, Any], rows: list[Row]) -> Found:
        names = asked.get("columns") or [asked["column"]]
        columns = {name: Number(self.columns[name]) for name in names}
        rows = [row for row in rows if all(columns[name].filled(row[name]) is not None for name in names)]
        found: Found = {"count": self._counted(asked, rows)}
        for name in names:

            def terms(row: Row, name: str = name) -> Iterator[tuple[int, Fraction]]:
                value = columns[name].filled(row[name])
                assert value is not None
                yield 0, value - columns[name].middle

            centred = self._added(asked, rows, terms)
            found["centred sum" if len(names) == 1 else f"centred sum of {name}"] = centred
            if len(names) == 1 and len(rows) == self.study.get("n"):
                found["mean"] = [columns[name].middle + each / len(rows) for each in centred]
        return found


KINDS: dict[str, Callable[..., Found | None]] = {
    "count": Definition._count,
    "persons": Definition._persons,
    "histogram": Definition._histogram,
    "sum": Definition._sum,
    "mean": Definition._mean,
}


def defined_sums(study: dict[str, Any], table: Table) -> Iterator[tuple[str, list[str | int]]]:
    """Yield the noise-free numbers that are defined here, by the names of their fields."""
    definition = Definition(study, table)
    for number, asked in enumerate(study["statistic"], start=1):
        for name, values in (definition.statistic(asked) or {}).items():
            yield f"{number} {name} | noise-free", [str(each) for each in values]
