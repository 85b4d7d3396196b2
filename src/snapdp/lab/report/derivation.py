"""Derivations for readers: text, a LaTeX tree, a page of HTML that folds, and plain values for machines.

One step per line: the expression, the interval that holds its float value, and the rule's name. Steps that only look
something up (Var, F(D), Sample, Const-F) are left out of the text and kept in the trees. Powers of 1 + eta are gathered
into one factor, for display only: rules and certificates use the trees. A sample U is written u in bounds, because
there it is one real number and no longer a step of the program. Derivations by the rules of L20 as printed begin with
the warning that these rules are unsound.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

from snapdp.display.html import TEXT_STYLE, Html, escape, folded, html_block, html_page, html_table
from snapdp.lab.language.syntax import (
    BOUNDS,
    Binary,
    BySign,
    Choice,
    Down,
    Expression,
    NamedConstant,
    Powered,
    Up,
    Variable,
    Written,
)
from snapdp.lab.language.text import (
    PRODUCT,
    SUM,
    TIGHT,
    Bracketed,
    ProgramText,
    exact_text,
    expression_text,
    number_text,
    printed,
    statement_text,
)
from snapdp.lab.semantics.bounds import Derivation, Inference, steps
from snapdp.lab.semantics.intervals import Interval
from snapdp.lab.semantics.machine import Machine
from snapdp.lab.semantics.printed import warning

ROUNDED_SUMS = (
    "every operation rounds once, to nearest, ties to even",
    "strict order of evaluation, no fma, no extended precision",
    "exponents of intermediate results are unbounded",
    "the query's value is a float of the machine",
)
EXACT_SUMS = ("every operation but + and - rounds once, to nearest, ties to even; the sum is exact", *ROUNDED_SUMS[1:3])
LOOKUPS = frozenset(("Var", "F(D)", "Sample", "Const-F", "VAR", "SAMPLE", "VAL-EQ"))
WIDTH = 79


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
    notation = Notation(derivation)
    lines = [derivation_title(derivation)]
    for line in derivation.lines:
        lines += ["", f"{statement_text(line.statement)};"]
        shown = [step for step in steps(line.step) if step.rule not in LOOKUPS or step is line.step]
        rows = [(expression_text(step.expression), notation.interval(step.interval), step.rule) for step in shown]
        left, middle = (max(len(row[column]) for row in rows) for column in (0, 1))
        lines += [f"  {row[0]:<{left}}  => {row[1]:<{middle}}  ({row[2]})" for row in rows]
    return "\n".join([*lines, "", "Assumed: " + "; ".join(assumptions(derivation.machine)) + ".", ""])


def derivation_title(derivation: Derivation) -> str:
    """Return what a derivation is about: program, machine, and the sign it is made for."""
    return f"{derivation.program.name} on {machine_text(derivation.machine)}{_sign_case(derivation)}"


def _sign_case(derivation: Derivation) -> str:
    if derivation.sign is None:
        return ""
    name = next(s.name for s in derivation.program.samples.values() if s.distribution == "sign")
    return f", {name} = {derivation.sign:+d}"


def derivation_values(derivations: tuple[Derivation, ...]) -> dict[str, Any]:
    """Return derivations as plain values, with the program and the machine they are about."""
    derived = []
    for derivation in derivations:
        notation = Notation(derivation)
        statements = [
            {
                "statement": statement_text(line.statement),
                "steps": [
                    {
                        "expression": expression_text(step.expression),
                        "lower": notation.bound(step.interval.lower),
                        "upper": notation.bound(step.interval.upper),
                        "rule": step.rule,
                    }
                    for step in steps(line.step)
                ],
            }
            for line in derivation.lines
        ]
        derived.append({"sign": derivation.sign, "statements": statements})
    return {**_about(derivations), "assumptions": list(assumptions(derivations[0].machine)), "derivations": derived}


def _about(derivations: tuple[Derivation, ...]) -> dict[str, Any]:
    return {"ok": True, "program": printed(derivations[0].program), "machine": derivations[0].machine.stated}


def derivation_latex(derivations: tuple[Derivation, ...]) -> str:
    r"""Return a LaTeX document: for each statement a tree of \dfrac, premises above conclusions."""
    parts = [
        r"\documentclass[varwidth=\maxdimen,border=6pt]{standalone}",
        r"\usepackage{amsmath}",
        r"\begin{document}",
    ]
    for derivation in derivations:
        bounds, names = Latex(derivation), Latex(derivation, keep_names=True)
        parts.append(f"% {derivation_title(derivation)}")
        for line in derivation.lines:
            parts += [f"% {statement_text(line.statement)}", rf"\[{_latex_tree(line.step, bounds, names)}\]"]
    return "\n".join([*parts, r"\end{document}", ""])


def _latex_tree(step: Inference, bounds: Latex, names: Latex) -> str:
    """Return a step under its premises: expressions with the program's names (U), intervals with the symbols (u)."""
    above = r" \qquad ".join(_latex_tree(premise, bounds, names) for premise in step.premises)
    conclusion = rf"{names.bound(step.expression)} \Rightarrow {bounds.interval(step.interval)}"
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
        notation = Notation(derivation)
        if derivation.sign is not None:
            yield f"<h2>{escape(_sign_case(derivation).lstrip(', '))}</h2>"
        for line in derivation.lines:
            yield f"<h3><code>{escape(statement_text(line.statement))}</code></h3>"
            yield _folded_tree(line.step, notation)


