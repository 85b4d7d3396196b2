"""The flags of commands about a floating-point program: its machine, and the rules by which bounds are derived.

Room: cli. The library reads the words.
"""

from __future__ import annotations

import click

machine_option = click.option(
    "--machine", "machine_text", default="", metavar="KEYS", help="E.g. p=53,sampler=ulp,umin=-1074,ln=1,sum=exact."
)
rules_option = click.option(
    "--rules",
    type=click.Choice(["sound", "printed", "repaired"]),
    default="sound",
    show_default=True,
    help="Those of Liu's note are unsound.",
)
