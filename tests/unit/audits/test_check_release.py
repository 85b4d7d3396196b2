"""The independent checker of release certificates: accepts what was released, refuses whatever was changed."""

from __future__ import annotations

import ast
import copy
import decimal
import json
import math
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import snapdp
from snapdp.accuracy.quantiles import EXPONENTS, LevelTree
from snapdp.audits import check_release
from snapdp.audits.check_release import at_most, check, clamp_index, exp_minus, main, outward, reach, root
from snapdp.audits.release_audit import audit, is_sound, release_certificate
from snapdp.display.numbers import exact_amount
from snapdp.errors import DataError
from snapdp.ledger.chain import canonical
from snapdp.studies.csv_dialect import CsvDialect, dialect_words
from snapdp.studies.declarations import digest
from snapdp.studies.statistics.registry import KINDS
from snapdp.tables.engine_names import ENGINES
from snapdp.tables.engines.duckdb import DuckdbEngine
from snapdp.tables.engines.engine import Engine
from snapdp.tables.engines.postgres import PostgresEngine
from snapdp.tables.engines.spark import SparkEngine
from tests.tiers import first_of
from tests.unit.audits.mutations import at, others, places, with_value
from tests.unit.audits.releases import random_record

SOURCE = Path(check_release.__file__)
COLUMNS = {
    "age": {"kind": "integer", "lower": 0, "upper": 120, "missing": "middle"},
    "pay": {"kind": "number", "lower": 500, "upper": 1000, "step": "1/100", "missing": 700},
    "wages": {"kind": "number", "lower": 5, "upper": 50, "step": "1/4", "missing": "dropped"},
    "region": {"kind": "category", "categories": ["north", "south"], "unknown": "binned"},
    "many": {"kind": "category", "categories": [f"key {i}" for i in range(1200)]},
    "code": {"kind": "category", "categories": ["0", "1.0", "2.5"]},
    "smokes": {"kind": "boolean", "null": "binned"},
    "visit": {"kind": "date", "from": "2023-11-20", "to": "2024-02-03", "each": "week"},
    "born": {"kind": "date", "from": "1990-01-01", "to": "1994-12-31", "each": "day"},
    "kids": {"kind": "integer", "lower": 0, "upper": 6, "missing": "middle"},
    "days": {"kind": "integer", "lower": 1, "upper": 1100, "missing": 1},
    "years": {
        "kind": "number",
        "lower": 0,
        "upper": 9,
        "step": "1/2",
        "missing": 3,
        "edges": ["1/2", 2, 9],
        "outside": "binned",
        "null": "binned",
    },
}
NORTH = [{"column": "region", "equals": "north"}]
CHANGE_ONE = [
    {"kind": "mean", "column": "age", "epsilon": "0.31"},
    {"kind": "sum", "column": "age", "epsilon": "0.3"},
    {"kind": "variance", "column": "age", "epsilon": "20"},
    {"kind": "variance", "column": "pay", "epsilon": "20"},
    {"kind": "covariance", "columns": ["age", "pay"], "epsilon": "10"},
    {"kind": "histogram", "column": "age", "edges": [0, 18, 65], "outside": "binned", "epsilon": "0.2"},
    {"kind": "mean", "column": "pay", "by": "region", "epsilon": "4", "count_share": "0.25"},
    {"kind": "count", "where": [{"column": "age", "from": 65}, {"column": "region", "equals": "north"}], "epsilon": 1},
    {"kind": "histogram", "column": "code", "by": "smokes", "epsilon": "0.2"},
    {"kind": "count", "where": [{"column": "visit", "from": "2023-W48", "below": "2024-W02"}], "epsilon": 1},
    {"kind": "mean", "column": "wages", "epsilon": "0.3"},
    {"kind": "sum", "column": "wages", "epsilon": "0.3"},
    {"kind": "mean", "column": "age", "where": NORTH, "count_share": "0.75", "epsilon": "0.3"},
    {"kind": "histogram", "column": "wages", "edges": [5, 20, 50], "missing": "binned", "epsilon": "0.3"},
    {"kind": "histogram", "column": "age", "edges": [0, 65, 120], "where": NORTH, "epsilon": "0.3"},
    {"kind": "mean", "column": "wages", "by": ["region", "years"], "epsilon": "0.3"},
    {"kind": "histogram", "column": "wages", "edges": [5, 50], "by": ["smokes", "code"], "epsilon": "0.3"},
    {"kind": "count", "by": "years", "epsilon": "0.3"},
    {"kind": "variance", "column": "wages", "epsilon": "3"},
    {"kind": "covariance", "columns": ["wages", "pay"], "by": "region", "correlation": True, "epsilon": "30"},
    {"kind": "mean", "columns": ["age", "pay"], "epsilon": "0.3"},
    {"kind": "mean", "columns": ["pay", "wages"], "complete": True, "epsilon": "0.3"},
    {"kind": "mean", "columns": ["wages", "age", "pay"], "complete": True, "by": "region", "epsilon": "0.3"},
    {"kind": "quantiles", "column": "kids", "epsilon": "0.3"},
    {"kind": "quantiles", "column": "years", "at": ["1/3", "0.9"], "branching": 3, "where": NORTH, "epsilon": "0.3"},
]
ADD_REMOVE = [
    {"kind": "mean", "column": "pay", "epsilon": "0.3"},
    {"kind": "sum", "column": "age", "by": "region", "epsilon": "0.3", "alpha": "0.1"},
    {"kind": "histogram", "column": "region", "epsilon": "0.2"},
    {"kind": "histogram", "column": "many", "epsilon": "0.2"},
    {"kind": "histogram", "column": "born", "epsilon": "0.2"},
    {"kind": "count", "where": [{"column": "many", "equals": "key 7"}], "epsilon": "0.2"},
    {"kind": "mean", "column": "age", "by": "many", "epsilon": "1"},
    {"kind": "mean", "column": "wages", "by": "region", "where": NORTH, "epsilon": "0.3"},
    {"kind": "sum", "column": "wages", "epsilon": "0.3"},
    {"kind": "count", "by": ["region", "smokes", "years"], "epsilon": "0.3"},
    {"kind": "sum", "column": "wages", "by": ["many", "region"], "epsilon": "0.3"},
    {"kind": "mean", "columns": ["age", "wages"], "complete": True, "where": NORTH, "epsilon": "0.3"},
    {"kind": "mean", "columns": ["age", "pay"], "by": "many", "count_share": "0.25", "epsilon": "1"},
    {"kind": "variance", "column": "age", "by": "many", "epsilon": "1"},
    {"kind": "variance", "column": "pay", "by": "region", "count_share": "0.25", "epsilon": "20"},
    {"kind": "covariance", "columns": ["wages", "age"], "where": NORTH, "correlation": True, "epsilon": "30"},
    {"kind": "covariance", "columns": ["age", "wages"], "epsilon": "1"},
    {"kind": "quantiles", "column": "kids", "at": ["0.25", "0.75"], "by": ["region", "smokes"], "epsilon": "0.3"},
    {"kind": "quantiles", "column": "kids", "by": "many", "epsilon": "0.3"},
]
OF_PERSONS = [
    *ADD_REMOVE,
    {"kind": "persons", "by": "region", "groups_per_person": 2, "where": NORTH, "epsilon": "0.3"},
    {"kind": "sum", "column": "age", "rows_per_person": 5, "epsilon": "0.3"},
]
# What no field of a certificate follows from: the ledger knows these (docs/theory/release-certificates.md).
UNDERIVABLE = {"dataset", "dataset_version", "previous", "versions", "engine", "date"}


