"""Hierarchies as margins: their levels, shares, tree and sums, and what is refused."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from snapdp.errors import BoundError, ParameterError
from snapdp.studies.categories import parents_table, with_parents
from snapdp.studies.columns import category_column
from snapdp.studies.grouping.groups import groups_of
from snapdp.studies.grouping.margins import hierarchy_of
from snapdp.studies.study_file import study_from_values

F = Fraction
TOWNS = {"kind": "category", "categories": ["a", "b", "c", "d"]}
COUNTIES = {"K": ["a", "c"], "L": ["b", "d"]}
TREE = {**TOWNS, "parents": {"county": COUNTIES, "country": {"E": ["K", "L"]}}}
FOREST = {**TOWNS, "parents": {"county": COUNTIES}}
EVERY = {"unknown": "binned", "null": "binned"}


def study_of(town, relation=None, columns=None, **statistic):
    rows = relation or {"relation": "add-remove", "n_max": 100}
    asked = {"kind": "count", "by": "town", "margins": "hierarchy", "epsilon": 1, **statistic}
    declared = {"town": town, "sex": {"kind": "boolean"}, **(columns or {})}
    return study_from_values({"format": 1, "dataset": "d", **rows, "columns": declared, "statistic": [asked]})


def margins_of(*arguments, **said):
    return study_of(*arguments, **said).asked[0].statistic.margins


def test_levels_come_from_the_top_down_and_the_total_stands_before_several():
    forest, tree = margins_of(FOREST), margins_of(TREE)
    assert [forest.text(each) for each in forest.asked] == ["in total", "by county", "by town"]
    assert [tree.text(each) for each in tree.asked] == ["by country", "by county", "by town"]
    assert [tree.cells(each) for each in tree.asked] == [1, 2, 4]
    assert tree.shares == (F(1, 3),) * 3
    assert tree.node_parents == (-1, 0, 0, 1, 2, 1, 2)


def test_shares_are_those_of_the_levels_from_the_top_down():
    typed = margins_of(TREE, shares=["1/2", "1/4", 0.25])
    assert dict(zip(typed.measured, typed.shares, strict=True)) == {(2,): F(1, 2), (1,): F(1, 4), (0,): F(1, 4)}


def test_a_total_that_is_public_has_no_share():
    known = margins_of({**TREE, **EVERY}, {"relation": "change-one", "n": 100})
    assert known.known_total
    assert [known.text(each) for each in known.asked] == ["in total", "by country", "by county", "by town"]
    assert known.measured == ((2,), (1,), (0,))
    assert not margins_of({**TREE, "null": "binned"}, {"relation": "change-one", "n": 100}).known_total


@pytest.mark.parametrize("seed", range(8))
def test_every_node_is_the_sum_of_the_cells_of_its_name(seed):
    dice = random.Random(seed)
    names = [f"t{i}" for i in range(12)]
    below, levels = names, {}
    for height, width in enumerate((5, 3, 2)):
        parents: dict[str, list[str]] = {}
        for name in below:
            parents.setdefault(f"{height}.{dice.randrange(width)}", []).append(name)
        levels[f"level {height}"], below = parents, list(parents)
    column = with_parents(category_column("t", categories=names, unknown="binned", null="binned"), levels)
    found = hierarchy_of(groups_of(column), None, known_total=False)
    cells = [dice.randrange(-(10**30), 10**30) for _ in range(14)]
    above = {name: name for name in column.labels}
    named = [dict(above)]
    for nodes in parents_table(column).values():
        parent = {cell: node for node, held in nodes.items() for cell in held}
        above = {name: parent.get(up, up) for name, up in above.items()}
        named.append(dict(above))
    sums = dict(zip(found.measured, found.sums(cells), strict=True))
    for margin, numbers in sums.items():
        labels = found.columns[margin[0]].labels if margin else [None]
        held = named[margin[0]] if margin else dict.fromkeys(named[0])
        for label, number in zip(labels, numbers, strict=True):
            assert number == sum(cell for name, cell in zip(column.labels, cells, strict=True) if held[name] == label)
    widest = {margin: found.cells_within(margin) for margin in found.asked}
    assert widest[(0,)] == 1
    assert all(1 <= each <= 14 for each in widest.values())


@pytest.mark.parametrize(
    ("column", "said", "problem", "advice"),
    [
        (TOWNS, {}, "'town' declares no parents", "county"),
        (FOREST, {"by": ["town", "sex"]}, "of one column, and the table is by 2", 'margins = "all"'),
        (FOREST, {"by": "sex"}, "'sex' declares no parents", "county"),
        (FOREST, {"shares": ["1/2", "1/2"]}, "2 shares for 3 margins", "one for each"),
        (FOREST, {"margins": "hierarchies"}, "'hierarchies' is not known", 'margins = "hierarchy"'),
    ],
)
def test_what_is_no_hierarchy_is_refused_with_what_to_do(column, said, problem, advice):
    with pytest.raises(ParameterError) as refusal:
        study_of(column, **said)
    assert problem in refusal.value.problem
    assert advice in refusal.value.advice


def test_a_hierarchy_of_too_many_cells_is_refused_and_one_of_many_different_parents_is_wide():
    wide = [str(i) for i in range(50_000)]
    with pytest.raises(BoundError, match="50001 cells"):
        margins_of({"kind": "category", "categories": wide, "parents": {"all": {"x": wide}}})
    names = iter(range(10**6))
    parents = {f"p{i}": [f"n{next(names)}" for _ in range(i)] for i in range(1, 60)}
    irregular = [name for held in parents.values() for name in held]
    found = margins_of({"kind": "category", "categories": irregular, "parents": {"county": parents}})
    assert found.is_wide
    assert found.work == 1 + 2 * 59
    lines = [str(i) for i in range(4096 * 3)]
    single = {f"p{i}": [str(i)] for i in range(len(lines))}
    assert not margins_of({"kind": "category", "categories": lines, "parents": {"county": single}}).is_wide
    even = {f"p{i}": [f"n{i}.{j}" for j in range(20)] for i in range(100)}
    regular = [name for held in even.values() for name in held]
    found = margins_of({"kind": "category", "categories": regular, "parents": {"county": even}})
    assert found.terms == 3 + (3 + 2) + (3 + 2 + 1)
