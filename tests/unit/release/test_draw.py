"""Blocks of released numbers: the value is what was drawn, shown is what the statistic can be."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

import snapdp
from snapdp.release.draw import LARGEST_INTEGER, CellNumbers, Drawn, derived_blocks
from snapdp.studies.columns import INTEGER
from snapdp.values import replaced
from tests.unit.audits.releases import random_study
from tests.unit.release.people import COLUMNS, study

SEEDS = range(100)
SOME = {
    "histogram": {"kind": "histogram", "column": "region", "epsilon": 1},
    "count": {"kind": "count", "where": [{"column": "age", "from": 65}], "epsilon": 1},
    "sum": {"kind": "sum", "column": "pay", "epsilon": 1},
    "mean": {"kind": "mean", "column": "age", "epsilon": 1},
    "variance": {"kind": "variance", "column": "pay", "epsilon": 1},
    "covariance": {"kind": "covariance", "columns": ["age", "pay"], "epsilon": 1},
}


def possible(statistic, name):
    """Return the least and the greatest number that a part can have, from the declarations alone."""
    relation, rows = statistic.relation, statistic.relation.rows
    if statistic.kind in ("count", "persons", "quantiles", "magnitudes") or name == "count":
        return 0, rows
    about = name.partition(" of ")[2]  # one of the columns whose means share a count
    x = next((each for each in statistic.columns if each.name == about), statistic.columns[0])
    y = statistic.columns[-1]
    half = (x.upper - x.lower) / 2
    pairs = Fraction(rows * rows // 4, rows * max(rows - 1, 1)) * (x.upper - x.lower) * (y.upper - y.lower)
    every = not statistic.where and not any(column.dropped for column in statistic.columns)  # row counts
    everywhere = statistic.by is None or (name == "sum in total" and statistic.by.keep_every_row)
    public = relation.is_change_one and everywhere and every
    if name.startswith("centred squares"):
        nearest = x.step / 2 if x.levels % 2 else 0  # no cell is at the middle where levels are odd
        return min(0, rows * (nearest**2 - half**2 / 2)), rows * half**2 / 2
    if name == "centred products":
        return -rows * half * (y.upper - y.lower) / 2, rows * half * (y.upper - y.lower) / 2
    if name.startswith("centred sum"):
        return -rows * half, rows * half
    return {
        "sum": (rows * x.lower, rows * x.upper) if public else (min(0, rows * x.lower), max(0, rows * x.upper)),
        "mean": (x.lower, x.upper),
        "variance": (0, pairs),
        "covariance": (-pairs, pairs),
    }[statistic.kind]


def at_the_clamps(request, dice):
    """Return every part with indices at both ends of its clamp, next to them, around the range, and anywhere."""
    found = []
    for line, mechanisms in zip(request.lines, request.mechanisms, strict=True):
        parts = []
        for part, m in zip(line.statistic.parts, mechanisms, strict=True):
            p = m.parameters
            inner = (int(p.value_lower / p.grid), int(p.value_upper / p.grid))
            ends = [p.low, p.high, p.low + 1, p.high - 1, *inner, dice.randint(p.low, p.high)]
            dice.shuffle(ends)
            indices = [ends[cell % len(ends)] for cell in range(part.cells)]
            parts.append(Drawn(line=line, part=part, mechanism=m, indices=indices))
        found.append(parts)
    return found


def is_possible(drawn):
    low, high = possible(drawn.line.statistic, drawn.part.numerator.name)
    return all(float(low) <= shown <= float(high) for shown in drawn.block.shown)


def test_what_is_shown_is_possible_and_the_value_is_what_was_drawn():
    moved, seen = 0, set()
    for seed in SEEDS:
        dice = random.Random(seed)
        for parts in at_the_clamps(random_study(dice).request(), dice):
            for drawn in parts:
                block, numerator = drawn.block, drawn.part.numerator
                assert is_possible(drawn), seed
                low, high = numerator.statistic_range
                for index, value, shown in zip(drawn.indices, block.values, block.shown, strict=True):
                    exact = numerator.statistic(index * drawn.mechanism.parameters.grid)
                    assert value == (int(exact) if numerator.integers else float(exact))
                    assert type(value) is type(shown)
                    assert shown == value if low <= exact <= high else shown in (float(low), float(high))
                    moved += shown != value
                seen.add((drawn.line.statistic.kind, numerator.name if drawn.part.margin is None else "margin"))
    assert moved > 100
    # Counts, bins, sums from below and from zero, means alone and as sum and count, variances, covariances.
    # And margins of counts, sums and people, and people; of x and y together centred sums, and means where n is public;
    # levels and what is above them. Of variances and covariances where n is private centred sums, squares, products,
    # and counts; of magnitudes the counts of all depths and of what has no number.
    assert len(seen) == 18 + 3 + 6 + 1


def test_the_test_sees_a_number_that_is_shown_as_it_was_drawn(monkeypatch):
    monkeypatch.setattr(CellNumbers, "possible", lambda self, index: self.slope * index + self.shift)
    dice = random.Random(1)
    for asked in SOME.values():
        request = study(asked).request()
        drawn = [parts[0] for _ in range(12) for parts in at_the_clamps(request, dice)]
        assert not all(map(is_possible, drawn)), asked["kind"]


def test_whole_statistics_are_shown_as_whole_numbers():
    asked = [SOME["histogram"], SOME["count"], {"kind": "sum", "column": "age", "epsilon": "1/1000"}]
    for parts in at_the_clamps(study(*asked).request(), random.Random(0)):
        assert {type(shown) for shown in parts[0].block.shown} == {int}
    assert COLUMNS["age"]["kind"] == INTEGER


def test_what_is_derived_is_shown_as_something_possible():
    pairs = [{"kind": "variance", "column": "age", "epsilon": 1}, SOME["variance"], SOME["covariance"]]
    grouped = {"kind": "mean", "column": "pay", "by": "region", "epsilon": 1}
    limits = {
        "standard deviation": (0, math.nextafter(math.sqrt(120**2 / 3), 100)),  # of four rows, two at each bound
        "correlation": (-1, 1),
        "share": (0, 1),
        "mean": (500, 1000),
    }
    moved = set()
    for seed in range(20):
        request = study(*pairs[:1], SOME["histogram"], grouped, *pairs[1:]).request()
        for number, block in derived_blocks(at_the_clamps(request, random.Random(seed))):
            low, high = limits[block.name]
            high = high * 500 / 120 if (block.name, number) == ("standard deviation", 3) else high
            assert all(low <= shown <= high for shown in block.shown)
            for value, shown, least, most in zip(block.values, block.shown, block.lows, block.highs, strict=True):
                assert least is None or least <= shown <= most
                if shown != value:
                    moved.add(block.name)
    assert moved == {"standard deviation", "mean", "correlation"}


def many_levels(epsilon, *, n_max=4):
    """Return the drawn parts of quantiles over 1,501 levels: the cells of the last part are more than are inline."""
    column = {"kind": "integer", "lower": 0, "upper": 1500, "missing": 0}
    values = {"format": 1, "dataset": "x", "relation": "add-remove", "n_max": n_max, "columns": {"x": column}}
    asked = {"kind": "quantiles", "column": "x", "branching": 1501, "epsilon": epsilon}
    request = snapdp.study(**values, statistic=[asked]).request()
    ((drawn,),) = at_the_clamps(request, random.Random(4))
    return drawn


@pytest.mark.parametrize(("epsilon", "n_max"), [("1", 4), ("1/3", 10**6), ("4097/4096", 7), ("1/1000000", 10**9)])
def test_numbers_that_are_doubles_are_printed_all_at_once_as_one_by_one(epsilon, n_max):
    drawn = many_levels(epsilon, n_max=n_max)
    assert drawn._fits_doubles
    assert drawn._published.denominator & (drawn._published.denominator - 1) == 0
    together = drawn._columns()
    one_by_one = list(zip(*map(drawn._row, drawn.indices), strict=True))
    assert [each.dtype.kind for each in together] == ["f"] * 4
    assert [each.tolist() for each in together] == [list(each) for each in one_by_one]


def test_numbers_that_may_be_no_doubles_are_printed_one_by_one():
    """Of sums in steps of 1/3, and where a clamp is beyond 2^53 grids."""
    sums = {"kind": "sum", "column": "x", "by": "many", "epsilon": 1}
    thirds = {"kind": "number", "lower": 0, "upper": 2, "step": "1/3", "missing": 0}
    many = {"kind": "category", "categories": [f"m{i}" for i in range(1200)]}
    values = {
        "format": 1,
        "dataset": "x",
        "relation": "add-remove",
        "n_max": 9,
        "columns": {"x": thirds, "many": many},
    }
    ((drawn,),) = at_the_clamps(snapdp.study(**values, statistic=[sums]).request(), random.Random(5))
    assert drawn._published.denominator % 3 == 0
    assert not drawn._fits_doubles
    drawn = many_levels("1000", n_max=4)
    reach = replaced(drawn._published, reach=LARGEST_INTEGER)
    drawn.__dict__["_published"] = reach
    assert not drawn._fits_doubles
