"""What was named on the command line: the study to begin with, the table, the ledger, and where files go.

Nothing else of the disk can be reached: no request names a file. A study that comes from the page says what
is asked, never where rows or keys are; a file of keys is read only where the study named on the command line has it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import date
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from snapdp.api.outline import study_values_of
from snapdp.api.study import Study, study
from snapdp.display.text import is_address, one_line, shown_address, visible
from snapdp.errors import LedgerError, ParameterError, SnapdpError
from snapdp.ledger.accounts import Account
from snapdp.ledger.book import EarlierReleases, earlier_releases
from snapdp.ledger.ledger import Ledger
from snapdp.studies.grouping.keys import Keys
from snapdp.studies.study_file import csv_form, keys_beside, study_from_values
from snapdp.tables.engines.engine import Engine
from snapdp.tables.engines.opening import may_be_cells, open_table, stored_columns
from snapdp.tables.keys import read_keys
from snapdp.values import Facts, Value, Values

MOST_STATISTICS, MOST_ITEMS = 60, 20_000  # of a study on the page, and of all its lists: larger ones plan for long
MOST_TEXT = 1 << 20  # characters of a study
MOST_NUMBERS = 1_000_000  # that all its statistics release
DAYS = {"week": 7, "month": 28, "year": 365}  # of a period, at least
CELLS = (
    "The first line of the file may be one of cells, not of names: its words look like numbers, dates or addresses. "
    "They are not shown. Type the names of columns yourself, or give the file a line of names."
)


@lru_cache(maxsize=8)
def _released(ledger: str, account: str, head: str) -> EarlierReleases:  # noqa: ARG001 - the head stands for all of it
    try:
        with Ledger.open(ledger) as book:
            return earlier_releases(book.recent(account))
    except LedgerError:  # a ledger that is not sound refuses when it is charged, and says why
        return EarlierReleases(requests={}, statistics={})


def _items(value: Any) -> int:
    """Return how many entries all lists and tables of a study have."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return len(inner) + sum(map(_items, inner)) + (_periods(value) if isinstance(value, dict) else 0)


def _periods(column: Facts) -> int:
    """Return about how many periods a column of dates has: three words stand for all of them.

    >>> _periods({"from": "2020-01-01", "to": "2023-01-01", "each": "day"}), _periods({"from": 3, "to": "x"})
    (1096, 0)
    """
    try:
        begin, end = (date.fromisoformat(str(column[key])) for key in ("from", "to"))
    except (KeyError, ValueError):
        return 0
    return max(0, (end - begin).days) // DAYS.get(str(column.get("each")), 1)


def _too_large(what: str) -> ParameterError:
    return ParameterError(f"{what}: the page would not answer while you type.", "Use a study file and the commands.")


