"""What an attack is, and what it found: two neighbouring inputs, an event, and the loss that it shows.

An attack is a description in words and a function for each target; the same function takes any release, so that tests
can hand it a broken one. Nothing heavy is imported before an attack runs.

A loss is bounded from two counts of the event. The lower Clopper-Pearson bound of a probability is the p at which so
many hits or more are as rare as 1 in 2,000. The tail grows with p, so a bisection finds a p whose tail is certainly as
rare; every term is rounded up. The upper bound is the lower one of the misses. No statistics library, table or
approximation is used. Trusts: MPFR's logarithm and log-gamma, rounded as told (exact.directed asks it).
Source: Clopper and Pearson 1934; docs/theory/attacks.md, equations (1) to (4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from snapdp.exact.dyadic import round_down, round_up
from snapdp.exact.enclosure import Enclosure
from snapdp.exact.functions import (
    exact_mpfr,
    exp_enclosure,
    fraction_of_mpfr,
    ln_enclosure,
    mpfr_context,
    sqrt_enclosure,
)
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
OfNumber = Callable[[float], float]  # a release of one number
Releases = Callable[[Any, int], Iterable[Any]]  # of an input: so many outputs, each a release of its own


class Attack(Value):
    """One attack, in words, and how it is run against each target.

    name        as it is called: `snapdp lab attack NAME`
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


class Distinguisher(Value):
    """An event fixed before the sample, and two neighbours, of which the first makes it more likely.

    inputs   both neighbours in words
    claimed  the epsilon that releases claim of these two, unless they say so themselves
    """

    event: Callable[[Any], bool]
    neighbours: Sequence[Any]
    inputs: tuple[str, str]
    claimed: Fraction

    def run(self, releases: Releases, trials: int, claimed: Fraction | None = None) -> AttackOutcome:
        """Return the outcome of so many outputs of each neighbour."""
        more, less = ((sum(map(bool, map(self.event, releases(x, trials)))), trials) for x in self.neighbours)
        return measured(claimed=claimed or self.claimed, more=more, less=less, inputs=self.inputs)

    def against(self, **targets: Callable[[Trials], Releases | tuple[Releases, Fraction]]) -> dict[str, Run]:
        """Return the runs against targets, by functions that make the releases of each, and may say what they claim."""

        def run(make: Callable[[Trials], Any], trials: Trials) -> AttackOutcome:
            made = make(trials)
            releases, claimed = made if isinstance(made, tuple) else (made, None)
            return self.run(releases, trials.count, claimed)

        return {name.replace("_", "-"): partial(run, make) for name, make in targets.items()}


def counted(
    release: Callable[[Any], Any],
    event: Callable[[Any], bool],
    *,
    neighbours: tuple[Any, Any],
    inputs: tuple[str, str],
    claimed: Fraction,
    trials: int,
) -> AttackOutcome:
    """Return the outcome of an event fixed before the sample, for what releases one output at a time."""
    distinguisher = Distinguisher(event=event, neighbours=neighbours, inputs=inputs, claimed=claimed)
    return distinguisher.run(one_by_one(release), trials)


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


# Bounds of a privacy loss by counts of an event

MISSED = Fraction(1, 2000)  # how often one bound may fail: 99.95 %, so that two hold with 99.9 %
FALSE_ALARM = (2 * MISSED) ** 2  # how often two samples may both refute a release that keeps its claim: attacks (4)
BITS = 128  # of logarithms and of terms
STEPS = 64  # probabilities are looked for among multiples of 2**-64
SHOWN_BITS = 53
_NEGLIGIBLE = 40  # terms below 2**-40 of their sum are bounded together

Count = tuple[int, int]  # hits, trials


def loss_at_least(
    hits_more: Count, hits_less: Count, *, delta: Fraction = Fraction(0), missed: Fraction = MISSED
) -> Fraction:
    """Return a lower bound of ln((P - delta)/Q): attacks (3). It holds with 99.9 %; 0 where the counts show nothing.

    hits_more   (hits, trials) of the event for the input that makes it more likely: P
    hits_less   the same for the neighbour: Q
    missed      how often each of the two bounds of P and Q may fail: 1 in 2,000

    >>> float(loss_at_least((1000, 1000), (0, 1000))) > 4.8
    True
    >>> loss_at_least((510, 1000), (490, 1000))
    Fraction(0, 1)
    """
    least, most = probability_at_least(hits_more, missed) - delta, probability_at_most(hits_less, missed)
    return ln_down(least / most) if least > most else Fraction(0)


