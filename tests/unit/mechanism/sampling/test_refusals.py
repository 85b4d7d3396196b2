"""What is refused: with the right error, naming the parameter, before a bit is drawn, never repeating a value."""

from __future__ import annotations

import math
import traceback
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from snapdp import BoundError, DataError, FinitePrecision, ParameterError, PremiseError, SnapdpError, Snapping
from snapdp.mechanism.parameters import Precision
from snapdp.randomness import bits

SMALL, LARGE = 5, 50  # arrays below and above the size from which the vector path is taken
CANARY = 987654321


class BitsWereDrawn(Exception):
    """Not a SnapdpError, so that no test of a refusal can mistake it for one."""


@pytest.fixture(autouse=True)
def no_bits(monkeypatch):
    def refuse(count: int) -> bytes:
        raise BitsWereDrawn(count)

    monkeypatch.setattr(bits, "urandom", refuse)


def snapping(**changes: Any) -> Snapping:
    return Snapping(**{"epsilon": 1, "sensitivity": 1, "lower": 0, "upper": 100, **changes})


def finite(rule: str = "proved", precision: int | None = None, **changes: Any) -> Snapping:
    return snapping(arithmetic=FinitePrecision(bits=precision, rule=rule), **changes)


@pytest.mark.parametrize("value", [5, 5.0, Fraction(1, 3), [5.0], np.zeros(SMALL), np.zeros(LARGE)], ids=repr)
def test_the_guard_sees_every_bit_that_is_drawn(value):
    with pytest.raises(BitsWereDrawn):
        snapping().release(value)
    with pytest.raises(BitsWereDrawn):
        snapping().release_index(value)


# Parameters

NO_NUMBERS = (math.nan, math.inf, "abc", True)
NO_PARAMETERS = (*NO_NUMBERS, 1j, "1e999999999", Decimal("NaN"))
NOT_POSITIVE = (*NO_NUMBERS, 0, -1, "-0.5", -0.0, "", None, 1j, "1/0", [1])
REFUSED: list[tuple[type[SnapdpError], str, tuple[Any, ...]]] = [  # an error, the parameter it names, and its values
    *((ParameterError, name, NO_PARAMETERS) for name in ("lower", "upper", "grid", "gamma", "step", "nan")),
    (ParameterError, "grid", (np.array([1, 2]),)),
    (ParameterError, "step", (0, -1, "-1/10")),
    # 2/5 and 3/5 are less than 1/4 apart, but with step 1 they become 0 and 1: four sensitivities, four times epsilon.
    (PremiseError, "step", ("0.3", 2)),
    (BoundError, "nan", (-1, 101, "100.001", -(10**9))),
    (BoundError, "clamp", ("narrow", 5, (0,), (0, 50, 100), {"low": 0}, "Range")),
    (BoundError, "clamp", ((1, 100), (0, 99), (100, 0), (0, "99.999"))),  # these cut the range
    (ParameterError, "clamp", ((math.nan, 100), (0, "abc"), (None, None))),
    (ParameterError, "arithmetic", ("Exact", "finite", 53, True, FinitePrecision, Precision.of(53))),
    (BoundError, "bound", (200,)),
]
REFUSED_BY_BOTH: list[tuple[type[SnapdpError], str, tuple[Any, ...]]] = [
    (ParameterError, "epsilon", NOT_POSITIVE),
    (ParameterError, "sensitivity", NOT_POSITIVE),
    (BoundError, "grid", (3, "0.1", 0, -4, "3/8", 2**60 + 1)),
    (ParameterError, "gamma", (0, -1, "1.5")),
    (ParameterError, "step", (0, -1, "-1/10")),
]
REFUSED_BY_FINITE: list[tuple[type[SnapdpError], str, tuple[Any, ...]]] = [
    (ParameterError, "bound", (*NO_NUMBERS, 0, -3)),
    (BoundError, "clamp", ("range",)),
]


