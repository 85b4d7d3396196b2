"""Theorem 1': what the machine computes lies between the derived bounds; and the printed rules do not give that."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction
from functools import lru_cache

import numpy as np
import pytest

from snapdp.errors import ProgramError
from snapdp.exact.dyadic import next_above, next_below, power_of_two, round_nearest
from snapdp.exact.functions import ln_nearest
from snapdp.lab.language.parser import parse
from snapdp.lab.language.syntax import (
    BINARY,
    FUNCTIONS,
    PROGRAMS,
    Assignment,
    Constant,
    Negation,
    Program,
    Query,
    QueryValue,
    Rounding,
)
from snapdp.lab.semantics.bounds import Sound, derive
from snapdp.lab.semantics.floats import Float, evaluate_float, run_float
from snapdp.lab.semantics.intervals import between
from snapdp.lab.semantics.machine import Machine
from snapdp.lab.semantics.printed import derive_as_printed
from snapdp.lab.semantics.reals import evaluate, evaluate_real
from tests.tiers import first_of
from tests.unit.lab.support import floats, violations

PRECISIONS = (3, 8, 53, *(pytest.param(p, marks=pytest.mark.long) for p in (5, 11, 24, 113)))
RUNS = 1_200  # for each precision and expression: 7 * 6 * 1200 = 50 400, of which 21 600 by default
EXPRESSIONS = (
    "S * ln(U) / 0.1",
    "f(D) + S * ln(U) / 0.1",
    "f(D) + (1 / 0.3) * S * ln(U)",
    "clamp[100](round[4](f(D) + ln(U) / 0.3))",
    "(f(D) - 0.7) * ln(U) - f(D) * f(D)",
    "-(f(D) * ln(U)) / (U + 0.3) + 5",
)
STEPS = ("floor(f(D) + ln(U) / 0.3 + 0.5) * 0.1", "abs(f(D) - 0.7) * sign(f(D) - ln(U)) + rint(abs(ln(U)) * 3)")


def program_of(text):
    return parse(f"program p {{ query f; U <-$ unif; S <-$ {{-1,1}}; y = {text}; return y; }}")


def expression_of(text):
    return program_of(text).statements[-1].expression


def bounds_of(expression, machine, known):
    rules = Sound(machine, known)
    rules.place = Assignment(name="y", expression=expression)
    return rules.of(expression).interval


@lru_cache
def inputs(p: int, count: int):
    """Return draws and queries: U anywhere, next to 1 or a power of two, tiny; f huge, or cancelling the noise."""
    rng, found = random.Random(p), []
    for number in range(count):
        u = round_nearest(Fraction(rng.getrandbits(200) + 1, 1 << 200), p)
        match number % 4:
            case 1:
                u = 1 - power_of_two(-p) * rng.randint(1, 3)
            case 2:
                u = power_of_two(-rng.randint(1, 40))
                u = rng.choice((u, next_above(u, p), next_below(u, p)))
            case 3:
                u = round_nearest(u * power_of_two(-rng.randint(50, 1000)), p)
        u = min(u, 1 - power_of_two(-p))
        s = Fraction(rng.choice((1, -1)))
        f = round_nearest(Fraction(rng.randint(-(10**9), 10**9), 10**7), p)
        if number % 3 == 1:
            f = round_nearest(-s * ln_nearest(u, p) * 10, p)
        elif number % 9 == 2:
            f *= power_of_two(rng.randint(20, 60))
        found.append({"U": u, "S": s, "f": f})
    return found


def lies_between(value, lower, upper, environment, machine):
    """Decide lower <= value <= upper at 256 bits, at 1024 where that is not enough."""
    for precision in (256, 1024):
        low = evaluate_real(lower, environment, machine, precision=precision)
        high = evaluate_real(upper, environment, machine, precision=precision)
        if low.upper <= value <= high.lower:
            return True
        if value < low.lower or high.upper < value:
            return False
    raise AssertionError("undecided")


@pytest.mark.parametrize("p", PRECISIONS)
@pytest.mark.parametrize("text", [*EXPRESSIONS, *STEPS])
def test_a_float_value_lies_between_its_bounds(text, p):
    machine, program = Machine(p=p), program_of(text)
    found = {sign: derive(program, machine, sign=sign).result for sign in (1, -1)}
    for environment in inputs(p, RUNS):
        value = run_float(program, environment, machine)["y"]
        bounds = found[environment["S"]]
        assert lies_between(value, bounds.lower, bounds.upper, environment, machine), environment


def test_a_faithful_logarithm_stays_within_two_roundings():
    """The other neighbour than the round_nearest one: allowed for ln = 2, and outside the bounds of ln = 1."""
    texts = "ln(U)", EXPRESSIONS[0]
    logarithm, noise = map(expression_of, texts)

    class Faithful(Float):
        def ln(self, e, x):
            near = super().ln(e, x)
            exact_below = evaluate_real(e, {"U": x}, self.machine).upper < near
            return -(next_above if exact_below else next_below)(-near, self.machine.p)

    outside = {1: 0, 2: 0}
    for roundings in outside:
        machine = Machine(p=8, ln_roundings=roundings)
        found, whole = (derive(program_of(text), machine).result for text in texts)
        for environment in inputs(8, 500):
            value = Faithful(machine, environment).of(logarithm)
            outside[roundings] += not lies_between(value, found.lower, found.upper, environment, machine)
            if roundings == 2:
                value = Faithful(machine, environment).of(noise)
                assert lies_between(value, whole.lower, whole.upper, environment, machine)
    assert outside[1] > 100
    assert outside[2] == 0


# The witness, and everything around it at three bits

WITNESS = "(0.75 * 6 + 0.5) - 5"
THREE_BITS = tuple(Fraction(m, 4) * power_of_two(e) for e in range(-1, 3) for m in range(4, 8))


def test_the_witness_is_outside_the_repaired_printed_rules_and_inside_ours():
    machine, expression = Machine(p=3), expression_of(WITNESS)
    assert evaluate_float(expression, {}, machine) == -1
    assert evaluate_real(expression, {}, machine).lower == 0
    printed = [evaluate_real(end, {}, machine).lower for end in derive_as_printed(expression, machine, repaired=True)]
    assert printed == [Fraction(-8, 9), Fraction(1449, 1024)]
    ours = bounds_of(expression, machine, {})
    assert evaluate_real(ours.lower, {}, machine).upper == -1
    assert evaluate_real(ours.upper, {}, machine).lower == Fraction(161, 128)


def small_programs():
    """Yield ((a . b) . c) . d and (c . (a . b)) . d: 48 forms, each with 16**4 choices of the numbers."""
    a, b, c, d = (QueryValue(name=name) for name in "abcd")
    for first, second, third in itertools.product("+-*/", "+-*", "+-"):
        inner = BINARY[first](left=a, right=b)
        for middle in ((inner, c), (c, inner)):
            outer = BINARY[second](left=middle[0], right=middle[1])
            yield BINARY[third](left=outer, right=d)


def all_choices():
    grids = np.meshgrid(*[[float(x) for x in THREE_BITS]] * 4, indexing="ij")
    return {name: grid.ravel() for name, grid in zip("abcd", grids, strict=True)}


@pytest.mark.parametrize("known", first_of([between(Fraction(1, 2), Fraction(7)), between(Fraction(-7), Fraction(7))]))
def test_at_three_bits_every_small_program_keeps_to_our_rules(known):
    """With signs known to the rules, and without (there a quotient has no derivation)."""
    machine, programs, broken, arrays = Machine(p=3), 0, 0, all_choices()
    for expression in small_programs():
        if known.nonnegative or "/" not in repr(expression):
            found = bounds_of(expression, machine, dict.fromkeys("abcd", known))
            broken += len(violations(expression, found.lower, found.upper, arrays, machine))
            programs += len(arrays["a"])
    assert broken == 0
    assert programs == (3_145_728 if known.nonnegative else 3_145_728 * 3 // 4)


@pytest.mark.long
def test_at_three_bits_168_small_programs_break_the_repaired_printed_rules():
    machine, programs, broken, arrays = Machine(p=3), 0, 0, all_choices()
    for expression in small_programs():
        lower, upper = derive_as_printed(expression, machine, repaired=True)
        broken += len(violations(expression, lower, upper, arrays, machine))
        programs += len(arrays["a"])
    assert (programs, broken) == (3_145_728, 168)


def random_program(rng: random.Random, depth: int):
    """Return an expression over a, b, c, d with constants, minus, rounding to a grid, magnitudes and signs."""
    if depth == 0 or rng.random() < 0.15:
        constant = Constant(value=Fraction(rng.randint(1, 60), rng.choice((3, 4, 5, 8))))
        return constant if rng.random() < 0.2 else QueryValue(name=rng.choice("abcd"))
    match rng.randrange(12):
        case 0:
            return Negation(operand=random_program(rng, depth - 1))
        case 1:
            return Rounding(
                grid=rng.choice((Fraction(1, 2), Fraction(2), Fraction(3))), operand=random_program(rng, depth - 1)
            )
        case 2:
            function = FUNCTIONS[rng.choice(("floor", "rint", "abs", "sign"))]
            return function(operand=random_program(rng, depth - 1))
    left, right = random_program(rng, depth - 1), random_program(rng, depth - 1)
    return BINARY[rng.choice("++--**/")](left=left, right=right)


@pytest.mark.parametrize("most", first_of([128, 512]))
def test_sampled_programs_of_three_bits_keep_to_our_rules(most):
    """So many forms with 200 choices of the numbers each; some ranges tell the rules a sign, some do not."""
    rng, machine, forms, refused = random.Random(20), Machine(p=3), 0, 0
    while forms < most:
        expression = random_program(rng, 3)
        known = {
            name: rng.choice(
                (
                    between(Fraction(1, 2), Fraction(7)),
                    between(Fraction(-7), Fraction(-1, 2)),
                    between(Fraction(-7), Fraction(7)),
                )
            )
            for name in "abcd"
        }
        try:
            found = bounds_of(expression, machine, known)
        except ProgramError:
            refused += 1
            continue
        arrays = {name: choices(rng, known[name]) for name in "abcd"}
        assert violations(expression, found.lower, found.upper, arrays, machine) == []
        first = {name: Fraction(values[0]) for name, values in arrays.items()}
        assert np.broadcast_to(floats(expression, arrays, 3), 200)[0] == evaluate_float(expression, first, machine)
        forms += 1
    assert 0 < refused < forms  # a divisor that may be zero, and nothing else


def choices(rng, known):
    signs = [sign for sign in (1, -1) if (known.lower < 0 or sign == 1) and (known.upper > 0 or sign == -1)]
    return np.array([float(rng.choice(THREE_BITS) * rng.choice(signs)) for _ in range(200)])


def test_the_rules_read_literally_fail_in_most_runs():
    """Lower bounds made from maxima and upper ones from minima; our rules hold in every one of these runs."""
    outside = runs = 0
    for text, p in itertools.product(EXPRESSIONS, (5, 24, 53)):
        machine, expression = Machine(p=p), expression_of(text)
        lower, upper = derive_as_printed(expression, machine, repaired=False)
        for environment in inputs(p, 30):
            value = evaluate_float(expression, environment, machine)
            outside += not lies_between(value, lower, upper, environment, machine)
            runs += 1
    assert runs == 540
    assert outside / runs > 0.5


@pytest.mark.long
def test_at_four_bits_every_small_program_keeps_to_our_rules():
    """48 forms, 32**4 choices of the numbers: fifty million programs."""
    numbers = [m / 8 * 2.0**e for e in range(-1, 3) for m in range(8, 16)]
    machine, known, broken = Machine(p=4), dict.fromkeys("abcd", between(Fraction(1, 2), Fraction(15, 2))), 0
    for expression, a in itertools.product(small_programs(), numbers):
        grids = np.meshgrid([a], numbers, numbers, numbers, indexing="ij")
        arrays = {name: grid.ravel() for name, grid in zip("abcd", grids, strict=True)}
        found = bounds_of(expression, machine, known)
        broken += len(violations(expression, found.lower, found.upper, arrays, machine))
    assert broken == 0


OWN = {"round": {"grid": Fraction(1, 4)}, "clamp": {"lower": Fraction(-1, 10), "upper": Fraction(64)}}


@pytest.mark.parametrize("machine", [Machine(p=5), Machine(p=5, sum="exact")], ids=["rounded sums", "exact sums"])
@pytest.mark.parametrize("kind", sorted((each for each in PROGRAMS if each._parts), key=lambda each: each.word))
def test_every_operation_keeps_between_its_bounds_whatever_bits_its_operand_has(kind, machine):
    low = Fraction(1, 4) if kind.word == "ln" else Fraction(-4)
    operands = (
        BINARY["+"](left=QueryValue(name="f"), right=Constant(value=Fraction(1, 3))),
        Constant(value=Fraction(7, 3)),
    )
    tree = kind(**OWN.get(kind.word, {}), **dict(zip(kind._parts, operands, strict=False)))
    quarter = BINARY["/"](left=tree, right=Constant(value=Fraction(4)))
    query = Query(name="f", lower=low, upper=Fraction(4), sensitivity=Fraction(1))
    lines = (Assignment(name="y", expression=quarter),)
    program = Program(name="p", parameters=(), queries=(query,), statements=lines, result="y")
    for step in range(16 * int(low), 65):
        if step >= 16 * low:
            evaluation = evaluate(program, machine, {"f": Fraction(step, 16)})
            assert evaluation.is_sound, (kind.word, step)
