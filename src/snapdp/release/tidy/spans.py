"""Between which numbers a bin lies, as numbers: who reads a file cuts no text apart.

Room: release/tidy. The texts are those that bins, levels of quantiles and magnitudes have in a record: [18, 65), above
65, below 5, 586 to 602, from 1024, to -1. A record may be anybody's: what is no such text has no ends.
"""

from __future__ import annotations

import re
from fractions import Fraction

from snapdp.errors import SnapdpError
from snapdp.exact import parameter, power_of_two

Ends = tuple[Fraction | None, Fraction | None]
NO_ENDS: Ends = (None, None)
MOST_POWER = 1100  # of two, of an edge: beyond it no double is
_NUMBER = r"(-?(?:[0-9]{1,400}(?:/[0-9]{1,400}|\.[0-9]{1,400})?|2\^-?[0-9]{1,4}))"
_FORMS = (
    re.compile(rf"[\[(]{_NUMBER}, {_NUMBER}[)\]]"),
    re.compile(rf"{_NUMBER} to {_NUMBER}"),
    re.compile(rf"(?:from|above) {_NUMBER}()"),
    re.compile(rf"()(?:to|below) {_NUMBER}"),
)
_LEVEL = re.compile(_NUMBER)


def ends_of(label: str) -> Ends:
    """Return between which numbers the rows of a bin lie; None where it is open, or the text is no bin.

    >>> [tuple(map(str, ends_of(each))) for each in ("[18, 65)", "below 1/2", "-3 to -1", "7", "(missing)")]
    [('18', '65'), ('None', '1/2'), ('-3', '-1'), ('7', '7'), ('None', 'None')]
    """
    if _LEVEL.fullmatch(label):
        level = number_of(label)
        return level, level
    for form in _FORMS:
        if found := form.fullmatch(label):
            low, high = found.groups()
            return number_of(low), number_of(high)
    return NO_ENDS


def number_of(text: str) -> Fraction | None:
    """Return the number that a text of a record is, also a power of two: 2^70; None where it is none."""
    base, is_power, exponent = text.partition("^")
    try:
        if not is_power:
            return parameter(text, name="number") if text else None
        power = int(exponent)
        sign = -1 if base.startswith("-") else 1
        return sign * power_of_two(power) if abs(power) <= MOST_POWER else None
    except (SnapdpError, ValueError):
        return None
