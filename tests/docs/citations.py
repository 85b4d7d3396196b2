"""What the code cites of docs/theory: pages, and the numbers of their equations.

A citation is a page and numbers: "planning (6)", "docs/theory/planning.md, (3)-(8)", "release-certificates.md [1]-[6]",
"(5) of docs/theory/error-bounds.md". The page "theory" is the first one that the header of the module names.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_GAP = r"(?:\s|#)+"  # numbers may stand on the next line, in a comment too


def _several(number: str) -> str:
    run = rf"{number}(?:-{number})?"
    return rf"{run}(?:(?:,|,?{_GAP}and){_GAP}{run})*"


_NUMBERS = "(?P<numbers>" + _several(r"\(\d+\)") + "|" + _several(r"\[\d+\]") + ")"  # a page numbers in one way


class Citation(NamedTuple):
    page: str
    number: int


def named_page(source: str) -> str | None:
    """Return the page that the header of a module names first: what "theory" means in it."""
    found = re.search(r"docs/theory/([a-z-]+)\.md", ast.get_docstring(ast.parse(source)) or "")
    return found[1] if found else None


def citations(source: str, pages: Iterable[str]) -> Iterator[Citation]:
    """Yield every equation that the text of a module cites; the page of a "theory" that no header names is "theory"."""
    own = named_page(source) or "theory"
    known = "|".join(sorted(map(re.escape, pages), key=len, reverse=True))
    page = rf"(?:docs/theory/(?P<path>[a-z-]+)\.md|(?<![\w-])(?P<name>[Tt]heory|{known})(?:\.md)?)"
    after = rf"{page}(?:,{_GAP}equations|,{_GAP}below|,)?{_GAP}{_NUMBERS}"
    before = rf"{_NUMBERS} of {page}"
    for form in (after, before):
        for match in re.finditer(form, source):
            named = match["path"] or match["name"].lower()
            for number in numbers_in(match["numbers"]):
                yield Citation(own if named == "theory" else named, number)


def numbers_in(text: str) -> Iterator[int]:
    """Yield 3, 4, 5, 9 of "(3)-(5), (9)"."""
    for first, last in re.findall(r"(\d+)\W(?:-\W(\d+))?", text):
        yield from range(int(first), int(last or first) + 1)


def pages_named(source: str) -> list[str]:
    """Return the pages that the text of a module names by their path, with numbers or without."""
    return re.findall(r"docs/theory/([a-z-]+)\.md", source)
