"""Which draw is the noise of which released number: found by what the number did when the draw did something.

Room: testing. Theory: docs/theory/replay-audit.md, (8).
A number that is value + c times a draw moves by c when the draw moves by one, in every replay. Where one c explains all
replays, the draw is the noise of the number, and its law is known. Outputs that stand at an end, where they were
clamped, are left out. A number that no draw explains is made of bits, of several draws, or by a formula: its noise is
not judged, and the report says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

from snapdp.exact import ln_enclosure
from snapdp.testing.frozen.noise import NoiseDraw
from snapdp.testing.judges.numbers import MOST_COMPARED, WHOLE_NUMBERS, NumberSeries, ends_of
from snapdp.testing.replays import Replays
from snapdp.values import Value, replaced

FEWEST_FREE = 3  # outputs that stand at no end
MOST_DRAWS = 60  # of one run, each of which is tried
TWO_SIDED = {"geometric", "exponential", "exponential-rate"}  # the difference of two of them has a known scale
# law of one draw that begins somewhere: an output below it can come from one input only
ENDED = {"random", "uniform", "integers", "randint", "randrange", "binomial", "poisson", "gamma", "rayleigh"}
ENDED |= TWO_SIDED | {"lognormal"}
_BITS = 64
_ROUNDING = Fraction(1, 1 << 52)  # of 1 - exp(-x) in doubles, at most


class KnownNoise(Value):
    """The noise of one released number.

    law     "laplace", "normal", or "ended" where its outputs begin somewhere
    scale   of the noise in the number, no less than it is; 0 where the law has none
    drawn   which draws of a run it is, and which of their values
    whole   whether the noise is whole, and the number is value + c times it exactly: nothing is rounded after it
    """

    law: str
    scale: Fraction
    where: str
    drawn: tuple[tuple[int, int], ...]
    whole: bool = False


Known = Sequence[tuple[NumberSeries, KnownNoise | None]]


def attributed(numbers: Sequence[NumberSeries], replays: Replays) -> list[tuple[NumberSeries, KnownNoise | None]]:
    """Return numbers and their noise, where it is known; of many numbers, the noise of those that move most.

    What has whole noise, and is not rounded after it, has no step that hides anything.
    """
    moving = [each for each in numbers if each.varies]
    if len(moving) > MOST_COMPARED:
        furthest = sorted(moving, key=lambda each: max(map(each.moved, range(replays.count))), reverse=True)
        moving = furthest[:MOST_COMPARED]
    tried = {each.path for each in moving}
    found: list[tuple[NumberSeries, KnownNoise | None]] = []
    for each in numbers:
        noise = known_noise(each, replays) if each.path in tried else None
        is_whole = noise is not None and noise.whole
        found.append((replaced(each, step=Fraction(0)) if is_whole else each, noise))
    return found


def known_noise(number: NumberSeries, replays: Replays) -> KnownNoise | None:
    """Return the noise that explains a number in all replays of the first input, or None."""
    runs = [run.draws for run in replays.first]
    if len({tuple((draw.kind, len(draw.values)) for draw in draws) for draws in runs}) != 1:
        return None
    tried = [(law, places, _all_drawn(runs, places)) for law, places in _candidates(runs[0])]
    roundings = [number.hidden, *([[number.step] * len(runs)] if number.step else [])]
    for hidden, (law, places, values) in product(roundings, tried):  # what explains it without a step comes first
        slope = None if values is None else _explained(values, number.first, hidden)
        if slope is None:
            continue
        if len({tuple(draws[place].scale for place, _ in places) for draws in runs}) != 1:
            return None  # the scale comes from other noise
        draws = [runs[0][place] for place, _ in places]
        scale = _scale(law, draws, [at for _, at in places])
        whole = all(draw.kind in WHOLE_NUMBERS for draw in draws) and _is_exact(number, replays, places)
        return KnownNoise(law=law, scale=scale * slope, where=draws[0].where, drawn=places, whole=whole)
    return None


def _is_exact(number: NumberSeries, replays: Replays, places: tuple[tuple[int, int], ...]) -> bool:
    """Say whether the outputs of both inputs, but those at an end, are value + c times the draws without a doubt."""
    slopes = set()
    for runs, outputs in ((replays.first, number.first), (replays.second, number.second)):
        drawn = _all_drawn([run.draws for run in runs], places)
        slopes.add(drawn and _explained(drawn, outputs, [Fraction(0)] * len(outputs)))
    return len(slopes) == 1 and None not in slopes


def _all_drawn(runs: Sequence[Sequence[NoiseDraw]], places: tuple[tuple[int, int], ...]) -> list[Fraction] | None:
    """Return what was drawn in all runs, or None where one of them has no such number."""
    found = []
    for draws in runs:
        value = _drawn(draws, places)
        if value is None:
            return None
        found.append(value)
    return found


def _candidates(draws: Sequence[NoiseDraw]) -> Iterator[tuple[str, tuple[tuple[int, int], ...]]]:
    """Yield laws, and the places of the one draw, or of the two whose difference has it."""
    places = [(i, at) for i, draw in enumerate(draws) for at in range(len(draw.values))][:MOST_DRAWS]
    for i, at in places:
        kind = draws[i].kind
        if kind in ("snapping", "laplace", "normal"):
            yield "normal" if kind == "normal" else "laplace", ((i, at),)
        elif kind in ENDED:
            yield "ended", ((i, at),)
    for i, at in places:
        if draws[i].kind in TWO_SIDED:
            for other, there in places:
                if other > i and draws[other].kind == draws[i].kind and (there == at or draws[other].size == 1):
                    yield "laplace", ((i, at), (other, there))


def _drawn(draws: Sequence[NoiseDraw], places: tuple[tuple[int, int], ...]) -> Fraction | None:
    try:
        found = [Fraction(draws[place].values[at]) for place, at in places]
    except (TypeError, ValueError, OverflowError, IndexError):  # no real number, or no such draw
        return None
    return found[0] - sum(found[1:])


def _explained(drawn: Sequence[Fraction], outputs: Sequence[Fraction], hidden: Sequence[Fraction]) -> Fraction | None:
    """Return the largest |c| of value + c times the draws that explains all outputs at no end, or None (theory (8))."""
    ends = ends_of(outputs)
    free = [i for i, output in enumerate(outputs) if output not in ends]
    if len(free) < FEWEST_FREE:
        return None
    lowest = min(free, key=lambda i: drawn[i])
    lower, upper, seen = None, None, 0
    for i in free:
        run, rise = drawn[i] - drawn[lowest], outputs[i] - outputs[lowest]
        doubt = hidden[i] + hidden[lowest]
        if not run:
            if abs(rise) > doubt:
                return None
            continue
        low, high = (rise - doubt) / run, (rise + doubt) / run
        lower, upper = low if lower is None else max(lower, low), high if upper is None else min(upper, high)
        if lower > upper:
            return None
        seen += 1
    if lower is None or upper is None or seen < FEWEST_FREE - 1 or lower <= 0 <= upper:
        return None
    return max(abs(lower), abs(upper))


def _scale(law: str, draws: Sequence[NoiseDraw], places: Sequence[int]) -> Fraction:
    """Return the scale of a Laplace law, continuous or on whole numbers, rounded up; 0 where the law has none."""
    if law != "laplace":
        return Fraction(0)
    found = []
    for draw, at in zip(draws, places, strict=True):
        given = Fraction(draw.scale[at if len(draw.scale) > 1 else 0])
        if draw.kind == "geometric":  # P(k) = (1 - p)^(k-1) p: it falls by 1 - p a step
            rest = min(1 - given + _ROUNDING, 1 - _ROUNDING)
            found.append(1 / -ln_enclosure(rest, _BITS).upper)
        else:
            found.append(1 / given if draw.kind == "exponential-rate" else given)
    return min(found)
