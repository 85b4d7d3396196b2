"""Certificates made by hand for the acceptance programs: what the checker must accept, before any prover exists.

Bounds are the printed acceptance numbers. A witness is searched with `cell_end`, bisection on the ordinals of floats,
over a run of the program in MPFR; the checker shares neither.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import gmpy2

HALF = Fraction(1, 2)
U, S, F = ["var", "U"], ["var", "S"], ["query", "f"]
LN_U = ["ln", U]
Ends = tuple[int, int]
LONG = 20_000  # bits that hold every sum that is met here


def const(value: Any) -> list[Any]:
    return ["const", str(Fraction(value))]


def snapping(noise: Any, *, grid: Any, bound: Any) -> list[Any]:
    """Return the statements of clamp[-B,B](round[grid](f + noise))."""
    snapped = ["clamp", str(-Fraction(bound)), str(Fraction(bound)), ["round", str(Fraction(grid)), ["var", "y"]]]
    return [
        ["sample", "U", "unif"],
        ["sample", "S", "sign"],
        ["assign", "y", ["add", F, noise]],
        ["assign", "z", snapped],
    ]


def laplace(epsilon: Any) -> list[Any]:
    return ["div", ["mul", S, LN_U], const(epsilon)]


def certificate(
    statements: list[Any],
    *,
    bound: Any,
    claim: Fraction,
    sensitivity: Any = 1,
    p: int = 53,
    ln_roundings: int = 1,
    sampler: str = "ulp",
    umin: int | None = None,
    **verdict: Any,
) -> dict[str, Any]:
    """Return a certificate about a query in [-bound, bound] (None: not confined)."""
    ends = [None, None] if bound is None else [str(-Fraction(bound)), str(Fraction(bound))]
    return copy.deepcopy(
        {
            "format": 1,
            "queries": [["f", *ends, str(Fraction(sensitivity))]],
            "program": statements,
            "result": statements[-1][1],
            "machine": {"p": p, "ln_roundings": ln_roundings, "sampler": sampler, "umin": umin},
            "claim": str(claim),
            "verdict": "REFUTED" if "witness" in verdict else "VERIFIED",
            **verdict,
        }
    )


def claim_of_the_note(epsilon: Any, bound: Any, *, factor: int = 23, p: int = 53) -> Fraction:
    return Fraction(epsilon) * (1 + Fraction(factor * Fraction(bound), 1 << p))


# Running a program in MPFR


def mpfr(x: Fraction, p: int) -> Any:
    with gmpy2.context(precision=p, emax=2**30, emin=-(2**30)):
        return gmpy2.mpfr(gmpy2.mpq(x.numerator, x.denominator))


def run(statements: list[Any], *, p: int, point: dict[str, Any], exact_sum: bool = False) -> Fraction:
    """Return the value of the last statement; `point` gives U, S and f.

    Multiples of a power of two are exact where sums are; those of another grid, and the ends of clamps, have p bits.
    """
    values: dict[str, Any] = {}
    sum_bits = LONG if exact_sum else p
    sums = gmpy2.context(precision=sum_bits, emax=2**30, emin=-(2**30))

    def at(tree: Any) -> Any:
        word, *parts = tree
        if word == "const":
            return mpfr(Fraction(parts[0]), p)
        if word in ("var", "query"):
            return values[parts[0]] if parts[0] in values else mpfr(Fraction(point[parts[0]]), p)
        if word == "round":
            grid = Fraction(parts[0])
            x = fraction(at(parts[1]))
            return mpfr(grid * ((x / grid + HALF).__floor__()), sum_bits if is_power_of_two(grid) else p)
        if word == "clamp":
            lower, upper = (fraction(mpfr(Fraction(end), p)) for end in parts[:2])
            return mpfr(min(max(lower, fraction(at(parts[2]))), upper), sum_bits)
        operation = {
            "neg": sums.minus,
            "ln": context.log,
            "add": sums.add,
            "sub": sums.sub,
            "mul": context.mul,
            "div": context.div,
        }[word]
        return operation(*(at(part) for part in parts))

    with gmpy2.context(precision=p, emax=2**30, emin=-(2**30)) as context:
        for statement in statements:
            if statement[0] == "assign":
                values[statement[1]] = at(statement[2])
        return fraction(values[statements[-1][1]])


def is_power_of_two(x: Fraction) -> bool:
    return x > 0 and x.numerator & (x.numerator - 1) == 0 == x.denominator & (x.denominator - 1)


def fraction(x: Any) -> Fraction:
    numerator, denominator = x.as_integer_ratio()
    return Fraction(int(numerator), int(denominator))


# Floats in order


def float_of(ordinal: int, p: int) -> Fraction:
    """Return the positive p-bit float with this ordinal; 2**e has the ordinal e 2**(p-1)."""
    exponent, rest = divmod(ordinal, 1 << p - 1)
    return Fraction(2) ** exponent * (1 + Fraction(rest, 1 << p - 1))


def ordinal_of(u: Fraction, p: int) -> int:
    exponent = u.numerator.bit_length() - u.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > u
    return (exponent << p - 1) + int((u / Fraction(2) ** exponent - 1) * (1 << p - 1))


def cell_end(holds: Callable[[Fraction], bool], low: int, high: int, draw: Callable[[int], Fraction]) -> int:
    """Return the least ordinal in (low, high] that holds; `holds` is false and then true."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(draw(middle)) else (middle, high)
    return high


