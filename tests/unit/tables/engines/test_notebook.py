"""A release inside a notebook: the engine's own progress bar is never needed, and never shown."""

from __future__ import annotations

import os
from contextlib import contextmanager

import duckdb
import pytest

from snapdp.studies.aggregates import Count
from snapdp.tables.engines.opening import open_table

RELEASE = """
import snapdp
with snapdp.Ledger.create({ledger!r}) as ledger:
    ledger.create_account("people", cap=1, relation="change-one", rows=3)
study = snapdp.study(
    format=1, dataset="people", relation="change-one", n=3,
    columns={{"age": {{"kind": "integer", "lower": 0, "upper": 120, "missing": "middle"}}}},
    statistic=[{{"kind": "mean", "column": "age", "epsilon": "1/2"}}],
)
for data in ({{"age": [1, 2, 3]}}, {csv!r}):
    result = study.release(data, ledger={ledger!r})
print(result.record["charged"])
"""


class WithoutWidgets:
    """A connection of DuckDB as a notebook without ipywidgets has it."""

    def __init__(self, connection):
        self._connection = connection

    def execute(self, statement, *more):
        if statement.startswith("SET enable_progress_bar"):  # whatever it is set to
            raise duckdb.InvalidInputException("required package 'ipywidgets' is missing")
        return self._connection.execute(statement, *more)

    def __getattr__(self, name):
        return getattr(self._connection, name)


def test_an_engine_that_cannot_show_progress_reads_tables_all_the_same(monkeypatch):
    connect, watched = duckdb.connect, []
    monkeypatch.setattr(duckdb, "connect", lambda *given, **named: WithoutWidgets(connect(*given, **named)))

    @contextmanager
    def watch(connection):
        watched.append(connection)
        yield

    table = open_table({"age": [1, 2, 3]})
    assert table.aggregates([Count()]).rows == 3
    assert table.aggregates([Count()], watch=watch).rows == 3  # a front end that would show a bar shows none
    assert watched == []
    monkeypatch.undo()
    assert table.aggregates([Count()], watch=watch).rows == 3
    assert len(watched) == 1


@pytest.mark.long
def test_a_release_in_a_kernel_without_widgets(tmp_path):
    """In a real kernel: no error, and nothing on the screen but what was printed."""
    from jupyter_client.manager import start_new_kernel

    (tmp_path / "people.csv").write_text('age,name\n1,"a"\n2,b\n3,c\n')
    code = RELEASE.format(ledger=str(tmp_path / "people.ledger"), csv=str(tmp_path / "people.csv"))
    manager, client = start_new_kernel(kernel_name="python3", env=dict(os.environ))
    messages: list[dict] = []
    try:
        reply = client.execute_interactive(
            "import sys; sys.modules['ipywidgets'] = None\n" + code, timeout=120, output_hook=messages.append
        )
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    assert reply["content"]["status"] == "ok", reply["content"].get("traceback")
    shown = [each["content"] for each in messages if each["msg_type"] in ("stream", "display_data", "execute_result")]
    assert shown == [{"name": "stdout", "text": "1/2\n"}]
