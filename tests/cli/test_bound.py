"""`snapdp lab bound`: what people see, what machines read, exit codes."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from tests.cli.running import run

NOISE = ["lab", "bound", "f + ln(U)/0.1", "--range", "U=exp(-40),0.999", "--range", "f=-1000,1000"]
CORES = """
(FPCore (x) :name "inverse" :pre (and (<= 1 x 3) (< x 2.5)) (/ 1 x))
(FPCore (x y) :name "sum" :precision binary32 :pre (and (<= 0 x 1) (<= 0 y 1) (<= (+ x y) 1)) (+ x y))
(FPCore (x) :name "wave" :pre (<= 0 x 1) (sin x))
"""


def test_people_see_the_bound_and_its_premises():
    done = run(*NOISE)
    for part in ("<= 1.999e-13", "-1400 ... 999.99", "53 bits, exponents unbounded", "correctly rounded"):
        assert part in done.stdout


def test_machines_read_exact_fractions():
    found = json.loads(run(*NOISE, "--json").stdout)
    assert found["ok"]
    assert found["box"]["f"] == ["-1000", "1000"]
    assert Fraction(found["absolute"]["exact"]) <= Fraction(float(found["absolute"]["shown"]))
    assert Fraction(found["reached"]["exact"]) <= Fraction(found["absolute"]["exact"])
    assert found["relative"] is None


def test_precision_roundings_and_relative_errors():
    once, twice = (
        json.loads(run("lab bound ln(x) --range x=2,9 --p 24 --relative --roundings", k, "--json").stdout)
        for k in ("1", "2")
    )
    assert once["p"] == 24
    assert Fraction(1, 2**25) < Fraction(once["relative"]["exact"]) < Fraction(twice["relative"]["exact"])


def test_a_file_of_cores_gives_a_table_and_names_what_is_refused(tmp_path):
    file = tmp_path / "cores.fpcore"
    file.write_text(CORES)
    done = run("lab bound", str(file), "--relative")
    assert all(word in done.stdout for word in ("inverse", "binary32", "refused", "'sin'"))
    found = json.loads(run("lab bound", str(file), "--json").stdout)["cores"]
    assert [core["ok"] for core in found] == [True, True, False]
    assert found[1]["conditions_left_out"] == 1
    assert found[1]["absolute"]["exact"] != "0"


def test_the_noise_that_derive_writes_can_be_bounded(tmp_path):
    file = tmp_path / "noise.fpcore"
    file.write_text(run("lab derive snap_tenth --fpcore").stdout)
    found = json.loads(run("lab bound", str(file), "--relative", "--json").stdout)
    assert found["name"] == "snap_tenth, noise"
    assert float(found["relative"]["shown"]) < 2.9e-16


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["1/x", "--range", "x=-1,1"], 1, "a divisor may be 0"),
        (["1/x"], 2, "input x has no range"),
        (["1/x", "--range", "x=1,2", "--range", "y=1,2"], 2, "y is no input"),
        (["sin(x)", "--range", "x=1,2"], 2, "is not supported"),
        (["x", "--range", "x=1,2", "--p", "1"], 1, "p = 1 is no precision"),
        (["missing.fpcore"], 2, "there is no file"),
        (["missing.fpcore", "--range", "x=1,2"], 2, "brings its own ranges"),
        (["x", "--range", "x=1,2", "--boxes", "0"], 2, "boxes"),
    ],
)
def test_refusals_say_what_and_exit_accordingly(arguments, code, said):
    done = run("lab bound", *arguments, code=code)
    assert said in done.stderr


def test_a_file_whose_only_core_is_refused_is_refused(tmp_path):
    file = tmp_path / "one.fpcore"
    file.write_text("(FPCore (x) :pre (<= 0 x 1)\n (sin x))")
    done = run("lab bound", str(file), code=2)
    assert "one.fpcore, line 2: 'sin' is not supported" in done.stderr
