"""A self-test of the installed machine: what releases rest on, compared with answers that are known."""

from typing import TYPE_CHECKING

from snapdp.doors import door

if TYPE_CHECKING:
    from snapdp.selftest.suite import (
        CHECKS as CHECKS,
        Check as Check,
        Checked as Checked,
        SelfTest as SelfTest,
        run_selftest as run_selftest,
    )
else:
    __getattr__, __dir__ = door(
        __name__,
        {
            "suite": "CHECKS Check Checked SelfTest run_selftest",
        },
    )
