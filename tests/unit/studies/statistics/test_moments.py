"""Variances, covariances and correlations from centred sums and a count: exact, and intervals that hold the truth."""

from __future__ import annotations

import math
import statistics
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, strategies as st

from snapdp.errors import ParameterError, PremiseError
from snapdp.release.draw import Drawn, derived_blocks
from snapdp.studies.columns import category_column, integer_column, number_column
from snapdp.studies.plans.lines import Line, ask, part_accuracy
from snapdp.studies.relation import add_remove, change_one
from snapdp.studies.statistics.centred import moment_accuracy, moments, possible_moment
from snapdp.studies.statistics.covariance import covariance_query
from snapdp.studies.statistics.parts import Part, mechanism
from snapdp.studies.statistics.variance import Variance, variance_query

F = Fraction
X = integer_column("x", lower=0, upper=4, missing="dropped")
Y = number_column("y", lower=500, upper=501, step="1/2", missing="dropped")
RELATION = add_remove(n_max=400)
ALPHA = F(1, 5)


def drawn(query, indices, *, epsilon=1, alpha=ALPHA):
    """Return parts as they would be after a draw: a list of indices for each, one for each cell."""
    line = Line(statistic=query, epsilon=F(epsilon), alpha=alpha)
    return [
        Drawn(line=line, part=part, mechanism=mechanism(part, epsilon), indices=tuple(each))
        for part, each in zip(query.parts, indices, strict=True)
    ]


def nearest(query, table, *, epsilon):
    """Return the index next to the truth of each part, for a list of rows of numbers."""
    middles = [column.middle for column in query.columns]
    rows = [[F(cell) - middle for cell, middle in zip(row, middles, strict=True)] for row in table]
    found = []
    for term, part in zip((*query.terms, None), query.parts, strict=True):
        if term is None:
            total = F(len(rows))
        else:
            first = query.columns.index(term.first)
            second = None if term.second is None else query.columns.index(term.second)
            lack = ((term.first.upper - term.first.lower) / 2) ** 2 / 2 if term.is_square else 0
            total = sum((row[first] * (1 if second is None else row[second]) - lack for row in rows), F(0))
        p = mechanism(part, epsilon).parameters
        found.append([min(max(round(total / part.numerator.factor / p.grid), p.low), p.high)])
    return found


def sample_moment(table, first, second):
    xs, ys = ([F(row[i]) for row in table] for i in (first, second))
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - mx) * (y - my) for x, y in zip(xs, ys, strict=True)) / (len(table) - 1)


# Without noise


TABLE = [(0, F(500)), (4, F(501)), (1, F(1001, 2)), (1, F(500)), (3, F(501)), (2, F(501)), (4, F(501))]


def test_without_noise_the_textbook_numbers_follow_divided_by_one_row_less():
    query = covariance_query(X, Y, RELATION, correlation=True)
    parts = drawn(query, nearest(query, TABLE, epsilon=10**6), epsilon=10**6)
    covariance, correlation = (block for _, block in derived_blocks([parts]))
    assert covariance.values == (float(sample_moment(TABLE, 0, 1)),)
    xs, ys = ([float(row[i]) for row in TABLE] for i in (0, 1))
    assert correlation.values[0] == pytest.approx(statistics.correlation(xs, ys), rel=1e-12)
    assert (covariance.name, covariance.statistic) == ("covariance", "covariance(x, y)")
    assert (correlation.name, correlation.statistic) == ("correlation", "correlation(x, y)")
    query = variance_query(X, RELATION)
    parts = drawn(query, nearest(query, [row[:1] for row in TABLE], epsilon=10**6), epsilon=10**6)
    variance, deviation = (block for _, block in derived_blocks([parts]))
    assert variance.values == (float(sample_moment(TABLE, 0, 0)),)
    assert variance.values[0] == pytest.approx(statistics.variance(xs))
    assert deviation.values == (math.sqrt(variance.values[0]),)
    assert (deviation.name, deviation.statistic) == ("standard deviation", "standard deviation(x)")


def test_of_fewer_than_two_rows_nothing_is_known_and_the_middle_of_what_is_possible_stands_there():
    for rows in (0, 1, 2):
        query = variance_query(X, RELATION)
        parts = drawn(query, nearest(query, [(4,)] * rows, epsilon=10), epsilon=10)
        variance, deviation = (block for _, block in derived_blocks([parts]))
        assert (variance.lows[0], variance.highs[0]) == (0, 8)
        assert (deviation.lows[0], deviation.highs[0]) == (0, pytest.approx(math.sqrt(8)))
        assert variance.values[0] == (4 if rows < 2 else 0)
        query = covariance_query(X, Y, RELATION, correlation=True)
        parts = drawn(query, nearest(query, [(4, 500)] * rows, epsilon=10), epsilon=10)
        covariance, correlation = (block for _, block in derived_blocks([parts]))
        assert (covariance.lows[0], covariance.values[0], covariance.highs[0]) == (-2, 0, 2)
        assert (correlation.lows[0], correlation.values[0], correlation.highs[0]) == (-1, 0, 1)


