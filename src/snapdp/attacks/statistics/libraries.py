"""Sums and means of other libraries, where they are installed: each is imported when one of its releases is made.

Room: attacks. Each claims what its library says of a row that changes: epsilon as given, or what its privacy map
returns; epsilon for a row that appears or disappears is twice that for a row that changes.
"""

from __future__ import annotations

from fractions import Fraction

from snapdp.attacks.statistics.equal_columns import Releases, one_by_one

Bounds = tuple[int, int]


def diffprivlib_of_column(function: str, *, epsilon: Fraction, bounds: Bounds) -> Releases:
    """Return releases of a column by diffprivlib: "sum", "mean" or "nanmean"."""
    import numpy as np
    from diffprivlib import BudgetAccountant, tools

    release = getattr(tools, function)
    unlimited = BudgetAccountant()
    return one_by_one(
        lambda cells: float(release(np.array(cells), epsilon=float(epsilon), bounds=bounds, accountant=unlimited))
    )


def opendp_sum(*, rows: int, bounds: Bounds) -> tuple[Releases, Fraction]:
    """Return releases of a sum of so many doubles by OpenDP, and what its map says that they lose: 1, or a hair more.

    It makes room for the rounding of its own sum: the noise is for a sensitivity of 49 where the bounds are 1 apart.
    """
    import opendp.prelude as dp

    dp.enable_features("contrib")
    lower, upper = map(float, bounds)
    space = dp.vector_domain(dp.atom_domain(bounds=(lower, upper), nan=False), size=rows), dp.symmetric_distance()
    total = space >> dp.t.then_sum()
    changed = 2  # a row that changes is one that goes and one that comes
    mechanism = total >> dp.m.then_laplace(scale=total.map(changed))
    return one_by_one(lambda cells: float(mechanism(list(cells)))), Fraction(mechanism.map(changed))


def python_dp_sum(*, epsilon: Fraction, bounds: Bounds) -> Releases:
    """Return releases of a sum by python-dp, which protects a row that appears: half of epsilon each."""
    from pydp.algorithms.laplacian import BoundedSum

    lower, upper = map(float, bounds)

    def release(cells: object) -> float:
        total = BoundedSum(epsilon=float(epsilon / 2), lower_bound=lower, upper_bound=upper, dtype="float")
        return float(total.quick_result(list(cells)))  # type: ignore[call-overload]

    return one_by_one(release)
