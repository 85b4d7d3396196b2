"""Whatever varies with the noise is judged, or named in a note: facts, ends, and numbers beside the released ones."""

from __future__ import annotations

import datetime
import math
import random
import secrets
from bisect import bisect_left
from fractions import Fraction

import numpy as np
import pytest

import snapdp
from snapdp.exact import exp_enclosure
from snapdp.testing import audit
from snapdp.testing.claims import claims_of
from snapdp.testing.judges.events import told_by_counts
from snapdp.testing.replays import FALSE_ALARM
from tests import ROOT

GUIDE = " ".join((ROOT / "docs" / "guide" / "test-your-own.md").read_text(encoding="utf-8").split())
TENTH = snapdp.Snapping(epsilon="1/10", sensitivity=1, lower=0, upper=1000)
COUNT = snapdp.Snapping(epsilon=1, sensitivity=1, lower=0, upper=1000)
HALF = snapdp.Snapping(epsilon="1/2", sensitivity=1, lower=0, upper=1000)
TEN, NINE = [1] * 10, [1] * 9
CLAIMS = {"epsilon": 1, "sensitivity": 1, "lines": False}
LITTLE = {**CLAIMS, "epsilon": "1/10"}  # the smaller epsilon, the fewer replays tell
MORE = {**LITTLE, "replays": 150}
VARIES = "varies with the noise and is not always a number"


def beside(fact, mechanism=COUNT):
    """Return a release of a sound count, and of a fact beside it."""

    def release(rows):
        return {"n": mechanism.release(len(rows)), "fact": fact(len(rows))}

    return release


def noted(report, beginning):
    (note,) = [each for each in report.notes if each.startswith(beginning)]
    return note


# Facts ---------------------------------------------------------------------------------------------------------------

ALWAYS_APART = {
    "timedelta": lambda n: datetime.timedelta(seconds=1000 * n + random.randrange(100)),
    "complex": lambda n: complex(n + random.random() / 100),
    "bytes": lambda n: bytes([n, secrets.randbelow(256)]),
    "set": lambda n: {1000 * n + secrets.randbelow(100)},
    "key": lambda n: {f"k{1000 * n + secrets.randbelow(100)}": 0},
    "glued": lambda n: f"x{n}y{secrets.randbelow(10**6)}",
}


@pytest.mark.parametrize("fact", ALWAYS_APART.values(), ids=ALWAYS_APART)
def test_a_fact_that_varies_and_is_always_another_is_found(fact):
    assert audit(beside(fact), TEN, NINE, **CLAIMS).kinds == {"metadata"}


OFTEN_APART = {
    "word": lambda n: f"k{n}" if random.random() < 0.5 else "no",
    "bool": lambda n: (n > 9) ^ (random.random() < 0.03),
    "choices": lambda n: random.choices(["hi", "lo"], weights=[math.exp(4 * (n > 9)), math.exp(4 * (n <= 9))])[0],
}


@pytest.mark.parametrize("fact", OFTEN_APART.values(), ids=OFTEN_APART)
def test_a_fact_that_is_often_another_is_named_and_found_by_more_replays(fact):
    report = audit(beside(fact, TENTH), TEN, NINE, **LITTLE).check()
    assert noted(report, VARIES).endswith("replays: output['fact']")
    assert audit(beside(fact, TENTH), TEN, NINE, **MORE).kinds == {"metadata"}


def test_a_word_that_only_the_second_input_shows_is_found_too():
    def release(rows):
        return {"n": TENTH.release(len(rows)), "fact": "ten" if random.random() < 0.5 and len(rows) > 9 else "no"}

    assert audit(release, NINE, TEN, **MORE).kinds == {"metadata"}


def test_a_line_that_is_printed_in_most_calls_is_named_and_found_by_more_replays():
    def release(rows):
        if random.random() < 0.9:
            print(f"debug {len(rows)}")
        return TENTH.release(len(rows))

    assert noted(audit(release, TEN, NINE, **LITTLE), VARIES).endswith("replays: what is printed")
    assert audit(release, TEN, NINE, **MORE).kinds >= {"written"}  # and so does the number in it, by a threshold


def test_what_is_said_of_the_true_error_is_named():
    def release(rows):
        value = COUNT.release(len(rows))
        return {"value": value, "quality": "good" if abs(value - len(rows)) < 1 else "poor"}

    assert "output['quality']" in noted(audit(release, TEN, NINE, **CLAIMS), VARIES)


SOUND = {  # a truth told with e/(1 + e) is randomised response at epsilon 1; HALF leaves 1/2 for the fact
    "bool": (lambda n: (n > 9) ^ (random.random() < 1 / (1 + math.exp(0.5))), HALF),
    "word": (lambda n: "many" if HALF.release(n) > 9 else "few", HALF),
    "unrelated": (lambda _: secrets.token_hex(4), COUNT),
}


@pytest.mark.parametrize(("fact", "mechanism"), SOUND.values(), ids=SOUND)
def test_a_sound_fact_passes_and_is_named(fact, mechanism):
    report = audit(beside(fact, mechanism), TEN, NINE, epsilon=1, lines=False).check()
    assert "output['fact']" in noted(report, VARIES)


def test_randomised_response_at_its_own_epsilon_is_not_refuted_by_more_replays():
    def release(rows):
        return (len(rows) > 9) ^ (random.random() < 1 / (1 + math.e))

    audit(release, TEN, NINE, epsilon="1.0001", replays=400, lines=False).check()


def test_many_fields_are_one_note_and_a_key_of_one_input_is_in_none():
    def release(rows):
        words = [secrets.choice(["a", "b"]) for _ in range(20)]
        extra = {f"secret{len(rows)}": 1} if random.random() < 0.5 else {}
        return {"n": COUNT.release(len(rows)), "words": words, **extra}

    report = audit(release, TEN, NINE, **CLAIMS)
    assert noted(report, VARIES).endswith(" and 13 more")  # 20 words and the keys, of which 8 are named
    assert "secret" not in str(report)


