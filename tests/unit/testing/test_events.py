"""Thresholds, digits and shared noise: what is planted is found, its sound twin passes, and chance is computed."""

from __future__ import annotations

import functools
import math
from fractions import Fraction

import pytest

import snapdp
from snapdp.exact import exp_enclosure
from snapdp.testing import audit
from snapdp.testing.claims import claims_of
from snapdp.testing.judges.events import sided
from snapdp.testing.judges.numbers import rounded_step
from snapdp.testing.replays import FALSE_ALARM, _fewest, fewest_separated, replays_needed, separating_chance
from tests import ROOT
from tests.tiers import one_in
from tests.unit.testing import planted_numbers as planted

GUIDE = (ROOT / "docs" / "guide" / "test-your-own.md").read_text(encoding="utf-8")


def name(each):
    return f"{each.release.__name__}-{'-'.join(sorted(each.kinds)) or 'sound'}"


@functools.cache
def report(place):
    """Return the report of a planted fault; several tests read it."""
    each = planted.FAULTY[place]
    return audit(each.release, [1, 0], [1, 1], **each.claims)


def report_of(release):
    return report(next(place for place, each in enumerate(planted.FAULTY) if each.release is release))


@pytest.mark.parametrize("place", range(len(planted.FAULTY)), ids=map(name, planted.FAULTY))
def test_what_is_planted_is_found_and_named(place):
    assert report(place).kinds == planted.FAULTY[place].kinds


@pytest.mark.parametrize("place", one_in(2, range(len(planted.SOUND))), ids=map(name, planted.SOUND))
def test_its_sound_twin_passes(place):
    each = planted.SOUND[place]
    audit(each.release, [1, 0], [1, 1], **each.claims).check()


def test_noise_of_no_known_law_that_a_threshold_refutes_has_been_judged():
    report = report_of(planted.forty_times_too_narrow)
    assert report.width_is_judged
    assert report.notes == ()
    (found,) = report.violations
    assert dict(found.evidence) == {"path": "output", "separated": "67 of 67 replays"}


def test_more_replays_find_less_of_a_difference():
    def five_times_too_narrow(rows):
        return round(60 * planted.clamped(rows) + planted.laplace_by_hand(12))

    claims = {"epsilon": 1, "sensitivity": 60, "lines": False}
    assert audit(five_times_too_narrow, [1, 0], [1, 1], **claims).kinds == set()
    assert audit(five_times_too_narrow, [1, 0], [1, 1], replays=400, **claims).kinds == {"noise-too-small"}


def test_a_combination_is_told_as_it_is_written():
    (found,) = report_of(planted.sixty_times_the_same_noise).violations
    assert dict(found.evidence)["combination"] == "output['minutes'] - 60 output['hours']"
    (found,) = report_of(planted.the_sum_of_two_noises).violations
    assert dict(found.evidence)["combination"] == "output[0] + output[1] - output[2]"


@pytest.mark.parametrize("each", [planted.a_quotient, planted.a_root, planted.a_logarithm])
def test_what_is_on_no_grid_and_not_said_to_be_value_and_noise_is_told_in_a_note(each):
    report = audit(each, [1, 0], [1, 1], epsilon=2, replays=20)
    assert any("which it is was not judged" in note for note in report.notes)
    assert audit(each, [1, 0], [1, 1], epsilon=2, sensitivity=1, replays=5).kinds >= {"float-noise"}


def test_a_number_whose_scale_comes_from_other_noise_has_no_known_law():
    report = audit(planted.a_scale_from_a_noisy_number, [1, 0], [1, 1], epsilon="1.4", lines=False)
    assert any(note.startswith("how wide the noise of output['sum'] is was not judged") for note in report.notes)


# Chance, exactly


@pytest.mark.parametrize(("epsilon", "delta"), [("1/10", None), ("1", None), ("1", "1/1000")])
@pytest.mark.parametrize("more", [0, 1, 40])
def test_so_many_pairs_are_told_apart_by_chance_less_than_once_in_a_billion_times(epsilon, delta, more):
    """The tail of the binomial law, summed up anew; one pair less would not do."""
    epsilon, delta = Fraction(epsilon), delta and Fraction(delta)
    pairs = replays_needed(epsilon, delta) - 1 + more
    e = exp_enclosure(epsilon, 80)
    least = fewest_separated(pairs, epsilon, delta)
    assert least <= pairs

    def tail(k, p):
        return sum(math.comb(pairs, j) * p**j * (1 - p) ** (pairs - j) for j in range(k, pairs + 1))

    below, above = ((each + (delta or 0)) / (1 + each) for each in (e.lower, e.upper))
    assert tail(least, above) <= FALSE_ALARM
    assert tail(least - 1, below) > FALSE_ALARM
    assert fewest_separated(replays_needed(epsilon, delta) - 2, epsilon, delta) == pairs - more


