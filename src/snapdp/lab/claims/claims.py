"""What the notes and Liu's note print, as one table of claims: CLAIMS. Each is judged against the exact law.

`beside_exact` judges them in one setting: what the formula says, the exact answer, and whether the
claim holds or by how much it misses. Rounded numbers are never compared: sums of exponentials have an exact sign, and
a logarithm or a law is refined until the order is certain.
Theory of the exact answers: docs/theory/planning.md, (1)-(14), (19)-(21), (36), (37); (3)-(9) of
docs/theory/finite-precision.md. The points are those of docs/errata.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from snapdp.accuracy.clamping import bound_for
from snapdp.accuracy.epsilon import decimal, index_down, laplace_epsilon, least_in_bands
from snapdp.accuracy.error import (
    ENOUGH_BITS,
    accuracy_at,
    beyond,
    chance,
    confidence,
    exceeds,
    guessed,
    value_chance,
    worst_accuracy,
    worst_chance,
    worst_exceeds,
)
from snapdp.display.numbers import exact_amount, figure
from snapdp.errors import BoundError, ParameterError, PremiseError, SnapdpError
from snapdp.exact.dyadic import HALF, floor_log2, nearest_multiple, power_of_two_at_least, round_up
from snapdp.exact.enclosure import Enclosure, enclose, refine
from snapdp.exact.functions import Exponentials, exponential, laplace_cdf, ln_enclosure, rounded_up
from snapdp.exact.numbers import parameter, positive, shown
from snapdp.lab.claims import formulas as f
from snapdp.lab.claims.formulas import DOUBLE, PrintedMechanism, PrintedNumber, printed_mechanism
from snapdp.mechanism.finite_precision import explicit_parameters, notes_effective_epsilon
from snapdp.mechanism.law.exact import ExactLaw
from snapdp.mechanism.law.finite import liu_formula, mironov_formula, proved_loss
from snapdp.mechanism.law.law import ONE
from snapdp.mechanism.law.loss import worst_pair
from snapdp.mechanism.parameters import Inner, Precision
from snapdp.values import Value

FIRST, SECOND, THIRD = "26 August 2019", "31 August 2019", "26 August 2020"
ZERO = Fraction(0)
LAST_TWO, ALL_DATES = f"{SECOND}, {THIRD}", f"{FIRST}, {SECOND}, {THIRD}"


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


class BesideExact(Value):
    """The claims, in the order of the table, and those that say nothing here, each with the reason."""

    mechanism: PrintedMechanism
    claims: tuple[PrintedClaim, ...]
    left_out: tuple[tuple[str, str], ...]
    notation: tuple[tuple[str, Fraction | Enclosure, str], ...]

    def __getitem__(self, name: str) -> PrintedClaim:
        """Return the claim of a name, such as "Algorithm 1"."""
        for claim in self.claims:
            if claim.name == name:
                return claim
        raise KeyError(name)


class Setting(Value):
    """What the formulas are asked about: a mechanism, a guess, levels, a target, a range and a number of rows.

    Mechanism, guess and target are in sensitivities, range and answers in data units.
    """

    mechanism: PrintedMechanism
    sensitivity: Fraction
    value: Fraction
    alpha: Fraction
    gamma: Fraction
    target: Fraction
    lower: Fraction
    upper: Fraction
    rows: int


Number = Fraction | Exponentials | PrintedNumber
Judge = Callable[[Setting], PrintedClaim]


class ClaimRow(NamedTuple):
    """One line of the table: document and section, date, formula as printed, what it is said to be, and its judge.

    fails  what is wrong, where the claim does not hold. Words in braces, here and in `claim`, are those of `_words`.
    """

    source: str
    date: str
    formula: str
    claim: str
    judge: Judge
    fails: str = ""


def beside_exact(
    *names: str,
    epsilon: Any,
    bound: Any,
    if_value: Any,
    alpha: Any = "0.05",
    gamma: Any = "0.05",
    accuracy: Any = None,
    sensitivity: Any = 1,
    bounds: tuple[Any, Any] = (-10, 30),
    rows: int = 3,
    arithmetic: str = "notes",
    bits: int | None = None,
    grid: Any = None,
) -> BesideExact:
    """Return every printed formula with what it says, the exact answer, and whether it holds; or those that are named.

    A formula that cannot be evaluated in a setting is left out with the reason.

    bound, grid, if_value  in data units; the notes' B, Lambda' and f are these over the sensitivity
    accuracy               the target that an epsilon is asked for; without it, what GetAccuracy2 says
    bounds, rows           of the range that is shifted (6.1) and of the column whose variance is bounded (7.2)
    arithmetic, bits       as in `printed_mechanism`

    >>> found = beside_exact("Algorithm 1", epsilon="5/3", bound=4, if_value=4)["Algorithm 1"]
    >>> f"{float(found.says):.3f} {float(found.measured[1]):.3f} {float(found.exact):.0f}", found.valid
    ('0.686 0.217 1', False)
    """
    names = tuple("Algorithm 1" if name == "GetAccuracy" else name for name in names)
    if unknown := [name for name in names if name not in CLAIMS]:
        listed = ", ".join(f'"{name}"' for name in CLAIMS)  # some names hold a comma
        raise ParameterError(f"no printed formula is called {shown(unknown[0])}.", f"There are {listed}.")
    delta = positive(sensitivity, name="sensitivity")
    m = printed_mechanism(
        epsilon=epsilon,
        bound=positive(bound, name="bound") / delta,
        arithmetic=arithmetic,
        bits=bits,
        grid=None if grid is None else positive(grid, name="grid") / delta,
    )
    level = confidence(alpha)
    lower, upper = (parameter(end, name="bounds") for end in bounds)
    if lower >= upper:
        raise BoundError(f"bounds {shown(lower)}, {shown(upper)} are no range.", "Give lower < upper.")
    if isinstance(rows, bool) or not isinstance(rows, int) or rows < 2:
        raise ParameterError(f"rows = {shown(rows)} has no variance.", "Give a whole number of at least 2.")
    asked = None if accuracy is None else positive(accuracy, name="accuracy") / delta
    setting = Setting(
        mechanism=m,
        sensitivity=delta,
        value=m.value(guessed(if_value) / delta),
        alpha=level,
        gamma=confidence(gamma, name="gamma", sure=True),
        target=rounded_up(f.get_accuracy2(m, alpha=level).enclosure.upper) if asked is None else asked,
        lower=lower,
        upper=upper,
        rows=rows,
    )
    claims, left_out, words = [], [], _words(setting)
    for name in names or CLAIMS:
        row = CLAIMS[name]
        try:
            found = row.judge(setting)
        except SnapdpError as refusal:
            left_out.append((name, refusal.problem))
            continue
        why = found.why or ("" if found.valid else row.fails)
        claim = found._replace(name=name, source=row.source, date=row.date, formula=row.formula)
        claims.append(claim._replace(claim=row.claim.format_map(words), why=why.format_map(words)))
    return BesideExact(mechanism=m, claims=tuple(claims), left_out=tuple(left_out), notation=_notation(setting))


def _words(s: Setting) -> dict[str, str]:
    """Return what the sentences of the table are filled in with; amounts in data units."""
    m, (shift, half) = s.mechanism, f.shift_and_bound(lower=s.lower, upper=s.upper)
    clamp = f.bound_from_gamma(largest=m.bound, k=m.grid, gamma=s.gamma).enclosure
    exactly = {
        "alpha": s.alpha,
        "gamma": s.gamma,
        "largest": m.bound * s.sensitivity,
        "grid": m.grid * s.sensitivity,
        "lower": s.lower,
        "upper": s.upper,
        "shift": shift,
        "half": half,
        "moved": s.lower - shift,
    }
    return {
        **{name: exact_amount(number) for name, number in exactly.items()},
        "target": figure(s.target * s.sensitivity),
        "clamp": figure(clamp * s.sensitivity),
        "rows": str(s.rows),
        "bits": str(m.bits),
        "uniform": str(min(DOUBLE, m.bits or DOUBLE)),
    }


def _notation(s: Setting) -> tuple[tuple[str, Fraction | Enclosure, str], ...]:
    """Return the constants by the notes' names, in sensitivities; p and eta are missing in exact arithmetic."""
    m = s.mechanism
    rows: list[tuple[str, Fraction | Enclosure, str]] = [
        ("epsilon'", m.effective_epsilon, "(epsilon - 2 eta)/(1 + 12 B eta)"),
        ("lambda'", m.noise_scale, "1/epsilon'"),
        ("Lambda'", m.grid, "the grid, as given" if m.grid_given else "the least power of two >= lambda'"),
    ]
    if m.bits is not None:
        rows += [("eta", m.eta, "2^-p"), ("p", Fraction(m.bits), "bits of each step")]
    rows += [
        ("B", m.bound, "the bound, as given"),
        ("B'", m.bound, "the same, as the largest |f| in 6.5.1"),
        ("gamma", s.gamma, "how often the clamp may bind"),
    ]
    try:
        k = f.k_of_epsilon(m.epsilon)
    except PremiseError:  # an epsilon below 2^-117 has none
        return tuple(rows)
    clamp = f.bound_from_gamma(largest=m.bound, k=k, gamma=s.gamma).enclosure
    return (*rows, ("k", k, "(2 + 24 2^-52)/(epsilon - 2^-117)"), ("B of B'", clamp, "B' + (k/2)(1 + 2 ln(1/gamma))"))


