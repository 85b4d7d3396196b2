"""How plans and releases look: a table for people, plain values for machines. Plans: see `plans`; a mechanism: `worth`.

Room: cli. Prints through the screen alone. Figures are rounded to the safe side (up).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from snapdp.accuracy import Worth
from snapdp.cli import worth
from snapdp.cli.plans.screen import Likes, show_plan
from snapdp.cli.plans.values import plan_values
from snapdp.cli.screen import note, one_line, say, table
from snapdp.display import exact_amount, hides_nothing
from snapdp.exact import parameter
from snapdp.studies import Plan

if TYPE_CHECKING:
    from snapdp.release import NumberBlock, Release

MOST_ROWS = 40  # of one statistic on a terminal; files hold all


def show(result: Plan | Worth, *, to_stderr: bool = False, likes: Likes | None = None, details: bool = False) -> None:
    """Print a result for people; for likes and details see `show_plan`."""
    if isinstance(result, Plan):
        show_plan(result, likes, details=details, to_stderr=to_stderr)
    else:
        worth.show(result)


def show_release(result: Release, *, left: Fraction) -> None:
    """Print released numbers, what they cost, and what is left."""
    from snapdp.release import (
        bound_lines,
        complete_lines,
        distribution_line,
        margins_line,
        moved_line,
        person_lines,
        shown_amount,
        shown_row,
        unknown_line,
        unknown_places,
        wide_lines,
    )

    rows: list[tuple[str, ...]] = []
    every = list(result.blocks())
    blocks = [block for block in every if block.is_first]
    head = _cell_head(blocks)
    for block in blocks:
        cells, unknown = block.readable, unknown_places(block)
        for place, each in enumerate(cells[:MOST_ROWS]):
            _, value, ends = shown_row(each)
            value = "-" if place in unknown else value
            name = each.statistic + (f", {each.part}" if block.mean_of is not None else "")
            name, paid = (name, block.cost) if place == 0 else ("", "")
            cell = each.cell if head == block.own_key else block.told_cell(each)
            rows.append((one_line(name), one_line(cell), value, ends, one_line(paid)))
        if len(cells) > MOST_ROWS:
            rows.append(("", f"... {len(cells) - MOST_ROWS} more", "", "", ""))
    table(("statistic", head, "value", "interval", "epsilon"), rows, numbers=(2,))
    moved = moved_line(each for block in blocks for each in block.numbers[:MOST_ROWS])
    record = result.record
    told = (*person_lines(record), *complete_lines(record), *wide_lines(record))
    ends_at = [line for block in blocks for line in bound_lines(block)]
    for line in (*map(unknown_line, blocks), *ends_at, moved, *told, margins_line(blocks), distribution_line(every)):
        if line:
            note(line, err=True)
    for name, title in result.long_blocks():
        say(f"{one_line(title)}: in {one_line(name)}")
    paid = (
        "answered before: nothing was charged"
        if result.free
        else f"charged: epsilon {one_line(shown_amount(result.charged))}"
    )
    note(f"{paid}; left: {exact_amount(left)}", err=True)
    if warning := hides_nothing(parameter(result.charged, name="charged")):
        note(warning, err=True, style="bold red")


def _cell_head(blocks: Sequence[NumberBlock]) -> str:
    """Return the head of the column of cells: "quantile" where all of them are such, and in no group."""
    heads = {"cell" if "by" in block.declared else block.own_key for block in blocks if not block.is_single}
    return heads.pop() or "cell" if len(heads) == 1 else "cell"


def values(result: Plan | Worth, *, likes: Likes | None = None) -> dict[str, Any]:
    """Return a result for machines: amounts as exact fractions."""
    return plan_values(result, likes or {}) if isinstance(result, Plan) else worth.values(result)
