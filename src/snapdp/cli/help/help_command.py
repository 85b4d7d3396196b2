"""`snapdp help`: a topic in plain words, or the help page of a command.

Room: cli/help. Topics come first: `bounds` and `epsilon` are no commands.
"""

from __future__ import annotations

from difflib import get_close_matches

import click

from snapdp.cli.screen import echo, echo_json


@click.command("help", epilog="\b\nExamples:\n  snapdp help\n  snapdp help epsilon\n  snapdp help ledger create")
@click.argument("words", metavar="[TOPIC]", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def help_command(ctx: click.Context, /, words: tuple[str, ...], as_json: bool) -> None:
    """Explain a word that plans and reports use, or show the help page of a command.

    Without TOPIC the topics are listed.
    """
    from snapdp.cli.help.topics import ABOUT, TOPIC_OF, TOPICS

    ctx.meta["snapdp.json"] = as_json
    topic = TOPIC_OF.get(words[0].lower()) if len(words) == 1 else None
    command = None if topic in words else _page(ctx, words)  # of `check` and `bounds` what bears the very name
    text = command or (topic and TOPICS[topic]())
    if words and not text:
        raise click.UsageError(_unknown(" ".join(words), [*TOPIC_OF]))
    if as_json:
        echo_json({"ok": True, **({"text": text} if text else {"topics": ABOUT})})
    else:
        echo((text or _listed(ABOUT)).rstrip("\n"))


def _page(ctx: click.Context, words: tuple[str, ...]) -> str | None:
    """Return the help page of the command that some words call; None where they call none."""
    found = ctx.find_root()
    for name in words:
        group = found.command
        command = group.get_command(found, name) if isinstance(group, click.Group) else None
        if command is None:
            return None
        found = click.Context(command, info_name=name, parent=found)
    return found.get_help() if words else None


def _listed(about: dict[str, str]) -> str:
    lines = "\n".join(f"    {topic:<12}{told}" for topic, told in about.items())
    return (
        f"Topics, each on one screen:\n\n{lines}\n\n"
        "Type snapdp help epsilon for one of them, snapdp help plan for the page of a\n"
        "command, snapdp --help for the list of commands."
    )


def _unknown(word: str, known: list[str]) -> str:
    from snapdp.cli.help.topics import ABOUT

    near = get_close_matches(word.lower(), known, n=1, cutoff=0.7)
    topics = f" Topics: {', '.join(ABOUT)}."
    meant = f" Did you mean: snapdp help {near[0]}" if near else ""
    return f"There is no topic and no command '{word}'.{meant or topics}"
