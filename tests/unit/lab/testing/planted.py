"""Releases with one fault each, of every class that a replay audit names; neighbours and claims that show it."""

from __future__ import annotations

import functools
import logging
import math
import random
import secrets
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import snapdp

EPSILON = 1.0
GRID = 1 / 16  # of SAFE, at epsilon 1 and sensitivity 1
SAFE = snapdp.Snapping(epsilon=1, sensitivity=1, lower=0, upper=1000)
HALF = snapdp.Snapping(epsilon="1/2", sensitivity=1, lower=0, upper=1000)
SMALL = snapdp.Snapping(epsilon=1, sensitivity="1/2", lower=0, upper=1000)
HELD = np.random.default_rng(7)


def clamped(rows: Any) -> int:
    """Return a sum of cells between 0 and 1."""
    return sum(min(max(row, 0), 1) for row in rows)


def laplace(value: float, scale: float = 1.0) -> float:
    return float(value + np.random.laplace(0, scale))


# Faults of the noise -------------------------------------------------------------------------------------------------


def without_noise(rows):
    return clamped(rows)


def with_noise_of_zero_scale(rows):
    """As where a sensitivity is computed to be 0 (Synthcity's PrivBayes)."""
    return laplace(clamped(rows), scale=0.0)


def with_the_scale_upside_down(rows):
    return laplace(clamped(rows), scale=EPSILON / 4)


def with_the_scale_of_the_data_by_hand(rows):
    u = random.random() - 0.5
    width = max(rows) + 1
    return clamped(rows) - width * math.copysign(1, u) * math.log(1 - 2 * abs(u))


def spending_twice(rows):
    """As where two queries take the whole epsilon each."""
    return laplace(clamped(rows)), laplace(len([row for row in rows if row >= 0]))


def ours_at_fifty_times_the_epsilon(rows):
    return snapdp.Snapping(epsilon=50, sensitivity=1, lower=0, upper=1000).release(clamped(rows))


def ours_of_too_small_a_sensitivity(rows):
    return SMALL.release(clamped(rows))


def moving_by_two_steps_more(rows):
    """The least that (3) refutes beside one step."""
    return SAFE.release(clamped(rows) * (1 + 2 * GRID))


def returning_nothing(rows):
    sum(rows)


def choosing_too_sharply(rows):
    weights = np.exp(np.array([sum(row == k for row in rows) for k in range(3)]) * 4.0)
    return str(np.random.default_rng().choice(["red", "green", "blue"], p=weights / weights.sum()))


def with_one_seed(rows):
    return clamped(rows) + np.random.default_rng(42).laplace()


def with_one_seed_of_random(rows):
    random.seed("2026")
    return clamped(rows) + random.gauss(0, 1)


def sharing_noise(rows):
    noise = np.random.default_rng().laplace()
    return {"sum": clamped(rows) + noise, "twos": sum(row == 2 for row in rows) + noise}


def returning_noise_for_the_caller_to_add(rows):
    return {"sum": clamped(rows), "noise": float(np.random.laplace())}


# Faults of the statistic ---------------------------------------------------------------------------------------------


def without_clipping(rows):
    """As where clipped data are computed and the raw ones used (SmartNoise's covariance)."""
    np.clip(np.asarray(rows), 0, 1)
    return laplace(float(np.sum(rows)))


def a_histogram_claimed_for_one_bin(rows):
    counts = np.array([sum(row == k for row in rows) for k in range(3)])
    return counts + np.random.default_rng().laplace(0, 1.0, size=3)


def a_sum_of_doubles(rows):
    """At 2^53 + 2 a cell of 1 is a tie, which is rounded to an even mantissa: the sum moves by 2."""
    return laplace(float(np.cumsum([2.0**53 + 2, *rows])[-1]) - 2.0**53)


def a_mean_of_doubles(rows):
    return laplace(sum(rows) * 0.1, scale=0.1)


def through_missing_values(rows):
    """np.clip lets NaN pass."""
    return laplace(float(np.sum(np.clip(np.asarray(rows, dtype=float), 0, 1))))


