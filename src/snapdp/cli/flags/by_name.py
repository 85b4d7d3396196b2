"""Words of flags by the column they belong to: `NAME=...`, or without the name where no other can be meant.

Room: cli. Blanks around the items of a list are no part of them. Three grammars, for what may stand behind the name:

    a text   declared_by_name    commas, in categories equals signs too; without a name it is for the one column left
    a word   words_by_name       no equals sign; without a name it is for all columns left
    a rule   rules_for_missing   neither, so that one flag may hold several: NAME=RULE,NAME=RULE
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import click


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
        name = max((each for each in every if re.match(rf"\s*{re.escape(each)}\s*=", text)), key=len, default=None)
        if name in found:
            raise click.UsageError(f"--{key} declares {name} twice.")
        if name is not None:
            found[name] = text.strip().removeprefix(name).lstrip().removeprefix("=")
        elif "=" in text and key != "categories":  # of all such lists these alone may hold the sign
            raise click.UsageError(f'--{key} "{text}" belongs to no column: {belongs(every)}.')
        else:
            unnamed.append(text)
    left = [name for name in names if name not in found]
    if len(unnamed) > len(left):
        raise click.UsageError(f'--{key} "{unnamed[len(left)]}" belongs to no column: {belongs(names)}.')
    if unnamed and len(left) > 1 and not (len(unnamed) == len(left) and len(set(unnamed)) == 1):
        each = " ".join(f"--{key} {name}=..." for name in left)
        raise click.UsageError(f"Which --{key} is whose? Several columns could be meant; say {each}")
    return found | dict(zip(left, unnamed, strict=False))


def words_by_name(options: dict[str, Any], key: str, names: list[str], others: list[str]) -> dict[str, str]:
    """Return {column: word} of a flag: NAME=WORD by name, a word alone for all the others."""
    found: dict[str, str] = {}
    alone = []
    for text in options[key]:
        name, equals, word = (part.strip() for part in text.rpartition("="))
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


def rules_for_missing(texts: tuple[str, ...], names: list[str], default: str | None) -> dict[str, str]:
    """Return what a missing cell of each column counts as: NAME=RULE by name, a rule alone for all others."""
    by_name: dict[str, str] = {}
    for_others: list[str] = []
    for text in texts:
        _read_rules(text, names, by_name, for_others)
    unsaid = [name for name in names if name not in by_name]
    if len(for_others) > 1 or (for_others and not unsaid):
        whom = "give NAME=RULE,NAME=RULE" if names else "no statistic here needs it"
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
        name = max((each for each in names if rest.startswith(f"{each}=")), key=len, default=None)
        rule, _, after = rest.removeprefix("" if name is None else f"{name}=").partition(",")
        if name is None and "=" in rule:
            raise click.UsageError(
                f'--missing "{rule}" belongs to no column: the columns of numbers are {", ".join(names) or "none"}.'
            )
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


def items(text: str) -> list[str]:
    return [item.strip() for item in text.split(",")]
