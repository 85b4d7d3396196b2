"""Every mutant of a genuine certificate is refused, or it is true for a reason that is listed here.

The reasons ask `second_opinion`, never the checker.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from snapdp.audits import check_program as check
from snapdp.lab.language.parser import load_program, program_names
from snapdp.lab.loss.certificate import certificate_of
from snapdp.lab.loss.verdict import verify
from snapdp.lab.semantics.machine import parse_machine
from tests.unit.lab.loss.certificates import genuine, with_exact_sum
from tests.unit.lab.loss.mutation import Path, mutants, places
from tests.unit.lab.second_opinion import (
    are_neighbours,
    bound_of_the_verifier,
    loss_exceeds_claim,
    same_outputs,
    theorem,
    witness_holds,
)

GENUINE = genuine()
QUICK = ("snap_half_clamped_query", "naive_laplace")
SCALING = (["mul"], ["div"])
Certificate = dict[str, Any]


def ends_and_grid(certificate: Certificate) -> tuple[Fraction, Fraction] | None:
    """Return B and the grid of clamp[-B, B](round(f + noise)), the theorem as it is printed; None for others."""
    products = [part for _, part in places(certificate["program"]) if isinstance(part, list) and part[:1] in SCALING]
    scaled = any(part == "query" for product in products for _, part in places(product))
    match certificate["program"][-1][2]:
        case ["clamp", lower, upper, ["round", grid, _]] if not scaled:
            return max(-Fraction(lower), Fraction(upper)), Fraction(grid)
    return None


def bound_of(certificate: Certificate, sensitivity: str) -> Fraction | None:
    """Return the theorem's bound for the grid and clamp of a snapping certificate and the noise it states."""
    found = ends_and_grid(certificate)
    if found is None:
        return None
    bound, grid = found
    machine = certificate["machine"]
    return theorem(
        epsilon=certificate["noise_epsilon"],
        grid=grid,
        bound=bound,
        sensitivity=sensitivity,
        roundings=certificate["roundings"],
        p=machine["p"],
        sampler=machine["sampler"],
        exact_sum=machine.keys() >= {"sum"},
    )


def still_bounded(_: Certificate, mutant: Certificate, __: Path) -> bool:
    return stated_between(bound_of(mutant, mutant["queries"][0][3]), mutant)


def proved_again(_: Certificate, mutant: Certificate, __: Path) -> bool:
    return stated_between(bound_of_the_verifier(mutant), mutant)


def stated_between(bound: Fraction | None, mutant: Certificate) -> bool:
    """Return whether the stated bound is at least this one, and at most the claim."""
    return bound is not None and bound <= Fraction(mutant["bound"]) <= Fraction(mutant["claim"])


def narrower_query(_: Certificate, mutant: Certificate, path: Path) -> bool:
    """A smaller interval or sensitivity admits fewer pairs of private values."""
    _, lower, upper, sensitivity = mutant["queries"][0]
    found = ends_and_grid(mutant)
    for inner in (part for _, part in places(mutant["program"]) if isinstance(part, list) and part[0] == "clamp"):
        if inner[3][0] == "query":
            lower, upper = inner[1:3]
    return (
        path[0] in ("queries", "program")
        and found is not None
        and None not in (lower, upper)
        and -found[0] <= Fraction(lower) <= Fraction(upper) <= found[0]
        and Fraction(sensitivity) >= 0
        and still_bounded({}, mutant, path)
    )


def another_machine(original: Certificate, mutant: Certificate, path: Path) -> bool:
    """More bits, a better sampler, or smaller draws: the theorem gives a bound that is still below the stated one."""
    umin, found = mutant["machine"]["umin"], ends_and_grid(original)
    if found is None:
        return False
    bound, grid = found
    far = Fraction(original["noise_epsilon"]) * (2 * bound + grid)
    roomy = umin is None or far * Fraction(3, 2) < -(umin + mutant["machine"]["p"])  # 1/ln 2 < 3/2
    return path[0] == "machine" and roomy and same_outputs(original, mutant) and still_bounded({}, mutant, path)


