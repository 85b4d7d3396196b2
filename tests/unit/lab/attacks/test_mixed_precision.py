"""Draws of 53 bits beside a formula for 118, by the exact law: it falls, one precision in every step stands."""

from __future__ import annotations

from fractions import Fraction

import pytest

from snapdp.lab.attacks import mixed_precision
from snapdp.lab.attacks.attack import Trials

F = Fraction
ATTACK = mixed_precision.ATTACKS[0]
NOTHING = Trials(count=1, seed=0)


def test_the_program_beside_the_notes_loses_more_than_it_claims():
    outcome = ATTACK.against["numpy"](NOTHING)
    assert outcome.is_refuted
    assert outcome.counts is None
    assert F("0.010930") < outcome.lower_bound - outcome.claimed < F("0.010931")


def test_ours_loses_epsilon_and_no_more_by_its_exact_law():
    outcome = ATTACK.against["snapdp"](NOTHING)
    assert outcome.lower_bound == outcome.claimed
    assert not outcome.is_refuted


@pytest.mark.parametrize("arithmetic", ["notes", "proved"])
def test_ours_in_118_bits_everywhere_stands(arithmetic):
    law = mixed_precision.our_law(arithmetic=arithmetic)
    assert not mixed_precision.by_law(law, None).is_refuted


def test_draws_of_118_bits_keep_the_claim_for_the_same_output():
    law = mixed_precision.law_of_the_notes(uniform=118, logarithm=118)
    assert not mixed_precision.by_law(law, [mixed_precision.OUTPUT]).is_refuted


@pytest.mark.parametrize("bits", [{"uniform": 53, "logarithm": 53, "product": 53}, {"uniform": 118, "logarithm": 53}])
def test_the_mechanism_of_the_notes_with_fewer_bits_than_its_formula_has_falls_by_the_same_output(bits):
    law = mixed_precision.law_of_the_notes(**bits)
    assert mixed_precision.by_law(law, [mixed_precision.OUTPUT]).is_refuted
