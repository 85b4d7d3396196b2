"""Digits of published numbers: as many as noise leaves meaningful, ends of intervals outward, curves all alike.

Room: release. What decides on digits is half the length of an interval: of the number itself; of a share whose total is
private, which has none, that of its count; of a distribution the longest, so that what rises is printed rising.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING

from snapdp.display import noise_digits, six_digits
from snapdp.studies import DISTRIBUTION, SHARE
from snapdp.values import replaced

if TYPE_CHECKING:
    from snapdp.release.numbers import Number, NumberBlock

WHOLE = Decimal(10)  # half the length of an interval whose ends are printed as whole numbers
CUT_MARK = "*"  # behind an interval of which only the end of what is possible is left


def digits_alike(blocks: list[NumberBlock]) -> list[NumberBlock]:
    """Return the blocks of one statistic; for points of a distribution, and shares without intervals, with what decides
    on their digits.
    """
    for place, block in enumerate(blocks):
        if block.derived and block.name == DISTRIBUTION and block.is_ranked:
            blocks[place] = replaced(block, numbers=_on_one_line(block.numbers))
        elif block.derived and block.name == SHARE and all(each.low is each.high is None for each in block.numbers):
            counts = next((each for each in blocks if not each.derived and _are_alike(each, block)), None)
            if counts is not None:
                blocks[place] = replaced(block, numbers=_as_their_counts(block.numbers, counts.numbers))
    return blocks


def _are_alike(block: NumberBlock, other: NumberBlock) -> bool:
    return [each.cell for each in block.numbers] == [each.cell for each in other.numbers]


def _on_one_line(numbers: Sequence[Number]) -> tuple[Number, ...]:
    """Return the points of a distribution with one number of digits; numbers of rows are whole, at the finest."""
    longest = max(map(half_width, numbers))
    most = max((each.high for each in numbers if each.high is not None), default=None)
    return tuple(each._replace(digits_of=max(longest, WHOLE), most=most) for each in numbers)


def _as_their_counts(shares: Sequence[Number], counts: Sequence[Number]) -> tuple[Number, ...]:
    """Return shares with the digits that the noise of their counts leaves meaningful, in parts of their total."""
    pairs = ((share.value, count.value) for share, count in zip(shares, counts, strict=True))
    total = next((abs(Decimal(repr(count)) / Decimal(repr(share))) for share, count in pairs if share and count), None)
    if total is None:
        return tuple(shares)
    longest = max(map(half_width, counts)) / total  # one cut at zero is no measure of the noise
    return tuple(each._replace(digits_of=longest or None) for each in shares)


def half_width(number: Number) -> Decimal:
    """Return half the length of the interval of a number; 0 where there is none."""
    if number.low is None or number.high is None:
        return Decimal(0)
    return (Decimal(repr(number.high)) - Decimal(repr(number.low))) / 2


def shown_row(number: Number) -> tuple[str, str, str]:
    """Return statistic, value and interval as people read them."""
    title = number.statistic + (f", {number.part}" if number.part else "")
    title += f" [{number.cell}]" if number.cell else ""
    return title, *shown_pair(number)


def shown_pair(number: Number) -> tuple[str, str]:
    """Return value and interval of a number for people."""
    return shown_value(number), shown_interval(number)


def shown_value(number: Number) -> str:
    """Return the number for people, with the digits that its noise leaves meaningful: it stays in its interval."""
    if number.places is not None:
        return _decimals(number.printed, number.places)
    if number.low is None or number.high is None:
        if number.digits_of is None:
            return six_digits(number.printed)
        return noise_digits(number.printed, half_width=number.digits_of)
    half = _digits_of(number)
    text = noise_digits(number.printed, half_width=half)
    if number.digits_of is not None:  # ends are rounded likewise, so it stays between them
        return _at_most(text, number)
    if Decimal(text) > Decimal(repr(number.high)):
        return noise_digits(number.printed, half_width=half, rounding=ROUND_FLOOR)
    if Decimal(text) < Decimal(repr(number.low)):
        return noise_digits(number.printed, half_width=half, rounding=ROUND_CEILING)
    return text


def shown_interval(number: Number) -> str:
    """Return the interval for people, its ends rounded outward; empty where there is none.

    A mark behind it says that noise left nothing of it but the end of what the number can be: that is no certainty.
    """
    if number.low is None or number.high is None:
        ends = (("from", number.low), ("to", number.high))
        return "".join(f"{side} {six_digits(end)}" for side, end in ends if end is not None)
    if number.places is not None:
        return f"{_decimals(number.low, number.places)} to {_decimals(number.high, number.places)}"
    half = _digits_of(number)
    low = noise_digits(number.low, half_width=half, rounding=ROUND_FLOOR)
    high = noise_digits(number.high, half_width=half, rounding=ROUND_CEILING)
    return f"{low} to {_at_most(high, number)}{CUT_MARK * number.is_cut}"


def _digits_of(number: Number) -> Decimal:
    if number.digits_of is None:
        return half_width(number)
    return WHOLE if number.low == number.high else number.digits_of  # a public number of rows is printed as it is


def _at_most(text: str, number: Number) -> str:
    """Return a number as it is printed, unless rounding took it beyond what no end of its table passes."""
    if number.most is None or Decimal(text) <= Decimal(repr(number.most)):
        return text
    return noise_digits(number.most, half_width=WHOLE, rounding=ROUND_CEILING)


def _decimals(x: float, places: int) -> str:
    """Return a number that so many places write exactly; the double that stands for it may lie beside it."""
    return f"{Decimal(repr(x)):.{places}f}"
