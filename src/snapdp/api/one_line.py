"""Statistics in one line: `snapdp.mean(df["age"], bounds=(15, 100), missing="dropped", epsilon=1, ledger="ledger.db")`.

Each function writes the study that it means and releases it: by study file, by flags or here it is one request, and the
ledger answers the second time free of charge. A median is the quantile at 0.5. `snapdp.explore` is charged in the same
way. Who is protected and how many rows there are is read from the ledger's account, never from the data; without a
ledger nothing is read or released.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, cast

from snapdp.api.columns import (
    PAIR,
    Conditions,
    Declaration,
    Function,
    GivenColumns,
    GroupLists,
    category,
    conditions,
    listed,
    needs_bounds,
    numbers,
    pair,
    told,
    truth,
    written,
)
from snapdp.api.exploration import Exploration, exploring_values
from snapdp.api.study import Study, study
from snapdp.display.text import is_address
from snapdp.errors import LedgerError, ParameterError, SnapdpError
from snapdp.ledger.ledger import Ledger
from snapdp.release.result import Release
from snapdp.studies.protection import person_in_words
from snapdp.studies.relation import Relation, bounded_in, relation_of_account
from snapdp.studies.statistics.counts import PersonCount
from snapdp.studies.statistics.quantiles import QUARTILES
from snapdp.studies.statistics.registry import KINDS
from snapdp.studies.study_file import relation_table
from snapdp.values import Facts, Values

if TYPE_CHECKING:
    from snapdp.exact.numbers import Parameter

# Exploration


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


# Requests and accounts

Where = str | os.PathLike[str]


def _released(kind: str, given: GivenColumns, said: Values, arguments: Facts) -> Release:
    """Release one statistic, charged to an account of the ledger.

    said        what is its own, by the keys of a study
    arguments   of the function that was called: what all of them share, and have by the same names
    """
    asked = {"kind": kind, **said}
    for key in ("groups_per_person", "branching", "rows_per_person"):
        asked |= {} if arguments.get(key) is None else {key: written(arguments[key])}
    asked |= _margins(arguments.get("margins"), arguments.get("shares"))
    for key in ("epsilon", "accuracy", "alpha"):
        asked |= {} if arguments.get(key) is None else {key: written(arguments[key])}
    asked |= given.groups(arguments.get("by"), arguments.get("groups"), arguments.get("keys"))
    ledger, dataset = arguments.get("ledger"), arguments.get("dataset")
    check_ledger(ledger)
    given.check_conditions(asked.get("where", []))
    study_keys = {"columns": given.declared, "statistic": [asked]}
    return released_study(study_keys, given, ledger, dataset, arguments.get("directory", "."))[1]


def check_ledger(ledger: Where | Ledger | None) -> None:
    """Refuse to go on without a ledger."""
    if ledger is None or not (isinstance(ledger, Ledger) or is_address(ledger) or _exists(ledger)):
        lacking = "no ledger is named" if ledger is None else f"there is no ledger {told(_path(ledger))}"
        raise LedgerError(
            f"{lacking}, and every release is charged to one.",
            "Make it once, and say in it who is protected: "
            'snapdp.Ledger.create("people.ledger").create_account("people", cap=1, relation="change-one", '
            'rows=5000), where rows is the public number of rows; with relation="add-remove" it is private, and rows '
            'a public bound on it. Then give ledger="people.ledger". Nothing was read or spent.',
        )


def released_study(
    study_keys: Values,
    given: GivenColumns,
    ledger: Where | Ledger | None,
    account: str | None,
    directory: Where = ".",
) -> tuple[Study, Release]:
    """Return the study that some keys mean under the relation of an account, and its release, charged to that account.

    How many rows of each person count, the first statistic says for all of them.
    """
    check_ledger(ledger)
    assert ledger is not None
    if isinstance(ledger, Ledger):
        return _charged(study_keys, given, ledger, account, directory)
    with Ledger.open(ledger) as book:
        return _charged(study_keys, given, book, account, directory)


def _charged(
    study_keys: Values, given: GivenColumns, ledger: Ledger, account: str | None, directory: Where
) -> tuple[Study, Release]:
    holder = ledger.only_account() if account is None else ledger.account(account)
    relation = relation_of_account(kind=holder.relation, rows=holder.rows, unit=holder.unit)
    given.check_person(relation.person_columns)
    unit = relation_table(relation) | _bound_of(study_keys["statistic"][0], relation, holder.unit)
    with _free():
        meant = study(dataset=holder.name, **unit, **study_keys)
    return meant, meant.release(given.table, ledger=ledger, directory=directory)


@contextmanager
def _free() -> Iterator[None]:
    """Say of a refusal, with a ledger at hand, that nothing was spent, unless it says so itself."""
    try:
        yield
    except SnapdpError as refusal:
        if "spent" in refusal.advice:
            raise
        raise type(refusal)(refusal.problem, f"{refusal.advice} Nothing was spent.", **refusal.numbers) from None


def _bound_of(asked: Values, relation: Relation, unit: str) -> Values:
    """Return how many rows of each person count, as the key of the whole study that it is by flags.

    An account may fix it. Where none does it has no default here: who counts one row of each where people have many
    should have said so.
    """
    most, kind = asked.pop("rows_per_person", None), KINDS[asked["kind"]]
    if relation.person is None:
        if most is not None or kind is PersonCount:
            raise ParameterError(
                f"{'rows_per_person is given' if most is not None else 'persons are counted'}, and the account "
                "protects rows: no column of it names persons.",
                'An account for persons is opened by create_account(..., relation="add-remove", person="id"). '
                "Nothing was spent.",
            )
        return {}
    if most is None and bounded_in(unit) is None and "rows_per_person" in kind.details:
        raise ParameterError(
            f"the account protects persons ({person_in_words(relation.person)}), and it is not said how many rows of "
            "each count.",
            "Give rows_per_person=1, 2, 3, ...: noise grows in proportion to it, and further rows of a person are left "
            "out. Nothing was spent.",
        )
    return {} if most is None else {"rows_per_person": most}


def _exists(ledger: Where) -> bool:
    return isinstance(ledger, (str, os.PathLike)) and os.path.exists(ledger)  # of a number it would ask an open file


def _path(given: Any) -> Any:
    return os.fspath(given) if isinstance(given, os.PathLike) else given


Margins = str | Iterable[Iterable[str]]


class Shared(TypedDict, total=False):
    """What statistics of every kind take; `mean` says what each is."""

    where: Conditions | None
    columns: Mapping[str, Declaration] | None
    by: Any
    groups: GroupLists | None
    epsilon: Parameter | None
    alpha: Parameter | None
    ledger: Where | Ledger | None
    dataset: str | None
    directory: Where


class OfRows(Shared, total=False):
    """What all but the number of persons take."""

    rows_per_person: Parameter | None


class OfQuantiles(OfRows, total=False):
    """What quantiles and the median take."""

    missing: Parameter | None
    column: str | None
    step: Parameter | None
    integer: bool
    branching: int | None


class Options(OfRows, total=False):
    """What all but quantiles and the number of persons take."""

    keys: Where | None
    accuracy: Parameter | None


class OfTables(Options, total=False):
    """What statistics that have margins take."""

    margins: Margins | None
    shares: Iterable[Parameter] | None


DEFAULTS = {"directory": ".", "integer": False}  # of options; None of all others


def takes(options: type[Any]) -> Callable[[Function], Function]:
    """Return what lists these options in the signature of a function, which refuses any other, like every function."""

    def of(function: Function) -> Function:
        own = inspect.signature(function)
        shared = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=DEFAULTS.get(name), annotation=kind.__forward_arg__
            )
            for name, kind in options.__annotations__.items()
        ]

        @wraps(function)
        def called(*given: Any, **named: Any) -> Any:
            stray = next((name for name in named if name not in full.parameters), None)
            if stray is not None:
                raise TypeError(f"{function.__name__}() got an unexpected keyword argument {stray!r}")
            return function(*given, **named)

        full = own.replace(parameters=[*list(own.parameters.values())[:-1], *shared])
        called.__signature__ = full  # type: ignore[attr-defined]
        return cast("Function", called)

    return of


PAIRS = "bounds=((0, 120), (0, 5000)), a pair for each column"
PAIR_OR_PAIRS = f"{PAIR}; of several columns {PAIRS}"
TRUTH = {"kind": "boolean"}
TRUTH_TYPES = ("bool", "boolean", "bool[pyarrow]")  # as numpy, pandas, Polars and Arrow name them


@takes(OfTables)
def count(
    data: Any,
    *,
    column: str | None = None,
    **options: Unpack[OfTables],
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
    given = GivenColumns(data, options.get("columns"))
    said = conditions(options.get("where"))
    if not given.is_table:
        # A column of truth values; refuse another by its type, whatever is in it.
        if str(getattr(data, "dtype", getattr(data, "type", ""))).lower() not in TRUTH_TYPES:
            raise ParameterError(
                "the column does not hold truth values.",
                'Count df["age"] >= 65, or the rows of a table: snapdp.count(df, where={"age": (65, None)}, ...).',
            )
        name = given.column(data, column or "condition", TRUTH)
        said = {"where": [*said.get("where", []), {"column": name, "equals": "true"}]}
    elif column is not None:
        raise ParameterError("rows of a table are counted, not a column.", 'Say which: where={"region": "north"}.')
    return _released("count", given, said, options)


@takes(Shared)
def persons(
    data: Any,
    *,
    keys: Where | None = None,
    groups_per_person: Parameter | None = None,
    margins: Margins | None = None,
    shares: Iterable[Parameter] | None = None,
    accuracy: Parameter | None = None,
    **options: Unpack[Shared],
) -> Release:
    """Release how many persons have a row that meets all conditions; each counts once, however many rows it has.

    data       a table, with the columns that name persons: those that the account was opened with
    groups_per_person   with `by`: each person counts in at most so many groups, once in each
    margins    as for `count`, and `shares` too, where groups_per_person=1: each person has one cell, in all margins
    others     as for `mean`
    """
    given = GivenColumns(data, options.get("columns"))
    if not given.is_table:
        raise ParameterError(
            "persons are counted in a table: a column alone does not say whose its rows are.",
            'Give the whole frame, or the path of a file: snapdp.persons(df, epsilon=1, ledger="people.ledger").',
        )
    said = conditions(options.get("where"))
    own = {
        "keys": keys,
        "groups_per_person": groups_per_person,
        "margins": margins,
        "shares": shares,
        "accuracy": accuracy,
    }
    return _released("persons", given, said, {**options, **own})


@needs_bounds(PAIR)
@takes(OfTables)
def sum(
    data: Any,
    *,
    bounds: Sequence[Parameter],
    missing: Parameter | None = None,
    column: str | None = None,
    step: Parameter | None = None,
    integer: bool = False,
    **options: Unpack[OfTables],
) -> Release:
    """Release the sum of a column; `margins` and `shares` as for `count`, everything else as for `mean`."""
    given = GivenColumns(data, options.get("columns"))
    said = _about(given, data, column, numbers(bounds, missing=missing, step=step, integer=integer), options)
    return _released("sum", given, said, options)


@needs_bounds(PAIR_OR_PAIRS)
@takes(Options)
def mean(
    data: Any,
    *,
    bounds: Sequence[Parameter] | Sequence[Sequence[Parameter]],
    missing: Parameter | Sequence[Parameter] | None = None,
    column: str | Sequence[str] | None = None,
    complete: bool = False,
    step: Parameter | None = None,
    integer: bool = False,
    **options: Unpack[Options],
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
    given = GivenColumns(data, options.get("columns"))
    rule: Any = missing
    if column is None or isinstance(column, str):
        said = _about(given, data, column, numbers(bounds, missing=rule, step=step, integer=integer), options)
    else:
        said = _several(given, column, bounds, rule, step=step, integer=integer) | conditions(options.get("where"))
    said |= {"complete": True} if truth(complete, "complete") else {}
    return _released("mean", given, said, options)


@needs_bounds(PAIR)
@takes(Options)
def variance(
    data: Any,
    *,
    bounds: Sequence[Parameter],
    missing: Parameter | None = None,
    column: str | None = None,
    step: Parameter | None = None,
    integer: bool = False,
    **options: Unpack[Options],
) -> Release:
    """Release the variance of a column, and its standard deviation with it; everything as for `mean`."""
    given = GivenColumns(data, options.get("columns"))
    said = _about(given, data, column, numbers(bounds, missing=missing, step=step, integer=integer), options)
    return _released("variance", given, said, options)


@needs_bounds(PAIRS)
@takes(Options)
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
    **options: Unpack[Options],
) -> Release:
    """Release the covariance of two columns: two Series, or a table with column=("age", "pay").

    bounds, missing   one for each column: ((0, 120), (0, 5000)); one `missing` is for both
    correlation       where the number of rows is private: the correlation too, of the same epsilon
    others            as for `mean`
    """
    given = GivenColumns(data, options.get("columns"))
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
    said: Values = {"columns": [first, second]} | conditions(options.get("where"))
    said |= {"correlation": True} if truth(correlation, "correlation") else {}
    return _released("covariance", given, said, options)


@takes(Options)
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
    **options: Unpack[Options],
) -> Release:
    """Release how many rows each category has, or each bin between public edges.

    categories       the public list; `unknown` and `null` say whether other cells are "dropped" or "binned"
    edges            public bin edges of a column of numbers, whose `bounds` are then given as well; `outside` and
                     `missing` say whether cells beyond them, or without a number, are "dropped" or "binned"
    columns          booleans and dates are declared here, with neither: {"visit": {"kind": "date", "from": ...}}
    others           as for `mean`
    """
    given = GivenColumns(data, options.get("columns"))
    if categories is not None and edges is not None:
        raise ParameterError("a histogram has categories or edges, not both.", "Leave one of them out.")
    if categories is None and edges is None:
        said = _about(given, data, column, {}, options)
        if said["column"] not in (options.get("columns") or {}):
            advice = 'Give categories=["north", "south"], or edges; or declare a boolean or a date in columns.'
            raise ParameterError("a histogram has categories or edges.", advice)
    elif categories is not None:
        _refuse({"bounds": bounds, "missing": missing, "step": step, "integer": integer, "outside": outside}, "edges")
        declared = category(listed(categories, "categories"), unknown=unknown, null=null)
        said = _about(given, data, column, declared, options)
    else:
        _refuse({"unknown": unknown, "null": null}, "categories")
        declared = numbers(bounds, missing="dropped", step=step, integer=integer)
        said = _about(given, data, column, declared, options)
        said |= {"edges": [written(each) for each in listed(edges, "edges")], "outside": outside}
        said |= {} if missing is None else {"missing": missing}
    return _released("histogram", given, said, options)


def _about(given: GivenColumns, data: Any, column: str | None, declaration: Declaration, options: Shared) -> Values:
    return {"column": given.column(data, column, declaration), **conditions(options.get("where"))}


def _several(given: GivenColumns, column: Any, bounds: Any, missing: Any, *, step: Any, integer: bool) -> Values:
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


def _margins(margins: Margins | None, shares: Iterable[Parameter] | None) -> Values:
    """Return what a statistic says of margins, by the keys of a study."""
    if margins is None or isinstance(margins, str):
        said: Any = margins
    else:
        said = [each if isinstance(each, str) else listed(each, "a margin") for each in listed(margins, "margins")]
    found = {} if said is None else {"margins": said}
    return found if shares is None else {**found, "shares": [written(each) for each in listed(shares, "shares")]}


def _refuse(strays: Facts, other: str) -> None:
    """Refuse what speaks of another kind of histogram; what is left out, or dropped by default, says nothing."""
    for name, said in strays.items():
        if said is not None and said is not False and not (isinstance(said, str) and said == "dropped"):
            raise ParameterError(f"{name} belongs to a histogram with {other}.", f"Leave {name} out.")


# Quantiles


@needs_bounds(PAIR)
@takes(OfQuantiles)
def quantiles(
    data: Any,
    *,
    at: Iterable[Parameter] = QUARTILES,
    bounds: Sequence[Parameter],
    **options: Unpack[OfQuantiles],
) -> Release:
    """Release quantiles of a column, each with an interval in its units; all of them cost as much as one.

    `release.value` has them by their shares, {"0.25": ..., "0.5": ...}, and `release.values` the distribution, too.

    at         shares of the rows between 0 and 1, rising; the quartiles if left out
    step       values are rounded to multiples of this, `integer=True`: to whole numbers. Quantiles are such values, and
               the fewer there are between the bounds, the less they err: choose it as coarse as you would print them
    branching  of the tree in which values are counted; chosen if left out
    others     as for `mean`
    """
    given = GivenColumns(data, options.get("columns"))
    rule, step, integer = options.get("missing"), options.get("step"), options.get("integer", False)
    declared = numbers(bounds, missing=rule, step=step, integer=integer)
    said = _about(given, data, options.get("column"), declared, options)
    said |= {"at": [written(each) for each in listed(at, "at")]}
    return _released("quantiles", given, said, options)


@needs_bounds(PAIR)
@takes(OfQuantiles)
def median(
    data: Any,
    *,
    bounds: Sequence[Parameter],
    **options: Unpack[OfQuantiles],
) -> Release:
    """Release the median of a column: its quantile at 0.5. `float(...)` of it is the number; others as `quantiles`."""
    return quantiles(data, at=("0.5",), bounds=bounds, **options)