# Judges of an order: a number is printed as no less (side 1) or no more (side -1) than another, or the same (0)


def _order(side: int, printed: Callable[[Setting], Number], exact: Callable[[Setting], Number]) -> Judge:
    def judge(s: Setting) -> PrintedClaim:
        says, true = printed(s), exact(s)
        sign = _sign(says, true)
        valid = sign * side >= 0 if side else sign == 0
        missing = None if valid else _narrow(_difference(says, true)) * sign
        return PrintedClaim(_narrow(says), _narrow(true), valid, missing)

    return judge


def _enclosed(x: Number, bits: int) -> Enclosure:
    return enclose(x) if isinstance(x, Fraction) else x.enclosed(bits)


def _difference(x: Number, y: Number) -> Number:
    if isinstance(x, PrintedNumber) or isinstance(y, PrintedNumber):
        return PrintedNumber(lambda bits: _enclosed(x, bits) - _enclosed(y, bits))
    return x - y


def _sign(x: Number, y: Number) -> int:
    """Return the sign of x - y. Where a logarithm or a law is in it, they are never equal: some precision decides."""
    excess = _difference(x, y)
    if isinstance(excess, PrintedNumber):
        return 1 if refine(excess.enclosed, until=lambda e: e.lower > 0 or e.upper < 0).lower > 0 else -1
    return excess.sign() if isinstance(excess, Exponentials) else (excess > 0) - (excess < 0)


