"""A sound installation passes, and each planted fault is found by the check that is there for it, which says so."""

from __future__ import annotations

import shutil

import pytest

from snapdp.errors import ParameterError
from snapdp.selftest import CHECKS, run_selftest, suite
from snapdp.selftest.check import Check, Checked
from tests.services import missing, postgres_server
from tests.unit.selftest import faults

SEED = 2012
REFUSED = "gives wrong results for a small table whose results are known"  # by itself, when the engine is opened
FAULTS = {  # the fault: the check that must find it, and what it says
    "changed_known_logarithm": ("known-logarithms", "known logarithm of 0.0009356351875005053:"),
    "logarithm_of_python_off": ("machine-logarithms", "math.log(0.93"),
    "logarithm_of_numpy_off": ("machine-logarithms", "numpy.log of doubles(0.93"),
    "logarithm_off_at_low_precision": ("mpfr", "to 2 bits:"),
    "clamp_too_near": ("constants", "upper clamp"),
    "overhead_forgotten": ("constants", "the proved bound of"),
    "law_beside_the_tie": ("law", "enumerated"),
    "filter_without_doubt": ("scalar", "first word"),
    "reused_word": ("vector", "count, fine: value"),
    "reused_half": ("long-vector", "count, natural: value"),
    "stream_that_starts_again": ("aes", "whole key 0, block"),
    "repeated_blocks": ("entropy", "different words among those drawn:"),
    "constant_system": ("entropy", "different words among those drawn:"),
    "one_bit_stuck": ("entropy", "bit 28 is 1 in 0 of 16384 words"),
    "pool_of_a_source": ("fork", "drawn twice by processes that were forked:"),
    "key_kept_through_a_fork": ("fork", "drawn twice by processes that were forked:"),
    "sums_in_doubles": ("sums-duckdb", REFUSED),
    "groups_in_another_order": ("sums-duckdb", REFUSED),
    "rows_by_another_hash": ("sums-duckdb", "DuckDB, file, sum of wide with 3 rows a person of person, 0:"),
    "synchronous_off": ("ledger-settings", "synchronous is 0, should be 2 (FULL) or more"),
    "charges_not_written": ("ledger-crash", "is lost"),
}
FAULTS_OF_SERVICES = {
    "spark_in_another_order": ("sums-spark", "Spark, file, categories of place,"),
    "server_that_adds_doubles": ("sums-postgresql", REFUSED),
}
# found like another one of the same check, which starts processes or an engine for it; these are tried by `-m long`
LIKE_ANOTHER = {"key_kept_through_a_fork", "groups_in_another_order"}
LEAST = {  # comparisons of a quick run; a check that skips most of its work would still say "same"
    "known-logarithms": 70,
    "machine-logarithms": 4_500,
    "mpfr": 1_000,
    "constants": 240,
    "law": 500,
    "scalar": 4_500,
    "vector": 4_500,
    "aes": 100,
    "entropy": 1_281,
    "fork": 170,
    "sums-duckdb": 2_400,
    "ledger-settings": 14,
}
DEARER = {"long-vector", "ledger-crash"}  # which the faults try
SERVICES = {"sums-spark", "sums-postgresql"}  # which test_checks tries where they are at hand


def test_no_check_is_without_a_planted_fault():
    assert {right for right, _ in (FAULTS | FAULTS_OF_SERVICES).values()} == set(CHECKS)


def test_no_check_is_without_a_planted_fault_in_the_default_suite():
    quick = [FAULTS[fault][0] for fault in FAULTS.keys() - LIKE_ANOTHER]
    assert {*quick} | SERVICES == set(CHECKS)


def _faults():
    return [pytest.param(each, marks=[pytest.mark.long] * (each in LIKE_ANOTHER)) for each in FAULTS]


@pytest.mark.parametrize("fault", _faults())
def test_a_planted_fault_is_found_by_the_right_check(fault, monkeypatch):
    """And by no other: a cheap one is run beside it."""
    right, said = FAULTS[fault]
    beside = "constants" if right == "known-logarithms" else "known-logarithms"
    _compare_with_a_fault(fault, (right, beside), said, monkeypatch, quick=True)