def _folded_tree(step: Inference, notation: Notation) -> Html:
    conclusion = Html(
        f"<code>{escape(expression_text(step.expression))} &rArr; "
        f"{escape(notation.interval(step.interval))}</code> "
        f'<span class="rule">{escape(step.rule)}</span>'
    )
    if not step.premises:
        return Html(f'<div class="leaf">{conclusion}</div>')
    inner = Html("\n".join(_folded_tree(premise, notation) for premise in step.premises))
    return folded(conclusion, inner, is_open=True)


# Notation of bounds and expressions


class Notation(ProgramText, language=BOUNDS - {BySign}):
    """How bounds are written in plain text; a name of one capital letter is small where that is free: U as u."""

    eta = "eta"

    def __init__(self, derivation: Derivation, *, keep_names: bool = False) -> None:
        super().__init__()
        program = derivation.program
        self.keep_names = keep_names
        self.taken = {name for name, _ in program.parameters}
        self.taken |= {query.name for query in program.queries} | {s.name for s in program.statements}

    def bound(self, bound: Expression) -> str:
        """Return a bound, its factor 1 + eta at the end."""
        return self.complete(self.of(bound)).text

    def interval(self, interval: Interval) -> str:
        return f"[{self.bound(interval.lower)} , {self.bound(interval.upper)}]"

    def complete(self, part: Bracketed) -> Bracketed:
        return part if part.power == 0 else Bracketed(self.scaled(part.within(TIGHT), part.power), PRODUCT)

    def number(self, x: Fraction) -> str:
        return str(x) if x.denominator == 1 and not isinstance(x, Written) else number_text(x)

    def product(self, left: str, right: str) -> Bracketed:
        return Bracketed(f"{left}*{right}", PRODUCT)

    def quotient(self, left: str, right: str) -> Bracketed:
        return Bracketed(f"{left}/{right}", PRODUCT)

    def scaled(self, text: str, power: int) -> str:
        exponent = "" if abs(power) == 1 else f"^{abs(power)}"
        return f"{text}{'/' if power < 0 else ''}(1+{self.eta}){exponent}"

    def var(self, e: Variable | NamedConstant) -> Bracketed:
        small = e.name.lower()
        is_small = len(e.name) == 1 and small not in self.taken and not self.keep_names
        return Bracketed(self.name(small if is_small else e.name))

    def add(self, e: Binary, left: Bracketed, right: Bracketed) -> Bracketed:
        first, second = self.complete(left), self.complete(right)
        if e.symbol == "+" and second.text.startswith("-"):
            return Bracketed(f"{first.text} - {second.text[1:]}", SUM)
        return Bracketed(f"{first.text} {e.symbol} {second.within(PRODUCT)}", SUM)

    sub = add

    def mul(self, _: Binary, left: Bracketed, right: Bracketed) -> Bracketed:
        factors = self.product(left.within(PRODUCT), right.within(TIGHT))
        return factors._replace(power=left.power + right.power)

    def div(self, _: Binary, left: Bracketed, right: Bracketed) -> Bracketed:
        factors = self.quotient(left.within(PRODUCT), right.within(TIGHT))
        return factors._replace(power=left.power - right.power)

    def powered(self, e: Powered, operand: Bracketed) -> Bracketed:
        return operand._replace(power=operand.power + e.power)

    def down(self, e: Down | Up, operand: Bracketed) -> Bracketed:
        times = "" if e.roundings == 1 else f"^{e.roundings}"
        name = "rd" if isinstance(e, Down) else "ru"
        return Bracketed(self.function(name + times, self.complete(operand).text))

    up = down

    def least(self, e: Choice, *choices: Bracketed) -> Bracketed:
        name = "min" if e.word == "least" else "max"
        return Bracketed(self.function(name, ", ".join(self.complete(choice).text for choice in choices)))

    greatest = least

    def of(self, e: Expression) -> Bracketed:
        return self._by_sign(e) if isinstance(e, BySign) else super().of(e)

    def _by_sign(self, e: BySign) -> Bracketed:
        """Return both bounds, or what they share; never the premise, which may be an expression of any length."""
        one, other = e.nonnegative, e.negative
        if isinstance(one, Powered) and isinstance(other, Powered) and one.operand is other.operand:
            core = self.complete(self.of(one.operand)).within(TIGHT)
            return Bracketed(f"{core}{'/' if one.power < 0 else ''}(1+{self.eta})^s", PRODUCT)
        return Bracketed(f"{self.bound(one)} or {self.bound(other)}", SUM)


