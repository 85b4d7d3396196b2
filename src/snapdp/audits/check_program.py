"""The independent checker of certificates: `python verify.py certificate.json`. Standard library only.

The writer of certificates asks it, and so does `snapdp verify`; it imports nothing of the package and can be copied out
and run alone.
Idea: a certificate is a program, a machine, a claim, and a bound of the privacy loss (VERIFIED) or a point where the
claim fails (REFUTED). It is not believed: the bound is derived again, the witness is run, all in exact fractions.
What was accepted is printed from what was checked: program, queries, machine, claim, and what is assumed beside.
Trusts: Python's integers, and what docs/theory/certificates.md numbers (T1)-(T8); formulas (1)-(12) are numbered there.
"""

from __future__ import annotations

import json
import math
import os
import re
import stat
import sys
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

ZERO, HALF, ONE, TWO, THIRD = Fraction(0), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(1, 3)
Queries = dict[str, tuple[Fraction | None, Fraction | None, Fraction]]  # lower and upper end, sensitivity
Tree = tuple[Any, ...]  # ("add", tree, tree), ("const", 3/10), ("unif", "U") ...: variables are already replaced


class Refusal(Exception):
    """The certificate is not accepted, for the reason given.

    Any other exception is a fault of this checker, or of the machine it runs on: the certificate could not be checked,
    which neither accepts nor refuses it.
    """


def require(premise: bool, otherwise: str) -> None:
    if not premise:
        raise Refusal(otherwise)


# 1. Numbers: p-bit floats; ln and exp between two rationals
def exponent(x: Fraction) -> int:
    """Return e with 2**e <= |x| < 2**(e+1)."""
    e = abs(x.numerator).bit_length() - x.denominator.bit_length()
    return e if abs(x) >= TWO**e else e - 1


def is_infinite(x: Any) -> bool:
    """Return whether x is a limit, not a number: a float is only ever an infinity here."""
    return type(x) is float


def is_power_of_two(x: Fraction) -> bool:
    return x > 0 and x == TWO ** exponent(x)


def nearest(x: Fraction, p: int) -> Fraction:
    """Return the p-bit float nearest to x, ties to even; exponents are unbounded."""
    ulp = TWO ** (exponent(x) - p + 1)
    return round(x / ulp) * ulp


