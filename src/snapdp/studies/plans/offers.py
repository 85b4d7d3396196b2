"""What a line of a plan would gain from more epsilon.

Room: studies. It cannot see data.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from snapdp.display import four_digits_up, one_line
from snapdp.errors import SnapdpError
from snapdp.studies.plans.lines import Line
from snapdp.studies.plans.remembered import remembered
from snapdp.studies.statistics.number_errors import NumberError
from snapdp.values import Value, replaced

TENTH = Fraction(1, 10)
UNADJUSTED = "before adjusting"  # said of every figure of a table as it is measured, where it is adjusted afterwards


class Offer(Value):
    """What a line would gain from more epsilon: accuracies of its parts, or the radius of its ranks, now and then.

    more_accuracies   none where so much epsilon is refused: nobody asked for it, and the line itself is as good
    """

    title: str
    epsilon: Fraction
    more_epsilon: Fraction
    accuracies: tuple[Fraction, ...]
    more_accuracies: tuple[Fraction, ...]

    @property
    def gains(self) -> tuple[Fraction, ...]:
        """Return by what part of itself each accuracy shrinks."""
        return tuple(1 - then / now if now else Fraction(0) for now, then in self.pairs())

    def pairs(self) -> Iterable[tuple[Fraction, Fraction]]:
        """Return each accuracy, and what it would be; nothing where so much epsilon is refused."""
        return zip(self.accuracies, self.more_accuracies, strict=True) if self.more_accuracies else ()

    def __repr__(self) -> str:
        steps = ", ".join(f"{four_digits_up(now)} -> {four_digits_up(then)}" for now, then in self.pairs())
        steps = steps or "refused"
        return f"{one_line(self.title)}: epsilon {self.epsilon} -> {self.more_epsilon}, accuracy {steps}"


def _accuracies(line: Line) -> tuple[Fraction, ...]:
    """Return what is worth more with more epsilon: accuracies, or the radius of ranks."""
    return line.accuracies if line.ranks is None else (line.ranks.radius,)


@remembered
def errors_with_more(line: Line, more: Fraction, if_rows: Any = None) -> tuple[NumberError, ...]:
    """Return how far the numbers of a line would be off with so much more epsilon; nothing where it is refused."""
    try:
        return replaced(line, epsilon=line.epsilon * (1 + more), target=None).number_errors(if_rows)
    except SnapdpError:
        return ()


def offer_in_words(line: Line, errors: Sequence[NumberError], if_rows: Any = None) -> str:
    """Return what a tenth more epsilon buys for the first number of a line; empty where it is refused.

    Of margins, which are adjusted together, for the first one as it is measured: that is known at once. Where no number
    has an error of its own, for the first one that is released.

    errors   those of the line as it is
    """
    if line.statistic.margins is not None or not errors:
        offer = offer_of(line, line.epsilon * (1 + TENTH))
        pairs, unit = list(offer.pairs())[:1], ""
    else:
        more = errors_with_more(line, TENTH, if_rows)
        pairs = [(now.error, then.error) for now, then in zip(errors, more, strict=False)][:1]
        unit = " rows" if errors and errors[0].in_rows else ""
    told = [(f"± {four_digits_up(now)}{unit}", f"± {four_digits_up(then)}{unit}") for now, then in pairs]
    of = f", {UNADJUSTED}" if line.statistic.margins is not None else ""
    return "".join(f"10 % more epsilon: {_changed(before, after)}{of}" for before, after in told)


def _changed(before: str, after: str) -> str:
    return f"still {after}" if before == after else f"{after} instead of {before}"


def offer_of(line: Line, epsilon: Fraction) -> Offer:
    try:
        more = _accuracies(replaced(line, epsilon=epsilon))
    except SnapdpError:
        more = ()
    return Offer(
        title=line.statistic.readable_title,
        epsilon=line.epsilon,
        more_epsilon=epsilon,
        accuracies=_accuracies(line),
        more_accuracies=more,
    )
