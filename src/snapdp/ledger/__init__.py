"""Budgets: accounts with a cap, the chain of their entries, and where they are stored. It never sees a row."""

from typing import TYPE_CHECKING

from snapdp.doors import door

if TYPE_CHECKING:
    from snapdp.ledger.accounts import (
        Account as Account,
        Answer as Answer,
        Charge as Charge,
        InProgressError as InProgressError,
        Verification as Verification,
        agree as agree,
        is_label as is_label,
        label as label,
        payable as payable,
        too_much as too_much,
        unit_for as unit_for,
    )
    from snapdp.ledger.amendments import Amendment as Amendment, given_reason as given_reason
    from snapdp.ledger.backup import back_up as back_up, restore as restore
    from snapdp.ledger.belonging import (
        REQUEST_VERSION as REQUEST_VERSION,
        declaration_of as declaration_of,
        identical as identical,
        units_of as units_of,
    )
    from snapdp.ledger.book import RECENT as RECENT
    from snapdp.ledger.chain import canonical as canonical
    from snapdp.ledger.durability import settings_in_force as settings_in_force
    from snapdp.ledger.earlier import EarlierReleases as EarlierReleases, earlier_releases as earlier_releases
    from snapdp.ledger.ledger import Ledger as Ledger
    from snapdp.ledger.opening import declared_terms as declared_terms, terms_of as terms_of
    from snapdp.ledger.storage.inode import fill_standard_streams as fill_standard_streams
    from snapdp.ledger.storage.postgres import has_ledger as has_ledger
    from snapdp.ledger.storage.sqlite_failures import is_failure as is_failure
    from snapdp.ledger.storage.storage import UnavailableError as UnavailableError
    from snapdp.ledger.values import (
        account_values as account_values,
        amendment_values as amendment_values,
        charge_values as charge_values,
    )
    from snapdp.ledger.words import (
        BECAME as BECAME,
        OF_CAP as OF_CAP,
        amended_in_words as amended_in_words,
        explain_spending as explain_spending,
        extent_in_words as extent_in_words,
        later_in_words as later_in_words,
        moment as moment,
        protected_by as protected_by,
        spent_in_words as spent_in_words,
        titles_of as titles_of,
        together_in_words as together_in_words,
    )
else:
    __getattr__, __dir__ = door(
        __name__,
        {
            "accounts": (
                "Account Answer Charge InProgressError Verification agree is_label label payable too_much unit_for"
            ),
            "amendments": "Amendment given_reason",
            "backup": "back_up restore",
            "belonging": "REQUEST_VERSION declaration_of identical units_of",
            "book": "RECENT",
            "chain": "canonical",
            "durability": "settings_in_force",
            "earlier": "EarlierReleases earlier_releases",
            "ledger": "Ledger",
            "opening": "declared_terms terms_of",
            "storage.inode": "fill_standard_streams",
            "storage.postgres": "has_ledger",
            "storage.sqlite_failures": "is_failure",
            "storage.storage": "UnavailableError",
            "values": "account_values amendment_values charge_values",
            "words": (
                "BECAME OF_CAP amended_in_words explain_spending extent_in_words later_in_words moment protected_by "
                "spent_in_words titles_of together_in_words"
            ),
        },
    )
