"""Screens of 80 columns: as they are kept, and no line longer."""

from __future__ import annotations

from functools import cache

from tests.cli.screens import WIDTH, all_screens, written

REWRITE = "python -m tests.cli.screens writes them anew; look at the difference"
LONGER = {"lab-verify-refuted": "a program to be copied"}


@cache
def shown() -> dict[str, str]:
    return dict(all_screens())


def test_every_screen_is_as_it_is_kept():
    found, kept = shown(), written()
    assert found.keys() == kept.keys(), REWRITE
    assert [name for name in found if found[name] != kept[name]] == [], REWRITE


def test_no_line_is_longer_than_the_terminal_and_none_has_colours():
    longer = {name for name, text in written().items() if any(len(line) > WIDTH for line in text.splitlines())}
    assert longer == LONGER.keys()
    assert not any("\x1b" in text for text in shown().values())
