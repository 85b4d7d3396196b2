"""The only way from a record into a sheet: its texts made harmless, its numbers read, its scalars written as YAML.

Room: interop. A record is anybody's. A sheet reads what `known` returns and nothing else, so that no text or number
of a record comes past this file:

    texts      one visible line, without a mark of Markdown, of HTML, of a formula or of a link in force
    amounts    Fractions; a text that is no number, or far beyond all doubles, is refused
    dates      as calendars have them; any other is refused

A scalar of YAML is a text in double quotes, which JSON and YAML read alike, or a number that YAML 1.1, YAML 1.2 and
JSON all read as this number: a float has a point, and its exponent a sign.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from datetime import date
from fractions import Fraction
from typing import Any

from snapdp.display import one_line, shortened, visible
from snapdp.errors import DataError, SnapdpError
from snapdp.exact import parameter, to_float_nearest, to_float_up
from snapdp.release import checked

AMOUNTS = {"charged", "epsilon", "alpha", "lower", "upper"}
RELEASED = {"parts", "derived"}  # released numbers: no sheet has them
LONGEST_SLUG = 80
MARKS = re.compile(r"([`*_\[\]#|~^])")  # of Markdown, wherever they stand
FIRST_MARKS = re.compile(r"^([0-9]+(?=[.)](?: |$))|(?=[-+=]))")  # of lists and headings, where a text begins
# No escape stops these everywhere: a renderer of formulas, of HTML, of templates, or one that looks for addresses.
FULL_WIDTH = 0xFEE0  # from a character of ASCII to the one of full width that looks like it
LOOK_ALIKE = {**{ord(each): chr(ord(each) + FULL_WIDTH) for each in "$<>&{}@"}, ord("\\"): "\N{SET MINUS}"}
# Parts of an address: what stands before //, the second of its slashes, a point before a letter, as in a domain.
ADDRESS = re.compile(r":(?=//)|(?<=/)/|(?<=[^\W_])\.(?=[^\W\d_])")


def known(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a sheet may say of a record, every text harmless and every amount a Fraction; refuse what is none."""
    found = checked(record)
    return {key: _known(key, each) for key, each in found.items() if key not in RELEASED}


def _known(key: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        return {harmless(name): _known(name, each) for name, each in value.items() if name not in RELEASED}
    if isinstance(value, (list, tuple)):
        return [_known(key, each) for each in value]
    if key in AMOUNTS:
        return _amount(key, value)
    if key == "date":
        return _date(value)
    return harmless(value) if isinstance(value, str) else value


def harmless(text: str) -> str:
    """Return somebody's text on one line, visible, not too long, with no mark in force.

    >>> harmless("a_b [c](d) $x$ <b>")
    'a\\\\_b \\\\[c\\\\](d) ＄x＄ ＜b＞'
    >>> harmless("http://a.b"), harmless("www.a.b"), harmless("people.csv"), harmless("snapdp 0.1.0. A")
    ('http：/／a．b', 'www．a．b', 'people．csv', 'snapdp 0.1.0. A')
    >>> harmless("- x"), harmless("2. y")
    ('\\\\- x', '2\\\\. y')
    """
    shown = shortened(visible(text).strip()).translate(LOOK_ALIKE)
    unlinked = ADDRESS.sub(lambda found: chr(ord(found[0]) + FULL_WIDTH), shown)
    return FIRST_MARKS.sub(r"\1\\", MARKS.sub(r"\\\1", unlinked))


def slug(text: str) -> str:
    """Return a text as the last part of an address: small letters and digits of ASCII, with hyphens between.

    >>> slug("../Etc: [x]"), slug("\\u4eba")
    ('etc-x', 'dataset')
    """
    return re.sub("[^a-z0-9]+", "-", text.lower())[:LONGEST_SLUG].strip("-") or "dataset"


def _amount(key: str, value: Any) -> Fraction:
    try:
        number = parameter(value, name=key)
    except SnapdpError:
        raise _refused(key, value, "number") from None
    is_right = {"charged": number > 0, "epsilon": number > 0, "alpha": 0 < number < 1}.get(key, True)
    if not is_right or math.isinf(to_float_nearest(number)):
        raise _refused(key, value, "probability" if key == "alpha" else "number that it can be")
    return number


def _date(value: Any) -> str:
    try:
        read = date.fromisoformat(value)
    except (TypeError, ValueError):
        raise _refused("date", value, "date") from None
    if read.isoformat() != value:
        raise _refused("date", value, "date")
    return read.isoformat()


def _refused(key: str, value: Any, kind: str) -> DataError:
    return DataError(
        f"{key} = {one_line(repr(value), 60)} in the record is no {kind}.",
        "Give a record as a release wrote it. Nothing was written.",
    )


def double_up(x: Fraction) -> float:
    """Return the double that prints as a number where there is one, else the smallest that is not below it.

    >>> double_up(Fraction(3, 10)), double_up(Fraction(1, 3))
    (0.3, 0.33333333333333337)
    """
    nearest = to_float_nearest(x)
    return nearest if Fraction(repr(nearest)) == x else to_float_up(x)


def yaml_lines(values: Mapping[str, Any], indent: str = "") -> Iterator[str]:
    """Yield a table of plain values as lines of YAML; its keys are ours."""
    for key, each in values.items():
        if isinstance(each, dict):
            yield f"{indent}{key}:"
            yield from yaml_lines(each, f"{indent}  ")
        elif isinstance(each, list):
            yield f"{indent}{key}:"
            for item in each:
                yield from _item(item, f"{indent}  ")
        else:
            yield f"{indent}{key}: {scalar(each)}"


def _item(item: Any, indent: str) -> Iterator[str]:
    if not isinstance(item, dict):
        yield f"{indent}- {scalar(item)}"
        return
    first, *others = yaml_lines(item, f"{indent}  ")
    yield f"{indent}- {first.strip()}"
    yield from others


def scalar(value: str | int | float) -> str:
    """Return a scalar: text in quotes; numbers plain, a float with a point, without which YAML 1.1 reads a text.

    >>> scalar(1e-9), scalar(1e19), scalar(0.3), scalar(40), scalar("a")
    ('1.0e-09', '1.0e+19', '0.3', '40', '"a"')
    """
    if isinstance(value, float):
        digits, mark, exponent = repr(value).partition("e")
        return f"{digits if '.' in digits else f'{digits}.0'}{mark}{exponent}"
    return json.dumps(value, ensure_ascii=False)
