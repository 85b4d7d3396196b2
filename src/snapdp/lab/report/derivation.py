"""Derivations for readers: text, a LaTeX tree, a page of HTML that folds, and plain values for machines.

One step per line: the expression, the interval that holds its float value, and the rule's name. Steps that only look
something up (Var, F(D), Sample, Const-F) are left out of the text and kept in the trees. Powers of 1 + eta are gathered
into one factor, for display only: rules and certificates use the trees. A sample U is written u in bounds, because
there it is one real number and no longer a step of the program. Derivations by the rules of L20 as printed have the
warning that these rules are unsound.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple, assert_never

from snapdp.display.html import TEXT_STYLE, Html, escape, folded, html_block, html_page, html_table
from snapdp.display.numbers import exact_operand
from snapdp.lab.language.syntax import (
    Binary,
    BySign,
    Clamping,
    Constant,
    Down,
    ExactFunction,
    Greatest,
    Least,
    Logarithm,
    Names,
    Negation,
    Powered,
    QueryValue,
    Rounding,
    Up,
    Variable,
    expression_text,
    names_of,
    printed,
    statement_text,
)
from snapdp.lab.semantics.bounds import Derivation, DerivedLine, Inference, steps
from snapdp.lab.semantics.intervals import Bound, Interval
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
    notation = notation_of(derivation)
    lines = [derivation_title(derivation)]
    for line in derivation.lines:
        lines += ["", f"{statement_text(line.statement, notation.names)};"]
        rows = [
            (expression_text(s.expression, notation.names), notation.interval(s.interval), s.rule)
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
    conclusion = rf"{program_names.bound(step.expression)} \Rightarrow {notation.interval(step.interval)}"
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
        notation = notation_of(derivation)
        if derivation.sign is not None:
            yield f"<h2>{escape(_case(derivation).lstrip(', '))}</h2>"
        for line in derivation.lines:
            yield f"<h3><code>{escape(statement_text(line.statement, notation.names))}</code></h3>"
            yield _fold(line.step, notation)


def _fold(step: Inference, notation: Notation) -> Html:
    said = Html(
        f"<code>{escape(expression_text(step.expression, notation.names))} &rArr; "
        f"{escape(notation.interval(step.interval))}</code> "
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


# Notation of bounds and expressions

SUM, PRODUCT, ATOM = range(3)


class Shown(NamedTuple):
    """Text, how tightly it binds, and the power of 1 + eta that multiplies it."""

    text: str
    binds: int
    power: int = 0


class Notation:
    """Plain text."""

    eta = "eta"

    def __init__(self, names: Names, taken: Iterable[str] = ()) -> None:
        self.names = names
        self.taken = set(taken)

    # What LaTeX writes in another way

    def name(self, name: str) -> str:
        return name

    def quotient(self, a: str, b: str) -> Shown:
        return Shown(f"{a}/{b}", PRODUCT)

    def product(self, a: str, b: str) -> Shown:
        return Shown(f"{a}*{b}", PRODUCT)

    def function(self, name: str, argument: str) -> str:
        return f"{name}({argument})"

    def repeated(self, name: str, times: int) -> str:
        return name if times == 1 else f"{name}^{times}"

    def rounding(self, grid: str, argument: str) -> str:
        return f"round[{grid}]({argument})"

    def clamping(self, ends: str, argument: str) -> str:
        return f"clamp[{ends}]({argument})"

    def scaled(self, text: str, power: int) -> str:
        exponent = "" if abs(power) == 1 else f"^{abs(power)}"
        return f"{text}{'/' if power < 0 else ''}(1+{self.eta}){exponent}"

    # What both share

    def symbol(self, name: str) -> str:
        """Return how a variable is written in a bound: U as u, unless u means something else."""
        small = name.lower()
        return self.name(small if len(name) == 1 and small not in self.taken else name)

    def number(self, value: Fraction, *preferred: str) -> str:
        name = self.names.of(abs(value), *preferred)
        if name is None or (value.denominator == 1 and not preferred):
            return exact_operand(value)
        return ("-" if value < 0 else "") + self.name(name)

    def bound(self, bound: Bound) -> str:
        """Return a bound, its factor 1 + eta at the end."""
        return self._complete(self._shown(bound)).text

    def interval(self, interval: Interval) -> str:
        return f"[{self.bound(interval.lower)} , {self.bound(interval.upper)}]"

    def _complete(self, part: Shown) -> Shown:
        if part.power == 0:
            return part
        core = part.text if part.binds == ATOM else f"({part.text})"
        return Shown(self.scaled(core, part.power), PRODUCT)

    def _bracketed(self, part: Shown, at_least: int) -> str:
        return part.text if part.binds >= at_least else f"({part.text})"

    def _shown(self, bound: Bound) -> Shown:
        match bound:
            case Constant(value=value):
                return Shown(self.number(value, "eps") if value.denominator != 1 else str(value), ATOM)
            case Variable(name=name):
                return Shown(self.symbol(name), ATOM)
            case QueryValue(name=name):
                return Shown(self.function(self.name(name), "D"), ATOM)
            case Powered(operand=operand, power=power):
                part = self._shown(operand)
                return part._replace(power=part.power + power)
            case Negation(operand=operand):
                part = self._shown(operand)
                return Shown(f"-{self._bracketed(part, ATOM)}", PRODUCT, part.power)
            case Logarithm(operand=operand):
                return Shown(self.function("ln", self.bound(operand)), ATOM)
            case Binary(operator=("+" | "-") as operator, left=left, right=right):
                first, second = self._complete(self._shown(left)), self._complete(self._shown(right))
                if operator == "+" and second.text.startswith("-"):
                    return Shown(f"{first.text} - {second.text[1:]}", SUM)
                return Shown(f"{first.text} {operator} {self._bracketed(second, PRODUCT)}", SUM)
            case Binary(operator=operator, left=left, right=right):
                return self._factors(operator, self._shown(left), self._shown(right))
            case Down(operand=operand, roundings=k):
                return Shown(self.function(self.repeated("rd", k), self.bound(operand)), ATOM)
            case Up(operand=operand, roundings=k):
                return Shown(self.function(self.repeated("ru", k), self.bound(operand)), ATOM)
            case Least(choices=operands):
                return Shown(self.function("min", ", ".join(self.bound(operand) for operand in operands)), ATOM)
            case Greatest(choices=operands):
                return Shown(self.function("max", ", ".join(self.bound(operand) for operand in operands)), ATOM)
            case Rounding(grid=grid, operand=operand):
                return Shown(self.rounding(self.number(grid, "Lambda"), self.bound(operand)), ATOM)
            case Clamping(lower=lower, upper=upper, operand=operand):
                ends = "" if lower == -upper else f"{self.number(lower, 'B')}, "
                return Shown(self.clamping(ends + self.number(upper, "B"), self.bound(operand)), ATOM)
            case ExactFunction(name=name, operand=operand):
                return Shown(self.function(name, self.bound(operand)), ATOM)
            case BySign(nonnegative=Powered(operand=operand, power=power), negative=Powered(operand=same)) if (
                operand is same
            ):
                core = self._bracketed(self._complete(self._shown(operand)), ATOM)
                return Shown(f"{core}{'/' if power < 0 else ''}(1+{self.eta})^s", PRODUCT)
            case BySign(nonnegative=nonnegative, negative=negative):
                return Shown(f"{self.bound(nonnegative)} or {self.bound(negative)}", SUM)
            case _:
                assert_never(bound)

    def _factors(self, operator: str, left: Shown, right: Shown) -> Shown:
        combine = self.product if operator == "*" else self.quotient
        part = combine(self._bracketed(left, PRODUCT), self._bracketed(right, ATOM))
        return part._replace(power=left.power + (right.power if operator == "*" else -right.power))


class Latex(Notation):
    """LaTeX in math mode."""

    eta = r"\eta"
    _GREEK = re.compile(r"^(eps|epsilon|Lambda|lambda|Delta|delta|eta|alpha|beta|gamma|sigma|mu)$")
    _FENCES: ClassVar = {"abs": ("|", "|"), "floor": (r"\lfloor", r"\rfloor")}

    def name(self, name: str) -> str:
        if self._GREEK.match(name):
            return r"\epsilon" if name == "eps" else f"\\{name}"
        return name if len(name) == 1 else f"\\mathit{{{name}}}".replace("_", r"\_")

    def quotient(self, a: str, b: str) -> Shown:
        return Shown(rf"\frac{{{a}}}{{{b}}}", ATOM)

    def product(self, a: str, b: str) -> Shown:
        return Shown(rf"{a} \times {b}", PRODUCT)

    def function(self, name: str, argument: str) -> str:
        if name in self._FENCES:
            left, right = self._FENCES[name]
            return rf"\left{left} {argument} \right{right}"
        words = {"ln": r"\ln", "min": r"\min", "max": r"\max"}
        upright = name.startswith(("rd", "ru")) or name in ("rint", "sign")
        written = words.get(name) or (rf"\mathrm{{{name}}}" if upright else name)
        return rf"{written}\left({argument}\right)"

    def rounding(self, grid: str, argument: str) -> str:
        return rf"\left\lfloor {argument} \right\rceil_{{{grid}}}"

    def clamping(self, ends: str, argument: str) -> str:
        return rf"\mathrm{{clamp}}_{{{ends}}}\left({argument}\right)"

    def scaled(self, text: str, power: int) -> str:
        factor = rf"(1+{self.eta})" + ("" if abs(power) == 1 else f"^{{{abs(power)}}}")
        return rf"\frac{{{text}}}{{{factor}}}" if power < 0 else rf"{text}\,{factor}"

    def interval(self, interval: Interval) -> str:
        return rf"\left[{self.bound(interval.lower)},\; {self.bound(interval.upper)}\right]"


# Printed rules. They take the least and greatest of four corners at every step, so a bound written out doubles with
# each of them. Steps are numbered here, and lo3 and hi3 are the bounds of step 3.

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
    notation, number = Referring(notation_of(derivation)), 0
    for line in derivation.lines:
        said = statement_text(line.statement, notation.names)
        for step in steps(line.step):
            looked_up, lower, upper = step.rule in LOOKUPS, step.interval.lower, step.interval.upper
            if looked_up and step is not line.step:
                continue
            number += not looked_up
            shown = (
                expression_text(step.expression, notation.names),
                step.rule,
                notation.bound(lower),
                notation.bound(upper),
            )
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
