"""The rules of L20 step by step: the bounds of the definition, under the names of the note, with a warning."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from snapdp.errors import ParameterError
from snapdp.verifier.language.parser import parse
from snapdp.verifier.language.programs import load_program, program_names
from snapdp.verifier.machine.machine import parse_machine
from snapdp.verifier.machine.semantics import evaluate_real
from snapdp.verifier.report.derivation import printed_rules_text, printed_rules_values
from snapdp.verifier.rules.evaluation import evaluate
from snapdp.verifier.rules.printed_rules import NAMES, derivations_by, derive_as_printed, derive_by
from snapdp.verifier.rules.rules import derivations, steps
from tests import ROOT

PAGE = (ROOT / "docs" / "theory" / "verifier-rules.md").read_text(encoding="utf-8")
WITNESS = parse("program p { y = (0.75 * 6 + 0.5) - 5; return y; }")
EVALUATION = {"FVAL", "RVAL", "FBOP", "RBOP", "FUOP", "RUOP"}


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


def test_the_smallest_witness_leaves_the_repaired_bounds_and_not_the_sound_ones():
    machine = parse_machine("p=3")
    assert [evaluate(WITNESS, machine, {}, rules=rules).is_sound for rules in ("sound", "repaired", "printed")] == [
        True,
        False,
        False,
    ]
    step = evaluate(WITNESS, machine, {}, rules="repaired").result
    assert (str(step.lower.lower), str(step.upper.upper), step.computed) == ("-8/9", "1449/1024", -1)


def test_every_step_has_a_name_of_the_note():
    for name in program_names():
        for each in derivations_by("printed", load_program(name), parse_machine("")):
            used = {part for line in each.lines for step in steps(line.step) for part in step.rule.split(" or ")}
            assert used <= NAMES.keys()


def test_the_table_of_names_has_all_of_the_note_and_ours_are_those_the_code_uses():
    part = PAGE.split("\n## The names of the note\n")[1].split("\n## ")[0]
    table = {
        row[0]: row[1] for row in re.findall(r"^\| ([A-Z][-A-Z()]+) \| (.+?) \|", part, re.MULTILINE) if row[0] != "L20"
    }
    assert table.keys() == NAMES.keys() | EVALUATION | {"ASG", "CONSQ"}
    assert {name: tuple(table[name].split(", ")) for name in NAMES} == NAMES
    ours = {rule for rules in NAMES.values() for rule in rules}
    used = {
        re.match(r"F\(D\)|Const-F|[A-Za-z]+", step.rule)[0]
        for name in program_names()
        for each in derivations(load_program(name), parse_machine(""))
        for line in each.lines
        for step in steps(line.step)
    }
    assert used <= ours
    assert {"Add", "Mul", "Div", "Ln", "Round", "Clamp", "Const", "Const-F", "Var", "F(D)", "Sample"} <= used


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
