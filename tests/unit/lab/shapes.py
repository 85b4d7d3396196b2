"""Generated programs of every shape, ranges and sensitivities that may not fit together, and losses by counting.

The loss of a witness is counted, not searched: every draw of a small machine is run, by MPFR over the statements that a
certificate carries. Nothing of the verifier's execution, cells or bisection is used.
"""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction
from random import Random
from typing import Any

import gmpy2

from snapdp.lab.language.parser import parse
from snapdp.lab.language.syntax import Program
from snapdp.lab.language.text import as_lists
from snapdp.lab.semantics.machine import Machine
from tests.unit.lab import counted
from tests.unit.lab.loss.certificates import fraction, mpfr

NUMBERS = ("1", "2", "0.5", "3", "0.3", "8", "0.125", "1.5", "100")
PRIVATE = (
    "f(D)",
    "f(D) / {c}",
    "{c} * f(D)",
    "clamp[{low}, {high}](f(D))",
    "(f(D) + {c})",
    "-f(D)",
    "round[{g}](f(D))",
)
NOISE = (
    *("S * ln(U)", "S * ln(U) / {c}", "{c} * S * ln(U)", "S * ln(U / 2)", "S * ln(1 - U)", "S * ln({c} * U)"),
    *("clamp[{c}](S * ln(U))", "clamp[{c}]({c} * S * ln(U))", "S * U", "S * U * {c}", "round[{g}](S * ln(U))"),
    *("S * (ln(U) + {c})", "-S * ln(U)", "S * (ln(U) - ln(1 - U))", "S * ln(U + {c})", "S * ln(U - 0.5)"),
)
OUTPUT = (
    *("{y}", "round[{g}]({y})", "clamp[{low}, {high}]({y})", "clamp[{low}, {high}](round[{g}]({y}))"),
    *("round[{g}](clamp[{low}, {high}]({y}))", "{c} * clamp[{low}, {high}](round[{g}]({y}))"),
    *("clamp[{low}, {high}](round[{g}]({y})) / {c}", "round[{g}]({y}) - {c}", "clamp[{low}, {high}](round[{g}]({y}))"),
)
ENDS = ("-8", "0", "0.9", "1", "2", "8", "64", "0.1", "-0.3", "100", "-1.5", "18014398509481985")


def program(rng: Random) -> Program:
    """Return a program of one query, one uniform draw and one sign."""

    def filled(text: str, **more: str) -> str:
        low, high = sorted(rng.choices(ENDS[:-1], k=2), key=Fraction)
        return text.format(
            c=rng.choice(NUMBERS), g=rng.choice(("1", "2", "0.25", "3", "0.1")), low=low, high=high, **more
        )

    private, noise = filled(rng.choice(PRIVATE)), filled(rng.choice(NOISE))
    y = rng.choice((f"({private} + {noise})", f"({noise} + {private})", f"({private} - {noise})"))
    low, high = sorted(rng.choices(ENDS, k=2), key=Fraction)
    interval = f" in [{low}, {high}]" if rng.random() < 0.85 else ""
    sensitivity = rng.choice(("1", "0.125", "1/3", "10", "1000"))
    return parse(
        f"program p {{ query f{interval} sensitivity {sensitivity}; U <-$ unif; S <-$ {{-1,1}}; "
        f"z = {filled(rng.choice(OUTPUT), y=y)}; return z; }}"
    )


def value_of(tree: list[Any], names: dict[str, Any], context: Any) -> Any:
    """Return the mpfr that an expression is, each operation rounded once; infinities stay what they are."""
    word, *parts = tree
    if word in ("var", "query"):
        return names[parts[0]]
    if word == "const":
        return mpfr(Fraction(parts[0]), context.precision)
    operands = [value_of(part, names, context) for part in parts if isinstance(part, list)]
    if word == "round":
        grid, x = Fraction(parts[0]), operands[0]
        return x if x.is_infinite() else mpfr(grid * math.floor(fraction(x) / grid + Fraction(1, 2)), context.precision)
    if word == "clamp":
        low, high = (mpfr(Fraction(end), context.precision) for end in parts[:2])
        return min(max(low, operands[0]), high)
    names_of = {"neg": "minus", "ln": "log"}
    return getattr(context, names_of.get(word, word))(*operands)


def law(made: Program, machine: Machine, f: Fraction) -> dict[Any, Fraction]:
    """Return the probability of every output, by running every draw; an infinity is an output too, NaN is none."""
    p, chances = machine.p, defaultdict[Any, Fraction](Fraction)
    *_, statement = (as_lists(statement) for statement in made.statements)
    with gmpy2.context(precision=p, emax=2**30, emin=-(2**30)) as context:
        for u, chance in zip(*counted.draws(machine), strict=True):
            for sign in (1, -1):
                names = {"U": mpfr(Fraction(u), p), "S": mpfr(Fraction(sign), p), "f": mpfr(f, p)}
                x = value_of(statement[2], names, context)
                assert not x.is_nan()
                chances[float(x) if x.is_infinite() else fraction(x)] += chance / 2
    return chances


def loss_of(made: Program, machine: Machine, *, f: Fraction, f_prime: Fraction, output: Fraction) -> float:
    """Return the loss of one output, to a double; infinity where only f gives it."""
    p, q = (law(made, machine, value).get(output, Fraction(0)) for value in (f, f_prime))
    assert p > 0
    return math.inf if q == 0 else math.log(p / q)


def are_neighbours(made: Program, machine: Machine, f: Any, f_prime: Any) -> bool:
    """Return whether two private values are floats in the declared range and at most the sensitivity apart."""
    [query] = made.queries
    return abs(f - f_prime) <= query.sensitivity and all(
        (query.lower is None or query.lower <= x)
        and (query.upper is None or x <= query.upper)
        and fraction(mpfr(x, machine.p)) == x
        for x in (f, f_prime)
    )