def draws(machine: dict[str, Any]) -> tuple[Callable[[int], Fraction], int, int]:
    """Return how ordinals become draws, and the ordinals just outside the draws on both sides."""
    p = machine["p"]
    if machine["sampler"] == "grid53":
        return (lambda n: Fraction(n, 1 << 53)), 0, 1 << 53
    umin = -2000 if machine["umin"] is None else machine["umin"]
    return (lambda n: float_of(n, p)), ordinal_of(Fraction(2) ** umin, p) - 1, 0


def cell(statements: list[Any], machine: dict[str, Any], f: Any, sign: int | None, output: Any) -> Ends:
    """Return ordinals [first, end) of the draws that give the output; empty cells begin where they would."""
    draw, before, after = draws(machine)

    def value(u: Fraction) -> Fraction:
        return run(statements, p=machine["p"], point={"U": u, "S": sign, "f": f}, exact_sum="sum" in machine)

    rising = sign == 1  # all noise here is a positive multiple of S ln U
    target = Fraction(output)
    if rising:
        return (
            cell_end(lambda u: value(u) >= target, before, after, draw),
            cell_end(lambda u: value(u) > target, before, after, draw),
        )
    return (
        cell_end(lambda u: value(u) <= target, before, after, draw),
        cell_end(lambda u: value(u) < target, before, after, draw),
    )


def ratio(statements: list[Any], machine: dict[str, Any], *, f: Any, f_prime: Any, output: Any) -> dict[str, Any]:
    """Return the witness of a ratio; the first private value has the larger probability."""
    draw, before, _ = draws(machine)
    cells, chance = [], {"f": Fraction(0), "f_prime": Fraction(0)}
    for origin, x in (("f", f), ("f_prime", f_prime)):
        for sign in (1, -1):
            first, end = cell(statements, machine, x, sign, output)
            low = Fraction(0) if first == before + 1 and machine["umin"] is None and first != end else draw(first)
            if machine["sampler"] == "grid53":
                low = draw(first)
            high = draw(end)
            cells.append({"S": sign, "from": origin, "low": str(low), "high": str(high)})
            chance[origin] += (high - low) / 2
    return {
        "kind": "ratio",
        "f": str(Fraction(f)),
        "f_prime": str(Fraction(f_prime)),
        "output": str(Fraction(output)),
        "cells": cells,
        "probability": str(chance["f"]),
        "probability_prime": str(chance["f_prime"]),
    }


def impossible(statements: list[Any], machine: dict[str, Any], *, f: Any, f_prime: Any, output: Any) -> dict[str, Any]:
    """Return the witness of an output that only f gives."""
    draw, before, after = draws(machine)
    first, sign = next(
        (found[0], sign) for sign in (1, -1) if len(set(found := cell(statements, machine, f, sign, output))) == 2
    )
    gaps = []
    for s in (1, -1):
        start, end = cell(statements, machine, f_prime, s, output)
        assert start == end
        below, above = (str(draw(n)) if before < n < after else None for n in (start - 1, start))
        gaps.append({"S": s, "below": below, "above": above})
    return {
        "kind": "impossible",
        "f": str(Fraction(f)),
        "f_prime": str(Fraction(f_prime)),
        "output": str(Fraction(output)),
        "U": str(draw(first)),
        "S": sign,
        "gaps": gaps,
    }


# The acceptance programs

UNIT = {"p": 53, "ln_roundings": 1, "sampler": "ulp", "umin": None}
TENTH = Fraction(3602879701896397, 36028797018963968)  # fl(1/10)
INVERSE = Fraction(7505999378950827, 2251799813685248)  # fl(1/fl(3/10))


def _verified(epsilon: Any, grid: Any, bound: Any, excess: Any, roundings: int, **more: Any) -> dict[str, Any]:
    """`excess` is C: the stated bound is epsilon (1 + C B eta) in the unit of the acceptance numbers."""
    noise, true = more.pop("noise", laplace(epsilon)), more.pop("noise_epsilon", Fraction(epsilon))
    made = certificate(
        snapping(noise, grid=grid, bound=bound),
        bound=bound,
        claim=more.pop("claim", claim_of_the_note(epsilon, bound)),
        noise_epsilon=str(true),
        roundings=roundings,
        **more,
    )
    stated = excess if isinstance(excess, Fraction) else Fraction(epsilon) * (1 + Fraction(excess) * bound / 2**53)
    return made | {"bound": str(stated)}


