"""How a release looks on a terminal: its numbers in tables that fit, what is to be known of them, what they cost.

Prints through the screen alone: numbers to stdout, what is said about them to stderr. Numbers of
one key are rows of one table; those of several keys (groups and quantiles, two columns of groups) have a table of their
own, groups down and one key across, the last one that fits, and one column for each key where none does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from snapdp.cli.screen import line_width, note, say, table
from snapdp.display.numbers import exact_amount
from snapdp.display.text import confidence, hides_nothing, one_line
from snapdp.errors import SnapdpError
from snapdp.exact.numbers import parameter

if TYPE_CHECKING:
    from snapdp.release.numbers import Number, NumberBlock
    from snapdp.release.result import Release

MOST_ROWS = 40  # of one statistic on a terminal; files hold all
MOST_ACROSS = 8  # columns of a table of several keys
NOTHING, GROUP = "-", "group"
TO_LOOK = "snapdp inspect tells you alone whether the cells can be read: look before another release."
Row = tuple[str, ...]


def show_release(result: Release, *, left: Fraction, spent: Fraction | None = None) -> None:
    """Print released numbers, what is to be known of them, what they cost, and what is left.

    spent   of the account so far, with everything that was ever charged to it
    """
    every = list(result.blocks())
    blocks = [block for block in every if block.is_first]
    for some in _alike(blocks):
        if len(_key_names(some[0])) > 1:
            _show_crossed(some[0])
        else:
            _show_rows(some)
    for line in dict.fromkeys(_remarks(result, blocks, every)):
        note(line, err=True)
    # Say where long tables are: they were paid for, and nothing draws them again.
    named = list(result.long_blocks())
    if named:
        note(
            "Tables too long for a record have files of their own; the report and files of values leave them out. "
            "These belong to the record: publish or keep them together. They are not drawn again.",
            err=True,
        )
    for name, title in named:
        say(f"  {one_line(title)}:\n    in {one_line(name)}")
    _say_cost(result, left, spent)


def _alike(blocks: Sequence[NumberBlock]) -> Iterator[list[NumberBlock]]:
    """Yield blocks that share a table: those of at most one key that follow each other; any other by itself."""
    together = []
    for block in blocks:
        if len(_key_names(block)) < 2:
            together.append(block)
            continue
        if together:
            yield together
        yield [block]
        together = []
    if together:
        yield together


def _key_names(block: NumberBlock) -> list[str]:
    """Return what names the numbers of a block: the columns of its groups, a histogram's own, "quantile"."""
    first = block.numbers[0]
    if first.keys:
        return [name for name, _ in first.keys]
    if block.is_single:
        return []
    columns = block.declared.get("columns", ())
    return [block.own_key or (str(columns[0]["name"]) if len(columns) == 1 else GROUP)]


# Tables


def _show_rows(blocks: Sequence[NumberBlock]) -> None:
    """Print numbers of one key or of none, a line for each."""
    names = {name for block in blocks for name in _key_names(block)}
    head = names.pop() if len(names) == 1 else GROUP if names else ""
    rows: list[Row] = []
    for block in blocks:
        cells, unknown = block.readable, _unknown(block)
        for place, each in enumerate(cells[:MOST_ROWS]):
            name, paid = (_named(block, each), _paid(block)) if place == 0 else ("", "")
            cell = each.cell if head == block.own_key else block.told_cell(each)
            shown, ends = _shown(each, place in unknown)
            rows.append((one_line(name), one_line(cell), shown, ends, paid))
        rows += _more(len(cells), 5)
    heads = ("statistic", head, "value", _interval_head(blocks), "epsilon")
    kept = [place for place, name in enumerate(heads) if name]
    chosen = [tuple(row[place] for place in kept) for row in rows]
    right = [place for place, name in enumerate(kept) if name > 1]
    table([one_line(heads[place]) for place in kept], chosen, numbers=right)


def _show_crossed(block: NumberBlock) -> None:
    """Print numbers of several keys: one of them across where that fits, else a line for each number."""
    names = _heads(block)
    title = _named(block, block.readable[0]) + (f", epsilon {paid}" if (paid := _paid(block)) else "")
    crossed = _crossed(block, names)
    if crossed is not None:
        table(*crossed, numbers=range(len(names) - 1, len(crossed[0])), title=one_line(title))
        return
    unknown = _unknown(block)
    rows = [(*_texts(each), *_shown(each, place in unknown)) for place, each in enumerate(block.readable[:MOST_ROWS])]
    heads = (*names, "value", _interval_head([block]))
    rows += _more(len(block.numbers), len(heads))
    table(heads, rows, numbers=(len(names), len(names) + 1), title=one_line(title))


def _heads(block: NumberBlock) -> list[str]:
    return [one_line(name) for name in _key_names(block)]


