"""Shapes of numbers that were not read say in which signs they could be, and nothing where two ways are possible."""

from __future__ import annotations

import pytest

from snapdp.tables.inspection import written_so

COMMA, GERMAN, ENGLISH = {"decimal": ","}, {"decimal": ",", "thousands": "."}, {"thousands": ","}


@pytest.mark.parametrize(
    ("shapes", "signs"),
    [
        (["9,9"], COMMA),
        (["-99,99", "A. A."], COMMA),
        (["9,9", "9,999"], COMMA),
        (["9.999,99"], GERMAN),
        (["9.999,99", "9,9"], GERMAN),
        (["9.999.999"], GERMAN),
        (["9,999.99"], ENGLISH),
        (["9,999,999"], ENGLISH),
        (["9 999"], {"thousands": "space"}),
        (["9'999.99"], {"thousands": "'"}),
        (["9 999,9"], {"decimal": ",", "thousands": "space"}),
        (["9,999"], {}),  # a little above nine, or some thousands
        (["99,999", "9,999"], {}),
        (["9.999"], {}),  # which was read
        (["9,9", "9.9"], {}),
        (["9,999.99", "9.999,99"], {}),
        (["99.99.9999"], {}),
        (["9999-99-99"], {}),
        (["9.999.999,..."], {}),
        (["aa", ""], {}),
        ([], {}),
    ],
)
def test_signs_are_told_where_one_way_alone_reads_all_shapes(shapes, signs):
    found, told = written_so([("pay", shapes)])
    assert found == signs
    assert told.startswith("pay: some shapes look like numbers with ") == bool(signs)


def test_columns_of_one_file_agree_on_its_signs_or_nothing_is_said():
    dates, pay = ("born", ["99.99.9999"]), ("pay", ["9,9"])
    assert written_so([dates, pay, ("rent", ["9.999,99"])]) == (
        GERMAN,
        "pay, rent: some shapes look like numbers with a decimal comma and points between thousands. If the file is "
        "written so, declare it.",
    )
    assert written_so([pay, ("rent", ["9,999.99"])]) == ({}, "")
    assert written_so([("a", ["9 999"]), ("b", ["9'999"])]) == ({}, "")
