"""A sound installation passes, and each planted fault is found by the check that is there for it, which says so."""

from __future__ import annotations

import tempfile

import pytest

from snapdp.errors import ParameterError
from snapdp.lab.selftest import checks, sampler, suite
from snapdp.lab.selftest.suite import CHECKS, Check, Checked, run_selftest
from tests.oracles import cipher
from tests.services import postgres_server
from tests.unit.lab.selftest import faults

SEED = 2012
REFUSED = "gives wrong results for a small table whose results are known"  # by itself, when the engine is opened
FAULTS = {  # the fault: the check that must find it, and what it says
    "changed_known_logarithm": ("logarithms", "known logarithm of 0.0009356351875005053:"),
    "logarithm_of_python_off": ("logarithms", "math.log(0.93"),
    "logarithm_of_numpy_off": ("logarithms", "numpy.log of doubles(0.93"),
    "filter_without_doubt": ("sampler", "single value: value"),
    "reused_word": ("sampler", "array: value"),
    "reused_half": ("sampler", "array: value"),
    "stream_that_starts_again": ("cipher", "block 65536 of key"),
    "repeated_blocks": ("cipher", "different blocks of one key:"),
    "sums_in_doubles": ("engine", REFUSED),
    "groups_in_another_order": ("engine", REFUSED),
    "synchronous_off": ("ledger", "synchronous is 0, should be 2 (FULL) or more"),
    "locks_without_effect": ("ledger", "locks of this process that another one meets:"),
}
LEAST = {  # comparisons of a quick run; a check that skips most of its work would still say "same"
    "logarithms": 4_700,
    "cipher": 9,
    "sampler": 69_000,
    "engine": 1,
    "ledger": 6,
}


def test_no_check_is_without_a_planted_fault():
    assert {right for right, _ in FAULTS.values()} == set(CHECKS)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found_by_the_right_check(fault, monkeypatch):
    """And by no other: a cheap one is run beside it."""
    right, said = FAULTS[fault]
    _compare_with_a_fault(fault, (right, "logarithms" if right == "ledger" else "ledger"), said, monkeypatch)


def test_a_planted_fault_of_a_server_is_found(monkeypatch):
    monkeypatch.setenv("SNAPDP_POSTGRES", postgres_server())
    _compare_with_a_fault("server_that_adds_doubles", ("engine",), REFUSED, monkeypatch)


def _compare_with_a_fault(fault, run, said, monkeypatch):
    with getattr(faults, fault)(monkeypatch):
        found = run_selftest(only=run, quick=True, seed=SEED)
    assert found.differing == run[:1]
    assert not found.is_sound
    told = " ".join(line for _, each in found.found for line in each.differences)
    assert said in told


def test_a_server_gives_the_known_integers(monkeypatch):
    monkeypatch.setenv("SNAPDP_POSTGRES", postgres_server())
    ((_, found),) = run_selftest(only=["engine"]).found
    assert (found.verdict, found.comparisons) == ("same", 2)


def test_the_address_of_a_server_is_told_to_nobody(monkeypatch):
    monkeypatch.setenv("SNAPDP_POSTGRES", "postgresql://ann:secret@127.0.0.1:1/none")
    ((_, found),) = run_selftest(only=["engine"], quick=True).found
    assert found.verdict == "DIFFERENT"
    assert "secret" not in str(found)


@pytest.mark.parametrize("name", CHECKS)
def test_each_quick_check_passes_where_nothing_is_wrong(name):
    ((check, found),) = run_selftest(only=[name], quick=True, seed=SEED).found
    assert check.name == name
    assert found.differences == ()
    assert found.comparisons >= LEAST[name]


@pytest.mark.long
def test_a_whole_selftest_finds_nothing_on_a_sound_installation():
    found = run_selftest()
    assert found.is_sound, [(check.name, each.differences) for check, each in found.found]


# What is compared


def test_known_blocks_are_those_of_aes_in_plain_python():
    known = [*checks.KNOWN_BLOCKS, (checks.NEXT_KEY, 0, checks.NEXT_BLOCK)]
    assert [cipher.counter_blocks(key, [place])[0].hex() for key, place, _ in known] == [each[2] for each in known]


def test_long_arrays_are_drawn_by_halves_of_words_and_every_path_is_taken():
    from snapdp.mechanism.sampling.vectors import SINGLE_LIMIT, VectorSampler

    assert sampler.LONG_SIZE >= SINGLE_LIMIT
    for name in sampler.LONG:
        assert VectorSampler(sampler.MECHANISMS[name]()).single is not None, name
    filtered = {name: VectorSampler(made()).single is not None for name, made in sampler.MECHANISMS.items()}
    assert set(filtered.values()) == {True, False}


def test_a_difference_of_the_sign_of_zero_is_seen():
    comparison = suite.Comparison()
    comparison.all_same([(0.0).hex()], [(-0.0).hex()], lambda i: f"number {i}:")
    assert comparison.checked().differences == ("number 0: '0x0.0p+0', should be '-0x0.0p+0'",)


def test_only_the_first_differences_are_told_and_the_others_counted():
    comparison = suite.Comparison()
    comparison.all_same([1] * 10, [2] * 10, str)
    assert comparison.checked().differences[-1] == "and 7 more"
    assert comparison.checked().comparisons == 11


def test_the_throw_away_ledger_is_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert run_selftest(only=["ledger"]).is_sound
    assert [*tmp_path.iterdir()] == []


# How checks are run


def test_the_same_seed_compares_the_same_and_another_seed_something_else():
    one, same, other = (run_selftest(only=["cipher"], quick=True, seed=seed) for seed in (1, 1, 2))
    assert one.found == same.found
    assert one.seed == 1
    assert other.is_sound
    assert len({run_selftest(only=["engine"]).seed for _ in range(2)}) == 2


def test_a_check_that_breaks_has_found_something_and_stops_no_other(monkeypatch):
    def breaks(_):
        raise ArithmeticError("as it may be")

    monkeypatch.setitem(suite.CHECKS, "sampler", Check(name="sampler", about="nothing", run=breaks))
    found = run_selftest(only=["sampler", "ledger"], quick=True)
    assert found.differing == ("sampler",)
    assert found.found[0][1].differences == ("it broke (ArithmeticError): as it may be",)
    assert found.found[1][1].verdict == "same"


def test_a_check_that_compared_nothing_is_no_comfort(monkeypatch):
    monkeypatch.setitem(suite.CHECKS, "sampler", Check(name="sampler", about="nothing", run=lambda _: Checked()))
    assert run_selftest(only=["sampler"]).differing == ("sampler",)


def test_checks_are_told_before_they_run_in_their_order_and_a_wrong_name_is_refused():
    told = []
    run_selftest(only=["cipher", "logarithms"], quick=True, tell=lambda check: told.append(check.name))
    assert told == ["logarithms", "cipher"]
    with pytest.raises(ParameterError, match="there is no check 'nothing'"):
        run_selftest(only=["nothing"])


def test_versions_of_everything_that_is_checked_are_told():
    versions = run_selftest(only=["logarithms"], quick=True).versions
    assert {"Python", "gmpy2", "MPFR", "numpy", "DuckDB", "SQLite", "OpenSSL"} <= versions.keys()
    assert "absent" not in versions.values()
    assert all(versions.values())


def test_a_number_in_single_precision_stays_below_1():
    assert checks._single(1 - 2.0**-53) == 1 - 2.0**-24
    assert checks._single(0.5) == 0.5
