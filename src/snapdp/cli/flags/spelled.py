"""A study as the words of a command.

Room: cli.
"""

from __future__ import annotations

from typing import Any

from snapdp.studies import DeclaredStudy
from snapdp.values import Value


class Spelled(Value):
    """A command, or why there is none."""

    command: str = ""
    reason: str = ""

    @property
    def values(self) -> dict[str, Any]:
        return {"command": self.command, "reason": self.reason}


def release_words(study: DeclaredStudy, *, data: str | None, ledger: str | None) -> Spelled:  # noqa: ARG001
    return Spelled(reason="Use the study file.")
