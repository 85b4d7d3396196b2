"""What a question is, and how answers are read: yes and no, one of a few, numbers, lists.

Room: cli. A question has a line that asks, a line that explains with an example, and a check that is asked at once. An
answer is text as it was typed; what it means follows from the check, each time anew.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeVar

import click

from snapdp.cli.flags.by_name import items
from snapdp.cli.flags.two_readings import refuse_two_readings
from snapdp.display import exact_amount, one_line
from snapdp.errors import ParameterError, SnapdpError
from snapdp.exact import parameter
from snapdp.studies import whole
from snapdp.values import Value

Key = tuple[str, ...]
T = TypeVar("T")
BEFORE = re.compile(r"(?:from|between)\s+", re.IGNORECASE)
BETWEEN = re.compile(
    r"\s*(?:\bto\b|\band\b|\.\.\.?|;)\s*|(?<=\d)\s+[-\u2013\u2014]\s+|(?<=\d)[\u2013\u2014](?=\S)", re.IGNORECASE
)
LOOSELY_BETWEEN = re.compile(r"\s*,\s*|\s+")
TIGHTLY_BETWEEN = re.compile(r"([+-]?[\d.,/]+)-([+-]?[\d.,/]+)", re.ASCII)  # 0-120
MINUS = str.maketrans("\u2212\u2013\u2014", "---")  # what is left of such signs stands before a number
GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}([, '\u00a0\u202f]\d{3})+(\.\d+)?", re.ASCII)  # 20,000 and 20 000
DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d{1,2}|[+-]?0,\d+", re.ASCII)
LEADING_ZERO = re.compile(r"[+-]?0\d")  # 01: what stands behind a decimal comma
YES, NO = ("yes", "y"), ("no", "n")
MORE_DATASET = (
    "The ledger keeps an account under this name: what may be spent on the table, and what was. It is public, and "
    "stands in the record."
)


class Choice(Value):
    """One of a few answers: its word, what it means, other words for it, and what a study calls it, if not so."""

    word: str
    means: str
    others: tuple[str, ...] = ()
    stated: str = ""

    @property
    def value(self) -> str:
        return self.stated or self.word


class Question(Value):
    """One question.

    key      what tells it from all others: its answer is kept under it
    text     the question itself, one line
    hint     why it is asked, one line with an example
    more     what `?` shows: more than the hint says
    check    what an answer means; refuses nonsense by a SnapdpError, whose number `nearest` is what may be meant
    default  what Enter alone says; None where something must be typed
    menu     choices that are shown, with numbers
    before   shows something when it is asked, such as a plan
    listing  shows something between the question and its hint, such as the columns
    after    what is said when it was answered
    acts     words that do something and leave the question open
    shows    words that show something and change nothing: what was shown before is not shown again
    ends     words that end the conversation: they are never kept, whoever goes on decides anew
    """

    key: Key
    text: str
    check: Callable[[str], Any]
    more: str
    hint: str = ""
    default: str | None = None
    menu: tuple[Choice, ...] = ()
    before: Callable[[], None] | None = None
    listing: Callable[[], None] | None = None
    after: Callable[[Any], str] | None = None
    acts: Mapping[str, Callable[[], None]] = {}
    shows: Mapping[str, Callable[[], None]] = {}
    ends: tuple[str, ...] = ()


Flow = Generator[Question, Any, T]


def yes_or_no(text: str) -> bool:
    """Return whether an answer is yes."""
    small = text.lower()
    if small not in YES + NO:
        raise ParameterError(f'"{one_line(text)}" is neither yes nor no.', "Type y or n.")
    return small in YES


def one_of(choices: Sequence[Choice]) -> Callable[[str], str]:
    """Return the check of a menu: an answer is the number of a choice, or its word."""

    def chosen(text: str) -> str:
        small = text.lower()
        for number, each in enumerate(choices, start=1):
            if small in (str(number), each.word, each.value, *each.others):
                return each.value
        raise ParameterError(
            f'"{one_line(text)}" is none of them.', f"Type a number from 1 to {len(choices)}, or a word of the list."
        )

    return chosen


def listed(text: str) -> list[str]:
    """Return the items of a list with commas; one that holds a comma stands in double quotes."""
    try:
        found = items(text, any_text=True)
    except click.UsageError as misuse:
        raise ParameterError(misuse.message) from None
    return found


def two_ends(text: str) -> tuple[str, str]:
    """Return both ends of a range: "0 to 120", "from 0 to 120", "0 - 120", "0 120" and "0, 120" are the same.

    >>> [two_ends(each) for each in ("0 to 20,000", "-5,5", "0.5 .. 2", "between 1/3 and 2", "-5-5", "−5 – −1")]
    [('0', '20,000'), ('-5', '5'), ('0.5', '2'), ('1/3', '2'), ('-5', '5'), ('-5', '-1')]
    """
    said = BEFORE.sub("", text.strip(), count=1) if BEFORE.match(text.strip()) else text.strip()
    ends = [each.translate(MINUS) for each in BETWEEN.split(said) if each]
    if len(ends) < 2:
        plain = said.translate(MINUS)
        tight = TIGHTLY_BETWEEN.fullmatch(plain)
        ends = [*tight.groups()] if tight else [each for each in LOOSELY_BETWEEN.split(plain) if each]
    if len(ends) != 2:
        raise ParameterError("these are not two ends.", "Type both, such as 0 to 120.")
    return ends[0], ends[1]


def two_numbers(text: str) -> tuple[str, str]:
    """Return two numbers, the first below the second, as exact text; 0,01 may be one number, and is not guessed."""
    ends = two_ends(text)
    if any(map(LEADING_ZERO.match, ends)):
        told = "Type both ends, such as 0 to 120; decimals have a point, such as 0.01."
        raise ParameterError(f'"{one_line(text)}" can be read in two ways.', told)
    low, high = map(number, ends)
    if low >= high:
        told = f"{exact_amount(low)} is not below {exact_amount(high)}."
        raise ParameterError(told, "Type the lowest value first, such as 0 to 120.")
    return str(low), str(high)


def counted(text: str) -> int:
    """Return a positive whole number; 10,000 and 10 000 are the same as 10000."""
    refuse_two_readings(text)
    try:
        return whole(_without_groups(text.replace(" ", "").replace("'", "")), name="this number")
    except SnapdpError:
        raise ParameterError(f'"{one_line(text)}" is no whole number above 0.', "Type one such as 5000.") from None


def above_zero(text: str) -> Fraction:
    """Return a positive number. Where one is asked for, 0,5 is one: it has no thousands, and is not two numbers.

    >>> above_zero("0,5"), above_zero("0,125"), above_zero("1,250")
    (Fraction(1, 2), Fraction(1, 8), Fraction(1250, 1))
    """
    is_decimal = DECIMAL_COMMA.fullmatch(text) and not GROUPED.fullmatch(text)
    found = number(text.replace(",", ".") if is_decimal else text)
    if found <= 0:
        raise ParameterError(f'"{one_line(text)}" is not above 0.', "Type a number such as 1, 0.5 or 1/3.")
    return found


def number(text: str) -> Fraction:
    """Return a number; whoever typed something else, or what may be two numbers, is told how one looks."""
    refuse_two_readings(text)
    try:
        return parameter(_without_groups(text), name="this number")
    except SnapdpError:
        told = "Type one such as 120, 0.5 or 1/3: with a point here, whatever the file has."
        raise ParameterError(f'"{one_line(text)}" is no number.', told) from None


def _without_groups(text: str) -> str:
    """Return a number without what stands between groups of its digits."""
    return re.sub(r"[^\d.+-]", "", text) if GROUPED.fullmatch(text) else text


def is_number(text: str) -> bool:
    """Tell whether a text is a number."""
    try:
        parameter(text, name="this number")
    except SnapdpError:
        return False
    return True


def numbers(text: str) -> list[Fraction]:
    """Return numbers of a list with commas."""
    return [number(each) for each in listed(text)]
