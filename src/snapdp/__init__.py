"""snapdp: differentially private numbers whose guarantee survives floating-point arithmetic.

    snapdp.mean(df["age"], bounds=(15, 100), missing="dropped", epsilon=1, ledger="people.ledger")    one statistic
    snapdp.study("study.toml").release("people.csv", ledger="people.ledger")                          several
    snapdp.Snapping(epsilon=1, sensitivity=1, lower=0, upper=100).release(42)                         noise for a number

The ledger is made once, by snapdp.Ledger.create("people.ledger") and its create_account: it says who is protected and
what may be spent.

Statistics of a table: declare a `study`, see its `plan()`, `release(table, ledger=...)` it from a file or frame
(`open_table`), charged to a `Ledger`. `load_release` reads a record back.

>>> import snapdp
>>> people = snapdp.study(
...     dataset="people", relation="add-remove", n_max=10000,
...     columns={"region": {"kind": "category", "categories": ["north", "south"]}},
...     statistic=[{"kind": "histogram", "column": "region", "epsilon": "0.5"}])
>>> people.plan()
Plan: epsilon 0.5 in total
  statistic          epsilon  share   ± error (95 %)
  histogram(region)      0.5  ██████  ± 6
± x: in 95 of 100 releases the number is within ± x of the table's.
± holds for each of the 2 numbers by itself, not for all at once.

Single numbers, whose bounds and sensitivity you know: `Snapping`, with its accuracy and its exact law.

>>> counts = snapdp.Snapping(epsilon="0.5", sensitivity=1, lower=0, upper=1000)
>>> round(float(counts.accuracy()), 1)
6.0

Functions that somebody wrote in Python: `audit`. The guide is docs/guide in the source; every refusal is a SnapdpError.
"""

from typing import TYPE_CHECKING, Any

from snapdp.errors import BoundError, BudgetError, DataError, LedgerError, ParameterError, PremiseError, SnapdpError

if TYPE_CHECKING:
    from snapdp.api.one_line import (
        count,
        covariance,
        explore,
        histogram,
        mean,
        median,
        persons,
        quantiles,
        sum,
        variance,
    )
    from snapdp.api.snapping import Snapping
    from snapdp.api.study import Study, study
    from snapdp.exact import Parameter
    from snapdp.ledger import Ledger
    from snapdp.mechanism import FinitePrecision, SnappingParameters
    from snapdp.release import Release, load_release
    from snapdp.studies import CsvDialect
    from snapdp.tables import open_table
    from snapdp.verifier import audit

__version__ = "0.3.0"
__all__ = [
    "BoundError",
    "BudgetError",
    "CsvDialect",
    "DataError",
    "FinitePrecision",
    "Ledger",
    "LedgerError",
    "Parameter",
    "ParameterError",
    "PremiseError",
    "Release",
    "SnapdpError",
    "Snapping",
    "SnappingParameters",
    "Study",
    "audit",
    "count",
    "covariance",
    "explore",
    "histogram",
    "load_release",
    "mean",
    "median",
    "open_table",
    "persons",
    "quantiles",
    "study",
    "sum",
    "variance",
]
_LATER = {  # loaded when first asked for: the command begins at once, and a scalar release needs a few files
    "CsvDialect": "snapdp.studies",
    "FinitePrecision": "snapdp.mechanism",
    "Ledger": "snapdp.ledger",
    "Parameter": "snapdp.exact",
    "Release": "snapdp.release",
    "Snapping": "snapdp.api.snapping",
    "SnappingParameters": "snapdp.mechanism",
    "Study": "snapdp.api.study",
    "audit": "snapdp.verifier",
    "count": "snapdp.api.one_line",
    "covariance": "snapdp.api.one_line",
    "explore": "snapdp.api.one_line",
    "histogram": "snapdp.api.one_line",
    "load_release": "snapdp.release",
    "mean": "snapdp.api.one_line",
    "median": "snapdp.api.one_line",
    "open_table": "snapdp.tables",
    "persons": "snapdp.api.one_line",
    "quantiles": "snapdp.api.one_line",
    "study": "snapdp.api.study",
    "sum": "snapdp.api.one_line",
    "variance": "snapdp.api.one_line",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'snapdp' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LATER[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
