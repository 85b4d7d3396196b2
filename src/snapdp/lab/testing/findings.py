"""What replays with the same noise show: conduct, what tells the two inputs apart, the bits and moves of numbers.

Theory: docs/theory/replay-audit.md. Each function yields what it found and refutes only what is
(almost) impossible under the claim. What varies with the noise is not judged here: `counting` counts it.
Source: Mironov 2012, section 4, and Haney et al. 2022, section 3, on noise in doubles; Cebere et al. 2026.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import zip_longest
from operator import add, sub
from typing import Any, NamedTuple

from snapdp.display.numbers import digits_apart
from snapdp.lab.testing.observation import Leaf, Observation
from snapdp.values import Value

KINDS = {
    "draws": "another number or kind of draws: draw as often for every input",
    "exception": "an exception, or its text, depends on the data: check the form before, and clamp instead of refusing",
    "fixed-seed": "every call draws the same noise: anyone who knows the seed takes it away; draw fresh bits",
    "float-noise": "last bits, or the sign of a zero, tell the input: use snapdp.Snapping, or ignore= a time",
    "metadata": "something beside the released numbers depends on the data: declare it, or give it noise of its own",
    "no-noise": "a number is released as it is: add noise",
    "not-finite": "a NaN or an infinity is released: say what a missing value counts as, and clamp",
    "rounding": "roundings add to the claimed sensitivity: compute the statistic in integers, or claim more",
    "sensitivity": "numbers move by more than is claimed: clamp each cell, claim more, or say which by released=",
    "state": "the answer depends on calls before, or on the clock: keep nothing; a time in the output is for ignore=",
    "unaudited": "nothing was audited: call it once yourself. It takes one argument, and returns what it releases",
    "unknown-noise": "noise comes from a generator, or a thread, that cannot be frozen: use snapdp.lab.testing.counted",
    "warning": "a warning, or its text, depends on the data: check the form before",
    "written": "what is printed or logged depends on the data: print released numbers only",
}
SOURCES = {  # the kind of what differs beside the output, and what it is
    "stdout": ("written", "what is printed"),
    "stderr": ("written", "what is printed to stderr"),
    "log": ("written", "what is logged"),
    "warning": ("warning", "a warning"),
    "exception": ("exception", "the text of an exception"),
}
# Draws whose sum with a value may lie on a grid. Doubles of one size are multiples of their last place anyway: a step
# is larger; shortest decimals end at about 16 units of it.
ON_A_GRID = {"snapping", "bytes", "getrandbits", "randbytes", "random_integers", "tomaxint", "choice", "choices"}
ON_A_GRID |= {"geometric", "integers", "randint", "randrange", "poisson", "binomial", "zipf", "hypergeometric"}
ON_A_GRID |= {"sample", "shuffle", "permutation", "permuted", "multinomial", "negative_binomial", "logseries"}
ON_A_GRID |= {"multivariate_hypergeometric"}
BINARY, DECIMAL = 2, 16
MOST_COMPARED = 30  # numbers, of which those that repeat another one are looked for
ROUNDING = Fraction(1, 1 << 20)  # only a label: what exceeds the claim by less is called rounding, and refuted as well


class Violation(NamedTuple):
    """One way in which a release told its two inputs apart, or broke what is claimed of it.

    kind       one of `snapdp.lab.testing.KINDS`
    sentence   what was seen
    where      the file and line that did it, as far as known: "release.py:12"
    """

    kind: str
    sentence: str
    where: str = ""

    @property
    def advice(self) -> str:
        """What this kind means, and what to do."""
        return KINDS[self.kind]


class Replays(Value):
    """What was seen: `first` and `second` are the runs of the two inputs, pair by pair; `again` repeats the first run.

    needed   how many pairs tell what differs from chance at the claimed epsilon; 1 where none is claimed
    cold     the very first run, before anything was imported or kept
    warmed   whether it imported something, or made a generator and kept it: then it may differ from the others
    """

    first: tuple[Observation, ...]
    second: tuple[Observation, ...]
    again: Observation
    cold: Observation
    warmed: bool
    needed: int

    @functools.cached_property
    def count(self) -> int:
        """How many pairs of runs there are."""
        return len(self.first)

    @functools.cached_property
    def all(self) -> tuple[Observation, ...]:
        """Every run of a pair."""
        return self.first + self.second

    @functools.cached_property
    def have_drawn(self) -> bool:
        """Whether any noise was drawn."""
        return any(run.draws for run in self.all)

    @functools.cached_property
    def failed(self) -> list[Observation]:
        """The runs of a pair that gave no answer."""
        return [run for run in self.all if not run.has_returned]

    @functools.cached_property
    def series(self) -> dict[str, tuple[Any, Any]]:
        """What each path showed, run by run, for both inputs; None where it was not there."""
        series = {}
        for path in dict.fromkeys(path for run in self.all for path in run.leaves):
            leaves = [run.leaves.get(path) for run in self.all]
            looks = tuple(leaf and leaf.looks for leaf in leaves)
            series[path] = looks[: self.count], looks[self.count :]
        return series

    def separates(self, read: Callable[[Observation], Any]) -> bool:
        """Say whether a field of the runs tells the inputs apart in every replay."""
        return is_separated(list(map(read, self.first)), list(map(read, self.second)))


def is_separated(first: Sequence[Any], second: Sequence[Any]) -> bool:
    """Say whether all of the one are one thing, and all of the other another: theory (1)."""
    return len({*first}) == len({*second}) == 1 and first[0] != second[0]


# Conduct, whatever the numbers are


def find_misconduct(replays: Replays) -> Iterator[Violation]:
    """Yield seeds that do not change, and answers that change with the same noise."""
    run = replays.first[0]
    if replays.count > 1:
        for one, other in zip(run.seeds, replays.first[1].seeds, strict=False):
            if one[:2] == other[:2]:
                yield Violation("fixed-seed", "a generator is seeded with the same number in every call", one[2])
    first, again, cold = map(_read_answer, (run, replays.again, replays.cold))
    if not replays.have_drawn and any(len({*map(_read_answer, side)}) > 1 for side in (replays.first, replays.second)):
        sentence = "outputs vary although no noise was drawn that an audit knows, or something is kept"
        yield Violation("unknown-noise", sentence)
    elif first != again or (cold != first and not replays.warmed):
        yield Violation("state", "the same input and the same noise gave another answer in another call")


def _read_answer(run: Observation) -> tuple[object, ...]:
    """Return what a caller sees, and what was drawn.

    Texts of exceptions change with how deep the call was; bytes are drawn for the names of files at any time.
    """
    leaves = ((path, leaf.looks) for path, leaf in run.leaves.items() if run.has_returned)
    return (run.ended, *leaves, bool(run.asked), *(draw for draw in run.asked if draw[0] != "bytes"))


# What tells the inputs apart in every replay


def find_separations(replays: Replays) -> Iterator[Violation]:
    """Yield what tells the inputs apart in all replays: how runs ended, what was drawn, and every leaf."""
    one, other = replays.first[0], replays.second[0]
    if replays.separates(lambda run: run.ended):
        sentence = f"the call ends with {one.ended} for the one input, and with {other.ended} for the other"
        yield Violation("exception", sentence, one.where or other.where)
        return
    if not replays.failed and replays.separates(lambda run: run.asked):  # an exception ends the draws, too
        pairs = zip_longest(one.draws, other.draws)
        where = next((a or b).where for a, b in pairs if not (a and b) or a[:2] != b[:2])
        sizes = " and ".join(f"{sum(draw.size for draw in run.draws):,}" for run in (one, other))
        yield Violation("draws", f"the two inputs ask for other draws in each replay: {sizes} numbers", where)
    separated: list[str] = []
    for path in sorted(replays.series, key=len):
        if not path.startswith(tuple(separated)) and is_separated(*replays.series[path]):
            separated.append(path)
            if not path.startswith("released"):  # the same is said of the output
                yield _separation(replays, path)


def source_of(path: str) -> str:
    """Return where a path begins: "output", "stdout", "warning".

    >>> source_of("stdout[0]<1>"), source_of("output.total")
    ('stdout', 'output')
    """
    return re.split(r"[\[.<]", path)[0]


def _separation(replays: Replays, path: str) -> Violation:
    runs = [run for run in (replays.first[0], replays.second[0]) if path in run.leaves]
    released = replays.first[0].released
    beside = [other for other in released if other != path and not other.startswith("released")]
    kind, what = SOURCES.get(source_of(path), ("metadata", ""))
    if what:
        sentence = f"{what} differs for the two inputs, in every replay"
    elif any(run.leaves[path].sort == "fact" for run in runs):
        sentence = f"{path} differs beyond the released numbers: its form, keys, order, type or text, in every replay"
    elif path not in released or any(len({*replays.series[other][0]}) > 1 for other in beside):
        sentence = f"the number {path} has no noise, and differs for the two inputs"
    else:
        kind = "no-noise"
        sentence = f"{path} is the same in all {replays.count} replays of one input, and another for the other"
    return Violation(kind, sentence, runs[0].leaves[path].where or runs[0].where)


def varying_paths(replays: Replays) -> list[str]:
    """Return the paths that vary with the noise and do not tell the inputs apart in every replay, once each.

    A path that only one input has is left out: its name may be data.
    """
    paths: dict[object, str] = {}
    for path, (first, second) in replays.series.items():
        is_of_both = any(first) and any(second)
        if is_of_both and len({*first, *second}) > 1 and not is_separated(first, second):
            paths.setdefault((first, second), path)
    return list(paths.values())


# The bits of floats: theory (4)


def find_float_faults(replays: Replays, *, is_additive: bool) -> Iterator[Violation]:
    """Yield NaN and infinities, the sign of zero, and outputs that are on no common grid.

    A quotient of sound numbers is on no grid either: the last is found only in numbers that are said to be a value and
    noise (`is_additive`: a sensitivity is claimed), or where noise was drawn in doubles. Where all noise is on a grid,
    one of several released numbers that is on none is made of the others: a percentage beside its counts.
    """
    drawn = {draw.kind for run in replays.all for draw in run.draws}
    made_of_others = any(len(run.released) > 1 for run in replays.all) and drawn and drawn <= ON_A_GRID - {"bytes"}
    released = {path for run in replays.all for path in run.released}
    for path in replays.series:
        leaves = [run.leaves[path] for run in replays.all if path in run.leaves]
        floats = [leaf for leaf in leaves if leaf.sort == "number" and isinstance(leaf.value, float)]
        odd = sum(not math.isfinite(leaf.value) for leaf in floats)
        is_value_and_noise = (is_additive and not made_of_others and path in released) or not drawn <= ON_A_GRID
        if odd:
            yield Violation("not-finite", f"{path} is NaN or infinite in {odd:,} of {len(floats):,} runs")
        elif any(leaf.value == 0 and math.copysign(1, leaf.value) < 0 for leaf in floats):
            yield Violation("float-noise", f"{path} is -0.0: from which side it came is told")
        elif is_value_and_noise and len({leaf.value for leaf in floats}) > 2 and not is_on_a_grid(floats):
            sentence = f"the values of {path} are multiples of no common step: they are noise in doubles"
            yield Violation("float-noise", sentence)


def is_on_a_grid(leaves: Sequence[Leaf]) -> bool:
    """Say whether floats are a constant and multiples of one step that all can be written with (theory (4)).

    Multiples of a power of two, decimals of so many places, and steps such as 1/3, whose multiples are rounded; but
    for the ends, which a clamp may have put off the grid.
    """
    free = away_from_ends(leaves)
    if len({leaf.value for leaf in free}) <= 2:
        return True  # nothing is known of them
    place = max(last_place(leaf) for leaf in free)
    for read, least in ((float, BINARY), (repr, DECIMAL)):
        values = [Fraction(read(leaf.value)) for leaf in free]
        if common_divisor([value - values[0] for value in values]) >= least * place:
            return True
    return any(
        rounded_step([(Fraction(leaf.value) - origin, last_place(leaf) + doubt) for leaf in free]) is not None
        for origin, doubt in ((Fraction(0), Fraction(0)), (Fraction(free[0].value), last_place(free[0])))
    )


def last_place(leaf: Leaf) -> Fraction:
    """Return the unit in the last place of a float, and 0 for what is exact.

    >>> last_place(Leaf("output", "number", 1.0, 53)) == Fraction(1, 2**52)
    True
    """
    if not leaf.bits:
        return Fraction(0)
    _, exponent = math.frexp(float(leaf.value))
    return Fraction(2) ** max(exponent - leaf.bits, -1074)


def ends_of(values: Sequence[Any]) -> set[Any]:
    """Return the least and the largest of some values, where it was taken more than once: a clamp may stand there."""
    return {end for end in (min(values), max(values)) if values.count(end) > 1} if values else set()


def away_from_ends(leaves: Sequence[Leaf]) -> list[Leaf]:
    """Return the numbers that stand at no end."""
    ends = ends_of([leaf.value for leaf in leaves])
    return [leaf for leaf in leaves if leaf.value not in ends]


def common_divisor(values: Sequence[Fraction]) -> Fraction:
    """Return the largest number of which all values are multiples, 0 if all are 0.

    >>> common_divisor([Fraction(3, 2), Fraction(9, 4)])
    Fraction(3, 4)
    """
    denominator = math.lcm(*(value.denominator for value in values))
    return Fraction(math.gcd(*(int(value * denominator) for value in values)), denominator)


def rounded_step(values: Sequence[tuple[Fraction, Fraction]]) -> tuple[Fraction, Fraction] | None:
    """Return (step, error): all values are multiples of the step but for their errors; or None.

    Euclid's algorithm with errors: every remainder carries its own; where it is a quarter of what is divided by,
    nothing is known. Without errors the step is exact; it is 0 where all values are.
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
    return step, error


