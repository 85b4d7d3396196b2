"""The machine that a verdict is about: precision, exponents, how well ln rounds, how U is drawn, whether sums round.

Part of every derivation, verdict and certificate. Rounding is to nearest, ties to even; evaluation is strict, nothing
is contracted to fma or kept in extended precision: the report states that as an assumption. With exact sums, + and - do
not round, and neither does snapping to a grid that is a power of two: this models a mechanism that adds integers.
Constants, products, quotients, ln and the ends of clamps have p bits on every machine. A draw is a row of floats
numbered by consecutive integers, so a preimage of a monotone program is a range of integers and its probability a
difference of two values of `below`. Exact for `ulp`, `nearest` and `grid53`; for `ideal` an enclosure, because the ends
of a preimage are exponentials. Draws deeper than 2**-8192 are one element, numbered `first`, whose number is the limit
(0, or -infinity for ln U): enough for every loss that a certificate can state, and rationals stay storable. `given`
takes values for the queries and samples of a run, rounds them to what the machine or its sampler has, and refuses what
is never drawn or lies outside a declared range, because the derivation says nothing about it.
Theory: docs/theory/verifier-loss.md, (3) and (20)-(21).
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from snapdp.display.numbers import exact_amount
from snapdp.errors import ParameterError
from snapdp.exact.dyadic import exponent_of_power, nearest_multiple, power_of_two, round_nearest
from snapdp.exact.enclosure import Enclosure
from snapdp.exact.functions import exact_mpfr, exp_enclosure, mpfr_context
from snapdp.exact.numbers import parameter, shown
from snapdp.lab.language.syntax import Program, Query, Sample
from snapdp.values import Value

KEYS = {"p": "p", "ln": "ln_roundings", "sampler": "sampler", "umin": "umin", "sum": "sum"}
SAMPLERS = ("ulp", "nearest", "ideal", "grid53")
SUMS = ("rounded", "exact")
FUNCTIONS: dict[str, Callable[[Fraction], Fraction]] = {  # exact on every machine, whatever bits the number has
    "floor": lambda x: Fraction(math.floor(x)),
    "rint": lambda x: Fraction(round(x)),  # Python sends ties to even
    "abs": abs,
    "sign": lambda x: Fraction((x > 0) - (x < 0)),
}
WORDS = {"sampler": SAMPLERS, "sum": SUMS}  # keys whose value is a word, not a number


class Machine(Value):
    """p significand bits; umin is the exponent of the smallest positive U (None: unbounded); sum: do + and - round."""

    p: int = 53
    ln_roundings: int = 1
    sampler: str = "ulp"
    umin: int | None = None
    sum: str = "rounded"

    def _check(self) -> None:
        if not 2 <= self.p <= 4096:
            raise ParameterError(f"p = {self.p} is no precision this machine can have.", "Give 2 <= p <= 4096.")
        if not 1 <= self.ln_roundings <= 64:
            raise ParameterError(
                f"ln = {self.ln_roundings} is no number of roundings.", "Give 1 (correctly rounded) or 2 (faithful)."
            )
        if self.sampler not in SAMPLERS:
            raise ParameterError(f"sampler = {self.sampler!r} is unknown.", f"Give one of {', '.join(SAMPLERS)}.")
        if self.umin is not None and not -(1 << 20) <= self.umin <= -1:
            raise ParameterError(f"umin = {self.umin} is no exponent of a smallest U.", "Give e.g. umin=-1074.")
        if self.sum not in SUMS:
            raise ParameterError(f"sum = {self.sum!r} is unknown.", f"Give one of {', '.join(SUMS)}.")

    @property
    def adds_exactly(self) -> bool:
        """Tell whether sums do not round."""
        return self.sum == "exact"

    @property
    def eta(self) -> Fraction:
        """Return the unit roundoff 2**-p."""
        return power_of_two(-self.p)

    @property
    def largest_exponent(self) -> int:
        """Return e: constants of programs are 0, or between 2**-e and 2**(e+1) in size; binary64's up to 53 bits."""
        return 1022 if self.p <= 53 else 4096

    def constant(self, x: Fraction) -> Fraction:
        """Return a number of a program, or an end of a clamp, as the machine holds it: it has p bits on every one."""
        return round_nearest(x, self.p)

    def snapped(self, x: Fraction, grid: Fraction) -> Fraction:
        """Return the multiple of the grid nearest to x, ties up, as the machine holds it."""
        multiple, exact = nearest_multiple(x, grid), self.adds_exactly and exponent_of_power(grid) is not None
        return multiple if exact else round_nearest(multiple, self.p)

    @property
    def stated_sum(self) -> dict[str, str]:
        """Return the key `sum` where it is not the usual one: certificates and JSON hold it only then."""
        return {"sum": self.sum} if self.adds_exactly else {}

    @property
    def stated(self) -> dict[str, int | str | None]:
        """Return the machine as certificates and derivations state it."""
        usual = {"p": self.p, "ln_roundings": self.ln_roundings, "umin": self.umin}
        return {**usual, "sampler": self.sampler, **self.stated_sum}