class Latex(Notation):
    """LaTeX in math mode."""

    eta = r"\eta"
    _GREEK = re.compile(r"^(eps|epsilon|Lambda|lambda|Delta|delta|eta|alpha|beta|gamma|sigma|mu)$")
    _FENCES: ClassVar = {"abs": ("|", "|"), "floor": (r"\lfloor", r"\rfloor")}

    def name(self, name: str) -> str:
        if self._GREEK.match(name):
            return r"\epsilon" if name == "eps" else f"\\{name}"
        return name if len(name) == 1 else f"\\mathit{{{name}}}".replace("_", r"\_")

    def number(self, x: Fraction) -> str:
        return self._with_names(super().number(x))

    def exact(self, x: Fraction) -> str:
        return self._with_names(exact_text(x))

    def _with_names(self, text: str) -> str:
        return re.sub(r"[A-Za-z_]\w*", lambda word: self.name(word[0]), text)

    def interval(self, interval: Interval) -> str:
        return rf"\left[{self.bound(interval.lower)},\; {self.bound(interval.upper)}\right]"

    def function(self, name: str, argument: str) -> str:
        if name in self._FENCES:
            left, right = self._FENCES[name]
            return rf"\left{left} {argument} \right{right}"
        words = {"ln": r"\ln", "min": r"\min", "max": r"\max"}
        upright = name.startswith(("rd", "ru")) or name in ("rint", "sign")
        written = words.get(name) or (rf"\mathrm{{{name}}}" if upright else name)
        return rf"{written}\left({argument}\right)"

    def product(self, left: str, right: str) -> Bracketed:
        return Bracketed(rf"{left} \times {right}", PRODUCT)

    def quotient(self, left: str, right: str) -> Bracketed:
        return Bracketed(rf"\frac{{{left}}}{{{right}}}")

    def rounding(self, grid: str, argument: str) -> str:
        return rf"\left\lfloor {argument} \right\rceil_{{{grid}}}"

    def clamping(self, ends: str, argument: str) -> str:
        return rf"\mathrm{{clamp}}_{{{ends}}}\left({argument}\right)"

    def scaled(self, text: str, power: int) -> str:
        factor = rf"(1+{self.eta})" + ("" if abs(power) == 1 else f"^{{{abs(power)}}}")
        return rf"\frac{{{text}}}{{{factor}}}" if power < 0 else rf"{text}\,{factor}"


