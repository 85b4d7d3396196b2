"""Cases in two tiers: some in the default suite, the others in the long one, none in both and none in neither."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

import pytest


def one_in(n: int, cases: Iterable[Any]) -> list[Any]:
    """Return all cases, of which the default suite runs the first and then each n-th, and the long one the others."""
    return [case if place % n == 0 else _long(case) for place, case in enumerate(cases)]


def first_of(cases: Iterable[Any], count: int = 1) -> list[Any]:
    """Return all cases, of which the default suite runs the first, or so many of them, and the long one the others."""
    return [case if place < count else _long(case) for place, case in enumerate(cases)]


def those_in(default: Container[Any], cases: Iterable[Any]) -> list[Any]:
    """Return all cases, of which the default suite runs those that are named, and the long one the others."""
    return [case if case in default else _long(case) for case in cases]


def _long(case: Any) -> Any:
    values = case if isinstance(case, tuple) else (case,)
    return pytest.param(*values, marks=pytest.mark.long)
