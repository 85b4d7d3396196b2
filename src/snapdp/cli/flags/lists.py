"""Lists and names inside the words of a command: north,"south, east" as in CSV, and what stands before a sign.

Names of columns and categories may hold commas, signs and quotes. Nothing here knows of statistics or columns, so that
commands which need only names load none of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import click

_QUOTED = re.compile(r'\s*"((?:[^"]|"")*)"\s*(,|$)')
_SEMICOLON = re.compile(r';(?=(?:[^"]*"[^"]*")*[^"]*$)')  # with an even number of quotes behind it


def items(text: str, *, any_text: bool = False) -> list[str]:
    """Return the items of a list; one in double quotes is what stands between them, with quotes doubled, as in CSV.

    any_text   an item may be any text, and an empty one would be taken for one: refuse it, unless it is in quotes

    >>> items("north, south"), items('"south, east" ,""'), items('"a ""b"" c"'), items("")
    (['north', 'south'], ['south, east', ''], ['a "b" c'], [''])
    """
    found = []
    opened: str | None = None  # an item that begins with a single quote, which is no quote here
    rest: str | None = text
    while rest is not None:
        match = _QUOTED.match(rest)
        if match is None and rest.lstrip().startswith('"'):
            raise click.UsageError(
                f"{text} has a quote that is not closed, or something behind one that is. An item with a comma in it "
                'stands in double quotes, and a quote in there twice: "south, east",north.'
            )
        if match is None:
            item, comma, behind = rest.partition(",")
            if any_text and not item.strip():
                what = f"{text} has an item that is empty" if text.strip() else "A list is empty"
                raise click.UsageError(
                    f'{what}. Leave its comma out; an empty text that is meant stands in double quotes: north,"".'
                )
            found.append(item.strip())
            opened = item.strip() if opened is None and item.strip().startswith("'") else opened
            if opened is not None and item.strip().endswith("'") and item.strip() != "'":
                raise click.UsageError(
                    f"{text} has single quotes, which belong to the texts themselves: {opened} would be one of them. "
                    "An item with a comma in it stands in double quotes, and so does one that has such quotes: "
                    '"south, east",north.'
                )
        else:
            comma, behind = match[2], rest[match.end() :]
            found.append(match[1].replace('""', '"'))
        rest = behind if comma else None
    return found


def as_item(name: str) -> str:
    """Return a name as it stands in a list: in quotes where it would be taken for another.

    >>> as_item("region"), as_item("south, east"), as_item("")
    ('region', '"south, east"', '""')
    """
    plain = name and name == name.strip() and not name.startswith("'") and not any(sign in name for sign in ',;="')
    return name if plain else in_quotes(name)


def in_quotes(name: str) -> str:
    """Return a name in double quotes, with quotes doubled, as in CSV."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def unquoted(name: str) -> str:
    """Return a name without the quotes around it, where it has some."""
    match = _QUOTED.fullmatch(name)
    return name if match is None or match[2] else match[1].replace('""', '"')


def lists(text: str) -> list[str]:
    """Return the texts between semicolons that are in no quotes.

    >>> lists('region;"a;b",sex;')
    ['region', '"a;b",sex', '']
    """
    return _SEMICOLON.split(text)


def named_list(text: str, signs: str) -> tuple[str, str] | None:
    """Return the name before the first of some signs, and what stands behind the sign; None where there is no sign.

    A name in double quotes is what stands between them, with quotes doubled, as in CSV.

    >>> named_list("half: a=b", ":"), named_list('"a=b; c" = d,e', "="), named_list("half", ":")
    (('half', 'a=b'), ('a=b; c', 'd,e'), None)
    """
    match = re.match(rf'\s*(?:"((?:[^"]|"")*)"|([^"{signs}][^{signs}]*?)?)\s*[{signs}]', text, re.DOTALL)
    if match is None:
        return None
    name = match[2] or "" if match[1] is None else match[1].replace('""', '"')
    return name, text[match.end() :].strip()


def name_before(text: str) -> str:
    """Return the name before the first equals sign; where it is in quotes, what stands between them."""
    match = re.match(r'\s*"((?:[^"]|"")*)"\s*=', text)
    return text.partition("=")[0].strip() if match is None else match[1].replace('""', '"')


def person_words(names: Sequence[str]) -> list[str]:
    """Return the flags that name the columns of a person, as `named_columns` reads them."""
    return [word for name in names for word in ("--person", as_item(name) if "," in name else name)]


def named_columns(texts: Sequence[str]) -> list[str]:
    """Return the columns that flags name, with commas between them or one flag for each.

    A name that has its own flag stands as it is, spaces around it too: the unit of an account is that very name.
    """
    return [name for text in texts for name in (items(text) if "," in text else [text])]
