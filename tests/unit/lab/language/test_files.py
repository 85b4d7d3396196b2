"""FILE.py:function: the file is run, and its errors are told by kind and line."""

from __future__ import annotations

import pytest

from snapdp.errors import ProgramError
from snapdp.lab.language.audited import audited_function, names_a_function

GOOD = """
import snapdp
from snapdp.lab.language.tracing import clamp, ln, round_to
import helper

print("said by the file")

@snapdp.lab.audit(query=(-64, 64), epsilon=0.5)
def snap(f, U, S):
    return clamp(round_to(f + S * ln(U) / helper.EPSILON, 2), 64)

def plain(f, U, S):
    return f
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "helper.py").write_text("EPSILON = 0.5\n")
    (tmp_path / "mechanism.py").write_text(GOOD)
    return tmp_path


def test_a_function_of_a_file_is_judged_and_what_the_file_prints_is_no_result(folder, capsys):
    assert audited_function(f"{folder / 'mechanism.py'}:snap").verify().kind == "VERIFIED"
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == "said by the file\n"


def test_a_function_is_named_by_file_and_name():
    assert names_a_function("a/b.py:f")
    assert not any(names_a_function(text) for text in ("snap_half", "a.imp", "a.py", "record.json"))


@pytest.mark.parametrize(
    ("text", "name", "problem"),
    [
        (GOOD, "plain", "plain in .* is a function that says nothing about its private value"),
        (GOOD, "missing", "has no missing"),
        (GOOD, "a b", "names no function"),
        (GOOD, "", "names no function"),
        ("x = 1\ny = 1 / 0\n", "f", "bad.py, line 2: the file was run, and stopped with ZeroDivisionError"),
        ("import sys\nsys.exit('secret')\n", "f", "bad.py, line 2: the file was run, and stopped with SystemExit"),
        ("raise BaseException\n", "f", "bad.py, line 1: the file was run, and stopped with BaseException"),
        ("import snapdp\nsnapdp.lab.audit(query=5, epsilon=1)\n", "f", "query is no pair of numbers"),
        ("def f(:\n", "f", "bad.py, line 1: this is no Python"),
        ("x = 1\0\n", "f", "this is no Python"),
    ],
)
def test_what_cannot_be_judged_is_refused(folder, text, name, problem):
    (folder / "bad.py").write_text(text)
    with pytest.raises(ProgramError, match=problem) as refused:
        audited_function(f"{folder / 'bad.py'}:{name}")
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("stop", ["sys.exit(0)", "raise BaseException"])
def test_a_function_that_ends_the_program_is_refused(folder, stop):
    """An exit code of 0 would tell a build that the claim is kept."""
    text = f"import snapdp, sys\n@snapdp.lab.audit(query=(0, 1), epsilon=1)\ndef f(x):\n    {stop}\n"
    (folder / "bad.py").write_text(text)
    with pytest.raises(ProgramError, match=r"bad.py, line 4: f failed with"):
        _ = audited_function(f"{folder / 'bad.py'}:f").program


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(ProgramError, match="cannot be read: No such file"):
        audited_function(f"{tmp_path / 'none.py'}:f")
