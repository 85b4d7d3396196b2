"""A study as a program in Python, and as the plain values of its study file.

Holds no data and runs nothing. The program declares the study by the keys of a study file, prints its plan and, if
table and ledger are known, releases it; a comment precedes the line that charges. Names are anybody's text: each is
quoted, and control characters are written out. Lines have at most WIDTH characters. In plain values, days and numbers
that are not whole are text, so that they pass through JSON unchanged.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

from snapdp.display.text import shown_address
from snapdp.studies.study_file import DeclaredStudy, quoted_text, study_to_toml

WIDTH = 100
STEP = 4  # columns by which a line inside a bracket is further right
OPENED = ("columns", "statistic")  # each of their items has a line of its own
CHARGES = """\
# What follows charges the ledger: the epsilon of the plan above.
# The same request again is free."""


def python_text(
    study: DeclaredStudy, *, data: str | None = None, ledger: str | None = None, table: str | None = None
) -> str:
    """Return a program that makes an equal study, and releases it where a ledger is given and the table is known.

    data     the table, where it is not the study's own
    table    its name, in a database
    Passwords of addresses are left out: an equal study is one whose data has none.
    """
    said = study_values_of(study)
    if "data" in said:
        said["data"] = shown_address(said["data"])
    lines = ["import snapdp", "", "study = snapdp.study("]
    for key, value in said.items():
        lines += _lines(value, indent=STEP, head=f"{key}=", is_open=key in OPENED)
    lines += [")", "print(study.plan())"]
    if ledger is not None and (data or study.data) is not None:
        lines += ["", *CHARGES.split("\n"), *_release(data, table, ledger), "print(release)"]
    return "\n".join(lines) + "\n"


def _release(data: str | None, table: str | None, ledger: str) -> list[str]:
    """Return the lines that charge: one where it fits. Without data the study says what is released."""
    given = [] if data is None else [shown_address(data)]
    words = [*map(_inline, given), f"ledger={_inline(shown_address(ledger))}"]
    whole = f"release = study.release({', '.join(words)})"
    if table is None and len(whole) <= WIDTH:
        return [whole]
    found = [line for each in given for line in _lines(each, indent=STEP if table is None else 2 * STEP)]
    if given and table is not None:
        named = _lines(table, indent=2 * STEP, head="table=")
        found = [f"{' ' * STEP}snapdp.open_table(", *found, *named, f"{' ' * STEP}),"]
    return ["release = study.release(", *found, *_lines(shown_address(ledger), indent=STEP, head="ledger="), ")"]


def _lines(value: Any, *, indent: int, head: str = "", is_open: bool = False) -> Iterator[str]:
    """Yield the lines of a value with a comma behind it: one where it fits, else one for each item."""
    margin = " " * indent
    whole = f"{margin}{head}{_inline(value)},"
    if len(whole) <= WIDTH and not (is_open and value):
        yield whole
    elif isinstance(value, str):
        yield from (f"{margin}{head}(", *_pieces(value, indent + STEP), f"{margin}),")
    elif isinstance(value, dict):
        yield f"{margin}{head}{{"
        for key, each in value.items():
            yield from _pair(key, each, indent + STEP)
        yield f"{margin}}},"
    elif isinstance(value, list):
        yield from (f"{margin}{head}[", *_items(value, indent + STEP), f"{margin}],")
    else:  # a number of many digits has no place to be broken at
        yield whole


def _pair(key: str, value: Any, indent: int) -> Iterator[str]:
    """Yield the lines of an item of a dict; a key that is too long for a line is in pieces as well."""
    if indent + len(quoted_text(key)) + STEP <= WIDTH:
        yield from _lines(value, indent=indent, head=f"{quoted_text(key)}: ")
    else:
        yield from (f"{' ' * indent}(", *_pieces(key, indent + STEP))
        yield from _lines(value, indent=indent, head="): ")


def _items(values: list[Any], indent: int) -> Iterator[str]:
    """Yield the lines of the items of a list: tables and lists by themselves, short ones as many as a line holds."""
    if any(isinstance(each, (dict, list)) for each in values):
        for each in values:
            yield from _lines(each, indent=indent)
        return
    held = ""
    for each in values:
        item = f"{_inline(each)},"
        if held and indent + len(held) + 1 + len(item) <= WIDTH:
            held += f" {item}"
            continue
        if held:
            yield " " * indent + held
        held = item if indent + len(item) <= WIDTH else ""
        if not held:
            yield from _lines(each, indent=indent)
    if held:
        yield " " * indent + held


def _pieces(text: str, indent: int) -> Iterator[str]:
    """Yield a long text as several in a row, which Python joins."""
    piece = ""
    for each in text:
        if indent + len(quoted_text(piece + each)) > WIDTH:
            yield " " * indent + quoted_text(piece)
            piece = ""
        piece += each
    yield " " * indent + quoted_text(piece)


def _inline(value: Any) -> str:
    """Return a value on one line."""
    if isinstance(value, str):
        return quoted_text(value)
    if isinstance(value, dict):
        return f"{{{', '.join(f'{quoted_text(key)}: {_inline(each)}' for key, each in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_inline, value))}]"
    return repr(value)


# Plain values


def study_values_of(study: DeclaredStudy) -> dict[str, Any]:
    """Return the values of a study, in the order of its file; `study_from_values` makes an equal study of them.

    A file of keys stands there by its path, which is read again. So does the address of a table, as it was typed:
    whoever shows it to others shows it by `display.shown_address`.
    """
    return tomllib.loads(study_to_toml(study))
