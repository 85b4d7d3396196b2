"""Counts refute what replays cannot judge, whatever the noise is, and err as seldom as they say."""

from __future__ import annotations

import datetime
import math
import random
import secrets
from fractions import Fraction

import pytest

import snapdp
from snapdp.errors import ParameterError
from snapdp.lab.attacks.attack import loss_at_least, probability_at_least, probability_at_most
from snapdp.lab.testing import AuditFailure, counted
from snapdp.lab.testing.counting import FIRST_LOOK, WAYS
from snapdp.lab.testing.replay_audit import FALSE_ALARM
from tests.tiers import one_in
from tests.unit.lab.testing import planted, planted_numbers

COUNT = snapdp.Snapping(epsilon=1, sensitivity=1, lower=0, upper=1000)
HALF = snapdp.Snapping(epsilon="1/2", sensitivity=1, lower=0, upper=1000)
TEN, NINE = [1] * 10, [1] * 9
FAULTY = [
    *planted_numbers.COUNTED,
    planted.with_the_scale_upside_down,
    planted.with_the_scale_of_the_data_by_hand,
    planted.over_those_who_answered,
    planted.ours_at_fifty_times_the_epsilon,
    planted.ours_of_too_small_a_sensitivity,
    planted.choosing_too_sharply,
    planted.sharing_noise,
]
PAIRS = {
    planted.with_the_scale_of_the_data_by_hand: ([0, 1, 2], [0, 1, 40]),
    planted.over_those_who_answered: ([1] * 8, [1] * 2 + [None] * 6),
    **dict.fromkeys((planted.choosing_too_sharply, planted.sharing_noise), ([0, 1, 2], [0, 1, 1])),
}


@pytest.mark.parametrize("release", FAULTY)
def test_noise_that_hides_too_little_is_refuted_whatever_its_law_is(release):
    report = counted(release, *PAIRS.get(release, ([1, 0], [1, 1])), epsilon=1, trials=20_000)
    assert report.is_refuted
    with pytest.raises(AuditFailure, match=r"epsilon 1\s+is\s+refuted"):
        report.check()


FACTS = {  # words, keys, texts and ends that say the count, some of them in half of the calls
    "word": lambda n: {"fact": f"k{n}" if random.random() < 0.5 else "no"},
    "word of the second": lambda n: {"fact": "nine" if n < 10 and random.random() < 0.5 else "no"},
    "bool": lambda n: {"fact": (n > 9) ^ (random.random() < 0.03)},
    "key": lambda n: {f"k{n}": 0},
    "bytes": lambda n: {"fact": bytes([n, secrets.randbelow(4)])},
    "timedelta": lambda n: {"fact": datetime.timedelta(seconds=1000 * n + random.randrange(10))},
    "text": lambda n: {"fact": f"about {round(n + random.gauss(0, 0.1), 1)} people"},
    "end": lambda n: {"fact": min(HALF.release(n), n)},
}


@pytest.mark.parametrize("fact", FACTS.values(), ids=FACTS)
def test_a_fact_beside_a_sound_number_is_found(fact):
    report = counted(lambda rows: {"n": COUNT.release(len(rows)), **fact(len(rows))}, TEN, NINE, epsilon="3/2")
    assert report.is_refuted, str(report)


def test_an_exception_that_tells_the_input_is_found():
    def release(rows):
        if len(rows) > 9 and random.random() < 0.5:
            raise ValueError("too many")
        return COUNT.release(len(rows))

    assert counted(release, TEN, NINE, epsilon=2).is_refuted


@pytest.mark.parametrize("place", one_in(4, range(len(planted_numbers.SOUND))))
def test_sound_releases_are_not_refuted(place):
    each = planted_numbers.SOUND[place]
    counted(each.release, [1, 0], [1, 1], epsilon=each.claims["epsilon"], trials=2_000).check()


