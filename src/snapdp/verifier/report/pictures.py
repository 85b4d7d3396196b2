"""Pictures of a verdict as SVG text: the cells with both inputs, and the two laws at the output that tells them apart.

Room: verifier. Every mark is computed exactly and only
its place on the paper is rounded. Each picture says in words what it shows, for readers who do not see it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from snapdp.display import (
    Look,
    box,
    dot,
    exact_float,
    figure_of,
    framed,
    general,
    inside,
    level,
    scale,
    tick_text,
    ticks,
    together,
    upright,
    written,
)
from snapdp.verifier.loss.exact_loss import ExactLoss, ProgramLaw
from snapdp.verifier.loss.pointwise import Outputs, cell_ends, held_output
from snapdp.verifier.loss.query_path import value_on
from snapdp.verifier.loss.shape import Shape
from snapdp.verifier.loss.snap import released_value
from snapdp.verifier.loss.verdict import Verdict
from snapdp.verifier.machine.execution import Execution
from snapdp.verifier.machine.machine import Machine
from snapdp.verifier.machine.rationals import finite, fraction_of
from snapdp.verifier.report.measure import measure_of

FAR = 10**4  # of C in a picture; programs far beyond their claim need none
LETTER = 7.0  # width of a digit, with what is between labels
WIDTH = 720
MARGIN, AXIS, NAME = 4.7, 10.6, 13.0  # percent of it; where bars begin beside an axis, and beside names
MOST_CELLS = 25
MOST_SEARCHED = 4096  # snapped values among which that of an output is looked for
SIDES: tuple[Look, Look] = ("first", "second")  # marks of f(D) and of f(D')
NEAR = 7  # draws shown on either side of a hole


def against_claim(verdict: Verdict) -> str:
    """Return a line of C with what was found, what is certified and what is claimed; nothing where C is unknown."""
    measure = measure_of(verdict)
    named = (("found", verdict.lower), ("certified", verdict.upper), ("claimed", verdict.claim.value))
    constants = ((name, measure.constant(loss)) for name, loss in named)
    known = [(name, float(c)) for name, c in constants if c is not None and abs(c) < FAR]
    if verdict.is_infinite or len(known) < 2 or "claimed" not in dict(known):
        return ""
    low, high = min(0.0, *(c for _, c in known)), max(0.0, *(c for _, c in known))
    x = scale(low, high if high > low else low + 1.0, start=NAME, end=100 - 2 * MARGIN)
    drawn = []
    for row, (name, c) in enumerate(known):
        y, look = 10 + 22 * row, SIDES[name == "claimed"]
        left, right = sorted((x(0), x(c)))
        drawn.append(written(name, x=NAME - 1, y=y + 11, anchor="end"))
        drawn.append(box(x=left, y=y, width=right - left, height=14, look=look, said=f"{name}: C = {c:.2f}"))
        drawn.append(written(f"{c:.2f}", x=right + 0.6, y=y + 11))
    floor = 12 + 22 * len(known)
    drawn.append(level(floor, start=x(low), end=x(high)))
    for tick in ticks(low, high, 6):
        drawn.append(upright(x(float(tick)), top=floor, foot=floor + 4, look="axis"))
        drawn.append(written(tick_text(tick), x=x(float(tick)), y=floor + 16, anchor="middle"))
    title = f"Loss against claim, as C = {measure.formula}: what is certified must not pass the claim"
    return _figure(drawn, title, height=34 + 22 * len(known))


def _figure(drawn: list[str], title: str, *, height: float) -> str:
    return figure_of(framed(drawn, title=title, said="", height=height, width=WIDTH), title)


def picture(verdict_shape: Shape, execution: Execution, evidence: ExactLoss) -> str:
    """Return the pictures for a piece of evidence."""
    known = (verdict_shape.noise, verdict_shape.grid, verdict_shape.clamp_lower, verdict_shape.clamp_upper)
    if any(part is None for part in known):
        return holes(execution, evidence)
    outputs = Outputs(verdict_shape)
    chosen = _index_of(verdict_shape, execution, outputs, evidence)
    if chosen is None:
        return holes(execution, evidence)
    shown = window(outputs, chosen)
    line = cells(verdict_shape, execution.machine, outputs, shown, chosen, evidence)
    return f"{line}\n{laws(verdict_shape, execution, outputs, shown, evidence)}"


def _index_of(shape: Shape, execution: Execution, outputs: Outputs, evidence: ExactLoss) -> int | None:
    """Return the index of the snapped value that the output was computed from; None where it is not found."""
    if shape.snap.released is None:
        return outputs.nearest(evidence.output)
    indices = range(outputs.first, outputs.last + 1)[:MOST_SEARCHED]
    return next((k for k in indices if _released(shape, execution, outputs, k) == evidence.output), None)


def _released(shape: Shape, execution: Execution, outputs: Outputs, index: int) -> Fraction:
    """Return the output that a snapped value becomes; the value itself where it becomes no number."""
    if shape.snap.released is None:
        return outputs.at(index)
    found = released_value(shape.snap, execution.machine, index * outputs.grid)
    return outputs.at(index) if found is None else found


def window(outputs: Outputs, centre: int) -> range:
    """Return the indices of the outputs to draw: all, or those around the one in question."""
    if len(outputs) <= MOST_CELLS:
        return range(outputs.first, outputs.last + 1)
    start = max(outputs.first, min(outputs.last - MOST_CELLS + 1, centre - MOST_CELLS // 2))
    return range(start, start + MOST_CELLS)


def cells(
    shape: Shape, machine: Machine, outputs: Outputs, shown: range, chosen_index: int, evidence: ExactLoss
) -> str:
    """Return a number line: each cell of sums that is snapped to one value, and the two inputs, as noise is added."""
    left = scale(0, len(shown), start=MARGIN, end=100 - MARGIN)
    spacing = left(1) - left(0)
    labelled = _labelled([outputs.at(index) for index in shown], chosen_index - shown.start, spacing)
    drawn = []
    for place, index in enumerate(shown):
        output = outputs.at(index)
        chosen = index == chosen_index
        low, high = cell_ends(shape, output)
        said = f"output {exact_float(output)}: sums from {_end(low, '-infinity')} to {_end(high, 'infinity')}"
        cell = [box(x=left(place), y=40, width=spacing, height=22, look="cell", ringed=chosen)]
        if labelled(place):
            cell.append(written(_short(output), x=left(place) + spacing / 2, y=78, anchor="middle"))
        drawn.append(together(cell, said))
    for sign, private, y in (("f(D)", evidence.f, 14), ("f(D')", evidence.f_prime, 28)):
        value = private if shape.path is None else value_on(shape.path, private, machine)
        name = sign if value == private else f"scaled {sign}"
        where = (value - outputs.offset) / outputs.grid - shown.start + Fraction(1, 2)
        x = left(float(min(max(where, Fraction(0)), Fraction(len(shown)))))
        beyond = "" if 0 <= where <= len(shown) else " (outside the picture)"
        drawn.append(upright(x, top=y + 2, foot=62, look="axis"))
        drawn.append(written(f"{name} = {_short(value)}{beyond}", x=x, y=y, anchor=inside(x, reach=17)))
    return _figure(drawn, f"Cells of the sum around the output {exact_float(outputs.at(chosen_index))}", height=88)


def _labelled(values: list[Fraction], chosen: int, spacing: float) -> Callable[[int], bool]:
    """Return which places have a label: that of the output in question, and others so far apart that none meet."""
    longest = max(len(_short(value)) for value in values)
    stride = max(1, math.ceil((longest + 1) * LETTER / (spacing * WIDTH / 100)))
    return lambda place: (place - chosen) % stride == 0


def laws(shape: Shape, execution: Execution, outputs: Outputs, shown: range, evidence: ExactLoss) -> str:
    """Return paired bars of the exact probabilities from f and f', on a logarithmic scale."""
    pair = [ProgramLaw(execution, value, shape) for value in (evidence.f, evidence.f_prime)]
    released = [_released(shape, execution, outputs, index) for index in shown]
    plain = shape.snap.released is None
    held = [held_output(shape, execution.machine, output) if plain else output for output in released]
    heights = [[_log2(law.probability(output).upper) for law in pair] for output in held]
    finite_heights = [h for both in heights for h in both if h is not None]
    if not finite_heights:
        return ""
    top, bottom, floor = max(finite_heights), min(finite_heights), 170
    left = scale(0, len(shown), start=AXIS, end=100 - MARGIN)
    size, spacing = scale(bottom, max(top, bottom + 1.0), start=8, end=140), left(1) - left(0)
    drawn = []
    for tick in map(float, ticks(bottom, max(top, bottom + 1.0), 5)):
        drawn.append(level(floor - size(tick), start=AXIS - 0.6, end=AXIS))
        drawn.append(written(f"2^{tick:g}", x=AXIS - 1, y=floor - size(tick) + 4, anchor="end"))
    chosen = released.index(evidence.output) if evidence.output in released else 0
    labelled = _labelled(released, chosen, spacing)
    for place, both in enumerate(heights):
        said = ", ".join("impossible" if h is None else f"2^{h:.2f}" for h in both)
        output = released[place]
        pair_of_bars = [
            box(
                x=left(place) + spacing * (0.12 + 0.38 * side),
                y=floor - size(height),
                width=spacing * 0.36,
                height=size(height),
                look=SIDES[side],
                ringed=output == evidence.output,
            )
            for side, height in enumerate(both)
            if height is not None
        ]
        if labelled(place):
            pair_of_bars.append(written(_short(output), x=left(place) + spacing / 2, y=floor + 16, anchor="middle"))
        drawn.append(together(pair_of_bars, f"output {exact_float(output)}: {said}"))
    drawn.append(level(floor, start=AXIS, end=100 - MARGIN))
    drawn.append(written("left bar: from f(D), right bar: from f(D')", x=AXIS, y=floor + 34))
    drawn.append(written("logarithmic, the line is not 0; no bar: impossible", x=AXIS, y=floor + 50))
    return _figure(drawn, "Exact probabilities of the outputs from both inputs", height=floor + 58)