# How far released numbers move with the same noise: theory (3). What rounding hides is taken off before a distance is
# compared, so that no correct release is refuted.


class NumberSeries(Value):
    """One released number: its values for both inputs in every replay, and what rounding hides of each.

    step   no less than the grid that outputs are rounded to after the noise (theory (3)); 0 where they are not
    """

    first: tuple[Fraction, ...]
    second: tuple[Fraction, ...]
    hidden: tuple[Fraction, ...]
    step: Fraction

    def moved(self, replay: int) -> Fraction:
        """Return how far the number moved in one replay."""
        return abs(self.first[replay] - self.second[replay])

    def moved_at_least(self, replay: int) -> Fraction:
        """Return how far the value moved at least.

        Rounded to steps g, numbers d apart become at most d + g apart: d >= moved - g (theory (3)). A float hides at
        most a unit in the last place.
        """
        return max(Fraction(0), self.moved(replay) - (self.step or self.hidden[replay]))

    @property
    def moves_steadily(self) -> bool:
        """Whether one distance of the two values explains all pairs in which neither stands at an end (theory (3)).

        It does where the values are the same in all runs of an input, and not where they come from other noise.
        """
        ends = ends_of(self.first), ends_of(self.second)
        pairs = zip(self.first, self.second, strict=True)
        gaps = [a - b for a, b in pairs if a not in ends[0] and b not in ends[1]]
        return not gaps or max(gaps) - min(gaps) <= 2 * (self.step or 2 * max(self.hidden))

    def repeats(self, other: NumberSeries) -> bool:
        """Say whether the number is another one moved by a constant: the end of an interval, or printed again."""
        hidden = list(map(add, self.hidden, other.hidden)) * 2
        gaps = list(map(sub, self.first + self.second, other.first + other.second))
        return bool(max(map(sub, gaps, hidden)) <= min(map(add, gaps, hidden)))


