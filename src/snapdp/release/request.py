"""A request: what is asked, under which neighbour relation, at which epsilon. Public, frozen, checked before any data.

It has seen no data. `declaration` is the request as JSON: with the epsilon it is what the ledger compares, and what a
record repeats. Two requests are the same iff these texts are. All mechanisms are built here, so that nothing about
parameters can fail after a charge.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cached_property

from snapdp.display.text import one_line
from snapdp.errors import BoundError
from snapdp.ledger.rules import REQUEST_VERSION
from snapdp.mechanism.mechanism import Mechanism
from snapdp.studies.columns import INLINE
from snapdp.studies.grouping.groups import BinnedColumn
from snapdp.studies.plans.lines import Line
from snapdp.studies.plans.plan import Plan
from snapdp.studies.relation import Relation, identifier_values, stated_person
from snapdp.studies.statistics.parts import Part, mechanism
from snapdp.studies.statistics.quantiles import Quantiles
from snapdp.studies.statistics.statistic import Statistic
from snapdp.values import Facts, Value, Values

LARGEST = 1 << 1000  # published numbers and their differences are finite doubles
MOST_BITS = 3322  # of the denominator of a sum of epsilons: 1,000 digits, as the independent checker has it
MOST_STATISTICS, MOST_DIGITS = 1000, 1000  # of a request, and of a number: what the independent checker reads
MOST_EDGES, MOST_CONDITIONS = 100_000, 10_000  # of all statistics of a request: a record repeats each of them
MOST_TERMS = 1 << 14  # that enter adjusted margins, of all statistics of a request
MOST_RANKS = 1 << 22  # levels times shares of quantiles, of all statistics of a request whose levels a record lists


class Request(Value):
    """Several statistics of one dataset, each with its epsilon."""

    dataset: str
    plan: Plan
    own: str | None = None  # the role of a team ledger for whom everything is drawn anew: another request

    def _check(self) -> None:
        from snapdp.release.recordable import check_recordable

        if len(self.lines) > MOST_STATISTICS:
            raise BoundError(f"there are more than {MOST_STATISTICS} statistics.", "Ask in several requests.")
        for line in self.lines:
            # Refuse an epsilon or alpha that a record could not state.
            longest = max(max(abs(x.numerator), x.denominator).bit_length() for x in (line.epsilon, line.alpha))
            if longest > MOST_BITS:
                raise BoundError(
                    f"epsilon or alpha of {line.statistic.shown} has very many digits.", "Give shorter ones."
                )
        _check_margins(self.lines)
        _check_ranks(self.lines)
        added(line.epsilon for line in self.lines)
        check_lengths(map(_lists, self.lines))
        for line, mechanisms in zip(self.lines, self.mechanisms, strict=True):
            for part, m in zip(line.statistic.parts, mechanisms, strict=True):
                _check_size(line.statistic, part, m)
            _ = line.margins  # how far adjusted numbers may be off is found now: nothing may fail after a charge
        check_recordable(self)

    @property
    def lines(self) -> tuple[Line, ...]:
        return self.plan.lines

    @property
    def relation(self) -> Relation:
        return self.lines[0].statistic.relation

    @property
    def epsilon(self) -> Fraction:
        """Return what the request is charged: the sum of what was typed."""
        return self.plan.total

    @cached_property
    def mechanisms(self) -> tuple[tuple[Mechanism, ...], ...]:
        """Return for each statistic the mechanism of each of its parts."""
        return tuple(
            tuple(mechanism(part, line.epsilon, title=line.statistic.title) for part in line.statistic.parts)
            for line in self.lines
        )

    @cached_property
    def declaration(self) -> Values:
        """Return the request as JSON."""
        return {
            "snapdp_request": REQUEST_VERSION,
            **relation_values(self.relation),
            **({} if self.own is None else {"own": self.own}),
            "statistics": [
                {**line.statistic.declaration(), "epsilon": str(line.epsilon), "alpha": str(line.alpha)}
                for line in self.lines
            ],
        }


def _check_margins(lines: Iterable[Line]) -> None:
    """Refuse more margins than are adjusted, and checked again, in bounded work."""
    every = [line.statistic.margins for line in lines]
    if sum(margins.work for margins in every if margins is not None) > MOST_TERMS:
        raise BoundError(
            "the statistics have too many margins to be adjusted in one request.",
            "Ask for fewer margins, or in several requests. Nothing was read and nothing spent.",
        )


def _check_ranks(lines: Iterable[Line]) -> None:
    """Refuse more quantiles than are checked again in bounded work, where the record holds all they follow from."""
    every = [line.statistic for line in lines if isinstance(line.statistic, Quantiles)]
    if sum(len(each.at) * each.parts[-1].cells for each in every if each.parts[-1].cells <= INLINE) > MOST_RANKS:
        raise BoundError(
            "the statistics have too many quantiles for one request.",
            "Ask for fewer shares, or in several requests. Nothing was read and nothing spent.",
        )


def _lists(line: Line) -> Values:
    """Return what of a statistic may be long, as a record has it."""
    statistic = line.statistic
    columns = () if statistic.by is None else statistic.by.columns
    edges = [{"edges": column.edges} for column in columns if isinstance(column, BinnedColumn)]
    return {**statistic.stated, "where": statistic.where, "by": edges}


def check_lengths(statistics: Iterable[Facts]) -> None:
    """Refuse more bin edges or conditions than a record holds: whoever reads one goes through them all."""
    edges = conditions = 0
    for each in statistics:
        by = each.get("by", ())
        for cut in (each, *([by] if isinstance(by, Mapping) else by)):
            edges += len(cut.get("edges", ()))
        conditions += len(each.get("where", ()))
    if edges > MOST_EDGES or conditions > MOST_CONDITIONS:
        raise BoundError(
            f"there are more than {MOST_EDGES} bin edges or {MOST_CONDITIONS} conditions in all.",
            "Ask for fewer bins, or in several requests.",
        )


def added(epsilons: Iterable[Fraction]) -> Fraction:
    """Return the sum of epsilons that a record states; refuse one whose digits would grow with every term."""
    total = Fraction(0)
    for each in epsilons:
        total += each
        if total.denominator.bit_length() > MOST_BITS:
            raise BoundError("the epsilons add up to a number of thousands of digits.", "Give shorter ones.")
    return total


def _check_size(statistic: Statistic, part: Part, m: Mechanism) -> None:
    """Refuse numbers that might leave the doubles: a record could not hold them, after they were paid for."""
    p, numerator = m.parameters, part.numerator
    ends = [numerator.statistic(p.data_value(index)) for index in (p.low, p.high)]
    if max(map(abs, ends)) >= LARGEST:
        raise BoundError(
            f"the {one_line(numerator.name)} of {statistic.shown} may be as large as "
            f"2**{int(max(map(abs, ends))).bit_length()}, more than can be published.",
            "Give the column in another unit, so that results stay below 2**1000. Nothing was read and nothing spent.",
        )


def relation_values(relation: Relation) -> Values:
    """Return who is a neighbour, as records say it."""
    found: Values = {"relation": relation.kind, "unit": relation.unit}
    found["n" if relation.is_change_one else "n_max"] = relation.rows
    if relation.person is not None:
        found |= {"person": stated_person(relation.person), "rows_per_person": relation.rows_per_person}
    if relation.identifiers:
        found["person_columns"] = identifier_values(relation)
    if relation.most_units is not None:
        found["most_units"] = relation.most_units
    return found if relation.unit_rows == 1 else {**found, "unit_rows": relation.unit_rows}