def parse_machine(text: str) -> Machine:
    """Return the machine that a text such as "p=53,sampler=ulp,umin=-1074,ln=1" describes; what is left out is usual.

    >>> parse_machine("p=24,umin=-149")
    Machine(p=24, ln_roundings=1, sampler='ulp', umin=-149, sum='rounded')
    """
    fields: dict[str, int | str | None] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        key, equals, value = (word.strip() for word in part.partition("="))
        if key not in KEYS or not equals:
            raise ParameterError(f"{shown(part)} describes no machine.", f"Give {', '.join(f'{k}=...' for k in KEYS)}.")
        if KEYS[key] in fields:
            raise ParameterError(f"{key} is given twice.", "Give each key once.")
        fields[KEYS[key]] = value if key in WORDS else _integer(key, value)
    return Machine(**fields)  # type: ignore[arg-type]


def _integer(key: str, text: str) -> int | None:
    if key == "umin" and text == "none":
        return None
    if not re.fullmatch("-?[0-9]{1,9}", text):
        raise ParameterError(f"{key} = {shown(text)} is no whole number.", f"Give e.g. {key}=53 or umin=-1074.")
    return int(text)


# Draws

DEEPEST = -(1 << 13)
GRID_BITS = 53
_TAIL_BITS = 320


class Draw(ABC):
    """Floats of p bits and one sign in increasing order, numbered from `first` to `last`.

    limit     what the first draw is, where it stands for all that are deeper
    too_deep  the number where a preimage seems to end that ends deeper than draws are told apart
    """

    def __init__(self, p: int, first: int, last: int, *, sign: int = 1, limit: Any = None) -> None:
        self.p, self.first, self.last, self.sign, self.limit = p, first, last, sign, limit
        self.too_deep: int | None = None if limit is None else first + 1
        self._product = mpfr_context(p, "nearest").mul

    def fields(self, ordinal: int) -> tuple[int, int]:
        """Return (m, e) of the float m 2**e with a number; also for last + 1, the next float above all draws."""
        significand, exponent = fields_of(self.sign * ordinal, self.p)
        return self.sign * significand, exponent

    def ordinal(self, x: Any) -> int:
        """Return the number of a draw next to x, an mpfr; at the ends that of the last or first draw."""
        if self.sign > 0:
            return self.near(ordinal_of(x, self.p)) if x > 0 else self.first
        return self.near(-ordinal_of(mpfr_context(self.p, "nearest").minus(x), self.p)) if x < 0 else self.last

    @abstractmethod
    def _ends_below(self, ordinal: int) -> tuple[Any, Any]:
        """Return `ends_below` of a draw that is not the first."""

    def number(self, ordinal: int) -> Any:
        """Return the float as an mpfr."""
        if ordinal == self.first and self.limit is not None:
            return self.limit
        significand, exponent = self.fields(ordinal)
        return self._product(significand, power_as_mpfr(exponent))

    def value(self, ordinal: int) -> Fraction:
        """Return the float as a rational."""
        return fraction_of(self._rational(ordinal))

    def _rational(self, ordinal: int) -> Any:
        significand, exponent = self.fields(ordinal)
        return significand * power_as_mpq(exponent)

    def below(self, ordinal: int) -> Enclosure:
        """Return the probability of all draws numbered less than `ordinal`."""
        return Enclosure(*map(fraction_of, self.ends_below(ordinal)))

    def ends_below(self, ordinal: int) -> tuple[Any, Any]:
        """Return the ends of the same, two mpq: a search computes with thousands of them."""
        if self.first < ordinal <= self.last:
            return self._ends_below(ordinal)
        certain = rational_of(Fraction(ordinal > self.last))
        return certain, certain

    @property
    def nearest_zero(self) -> int:
        """Return the number of a draw with the least noise worth trying: |ln U| about 2**-p."""
        return self.last

    def is_float(self, ordinal: int) -> bool:
        """Return whether a number is that of one float: the first may stand for a limit instead."""
        return self.first + (self.too_deep is not None) <= ordinal <= self.last

    def near(self, ordinal: int) -> int:
        return max(self.first, min(self.last, ordinal))