PERSONS = {"relation": "add-remove", "n_max": 120, "person": "id", "rows_per_person": 2}
RELATIONS = {"change-one": {"relation": "change-one", "n": 90}, "add-remove": {"relation": "add-remove", "n_max": 120}}


@pytest.fixture(scope="module", params=["change-one", "add-remove", "persons"])
def genuine(request, tmp_path_factory):
    """The certificate of a release as the library makes it: ledger, table, draws."""
    folder = tmp_path_factory.mktemp("release")
    asked = {"change-one": CHANGE_ONE, "persons": OF_PERSONS}.get(request.param, ADD_REMOVE)
    relation = RELATIONS.get(request.param, PERSONS)
    study = snapdp.study(dataset="people", columns=COLUMNS, statistic=asked, **relation)
    if request.param == "persons":  # a record with arbitrary draws
        return as_read(release_certificate(random_record(random.Random(1), study)))
    data = {"age": list(range(90)), "pay": [500 + 1.5 * i for i in range(90)], "region": ["north", "south", "x"] * 30}
    data |= {
        "code": ["1", "0.0", "x"] * 30,
        "smokes": ["yes", "N", None] * 30,
        "visit": ["2024-01-03"] * 90,
        "born": ["x"] * 90,
    }
    data |= {"years": [0.0, 3.5, None] * 30, "kids": [0, 2, None] * 30}
    data |= {"many": ["key 7", "key 8", None] * 30, "wages": [12.25, None, 60.0] * 30}
    with snapdp.Ledger.create(folder / "ledger") as ledger:
        ledger.create_account("people", cap=99, relation=request.param, rows=study.relation.rows)
        return as_read(release_certificate(study.release(data, ledger=ledger, directory=folder).record))


