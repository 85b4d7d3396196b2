"""snapdp: differentially private numbers whose guarantee survives floating-point arithmetic."""

from snapdp.errors import BoundError, BudgetError, DataError, LedgerError, ParameterError, PremiseError, SnapdpError
from snapdp.mechanism.parameters import FinitePrecision, SnappingParameters
from snapdp.planner.snapping import Snapping

__version__ = "0.1.0"
__all__ = [
    "BoundError",
    "BudgetError",
    "DataError",
    "FinitePrecision",
    "LedgerError",
    "ParameterError",
    "PremiseError",
    "SnapdpError",
    "Snapping",
    "SnappingParameters",
]
