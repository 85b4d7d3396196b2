"""Releases of other libraries, where they are installed: each is imported when one of its releases is made.

What is not installed raises an ImportError, and its row says "absent". Nothing of snapdp depends on
them. A release claims what its library says it does: epsilon as given, or what its privacy map returns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from snapdp.lab.attacks.attack import OfNumber

Bounds = tuple[float, float]
OfRows = Callable[[Sequence[float]], float]

INSTALLED_BY = {  # each in an environment of its own: they need versions that exclude each other
    "diffprivlib": "pip install diffprivlib 'scikit-learn<1.7'",  # newer ones it cannot import
    "opendp": "pip install 'opendp[polars]>=0.16'",
    "python-dp": "pip install python-dp",
}
OPENDP_TRIALS = 1_000  # outputs of one number, each of which takes a millisecond


def diffprivlib_laplace(epsilon: Fraction) -> OfNumber:
    from diffprivlib.mechanisms import Laplace

    mechanism = Laplace(epsilon=float(epsilon), sensitivity=1)
    return lambda value: float(mechanism.randomise(value))


def diffprivlib_statistic(name: str, epsilon: Fraction, bounds: Bounds) -> OfRows:
    """Return one of its tools: "sum", "mean" or "nanmean"."""
    import numpy as np
    from diffprivlib import BudgetAccountant, tools

    tool = getattr(tools, name)

    def release(rows: Sequence[float]) -> float:
        return float(tool(np.array(rows), epsilon=float(epsilon), bounds=bounds, accountant=BudgetAccountant()))

    return release


def _opendp() -> Any:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    return dp


def opendp_laplace(epsilon: Fraction) -> OfNumber:
    dp = _opendp()
    domain, metric = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    mechanism = dp.m.make_laplace(domain, metric, scale=float(1 / epsilon))
    return lambda value: float(mechanism(value))


def opendp_sum(epsilon: Fraction, bounds: Bounds, *, rows: int) -> tuple[OfRows, Fraction]:
    """Return the sum of so many rows, and what its map says that it loses: what was asked for, or a hair more.

    The noise is for what its map says that the sum moves by, which makes room for the rounding of its own additions: of
    eight rows near 2^52 it is for 49 where the bounds are 1 apart. What is no number counts as the lower bound.
    """
    dp = _opendp()
    lower, upper = (float(bound) for bound in bounds)
    space = dp.vector_domain(dp.atom_domain(T=float), size=rows), dp.symmetric_distance()
    clamped = space >> dp.t.then_impute_constant(lower) >> dp.t.then_clamp((lower, upper))
    total = clamped >> dp.t.then_sum()
    changed = 2  # a row that changes is one that goes and one that comes
    mechanism = total >> dp.m.then_laplace(scale=total.map(changed) / float(epsilon))
    return (lambda cells: float(mechanism(list(cells)))), Fraction(mechanism.map(changed))


def opendp_group_sum(epsilon: Fraction, *, rows: int, largest: int) -> tuple[OfNumber, Fraction]:
    """Return the sum of a group of so many rows that are all one number, and what its map says of all of them changed.

    As many rows go as come, so the distance of the tables is twice their number. The noise makes the map say epsilon.
    """
    import polars as pl

    dp = _opendp()
    schema = pl.Schema({"group": pl.String, "x": pl.Int32})
    columns = [dp.series_domain("group", dp.atom_domain(T=str)), dp.series_domain("x", dp.atom_domain(T=dp.i32))]
    margin = dp.polars.Margin(by=["group"], max_length=rows, max_groups=1, invariant="keys")
    column: Any = pl.col("x")  # OpenDP adds the namespace dp
    total = column.dp.sum((-largest, largest), scale=float(rows * largest / epsilon))
    mechanism = dp.m.make_private_lazyframe(
        dp.with_margin(dp.lazyframe_domain(columns), margin),
        dp.symmetric_distance(),
        dp.max_divergence(),
        pl.LazyFrame(schema=schema).group_by("group").agg(total),
    )

    def release(cell: float) -> float:
        table = pl.LazyFrame({"group": ["a"] * rows, "x": [int(cell)] * rows}, schema=schema)
        return float(mechanism(table).collect()["x"].item())

    return release, Fraction(mechanism.map(2 * rows))


def opendp_merged_count(*, groups: int) -> tuple[OfNumber, Fraction]:
    """Return the count of the rows of some persons, and the rho that its map says one person costs.

    Each person has a row in each of so many groups, which is the most that is kept; then all groups become one.
    """
    import polars as pl

    dp = _opendp()
    schema = pl.Schema(dict.fromkeys(("person", "group"), pl.Int64))
    counts = (
        pl.LazyFrame(schema=schema)
        .filter(pl.int_range(pl.len()).over("person", "group") < 1)
        .filter(pl.struct("group").rank("dense").over("person") <= groups)
        .with_columns(group=pl.lit(0, dtype=pl.Int64))
        .group_by("group")
        .agg(dp.len(scale=1.0, signed=True))
    )
    mechanism = dp.m.make_private_lazyframe(
        dp.lazyframe_domain([dp.series_domain(name, dp.atom_domain(T="i64")) for name in schema]),
        dp.symmetric_id_distance(identifier=pl.col("person")),
        dp.zero_concentrated_divergence(),
        pl.LazyFrame({"group": [0]}).join(counts, on="group", how="left"),
    )

    def release(persons: float) -> float:
        rows = {"person": sorted([*range(int(persons))] * groups), "group": [*range(groups)] * int(persons)}
        return float(mechanism(pl.LazyFrame(rows, schema=schema)).collect()["len"].item())

    return release, Fraction(mechanism.map(1))


def python_dp_laplace(epsilon: Fraction) -> OfNumber:
    from pydp.algorithms.numerical_mechanisms import LaplaceMechanism

    mechanism = LaplaceMechanism(epsilon=float(epsilon), sensitivity=1)
    return lambda value: float(mechanism.add_noise(value))


def python_dp_sum(epsilon: Fraction, bounds: Bounds) -> OfRows:
    from pydp.algorithms.laplacian import BoundedSum

    lower, upper = (float(bound) for bound in bounds)

    def release(rows: Sequence[float]) -> float:
        algorithm = BoundedSum(epsilon=float(epsilon), lower_bound=lower, upper_bound=upper, dtype="float")
        return float(algorithm.quick_result(list(rows)))

    return release
