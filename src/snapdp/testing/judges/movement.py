"""How far the released numbers move between the inputs, against what is claimed; and noise that two of them share.

Room: testing. Theory: docs/theory/replay-audit.md, (3)-(5).
With the same noise in both runs the outputs of value + noise differ as the values do. What rounding hides is taken off
before the distance is compared, so that no correct release is refuted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

from snapdp.display import digits_apart
from snapdp.testing.claims import Claims
from snapdp.testing.judges.attribution import Known
from snapdp.testing.judges.numbers import MOST_COMPARED, NumberSeries, overlap
from snapdp.testing.replays import Replays
from snapdp.testing.violations import Violation
from snapdp.values import Value

# A label only: what exceeds the claim by less is called rounding, and refuted all the same.
ROUNDING = Fraction(1, 1 << 20)


def distance(found: Sequence[Fraction], norm: str) -> Fraction:
    """Return the length of a vector, squared for l2."""
    if norm == "l1":
        return sum(found, Fraction(0))
    return sum((each * each for each in found), Fraction(0)) if norm == "l2" else max(found, default=Fraction(0))


def moved_at_least(numbers: Sequence[NumberSeries], replay: int) -> list[Fraction]:
    """Return what the values moved by at least in one replay.

    Rounded to steps g, numbers d apart become at most d + g apart: d >= moved - g (theory (3)). A float hides at most
    a unit in the last place.
    """
    return [max(Fraction(0), each.moved(replay) - (each.step or each.hidden[replay])) for each in numbers]


class JudgedMovement(Value):
    """What was found of how far the released numbers move, and what was not judged."""

    violations: tuple[Violation, ...] = ()
    notes: tuple[str, ...] = ()


def too_far(replays: Replays, known: Known, claims: Claims, *, scaled: bool) -> JudgedMovement:
    """Return a movement beyond the claimed sensitivity.

    scaled   whether the noise itself differs: then only what every replay shows is movement of the value
    """
    numbers = [number for number, _ in known]
    if claims.sensitivity is None or not numbers:
        return JudgedMovement()
    groups = [[each] for each in numbers] if scaled else with_own_noise(known)
    found = _beyond(replays, groups, claims, scaled=scaled)
    if found is not None:
        return JudgedMovement(violations=(found,))
    if not scaled and _beyond(replays, [[each] for each in numbers], claims, scaled=False) is not None:
        return JudgedMovement(notes=(_LEFT_OUT,))
    return JudgedMovement()


_LEFT_OUT = (
    "whether all released numbers together move by more than is claimed was not judged: some have no draw of their "
    "own, and may be made of the others. Name those that the sensitivity is about by released="
)


def with_own_noise(known: Known) -> list[list[NumberSeries]]:
    """Return numbers by the draw that is their noise: what is made of others adds no movement (theory (3)).

    Where no draw explains any of them, one may be what all others are made of: they stand together.
    """
    groups: dict[object, list[NumberSeries]] = {}
    for number, noise in known:
        if noise is not None:
            groups.setdefault(noise.drawn, []).append(number)
    found = list(groups.values()) or [[number for number, _ in known if number.varies]]
    steady = [[each for each in group if each.moves_steadily] for group in found]
    return [group for group in steady if group]


def _beyond(
    replays: Replays, groups: Sequence[Sequence[NumberSeries]], claims: Claims, *, scaled: bool
) -> Violation | None:
    """Return that one number of each group, the one that moves least, moves too far together with the others."""
    assert claims.sensitivity is not None
    if not groups:
        return None
    claimed = claims.sensitivity**2 if claims.norm == "l2" else claims.sensitivity
    found = []
    for replay in range(replays.count):
        least = [min(group, key=lambda each: moved_at_least([each], replay)) for group in groups]
        length = distance(moved_at_least(least, replay), claims.norm)
        seen = distance([each.moved(replay) for each in least], claims.norm)
        found.append((length, length > claimed, seen))
    if not (all if scaled else any)(beyond for _, beyond, _ in found):
        return None
    furthest, _, seen = (min if scaled else max)(found)
    small = furthest - claimed <= claimed * ROUNDING * (2 if claims.norm == "l2" else 1)
    shown, claim = digits_apart(_root(seen) if claims.norm == "l2" else seen, claims.sensitivity)
    steps = max(each.step for group in groups for each in group)
    return Violation(
        kind="rounding" if small and not steps else "sensitivity",
        sentence=f"with the same noise the released numbers move by {shown}; claimed is {claim} ({claims.norm})",
        where=_first_draw(replays),
        evidence=(("moved", shown), ("claimed", str(claims.sensitivity)), ("numbers", str(len(groups)))),
    )


def _root(square: Fraction) -> Fraction:
    """Return the root, off by less than 2^-128; to be shown."""
    return Fraction(math.isqrt((square.numerator << 256) // square.denominator), 1 << 128)


def shared_noise(numbers: Sequence[NumberSeries]) -> Iterator[Violation]:
    """Yield pairs of numbers whose difference, or sum, has no noise and tells the inputs apart (theory (5)).

    In doubles only, where two draws are not equal by chance and any few replays show it; on a step: `cancelling`.
    """
    moving = [each for each in numbers if each.varies and not each.is_coarse][:MOST_COMPARED]
    for one, other in combinations(moving, 2):
        for sign, word in ((-1, "difference"), (1, "sum")):
            hidden = [a + b for a, b in zip(one.hidden, other.hidden, strict=True)]
            sides = [
                overlap([a + sign * b for a, b in zip(x, y, strict=True)], hidden)
                for x, y in ((one.first, other.first), (one.second, other.second))
            ]
            if sides[0] and sides[1] and (sides[0][1] < sides[1][0] or sides[1][1] < sides[0][0]):
                sentence = f"the {word} of {one.path} and {other.path} has no noise, and differs for the two inputs"
                yield Violation(kind="shared-noise", sentence=sentence)


def _first_draw(replays: Replays) -> str:
    return next((draw.where for draw in replays.first[0].draws), "")
