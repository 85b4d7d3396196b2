"""The third verdict of both checkers: whatever fails in them, a certificate is neither accepted nor refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import pytest

from snapdp.audits import check_program as check, check_release
from snapdp.audits.certificates import Examination, examine_certificate, examine_file
from snapdp.audits.check_release import Undecided
from snapdp.audits.release_audit import release_certificate
from tests.tiers import one_in
from tests.unit.audits.test_mutations import ASKED, asked_record
from tests.unit.lab.loss.certificates import genuine

FAULTS: list[type[Exception]] = [
    MemoryError, RecursionError, OverflowError, ValueError, TypeError, KeyError, IndexError, ZeroDivisionError,
    AttributeError, AssertionError, OSError, UnicodeError, RuntimeError, NotImplementedError, Undecided,
]  # fmt: skip
PROGRAMS = genuine()
WRONG_PROGRAM = PROGRAMS["snap_half"] | {"claim": "1/2"}
CHECKERS = {"check.py": check, "check_release.py": check_release}


def certificate_of(number: int) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(json.dumps(release_certificate(asked_record(number))))
    return made


def wrong_release() -> dict[str, Any]:
    made = certificate_of(0)
    made["record"]["derived"] = [*made["record"]["derived"], {}]
    return made


CASES: list[tuple[str, Callable[[], Any], int]] = [
    ("check.py", lambda: PROGRAMS["snap_half"], 0),
    ("check.py", lambda: PROGRAMS["snap_tenth"], 0),
    ("check.py", lambda: WRONG_PROGRAM, 1),
    ("check_release.py", wrong_release, 1),
    *(("check_release.py", lambda number=number: certificate_of(number), 0) for number in range(len(ASKED))),
]


def forget(module: ModuleType) -> None:
    """Forget what a checker has computed before, so that every run calls the same functions."""
    for each in vars(module).values():
        if hasattr(each, "cache_clear"):
            each.cache_clear()
    check_release.Adjusted.weights.cache_clear()


def main_under(module: ModuleType, path: Path, on_call: Callable[[CodeType], None]) -> int:
    """Run a checker; `on_call` is told every function of it that is called, and may raise in its place."""

    def trace(frame: Any, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename == module.__file__:
            on_call(frame.f_code)

    forget(module)
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        return int(module.main([str(path)]))
    finally:
        sys.settrace(before)


@pytest.mark.parametrize(("checker", "made", "code"), one_in(9, CASES))
def test_a_fault_in_any_function_of_a_checker_neither_accepts_nor_refuses(checker, made, code, tmp_path, capsys):
    """One function after the other fails where it is first called, each with another exception."""
    module, path, called = CHECKERS[checker], tmp_path / "c.json", dict[CodeType, None]()
    path.write_text(json.dumps(made()))
    assert main_under(module, path, called.setdefault) == code
    capsys.readouterr()
    functions = [each for each in called if each.co_name != "main"]
    assert len(functions) > 10
    for number, function in enumerate(functions):
        fault = FAULTS[number % len(FAULTS)]

        def fail(code: CodeType, function: CodeType = function, fault: type[Exception] = fault) -> None:
            if code is function:
                raise fault("injected")

        assert main_under(module, path, fail) == 3, (function.co_name, fault)
        said = capsys.readouterr()
        assert said.out.startswith("COULD NOT CHECK: "), (function.co_name, fault)
        assert ("ACCEPTED" in said.out, "REFUSED" in said.out, said.err) == (False, False, "")


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("content", [PROGRAMS["snap_half"], certificate_of(0)], ids=["program", "release"])
def test_the_library_says_so_too(content, fault, monkeypatch):
    def fail(*_: Any) -> None:
        raise fault("injected")

    monkeypatch.setattr(check, "derive", fail)
    monkeypatch.setattr(check_release, "check_record", fail)
    found = examine_certificate(json.dumps(content).encode())
    assert (found.verdict, found.accepted, found.proved) == ("COULD NOT CHECK", False, None)
    assert fault.__name__ in str(found.reason)


def range_of_32_bits(*ends: int) -> range:
    """Return a range, if a 32-bit interpreter can tell its length."""
    found = range(*ends)
    if (found.stop - found.start) // found.step >= 2**31:
        raise OverflowError("Python int too large to convert to C ssize_t")
    return found


@pytest.mark.parametrize("number", one_in(4, range(len(ASKED))))
def test_no_range_of_a_checker_is_longer_than_32_bits_can_count(number, monkeypatch):
    """A 32-bit interpreter, such as one in a browser, has no length for it: every release was refused there."""
    monkeypatch.setattr(check_release, "range", range_of_32_bits, raising=False)
    forget(check_release)
    assert check_release.check(certificate_of(number)) == []


def test_no_range_of_the_checker_of_programs_is_longer_than_32_bits_can_count(monkeypatch):
    monkeypatch.setattr(check, "range", range_of_32_bits, raising=False)
    assert [name for name, each in PROGRAMS.items() if check.check(each) is not None] == []


@pytest.mark.parametrize(
    ("low", "high", "first"), [(0, 0, 0), (0, 1, 0), (0, 9, 5), (-7, 1 << 62, 1 << 61), (3, 9, 9), (5, 9, 5)]
)
def test_the_first_number_for_which_a_condition_holds(low, high, first):
    assert check_release.first_where(low, high, lambda k: k >= first) == first


@pytest.fixture(params=["pipe", "directory", "device", "missing", "locked"])
def unreadable(request, tmp_path):
    path = tmp_path / "c.json"
    if request.param == "pipe":
        os.mkfifo(path)
    elif request.param == "directory":
        path.mkdir()
    elif request.param == "device":
        return Path("/dev/zero")
    elif request.param == "locked":
        path.symlink_to(path)  # not even the superuser opens it
    return path


@pytest.mark.parametrize("checker", CHECKERS)
def test_what_is_not_a_regular_file_is_not_waited_for_and_not_accused(checker, unreadable):
    command = [sys.executable, "-I", "-S", str(CHECKERS[checker].__file__), str(unreadable)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (3, "")
    assert done.stdout.startswith("COULD NOT CHECK: the file cannot be read (")


def test_the_library_does_not_wait_for_a_pipe_either(unreadable):
    code = "import sys, snapdp.audits.certificates; print(snapdp.audits.certificates.examine_file(sys.argv[1]).verdict)"
    done = subprocess.run([sys.executable, "-c", code, str(unreadable)], capture_output=True, text=True, timeout=60)
    assert done.stdout == "COULD NOT CHECK\n"


@pytest.mark.parametrize("checker", CHECKERS)
def test_a_verdict_that_cannot_be_printed_is_not_one_of_refusal(checker, tmp_path):
    path = tmp_path / "c.json"
    path.write_text(json.dumps(PROGRAMS["snap_half"] if checker == "check.py" else certificate_of(0)))
    command = [sys.executable, "-I", "-S", str(CHECKERS[checker].__file__), str(path)]
    with open("/dev/full", "w") as full:
        assert subprocess.run(command, stdout=full, timeout=60, check=False).returncode == 3
    closed = ["sh", "-c", 'exec "$@" >&-', "sh", *command]
    assert subprocess.run(closed, timeout=60, check=False).returncode in (0, 3)


def test_wrong_usage_is_not_a_verdict(capsys):
    for module in CHECKERS.values():
        assert module.main([]) == module.main(["a", "b"]) == 2
    assert capsys.readouterr().out == ""


def test_an_examination_that_was_not_made_accepts_nothing(tmp_path):
    assert not examine_file(tmp_path / "none.json").accepted
    assert not Examination(verdict="COULD NOT CHECK").accepted
