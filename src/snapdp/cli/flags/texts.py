"""What readers of a report are told beside the numbers: its title, who publishes it, whom to ask.

Room: cli. One set of flags for release, explore and init; the reader of studies checks the texts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from snapdp.display import PUBLIC_TEXTS

_OPTIONS = (
    click.option("--title", metavar="TEXT", help="The title of the report."),
    click.option("--publisher", metavar="TEXT", help="Who publishes it."),
    click.option("--contact", metavar="TEXT", help="Whom readers may ask, such as an address."),
)


def text_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the flags of the public texts."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def said_texts(options: dict[str, Any]) -> dict[str, str]:
    """Return the texts that were given, by the keys of a study."""
    return {key: options[key] for key in PUBLIC_TEXTS if options.get(key) is not None}
