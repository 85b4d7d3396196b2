"""A plan of several statistics: what each costs and is worth, and how they share a budget. No data, no ledger.

A line has an epsilon, given or found from a target accuracy. Epsilon typed = epsilon charged; composition is a sum of
exact rationals. Whatever would be better is computed and said, never done. `text` shows a plan.
Theory: docs/theory/sensitivities.md, (15), (23), (24) and (32).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from snapdp.display.numbers import exact_amount, four_digits_up
from snapdp.display.text import listed, one_line
from snapdp.errors import BudgetError, ParameterError, PremiseError, SnapdpError
from snapdp.exact.numbers import positive
from snapdp.studies.labels import told_apart
from snapdp.studies.plans.advice import Offer, offer_of
from snapdp.studies.plans.lines import Asked, Line, planned
from snapdp.studies.relation import Relation, guessed_rows, whole
from snapdp.studies.statistics.covariance import Covariance
from snapdp.studies.statistics.mean import MOST_COLUMNS, Mean
from snapdp.studies.statistics.parts import NumberError
from snapdp.studies.statistics.variance import Variance
from snapdp.studies.toml import about
from snapdp.values import Value, replaced

if TYPE_CHECKING:
    from snapdp.studies.plans.advice import Useless


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
            line = self.lines[place]
            return (*line.number_errors(self.if_rows), *_correlation(self.lines, line))

    @cached_property
    def useless(self) -> tuple[Useless, ...]:
        """Return the lines that say little, each with what would help."""
        from snapdp.studies.plans.advice import useless_lines

        return tuple(useless_lines(self))

    def __repr__(self) -> str:
        """Return the plan as a small table, with what should be known beside it."""
        from snapdp.studies.plans.text import plan_text

        return plan_text(self)

    def _repr_html_(self) -> str:
        from snapdp.studies.plans.text import plan_html

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


# A plan over its budget


class Excess(Value):
    """By how much a plan is over its budget, and what would help.

    over      the epsilon that is too much
    fitted    the plan with its unlocked lines made smaller; None where the locked ones alone are too much
    enough    places of lines, the cheapest first: without any one of them the others fit
    """

    over: Fraction
    fitted: Plan | None
    enough: tuple[int, ...]


def excess_of(plan: Plan) -> Excess | None:
    """Return what to do about a plan that is over its budget; None where it is not, or has none."""
    if plan.budget is None or plan.total <= plan.budget:
        return None
    over = plan.total - plan.budget
    enough = [place for place, line in enumerate(plan.lines) if line.epsilon >= over and len(plan.lines) > 1]
    try:
        fitted = plan.fit()
    except SnapdpError:
        fitted = None
    return Excess(over=over, fitted=fitted, enough=tuple(sorted(enough, key=lambda place: plan.lines[place].epsilon)))


# Means that could share one count. Means are over the same rows where everything that chooses rows is the same, and
# nothing stands for a row that is left out: same conditions, groups and rows of a person, and no column that drops
# rows.
#
#     |error| <= (a_sum + half width * a_count)/(rows - a_count), for as many rows as there may be      theory (15)

MOST_NAMED = 3  # means whose errors are told in one sentence


class Sharing(Value):
    """Several means of a plan that could share one count at the epsilon they cost together.

    rows             for so many rows, of a group where there are groups
    apart, together  the accuracy of each mean as it is planned, and with one count for all
    """

    columns: tuple[str, ...]
    epsilon: Fraction
    rows: int
    apart: tuple[Fraction, ...]
    together: tuple[Fraction, ...]
    in_groups: bool = False

    @property
    def in_words(self) -> str:
        """Return what sharing would buy, as a sentence or two for people."""
        short = [one_line(name) for name in self.columns]
        names = [one_line(json.dumps(name, ensure_ascii=False)) for name in self.columns[:MOST_NAMED]]
        names += ["..."] if len(self.columns) > MOST_NAMED else []
        where = f"in {'a group' if self.in_groups else 'a table'} of {self.rows} rows"
        gains = [
            f"that of {name} from ± {four_digits_up(before)} to ± {four_digits_up(after)}"
            for name, before, after in zip(short, self.apart, self.together, strict=True)
        ]
        return (
            f"The means of {listed(short, MOST_NAMED)} are over the same rows and could share one count: "
            f'kind = "mean", columns = [{", ".join(names)}]. At epsilon {exact_amount(self.epsilon)}, which they cost '
            f"together, the error would fall, {where}: {listed(gains, MOST_NAMED)}."
        )


def could_share(lines: Iterable[Line], if_rows: int | None = None) -> tuple[Sharing, ...]:
    """Return which means could share a count, where each of them would be more accurate at the same epsilon.

    if_rows   so many rows are guessed to be in the table; groups have equal shares of them
    """
    alike: dict[object, list[Line]] = {}
    for line in lines:
        mean = line.statistic
        if isinstance(mean, Mean) and mean.count_share is not None and not any(c.dropped for c in mean.number_columns):
            rows = (mean.relation, mean.by, mean.where, mean.rows_per_person, line.alpha)
            alike.setdefault(rows, []).append(line)
    return tuple(found for each in alike.values() if len(each) > 1 for found in _gain(each, if_rows))


def _gain(lines: list[Line], if_rows: int | None) -> Iterator[Sharing]:
    means = [line.statistic for line in lines if isinstance(line.statistic, Mean)]
    columns = [column for mean in means for column in mean.number_columns]
    if len(columns) > MOST_COLUMNS or len({column.name for column in columns}) < len(columns):
        return
    first, epsilon = means[0], sum((line.epsilon for line in lines), Fraction(0))
    rows = first.rows_guessed(if_rows)
    alike = {key: getattr(first, key) for key in ("relation", "by", "where", "rows_per_person")}
    try:
        shared = replaced(lines[0], statistic=Mean.of(*columns, **alike), epsilon=epsilon, lock=False, target=None)
        apart = tuple(found for line in lines for found in line.derived_accuracies(rows))
        together = shared.derived_accuracies(rows)
    except SnapdpError:  # nobody asked for it
        return
    if all(after < before for before, after in zip(apart, together, strict=True)):
        yield Sharing(
            columns=tuple(column.name for column in columns),
            epsilon=epsilon,
            rows=rows,
            apart=apart,
            together=together,
            in_groups=first.by is not None,
        )


# Correlations that follow from a covariance and both variances, where n is public. As in a release, each of the three
# may miss with a third of the alpha of the covariance.

INPUTS = 3


def _correlation(lines: Sequence[Line], line: Line) -> tuple[NumberError, ...]:
    """Return how far the correlation may be off that a line has with two others; nothing where there is none."""
    covariance, alpha = line.statistic, line.alpha / INPUTS
    if not isinstance(covariance, Covariance) or covariance.count_share is not None:
        return ()
    alone = (each for each in lines if isinstance(each.statistic, Variance) and each.statistic.count_share is None)
    variances = {each.statistic.columns[0].name: each for each in alone}
    if not all(column.name in variances for column in covariance.pair):
        return ()
    x, y = (variances[column.name].accuracies_at(alpha)[0] for column in covariance.pair)
    (both,) = line.accuracies_at(alpha)
    rows = covariance.relation.rows
    found = covariance.correlation_at(of_covariance=both, of_variances=(x, y), rows=rows, promised=True)
    return (replaced(found, lines=INPUTS),)
