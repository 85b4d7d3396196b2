"""The cliff hint: cheaper with the same accuracy, sharper for little more, and silent where there is nothing to say."""

from __future__ import annotations

import pytest

import snapdp
from snapdp.accuracy.curve import NEAR, WORTH_SAYING, cliff_hint
from snapdp.accuracy.epsilon import grid_choice
from snapdp.accuracy.error import unclamped_accuracy
from snapdp.accuracy.summary import worth_of, worth_of_mechanism
from tests.unit.accuracy.brute import F, parameters


def at(epsilon, grid="natural", **more):
    return parameters(epsilon=epsilon, sensitivity=1, lower=0, upper=100, grid=grid, **more)


def free(p):
    return p.unit * unclamped_accuracy(noise_scale=p.noise_scale, grid=p.grid, alpha=F(1, 20))


def test_just_below_a_power_of_two_both_hints_are_given_with_both_figures():
    cheaper, sharper = cliff_hint(at("0.99"))
    assert (cheaper.kind, cheaper.epsilon, cheaper.accuracy) == ("cheaper", F("0.99"), 4)
    assert (cheaper.better_epsilon, cheaper.better_accuracy) == (F("0.826"), 4)
    assert (sharper.kind, sharper.better_epsilon) == ("sharper", 1)
    assert float(sharper.better_accuracy) == pytest.approx(3.408, abs=5e-4)


@pytest.mark.parametrize("grid", ["natural", "fine"])
def test_hints_are_true_over_an_octave_of_epsilons(grid):
    kinds = set()
    for i in range(40):
        p = at(F(50 + i, 80), grid)
        for hint in cliff_hint(p):
            other = at(hint.better_epsilon, grid)
            assert hint.accuracy == free(p)
            assert hint.better_accuracy == free(other)
            if hint.kind == "cheaper":
                assert hint.better_epsilon <= WORTH_SAYING * hint.epsilon
                assert hint.better_accuracy <= hint.accuracy
            else:
                assert hint.epsilon < hint.better_epsilon <= NEAR * hint.epsilon
                gain = hint.better_accuracy * hint.better_epsilon / (hint.accuracy * hint.epsilon)
                assert gain <= WORTH_SAYING
            kinds.add(hint.kind)
    assert kinds == {"cheaper", "sharper"}


@pytest.mark.parametrize("epsilon", ["0.93", "0.95", "0.97", "0.99", "0.999"])
def test_an_epsilon_that_few_bits_do_not_allow_is_no_hint_and_no_error(epsilon):
    """A plan at 0.95 was refused because at epsilon 1 there is no such mechanism."""
    said = {"sensitivity": 1, "lower": 0, "upper": 1000, "arithmetic": "proved", "bits": 33}
    with pytest.raises(snapdp.PremiseError, match="too few"):
        parameters(epsilon=1, **said)
    assert {hint.kind for hint in cliff_hint(parameters(epsilon=epsilon, **said))} <= {"cheaper"}
    assert worth_of_mechanism(epsilon=epsilon, **said).tight == snapdp.Snapping(epsilon=epsilon, **said).accuracy()


@pytest.mark.parametrize("arithmetic", ["proved", "notes"])
def test_whatever_mechanism_there_is_has_a_worth(arithmetic):
    """Near the fewest bits that a range allows nothing that is told beside it may refuse it."""
    found = 0
    for bits in range(26, 33):
        for epsilon in ("0.49", "0.95"):
            said = {"sensitivity": 1, "lower": 0, "upper": 100, "arithmetic": arithmetic, "bits": bits}
            try:
                p = parameters(epsilon=epsilon, **said)
            except snapdp.PremiseError:
                continue
            assert worth_of(p).parameters == p
            found += 1
    assert 3 < found < 14


def test_at_the_cliff_itself_nothing_is_better():
    for epsilon in ("0.5", "1", "2"):
        assert cliff_hint(at(epsilon)) == ()


def test_a_fixed_grid_has_no_cliff_but_may_be_had_for_less():
    hints = cliff_hint(at("0.9", 8))
    assert [hint.kind for hint in hints] in ([], ["cheaper"])
    (hint,) = cliff_hint(at("0.99", 1))
    assert (hint.kind, hint.accuracy, hint.better_accuracy) == ("cheaper", F("3.5"), F("3.5"))
    assert hint.better_epsilon == F("0.883")


def test_other_sensitivities_only_scale():
    one = cliff_hint(at("0.99"))
    other = cliff_hint(parameters(epsilon="0.99", sensitivity=4, lower=0, upper=100, grid="natural"))
    assert [h.better_epsilon for h in one] == [h.better_epsilon for h in other]
    assert [4 * h.accuracy for h in one] == [h.accuracy for h in other]


def test_under_the_notes_rule_a_power_of_two_lies_below_its_own_cliff():
    (hint,) = cliff_hint(at("0.5", None, arithmetic=snapdp.FinitePrecision(rule="notes")))
    assert (hint.kind, hint.better_epsilon) == ("sharper", F("0.5001"))
    assert float(hint.accuracy) == pytest.approx(7.815, abs=5e-4)
    assert float(hint.better_accuracy) == pytest.approx(6.803, abs=5e-4)
    assert cliff_hint(at("0.5", None, arithmetic=snapdp.FinitePrecision(rule="proved"))) == ()
    cheaper, hint = cliff_hint(at("0.49", None, arithmetic=snapdp.FinitePrecision(rule="proved")))
    assert (cheaper.kind, cheaper.better_epsilon, cheaper.better_accuracy) == ("cheaper", F("0.413"), 8)
    assert hint.better_epsilon == F("0.5")


def test_the_grid_is_named_as_it_follows_epsilon():
    assert grid_choice(at("0.7")) == "natural"
    assert grid_choice(at("0.7", "fine")) == "fine"
    assert grid_choice(at("0.7", 1)) == 1
