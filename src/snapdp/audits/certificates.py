"""Certificates and their checkers: none of a release is written unaccepted, and each goes to the checker of its kind.

Room: audits. The checkers themselves are single files that can be copied out and run alone.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any, TextIO

from snapdp.audits import check_release
from snapdp.audits.release_audit import release_certificate
from snapdp.errors import PremiseError
from snapdp.verifier import LARGEST_TEXT, RELEASES, Refusal, examine

Proved = dict[str, list[str]]


def accepted_certificate(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the certificate of a sound release; refuse one that the independent checker does not accept."""
    made: dict[str, Any] = json.loads(json.dumps(release_certificate(record)))
    try:
        faults = check_release.check(made)
    except check_release.Refused as refusal:
        faults = [str(refusal)]
    if faults:
        raise PremiseError(
            f"the independent checker does not accept the certificate: {faults[0]}.",
            "It is not written. The audit above holds; please report what the checker says.",
        )
    return made


def examined(file: TextIO, directory: str | None = None) -> tuple[str | None, Proved | None]:
    """Return why a certificate is refused, or what it proves: asked of the checker of its format.

    directory   where the certificates that a release names are looked for
    """
    text = file.read(check_release.MOST_BYTES)
    try:
        found = json.loads(text, object_pairs_hook=check_release.unrepeated)
        if isinstance(found, dict) and "statistics" in found and "format" not in found:
            return "this is the record of a release, not a certificate: audit it with `snapdp verify`", None
        if not (isinstance(found, dict) and str(found.get("format")).startswith(RELEASES)):
            return None, examine(text[: LARGEST_TEXT + 1])
        faults = check_release.check(found)
        named: list[str] = []
        if not faults:
            faults, named = check_release.beside(found["record"], os.devnull if directory is None else directory)
        if not faults and directory is not None:
            faults = list(_refused_beside(found["record"], directory))
    except (Refusal, check_release.Refused) as refusal:
        return str(refusal), None
    return (faults[0], None) if faults else (None, _of_a_release(found, named))


def _refused_beside(record: Any, directory: str) -> Iterator[str]:
    """Yield why certificates of mechanisms beside an accepted release are refused: asked of the checker of their kind.

    That of releases, which is copied out and run alone, compares program, machine and claim, and knows no more.
    """
    named = {name for name, *_ in check_release.certificates(record)} if record["arithmetic"] != "exact" else set[str]()
    for name in sorted(named):
        path = os.path.join(directory, name)
        if not os.path.isfile(path):
            continue
        try:
            with open(path, encoding="utf-8") as file:
                examine(file.read(LARGEST_TEXT + 1))
        except Refusal as refusal:
            yield f"{name}: {refusal}"
        except (OSError, ValueError, RecursionError):
            yield f"{name}: no certificate that can be read"


def _of_a_release(found: Any, named: list[str]) -> Proved:
    """Return what an accepted certificate of a release says; its names and titles follow from nothing: left out."""
    unopened = check_release.unopened(found["record"])
    follows = "every number that stands in the record follows from its declarations and its grid indices"
    looked = [follows, *([f"{unopened}: only `snapdp verify` of the record looks at them"] if unopened else [])]
    claim = f"the release is {found['claim']}-differentially private, if the premises hold"
    also = {"also": named} if named else {}
    premises = check_release.PROVED if named else check_release.PREMISES
    return {"release": looked, "claim": [claim], **also, "premises": premises.split(", ")}
