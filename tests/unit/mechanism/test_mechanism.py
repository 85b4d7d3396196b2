"""The public class: how it is spelled, what it returns, what it imports, and where it may be used."""

from __future__ import annotations

import copy
import inspect
import math
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import snapdp
from snapdp import FinitePrecision, Snapping
from snapdp.mechanism.mechanism import declared, index_with_bits, release_with_bits
from snapdp.randomness import bits
from snapdp.randomness.bits import RecordedBits
from tests.unit import word_of_digits

EXAMPLE = {"epsilon": "0.5", "sensitivity": 1, "lower": 0, "upper": 1000}
MECHANISMS = [
    declared(**EXAMPLE),
    declared(**EXAMPLE, grid="natural", clamp="range", step="1/2", nan=10),
    declared(**EXAMPLE, arithmetic=FinitePrecision()),
    declared(epsilon="0.3", sensitivity="1/3", lower=-10, upper=30, arithmetic=FinitePrecision(rule="notes")),
    declared(epsilon="1e-6", sensitivity=1, lower=0, upper=1000, grid=Fraction(1, 2**24)),  # no filter: the exact way
]
WORDS = [(-1) ** i * (i * 0x9E3779B97F4A7C15 % 2**63) for i in range(1, 200)]
MORE_WORDS = {i: [i * 0xD1342543DE82EF95 % 2**64] * 4 for i in range(200)}

mechanisms = pytest.mark.parametrize("m", MECHANISMS, ids=repr)


