"""What an account is opened with, by the flags of a command: typed one by one, or taken from a study.

Nothing is typed twice: what a study says needs no flag, and a flag that says something else is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from snapdp.cli.flags.columns import as_item
from snapdp.cli.flags.statistics import named_columns
from snapdp.display.numbers import exact_amount
from snapdp.display.text import one_line

if TYPE_CHECKING:
    from snapdp.api.study import Study


def opening_by_flags(flags: dict[str, Any]) -> dict[str, Any]:
    """Return what `create_account` is given, of flags alone."""
    from snapdp.exact.numbers import positive
    from snapdp.ledger.accounts import label
    from snapdp.studies.relation import add_remove, change_one

    lacking = [f"--{name}" for name in ("dataset", "cap", "relation") if flags[name] is None]
    if lacking:
        raise click.UsageError(f"Give {', '.join(lacking)} as well, or --from STUDY.toml, which says all of it.")
    relation, person = flags["relation"], flags["person"]
    if (flags["n"] is None) == (relation == "change-one") or (flags["n_max"] is None) == (relation == "add-remove"):
        raise click.UsageError("Give --n N with change-one (n is public), --n-max N with add-remove (n is private).")
    unit = {key: flags[key] for key in ("rows_per_person", "unit_rows") if flags[key] is not None}
    unit |= {"person": named_columns(person)} if person else {}
    if relation == "change-one" and unit:
        raise click.UsageError(f"--{next(iter(unit)).replace('_', '-')} belongs to add-remove.")
    whom = change_one(n=flags["n"]) if relation == "change-one" else add_remove(n_max=flags["n_max"], **unit)
    label(flags["dataset"], name="dataset")
    positive(flags["cap"], name="cap")
    return {"name": flags["dataset"], "cap": flags["cap"], "relation": whom.kind, "rows": whom.rows, **unit}


def opening_of(found: Study, path: str, flags: dict[str, Any]) -> dict[str, Any]:
    """Return what `create_account` is given, of a study; refuse flags that say something else than it does.

    path   the file of the study, for what is said of it
    """
    from snapdp.ledger.accounts import label, terms_of

    relation = found.relation
    most = flags["rows_per_person"]
    if most is not None and relation.person is None:
        raise click.UsageError(f"--rows-per-person {most}: {one_line(path)} protects no persons.")
    said = {
        "dataset": found.dataset,
        "relation": relation.kind,
        "n": relation.rows if relation.is_change_one else None,
        "n_max": None if relation.is_change_one else relation.rows,
        "person": list(relation.person_columns),
        "rows_per_person": relation.rows_per_person,
        "unit_rows": relation.unit_rows,
    }
    given = {**flags, "person": named_columns(flags["person"]) if flags["person"] else None}
    for name, declared in said.items():
        asked = [given[name]] if isinstance(given[name], str) and name == "person" else given[name]
        if asked is not None and asked != declared:
            raise click.UsageError(_contradiction(path, name, asked, declared))
    if found.budget is None and flags["cap"] is None:
        total = exact_amount(found.plan().total)
        raise click.UsageError(
            f"{one_line(path)} has no budget: give --cap NUMBER, what may ever be spent on {one_line(found.dataset)}. "
            f"The study asks for epsilon {total}."
        )
    label(found.dataset, name="dataset")
    terms = terms_of(found, cap=flags["cap"])
    if most is not None:
        terms |= {"unit": "row", "person": relation.person, "rows_per_person": most}
    return terms


def _contradiction(path: str, name: str, asked: Any, declared: Any) -> str:
    """Return what is wrong with a flag beside a study."""

    def words(value: Any) -> str:
        return one_line(",".join(map(as_item, value)) if isinstance(value, list) else str(value))

    says = f"says {name} = {words(declared)}" if declared not in (None, []) else f"has no {name}"
    return (
        f"--{name.replace('_', '-')} {words(asked)}: {one_line(path)} {says}. Leave the flag out, or change the study."
    )
