"""The steps that make the tables of a ledger: as they are run, or, of programs, what each says of itself."""

from __future__ import annotations

import re
from pathlib import Path

from snapdp_reference.api import SOURCE
from snapdp_reference.markdown import fenced, plain, table

STEPS = SOURCE / "ledger" / "migrations"
_HEAD = re.compile(r"(?:--.*\n)+")


def ledger_steps(store: str) -> str:
    """Return the steps of a store, `sqlite`, in their order and as they are run."""
    return "\n\n".join(f"### {step.stem}\n\n{fenced(_text(step), 'sql')}" for step in _steps(store))


def ledger_step_heads(store: str) -> str:
    """Return what the steps of a store, `postgres`, say at their head."""
    return table(["step", "what it makes"], [(f"`{step.name}`", plain(_head(_text(step)))) for step in _steps(store)])


def _steps(store: str) -> list[Path]:
    return sorted((STEPS / store).glob("*.sql"))


def _text(step: Path) -> str:
    return step.read_text(encoding="utf-8").strip()


def _head(text: str) -> str:
    found = _HEAD.match(text)
    return "" if found is None else " ".join(found[0].replace("--", "").split())
