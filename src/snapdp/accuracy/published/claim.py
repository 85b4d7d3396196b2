"""One printed formula beside the exact answer: what it says, what is true, whether it holds, and why.

Room: accuracy. Whether it holds is decided against the exact law, never by comparing rounded numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property

from snapdp.accuracy.error import accuracy_at, worst_accuracy
from snapdp.accuracy.published.printed_mechanism import PrintedMechanism
from snapdp.accuracy.published.printed_number import PrintedNumber
from snapdp.accuracy.tails import beyond, chance, exceeds, value_chance, worst_chance, worst_exceeds
from snapdp.exact import Enclosure, refine
from snapdp.values import Value

FIRST_OF_2019, SECOND_OF_2019, OF_2020 = "26 August 2019", "31 August 2019", "26 August 2020"
ALL_DATES = "all three dates"
LAST_TWO = f"{OF_2020}, and 6.2 of {SECOND_OF_2019}"
ALL_THREE = f"{OF_2020}, and 6.2 of both dates of 2019"


class PrintedClaim(Value):
    """A formula as printed, beside the exact answer.

    name      of the formula                     says      its value
    claim     what it is said to be              exact     the exact answer to the same question
    source    section and dates                  measured  what decides: a probability that was promised, and what of
    valid     whether the claim holds; None where it is neither proved nor refuted
    why       one sentence
    answer    what the exact answer is, in a word or two
    """

    name: str
    claim: str
    source: str
    says: Enclosure
    exact: Enclosure
    valid: bool | None
    why: str
    measured: tuple[str, Enclosure] | None = None
    answer: str = "exact"


class Setting(Value):
    """What the formulas are asked about: a mechanism, a guess, levels, a target, a range and a number of rows.

    Mechanism, guess and target are in sensitivities, range and answers in data units.
    """

    mechanism: PrintedMechanism
    sensitivity: Fraction
    value: Fraction
    alpha: Fraction
    gamma: Fraction
    target: Fraction
    lower: Fraction
    upper: Fraction
    rows: int

    @cached_property
    def exact_at_value(self) -> Fraction:
        """Return the least accuracy at the guess."""
        return accuracy_at(self.mechanism.parameters, self.value, self.alpha)

    @cached_property
    def exact_anywhere(self) -> Fraction:
        """Return the least accuracy that holds for every value within the bound."""
        return worst_accuracy(self.mechanism.parameters, self.alpha)


Claims = dict[str, Callable[[Setting], PrintedClaim]]  # by their names


def missed_at_value(s: Setting, at: PrintedNumber) -> tuple[Enclosure, bool]:
    """Return how probable a larger error is at the guess, and whether that is at most alpha.

    A printed accuracy is a known rational, or irrational and so no distance of an output: some precision decides which
    outputs lie beyond it.
    """
    p, f = s.mechanism.parameters, s.value
    found = refine(at, until=lambda a: beyond(p, f, a.lower) == beyond(p, f, a.upper))
    return value_chance(p, f, found.upper), not exceeds(chance(p, beyond(p, f, found.upper)), s.alpha)


def missed_anywhere(s: Setting, at: PrintedNumber) -> tuple[Enclosure, bool]:
    """Return how probable a larger error is at the worst value within the bound, and whether that is at most alpha."""
    p, level = s.mechanism.parameters, s.alpha
    found = refine(at, until=lambda a: worst_exceeds(p, a.upper, level) or not worst_exceeds(p, a.lower, level))
    chances = worst_chance(p, found.upper), worst_chance(p, found.lower)
    return Enclosure(chances[0].lower, chances[1].upper), not worst_exceeds(p, found.lower, level)