def test_bits_that_do_not_decide_give_no_number_and_those_that_do_give_the_same():
    """Terms are rounded both ways: few bits leave it open, and never say anything else than many."""
    chance = separating_chance(Fraction(3), None)
    found = [_fewest(863, chance, bits) for bits in (0, 1, 8, 256)]
    assert found == [None, *[fewest_separated(863, Fraction(3), None)] * 3]


def test_many_replays_are_counted_without_numbers_of_a_million_bits():
    """At 20,000 pairs, between the mean and the bound of Hoeffding: n p + sqrt(n ln(10^9) / 2)."""
    mean = 20_000 * separating_chance(Fraction(1), None)
    assert mean < fewest_separated(20_000, Fraction(1), None) <= mean + math.isqrt(20_000 * 21 // 2) + 1


def test_randomised_response_attains_the_chance_of_one_pair():
    """It tells the truth with e / (1 + e). Where both runs do so at once, each pair that does is told apart."""
    e = exp_enclosure(Fraction(1), 100)
    chance = separating_chance(Fraction(1), None)
    assert e.lower / (1 + e.lower) <= chance <= e.upper / (1 + e.upper) + Fraction(1, 2**63)


def test_by_its_exact_law_no_threshold_refutes_a_release_of_ours():
    """A chance of one pair, for every threshold and side, however the two runs hang together: at most min(p, q)."""
    mechanism = snapdp.Snapping(epsilon=1, sensitivity=1, lower=0, upper=8)
    near, far = mechanism.law(0), mechanism.law(1)
    thresholds = [Fraction(k, 4) for k in range(33)]
    worst = max(min(near.probability(-100, t).upper, far.probability(t, 100).upper) for t in thresholds)
    assert worst <= separating_chance(Fraction(1), None)
    assert worst**67 < FALSE_ALARM


def test_the_guide_says_how_narrow_noise_is_found():
    """Laplace noise of no known law, |noise| < half the way in all 67 pairs; a threshold in the middle."""
    assert "20 times too small is found with a chance of 99.7 %" in GUIDE
    assert "10 times with 64 %" in GUIDE
    assert round((1 - math.exp(-20 / 2)) ** 67, 3) == 0.997
    assert round((1 - math.exp(-10 / 2)) ** 67, 2) == 0.64
    assert "`replays=400` finds noise that is 5 times too small with more than 99.9 %" in GUIDE
    p, least = 1 - math.exp(-5 / 2), fewest_separated(399, Fraction(1), None)
    found = sum(math.comb(399, k) * p**k * (1 - p) ** (399 - k) for k in range(least, 400))
    assert found > 0.999


def test_a_threshold_needs_a_pair_that_moves_and_counts_those_after_it():
    claims = claims_of(epsilon="1/10", delta=None, sensitivity=None, norm="l1", grid=None)
    low, high = [Fraction(0)] * 34, [Fraction(1)] * 34
    assert sided(low, high, [], claims).pairs == 33
    assert sided(low, [Fraction(0), *high[1:]], [], claims) is None  # 32 are left, and 33 are needed
    assert sided(low, [*high[:-1], Fraction(0)], [], claims) is None
    assert sided(low, [*high[:-1], None], [], claims).found == 33  # what is no number is not below, either
    assert sided([*low[:-1], None], high, [], claims) is None
    assert sided(low, low, [], claims) is None


def test_a_step_without_errors_is_the_greatest_common_divisor():
    assert rounded_step([(Fraction(value), Fraction(0)) for value in (6, -15, 0)]) == (3, 0)
    assert rounded_step([(Fraction(0), Fraction(0))] * 2) == (0, 0)
    assert rounded_step([(Fraction(1), Fraction(1, 8)), (Fraction(1, 3), Fraction(1, 8))]) is None