def as_read(certificate: dict[str, Any]) -> dict[str, Any]:
    return dict(json.loads(json.dumps(certificate)))


def test_what_was_released_is_accepted(genuine):
    assert check(genuine) == []


@pytest.mark.parametrize("seeds", first_of([[*range(40), 83], range(40, 200)]), ids=["few", "many"])
def test_the_audit_and_the_checker_agree_on_random_releases(seeds):
    """Random studies; every tenth record is then changed in one place, which both must see."""
    kinds: set[str] = set()
    for seed in seeds:
        record = json.loads(json.dumps(random_record(random.Random(seed))))
        kinds |= {f"{record['relation']} {each['kind']}" for each in record["statistics"]}
        kinds |= {"adjusted" if "margin" in each else each["name"] for each in record["derived"]}
        assert check(release_certificate(record)) == [], seed
        assert audit(record).sound, seed
        if seed % 10 == 0:
            place = random.Random(seed).choice([path for path, _ in leaves(record["statistics"], ("statistics",))])
            changed = with_value(record, place, one_digit_off(at(record, place), -1))
            if changed != record:
                assert check({**release_certificate(record), "record": changed}), (seed, place)
                assert not is_sound(changed), (seed, place)
    assert len(kinds) == 7 + 8 + 7 + 2 + 2 + 3
    assert {"mean of x", "mean of y", "quantile", "distribution", "bounds"} < kinds


def test_a_record_in_which_a_block_does_not_say_what_is_shown_is_refused(genuine):
    record = genuine["record"]
    place = next(path for path, _ in leaves(record) if "shown" in path)[:-2]
    partly = with_value(record, place, {**at(record, place), "shown": None})
    at(partly, place).pop("shown")
    assert check({**genuine, "record": partly})
    with pytest.raises(DataError, match="belong together"):
        audit(partly)


@pytest.mark.parametrize("form", [0, 2, True, 1.0, "1", None])
def test_records_and_certificates_of_another_format_are_refused(genuine, form):
    record = genuine["record"]
    assert check({**genuine, "format": form}) == ["certificate: format = 1 is expected"]
    assert check({**genuine, "record": {**record, "format": form}}) == ["record: format = 1 is expected"]
    old = {key: each for key, each in record.items() if key != "format"} | {"snapdp_record": 2}
    assert check({**genuine, "record": old}) == ["record: format = 1 is expected"]


@pytest.mark.parametrize(("engine", "library"), [("spark", "pyspark"), ("postgresql", "postgresql")])
def test_other_engines_are_named_with_their_versions(engine, library):
    record = random_record(random.Random(3))
    versions = {**record["versions"], library: "4.1"}
    made = release_certificate({**record, "engine": engine, "versions": versions})
    assert check(made) == []
    (why,) = [why for name, _, why in made["premises"] if name == "engine"]
    assert why.lower().startswith(f"{engine} 4.1 adds")
    assert check({**made, "record": {**made["record"], "engine": "duckdb"}})
    assert check({**made, "record": {**made["record"], "engine": "abacus"}})


DIALECTS = [
    CsvDialect(delimiter=";", decimal=",", thousands=".", encoding="latin-1", null=["NA", "."]),
    CsvDialect(null="NA"),
    CsvDialect(delimiter="\t"),
    CsvDialect(thousands="\u202f", quote="'"),
]
FORGED_DIALECTS = [
    {},
    {"delimiter": ","},
    {"delimiter": "x"},
    {"quote": '"'},
    {"decimal": "."},
    {"thousands": ""},
    {"thousands": "."},
    {"thousands": ",", "decimal": ","},
    {"thousands": "'", "quote": "'"},
    {"delimiter": "|", "quote": "|"},
    {"encoding": "utf-8"},
    {"encoding": "windows-1252"},
    {"nulls": [""]},
    {"nulls": ["NA", "N"]},
    {"nulls": ["", "NA", "NA"]},
    {"nulls": ["", "a,b"]},
    {"nulls": ["", "\n"]},
    {"nulls": ["", *map(str, range(200))]},
]


@pytest.mark.parametrize("dialect", DIALECTS, ids=repr)
def test_the_form_of_csv_files_is_stated_shown_and_accepted(dialect):
    record = {**random_record(random.Random(3)), "csv": dialect.stated()}
    assert check(release_certificate(record)) == []
    found = audit(record)
    assert found.sound
    assert dialect_words(dialect.stated()) in {each.name: each.why for each in found.premises}["engine"]


