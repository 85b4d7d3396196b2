"""A progress bar while a table is scanned: on stderr, on a terminal only, after a moment.

Room: cli. It shows the share of the scan that the engine has done, nothing that was found in it.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from snapdp.cli.screen import console

PATIENCE = 0.5  # seconds before a bar appears
GLANCE = 0.1


@contextmanager
def watch(connection: Any) -> Iterator[None]:
    """Show how far the connection's scan is, until the block ends."""
    if not sys.stderr.isatty() or not hasattr(connection, "query_progress"):  # other engines do not tell
        yield
        return
    done = threading.Event()
    shown = threading.Thread(target=_show, args=(connection, done), daemon=True)
    shown.start()
    try:
        yield
    finally:
        done.set()
        shown.join()


def _show(connection: Any, done: threading.Event) -> None:
    if done.wait(PATIENCE):
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (TextColumn("reading"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console(err=True), transient=True) as bar:
        task = bar.add_task("reading", total=100.0)
        while not done.wait(GLANCE):
            bar.update(task, completed=max(0.0, float(connection.query_progress())))
