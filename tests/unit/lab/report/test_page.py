"""The report of a verdict: what is read first, numbers that can be read, and the exact ones beside them."""

from __future__ import annotations

import html
import re
from fractions import Fraction
from itertools import pairwise

import pytest

from snapdp import Snapping
from snapdp.exact.dyadic import power_of_two
from snapdp.lab.language.parser import load_program
from snapdp.lab.loss.verdict import Verdict, verify
from snapdp.lab.report.cases import in_data_units, readable
from snapdp.lab.report.page import WIDTH, verdict_page
from snapdp.lab.report.verdict import measure_of
from snapdp.lab.verification import mechanism_pair, verify_mechanism

MECHANISM = Snapping(epsilon="0.9", sensitivity="1/3", lower=0, upper=5, arithmetic="proved")


@pytest.fixture(scope="module")
def judged() -> Verdict:
    return verify_mechanism(MECHANISM.parameters, evaluations=60)


@pytest.fixture(scope="module")
def page(judged) -> str:
    return html.unescape(verdict_page(judged, parameters=MECHANISM.parameters))


def test_constants_of_a_mechanism_are_measured_from_the_epsilon_of_its_noise(judged):
    """Every loss is below epsilon, which has something set aside for roundings: from it all constants are negative."""
    measure = measure_of(judged)
    assert (measure.symbol, measure.epsilon) == ("eps'", 1 / MECHANISM.parameters.noise_scale)
    assert judged.excess(judged.upper) < 0
    assert 0 < measure.constant(judged.lower) < measure.constant(judged.upper)
    assert measure.constant(judged.upper) < measure.constant(judged.claim.value)


@pytest.mark.parametrize("name", ["snap_half", "snap_tenth"])
def test_constants_of_a_program_are_measured_from_its_own_epsilon(name):
    found = verify(load_program(name), evaluations=1)
    measure = measure_of(found)
    assert (measure.symbol, measure.epsilon) == ("eps", found.scale.epsilon)
    assert measure.constant(found.upper) == found.excess(found.upper)


def test_labels_of_outputs_do_not_meet(page):
    """Places along one line are at least as far apart as their labels are long; a digit takes at most 7 units."""
    rows: dict[str, list[tuple[float, int]]] = {}
    for x, y, text in re.findall(r'<text x="([0-9.]+)%" y="([0-9.]+)" text-anchor="middle">([^<]*)</text>', page):
        rows.setdefault(y, []).append((WIDTH * float(x) / 100, len(text)))
    assert rows
    for placed in rows.values():
        ordered = sorted(placed)
        for (x, one), (other, two) in pairwise(ordered):
            assert other - x >= 3.5 * (one + two) or other < x + 1


def test_a_pair_in_data_units_becomes_floats_of_the_program_that_are_neighbours():
    p = MECHANISM.parameters
    low, high = mechanism_pair(p, "1.1", "1.4")
    assert low < high <= low + 1
    assert all(abs(in_data_units(x, p) - Fraction(v)) < power_of_two(-110) for x, v in ((low, "1.1"), (high, "1.4")))
    assert Fraction("1.1") < in_data_units(low, p) < in_data_units(high, p) < Fraction("1.4")  # neither is a float
    assert mechanism_pair(p, "1.4", "1.1") == (low, high)


@pytest.mark.parametrize("bits", range(8, 20))
def test_readable_numbers_are_exact_or_rounded_down(bits):
    x = Fraction(1, 3) + power_of_two(-bits * 7)
    text = readable(x)
    assert text.endswith("...")
    assert 0 <= x - Fraction(text.removesuffix("...")) < Fraction(1, 10**9)
    assert readable(Fraction(-3, 10)) == "-0.3"
