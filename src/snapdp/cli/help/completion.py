"""`snapdp completion`: the script that lets a shell complete commands, flags, files and columns.

Room: cli/help. click does the work; here are the script, files where nothing else is known, studies by their ending,
and the columns of a CSV file by its header; a first line that may be one of cells offers nothing. Completing must be
quick: nothing here loads an engine.

Names of files and columns are anybody's. A shell puts a word that is offered into the line as it is, and runs it with
the line: `a$(rm x).toml` would be a command. So no word is offered that needs quotes; files of such names are left to
the shell's own completion of files, which quotes them.
"""

from __future__ import annotations

import csv
import os
import re
from glob import escape, glob
from itertools import pairwise

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
    get_completion_class,
)

from snapdp.cli.screen import echo, echo_json

PROGRAM, VARIABLE = "snapdp", "_SNAPDP_COMPLETE"
SHELLS: tuple[type[ShellComplete], ...] = (BashComplete, ZshComplete, FishComplete)
EXAMPLE = """\b
One line in the start file of your shell is enough:
  bash   ~/.bashrc                    eval "$(snapdp completion bash)"
  zsh    ~/.zshrc                     eval "$(snapdp completion zsh)"
  fish   ~/.config/fish/config.fish   snapdp completion fish | source
It needs bash 4.4 or newer; zsh with compinit.

\b
Example:
  snapdp completion bash
"""
LONGEST_HEADER = 1 << 16
_PLAIN = re.compile(r"[\w.-]+")  # others would need quotes of the shell
_WORD = re.compile(r"[\w.,/-]+")  # the same with what joins names to paths and lists


@click.command("completion", epilog=EXAMPLE)
@click.argument("shell", type=click.Choice([each.name for each in SHELLS]))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def completion_command(ctx: click.Context, /, shell: str, as_json: bool) -> None:
    """Print the script that lets your shell complete commands, flags and files."""
    ctx.meta["snapdp.json"] = as_json
    found = get_completion_class(shell)
    assert found is not None
    script = ShellComplete.source(found(ctx.find_root().command, {}, PROGRAM, VARIABLE))
    if as_json:
        echo_json({"ok": True, "shell": shell, "script": script})
    else:
        echo(script)


def or_files(shell: type[ShellComplete]) -> type[ShellComplete]:
    """Return a shell's completion that offers files where a command has nothing to offer: most words are paths."""

    class OrFiles(shell):  # type: ignore[misc, valid-type]
        def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
            self.ctx_args["obj"] = tuple(args)  # click reads no word before a flag that lacks its own
            every: list[CompletionItem] = super().get_completions(args, incomplete)
            found = [each for each in every if each.type != "plain" or is_word(each.value, incomplete)]
            found = found if found or incomplete.startswith("-") else [CompletionItem(incomplete, type="file")]
            for each in found:  # answers are lines: a line end in what was typed would begin another one
                each.value = each.value if each.value.isprintable() else ""
            return found

    return OrFiles


def prepare() -> None:
    """Make click complete by what is said here."""
    for each in SHELLS:
        add_completion_class(or_files(each), each.name)


def is_word(text: str, incomplete: str = "") -> bool:
    """Return whether a shell takes a text for one word that means itself, and a command for no flag.

    >>> is_word("out/study.toml"), is_word("a$(id).toml"), is_word("a b.toml"), is_word("--yes.toml")
    (True, False, False, False)
    """
    return _WORD.fullmatch(text) is not None and (incomplete.startswith("-") or not text.startswith("-"))


def studies(incomplete: str) -> list[CompletionItem]:
    """Return the study files that a word begins; nothing where files are to be offered.

    That is where there is none, or one whose name needs quotes: the shell knows how to write them.
    """
    found = sorted(glob(f"{escape(incomplete)}*.toml"))
    return [CompletionItem(path) for path in found] if all(map(is_word, found)) else []


def columns(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001
    """Return the columns of the CSV file of the command that a word begins, behind the commas that it has already."""
    before, comma, word = incomplete.rpartition(",")
    typed: tuple[str, ...] = ctx.find_root().obj or ()
    files = [each for each in typed if each.lower().endswith(".csv") and os.path.isfile(each)]
    signs = [sign for flag, sign in pairwise(typed) if flag == "--delimiter"]
    names = _header(files[0], *signs) if files else []
    return [CompletionItem(f"{before}{comma}{name}") for name in names if name.startswith(word)]


def _header(source: str, delimiter: str = ",") -> list[str]:
    """Return the names in the first line of a CSV file that can be typed as they are; none where it may be of cells."""
    from snapdp.tables import may_be_cell

    with open(source, encoding="utf-8-sig", errors="replace", newline="") as file:
        line = file.readline(LONGEST_HEADER)
    try:
        names = next(csv.reader([line], delimiter="\t" if delimiter == "tab" else delimiter), [])
    except (csv.Error, TypeError, ValueError):
        return []
    if any(map(may_be_cell, names)):
        return []
    return [name for name in names if _PLAIN.fullmatch(name)]
