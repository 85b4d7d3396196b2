"""A record as a sheet for the registry of deployments that OpenDP keeps: what is known is filled in, the rest is blank.

A record is public and can come from anyone, so a sheet reads only what `known` returns: texts on one visible line,
without marks of Markdown, HTML, formulas or links in force; amounts as Fractions, where a text that is not a number, or
is far beyond all doubles, is refused; dates as calendars have them. Scalars are written so that YAML 1.1, YAML 1.2 and
JSON read the same: texts in double quotes, floats with a point and a signed exponent.
Keys and choices are those of the registry's schema (schemas/deployments-schema.yaml in the repository
opendp/deployments-registry-data, in the form with `basic`, `dp_variant` and `administrative`). A blank begins with FILL
IN; where the schema allows certain words only, a blank that was forgotten is refused by the registry's own tests.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from datetime import date
from fractions import Fraction
from typing import Any

from snapdp.audits.release_audit import rebuilt_relation
from snapdp.display.numbers import exact_amount
from snapdp.display.text import one_line, shortened, visible
from snapdp.errors import DataError, SnapdpError
from snapdp.exact.numbers import parameter, to_float_nearest, to_float_up
from snapdp.release.record import checked
from snapdp.studies.protection import describe_protected
from snapdp.values import Facts, Values

# What a sheet may say of a record

AMOUNTS = {"charged", "epsilon", "alpha", "lower", "upper"}
RELEASED = {"parts", "derived"}  # released numbers: no sheet has them
LONGEST_SLUG = 80
MARKS = re.compile(r"([`*_\[\]#|~^])")  # of Markdown, wherever they stand
FIRST_MARKS = re.compile(r"^([0-9]+(?=[.)](?: |$))|(?=[-+=]))")  # of lists and headings, where a text begins
# No escape stops these everywhere: a renderer of formulas, of HTML, of templates, or one that looks for addresses.
FULL_WIDTH = 0xFEE0  # from a character of ASCII to the one of full width that looks like it
LOOK_ALIKE = {**{ord(each): chr(ord(each) + FULL_WIDTH) for each in "$<>&{}@"}, ord("\\"): "\N{SET MINUS}"}
# Parts of an address: what stands before //, the second of its slashes, a point before a letter, as in a domain.
ADDRESS = re.compile(r":(?=//)|(?<=/)/|(?<=[^\W_])\.(?=[^\W\d_])")


def known(record: Facts) -> Values:
    """Return what a sheet may say of a record, every text harmless and every amount a Fraction; refuse what is none."""
    found = checked(record)
    return {key: _known(key, each) for key, each in found.items() if key not in RELEASED}


def _known(key: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        return {harmless(name): _known(name, each) for name, each in value.items() if name not in RELEASED}
    if isinstance(value, (list, tuple)):
        return [_known(key, each) for each in value]
    if key in AMOUNTS:
        return _amount(key, value)
    if key == "date":
        try:
            read = date.fromisoformat(value).isoformat()
        except (TypeError, ValueError):
            raise _refused("date", value, "date") from None
        if read != value:
            raise _refused("date", value, "date")
        return read
    return harmless(value) if isinstance(value, str) else value


def harmless(text: str) -> str:
    """Return somebody's text on one line, visible, not too long, with no mark in force.

    >>> harmless("a_b [c](d) $x$ <b>")
    'a\\\\_b \\\\[c\\\\](d) ＄x＄ ＜b＞'
    >>> harmless("http://a.b"), harmless("www.a.b"), harmless("people.csv"), harmless("snapdp 0.1.0. A")
    ('http：/／a．b', 'www．a．b', 'people．csv', 'snapdp 0.1.0. A')
    >>> harmless("- x"), harmless("2. y")
    ('\\\\- x', '2\\\\. y')
    """
    shown = shortened(visible(text).strip()).translate(LOOK_ALIKE)
    unlinked = ADDRESS.sub(lambda found: chr(ord(found[0]) + FULL_WIDTH), shown)
    return FIRST_MARKS.sub(r"\1\\", MARKS.sub(r"\\\1", unlinked))


def slug(text: str) -> str:
    """Return a text as the last part of an address: small letters and digits of ASCII, with hyphens between.

    >>> slug("../Etc: [x]"), slug("\\u4eba")
    ('etc-x', 'dataset')
    """
    return re.sub("[^a-z0-9]+", "-", text.lower())[:LONGEST_SLUG].strip("-") or "dataset"


def _amount(key: str, value: Any) -> Fraction:
    try:
        number = parameter(value, name=key)
    except SnapdpError:
        raise _refused(key, value, "number") from None
    is_right = {"charged": number > 0, "epsilon": number > 0, "alpha": 0 < number < 1}.get(key, True)
    if not is_right or math.isinf(to_float_nearest(number)):
        raise _refused(key, value, "probability" if key == "alpha" else "number that it can be")
    return number


def _refused(key: str, value: Any, kind: str) -> DataError:
    return DataError(
        f"{key} = {one_line(repr(value), 60)} in the record is no {kind}.",
        "Give a record as a release wrote it. Nothing was written.",
    )


def double_up(x: Fraction) -> float:
    """Return the double that prints as a number where there is one, else the smallest that is not below it.

    >>> double_up(Fraction(3, 10)), double_up(Fraction(1, 3))
    (0.3, 0.33333333333333337)
    """
    nearest = to_float_nearest(x)
    return nearest if Fraction(repr(nearest)) == x else to_float_up(x)


def yaml_lines(values: Facts, indent: str = "") -> Iterator[str]:
    """Yield a table of plain values as lines of YAML; its keys are ours."""
    for key, each in values.items():
        if isinstance(each, dict):
            yield f"{indent}{key}:"
            yield from yaml_lines(each, f"{indent}  ")
        elif isinstance(each, list):
            yield f"{indent}{key}:"
            for item in each:
                yield from _item(item, f"{indent}  ")
        else:
            yield f"{indent}{key}: {scalar(each)}"


def _item(item: Any, indent: str) -> Iterator[str]:
    if not isinstance(item, dict):
        yield f"{indent}- {scalar(item)}"
        return
    first, *others = yaml_lines(item, f"{indent}  ")
    yield f"{indent}- {first.strip()}"
    yield from others


def scalar(value: str | int | float) -> str:
    """Return a scalar: text in quotes; numbers plain, a float with a point, without which YAML 1.1 reads a text.

    >>> scalar(1e-9), scalar(1e19), scalar(0.3), scalar(40), scalar("a")
    ('1.0e-09', '1.0e+19', '0.3', '40', '"a"')
    """
    if isinstance(value, float):
        digits, mark, exponent = repr(value).partition("e")
        return f"{digits if '.' in digits else f'{digits}.0'}{mark}{exponent}"
    return json.dumps(value, ensure_ascii=False)


BLANK = "FILL IN: "
MOST_TITLES = 50


def sheet(record: Facts) -> str:
    """Return a record as a sheet in YAML; refuse what is no record."""
    return HEAD + "\n".join(yaml_lines(sheet_values(record))) + "\n"


def sheet_values(record: Facts) -> Values:
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
            "deployment_model": {
                "model_name": "Central",
                "trust_assumptions": (
                    "The data holder is trusted with the table, the ledger and the machine; readers of the numbers are "
                    f"not trusted at all. {BLANK}who else can read the table"
                ),
                "release_type": f"{BLANK}One release or Many releases",
                "data_source_type": f"{BLANK}Static or Dynamic",
                "access_type": "Non-interactive",
            },
            "implementation": _implementation(found),
            "administrative": {
                "status": "Draft",
                "registry_authors": [f"{BLANK}who filled out this sheet"],
                "tier": 3,
            },
        },
    }


def _basic(record: Facts) -> Values:
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


def _implementation(record: Facts) -> Values:
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


def _unprotected(record: Facts) -> str:
    said = "Bounds, categories and groups are declarations, not computed from the data without noise."
    rows = f"The number of rows, {record['n']}, is public. " if "n" in record else ""
    return f"{rows}{said} {BLANK}anything else that is published of the table without noise"


def _titles(record: Facts) -> str:
    titles = [each["title"] for each in record["statistics"]]
    more = f", and {len(titles) - MOST_TITLES} more" if len(titles) > MOST_TITLES else ""
    return f"Noisy statistics: {', '.join(titles[:MOST_TITLES])}{more}"


def _levels(record: Facts) -> str:
    """Return how sure the intervals are, in per cent."""
    alphas = sorted({each["alpha"] for each in record["statistics"]})
    return " or ".join(f"{exact_amount(100 * (1 - each))} %" for each in alphas[:MOST_TITLES])


def _columns(record: Facts) -> str:
    found: dict[str, str] = {}
    for statistic in record["statistics"]:
        by = statistic.get("by", ())
        for column in (*statistic.get("columns", ()), *((by,) if isinstance(by, Mapping) else by)):
            found.setdefault(column["name"], _column(column))
    return "; ".join(list(found.values())[:MOST_TITLES]) or "none is read but the rows themselves"


def _column(column: Facts) -> str:
    kind = column["kind"]
    if "lower" in column and "upper" in column:
        kind += f" from {exact_amount(column['lower'])} to {exact_amount(column['upper'])}"
    return f"{column['name']} ({kind})"


HEAD = f"""\
# A sheet for the registry of deployments, made from the record of a release. What the record cannot know is blank:
# replace every text that begins with {BLANK.strip()} before you submit it.
# It is a draft until the registry has reviewed it, and of tier 3: its entries have all levels of detail.
"""
