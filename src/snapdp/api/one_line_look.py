"""A first look in one line: `snapdp.explore(df, columns=["age", "income"], epsilon="0.2", ledger="people.ledger")`.

Room: api. As the statistics in one line: the study that is meant, charged to the account of a ledger.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from snapdp.api.exploring import Exploration, exploring_values
from snapdp.api.given_columns import GivenColumns, category, listed, told, written
from snapdp.api.released import Where, check_ledger, released_study
from snapdp.errors import ParameterError
from snapdp.ledger import Ledger

if TYPE_CHECKING:
    from snapdp.exact import Parameter


def explore(
    data: Any,
    *,
    columns: Iterable[str],
    categories: Mapping[str, Iterable[Any]] | None = None,
    outside: Parameter | None = None,
    exponents: Sequence[int] | None = None,
    rows_per_person: Parameter | None = None,
    epsilon: Parameter | None = None,
    alpha: Parameter | None = None,
    ledger: Where | Ledger | None = None,
    dataset: str | None = None,
    directory: Where = ".",
) -> Exploration:
    """Take a first look at columns of a table of which nothing is documented, charged like every release.

    `numbers` of what is returned has bounds, quartiles and what is missing of each column of numbers, `categories` the
    counts of the others, `study_text()` a study file to edit with these bounds; `release` is the release itself.

    data         a table: a frame, a path, whatever `open_table` takes
    columns      the names of those to look at; they share epsilon equally
    categories   {"region": ["north", "south"]}: the public list of each column that does not hold numbers
    outside      the bounds may leave this share of the numbers of a column outside; 0.05 if left out
    exponents    the least and the largest power of two to count by; -10 and 40 if left out
    others       as for `mean`
    """
    check_ledger(ledger)
    given = GivenColumns(data)
    if not given.is_table:
        advice = 'Give the table and the names of its columns: snapdp.explore(df, columns=["age"], ...).'
        raise ParameterError("a look is at columns of a table, and one column is given.", advice)
    if epsilon is None:
        raise ParameterError("it is not said what the look may cost.", "Give epsilon: all columns share it equally.")
    values = exploring_values(
        [_name(each) for each in listed(columns, "columns")],
        _categories(categories),
        epsilon=written(epsilon),
        alpha=None if alpha is None else written(alpha),
        outside=None if outside is None else written(outside),
        exponents=None if exponents is None else [written(each) for each in listed(exponents, "exponents")],
    )
    if rows_per_person is not None:
        values["statistic"][0]["rows_per_person"] = written(rows_per_person)
    return Exploration(*released_study(values, given, ledger, dataset, directory))


def _name(given: Any) -> str:
    if not isinstance(given, str):
        raise ParameterError(f"{told(given)} is no name of a column.", 'Give names: columns=["age", "income"].')
    return given


def _categories(given: Mapping[str, Iterable[Any]] | None) -> dict[str, list[Any]]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        advice = 'Give categories={"region": ["north", "south"]}.'
        raise ParameterError(f"categories = {told(given)} does not say of which column they are.", advice)
    return {_name(name): category(listed(each, "categories"))["categories"] for name, each in given.items()}
