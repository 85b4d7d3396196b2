"""What the bits of released floats tell: NaN and infinities, the sign of zero, and values on no common grid.

Room: testing. Theory: docs/theory/replay-audit.md, (7).
A release whose outputs are all multiples of one step, which every output can be written with, tells nothing by its last
bits. The noise of the textbook, added in doubles, is on no such grid: small outputs have bits that large ones cannot
have, and those bits hang together with the value they were added to.
Source: Mironov 2012, section 4; Haney et al. 2022, section 3.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from snapdp.testing.claims import Claims
from snapdp.testing.judges.numbers import common_divisor, is_finite, last_place
from snapdp.testing.leaves import Leaf
from snapdp.testing.replays import Replays
from snapdp.testing.violations import Violation

# Doubles of one size are multiples of their last place anyway: a step is larger; noise happens to be a multiple of it
# with a chance of 1/2 a value. Shortest decimals end about there; every further power of ten has a chance of 1/10.
BINARY, DECIMAL = 2, 16


def float_faults(replays: Replays, claims: Claims) -> Iterator[Violation]:
    """Yield what is wrong with the floats of the output."""
    paths = dict.fromkeys(path for run in replays.all for path, leaf in run.leaves.items() if leaf.sort == "number")
    for path in paths:
        leaves = [run.leaves[path] for run in replays.all if path in run.leaves]
        yield from _of_one_number(path, leaves, claims)


def _of_one_number(path: str, leaves: Sequence[Leaf], claims: Claims) -> Iterator[Violation]:
    floats = [leaf for leaf in leaves if isinstance(leaf.value, float)]
    odd = [leaf for leaf in floats if not math.isfinite(leaf.value)]
    if odd:
        word = "NaN" if any(math.isnan(leaf.value) for leaf in odd) else "infinite"
        sentence = f"{path} is {word} in {len(odd):,} of {len(leaves):,} runs"
        yield Violation(kind="not-finite", sentence=sentence, evidence=(("runs", f"{len(odd)} of {len(leaves)}"),))
        return
    minus = sum(leaf.value == 0 and math.copysign(1, leaf.value) < 0 for leaf in floats)
    if minus:
        sentence = f"{path} is -0.0 in {minus:,} of {len(leaves):,} runs"
        yield Violation(kind="negative-zero", sentence=sentence, evidence=(("runs", f"{minus} of {len(leaves)}"),))
    if len({leaf.value for leaf in floats}) > 2 and not is_on_a_grid([leaf for leaf in floats if is_finite(leaf)]):
        if claims.grid:
            sentence = f"{path} is not always a multiple of the claimed grid, nor of any other"
        else:
            sentence = f"the values of {path} are multiples of no common step: they are noise in doubles"
        yield Violation(kind="float-noise", sentence=sentence, evidence=(("path", path),))


def is_on_a_grid(leaves: Sequence[Leaf]) -> bool:
    """Say whether floats are multiples of one step that all of them can be written with (theory (7)).

    Multiples of a power of two, decimals of so many places, and steps such as 1/3, whose multiples are rounded.
    """
    place = max(last_place(leaf) for leaf in leaves)
    if common_divisor([Fraction(leaf.value) for leaf in leaves]) >= BINARY * place:
        return True
    if common_divisor([Fraction(repr(leaf.value)) for leaf in leaves]) >= DECIMAL * place:
        return True
    return rounded_step([(Fraction(leaf.value), last_place(leaf)) for leaf in leaves]) is not None


def rounded_step(values: Sequence[tuple[Fraction, Fraction]]) -> Fraction | None:
    """Return a step of which all values are multiples but for their errors, or None: Euclid's algorithm with errors.

    Every remainder carries its error; where the error is a quarter of what is divided by, nothing is known.
    """
    step, error = Fraction(0), Fraction(0)
    for value, uncertain in values:
        a, b = (abs(value), uncertain), (step, error)
        while b[0]:
            if 4 * b[1] >= b[0]:
                return None
            times = round(a[0] / b[0])
            rest, doubt = abs(a[0] - times * b[0]), a[1] + times * b[1]
            a, b = b, ((rest, doubt) if rest > doubt else (Fraction(0), doubt))
            if not b[0] and 4 * doubt >= a[0]:
                return None
        step, error = a
    return step
