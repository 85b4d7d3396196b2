"""The line of a picture is never below the true accuracy, and close to it; it has both limits at every jump."""

from __future__ import annotations

import bisect
import math
import random
from fractions import Fraction
from itertools import pairwise

import pytest
from mpmath import mp

from snapdp.accuracy.curve import Curve, accuracy_above, curve_of
from snapdp.accuracy.epsilon import Constants
from snapdp.accuracy.error import unclamped_accuracy
from snapdp.mechanism.parameters import exact_parameters
from snapdp.studies.columns import integer_column
from snapdp.studies.plans.lines import curve_of_part, part_accuracy
from snapdp.studies.relation import add_remove, change_one
from snapdp.studies.statistics.counts import count_query
from snapdp.studies.statistics.mean import mean_query

F = Fraction
TWENTIETH = F(1, 20)
CURVES = {
    "natural": Curve(sensitivity=F(1), alpha=TWENTIETH, grid="natural"),
    "fine": Curve(sensitivity=F(1), alpha=TWENTIETH, grid="fine"),
    "fixed": Curve(sensitivity=F(3), alpha=TWENTIETH, grid=F(1, 4)),
    "coarse": Curve(sensitivity=F(1), alpha=F(1, 10**6), grid=F(8)),
    "likely": Curve(sensitivity=F(7, 3), alpha=F(9, 10), grid="natural"),
}


def drawn_at(points, epsilon):
    """Return the height of the line at epsilon, as a log-log picture draws it: the higher one at a jump."""
    places = [place for place, _ in points]
    i = bisect.bisect_left(places, epsilon)
    if places[i] == epsilon:
        return max(value for place, value in points if place == epsilon)
    (a, low), (b, high) = points[i - 1], points[i]
    share = math.log(epsilon / a) / math.log(b / a)
    return math.exp((1 - share) * math.log(low) + share * math.log(high))


def true_accuracy(curve, epsilon):
    return unclamped_accuracy(noise_scale=curve.sensitivity / epsilon, grid=curve.grid_at(epsilon), alpha=curve.alpha)


@pytest.mark.parametrize("curve", CURVES.values(), ids=CURVES.keys())
def test_the_line_is_never_below_the_true_accuracy(curve):
    never_below(curve, count=600)


@pytest.mark.long
@pytest.mark.parametrize("curve", CURVES.values(), ids=CURVES.keys())
def test_the_line_is_never_below_the_true_accuracy_at_many_places(curve):
    never_below(curve, count=30_000)