# Printed rules. They take the least and greatest of four corners at every step, so a bound written out doubles with
# each of them. Steps are numbered here, and lo3 and hi3 are the bounds of step 3.

PAGE_HEADS = ("step", "expression", "rule", "lower bound", "upper bound")


class Referring(Notation):
    """Plain text in which the bounds of earlier steps are names."""

    def __init__(self, derivation: Derivation) -> None:
        super().__init__(derivation)
        self.named: dict[int, str] = {}

    def of(self, e: Expression) -> Bracketed:
        name = self.named.get(id(e))
        return super().of(e) if name is None else Bracketed(name)


class NumberedStep(NamedTuple):
    """One step, its number (None: it only looks something up), and its bounds in terms of earlier steps."""

    statement: str
    number: int | None
    expression: str
    rule: str
    lower: str
    upper: str

    @property
    def label(self) -> str:
        return "" if self.number is None else f"({self.number})"


def numbered_steps(derivation: Derivation) -> Iterator[NumberedStep]:
    """Yield the steps of a derivation that do more than look something up, and all that end a statement."""
    notation, number = Referring(derivation), 0
    for line in derivation.lines:
        for step in steps(line.step):
            looked_up, lower, upper = step.rule in LOOKUPS, step.interval.lower, step.interval.upper
            if looked_up and step is not line.step:
                continue
            number += not looked_up
            yield NumberedStep(
                statement=statement_text(line.statement),
                number=None if looked_up else number,
                expression=expression_text(step.expression),
                rule=step.rule,
                lower=notation.bound(lower),
                upper=notation.bound(upper),
            )
            if not looked_up:
                notation.named |= {id(lower): f"lo{number}", id(upper): f"hi{number}"}


def printed_rules_text(derivations: tuple[Derivation, ...], *, rules: str, width: int = WIDTH) -> str:
    """Return derivations by printed rules as text, the warning first."""
    lines = textwrap.wrap(warning(rules), width)
    for derivation in derivations:
        lines += ["", *textwrap.wrap(derivation_title(derivation), width, subsequent_indent="  ")]
        statement = ""
        for step in numbered_steps(derivation):
            if step.statement != statement:
                lines += ["", f"{step.statement};"]
                statement = step.statement
            lines.append(f"  {' '.join(filter(None, (step.label, step.expression)))}   {step.rule}")
            interval = f"[{step.lower} , {step.upper}]"
            lines += textwrap.wrap(interval, width, initial_indent=" " * 6, subsequent_indent=" " * 8)
    return "\n".join([*lines, ""])


def printed_rules_page(derivations: tuple[Derivation, ...], *, rules: str) -> str:
    """Return one page with derivations by printed rules, the warning first: no script, nothing fetched."""
    title = f"Derivation of {derivations[0].program.name} by the rules as {rules}"
    parts = [f"<h1>{escape(title)}</h1>", f"<p><strong>{escape(warning(rules))}</strong></p>"]
    parts.append(html_block(printed(derivations[0].program)))
    for derivation in derivations:
        rows = [(s.label, s.expression, s.rule, s.lower, s.upper) for s in numbered_steps(derivation)]
        parts += [f"<h2>{escape(derivation_title(derivation))}</h2>", html_table(PAGE_HEADS, rows)]
    return html_page(title, parts)


def printed_rules_values(derivations: tuple[Derivation, ...], *, rules: str) -> dict[str, Any]:
    """Return derivations by printed rules as plain values, with the warning."""
    derived = [{"sign": each.sign, "steps": [s._asdict() for s in numbered_steps(each)]} for each in derivations]
    return {**_about(derivations), "rules": rules, "warning": warning(rules), "derivations": derived}
