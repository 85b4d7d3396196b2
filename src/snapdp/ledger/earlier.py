"""What a request asks for that its account released before: the very same is free, the same statistic is paid again.

Room: ledger. Opens nothing. A request is compared as a whole, and each of its statistics by itself: by everything that
it declares but its cost. Everything here is public.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from snapdp.display import exact_amount
from snapdp.ledger.belonging import DECLARED, identical
from snapdp.ledger.chain import amount_from, canonical
from snapdp.studies import digest
from snapdp.values import Value

if TYPE_CHECKING:
    from snapdp.ledger.accounts import Charge

COST = ("epsilon", "alpha")  # with others a statistic is the same, and its number another


class Earlier(Value):
    """A statistic that was released before.

    number    of the charge in the chain of the ledger
    epsilon   what the statistic cost there
    """

    number: int
    epsilon: Fraction

    @property
    def in_words(self) -> str:
        """Return what whoever asks again is to know.

        >>> Earlier(number=2, epsilon=Fraction(1, 2)).in_words
        'released in entry 2 with epsilon 0.5; it would be charged again'
        """
        return f"released in entry {self.number} with epsilon {exact_amount(self.epsilon)}; it would be charged again"


class Repeats(Value):
    """What of a request was released before.

    same    the number of the charge that answered the very same: it is free, while the table is the same
    lines   for each statistic, where it was released with the most epsilon; None where it was not, or all is the same
    """

    same: int | None
    lines: tuple[Earlier | None, ...]


class EarlierReleases(Value):
    """What an account has released: requests and statistics, by digests of what they declare."""

    requests: dict[str, int]
    statistics: dict[str, Earlier]

    def of(self, epsilon: Fraction, declaration: Mapping[str, Any]) -> Repeats:
        """Return what of a request was released before."""
        statistics = declaration["statistics"]
        same = self.requests.get(identical(epsilon, declaration))
        if same is not None:
            return Repeats(same=same, lines=(None,) * len(statistics))
        return Repeats(same=None, lines=tuple(self.statistics.get(_key(declaration, each)) for each in statistics))


def earlier_releases(history: Iterable[Charge]) -> EarlierReleases:
    """Return what the charges of an account were answered with; those without an answer released nothing."""
    requests: dict[str, int] = {}
    statistics: dict[str, Earlier] = {}
    for charge in history:
        if charge.answer is None:
            continue
        requests[charge.request] = charge.number
        for key, found in _statistics(charge):
            if key not in statistics or statistics[key].epsilon < found.epsilon:
                statistics[key] = found
    return EarlierReleases(requests=requests, statistics=statistics)


def _statistics(charge: Charge) -> list[tuple[str, Earlier]]:
    """Return the statistics of a charge; none where somebody else's program asked, in words of its own."""
    asked = json.loads(charge.asked)
    try:
        found = [(_key(asked, each), amount_from(each["epsilon"])) for each in asked["statistics"]]
    except (KeyError, TypeError, AttributeError, ValueError, ArithmeticError):
        return []
    return [(key, Earlier(number=charge.number, epsilon=epsilon)) for key, epsilon in found]


def _key(request: Mapping[str, Any], statistic: Mapping[str, Any]) -> str:
    """Return what makes two statistics the same: all that they declare but their cost, of the same neighbours."""
    own = {name: value for name, value in statistic.items() if name not in COST}
    terms = {name: request[name] for name in DECLARED if name in request and name not in ("own", *own)}
    return digest(canonical({"terms": terms, "statistic": own}))
