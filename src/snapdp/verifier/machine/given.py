"""Values that somebody gives for the queries and samples of a program, as a machine can hold them.

Room: verifier. A run is about floats: what is given is rounded to the nearest number that the machine or its sampler
has, and `rounded` says so. What no sampler draws, and what lies outside a declared range, is refused: the derivation of
the program says nothing about it.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from snapdp.display import exact_amount
from snapdp.errors import ParameterError
from snapdp.exact import nearest_multiple, parameter, power_of_two, round_nearest, shown
from snapdp.values import Value
from snapdp.verifier.language.syntax import Program, Query, Sample
from snapdp.verifier.machine.draws import GRID_BITS
from snapdp.verifier.machine.machine import Machine

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

    >>> from snapdp.verifier import Machine, load_program
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
