"""Budgets: accounts with a cap, the chain of their entries, and where they are stored. It never sees a row."""

from typing import TYPE_CHECKING

from snapdp.doors import door

if TYPE_CHECKING:
    from snapdp.ledger.accounts import (
        Account as Account,
        Amendment as Amendment,
        Answer as Answer,
        Charge as Charge,
        InProgressError as InProgressError,
        Verification as Verification,
        agree as agree,
        declared_terms as declared_terms,
        given_reason as given_reason,
        is_label as is_label,
        label as label,
        payable as payable,
        terms_of as terms_of,
        too_much as too_much,
        unit_for as unit_for,
    )
    from snapdp.ledger.book import (
        RECENT as RECENT,
        EarlierReleases as EarlierReleases,
        earlier_releases as earlier_releases,
    )
    from snapdp.ledger.chain import canonical as canonical
    from snapdp.ledger.ledger import (
        Ledger as Ledger,
        back_up as back_up,
        restore as restore,
        settings_in_force as settings_in_force,
    )
    from snapdp.ledger.rules import (
        REQUEST_VERSION as REQUEST_VERSION,
        declaration_of as declaration_of,
        identical as identical,
        units_of as units_of,
    )
    from snapdp.ledger.statements import (
        BECAME as BECAME,
        OF_CAP as OF_CAP,
        account_values as account_values,
        amended_in_words as amended_in_words,
        amendment_values as amendment_values,
        charge_values as charge_values,
        explain_spending as explain_spending,
        extent_in_words as extent_in_words,
        later_in_words as later_in_words,
        moment as moment,
        protected_by as protected_by,
        spent_in_words as spent_in_words,
        titles_of as titles_of,
        together_in_words as together_in_words,
    )
    from snapdp.ledger.storage.postgres import has_ledger as has_ledger
    from snapdp.ledger.storage.sqlite_connection import (
        fill_standard_streams as fill_standard_streams,
        is_failure as is_failure,
    )
    from snapdp.ledger.storage.storage import UnavailableError as UnavailableError
else:
    __getattr__, __dir__ = door(
        __name__,
        {
            "accounts": (
                "Account Amendment Answer Charge InProgressError Verification agree declared_terms "
                "given_reason is_label label payable terms_of too_much unit_for"
            ),
            "book": "EarlierReleases RECENT earlier_releases",
            "chain": "canonical",
            "ledger": "Ledger back_up restore settings_in_force",
            "rules": "REQUEST_VERSION declaration_of identical units_of",
            "statements": (
                "BECAME OF_CAP account_values amended_in_words amendment_values charge_values "
                "explain_spending extent_in_words later_in_words moment protected_by spent_in_words titles_of "
                "together_in_words"
            ),
            "storage.postgres": "has_ledger",
            "storage.sqlite_connection": "fill_standard_streams is_failure",
            "storage.storage": "UnavailableError",
        },
    )
