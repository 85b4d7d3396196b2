"""How far the released numbers move between the inputs, against what is claimed; and noise that two of them share.

Room: testing. Theory: docs/theory/replay-audit.md, (3)-(5).
With the same noise in both runs the outputs of value + noise differ as the values do. What rounding hides is taken off
before the distance is compared, so that no correct release is refuted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

from snapdp.display import four_digits, general
from snapdp.testing.claims import Claims
from snapdp.testing.judges.numbers import MOST_COMPARED, NumberSeries, overlap
from snapdp.testing.replays import Replays
from snapdp.testing.violations import Violation

# A label only: what exceeds the claim by less is called rounding, and refuted all the same.
ROUNDING = Fraction(1, 1 << 20)


def distance(found: Sequence[Fraction], norm: str) -> Fraction:
    """Return the length of a vector, squared for l2."""
    if norm == "l1":
        return sum(found, Fraction(0))
    return sum((each * each for each in found), Fraction(0)) if norm == "l2" else max(found, default=Fraction(0))


def moved_at_least(numbers: Sequence[NumberSeries], replay: int) -> tuple[list[Fraction], bool]:
    """Return what the values moved by at least in one replay, and whether they moved by more than that.

    Rounded to steps g, numbers d apart become less than d + g apart: d > moved - g (theory (3)). A float hides at most
    a unit in the last place.
    """
    found = []
    for each in numbers:
        moved = each.moved(replay)
        found.append(max(Fraction(0), moved - (each.step or each.hidden[replay])))
    strict = any(each.step and low for each, low in zip(numbers, found, strict=True))
    return found, strict


def too_far(replays: Replays, numbers: Sequence[NumberSeries], claims: Claims, *, scaled: bool) -> Iterator[Violation]:
    """Yield a movement beyond the claimed sensitivity.

    scaled   whether the noise itself differs: then only what every replay shows is movement of the value
    """
    if claims.sensitivity is None or not numbers:
        return
    claimed = claims.sensitivity**2 if claims.norm == "l2" else claims.sensitivity
    found = []
    for replay in range(replays.count):
        moved, strict = moved_at_least(numbers, replay)
        length = distance(moved, claims.norm)
        seen = distance([each.moved(replay) for each in numbers], claims.norm)
        found.append((length, length > claimed or (strict and length == claimed), seen))
    if not (all if scaled else any)(beyond for _, beyond, _ in found):
        return
    furthest, _, seen = (min if scaled else max)(found)
    small = furthest - claimed <= claimed * ROUNDING * (2 if claims.norm == "l2" else 1)
    shown = f"{float(seen) ** 0.5:.6g}" if claims.norm == "l2" else general(seen, 6)
    hair = ", and a hair" if small else ""
    steps = max(each.step for each in numbers)
    yield Violation(
        kind="rounding" if small and not steps else "sensitivity",
        sentence=f"with the same noise the released numbers move by {shown}{hair}; claimed is "
        f"{four_digits(claims.sensitivity)} ({claims.norm})",
        where=_first_draw(replays),
        evidence=(("moved", shown), ("claimed", str(claims.sensitivity)), ("numbers", str(len(numbers)))),
    )


def located_too_far(replays: Replays, claims: Claims) -> Iterator[Violation]:
    """Yield draws whose centre, the value itself, moves by more than is claimed."""
    if claims.sensitivity is None:
        return
    claimed = claims.sensitivity**2 if claims.norm == "l2" else claims.sensitivity
    for one, other in zip(replays.first[0].draws, replays.second[0].draws, strict=False):
        if one.kind != other.kind or len(one.location) != len(other.location) or not one.location:
            continue
        try:
            moved = [abs(Fraction(a) - Fraction(b)) for a, b in zip(one.location, other.location, strict=True)]
        except (ValueError, OverflowError, TypeError):  # NaN and infinities are told elsewhere
            continue
        if distance(moved, claims.norm) > claimed * (1 + ROUNDING):
            shown = four_digits(distance(moved, "l1"))
            yield Violation(
                kind="sensitivity",
                sentence=f"what the noise is drawn around moves by {shown}; claimed is "
                f"{four_digits(claims.sensitivity)} ({claims.norm})",
                where=one.where,
                evidence=(("moved", shown), ("claimed", str(claims.sensitivity))),
            )


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