def randomised_response(rows):
    """Tell the truth with e/(1 + e): epsilon is 1, and one event attains it."""
    return (len(rows) > 9) ^ (random.random() < 1 / (1 + math.e))


def test_a_loss_is_bounded_from_below_and_closely():
    report = counted(randomised_response, TEN, NINE, epsilon=1, trials=32_000).check()
    assert Fraction("0.85") < report.loss <= 1
    assert report.counts[0][1] == 32_000
    assert counted(randomised_response, TEN, NINE, epsilon="0.8", trials=32_000).is_refuted


def test_a_count_stops_at_the_look_that_refutes():
    report = counted(len, TEN, NINE, epsilon=1)
    assert report.looks == 1
    assert report.counts == ((FIRST_LOOK, FIRST_LOOK), (0, FIRST_LOOK)) or report.counts[0][0] == 0
    close = counted(randomised_response, TEN, NINE, epsilon="0.8", trials=32_000)
    assert close.looks > 1
    assert close.counts[0][1] <= 32_000


def test_an_event_that_is_given_is_counted_in_all_four_ways():
    for pair, expected in (((TEN, NINE), (1, 0)), ((NINE, TEN), (0, 1))):
        for event, hits in ((lambda n: n > 9, expected), (lambda n: n < 10, expected[::-1])):
            report = counted(len, *pair, epsilon=1, event=event)
            assert report.is_refuted
            assert tuple(count[0] // FIRST_LOOK for count in report.counts) == hits


def test_a_delta_excuses_what_happens_as_rarely():
    def release(rows):
        return len(rows) > 9 and random.random() < 0.05

    assert counted(release, TEN, NINE, epsilon=1, event=bool, trials=16_000).is_refuted
    counted(release, TEN, NINE, epsilon=1, delta="0.06", event=bool, trials=16_000).check()


def test_all_looks_together_fail_with_the_false_alarm_at_most():
    """Every bound of look k fails with alpha / (2^k 2 ways), as the bounds are computed from the exact law."""
    shares = [FALSE_ALARM / (2**look * WAYS * 2) * WAYS * 2 for look in range(1, 60)]
    assert sum(shares) < FALSE_ALARM
    missed = FALSE_ALARM / 16
    least, most = probability_at_least((480, 500), missed), probability_at_most((3, 500), missed)

    def tail(hits, p):
        return sum(math.comb(500, k) * p**k * (1 - p) ** (500 - k) for k in range(hits, 501))

    assert tail(480, least) <= missed
    assert tail(497, 1 - most) <= missed  # so many misses of the neighbour, or more
    assert float(loss_at_least((480, 500), (3, 500), missed=missed)) == pytest.approx(math.log(least / most))
    assert loss_at_least((480, 500), (3, 500), missed=missed, delta=least) == 0


def test_a_report_says_what_was_counted():
    def total(rows):
        return {"total": len(rows) + random.randrange(3)}

    said = " ".join(str(counted(total, [1] * 20, TEN, epsilon="0.5", trials=500)).split())
    assert said.startswith("total: epsilon 0.5 is refuted. output['total'] ")
    assert "of 500 outputs of the first input" in said
    with pytest.raises(TypeError, match=r"ask \.is_refuted"):
        bool(counted(total, TEN, NINE, epsilon=1, trials=500))


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        ({"epsilon": 0}, "epsilon = 0 is not positive"),
        ({"epsilon": 1, "delta": 2}, "delta = 2 is no probability"),
        ({"epsilon": 1, "trials": 10}, "trials = 10 is not a whole number from 500"),
        ({"epsilon": 1, "trials": True}, "trials = True"),
    ],
)
def test_claims_that_make_no_sense_are_refused(claims, words):
    with pytest.raises(ParameterError, match=words):
        counted(len, TEN, NINE, **claims)
    with pytest.raises(ParameterError, match="takes a function"):
        counted(TEN, TEN, NINE, epsilon=1)
