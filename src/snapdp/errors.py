"""The family of errors: what was given, what is allowed, what to do, what it cost.

Every other package may import it. A message never holds a private value: it names the parameter and the rule.
Every error keeps the public numbers it speaks of in `numbers`, so that a front end can render them its own way. What a
message repeats may be a megabyte long, and a number in it hundreds of digits: both are cut here, for all.
"""

from __future__ import annotations

import re
from decimal import Context, Decimal

__all__ = [
    "BoundError",
    "BudgetError",
    "DataError",
    "LedgerError",
    "ParameterError",
    "PremiseError",
    "ProgramError",
    "SnapdpError",
]
UNKNOWN = "unknown"  # of what was spent: a charge may be in the ledger or not
_COST = "_snapdp_cost"  # an attribute of exceptions
MOST_DIGITS = 30  # of a number in a message, or of a fraction
NUMBER = re.compile(r"(?<![\w.'\"/-])([0-9]+)(?:/([0-9]+))?(?![\w'\"/])")
LONGEST, ENDING = 1500, 400  # characters of a problem or an advice, and how many of them are its end


class SnapdpError(ValueError):
    """Base of all refusals. `numbers` holds the public amounts the message mentions."""

    def __init__(self, problem: str, advice: str = "", **numbers: object) -> None:
        self.problem = without_middle(with_short_numbers(problem))
        self.advice = without_middle(with_short_numbers(advice))
        self.numbers = numbers
        super().__init__(f"{self.problem}\n  {self.advice}" if advice else self.problem)


def state_cost(problem: BaseException, spent: str, sentence: str) -> None:
    """Write down in an exception that is no refusal, such as an interrupt, what had been charged when it was raised."""
    if not hasattr(problem, _COST):
        setattr(problem, _COST, (spent, sentence))
        problem.add_note(sentence)


def cost_of(problem: BaseException) -> tuple[str | None, str]:
    """Return what had been charged when an exception was raised (exactly, or "unknown") and a sentence about it.

    None where the exception does not say so: then a refusal has cost nothing.
    """
    if not isinstance(problem, SnapdpError):
        return getattr(problem, _COST, (None, ""))
    spent = problem.numbers.get("spent")
    return (None if spent is None else str(spent)), problem.advice


def with_short_numbers(text: str) -> str:
    """Return a message whose numbers can be read: those of very many digits about, to four; `numbers` has them exactly.

    >>> with_short_numbers(f"upper = {10**308} is above 2/{3 * 10**40}, and 1/3 is not.")
    'upper = about 1e308 is above about 6.667e-41, and 1/3 is not.'
    """
    return NUMBER.sub(_short, text) if len(text) > MOST_DIGITS else text


def _short(found: re.Match[str]) -> str:
    if len(found[0]) <= MOST_DIGITS or (found[2] is not None and not int(found[2])):
        return found[0]
    about = Context(prec=4).divide(Decimal(found[1]), Decimal(found[2] or 1)).normalize(Context(prec=4))
    digits, exponent = f"{about:e}".split("e")
    return f"about {digits}e{int(exponent)}"


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
    """A table, file, record, value or array that cannot be taken as it is. The message never repeats what it holds."""


class PremiseError(SnapdpError):
    """A premise of the privacy proof does not hold: refused, never weakened."""


class LedgerError(SnapdpError):
    """The ledger cannot be read, written or trusted."""


class ProgramError(SnapdpError):
    """A program that cannot be read or judged; `line` and `column` of the place are among the numbers, where known."""
