"""Releases whose numbers tell the input by a threshold, by digits below a step, or together; and their sound twins."""

from __future__ import annotations

import math
import random
import secrets
from collections.abc import Callable
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

import snapdp
from tests.unit.lab.testing.planted import HALF, SAFE, clamped, textbook_by_hand

WIDE = snapdp.Snapping(epsilon=1, sensitivity=3, lower=0, upper=1000)
FORGIVING = snapdp.Snapping(epsilon=1, sensitivity=3, lower=0, upper=1000, nan=0)
LARGE = 60  # how far the sums below move


def laplace_by_hand(scale: float) -> float:
    u = random.random() - 0.5
    return -scale * math.copysign(1, u) * math.log(1 - 2 * abs(u))


def whole_noise(scale: float) -> int:
    """Return a two-sided geometric number."""
    rng, p = np.random.default_rng(), 1 - math.exp(-1 / scale)
    return int(rng.geometric(p)) - int(rng.geometric(p))


def grid_noise() -> float:
    """Return noise of snapdp without the value, as who adds it afterwards does."""
    return WIDE.release(500) - 500


# Noise of no known law -----------------------------------------------------------------------------------------------


def forty_times_too_narrow(rows):
    return round(LARGE * clamped(rows) + laplace_by_hand(LARGE / 40))


def as_wide_as_claimed(rows):
    return round(LARGE * clamped(rows) + laplace_by_hand(LARGE))


def on_disjoint_ranges(rows):
    return 10 * clamped(rows) + secrets.randbelow(7) - 3


# Digits below the step -----------------------------------------------------------------------------------------------


def returned_noise(rows):
    return 0.3 * clamped(rows) + grid_noise()


def value_rounded_with_its_noise(rows):
    return WIDE.release(0.3 * clamped(rows))


def a_count_in_the_hundredths(rows):
    return WIDE.release(clamped(rows)) + 0.01 * clamped(rows)


def a_parity_in_the_last_place(rows):
    return 2 * (clamped(rows) + whole_noise(2)) + clamped(rows) % 2


# Noise that numbers share --------------------------------------------------------------------------------------------


def shared_whole_noise(rows):
    noise = whole_noise(2)
    return {"sum": clamped(rows) + noise, "ones": 0 + noise}


def shared_with_its_sign_changed(rows):
    noise = whole_noise(2)
    return [clamped(rows) + noise, -noise]


def shared_and_rounded_one_by_one(rows):
    noise = laplace_by_hand(9 * LARGE)
    return [round(8.5 * clamped(rows) + noise), round(0.25 + noise)]


def noise_for_each(rows):
    return [clamped(rows) + whole_noise(4), clamped(rows) + whole_noise(4), clamped(rows) + whole_noise(4)]


def one_number_told_in_three_ways(rows):
    value = WIDE.release(clamped(rows))
    return {"value": value, "from": value - 9, "to": value + 9, "twice": 2 * value, "minutes": round(60 * value)}


def clamped_to_two_ends(rows):
    """Both numbers stand at an end nearly always."""
    return [max(-1, min(1, clamped(rows) + whole_noise(4))) for _ in range(2)]


# What is on no grid, and sound ---------------------------------------------------------------------------------------


def a_quotient(rows):
    return SAFE.release(clamped(rows)) / max(1.0, SAFE.release(len(rows)))


def a_logarithm(rows):
    return math.log(max(1.0, WIDE.release(1 + clamped(rows))))


# Post-processing, which tells nothing more ----------------------------------------------------------------------------


def one_answer_of_four_is_turned(rows):
    return rows[-1] if random.randrange(4) else 1 - rows[-1]


def an_estimate_from_turned_answers(rows):
    answer = rows[-1] if random.random() < 0.75 else 1 - rows[-1]
    return (answer - 0.25) / 0.5


def a_power_of_two(rows):
    return 2 ** (20 + clamped(rows) + whole_noise(1))


def two_numbers_and_their_sum(rows):
    a, b = SAFE.release(clamped(rows)), SAFE.release(len(rows))
    return {"a": a, "b": b, "sum": a + b}


def an_interval_that_ends_at_zero(rows):
    value = SAFE.release(clamped(rows))
    return {"value": value, "from": max(0, value - 3), "to": value + 3}


def a_number_and_its_percentage(rows):
    value = SAFE.release(clamped(rows))
    return {"value": value, "percent": value * 100 / 50}


def sums_of_noisy_bins(rows):
    return np.cumsum([HALF.release(rows.count(k)) for k in (0, 1, 2)]).tolist()


def whole_noise_in_fives(rows):
    return 5 * round((11 + clamped(rows) + whole_noise(1)) / 5)


def centres_of_bins(rows):
    return math.floor(SAFE.release(18 + clamped(rows)) / 10) * 10 + 5


def a_fixed_number_taken_off(rows):
    return WIDE.release(clamped(rows)) - math.pi


def as_many_rows_as_a_noisy_number(rows):
    n = max(0, 12 + clamped(rows) + whole_noise(1))
    return {"n": n, "rows": [round(random.uniform(0, 9)) for _ in range(n)]}


def a_scale_from_a_noisy_number(rows):
    n = 4 + clamped(rows) + whole_noise(1)
    return {"n": n, "sum": round(3 * clamped(rows) + np.random.default_rng().laplace(0, 10 if n > 5 else 20))}


