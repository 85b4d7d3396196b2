"""Which checker a certificate goes to: that of programs or that of releases, each independent of the rest.

Room: audits. The checkers themselves are single files that can be copied out and run alone.
"""

from __future__ import annotations

import json
from typing import Any, TextIO

from snapdp.audits import check_release
from snapdp.verifier import LARGEST_TEXT, RELEASES, Refusal, examine

Proved = dict[str, list[str]]


def examined(file: TextIO) -> tuple[str | None, Proved | None]:
    """Return why a certificate is refused, or what it proves: asked of the checker of its format."""
    text = file.read(check_release.MOST_BYTES)
    try:
        found = json.loads(text, object_pairs_hook=check_release.unrepeated)
        if isinstance(found, dict) and "statistics" in found and "format" not in found:
            return "this is the record of a release, not a certificate: audit it with `snapdp verify`", None
        if not (isinstance(found, dict) and str(found.get("format")).startswith(RELEASES)):
            return None, examine(text[: LARGEST_TEXT + 1])
        faults = check_release.check(found)
    except (Refusal, check_release.Refused) as refusal:
        return str(refusal), None
    return (faults[0], None) if faults else (None, _of_a_release(found))


def _of_a_release(found: Any) -> Proved:
    """Return what an accepted certificate of a release says; its names and titles follow from nothing: left out."""
    follows = "every number follows from the declarations of the record and its grid indices"
    claim = f"the release is {found['claim']}-differentially private, if the premises hold"
    return {"release": [follows], "claim": [claim], "premises": check_release.PREMISES.split(", ")}
