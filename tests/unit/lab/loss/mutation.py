"""Every field of a certificate, mutated in every way that its kind allows.

A mutant is (path, what was done, certificate). Paths are tuples of keys and indices. The engine knows JSON, rationals
in text, floats of the machine and the vocabulary of programs; it knows nothing of what a certificate means.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

Path = tuple[Any, ...]
RATIONAL = re.compile(r"-?[0-9]+(/[0-9]+)?")
TINY = Fraction(1, 1 << 60)
FORMS = ("add", "sub", "mul", "div", "neg", "ln", "const", "var", "query", "round", "clamp", "assign", "sample")
KINDS = (
    "unif",
    "sign",
    "laplace",
    "bernoulli",
    "ulp",
    "nearest",
    "ideal",
    "grid53",
    "impossible",
    "ratio",
    "exact",
    "rounded",
)
WORDS = (*FORMS, *KINDS, "VERIFIED", "REFUTED", "f", "f_prime", "U", "S", "y", "z")
ODD = [None, True, False, 0, 1, -1, 0.5, "", "0", "1", "-1", "nan", [], {}, "x" * 101]


def mutants(certificate: dict[str, Any]) -> Iterator[tuple[Path, str, dict[str, Any]]]:
    """Yield all mutants that differ from the certificate."""
    p = certificate["machine"]["p"]
    for path, value in places(certificate):
        for how, other in changes(value, p):
            text_for_the_reader = not path and isinstance(other, str)  # a text is read as JSON: tested elsewhere
            if (other != value or type(other) is not type(value)) and not text_for_the_reader:
                yield path, how, replaced(certificate, path, other)


def places(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    yield path, value
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        yield from places(part, (*path, key))


def replaced(certificate: dict[str, Any], path: Path, value: Any) -> Any:
    if not path:
        return copy.deepcopy(value)
    made = copy.deepcopy(certificate)
    at: Any = made
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = copy.deepcopy(value)
    return made


def changes(value: Any, p: int) -> Iterator[tuple[str, Any]]:
    """Yield (what was done, another value) for a value of any kind."""
    if isinstance(value, dict):
        yield from ((f"drop {key}", {k: v for k, v in value.items() if k != key}) for key in value)
        yield from ((f"rename {key}", {k if k != key else f"{k}_": v for k, v in value.items()}) for key in value)
        yield "add a key", value | {"more": "1"}
    elif isinstance(value, list):
        for i in range(len(value)):
            yield f"drop item {i}", value[:i] + value[i + 1 :]
            yield f"repeat item {i}", value[: i + 1] + value[i:]
            yield from ((f"swap items {i}, {k}", swapped(value, i, k)) for k in range(i))
            if isinstance(value[i], list):
                yield f"only item {i}", value[i]
    elif isinstance(value, str):
        yield from texts(value, p)
    elif type(value) is int:
        yield from (
            ("other int", n) for n in (value + 1, value - 1, -value, 2 * value, value // 2, 10**400, -(10**400))
        )
        yield from (("as text", str(value)), ("as float", float(value)))
    elif value is None:
        yield from (("a number", n) for n in (-1, -53, -1022, -1074, -(1 << 20)))
    yield from (("odd value", odd) for odd in ODD)


def swapped(value: list[Any], i: int, k: int) -> list[Any]:
    made = list(value)
    made[i], made[k] = made[k], made[i]
    return made


def texts(value: str, p: int) -> Iterator[tuple[str, Any]]:
    yield from (("another word", word) for word in WORDS)
    yield from (("other text", other) for other in (value + "x", value.upper(), f" {value}", value + "\n", value * 50))
    if not RATIONAL.fullmatch(value):
        return
    x = Fraction(value)
    near = [
        x + 1,
        x - 1,
        -x,
        2 * x,
        x / 2,
        x + TINY,
        x - TINY,
        x * (1 + TINY),
        x * (1 - TINY),
        x * 3,
        x / 3,
        Fraction(0),
    ]
    if x:
        ulp = Fraction(2) ** (exponent(x) - p + 1)
        near += [1 / x, x + ulp, x - ulp, x + ulp / 2, x - ulp / 2, x + ulp / 4, x - ulp / 4]
    yield from (("another number", str(other)) for other in near)
    yield from (
        ("same number, other text", t)
        for t in (f"+{value}", f"0{value}", f"{value}/1", f"{2 * x.numerator}/{2 * x.denominator}")
    )
    yield from (("another digit", value[:i] + str((int(c) + 1) % 10) + value[i + 1 :]) for i, c in digits(value))
    yield from (("a digit less", value[:i] + value[i + 1 :]) for i, _ in digits(value))
    yield "a point", f"{value}.0"
    yield "an exponent", f"{value}e0"
    yield "a zero denominator", f"{value.split('/')[0]}/0"
    yield "a long number", value + "0" * 5000


def digits(value: str) -> list[tuple[int, str]]:
    """Return places of digits: all of a short number, some of a long one."""
    found = [(i, c) for i, c in enumerate(value) if c.isdigit()]
    return found if len(found) <= 24 else [*found[:8], *found[8:-8:17], *found[-8:]]


def exponent(x: Fraction) -> int:
    e = abs(x.numerator).bit_length() - x.denominator.bit_length()
    return e - (Fraction(2) ** e > abs(x))
