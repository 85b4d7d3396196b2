"""Python functions become the programs that they are; what no program can say is refused with its line."""

# ruff: noqa: N803, N806, ARG001
from __future__ import annotations

import math
import operator
import random
import sys
from decimal import Decimal
from fractions import Fraction
from random import Random, gauss

import numpy as np
import pytest

import snapdp
from snapdp.errors import ProgramError
from snapdp.lab.language.parser import load_program
from snapdp.lab.language.syntax import BINARY, Constant
from snapdp.lab.language.text import printed
from snapdp.lab.language.tracing import clamp, ln, round_to
from snapdp.lab.loss.verdict import verify
from snapdp.lab.report.verdict import headline
from tests.unit.lab.mechanisms import PAIRS, snap_half, snap_mul

GENERATOR = np.random.default_rng(1)
OWN = Random(1)
COUNTED = (x for x in range(3))


def audited(function, **settings):
    return snapdp.lab.audit(**settings)(function)


# The same program


@pytest.mark.parametrize("pair", [pair for pair in PAIRS if pair is not snap_mul], ids=lambda pair: pair.__name__)
def test_a_function_is_the_program_written_by_hand(pair):
    assert pair.program == load_program(pair.__name__)


def test_numbers_that_python_computes_once_are_constants_of_the_program():
    """1/eps is a double before it meets a symbol: the program has that double, and the loss that goes with it."""
    assert printed(snap_mul.program).count("3.3333333333333335 * S * ln(U)") == 1
    traced, written = (verify(each, evaluations=2) for each in (snap_mul.program, load_program("snap_mul")))
    assert (traced.kind, traced.upper, traced.shape) == (written.kind, written.upper, written.shape)


def test_loops_over_numbers_are_written_out():
    def mechanism(f, U):
        for k in (1, 2):
            f = f * k
        return f + U

    assert len(audited(mechanism).program.statements) == 4


def test_declarations_and_draws():
    def mechanism(value, noise, coin, *, eps=0.25):
        return value + noise

    program = audited(
        mechanism,
        query=(0, "4/eps"),
        sensitivity="1/2",
        claim="1/4",
        draws={"noise": "laplace(1/eps)", "coin": "bernoulli(1/2)"},
    ).program
    assert (program.queries[0].upper, program.queries[0].sensitivity) == (16, Fraction(1, 2))
    assert program.claim == BINARY["/"](left=Constant(value=Fraction(1)), right=Constant(value=Fraction(4)))
    assert [(s.distribution, s.argument) for s in program.statements[:2]] == [
        ("laplace", 4),
        ("bernoulli", Fraction(1, 2)),
    ]


def test_the_tracer_leaves_the_debugger_alone():
    before = sys.gettrace()
    assert audited(lambda f, U: f + U).program.name == "mechanism"
    assert sys.gettrace() is before


# Refused, with the line: each function says how far below its `def` the line lies


def _helper(f):
    return f + gauss(0, 1)


def branch(f, U, S):
    if f > 0:
        return f
    return f + U


def equality(f, U, S):
    return f * (f == U)


def loop_over_data(f, U, S):
    for each in f:
        U = U + each
    return U


def library_exp(f, U, S):
    return f + math.exp(U)


def two_digits(f, U, S):
    return round(f + U, 2)


def ceiling(f, U, S):
    y = f + U
    return math.ceil(y)


def numpy_cube_root(f, U, S):
    return np.cbrt(f) * U


def numpy_out(f, U, S):
    return np.add(f, U, out=np.zeros(()))


def into_array(f, U, S):
    return np.asarray(f) + U


def summed(f, U, S):
    return sum([f, U, S])


def operated(f, U, S):
    return operator.mul(f, U)


def exact_clip(f, U, S):
    return np.clip(f + U, Fraction(-1, 3), 1)


def too_large(f, U, S):
    return f + 10**400 * U


def decimal(f, U, S):
    return f + Decimal("0.1") * U


def power(f, U, S):
    return f**2 + U


def single(f, U, S):
    return f * np.float32(0.1) + U


