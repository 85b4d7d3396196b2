"""Universal bound >= pointwise bound >= exact loss: at random, and for every input at low precision."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import mpmath
import pytest

from snapdp.exact.dyadic import power_of_two_at_least, round_nearest
from snapdp.exact.functions import ln_enclosure
from snapdp.lab.loss.exact_loss import Outputs, ProgramLaw, exact_loss, float_at_most
from snapdp.lab.loss.pointwise import CASES, case_of, case_table, moved_boundary, pointwise
from snapdp.lab.loss.universal_bound import excess, furthest_boundary, tail_errors, universal_bound
from snapdp.lab.semantics.machine import Machine
from tests.unit.lab.few_bits import BITS, largest_ratio, masses
from tests.unit.lab.second_opinion import theorem
from tests.unit.lab.snaps import floats_in, judged, shape_of, snap


@pytest.mark.parametrize(
    ("eps", "grid", "bound"), [("1/2", 2, 64), ("0.1", 16, 1000), ("0.3", 4, 200), ("17/16", 1, 100), ("1", 1, 1000)]
)
def test_the_bound_is_the_formula_rounded_up(eps, grid, bound):
    machine = Machine()
    shape = shape_of(snap(eps, grid, bound), machine)
    found = universal_bound(shape, machine).loss_upper
    numbers = {"epsilon": shape.noise_epsilon, "grid": grid, "bound": bound, "sensitivity": 1, "p": 53}
    formula = theorem(**numbers, roundings=shape.noise.roundings, sampler="ulp")
    assert 0 <= found - formula <= Fraction(1, 10**20)


def random_case(generator):
    p = generator.choice((8, 10, 12, 24, 53, 64))
    epsilon = Fraction(generator.choice(("1/4", "1/2", "1", "0.3", "0.7", "17/16", "1.9")))
    grid = power_of_two_at_least(1 / epsilon) * Fraction(2) ** generator.choice((-1, 0, 0, 1))
    bound = grid * generator.randint(2, 12 if p < 20 else 60)
    machine = Machine(p=p, sampler=generator.choice(("ulp", "nearest")))
    return snap(epsilon, grid, bound), machine, bound


def random_pair(generator, bound, p):
    f = round_nearest(Fraction(generator.uniform(-float(bound), float(bound) - 1)), p)
    f_prime = round_nearest(f + 1, p)
    return (f, f_prime) if f_prime - f <= 1 and f_prime <= bound else (f, f)


def test_universal_is_above_pointwise_and_pointwise_above_exact_at_random():
    generator, tried = random.Random(20), 0
    for _ in range(60):
        program, machine, bound = random_case(generator)
        execution, shape = judged(program, machine)
        universal = universal_bound(shape, machine)
        if universal is None:
            continue
        f, f_prime = random_pair(generator, bound, machine.p)
        if f == f_prime:
            continue
        laws, outputs = [ProgramLaw(execution, v, shape) for v in (f, f_prime)], Outputs(shape)
        for _ in range(6):
            output = outputs.at(generator.randint(outputs.first, outputs.last))
            exact = exact_loss(*laws, output)
            post = pointwise(shape, machine, f=f, f_prime=f_prime, output=output)
            note = pointwise(shape, machine, f=f, f_prime=f_prime, output=output, form="note")
            assert exact.loss.upper <= post.loss_upper <= universal.loss_upper
            assert note.loss_upper is None or exact.loss.upper <= note.loss_upper
            for law, probability in zip(laws, (post.probability, post.probability_prime), strict=True):
                assert law.probability(output).lower in probability
            tried += 1
    assert tried > 150


def enumerate_all(p: int, configurations) -> list[Fraction]:
    """Compare the bounds with the exact loss of every output for every f; return the largest C of each."""
    machine, largest = Machine(p=p), []
    for epsilon, grid, bound in configurations:
        execution, shape = judged(snap(epsilon, grid, bound), machine)
        universal = universal_bound(shape, machine)
        if universal is None:
            continue
        inputs = floats_in(-bound, bound, p)
        near, far = (
            masses(epsilon, shape, [f + d for f in inputs], machine, 15 * grid)  # beyond every boundary from every f
            for d in (0, 1)
        )
        assert (near.sum(axis=1) == 2 ** (BITS + 1)).all()
        assert (far.sum(axis=1) == 2 ** (BITS + 1)).all()
        outputs = [Outputs(shape).at(i) for i in range(Outputs(shape).first, Outputs(shape).last + 1)]
        for row in range(0, len(inputs), 151):  # the same numbers, by bisection
            law = ProgramLaw(execution, inputs[row], shape)
            assert [law.probability(x).lower * 2 ** (BITS + 1) for x in outputs] == near[row].tolist()
        loss = ln_enclosure(largest_ratio(near, far), 128).upper
        assert loss <= universal.loss_upper, (epsilon, grid, bound)
        scale = {"epsilon": Fraction(epsilon), "bound": bound, "machine": machine}
        largest.append(excess(loss, **scale))
        assert loss <= Fraction(epsilon) + 12 * bound * Fraction(epsilon) * machine.eta + 2 * machine.eta
    return largest


FEW, MORE = ("1/2", "1", "0.7", "17/16", "1.3", "3/4"), ("2", "0.9", "0.6")


def configurations(bounds, epsilons=FEW):
    for epsilon, size in itertools.product(epsilons, bounds):
        grid = power_of_two_at_least(1 / Fraction(epsilon))
        yield epsilon, grid, size * grid


@pytest.mark.long
@pytest.mark.parametrize("p", [8, 9])
def test_every_input_and_output_at_few_bits(p):
    found = enumerate_all(p, list(configurations((2,))))
    assert len(found) == 6
    assert 1 < max(found) < 6


@pytest.mark.long
@pytest.mark.parametrize("p", [9, 10])
def test_every_input_and_output_at_low_precision(p):
    """108 configurations at two precisions."""
    found = enumerate_all(p, list(configurations((1, 2, 3, 4, 5, 6), (*FEW, *MORE))))
    assert len(found) == 54
    assert 2 < max(found) < 6


def test_every_output_falls_into_exactly_one_case_and_every_case_occurs():
    machine, seen = Machine(), set()
    for grid, f in [(2, 3), (2, -5), (Fraction(1, 4), 1), (8, 1), (2, 62), (1, -64), (2, 0)]:
        shape = shape_of(snap("1/2", grid, 64), machine)
        outputs = Outputs(shape)
        for i in range(outputs.first, outputs.last + 1):
            seen.add(case_of(shape, f=Fraction(f), f_prime=Fraction(f + 1), output=outputs.at(i)))
    assert seen == set(CASES)


def test_the_case_table_bounds_the_loss_in_every_case_and_the_missing_case_costs_nothing():
    machine = Machine()
    shape = shape_of(snap("1", 1, 100, noise="S * ln(U) / 1.0625"), machine)
    post, note = (
        dict(case_table(shape, machine, f=Fraction(20), f_prime=Fraction(21), form=form)) for form in ("post", "note")
    )
    universal = universal_bound(shape, machine).loss_upper
    for case, found in post.items():
        if found is not None:
            assert found.loss_upper <= universal
            assert note[case].loss_upper >= found.loss_upper
    wide = shape_of(snap("1/8", 8, 64), machine)
    together = dict(case_table(wide, machine, f=Fraction(1), f_prime=Fraction(2)))["x = [f(a)] = [f(a')]"]
    assert together.loss_upper < Fraction(1, 8)


def test_a_smaller_range_of_the_query_needs_less_noise():
    machine = Machine()
    whole, half = (shape_of(snap("1/2", 2, 64, query=q), machine) for q in (None, ("0", "64")))
    assert furthest_boundary(half) == furthest_boundary(whole)  # the far boundary is as far from 64
    inner = shape_of(snap("1/2", 2, 64, query=("-1", "1")), machine)
    assert furthest_boundary(inner) < furthest_boundary(whole)
    assert universal_bound(inner, machine).loss_upper < universal_bound(whole, machine).loss_upper


@pytest.mark.parametrize("sampler", ["ulp", "nearest", "ideal", "grid53"])
def test_the_tail_of_the_noise_is_where_the_errors_say(sampler):
    machine = Machine(sampler=sampler)
    execution, shape = judged(snap("0.3", 4, 40, output="y"), machine)
    with mpmath.workdps(60):
        for distance in (Fraction(1, 7), Fraction(5), Fraction(33), Fraction(70)):
            shortfall, surplus = tail_errors(distance, shape, machine)
            run, reached = execution.function(Fraction(0), 1), -distance
            beyond = execution.first_where(lambda o, run=run, r=reached: run(execution.draw.number(o)) > float(r))
            tail = execution.draw.below(beyond)
            ideal = -shape.noise_epsilon * distance
            low, high = ln_enclosure(tail.lower, 200), ln_enclosure(tail.upper, 200)
            assert ideal - shortfall <= high.upper
            assert low.lower <= ideal + surplus


def test_cells_too_narrow_for_the_errors_have_no_bound():
    assert universal_bound(shape_of(snap("1", 1, 2**51), Machine()), Machine()) is None
    assert universal_bound(shape_of(snap("1", 1, 2**47), Machine()), Machine()) is not None


@pytest.mark.parametrize(("eps", "grid", "bound"), [("1/2", 2, 2), ("1", 1, 5), ("1/4", 4, 2**20)])
def test_one_rounding_and_whole_cells_stay_below_the_smaller_published_bound(eps, grid, bound):
    machine = Machine()
    found = universal_bound(shape_of(snap(eps, grid, bound), machine), machine).loss_upper
    epsilon = Fraction(eps)
    assert found <= epsilon + 12 * bound * epsilon * machine.eta + 2 * machine.eta


@pytest.mark.parametrize(("p", "is_decided"), [(118, True), (400, False)])
def test_a_probability_that_may_be_zero_is_no_infinite_loss(p, is_decided):
    """Without a grid one draw leads to an output; at 400 bits its mass is below the width of what encloses it."""
    execution, shape = judged(snap("1/2", 2, 64, output="y"), Machine(p=p, sampler="ideal"))
    laws = [ProgramLaw(execution, Fraction(f), shape) for f in (3, 4)]
    assert all(law.probability(Fraction(10)).upper > 0 for law in laws)
    assert all((law.probability(Fraction(10)).lower > 0) is is_decided for law in laws)
    found = exact_loss(*laws, Fraction(10))
    assert (found is not None) is is_decided
    assert found is None or not found.is_infinite


@pytest.mark.parametrize("t", [Fraction(t) for t in ("1", "8", "7", "9", "3/4", "-1", "-8", "-7", "-9")], ids=str)
def test_a_boundary_moves_to_the_middle_between_it_and_the_float_below_it(t):
    """Below a power of two floats are twice as dense as above it; below its negative they are not."""
    machine = Machine(p=8)
    _, shape = judged(snap("1/2", 2, 64), machine)
    below = float_at_most(t - abs(t) / 2**12, 8)
    assert below < t == float_at_most(t, 8)
    assert moved_boundary(t, shape.snap, machine, "post") == ((t + below) / 2, (t + below) / 2)
