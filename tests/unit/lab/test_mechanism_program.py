"""The mechanism and the verifier meet: the program has the mechanism's law, and rule "proved" is always verified."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from snapdp import FinitePrecision, Snapping, lab
from snapdp.audits import check_program as check
from snapdp.errors import PremiseError, SnapdpError
from snapdp.exact.dyadic import power_of_two, power_of_two_at_least, round_up
from snapdp.lab.language.parser import parse
from snapdp.lab.loss.certificate import certificate_text
from snapdp.lab.loss.exact_loss import ProgramLaw
from snapdp.lab.loss.verdict import verify
from snapdp.lab.report.verdict import mechanism_text
from snapdp.lab.semantics.machine import Machine, PositiveFloats, parse_machine
from snapdp.lab.verification import program_of_mechanism, verify_mechanism
from snapdp.mechanism.finite_precision import explicit_parameters
from snapdp.mechanism.law.finite import proved_loss
from snapdp.mechanism.law.law import law_of
from snapdp.mechanism.parameters import Precision
from tests.unit.lab.snaps import judged

NOTES = {"epsilon": "0.9", "sensitivity": 1, "lower": -1000, "upper": 1000, "arithmetic": "notes", "bits": 118}


# The program is the mechanism


@pytest.mark.parametrize(
    ("p", "scale", "grid", "bound"),
    [(2, "3/2", 1, 3), (4, "5/4", 2, 6), (5, "2", 1, 4), (6, "7/8", "1/2", 2), (8, "5", 8, 20)],
)
def test_the_program_has_the_law_of_the_mechanism_at_few_bits(p, scale, grid, bound):
    parameters = explicit_parameters(
        noise_scale=Fraction(scale), grid=Fraction(grid), bound=Fraction(bound), precision=Precision.of(p)
    )
    made = program_of_mechanism(parameters)
    execution, shape = judged(made.program, made.machine)
    indices = range(parameters.low, parameters.high + 1)
    outputs = [parameters.inner_value(index) for index in indices]
    for k in range(-8, 9):
        value = parameters.value_upper * Fraction(k, 8)
        law = law_of(value, parameters)
        of_program = ProgramLaw(execution, value, shape)
        found = [of_program.probability(output) for output in outputs]
        assert [mass.lower for mass in found] == [law.index_probability(index).lower for index in indices]
        assert all(mass.is_exact for mass in found)


def test_the_program_has_the_law_of_the_mechanism_at_118_bits():
    mechanism = Snapping(**NOTES)
    p, made = mechanism.parameters, lab.program(mechanism)
    execution, shape = judged(made.program, made.machine)
    law, found = mechanism.law("10.5"), ProgramLaw(execution, Fraction("10.5"), shape)
    for index in (p.low, -40, -1, 0, 5, 6, 30, p.high):
        assert found.probability(p.inner_value(index)) == law.index_probability(index)


def test_a_program_with_another_noise_scale_has_another_law():
    mechanism = Snapping(**NOTES)
    scale = mechanism.parameters.noise_scale
    text = lab.program(mechanism).text.replace(str(scale), str(scale + power_of_two(-112)))
    execution, shape = judged(parse(text), lab.program(mechanism).machine)
    law, found = mechanism.law(0), ProgramLaw(execution, Fraction(0), shape)
    assert found.probability(Fraction(-20)) != law.index_probability(-10)


# Its text


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"arithmetic": "proved", "bits": None, "sensitivity": "0.1", "lower": "0.3", "upper": 1},
        {"lower": -7, "upper": -6, "epsilon": "1/3", "arithmetic": "proved"},
        {"epsilon": 1, "lower": 0, "upper": 4, "arithmetic": "proved", "grid": 2, "bound": 2},  # V, Lambda and B are 2
        {"sensitivity": 2, "step": "1/4"},
    ],
)
def test_the_text_of_a_program_is_read_back_as_the_same_tree(changes):
    made = lab.program(Snapping(**(NOTES | changes)))
    assert parse(str(made)) == made.program
    assert parse_machine(made.text.split("// Machine: ")[1].split("\n")[0]) == made.machine
    assert "clamp[V](f(D))" in made.text or "clamp[B](f(D))" in made.text
    assert "claim loss <= eps;" in made.text


# What has no program


@pytest.mark.parametrize("ask", ["program", "verify", "certificate"])
def test_in_exact_arithmetic_the_loss_is_epsilon_by_construction(ask):
    exact = Snapping(epsilon="0.9", sensitivity=1, lower=0, upper=10)
    with pytest.raises(PremiseError, match="the loss is epsilon itself, by construction"):
        getattr(lab, ask)(exact)


def test_steps_of_different_precision_are_no_machine():
    precision = Precision(uniform=8, logarithm=9, product=8)
    mixed = explicit_parameters(noise_scale=Fraction(1), grid=Fraction(1), bound=Fraction(4), precision=precision)
    with pytest.raises(PremiseError, match="different precisions"):
        program_of_mechanism(mixed)


# Verdicts


@pytest.mark.parametrize(("bits", "slack"), [(24, "0.001"), (53, "1e-11"), (12, "2"), (10, "9")])
def test_few_bits_with_a_declared_slack_are_verified_against_what_they_cost(bits, slack):
    words = {"epsilon": "0.9", "sensitivity": 1, "lower": 0, "upper": 40}
    few = Snapping(**words, arithmetic=FinitePrecision(bits=bits, slack=slack))
    verdict = verify_mechanism(few.parameters, evaluations=4)
    assert (verdict.kind, verdict.claim.value) == ("VERIFIED", Fraction("0.9") + Fraction(slack))
    assert verdict.upper > Fraction("0.9")
    assert "claim loss <= eps + slack;" in lab.program(few).text
    assert parse(lab.program(few).text) == lab.program(few).program
    assert check.check(lab.certificate(few)) is None
    shown = mechanism_text(few.parameters, verdict)
    assert "apart by more than epsilon + slack =" in shown


def test_the_notes_mechanism_of_the_notes_example_is_verified():
    verdict = lab.verify(Snapping(**NOTES))
    assert (verdict.kind, verdict.claim.value) == ("VERIFIED", Fraction(9, 10))
    assert verdict.lower < verdict.upper < Fraction(9, 10)
    assert verify(verdict.program, Machine(p=118), evaluations=1).upper > verdict.upper


def test_a_mechanism_that_is_not_verified_has_no_certificate():
    """Where the grid is just above the noise scale the constants of the notes are neither proved nor refuted."""
    loose = verify_mechanism(Snapping(**(NOTES | {"epsilon": "8/7"})).parameters, evaluations=20)
    assert loose.kind == "INCONCLUSIVE"
    with pytest.raises(PremiseError, match="nothing to certify"):
        certificate_text(loose)


def configurations(seed: int, count: int, *, rule: str) -> Iterator[Snapping]:
    """Yield random mechanisms among those that the constructor accepts."""
    generator, made = random.Random(seed), 0
    while made < count:
        try:
            mechanism = Snapping(**random_words(generator, rule))
        except SnapdpError:
            continue
        made += 1
        yield mechanism


def random_words(generator: random.Random, rule: str) -> dict[str, Any]:
    """Return words of a mechanism: epsilon from 2**-20 to 20, ranges from narrow to 2**30 sensitivities."""
    factor = generator.choice(
        ("1", "0.9", "5/4", f"{generator.randint(700, 1250)}/1000", f"{generator.randint(5, 8)}/7")
    )
    epsilon = power_of_two(generator.randint(-20, 4)) * Fraction(factor)
    width = power_of_two(generator.randint(-3, 30)) * Fraction(generator.randint(1, 1000), 1000)
    finer = power_of_two_at_least(1 / epsilon) * power_of_two(generator.randint(-8, 6))
    sensitivity, lower = generator.choice((1, "0.1", "3/7", 250)), generator.choice((0, -5, "1e6"))
    bits = generator.choice((None, None, 118, generator.randint(118, 400)))
    return {
        "epsilon": epsilon,
        "sensitivity": sensitivity,
        "lower": lower,
        "upper": Fraction(lower) + width * Fraction(sensitivity),
        "grid": generator.choice((None, None, "fine", "natural", finer)),
        "bound": generator.choice((None, None, None, width / 2)),  # at the last values reach the clamp
        "arithmetic": FinitePrecision(bits=bits, rule=rule),
    }


def require_verified(mechanism: Snapping, evaluations: int | None = None) -> None:
    p = mechanism.parameters
    verdict = verify_mechanism(p, evaluations=evaluations)
    assert verdict.kind == "VERIFIED", repr(mechanism)
    charged = proved_loss(noise_scale=p.noise_scale, grid=p.grid, bound=p.bound, precision=p.precision)
    assert verdict.universal.proved <= charged <= p.epsilon  # not only the formula: the numbers that are computed
    assert verdict.lower is None or verdict.lower <= verdict.universal.proved
    assert check.check(lab.certificate(mechanism)) is None


def test_rule_proved_is_verified_wherever_the_constructor_accepts():
    for mechanism in configurations(14, 20, rule="proved"):
        require_verified(mechanism, evaluations=4)


@pytest.mark.long
def test_rule_proved_is_verified_in_many_configurations():
    for mechanism in configurations(15, 200, rule="proved"):
        require_verified(mechanism)


EXTREME: list[dict[str, Any]] = [
    {"epsilon": "1e-300"},
    {"epsilon": "1e-300", "bound": "1e300", "arithmetic": "notes"},
    {"sensitivity": "1e30"},
    {"sensitivity": "1e300", "upper": "1e303"},
    {"bits": 40},
    {"bits": 4096, "epsilon": "8/7", "arithmetic": "notes"},  # undecided: the longest search
    {"epsilon": 10**6},
    {"gamma": "1e-1000"},
    {"lower": 0, "upper": "1e15", "grid": 1},
]


@pytest.mark.parametrize("changes", [EXTREME[0], *(pytest.param(each, marks=pytest.mark.long) for each in EXTREME[1:])])
def test_a_verdict_costs_a_bounded_number_of_runs_whatever_the_parameters(changes, monkeypatch):
    """At most a dozen runs for each end of a preimage, eight of them for an output; fewer outputs with more bits."""
    runs, number = Counter[str](), PositiveFloats.number

    def counted(draw: PositiveFloats, ordinal: int) -> Any:
        runs["all"] += 1
        return number(draw, ordinal)

    monkeypatch.setattr(PositiveFloats, "number", counted)
    verdict = lab.verify(Snapping(**(NOTES | {"arithmetic": "proved", "bits": None} | changes)))
    tries = (400 if verdict.kind == "VERIFIED" else 2000) * 512 // max(512, verdict.machine.p)
    assert runs["all"] <= 8 * 12 * tries


@pytest.mark.long
def test_rule_notes_is_verified_or_undecided_and_never_refuted():
    mechanisms = configurations(16, 200, rule="notes")
    kinds = Counter(verify_mechanism(each.parameters, evaluations=100).kind for each in mechanisms)
    assert kinds == {"VERIFIED": 144, "INCONCLUSIVE": 56}


def test_a_noise_scale_just_below_that_of_rule_proved_is_refuted():
    """The twin: with noise for epsilon itself, and nothing set aside for rounding, one output loses more."""
    mechanism = Snapping(**(NOTES | {"arithmetic": "proved"}))
    p = mechanism.parameters
    bare = round_up(1 / p.epsilon, 118)
    assert bare < p.noise_scale
    tight = lab.program(mechanism).text.replace(str(p.noise_scale), str(bare))
    assert verify(parse(tight), lab.program(mechanism).machine, evaluations=50).kind == "REFUTED"
