"""The command `snapdp`: a group of commands that refuse politely.

Exit 0 done, 1 refused (a SnapdpError), 2 wrong usage or a program that cannot be read, 74 no output could be
written; the verifier has codes of its own. stdout is the result, stderr the conversation; with --json a refusal is a
result, and so is wrong usage, an interrupt and a defect. In the context's meta: "snapdp.json" JSON is still owed,
"snapdp.charges" a ledger may still be charged, "snapdp.spent" what was charged, exactly, or "unknown" while a release
is under way, "snapdp.study" a study file was given, "snapdp.command" the command that was called, "snapdp.several" what
to type for names with commas, if they are several columns.
Commands are loaded when they are called. An error that nobody foresaw is told by its kind alone: its text might quote
a cell. SNAPDP_TRACEBACK=1 shows it to those who develop.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Any

import click

from snapdp import __version__
from snapdp.cli import screen
from snapdp.cli.groups import HELP_FLAGS, Late, LateGroup, in_flags
from snapdp.cli.process import STOPPED, was_interrupted
from snapdp.display.text import one_line, without_secrets
from snapdp.errors import UNKNOWN, ProgramError, SnapdpError, cost_of

REFUSED, MISUSED, BROKEN = 1, 2, 70
MAP = {  # the order of the help page; a new command is one line
    "Publish": {
        "init": ("snapdp.cli.init:init_command", "Write a study file from flags."),
        "inspect": ("snapdp.cli.inspect:inspect_command", "See how a table is read; free, for the data holder."),
        "plan": ("snapdp.cli.plan:plan_command", "Show what a release will cost and be worth."),
        "explore": (
            "snapdp.cli.explore:explore_command",
            "charged: bounds, quartiles, missing shares; writes a study.",
        ),
        "release": ("snapdp.cli.release:release_command", "charged: publish statistics; writes report and record."),
        "ledger": ("snapdp.cli.ledger:ledger_group", "Keep budgets: what may be spent, and what was."),
        "registry": (
            "snapdp.cli.registry:registry_command",
            "Make a sheet of a record for a public registry.",
        ),
        "serve": ("snapdp.cli.serve:serve_command", "All of this on a page in your browser."),
    },
    "Check": {
        "verify": ("snapdp.cli.verify:verify_command", "Check a record, its report, or a certificate."),
        "lab": ("snapdp.cli.lab:lab_group", "The laboratory: judge programs and mechanisms, attack noise."),
    },
    "Learn": {
        "demo": ("snapdp.cli.demo:demo_command", "Make a table, a study, a release and a report to look at."),
        "help": ("snapdp.cli.help:help_command", "Explain a word, such as epsilon, or a command."),
    },
}
EXAMPLE = """\b
To begin:
  snapdp demo demo                made-up people, from a table to a report
  snapdp serve --data people.csv  the same for your own table
  snapdp help epsilon             what a word means
  snapdp help plan                the page of a command, with examples
"""
COMMANDS = {name: Late(*line, heading) for heading, lines in MAP.items() for name, line in lines.items()}


class PoliteGroup(LateGroup):
    """A group that loads commands late and turns a refusal of the library into a message and exit code 1."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        for number, word in enumerate(args, start=1):
            if any("\ud800" <= each <= "\udfff" for each in word):  # bytes that are no UTF-8 arrive so
                raise click.UsageError(f"Word {number} of the command is no text in UTF-8.", ctx)
        ctx.meta["snapdp.json"] = "--json" in args  # until the command has read its flags
        return super().parse_args(ctx, args)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        screen.prepare()
        try:
            return super().main(*args, **kwargs)
        except OSError:  # while click itself was printing: a help page, or a message
            if os.environ.get("SNAPDP_TRACEBACK"):
                raise
            screen.silence()
            with suppress(OSError):
                screen.say("Cannot write the output.")
            sys.exit(screen.OutputError.exit_code)

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        try:
            with screen.polite():
                return super().make_context(*args, **kwargs)
        except KeyboardInterrupt:
            screen.say("Stopped.")
            raise click.exceptions.Exit(STOPPED) from None

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return self._answered(ctx)
        except screen.OutputError as unwritten:
            # Say that the result was not printed, and what it has cost; a reader who went away is told only the cost.
            cost = "" if _spent(ctx, unwritten) == "0" else _cost_in_words(ctx, unwritten)
            screen.silence()
            if cost or not unwritten.unread:
                with suppress(screen.OutputError):
                    screen.say(f"{unwritten.message} {cost}".rstrip())
            return ctx.exit(unwritten.exit_code)

    def _answered(self, ctx: click.Context) -> Any:
        try:
            with screen.polite():
                return super().invoke(ctx)
        except SnapdpError as refusal:
            if was_interrupted():
                return _stop(ctx, refusal)
            _refuse(ctx, refusal)
            code = MISUSED if isinstance(refusal, ProgramError) else REFUSED
            return ctx.exit(ctx.meta.get("snapdp.refused", code))
        except (screen.OutputError, click.exceptions.NoArgsIsHelpError, click.exceptions.Exit, click.Abort):
            raise
        except click.ClickException as misuse:
            if not ctx.meta.get("snapdp.json"):
                told = misuse.format_message().partition(misuse.message or "\0")[0]  # click puts words before it
                vars(misuse)["message"] = screen.wrapped(misuse.message, first=f"Error: {told}")
                raise
            # Where the usage of the command stands that was misused.
            where = getattr(misuse, "ctx", None)
            _refuse_as_json(
                ctx, misuse, misuse.format_message(), "" if where is None else f"Try: {where.command_path} --help"
            )
            return ctx.exit(misuse.exit_code)
        except KeyboardInterrupt as stop:
            return _stop(ctx, stop)
        except Exception as broken:
            if was_interrupted():  # the error is how a library passes the interrupt on
                return _stop(ctx, broken)
            if os.environ.get("SNAPDP_TRACEBACK"):
                raise
            defect = broken
        told = f"snapdp broke ({type(defect).__name__}); this is a defect. SNAPDP_TRACEBACK=1 shows where."
        _refuse_as_json(ctx, defect, told, _cost_in_words(ctx, defect))
        screen.say(f"{told} {_cost_in_words(ctx, defect)}".rstrip())
        return ctx.exit(BROKEN)


