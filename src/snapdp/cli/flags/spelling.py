"""What the library advises about a keyword, as a command line spells it: arithmetic="proved" is --arithmetic proved.

Room: cli. Library errors never name flags. A keyword that the command has no flag for stays as it is: it is Python's.
"""

from __future__ import annotations

import re
from collections.abc import Collection

_KEYWORD = re.compile(r"(?<!\w)([a-z_]+)=(?:\"([^\"\s]+)\"|\((\w+), (\w+)\)|([\w/]+))")
_CALL = re.compile(r"\w\(")


def in_flags(advice: str, names: Collection[str]) -> str:
    """Return an advice with the keywords that are flags of a command written as flags.

    >>> in_flags('Give arithmetic="proved" with it, or clamp=(low, high), or method="tight".', ["arithmetic", "clamp"])
    'Give --arithmetic proved with it, or --clamp low,high, or method="tight".'
    """
    inside = {place for call in _CALL.finditer(advice) for place in _brackets(advice, call.end() - 1)}

    def flag(found: re.Match[str]) -> str:
        name, text, low, high, word = found.groups()
        if name not in names or found.start() in inside:
            return found[0]
        return f"--{name.replace('_', '-')} {text or word or f'{low},{high}'}"

    return _KEYWORD.sub(flag, advice)


def _brackets(text: str, start: int) -> range:
    """Return what stands inside the bracket that opens at a place: keywords there belong to the call before it."""
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] == "(") - (text[place] == ")")
        if depth == 0:
            return range(start, place)
    return range(start, len(text))
