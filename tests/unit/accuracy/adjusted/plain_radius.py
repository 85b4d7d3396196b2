"""The radius of a sum of noises once more, from docs/theory/adjusted-tables.md alone: integers and fractions, one file.

It shares no code with what it checks: its constants are those of the checker of releases, which finds them in other
ways, the cosine of a thousandth of an angle doubled ten times, e to a 256th of a power squared eight times. Unlike the
checker it takes Laplace variables that are on no grid.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, comb, floor, gcd, isqrt, lcm

from snapdp.audits.check_release import GUARD, cosine, exponential, floored, pi

M, J, T = 1024, 2**14, 13


def plain_radius(laws: list[tuple[Fraction, Fraction, int]], level: Fraction) -> Fraction:
    """Return the radius of a sum of m noises for each (|c| lambda, x, m) in laws; x = 0: a Laplace variable."""
    laws = sorted(laws, key=lambda law: (law[2] * law[0] ** 2, law[0], law[1]), reverse=True)
    lost = sum(m * (3 + (2**22 * ceil((1 + x / 2) / (x / 2) ** 2) if x else 2**22)) for _, x, m in laws)
    width = 128 + lost.bit_length()
    one = 1 << width
    cosh = [floored((exponential(x / 2, width) + exponential(-x / 2, width)) >> 1) if x else one for _, x, _ in laws]
    variance = sum(2 * m * s * s * Fraction(c + (1 if x else 0), one) for (s, x, m), c in zip(laws, cosh, strict=True))
    steps = 0
    while Fraction(65, 64) ** steps < 512 / level:
        steps += 1
    square = 2 * variance * Fraction(steps, 64)
    s = max(0, 24 - (square.numerator.bit_length() - square.denominator.bit_length()) // 2)
    circle = 2 * (Fraction(1 + isqrt(floor(square * 4**s)), 2**s) + max(law[0] for law in laws) * Fraction(steps, 64))
    unit = Fraction(1)
    while circle >= 256 * unit:
        unit *= 2
    while circle < 128 * unit:
        unit /= 2
    circle = unit * ceil(circle / unit)

    kernel = [comb(2 * M + 1 - n, 3) - 4 * comb(max(0, M + 1 - n), 3) for n in range(2 * M - 1)]
    products, dropped = [one] * (2 * M - 2), 0
    for (scale, x, m), c in zip(laws, cosh, strict=True):
        if x:
            a = floored((exponential(x, width) + exponential(-x, width) - (2 << (width + GUARD))) >> 2)
            u = [one, cosine(scale * x / circle, width)]
            while len(u) <= len(products):
                u.append((2 * u[1] * u[-1] >> width) - u[-2])
            d = [max(0, one - each) for each in u]
            factors = [max(0, one - c * each // (2 * a + each)) for each in d]
        else:
            ratio = (2 * scale / circle) ** 2
            b = floored(floor(pi(width) ** 2 * ratio) >> (width + GUARD))
            factors = [one * one // (one + b * n * n) for n in range(len(products) + 1)]
        for n in range(1, len(products) + 1):
            power = factors[n]
            for digit in f"{m:b}"[1:]:
                power = power * power >> width
                power = power * factors[n] >> width if digit == "1" else power
            products[n - 1] = products[n - 1] * power >> width
        while products:
            n = len(products)
            top = kernel[n] * (products[-1] + 2 ** (width - 128)) // (kernel[0] * n) + 1
            if dropped + top > level * Fraction(3, 128) * one:
                break
            dropped += top
            products.pop()
    kept = [kernel[n] * q // (kernel[0] * n) for n, q in enumerate(products, 1)]
    inverse = floored((1 << (2 * (width + GUARD))) // pi(width))

    def holds(j: int) -> bool:
        gamma, sines = cosine(Fraction(j, J), width), [0, cosine(Fraction(j, J) - Fraction(1, 4), width)]
        while len(sines) <= len(kept):
            sines.append((2 * gamma * sines[-1] >> width) - sines[-2])
        total = sum(t * s for t, s in zip(kept, sines[1:], strict=False))
        outside = 1 - Fraction(2 * j, J) - Fraction(2 * inverse * total, one**3)
        return outside + Fraction(1, 2**100) + Fraction(2 * dropped, 3 * one) <= Fraction(255, 256) ** 2 * level

    low, high = -1, J // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    radius = min(high + T, J // 2) * circle / J
    values = [s * x for s, x, _ in laws]
    common = lcm(*(each.denominator for each in values))
    spacing = Fraction(gcd(*(int(each * common) for each in values)), common)
    return spacing * floor(radius / spacing) if all(values) and spacing >= circle / J else radius
