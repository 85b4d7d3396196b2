"""Releases of hierarchies: what is adjusted is the least squares tree, adds up, and is checked twice."""

from __future__ import annotations

import contextlib
import copy
import json
import random
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import snapdp
from snapdp.accuracy.adjusted.noise import NoiseTerm, summands_of
from snapdp.audits import check_release
from snapdp.audits.release_audit import audit, is_sound, release_certificate
from snapdp.errors import DataError
from snapdp.mechanism.parameters import EXACT_GAMMA
from snapdp.release import release as engine
from snapdp.release.record import checked
from snapdp.release.report.page import report_page
from snapdp.release.result import Release, load_release
from snapdp.studies.statistics.adjusted import noise_of, worth_of_margins
from tests.unit.accuracy.adjusted.brute import EnumeratedLaw
from tests.unit.release import test_margins as margins
from tests.unit.release.test_margins import accept, altered

F = Fraction
TOWNS = ["Aachen", "Bonn", "Mainz", "Trier", "Ulm"]
PARENTS = {
    "county": {"NRW": ["Aachen", "Bonn"], "RLP": ["Mainz", "Trier"], "BW": ["Ulm"]},
    "part": {"west": ["NRW", "RLP"], "south": ["BW"]},
}
ROOT = {**PARENTS, "country": {"Germany": ["west", "south"]}}
EVERY = {"unknown": "binned", "null": "binned"}
MANY = [f"key {i}" for i in range(1200)]
COLUMNS: dict[str, Any] = {
    "town": {"kind": "category", "categories": TOWNS, "parents": PARENTS},
    "home": {"kind": "category", "categories": TOWNS, "parents": ROOT},
    "full": {"kind": "category", "categories": TOWNS, "parents": ROOT, **EVERY},
    "many": {"kind": "category", "categories": MANY, "parents": {"half": {"a": MANY[:500], "b": MANY[500:]}}},
    "pay": {"kind": "number", "lower": -2, "upper": 10, "step": "1/2", "missing": "dropped"},
}
DICE = random.Random(7)
ROWS: dict[str, list[Any]] = {
    **{name: [DICE.choice([*TOWNS, "?", None]) for _ in range(60)] for name in ("town", "home", "full")},
    "many": [DICE.choice([*MANY, "?"]) for _ in range(60)],
    "pay": [DICE.choice([None, *range(-3, 12)]) for _ in range(60)],
}
ADD, ONE = {"relation": "add-remove", "n_max": 100}, {"relation": "change-one", "n": 60}
COUNT = {"kind": "count", "by": "town", "margins": "hierarchy", "epsilon": 1}
SUM = {
    "kind": "sum",
    "column": "pay",
    "by": "home",
    "margins": "hierarchy",
    "epsilon": 2,
    "shares": [".5", ".2", ".2", ".1"],
}
KNOWN = {"kind": "count", "by": "full", "margins": "hierarchy", "epsilon": 1}
LONG = {"kind": "count", "by": "many", "margins": "hierarchy", "epsilon": 4}


study_of = partial(margins.study_of, columns=COLUMNS)
released = partial(margins.released, columns=COLUMNS, table=ROWS, seed=5)


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    return released(tmp_path_factory.mktemp("levels"), COUNT, SUM)


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    return released(tmp_path_factory.mktemp("known"), KNOWN, rows=ONE)


# Least squares


def test_levels_are_released_from_the_top_down_measured_and_adjusted(result, known):
    names = [[part["margin"] for part in each["parts"]] for each in result.record["statistics"]]
    assert names == [[[], ["part"], ["county"], ["town"]], [["country"], ["part"], ["county"], ["home"]]]
    assert [block["margin"] for block in result.record["derived"]] == names[0] + names[1]
    (statistic,) = known.record["statistics"]
    assert [part["margin"] for part in statistic["parts"]] == [["country"], ["part"], ["county"], ["full"]]
    total = known.record["derived"][0]
    assert (total["margin"], total["value"], total["low"], total["high"]) == ([], [60.0], [60.0], [60.0])
    assert total["deviation"] == 0.0


