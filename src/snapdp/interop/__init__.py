"""Bridges to tools that people use already: OpenDP, dp-accounting, the registry of deployments. None of them is needed.

`snapdp.interop.opendp` makes a measurement of a mechanism, `snapdp.interop.dp_accounting` makes events of what a ledger
was charged, `snapdp.interop.registry` makes a sheet of a record. What weaker measures say of many releases is shown
beside the sum of their epsilons, in integers and rounded up, and never charged.
"""

from typing import TYPE_CHECKING

from snapdp.doors import door

if TYPE_CHECKING:
    from snapdp.interop.composition import Composed as Composed, Spend as Spend, composed as composed, spend as spend
    from snapdp.interop.dp_accounting import (
        accountant as accountant,
        delta_by_package as delta_by_package,
        epsilon_by_package as epsilon_by_package,
        event as event,
        event_values as event_values,
        has_events as has_events,
        record_spends as record_spends,
        spends_of as spends_of,
    )
    from snapdp.interop.opendp import (
        measurement as measurement,
        privacy_map as privacy_map,
        vector_measurement as vector_measurement,
    )
    from snapdp.interop.registry import sheet as sheet, sheet_values as sheet_values
else:
    __getattr__, __dir__ = door(
        __name__,
        {
            "composition": "Composed Spend composed spend",
            "dp_accounting": (
                "accountant delta_by_package epsilon_by_package event event_values has_events record_spends spends_of"
            ),
            "opendp": "measurement privacy_map vector_measurement",
            "registry": "sheet sheet_values",
        },
    )
