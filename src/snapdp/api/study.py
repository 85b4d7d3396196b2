"""The public study: what is declared and asked, with its plan and its release as methods.

It holds the declaration; each method is one call into a package below.
"""

from __future__ import annotations

import os
from contextlib import nullcontext
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snapdp.api.columns import told
from snapdp.display.text import is_address
from snapdp.errors import ParameterError
from snapdp.ledger.ledger import Ledger
from snapdp.release.release import exact_values, released
from snapdp.release.request import Request
from snapdp.release.result import Release
from snapdp.studies.columns import Column
from snapdp.studies.csv_dialect import CsvDialect
from snapdp.studies.plans.lines import Asked
from snapdp.studies.plans.plan import Plan
from snapdp.studies.relation import Relation
from snapdp.studies.study_file import STUDY_FORMAT, DeclaredStudy, load_study, plan_of, study_from_values
from snapdp.tables.engines.engine import Engine, Gate, Watch
from snapdp.tables.engines.opening import check_dialect, open_table
from snapdp.tables.keys import read_keys
from snapdp.values import replaced

if TYPE_CHECKING:
    from snapdp.tables.inspection import Look


class Study:
    """A study: what is declared about a dataset and what is asked of it. Everything in it is public."""

    def __init__(self, declared: DeclaredStudy) -> None:
        self.declared = declared

    @property
    def dataset(self) -> str:
        """Return the name of the account that is charged."""
        return self.declared.dataset

    @property
    def relation(self) -> Relation:
        """Return who is a neighbour of whom."""
        return self.declared.relation

    @property
    def columns(self) -> tuple[Column, ...]:
        """Return the declared columns."""
        return self.declared.columns

    @property
    def asked(self) -> tuple[Asked, ...]:
        """Return what is asked: each statistic with its epsilon or accuracy."""
        return self.declared.asked

    @property
    def budget(self) -> Fraction | None:
        """Return the epsilon that the statistics may share, where one is declared."""
        return self.declared.budget

    @property
    def data(self) -> str | None:
        """Return where the rows are, where the study says so; no part of a request."""
        return self.declared.data

    @property
    def csv(self) -> CsvDialect | None:
        """Return how CSV files are written, where the study says so; no part of a request."""
        return self.declared.csv

    def with_texts(self, **texts: str) -> Study:
        """Return the same study with another title, publisher or contact: no part of a request.

        >>> s = study(dataset="people", relation="change-one", n=5000,
        ...           columns={"age": {"kind": "integer", "lower": 0, "upper": 120, "missing": "middle"}},
        ...           statistic=[{"kind": "mean", "column": "age", "epsilon": "0.5"}])
        >>> titled = s.with_texts(title="How old we are")
        >>> titled.declared.title, titled.request() == s.request()
        ('How old we are', True)
        """
        return Study(replaced(self.declared, **texts)) if texts else self

    def column(self, name: str) -> Column:
        """Return a declared column by its name."""
        return self.declared.column(name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Study) and self.declared == other.declared

    def __hash__(self) -> int:
        return hash(self.declared)

    def __repr__(self) -> str:
        from snapdp.api.notebook import study_text

        return study_text(self.declared)

    def _repr_html_(self) -> str:
        from snapdp.api.notebook import study_html

        return study_html(self.declared)

    def plan(self, *, if_rows: Any = None) -> Plan:
        """Return what every statistic costs and is worth. No data is opened.

        if_rows   errors that depend on how many rows there are, which is private, are told for so many in the table,
                  and an equal share of them in each group; unless told, for n, or for the bound on it
        """
        return plan_of(self.declared, if_rows=if_rows)

    def request(self, plan: Plan | None = None) -> Request:
        """Return the request that a release would make; a plan of this study may be given instead of its own."""
        if plan is not None and not isinstance(plan, Plan):
            raise ParameterError(f"{told(plan)} is no plan.", "Give a plan of this study, such as study.plan().fit(1).")
        if plan is not None and not {line.statistic for line in plan.lines} <= {each.statistic for each in self.asked}:
            raise ParameterError(
                "the plan has a statistic that the study does not ask for.",
                "Give a plan of this study, such as study.plan().fit(1). Nothing was read and nothing spent.",
            )
        return Request(dataset=self.dataset, plan=plan or self.plan())

    def sql(self, table: Any = None, *, dialect: str = "") -> str:
        """Return the statement that will run: on a table, or on one with every column in its natural type.

        dialect   without a table, the engine whose words it is in: duckdb (if left out), spark or postgresql
        """
        from snapdp.studies.statistics.statistic import aggregates_of
        from snapdp.tables.engines.engine import statement

        asked = aggregates_of(each.statistic for each in self.asked)
        if table is None:
            return statement(asked, dialect=dialect or "duckdb", salt=self.dataset)
        if dialect:
            raise ParameterError("a table has the dialect of its engine.", "Give a table or a dialect, one of the two.")
        return self.table(table).statement(asked, salt=self.dataset)

    def inspect(self, table: Any = None, *, watch: Watch | None = None) -> Look:
        """Return how the cells of the declared columns are read: classes and shapes, never a cell.

        For whoever may read the table, before a release. It is no part of a request, costs nothing, and no epsilon
        covers it: do not publish it, and do not change a bound because of it. A declared column that no statistic
        needs is looked at where the table has it.
        """
        from snapdp.studies.grouping.keys import KeyColumn

        used = [column for column in self._used() if not isinstance(column, KeyColumn)]
        return self.table(table).inspect(used, others=self.columns, watch=watch)

    def check_names(self, path: str | os.PathLike[str]) -> None:
        """Refuse a CSV or Parquet file that lacks a column of a statistic, or stores it as something else, by its first
        line or schema. No row is read.
        """
        from snapdp.tables.engines.opening import check_columns

        check_columns(Path(_path(path, "the table")), self._used(), dialect=self.csv)

    def _used(self) -> list[Column]:
        """Return the columns that the statistics read, and those that name persons."""
        from snapdp.studies.columns import PersonColumn
        from snapdp.studies.statistics.statistic import aggregates_of

        asked = aggregates_of(each.statistic for each in self.asked)
        used = [column for each in asked for column in each.every_column]
        declared = {column.name: column for column in self.relation.identifiers}
        return [*used, *(declared.get(name) or PersonColumn(name=name) for name in self.relation.person_columns)]

    def check(self, table: Any = None, *, plan: Plan | None = None, watch: Watch | None = None) -> None:
        """Read the table as a release would, and refuse what a release would refuse: a column that is absent, a file
        that is not well formed, another number of rows than is declared. Nothing is returned, charged or written.
        """
        request = self.request(plan)
        exact_values([line.statistic for line in request.lines], self.table(table), salt=self.dataset, watch=watch)

    def release(
        self,
        table: Any = None,
        *,
        ledger: str | os.PathLike[str] | Ledger,
        plan: Plan | None = None,
        directory: str | os.PathLike[str] = ".",
        watch: Watch | None = None,
        own: bool = False,
        ask: Gate | None = None,
    ) -> Release:
        """Release all statistics: charge the ledger, draw, record. The same request again is free.

        table      what `snapdp.open_table` returns, or anything it takes; the study's own `data` where left out
        ledger     a path, or an open Ledger; it has an account named like the study's dataset
        plan       a fitted plan of this study, instead of the epsilons as typed
        directory  where the files of very long histograms go
        own        on a team ledger: draw and pay anew instead of taking what another role drew
        ask        called before anything new is charged, and not where the answer is free; an exception ends it all
        """
        request = self.request(plan)
        opened = self.table(table)
        with nullcontext(ledger) if isinstance(ledger, Ledger) else Ledger.open(_path(ledger, "ledger")) as book:
            return self._released(_own(request, book) if own else request, opened, book, directory, watch, ask)

    def _released(
        self,
        request: Request,
        table: Engine,
        ledger: Ledger,
        directory: str | os.PathLike[str],
        watch: Watch | None,
        ask: Gate | None,
    ) -> Release:
        place = Path(_path(directory, "directory"))

        def follows(record: dict[str, Any]) -> bool:  # asked of another role's answer alone
            from snapdp.audits.release_audit import is_sound

            return is_sound(record, place, request)

        outcome = released(
            request,
            table,
            ledger,
            directory=place,
            is_sound=follows,
            watch=watch,
            ask=ask,
            texts=self.declared.texts,
        )
        return Release(outcome.record, free=outcome.free, author=outcome.author)

    def table(self, table: Any = None) -> Engine:
        """Return the table to release from: the one given, or the one that the study names."""
        if isinstance(table, Engine):
            check_dialect(self.csv, table)
            return table
        if table is None and self.data is None:
            raise ParameterError("the study names no data.", "Give a table or a path, or data in the study.")
        return open_table(self.data if table is None else table, dialect=self.csv)


