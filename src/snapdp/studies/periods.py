"""Days, weeks, months and years: numbered, labelled, and listed without being written out.

Room: studies. Holds no data. A period is known by a number that grows by 1 from one to the next; weeks are those of ISO
8601, and 1 January of the year 1 is a Monday.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any

DAY, WEEK, MONTH, YEAR = "day", "week", "month", "year"
EACH = (DAY, WEEK, MONTH, YEAR)


class Periods(tuple[str, ...]):
    """The labels of consecutive periods, each made when it is asked for: a column may have a hundred thousand."""

    begin: int
    stop: int
    each: str

    def __new__(cls, *, begin: int, stop: int, each: str) -> Periods:
        found = super().__new__(cls)
        found.begin, found.stop, found.each = begin, stop, each
        return found

    def __len__(self) -> int:
        return self.stop - self.begin

    def __iter__(self) -> Iterator[str]:
        return (_label(period_start(number, self.each), self.each) for number in range(self.begin, self.stop))

    def __getitem__(self, place: Any) -> Any:
        chosen = range(self.begin, self.stop)[place]
        if isinstance(chosen, int):
            return _label(period_start(chosen, self.each), self.each)
        return tuple(_label(period_start(number, self.each), self.each) for number in chosen)

    def __contains__(self, label: object) -> bool:
        return self._place(label) is not None

    def index(self, label: object, *_: Any) -> int:
        place = self._place(label)
        if place is None:
            raise ValueError("no such period")
        return place

    def _place(self, label: object) -> int | None:
        start = _labelled(label, self.each) if isinstance(label, str) else None
        number = self.stop if start is None else period_number(start, self.each)
        return number - self.begin if self.begin <= number < self.stop else None

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Periods):
            return (self.begin, self.stop, self.each) == (other.begin, other.stop, other.each)
        return isinstance(other, tuple) and tuple(self) == other

    def __hash__(self) -> int:
        return hash((self.begin, self.stop, self.each))

    def __add__(self, other: Any) -> tuple[str, ...]:
        return (*self, *other)

    def __repr__(self) -> str:
        return f"<{len(self)} periods>"


def period_number(day: datetime.date, each: str) -> int:
    """Return the number of the period of a day: days and weeks from the first Monday of year 1, months, years."""
    if each == YEAR:
        return day.year
    if each == MONTH:
        return day.year * 12 + day.month - 1
    return day.toordinal() - 1 if each == DAY else (day.toordinal() - 1) // 7


def period_start(number: int, each: str) -> datetime.date:
    """Return the first day of a period."""
    if each == YEAR:
        return datetime.date(number, 1, 1)
    if each == MONTH:
        return datetime.date(number // 12, number % 12 + 1, 1)
    return datetime.date.fromordinal((number if each == DAY else number * 7) + 1)


def _label(start: datetime.date, each: str) -> str:
    if each == WEEK:
        year, week, _ = start.isocalendar()
        return f"{year:04}-W{week:02}"
    return start.isoformat()[: {DAY: 10, MONTH: 7, YEAR: 4}[each]]


def _labelled(label: str, each: str) -> datetime.date | None:
    """Return the first day of the period that a label names; None where it is no label."""
    try:
        if each == WEEK:
            found = datetime.date.fromisocalendar(int(label[:4]), int(label[6:]), 1)
        else:
            found = datetime.date.fromisoformat({DAY: label, MONTH: f"{label}-01", YEAR: f"{label}-01-01"}[each])
    except ValueError:
        return None
    return found if _label(found, each) == label else None  # 2024-1 and 20240101 are none
