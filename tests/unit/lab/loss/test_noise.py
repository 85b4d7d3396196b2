"""Noise by the inverse of the distribution function: what is recognised, its law by counting, and what it costs."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

import pytest

from snapdp.lab.language.parser import parse
from snapdp.lab.loss import universal_bound as bounds
from snapdp.lab.loss.normal_form import Noise
from snapdp.lab.loss.universal_bound import folded_step, universal_bound
from snapdp.lab.loss.verdict import verify
from snapdp.lab.report.verdict import headline, python_lines
from snapdp.lab.semantics import machine as machine_draws
from snapdp.lab.semantics.machine import Machine, parse_machine
from snapdp.values import replaced
from tests.unit.lab import counted
from tests.unit.lab.snaps import shape_of

FOLDED = "sign(U - 0.5) * ln(1 - 2 * abs(U - 0.5))"


def program_of(noise=FOLDED, snap="clamp[B](round[L](y))", *, query="-B, B", sensitivity="1", b=6, grid=2):
    text = (
        f"query f in [{query}] sensitivity {sensitivity}; U <-$ unif; S <-$ {{-1,1}}; y = f(D) + {noise}; z = {snap};"
    )
    return parse(f"program p {{ param B = {b}; param L = {grid}; {text} return z; }}")


# What is recognised

SAME = (
    *(FOLDED, "-sign(U - 0.5) * ln(1 - 2 * abs(U - 0.5))", "sign(0.5 - U) * ln(1 - 2 * abs(0.5 - U))"),
    *("sign(2 * U - 1) * ln(1 - abs(2 * U - 1))", "ln(1 - abs(1 - U * 2)) * sign(U - 0.5)"),
    *("sign((U - 0.5) / 4) * ln(1 + -2 * abs(U - 0.5))", "sign(U + -0.5) * ln(2 * (0.5 - abs(U - 0.5)))"),
    *("sign(U - 0.5) * ln((4 - 8 * abs(-(U - 0.5))) / 4)", "ln(1 - abs(U - 0.5) * 2) * -sign(-0.5 + U)"),
)
OTHER = (
    *("sign(U - 0.5) * ln(U)", "S * ln(1 - 2 * abs(U - 0.5))", "ln(1 - 2 * abs(U - 0.5))", "sign(U) * ln(U)"),
    *("sign(U - 0.25) * ln(1 - 2 * abs(U - 0.25))", "sign(U - 0.5) * ln(1 - 2 * abs(U - 0.25))"),
    *("sign(U - 0.5) * ln(2 - 4 * abs(U - 0.5))", "sign(U - 0.5) * ln(1 - abs(U - 0.5))", "sign(U - 0.5) * ln(1 - U)"),
    *("sign(3 * U - 1.5) * ln(1 - 2 * abs(U - 0.5))", "sign(U - 0.5) * ln(1.5 - 3 * abs(U - 0.5))"),
    *("ln(1 - 2 * abs(U - 0.5)) / sign(U - 0.5)", "sign(U - 0.5) * sign(U - 0.5) * ln(1 - 2 * abs(U - 0.5))"),
    *("sign(U - 0.5) * S * ln(1 - 2 * abs(U - 0.5))", "sign(U - 0.5) * ln(1 + 2 * abs(U - 0.5))", "sign(S) * ln(U)"),
)


@pytest.mark.parametrize("noise", SAME)
def test_the_inverse_is_recognised_however_it_is_written(noise):
    shape = shape_of(program_of(noise), Machine())
    assert shape.noise.folded
    assert shape.noise.is_one
    assert (abs(shape.noise.coefficient), shape.noise.roundings) == (1, 1)
    assert universal_bound(shape, Machine()) == universal_bound(shape_of(program_of(), Machine()), Machine())


@pytest.mark.parametrize("noise", OTHER)
def test_what_only_looks_like_it_is_not(noise):
    shape = shape_of(program_of(noise), Machine())
    assert shape.noise is None
    assert universal_bound(shape, Machine()) is None


def test_roundings_of_the_scale_are_counted():
    shape = shape_of(program_of(f"(1 / 0.3) * {FOLDED}"), Machine())
    assert (shape.noise.roundings, shape.noise.coefficient) == (2, Fraction(1 / 0.3))
    assert shape_of(program_of(f"{FOLDED} / 0.25"), Machine()).noise.roundings == 1


# Its law, by counting: every sampler, at few bits


def two_sides(machine, grid_bits=None):
    """Return (w, probability) for every draw below and above one half, as the machine computes w, and that of 1/2."""
    uniform, masses = counted.draws(machine, grid_bits=grid_bits)
    program = parse("program p { query U; u = U(D) - 0.5; w = 1 - 2 * abs(u); return w; }")
    run = counted.Run(program, {"U": uniform}, machine)
    rows = [
        (Fraction(w), Fraction(u), mass)
        for w, u, mass in zip(run.outputs.tolist(), run.values["u"].tolist(), masses, strict=True)
    ]
    assert all(w == 1 - 2 * abs(u) for w, u, _ in rows)  # nothing rounds after U - 1/2
    left, right = [(w, m) for w, u, m in rows if u < 0], [(w, m) for w, u, m in rows if u > 0]
    return left, right, sum(m for _, u, m in rows if u == 0)


def furthest_from_t(side, middle):
    """Return the largest distance of 2 P(w <= t), P(w < t), with and without w = 0, from t; middle: P(u = 0)."""
    values = sorted({w for w, _ in side} | {Fraction(0)})
    worst = Fraction(0)
    for at, above in zip(values, [*values[1:], Fraction(1)], strict=True):
        for begin in (Fraction(0), min((w for w, _ in side if w), default=Fraction(0))):
            chance = 2 * sum(m for w, m in side if begin <= w <= at)
            worst = max(worst, abs(chance - at), abs(chance - above))  # t = at, and t just below the next w
    whole = 2 * (sum(m for _, m in side) + middle)
    return max(worst, abs(whole - 1))


MACHINES = [(sampler, p) for sampler in ("ulp", "nearest") for p in (3, 4, 5, 6)]


@pytest.mark.parametrize(("sampler", "p"), MACHINES)
def test_a_folded_draw_is_uniform_up_to_a_step(sampler, p):
    machine = Machine(p=p, sampler=sampler, umin=-3 * p)
    *sides, middle = two_sides(machine)
    found = [furthest_from_t(side, middle) for side in sides]
    assert max(found) <= folded_step(machine) == 2 * machine.eta
    assert max(found) > machine.eta  # the twin: half the step is not enough


@pytest.mark.parametrize("bits", [3, 5, 7])
def test_a_folded_draw_of_a_grid_is_uniform_up_to_a_step(bits, monkeypatch):
    monkeypatch.setattr(bounds, "GRID_BITS", bits)
    machine = Machine(p=bits, sampler="grid53")
    *sides, middle = two_sides(machine, grid_bits=bits)
    found = [furthest_from_t(side, middle) for side in sides]
    assert max(found) <= folded_step(machine) == Fraction(2, 1 << bits)
    assert max(found) > folded_step(machine) / 2


# The loss: no verdict is below what every draw gives


def judged(program, machine, **settings):
    universal, [query] = universal_bound(shape_of(program, machine), machine), program.queries
    if universal is None:
        return None
    values = counted.private_values(query.lower, query.upper, machine.p)
    losses = [
        counted.largest_loss(counted.law(program, machine, values, stops=stops, **settings), values, query.sensitivity)
        for stops in (False, True)  # ln 0 is an infinity, or the end of the program
    ]
    return float(universal.loss_upper), max(losses)


SNAPS = ("clamp[B](round[L](y))", "clamp[B](L * rint(y / L))", "clamp[0, B](L * floor(y / L + 0.5))")


def count_cases(seed, count, bits):
    random, certified = Random(seed), 0
    for _ in range(count):
        p, b, epsilon = random.choice(bits), random.choice((1, 2, 3)), random.choice(("0.25", "0.5", "0.75", "1"))
        query = random.choice((f"-{b}, {b}", f"0, {b}", "-1, 1"))
        parts = {"query": query, "sensitivity": random.choice(("1", "0.25")), "b": b, "grid": random.choice((2, 4))}
        program = program_of(f"{random.choice(SAME)} / {epsilon}", random.choice(SNAPS), **parts)
        machine = Machine(p=p, umin=-3 * p, sampler=random.choice(("ulp", "nearest")))
        found = judged(program, machine)
        if found is not None:
            certified += 1
            assert found[1] <= found[0], (program, machine)
    return certified


def test_no_certified_loss_of_a_folded_draw_is_below_that_of_all_draws():
    assert count_cases(1, 16, (6,)) > 3


@pytest.mark.long
def test_no_certified_loss_of_a_folded_draw_is_below_that_of_all_draws_in_many_cases():
    assert count_cases(2, 120, (6, 7, 8)) > 45


def test_no_certified_loss_of_a_folded_draw_of_a_grid_is_below_that_of_all_draws(monkeypatch):
    for module in (bounds, machine_draws):
        monkeypatch.setattr(module, "GRID_BITS", 7)
    machine = Machine(p=7, sampler="grid53")
    for snap in SNAPS:
        bound, loss = judged(program_of(f"{FOLDED} / 0.5", snap, b=2), machine, grid_bits=7)
        assert loss <= bound


def test_a_folded_draw_taken_for_a_uniform_one_would_be_certified_below_its_loss():
    """The planted fault: the low bits that U - 1/2 loses are not counted."""
    machine, program = Machine(p=6, umin=-18), program_of(f"{FOLDED} / 0.5", b=6)
    shape = shape_of(program, machine)
    forgetful = replaced(shape, noise=replaced(shape.noise, folded_of=None, sign_of=None))
    values = counted.private_values(Fraction(-6), Fraction(6), 6)
    loss = counted.largest_loss(counted.law(program, machine, values), values, Fraction(1))
    assert universal_bound(shape, machine) is None
    assert universal_bound(forgetful, machine).loss_upper < loss == math.inf


@pytest.mark.parametrize("noise", ["sign(U - 0.5) * ln(U)", "sign(U - 0.5) * ln(1 - abs(U - 0.5))"])
def test_a_noise_whose_parts_do_not_belong_together_would_be_certified_below_its_loss(noise):
    """The planted fault: what only looks like the inverse is taken for it."""
    machine, program = Machine(p=7, umin=-21), program_of(f"{noise} / 0.5", b=2)
    shape = replaced(shape_of(program, machine), noise=shape_of(program_of(f"{FOLDED} / 0.5", b=2), machine).noise)
    shape = replaced(shape, premises=())
    values = counted.private_values(Fraction(-2), Fraction(2), 7)
    loss = counted.largest_loss(counted.law(program, machine, values), values, Fraction(1))
    assert float(universal_bound(shape, machine).loss_upper) < loss


# Doubles


@pytest.mark.parametrize("machine", ["", "sampler=grid53", "sampler=nearest,umin=-1074", "ln=2"])
def test_with_a_near_clamp_the_textbook_noise_is_verified_with_what_its_lost_bits_cost(machine):
    program = program_of(f"2 * {FOLDED}", b=20)
    verdict = verify(program, parse_machine(machine), epsilon=Fraction(1, 2), evaluations=20)
    assert verdict.kind == "VERIFIED"
    added = verdict.upper - Fraction(1, 2)
    step, far = 2.0**-52, math.exp(0.5 * 39)  # the far boundary is at 39, and two tails are wrong by a step each
    assert step * far < float(added) < 8 * step * far / math.tanh(0.5)
    assert Fraction(1, 2) < verdict.lower < verdict.upper
    assert "and " in headline(verdict)


@pytest.mark.parametrize("machine", ["", "sampler=grid53", "umin=-1074"])
def test_with_a_far_clamp_it_is_refuted_by_an_output_that_one_input_never_gives(machine):
    verdict = verify(program_of(f"2 * {FOLDED}", b=64), parse_machine(machine), epsilon=Fraction(1, 2), evaluations=200)
    assert verdict.kind == "REFUTED"
    assert verdict.is_infinite
    assert [premise.name for premise in verdict.failed] == ["sampler range"]
    exec("\n".join(python_lines(verdict)), {})  # asserts what was found, in plain doubles


@pytest.mark.parametrize("machine", ["", "sampler=grid53", "p=24"])
def test_without_a_snap_it_is_refuted_as_the_naive_mechanism_is(machine):
    verdict = verify(
        program_of(f"2 * {FOLDED}", snap="y + 0", b=64), parse_machine(machine), claim="1/2", evaluations=4
    )
    assert verdict.kind == "REFUTED"
    assert verdict.is_infinite
    if machine != "p=24":
        exec("\n".join(python_lines(verdict)), {})


def test_between_them_nothing_is_claimed_that_is_not_proved():
    """At 34 scales the lost bits cost more than half of epsilon: a bound is known, and does not keep the claim."""
    verdict = verify(program_of(f"2 * {FOLDED}", b=34), epsilon=Fraction(1, 2), evaluations=40)
    assert verdict.kind != "VERIFIED"
    assert Fraction(3, 4) < verdict.upper < 1
    assert verdict.claim.value == Fraction(1, 2)
    assert verify(program_of(f"2 * {FOLDED}", b=34), claim="tight", evaluations=4).kind == "VERIFIED"


@pytest.mark.parametrize(
    ("machine", "said"),
    [("sampler=ideal", "a real U"), ("sum=exact", "exact sums"), ("umin=-100", "2**-48"), ("p=8,umin=-16", "2**-9")],
)
def test_a_machine_whose_folded_draw_is_not_known_gets_no_bound(machine, said):
    verdict = verify(program_of(f"2 * {FOLDED}"), parse_machine(machine), claim="tight", evaluations=2)
    [premise] = verdict.failed
    assert premise.name == "sampler range"
    assert said in premise.detail


def test_the_noise_is_zero_at_one_half():
    assert Noise(coefficient=Fraction(1), drawn=True, folded_of="U", sign_of="U").is_never_zero(Machine()) is False
    assert Noise(coefficient=Fraction(1), drawn=True).is_never_zero(Machine())
    assert not Noise(coefficient=Fraction(1), drawn=True).is_never_zero(Machine(sampler="nearest"))