@lru_cache(maxsize=64)
def atanh(z: Fraction, bits: int) -> tuple[int, int]:
    """Return integers around 2**bits atanh(z) = 2**bits sum z**(2i+1)/(2i+1), for 0 <= z <= 1/3.

    All truncation is downward. The error of a power of z is below 1/9 of the one before + 14/9, hence below 2 units;
    so that of a term is below 3 units, and what follows the last power, itself below 2, is below 9/4.
    """
    power = (z.numerator << bits) // z.denominator
    square = power * power >> bits
    total, odd = 0, 1
    while power:
        total += power // odd
        power = power * square >> bits
        odd += 2
    return total, total + (3 * (odd // 2) + 3 if z else 0)


def ln(x: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Return rationals around ln x, x > 0: ln(2**k m) = 2 k atanh(1/3) + 2 atanh((m-1)/(m+1)), 2/3 <= m < 4/3."""
    k = exponent(x * 3 / 2)
    z = 1 - 2 / (x / TWO**k + 1)
    twos = sorted(k * end for end in atanh(THIRD, bits))
    rest = sorted(end if z > 0 else -end for end in atanh(abs(z), bits))
    return Fraction(twos[0] + rest[0], 1 << bits - 1), Fraction(twos[1] + rest[1], 1 << bits - 1)


@lru_cache(maxsize=1024)
def ln_nearest(x: Fraction, p: int) -> Fraction:
    """Return ln x correctly rounded to p bits: it is irrational for x != 1, so that enough bits decide."""
    bits = 2 * p + 64
    while len(ends := {nearest(end, p) for end in ln(x, bits)}) == 2:
        bits *= 2
    return ends.pop()


def exp_minus(x: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Return rationals around e**-x, x >= 0: the series at y = x/2**k <= 1/2, then k squarings.

    The error of a term y**i/i! is below half of the one before + 2, hence below 4 units; the rest is below 8.
    """
    if x > 1 << 16:
        return ZERO, exp_minus(Fraction(1 << 16), bits)[1]
    k = max(0, exponent(x) + 2) if x else 0
    bits += 2 * k + 32
    y = (x.numerator << bits) // (x.denominator << k)
    total, term, i = 0, 1 << bits, 0
    while term:
        total += -term if i % 2 else term
        i += 1
        term = (term * y >> bits) // i
    low, high = max(0, total - 4 * i - 8), total + 4 * i + 8
    for _ in range(k):
        low, high = low * low >> bits, -(-high * high >> bits)
    return Fraction(low, 1 << bits), Fraction(high, 1 << bits)


# 2. Reading: a closed form, every size limited
LARGEST_TEXT, MOST = 1_000_000, 100  # MOST: statements, items of a list, letters of a name, nodes of a program
RATIONAL = re.compile(r"-?[0-9]{1,4000}(/[1-9][0-9]{0,3999})?")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
ALWAYS = {"format", "queries", "program", "result", "machine", "claim", "verdict"}
FORMAT = 1
ONLY = {"VERIFIED": {"bound", "noise_epsilon", "roundings"}, "REFUTED": {"witness"}}
WITNESS = {"ratio": {"cells", "probability", "probability_prime"}, "impossible": {"U", "S", "gaps"}}
SAMPLERS = {"ideal": (0, 0), "ulp": (2, 0), "nearest": (1, 1), "grid53": (0, 0)}  # Pr[U < v]: eta above v, below v
SAMPLES = {"unif": 0, "sign": 0, "laplace": 1, "bernoulli": 1}  # how many rationals follow
FORMS = {"const": (1, 0), "neg": (0, 1), "ln": (0, 1), "round": (1, 1), "clamp": (2, 1)}  # rationals, expressions
FORMS |= dict.fromkeys(("add", "sub", "mul", "div"), (0, 2))


def fields(value: Any, keys: set[str]) -> dict[str, Any]:
    require(type(value) is dict and value.keys() == keys, f"not an object with exactly the keys {sorted(keys)}")
    return dict(value)


def sized(value: Any, kind: type[Any]) -> Any:
    require(type(value) is kind and len(value) <= MOST, f"not a {kind.__name__} of at most {MOST} parts")
    return value


def name_of(value: Any) -> str:
    require(NAME.fullmatch(sized(value, str)) is not None, "a name is not made of letters, digits and _")
    return str(value)


def integer(value: Any, low: int, high: int) -> int:
    require(type(value) is int and low <= value <= high, f"not a whole number in {low} ... {high}")
    return int(value)


def rational(value: Any) -> Fraction:
    require(type(value) is str and RATIONAL.fullmatch(value) is not None, "not a rational number in text")
    require(str(Fraction(value)) == value, "a rational number is not in lowest terms")
    return Fraction(value)


class StatedMachine(NamedTuple):
    """p bits, the roundings of ln, the sampler of U, the exponent of the smallest U or None, whether sums round."""

    p: int
    ln_roundings: int
    sampler: str
    umin: int | None
    exact_sum: bool = False

    def in_range(self, x: Any, spare: int = 0) -> Any:
        """Return x; times 2**spare or over it, it stays a normal number of binary64 (of binary128 for p > 53)."""
        if is_infinite(x):
            return x
        limit = (1022 if self.p <= 53 else 16382) - spare
        require(x == 0 or -limit <= exponent(x) <= limit, "a number leaves the exponent range of the machine")
        return x

    def value(self, x: Any) -> Any:
        return x if is_infinite(x) else nearest(self.in_range(x), self.p)

    def total(self, x: Any) -> Any:
        """Return what the machine makes of a sum, or of a multiple of a power of two."""
        return self.in_range(x) if self.exact_sum else self.value(x)

    def holds(self, *numbers: Fraction) -> bool:
        return all(self.value(x) == x for x in numbers)


def read_machine(value: Any) -> StatedMachine:
    stated = {"sum"} & set(value) if type(value) is dict else set[str]()
    m = fields(value, {"p", "ln_roundings", "sampler", "umin"} | stated)
    require(all(type(m[key]) is str and m[key] == "exact" for key in stated), "the sum is stated, and is not exact")
    umin = None if m["umin"] is None else integer(m["umin"], -(1 << 20), -1)
    require(sized(m["sampler"], str) in SAMPLERS, f"the sampler is none of {list(SAMPLERS)}")
    return StatedMachine(integer(m["p"], 2, 4096), integer(m["ln_roundings"], 1, 64), m["sampler"], umin, bool(stated))


def read_queries(value: Any) -> Queries:
    queries: Queries = {}
    for query in sized(value, list):
        require(len(sized(query, list)) == 4, "a query is not [name, lower, upper, sensitivity]")
        require(name_of(query[0]) not in queries, "a query is declared twice")
        lower, upper = (None if end is None else rational(end) for end in query[1:3])
        ordered = lower is None or upper is None or lower <= upper
        require(
            ordered and rational(query[3]) >= 0, "the ends of a query are not in order, or its sensitivity negative"
        )
        queries[query[0]] = lower, upper, rational(query[3])
    return queries


def read_program(statements: Any, result: Any, queries: Queries) -> Tree:
    """Return the expression that is published, over constants, queries and samples: each name stands for its tree."""
    bound: dict[str, Tree] = {}

    def expression(value: Any, depth: int = 0) -> Tree:
        require(depth <= MOST and len(sized(value, list)) > 1, "an expression is too deep, or has no operand")
        word, *parts = value
        if word == "var" and len(parts) == 1 and sized(parts[0], str) in bound:
            return bound[parts[0]]
        if word == "query" and len(parts) == 1 and sized(parts[0], str) in queries:
            return ("query", parts[0])
        rationals, expressions = FORMS.get(sized(word, str), (0, 0))
        require(len(parts) == rationals + expressions, "an expression is of no known form, or names what is not bound")
        operands = (expression(part, depth + 1) for part in parts[rationals:])
        return (word, *map(rational, parts[:rationals]), *operands)

    for statement in sized(statements, list):
        match statement:
            case ["sample", str(name), str(kind), *numbers] if SAMPLES.get(kind) == len(numbers):
                tree: Tree = (kind, name, *map(rational, numbers))
                require(kind != "laplace" or tree[2] > 0, "the scale of a Laplace draw is not positive")
            case ["assign", str(name), value]:
                tree = expression(value)
            case _:
                raise Refusal("a statement is neither a sample nor an assignment")
        require(name_of(name) not in bound, "a name is bound twice")
        bound[name] = nodes(tree)[0]
    require(sized(result, str) in bound, "the result is not bound")
    return bound[result]


def nodes(tree: Tree) -> list[Tree]:
    found = [tree]
    for node in found:
        found += [part for part in node if type(part) is tuple]
        require(len(found) <= MOST, "the program is too large")
    return found


def leaves(tree: Tree, *kinds: str) -> set[Tree]:
    return {node for node in nodes(tree) if node[0] in kinds}


# 3. Running the program at one point
def run(tree: Tree, machine: StatedMachine, point: dict[str, Any]) -> tuple[Any, int]:
    """Return the value of a tree on the machine, and its trend: 1, 0, -1 as it rises, stays or falls with the draw.

    The point gives values to query, sign, unif and laplace. Each operation rounds once (a sum only where sums round);
    rounding and ln are monotone.
    At the draw 0, which is none, it is the limit beyond all values of draws, perhaps an infinity: each step is monotone
    there too.
    """
    match tree[0], [run(part, machine, point) for part in tree if type(part) is tuple]:
        case "const", _:
            return machine.value(tree[1]), 0
        case "query" | "sign" | "unif" | "laplace" as kind, _ if point.get(kind) is not None:
            return Fraction(point[kind]), int(kind in ("unif", "laplace"))
        case "add" | "sub" as word, [(x, d), (y, e)]:
            y, e = (y, e) if word == "add" else (-y, -e)
            require(d * e >= 0, "a sum is not monotone in the draw")  # so no infinity meets its opposite
            return machine.total(x if is_infinite(x) else y if is_infinite(y) else x + y), d or e
        case "mul" | "div" as word, [(x, d), (y, e)]:
            require(e == 0 or (d == 0 and word == "mul"), "a product or quotient is not monotone in the draw")
            require(word == "mul" or y != 0, "a division by zero")
            require(not (is_infinite(x) and y == 0) and not (is_infinite(y) and x == 0), "zero times an infinity")
            signs = (x > 0) - (x < 0), (y > 0) - (y < 0)
            if is_infinite(x) or is_infinite(y):
                return math.inf * signs[0] * signs[1], d * signs[1] + e * signs[0]
            return machine.value(x * y if word == "mul" else x / y), d * signs[1] + e * signs[0]
        case "neg", [(x, d)]:
            return -x, -d
        case "ln", [(x, d)]:
            return logarithm(tree[1], machine, point, x), d
        case "round", [(x, d)]:
            require(tree[1] > 0, "a grid is not positive")
            held = machine.total if is_power_of_two(tree[1]) else machine.value
            return x if is_infinite(x) else held(tree[1] * math.floor(x / tree[1] + HALF)), d
        case "clamp", [(x, d)]:
            require(tree[1] <= tree[2], "the ends of a clamp are not in order")
            return min(max(machine.value(tree[1]), x), machine.value(tree[2])), d
    raise Refusal(f"a {tree[0]} has no value here")


def logarithm(operand: Tree, machine: StatedMachine, point: dict[str, Any], x: Any) -> Any:
    """Return ln x of an operand that is positive for every draw; -infinity where it vanishes at the limit."""
    require(positive(operand, machine, point), "a logarithm of what may not be positive")
    if x == 0 and point.get("unif") == 0:
        return -math.inf
    require(x > 0 and not is_infinite(x), "a logarithm of what is not positive")
    return machine.in_range(ln_nearest(x, machine.p))


def positive(tree: Tree, machine: StatedMachine, point: dict[str, Any]) -> bool:
    """Return whether a tree is above 0 for every uniform draw, as far as its form tells."""
    match tree:
        case ("unif", _):
            return True
        case ("add" | "mul" | "div", left, right):
            return positive(left, machine, point) and positive(right, machine, point)
        case ("sub", left, ("unif", _)) if not leaves(left, "unif", "laplace"):
            return bool(run(left, machine, point)[0] >= 1) and machine.sampler != "nearest"  # which draws 1
        case ("clamp", lower, _, _):
            return bool(lower > 0)
    return not leaves(tree, "unif", "laplace") and bool(run(tree, machine, point)[0] > 0)


# 4. VERIFIED: the shape, the noise, the bound
def monomial(tree: Tree, machine: StatedMachine) -> tuple[Fraction, int, int, int]:
    """Return c, s, n, j when a tree is c S**s (ln U)**n, computed with j roundings of what depends on U."""
    if not leaves(tree, "query", *SAMPLES):
        require(machine.ln_roundings == 1 or not leaves(tree, "ln"), "a constant depends on how ln rounds")
        return run(tree, machine, {})[0], 0, 0, 0  # folded: all runs share it, it is no error
    match tree:
        case ("sign", _):
            return ONE, 1, 0, 0
        case ("ln", ("unif", _)):
            return ONE, 0, 1, machine.ln_roundings
        case ("neg", operand):
            return monomial(("mul", ("const", -ONE), operand), machine)
        case ("mul" | "div" as word, left, right):
            (c, s, n, j), (c2, s2, n2, j2) = monomial(left, machine), monomial(right, machine)
            require(s + s2 <= 1 and n + n2 <= 1, "the sign or the uniform draw is used twice")
            require(word == "mul" or (c2 != 0 and n2 == 0), "noise divides by zero or by the draw")
            product = c * c2 if word == "mul" else c / c2
            if n + n2 == 0:
                return machine.value(product), 1, 0, 0  # the machine rounds c and -c alike
            machine.in_range(product, spare=machine.p + 32)  # 2**-p <= |ln U| < 2**32, or ln U = 0
            return product, s + s2, 1, j + j2 + (not is_power_of_two(abs(c2 if n else c)))
    raise Refusal("the noise is no product of constants, one sign and the logarithm of one uniform draw")


def innermost(tree: Tree) -> tuple[Tree, Tree]:
    """Return the rounding of a sum, and the clamp next outside of it; what lies further out sees nothing else."""
    around: Tree = ()
    while tree[0] != "round" or tree[2][0] not in ("add", "sub"):
        around = tree if tree[0] == "clamp" else around
        inside = [part for part in tree if type(part) is tuple and leaves(part, "query", *SAMPLES)]
        require(len(inside) == 1, "the program is no function of clamp(round(query + noise))")
        tree = inside[0]
    require(around != (), "nothing clamps the rounded sum")
    return tree, around


def with_part(tree: Tree, part: Tree, leaf: Tree) -> Tree:
    """Return a tree with a leaf in the place of a part."""
    return leaf if tree == part else tuple(with_part(x, part, leaf) if type(x) is tuple else x for x in tree)


def clamped_between(around: Tree, rounding: Tree, machine: StatedMachine) -> tuple[Fraction, Fraction]:
    """Return the ends of a clamp in the unit of the rounding: theory (10)."""
    _, lower, upper, inside = around
    if inside == rounding:
        require(lower < upper and machine.holds(lower, upper), "the ends of the clamp are no floats in order")
        return lower, upper
    lower, upper = machine.value(lower), machine.value(upper)  # an exact sum may lie between these and those stated
    scaled, grid = with_part(inside, rounding, ("unif", "snapped")), rounding[1]
    logarithms = [node for node in nodes(scaled) if node[0] == "ln" and leaves(node, "unif")]
    require(not logarithms, "a logarithm inside the clamp is no number somewhere, which is one more output")

    def first(end: Fraction, *, beyond: bool) -> int:
        """Return the least k such that k steps of the grid become the end or more; beyond: more than the end."""
        low, high = -(1 << machine.p), 1 << machine.p
        while high - low > 1:
            middle = (low + high) // 2
            value, trend = run(scaled, machine, {"unif": middle * grid})
            require(trend > 0, "what is clamped does not rise with the rounded sum")
            low, high = (low, middle) if value > end or (value == end and not beyond) else (middle, high)
        return high

    k, k2 = first(lower, beyond=True) - 1, first(upper, beyond=False)
    require(-(2**machine.p) < k < k2 < 2**machine.p, "a clamp is beyond what the machine can hold")
    return k * grid, k2 * grid


def private_part(tree: Tree, machine: StatedMachine, queries: Queries) -> tuple[Any, Any, Fraction]:
    """Return between which values the noise is added, and how far apart they are for neighbours: theory (11)."""
    match tree:
        case ("query", name):
            return queries[name]
        case ("neg", inside):
            least, most, distance = private_part(inside, machine, queries)
            return None if most is None else -most, None if least is None else -least, distance
        case ("clamp", lower, upper, inside):
            require(
                lower <= upper and machine.holds(lower, upper), "the ends of the inner clamp are no floats in order"
            )
            least, most, distance = private_part(inside, machine, queries)
            ends = [e if x is None else min(max(lower, x), upper) for e, x in ((lower, least), (upper, most))]
            return ends[0], ends[1], distance
        case ("add" | "sub" | "mul" | "div" as word, left, right):
            first = not leaves(left, "query")
            least, most, distance = private_part(right if first else left, machine, queries)
            require(least is not None and most is not None, "a query that is scaled is not confined")
            return scaled_part(word, least, most, distance, monomial(left if first else right, machine), first, machine)
    raise Refusal("what is published is not a query, scaled, shifted and clamped by constants")


def scaled_part(
    word: str, least: Any, most: Any, distance: Fraction, constant: Any, first: bool, machine: StatedMachine
) -> tuple[Fraction, Fraction, Fraction]:
    """Return the same after an operation with a constant; unless it is exact, each end rounds by half a unit."""
    c, signs, logs, _ = constant
    scales = word in ("mul", "div")
    require(signs == logs == 0 and (c != 0 or not scales), "a query is scaled by no constant, or by zero")
    require(not (first and word == "div"), "a constant is divided by the query")
    factor = c if word == "mul" else 1 / c if word == "div" else -ONE if first and word == "sub" else ONE
    shift = ZERO if scales else -c if word == "sub" and not first else c
    low, high = sorted((factor * least, factor * most))
    small, large = sorted((abs(low), abs(high)))
    cancels = max(low * shift, high * shift) < 0 and abs(shift) / 2 <= small and large <= 2 * abs(shift)
    exact_sum = machine.exact_sum and not scales
    floats = not machine.exact_sum and (cancels if shift else is_power_of_two(abs(factor)))  # else c x rounds for c = 1
    if exact_sum or floats:
        return machine.in_range(low + shift), machine.in_range(high + shift), abs(factor) * distance
    most = max(abs(low + shift), abs(high + shift))
    unit = TWO ** (exponent(most) - machine.p + 1) if most else ZERO
    return machine.value(low + shift), machine.value(high + shift), abs(factor) * distance + unit


def derive(tree: Tree, machine: StatedMachine, queries: Queries) -> tuple[Fraction, Fraction, int]:
    """Return a bound of the loss of clamp(round(f + noise)), its epsilon its roundings: theory (1)-(4), (10)-(12)."""
    rounding, around = innermost(tree)
    _, grid, (word, left, right) = rounding
    private, noise = (left, right) if word == "sub" or leaves(left, "query") else (right, left)
    least, most, sensitivity = private_part(private, machine, queries)
    require(is_power_of_two(machine.in_range(grid)), "the grid is no power of two")
    lower, upper = clamped_between(around, rounding, machine)
    if least is None or most is None or not lower <= least <= most <= upper:
        raise Refusal("the query is not confined to the clamp")
    coefficient, signs, logs, roundings = monomial(noise, machine)
    require(signs == logs == 1 and coefficient != 0, "the noise lacks its sign or its logarithm")
    epsilon = 1 / abs(coefficient)
    first, last = (math.floor(lower / grid) + HALF) * grid, (math.ceil(upper / grid) - HALF) * grid  # ends of cells
    outermost, width, tau = max(abs(first), abs(last)), grid, max(most - first, last - least)
    rho = grid  # with exact sums f, inside the clamp, is at most this far from the ends of its cell: theory (9)
    if not machine.exact_sum:
        require(2 * outermost < grid * 2**machine.p, "the machine cannot hold the ends of the cells")
        half_gap = TWO ** (exponent(outermost) - machine.p)
        width, tau = width - half_gap, tau + half_gap
        rho = tau
    return epsilon * sensitivity + excess(machine, epsilon, roundings, width, tau, rho), epsilon, roundings


def excess(
    machine: StatedMachine, epsilon: Fraction, roundings: int, width: Fraction, tau: Fraction, rho: Fraction
) -> Fraction:
    """Return an upper bound of what the machine adds to the loss of ideal Laplace noise: theorem 2', theory (5)-(8).

    The machine makes of Pr[|noise| > t], t <= tau, at most a times and at least b times as much, of t <= rho at most
    a_near and at least b_near times; q >= e**(-epsilon w), w the width of the narrowest cell. The factors below, beside
    f, around f, clamped, rise with q and a, fall with b.
    """
    bits, eta = 4 * machine.p + 512, TWO**-machine.p
    growth = (1 + eta) ** roundings
    if machine.umin is not None and machine.sampler != "ideal":  # relative spacing from 2**(umin + p - 1) on
        room = -(machine.umin + machine.p - 1) * ln(TWO, bits)[0]
        require(epsilon * tau * growth <= room, "the smallest U is too large: far outputs cannot be reached")
    require(machine.sampler != "grid53", "no bound holds for a sampler on a fixed grid")
    more, less = (count * eta for count in SAMPLERS[machine.sampler])

    def factors(distance: Fraction) -> tuple[Fraction, Fraction]:
        b = (1 - less) * exp_minus(epsilon * distance * (growth - 1), bits)[0]
        require(b > 0, "the rounding errors have no bound")
        return (1 + more) / exp_minus(epsilon * distance * (1 - 1 / growth), bits)[0], b  # the divisor exceeds b > 0

    a, b = factors(tau)
    a_near, b_near = (a, b) if rho == tau else factors(rho)
    q = exp_minus(epsilon * width, bits)[1]
    require(q < 1 and b > q * a and (1 + q) * a_near < 2, "the cells are narrower than the rounding errors")
    upward = max((a - q * b) / (1 - q), (2 - (1 + q) * b_near) / (1 - q), a)
    downward = max((1 - q) / (b - q * a), (1 - q) / (2 - (1 + q) * a_near), 1 / b)
    return ln(upward, bits)[1] + ln(downward, bits)[1]


def check_verified(certificate: dict[str, Any], tree: Tree, machine: StatedMachine, queries: Queries) -> None:
    loss, epsilon, roundings = derive(tree, machine, queries)
    require(rational(certificate["noise_epsilon"]) == epsilon, "noise_epsilon is not that of the program")
    require(integer(certificate["roundings"], 0, MOST**2) == roundings, "roundings is not that of the program")
    require(loss <= rational(certificate["bound"]), "the stated bound is below the one derived here")
    require(rational(certificate["bound"]) <= rational(certificate["claim"]), "the stated bound is above the claim")


# 5. REFUTED: the witness is run
class Side(NamedTuple):
    """The program from one private value with one sign: a monotone map from draws to outputs."""

    tree: Tree
    machine: StatedMachine
    f: Fraction
    sign: int | None
    draw: str  # unif or laplace
    step: Fraction | None  # between draws; None: they are all floats
    smallest: Fraction | None
    top: Fraction | None  # the float above all draws

    def draws(self, u: Fraction) -> bool:
        """Return whether u can be drawn, whether or not the smallest floats are subnormal."""
        inside = u != 0 if self.top is None else 0 < u < self.top
        return inside and nearest(u, self.machine.p) == u and (self.smallest is None or u % self.smallest == 0)

    def before(self, u: Fraction) -> Fraction | None:
        """Return the draw before u, which is a draw or the top."""
        gap = self.step or TWO ** (exponent(u) - self.machine.p + 1) / (2 if is_power_of_two(u) else 1)
        return None if self.smallest is not None and u - gap < self.smallest else u - gap

    def at(self, u: Fraction) -> tuple[Any, int]:
        return run(self.tree, self.machine, {"query": self.f, "sign": self.sign, self.draw: u})

    def gives(self, u: Fraction | None, output: Fraction) -> bool:
        return u is not None and self.at(u)[0] == output

    def below(self, v: Fraction) -> Fraction:
        """Return Pr[U < v]; rounded to nearest, a real uniform falls below v when it is below a midpoint."""
        before = self.before(v) if v and self.machine.sampler == "nearest" else None
        return min(ONE, v if before is None else (before + v) / 2)

    def mass(self, output: Fraction, low: Fraction, high: Fraction) -> Fraction:
        """Return Pr[low <= U < high] if exactly these draws give the output; low = 0 stands for all that are below."""
        if high == 0:
            require(low == 0 and self.precedes(output), "an empty cell is not before all draws")
            return ZERO
        last, end = self.before(high), None if high == self.top else high
        require(low <= high and (end is None or self.draws(end)), "the end of a cell is no float of the sampler")
        if low == high:
            for side, u in ((-1, last), (1, end)):
                x, d = (output + side, 1) if u is None else self.at(u)
                require(x != output if d == 0 else side * d * (x - output) > 0, "an empty cell is not empty")
            return ZERO
        require(self.gives(last, output), "the last draw of a cell does not give the output")
        require(not self.gives(end, output), "a cell ends too early")
        require(low > 0 or (low == 0 and self.step is None), "a cell begins where no draw is")
        if (first := low or self.smallest) is not None:
            require(self.draws(first) and self.gives(first, output), "the first draw does not give the output")
            require(not self.gives(self.before(first), output), "a cell begins too late")
        else:  # there is no smallest draw: what the outputs tend to
            require(self.at(ZERO)[0] == output, "a cell has no first draw, and other outputs come before it")
        return self.below(high) - self.below(low)

    def precedes(self, output: Fraction) -> bool:
        """Return whether the output lies before those of all draws, of which there is no smallest."""
        if self.draw != "unif" or self.smallest is not None:
            return False
        x, d = self.at(ZERO)
        return bool(x > output if d > 0 else x < output if d < 0 else x != output)


def check_refuted(certificate: dict[str, Any], tree: Tree, machine: StatedMachine, queries: Queries) -> None:
    kinds = [leaf[0] for leaf in leaves(tree, "query", *SAMPLES)]
    draw = "laplace" if "laplace" in kinds else "unif"
    signs: list[int | None] = [1, -1] if "sign" in kinds else [None]
    require(sorted(kinds) == sorted({*kinds} & {"query", "sign", draw} | {draw, "query"}), "not one query and one draw")
    step = smallest = top = None
    if draw == "unif":
        require(machine.sampler != "ideal" and (machine.sampler != "grid53" or machine.p >= 53), "U is no float")
        step = TWO**-53 if machine.sampler == "grid53" else None
        smallest = step or (None if machine.umin is None else TWO**machine.umin)
        top = 1 + TWO ** (1 - machine.p) if machine.sampler == "nearest" else ONE
    witness = certificate["witness"]
    kind = witness.get("kind") if type(witness) is dict else None
    require(type(kind) is str and kind in WITNESS, "a witness is neither impossible nor a ratio")
    fields(witness, WITNESS[str(kind)] | {"kind", "f", "f_prime", "output"})
    f, f_prime, output = (rational(witness[key]) for key in ("f", "f_prime", "output"))
    [(lower, upper, sensitivity)] = [queries[leaf[1]] for leaf in leaves(tree, "query")]
    for x in (f, f_prime):
        inside = (lower is None or lower <= x) and (upper is None or x <= upper)
        require(machine.holds(x) and inside, "a private value is no float of the machine in the interval of the query")
    require(abs(f - f_prime) <= sensitivity, "the private values are no neighbours")
    side = Side(tree, machine, f, None, draw, step, smallest, top)
    sides = {(origin, s): side._replace(f=x, sign=s) for origin, x in (("f", f), ("f_prime", f_prime)) for s in signs}
    if kind == "impossible":
        check_impossible(witness, output, sides)
    else:
        require(draw == "unif", "the probability of a Laplace draw is not rational")
        check_ratio(witness, output, sides, rational(certificate["claim"]))


def take(sides: dict[Any, Side], origin: Any, sign: Any) -> Side:
    """Remove and return one side, so that each can be spoken of once."""
    require(type(origin) is str and type(sign) in (int, type(None)), "a sign is none of 1, -1, null")
    require((origin, sign) in sides, "a private value and sign are none of the program, or given twice")
    return sides.pop((origin, sign))


def check_impossible(witness: dict[str, Any], output: Fraction, sides: dict[Any, Side]) -> None:
    """The output comes from f, and for no sign from f_prime: the loss is infinite, whatever the claim."""
    side, u = take(dict(sides), "f", witness["S"]), rational(witness["U"])
    require(side.draws(u) and side.gives(u, output), "U and S do not give the output from f")
    for gap in (fields(gap, {"S", "below", "above"}) for gap in sized(witness["gaps"], list)):
        side = take(sides, "f_prime", gap["S"])
        below, above = (None if gap[end] is None else rational(gap[end]) for end in ("below", "above"))
        if above == 0:
            require(below is None and side.precedes(output), "a gap is not before all draws")
            continue
        above = (side.top or ZERO) if above is None else above
        require(above != 0 and below == side.before(above), "a gap is not between neighbours")
        side.mass(output, above, above)
    require(all(origin == "f" for origin, _ in sides), "a sign has no gap")


def check_ratio(witness: dict[str, Any], output: Fraction, sides: dict[Any, Side], claim: Fraction) -> None:
    """Both probabilities are sums over whole cells of draws, and the logarithm of their ratio is above the claim."""
    machine, signs, chance = next(iter(sides.values())).machine, len(sides) // 2, {"f": ZERO, "f_prime": ZERO}
    for cell in (fields(cell, {"S", "from", "low", "high"}) for cell in sized(witness["cells"], list)):
        side = take(sides, cell["from"], cell["S"])
        chance[cell["from"]] += side.mass(output, rational(cell["low"]), rational(cell["high"])) / signs
    require(not sides, "a private value and sign have no cell")
    p, p_prime = chance["f"], chance["f_prime"]
    stated = rational(witness["probability"]), rational(witness["probability_prime"])
    require(stated == (p, p_prime) and p_prime > 0, "the probabilities are not those of the cells, or zero")
    unsampled = ZERO if machine.umin is None else TWO**machine.umin  # what is below the smallest U may go anywhere
    least = (p - unsampled) / (p_prime + unsampled)
    require(least > 0 and ln(least, 4 * machine.p + 512)[0] > claim, "the loss is not above the claim")


# 6. What was accepted, in words
SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
DRAWN = {"unif": "unif", "sign": "{-1,1}"}


def written(value: Any) -> str:
    """Return an expression of a certificate, already read, as the language of programs writes it."""
    word, *parts = value
    if word in SIGNS:
        return f"({written(parts[0])} {SIGNS[word]} {written(parts[1])})"
    forms = {"const": "{0}", "var": "{0}", "query": "{0}(D)", "neg": "-{0}", "ln": "ln({0})"}
    forms |= {"round": "round[{0}]({1})", "clamp": "clamp[{0}, {1}]({2})"}
    shown = [written(part) if type(part) is list else f"({part})" if "/" in part else part for part in parts]
    return forms[word].format(*shown)


def statement_text(statement: list[Any]) -> str:
    kind, name, *rest = statement
    if kind == "assign":
        return f"{name} = {written(rest[0])}"
    return f"{name} <-$ {DRAWN.get(rest[0], rest[0])}" + (f"({rest[1]})" if len(rest) == 2 else "")


def query_text(query: list[Any], kind: str) -> str:
    name, lower, upper, sensitivity = query
    ends = f"from {lower if lower is not None else '-infinity'} to {upper if upper is not None else 'infinity'}"
    return f"{name}(D), a {kind} {ends}; neighbours differ by at most {sensitivity}"


def decimal(x: Fraction, places: int, *, up: bool) -> str:
    scaled = (math.ceil if up else math.floor)(x * 10**places)
    whole, rest = divmod(abs(scaled), 10**places)
    return f"{'-' if scaled < 0 else ''}{whole}.{rest:0{places}d}".rstrip("0").rstrip(".")


def conclusion(found: dict[str, Any], machine: StatedMachine) -> str:
    places = machine.p * 302 // 1000 + 5
    claim = decimal(rational(found["claim"]), places, up=False)
    if found["verdict"] == "VERIFIED":
        bound = decimal(rational(found["bound"]), places, up=True)
        if found["bound"] == found["claim"]:  # a decimal above it would seem to miss the claim
            bound = claim if claim == bound else found["claim"]
        return f"no output has a privacy loss above {bound}, and the claim is {claim}"
    witness = found["witness"]
    pair = f"output {witness['output']} of {witness['f']} against {witness['f_prime']}"
    if witness["kind"] == "impossible":
        return f"{pair}: only the first can give it, so the loss is infinite; the claim is {claim}"
    ratio = rational(witness["probability"]) / rational(witness["probability_prime"])
    loss = decimal(ln(ratio, 4 * machine.p + 512)[0], places, up=False)
    return f"{pair}: probabilities with the loss {loss}, above the claim {claim}"


def machine_text(m: StatedMachine) -> str:
    ln_words = "correctly rounded" if m.ln_roundings == 1 else f"within {m.ln_roundings} roundings"
    smallest = "none is the smallest" if m.umin is None else f"the smallest is 2**{m.umin}"
    sums = ", the sum is exact" if m.exact_sum else ""
    return f"{m.p} bits, ln {ln_words}, sampler {m.sampler}, of its draws {smallest}{sums}"


def private_kind(found: dict[str, Any], machine: StatedMachine) -> str:
    """Return what a private value is: no bound for an exact sum asks that it be a float."""
    return "number" if machine.exact_sum and found["verdict"] == "VERIFIED" else "float"


def assumptions(found: dict[str, Any], tree: Tree, machine: StatedMachine) -> list[str]:
    """Return what the checker takes from nobody but the certificate, or from the world: (T3) to (T8)."""
    ends = "binary64" if machine.p <= 53 else "binary128"
    which = "every operation but + and -" if machine.exact_sum else "every operation"
    lines = [f"(T3) {which} rounds to nearest, ties to even; no fma; exponents reach those of {ends}"]
    lines.append(f"(T4) ln is {'correctly rounded' if machine.ln_roundings == 1 else 'as accurate as stated'}")
    if leaves(tree, "unif"):
        fair = ", S is fair" if leaves(tree, "sign") else ""
        lines.append(f"(T5) U has the law of the sampler {machine.sampler}{fair}")
    if leaves(tree, "laplace"):
        lines.append("(T6) a Laplace draw can be every float")
    kind = private_kind(found, machine)
    lines.append(f"(T8) the query gives {kind}s inside its interval, and neighbours differ by at most the sensitivity")
    return lines


def statement(found: dict[str, Any], tree: Tree, machine: StatedMachine) -> dict[str, list[str]]:
    """Return what an accepted certificate says, by topic; all of it was checked, or is named as assumed."""
    program = [statement_text(each) for each in found["program"]] + [f"return {found['result']}"]
    return {
        found["verdict"].lower(): [conclusion(found, machine)],
        "program": program,
        "query": [query_text(query, private_kind(found, machine)) for query in found["queries"]],
        "machine": [machine_text(machine)],
        "claim": [f"loss <= {found['claim']}"],
        "assumed": assumptions(found, tree, machine),
    }


# 7. The public API
def unique(pairs: list[tuple[str, Any]]) -> Any:
    return len(dict(pairs)) == len(pairs) and dict(pairs)  # False, and no object, when a key is given twice


def examine(certificate: Any) -> dict[str, list[str]]:
    """Return what a certificate, JSON text or what it holds, proves; a Refusal says why it proves nothing."""
    found = certificate
    if type(certificate) is str:
        require(len(certificate) <= LARGEST_TEXT, "the certificate is too long")
        found = json.loads(certificate, object_pairs_hook=unique)
    release = type(found) is dict and "record" in found  # for the other checker
    require(not release, "this is the certificate of a release: check_release.py checks it, or `snapdp verify`")
    verdict = found.get("verdict") if type(found) is dict else None
    require(type(verdict) is str and verdict in ONLY, "no verdict VERIFIED or REFUTED")
    form = found.get("format")
    require(type(form) is int and form == FORMAT, f"format = {FORMAT} is expected")
    fields(found, ALWAYS | ONLY[str(verdict)])
    machine, queries = read_machine(found["machine"]), read_queries(found["queries"])
    tree = read_program(found["program"], found["result"], queries)
    (check_verified if verdict == "VERIFIED" else check_refuted)(found, tree, machine, queries)
    return statement(found, tree, machine)


def check(certificate: Any) -> str | None:
    """Return None when a certificate is accepted; otherwise why it is refused."""
    try:
        examine(certificate)
    except Refusal as refusal:
        return str(refusal)
    return None


def conclusion_lines(proved: dict[str, list[str]]) -> list[str]:
    """Return what was accepted as lines: the topic before the first of each."""
    rows = [(topic if not number else "", line) for topic, part in proved.items() for number, line in enumerate(part)]
    return [f"  {topic:<9} {line}" for topic, line in rows]


def read_text(path: str) -> str:
    """Return the text of a regular file, as far as one may be long; OSError for a pipe, which might never end."""
    at_once = os.O_NONBLOCK if hasattr(os, "O_NONBLOCK") else 0
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | at_once)) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError("it is not a regular file")
        return file.read(4 * LARGEST_TEXT + 1).decode()


def failure(problem: Exception) -> str:
    """Return what failed where a certificate could not be checked. It says nothing about the certificate."""
    told = f"{type(problem).__name__}: {ascii(str(problem))[1:-1][:200]}"
    if isinstance(problem, OSError):
        return f"the file cannot be read ({told})"
    if isinstance(problem, (json.JSONDecodeError, UnicodeDecodeError)):
        return f"the file is not JSON ({told})"
    return f"the checker itself failed ({told}), which says nothing about the certificate"


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: python verify.py certificate.json", file=sys.stderr)
        return 2
    try:
        return say_verdict(arguments[0])
    except Exception as problem:  # of any kind: only a reason accuses
        with suppress(Exception):
            say([f"COULD NOT CHECK: {failure(problem)}"])
        return 3


def say_verdict(path: str) -> int:
    """Print whether the certificate in a file is accepted; return the exit code."""
    try:
        proved = examine(read_text(path))
    except Refusal as refusal:
        say([f"REFUSED: {refusal}"])
        return 1
    say(["ACCEPTED", *conclusion_lines(proved)])
    return 0


def say(lines: list[str]) -> None:
    """Print lines; a reader who went away after the first, as `head` does, does not change the verdict."""
    try:
        print("\n".join(lines), flush=True)
    except OSError as problem:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python fails again at its end
        if not isinstance(problem, BrokenPipeError):
            raise


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
