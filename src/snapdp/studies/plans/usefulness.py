"""Which lines of a plan say little: errors above a tenth of the range, and the epsilon that would make them a tenth.

Room: studies. It cannot see data. The epsilon is found by trying, with the exact accuracies of the line: a decimal of
two digits at which every number of the line is useful, while the next smaller one leaves one that is not. From epsilon
5 on somebody could guess right in all of 100 cases: no such epsilon is named.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from snapdp.errors import SnapdpError
from snapdp.exact import floor_log10, power_of_ten
from snapdp.studies.statistics.number_errors import NumberError
from snapdp.values import Value, replaced

if TYPE_CHECKING:
    from snapdp.studies.plans.lines import Line
    from snapdp.studies.plans.plan import Plan

BEYOND = Fraction(5)  # display.odds: who guesses may be right in all cases
_LEADING = 90  # numbers of two digits: 1.0, 1.1, ... 9.9


class Useless(Value):
    """A line with an error above a tenth of its range.

    place      of the line in the plan
    number     that which is off by the largest part of its range
    """

    place: int
    line: Line
    number: NumberError
    if_rows: int | None = None

    @cached_property
    def epsilon(self) -> Fraction | None:
        """Return at which epsilon all numbers of the line would be useful; None where none below 5 is enough."""
        return useful_epsilon(self.line, self.if_rows)


def useless_lines(plan: Plan) -> list[Useless]:
    """Return the lines that say little: of what follows from several no one line could be mended alone."""
    found = []
    for place, (line, errors) in enumerate(zip(plan.lines, plan.errors, strict=True)):
        weak = [each for each in errors if each.lines == 1 and not each.is_useful]
        if weak:
            worst = max(weak, key=lambda each: each.share)
            found.append(Useless(place=place, line=line, number=worst, if_rows=plan.if_rows))
    return found


def useful_epsilon(line: Line, if_rows: Any = None) -> Fraction | None:
    """Return a decimal of two digits at which all numbers of a line are useful, while at the next smaller one they are
    not, and which is above the epsilon of the line; None where none below 5 is.
    """
    low, high = _place(line.epsilon), _place(BEYOND) - 1
    if low >= high or not _is_useful(line, short_decimal_at(high), if_rows):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        if _is_useful(line, short_decimal_at(middle), if_rows):
            high = middle
        else:
            low = middle
    return short_decimal_at(high)


def short_decimal_at(place: int) -> Fraction:
    """Return the decimal of two digits at a place among all of them: 1.0 is at 0, 1.1 at 1, 0.99 at -1.

    >>> [str(short_decimal_at(place)) for place in (0, 1, 89, 90, -1)]
    ['1', '11/10', '99/10', '10', '99/100']
    """
    tens, more = divmod(place, _LEADING)
    return (10 + more) * power_of_ten(tens - 1)


def _place(x: Fraction) -> int:
    """Return the place of the largest decimal of two digits that is not above x."""
    tens = floor_log10(x)
    return _LEADING * tens + int(x / power_of_ten(tens - 1)) - 10


def _is_useful(line: Line, epsilon: Fraction, if_rows: Any) -> bool:
    try:
        return all(each.is_useful for each in replaced(line, epsilon=epsilon, target=None).number_errors(if_rows))
    except SnapdpError:  # nobody asked for it
        return False
