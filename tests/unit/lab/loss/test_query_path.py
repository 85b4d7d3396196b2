"""A query that is scaled, shifted and clamped before noise is added: how far it moves, and what that costs."""

from __future__ import annotations

import math
from bisect import bisect_right
from fractions import Fraction

import pytest

from snapdp.exact.dyadic import power_of_two
from snapdp.lab.language.parser import parse
from snapdp.lab.loss.normal_form import Reach, value_on
from snapdp.lab.loss.universal_bound import Shape, universal_bound
from snapdp.lab.loss.verdict import verify
from snapdp.lab.semantics.machine import Machine, parse_machine
from snapdp.values import replaced
from tests.unit.lab import shapes
from tests.unit.lab.snaps import shape_of

NOISE = "2 * S * ln(U)"


def program(private, *, query="[-3, 3]", sensitivity="1/2", output="clamp[4](round[4]({y}))"):
    """Return a program of one statement, as the counting of draws wants it."""
    made = output.format(y=f"({private} + {NOISE})")
    declared = f"query f in {query} sensitivity {sensitivity};".replace(" in any", "")
    return parse(f"program p {{ {declared} U <-$ unif; S <-$ {{-1,1}}; z = {made}; return z; }}")


def reach_of(private, **declared) -> Reach:
    reach = shape_of(program(private, **declared), Machine()).reach
    assert reach is not None
    return reach


def floats(shape: Shape, p: int, exponents=5) -> list[Fraction]:
    """Return the private values of p bits of the largest binades, and zero."""
    low, high = shape.private
    assert low is not None
    assert high is not None
    top = math.frexp(float(max(abs(low), abs(high))))[1]
    mantissas = range(1 << (p - 1), 1 << p)
    sizes = [m * power_of_two(e - p) for e in range(top - exponents + 1, top + 1) for m in mantissas]
    found = [Fraction(0), *sizes, *(-size for size in sizes)]
    return sorted(f for f in found if low <= f <= high)


def furthest(shape: Shape, machine: Machine) -> Fraction:
    """Return how far the float query really moves between neighbours: it is monotone, so the furthest ones count."""
    assert shape.query is not None
    assert shape.path is not None
    values = floats(shape, machine.p)
    moved = [value_on(shape.path, f, machine) for f in values]
    last = [bisect_right(values, f + shape.query.sensitivity) - 1 for f in values]
    return max(abs(moved[j] - moved[i]) for i, j in enumerate(last))


PATHS = [
    # what the noise is added to, interval, sensitivity
    ("f(D)", "[-3, 3]", "1/2"),
    ("f(D)/0.1", "[-0.4, 0.4]", "1/10"),
    ("f(D)/3", "[-9, 9]", "3"),
    ("0.3*f(D)", "[-9, 9]", "3"),
    ("(f(D) - 20)/0.7", "[18, 22]", "0.7"),
    ("(f(D) + 20) - 20", "[-3, 3]", "1/4"),
    ("f(D)/0.1 - 40", "[3.6, 4.4]", "1/10"),
    ("-f(D)/0.3 + 5", "[0.3, 2]", "0.3"),
    ("(7 - f(D))/0.3", "[6, 8]", "0.3"),
    ("clamp[3](f(D)/0.3)", "[-9, 9]", "0.3"),
    ("clamp[3](clamp[2](f(D))/0.7)", "any", "0.7"),
    ("clamp[-3, 2.9](-f(D)*3)", "any", "1/3"),
]


@pytest.mark.parametrize("p", [3, 5, *(pytest.param(p, marks=pytest.mark.long) for p in (4, 6, 7, 8))])
@pytest.mark.parametrize(("private", "query", "sensitivity"), PATHS)
def test_no_two_neighbours_are_further_apart_than_the_distance_says(private, query, sensitivity, p):
    machine = Machine(p=p)
    shape = shape_of(program(private, query=query, sensitivity=sensitivity), machine)
    assert shape.reach is not None
    assert shape.path is not None
    assert furthest(shape, machine) <= shape.reach.distance
    for f in floats(shape, p):
        assert shape.reach.lower <= value_on(shape.path, f, machine) <= shape.reach.upper


