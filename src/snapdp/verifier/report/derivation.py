"""Derivations for readers: text, a LaTeX tree, a page of HTML that folds, and plain values for machines.

Room: verifier. One step per line: the expression, the interval that holds its float value, and the rule's name.
Steps that only look something up (Var, F(D), Sample, Const-F) are left out of the text and kept in the trees.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from snapdp.display import TEXT_STYLE, Html, escape, folded, html_block, html_page
from snapdp.verifier.language.printing import expression_text, names_of, printed, statement_text
from snapdp.verifier.machine.machine import Machine
from snapdp.verifier.report.notation import Latex, Notation
from snapdp.verifier.rules.rules import Derivation, DerivedLine, Inference, steps

ROUNDED_SUMS = (
    "every operation rounds once, to nearest, ties to even",
    "strict order of evaluation, no fma, no extended precision",
    "exponents of intermediate results are unbounded",
    "the query's value is a float of the machine",
)
EXACT_SUMS = ("every operation but + and - rounds once, to nearest, ties to even; the sum is exact", *ROUNDED_SUMS[1:3])
LOOKUPS = frozenset(("Var", "F(D)", "Sample", "Const-F", "VAR", "SAMPLE", "VAL-EQ"))


def machine_text(machine: Machine) -> str:
    """Return a machine in words."""
    ln = "ln correctly rounded" if machine.ln_roundings == 1 else f"ln within {machine.ln_roundings} roundings"
    least = "U unbounded below" if machine.umin is None else f"U >= 2^{machine.umin}"
    sums = ", the sum is exact" if machine.adds_exactly else ""
    return f"p = {machine.p}, eta = 2^-{machine.p}, {ln}, sampler {machine.sampler}, {least}{sums}"


def assumptions(machine: Machine) -> tuple[str, ...]:
    """Return what every derivation on the machine takes for granted; an exact sum asks nothing of the query's value."""
    return EXACT_SUMS if machine.adds_exactly else ROUNDED_SUMS


def derivation_text(derivation: Derivation) -> str:
    """Return a derivation as text: statement by statement, premises above what they prove."""
    names, notation = names_of(derivation.program), notation_of(derivation)
    lines = [derivation_title(derivation)]
    for line in derivation.lines:
        lines += ["", f"{statement_text(line.statement, names)};"]
        rows = [
            (expression_text(s.expression, names), notation.interval(s.interval.lower, s.interval.upper), s.rule)
            for s in steps(line.step)
            if s.rule not in LOOKUPS or s is line.step
        ]
        left, middle = (max(len(row[column]) for row in rows) for column in (0, 1))
        lines += [f"  {row[0]:<{left}}  => {row[1]:<{middle}}  ({row[2]})" for row in rows]
    return "\n".join([*lines, "", "Assumed: " + "; ".join(assumptions(derivation.machine)) + ".", ""])


def derivation_title(derivation: Derivation) -> str:
    """Return what a derivation is about: program, machine, and the sign it is made for."""
    return f"{derivation.program.name} on {machine_text(derivation.machine)}{_case(derivation)}"


def derivation_values(derivations: tuple[Derivation, ...]) -> dict[str, Any]:
    """Return derivations as plain values, with the program and the machine they are about."""
    program, machine = derivations[0].program, derivations[0].machine
    return {
        "ok": True,
        "program": printed(program),
        "machine": machine.stated,
        "assumptions": list(assumptions(machine)),
        "derivations": [
            {"sign": derivation.sign, "statements": [_statement(line, derivation) for line in derivation.lines]}
            for derivation in derivations
        ],
    }


def _statement(line: DerivedLine, derivation: Derivation) -> dict[str, Any]:
    notation = notation_of(derivation)
    found = [
        {
            "expression": expression_text(step.expression, notation.names),
            "lower": notation.bound(step.interval.lower),
            "upper": notation.bound(step.interval.upper),
            "rule": step.rule,
        }
        for step in steps(line.step)
    ]
    return {"statement": statement_text(line.statement, notation.names), "steps": found}


def derivation_latex(derivations: tuple[Derivation, ...]) -> str:
    r"""Return a LaTeX document: for each statement a tree of \dfrac, premises above conclusions."""
    parts = [
        r"\documentclass[varwidth=\maxdimen,border=6pt]{standalone}",
        r"\usepackage{amsmath}",
        r"\begin{document}",
    ]
    for derivation in derivations:
        notation = Latex(names_of(derivation.program), _taken(derivation))
        parts.append(f"% {derivation_title(derivation)}")
        for line in derivation.lines:
            parts += [f"% {statement_text(line.statement, notation.names)}", rf"\[{_tree(line.step, notation)}\]"]
    return "\n".join([*parts, r"\end{document}", ""])


def _tree(step: Inference, notation: Latex) -> str:
    above = r" \qquad ".join(_tree(premise, notation) for premise in step.premises)
    # Above a line stand the program's own names (U); in the interval the symbols of bounds (u).
    program_names = Latex(notation.names, taken="abcdefghijklmnopqrstuvwxyz")
    interval = notation.interval(step.interval.lower, step.interval.upper)
    conclusion = rf"{program_names.bound(step.expression)} \Rightarrow {interval}"
    rule = step.rule.replace("+-2^k", r"$\pm 2^k$")
    return rf"\dfrac{{{above}}}{{{conclusion}}}\;\textsc{{{rule}}}"


def derivation_page(derivations: tuple[Derivation, ...]) -> str:
    """Return one page with everything in it: no script, nothing fetched; every tree folds."""
    first = derivations[0]
    title = f"Derivation of {first.program.name}"
    parts = [
        f"<h1>{escape(title)}</h1>",
        f"<p>Machine: {escape(machine_text(first.machine))}.</p>",
        html_block(printed(first.program)),
        "<p>Assumed: " + "; ".join(assumptions(first.machine)) + ".</p>",
    ]
    return html_page(title, [*parts, *html_trees(derivations)], style=TEXT_STYLE)


def html_trees(derivations: tuple[Derivation, ...]) -> Iterator[str]:
    """Yield the headings and folding trees of a page, for this page and for the report of a verdict."""
    for derivation in derivations:
        names, notation = names_of(derivation.program), notation_of(derivation)
        if derivation.sign is not None:
            yield f"<h2>{escape(_case(derivation).lstrip(', '))}</h2>"
        for line in derivation.lines:
            yield f"<h3><code>{escape(statement_text(line.statement, names))}</code></h3>"
            yield _fold(line.step, notation)


def _fold(step: Inference, notation: Notation) -> Html:
    said = Html(
        f"<code>{escape(expression_text(step.expression, notation.names))} &rArr; "
        f"{escape(notation.interval(step.interval.lower, step.interval.upper))}</code> "
        f'<span class="rule">{escape(step.rule)}</span>'
    )
    if not step.premises:
        return Html(f'<div class="leaf">{said}</div>')
    inner = Html("\n".join(_fold(premise, notation) for premise in step.premises))
    return folded(said, inner, is_open=True)


def notation_of(derivation: Derivation) -> Notation:
    """Return how bounds of a derivation are written."""
    return Notation(names_of(derivation.program), _taken(derivation))


def _taken(derivation: Derivation) -> set[str]:
    program = derivation.program
    return {
        *(name for name, _ in program.parameters),
        *(query.name for query in program.queries),
        *(statement.name for statement in program.statements),
    }


def _case(derivation: Derivation) -> str:
    if derivation.sign is None:
        return ""
    name = next(s.name for s in derivation.program.statements if getattr(s, "distribution", None) == "sign")
    return f", {name} = {derivation.sign:+d}"
