"""One line of a plan: what is asked, a statistic at an epsilon, and what it will be worth. No data, no ledger.

Accuracies are in units of the statistic, factor * accuracy of the numerator, at the epsilon typed for the whole
statistic; they compare a release with the statistic of the clamped and quantised values. Where no accuracy can be
promised before the rows are read, none can be asked for.

    numerators are whole: an accuracy is the least that holds for every whole number of the range   theory (14)

Theory: docs/theory/sensitivities.md, (3); docs/theory/quantiles.md, (9).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache, wraps
from itertools import count
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from snapdp.display.numbers import exact_amount, four_digits_up
from snapdp.display.text import listed, one_line
from snapdp.errors import BoundError, ParameterError, PremiseError
from snapdp.exact.dyadic import HALF, power_of_two_at_least
from snapdp.exact.functions import ln_enclosure, rounded_up
from snapdp.exact.numbers import positive, probability
from snapdp.mechanism.mechanism import Mechanism
from snapdp.mechanism.parameters import SnappingParameters, exact_parameters
from snapdp.studies.columns import CategoryColumn, Column, NumberColumn
from snapdp.studies.grouping.margins import HIERARCHY, TOTAL, WIDER, Margins
from snapdp.studies.statistics.adjusted import MarginFigures, check_margins, margin_figures
from snapdp.studies.statistics.centred import CentredSums, Term
from snapdp.studies.statistics.magnitudes import Magnitudes
from snapdp.studies.statistics.parts import NumberError, Part, mechanism
from snapdp.studies.statistics.quantiles import Quantiles
from snapdp.studies.statistics.statistic import Statistic
from snapdp.studies.statistics.trees import LikelyQuantile, RankFigures
from snapdp.values import Value, replaced

if TYPE_CHECKING:
    from snapdp.accuracy.curve import Curve
    from snapdp.mechanism.law.exact import ExactLaw

DEFAULT_ALPHA = Fraction(1, 20)
PAIR = 2  # a sum and a count


class Asked(Value):
    """One line as it is asked for: a statistic with an epsilon or a target accuracy (in its own units) at alpha."""

    statistic: Statistic
    epsilon: Fraction | None = None
    accuracy: Fraction | None = None
    alpha: Fraction = DEFAULT_ALPHA
    lock: bool = False

    def _check(self) -> None:
        if (self.epsilon is None) == (self.accuracy is None):
            raise ParameterError(
                f"{self.statistic.shown} needs an epsilon or a target accuracy, one of the two.",
                'Give epsilon = "0.3", or accuracy = "1.5" with alpha = "0.05".',
                key="epsilon",
            )
        if self.accuracy is None:
            return
        # Refuse an accuracy of what is not one number, or has none that can be promised.
        statistic, title = self.statistic, self.statistic.shown
        if isinstance(statistic, Quantiles):
            raise PremiseError(
                f"{title}: how far a quantile is off in units of its column depends on the rows, and no "
                "accuracy can be promised before they are read.",
                "Give an epsilon; the plan shows how well the rank of a given value is known, and with a public file "
                "like the table which values that cannot tell apart. Nothing was read and nothing spent.",
                key="accuracy",
            )
        if statistic.derivation is not None:
            made_of = "a sum and a count" if statistic.inputs == PAIR else "sums and a count"
            raise PremiseError(
                f"{title} is computed from {made_of}: how far it is off depends on how "
                "many rows count. That is private, so no accuracy can be promised before.",
                "Give an epsilon: the plan says how far it is off if so many rows count; if_rows (--if-rows N) says "
                "for how many. Nothing was read and nothing spent.",
                key="accuracy",
            )
        if statistic.margins is not None:
            raise PremiseError(
                f"{title} has several tables, each of its own accuracy.",
                "Give an epsilon; the plan shows the accuracy of every margin.",
                key="accuracy",
            )
        if len(statistic.parts) > 1:
            raise PremiseError(
                f"{title} is several numbers, each of its own accuracy.",
                "Give an epsilon; the plan shows the accuracy of each. Or ask for each by itself.",
                key="accuracy",
            )


def ask(
    statistic: Statistic,
    *,
    epsilon: Any = None,
    accuracy: Any = None,
    alpha: Any = DEFAULT_ALPHA,
    lock: bool = False,
) -> Asked:
    """Return a validated statistic with its cost."""
    return Asked(
        statistic=statistic,
        epsilon=None if epsilon is None else positive(epsilon, name="epsilon"),
        accuracy=None if accuracy is None else positive(accuracy, name="accuracy"),
        alpha=probability(alpha, name="alpha"),
        lock=lock,
    )


SMALLEST_ALPHA = Fraction(1, 1 << 940)  # 10**-283: thirds of it are decided by 2,048 bits, as the checker has them


class Line(Value):
    """One line of a plan: the statistic, the epsilon it is charged, and the accuracy that was asked for, if any."""

    statistic: Statistic
    epsilon: Fraction
    alpha: Fraction = DEFAULT_ALPHA
    lock: bool = False
    target: Fraction | None = None

    def _check(self) -> None:
        positive(self.epsilon, name="epsilon")
        probability(self.alpha, name="alpha")
        if not (isinstance(self.epsilon, Fraction) and isinstance(self.alpha, Fraction)):
            raise ParameterError("epsilon and alpha of a line are no fractions.", "Make lines with `ask` and `plan`.")
        if self.alpha < SMALLEST_ALPHA:
            told = f"alpha of {self.statistic.shown} is below 2**-940."
            raise BoundError(told, "Give a larger one, such as 1e-280.", key="alpha")
        self.statistic.check_epsilon(self.epsilon)
        self.statistic.check_alpha(self.alpha)
        if self.statistic.margins is not None:
            check_margins(self.statistic, self.epsilon, self.alpha)

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
        rows     so many of the table, or of one group, are distributed like them; an equal share of n, or of the bound
                 on it, unless told
        """
        return self.error_if_counted(_quantiles(self.statistic).public_counts(values), rows)

    def error_if_counted(self, counts: Sequence[int], rows: Any = None) -> tuple[LikelyQuantile, ...]:
        """Return the same from how many public values there are at each level of the column."""
        return _quantiles(self.statistic).if_counted(counts, epsilon=self.epsilon, alpha=self.alpha, rows=rows)

    @cached_property
    def accuracies(self) -> tuple[Fraction, ...]:
        """Return for each part the a with P(|released - true| > a) <= alpha, for every table, in each cell."""
        return self.accuracies_at(self.alpha)

    def accuracies_at(self, alpha: Fraction) -> tuple[Fraction, ...]:
        """Return the same at another alpha."""
        parts = zip(self.statistic.parts, self.mechanisms, strict=True)
        return tuple(part.numerator.factor * numerator_accuracy(m.parameters, alpha) for part, m in parts)

    @cached_property
    def mechanisms(self) -> tuple[Mechanism, ...]:
        """Return for each part the mechanism of its cells."""
        return tuple(mechanism(part, self.epsilon, title=self.statistic.title) for part in self.statistic.parts)

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
        return "; ".join(remarks_of(self))

    def number_errors(self, if_rows: Any = None) -> tuple[NumberError, ...]:
        """Return how far each of its numbers may be off, those too that are computed from what is released.

        if_rows   so many rows are thought to be in the table, and in each group an equal share of them: n, or the bound
                  on it, unless told. Only errors that no table is promised depend on it, and what all are compared with
        """
        statistic, margins = self.statistic, self.statistic.margins
        if margins is not None:
            return tuple(self._margin_error(each, margins, if_rows) for each in self.margins)
        rows = statistic.rows_guessed(if_rows)
        if self.ranks is not None:
            return (NumberError(error=self.ranks.radius, width=Fraction(rows), rows=rows, in_rows=True),)
        return tuple(statistic.number_errors(lambda k: self.accuracies_at(self.alpha / k), rows))

    def _margin_error(self, figures: MarginFigures, margins: Margins, if_rows: Any) -> NumberError:
        rows = self.statistic.rows_guessed(if_rows, divisions=margins.cells(figures.margin))
        width = self.statistic.width(self.statistic.parts[0].numerator, rows)
        return NumberError(name=figures.text, error=figures.adjusted.accuracy, width=width, rows=rows)

    def derived_accuracy(self, rows: Any) -> Fraction:
        """Return the accuracy at alpha of a mean, variance or covariance that follows from sums and a count, if the
        table (or group) has that many rows.

        Each of its k parts may fail with alpha/k. The number of rows is private: this answers a guess, and promises
        nothing for a smaller table.                                                                theory (15), (29)
        """
        found = self.derived_accuracies(rows)
        if len(found) > 1:
            title = self.statistic.shown
            raise ParameterError(f"{title} has {len(found)} derived numbers.", "Read derived_accuracies.")
        return found[0]

    def derived_accuracies(self, rows: Any) -> tuple[Fraction, ...]:
        """Return the same for each of several means that share a count; each holds by itself."""
        return self.statistic.derived_accuracies(self.accuracies_at(self.alpha / self.statistic.inputs), rows)


