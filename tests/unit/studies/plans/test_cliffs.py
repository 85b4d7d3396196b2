"""Cliff hints of a line: true at the figures of a plan, the least epsilon, and nothing where nothing is near."""

from __future__ import annotations

from fractions import Fraction

import snapdp
from snapdp.accuracy.curve import Hint, cliff_hint
from snapdp.accuracy.epsilon import next_four_digits
from snapdp.exact.dyadic import round_digits_up
from snapdp.studies.plans.advice import cliff_in_words, cliffs_of
from snapdp.values import replaced

F = Fraction
COLUMNS = {
    "age": {"kind": "number", "lower": 0, "upper": 120, "step": 1, "missing": 60},
    "region": {"kind": "category", "categories": ["north", "south"]},
}
ABOUT = [{"kind": "mean", "column": "age"}, {"kind": "histogram", "column": "region"}]
EPSILONS = ("0.3", "0.48", "0.49", "0.7", "0.99", "1/3", "3", "40")


def lines(**relation):
    relation = relation or {"relation": "change-one", "n": 5000}
    asked = [{**each, "epsilon": "0.5"} for each in ABOUT]
    return snapdp.study(format=1, dataset="p", columns=COLUMNS, statistic=asked, **relation).plan().lines


def test_a_hint_is_true_at_the_accuracies_that_a_plan_shows():
    seen = set()
    for line in lines():
        for epsilon in EPSILONS:
            here = replaced(line, epsilon=F(epsilon))
            for hint in cliffs_of(here):
                seen.add(hint.kind)
                then = replaced(line, epsilon=hint.better_epsilon).accuracy
                assert (hint.epsilon, hint.accuracy, hint.better_accuracy) == (here.epsilon, here.accuracy, then)
                assert round_digits_up(hint.better_epsilon, 4) == hint.better_epsilon
                if hint.kind == "cheaper":
                    assert hint.better_epsilon <= here.epsilon * F(99, 100)
                    assert then <= here.accuracy * (1 + F(1, 10**8))
                else:
                    assert here.epsilon < hint.better_epsilon <= here.epsilon * F(11, 10)
                    assert then * hint.better_epsilon <= here.accuracy * here.epsilon * F(99, 100)
    assert seen == {"cheaper"}


def test_a_cheaper_epsilon_is_the_least_of_four_digits():
    for line in lines():
        for epsilon in ("0.3", "0.49", "0.7", "0.99"):
            here = replaced(line, epsilon=F(epsilon))
            for hint in cliffs_of(here):
                step = next_four_digits(hint.better_epsilon) - hint.better_epsilon
                less = replaced(line, epsilon=hint.better_epsilon - step)
                assert less.accuracy > here.accuracy


def test_hints_of_numbers_that_are_not_whole_are_those_of_their_mechanism():
    mean = lines()[0]
    for epsilon in EPSILONS:
        here = replaced(mean, epsilon=F(epsilon))
        expected = cliff_hint(here.mechanisms[0].parameters, alpha=here.alpha)
        assert [(each.kind, each.better_epsilon) for each in cliffs_of(here)] == [
            (each.kind, each.better_epsilon) for each in expected
        ]


def test_whole_numbers_have_cliffs_that_their_mechanism_does_not_know():
    histogram = replaced(lines()[1], epsilon=F(3, 10))
    (hint,) = cliffs_of(histogram)
    assert (hint.kind, hint.accuracy, hint.better_accuracy, hint.better_epsilon) == ("cheaper", 20, 20, F("0.2923"))
    assert cliff_hint(histogram.mechanisms[0].parameters) == ()
    assert cliff_in_words(hint) == "Epsilon 0.2923 gives ± 20 as well: the rest buys nothing here."


def test_a_cliff_that_is_near_is_told_with_both_errors():
    numbers = {"epsilon": F("0.49"), "accuracy": F("0.192"), "better_epsilon": F(1, 2), "better_accuracy": F("0.16")}
    told = cliff_in_words(Hint(kind="sharper", alpha=F(1, 20), **numbers))
    assert told == "A cliff is near: epsilon 0.5 gives ± 0.1600 instead of ± 0.1920."


def test_numbers_that_follow_from_several_have_no_cliff():
    mean, histogram = lines(relation="add-remove", n_max=5000)
    assert mean.accuracy is None
    assert cliffs_of(replaced(mean, epsilon=F("0.49"))) == ()
    assert cliffs_of(replaced(histogram, epsilon=F("0.49")))


def test_a_range_that_leaves_no_room_for_errors_has_no_hint():
    assert [cliffs_of(replaced(line, epsilon=F(1, 10**6))) for line in lines()] == [(), ()]
