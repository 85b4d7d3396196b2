"""Each check compares what it says: paths are reached, bounds are derived, processes die, nothing is left behind."""

from __future__ import annotations

import math
import tempfile
from collections import Counter
from fractions import Fraction

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from snapdp.ledger.ledger import Ledger
from snapdp.mechanism.sampling.vectors import SINGLE_LIMIT
from snapdp.selftest import entropy, ledgers, same_bits
from snapdp.selftest.check import Comparison, Effort
from snapdp.selftest.second_cipher import encrypted
from snapdp.selftest.sums import engines, made_up
from snapdp.selftest.sums.second_sums import SecondSums
from tests.services import postgres_server
from tests.unit.tables import kept

QUICK = Effort(seed=3, quick=True)


def test_long_vectors_are_long_enough_for_halves_of_words():
    assert min(same_bits.LONG_SIZE, same_bits.QUICK_LONG_SIZE) >= SINGLE_LIMIT
    from snapdp.mechanism.sampling.vectors import BLOCK, VectorSampler

    assert same_bits.LONG_SIZE > BLOCK
    for name in same_bits.LONG:
        assert VectorSampler(same_bits.CATALOGUE[name]()).single is not None, name


def test_placed_values_take_more_digits_than_a_word_has():
    case = same_bits.ComparedCase("count, fine", QUICK, 40)
    read = []
    for place in range(3, 40, 4):
        digits = case.bits.digits(place)
        same_bits.index(case.values[place], case.parameters, digits)
        read.append(digits.count)
    assert sum(each > 127 for each in read) > 3


def test_a_difference_of_the_sign_of_zero_is_seen():
    comparison = Comparison()
    comparison.all_same([(0.0).hex()], [(-0.0).hex()], lambda i: f"number {i}:")
    assert comparison.checked().differences == ("number 0: '0x0.0p+0', should be '-0x0.0p+0'",)


def test_only_the_first_differences_are_told_and_the_others_counted():
    comparison = Comparison()
    comparison.all_same([1] * 10, [2] * 10, str)
    assert comparison.checked().differences[-1] == "and 7 more"
    assert comparison.checked().comparisons == 11


def test_the_second_cipher_is_that_of_openssl_on_random_blocks():
    dice = QUICK.dice("blocks")
    for _ in range(20):
        key, block = dice.randbytes(32), dice.randbytes(16)
        assert encrypted(block, key) == Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(block)


def test_a_wrong_key_stream_is_found(monkeypatch):
    monkeypatch.setattr(entropy, "key_stream", lambda _: bytes)
    found = entropy.compare_cipher(QUICK)
    assert found.verdict == "DIFFERENT"


# Bits of the system


def test_sound_bits_are_suspected_with_the_stated_probability_at_most():
    """By exact binomial tails: all counts of a run together, and equal words."""
    words, share = entropy.WORDS, entropy.FALSE_ALARM / 2 / entropy.KINDS / 320
    allowed = math.sqrt(words * math.log(2 / share) / 2)
    ways = tail = 1  # of k ones, of at most k ones
    for k in range(math.floor(words / 2 - allowed)):
        ways = ways * (words - k) // (k + 1)
        tail += ways
    assert Fraction(2 * tail, 1 << words) <= share
    weight = math.log(2 / share)
    mean = 8 * words / 256
    t = weight / 3 + math.sqrt(weight**2 / 9 + 2 * mean * weight)
    assert 2 * math.exp(-(t**2) / (2 * (mean + t / 3))) <= share * (1 + 1e-9)
    every = entropy.KINDS * words
    assert every**2 / 2**65 <= entropy.FALSE_ALARM / 2


# Sums


def test_a_sum_of_the_table_passes_what_doubles_can_add():
    asked = made_up.Products(first=made_up.WIDE, second=made_up.WIDE)
    (found,) = SecondSums(made_up.made_up_rows(QUICK.dice("rows"), 500), [asked]).answer(asked)
    assert found > 1 << 63
    assert int(float(found)) != found


def test_the_table_has_what_tells_ways_of_choosing_apart():
    """Equal rows of one person, persons with more rows than they keep, and some of whom cells are left out."""
    rows = made_up.made_up_rows(QUICK.dice("rows"), 400)
    per_person = Counter(row[made_up.PERSON] for row in rows)
    assert sum(each > 3 for each in per_person.values()) > 10
    assert None in per_person
    assert max(Counter(tuple(row.values()) for row in rows if row[made_up.PERSON] is not None).values()) > 2
    few, all_cells = (made_up.People(by=made_up.REGION, groups=n, persons=made_up.ONE) for n in (1, 6))
    second = SecondSums(rows, [few, all_cells])
    assert sum(second.answer(few)) < sum(second.answer(all_cells))


def test_everything_that_is_asked_has_an_answer_above_zero():
    rows = made_up.made_up_rows(QUICK.dice("rows"), 400)
    for asked in made_up.ASKED:
        second = SecondSums(rows, asked, salt=made_up.SALT)
        for each in asked:
            assert max(second.answer(each)) > 0, made_up.named(each)


def test_rows_persons_keep_are_those_of_the_definition_in_the_tests_of_tables():
    rows = made_up.made_up_rows(QUICK.dice("rows"), 200)
    for persons in (made_up.ONE, made_up.THREE, made_up.TOGETHER):
        asked = made_up.Count(by=made_up.REGION, persons=persons)
        second = SecondSums(rows, [asked], salt="s")
        levels = [((second._place(made_up.REGION, row),), tuple(row[name] for name in persons.columns)) for row in rows]
        expected = Counter(level for (level,), _ in kept.kept(levels, most=persons.most, salt="s"))
        assert second.answer(asked) == tuple(expected[place] for place in range(made_up.REGION.cells))


def test_a_server_is_absent_without_its_variable_and_its_address_is_told_to_nobody(monkeypatch):
    monkeypatch.delenv(engines.SERVER, raising=False)
    assert engines.compare_postgresql(QUICK).absent == "SNAPDP_POSTGRES names no server"
    monkeypatch.setenv(engines.SERVER, "postgresql://ann:secret@127.0.0.1:1/none")
    from snapdp.selftest import run_selftest

    ((_, found),) = run_selftest(only=["sums-postgresql"], quick=True).found
    assert found.verdict == "DIFFERENT"
    assert "secret" not in str(found)


def test_a_server_adds_up_as_python_does(monkeypatch):
    monkeypatch.setenv(engines.SERVER, postgres_server())
    found = engines.compare_postgresql(QUICK)
    assert (found.verdict, found.differences) == ("same", ())


# Ledgers


def test_killed_processes_leave_a_ledger_that_verifies_and_nothing_else(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    found = ledgers.compare_crashes(QUICK)
    assert found.differences == ()
    assert found.comparisons > 6
    assert [*tmp_path.iterdir()] == []


def test_a_ledger_that_forgets_an_acknowledged_charge_is_found(tmp_path):
    with Ledger.create(tmp_path / "short.ledger") as ledger:
        ledger.create_account(ledgers.ACCOUNT, cap=1, **ledgers.TERMS)
    comparison = Comparison()
    ledgers._compare_ledger(tmp_path / "short.ledger", [2], 1, comparison)
    assert comparison.checked().differences == ("the acknowledged charge 2 is lost",)


def test_a_process_that_cannot_charge_is_told_from_one_that_was_killed(tmp_path):
    with pytest.raises(RuntimeError, match="ended by itself"):
        ledgers._killed(tmp_path / "none.ledger", QUICK.dice("none"))
