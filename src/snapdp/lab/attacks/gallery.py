"""All attacks by name, and the rows of their table.

A new attack is a module with `ATTACKS`, and one word in `MODULES`. A peer that is not installed is a row
that says so; an attack that fails on a peer is a defect of the attack and is not hidden.
Theory: docs/theory/attacks.md, (4): how often chance alone refutes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from hashlib import sha256
from importlib import import_module
from typing import Literal

from snapdp.errors import ParameterError
from snapdp.exact.numbers import shown
from snapdp.lab.attacks.attack import Attack, AttackOutcome, Trials
from snapdp.values import Value, replaced

MODULES: tuple[str, ...] = (  # in the order of the table
    "reachability",
    "precision",
    "negative_zero",
    "returned_noise",
    "nan_output",
    "truncated_noise",
    "ties",
    "timing",
    "statistics",
    "mixed_precision",
)
OURS, TEXTBOOK = "snapdp", "numpy"
PEERS = ("diffprivlib", "opendp", "python-dp")
TARGETS = (TEXTBOOK, OURS, *PEERS)
Verdict = Literal["refuted", "not refuted", "absent"]


class AttackRow(Value):
    """One attack on one target; without an outcome the target is not installed."""

    attack: Attack
    target: str
    outcome: AttackOutcome | None

    @property
    def is_ours(self) -> bool:
        """Tell whether snapdp itself was attacked."""
        return self.target == OURS

    @property
    def claimed(self) -> Fraction | None:
        """Return what the target claims; of one that is not installed, what it would be asked for."""
        return self.attack.claimed if self.outcome is None else self.outcome.claimed

    @property
    def verdict(self) -> Verdict:
        """Return "refuted", "not refuted", or "absent" where the target is not installed."""
        if self.outcome is None:
            return "absent"
        return "refuted" if self.outcome.is_refuted else "not refuted"


def attacks() -> dict[str, Attack]:
    """Return all attacks by name, in the order of the table."""
    every = (attack for module in MODULES for attack in import_module(f"snapdp.lab.attacks.{module}").ATTACKS)
    return {attack.name: attack for attack in every}


def pairs(names: Iterable[str] = (), targets: Iterable[str] = ()) -> list[tuple[Attack, str]]:
    """Return the attacks and targets that are asked for by name, all where nothing is; refuse names that are none."""
    known = attacks()
    wanted, against = tuple(names) or tuple(known), tuple(targets) or TARGETS
    _known(wanted, tuple(known), "attack")
    _known(against, TARGETS, "target")
    chosen = [target for target in TARGETS if target in against]
    return [(known[name], target) for name in wanted for target in chosen if target in known[name].against]


def rows(asked: Iterable[tuple[Attack, str]], *, seed: int, trials: int | None = None) -> Iterator[AttackRow]:
    """Run attacks one after the other; each row is handed out when it is known, and draws from a seed of its own."""
    for attack, target in asked:
        count = trials or attack.trials_of(target)
        yield attacked(attack, target, Trials(count=count, seed=_seed_of_row(seed, attack.name, target)))


def attacked(attack: Attack, target: str, trials: Trials) -> AttackRow:
    """Run one attack; a peer that cannot be imported is absent.

    What a sample refutes is tried again on fresh draws, and the smaller bound counts: theory (4). A release that keeps
    its claim is refuted by both at most once in a million runs of the row.
    """
    run = attack.against[target]
    try:
        outcome = run(trials)
        if outcome.is_refuted and outcome.counts is not None:
            again = run(replaced(trials, seed=trials.seed + 1))
            outcome = min(outcome, again, key=lambda each: each.lower_bound - each.claimed)
    except ImportError:
        if target not in PEERS:
            raise
        return AttackRow(attack=attack, target=target, outcome=None)
    return AttackRow(attack=attack, target=target, outcome=outcome)


def _seed_of_row(seed: int, name: str, target: str) -> int:
    """Return the seed of one row: no two rows share their noise, and a row has the same alone and among others."""
    return int.from_bytes(sha256(f"{seed} {name} {target}".encode()).digest())


def _known(given: tuple[str, ...], known: tuple[str, ...], what: str) -> None:
    for name in given:
        if name not in known:
            raise ParameterError(f"there is no {what} {shown(name)}.", f"It may be: {', '.join(known)}.")
