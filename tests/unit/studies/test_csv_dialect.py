"""The CSV dialect: closed lists, signs that differ, one value for study files, flags, Python and records."""

from __future__ import annotations

import json

import click
import pytest

import snapdp
from snapdp.audits.check_release import CSV
from snapdp.cli.flags.files import csv_dialect, csv_options
from snapdp.errors import ParameterError
from snapdp.release.record import ALLOWED
from snapdp.studies.csv_dialect import (
    DECIMALS,
    ENCODINGS,
    MOST_NULLS,
    THOUSANDS,
    CsvDialect,
    dialect_from,
    dialect_words,
    is_text,
    stated_dialect,
)
from snapdp.studies.study_file import study_from_toml, study_to_toml
from snapdp.tables.engines.opening import check_dialect, open_table
from snapdp.tables.sources.csv import dialect_mark

SPREADSHEET = CsvDialect(delimiter=";", decimal=",", thousands=".", encoding="latin-1", null=["NA", "."])
STUDY = """
format = 1
dataset = "people"
relation = "change-one"
n = 3

[csv]
{}

[columns.pay]
kind = "number"
lower = 0
upper = 100
missing = 50

[[statistic]]
kind = "mean"
column = "pay"
epsilon = 1
"""


def declared(table: str):
    return study_from_toml(STUDY.format(table))


def test_only_signs_and_encodings_that_tests_cover_are_taken():
    for code in range(0x2100):
        each = chr(code)
        for key, known in (("decimal", DECIMALS), ("thousands", THOUSANDS)):
            if each not in known:
                with pytest.raises(ParameterError, match=f"{key} = "):
                    CsvDialect(**{key: each})
    for key, given in (("thousands", ".,"), ("decimal", ""), ("decimal", None), ("encoding", "latin1"), ("quote", "")):
        with pytest.raises(ParameterError, match="alike"):
            CsvDialect(**{key: given})
    with pytest.raises(ParameterError, match="windows-1252' is none") as refused:
        CsvDialect(encoding="windows-1252")
    assert "latin-1" in refused.value.advice


@pytest.mark.parametrize(
    "clash",
    [
        {"decimal": ",", "thousands": ","},
        {"thousands": "."},  # the point is the decimal sign
        {"thousands": "'", "quote": "'"},
        {"delimiter": "|", "quote": "|"},
    ],
)
def test_signs_that_could_not_be_told_apart_are_refused(clash):
    with pytest.raises(ParameterError, match="the same character"):
        CsvDialect(**clash)


def test_a_sign_of_numbers_may_be_the_delimiter_as_such_cells_stand_in_quotes():
    assert CsvDialect(thousands=",").separator == ","
    assert CsvDialect(decimal=",").separator == ","


NO_CELLS = [["a;b"], ["\n"], [1], 7, None, ['"'], list(map(str, range(101))), ["\ud800"], "\x00"]


@pytest.mark.parametrize("null", NO_CELLS, ids=range(len(NO_CELLS)))
def test_a_null_text_that_no_cell_could_be_is_refused(null):
    with pytest.raises(ParameterError, match="null"):
        CsvDialect(delimiter=";", null=null)


@pytest.mark.parametrize("null", ["€", "\x80", "ł"])
def test_a_null_text_that_the_encoding_does_not_have_is_refused(null):
    with pytest.raises(ParameterError, match="cannot be written in latin-1"):
        CsvDialect(encoding="latin-1", null=[null])


def test_one_null_text_is_taken_alone_and_a_list_beside_the_empty_cell():
    assert CsvDialect().nulls == CsvDialect(null=[]).nulls == CsvDialect(null=[""]).nulls == ("",)
    assert CsvDialect(null="NA").nulls == ("NA",)
    assert CsvDialect(null=["NA", ".", "NA"]).nulls == ("", ".", "NA")
    assert CsvDialect(null=["NA", "."]) == CsvDialect(null=(".", "NA", ""))
    assert CsvDialect(null=[]) == CsvDialect()


def test_a_hundred_null_texts_are_taken_the_empty_one_among_them_and_one_more_is_refused():
    texts = [f"x{i}" for i in range(MOST_NULLS)]
    assert len(CsvDialect(null=texts[:-1]).nulls) == MOST_NULLS == 100
    with pytest.raises(ParameterError, match="more than 100"):
        CsvDialect(null=texts)


def test_a_file_named_tsv_keeps_its_tab_whatever_else_is_declared():
    for dialect, name, separator in (
        (CsvDialect(), "a.tsv", "\t"),
        (CsvDialect(decimal=","), "A.TSV", "\t"),
        (CsvDialect(), "a.csv", ","),
        (CsvDialect(delimiter=";"), "a.tsv", ";"),
    ):
        assert dialect.of_file(name).delimiter == separator


def test_what_is_not_plain_is_stated_and_read_back():
    assert CsvDialect().stated() == CsvDialect(delimiter=",").stated() == {}
    assert SPREADSHEET.stated() == {
        "delimiter": ";", "decimal": ",", "thousands": ".", "encoding": "latin-1", "nulls": ["", ".", "NA"]
    }  # fmt: skip
    for dialect in (SPREADSHEET, CsvDialect(delimiter=",", null="NA"), CsvDialect(delimiter="\t", quote="'")):
        assert stated_dialect(dialect.stated()).of_file("t.csv") == dialect
    with pytest.raises(ParameterError, match="a plain CSV file"):  # of which a record says nothing
        stated_dialect({})


def test_latin_1_has_no_control_characters_above_the_ascii_ones():
    for byte in range(256):
        assert is_text(bytes([65, byte]), "latin-1") == (not 0x80 <= byte < 0xA0)
    assert set(ENCODINGS) == {"utf-8", "latin-1"}


