"""A data dictionary beside files of values: `datapackage.json`, a Frictionless Data Package.

Public texts and numbers only. It says what every column means, of which record the numbers are, and what is protected.
A package lists all files of values of a directory: one that is written there later joins it. What was added to it by
hand (a licence, say) stays.

A `datapackage.json` that is not ours is never touched: the dictionary has the name of the file of values then. What
says that it is ours is anybody's text all the same: only a regular file is read, of bounded size, and nothing is taken
from it that could not be written again. So nothing fails for it after a charge; `place_of` refuses before, where every
name is taken.
Form: specs.frictionlessdata.io, Data Package, Tabular Data Resource, Table Schema.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from snapdp.drafts import write_text
from snapdp.errors import DataError
from snapdp.exact.numbers import shown
from snapdp.ledger.chain import canonical
from snapdp.release.numbers import long_blocks, shown_amount
from snapdp.release.record import file_names
from snapdp.release.remarks import bounds_from_line, protected_line
from snapdp.release.value_table import NUMBER, TEXT, ValueField, ValueTable
from snapdp.studies.declarations import digest
from snapdp.values import Facts, Values

NAME, MARK, VERSION = "datapackage.json", "snapdp_datapackage", 1
MOST_BYTES, MOST_RESOURCES = 1 << 22, 1000  # of a package that is read again
MOST_PLACES = 100  # names that are tried, where others have files there
# A pipe is not waited for, and a link not followed; where the system has no such flags the look before is enough.
_OPENED = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
CSV = {"format": "csv", "mediatype": "text/csv", "encoding": "utf-8", "profile": "tabular-data-resource"}
PARQUET = {"format": "parquet", "mediatype": "application/vnd.apache.parquet", "profile": "data-resource"}
DIALECT = {"delimiter": ",", "lineTerminator": "\n", "quoteChar": '"', "doubleQuote": True, "header": True}
GUARDED = "In a CSV file a text that a spreadsheet might run as a formula has a ' before it."
LEFT_OUT = "Tables too long for a record have files of their own, and no row here:"
_SIDE = {
    "cell": (TEXT, "What the number is about: a bin, a category, or a group and what is counted in it."),
    "index": ("integer", "What was drawn, as a multiple of the grid that the record states."),
    "value": (NUMBER, "The number as it was drawn."),
    "shown": (NUMBER, "The same, moved to what the statistic can be: take it to print."),
    "low": (NUMBER, "The lower end of the interval."),
    "high": (NUMBER, "The upper end of the interval."),
    "deviation": (NUMBER, "The standard deviation of the error of an adjusted number."),
}


def write_dictionary(record: Facts, table: ValueTable, path: Path) -> Path:
    """Write what a file of values means beside it, and return where: into the package of the directory, if it is ours.

    path   of the file of values, which is there
    """
    target = place_of(path)
    before = _ours(target) or {}
    found = [resource_of(record, table, path), *side_resources(record, path.parent)]
    write_text(json.dumps(package_of(record, before, found), indent=2) + "\n", target)
    return target


def place_of(path: Path) -> Path:
    """Return where the dictionary of a file of values is written: where no other file is, or one of ours.

    Ask it before a charge, too: it refuses a directory in which others have all the names.
    """
    names = [NAME, *(f"{path.stem}{'' if again == 1 else f'-{again}'}.{NAME}" for again in range(1, MOST_PLACES))]
    for place in (path.parent / name for name in names):
        if not os.path.lexists(place) or _ours(place) is not None:
            return place
    raise DataError(
        f"the dictionary of {shown(path.name)} has no place: {NAME} and {MOST_PLACES - 1} names like it are files of "
        "others.",
        "Write the values into another directory.",
    )


def package_of(record: Facts, before: Facts, resources: list[Values]) -> Values:
    """Return a package of these resources and of those it had before; a file of the same name is described anew."""
    named = [each["path"] for each in resources]
    kept = [each for each in before.get("resources", ()) if each.get("path") not in named]
    taken = {each["name"] for each in kept if isinstance(each.get("name"), str)}
    for each in resources:
        each["name"] = _unused(each["name"], taken)
        taken.add(each["name"])
    title, publisher, contact = (record.get(key) for key in ("title", "publisher", "contact"))
    whom = {"title": publisher or contact, "role": "publisher", **_address(contact)}
    said = {
        MARK: VERSION,
        "profile": "data-package",
        "name": slug(str(record["dataset"])),
        "title": title or f"Differentially private statistics of {record['dataset']}",
        "description": "Numbers released with noise, and what their columns mean.",
        **({"contributors": [whom]} if publisher or contact else {}),
    }
    return {**before, **said, "resources": [*kept, *resources]}


def resource_of(record: Facts, table: ValueTable, path: Path) -> Values:
    """Return what a package says of a file of values: its columns by the names that stand in it."""
    from snapdp.release.files import guarded

    is_csv = path.suffix == ".csv"
    written = {field.name: guarded(field.name) if is_csv else field.name for field in table.fields}
    elsewhere = [f"{title} (in {name})" for name, title in long_blocks(record)]
    left_out = f" {LEFT_OUT} {'; '.join(elsewhere)}." if elsewhere else ""
    return {
        "name": slug(path.name),
        "path": path.name,
        "title": f"Released numbers of {record['dataset']}",
        "description": f"One row for each number. Rows with asked = true are what was asked for. {GUARDED}{left_out}",
        **(CSV if is_csv else PARQUET),
        **({"dialect": DIALECT} if is_csv else {}),
        **_size(path),
        **_released(record),
        "schema": {
            "fields": [{**_field(each), "name": written[each.name]} for each in table.fields],
            "missingValues": [""],
            "primaryKey": [written[key] for key in table.keys],
        },
    }


def side_resources(record: Facts, directory: Path) -> Iterator[Values]:
    """Yield what a package says of the long tables of a record that lie in a directory."""
    titles = dict(long_blocks(record))
    for name in file_names(record):
        path = directory / name
        if os.path.basename(name) != name or not os.path.isfile(path):  # a record may be anybody's
            continue
        fields = [_side_field(column, kind) for column, kind in _columns_of(path)]
        if fields:
            yield {
                "name": slug(name),
                "path": name,
                "title": titles.get(name, name),
                "description": "A long table of a release, which its record names by this file's digest.",
                **PARQUET,
                **_size(path),
                **_released(record),
                "schema": {"fields": fields},
            }


def slug(name: str) -> str:
    """Return a name as packages have them: small letters, digits, and . _ -

    >>> slug("Living Conditions 2025"), slug("values.csv"), slug("\u00e9")
    ('living-conditions-2025', 'values.csv', 'values')
    """
    return re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-._") or "values"


def _unused(name: str, taken: set[str]) -> str:
    found, number = name, 1
    while found in taken:
        number += 1
        found = f"{name}-{number}"
    return found


def _field(field: ValueField) -> Values:
    limits: Values = {"required": True} if field.always else {}
    limits |= {"enum": list(field.allowed)} if field.allowed else {}
    said = {"name": field.name, "type": field.kind, "title": field.title, "description": field.description}
    return {**said, **({"constraints": limits} if limits else {})}


def _side_field(name: str, kind: str) -> Values:
    found, text = _SIDE.get(name, (TEXT, f"What the number is about, of column {name}."))
    return {"name": name, "type": TEXT if kind == "VARCHAR" else found, "title": name, "description": text}


def _columns_of(path: Path) -> list[tuple[str, str]]:
    """Return names and types of the columns of a side file; none where it is no such file."""
    from snapdp.release.files import side_file

    try:
        with side_file(path) as file:
            return list(file.types.items())
    except DataError:
        return []


def _released(record: Facts) -> Values:
    """Return of which release the numbers are, beyond what packages prescribe: they may say more."""
    return {
        "record": digest(canonical(record, name="record")),
        "epsilon": shown_amount(str(record["charged"])),
        "protected": protected_line(record),
        **({"bounds": found} if (found := bounds_from_line(record)) else {}),
    }


def _size(path: Path) -> Values:
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    return {"bytes": os.path.getsize(path), "hash": f"sha256:{found}"}


def _address(contact: Any) -> dict[str, str]:
    """Return how to reach whoever publishes: an address of mail, or one of the web; else nothing."""
    text = str(contact or "")
    if re.fullmatch(r"[^@\s]+@[^@\s]+", text):
        return {"email": text}
    return {"path": text} if re.match(r"https?://", text) else {}


def _ours(path: Path) -> Values | None:
    """Return a package that was written here before; None where there is none, or another's."""
    try:
        content = _regular_file(path)
        found = None if content is None else json.loads(content.decode())
        json.dumps(found, indent=2)  # what is too deep to be written again is no package of ours
    except (OSError, ValueError, RecursionError, MemoryError):
        return None
    if not isinstance(found, dict) or found.get(MARK) != VERSION:
        return None
    listed = found.get("resources")
    if not isinstance(listed, list) or len(listed) > MOST_RESOURCES:
        return None
    return found if all(isinstance(each, dict) for each in listed) else None


def _regular_file(path: Path) -> bytes | None:
    """Return what is in a regular file of bounded size; of a pipe, a link, a device or a directory nothing."""
    if not stat.S_ISREG(os.lstat(path).st_mode):
        return None
    with os.fdopen(os.open(path, _OPENED), "rb") as file:
        is_regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)  # it may be another by now
        content = file.read(MOST_BYTES + 1) if is_regular else b""
    return content if is_regular and len(content) <= MOST_BYTES else None
