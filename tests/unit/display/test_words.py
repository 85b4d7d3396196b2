"""Words beside numbers: what they say is exactly true."""

from __future__ import annotations

from fractions import Fraction

import pytest

from snapdp.display.text import confidence, hides_nothing, listed


@pytest.mark.parametrize("alpha", ["1/20", "1/100", "0.001", "0.5", "0.975", "1e-8", "1e-12", "1/3", "2/7", "1/1024"])
def test_a_confidence_is_one_minus_alpha_exactly(alpha):
    told = confidence(Fraction(alpha))
    one, _, rest = told.partition(" - ")
    said = Fraction(told.removesuffix(" %")) / 100 if told.endswith(" %") else Fraction(one) - Fraction(rest)
    assert said == 1 - Fraction(alpha)


def test_a_confidence_is_in_percent_where_that_is_short():
    assert [confidence(Fraction(each)) for each in ("1/20", "1/100", "1/3", "1e-12")] == [
        "95 %", "99 %", "1 - 1/3", "1 - 1e-12",
    ]  # fmt: skip


def test_names_of_a_sentence_are_all_told_or_counted():
    names = [str(i) for i in range(9)]
    for many in range(1, 10):
        told = listed(names[:many], most=4).replace(" and ", ", ").split(", ")
        left = int(told[-1].removesuffix(" more")) if told[-1].endswith(" more") else 0
        assert len(told) - (left > 0) + left == many
        assert len(told) <= 4


def test_twenty_hides_something_and_more_does_not():
    assert hides_nothing(Fraction(20)) == ""
    assert "hides nothing" in hides_nothing(Fraction(2001, 100))
