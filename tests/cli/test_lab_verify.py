"""`snapdp lab verify`: exit codes, texts as they were agreed, certificates, reports, bad input without a traceback."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner

import snapdp
from snapdp.cli.app import main
from snapdp.lab import program, verification
from snapdp.lab.language.parser import program_text
from snapdp.lab.loss import verdict
from tests import VECTORS

GOLDEN = VECTORS / "verify"
VOID = {"meta", "rect", "path", "circle"}


SEARCHES = ((verdict, "verify"), (verification, "verify_mechanism"))
REMEMBERED = [(home, name, functools.cache(getattr(home, name))) for home, name in SEARCHES]


@pytest.fixture(autouse=True)
def one_search_for_one_question(monkeypatch):
    """Look for the verdict on a program, a machine and a claim once: many tests read it."""
    for home, name, answer in REMEMBERED:
        monkeypatch.setattr(home, name, answer)


def run(*arguments: str):
    return CliRunner().invoke(main, ["lab", "verify", *arguments])


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["snap_half"], 0),
        (["naive_laplace"], 1),
        pytest.param(["snap_noclamp"], 3, marks=pytest.mark.long),
        pytest.param(["snap_half", "--claim", "0.50000000000001"], 4, marks=pytest.mark.long),
    ],
)
def test_the_exit_code_is_the_verdict(arguments, code):
    done = run(*arguments)
    assert done.exit_code == code
    assert done.output.split()[0] == {0: "VERIFIED", 1: "REFUTED", 3: "UNBOUNDED", 4: "INCONCLUSIVE"}[code]


@pytest.mark.parametrize(
    ("file", "arguments"),
    [
        ("snap_half.txt", ["snap_half"]),
        ("snap_bigB.txt", ["snap_bigB", "--machine", "umin=-1074", "--claim", "note"]),
        ("snap_half.json", ["snap_half", "--json"]),
        ("naive_laplace.json", ["naive_laplace", "--json"]),
    ],
)
def test_the_output_is_the_one_that_was_read(file, arguments):
    """After an intended change, write the new output into tests/vectors/verify and read the difference."""
    assert run(*arguments).stdout == (GOLDEN / file).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["no_such_program"],
        ["record.json"],
        ["snap_half", "--machine", "p=1"],
        ["snap_half", "--machine", "p=24,sampler=grid53"],
        ["snap_half", "--machine", "colour=red"],
        ["snap_half", "--claim", "much"],
        ["snap_half", "--claim=-1"],
        ["snap_half", "--certificate", "/nowhere/at/all.json"],
        ["snap_half", "--report", "/nowhere/at/all.html"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("as_json", [False, True])
def test_wrong_usage_exits_with_two_and_a_message(arguments, as_json):
    done = run(*arguments, *(["--json"] if as_json else []))
    assert done.exit_code == 2
    assert isinstance(done.exception, SystemExit)
    assert "Traceback" not in done.output
    assert len(done.output + done.stderr) > 20


@pytest.mark.parametrize(
    "text",
    [
        "",
        "program {",
        "program p { return z; }",
        "program p { query f; y = f(D) / 0; return y; }",
        "program p { query f; y = 1 / 0 + f(D); return y; }",
        "program p { query f; y = ln(0 - 1) + f(D); return y; }",
        "\x00\x01",
        "(" * 5000,
    ],
)
def test_bad_programs_exit_with_two_or_get_a_verdict(tmp_path, text):
    path = tmp_path / "bad.imp"
    path.write_text(text, encoding="utf-8")
    done = run(str(path))
    assert done.exit_code in (2, 4)
    assert isinstance(done.exception, SystemExit)


def test_a_certificate_is_written_for_a_decision_only(tmp_path):
    path = tmp_path / "certificate.json"
    done = run("snap_half", "--certificate", str(path))
    assert done.exit_code == 0
    assert json.loads(path.read_text(encoding="utf-8"))["verdict"] == "VERIFIED"
    assert str(path) in done.stderr
    other = tmp_path / "none.json"
    undecided = run("snap_noclamp", "--certificate", str(other))
    assert undecided.exit_code == 3
    assert "no certificate" in undecided.stderr
    assert not other.exists()


def test_json_holds_the_bracket_and_the_premises():
    found = json.loads(run("snap_tenth", "--json").stdout)
    assert found["verdict"] == "VERIFIED"
    assert found["loss"]["upper"] == "0.10000000000013437256"
    assert found["excess"]["upper"] == "12.10"
    assert {p["status"] for p in found["premises"]} == {"proved", "assumed"}


class Balanced(HTMLParser):
    """Reads a page and notes tags that do not close, and anything that would be fetched or run."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.references: list[str] = []

    def handle_starttag(self, tag, attributes):
        self.seen.add(tag)
        self.references += [value or "" for name, value in attributes if name in ("src", "href", "onclick", "onload")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, _):
        self.seen.add(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag


@pytest.mark.parametrize(
    ("program", "machine", "holds"),
    [
        ("snap_half", "", {"svg", "details", "table"}),
        ("naive_laplace", "", {"svg", "circle"}),
        ("snap_bigB", "umin=-1074", {"svg", "rect"}),
        ("snap_noclamp", "", {"table"}),
        pytest.param("snap_small_lambda", "", {"svg", "table"}, marks=pytest.mark.long),
    ],
)
def test_the_report_is_one_page_without_script(tmp_path, program, machine, holds):
    path = tmp_path / "report.html"
    run(program, "--machine", machine, "--report", str(path))
    page, reader = path.read_text(encoding="utf-8"), Balanced()
    reader.feed(page)
    assert reader.open == []
    assert reader.references == []
    assert "script" not in reader.seen
    assert holds <= reader.seen
    assert "http" not in page


def test_names_in_a_report_are_text_not_markup():
    from snapdp.lab.loss.verdict import verify
    from snapdp.lab.report.page import verdict_page
    from tests.unit.lab.snaps import snap

    said = verdict_page(verify(snap("1/2", 2, 8), claim="0.1", evaluations=20))
    assert "S &lt;-$" in said
    assert "S <-$" not in said


@pytest.mark.parametrize("epsilon", ["1e-300", "1e300"])
def test_extreme_epsilons_get_a_verdict(tmp_path, epsilon):
    path = tmp_path / "extreme.imp"
    path.write_text(program_text("snap_half").replace("1/2", epsilon), encoding="utf-8")
    assert run(str(path)).exit_code in (1, 4)


def test_a_refutation_for_a_real_draw_has_no_certificate(tmp_path):
    path = tmp_path / "none.json"
    done = run("naive_laplace", "--machine", "sampler=ideal", "--certificate", str(path))
    assert done.exit_code == 1
    assert "no certificate" in done.stderr
    assert not path.exists()


# A mechanism instead of a program

NOTES = ("--epsilon", "0.9", "--sensitivity", "1", "--bounds", "-1000,1000", "--arithmetic", "notes", "--bits", "118")


def test_a_mechanism_is_judged_beside_its_parameters(tmp_path):
    path, page = tmp_path / "notes.json", tmp_path / "notes.html"
    done = run(*NOTES, "--certificate", str(path), "--report", str(page))
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert lines[:8] == [
        "VERIFIED  no output tells neighbours apart by more than epsilon = 0.9",
        "",
        "epsilon             0.9, what a release costs",
        "effective epsilon   epsilon - 3.3e-32, of the noise alone",
        "noise scale         1.111 data units",
        "grid                2 data units",
        "bound               1004 data units",
        "arithmetic          notes, 118 bits",
    ]
    assert "loss, at most       epsilon - 2.3e-33, proved for every output" in lines
    assert max(map(len, lines)) < 80
    assert CliRunner().invoke(main, ["verify", str(path)]).exit_code == 0
    assert json.loads(path.read_text(encoding="utf-8"))["machine"]["sum"] == "exact"
    assert "the sum is exact" in page.read_text(encoding="utf-8")


def test_a_mechanism_in_json_has_its_parameters_and_its_program():
    found = json.loads(run(*NOTES, "--json").stdout)
    assert (found["verdict"], found["machine"]["sum"]) == ("VERIFIED", "exact")
    mechanism = found["mechanism"]
    assert {key: mechanism[key] for key in ("epsilon", "grid", "bound", "bits", "arithmetic", "lower", "upper")} == {
        "epsilon": "9/10",
        "grid": "2",
        "bound": "1004",
        "bits": 118,
        "arithmetic": "notes",
        "lower": "-1000",
        "upper": "1000",
    }
    assert mechanism["program"].startswith("// The snapping mechanism for epsilon 0.9")
    assert mechanism["program"].endswith("claim loss <= eps;\n}\n")


def test_a_mechanism_is_judged_by_another_claim():
    done = run(*NOTES, "--claim", "mironov")
    assert done.exit_code == 0
    assert done.stdout.startswith("VERIFIED  no output tells neighbours apart by more than the claim mironov,")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (NOTES[:6], "the loss is epsilon itself, by construction"),
        (NOTES[:2], "A mechanism needs --sensitivity, --bounds too."),
        (("snap_half", *NOTES), "PROGRAM says itself what is judged: leave out --"),
        (("--machine", "p=53", *NOTES), "leave out --machine."),
        ((*NOTES[:4], "--bounds", "7", *NOTES[6:]), "Give --bounds LOWER,UPPER"),
        ((*NOTES[:4], "--bounds", "7,5", *NOTES[6:]), "is not below upper"),
        ((*NOTES[:6], "--arithmetic", "sloppy"), "is unknown"),
        ((*NOTES[:6], "--arithmetic", "notes", "--grid", "1/8"), "the notes' constants need a grid"),
        ((*NOTES, "--epsilon", "nan"), "is no number"),
    ],
)
def test_what_is_no_mechanism_to_judge_is_refused(arguments, message):
    done = run(*arguments)
    assert done.exit_code == 2
    assert message in done.output.replace("\n", " ")
    assert isinstance(done.exception, SystemExit)


