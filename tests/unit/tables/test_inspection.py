"""A look shows classes and shapes: its borders are exact, and no cell is found anywhere."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import duckdb
import pandas
import polars
import pytest

import snapdp
from snapdp.errors import DataError, SnapdpError
from snapdp.tables.engines.duckdb import DuckdbEngine
from snapdp.tables.inspection import (
    CLASSES,
    NO_CATEGORIES,
    NO_DATES,
    NO_NUMBERS,
    NO_TRUTHS,
    SPELT_OTHERWISE,
    Look,
    class_of,
)
from snapdp.tables.sql.inspection import MOST_COMPARED
from tests.properties.observing import listening
from tests.services import on_spark
from tests.unit.tables import everywhere

CANARY = "Kanari"  # in every cell that is not read, with digits and letters of several scripts
STUDY: dict[str, Any] = {
    "dataset": "people",
    "relation": "add-remove",
    "n_max": 100,
    "person": "who",
    "columns": {
        "pay": {"kind": "number", "lower": 0, "upper": 50, "missing": "dropped"},
        "seen": {"kind": "date", "from": "2024-01-01", "to": "2024-12-31", "each": "month"},
        "smokes": {"kind": "boolean"},
        "place": {"kind": "category", "categories": ["north", "south"]},
        "code": {"kind": "category", "categories": ["1", "2"]},
        "long": {"kind": "category", "categories": [f"c{i}" for i in range(100)]},
    },
    "statistic": [{"kind": "mean", "column": "pay", "epsilon": 1}],
}
CELLS: dict[str, list[str | None]] = {
    "who": [f"{CANARY}-4711", None, f"{CANARY}-4712", f"{CANARY}-4713"],
    "pay": ["12", f"{CANARY} 47,11 €", "4711.5", None],
    "seen": ["2024-05-17", f"47.11.{CANARY}", "4711-04-07", None],
    "smokes": ["yes", f"{CANARY}?4711", "no", None],
    "place": ["north", f"{CANARY}Ж\x014711", "south", None],
    "code": ["1.0", f"4711{CANARY}", "4711", None],
    "long": ["c1", f"{CANARY}\U0001f600", "c2", None],
}
EXPECTED = {  # 1 of 4 is more than a tenth
    "who": ("more", "", "", ""),
    "pay": ("more", "more", "more", '"Aaaaaa 99,99..."'),
    "seen": ("more", "more", "more", '"99.99.Aaaaaa"'),
    "smokes": ("more", "more", "", '"Aaaaaa?9999"'),
    "place": ("more", "", "more", '"AaaaaaA?9999"'),
    "code": ("more", "", "more", '"9999"\n"9999Aaaaaa"'),
    "long": ("more", "", "more", '"Aaaaaa?"'),
}


def assert_no_cell(text: str) -> None:
    assert CANARY.lower() not in text.lower()
    assert "4711" not in text
    assert "4712" not in text


def looked(look: Look) -> dict[str, tuple[str, ...]]:
    return {line[0]: tuple(line[2:]) for line in look.lines}


def seen_of(source: Any, capture: Any, *, without: tuple[str, ...] = (), **study: Any) -> dict[str, tuple[str, ...]]:
    """Look at a table; assert that no cell is in anything that comes of it."""
    columns = {name: each for name, each in STUDY["columns"].items() if name not in without}
    capture.readouterr()
    with listening() as ear:
        look = snapdp.study({**STUDY, "columns": columns, **study}).inspect(source)
        print(look, repr(look), look._repr_html_(), pickle.dumps(look))
    said = capture.readouterr()
    for text in (said.out, said.err, *ear.lines, str(vars(look))):
        assert_no_cell(text)
    assert pickle.loads(pickle.dumps(look)) == look
    return looked(look)


def typed(names: tuple[str, ...]) -> dict[str, Any]:
    return {name: ("text", CELLS[name]) for name in names}


def csv_file(folder: Path) -> Path:
    path = folder / "people.csv"
    lines = zip(*([name, *cells] for name, cells in CELLS.items()), strict=True)
    path.write_text("\n".join(",".join("" if c is None else f'"{c}"' for c in line) for line in lines), "utf-8")
    return path


TEXT_ONLY = tuple(name for name in CELLS if name != "pay")
COUNT = [{"kind": "count", "epsilon": 1}]
WITHOUT_PAY = {name: each for name, each in EXPECTED.items() if name != "pay"}


def test_a_csv_file_and_frames_show_no_cell(tmp_path, capfd):
    assert seen_of(csv_file(tmp_path), capfd) == EXPECTED
    assert seen_of(CELLS, capfd) == EXPECTED
    assert seen_of(pandas.DataFrame({n: pandas.Series(c, dtype=object) for n, c in CELLS.items()}), capfd) == EXPECTED
    assert sorted(each.name for each in tmp_path.iterdir()) == ["people.csv"]


def test_sources_with_a_schema_show_no_cell(tmp_path, capfd):
    made = polars.DataFrame({name: CELLS[name] for name in TEXT_ONLY})
    made.write_parquet(tmp_path / "people.parquet")
    for source in (made, tmp_path / "people.parquet", everywhere.on_duckdb(typed(TEXT_ONLY), tmp_path)):
        assert seen_of(source, capfd, without=("pay",), statistic=COUNT) == WITHOUT_PAY


def test_a_server_shows_no_cell(database, capfd):
    found = seen_of(everywhere.on_postgres(typed(TEXT_ONLY), database), capfd, without=("pay",), statistic=COUNT)
    assert {name: line[:3] for name, line in found.items()} == {n: line[:3] for n, line in WITHOUT_PAY.items()}
    assert found["seen"] == EXPECTED["seen"]


@on_spark
def test_spark_shows_no_cell(spark, tmp_path, capfd):
    assert seen_of(snapdp.open_table(str(csv_file(tmp_path)), spark=spark), capfd) == EXPECTED


def test_text_as_numbers_is_refused_by_schema():
    made = polars.DataFrame({"who": ["a"], "pay": [f"{CANARY}4711"]})
    with pytest.raises(DataError, match="declared as number but stored as") as refused:
        snapdp.study(STUDY).inspect(made)
    assert_no_cell(str(refused.value))


def test_an_error_under_way_shows_no_cell(tmp_path, monkeypatch):
    def torn(*_: Any) -> None:
        raise duckdb.Error(f"could not convert {CANARY}4711")

    for step in ("_rows", "_select"):
        with monkeypatch.context() as patch:
            patch.setattr(DuckdbEngine, step, torn)
            with pytest.raises(SnapdpError) as refused:
                snapdp.study(STUDY).inspect(csv_file(tmp_path))
        assert_no_cell(repr(refused.value) + str(refused.value))
        assert refused.value.__context__ is None
    (tmp_path / "torn.csv").write_text(f'who,pay\n"{CANARY}"4711,1\n', "utf-8")
    with pytest.raises(DataError) as ragged:
        snapdp.study(STUDY).inspect(tmp_path / "torn.csv")
    assert_no_cell(str(ragged.value))


def test_classes_end_exactly_at_a_hundredth_and_a_tenth():
    assert [class_of(count, 1000) for count in (0, 1, 10, 11, 100, 101, 1000)] == [
        CLASSES[place] for place in (0, 1, 1, 2, 2, 3, 3)
    ]
    assert class_of(1, 99) == "1 to 10 %"
    assert class_of(10**30, 10**32) == "up to 1 %"
    assert class_of(10**30 + 1, 10**32) == "1 to 10 %"
    assert class_of(0, 0) == "none"


@pytest.mark.parametrize(("odd", "told"), [(0, "none"), (2, "up to 1 %"), (3, "1 to 10 %"), (21, "more")])
def test_a_class_is_a_share_of_all_rows(odd, told):
    cells = {"pay": ["x"] * odd + ["1"] * (200 - odd), "who": ["p"] * 200}
    assert looked(snapdp.study(STUDY).inspect(cells))["pay"] == ("none", told, "none", '"a"' if odd else "")


def test_only_the_three_commonest_shapes_are_shown():
    cells = ["aa", "bb", "cc", "a-b", "c-d", "1,5", "?", "7/8", "9/1", "3/3", "2/2"]
    found = looked(snapdp.study(STUDY).inspect({"pay": cells, "who": cells}))["pay"]
    assert found[3].split("\n") == ['"9/9"', '"aa"', '"a-a"']


def test_a_column_that_no_statistic_needs_is_looked_at_where_it_is():
    found = looked(snapdp.study(STUDY).inspect({"pay": ["1"], "who": ["p"], "smokes": ["maybe"]}))
    assert list(found) == ["pay", "who", "smokes"]
    with pytest.raises(DataError, match="no column named 'pay'"):
        snapdp.study(STUDY).inspect({"who": ["p"], "smokes": ["maybe"]})


PLACES = ["north", "NORTH", " south", "South ", "south", "east", "noRth  ", None]


def test_cells_that_differ_from_a_category_by_capitals_or_blanks_are_told_and_no_others():
    note = f"place: {SPELT_OTHERWISE}"

    def notes(cells, **said):
        column = {"kind": "category", "categories": ["north", "south"], **said}
        asked = {**STUDY, "columns": {"place": column}, "statistic": [{"kind": "histogram", "column": "place",
                 "epsilon": 1}]}  # fmt: skip
        return snapdp.study(asked).inspect({"place": cells, "who": ["p"] * len(cells)}).notes

    assert note in notes(PLACES)
    for cell in ("NORTH", " north", "north "):
        assert note in notes(["north", cell])
    assert note not in notes(["north", None, "south", "nor th", "norte", "", "north.", "\tnorth", "\u00a0north"])
    many = ["north", *(f"c{i}" for i in range(MOST_COMPARED - 1))]
    assert note in notes(["NORTH"], categories=many)
    assert note not in notes(["NORTH"], categories=[*many, "south"])
    assert note not in notes([" 1", "1.0"], categories=["1", "2"])  # which are numbers, and read


HARDLY_READ = {"boolean": NO_TRUTHS, "category": NO_CATEGORIES, "date": NO_DATES, "number": NO_NUMBERS}
FOREIGN: dict[str, tuple[dict[str, Any], list[str]]] = {  # a declaration, and a cell that reads as it
    "boolean": ({"kind": "boolean"}, ["yes"]),
    "category": ({"kind": "category", "categories": ["north", "south"]}, ["north"]),
    "date": ({"kind": "date", "from": "2024-01-01", "to": "2024-12-31", "each": "month"}, ["2024-05-17"]),
    "number": ({"kind": "number", "lower": 0, "upper": 9, "missing": "dropped"}, ["2"]),
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_a_column_of_which_nearly_no_cell_is_read_is_told_by_its_class_and_no_other(kind):
    declared, read = FOREIGN[kind]

    def told(cells: list[Any]) -> tuple[Any, ...]:
        asked = {**STUDY, "columns": {"c": declared}, "statistic": COUNT}
        del asked["person"]
        look = snapdp.study(asked).inspect({"c": cells})
        assert_no_cell(repr(look))
        return look.neither, f"c: {HARDLY_READ[kind]}" in look.notes

    truth = ("c",) if kind == "boolean" else ()
    assert told([f"{CANARY}4711", f"{CANARY}4712"] * 100) == (truth, True)
    assert told([CANARY] * 99 + read) == (truth, True)
    assert told([CANARY] * 98 + read * 2) == (truth, False)
    assert told([CANARY] * 10 + read * 90) == ((), False)
    assert told([None] * 99 + read) == ((), False)  # a cell that is not there was not misread
    assert told([CANARY] * 10 + [None] * 90) == ((), False)


# Nothing declared


def test_without_declarations_each_column_says_what_it_reads_as(tmp_path, capfd):
    rows = 200
    cells = {
        "age": [str(4700 + i) for i in range(rows)],
        "pay": [f"{i + 10},000" for i in range(rows)],
        "born": ["2024-02-29"] * 198 + ["2024-02-30"] * 2,
        "smokes": ["0", "1"] * 100,
        "name": [f"{CANARY} {i}" for i in range(rows)],
        "empty": [""] * rows,
        "mixed": ["7"] * 190 + [f"{CANARY}4711"] * 10,
    }
    path = tmp_path / "people.csv"
    lines = [
        ",".join(cells),
        *(",".join(f'"{c}"' if c else "" for c in line) for line in zip(*cells.values(), strict=True)),
    ]
    path.write_text("\n".join(lines), "utf-8")
    look = snapdp.open_table(path).inspect()
    print(look, look._repr_html_())
    assert_no_cell(capfd.readouterr().out)
    assert "4700" not in repr(look)
    assert {line[0]: line[1:] for line in look.lines} == {
        "age": ("none", "numbers", "none", ""),
        "pay": ("none", "text", "", '"999,999"\n"99,999"'),
        "born": ("none", "dates", "up to 1 %", '"9999-99-99"'),
        "smokes": ("none", "numbers or yes/no", "none", ""),
        "name": ("none", "text", "", '"Aaaaaa 999"\n"Aaaaaa 99"\n"Aaaaaa 9"'),
        "empty": ("more", "no cell", "", ""),
        "mixed": ("none", "numbers", "1 to 10 %", '"Aaaaaa9999"'),
    }
    assert look.notes[0] == "The first line of the file is taken for the names of the columns."


def test_without_declarations_a_schema_says_what_it_knows(tmp_path):
    made = polars.DataFrame({"n": [1.5, None], "w": [1, 2], "t": [True, None], "s": ["x", "7"], "z": [[1], [2]]})
    made.write_parquet(tmp_path / "people.parquet")
    look = snapdp.open_table(tmp_path / "people.parquet").inspect()
    assert [line[:3] for line in look.lines] == [
        ("n", "more", "numbers"),
        ("w", "none", "numbers"),
        ("t", "more", "yes/no"),
        ("s", "none", "text"),
        ("z", "none", "not known"),
    ]
    assert "first line" not in repr(look)


def test_a_count_of_all_rows_reads_no_cell():
    asked = {**STUDY, "statistic": COUNT, "columns": {"row": STUDY["columns"]["pay"]}}
    del asked["person"]
    assert snapdp.study(asked).inspect({"who": ["p"]}).lines == ()


MIXED: dict[str, Any] = {
    "n": ("double", [1.5, float("nan"), None, 2.0]),
    "w": ("bigint", [1, 2, 3, 4]),
    "d": ("decimal", ["1.5", None, "2", "3"]),
    "day": ("text", ["2024-02-29", "0001-01-01", "2024-05-17T12:00", None]),
    "flag": ("text", ["yes", "N", "true", "0"]),
    "name": ("text", [f"{CANARY} 4711", "7", "7", "7"]),
}
READ_AS = [
    ("n", "more", "numbers", "", ""),
    ("w", "none", "numbers", "", ""),
    ("d", "more", "numbers", "", ""),
    ("day", "more", "dates", "none", ""),
    ("flag", "none", "yes/no", "none", ""),
    ("name", "none", "text", "", '"Aaaaaa 9999"'),
]


def test_without_declarations_a_database_is_read_alike(tmp_path):
    assert list(everywhere.on_duckdb(MIXED, tmp_path).inspect().lines) == READ_AS


def test_without_declarations_a_server_is_read_alike(database):
    assert list(everywhere.on_postgres(MIXED, database).inspect().lines) == READ_AS


@on_spark
@pytest.mark.long
def test_without_declarations_spark_reads_alike(spark):
    typed = {name: column for name, column in MIXED.items() if name != "d"}  # its frames want Python's own decimals
    found = everywhere.on_spark(typed, spark).inspect()
    assert list(found.lines) == [line for line in READ_AS if line[0] != "d"]
