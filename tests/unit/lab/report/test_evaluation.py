"""What is printed of two evaluations: true numbers, 80 columns, nothing that fills pages."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from snapdp.lab.language.parser import load_program, parse
from snapdp.lab.report.cases import decimals, evaluation_text, evaluation_values, picture
from snapdp.lab.semantics.machine import parse_machine
from snapdp.lab.semantics.reals import evaluate
from snapdp.values import replaced


def evaluation(name: str = "snap_half", machine: str = "", **values: object):
    return evaluate(load_program(name), parse_machine(machine), {"f": 3, "U": "0.3", "S": -1, **values})


def test_the_text_shows_a_step_with_its_bounds_its_values_and_where_they_lie():
    text = evaluation_text(evaluation())
    assert (
        """\
  f(D) + S * ln(U) / eps   (Add-Mix)
      lower  5.4079456086518711915   rd(f(D) + (-ln(u)/eps)/(1+eta))
      float  5.4079456086518717939
      real   5.4079456086518720593
      upper  5.407945608651872927    ru(f(D) + (-ln(u)/eps)(1+eta))
      [................F......R........................]
"""
        in text
    )
    assert "the run takes the nearest one,\n  0.2999999999999999889 (0x1.3333333333333p-2)." in text
    assert text.endswith(
        "The machine returns 6; so does the program over the reals. The float value lies\n"
        "between its bounds in 8 of 8 steps (Theorem 1').\n"
    )


@pytest.mark.parametrize("machine", ["p=3", "", "p=118,sum=exact", "p=4096"])
@pytest.mark.parametrize("u", ["0.3", "1e-600"])
def test_no_line_is_wider_than_a_terminal(machine, u):
    assert max(map(len, evaluation_text(evaluation(machine=machine, U=u)).splitlines())) <= 79


def test_printed_bounds_hold():
    for each in evaluation_values(evaluation("snap_tenth", U="1e-9"))["statements"]:
        for step in each["steps"]:
            values = [Fraction(step["lower"]["value"]), Fraction(step["float"]), Fraction(step["upper"]["value"])]
            assert values == sorted(values)
            assert step["holds"]


def test_a_value_beyond_its_bounds_is_drawn_outside_of_them():
    step = next(s for s in evaluation("snap_tenth").steps if s.real.upper < s.computed)
    assert picture(step).index("F") > picture(step).index("R")
    assert picture(replaced(step, upper=step.real)).endswith("R] F")
    below = next(s for s in evaluation("snap_tenth").steps if s.computed < s.real.lower)
    assert picture(replaced(below, lower=below.real)).startswith("F [R")


def test_a_formula_that_would_fill_pages_is_left_out():
    factors = " * ".join(["f(D)"] * 30)
    tree = parse(f"program p {{ query f in [-1, 1]; y = {factors}; return y; }}")
    text = evaluation_text(evaluate(tree, parse_machine(""), {"f": "-1/3"}))
    assert len(text) < 40_000
    assert "min(" in text


@pytest.mark.parametrize("x", [Fraction(0), Fraction(1, 3), Fraction(-(10**40), 7), Fraction(1, 3 * 10**30)])
def test_decimals_are_on_the_side_they_claim(x):
    low, near, high = decimals(x, x, x, p=53, ends=True)
    assert Fraction(Decimal(low)) <= x <= Fraction(Decimal(high))
    assert near in (low, high)
    assert decimals(-x, p=53) == [near if near == "0" else f"-{near}".removeprefix("--")]
