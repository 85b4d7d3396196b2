"""A study as plain values: the keys of a study file, for pages and programs.

Room: api. Holds no data.
"""

from __future__ import annotations

import datetime
import tomllib
from typing import Any

from snapdp.studies import DeclaredStudy, study_to_toml


def study_values_of(study: DeclaredStudy) -> dict[str, Any]:
    """Return what `study_from_values` reads back to an equal study; numbers that are not whole are exact text."""
    found: dict[str, Any] = _plain(tomllib.loads(study_to_toml(study), parse_float=str))
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value.isoformat() if isinstance(value, (datetime.date, datetime.time)) else value
