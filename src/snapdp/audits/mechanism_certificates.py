"""The certificates of mechanisms in finite precision that a record names: those beside it are read and compared.

Room: audits. A certificate is looked for where one belongs: its name follows from its digest. Its bytes must be those
of the digest, and it must be of this very mechanism: program, machine and claim are made again from the parameters, and
the checker of certificates must accept it. Of what is not there only the form of the digest is known: that is said.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from snapdp.audits.beside import SHA256
from snapdp.audits.findings import Finding
from snapdp.release import Drawn, MechanismCertificate, digest_of
from snapdp.values import Value
from snapdp.verifier import LARGEST_TEXT, fault_of_certificate

MOST_BYTES = 4 * LARGEST_TEXT  # of the longest text that the checker of certificates takes


class NamedCertificate(Value):
    """A certificate that a record names, and whether it lies beside it.

    claim   what it must claim: that the mechanism of a cell loses no more in one step
    steps   in how many a neighbour moves the cells of the parts that name it; the claim times these is their epsilon
    """

    name: str
    beside: bool
    claim: Fraction
    steps: tuple[int, ...] = (1,)

    @property
    def in_words(self) -> str:
        """Return what it claims, and of what that is a part: 1/6, one of 3 steps of 1/2."""
        return ", ".join([str(self.claim), *(f"one of {k} steps of {k * self.claim}" for k in self.steps if k > 1)])


class CertificatesBeside:
    """The certificates in the directory of a record; none is looked for where there is no directory."""

    def __init__(self, directory: Path | None) -> None:
        self._directory = directory
        self._named: dict[str, NamedCertificate] = {}

    @property
    def named(self) -> tuple[NamedCertificate, ...]:
        """Return those that were asked for, each once."""
        return tuple(self._named.values())

    def part(
        self, field: str, stated: Mapping[str, Any], drawn: Drawn
    ) -> Generator[Finding, None, MechanismCertificate | None]:
        """Yield what is wrong with the certificate of a part; return how it must be stated; None where none belongs."""
        if drawn.line.arithmetic is None:
            return None
        digest = stated["certificate"]["digest"] if "certificate" in stated else ""
        found = MechanismCertificate(digest=digest if SHA256.fullmatch(digest) else "sha256: and 64 digits")
        path = None if self._directory is None else self._directory / found.name
        beside = path is not None and os.path.isfile(path)
        self._note(found.name, drawn, beside=beside)
        if path is not None and beside and (fault := _fault(path, found.digest, drawn)) is not None:
            should, about = fault
            yield Finding(field=f"{field}.certificate", says=found.name, should=should, about=about)
        return found

    def _note(self, name: str, drawn: Drawn, *, beside: bool) -> None:
        earlier = self._named[name].steps if name in self._named else ()
        steps = tuple(sorted({*earlier, drawn.part.steps or 1}))
        claim = drawn.mechanism.parameters.epsilon
        self._named[name] = NamedCertificate(name=name, beside=beside, claim=claim, steps=steps)


def _fault(path: Path, digest: str, drawn: Drawn) -> tuple[str, str] | None:
    """Return what should lie where a certificate belongs, and the file if that is another than the record names."""
    if digest_of(path, most=MOST_BYTES) != digest:
        return f"a file with {digest}", path.name
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(LARGEST_TEXT + 1)
    except (OSError, ValueError):
        return "a file that can be read", path.name
    fault = fault_of_certificate(text, drawn.mechanism.parameters)
    return None if fault is None else (f"the certificate of this mechanism: {fault}", "")
