"""Spends as events of Google's dp-accounting, what its accountant says of them, and the spends behind charges.

dp-accounting is imported when it is asked for; nothing else needs it. It takes floats: a Laplace event gets a
multiplier rounded down, a pure one a parameter rounded up, so that no event loses less than was charged.
A pure spend is a discrete Laplace event of sensitivity 1: its loss is +epsilon with probability e^eps/(1 + e^eps) and
-epsilon else, which is randomised response and dominates everything that is epsilon-DP. The package's own event of
randomised response is of no use here: its accountant composes it only under another relation than Laplace events, and
forgets how often (0.6.0: a self-composition of it counts once).

Charges of a ledger are public. A part of a charge is read as Laplace noise, `moving` times at share * eps, where it has
one cell that moves by one sensitivity at most, or counts rows or persons of whom no cell holds more than one that a
neighbour may move (theory (3)); everything else is pure, once at share * moving * eps (theory (4)). What cannot be
read, or was asked by another program, is pure at its whole charge, which is true of everything that a ledger charges.
Theory: docs/theory/shown-composition.md, (1)-(4).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from snapdp.audits.release_audit import rebuilt_relation
from snapdp.display.numbers import scientific_up
from snapdp.errors import ParameterError, PremiseError, SnapdpError
from snapdp.exact.numbers import positive, probability, to_float_down, to_float_nearest, to_float_up
from snapdp.interop.composition import LAPLACE, PURE, Spend, merged, total_of
from snapdp.studies.statistics.registry import statistic_class
from snapdp.values import Facts, Values

if TYPE_CHECKING:
    from snapdp.ledger.accounts import Charge
    from snapdp.studies.statistics.parts import Part
    from snapdp.studies.statistics.statistic import Statistic

NEEDED = "pip install 'dp-accounting>=0.5.1'"
LARGEST = 2**1000  # an epsilon whose inverse is a double, too
FINEST, POINTS = 1e-4, 1 << 17  # of the grid of losses on which the package composes


def event_values(spends: Iterable[Spend]) -> list[Values]:
    """Return the events as plain values: the class of dp_accounting, its arguments, and how often it happened.

    >>> event_values([Spend(law="laplace", epsilon=Fraction(1, 2), times=3)])
    [{'event': 'LaplaceDpEvent', 'noise_multiplier': 2.0, 'count': 3}]
    """
    return [{**_values(each), "count": each.times} for each in merged(spends)]


def has_events(spends: Iterable[Spend]) -> bool:
    """Tell whether all spends are events of dp_accounting, which knows doubles alone."""
    return all(each.epsilon <= LARGEST for each in spends)


def _values(each: Spend) -> Values:
    if each.epsilon > LARGEST:
        raise ParameterError(
            f"an epsilon of {scientific_up(each.epsilon)} is none that dp-accounting can take in doubles.",
            "The sum of all epsilons holds. Nothing was spent.",
        )
    if each.law == LAPLACE:
        return {"event": "LaplaceDpEvent", "noise_multiplier": noise_multiplier(each.epsilon)}
    return {"event": "DiscreteLaplaceDpEvent", "noise_parameter": to_float_up(each.epsilon), "sensitivity": 1}


def noise_multiplier(epsilon: Fraction) -> float:
    """Return the largest double whose inverse, computed in doubles too, is at least epsilon."""
    found = to_float_down(1 / epsilon)
    while Fraction(1 / found) < epsilon:
        found = math.nextafter(found, 0)
    return found


def event(spends: Iterable[Spend]) -> Any:
    """Return the spends as one event of dp_accounting, composed."""
    events = _package().dp_event
    found = []
    for each in merged(spends):
        arguments = _values(each)
        one = getattr(events, arguments.pop("event"))(**arguments)
        found.append(events.SelfComposedDpEvent(one, each.times))
    return events.ComposedDpEvent(found)


def accountant(spends: Iterable[Spend], *, interval: float | None = None) -> Any:
    """Return an accountant of dp_accounting that has composed the spends, on a grid of losses rounded pessimistically.

    Its relation says only which events it composes: who is a neighbour is what the account says.
    """
    every = merged(spends)
    total = to_float_nearest(total_of(every))
    package = _package()
    from dp_accounting import pld

    found = pld.PLDAccountant(
        package.NeighboringRelation.ADD_OR_REMOVE_ONE,
        value_discretization_interval=max(FINEST, 2 * total / POINTS) if interval is None else interval,
    )
    found.compose(event(every))
    return found


def epsilon_by_package(spends: Iterable[Spend], *, delta: Any) -> float:
    """Return the epsilon at a delta that dp_accounting finds: a second opinion, in floating point."""
    return float(accountant(spends).get_epsilon(to_float_down(probability(delta, name="delta"))))


def delta_by_package(spends: Iterable[Spend], *, epsilon: Any) -> float:
    """Return the delta at an epsilon that dp_accounting finds."""
    return float(accountant(spends).get_delta(to_float_down(positive(epsilon, name="epsilon"))))


def _package() -> Any:
    try:
        import dp_accounting
        import dp_accounting.dp_event
    except ImportError:
        raise PremiseError("dp-accounting is not installed.", NEEDED) from None
    return dp_accounting


# What an account was charged, part by part


def spends_of(charges: Iterable[Charge]) -> tuple[Spend, ...]:
    """Return the spends behind the charges of an account, abandoned and orphaned ones too: all of them are spent."""
    return merged(each for charge in charges for each in charged_spends(charge.epsilon, json.loads(charge.asked)))


def record_spends(record: Facts) -> tuple[Spend, ...]:
    """Return the spends behind one record."""
    return merged(charged_spends(Fraction(str(record["charged"])), record))


def charged_spends(charged: Fraction, asked: Facts) -> tuple[Spend, ...]:
    """Return the spends of one request, from what it declares; pure at its charge where that does not add up."""
    try:
        relation = rebuilt_relation(asked)
        found = tuple(
            spend
            for values in asked["statistics"]
            for spend in statistic_spends(
                statistic_class(values["kind"]).from_declaration(values, relation), Fraction(values["epsilon"])
            )
        )
    except (SnapdpError, KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
        found = ()
    return found if total_of(found) == charged else (Spend(law=PURE, epsilon=charged),)


def statistic_spends(statistic: Statistic, epsilon: Fraction) -> Iterator[Spend]:
    """Yield what one statistic spends, part by part.                                               theory (3), (4)

    Where its parts cannot move at one time they would be charged more than the statistic is: then it is one.
    """
    if sum((part.share * part.moving for part in statistic.parts), Fraction(0)) != 1:
        yield Spend(law=PURE, epsilon=epsilon)
        return
    for part in statistic.parts:
        if is_laplace(statistic, part):
            yield Spend(law=LAPLACE, epsilon=epsilon * part.share, times=part.moving)
        else:
            yield Spend(law=PURE, epsilon=epsilon * part.share * part.moving)


def is_laplace(statistic: Statistic, part: Part) -> bool:
    """Tell whether each cell moves by one sensitivity at most, in at most `moving` cells.              theory (3)"""
    alone = part.cells == part.moving == 1
    return alone or (statistic.moves_singly and part.numerator.sensitivity == 1)