@lru_cache(maxsize=1 << 14)
def power_as_mpfr(exponent: int) -> Any:
    """Return 2**exponent: products with it are as exact as `mul_2exp`, and in gmpy2 many times faster."""
    return exact_mpfr(1, exponent)


@lru_cache(maxsize=1 << 14)
def power_as_mpq(exponent: int) -> Any:
    return rational_of(power_of_two(exponent))


def rational_of(x: Any) -> Any:
    """Return a finite number, a Fraction or mpfr, as an mpq."""
    import gmpy2

    return gmpy2.mpq(*x.as_integer_ratio())


def fraction_of(x: Any) -> Fraction:
    """Return a finite number of a run, an mpfr or mpq, as a Fraction."""
    numerator, denominator = x.as_integer_ratio()
    return Fraction(int(numerator), int(denominator))


def fields_of(ordinal: int, p: int) -> tuple[int, int]:
    """Return (m, e) of the positive float m 2**e with this number.

    m 2**(e-p+1) with p bits has the number e 2**(p-1) + m - 2**(p-1): the order of the floats, and 1 has the number 0.
    """
    leading = 1 << (p - 1)
    return leading + (ordinal & (leading - 1)), (ordinal >> (p - 1)) - (p - 1)


def ordinal_of(x: Any, p: int) -> int:
    """Return the number of the p-bit float nearest to x > 0, an mpfr."""
    significand, exponent = (int(part) for part in mpfr_context(p, "nearest").plus(x).as_mantissa_exp())
    shift = p - significand.bit_length()
    return ((exponent - shift + p - 1) << (p - 1)) + (significand << shift) - (1 << (p - 1))


class PositiveFloats(Draw):
    """The p-bit floats of (0, 1), or of (0, 1] where a real uniform is rounded to nearest."""

    def __init__(self, p: int, umin: int | None, *, nearest: bool) -> None:
        first = (DEEPEST if umin is None else umin) << (p - 1)
        super().__init__(p, first, 0 if nearest else -1, limit=exact_mpfr(0) if umin is None else None)
        self.nearest = nearest

    def _ends_below(self, ordinal: int) -> tuple[Any, Any]:
        below = self._rational(ordinal)
        if self.nearest:
            below = (self._rational(ordinal - 1) + below) / 2
        return below, below


class Multiples(Draw):
    """The multiples of 2**-53 in [0, 1), equally likely: what random() gives; ln 0 counts as -infinity."""

    def __init__(self, p: int) -> None:
        super().__init__(p, 0, (1 << GRID_BITS) - 1)
        self.too_deep = 0  # no loss is stated for an output that U = 0 gives: most programs would stop there instead

    def fields(self, ordinal: int) -> tuple[int, int]:
        return ordinal, -GRID_BITS

    def ordinal(self, x: Any) -> int:
        return self.near(int(mpfr_context(self.p, "nearest").mul_2exp(x, GRID_BITS)))

    def _ends_below(self, ordinal: int) -> tuple[Any, Any]:
        return self._rational(ordinal), self._rational(ordinal)


class RoundedLogarithm(Draw):
    """scale * ln U of a real uniform U, rounded to nearest: the negative p-bit floats."""

    def __init__(self, p: int, scale: Fraction = Fraction(1)) -> None:
        import gmpy2

        largest = scale.numerator.bit_length() - scale.denominator.bit_length() + 14
        super().__init__(p, -largest << (p - 1), -DEEPEST << (p - 1), sign=-1, limit=gmpy2.mpfr("-inf"))
        self.scale = scale

    @property
    def nearest_zero(self) -> int:
        return self.p << (self.p - 1)

    def _ends_below(self, ordinal: int) -> tuple[Any, Any]:
        middle = (self.value(ordinal - 1) + self.value(ordinal)) / 2
        tail = exp_enclosure(middle / self.scale, _TAIL_BITS)
        return rational_of(tail.lower), rational_of(tail.upper)


def uniform_draw(machine: Machine) -> Draw:
    """Return the floats that U can be on a machine (for `ideal`: those that the rounded ln U can be)."""
    if machine.sampler == "ideal":
        return RoundedLogarithm(machine.p)
    if machine.sampler == "grid53":
        if machine.p < GRID_BITS:
            raise ParameterError(
                f"sampler = grid53 draws multiples of 2**-53, which {machine.p} bits cannot hold.", "Give p >= 53."
            )
        return Multiples(machine.p)
    return PositiveFloats(machine.p, machine.umin, nearest=machine.sampler == "nearest")