def _narrow(x: Number) -> Enclosure:
    if isinstance(x, Fraction):
        return enclose(x)
    return x.enclosure if isinstance(x, PrintedNumber) else x.enclosure()


def _mass_at_lower(s: Setting) -> Exponentials:
    p = s.mechanism.parameters
    return laplace_cdf((p.low + HALF) * p.grid - s.value, p.noise_scale)


def _mass_at_upper(s: Setting) -> Exponentials:
    p = s.mechanism.parameters
    return 1 - laplace_cdf((p.high - HALF) * p.grid - s.value, p.noise_scale)


def _at(formula: Callable[..., Exponentials]) -> Callable[[Setting], Exponentials]:
    return lambda s: formula(s.mechanism, if_value=s.value)


def _of_z(formula: Callable[..., Exponentials]) -> Callable[[Setting], Exponentials]:
    return lambda s: formula(s.mechanism, s.mechanism.bound - s.value)


def _judge_bias(s: Setting) -> PrintedClaim:
    """Bias+ is a lower bound of a negative number; the exact bias is never equal to it."""
    law, delta = ExactLaw(Inner(s.value), s.mechanism.parameters), s.sensitivity
    exact = PrintedNumber(lambda bits: law.expectation_parts(lambda v: v - s.value, bits, ONE) * delta)
    found = _order(-1, lambda _: f.bias_plus(s.mechanism, if_value=s.value) * delta, lambda _: exact)(s)
    mended = f.bias_plus(s.mechanism, if_value=s.value, factor=False).enclosure() * delta
    return found._replace(exact=law.bias * delta, measured=("without that factor", mended))


def _of_binding(printed: Callable[[Setting], Number]) -> Judge:
    """Judge a probability with which B = B' + (Lambda'/2)(1 + 2 ln(1/gamma)) binds, at f = B'.

    The bound given is B'; grid and noise scale are those put in, as the notes leave the circle open here.
    """

    def exact(s: Setting) -> Exponentials:
        m, within = s.mechanism, s.mechanism.bound
        return _binding(m, within, _steps_decided(f.bound_from_gamma(largest=within, k=m.grid, gamma=s.gamma), m.grid))

    return _order(1, printed, exact)


