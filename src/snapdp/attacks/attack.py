"""What an attack is, and what it found: two neighbouring inputs, an event, and the loss that it shows.

Room: attacks. An attack is a description in words and a function for each target; the same function takes any release,
so that tests can hand it a broken one. Nothing heavy is imported before an attack runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from snapdp.attacks.bounds import Count, loss_at_least
from snapdp.values import Value

if TYPE_CHECKING:
    from numpy.random import Generator

USUAL_TRIALS = 10_000  # outputs of either input, where an attack asks for no other number
NOTHING_ELSE: Mapping[str, int] = MappingProxyType({})


class AttackOutcome(Value):
    """What an attack found about one target.

    claimed      the epsilon that the target claims for these two neighbours
    lower_bound  its loss is at least that (99.9 %; surely, where the exact law was used), rounded down; 0: nothing
    said         one sentence with the measured numbers
    counts       (hits, trials) for both neighbours; None where the exact law was used
    """

    claimed: Fraction
    lower_bound: Fraction
    said: str
    counts: tuple[Count, Count] | None = None

    @property
    def is_refuted(self) -> bool:
        """Tell whether the target loses more than it claims."""
        return self.lower_bound > self.claimed


class Trials(Value):
    """How many outputs of either input an attack may draw, and where pseudo-random noise of the textbook begins."""

    count: int
    seed: int

    def generator(self) -> Generator:
        """Return numpy's generator, seeded: the textbook's noise is the same at every run with this seed."""
        import numpy as np

        return np.random.default_rng(self.seed)


Run = Callable[[Trials], AttackOutcome]
Releases = Callable[[Any, int], Iterable[Any]]  # of an input: so many outputs, each a release of its own


class Attack(Value):
    """One attack, in words, and how it is run against each target.

    name        as it is called: `snapdp attack NAME`
    title       a line of the table
    source      author and year
    assumes     what the attacker has
    event       what is looked for in an output, in which direction, and when it was fixed
    neighbours  the two inputs, in words
    against     "numpy" (the textbook), "snapdp", and peers; a peer is imported when its function is called
    trials      outputs of either input, unless somebody asks for another number
    fewer       the same of targets that take longer for an output
    claimed     the epsilon that targets are asked for; a peer that is not installed cannot say what it claims
    """

    name: str
    title: str
    source: str
    assumes: str
    event: str
    neighbours: str
    against: Mapping[str, Run]
    trials: int = USUAL_TRIALS
    fewer: Mapping[str, int] = NOTHING_ELSE
    claimed: Fraction | None = None

    def trials_of(self, target: str) -> int:
        """Return how many outputs of either input are drawn from a target where nobody asks for another number."""
        return self.fewer.get(target, self.trials)


def measured(
    *, claimed: Fraction, more: Count, less: Count, inputs: tuple[str, str], what: str = "outputs"
) -> AttackOutcome:
    """Return the outcome of two counts of an event.

    more, less   (hits, trials) for the input that makes the event more likely, and for its neighbour
    inputs       both in words, in this order: "for 0", "for 1"
    """
    said = f"in {_so_many(more)} {what} {inputs[0]}{_share(more)}, in {_so_many(less)} {inputs[1]}{_share(less)}"
    return AttackOutcome(claimed=claimed, lower_bound=loss_at_least(more, less), said=said, counts=(more, less))


def counted(
    release: Callable[[Any], Any],
    event: Callable[[Any], bool],
    *,
    neighbours: tuple[Any, Any],
    inputs: tuple[str, str],
    claimed: Fraction,
    trials: int,
) -> AttackOutcome:
    """Return the outcome of an event fixed before the sample, in so many outputs of each of two neighbours.

    release     from an input to an output
    neighbours  first the input that makes the event more likely
    """
    return compared(one_by_one(release), event, neighbours=neighbours, inputs=inputs, claimed=claimed, trials=trials)


def compared(
    releases: Releases,
    event: Callable[[Any], bool],
    *,
    neighbours: tuple[Any, Any],
    inputs: tuple[str, str],
    claimed: Fraction,
    trials: int,
) -> AttackOutcome:
    """Return the same, of what releases many outputs at a time."""
    more, less = ((sum(map(event, releases(value, trials))), trials) for value in neighbours)
    return measured(claimed=claimed, more=more, less=less, inputs=inputs)


def one_by_one(release: Callable[[Any], Any]) -> Releases:
    """Return many outputs of what releases one at a time."""
    return lambda value, times: (release(value) for _ in range(times))


def _so_many(count: Count) -> str:
    hits, trials = count
    few = {0: "none", trials: "all"}.get(hits, f"{hits:,}")
    return f"{few} of {trials:,}"


def _share(count: Count) -> str:
    """Return the share of hits in words, where it is not seen at once.

    >>> _share((4061, 5000)), _share((69, 15000)), _share((0, 10))
    (' (81.2 %)', ' (0.46 %)', '')
    """
    hits, trials = count
    if hits in (0, trials):
        return ""
    share = 100 * hits / trials
    return f" ({share:.1f} %)" if share >= 1 else f" ({share:.2g} %)"
