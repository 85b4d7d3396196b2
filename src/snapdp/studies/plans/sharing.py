"""What means of a plan would gain by sharing one count: computed and said, never done.

Room: studies. It cannot see data. Means are over the same rows where everything that chooses rows is the same, and
nothing stands for a row that is left out: same conditions, groups and rows of a person, and no column that drops rows.

    |error| <= (a_sum + half width * a_count)/(rows - a_count), for as many rows as there may be      theory (15)

Theory: docs/theory/sensitivities.md, (23) and (24).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from snapdp.display import exact_amount, four_digits_up, listed, one_line
from snapdp.errors import SnapdpError
from snapdp.studies.statistics.mean import MOST_COLUMNS, Mean
from snapdp.values import Value, replaced

if TYPE_CHECKING:
    from snapdp.studies.plans.lines import Line

MOST_NAMED = 3  # means whose errors are told in one sentence


class Sharing(Value):
    """Several means of a plan that could share one count at the epsilon they cost together.

    rows             for so many rows, of a group where there are groups
    apart, together  the accuracy of each mean as it is planned, and with one count for all
    """

    columns: tuple[str, ...]
    epsilon: Fraction
    rows: int
    apart: tuple[Fraction, ...]
    together: tuple[Fraction, ...]
    in_groups: bool = False

    @property
    def in_words(self) -> str:
        """Return what sharing would buy, as a sentence or two for people."""
        short = [one_line(name) for name in self.columns]
        names = [one_line(json.dumps(name, ensure_ascii=False)) for name in self.columns[:MOST_NAMED]]
        names += ["..."] if len(self.columns) > MOST_NAMED else []
        where = f"in {'a group' if self.in_groups else 'a table'} of {self.rows} rows"
        gains = [
            f"that of {name} from ± {four_digits_up(before)} to ± {four_digits_up(after)}"
            for name, before, after in zip(short, self.apart, self.together, strict=True)
        ]
        return (
            f"The means of {listed(short, MOST_NAMED)} are over the same rows and could share one count: "
            f'kind = "mean", columns = [{", ".join(names)}]. At epsilon {exact_amount(self.epsilon)}, which they cost '
            f"together, the error would fall, {where}: {listed(gains, MOST_NAMED)}."
        )


def could_share(lines: Iterable[Line], if_rows: int | None = None) -> tuple[Sharing, ...]:
    """Return which means could share a count, where each of them would be more accurate at the same epsilon.

    if_rows   so many rows are guessed to be in the table; groups have equal shares of them
    """
    alike: dict[object, list[Line]] = {}
    for line in lines:
        mean = line.statistic
        if isinstance(mean, Mean) and mean.count_share is not None and not any(c.dropped for c in mean.number_columns):
            rows = (mean.relation, mean.by, mean.where, mean.rows_per_person, line.alpha)
            alike.setdefault(rows, []).append(line)
    return tuple(found for each in alike.values() if len(each) > 1 for found in _gain(each, if_rows))


def _gain(lines: list[Line], if_rows: int | None) -> Iterator[Sharing]:
    means = [line.statistic for line in lines if isinstance(line.statistic, Mean)]
    columns = [column for mean in means for column in mean.number_columns]
    if len(columns) > MOST_COLUMNS or len({column.name for column in columns}) < len(columns):
        return
    first, epsilon = means[0], sum((line.epsilon for line in lines), Fraction(0))
    rows = first.rows_guessed(if_rows)
    about: dict[str, Any] = {
        "relation": first.relation,
        "by": first.by,
        "where": first.where,
        "rows_per_person": first.rows_per_person,
    }
    try:
        shared = replaced(lines[0], statistic=Mean.of(*columns, **about), epsilon=epsilon, lock=False, target=None)
        apart = tuple(found for line in lines for found in line.derived_accuracies(rows))
        together = shared.derived_accuracies(rows)
    except SnapdpError:  # nobody asked for it
        return
    if all(after < before for before, after in zip(apart, together, strict=True)):
        yield Sharing(
            columns=tuple(column.name for column in columns),
            epsilon=epsilon,
            rows=rows,
            apart=apart,
            together=together,
            in_groups=first.by is not None,
        )
