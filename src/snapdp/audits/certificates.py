"""Certificates and their checkers: none of a release is written unaccepted, and each goes to the checker of its kind.

The checkers themselves are single files that can be copied out and run alone. There are three verdicts: a fault of a
checker, or of the machine it runs on, neither accepts a certificate nor refuses it.
"""

from __future__ import annotations

import json
import os

from snapdp.audits import check_release
from snapdp.audits.release_audit import is_certificate, release_certificate
from snapdp.errors import PremiseError
from snapdp.values import Facts, Value, Values

ACCEPTED, REFUSED, COULD_NOT_CHECK = "ACCEPTED", "REFUSED", "COULD NOT CHECK"
Proved = dict[str, list[str]]


class Examination(Value):
    """What a checker says of a certificate.

    verdict   ACCEPTED, REFUSED or COULD NOT CHECK
    reason    why it is refused, or what failed; None where it is accepted
    proved    what an accepted certificate says, by topic
    """

    verdict: str
    reason: str | None = None
    proved: Proved | None = None

    @property
    def accepted(self) -> bool:
        return self.verdict == ACCEPTED


def accepted_certificate(record: Facts) -> Values:
    """Return the certificate of a sound release; refuse one that the independent checker does not accept."""
    made: Values = json.loads(json.dumps(release_certificate(record)))
    try:
        faults = check_release.check(made)
    except Exception as problem:
        raise PremiseError(
            f"the certificate could not be checked: {check_release.failure(problem)}.",
            "It is not written. The audit above holds; please report what failed.",
        ) from None
    if faults:
        raise PremiseError(
            f"the independent checker does not accept the certificate: {faults[0]}.",
            "It is not written. The audit above holds; please report what the checker says.",
        )
    return made


def is_certificate_file(path: str | os.PathLike[str]) -> bool:
    """Tell whether a file is a certificate, be it a wrong one; of any other file its checker would say nothing."""
    try:
        content = json.loads(check_release.read_file(os.fspath(path)))
    except Exception:
        return False
    return isinstance(content, dict) and is_certificate(content)


def examine_file(path: str | os.PathLike[str]) -> Examination:
    """Return what the checker of its kind says of the certificate in a file."""
    try:
        content = check_release.read_file(os.fspath(path))
    except Exception as problem:
        return Examination(verdict=COULD_NOT_CHECK, reason=check_release.failure(problem))
    return examine_certificate(content)


def examine_certificate(content: bytes) -> Examination:
    """Return what the checker of its kind says of a certificate: its format decides which one that is."""
    from snapdp.audits.check_program import Refusal

    try:
        return Examination(verdict=ACCEPTED, proved=_proved(content.decode()))
    except (Refusal, check_release.Refused) as refusal:
        return Examination(verdict=REFUSED, reason=str(refusal))
    except Exception as problem:  # of any kind: only a reason accuses
        return Examination(verdict=COULD_NOT_CHECK, reason=check_release.failure(problem))


def _proved(text: str) -> Proved:
    """Return what a certificate proves; any exception says that it is not accepted."""
    from snapdp.audits.check_program import LARGEST_TEXT, Refusal, examine

    found = json.loads(text, object_pairs_hook=check_release.unrepeated)
    if isinstance(found, dict) and "statistics" in found:
        raise Refusal("this is the record of a release, not a certificate: audit it with `snapdp verify`")
    if not (isinstance(found, dict) and "record" in found):
        return examine(text[: LARGEST_TEXT + 1])
    if faults := check_release.check(found):
        raise Refusal(faults[0])
    # Names and titles follow from nothing, and are left out.
    unopened = check_release.unopened(found["record"])
    follows = "every number that stands in the record follows from its declarations and its grid indices"
    looked = [follows, *([f"{unopened}: only `snapdp verify` of the record looks at them"] if unopened else [])]
    claim = f"the release is {found['claim']}-differentially private, if the premises hold"
    return {"release": looked, "claim": [claim], "premises": check_release.PREMISES.split(", ")}
