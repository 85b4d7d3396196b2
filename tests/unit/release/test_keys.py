"""Releases by keys: labels and values in the order of the file, few and many; what was altered is found."""

from __future__ import annotations

import contextlib
import copy
import hashlib
import json
import tempfile
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import snapdp
from snapdp.audits import check_release
from snapdp.audits.release_audit import audit, release_certificate
from snapdp.errors import BoundError, DataError, ParameterError
from snapdp.release import draw
from snapdp.release.draw import derived_blocks
from snapdp.studies.grouping.keys import digest_of_keys

PAY = {"kind": "integer", "lower": 0, "upper": 10, "missing": "dropped"}
KEYS = [("b", "x, y"), ("a", "q"), ("z", '"'), ("b", "q")]
ROWS = {
    "page": ["a", "a", "b", "b", "b", "a", None, "?"],
    "land": ["q", "q", "x, y", "x, y", "q", "x, y", "q", "q"],
    "pay": [1, 2, 3, None, 50, 6, 7, 8],
}
COUNT: dict[str, Any] = {"kind": "count", "by": ["page", "land"], "epsilon": 10**6}
SURE = 10**6  # an epsilon at which noise is nearly always 0


def quoted(text: str) -> str:
    return '"{}"'.format(text.replace('"', '""'))


def written(path: Path, rows: list[tuple[str, ...]], names: tuple[str, ...] = ("page", "land")) -> str:
    path.write_text("\n".join(",".join(map(quoted, row)) for row in [names, *rows]) + "\n", encoding="utf-8")
    return str(path)


def study(*statistics: dict[str, Any], columns: Any = None, relation: str = "add-remove") -> Any:
    rows = {"relation": relation, "n" if relation == "change-one" else "n_max": 8}
    declared = {"columns": {"pay": PAY} if columns is None else columns}
    return snapdp.study(dataset="pages", **rows, **declared, statistic=list(statistics))


def book(folder: Path, relation: str = "add-remove") -> Any:
    ledger = snapdp.Ledger.create(folder / f"{relation}.ledger")
    ledger.create_account("pages", cap=10**9, relation=relation, rows=8)
    return ledger


def released(folder: Path, *statistics: dict[str, Any], relation: str = "add-remove") -> Any:
    with book(folder, relation) as ledger:
        result = study(*statistics, relation=relation).release(ROWS, ledger=ledger, directory=folder)
    result.save(folder / "record.json")
    return result


def accepted(record: dict[str, Any]) -> bool:
    return not check_release.check(json.loads(json.dumps(release_certificate(record))))


@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
def test_values_are_those_of_the_keys_in_the_order_of_the_file(relation, tmp_path):
    keys = {"keys": written(tmp_path / "k.csv", KEYS), "epsilon": SURE}
    by = {"by": ["page", "land"], **keys}
    result = released(
        tmp_path,
        {"kind": "count", **by},
        {"kind": "sum", "column": "pay", **by},
        {"kind": "mean", "column": "pay", **by},
        {"kind": "histogram", "column": "pay", "edges": [0, 3, 10], **by},
        relation=relation,
    )
    values = result.values
    assert list(values["count by page, land"].items()) == list(zip(KEYS, [2, 2, 0, 1], strict=True))
    assert list(values["sum(pay) by page, land"].values()) == [3, 3, 0, 10]
    means = list(values["mean(pay) by page, land"].values())
    assert means[:2] == pytest.approx([3, 1.5], abs=0.01)
    assert means[3] == pytest.approx(10, abs=0.01)
    cells = values["histogram(pay) by page, land"]
    assert list(cells) == [(*key, cell) for key in KEYS for cell in ("[0, 3)", "[3, 10]")]
    assert list(cells.values()) == [0, 1, 2, 0, 0, 0, 0, 1]
    declared = result.record["statistics"][0]
    assert declared["keys"] == {
        "count": 4,
        "digest": digest_of_keys(["page", "land"], KEYS),
        "cell": [*map(list, KEYS)],
    }
    assert audit(result.record, directory=tmp_path).sound
    assert accepted(result.record)


def test_two_statistics_may_have_other_keys_of_one_column(tmp_path):
    one = {"kind": "count", "by": "page", "keys": written(tmp_path / "a.csv", [("b",)], ("page",)), "epsilon": SURE}
    two = {**one, "keys": written(tmp_path / "b.csv", [("a",), ("z",)], ("page",))}
    result = released(tmp_path, one, two)
    assert list(result.values.values()) == [{"b": 3}, {"a": 3, "z": 0}]
    assert audit(result.record).sound
    assert accepted(result.record)


