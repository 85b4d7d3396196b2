"""How a result looks: for people, and as plain values for machines.

Room: cli. Plans: see `plans`; a bare mechanism: `worth`; releases: `releases`.
"""

from __future__ import annotations

from typing import Any

from snapdp.accuracy import Worth
from snapdp.api.plan_values import Likes, plan_values
from snapdp.cli import worth
from snapdp.cli.plans.screen import show_plan
from snapdp.cli.releases.release_screen import show_release as show_release
from snapdp.studies import Plan


def show(result: Plan | Worth, *, to_stderr: bool = False, likes: Likes | None = None, details: bool = False) -> None:
    """Print a result for people; for likes and details see `show_plan`."""
    if isinstance(result, Plan):
        show_plan(result, likes, details=details, to_stderr=to_stderr)
    else:
        worth.show(result)


def values(result: Plan | Worth, *, likes: Likes | None = None) -> dict[str, Any]:
    """Return a result for machines: amounts as exact fractions."""
    return plan_values(result, likes or {}) if isinstance(result, Plan) else worth.values(result)