def over_those_who_answered(rows):
    answered = [row for row in rows if row is not None]
    return laplace(clamped(answered)) / len(answered)


# Faults around the number --------------------------------------------------------------------------------------------


def with_as_many_draws_as_rows(rows):
    return clamped(rows) + sum(np.random.default_rng().laplace() for _ in rows)


def with_another_generator_for_few(rows):
    return clamped(rows) + (random.gauss(0, 1) if sum(rows) < 3 else np.random.laplace())


def with_domain_of_the_data(rows):
    """As where classes are learnt by np.unique (Diffprivlib, dpmm)."""
    return {key: SAFE.release(rows.count(key)) for key in sorted(set(rows))}


def with_the_number_of_rows(rows):
    return {"sum": SAFE.release(clamped(rows)), "rows": len(rows)}


def with_bounds_of_the_data(rows):
    return {"sum": SAFE.release(clamped(rows)), "bounds": f"from {min(rows)} to {max(rows)}"}


def with_the_type_of_the_data(rows):
    return np.asarray(SAFE.release(1.0), dtype=np.asarray(rows).dtype.kind + "8")


def with_a_text_of_the_data(rows):
    return f"{'many' if sum(rows) > 3 else 'few'}: {SAFE.release(clamped(rows))}"


def with_columns_of_the_data(rows):
    import pandas

    return pandas.DataFrame({f"q{row}": [SAFE.release(1)] for row in rows})


def failing_on_a_cell(rows):
    if 4 in rows:
        raise ValueError("a cell is out of range")
    return SAFE.release(clamped(rows))


def failing_with_the_cell(rows):
    raise ValueError(f"cannot read the cell {rows[-1]}")


def warning_of_a_cell(rows):
    if 4 in rows:
        warnings.warn("a cell was clipped", stacklevel=1)
    return SAFE.release(clamped(rows))


def printing(rows):
    print("the sum is", sum(rows))
    return SAFE.release(clamped(rows))


def logging_at_debug(rows):
    logging.getLogger("mine").debug("%d rows, %s", len(rows), rows)
    return SAFE.release(clamped(rows))


CACHE: dict[str, float] = {}
CALLS: list[int] = []


def keeping_the_noise(rows):
    if "noise" not in CACHE:
        CACHE["noise"] = float(np.random.default_rng().laplace())
    return clamped(rows) + CACHE["noise"]


def counting_calls(rows):
    CALLS.append(1)
    return SAFE.release(clamped(rows)) + len(CALLS)


def drawing_in_a_thread(rows):
    found = []
    worker = threading.Thread(target=lambda: found.append(SAFE.release(clamped(rows))))
    worker.start()
    worker.join()
    return found[0]


def drawing_from_the_clock(rows):
    return clamped(rows) + time.perf_counter_ns() % 1000


# Faults of floating point --------------------------------------------------------------------------------------------


def keeping_the_sign_of_zero(rows):
    return float(np.rint(clamped(rows) - 1 + np.random.default_rng().laplace()))


def in_doubles(rows):
    return laplace(clamped(rows))


class Planted(NamedTuple):
    """A release, its neighbours, what is claimed, and the kinds that must be named; `others` may be found besides."""

    release: Callable[[Any], Any]
    kind: str
    others: frozenset[str] = frozenset()
    first: Any = (0, 1, 2)
    second: Any = (0, 1, 4)
    claims: dict[str, Any] = {}  # noqa: RUF012


FLOATS = frozenset({"float-noise"})
_added = {"first": [1, 0, 1], "second": [1, 0, 1, 1]}
_one = {"first": [1, 0], "second": [1, 1]}
_planted = functools.partial(Planted, first=[0, 1, 2], second=[0, 1, 4], others=FLOATS)