def test_persons_are_counted_by_keys(tmp_path):
    keys = written(tmp_path / "k.csv", [("b",), ("a",), ("z",)], ("page",))
    with snapdp.Ledger.create(tmp_path / "l") as ledger:
        ledger.create_account("pages", cap=10**9, relation="add-remove", rows=8, person="id")
        rows = {"page": ["a", "a", "b", "b"], "id": ["p", "p", "p", "q"]}
        found = snapdp.persons(
            rows, by="page", keys=keys, groups_per_person=3, epsilon=SURE, ledger=ledger, dataset="pages"
        )
        assert found.value == {"b": 2, "a": 1, "z": 0}
        kept = snapdp.count(rows, by="page", keys=keys, rows_per_person=1, epsilon=SURE, ledger=ledger)
        assert sum(kept.value.values()) == 2
    assert accepted(found.record)
    assert accepted(kept.record)


REFUSED: dict[str, tuple[dict[str, Any], Any, str]] = {
    "margins": ({"margins": "all"}, None, "a file of keys lists the cells"),
    "a column that is declared": ({}, {"page": {"kind": "category", "categories": ["a"]}}, "column 'page' is declared"),
    "no groups": ({"by": None}, None, "keys belong to groups, and there are none"),
    "another column": ({"by": ["page", "country"]}, None, "the table has no column named 'country'"),
    "no file": ({"keys": "absent.parquet"}, None, "there is no file"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_is_refused_when_the_study_is_read(name, tmp_path):
    more, columns, said = REFUSED[name]
    statistic = {**COUNT, "keys": written(tmp_path / "k.csv", KEYS), **more}
    with pytest.raises((ParameterError, DataError)) as refusal:
        study({key: each for key, each in statistic.items() if each is not None}, columns=columns)
    assert said in str(refusal.value)


MANY = 2500


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A release by many keys, with pages of a thousand cells, so that the last one is short."""
    place = tmp_path_factory.mktemp("it's [1] *")
    keys = written(place / "k.csv", [(f"p{i * 7 % MANY}", "q" if i % 2 else "it's") for i in range(MANY)])
    by = {"by": ["page", "land"], "keys": keys, "epsilon": 1}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(draw, "PAGE", 1200)
        patch.setattr(tempfile, "tempdir", str(tmp_path_factory.mktemp("it's [2] *")))  # of the copy of the keys
        released(
            place,
            {"kind": "count", **by},
            {"kind": "mean", "column": "pay", **by},
            {"kind": "histogram", "column": "pay", "edges": [0, 3, 10], **by},
        )
    return place


def record_in(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "record.json").read_text(encoding="utf-8"))
    return found


def blocks(record: dict[str, Any]) -> list[dict[str, Any]]:
    return [part for each in record["statistics"] for part in each["parts"]] + record["derived"]


def test_many_cells_are_in_files_with_a_column_for_each_key_in_the_order_of_the_file(many):
    record = record_in(many)
    assert [block["cells"] for block in blocks(record)] == [MANY, MANY, MANY, 2 * MANY, MANY]
    assert record["statistics"][0]["keys"].keys() == {"count", "digest"}
    keys = [(f"p{i * 7 % MANY}", "q" if i % 2 else "it's") for i in range(MANY)]
    for block in blocks(record):
        with duckdb.connect() as connection:
            file = str(many / block["file"]["name"]).replace("[", "[[]").replace("*", "[*]")
            found = connection.execute("SELECT page, land FROM read_parquet(?)", [file]).fetchall()
        each = block["cells"] // MANY
        assert found == [key for key in keys for _ in range(each)]
    assert not [path for path in many.iterdir() if path.is_dir()]  # pages are gone


@pytest.mark.parametrize("count", [1000, 1001])
def test_a_thousand_keys_are_in_the_record_and_one_more_in_a_file_without_cell(count, tmp_path):
    keys = written(tmp_path / "k.csv", [(f"p{i}", "q") for i in range(count)])
    (part,) = released(tmp_path, {**COUNT, "keys": keys}).record["statistics"][0]["parts"]
    assert ("file" in part) == (count > 1000)
    if count > 1000:
        with duckdb.connect() as connection:
            found = connection.execute(f"DESCRIBE SELECT * FROM '{tmp_path / part['file']['name']}'").fetchall()
        assert [name for name, *_ in found][:3] == ["page", "land", "index"]


def test_an_audit_looks_at_every_key_and_number_of_many_cells(many):
    found = audit(record_in(many), directory=many)
    assert found.sound
    assert (len(found.seen), found.unseen) == (5, ())
    assert accepted(record_in(many))
    without = audit(record_in(many))
    assert without.sound
    assert len(without.unseen) == 5


def test_pages_are_the_numbers_of_one_block(many, monkeypatch):
    """What is made by pages is what is made at one time; a short last page takes the way of few cells."""
    monkeypatch.setattr(draw, "PAGE", 1200)
    by = {"by": ["page", "land"], "keys": str(many / "k.csv"), "epsilon": "1/7"}
    request = study({"kind": "count", **by}, {"kind": "mean", "column": "pay", **by}).request()
    indices = np.arange(-1200, MANY - 1200)
    parts = [
        [
            draw.Drawn(line=line, part=part, mechanism=m, indices=indices)
            for part, m in zip(line.statistic.parts, own, strict=True)
        ]
        for line, own in zip(request.lines, request.mechanisms, strict=True)
    ]
    blocks = [each.block for every in parts for each in every] + [block for _, block in derived_blocks(parts)]
    assert [block.name for block in blocks] == ["count", "centred sum", "count", "mean"]
    whole = [[each._block(()) for each in every] for every in parts]
    for block, other in zip(blocks, [*whole[0], *whole[1]], strict=False):
        assert block.page_count == 3
        for name in ("values", "shown", "lows", "highs"):
            paged = [number for page in block.pages() for number in getattr(page, name)]
            assert paged == list(getattr(other, name))
    (mean,) = request.lines[1].statistic.derived(parts[1], [])
    for name, column in zip(("values", "lows", "highs"), mean.columns, strict=True):
        assert [number for page in blocks[-1].pages() for number in getattr(page, name)] == list(column)


FORGED = {
    "another key": "SELECT * REPLACE (CASE WHEN page = 'p7' THEN 'p7x' ELSE page END AS page) FROM t",
    "another order of keys": "SELECT o.page, o.land, t.* EXCLUDE (page, land) FROM t POSITIONAL JOIN "
    "(SELECT page, land FROM t ORDER BY page) AS o",
    "keys without their columns": "SELECT * EXCLUDE (land) FROM t",
    "a column more": "SELECT *, page AS cell FROM t",
    "another value": "SELECT * REPLACE (value + 1 AS value) FROM t",
    "a cell less": "SELECT * FROM t LIMIT 2499",
}


@pytest.mark.parametrize("name", FORGED)
def test_a_file_of_many_cells_that_was_altered_is_found(name, many, tmp_path):
    record = copy.deepcopy(record_in(many))
    block = record["statistics"][0]["parts"][0]
    for file in many.glob("snapdp-*.parquet"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    made = tmp_path / "made.parquet"
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT * FROM read_parquet(?)", [str(tmp_path / block["file"]["name"])])
        connection.execute(f"COPY ({FORGED[name]}) TO '{made}' (FORMAT PARQUET)")
    digest = hashlib.sha256(made.read_bytes()).hexdigest()
    block["file"] |= {"name": f"snapdp-{digest[:32]}.parquet", "digest": f"sha256:{digest}"}
    made.rename(tmp_path / block["file"]["name"])
    found = audit(record, directory=tmp_path)
    assert [each.field.startswith("statistics[0].parts[0].") for each in found.findings] == [True]


@pytest.mark.parametrize("other", ["'[0, 3)'", "land", "CASE WHEN pay = '[0, 3)' THEN '[3, 10]' ELSE '[0, 3)' END"])
def test_a_histogram_has_its_own_cells_in_each_key(other, many, tmp_path):
    record = copy.deepcopy(record_in(many))
    block = record["statistics"][2]["parts"][0]
    made = tmp_path / "made.parquet"
    genuine = str(many / block["file"]["name"]).replace("[", "[[]").replace("*", "[*]")
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT * FROM read_parquet(?)", [genuine])
        connection.execute(f"COPY (SELECT * REPLACE ({other} AS pay) FROM t) TO '{made}' (FORMAT PARQUET)")
    digest = hashlib.sha256(made.read_bytes()).hexdigest()
    block["file"] |= {"name": f"snapdp-{digest[:32]}.parquet", "digest": f"sha256:{digest}"}
    made.rename(tmp_path / block["file"]["name"])
    fields = [each.field for each in audit(record, directory=tmp_path).findings]
    assert [field.partition("[")[2].partition(".pay[")[0] for field in fields] == ["2].parts[0]"]


ALTERED = {
    "another digest": lambda said: said["keys"].update(digest="sha256:" + "1" * 64),
    "another order": lambda said: (said["keys"]["cell"].reverse(), said["parts"][0]["cell"].reverse()),
    "another number": lambda said: said["keys"].update(count=3),
    "a cell of another name": lambda said: said["parts"][0]["cell"][0].__setitem__(0, "c"),
    "a key of another name": lambda said: said["keys"]["cell"][0].__setitem__(0, "c"),
    "another comparison": lambda said: said["by"][0].update(compare="numbers"),
    "a list in place of keys": lambda said: said.update(keys=[]),
    "no keys": lambda said: said.pop("keys"),
}


@pytest.mark.parametrize("name", ALTERED)
def test_audit_and_checker_refuse_a_record_whose_keys_were_altered(name, tmp_path):
    result = released(tmp_path, {**COUNT, "keys": written(tmp_path / "k.csv", KEYS)})
    certificate = json.loads(json.dumps(release_certificate(result.record)))
    assert check_release.check(certificate) == []
    ALTERED[name](certificate["record"]["statistics"][0])
    assert check_release.check(certificate) != []
    with contextlib.suppress(DataError, BoundError):  # it is not even a record
        assert not audit(certificate["record"]).sound
