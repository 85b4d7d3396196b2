"""Groups of commands that load a command when it is called: the list and completion load none.

The library's errors never name flags, so `in_flags` rewrites keywords in its advice: arithmetic="proved" becomes
--arithmetic proved. A keyword without a flag stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from importlib import import_module
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

COMMANDS = "Commands"
HELP_FLAGS = ["-h", "--help"]


def json_option(told: str = "Print JSON.") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the option --json of a command: whatever it prints from then on, a refusal too, is JSON."""

    def note(ctx: click.Context, _: click.Parameter, as_json: bool) -> bool:
        ctx.meta["snapdp.json"] = as_json
        return as_json

    return click.option("--json", "as_json", is_flag=True, help=told, callback=note)


class Late(NamedTuple):
    """A command that is not loaded: module and attribute, the line of the map, and the heading it stands under."""

    where: str  # "snapdp.cli.plan:plan_command"
    told: str  # one sentence that fits a line of 80 columns
    heading: str = COMMANDS


class NotingGroup(click.Group):
    """A group that notes which command was called."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        found = super().resolve_command(ctx, args)
        ctx.meta["snapdp.command"] = found[1]  # of a group in a group, the innermost
        return found


class LateGroup(NotingGroup):
    """A group whose commands are named by where they are.

    late   the commands, in the order of the map
    """

    def __init__(self, *args: Any, late: Mapping[str, Late], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.commands.update({name: click.Command(name) for name in late})  # among which click looks for similar names
        self._late = late

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(self._late)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        if name not in self._late:
            return None
        module, _, attribute = self._late[name].where.partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the map: one line a command, under its heading."""
        widest = max(map(len, self._late))
        for heading, lines in groupby(self._late.items(), key=lambda each: each[1].heading):
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(widest), late.told) for name, late in lines])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        names = [
            CompletionItem(name, help=late.told) for name, late in self._late.items() if name.startswith(incomplete)
        ]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]


# Advice in the words of a command line

_KEYWORD = re.compile(r"(?<!\w)([a-z_]+)=(?:\"([^\"\s]+)\"|\((\w+), (\w+)\)|([\w/]+))")
_CALL = re.compile(r"\w\(")


def in_flags(advice: str, names: Collection[str]) -> str:
    """Return an advice with the keywords that are flags of a command written as flags.

    >>> in_flags('Give arithmetic="proved" with it, or clamp=(low, high), or method="tight".', ["arithmetic", "clamp"])
    'Give --arithmetic proved with it, or --clamp low,high, or method="tight".'
    """
    inside = {place for call in _CALL.finditer(advice) for place in _brackets(advice, call.end() - 1)}

    def flag(found: re.Match[str]) -> str:
        name, text, low, high, word = found.groups()
        if name not in names or found.start() in inside:
            return found[0]
        return f"--{name.replace('_', '-')} {text or word or f'{low},{high}'}"

    return _KEYWORD.sub(flag, advice)


def _brackets(text: str, start: int) -> range:
    """Return what stands inside the bracket that opens at a place: keywords there belong to the call before it."""
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] == "(") - (text[place] == ")")
        if depth == 0:
            return range(start, place)
    return range(start, len(text))
