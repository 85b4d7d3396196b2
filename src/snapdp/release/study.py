"""The public study: what is declared and asked, with its plan and its release as methods.

Room: release. Thin methods over planner and engine.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from snapdp.data.engines import Table, Watch, open_table
from snapdp.data.postgres import is_address
from snapdp.errors import ParameterError
from snapdp.planner import study as declared
from snapdp.planner.plan import Plan
from snapdp.release.engine import release
from snapdp.release.ledger import Ledger
from snapdp.release.request import Request
from snapdp.release.result import Release
from snapdp.values import replaced


class Study(declared.Study):
    __doc__ = declared.Study.__doc__

    def plan(self) -> Plan:
        """Return what every statistic costs and is worth. No data is opened."""
        return declared.plan_of(self)

    def request(self, plan: Plan | None = None) -> Request:
        """Return the request that a release would make; a plan of this study may be given instead of its own."""
        return Request(dataset=self.dataset, plan=plan or self.plan())

    def sql(self, table: Any = None) -> str:
        """Return the statement that will run: on a table, or on one with every column in its natural type."""
        from snapdp.data.engines import statement
        from snapdp.queries.exact import aggregates_of

        asked = aggregates_of(each.query for each in self.requests)
        return statement(asked) if table is None else self.table(table).statement(asked, salt=self.dataset)

    def release(
        self,
        table: Any = None,
        *,
        ledger: str | os.PathLike[str] | Ledger,
        plan: Plan | None = None,
        directory: str | os.PathLike[str] = ".",
        watch: Watch | None = None,
        own: bool = False,
    ) -> Release:
        """Release all statistics: charge the ledger, draw, record. The same request again is free.

        table      what `snapdp.open_table` returns, or anything it takes; the study's own `data` where left out
        ledger     a path, or an open Ledger; it has an account named like the study's dataset
        plan       a fitted plan of this study, instead of the epsilons as typed
        directory  where the files of very long histograms go
        own        on a team ledger: draw and pay anew instead of taking what another role drew
        """
        request = self.request(plan)
        opened = self.table(table)
        if isinstance(ledger, Ledger):
            return _released(_own(request, ledger) if own else request, opened, ledger, directory, watch)
        with Ledger.open(ledger) as book:
            return _released(_own(request, book) if own else request, opened, book, directory, watch)

    def table(self, table: Any = None) -> Table:
        """Return the table to release from: the one given, or the one that the study names."""
        if isinstance(table, Table):
            return table
        if table is None and self.data is None:
            raise ParameterError("the study names no data.", "Give a table or a path, or data in the study.")
        return open_table(self.data if table is None else table)


def _released(
    request: Request, table: Table, ledger: Ledger, directory: str | os.PathLike[str], watch: Watch | None
) -> Release:
    outcome = release(request, table, ledger, directory=Path(directory), watch=watch)
    return Release(outcome.record, free=outcome.free, author=outcome.author)


def _own(request: Request, ledger: Ledger) -> Request:
    """Return the request as one of this role alone: nobody else's answer is an answer to it."""
    if ledger.role is None:
        raise ParameterError(
            "a ledger in a file knows no roles: there is nobody else whose answer could be declined.",
            "Leave `own` out; it belongs to a team ledger on a server. Nothing was spent.",
        )
    return replaced(request, own=ledger.role)


def study(given: str | os.PathLike[str] | dict[str, Any] | None = None, **values: Any) -> Study:
    """Return a study from a TOML file, or from the same keys as a dict or as keywords.

    >>> s = study(dataset="people", relation="change-one", n=5000,
    ...           columns={"age": {"kind": "integer", "lower": 0, "upper": 120}},
    ...           statistic=[{"kind": "mean", "column": "age", "epsilon": "0.5"}])
    >>> s.plan()
    plan: epsilon 1/2
      mean(age)  1/2  +-0.1440 at alpha 1/20
    """
    if given is not None and values:
        raise ParameterError("a study is a file or values, not both.", "Give one of the two.")
    if given is None or isinstance(given, dict):
        found = declared.study_from_values({"version": 1, **(given or {}), **values})
    else:
        found = declared.load_study(given)
        if found.data is not None and not is_address(found.data):  # relative to the file that names it
            found = replaced(found, data=str(Path(given).parent / found.data))
    return Study(**{name: getattr(found, name) for name in found._fields})
