"""A study as plain values: what its file says, by the keys of a study file, for whoever goes on from there.

Room: api. Holds no data. Numbers that are not whole are text, so that they stay exact, and days are text as well: the
values pass through JSON unchanged.
"""

from __future__ import annotations

import tomllib
from typing import Any

from snapdp.studies import DeclaredStudy, study_to_toml


def study_values_of(study: DeclaredStudy) -> dict[str, Any]:
    """Return the values of a study, in the order of its file; `study_from_values` makes an equal study of them.

    A file of keys stands there by its path, which is read again. So does the address of a table, as it was typed:
    whoever shows it to others shows it by `display.shown_address`.
    """
    return tomllib.loads(study_to_toml(study))
