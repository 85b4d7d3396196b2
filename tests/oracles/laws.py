"""The stated law against enumeration of every string of bits at few bits, and against logarithms in exact arithmetic.

In finite precision probabilities are compared as exact rationals. In exact arithmetic a tail is
e**(-t)/2, and an enclosure [a, b] holds it iff ln 2a <= -t <= ln 2b: the second logarithm decides, and no exponential
is needed. Theory: docs/theory/finite-precision.md, (15)-(18); docs/theory/exact-law.md, (2);
docs/theory/second-arithmetic.md, (3).
"""

from __future__ import annotations

from fractions import Fraction

from snapdp.lab.selftest.suite import Checked, Comparison, Effort
from snapdp.mechanism.finite_precision import explicit_parameters
from snapdp.mechanism.law.law import Law, law_of
from snapdp.mechanism.parameters import Inner, Precision
from tests.oracles.definition import HALF
from tests.oracles.enumeration import enumerated_law
from tests.oracles.logarithm import ln_enclosed, rounded
from tests.oracles.mechanisms import CATALOGUE

SHAPES = ((Fraction(10, 9), 2, 8), (Fraction(3, 4), 1, 3), (Fraction(5), Fraction(1, 2), Fraction(7, 2)))
PRECISIONS = (
    *map(Precision.of, (2, 3, 4, 5, 6)),
    Precision(uniform=4, logarithm=6, product=8),
    Precision(uniform=7, logarithm=4, product=5),
)
EXACT = ("count, natural", "clamped to 0..100", "two outputs", "an own clamp", "noise far below the grid")
LN_BITS = 160


def compare_laws(effort: Effort) -> Checked:
    """Compare the probability of every output, for values at ends, ties and between."""
    comparison = Comparison()
    for scale, grid, bound in SHAPES[: effort.size(3, 1)]:
        for precision in PRECISIONS[: effort.size(7, 4)]:
            m, e = rounded(scale.numerator, scale.denominator, precision.product)
            p = explicit_parameters(
                noise_scale=m * Fraction(2) ** e, grid=Fraction(grid), bound=Fraction(bound), precision=precision
            )
            for value in (Fraction(0), p.value_upper, Fraction(3, 7), p.grid / 2)[: effort.size(4, 2)]:
                law = law_of(p.clamped(Inner(value)), p)
                _compare_every_mass(law, f"{precision}, value {value}", comparison)
    for name in EXACT:
        p = CATALOGUE[name]()
        for share in (Fraction(0), Fraction(1, 3), Fraction(1))[: effort.size(3, 1)]:
            _compare_tails(law_of(p.inner(p.lower + share * (p.upper - p.lower)), p), name, comparison)
    return comparison.checked()


def _compare_every_mass(law: Law, about: str, comparison: Comparison) -> None:
    expected = enumerated_law(law.inner_value, law.parameters)
    for k in law.support:
        found, true = law.index_probability(k), expected.get(k, Fraction(0))
        comparison.holds(found.lower == found.upper == true, f"{about}: P({k}) = {found}, enumerated {true}")


def _compare_tails(law: Law, name: str, comparison: Comparison) -> None:
    p = law.parameters
    for j in range(max(p.low + 1, law.centre - 40), min(p.high, law.centre + 40) + 1):
        t = ((j - HALF) * p.grid - law.inner_value) / p.noise_scale
        tail = law.upper_tail(j) if t > 0 else law.lower_tail(j)
        about = f"{name}, value {law.value}: the tail at {j}"
        comparison.holds(tail.lower > 0 and _ln_is(2 * tail.lower, -abs(t), above=False), about, "begins too high")
        comparison.holds(tail.upper > 0 and _ln_is(2 * tail.upper, -abs(t), above=True), about, "ends too low")


def _ln_is(x: Fraction, y: Fraction, *, above: bool) -> bool:
    """Tell whether ln x is above (below) y, or cannot be told from it at 160 bits."""
    lower, upper, scale = ln_enclosed(x.numerator, x.denominator, LN_BITS)
    return upper >= y * (1 << scale) if above else lower <= y * (1 << scale)
