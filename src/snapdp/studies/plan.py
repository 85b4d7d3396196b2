"""A plan of several statistics: what each costs and is worth, and how they share a budget. No data, no ledger.

Room: studies. It cannot see data. A line has an epsilon, given or found from a target accuracy. Epsilon typed = epsilon
charged, composition is a sum of exact rationals. Accuracies are in units of the statistic, factor * accuracy of the
numerator; they compare a release with the statistic of the clamped and quantised values.

    numerators are whole: an accuracy is the least that holds for every whole number of the range   theory (14)

Theory: docs/theory/sensitivities.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from snapdp.display import four_digits_up, shortened, visible
from snapdp.errors import BudgetError, ParameterError, PremiseError, SnapdpError
from snapdp.exact import positive, probability
from snapdp.mechanism import FinitePrecision, Mechanism, arithmetic_of
from snapdp.studies.grouping.margins import HIERARCHY, TOTAL, WIDER, Margins
from snapdp.studies.part_worth import epsilon_needed, numerator_accuracy
from snapdp.studies.ranks.quantiles import Quantiles
from snapdp.studies.ranks.rank_figures import LikelyQuantile, RankFigures
from snapdp.studies.readable import told_apart
from snapdp.studies.sharing import Sharing, could_share
from snapdp.studies.statistics.adjusted import check_margins
from snapdp.studies.statistics.margin_figures import MarginFigures, margin_figures
from snapdp.studies.statistics.parts import finite_steps, mechanism
from snapdp.studies.statistics.statistic import Statistic
from snapdp.values import Value, replaced

DEFAULT_ALPHA = Fraction(1, 20)
MOST_SHOWN = 50  # lines of a plan that is printed
_WORDS = {2: "two", 3: "three", 4: "four"}


class OfStatistic(Value):
    """What is said of one statistic. It was called `query`; that word is still taken and answered."""

    statistic: Statistic

    def __init__(self, **fields: Any) -> None:
        if "query" in fields and "statistic" not in fields:
            fields["statistic"] = fields.pop("query")
        super().__init__(**fields)

    @property
    def query(self) -> Statistic:
        """Return the statistic, by its former name."""
        return self.statistic


class Asked(OfStatistic):
    """One line as it is asked for: a statistic with an epsilon or a target accuracy (in its own units) at alpha."""

    epsilon: Fraction | None = None
    accuracy: Fraction | None = None
    alpha: Fraction = DEFAULT_ALPHA
    lock: bool = False
    arithmetic: FinitePrecision | None = None

    def _check(self) -> None:
        if (self.epsilon is None) == (self.accuracy is None):
            raise ParameterError(
                f"{self.statistic.shown} needs an epsilon or a target accuracy, one of the two.",
                'Give epsilon = "0.3", or accuracy = "1.5" with alpha = "0.05".',
            )
        if self.accuracy is not None and isinstance(self.statistic, Quantiles):
            raise PremiseError(
                f"{self.statistic.shown}: how far a quantile is off in units of its column depends on the rows, and no "
                "accuracy can be promised before they are read.",
                "Give an epsilon; the plan shows how many rows the rank may be off, and with a public file like the "
                "table how far that is in units of the column. Nothing was read and nothing spent.",
            )
        if self.accuracy is not None and self.statistic.derivation is not None:
            raise PremiseError(
                f"{self.statistic.shown} follows from {_WORDS[self.statistic.inputs]} releases: no accuracy can be "
                "promised before the private number of rows is known.",
                "Give an epsilon; the plan shows the accuracy of each of its parts.",
            )
        if self.accuracy is not None and self.statistic.margins is None and len(self.statistic.parts) > 1:
            raise PremiseError(
                f"{self.statistic.shown} is several numbers, each of its own accuracy.",
                "Give an epsilon; the plan shows the accuracy of each. Or ask for each by itself.",
            )
        if self.accuracy is not None and self.statistic.margins is not None:
            raise PremiseError(
                f"{self.statistic.shown} has several tables, each of its own accuracy.",
                "Give an epsilon; the plan shows the accuracy of every margin.",
            )


def ask(
    statistic: Statistic,
    *,
    epsilon: Any = None,
    accuracy: Any = None,
    alpha: Any = DEFAULT_ALPHA,
    lock: bool = False,
    arithmetic: Any = None,
    bits: int | None = None,
) -> Asked:
    """Return a validated statistic with its cost, and the arithmetic it is to be planned in."""
    return Asked(
        statistic=statistic,
        epsilon=None if epsilon is None else positive(epsilon, name="epsilon"),
        accuracy=None if accuracy is None else positive(accuracy, name="accuracy"),
        alpha=probability(alpha, name="alpha"),
        lock=lock,
        arithmetic=arithmetic_of(arithmetic, bits),
    )


class Line(OfStatistic):
    """One line of a plan: the statistic, the epsilon it is charged, and the accuracy that was asked for, if any.

    arithmetic   in which it is planned, and released where it is proved; None is exact arithmetic
    """

    epsilon: Fraction
    alpha: Fraction = DEFAULT_ALPHA
    lock: bool = False
    target: Fraction | None = None
    arithmetic: FinitePrecision | None = None

    def _check(self) -> None:
        positive(self.epsilon, name="epsilon")
        probability(self.alpha, name="alpha")
        if not (isinstance(self.epsilon, Fraction) and isinstance(self.alpha, Fraction)):
            raise ParameterError("epsilon and alpha of a line are no fractions.", "Make lines with `ask` and `plan`.")
        if self.arithmetic is not None and self.arithmetic.slack:
            raise ParameterError("few bits with a slack are for study, not for tables.", "Leave the slack out.")
        self.statistic.check_epsilon(self.epsilon, self.arithmetic)
        self.statistic.check_alpha(self.alpha)
        if self.statistic.margins is not None:
            check_margins(self.statistic, self.epsilon, self.alpha)
            if self.arithmetic is not None:
                finite_steps(self.statistic.parts[0], self.statistic.shown)  # which margins do not have

    @cached_property
    def margins(self) -> tuple[MarginFigures, ...]:
        """Return what every margin is worth, measured and adjusted; nothing where the statistic has none."""
        return () if self.statistic.margins is None else margin_figures(self.statistic, self.epsilon, self.alpha)

    @cached_property
    def ranks(self) -> RankFigures | None:
        """Return how far ranks may be misjudged, where the statistic is read off ranks; None where it is not."""
        return self.statistic.ranks(self.epsilon, self.alpha)

    def error_if_like(self, values: Iterable[Any], rows: Any = None) -> tuple[LikelyQuantile, ...]:
        """Return how far quantiles would be off, in units of the column, if its rows were distributed like these.

        values   public ones: of an earlier table, say, or of a made-up one; never those of the table itself
        rows     how many rows are distributed like them; n, or the bound on it, unless told
        """
        return self.error_if_counted(_quantiles(self.statistic).public_counts(values), rows)

    def error_if_counted(self, counts: Sequence[int], rows: Any = None) -> tuple[LikelyQuantile, ...]:
        """Return the same from how many public values there are at each level of the column."""
        return _quantiles(self.statistic).if_counted(counts, epsilon=self.epsilon, alpha=self.alpha, rows=rows)

    @cached_property
    def accuracies(self) -> tuple[Fraction, ...]:
        """Return for each part the a with P(|released - true| > a) <= alpha, for every table, in each cell."""
        return self._accuracies_at(self.alpha)

    def _accuracies_at(self, alpha: Fraction) -> tuple[Fraction, ...]:
        parts = zip(self.statistic.parts, self._mechanisms, strict=True)
        return tuple(part.numerator.factor * numerator_accuracy(m.parameters, alpha) for part, m in parts)

    @cached_property
    def _mechanisms(self) -> tuple[Mechanism, ...]:
        title, arithmetic = self.statistic.title, self.arithmetic
        return tuple(mechanism(part, self.epsilon, title=title, arithmetic=arithmetic) for part in self.statistic.parts)

    @property
    def bits(self) -> tuple[int, ...]:
        """Return for each part the bits of its numbers, declared or chosen; none in exact arithmetic."""
        if self.arithmetic is None:
            return ()
        found = (m.parameters.precision for m in self._mechanisms)
        return tuple(each.uniform for each in found if each is not None)

    @property
    def accuracy(self) -> Fraction | None:
        """Return the accuracy of the statistic; None where it has, or follows from, several parts: see `accuracies`."""
        several = self.statistic.derivation is not None or len(self.statistic.parts) > 1 or self.statistic.margins
        return None if several else self.accuracies[0]

    @property
    def meets_target(self) -> bool:
        """Tell whether the accuracy asked for is reached; True where none was asked for."""
        return self.target is None or (self.accuracy is not None and self.accuracy <= self.target)

    @property
    def remarks(self) -> str:
        """Return what a reader should know beside the figures; empty where there is nothing."""
        remarks = ["locked"] if self.lock else []
        if not self.meets_target:
            remarks.append(f"misses the accuracy {self.target} asked for")
        if self.statistic.keys and self.statistic.margins is None:
            remarks.append(f"{self.statistic.cells} cells")
        if self.statistic.persons_in_words:
            remarks.append(self.statistic.persons_in_words)
        if self.ranks is not None:
            remarks.append(self.ranks.in_words)
        elif self.statistic.derivation is not None:
            remarks.append(f"derived, no accuracy promised; {self.statistic.split}")
        elif len(self.statistic.parts) > 1 and self.statistic.margins is None:
            remarks.append(f"n is public, so no count is released; {self.statistic.split}")
        if self.statistic.margins is not None:
            remarks.append(_in_margins(self.statistic.margins))
            if all(map(_is_no_gain, self.margins)):
                remarks.append("sums of the table alone would be as accurate: margins bring nothing here")
        return "; ".join(remarks)

    def derived_accuracy(self, rows: Any) -> Fraction:
        """Return the accuracy at alpha of a mean, variance or covariance that follows from sums and a count, if the
        table (or group) has that many rows.

        Each of its k parts may fail with alpha/k. The number of rows is private: this answers a guess, and promises
        nothing for a smaller table.                                                                theory (15), (29)
        """
        return self.statistic.derived_accuracy(self._accuracies_at(self.alpha / self.statistic.inputs), rows)

    def derived_accuracies(self, rows: Any) -> tuple[Fraction, ...]:
        """Return the same for each of several means that share a count; each holds by itself."""
        return self.statistic.derived_accuracies(self._accuracies_at(self.alpha / self.statistic.inputs), rows)


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
        return tuple(1 - then / now if now else Fraction(0) for now, then in self._pairs())

    def _pairs(self) -> Iterable[tuple[Fraction, Fraction]]:
        return zip(self.accuracies, self.more_accuracies, strict=True) if self.more_accuracies else ()

    def __repr__(self) -> str:
        steps = ", ".join(f"{four_digits_up(now)} -> {four_digits_up(then)}" for now, then in self._pairs())
        steps = steps or "refused"
        return f"{shortened(visible(self.title))}: epsilon {self.epsilon} -> {self.more_epsilon}, accuracy {steps}"


class Plan(Value):
    """Several lines under one neighbour relation, and the budget they aim at."""

    lines: tuple[Line, ...]
    budget: Fraction | None = None

    def _check(self) -> None:
        if not self.lines:
            raise ParameterError("a plan needs at least one statistic.", "Add a line.")
        if len({line.statistic.relation for line in self.lines}) > 1:
            raise PremiseError(
                "the lines of a plan have different neighbour relations.",
                "Epsilons add up under one relation only: declare all statistics under the same.",
            )

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

    @property
    def arithmetic_in_words(self) -> str:
        """Return in which arithmetic it computes, and with how many bits: "exact", or "proved, 118 bits"."""
        rules = {"exact" if line.arithmetic is None else line.arithmetic.rule for line in self.lines}
        bits = sorted({each for line in self.lines for each in line.bits})
        many = f"{bits[0]} to {bits[-1]}" if len(bits) > 1 else "".join(map(str, bits))
        return " and ".join(sorted(rules)) + (f", {many} bits" if many else "")

    @cached_property
    def sharings(self) -> tuple[Sharing, ...]:
        """Return which means could share a count, and what that would buy: it is said, and never done."""
        return could_share(self.lines)

    def fit(self, budget: Any = None) -> Plan:
        """Return the plan with its unlocked lines rescaled by one factor, so that the total is the budget exactly."""
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
        lines = (line if line.lock else replaced(line, epsilon=line.epsilon * scale) for line in self.lines)
        return Plan(lines=tuple(lines), budget=aim)

    def offers(self, more: Any = "0.1") -> tuple[Offer, ...]:
        """Return for each line what that much more epsilon would buy; a tenth, unless told."""
        growth = 1 + positive(more, name="more")
        return tuple(_offer(line, line.epsilon * growth) for line in self.lines)

    def __repr__(self) -> str:
        """Return the plan as a small table."""
        over = "; too much: fit it" if self.budget is not None and self.total > self.budget else ""
        rows, more = self._rows()
        widths = [max(len(row[i]) for row in rows) for i in range(3)]
        body = ["  ".join(text.ljust(w) for text, w in zip(row, [*widths, 0], strict=True)).rstrip() for row in rows]
        return "\n".join([f"{self._title}{over}", *(f"  {line}" for line in [*body, *more])])

    def _repr_html_(self) -> str:
        from snapdp.display import html_card

        rows, more = self._rows()
        heads = ("statistic", "epsilon", "accuracy", "remarks")
        return html_card(self._title, [(heads, [*rows, *([each] for each in more)])])

    @property
    def _title(self) -> str:
        aim = "" if self.budget is None else f" of budget {self.budget}"
        arithmetic = "" if self.arithmetic_in_words == "exact" else f", arithmetic {self.arithmetic_in_words}"
        return f"plan: epsilon {self.total}{aim}{arithmetic}"

    def _rows(self) -> tuple[list[tuple[str, str, str, str]], list[str]]:
        """Return what is shown of each line, of its margins, and a word about those that are too many to show."""
        first = self.lines[:MOST_SHOWN]
        rows: list[tuple[str, str, str, str]] = []
        for each, title in zip(first, self.titles, strict=False):
            rows.append((shortened(visible(title)), str(each.epsilon), _accuracy_text(each), each.remarks))
            rows += (_margin_row(margin) for margin in each.margins)
        left = len(self.lines) - len(first)
        return rows, [*([f"... and {left} more"] if left else []), *(each.in_words for each in self.sharings)]


def plan(wanted: Iterable[Asked], *, budget: Any = None) -> Plan:
    """Return the plan of several statistics; a target accuracy becomes the epsilon it needs."""
    aim = None if budget is None else positive(budget, name="budget")
    return Plan(lines=tuple(planned(each) for each in wanted), budget=aim)


def planned(asked: Asked) -> Line:
    """Return what is asked as a line of a plan."""
    if asked.accuracy is None:
        assert asked.epsilon is not None
        epsilon = asked.epsilon
    else:
        epsilon = epsilon_needed(asked.statistic, asked.accuracy, asked.alpha, arithmetic=asked.arithmetic)
    return Line(
        statistic=asked.statistic,
        epsilon=epsilon,
        alpha=asked.alpha,
        lock=asked.lock,
        target=asked.accuracy,
        arithmetic=asked.arithmetic,
    )


def _quantiles(statistic: Statistic) -> Quantiles:
    if not isinstance(statistic, Quantiles):
        raise ParameterError(f"{statistic.shown} is no quantile.", "Read its accuracy: it holds for every table.")
    return statistic


def _accuracies(line: Line) -> tuple[Fraction, ...]:
    """Return what is worth more with more epsilon: accuracies, or the radius of ranks."""
    return line.accuracies if line.ranks is None else (line.ranks.radius,)


def _offer(line: Line, epsilon: Fraction) -> Offer:
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


def _in_margins(margins: Margins) -> str:
    """Return what is released of a table with margins, in short."""
    known = ", and the total, which is public" if margins.known_total and TOTAL in margins.asked else ""
    cells, number = sum(map(margins.cells, margins.measured)), len(margins.measured)
    kind = "level" if margins.stated == HIERARCHY else "margin"
    wider = f"; {WIDER}" if margins.is_wide else ""
    if number > 1:
        return f"{number} {kind}s with {cells} cells together{known}; adjusted so that they add up{wider}"
    alone = f"1 {kind} with {cells} cell{'s' if cells > 1 else ''}"
    return f"{alone}{known}; adjusted so that they add up{wider}" if known else alone


def _is_no_gain(figures: MarginFigures) -> bool:
    """Tell whether a margin would be as accurate as a sum of cells of the table alone, or is known."""
    alone = figures.alone
    return figures.measured is None or (alone is not None and alone.deviation <= figures.adjusted.deviation)


def _margin_row(figures: MarginFigures) -> tuple[str, str, str, str]:
    """Return what is shown of a margin: how far a cell may be from the truth."""
    name = shortened(visible(f"  {figures.text}"))
    if figures.measured is None:
        return name, "0", "known", ""
    alone = "" if figures.alone is None else f"from the table alone {figures.alone.text}"
    return name, str(figures.epsilon), f"measured {figures.measured.text}, adjusted {figures.adjusted.text}", alone


def _accuracy_text(line: Line) -> str:
    if line.statistic.margins is not None:
        return f"at alpha {line.alpha} in each cell:"
    if line.ranks is not None:
        return f"{line.ranks.text} at alpha {line.alpha}"
    at_alpha = f"at alpha {line.alpha}" + (" in each cell" if line.statistic.cells > 1 else "")
    if len(line.accuracies) == 1:
        return f"+-{four_digits_up(line.accuracies[0])} {at_alpha}"
    parts = zip(line.statistic.parts, line.accuracies, strict=True)
    return (
        ", ".join(f"{shortened(visible(part.numerator.name))} +-{four_digits_up(a)}" for part, a in parts)
        + f" {at_alpha}"
    )
