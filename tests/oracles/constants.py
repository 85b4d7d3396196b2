"""Noise scale, grid and clamp of a mechanism derived again from what was declared.

Logarithms are the second ones. In finite precision the proved bound is evaluated anew with rational
bounds of its exponentials, which are wider by less than one float of the noise scale. No name of the library's own
derivation is used. Theory: docs/theory/mechanism.md, (3), (4); docs/theory/finite-precision.md, (3)-(6), (11);
docs/theory/second-arithmetic.md, (4).
"""

from __future__ import annotations

import math
from fractions import Fraction

from snapdp.lab.selftest.suite import Checked, Comparison, Effort
from snapdp.mechanism.parameters import SnappingParameters
from tests.oracles.logarithm import ln_tries
from tests.oracles.mechanisms import CATALOGUE, exact, finite

GAMMA = 1 << 40  # the wide clamp changes an output with probability at most 1/GAMMA
FINE = 16


def compare_constants(effort: Effort) -> Checked:
    """Compare the constants of mechanisms with random declarations, and those of the catalogue that are proved."""
    comparison, dice = Comparison(), effort.dice("constants")
    for _ in range(effort.size(300, 40)):
        epsilon, delta = (Fraction(1 + dice.getrandbits(20), 1 + dice.getrandbits(20)) for _ in range(2))
        lower = Fraction(dice.randint(-1000, 1000), dice.randint(1, 30)) * delta
        upper = lower + delta * (1 + Fraction(dice.getrandbits(24), 997))
        grid = dice.choice(["fine", "natural"])
        _compare_exact(exact(epsilon, delta, lower, upper, grid), grid, comparison)
    for asked in ("0.5", "1/3", "0.9", 1, "0.01")[: effort.size(5, 2)]:
        _compare_notes(finite(asked, "1/10", -10, 30, "notes"), comparison)
    for made in CATALOGUE.values():
        p = made()
        if p.rule == "proved":
            comparison.holds(_proved_loss(p) <= p.epsilon, f"the proved bound of {p.declared} exceeds epsilon")
    return comparison.checked()


def _compare_exact(p: SnappingParameters, grid: str, comparison: Comparison) -> None:
    about, scale = f"{p.declared}, {grid} grid:", p.sensitivity / p.epsilon
    natural = _power_of_two_at_least(scale)
    comparison.same(p.noise_scale, scale, about, "noise scale")
    comparison.same(p.grid, natural if grid == "natural" else natural / FINE, about, "grid")
    comparison.same(p.value_lower, p.grid * math.floor(p.lower / p.grid), about, "lower end of values")
    comparison.same(p.value_upper, p.grid * -math.floor(-p.upper / p.grid), about, "upper end of values")
    comparison.same(p.high, _least_clamp(p.upper, p), about, "upper clamp")
    comparison.same(p.low, -_least_clamp(-p.lower, p), about, "lower clamp")


def _least_clamp(end: Fraction, p: SnappingParameters) -> int:
    """Return the least k with (k + 1/2) grid >= end + noise_scale ln GAMMA, and never within the range."""
    t, rho = end / p.grid, p.noise_scale / p.grid
    for lower, upper, scale in ln_tries(GAMMA, 1, 96):
        found = {math.ceil(t + rho * Fraction(each, 1 << scale) - Fraction(1, 2)) for each in (lower, upper)}
        if len(found) == 1:
            return max(found.pop(), math.ceil(t))
    raise AssertionError("tries have no end")


def _compare_notes(p: SnappingParameters, comparison: Comparison) -> None:
    assert p.precision is not None
    assert p.bound is not None
    eta, about = Fraction(1, 1 << p.precision.uniform), f"{p.declared}, notes:"
    effective = (p.epsilon - 2 * eta) / (1 + 12 * p.bound * eta)
    comparison.same(p.effective_epsilon, effective, about, "effective epsilon")
    comparison.same(p.noise_scale, _rounded_up(1 / effective, p.precision.uniform), about, "noise scale")
    comparison.same(p.grid, _power_of_two_at_least(p.noise_scale), about, "grid")
    comparison.holds(p.bound >= (p.upper - p.lower) / (2 * p.sensitivity), about, "the bound cuts the range")


def _proved_loss(p: SnappingParameters) -> Fraction:
    """Return a bound of the loss of neighbours one sensitivity apart: finite-precision (6), every term rounded up."""
    assert p.precision is not None
    assert p.bound is not None
    scale, eta_draw = p.noise_scale, Fraction(2, 1 << p.precision.uniform)
    stretch = (1 + Fraction(1, 1 << p.precision.logarithm)) * (1 + Fraction(1, 1 << p.precision.product))
    reach = (math.ceil(p.bound / p.grid) - Fraction(1, 2)) * p.grid + p.bound
    q = _exp_above(-p.grid / scale)

    def down(t: Fraction) -> Fraction:
        return t / scale * (stretch - 1)  # 1 - e**-x <= x

    def up(t: Fraction) -> Fraction:
        x = t / scale * (1 - 1 / stretch)
        return (1 + eta_draw) / (1 - x) - 1  # e**x <= 1/(1 - x)

    grid, inside = p.grid, 1 - q
    more = max((up(reach) + q * down(reach)) / inside, down(grid) * (1 + q) / inside)
    less = max((down(reach) + q * up(reach)) / inside, up(grid) * (1 + q) / inside)
    return 1 / scale + (more + less) / (1 - less)  # ln(1 + x) <= x


def _exp_above(x: Fraction) -> Fraction:
    """Return a rational a little above e**x, for x < 0.

    With c near e**x, e**x = c e**(x - ln c) <= c/(1 - (x - ln c)): off by the square of a small number.
    """
    c = Fraction(math.exp(x))
    lower, _, scale = next(ln_tries(c.numerator, c.denominator, 256))
    off = x - Fraction(lower, 1 << scale)
    if abs(off) >= Fraction(1, 1 << 40):  # (4) wants a c that is near
        raise ArithmeticError("the exponential of doubles is far off")
    return c / (1 - off)


def _power_of_two_at_least(x: Fraction) -> Fraction:
    power = Fraction(1)
    while power < x:
        power *= 2
    while power / 2 >= x:
        power /= 2
    return power


def _rounded_up(x: Fraction, bits: int) -> Fraction:
    """Return the least float of so many bits that is not below x."""
    unit = _power_of_two_at_least(x) / (1 << bits)
    return unit * math.ceil(x / unit)
