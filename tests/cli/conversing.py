"""Conversations on a terminal: a command that asks, and answers that are typed when it does."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Sequence
from pathlib import Path

import snapdp

SOURCE = Path(snapdp.__file__).parents[1]
END, INTERRUPT, KILL = "^D", "^C", "^K"  # an end of input, an interrupt, and the process killed
STOPS, PATIENCE = (END, INTERRUPT), 10  # what may be typed twice, and after how many seconds of silence
ASKING = (b"> ", b"]: ")
STYLE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
REFUSED = re.compile(r"^> .*\n\n?! ", re.MULTILINE)  # a line that begins so right behind an answer
COLUMNS = 80


def on_a_terminal(
    words: Sequence[str], answers: Sequence[str], *, stdout: int | None = None, **settings: str
) -> tuple[str, int]:
    """Run a command on a terminal of 80 columns and answer its questions; return what was shown, and how it ended."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, COLUMNS, 0, 0))
    plain = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES", "NO_COLOR")}
    environment = {**plain, "PYTHONPATH": str(SOURCE), "TERM": "xterm", **settings}
    command = [sys.executable, "-m", "snapdp", *words]
    streams = {"stdin": theirs, "stdout": theirs if stdout is None else stdout, "stderr": theirs}
    with subprocess.Popen(command, env=environment, start_new_session=True, **streams) as running:  # type: ignore[call-overload]
        os.close(theirs)
        shown = _answered(ours, running.pid, list(answers))
        running.wait()
    os.close(ours)
    return shown.decode().replace("\r\n", "\n"), int(running.returncode)


def _answered(terminal: int, process: int, answers: list[str]) -> bytes:
    shown, seen, last = b"", 0, ""
    try:
        while True:
            if not select.select([terminal], [], [], PATIENCE)[0]:
                if last in STOPS:  # it came in the moment before the process waited, and was lost: as people do, again
                    _type(terminal, process, last)
                continue
            if not (more := os.read(terminal, 65536)):
                break
            shown += more
            if shown[seen:].endswith(ASKING):
                seen, last = len(shown), answers.pop(0) if answers else END
                _type(terminal, process, last)
    except OSError:  # Linux ends a terminal so
        pass
    return shown


def _type(terminal: int, process: int, answer: str) -> None:
    if answer == INTERRUPT:
        os.killpg(process, signal.SIGINT)
    elif answer == KILL:
        os.killpg(process, signal.SIGKILL)
    else:
        os.write(terminal, b"\x04" if answer == END else answer.encode() + b"\n")


def without_style(shown: str) -> str:
    """Return what was shown without colours and weights."""
    return STYLE.sub("", shown)


def too_long(shown: str) -> list[str]:
    """Return the lines that do not fit the terminal."""
    return [line for line in without_style(shown).split("\n") if len(line) > COLUMNS]


def refusals(shown: str) -> int:
    """Return how many answers were not taken, or led to a statistic that is left out."""
    return len(REFUSED.findall(shown))
