"""Details of statistics: the keys beyond columns and groups, each read from and written to study files and records.

Room: studies. A statistic names its details and their kinds; a kind knows how such a value stands in TOML and in JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from snapdp.errors import ParameterError
from snapdp.studies.columns import Column
from snapdp.studies.conditions import condition
from snapdp.studies.declarations import condition_from, condition_values
from snapdp.studies.toml_table import TomlTable, named

CONDITION_KEYS = ("column", "equals", "from", "below")


class Detail(Protocol):
    """A kind of detail. `read` returns None where the key is absent: the constructor's own default then holds."""

    def read(self, table: TomlTable, key: str, columns: Mapping[str, Column]) -> Any:
        """Return the value in a study file, to be checked by the constructor of the statistic."""

    def toml(self, value: Any) -> object:
        """Return the value for a study file."""

    def json(self, value: Any) -> Any:
        """Return the value for a request or record."""

    def from_json(self, value: Any) -> Any:
        """Return the value that a record states, to be checked by the constructor of the statistic."""


class NumberDetail:
    """One exact number."""

    def read(self, table: TomlTable, key: str, columns: Mapping[str, Column]) -> Any:  # noqa: ARG002
        return table.number(key)

    def toml(self, value: Any) -> object:
        return value

    def json(self, value: Any) -> Any:
        return str(value)

    def from_json(self, value: Any) -> Any:
        return value


class WholeDetail:
    """One positive whole number."""

    def read(self, table: TomlTable, key: str, columns: Mapping[str, Column]) -> Any:  # noqa: ARG002
        return table.number(key)

    def toml(self, value: Any) -> object:
        return value

    def json(self, value: Any) -> Any:
        return int(value)

    def from_json(self, value: Any) -> Any:
        return value


class FlagDetail:
    """Yes, or no: what is not said is no."""

    def read(self, table: TomlTable, key: str, columns: Mapping[str, Column]) -> Any:  # noqa: ARG002
        return table.flag(key) or None

    def toml(self, value: Any) -> object:
        return value

    def json(self, value: Any) -> Any:
        return bool(value)

    def from_json(self, value: Any) -> Any:
        return value


class NumbersDetail:
    """A list of exact numbers, not empty; `empty` says what to do about one that is."""

    def __init__(self, empty: str | None = None) -> None:
        self.empty = empty

    def read(self, table: TomlTable, key: str, columns: Mapping[str, Column]) -> Any:  # noqa: ARG002
        found = table.numbers(key)
        if found == []:
            advice = self.empty or f"Give at least two {key}, or leave the key out."
            raise ParameterError(f"{key} is an empty list.", advice)
        return found

    def toml(self, value: Any) -> object:
        return list(value)

    def json(self, value: Any) -> Any:
        return [str(each) for each in value]

    def from_json(self, value: Any) -> Any:
        return value


class MarginsDetail:
    """Margins of a table: the words "all" and "hierarchy", or a list of lists of names."""

    def read(self, table: TomlTable, key: str, columns: Mapping[str, Column]) -> Any:  # noqa: ARG002
        found = table.get(key)
        return found if isinstance(found, list) else table.text(key)

    def toml(self, value: Any) -> object:
        return value.typed

    def json(self, value: Any) -> Any:
        return value.stated

    def from_json(self, value: Any) -> Any:
        return value


class ChoiceDetail:
    """One of a few words."""

    def read(self, table: TomlTable, key: str, columns: Mapping[str, Column]) -> Any:  # noqa: ARG002
        return table.text(key)

    def toml(self, value: Any) -> object:
        return value

    def json(self, value: Any) -> Any:
        return value

    def from_json(self, value: Any) -> Any:
        return value


class ConditionsDetail:
    """Conditions that a row must meet, all of them."""

    def read(self, table: TomlTable, key: str, columns: Mapping[str, Column]) -> Any:
        return [self._condition(values, columns, f"{table.place}, {key}") for values in table.tables(key)]

    def toml(self, value: Any) -> object:
        rows = ((each.column.name, each.equals, each.start, each.below) for each in value)
        pairs = (zip(CONDITION_KEYS, row, strict=True) for row in rows)
        return [{key: part for key, part in row if part is not None} for row in pairs]

    def json(self, value: Any) -> Any:
        return [condition_values(each) for each in value]

    def from_json(self, value: Any) -> Any:
        return [condition_from(each) for each in value]

    def _condition(self, values: Any, columns: Mapping[str, Column], place: str) -> Any:
        table = TomlTable(values, place=place, keys=CONDITION_KEYS)
        table.need("column")
        return condition(
            named(columns, table.text("column")),
            equals=table.word("equals"),
            start=table.end("from"),
            below=table.end("below"),
        )
