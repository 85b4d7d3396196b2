"""How large a privacy loss is at least, by two counts of an event: exact binomial tails, rounded to the safe side.

Room: attacks. Pure functions of counts.
Idea: the lower Clopper-Pearson bound of a probability is the p at which so many hits or more are as rare as 1 in 2,000.
The tail decreases with p, so a bisection finds a p whose tail is certainly as rare; every term is rounded up. The
upper bound is the lower one of the misses. No statistics library, no table, no approximation.
Trusts: MPFR's logarithm and log-gamma, rounded as told (exact.directed asks it).
Source: Clopper and Pearson 1934; docs/theory/attacks.md, equations (1) to (4).
"""

from __future__ import annotations

from fractions import Fraction

from snapdp.exact import (
    Enclosure,
    exact_mpfr,
    exp_enclosure,
    fraction_of_mpfr,
    ln_enclosure,
    mpfr_context,
    round_down,
    round_up,
    sqrt_enclosure,
)

MISSED = Fraction(1, 2000)  # how often one bound may fail: 99.95 %, so that two hold with 99.9 %
FALSE_ALARM = (2 * MISSED) ** 2  # how often two samples may both refute a release that keeps its claim: theory (4)
BITS = 128  # of logarithms and of terms
STEPS = 64  # probabilities are looked for among multiples of 2**-64
SHOWN_BITS = 53
_NEGLIGIBLE = 40  # terms below 2**-40 of their sum are bounded together

Count = tuple[int, int]  # hits, trials


def loss_at_least(
    hits_more: Count, hits_less: Count, *, delta: Fraction = Fraction(0), missed: Fraction = MISSED
) -> Fraction:
    """Return a lower bound of ln((P - delta)/Q): theory (3). It holds with 99.9 %; 0 where the counts show nothing.

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
    """Return the most that an event at least as likely may lose under rho-zCDP, rounded up: theory (11).

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
    """Return the lower Clopper-Pearson bound, rounded down: theory (1).

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
    """Return the upper Clopper-Pearson bound, rounded up: theory (2)."""
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
