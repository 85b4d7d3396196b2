"""What `snapdp ledger` opens, amends and shows: the accounts of a ledger."""