def _steps_decided(bound: PrintedNumber, grid: Fraction) -> Fraction:
    """Return a rational number with as many grid steps as B. B is irrational: it is decided."""
    return refine(bound.enclosed, until=lambda b: math.floor(b.lower / grid) == math.floor(b.upper / grid)).upper


def _binding(m: PrintedMechanism, value: Fraction, bound: Fraction) -> Exponentials:
    """Return the probability that a clamp to +-bound changes an output of m at +-value, its largest: planning (19)."""
    edge = (math.floor(bound / m.grid) + HALF) * m.grid
    up, down = (edge - value) / m.noise_scale, (edge + value) / m.noise_scale
    return (exponential(-up) if up >= 0 else 2 - exponential(up)) * HALF + exponential(-down) * HALF


def _largest(formula: Callable[..., Fraction]) -> Judge:
    """A variance is convex in each row, so it is largest where each row is at an end: j of n at the upper one."""

    def exact(s: Setting) -> Fraction:
        most = s.rows // 2 * (s.rows - s.rows // 2)
        return Fraction(most, s.rows * (s.rows - 1)) * (s.upper - s.lower) ** 2

    return _order(1, lambda s: formula(s.lower, s.upper, rows=s.rows), exact)


def _judge_bits(s: Setting) -> PrintedClaim:
    """With p = m + 2 the effective epsilon is positive; how much of epsilon it is, is another question."""
    m, bits = s.mechanism, f.bits_of_epsilon(s.mechanism.epsilon)
    # The least p >= 1 with epsilon > 2 eta. With 2**f <= epsilon < 2**(f + 1), p = -f is too few, and 1 - f is one too
    # few only where epsilon is 2**f itself.
    fewest = max(1, 1 - floor_log2(m.epsilon))
    fewest += m.epsilon <= Fraction(2, 1 << fewest)
    left = notes_effective_epsilon(epsilon=m.epsilon, bound=m.bound, eta=Fraction(2) ** -bits)
    found = _order(0, lambda _: Fraction(bits), lambda _: Fraction(fewest))(s)
    return found._replace(measured=("eps' as a part of epsilon", enclose(left / m.epsilon)))


def _grid_meant(s: Setting) -> Fraction:
    return power_of_two_at_least(s.mechanism.noise_scale) * s.sensitivity


def _rounding(steps: str, fails: str) -> ClaimRow:
    """Return the row of a value so many grid steps from 0, which all scales with the grid."""
    x, one = Fraction(steps), Fraction(1)
    judge = _order(
        0, lambda s: f.rounded_4_2(x, one) * _grid_meant(s), lambda s: nearest_multiple(x, one) * _grid_meant(s)
    )
    claim = "the nearest multiple of the grid, ties toward +infinity"
    return ClaimRow("notes, 4.2", ALL_DATES, f"the steps of (4.2), for x = {steps} Lambda", claim, judge, fails)


# Judges of an accuracy: a number that an error exceeds with probability alpha at most


def _of_accuracy(formula: Callable[..., PrintedNumber]) -> Judge:
    """Judge an accuracy that is said to hold at every value within the bound."""

    def judge(s: Setting) -> PrintedClaim:
        at, p = formula(s.mechanism, alpha=s.alpha), s.mechanism.parameters
        near = refine(
            at.enclosed, until=lambda a: worst_exceeds(p, a.upper, s.alpha) or not worst_exceeds(p, a.lower, s.alpha)
        )
        missed = Enclosure(worst_chance(p, near.upper).lower, worst_chance(p, near.lower).upper)
        valid, what = not worst_exceeds(p, near.lower, s.alpha), "at the worst value missed with probability"
        return _missed(s, at, worst_accuracy(p, s.alpha), valid, (what, missed))

    return judge


def _judge_algorithm_1(s: Setting) -> PrintedClaim:
    """Judge an accuracy at the guess: a known rational, or irrational and so no distance of two outputs."""
    found, p, value = f.get_accuracy(s.mechanism, if_value=s.value, alpha=s.alpha), s.mechanism.parameters, s.value
    near = refine(found.accuracy.enclosed, until=lambda a: beyond(p, value, a.lower) == beyond(p, value, a.upper)).upper
    valid = not exceeds(chance(p, beyond(p, value, near)), s.alpha)
    missed = "missed with probability", value_chance(p, value, near)
    claim = _missed(s, found.accuracy, accuracy_at(p, value, s.alpha), valid, missed)
    return claim._replace(answer=f"case {found.case}; exact")