# Given values

LONGEST = 40  # of a number in a sentence


class RoundedValue(Value):
    """A value that was given and is no float of the machine, and the one that is used."""

    name: str
    asked: Fraction
    used: Fraction


class Given(Value):
    """The value of every query and sample of a program, and which of them were rounded."""

    values: tuple[tuple[str, Fraction], ...]
    rounded: tuple[RoundedValue, ...]

    @property
    def environment(self) -> dict[str, Fraction]:
        return dict(self.values)


def given(program: Program, machine: Machine, values: Mapping[str, object]) -> Given:
    """Return the values for a run of a program, by the names of its queries and samples; all are needed.

    >>> from snapdp.lab.language.parser import load_program
    >>> from snapdp.lab.semantics.machine import Machine
    >>> found = given(load_program("snap_half"), Machine(p=3), {"f": 3, "U": "0.3", "S": -1})
    >>> found.environment["U"], [rounded.name for rounded in found.rounded]
    (Fraction(5, 16), ['U'])
    """
    wanted: dict[str, Query | Sample] = {query.name: query for query in program.queries}
    wanted |= {s.name: s for s in program.statements if isinstance(s, Sample)}
    for name in values:
        if name not in wanted:
            raise ParameterError(f"{shown(name)} is no query or sample of {program.name}.", _names(wanted))
    if missing := next((name for name in wanted if name not in values), None):
        raise ParameterError(f"{program.name} needs a value for {missing}.", _names(wanted))
    asked = {name: parameter(values[name], name=name) for name in wanted}
    used = {name: _held(source, asked[name], machine) for name, source in wanted.items()}
    changed = (RoundedValue(name=name, asked=asked[name], used=used[name]) for name in wanted)
    return Given(values=tuple(used.items()), rounded=tuple(each for each in changed if each.asked != each.used))


def typed(x: Fraction) -> str:
    """Return a number as people type it, cut where it is very long."""
    text = exact_amount(x)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def _names(wanted: Mapping[str, object]) -> str:
    return f"Give a value for each of {', '.join(wanted)}, and for nothing else." if wanted else "It needs no value."


def _held(source: Query | Sample, asked: Fraction, machine: Machine) -> Fraction:
    if isinstance(source, Query):
        return query_value(source, asked, machine)
    match source.distribution:
        case "unif":
            return _uniform(source.name, asked, machine)
        case "sign" | "bernoulli":
            allowed = (-1, 1) if source.distribution == "sign" else (0, 1)
            if asked not in allowed:
                raise ParameterError(
                    f"{source.name} = {typed(asked)} is never drawn.", f"Give {allowed[0]} or {allowed[1]}."
                )
            return asked
        case _:
            return round_nearest(asked, machine.p)


def query_value(query: Query, asked: Fraction, machine: Machine) -> Fraction:
    """Return a value of the query; a machine whose sum is exact takes any number."""
    used = asked if machine.adds_exactly else round_nearest(asked, machine.p)
    below, above = query.lower is not None and used < query.lower, query.upper is not None and used > query.upper
    if below or above:
        raise ParameterError(
            f"{query.name}(D) = {typed(asked)} lies outside the declared range [{query.lower}, {query.upper}].",
            "Nothing is derived about it: give a value inside.",
        )
    return used


def _uniform(name: str, asked: Fraction, machine: Machine) -> Fraction:
    """Return the draw next to a number: a float of p bits, for grid53 a multiple of 2**-53."""
    on_grid = machine.sampler == "grid53"
    used = nearest_multiple(asked, power_of_two(-GRID_BITS)) if on_grid else round_nearest(asked, machine.p)
    least = power_of_two(machine.umin) if machine.umin is not None else Fraction(0)
    largest = Fraction(1) if machine.sampler in ("nearest", "ideal") else 1 - power_of_two(-machine.p)
    if used <= 0 or used < least or used > largest:
        lowest = "0 < U" if machine.umin is None else f"2^{machine.umin} <= U"
        highest = "U <= 1" if largest == 1 else "U < 1"
        became = "" if used == asked else f", rounded to {typed(used)},"
        raise ParameterError(
            f"{name} = {typed(asked)}{became} is never drawn by the sampler {machine.sampler}.",
            f"Give {lowest}, {highest}.",
        )
    return used
