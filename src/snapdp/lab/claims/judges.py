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
from snapdp.values import Value

DOUBLE = 53
ZERO = Fraction(0)
UNSETTLED = (
    "no pair that loses more was found; it was tested under B > noise scale and grid >= noise scale, not proved."
)


class PrintedClaim(NamedTuple):
    """A formula as printed, beside the exact answer: what a judge found, and the row of the table that it is about.

    says       the value of the formula
    exact      the exact answer to the same question; `answer` says what it is, in a word or two
    valid      whether the claim holds; None where it is neither proved nor refuted
    misses_by  by how much a claim fails; of a probability, how far it is above the level that was promised
    measured   what decides: a probability that was promised, and what of
    why        what is wrong, where the claim does not hold
    """

    says: Enclosure
    exact: Enclosure
    valid: bool | None
    misses_by: Enclosure | None = None
    measured: tuple[str, Enclosure] | None = None
    why: str = ""
    answer: str = "exact"
    name: str = ""
    source: str = ""
    date: str = ""
    formula: str = ""
    claim: str = ""


class Setting(Value):
    """What the formulas are asked about, by the names of their arguments.

    The mechanism and all that follows from it, a guess and a target accuracy are in sensitivities; the range of a
    column (first, and second of a covariance) and answers in data units.

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
    first: tuple[Fraction, Fraction]
    second: tuple[Fraction, Fraction]
    rows: int


Relation = Literal["<=", "=", ">="]
Number = int | Fraction | Exponentials | PrintedNumber
Formula = Callable[..., Any]
Answer = Callable[[Setting], Number]
Judge = Callable[[Formula, Setting], PrintedClaim]
F = TypeVar("F", bound=Formula)


class ClaimRow(NamedTuple):
    """One line of the table: document and section, date, formula as printed, and what it is said to be.

    fails     what is wrong, where the claim does not hold
    computed  the function that computes the formula
    """

    source: str
    date: str
    formula: str
    claim: str
    judge: Judge
    fails: str
    computed: Formula

    def judged(self, name: str, s: Setting) -> PrintedClaim:
        """Return what the formula says in a setting, beside the exact answer."""
        found = self.judge(self.computed, s)
        why = "" if found.valid else UNSETTLED if found.valid is None else self.fails
        found = found._replace(name=name, source=self.source, date=self.date, formula=self.formula)
        return found._replace(claim=self.claim, why=why)


CLAIMS: dict[str, ClaimRow] = {}


def claim(
    name: str, source: str, date: str, formula: str, says: str, judge: Judge, fails: str = ""
) -> Callable[[F], F]:
    """Return the decorator that puts a formula into the table, in the order of the file."""

    def register(computed: F) -> F:
        CLAIMS[name] = ClaimRow(source, date, formula, says, judge, fails, computed)
        if computed.__doc__ is None:
            computed.__doc__ = f"Return {formula}, printed as {says}. {source}, {date}."
        return computed

    return register


def compute(formula: Formula, s: Setting) -> Any:
    """Return what a formula says in a setting, which knows its arguments by their names."""
    return formula(**{name: getattr(s, name) for name in signature(formula).parameters if hasattr(s, name)})


# The judge of an order: a number is printed as no less or no more than another, or the same


def compared(relation: Relation, exact: Answer, *, in_data_units: bool = False) -> Judge:
    """Return the judge of "the formula is <=, = or >= the exact answer"."""

    def judge(formula: Formula, s: Setting) -> PrintedClaim:
        unit = s.sensitivity if in_data_units else Fraction(1)
        return judge_order(compute(formula, s), relation, exact(s), unit)

    return judge


def judge_order(printed: Number, relation: Relation, true: Number, unit: Fraction) -> PrintedClaim:
    """Judge an order. Where a logarithm or a law is in a number, two are never equal: some precision decides."""
    says, exact = as_number(printed), as_number(true)
    excess: Exponentials | PrintedNumber
    if isinstance(says, Exponentials) and isinstance(exact, Exponentials):
        excess = says - exact
        sign = excess.sign()
    else:
        excess = PrintedNumber(lambda bits: says.enclosed(bits) - exact.enclosed(bits))
        sign = 1 if refine(excess.enclosed, until=lambda e: e.lower > 0 or e.upper < 0).lower > 0 else -1
    valid = {"<=": sign <= 0, "=": sign == 0, ">=": sign >= 0}[relation]
    misses_by = None if valid else narrow(excess) * (sign * unit)
    return PrintedClaim(narrow(says) * unit, narrow(exact) * unit, valid, misses_by)


def as_number(x: Number) -> Exponentials | PrintedNumber:
    """Return a number that can be enclosed; a rational one is a sum of exponentials."""
    return Exponentials({ZERO: Fraction(x)}) if isinstance(x, (int, Fraction)) else x


def narrow(x: Exponentials | PrintedNumber) -> Enclosure:
    return refined(x.enclosed, relative_bits=NARROW_BITS)


# Judges of an accuracy: a number that an error exceeds with probability alpha at most


def holds_at_every_value(formula: Formula, s: Setting) -> PrintedClaim:
    """Judge an accuracy that is said to hold at every value within the bound."""
    at, p = compute(formula, s), s.m.parameters
    near = refine(
        at.enclosed, until=lambda a: worst_exceeds(p, a.upper, s.alpha) or not worst_exceeds(p, a.lower, s.alpha)
    )
    missed = Enclosure(worst_chance(p, near.upper).lower, worst_chance(p, near.lower).upper)
    valid, what = not worst_exceeds(p, near.lower, s.alpha), "at the worst value missed with probability"
    return _judge_missed(s, at, worst_accuracy(p, s.alpha), valid, (what, missed))


def holds_at_the_value(formula: Formula, s: Setting) -> PrintedClaim:
    """Judge an accuracy at the guess: a known rational, or irrational and so no distance of two outputs."""
    found, p, value = compute(formula, s), s.m.parameters, s.if_value
    near = refine(found.accuracy.enclosed, until=lambda a: beyond(p, value, a.lower) == beyond(p, value, a.upper)).upper
    valid = not exceeds(chance(p, beyond(p, value, near)), s.alpha)
    missed = "missed with probability", value_chance(p, value, near)
    judged = _judge_missed(s, found.accuracy, accuracy_at(p, value, s.alpha), valid, missed)
    return judged._replace(answer=f"case {found.case}; exact")


def _judge_missed(
    s: Setting, at: PrintedNumber, exact: Fraction, valid: bool, missed: tuple[str, Enclosure]
) -> PrintedClaim:
    excess, delta = missed[1] - s.alpha, s.sensitivity
    return PrintedClaim(at.enclosure * delta, enclose(exact * delta), valid, None if valid else excess, missed)


def bounds_the_chance_of_an_error(formula: Formula, s: Setting) -> PrintedClaim:
    """Judge P(Z > a), of which P(N > a) is at most as much at every value: a theorem, and the law agrees."""
    printed, exact = compute(formula, s).enclosure(), worst_chance(s.m.parameters, s.accuracy)
    return PrintedClaim(printed, exact, exact.lower <= printed.upper)


# The judge of an epsilon: the exact answer is the least one of four digits. Every value within the bound counts, and
# the clamp lies at the bound; so this is not the mechanism that `plan` makes of the same range.


def has_the_accuracy(formula: Formula, s: Setting) -> PrintedClaim:
    at = compute(formula, s).enclosure
    chosen = s.m.at(epsilon=rounded_up(at.upper))
    valid = not worst_exceeds(chosen.parameters, s.accuracy, s.alpha)
    missing = None if valid else worst_chance(chosen.parameters, s.accuracy) - s.alpha
    return PrintedClaim(at, enclose(_least_epsilon(s)), valid, missing)


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


def bounds_the_loss(formula: Formula, s: Setting) -> PrintedClaim:
    """Judge a bound of the loss in one precision, less the effective epsilon."""
    found, proved, scale = _losses(s.m, Precision.of(_bits(s.m)))
    return _settle(found, proved, formula(effective_epsilon=1 / scale, bound=s.m.bound, eta=s.m.eta), less=1 / scale)


def bounds_the_loss_of_doubles(formula: Formula, s: Setting) -> PrintedClaim:
    """Judge a bound of the loss where a uniform draw has at most the bits of a double."""
    bits = _bits(s.m)
    found, proved, _ = _losses(s.m, Precision(uniform=min(DOUBLE, bits), logarithm=bits, product=bits))
    claimed = compute(formula, s)
    return _settle(found, proved, claimed)._replace(measured=("loss beyond epsilon", found - claimed))


def _settle(found: Enclosure, proved: Fraction | None, claimed: Fraction, less: Fraction = ZERO) -> PrintedClaim:
    """Return what a largest loss that was found, and a bound that is proved, say about a bound that is claimed."""
    is_refuted, is_proved = found.lower > claimed, proved is not None and proved <= claimed
    valid = False if is_refuted else True if is_proved else None
    misses_by = found - claimed if is_refuted else None
    return PrintedClaim(enclose(claimed - less), found - less, valid, misses_by, answer="largest found")


def _bits(m: PrintedMechanism) -> int:
    if m.bits is None:
        raise PremiseError("the claim is about p-bit arithmetic.", "In exact arithmetic the loss is epsilon.")
    return m.bits


@lru_cache(maxsize=8)
def _losses(m: PrintedMechanism, precision: Precision) -> tuple[Enclosure, Fraction | None, Fraction]:
    """Return the largest loss found, the proved bound, and the noise scale as a float of p bits."""
    scale = round_up(m.noise_scale, precision.product)
    p = explicit_parameters(noise_scale=scale, grid=m.grid, bound=m.bound, precision=precision, epsilon=m.epsilon)
    found = worst_pair(p).loss
    if found is None:
        raise PremiseError("an output is possible for one value only: no finite loss holds.", "Give more bits.")
    return found, proved_loss(noise_scale=scale, grid=m.grid, bound=m.bound, precision=precision), scale