def planned(asked: Asked) -> Line:
    """Return what is asked as a line of a plan."""
    statistic, epsilon = asked.statistic, asked.epsilon
    if epsilon is None:
        assert asked.accuracy is not None
        # The least epsilon to type, rounded up to four digits, at which a statistic of one part has an accuracy.
        from snapdp.accuracy.epsilon import epsilon_for

        (part,) = statistic.parts
        numerator = part.numerator
        found = epsilon_for(
            accuracy=asked.accuracy / numerator.factor,
            alpha=asked.alpha,
            sensitivity=numerator.sensitivity,
            lower=numerator.lower,
            upper=numerator.upper,
            step=WHOLE,
            finest=Fraction(numerator.integers),
        )
        epsilon = found.epsilon / part.share
    return Line(statistic=statistic, epsilon=epsilon, alpha=asked.alpha, lock=asked.lock, target=asked.accuracy)


def _quantiles(statistic: Statistic) -> Quantiles:
    if not isinstance(statistic, Quantiles):
        raise ParameterError(f"{statistic.shown} is no quantile.", "Read its accuracy: it holds for every table.")
    return statistic


# Remarks: what a line is made of, how persons and ranks count

NO_GAIN = "sums of the table alone would be as accurate: margins bring nothing here"
MOST_PARTS = 12
FEW_LEVELS = 2000  # of quantiles: how many an example of a step leaves at most