def loss_allowed_by_rho(rho: Fraction, probability: Fraction) -> Fraction:
    """Return the most that an event at least as likely may lose under rho-zCDP, rounded up: attacks (11).

    >>> f"{float(loss_allowed_by_rho(Fraction(1, 2), Fraction(1, 2))):.3f}"
    '1.677'
    """
    rarity = -ln_enclosure(probability, BITS).lower
    return round_up(rho + 2 * sqrt_enclosure(rho * rarity, BITS).upper, SHOWN_BITS)


def ln_down(ratio: Fraction) -> Fraction:
    """Return the logarithm of a ratio above 1, rounded down to 53 bits; 0 for 1 and less.

    >>> ln_down(Fraction(1))
    Fraction(0, 1)
    """
    if ratio <= 1:
        return Fraction(0)
    least = ln_enclosure(ratio, BITS).lower
    return round_down(least, SHOWN_BITS) if least > 0 else Fraction(0)


def probability_at_least(count: Count, missed: Fraction = MISSED) -> Fraction:
    """Return the lower Clopper-Pearson bound, rounded down: attacks (1).

    >>> probability_at_least((0, 10))
    Fraction(0, 1)
    """
    hits, trials = count
    if not 0 <= hits <= trials or trials == 0:
        raise ValueError(f"{hits} hits in {trials} trials")
    low, high = 0, hits * (1 << STEPS) // trials  # at hits/trials about every second sample has as many
    while high - low > max(1, low >> 24):
        middle = (low + high) // 2
        if tail_at_most(count, middle) <= missed:
            low = middle
        else:
            high = middle
    return Fraction(low, 1 << STEPS)


def probability_at_most(count: Count, missed: Fraction = MISSED) -> Fraction:
    """Return the upper Clopper-Pearson bound, rounded up: attacks (2)."""
    hits, trials = count
    return 1 - probability_at_least((trials - hits, trials), missed)


def tail_at_most(count: Count, steps: int) -> Fraction:
    """Return P(so many hits or more) of a binomial variable, rounded up, where p = steps/2**64 is at most hits/trials.

    There the terms decrease, faster and faster: what is left after one of them is at most a geometric series.
    """
    hits, trials = count
    if hits == 0:
        return Fraction(1)
    if steps == 0:
        return Fraction(0)
    misses = (1 << STEPS) - steps
    if misses == 0:  # then hits == trials
        return Fraction(1)
    term = _up(_first_term_at_most(count, steps) * (1 << BITS))
    total = term
    for k in range(hits, trials):
        up, down = (trials - k) * steps, (k + 1) * misses  # the ratio of two terms, below 1
        if term <= total >> _NEGLIGIBLE:
            total += _up(Fraction(term * up, down - up))
            break
        term = -(-term * up // down)
        total += term
    return Fraction(total, 1 << BITS)


def _first_term_at_most(count: Count, steps: int) -> Fraction:
    """Return C(n, k) p^k (1 - p)^(n - k), rounded up."""
    hits, trials = count
    p = Fraction(steps, 1 << STEPS)
    choices = _ln_factorial(trials).upper - _ln_factorial(hits).lower - _ln_factorial(trials - hits).lower
    logarithm = choices + hits * ln_enclosure(p, BITS).upper + (trials - hits) * ln_enclosure(1 - p, BITS).upper
    return exp_enclosure(logarithm, BITS).upper


def _ln_factorial(n: int) -> Enclosure:
    ends = [fraction_of_mpfr(mpfr_context(BITS, way).lngamma(exact_mpfr(n + 1))) for way in ("down", "up")]
    return Enclosure(ends[0], ends[1])


def _up(x: Fraction) -> int:
    return -(-x.numerator // x.denominator)
