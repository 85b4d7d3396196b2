"""Generated snapping programs: one noise, written in many ways, and what almost is one.

A program is a list of statements as certificates carry them. Constants, products and quotients in any order, negations,
names for parts, sums the other way round; now and then a part is left out, doubled or put where it does not belong.
"""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

NUMBERS = ("1", "2", "1/2", "3", "1/3", "1/10", "3/10", "17/16", "7", "1/4", "8", "5/2", "-1", "-2", "-3/10", "100/7")
MISTAKES = ("no sign", "two signs", "no draw", "two draws", "sum", "query", "zero", "argument", "clamped")


def constant(rng: random.Random, depth: int = 2) -> list[Any]:
    """Return a constant expression, never zero by construction but perhaps after rounding."""
    kind = rng.random()
    if depth == 0 or kind < 0.6:
        return ["const", rng.choice(NUMBERS)]
    if kind < 0.7:
        return ["neg", constant(rng, depth - 1)]
    if kind < 0.76:
        return ["ln", ["const", rng.choice(("2", "10", "1/3"))]]
    return [rng.choice(("add", "mul", "div", "mul", "div")), constant(rng, depth - 1), constant(rng, depth - 1)]


def noise(rng: random.Random, mistake: str | None) -> list[Any]:
    """Return a product of the sign, ln U and constants, in any order and grouping, with one mistake or none."""
    sign, draw = ["var", "S"], ["ln", ["var", "U"]]
    parts: list[Any] = [sign, draw, *(constant(rng) for _ in range(rng.randint(0, 3)))]
    extra: dict[str, list[Any]] = {
        "two signs": [sign],
        "two draws": [draw],
        "sum": [["add", ["const", "1"], draw]],
        "query": [["query", "f"]],
        "zero": [["sub", ["const", "1"], ["const", "1"]]],
        "argument": [["ln", ["mul", ["var", "U"], ["const", "2"]]]],
        "clamped": [["clamp", "-1", "1", draw]],
    }
    parts += extra.get(mistake or "", [])
    missing = {"no sign": sign, "no draw": draw}.get(mistake or "")
    parts = [part for part in parts if part is not missing]
    rng.shuffle(parts)
    while len(parts) > 1:
        i = rng.randrange(len(parts) - 1)
        left, right = parts[i : i + 2]
        word = "mul" if "ln" in str(right) or rng.random() < 0.5 else "div"
        made = [word, left, right]
        parts[i : i + 2] = [["neg", made] if rng.random() < 0.1 else made]
    return parts[0]


def named(rng: random.Random, tree: Any, statements: list[Any]) -> Any:
    """Return the tree with some of its parts named by statements before it."""
    if tree[0] in ("const", "var", "query"):
        return tree
    made = [tree[0], *(named(rng, part, statements) if isinstance(part, list) else part for part in tree[1:])]
    if rng.random() < 0.2:
        name = f"t{len(statements)}"
        statements.append(["assign", name, made])
        return ["var", name]
    return made


def program(rng: random.Random) -> list[Any]:
    mistake = rng.choice(MISTAKES) if rng.random() < 0.2 else None
    statements: list[Any] = [["sample", "U", "unif"], ["sample", "S", "sign"]]
    rng.shuffle(statements)
    bound, grid = rng.choice((8, 64, 100)), Fraction(2) ** rng.randint(-2, 5)
    private = ["clamp", str(-bound), str(bound), ["query", "f"]] if rng.random() < 0.2 else ["query", "f"]
    added = noise(rng, mistake)
    total = rng.choice((["add", private, added], ["add", added, private], ["sub", private, added]))
    snapped = named(rng, ["clamp", str(-bound), str(bound), ["round", str(grid), total]], statements)
    return [*statements, ["assign", "result", snapped]]


def machine(rng: random.Random) -> dict[str, Any]:
    return {
        "p": rng.choice((11, 24, 53, 53, 113)),
        "ln_roundings": rng.choice((1, 1, 1, 2, 3)),
        "sampler": rng.choice(("ulp", "nearest", "ideal")),
        "umin": rng.choice((None, None, -1022)),
    }
