"""Statistics in one line: `snapdp.mean(df["age"], bounds=(15, 100), missing="dropped", epsilon=1, ledger="ledger.db")`.

Room: api. Each function writes the study that it means and releases it: the same request by study file, by flags or
here is one request, and the ledger answers the second time free of charge. Who is protected and how many rows there are
is read from the ledger's account, never from the data; without a ledger nothing is released.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from snapdp.api.given_columns import (
    PAIR,
    Conditions,
    Declaration,
    GivenColumns,
    GroupLists,
    category,
    conditions,
    listed,
    needs_bounds,
    numbers,
    pair,
    truth,
    written,
)
from snapdp.api.released import Where, cost_of, released
from snapdp.errors import ParameterError
from snapdp.ledger import Ledger
from snapdp.release import Release

if TYPE_CHECKING:
    from snapdp.exact import Parameter

Margins = str | Iterable[Iterable[str]]
PAIRS = "bounds=((0, 120), (0, 5000)), a pair for each column"
PAIR_OR_PAIRS = f"{PAIR}; of several columns {PAIRS}"
TRUTH = {"kind": "boolean"}
TRUTH_TYPES = ("bool", "boolean", "bool[pyarrow]")  # as numpy, pandas, Polars and Arrow name them


def count(
    data: Any,
    *,
    column: str | None = None,
    where: Conditions | None = None,
    columns: Mapping[str, Declaration] | None = None,
    by: Any = None,
    groups: GroupLists | None = None,
    keys: Where | None = None,
    margins: Margins | None = None,
    shares: Iterable[Parameter] | None = None,
    rows_per_person: Parameter | None = None,
    epsilon: Parameter | None = None,
    accuracy: Parameter | None = None,
    alpha: Parameter | None = None,
    ledger: Where | Ledger | None = None,
    dataset: str | None = None,
    directory: Where = ".",
) -> Release:
    """Release how many rows meet all conditions; of a column of truth values, how many are true.

    data       a table, or a column of truth values such as df["age"] >= 65
    column     a name for a column of truth values; "condition" if left out
    where      {"region": "north", "age": (65, None)}: a category, or (from, below)
    columns    what is declared of the columns in `where`, with the keys of a study
    margins    of a table by several columns: "all", or a list such as [["region"], ["region", "sex"], []]; [] is the
               total. They are released beside each other, and adjusted so that they add up
    shares     of epsilon, one for each margin; equal if left out
    others     as for `mean`
    """
    given = GivenColumns(data, columns)
    said = conditions(where)
    if not given.is_table:
        name = given.column(_truth(data), column or "condition", TRUTH)
        said = {"where": [*said.get("where", []), {"column": name, "equals": "true"}]}
    elif column is not None:
        raise ParameterError("rows of a table are counted, not a column.", 'Say which: where={"region": "north"}.')
    said |= _bound(rows_per_person) | _margins(margins, shares)
    cost = cost_of(epsilon, accuracy, alpha)
    return released("count", given, said | given.groups(by, groups, keys), cost, ledger, dataset, directory)


def persons(
    data: Any,
    *,
    where: Conditions | None = None,
    columns: Mapping[str, Declaration] | None = None,
    by: Any = None,
    groups: GroupLists | None = None,
    keys: Where | None = None,
    groups_per_person: Parameter | None = None,
    margins: Margins | None = None,
    shares: Iterable[Parameter] | None = None,
    epsilon: Parameter | None = None,
    accuracy: Parameter | None = None,
    alpha: Parameter | None = None,
    ledger: Where | Ledger | None = None,
    dataset: str | None = None,
    directory: Where = ".",
) -> Release:
    """Release how many persons have a row that meets all conditions; each counts once, however many rows it has.

    data       a table, with the columns that name persons: those that the account was opened with
    groups_per_person   with `by`: each person counts in at most so many groups, once in each
    margins    as for `count`, and `shares` too, where groups_per_person=1: each person has one cell, in all margins
    others     as for `mean`
    """
    given = GivenColumns(data, columns)
    if not given.is_table:
        raise ParameterError(
            "persons are counted in a table: a column alone does not say whose its rows are.",
            'Give the whole frame, or the path of a file: snapdp.persons(df, epsilon=1, ledger="people.ledger").',
        )
    said = conditions(where)
    said |= {} if groups_per_person is None else {"groups_per_person": written(groups_per_person)}
    said |= _margins(margins, shares)
    cost = cost_of(epsilon, accuracy, alpha)
    return released("persons", given, said | given.groups(by, groups, keys), cost, ledger, dataset, directory)


@needs_bounds(PAIR)
def sum(
    data: Any,
    *,
    bounds: Sequence[Parameter],
    missing: Parameter | None = None,
    column: str | None = None,
    step: Parameter | None = None,
    integer: bool = False,
    where: Conditions | None = None,
    columns: Mapping[str, Declaration] | None = None,
    by: Any = None,
    groups: GroupLists | None = None,
    keys: Where | None = None,
    margins: Margins | None = None,
    shares: Iterable[Parameter] | None = None,
    rows_per_person: Parameter | None = None,
    epsilon: Parameter | None = None,
    accuracy: Parameter | None = None,
    alpha: Parameter | None = None,
    ledger: Where | Ledger | None = None,
    dataset: str | None = None,
    directory: Where = ".",
) -> Release:
    """Release the sum of a column; `margins` and `shares` as for `count`, everything else as for `mean`."""
    given = GivenColumns(data, columns)
    said = _about(given, data, column, numbers(bounds, missing=missing, step=step, integer=integer), where)
    said |= _bound(rows_per_person) | _margins(margins, shares)
    cost = cost_of(epsilon, accuracy, alpha)
    return released("sum", given, said | given.groups(by, groups, keys), cost, ledger, dataset, directory)


@needs_bounds(PAIR_OR_PAIRS)
def mean(
    data: Any,
    *,
    bounds: Sequence[Parameter] | Sequence[Sequence[Parameter]],
    missing: Parameter | Sequence[Parameter] | None = None,
    column: str | Sequence[str] | None = None,
    complete: bool = False,
    step: Parameter | None = None,
    integer: bool = False,
    where: Conditions | None = None,
    columns: Mapping[str, Declaration] | None = None,
    by: Any = None,
    groups: GroupLists | None = None,
    keys: Where | None = None,
    rows_per_person: Parameter | None = None,
    epsilon: Parameter | None = None,
    accuracy: Parameter | None = None,
    alpha: Parameter | None = None,
    ledger: Where | Ledger | None = None,
    dataset: str | None = None,
    directory: Where = ".",
) -> Release:
    """Release the mean of a column; `float(...)` of it is the number, and it prints with its interval.

    Means of several columns of a table share one count: column=["age", "income"], with a pair of bounds for each.

    data       a column (a Series of pandas or Polars, an array, a list), or a table with column="age"
    bounds     public lower and upper bound; cells are moved between them
    missing    what a cell without a number counts as: "dropped", "middle", or a public number
    column     the name: of the column in the table, or to give to a column without one; or names of several
    complete   of several: only of rows in which all are present, where some are "dropped"
    step       cells are rounded to multiples of this; `integer=True`: to whole numbers
    where      only rows that meet all of these: {"region": "north", "age": (18, 65)}
    columns    what is declared of the columns in `where`, with the keys of a study
    by         for each of the public `groups` of this column: a name in the table, or the column; or a list of them,
               with groups={"region": ["north", "south"], "sex": ["f", "m"]}. What is declared in `columns` needs no
               groups: booleans, dates, and numbers with "edges"
    keys       the cells of `by` as a public CSV or Parquet file, one row a cell, with columns named as in `by`: in the
               place of groups, for long lists and for lists that are no product
    rows_per_person   where the account protects persons: so many rows of each count
    epsilon    what it costs; or `accuracy`, what it must be worth, missed with probability `alpha` at most
    ledger     the ledger that is charged: a path, an address or an open one
    dataset    its account, where it has several; relation, n or n_max and persons are the account's
    directory  where the files of very many groups go

    >>> mean([31, 44], bounds=(0, 120), missing="dropped", epsilon=1)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    snapdp.errors.LedgerError: no ledger is named, and every release is charged to one.
      Make it once, and say in it who is protected: ...
    """
    given = GivenColumns(data, columns)
    rule: Any = missing
    if column is None or isinstance(column, str):
        said = _about(given, data, column, numbers(bounds, missing=rule, step=step, integer=integer), where)
    else:
        said = _several(given, column, bounds, rule, step=step, integer=integer) | conditions(where)
    said |= {"complete": True} if truth(complete, "complete") else {}
    said |= _bound(rows_per_person)
    cost = cost_of(epsilon, accuracy, alpha)
    return released("mean", given, said | given.groups(by, groups, keys), cost, ledger, dataset, directory)


@needs_bounds(PAIR)
def variance(
    data: Any,
    *,
    bounds: Sequence[Parameter],
    missing: Parameter | None = None,
    column: str | None = None,
    step: Parameter | None = None,
    integer: bool = False,
    where: Conditions | None = None,
    columns: Mapping[str, Declaration] | None = None,
    by: Any = None,
    groups: GroupLists | None = None,
    keys: Where | None = None,
    rows_per_person: Parameter | None = None,
    epsilon: Parameter | None = None,
    accuracy: Parameter | None = None,
    alpha: Parameter | None = None,
    ledger: Where | Ledger | None = None,
    dataset: str | None = None,
    directory: Where = ".",
) -> Release:
    """Release the variance of a column, and its standard deviation with it; everything as for `mean`."""
    given = GivenColumns(data, columns)
    said = _about(given, data, column, numbers(bounds, missing=missing, step=step, integer=integer), where)
    said |= _bound(rows_per_person)
    cost = cost_of(epsilon, accuracy, alpha)
    return released("variance", given, said | given.groups(by, groups, keys), cost, ledger, dataset, directory)


@needs_bounds(PAIRS)
def covariance(
    data: Any,
    other: Any = None,
    *,
    bounds: Sequence[Sequence[Parameter]],
    missing: Parameter | Sequence[Parameter] | None = None,
    column: Sequence[str] | None = None,
    step: Parameter | None = None,
    integer: bool = False,
    correlation: bool = False,
    where: Conditions | None = None,
    columns: Mapping[str, Declaration] | None = None,
    by: Any = None,
    groups: GroupLists | None = None,
    keys: Where | None = None,
    rows_per_person: Parameter | None = None,
    epsilon: Parameter | None = None,
    accuracy: Parameter | None = None,
    alpha: Parameter | None = None,
    ledger: Where | Ledger | None = None,
    dataset: str | None = None,
    directory: Where = ".",
) -> Release:
    """Release the covariance of two columns: two Series, or a table with column=("age", "pay").

    bounds, missing   one for each column: ((0, 120), (0, 5000)); one `missing` is for both
    correlation       where the number of rows is private: the correlation too, of the same epsilon
    others            as for `mean`
    """
    given = GivenColumns(data, columns)
    if given.is_table != (other is None):
        raise ParameterError(
            "a covariance is of two columns.", 'Give two columns, or a table and column=("age", "pay").'
        )
    names = (None, None) if column is None else pair(column, "column", 'Give two names: column=("age", "pay").')
    ranges = [pair(each, "bounds", f"Give {PAIRS}.") for each in pair(bounds, "bounds", f"Give {PAIRS}.")]
    several = isinstance(missing, Iterable) and not isinstance(missing, str)
    rules: tuple[Any, Any] = (missing, missing)
    if several:
        rules = pair(missing, "missing", "Give one, or one for each column.")
    declared = [numbers(ranges[i], missing=rules[i], step=step, integer=integer) for i in (0, 1)]
    first = given.column(data, names[0], declared[0], default="first")
    second = given.column(other, names[1], declared[1], default="second")
    cost = cost_of(epsilon, accuracy, alpha)
    said = {"columns": [first, second]} | conditions(where) | _bound(rows_per_person)
    said |= {"correlation": True} if truth(correlation, "correlation") else {}
    return released("covariance", given, said | given.groups(by, groups, keys), cost, ledger, dataset, directory)


def histogram(
    data: Any,
    *,
    categories: Iterable[Any] | None = None,
    unknown: str = "dropped",
    null: str = "dropped",
    edges: Iterable[Parameter] | None = None,
    outside: str = "dropped",
    bounds: Sequence[Parameter] | None = None,
    missing: str | None = None,
    column: str | None = None,
    step: Parameter | None = None,
    integer: bool = False,
    where: Conditions | None = None,
    columns: Mapping[str, Declaration] | None = None,
    by: Any = None,
    groups: GroupLists | None = None,
    keys: Where | None = None,
    rows_per_person: Parameter | None = None,
    epsilon: Parameter | None = None,
    accuracy: Parameter | None = None,
    alpha: Parameter | None = None,
    ledger: Where | Ledger | None = None,
    dataset: str | None = None,
    directory: Where = ".",
) -> Release:
    """Release how many rows each category has, or each bin between public edges.

    categories       the public list; `unknown` and `null` say whether other cells are "dropped" or "binned"
    edges            public bin edges of a column of numbers, whose `bounds` are then given as well; `outside` and
                     `missing` say whether cells beyond them, or without a number, are "dropped" or "binned"
    columns          booleans and dates are declared here, with neither: {"visit": {"kind": "date", "from": ...}}
    others           as for `mean`
    """
    given = GivenColumns(data, columns)
    if categories is not None and edges is not None:
        raise ParameterError("a histogram has categories or edges, not both.", "Leave one of them out.")
    if categories is None and edges is None:
        said = _about(given, data, column, {}, where)
        if said["column"] not in (columns or {}):
            advice = 'Give categories=["north", "south"], or edges; or declare a boolean or a date in columns.'
            raise ParameterError("a histogram has categories or edges.", advice)
    elif categories is not None:
        _refuse({"bounds": bounds, "missing": missing, "step": step, "integer": integer, "outside": outside}, "edges")
        declared = category(listed(categories, "categories"), unknown=unknown, null=null)
        said = _about(given, data, column, declared, where)
    else:
        _refuse({"unknown": unknown, "null": null}, "categories")
        declared = numbers(bounds, missing="dropped", step=step, integer=integer)
        said = _about(given, data, column, declared, where)
        said |= {"edges": [written(each) for each in listed(edges, "edges")], "outside": outside}
        said |= {} if missing is None else {"missing": missing}
    said |= _bound(rows_per_person)
    cost = cost_of(epsilon, accuracy, alpha)
    return released("histogram", given, said | given.groups(by, groups, keys), cost, ledger, dataset, directory)


def _about(
    given: GivenColumns, data: Any, column: str | None, declaration: Declaration, where: Conditions | None
) -> dict[str, Any]:
    return {"column": given.column(data, column, declaration), **conditions(where)}


def _several(
    given: GivenColumns, column: Any, bounds: Any, missing: Any, *, step: Any, integer: bool
) -> dict[str, Any]:
    """Return what means of several columns of a table say of them: each has its bounds, and its rule or that of all."""
    names = listed(column, "column")
    if len(names) < 2:
        raise ParameterError(
            f"column lists {len(names)} names; a list is for several means that share a count.",
            'Give column="age" for one, or column=["age", "income"].',
        )
    if not given.is_table:
        raise ParameterError("several columns are named, and one is given.", "Give the table: snapdp.mean(df, ...).")
    if len({*map(repr, names)}) < len(names):
        raise ParameterError("a column is named twice.", "Name each column once.")
    ranges = [pair(each, "bounds", f"Give {PAIRS}.") for each in listed(bounds, "bounds")]
    several = isinstance(missing, Iterable) and not isinstance(missing, str)
    rules = listed(missing, "missing") if several else [missing] * len(names)
    for said, what in ((ranges, "bounds"), (rules, "missing")):
        if len(said) != len(names):
            raise ParameterError(
                f"{what} is for {len(said)} columns, and {len(names)} are named.", "Give one for each."
            )
    for name, ends, rule in zip(names, ranges, rules, strict=True):
        given.column(None, name, numbers(ends, missing=rule, step=step, integer=integer))
    return {"columns": names}


def _bound(rows_per_person: Parameter | None) -> dict[str, Any]:
    return {} if rows_per_person is None else {"rows_per_person": written(rows_per_person)}


def _margins(margins: Margins | None, shares: Iterable[Parameter] | None) -> dict[str, Any]:
    """Return what a statistic says of margins, by the keys of a study."""
    if margins is None or isinstance(margins, str):
        said: Any = margins
    else:
        said = [each if isinstance(each, str) else listed(each, "a margin") for each in listed(margins, "margins")]
    found = {} if said is None else {"margins": said}
    return found if shares is None else {**found, "shares": [written(each) for each in listed(shares, "shares")]}


def _refuse(strays: Mapping[str, Any], other: str) -> None:
    """Refuse what speaks of another kind of histogram; what is left out, or dropped by default, says nothing."""
    for name, said in strays.items():
        if said is not None and said is not False and not (isinstance(said, str) and said == "dropped"):
            raise ParameterError(f"{name} belongs to a histogram with {other}.", f"Leave {name} out.")


def _truth(data: Any) -> Any:
    """Return a column of truth values; refuse another by its type, whatever is in it."""
    if str(getattr(data, "dtype", getattr(data, "type", ""))).lower() not in TRUTH_TYPES:
        raise ParameterError(
            "the column does not hold truth values.",
            'Count df["age"] >= 65, or the rows of a table: snapdp.count(df, where={"age": (65, None)}, ...).',
        )
    return data
