"""What an audit found, as plain values. For --json and for the page.

Room: audits. Everything here is public; keys stay what they were, new ones are added.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from snapdp.ledger import amendment_values

if TYPE_CHECKING:
    from snapdp.audits.release_audit import Audit


def audit_values(found: Audit) -> dict[str, Any]:
    """Return the verdict, the findings, and what it rests on."""
    return {
        "ok": found.sound,
        "verdict": "SOUND" if found.sound else "ALTERED",
        "dataset": found.dataset,
        "epsilon": found.epsilon,
        "in_ledger": found.in_ledger,
        "amendments": [amendment_values(each) for each in found.amendments],
        "bounds_look_in_ledger": found.look,
        "files": {"seen": list(found.seen), "unseen": list(found.unseen)},
        "findings": [
            {"field": each.field, "says": each.says, "should": each.should, "about": each.about or "record"}
            for each in found.findings
        ],
        "premises": [{"name": each.name, "status": each.status, "why": each.why} for each in found.premises],
    }
