"""Pictures of a verdict as SVG text: the cells with both inputs, and the two laws at the output that tells them apart.

Room: verifier. Every mark is computed exactly and only
its place on the paper is rounded. Each picture says in words what it shows, for readers who do not see it.
"""

from __future__ import annotations

import math
from fractions import Fraction

from snapdp.display import Chart, Look, exact_float, scale
from snapdp.verifier.language.syntax import QueryValue
from snapdp.verifier.loss.exact_loss import ExactLoss, ProgramLaw
from snapdp.verifier.loss.layers import released_value
from snapdp.verifier.loss.pointwise import Outputs, cell_ends
from snapdp.verifier.loss.query_path import value_on
from snapdp.verifier.loss.shape import Shape
from snapdp.verifier.loss.verdict import Verdict
from snapdp.verifier.machine.execution import Execution, finite
from snapdp.verifier.machine.machine import Machine

LARGEST_EXCESS = 10**4  # of C in a picture; programs far beyond their claim need none
WIDTH, MARGIN = 720, 34
MOST_CELLS = 25
MOST_SEARCHED = 4096  # snapped values among which that of an output is looked for
SIDES: tuple[Look, Look] = ("first", "second")  # marks of f(D) and of f(D')
NEAR = 7  # draws shown on either side of a hole


def against_claim(verdict: Verdict) -> str:
    """Return a line of C with what was found, what is certified and what is claimed; nothing where C is unknown."""
    named = (("found", verdict.lower), ("certified", verdict.upper), ("claimed", verdict.claim.value))
    known = [(name, c) for name, loss in named if (c := verdict.excess(loss)) is not None]
    if verdict.is_infinite or len(known) < 2 or any(not 0 <= c <= LARGEST_EXCESS for _, c in known):
        return ""
    largest = max(float(c) for _, c in known)
    chart = Chart(width=WIDTH, height=34 + 22 * len(known))
    x = scale(0, largest or 1.0, start=MARGIN + 60, end=WIDTH - MARGIN - 40)
    for row, (name, c) in enumerate(known):
        y = 10 + 22 * row
        chart.label(MARGIN + 54, y + 11, name, anchor="end")
        look = SIDES[name == "claimed"]
        chart.bar(x(0), x(float(c)), y=y, height=14, look=look, said=f"{name}: C = {float(c):.2f}")
        chart.label(x(float(c)) + 4, y + 11, f"{float(c):.2f}", anchor="start")
    floor = 12 + 22 * len(known)
    chart.horizontal(floor, start=x(0), end=x(largest))
    for tick in _ticks(largest):
        chart.vertical(x(tick), start=floor, end=floor + 4)
        chart.label(x(tick), floor + 16, f"{tick:g}")
    return chart.figure(
        "Loss against claim, as C = (loss - eps)/(B eps eta): what is certified must not pass the claim"
    )


def _ticks(largest: float) -> list[float]:
    """Return at most six round numbers from 0 on."""
    if largest <= 0:
        return [0.0]
    power = 10.0 ** math.floor(math.log10(largest))
    step = next(step * power for step in (0.2, 0.5, 1.0, 2.0) if largest / (step * power) <= 5 + 1e-9)
    return [step * k for k in range(math.floor(largest / step + 1e-9) + 1)]


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
    chart = Chart(width=WIDTH, height=88)
    left = scale(0, len(shown), start=MARGIN, end=WIDTH - MARGIN)
    spacing = left(1) - left(0)
    for place, index in enumerate(shown):
        output = outputs.at(index)
        chosen = index == chosen_index
        low, high = cell_ends(shape, output)
        said = f"output {exact_float(output)}: sums from {_end(low, '-infinity')} to {_end(high, 'infinity')}"
        with chart.together(said):
            chart.rectangle(x=left(place), y=40, width=spacing, height=22, look="cell", ringed=chosen)
            if len(shown) <= 16 or place % 4 == 0 or chosen:
                chart.label(left(place) + spacing / 2, 78, _short(output))
    scaled = not isinstance(shape.path, QueryValue | None)
    for sign, private, y in (("f(D)", evidence.f, 14), ("f(D')", evidence.f_prime, 28)):
        value = value_on(shape.path, private, machine) if shape.path is not None and scaled else private
        name = f"scaled {sign}" if scaled else sign
        where = (value / outputs.grid) - shown.start + Fraction(1, 2)
        x = left(float(min(max(where, Fraction(0)), Fraction(len(shown)))))
        beyond = "" if 0 <= where <= len(shown) else " (outside the picture)"
        chart.vertical(x, start=y + 2, end=62)
        chart.label_inside(x, y, f"{name} = {_short(value)}{beyond}", reach=120)
    return chart.figure(f"Cells of the sum around the output {exact_float(outputs.at(chosen_index))}")