def test_two_rows_from_bound_to_bound_have_the_largest_moments_there_are():
    assert possible_moment(X, X) == (0, sample_moment([(0,), (4,)], 0, 0)) == (0, 8)
    assert possible_moment(X, Y) == (-2, sample_moment([(0, 500), (4, 501)], 0, 1))


# Intervals: all that is inside the intervals of the parts, and nothing else


def by_trying(parts, columns, places, alpha):
    """Return the least and the largest moment of all whole N and all corners of the other parts, inside what can be."""
    first, second = columns
    (s0, s1), (t0, t1), ends, rows = (parts[i].interval(0, alpha) for i in (*places, -1))
    lack = (first.upper - first.lower) ** 2 / 8 if first == second else F(0)
    low, high = possible_moment(first, second)
    fewest, most = math.ceil(rows[0]), math.floor(rows[1])
    if fewest < 2:
        return low, high
    products = (
        [s * s for s in (s0, s1, F(0)) if s0 <= s <= s1] if first == second else list(product_of((s0, s1), (t0, t1)))
    )
    found = [(end + lack * n - t / n) / (n - 1) for n in range(fewest, most + 1) for end in ends for t in products]
    largest = high * 2 * F(fewest * fewest // 4, fewest * (fewest - 1))
    smallest = F(0) if first == second else -largest
    return tuple(min(max(end, smallest), largest) for end in (min(found), max(found)))


def product_of(first, second):
    return (a * b for a, b in product(first, second))


@given(
    epsilon=st.sampled_from([F(1, 2), 2, 10, 1000]),
    near=st.lists(st.floats(-1, 1), min_size=6, max_size=6),
    rows=st.integers(0, 60),
)
def test_an_interval_is_the_hull_of_all_moments_inside_the_intervals_of_the_parts(epsilon, near, rows):
    query = covariance_query(X, Y, RELATION, correlation=True)
    indices = []
    for part, place in zip(query.parts, near, strict=True):
        p = mechanism(part, epsilon).parameters
        reach = rows * part.numerator.upper / RELATION.rows
        indices.append(
            [min(max(round((rows if part is query.parts[-1] else F(place) * reach) / p.grid), p.low), p.high)]
        )
    parts = drawn(query, indices, epsilon=epsilon)
    for columns, places in (((X, Y), (0, 1, 2)), ((X, X), (0, 0, 3)), ((Y, Y), (1, 1, 4))):
        sums = [parts[0], parts[1]] if columns == (X, Y) else [parts[places[0]]]
        (found,) = moments(*columns, sums=sums, products=parts[places[2]], counts=parts[-1], alpha=ALPHA / 6)
        assert (found.low, found.high) == by_trying(parts, columns, places, ALPHA / 6)
        low, high = possible_moment(*columns)
        assert low <= found.low <= found.high <= high
        assert low <= found.value <= high


def test_a_turning_point_between_the_ends_of_the_count_is_found():
    """All rows at the bounds, most of them at one: the variance is largest inside the interval of rows."""
    query = variance_query(X, RELATION)
    table = [(4,)] * 24 + [(0,)] * 4
    parts = drawn(query, nearest(query, table, epsilon=2), epsilon=2)
    (found,) = moments(X, X, sums=parts[:1], products=parts[1], counts=parts[2], alpha=ALPHA / 3)
    assert (found.low, found.high) == by_trying(parts, (X, X), (0, 0, 1), ALPHA / 3)
    (c0, _), (_, e1), (n0, n1) = (part.interval(0, ALPHA / 3) for part in parts)
    assert c0 > 0

    def at(n):
        return (e1 + 2 * n - c0 * c0 / n) / (n - 1)

    assert found.high > max(at(math.ceil(n0)), at(math.floor(n1)))  # the twin: the ends alone would miss it


# Coverage, by the exact law


def chances(part, truth, epsilon, scales):
    m = mechanism(part, epsilon)
    law, p = m.law(truth), m.parameters
    near = [k for k in range(p.low, p.high + 1) if abs(k * p.grid - truth) <= scales * p.noise_scale]
    return [(k, law.index_probability(k).lower) for k in near]


@pytest.mark.parametrize("table", [[0, 4, 4], pytest.param([2, 2, 3, 0], marks=pytest.mark.long)])
def test_a_derived_variance_is_covered_with_probability_1_minus_alpha(table):
    """The law of three parts, drawn independently; what is beyond five scales is left out, as not covered."""
    x = integer_column("x", lower=0, upper=4, missing="dropped")
    query, epsilon = Variance.of(x, relation=add_remove(n_max=4)), 30
    centred = [2 * cell - 4 for cell in table]
    truths = sum(centred), sum(2 * d * d - 16 for d in centred), len(table)
    found = [chances(part, truth, epsilon, 5) for part, truth in zip(query.parts, truths, strict=True)]
    every = list(product(*found))
    parts = drawn(query, [[each[i][0] for each in every] for i in range(3)], epsilon=epsilon)
    covered = alone = F(0)
    truth = sample_moment([(cell,) for cell in table], 0, 0)
    cells = moments(x, x, sums=parts[:1], products=parts[1], counts=parts[2], alpha=ALPHA / 3)
    for ((_, p), (_, q), (_, r)), cell in zip(every, cells, strict=True):
        covered += p * q * r if cell.low <= truth <= cell.high else 0
        alone += p * q * r if cell.value == truth else 0
    assert 1 - ALPHA <= covered <= 1
    assert alone < 1 - ALPHA  # the twin: an interval of nothing but the value


@given(
    near=st.tuples(*[st.floats(-1, 1)] * 5),
    inside=st.tuples(*[st.floats(0, 1)] * 6),
    epsilon=st.sampled_from([10, 1000, 10**5]),
)
def test_a_correlation_of_any_table_inside_the_intervals_is_inside_its_interval(near, inside, epsilon):
    query, rows = covariance_query(X, Y, RELATION, correlation=True), 200
    indices = []
    for part, place in zip(query.parts, (*near, None), strict=True):
        p, reach = mechanism(part, epsilon).parameters, rows * part.numerator.upper / RELATION.rows
        indices.append([round((rows if place is None else F(place) * reach) / p.grid)])
    parts = drawn(query, indices, epsilon=epsilon)
    _, block = (block for _, block in derived_blocks([parts]))
    ends = [part.interval(0, ALPHA / 6) for part in parts]
    sx, sy, both, ex, ey, n = (low + F(where) * (high - low) for (low, high), where in zip(ends, inside, strict=True))
    n = F(max(math.ceil(ends[-1][0]), math.floor(n)))
    assert -1 <= block.lows[0] <= block.highs[0] <= 1
    x, y, c = ex + 2 * n - sx * sx / n, ey + n / 8 - sy * sy / n, both - sx * sy / n
    if x > 0 and y > 0 and c * c <= x * y:
        r = c * abs(c) / (x * y)
        low, high = (F(end) * abs(F(end)) for end in (block.lows[0], block.highs[0]))
        assert low <= r <= high


# What a plan says of a guessed number of rows


@given(
    cells=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), min_size=2, max_size=12),
    errors=st.tuples(*[st.floats(-1, 1)] * 5),
    accuracies=st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 9), st.integers(0, 3)),
)
def test_the_accuracy_of_a_guess_holds_for_every_table_of_so_many_rows(cells, errors, accuracies):
    of_x, of_y, of_both, of_count = map(F, accuracies)
    table = [(F(a), 500 + F(b, 2)) for a, b in cells]
    n, dx, dy = len(table), [a - 2 for a, _ in table], [b - F(1001, 2) for _, b in table]
    noisy = n + round(F(errors[3]) * of_count)
    for columns, xs, ys, lack, ax, ay in (
        ((X, X), dx, dx, F(2), of_x, of_x),
        ((X, Y), dx, dy, F(0), of_x, of_y),
    ):
        inputs = (ax, ay, of_both, of_count) if columns[0] != columns[1] else (ax, of_both, of_count)
        bound = moment_accuracy(*columns, RELATION, accuracies=inputs, rows=n)
        truth = sample_moment([(x, y) for x, y in zip(xs, ys, strict=True)], 0, 1)
        low, high = possible_moment(*columns)
        value = (low + high) / 2
        if noisy >= 2:
            sx = sum(xs) + F(errors[0]) * ax
            sy = sx if columns[0] == columns[1] else sum(ys) + F(errors[1]) * ay
            both = sum(x * y - lack for x, y in zip(xs, ys, strict=True)) + F(errors[2]) * of_both
            value = min(max((both + lack * noisy - sx * sy / noisy) / (noisy - 1), low), high)
        assert abs(value - truth) <= bound
        more = moment_accuracy(*columns, RELATION, accuracies=inputs, rows=n + 1)
        assert more <= bound


