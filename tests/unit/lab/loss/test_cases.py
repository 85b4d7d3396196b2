"""The table of cases: printed constants as the note has them, and exact losses below certified ones below its rules."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import pytest

from snapdp.errors import ParameterError, PremiseError
from snapdp.lab.language.parser import load_program, parse
from snapdp.lab.loss.exact_loss import ProgramLaw, exact_loss
from snapdp.lab.loss.verdict import PRINTED, asked_pair, case_constants, telling_pairs, verify
from snapdp.lab.semantics.machine import parse_machine


def verdict(name: str = "snap_half", machine: str = ""):
    return verify(load_program(name), parse_machine(machine), claim="note", evaluations=2)


@lru_cache
def everywhere(name: str):
    judged = verdict(name)
    return judged, case_constants(judged, telling_pairs(judged))


@pytest.mark.long
@pytest.mark.parametrize("name", ["snap_half", "snap_tenth"])
def test_in_every_case_exact_is_below_certified_and_certified_below_the_printed_rules(name):
    judged, rows = everywhere(name)
    reached = 0
    for row in rows:
        if row.exact is not None:
            reached += 1
            assert row.exact <= row.certified <= row.by_note_rules
            assert row.certified <= judged.upper
    assert reached >= 8


@pytest.mark.long
def test_the_printed_constant_of_the_upper_end_is_below_what_the_rules_give():
    judged, rows = everywhere("snap_tenth")
    row = next(row for row in rows if row.case == "x = upper end")
    assert judged.excess(row.by_note_rules) > Fraction(PRINTED["x = upper end"])


def test_a_case_without_an_output_has_no_loss():
    rows = {row.case: row for row in case_constants(verdict(), [(Fraction(3), Fraction(4))])}
    between = rows["x between [f(a)] and [f(a')]"]
    assert (between.exact, between.certified, between.by_note_rules, between.output) == (None, None, None, None)
    assert between.printed == "23"


def test_every_loss_stands_beside_the_output_it_belongs_to():
    """Certified and exact losses are largest at different outputs: at -62 the exact one is below epsilon."""
    judged, (low, high) = verdict(), (Fraction(3), Fraction(4))
    row = next(row for row in case_constants(judged, [(low, high)]) if row.case == "x below [f(a)], y < 0")
    laws = [ProgramLaw(judged.execution, value, judged.shape) for value in (low, high)]
    assert (row.output, row.exact_output) == (-62, -6)
    assert exact_loss(*laws, row.exact_output).loss.lower == row.exact
    assert exact_loss(*laws, row.output).loss.lower < row.exact


def test_values_of_a_pair_are_floats_and_neighbours():
    judged = verdict()
    assert asked_pair(judged, "0.1", "0.2") == (Fraction(0.1), Fraction(0.2))
    with pytest.raises(ParameterError, match="apart, as the machine holds it"):
        asked_pair(judged, "0.1", "1.1")  # as doubles more than 1 apart
    assert asked_pair(verdict(machine="sum=exact"), "0.1", "1.1") == (Fraction(1, 10), Fraction(11, 10))


def test_a_program_without_a_bound_or_a_query_has_no_cases():
    with pytest.raises(PremiseError, match="has no table of cases"):
        case_constants(verdict("snap_noclamp"), [(Fraction(3), Fraction(4))])
    constant = verify(parse("program p { y = 1; return y; }"), claim=Fraction(1))
    with pytest.raises(PremiseError, match="has no query"):
        asked_pair(constant, 1, 2)
    with pytest.raises(PremiseError, match="nothing confines"):
        telling_pairs(constant)


def test_what_is_processed_after_the_snap_has_no_exact_column():
    text = (
        "program p { query f in [-8, 8]; U <-$ unif; S <-$ {-1,1};"
        " z = 0.1 * clamp[8](round[1](f(D) + S * ln(U))); return z; }"
    )
    judged = verify(parse(text), claim=Fraction(2), evaluations=2)
    rows = case_constants(judged, [asked_pair(judged, 3, 4)])
    assert all(row.exact is None for row in rows)
    assert sum(row.certified is not None for row in rows) >= 5
