"""The least epsilon beside (6.4) and (6.5) is the least decimal of four digits, in the notes' own arithmetic."""

from __future__ import annotations

import pytest

from snapdp.accuracy.epsilon import decimal, index_down
from snapdp.accuracy.error import worst_exceeds
from snapdp.lab import claims
from tests.unit.accuracy.brute import F


def exact_epsilon(name="(6.4)", **setting):
    return claims.beside_exact(name, if_value=0, **setting).claims[name].exact.lower


def misses(m, epsilon, target, alpha="0.05"):
    if epsilon <= 2 * m.eta:
        return True
    return worst_exceeds(m.at(epsilon=epsilon).parameters, F(target), F(alpha))


def test_at_a_half_the_grid_of_the_notes_is_four_and_an_accuracy_of_seven_needs_more():
    """In exact arithmetic the grid at 1/2 is 2, and 1/2 is enough: the answer to another question."""
    setting = {"epsilon": "0.5", "bound": 1000, "accuracy": 7}
    assert [exact_epsilon(name, **setting) for name in ("(6.4)", "(6.5)")] == [F("0.5001")] * 2
    m = claims.printed_mechanism(epsilon="0.5", bound=1000)
    assert misses(m, F("0.5"), 7)
    assert not misses(m, F("0.5001"), 7)
    assert exact_epsilon(**setting, arithmetic="exact") == F("0.5")


@pytest.mark.parametrize(
    "setting",
    [
        {"epsilon": 1, "bound": 6, "accuracy": 5},
        {"epsilon": 1, "bound": 6, "accuracy": 9},  # beyond the bound, where one tail is left
        {"epsilon": 1, "bound": 6, "accuracy": 5, "bits": 9},  # eta is visible: the grid halves far above 1/2
        {"epsilon": 1, "bound": 6, "accuracy": 9, "bits": 4},  # epsilon begins at 1/8
        {"epsilon": 1, "bound": 6, "accuracy": 5, "grid": "1/4"},
        {"epsilon": 1, "bound": 6, "accuracy": 4, "alpha": "0.4"},
    ],
)
def test_no_smaller_decimal_has_the_accuracy(setting):
    found = exact_epsilon("(6.5)", **setting)
    constants = {key: value for key, value in setting.items() if key not in ("accuracy", "alpha")}
    m, alpha = claims.printed_mechanism(**constants), setting.get("alpha", "0.05")
    assert not misses(m, found, setting["accuracy"], alpha)
    last = index_down(found)
    for n in range(last - 9000, last, 90):
        assert misses(m, decimal(n), setting["accuracy"], alpha)
    assert misses(m, decimal(last - 1), setting["accuracy"], alpha)


def test_no_error_is_larger_than_twice_the_bound_so_every_epsilon_will_do():
    found = claims.beside_exact("(6.5)", epsilon=1, bound=2, if_value=0, accuracy=4).claims["(6.5)"]
    assert (found.exact.upper, found.valid) == (0, True)


def test_where_no_least_epsilon_can_be_told_the_formula_is_left_out():
    for setting in ({"alpha": "0.4", "accuracy": 3}, {"grid": 4, "accuracy": 2}, {"grid": 1, "alpha": "0.6"}):
        left_out = claims.beside_exact("(6.5)", epsilon=1, bound=2, if_value=0, **setting).left_out
        assert [*left_out] == ["(6.5)"]


def test_a_grid_that_was_given_stays_whatever_else_changes():
    given, own = (claims.printed_mechanism(epsilon=1, bound=10, grid=grid) for grid in ("1/16", None))
    assert given.at(epsilon=F(1, 9)).grid == F(1, 16)
    assert own.at(epsilon=F(1, 9)).grid == 16
    fine, coarse = (
        claims.beside_exact("B from gamma", epsilon=1, bound=10, if_value=0, grid=grid).claims["B from gamma"]
        for grid in ("1/16", None)
    )
    assert coarse.exact.upper < fine.exact.lower  # the next half step is further off