def test_the_distance_without_roundings_is_exceeded():
    """The twin: at five bits most of these paths really move by more than the scaled sensitivity."""
    machine, exceeded = Machine(p=5), []
    for private, query, sensitivity in PATHS:
        shape = shape_of(program(private, query=query, sensitivity=sensitivity), machine)
        assert shape.reach is not None
        if furthest(shape, machine) > shape.reach.ideal:
            exceeded.append(private)
    assert {"f(D)/3", "0.3*f(D)", "(f(D) + 20) - 20", "clamp[3](f(D)/0.3)"} <= set(exceeded)
    assert "f(D)" not in exceeded


def test_powers_of_two_clamps_negations_and_cancelling_sums_round_nothing():
    for private in ("f(D)", "f(D)/0.125", "4*f(D)", "-f(D)", "clamp[2](f(D))", "-(f(D)*2)/0.5"):
        assert reach_of(private).rounded == 0
    assert reach_of("f(D) - 750", query="[500, 1000]").rounded == 0
    assert reach_of("750 - f(D)", query="[500, 1000]") == reach_of("-(f(D) - 750)", query="[500, 1000]")
    assert reach_of("f(D) - 750", query="[300, 1000]").rounded == 1
    assert reach_of("f(D) + 750", query="[500, 1000]").rounded == 1


def test_a_rounding_is_charged_with_a_unit_of_the_largest_value():
    reach = reach_of("f(D)/0.1", query="[-6.4, 6.4]", sensitivity="1/10")
    tenth = Fraction(0.1)
    assert (reach.lower, reach.upper) == (-64, 64)
    assert reach.ideal == Fraction(1, 10) / tenth < 1
    assert reach.distance == reach.ideal + power_of_two(5 - 52)  # the quotients stay below 64, by a little
    assert reach.rounded == 1


def test_what_a_clamp_cuts_off_is_not_counted():
    wide = reach_of("clamp[3](f(D)/0.3)", query="[-1e9, 1e9]", sensitivity="0.3")
    assert wide == reach_of("clamp[3](f(D)/0.3)", query="any", sensitivity="0.3")
    assert wide.distance - wide.ideal < power_of_two(-50)
    without = reach_of("f(D)/0.3", query="[-1e9, 1e9]", sensitivity="0.3")
    assert without.distance - without.ideal == power_of_two(31 - 52)
    machine = Machine()
    shape = shape_of(program("clamp[3](f(D)/0.3)", query="any", sensitivity="0.3"), machine)
    low, high = shape.private
    assert value_on(shape.path, low, machine) == -3
    assert value_on(shape.path, high, machine) == 3


def test_an_interval_that_lies_beyond_a_clamp_is_one_value():
    reach = reach_of("clamp[3](f(D))", query="[20, 30]")
    assert (reach.lower, reach.upper) == (3, 3)
    reach = reach_of("clamp[3](f(D))", query="[-30, -20]")
    assert (reach.lower, reach.upper) == (-3, -3)


# The bound against the exact loss, every draw run


def largest_loss(made, shape: Shape, machine: Machine, exponents: int) -> float:
    """Return the largest loss of any output, for all pairs of private values of some binades, by counting draws."""
    laws = [(f, shapes.law(made, machine, f)) for f in floats(shape, machine.p, exponents)]
    worst = 0.0
    for i, (f, near) in enumerate(laws):
        for g, far in laws[i + 1 :]:
            if g - f > shape.query.sensitivity:
                break
            if near.keys() != far.keys():
                return math.inf
            worst = max(worst, *(abs(math.log(near[x] / far[x])) for x in near))
    return worst


BOUNDED = [
    # what the noise is added to, interval, sensitivity, output
    ("f(D)/0.3", "[-0.6, 0.6]", "0.3", "0.3*clamp[4](round[4]({y}))"),
    ("f(D)/3", "[-6, 6]", "3", "clamp[12](3*round[4]({y}))"),
    ("(f(D) + 20) - 20", "[-2, 2]", "1/4", "clamp[4](round[4]({y})) + 20"),
    ("clamp[2](f(D)*3)", "[-1, 1]", "1/3", "round[4](clamp[5]({y}))"),
    ("-f(D)*4", "[-0.5, 0.5]", "1/4", "clamp[3](clamp[4](round[4]({y})))/0.7"),
    ("f(D)*2", "[-1, 1]", "1/2", "clamp[2](round[1]({y}/4))*4"),
]