def a_number_of_no_data_beside(rows):
    return {"n": SAFE.release(clamped(rows)), "other": round(100 * random.gauss(0, 1))}


def drawn_in_cents(rows):
    return round(np.random.default_rng().laplace(loc=100 * clamped(rows), scale=100)) / 100


def refusing_by_a_noisy_number(rows):
    value = SAFE.release(4 + clamped(rows))
    if value < 5:
        raise ValueError("too few")
    return value


def rounded_to_even(rows):
    """0.5 and 1.5, one apart, become 0 and 2."""
    return round(SAFE.release(3 + clamped(rows)))


def a_small_count_left_out(rows):
    value = SAFE.release(4 + clamped(rows))
    return value if value > 5 else None


def an_array_around_a_noisy_number(rows):
    value = SAFE.release(50 + clamped(rows))
    return {"value": value, "again": FORGIVING.release(np.append(np.full(39, 3 * value), np.nan))[-2:]}


def percentages_beside_their_counts(rows):
    counts = [HALF.release(rows.count(k)) for k in (0, 1)]
    return {"counts": counts, "percent": [100 * each / max(1, sum(counts)) for each in counts]}


# Their twins, which move too far --------------------------------------------------------------------------------------


def two_numbers_that_move_and_their_sum(rows):
    a, b = SAFE.release(clamped(rows)), SAFE.release(2 * clamped(rows))
    return {"a": a, "b": b, "sum": a + b}


def whole_noise_in_fives_that_moves_by_ten(rows):
    return 5 * round((11 + 10 * clamped(rows) + whole_noise(10)) / 5)


def drawn_in_cents_and_moving_by_two(rows):
    return round(np.random.default_rng().laplace(loc=200 * clamped(rows), scale=200)) / 100


def percentages_beside_counts_in_doubles(rows):
    counts = [rows.count(k) + np.random.laplace() for k in (0, 1)]
    return {"counts": counts, "percent": [100 * each / max(1, sum(counts)) for each in counts]}


def two_numbers_with_noise_made_of_bytes(rows):
    return [textbook_by_hand(rows), textbook_by_hand(rows)]


class Case(NamedTuple):
    """A release, the kinds that are found, and what is claimed."""

    release: Callable[[Any], Any]
    kinds: frozenset[str]
    claims: dict[str, Any]


def case(release: Callable[[Any], Any], *kinds: str, **claims: Any) -> Case:
    """Return a case that claims epsilon = 1."""
    return Case(release, frozenset(kinds), {"epsilon": 1, **claims})


VALUE = itemgetter("value")  # what the sensitivity is about, beside numbers that are made of it
MOVING = [  # what replays find
    case(two_numbers_that_move_and_their_sum, "sensitivity", sensitivity=2),
    case(whole_noise_in_fives_that_moves_by_ten, "sensitivity", sensitivity=1, epsilon="1.01"),
    case(drawn_in_cents_and_moving_by_two, "sensitivity", sensitivity="0.98"),
    case(percentages_beside_counts_in_doubles, "float-noise", epsilon=2, sensitivity=2, replays=20),
    case(two_numbers_with_noise_made_of_bytes, "float-noise", epsilon=2, sensitivity=2, replays=20),
]
COUNTED = [  # what counts find
    forty_times_too_narrow,
    on_disjoint_ranges,
    returned_noise,
    a_count_in_the_hundredths,
    a_parity_in_the_last_place,
    shared_whole_noise,
    shared_with_its_sign_changed,
    shared_and_rounded_one_by_one,
]
SOUND = [
    case(as_wide_as_claimed, sensitivity=LARGE),
    case(value_rounded_with_its_noise, sensitivity="0.3"),
    case(noise_for_each, sensitivity=3),
    case(one_number_told_in_three_ways, released=VALUE, sensitivity=1),
    case(clamped_to_two_ends),
    case(a_quotient),
    case(a_logarithm),
    case(one_answer_of_four_is_turned, epsilon="1.1"),
    case(one_answer_of_four_is_turned, epsilon="1.1", sensitivity=1),
    case(an_estimate_from_turned_answers, epsilon="1.1"),
    case(a_power_of_two, epsilon="1.0001"),
    case(two_numbers_and_their_sum, sensitivity=1),
    case(an_interval_that_ends_at_zero, sensitivity=1),
    case(a_number_and_its_percentage, sensitivity=1),
    case(sums_of_noisy_bins, sensitivity=2),
    case(whole_noise_in_fives, epsilon="1.0001", sensitivity=1),
    case(centres_of_bins, sensitivity=1),
    case(a_fixed_number_taken_off, sensitivity=3),
    case(as_many_rows_as_a_noisy_number, epsilon="1.0001"),
    case(a_scale_from_a_noisy_number, epsilon="1.4"),
    case(a_number_of_no_data_beside, sensitivity=1),
    case(drawn_in_cents, sensitivity=1),
    case(rounded_to_even, sensitivity=1),
    case(a_small_count_left_out, sensitivity=1),
    case(an_array_around_a_noisy_number, released=VALUE, sensitivity=1),
    case(percentages_beside_their_counts, sensitivity=2),
    case(refusing_by_a_noisy_number, sensitivity=1),
]
