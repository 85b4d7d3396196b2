"""Every command, flag, default and example, from the parser itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

import click

from snapdp.cli.app import COMMANDS, main
from snapdp.cli.flags.options import HEADINGS, OTHERS, SectionedCommand, heading_of
from snapdp_reference.docstrings import inline
from snapdp_reference.markdown import fenced, plain

PROGRAM = "snapdp"
_EXAMPLES = re.compile(r"Examples?:\n")
_PARAGRAPHS = re.compile(r"\n\s*\n")


def every_command() -> dict[str, click.Command]:
    """Return every command and group, by the words that call it."""
    return dict(commands_below(main, called(PROGRAM, main)))


def commands_below(group: click.Command, ctx: click.Context, path: str = "") -> Iterator[tuple[str, click.Command]]:
    """Yield every command of a group, and of the groups in it, with the words that call it."""
    if not isinstance(group, click.Group):
        return
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        if command is not None:
            yield f"{path}{name}", command
            yield from commands_below(command, ctx, f"{path}{name} ")


def called(path: str, command: click.Command) -> click.Context:
    """Return a command as it is called: a command keeps its flag for help as the first call names it, -h and --help."""
    return click.Context(command, info_name=path, **main.context_settings)


def commands_page() -> str:
    """Return the sections of all commands, in the order of the map."""
    parts = [_section(PROGRAM, main, 2)]
    found = every_command()
    for heading, names in groupby(COMMANDS, key=lambda name: COMMANDS[name].heading):
        parts.append(f"## {heading}")
        for name in names:
            parts.append(_section(f"{PROGRAM} {name}", found[name], 3))
            below = [path for path in found if path.startswith(f"{name} ")]
            parts += [_section(f"{PROGRAM} {path}", found[path], 4) for path in below]
    return "\n\n".join(parts)


def _section(path: str, command: click.Command, level: int) -> str:
    ctx = called(path, command)
    usage = " ".join([path, *command.collect_usage_pieces(ctx)])
    sentences = [plain(" ".join(each.split())) for each in _PARAGRAPHS.split(command.help or "")]
    before, examples = _epilog(command)
    parts = [f"{'#' * level} {path}", *sentences, fenced(usage, "text"), _options(path, command, ctx), *before]
    if isinstance(command, click.Group) and command is not main:
        parts.append("Its commands: " + ", ".join(f"`{each}`" for each in command.list_commands(ctx)) + ".")
    return "\n\n".join(filter(None, [*parts, *examples]))


def _epilog(command: click.Command) -> tuple[list[str], list[str]]:
    """Return what stands below the help page of a command: what it says, and its examples."""
    texts = [each.replace("\b\n", "").strip("\n") for each in _PARAGRAPHS.split(command.epilog or "") if each.strip()]
    said = [fenced(_undented(each), "text") for each in texts if not _EXAMPLES.match(each)]
    shown = [fenced(_undented(each.partition("\n")[2]), "sh") for each in texts if _EXAMPLES.match(each)]
    return said, [f"Example{'s' * (each.count('snapdp') > 1)}:\n\n{each}" for each in shown]


def _undented(text: str) -> str:
    return re.sub(r"^  ", "", text, flags=re.MULTILINE) if text.startswith("  ") else text


def _options(path: str, command: click.Command, ctx: click.Context) -> str:
    """Return the flags of a command, under the headings of its help page."""
    found: dict[str, list[str]] = {}
    for option, record in flags_of(command, ctx):
        heading = heading_of(option) if isinstance(command, SectionedCommand) else OTHERS
        words, told = record
        lines = (f".. option:: {words}", "", f"   {inline(' '.join(told.split()))}", "")
        found.setdefault(heading, []).extend(lines)
    if not found:
        return ""
    headed = [(f".. rubric:: {heading}", "", *lines) for heading, lines in _ordered(found)]
    lines = headed[0][2:] if len(headed) == 1 else [line for part in headed for line in part]
    return "\n".join(["```{eval-rst}", f".. program:: {path}", "", *lines, "```"])


def _ordered(found: dict[str, list[str]]) -> Iterator[tuple[str, list[str]]]:
    """Yield headings in the order of help pages: what has no heading of its own comes last."""
    order = [*dict.fromkeys(HEADINGS.values()), OTHERS]
    yield from sorted(found.items(), key=lambda each: order.index(each[0]))


def flags_of(command: click.Command, ctx: click.Context) -> list[tuple[click.Option, tuple[str, str]]]:
    """Return the flags of a command, each with its words and what help says of it; --help itself is everywhere."""
    options = [each for each in command.get_params(ctx) if isinstance(each, click.Option) and "--help" not in each.opts]
    return [(each, record) for each in options if (record := each.get_help_record(ctx)) is not None]
