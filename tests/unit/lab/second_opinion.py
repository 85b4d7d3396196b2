"""Is a certificate true? Asked without the checker, to judge mutants that it accepts.

A bound is computed from theorem 2' in MPFR as the theorem is printed (deltas, no one-sided numbers); a witness is run
in MPFR, its cells compared with the cells that bisection finds. Nothing here reads programs: they are run, or the
reason for the mutant says what they are, or the verifier, which shares no code with the checker, proves the bound too.
"""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

import gmpy2

from snapdp.errors import SnapdpError
from snapdp.lab.language.syntax import Program, Query
from snapdp.lab.language.text import from_lists
from snapdp.lab.loss.universal_bound import recognise, universal_bound
from snapdp.lab.semantics.machine import Machine
from tests.unit.lab.loss.certificates import cell, draws, fraction, run

SAMPLER = {"ulp": (2, 0), "nearest": (1, 1), "ideal": (0, 0)}  # eta more, eta less in Pr[U < v]


def theorem(
    *,
    epsilon: Any,
    grid: Any,
    bound: Any,
    sensitivity: Any,
    roundings: int,
    p: int,
    sampler: str,
    exact_sum: bool = False,
) -> Fraction:
    """Return the bound of theorem 2', rounded to nearest in 600 bits; with an exact sum, its sharper form."""
    more, less = SAMPLER[sampler]
    with gmpy2.context(precision=600, emin=-(2**40), emax=2**40):
        e, width, b, step = (gmpy2.mpfr(gmpy2.mpq(Fraction(x))) for x in (epsilon, grid, bound, sensitivity))
        eta = gmpy2.mpfr(2) ** -p
        t = (gmpy2.ceil(b / width) - gmpy2.mpfr("0.5")) * width
        g = 2 ** (gmpy2.floor(gmpy2.log2(t)) - p + 1)
        g = gmpy2.mpfr(0) if exact_sum else g
        tau, growth = b + t + g / 2, (1 + eta) ** roundings

        def errors(distance: Any) -> tuple[Any, Any]:
            minus = e * distance * (growth - 1) - gmpy2.log1p(-less * eta)
            return minus, e * distance * (1 - 1 / growth) + gmpy2.log1p(more * eta)

        (minus, plus), (near_minus, near_plus) = errors(tau), errors(width if exact_sum else tau)
        q, down, up = gmpy2.exp(-e * (width - g / 2)), gmpy2.exp(-minus), gmpy2.exp(plus)
        around = [2 - (1 + q) * gmpy2.exp(end) for end in (-near_minus, near_plus)]
        upper = max(gmpy2.log((up - q * down) / (1 - q)), gmpy2.log(around[0] / (1 - q)), plus)
        lower = max(gmpy2.log((1 - q) / (down - q * up)), gmpy2.log((1 - q) / around[1]), minus)
        return fraction(e * step + upper + lower)


def bound_of_the_verifier(certificate: dict[str, Any]) -> Fraction | None:
    """Return the bound that the verifier proves for the program and machine of a certificate; None: it has none."""
    queries = [(name, *(None if x is None else Fraction(x) for x in rest)) for name, *rest in certificate["queries"]]
    keys = ("name", "lower", "upper", "sensitivity")
    program = Program(
        name="mutant",
        parameters=(),
        queries=tuple(Query(**dict(zip(keys, query, strict=True))) for query in queries),
        statements=tuple(from_lists(statement) for statement in certificate["program"]),
        result=certificate["result"],
    )
    machine = Machine(**certificate["machine"])
    try:
        found = universal_bound(recognise(program, machine), machine)
    except (SnapdpError, ArithmeticError, ValueError):
        return None
    return None if found is None else found.proved


