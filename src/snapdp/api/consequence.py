"""What follows from one statistic of a plan.

Room: api.
"""

from __future__ import annotations

from typing import Any

from snapdp.ledger import Account
from snapdp.studies import Plan
from snapdp.values import Value


class Consequence(Value):
    """Pictures and sentences."""

    title: str

    def values(self) -> dict[str, Any]:
        svg = '<svg viewBox="0 0 10 10"><title>to come</title></svg>'
        return {
            "title": self.title,
            "parts": ["mean"],
            "part": 0,
            "range": ["0", "120"],
            "value": "60",
            "slider": {"min": 0.0, "max": 120.0, "value": 60.0, "step": 0.1},
            "says": ["In 95 of 100 releases between 59.9 and 60.1."],
            "pictures": {"law": svg, "odds": svg, "interval": svg, "curve": svg},
        }


def consequence(
    plan: Plan,
    place: int,
    *,
    part: int = 0,  # noqa: ARG001
    value: Any = None,  # noqa: ARG001
    account: Account | None = None,  # noqa: ARG001
) -> Consequence:
    return Consequence(title=plan.titles[place])