def never_below(curve, count):
    first, last, pick = F(1, 20), F(5), random.Random(4)
    points = curve.points(first, last)
    near = [F(place) * (1 + pick.choice([-1, 1]) * F(1, 10 ** pick.randint(3, 15))) for place, _ in points]
    spread = [F(math.exp(pick.uniform(math.log(0.05), math.log(5)))) for _ in range(count)]
    for epsilon in (e for e in near[: count // 2] + spread if first < e < last):
        drawn = F(drawn_at(points, float(epsilon)))
        scale = curve.sensitivity / epsilon
        assert Constants(noise_scale=scale, grid=curve.grid_at(epsilon), alpha=curve.alpha).meets(drawn)


@pytest.mark.parametrize("curve", CURVES.values(), ids=CURVES.keys())
def test_the_line_is_close_to_the_true_accuracy(curve):
    pick = random.Random(5)
    points = curve.points(F(1, 20), F(5))
    for _ in range(60):
        epsilon = F(math.exp(pick.uniform(math.log(0.051), math.log(4.9))))
        assert drawn_at(points, float(epsilon)) <= float(true_accuracy(curve, epsilon)) * 1.02


def test_a_jump_of_the_natural_grid_is_drawn_with_both_its_limits():
    curve = CURVES["natural"]
    assert curve.jumps(F(1, 5), F(20)) == [F(1, 4), F(1, 2), F(1), F(2), F(4), F(8), F(16)]
    points = curve.points(F(1, 5), F(20))
    for jump in (F(1), F(2), F(4)):
        left, right = (value for place, value in points if place == float(jump))
        scale = 1 / jump
        assert left == pytest.approx(float(unclamped_accuracy(noise_scale=scale, grid=2 * scale, alpha=TWENTIETH)))
        assert right == pytest.approx(float(true_accuracy(curve, jump)))
        assert left > right * 1.1
    # Thirty-three points joined by a line passed through 1.633 here.
    assert drawn_at(points, 1.993) == pytest.approx(2.0, abs=1e-6)


def test_a_fixed_grid_has_no_jump():
    assert CURVES["fixed"].jumps(F(1, 100), F(100)) == []


WHOLE = [
    count_query(add_remove(n_max=1000)).parts[0],
    mean_query(
        integer_column("age", lower=0, upper=120, missing="middle"), add_remove(n_max=500), count_share="1/3"
    ).parts[1],
]


@pytest.mark.parametrize("part", WHOLE)
def test_the_staircase_of_a_whole_statistic_is_never_below_what_the_plan_promises(part):
    pick, points = random.Random(6), curve_of_part(part, TWENTIETH).points(F(1, 20), F(5))
    assert all(a[0] <= b[0] for a, b in pairwise(points))
    for _ in range(150):
        epsilon = F(math.exp(pick.uniform(math.log(0.051), math.log(4.9))))
        assert F(drawn_at(points, float(epsilon))) >= part_accuracy(part, epsilon, TWENTIETH)


def test_the_line_of_a_mean_is_never_below_what_the_plan_promises():
    part = mean_query(integer_column("age", lower=0, upper=120, missing="middle"), change_one(n=5000)).parts[0]
    pick, points = random.Random(7), curve_of_part(part, TWENTIETH).points(F(1, 20), F(5))
    for _ in range(150):
        epsilon = F(math.exp(pick.uniform(math.log(0.051), math.log(4.9))))
        promised = part_accuracy(part, epsilon, TWENTIETH)
        assert promised <= F(drawn_at(points, float(epsilon))) <= promised * F(102, 100)


def test_the_curve_of_a_mechanism_follows_epsilon_as_its_grid_does():
    for grid in ("natural", "fine", 2):
        p = exact_parameters(epsilon="0.3", sensitivity=1, lower=0, upper=1000, grid=grid)
        assert curve_of(p, TWENTIETH).grid_at(F(3, 10)) == p.grid


# The figures of docs/theory/planning.md


def ratios(lowest, highest):
    """Return a*/(lam ln 20) over the x = g/lam of a binade: at its corners, just after them, and between."""
    level = math.log(20)
    corners = [2 * level / m for m in range(1, 200) if lowest <= 2 * level / m < highest]
    places = [lowest * (highest / lowest) ** (i / 20_000) for i in range(20_000)] + corners
    return [accuracy_above(1.0, x, level) / level for x in places]


def test_the_price_of_the_grid_over_all_epsilons():
    fine, natural = ratios(1 / 16, 1 / 8), ratios(1, 2)
    assert (max(fine), max(natural)) == pytest.approx((49 / 48, 4 / 3))
    assert [round(100 * (x - 1), 2) for x in (min(fine), max(fine))] == [0.02, 2.08]
    assert [round(100 * (x - 1), 1) for x in (min(natural), max(natural))] == [4.3, 33.3]


def exact_accuracy(x, m, alpha):
    """Return planning (6) in units of half a grid step, for x = grid / noise scale between two corners; many digits."""
    x = mp.mpf(x)
    if mp.exp(-m * x / 2) * mp.cosh(x / 2) <= alpha:
        return mp.mpf(m)
    return m + 1 - 2 / x * mp.acosh(alpha * mp.exp(m * x / 2))


def bends_upward(draw, m, alpha):
    """Compare the middle of three places between two corners with the straight line between the others."""
    level = -mp.log(alpha)
    first = 2 * level / m
    last = 2 * level / (m - 1) if m > 1 else 20 * first
    one, other = sorted(draw.random() ** draw.choice((1, 4)) for _ in range(2))
    places = [first * (last / first) ** mp.mpf(share) for share in (one, (one + other) / 2, other)]
    low, middle, high = (exact_accuracy(place * (1 + mp.mpf(10) ** -30), m, alpha) for place in places)
    assert middle**2 <= low * high * (1 + mp.mpf(10) ** -25), (m, alpha, one, other)


def bends_upward_everywhere(count):
    draw = random.Random(4)
    with mp.workdps(50):
        for number in range(count):
            m = (1, 2, 3, 5, 10, 100, 1000)[number % 7] if number % 2 else draw.randint(1, 1000)
            alpha = mp.mpf(10) ** (-12 * draw.random()) * mp.mpf("0.99")
            bends_upward(draw, m, alpha)


def test_between_corners_the_curve_bends_upward():
    bends_upward_everywhere(1_000)


@pytest.mark.long
def test_between_corners_the_curve_bends_upward_at_many_places():
    bends_upward_everywhere(20_000)
