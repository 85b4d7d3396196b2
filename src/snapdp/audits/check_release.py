"""The independent checker of release certificates: `python check_release.py certificate.json`. Standard library only.

It shares no code with the rest of the package, imports nothing of it, and can be copied out and run alone. A
certificate holds the record of a release. From the columns and the relation that a record declares all else follows but
the grid indices: every mechanism's parameters, cells, numbers, intervals, the charge. It is derived here again, from
the documents alone, and compared; the first field that differs is named.
Trusts: Python's integers, correctly rounded int / int, SHA-256, and what docs/theory/release-certificates.md names.
Source: docs/theory/sensitivities.md (2)-(13), (17)-(28), mechanism.md (4), planning.md (4), (6), (33);
adjusted-tables.md (2)-(6), (8)-(11), (13), (15), (17)-(30), (32); quantiles.md (1)-(16); exploring.md (1)-(3);
release-certificates.md [1]-[9].
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import stat
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import date
from fractions import Fraction
from functools import lru_cache, partial
from itertools import accumulate, combinations, pairwise, product
from typing import Any, NamedTuple

FORMAT = 1  # of records, and of their certificates
PREMISES = "post-processing proved, sensitivity proved, exact sums proved, composition proved, fast path tested"
PREMISES += ", fair bits assumed, engine assumed, public declarations assumed, unit assumed"
KINDS = {  # of statistics: how many columns, and the fields beside the common ones; those marked ? may be absent
    "count": (0, "where? by? keys? margins? shares?"), "sum": (1, "columns where? by? keys? margins? shares?"),
    "histogram": (1, "columns where? by? keys?"),
    "mean": (1, "columns where? by? keys?"), "variance": (1, "columns where? by? keys?"),
    "covariance": (2, "columns where? by? keys?"),
    "persons": (0, "where? by? keys? margins? shares?"), "quantiles": (1, "columns at branching where? by?"),
    "magnitudes": (1, "columns outside branching where?"),
}  # fmt: skip
CENTRED = ("mean", "variance", "covariance")  # sums from the middles and a count, where the number of rows is private
PLAIN = "-?(0|[1-9][0-9]*)([.][0-9]+)?"  # a category that compares as a number
SHA256, RATIONAL = "sha256:[0-9a-f]{64}", "-?[0-9]{1,1000}(/[0-9]{1,1000})?"
NAME, LABEL = "[^\0]+", "[^\0]*"  # what every engine can store
DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
FREE = {
    "dataset": NAME,
    "dataset_version": "[0-9a-f]{16}",
    "previous": SHA256,
    "date": DAY,
}  # fields that follow from nothing
TEXTS = ("title", "publisher", "contact")  # for readers of a report: no part of a request
WHO = {"relation", "unit", "n", "n_max", "person", "rows_per_person", "unit_rows", "own"}
WHO |= {"person_columns", "most_units"}
ENGINES = {"duckdb": "", "spark": " pyspark", "postgresql": " postgresql"}  # and what else has a version then
CSV = {"delimiter": "[;:|~^\t\x01\x1f]", "quote": "['`|~^]", "decimal": ",", "encoding": "latin-1"}  # if not plain
READS_CSV = ("duckdb", "spark")
CSV["thousands"] = "[.,' _\u00a0\u202f]"
RECORD = "format engine relation unit versions statistics derived charged request " + " ".join(FREE)
INLINE = 1000  # longer lists of categories or cells are named by their digest
MOST_LEVELS, MOST_CATEGORIES, MOST_PERIODS, LARGEST_INDEX = 1 << 31, 10**7, 10**5, 1 << 52
MOST_KEYS, LONGEST_KEY, KEY_NUMBER = 5 * 10**7, 4096, "0|-?[1-9][0-9]{0,14}"  # of groups by keys
MOST_CELLS, MOST_GROUP_COLUMNS = 10**7, 24  # of groups by several columns, or of a histogram by groups
MOST_MARGIN_COLUMNS, MOST_MARGIN_CELLS, MOST_MARGINS, MOST_TERMS = 8, 10**6, 256, 1 << 12
MOST_PARENTS, MOST_NODES = 16, 50_000  # levels of a hierarchy above the categories; cells of all its levels
MOST_DERIVED = 20_000  # blocks of a record
MOST_MEANS = 64  # columns whose means share a count
MOST_SHARES, MOST_POINTS, MOST_COUNTED = 100, 256, 4_000_000  # of quantiles; of a distribution; nodes of all groups
MOST_RANKED, MOST_WORK = 1 << 20, 1 << 25  # of quantiles; of their nodes, for every share and once more
MOST_RANKS = 1 << 22  # levels times shares, of all statistics whose levels are listed
LN_A = (  # of tau = 1/4, 3/8, 1/2, 3/4, 1, ...: -1000 ln A(tau), rounded down                            quantiles (6)
    1233, 1443, 1616, 1897, 2129, 2510, 2825, 3343, 3772, 4482, 5072, 6050, 6866, 8221, 9353, 11239, 12818, 15451,
    17660, 21349, 24448, 29628, 33984, 41272, 47405, 57674, 66318, 80801, 92997, 113438, 130658,
)  # fmt: skip
SPARE = 1 + 2.0**-20  # for roundings of doubles: quantiles, "In doubles"
SINGLE = (1.0, 1.0, 1.0, 1.0)
POINTS, WITHOUT = (-1,), (-2,)  # in the place of a margin: the cells of a distribution; of rows without a number
LEAST_POWER, LARGEST_POWER, MOST_POWERS, LONGEST_POWER = -1022, 1023, 256, 60  # of two, that magnitudes are counted by
QUARTERS = [Fraction(k, 4) for k in (1, 2, 3)]
MOST_TERMS_IN_ALL, LARGEST_RATIO, LEAST_LEVEL = 1 << 14, 512, Fraction(1, 1 << 63)
LONGEST_EPSILON = 10**12  # of a cell of margins, above and below the line: numbers of adjusted tables grow with it
FREQUENCIES, PLACES, SMEAR, GUARD = 1024, 1 << 14, 13, 64  # of the radius of an adjusted number
# What a hostile text may cost: its bytes, statistics, the digits of a number, the bits of an enclosure.
MOST_BYTES, MOST_STATISTICS, MOST_DIGITS, MOST_BITS = 1 << 25, 1000, 1000, 1 << 11
MOST_EDGES, MOST_CONDITIONS, MOST_NULLS = 100_000, 10_000, 100  # of all statistics together; of a CSV file
LARGEST, LARGEST_WHOLE, WIDEST = 1 << 1000, 1 << 63, 1 << 126  # a published number; one in a file; in a statement
COARSE, FURTHEST_STEP, PRINTED = 1 << 20, 900, 1 << 10  # levels; exponents of a step; doubles between two outputs
ZERO, HALF, ONE, GAMMA = Fraction(0), Fraction(1, 2), Fraction(1), Fraction(1, 1 << 40)
SMALLEST_ALPHA = Fraction(1, 1 << 940)
NUMBERS = ("value", "shown", "low", "high")
BINS = ("edges", "outside", "null")  # of a column of numbers that groups are by: no part of the column itself
Row = tuple[float, float, float | None, float | None]  # one of each
Exact = tuple[Fraction, Fraction, Fraction]  # a number and its interval
Margin = tuple[int, ...]  # the columns that tell its cells apart, by their places
Table = dict[tuple[int, ...], Fraction]  # of the cells of a margin, by the places of their categories
Entry = tuple[Margin, Fraction]  # a measured margin, and a coefficient of some of its cells
Law = tuple[Fraction, Fraction, Any]  # |coefficient| * noise scale, grid/noise scale, how many (or a sum of squares)
Scales = list[tuple[Fraction, Fraction]]  # the largest ones, each with grid/noise scale
Sums = tuple[float, float, float, float]  # of coefficients: squares, fourth powers, absolute values; the largest square
Spread = tuple[dict[Margin, Fraction], Scales]  # a sum of noises: the squares of its coefficients by their source


class StatedRelation(NamedTuple):  # who comes or goes
    change_one: bool
    rows: int  # n, or n_max
    moved: int  # so many rows of those that are kept: of a person, or of a unit of several rows
    person: bool  # whether columns name persons


class Refused(Exception):
    """The certificate is not accepted; the message names the field and the reason.

    Any other exception is a fault of this checker, or of the machine it runs on: the certificate could not be checked,
    which neither accepts nor refuses it.
    """


class Undecided(ArithmeticError):
    """A comparison that the bits this checker takes do not decide."""


# 1. Numbers: Fractions; e**-t between two integers, so that comparisons with it are decided
def exp_minus(t: Fraction, bits: int) -> tuple[int, int]:
    """Return integers around 2**bits e**-t, for t >= 0.

    e**-t = (e**-s)**(2**h), s = t/2**h <= 1/2, by the alternating series in units of 2**-wide. Added on both sides are
    the unit lost in s, 2 for each of the k terms (each at most half the one before), and what follows the last.
    """
    if t.numerator > bits * t.denominator:  # e**-t < 2**-t
        return 0, 1
    h = (2 * t.numerator // t.denominator).bit_length()
    wide = bits + h + 16
    s = (t.numerator << wide) // (t.denominator << h)
    total, term, k = 0, 1 << wide, 0
    while term:
        total += -term if k % 2 else term
        k += 1
        term = term * s // (k << wide)
    low, high = max(0, total - 2 * k - 3), total + 2 * k + 3
    for _ in range(h):
        low, high = low * low >> wide, -(-high * high >> wide)
    return low >> (wide - bits), -(-high >> (wide - bits))


def at_most(exponents: Sequence[Fraction], bound: Fraction) -> bool:
    """Tell whether the sum of e**-t over some t >= 0, not all 0, is at most a rational: never equal, planning (2)."""
    bits = 80 + (bound.denominator // bound.numerator).bit_length()
    while bits <= MOST_BITS:
        low, high = map(sum, zip(*(exp_minus(t, bits) for t in exponents), strict=True))
        limit = (bound.numerator << bits) // bound.denominator
        if high <= limit or low > limit:
            return bool(high <= limit)
        bits *= 2
    raise Undecided("epsilon or alpha too near to a boundary to be decided")


def first_where(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """Return the least whole number from low to high - 1 for which a condition holds, and high if there is none.

    The condition goes on holding once it does. Written out: bisect_left takes a range no longer than sys.maxsize.
    """
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def clamp_index(end: Fraction, scale: Fraction) -> int:
    """Return the least k with k + 1/2 >= end + scale ln(1/gamma), in units of the grid.            mechanism (4)"""
    low, high = math.floor(end + 27 * scale + HALF), math.ceil(end + 28 * scale)  # 27 < ln(1/gamma) < 28
    return first_where(low, high, lambda k: at_most([(k + HALF - end) / scale], GAMMA))


@lru_cache(maxsize=4096)
def reach(x: Fraction, alpha: Fraction) -> Fraction:
    """Return the half-length of noise intervals in units of the grid, rounded up to 2**-48.      planning (6), (33)

    x = grid/scale. With m >= 1 the least integer such that e**(-m x/2) <= alpha, a value f just above m/2 rejects the
    output 0 iff (e**-t1 + e**-t2)/2 <= alpha, t1 = x (f - 1/2), t2 = x (m + 1/2 - f); (m + 1)/2 does reject it.   [2]
    As x >= 2**-52, m is below 2**62.
    """
    m = first_where(1, 1 << 62, lambda m: at_most([m * x / 2], alpha))

    def rejects(steps: int) -> bool:
        further = Fraction(steps, 1 << 48)
        return at_most([x * ((m - 1) * HALF + further), x * ((m + 1) * HALF - further)], 2 * alpha)

    return m * HALF + Fraction(first_where(0, 1 << 47, rejects), 1 << 48)


def floor_log2(x: Fraction) -> int:
    """Return the largest e with 2**e <= x, for x > 0."""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if Fraction(2) ** e <= x else e - 1


def rounded_up(x: Fraction, bits: int) -> Fraction:
    """Return the least float of so many bits that is not below x > 0."""
    ulp = Fraction(2) ** (floor_log2(x) - bits + 1)
    return ulp * math.ceil(x / ulp)


def outward(low: Fraction, high: Fraction) -> tuple[float, float]:
    """Return the largest double <= low and the smallest one >= high."""
    a, b = float(low), float(high)
    return a if a <= low else math.nextafter(a, -math.inf), b if b >= high else math.nextafter(b, math.inf)


def root_floor(x: Fraction, bits: int) -> tuple[int, int]:
    """Return the floor of the root of x >= 0 in units of 2**-shift, with about so many bits; and the shift."""
    shift = max(0, bits - (x.numerator.bit_length() - x.denominator.bit_length()) // 2)
    return math.isqrt(math.floor(x * 4**shift)), shift


def root(x: Fraction) -> Fraction:
    """Return a number on the same side of every double, and every midpoint of two, as the root of |x|, signed. [5]"""
    floor, shift = root_floor(abs(x), 64)
    return Fraction(2 * floor + (floor * floor != abs(x) * 4**shift), 2 << shift) * (1 if x > 0 else -1)


def are_printable(furthest: Fraction, grid: Fraction) -> bool:
    """Tell whether doubles as far as that are at least 1,024 times as close as outputs are.       sensitivities (16)"""
    spacing = Fraction(2) ** max(floor_log2(furthest) - 52 if furthest else -1074, -1074)
    return spacing * PRINTED <= grid


# 2. What is declared
class At:  # a value of the certificate and its place there: what is read is checked, and what fails is named
    def __init__(self, value: Any, field: str) -> None:
        self.value, self.field = value, field

    def demand(self, premise: bool, reason: str) -> None:
        if not premise:
            raise Refused(f"{self.field}: {reason}")

    def at(self, key: str) -> At:
        self.demand(type(self.value) is dict and key in self.value, f"the field {key} is missing")
        return At(self.value[key], f"{self.field}.{key}".removeprefix("certificate."))

    def fields(self, names: str) -> list[At]:
        """Return the fields of a table that has exactly these; those marked ? may be absent."""
        self.demand(type(self.value) is dict, "not a table")
        for key in self.value:
            self.demand(key in names.replace("?", "").split(), f"no field {ascii(key)[:80]} belongs here")
        return [self.at(name.rstrip("?")) for name in names.split() if name[-1] != "?" or name[:-1] in self.value]

    def rows(self, most: int = INLINE) -> list[At]:
        self.demand(type(self.value) is list and 0 < len(self.value) <= most, f"not a list of 1 to {most} entries")
        return [At(each, f"{self.field}[{place}]") for place, each in enumerate(self.value)]

    def text(self, pattern: str = "(?s).+") -> str:
        self.demand(type(self.value) is str and re.fullmatch(pattern, self.value) is not None, "not as it must be")
        self.demand(re.search("[\ud800-\udfff]", self.value) is None, "half a character")
        return str(self.value)

    def whole(self) -> int:
        self.demand(type(self.value) is int and 0 < self.value < LARGEST, "not a positive whole number, or too large")
        return int(self.value)

    def rational(self, above: float = -math.inf, below: float = math.inf) -> Fraction:
        numerator, _, denominator = self.text(RATIONAL).partition("/")
        found = Fraction(int(numerator), int(denominator or 1) or 1)
        self.demand(str(found) == self.value and above < found < below, "not in lowest terms, or out of range")
        return found

    def same(self, derived: Any) -> None:
        """Refuse the first field in which two trees differ; True is not 1, 1 is not 1.0, and -0.0 is not 0.0."""
        if type(derived) is dict:
            for each, key in zip(self.fields(" ".join(derived)), derived, strict=True):
                each.same(derived[key])
        elif type(derived) is list and type(self.value) is list and len(derived) == len(self.value):
            for place, each in enumerate(derived):
                At(self.value[place], f"{self.field}[{place}]").same(each)
        else:
            alike = type(self.value) is type(derived) and self.value == derived
            alike = alike and (type(derived) is not float or repr(self.value) == repr(derived))
            self.demand(alike, f"is {ascii(self.value)[:80]}, but {ascii(derived)[:80]} follows from what is declared")


class Column(NamedTuple):  # numbers on a step, or categories; no labels where only their digest is given
    name: str
    kind: str
    lower: Fraction = ZERO
    upper: Fraction = ZERO
    step: Fraction = ONE
    missing: str = ""  # whether rows without the number are "left out", or it counts "in sums"
    levels: int = 0
    cells: int = 0
    categories: int = 0  # how many of the cells: behind them are those of other texts, and of nothing
    labels: tuple[str, ...] | None = None
    periods: tuple[date, date, str] | None = None  # from, to, each

    @property
    def is_whole(self) -> bool:
        return self.lower.denominator == self.step.denominator == 1


def read_relation(record: At) -> StatedRelation:
    change_one = record.at("relation").text("change-one|add-remove") == "change-one"
    size, person = "n" if change_one else "n_max", "person" in record.value and not change_one
    together = "unit_rows" in record.value and not change_one and not person
    named = f" own? csv? bounds_from? {'? '.join(TEXTS)}?"
    whose = " person rows_per_person person_columns? most_units?" * person
    record.fields(f"{RECORD} {size}{named}{whose}" + " unit_rows" * together)
    record.at("unit").same("person" if person else "rows" if together else "row")
    if person:
        if type(record.value["person"]) is list:  # two or more columns name a person together
            names = [each.text(NAME) for each in record.at("person").rows()]
            record.at("person").demand(len({*names}) == len(names) > 1, "not two or more different columns")
        else:
            record.at("person").text(NAME)
        stated = "person_columns" in record.value
        found = read_identifiers(record.at("person_columns"), record.value["person"]) if stated else []
        units = [each.cells for each in found if each.kind == "date"]
        record.demand(("most_units" in record.value) == (len(units) == 1), "most_units is said of one declared date")
        if len(units) == 1:
            record.at("most_units").same(units[0])
    moved = record.at("rows_per_person" if person else "unit_rows").whole() if person or together else 1
    record.demand(moved > 1 or not together, "a unit of one row is said by nothing")
    return StatedRelation(change_one, record.at(size).whole(), moved, person)


def read_identifiers(columns: At, person: Any) -> list[Column]:
    """Refuse declarations by which persons could not be told apart.                                    persons (12)"""
    found = [read_column(each) for each in columns.rows()]
    names = [each.name for each in found]
    columns.demand(bool(names) and len({*names}) == len(names), "no column, or one twice")
    columns.demand({*names} <= {*(person if type(person) is list else [person])}, "a column that names no person")
    for each in (each.value for each in columns.rows()):
        columns.demand("binned" not in (each.get("unknown"), each.get("null")), "a cell of rows that name nobody")
        exact = each["kind"] == "category" and "compare" not in each
        columns.demand(not exact and (each.get("missing", "dropped") == "dropped"), "not told apart so")
    return found


def check_dialect(csv: At) -> None:
    """Refuse a form of CSV files that could not have been declared; one that is plain is not stated."""
    csv.fields(" ".join(f"{key}?" for key in (*CSV, "nulls")))
    signs = {"delimiter": ",", "quote": '"', "decimal": ".", "thousands": "", "encoding": ""}
    signs |= {key: csv.at(key).text(pattern) for key, pattern in CSV.items() if key in csv.value}
    cut, quote, thousands = signs["delimiter"], signs["quote"], signs["thousands"]
    apart = quote not in (cut, thousands) and signs["decimal"] != thousands
    csv.demand(csv.value != {} and apart, "no form of CSV files")
    if "nulls" in csv.value:
        texts = [each.text("(?s).*") for each in csv.at("nulls").rows(MOST_NULLS)]
        plain = not any(each in text for text in texts for each in (cut, quote, "\r", "\n", "\0"))
        several = len(texts) == 1 or texts[0] == ""  # beside one alone there is the empty cell
        latin = re.compile("[\0-\x7f\xa0-\xff]*")  # the others are control characters, which no file has
        plain = plain and (signs["encoding"] == "" or all(map(latin.fullmatch, texts)))
        csv.at("nulls").demand(plain and several and texts == sorted({*texts}) != [""], "no texts of missing cells")


def read_special(column: At) -> tuple[str, ...]:
    """Return the cells behind the categories: of what is none of them, and of what is missing."""
    binned = (column.at(key).text("dropped|binned") == "binned" for key in ("unknown", "null"))
    return tuple(f"({key})" for key, own in zip(("unknown", "null"), binned, strict=True) if own)


def read_day(given: At) -> date:
    text = given.text("[0-9]{4}-[0-9]{2}-[0-9]{2}")
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise Refused(f"{given.field}: no such day") from None


def period(day: date, each: str) -> int:
    """Return the number of the period of a day; 1 January of the year 1 is a Monday."""
    number = {"day": day.toordinal(), "month": day.year * 12 + day.month, "year": day.year}
    return number.get(each, (day.toordinal() - 1) // 7)


def period_label(number: int, each: str) -> str:
    if each == "month":
        return f"{(number - 1) // 12:04}-{(number - 1) % 12 + 1:02}"
    if each == "week":
        year, week, _ = date.fromordinal(7 * number + 1).isocalendar()
        return f"{year:04}-W{week:02}"
    return str(date.fromordinal(number)) if each == "day" else f"{number:04}"


def period_number(label: At, each: str) -> int:
    """Return the number of the period that a label names."""
    form = {"day": "{0}-{0}-{0}", "week": "{0}-W{0}", "month": "{0}-{0}", "year": "{0}"}[each]
    year, *more = map(int, re.findall("[0-9]+", label.text(form.replace("{0}", "[0-9]{2,4}"))))
    try:
        day = date.fromisocalendar(year, more[0], 1) if each == "week" else date(year, *[*more, 1, 1][:2])
    except ValueError:
        raise Refused(f"{label.field}: no such period") from None
    label.demand(period_label(period(day, each), each) == label.value, "no such period")
    return period(day, each)


def read_numbers(listed: At, labels: list[str]) -> None:
    """Demand categories that compare as numbers: plain ones, of at most 15 digits, no two of them equal."""
    plain = all(re.fullmatch(PLAIN, each) and len(re.sub("[^0-9]", "", each)) <= 15 for each in labels)
    listed.demand(plain and len({Fraction(each) for each in labels}) == len(labels), "not different plain numbers")


def read_column(column: At, kinds: str = "number|integer|category|boolean|date", grouped: int = 0) -> Column:
    """Return a declared column; its bounds are multiples of its step. One of groups has cells.    sensitivities (2)"""
    kind, name = column.at("kind").text(kinds), column.at("name").text(NAME)
    if kind == "boolean":
        column.fields("name kind unknown null")
        names = ("false", "true", *read_special(column))
        return Column(name, kind, cells=len(names), categories=2, labels=names)
    if kind == "magnitude":  # places are levels, the lowest exponent is where they are counted from
        exponents = [each.value for each in column.fields("name kind exponents")[2].rows()]
        column.demand(len(exponents) == 2 and all(type(each) is int for each in exponents), "not two exponents")
        least, most = exponents
        fit = LEAST_POWER <= least <= most <= LARGEST_POWER and most - least < MOST_POWERS
        column.demand(fit, "exponents of no doubles, or too many of them")
        return Column(name, kind, lower=Fraction(least), levels=2 * (most - least + 2) - 1)
    if kind == "date":
        column.fields("name kind from to each unknown null")
        special = read_special(column)
        first, last = read_day(column.at("from")), read_day(column.at("to"))
        column.demand(first <= last, "no day between from and to")
        each = column.at("each").text("day|week|month|year")
        places = range(period(first, each), period(last, each) + 1)
        cells = len(places) + len(special)
        column.demand(len(places) <= MOST_PERIODS, "too many periods")
        periods = (*(period_label(place, each) for place in places), *special) if cells <= INLINE else None
        return Column(name, kind, cells=cells, labels=periods, periods=(first, last, each))
    if kind == "category":
        listed = column.fields("name kind categories unknown null compare?" + " parents?" * grouped)[2]
        special = read_special(column)
        numbers = "compare" in column.value and column.at("compare").text("numbers") != ""
        if type(listed.value) is dict:
            count, digest = listed.fields("count digest")
            count.demand(INLINE < count.whole() <= MOST_CATEGORIES and digest.text(SHA256) != "", "no long list")
            return Column(name, kind, cells=count.value + len(special), categories=count.value)
        labels = [each.text(LABEL) for each in listed.rows()]
        listed.demand(len({*labels}) == len(labels), "one category twice")
        if numbers:
            read_numbers(listed, labels)
        every = (*labels, *special)
        return Column(name, kind, cells=len(every), categories=len(labels), labels=every)
    rule = "missing" if "missing" in column.value else "missing_in_sums"
    fields = column.fields(f"name kind step lower upper {rule}" + " edges outside null" * grouped)
    width, *ends, stand_in = fields[2:6]
    step, lower, upper = width.rational(above=0), *(end.rational() for end in ends)
    dropped = rule == "missing"
    stand_in.demand(not dropped or stand_in.value == "dropped", "not dropped")
    missing = lower if dropped else stand_in.rational()
    width.demand(kind == "number" or step.denominator == 1, "not whole, for integers")
    column.demand(lower <= missing <= upper and lower < upper, "no bounds with the stand-in between them")
    on_step = all((end / step).denominator == 1 for end in (lower, missing, upper))
    width.demand(on_step and (upper - lower) / step <= MOST_LEVELS, "not a part of the bounds, at least 2**-31")
    check_width(column, lower, upper, step)
    counts = "left out" if dropped else "in sums"
    found = Column(name, kind, lower, upper, step, counts, levels=int((upper - lower) / step))
    if not grouped:
        return found
    names = tuple(read_bins(column, found, "null"))
    return found._replace(cells=len(names), labels=names)


def check_width(column: At, lower: Fraction, upper: Fraction, step: Fraction) -> None:
    """Refuse bounds so many steps from zero that no statement reads them in whole numbers.        exact-sums (3)-(5)

    q = floor((floor(c 2**k) times + shift)/divide), for a step that is 2**twos times a quotient of odd numbers.
    """
    column.demand(abs(floor_log2(step)) <= FURTHEST_STEP, "a step outside 2**-900 to 2**900")
    twos = (step.numerator & -step.numerator).bit_length() - (step.denominator & -step.denominator).bit_length()
    k, times, unit = 1 - twos, 1, (step / Fraction(2) ** twos).numerator
    if step / Fraction(2) ** twos != unit:
        k = max(0, 52 - floor_log2(step / 4))  # the least e with 2**e >= 4/step, and 52
        times, unit = 2 * step.denominator, step.numerator << k
    divide, shift = 2 * unit, unit * (1 - 2 * int(lower / step))
    common = math.gcd(times, shift, divide)
    low, high = outward(lower, upper)
    column.demand(math.isfinite(high - low), "bounds beyond the doubles")
    most = math.ceil(max(abs(Fraction(low)), abs(Fraction(high))) * Fraction(2) ** k) + 1
    widest = max(most, (most * times + abs(shift)) // common, divide // common)
    column.demand(widest < WIDEST, "bounds too many steps from zero")


def are_on_steps(column: Column, ends: Sequence[Fraction]) -> bool:
    """Tell whether ends of ranges are multiples of a step that moves cells visibly."""
    fine = column.kind == "number" and column.levels >= COARSE
    return fine or all((end / column.step).denominator == 1 for end in ends)


def are_apart(column: Column, ends: Sequence[Fraction], last: int = 0) -> bool:
    """Tell whether a multiple of the step lies from each end to below the next; `last`: the last end is inside."""
    levels = [math.ceil(end / column.step) for end in ends]
    levels[-1] = math.floor(ends[-1] / column.step) + 1 if last else levels[-1]
    return all(low < high for low, high in pairwise(levels))


def read_dates(condition: At, name: str, first: date, last: date, each: str) -> str:
    """Return a condition on dates: one period, or those from one and below another; every date is from the first on."""
    named = condition.fields("column equals" if "equals" in condition.value else "column from? below?")[1:]
    places = [period_number(label, each) for label in named]
    least = period(first, each) + ("equals" not in condition.value)
    inside = places == sorted({*places}) != [] and places[0] >= least and places[-1] <= period(last, each)
    condition.demand(inside, "no range of periods")
    if "equals" in condition.value:
        return f"{name} = {named[0].value}"
    low = f"{named[0].value} <= " * ("from" in condition.value)
    return low + name + f" < {named[-1].value}" * ("below" in condition.value)


def read_condition(condition: At) -> str:
    """Return a condition as titles write it."""
    column = read_column(condition.at("column"))
    if column.periods is not None:
        return read_dates(condition, column.name, *column.periods)
    if column.kind in ("category", "boolean"):
        equals = condition.fields("column equals")[1].text(LABEL)
        condition.demand(equals in (column.labels or [equals])[: column.categories], "no declared category")
        return f"{column.name} = {equals}"
    ends = [each.rational() for each in condition.fields("column from? below?")[1:]]
    divided = ends == sorted({*ends}) != [] and column.lower < ends[0] and ends[-1] <= column.upper
    condition.demand(divided, "no range that divides the bounds")
    condition.demand(are_on_steps(column, ends) and are_apart(column, ends), "no ends on the steps, with one between")
    low, high = f"{ends[0]} <= " * ("from" in condition.value), f" < {ends[-1]}" * ("below" in condition.value)
    return low + column.name + high


def read_bins(statistic: At, column: Column, missing: str = "missing") -> list[str]:
    """Return the names of bins over numbers, of a histogram or of groups: [edge, next edge), the last one closed."""
    edges = [edge.rational() for edge in statistic.at("edges").rows(MOST_EDGES)]
    inside = len(edges) > 1 and column.lower <= edges[0] and edges[-1] <= column.upper and edges == sorted({*edges})
    statistic.at("edges").demand(inside, "not two or more that increase within the bounds")
    apart = are_on_steps(column, edges) and are_apart(column, edges, last=1)
    statistic.at("edges").demand(apart, "not on the steps, with one in every bin")
    binned = statistic.at("outside").text("dropped|binned") == "binned"
    bins = [f"[{low}, {high}{']' if high == edges[-1] else ')'}" for low, high in pairwise(edges)]
    bins += [f"above {edges[-1]}"] * (binned and edges[-1] < column.upper)
    rule = statistic.at(missing).text("dropped|binned") if missing in statistic.value else "dropped"
    bins += ["(missing)"] * (rule == "binned")
    return [f"below {edges[0]}"] * (binned and edges[0] > column.lower) + bins


def read_groups(by: At) -> list[Column]:
    """Return the columns of groups: one, or a list of several."""
    stated = by.rows(MOST_GROUP_COLUMNS) if type(by.value) is list else [by]
    by.demand(type(by.value) is dict or len(stated) > 1, "a list of one column")
    columns = [read_column(each, grouped=1) for each in stated]
    by.demand(len({column.name for column in columns}) == len(columns), "one column twice")
    return columns


def read_keys(by: At, keys: At) -> tuple[list[Column], list[list[str]]]:
    """Return the columns of groups by keys, all cells in the first, and the few keys.       sensitivities (13a)"""
    columns, numbers = [], []
    for each in by.rows(MOST_GROUP_COLUMNS):
        name, kind, *_ = each.fields("name kind compare?")
        numbers.append("compare" in each.value and each.at("compare").text("numbers") != "")
        columns.append(Column(name.text(NAME), kind.text("key"), cells=1))
    by.demand(len({column.name for column in columns}) == len(columns), "one column twice")
    keys.demand(type(keys.value) is dict and type(keys.value.get("count")) is int, "no list of keys")
    count, digest, *listed = keys.fields("count digest" + " cell" * (keys.value["count"] <= INLINE))
    count.demand(count.whole() <= MOST_KEYS and digest.text(SHA256) != "", "no list of keys")
    rows = [[text.text(LABEL) for text in row.rows()] for each in listed for row in each.rows()]
    for row in rows:
        fitting = len(row) == len(columns) and max(len(text.encode()) for text in row) <= LONGEST_KEY
        keys.demand(fitting, "a key that is none")
    if rows:
        whole = [all(re.fullmatch(KEY_NUMBER, row[i]) for row in rows) for i in range(len(columns))]
        keys.demand(whole == numbers, "keys that are compared in another way")
        keys.demand(len(rows) == count.value == len({*map(tuple, rows)}), "one key twice, or not so many")
        lines = [[column.name for column in columns], *rows]
        text = "".join(",".join('"{}"'.format(each.replace('"', '""')) for each in line) + "\n" for line in lines)
        digest.same("sha256:" + hashlib.sha256(text.encode()).hexdigest())
    return [columns[0]._replace(cells=count.value), *columns[1:]], rows


def read_cells(statistic: At, columns: list[Column]) -> tuple[str, int, list[Any]]:
    """Return the title of a statistic, how many cells it has, and their names where these are at most 1,000.

    A cell is named by a text; by several columns by a list of texts, one for each, a histogram's own cell last.
    """
    title, histogram = statistic.at("kind").text(), statistic.value["kind"] == "histogram"
    if title == "quantiles" and len(statistic.at("at").rows()) == 1:
        share = amount(statistic.at("at").rows()[0].rational())
        title = "median" if share == "0.5" else f"quantile {share}"
    title += f"({', '.join(column.name for column in columns)})" * (columns != [])
    if "where" in statistic.value:
        tests = statistic.at("where").rows()
        title += " where " + " and ".join(map(read_condition, tests))
        tested = {each.value["column"]["name"] for each in tests}
        statistic.at("where").demand(len(tested) == len(tests), "two conditions on one column")
    labels: list[Any] = [""]
    cells = 1
    if histogram:
        labels = read_bins(statistic, columns[0]) if "edges" in statistic.value else list(columns[0].labels or ())
        cells = columns[0].cells or len(labels)
    if "by" in statistic.value:
        keyed, rows = "keys" in statistic.value, list[list[str]]()
        if keyed:
            groups, rows = read_keys(statistic.at("by"), statistic.at("keys"))
        else:
            groups = read_groups(statistic.at("by"))
        names, several, most = [column.name for column in groups], len(groups) > 1, MOST_KEYS if keyed else MOST_CELLS
        alone = histogram or statistic.value["kind"] == "quantiles"
        statistic.demand(not alone or columns[0].name not in names, f"{statistic.value['kind']} of a column by itself")
        title, cells = f"{title} by {', '.join(names)}", cells * math.prod(column.cells for column in groups)
        statistic.demand(cells <= most or not (histogram or several), f"more than {most} cells")
        lists = [*(column.labels or () for column in groups), *[labels] * histogram]
        tuples = product(*lists) if cells <= INLINE else ()
        own = [[label] for label in labels] if histogram else [[]]
        labels = [list(each) if several else " / ".join(each) for each in tuples]
        if keyed:
            labels = [[*row, *cell] for row in rows for cell in own] if cells <= INLINE else []
    return title, cells, labels


class StatedMargins(NamedTuple):  # of a table by several columns, or by the levels of one, its categories first
    names: list[str]  # of the columns
    sizes: list[int]
    lists: list[tuple[str, ...] | None]  # the names of their cells
    asked: list[Margin]
    shares: dict[Margin, Fraction]  # of epsilon, of those that are measured
    everyone: bool  # whether every row has a cell
    known: bool  # whether the total is n
    above: list[list[int]] | None = None  # of a hierarchy: the place of every cell's parent in the next level

    def cells(self, margin: Iterable[int]) -> int:
        return math.prod(self.sizes[i] for i in margin)

    def text(self, margin: Margin) -> str:
        """Return what a margin is called; a name that could be several in quotes."""
        names = (self.names[i] for i in margin)
        plain = (each if each.strip() == each and not {*each} & {*',"'} else json.dumps(each) for each in names)
        return f"by {', '.join(plain)}" if margin else "in total"

    def labels(self, margin: Margin) -> list[Any]:
        """Return the names of cells, where these are at most 1,000."""
        if self.cells(margin) > INLINE:
            return []
        found = product(*(self.lists[i] or () for i in margin))
        return [each[0] for each in found] if len(margin) == 1 else [list(each) for each in found] if margin else [""]


def read_margins(stated: At, relation: StatedRelation, kind: str) -> StatedMargins | None:
    """Return the margins of a table, in their one order, and what each gets of epsilon.              sensitivities (22)

    Under change-one the total of a count is n where no row can be without a cell: it is not measured.
    """
    given, by = "margins" in stated.value, stated.value.get("by", {})
    stated.demand(given == ("shares" in stated.value) and (not given or "by" in stated.value), "no table with margins")
    keys = "keys" in stated.value
    stated.demand(not keys or (not given and "by" in stated.value), "keys without columns, or with margins")
    levels = given and stated.value["margins"] == "hierarchy"
    parents = any("parents" in each for each in (by if type(by) is list else [by]))
    stated.demand(parents == levels and (not levels or type(by) is dict), "no hierarchy of one column with parents")
    if not given:
        return None
    groups, above = read_groups(stated.at("by")), None
    asked: list[Margin] = []
    names = [column.name for column in groups]
    everyone = all(map(keeps_every_row, groups, by if type(by) is list else [by]))
    known = relation.change_one and kind == "count" and "where" not in stated.value and everyone
    listed = stated.at("margins")
    if levels:
        groups, above = read_parents(stated.at("by"), groups[0])
        names = [column.name for column in groups]
        asked = [*[()] * (groups[-1].cells > 1), *((level,) for level in reversed(range(len(groups))))]
    else:
        asked = read_sets(listed, names)
    measured = [margin for margin in asked if margin or not known]
    shares = [each.rational(above=0) for each in stated.at("shares").rows(MOST_MARGINS)]
    stated.at("shares").demand(len(shares) == len(measured) and sum(shares) == 1, "not parts of 1, one for each margin")
    found = StatedMargins(
        names,
        [column.cells for column in groups],
        [column.labels for column in groups],
        asked,
        dict(zip(measured, shares, strict=True)),
        everyone,
        known,
        above,
    )
    listed.demand(levels or len(names) <= MOST_MARGIN_COLUMNS, "a table by too many columns")
    listed.demand(not levels or sum(map(found.cells, asked)) <= MOST_NODES, "a hierarchy of too many cells")
    listed.demand(sum(map(found.cells, measured)) <= MOST_MARGIN_CELLS, f"more than {MOST_MARGIN_CELLS} cells")
    listed.demand(terms_of(found) <= MOST_TERMS, "too many margins to be adjusted")
    return found


def read_sets(listed: At, names: list[str]) -> list[Margin]:
    """Return margins that are sets of columns."""
    listed.demand(type(listed.value) is list and 0 < len(listed.value) <= MOST_MARGINS, "not a list of margins")
    asked: list[Margin] = []
    for each in listed.rows(MOST_MARGINS):
        each.demand(type(each.value) is list and all(name in names for name in each.value), "not some of the columns")
        asked.append(tuple(map(names.index, each.value)))
        each.demand(list(asked[-1]) == sorted({*asked[-1]}), "columns in another order")
    listed.demand(asked == sorted({*asked}, key=lambda margin: (len(margin), margin)), "margins in another order")
    return asked


def read_parents(by: At, column: Column) -> tuple[list[Column], list[list[int]]]:
    """Return the levels of a hierarchy, the categories first, and of every cell the place of its parent.    (22), [8]

    A level lists the parent of every cell below; nodes are in the order in which they are named first. Cells of other
    texts, and of nothing, are their own parents.
    """
    special = read_special(by)
    found, above = [column], []
    for level in by.at("parents").rows(MOST_PARENTS):
        name, of = level.fields("level of")
        parents = [each.text(LABEL) for each in of.rows(MOST_NODES)]
        nodes = {node: place for place, node in enumerate(dict.fromkeys(parents))}
        of.demand(len(parents) == found[-1].categories and not {*special} & {*nodes}, "not a parent of each cell")
        above.append([nodes[node] for node in parents] + [len(nodes) + place for place in range(len(special))])
        labels = (*nodes, *special)
        found.append(Column(name.text(NAME), "category", cells=len(labels), categories=len(nodes), labels=labels))
        name.demand(name.value.strip() != "", "a level without a name")
    by.demand(len({each.name for each in found}) == len(found), "two levels of one name")
    return found, above


class Tree:  # the cells of a hierarchy, numbered from the root
    def __init__(self, margins: StatedMargins) -> None:
        self.starts: dict[Margin, int] = {}
        self.levels: list[Margin] = []
        self.parents, first = [-1], 0
        above = [*(margins.above or []), [0] * margins.sizes[-1]]  # above the highest level is the total
        for margin in margins.asked:
            self.parents += [first + place for place in above[margin[0]]] if self.levels else []
            self.starts[margin] = first = len(self.levels)
            self.levels += [margin] * margins.cells(margin)
        self.children: list[list[int]] = [[] for _ in self.levels]
        for node, parent in enumerate(self.parents[1:], 1):
            self.children[parent].append(node)
        numbers: dict[Any, int] = {}  # of subtrees: what measures the top, and how many there are of each below
        self.shape = [0] * len(self.levels)
        for node in reversed(range(len(self.levels))):
            below = tuple(sorted(Counter(self.shape[child] for child in self.children[node]).items()))
            self.shape[node] = numbers.setdefault((self.levels[node], below), len(numbers))
        self.shapes = list(numbers)
        kinds: dict[tuple[int, int], int] = {}  # nodes whose parents are of one kind, and whose subtrees are alike
        self.kind: list[int] = []  # the first node of its kind
        for node, parent in enumerate(self.parents):
            self.kind.append(kinds.setdefault((self.kind[parent] if node else -1, self.shape[node]), node))

    @property
    def terms(self) -> int:
        """Return a bound on the coefficients of all kinds of nodes: each on the way brings those below it.      (32)"""
        below: list[int] = []
        for _, children in self.shapes:
            below.append(1 + sum(below[shape] for shape, _ in children))
        reached: list[int] = []
        for node, parent in enumerate(self.parents):
            reached.append((reached[parent] if node else 0) + below[self.shape[node]])
        return sum(reached[node] for node in {*self.kind})


def terms_of(margins: StatedMargins) -> int:
    """Return how many coefficients enter all adjusted tables; of an irregular tree, how many kinds of nodes it has."""
    if margins.above is not None:
        tree = Tree(margins)
        return tree.terms if tree.terms <= MOST_TERMS else len({*tree.kind})
    return sum(1 << len({*one} & {*other}) for one in margins.asked for other in margins.shares)


def keeps_every_row(column: Column, stated: dict[str, Any]) -> bool:
    """Tell whether every row has a cell of a column: bins for all that is none, or edges from bound to bound."""
    if "lower" not in stated:
        return bool(stated["unknown"] == stated["null"] == "binned")
    edges = [Fraction(stated["edges"][place]) for place in (0, -1)]
    inside = edges == [column.lower, column.upper]
    return bool(stated["null"] == "binned" and (inside or stated["outside"] == "binned"))


# 3. What follows
class StatedPart(NamedTuple):  # one numerator: its mechanism in each cell, and how the statistic follows from it
    name: str
    sensitivity: int
    lower: int
    upper: int
    factor: Fraction
    shift: Fraction
    whole: bool
    moving: int
    epsilon: Fraction  # of each cell
    margin: Margin | None = None
    finer: int = 1  # than usual the grid is by so much

    @property
    def prints_whole(self) -> bool:
        return self.whole and self.grid.denominator == 1

    @property
    def ends(self) -> tuple[int, int]:
        """Return the first and the last index."""
        ratio = self.noise_scale / self.grid
        return -clamp_index(-self.lower / self.grid, ratio), clamp_index(self.upper / self.grid, ratio)

    @property
    def noise_scale(self) -> Fraction:
        return self.sensitivity / self.epsilon

    @property
    def grid(self) -> Fraction:
        """Return a sixteenth of the least power of two >= the noise scale; at least 1 where values are whole.  [1]

        Of margins at most 1, the unit of all numerators, and 1 where values are whole.                           [8]
        Of trees of levels a 256th of that.                                                                       [9]
        """
        above, below = math.ceil(self.noise_scale) - 1, math.floor(1 / self.noise_scale)  # one of the two is 0
        fine = Fraction(1 << above.bit_length(), 16 * self.finer << max(0, below.bit_length() - 1))
        if self.margin is not None and self.finer == 1:
            return ONE if self.whole else min(fine, ONE)
        return max(fine, ONE) if self.whole else fine

    def value(self, index: int) -> Fraction:
        return self.shift + self.factor * self.grid * index

    def inside(self, value: Fraction) -> Fraction:
        """Return a value, moved to what the statistic can be."""
        return min(max(value, self.shift + self.factor * self.lower), self.shift + self.factor * self.upper)

    def possible(self, index: int) -> Fraction:
        """Return the value of an index, moved to what the statistic can be.                                     [3]"""
        return self.inside(self.value(index))

    def interval(self, index: int, alpha: Fraction) -> tuple[Fraction, Fraction]:
        value, further = self.value(index), reach(self.grid / self.noise_scale, alpha)
        half = self.factor * self.grid * further
        return self.inside(value - half), self.inside(value + half)

    def printed(self, index: int, alpha: Fraction) -> Row:
        """Return value, shown, low, high; ends of whole numbers inward, as the truth is one, of doubles outward. [3]"""
        value, shown, (low, high) = self.value(index), self.possible(index), self.interval(index, alpha)
        if self.prints_whole:
            return int(value), int(shown), math.ceil(low), math.floor(high)
        return float(value), float(shown), *outward(low, high)


def parts_of(
    statistic: StatedStatistic, relation: StatedRelation, grouped: bool, for_count: Fraction, groups: int
) -> Iterator[StatedPart]:
    """Yield the numerators of a statistic, each with the epsilon of its cells.       sensitivities (4)-(13), (18)-(23)

    Under change-one without groups a row that counts may stay and go from one bound to the other, which moves sums of
    some of the rows as well. Then the parts of a mean lose max(sum, sum/2 + count), which is its epsilon. The sums of
    several means have equal parts of what is that of one.
    """
    kind, epsilon, (change_one, n, moved, _) = statistic.kind, statistic.epsilon, relation
    if statistic.margins is not None:
        yield from margin_parts(statistic, statistic.margins, relation)
        return
    if statistic.tree is not None:  # quantiles (15)
        for place, width in enumerate(statistic.tree.widths):
            name, moving = "count at each level" if width == 1 else f"count of each {width} levels", 1 + change_one
            each = epsilon / len(statistic.tree.widths) / moving
            yield StatedPart(name, moved, 0, n, ONE, ZERO, False, moving, each, margin=(place,), finer=256)
        if kind == "magnitudes":  # exploring (2): a row is in the tree, or in one of two counts beside it
            name, each = "count without a number", epsilon / moving
            yield StatedPart(name, moved, 0, n, ONE, ZERO, True, moving, each, margin=WITHOUT)
        return
    stays = change_one and not grouped
    two = 2 if change_one and grouped else 1  # a row may leave one group and enter another: (13)
    if kind in ("count", "histogram"):  # (5), (6)
        yield count_part("count", moved, statistic.cells, relation, epsilon)
        return
    if kind == "persons":  # (20): a person moves each of so many groups by one
        yield StatedPart("persons", 1, 0, n, ONE, ZERO, True, groups, epsilon / groups)
        return
    x, y = statistic.columns[0], statistic.columns[-1]
    several = len(statistic.columns)
    public = stays and not statistic.some  # how many rows count
    if kind in ("variance", "covariance") and public:  # (10), (11)
        most, factor = n * n // 4 * x.levels * y.levels, x.step * y.step / (n * (n - 1))
        least, furthest = 0 if kind == "variance" else -most, (n - 1) * x.levels * y.levels
        yield StatedPart(f"{kind} numerator", furthest, least, most, factor, ZERO, False, 1, epsilon)
    elif public:  # (7); the mean of one row is its sum
        for x in statistic.columns:
            factor, shift = (x.step, n * x.lower) if kind == "sum" else (x.step / n, x.lower)
            total = x.kind == "integer" and (kind == "sum" or n == 1)
            name = "sum above lower" if several == 1 else f"mean of {x.name}"
            yield StatedPart(name, x.levels, 0, n * x.levels, factor, shift, total, 1, epsilon / several)
    elif kind == "sum":  # (8)
        yield sum_part("sum", x, stays, relation, epsilon)
    else:  # (9), (19), (23)-(26): a row that stays moves a sum twice as far as one that comes or goes
        steps, rest = (2, 2 - 2 * for_count) if stays else (moved, 1 - for_count)
        terms = list(centred_terms(statistic))
        part = rest * epsilon / len(terms) / two
        for name, furthest, least, factor in terms:
            low, high = min(0, n * least), n * furthest
            yield StatedPart(name, furthest * steps, low, high, factor, ZERO, False, two, part)
        yield StatedPart("count", moved, 0, n, ONE, ZERO, True, two, for_count * epsilon / two)


def count_part(name: str, moved: int, cells: int, relation: StatedRelation, epsilon: Fraction) -> StatedPart:
    """Return a count in each of some cells: a row that changes leaves one and enters another.               (5), (6)"""
    moving = min(2, cells) if relation.change_one else 1
    return StatedPart(name, moved, 0, relation.rows, ONE, ZERO, True, moving, epsilon / moving)


def sum_part(name: str, column: Column, stays: bool, relation: StatedRelation, epsilon: Fraction) -> StatedPart:
    """Return a sum in each of some cells; where rows stay in theirs, one may go from bound to bound.       (8), (18)"""
    low, high = int(column.lower / column.step), int(column.upper / column.step)
    furthest = max(high, 0) - min(low, 0) if stays else max(abs(low), abs(high)) * relation.moved
    least, most = min(0, relation.rows * low), max(0, relation.rows * high)
    moving = 2 if relation.change_one and not stays else 1  # (13)
    whole = column.kind == "integer"
    return StatedPart(name, furthest, least, most, column.step, ZERO, whole, moving, epsilon / moving)


def centred_terms(statistic: StatedStatistic) -> Iterator[tuple[str, int, int, Fraction]]:
    """Yield the centred sums of a statistic: what a row adds at most and at least, and the unit of it."""
    several = len(statistic.columns) > 1
    for x in statistic.columns:  # (9)
        yield "centred sum" + f" of {x.name}" * several, x.levels, -x.levels, x.step / 2
    if statistic.kind == "covariance":  # (26)
        x, y = statistic.columns
        yield "centred products", x.levels * y.levels, -x.levels * y.levels, x.step * y.step / 4
    for x in statistic.columns if statistic.squares else ():  # (25): counted from half of the largest
        least = 2 * (x.levels % 2) - x.levels**2
        yield "centred squares" + f" of {x.name}" * several, x.levels**2, least, x.step**2 / 8


def margin_parts(statistic: StatedStatistic, margins: StatedMargins, relation: StatedRelation) -> Iterator[StatedPart]:
    """Yield the measured margins: each a table of its own, at its share of epsilon.               sensitivities (22)"""
    change_one, n, moved, _ = relation
    moved = 1 if statistic.kind == "persons" else moved  # each in one cell of every margin: persons (17)
    for margin, share in margins.shares.items():
        name, spent = f"{statistic.kind} {margins.text(margin)}", share * statistic.epsilon
        if statistic.kind != "sum":
            part = count_part(name, moved, margins.cells(margin), relation, spent)
        else:
            column, stays = statistic.columns[0], change_one and margins.cells(margin) == 1
            part = sum_part(name, column, stays, relation, spent)
            if stays and margins.everyone and not statistic.some and not margin:
                least, most = (int(n * end / column.step) for end in (column.lower, column.upper))
                part = part._replace(sensitivity=column.levels, lower=least, upper=most)
        yield part._replace(margin=margin)


class StatedStatistic(NamedTuple):
    kind: str
    epsilon: Fraction
    alpha: Fraction
    columns: list[Column]
    title: str
    cells: int
    labels: list[Any]  # texts, or lists of them; none where there are more than 1,000 cells
    some: bool  # whether only some rows count: those that meet conditions, or that have the number
    released: list[tuple[StatedPart, list[int]]]  # with the indices of the cells
    margins: StatedMargins | None = None
    tree: StatedTree | None = None
    squares: bool = False  # whether centred squares are among the parts

    @property
    def counted(self) -> bool:
        """Tell whether it follows from sums and a count."""
        return self.released[-1][0].name == "count"

    def cells_of(self, margin: Margin | None) -> tuple[int, list[Any]]:
        """Return how many cells a part has, or what is derived, and their names."""
        if self.tree is not None:
            cells = self.cells * self.tree.count(margin)
            return cells, self.tree.names(margin, self.labels) if cells <= INLINE else []
        if self.margins is None or margin is None:
            return self.cells, self.labels
        return self.margins.cells(margin), self.margins.labels(margin)


def read_bounds(stated: At, relation: StatedRelation, cells: int) -> tuple[StatedRelation, int]:
    """Return the relation with the rows of a person that a statistic keeps, and in how many groups one counts."""
    if "rows_per_person" in stated.value:
        own = stated.at("rows_per_person")
        own.demand(own.whole() != relation.moved, "what the record says is not said again")
        relation = relation._replace(moved=own.whole())
    groups = stated.at("groups_per_person").whole() if "groups_per_person" in stated.value else 1
    stated.demand(groups <= cells, "a person in more groups than there are")
    return relation, groups


def read_statistic(stated: At, relation: StatedRelation) -> StatedStatistic:
    """Return a statistic whose parts are what follows from their declaration and their indices."""
    kind, grouped = stated.at("kind").text("|".join(KINDS)), "by" in stated.value
    wanted, names = KINDS[kind]
    kinds = "number|integer|category|boolean|date" if kind == "histogram" else "number|integer"
    kinds = "magnitude" if kind == "magnitudes" else kinds
    columns = [read_column(each, kinds) for each in stated.at("columns").rows(MOST_MEANS)] if wanted else []
    several = kind == "mean" and len(columns) > 1
    different = len({column.name for column in columns})
    stated.demand(different == len(columns) and (several or different == wanted), "not so many different columns")
    binned = kind == "histogram" and columns[0].kind in ("number", "integer")
    names += " edges outside missing" * binned
    dropped = stated.value.get("missing") == "dropped" if binned else any(x.missing == "left out" for x in columns)
    some = "where" in stated.value or dropped
    public = relation.change_one and not grouped and not some  # how many rows count
    names += " count_share" * (kind in CENTRED and not public) + " complete" * (several and dropped)
    names += " correlation?" * (kind == "covariance" and not public)
    names += " groups_per_person" * (kind == "persons" and grouped)
    names += " rows_per_person?" * (relation.person and kind != "persons")
    stated.demand(kind != "persons" or relation.person, "no column names the persons")
    _, title, epsilon, alpha, parts, *_ = stated.fields("kind title epsilon alpha parts " + names)
    stated.demand(kind not in ("variance", "covariance") or relation.rows > 1, "needs two rows")
    stated.demand(kind != "count" or not public, "how many rows there are is public")
    found = StatedStatistic(
        kind,
        epsilon.rational(above=0),
        alpha.rational(0, 1),
        columns,
        *read_cells(stated, columns),
        some=some,
        released=[],
        margins=read_margins(stated, relation, kind),
        squares=(kind == "variance" and not public) or "correlation" in stated.value,
    )
    alpha.demand(found.alpha >= SMALLEST_ALPHA, "below 2**-940")
    for key in ("complete", "correlation"):
        stated.demand(stated.value.get(key, True) is True, f"{key}: not true")
    if kind in ("quantiles", "magnitudes"):
        found = found._replace(tree=read_tree(stated, found, public and kind == "quantiles"))
    title.same(found.title + " with margins" * (found.margins is not None))
    for_count = stated.at("count_share").rational(0, 1) if "count_share" in stated.value else HALF
    stated.demand(grouped or not relation.change_one or for_count >= HALF, "a count_share below 1/2 where half is free")
    relation, groups = read_bounds(stated, relation, found.cells)
    stated.demand(groups == 1 or found.margins is None, "margins of persons who count in several cells")
    expected = list(parts_of(found, relation, grouped, for_count, groups))
    for column, total in zip(columns, expected, strict=False) if kind == "mean" and not public else ():
        grid = total.factor * total.grid / relation.rows  # of the finest mean: that of the largest table
        stated.demand(are_printable(max(abs(column.lower), abs(column.upper)), grid), "a mean that no double prints")
    parts.demand(len(parts.rows(MOST_MARGINS)) == len(expected), "not so many parts")
    for each, part in zip(parts.rows(), expected, strict=True):
        found.released.append((part, check_part(each, part, found)))
    return found


def check_part(stated: At, part: StatedPart, statistic: StatedStatistic) -> list[int]:
    """Compare a part with what follows from its declaration and its indices; return these."""
    low, high = part.ends
    clamp = [part.grid * end for end in (low, high)]
    far = max(abs(low), abs(high), math.ceil(max(map(abs, clamp)) / part.grid))
    stated.demand(far <= LARGEST_INDEX, "a clamp beyond 2**52 steps of the grid")
    cells, _ = statistic.cells_of(part.margin)
    check_size(stated, part, clamp, cells)
    exact = ("epsilon", "sensitivity", "lower", "upper", "factor", "shift", "grid", "noise_scale")
    derived: dict[str, Any] = {key: str(getattr(part, key)) for key in exact}
    derived |= {"name": part.name, "moving": part.moving, "whole": part.prints_whole, "clamp": list(map(str, clamp))}
    texts = [each for text in (*(derived[key] for key in exact), *derived["clamp"]) for each in text.split("/")]
    stated.demand(max(len(each.lstrip("-")) for each in texts) <= MOST_DIGITS, "a number of very many digits")
    indices: list[int] = []
    for each in stated.at("index").rows() if cells <= INLINE else ():
        each.demand(type(each.value) is int and low <= each.value <= high, f"not a whole number from {low} to {high}")
        indices.append(each.value)
    derived |= {"index": indices} if indices else {}
    derived |= margin_named(statistic, part.margin)
    numbers = [part.printed(index, statistic.alpha) for index in indices]
    check_block(stated, derived, statistic, part.margin, numbers)
    return indices


def margin_named(statistic: StatedStatistic, margin: Margin | None) -> dict[str, Any]:
    """Return what a block says of the margin that it is."""
    if statistic.margins is None or margin is None:
        return {}
    return {"margin": [statistic.margins.names[i] for i in margin]}


def check_size(stated: At, part: StatedPart, clamp: list[Fraction], cells: int) -> None:
    """Refuse outputs that no double holds, or prints apart from each other; or no column of a file."""
    far = max(map(abs, clamp)) <= sys.float_info.max and part.grid >= Fraction(1, 1 << 1074)
    values = [abs(part.shift + part.factor * each) for each in clamp]
    stated.demand(far and max(values) < LARGEST, "outputs beyond the doubles")
    stated.demand(part.whole or are_printable(max(values), part.factor * part.grid), "outputs that no double prints")
    ends = [*values, *(abs(part.shift + part.factor * each) for each in (part.lower, part.upper))]
    stated.demand(cells <= INLINE or not part.prints_whole or max(ends) < LARGEST_WHOLE, "whole numbers beyond 64 bits")


def check_block(
    stated: At,
    derived: dict[str, Any],
    statistic: StatedStatistic,
    margin: Margin | None,
    numbers: Sequence[Row] | None,
) -> None:
    """Compare a block of numbers, one for each cell; where these are in a file, that is named but not opened.

    numbers   None where they follow from such a file: then only their form is looked at
    """
    cells, labels = statistic.cells_of(margin)
    if cells > INLINE:
        digest = stated.at("file").at("digest").text(SHA256)
        derived["file"] = {"name": f"snapdp-{digest[7:39]}.parquet", "digest": digest, "rows": cells}
    elif numbers is None:
        whole = margin is None and statistic.columns[0].is_whole  # of quantiles
        derived |= {"cell": labels, **{name: read_numbers_of(stated.at(name), cells, whole) for name in NUMBERS}}
        rows, least, most = zip(derived["low"], derived["shown"], derived["high"], strict=True), -math.inf, math.inf
        if margin is None and statistic.tree is not None:  # quantiles are values of their column
            least, most = outward(statistic.columns[0].lower, statistic.columns[0].upper)
        stated.demand(all(least <= low <= each <= high <= most for low, each, high in rows), "numbers that cannot be")
    else:
        columns = {name: [row[place] for row in numbers] for place, name in enumerate(NUMBERS)}
        derived |= {"cell": labels, **columns}
    stated.same(derived | {"cells": cells})


def read_numbers_of(stated: At, cells: int, whole: bool) -> list[float]:
    """Return as many doubles, or whole numbers, as there are cells."""
    for each in stated.rows():
        each.demand(type(each.value) is (int if whole else float) and math.isfinite(each.value), "not a number")
    stated.demand(len(stated.value) == cells, "not so many numbers")
    return list(stated.value)


def means(statistic: StatedStatistic, place: int) -> Iterator[Row]:
    """Yield middle + centred sum / count, inside the bounds; both intervals at half of alpha. sensitivities (9), [4]"""
    column, (sums, totals), (counts, numbers) = statistic.columns[place], *(statistic.released[i] for i in (place, -1))
    middle = (column.lower + column.upper) / 2
    for total, number in zip(totals, numbers, strict=True):
        rows = counts.value(number)
        value = middle + sums.value(total) / rows if rows > 0 else middle
        fewest, most = counts.interval(number, statistic.alpha / 2)
        ends = [column.lower, column.upper]  # of a group that may be empty nothing is known
        if fewest >= 1:
            ends = [middle + end / n for end in sums.interval(total, statistic.alpha / 2) for n in (fewest, most)]
        inside = [min(max(each, column.lower), column.upper) for each in (value, min(ends), max(ends))]
        yield float(inside[0]), float(inside[0]), *outward(inside[1], inside[2])


def shares(statistic: StatedStatistic, relation: StatedRelation) -> Iterator[Row]:
    """Yield each cell's part of n; of some rows, or a private n, of the released total, without an interval.   [4]"""
    ((counts, indices),), n = statistic.released, relation.rows
    public = relation.change_one and not statistic.some
    total = n if public else sum(max(counts.value(index), ZERO) for index in indices) or ONE
    yield from parts_of_total(counts, indices, total, statistic.alpha if public else None)


