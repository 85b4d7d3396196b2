"""The command, called as people call it, in this process and on a screen of 80 columns."""

from __future__ import annotations

import shlex
from typing import Any

from click.testing import CliRunner

from snapdp.cli.app import BROKEN, main


def run(line: object, *words: object, code: int | None = 0, stdin: str | None = None, **settings: Any) -> Any:
    """Return what a command printed; it ends with this exit code, or with any where that is None.

    line    as it is typed; further words are taken as they are
    """
    typed = [*shlex.split(str(line)), *map(str, words)]
    done = CliRunner(**settings).invoke(main, typed, input=stdin, env={"COLUMNS": "80"})
    assert ("snapdp broke" in done.stderr) == (code == BROKEN), done.stderr
    assert code in (done.exit_code, None), done.output + done.stderr
    return done
