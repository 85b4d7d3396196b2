"""Screens of 80 columns: as they are kept, no line longer, no word that a data holder would have to look up."""

from __future__ import annotations

from functools import cache

import pytest

from tests.cli.screens import WIDTH, all_screens, known_offences, offences, written

REWRITE = "python -m tests.cli.screens writes them anew; look at the difference"
LONGER = {"verify-refuted": "a program to be copied"}


@cache
def shown() -> dict[str, str]:
    return dict(all_screens())


def test_every_screen_is_as_it_is_kept():
    found, kept = shown(), written()
    assert found.keys() == kept.keys(), REWRITE
    assert [name for name in found if found[name] != kept[name]] == [], REWRITE


def test_no_line_is_longer_than_the_terminal():
    longer = {name for name, text in written().items() if any(len(line) > WIDTH for line in text.splitlines())}
    assert longer == LONGER.keys()


def test_no_screen_of_those_who_publish_has_a_word_that_they_would_have_to_look_up():
    """The known ones can only become fewer: who mends one writes the list anew, and nobody adds to it."""
    assert offences(written()) == known_offences()


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("centred sum ± 152044", "centred sum"),
        ("with probability at most alpha", "alpha"),
        ("│ cell │ value │", "cell"),
        ("Neighbours: the values of one row change", "Neighbours:"),
        ("mean(age): derived", "derived"),
        ("the numerator of a mean", "numerator"),
    ],
)
def test_such_a_word_would_be_found(line, word):
    assert offences({"plan-mean": line}) == {"plan-mean": [word]}
    assert offences({"verify-program": line, "page-lab-run": line}) == {}


def test_a_cell_of_a_file_and_the_flag_alpha_are_fine():
    assert offences({"plan": "Missing cells of age count as 60.\n--alpha 0.05 is 95 %"}) == {}


def test_every_command_has_its_page_and_colours_are_for_terminals():
    found = shown()
    assert {"page-plan", "page-release", "page-ledger-create", "page-lab-bound"} <= found.keys()
    assert not any("\x1b" in text for text in found.values())
