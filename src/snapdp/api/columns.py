"""Columns as people hold them in Python (a Series, an array, a list, a name in a table) and what is declared of them.

Nothing is read here: a column is put into a table under its name, and what is declared becomes the tables of
a study, whose reader does all the checking. Types and names are looked at, never a cell.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from datetime import date
from functools import wraps
from numbers import Rational
from typing import TYPE_CHECKING, Any, TypeVar, cast

from snapdp.errors import DataError, ParameterError
from snapdp.exact.numbers import shown
from snapdp.values import Values

if TYPE_CHECKING:
    from snapdp.exact.numbers import Parameter

Declaration = Mapping[str, Any]  # of a column, with the keys of a study
Conditions = Mapping[str, Any] | Sequence[Mapping[str, Any]]
GroupLists = Iterable[Any] | Mapping[str, Iterable[Any]]  # the categories of one column, or of each of several
Function = TypeVar("Function", bound=Callable[..., Any])
PAIR = "bounds=(lower, upper), such as bounds=(0, 120)"
_TABLES = ("DataFrame", "LazyFrame", "Table", "RecordBatch")
_COLUMNS = ("numpy", "pandas", "polars", "pyarrow")  # libraries whose other values are columns
_BARE = {"kind": "category", "categories": ["row"]}  # a study names a column, also where all rows are counted


class GivenColumns:
    """The table of one request and the columns that are declared of it.

    data       a table (a frame, a path, whatever `open_table` takes, but no list), or one column of it (a list is one)
    declared   further columns, with the keys of a study: those that conditions speak of
    """

    def __init__(self, data: Any, declared: Mapping[str, Declaration] | None = None) -> None:
        self.is_table = not is_column(data)  # columns are then named
        self._table = data
        self._cells: Values = {}
        self._declared: Values = _declared(declared)
        self._keyed = False  # whether a file has the cells of groups

    @property
    def declared(self) -> Values:
        """Return the columns as a study declares them."""
        return self._declared or ({} if self._keyed else {"row": _BARE})

    @property
    def table(self) -> Any:
        """Return the table to release from."""
        return self._table if self.is_table else _table_of(self._cells)

    def check_person(self, person: Sequence[str]) -> None:
        """Refuse columns by themselves where an account protects persons: they do not say whose rows they are."""
        lacking = [name for name in person if name not in self._cells]
        if lacking and not self.is_table:
            raise ParameterError(
                f"the account protects persons, named by the column {lacking[0]!r}, and a column alone does not say "
                "whose its rows are.",
                'Give the whole frame and the name of the column: snapdp.mean(df, column="age", ...).',
            )

    def column(self, given: Any, name: str | None, declaration: Declaration, *, default: str = "value") -> str:
        """Declare a column, and return its name: that which is given, or which the Series has."""
        if name is not None and not isinstance(name, str):
            raise ParameterError(f"column = {told(name)} is no name of a column.", 'Give its name: column="age".')
        if self.is_table:
            if name is None:
                raise ParameterError(
                    "a table has many columns, and none is named.", 'Give column="age", or the column alone: df["age"].'
                )
        else:
            if not is_column(given):
                raise ParameterError(
                    f"a value of type {type(given).__name__} is no column.", "Give a Series, an array or a list."
                )
            name = name or _name_of(given) or default
            if name in self._cells:
                raise ParameterError(f"two columns are named {name!r}.", "Give each its own name.")
            self._cells[name] = given
        if declaration:
            # Declare a column once: what `columns` says of it would be overruled by what the statistic says.
            if name in self._declared:
                raise ParameterError(
                    f"the column {name!r} is declared twice: in columns, and by the other arguments.",
                    f"Leave {name!r} out of columns: it is for the columns that where and by name.",
                )
            self._declared[name] = dict(declaration)
        return name

    def check_conditions(self, where: Iterable[Mapping[str, Any]]) -> None:
        """Refuse conditions on columns of which nothing is said."""
        for name in (each.get("column") for each in where):
            if not isinstance(name, str) or name not in self._declared:
                said = '{"kind": "number", "lower": 0, "upper": 120, "missing": "dropped"}'
                raise ParameterError(
                    f"where speaks of the column {told(name)}, and it is not said what that holds.",
                    f"Say: columns={{{told(name)}: {said}}}"
                    ', or {"kind": "category", "categories": ["north", "south"]} where it holds categories.',
                )

    def groups(self, by: Any, groups: GroupLists | None, keys: Any = None) -> Values:
        """Return what a statistic says of groups: columns, by their names or themselves, with their public categories.

        by       a column or its name, or a list of several
        groups   the list of one column; of several {"region": [...], "sex": [...]}, or a list for each in their order
        keys     the path of a file with the cells, in the place of such lists
        """
        if keys is not None:
            return self._keys(by, groups, keys)
        if by is None:
            return {}
        columns = self._several(by)
        if columns is None:
            return {"by": self._group(by, groups, default="group")}
        lists = _by_column(columns, groups)
        names = [
            self._group(each, listed_here, default=f"group {place}")
            for place, (each, listed_here) in enumerate(zip(columns, lists, strict=True), start=1)
        ]
        return {"by": names}

    def _keys(self, by: Any, groups: GroupLists | None, keys: Any) -> Values:
        if groups is not None or not isinstance(keys, (str, os.PathLike)):
            raise ParameterError(
                "keys and groups both say which cells there are."
                if groups is not None
                else f"keys = {told(keys)} is no path.",
                'Give the path of a CSV or Parquet file with one row a cell: by="page", keys="pages.parquet".',
            )
        columns = [by] if self._several(by) is None else self._several(by) or []
        if by is None or any(isinstance(each, str) != self.is_table for each in columns):
            raise ParameterError(
                "keys are those of columns, and by does not name them.",
                'Give the names of columns of a table: by=["page", "country"], keys="pages.parquet".',
            )
        self._keyed = True
        default = (f"group {place}" for place in range(1, len(columns) + 1))
        names = [self.column(each, each if self.is_table else None, {}, default=next(default)) for each in columns]
        return {"by": names, "keys": os.fspath(keys)}

    def _several(self, by: Any) -> list[Any] | None:
        """Return the columns of groups where they are several; a list of cells is one column."""
        if not isinstance(by, (list, tuple)) or not by:
            return None
        return list(by) if self.is_table or all(is_column(each) for each in by) else None

    def _group(self, by: Any, groups: Iterable[Any] | None, *, default: str) -> str:
        if isinstance(by, str) != self.is_table:
            raise ParameterError(
                "the groups are not given as the rows are.",
                'Give a frame with by="region", or columns of one table: snapdp.mean(df["age"], by=df["region"], ...).',
            )
        known = by if self.is_table else _name_of(by)
        if groups is None and known not in self._declared:
            raise ParameterError(
                "the groups are not said.",
                'Give their public list: groups=["north", "south"]; of several columns '
                'groups={"region": ["north", "south"], "sex": ["f", "m"]}.',
            )
        declaration = {} if groups is None else category(listed(groups, "groups"))
        return self.column(by, by if self.is_table else None, declaration, default=default)


def _by_column(columns: Sequence[Any], groups: GroupLists | None) -> list[Any]:
    """Return the list of categories of each of several columns; None where `columns` declares it."""
    if groups is None:
        return [None] * len(columns)
    names = [each if isinstance(each, str) else _name_of(each) for each in columns]
    if isinstance(groups, Mapping):
        stray = next((name for name in groups if name not in names), None)
        if stray is not None:
            raise ParameterError(
                f"groups speaks of {told(stray)}, which by does not name.", "Give a list for each column of by."
            )
        return [None if name is None else groups.get(name) for name in names]
    lists = _items(groups)
    if len(columns) == 1 and lists is not None and all(_items(each) is None for each in lists):
        return [lists]
    if lists is None or len(lists) != len(columns) or any(_items(each) is None for each in lists):
        raise ParameterError(
            "groups does not have a list for each column of by.",
            'Give groups={"region": ["north", "south"], "sex": ["f", "m"]}.',
        )
    return lists


def is_column(given: Any) -> bool:
    """Tell whether a value is one column: a Series, an array or a list; by its type alone."""
    library, kind = type(given).__module__.partition(".")[0], type(given).__name__
    if isinstance(given, (list, tuple)):
        return True
    return library in _COLUMNS and kind not in _TABLES and getattr(given, "ndim", 1) > 0  # a scalar is no column


def needs_bounds(how: str) -> Callable[[Function], Function]:
    """Return what makes a function refuse a call without bounds in our words; its signature asks for them as before."""

    def of(function: Function) -> Function:
        @wraps(function)
        def called(*given: Any, **named: Any) -> Any:
            if named.get("bounds") is None:
                raise _without_bounds(how)
            return function(*given, **named)

        return cast("Function", called)

    return of


def _without_bounds(how: str) -> ParameterError:
    return ParameterError(
        "bounds is missing: numbers are moved between two public bounds, and the noise is made for these.",
        f"Give {how}: what such a number can be, never what this table holds (its least and largest are single rows). "
        'A call has bounds=..., missing="dropped", epsilon=1 and ledger="people.ledger". Nothing was read or spent.',
    )


def numbers(bounds: Any, *, missing: Parameter | None, step: Parameter | None, integer: bool) -> Declaration:
    """Return the declaration of a column of numbers."""
    if bounds is None:
        raise _without_bounds(PAIR)
    lower, upper = pair(bounds, "bounds", f"Give {PAIR}: public numbers.")
    said = {"lower": lower, "upper": upper, "step": step, "missing": missing}
    kind = "integer" if truth(integer, "integer") else "number"
    return {"kind": kind, **{key: written(each) for key, each in said.items() if each is not None}}


def category(categories: Iterable[Any], **rules: str) -> Declaration:
    """Return the declaration of a column of categories; numbers are those they print."""
    return {"kind": "category", "categories": [_label(each) for each in categories], **rules}


def conditions(where: Conditions | None) -> Values:
    """Return what a statistic says of conditions: {"region": "north", "age": (18, 65)}, or the tables of a study.

    >>> conditions({"region": "north", "age": (18, None)})
    {'where': [{'column': 'region', 'equals': 'north'}, {'column': 'age', 'from': 18}]}
    """
    if where is None:
        return {}
    if isinstance(where, Mapping):
        return {"where": [{"column": name, **_condition(test)} for name, test in where.items()]}
    if not isinstance(where, (list, tuple)) or not all(isinstance(each, Mapping) for each in where):
        raise ParameterError(
            f"where = {told(where)} is not understood.",
            'Give the columns and what is asked of them: where={"region": "north", "age": (18, 65)}.',
        )
    return {"where": [dict(each) for each in where]}


def _condition(test: Any) -> Values:
    if not isinstance(test, (tuple, list)):
        return {"equals": _label(test)}
    ends = pair(test, "a range", "Give (from, below), with None for an end that is no limit.")
    return {key: written(end) for key, end in zip(("from", "below"), ends, strict=True) if end is not None}


def _declared(columns: Mapping[str, Declaration] | None) -> Values:
    """Return what is declared of further columns; their own keys are for the reader of studies to check."""
    if columns is None:
        return {}
    if not isinstance(columns, Mapping) or not all(
        isinstance(name, str) and isinstance(values, Mapping) for name, values in columns.items()
    ):
        raise ParameterError(
            "columns does not say for each column what it holds.",
            'Give columns={"region": {"kind": "category", "categories": ["north", "south"]}}.',
        )
    return {name: dict(values) for name, values in columns.items()}


def pair(given: Any, name: str, advice: str) -> tuple[Any, Any]:
    """Return two values in their order, from whatever holds two: a tuple, a list, an array, a Series.

    >>> pair([15, 100], "bounds", "")
    (15, 100)
    """
    found = _items(given)
    if found is None or len(found) != 2:
        raise ParameterError(f"{name} = {told(given)} is no pair.", advice)
    return found[0], found[1]


def listed(given: Any, name: str) -> list[Any]:
    """Return the values of a public list, in its order; a set has none, and would be another request every time."""
    found = _items(given)
    if found is None:
        raise ParameterError(f"{name} = {told(given)} is no list.", f"Give {name}=[...], in the order that is meant.")
    return found


def _items(given: Any) -> list[Any] | None:
    """Return what is in a list, an array or anything else that has an order; None where it has none, or is text."""
    if isinstance(given, (str, bytes, bytearray, Mapping, Set)) or not isinstance(given, Iterable):
        return None
    try:
        return list(given.to_pylist() if hasattr(given, "to_pylist") else given)  # Arrow's scalars are no numbers
    except Exception:  # an array without dimensions, or whatever somebody's own class does
        return None


def told(given: Any) -> str:
    """Return what was given, for a refusal: text and numbers as they were typed, of all else the type alone.

    It may be a column that landed in the wrong place, and its cells are nobody's to read.

    >>> told("abc"), told([31, 44])
    ("'abc'", 'a list')
    """
    return shown(given) if isinstance(given, (str, int, float, type(None))) else f"a {type(given).__name__}"


def truth(given: Any, name: str) -> bool:
    """Return a yes or no, numpy's too; text would be a yes, whatever it says."""
    if isinstance(given, bool) or (type(given).__module__ == "numpy" and type(given).__name__ in ("bool", "bool_")):
        return bool(given)
    raise ParameterError(f"{name} = {told(given)} is neither True nor False.", f"Give {name}=True, or leave it out.")


