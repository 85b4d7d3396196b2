"""Files written whole or not at all: a draft beside the target, made durable, then given its name; and files opened to
be read, without waiting for anyone.

It imports errors alone, so that every package and command can write with it. A reader never sees half a file, and
a failure leaves what was there before. What is no regular file (a pipe, a device) has no name to give to a draft: texts
are written into it as it is.
"""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

from snapdp.errors import DataError


def open_regular(path: str | os.PathLike[str]) -> BufferedReader:
    """Open a regular file to be read; OSError for a directory, a device, or a pipe, whose writer might never come."""
    file = open(path, "rb", opener=_open_without_waiting)  # noqa: SIM115
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "it is not a regular file")
    return file


def _open_without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def write_text(text: str, path: Path) -> None:
    """Write a text file, whole or not at all."""
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as problem:
            raise _unwritable(path, problem) from None
        return
    with draft(path.parent, path.suffix) as found:
        found.write_text(text, encoding="utf-8")
        finish(found, path)


def write_new_text(text: str, path: Path) -> None:
    """Write a text file that is not there yet, whole or not at all; one that came meanwhile is left as it is."""
    with draft(path.parent, path.suffix) as found:
        found.write_text(text, encoding="utf-8")
        _make_durable(found)
        try:
            _claim(found, path)
        except FileExistsError:
            raise DataError(f"{str(path)!r} exists; it is not overwritten.", "Choose another name.") from None


def _claim(made: Path, target: Path) -> None:
    """Give a draft a name that nothing has; a renaming alone would replace what has it."""
    try:
        os.link(made, target)
    except FileExistsError:
        raise
    except OSError:  # a disk without hard links: the name is taken first, by an empty file
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        os.replace(made, target)


@contextmanager
def draft(directory: Path, suffix: str) -> Iterator[Path]:
    """Make an empty draft in a directory; it is removed at the end, unless `finish` gave it another name."""
    try:
        handle, name = tempfile.mkstemp(prefix=".snapdp-", suffix=suffix, dir=directory)
    except OSError as problem:
        raise _unwritable(directory, problem) from None
    os.close(handle)
    made = Path(name)
    try:
        yield made
    except OSError as problem:
        raise _unwritable(directory, problem) from None
    finally:
        made.unlink(missing_ok=True)


def finish(made: Path, target: Path) -> None:
    """Make a draft durable under its final name."""
    _make_durable(made)
    os.replace(made, target)


def _make_durable(made: Path) -> None:
    """Bring a draft to the disk, and let those read it who may read other new files."""
    handle = os.open(made, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
    mask = os.umask(0)
    os.umask(mask)
    made.chmod(0o666 & ~mask)


def _unwritable(place: Path, problem: OSError) -> DataError:
    return DataError(
        f"a file cannot be written to {str(place)!r}: {problem.strerror}.",
        "Choose another place.",
        reason=problem.strerror,
    )