def with_exact_sum(certificate: dict[str, Any]) -> dict[str, Any]:
    return certificate | {"machine": certificate["machine"] | {"sum": "exact"}}


def _product(epsilon: Any) -> list[Any]:
    return ["mul", ["mul", ["div", const(1), const(epsilon)], S], LN_U]


def _refuted(statements: list[Any], bound: Any, claim: Any, find: Any, **more: Any) -> dict[str, Any]:
    points = {key: more.pop(key) for key in ("f", "f_prime", "output")}
    witness = find(statements, UNIT | more, **points)
    return certificate(statements, bound=bound, claim=Fraction(claim), witness=witness, **more)


def genuine() -> dict[str, dict[str, Any]]:
    """Return the certificates that must be accepted, by name."""
    return copy.deepcopy(_genuine())


@cache
def _genuine() -> dict[str, dict[str, Any]]:
    half = snapping(laplace(HALF), grid=2, bound=64)
    big = snapping(laplace(1), grid=1, bound=1000)
    noclamp = [*half[:3], ["assign", "z", ["round", "2", ["var", "y"]]]]
    naive = [["sample", "L", "laplace", "2"], ["assign", "y", ["add", F, ["var", "L"]]]]
    bound_of_half, bound_of_tenth = Fraction("0.50000000000003134385"), Fraction("0.10000000000013437257")
    confined = ["clamp", "-64", "64", F]
    note = claim_of_the_note(HALF, 64)
    return {
        "snap_half": _verified(HALF, 2, 64, bound_of_half, 1),
        "snap_half_mironov": _verified(
            HALF, 2, 64, bound_of_half, 1, claim=claim_of_the_note(HALF, 64, factor=12) + Fraction(2, 2**53)
        ),
        "snap_half_exact_sum": with_exact_sum(_verified(HALF, 2, 64, "8.724", 1)),
        "snap_half_faithful": _verified(HALF, 2, 64, "17.411", 2, ln_roundings=2),
        "snap_half_umin": _verified(HALF, 2, 64, bound_of_half, 1, umin=-1022),
        "snap_half_nearest": _verified(HALF, 2, 64, "8.724", 1, sampler="nearest"),
        "snap_half_clamped_query": {
            **_verified(HALF, 2, 64, bound_of_half, 1),
            "queries": [["f", None, None, "1"]],
            "program": [
                *half[:2],
                ["assign", "y", ["sub", confined, ["neg", laplace(HALF)]]],
                half[3],
            ],
        },
        "snap_tenth": _verified("1/10", 16, 1000, bound_of_tenth, 2, noise_epsilon=TENTH),
        "snap_mul": _verified("3/10", 4, 64, "15.1", 2, noise=_product("3/10"), noise_epsilon=1 / INVERSE),
        "snap_bigB": _verified(1, 1, 1000, "8.662", 1),
        "snap_small_lambda": _verified(
            1, Fraction(1, 2**30), 64, Fraction("1.000061750655"), 1, claim=Fraction(11, 10)
        ),
        "snap_half_grid53": _refuted(half, 64, note, ratio, f=63, f_prime=64, output=-10, sampler="grid53"),
        "snap_bigB_subnormal": _refuted(big, 1000, 1, impossible, f=999, f_prime=1000, output=255, umin=-1074),
        "snap_noclamp": _refuted(noclamp, 64, note, impossible, f=63, f_prime=64, output=-1354, umin=-1022),
        "snap_halfscale": _refuted(snapping(laplace(1), grid=2, bound=64), 64, note, ratio, f=0, f_prime=1, output=-20),
        "snap_halfscale_clamped": _refuted(
            snapping(laplace(1), grid=2, bound=64), 64, note, ratio, f=0, f_prime=1, output=-64
        ),
        "low_precision": _refuted(
            snapping(laplace(1), grid=2, bound=16), 16, note, ratio, f=0, f_prime=1, output=-6, p=9
        ),
        "naive_laplace": certificate(
            naive,
            bound=64,
            claim=note,
            witness={
                "kind": "impossible",
                "f": "0",
                "f_prime": "1",
                "output": str(-Fraction(1, 2**60)),
                "U": str(-Fraction(1, 2**60)),
                "S": None,
                "gaps": [{"S": None, "below": str(-1 - Fraction(1, 2**52)), "above": "-1"}],
            },
        ),
    }