def read_numbers(replays: Replays) -> list[NumberSeries]:
    """Return the released numbers that have noise, are there in every replay, and do not repeat another one."""
    numbers: list[NumberSeries] = []
    for path in replays.first[0].released:
        leaves = [run.leaves[path] for run in replays.all if path in run.leaves and run.leaves[path].is_number]
        if len(leaves) < 2 * replays.count:
            continue
        sides = leaves[: replays.count], leaves[replays.count :]
        first, second = (tuple(Fraction(leaf.value) for leaf in side) for side in sides)
        if len({*first}) == len({*second}) == 1:
            continue
        hidden = tuple(map(max, *(map(last_place, side) for side in sides)))
        number = NumberSeries(first=first, second=second, hidden=hidden, step=_step(sides))
        if len(numbers) > MOST_COMPARED or not any(number.repeats(other) for other in numbers):
            numbers.append(number)
    return numbers


def _step(sides: Sequence[Sequence[Leaf]]) -> Fraction:
    """Return no less than the step that outputs are rounded to.

    Outputs of one input that stand at no end differ by multiples of the step, whatever constant was added. Where all
    of those are one number nothing is known, and the step is as large as everything that was seen.
    """
    gaps = [
        (Fraction(leaf.value) - Fraction(free[0].value), last_place(leaf) + last_place(free[0]))
        for free in map(away_from_ends, sides)
        for leaf in free[1:]
    ]
    everything = [leaf for leaves in sides for leaf in leaves]
    place = max(map(last_place, everything))
    common = common_divisor([gap for gap, _ in gaps])
    if not common:
        values = [Fraction(leaf.value) for leaf in everything]
        return max(values) - min(values)
    if common > 2 * place:
        return common
    rounded = rounded_step(gaps)
    return sum(rounded) + 2 * place if rounded else Fraction(0)