def written(number: Any) -> Any:
    """Return a number, or a day, as a study takes it; fractions and numpy's scalars as the text they print."""
    if isinstance(number, (int, float, str)):
        return number
    return str(number) if isinstance(number, (Rational, date)) or _is_scalar(number) else number


def _is_scalar(value: Any) -> bool:
    return type(value).__module__ == "numpy" and not isinstance(value, float) and getattr(value, "ndim", None) == 0


def _label(value: Any) -> Any:
    if isinstance(value, float) and math.isfinite(value):  # numpy's are floats too
        return str(int(value)) if value.is_integer() else repr(float(value))
    return str(value) if type(value) is int or _is_scalar(value) else value


def _name_of(column: Any) -> str | None:
    name = getattr(column, "name", None)
    return name if isinstance(name, str) and name.strip() else None


def _table_of(cells: Values) -> Any:
    """Return columns as one table: those of Polars or Arrow as theirs, which know their types."""
    libraries = {type(each).__module__.partition(".")[0] for each in cells.values()}
    indices = [each.index for each in cells.values() if hasattr(each, "iloc")]
    if any(not index.equals(indices[0]) for index in indices[1:]):
        raise DataError("the columns have other rows: their indices differ.", "Give columns of one frame.")
    try:
        if libraries == {"polars"}:
            import polars

            return polars.DataFrame(cells)
        if libraries == {"pyarrow"}:
            import pyarrow

            return pyarrow.table(cells)
    except Exception:
        raise DataError("the columns are no table.", "Give columns of one frame, each with the same rows.") from None
    return cells
