"""Derivations by the rules of L20 as printed, for readers and for machines, with the warning that they are unsound.

Room: verifier. The printed rules take the least and greatest of four corners at every step, so a bound written out
doubles with each of them. Steps are numbered here, and lo3 and hi3 are the bounds of step 3.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any, NamedTuple

from snapdp.display import escape, html_block, html_page, html_table
from snapdp.verifier.language.printing import expression_text, names_of, printed, statement_text
from snapdp.verifier.machine.semantics import Bound
from snapdp.verifier.report.derivation import LOOKUPS, derivation_title, notation_of
from snapdp.verifier.report.notation import ATOM, Notation, Shown
from snapdp.verifier.rules.printed_rules import warning
from snapdp.verifier.rules.rules import Derivation, steps

WIDTH = 79
PAGE_HEADS = ("step", "expression", "rule", "lower bound", "upper bound")


class Referring(Notation):
    """Plain text in which the bounds of earlier steps are names."""

    def __init__(self, usual: Notation) -> None:
        super().__init__(usual.names, usual.taken)
        self.named: dict[int, str] = {}

    def _shown(self, bound: Bound) -> Shown:
        name = self.named.get(id(bound))
        return super()._shown(bound) if name is None else Shown(name, ATOM)


class NumberedStep(NamedTuple):
    """One step, its number (None: it only looks something up), and its bounds in terms of earlier steps."""

    statement: str
    number: int | None
    expression: str
    rule: str
    lower: str
    upper: str


def numbered_steps(derivation: Derivation) -> Iterator[NumberedStep]:
    """Yield the steps of a derivation that do more than look something up, and all that end a statement."""
    names, notation = names_of(derivation.program), Referring(notation_of(derivation))
    number = 0
    for line in derivation.lines:
        said = statement_text(line.statement, names)
        for step in steps(line.step):
            looked_up, lower, upper = step.rule in LOOKUPS, step.interval.lower, step.interval.upper
            if looked_up and step is not line.step:
                continue
            number += not looked_up
            shown = expression_text(step.expression, names), step.rule, notation.bound(lower), notation.bound(upper)
            yield NumberedStep(said, None if looked_up else number, *shown)
            if not looked_up:
                notation.named |= {id(lower): f"lo{number}", id(upper): f"hi{number}"}


def printed_rules_text(derivations: tuple[Derivation, ...], *, rules: str, width: int = WIDTH) -> str:
    """Return derivations by printed rules as text, the warning first."""
    lines = textwrap.wrap(warning(rules), width)
    for derivation in derivations:
        lines += ["", *textwrap.wrap(derivation_title(derivation), width, subsequent_indent="  ")]
        last = ""
        for step in numbered_steps(derivation):
            if step.statement != last:
                lines += ["", f"{step.statement};"]
                last = step.statement
            head = f"  {'' if step.number is None else f'({step.number}) '}{step.expression}   {step.rule}"
            interval = textwrap.wrap(
                f"[{step.lower} , {step.upper}]", width, initial_indent=" " * 6, subsequent_indent=" " * 8
            )
            lines += [head, *interval]
    return "\n".join([*lines, ""])


def printed_rules_page(derivations: tuple[Derivation, ...], *, rules: str) -> str:
    """Return one page with derivations by printed rules, the warning first: no script, nothing fetched."""
    first = derivations[0]
    title = f"Derivation of {first.program.name} by the rules as {rules}"
    parts = [f"<h1>{escape(title)}</h1>", f"<p><strong>{escape(warning(rules))}</strong></p>"]
    parts.append(html_block(printed(first.program)))
    for derivation in derivations:
        rows = [
            ("" if step.number is None else f"({step.number})", step.expression, step.rule, step.lower, step.upper)
            for step in numbered_steps(derivation)
        ]
        parts += [f"<h2>{escape(derivation_title(derivation))}</h2>", html_table(PAGE_HEADS, rows)]
    return html_page(title, parts)


def printed_rules_values(derivations: tuple[Derivation, ...], *, rules: str) -> dict[str, Any]:
    """Return derivations by printed rules as plain values, with the warning."""
    first = derivations[0]
    return {
        "ok": True,
        "program": printed(first.program),
        "machine": first.machine.stated,
        "rules": rules,
        "warning": warning(rules),
        "derivations": [
            {"sign": each.sign, "steps": [step._asdict() for step in numbered_steps(each)]} for each in derivations
        ],
    }
