"""The process of the command: streams that are open, and Ctrl-C, which ends whatever is under way with one line.

A library that is interrupted may raise an error of its own, or fail to be imported. So the signal is
remembered: `was_interrupted` tells such an error from a defect. This module imports little, because nothing before
`run` can be ended in one line.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

STOPPED = 1  # the exit code of a command that was interrupted, or whose question was answered with no
_interrupts: list[int] = []


def run() -> None:
    """Run the command `snapdp`."""
    try:
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not where the signal is ignored
            signal.signal(signal.SIGINT, _interrupt)
        _open_streams()
        from snapdp.cli.app import main

        main(prog_name="snapdp")
    except SystemExit:
        _end()
        raise
    except BaseException as problem:  # while the command itself was imported, or was ending
        _end()
        if not isinstance(problem, KeyboardInterrupt) and not was_interrupted():
            raise
        os.write(2, b"Stopped.\n")
        sys.exit(STOPPED)


def was_interrupted() -> bool:
    """Return whether Ctrl-C was pressed since the command started."""
    return bool(_interrupts)


def _interrupt(number: int, frame: Any) -> None:
    _interrupts.append(number)
    signal.default_int_handler(number, frame)


def _end() -> None:
    """Let the process end undisturbed: its exit code is decided."""
    if signal.getsignal(signal.SIGINT) is _interrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _open_streams() -> None:
    """Let nothing that is opened from now on become standard input, output or error, and give Python all three."""
    if None not in (sys.stdin, sys.stdout, sys.stderr):
        return
    from snapdp.ledger.storage.sqlite_connection import fill_standard_streams

    fill_standard_streams()
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:  # the stream was closed when Python started
            stream = open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115 - for the life of the process
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)