def same_outputs(one: dict[str, Any], other: dict[str, Any], *, runs: int = 30) -> bool:
    """Return whether both programs give the same two outputs, one for each sign, from the same f and U."""
    rng = random.Random(1)
    p = one["machine"]["p"]
    ends = one["queries"][0][1:3]
    lower, upper = (-60, 60) if None in ends else map(Fraction, ends)

    def outputs(program: dict[str, Any], f: Fraction, u: Fraction) -> list[Fraction]:
        exact_sum = "sum" in program["machine"]
        points = ({"f": f, "U": u, "S": sign} for sign in (1, -1))
        return sorted(run(program["program"], p=p, point=point, exact_sum=exact_sum) for point in points)

    for _ in range(runs):
        f = lower + (upper - lower) * Fraction(rng.randint(0, 120 << 20), 120 << 20)
        u = Fraction(rng.getrandbits(53) | 1, 1 << 53) * Fraction(2) ** -rng.randint(0, 90)
        try:
            if outputs(one, f, u) != outputs(other, f, u):
                return False
        except (ArithmeticError, KeyError, TypeError, ValueError):
            return False
    return True


def are_neighbours(certificate: dict[str, Any]) -> bool:
    """Return whether the private values of a witness lie in the interval of the query and near enough to each other."""
    lower, upper, sensitivity = (None if x is None else Fraction(x) for x in certificate["queries"][0][1:])
    f, f_prime = (Fraction(certificate["witness"][key]) for key in ("f", "f_prime"))
    inside = all((lower is None or lower <= x) and (upper is None or x <= upper) for x in (f, f_prime))
    return inside and abs(f - f_prime) <= sensitivity


def loss_exceeds_claim(certificate: dict[str, Any]) -> bool:
    """Return whether the logarithm of the stated ratio exceeds the claim; always when an output is impossible."""
    witness = certificate["witness"]
    if witness["kind"] == "impossible":
        return True
    with gmpy2.context(precision=600):
        ratio = gmpy2.mpq(Fraction(witness["probability"]) / Fraction(witness["probability_prime"]))
        return fraction(gmpy2.log(ratio)) > Fraction(certificate["claim"])


def witness_holds(certificate: dict[str, Any]) -> bool:
    """Return whether a witness is true of its program, by running it in MPFR."""
    witness, machine, statements = certificate["witness"], certificate["machine"], certificate["program"]
    if not are_neighbours(certificate) or not loss_exceeds_claim(certificate):
        return False
    output, p, exact_sum = Fraction(witness["output"]), machine["p"], "sum" in machine
    values = {key: Fraction(witness[key]) for key in ("f", "f_prime")}
    if statements[0][2] == "laplace":
        gap = [float(Fraction(witness["gaps"][0][end])) for end in ("below", "above")]
        outputs = [
            run(statements, p=p, point={"f": values[key], statements[0][1]: Fraction(u)}, exact_sum=exact_sum)
            for key, u in (("f", witness["U"]), ("f_prime", gap[0]), ("f_prime", gap[1]))
        ]
        return outputs[1] < outputs[0] == output < outputs[2] and p == 53 and math.nextafter(gap[0], gap[1]) == gap[1]
    draw, before, after = draws(machine)
    if witness["kind"] == "impossible":
        empty = [len(set(cell(statements, machine, values["f_prime"], sign, output))) == 1 for sign in (1, -1)]
        point = {"f": values["f"], "U": Fraction(witness["U"]), "S": witness["S"]}
        drawn = draw(before + 1) <= point["U"] <= draw(after - 1)
        return drawn and all(empty) and run(statements, p=p, point=point, exact_sum=exact_sum) == output
    chance = {"f": Fraction(0), "f_prime": Fraction(0)}
    for origin, x in values.items():
        for sign in (1, -1):
            first, end = cell(statements, machine, x, sign, output)
            all_below = first == before + 1 and machine["sampler"] == "ulp"  # what is smaller becomes the smallest
            chance[origin] += (draw(end) - (0 if all_below else draw(first))) / 2 if first != end else 0
    return chance == {"f": Fraction(witness["probability"]), "f_prime": Fraction(witness["probability_prime"])}
