"""What the bits of released floats tell: NaN and infinities, the sign of zero, and values on no common grid.

Room: testing. Theory: docs/theory/replay-audit.md, (7).
A release whose outputs are all multiples of one step, which every output can be written with, tells nothing by its last
bits. The noise of the textbook, added in doubles, is on no such grid: small outputs have bits that large ones cannot
have, and those bits hang together with the value they were added to. A quotient of sound numbers is on no grid either:
only what is said to be value and noise, or comes with draws in doubles, is judged.
Source: Mironov 2012, section 4; Haney et al. 2022, section 3.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from snapdp.testing.claims import Claims
from snapdp.testing.judges.numbers import WHOLE_NUMBERS, away_from_ends, common_divisor, last_place, rounded_step
from snapdp.testing.leaves import Leaf
from snapdp.testing.replays import Replays
from snapdp.testing.violations import Violation
from snapdp.values import Value

# Doubles of one size are multiples of their last place anyway: a step is larger; noise happens to be a multiple of it
# with a chance of 1/2 a value. Shortest decimals end about there; every further power of ten has a chance of 1/10.
BINARY, DECIMAL = 2, 16
# draws of bits, of whole numbers, of what was there before, and of snapdp: what is added to them may be on a grid
KNOWN_ON_A_GRID = {"snapping", *WHOLE_NUMBERS}
ON_A_GRID = {*WHOLE_NUMBERS, "bytes", "snapping", "getrandbits", "randbytes", "random_integers", "tomaxint"}
ON_A_GRID |= {"choice", "choices", "sample", "shuffle", "permutation", "permuted", "multinomial", "negative_binomial"}
ON_A_GRID |= {"logseries", "multivariate_hypergeometric"}


class JudgedFloats(Value):
    """What was found in the floats of an output, and what could not be told of them."""

    violations: tuple[Violation, ...]
    notes: tuple[str, ...]


def float_faults(replays: Replays, claims: Claims) -> JudgedFloats:
    """Return what is wrong with the floats of the output."""
    paths = dict.fromkeys(path for run in replays.all for path, leaf in run.leaves.items() if leaf.sort == "number")
    found: list[Violation] = []
    notes: list[str] = []
    for path in paths:
        floats = [run.leaves[path] for run in replays.all if path in run.leaves]
        floats = [leaf for leaf in floats if isinstance(leaf.value, float)]
        odd = list(_odd_values(path, floats))
        found += odd
        if any(each.kind == "not-finite" for each in odd) or len({leaf.value for leaf in floats}) <= 2:
            continue
        if is_on_a_grid(floats):
            continue
        if not _is_value_and_noise(path, replays, claims):
            notes.append(
                f"{path} is on no common grid, as noise in doubles is, and as quotients, roots and logarithms of sound "
                "numbers are: which it is was not judged"
            )
        else:
            found.append(_off_grid(path, claims))
    return JudgedFloats(violations=tuple(found), notes=tuple(notes))


def _is_value_and_noise(path: str, replays: Replays, claims: Claims) -> bool:
    """Say whether a number is said to be a value and noise, or noise was drawn that is on no grid (theory (7)).

    A sensitivity is about all released numbers. Where all noise is known, and on a grid, one of several numbers that is
    on none is made of the others: a percentage beside its counts.
    """
    drawn = {draw.kind for run in replays.all for draw in run.draws}
    several = any(len(run.released) > 1 for run in replays.all)
    made_of_others = several and bool(drawn) and drawn <= KNOWN_ON_A_GRID
    said = claims.grid is not None or (claims.sensitivity is not None and not made_of_others)
    if said and any(path in run.released for run in replays.all):
        return True
    return not drawn <= ON_A_GRID


def _odd_values(path: str, floats: Sequence[Leaf]) -> Iterator[Violation]:
    """Yield NaN and infinities, or zeros with a sign."""
    odd = [leaf for leaf in floats if not math.isfinite(leaf.value)]
    if odd:
        word = "NaN" if any(math.isnan(leaf.value) for leaf in odd) else "infinite"
        sentence = f"{path} is {word} in {len(odd):,} of {len(floats):,} runs"
        yield Violation(kind="not-finite", sentence=sentence, evidence=(("runs", f"{len(odd)} of {len(floats)}"),))
        return
    minus = sum(leaf.value == 0 and math.copysign(1, leaf.value) < 0 for leaf in floats)
    if minus:
        sentence = f"{path} is -0.0 in {minus:,} of {len(floats):,} runs"
        yield Violation(kind="negative-zero", sentence=sentence, evidence=(("runs", f"{minus} of {len(floats)}"),))


def _off_grid(path: str, claims: Claims) -> Violation:
    if claims.grid:
        sentence = f"{path} is not always a multiple of the claimed grid, nor of any other"
    else:
        sentence = f"the values of {path} are multiples of no common step: they are noise in doubles"
    return Violation(kind="float-noise", sentence=sentence, evidence=(("path", path),))


def is_on_a_grid(leaves: Sequence[Leaf]) -> bool:
    """Say whether floats are a constant and multiples of one step that all can be written with (theory (7)).

    Multiples of a power of two, decimals of so many places, and steps such as 1/3, whose multiples are rounded; but
    for the ends, which a clamp may have put off the grid.
    """
    free = away_from_ends(leaves)
    if len({leaf.value for leaf in free}) <= 2:
        return True  # nothing is known of them
    place = max(last_place(leaf) for leaf in free)
    for read, least in ((float, BINARY), (repr, DECIMAL)):
        values = [Fraction(read(leaf.value)) for leaf in free]
        for origin in (Fraction(0), values[0]):
            if common_divisor([value - origin for value in values]) >= least * place:
                return True
    start, doubt = Fraction(free[0].value), last_place(free[0])
    if rounded_step([(Fraction(leaf.value), last_place(leaf)) for leaf in free]) is not None:
        return True
    return rounded_step([(Fraction(leaf.value) - start, last_place(leaf) + doubt) for leaf in free]) is not None
