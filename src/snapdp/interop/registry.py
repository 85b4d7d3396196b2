"""A record as a sheet for the registry of deployments that OpenDP keeps: what is known is filled in, the rest is blank.

Room: interop. It reads a record, which is public and not trusted, by `scalars.known` alone: what comes from there is
checked, and harmless where the registry renders it. Nothing else is read.
Keys and choices are those of the registry's schema (schemas/deployments-schema.yaml in the repository
opendp/deployments-registry-data, in the form with `basic`, `dp_variant` and `administrative`). A blank begins with FILL
IN; where the schema allows certain words only, a blank that was forgotten is refused by the registry's own tests.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from snapdp.audits import rebuilt_relation
from snapdp.display import exact_amount
from snapdp.errors import DataError
from snapdp.interop.scalars import double_up, harmless, known, slug, yaml_lines
from snapdp.studies import describe_protected

BLANK = "FILL IN: "
MOST_TITLES = 50


def sheet(record: Mapping[str, Any]) -> str:
    """Return a record as a sheet in YAML; refuse what is no record."""
    return HEAD + "\n".join(yaml_lines(sheet_values(record))) + "\n"


def sheet_values(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sheet as plain values; epsilon as a double that is not below what was charged, or prints as it."""
    found = known(record)
    if "snapdp" not in found["versions"]:
        raise DataError(
            "versions in the record does not say which snapdp wrote it.",
            "Give a record as a release wrote it. Nothing was written.",
        )
    relation = rebuilt_relation(record)
    return {
        "url_slug": slug(record["dataset"]),
        "deployment": {
            "basic": _basic(found),
            "dp_variant": {
                "variant_name": "Pure DP",
                "data_domain": f"Tables with these columns, as declared: {_columns(found)}.",
                "unprotected_quantities": _unprotected(found),
            },
            "privacy_loss": {
                "privacy_unit": {"row": "Row", "person": "Person"}.get(found["unit"], "Several rows together"),
                "privacy_unit_details": harmless(describe_protected(relation)),
                **({"number_of_privacy_units": relation.rows} if relation.is_change_one else {}),
                "privacy_parameters": {"epsilon": double_up(found["charged"])},
                "privacy_parameters_details": (
                    f"This release was charged epsilon = {exact_amount(found['charged'])}, exactly. {BLANK}what the "
                    "dataset was charged in all, and its cap (snapdp ledger show); charges of one dataset add up."
                ),
            },
            "deployment_model": _model(),
            "implementation": _implementation(found),
            "administrative": {
                "status": "Draft",
                "registry_authors": [f"{BLANK}who filled out this sheet"],
                "tier": 3,
            },
        },
    }


def _basic(record: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": record.get("title", record["dataset"]),
        "data_curators": [
            {
                "data_curator_name": record.get("publisher", f"{BLANK}who publishes the numbers"),
                "data_curator_type": f"{BLANK}Government, Industry or Nonprofit",
            }
        ],
        "description": f"{_titles(record)}. {BLANK}what the table is about",
        "intended_use": f"{BLANK}what the numbers are for",
        "data_product_type": "Summary statistics",
        "data_product_region": f"{BLANK}which region the data describe, or whose laws apply",
        "data_product_sector": f"{BLANK}Technology, Healthcare, Education, Government, Energy or Finance",
        "publication_date": record["date"],
    }


def _model() -> dict[str, Any]:
    return {
        "model_name": "Central",
        "trust_assumptions": (
            "The data holder is trusted with the table, the ledger and the machine; readers of the numbers are not "
            f"trusted at all. {BLANK}who else can read the table"
        ),
        "release_type": f"{BLANK}One release or Many releases",
        "data_source_type": f"{BLANK}Static or Dynamic",
        "access_type": "Non-interactive",
    }


def _implementation(record: Mapping[str, Any]) -> dict[str, Any]:
    kept = "" if "rows_per_person" not in record else " Of each person a bounded number of rows is kept."
    looked = " Bounds were found by a first look, which was charged by itself." if "bounds_from" in record else ""
    engine = f" (by {record['engine']})"
    return {
        "preprocessing_and_hyperparameter_tuning": (
            f"Cells are clamped to declared bounds and rounded to declared steps.{kept}{looked} {BLANK}how epsilon and "
            "the bounds were chosen"
        ),
        "mechanisms": (
            f"The snapping mechanism of snapdp {record['versions']['snapdp']}: an exact Laplace draw on exact integer "
            f"sums{engine}, rounded to a grid and clamped. Floating point: no private value is computed in it; every "
            f"printed number is a function of a grid index and public parameters. {BLANK}what guards the table itself"
        ),
        "composition": "Sequential: epsilons of all statistics add up, as exact fractions, in an append-only ledger.",
        "post_processing": (
            "Numbers are shown inside the range that their statistic can have; means, shares and quantiles follow from "
            "released numbers."
        ),
        "justification": f"{BLANK}why these choices were made, and who decided",
        "utility": f"Every number has an interval that holds the one without noise in {_levels(record)} of releases.",
    }


def _unprotected(record: Mapping[str, Any]) -> str:
    said = "Bounds, categories and groups are declarations, not computed from the data without noise."
    rows = f"The number of rows, {record['n']}, is public. " if "n" in record else ""
    return f"{rows}{said} {BLANK}anything else that is published of the table without noise"


def _titles(record: Mapping[str, Any]) -> str:
    titles = [each["title"] for each in record["statistics"]]
    more = f", and {len(titles) - MOST_TITLES} more" if len(titles) > MOST_TITLES else ""
    return f"Noisy statistics: {', '.join(titles[:MOST_TITLES])}{more}"


def _levels(record: Mapping[str, Any]) -> str:
    """Return how sure the intervals are, in per cent."""
    alphas = sorted({each["alpha"] for each in record["statistics"]})
    return " or ".join(f"{exact_amount(100 * (1 - each))} %" for each in alphas[:MOST_TITLES])


def _columns(record: Mapping[str, Any]) -> str:
    found: dict[str, str] = {}
    for statistic in record["statistics"]:
        by = statistic.get("by", ())
        for column in (*statistic.get("columns", ()), *((by,) if isinstance(by, Mapping) else by)):
            found.setdefault(column["name"], _column(column))
    return "; ".join(list(found.values())[:MOST_TITLES]) or "none is read but the rows themselves"


def _column(column: Mapping[str, Any]) -> str:
    kind = column["kind"]
    if "lower" in column and "upper" in column:
        kind += f" from {exact_amount(column['lower'])} to {exact_amount(column['upper'])}"
    return f"{column['name']} ({kind})"


HEAD = f"""\
# A sheet for the registry of deployments, made from the record of a release. What the record cannot know is blank:
# replace every text that begins with {BLANK.strip()} before you submit it.
# It is a draft until the registry has reviewed it, and of tier 3: its entries have all levels of detail.
"""
