"""What formulas compute, by MPFR alone: the yardstick that error bounds are held against.

Nothing here uses the arithmetic of the package: operations of a p-bit MPFR context are correctly rounded, and a context
of 500 bits stands for the reals (its own error is below 2**-400 of every value here).
"""

from __future__ import annotations

from fractions import Fraction
from random import Random

import gmpy2

from snapdp.lab.language.fpcore import BINARY32, BINARY64, OPERATIONS, Format
from snapdp.lab.language.syntax import Constant, Expression, Negation, Parts, Variable

_METHODS = {"neg": "minus", "ln": "log"}
REALS = gmpy2.context(precision=500, emin=-(1 << 40), emax=1 << 40)


def context_of(floats: Format):
    if floats in (BINARY32, BINARY64):
        return gmpy2.ieee(32 if floats == BINARY32 else 64)
    return gmpy2.context(precision=floats.p, emin=-(1 << 40), emax=1 << 40)


def evaluated(formula: Expression, inputs: dict[str, Fraction], context):
    """Return the value of a formula when every operation and constant is rounded by a context."""
    values = []
    parts = Parts(formula)
    for part, places in zip(parts.parts, parts.operands, strict=True):
        operands = [values[i] for i in places]
        if isinstance(part, (Variable, Constant)):
            rational = inputs[part.name] if isinstance(part, Variable) else part.value
            with gmpy2.context(context):
                values.append(gmpy2.mpfr(gmpy2.mpq(rational.numerator, rational.denominator)))
        else:
            values.append(getattr(context, _METHODS.get(part.word, part.word))(*operands))
    return values[-1]


def sampled_error(formula: Expression, inputs: dict[str, Fraction], floats: Format) -> tuple[Fraction, Fraction] | None:
    """Return |computed - real| and |real|, or None where either has no finite value."""
    computed, real = evaluated(formula, inputs, context_of(floats)), evaluated(formula, inputs, REALS)
    if not (gmpy2.is_finite(computed) and gmpy2.is_finite(real)):
        return None
    x, y = (Fraction(*map(int, value.as_integer_ratio())) for value in (computed, real))
    return abs(x - y), abs(y)


def random_float(random: Random, lower: Fraction, upper: Fraction, floats: Format) -> Fraction:
    """Return a float between two floats: an end, a power of two, or any, sizes equally often."""
    if random.random() < 0.2:
        return random.choice([lower, upper])
    with gmpy2.context(precision=floats.p, round=gmpy2.RoundToZero):
        if lower > 0 and random.random() < 0.5:
            exponent = random.uniform(float(gmpy2.log2(gmpy2.mpq(lower))), float(gmpy2.log2(gmpy2.mpq(upper))))
            drawn = gmpy2.mpfr(2) ** (round(exponent) if random.random() < 0.3 else exponent)
        else:
            drawn = gmpy2.mpfr(gmpy2.mpq(lower + (upper - lower) * Fraction(random.getrandbits(80), 1 << 80)))
    value = Fraction(*map(int, drawn.as_integer_ratio()))
    if floats.least is not None:
        value -= value % Fraction(2) ** floats.least  # 0 where value is a normal float
    return min(max(value, lower), upper)


def random_box(random: Random, names: tuple[str, ...], floats: Format) -> dict[str, tuple[Fraction, Fraction]]:
    """Return a box whose ends are floats: of one sign or both, of one point, of ordinary or of tiny numbers."""
    box = {}
    for name in names:
        size = Fraction(2) ** (-140 if random.random() < 0.05 else random.randint(-6, 6))
        least = [-size, size / 8]
        ends = sorted(random_float(random, random.choice(least), size, floats) for _ in range(2))
        box[name] = (ends[0], ends[1])
    return box


def random_formula(random: Random, names: list[str], operations: int) -> Expression:
    """Return a formula of so many operations over inputs and constants."""
    parts: list[Expression] = [Variable(name=name) for name in names]
    parts += [Constant(value=Fraction(random.choice(["0.1", "3", "0.5", "-2", "1", "7/3", "1e-3"])))]
    fresh = list(parts)
    for _ in range(operations):
        kind = random.choice([OPERATIONS[symbol] for symbol in "+-*/+-*/"] + [Negation, *list(OPERATIONS.values())[4:]])
        operands = {part: random.choice(fresh if fresh and random.random() < 0.6 else parts) for part in kind._parts}
        fresh = [part for part in fresh if part not in operands.values()]
        parts.append(kind(**operands))
        fresh.append(parts[-1])
    return parts[-1]
