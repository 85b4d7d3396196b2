"""The report of a verdict: what is read first, numbers that can be read, and the exact ones beside them."""

from __future__ import annotations

import html
import re
from fractions import Fraction
from itertools import pairwise

import pytest

from snapdp import Snapping
from snapdp.display.numbers import exact_amount
from snapdp.exact.dyadic import power_of_two
from snapdp.verifier.language.programs import load_program
from snapdp.verifier.loss.verdict import Verdict, verify
from snapdp.verifier.mechanism_program import mechanism_pair, verify_mechanism
from snapdp.verifier.report.cases import in_data_units, readable
from snapdp.verifier.report.page import WIDTH, against_claim, verdict_page
from snapdp.verifier.report.verdict import measure_of
from tests.unit.verifier.snaps import snap

MECHANISM = Snapping(epsilon="0.9", sensitivity="1/3", lower=0, upper=5, arithmetic="proved")


@pytest.fixture(scope="module")
def judged() -> Verdict:
    return verify_mechanism(MECHANISM.parameters, evaluations=60)


@pytest.fixture(scope="module")
def page(judged) -> str:
    return html.unescape(verdict_page(judged, parameters=MECHANISM.parameters))


def test_the_report_of_a_mechanism_has_verdict_program_and_parameters_first(page):
    parts = (
        "<h1>",
        "no output tells neighbours apart by more than epsilon = 0.9",
        "program snapping {",
        "Judged by snapdp ",
        "<h2>The mechanism</h2>",
        "<figcaption>Loss against claim",
        "<h2>Premises</h2>",
        "<h2>Cases</h2>",
        "<h2>Derivation</h2>",
    )
    places = [page.index(part) for part in parts]
    assert places == sorted(places)
    assert "in the file" not in page


def test_numbers_of_many_digits_fold_and_are_told_short(judged, page):
    shown = re.sub(r"<details>.*?</details>", "", page, flags=re.DOTALL)
    inside = re.sub(r"<pre>.*?</pre>", "", shown, flags=re.DOTALL).split("<h2>Derivation</h2>")[0]
    assert re.findall(r"[0-9.]{30,}", inside) == []
    assert re.search(r"<td>loss, certified for all</td><td class=\"n\">epsilon - [0-9.]+e-\d\d</td>", inside)
    held = in_data_units(judged.evidence.f, MECHANISM.parameters)
    assert readable(held) in inside
    assert str(held) in page.split("The two values exactly")[1]
    assert "All digits" in page


def test_the_cases_of_the_report_have_three_constants_side_by_side(page):
    heads = "".join(f"<th>{name}</th>" for name in ("case", "printed", "rules", "certified", "at", "exact", "at"))
    assert heads in page
    assert re.search(r'<td class="c">x = upper end</td>(<td class="n">[-0-9./]+</td>){6}', page)


def test_constants_of_a_mechanism_are_measured_from_the_epsilon_of_its_noise(judged):
    """Every loss is below epsilon, which has something set aside for roundings: from it all constants are negative."""
    measure = measure_of(judged)
    assert (measure.symbol, measure.epsilon) == ("eps'", 1 / MECHANISM.parameters.noise_scale)
    assert judged.excess(judged.upper) < 0
    assert 0 < measure.constant(judged.lower) < measure.constant(judged.upper)
    assert measure.constant(judged.upper) < measure.constant(judged.claim.value)
    assert "<svg" in against_claim(judged)


@pytest.mark.parametrize("name", ["snap_half", "snap_tenth"])
def test_constants_of_a_program_are_measured_from_its_own_epsilon(name):
    found = verify(load_program(name), evaluations=1)
    measure = measure_of(found)
    assert (measure.symbol, measure.epsilon) == ("eps", found.scale.epsilon)
    assert measure.constant(found.upper) == found.excess(found.upper)


def test_a_loss_below_epsilon_is_drawn_to_the_left():
    assert against_claim(verify(snap("1/2", 2, 8), claim="0.4", evaluations=4)) == ""  # missed by far
    near = verify(snap("1/2", 2, 8), claim=Fraction(1, 2) - power_of_two(-50), evaluations=4)
    assert "C = -" in against_claim(near)


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


def test_the_cases_of_the_report_are_at_the_pairs_that_are_asked_for_in_data_units(judged):
    pair = mechanism_pair(MECHANISM.parameters, 1, "4/3")
    asked = html.unescape(verdict_page(judged, parameters=MECHANISM.parameters, pairs=[pair]))
    assert "<p>At f(a) = 1 and f(a') = 4/3: in every case" in asked
    assert "In the cases x and y count from the middle of the range." in asked
    several = html.unescape(verdict_page(judged, parameters=MECHANISM.parameters, pairs=[pair, (pair[1], pair[0])]))
    assert "<p>At 2 pairs, the largest in each case" in several


def test_what_a_mechanism_rests_on_is_told_in_data_units(page):
    """In sensitivities from the middle of the range the statistic lies within 7.5, widened to the grid 8."""
    ends = [MECHANISM.parameters.data_value(index) for index in MECHANISM.parameters.ends]
    assert f"outputs stay in [{exact_amount(ends[0])}, {exact_amount(ends[1])}]" in page
    assert re.search(r"query confined</td><td>-?[0-9./]+ <= statistic <= [0-9./]+, by an inner clamp", page)
    assert "<= f(D)" not in page.split("<h2>Premises</h2>")[1].split("<h2>")[0]
