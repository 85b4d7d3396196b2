"""Answers about lines of plans that are remembered: a page asks again for every row whenever one is edited.

Room: studies. It cannot see data. Lines are values, so an answer holds for every line that is equal.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Concatenate, ParamSpec, TypeVar

from snapdp.studies.plans.lines import Line

Others = ParamSpec("Others")
Answer = TypeVar("Answer")
MEMORY = 256  # answers of each kind
MOST_CELLS = 2000  # names of so many groups take a megabyte at most: 256 of them are still held


def remembered(
    answer: Callable[Concatenate[Line, Others], Answer],
) -> Callable[Concatenate[Line, Others], Answer]:
    """Make a function of a line, and of other values, remember its answers; but of lines with very many groups, whose
    names would fill the memory.
    """
    known = lru_cache(maxsize=MEMORY)(answer)

    @wraps(answer)
    def of_line(line: Line, /, *others: Others.args, **more: Others.kwargs) -> Answer:
        if line.statistic.cells > MOST_CELLS:
            return answer(line, *others, **more)
        return known(line, *others, **more)  # type: ignore[arg-type]

    return of_line