def unknown_grid(f, U, S):
    return round_to(f, U)


def no_grid(f, U, S):
    return round_to(f + U, 0)


def crossed(f, U, S):
    return clamp(f + U, 1, -1)


def infinite(f, U, S):
    return f + U * float("inf")


def too_deep(f, U, S):
    for _ in range(300):
        f = f + U
    return f


def broken(f, U, S):
    y = f + U
    return y + undefined_name  # noqa: F821


def numpy_random(f, U, S):
    scale = 2.0
    return f + np.random.laplace(0, scale)


def python_random(f, U, S):
    return f + random.random()


def imported_from_numpy(f, U, S):
    from numpy import random as dice

    return f + dice.normal()


def global_generator(f, U, S):
    return f + GENERATOR.laplace()


def global_instance(f, U, S):
    return f + OWN.random()


def function_of_random(f, U, S):
    return f + gauss(0, 1)


def generator_object(f, U, S):
    return f + next(COUNTED)


def inner(f, U, S):
    draw = lambda: np.random.laplace()  # noqa: E731
    return f + draw()


REFUSED = [
    (branch, 1, "branch"),
    (equality, 1, "branch"),
    (loop_over_data, 1, "loop"),
    (library_exp, 1, "converted"),
    (two_digits, 1, "decimals"),
    (ceiling, 2, "ceil"),
    (numpy_cube_root, 1, "numpy.cbrt"),
    (numpy_out, 1, "numpy.add"),
    (into_array, 1, "converted"),
    (power, 1, "pow"),
    (single, 1, "float32"),
    (summed, 1, "a function asks"),
    (operated, 1, "a function asks"),
    (exact_clip, 1, "with a Fraction such as -1/3 may return no double"),
    (too_large, 1, "beyond the range"),
    (decimal, 1, "a Decimal is no number"),
    (unknown_grid, 1, "the grid depends"),
    (no_grid, 1, "not positive"),
    (crossed, 1, "above its upper end"),
    (infinite, 1, "not a finite number"),
    (too_deep, 2, "101 deep"),
    (broken, 2, "NameError"),
    (numpy_random, 2, "np.random is the module"),
    (python_random, 1, "random is the module"),
    (imported_from_numpy, 1, "numpy.random is the module"),
    (global_generator, 1, "GENERATOR is a source"),
    (global_instance, 1, "OWN is a source"),
    (function_of_random, 1, "gauss is a method"),
    (generator_object, 1, "COUNTED is a generator"),
    (inner, 1, "np.random is the module"),
]


@pytest.mark.parametrize(("function", "below", "said"), REFUSED, ids=lambda x: getattr(x, "__name__", None))
def test_what_no_program_can_say_is_refused_with_its_line(function, below, said):
    line = function.__code__.co_firstlineno + below
    with pytest.raises(ProgramError, match=rf"test_audited.py, line {line}: .*{said}") as refused:
        _ = audited(function).program
    assert refused.value.numbers["line"] == line


@pytest.mark.parametrize(
    ("text", "said"),
    [("x" * 5000, f"ValueError: {'x' * 197}..."), ("a\x1b[2Jb\nc", "ValueError: a\\x1b[2Jb\\nc"), ("", "ValueError")],
)
def test_what_a_function_says_when_it_fails_is_one_short_line(text, said):
    def failing(f, U, S):
        raise ValueError(text)

    with pytest.raises(ProgramError) as refused:
        _ = audited(failing).program
    assert refused.value.problem.endswith(f"failing failed with {said}")


def test_a_captured_generator_is_refused():
    generator = np.random.default_rng(2)

    def mechanism(f, U):
        return f + generator.random()

    with pytest.raises(ProgramError, match=r"line \d+: generator is a source of random numbers \(Generator\)"):
        _ = audited(mechanism).program


def test_a_function_that_calls_one_that_draws_is_refused_where_that_draws():
    def mechanism(f, U):
        return _helper(f) + U

    line = _helper.__code__.co_firstlineno + 1
    with pytest.raises(ProgramError, match=f"line {line}: gauss is a method .*: mechanism draws by itself"):
        _ = audited(mechanism).program


