"""`--plot FILE`: where a command writes its picture, and what is said where it cannot.

Room: cli. Nothing is drawn here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from snapdp.errors import SnapdpError


def _known(_: click.Context, __: click.Parameter, path: Path | None) -> Path | None:
    if path is not None and path.suffix != ".svg":
        raise click.UsageError(f"--plot writes SVG, to a name that ends in .svg, not in '{path.suffix}'.")
    return path


picture_option = click.option(
    "--plot",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=_known,
    help="Write a picture, FILE.svg.",
)


@contextmanager
def writing_picture(path: Path) -> Iterator[None]:
    """Say in the words of commands that a file cannot be written; other refusals pass."""
    try:
        yield
    except (SnapdpError, ValueError) as problem:
        if isinstance(problem, SnapdpError) and "reason" not in problem.numbers:  # not about the file
            raise
        why = problem.numbers["reason"] if isinstance(problem, SnapdpError) else "no such name can be used"
        raise click.UsageError(f"--plot {path} cannot be written: {why}.") from None