AUDITED = """
import snapdp
from snapdp.lab import clamp, ln, round_to

print("from the file")

@snapdp.lab.audit(query=(-64, 64), epsilon=0.5)
def snap(f, U, S):
    return 0.5 * clamp(round_to(f + S * ln(U) / 0.5, 2), 64)
"""


def test_a_function_of_a_python_file_is_judged(tmp_path):
    path = tmp_path / "mechanism.py"
    path.write_text(AUDITED, encoding="utf-8")
    done = run(f"{path}:snap", "--json")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["verdict"] == "VERIFIED"
    assert done.stderr == "from the file\n"
    assert run(f"{path}:snap", "--claim", "0.4").exit_code == 1


def test_a_python_file_that_stops_is_refused_by_kind_and_line(tmp_path):
    path = tmp_path / "broken.py"
    path.write_text("x = 1\nraise ValueError('not to be shown')\n", encoding="utf-8")
    done = run(f"{path}:snap")
    assert done.exit_code == 2
    assert "broken.py, line 2: the file was run, and stopped with ValueError" in done.output
    assert "not to be shown" not in done.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*NOTES, "--pair", "3,5"), "the pair is 2 apart"),
        ((*NOTES, "--pair", "1000,1001"), "outside of the range [-1000, 1000]"),
        ((*NOTES, "--pair", "nan,1"), "not a finite number"),
        (("snap_half", "--pair", "3,5"), "the pair is 2 apart"),
        (("snap_half", "--pair", "64,65"), "outside the declared range"),
        (("snap_half", "--pair", "nan,1"), "not a finite number"),
    ],
)
def test_a_pair_that_is_none_is_refused(words, said):
    done = run(*words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr


@pytest.mark.parametrize(
    ("words", "exit_code"), [(("naive_laplace", "--pair", "3,4"), 1), (("snap_noclamp", "--pair", "all"), 3)]
)
def test_a_verdict_without_a_table_of_cases_is_a_verdict(words, exit_code):
    done, plain = run(*words), run(words[0])
    assert (done.exit_code, plain.exit_code) == (exit_code, exit_code)
    assert done.stdout.startswith(plain.stdout)
    told = " ".join(done.stdout[len(plain.stdout) :].split())
    assert told.startswith(
        f"{words[0]} has no table of cases: no bound of its loss is known. Cases are those of clamp("
    )
    values = json.loads(run(*words, "--json").stdout)
    assert (values["cases"], values["no_cases"]) == (None, told)


@pytest.mark.parametrize("what", [("snap_half",), NOTES], ids=["program", "mechanism"])
@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--pair", "3"), "--pair takes two values"),
        (("--pair", "3,4,5"), "--pair takes two values"),
        (("--pair", "3,x"), "not a finite number"),
        (("--report", "/nowhere/at/all.html"), "--report /nowhere/at/all.html: there is no such directory"),
        (("--certificate", "/nowhere/at/all.json"), "--certificate /nowhere/at/all.json: there is no such directory"),
    ],
    ids=str,
)
def test_what_needs_no_verdict_is_refused_before_one_is_looked_for(monkeypatch, what, flags, said):
    looked: list[object] = []
    for home, name in SEARCHES:
        monkeypatch.setattr(home, name, lambda *_, **__: looked.append(1))
    done = run(*what, *flags)
    assert (done.exit_code, looked) == (2, [])
    assert said in " ".join(done.stderr.split())


