"""A context that does not round as it is told is refused before anything is computed with it."""

from __future__ import annotations

import flint
import gmpy2
import pytest

from snapdp.errors import PremiseError
from snapdp.exact import functions as elementary
from snapdp.exact.functions import (
    DIRECTIONS,
    KNOWN_VALUES,
    PRECISIONS,
    TABLE_BITS,
    check_directed_rounding,
    ln_enclosure,
    mpfr_context,
)

MODES = {"down": gmpy2.RoundDown, "up": gmpy2.RoundUp, "nearest": gmpy2.RoundToNearest}


def honest(precision, direction):
    return gmpy2.context(precision=precision, round=MODES[direction])


class Planted:
    """A context of which one method answers as if the precision or the direction were another."""

    def __init__(self, precision, direction, method, other):
        self._true, self._method = honest(precision, direction), method
        self._false = other(precision, direction)

    def __getattr__(self, name):
        return getattr(self._false if name == self._method else self._true, name)


METHODS = ["div", "mul", "add", "log", "exp", "expm1"]
MISTAKES = {
    "the ambient context": lambda _precision, _direction: honest(53, "nearest"),
    "toward zero instead": lambda precision, _: gmpy2.context(precision=precision, round=gmpy2.RoundToZero),
    "the other direction": lambda precision, way: honest(precision, {"down": "up", "up": "down"}.get(way, way)),
    "one bit less": lambda precision, way: honest(precision - (precision in PRECISIONS), way),
    "nearest always": lambda precision, _: honest(precision, "nearest"),
}


def test_the_installed_library_rounds_as_it_is_told():
    check_directed_rounding(honest)
    elementary.require_directed_rounding()


@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize("method", METHODS)
def test_a_context_that_rounds_wrongly_in_one_method_is_refused(method, mistake):
    with pytest.raises(PremiseError, match=r"does not round as it is told.*\n.*gmpy2 2\.3"):
        check_directed_rounding(lambda bits, way: Planted(bits, way, method, MISTAKES[mistake]))


def test_the_first_use_of_a_wrong_library_is_refused(monkeypatch):
    elementary.require_directed_rounding.cache_clear()
    mpfr_context.cache_clear()
    monkeypatch.setattr(
        elementary, "_unchecked_context", lambda bits, way: Planted(bits, way, "div", MISTAKES["the ambient context"])
    )
    with pytest.raises(PremiseError):
        ln_enclosure(elementary.Fraction(10), 64)
    monkeypatch.undo()
    assert ln_enclosure(elementary.Fraction(10), 64).width > 0


@pytest.mark.parametrize(("function", "argument", "floor"), KNOWN_VALUES)
def test_the_table_holds_the_floors_that_arb_finds(function, argument, floor):
    x = flint.arb(flint.fmpq(argument.numerator, argument.denominator))
    value = getattr(x, function)() * flint.arb(2) ** TABLE_BITS
    assert int(value.floor().unique_fmpz()) == floor
    # The precisions asked for are so far below the table's that no float or midpoint lies within its last unit.
    assert max(PRECISIONS) + 40 < abs(floor).bit_length()
    assert len(DIRECTIONS) == 3


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("wrong", ["below 53 bits", "above 53 bits"])
def test_a_context_that_is_right_at_53_bits_alone_is_refused(method, wrong):
    def mistaken(bits, way):
        if (bits < 53) if wrong == "below 53 bits" else (53 < bits <= max(PRECISIONS)):
            return honest(53, way)
        return honest(bits, way)

    assert min(PRECISIONS) < 53 < max(PRECISIONS)
    with pytest.raises(PremiseError, match="does not round as it is told"):
        check_directed_rounding(lambda bits, way: Planted(bits, way, method, mistaken))
