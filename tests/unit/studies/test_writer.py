"""A study is written so that it can be read back, and so that whoever edits it sees all that it says."""

from __future__ import annotations

import pytest

import snapdp
from snapdp.display.text import visible_lines
from snapdp.studies.study_file import study_from_toml, study_to_toml

HOSTILE = [
    "\x1b[31mred",
    "\x7f",
    "\x85next",
    "\x9b2J",
    "\u2028line",
    "\u202eturned",
    "\u200bunseen",
    "a\u00a0b",
    "\u3164",
    "\U000e0100",
    "a\nepsilon = 99\r",
    'it\'s "quoted" \\u0041',
    "süd \U0001f71a",
]


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_names_that_an_editor_would_obey_or_not_show_are_written_out_and_read_back(name):
    declared = snapdp.study(
        dataset=name,
        relation="add-remove",
        n_max=9,
        columns={name: {"kind": "category", "categories": [name, "b"]}},
        statistic=[{"kind": "histogram", "column": name, "epsilon": 1}],
    ).declared
    text = study_to_toml(declared)
    assert visible_lines(text) == text
    assert study_from_toml(text) == declared
