"""What is printed of two evaluations: true numbers, 80 columns, nothing that fills pages."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from snapdp.values import replaced
from snapdp.verifier.language.parser import parse
from snapdp.verifier.language.programs import load_program
from snapdp.verifier.machine.machine import parse_machine
from snapdp.verifier.report.cases import decimals, evaluation_text, evaluation_values, picture
from snapdp.verifier.rules.evaluation import evaluate


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


def test_every_step_that_is_counted_is_shown():
    for name in ("snap_half", "snap_tenth", "snap_nosign"):
        given = {"f": 3, "U": "0.3"} if name == "snap_nosign" else {"f": 3, "U": "0.3", "S": -1}
        text = evaluation_text(evaluate(load_program(name), parse_machine(""), given))
        shown = text.count("\n      [") + text.count("\n      both ")
        assert f"in {shown} of {shown} steps" in " ".join(text.split())


def test_a_value_and_its_negative_have_the_same_digits():
    text = evaluation_text(evaluation())
    floats = [line.split()[1] for line in text.splitlines() if line.startswith("      float")]
    reals = [line.split()[1] for line in text.splitlines() if line.startswith("      real")]
    assert floats[0] == f"-{floats[1]}"  # ln(U), and S * ln(U) with S = -1
    assert reals[0] == f"-{reals[1]}"


def test_floats_of_few_bits_are_shown_with_all_their_digits():
    text = evaluation_text(evaluation("snap_tenth", "p=8", f="1/3"))
    assert Fraction("0.333984375") == Fraction(171, 512)
    assert "takes the nearest one, 0.333984375 " in " ".join(text.split())
    assert "At f(D) = 0.333984375," in text


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


def test_values_for_machines_are_exact_where_they_are_floats():
    values = evaluation_values(evaluation())
    assert values["values"] == {"f": "3", "U": str(Fraction(0.3)), "S": "-1"}
    assert values["rounded"] == {"U": {"asked": "3/10", "used": str(Fraction(0.3))}}
    assert (values["float"], values["real"], values["sound"]) == ("6", ["6", "6"], True)
    assert [each["statement"][0] for each in values["statements"]] == ["U", "S", "y", "z"]


def test_evaluations_that_return_different_numbers_say_so():
    tree = parse("program p { y = 0.1 * 3 - 0.3; return y; }")
    said = " ".join(evaluation_text(evaluate(tree, parse_machine(""), {})).split())
    assert "The machine returns 2^-54; over the reals it is 0. " in said
    tree = load_program("naive_primitive")  # 3.3 is the name of a double below it
    said = " ".join(evaluation_text(evaluate(tree, parse_machine(""), {"f": 3, "X": "0.3"})).split())
    assert "returns 3.2999999999999998224, which is written 3.3; over the reals it is 3.2999999999999999889." in said


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