def find_movement(replays: Replays, *, sensitivity: Fraction, norm: str) -> Iterator[Violation]:
    """Yield that the released numbers move together by more than the claimed sensitivity, in one replay.

    A number whose value comes from other noise moves by another distance in each replay, and is left out. Of more
    numbers than were drawn some are made of the others (their sum, a percentage): those that move least are compared.
    """
    numbers, draws = read_numbers(replays), replays.first[0].draws
    drawn = sum(1 if draw.kind == "bytes" else draw.size for draw in draws) or len(numbers)
    steady = [number for number in numbers if number.moves_steadily]
    power = 2 if norm == "l2" else 1

    def length(read: Callable[[NumberSeries, int], Fraction], replay: int) -> Fraction:
        distances = sorted(read(number, replay) for number in steady)[:drawn]
        return max(distances) if norm == "max" else sum((each**power for each in distances), Fraction(0))

    if not steady:
        return
    furthest, replay = max((length(NumberSeries.moved_at_least, replay), replay) for replay in range(replays.count))
    excess = furthest - sensitivity**power
    if excess <= 0:
        return
    seen = length(NumberSeries.moved, replay)
    if norm == "l2":  # the root, off by less than 2^-128; to be shown
        seen = Fraction(math.isqrt((seen.numerator << 256) // seen.denominator), 1 << 128)
    shown, claim = digits_apart(seen, sensitivity)
    is_rounding = excess <= sensitivity**power * ROUNDING * power and not any(number.step for number in steady)
    yield Violation(
        "rounding" if is_rounding else "sensitivity",
        f"with the same noise the released numbers move by {shown}; claimed is {claim} ({norm})",
        draws[0].where if draws else "",
    )