def remarks_of(line: Line) -> Iterator[str]:
    """Yield everything as clauses for people."""
    if line.lock:
        yield "locked"
    yield from advice_of(line)
    yield from counting_of(line)
    if line.ranks is not None:
        yield line.ranks.in_words
    elif (made := made_of(line)) is not None:
        yield made
    if line.statistic.margins is not None:
        yield _in_margins(line.statistic.margins)


def counting_of(line: Line) -> Iterator[str]:
    """Yield what is counted: how many combinations of groups there are, and how persons count."""
    if line.statistic.keys and line.statistic.margins is None:
        yield f"{line.statistic.cells:,} combinations"
    if line.statistic.persons_in_words:
        yield line.statistic.persons_in_words


def advice_of(line: Line) -> Iterator[str]:
    """Yield the clauses after which somebody may want to change the line."""
    # Whose cells are rounded to more than the whole range that is declared.
    for each in line.statistic.columns:
        if isinstance(each, NumberColumn) and each.step > each.declared_upper - each.declared_lower:
            wide = f"{exact_amount(each.step)}, more than from bound to bound"
            ends = f"{exact_amount(each.lower)} or {exact_amount(each.upper)}"
            yield f"cells of {one_line(each.name)} are rounded to {wide}: each becomes {ends}"
    if not line.meets_target and line.target is not None:
        yield f"misses the accuracy {exact_amount(line.target)} asked for"
    if line.margins and all(map(_is_no_gain, line.margins)):
        yield NO_GAIN
    if line.ranks is not None and (advice := line.ranks.advice(_wider_step(line.statistic.columns[0]))):
        yield advice
    if isinstance(line.statistic, Magnitudes):
        rows = line.statistic.rows_for_bounds(line.epsilon, line.alpha)
        yield f"bounds are found for columns of about {rows:,} numbers or more; quartiles for fewer"


def _wider_step(column: Column) -> str:
    """Return how to declare a step of a column that leaves few levels, ten, a hundred, ... times its own; empty where
    they are few.
    """
    if not isinstance(column, NumberColumn) or column.levels <= FEW_LEVELS:
        return ""
    step = exact_amount(column.step * 10 ** next(k for k in count(1) if column.levels <= FEW_LEVELS * 10**k))
    return f'step = "{step}" (--step {one_line(column.name)}={step})'


def made_of(line: Line) -> str | None:
    """Return from which released numbers its own is computed, how far each is off, and how they share epsilon.

    None where its number is released itself.
    """
    statistic = line.statistic
    if isinstance(statistic, CentredSums) and statistic.count_share is not None:
        pairs = zip(part_names(statistic), line.accuracies, strict=True)
        told = [f"a {name} (± {four_digits_up(a)})" for name, a in pairs]
        return f"computed from {listed(told, MOST_PARTS)}; {statistic.split}"
    if statistic.derivation is not None:
        return f"{statistic.derivation}; {statistic.split}"
    if len(statistic.parts) > 1 and statistic.margins is None:
        return f"n is public, so no count is released; {statistic.split}"
    return None


def part_names(statistic: Statistic) -> list[str]:
    """Return the names of what is released, as people read them; records have names of their own."""
    if isinstance(statistic, CentredSums) and statistic.count_share is not None:
        return [*(_summed(term, several=len(statistic.columns) > 1) for term in statistic.terms), "count"]
    return [part.numerator.name for part in statistic.parts]


