"""A report beside its record: whether it is what snapdp writes from that record, byte for byte.

A report is a function of a record and of a version of snapdp. Another version may write it differently, so of a report
that says it comes from one nothing can be told; which version that is, only the report itself says.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

from snapdp.audits.certificates import ACCEPTED, COULD_NOT_CHECK, REFUSED
from snapdp.display.text import one_line
from snapdp.drafts import open_regular
from snapdp.release.report.page import report_page, snapdp_version, stated_versions
from snapdp.release.result import Release
from snapdp.values import Value

MOST_LONGER = 1 << 25  # bytes that a report is read beyond what it should have


class ComparedReport(Value):
    """What was found of a report.

    verdict   ACCEPTED, REFUSED or COULD NOT CHECK
    reason    why, unless it was accepted; its subject is the report
    line      the first line that is not as it should be, if it is refused
    """

    verdict: str
    reason: str = ""
    line: int | None = None

    @property
    def accepted(self) -> bool:
        return self.verdict == ACCEPTED


def compare_report(record: Mapping[str, Any], path: str | os.PathLike[str]) -> ComparedReport:
    """Return whether the file is the report that this version of snapdp writes from a record that is sound."""
    expected = report_page(Release(dict(record))).encode()
    try:
        with open_regular(path) as file:
            content = file.read(len(expected) + MOST_LONGER)
    except OSError as problem:
        return ComparedReport(verdict=COULD_NOT_CHECK, reason=f"cannot be read: {problem.strerror}")
    if content == expected:
        return ComparedReport(verdict=ACCEPTED)
    stated = stated_versions(content.decode(errors="replace"))
    if stated and snapdp_version() not in stated:
        versions = one_line(" and ".join(sorted(stated)))
        reason = f"was written by snapdp {versions}, and this is snapdp {snapdp_version()}. Check it in that version"
        return ComparedReport(verdict=COULD_NOT_CHECK, reason=reason)
    lines = enumerate(zip_longest(content.split(b"\n"), expected.split(b"\n")), start=1)
    line = next(number for number, (one, other) in lines if one != other)
    reason = f"is not what snapdp {snapdp_version()} writes from this record: they differ from line {line} on"
    return ComparedReport(verdict=REFUSED, reason=reason, line=line)
