"""`snapdp attack`: break the usual way of adding noise, then try the same on ours.

Room: cli. Parse, run the attacks one after the other, print. Exit 0 where ours stands on every row, 1 where it is
refuted, 2 where a name is none, or a target that was asked for by name cannot be imported.
"""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING

import click

from snapdp.cli.flags.picture import picture_option, writing_picture
from snapdp.cli.flags.two_readings import WholeRange
from snapdp.cli.screen import echo_json, say, stepping
from snapdp.display import one_line
from snapdp.errors import ParameterError

if TYPE_CHECKING:
    from snapdp.attacks import Attack, AttackRow

EXAMPLE = """\b
Examples:
  snapdp attack --list
  snapdp attack precision
  snapdp attack precision ties --target numpy --target snapdp --json
  snapdp attack truncated-noise --trials 2000 --seed 7 --plot attack.svg
"""
REFUTED, ABSENT = 1, 2  # exit codes
SEEDS = 1 << 32
FEWEST, MOST = 10, 1_000_000


@click.command("attack", epilog=EXAMPLE)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--target", "targets", multiple=True, metavar="TARGET", help="Only this: numpy, snapdp, or a peer.")
@click.option(
    "--trials",
    type=WholeRange(FEWEST, MOST),
    metavar="N",
    help="Outputs of either input.  [default: the attack's own]",
)
@click.option(
    "--seed", type=click.IntRange(0, SEEDS - 1), metavar="S", help="Of numpy's noise.  [default: a fresh one]"
)
@click.option("--list", "as_list", is_flag=True, help="List the attacks, and run none.")
@picture_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON: a list of rows.")
@click.pass_context
def attack_command(
    ctx: click.Context,
    /,
    names: tuple[str, ...],
    targets: tuple[str, ...],
    trials: int | None,
    seed: int | None,
    as_list: bool,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Break the textbook, then try to break ours.

    Each attack takes two inputs that differ by what one person may change, counts an event in the outputs of both, and
    shows how large the privacy loss is at least, beside the epsilon that was claimed. It is run against the usual way
    (numpy), against snapdp, and against diffprivlib, opendp and python-dp where they are installed. A NAME runs one
    attack and explains it; without one all are run, within a minute. Nothing is read, and nothing is charged.
    """
    from snapdp.cli.gallery import screens

    ctx.meta["snapdp.json"] = as_json
    asked = _asked(names, targets)
    if as_list:
        screens.show_list(asked, as_json=as_json)
        return
    begin = secrets.randbelow(SEEDS) if seed is None else seed
    found = _run(asked, seed=begin, trials=trials)
    if plot is not None:
        _draw(found, plot)
    if as_json:
        echo_json([screens.values(row) for row in found], indent=2)
    else:
        screens.show(found, explained=bool(names), with_absent=bool(targets))
    say(f"seed of numpy's noise: {begin}")
    if targets and (absent := screens.absent_in_words(found)):
        say(absent)
    ctx.exit(_exit_code(found, by_name=bool(targets)))


def _exit_code(found: list[AttackRow], *, by_name: bool) -> int:
    if any(row.is_ours and row.verdict == "refuted" for row in found):
        return REFUTED
    return ABSENT if by_name and any(row.outcome is None for row in found) else 0


def _asked(names: tuple[str, ...], targets: tuple[str, ...]) -> list[tuple[Attack, str]]:
    from snapdp.attacks import pairs

    try:
        found = pairs(names, targets)
    except ParameterError as refusal:  # wrong usage: exit code 1 is a verdict here
        raise click.UsageError(f"{refusal.problem} {refusal.advice}") from None
    if not found:
        raise click.UsageError("None of these attacks is run against such a target; see: snapdp attack --list")
    return found


def _run(asked: list[tuple[Attack, str]], *, seed: int, trials: int | None) -> list[AttackRow]:
    from snapdp.attacks import rows

    found: list[AttackRow] = []
    with stepping("attacking", len(asked)) as step:
        todo = rows(asked, seed=seed, trials=trials)
        for attack, target in asked:
            step(f"{attack.name} against {target}")
            found.append(next(todo))
    return found


def _draw(found: list[AttackRow], plot: Path) -> None:
    from snapdp.cli.gallery.picture import write_rows

    with writing_picture(plot):
        write_rows(found, plot)
    say(f"picture: {one_line(str(plot))}")