@pytest.mark.parametrize(
    ("make", "error", "name", "value"),
    [
        (make, error, name, value)
        for make, table in ((snapping, REFUSED + REFUSED_BY_BOTH), (finite, REFUSED_BY_BOTH + REFUSED_BY_FINITE))
        for error, name, values in table
        for value in values
    ],
    ids=lambda each: getattr(each, "__name__", repr(each)),  # a function's repr has its address
)
def test_what_a_parameter_cannot_be_is_refused_by_its_name(make, error, name, value):
    with pytest.raises(error, match=name):
        make(**{name: value})


@pytest.mark.parametrize(
    ("error", "match", "changes"),
    [
        (ParameterError, "publish", {"sensitivity": 0}),
        (PremiseError, "step", {"sensitivity": "1/4", "step": 1}),
        (ParameterError, "gamma", {"gamma": 3, "clamp": "range"}),  # also where it plays no part
        (ParameterError, "gamma", {"gamma": 3, "clamp": (-1, 101)}),
        # More than 2**52 grid steps, or no doubles
        (BoundError, "grid", {"epsilon": 10**20}),
        (BoundError, "grid", {"grid": Fraction(1, 2**46)}),
        (BoundError, "grid", {"upper": 2**60}),
        (BoundError, "grid", {"lower": 2**60, "upper": 2**60 + 1}),
        (BoundError, "grid", {"clamp": (-(2**60), 100)}),
        (BoundError, "grid", {"lower": 0, "upper": 2**52 + 1, "grid": 1, "clamp": "range"}),
        (BoundError, "doubles", {"epsilon": "1e-400"}),
        (BoundError, "doubles", {"sensitivity": "1e400"}),
        (BoundError, "doubles", {"grid": Fraction(2) ** 1100}),
    ],
)
def test_parameters_that_do_not_go_together_are_refused(error, match, changes):
    with pytest.raises(error, match=match):
        snapping(**changes)


def test_two_to_the_52_grid_steps_are_allowed():
    assert snapping(lower=0, upper=2**52, grid=1, clamp="range").parameters.high == 2**52


@pytest.mark.parametrize(("lower", "upper"), [(5, 5), (6, 5), (0, -1), ("0.1", 0.1), (1000, 500)])
def test_the_range_needs_lower_below_upper(lower, upper):
    with pytest.raises(BoundError, match=r"lower.*upper") as refusal:
        snapping(lower=lower, upper=upper)
    assert set(refusal.value.numbers) == {"lower", "upper"}


@pytest.mark.parametrize("precision", [1, 0, -5, True, 53.0, "53", Fraction(53), 10**30])
def test_a_precision_is_an_integer_of_at_least_two_that_can_be_computed_with(precision):
    for make in (lambda bits: FinitePrecision(bits=bits), Precision.of, lambda bits: finite(precision=bits)):
        with pytest.raises(ParameterError, match="bits"):
            make(precision)


@pytest.mark.parametrize("rule", ["Notes", "", None, "mironov", 1])
def test_an_unknown_rule_is_refused(rule):
    with pytest.raises(ParameterError, match="rule"):
        FinitePrecision(rule=rule)


def test_a_bound_below_the_range_is_refused_in_sensitivities():
    with pytest.raises(BoundError, match="bound") as refusal:
        finite(sensitivity=10, bound="4.9")
    assert refusal.value.numbers == {"bound": Fraction(49, 10), "half_width": 5}
    assert finite(sensitivity=10, bound=5).parameters.bound == 5


@pytest.mark.parametrize("rule", ["notes", "proved"])
@pytest.mark.parametrize(
    ("precision", "changes"),
    [
        (2, {}),
        (8, {}),
        (20, {"epsilon": "1e-6"}),
        (118, {"epsilon": "1e-40"}),
        (8, {"upper": 10**12}),  # a range far too wide
    ],
)
def test_an_epsilon_too_small_for_the_precision_is_refused(rule, precision, changes):
    with pytest.raises(PremiseError, match="epsilon"):
        finite(rule=rule, precision=precision, **changes)


@pytest.mark.parametrize("grid", ["fine", 1, "1/2"])
def test_the_notes_need_a_grid_of_at_least_the_noise_scale(grid):
    with pytest.raises(PremiseError, match="grid"):
        finite(rule="notes", grid=grid)
    assert finite(rule="proved", grid=grid).parameters.rule == "proved"


