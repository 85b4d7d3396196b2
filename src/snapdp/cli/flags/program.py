"""The flags of commands about a floating-point program: its machine, and the rules by which bounds are derived.

Room: cli. The library reads the words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from snapdp.cli.screen import say

if TYPE_CHECKING:
    from snapdp.verifier import Machine, Program

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


def program_and_machine(reference: str, machine_text: str) -> tuple[Program, Machine]:
    """Return a program and its machine: that of --machine, or the one its file names, which is said."""
    from snapdp.verifier import audited_function, load_program, names_a_function, parse_machine, stated_machine

    if names_a_function(reference):
        return audited_function(reference).program, parse_machine(machine_text)
    program = load_program(reference)
    if machine_text:
        return program, parse_machine(machine_text)
    stated = stated_machine(reference)
    if stated:
        say(f"machine: {stated}, as the file says (--machine takes another)")
    return program, parse_machine(stated)
