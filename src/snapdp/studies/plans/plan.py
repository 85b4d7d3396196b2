"""A plan of several statistics: what each costs and is worth, and how they share a budget. No data, no ledger.

Room: studies. It cannot see data. A line has an epsilon, given or found from a target accuracy. Epsilon typed = epsilon
charged, composition is a sum of exact rationals. How a plan looks stands in `table` and `words`.
Theory: docs/theory/sensitivities.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from snapdp.errors import BudgetError, ParameterError, PremiseError
from snapdp.exact import positive
from snapdp.studies.plans.asked import Asked
from snapdp.studies.plans.correlations import errors_in
from snapdp.studies.plans.lines import Line, planned
from snapdp.studies.plans.offers import Offer, offer_of
from snapdp.studies.plans.sharing import Sharing, could_share
from snapdp.studies.readable import told_apart
from snapdp.studies.relation import Relation, guessed_rows, whole
from snapdp.studies.statistics.number_errors import NumberError
from snapdp.studies.toml_table import about
from snapdp.values import Value, replaced

if TYPE_CHECKING:
    from snapdp.studies.plans.usefulness import Useless


class Plan(Value):
    """Several lines under one neighbour relation, and the budget they aim at.

    if_rows   so many rows are guessed to be in the table, and in each group an equal share of them; it changes what is
              told, and no release
    """

    lines: tuple[Line, ...]
    budget: Fraction | None = None
    if_rows: int | None = None

    def _check(self) -> None:
        if not self.lines:
            raise ParameterError("a plan needs at least one statistic.", "Add a line.")
        if len({line.statistic.relation for line in self.lines}) > 1:
            raise PremiseError(
                "the lines of a plan have different neighbour relations.",
                "Epsilons add up under one relation only: declare all statistics under the same.",
            )
        if self.if_rows is not None:
            guessed_rows(self.if_rows, self.relation)

    @property
    def relation(self) -> Relation:
        """Return the relation of its lines."""
        return self.lines[0].statistic.relation

    @property
    def total(self) -> Fraction:
        """Return the epsilon the whole plan is charged: the sum of what was typed."""
        return sum((line.epsilon for line in self.lines), Fraction(0))

    @property
    def locked(self) -> Fraction:
        """Return the epsilon of the locked lines."""
        return sum((line.epsilon for line in self.lines if line.lock), Fraction(0))

    @property
    def titles(self) -> list[str]:
        """Return the titles of its lines as people read them; of two that are alike the later one has its number."""
        return told_apart(line.statistic.readable_title for line in self.lines)

    @cached_property
    def sharings(self) -> tuple[Sharing, ...]:
        """Return which means could share a count, and what that would buy: it is said, and never done."""
        return could_share(self.lines, self.if_rows)

    def fit(self, budget: Any = None, *, keep: Iterable[int] = ()) -> Plan:
        """Return the plan with its unlocked lines rescaled by one factor, so that the total is the budget exactly.

        keep   lines, by their places, that keep their epsilon this once, as locked ones always do
        """
        kept = set(keep)
        if kept:
            held = tuple(replaced(line, lock=line.lock or at in kept) for at, line in enumerate(self.lines))
            fitted = replaced(self, lines=held).fit(budget)
            pairs = zip(fitted.lines, self.lines, strict=True)
            return replaced(fitted, lines=tuple(replaced(new, lock=old.lock) for new, old in pairs))
        aim = self.budget if budget is None else positive(budget, name="budget")
        if aim is None:
            raise ParameterError("there is no budget to fit the plan to.", "Give one, such as 1.")
        free = self.total - self.locked
        if free == 0 and aim != self.total:
            raise BudgetError(
                f"every line is locked: the total is {self.total}, the budget {aim}.",
                f"Unlock a line, or take {self.total} as the budget.",
                budget=aim,
                locked=self.locked,
            )
        if free and aim <= self.locked:
            raise BudgetError(
                f"budget = {aim} leaves nothing for the unlocked lines: the locked ones take {self.locked}.",
                f"Give a budget above {self.locked}, or unlock a line.",
                budget=aim,
                locked=self.locked,
            )
        scale = (aim - self.locked) / free if free else Fraction(1)
        return replaced(self, lines=tuple(self._rescaled(scale)), budget=aim)

    def _rescaled(self, scale: Fraction) -> Iterator[Line]:
        """Yield its lines, the unlocked ones with another epsilon; one that cannot have it says which it is."""
        for number, line in enumerate(self.lines, start=1):
            with about(place=f"statistic {number}", key="epsilon"):
                yield line if line.lock else replaced(line, epsilon=line.epsilon * scale)

    def offers(self, more: Any = "0.1") -> tuple[Offer, ...]:
        """Return for each line what that much more epsilon would buy; a tenth, unless told."""
        growth = 1 + positive(more, name="more")
        return tuple(offer_of(line, line.epsilon * growth) for line in self.lines)

    @cached_property
    def errors(self) -> tuple[tuple[NumberError, ...], ...]:
        """Return for each line how far its numbers may be off, at the guess of rows; with a correlation that follows
        from several lines.
        """
        return tuple(map(self._errors_of, range(len(self.lines))))

    def _errors_of(self, place: int) -> tuple[NumberError, ...]:
        with about(place=f"statistic {place + 1}", key="epsilon"):
            return errors_in(self.lines, self.lines[place], self.if_rows)

    @cached_property
    def useless(self) -> tuple[Useless, ...]:
        """Return the lines that say little, each with what would help."""
        from snapdp.studies.plans.usefulness import useless_lines

        return tuple(useless_lines(self))

    def __repr__(self) -> str:
        """Return the plan as a small table, with what should be known beside it."""
        from snapdp.studies.plans.words import plan_text

        return plan_text(self)

    def _repr_html_(self) -> str:
        from snapdp.studies.plans.words import plan_html

        return plan_html(self)


def plan(wanted: Iterable[Asked], *, budget: Any = None, if_rows: Any = None) -> Plan:
    """Return the plan of several statistics; a target accuracy becomes the epsilon it needs."""
    aim = None if budget is None else positive(budget, name="budget")
    rows = None if if_rows is None else whole(if_rows, name="if_rows")
    return Plan(lines=tuple(_placed(wanted)), budget=aim, if_rows=rows)


def _placed(wanted: Iterable[Asked]) -> Iterator[Line]:
    for number, each in enumerate(wanted, start=1):
        with about(place=f"statistic {number}", key="epsilon" if each.accuracy is None else "accuracy"):
            yield planned(each)
