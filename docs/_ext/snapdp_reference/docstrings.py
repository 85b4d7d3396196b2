"""Docstrings of the package as reStructuredText: they are plain text, and shown as it reads.

A docstring has paragraphs, examples (>>>), formulas and tables (indented, kept as they are), lists, and what parameters
mean: lines of a name, two or more blanks, and words. Backquotes stand around code, asterisks around a *word* that is
stressed. Every other sign means itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_PAIR = re.compile(r"(\*{0,2}[\w.\"'\[\]]+(?:(?:,| and| or) [\w.\"']+)*)(?: {2,}|\t)(\S.*)")
_ITEM = re.compile(r"[-*] +(.*)")
_CODE = re.compile(r"`([^`]+)`")
_STRESSED = re.compile(r"((?<![\w*])\*\w[\w -]*\*(?![\w*]))")
BREAK = "\\ "  # nothing, between code and a letter
_SIGNS = re.compile(r"([\\*_|`])")


def as_rst(lines: Sequence[str]) -> list[str]:
    """Return the lines of a docstring as lines of reStructuredText."""
    return [line for block in _blocks(lines) for line in (*_block(block), "")]


def _blocks(lines: Sequence[str]) -> Iterator[list[str]]:
    """Yield what stands between empty lines; where parameters or examples begin without one, they are their own."""
    block: list[str] = []
    for line in lines:
        begins, before = _kind(line), _kind(block[0]) if block else ""
        stays = before in ("example", "pair") and begins != "example"
        if block and (not line.strip() or (begins and begins != before and not stays)):
            yield block
            block = []
        if line.strip():
            block.append(line)
    if block:
        yield block


def _kind(line: str) -> str:
    """Return what begins with a line; nothing where it may go on with anything."""
    if line.startswith(">>>"):
        return "example"
    if line.startswith(" "):
        return ""
    return "pair" if _PAIR.fullmatch(line) else "item" if _ITEM.fullmatch(line) else "prose"


def _block(block: list[str]) -> list[str]:
    kind = _kind(block[0])
    if kind == "example":
        return block
    if kind == "":
        least = min(len(line) - len(line.lstrip()) for line in block)
        return ["::", "", *(f"    {line[least:]}" for line in block)]
    if kind == "pair":
        return [line for name, words in _pairs(block) for line in (f"``{name}``", f"    {inline(words)}")]
    if kind == "item":
        return [f"- {inline(words)}" for words in _items(block)]
    if any(line.startswith("  ") for line in block[1:]) or any("   " in line for line in block):
        return [f"| {inline(line)}" for line in block]  # lines that were set by hand
    return [inline(" ".join(block))]


def _pairs(block: list[str]) -> list[list[str]]:
    """Return names and what is said of them: words stand in one column, or two blanks behind a longer name."""
    first = _PAIR.fullmatch(block[0])
    assert first is not None
    column, found = first.start(2), []
    for line in block:
        match, aligned = _PAIR.fullmatch(line), line[column - 1 : column + 1]
        if match:
            found.append(list(match.groups()))
        elif not line.startswith(" ") and len(aligned) == 2 and aligned[0] == " " != aligned[1]:
            found.append([line[:column].strip(), line[column:]])
        else:
            found[-1][1] += f" {line.strip()}"
    return found


def _items(block: list[str]) -> list[str]:
    found: list[str] = []
    for line in block:
        match = _ITEM.fullmatch(line)
        if match:
            found.append(match[1])
        else:
            found[-1] += f" {line.strip()}"
    return found


def inline(text: str) -> str:
    """Return a text in which backquotes stand around code, and every other sign means itself.

    >>> inline("2**-53 of `x`, as *args")
    '2\\\\*\\\\*-53 of ``x``, as \\\\*args'
    """
    parts, end = [], 0
    for found in _CODE.finditer(text):
        before, after = text[: found.start()][-1:], text[found.end() :][:1]
        parted = f"{BREAK * before.isalnum()}``{found[1].strip()}``{BREAK * after.isalnum()}"
        parts += [_escaped(text[end : found.start()]), parted]
        end = found.end()
    return "".join([*parts, _escaped(text[end:])])


def _escaped(text: str) -> str:
    """Return a text whose signs mean themselves, but for a word *between asterisks*."""
    return "".join(part if place % 2 else _SIGNS.sub(r"\\\1", part) for place, part in enumerate(_STRESSED.split(text)))
