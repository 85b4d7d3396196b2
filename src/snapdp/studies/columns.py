"""Declared columns: kind, bounds, step, stand-in for missing values, categories. All public, never from the data.

Nothing is read here. A number becomes a whole number of steps above the lower bound,

    q = floor((x - lower)/step + 1/2),  0 <= q <= levels = (upper - lower)/step        theory (2)

after clamping to the *effective* bounds: the declared ones, widened outward to multiples of the step. Effective bounds
are the ones shown, and every sensitivity is taken from them. What a missing value counts as is declared as well: its
row is left out, or a public number stands in for it, in sums and what is made of sums. In bins and conditions a missing
value is missing. Columns of which nothing is known are counted by powers of two, within a public range of exponents.
Theory: docs/theory/sensitivities.md, (2) and (17); magnitudes: docs/theory/exploring.md, (1).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from snapdp.display.numbers import exact_amount
from snapdp.errors import BoundError, ParameterError
from snapdp.exact.dyadic import floor_log2, nearest_multiple, power_of_two
from snapdp.exact.numbers import parameter, positive, shown
from snapdp.values import Value, replaced

if TYPE_CHECKING:
    from snapdp.studies.categories import ParentLevel

NUMBER, INTEGER, CATEGORY, PERSON = "number", "integer", "category", "person"
DROPPED, BINNED = "dropped", "binned"
AS_TEXT, AS_NUMBERS = "text", "numbers"  # how the cells of a category column are compared
MIDDLE = "middle"
INLINE = 1000  # longer lists of categories, keys or cells are named by their digest
DIGEST = re.compile("sha256:[0-9a-f]{64}")
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
MISSING_CHOICES = (
    'Give missing = "dropped" (rows without it are left out), missing = "middle" (the middle of the bounds stands in), '
    "or a public number inside the bounds, which then stands in."
)
DEFAULT_LEVELS = 1 << 20  # a number column without a step has between this many levels and twice as many


class NumberColumn(Value):
    """A column of numbers on a public grid. Build one with `number_column` or `integer_column`.

    declared_lower, declared_upper   as the user wrote them
    lower, upper                     effective bounds: multiples of the step, outside the declared ones
    missing                          what a missing cell counts as in sums: a multiple of the step inside the effective
                                     bounds; None where rows without the cell are left out
    """

    name: str
    kind: str
    declared_lower: Fraction
    declared_upper: Fraction
    lower: Fraction
    upper: Fraction
    step: Fraction
    missing: Fraction | None

    @property
    def plain(self) -> NumberColumn:
        """Return the column without bin edges, which `binned` gives it."""
        return self

    @property
    def levels(self) -> int:
        """Return the largest number of steps above the lower bound."""
        return int((self.upper - self.lower) / self.step)

    @property
    def lowest(self) -> int:
        """Return the lower bound in steps from zero."""
        return int(self.lower / self.step)

    @property
    def highest(self) -> int:
        """Return the upper bound in steps from zero."""
        return int(self.upper / self.step)

    @property
    def middle(self) -> Fraction:
        """Return the midpoint (lower + upper)/2; the notes' (upper - lower)/2 is another number (docs/errata.md, 1)."""
        return (self.lower + self.upper) / 2

    @property
    def dropped(self) -> bool:
        """Tell whether rows without the cell are left out: how many there are is private then."""
        return self.missing is None

    @property
    def missing_in_words(self) -> str:
        """Return what a missing cell counts as, as a clause for people."""
        if self.missing is None:
            return f"rows without {self.name} are left out"
        middle = " (middle)" if self.missing == nearest_multiple(self.middle, self.step) else ""
        return f"missing cells of {self.name} count as {exact_amount(self.missing)}{middle}"

    @property
    def missing_in_conditions(self) -> str:
        """Return the same of a condition on the column."""
        return f"a row without {self.name} meets no condition on it"

    @property
    def is_coarse(self) -> bool:
        """Tell whether rounding to the step may move a cell visibly: by more than a default step would."""
        return self.kind == INTEGER or self.levels < DEFAULT_LEVELS

    @property
    def has_default_step(self) -> bool:
        """Tell whether the step is the one that a column of numbers has where none is declared."""
        return self.kind == NUMBER and self.has_usual_step

    @property
    def has_usual_step(self) -> bool:
        """Tell whether the step is what it is where none is declared: 1, of whole numbers."""
        return self.step == usual_step(self.kind, self.declared_lower, self.declared_upper)

    @property
    def widened(self) -> bool:
        """Tell whether the effective bounds differ from the declared ones."""
        return (self.lower, self.upper) != (self.declared_lower, self.declared_upper)


