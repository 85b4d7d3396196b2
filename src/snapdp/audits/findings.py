"""Findings of an audit: fields of a record that are not what they must be, named one by one.

Room: audits. Two values are the same iff their texts are: 26.0 is not 26, True is not 1, -0.0 is not 0.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from snapdp.ledger import canonical
from snapdp.values import Value

ABSENT = object()
LEDGER = "ledger"


class Finding(Value):
    """One field of a record that is not what it must be.

    about   the file beside the record, or LEDGER, where the field itself may be right and that is not what it must be
    """

    field: str
    says: str
    should: str
    about: str = ""


def differences(field: str, stated: Any, should: Any) -> Iterator[Finding]:
    """Yield every field in which two values differ, element by element."""
    if isinstance(stated, Mapping) and isinstance(should, Mapping):
        for key in sorted({*stated, *should}):
            yield from differences(f"{field}.{key}", stated.get(key, ABSENT), should.get(key, ABSENT))
    elif stated is ABSENT or should is ABSENT:
        yield Finding(field=field, says=_told(stated), should=_told(should))
    elif (one := canonical(stated)) != (other := canonical(should)):
        if _is_list(stated) and _is_list(should) and len(stated) == len(should):
            for place, pair in enumerate(zip(stated, should, strict=True)):
                yield from differences(f"{field}[{place}]", *pair)
        elif str(stated) == str(should):  # a number and its text
            yield Finding(field=field, says=one, should=other)
        else:
            yield Finding(field=field, says=str(stated), should=str(should))


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _told(value: Any) -> str:
    return "nothing" if value is ABSENT else str(value)
