"""Audits of releases: everything public in a record derived again, and a checker that can be run alone."""

from typing import TYPE_CHECKING

from snapdp.doors import door

if TYPE_CHECKING:
    from snapdp.audits.certificates import (
        Examination as Examination,
        accepted_certificate as accepted_certificate,
        examine_certificate as examine_certificate,
        examine_file as examine_file,
    )
    from snapdp.audits.findings import LEDGER as LEDGER
    from snapdp.audits.release_audit import (
        audit as audit,
        audit_in_words as audit_in_words,
        audit_values as audit_values,
        is_certificate as is_certificate,
        is_sound as is_sound,
        look_in_words as look_in_words,
        rebuilt_relation as rebuilt_relation,
        refuse_altered as refuse_altered,
        release_certificate as release_certificate,
        unseen_in_words as unseen_in_words,
        verified_ledger as verified_ledger,
    )
    from snapdp.audits.reports import ComparedReport as ComparedReport, compare_report as compare_report
else:
    __getattr__, __dir__ = door(
        __name__,
        {
            "certificates": "Examination accepted_certificate examine_certificate examine_file",
            "findings": "LEDGER",
            "release_audit": (
                "audit audit_in_words audit_values is_certificate is_sound look_in_words rebuilt_relation "
                "refuse_altered release_certificate unseen_in_words verified_ledger"
            ),
            "reports": "ComparedReport compare_report",
        },
    )