def test_a_refusal_that_the_function_catches_is_a_refusal_still():
    def mechanism(f, U):
        try:
            if f > 0:
                return f
        except Exception:
            pass
        return f + U

    with pytest.raises(ProgramError, match="branch"):
        _ = audited(mechanism).program


def no_arguments():
    return 1


def starred(*f):
    return f


def with_default(f, U=0.5):
    return f + U


def unknown_draw(f, noise):
    return f + noise


def reserved(f, ln):
    return f + ln


def yielding(f, U):
    yield f + U


def constant(f, U):
    return 3


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (no_arguments, "no argument for the private value"),
        (starred, "f is neither a plain argument"),
        (with_default, "U is neither a plain argument"),
        (unknown_draw, "what is drawn for noise is not known"),
        (reserved, "ln is no name a program can have"),
        (yielding, "generator or a coroutine"),
        (constant, "returns a int, which does not depend"),
    ],
)
def test_functions_of_another_form_are_refused(function, said):
    with pytest.raises(ProgramError, match=said):
        _ = audited(function).program


def test_a_decorator_without_parentheses_says_what_to_type():
    with pytest.raises(ProgramError, match="says nothing about the private value") as refused:

        @snapdp.lab.audit
        def release(f, U):
            return f + U

    assert "@snapdp.lab.audit(query=(-64, 64), epsilon=0.5)" in refused.value.advice


def test_settings_that_make_no_sense_are_refused():
    with pytest.raises(ProgramError, match="given both"):
        snapdp.lab.audit(epsilon=1, claim=1)
    with pytest.raises(ProgramError, match="cannot be audited"):
        audited(len)
    with pytest.raises(ProgramError, match="W is no argument"):
        _ = audited(lambda f, U: f + U, draws={"W": "unif"}).program
    with pytest.raises(ProgramError, match="the declaration of"):
        _ = audited(lambda f, U: f + U, query=(1, 0)).program


# Judged


def test_the_finite_precision_definition_is_verified():
    verdict = snap_half.verify(machine="p=53")
    assert verdict.kind == "VERIFIED"
    assert verdict.upper <= Fraction("0.50000000000003134386")
    assert snap_half.verify(machine="p=53,sampler=grid53", claim="note").kind == "REFUTED"


@pytest.mark.parametrize(
    ("epsilon", "scale", "kind"),
    [
        (0.5, 2, "VERIFIED"),
        (0.1, 1 / 0.1, "VERIFIED"),  # a scale that the machine rounds
        ("1/3", 3, "VERIFIED"),
        (0.3, 1 / 0.3, "VERIFIED"),
        (0.5, 3, "VERIFIED"),  # more noise than needed
        (0.5, 1.9999999, "REFUTED"),
        (0.5, 1, "REFUTED"),
    ],
)
def test_an_epsilon_leaves_room_for_roundings_and_for_nothing_else(epsilon, scale, kind):
    def mechanism(f, U, S):
        return clamp(round_to(f + scale * S * ln(U), 16), 64)

    program, exact = audited(mechanism, query=(-64, 64), epsilon=epsilon).program, Fraction(str(epsilon))
    verdict = verify(program, epsilon=exact, evaluations=60)
    room = verdict.claim.value - exact
    assert (verdict.kind, program.claim) == (kind, None)
    assert 0 < room < exact * Fraction(1, 10**12)
    assert f"(epsilon {exact} and {float(room):.2g} for roundings)" in headline(verdict)


def test_an_epsilon_is_claimed_as_it_is_where_no_bound_is_known():
    verdict = audited(lambda f, U, S: f + S * ln(U) / 0.5, query=(-64, 64), epsilon=0.5).verify()
    assert (verdict.kind, verdict.claim.name, verdict.claim.value) == ("REFUTED", "epsilon 1/2", Fraction(1, 2))
    with pytest.raises(snapdp.SnapdpError, match="negative"):
        audited(lambda f, U: f + U, epsilon=-1).verify()
