"""Certified rounding errors of expressions over boxes of inputs."""

from typing import TYPE_CHECKING

from snapdp.doors import door

if TYPE_CHECKING:
    from snapdp.rounding.error_bound import (
        MOST_BOXES as MOST_BOXES,
        ErrorBound as ErrorBound,
        Progress as Progress,
        bound_error as bound_error,
    )
    from snapdp.rounding.formula import BINARY32 as BINARY32, BINARY64 as BINARY64, Format as Format
    from snapdp.rounding.languages import (
        LONGEST_CORES as LONGEST_CORES,
        Core as Core,
        read_cores as read_cores,
        read_formula as read_formula,
        read_ranges as read_ranges,
    )
else:
    __getattr__, __dir__ = door(
        __name__,
        {
            "error_bound": "ErrorBound MOST_BOXES Progress bound_error",
            "formula": "BINARY32 BINARY64 Format",
            "languages": "Core LONGEST_CORES read_cores read_formula read_ranges",
        },
    )
