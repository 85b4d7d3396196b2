"""How much larger our error is than that of exact Laplace noise, as the page of other tools says it."""

from __future__ import annotations

import re
from fractions import Fraction

from snapdp.lab.claims.comparison import accuracy_by_epsilon
from tests import ROOT

PAGE = (ROOT / "docs" / "compared-with.md").read_text(encoding="utf-8")


def test_how_much_larger_the_error_is_was_computed():
    """The ratio is the same for twice the epsilon, so one binade is all; its largest value is a corner, 49/48."""
    (most, at_one) = re.findall(r"([\d.]+) % larger", " ".join(PAGE.split()))
    corner = Fraction("0.9985774245")  # 16 ln(20)/48, from below
    near = [corner, corner + Fraction(1, 10**9), Fraction("0.998"), Fraction("0.999")]
    swept = [Fraction(1, 2) + Fraction(index, 400) for index in range(201)]
    ratios = {row.epsilon: row.ratios[1] - 1 for row in accuracy_by_epsilon(epsilons=near + swept).rows}
    assert f"{100 * float(ratios[Fraction(1)]):.2f}" == at_one
    assert f"{100 * float(max(ratios.values())):.1f}" == most
    assert float(max(ratios.values())) <= 1 / 48
    assert max(ratios, key=ratios.get) in near[:2]
    twice = {row.epsilon: row.ratios[1] - 1 for row in accuracy_by_epsilon(epsilons=[2 * each for each in near]).rows}
    assert [twice[2 * each] for each in near] == [ratios[each] for each in near]
