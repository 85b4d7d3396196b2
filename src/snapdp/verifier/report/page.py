"""The report of a verdict: one page of HTML with everything in it, no script, nothing fetched.

Room: verifier. For auditors: verdict, the program that was judged, version, certificate, loss against claim, bracket,
premises, pictures, the case table at the pair in question, reproduction, and the folding derivation. What has dozens of
digits is told short, rounded to the side that is safe, and folds out exactly.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple
from urllib.parse import quote

from snapdp.display import (
    Html,
    decimal_up,
    escape,
    exact_float,
    folded,
    general,
    html_block,
    html_fragment,
    html_page,
    html_table,
    scientific_up,
)
from snapdp.exact import Enclosure
from snapdp.mechanism import SnappingParameters
from snapdp.verifier.language.printing import printed
from snapdp.verifier.loss.cases import Pair, noised
from snapdp.verifier.loss.pointwise import Pointwise, case_table
from snapdp.verifier.loss.shape import TheoremPremise
from snapdp.verifier.loss.universal_bound import decimal_places
from snapdp.verifier.loss.verdict import Verdict
from snapdp.verifier.mechanism_program import program_of_mechanism
from snapdp.verifier.report.cases import HEADS, case_rows, cases_legend, in_data_units, pairs_text, readable
from snapdp.verifier.report.derivation import html_trees, machine_text
from snapdp.verifier.report.measure import measure_of
from snapdp.verifier.report.mechanism import from_epsilon, mechanism_headline, mechanism_premises, mechanism_rows
from snapdp.verifier.report.pictures import against_claim, picture
from snapdp.verifier.report.reproduction import python_lines
from snapdp.verifier.report.summary import amount, found_derivations, headline

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
    said = headline(verdict) if parameters is None else mechanism_headline(parameters, verdict)
    parts: list[str] = [
        f'<h1><span class="verdict {verdict.kind}">{verdict.kind}</span> {escape(verdict.program.name)}</h1>',
        f"<p>{escape(said)}.</p>",
        html_block(printed(verdict.program) if parameters is None else program_of_mechanism(parameters).text),
        _origin(certificate),
        "" if parameters is None else _mechanism(parameters, verdict),
        against_claim(verdict),
        _numbers(verdict),
        _premises(verdict.premises if parameters is None else mechanism_premises(parameters, verdict)),
    ]
    if verdict.execution is not None and verdict.evidence is not None:
        parts.append("<h2>Where the loss is largest</h2>")
        parts.append(picture(verdict.shape, verdict.execution, verdict.evidence))
    parts += [_cases(verdict, pairs, parameters), _reproduction(verdict), _derivation(verdict)]
    parts += [f"<p>{escape(remark)}</p>" for remark in verdict.remarks]
    return html_page(f"{verdict.kind}: {verdict.program.name}", parts)


def _mechanism(parameters: SnappingParameters, verdict: Verdict) -> str:
    chosen = [row for row in mechanism_rows(parameters, verdict) if not row[0].startswith("loss")]
    return f"<h2>The mechanism</h2>\n{html_table(('', ''), chosen)}"


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
    measure, infinite = measure_of(verdict), verdict.is_infinite
    known = [
        (
            "loss, exact at one output",
            verdict.lower,
            amount(verdict.lower, verdict, up=False, infinite=infinite),
            False,
        ),
        ("loss, certified for all", verdict.upper, amount(verdict.upper, verdict, up=True), True),
        ("claimed", verdict.claim.value, amount(verdict.claim.value, verdict, up=False), False),
    ]
    told = [_short_loss(loss, text, verdict, up=up) for _, loss, text, up in known]
    rows = [
        (name, short, "none" if loss is None else measure.signed(loss))
        for short, (name, loss, _, _) in zip(told, known, strict=True)
    ]
    if verdict.approximate is not None:
        both = verdict.approximate
        epsilon = decimal_up(both.epsilon, decimal_places(verdict.machine))
        rows.append(("holds, with a delta", f"epsilon {epsilon}, delta {scientific_up(both.delta, 3)}", ""))
    parts = [html_table(("", "loss", f"C = {measure.formula}"), rows, kinds=("", "n", "n"))]
    if told != [text for _, _, text, _ in known]:
        digits = html_table(("", "loss"), [(name, text) for name, _, text, _ in known], kinds=("", "n"))
        parts.append(folded("All digits", digits))
    return "\n".join([*parts, f"<p>Machine: {escape(machine_text(verdict.machine))}.</p>"])


def _short_loss(loss: Fraction | None, text: str, verdict: Verdict, *, up: bool) -> str:
    epsilon = verdict.scale.epsilon
    return text if loss is None or len(text) <= MOST_DIGITS or not epsilon else from_epsilon(loss, epsilon, up=up)


def _premises(premises: tuple[TheoremPremise, ...]) -> str:
    rows = [(Html(f'<span class="{p.status}">{p.status}</span>'), p.name, p.detail) for p in premises]
    return f"<h2>Premises</h2>\n{html_table(('', 'premise', ''), rows, kinds=('c', 'c', ''))}"


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
    if len(wanted) == 1 and any(readable(value) != exact_float(value) for value in wanted[0]):
        exact = [
            (name, str(in_data_units(value, parameters)))
            for name, value in zip(("f(a)", "f(a')"), wanted[0], strict=True)
        ]
        parts.append(folded("The two values exactly", html_table(("", "value"), exact, kinds=("c", "n"))))
    return "\n".join(parts)


def _probabilities(verdict: Verdict, pair: Pair, parameters: SnappingParameters | None) -> Html:
    one, other = sorted(noised(value, verdict) for value in pair)
    found = case_table(verdict.shape, verdict.machine, f=one, f_prime=other)
    rows = [
        (case, exact_float(in_data_units(post.output, parameters)), *_enclosures(post))
        for case, post in found
        if post is not None
    ]
    return html_table(("case", "output", "from f(a)", "from f(a')"), rows, kinds=("c", *"nnn"))


def _owned_pair(verdict: Verdict, parameters: SnappingParameters | None) -> str:
    """Return the pair in question, and whose value is which where the loss is largest: the smaller one is first."""
    said = [
        f"{name} = {readable(in_data_units(value, parameters))}{_owner(value, verdict)}"
        for name, value in zip(("f(a)", "f(a')"), _pair(verdict), strict=True)
    ]
    return " and ".join(said)


def _owner(value: Fraction, verdict: Verdict) -> str:
    if verdict.evidence is None:
        return ""
    return " (that of D above)" if value == verdict.evidence.f else " (that of D' above)"


def _pair(verdict: Verdict) -> tuple[Fraction, Fraction]:
    evidence, shape = verdict.evidence, verdict.shape
    if evidence is not None:
        low, high = sorted((evidence.f, evidence.f_prime), key=lambda f: noised(f, verdict))
        return low, high
    low, high = (end for end in shape.private if end is not None)
    assert shape.query is not None
    return max(low, high - shape.query.sensitivity), high


def _enclosures(found: Pointwise) -> list[str]:
    return [_enclosure(tails.probability) for tails in (found.tails, found.tails_prime)]


def _enclosure(e: Enclosure) -> str:
    middle = (e.lower + e.upper) / 2
    if middle == 0:
        return "0"
    exponent = middle.numerator.bit_length() - middle.denominator.bit_length()
    return f"{float(middle / Fraction(2) ** exponent):.12f} 2^{exponent} (1 ± {general((e.width / 2) / middle, 2)})"


def _reproduction(verdict: Verdict) -> str:
    script = python_lines(verdict)
    return f"<h2>Reproduction in plain Python</h2>\n{html_block(chr(10).join(script))}" if script else ""


def _derivation(verdict: Verdict) -> str:
    found = found_derivations(verdict)
    if isinstance(found, str):
        return f"<p>No derivation: {escape(found)}</p>"
    return "\n".join(["<h2>Derivation</h2>", *html_trees(found)])