@pytest.mark.parametrize("stated", FORGED_DIALECTS, ids=repr)
def test_a_form_of_csv_files_that_nobody_could_declare_is_refused_by_audit_and_checker(stated):
    record = random_record(random.Random(3))
    made = release_certificate(record)
    assert check({**made, "record": {**record, "csv": stated}})
    assert [each.field for each in audit({**record, "csv": stated}).findings] == ["csv"]


def refusals(record: dict[str, Any], statistic: int, part: int, **fields: Any) -> list[str]:
    """Return what the checker says of a record in which one part, or its statistic, is another."""
    changed = copy.deepcopy(record)
    place = changed["statistics"][statistic]
    for key, value in fields.items():
        (place["parts"][part] if key in place["parts"][part] else place)[key] = value
    return check({**release_certificate(record), "record": changed})


def test_the_checker_has_its_own_rule_for_what_a_mean_of_some_rows_charges():
    """The sum at the whole of epsilon, the count at half; more for the count, or a smaller sensitivity, is refused."""
    asked = [{"kind": "mean", "column": "wages", "epsilon": "1"}]
    columns = {"wages": COLUMNS["wages"]}
    study = snapdp.study(dataset="people", relation="change-one", n=90, columns=columns, statistic=asked)
    record = as_read({"record": random_record(random.Random(1), study)})["record"]
    assert [each["epsilon"] for each in record["statistics"][0]["parts"]] == ["1", "1/2"]
    assert [each["sensitivity"] for each in record["statistics"][0]["parts"]] == ["360", "1"]
    assert check(release_certificate(record)) == []
    for part, fields in ((1, {"epsilon": "1"}), (0, {"sensitivity": "180"}), (0, {"count_share": "1/4"})):
        (reason,) = refusals(record, 0, part, **fields)
        assert reason.startswith("record.statistics[0]"), reason
    assert "below 1/2" in refusals(record, 0, 0, count_share="1/4")[0]


def test_the_checker_has_its_own_rule_for_what_means_that_share_a_count_charge():
    """Sums at half of epsilon each, the count at half: what is more for one of them, or less complete, is refused."""
    asked = [{"kind": "mean", "columns": ["age", "wages"], "complete": True, "epsilon": "1"}]
    columns = {"wages": COLUMNS["wages"], "age": COLUMNS["age"]}
    study = snapdp.study(dataset="people", relation="change-one", n=90, columns=columns, statistic=asked)
    record = as_read({"record": random_record(random.Random(1), study)})["record"]
    assert [each["epsilon"] for each in record["statistics"][0]["parts"]] == ["1/2", "1/2", "1/2"]
    assert [each["name"] for each in record["derived"]] == ["mean of age", "mean of wages"]
    assert check(release_certificate(record)) == []
    wrong = [(0, {"epsilon": "1"}), (1, {"epsilon": "1"}), (2, {"epsilon": "5/8"}), (1, {"sensitivity": "180"})]
    wrong += [(0, {"count_share": "1/4"}), (0, {"complete": False}), (0, {"complete": 1}), (0, {"name": "mean of age"})]
    for part, fields in wrong:
        (reason,) = refusals(record, 0, part, **fields)
        assert reason.startswith("record.statistics[0]"), reason
    for key, number in (("value", 1), ("low", -1), ("high", 1)):
        changed = copy.deepcopy(record)
        changed["derived"][1][key][0] += number
        (reason,) = check({**release_certificate(record), "record": changed})
        assert reason.startswith(f"record.derived[1].{key}"), reason
        assert not audit(changed).sound
    partial = copy.deepcopy(record)
    del partial["statistics"][0]["complete"]
    assert check({**release_certificate(record), "record": partial}) != []
    assert not audit(partial).sound


@pytest.mark.parametrize("relation", ["change-one", "add-remove", "persons"])
def test_the_checker_has_its_own_rule_for_what_a_tree_of_levels_charges(relation):
    """An equal share for each depth; under change-one half of it, because two nodes of a depth move."""
    asked = [{"kind": "quantiles", "column": "kids", "at": ["1/4", "3/4"], "branching": 2, "epsilon": "1"}]
    stated = RELATIONS.get(relation, PERSONS)
    study = snapdp.study(dataset="people", columns={"kids": COLUMNS["kids"]}, statistic=asked, **stated)
    record = as_read({"record": random_record(random.Random(1), study)})["record"]
    parts = record["statistics"][0]["parts"]
    moving, rows = 1 + (relation == "change-one"), 1 + (relation == "persons")
    assert [each["cell"][0] for each in parts] == ["0 to 3", "0 to 1", "0"]
    assert {each["epsilon"] for each in parts} == {str(Fraction(1, 3 * moving))}
    assert {(each["moving"], each["sensitivity"], each["whole"]) for each in parts} == {(moving, str(rows), False)}
    wide = Fraction(3 * moving * rows)
    assert {Fraction(each["grid"]) for each in parts} == {Fraction(1 << (math.ceil(wide) - 1).bit_length(), 1 << 12)}
    assert check(release_certificate(record)) == []
    wrong: list[tuple[int, dict[str, Any]]] = [(part, {"epsilon": "1"}) for part in range(3)]
    wrong += [(0, {"moving": 3}), (1, {"sensitivity": "3"}), (2, {"grid": "1/16"}), (0, {"branching": 3})]
    wrong += [(0, {"at": ["1/4", "1/2"]}), (0, {"name": "count"}), (0, {"alpha": "1/10"}), (1, {"whole": True})]
    for part, fields in wrong:
        (reason,) = refusals(record, 0, part, **fields)
        assert reason.startswith(("record.statistics[0]", "record.derived[0]")), reason