PLANTED = [
    _planted(without_noise, "no-noise", **_one),
    _planted(with_noise_of_zero_scale, "no-noise", **_one, others=frozenset()),
    _planted(spending_twice, "sensitivity", **_added),
    _planted(moving_by_two_steps_more, "sensitivity", others=frozenset(), **_one),
    _planted(returning_nothing, "unaudited", others=frozenset(), **_one),
    _planted(with_one_seed, "fixed-seed", others=frozenset({"no-noise"}), **_one),
    _planted(with_one_seed_of_random, "fixed-seed", others=frozenset({"no-noise"}), **_one),
    _planted(returning_noise_for_the_caller_to_add, "metadata", **_one),
    _planted(without_clipping, "sensitivity"),
    _planted(a_histogram_claimed_for_one_bin, "sensitivity", second=[0, 1, 1]),
    _planted(a_sum_of_doubles, "sensitivity", first=[0], second=[1]),
    _planted(a_mean_of_doubles, "rounding", first=[3], second=[2], claims={"sensitivity": "0.09999999999999999"}),
    _planted(through_missing_values, "not-finite", second=[0, 1, math.nan]),
    _planted(with_as_many_draws_as_rows, "draws", others=FLOATS | {"sensitivity"}, **_added),
    _planted(with_another_generator_for_few, "draws", others=FLOATS | {"sensitivity"}, second=[0, 1, 1]),
    _planted(with_domain_of_the_data, "metadata", others=frozenset({"draws"})),
    _planted(with_the_number_of_rows, "metadata", others=frozenset(), **_added),
    _planted(with_bounds_of_the_data, "metadata", others=frozenset()),
    _planted(with_the_type_of_the_data, "metadata", others=frozenset(), second=[0, 1, 2.5]),
    _planted(with_a_text_of_the_data, "metadata", others=frozenset()),
    _planted(with_columns_of_the_data, "metadata", others=frozenset()),
    _planted(failing_on_a_cell, "exception", others=frozenset()),
    _planted(failing_with_the_cell, "exception", others=frozenset()),
    _planted(warning_of_a_cell, "warning", others=frozenset()),
    _planted(printing, "written", others=frozenset()),
    _planted(logging_at_debug, "written", others=frozenset()),
    _planted(keeping_the_noise, "state", others=frozenset({"no-noise"})),
    _planted(counting_calls, "state", others=frozenset()),
    _planted(drawing_in_a_thread, "unknown-noise", others=frozenset()),
    _planted(drawing_from_the_clock, "unknown-noise", others=frozenset()),
    _planted(keeping_the_sign_of_zero, "float-noise", others=frozenset()),
    _planted(in_doubles, "float-noise", others=frozenset()),
]


# Sound ones ----------------------------------------------------------------------------------------------------------


def textbook(rows):
    """Sound but for its doubles."""
    return laplace(clamped(rows))


def textbook_with_a_held_generator(rows):
    return clamped(rows) + HELD.laplace(0, 1)


def textbook_by_hand(rows):
    u = secrets.SystemRandom().random() - 0.5
    return clamped(rows) - math.copysign(1, u) * math.log(1 - 2 * abs(u))


def textbook_kept_positive(rows):
    return max(0.0, laplace(clamped(rows)))


def textbook_with_an_interval(rows):
    value = laplace(clamped(rows))
    return {"value": value, "from": value - 3.0, "to": value + 3.0, "rows": "private"}


def ours(rows):
    return SAFE.release(clamped(rows))


def ours_by_a_sampler_of_bits(rows):
    """A sound geometric difference, made of bits."""
    return clamped(rows) + sum((secrets.randbelow(2) or -1) * secrets.randbelow(8) for _ in range(4))


def ours_said_in_words(rows):
    value = SAFE.release(clamped(rows))
    print("released", value)
    return {"text": f"about {value}", "value": value, "large": bool(value > 1)}


def ours_by_bins(rows):
    return HALF.release(np.array([rows.count(0), rows.count(1), rows.count(2)]))


def whole_noise(rows):
    """A count with the difference of two geometric numbers."""
    rng = np.random.default_rng()
    return clamped(rows) + int(rng.geometric(0.5)) - int(rng.geometric(0.5))


def randomised_response(rows):
    return [bool(row) if secrets.randbelow(4) else not row for row in rows]
