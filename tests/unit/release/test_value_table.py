"""Files of values are tidy, whatever was released: one row a number, named by its keys, and one column for each."""

from __future__ import annotations

import csv
import random
from fractions import Fraction

import duckdb
import pytest

from snapdp.exact.numbers import parameter, to_float_down, to_float_up
from snapdp.release.files import typed_columns, write_values
from snapdp.release.result import Release
from snapdp.release.value_table import SOURCES, VALUE_FIELDS, ends_of, on_the_grid, value_table
from tests.unit.audits.releases import random_record
from tests.unit.release.guards import unguarded
from tests.unit.release.people import released

KEYS, NUMBERS = ("statistic", "measure", "column"), ("value", "shown", "low", "high")


def rows_of(table):
    return [dict(zip(table.columns, row, strict=True)) for row in zip(*table.columns.values(), strict=True)]


def check_tidy(release):
    """Everything that holds of every table of values."""
    table = value_table(release.blocks())
    assert [field.name for field in table.fields] == list(table.columns)
    assert [name for name in table.columns if name in VALUE_FIELDS] == list(VALUE_FIELDS)
    assert len({name.casefold() for name in table.columns}) == len(table.columns)
    rows = rows_of(table)
    named = [tuple(row[key] for key in table.keys) for row in rows]
    assert len(set(named)) == len(named), "two rows have one name"
    numbers = list(release.numbers())
    known = [tuple(getattr(each, name) for name in ("value", "low", "high", "alpha", "charged")) for each in numbers]
    doubles = {"low": to_float_down, "high": to_float_up}  # an end that is a text of its own is a double outward
    stored = [
        tuple(
            doubles[name](row[name]) if isinstance(row[name], Fraction) else row[name]
            for name in ("value", "low", "high", "alpha", "charged")
        )
        for row in rows
    ]
    assert sorted(known, key=repr) == sorted(stored, key=repr)
    assert {row["source"] for row in rows} <= set(SOURCES)
    record = release.record
    inline = {
        place
        for place, each in enumerate(record["statistics"])
        if any("file" not in part for part in each["parts"])
        or any(block["statistic"] == place and "file" not in block for block in record["derived"])
    }
    paid = sum(parameter(record["statistics"][place]["epsilon"], name="epsilon") for place in inline)
    assert sum(parameter(row["charged"], name="charged") for row in rows) == paid
    asked = [row for row in rows if row["asked"]]
    if len(asked) and not any("file" in block for block in record["derived"]):
        assert sum(parameter(row["charged"], name="charged") for row in asked) == paid
    for row in rows:
        if row["shown"] is not None:  # bounds of a look are intervals that are open on one side
            assert row["low"] is None or float(row["low"]) <= row["shown"]
            assert row["high"] is None or row["shown"] <= float(row["high"])
    return table


@pytest.mark.parametrize("seed", range(24))
def test_every_table_of_values_is_tidy_and_agrees_with_its_release(seed):
    check_tidy(Release(random_record(random.Random(seed))))


@pytest.mark.long
def test_very_many_tables_of_values_are_tidy():
    for seed in range(24, 1500):
        check_tidy(Release(random_record(random.Random(seed))))


def read_csv(path, table):
    """Return the cells of a CSV file as a reader has them who knows the types of the dictionary alone."""
    with path.open(newline="", encoding="utf-8") as file:
        head, *rows = list(csv.reader(file))
    assert [unguarded(name) for name in head] == list(table.columns)
    read = {"string": unguarded, "boolean": {"true": True, "false": False}.get, "number": Fraction}
    return [
        [None if text == "" else read[field.kind](text) for field, text in zip(table.fields, row, strict=True)]
        for row in rows
    ]


@pytest.mark.parametrize("seed", range(0, 40, 4))
def test_csv_parquet_and_frames_hold_the_same_rows(seed, tmp_path):
    release = Release(random_record(random.Random(seed)))
    table = value_table(release.blocks())
    write_values(table, tmp_path / "v.csv")
    write_values(table, tmp_path / "v.parquet")
    stored = duckdb.execute(f"SELECT * FROM '{tmp_path / 'v.parquet'}'")
    assert [each[0] for each in stored.description] == list(table.columns)
    from_csv, from_parquet = read_csv(tmp_path / "v.csv", table), stored.fetchall()
    assert len(from_csv) == len(from_parquet) == len(list(release.numbers()))
    for plain, typed, exact in zip(from_csv, from_parquet, zip(*table.columns.values(), strict=True), strict=True):
        for field, one, two, true in zip(table.fields, plain, typed, exact, strict=True):
            if field.kind == "number":
                assert (one is None) == (two is None) == (true is None), field.name
                is_exact = isinstance(true, Fraction) and one == true
                assert one is None or float(one) == two or field.name in ("alpha", "epsilon", "charged") or is_exact
                assert one is None or field.name != "low" or Fraction(two) <= Fraction(true)
                assert one is None or field.name != "high" or Fraction(two) >= Fraction(true)
            else:
                assert two == true
                assert one == (true if true != "" else None), field.name
    pytest.importorskip("polars")
    assert release.to_polars().rows() == from_parquet
    assert list(release.to_pandas().columns) == list(typed_columns(table)) == list(table.columns)


