"""Audits of releases: everything public in a record derived again, and a checker that can be run alone."""

from typing import TYPE_CHECKING

from snapdp.doors import door

if TYPE_CHECKING:
    from snapdp.audits.certificates import accepted_certificate as accepted_certificate, examined as examined
    from snapdp.audits.findings import LEDGER as LEDGER
    from snapdp.audits.release_audit import (
        audit as audit,
        is_sound as is_sound,
        release_certificate as release_certificate,
    )
else:
    __getattr__, __dir__ = door(
        __name__,
        {
            "certificates": "accepted_certificate examined",
            "findings": "LEDGER",
            "release_audit": "audit is_sound release_certificate",
        },
    )
