"""A second arithmetic on the installed machine: everything that releases rest on, computed again and compared."""

from typing import TYPE_CHECKING

from snapdp.doors import door

if TYPE_CHECKING:
    from snapdp.selftest.check import Check as Check, Checked as Checked
    from snapdp.selftest.suite import CHECKS as CHECKS, SelfTest as SelfTest, run_selftest as run_selftest
else:
    __getattr__, __dir__ = door(__name__, {"check": "Check Checked", "suite": "CHECKS SelfTest run_selftest"})
