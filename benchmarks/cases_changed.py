"""Work whose cost is compared with that of an earlier commit: short vectors, lists, many groups, laws.

Uses public names only where it can, and none that an earlier commit lacks: `before.py` runs these cases on both.
"""

from __future__ import annotations

import random
from fractions import Fraction

import snapdp
from case import Case, Step, calls
from cases_ours import inputs, mechanism
from snapdp.release.draw import Drawn, derived_blocks
from snapdp.studies.columns import category_column, number_column
from snapdp.studies.plans.lines import Line
from snapdp.studies.relation import add_remove
from snapdp.studies.statistics.mean import mean_query
from snapdp.studies.statistics.parts import mechanism as mechanism_of

LIST = 10**5
GROUPS = 10**4
INDICES = 16_000


def short_vector() -> Step:
    m, values = mechanism("natural"), inputs(1_000)
    return calls(lambda: m.release(values), 20)


def array() -> Step:
    m, values = mechanism(), inputs(LIST)
    return lambda: m.release(values)


def floats() -> Step:
    m, values = mechanism(), inputs(LIST).tolist()
    return lambda: m.release(values)


def integers() -> Step:
    m, values = mechanism(), inputs(LIST).astype(int).tolist()
    return lambda: m.release(values)


def means() -> Step:
    """The derived means of many groups, after the draw."""
    column = number_column("pay", lower=0, upper=100_000, step=1, missing="middle")
    groups = category_column("g", categories=[str(i) for i in range(GROUPS)])
    line = Line(statistic=mean_query(column, add_remove(n_max=10**7), by=groups), epsilon=Fraction(1))
    pick, drawn = random.Random(1), []
    for part in line.query.parts:
        indices = [pick.randrange(100, 10**6) for _ in range(GROUPS)]
        drawn.append(Drawn(line=line, part=part, mechanism=mechanism_of(part, line.epsilon), indices=indices))
    return lambda: list(derived_blocks([drawn]))


def moments() -> Step:
    """Bias and mean squared error in finite precision, summed over 16,000 indices."""
    finite = snapdp.FinitePrecision()
    m = snapdp.Snapping(epsilon=1, sensitivity=1, lower=0, upper=INDICES, arithmetic=finite)

    def step() -> None:
        law = m.law(INDICES // 3)
        assert law.bias.lower <= law.mse.upper

    return step


CASES = [
    Case("vector 1e3", "vector", 20 * 1_000, short_vector),
    Case("array 1e5", "vector", LIST, array),
    Case("list of floats 1e5", "vector", LIST, floats),
    Case("list of ints 1e5", "vector", LIST, integers),
    Case("derived means, one group", "scalar", GROUPS, means),
    Case("moments over 16,000 indices", "scalar", 1, moments),
]