def test_the_accuracy_of_a_guess_is_attained_up_to_a_few_percent():
    """The twin: nine tenths of it would not hold, at constant cells on a bound and errors that are small beside n."""
    n, of_x, of_squares, of_count = 10**6, F(3), F(5), F(2)
    bound = moment_accuracy(X, X, add_remove(n_max=n), accuracies=(of_x, of_squares, of_count), rows=n)
    sums, squares, rows = 2 * n - of_x, 2 * n + of_squares, n + of_count
    value = (squares + 2 * rows - sums * sums / rows) / (rows - 1)  # the truth is 0
    assert bound * F(9, 10) < value <= bound


def test_a_plan_answers_a_guess_and_promises_no_accuracy():
    line = Line(statistic=variance_query(X, RELATION), epsilon=F(1))
    assert line.accuracy is None
    assert line.derived_accuracy(100) > line.derived_accuracy(400) > 0
    assert line.derived_accuracy(2) == 8  # everything that a variance can be
    assert line.derived_accuracies(300) == (line.derived_accuracy(300),)
    with pytest.raises(ParameterError, match="rows = 401 is more than the 400 declared"):
        line.derived_accuracy(401)
    with pytest.raises(PremiseError, match="computed from sums and a count"):
        ask(variance_query(X, RELATION), accuracy=1)
    with pytest.raises(PremiseError, match="computed from sums and a count"):
        ask(covariance_query(X, Y, RELATION), accuracy=1)
    alone = Line(
        statistic=variance_query(integer_column("x", lower=0, upper=4, missing=0), change_one(n=9)), epsilon=F(1)
    )
    with pytest.raises(ParameterError, match="is released itself"):
        alone.derived_accuracy(9)


