"""The command `snapdp`: a group of commands that refuse politely.

Room: cli. Exit 0 done, 1 refused (a SnapdpError), 2 wrong usage or a program that cannot be read or judged;
`verify` has codes of its own. stdout is the result, stderr the conversation.
"""

from __future__ import annotations

import json
from typing import Any

import click

from snapdp import __version__
from snapdp.cli.check import check_command
from snapdp.cli.derive import derive_command
from snapdp.cli.plan import plan_command
from snapdp.cli.verify import verify_command
from snapdp.errors import ProgramError, SnapdpError

REFUSED = 1
MISUSED = 2


class PoliteGroup(click.Group):
    """A group that turns a refusal of the library into a message and an exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except SnapdpError as refusal:
            if ctx.meta.get("snapdp.json"):
                click.echo(json.dumps({"ok": False, "error": refusal.problem, "advice": refusal.advice, "spent": "0"}))
            else:
                kind = click.style(type(refusal).__name__, fg="red", bold=True)
                click.echo(f"{kind}: {refusal}", err=True)
            code = MISUSED if isinstance(refusal, ProgramError) else REFUSED
            ctx.exit(ctx.meta.get("snapdp.refused", code))


@click.group(cls=PoliteGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="snapdp")
def main() -> None:
    """Publish statistics about people under differential privacy that survives floating-point arithmetic."""


@main.command("tour")
def tour_command() -> None:
    """Take a short tour: parameters, a release, an exact law.

    \b
    Example:
      snapdp tour
    """
    from snapdp.cli.tour import main as tour

    tour()


main.add_command(plan_command)
main.add_command(derive_command)
main.add_command(verify_command)
main.add_command(check_command)
