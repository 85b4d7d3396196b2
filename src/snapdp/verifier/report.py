"""The report of a verdict: one page of HTML with everything in it, no script, nothing fetched.

Room: verifier. For auditors: verdict, bracket, premises, the case table at the pair in question, pictures, the folding
derivation, reproduction, and the program that was judged.
"""

from __future__ import annotations

from fractions import Fraction
from html import escape

from snapdp.exact.enclosure import Enclosure
from snapdp.verifier.derivation import html_trees, machine_text
from snapdp.verifier.loss import decimal_places
from snapdp.verifier.pictures import picture
from snapdp.verifier.pointwise import FORMS, Pointwise, case_table
from snapdp.verifier.printing import printed
from snapdp.verifier.reproduction import python_lines
from snapdp.verifier.summary import amount, decimal, found_derivations, headline, number, shown_excess
from snapdp.verifier.verdict import Verdict

STYLE = """
:root { color-scheme: light dark; --line: #8886; --one: #2a6fb0; --two: #c07a1e; --bad: #c0392b; --good: #1e8449; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
pre, code { font-family: ui-monospace, monospace; font-size: .9em; }
pre { padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .4rem; overflow-x: auto; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { text-align: left; padding: .25rem .8rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td.c { white-space: nowrap; }
td.n { font-family: ui-monospace, monospace; white-space: nowrap; }
.verdict { display: inline-block; padding: .1rem .7rem; border-radius: .4rem; color: #fff; background: #806000; }
.VERIFIED, .proved { --badge: var(--good); } .REFUTED, .failed { --badge: var(--bad); }
.VERIFIED, .REFUTED { background: var(--badge); }
.proved, .failed { color: var(--badge); font-weight: 600; }
details, .leaf { margin: .15rem 0 .15rem 1.2rem; }
summary { cursor: pointer; }
.rule { font-variant: small-caps; opacity: .75; white-space: nowrap; }
figure { margin: 1rem 0; } figcaption { opacity: .75; font-size: .9em; }
svg { width: 100%; height: auto; }
svg text { font: 12px system-ui, sans-serif; fill: currentColor; text-anchor: middle; }
svg rect { fill: none; stroke: var(--line); } svg .mark { stroke: currentColor; fill: none; opacity: .6; }
svg .cut { stroke: var(--bad); stroke-dasharray: 3 3; fill: none; } svg .law0 { fill: var(--one); stroke: none; }
svg .law1 { fill: var(--two); stroke: none; } svg .chosen rect { stroke: var(--bad); stroke-width: 2; }
svg circle.chosen { fill: var(--bad); } svg text[text-anchor=start] { text-anchor: start; }
svg text[text-anchor=end] { text-anchor: end; }
"""


def page(verdict: Verdict) -> str:
    """Return the report of a verdict."""
    title = f"{verdict.kind}: {verdict.program.name}"
    parts = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>",
        f'<h1><span class="verdict {verdict.kind}">{verdict.kind}</span> {escape(verdict.program.name)}</h1>',
        f"<p>{escape(headline(verdict))}.</p>",
        _numbers(verdict),
        _premises(verdict),
    ]
    if verdict.execution is not None and verdict.evidence is not None:
        parts.append("<h2>Where the loss is largest</h2>")
        parts.append(picture(verdict.shape, verdict.execution, verdict.evidence))
    parts += [_cases(verdict), _reproduction(verdict), _derivation(verdict)]
    parts.append(f"<h2>The program</h2>\n<pre>{escape(printed(verdict.program))}</pre>")
    parts += [f"<p>{escape(remark)}</p>" for remark in verdict.remarks]
    return "\n".join([*(part for part in parts if part), "</body>\n</html>\n"])


def _table(head: tuple[str, ...], rows: list[str]) -> str:
    columns = "".join(f"<th>{escape(name)}</th>" for name in head)
    return f"<table>\n<thead><tr>{columns}</tr></thead>\n<tbody>\n" + "\n".join(rows) + "\n</tbody>\n</table>"