def test_many_groups_are_derived_each_from_its_own_numbers():
    groups = category_column("g", categories=[f"key {i}" for i in range(300)])
    query = variance_query(X, RELATION, by=groups)
    one = variance_query(X, RELATION)
    indices = [[(7 * i) % 90 - 20 for i in range(300)], [(3 * i) % 50 - 25 for i in range(300)], list(range(300))]
    blocks = [block for _, block in derived_blocks([drawn(query, indices)])]
    for cell in (0, 1, 2, 3, 150, 299):
        alone = [block for _, block in derived_blocks([drawn(one, [[each[cell]] for each in indices])])]
        for block, other in zip(blocks, alone, strict=True):
            assert (block.values[cell], block.lows[cell], block.highs[cell]) == (
                other.values[0],
                other.lows[0],
                other.highs[0],
            )
    assert [block.statistic for block in blocks] == ["variance(x) by g", "standard deviation(x) by g"]


# Which way is better: theory (25) and (30)


def test_squares_from_half_of_the_largest_are_never_worse_where_the_count_has_as_large_a_share():
    """By the bound (29): half of the squares' noise against half a square of the count's, for all usual shares."""
    h, n, of_sums = F(2), 1000, F(7)
    for of_count, of_squares in product(map(F, range(1, 40)), repeat=2):  # in units of h**2 for squares from zero
        left = n - of_count
        sums = (2 * n * of_sums * h + of_sums**2) / left
        from_zero = of_squares * h**2 + sums + of_count * h**2 * n / left
        from_half = of_squares * h**2 / 2 + sums + of_count * h**2 * (F(1, 2) + n / left)
        found = moment_accuracy(
            X, X, add_remove(n_max=n), accuracies=(of_sums, of_squares * h**2 / 2, of_count), rows=n
        )
        assert found == min(8, from_half / (n - of_count - 1))
        assert (from_half <= from_zero) == (of_count <= of_squares)
    for query in (variance_query(X, RELATION), covariance_query(X, Y, RELATION, correlation=True)):
        assert query.parts[-1].share >= query.parts[-2].share


def test_where_n_is_public_centred_squares_are_better_only_where_the_mean_is_near_the_middle():
    """theory (30): pairs of rows err alike wherever the mean is, squares and a sum by more away from the middle."""
    n, alpha, x = 10_000, F(1, 20), integer_column("x", lower=0, upper=400, missing=0)
    relation = change_one(n=n)
    query = variance_query(x, relation)
    pairs = Line(statistic=query, epsilon=F(1), alpha=alpha).accuracies[0]
    of_sum, of_squares = (
        part_accuracy(Part(numerator=term.numerator(relation, stays=True), share=F(1, 2)), F(1), alpha)
        for term in query.terms
    )

    def other(distance):
        return (of_squares + (2 * n * distance * of_sum + of_sum**2) / n) / (n - 1)

    assert other(0) < F(11, 20) * pairs  # half, and a little
    assert other(48) < pairs < other(52)  # the width is 400
    assert other(200) > F(9, 4) * pairs
