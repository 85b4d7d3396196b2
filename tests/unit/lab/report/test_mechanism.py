"""The verdict on a mechanism as people read it: distances from epsilon, rounded outward, on 80 columns."""

from __future__ import annotations

from fractions import Fraction

import pytest

from snapdp import Snapping
from snapdp.audits.check_program import examine
from snapdp.lab.loss.certificate import certificate_of
from snapdp.lab.report.verdict import from_epsilon, headline
from snapdp.lab.verification import verify_mechanism
from snapdp.values import replaced


@pytest.mark.parametrize(
    ("loss", "up", "shown"),
    [
        ("1/2", True, "epsilon"),
        ("0.49877", True, "epsilon - 0.0012"),
        ("0.49877", False, "epsilon - 0.0013"),
        ("0.50123", True, "epsilon + 0.0013"),
        ("0.50123", False, "epsilon + 0.0012"),
    ],
)
def test_a_loss_is_told_from_epsilon_and_rounded_to_its_side(loss, up, shown):
    assert from_epsilon(Fraction(loss), Fraction(1, 2), up=up) == shown


def test_a_bound_that_is_the_claim_itself_is_not_shown_above_it():
    """1/3 is no decimal: rounded up, the bound would seem to miss the claim that it meets."""
    parameters = Snapping(epsilon="1/3", sensitivity=1, lower=0, upper=9, arithmetic="proved").parameters
    verdict = verify_mechanism(parameters, evaluations=1)
    met = replaced(verdict, universal=replaced(verdict.universal, loss_upper=Fraction(1, 3)))
    assert headline(met).startswith("snapping: the loss is at most 1/3, within the claim 0.3333")
    certified = certificate_of(verdict) | {"bound": "1/3"}
    assert examine(certified)["verified"][0].startswith("no output has a privacy loss above 1/3, and the claim is 0.33")
