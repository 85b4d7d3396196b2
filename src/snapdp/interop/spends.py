"""What an account was charged, part by part, as laws that dominate what was drawn.

Room: interop. It reads charges of a ledger, which are public; it charges nothing and sees no row.

    Laplace, `moving` times at share * eps   where no cell moves by more than one sensitivity      theory (3)
    pure, once at share * moving * eps       everywhere else                                        theory (4)

A part is of the first kind where it has one cell that moves by one sensitivity at most, or counts rows or persons of
whom no cell holds more than one that a neighbour may move. What cannot be read, or was asked by another
program, is pure at its whole charge: that is true of everything a ledger charges.
Theory: docs/theory/shown-composition.md, (3) and (4).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from snapdp.audits import rebuilt_relation
from snapdp.errors import SnapdpError
from snapdp.interop.losses import LAPLACE, PURE, Spend, merged
from snapdp.studies import statistic_class

if TYPE_CHECKING:
    from snapdp.ledger import Charge
    from snapdp.studies import Part, Relation, Statistic


def spends_of(charges: Iterable[Charge]) -> tuple[Spend, ...]:
    """Return the spends behind the charges of an account, abandoned and orphaned ones too: all of them are spent."""
    return merged(each for charge in charges for each in charged_spends(charge.epsilon, json.loads(charge.asked)))


def record_spends(record: Mapping[str, Any]) -> tuple[Spend, ...]:
    """Return the spends behind one record."""
    return merged(charged_spends(Fraction(str(record["charged"])), record))


def charged_spends(charged: Fraction, asked: Mapping[str, Any]) -> tuple[Spend, ...]:
    """Return the spends of one request, from what it declares; pure at its charge where that does not add up."""
    try:
        relation = rebuilt_relation(asked)
        found = tuple(spend for values in asked["statistics"] for spend in _asked(values, relation))
    except (SnapdpError, KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
        found = ()
    whole = sum((each.total for each in found), Fraction(0))
    return found if whole == charged else (Spend(law=PURE, epsilon=charged),)


def _asked(values: Mapping[str, Any], relation: Relation) -> Iterator[Spend]:
    statistic = statistic_class(values["kind"]).from_declaration(values, relation)
    yield from statistic_spends(statistic, Fraction(values["epsilon"]))


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
