"""The rules of L20 step by step: the bounds of the definition, under the names of the note, with a warning."""

from __future__ import annotations

from fractions import Fraction

import pytest

from snapdp.errors import ParameterError
from snapdp.lab.language.parser import load_program, parse, program_names
from snapdp.lab.report.derivation import printed_rules_text, printed_rules_values
from snapdp.lab.semantics.bounds import steps
from snapdp.lab.semantics.machine import parse_machine
from snapdp.lab.semantics.printed import derivations_by, derive_as_printed, derive_by
from snapdp.lab.semantics.reals import evaluate_real

WITNESS = parse("program p { y = (0.75 * 6 + 0.5) - 5; return y; }")


@pytest.mark.parametrize("repaired", [False, True])
def test_bounds_are_those_of_the_definition(repaired):
    machine = parse_machine("p=5")
    text = "program p { query f in [-4, 4]; y = -(f(D) * 0.3) - ln(2.1) / 0.7; return y; }"
    program, rules = parse(text), "repaired" if repaired else "printed"
    step = derive_by(rules, program, machine).lines[0].step
    defined = derive_as_printed(program.statements[0].expression, machine, repaired=repaired)
    for f in (-4, -1, 0, 3):
        found = [evaluate_real(end, {"f": Fraction(f)}, machine) for end in (step.interval.lower, step.interval.upper)]
        assert found == [evaluate_real(end, {"f": Fraction(f)}, machine) for end in defined]


def test_every_step_has_a_name_of_the_note():
    for name in program_names():
        for each in derivations_by("printed", load_program(name), parse_machine("")):
            used = {part for line in each.lines for step in steps(line.step) for part in step.rule.split(" or ")}
            assert used <= {"VAL", "VAL-NEG", "VAL-EQ", "VAR", "F(D)", "SAMPLE", "BOP", "BOP-NEG", "UOP", "UOP-NEG"}


def test_text_and_values_carry_the_warning_and_refer_to_earlier_steps():
    found = derivations_by("printed", load_program("snap_tenth"), parse_machine(""))
    text = printed_rules_text(found, rules="printed")
    assert text.startswith("The rules of Liu's note, as printed, are unsound")
    assert "  (2) S * ln(U)   BOP-NEG\n      [max(1*lo1, 1*hi1)(1+eta) , min(1*lo1, 1*hi1)/(1+eta)]\n" in text
    assert max(map(len, text.splitlines())) < 80
    values = printed_rules_values(found, rules="printed")
    assert "unsound" in values["warning"]
    assert [each["sign"] for each in values["derivations"]] == [1, -1]
    assert values["derivations"][0]["steps"][3]["lower"] == "max(1*lo1, 1*hi1)(1+eta)"


def test_a_long_product_does_not_fill_pages():
    tree = parse(f"program p {{ query f in [-1, 1]; y = {' * '.join(['f(D)'] * 40)}; return y; }}")
    assert len(printed_rules_text(derivations_by("repaired", tree, parse_machine("")), rules="repaired")) < 40_000


def test_rules_nobody_has_are_refused():
    with pytest.raises(ParameterError, match="unknown"):
        derivations_by("other", WITNESS, parse_machine(""))