def test_radii_of_ranks_are_the_same_doubles_in_both(monkeypatch):
    """Any tree, at levels anywhere in it: every operation is done in one order, so that no bit differs."""
    dice = random.Random(8)
    monkeypatch.setattr(check_release, "INLINE", 10**9)
    for _ in range(60):
        cells = dice.choice([2, 3, 7, 31, 32, 33, 121, 500, 2000])
        b, known, share = dice.randint(2, min(cells, 40)), dice.random() < 0.5, Fraction(dice.randint(1, 999), 1000)
        alpha, scale = Fraction(1, dice.choice([2, 20, 1000, 10**6])), Fraction(dice.randint(2049, 4096))
        column = check_release.Column("x", "integer", levels=cells - 1)
        tree = check_release.StatedTree(column, b, [share], known, False)
        other = LevelTree(cells=cells, branching=b, known_total=known)
        assert (tuple(tree.nodes), tuple(tree.widths), tuple(tree.own)) == (other.nodes, other.widths, other.own)
        some = sorted({0, cells - 1, *(dice.randrange(cells) for _ in range(20))})
        radii = other.radii(share, noise_scale=scale, grid=Fraction(1), level=alpha, cells=np.array(some))
        assert [tree.radius(j, 0, float(scale), alpha) for j in some] == radii.tolist()


def test_the_constants_of_ranks_are_those_of_the_library():
    half = Fraction(1, 2**64)
    assert [tau for tau, _ in check_release.allowances(half)] == [tau for tau, bound in EXPONENTS if bound < -44.4]
    assert [-log / 1000 for log in check_release.LN_A] == [bound for _, bound in EXPONENTS]


def test_levels_are_named_as_the_library_names_them():
    dice = random.Random(9)
    for _ in range(400):
        x = Fraction(dice.randint(-(10**9), 10**9), dice.choice([1, 2, 3, 8, 1000, 10**6, 10**7, 10**12, 1 << 40, 7]))
        assert check_release.amount(x) == exact_amount(x)
    assert [check_release.amount(Fraction(each)) for each in ("1e-9", "0", "-5/2", "9.704e-10")] == [
        "1e-9",
        "0",
        "-2.5",
        "9.704e-10",
    ]


def test_what_was_not_looked_at_is_said_of_quantiles_too(tmp_path, capsys):
    asked = [{"kind": "quantiles", "column": "days", "epsilon": "1"}]
    study = snapdp.study(
        dataset="people", columns={"days": COLUMNS["days"]}, statistic=asked, **RELATIONS["add-remove"]
    )
    made = release_certificate(random_record(random.Random(1), study))
    (tmp_path / "c.json").write_text(json.dumps(made))
    assert main([str(tmp_path / "c.json")]) == 0
    assert "1 file were not looked at, nor quantiles that follow from them" in capsys.readouterr().out


def test_a_mean_of_one_row_is_whole_as_its_sum_is():
    columns = {"age": {"kind": "integer", "lower": 0, "upper": 120, "missing": "middle"}}
    asked = [{"kind": "mean", "column": "age", "epsilon": 1}]
    study = snapdp.study(dataset="people", relation="change-one", n=1, columns=columns, statistic=asked)
    record = random_record(random.Random(1), study)
    assert record["statistics"][0]["parts"][0]["whole"]
    assert check(release_certificate(record)) == []


