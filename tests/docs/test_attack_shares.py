"""The shares of outputs that tell their value, in README and guide, are those of numpy's noise, by the attack named.

A share is bounded by a sample (Clopper and Pearson, each bound fails once in a billion times), and the printed figure,
as far as it is rounded, must have room between the bounds. A figure that is further off has none.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from snapdp.lab.attacks.attack import probability_at_least, probability_at_most
from snapdp.lab.attacks.gallery import attacks
from snapdp.lab.attacks.reachability import is_reachable
from tests import ROOT

MISSED = Fraction(1, 10**9)
SCALE = 2.0
PAIRS = {(0, 1): 20_000, (3, 4): 20_000, (412, 413): 100_000}  # outputs of either value
SHARE = r"(\d+) %(?: of the outputs)? tell (\d+) from (\d+)"
MANY = 10  # times as many in the long suite


def words_of(page: str) -> str:
    return " ".join((ROOT / page).read_text(encoding="utf-8").replace("**", "").split())


def figures() -> dict[tuple[int, int], tuple[Fraction, Fraction]]:
    """Return between which ends the share of each pair lies, as the guide prints it."""
    found = {}
    for share, *pair in re.findall(SHARE, words_of("docs/guide/attacks.md")):
        low, high = rounded_to(share)
        found[tuple(map(int, pair))] = (low / 100, high / 100)
    one_in, *pair = re.search(r"one in (\d+) still tells (\d+) from (\d+)", words_of("docs/guide/attacks.md")).groups()
    few, many = rounded_to(one_in)
    found[tuple(map(int, pair))] = (1 / many, 1 / few)
    return found


def rounded_to(printed: str) -> tuple[Fraction, Fraction]:
    """Return the ends between which numbers are rounded to this whole one."""
    return Fraction(printed) - Fraction(1, 2), Fraction(printed) + Fraction(1, 2)


@cache
def bounds(pair: tuple[int, int], times: int = 1) -> tuple[Fraction, Fraction]:
    """Return bounds of the share of outputs that cannot come from the other value, of both values together."""
    pick = np.random.default_rng(20121016)
    samples = PAIRS[pair] * times
    hits = 0
    for value, other in (pair, pair[::-1]):
        outputs = (value + pick.laplace(0.0, SCALE, size=samples)).tolist()
        hits += sum(not is_reachable(output, float(other), SCALE) for output in outputs)
    return probability_at_least((hits, 2 * samples), MISSED), probability_at_most((hits, 2 * samples), MISSED)


def has_room(figure: tuple[Fraction, Fraction], between: tuple[Fraction, Fraction]) -> bool:
    return figure[0] <= between[1] and between[0] <= figure[1]


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("times", [1, pytest.param(MANY, marks=pytest.mark.long)])
def test_what_is_said_of_outputs_that_tell_their_value_is_so(pair, times):
    assert figures().keys() == PAIRS.keys()
    assert has_room(figures()[pair], bounds(pair, times))


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("off", [Fraction(3, 5), Fraction(5, 3)])
def test_a_figure_that_is_far_off_has_no_room(pair, off):
    low, high = figures()[pair]
    assert not has_room((low * off, high * off), bounds(pair))


def test_readme_has_the_first_of_these_figures_and_names_the_attack_that_shows_it():
    (told,) = re.findall(SHARE, words_of("README.md"))
    assert told == re.findall(SHARE, words_of("docs/guide/attacks.md"))[0]
    (name,) = re.findall(r"`snapdp lab attack ([\w-]+)`", words_of("README.md"))
    assert re.findall(r"number (\d+)", attacks()[name].neighbours) == [*told[1:]]
