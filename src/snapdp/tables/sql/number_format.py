"""How numbers are written in text: the decimal sign and the separator of thousands, as one pattern for every engine.

Room: tables. Writes SQL, runs nothing. What a pattern matches becomes a plain number by taking the separators out; no
engine reads a sign by itself. The definition, without patterns, is `csv_form.plain_number`.
Theory: docs/theory/exact-sums.md, (2).
"""

from __future__ import annotations

from collections.abc import Callable

from snapdp.values import Value

_INFINITY = "[iI][nN][fF]([iI][nN][iI][tT][yY])?"


class NumberFormat(Value):
    """The signs of numbers in text; without thousands there are no groups.

    >>> import re
    >>> german = NumberFormat(decimal=",", thousands=".")
    >>> [bool(re.fullmatch(german.pattern, each)) for each in ("1.234.567,8", "1234,5", "1.23", "12.5", "0.123")]
    [True, True, False, False, False]
    """

    decimal: str = "."
    thousands: str = ""

    @property
    def pattern(self) -> str:
        """Return what numbers look like: spaces may stand around them, an exponent only behind digits without groups.

        A number in groups begins with 1 to 9: 0.123 is a small number in another format, never 123.
        """
        point = f"[{self.decimal}]"
        plain = f"([0-9]+({point}[0-9]*)?|{point}[0-9]+)([eE][+-]?[0-9]+)?"
        if self.thousands:
            plain += f"|[1-9][0-9]?[0-9]?([{self.thousands}][0-9][0-9][0-9])+({point}[0-9]*)?"
        return f" *[+-]?({plain}|{_INFINITY}) *"

    def plain(self, text: str, quoted: Callable[[str], str]) -> str:
        """Return the SQL of a text that matches, without groups and with a point."""
        found = text
        if self.thousands:
            found = f"replace({found}, {quoted(self.thousands)}, '')"
        return found if self.decimal == "." else f"replace({found}, {quoted(self.decimal)}, '.')"


PLAIN = NumberFormat()  # of all other sources of text
