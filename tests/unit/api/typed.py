"""Read by mypy, never run: what a type checker knows of the public names; `# error` marks what it must refuse."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import polars as pl
from numpy.typing import NDArray

import snapdp

m = snapdp.Snapping(
    epsilon="0.5", sensitivity=1, lower=0.0, upper=Fraction(1000), step=Decimal("0.5"), clamp=(-5, 2000)
)
snapdp.Snapping(epsilon=np.float64(1), sensitivity=np.int64(1), lower=0, upper=9, clamp="range", grid="natural")
snapdp.Snapping(epsilon=[1], sensitivity=1, lower=0, upper=9)  # error
snapdp.Snapping(epsilon=1, sensitivity=None, lower=0, upper=9)  # error
snapdp.Snapping(epsilon=1, sensitivity=1, lower=0, upper=9, clamp=3)  # error

array = np.zeros(3)
one: float = m.release(412)
same: float = m.release(Fraction(1, 3))
several: NDArray[np.float64] = m.release(array)
listed: NDArray[np.float64] = m.release([1, 2.5])
filled: NDArray[np.float64] = m.release(array, out=array)
series: pl.Series = m.release(pl.Series("x", [1, 2]))
index: int = m.release_index(412)
indices: NDArray[np.int64] = m.release_index(array)
wrong: str = m.release(412)  # error
text = m.release("412")  # error
scalar_out = m.release(412, out=array)  # error
no_array: float = m.release(array)  # error

law = m.law("412.5")
high: Fraction = law.quantile("0.975")
law.probability(400, 420)
law.probability([400])  # error
m.accuracy(alpha=[0.05])  # error


def doubled(epsilon: snapdp.Parameter) -> snapdp.Snapping:
    return snapdp.Snapping(epsilon=epsilon, sensitivity=1, lower=0, upper=9)


asked = snapdp.mean(
    pl.Series("age", [1, 2]), bounds=(0, Fraction(120)), missing="dropped", epsilon=1, ledger="a.ledger"
)
value: float = float(asked)
snapdp.mean([1, 2], bounds=(0, 120), epsilon=[1])  # error
snapdp.sum([1, 2], bounds=(0, 120), ledger=3)  # error
snapdp.mean([1, 2], epsilon=1)  # error
snapdp.persons("visits.csv", by="ward", groups=["a"], groups_per_person=2, epsilon=1, ledger="a.ledger")
snapdp.persons("visits.csv", groups_per_person=[2])  # error
snapdp.count("visits.csv", rows_per_person=[2])  # error