def test_fingerprints_of_plain_dialects_say_nothing_of_them():
    assert dialect_mark(CsvDialect()) == b"CsvDialect(delimiter=',', quote='\"', null='')"
    assert dialect_mark(CsvDialect(delimiter="\t", null="NA")) == b"CsvDialect(delimiter='\\t', quote='\"', null='NA')"
    others = [CsvDialect(), *(CsvDialect(**{k: v}) for k, v in (("decimal", ","), ("thousands", "_"), ("null", ["a"])))]
    assert len({*map(dialect_mark, others), dialect_mark(CsvDialect(encoding="latin-1"))}) == 5


OTHER = {  # another value of every option: a new one needs its line, and whatever forgets it is found below
    "delimiter": ";", "quote": "'", "null": ["NA"], "decimal": ",", "thousands": "_", "encoding": "latin-1",
}  # fmt: skip


@pytest.mark.parametrize("key", CsvDialect._fields)
def test_every_option_of_a_dialect_is_stated_marked_written_and_said_by_a_flag(key):
    dialect, stated = CsvDialect(**{key: OTHER[key]}), {"null": "nulls"}.get(key, key)
    assert list(dialect.stated()) == [stated]
    assert stated_dialect(dialect.stated()).of_file("t.csv") == dialect.of_file("t.csv")
    assert stated in ALLOWED["csv"]
    assert dialect_words(dialect.stated()) != ""
    assert dialect_mark(dialect) != dialect_mark(CsvDialect())
    study = declared(f"{key} = {json.dumps(OTHER[key])}")
    assert study_from_toml(study_to_toml(study)).csv == study.csv == dialect
    typed = OTHER[key] if isinstance(OTHER[key], str) else ",".join(OTHER[key])
    assert csv_dialect({**dict.fromkeys(CsvDialect._fields), key: typed}, None) == dialect


def test_every_option_has_a_flag_and_a_field_in_records_and_nothing_else_has():
    assert {each.name for each in csv_options(click.Command("none")).params} == {*CsvDialect._fields}
    assert ALLOWED["csv"] == {*CsvDialect._fields} - {"null"} | {"nulls"} == {*CSV, "nulls"}


# Study files


def test_a_study_declares_the_dialect():
    found = declared('delimiter = ";"\ndecimal = ","\nthousands = "."\nencoding = "latin-1"\nnull = ["NA", "."]')
    assert found.csv == SPREADSHEET
    assert declared('delimiter = "tab"\nthousands = "space"').csv == CsvDialect(delimiter="\t", thousands=" ")
    assert declared('null = "NA"').csv == CsvDialect(null=["NA"])
    assert declared("").csv == CsvDialect()
    assert study_from_toml(STUDY.format("").replace("[csv]", "")).csv is None


@pytest.mark.parametrize("table", ['delimiter = ";"\nthousands = "no-break space"\nnull = ["NA"]', "", 'quote = "|"'])
def test_a_written_study_is_read_back_with_its_dialect(table):
    study = declared(table)
    assert study_from_toml(study_to_toml(study)) == study


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("delimeter = ';'", "csv: the key 'delimeter' is not known"),
        ("decimal = 1", "csv: decimal is a number"),
        ("null = 7", "csv: null is a number"),
        ("null = [7]", "csv: null is a list of other things"),
        ("decimal = ';'", "csv: decimal = ';' is none"),
        ("thousands = '.'", "csv: decimal and thousands are the same character"),
    ],
)
def test_a_wrong_dialect_is_refused_with_its_place(table, told):
    with pytest.raises(ParameterError) as refused:
        declared(table)
    assert told in refused.value.problem


def test_the_dialect_is_no_part_of_a_request():
    with_csv, without = declared('decimal = ","'), study_from_toml(STUDY.format("").replace("[csv]", ""))
    assert snapdp.Study(with_csv).request().declaration == snapdp.Study(without).request().declaration


def test_a_study_opens_its_files_in_its_dialect_and_refuses_tables_of_another(tmp_path):
    (tmp_path / "t.csv").write_bytes("größe;pay\n1;1,5\n".encode("latin-1"))
    study = snapdp.Study(declared('delimiter = ";"\ndecimal = ","\nencoding = "latin-1"'))
    own = study.table(tmp_path / "t.csv")
    assert study.table(own) is own
    assert own.csv == {"delimiter": ";", "decimal": ",", "encoding": "latin-1"}
    with pytest.raises(ParameterError, match="another CSV dialect than the study"):
        study.table(open_table(tmp_path / "t.csv", dialect=CsvDialect(delimiter=";")))
    with pytest.raises(ParameterError, match="no CSV files have no dialect"):
        study.table({"pay": [1.0]})
    with pytest.raises(ParameterError, match="no CSV files have no dialect"):
        study.table(open_table({"pay": [1.0]}))


def test_a_study_that_leaves_the_delimiter_to_the_name_takes_a_tsv_file(tmp_path):
    (tmp_path / "t.tsv").write_bytes(b"pay\tg\n1\t2\n")
    check_dialect(CsvDialect(decimal=","), open_table(tmp_path / "t.tsv", dialect=CsvDialect(decimal=",")))
    with pytest.raises(ParameterError, match="another CSV dialect"):
        check_dialect(CsvDialect(delimiter=","), open_table(tmp_path / "t.tsv"))


def test_words_stand_for_characters_nobody_can_type_and_for_nothing_else():
    assert dialect_from({"thousands": "no-break space"}).thousands == "\u00a0"
    assert dialect_from({"thousands": "narrow no-break space"}).thousands == "\u202f"
    assert dialect_from({"null": ["tab", "space"]}).nulls == ("", "space", "tab")
    with pytest.raises(ParameterError, match="quote = "):
        dialect_from({"quote": "tab"})
