"""Snaps by floor, to even, and after steps that round: where cells begin, and what no such verdict may get wrong."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from random import Random

import numpy as np
import pytest

from snapdp.exact.dyadic import round_nearest
from snapdp.lab.language.parser import parse
from snapdp.lab.loss.normal_form import AffineStep, half_gap, slack
from snapdp.lab.loss.universal_bound import furthest_boundary, universal_bound
from snapdp.lab.loss.verdict import verify
from snapdp.lab.semantics.machine import Machine
from snapdp.values import replaced
from tests.unit.lab import counted
from tests.unit.lab.snaps import shape_of

# Snaps of y, their clamps inside or outside; each is a function of the sum, and so of one private value without noise.
SNAPS = (
    *("clamp[B](L * rint(y / L))", "clamp[0, B](L * rint(y / L))", "clamp[B](rint(y / 3) * 3)", "rint(clamp[B](y))"),
    *("clamp[B](L * floor(y / L + 0.5))", "clamp[B](floor(y))", "clamp[-1, B](L * floor(y / L + 0.7))"),
    *(
        "clamp[B](rint(y + 0.3))",
        "rint(clamp[0, B](y) / L)",
        "clamp[B](round[1](y / 3))",
        "clamp[B](3 * rint(y * 1.7))",
    ),
    *("rint(clamp[0, B](y - 1) / L) * L", "clamp[1, B](rint(y))", "clamp[B](round[L](y + 0.1))", "clamp[B](-rint(y))"),
)


def program_of(snap, *, noise="S * ln(U)", query="-B, B", sensitivity="1", b=4, grid=2):
    text = f"""query f in [{query}] sensitivity {sensitivity}; U <-$ unif; S <-$ {{-1,1}};
        y = f(D) + {noise}; z = {snap};"""
    return parse(f"program p {{ param B = {b}; param L = {grid}; {text} return z; }}")


# Where cells begin: every float is snapped, and a cell of the real sum begins in the middle before its first float


@lru_cache(maxsize=64)
def cuts_of(snap, p, b, grid):
    """Return where outputs change as the real sum rises, zeros with their signs; 0 lies between the two zeros."""
    program = parse(
        f"program p {{ param B = {b}; param L = {grid}; query y; z = {snap.replace('y', 'y(D)')}; return z; }}"
    )
    values = counted.private_values(Fraction(-4 * b), Fraction(4 * b), p, least=-p - 8)
    sums = np.array([x for x in values if x or math.copysign(1, x) > 0])  # the sum is never -0.0 with this noise
    outputs = counted.Run(program, {"y": sums}, Machine(p=p)).outputs
    keys = list(zip(outputs.tolist(), np.signbit(outputs).tolist(), strict=True))
    ends = [(Fraction(a), Fraction(c)) for a, c in pairwise(sums)]
    return [
        0 if c == 0 else (a + c) / 2 for (a, c), one, other in zip(ends, keys, keys[1:], strict=False) if one != other
    ]


def contradictions(shape, snap, p, b, grid):
    """Return what the cells of a snap have that its shape denies: too near, too far, or not where they should be."""
    found, cuts = shape.snap, cuts_of(snap, p, b, grid)
    (first, last), least, most = shape.boundaries, shape.lower, shape.upper
    middles = [first + k * found.grid for k in range(round((last - first) / found.grid) + 1)]
    known = [*middles, found.offset] if found.splits_zero else middles  # there x is 0
    far = [c for c in cuts if max(abs(least - c), abs(most - c)) > furthest_boundary(shape)]
    near = [c for a, c in pairwise(cuts) if c - a < found.width]
    lost = [c for c in cuts if not any(t - found.below <= c <= t + found.above for t in known)]
    return far + near + lost


CELLS = [(snap, p, b, grid) for snap in SNAPS for p, b, grid in ((4, 4, 2), (5, 4, 2), (6, 3, 1), (6, 6, "0.5"))]


@pytest.mark.parametrize(("snap", "p", "b", "grid"), CELLS)
def test_cells_are_as_wide_and_begin_as_near_as_their_snap_says(snap, p, b, grid):
    shape = shape_of(program_of(snap, b=b, grid=grid), Machine(p=p))
    if shape.failed:
        assert {premise.name for premise in shape.failed} <= {"cells apart", "boundaries representable"}
        return
    assert cuts_of(snap, p, b, grid)
    assert contradictions(shape, snap, p, b, grid) == []


PLANTED = {
    "one zero": lambda snap: replaced(snap, splits_zero=False),
    "ties up": lambda snap: replaced(snap, above=Fraction(0)),
    "the sum does not round": lambda snap: replaced(snap, below=Fraction(0), above=Fraction(0)),
    "half the roundings": lambda snap: replaced(snap, below=snap.below / 2, above=snap.above / 2),
    "no shift": lambda snap: replaced(snap, offset=Fraction(0)),
}


@pytest.mark.parametrize("planted", PLANTED)
def test_a_snap_that_forgets_something_is_contradicted_by_some_cells(planted):
    found = 0
    for snap, p, b, grid in CELLS:
        shape = shape_of(program_of(snap, b=b, grid=grid), Machine(p=p))
        if not shape.failed:
            forgetful = replaced(shape, snap=PLANTED[planted](shape.snap))
            found += bool(contradictions(forgetful, snap, p, b, grid))
    assert found >= 3


def test_a_cut_moves_by_at_most_half_a_gap():
    """The lemma alone, at four bits: the least real number that rounds to a float at or above v."""
    p, floats = 4, [Fraction(m, 64) for m in range(-128, 129)]
    floats = [x for x in floats if round_nearest(x, p) == x]
    for v in (Fraction(n, 37) for n in range(-70, 70)):
        first = next(x for x in floats if x >= v)
        before = floats[floats.index(first) - 1]
        assert abs((first + before) / 2 - v) <= half_gap(abs(v), p) + (
            Fraction(1, 64) if abs(v) < Fraction(1, 8) else 0
        )
        if first == v and abs(v) > Fraction(1, 8):
            assert (first + before) / 2 <= v


def test_steps_are_undone_from_the_last_one_inward():
    halves = AffineStep(factor=Fraction(1, 2), is_product=True)
    plus = AffineStep(shift=Fraction(1, 2))
    unit = Fraction(1, 1 << 53)
    assert slack((Fraction(1), Fraction(1)), [halves, plus], at_floats=True, p=53) == (2 * unit + unit, unit)
    assert slack((Fraction(1), Fraction(1)), [halves], at_floats=True, p=53) == (2 * unit, 0)
    assert slack((Fraction(1), Fraction(1)), [], at_floats=False, p=53) == (unit, unit)
    assert slack((Fraction(0), Fraction(0)), [], at_floats=False, p=53) == (0, 0)


# The loss: no verdict is below what every draw from every private value gives


def judged(program, machine, **settings):
    """Return the certified bound and the largest loss, both as doubles; None where nothing is certified."""
    universal, [query] = universal_bound(shape_of(program, machine), machine), program.queries
    if universal is None:
        return None
    values = counted.private_values(query.lower, query.upper, machine.p)
    found = counted.law(program, machine, values, **settings)
    return float(universal.loss_upper), counted.largest_loss(found, values, query.sensitivity)


def drawn_case(random, bits):
    p, b = random.choice(bits), random.choice((2, 3, 4, 6))
    query = random.choice((f"-{b}, {b}", "-1, 1", f"0, {b}", "-2, 1"))
    sensitivity, epsilon = random.choice(("1", "0.5", "0.125")), random.choice(("0.5", "1", "2", "0.25"))
    parts = {"query": query, "sensitivity": sensitivity, "b": b, "grid": random.choice((1, 2, 4, "0.5"))}
    program = program_of(random.choice(SNAPS), noise=f"S * ln(U) / {epsilon}", **parts)
    return program, Machine(p=p, umin=-3 * p - 4, sampler=random.choice(("ulp", "ulp", "nearest")))


def count_cases(seed, count, bits):
    random, certified = Random(seed), 0
    for _ in range(count):
        program, machine = drawn_case(random, bits)
        found = judged(program, machine)
        if found is not None:
            certified += 1
            assert found[1] <= found[0], (program, machine)
    return certified


def test_no_certified_loss_is_below_that_of_all_draws_and_all_private_values():
    assert count_cases(1, 24, (5, 6)) > 8


@pytest.mark.long
def test_no_certified_loss_is_below_that_of_all_draws_and_all_private_values_in_many_cases():
    assert count_cases(2, 300, (5, 6, 7)) > 120


def test_a_private_zero_with_a_sign_would_be_found_out_by_a_bare_floor():
    """Where U can be 1 the noise can be 0, and -0.0 stays -0.0: no other private value gives that output."""
    program, ulp, nearest = (
        program_of("clamp[B](floor(y))"),
        Machine(p=6, umin=-22),
        Machine(p=6, umin=-22, sampler="nearest"),
    )
    assert judged(program, ulp)[1] < 2
    assert judged(program, nearest) is None
    assert [premise.name for premise in shape_of(program, nearest).failed] == ["signed zeros"]
    values = counted.private_values(Fraction(-4), Fraction(4), 6)
    assert counted.largest_loss(counted.law(program, nearest, values), values, Fraction(1)) == math.inf


def test_a_private_zero_with_a_sign_would_be_found_out_by_a_clamp_at_zero_inside():
    program, nearest = program_of("rint(clamp[0, B](y))"), Machine(p=6, umin=-22, sampler="nearest")
    assert [premise.name for premise in shape_of(program, nearest).failed] == ["signed zeros"]
    values = counted.private_values(Fraction(-4), Fraction(4), 6)
    assert counted.largest_loss(counted.law(program, nearest, values), values, Fraction(1)) == math.inf
    shifted = program_of("rint(clamp[0, B](y) + 0.25)")
    assert judged(shifted, nearest)[1] < judged(shifted, nearest)[0]


# Doubles


AS_WRITTEN = {
    "clamp[B](L * rint(y / L))": 2,  # -0.0 is one more output, with half a cell
    "clamp[B](L * floor(y / L + 0.5))": 1,
    "L * floor(clamp[B](y) / L + 0.5)": 1,
    "clamp[B](L * round[1](y / L))": 1,
}


@pytest.mark.parametrize("snap", AS_WRITTEN)
def test_the_mechanism_with_another_rounding_is_verified_with_nearly_the_same_bound(snap):
    ours = verify(program_of("clamp[B](round[L](y))", b=64, noise="S * ln(U) / 0.5"), claim="tight", evaluations=4)
    verdict = verify(program_of(snap, b=64, noise="S * ln(U) / 0.5"), claim="tight", evaluations=20)
    assert ours.kind == verdict.kind == "VERIFIED"
    excess, usual = verdict.upper - Fraction(1, 2), ours.upper - Fraction(1, 2)
    assert Fraction(99, 100) * usual < excess < AS_WRITTEN[snap] * usual * Fraction(101, 100)
    assert verdict.lower <= verdict.upper


def test_a_grid_that_is_no_power_of_two_costs_one_rounding_more():
    verdict = verify(program_of("clamp[63](3 * rint(y / 3))", b=63, noise="S * ln(U) / 0.5"), claim="tight")
    assert verdict.kind == "VERIFIED"
    assert verdict.shape.grid == 3
    assert Fraction(1, 2) < verdict.lower < verdict.upper < Fraction(1, 2) + Fraction(1, 10**13)


@pytest.mark.parametrize(
    ("snap", "missing"),
    [
        ("L * rint(y / L)", "clamp present"),
        ("clamp[B](round[3](y / 2))", "grid power of two"),
        ("clamp[B](round[3](y / 7))", "snap exact"),
        ("clamp[B](rint(-y))", "grid power of two"),
        ("clamp[B](rint(abs(y)))", "grid power of two"),
        ("clamp[0, B](abs(rint(y)))", "clamp present"),
        ("clamp[4503599627370490, 4503599627370500](rint(y + 4503599627370496))", "cells apart"),
    ],
)
def test_what_is_no_such_snap_has_no_bound(snap, missing):
    verdict = verify(program_of(snap, b=64), claim="tight", evaluations=2)
    assert verdict.universal is None
    assert missing in {premise.name for premise in verdict.failed}


def test_exact_sums_have_a_bound_for_their_own_snap_only():
    verdict = verify(program_of("clamp[B](rint(y))"), Machine(sum="exact"), claim="tight", evaluations=2)
    assert [premise.name for premise in verdict.failed] == ["sum rounded"]


def test_where_zero_is_no_output_it_has_no_sign_to_count():
    assert shape_of(program_of("clamp[1, B](rint(y))"), Machine()).snap.splits_zero is False
    whole = shape_of(program_of("clamp[0, B](rint(y))"), Machine())
    assert whole.snap.splits_zero
    assert (whole.clamp_lower, whole.clamp_upper) == (-1, 4)
