"""The certificates of a release in finite precision: what each mechanism loses, for `snapdp check`.

Room: release. Functions of public parameters: equal mechanisms have one certificate, a file is named by its digest, and
whoever has lost one asks again and gets it again. Made before the charge, so that none can be missing after it.
Theory: docs/theory/finite-precision.md, (19).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

from snapdp.drafts import write_text
from snapdp.mechanism import SnappingParameters
from snapdp.studies import digest
from snapdp.values import Value


class MechanismCertificate(Value):
    """The file of a certificate: the text, or where that is not known nothing, and the digest that names it."""

    digest: str
    text: str = ""

    @classmethod
    def of(cls, text: str) -> Self:
        """Return the file of a text."""
        return cls(digest=digest(text), text=text)

    @property
    def name(self) -> str:
        """Return the name that follows from the digest, as that of a side file does."""
        return f"snapdp-{self.digest.removeprefix('sha256:')[:32]}.certificate.json"

    @property
    def stated(self) -> dict[str, Any]:
        """Return the file as records name it."""
        return {"name": self.name, "digest": self.digest}


@lru_cache(maxsize=4096)
def certificate_of(parameters: SnappingParameters) -> MechanismCertificate:
    """Return the certificate of a mechanism in finite precision, which the checker has accepted."""
    from snapdp.verifier import mechanism_certificate

    return MechanismCertificate.of(mechanism_certificate(parameters))


def write_certificates(certificates: Iterable[MechanismCertificate], directory: Path) -> None:
    """Write certificates beside a record, each whole or not at all."""
    for each in {each.name: each for each in certificates}.values():
        write_text(each.text, directory / each.name)


def named_in(record: dict[str, Any], certificates: Iterable[MechanismCertificate]) -> Iterator[MechanismCertificate]:
    """Yield those that a record names: an answer of another version of this library may have others."""
    stated = stated_in(record)
    return (each for each in certificates if each.stated in stated)


def stated_in(record: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the certificates as a record names them, one for each of its parts."""
    parts = (part for statistic in record["statistics"] for part in statistic["parts"])
    return [part["certificate"] for part in parts if "certificate" in part]
