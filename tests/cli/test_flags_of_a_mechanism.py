"""The flags of a bare mechanism: one unit for all commands, and refusals in the spelling of flags."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from click.testing import CliRunner

from snapdp import Snapping
from snapdp.cli.app import main
from snapdp.cli.groups import in_flags

WIDE = ["--sensitivity", "100", "--bounds", "0,1000", "--epsilon", "1"]


def run(*words):
    return CliRunner().invoke(main, words, env={"COLUMNS": "80"})


def planned(*flags):
    return json.loads(run("lab", "plan", *WIDE, *flags, "--json").output)


@pytest.mark.parametrize("arithmetic", ["exact", "proved", "notes"])
def test_a_grid_is_in_data_units_in_every_arithmetic(arithmetic):
    for grid in ("256",) if arithmetic == "exact" else ("200", "400"):
        assert planned("--arithmetic", arithmetic, "--grid", grid)["grid"] == grid


def test_python_goes_on_to_count_grid_and_bound_of_finite_precision_in_sensitivities():
    m = Snapping(epsilon=1, sensitivity=100, lower=0, upper=1000, arithmetic="proved", grid=2, bound=8)
    found = planned("--arithmetic", "proved", "--grid", "200", "--bound", "800")
    assert (m.parameters.data_grid, m.parameters.bound) == (200, 8)
    assert found["clamp"] == [m.parameters.released(k) for k in m.parameters.ends] == [-300, 1300]
    assert Fraction(found["accuracy"]["tight"]) == m.accuracy()


def test_verify_and_plan_mean_the_same_mechanism():
    flags = ["--arithmetic", "proved", "--grid", "200", "--bound", "800"]
    judged = run("lab", "verify", *WIDE, *flags)
    assert "2 sensitivities, 200 data units" in judged.output
    assert "8 sensitivities, 800 data units" in judged.output


def test_a_bound_in_exact_arithmetic_is_a_clamp_around_the_middle():
    assert planned("--bound", "600") == planned("--clamp", "-100,1100")


def test_lab_claims_takes_bound_and_grid_in_data_units():
    flags = ["GetAccuracy2", "--epsilon", "1", "--if-value", "0", "--json"]
    small = json.loads(run("lab", "claims", *flags, "--bound", "10", "--grid", "4").output)
    large = json.loads(run("lab", "claims", *flags, "--bound", "1000", "--grid", "400", "--sensitivity", "100").output)
    assert small["notation"] == large["notation"]
    assert small["notation"]["Lambda'"]["exact"] == "4"


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        ("--grid 64 --arithmetic proved", "take 50 or 100"),
        ("--grid x", "no number"),
        ("--bound 300", "give a bound of 500 at least"),
        ("--bound 300 --arithmetic notes", "give a bound of 500 at least"),
        ("--bound 600 --clamp range", "give one of them"),
        ("--bound 600 --gamma 0.1", "--gamma chooses the clamp that --bound says: give one of them"),
        ("--bound 600 --gamma 0.1 --arithmetic notes", "--gamma chooses the clamp that --bound says"),
        ("--clamp range --gamma 0.1", "Give gamma or a clamp, one of the two"),
        ("--bits 40", "Give --arithmetic proved or --arithmetic notes with it"),
        ("--bits 24 --arithmetic proved", "declare in Python"),
        ("--grid fine --arithmetic notes", "Take 2 sensitivities or more, or --arithmetic proved"),
    ],
)
def test_what_is_refused_is_told_in_flags_and_data_units(flags, says):
    done = run("lab", "plan", *WIDE, *flags.split())
    assert done.exit_code != 0
    assert says in " ".join(done.stderr.split())
    assert 'arithmetic="' not in done.stderr


def test_verify_and_lab_claims_advise_flags_that_they_have():
    assert "with --arithmetic proved or --arithmetic notes has one" in " ".join(
        run("lab", "verify", *WIDE).stderr.split()
    )
    published = ["lab", "claims", "--epsilon", "1", "--bound", "3", "--if-value", "0"]
    refused = run(*published, "--arithmetic", "exact", "--bits", "53").stderr
    assert "Give --arithmetic notes, or leave bits out." in refused
    assert "proved" not in refused


@pytest.mark.parametrize(
    ("advice", "shown"),
    [
        ('Give bits, such as FinitePrecision(bits=24, slack="0.01").',) * 2,
        ("decorated with @snapdp.lab.audit(query=(-64, 64), bits=53).",) * 2,
        ("f(bits=1), then (as it says) bits=2", "f(bits=1), then (as it says) --bits 2"),
        ('Take method="tight".',) * 2,
        ('or give clamp="range".', "or give --clamp range."),
        ("In exact arithmetic give clamp=(low, high).", "In exact arithmetic give --clamp low,high."),
        ("if_value=3 or bits=53,", "--if-value 3 or --bits 53,"),
        ("a <= bits == 3",) * 2,
    ],
)
def test_keywords_are_flags_only_where_a_command_has_them(advice, shown):
    assert in_flags(advice, {"bits", "clamp", "if_value"}) == shown


def test_the_plan_of_a_statistic_says_which_mechanism_it_is():
    mean = ["plan", "--mean", "age", "--bounds", "0,120", "--missing", "middle", "--n", "5000", "--epsilon", "0.5"]
    assert "No such option '--if-value'" in run(*mean, "--if-value", "40").stderr
    part = json.loads(run(*mean, "--json").output)["lines"][0]["parts"][0]
    flags = ["--sensitivity", part["sensitivity"], "--bounds", ",".join(part["range"]), "--epsilon", "0.5"]
    assert run("lab", "plan", *flags, "--if-value", "40").exit_code == 0


def test_every_bits_flag_says_that_its_default_is_118_or_more():
    for command in (["lab", "plan"], ["lab", "verify"], ["lab", "claims"]):
        text = " ".join(run(*command, "--help").output.split())
        assert "118" in text[text.index("--bits") :][:120]