def called_groups(statistic: Statistic) -> str:
    """Return what its rows are divided into: a group, a category or a bin."""
    if statistic.by is not None:
        return "group"
    return "category" if isinstance(statistic.columns[0], CategoryColumn) else "bin"


def _summed(term: Term, *, several: bool) -> str:
    """Return what is summed, in words: distances from the middle of the bounds."""
    if term.second is not None and not term.is_square:
        return "sum of products of distances"
    name = f" in {one_line(term.first.name)}" if several else ""
    return f"sum of {'squared ' if term.is_square else ''}distances from {exact_amount(term.first.middle)}{name}"


def _in_margins(margins: Margins) -> str:
    """Return what is released of a table with margins, in short."""
    known = ", and the total, which is public" if margins.known_total and TOTAL in margins.asked else ""
    numbers, tables = sum(map(margins.cells, margins.measured)), len(margins.measured)
    kind = "level" if margins.stated == HIERARCHY else "margin"
    wider = f"; {WIDER}" if margins.is_wide else ""
    if tables > 1:
        return f"{tables} {kind}s with {numbers} numbers together{known}; adjusted so that they add up{wider}"
    alone = f"1 {kind} with {numbers} number{'s' if numbers > 1 else ''}"
    return f"{alone}{known}; adjusted so that they add up{wider}" if known else alone


def _is_no_gain(figures: MarginFigures) -> bool:
    """Tell whether a margin would be as accurate as a sum of groups of the table alone, or is known."""
    alone = figures.alone
    return figures.measured is None or (alone is not None and alone.deviation <= figures.adjusted.deviation)