MEANS = {"kind": "mean", "column": "age", "by": "region", "epsilon": "1/2"}


def test_what_was_asked_for_is_selected_by_one_word(tmp_path):
    frame = released(tmp_path, MEANS).to_pandas().query("asked")
    assert list(frame["region"]) == ["north", "south", "(unknown)"]
    assert set(frame["measure"]) == {"mean"}
    assert list(frame["charged"]) == [0.5, 0, 0]


def test_bins_have_their_ends_as_numbers(tmp_path):
    asked = {"kind": "histogram", "column": "pay", "edges": [500, "600.5", 1000], "epsilon": 1}
    rows = rows_of(value_table(released(tmp_path, asked).blocks()))
    found = [(row["pay"], row["pay_from"], row["pay_to"]) for row in rows if row["asked"]]
    assert found == [("[500, 1201/2)", 500, Fraction(1201, 2)), ("[1201/2, 1000]", Fraction(1201, 2), 1000)]


def test_an_empty_name_of_a_category_is_not_a_missing_key(tmp_path):
    """In a CSV file the one is a pair of quotes, the other nothing."""
    from snapdp.release.files import csv_text

    assert csv_text("") == '""'
    for seed in range(400):
        release = Release(random_record(random.Random(seed)))
        table = value_table(release.blocks())
        texts = [cell for name in table.keys[3:] for cell in table.columns[name]]
        if "" in texts and None in texts:
            write_values(table, tmp_path / "v.csv")
            assert ',"",' in (tmp_path / "v.csv").read_text(encoding="utf-8")
            return
    pytest.fail("no release has both")


def test_columns_that_are_named_like_fields_and_keys_stay_apart(tmp_path):
    """A group column may be called quantile, value or cell_from: it is text, and theirs is another."""
    import snapdp
    from snapdp.ledger.ledger import Ledger

    kind = {"kind": "category", "categories": ["a", "b"]}
    names = ["quantile", "Value", "x_from", "asked"]
    columns = {"x": {"kind": "integer", "lower": 0, "upper": 3, "missing": "dropped"}, **dict.fromkeys(names, kind)}
    statistics = [{"kind": "quantiles", "column": "x", "by": name, "epsilon": 1} for name in names]
    asked = snapdp.study(format=1, dataset="d", relation="change-one", n=2, columns=columns, statistic=[*statistics])
    rows = {"x": [1, 2], **{key: ["a", "b"] for key in names}}
    with Ledger.create(tmp_path / "l") as ledger:
        ledger.create_account("d", cap=9, relation="change-one", rows=2)
        found = asked.release(rows, ledger=ledger, directory=tmp_path)
    table = check_tidy(found)
    assert {"quantile", "quantile (key)", "Value (key)", "x_from", "x_from (key)", "asked (key)"} <= {*table.columns}


@pytest.mark.parametrize("text", ["", "north", "(missing)", "[a, b)", "1 to", "2^99999999", "[1, 2", "9" * 500, "1/0"])
def test_what_is_no_bin_has_no_ends(text):
    assert ends_of(text) == (None, None)


def test_ends_of_magnitudes_are_numbers_also_where_they_are_written_as_powers():
    assert ends_of("(-2^70, -1/2]") == (-(2**70), Fraction(-1, 2))
    assert ends_of("from 1024") == (1024, None)
    assert ends_of("to -1") == (None, -1)
    assert ends_of("all") == (None, None)


def test_an_end_on_the_grid_of_a_column_is_written_as_that_number_and_stored_outward():
    """-3/10 is no double: the one below it was written as -0.30000000000000004."""
    column = {"lower": "-1", "step": "1/10"}
    assert on_the_grid(column, to_float_down(Fraction(-3, 10)), to_float_down) == Fraction(-3, 10)
    assert on_the_grid(column, to_float_up(Fraction(3, 10)), to_float_up) == Fraction(3, 10)
    # not the outward double of a multiple, no multiple, or one that no short text writes: as it is
    assert isinstance(on_the_grid(column, to_float_down(Fraction(-3, 10)), to_float_up), float)
    assert isinstance(on_the_grid(column, -0.35, to_float_down), float)
    third = {"lower": "0", "step": "1/3"}
    assert isinstance(on_the_grid(third, to_float_down(Fraction(1, 3)), to_float_down), float)
    assert isinstance(on_the_grid({"lower": "much"}, 0.1, to_float_down), float)


@pytest.mark.parametrize("places", range(1, 10))
def test_no_end_in_a_text_lies_inside_of_the_end_that_was_released(places):
    """Whatever is written is the double of the record, or a number that this double was moved outward from."""
    step = Fraction(1, 10**places)
    column = {"lower": "-1000", "step": str(step)}
    draw = random.Random(places)
    for _ in range(200):
        number = -1000 + step * draw.randrange(2000 * 10**places)
        low, high = to_float_down(number), to_float_up(number)
        assert Fraction(repr(float(on_the_grid(column, low, to_float_down)))) <= number
        assert Fraction(repr(float(on_the_grid(column, high, to_float_up)))) >= number
