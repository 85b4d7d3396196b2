"""What people and scripts see of `snapdp lab attack`."""

from __future__ import annotations

import json
import re
import sys
from fractions import Fraction
from typing import Any

import pytest
from click.testing import CliRunner

from snapdp.cli.app import main
from snapdp.lab.attacks import gallery
from snapdp.lab.attacks.attack import AttackOutcome, Trials
from snapdp.lab.attacks.gallery import attacks
from snapdp.values import replaced

QUICK = ("lab", "attack", "returned-noise", "--trials", "200", "--seed", "7")


def run(*words: str) -> Any:
    return CliRunner().invoke(main, list(words), env={"COLUMNS": "80"})


def test_json_is_a_list_of_rows_with_numbers_or_null_where_a_library_is_absent(monkeypatch):
    monkeypatch.setitem(sys.modules, "diffprivlib", None)
    done = run(
        "lab", "attack", "precision", "--trials", "500", "--target", "numpy", "--target", "diffprivlib", "--json"
    )
    assert done.exit_code == 2
    assert "diffprivlib (pip install diffprivlib 'scikit-learn<1.7')" in done.stderr
    rows = json.loads(done.stdout)
    assert [set(row) for row in rows] == [{"attack", "target", "verdict", "claimed", "lower_bound"}] * 2
    assert [(row["target"], row["verdict"]) for row in rows] == [("numpy", "refuted"), ("diffprivlib", "absent")]
    assert rows[0]["lower_bound"] > rows[0]["claimed"] == rows[1]["claimed"] == 0.5
    assert rows[1]["lower_bound"] is None


def test_the_same_seed_draws_the_same_noise_of_the_textbook():
    first, second = (run(*QUICK, "--target", "numpy", "--json").stdout for _ in range(2))
    assert first == second


def test_a_seed_that_nobody_gave_is_told():
    done = run("lab", "attack", "returned-noise", "--trials", "50", "--target", "numpy")
    assert "seed of numpy's noise: " in done.stderr


def test_how_far_it_is_is_told_where_no_terminal_is_too():
    done = run(*QUICK)
    assert done.stderr.splitlines()[:2] == [
        "returned-noise against numpy, 1 of 2",
        "returned-noise against snapdp, 2 of 2",
    ]


def test_a_name_explains_the_attack_and_every_verdict_says_how_sure_it_is():
    done = run(*QUICK)
    for word in ("Assumes:", "Inputs:", "Event:", "in all of 200 outputs", "once in a million", "no proof"):
        assert word in " ".join(done.stdout.split())
    assert "refuted" in done.stdout
    assert done.exit_code == 0


def test_where_both_inputs_show_the_event_the_ratio_is_said_to_count():
    told = " ".join(run("lab", "attack", "truncated-noise", "--trials", "1000", "--seed", "7").stdout.split())
    assert told.count("Both inputs show it") == 1
    assert re.search(r"snapdp: in [\d,]+ of 1,000 outputs for 0 \([\d.]+ %\), in [^.]+\.\d %\)\. Both inputs", told)
    assert "Both inputs show it" not in run(*QUICK).stdout  # where neither does


def test_no_line_is_wider_than_the_table_may_be_where_it_is_piped():
    done = run("lab", "attack", "precision", "--trials", "50", "--seed", "1")
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.parametrize(
    ("words", "said", "unsaid"),
    [
        (["returned-noise", "--target", "numpy"], ["once in a million runs of its row."], ["some row", "no proof"]),
        (["returned-noise"], ["some row of these at most once in 500,000 runs.", "no proof"], []),
        (["returned-noise", "--target", "snapdp"], ["no proof"], ["million"]),
        (["mixed-precision", "--target", "numpy"], ["Nothing was sampled"], ["million", "no proof"]),
    ],
)
def test_only_verdicts_that_were_reached_are_explained(words, said, unsaid):
    told = " ".join(run("lab", "attack", *words, "--trials", "100").stdout.split())
    assert [each for each in said if each not in told] == []
    assert [each for each in unsaid if each in told] == []


def test_a_target_that_was_asked_for_and_cannot_be_imported_is_no_success(monkeypatch):
    monkeypatch.setitem(sys.modules, "opendp", None)
    alone = run("lab", "attack", "precision", "--target", "opendp")
    assert alone.exit_code == 2
    assert "NOTHING was attacked." in alone.stdout
    assert "opendp (pip install 'opendp[polars]>=0.16')" in alone.stderr
    assert "no proof" not in alone.stdout
    beside = run("lab", "attack", "precision", "--target", "opendp", "--target", "snapdp", "--trials", "50")
    assert beside.exit_code == 2
    assert "absent" in beside.stdout
    assert "NOTHING" not in beside.stdout


def test_without_a_target_what_cannot_be_imported_is_told_and_is_no_failure(monkeypatch):
    for name in ("diffprivlib", "opendp", "pydp"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(gallery, "MODULES", ("truncated_noise",))
    done = run("lab", "attack", "--trials", "50")
    assert done.exit_code == 0
    told = " ".join(done.stdout.split())
    assert all(f"pip install {name}" in told for name in ("diffprivlib", "'opendp[polars]>=0.16'", "python-dp"))
    assert "absent" not in told


def test_without_a_name_every_attack_has_its_rows_and_nothing_is_explained(monkeypatch):
    monkeypatch.setattr(gallery, "MODULES", ("ties", "returned_noise"))
    done = run("lab", "attack", "--trials", "50")
    assert "Event:" not in done.stdout
    assert all(word in done.stdout for word in ("ties", "returned-noise", "numpy", "snapdp"))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nosuch"], "It may be: reachability,"),
        (["ties", "--target", "jax"], "numpy, snapdp, diffprivlib, opendp, python-dp"),
        (["ties", "--target", "opendp"], "None of these attacks"),
        (["ties", "--trials", "0"], "0 is not in the range"),
        (["ties", "--plot", "x.bmp"], "--plot writes SVG, to a name that ends in .svg"),
    ],
)
def test_what_is_not_known_is_wrong_usage_with_what_is_allowed(words, told):
    done = run("lab", "attack", *words)
    assert done.exit_code == 2
    assert told in done.stderr


def test_exit_code_1_is_for_ours_alone(monkeypatch):
    def lost(_: Trials) -> AttackOutcome:
        return AttackOutcome(claimed=Fraction(1), lower_bound=Fraction(2), said="so")

    ties = attacks()["ties"]
    for target, code in (("snapdp", 1), ("numpy", 0)):
        broken = replaced(ties, against={**ties.against, target: lost})
        monkeypatch.setattr(gallery, "attacks", lambda broken=broken: {"ties": broken})
        for flags in ([], ["--json"]):
            assert run("lab", "attack", "ties", "--target", target, *flags).exit_code == code


def test_the_list_names_every_attack_and_runs_none():
    done = run("lab", "attack", "--list", "--json")
    assert [each["attack"] for each in json.loads(done.stdout)] == [*attacks()]
    assert all(set(each) == {"attack", "title", "targets"} for each in json.loads(done.stdout))


def test_a_picture_is_written_and_named(tmp_path):
    done = run(*QUICK, "--plot", str(tmp_path / "rows.svg"))
    assert "picture: " in done.stderr
    drawn = (tmp_path / "rows.svg").read_text(encoding="utf-8")
    assert "returned-noise: snapdp" in drawn
    assert "claimed" in drawn