def _missed(s: Setting, at: PrintedNumber, exact: Fraction, valid: bool, missed: tuple[str, Enclosure]) -> PrintedClaim:
    excess, delta = missed[1] - s.alpha, s.sensitivity
    return PrintedClaim(at.enclosure * delta, enclose(exact * delta), valid, None if valid else excess, missed)


def _judge_alpha(s: Setting) -> PrintedClaim:
    """P(Z > a), of which P(N > a) is at most as much at every value: a theorem, and the law agrees."""
    printed = f.alpha_of_accuracy(s.mechanism, accuracy=s.target).enclosure()
    exact = worst_chance(s.mechanism.parameters, s.target)
    return PrintedClaim(printed, exact, exact.lower <= printed.upper)


# Judges of an epsilon: the exact answer is the least one of four digits. Every value within the bound counts, and the
# clamp lies at the bound; so this is not the mechanism that `plan` makes of the same range.


def _of_epsilon(formula: Callable[..., PrintedNumber]) -> Judge:
    def judge(s: Setting) -> PrintedClaim:
        at, least = formula(s.mechanism, accuracy=s.target, alpha=s.alpha), least_epsilon(s)
        chosen = s.mechanism.at(epsilon=rounded_up(at.enclosure.upper))
        valid = _has_accuracy(s, chosen)
        missing = None if valid else worst_chance(chosen.parameters, s.target) - s.alpha
        return PrintedClaim(at.enclosure, enclose(least), valid, missing)

    return judge


def _has_accuracy(s: Setting, m: PrintedMechanism) -> bool:
    return not worst_exceeds(m.parameters, s.target, s.alpha)


def least_epsilon(s: Setting) -> Fraction:
    """Return the least epsilon of four digits that has the target accuracy; 0 where every epsilon has it."""
    if s.target >= 2 * s.mechanism.bound:
        return Fraction(0)  # no error is larger
    return _searched(s, _epsilon_below_all(s), lambda m: _has_accuracy(s, m))


def _least_epsilon_promised(s: Setting) -> Fraction:
    """Return the least epsilon of four digits for which lambda' ln(1/alpha) + Lambda'/2 is at most the target."""

    def promised(m: PrintedMechanism) -> bool:
        # The logarithm of a rational other than 1 is irrational: decided.
        return not exceeds(lambda bits: ln_enclosure(1 / s.alpha, bits) * m.noise_scale + m.grid / 2, s.target)

    return _searched(s, laplace_epsilon(s.target, s.alpha, Fraction(1)), promised)


def _grid_of_target(s: Setting) -> Fraction:
    """Return the grid of the epsilon that the target needs by GetAccuracy2, whatever epsilon the mechanism has."""
    return s.mechanism.at(epsilon=_least_epsilon_promised(s)).grid * s.sensitivity


def _searched(s: Setting, start: Fraction, meets: Callable[[PrintedMechanism], bool]) -> Fraction:
    m = s.mechanism
    if m.grid_given and 2 * s.target <= m.grid:
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
    m, scales = s.mechanism, ln_enclosure(1 / (2 * s.alpha), ENOUGH_BITS).lower
    if m.grid_given and scales > 0:
        return scales / (s.target + m.grid / 2)
    if not m.grid_given and scales > 1:
        return (scales - 1) / s.target
    if not m.grid_given and s.target < m.bound and s.alpha < HALF:
        return 1 / (2 * m.bound)
    raise PremiseError("at an alpha this large an epsilon as small as one likes may do.", "Give a smaller alpha.")


def _judge_last_step(s: Setting) -> PrintedClaim:
    """Both sides are one logarithm times a rational, plus the same: the rationals decide."""
    left, right = f.last_step_of_6_5(s.mechanism, accuracy=s.target, alpha=s.alpha)
    valid = s.mechanism.noise_scale <= 1 / s.mechanism.epsilon
    missing = None if valid else _narrow(_difference(left, right))
    return PrintedClaim(right.enclosure, left.enclosure, valid, missing)


