"""Many releases composed in integers: an upper bound of delta at every epsilon, shown beside the pure sum.

It sees no data and charges nothing: a ledger adds epsilons. A spend names a pair of laws that is at least as
telling, for all neighbours, as what one or several releases show:

    laplace   delta(t) = 1 - e^((t - eps)/2)                 |t| <= eps                             theory (1)
    pure      delta(t) = (e^eps - e^t)/(1 + e^eps)           |t| <= eps                             theory (2)
    both      delta(t) = 0 above eps, 1 - e^t below -eps

Each law is put on a grid of losses so that its delta is exact on the grid and larger between; masses are integers of
2**-MASS_BITS, rounded up; products of such polynomials are exact products of long integers, rounded up again. More mass
is more delta, so every rounding errs to the same side, and no floating point is met on the way.

    p_j = (H_(j+1) - (1 + x) H_j + x H_(j-1))/(x - 1),   x = e^h,  H_j = delta(j h)                 theory (6)
    delta(t) <= sum over j h > t of P_j (1 - e^(t - j h))                                           theory (8)

The work is bounded: where spends are very many, epsilons are first rounded up to fewer bits, and several releases of
one kind become one of which only the sum is known. From LARGEST_SUM on, where no weaker figure is of use, the sum is
the answer.                                                                                          theory (13)
Trusts: exact.exp_scaled encloses; that long integers are multiplied as they should be.
Theory: docs/theory/shown-composition.md, (5)-(10), (13).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from heapq import heapify, heappop, heappush

from snapdp.errors import ParameterError
from snapdp.exact.dyadic import floor_log2, power_of_two_at_least
from snapdp.exact.enclosure import Enclosure
from snapdp.exact.functions import ln_enclosure
from snapdp.exact.integers import exp_scaled
from snapdp.exact.numbers import parameter, positive, probability, shown
from snapdp.values import Value

POINTS = 1 << 13  # of the grid, between 0 and the sum of all epsilons
MASS_BITS = 128
LN_BITS = 128
GUARD_BITS = 192
LARGEST_SUM = 1000  # of epsilons that are composed otherwise than by their sum


class Composed(Value):
    """What releases lose together: the pure sum, which is what counts, and upper bounds of weaker measures.

    spends   what is composed
    grid     distance of neighbouring losses
    first    the index of the first loss
    masses   of the losses first*grid, (first + 1)*grid, ..., in units of 2**-MASS_BITS, rounded up; none where the sum
             is all that is said
    """

    spends: tuple[Spend, ...]
    grid: Fraction
    first: int
    masses: tuple[int, ...]

    @property
    def pure(self) -> Fraction:
        """Return the sum of all epsilons: what is charged."""
        return total_of(self.spends)

    @property
    def rho(self) -> Fraction:
        """Return rho of zero-concentrated privacy: the sum of epsilon**2/2.                        theory (11)"""
        return sum((each.times * each.epsilon**2 / 2 for each in self.spends), Fraction(0))

    def delta(self, epsilon: object) -> Fraction:
        """Return an upper bound of delta at an epsilon: 0 from the pure sum on.                   theory (8)

        >>> round(float(composed([Spend(law="pure", epsilon=Fraction(1))]).delta(0)), 9)  # (e - 1)/(e + 1)
        0.462117157
        """
        t = _loss(epsilon)
        if t >= self.pure:
            return Fraction(0)
        if not self.masses:
            return Fraction(1)
        mass, weighted = self._above(t)
        low, _ = exp_scaled(t, MASS_BITS)
        return min(Fraction(1), max(Fraction(0), Fraction((mass << MASS_BITS) - low * weighted, 1 << 2 * MASS_BITS)))

    def epsilon(self, delta: object) -> Fraction:
        """Return an epsilon at which delta is not exceeded: the least that the bound allows, rounded up.  theory (9)"""
        allowed = probability(delta, name="delta")
        if not self.masses:
            return self.pure
        top = math.ceil(self.pure / self.grid)
        index = bisect_left(range(top), True, key=lambda j: self.delta(j * self.grid) <= allowed)
        if index == 0:
            return Fraction(0)
        mass, weighted = self._above((index - 1) * self.grid)
        least = Fraction(mass, 1 << MASS_BITS) - allowed
        crossing = ln_enclosure(least / Fraction(weighted, 1 << MASS_BITS), LN_BITS).upper if weighted else self.pure
        return min(max(crossing, (index - 1) * self.grid), index * self.grid, self.pure)

    def _above(self, t: Fraction) -> tuple[int, int]:
        """Return the mass of all losses above t >= 0, and the sum of mass * e^-loss over them, rounded down."""
        return self._suffixes[min(math.floor(t / self.grid) + 1, len(self._suffixes) - 1)]

    @cached_property
    def _suffixes(self) -> list[tuple[int, int]]:
        """Return the two sums of `_above` from each index >= 0 of the grid on; the last ones are 0."""
        last = self.first + len(self.masses) - 1
        down, _ = exp_scaled(-self.grid, MASS_BITS + GUARD_BITS)
        scaled = [1 << (MASS_BITS + GUARD_BITS)]
        for _ in range(last):
            scaled.append(scaled[-1] * down >> (MASS_BITS + GUARD_BITS))
        mass = weighted = 0
        sums = [(0, 0)]
        for j in range(last, -1, -1):
            here = self.masses[j - self.first]
            mass, weighted = mass + here, weighted + (here * scaled[j] >> (MASS_BITS + GUARD_BITS))
            sums.append((mass, weighted))
        return sums[::-1]


def composed(spends: Iterable[Spend]) -> Composed:
    """Return what releases lose together.

    >>> together = composed([Spend(law="laplace", epsilon=Fraction(1, 10), times=100)])
    >>> together.pure, together.rho, round(float(together.epsilon("1e-6")), 3)
    (Fraction(10, 1), Fraction(1, 2), 4.693)
    """
    every = merged(spends)
    if not every:
        raise ParameterError("no releases are given to be composed.", "Give one at least. Nothing was spent.")
    few = coarser(every)
    total = total_of(few)
    grid = power_of_two_at_least(total / POINTS)
    if total > LARGEST_SUM:
        return Composed(spends=every, grid=grid, first=0, masses=())
    first = -sum(math.ceil(each.epsilon / grid) * each.times for each in few)
    masses = _whole_product([_power(law_on_grid(each, grid), each.times) for each in few])
    return Composed(spends=every, grid=grid, first=first, masses=tuple(masses))


def _whole_product(laws: list[list[int]]) -> list[int]:
    """Return the law of the sum of all losses, always from the two shortest, so that few products are long."""
    waiting = [(len(each), number, each) for number, each in enumerate(laws)]
    heapify(waiting)
    for number in range(len(laws), 2 * len(laws) - 1):
        a, b = heappop(waiting)[-1], heappop(waiting)[-1]
        joined = _product(a, b)
        heappush(waiting, (len(joined), number, joined))
    return waiting[0][-1]


def law_on_grid(each: Spend, grid: Fraction) -> list[int]:
    """Return the masses of one release at the losses -m*grid, ..., m*grid, m*grid >= epsilon.       theory (6), (7)

    Between its ends the law of a Laplace draw is a geometric row, and that of a pure release has nothing.
    """
    width = MASS_BITS + GUARD_BITS + 2 * max(0, -floor_log2(grid))
    m = math.ceil(each.epsilon / grid)
    found = [0] * (2 * m + 1)
    if each.law == LAPLACE:
        # e^((j h - epsilon)/2) tanh(h/4), rounded up, for j from -m to m. theory (7)
        least, most = exp_scaled(grid / 2, width)
        _, value = exp_scaled((-m * grid - each.epsilon) / 2, width)
        one = 1 << width
        found = []
        for _ in range(2 * m + 1):
            found.append(-(-value * (most - one) // ((least + one) << (width - MASS_BITS))))
            value = -(-value * most >> width)
    for j in {-m, 1 - m, m - 1, m}:
        found[j + m] = max(0, math.ceil(_mass(each, j, grid, width).upper * (1 << MASS_BITS)))
    return found


def _mass(each: Spend, j: int, grid: Fraction, width: int) -> Enclosure:
    """Return the mass of one loss, enclosed.                                                          theory (6)"""
    x = _exp(grid, width)
    below, here, above = (delta_of(each, (j + step) * grid, width) for step in (-1, 0, 1))
    return (above - (x + 1) * here + x * below) / (x - 1)


def _power(masses: Sequence[int], times: int) -> list[int]:
    """Return the law of the sum of so many losses of one law, by repeated squaring."""
    total, square = [1 << MASS_BITS], list(masses)
    while times:
        if times & 1:
            total = _product(total, square)
        times >>= 1
        if times:
            square = _product(square, square)
    return total


def _product(a: Sequence[int], b: Sequence[int]) -> list[int]:
    """Return the law of the sum of two losses: one product of two long integers, whose digits are the masses.

    Every digit is rounded up to a unit of 2**-MASS_BITS.                                               theory (10)
    """
    from gmpy2 import mpz

    if len(a) == 1 or len(b) == 1:
        (one,), many = (a, b) if len(a) == 1 else (b, a)
        return [-(-one * each >> MASS_BITS) for each in many]
    bits = max(a).bit_length() + max(b).bit_length() + min(len(a), len(b)).bit_length()
    size = bits // 8 + 1
    long_a, long_b = (int.from_bytes(b"".join(v.to_bytes(size, "little") for v in each), "little") for each in (a, b))
    digits = int(mpz(long_a) * mpz(long_b)).to_bytes(size * (len(a) + len(b)), "little")
    read = (int.from_bytes(digits[k * size : (k + 1) * size], "little") for k in range(len(a) + len(b) - 1))
    return [-(-each >> MASS_BITS) for each in read]


def _loss(epsilon: object) -> Fraction:
    t = parameter(epsilon, name="epsilon")
    if t < 0:
        raise ParameterError("epsilon is below 0.", "Give 0 or more.", epsilon=t)
    return t


# Laws that dominate releases: of a Laplace draw, or of anything that is epsilon-DP

LAPLACE, PURE = "laplace", "pure"


class Spend(Value):
    """So many releases with one dominating pair.

    law       "laplace": each is post-processing of one Laplace draw around a number that moves by one scale times
              epsilon, at most; "pure": each is epsilon-DP, and nothing else is known
    epsilon   of each of them
    times     how many there are
    """

    law: str
    epsilon: Fraction
    times: int = 1

    @property
    def total(self) -> Fraction:
        """Return the sum of their epsilons: what they lose together at most."""
        return self.epsilon * self.times


def spend(law: str, *, epsilon: object, times: int = 1) -> Spend:
    """Return a spend of plain numbers, checked.

    >>> spend("laplace", epsilon="0.1", times=100).total
    Fraction(10, 1)
    """
    if law not in (LAPLACE, PURE):
        raise ParameterError(f"law = {shown(law)} is none.", f'Give "{LAPLACE}" or "{PURE}".')
    if type(times) is not int or times < 1:
        raise ParameterError(f"times = {shown(times)} is no number of releases.", "Give a whole number from 1 on.")
    return Spend(law=law, epsilon=positive(epsilon, name="epsilon"), times=times)


def total_of(spends: Iterable[Spend]) -> Fraction:
    """Return the sum of their epsilons."""
    return sum((each.total for each in spends), Fraction(0))


def merged(spends: Iterable[Spend]) -> tuple[Spend, ...]:
    """Return the same spends, those of one law and epsilon together, in the order in which they first came."""
    times: dict[tuple[str, Fraction], int] = {}
    for each in spends:
        times[each.law, each.epsilon] = times.get((each.law, each.epsilon), 0) + each.times
    return tuple(Spend(law=law, epsilon=epsilon, times=count) for (law, epsilon), count in times.items())


def delta_of(each: Spend, t: Fraction, width: int) -> Enclosure:
    """Return delta(t) of one release, enclosed to about `width` bits.                        theory (1), (2)"""
    if t >= each.epsilon:
        return Enclosure(Fraction(0), Fraction(0))
    if t <= -each.epsilon:
        return 1 - _exp(t, width)
    if each.law == LAPLACE:
        return 1 - _exp((t - each.epsilon) / 2, width)
    return (1 - _exp(t - each.epsilon, width)) / (_exp(-each.epsilon, width) + 1)


def _exp(x: Fraction, width: int) -> Enclosure:
    low, high = exp_scaled(x, width)
    return Enclosure(Fraction(low, 1 << width), Fraction(high, 1 << width))


# Spends that dominate given ones and are few enough to be composed in seconds, whatever a ledger holds

MOST_KINDS = 200  # different laws and epsilons
MOST_RELEASES = 20_000
MOST_BITS = 12  # of an epsilon that is rounded up
LEAST_SHARE = Fraction(1, 2**40)  # of the sum: an epsilon below is taken for one of this size


def coarser(spends: Iterable[Spend]) -> tuple[Spend, ...]:
    """Return spends that dominate the given ones, of few kinds and not too many.                       theory (13)"""
    every = merged(spends)
    least = total_of(every) * LEAST_SHARE
    found, bits = every, MOST_BITS
    while len(found) > MOST_KINDS and bits > 0:  # with one bit there are 42 powers of two at most, of each law
        found = merged(
            Spend(law=each.law, epsilon=rounded_up(max(each.epsilon, least), bits), times=each.times) for each in every
        )
        bits -= 1
    return _fewer_releases(found)


def rounded_up(x: Fraction, bits: int) -> Fraction:
    """Return the least number >= x > 0 of so many significant bits.

    >>> rounded_up(Fraction(9, 16), 3), rounded_up(Fraction(5), 1)
    (Fraction(5, 8), Fraction(8, 1))
    """
    unit = Fraction(2) ** (floor_log2(x) - bits + 1)
    return -(-x // unit) * unit


def _fewer_releases(every: tuple[Spend, ...]) -> tuple[Spend, ...]:
    """Return so many releases of one kind together as one, and what is left over of each kind as another."""
    together = -(-sum(each.times for each in every) // MOST_RELEASES)
    if together <= 1:
        return every
    found = []
    for each in every:
        whole, rest = divmod(each.times, together)
        if whole:
            found.append(Spend(law=PURE, epsilon=together * each.epsilon, times=whole))
        if rest:
            found.append(Spend(law=PURE if rest > 1 else each.law, epsilon=rest * each.epsilon))
    return merged(found)