def test_the_notes_need_a_bound_above_the_noise_scale():
    # The bound is a multiple of a grid that is at least the noise scale: only equality is left, at lam' = grid = B = 1.
    eta = Fraction(1, 2**118)
    shared = {"epsilon": 1 + 14 * eta, "lower": -1, "upper": 1, "grid": 1, "bound": 1, "precision": 118}
    with pytest.raises(PremiseError, match="bound"):
        finite(rule="notes", **shared)
    wider = finite(rule="notes", **{**shared, "bound": 2, "epsilon": 1 + 26 * eta})
    assert wider.parameters.noise_scale == 1 < wider.parameters.bound


# Values


def assert_refused(m: Snapping, value: Any, *, match: str = "real number|ragged", **keywords: Any) -> None:
    """Both releases refuse the value as data, without a bit, and without showing it."""
    for release in (m.release, m.release_index):
        with pytest.raises(DataError, match=match) as refusal:
            release(value, **keywords)
        assert_keeps_secret(refusal.value)


def assert_keeps_secret(error: SnapdpError) -> None:
    shown = "".join(traceback.format_exception(error)) + repr(error.args) + repr(error.numbers) + error.advice
    assert str(CANARY) not in shown
    assert "canary" not in shown.lower()


@pytest.mark.parametrize(
    "value",
    [
        math.nan,
        np.float64("nan"),
        np.float32("nan"),
        np.float16("nan"),
        np.longdouble("nan"),
        Decimal("NaN"),
        Decimal("sNaN"),
        [1.0, math.nan],
        [CANARY, Decimal("NaN")],
        [2**70, CANARY, Decimal("sNaN")],
        [[1, 2], [np.float32("nan"), CANARY]],
        (1, np.float16("nan")),
        np.array(math.nan),
    ],
    ids=repr,
)
def test_nan_is_refused_unless_a_replacement_is_declared(value):
    assert_refused(snapping(), value, match="NaN")


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "g", ">f8", ">f4"])
@pytest.mark.parametrize("size", [SMALL, LARGE])
@pytest.mark.parametrize("place", [0, -1])
def test_nan_inside_an_array_is_refused(dtype, size, place):
    values = np.full(size, 7, dtype)
    values[place] = math.nan
    assert_refused(snapping(), values, match="NaN")
    assert_refused(snapping(), values[::-1], match="NaN")


class Opaque:
    """Something with a secret in its text."""

    def __repr__(self) -> str:
        return f"Canary({CANARY})"

    __str__ = __repr__


