"""A program evaluated twice: the float value and the real one lie between the derived bounds, at every step."""

from __future__ import annotations

from fractions import Fraction

import pytest

from snapdp.lab.language.parser import load_program, parse, program_names
from snapdp.lab.semantics.floats import evaluate_float
from snapdp.lab.semantics.machine import parse_machine
from snapdp.lab.semantics.reals import evaluate
from snapdp.values import replaced

DRAWS = [("3", "0.3", -1), ("-63.9", "0.99", 1), ("0", "1e-9", 1), ("1/3", "5/8", -1)]


@pytest.mark.parametrize("machine", ["p=3", "p=53", "p=24,ln=2", "p=53,sum=exact", "sampler=grid53"])
@pytest.mark.parametrize("name", ["snap_half", "snap_tenth", "snap_mul", "snap_minus", "snap_lambda3", "naive_laplace"])
def test_both_values_lie_between_the_bounds_at_every_step(name, machine):
    tree = load_program(name)
    for f, u, s in DRAWS:
        if machine == "p=3" and u == "0.99":
            continue  # 3 bits round it to 1, which is never drawn
        if name == "naive_laplace" and f != "0":
            f = "1"
        found = evaluate(tree, parse_machine(machine), {"f": f, "U": u, "S": s})
        assert found.is_sound
        assert all(step.lower.lower <= step.real.upper and step.real.lower <= step.upper.upper for step in found.steps)


def test_the_real_value_of_a_name_is_that_of_what_was_assigned_to_it():
    tree = parse("program p { x = 0.1; y = x * 3; return y - 0.3; }")
    found = evaluate(tree, parse_machine(""), {})
    assert (found.result.real.lower, found.result.real.upper) == (0, 0)
    assert found.result.computed == Fraction(0.1 * 3 - 0.3) > 0


def test_a_bound_that_is_too_tight_would_be_seen():
    found = evaluate(load_program("snap_tenth"), parse_machine("p=8"), {"f": 3, "U": "0.3", "S": -1})
    step = next(step for step in found.steps if step.real.upper < step.computed)
    assert step.holds
    assert not replaced(step, upper=step.real).holds


def test_a_product_of_many_factors_is_evaluated_without_writing_it_out():
    factors = " * ".join(["f(D)"] * 40)  # bounds that share their parts: 2**40 of them, written out
    tree = parse(f"program p {{ query f in [-1, 1]; y = {factors}; return y; }}")
    found = evaluate(tree, parse_machine(""), {"f": "-1/2"})
    assert found.is_sound
    assert found.result.computed == Fraction(1, 2**40)


def test_every_bundled_program_has_its_evaluations():
    for name in program_names():
        tree = load_program(name)
        draws = {s.name: {"unif": "0.3", "sign": -1, "laplace": 1}[s.distribution] for s in tree.statements[:2]
                 if hasattr(s, "distribution")}  # fmt: skip
        queries = {q.name: max(Fraction(0), q.lower or Fraction(0)) for q in tree.queries}
        found = evaluate(tree, parse_machine(""), {**queries, **draws})
        assert found.is_sound
        values = {**found.given.environment, **{x.statement.name: x.steps[-1].computed for x in found.lines}}
        returned = next(s for s in tree.statements if s.name == tree.result)
        assert evaluate_float(returned.expression, values, parse_machine("")) == found.result.computed
