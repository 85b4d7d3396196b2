"""`snapdp lab bound`: how far rounding can carry a formula, for all floats in a box.

Parse, one library call for each formula, print.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from snapdp.cli.flags.numbers import WHOLE, WholeRange
from snapdp.cli.lab.options import json_option
from snapdp.cli.screen import echo_json, table, watched
from snapdp.display.numbers import scientific_up
from snapdp.display.text import one_line
from snapdp.errors import ProgramError, SnapdpError

if TYPE_CHECKING:
    from snapdp.lab.language.fpcore import Core
    from snapdp.lab.semantics.error_bound import ErrorBound, Progress

EXAMPLE = """\b
Examples:
  snapdp lab bound "f + ln(U)/0.1" --range "U=exp(-40),0.999" \\
      --range f=-1000,1000
  snapdp lab bound "1/(x*x + 1)" --range x=-1,3 --p 24 --relative
  snapdp lab derive snap_mul --fpcore > noise.fpcore
  snapdp lab bound noise.fpcore --json
"""


@click.command("bound", epilog=EXAMPLE)
@click.argument("formula", metavar="FORMULA")
@click.option("--range", "ranges", multiple=True, metavar="NAME=LOWER,UPPER", help="Range of an input.")
@click.option("--p", "p", type=WHOLE, help="Bits of a float, exponents unbounded.  [default: 53, or what FPCore says]")
@click.option("--relative", is_flag=True, help="Bound the relative error too, where the value is never 0.")
@click.option("--roundings", default=1, show_default=True, help="Roundings of ln and exp: 1 correct, 2 faithful.")
@click.option("--boxes", type=WholeRange(1), help="Most boxes to halve the ranges into: more is tighter, slower.")
@json_option
def bound_command(
    formula: str,
    ranges: tuple[str, ...],
    p: int | None,
    relative: bool,
    roundings: int,
    boxes: int | None,
    as_json: bool,
) -> None:
    """Bound the rounding error of a formula over a box.

    FORMULA is a text such as "f + ln(U)/0.1" with a --range for each input, or a file of FPCore 2.0 cores.
    """
    settings = {"relative": relative, "roundings": roundings}
    found = [
        (formula, core, 0)
        if isinstance(core, ProgramError)
        else (core.name, _bounded(core, p, boxes, settings), core.left_out)
        for core in _cores(formula, ranges)
    ]
    if all(isinstance(result, SnapdpError) for _, result, _ in found):
        raise next(result for _, result, _ in found if isinstance(result, SnapdpError))
    documents = [_document(*each) for each in found]
    if as_json:
        echo_json(documents[0] if len(documents) == 1 else {"ok": True, "cores": documents}, indent=2)
    elif len(documents) == 1:
        _print_one(documents[0])
    else:
        _print_many(documents, relative=relative)


def _bounded(core: Core, p: int | None, boxes: int | None, settings: dict[str, Any]) -> ErrorBound | SnapdpError:
    """Return the bound of one core, or why there is none: the others are told all the same."""
    from snapdp.lab.language.fpcore import Format
    from snapdp.lab.semantics.error_bound import MOST_BOXES, bound_error

    box = {name: (lower, upper) for name, lower, upper in core.box}
    try:
        with watched(core.name) as tell:
            return bound_error(
                core.formula,
                box,
                core.floats if p is None else Format(p=p),
                progress=None if tell is None else _told_to(tell),
                most_boxes=boxes or MOST_BOXES,
                **settings,
            )
    except SnapdpError as refusal:
        return refusal


def _told_to(tell: Callable[[str], None]) -> Progress:
    return lambda boxes, upper, met: tell(f"{boxes} boxes, {met:.3g} ... {upper:.3g} units of 2^-p")


def _cores(formula: str, ranges: tuple[str, ...]) -> Iterator[Core | ProgramError]:
    from snapdp.lab.language.fpcore import LONGEST_CORES, Core, Format, read_cores
    from snapdp.lab.language.parser import decoded, read_formula
    from snapdp.lab.semantics.error_bound import input_names, read_ranges

    path = Path(formula)
    if formula.endswith(".fpcore"):
        if ranges:
            raise click.UsageError("A core brings its own ranges: give no --range.")
        if not os.path.isfile(path):
            raise ProgramError(f"there is no file {formula!r}.")
        with path.open("rb") as file:
            yield from read_cores(decoded(file.read(LONGEST_CORES + 1), name=path.name), name=path.name)
        return
    tree, box = read_formula(formula), read_ranges(ranges)
    inputs = input_names(tree)
    if unknown := sorted(box.keys() - set(inputs)):
        raise ProgramError(f"{unknown[0]} is no input of the formula.", f"Its inputs are {', '.join(inputs)}.")
    if missing := sorted(set(inputs) - box.keys()):
        raise ProgramError(f"input {missing[0]} has no range.", f"Give --range {missing[0]}=LOWER,UPPER.")
    known = tuple((name, *box[name]) for name in inputs)
    yield Core(name=formula, formula=tree, box=known, floats=Format(p=53))


def _document(name: str, result: ErrorBound | SnapdpError, left_out: int) -> dict[str, Any]:
    """Return a result as plain values: amounts as exact fractions, and as figures rounded up."""
    from snapdp.lab.language.text import LONGEST, expression_text

    if isinstance(result, SnapdpError):
        return {"ok": False, "name": name, "error": result.problem, "advice": result.advice}

    def both(x: Fraction | None) -> dict[str, str] | None:
        return None if x is None else {"exact": str(x), "shown": scientific_up(x)}

    return {
        "ok": True,
        "name": name,
        "formula": expression_text(result.formula, longest=LONGEST),
        "floats": str(result.floats),
        "p": result.floats.p,
        "roundings": result.roundings,
        "box": {name: [str(lower), str(upper)] for name, lower, upper in result.box},
        "conditions_left_out": left_out,
        "absolute": both(result.absolute),
        "relative": both(result.relative),
        "value": [None if end is None else float(end) for end in (result.lower, result.upper)],
        "reached": both(result.reached),
        "boxes": result.boxes,
    }


def _print_one(document: dict[str, Any]) -> None:
    low, high = document["value"]
    rows = [("absolute error", f"<= {document['absolute']['shown']}")]
    if document["relative"] is not None:
        rows.append(("relative error", f"<= {document['relative']['shown']}"))
    if low is not None and high is not None:
        rows.append(("value", f"{low:.6g} ... {high:.6g}"))
    correct = "correctly rounded" if document["roundings"] == 1 else f"within {document['roundings']} roundings"
    rows += [("floats", document["floats"]), ("ln and exp", correct)]
    rows.append(("boxes", f"{document['boxes']}; no halving goes below {document['reached']['shown']}"))
    if document["conditions_left_out"]:
        rows.append(("precondition", f"{document['conditions_left_out']} conditions left out: the box is larger"))
    table((one_line(document["name"]), ""), rows)


def _print_many(documents: list[dict[str, Any]], *, relative: bool) -> None:
    rows = []
    for each in documents:
        if not each["ok"]:
            rows.append((one_line(each["name"]), "refused", *([""] if relative else []), one_line(each["error"])))
            continue
        quotient = "" if each["relative"] is None else each["relative"]["shown"]
        rows.append(
            (one_line(each["name"]), each["absolute"]["shown"], *([quotient] if relative else []), each["floats"])
        )
    heads = ("core", "absolute error", *(["relative error"] if relative else []), "floats")
    table(heads, rows, numbers=(1, 2) if relative else (1,))