SMALL = ("--epsilon", "0.9", "--sensitivity", "1", "--bounds", "0,4", "--arithmetic", "proved")


def test_the_report_links_no_certificate_that_lies_elsewhere(tmp_path):
    page, certificate = tmp_path / "report" / "page.html", tmp_path / "certificate.json"
    page.parent.mkdir()
    assert run(*SMALL, "--report", str(page), "--certificate", str(certificate)).exit_code == 0
    assert certificate.exists()
    assert "certificate.json" not in page.read_text(encoding="utf-8")


def test_the_report_links_no_certificate_that_was_not_written(tmp_path):
    """Of an earlier run a file may still lie there: it is of another verdict."""
    page, certificate = tmp_path / "page.html", tmp_path / "earlier.json"
    certificate.write_text("{}", encoding="utf-8")
    program = tmp_path / "own.imp"
    program.write_text("program p { query f in [0, 1]; z = clamp[2, 8](f(D)); return z; claim loss <= 1; }")
    done = run(str(program), "--report", str(page), "--certificate", str(certificate))
    assert done.exit_code == 4
    assert "no certificate" in done.stderr
    assert "earlier.json" not in page.read_text(encoding="utf-8")
    assert certificate.read_text(encoding="utf-8") == "{}"


def test_a_saved_program_of_a_mechanism_is_judged_on_the_machine_that_it_names(tmp_path):
    m = snapdp.Snapping(epsilon="0.9", sensitivity=1, lower=-10, upper=10, arithmetic="proved")
    own = tmp_path / "own.imp"
    own.write_text(str(program(m)), encoding="utf-8")
    done = run(str(own))
    assert (done.exit_code, done.stdout[:8]) == (0, "VERIFIED")
    assert done.stderr == "machine: p=118,sum=exact, as the file says (--machine takes another)\n"
    assert run(str(own), "--machine", "p=53").exit_code != 0


def test_a_file_that_is_no_function_is_refused_in_the_words_of_python(tmp_path):
    said = " ".join(run(f"{tmp_path}/nofile.py:f").stderr.split())
    assert "audit(query=(-64, 64), epsilon=0.5)" in said


@pytest.mark.parametrize("name", ["people.csv", "people", "record.json", "report.html"])
def test_of_anything_else_the_command_says_what_it_takes(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path(name).mkdir() if name == "people" else Path(name).write_text("{}")
    done = run(name)
    assert (done.exit_code, done.stdout) == (2, "")
    said = " ".join(done.stderr.split())
    assert "takes a program (.imp, or the name of a bundled one)" in said
    assert "A record, a report or a certificate is for: snapdp verify" in said


@pytest.mark.parametrize("name", ["pipe.imp", "pipe"])
def test_a_pipe_is_not_waited_for(name, tmp_path):
    os.mkfifo(tmp_path / name)
    command = [sys.executable, "-m", "snapdp", "lab", "verify", str(tmp_path / name)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 2
    assert "it is not a regular file" in " ".join((done.stdout + done.stderr).split())
