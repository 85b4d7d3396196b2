"""The draws that lead to an output: formula, reals and floats agree with runs of the program."""

from __future__ import annotations

from fractions import Fraction
from math import exp

import pytest

from snapdp.errors import ParameterError, PremiseError
from snapdp.exact.dyadic import next_above, next_below
from snapdp.lab.language.parser import load_program, parse
from snapdp.lab.loss.pointwise import output_draws
from snapdp.lab.report.cases import output_draws_text, output_draws_values
from snapdp.lab.semantics.floats import run_float
from snapdp.lab.semantics.machine import Machine, parse_machine


def released(program, machine, f, sign, u):
    return run_float(program, {"f": Fraction(f), "S": Fraction(sign), "U": u}, machine)[program.result]


def require_all_floats(found):
    """Fail unless these floats lead to the output, and those next to them do not."""
    program, machine = found.program, found.machine
    for each in found.signs:
        if each.last is None:
            continue
        assert released(program, machine, 3, each.sign, each.last) == found.output
        above = next_above(each.last, machine.p)
        assert above == 1 or released(program, machine, 3, each.sign, above) != found.output
        if each.first is not None:
            assert released(program, machine, 3, each.sign, each.first) == found.output
            assert released(program, machine, 3, each.sign, next_below(each.first, machine.p)) != found.output


@pytest.mark.parametrize("name", ["snap_half", "snap_tenth", "snap_mul", "snap_minus"])
@pytest.mark.parametrize("p", [8, 53])
def test_the_floats_are_all_that_lead_to_the_output(name, p):
    program, machine = load_program(name), Machine(p=p)
    shape = output_draws(program, machine, f=3, output=0).shape
    for output in (shape.clamp_lower, -shape.grid, 0, shape.grid, 2 * shape.grid, shape.clamp_upper):
        require_all_floats(output_draws(program, machine, f=3, output=output))


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


def test_what_is_no_output_and_what_draws_no_floats_is_refused():
    with pytest.raises(ParameterError, match="5 is no output"):
        output_draws(load_program("snap_half"), Machine(), f=3, output=5)
    with pytest.raises(ParameterError, match="66 is no output"):
        output_draws(load_program("snap_half"), Machine(), f=3, output=66)
    with pytest.raises(PremiseError, match="draws a Laplace variable"):
        output_draws(load_program("naive_primitive"), Machine(), f=1, output=2)
    with pytest.raises(PremiseError, match="U is a real number"):
        output_draws(load_program("snap_half"), parse_machine("sampler=ideal"), f=1, output=2)
    with pytest.raises(PremiseError, match="has no draw"):
        output_draws(parse("program p { query f; return f(D); }"), Machine(), f=1, output=2)


@pytest.mark.parametrize(
    ("name", "output", "lacking"),
    [
        ("cc_snap", 4, "what is released is computed from the snapped value"),
        ("notes_scaled", "2.5", "what is released is computed from the snapped value"),
        ("diffprivlib", 6, "what is released is computed from the snapped value"),
        ("snap_noclamp", 4, 'the premise "clamp present" fails: the output is not clamped'),
        ("snap_nosign", 2, 'the premise "sign fair" fails: the noise has no random sign'),
    ],
)
def test_without_a_formula_the_floats_are_given_and_what_is_lacking_is_named(name, output, lacking):
    program, machine = load_program(name), Machine(p=11)
    found = output_draws(program, machine, f=3, output=output)
    assert found.lacking == lacking
    assert lacking in " ".join(output_draws_text(found).split())
    assert output_draws_values(found)["no_formula"] == lacking
    assert any(each.last is not None for each in found.signs)
    assert all(each.condition is each.lower is each.upper is None for each in found.signs)
    require_all_floats(found)


def test_a_query_that_is_clamped_first_is_g_in_the_formula():
    text = """program p { query f in [-30, 30]; U <-$ unif; S <-$ {-1,1};
      return clamp[8](round[2](clamp[6](f(D)) + S * ln(U))); }"""
    found = output_draws(parse(text), Machine(), f=20, output=8)
    assert (found.lacking, found.f, found.added) == (None, 20, 6)
    assert found.signs[1].condition == "0 < U <= exp((g - x + Lambda/2) eps)"
    assert float(found.signs[1].upper) == pytest.approx(exp(-1), rel=1e-15)
    assert "g = 6 (what the noise is added to)" in " ".join(output_draws_text(found).split())
    assert released(parse(text), Machine(), 20, -1, found.signs[1].last) == 8


def test_an_output_that_is_no_binary_fraction_stands_for_the_nearest_float():
    text = "program p { query f in [-3, 3]; U <-$ unif; S <-$ {-1,1}; return round[1/10](f(D) + S * ln(U)); }"
    found = output_draws(parse(text), Machine(), f=0, output="0.3")
    assert found.output == Fraction(0.3)
    assert released(parse(text), Machine(), 0, -1, found.signs[1].last) == Fraction(0.3)
