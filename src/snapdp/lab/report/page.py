"""The report of a verdict: one page of HTML with everything in it, no script, nothing fetched.

For auditors: verdict, the program that was judged, version, certificate, bracket of the loss, premises,
pictures, the case table at the pair in question, reproduction, and the folding derivation. What has dozens of digits is
told short, rounded to the side that is safe, and folds out exactly. Every mark of a picture is computed exactly and
only its place on the paper is rounded; each picture says in words what it shows, for readers who do not see it.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple
from urllib.parse import quote

from snapdp.display.html import Html, escape, folded, html_block, html_fragment, html_page, html_table
from snapdp.display.numbers import exact_float, general
from snapdp.display.pictures import (
    Look,
    box,
    dot,
    figure_of,
    framed,
    inside,
    level,
    scale,
    ticks,
    together,
    upright,
    written,
)
from snapdp.exact.enclosure import Enclosure
from snapdp.lab.language.text import printed
from snapdp.lab.loss.exact_loss import ExactLoss, Outputs, Pair, ProgramLaw, held_output
from snapdp.lab.loss.normal_form import released_value, value_on
from snapdp.lab.loss.pointwise import case_table, cell_ends
from snapdp.lab.loss.universal_bound import Shape
from snapdp.lab.loss.verdict import Verdict, noised
from snapdp.lab.report.cases import HEADS, case_rows, cases_legend, in_data_units, pairs_text, readable
from snapdp.lab.report.derivation import html_trees, machine_text
from snapdp.lab.report.verdict import (
    amount,
    approximate_ends,
    bracket,
    found_derivations,
    from_epsilon,
    headline,
    measure_of,
    mechanism_headline,
    mechanism_premises,
    mechanism_rows,
    python_lines,
)
from snapdp.lab.semantics.execution import Execution
from snapdp.lab.semantics.floats import finite
from snapdp.lab.semantics.machine import fraction_of
from snapdp.lab.verification import program_of_mechanism
from snapdp.mechanism.parameters import SnappingParameters

LONGEST = 500  # of the line of a verdict in a notebook
MOST_DIGITS = 24  # of a loss in the table; where it has more, its distance from epsilon is told


class CertificateFile(NamedTuple):
    """Where the certificate of a verdict lies, as seen from its report, and the SHA-256 of the file."""

    reference: str
    digest: str


def verdict_page(
    verdict: Verdict,
    certificate: CertificateFile | None = None,
    *,
    parameters: SnappingParameters | None = None,
    pairs: Sequence[Pair] = (),
) -> str:
    """Return the report of a verdict, with a link to its certificate if there is one.

    parameters   of the mechanism whose program was judged: the page then begins with what it was chosen to be
    pairs        of private values, for the table of cases; without them that is at the pair where the loss is largest
    """
    summary, text, premises, mechanism = headline(verdict), printed(verdict.program), verdict.premises, ""
    if parameters is not None:
        summary, premises = mechanism_headline(parameters, verdict), mechanism_premises(parameters, verdict)
        text = program_of_mechanism(parameters).text
        chosen = [row for row in mechanism_rows(parameters, verdict) if not row[0].startswith("loss")]
        mechanism = f"<h2>The mechanism</h2>\n{html_table(('', ''), chosen)}"
    statuses = [(Html(f'<span class="{p.status}">{p.status}</span>'), p.name, p.detail) for p in premises]
    script, derived = python_lines(verdict), found_derivations(verdict)
    parts: list[str] = [
        f'<h1><span class="verdict {verdict.kind}">{verdict.kind}</span> {escape(verdict.program.name)}</h1>',
        f"<p>{escape(summary)}.</p>",
        html_block(text),
        _origin(certificate),
        mechanism,
        _numbers(verdict),
        f"<h2>Premises</h2>\n{html_table(('', 'premise', ''), statuses, kinds=('c', 'c', ''))}",
    ]
    if verdict.execution is not None and verdict.evidence is not None:
        parts.append("<h2>Where the loss is largest</h2>")
        parts.append(picture(verdict.shape, verdict.execution, verdict.evidence))
    parts.append(_cases(verdict, pairs, parameters))
    parts.append(f"<h2>Reproduction in plain Python</h2>\n{html_block(chr(10).join(script))}" if script else "")
    if isinstance(derived, str):
        parts.append(f"<p>No derivation: {escape(derived)}</p>")
    else:
        parts += ["<h2>Derivation</h2>", *html_trees(derived)]
    parts += [f"<p>{escape(remark)}</p>" for remark in verdict.remarks]
    return html_page(f"{verdict.kind}: {verdict.program.name}", parts)


def _origin(certificate: CertificateFile | None) -> str:
    """Return a line that says what made the page, and where the certificate is."""
    made = f"Judged by snapdp {sys.modules['snapdp'].__version__}."
    if certificate is None:
        return f"<p>{escape(made)}</p>"
    link = f'<a href="{escape(quote(certificate.reference))}">{escape(certificate.reference)}</a>'
    digest = f'<code style="overflow-wrap:anywhere">{escape(certificate.digest)}</code>'
    return f"<p>{escape(made)} Certificate: {link}, SHA-256 {digest}.</p>"


def verdict_card(verdict: Verdict) -> str:
    """Return what a notebook shows of a verdict: its kind, its line, and the bracket of the loss."""
    badge = f'<p><span class="verdict {verdict.kind}">{verdict.kind}</span> {escape(headline(verdict), LONGEST)}</p>'
    return html_fragment([badge, _numbers(verdict)])


def _numbers(verdict: Verdict) -> str:
    """Return the bracket of the loss and the claim; numbers of many digits by their distance from epsilon."""
    measure, epsilon = measure_of(verdict), verdict.scale.epsilon
    rows, digits, (lower, upper) = [], [], bracket(verdict)
    for name, loss, text, up in (
        ("loss, exact at one output", verdict.lower, lower, False),
        ("loss, certified for all", verdict.upper, upper, True),
        ("claimed", verdict.claim.value, amount(verdict.claim.value, verdict, up=False), False),
    ):
        short = text
        if loss is not None and len(text) > MOST_DIGITS and epsilon:
            short = from_epsilon(loss, epsilon, up=up)
        rows.append((name, short, "none" if loss is None else measure.signed(loss)))
        digits.append((name, text))
    is_short = digits == [row[:2] for row in rows]
    if verdict.approximate is not None:
        both = "epsilon {}, delta {}".format(*approximate_ends(verdict, verdict.approximate))
        rows.append(("holds, with a delta", both, ""))
    parts = [html_table(("", "loss", f"C = {measure.formula}"), rows, kinds=("", "n", "n"))]
    if not is_short:
        parts.append(folded("All digits", html_table(("", "loss"), digits, kinds=("", "n"))))
    return "\n".join([*parts, f"<p>Machine: {escape(machine_text(verdict.machine))}.</p>"])


def _cases(verdict: Verdict, pairs: Sequence[Pair], parameters: SnappingParameters | None) -> str:
    """Return the table of cases at pairs that are asked for, or at that in question; what is long folds."""
    if verdict.universal is None or verdict.shape.failed:
        return ""
    wanted = list(pairs) or [_pair(verdict)]
    where = _owned_pair(verdict, parameters) if not pairs else pairs_text(wanted, parameters)
    said = f"At {where}: in every case the outputs with the largest losses; constants are C = "
    parts = [
        "<h2>Cases</h2>",
        f"<p>{escape(said + measure_of(verdict).formula)}.</p>",
        html_table(HEADS, case_rows(verdict, wanted, parameters), kinds=("c", *"nnnnnn")),
        f'<p class="dim">{escape(cases_legend(verdict, parameters))}</p>',
    ]
    if len(wanted) == 1:
        parts.append(folded("Probabilities of these outputs", _probabilities(verdict, wanted[0], parameters)))
        if any(readable(value) != exact_float(value) for value in wanted[0]):
            values = [str(in_data_units(value, parameters)) for value in wanted[0]]
            exact = html_table(("", "value"), zip(("f(a)", "f(a')"), values, strict=True), kinds=("c", "n"))
            parts.append(folded("The two values exactly", exact))
    return "\n".join(parts)


def _probabilities(verdict: Verdict, pair: Pair, parameters: SnappingParameters | None) -> Html:
    one, other = sorted(noised(value, verdict) for value in pair)
    rows = [
        (
            case,
            exact_float(in_data_units(post.output, parameters)),
            _enclosure(post.probability),
            _enclosure(post.probability_prime),
        )
        for case, post in case_table(verdict.shape, verdict.machine, f=one, f_prime=other)
        if post is not None
    ]
    return html_table(("case", "output", "from f(a)", "from f(a')"), rows, kinds=("c", *"nnn"))


def _owned_pair(verdict: Verdict, parameters: SnappingParameters | None) -> str:
    """Return the pair in question, and whose value is which where the loss is largest: the smaller one is first."""
    sentences = []
    for name, value in zip(("f(a)", "f(a')"), _pair(verdict), strict=True):
        sentence = f"{name} = {readable(in_data_units(value, parameters))}"
        if verdict.evidence is not None:
            sentence += " (that of D above)" if value == verdict.evidence.f else " (that of D' above)"
        sentences.append(sentence)
    return " and ".join(sentences)


def _pair(verdict: Verdict) -> tuple[Fraction, Fraction]:
    evidence, shape = verdict.evidence, verdict.shape
    if evidence is not None:
        low, high = sorted((evidence.f, evidence.f_prime), key=lambda f: noised(f, verdict))
        return low, high
    low, high = (end for end in shape.private if end is not None)
    assert shape.query is not None
    return max(low, high - shape.query.sensitivity), high


def _enclosure(e: Enclosure) -> str:
    middle = (e.lower + e.upper) / 2
    if middle == 0:
        return "0"
    mantissa, exponent = _scaled(middle)
    return f"{mantissa:.12f} 2^{exponent} (1 ± {general((e.width / 2) / middle, 2)})"


def _scaled(x: Fraction) -> tuple[float, int]:
    """Return a number near 1 and the power of two by which it is x, however small x is."""
    exponent = x.numerator.bit_length() - x.denominator.bit_length()
    return float(x / Fraction(2) ** exponent), exponent


# Pictures: the cells with both inputs, and the two laws at the output that tells them apart

LETTER = 7.0  # width of a digit, with what is between labels
WIDTH = 720
MARGIN, AXIS = 4.7, 10.6  # percent of it; where bars begin beside an axis
MOST_CELLS = 25
MOST_SEARCHED = 4096  # snapped values among which that of an output is looked for
SIDES: tuple[Look, Look] = ("first", "second")  # marks of f(D) and of f(D')
NEAR = 7  # draws shown on either side of a hole


def _figure(drawn: list[str], title: str, *, height: float) -> str:
    return figure_of(framed(drawn, title=title, said="", height=height, width=WIDTH), title)


def picture(shape: Shape, execution: Execution, evidence: ExactLoss) -> str:
    """Return the pictures for a piece of evidence."""
    if any(part is None for part in (shape.noise, shape.grid, shape.clamp_lower, shape.clamp_upper)):
        return holes(execution, evidence)
    outputs = Outputs(shape)
    if shape.snap.released is None:
        chosen: int | None = outputs.nearest(evidence.output)
    else:  # which snapped value was the output computed from?
        indices = range(outputs.first, outputs.last + 1)[:MOST_SEARCHED]
        chosen = next((k for k in indices if _released(shape, execution, outputs, k) == evidence.output), None)
    if chosen is None:
        return holes(execution, evidence)
    columns = OutputColumns(shape, execution, evidence, outputs, window(outputs, chosen), chosen)
    return f"{columns.draw_cells()}\n{columns.draw_laws()}"


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


class OutputColumns(NamedTuple):
    """The outputs around the one in question, side by side: each has a column, a cell or a pair of bars."""

    shape: Shape
    execution: Execution
    evidence: ExactLoss
    outputs: Outputs
    shown: range  # the indices of these outputs
    chosen: int

    def labels(self, values: list[Fraction], left: Callable[[float], float], *, chosen: int, y: float) -> list[str]:
        """Return a label for each column; so many are empty that none meet, but not that of the output in question."""
        spacing = left(1) - left(0)
        longest = max(len(_short(value)) for value in values)
        stride = max(1, math.ceil((longest + 1) * LETTER / (spacing * WIDTH / 100)))
        return [
            ""
            if (place - chosen) % stride
            else written(_short(value), x=left(place) + spacing / 2, y=y, anchor="middle")
            for place, value in enumerate(values)
        ]

    def draw_cells(self) -> str:
        """Return a number line: each cell of sums that is snapped to one value, and the inputs, as noise is added."""
        shape, first = self.shape, self.shown.start
        left = scale(0, len(self.shown), start=MARGIN, end=100 - MARGIN)
        values = [self.outputs.at(index) for index in self.shown]
        drawn = []
        for place, label in enumerate(self.labels(values, left, chosen=self.chosen - first, y=78)):
            low, high = cell_ends(shape, values[place])
            sums = f"from {'-infinity' if low is None else exact_float(low)}"
            sums += f" to {'infinity' if high is None else exact_float(high)}"
            is_chosen = first + place == self.chosen
            cell = box(x=left(place), y=40, width=left(1) - left(0), height=22, look="cell", ringed=is_chosen)
            drawn.append(together([cell, label], f"output {exact_float(values[place])}: sums {sums}"))
        for sign, private, y in (("f(D)", self.evidence.f, 14), ("f(D')", self.evidence.f_prime, 28)):
            value = private if shape.path is None else value_on(shape.path, private, self.execution.machine)
            name = sign if value == private else f"scaled {sign}"
            where = (value - self.outputs.offset) / self.outputs.grid - first + Fraction(1, 2)
            x = left(float(min(max(where, Fraction(0)), Fraction(len(self.shown)))))
            beyond = "" if 0 <= where <= len(self.shown) else " (outside the picture)"
            drawn.append(upright(x, top=y + 2, foot=62, look="axis"))
            drawn.append(written(f"{name} = {_short(value)}{beyond}", x=x, y=y, anchor=inside(x, reach=17)))
        title = f"Cells of the sum around the output {exact_float(self.outputs.at(self.chosen))}"
        return _figure(drawn, title, height=88)

    def draw_laws(self) -> str:
        """Return paired bars of the exact probabilities from f and f', on a logarithmic scale."""
        shape, execution, output = self.shape, self.execution, self.evidence.output
        pair = [ProgramLaw(execution, value, shape) for value in (self.evidence.f, self.evidence.f_prime)]
        released = [_released(shape, execution, self.outputs, index) for index in self.shown]
        held = released
        if shape.snap.released is None:
            held = [held_output(shape, execution.machine, value) for value in released]
        heights = [[_log2(law.probability(value).upper) for law in pair] for value in held]
        possible = [height for both in heights for height in both if height is not None]
        if not possible:
            return ""
        bottom, top, floor = min(possible), max(*possible, min(possible) + 1.0), 170
        left = scale(0, len(self.shown), start=AXIS, end=100 - MARGIN)
        size, spacing = scale(bottom, top, start=8, end=140), left(1) - left(0)
        drawn = []
        for tick in map(float, ticks(bottom, top, 5)):
            drawn.append(level(floor - size(tick), start=AXIS - 0.6, end=AXIS))
            drawn.append(written(f"2^{tick:g}", x=AXIS - 1, y=floor - size(tick) + 4, anchor="end"))
        chosen = released.index(output) if output in released else 0
        labels = self.labels(released, left, chosen=chosen, y=floor + 16)
        for place, (value, both) in enumerate(zip(released, heights, strict=True)):
            bars = [
                box(
                    x=left(place) + spacing * (0.12 + 0.38 * side),
                    y=floor - size(height),
                    width=spacing * 0.36,
                    height=size(height),
                    look=SIDES[side],
                    ringed=value == output,
                )
                for side, height in enumerate(both)
                if height is not None
            ]
            powers = ", ".join("impossible" if height is None else f"2^{height:.2f}" for height in both)
            drawn.append(together([*bars, labels[place]], f"output {exact_float(value)}: {powers}"))
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
    mantissa, exponent = _scaled(x)
    return exponent + math.log2(mantissa)


def _short(x: Fraction) -> str:
    full = exact_float(x)
    return full if len(full) <= 9 else general(x, 6)
