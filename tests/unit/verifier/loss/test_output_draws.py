"""The draws that lead to an output: formula, reals and floats agree with runs of the program."""

from __future__ import annotations

from fractions import Fraction
from math import exp

import pytest

from snapdp.errors import ParameterError, PremiseError
from snapdp.exact import next_above, next_below
from snapdp.verifier import Machine, load_program, output_draws, parse, parse_machine, run_float
from snapdp.verifier.report.output_draws import output_draws_text, output_draws_values


def released(program, machine, f, sign, u):
    return run_float(program, {"f": Fraction(f), "S": Fraction(sign), "U": u}, machine)[program.result]


@pytest.mark.parametrize("name", ["snap_half", "snap_tenth", "snap_mul", "snap_minus"])
@pytest.mark.parametrize("p", [8, 53])
def test_the_floats_are_all_that_lead_to_the_output(name, p):
    program, machine = load_program(name), Machine(p=p)
    shape = output_draws(program, machine, f=3, output=0).shape
    for output in (shape.clamp_lower, -shape.grid, 0, shape.grid, 2 * shape.grid, shape.clamp_upper):
        for each in output_draws(program, machine, f=3, output=output).signs:
            if each.last is None:
                continue
            assert released(program, machine, 3, each.sign, each.last) == output
            above = next_above(each.last, p)
            assert above == 1 or released(program, machine, 3, each.sign, above) != output
            if each.first is not None:
                assert released(program, machine, 3, each.sign, each.first) == output
                assert released(program, machine, 3, each.sign, next_below(each.first, p)) != output


def test_formula_and_reals_agree():
    f, x, grid, eps = 3, 6, 2, 0.5
    found = output_draws(load_program("snap_half"), Machine(), f=f, output=x).signs[1]
    low, high = (part.replace(") eps", ") * eps") for part in (found.condition.split(" < U <= ")))
    names = {"exp": exp, "f": f, "x": x, "Lambda": grid, "eps": eps}
    assert float(found.lower) == pytest.approx(eval(low, names), rel=1e-15)
    assert float(found.upper) == pytest.approx(eval(high, names), rel=1e-15)


@pytest.mark.parametrize(
    ("output", "conditions"),
    [
        (2, ["exp((x - Lambda/2 - f) eps) <= U < 1", None]),
        (4, [None, "exp((f - x - Lambda/2) eps) < U < 1"]),
        (-64, ["0 < U < exp((x + Lambda/2 - f) eps)", None]),
        (64, [None, "0 < U <= exp((f - x + Lambda/2) eps)"]),
    ],
)
def test_ends_that_no_draw_meets_are_0_and_1(output, conditions):
    found = output_draws(load_program("snap_half"), Machine(), f=3, output=output).signs
    assert [each.condition for each in found] == conditions


def test_an_end_of_the_clamp_off_the_grid_has_its_boundary_as_a_number():
    text = "program p { query f in [-3, 3]; U <-$ unif; S <-$ {-1,1}; return clamp[3](round[2](f(D) + S * ln(U))); }"
    found = output_draws(parse(text), Machine(), f=0, output=3).signs[1]
    assert found.condition == "0 < U <= exp((f - 3) eps)"
    assert released(parse(text), Machine(), 0, -1, found.last) == 3


def test_a_bounded_sampler_has_a_least_float_and_others_go_down_to_0():
    half = load_program("snap_half")
    assert output_draws(half, parse_machine("umin=-1074"), f=3, output=-64).signs[0].first == Fraction(1, 2**1074)
    unbounded = output_draws(half, Machine(), f=3, output=-64)
    assert unbounded.signs[0].first is None
    assert "all above 0" in output_draws_text(unbounded)
    assert output_draws_values(unbounded)["signs"][0]["first"] is None


def test_what_is_no_output_and_what_has_no_formula_is_refused():
    with pytest.raises(ParameterError, match="5 is no output"):
        output_draws(load_program("snap_half"), Machine(), f=3, output=5)
    with pytest.raises(ParameterError, match="66 is no output"):
        output_draws(load_program("snap_half"), Machine(), f=3, output=66)
    for name, machine in (("snap_noclamp", ""), ("naive_primitive", ""), ("snap_half", "sampler=ideal")):
        with pytest.raises(PremiseError, match="have no formula"):
            output_draws(load_program(name), parse_machine(machine), f=1, output=2)
