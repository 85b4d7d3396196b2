"""How often a number with Laplace noise in doubles tells which of two values it was made from: the figures of README.

    python benchmarks/identified.py [--samples 20000] [--scale 2]

The noise is that of numpy's `Generator.laplace`: +- scale * log(u), u a multiple of 2**-52. An output identifies its
value against another where no draw at all gives the same double from that: the only candidates are tried, one by one.
Each figure is the share among outputs of both values; its standard error is below 0.5/sqrt(samples).
"""

from __future__ import annotations

import argparse
import math
import random
from fractions import Fraction

UNIT = 2.0**-52
DRAWS = 1 << 52
PAIRS = ((0, 1), (3, 4), (412, 413))
PLENTY = 400  # so many draws round to everything in between


def is_reachable(output: float, value: float, scale: float) -> bool:
    """Return whether value + sign * scale * log(u) can be this very double."""
    below, above = (Fraction(math.nextafter(output, side)) for side in (-math.inf, math.inf))
    noise = ((below + Fraction(output)) / 2 - Fraction(value), (Fraction(output) + above) / 2 - Fraction(value))
    return any(_one_draw_gives(output, value, scale, sign, noise) for sign in (1, -1))


def _one_draw_gives(output: float, value: float, scale: float, sign: int, noise: tuple[Fraction, Fraction]) -> bool:
    low, high = sorted(float(sign * end / Fraction(scale)) for end in noise)
    if low > 1e-12 or low < -700:
        return False
    first = max(math.floor(math.exp(low) * DRAWS) - 2, 1)
    last = min(math.ceil(math.exp(min(high, 0.0)) * DRAWS) + 2, DRAWS)
    if last - first > PLENTY:
        return True
    return any(value + sign * (scale * math.log(k * UNIT)) == output for k in range(first, last + 1))


def identified(value: float, other: float, scale: float, samples: int, pick: random.Random) -> int:
    """Return how many of so many outputs of `value` cannot come from `other`."""
    found = 0
    for _ in range(samples):
        noise = scale * math.log((pick.getrandbits(52) + 1) * UNIT)
        output = value + noise if pick.getrandbits(1) else value - noise
        found += not is_reachable(output, other, scale)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="How often noise in doubles identifies its input.")
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--scale", type=float, default=2.0)
    options = parser.parse_args()
    pick = random.Random(20121016)
    for one, two in PAIRS:
        half = options.samples // 2
        pairs = ((float(one), float(two)), (float(two), float(one)))
        count = sum(identified(*pair, options.scale, half, pick) for pair in pairs)
        print(f"{one} against {two}: {count / (2 * half):.4f}, one in {2 * half / max(count, 1):.1f}")


if __name__ == "__main__":
    main()
