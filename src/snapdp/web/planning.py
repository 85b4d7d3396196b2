"""Plans on the page: a study goes in as it is edited, and comes back with what follows from the edit.

Room: web. Each answer is one call of the library. Reads no data, but for the names of columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from snapdp.api.consequence import line_words
from snapdp.api.plan_values import plan_values
from snapdp.api.study import Study
from snapdp.display import exact_amount, four_digits
from snapdp.errors import PremiseError, SnapdpError
from snapdp.ledger import (
    Account,
    account_values,
    agree,
    declared_terms,
    protected_by,
    spent_in_words,
    together_in_words,
    unit_for,
    units_of,
)
from snapdp.studies import IN_PYTHON, Asked, Line, Plan, PlanWords, plan_words
from snapdp.values import replaced
from snapdp.web.bodies import ToPlan
from snapdp.web.workplace import Workplace

ON_THE_PAGE = replaced(IN_PYTHON, fit="Fit to the budget", if_rows="")  # of a step the page itself says where
LONGEST_SHOWN = 8  # characters of an epsilon in a field; a longer one is shown rounded, and kept as it is


def planned(place: Workplace, body: ToPlan) -> tuple[Study, Plan, Plan]:
    """Return the study as it is asked for, its plan as typed, and the plan after an edit."""
    asked = place.asked(body.study)
    typed = asked.plan(if_rows=body.if_rows)
    if body.fit:
        return asked, typed, typed.fit()
    if body.edited is not None and body.edited < len(typed.lines) and typed.budget is not None:
        return asked, typed, _shared(typed, body.edited)
    return asked, typed, typed


def _shared(plan: Plan, edited: int) -> Plan:
    """Return the plan with the rest of the budget shared by the other lines; as it is where that cannot be done."""
    try:
        return plan.fit(keep=[edited])
    except SnapdpError:  # nothing is left for them, or such epsilons are not taken
        return plan


def plan_answer(place: Workplace, body: ToPlan) -> dict[str, Any]:
    """Return everything that the page shows of a plan."""
    asked, typed, plan = planned(place, body)
    account = place.account(asked.dataset)
    said = plan_words(plan, most=len(plan.lines), spelling=ON_THE_PAGE)
    values = plan_values(plan, {})
    repeats = None if account is None else repeated(place, account, asked, plan)
    rows = [
        {**each, **_row(line), **line_words(plan, at), "title": plan.titles[at], "released": repeats and repeats[1][at]}
        for at, (each, line) in enumerate(zip(values.pop("lines"), plan.lines, strict=True))
    ]
    return {
        **values,
        "study": rescaled(body.study, typed, plan),
        "shown": {"total": shown_epsilon(plan.total), "budget": plan.budget and shown_epsilon(plan.budget)},
        "lines": rows,
        "words": _words(said),
        "account": None if account is None else account_answer(account, asked, plan),
        "released_as": repeats and repeats[0],
        "ledger": {"path": place.ledger_shown, "is_there": place.has_ledger},
    }


def _words(said: PlanWords) -> dict[str, Any]:
    return {
        "title": said.title,
        "advice": list(said.advice),
        "legend": list(said.legend),
        "bounds": said.bounds,
        "promise": list(said.promise),
        "reading": list(said.reading),
        "warning": said.warning,
    }


def _row(line: Line) -> dict[str, Any]:
    """Return what a row of the table shows of a line: its epsilon for a field, and whether its error can be asked."""
    try:
        Asked(statistic=line.statistic, accuracy=Fraction(1))
        why = ""
    except PremiseError as refusal:
        why = f"{refusal.problem} {refusal.advice}"
    return {"epsilon_shown": shown_epsilon(line.epsilon), "settable": not why, "why_not": why}


def shown_epsilon(epsilon: Fraction) -> str:
    """Return an epsilon for a field: as it is where that is short, else to four digits.

    >>> shown_epsilon(Fraction(1, 5)), shown_epsilon(Fraction(56, 207)), shown_epsilon(Fraction(329, 20701))
    ('0.2', '56/207', '0.01589')
    """
    exact = exact_amount(epsilon)
    return exact if len(exact) <= LONGEST_SHOWN else four_digits(epsilon)


def rescaled(values: Mapping[str, Any], before: Plan, plan: Plan) -> dict[str, Any]:
    """Return the study as it was sent, with the epsilons that the plan has now; what did not change stays as typed."""
    statistics = []
    for typed, line, old in zip(values["statistic"], plan.lines, before.lines, strict=True):
        if line.epsilon == old.epsilon:
            statistics.append(typed)
            continue
        kept = {key: value for key, value in typed.items() if key not in ("accuracy", "epsilon")}
        statistics.append({**kept, "epsilon": str(line.epsilon)})
    return {**{key: each for key, each in values.items() if key != "data"}, "statistic": statistics}


def repeated(place: Workplace, account: Account, asked: Study, plan: Plan) -> tuple[int | None, list[str | None]]:
    """Return which charge answered the very same before, and in words where each statistic was released before."""
    try:
        found = place.released_before(account).of(plan.total, asked.request(plan).declaration)
    except SnapdpError:  # no request can be made of it: a release says why
        return None, [None] * len(plan.lines)
    return found.same, [None if each is None else each.in_words for each in found.lines]


def account_standing(account: Account) -> dict[str, Any]:
    """Return how an account stands, what that means, and what a study must say to ask it."""
    return {
        **account_values(account),
        "left_shown": shown_epsilon(account.left),
        "spent_shown": shown_epsilon(account.spent),
        "cap_shown": shown_epsilon(account.cap),
        "protected": protected_by(account),
        "means": spent_in_words(account),
        "terms": declared_terms(account),
    }


def account_answer(account: Account, asked: Study, plan: Plan) -> dict[str, Any]:
    """Return how an account stands, and what it would mean with the plan."""
    return {
        **account_standing(account),
        "affordable": plan.total <= account.left,
        "with_plan": together_in_words(plan.total, account),
        **_contradiction(account, asked),
    }


def _contradiction(account: Account, asked: Study) -> dict[str, str]:
    """Return in what an account protects something else than the study, and at which field; empty where they agree."""
    relation = asked.relation
    if (account.relation, account.rows, account.unit) == (relation.kind, relation.rows, relation.unit_in_full):
        return {"contradiction": "", "contradicts": ""}
    try:
        unit = unit_for(account, units_of(asked.request().declaration))
        agree(account, relation=relation.kind, rows=relation.rows, unit=unit)
    except SnapdpError as refusal:
        differs = refusal.numbers.get("differs")
        field = f"/{differs}" if differs in ("n", "n_max") else "/relation"
        return {"contradiction": f"{refusal.problem} {refusal.advice}", "contradicts": field}
    return {"contradiction": "", "contradicts": ""}