# Ends ----------------------------------------------------------------------------------------------------------------


def clamped_to_the_count(rows):
    return min(max(TENTH.release(len(rows)), 0), len(rows))


@pytest.mark.parametrize("pair", [(TEN, NINE), (NINE, TEN)])
def test_an_end_that_is_data_is_named_and_found_by_more_replays(pair):
    report = audit(clamped_to_the_count, *pair, **LITTLE).check()
    assert not report.width_is_judged
    assert noted(report, "outputs stand at an end that is another for each input").endswith(": output")
    assert audit(clamped_to_the_count, *pair, **MORE).kinds == {"noise-too-small"}


@pytest.mark.parametrize("end", [9, 10, 12])
def test_an_end_that_is_declared_passes_without_a_note(end):
    def release(rows):
        return min(max(TENTH.release(len(rows)), 0), end)

    report = audit(release, TEN, NINE, **(MORE if end == 10 else LITTLE)).check()
    assert not any("an end" in note for note in report.notes)


@pytest.mark.parametrize("side", [1, -1])
def test_an_end_that_only_the_other_input_passes_is_found(side):
    """The most frequent output, 0, is as frequent for both."""

    def release(rows):
        return side * (10 if len(rows) > 9 else 20) * (random.random() > 0.65)

    assert audit(release, TEN, NINE, **{**MORE, "sensitivity": None}).kinds == {"noise-too-small"}


def test_a_least_output_that_is_rarer_than_the_one_beside_it_is_no_end():
    def release(rows):
        u = random.random()
        return len(rows) + (0 if u < 0.2 else 2 if u > 0.8 else 1)

    report = audit(release, TEN, NINE, epsilon="1/10", lines=False)
    assert not any("an end" in note for note in report.notes)


# Numbers beside the released -----------------------------------------------------------------------------------------


def narrow(rows, *, scale):
    return len(rows) + np.random.default_rng().laplace(0, scale)


def in_a_field(rows):
    return {"a": COUNT.release(len(rows)), "b": round(narrow(rows, scale=0.2) * 10)}


def in_a_text(rows):
    return {"a": COUNT.release(len(rows)), "b": f"about {round(narrow(rows, scale=0.2), 1)} people"}


def printed(rows):
    print("n is", round(narrow(rows, scale=0.2), 1))
    return {"a": COUNT.release(len(rows))}


@pytest.mark.parametrize("release", [in_a_field, in_a_text, printed])
def test_a_number_that_is_not_among_the_released_is_judged_by_its_law(release):
    report = audit(release, TEN, NINE, **CLAIMS, released=lambda out: out["a"])
    assert report.kinds == {"noise-too-small"}


def test_a_number_beside_whose_noise_begins_somewhere_is_found():
    def release(rows):
        return {"a": COUNT.release(len(rows)), "b": f"about {len(rows) + random.randrange(-2, 3)}"}

    assert audit(release, TEN, NINE, **CLAIMS).kinds == {"noise-too-small"}


def test_a_number_beside_whose_law_is_not_judged_is_named():
    def release(rows):
        return {"a": COUNT.release(len(rows)), "b": f"about {round(len(rows) + random.random() + random.random(), 1)}"}

    report = audit(release, TEN, NINE, **CLAIMS).check()
    assert "output['b']" in noted(report, "how wide the noise of ")


def test_numbers_beside_that_are_made_of_the_released_one_pass_without_a_note():
    def release(rows):
        value = COUNT.release(len(rows))
        return {"value": value, "double": 2 * value, "said": f"about {value} people, {value + 3} at most"}

    report = audit(release, TEN, NINE, **CLAIMS, released=lambda out: out["value"]).check()
    assert report.notes == ()


def test_a_number_beside_that_is_the_same_for_both_inputs_is_not_named():
    def release(rows):
        return {"value": COUNT.release(len(rows)), "said": f"call {random.randrange(900) * random.randrange(900)}"}

    assert audit(release, TEN, NINE, **CLAIMS, released=lambda out: out["value"]).check().notes == ()


# Counts, exactly -----------------------------------------------------------------------------------------------------


def of_counts(first, second, runs, epsilon="1"):
    claims = claims_of(epsilon=epsilon, delta=None, sensitivity=None, norm="l1", grid=None)
    shown = [[True] * hits + [False] * (runs - hits) for hits in (first, second)]
    return told_by_counts(*shown, claims, event=bool)


def test_counts_refute_where_their_bounds_do_and_in_all_four_ways():
    """The bounds of an event that never held and one that always did: roots of a quarter of the false alarm."""
    runs, e = 399, exp_enclosure(Fraction(1), 80).upper
    most = 1 - (float(FALSE_ALARM) / 4) ** (1 / runs)
    least = bisect_left(range(runs), True, key=lambda hits: of_counts(hits, 0, runs) is not None)

    def tail(hits, p):
        return sum(math.comb(runs, k) * p**k * (1 - p) ** (runs - k) for k in range(hits, runs + 1))

    assert tail(least, float(e) * most) <= float(FALSE_ALARM) / 4 < tail(least - 1, float(e) * most)
    for ways in ((least, 0), (0, least), (runs - least, runs), (runs, runs - least)):
        assert str(of_counts(*ways, runs)).endswith(" of 399")
    assert of_counts(least - 1, 0, runs) is None
    assert tail(least, 0.5) > 0.999
    assert of_counts(67, 0, 67) is None
    assert "says the count in half of its calls is found by `replays=400` with more than 99.9 %" in GUIDE