@pytest.mark.parametrize("exponent", [-150, -40, 0, 40, 200])
def test_roots_are_the_nearest_doubles_at_every_scale(exponent):
    """Standard deviations and correlations of columns in any unit: value to nearest, interval outward."""
    unit = Fraction(2) ** exponent
    columns = {
        name: {"kind": "number", "lower": "0", "upper": str(10 * unit), "step": str(unit), "missing": "middle"}
        for name in ("x", "y")
    }
    asked: list[dict[str, Any]] = [{"kind": "variance", "column": name, "epsilon": 40} for name in ("x", "y")]
    asked += [{"kind": "covariance", "columns": ["x", "y"], "epsilon": 40}]
    study = snapdp.study(dataset="people", relation="change-one", n=90, columns=columns, statistic=asked)
    for seed in range(5):
        record = random_record(random.Random(seed), study)
        assert check(release_certificate(record)) == []
        deviation = record["derived"][0]
        part = record["statistics"][0]["parts"][0]
        square = Fraction(part["factor"]) * Fraction(part["grid"]) * part["index"][0]
        if square > 0:
            below, above = (Fraction(deviation["value"][0]) * (1 + s * Fraction(1, 2**52)) for s in (-1, 1))
            assert below**2 < square < above**2


def test_a_mean_far_outside_its_bounds_has_an_interval_inside_them():
    """Once the low end came out above the upper bound, and the interval upside down."""
    columns = {"age": {"kind": "integer", "lower": 0, "upper": 120, "missing": "middle"}}
    asked = [{"kind": "mean", "column": "age", "epsilon": 4, "alpha": "0.9"}]
    study = snapdp.study(dataset="people", relation="add-remove", n_max=1000, columns=columns, statistic=asked)
    for seed in range(40):
        record = random_record(random.Random(seed), study)
        (block,) = record["derived"]
        assert 0 <= block["low"][0] <= block["high"][0] <= 120
        assert check(release_certificate(record)) == []


# Mutations


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if inner is None:
        yield path, value
        return
    for key, each in inner:
        yield from leaves(each, (*path, key))


def containers(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if isinstance(value, (dict, list)):
        yield path, value
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from containers(each, (*path, key))


def one_digit_off(value: Any, which: int) -> Any:
    """Return a value in which the first (0) or last (-1) digit is another one, or a letter more where none is."""
    if isinstance(value, bool) or value is None:
        return not value
    text = repr(value) if isinstance(value, float) else str(value)
    places = [i for i, c in enumerate(text.partition("e")[0] if isinstance(value, float) else text) if c.isdigit()]
    if not places:
        return text + "s"
    place = places[which]
    return type(value)(text[:place] + str((int(text[place]) + 1) % 10) + text[place + 1 :])


def is_underivable(path: tuple[Any, ...]) -> bool:
    """Tell whether nothing else in a certificate tells this: the ledger's, a reason, the end of a file's digest."""
    if path[0] == "premises":
        return path[-1] == 2
    return path[:1] == ("record",) and (
        path[1:2] in [(each,) for each in UNDERIVABLE] or path[-2:] == ("file", "digest")
    )


def test_claim_and_premises_follow_from_the_record(genuine):
    beside = {key: each for key, each in genuine.items() if key != "record"}
    changes = [(path, other) for path in places(beside) for _, other in others(at(beside, path))]
    for path, other in changes[::4]:
        if path[-1] != 2 and repr(other) != repr(at(beside, path)):  # the third text of a premise is its reason
            assert check({**genuine, **with_value(beside, path, other)}), path


@pytest.mark.parametrize("genuine", ["persons"], indirect=True)
def test_a_premise_of_two_texts_is_refused(genuine):
    premises = [each[:2] for each in genuine["premises"]]
    assert check({**genuine, "premises": premises}) == ["premises: not three texts each"]


def test_a_refusal_names_the_field(genuine):
    (reason,) = check(with_value(genuine, ("record", "statistics", 0, "parts", 0, "sensitivity"), "7"))
    assert reason.startswith("record.statistics[0].parts[0].sensitivity: is '7', but ")
    (reason,) = check(with_value(genuine, ("claim",), "1/7"))
    assert reason.startswith("claim: ")


# Not alpha, nor the bound nearer to zero: a count may have the same interval at another alpha, a sum the same range.
NUMERIC = {"upper", "step", "epsilon", "count_share", "n", "n_max", "rows_per_person", "groups_per_person"}


def test_a_lie_with_a_fitting_digest_of_the_request_is_refused(genuine):
    """Whoever changes a declared number and recomputes digest and charge still has to move the noise."""
    tried = 0
    for path, value in leaves(genuine["record"]):
        names = {step for step in path if isinstance(step, str)}
        if not names & NUMERIC or names & {"parts", "derived", "where"}:
            continue
        if "columns" in names and genuine["record"]["statistics"][path[1]]["kind"] == "histogram":
            continue  # counts do not depend on bounds: another release, as good as this one
        record = with_value(genuine["record"], path, one_digit_off(value, -1))
        statistics = [{k: v for k, v in each.items() if k != "parts"} for each in record["statistics"]]
        try:
            charged = str(sum(Fraction(each["epsilon"]) for each in statistics))
        except ZeroDivisionError:
            charged = "1"
        keys = ("relation", "unit", "n", "n_max", "person", "rows_per_person")
        request = {"snapdp_request": 1, **{k: record[k] for k in keys if k in record}, "statistics": statistics}
        record |= {"charged": charged, "request": digest(canonical({"epsilon": charged, "request": request}))}
        assert check({**genuine, "claim": charged, "record": record}), path
        tried += 1
    assert tried > 10


@pytest.mark.parametrize("step", ["-1", "0", "-1/100"])
def test_a_step_that_is_not_positive_is_refused(genuine, step):
    """It would make the levels, and with them the sensitivity, negative."""
    (reason,) = check(with_value(genuine, ("record", "statistics", 0, "columns", 0, "step"), step))
    assert reason.startswith("record.statistics[0].columns[0].step: ")


# Hostile input

JUNK = [
    None, True, -1, 0, 1.5, 10**400, float("nan"), float("inf"), "", "x", "1/0", "9" * 1000, "9" * 5000, "-", "\ud800",
    [], {}, [[]], {"a": {}}, {1: 2}, [None] * 2000, b"x", {"kind": "category"}, {"kind": ["mean"]}, object(),
]  # fmt: skip


def assert_junk_is_refused(genuine: dict[str, Any], places_each: int) -> None:
    dice = random.Random(7)
    places = [path for path, _ in [*leaves(genuine), *containers(genuine)]]
    for junk in JUNK:
        for path in [(), ("record",), ("record", "statistics"), *dice.sample(places, places_each)]:
            if repr(at(genuine, path)) != repr(junk) and not is_underivable(path or ("",)):
                assert check(with_value(genuine, path, junk)), (path, junk)


@pytest.mark.parametrize("genuine", ["persons"], indirect=True)
def test_junk_in_some_places_is_refused_without_an_exception(genuine):
    assert_junk_is_refused(genuine, places_each=3)


@pytest.mark.long
def test_junk_in_many_places_is_refused_without_an_exception(genuine):
    assert_junk_is_refused(genuine, places_each=12)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", 3),
        ("{", 3),
        ("[" * 100_000, 3),
        ('{"claim": ' + "9" * 5000 + "}", 3),
        ("\xff", 1),
        ("[]", 1),
        ("NaN", 1),
        ('{"format": 1, "format": 1}', 1),
        ('{"a": {"b": 1, "b": 2}}', 1),
    ],
)
def test_texts_that_are_no_certificates(tmp_path, capsys, text, code):
    (tmp_path / "c.json").write_text(text if text != "\xff" else '"\xff"', encoding="utf-8")
    assert main([str(tmp_path / "c.json")]) == code
    assert capsys.readouterr().out.startswith("REFUSED: " if code == 1 else "COULD NOT CHECK: ")


