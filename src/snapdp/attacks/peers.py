"""Releases of other libraries, where they are installed: each is imported when one of its releases is made.

Room: attacks. What is not installed raises an ImportError, and its row says "absent". Nothing of snapdp depends on
them. A release claims what its library says it does: epsilon as given, or what its privacy map returns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

Bounds = tuple[float, float]
OfNumber = Callable[[float], float]
OfRows = Callable[[Sequence[float]], float]
SLOW = 1_000  # outputs of a release that takes a millisecond


def diffprivlib_laplace(epsilon: Fraction) -> OfNumber:
    from diffprivlib.mechanisms import Laplace

    mechanism = Laplace(epsilon=float(epsilon), sensitivity=1)
    return lambda value: float(mechanism.randomise(value))


def diffprivlib_sum(epsilon: Fraction, bounds: Bounds) -> OfRows:
    import numpy as np
    from diffprivlib import BudgetAccountant, tools

    return lambda rows: float(
        tools.sum(np.array(rows), epsilon=float(epsilon), bounds=bounds, accountant=BudgetAccountant())
    )


def diffprivlib_mean(epsilon: Fraction, bounds: Bounds) -> OfRows:
    import numpy as np
    from diffprivlib import BudgetAccountant, tools

    return lambda rows: float(
        tools.mean(np.array(rows), epsilon=float(epsilon), bounds=bounds, accountant=BudgetAccountant())
    )


def opendp_laplace(epsilon: Fraction) -> OfNumber:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    domain, metric = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    mechanism = dp.m.make_laplace(domain, metric, scale=float(1 / epsilon))
    return lambda value: float(mechanism(value))


def opendp_sum(epsilon: Fraction, bounds: Bounds) -> tuple[OfRows, Fraction]:
    """Return the sum, and what it says it loses: a hair more than asked for, because of its own sum in doubles."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=float)), dp.symmetric_distance()
    clamped = space >> dp.t.then_impute_constant(bounds[0]) >> dp.t.then_clamp(bounds)
    mechanism = clamped >> dp.t.then_sum() >> dp.m.then_laplace(scale=(bounds[1] - bounds[0]) / float(epsilon))
    changed = 2  # a row that changes is one that goes and one that comes
    return (lambda rows: float(mechanism(list(rows)))), Fraction(mechanism.map(changed))


def python_dp_laplace(epsilon: Fraction) -> OfNumber:
    from pydp.algorithms.numerical_mechanisms import LaplaceMechanism

    mechanism = LaplaceMechanism(epsilon=float(epsilon), sensitivity=1)
    return lambda value: float(mechanism.add_noise(value))


def python_dp_sum(epsilon: Fraction, bounds: Bounds) -> OfRows:
    from pydp.algorithms.laplacian import BoundedSum

    lower, upper = bounds

    def release(rows: Sequence[float]) -> float:
        algorithm = BoundedSum(epsilon=float(epsilon), lower_bound=lower, upper_bound=upper, dtype="float")
        return float(algorithm.quick_result(list(rows)))

    return release
