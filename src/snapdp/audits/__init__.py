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
    from snapdp.audits.from_record import rebuilt_relation as rebuilt_relation
    from snapdp.audits.ledgers import refuse_altered as refuse_altered, verified_ledger as verified_ledger
    from snapdp.audits.release_audit import (
        audit as audit,
        is_sound as is_sound,
        release_certificate as release_certificate,
    )
    from snapdp.audits.reports import ComparedReport as ComparedReport, compare_report as compare_report
    from snapdp.audits.values import audit_values as audit_values
    from snapdp.audits.words import (
        audit_in_words as audit_in_words,
        is_certificate as is_certificate,
        look_in_words as look_in_words,
        unseen_in_words as unseen_in_words,
    )
else:
    __getattr__, __dir__ = door(
        __name__,
        {
            "certificates": "Examination accepted_certificate examine_certificate examine_file",
            "findings": "LEDGER",
            "from_record": "rebuilt_relation",
            "ledgers": "refuse_altered verified_ledger",
            "release_audit": "audit is_sound release_certificate",
            "reports": "ComparedReport compare_report",
            "values": "audit_values",
            "words": "audit_in_words is_certificate look_in_words unseen_in_words",
        },
    )
