"""What can be judged, and its verdict: programs, Python functions, and mechanisms in finite precision.

A program is given as itself, as its text, as a path or as the name of a bundled one; `FILE.py:function` names an
audited function, and the file is run. The machine is the one that is given, else the one that the text states.
A mechanism in finite precision becomes a program of the verifier's language, with the machine it runs on. Only public
parameters are used. The program counts in sensitivities from the middle of the range, as the mechanism does. What comes
before (quantising, offset, unit) is part of the query, and neighbours are one apart; what comes after is
post-processing. Snap as Liu's note defines it (Definition 2) is language/programs/snap_half.imp.
Theory: docs/theory/finite-precision.md, (1)-(2); docs/theory/verifier-loss.md, (27)-(33).
"""

from __future__ import annotations

import os
from fractions import Fraction
from typing import Any

from snapdp.api.snapping import Snapping
from snapdp.display.numbers import exact_amount, four_digits
from snapdp.errors import ParameterError, PremiseError
from snapdp.exact.numbers import parameter, shown
from snapdp.lab.language.audited import Audited, audited_function, names_a_function
from snapdp.lab.language.parser import load_program, machine_in, parse, stated_machine
from snapdp.lab.language.syntax import (
    Addition,
    Assignment,
    Clamping,
    Constant,
    Logarithm,
    Multiplication,
    Program,
    Query,
    QueryValue,
    Rounding,
    Sample,
    Variable,
    Written,
)
from snapdp.lab.language.text import printed
from snapdp.lab.loss import certificate as certificates, verdict as verdicts
from snapdp.lab.loss.exact_loss import float_at_least, float_at_most
from snapdp.lab.loss.verdict import VERIFIED, Verdict
from snapdp.lab.semantics.machine import Machine, parse_machine
from snapdp.mechanism.parameters import SnappingParameters
from snapdp.values import Value


class MechanismProgram(Value):
    """A mechanism as a program and the machine it runs on; as text it can be parsed again."""

    program: Program
    machine: Machine
    remarks: tuple[str, ...]

    @property
    def text(self) -> str:
        """Return the program as it is written in a file, with what a reader should know above it."""
        return "".join(f"// {line}\n" for line in self.remarks) + printed(self.program)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"MechanismProgram({self.program.name} on p={self.machine.p},sum={self.machine.sum})"


Judged = Program | MechanismProgram | Audited | Snapping | str | os.PathLike[str]


def program(subject: Judged | Verdict, *, machine: Machine | str = "") -> MechanismProgram:
    """Return a program and the machine it runs on; `print` shows a mechanism as the text of a file.

    A mechanism has a program in finite precision only: in exact arithmetic nothing rounds, and the loss is epsilon by
    construction.
    """
    stated = ""
    match subject:
        case Snapping() | MechanismProgram() | Verdict() if machine:
            raise ParameterError("a mechanism has its own program and machine.", "Leave the machine out.")
        case Snapping():
            return program_of_mechanism(subject.parameters)
        case MechanismProgram():
            return subject
        case Verdict():
            return MechanismProgram(program=subject.program, machine=subject.machine, remarks=())
        case Program():
            tree = subject
        case Audited():
            tree = subject.program
        case str() if names_a_function(subject):
            tree = audited_function(subject).program
        case str() if "{" in subject:
            tree, stated = parse(subject), machine_in(subject)
        case _:
            path = os.fspath(subject)
            tree, stated = load_program(path), stated_machine(path)
    chosen = machine if isinstance(machine, Machine) else parse_machine(machine or stated)
    return MechanismProgram(program=tree, machine=chosen, remarks=())


def verify(subject: Judged, *, machine: Machine | str = "", claim: str | Fraction | None = None) -> Verdict:
    """Return the verdict on a claim about the privacy loss: VERIFIED, REFUTED, UNBOUNDED or INCONCLUSIVE.

    claim   a number (the total loss), "note", "mironov" or "tight"; by default the subject's own. Where nothing is
            claimed the verdict is BOUNDED if a bound is certified

    >>> from snapdp import Snapping
    >>> verify(Snapping(epsilon="0.9", sensitivity=1, lower=0, upper=100, arithmetic="proved")).kind
    'VERIFIED'
    """
    if isinstance(subject, str) and names_a_function(subject):
        subject = audited_function(subject)
    if isinstance(subject, Audited):  # which may claim epsilon alone
        return subject.verify(machine=machine, claim=claim)
    if isinstance(subject, Snapping) and not machine:
        return verify_mechanism(subject.parameters, claim=claim)
    judged = program(subject, machine=machine)
    return verdicts.verify(judged.program, judged.machine, claim=claim)


def certificate(subject: Judged | Verdict) -> str:
    """Return the certificate of a verdict, or of what can be judged: JSON for `snapdp verify`.

    The checker, which shares no code with the verifier, has accepted it.
    """
    if isinstance(subject, Snapping):
        quick = verify_mechanism(subject.parameters, evaluations=1)  # a bound needs no search for a witness
        subject = quick if quick.kind == VERIFIED else verify_mechanism(subject.parameters)
    return certificates.certificate_text(subject if isinstance(subject, Verdict) else verify(subject))


