"""The law of the noise: whether its scale depends on the data, and whether it buys the epsilon that is claimed.

Room: testing. Theory: docs/theory/replay-audit.md, (4), (6), (8) and (9).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from snapdp.display import digits_apart
from snapdp.exact import exp_enclosure
from snapdp.testing.claims import Claims
from snapdp.testing.frozen.noise import NoiseDraw
from snapdp.testing.judges.attribution import Known, KnownNoise
from snapdp.testing.judges.movement import moved_at_least
from snapdp.testing.judges.numbers import MOST_COMPARED, NumberSeries
from snapdp.testing.replays import Replays
from snapdp.testing.violations import Violation
from snapdp.values import Value

# sensitivity / epsilon of doubles is rounded three times, each by at most 2^-53 of it
DIVISION = 1 - Fraction(1, 1 << 51)
# chances are quotients of sums of doubles; what is told apart by less is not told
CHANCES = 1 + Fraction(1, 1 << 30)


def changed_scales(replays: Replays, known: Known, claims: Claims) -> Iterator[Violation]:
    """Yield noise that is wider for the one input than for the other: by its parameters, or by what it did.

    A number is value + noise where a draw explains it, or where it is the only one and a sensitivity says so.
    """
    for one, other in _steady_draws(replays, lambda draw: draw.scale):
        if one.scale != other.scale:
            sentence = f"the scale of a {one.kind} draw differs for the two inputs"
            yield Violation(kind="noise-scale", sentence=sentence, where=one.where)
            return
    alone = claims.sensitivity is not None and len(known) == 1
    for each, noise in known:
        is_additive = noise is not None or (alone and len({*each.first, *each.second}) > 2)
        slope = common_slope(each) if is_additive else None
        if slope is not None and not any(slope[0] <= sign <= slope[1] for sign in (-1, 1)):
            ratio, _ = digits_apart(abs(slope[0] + slope[1]) / 2, Fraction(1))
            yield Violation(
                kind="noise-scale",
                sentence=f"the noise in {each.path} is {ratio} times as wide for the one input as for the other",
                evidence=(("ratio", ratio), ("replays", str(replays.count))),
            )
            return


def _steady_draws(replays: Replays, parameter: Callable[[NoiseDraw], object]) -> Iterator[tuple[NoiseDraw, NoiseDraw]]:
    """Yield draws of both inputs, place by place, whose parameter is the same in all runs of an input.

    One that varies comes from other noise, which is post-processing.
    """
    for place, (one, other) in enumerate(zip(replays.first[0].draws, replays.second[0].draws, strict=False)):
        sides = ((one, replays.first), (other, replays.second))
        if (one.kind, one.size) == (other.kind, other.size) and all(
            len(run.draws) > place and _asked(run.draws[place], parameter) == _asked(each, parameter)
            for each, runs in sides
            for run in runs
        ):
            yield one, other


def _asked(draw: NoiseDraw, parameter: Callable[[NoiseDraw], object]) -> tuple[object, ...]:
    return draw.kind, draw.size, parameter(draw)


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


def judged_width(replays: Replays, numbers: Known, claims: Claims) -> JudgedWidth:
    """Say whether the noise buys the claimed epsilon, number by number; what cannot be judged is told."""
    if claims.epsilon is None:
        return JudgedWidth(notes=("how wide the noise is was not judged: no epsilon is claimed",), is_judged=False)
    found = [*_chances(replays, claims.epsilon), *_of_no_width(replays)]
    has_choice = any(draw.chances for draw in replays.first[0].draws)
    moving = [each for each, _ in numbers if each.varies]
    known = [(each, noise) for each, noise in numbers if each.varies][:MOST_COMPARED]
    notes = list(_unjudged(moving, known, claims))
    laplace: list[tuple[NumberSeries, KnownNoise]] = []
    for number, noise in known:
        if noise is None:
            continue
        if noise.law == "laplace":
            if noise.drawn not in [each.drawn for _, each in laplace]:  # noise that two share is told elsewhere
                laplace.append((number, noise))
        elif claims.delta is None:
            alone = claims.sensitivity is not None and len(numbers) == 1
            found += _without_delta(number, noise, is_said_to_move=alone)
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
                "made of random bits, of several draws, by a formula, or the draws vary with other noise"
            )
        elif noise.law != "laplace" and claims.delta is not None:
            kind = "Gaussian" if noise.law == "normal" else "bounded"
            yield f"{unjudged(number.path)}: it is {kind}, and a delta is claimed"
        elif noise.law == "normal" and not any(_moved(number)):
            yield f"{unjudged(number.path)}: it is Gaussian, and these two inputs do not move the number"
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


def _moved(number: NumberSeries) -> list[bool]:
    """Say, pair by pair, whether the value moved."""
    return [moved_at_least([number], replay)[0] > 0 for replay in range(len(number.first))]


def _without_delta(number: NumberSeries, noise: KnownNoise, *, is_said_to_move: bool) -> Iterator[Violation]:
    """Yield laws that no epsilon bounds: of Gaussian tails, and of noise that begins somewhere (theory (8))."""
    if noise.law == "normal" and (is_said_to_move or (number.moves_steadily and any(_moved(number)))):
        sentence = "the noise is Gaussian: no epsilon bounds its loss without a delta, and none is claimed"
        yield Violation(kind="noise-too-small", sentence=sentence, where=noise.where)
    elif noise.law != "normal" and all(_moved(number)):
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
        needed = claims.sensitivity / epsilon
        shown, least = digits_apart(widest.scale, needed)
        yield Violation(
            kind="noise-too-small",
            sentence=f"Laplace noise of scale {shown} is drawn; sensitivity / epsilon is {least}",
            where=widest.where,
            evidence=(("scale", shown), ("needed", str(needed))),
        )
        return
    steady = [(number, noise) for number, noise in known if number.moves_steadily]
    numbers, scales = [number for number, _ in steady], [noise.scale for _, noise in steady]
    moved = (moved_at_least(numbers, replay) for replay in range(replays.count))
    loss = max(sum((d / b for d, b in zip(each, scales, strict=True)), Fraction(0)) for each in moved)
    if loss * DIVISION > epsilon:
        shown, claimed = digits_apart(loss, epsilon)
        yield Violation(
            kind="noise-too-small",
            sentence=f"these inputs lose at least {shown} together; claimed is {claimed}",
            where=known[0][1].where,
            evidence=(("loss", shown), ("claimed", str(epsilon))),
        )


def _chances(replays: Replays, epsilon: Fraction) -> Iterator[Violation]:
    """Yield choices whose probabilities differ by more than e^epsilon (theory (6))."""
    limit = exp_enclosure(epsilon, 64).upper * CHANCES
    for one, other in _steady_draws(replays, lambda draw: draw.chances):
        if len(one.chances) != len(other.chances):
            continue
        pairs = [(Fraction(p), Fraction(q)) for p, q in zip(one.chances, other.chances, strict=True)]
        if any(max(p, q) > limit * min(p, q) for p, q in pairs):
            sentence = "the probabilities of a choice differ by more than e^epsilon for the two inputs"
            yield Violation(kind="noise-too-small", sentence=sentence, where=one.where)
            return