def test_numbers_of_a_thousand_digits_are_no_trouble(genuine):
    """An alpha that is the probability of the mechanism to 900 digits: it is decided all the same, or refused."""
    with decimal.localcontext(prec=900):
        near = Fraction(Decimal("-0.5").exp())
    written = f"{near.numerator}/{near.denominator}"
    for place, value in (("alpha", written), ("epsilon", f"{10**999 - 1}/{10**999 - 3}"), ("epsilon", "9" * 999)):
        assert check(with_value(genuine, ("record", "statistics", 0, place), value))


def test_a_file_too_long_is_not_read(tmp_path, monkeypatch, genuine):
    (tmp_path / "c.json").write_text(json.dumps(genuine))
    assert main([str(tmp_path / "c.json")]) == 0
    monkeypatch.setattr(check_release, "MOST_BYTES", 1000)
    assert main([str(tmp_path / "c.json")]) == 3
    assert main([str(tmp_path / "none.json")]) == 3
    assert main([]) == 2


# Numbers


def test_exponentials_are_enclosed_tightly():
    dice = random.Random(3)
    with decimal.localcontext(prec=400):
        for _ in range(300):
            t = Fraction(dice.randint(0, 10**6), dice.randint(1, 10**5))
            bits = dice.choice([1, 20, 80, 300, 900])
            low, high = exp_minus(t, bits)
            exact = Fraction((-Decimal(t.numerator) / t.denominator).exp()) * 2**bits
            slack = Fraction(1, 10**90)
            assert low <= exact * (1 + slack)
            assert exact * (1 - slack) <= high
            assert high - low <= 3


def test_the_clamp_is_the_least_one():
    dice = random.Random(4)
    with decimal.localcontext(prec=60):
        logarithm = Fraction(40 * Decimal(2).ln())
    for _ in range(100):
        end = Fraction(dice.randint(-(10**6), 10**6), dice.randint(1, 99))
        scale = Fraction(dice.randint(1, 10**4), dice.choice([1, 7, 10**6]))
        k = clamp_index(end, scale)
        assert k + Fraction(1, 2) >= end + scale * logarithm > k - Fraction(1, 2)


