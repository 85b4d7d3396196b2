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
FAULTS = {  # the fault: the checks that are run, the one of them that must find it, and what it says
    "changed_known_logarithm": (
        ("known-logarithms", "mpfr"),
        "known-logarithms",
        "known logarithm of 0.0009356351875005053:",
    ),
    "logarithm_of_python_off": (("machine-logarithms", "aes"), "machine-logarithms", "math.log(0.93"),
    "logarithm_of_numpy_off": (("machine-logarithms", "aes"), "machine-logarithms", "numpy.log of doubles(0.93"),
    "logarithm_off_at_low_precision": (("mpfr", "known-logarithms"), "mpfr", "to 2 bits:"),
    "clamp_too_near": (("constants", "aes"), "constants", "upper clamp"),
    "overhead_forgotten": (("constants", "aes"), "constants", "the proved bound of"),
    "law_beside_the_tie": (("law", "constants"), "law", "enumerated"),
    "filter_without_doubt": (("scalar", "law"), "scalar", "first word"),
    "reused_word": (("vector", "aes"), "vector", "count, fine: value"),
    "reused_half": (("long-vector", "aes"), "long-vector", "count, natural: value"),
    "stream_that_starts_again": (("aes", "fork"), "aes", "whole key 0, block"),
    "repeated_blocks": (("entropy", "known-logarithms"), "entropy", "different words among those drawn:"),
    "constant_system": (("entropy", "aes"), "entropy", "different words among those drawn:"),
    "one_bit_stuck": (("entropy", "aes"), "entropy", "bit 28 is 1 in 0 of 16384 words"),
    "pool_of_a_source": (("fork", "aes"), "fork", "drawn twice by processes that were forked:"),
    "key_kept_through_a_fork": (("fork", "aes"), "fork", "drawn twice by processes that were forked:"),
    "sums_in_doubles": (("sums-duckdb", "aes"), "sums-duckdb", "DuckDB, file, products of wide, wide, 0:"),
    "groups_in_another_order": (("sums-duckdb", "aes"), "sums-duckdb", "DuckDB, file, categories of place,"),
    "rows_by_another_hash": (
        ("sums-duckdb", "aes"),
        "sums-duckdb",
        "DuckDB, file, sum of wide with 3 rows a person of person, 0:",
    ),
    "synchronous_off": (
        ("ledger-settings", "aes"),
        "ledger-settings",
        "synchronous is 0, should be 2 (FULL) or more",
    ),
    "charges_not_written": (("ledger-crash", "aes"), "ledger-crash", "is lost"),
}
FAULTS_OF_SERVICES = {
    "spark_in_another_order": (("sums-spark",), "sums-spark", "Spark, file, categories of place,"),
    "server_that_adds_doubles": (("sums-postgresql",), "sums-postgresql", "PostgreSQL, products of wide, wide, 0:"),
}
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
    assert {right for _, right, _ in (FAULTS | FAULTS_OF_SERVICES).values()} == set(CHECKS)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found_by_the_right_check(fault, monkeypatch):
    _compare_with_a_fault(fault, FAULTS[fault], monkeypatch, quick=True)


def test_a_planted_fault_of_a_server_is_found(monkeypatch):
    monkeypatch.setenv("SNAPDP_POSTGRES", postgres_server())
    fault = "server_that_adds_doubles"
    _compare_with_a_fault(fault, FAULTS_OF_SERVICES[fault], monkeypatch, quick=True)


@pytest.mark.long
def test_a_planted_fault_of_spark_is_found(monkeypatch):
    if shutil.which("java") is None:
        missing("spark", "there is no Java")
    fault = "spark_in_another_order"
    _compare_with_a_fault(fault, FAULTS_OF_SERVICES[fault], monkeypatch, quick=False)


def _compare_with_a_fault(fault, expected, monkeypatch, *, quick):
    run, right, said = expected
    with getattr(faults, fault)(monkeypatch):
        found = run_selftest(only=run, quick=quick, seed=SEED)
    assert found.differing == (right,)
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
    assert FAULTS[fault][1] in found.differing


# How checks are run


def test_the_same_seed_compares_the_same_and_another_seed_something_else():
    one, same, other = (run_selftest(only=["constants"], quick=True, seed=seed) for seed in (1, 1, 2))
    assert one.found == same.found
    assert one.seed == 1
    assert other.is_sound
    assert run_selftest(only=["aes"], quick=True).seed != run_selftest(only=["aes"], quick=True).seed


def test_a_check_that_breaks_has_found_something_and_stops_no_other(monkeypatch):
    def breaks(_):
        raise ArithmeticError("as it may be")

    monkeypatch.setitem(suite.CHECKS, "law", Check(name="law", about="nothing", run=breaks))
    found = run_selftest(only=["law", "aes"], quick=True)
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
    run_selftest(only=["aes", "known-logarithms"], quick=True, tell=lambda check: told.append(check.name))
    assert told == ["known-logarithms", "aes"]
    with pytest.raises(ParameterError, match="there is no check 'nothing'"):
        run_selftest(only=["nothing"])


def test_versions_of_everything_that_is_checked_are_told():
    versions = run_selftest(only=["aes"], quick=True).versions
    assert {"Python", "gmpy2", "MPFR", "numpy", "DuckDB", "SQLite", "OpenSSL"} <= versions.keys()
    assert "absent" not in versions.values()
    assert all(versions.values())