def _judge_clamp(s: Setting) -> PrintedClaim:
    """The bound given stands for B', the largest statistic; in data units, as the formula takes it."""
    m, within, delta = s.mechanism, s.mechanism.bound, s.sensitivity
    k = f.k_of_epsilon(m.epsilon)
    at = f.bound_from_gamma(largest=within * delta, k=k, gamma=s.gamma)
    clamp = _steps_decided(at, m.grid * delta) / delta
    binding = _binding(m.at(bound=clamp), within, clamp)
    valid = (s.gamma - binding).sign() >= 0
    why = "the second term lacks the factor sensitivity." if delta > 1 else "the grid is coarser than k."
    missing = None if valid else (binding - s.gamma).enclosure()
    measured = "binds with probability", binding.enclosure()
    exact = enclose(bound_for(m.parameters, gamma=s.gamma).bound * delta)
    return PrintedClaim(at.enclosure, exact, valid, missing, measured, "" if valid else why)


def _judge_shift(s: Setting) -> PrintedClaim:
    shift, bound = f.shift_and_bound(lower=s.lower, upper=s.upper)
    outside = max(-bound - (s.lower - shift), (s.upper - shift) - bound)
    missing = None if outside <= 0 else enclose(outside)
    return PrintedClaim(enclose(bound), enclose((s.upper - s.lower) / 2), outside <= 0, missing)


# Judges of a loss in p-bit arithmetic. The worst pair is searched for, so a bound that no found pair exceeds is called
# valid only where the proved bound is below it.


def _of_loss(formula: Callable[..., Fraction]) -> Judge:
    def judge(s: Setting) -> PrintedClaim:
        m = s.mechanism
        found, proved, scale = _losses(m, Precision.of(_bits(m)))
        claimed = formula(effective_epsilon=1 / scale, bound=m.bound, eta=m.eta)
        return _settled(found, proved, claimed, less=1 / scale)

    return judge


def _judge_section_5(s: Setting) -> PrintedClaim:
    m, bits = s.mechanism, _bits(s.mechanism)
    precision = Precision(uniform=min(DOUBLE, bits), logarithm=bits, product=bits)
    found, proved, _ = _losses(m, precision)
    claim = _settled(found, proved, m.epsilon)._replace(measured=("loss beyond epsilon", found - m.epsilon))
    if claim.valid is False and precision.uniform < bits:
        return claim._replace(why="the uniform draw needs as many bits as eta says: the 2 eta is its granularity.")
    return claim


def _settled(found: Enclosure, proved: Fraction | None, claimed: Fraction, less: Fraction = ZERO) -> PrintedClaim:
    """Return what a largest loss that was found, and a bound that is proved, say about a bound that is claimed."""
    valid, misses_by = None, None
    why = "no pair that loses more was found; it was tested under B > noise scale and grid >= noise scale, not proved."
    if found.lower > claimed:
        valid, misses_by = False, found - claimed
        why = "it needs B > noise scale and grid >= noise scale, and a pair was found that loses more."
    elif proved is not None and proved <= claimed:
        valid, why = True, ""
    return PrintedClaim(enclose(claimed - less), found - less, valid, misses_by, why=why, answer="largest found")


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


COARSE_GRID = "this grid is more than twice the noise scale."
TWICE_COUNTED = "P_U- is no lower bound on the mass at the clamp, and F_Z- holds that mass already."
ODD_ROWS = "with an odd number of rows no row belongs in the middle: the odd one goes to an end as well."
COARSER_THAN_K = "this grid is coarser than that of the notes, or B eta above 2^-52."
EXCEEDED, ANY_VALUE = "an error exceeded with probability at most {alpha}", "at any value within the bound"
HAS_ACCURACY = f"an epsilon with accuracy {{target}} {ANY_VALUE}"
BINDS = "at least how probable it is that B = {clamp} binds at f = B' = {largest}, on a grid of {grid}"
LARGEST_OF_ROWS = "the largest of {rows} rows within {lower} to {upper}"
LOST = "the most that {bits} bits in every step add to a loss of eps'"
IN_6, IN_6_3, IN_6_5_1 = "notes, 6.3 (6.2 in 2019)", "notes, 6.3", "notes, 6.5.1"

