"""A study as a Python program.

Room: api.
"""

from __future__ import annotations

from snapdp.studies import DeclaredStudy


def python_text(study: DeclaredStudy, *, data: str | None, ledger: str | None) -> str:  # noqa: ARG001
    return "import snapdp\n"