def holes(execution: Execution, evidence: ExactLoss) -> str:
    """Return the outputs that neighbouring draws give from both inputs: the output in question lies in a hole."""
    rows = (("from f(D)", evidence.f, evidence.preimages), ("from f(D')", evidence.f_prime, evidence.preimages_prime))
    points = [(title, _outputs_near(execution, f, sides)) for title, f, sides in rows]
    values = sorted({evidence.output, *(v for _, found in points for v in found)})
    if len(values) < 2:
        return ""
    x = scale(0, len(values) - 1, start=MARGIN, end=100 - MARGIN)
    place = {value: x(rank) for rank, value in enumerate(values)}
    drawn = []
    for row, (title, found) in enumerate(points):
        y = 40 + 44 * row
        drawn += [written(title, x=MARGIN, y=y - 14), level(y, start=MARGIN, end=100 - MARGIN)]
        for value in found:
            look = "hit" if value == evidence.output else SIDES[row]
            drawn.append(dot(place[value], y, look=look, said=exact_float(value)))
    hole = place[evidence.output]
    drawn.append(upright(hole, top=26, foot=100, look="cut"))
    drawn.append(written(f"output {exact_float(evidence.output)}", x=hole, y=116, anchor=inside(hole, reach=22)))
    return _figure(drawn, "Outputs of neighbouring draws, in order (not to scale)", height=126)


def _outputs_near(execution: Execution, f: Fraction, sides: tuple[tuple[int, tuple[int, int]], ...]) -> list[Fraction]:
    found = set()
    draw = execution.draw
    for sign, preimage in sides:
        for ordinal in range(preimage[0] - NEAR, preimage[0] + NEAR):
            if draw.first < ordinal <= draw.last:
                output = execution.output(f, sign, ordinal)
                if finite(output):
                    found.add(fraction_of(output))
    return sorted(found)


def _log2(x: Fraction) -> float | None:
    if x <= 0:
        return None
    shift = x.numerator.bit_length() - x.denominator.bit_length()
    scaled = x / Fraction(2) ** shift
    return shift + math.log2(float(scaled))


def _end(x: Fraction | None, otherwise: str) -> str:
    return otherwise if x is None else exact_float(x)


def _short(x: Fraction) -> str:
    full = exact_float(x)
    return full if len(full) <= 9 else general(x, 6)
