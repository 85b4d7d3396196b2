"""Bridges to tools that people use already: OpenDP, dp-accounting, the registry of deployments. None of them is needed.

`snapdp.interop.opendp` makes a measurement of a mechanism, `snapdp.interop.dp_accounting` makes events of what a ledger
was charged, `snapdp.interop.registry` makes a sheet of a record. What weaker measures say of many releases is shown
beside the sum of their epsilons, in integers and rounded up, and never charged.
"""
