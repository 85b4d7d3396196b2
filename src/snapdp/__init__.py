"""snapdp: differentially private numbers whose guarantee survives floating-point arithmetic."""

from typing import TYPE_CHECKING, Any

from snapdp.errors import BoundError, BudgetError, DataError, LedgerError, ParameterError, PremiseError, SnapdpError
from snapdp.mechanism.parameters import FinitePrecision, SnappingParameters
from snapdp.planner.snapping import Snapping

if TYPE_CHECKING:
    from snapdp.data.engines import open_table
    from snapdp.release.ledger import Ledger
    from snapdp.release.result import Release, load_release
    from snapdp.release.study import Study, study
    from snapdp.verifier.audit import audit

__version__ = "0.1.0"
__all__ = [
    "BoundError",
    "BudgetError",
    "DataError",
    "FinitePrecision",
    "Ledger",
    "LedgerError",
    "ParameterError",
    "PremiseError",
    "Release",
    "SnapdpError",
    "Snapping",
    "SnappingParameters",
    "Study",
    "audit",
    "load_release",
    "open_table",
    "study",
]
_LATER = {  # loaded when first asked for: a scalar release needs none of it
    "Ledger": "snapdp.release.ledger",
    "Release": "snapdp.release.result",
    "Study": "snapdp.release.study",
    "audit": "snapdp.verifier.audit",
    "load_release": "snapdp.release.result",
    "open_table": "snapdp.data.engines",
    "study": "snapdp.release.study",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'snapdp' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LATER[name]), name)