def laws(shape: Shape, execution: Execution, outputs: Outputs, shown: range, evidence: ExactLoss) -> str:
    """Return paired bars of the exact probabilities from f and f', on a logarithmic scale."""
    pair = [ProgramLaw(execution, value, shape) for value in (evidence.f, evidence.f_prime)]
    heights = [
        [_log2(law.probability(_released(shape, execution, outputs, index)).upper) for law in pair] for index in shown
    ]
    finite_heights = [h for both in heights for h in both if h is not None]
    if not finite_heights:
        return ""
    top, bottom, floor = max(finite_heights), min(finite_heights), 170
    chart = Chart(width=WIDTH, height=floor + 26)
    left = scale(0, len(shown), start=MARGIN, end=WIDTH - MARGIN)
    size, spacing = scale(bottom, max(top, bottom + 1.0), start=8, end=140), left(1) - left(0)
    for place, (index, both) in enumerate(zip(shown, heights, strict=True)):
        said = ", ".join("impossible" if h is None else f"2^{h:.2f}" for h in both)
        output = _released(shape, execution, outputs, index)
        with chart.together(f"output {exact_float(output)}: {said}"):
            for side, height in enumerate(both):
                if height is not None:
                    chart.rectangle(
                        x=left(place) + spacing * (0.12 + 0.38 * side),
                        y=floor - size(height),
                        width=spacing * 0.36,
                        height=size(height),
                        look=SIDES[side],
                        ringed=output == evidence.output,
                    )
    chart.horizontal(floor, start=MARGIN, end=WIDTH - MARGIN)
    chart.label(MARGIN, 16, f"2^{top:.0f}", anchor="start")
    legend = f"left bar: from f(D), right bar: from f(D'); logarithmic, lowest bar 2^{bottom:.1f}; no bar: impossible"
    chart.label(MARGIN, floor + 18, legend, anchor="start")
    return chart.figure("Exact probabilities of the outputs from both inputs")


def holes(execution: Execution, evidence: ExactLoss) -> str:
    """Return the outputs that neighbouring draws give from both inputs: the output in question lies in a hole."""
    rows = (("from f(D)", evidence.f, evidence.preimages), ("from f(D')", evidence.f_prime, evidence.preimages_prime))
    points = [(title, _outputs_near(execution, f, sides)) for title, f, sides in rows]
    values = sorted({evidence.output, *(v for _, found in points for v in found)})
    if len(values) < 2:
        return ""
    chart = Chart(width=WIDTH, height=126)
    x = scale(0, len(values) - 1, start=MARGIN, end=WIDTH - MARGIN)
    place = {value: x(rank) for rank, value in enumerate(values)}
    for row, (title, found) in enumerate(points):
        y = 40 + 44 * row
        chart.label(MARGIN, y - 14, title, anchor="start")
        chart.horizontal(y, start=MARGIN, end=WIDTH - MARGIN)
        for value in found:
            look = "hit" if value == evidence.output else SIDES[row]
            chart.point(place[value], y, look=look, said=exact_float(value))
    chart.vertical(place[evidence.output], start=26, end=100, look="cut")
    chart.label_inside(place[evidence.output], 116, f"output {exact_float(evidence.output)}", reach=160)
    return chart.figure("Outputs of neighbouring draws, in order (not to scale)")


def _outputs_near(execution: Execution, f: Fraction, sides: tuple[tuple[int, tuple[int, int]], ...]) -> list[Fraction]:
    found = set()
    draw = execution.draw
    for sign, preimage in sides:
        for ordinal in range(preimage[0] - NEAR, preimage[0] + NEAR):
            if draw.first < ordinal <= draw.last:
                output = execution.output(f, sign, ordinal)
                if finite(output):
                    found.add(Fraction(*(int(part) for part in output.as_integer_ratio())))
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
    return full if len(full) <= 9 else f"{float(x):.6g}"
