"""Shapes of requests, and of their answers for /openapi.json. The library says whether a study makes sense.

Exact numbers are texts such as "1/3"; keys that end in _shown are the same for people. Keys stay what they are, and new
ones are added.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict, Field

from snapdp.values import Values

LONGEST_TEXT = 1 << 20  # characters of a study file, or of a program
LONGEST_NUMBER = 4000
StudyValues = Annotated[dict[str, Any], Field(description="A study, by the keys of a study file.")]
Place = Annotated[int, Field(ge=0, lt=1000, description="Which statistic, counted from 0.")]
Number = Annotated[str, Field(min_length=1, max_length=LONGEST_NUMBER, description='Exact: "0.5", "1/3".')]
RecordText = Annotated[str, Field(max_length=1 << 25, description="The text of a record's file, as it stands.")]
Rows = Annotated[int, Field(ge=1, lt=1 << 62)]


class Body(BaseModel):
    """A request; what it does not know is refused."""

    model_config = ConfigDict(extra="forbid")


class OfStudy(Body):
    """A study."""

    study: StudyValues


class ToPlan(OfStudy):
    """A study to plan.

    edited  the statistic that was just changed: where there is a budget, the others that are not locked share the rest
    fit     all that are not locked are rescaled to the budget
    if_rows errors that depend on how many rows there are, are told for so many in the table
    """

    edited: Place | None = None
    fit: bool = False
    if_rows: Rows | None = None


class ToImagine(ToPlan):
    """A statistic whose consequences are shown, if the true value of a part of it were a number.

    part   which of the numbers that it releases, counted from 0
    value  the guess; left out, the middle of what is possible
    paid   the plan was released, and is among what the account was charged: nothing depends on it but what is shown
    """

    place: Place
    part: Annotated[int, Field(ge=0, lt=100_000)] = 0
    value: Number | None = None
    paid: bool = False


class ToRelease(OfStudy):
    """A study to release, with what its reader was shown by /api/before.

    cost    refused where it costs something else
    agreed  refused where something would be charged, and it is another: the study, its statement, or what is left
    """

    cost: Number
    agreed: Annotated[str, Field(max_length=100)]


class ToOpen(OfStudy):
    """The account of a study to open, with a cap: what may ever be spent on the dataset. An empty one is asked for."""

    cap: Annotated[str, Field(max_length=LONGEST_NUMBER, description='Exact: "0.5", "1/3".')]


class OfDataset(Body):
    """An account, by its name."""

    dataset: Annotated[str, Field(max_length=LONGEST_TEXT)]


class OfForm(Body):
    """How the file of the table is written.

    csv  by the keys of [csv] in a study file; left out, a plain one
    """

    csv: Values | None = None


class FromFile(Body):
    """A study file.

    toml  its text
    """

    toml: Annotated[str, Field(max_length=LONGEST_TEXT)]


class AgainstRecord(Body):
    """The text of a record's file, as it stands: 26.0 is not 26 there. None: the ledger is verified by itself."""

    record: RecordText | None = None


class OfRecord(Body):
    """A record to audit.

    alone  no ledger is asked, as for a record of somebody else's
    """

    record: RecordText
    alone: bool = False


class ToJudge(Body):
    """A program to judge, by its name or its text.

    name     one of the library's
    text     a program of one's own
    machine  the arithmetic, as `snapdp lab verify --machine` has it
    claim    the privacy loss that is claimed, as `snapdp lab verify --claim` has it
    """

    name: Annotated[str, Field(max_length=100)] | None = None
    text: Annotated[str, Field(max_length=LONGEST_TEXT)] | None = None
    machine: Annotated[str, Field(max_length=1000)] = ""
    claim: Annotated[str, Field(max_length=LONGEST_NUMBER)] | None = None


class OfAccount(Body):
    """A charge of an account.

    dataset  the name of the account
    number   of the charge, in the chain of its entries
    """

    dataset: Annotated[str, Field(max_length=LONGEST_TEXT)]
    number: Annotated[int, Field(ge=0, lt=1 << 62)]


class RefusalBody(BaseModel):
    """Every refusal."""

    ok: Literal[False]
    error: str
    advice: str
    field: str | None
    spent: str


# Answers

Schema = dict[str, Any]


def _of(kind: str, about: str, **more: Any) -> Schema:
    return {"type": kind, "description": about, **more}


def text(about: str) -> Schema:
    return _of("string", about)