def _path(given: Any, name: str) -> Any:
    """Return a path; refuse what is none: a number would be an open file of this process."""
    if not isinstance(given, (str, os.PathLike)) or "\0" in os.fspath(given):
        raise ParameterError(f"{name} is no path: {told(given)}.", "Give the path of a file as text or as a Path.")
    return given


def _own(request: Request, ledger: Ledger) -> Request:
    """Return the request as one of this role alone: nobody else's answer is an answer to it."""
    if ledger.role is None:
        raise ParameterError(
            "a ledger in a file knows no roles: there is nobody else whose answer could be declined.",
            "Leave `own` out; it belongs to a team ledger on a server. Nothing was spent.",
        )
    return replaced(request, own=ledger.role)


def study(given: str | os.PathLike[str] | dict[str, Any] | None = None, **values: Any) -> Study:
    """Return a study from a TOML file, or from the same keys, without `format`, as a dict or as keywords.

    >>> s = study(dataset="people", relation="change-one", n=5000,
    ...           columns={"age": {"kind": "integer", "lower": 0, "upper": 120, "missing": "middle"}},
    ...           statistic=[{"kind": "mean", "column": "age", "epsilon": "0.5"}])
    >>> s.plan()
    Plan: epsilon 0.5 in total
      statistic  epsilon  share   ± error (95 %)
      mean(age)      0.5  ██████  ± 0.1440
    ± x: in 95 of 100 releases the number is within ± x of the table's.
    """
    if given is not None and values:
        raise ParameterError("a study is a file or values, not both.", "Give one of the two.")
    if given is None or isinstance(given, dict):
        found = study_from_values({"format": STUDY_FORMAT, **(given or {}), **values}, read_keys=read_keys)
    else:
        found = load_study(_path(given, "the study"), read_keys=read_keys)
        if found.data is not None and not is_address(found.data):  # relative to the file that names it
            found = replaced(found, data=str(Path(given).parent / found.data))
    return Study(found)