class CategoryColumn(Value):
    """A column with a public list of values. Build one with `category_column`; `categories` has its other kinds.

    unknown, null   "dropped": such a row is in no cell; "binned": it has a cell of its own, after the categories
    compare         "text": cells are compared as they are; "numbers": as numbers, so that 1.0 is 1
    parents         levels above the categories, each coarser than the one below, which a hierarchy is released by

    Of the class: `called` is what people call its cells; `listed` columns look a cell up in the list of categories, of
    others the position is computed.
    """

    kind: ClassVar[str] = CATEGORY
    called: ClassVar[str] = "categories"
    listed: ClassVar[bool] = True
    name: str
    categories: tuple[str, ...]
    unknown: str = DROPPED
    null: str = DROPPED
    compare: str = AS_TEXT
    parents: tuple[ParentLevel, ...] = ()

    @property
    def plain(self) -> CategoryColumn:
        """Return the column without parents, which mean nothing but in a hierarchy."""
        return replaced(self, parents=()) if self.parents else self

    @property
    def others_in_words(self) -> str:
        """Return what happens to cells that are none of the categories, as a clause for people."""
        other = f"cells of {self.name} that mean none of its {self.called}"
        if self.unknown == self.null:
            does = "are left out" if self.unknown == DROPPED else "are counted by themselves"
            return f"{other}, and empty ones, {does}"
        if self.unknown == DROPPED:
            return f"{other} are left out, empty ones are counted by themselves"
        return f"{other} are counted by themselves, empty ones are left out"

    @property
    def cells(self) -> int:
        """Return how many cells a histogram over this column has."""
        return len(self.categories) + (self.unknown == BINNED) + (self.null == BINNED)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Return the cells in order; the two special ones are in brackets."""
        special = {"(unknown)": self.unknown, "(null)": self.null}
        return self.categories + tuple(name for name, rule in special.items() if rule == BINNED)


class PersonColumn(CategoryColumn):
    """A column that says whose row it is, compared as it is: text or whole numbers, undeclared or text categories."""

    kind = PERSON
    categories: tuple[str, ...] = ()


Column = NumberColumn | CategoryColumn


def number_column(name: str, *, lower: Any, upper: Any, step: Any = None, missing: Any) -> NumberColumn:
    """Return a column of real numbers; the default step is the largest power of two <= (upper - lower)/2**20.

    missing   "dropped", "middle", or a public number: what a cell without a number counts as in sums

    >>> age = number_column("age", lower="0.3", upper="119.5", step=1, missing="middle")
    >>> age.lower, age.upper, age.missing
    (Fraction(0, 1), Fraction(120, 1), Fraction(60, 1))
    """
    return _on_the_grid(name, NUMBER, lower, upper, step, missing)


def integer_column(name: str, *, lower: Any, upper: Any, step: Any = 1, missing: Any) -> NumberColumn:
    """Return a column of whole numbers; the step is a whole number too. `missing` as in `number_column`."""
    return _on_the_grid(name, INTEGER, lower, upper, step, missing)


def category_column(
    name: str, *, categories: Sequence[str], unknown: str = DROPPED, null: str = DROPPED
) -> CategoryColumn:
    """Return a column of text whose possible values are declared."""
    if isinstance(categories, str) or not categories or set(map(type, categories)) != {str}:
        raise ParameterError(
            f"the categories of column {name!r} are not a list of text.",
            'Give at least one, such as ["north", "south"].',
        )
    storable(name, "the name of a column")
    if UNSTORABLE.search("".join(categories)):  # one search for all: there may be a million
        storable(next(filter(UNSTORABLE.search, categories)), f"a category of column {name!r}")
    if len(set(categories)) != len(categories):
        twice = next(each for each, times in Counter(categories).items() if times > 1)
        raise ParameterError(
            f"category {twice!r} of column {name!r} is declared twice.",
            "Every row counts in one cell: name each category once.",
            key="categories",
        )
    check_rules(name, unknown=unknown, null=null)
    return CategoryColumn(name=name, categories=tuple(categories), unknown=unknown, null=null)


def check_on_step(column: NumberColumn, end: Fraction, what: str) -> None:
    """Refuse an end of a range between two steps: cells are rounded first, and would land on either side of it.

    A default step is so fine that the cells it moves lie beside the end anyway.
    """
    if column.is_coarse and (end / column.step).denominator != 1:
        below = column.step * math.floor(end / column.step)
        finer = 'a finer step and kind = "number"' if column.kind == INTEGER else "a finer step"
        raise BoundError(
            f"{what} {exact_amount(end)} of column {column.name!r} is no multiple of its step "
            f"{exact_amount(column.step)}, to which cells are rounded first.",
            f"Give {exact_amount(below)} or {exact_amount(below + column.step)}, or declare {finer}.",
        )


def check_rules(name: str, **rules: str) -> None:
    """Refuse a rule for cells outside the list, unknown or null, that is neither dropped nor binned."""
    for key, choice in rules.items():
        if choice not in (DROPPED, BINNED):
            raise ParameterError(
                f"{key} = {choice!r} of column {name!r} is not known.", f'Give {key} = "dropped" or {key} = "binned".'
            )


def storable(text: str, what: str) -> str:
    """Return a public text; refuse what no engine and no file can hold: the null character, half a surrogate pair."""
    if UNSTORABLE.search(text):
        raise ParameterError(f"{what} holds a character that engines cannot store: {shown(text)}.", "Leave it out.")
    return text


def _on_the_grid(
    name: str, kind: str, declared_lower: Any, declared_upper: Any, step: Any, missing: Any
) -> NumberColumn:
    """Return a column with effective bounds; the step is chosen where it is None."""
    storable(name, "the name of a column")
    low = parameter(declared_lower, name=f"lower of column {name!r}")
    high = parameter(declared_upper, name=f"upper of column {name!r}")
    if low >= high:
        raise BoundError(
            f"lower = {low} is not below upper = {high} for column {name!r}.",
            "A column needs lower < upper; were the two swapped?",
            lower=low,
            upper=high,
        )
    width = usual_step(kind, low, high) if step is None else positive(step, name=f"step of column {name!r}")
    if kind == INTEGER and width.denominator != 1:
        raise ParameterError(
            f"step = {width} is not whole, but column {name!r} holds integers.",
            'Give a whole step, or declare the column with kind = "number".',
        )
    lower, upper = width * math.floor(low / width), width * math.ceil(high / width)
    return NumberColumn(
        name=name,
        kind=kind,
        declared_lower=low,
        declared_upper=high,
        lower=lower,
        upper=upper,
        step=width,
        missing=_stand_in(name, lower, upper, width, missing),
    )


def usual_step(kind: str, low: Fraction, high: Fraction) -> Fraction:
    """Return the step of a column that declares none."""
    return Fraction(1) if kind == INTEGER else power_of_two(floor_log2((high - low) / DEFAULT_LEVELS))


def _stand_in(name: str, lower: Fraction, upper: Fraction, step: Fraction, missing: Any) -> Fraction | None:
    """Return what stands in for a missing cell, None where nothing does."""
    if isinstance(missing, str) and missing.isalpha():
        if missing not in (DROPPED, MIDDLE):
            raise ParameterError(f"missing = {shown(missing)} of column {name!r} is not known.", MISSING_CHOICES)
        return None if missing == DROPPED else nearest_multiple((lower + upper) / 2, step)
    found = parameter(missing, name=f"missing of column {name!r}")
    if not lower <= found <= upper:
        raise BoundError(
            f"missing = {found} lies outside the bounds {lower} to {upper} of column {name!r}.",
            MISSING_CHOICES,
            missing=found,
            lower=lower,
            upper=upper,
        )
    return nearest_multiple(found, step)  # both bounds are multiples, so it stays between them


# Magnitudes. A cell has one of 2 (highest - lowest + 2) places, in the order of numbers:
#
#     x <= -2**highest;  -2**(k+1) < x <= -2**k;  -2**lowest < x < 0;  0 <= x < 2**lowest;  2**k <= x < 2**(k+1);
#     x >= 2**highest
#
# for k from lowest to highest - 1, so that infinities lie in the outermost places, and zero, with all that is very
# small, just above the middle. Behind them are two more: values that are not numbers, and missing ones. Every edge is a
# double, so that comparisons decide exactly.

MAGNITUDE = "magnitude"
LOWEST, HIGHEST = -10, 40  # about 0.001 to 1,000,000,000,000
LEAST, LARGEST = -1022, 1023  # of doubles that are no denormals
MOST_POWERS = 256
LONGEST = 60  # exponents of powers of two that are written out
UNREADABLE_CELL, MISSING_CELL = "(unreadable)", "(missing)"
End = Fraction | None  # of a place: None where it is open


class MagnitudeColumn(CategoryColumn):
    """A column of numbers, counted by powers of two. Build one with `magnitude_column`.

    lowest    what is nearer to zero than 2**lowest is in the place beside it, or in that of zero
    highest   the outermost places begin at 2**highest, on both sides of zero
    """

    kind = MAGNITUDE
    called = "magnitudes"
    listed = False
    unknown: str = BINNED
    null: str = BINNED
    lowest: int = LOWEST
    highest: int = HIGHEST

    @property
    def others_in_words(self) -> str:
        return f"rows whose {self.name} is no number, or empty, are counted by themselves"

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Return the cells in order; the two behind the magnitudes are in brackets."""
        return (*self.categories, UNREADABLE_CELL, MISSING_CELL)

    @property
    def powers(self) -> int:
        """Return how many powers of two there are on each side of zero."""
        return self.highest - self.lowest + 1

    @property
    def places(self) -> int:
        """Return how many magnitudes there are, of both signs."""
        return 2 * self.zero

    @property
    def zero(self) -> int:
        """Return the place of zero: all below it are negative."""
        return self.powers + 1

    def ends(self, place: int) -> tuple[End, End]:
        """Return between which numbers the cells of a place lie; None where it is open.

        >>> column = magnitude_column("pay", exponents=(0, 2))
        >>> [tuple(map(str, column.ends(place))) for place in (0, 3, 4, 6, 7)]
        [('None', '-4'), ('-1', '0'), ('0', '1'), ('2', '4'), ('4', 'None')]
        """
        if place < self.zero:
            low, high = self.ends(self.places - 1 - place)
            return None if high is None else -high, None if low is None else -low
        beyond = place - self.zero
        low = power_of_two(self.lowest + beyond - 1) if beyond else Fraction(0)
        return low, power_of_two(self.lowest + beyond) if beyond < self.powers else None

    def middle(self, place: int) -> Fraction:
        """Return a number that stands for a place: zero, the middle of its ends, or the end of one that is open."""
        low, high = self.ends(place)
        if low is None or high is None:
            return Fraction(low or high or 0)
        return Fraction(0) if place == self.zero else (low + high) / 2

    def place(self, number: float) -> int:
        """Return the place of a double that is a number, an infinite one too.

        >>> magnitude_column("pay", exponents=(0, 2)).place(-2.0)
        1
        """
        beyond = 0
        if abs(number) >= math.ldexp(1.0, self.lowest):
            exponent = self.highest if math.isinf(number) else min(math.frexp(number)[1] - 1, self.highest)
            beyond = 1 + exponent - self.lowest
        return self.zero + beyond if number >= 0 else self.zero - 1 - beyond