VERIFIED: dict[str, Callable[[Certificate, Certificate, Path], bool]] = {
    "names and parameters are for display": lambda _, __, path: path[0] in ("name", "parameters"),
    "a weaker claim": lambda _, m, path: path == ("claim",) and Fraction(m["bound"]) <= Fraction(m["claim"]),
    "another bound, between the theorem's and the claim": lambda o, m, path: (
        path == ("bound",) and still_bounded(o, m, path)
    ),
    "the same outputs, up to exchanging the signs": lambda o, m, path: path[0] == "program" and same_outputs(o, m),
    "a coarser grid, with a smaller bound": lambda o, m, path: path[-2:] == (3, 1) and still_bounded(o, m, path),
    "fewer pairs of private values": narrower_query,
    "a machine with a smaller bound": another_machine,
    "the verifier proves the stated bound as well": proved_again,
}
REFUTED: dict[str, Callable[[Certificate, Certificate, Path], bool]] = {
    "names and parameters are for display": lambda _, __, path: path[0] in ("name", "parameters"),
    "another claim that the loss exceeds": lambda _, m, path: path == ("claim",) and loss_exceeds_claim(m),
    "another query that still admits both private values": lambda _, m, path: (
        path[0] == "queries" and are_neighbours(m)
    ),
    "a correctly rounded logarithm is also a faithful one": lambda _, __, path: path == ("machine", "ln_roundings"),
    "the cells in another order": lambda o, m, path: (
        path in (("witness", "cells"), ("witness", "gaps")) and unordered(o, m)
    ),
    "the top of the draws is null or 1": lambda _, __, path: path[:2] == ("witness", "gaps") and path[-1] == "above",
    "the scale and the sampler of a Laplace draw do not change its floats": lambda o, _, path: (
        o["program"][0][2] == "laplace" and (path[0] == "machine" or path[:2] == ("program", 0))
    ),
    "still a true witness of this program": lambda _, m, __: witness_holds(m),
}


def unordered(original: Certificate, mutant: Certificate) -> bool:
    key = "cells" if "cells" in mutant["witness"] else "gaps"
    one, other = (sorted(map(str, c["witness"][key])) for c in (original, mutant))
    return one == other


@pytest.mark.parametrize("name", GENUINE)
def test_genuine_certificates_are_accepted(name):
    assert check.check(GENUINE[name]) is None


def judged(original: Certificate) -> tuple[int, dict[str, int], list[Any]]:
    """Return how many mutants there are, how many are accepted for each reason, and those without a reason."""
    reasons = VERIFIED if original["verdict"] == "VERIFIED" else REFUTED
    total, accepted, unexplained = 0, dict.fromkeys(reasons, 0), []
    for path, how, mutant in mutants(original):
        total += 1
        if check.check(mutant) is None:
            reason = next((text for text, holds in reasons.items() if holds(original, mutant, path)), None)
            if reason is None:
                unexplained.append((path, how, str(mutant)[:2000]))
            else:
                accepted[reason] += 1
    return total, accepted, unexplained


@pytest.mark.parametrize("name", [pytest.param(n, marks=() if n in QUICK else pytest.mark.long) for n in GENUINE])
def test_every_mutant_is_refused_or_true(name):
    total, accepted, unexplained = judged(GENUINE[name])
    assert unexplained == []
    assert total > 2000
    assert sum(accepted.values()) < total / 8


@pytest.mark.long
@pytest.mark.parametrize("machine", ["", "sampler=grid53", "umin=-1074", "sum=exact"])
@pytest.mark.parametrize("name", program_names())
def test_every_mutant_of_a_certificate_of_the_prover_is_refused_or_true(name, machine):
    verdict = verify(load_program(name), parse_machine(machine))
    if verdict.kind in ("VERIFIED", "REFUTED"):
        total, _, unexplained = judged(certificate_of(verdict))
        assert unexplained == []
        assert total > 2000