@pytest.mark.parametrize(
    ("asked", "rows"),
    [({**COUNT, "epsilon": 6}, ADD), pytest.param({**KNOWN, "epsilon": 8}, ONE, marks=pytest.mark.long)],
    ids=["measured", "known"],
)
def test_every_interval_holds_at_its_level_by_the_enumerated_law_of_its_noise(asked, rows):
    """The law of the sum of all noises is listed, of every kind of node, and the radius lies where it must."""
    alpha = F(1, 10)
    small = {"kind": "category", "categories": ["a", "b", "c"], "parents": {"county": {"K": ["a", "b"], "L": ["c"]}}}
    columns = {"town": small, "full": {**small, **EVERY}}
    request = study_of(asked, rows=rows, columns=columns).request()
    (line,), (mechanisms,) = request.lines, request.mechanisms
    levels = line.statistic.margins
    noises = tuple(noise_of(m.parameters) for m in mechanisms)
    tree = levels.tree({margin: n.weight for margin, n in zip(levels.measured, noises, strict=True)})
    named = dict(zip(levels.measured, noises, strict=True))
    for worth in worth_of_margins(levels, noises, alpha):
        kinds = worth.kinds or (0,) * worth.cells
        for place, kind in enumerate(kinds):
            node = levels.starts[worth.margin] + place
            terms = [
                NoiseTerm(coefficient=each.coefficient, noise=named[each.source], count=each.count)
                for each in tree.coefficients({node: 1})
            ]
            radius = worth.adjusted[kind].radius.radius
            if not terms:
                assert radius == 0
            elif kinds.index(kind) == place:
                clamped = sum(each.count for each in terms) * EXACT_GAMMA
                law = EnumeratedLaw(summands_of(terms))
                assert law.beyond(radius)[1] + clamped <= alpha
                assert law.beyond(radius * F(9, 10))[0] > alpha  # nor is it far too wide


def test_deviations_are_of_each_cell_where_they_differ_and_one_number_where_not(result):
    blocks = {block["title"]: block["deviation"] for block in result.record["derived"]}
    assert isinstance(blocks["adjusted count in total"], float)
    assert len(blocks["adjusted count by town"]) == 5
    towns = dict(zip(TOWNS, blocks["adjusted count by town"], strict=True))
    assert towns["Aachen"] == towns["Bonn"] == towns["Mainz"] == towns["Trier"] > towns["Ulm"]


# Records, audit, checker


@pytest.mark.parametrize("which", ["result", "known"])
def test_audit_and_independent_checker_derive_levels_again(which, request):
    accept(request.getfixturevalue(which).record)


BY = ("statistics", 0, "by", "parents")
ALTERED: dict[str, tuple[tuple[Any, ...], Any]] = {
    "an adjusted cell": (("derived", 2, "value", 0), lambda value: value + 0.5),
    "an adjusted cell by one place of a double": (("derived", 3, "value", 1), lambda value: value * (1 + 2**-52)),
    "an interval": (("derived", 2, "high", 0), lambda value: value - 0.25),
    "a deviation of one cell": (("derived", 3, "deviation", 4), lambda value: value * 0.5),
    "a deviation less": (("derived", 3, "deviation"), lambda value: value[:-1]),
    "a deviation of all": (("derived", 3, "deviation"), max),
    "a deviation of each": (("derived", 0, "deviation"), lambda value: [value]),
    "what is shown": (("derived", 2, "shown", 0), lambda value: value + 0.5),
    "a level": (("derived", 2, "margin"), ["part"]),
    "a level of a part": (("statistics", 0, "parts", 1, "margin"), ["county"]),
    "a share": (("statistics", 0, "shares"), ["1/8", "3/8", "1/4", "1/4"]),
    "an index": (("statistics", 0, "parts", 2, "index", 0), lambda value: value + 1),
    "a parent": ((*BY, 0, "of", 1), "RLP"),
    "a parent's name": ((*BY, 0, "of", 4), "Hessen"),
    "the order of parents": ((*BY, 0, "of"), lambda value: value[::-1]),
    "a parent more": ((*BY, 1, "of"), lambda value: [*value, "south"]),
    "a name of a level": ((*BY, 1, "level"), "region"),
    "a name of two levels": ((*BY, 1, "level"), "county"),
    "the name of the column": ((*BY, 1, "level"), "town"),
    "a level less": (BY, lambda value: value[:1]),
    "no level": (BY, []),
    "all margins": (("statistics", 0, "margins"), [[], ["town"]]),
    "another word": (("statistics", 0, "margins"), "all"),
}


