"""The law of the noise: whether its scale depends on the data, and whether it buys the epsilon that is claimed.

Room: testing. Theory: docs/theory/replay-audit.md, (4) and (6).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from snapdp.display import exact_float, four_digits
from snapdp.exact import exp_enclosure
from snapdp.testing.claims import Claims
from snapdp.testing.judges.movement import moved_at_least
from snapdp.testing.judges.numbers import NumberSeries
from snapdp.testing.noise import NoiseDraw
from snapdp.testing.replays import Replays
from snapdp.testing.violations import Violation

# sensitivity / epsilon of doubles is rounded three times, each by at most 2^-53 of it
DIVISION = 1 - Fraction(1, 1 << 51)
# chances are quotients of sums of doubles; what is told apart by less is not told
CHANCES = 1 + Fraction(1, 1 << 30)


def changed_scales(replays: Replays, numbers: Sequence[NumberSeries]) -> Iterator[Violation]:
    """Yield noise that is wider for the one input than for the other: by its parameters, or by what it did."""
    for one, other in zip(replays.first[0].draws, replays.second[0].draws, strict=False):
        if one.kind == other.kind and one.size == other.size and one.scale != other.scale:
            sentence = f"the scale of a {one.kind} draw differs for the two inputs"
            yield Violation(kind="noise-scale", sentence=sentence, where=one.where)
            return
    for each in numbers:
        slope = common_slope(each)
        if slope is not None and not slope[0] <= 1 <= slope[1]:
            ratio = four_digits((slope[0] + slope[1]) / 2)
            yield Violation(
                kind="noise-scale",
                sentence=f"the noise in {each.path} is {ratio} times as wide for the one input as for the other",
                evidence=(("ratio", ratio), ("replays", str(replays.count))),
            )
            return


def common_slope(number: NumberSeries) -> tuple[Fraction, Fraction] | None:
    """Return the bounds of the one ratio of noises that explains all replays, or None where none does (theory (4))."""
    lowest = min(range(len(number.first)), key=lambda i: number.first[i])
    lower, upper, seen = Fraction(-1 << 60), Fraction(1 << 60), 0
    for i, (one, other) in enumerate(zip(number.first, number.second, strict=True)):
        hidden = (number.step or number.hidden[i]) + (number.step or number.hidden[lowest])
        run, rise = one - number.first[lowest], other - number.second[lowest]
        if run <= 2 * hidden:
            continue
        ends = [(rise + a) / (run + b) for a in (-hidden, hidden) for b in (-hidden, hidden)]
        lower, upper, seen = max(lower, min(ends)), min(upper, max(ends)), seen + 1
    return (lower, upper) if seen > 2 and lower <= upper else None


def too_small(replays: Replays, numbers: Sequence[NumberSeries], claims: Claims) -> Iterator[Violation]:
    """Yield noise that does not buy the claimed epsilon."""
    if claims.epsilon is None:
        return
    draws = [draw for draw in replays.first[0].draws if draw.kind != "bytes"]  # bytes seed a generator
    yield from _chances(replays, claims.epsilon)
    kinds = {draw.kind for draw in draws}
    if sum(draw.size for draw in draws) not in (len(numbers), len(replays.first[0].released)) or len(kinds) != 1:
        return  # which noise went where is not known
    if "normal" in kinds and claims.delta is None:
        sentence = "the noise is Gaussian: no epsilon bounds its loss without a delta, and none is claimed"
        yield Violation(kind="noise-too-small", sentence=sentence, where=draws[0].where)
    if "laplace" in kinds:
        yield from _laplace(replays, draws, numbers, claims, claims.epsilon)


def _laplace(
    replays: Replays, draws: Sequence[NoiseDraw], numbers: Sequence[NumberSeries], claims: Claims, epsilon: Fraction
) -> Iterator[Violation]:
    scales = [Fraction(scale) for draw in draws for scale in draw.scale]
    if claims.sensitivity is not None and min(scales) < claims.sensitivity / epsilon * DIVISION:
        needed = claims.sensitivity / epsilon
        yield Violation(
            kind="noise-too-small",
            sentence=f"Laplace noise of scale {exact_float(min(scales))} is drawn; sensitivity / epsilon is "
            f"{four_digits(needed)}",
            where=next(draw.where for draw in draws if min(scales) in map(Fraction, draw.scale)),
            evidence=(("scale", exact_float(min(scales))), ("needed", str(needed))),
        )
    elif claims.norm == "l1" and max(scales) > 0:
        moved = max(sum(moved_at_least(numbers, replay)[0], Fraction(0)) for replay in range(replays.count))
        loss = moved / max(scales)
        if loss * DIVISION > epsilon:
            yield Violation(
                kind="noise-too-small",
                sentence=f"these inputs lose at least {four_digits(loss)} together; claimed is {four_digits(epsilon)}",
                where=draws[0].where,
                evidence=(("loss", four_digits(loss)), ("claimed", str(epsilon))),
            )


def _chances(replays: Replays, epsilon: Fraction) -> Iterator[Violation]:
    """Yield choices whose probabilities differ by more than e^epsilon (theory (6))."""
    limit = exp_enclosure(epsilon, 64).upper * CHANCES
    for one, other in zip(replays.first[0].draws, replays.second[0].draws, strict=False):
        if len(one.chances) != len(other.chances):
            continue
        pairs = [(Fraction(p), Fraction(q)) for p, q in zip(one.chances, other.chances, strict=True)]
        if any(max(p, q) > limit * min(p, q) for p, q in pairs):
            sentence = "the probabilities of a choice differ by more than e^epsilon for the two inputs"
            yield Violation(kind="noise-too-small", sentence=sentence, where=one.where)
            return