def test_the_second_opinion_knows_a_query_that_is_scaled():
    """The bound of the verifier is that of the theorem, in the unit of the scaled query; a smaller one is not true."""
    verdict = verify(load_program("notes_scaled"), evaluations=0)
    certificate = certificate_of(verdict)
    proved = bound_of_the_verifier(certificate)
    assert proved == bound_of_the_verifier(GENUINE["snap_half"])
    assert ends_and_grid(certificate) is None
    assert 0 <= proved - bound_of(GENUINE["snap_half"], "1") < Fraction(1, 1 << 200)
    for stated, true in ((proved, True), (proved - Fraction(1, 1 << 100), False)):
        forged = certificate | {"bound": str(stated)}
        assert proved_again(certificate, forged, ("bound",)) is true
        assert (check.check(forged) is None) is true
    wider = certificate | {"queries": [["f", "-8", "8", "1/4"]]}  # 2 apart where the noise is for 1
    assert not proved_again(certificate, wider, ("queries", 0, 3))


def test_whether_the_sum_rounds_is_part_of_what_a_certificate_says():
    """A certificate that states an exact sum is another judgement, about another machine, and says so."""
    exact, rounded = GENUINE["snap_half_exact_sum"], GENUINE["snap_half"]
    assert check.check(with_exact_sum(rounded)) is None  # its bound holds there too
    assert "the sum is exact" in check.examine(with_exact_sum(rounded))["machine"][0]
    assert "the sum is exact" not in check.examine(rounded)["machine"][0]
    assert check.examine(exact)["assumed"][0].startswith("(T3) every operation but + and - rounds")
    without = exact | {"machine": rounded["machine"]}
    assert check.check(without) == "the stated bound is below the one derived here"


@pytest.mark.parametrize("word", ["rounded", "", "Exact", None, True, 1, ["exact"], {"exact": 1}])
def test_a_sum_that_is_stated_and_not_exact_is_refused(word):
    exact = GENUINE["snap_half_exact_sum"]
    stated = exact | {"machine": exact["machine"] | {"sum": word}}
    assert check.check(stated) == "the sum is stated, and is not exact"


def test_every_mutant_of_a_machine_with_an_exact_sum_is_refused_or_true():
    exact = GENUINE["snap_half_exact_sum"]
    tried = [(path, mutant) for path, _, mutant in mutants(exact) if path[:1] == ("machine",)]
    assert len(tried) > 100
    accepted = [(path, mutant) for path, mutant in tried if check.check(mutant) is None]
    assert all(another_machine(exact, mutant, path) for path, mutant in accepted)
    assert 0 < len(accepted) < len(tried) / 4


def test_refutations_of_exact_sums_are_certified():
    found = certificate_of(verify(load_program("snap_halfscale"), parse_machine("p=24,sum=exact"), evaluations=50))
    assert (found["verdict"], found["machine"]["sum"]) == ("REFUTED", "exact")
    said = check.examine(found)
    assert said["machine"][0].endswith("the sum is exact")
    assert said["query"] == ["f(D), a float from -64 to 64; neighbours differ by at most 1"]


def test_the_checker_runs_an_exact_sum_without_rounding_it():
    read = [check.read_machine(GENUINE[name]["machine"])._replace(p=4) for name in ("snap_half_exact_sum", "snap_half")]
    total = ("add", ("query", "f"), ("unif", "U"))
    point = {"query": Fraction(5), "unif": Fraction(11, 64)}
    assert [check.run(total, machine, point)[0] for machine in read] == [Fraction(331, 64), Fraction(5)]
    assert [check.run(("round", Fraction(1, 64), total), m, point)[0] for m in read] == [Fraction(331, 64), Fraction(5)]
    assert [check.run(("mul", total, ("const", Fraction(1))), m, point)[0] for m in read] == [Fraction(5), Fraction(5)]