@pytest.mark.parametrize("name", ALTERED)
def test_audit_and_checker_refuse_a_change_of(name, result):
    path, change = ALTERED[name]
    record = altered(result.record, path, change)
    assert check_release.check({**release_certificate(result.record), "record": record})
    with contextlib.suppress(DataError):
        assert not audit(record).sound


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("statistics", 0, "margins"), "all"),
        (BY, {"county": ["NRW"]}),
        (BY, ["county"]),
        ((*BY, 0), {"level": "county"}),
        ((*BY, 0, "of"), [1, 2, 3, 4, 5]),
        ((*BY, 0, "of"), "NRW"),
        ((*BY, 0, "level"), 7),
        (("derived", 3, "deviation"), [1, 2, 3, 4, 5]),
        (("derived", 3, "deviation"), [1.0, 2.0]),
        (("derived", 3, "deviation"), [float("nan")] * 5),
    ],
)
def test_what_no_record_of_a_hierarchy_has_is_refused(path, value, result):
    with pytest.raises(DataError):
        checked(altered(result.record, path, value))


@pytest.mark.parametrize("said", [{"margins": [["full"]], "shares": ["1"]}, {}])
def test_parents_belong_to_a_hierarchy_and_to_nothing_else(said, known):
    record = copy.deepcopy(known.record)
    (statistic,) = record["statistics"]
    del statistic["margins"], statistic["shares"]
    statistic.update(said)
    (reason,) = check_release.check({**release_certificate(known.record), "record": record})
    assert "no hierarchy of one column with parents" in reason


def test_a_column_may_be_counted_plainly_beside_its_hierarchy(tmp_path):
    plain = {"kind": "histogram", "column": "town", "epsilon": 1}
    tested = {"kind": "count", "where": [{"column": "town", "equals": "Ulm"}], "epsilon": 1}
    record = released(tmp_path, COUNT, plain, tested).record
    accept(record)
    assert "parents" not in record["statistics"][1]["columns"][0]


# Requests


def test_files_of_values_have_the_deviation_of_every_adjusted_number_and_of_no_other(result, known, tmp_path):
    for release in (result, known):
        release.save(tmp_path / "v.parquet")
        release.save(tmp_path / "v.csv")
        told = pl.read_parquet(tmp_path / "v.parquet")
        stated = []
        for block in release.record["derived"]:
            spread = block["deviation"]
            stated += spread if isinstance(spread, list) else [spread] * len(block["value"])
        assert told.filter(pl.col("source") == "adjusted")["deviation"].to_list() == stated
        assert {*told.filter(pl.col("source") == "measured")["deviation"].to_list()} == {None}
        assert pl.read_csv(tmp_path / "v.csv")["deviation"].to_list() == told["deviation"].to_list()


# Long levels


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("long")
    released(place, LONG).save(place / "record.json")
    return place


def test_long_levels_are_in_files_and_audited_from_them(folder, tmp_path):
    record = load_release(folder / "record.json").record
    assert ["file" in block for block in record["derived"]] == [False, False, True]
    assert isinstance(record["derived"][2]["deviation"], float)  # the largest
    stored = pl.read_parquet(folder / record["derived"][2]["file"]["name"])
    assert stored.columns == ["cell", "value", "shown", "low", "high", "deviation"]
    assert len({*stored["deviation"][:500]}) == len({*stored["deviation"][500:]}) == 1
    assert max(stored["deviation"]) == record["derived"][2]["deviation"] > stored["deviation"][0]
    assert sum(stored["value"][:500]) == pytest.approx(record["derived"][1]["value"][0])
    found = audit(record, directory=folder)
    assert (found.findings, len(found.seen), found.unseen) == ((), 2, ())
    certificate = json.loads(json.dumps(release_certificate(record)))
    assert check_release.check(certificate) == []
    assert "nor adjusted tables that follow from them" in check_release.unopened(record)
    other = copy.deepcopy(record)
    other["derived"][2]["deviation"] *= 0.5
    assert check_release.check({**certificate, "record": other})
    from tests.unit.audits.test_beside import forged

    for column in ("value", "deviation"):
        other_column = f"SELECT * REPLACE (if(rowid = 5, {column} + 1, {column}) AS {column}) FROM t"
        changed = forged(record, ("derived", 2), folder, tmp_path, other_column)
        for name in load_release(folder / "record.json").files():
            if not (tmp_path / name).exists() and (folder / name).exists():
                (tmp_path / name).write_bytes((folder / name).read_bytes())
        assert [each.field for each in audit(changed, directory=tmp_path).findings] == [f"derived[2].{column}[5]"]


# What people see


