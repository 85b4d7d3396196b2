"""What SQLite says of itself on the connection that charges a ledger: read back, not as it was asked for.

Room: ledger. A setting that is asked for may be refused without a word, or be compiled otherwise. Only a ledger in a
file has them; a server is asked when a team ledger is opened.
"""

from __future__ import annotations

from snapdp.ledger.ledger import Ledger
from snapdp.ledger.storage.sqlite import SqliteStorage

READ_BACK = ("journal_mode", "synchronous", "fullfsync", "checkpoint_fullfsync", "trusted_schema", "wal_autocheckpoint")


def settings_in_force(ledger: Ledger) -> dict[str, int | str]:
    """Return the settings of a ledger in a file as SQLite tells them within a writing transaction."""
    storage = ledger._storage
    assert isinstance(storage, SqliteStorage), "a server has no pragmas"
    return storage.settings(READ_BACK)
