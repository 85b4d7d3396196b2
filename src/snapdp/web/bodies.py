"""What requests carry. Shapes alone: whether a study makes sense is the library's to say.

Room: web.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

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

    csv: dict[str, Any] | None = None


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
    machine  the arithmetic, as `snapdp verify --machine` has it
    claim    the privacy loss that is claimed, as `snapdp verify --claim` has it
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
