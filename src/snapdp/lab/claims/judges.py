"""How a printed formula is judged: `claim` puts it into the table CLAIMS, a judge compares it with the exact answer.

Rounded numbers are never compared: sums of exponentials have an exact sign, and a logarithm or a law is refined until
the order is certain. Theory of the exact answers: docs/theory/planning.md, (1)-(14), (19)-(21), (36), (37); (3)-(9) of
docs/theory/finite-precision.md.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from inspect import signature
from typing import Any, Literal, NamedTuple, TypeVar

from snapdp.accuracy.epsilon import decimal, index_down, least_in_bands
from snapdp.accuracy.error import (
    ENOUGH_BITS,
    accuracy_at,
    beyond,
    chance,
    exceeds,
    value_chance,
    worst_accuracy,
    worst_chance,
    worst_exceeds,
)
from snapdp.errors import PremiseError
from snapdp.exact.dyadic import HALF, round_up
from snapdp.exact.enclosure import Enclosure, enclose, refine, refined
from snapdp.exact.functions import NARROW_BITS, Exponentials, ln_enclosure, rounded_up
from snapdp.lab.claims.mechanism import PrintedMechanism, PrintedNumber
from snapdp.mechanism.finite_precision import explicit_parameters
from snapdp.mechanism.law.finite import proved_loss
from snapdp.mechanism.law.loss import worst_pair
from snapdp.mechanism.parameters import Precision

DOUBLE = 53
ZERO = Fraction(0)


class PrintedClaim(NamedTuple):
    """A row of the table: what a formula says as printed, beside the exact answer to the same question.

    exact      of a loss in p-bit arithmetic the largest one that was found
    valid      whether the claim holds; None where it is neither proved nor refuted
    misses_by  by how much a claim fails; of a probability, how far it is above the level that was promised
    """

    name: str
    source: str
    date: str
    formula: str
    says: Enclosure
    exact: Enclosure
    valid: bool | None
    misses_by: Enclosure | None


class Setting(NamedTuple):
    """What the formulas are asked about, by the names of their arguments.

    The mechanism and all that follows from it, a guess and a target accuracy are in sensitivities; the range of a
    column and answers in data units.

    largest  B', the largest statistic: the bound that was given stands for it
    z, x     the distance from f to the upper clamp, B - f, and the largest error, B + f
    """

    m: PrintedMechanism
    epsilon: Fraction
    noise_scale: Fraction
    largest: Fraction
    sensitivity: Fraction
    if_value: Fraction
    z: Fraction
    x: Fraction
    alpha: Fraction
    gamma: Fraction
    accuracy: Fraction
    lower: Fraction
    upper: Fraction
    rows: int


Relation = Literal["<=", "=", ">="]
Formula = Callable[..., Any]
Verdict = tuple[Enclosure, Enclosure, bool | None, Enclosure | None]  # the last four columns of a row
Judge = Callable[[Formula, Setting], Verdict]
F = TypeVar("F", bound=Formula)

CLAIMS: dict[str, Callable[[Setting], PrintedClaim]] = {}


def claim(name: str, source: str, date: str, printed: str, judge: Judge) -> Callable[[F], F]:
    """Return the decorator that puts a formula into the table, in the order of the file."""

    def register(formula: F) -> F:
        CLAIMS[name] = lambda s: PrintedClaim(name, source, date, printed, *judge(formula, s))
        if formula.__doc__ is None:
            formula.__doc__ = f"Return the side of {printed} that is printed. {source}, {date}."
        return formula

    return register


def compute(formula: Formula, s: Setting, **further: Fraction) -> Any:
    """Return what a formula says in a setting, which knows its arguments by their names."""
    known = {**s._asdict(), **further}
    return formula(**{name: known[name] for name in signature(formula).parameters if name in known})


def narrow(x: Exponentials | PrintedNumber) -> Enclosure:
    return refined(x.enclosed, relative_bits=NARROW_BITS)


def compared(relation: Relation, answer: Formula, *, in_data_units: bool = False) -> Judge:
    """Return the judge of "the formula is <=, = or >= the exact answer".

    Where a logarithm or a law is in a number, two are never equal: some precision decides.
    """

    def judge(formula: Formula, s: Setting) -> Verdict:
        unit = s.sensitivity if in_data_units else Fraction(1)
        # A rational number is a sum of exponentials, too.
        says, exact = (
            Exponentials({ZERO: Fraction(x)}) if isinstance(x, (int, Fraction)) else x
            for x in (compute(formula, s), compute(answer, s))
        )
        excess: Exponentials | PrintedNumber
        if isinstance(says, Exponentials) and isinstance(exact, Exponentials):
            excess = says - exact
            sign = excess.sign()
        else:
            excess = PrintedNumber(lambda bits: says.enclosed(bits) - exact.enclosed(bits))
            sign = 1 if refine(excess.enclosed, until=lambda e: e.lower > 0 or e.upper < 0).lower > 0 else -1
        valid = {"<=": sign <= 0, "=": sign == 0, ">=": sign >= 0}[relation]
        return narrow(says) * unit, narrow(exact) * unit, valid, None if valid else narrow(excess) * (sign * unit)

    return judge


# Judges of an accuracy: a number that an error exceeds with probability alpha at most


def has_the_level(formula: Formula, s: Setting, *, everywhere: bool) -> Verdict:
    """Judge an accuracy at every value within the bound, or at the guess alone.

    What is printed is a known rational, or irrational and so no distance of two outputs.
    """
    p, f, alpha = s.m.parameters, s.if_value, s.alpha
    printed = compute(formula, s) if everywhere else compute(formula, s).accuracy
    exact = worst_accuracy(p, alpha) if everywhere else accuracy_at(p, f, alpha)

    def is_missed(a: Fraction) -> bool:
        return worst_exceeds(p, a, alpha) if everywhere else exceeds(chance(p, beyond(p, f, a)), alpha)

    near = refine(printed.enclosed, until=lambda a: is_missed(a.upper) or not is_missed(a.lower))
    misses_by = None
    if is_missed(near.lower):
        least, most = (worst_chance(p, a) if everywhere else value_chance(p, f, a) for a in (near.upper, near.lower))
        misses_by = Enclosure(least.lower, most.upper) - alpha
    return printed.enclosure * s.sensitivity, enclose(exact * s.sensitivity), misses_by is None, misses_by


def bounds_the_chance_of_an_error(formula: Formula, s: Setting) -> Verdict:
    """Judge P(Z > a), of which P(N > a) is at most as much at every value: a theorem, and the law agrees."""
    printed, exact = compute(formula, s).enclosure(), worst_chance(s.m.parameters, s.accuracy)
    return printed, exact, exact.lower <= printed.upper, None


# The judge of an epsilon: the exact answer is the least one of four digits. Every value within the bound counts, and
# the clamp lies at the bound; so this is not the mechanism that `plan` makes of the same range.


def has_the_accuracy(formula: Formula, s: Setting) -> Verdict:
    printed = compute(formula, s).enclosure
    p = s.m.at(epsilon=rounded_up(printed.upper)).parameters
    valid = not worst_exceeds(p, s.accuracy, s.alpha)
    excess = None if valid else worst_chance(p, s.accuracy) - s.alpha
    return printed, enclose(_least_epsilon(s)), valid, excess


def _least_epsilon(s: Setting) -> Fraction:
    """Return the least epsilon of four digits that has the target accuracy; 0 where every epsilon has it."""
    if s.accuracy >= 2 * s.m.bound:
        return ZERO  # no error is larger
    return least_decimal(s, _epsilon_below_all(s), lambda m: not worst_exceeds(m.parameters, s.accuracy, s.alpha))


def least_decimal(s: Setting, start: Fraction, meets: Callable[[PrintedMechanism], bool]) -> Fraction:
    """Return the least epsilon of four digits, from one that is too small on, whose mechanism meets a target."""
    m = s.m
    if m.grid_given and 2 * s.accuracy <= m.grid:
        raise PremiseError("no epsilon may have that accuracy on the grid given.", "Ask for more than half of it.")
    first = index_down(start)
    if m.eta:
        first = max(first, index_down(2 * m.eta) + 1)  # eps' needs epsilon > 2 eta
    return least_in_bands(lambda n: meets(m.at(epsilon=decimal(n))), first, m.epsilon_at)


def _epsilon_below_all(s: Setting) -> Fraction:
    """Return an epsilon below which none has the target accuracy a < 2 B.

    At f = B an output is below B - a, too far, wherever the noise is below -a - Lambda'/2, and the clamp at -B does not
    hinder it: P(|output - f| > a) >= e^(-(a + Lambda'/2)/lambda')/2, where Lambda' <= 2 lambda' or as given. For a < B
    and Lambda' >= 2 B, which is so for eps' <= 1/(2 B), half of all draws give 0 or less.
    """
    m, scales = s.m, ln_enclosure(1 / (2 * s.alpha), ENOUGH_BITS).lower
    if m.grid_given and scales > 0:
        return scales / (s.accuracy + m.grid / 2)
    if not m.grid_given and scales > 1:
        return (scales - 1) / s.accuracy
    if not m.grid_given and s.accuracy < m.bound and s.alpha < HALF:
        return 1 / (2 * m.bound)
    raise PremiseError("at an alpha this large an epsilon as small as one likes may do.", "Give a smaller alpha.")


# Judges of a loss in p-bit arithmetic. The worst pair is searched for, so a bound that no found pair exceeds is called
# valid only where the proved bound is below it.


def bounds_the_loss(formula: Formula, s: Setting, *, uniform: int | None = None) -> Verdict:
    """Judge a bound of the loss in one precision, less eps'; or epsilon itself, with at most so many uniform bits."""
    m, bits = s.m, s.m.bits
    if bits is None:
        raise PremiseError("the claim is about p-bit arithmetic.", "In exact arithmetic the loss is epsilon.")
    found, proved, scale = _losses(m, Precision(uniform=min(uniform or bits, bits), logarithm=bits, product=bits))
    claimed = compute(formula, s, effective_epsilon=1 / scale, bound=m.bound, eta=m.eta)
    less = ZERO if uniform else 1 / scale
    is_refuted, is_proved = found.lower > claimed, proved is not None and proved <= claimed
    valid = False if is_refuted else True if is_proved else None
    return enclose(claimed - less), found - less, valid, found - claimed if is_refuted else None


@lru_cache(maxsize=8)
def _losses(m: PrintedMechanism, precision: Precision) -> tuple[Enclosure, Fraction | None, Fraction]:
    """Return the largest loss found, the proved bound, and the noise scale as a float of p bits."""
    scale = round_up(m.noise_scale, precision.product)
    p = explicit_parameters(noise_scale=scale, grid=m.grid, bound=m.bound, precision=precision, epsilon=m.epsilon)
    found = worst_pair(p).loss
    if found is None:
        raise PremiseError("an output is possible for one value only: no finite loss holds.", "Give more bits.")
    return found, proved_loss(noise_scale=scale, grid=m.grid, bound=m.bound, precision=precision), scale
