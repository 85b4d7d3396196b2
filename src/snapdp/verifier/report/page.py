"""The report of a verdict: one page of HTML with everything in it, no script, nothing fetched.

Room: verifier. For auditors: verdict, the program that was judged, loss against claim, bracket, version,
certificate, premises, the case table at the pair in question, pictures, reproduction, and the folding derivation.
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
    html_block,
    html_fragment,
    html_page,
    html_table,
    scientific_up,
)
from snapdp.exact import Enclosure
from snapdp.verifier.language.printing import printed
from snapdp.verifier.loss.cases import noised
from snapdp.verifier.loss.pointwise import FORMS, Pointwise, case_table
from snapdp.verifier.loss.universal_bound import decimal_places
from snapdp.verifier.loss.verdict import Verdict
from snapdp.verifier.report.derivation import html_trees, machine_text
from snapdp.verifier.report.pictures import against_claim, picture
from snapdp.verifier.report.reproduction import python_lines
from snapdp.verifier.report.summary import amount, found_derivations, headline, shown_excess

LONGEST = 500  # of the line of a verdict in a notebook


class CertificateFile(NamedTuple):
    """Where the certificate of a verdict lies, as seen from its report, and the SHA-256 of the file."""

    reference: str
    digest: str


def verdict_page(verdict: Verdict, certificate: CertificateFile | None = None) -> str:
    """Return the report of a verdict, with a link to its certificate if there is one."""
    parts: list[str] = [
        f'<h1><span class="verdict {verdict.kind}">{verdict.kind}</span> {escape(verdict.program.name)}</h1>',
        f"<p>{escape(headline(verdict))}.</p>",
        html_block(printed(verdict.program)),
        against_claim(verdict),
        _numbers(verdict),
        _origin(certificate),
        _premises(verdict),
    ]
    if verdict.execution is not None and verdict.evidence is not None:
        parts.append("<h2>Where the loss is largest</h2>")
        parts.append(picture(verdict.shape, verdict.execution, verdict.evidence))
    parts += [_cases(verdict), _reproduction(verdict), _derivation(verdict)]
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
    lower = amount(verdict.lower, verdict, up=False, infinite=verdict.is_infinite)
    rows = [
        ("loss, exact at one output", lower, shown_excess(verdict.lower, verdict)),
        ("loss, certified for all", amount(verdict.upper, verdict, up=True), shown_excess(verdict.upper, verdict)),
        ("claimed", amount(verdict.claim.value, verdict, up=False), shown_excess(verdict.claim.value, verdict)),
    ]
    if verdict.approximate is not None:
        both = verdict.approximate
        epsilon = decimal_up(both.epsilon, decimal_places(verdict.machine))
        rows.append(("holds, with a delta", f"epsilon {epsilon}, delta {scientific_up(both.delta, 3)}", ""))
    table = html_table(("", "loss", "C = (loss - eps)/(B eps eta)"), rows, kinds=("", "n", "n"))
    return f"{table}\n<p>Machine: {escape(machine_text(verdict.machine))}.</p>"


def _premises(verdict: Verdict) -> str:
    rows = [(Html(f'<span class="{p.status}">{p.status}</span>'), p.name, p.detail) for p in verdict.premises]
    return f"<h2>Premises</h2>\n{html_table(('', 'premise', ''), rows)}"


def _cases(verdict: Verdict) -> str:
    if verdict.universal is None:
        return ""
    f, f_prime = _pair(verdict)
    one, other = noised(f, verdict), noised(f_prime, verdict)
    tables = [case_table(verdict.shape, verdict.machine, f=one, f_prime=other, form=form) for form in FORMS]
    rows: list[tuple[str, ...]] = []
    for (case, post), (_, note) in zip(*tables, strict=True):
        if post is None:
            rows.append((case, "no output"))
            continue
        excesses = _excess_of(post, verdict), _excess_of(note, verdict)
        rows.append((case, exact_float(post.output), *_enclosures(post), *excesses))
    pair = escape(f"For f(a) = {_owned(f, verdict)} and f(a') = {_owned(f_prime, verdict)}")
    said = f"<p>{pair}: in every case the output with the largest bound.</p>"
    outputs = "output" if verdict.shape.snap.released is None else "snapped value"
    head = ("case", outputs, "probability from f(a)", "from f(a')", "C, sum as a fixed map", "C, sum as an error")
    return f"<h2>Cases</h2>\n{said}\n{html_table(head, rows, kinds=('c', *'nnnnn'))}"


def _owned(value: Fraction, verdict: Verdict) -> str:
    """Return a value of the pair, and whose it is where the loss is largest: cases put the smaller one first."""
    if verdict.evidence is None:
        return exact_float(value)
    owner = "D" if value == verdict.evidence.f else "D'"
    return f"{exact_float(value)} (that of {owner} above)"


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


def _excess_of(found: Pointwise | None, verdict: Verdict) -> str:
    return "none" if found is None or found.loss_upper is None else shown_excess(found.loss_upper, verdict)


def _reproduction(verdict: Verdict) -> str:
    script = python_lines(verdict)
    return f"<h2>Reproduction in plain Python</h2>\n{html_block(chr(10).join(script))}" if script else ""


def _derivation(verdict: Verdict) -> str:
    found = found_derivations(verdict)
    if isinstance(found, str):
        return f"<p>No derivation: {escape(found)}</p>"
    return "\n".join(["<h2>Derivation</h2>", *html_trees(found)])
