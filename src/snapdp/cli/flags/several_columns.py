"""Several columns behind a flag that takes one, `--histogram club,active`: what to type instead.

Room: cli. A name may hold commas, so such a text is one column, and is read as one. Only where it is refused, because
nothing declares a column of that name or the table has none, is it said how several are asked for.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from snapdp.cli.flags.by_name import as_item, name_before
from snapdp.cli.flags.columns import group_names
from snapdp.studies import KINDS, Quantiles, Statistic

DECLARING = ("bounds", "categories", "edges", "date", "step", "boolean")


@contextmanager
def several_told(options: dict[str, Any]) -> Iterator[None]:
    """Add to a refusal of a name with commas what to type if it is several columns; keep it for a table without it."""
    meant = several_meant(options)
    context = click.get_current_context(silent=True)
    if context is not None:
        context.meta["snapdp.several"] = meant
    try:
        yield
    except click.UsageError as misuse:
        told = [said for name, said in meant.items() if name in misuse.message or as_item(name) in misuse.message]
        if not told:
            raise
        raise click.UsageError(" ".join([misuse.message, *told[:1]]), misuse.ctx) from None


def several_meant(options: dict[str, Any]) -> dict[str, str]:
    """Return what to type for each name with commas that no flag declares, if it is several columns."""
    declared = {name_before(text) for key in DECLARING for text in options[key]}
    flags = [(kind.kind, kind) for kind in KINDS.values() if kind.takes == 1] + [("median", Quantiles)]
    found = {}
    for flag, kind in flags:
        for text in options[flag]:
            names = [each.strip() for each in text.split(",")]
            if len(names) > 1 and all(names) and '"' not in text and text not in declared:
                instead = _instead(flag, kind, names, options)
                found[text] = f'"{text}" is taken for one column. If it is several: {instead}.'
    return found


def _instead(flag: str, kind: type[Statistic], names: Sequence[str], options: dict[str, Any]) -> str:
    """Return the flags for several columns: means that share a count, a table by all of them, or one flag for each."""
    if kind.several:
        return f"--{flag}s {_list(names)}"
    if "edges" in kind.details:
        lists = " ".join(f"--categories {shlex.quote(as_item(name))}=..." for name in names)
        by = f"--count --by {_list([*group_names(options), *names])}"
        return f"{by} {lists} (or --date, --boolean, --edges with --bounds)"
    return " ".join(f"--{flag} {shlex.quote(name)}" for name in names)


def _list(names: Sequence[str]) -> str:
    return shlex.quote(",".join(map(as_item, names)))
