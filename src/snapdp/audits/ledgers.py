"""A ledger beside a record: whether both are as they must be, and which of them is not.

Room: audits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from snapdp.audits.release_audit import audit
from snapdp.errors import DataError, LedgerError
from snapdp.exact import shown

if TYPE_CHECKING:
    from snapdp.ledger import Ledger, Verification


def verified_ledger(ledger: Ledger, record: dict[str, Any] | None) -> Verification:
    """Return how much was found sound; where the record does not fit, tell whether it is the one that was altered."""
    try:
        return ledger.verify(record)
    except LedgerError:
        if record is not None:
            ledger.verify()
            _refuse_stranger(record, ledger)
            refuse_altered(record, ledger)
        raise


def _refuse_stranger(record: dict[str, Any], ledger: Ledger) -> None:
    """Refuse a record of a dataset that a ledger knows nothing of: that says nothing about either."""
    if all(each.name != record.get("dataset") for each in ledger.accounts()):
        raise DataError(
            f"the record given is of {shown(record.get('dataset'))}, of which this ledger has no account.",
            "The ledger itself is sound. Take the ledger that was charged for the record, or another record.",
        )


def refuse_altered(record: dict[str, Any], ledger: Ledger | None = None) -> None:
    """Refuse a record that was edited before it says anything about a ledger: that one may be as it should."""
    judged = "" if ledger is None else "The ledger itself is sound. "
    if not audit(record).sound:
        raise DataError(
            "the record given is not what any release wrote: it was altered.",
            f"{judged}Audit the record to see which fields; take the one that was published.",
            altered=True,
        )
    if ledger is not None and ledger.record_of(record) not in (None, record):
        raise DataError(
            "the record given is not the one that the ledger holds of this charge: it was altered.",
            f"{judged}Audit the record with its ledger to see which fields; take the one that was published.",
            altered=True,
        )
