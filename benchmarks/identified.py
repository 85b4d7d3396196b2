"""How often a number with Laplace noise in doubles tells which of two values it was made from (guide of attacks).

    python benchmarks/identified.py [--samples 2000000] [--scale 2]

The noise is that of numpy's `Generator.laplace`. An output identifies its value against another where no draw at all
gives the same double from that: the only candidates are tried, one by one (as `snapdp lab attack reachability` does).
Each figure is the share among outputs of both values. Its standard error is below 0.5/sqrt(samples), and one part in a
hundred of a share of 1/200: of as many outputs, 10,000 are counted.
"""

from __future__ import annotations

import argparse

import numpy as np

from snapdp.lab.attacks.reachability import is_reachable

PAIRS = ((0, 1), (3, 4), (412, 413))


def identified(value: float, other: float, scale: float, samples: int, pick: np.random.Generator) -> int:
    """Return how many of so many outputs of `value` cannot come from `other`."""
    outputs = value + pick.laplace(0.0, scale, size=samples)
    return sum(not is_reachable(output, other, scale) for output in outputs.tolist())


def main() -> None:
    parser = argparse.ArgumentParser(description="How often noise in doubles identifies its input.")
    parser.add_argument("--samples", type=int, default=2_000_000)
    parser.add_argument("--scale", type=float, default=2.0)
    options = parser.parse_args()
    pick = np.random.default_rng(20121016)
    for one, two in PAIRS:
        half = options.samples // 2
        pairs = ((float(one), float(two)), (float(two), float(one)))
        count = sum(identified(*pair, options.scale, half, pick) for pair in pairs)
        print(f"{one} against {two}: {count / (2 * half):.4f}, one in {2 * half / max(count, 1):.1f}")


if __name__ == "__main__":
    main()
