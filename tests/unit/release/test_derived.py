"""Derived numbers: equal to an exact recomputation from the record, and intervals that hold the truth often enough."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from snapdp.release.draw import Drawn, derived_blocks
from snapdp.studies.columns import category_column, integer_column, number_column
from snapdp.studies.conditions import condition
from snapdp.studies.plans.lines import Line
from snapdp.studies.relation import add_remove, change_one
from snapdp.studies.statistics import mean
from snapdp.studies.statistics.counts import count_query
from snapdp.studies.statistics.covariance import covariance_query
from snapdp.studies.statistics.histogram import histogram_query
from snapdp.studies.statistics.mean import mean_query
from snapdp.studies.statistics.parts import mechanism
from snapdp.studies.statistics.sum import sum_query
from snapdp.studies.statistics.variance import variance_query
from tests.unit.release.people import released

F = Fraction
X = integer_column("x", lower=0, upper=2, missing="middle")
Y = number_column("y", lower=500, upper=501, step="1/2", missing="middle")
G = category_column("g", categories=["a", "b"])
FIFTH = F(1, 5)


# Equal to a recomputation from the record


def statistics_of(part):
    """Return the exact statistics that a part of a record says, from its indices and parameters alone."""
    shift, factor, grid = (F(part[name]) for name in ("shift", "factor", "grid"))
    low, high = (F(end) for end in part["clamp"])
    return [shift + factor * min(max(grid * index, low), high) for index in part["index"]]


def is_nearest_root(x: float, square: Fraction) -> bool:
    """Tell whether x is one of the two doubles next to the root of a number that is not negative."""
    below, above = math.nextafter(x, -math.inf), math.nextafter(x, math.inf)
    return (below < 0 or F(below) ** 2 <= square) and F(above) ** 2 >= square


def statistics(*kinds):
    found = {
        "mean": {"kind": "mean", "column": "pay", "by": "region", "count_share": "1/3"},
        "variances": {"kind": "variance", "column": "pay"},
        "variance": {"kind": "variance", "column": "age"},
        "covariance": {"kind": "covariance", "columns": ["age", "pay"]},
        "histogram": {"kind": "histogram", "column": "region"},
    }
    return [{**found[kind], "epsilon": 5} for kind in kinds]


@pytest.mark.parametrize("relation", ["change-one", "add-remove"])
def test_means_and_shares_follow_from_the_indices_of_the_record(relation, tmp_path):
    record = released(tmp_path, *statistics("mean", "histogram"), relation=relation).record
    means, shares = record["derived"]
    sums, counts = map(statistics_of, record["statistics"][0]["parts"])
    middle = F(750)
    for value, s, n in zip(means["value"], sums, counts, strict=True):
        exact = middle if n <= 0 else min(max(middle + s / n, F(500)), F(1000))
        assert value == exact.numerator / exact.denominator
    cells = statistics_of(record["statistics"][1]["parts"][0])
    total = 4 if relation == "change-one" else sum(max(F(0), each) for each in cells)
    for value, count in zip(shares["value"], cells, strict=True):
        exact = min(max(count, F(0)) / total, F(1)) if total else F(0)
        assert value == exact.numerator / exact.denominator
    assert all((low is None) == (relation == "add-remove") for low in shares["low"])


def test_deviations_and_correlations_follow_from_the_indices_of_the_record(tmp_path):
    record = released(tmp_path, *statistics("variance", "variances", "covariance")).record
    (age,), (pay,), (both,) = (statistics_of(each["parts"][0]) for each in record["statistics"])
    blocks = {each["title"]: each for each in record["derived"]}
    assert list(blocks) == ["standard deviation(age)", "standard deviation(pay)", "correlation(age, pay)"]
    for name, variance in (("age", age), ("pay", pay)):
        (value,) = blocks[f"standard deviation({name})"]["value"]
        assert is_nearest_root(value, max(variance, F(0)))
    (value,) = blocks["correlation(age, pay)"]["value"]
    if min(age, pay) <= 0:
        assert value == 0
    else:
        assert is_nearest_root(abs(value), min(both * both / (age * pay), F(1)))
        assert value == 0 or (value < 0) == (both < 0)


# By hand-made indices, without a ledger


def drawn(query, index, *, part=0, epsilon=1, alpha=FIFTH):
    return Drawn(
        line=Line(statistic=query, epsilon=F(epsilon), alpha=alpha),
        part=query.parts[part],
        mechanism=mechanism(query.parts[part], epsilon),
        indices=(index,) * query.cells,
    )


def index_near(query, statistic, *, epsilon):
    p, numerator = mechanism(query.parts[0], epsilon).parameters, query.parts[0].numerator
    index = round((statistic - numerator.shift) / numerator.factor / p.grid)
    return min(max(index, p.low), p.high)


def test_a_deviation_in_tiny_units_is_not_lost():
    """A root was once computed in steps of 2**-80: below that nothing was left of it."""
    tiny = number_column("x", lower=0, upper=F(1, 2**100), missing="middle")
    query = variance_query(tiny, change_one(n=1000))
    variance = F(1, 2**203)
    (_, block), *_ = derived_blocks([[drawn(query, index_near(query, variance, epsilon=100), epsilon=100)]])
    (value,), (low,), (high,) = block.values, block.lows, block.highs
    assert is_nearest_root(value, drawn(query, index_near(query, variance, epsilon=100), epsilon=100).statistic(0))
    assert 0 < low < value < high < 2 * value


def signed_square(x):
    return F(x) * abs(F(x))


@given(
    epsilon=st.sampled_from([1, 20, 1000, 10**6]),
    near=st.tuples(*[st.floats(-1, 1)] * 3),
    inside=st.tuples(*[st.floats(0, 1)] * 3),
)
def test_a_correlation_of_anything_inside_the_intervals_is_inside_its_interval(epsilon, near, inside):
    relation = change_one(n=1000)
    queries = [covariance_query(X, Y, relation), variance_query(X, relation), variance_query(Y, relation)]
    parts = []
    for query, place in zip(queries, near, strict=True):
        p = mechanism(query.parts[0], epsilon).parameters
        parts.append([drawn(query, round(F(place) * (p.upper / p.grid)), epsilon=epsilon)])
    (block,) = (block for _, block in derived_blocks(parts) if block.name == "correlation")
    ends = [part.interval(0, part.line.alpha / 3) for (part,) in parts]
    both, x, y = (low + F(where) * (high - low) for (low, high), where in zip(ends, inside, strict=True))
    assert -1 <= block.lows[0] <= block.highs[0] <= 1
    if x > 0 and y > 0 and both * both <= x * y:
        r = (-1 if both < 0 else 1) * both * both / (x * y)
        assert signed_square(block.lows[0]) <= r <= signed_square(block.highs[0])


# Coverage, by the exact law


def covered(query, truth, *, alpha, holds, epsilon=1):
    """Return a lower bound on the probability that the published interval of a numerator holds the truth."""
    m = mechanism(query.parts[0], epsilon)
    law = m.law(truth)
    mass = F(0)
    for index in range(m.parameters.low, m.parameters.high + 1):
        block = drawn(query, index, epsilon=epsilon, alpha=alpha).block
        if holds(block.lows[0], block.highs[0]):
            mass += law.index_probability(index).lower
    return mass


QUERIES = [
    count_query(add_remove(n_max=5)),
    count_query(change_one(n=5), where=[condition(X, start=1)]),
    sum_query(X, change_one(n=3)),
    sum_query(integer_column("x", lower=-1, upper=3, missing="middle"), add_remove(n_max=2)),
    mean_query(number_column("y", lower=500, upper=501, step=1, missing="middle"), change_one(n=2)),
    histogram_query(G, change_one(n=3)),
]


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: f"{query.relation.kind} {query.title}")
@pytest.mark.parametrize("alpha", [F(1, 20), F(1, 2)])
def test_a_published_interval_holds_the_statistic_with_probability_1_minus_alpha(query, alpha):
    numerator = query.parts[0].numerator
    for truth in sorted({numerator.lower, (numerator.lower + numerator.upper) // 2, numerator.upper}):
        statistic = numerator.statistic(truth)
        mass = covered(query, truth, alpha=alpha, holds=lambda low, high, f=statistic: low <= f <= high)
        assert 1 - alpha <= mass <= 1


def test_the_test_of_coverage_would_see_an_interval_that_is_too_short():
    query = QUERIES[0]
    mass = covered(query, 3, alpha=F(1, 20), holds=lambda low, high: low + 1 <= 3 <= high - 1)
    assert mass < F(19, 20)


@pytest.mark.parametrize(
    ("centred", "count"),
    [
        pytest.param((0, 0), 0, marks=pytest.mark.long),
        pytest.param((-2, 3), 1, marks=pytest.mark.long),
        ((4, -9), 3),
    ],
)
def test_each_of_two_means_that_share_a_count_is_covered_with_probability_1_minus_alpha(centred, count):
    """The law of two pairs, which have the count in common; and the twin: an interval of nothing but the value."""
    columns = [X, integer_column("y", lower=-3, upper=0, missing="dropped")]
    query = mean_query([someone(X), columns[1]], add_remove(n_max=3), complete=True)
    assert [part.share for part in query.parts] == [F(3, 10), F(3, 10), F(2, 5)]
    chances = []
    for part, truth in enumerate((*centred, count)):
        m = mechanism(query.parts[part], 12)
        law, p = m.law(truth), m.parameters
        near = [k for k in range(p.low, p.high + 1) if abs(k * p.grid - truth) <= 6 * p.noise_scale]
        chances.append([(drawn(query, k, part=part, epsilon=12), law.index_probability(k).lower) for k in near])
    first, second = chances[0][len(chances[0]) // 2][0], chances[1][len(chances[1]) // 2][0]
    for place, column in enumerate(columns):
        mean = column.middle if count == 0 else column.middle + F(centred[place], 2) / count
        mass = alone = F(0)
        for sums, p in chances[place]:
            for counts, q in chances[2]:
                pair = (sums, second) if place == 0 else (first, sums)
                block = [block for _, block in derived_blocks([[*pair, counts]])][place]
                assert block.name == f"mean of {column.name}"
                assert column.lower <= block.lows[0] <= block.highs[0] <= column.upper
                mass += p * q if block.lows[0] <= mean <= block.highs[0] else 0
                alone += p * q if block.values[0] == mean else 0
        assert F(4, 5) <= mass <= 1
        assert count == 0 or alone < F(4, 5)


def someone(column):
    return integer_column(column.name, lower=column.lower, upper=column.upper, missing="dropped")


# Many groups: integers over public denominators give the rows that fractions give


@pytest.mark.parametrize("seed", range(40))
def test_few_means_are_those_of_many(seed, monkeypatch):
    """Few are computed in fractions, many in columns of integers: values and ends are the same doubles."""
    dice = random.Random(seed)
    lower, upper = dice.choice([(-7, 9), (0, "22/7"), ("1/3", 9)])
    column = number_column("x", lower=lower, upper=upper, step="1/21", missing="dropped")
    query = mean_query(column, add_remove(n_max=dice.choice([5, 1000, 10**9])))
    epsilon = dice.choice([F(1, 100), F(1), F(100)])
    pairs = [
        [dice.randrange(-(10**far), 10**far + 1) for far in (dice.randrange(7), dice.randrange(7))] for _ in range(9)
    ]
    parts = [[drawn(query, index, part=i, epsilon=epsilon) for i, index in enumerate(pair)] for pair in pairs]

    def means():
        blocks = (block for pair in parts for _, block in derived_blocks([pair]))
        return [(*block.values, *block.lows, *block.highs) for block in blocks]

    few = means()
    monkeypatch.setattr(mean, "FEW_CELLS", -1)
    assert means() == few
