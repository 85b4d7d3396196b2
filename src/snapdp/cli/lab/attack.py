"""`snapdp lab attack`: break the usual way of adding noise, then try the same on ours.

Parse, run the attacks one after the other, print. Losses are rounded down and claims up, so that rounding never makes a
verdict. Exit 0 if ours stands on every row, 1 if it is refuted, 2 if a name is unknown or a target that was asked for
by name cannot be imported.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from snapdp.cli.flags.files import picture_option, writing_picture
from snapdp.cli.flags.numbers import WholeRange
from snapdp.cli.lab.options import json_option
from snapdp.cli.screen import echo, echo_json, folded, note, say, stepping, table
from snapdp.display.numbers import decimal_down, exact_amount, four_digits_up
from snapdp.display.text import one_line
from snapdp.exact.numbers import to_float_down, to_float_up
from snapdp.lab.attacks.attack import FALSE_ALARM, Attack
from snapdp.lab.attacks.gallery import AttackRow
from snapdp.lab.attacks.peers import INSTALLED_BY

EXAMPLE = """\b
Examples:
  snapdp lab attack --list
  snapdp lab attack precision
  snapdp lab attack precision ties --target numpy --target snapdp --json
  snapdp lab attack truncated-noise --trials 2000 --seed 7 --plot attack.svg
