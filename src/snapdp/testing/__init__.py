"""Audit your own release: frozen noise, two neighbouring inputs, and what tells them apart."""

from typing import TYPE_CHECKING

from snapdp.doors import door

if TYPE_CHECKING:
    from snapdp.testing.auditing import audit as audit
    from snapdp.testing.kinds import KINDS as KINDS
    from snapdp.testing.strategies import (
        audit_neighbours as audit_neighbours,
        neighbouring_lists as neighbouring_lists,
    )
    from snapdp.testing.violations import (
        AuditFailure as AuditFailure,
        AuditReport as AuditReport,
        Violation as Violation,
    )
else:
    __getattr__, __dir__ = door(
        __name__,
        {
            "auditing": "audit",
            "kinds": "KINDS",
            "strategies": "audit_neighbours neighbouring_lists",
            "violations": "AuditFailure AuditReport Violation",
        },
    )