def test_a_report_has_all_levels_in_one_table_every_parent_above_what_it_holds(result, known):
    page = result.to_html()
    heads = '<th scope="col" class="r sum">adjusted</th><th scope="col" class="r">standard deviation</th>'
    assert page.count(f'<th scope="col">level</th>{heads}<th scope="col" class="r">measured</th>') == 2
    names = ["in total", "&emsp;west", "&emsp;&emsp;NRW", "&emsp;&emsp;&emsp;Aachen", "&emsp;&emsp;RLP", "&emsp;south"]
    places = [page.index(f'<th scope="row" class="c">{each}</th>') for each in names]
    assert places == sorted(places)
    assert '<td class="r">known</td>' in known.to_html()


def test_a_report_of_a_hierarchy_in_files_has_the_levels_that_it_can(folder):
    page = load_release(folder / "record.json").to_html()
    assert "adjusted" in page
    assert "&emsp;" not in page


def test_hostile_names_of_levels_and_nodes_are_text_on_a_page(tmp_path):
    names = ["<b>x</b>", "&emsp;", "a, b", '"']
    column = {
        "kind": "category",
        "categories": names,
        "compare": "text",
        "parents": {"<i>": {"<script>": names[:2], "</td>": names[2:]}},
    }
    study = study_of({**COUNT, "by": "odd"}, columns={"odd": column})
    with snapdp.Ledger.create(tmp_path / "l.ledger") as book:
        book.create_account("people", cap=2, relation="add-remove", rows=100)
        found = study.release({"odd": [*names, *names]}, ledger=book)
    page = found.to_html()
    assert "<script>" not in page
    assert "<i>" not in page
    assert audit(found.record).findings == ()
    assert check_release.check(json.loads(json.dumps(release_certificate(found.record)))) == []


def test_persons_are_counted_at_every_level_each_in_one_cell_of_it(tmp_path):
    rows = {"town": ["Aachen", "Aachen", "Ulm", "Bonn", "Trier"], "who": ["p", "q", "q", "r", "r"]}
    asked = {"kind": "persons", "by": "town", "groups_per_person": 1, "margins": "hierarchy", "epsilon": 400}
    study = study_of(asked, rows={**ADD, "person": "who"}, columns={"town": COLUMNS["town"]})
    with snapdp.Ledger.create(tmp_path / "l.ledger") as book:
        book.create_account("people", cap=400, relation="add-remove", rows=100, person="who")
        found = study.release(rows, ledger=book)
    assert audit(found.record).findings == ()
    assert check_release.check(json.loads(json.dumps(release_certificate(found.record)))) == []
    assert found.values["persons in total"] == 3
    assert all(sum(found.values[f"persons by {level}"].values()) == 3 for level in ("part", "county", "town"))


# Irregular trees


def irregular(folder: Path, sizes: list[int]) -> Release:
    parents = {f"s{i}": [f"c{i}.{j}" for j in range(size)] for i, size in enumerate(sizes)}
    names = [name for held in parents.values() for name in held]
    columns = {"county": {"kind": "category", "categories": names, "parents": {"state": parents}}}
    asked = {"kind": "count", "by": "county", "margins": "hierarchy", "epsilon": 1}
    study = study_of(asked, columns=columns)
    assert "wider than need be" in study.plan().lines[0].remarks
    with snapdp.Ledger.create(folder / "l.ledger") as book:
        book.create_account("people", cap=9, relation="add-remove", rows=100)
        table = snapdp.open_table({"county": names[:50]})
        out = engine.released(study.request(), table, book, directory=folder, is_sound=is_sound)
    return Release(json.loads(json.dumps(out.record)))


def test_parents_of_all_sizes_are_released_with_a_wider_bound_that_audit_and_checker_derive(tmp_path):
    found = irregular(tmp_path, list(range(1, 33)))
    assert not audit(found.record).findings
    assert "wider than need be" in report_page(found)
    certificate = release_certificate(found.record)
    assert check_release.check(certificate) == []
    states = next(block for block in found.record["derived"] if block["margin"] == ["state"])
    states["high"][3] = states["high"][3] - 0.001
    assert check_release.check(release_certificate(found.record)) != []


@pytest.mark.long
def test_counties_of_fifty_states_are_released_and_checked(tmp_path):
    sizes = [*range(3, 3 + 2 * 50, 2), 254]
    found = irregular(tmp_path, sizes)
    assert not audit(found.record).findings
    assert check_release.check(release_certificate(found.record)) == []
