"""The two real tables of the guide, released with recorded bits, beside the truth.

The numbers and pictures of docs/guide/real-tables.md are those of one release that can be made again: exact arithmetic
draws the same numbers from the same bits, on every machine. The tables come from the package that the page names, by
the block of the page itself; the studies are those of the page.
"""

from __future__ import annotations

import csv
import math
import random
import re
from collections.abc import Callable, Iterator
from contextlib import chdir
from fractions import Fraction
from pathlib import Path

import snapdp
from snapdp.audits.release_audit import is_sound
from snapdp.display.pictures import box, dot, framed, level, scale, together, upright, written
from snapdp.randomness.bits import RecordedBits
from snapdp.release.numbers import Number
from snapdp.release.release import released
from snapdp.release.result import Release
from tests import ROOT

PAGE = ROOT / "docs" / "guide" / "real-tables.md"
MADE = re.compile(r"^```python file\n(.*?)^```", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"^```toml (\S+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
WIDTH, LABEL, RIGHT, ROW, FOOT = 560, 27.0, 5.0, 24, 24
INCOME, ASSETS, HOURS = 0, 1, 0  # the places of statistics in the two studies
SIZES, RANGE = 2, (8, 128)
QUARTILES = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))


def recorded(seed: int) -> Callable[[int, int], RecordedBits]:
    """Return bits for each part of each statistic, from a generator of their own."""

    def bits(statistic: int, part: int) -> RecordedBits:
        dice = random.Random(f"{seed} {statistic} {part}")
        return RecordedBits([dice.getrandbits(64) - (1 << 63) for _ in range(5000)])

    return bits


def made(directory: Path) -> None:
    """Write the tables and the studies of the page into a directory, as a reader does."""
    source = PAGE.read_text(encoding="utf-8")
    with chdir(directory):
        for block in MADE.findall(source):
            exec(compile(block, str(PAGE), "exec"), {})
        for name, text in NAMED.findall(source):
            Path(name).write_text(text, encoding="utf-8")


def drawn(name: str, directory: Path, *, seed: int = 16) -> Release:
    """Return the release of a study of the page, by recorded bits."""
    study = snapdp.study(directory / f"{name}.toml")
    request, table = study.request(), snapdp.open_table(directory / f"{name}.csv")
    with snapdp.Ledger.create(directory / f"recorded-{name}.ledger") as book:
        book.create_account(name, cap=10, relation=study.relation.kind, rows=study.relation.rows)
        out = released(request, table, book, directory=directory, is_sound=is_sound, bits=recorded(seed))
    return Release(out.record)


def true_quantile(values: list[float], share: Fraction) -> float:
    """Return the least value up to which at least that share of all lie."""
    return sorted(values)[math.ceil(share * len(values)) - 1]


def answered(directory: Path, table: str, column: str, by: str) -> dict[str, list[float]]:
    """Return the numbers of a column that are there, by groups."""
    found: dict[str, list[float]] = {}
    with (directory / f"{table}.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            if row[column]:
                found.setdefault(row[by], []).append(float(row[column]))
    return found


def quantiles_of(release: Release, place: int) -> list[Number]:
    """Return the quantiles of one statistic."""
    return next(list(each.numbers) for each in release.blocks() if each.place == place and each.name == "quantile")


def quartile_rows(directory: Path) -> tuple[str, str]:
    """Return the rows of both tables of the page that have the quartiles: released, with intervals, and true."""
    families, happiness = drawn("families", directory), drawn("happiness", directory)
    first = [
        f"| {title}, {plan}, {share} | {each.value:g} | {_interval(each)} | {true:.1f} |"
        for place, column, title in ((INCOME, "inc", "income"), (ASSETS, "nettfa", "assets"))
        for group, plan in (("0", "no plan"), ("1", "plan"))
        for share, each, true in _compared(families, place, answered(directory, "families", column, "e401k"), group)
    ]
    second = []
    for group, hours in answered(directory, "happiness", "tvhours", "workstat").items():
        found = list(_compared(happiness, HOURS, {group: hours}, group))
        numbers, intervals = [f"{each.value:g}" for _, each, _ in found], [_interval(each) for _, each, _ in found]
        columns = numbers, intervals, [f"{true:g}" for _, _, true in found]
        second.append(f"| {group} ({len(hours)}) | {' | '.join(', '.join(each) for each in columns)} |")
    return "\n".join(first), "\n".join(second)


def _compared(
    release: Release, place: int, values: dict[str, list[float]], group: str
) -> Iterator[tuple[Fraction, Number, float]]:
    """Yield each quartile of a group: its share, what was released, and the truth."""
    numbers = {each.label: each for each in quantiles_of(release, place)}
    for share in QUARTILES:
        yield share, numbers[group, f"{float(share):g}"], true_quantile(values[group], share)


def _interval(number: Number) -> str:
    low, high = _ends(number)
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def _ends(number: Number) -> tuple[float, float]:
    assert number.low is not None
    assert number.high is not None
    return number.low, number.high


def medians_by_size(directory: Path) -> str:
    """Return the picture of medians by the size of families: released, with intervals, and true."""
    numbers = quantiles_of(drawn("families", directory), SIZES)
    families = answered(directory, "families", "inc", "fsize")
    x, foot, drawn_marks = scale(*RANGE, start=LABEL, end=100 - RIGHT), ROW * len(numbers), []
    for row, each in enumerate(numbers):
        middle, true = ROW * row + ROW / 2, true_quantile(families[each.cell], Fraction(1, 2))
        name = f"{each.cell} ({len(families[each.cell])} families)"
        drawn_marks.append(written(name, x=LABEL - 1, y=middle + 4, anchor="end"))
        low, high = _ends(each)
        marks = [level(middle, start=x(low), end=x(high), look="interval")]
        marks += [upright(x(end), top=middle - 4, foot=middle + 4, look="interval") for end in (low, high)]
        if (low, high) != RANGE:
            marks.append(dot(x(each.value), middle, look="second"))
        marks.append(box(x=x(true) - 0.2, y=middle - 9, width=0.4, height=18, look="hit"))
        drawn_marks.append(together(marks, f"size {each.cell}: {low:g} to {high:g}; true {true:.1f}"))
    drawn_marks.append(upright(LABEL, top=0, foot=foot, look="axis"))
    drawn_marks += [written(str(end), x=x(end), y=foot + FOOT - 6, anchor="middle") for end in (8, 48, 88, 128)]
    title = "median income by the size of families: released with intervals, and the true ones"
    return _file(framed(drawn_marks, title=title, height=foot + FOOT, width=WIDTH))


def incomes(directory: Path) -> str:
    """Return the picture of a distribution, the one that the report of the families has first."""
    page = drawn("families", directory).to_html()
    found = re.search(r"<figure>(<svg .*?</svg>)<figcaption>", page, re.DOTALL)
    assert found is not None
    return _file(found[1].replace('width="100%"', f'width="{WIDTH}"', 1))  # by itself it has no place to be as wide as


def _file(picture: str) -> str:
    return str(picture).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1) + "\n"


PICTURES = {"real-medians.svg": medians_by_size, "real-incomes.svg": incomes}
