"""Groups as study files name them: by declared columns, or by the keys of a file.

Room: studies. Holds no data and opens no file: who reads the study hands in what reads a file of keys.
"""

from __future__ import annotations

from collections.abc import Mapping

from snapdp.errors import ParameterError
from snapdp.studies.columns import Column
from snapdp.studies.grouping.groups import Groups, groups_of
from snapdp.studies.grouping.keys import KeyReader, keyed_groups
from snapdp.studies.toml_table import TomlTable, named


def groups_in(table: TomlTable, columns: Mapping[str, Column], read_keys: KeyReader | None) -> Groups | None:
    """Return the groups that the table of a statistic names: by = "region", or a list, perhaps with a file of keys."""
    if "keys" in table:
        return _keyed_in(table, columns, read_keys)
    return groups_of([named(columns, name) for name in _names_in(table)]) if "by" in table else None


def _names_in(table: TomlTable) -> list[str]:
    return (table.texts("by") or []) if isinstance(table.get("by"), list) else [str(table.text("by"))]


def _keyed_in(table: TomlTable, columns: Mapping[str, Column], read_keys: KeyReader | None) -> Groups:
    """Return the groups by the keys of a file: by = ["page"] and keys = "pages.parquet"."""
    path = str(table.text("keys"))
    if "by" not in table:
        raise ParameterError(
            "keys belong to groups, and there are none.", 'Say which columns they are of: by = "page".'
        )
    declared = next((name for name in _names_in(table) if name in columns), None)
    if declared is not None:
        raise ParameterError(
            f"column {declared!r} is declared, and a file of keys names its cells.",
            "Leave its declaration out, or keys: only one of the two says which cells there are. Nothing was spent.",
        )
    if read_keys is None:
        raise ParameterError("a file of keys is not read here.", "Load the study by snapdp.study.")
    return keyed_groups(read_keys(path, _names_in(table)))