def parts_of_total(
    counts: StatedPart, indices: list[int], total: Fraction | int, alpha: Fraction | None
) -> Iterator[Row]:
    """Yield each count's part of a total, with an interval where that is public."""
    for index in indices:
        value = float(min(max(counts.value(index), ZERO) / total, ONE))
        ends = (None, None) if alpha is None else outward(*(end / total for end in counts.interval(index, alpha)))
        yield value, value, *ends


def moments(one: StatedStatistic, x: int, y: int, products: int, inputs: int) -> Iterator[Exact]:
    """Yield (products - sum * sum / count)/(count - 1) of two columns, or of one, whose products are squares.

    Columns and products are named by their places; each of so many inputs has its part of alpha. sensitivities (27)
    """
    first, second = (one.columns[i].upper - one.columns[i].lower for i in (x, y))
    most, extra = first * second / 2, first * second / 8 if x == y else ZERO  # a square lacks extra for each row
    least, drawn = ZERO if x == y else -most, [one.released[i] for i in (x, y, products, -1)]
    for cell in range(len(drawn[0][1])):
        s, t, e, n = (part.value(indices[cell]) for part, indices in drawn)
        value = (extra * n * n + e * n - s * t) / (n * (n - 1)) if n >= 2 else (least + most) / 2
        found = [part.interval(indices[cell], one.alpha / inputs) for part, indices in drawn]
        corners = [a * b for a in found[0] for b in found[1]]
        smallest = max(found[0][0], -found[0][1], ZERO) ** 2 if x == y else min(corners)
        fewest, largest = math.ceil(found[3][0]), math.floor(found[3][1])
        low, high = least, most  # of fewer than two rows nothing is known
        if 2 <= fewest <= largest:
            narrow = Fraction(2 * (fewest * fewest // 4), fewest * (fewest - 1))  # (10)
            ends = (
                min(turns(extra, found[2][0], max(corners), fewest, largest)),
                max(turns(extra, found[2][1], smallest, fewest, largest)),
            )
            low, high = (min(max(end, narrow * least), narrow * most) for end in ends)
        yield min(max(value, least), most), low, high


def turns(r: Fraction, e: Fraction, t: Fraction, fewest: int, most: int) -> list[Fraction]:
    """Return (r n n + e n - t)/(n (n - 1)) where it may be least or largest over whole n.        sensitivities (28)"""
    places, unit = {fewest, most}, math.lcm(r.denominator, e.denominator, t.denominator)
    a, b = int(abs(t) * unit), int(abs(r + e) * unit)
    if (r + e) * t > 0 and a >= b:
        place = (a + math.isqrt(a * a - a * b)) // b
        places |= {min(max(each, fewest), most) for each in (place, place + 1)}
    return [(r * n * n + e * n - t) / (n * (n - 1)) for n in places]


def correlation(covariance: Exact, first: Exact, second: Exact) -> Row:
    """Return covariance / root(variance * variance), inside -1 to 1, from three numbers and their intervals.   [4]"""
    (value, low, high), (of_x, *x), (of_y, *y) = covariance, first, second
    narrow, wide = x[0] * y[0], x[1] * y[1]
    pairs = (value, of_x * of_y), (low, narrow if low < 0 else wide), (high, narrow if high > 0 else wide)
    quotient, *ends = (min(max(root(top * abs(top) / (square or ONE)), -ONE), ONE) for top, square in pairs)
    known = float(quotient) if min(of_x, of_y) > 0 else 0.0
    return known, known, *(outward(ends[0], ends[1]) if narrow else (-1.0, 1.0))


# 4. Margins made to add up: [8]
def subsets(margin: Margin) -> list[Margin]:
    return [part for size in range(len(margin) + 1) for part in combinations(margin, size)]


class Adjusted:
    """The least squares tables of measured margins.                                          adjusted-tables (2)-(6)"""

    def __init__(self, margins: StatedMargins, parts: Sequence[StatedPart], n: int) -> None:
        self.margins, self.n = margins, n
        self.noises = {part.margin: (part.noise_scale, part.grid) for part in parts if part.margin is not None}

    @lru_cache(maxsize=1024)  # noqa: B019
    def weights(self, part: Margin) -> dict[Margin, Fraction]:
        """Return what each measured margin contributes to a part.                              (2), (3), (15)"""
        found = {}
        for source, (scale, grid) in self.noises.items():
            if {*part} <= {*source}:
                found[source] = 1 / ((2 * scale**2 + grid**2 / 12) * self.margins.cells({*source} - {*part}))
        return {source: each / sum(found.values()) for source, each in found.items()}

    def noisy(self, margin: Margin) -> list[Margin]:
        """Return the parts of a margin that are not known."""
        return [part for part in subsets(margin) if part or not self.margins.known]

    def table(self, margin: Margin, measured: dict[Margin, Table]) -> list[Fraction]:
        """Return the adjusted cells of a margin, in their order.                                                (4)"""
        found = [ZERO] * self.margins.cells(margin)
        for part in subsets(margin):
            mean = self.part(part, measured)
            share = Fraction(1, self.margins.cells({*margin} - {*part}))
            axes = [margin.index(i) for i in part]
            for place, cell in enumerate(product(*(range(self.margins.sizes[i]) for i in margin))):
                found[place] += mean[tuple(cell[axis] for axis in axes)] * share
        return found

    def part(self, part: Margin, measured: dict[Margin, Table]) -> Table:
        """Return what a part adds to its own parts: the weighted mean, centred over each of its columns.        (3)"""
        if part == () and self.margins.known:
            return {(): Fraction(self.n)}
        found = dict.fromkeys(product(*(range(self.margins.sizes[i]) for i in part)), ZERO)
        for source, weight in self.weights(part).items():
            axes = [source.index(i) for i in part]
            for cell, value in measured[source].items():
                found[tuple(cell[axis] for axis in axes)] += weight * value
        for axis, i in enumerate(part):
            sums: Table = {}
            for cell, value in found.items():
                line = cell[:axis] + cell[axis + 1 :]
                sums[line] = sums.get(line, ZERO) + value
            size = self.margins.sizes[i]
            found = {cell: value - sums[cell[:axis] + cell[axis + 1 :]] / size for cell, value in found.items()}
        return found

    def coefficients(self, margin: Margin) -> Counter[Entry]:
        """Return with which coefficient how many cells of every measured margin enter a cell.                   (6)"""
        found: Counter[Entry] = Counter()
        cells, sizes = self.margins.cells, self.margins.sizes
        for source in self.noises:
            common = tuple(i for i in source if i in margin)
            for agreeing in subsets(common):
                value = ZERO
                for part in self.noisy(common):
                    sign = math.prod((i in agreeing) - Fraction(1, sizes[i]) for i in part)
                    value += self.weights(part)[source] * sign / cells({*margin} - {*part})
                differing = math.prod(sizes[i] - 1 for i in common if i not in agreeing)
                found[source, value] += differing * cells({*source} - {*common})
        return found

    def laws(self, margin: Margin) -> tuple[list[list[Law]], list[int]]:
        """Return the noises of every kind of cell, here one, and of which kind each cell is."""
        return [merged(self.coefficients(margin), self.noises)], [0] * self.margins.cells(margin)

    def radii(self, _: Margin, kinds: list[list[Law]], alpha: Fraction, __: int) -> list[Fraction]:
        """Return the radius of every kind of cell.                                                              (30)"""
        return list(map(partial(kind_radius, alpha), kinds))


def kind_radius(alpha: Fraction, laws: list[Law]) -> Fraction:
    return radius(tuple(laws), alpha - sum(law[2] for law in laws) * GAMMA)


def merged(coefficients: Counter[Entry], noises: dict[Margin, tuple[Fraction, Fraction]]) -> list[Law]:
    """Return the noises that a cell is the sum of, equal ones together."""
    found: Counter[tuple[Fraction, Fraction]] = Counter()
    for (source, value), count in coefficients.items():
        if value:
            scale, grid = noises[source]
            found[abs(value) * scale, grid / scale] += count
    laws = [(scale, x, count) for (scale, x), count in found.items() if count]
    return sorted(laws, key=lambda law: (law[2] * law[0] ** 2, law[0], law[1]), reverse=True)


NOTHING: Spread = ({}, [])


def spread(parts: Iterable[tuple[Fraction, int, Spread]]) -> Spread:
    """Return a sum of independent sums of noises, each with its factor and how often it is there.             (34)"""
    squares: dict[Margin, Fraction] = {}
    scales: Scales = []
    for factor, count, (inner, largest) in parts:
        if factor:
            for source, square in inner.items():
                squares[source] = squares.get(source, ZERO) + count * factor**2 * square
            scales += [(abs(factor) * scale, x) for scale, x in largest[:2]] * min(count, 4)
    return squares, sorted(scales, reverse=True)[:4]


def without(whole: Spread, part: Spread) -> Spread:
    """Return a sum without one of those that were added."""
    left = {source: square - part[0].get(source, ZERO) for source, square in whole[0].items()}
    scales = Counter(whole[1]) - Counter(part[1][:2])
    return {source: square for source, square in left.items() if square}, sorted(scales.elements(), reverse=True)[:2]


class AdjustedTree(Tree):
    """The least squares levels of a hierarchy.                                              adjusted-tables (8)-(11)"""

    def __init__(self, margins: StatedMargins, parts: Sequence[StatedPart], n: int) -> None:
        super().__init__(margins)
        self.margins, self.n = margins, n
        self.noises = {part.margin: (part.noise_scale, part.grid) for part in parts if part.margin is not None}
        self.numbers: list[tuple[Fraction, Fraction, Fraction]] = []  # of every shape: u, U, and u/s
        self.profiles: list[Counter[Entry]] = []  # with which coefficients a subtree enters its z
        self.spreads: list[tuple[Spread, Spread]] = []  # or of an irregular tree Z and z of every shape
        self.bounded = self.terms > MOST_TERMS
        for level, children in self.shapes:  # (8), (15)
            summed = sum((self.numbers[shape][0] * count for shape, count in children), ZERO)
            scale, grid = self.noises.get(level, (ZERO, ZERO))
            variance = 2 * scale**2 + grid**2 / 12
            own = ONE if not children else summed / (variance + summed) if variance else ZERO
            average = own * variance if variance else summed
            if self.bounded:  # (33)
                own, average = Fraction(math.floor(own * (1 << 32)), 1 << 32), rounded_up(average, 32)
            self.numbers.append((average, summed, own))
            if self.bounded:
                below = spread((ONE, count, self.spreads[shape][1]) for shape, count in children)
                self.spreads.append((below, spread([(own, 1, self.alone(level)), (1 - own, 1, below)])))
                continue
            profile = Counter({(level, own): 1} if own else {})
            for shape, count in children:
                for (source, value), times in self.profiles[shape].items():
                    profile[source, (1 - own) * value] += count * times
            self.profiles.append(profile)
        self.solved: list[Fraction] = []
        self.nodes = self.going_down() if self.bounded else {}

    def alone(self, level: Margin) -> Spread:
        scale, grid = self.noises.get(level, (ZERO, ZERO))
        return ({level: ONE}, [(scale, grid / scale)]) if scale else NOTHING

    def going_down(self) -> dict[int, Spread]:
        """Return what every kind of node is the sum of: x = W + beta Z, W and beta from those of its parent.   (34)"""
        found: dict[int, Spread] = {}
        above: dict[int, tuple[Spread, Fraction]] = {}
        for node in sorted({*self.kind}):
            own, measured = self.numbers[self.shape[node]][2], self.alone(self.levels[node])
            if node:
                w, beta = above[self.kind[self.parents[node]]]
                share = self.share(node)
                passed = share * (beta - 1)
                beside = without(self.spreads[self.shape[self.parents[node]]][0], self.spreads[self.shape[node]][1])
                w = spread([(share, 1, w), (passed, 1, beside), ((1 + passed) * own, 1, measured)])
                above[node] = w, (1 + passed) * (1 - own)
            else:
                w = NOTHING if self.margins.known else spread([(own, 1, measured)])
                above[node] = w, ZERO if self.margins.known else 1 - own
            found[node] = spread([(ONE, 1, w), (above[node][1], 1, self.spreads[self.shape[node]][0])])
        return found

    def share(self, node: int) -> Fraction:  # (9)
        return self.numbers[self.shape[node]][0] / self.numbers[self.shape[self.parents[node]]][1]

    def table(self, margin: Margin, measured: dict[Margin, Table]) -> list[Fraction]:
        """Return the adjusted cells of a level: averages going up, then differences going down.            (8), (9)"""
        if not self.solved:
            given = [each for level in self.margins.asked for each in measured.get(level, {(): ZERO}).values()]
            average, sums = given[:], [ZERO] * len(given)
            for node in reversed(range(len(given))):
                own = self.numbers[self.shape[node]][2]
                average[node] = own * given[node] + (1 - own) * sums[node]
                if node:
                    sums[self.parents[node]] += average[node]
            self.solved = [Fraction(self.n) if self.margins.known else average[0]]
            for node, parent in enumerate(self.parents[1:], 1):
                self.solved.append(average[node] + self.share(node) * (self.solved[parent] - sums[parent]))
        start = self.starts[margin]
        return self.solved[start : start + self.margins.cells(margin)]

    def laws(self, margin: Margin) -> tuple[list[list[Law]], list[int]]:
        """Return the noises of every kind of cell, and of which kind each cell is."""
        kinds = self.kinds(margin)
        different = list(dict.fromkeys(kinds))
        places = {kind: place for place, kind in enumerate(different)}
        listed = self.squares if self.bounded else lambda kind: merged(self.coefficients(kind), self.noises)
        return [*map(listed, different)], [places[kind] for kind in kinds]

    def kinds(self, margin: Margin) -> list[int]:
        return self.kind[self.starts[margin] : self.starts[margin] + self.margins.cells(margin)]

    def squares(self, kind: int) -> list[Law]:  # of coefficients, in place of how many there are
        squares = self.nodes[kind][0].items()
        return [(scale, grid / scale, square) for level, square in squares for scale, grid in [self.noises[level]]]

    def radii(self, margin: Margin, kinds: list[list[Law]], alpha: Fraction, entering: int) -> list[Fraction]:
        if not self.bounded:
            return list(map(partial(kind_radius, alpha), kinds))
        heads = (self.nodes[kind][1] for kind in dict.fromkeys(self.kinds(margin)))
        return [bounded_radius(laws, head, alpha - entering * GAMMA) for laws, head in zip(kinds, heads, strict=True)]

    def coefficients(self, node: int) -> Counter[Entry]:
        """Return with which coefficient how many cells of every measured level enter a node.                   (11)"""
        path, weights = [node], [ONE]
        while path[-1]:
            weights.append(self.share(path[-1]) * weights[-1])
            path.append(self.parents[path[-1]])
        found: Counter[Entry] = Counter()
        reached = weights[-1]
        for place in reversed(range(len(path))):
            shape, known = self.shape[path[place]], self.margins.known and not path[place]
            own = self.numbers[shape][2]
            found[self.levels[path[place]], ZERO if known else reached * own] += 1
            spread = (ZERO if known else reached * (1 - own)) - (weights[place] if place else ZERO)
            beside = Counter(dict(self.shapes[shape][1]))
            if place:
                reached = weights[place - 1] + spread
                beside[self.shape[path[place - 1]]] -= 1
            for other, count in beside.items():
                for (source, value), times in self.profiles[other].items():
                    found[source, spread * value] += count * times
        return found


def deviation(laws: Sequence[Law], factor: Fraction) -> float:
    """Return the standard deviation of a sum of noises, rounded up to 24 bits.                               (13)"""
    low, high = ZERO, ZERO
    for scale, x, count in laws:  # (1 + q) e**(-x/2)/(1 - q)**2 of the grid squared, q = e**-x
        bits = 256 + 3 * math.ceil(x)
        (q, more), (root_q, above) = exp_minus(x, bits), exp_minus(x / 2, bits)
        one, square = 1 << bits, count * (scale * x) ** 2
        low += square * Fraction((one + q) * root_q, (one - q) ** 2)
        high += square * Fraction((one + more) * above, (one - more) ** 2)
    if not laws:
        return 0.0
    (least, left), (most, right) = root_floor(low, 128), root_floor(high, 128)
    found = rounded_up(factor * Fraction(least, 1 << left), 24)
    if found != rounded_up(factor * Fraction(most + 1, 1 << right), 24):
        raise Undecided("a deviation too near to a boundary to be decided")
    return float(found)


def exponential(x: Fraction, bits: int) -> int:
    """Return an integer within 2**20 of 2**(bits + GUARD) e**x."""
    wide = bits + GUARD + 3 * math.ceil(abs(x)) + 40  # e**|x| has at most 1.5 |x| bits: its error grows twice by that
    small, _ = exp_minus(abs(x), wide)
    return ((1 << 2 * wide) // small if x > 0 else small) >> (wide - bits - GUARD)


@lru_cache(maxsize=64)
def pi(bits: int) -> int:
    """Return an integer within 2**20 of 2**(bits + GUARD) pi = 16 atan(1/5) - 4 atan(1/239), in these units."""
    total = 0
    for factor, n in ((16, 5), (-4, 239)):
        power, k = (1 << (bits + GUARD + 40)) // n, 0
        while power:
            total += factor * (-1) ** k * (power // (2 * k + 1))
            power //= n * n
            k += 1
    return total >> 40


def cosine(turns: Fraction, bits: int) -> int:
    """Return the floor of 2**bits cos(2 pi turns); halves are exact."""
    wide = bits + GUARD + 60
    angle = pi(wide) * 2 * (turns % 1).numerator // (turns % 1).denominator >> GUARD + 10  # a 1024th of it
    square = angle * angle >> wide
    term = total = 1 << wide
    k = 0
    while term:
        k += 2
        term = (term * square >> wide) // (k * (k - 1))
        total += -term if k % 4 else term
    for _ in range(10):  # cos 2a = 2 cos(a)**2 - 1
        total = (total * total >> (wide - 1)) - (1 << wide)
    near = total >> (wide - bits - GUARD)
    if turns.denominator in (1, 2, 3, 4, 6):
        return round(Fraction(near, 1 << (bits + GUARD - 1))) * (1 << bits) // 2
    return floored(near)


def floored(near: int) -> int:
    """Return the floor, of which an integer near it with GUARD more bits leaves no doubt."""
    if (near - (1 << 48)) >> GUARD != (near + (1 << 48)) >> GUARD:
        raise Undecided("a constant too near to a boundary to be decided")
    return near >> GUARD


@lru_cache(maxsize=1024)
def radius(laws: tuple[Law, ...], level: Fraction) -> Fraction:
    """Return a number that a sum of noises exceeds with probability level at most.                        (16)-(28)"""
    if not laws:
        return ZERO
    if len(laws) == 1 and laws[0][2] == 1:  # (28): (k - 1) steps, k the least with e**(-(k - 1/2) x) <= level
        ((scale, x, _),) = laws
        k = first_where(1, 1 << 62, lambda k: at_most([(k - HALF) * x], level))
        return (k - 1) * scale * x
    if all(x >= 2 * math.ceil(sum(m for _, _, m in laws) / level).bit_length() for _, x, _ in laws):  # (28a)
        return ZERO
    lost = sum(m * (3 + (1 << 22) * math.ceil((1 + x / 2) / (x / 2) ** 2)) for _, x, m in laws)
    width = 128 + lost.bit_length()
    one = 1 << width
    cosh = [floored((exponential(x / 2, width) + exponential(-x / 2, width)) >> 1) for _, x, _ in laws]
    variance = sum((2 * m * s * s * Fraction(c + 1, one) for (s, _, m), c in zip(laws, cosh, strict=True)), ZERO)
    circle = circumference(variance, max(law[0] for law in laws), level)
    kept, dropped = frequencies(laws, cosh, circle, level, width)
    inverse = floored((1 << (2 * (width + GUARD))) // pi(width))

    def holds(j: int) -> bool:  # (26)
        turned, sines = cosine(Fraction(j, PLACES), width), [0, cosine(Fraction(j, PLACES) - Fraction(1, 4), width)]
        while len(sines) <= len(kept):
            sines.append((2 * turned * sines[-1] >> width) - sines[-2])
        total = sum(t * sine for t, sine in zip(kept, sines[1:], strict=False))
        outside = 1 - Fraction(2 * j, PLACES) - Fraction(2 * inverse * total, one**3)
        return outside + Fraction(1, 1 << 100) + Fraction(2 * dropped, 3 * one) <= Fraction(255, 256) ** 2 * level

    found = min(first_where(0, PLACES // 2, holds) + SMEAR, PLACES // 2) * circle / PLACES
    steps = [s * x for s, x, _ in laws]
    common = math.lcm(*(each.denominator for each in steps))
    spacing = Fraction(math.gcd(*(int(each * common) for each in steps)), common)
    return spacing * math.floor(found / spacing) if spacing >= circle / PLACES else found  # (27)


def bounded_radius(laws: Sequence[Law], largest: Scales, level: Fraction) -> Fraction:
    """Return a wider radius, from the two largest scales and a sum of squares.                      (16), (18), (19)"""
    if not laws:
        return ZERO
    (b, x), second = largest[0], largest[1][0] if largest[1:] else ZERO

    def above(y: Fraction) -> Fraction:
        return Fraction(floored((exponential(y, 64) + exponential(-y, 64)) >> 1) + 1, 1 << 64)

    rest = sum((2 * above(x / 2) * scale**2 * square for scale, x, square in laws), ZERO) - 2 * above(x / 2) * b**2
    w, r = (rounded_up(each, 32) if each else ZERO for each in (rest / b**2, second / b))
    reached = exponent(2 / level)
    tried = (Fraction(k, 8 << i) for i in range(12) for k in range(5, 9))
    pairs = ((a, (r * a) ** 2) for a in tried if r * a < 1)
    least = min(reached / a + w * a * (6 - 5 * q) / ((1 - q) * (6 - 2 * q)) / 2 for a, q in pairs)
    return rounded_up(b * (x / 2 - Fraction(9, 13) + least), 24)


def exponent(factor: Fraction) -> Fraction:
    """Return the least multiple L of 1/64 with (65/64)**(64 L) >= factor.                                     (18)"""
    steps, grown, needed = 0, factor.denominator, factor.numerator
    while grown < needed:
        steps, grown, needed = steps + 1, grown * 65, needed * 64
    return Fraction(steps, 64)


def circumference(variance: Fraction, largest: Fraction, level: Fraction) -> Fraction:
    """Return the circle on which the law is laid, rounded up to 8 bits.                                 (17), (18)"""
    reached = exponent(512 / level)
    floor, shift = root_floor(2 * variance * reached, 24)
    return rounded_up(2 * (Fraction(1 + floor, 1 << shift) + largest * reached), 8)


def frequencies(
    laws: Sequence[Law], cosh: Sequence[int], circle: Fraction, level: Fraction, width: int
) -> tuple[list[int], int]:
    """Return the terms of the law on the circle, and how much was left out with the last of them.      (21)-(25)"""
    one, m = 1 << width, FREQUENCIES
    kernel = [math.comb(2 * m + 1 - n, 3) - 4 * math.comb(max(0, m + 1 - n), 3) for n in range(2 * m - 1)]
    products, dropped = [one] * (2 * m - 2), 0
    for (scale, x, count), c in zip(laws, cosh, strict=True):
        a = floored((exponential(x, width) + exponential(-x, width) - (2 << (width + GUARD))) >> 2)
        u = [one, cosine(scale * x / circle, width)]
        while len(u) <= len(products):
            u.append((2 * u[1] * u[-1] >> width) - u[-2])
        for n in range(1, len(products) + 1):
            far = max(0, one - u[n])
            factor = power = max(0, one - c * far // (2 * a + far))
            for digit in f"{count:b}"[1:]:
                power = power * power >> width
                power = power * factor >> width if digit == "1" else power
            products[n - 1] = products[n - 1] * power >> width
        while products:
            n = len(products)
            top = kernel[n] * (products[-1] + (1 << (width - 128))) // (kernel[0] * n) + 1
            if dropped + top > level * Fraction(3, 128) * one:
                break
            dropped += top
            products.pop()
    return [kernel[n] * q // (kernel[0] * n) for n, q in enumerate(products, 1)], dropped


def adjusted(
    statistic: StatedStatistic, margins: StatedMargins, n: int
) -> Iterator[tuple[Margin, list[Row] | None, float | list[float]]]:
    """Yield every margin that is asked for, with its adjusted numbers and their deviation; numbers that follow from a
    file are not derived.                                                                             (29), (30), [8]
    """
    parts = [part for part, _ in statistic.released]
    opened = all(margins.cells(margin) <= INLINE for margin in margins.shares)
    measured: dict[Margin, Table] = {}
    for part, indices in statistic.released:
        if part.grid / part.noise_scale > LARGEST_RATIO:
            raise Refused("statistics: an epsilon too large for margins")
        if max(part.epsilon.numerator, part.epsilon.denominator) > LONGEST_EPSILON:
            raise Refused("statistics: an epsilon of too many digits for margins")
        if opened and part.margin is not None:
            cells = product(*(range(margins.sizes[i]) for i in part.margin))
            measured[part.margin] = {cell: part.grid * index for cell, index in zip(cells, indices, strict=True)}
    entering = sum(map(margins.cells, margins.shares))
    if statistic.alpha < max(2 * entering * GAMMA, LEAST_LEVEL):
        raise Refused("statistics: an alpha too small for margins")
    least = Adjusted(margins, parts, n) if margins.above is None else AdjustedTree(margins, parts, n)
    for margin in margins.asked:
        kinds, kind_of = least.laws(margin)
        like = next((part for part in parts if part.margin == margin), None)
        factor, ends = parts[0].factor, (n, n) if like is None else (like.lower, like.upper)
        radii = least.radii(margin, kinds, statistic.alpha, entering) if opened else []
        low, high = (factor * end for end in ends)
        rows: list[Row] = []
        for place, cell in enumerate(least.table(margin, measured) if opened else ()):
            value, further = factor * cell, factor * radii[kind_of[place]]
            interval = (min(max(end, low), high) for end in (value - further, value + further))
            rows.append((float(value), float(value), *outward(*interval)))
        spreads = [deviation(laws, factor) for laws in kinds]
        same = len({*spreads}) == 1 or margins.cells(margin) > INLINE  # of a level in a file the largest
        yield margin, rows if opened else None, max(spreads) if same else [spreads[kind] for kind in kind_of]


# 5. Quantiles from trees of counts: [9]
def amount(x: Fraction) -> str:
    """Return a number as names of levels have it: a decimal of at most six places, or digits; else a fraction."""
    twos, fives = (x.denominator & -x.denominator).bit_length() - 1, 0
    while x.denominator % 5 ** (fives + 1) == 0:
        fives += 1
    places = max(twos, fives)
    if x.denominator != 2**twos * 5**fives:
        return str(x)
    sign, digits = "-" * (x < 0), str(abs(x.numerator) * 10**places // x.denominator)
    if places <= 6:
        digits = digits.rjust(places + 1, "0")
        return sign + digits[: len(digits) - places] + f".{digits[-places:]}" * (places > 0)
    tiny = abs(x) < Fraction(1, 10**6) and len(digits) <= 6
    return sign + digits[0] + f".{digits[1:]}" * (len(digits) > 1) + f"e{len(digits) - 1 - places}" if tiny else str(x)


def added(terms: Iterable[tuple[Sums, float, int]]) -> Sums:
    """Return the sums of so many likes of each, times a factor."""
    two = four = one = most = 0.0
    for (squares, fourths, absolute, largest), factor, count in terms:
        if count:
            square = factor * factor
            two += squares * square * count
            four += fourths * square * square * count
            one += absolute * abs(factor) * count
            most = max(most, largest * square)
    return two, four, one, most


class StatedTree:
    """Counts of the levels of a column, and of b, b**2, ... of them.                                 quantiles (1)-(4)

    Doubles are added and multiplied in the order in which a release does it: every operation rounds alike everywhere.
    """

    def __init__(self, column: Column, b: int, shares: list[Fraction], known: bool, grouped: bool) -> None:
        self.column, self.b, self.shares, self.known, self.grouped = column, b, shares, known, grouped
        self.nodes, self.widths = [column.levels + 1], [1]
        self.lined, self.heights = list[int](), list[Fraction]()
        while self.nodes[0] > b:
            self.nodes.insert(0, -(-self.nodes[0] // b))
            self.widths.insert(0, self.widths[0] * b)
        every = -(-self.nodes[-1] // MOST_POINTS)
        self.points = sorted({*range(every - 1, self.nodes[-1], every), self.nodes[-1] - 1})
        self.own, variance = [1 << 16], ONE
        self.below = [(SINGLE, SINGLE)]  # of z, in any node but the last of a depth, and in the last
        for upper, lower in reversed([*pairwise(self.nodes)]):
            self.own.insert(0, round(variance * b / (1 + variance * b) * (1 << 16)))
            part, own, (full, last) = Fraction(self.own[0], 1 << 16), self.own[0] / (1 << 16), self.below[0]
            variance = part**2 + (1 - part) ** 2 * variance * b
            both = (SINGLE, own, 1), (full, 1 - own, lower - (upper - 1) * b - 1), (last, 1 - own, 1)
            self.below.insert(0, (added([both[0], (full, 1 - own, b)]), added(both)))
        self.ways = [self.way(j) for j in range(self.nodes[-1] if self.nodes[-1] <= INLINE else 0)]
        self.radii = [dict[int, float]() for _ in (*shares, ZERO)]  # of every share, and of the distribution

    def count(self, margin: Margin | None) -> int:
        """Return how many cells there are in one group: of quantiles, of the distribution, or of a depth."""
        return len(self.shares) if margin is None else len(self.points) if margin == POINTS else self.nodes[margin[0]]

    def names(self, margin: Margin | None, groups: list[Any]) -> list[Any]:
        """Return the names of cells, groups outermost."""
        if margin is None:
            own = [amount(share) for share in self.shares] if len(self.shares) > 1 else [""]
        elif margin == POINTS or self.widths[margin[0]] == 1:
            own = [amount(self.at(j)) for j in (self.points if margin == POINTS else range(self.nodes[-1]))]
        else:
            width, last = self.widths[margin[0]], self.nodes[-1] - 1
            ends = [(self.at(j), self.at(min(j + width - 1, last))) for j in range(0, last + 1, width)]
            own = [f"{amount(low)} to {amount(high)}" for low, high in ends]
        if own == [""] or not self.grouped:
            return groups if own == [""] else own
        return [f"{group} / {each}" if type(group) is str else [*group, each] for group in groups for each in own]

    def at(self, j: int) -> Fraction:
        return self.column.lower + j * self.column.step

    def prefixes(self, measured: list[list[int]], n: Fraction) -> tuple[list[int], int]:
        """Return the sums of the first levels in grids, and their common denominator.                       (1), (2)"""
        z, sums = [[Fraction(y) for y in measured[-1]]], list[list[Fraction]]()
        for own, depth in zip(self.own[-2::-1], measured[-2::-1], strict=True):
            w = Fraction(own, 1 << 16)
            sums.insert(0, [sum(z[0][i : i + self.b], ZERO) for i in range(0, len(z[0]), self.b)])
            z.insert(0, [w * y + (1 - w) * below for y, below in zip(depth, sums[0], strict=True)])
        x = [each + (n - sum(z[0], ZERO)) / len(z[0]) for each in z[0]] if self.known else z[0]
        for below, summed in zip(z[1:], sums, strict=True):
            more = [(x[p] - summed[p]) / min(self.b, len(below) - p * self.b) for p in range(len(x))]
            x = [each + more[i // self.b] for i, each in enumerate(below)]
        common = math.lcm(*(each.denominator for each in x))
        return list(accumulate(each.numerator * (common // each.denominator) for each in x)), common

    def way(self, j: int) -> tuple[list[float], list[tuple[int, int, int]]]:
        """Return which part of each node above a level is up to it, and how many siblings are beside the way.     (3)

        Those to the left, those to the right but the last of the depth, and that if it is one of them.
        """
        inside, siblings = [1.0], list[tuple[int, int, int]]()
        for nodes, width in zip(self.nodes[::-1], self.widths[::-1], strict=True):
            node = j // width
            first = node // self.b * self.b
            after = min(first + self.b, nodes)
            last = int(after == nodes and node < nodes - 1)
            siblings.insert(0, (node - first, after - 1 - node - last, last))
            inside.insert(0, (node - first + inside[0]) / (after - first))
        return inside, siblings

    def sums(self, j: int, share: Fraction) -> Sums:
        """Return those of the error of (levels up to j) - share * (all levels), in noise scales.                 (4)"""
        inside, siblings = self.ways[j]
        passed, terms = 0.0 if self.known else inside[0] - float(share), list[tuple[Sums, float, int]]()
        for place, (left, right, ragged) in enumerate(siblings):
            (full, last), own, base = self.below[place], self.own[place] / (1 << 16), passed - inside[place]
            weight = inside[place + 1] + base
            terms += (full, 1 + base, left), (full, base, right), (last, base, ragged), (SINGLE, weight * own, 1)
            passed = weight * (1 - own)
        return added(terms)

    def radius(self, j: int, place: int, scale: float, level: Fraction) -> float:
        """Return how far that goes but with probability `level`, in grids; for the share at a place, or 0.       (9)"""
        if j not in self.radii[place]:
            two, four, one, most = self.sums(j, [*self.shares, ZERO][place])
            noise = 0.0
            if two:
                kappa, largest = (five_bits(min(x * SPARE, 1.0)) for x in (four / (two * two), most / two))
                noise = spread_factor(kappa, max(kappa, largest), level) * math.sqrt(two) * SPARE
            self.radii[place][j] = (noise * scale + one * 0.5) * SPARE
        return self.radii[place][j]

    def rank(self, prefix: list[int], common: int, place: int, scale: float, level: Fraction) -> tuple[int, int, int]:
        """Return a quantile, read off the rising line, and its interval.                                  (11), (12)"""
        last, (top, bottom) = len(prefix) - 1, self.shares[place].as_integer_ratio()
        away = [(each * bottom - top * prefix[-1]) / (common * bottom) for each in prefix]

        def reaches(j: int, way: int) -> bool:
            return way * away[j] >= 0 or way * away[j] >= -self.radius(j, place, scale, level)

        low = next((j for j in range(last + 1) if reaches(j, 1)), last)
        high = next((min(j + 1, last) for j in range(last, -1, -1) if reaches(j, -1)), 0)
        rank = Fraction(top * max(prefix[-1], 0), bottom)
        line = self.line(prefix)
        return first_where(0, last, lambda j: line[j] >= rank), low, high

    def line(self, prefix: list[int]) -> list[Fraction]:
        """Return the rising line that is nearest to the prefixes: neighbours that fall are averaged.            (16)"""
        if prefix is not self.lined:
            blocks: list[tuple[int, int]] = []
            for each in prefix:
                blocks.append((each, 1))
                while len(blocks) > 1 and blocks[-2][0] * blocks[-1][1] >= blocks[-1][0] * blocks[-2][1]:
                    blocks[-2:] = [(blocks[-2][0] + blocks[-1][0], blocks[-2][1] + blocks[-1][1])]
            self.lined, self.heights = prefix, [Fraction(*each) for each in blocks for _ in range(each[1])]
        return self.heights

    def ranks(self, prefix: list[int], common: int, scale: float, level: Fraction) -> Iterator[tuple[int, int, int]]:
        """Yield all quantiles, their intervals made to rise, each in its own."""
        found = [self.rank(prefix, common, place, scale, level) for place in range(len(self.shares))]
        lows = [*accumulate([low for _, low, _ in found[::-1]], min)][::-1]
        highs = [*accumulate([high for _, _, high in found], max)]
        for (cell, _, _), low, high in zip(found, lows, highs, strict=True):
            yield min(max(cell, low), high), low, high


class PlaceTree(StatedTree):  # over the places of magnitudes
    def count(self, margin: Margin | None) -> int:
        return len(self.names(margin, []))

    def names(self, margin: Margin | None, groups: list[Any]) -> list[Any]:  # noqa: ARG002
        if margin is None:
            return ["lower", *map(str, QUARTERS), "upper"]
        if margin == WITHOUT:
            return ["(unreadable)", "(missing)"]
        width, places = self.widths[margin[0]], self.nodes[-1]
        return [self.span(first, min(first + width, places) - 1) for first in range(0, places, width)]

    def edge(self, place: int) -> Fraction | None:
        """Return the lower edge of a place, which is the upper one of that before it.                 exploring (1)"""
        step = place - self.nodes[-1] // 2
        if place in (0, self.nodes[-1]):
            return None
        size = Fraction(2) ** int(self.column.lower + abs(step) - 1)
        return ZERO if step == 0 else size if step > 0 else -size

    def span(self, first: int, last: int) -> str:
        """Return the name of the places from one to another."""
        zero, low, high = self.nodes[-1] // 2, self.edge(first), self.edge(last + 1)

        def text(edge: Fraction) -> str:
            power = floor_log2(abs(edge)) if edge else 0
            return str(edge) if abs(power) <= LONGEST_POWER else f"{'-' * (edge < 0)}2^{power}"

        if low is None or high is None:
            left = "" if high is None else f"{'to' if last < zero - 1 else 'below'} {text(high)}"
            return left or ("all" if low is None else f"{'from' if first >= zero else 'above'} {text(low)}")
        return f"{'[' if first >= zero else '('}{text(low)}, {text(high)}{']' if last < zero - 1 else ')'}"

    def middle(self, place: int) -> float:
        """Return the number that stands for a place: zero, the middle, or the end of one that is open."""
        edges = [each for each in (self.edge(place), self.edge(place + 1)) if each is not None]
        zero = place == self.nodes[-1] // 2 and len(edges) == 2
        return 0.0 if zero else float(sum(edges, ZERO) / len(edges))


def five_bits(x: float) -> float:
    """Return a number in (0, 1] rounded up to five bits."""
    fraction, exponent = math.frexp(x)
    return min(math.ldexp(math.ceil(fraction * 32), exponent - 5), 1.0)


@lru_cache(maxsize=64)
def allowances(level: Fraction) -> list[tuple[float, float]]:
    """Return tau and ln(level/A(tau)), where that is positive; ln(level) is rounded down to 2**-20.              (6)"""
    steps = first_where(1, 64 << 20, lambda k: at_most([Fraction(k, 1 << 20)], level))
    taus = ((2 + i % 2) * 2.0 ** (i // 2 - 3) for i in range(len(LN_A)))
    found = [(tau, log / 1000 - steps / (1 << 20)) for tau, log in zip(taus, LN_A, strict=True)]
    return [(tau, allowance) for tau, allowance in found if allowance > 0]


@lru_cache(maxsize=1 << 14)
def spread_factor(kappa: float, largest: float, level: Fraction) -> float:
    """Return rho.                                                                                          (7), (8)"""
    least = math.inf
    for tau, allowance in allowances(level):
        low, high = 0.0, min(allowance, 1 / largest)
        for _ in range(24):
            t = (low + high) / 2
            x = largest * t
            spent = (0.5 + x / 3 + x * x / 4 + x * x * x / (5 * (1 - x))) if x < 1 else math.inf
            low, high = (t, high) if (t + kappa * t * t * spent) * SPARE <= allowance else (low, t)
        least = min(least, tau / (low or allowance * 2.0**-24))
    return math.sqrt(2 * least) * SPARE


def read_tree(stated: At, statistic: StatedStatistic, known: bool) -> StatedTree:
    places = statistic.kind == "magnitudes"
    shares = [] if places else [each.rational(0, 1) for each in stated.at("at").rows(MOST_SHARES)]
    stated.demand(shares == sorted({*shares}), "at: shares that do not rise")
    if places:
        outside = stated.at("outside").rational()
        fits = Fraction(1, 10**6) <= outside <= HALF and outside.denominator <= 10**12
        stated.at("outside").demand(fits, "no share that bounds may leave outside")
        shares = [outside / 2, *QUARTERS, 1 - outside / 2]
    branching, levels = stated.at("branching").whole(), statistic.columns[0].levels + 1
    stated.at("branching").demand(2 <= branching <= levels, "not 2 to as many as there are levels")
    stated.demand(levels <= MOST_RANKED, "quantiles over too many levels")
    kind = PlaceTree if places else StatedTree
    found = kind(statistic.columns[0], branching, shares, known, "by" in stated.value)
    entering = sum(found.nodes)
    stated.demand(entering * statistic.cells <= MOST_COUNTED, "a tree of too many nodes")
    stated.demand(entering * statistic.cells * (1 + len(shares)) <= MOST_WORK, "too many ranks")
    stated.demand(statistic.alpha >= max(2 * entering * GAMMA, LEAST_LEVEL), "an alpha too small for ranks")
    return found


def ranks(statistic: StatedStatistic, tree: StatedTree, n: int) -> tuple[list[Row] | None, list[Row] | None]:
    """Return the quantiles and the distribution of every group; none that follow from a file.    (9)-(14), [9]"""
    parts, integer = [part for part, _ in statistic.released], tree.column.is_whole
    if any(statistic.cells_of(part.margin)[0] > INLINE for part in parts):
        return None, None
    grid, most, level = parts[0].grid, Fraction(n), statistic.alpha - sum(tree.nodes) * GAMMA
    scale = outward(ZERO, parts[0].noise_scale / grid)[1]
    quantiles, distribution = list[Row](), list[Row]()
    for group in range(statistic.cells):
        pairs = zip(statistic.released, tree.nodes, strict=True)
        measured = [indices[group * nodes : (group + 1) * nodes] for (_, indices), nodes in pairs]
        prefix, common = tree.prefixes(measured, n / grid)
        for each in tree.ranks(prefix, common, scale, level):
            value, *ends = (tree.at(j) for j in each)
            printed = (int(value), *map(int, ends)) if integer else (float(value), *outward(*ends))
            quantiles.append((printed[0], *printed))
        rows = list[tuple[float, float, float, float]]()
        for j in tree.points:
            value, further = grid * Fraction(prefix[j], common), grid * Fraction(tree.radius(j, -1, scale, level))
            height, *inside = (
                min(max(x, ZERO), most)
                for x in (grid * tree.line(prefix)[j] / common, value - further, value + further)
            )
            rows.append((float(value), float(height), *outward(*inside)))
        lows = [*accumulate([row[2] for row in rows[::-1]], min)][::-1]
        highs = accumulate([row[3] for row in rows], max)
        distribution += [(*row[:2], low, high) for row, low, high in zip(rows, lows, highs, strict=True)]
    return quantiles, distribution


def look(statistic: StatedStatistic, tree: PlaceTree, relation: StatedRelation) -> tuple[list[Row], list[Row]]:
    """Return bounds with the quartiles between them, and the shares of rows without a number.        exploring (3)"""
    *depths, (others, without) = statistic.released
    grid, level = depths[0][0].grid, statistic.alpha - sum(tree.nodes) * GAMMA
    prefix, common = tree.prefixes([indices for _, indices in depths], ZERO)
    scale = outward(ZERO, depths[0][0].noise_scale / grid)[1]
    rows: list[Row] = []
    for cell, *ends in tree.ranks(prefix, common, scale, level):
        edges = tree.edge(ends[0]), tree.edge(ends[1] + 1)
        low, high = (None if each is None else float(each) for each in edges)
        middle = tree.middle(cell)
        if not rows:  # the lower bound; where its place is open, where that begins
            middle, high = tree.middle(ends[0]) if low is None else low, None
        elif len(rows) == 4:
            middle, low = tree.middle(ends[1]) if high is None else high, None
        rows.append((middle, middle, low, high))
    counts, public = [others.value(index) for index in without], relation.change_one and not statistic.some
    everyone = [grid * Fraction(prefix[-1], common), *counts]
    total = relation.rows if public else sum(max(each, ZERO) for each in everyone) or ONE
    return rows, list(parts_of_total(others, without, total, statistic.alpha if public else None))


def moved(row: Row) -> Row:
    """Return a derived row that is shown inside its interval, where it has one.                                [3]"""
    value, shown, low, high = row
    return value, shown if low is None or high is None else min(max(shown, low), high), low, high


def exact_row(exact: Exact) -> Row:
    return float(exact[0]), float(exact[0]), *outward(exact[1], exact[2])


class DerivedBlock(NamedTuple):  # what follows from released numbers
    number: int  # of the statistic
    name: str
    title: str
    rows: list[Row] | None
    margin: Margin | None = None
    deviation: float | list[float] | None = None


def derived_blocks(statistics: Sequence[StatedStatistic], relation: StatedRelation) -> Iterator[DerivedBlock]:
    """Yield what follows from released numbers, free of charge."""
    variances = {each.columns[0]: each for each in statistics if each.kind == "variance" and not each.counted}
    for number, each in enumerate(statistics):
        about = each.title.removeprefix(each.kind)
        if each.kind == "mean" and each.counted:
            for place, column in enumerate(each.columns):
                name = "mean" + f" of {column.name}" * (len(each.columns) > 1)
                yield DerivedBlock(number, name, each.title, list(means(each, place)))
        elif each.kind == "variance" and each.counted:
            found = list(moments(each, 0, 0, 1, 3))
            yield DerivedBlock(number, each.kind, each.title, list(map(exact_row, found)))
            deviations = [exact_row((root(a), root(b), root(c))) for a, b, c in found]
            yield DerivedBlock(number, "standard deviation", f"standard deviation{about}", deviations)
        elif each.kind == "variance":
            part, (index,) = each.released[0]
            ends = outward(*(root(end) for end in part.interval(index, each.alpha)))
            value, shown = (float(root(max(square, ZERO))) for square in (part.value(index), part.possible(index)))
            title = f"standard deviation{about}"
            yield DerivedBlock(number, "standard deviation", title, [(value, shown, *ends)])
        elif each.kind == "histogram" and each.cells <= INLINE:
            yield DerivedBlock(number, "share", f"shares of {each.title}", list(shares(each, relation)))
        elif each.kind == "covariance" and each.counted:
            yield DerivedBlock(number, each.kind, each.title, list(map(exact_row, moments(each, 0, 1, 2, 4))))
            if each.squares:
                inputs = (moments(each, *places, 6) for places in ((0, 1, 2), (0, 0, 3), (1, 1, 4)))
                yield DerivedBlock(number, "correlation", f"correlation{about}", list(map(correlation, *inputs)))
        elif each.kind == "covariance" and all(column in variances for column in each.columns):
            released = [one.released[0] for one in (each, *(variances[column] for column in each.columns))]
            three = [(part.value(index), *part.interval(index, each.alpha / 3)) for part, (index,) in released]
            yield DerivedBlock(number, "correlation", f"correlation{about}", [correlation(*three)])
        elif isinstance(each.tree, PlaceTree):
            bounds, others = look(each, each.tree, relation)
            yield DerivedBlock(number, "bounds", each.title, bounds)
            yield DerivedBlock(number, "share", f"shares without a number of {each.title}", others, WITHOUT)
        elif each.tree is not None:
            quantiles, distribution = ranks(each, each.tree, relation.rows)
            yield DerivedBlock(number, "quantile", each.title, quantiles)
            yield DerivedBlock(number, "distribution", f"distribution of {each.title}", distribution, POINTS)
        elif each.margins is not None:
            by = each.margins.names[: None if each.margins.above is None else 1]
            about = each.title.removesuffix(f" by {', '.join(by)}")
            for margin, rows, spread in adjusted(each, each.margins, relation.rows):
                text = each.margins.text(margin)
                name, title = f"adjusted {each.kind} {text}", f"adjusted {about} {text}"
                yield DerivedBlock(number, name, title, rows, margin, spread)


def check_columns(record: At, statistics: Sequence[At]) -> None:
    """Refuse a column that is declared in two ways: no study has it."""
    found: dict[str, Any] = {}
    for each in (statistic.value for statistic in statistics):
        tested = [test["column"] for test in each.get("where", [])]
        by = each.get("by", [])
        for column in (
            *record.value.get("person_columns", []),
            *each.get("columns", []),
            *tested,
            *([by] if type(by) is dict else by),
        ):
            plain = {key: column[key] for key in column if key not in (BINS if "lower" in column else ("parents",))}
            record.demand(found.setdefault(column["name"], plain) == plain, "one column is declared in two ways")


def lengths(statistic: Any, key: str) -> int:
    """Return how long a list of a statistic is, and of the columns that it is grouped by."""
    by = statistic.get("by") if type(statistic) is dict else ()
    tables = [each for each in (statistic, *(by if type(by) is list else [by])) if type(each) is dict]
    return sum(len(each[key]) for each in tables if type(each.get(key)) is list)


def check_format(stated: At) -> None:
    """Refuse a record, or a certificate, of any other format; True == 1, but is no format."""
    form = stated.value.get("format") if type(stated.value) is dict else None
    stated.demand(type(form) is int and form == FORMAT, f"format = {FORMAT} is expected")


def check_record(record: At) -> Fraction:
    """Compare a record with what follows from its declarations and indices; return what it charges."""
    check_format(record)
    relation = read_relation(record)
    for name, pattern in FREE.items():
        record.at(name).text(pattern)
    engine = record.at("engine").text("|".join(ENGINES))
    _ = "own" in record.value and record.at("own").text(NAME)
    _ = "bounds_from" in record.value and record.at("bounds_from").text(SHA256)
    for name in (each for each in TEXTS if each in record.value):
        words = record.at(name).text(".{1,200}")
        record.at(name).demand(words.isprintable() and words.strip() != "", "not one line of printable characters")
    for csv in [record.at("csv")] if "csv" in record.value else ():
        csv.demand(engine in READS_CSV, "an engine that reads no CSV files")
        check_dialect(csv)
    for version in record.at("versions").fields("snapdp python numpy gmpy2 cryptography duckdb" + ENGINES[engine]):
        version.text("[0-9][0-9A-Za-z.+-]{0,40}")
    stated, charged = record.at("statistics").rows(MOST_STATISTICS), ZERO
    for key, most in (("edges", MOST_EDGES), ("where", MOST_CONDITIONS)):
        record.demand(sum(lengths(each.value, key) for each in stated) <= most, f"more than {most} {key}")
    statistics = [read_statistic(each, relation) for each in stated]
    check_columns(record, stated)
    for one in statistics:
        charged += one.epsilon
        record.demand(charged.denominator < 10**MOST_DIGITS, "a charge of very many digits")
    record.at("charged").same(str(charged))
    derived = record.at("derived")
    terms = sum(terms_of(each.margins) for each in statistics if each.margins is not None)
    record.demand(terms <= MOST_TERMS_IN_ALL, "too many margins to be adjusted")
    trees = [(each.tree, each.cells * each.tree.nodes[-1]) for each in statistics if each.tree is not None]
    ranks_in_all = sum(len(tree.shares) * levels for tree, levels in trees if levels <= INLINE)
    record.demand(ranks_in_all <= MOST_RANKS, "too many quantiles to be derived again")
    blocks = list(derived_blocks(statistics, relation))
    derived.demand(type(derived.value) is list and len(derived.value) == len(blocks), "not so many blocks")
    every = derived.rows(MOST_DERIVED) if blocks else []
    for stated_block, block in zip(every, blocks, strict=True):
        one = statistics[block.number]
        values: dict[str, Any] = {"statistic": block.number, "name": block.name, "title": block.title}
        values |= {"alpha": str(one.alpha)} | margin_named(one, block.margin)
        values |= {} if block.deviation is None else {"deviation": block.deviation}
        rows = None if block.rows is None else list(map(moved, block.rows))
        check_block(stated_block, values, one, block.margin, rows)
    request = {key: each for key, each in record.value.items() if key in WHO} | {"snapdp_request": 1}
    request["statistics"] = [{key: each.value[key] for key in each.value if key != "parts"} for each in stated]
    text = json.dumps({"epsilon": str(charged), "request": request}, sort_keys=True, separators=(",", ":"))
    record.at("request").same("sha256:" + hashlib.sha256(text.encode()).hexdigest())
    return charged


def check(certificate: Any) -> list[str]:
    """Return why a certificate is refused, field first; nothing if it is accepted."""
    try:
        check_format(At(certificate, "certificate"))
        _, claim, premises, record = At(certificate, "certificate").fields("format claim premises record")
        listed = [[text.text() for text in each.rows(3)] for each in premises.rows()]
        claim.same(str(check_record(record)))
        premises.demand({*map(len, listed)} == {3}, "not three texts each")
        premises.demand(", ".join(f"{name} {status}" for name, status, _ in listed) == PREMISES, "not of a release")
    except Refused as refusal:
        return [str(refusal)]
    return []


def unopened(record: Any) -> str:
    """Return what in an accepted record was not looked at; nothing where all of it was."""
    parts = [part for statistic in record["statistics"] for part in statistic["parts"]]
    files = sum("file" in block for block in [*parts, *record["derived"]])
    long = [each for each in record["statistics"] if any("file" in part for part in each["parts"])]
    follow = {"margins": "adjusted tables", "branching": "quantiles"}
    names = [name for key, name in follow.items() if any(key in each for each in long)]
    said = f"the numbers in {files} file{'s' * (files > 1)} were not looked at"
    said += f", nor {' and '.join(names)} that follow from them" * (names != [])
    return "" if files == 0 else said


def unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    At(pairs, "certificate").demand(len(dict(pairs)) == len(pairs), "a field that stands twice in one table")
    return dict(pairs)


def read_file(path: str) -> bytes:
    """Return the bytes of a regular file; OSError for a pipe, which might never end, or a device."""
    at_once = os.O_NONBLOCK if hasattr(os, "O_NONBLOCK") else 0
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | at_once)) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError("it is not a regular file")
        return file.read(MOST_BYTES)  # what is longer is cut: no JSON then, and another file


def failure(problem: Exception) -> str:
    """Return what failed where a certificate could not be checked. It says nothing about the certificate."""
    told = f"{type(problem).__name__}: {ascii(str(problem))[1:-1][:200]}"
    if isinstance(problem, OSError):
        return f"the file cannot be read ({told})"
    if isinstance(problem, (json.JSONDecodeError, UnicodeDecodeError)):
        return f"the file is not JSON ({told})"
    return f"the checker itself failed ({told}), which says nothing about the certificate"


def main(arguments: Sequence[str]) -> int:
    if len(arguments) != 1:
        print("usage: python check_release.py FILE", file=sys.stderr)
        return 2
    try:
        return say_verdict(arguments[0])
    except Exception as problem:  # of any kind: only a reason accuses
        with suppress(Exception):
            say([f"COULD NOT CHECK: {failure(problem)}"])
        return 3


def say_verdict(path: str) -> int:
    """Print whether the certificate in a file is accepted; return the exit code."""
    try:
        certificate = json.loads(read_file(path).decode(), object_pairs_hook=unrepeated)
        reasons = check(certificate)
    except Refused as refusal:
        reasons = [str(refusal)]
    if reasons:
        say([f"REFUSED: {reasons[0]}"])
        return 1
    said = unopened(certificate["record"])
    say(["ACCEPTED", *([f"  {said}"] if said else [])])
    return 0


def say(lines: Sequence[str]) -> None:
    """Print lines; a reader who went away after the first, as `head` does, does not change the verdict."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        print("\n".join(lines).encode(encoding, "backslashreplace").decode(encoding), flush=True)
    except OSError as problem:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python fails again at its end
        if not isinstance(problem, BrokenPipeError):
            raise


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
