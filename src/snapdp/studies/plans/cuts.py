"""What to do about a plan that costs more than its budget: computed and said, never done.

Room: studies. It cannot see data.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from snapdp.errors import SnapdpError
from snapdp.values import Value

if TYPE_CHECKING:
    from snapdp.studies.plans.plan import Plan


class Excess(Value):
    """By how much a plan is over its budget, and what would help.

    over      the epsilon that is too much
    fitted    the plan with its unlocked lines made smaller; None where the locked ones alone are too much
    enough    places of lines, the cheapest first: without any one of them the others fit
    """

    over: Fraction
    fitted: Plan | None
    enough: tuple[int, ...]


def excess_of(plan: Plan) -> Excess | None:
    """Return what to do about a plan that is over its budget; None where it is not, or has none."""
    if plan.budget is None or plan.total <= plan.budget:
        return None
    over = plan.total - plan.budget
    enough = [place for place, line in enumerate(plan.lines) if line.epsilon >= over and len(plan.lines) > 1]
    try:
        fitted = plan.fit()
    except SnapdpError:
        fitted = None
    return Excess(over=over, fitted=fitted, enough=tuple(sorted(enough, key=lambda place: plan.lines[place].epsilon)))