# Mechanisms in finite precision


def program_of_mechanism(parameters: SnappingParameters) -> MechanismProgram:
    """Return the program and the machine of a mechanism in finite precision; it claims what the mechanism charges."""
    precision, bound = parameters.precision, parameters.bound
    if precision is None or bound is None:
        raise PremiseError(
            "in exact arithmetic nothing rounds: the loss is epsilon itself, by construction, and there is no program "
            "to judge.",
            'A mechanism with arithmetic="proved" or arithmetic="notes" has one; the proof for this one is in '
            "docs/theory/mechanism.md.",
            epsilon=parameters.epsilon,
        )
    if len({precision.uniform, precision.logarithm, precision.product}) > 1:
        raise PremiseError(
            "the steps of this mechanism have different precisions.", "The machine of a program has one."
        )
    machine = Machine(p=precision.uniform, sum="exact")
    # What f(D) is made of, and what is made of z: offset and unit, left out where they do nothing.
    offset, unit = parameters.offset, parameters.unit
    value, published = "value", "z" if unit == 1 else f"{exact_amount(unit)} * z"
    if parameters.step is not None:
        value = f"(value to the nearest multiple of {exact_amount(parameters.step)})"
    if offset:
        sign, other, size = *(("-", "+") if offset > 0 else ("+", "-")), exact_amount(abs(offset))
        value, published = f"{value} {sign} {size}", f"{published} {other} {size}"
    if unit != 1:
        value = f"({value})/{exact_amount(unit)}" if offset else f"{value}/{exact_amount(unit)}"
    remarks = (
        f"The snapping mechanism for epsilon {exact_amount(parameters.epsilon)}, as snapdp computes it.",
        "Numbers are in sensitivities, counted from the middle of the range:",
        f"f(D) = {value}; published is {published}.",
        f"lambda, a float of {machine.p} bits, is about {four_digits(parameters.noise_scale)}.",
        f"Machine: p={machine.p},sum={machine.sum}",
    )
    return MechanismProgram(program=_program(parameters, bound), machine=machine, remarks=remarks)


def _program(parameters: SnappingParameters, bound: Fraction) -> Program:
    numbers = {"eps": parameters.epsilon, "lambda": parameters.noise_scale, "V": parameters.value_upper}
    numbers |= {"Lambda": parameters.grid, "B": bound}
    numbers |= {"slack": parameters.slack} if parameters.slack else {}
    by_name = {name: Written(Fraction(number), name) for name, number in numbers.items()}
    query, epsilon = QueryValue(name="f"), Variable(name="eps")
    value = Clamping(lower=parameters.value_lower, upper=by_name["V"], operand=query)
    noise = Multiplication(left=Constant(value=by_name["lambda"]), right=Logarithm(operand=Variable(name="U")))
    signed_noise = Multiplication(left=Variable(name="S"), right=noise)
    snapped = Rounding(grid=by_name["Lambda"], operand=Variable(name="y"))
    return Program(
        name="snapping",
        parameters=tuple((name, Fraction(number)) for name, number in numbers.items()),
        queries=(Query(name="f", lower=None, upper=None, sensitivity=Fraction(1)),),
        statements=(
            Sample(name="U", distribution="unif"),
            Sample(name="S", distribution="sign"),
            Assignment(name="y", expression=Addition(left=value, right=signed_noise)),
            Assignment(name="z", expression=Clamping(lower=-bound, upper=by_name["B"], operand=snapped)),
        ),
        result="z",
        # What a release costs: epsilon, and the slack of few bits where one is declared.
        claim=Addition(left=epsilon, right=Variable(name="slack")) if parameters.slack else epsilon,
    )


def verify_mechanism(parameters: SnappingParameters, *, claim: Any = None, evaluations: int | None = None) -> Verdict:
    """Return the verdict on a mechanism in finite precision, against what it charges or another claim."""
    made = program_of_mechanism(parameters)
    return verdicts.verify(made.program, made.machine, claim=claim, evaluations=evaluations)


def mechanism_pair(parameters: SnappingParameters, value: Any, other: Any) -> tuple[Fraction, Fraction]:
    """Return two statistics of neighbours, given in data units, as the program of the mechanism holds them.

    In sensitivities from the middle of the range; what is no float of its bits goes to the next one towards the other.
    """
    one, two = (parameter(each, name="a value of the pair") for each in (value, other))
    for each in (one, two):
        if not parameters.lower <= each <= parameters.upper:
            raise ParameterError(
                f"{shown(each)} is outside of the range [{parameters.lower}, {parameters.upper}].",
                "Give two statistics inside of it.",
            )
    if abs(one - two) > parameters.sensitivity:
        raise ParameterError(
            f"the pair is {shown(abs(one - two))} apart.", f"Neighbours are at most {parameters.sensitivity} apart."
        )
    p = program_of_mechanism(parameters).machine.p
    low, high = sorted(parameters.inner(each) for each in (one, two))
    return float_at_least(low, p), float_at_most(high, p)
