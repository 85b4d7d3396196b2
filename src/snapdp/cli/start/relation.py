"""Questions about who is protected, and how well: several rows a person, how many rows, the budget.

Room: cli. The relation is asked for in words. A table whose account a ledger has already is protected as that account
says: nothing is asked twice.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from snapdp.api.outline import check_relation
from snapdp.cli.start.columns import KnownColumns, which
from snapdp.cli.start.pages import paragraph
from snapdp.cli.start.questions import YES, Flow, Key, Question, above_zero, counted, listed, yes_or_no
from snapdp.display import exact_amount, hides_nothing, one_line
from snapdp.errors import BudgetError
from snapdp.exact import parameter
from snapdp.studies import (
    ADD_REMOVE,
    CHANGE_ONE,
    ROWS_LEFT_OUT,
    bounded_in,
    describe_protected,
    explain_protection,
    named_person,
    relation_of_account,
    relation_table,
)

if TYPE_CHECKING:
    from snapdp.ledger import Account
    from snapdp.studies import Relation

BUDGET, KEEP = ("budget",), ("budget", "keep")
KEPT, ANOTHER = "kept", "another"
ROWS_KEPT = "At most how many rows of one person are counted?"


def ask_relation(columns: KnownColumns, account: Account | None) -> Flow[dict[str, Any]]:
    """Ask who is protected; return it in the keys of a study."""
    if account is not None:
        return (yield from _as_opened(account))
    several = yield Question(
        key=("several",),
        text="Can one person have several rows in the table?",
        hint="y or n. In a table of visits or payments they can.",
        more="What is published must not tell whether any one person is in the table. If somebody can have several "
        "rows, all of them are protected together. If a row is not about a person, think of whom it is about: a "
        "household, a firm.",
        check=yes_or_no,
    )
    if several:
        return (yield from _ask_persons(columns))
    public = yield Question(
        key=("public",),
        text="Is the number of people in the table public?",
        hint="y: it may be known exactly, such as 5000 members. n: it is secret.",
        more="Public: everybody may know how many rows there are, and what is protected is what each row says. "
        "Averages are then more accurate. Secret: what is protected is whether somebody is in the table at all; you "
        "give a number that it surely does not exceed.",
        check=yes_or_no,
    )
    if public:
        rows = yield Question(
            key=("n",),
            text="How many rows does the table have?",
            hint="Exactly, without the line of names, such as 5000. Another number is refused.",
            more="It is public: it stands in the report and in the ledger, and a release of a table with more rows or "
            "fewer is refused. If it may change, or nobody may know it, go back by < and answer that it is secret.",
            check=counted,
        )
        return {"relation": CHANGE_ONE, "n": rows}
    return {"relation": ADD_REMOVE, "n_max": (yield _bound())}


def ask_budget(relation: dict[str, Any], account: Account | None, *, again: Callable[[], None]) -> Flow[Fraction]:
    """Ask how much may be told about anybody; what it means in odds is said at once.

    again   forgets the answer: one that protects nobody is kept only where somebody says so
    """
    whom = check_relation(relation).relation
    left = None if account is None else account.left
    held = "" if not left else f" The ledger has {exact_amount(left)} left."
    usual = "1" if account is None else str(account.left or account.spent or account.cap)
    is_again = account is not None and not account.left
    text = "How much may be told about any one of them? (the budget, epsilon)"
    hint = f"1 is usual; less protects more, and makes numbers rougher.{held}"
    budget: Fraction = yield Question(
        key=BUDGET,
        text="What did the release cost that you want again? (its epsilon)" if is_again else text,
        hint="As it stands above, and in its report." if is_again else hint,
        more="Everything you publish about this table shares the budget. The ledger counts what is spent and refuses "
        "more. A budget of 0.1 raises an even chance of guessing right from 50% to at most 53%, 1/2 to 63%, 1 to "
        "74%, 2 to 89%; with 5 someone could be right every time.",
        default=usual,
        check=lambda text: _budget(text, account),
        after=lambda epsilon: _beyond(epsilon, left) or _means(epsilon, whom, account),
    )
    if hides_nothing(budget) and not _beyond(budget, left):
        yield _keeping(budget, again)
    return budget


def answered_by_flag(epsilon: str) -> dict[Key, str]:
    """Return the answers that a budget on the command line gives: whoever named it there is not asked about it."""
    kept: dict[Key, str] = {KEEP: YES[0]} if hides_nothing(parameter(epsilon, name="budget")) else {}
    return {BUDGET: epsilon, **kept}


def _keeping(epsilon: Fraction, again: Callable[[], None]) -> Question:
    """Return the question whether a budget stays that protects nobody."""
    return Question(
        key=KEEP,
        text=f"Keep {exact_amount(epsilon)}?",
        hint="y or n; n asks for another.",
        more="Whether somebody is in the table, or what a row says, can then be read off what is published nearly for "
        "certain. Budgets are usually between 0.1 and 10. Who has typed one number too many answers n.",
        before=lambda: paragraph(hides_nothing(epsilon), indent="  ", first="! "),
        default="n",
        check=lambda text: KEPT if yes_or_no(text) else ANOTHER,
        acts={ANOTHER: again},
    )


def _means(epsilon: Fraction, whom: Relation, account: Account | None) -> str:
    """Return what a budget means in odds; with everything that was charged before, too."""
    from snapdp.ledger import together_in_words

    before = "" if account is None else together_in_words(epsilon, account)
    return " ".join(filter(None, (explain_protection(whom, epsilon), before)))


def _as_opened(account: Account) -> Flow[dict[str, Any]]:
    """Return the relation that an account was opened with; only how many rows count may still be open."""
    kept = relation_of_account(kind=account.relation, rows=account.rows, unit=account.unit)
    found = relation_table(kept)
    if kept.person is not None and bounded_in(account.unit) is None:
        found["rows_per_person"] = yield _rows_kept()
    return found


def _ask_persons(columns: KnownColumns) -> Flow[dict[str, Any]]:
    persons = yield which(
        columns,
        key=("person",),
        text="Which column says whose row it is?",
        hint="A name or number; with commas, if several do so together. Enter: none does.",
        why="Rows with the same in it are taken for rows of one person, and are protected together.",
        default="",
        check=lambda text: _persons(columns, text),
        after=lambda names: "" if names else "No column: then say how many rows one person has at most.",
    )
    unit: dict[str, Any] = {}
    if persons:
        unit = {"person": persons, "rows_per_person": (yield _rows_kept())}
    else:
        together = yield Question(
            key=("unit_rows",),
            text="At most how many rows does one person have?",
            hint="Such as 12, where each has one a month. Nothing can check it: it is believed.",
            more="No column says whose row it is, so rows of one person cannot be told from those of others. So many "
            "rows are protected together, whosever they are, and the noise grows with their number. Somebody with more "
            "rows than that is protected less: take a number that follows from how the table is made, and not one that "
            "was counted in it. Where a column could say whose row it is, go back by < and name it.",
            check=counted,
        )
        unit = {"unit_rows": together}
    return {"relation": ADD_REMOVE, "n_max": (yield _bound()), **unit}


def _rows_kept() -> Question:
    return Question(
        key=("rows_per_person",),
        text=ROWS_KEPT,
        hint=f"Too low: {ROWS_LEFT_OUT}. Too high: more noise.",
        more="The noise must hide all rows of a person together, so it grows with this number. With 3, whoever has ten "
        "rows counts with 3 of them, chosen by chance, and a count of rows is one of the rows that are left. Take a "
        "number that few exceed, by what is known of how the table is made, and not one that was counted in it.",
        check=counted,
    )


def _bound() -> Question:
    return Question(
        key=("n_max",),
        text="How many rows does the table have at most?",
        hint="A public bound with room, such as 10000. The exact number stays secret.",
        more="No number released can be larger than this many rows allow. If the table has more, the rest is "
        "cut off without a word, so choose it well above what is there.",
        check=counted,
    )


def _persons(columns: KnownColumns, text: str) -> list[str]:
    if not text:
        return []
    names = [columns.named(each) for each in listed(text)]
    named_person(names)
    return names


def _budget(text: str, account: Account | None) -> Fraction:
    """Return a budget; one that was spent already may be meant, to have a release again that was made with it."""
    epsilon = above_zero(text)
    if account is None or epsilon <= max(account.left, account.spent):
        return epsilon
    left, spent = exact_amount(account.left), exact_amount(account.spent)
    if account.left:
        raise BudgetError(f"the ledger has {left} left.", f"Type {left} or less.")
    raise BudgetError(
        f"nothing is left, and all that was released cost {spent} together.",
        "Type what the release cost that you want again.",
    )


def _beyond(epsilon: Fraction, left: Fraction | None) -> str:
    if left is None or epsilon <= left:
        return ""
    return f"The ledger has {exact_amount(left)} left: only a release that was made before can be had, free of charge."


def told_account(account: Account, ledger: str) -> str:
    """Return what a ledger has of a dataset already, as sentences."""
    kept = relation_of_account(kind=account.relation, rows=account.rows, unit=account.unit)
    left = f"{exact_amount(account.left)} of {exact_amount(account.cap)} is left"
    if account.closed and account.amendment is not None:
        left = f"its account was closed on {account.amendment.time[:10]} ({one_line(account.amendment.reason)})"
    elif account.left <= 0:
        left = f"all of {exact_amount(account.cap)} was spent"
    again = "" if account.left > 0 else " Nothing new can be released."
    return f"{ledger} knows this dataset: {left}.{again} {describe_protected(kept)}"