def texts(about: str) -> Schema:
    return _of("array", about, items={"type": "string"})


def whole(about: str) -> Schema:
    return _of("integer", about)


def flag(about: str) -> Schema:
    return _of("boolean", about)


def listed(about: str) -> Schema:
    return _of("array", about, items={"type": "object"})


def table(about: str) -> Schema:
    return _of("object", about)


def or_null(schema: Schema) -> Schema:
    return {**schema, "type": [schema["type"], "null"]}


COST = text("What it costs, exactly; 0 where it is free. A release is asked for with this very text.")
LEDGER = table("path: where the ledger is, without a password; is_there: whether there is one.")
STUDY = table("By the keys of a study file; numbers that no double holds are texts.")
ACCOUNT = "How the account stands: cap, spent, left, what is protected, what that means, and with the plan."
RELEASE = {
    "dataset": text("Of the account."),
    "number": whole("Of the charge in the chain of the ledger."),
    "charged": text("What the release cost, exactly."),
    "charged_shown": text("The same, for people."),
    "blocks": listed(
        "Each table: title, what is declared, rows with name, value and interval, how many more, level of intervals; "
        "as a cross table where it is one."
    ),
    "remarks": texts("What a reader of these numbers must know."),
    "files": texts("Names for /api/file."),
    "beside": texts("Names of files that lie beside the record."),
    "keeps_texts": flag("The release is one of before, with the title and publisher that it had."),
}
ANSWERS: dict[str, dict[str, Schema]] = {
    "/api/state": {
        "version": text("Of snapdp."),
        "study": or_null(STUDY),
        "data": or_null(table("The table that was named: its name, and its columns where its file says them.")),
        "ledger": LEDGER,
        "forms": table("Every statistic, kind of column and field, with its label and what it takes."),
    },
    "/api/plan": {
        "total": text("What the plan costs, exactly."),
        "budget": or_null(text("Exactly.")),
        "if_rows": or_null(whole("The guess of rows in the table that errors are told for.")),
        "relation": text("Who is protected, in words."),
        "odds": table("The protection sentence of the plan: text, right_of_100, most_units of a unit with a date."),
        "over": or_null(table("By how much the plan is over its budget, and what would fit.")),
        "warning": or_null(text("Where epsilon hides nothing.")),
        "reading": texts("How columns are read."),
        "lines": listed("Each statistic: epsilon, error, whether that is useful, what more epsilon buys, its words."),
        "sharing": listed("Means that could share one count, and what that saves."),
        "study": STUDY,
        "shown": table("total and budget, for people."),
        "words": table("The sentences around the table."),
        "account": or_null(table(ACCOUNT)),
        "released_as": or_null(whole("The charge that answered the very same: free, while the table is the same.")),
        "ledger": LEDGER,
    },
    "/api/consequence": {
        "title": text("Of the statistic."),
        "parts": texts("Names of the numbers that it releases."),
        "part": whole("Which of them is shown."),
        "range": texts("Between which numbers the true value lies: two, exactly."),
        "range_shown": texts("The same, for people."),
        "value": text("The guess that is used, exactly."),
        "value_shown": text("The same, for people."),
        "slider": table("The range and its steps in doubles."),
        "says": texts("What would follow."),
        "odds": listed("What somebody learns from this statistic, from the plan, from everything ever charged."),
        "pictures": table("law, odds, interval, curve: each an SVG."),
    },
    "/api/columns": {"data": or_null(table("The table that was named, and its columns if its file is written so."))},
    "/api/study": {"study": STUDY},
    "/api/copy": {
        "command": text("Empty where no flags can say it."),
        "reason": text("Why there is no command; empty where there is one."),
        "python": text("A program."),
        "toml": text("A study file."),
    },
    "/api/account": {"account": or_null(table("How it stands; terms: what a study must say, by its keys."))},
    "/api/open": {"account": table(ACCOUNT)},
    "/api/before": {
        "account_shown": text("The account that is charged, for people."),
        "table_shown": text("The table that is read, for people."),
        "asked": listed("Each statistic: title, what is declared of it and which rows are left out, how many numbers."),
        "sql": text("What will run."),
        "sql_shown": text("The same for people: what turns a line round, or is not seen, is written out."),
        "cost": COST,
        "cost_shown": text("What the request costs, whether or not it was paid for, for people."),
        "left": text("What the account has left, exactly."),
        "left_shown": text("The same, for people."),
        "remains_shown": text("What it will have left."),
        "free": flag("The same was released before."),
        "agreed": text("A digest of request, statement, account and what it has left; a release is asked for with it."),
        "released": _of("array", "Of each statistic: where it was released before, or null."),
    },
    "/api/inspect": {
        "heads": texts("Of the columns of a table."),
        "lines": _of("array", "Its lines.", items={"type": "array", "items": {"type": "string"}}),
        "notes": texts("What to look at."),
    },
    "/api/release": {**RELEASE, "free": flag("The same was released before: nothing was charged.")},
    "/api/progress": {"percent": or_null(_of("number", "Null while nothing is read."))},
    "/api/addresses": {
        "report": text("Where the report is shown."),
        "files": table("By name: where a link finds it."),
    },
    "/api/ledger": {
        "is_there": flag("Whether there is a ledger."),
        "path": text("Where it is, without a password."),
        "accounts": listed("Each account, its charges and amendments, newest first."),
        "unsound": texts("What is wrong with accounts that cannot be used."),
    },
    "/api/ledger/verify": {
        "accounts": whole("So many were looked at."),
        "entries": whole("So many were looked at."),
        "says": text("The verdict."),
        "amended": texts("What was changed by whoever keeps the ledger."),
    },
    "/api/ledger/release": {
        **RELEASE,
        "asked": table("The request, as it stands in the ledger."),
        "became": text("What became of the charge."),
    },
    "/api/ledger/certificate": {
        "accepted": flag("By the independent checker."),
        "says": text("The verdict."),
        "proved": listed("What is proved, by topic."),
    },
    "/api/verify": {
        "verdict": text("VERIFIED, REFUTED or UNKNOWN."),
        "headline": text("The verdict in a sentence."),
        "program": text("Its name."),
        "machine": table("What it runs on."),
        "runs_on": text("The same, as it is written."),
        "claim": table("What is claimed, and where that comes from."),
        "claimed": or_null(text("The claimed loss, for people.")),
        "loss": or_null(table("Between which numbers the loss lies.")),
        "excess": or_null(table("By how much the loss is beyond the claim, at least and at most.")),
        "noise_epsilon": or_null(text("The loss of the noise alone, exactly.")),
        "roundings": or_null(whole("So many steps round.")),
        "bound": or_null(table("What the rules prove.")),
        "approximate": or_null(table("What holds with a small probability of failure.")),
        "premises": _of("array", "What the verdict rests on."),
        "published_range": or_null(_of("array", "Between which numbers the output lies.")),
        "evidence": or_null(table("Two inputs and an output that show the loss.")),
        "reproduction": or_null(_of("array", "How to see it.")),
        "remarks": _of("array", "What to know beside it."),
        "report": or_null(text("The name of the report, for /verdict; null where that is too long to keep.")),
    },
    "/api/audit": {
        "verdict": text("SOUND or FORGED."),
        "sound": flag("Everything public was derived again, and is the same."),
        "says": text("The verdict in words."),
        "claim": text("What is then proved; empty where the record is not sound."),
        "dataset": text("Of the record."),
        "epsilon": text("Of the record, exactly."),
        "epsilon_shown": text("The same, for people."),
        "in_ledger": or_null(flag("Whether the charge is in the ledger; null where none was asked.")),
        "amendments": listed("Of the account."),
        "bounds_look_in_ledger": or_null(flag("Whether the look that bounds come from is in the ledger.")),
        "files": table("Those beside the record: which were compared, and which were not there."),
        "findings": listed("What is wrong."),
        "more_findings": whole("So many more."),
        "premises": listed("What the guarantee rests on."),
        "notes": texts("What to know beside it."),
    },
    "/api/programs": {
        "programs": listed("name, text, about, machine."),
        "claims": listed("name, label."),
    },
}


def document(app: FastAPI) -> None:
    """Let /openapi.json say what requests are answered with."""
    plain = app.openapi

    def openapi() -> Values:
        found = plain()
        for path, methods in found["paths"].items():
            for operation in methods.values():
                if path in ANSWERS:
                    content = operation["responses"]["200"].setdefault("content", {})
                    content["application/json"] = {"schema": schema_of(path)}
        return found

    app.openapi = openapi  # type: ignore[method-assign]


def schema_of(path: str) -> Schema:
    """Return the schema of an answer."""
    keys = {"ok": {"const": True}, **ANSWERS[path]}
    return {"type": "object", "properties": keys, "required": sorted(keys), "additionalProperties": False}
