"""The speed targets of snapdp and their verdicts.

Every target is a ratio of costs measured in the same run, so it means the same on a slow and on a fast machine.
The one on np.log + AES is the exception to watch: both limits depend strongly on the vector instructions present.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median

from rounds import Results, median_ratio

VECTOR = "snapdp vector 1e6, natural grid"
VECTOR_OUT = "snapdp vector 1e6, natural grid, out="
SCALAR = "snapdp scalar float"
GROWTH_SIZES = ("growth 1e5", "growth 1e6", "growth 1e7", "growth 1e8")
GROWTH_LIMIT = 1.5
COLD_LIMIT = 0.5


@dataclass(frozen=True)
class Target:
    """cost(numerator) / cost(denominator) must be at least, or at most, the limit."""

    title: str
    numerator: tuple[str, ...]
    denominator: tuple[str, ...]
    limit: float
    at_least: bool = True


@dataclass(frozen=True)
class Verdict:
    """A target with its measured ratio; None means that something it needs was not measured."""

    title: str
    limit: float
    at_least: bool
    ratio: float | None

    @property
    def state(self) -> str:
        """'ok', 'NOT MET' or 'not measured'."""
        if self.ratio is None:
            return "not measured"
        met = self.ratio >= self.limit if self.at_least else self.ratio <= self.limit
        return "ok" if met else "NOT MET"


TARGETS = (
    Target("vector: times as fast as numpy laplace + add", ("numpy laplace + add 1e6 (insecure)",), (VECTOR,), 1.3),
    Target("vector: times as fast as diffprivlib Snapping", ("diffprivlib Snapping",), (VECTOR,), 800),
    Target("vector: times as fast as OpenDP float vector", ("OpenDP float vector, default grid",), (VECTOR,), 1200),
    Target("vector: times as fast as python-dp Laplace", ("python-dp Laplace float",), (VECTOR,), 200),
    Target("vector: share of np.log + AES speed", ("limit: np.log float64", "limit: AES-256-CTR"), (VECTOR_OUT,), 0.35),
    Target("vector: fine grid over natural grid", ("snapdp vector 1e6, fine grid",), (VECTOR,), 1.15, at_least=False),
    Target("scalar: times as fast as diffprivlib Snapping", ("diffprivlib Snapping",), (SCALAR,), 6),
    Target("scalar: times as fast as OpenDP scalar", ("OpenDP scalar float",), (SCALAR,), 50),
    Target("vector: interface over bare", (VECTOR_OUT,), ("snapdp bare sampler, vector 1e6",), 1.2, at_least=False),
    Target("scalar: interface over bare", (SCALAR,), ("snapdp bare sampler, scalar",), 3, at_least=False),
)


def growth_spread(results: Results) -> float | None:
    """Return the median over the rounds of dearest / cheapest cost per value from 1e5 to 1e8 values."""
    if not all(name in results and results[name].measured for name in GROWTH_SIZES):
        return None
    per_round = zip(*(results[name].ns_per_value for name in GROWTH_SIZES), strict=True)
    spreads: list[float] = [max(costs) / min(costs) for costs in per_round]
    return median(spreads)


def cold_ratios(cold_ms: Mapping[str, list[float]]) -> tuple[float | None, float | None]:
    """Return CPU of (import snapdp + one scalar) over (import numpy): as it is, and both less bare Python."""
    bare, numpy = cold_ms.get("bare python"), cold_ms.get("import numpy")
    ours = cold_ms.get("import snapdp + scalar release")
    if not (bare and numpy and ours):
        return None, None
    return (
        median(a / b for a, b in zip(ours, numpy, strict=True)),
        median((a - c) / (b - c) for a, b, c in zip(ours, numpy, bare, strict=True)),
    )


def verdicts(results: Results, grown: Results, cold_ms: Mapping[str, list[float]]) -> list[Verdict]:
    """Judge every target."""
    found = [
        Verdict(aim.title, aim.limit, aim.at_least, median_ratio(results, aim.numerator, aim.denominator))
        for aim in TARGETS
    ]
    gross, net = cold_ratios(cold_ms)
    return [
        *found,
        Verdict("growth: dearest over cheapest, 1e5 to 1e8", GROWTH_LIMIT, False, growth_spread(grown)),
        Verdict("cold: import + scalar over import numpy", COLD_LIMIT, False, gross),
        Verdict("cold: the same, both less bare python", COLD_LIMIT, False, net),
    ]