def _crossed(block: NumberBlock, names: Sequence[str]) -> tuple[list[str], list[Row]] | None:
    """Return heads and rows of a table with the last key across that fits; None where none does."""
    found = (_crossed_by(block, names, across) for across in reversed(range(len(names))))
    return next((each for each in found if each is not None), None)


def _crossed_by(block: NumberBlock, names: Sequence[str], key: int) -> tuple[list[str], list[Row]] | None:
    """Return heads and rows of a table with one key across; None where that does not fit, or not all are there."""
    unknown = _unknown(block)
    down: dict[tuple[str, ...], dict[str, str]] = {}
    for place, each in enumerate(block.readable):
        groups = list(_texts(each))
        own = groups.pop(key)
        shown, ends = _shown(each, place in unknown)
        down.setdefault(tuple(groups), {})[own] = shown if place in unknown or not ends else f"{shown} ({ends})"
    across = list(dict.fromkeys(own for row in down.values() for own in row))
    if len(across) > MOST_ACROSS or len(down) > MOST_ROWS or any(set(row) != set(across) for row in down.values()):
        return None
    others = [name for place, name in enumerate(names) if place != key]
    rows = [(*groups, *(row[each] for each in across)) for groups, row in down.items()]
    for heads in ([*others, *(f"{names[key]} {each}" for each in across)], [*others, *across]):
        widths = [max(len(text) for text in column) for column in zip(heads, *rows, strict=True)]
        if sum(widths) + 3 * len(widths) + 1 <= line_width():
            return heads, rows
    return None


def _texts(number: Number) -> tuple[str, ...]:
    return tuple(one_line(text) or '""' for text in number.label)


def _more(numbers: int, columns: int) -> list[Row]:
    rest = numbers - MOST_ROWS
    return [("", f"... {rest} more", *[""] * (columns - 2))] if rest > 0 else []


def _named(block: NumberBlock, number: Number) -> str:
    return number.statistic + (f", {number.part}" if block.mean_of is not None else "")


def _unknown(block: NumberBlock) -> set[int]:
    from snapdp.release.remarks import unknown_places

    return unknown_places(block)


def _shown(number: Number, is_unknown: bool) -> tuple[str, str]:
    """Return a number and its interval; a dash where nothing is known of it."""
    from snapdp.release.numbers import shown_row

    _, value, ends = shown_row(number)
    return (NOTHING if is_unknown else value), ends


def _interval_head(blocks: Sequence[NumberBlock]) -> str:
    """Return the head of the intervals, with how sure they are where all are equally so."""
    levels = {each.alpha for block in blocks for each in block.numbers[:1]}
    sure = _sure(levels.pop()) if len(levels) == 1 else None
    return "interval" if sure is None else f"{sure} interval"


def _sure(alpha: str) -> str | None:
    try:
        return confidence(parameter(alpha, name="alpha"))
    except SnapdpError:  # a record may be anybody's
        return None


def _paid(block: NumberBlock) -> str:
    """Return what the statistic cost, where its first numbers stand; "free" for what comes with them."""
    from snapdp.release.numbers import shown_amount

    first = block.numbers[0]
    if first.charged != "0":
        return one_line(shown_amount(first.charged))
    return "" if block.is_margin or block.epsilon != "0" else "free"


# What is said below


def _remarks(result: Release, blocks: Sequence[NumberBlock], every: Sequence[NumberBlock]) -> Iterator[str]:
    """Yield what is to be known of the numbers: what is no result first, how they were made last."""
    from snapdp.release.remarks import remarks_on

    if any(len(_key_names(block)) > 1 and _crossed(block, _heads(block)) is not None for block in blocks):
        yield f"in brackets: the {_interval_head(blocks)}"
    yield from remarks_on(result.record, every, most=MOST_ROWS)
    if any(map(_unknown, blocks)):
        yield TO_LOOK
    if any(_paid(block) == "free" for block in blocks):
        yield "free: computed from the numbers above, at no extra cost."


def _say_cost(result: Release, left: Fraction, spent: Fraction | None) -> None:
    from snapdp.release.numbers import shown_amount
    from snapdp.release.remarks import relation_stated
    from snapdp.studies.protection import describe_chance, explain_protection

    cost = one_line(shown_amount(result.charged))
    paid = "answered before: nothing was charged" if result.free else f"charged: epsilon {cost}"
    note(f"{paid}; left: {exact_amount(left)}", err=True)
    charged, relation = parameter(result.charged, name="charged"), relation_stated(result.record)
    if warning := hides_nothing(charged):
        note(warning, err=True, style="bold red")
    elif relation is not None:
        note(explain_protection(relation, charged), err=True)
    if spent is not None and spent > charged:
        note(
            f"After everything that was ever charged to this account, epsilon {exact_amount(spent)}, "
            f"{describe_chance(spent)}.",
            err=True,
        )