"""
REFUTED, MISUSED = 1, 2  # exit codes
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
@json_option
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
    from snapdp.lab.attacks.gallery import pairs, rows

    ctx.meta["snapdp.refused"] = MISUSED  # 1 is a verdict here
    asked = pairs(names, targets)
    if not asked:
        raise click.UsageError("None of these attacks is run against such a target; see: snapdp lab attack --list")
    if as_list:
        show_list(asked, as_json=as_json)
        return
    begin, found = secrets.randbelow(SEEDS) if seed is None else seed, []
    with stepping("attacking", len(asked)) as step:
        todo = rows(asked, seed=begin, trials=trials)
        for attack, target in asked:
            step(f"{attack.name} against {target}")
            found.append(next(todo))
    if plot is not None:
        from snapdp.cli.plots import write_rows

        with writing_picture(plot):
            write_rows(found, plot)
        say(f"picture: {one_line(str(plot))}")
    if as_json:
        echo_json([values(row) for row in found], indent=2)
    else:
        show(found, explained=bool(names), with_absent=bool(targets))
    say(f"seed of numpy's noise: {begin}")
    absent = absent_in_words(found) if targets else ""
    if absent:
        say(absent)
    is_refuted = any(row.is_ours and row.verdict == "refuted" for row in found)
    ctx.exit(REFUTED if is_refuted else MISUSED if absent else 0)


# Tables

HEADS = ("attack", "against", "claimed", "shown loss", "verdict")
LONGEST_CLAIM = 9
SAMPLED = (
    "refuted: two samples, the second of fresh noise, both show a loss above the claim; the smaller one stands here. A "
    "release that keeps its claim would be called refuted by chance at most once in a million runs of its row{others}."
)
BY_LAW = "refuted: the exact law has a loss above the claim. Nothing was sampled."
NO_PROOF = "not refuted: this attack shows no more than was claimed. That is no proof; docs/theory has those of snapdp."
BOTH = " Both inputs show it, so no output gives one of them away: the ratio counts, and it is within the claim."
HELD = "\N{WORD JOINER}"  # where no line is to be broken: before the sign of per cent


def show_list(asked: list[tuple[Attack, str]], *, as_json: bool) -> None:
    """Print the attacks that are asked for, and what each is run against."""
    targets: dict[str, list[str]] = {}
    for attack, target in asked:
        targets.setdefault(attack.name, []).append(target)
    known = {attack.name: attack for attack, _ in asked}
    if as_json:
        echo_json([{"attack": name, "title": known[name].title, "targets": targets[name]} for name in known], indent=2)
        return
    rows = [(name, f"{each.title}\n{each.source}", ", ".join(targets[name])) for name, each in known.items()]
    table(("attack", "what gives the input away", "against"), rows, unbroken=0)
    note("snapdp lab attack NAME runs one and explains it; snapdp lab attack runs all.")


def show(found: list[AttackRow], *, explained: bool, with_absent: bool) -> None:
    """Print the rows, what each attack is where it was asked for by name, and how far verdicts can be relied on.

    with_absent   targets were asked for by name: one that is not installed has its rows, too
    """
    if explained:
        for attack in {row.attack.name: row.attack for row in found}.values():
            _explain(attack, [row for row in found if row.attack.name == attack.name])
    if any(row.outcome is not None for row in found):
        table(HEADS, _rows([row for row in found if with_absent or row.outcome is not None]), numbers=(2, 3))
    else:
        echo("NOTHING was attacked.")
    if not with_absent and (absent := absent_in_words(found)):
        note(absent)
    _say_how_sure(found)


def absent_in_words(found: Iterable[AttackRow]) -> str:
    """Return which targets were not attacked, and how they can be; nothing where all of them were."""
    absent = dict.fromkeys(row.target for row in found if row.outcome is None)
    how = "; ".join(f"{target} ({INSTALLED_BY[target]})" for target in absent)
    return how and f"Not attacked, for it cannot be imported here: {how}. Each is best in an environment of its own."


def _explain(attack: Attack, rows: Iterable[AttackRow]) -> None:
    lines = [
        f"{attack.name}: {attack.title} ({attack.source})",
        f"  Assumes: {attack.assumes}",
        f"  Inputs:  {attack.neighbours}",
        f"  Event:   {attack.event}",
    ]
    for row in rows:
        said, outcome = "not attacked, for it cannot be imported here.", row.outcome
        if outcome is not None:
            both = outcome.counts is not None and all(hits for hits, _ in outcome.counts) and not outcome.is_refuted
            said = f"{outcome.said}.{BOTH if both else ''}"
        lines.append(f"  {row.target}: {said}")
    held = "\n".join([*lines, ""]).replace(" %", f"{HELD}%")
    echo(folded(held, as_tables=True).replace(HELD, " "))


def _rows(found: list[AttackRow]) -> Iterator[tuple[str, ...]]:
    """Yield the cells of each row; the name of an attack stands once."""
    before = ""
    for row in found:
        name, claim, loss = "" if row.attack.name == before else row.attack.name, "", ""
        before = row.attack.name
        if row.outcome is not None:
            claim, loss = exact_amount(row.outcome.claimed), decimal_down(row.outcome.lower_bound, 2)
            claim = claim if len(claim) <= LONGEST_CLAIM else four_digits_up(row.outcome.claimed)
            loss = f"≥ {loss}" if Fraction(loss) else "0"
        yield (name, row.target, claim, loss, row.verdict)


def _say_how_sure(found: list[AttackRow]) -> None:
    """Say what the verdicts that were reached mean, and no other."""
    verdicts = {row.verdict for row in found}
    sampled = [row.verdict for row in found if row.outcome is not None and row.outcome.counts is not None]
    if "refuted" in sampled:
        others = f", and some row of these at most once in {int(1 / FALSE_ALARM) // len(sampled):,} runs"
        note(SAMPLED.format(others=others if len(sampled) > 1 else ""))
    elif "refuted" in verdicts:
        note(BY_LAW)
    if "not refuted" in verdicts:
        note(NO_PROOF)


def values(row: AttackRow) -> dict[str, Any]:
    """Return a row for programs: the claim rounded up, the bound down."""
    outcome = row.outcome
    return {
        "attack": row.attack.name,
        "target": row.target,
        "verdict": row.verdict,
        "claimed": None if row.claimed is None else to_float_up(row.claimed),
        "lower_bound": None if outcome is None else to_float_down(outcome.lower_bound),
    }