def _stop(ctx: click.Context, problem: BaseException) -> Any:
    """End an interrupted command: one line that says so, and what it has cost if it might have charged."""
    cost = _cost_in_words(ctx, problem)
    if not _refuse_as_json(ctx, problem, "Stopped.", cost):
        screen.say(f"Stopped. {cost}".rstrip())
    return ctx.exit(STOPPED)


def _refuse_as_json(ctx: click.Context, problem: BaseException, error: str, advice: str) -> bool:
    """Print a refusal as JSON if JSON is owed; return whether it was."""
    owed = bool(ctx.meta.get("snapdp.json"))
    if owed:
        screen.echo_json({"ok": False, "error": error, "advice": advice, "spent": _spent(ctx, problem)})
        ctx.meta["snapdp.json"] = False
    return owed


def _spent(ctx: click.Context, problem: BaseException) -> str:
    """Return what was charged before an exception: what it says itself, or else what the command knows."""
    spent = ctx.meta.get("snapdp.spent", "0")
    silent = "0" if spent == UNKNOWN and isinstance(problem, SnapdpError) else spent  # a refusal says what it has cost
    return cost_of(problem)[0] or silent


def _cost_in_words(ctx: click.Context, problem: BaseException) -> str:
    """Return what a command that may charge a ledger has cost; empty for others."""
    spent, (stated, sentence) = _spent(ctx, problem), cost_of(problem)
    if stated is not None:
        return sentence
    if spent == UNKNOWN:
        return "It is not known whether epsilon was charged: snapdp ledger history tells."
    if spent != "0":
        from snapdp.display.numbers import exact_amount
        from snapdp.exact.numbers import parameter

        return f"Epsilon {exact_amount(parameter(spent, name='spent'))} was charged: the same request again is free."
    return "Nothing was charged." if ctx.meta.get("snapdp.charges") else ""


def _refuse(ctx: click.Context, refusal: SnapdpError) -> None:
    hint = ctx.meta.get("snapdp.try", lambda _: None)
    command = hint(refusal)
    problem, advice = (_harmless(text) for text in (refusal.problem, _advice(ctx, refusal)))
    command = command and "\n".join(map(_harmless, command.split("\n")))
    if ctx.meta.get("snapdp.json"):
        spent = _spent(ctx, refusal)
        said = {"ok": False, "error": problem, "advice": advice, "spent": spent}
        screen.echo_json(said if command is None else {**said, "try": command})
        return
    told = screen.wrapped("\n  ".join(filter(None, (f"Refused: {problem}", advice))))
    tried = f"  Try: {command}".replace("\n", "\n    ").split("\n") if command else []
    screen.echo("\n".join([told, *map(screen.to_copy, tried)]), err=True, colour="red")


def _harmless(text: str) -> str:
    return one_line(without_secrets(text), screen.LONGEST_MESSAGE)


def _advice(ctx: click.Context, refusal: SnapdpError) -> str:
    """Return an advice in the words of what was typed: a study file, or flags; and what a refused release has cost."""
    if "spent" not in refusal.numbers and _spent(ctx, refusal) != "0":  # the release was made, and this came after it
        return _cost_in_words(ctx, refusal)
    advice = refusal.advice if ctx.meta.get("snapdp.study") else in_flags(refusal.advice, _flags(ctx))
    meant = ctx.meta.get("snapdp.several", {})
    advice = " ".join(filter(None, (advice, meant.get(str(refusal.numbers.get("absent"))))))
    is_told = "spent" in refusal.numbers or "spent" in advice or "spent" in refusal.problem
    return advice if is_told or not ctx.meta.get("snapdp.charges") else f"{advice} Nothing was spent.".lstrip()


def _flags(ctx: click.Context) -> set[str]:
    """Return the names of the flags of the command that was called."""
    command = ctx.meta.get("snapdp.command")
    options = () if command is None else command.params
    return {each.name for each in options if isinstance(each, click.Option) and each.name is not None}


@click.group(
    cls=PoliteGroup,
    late=COMMANDS,
    context_settings={"help_option_names": HELP_FLAGS},
    epilog=EXAMPLE,
)
@click.version_option(__version__, prog_name="snapdp")
def main() -> None:
    """Publish statistics about people under differential privacy that survives floating-point arithmetic."""