def magnitude_column(name: str, *, exponents: Any = (LOWEST, HIGHEST)) -> MagnitudeColumn:
    """Return a column of numbers that is counted by powers of two, from 2**lowest to 2**highest and their negatives.

    >>> magnitude_column("pay", exponents=(-1, 1)).labels[3:]
    ('(-1/2, 0)', '[0, 1/2)', '[1/2, 1)', '[1, 2)', 'from 2', '(unreadable)', '(missing)')
    """
    storable(name, "the name of a column")
    lowest, highest = _checked_exponents(name, exponents)
    places = range(2 * (highest - lowest + 2))
    names = tuple(span_name(each, each, lowest=lowest, highest=highest) for each in places)
    return MagnitudeColumn(name=name, categories=names, lowest=lowest, highest=highest)


def _checked_exponents(name: str, exponents: Any) -> tuple[int, int]:
    """Return the two exponents; refuse others than whole ones of doubles, in order and not too far apart."""
    listed = [] if isinstance(exponents, str) else list(exponents)
    found = [parameter(each, name=f"an exponent of column {name!r}") for each in listed]
    if len(found) != 2 or any(each.denominator != 1 for each in found):
        raise ParameterError(
            f"the exponents of column {name!r} are not two whole numbers.",
            f"Give the least and the largest power of two, such as exponents = [{LOWEST}, {HIGHEST}].",
        )
    lowest, highest = map(int, found)
    if lowest > highest:
        raise BoundError(
            f"exponent {lowest} is above {highest} for column {name!r}.", "Were the two swapped? The least comes first."
        )
    if lowest < LEAST or highest > LARGEST:
        raise BoundError(
            f"the exponents {lowest} to {highest} of column {name!r} leave those of doubles.",
            f"Give exponents from {LEAST} to {LARGEST}.",
        )
    if highest - lowest >= MOST_POWERS:
        raise BoundError(
            f"the exponents of column {name!r} are {highest - lowest + 1} powers of two, more than {MOST_POWERS}.",
            "Bring them closer together: bounds and quartiles are the better, the fewer there are.",
        )
    return lowest, highest


def span_name(first: int, last: int, *, lowest: int, highest: int) -> str:
    """Return the name of all places from one to another: the ends of what lies in them.

    >>> [span_name(first, last, lowest=0, highest=2) for first, last in ((0, 2), (3, 3), (3, 5), (4, 4), (4, 7))]
    ['to -1', '(-1, 0)', '(-1, 2)', '[0, 1)', 'from 0']
    """
    zero = highest - lowest + 2
    low = _edge(first - zero, lowest) if first > 0 else None
    high = _edge(last - zero + 1, lowest) if last < 2 * zero - 1 else None
    if low is None:
        return "all" if high is None else f"{'to' if last < zero - 1 else 'below'} {high}"
    if high is None:
        return f"{'from' if first >= zero else 'above'} {low}"
    return f"{'[' if first >= zero else '('}{low}, {high}{']' if last < zero - 1 else ')'}"


def _edge(step: int, lowest: int) -> str:
    """Return the lower edge of the place so many steps above that of zero: a power of two, or the negative of one."""
    if step == 0:
        return "0"
    sign, exponent = ("", lowest + step - 1) if step > 0 else ("-", lowest - step - 1)
    return sign + (str(power_of_two(exponent)) if abs(exponent) <= LONGEST else f"2^{exponent}")
