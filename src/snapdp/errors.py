"""The family of errors: what was given, what is allowed, what to do, what it cost.

Room: errors, below every other room. A message never holds a private value: it names the parameter and the rule.
Every error keeps the public numbers it speaks of in `numbers`, so that a front end can render them its own way. What a
message repeats may be a megabyte long: it is cut here, for all.
"""

from __future__ import annotations

LONGEST, ENDING = 1500, 400  # characters of a problem or an advice, and how many of them are its end


class SnapdpError(ValueError):
    """Base of all refusals. `numbers` holds the public amounts the message mentions."""

    def __init__(self, problem: str, advice: str = "", **numbers: object) -> None:
        self.problem = without_middle(problem)
        self.advice = without_middle(advice)
        self.numbers = numbers
        super().__init__(f"{self.problem}\n  {self.advice}" if advice else self.problem)


def without_middle(text: str) -> str:
    """Return a message that can be read: names and numbers that it repeats may be of any length, its ends say what."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - ENDING - 5]} ... {text[-ENDING:]}"


class ParameterError(SnapdpError):
    """A public parameter is not a number, or lies outside what is allowed."""


class BoundError(ParameterError):
    """A range, clamp or grid that cannot be used."""


class BudgetError(SnapdpError):
    """More epsilon is asked for than is left."""


class DataError(SnapdpError):
    """A value or array that the mechanism cannot take. The message never repeats the value."""


class PremiseError(SnapdpError):
    """A premise of the privacy proof does not hold: refused, never weakened."""


class LedgerError(SnapdpError):
    """The ledger cannot be read, written or trusted."""


class ProgramError(SnapdpError):
    """A program that cannot be read or judged; `line` and `column` of the place are among the numbers, where known."""
