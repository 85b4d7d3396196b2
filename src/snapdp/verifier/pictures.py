"""Pictures of a verdict as SVG text: the cells with both inputs, and the two laws at the output that tells them apart.

Room: verifier. Inline, no script, nothing fetched; colours follow the page. Every mark is computed exactly and only
its place on the paper is rounded. Each picture says in words what it shows, for readers who do not see it.
"""

from __future__ import annotations

import math
from fractions import Fraction
from html import escape

from snapdp.verifier.exact_loss import ExactLaw, ExactLoss
from snapdp.verifier.execution import Execution, finite
from snapdp.verifier.pointwise import Outputs, cell_ends
from snapdp.verifier.shape import Shape
from snapdp.verifier.summary import number

WIDTH, MARGIN = 720, 34
MOST_CELLS = 25
NEAR = 7  # draws shown on either side of a hole


def picture(verdict_shape: Shape, execution: Execution, evidence: ExactLoss) -> str:
    """Return the pictures for a piece of evidence."""
    known = (verdict_shape.noise, verdict_shape.grid, verdict_shape.clamp_lower, verdict_shape.clamp_upper)
    if any(part is None for part in known):
        return holes(execution, evidence)
    outputs = Outputs(verdict_shape)
    shown = window(outputs, evidence)
    return cells(verdict_shape, outputs, shown, evidence) + laws(verdict_shape, execution, outputs, shown, evidence)


