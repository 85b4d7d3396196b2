"""A gallery of attacks: break the usual way of doing it, then try the same on ours."""

from typing import TYPE_CHECKING

from snapdp.doors import door

if TYPE_CHECKING:
    from snapdp.attacks.attack import (
        FALSE_ALARM as FALSE_ALARM,
        Attack as Attack,
        AttackOutcome as AttackOutcome,
        Trials as Trials,
        counted as counted,
        loss_at_least as loss_at_least,
        measured as measured,
        probability_at_least as probability_at_least,
        probability_at_most as probability_at_most,
    )
    from snapdp.attacks.gallery import (
        OURS as OURS,
        TARGETS as TARGETS,
        AttackRow as AttackRow,
        attacked as attacked,
        attacks as attacks,
        pairs as pairs,
        rows as rows,
    )
    from snapdp.attacks.peers import INSTALLED_BY as INSTALLED_BY
    from snapdp.attacks.reachability import is_reachable as is_reachable
else:
    __getattr__, __dir__ = door(
        __name__,
        {
            "attack": (
                "Attack AttackOutcome FALSE_ALARM Trials counted loss_at_least measured probability_at_least "
                "probability_at_most"
            ),
            "gallery": "AttackRow OURS TARGETS attacked attacks pairs rows",
            "peers": "INSTALLED_BY",
            "reachability": "is_reachable",
        },
    )
