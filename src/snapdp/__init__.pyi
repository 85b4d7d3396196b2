# The public names, each written once: type checkers read this file, and snapdp/__init__.py finds modules by it.
from collections.abc import Callable
from typing import Any

from snapdp import lab as lab
from snapdp.api.one_line import (
    count as count,
    covariance as covariance,
    explore as explore,
    histogram as histogram,
    mean as mean,
    median as median,
    persons as persons,
    quantiles as quantiles,
    sum as sum,
    variance as variance,
)
from snapdp.api.snapping import Snapping as Snapping
from snapdp.api.study import Study as Study, study as study
from snapdp.errors import (
    BoundError as BoundError,
    BudgetError as BudgetError,
    DataError as DataError,
    LedgerError as LedgerError,
    ParameterError as ParameterError,
    PremiseError as PremiseError,
    SnapdpError as SnapdpError,
)
from snapdp.exact.numbers import Parameter as Parameter
from snapdp.ledger.ledger import Ledger as Ledger
from snapdp.mechanism.parameters import FinitePrecision as FinitePrecision, SnappingParameters as SnappingParameters
from snapdp.release.result import Release as Release, load_release as load_release
from snapdp.studies.csv_dialect import CsvDialect as CsvDialect
from snapdp.tables.engines.opening import open_table as open_table

__version__: str

def load_by_stub(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]: ...