@pytest.mark.parametrize(
    "value",
    [
        complex(CANARY, 1),
        np.complex64(CANARY),
        True,
        np.bool_(True),
        str(CANARY),
        str(CANARY).encode(),
        None,
        Opaque(),
        object(),
        {CANARY},
        {CANARY: CANARY},
        range(CANARY, CANARY + 3),
        iter([CANARY]),
        memoryview(b"canary"),
        np.datetime64(CANARY, "s"),
        np.timedelta64(CANARY, "s"),
        np.str_(CANARY),
        slice(CANARY),
        float,
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_scalar_that_is_no_real_number_is_refused(value):
    assert_refused(snapping(), value)
    assert_refused(snapping(nan=50), value)
    assert_refused(snapping(), [1.0, value])
    assert_refused(snapping(), [[1.0], [value]])


@pytest.mark.parametrize("size", [1, SMALL, LARGE])
@pytest.mark.parametrize("dtype", ["c8", "c16", "?", "O", "U20", "S20", "M8[s]", "m8[s]", [("a", "f8")]], ids=str)
def test_an_array_that_holds_no_real_numbers_is_refused(dtype, size):
    values = np.zeros(size, "i8").astype("m8[s]") if dtype == "m8[s]" else np.zeros(size, dtype)
    if dtype in ("O", "U20", "S20"):
        values[...] = CANARY
    assert_refused(snapping(), values, match="real")


def test_an_object_array_is_refused_even_where_it_holds_numbers():
    assert_refused(snapping(), np.array([CANARY, 2**70], dtype=object), match="object")
    assert_refused(snapping(), np.array(2**70), match="object")


@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_a_masked_array_is_refused(size):
    assert_refused(snapping(), np.ma.masked_equal(np.full(size, CANARY), 3), match="masked")
    assert_refused(snapping(nan=50), np.ma.array(np.full(size, 7.0), mask=[True] * size), match="masked")
    assert_refused(snapping(nan=50), np.ma.masked, match="masked")
    assert_refused(snapping(nan=50), [1.0, np.ma.masked], match="masked")


@pytest.mark.parametrize(
    "value",
    [
        [[1, 2], [3]],
        [[1, 2], CANARY],
        [1, [2, [CANARY]]],
        [[], [CANARY]],
        [np.zeros((2, 2)), np.zeros((2, 3))],
        [np.zeros(2), np.zeros(3)],
    ],
    ids=repr,
)
def test_a_ragged_list_is_refused(value):
    assert_refused(snapping(), value)


# out


def out_dtype(release: Any) -> str:
    return "f8" if release.__name__ == "release" else "i8"


@pytest.mark.parametrize("method", ["release", "release_index"])
@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_an_unusable_out_is_refused(method, size):
    release, values = getattr(snapping(), method), np.full(size, 7.0)
    right = out_dtype(release)
    read_only = np.empty(size, right)
    read_only.flags.writeable = False
    unusable = [
        [0.0] * size,
        memoryview(np.empty(size, right)),
        0.0,
        np.empty(size, "f4"),
        np.empty(size, "i8" if right == "f8" else "f8"),
        np.empty(size, f">{right}"),
        np.empty(size, "O"),
        np.empty(size + 1, right),
        np.empty((size, 1), right),
        np.empty((), right),
        read_only,
    ]
    for out in unusable:
        with pytest.raises(DataError, match="out"):
            release(values, out=out)


@pytest.mark.parametrize(("method", "dtype"), [("release", "f8"), ("release_index", "i8")])
@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_an_out_that_shares_memory_with_the_values_is_refused(method, dtype, size):
    release = getattr(snapping(), method)
    base = np.full(3 * size, 7, dtype)
    values = base[:size]
    for out in (
        values,
        values[:],
        values[::-1],
        base[1 : size + 1],
        base[size - 1 : 2 * size - 1],
        base[: 2 * size : 2],
    ):
        before = base.copy()
        with pytest.raises(DataError, match="memory"):
            release(values, out=out)
        assert (base == before).all()
    with pytest.raises(DataError, match="memory"):
        release(base[: 2 * size : 2], out=values)


def test_a_view_of_another_type_on_the_same_memory_is_refused():
    values = np.full(LARGE, 7, "i8")
    with pytest.raises(DataError, match="memory"):
        snapping().release(values, out=values.view("f8"))


def test_an_out_of_another_shape_does_not_tell_values():
    values = [CANARY, CANARY]
    with pytest.raises(DataError, match="shape") as refusal:
        snapping().release(values, out=np.empty(3))
    assert_keeps_secret(refusal.value)


@pytest.mark.parametrize(("method", "dtype"), [("release", "f8"), ("release_index", "i8")])
def test_an_out_whose_entries_share_memory_is_refused(method, dtype):
    strided = np.lib.stride_tricks.as_strided
    base = np.zeros(4 * LARGE, dtype)
    for out in (
        strided(base, (LARGE,), (0,)),
        strided(base, (LARGE,), (4,)),
        strided(base, (LARGE, 2), (8, 8)),
        strided(base, (2, LARGE), (0, 8)),
        strided(base, (LARGE, 1, 3), (16, 0, 8)),
    ):
        with pytest.raises(DataError, match="share memory"):
            getattr(snapping(), method)(np.full(out.shape, 7.0), out=out)
    with pytest.raises(BitsWereDrawn):
        getattr(snapping(), method)(np.full((LARGE, 1), 7.0), out=strided(base, (LARGE, 1), (8, 0)))
