"""Words of flags by the column they belong to: `NAME=...`, or without the name where no other can be meant.

Room: cli. Blanks around the items of a list are no part of them; an item in double quotes may hold commas. Three
grammars, for what may stand behind the name, which may be in quotes as well:

    a text   declared_by_name    commas, in categories equals signs too; without a name it is for the one column left
    a word   words_by_name       no equals sign; without a name it is for all columns left
    a rule   rules_for_missing   neither, so that one flag may hold several: NAME=RULE,NAME=RULE
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import click

_QUOTED = re.compile(r'\s*"((?:[^"]|"")*)"\s*(,|$)')
_SEMICOLON = re.compile(r';(?=(?:[^"]*"[^"]*")*[^"]*$)')  # with an even number of quotes behind it


def declared_by_name(
    options: dict[str, Any], key: str, names: list[str], *, others: Sequence[str] = ()
) -> dict[str, str]:
    """Return {column: text} of a flag: NAME=TEXT by name, another for the one column left.

    others   columns for which it must have the name
    """
    found: dict[str, str] = {}
    unnamed = []
    every = list(dict.fromkeys([*names, *others]))
    for text in options[key]:
        name, rest = _named(text, every)
        if name in found:
            raise click.UsageError(f"--{key} declares {name} twice.")
        if name is not None:
            found[name] = rest
        elif "=" in text and key != "categories":  # of all such lists these alone may hold the sign
            raise click.UsageError(f'--{key} "{text}" belongs to no column: {belongs(every)}.')
        else:
            unnamed.append(text)
    left = [name for name in names if name not in found]
    if len(unnamed) > len(left):
        raise click.UsageError(f'--{key} "{unnamed[len(left)]}" belongs to no column: {belongs(names)}.')
    if unnamed and len(left) > 1 and not (len(unnamed) == len(left) and len(set(unnamed)) == 1):
        between = " " if len(unnamed) == len(left) else " or "
        each = between.join(f"--{key} {as_item(name)}=..." for name in left)
        raise click.UsageError(f"Which --{key} is whose? Several columns could be meant; say {each}")
    return found | dict(zip(left, unnamed, strict=False))


def words_by_name(options: dict[str, Any], key: str, names: list[str], others: list[str]) -> dict[str, str]:
    """Return {column: word} of a flag: NAME=WORD by name, a word alone for all the others."""
    found: dict[str, str] = {}
    alone = []
    for text in options[key]:
        before, equals, word = (part.strip() for part in text.rpartition("="))
        name = unquoted(before)
        if equals and name not in names:
            raise click.UsageError(f'--{key} "{text}" belongs to no column: {belongs(names)}.')
        if name in found:
            raise click.UsageError(f"--{key} speaks of {name} twice.")
        if equals:
            found[name] = word
        else:
            alone.append(word)
    left = [name for name in others if name not in found]
    if len(alone) > 1 or (alone and not left):
        whom = f"give NAME={alone[-1]}" if names else "no statistic here needs it"
        raise click.UsageError(f'--{key} "{alone[-1]}" belongs to no column: {whom}.')
    return {**dict.fromkeys(left, *alone), **found} if alone else found


def rules_for_missing(
    texts: tuple[str, ...], names: list[str], default: str | None, *, others: Sequence[str] = ()
) -> dict[str, str]:
    """Return what a missing cell of each column counts as: NAME=RULE by name, a rule alone for all other numbers.

    others   columns of no numbers, whose rules have the name
    """
    by_name: dict[str, str] = {}
    for_others: list[str] = []
    for text in texts:
        _read_rules(text, [*names, *others], by_name, for_others)
    unsaid = [name for name in names if name not in by_name]
    if len(for_others) > 1 or (for_others and not unsaid):
        whom = "give NAME=RULE,NAME=RULE" if names or others else "no statistic here needs it"
        raise click.UsageError(f'--missing "{for_others[-1]}" belongs to no column: {whom}.')
    if unsaid and not for_others and default is not None:
        for_others = [default]
    if unsaid and not for_others:
        raise click.UsageError(
            f"What does a missing cell count as, in {', '.join(unsaid)}? Give --missing dropped (rows without it are "
            "left out), --missing middle (the middle of the bounds stands in), or --missing NUMBER (that public number "
            "stands in); by column: --missing NAME=RULE,NAME=RULE."
        )
    return {**dict.fromkeys(unsaid, *for_others), **by_name} if unsaid else by_name


def _read_rules(text: str, names: list[str], by_name: dict[str, str], for_others: list[str]) -> None:
    """Take a text of rules apart; a name may hold commas and equals signs, a rule holds neither."""
    rest = text
    while rest:
        name, told = _named(rest, names)
        rule, _, after = told.partition(",")
        if name is None and "=" in rule:
            raise click.UsageError(f'--missing "{rule}" belongs to no column: {belongs(names)}.')
        if name in by_name:
            raise click.UsageError(f"--missing speaks of {name} twice.")
        if name is None:
            for_others.append(rule.strip())
        else:
            by_name[name] = rule.strip()
        rest = after.lstrip()


def belongs(names: list[str]) -> str:
    """Return to which columns a flag could belong, for the refusal of one that belongs to none."""
    return f"the columns are {', '.join(names)}" if names else "no statistic here needs it"


def once(names: list[str]) -> list[str]:
    return list(dict.fromkeys(name.strip() for name in names))


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


def as_item(name: str) -> str:
    """Return a name as it stands in a list: in quotes where it would be taken for another.

    >>> as_item("region"), as_item("south, east"), as_item("")
    ('region', '"south, east"', '""')
    """
    plain = name and name == name.strip() and not name.startswith("'") and not any(sign in name for sign in ',;="')
    return name if plain else in_quotes(name)


def name_before(text: str) -> str:
    """Return the name before the first equals sign; where it is in quotes, what stands between them."""
    match = re.match(r'\s*"((?:[^"]|"")*)"\s*=', text)
    return text.partition("=")[0].strip() if match is None else match[1].replace('""', '"')


def unquoted(name: str) -> str:
    """Return a name without the quotes around it, where it has some."""
    match = _QUOTED.fullmatch(name)
    return name if match is None or match[2] else match[1].replace('""', '"')


def _named(text: str, names: Sequence[str]) -> tuple[str | None, str]:
    """Return the column that a text begins with, as NAME= or "NAME"=, and what stands behind it; None without one."""
    found = {name: match for name in names if (match := _before_equals(name).match(text))}
    longest = max(found, key=len, default=None)
    return longest, text if longest is None else text[found[longest].end() :]


def _before_equals(name: str) -> re.Pattern[str]:
    return re.compile(rf"\s*(?:{re.escape(name)}|{re.escape(in_quotes(name))})\s*=")


def in_quotes(name: str) -> str:
    """Return a name in double quotes, with quotes doubled, as in CSV."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
