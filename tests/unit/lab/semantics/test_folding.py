"""A folded program is the program: constants are evaluated once, as the machine does it, and never rounded again."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction

import pytest

from snapdp.errors import ProgramError
from snapdp.exact.functions import fraction_of_mpfr
from snapdp.lab.language import syntax
from snapdp.lab.language.parser import parse
from snapdp.lab.semantics.execution import Execution
from snapdp.lab.semantics.floats import evaluate_float, folded, run_float
from snapdp.lab.semantics.machine import SUMS, Machine
from snapdp.values import replaced

NUMBERS = ("0.3", "4096", "15", "1000.7", "2", "1/3", "77", "0.001")
CASES = 60


def constant(rng: random.Random, depth: int) -> str:
    """Return a positive constant that the machine computes: sums of numbers that need more bits than it has."""
    if depth == 0 or rng.random() < 0.2:
        return rng.choice(NUMBERS)
    a, b = constant(rng, depth - 1), constant(rng, depth - 1)
    forms = [
        "({a} + {b})",
        "({a} + {b})",
        "({a} * {b})",
        "({a} / {b})",
        "clamp[0.1, 4321]({a} - {b})",
        "round[1/8]({a} + 1)",
    ]
    return rng.choice(forms).format(a=a, b=b) + (" + 0.3" if depth == 2 else "")


def wrapped(rng: random.Random, inside: str) -> str:
    c = f"({constant(rng, 2)})"
    forms = [
        "({x} + {c})",
        "({c} - {x})",
        "({x} * {c})",
        "({x} / {c})",
        "-({x})",
        "round[1/4]({x})",
        "clamp[-9, 4111.9]({x})",
    ]
    return rng.choice(forms).format(x=inside, c=c)


def programs(seed: int) -> Iterator[tuple[syntax.Program, dict[str, Fraction]]]:
    """Yield programs that are monotone in their draw, each with a point."""
    rng = random.Random(seed)
    for _ in range(CASES):
        y = "f(D)"
        for _ in range(rng.randint(0, 2)):
            y = wrapped(rng, y)
        y = f"({y} + S * ln(U) * ({constant(rng, 1)}))"
        for _ in range(rng.randint(0, 3)):
            y = wrapped(rng, y)
        made = parse(f"program p {{ query f; U <-$ unif; S <-$ {{-1,1}}; z = {y}; return z; }}")
        yield (
            made,
            {
                "f": Fraction(rng.randint(-90, 90)),
                "U": Fraction(rng.randint(1, 7), 8),
                "S": Fraction(rng.choice((1, -1))),
            },
        )


@pytest.mark.parametrize("how", SUMS)
@pytest.mark.parametrize("p", [4, 8, 24])
def test_a_folded_program_computes_what_the_program_computes_and_so_does_its_execution(p, how):
    machine = Machine(p=p, sum=how)
    for made, point in programs(p):
        expected = run_float(made, point, machine)["z"]
        assert evaluate_float(folded(made, machine), point, machine) == expected
        execution = Execution(made, machine)
        found = execution.output(point["f"], int(point["S"]), execution.draw.ordinal(float(point["U"])))
        assert fraction_of_mpfr(found) == expected


def rounded_again(tree: syntax.Expression) -> syntax.Expression:
    """Return a folded tree whose constants are taken for those of a text."""
    if isinstance(tree, syntax.Constant):
        return syntax.Constant(value=tree.value)
    parts = {name: rounded_again(getattr(tree, name)) for name in ("operand", "left", "right") if hasattr(tree, name)}
    return replaced(tree, **parts)


@pytest.mark.parametrize(("how", "differs"), [("exact", True), ("rounded", False)])
def test_rounding_a_folded_constant_again_is_seen_where_sums_are_exact(how, differs):
    """The twin: what was wrong once."""
    machine = Machine(p=8, sum=how)
    found = [
        evaluate_float(rounded_again(folded(made, machine)), point, machine) != run_float(made, point, machine)["z"]
        for made, point in programs(8)
    ]
    assert any(found) is differs


def doubled(times: int) -> syntax.Program:
    """Return a short program that doubles with every statement: as a text it would be refused when it is read."""
    start = parse("program p { query f; x0 = f(D); return x0; }")
    names = [syntax.Variable(name=f"x{i}") for i in range(times + 1)]
    sums = [syntax.BINARY["+"](left=x, right=x) for x in names]
    lines = (syntax.Assignment(name=f"x{i + 1}", expression=sums[i]) for i in range(times))
    return replaced(start, statements=(*start.statements, *lines), result=f"x{times}")


def test_a_program_that_doubles_itself_is_refused_before_anything_is_as_large():
    assert evaluate_float(folded(doubled(12), Machine()), {"f": Fraction(3)}, Machine()) == 3 << 12
    with pytest.raises(ProgramError, match="more than 10000 operations when it is written out"):
        folded(doubled(60), Machine())