def share_in_words(share: Fraction) -> str:
    """Return an error as a part of a range, in whole percent and rounded up; of more than all of it, that.

    >>> share_in_words(Fraction(1001, 10000)), share_in_words(Fraction(1)), share_in_words(Fraction(7))
    ('11 % of', '100 % of', 'more than')
    """
    percent = -(-100 * share.numerator // share.denominator)
    return f"{percent} % of" if percent <= 100 else "more than"


# One part of a statistic: its accuracy at an epsilon, the epsilon for an accuracy, and their curve

WHOLE = Fraction(1)  # numerators are whole numbers


def part_accuracy(part: Part, epsilon: Fraction, alpha: Fraction) -> Fraction:
    """Return the accuracy of one cell of a part, in units of the statistic, at the epsilon typed for the whole."""
    return part.numerator.factor * numerator_accuracy(mechanism(part, epsilon).parameters, alpha)


@lru_cache(maxsize=4096)  # a plan that is edited asks for most of its accuracies again
def numerator_accuracy(p: SnappingParameters, alpha: Fraction) -> Fraction:
    """Return the tight accuracy of a mechanism for whole values, in units of its numerator.        theory (14)"""
    from snapdp.accuracy.error import accuracy

    return accuracy(replaced(p, step=WHOLE), alpha=alpha, method="tight")


def curve_of_part(part: Part, alpha: Fraction) -> Curve:
    """Return the curve of one cell of a statistic, in its own units, against the epsilon typed for the whole."""
    from snapdp.accuracy.curve import Curve

    numerator = part.numerator
    return Curve(
        sensitivity=numerator.sensitivity / part.share,
        alpha=alpha,
        grid="fine" if part.margin is None else Fraction(1),
        finest=Fraction(numerator.integers),
        factor=numerator.factor,
        whole=numerator.integers,
    )


# One released number of a line, for pictures. A statistic releases one number or several (its parts), each in every
# group by the same mechanism; pictures are of one of them, in units of the statistic.

RANK_PIECES = 40
ENOUGH_BITS = 128
UNSEEN = Fraction(1, 1000)  # of the error: between numbers that are closer no picture tells


def shown_parts(statistic: Statistic) -> list[str]:
    """Return the names of what is released, for people: the title of the statistic where that is one number."""
    names = part_names(statistic) if len(statistic.parts) > 1 else [statistic.readable_title]
    return [one_line(each) for each in names]


class RankCurve(Value):
    """The radius of the ranks of a line, against the epsilon typed for it: in so many pieces."""

    line: Line
    pieces: int = RANK_PIECES

    def points(self, first: Fraction, last: Fraction) -> list[tuple[float, float]]:
        """Return points of the curve from one epsilon to another, equally far apart on the picture."""
        ratio = float(last / first) ** (1 / self.pieces)
        epsilons = [first * Fraction(ratio**place) for place in range(self.pieces + 1)]
        found = ((each, self.line.statistic.ranks(each, self.line.alpha)) for each in epsilons)
        return [(float(each), float(figures.radius)) for each, figures in found if figures is not None]


class ReleasedPart(Value):
    """One part of a line, by its place among the parts."""

    line: Line
    place: int = 0

    @property
    def part(self) -> Part:
        return self.line.statistic.parts[self.place]

    @property
    def name(self) -> str:
        """Return its name as people read it: that of the statistic where it is all that is released."""
        return shown_parts(self.line.statistic)[self.place]

    @property
    def parameters(self) -> SnappingParameters:
        """Return those of its mechanism, which acts on the numerator."""
        return self.line.mechanisms[self.place].parameters

    @property
    def range(self) -> tuple[Fraction, Fraction]:
        """Return between which numbers the statistic lies, whatever the table is."""
        return self.part.numerator.statistic_range

    @property
    def accuracy(self) -> Fraction:
        """Return how far the released number may be off, at the alpha of the line."""
        return self.line.accuracies[self.place]

    def possible(self, value: Fraction) -> Fraction:
        """Return the number nearest to a guess that the statistic can be; the guess itself where nobody sees a
        difference: numerators are whole.                                                         sensitivities (3)
        """
        numerator, (low, high) = self.part.numerator, self.range
        inside = min(max(value, low), high)
        found = numerator.statistic(math.floor((inside - numerator.shift) / numerator.factor + HALF))
        return inside if not numerator.integers and abs(found - inside) <= UNSEEN * self.accuracy else found

    def law(self, value: Fraction | None = None) -> ExactLaw:
        """Return the law of what is released at a guess, or in the middle of the range."""
        from snapdp.mechanism.law.exact import ExactLaw

        p, numerator = self.parameters, self.part.numerator
        guess = (p.lower + p.upper) / 2 if value is None else (value - numerator.shift) / numerator.factor
        return ExactLaw(p.inner(guess), p)

    def statistic(self, index: int) -> Fraction:
        """Return the number that is released for an index."""
        return self.part.numerator.statistic(self.parameters.data_value(index))

    @property
    def laplace_accuracy(self) -> Fraction:
        """Return the error of the pure Laplace mechanism at the same epsilon, without any grid, rounded up.

        lam ln(1/alpha)                                                                              planning (29)
        """
        scale = self.part.numerator.statistic_sensitivity / (self.line.epsilon * self.part.share)
        return rounded_up(scale * ln_enclosure(1 / self.line.alpha, ENOUGH_BITS).upper)

    @cached_property
    def natural_accuracy(self) -> Fraction:
        """Return the error on the natural grid; whole statistics stay whole.    planning (6)"""
        numerator, epsilon = self.part.numerator, self.line.epsilon * self.part.share
        natural = power_of_two_at_least(numerator.sensitivity / epsilon)
        p = exact_parameters(
            epsilon=epsilon,
            sensitivity=numerator.sensitivity,
            lower=numerator.lower,
            upper=numerator.upper,
            grid=max(natural, Fraction(1)) if numerator.integers else natural,
        )
        return numerator.factor * numerator_accuracy(p, self.line.alpha)

    @cached_property
    def curve(self) -> Curve | RankCurve:
        """Return error against epsilon: of quantiles, which are read off very many counts, that of their ranks."""
        if self.line.ranks is not None:
            return RankCurve(line=self.line)
        return curve_of_part(self.part, self.line.alpha)

    @property
    def here(self) -> tuple[Fraction, Fraction]:
        """Return the point of the line itself: what is typed, and the error that it buys."""
        ranks = self.line.ranks
        return self.line.epsilon, self.accuracy if ranks is None else ranks.radius


# Answers that are remembered: a page asks again for every row whenever one is edited. Lines are values, so an answer
# holds for every line that is equal.

Others = ParamSpec("Others")
Answer = TypeVar("Answer")
MEMORY = 256  # answers of each kind
MOST_CELLS = 2000  # names of so many groups take a megabyte at most: 256 of them are still held


def remembered(
    answer: Callable[Concatenate[Line, Others], Answer],
) -> Callable[Concatenate[Line, Others], Answer]:
    """Make a function of a line, and of other values, remember its answers; but of lines with very many groups, whose
    names would fill the memory.
    """
    known = lru_cache(maxsize=MEMORY)(answer)

    @wraps(answer)
    def of_line(line: Line, /, *others: Others.args, **more: Others.kwargs) -> Answer:
        if line.statistic.cells > MOST_CELLS:
            return answer(line, *others, **more)
        return known(line, *others, **more)  # type: ignore[arg-type]

    return of_line
