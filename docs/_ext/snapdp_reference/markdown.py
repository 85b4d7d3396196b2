"""Markdown of generated parts of pages: tables, and any text as it stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_SIGNS = re.compile(r"([\\*_\[\]<>$#|{}~^`])")
_CODE = re.compile(r"`[^`]+`")


def plain(text: str) -> str:
    """Return a text as Markdown that shows it as it stands; what is in backquotes stays code.

    >>> plain("a*b < 2**53, see `snapdp plan --n 5`")
    'a\\\\*b \\\\< 2\\\\*\\\\*53, see `snapdp plan --n 5`'
    """
    parts, end = [], 0
    for found in _CODE.finditer(text):
        parts += [_SIGNS.sub(r"\\\1", text[end : found.start()]), found[0]]
        end = found.end()
    return "".join([*parts, _SIGNS.sub(r"\\\1", text[end:])])


def cell(text: str) -> str:
    """Return Markdown as one cell of a table.

    >>> print(cell("`A | B`, on \\n two lines"))
    `A \\| B`, on two lines
    >>> print(cell(cell("A | B")))
    A \\| B
    """
    return " ".join(re.sub(r"(?<!\\)\|", r"\\|", text).split())


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table, whose cells are Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(map(cell, line))} |" for line in lines)


def fenced(text: str, language: str) -> str:
    """Return a block of code."""
    return f"```{language}\n{text}\n```"