def test_reach_is_where_values_begin_to_reject_for_good():
    """By the law itself: the chance of outputs at least as far from f as 0 is, of a rounded Laplace variable."""
    dice = random.Random(5)
    for _ in range(25):
        x, alpha = Fraction(dice.randint(4, 200), 64), Fraction(dice.choice([1, 5, 30, 60, 90]), 100)
        r = reach(x, alpha)
        assert far_mass(r - Fraction(1, 2**46), x) > alpha
        for beyond in (
            Fraction(1, 2**40),
            Fraction(1, 1000),
            Fraction(1, 3),
            Fraction(1, 2),
            Fraction(7, 5),
            Fraction(9),
        ):
            assert far_mass(r + beyond, x) <= alpha


def far_mass(f: Fraction, x: Fraction) -> Fraction:
    """P(|out - f| >= f) for out = floor(f + Y + 1/2), Y ~ Laplace(1/x), f > 0: below at 0, above from 2f on."""
    with decimal.localcontext(prec=50):
        first = -(-2 * f // 1)  # the least output at least as far
        exponents = (x * (f - Fraction(1, 2)), x * (first - Fraction(1, 2) - f))
        if exponents[0] <= 0 or exponents[1] <= 0:
            return Fraction(1)
        return sum(Fraction((-Decimal(t.numerator) / t.denominator).exp()) for t in exponents) / 2


def test_comparisons_are_decided_or_said_to_be_undecided():
    assert at_most([Fraction(0), Fraction(1)], Fraction(3, 2))
    assert not at_most([Fraction(0), Fraction(1)], Fraction(1))
    assert at_most([Fraction(10**30)], Fraction(1, 10**300))
    with decimal.localcontext(prec=4000):
        near = Fraction(Decimal(-1).exp())
    with pytest.raises(check_release.Undecided, match="decided"):
        at_most([Fraction(1)], near)


def test_roots_and_rounding():
    dice = random.Random(6)
    for _ in range(300):
        x = Fraction(dice.getrandbits(dice.choice([3, 60, 200])) + 1, dice.getrandbits(dice.choice([3, 60, 900])) + 1)
        low, high = outward(root(x), root(x))
        assert Fraction(low) ** 2 <= x <= Fraction(high) ** 2
        assert low == high or high == pytest.approx(low, rel=1e-15, abs=0)
        assert root(-x) == -root(x)
    assert root(Fraction(0)) == 0
    assert outward(Fraction(1, 3), Fraction(1, 3)) == (0.3333333333333333, 0.33333333333333337)


# Independence


def test_it_imports_the_standard_library_only():
    names = set()
    for node in ast.walk(ast.parse(SOURCE.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names.add(str(node.module).partition(".")[0])
        elif isinstance(node, ast.Name):
            assert node.id not in ("__import__", "import_module", "exec", "eval")
    assert names <= sys.stdlib_module_names


def test_nothing_of_the_package_but_the_commands_imports_it():
    package = SOURCE.parents[1]
    named = [path for path in package.rglob("*.py") if "check_release" in path.read_text(encoding="utf-8")]
    others = {str(path.relative_to(package)) for path in named if path != SOURCE}
    # Two of them send readers to it.
    assert others == {"audits/certificates.py", "cli/verify.py", "audits/check_program.py"}


def test_a_copy_runs_alone(tmp_path, genuine):
    shutil.copy(SOURCE, tmp_path / "alone.py")
    changed = with_value(genuine, ("record", "charged"), "1/7")
    for name, each, code, said in (
        ("good", genuine, 0, "ACCEPTED\n"),
        ("bad", changed, 1, "REFUSED: record.charged: "),
    ):
        (tmp_path / name).write_text(json.dumps(each))
        command = [sys.executable, "-I", str(tmp_path / "alone.py"), str(tmp_path / name)]
        ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert (ran.returncode, ran.stderr) == (code, "")
        assert ran.stdout.startswith(said)


def test_the_checker_knows_every_statistic_and_every_engine():
    """It shares no code with the rest, so it must be told; and so must the audit."""
    engines = {each.name for each in (DuckdbEngine, SparkEngine, PostgresEngine)}
    assert {kind: each.takes for kind, each in KINDS.items()} == {k: v[0] for k, v in check_release.KINDS.items()}
    assert engines == set(check_release.ENGINES) == set(ENGINES)
    assert engines == {each.name for each in Engine.__subclasses__() if each.__module__.startswith("snapdp.")}
