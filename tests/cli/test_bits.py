"""`snapdp lab bits`: what it prints, what it refuses, exit codes."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import partial

from snapdp import Snapping
from tests.cli.running import run as run_command

BARE = ["--epsilon", "0.5", "--sensitivity", "1", "--bounds", "0,1000"]


run = partial(run_command, "lab", "bits")


def test_it_prints_what_the_method_returns_for_both_rules():
    m = Snapping(epsilon="0.5", sensitivity=1, lower=0, upper=1000)
    found = json.loads(run(*BARE, "--bits", "32,53", "--json").output)["lines"]
    lines = [line for rule in ("proved", "notes") for line in m.cost_of_bits((32, 53), arithmetic=rule)]
    assert [(line["bits"], line["arithmetic"]) for line in found] == [(x.bits, x.arithmetic) for x in lines]
    assert [line["lost"] and Fraction(line["lost"]) for line in found] == [line.lost for line in lines]
    assert [line["accuracy"] and Fraction(line["accuracy"]) for line in found] == [line.accuracy for line in lines]
    assert [line["refused"] is None for line in found] == [False, True, False, True]


def test_a_table_fits_80_columns_and_says_why_few_bits_are_refused():
    done = run(*BARE)
    assert max(map(len, done.output.splitlines())) <= 80
    assert done.output.count(" refused │") == 4
    assert "refused: 24 bits are too few" in done.output
    assert [line for line in done.output.splitlines() if " 118 │ notes " in line and "± 7.816" in line]