# fmt: off
CLAIMS: dict[str, ClaimRow] = {
    "Algorithm 1": ClaimRow(IN_6, LAST_TWO, "GetAccuracy, in four cases", f"{EXCEEDED}, at this value",
        _judge_algorithm_1, f"in case 4 {TWICE_COUNTED}"),
    "GetAccuracy2": ClaimRow(IN_6_3, THIRD, "min(lambda' ln(1/alpha) + Lambda'/2, 2 B)", f"{EXCEEDED}, {ANY_VALUE}",
        _of_accuracy(f.get_accuracy2)),
    "(1 + ln(1/alpha))/eps'": ClaimRow(IN_6_3, THIRD, "(1 + ln(1/alpha))/eps'", "the same, simpler and looser",
        _of_accuracy(f.simple_accuracy), COARSE_GRID),
    "alpha from a": ClaimRow(IN_6_3, THIRD, "e^(-eps' (a - Lambda'/2))",
        f"how probable an error above {{target}} is at most, {ANY_VALUE}", _judge_alpha),
    "P_L+": ClaimRow(IN_6, ALL_DATES, "F(-B - f + lambda')", "above P(output = -B)",
        _order(1, _at(f.p_lower_plus), _mass_at_lower), COARSE_GRID),
    "P_L": ClaimRow("notes, 6.3 (6.1 in 2019)", ALL_DATES, "F(-B - f + Lambda'/2)", "equal to P(output = -B)",
        _order(0, _at(f.p_lower), _mass_at_lower),
        "an equality only where the grid divides B, which it does not here."),
    "P_U-": ClaimRow(IN_6, LAST_TWO, "1 - F(B - f - lambda')", "at most P(output = B)",
        _order(-1, _at(f.p_upper_minus), _mass_at_upper),
        "reversed: half the grid is at most the noise scale, so this is the larger number."),
    "P_U+": ClaimRow("notes, 6.2", FIRST, "1 - F(B - f - lambda'/2)", "at least P(output = B)",
        _order(1, _at(f.p_upper_plus), _mass_at_upper),
        "reversed: the grid is at least the noise scale, so this is the smaller number."),
    "F_Z-": ClaimRow(IN_6, LAST_TWO, "1 - e^(-eps' z + 1)", "below P(|Y'| + grid/2 <= z), here at z = B - f",
        _order(-1, _of_z(f.f_z_minus), _of_z(f.f_z)), COARSE_GRID),
    "F_Z+": ClaimRow(IN_6, ALL_DATES, "1 - e^(-eps' z + 1/2)", "at least P(|Y'| + grid/2 <= z), here at z = B - f",
        _order(1, _of_z(f.f_z_plus), _of_z(f.f_z)),
        "it needs a grid of at least the noise scale, and is negative below half a noise scale."),
    "F_Nsub-": ClaimRow(IN_6, LAST_TWO, "F_Z-(B - f) + P_U- + F_Z-(B + f) - F_Z+(B - f)",
        "at most a distribution function, at the largest error B + f",
        _order(-1, lambda s: f.f_n_sub_minus(s.mechanism, s.mechanism.bound + s.value, if_value=s.value),
            lambda _: Fraction(1)),
        "no distribution function exceeds 1: the mass at the clamp is counted twice."),
    "Bias+": ClaimRow("notes, 6.4", THIRD, "p_L (-B - f) + p_U (B - f) + (1 - p_L - p_U) E[Y*; -B - f to B - f]",
        "below the bias E(output) - f (printed as an upper bound: of its size)", _judge_bias,
        "the factor 1 - p_L - p_U does not belong there: the integral has left out the clamped draws already."),
    "(6.4)": ClaimRow(IN_6_3, THIRD, "(1 + 12 B eta) ln(1/alpha)/(a - Lambda'/2) + 2 eta", HAS_ACCURACY,
        _of_epsilon(f.epsilon_6_4), "the grid put in is finer than that of the epsilon that comes out."),
    "(6.5)": ClaimRow(IN_6_3, THIRD, "eps = (1 + 12 B eta) ln(1/alpha)/(a - 1/eps) + 2 eta", HAS_ACCURACY,
        _of_epsilon(f.epsilon_6_5), "its last step takes off more than the noise scale exceeds half the grid."),
    "(6.5), last step": ClaimRow(IN_6_3, THIRD, "replaces a - 1/eps' by a - 1/eps", "no less than the line before it",
        _judge_last_step,
        "reversed: 1/eps' is above 1/epsilon, so a - 1/eps' is the smaller divisor; by about 12 B eta."),
    "k from epsilon": ClaimRow(IN_6_5_1, THIRD, "k = (2 + 24 2^-52)/(eps - 2^-117)", "at least the grid",
        _order(1, lambda s: f.k_of_epsilon(s.mechanism.epsilon) * s.sensitivity,
            lambda s: s.mechanism.grid * s.sensitivity), COARSER_THAN_K),
    "k from an accuracy": ClaimRow(IN_6_5_1, THIRD, "the same k, with eps^- = ln(1/alpha)/a",
        "at least the grid of that accuracy",
        _order(1, lambda s: f.k_of_accuracy(accuracy=s.target, alpha=s.alpha) * s.sensitivity, _grid_of_target),
        COARSER_THAN_K),
    "B from gamma": ClaimRow(IN_6_5_1, THIRD, "B = B' + (k/2)(1 + 2 ln(1/gamma))",
        "a clamp that binds with probability at most {gamma} while |f| <= B' = {largest}, on a grid of {grid}",
        _judge_clamp),
    "(6.6)": ClaimRow(IN_6_5_1, THIRD, "(e^(eps' (-2 B' + Lambda' ln gamma - Lambda')) + e^(eps' Lambda' ln gamma))/2",
        BINDS, _of_binding(lambda s: f.binding_6_6(s.mechanism, largest=s.mechanism.bound, gamma=s.gamma)),
        "the shift of Y** serves the upper tail alone; the lower one needs the other sign."),
    "(6.7)": ClaimRow(IN_6_5_1, THIRD, "gamma^(eps' Lambda')", BINDS,
        _of_binding(lambda s: f.binding_6_7(s.mechanism, gamma=s.gamma))),
    "(6.8)": ClaimRow(IN_6_5_1, THIRD, "gamma", BINDS, _of_binding(lambda s: s.gamma),
        "this grid is finer than the noise scale."),
    "B = upper - s": ClaimRow("notes, 6.1", THIRD, "s = (upper - lower)/2",
        "half the width of a range around 0 that holds {lower} to {upper} less s = {shift}", _judge_shift,
        "s should be the middle, (upper + lower)/2: {lower} goes to {moved}, outside +-{half}."),
    "B' of a variance": ClaimRow("notes, 7.2", THIRD, "(b - a)^2/4, times n/(n - 1) for an even n", LARGEST_OF_ROWS,
        _largest(lambda *ends, rows: f.largest_variance(lower=ends[0], upper=ends[1], rows=rows)), ODD_ROWS),
    "B' of a covariance": ClaimRow("notes, 7.3", THIRD, "(b - a)(d - c)/4, times n/(n - 1) for an even n",
        LARGEST_OF_ROWS, _largest(lambda *ends, rows: f.largest_covariance(ends, ends, rows=rows)), ODD_ROWS),
    "eps' of section 5": ClaimRow("notes, 3 and 5", ALL_DATES, "eps' = (eps - 2 eta)/(1 + 12 B eta)",
        "a loss of at most epsilon with eta = 2^-{bits} and a uniform draw of {uniform} bits", _judge_section_5),
    "Mironov's bound": ClaimRow("Mironov 2012, as quoted in notes, 5", ALL_DATES, "(1 + 12 B eta) eps' + 2 eta", LOST,
        _of_loss(mironov_formula)),
    "Liu's bound": ClaimRow("Liu, Theorem 2", "22 March 2020", "eps' + 23 B eps' eta", LOST, _of_loss(liu_formula)),
    "p = m + 2": ClaimRow("notes, 5", ALL_DATES, "p = m + 2, 2^-m the least power of two >= eps",
        "the fewest bits that leave a positive eps'", _judge_bits,
        "an epsilon above 2 makes m + 2 less than one bit; the 118 bits of the logarithm save it."),
    "(4.1)": ClaimRow("notes, 4.1", ALL_DATES, "Lambda by the bits of lambda, a double",
        "the least power of two that is at least the noise scale",
        _order(0, lambda s: f.grid_4_1(s.mechanism.noise_scale) * s.sensitivity, _grid_meant),
        "the noise scale is just above a power of two, and rounding it to a double makes it that power."),
    "(4.2) at -2.5 grid steps": _rounding("-2.5", "the rule rounds ties away from zero, not toward +infinity."),
    "(4.2) at 3.5 grid steps": _rounding("3.5",
        "the carry must look at m_1...m_y alone; a zero further right hides it."),
    "(4.2) at 1.5 grid steps": _rounding("1.5", "at y = 0 there are no m_1...m_y to add 1 to, and the carry is lost."),
}
# fmt: on
