"""Test your own release on two neighbouring inputs: replay it with the same noise, and count events."""

from snapdp.lab.testing.counting import CountReport as CountReport, counted as counted
from snapdp.lab.testing.findings import KINDS as KINDS, Violation as Violation
from snapdp.lab.testing.replay_audit import (
    AuditFailure as AuditFailure,
    AuditReport as AuditReport,
    audit as audit,
    audit_neighbours as audit_neighbours,
    neighbouring_lists as neighbouring_lists,
)