def window(outputs: Outputs, evidence: ExactLoss) -> range:
    """Return the indices of the outputs to draw: all, or those around the one in question."""
    if len(outputs) <= MOST_CELLS:
        return range(outputs.first, outputs.last + 1)
    centre = outputs.nearest(evidence.output)
    start = max(outputs.first, min(outputs.last - MOST_CELLS + 1, centre - MOST_CELLS // 2))
    return range(start, start + MOST_CELLS)


def cells(shape: Shape, outputs: Outputs, shown: range, evidence: ExactLoss) -> str:
    """Return a number line: each cell of sums that is released as one output, and the two inputs."""
    step = (WIDTH - 2 * MARGIN) / len(shown)
    parts = []
    for place, index in enumerate(shown):
        x, output = MARGIN + place * step, outputs.at(index)
        chosen = ' class="chosen"' if output == evidence.output else ""
        low, high = cell_ends(shape, output)
        said = f"output {number(output)}: sums from {_end(low, '-infinity')} to {_end(high, 'infinity')}"
        parts.append(
            f'<g{chosen}><title>{escape(said)}</title><rect x="{x:.1f}" y="40" width="{step:.1f}" height="22"/>'
        )
        if len(shown) <= 16 or place % 4 == 0 or chosen:
            parts.append(f'<text x="{x + step / 2:.1f}" y="78">{escape(_short(output))}</text>')
        parts.append("</g>")
    for name, value, y in (("f(D)", evidence.f, 14), ("f(D')", evidence.f_prime, 28)):
        where = (value / outputs.grid) - shown.start + Fraction(1, 2)
        x = MARGIN + float(min(max(where, Fraction(0)), Fraction(len(shown)))) * step
        beyond = "" if 0 <= where <= len(shown) else " (outside the picture)"
        anchor = "end" if x > WIDTH - 120 else "start" if x < 120 else "middle"
        parts.append(f'<path class="mark" d="M{x:.1f} {y + 2} V62"/>')
        label = escape(f"{name} = {_short(value)}{beyond}")
        parts.append(f'<text class="input" text-anchor="{anchor}" x="{x:.1f}" y="{y}">{label}</text>')
    title = f"Cells of the sum around the output {number(evidence.output)}"
    return _svg(title, 88, parts)


def laws(shape: Shape, execution: Execution, outputs: Outputs, shown: range, evidence: ExactLoss) -> str:
    """Return paired bars of the exact probabilities from f and f', on a logarithmic scale."""
    pair = [ExactLaw(execution, value, shape) for value in (evidence.f, evidence.f_prime)]
    heights = [[_log2(law.probability(outputs.at(index)).upper) for law in pair] for index in shown]
    finite_heights = [h for both in heights for h in both if h is not None]
    if not finite_heights:
        return ""
    top, bottom = max(finite_heights), min(finite_heights)
    span, floor, tall = max(top - bottom, 1.0), 170, 140
    step = (WIDTH - 2 * MARGIN) / len(shown)
    parts = []
    for place, (index, both) in enumerate(zip(shown, heights, strict=True)):
        chosen = ' class="chosen"' if outputs.at(index) == evidence.output else ""
        said = ", ".join("impossible" if h is None else f"2^{h:.2f}" for h in both)
        parts.append(f"<g{chosen}><title>{escape(f'output {number(outputs.at(index))}: {said}')}</title>")
        for side, height in enumerate(both):
            if height is not None:
                size = 8 + (tall - 8) * (height - bottom) / span
                x = MARGIN + place * step + step * (0.12 + 0.38 * side)
                parts.append(
                    f'<rect class="law{side}" x="{x:.1f}" y="{floor - size:.1f}" width="{step * 0.36:.1f}" '
                    f'height="{size:.1f}"/>'
                )
        parts.append("</g>")
    parts.append(f'<path class="mark" d="M{MARGIN} {floor} H{WIDTH - MARGIN}"/>')
    parts.append(f'<text text-anchor="start" x="{MARGIN}" y="16">2^{top:.0f}</text>')
    legend = f"left bar: from f(D), right bar: from f(D'); logarithmic, lowest bar 2^{bottom:.1f}; no bar: impossible"
    parts.append(f'<text text-anchor="start" x="{MARGIN}" y="{floor + 18}">{escape(legend)}</text>')
    return _svg("Exact probabilities of the outputs from both inputs", floor + 26, parts)


def holes(execution: Execution, evidence: ExactLoss) -> str:
    """Return the outputs that neighbouring draws give from both inputs: the output in question lies in a hole."""
    parts: list[str] = []
    rows = (("from f(D)", evidence.f, evidence.cells), ("from f(D')", evidence.f_prime, evidence.cells_prime))
    points = [(title, _outputs_near(execution, f, sides)) for title, f, sides in rows]
    values = sorted({evidence.output, *(v for _, found in points for v in found)})
    if len(values) < 2:
        return ""
    place = {value: MARGIN + (WIDTH - 2 * MARGIN) * i / (len(values) - 1) for i, value in enumerate(values)}
    for row, (title, found) in enumerate(points):
        y = 40 + 44 * row
        parts.append(f'<text text-anchor="start" x="{MARGIN}" y="{y - 14}">{escape(title)}</text>')
        parts.append(f'<path class="mark" d="M{MARGIN} {y} H{WIDTH - MARGIN}"/>')
        for value in found:
            chosen = "chosen" if value == evidence.output else f"law{row}"
            said = f"<title>{escape(number(value))}</title>"
            parts.append(f'<circle class="{chosen}" cx="{place[value]:.1f}" cy="{y}" r="5">{said}</circle>')
    x = place[evidence.output]
    parts.append(f'<path class="cut" d="M{x:.1f} 26 V100"/>')
    anchor = "end" if x > WIDTH - 160 else "start" if x < 160 else "middle"
    label = escape(f"output {number(evidence.output)}")
    parts.append(f'<text class="input" text-anchor="{anchor}" x="{x:.1f}" y="116">{label}</text>')
    return _svg("Outputs of neighbouring draws, in order (not to scale)", 126, parts)


def _outputs_near(execution: Execution, f: Fraction, sides: tuple[tuple[int, tuple[int, int]], ...]) -> list[Fraction]:
    found = set()
    draw = execution.draw
    for sign, cell in sides:
        for ordinal in range(cell[0] - NEAR, cell[0] + NEAR):
            if draw.first < ordinal <= draw.last:
                output = execution.output(f, sign, ordinal)
                if finite(output):
                    found.add(Fraction(*(int(part) for part in output.as_integer_ratio())))
    return sorted(found)


def _svg(title: str, height: int, parts: list[str]) -> str:
    head = f'<figure><svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(title, quote=True)}">'
    return f"{head}{''.join(parts)}</svg><figcaption>{escape(title)}</figcaption></figure>\n"


def _log2(x: Fraction) -> float | None:
    if x <= 0:
        return None
    shift = x.numerator.bit_length() - x.denominator.bit_length()
    scaled = x / Fraction(2) ** shift
    return shift + math.log2(float(scaled))


def _end(x: Fraction | None, otherwise: str) -> str:
    return otherwise if x is None else number(x)


def _short(x: Fraction) -> str:
    full = number(x)
    return full if len(full) <= 9 else f"{float(x):.6g}"