def run(code: str, *, warnings: str = "error") -> str:
    """Run code in a fresh interpreter, by default one where every warning is an error."""
    done = subprocess.run([sys.executable, "-W", warnings, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


# Spelling


def test_the_spelling_of_the_class_docstring():
    m = snapdp.Snapping(epsilon="0.5", sensitivity=1, lower=0, upper=1000)
    assert (m.parameters.noise_scale, m.parameters.grid) == (Fraction(2, 1), Fraction(1, 8))
    assert isinstance(m.release(412), float)


def test_every_option_of_the_docstring_is_a_keyword():
    names = list(inspect.signature(Snapping).parameters.values())
    assert {parameter.kind for parameter in names} == {inspect.Parameter.KEYWORD_ONLY}
    documented = inspect.getdoc(Snapping) or ""  # Python 3.13 takes the indentation off by itself
    assert [parameter.name for parameter in names if f"\n{parameter.name}" not in documented] == ["upper"]
    assert "lower, upper" in documented


def test_numbers_cannot_be_given_by_position():
    with pytest.raises(TypeError):
        declared(1, 1, 0, 10)
    with pytest.raises(TypeError):
        Snapping(epsilon=1, sensitivity=1, lower=0, upper=10).release(np.zeros(3), np.zeros(3))
    with pytest.raises(TypeError):
        FinitePrecision(53)


def test_an_unknown_option_is_refused():
    for name in ("seed", "rng", "bounds", "delta"):
        with pytest.raises(TypeError, match=name):
            declared(**EXAMPLE, **{name: 1})


def test_the_repr_shows_public_parameters_as_fractions():
    assert repr(MECHANISMS[0]) == (
        "Mechanism(epsilon=1/2, sensitivity=1, lower=0, upper=1000, grid=1/8, arithmetic=exact)"
    )
    assert repr(MECHANISMS[2]).endswith(", grid=2 sensitivities, arithmetic=proved, bits=118)")
    public = Snapping(epsilon="0.5", sensitivity=1, lower=0, upper=1000)
    assert repr(public) == repr(MECHANISMS[0]).replace("Mechanism", "Snapping")


# What is returned


@mechanisms
@pytest.mark.parametrize(
    "value", [7, 7.5, -3, 10**40, Fraction(1, 3), math.inf, np.float32(0.1), np.int64(5)], ids=repr
)
def test_a_single_value_gives_a_float_and_its_index_an_int(m, value):
    p = m.parameters
    for source in (RecordedBits([word], {0: MORE_WORDS[i]}) for i, word in enumerate(WORDS[:20])):
        index = index_with_bits(m, value, source)
        assert type(index) is int
        assert p.low <= index <= p.high
        released = release_with_bits(m, value, source)
        assert type(released) is float
        assert released.hex() == p.released(index).hex()
    assert type(m.release(value)) is float
    assert type(m.release_index(value)) is int


@mechanisms
def test_the_same_bits_give_the_same_release(m):
    for i, word in enumerate(WORDS):
        once, again = (release_with_bits(m, 412, RecordedBits([word], {0: MORE_WORDS[i]})) for _ in range(2))
        assert once == again


@pytest.mark.parametrize(("sign", "index"), [(1, 411 * 8 + 4), (-1, 412 * 8 + 4)])
def test_a_release_by_hand(sign, index):
    # U = 25/32, ln U = -0.247, noise scale 2: Y = S * 2 * ln U = -+0.494, which is -+3.95 steps of 1/8.
    digits = [1, 1, 0, 0, 1] + [0] * 58
    assert index_with_bits(MECHANISMS[0], 412, RecordedBits([word_of_digits(digits, sign)])) == index
    assert release_with_bits(MECHANISMS[0], 412, RecordedBits([word_of_digits(digits, sign)])) == index / 8


def test_a_public_release_draws_its_bits_from_the_system(monkeypatch):
    words = iter(WORDS)
    monkeypatch.setattr(bits, "urandom", lambda count: next(words).to_bytes(count, "little", signed=True))
    m = MECHANISMS[0]
    for word in WORDS[:50]:
        assert m.release(412) == release_with_bits(m, 412, RecordedBits([word]))


def test_nan_is_replaced_where_a_replacement_is_declared():
    m = MECHANISMS[1]
    for i, word in enumerate(WORDS[:30]):
        source = RecordedBits([word], {0: MORE_WORDS[i]})
        assert release_with_bits(m, math.nan, source) == release_with_bits(m, 10, source)


# What is imported


@pytest.mark.parametrize("value", ["412", "412.25", "-7", "float('inf')"])
@pytest.mark.parametrize("exact_way", [False, True])
def test_a_single_release_imports_neither_numpy_nor_gmpy2_nor_dataclasses(value, exact_way):
    # Digits of U that begin with 60 zeros are never the filter's: they go the exact way.
    word = "bytes([1] + [0] * (count - 1))" if exact_way else "bytes(range(7, 7 + count))"
    code = f"""
import sys
import snapdp.randomness.bits as bits
bits.urandom = lambda count: {word}
import snapdp
m = snapdp.Snapping(epsilon="0.5", sensitivity=1, lower=0, upper=1000)
assert isinstance(m.release({value}), float) and isinstance(m.release_index({value}), int)
print(sorted(sys.modules.keys() & {{"numpy", "gmpy2", "cryptography", "dataclasses", "inspect", "mpmath", "flint"}}))
"""
    assert run(code) == "[]\n"


def test_finite_precision_imports_mpfr_before_the_first_draw():
    code = "import sys, snapdp; arithmetic = snapdp.FinitePrecision(rule='notes'); before = 'gmpy2' in sys.modules; "
    code += "snapdp.Snapping(epsilon=1, sensitivity=1, lower=0, upper=9, bound=9, arithmetic=arithmetic); "
    code += "print(before, 'gmpy2' in sys.modules)"
    assert run(code) == "False True\n"


def test_the_import_check_sees_what_is_imported():
    code = "import sys, snapdp; snapdp.Snapping(epsilon=1, sensitivity=1, lower=0, upper=9).release([1.0] * 40); "
    code += "print('numpy' in sys.modules, 'cryptography' in sys.modules)"
    assert run(code) == "True True\n"


def test_importing_the_package_prints_nothing_and_draws_nothing():
    code = "import os; os.urandom = None; import snapdp; print(snapdp.__all__ == sorted(snapdp.__all__))"
    assert run(code) == "True\n"


# Immutability, copies, threads, processes


@mechanisms
def test_parameters_cannot_be_changed(m):
    p = m.parameters
    for name in ("grid", "noise_scale", "low", "declared", "new"):
        with pytest.raises(AttributeError, match="immutable"):
            setattr(p, name, 1)
    with pytest.raises(AttributeError):
        m.parameters = p
    with pytest.raises(AttributeError, match="immutable"):
        p.declared.epsilon = Fraction(100)


def test_parameters_cannot_be_deleted():
    p = declared(**EXAMPLE).parameters
    with pytest.raises(AttributeError, match="immutable"):
        del p.grid


@mechanisms
@pytest.mark.parametrize("used", [False, True])
def test_a_copy_and_an_unpickled_mechanism_release_the_same(m, used):
    if used:
        m.release(np.zeros(50))
    source = RecordedBits(WORDS, MORE_WORDS)
    values = np.linspace(0, 900, 100)
    expected = release_with_bits(m, values, source)
    for twin in (copy.copy(m), copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        assert twin.parameters == m.parameters
        assert hash(twin.parameters) == hash(m.parameters)
        assert release_with_bits(twin, values, source).tobytes() == expected.tobytes()
        assert release_with_bits(twin, 412, source) == release_with_bits(m, 412, source)


@mechanisms
def test_several_threads_may_share_one_mechanism(m):
    values = np.linspace(0, 900, 100)
    expected = release_with_bits(m, values, RecordedBits(WORDS, MORE_WORDS)).tobytes()
    single = [release_with_bits(m, 412, RecordedBits([w], {0: MORE_WORDS[i]})) for i, w in enumerate(WORDS[:50])]

    def work(_: int) -> bool:
        arrays = release_with_bits(m, values, RecordedBits(WORDS, MORE_WORDS)).tobytes() == expected
        again = [release_with_bits(m, 412, RecordedBits([w], {0: MORE_WORDS[i]})) for i, w in enumerate(WORDS[:50])]
        return arrays and again == single

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(24)))


def test_threads_that_start_together_build_the_vector_path_once_or_alike():
    values = np.linspace(0, 900, 100)
    for _ in range(5):
        m = declared(**EXAMPLE)
        with ThreadPoolExecutor(8) as pool:
            results = set(
                pool.map(lambda _, m=m: release_with_bits(m, values, RecordedBits(WORDS)).tobytes(), range(16))
            )
        assert len(results) == 1


def test_forked_children_release_different_numbers():
    # 50 values with about 40 likely outputs each: equal by chance with probability below 2**-100.
    code = """
import os, numpy, snapdp
m = snapdp.Snapping(epsilon="0.5", sensitivity=1, lower=0, upper=1000)
m.release(numpy.full(50, 412.0)); m.release(412)
pipes = []
for _ in range(2):
    read, write = os.pipe()
    if os.fork() == 0:
        numbers = [*m.release(numpy.full(50, 412.0)).tolist(), *(m.release(412) for _ in range(50))]
        os.write(write, repr(numbers).encode())
        os._exit(0)
    os.wait()
    pipes.append(read)
first, second = (eval(os.read(pipe, 65536)) for pipe in pipes)
print(len(first), len(second), first[:50] != second[:50], first[50:] != second[50:])
"""
    # From Python 3.12 on, fork warns where another thread runs; numpy's own threads count, and are idle here.
    assert run(code, warnings="ignore::DeprecationWarning") == "100 100 True True\n"


# Data that could exhaust the machine


@pytest.mark.parametrize("value", ["10**6000", "-(10**6000)", "Fraction(1, 10**6000)", "Fraction(10**6000, 7)"])
def test_a_number_of_any_size_is_a_datum(value):
    m, number = MECHANISMS[0], eval(value, {"Fraction": Fraction})
    source = RecordedBits([WORDS[3]])
    end = min(max(number, 0), 1000)
    assert release_with_bits(m, number, source) == release_with_bits(m, end, source)


@pytest.mark.parametrize("value", ["1e999999999", "-1e999999999", "0e999999999"])
def test_a_decimal_beyond_the_doubles_is_a_datum_that_costs_nothing(value):
    code = f"""
import resource
from decimal import Decimal
import snapdp
resource.setrlimit(resource.RLIMIT_CPU, (1, 1))
m = snapdp.Snapping(epsilon="0.5", sensitivity=1, lower=0, upper=1000)
print(isinstance(m.release(Decimal("{value}")), float))
"""
    assert run(code) == "True\n"


def test_a_decimal_too_long_to_store_is_refused_at_once():
    with pytest.raises(snapdp.DataError, match="digits after the point"):
        MECHANISMS[0].release(Decimal("1e-999999999"))