class Workplace(Value):
    """Where everything is.

    study      a study file to begin with
    data       the table: a file, or the address of a server
    table      of a file or server that has several
    ledger     a file, or the address of a server; it need not be there yet
    directory  where long tables of releases go
    """

    directory: Path
    study: Path | None = None
    data: str | None = None
    table: str | None = None
    ledger: str | None = None

    # Studies

    def opened_study(self) -> Study | None:
        """Return the study that was named; None where none was."""
        return None if self.study is None else study(self.study)

    def asked(self, values: Facts) -> Study:
        """Return the study that the page asks for; where its rows are is not for the page to say."""
        kept = {key: value for key, value in values.items() if key != "data"}
        statistics = kept.get("statistic")
        if isinstance(statistics, list) and len(statistics) > MOST_STATISTICS:
            raise _too_large(f"there are more than {MOST_STATISTICS} statistics")
        if len(json.dumps(kept)) > MOST_TEXT:
            raise _too_large(f"it has more than {MOST_TEXT} characters")
        if _items(kept) > MOST_ITEMS:
            raise _too_large(f"categories, periods, edges and conditions are more than {MOST_ITEMS} together")
        declared = study_from_values(kept, read_keys=self.read_keys)
        if sum(each.statistic.cells for each in declared.asked) > MOST_NUMBERS:
            raise _too_large(f"the statistics have more than {MOST_NUMBERS} numbers together")
        return Study(declared)

    def read_keys(self, given: str, names: Sequence[str]) -> Keys:
        """Read a file of keys that the study named on the command line has."""
        if self.study is None or given not in self._keys_of_study():
            raise ParameterError(
                f"keys = {one_line(given)!r} is not read by the page.",
                "Start it with a study that names this file: snapdp serve STUDY.toml.",
                key="keys",
            )
        reader = keys_beside(self.study, read_keys)
        return reader(given, names)

    def _keys_of_study(self) -> set[str]:
        found = self.opened_study()
        lines = [] if found is None else study_values_of(found.declared)["statistic"]
        return {each["keys"] for each in lines if isinstance(each.get("keys"), str)}

    # The table

    def opened_table(self, asked: Study) -> Engine:
        """Return the table to read, written as the study says."""
        if self.data is None:
            raise ParameterError(
                "no table was named: the page plans, and releases nothing.", "Start it with snapdp serve --data FILE."
            )
        return asked.table(open_table(self.data, table=self.table, dialect=asked.csv))

    @property
    def table_shown(self) -> str:
        """Return what the table is called; empty where none was named."""
        data = self.data or ""
        return visible(shown_address(data) if is_address(data) else Path(data).name)

    def known_columns(self, form: Any) -> Values | None:
        """Return the names of the table's columns, never a cell; None where no table was named.

        form   how the file is written, as a study says it
        A first line that may be one of cells is not shown.
        """
        if self.data is None:
            return None
        found = {"name": self.table_shown, "columns": [], "problem": ""}
        try:
            columns = stored_columns(self.data, table=self.table, dialect=None if form is None else csv_form(form))
        except SnapdpError as refusal:
            return {**found, "problem": f"{refusal.problem} {refusal.advice}"}
        if may_be_cells(columns):
            return {**found, "problem": CELLS}
        return {**found, "columns": [{"name": each.name, "kind": each.kind} for each in columns]}

    # The ledger

    @property
    def has_ledger(self) -> bool:
        """Tell whether the ledger is there."""
        if self.ledger is None:
            return False
        if not is_address(self.ledger):
            return os.path.exists(self.ledger)
        from snapdp.ledger.storage.postgres import has_ledger

        return has_ledger(self.ledger)

    @property
    def ledger_shown(self) -> str:
        return "" if self.ledger is None else visible(shown_address(self.ledger))

    @contextmanager
    def opened_ledger(self) -> Iterator[Ledger]:
        """Open the ledger for as long as something is asked of it: it is not held while nobody releases."""
        if not self.has_ledger or self.ledger is None:
            raise LedgerError("there is no ledger yet.", "Open one first. Nothing was spent.", lacking="ledger")
        with Ledger.open(self.ledger) as ledger:
            self._recognise(ledger)
            yield ledger

    @cached_property
    def _seen(self) -> set[str]:
        """Which ledger was here since the page runs."""
        return set()

    def _recognise(self, ledger: Ledger) -> None:
        if self._seen and ledger.identity not in self._seen:
            raise LedgerError(
                "this is another ledger than the one that was here.",
                "Put that back, or end the page and start it again. Nothing was spent.",
            )
        self._seen.add(ledger.identity)

    def open_account(self, asked: Study, *, cap: str | None) -> Account:
        """Open the account of a study, in the ledger that was named or in a new one of that name."""
        if self.ledger is None:
            raise LedgerError("no ledger was named.", "Start the page with snapdp serve --ledger FILE.")
        asked.request()  # refused now, where it could never be asked
        if self._seen and not self.has_ledger:
            raise LedgerError(
                "the ledger that was here is gone.",
                "Put it back: a new one would forget what was spent. Nothing was changed.",
            )
        with Ledger.open(self.ledger) if self.has_ledger else Ledger.create(self.ledger) as ledger:
            self._recognise(ledger)
            return ledger.create_account_for(asked, cap=cap)

    def account(self, dataset: str) -> Account | None:
        """Return how the account of a dataset stands; None where there is none, or no ledger."""
        if not self.has_ledger:
            return None
        with self.opened_ledger() as ledger, suppress(LedgerError):
            return ledger.account(dataset)
        return None

    def released_before(self, account: Account) -> EarlierReleases:
        """Return what an account has released; read once for each state of the account."""
        return _released(str(self.ledger), account.name, account.head)
