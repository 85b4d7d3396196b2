"""The law of the noise: whether its scale depends on the data, and whether it buys the epsilon that is claimed.

Room: testing. Theory: docs/theory/replay-audit.md, (4), (6), (8) and (9).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from snapdp.display import four_digits
from snapdp.exact import exp_enclosure
from snapdp.testing.claims import Claims
from snapdp.testing.judges.attribution import KnownNoise, known_noise
from snapdp.testing.judges.movement import moved_at_least
from snapdp.testing.judges.numbers import MOST_COMPARED, NumberSeries
from snapdp.testing.replays import Replays
from snapdp.testing.violations import Violation
from snapdp.values import Value

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


class JudgedWidth(Value):
    """What is known of how wide the noise is: violations, notes of what was not judged, and whether anything was.

    known   paths of the numbers whose law is known to be Laplace's, and was judged
    """

    violations: tuple[Violation, ...] = ()
    known: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
    is_judged: bool = True


def judged_width(replays: Replays, numbers: Sequence[NumberSeries], claims: Claims) -> JudgedWidth:
    """Say whether the noise buys the claimed epsilon, number by number; what cannot be judged is told."""
    if claims.epsilon is None:
        return JudgedWidth(notes=("how wide the noise is was not judged: no epsilon is claimed",), is_judged=False)
    found = [*_chances(replays, claims.epsilon), *_of_no_width(replays)]
    has_choice = any(draw.chances for draw in replays.first[0].draws)
    moving = [each for each in numbers if each.varies]
    known = [(each, known_noise(each, replays)) for each in moving[:MOST_COMPARED]]
    notes = list(_unjudged(moving, known, claims))
    laplace: list[tuple[NumberSeries, KnownNoise]] = []
    for number, noise in known:
        if noise is None:
            continue
        if noise.law == "laplace":
            if noise.drawn not in [each.drawn for _, each in laplace]:  # noise that two share is told elsewhere
                laplace.append((number, noise))
        elif claims.delta is None:
            found += _without_delta(number, noise)
    complete = len(laplace) == len(moving)
    found += _laplace(replays, laplace, claims, claims.epsilon, complete=complete)
    if complete and laplace and not found:
        notes += _taken_for_granted(laplace, claims, claims.epsilon)
    is_judged = bool(laplace or found or has_choice)
    if not moving and not is_judged and any(run.draws for run in replays.all):
        notes.append("how wide the noise is was not judged: no released number varies with it")
    paths = frozenset(number.path for number, noise in known if noise is not None and noise.law == "laplace")
    return JudgedWidth(violations=tuple(found), known=paths, notes=tuple(notes), is_judged=is_judged)


def unjudged(path: str) -> str:
    """Return how a note begins that says that the width of a number's noise was not judged."""
    return f"how wide the noise of {path} is was not judged"


def _unjudged(
    moving: Sequence[NumberSeries], known: Sequence[tuple[NumberSeries, KnownNoise | None]], claims: Claims
) -> Iterator[str]:
    """Yield what is said of numbers whose noise is not judged."""
    for number, noise in known:
        if noise is None:
            yield (
                f"{unjudged(number.path)}: no draw with a known law explains it. It is "
                "made of random bits, of several draws, or by a formula"
            )
        elif noise.law != "laplace" and claims.delta is not None:
            kind = "Gaussian" if noise.law == "normal" else "bounded"
            yield f"{unjudged(number.path)}: it is {kind}, and a delta is claimed"
    if len(moving) > len(known):
        yield f"how wide the noise is was judged for {len(known)} of {len(moving):,} numbers only"


def _taken_for_granted(
    laplace: Sequence[tuple[NumberSeries, KnownNoise]], claims: Claims, epsilon: Fraction
) -> Iterator[str]:
    if claims.sensitivity is None:
        yield "without a sensitivity the width of the noise was judged by how far these two inputs are apart, alone"
    elif min(noise.scale for _, noise in laplace) < claims.sensitivity / epsilon * DIVISION:
        yield "the numbers have noise of several scales: it was judged by how far these two inputs are apart, alone"
    elif len(laplace) > 1:
        yield f"the claimed sensitivity is taken to be that of all {len(laplace)} released numbers together"


def _of_no_width(replays: Replays) -> Iterator[Violation]:
    """Yield noise of scale 0, where there is no other."""
    draws = [draw for draw in replays.first[0].draws if draw.kind != "bytes"]  # bytes seed a generator
    if draws and all(draw.kind in ("laplace", "normal") and not any(draw.scale) for draw in draws):
        yield Violation(kind="noise-too-small", sentence="the noise is drawn with a scale of 0", where=draws[0].where)


def _without_delta(number: NumberSeries, noise: KnownNoise) -> Iterator[Violation]:
    """Yield laws that no epsilon bounds: of Gaussian tails, and of noise that begins somewhere (theory (8))."""
    if noise.law == "normal":
        sentence = "the noise is Gaussian: no epsilon bounds its loss without a delta, and none is claimed"
        yield Violation(kind="noise-too-small", sentence=sentence, where=noise.where)
    elif all(low > 0 for low in (moved_at_least([number], i)[0][0] for i in range(len(number.first)))):
        sentence = f"the noise of {number.path} begins somewhere: beyond it, one of the two inputs gives no output"
        yield Violation(kind="noise-too-small", sentence=sentence, where=noise.where)


def _laplace(
    replays: Replays,
    known: Sequence[tuple[NumberSeries, KnownNoise]],
    claims: Claims,
    epsilon: Fraction,
    *,
    complete: bool,
) -> Iterator[Violation]:
    """Yield Laplace noise that is too narrow: by what is claimed, or by what these inputs lose (theory (9))."""
    if not known:
        return
    widest = max(known, key=lambda each: each[1].scale)[1]
    if complete and claims.sensitivity is not None and widest.scale < claims.sensitivity / epsilon * DIVISION:
        needed, shown = claims.sensitivity / epsilon, four_digits(widest.scale)
        yield Violation(
            kind="noise-too-small",
            sentence=f"Laplace noise of scale {shown} is drawn; sensitivity / epsilon is {four_digits(needed)}",
            where=widest.where,
            evidence=(("scale", shown), ("needed", str(needed))),
        )
        return
    numbers, scales = [number for number, _ in known], [noise.scale for _, noise in known]
    moved = (moved_at_least(numbers, replay)[0] for replay in range(replays.count))
    loss = max(sum((d / b for d, b in zip(each, scales, strict=True)), Fraction(0)) for each in moved)
    if loss * DIVISION > epsilon:
        yield Violation(
            kind="noise-too-small",
            sentence=f"these inputs lose at least {four_digits(loss)} together; claimed is {four_digits(epsilon)}",
            where=known[0][1].where,
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
