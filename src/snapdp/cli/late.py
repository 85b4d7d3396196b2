"""A group of commands that are loaded when they are called.

Room: cli.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click


class LateGroup(click.Group):
    """A group whose commands are named by module and attribute: {"plan": "snapdp.cli.plan:plan_command"}."""

    def __init__(self, *args: Any, late: dict[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._late = late

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        found = super().resolve_command(ctx, args)
        ctx.meta["snapdp.command"] = found[1]  # of a group in a group, the innermost
        return found

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(self._late)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        if name not in self._late:
            return None
        module, _, attribute = self._late[name].partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command
