"""Plans on the page: a study goes in as it is edited, and comes back with what follows from the edit.

Each answer is one library call, and no data are read but the names of columns. The library says which kinds and keys
forms have, so a new one has a field at once; only its label and help are kept here. A field's type says how it is
typed, not what is allowed.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from snapdp.api.consequence import line_words
from snapdp.api.plan_values import plan_values
from snapdp.api.study import Study
from snapdp.display.numbers import exact_amount, four_digits
from snapdp.errors import PremiseError, SnapdpError
from snapdp.ledger.accounts import Account, agree, declared_terms, unit_for
from snapdp.ledger.rules import units_of
from snapdp.ledger.statements import account_values, protected_by, spent_in_words, together_in_words
from snapdp.studies.categories import BOOLEAN, BOOLEAN_WORDS, DATE, KIND_KEYS
from snapdp.studies.columns import CATEGORY, INTEGER, NUMBER
from snapdp.studies.plans.lines import Asked, Line
from snapdp.studies.plans.plan import Plan
from snapdp.studies.plans.text import IN_PYTHON, PlanWords, plan_words
from snapdp.studies.statistics.registry import KINDS
from snapdp.studies.statistics.statistic import Statistic
from snapdp.values import Facts, Values, replaced
from snapdp.web.schema import ToPlan
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


def plan_answer(place: Workplace, body: ToPlan) -> Values:
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


def _words(said: PlanWords) -> Values:
    return {
        "title": said.title,
        "advice": list(said.advice),
        "legend": list(said.legend),
        "bounds": said.bounds,
        "promise": list(said.promise),
        "reading": list(said.reading),
        "warning": said.warning,
    }


def _row(line: Line) -> Values:
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


def rescaled(values: Facts, before: Plan, plan: Plan) -> Values:
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


def account_standing(account: Account) -> Values:
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


def account_answer(account: Account, asked: Study, plan: Plan) -> Values:
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


# Forms: every kind of statistic and of column, with its keys

NUMBER_FIELDS = ("lower", "upper", "step", "missing", "edges", "outside", "null")
STATISTICS = {
    "count": ("Count of rows", "How many rows there are, or how many meet the conditions."),
    "persons": ("Count of persons", "How many different persons there are; each counts once."),
    "mean": ("Mean", "The average of a column."),
    "sum": ("Sum", "The total of a column."),
    "variance": ("Variance", "How far values are spread; the standard deviation comes with it."),
    "covariance": ("Covariance", "How two columns move together; a correlation where you ask for it."),
    "histogram": ("Histogram", "How many rows there are of each category, or in each bin."),
    "quantiles": ("Median and quantiles", "The value below which a share of the rows lies."),
    "magnitudes": ("First look", "Rough bounds of a column of which nothing is known, by powers of two."),
}
COLUMNS = {
    NUMBER: "Numbers",
    INTEGER: "Whole numbers",
    CATEGORY: "Categories",
    BOOLEAN: "Yes or no",
    DATE: "Dates",
    "magnitude": "Numbers of unknown size",
}
COLUMN_HINTS = {
    BOOLEAN: f"Read are {BOOLEAN_WORDS}, in any capitals. Other words, such as ja and nein, are two categories.",
}
FIELDS: dict[str, tuple[str, str, str]] = {  # type, label, hint
    "column": ("column", "Column", ""),
    "columns": ("columns", "Columns", "Two or more."),
    "by": ("columns", "For each", "One number for each group of these columns."),
    "where": ("conditions", "Only rows where", "Public conditions; a row must meet them all."),
    "keys": ("text", "File of groups", "A public file that lists the groups; the study of the command line names it."),
    "at": ("numbers", "At the shares", "0.5 is the median; 0.25, 0.5, 0.75 are the quartiles."),
    "edges": ("numbers", "Bin edges", "Public numbers such as 0, 18, 65, 120; never taken from the rows."),
    "outside": ("dropped", "Values outside the edges", "Left out, or counted in bins of their own."),
    "missing": ("missing", "Missing cells", "Left out, or a public number that stands in for them."),
    "null": ("dropped", "Empty cells", "Left out, or counted by themselves."),
    "unknown": ("dropped", "Cells of no category", "Left out, or counted by themselves."),
    "rows_per_person": ("whole", "Rows kept of each person", ""),
    "groups_per_person": ("whole", "Groups in which a person counts", ""),
    "margins": ("margins", "Also totals", "Every total of the table, adjusted so that they add up."),
    "shares": ("numbers", "Shares of the margins", "How the margins divide the cost; equal where left out."),
    "count_share": ("number", "Share of the count", "How much of the cost goes to the count of rows."),
    "complete": ("flag", "Only rows with all of the columns", ""),
    "correlation": ("flag", "Correlation as well", ""),
    "branching": ("whole", "Branches of the tree", "Chosen by the plan where left out."),
    "lower": ("number", "Lowest", "A public bound: smaller values count as this one."),
    "upper": ("number", "Highest", "A public bound: larger values count as this one."),
    "step": ("number", "Rounded to", "Chosen where left out; a median needs it."),
    "categories": ("texts", "Categories", "All that count, one in each line."),
    "compare": ("compare", "Compared as", "Text, or numbers: then 1.0 is 1."),
    "parents": ("parents", "Levels above", "Which larger group each category belongs to."),
    "from": ("text", "First day", "2026-01-31"),
    "to": ("text", "Last day", "2026-12-31"),
    "each": ("each", "By", "day, week, month or year"),
    "exponents": ("numbers", "Powers of two", "The least and the largest, such as -10, 40."),
}
OWN_FIELDS: dict[str, dict[str, tuple[str, str, str]]] = {  # where a key means something else to one statistic
    "mean": {"columns": ("columns", "Several columns instead", "Their means share one count of rows.")},
    "histogram": {"missing": ("dropped", "Rows without a number", "In no bin, or in one of their own.")},
    "magnitudes": {
        "outside": ("number", "Share outside", "Of the numbers that bounds may leave outside, such as 0.05.")
    },
}


def forms() -> Values:
    """Return all of it, for the page."""
    return {
        "statistics": [_statistic(kind, found) for kind, found in KINDS.items()],
        "columns": [
            {
                "kind": kind,
                "label": COLUMNS.get(kind, kind),
                "hint": COLUMN_HINTS.get(kind, ""),
                "keys": list(_column_keys(kind)),
            }
            for kind in (NUMBER, INTEGER, *KIND_KEYS)
        ],
        "fields": _fields(FIELDS),
    }


def _statistic(kind: str, found: type[Statistic]) -> Values:
    label, hint = STATISTICS.get(kind, (kind, ""))  # one that is new has no words yet
    return {
        "kind": kind,
        "label": label,
        "hint": hint,
        "takes": found.takes,
        "several": found.several,
        "numbers": found.numbers,
        "column_kind": found.column_kind,
        "keys": list(found.toml_keys()),
        "fields": _fields(OWN_FIELDS.get(kind, {})),
    }


def _fields(words: Mapping[str, tuple[str, str, str]]) -> dict[str, dict[str, str]]:
    return {key: {"type": kind, "label": label, "hint": hint} for key, (kind, label, hint) in words.items()}


def _column_keys(kind: str) -> tuple[str, ...]:
    if kind in (NUMBER, INTEGER):
        return NUMBER_FIELDS
    return tuple(key for key in KIND_KEYS[kind] if key != "kind")
