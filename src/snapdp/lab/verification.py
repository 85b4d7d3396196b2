"""What can be judged, and its verdict: programs, Python functions, and mechanisms in finite precision.

A program is given as itself, as its text, as a path or as the name of a bundled one; `FILE.py:function` names an
audited function, and the file is run. The machine is the one that is given, else the one that the text states.
"""

from __future__ import annotations

import os
from fractions import Fraction

from snapdp.api.snapping import Snapping
from snapdp.errors import ParameterError
from snapdp.lab import mechanism
from snapdp.lab.language.audited import Audited, audited_function, names_a_function
from snapdp.lab.language.parser import load_program, machine_in, parse, stated_machine
from snapdp.lab.language.syntax import Program
from snapdp.lab.loss import certificate as certificates, verdict as verdicts
from snapdp.lab.loss.verdict import Verdict
from snapdp.lab.mechanism import MechanismProgram
from snapdp.lab.semantics.machine import Machine, parse_machine

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
            return mechanism.program_of_mechanism(subject.parameters)
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

    claim   a number (the total loss), "note", "mironov" or "tight"; by default the subject's own, else "note"

    >>> from snapdp import Snapping
    >>> verify(Snapping(epsilon="0.9", sensitivity=1, lower=0, upper=100, arithmetic="proved")).kind
    'VERIFIED'
    """
    if isinstance(subject, str) and names_a_function(subject):
        subject = audited_function(subject)
    if isinstance(subject, Audited):  # which may claim epsilon alone
        return subject.verify(machine=machine, claim=claim)
    if isinstance(subject, Snapping) and not machine:
        return mechanism.verify_mechanism(subject.parameters, claim=claim)
    judged = program(subject, machine=machine)
    return verdicts.verify(judged.program, judged.machine, claim=claim)


def certificate(subject: Judged | Verdict) -> str:
    """Return the certificate of a verdict, or of what can be judged: JSON for `snapdp verify`.

    The checker, which shares no code with the verifier, has accepted it.
    """
    if isinstance(subject, Snapping):
        return mechanism.mechanism_certificate(subject.parameters)
    return certificates.certificate_text(subject if isinstance(subject, Verdict) else verify(subject))