def test_a_planted_fault_of_a_server_is_found(monkeypatch):
    monkeypatch.setenv("SNAPDP_POSTGRES", postgres_server())
    right, said = FAULTS_OF_SERVICES["server_that_adds_doubles"]
    _compare_with_a_fault("server_that_adds_doubles", (right,), said, monkeypatch, quick=True)


@pytest.mark.long
def test_a_planted_fault_of_spark_is_found(monkeypatch):
    if shutil.which("java") is None:
        missing("spark", "there is no Java")
    right, said = FAULTS_OF_SERVICES["spark_in_another_order"]
    _compare_with_a_fault("spark_in_another_order", (right,), said, monkeypatch, quick=False)


def _compare_with_a_fault(fault, run, said, monkeypatch, *, quick):
    with getattr(faults, fault)(monkeypatch):
        found = run_selftest(only=run, quick=quick, seed=SEED)
    assert found.differing == run[:1]
    assert not found.is_sound
    told = " ".join(line for _, each in found.found for line in each.differences)
    assert said in told


def test_every_check_is_tried_where_nothing_is_wrong():
    assert LEAST.keys() | DEARER | SERVICES == CHECKS.keys()


@pytest.mark.parametrize("name", LEAST)
def test_each_quick_check_passes_where_nothing_is_wrong(name):
    ((check, found),) = run_selftest(only=[name], quick=True, seed=SEED).found
    assert check.name == name
    assert found.differences == ()
    assert found.absent == ""
    assert found.comparisons >= LEAST[name]


@pytest.mark.long
def test_a_whole_selftest_finds_nothing_on_a_sound_installation():
    found = run_selftest()
    assert found.is_sound, [(check.name, each.differences) for check, each in found.found]
    assert found.comparisons > 500_000


@pytest.mark.long
@pytest.mark.parametrize("fault", FAULTS)
def test_a_whole_quick_selftest_finds_each_fault(fault, monkeypatch):
    with getattr(faults, fault)(monkeypatch):
        found = run_selftest(quick=True)
    assert FAULTS[fault][0] in found.differing


# How checks are run


def test_the_same_seed_compares_the_same_and_another_seed_something_else():
    one, same, other = (run_selftest(only=["constants"], quick=True, seed=seed) for seed in (1, 1, 2))
    assert one.found == same.found
    assert one.seed == 1
    assert other.is_sound
    assert len({run_selftest(only=["known-logarithms"], quick=True).seed for _ in range(2)}) == 2


def test_a_check_that_breaks_has_found_something_and_stops_no_other(monkeypatch):
    def breaks(_):
        raise ArithmeticError("as it may be")

    monkeypatch.setitem(suite.CHECKS, "law", Check(name="law", about="nothing", run=breaks))
    found = run_selftest(only=["law", "ledger-settings"], quick=True)
    assert found.differing == ("law",)
    assert found.found[0][1].differences == ("it broke (ArithmeticError): as it may be",)
    assert found.found[1][1].verdict == "same"


def test_a_check_that_compared_nothing_is_no_comfort(monkeypatch):
    monkeypatch.setitem(suite.CHECKS, "law", Check(name="law", about="nothing", run=lambda _: Checked()))
    assert run_selftest(only=["law"]).differing == ("law",)
    absent = Check(name="law", about="nothing", run=lambda _: Checked(absent="it is not here"))
    monkeypatch.setitem(suite.CHECKS, "law", absent)
    assert run_selftest(only=["law"]).differing == ()
    assert not run_selftest(only=["law"]).is_sound


def test_checks_are_told_before_they_run_in_their_order_and_a_wrong_name_is_refused():
    told = []
    run_selftest(only=["constants", "known-logarithms"], quick=True, tell=lambda check: told.append(check.name))
    assert told == ["known-logarithms", "constants"]
    with pytest.raises(ParameterError, match="there is no check 'nothing'"):
        run_selftest(only=["nothing"])


def test_versions_of_everything_that_is_checked_are_told():
    versions = run_selftest(only=["known-logarithms"], quick=True).versions
    assert {"Python", "gmpy2", "MPFR", "numpy", "DuckDB", "SQLite", "OpenSSL"} <= versions.keys()
    assert "absent" not in versions.values()
    assert all(versions.values())