def _numbers(verdict: Verdict) -> str:
    lower = amount(verdict.lower, verdict, up=False, infinite=verdict.is_infinite)
    rows = [
        ("loss, exact at one output", lower, shown_excess(verdict.lower, verdict)),
        ("loss, certified for all", amount(verdict.upper, verdict, up=True), shown_excess(verdict.upper, verdict)),
        ("claimed", amount(verdict.claim.value, verdict, up=False), shown_excess(verdict.claim.value, verdict)),
    ]
    if verdict.approximate is not None:
        both = verdict.approximate
        shown = (
            f"epsilon {decimal(both.epsilon, decimal_places(verdict.machine), up=True)}, delta {float(both.delta):.3g}"
        )
        rows.append(("holds, with a delta", shown, ""))
    body = [
        f'<tr><td>{escape(name)}</td><td class="n">{escape(value)}</td><td class="n">{escape(c)}</td></tr>'
        for name, value, c in rows
    ]
    table = _table(("", "loss", "C = (loss - eps)/(B eps eta)"), body)
    return f"{table}\n<p>Machine: {escape(machine_text(verdict.machine))}.</p>"


def _premises(verdict: Verdict) -> str:
    rows = [
        f'<tr><td class="{p.status}">{p.status}</td><td>{escape(p.name)}</td><td>{escape(p.detail)}</td></tr>'
        for p in verdict.premises
    ]
    return "<h2>Premises</h2>\n" + _table(("", "premise", ""), rows)


def _cases(verdict: Verdict) -> str:
    if verdict.universal is None:
        return ""
    f, f_prime = _pair(verdict)
    tables = [case_table(verdict.shape, verdict.machine, f=f, f_prime=f_prime, form=form) for form in FORMS]
    rows = []
    for (case, post), (_, note) in zip(*tables, strict=True):
        if post is None:
            rows.append(f'<tr><td class="c">{escape(case)}</td><td colspan="5">no output</td></tr>')
            continue
        cells = [number(post.output), *_enclosures(post), _excess_of(post, verdict), _excess_of(note, verdict)]
        rows.append(
            f'<tr><td class="c">{escape(case)}</td>'
            + "".join(f'<td class="n">{escape(c)}</td>' for c in cells)
            + "</tr>"
        )
    pair = escape(f"For f(D) = {number(f)} and f(D') = {number(f_prime)}")
    said = f"<p>{pair}: in every case the output with the largest bound.</p>"
    head = ("case", "output", "probability from f(D)", "from f(D')", "C, sum as a fixed map", "C, sum as an error")
    return f"<h2>Cases</h2>\n{said}\n" + _table(head, rows)


def _pair(verdict: Verdict) -> tuple[Fraction, Fraction]:
    evidence, shape = verdict.evidence, verdict.shape
    if evidence is not None:
        return min(evidence.f, evidence.f_prime), max(evidence.f, evidence.f_prime)
    assert shape.lower is not None
    assert shape.upper is not None
    assert shape.query is not None
    return max(shape.lower, shape.upper - shape.query.sensitivity), shape.upper


def _enclosures(found: Pointwise) -> list[str]:
    return [_enclosure(tails.probability) for tails in (found.tails, found.tails_prime)]


def _enclosure(e: Enclosure) -> str:
    middle = (e.lower + e.upper) / 2
    if middle == 0:
        return "0"
    exponent = middle.numerator.bit_length() - middle.denominator.bit_length()
    return f"{float(middle / Fraction(2) ** exponent):.12f} 2^{exponent} (1 ± {float((e.width / 2) / middle):.2g})"


def _excess_of(found: Pointwise | None, verdict: Verdict) -> str:
    return "none" if found is None or found.bound is None else shown_excess(found.bound, verdict)


def _reproduction(verdict: Verdict) -> str:
    script = python_lines(verdict)
    return f"<h2>Reproduction in plain Python</h2>\n<pre>{escape(chr(10).join(script))}</pre>" if script else ""


def _derivation(verdict: Verdict) -> str:
    found = found_derivations(verdict)
    if isinstance(found, str):
        return f"<p>No derivation: {escape(found)}</p>"
    return "\n".join(["<h2>Derivation</h2>", *html_trees(found)])
