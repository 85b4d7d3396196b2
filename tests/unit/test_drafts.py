"""Drafts: a file is written whole or not at all, and what is no file stays what it is."""

from __future__ import annotations

import os

import pytest

from snapdp.drafts import draft, finish, write_new_text, write_text
from snapdp.errors import DataError


def test_a_text_is_written_in_the_place_of_an_older_one(tmp_path):
    path = tmp_path / "text.txt"
    for text in ("first\n", "zweite Fassung: \u00e9\n"):
        write_text(text, path)
        assert path.read_bytes() == text.encode("utf-8")
    assert [each.name for each in tmp_path.iterdir()] == ["text.txt"]


@pytest.mark.parametrize("linked", [True, False], ids=["hard links", "a disk without them"])
def test_a_new_text_never_takes_the_place_of_an_older_one(tmp_path, monkeypatch, linked):
    if not linked:
        monkeypatch.setattr(os, "link", lambda *_: (_ for _ in ()).throw(PermissionError(1, "no links here")))
    path, turned = tmp_path / "text.txt", tmp_path / "link.txt"
    write_new_text("first: \u00e9\n", path)
    turned.symlink_to(tmp_path / "nowhere.txt")
    for place in (path, turned):
        with pytest.raises(DataError, match="exists; it is not overwritten"):
            write_new_text("second", place)
    assert path.read_bytes() == "first: \u00e9\n".encode()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link.txt", "text.txt"]


def test_a_failure_leaves_the_older_file_and_no_draft(tmp_path):
    path = tmp_path / "text.txt"
    write_text("older", path)
    with pytest.raises(UnicodeEncodeError):
        write_text("newer \ud800", path)
    with pytest.raises(DataError, match="cannot be written") as refused, draft(tmp_path, ".txt"):
        raise OSError(28, "no room")
    assert refused.value.numbers["reason"] == "no room"
    assert path.read_text() == "older"
    assert [each.name for each in tmp_path.iterdir()] == ["text.txt"]


@pytest.mark.parametrize("place", ["nowhere/text.txt", "folder"])
def test_a_place_that_cannot_be_written_is_refused_with_its_reason(tmp_path, place):
    (tmp_path / "folder").mkdir()
    with pytest.raises(DataError, match="cannot be written to") as refused:
        write_text("text", tmp_path / place)
    assert refused.value.numbers["reason"]
    assert [each.name for each in tmp_path.iterdir()] == ["folder"]


def test_a_draft_has_its_name_only_when_it_is_finished(tmp_path):
    with draft(tmp_path, ".csv") as made:
        made.write_text("1,2\n")
        assert made.suffix == ".csv"
        assert not (tmp_path / "values.csv").exists()
        finish(made, tmp_path / "values.csv")
    assert [each.name for each in tmp_path.iterdir()] == ["values.csv"]


def test_a_pipe_is_written_into_and_stays_a_pipe(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_text("text", path)
        assert os.read(reader, 10) == b"text"
        assert path.is_fifo()
    finally:
        os.close(reader)
