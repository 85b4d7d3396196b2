"""Immutable records: fields from annotations, keyword arguments, equality by fields.

What @dataclass(frozen=True, kw_only=True) gives, without importing dataclasses
(which pulls in inspect and compiles code for every class: more than the whole budget of a cold scalar release).
Type checkers see a dataclass.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, dataclass_transform

__all__ = ["Facts", "Value", "Values", "replaced"]
Values = dict[str, Any]  # by their keys, as a study, a record or an answer in JSON has them
Facts = Mapping[str, Any]  # the same where it is only read
V = TypeVar("V", bound="Value")


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Value:
    """Base of the records of the core."""

    _fields: tuple[str, ...] = ()
    _beside: tuple[str, ...] = ()  # fields that say where a record comes from; equality leaves them out

    def __init_subclass__(cls) -> None:
        declared = {name: kind for name, kind in cls.__annotations__.items() if not name.startswith("_")}
        named = (name for name, kind in declared.items() if "ClassVar" not in str(kind))
        cls._fields = tuple(dict.fromkeys((*cls._fields, *named)))  # a field with another default stays one field

    def __init__(self, **fields: Any) -> None:
        for name in self._fields:
            if name in fields:
                object.__setattr__(self, name, fields.pop(name))
            elif not hasattr(type(self), name):
                raise TypeError(f"{type(self).__name__} needs {name}")
        if fields:
            raise TypeError(f"{type(self).__name__} has no {', '.join(fields)}")
        self._check()

    def _check(self) -> None:
        """Refuse fields that make no sense together."""

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self._fields)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._compared() == other._compared()

    def __hash__(self) -> int:
        return hash((type(self), self._compared()))

    def _compared(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self._fields if name not in self._beside)

    def __repr__(self) -> str:
        pairs = zip(self._fields, self._values(), strict=True)
        return f"{type(self).__name__}({', '.join(f'{name}={_shown(value)}' for name, value in pairs)})"


def _shown(value: object) -> str:
    """Return a fraction as it is written, anything else as it represents itself."""
    return str(value) if type(value).__name__ in ("Fraction", "Written") else repr(value)


def replaced(value: V, **changes: Any) -> V:
    """Return a copy with some fields changed; it is checked again."""
    fields = dict(zip(value._fields, value._values(), strict=True))
    return type(value)(**{**fields, **changes})
