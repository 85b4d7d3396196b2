"""Streams that outlive their readers: what nobody reads any more is written to nowhere, and the command goes on.

Room: cli. `snapdp verify record.json | head -1` closes the pipe after one line. The exit code is the verdict all the
same, and a release that was charged is finished. Terminals and files are left as they are: a full disk is a failure.
"""

from __future__ import annotations

import io
import sys
from typing import Any


class UnreadPipe(io.FileIO):
    """A file whose reader may go away."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            return len(data)


def outlive_readers() -> None:
    """Put streams that outlive their readers in the place of standard output and error where these are no terminals."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper) and stream is getattr(sys, f"__{name}__") and not stream.isatty():
            setattr(sys, name, _outliving(stream))


def _outliving(stream: io.TextIOWrapper) -> io.TextIOWrapper:
    stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(UnreadPipe(stream.fileno(), "w", closefd=False)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