@pytest.mark.parametrize("p", [4, *(pytest.param(p, marks=pytest.mark.long) for p in (5, 6, 7, 8))])
@pytest.mark.parametrize(("private", "query", "sensitivity", "output"), BOUNDED)
def test_the_bound_is_never_below_the_exact_loss(private, query, sensitivity, output, p):
    machine = Machine(p=p, umin=-8 - p)
    made = program(private, query=query, sensitivity=sensitivity, output=output)
    shape = shape_of(made, machine)
    bound = universal_bound(shape, machine)
    assert bound is not None
    assert shape.snap.released is not None or "round[4](clamp" in output
    found = largest_loss(made, shape, machine, exponents=2)
    assert 0 < found <= bound.loss_upper


def test_a_bound_that_forgets_the_rounding_of_the_query_is_below_the_exact_loss():
    """The twin: the query moves by 1/4, the float query by 1."""
    machine = Machine(p=4, umin=-12)
    private, query, sensitivity, output = BOUNDED[2]
    made = program(private, query=query, sensitivity=sensitivity, output=output)
    shape = shape_of(made, machine)
    forgetful = replaced(shape, reach=replaced(shape.reach, distance=shape.reach.ideal))
    assert universal_bound(forgetful, machine).loss_upper < largest_loss(made, shape, machine, exponents=2)


# Verdicts


def scaled(delta, *, query, claim="note", machine="", offset=""):
    text = f"""program scaled {{
      param eps = 1/2; param B = 64;
      query f in {query} sensitivity {delta};
      U <-$ unif; S <-$ {{-1,1}};
      y = clamp[B](f(D)/{delta}{offset}) + S*ln(U)/eps;
      z = {delta} * clamp[B](round[2](y));
      return z;
    }}"""
    return verify(parse(text), parse_machine(machine), claim=claim, evaluations=70)


@pytest.mark.parametrize("delta", ["0.125", "1", "4"])
def test_the_scaled_program_of_the_notes_is_verified_for_a_power_of_two_at_no_extra_cost(delta):
    verdict = scaled(delta, query=f"[-64*{delta}, 64*{delta}]")
    assert verdict.kind == "VERIFIED"
    assert f"{float(verdict.excess(verdict.upper)):.2f}" == "8.82"
    assert Fraction(1, 2) < verdict.lower < verdict.upper


def test_for_a_tenth_the_verdict_charges_the_rounding_of_the_query():
    verdict = scaled("0.1", query="[-6.4, 6.4]")
    assert verdict.kind == "VERIFIED"
    assert f"{float(verdict.excess(verdict.upper)):.2f}" == "9.81"
    assert verdict.universal.base - Fraction(1, 2) == Fraction(1, 2) * (verdict.shape.reach.distance - 1)
    assert "query scaled" in {premise.name for premise in verdict.premises}


def test_a_float_query_that_really_moves_by_more_than_claimed_is_refuted_with_its_witness():
    verdict = scaled("3", query="[25769803584, 25769804160]", offset=" - 8589934592")
    evidence = verdict.evidence
    assert verdict.kind == "REFUTED"
    assert abs(evidence.f - evidence.f_prime) <= 3
    moved = abs(Fraction(float(evidence.f) / 3) - Fraction(float(evidence.f_prime) / 3))
    assert moved == 1 + power_of_two(-20)
    assert verdict.lower > Fraction(1, 2) * moved
    assert verdict.upper < Fraction(1, 2) * (1 + power_of_two(-18))


def test_where_sums_are_exact_they_cost_nothing_and_every_product_rounds():
    exact = Machine(sum="exact")
    parts = {"query": "[-3, 3]", "sensitivity": "1/2"}
    for private, rounded in (("f(D) + 0.1", 0), ("7 - f(D)", 0), ("-f(D)", 0), ("f(D)*1", 1), ("f(D)/0.125", 1)):
        reach = shape_of(program(private, **parts), exact).reach
        assert reach is not None
        assert reach.rounded == rounded
    outside = program("f(D)", output="8*clamp[2](round[1]({y}/4))")
    assert shape_of(outside, exact).grid is None
    assert shape_of(outside, Machine()).grid == 4


@pytest.mark.parametrize(("factor", "kept"), [("1.1", False), ("1", True)])
def test_a_scale_that_is_wrong_is_no_rounding_however_wide_the_clamp(factor, kept):
    program = parse(f"""program wide {{
      query f in [-1000, 1000] sensitivity 1;
      U <-$ unif; S <-$ {{-1,1}};
      z = clamp[1048576](round[16384](f(D) * {factor} + S * ln(U) * 2));
      return z;
    }}""")
    verdict = verify(program, Machine(p=24), epsilon=Fraction(1, 2), evaluations=2)
    assert (verdict.kind == "VERIFIED") is kept
