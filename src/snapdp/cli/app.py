"""The command `snapdp`: a group of commands that refuse politely.

Room: cli. Exit 0 done, 1 refused (a SnapdpError), 2 wrong usage or a program that cannot be read; the verifier has
codes of its own. stdout is the result, stderr the conversation.
Commands are loaded when they are called. An error that nobody foresaw is told by its kind alone: its text might quote
a cell. SNAPDP_TRACEBACK=1 shows it to those who develop.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from typing import Any

import click

from snapdp import __version__
from snapdp.cli import screen
from snapdp.display import shortened, visible, without_secrets
from snapdp.errors import ProgramError, SnapdpError

REFUSED, MISUSED, BROKEN = 1, 2, 70
COMMANDS = {
    "bound": "snapdp.cli.bound:bound_command",
    "check": "snapdp.cli.check:check_command",
    "demo": "snapdp.cli.demo:demo_command",
    "derive": "snapdp.cli.derive:derive_command",
    "init": "snapdp.cli.init:init_command",
    "ledger": "snapdp.cli.ledger:ledger_group",
    "plan": "snapdp.cli.plan:plan_command",
    "release": "snapdp.cli.release:release_command",
    "sql": "snapdp.cli.sql:sql_command",
    "tour": "snapdp.cli.tour:tour_command",
    "verify": "snapdp.cli.verify:verify_command",
}


class PoliteGroup(click.Group):
    """A group that loads commands late and turns a refusal of the library into a message and exit code 1."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        if name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[name].partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        for number, word in enumerate(args, start=1):
            if any("\ud800" <= each <= "\udfff" for each in word):  # bytes that are no UTF-8 arrive so
                raise click.UsageError(f"Word {number} of the command is no text in UTF-8.", ctx)
        return super().parse_args(ctx, args)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        screen.prepare()
        return super().main(*args, **kwargs)

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        with screen.polite():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with screen.polite():
                return super().invoke(ctx)
        except SnapdpError as refusal:
            _refuse(ctx, refusal)
            code = MISUSED if isinstance(refusal, ProgramError) else REFUSED
            return ctx.exit(ctx.meta.get("snapdp.refused", code))
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as broken:
            if os.environ.get("SNAPDP_TRACEBACK"):
                raise
            what = type(broken).__name__
        screen.say(f"snapdp broke ({what}); this is a defect. SNAPDP_TRACEBACK=1 shows where.")
        return ctx.exit(BROKEN)


def _refuse(ctx: click.Context, refusal: SnapdpError) -> None:
    hint: Callable[[SnapdpError], str | None] = ctx.meta.get("snapdp.try", lambda _: None)
    command = hint(refusal)
    problem, advice, command = (
        text and shortened(visible(without_secrets(text)), screen.LONGEST_MESSAGE)
        for text in (refusal.problem, refusal.advice, command)
    )
    if ctx.meta.get("snapdp.json"):
        spent = str(refusal.numbers.get("spent", "0"))
        said = {"ok": False, "error": problem, "advice": advice, "spent": spent}
        screen.echo_json(said if command is None else {**said, "try": command})
        return
    lines = [f"{type(refusal).__name__}: {problem}", advice, command and f"Try: {command}"]
    screen.echo("\n  ".join(filter(None, lines)), err=True, colour="red")


@click.group(cls=PoliteGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="snapdp")
def main() -> None:
    """Publish statistics about people under differential privacy that survives floating-point arithmetic."""
