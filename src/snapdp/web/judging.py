"""The verify page.

Room: web.
"""

from __future__ import annotations

from typing import Any


def add_to(app: Any, place: Any, desk: Any) -> None:
    """Add its requests to the application."""
