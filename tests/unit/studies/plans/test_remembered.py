"""Answers about lines are remembered by what the line is, and not where its groups would fill the memory."""

from __future__ import annotations

from fractions import Fraction

import snapdp
from snapdp.studies.plans.lines import MOST_CELLS, remembered
from snapdp.values import replaced


def line_of(groups):
    columns = {"region": {"kind": "category", "categories": [f"r{i}" for i in range(groups)]}}
    asked = [{"kind": "histogram", "column": "region", "epsilon": "0.5"}]
    study = snapdp.study(format=1, dataset="p", relation="add-remove", n_max=9, columns=columns, statistic=asked)
    return study.plan().lines[0]


def test_equal_lines_are_answered_once_and_others_again():
    asked = []

    @remembered
    def answer(line, more):
        asked.append((line.epsilon, more))
        return line.epsilon + more

    half = Fraction(1, 2)
    assert answer(line_of(3), 1) == answer(line_of(3), 1) == Fraction(3, 2)
    assert asked == [(half, 1)]
    assert answer(line_of(3), 2) == Fraction(5, 2)
    assert answer(replaced(line_of(3), epsilon=Fraction(1)), 1) == 2
    assert asked == [(half, 1), (half, 2), (1, 1)]


def test_a_line_with_very_many_groups_is_not_kept():
    asked = []
    answer = remembered(asked.append)
    many = line_of(MOST_CELLS + 1)
    answer(many)
    answer(many)
    assert asked == [many, many]
