"""The report of a verdict: one page of HTML with everything in it, no script, nothing fetched.

Room: verifier. For auditors: verdict, the program that was judged, version, certificate, loss against claim, bracket,
premises, pictures, the case table at the pair in question, reproduction, and the folding derivation. What has dozens of
digits is told short, rounded to the side that is safe, and folds out exactly.
"""

from __future__ import annotations

import sys
from fractions import Fraction
from typing import NamedTuple
from urllib.parse import quote

from snapdp.display import (
    Html,
    decimal_up,
    escape,
    exact_float,
    folded,
    html_block,
    html_fragment,
    html_page,
    html_table,
    scientific_up,
)
from snapdp.exact import Enclosure
from snapdp.mechanism import SnappingParameters
from snapdp.verifier.language.printing import printed
from snapdp.verifier.loss.cases import noised
from snapdp.verifier.loss.pointwise import Pointwise, case_table
from snapdp.verifier.loss.shape import TheoremPremise
from snapdp.verifier.loss.universal_bound import decimal_places
from snapdp.verifier.loss.verdict import Verdict
from snapdp.verifier.mechanism_program import program_of_mechanism
from snapdp.verifier.report.cases import HEADS, case_rows, cases_legend, readable
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
    verdict: Verdict, certificate: CertificateFile | None = None, *, parameters: SnappingParameters | None = None
) -> str:
    """Return the report of a verdict, with a link to its certificate if there is one.

    parameters   of the mechanism whose program was judged: the page then begins with what it was chosen to be
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
    parts += [_cases(verdict), _reproduction(verdict), _derivation(verdict)]
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


def _cases(verdict: Verdict) -> str:
    """Return the table of cases at the pair in question, as the program counts; probabilities and long numbers fold."""
    if verdict.universal is None or verdict.shape.failed:
        return ""
    pair = f, f_prime = _pair(verdict)
    said = f"For f(a) = {_owned(f, verdict)} and f(a') = {_owned(f_prime, verdict)}: in every case the output with the "
    said += f"largest bound; constants are C = {measure_of(verdict).formula}."
    heads = (HEADS[0], HEADS[1] if verdict.shape.snap.released is None else "at snapped value", *HEADS[2:])
    parts = [
        "<h2>Cases</h2>",
        f"<p>{escape(said)}</p>",
        html_table(heads, case_rows(verdict, [pair]), kinds=("c", *"nnnnn")),
        f'<p class="dim">{escape(cases_legend(verdict))}</p>',
        folded("Probabilities of these outputs", _probabilities(verdict, f, f_prime)),
    ]
    if any(readable(value) != exact_float(value) for value in pair):
        exact = [(name, str(value)) for name, value in (("f(a)", f), ("f(a')", f_prime))]
        parts.append(folded("The two values exactly", html_table(("", "value"), exact, kinds=("c", "n"))))
    return "\n".join(parts)


def _probabilities(verdict: Verdict, f: Fraction, f_prime: Fraction) -> Html:
    one, other = noised(f, verdict), noised(f_prime, verdict)
    found = case_table(verdict.shape, verdict.machine, f=one, f_prime=other)
    rows = [(case, exact_float(post.output), *_enclosures(post)) for case, post in found if post is not None]
    return html_table(("case", "output", "from f(a)", "from f(a')"), rows, kinds=("c", *"nnn"))


def _owned(value: Fraction, verdict: Verdict) -> str:
    """Return a value of the pair, and whose it is where the loss is largest: cases put the smaller one first."""
    if verdict.evidence is None:
        return readable(value)
    owner = "D" if value == verdict.evidence.f else "D'"
    return f"{readable(value)} (that of {owner} above)"


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
    return f"{float(middle / Fraction(2) ** exponent):.12f} 2^{exponent} (1 ± {float((e.width / 2) / middle):.2g})"


def _reproduction(verdict: Verdict) -> str:
    script = python_lines(verdict)
    return f"<h2>Reproduction in plain Python</h2>\n{html_block(chr(10).join(script))}" if script else ""


def _derivation(verdict: Verdict) -> str:
    found = found_derivations(verdict)
    if isinstance(found, str):
        return f"<p>No derivation: {escape(found)}</p>"
    return "\n".join(["<h2>Derivation</h2>", *html_trees(found)])
