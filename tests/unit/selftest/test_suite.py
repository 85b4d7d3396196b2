"""A sound installation passes, and each planted fault is found by the check that is there for it, which says so."""

from __future__ import annotations

import pytest

from snapdp.errors import ParameterError
from snapdp.selftest import CHECKS, run_selftest, suite
from snapdp.selftest.check import Check, Checked
from tests.unit.selftest import faults

SEED = 2012
FAULTS = {  # the fault: the checks that are run, and those of them that must find it
    "logarithm_off_at_low_precision": (("mpfr", "known-logarithms"), ("mpfr",)),
    "changed_known_logarithm": (("known-logarithms", "mpfr"), ("known-logarithms",)),
    "reused_word": (("vector", "aes"), ("vector",)),
    "reused_half": (("long-vector", "aes"), ("long-vector",)),
    "sums_in_doubles": (("sums-duckdb", "aes"), ("sums-duckdb",)),
    "synchronous_off": (("ledger-settings", "aes"), ("ledger-settings",)),
    "repeated_blocks": (("entropy", "known-logarithms"), ("entropy",)),
    "constant_system": (("entropy", "aes"), ("entropy",)),
    "one_bit_stuck": (("entropy", "aes"), ("entropy",)),
}
MAY_BE_ABSENT = ("sums-postgresql",)  # where no server runs
SAID = {
    "logarithm_off_at_low_precision": "to 2 bits:",
    "changed_known_logarithm": "known logarithm of 0.0009356351875005053:",
    "reused_word": "count, fine: value",
    "reused_half": "count, natural: value",
    "sums_in_doubles": "DuckDB, file, products of wide, wide, 0:",
    "synchronous_off": "synchronous is 0, should be 2 (FULL) or more",
    "repeated_blocks": "different words among those drawn: 57344, should be 65536",
    "constant_system": "first words: bit 0 is 1 in 16384 of 16384 words",
    "one_bit_stuck": "bit 28 is 1 in 0 of 16384 words",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found_by_the_right_check(fault, monkeypatch):
    run, right = FAULTS[fault]
    with getattr(faults, fault)(monkeypatch):
        found = run_selftest(only=run, quick=True, seed=SEED)
    assert found.differing == right
    assert not found.is_sound
    told = " ".join(line for _, each in found.found for line in each.differences)
    assert SAID[fault] in told


@pytest.mark.parametrize("name", [name for name in CHECKS if name not in ("long-vector", "sums-spark", "ledger-crash")])
def test_each_quick_check_passes_where_nothing_is_wrong(name):
    ((check, found),) = run_selftest(only=[name], quick=True, seed=SEED).found
    assert check.name == name
    assert found.differences == ()
    assert found.comparisons > 10 or (found.absent and name in MAY_BE_ABSENT)


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
    assert set(FAULTS[fault][1]) <= set(found.differing)


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
