"""What the page of other tools says was measured is what our own pages and tests have."""

from __future__ import annotations

import re
from fractions import Fraction

from snapdp.lab.claims.comparison import accuracy_by_epsilon
from tests import ROOT
from tests.unit.lab.attacks.test_peers import EXPECTED

PAGE = (ROOT / "docs" / "compared-with.md").read_text(encoding="utf-8")
BENCHMARKS = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
PARTS = re.split(r"^## (.+)$", PAGE, flags=re.MULTILINE)
SECTIONS = dict(zip(PARTS[1::2], PARTS[2::2], strict=True))
ROW = re.compile(r"^\| ([^|]+?) \| ([\d.,]+) \| ([\d.,]+) \|$", re.MULTILINE)
CASE = re.compile(r"^\| ([^|]+?) \| [\d.,]+ \| ([\d.,]+) \| ([\d.,]+) \| ([\d.,]+|-) \|$", re.MULTILINE)
MEASURED = {name: (median, to_vector, to_scalar) for name, median, to_vector, to_scalar in CASE.findall(BENCHMARKS)}
DEFAULT_VECTOR, SCALAR = "snapdp vector 1e6, fine grid", "snapdp scalar float"


def rows(text: str) -> list[list[str]]:
    return [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]


def times(kind: str) -> dict[str, tuple[str, str]]:
    """Return the median and the ratio of each case of one of the two tables of times."""
    (table,) = re.findall(rf"^\| {kind} \|.*\n\|[-:|]+\n((?:\|.*\n)+)", SECTIONS["What was measured"], re.MULTILINE)
    said = ROW.findall(table)
    assert len(said) == len(table.splitlines())
    return {name: (median, ratio) for name, median, ratio in said}


def by_default(case: str) -> str:
    """Return how many times as long as our vector on the default grid a case takes, from the medians."""
    ours, its = (float(MEASURED[name][0].replace(",", "")) for name in (DEFAULT_VECTOR, case))
    return f"{its / ours:,.0f}" if its >= 1000 * ours else f"{its / ours:.3g}"


def test_vectors_are_divided_by_our_vector_on_the_default_grid():
    said = times("in vectors")
    assert len(said) == 4
    assert next(iter(said)) == DEFAULT_VECTOR
    assert [MEASURED[name][2] for name in said] == ["-"] * 4  # none of them is called for one number at a time
    assert said == {name: (MEASURED[name][0], by_default(name)) for name in said}


def test_single_numbers_are_divided_by_ours():
    said = times("one by one")
    assert len(said) == 6
    assert next(iter(said)) == SCALAR
    assert said == {name: (MEASURED[name][0], MEASURED[name][2]) for name in said}


def test_every_time_on_the_page_is_in_one_of_the_two_tables():
    assert len(ROW.findall(PAGE)) == len(times("in vectors")) + len(times("one by one"))


def test_the_benchmarks_say_the_same_of_the_default_grid():
    (said,) = re.findall(r"^Beside the second row, the default grid, (.*?)\n\n", BENCHMARKS, re.MULTILINE | re.DOTALL)
    others = list(times("in vectors"))[1:]
    assert re.findall(r"[\d.,]+(?= times)", said) == [by_default(name) for name in (others[0], others[2], others[1])]
    assert list(MEASURED)[1] == DEFAULT_VECTOR


def test_how_much_larger_the_error_is_was_computed():
    """The ratio is the same for twice the epsilon, so one binade is all; its largest value is a corner, 49/48."""
    (most, at_one) = re.findall(r"([\d.]+) % larger", " ".join(PAGE.split()))
    corner = Fraction("0.9985774245")  # 16 ln(20)/48, from below
    near = [corner, corner + Fraction(1, 10**9), Fraction("0.998"), Fraction("0.999")]
    swept = [Fraction(1, 2) + Fraction(index, 400) for index in range(201)]
    fine = "exact, fine grid"
    ratios = {row["epsilon"]: row[fine] - 1 for row in accuracy_by_epsilon(epsilons=near + swept)}
    assert f"{100 * float(ratios[Fraction(1)]):.2f}" == at_one
    assert f"{100 * float(max(ratios.values())):.1f}" == most
    assert float(max(ratios.values())) <= 1 / 48
    assert max(ratios, key=ratios.get) in near[:2]
    twice = {row["epsilon"]: row[fine] - 1 for row in accuracy_by_epsilon(epsilons=[2 * each for each in near])}
    assert [twice[2 * each] for each in near] == [ratios[each] for each in near]


def test_verdicts_are_those_that_the_long_suite_expects():
    said = rows(SECTIONS["What was measured"].split("| attack |")[1].split("\n", 1)[1])[1:]
    found: dict[str, dict[str, str]] = {peer: {} for peer in EXPECTED}
    for name, *verdicts in said:
        for peer, verdict in zip(EXPECTED, verdicts, strict=True):
            if verdict.strip():
                found[peer][name.strip(" `")] = verdict.strip()
    assert found == EXPECTED


def test_what_the_benchmarks_say_in_short_stands_in_their_tables_too():
    short, rest = BENCHMARKS.split("\n## ", 1)
    numbers = re.compile(r"(?<![\w^.,-])\d[\d,.]*(?<![.,])(?! *\^|\^)")
    said = {number for line in re.findall(r"^- .*(?:\n  .*)*", short, re.MULTILINE) for number in numbers.findall(line)}
    assert {"6.17", "5.77", "4,080", "1,045", "0.432", "2.8", "8.28", "73.4", "0.93", "2.31"} <= said
    assert said - set(numbers.findall(rest)) == set()
