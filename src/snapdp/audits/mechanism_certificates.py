"""The certificates of mechanisms in finite precision that a record names: those beside it are read and compared.

Room: audits. A certificate is looked for where one belongs: its name follows from its digest. Its bytes must be those
of the digest, and it must be of this very mechanism: program, machine and claim are made again from the parameters, and
the checker of certificates must accept it. Of what is not there only the form of the digest is known: that is said.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

from snapdp.audits.beside import SHA256
from snapdp.audits.findings import Finding
from snapdp.release import Drawn, MechanismCertificate, digest_of
from snapdp.values import Value
from snapdp.verifier import LARGEST_TEXT, fault_of_certificate


class NamedCertificate(Value):
    """A certificate that a record names, and whether it lies beside it."""

    name: str
    beside: bool


class CertificatesBeside:
    """The certificates in the directory of a record; none is looked for where there is no directory."""

    def __init__(self, directory: Path | None) -> None:
        self._directory = directory
        self._named: dict[str, bool] = {}

    @property
    def named(self) -> tuple[NamedCertificate, ...]:
        """Return those that were asked for, each once."""
        return tuple(NamedCertificate(name=name, beside=beside) for name, beside in self._named.items())

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
        self._named[found.name] = beside
        if path is not None and beside:
            fault = _fault(path, found.digest, drawn)
            if fault is not None:
                yield Finding(field=f"{field}.certificate", says=found.name, should=fault)
        return found


def _fault(path: Path, digest: str, drawn: Drawn) -> str | None:
    """Return what is wrong with a file that lies where a certificate belongs."""
    if digest_of(path) != digest:
        return f"a file with {digest}"
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(LARGEST_TEXT + 1)
    except (OSError, ValueError):
        return "a file that can be read"
    fault = fault_of_certificate(text, drawn.mechanism.parameters)
    return None if fault is None else f"the certificate of this mechanism: {fault}"
