"""What flags cannot say, and how one flag is typed.

Room: cli.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from snapdp.cli.flags.by_name import as_item
from snapdp.display import exact_amount
from snapdp.exact import parameter


class Unsayable(Exception):
    """Flags cannot say it: the reason, as the end of a sentence."""


def flag(name: str, value: str) -> list[str]:
    """Return a flag with its value: in one word where the value would look like another flag.

    >>> flag("n_max", "50"), flag("bounds", "-1,1")
    (['--n-max', '50'], ['--bounds=-1,1'])
    """
    typed = f"--{name.replace('_', '-')}"
    return [f"{typed}={value}"] if value.startswith("-") else [typed, value]


def by_name(key: str, texts: dict[str, str], *, is_alone: bool) -> list[str]:
    """Return a flag for each column, NAME=TEXT; without the name where no other column can be meant."""
    pairs = ((text if is_alone else f"{as_item(name)}={text}") for name, text in texts.items())
    return [word for each in pairs for word in flag(key, each)]


def number(value: Any) -> str:
    """Return a number of a study as a person types it.

    >>> number("61/2"), number(7), number("1/3")
    ('30.5', '7', '1/3')
    """
    return exact_amount(parameter(value, name="a number"))


def numbers(values: Sequence[Any]) -> str:
    """Return numbers with commas between them."""
    return ",".join(map(number, values))
