"""The library against the second cipher, logarithm and definition; and faults that these comparisons find."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from snapdp.lab.selftest.suite import Effort
from tests.oracles import constants, laws, logarithms, same_bits
from tests.oracles.cipher import encrypted
from tests.unit.lab.selftest import faults

QUICK = Effort(seed=2012, quick=True)
LEAST = {  # comparisons; one that skips most of its work would still find nothing
    logarithms.compare_tables: 70,
    logarithms.compare_mpfr: 1_000,
    constants.compare_constants: 240,
    laws.compare_laws: 500,
    same_bits.compare_scalars: 4_500,
    same_bits.compare_vectors: 4_500,
}
FAULTS = {
    "logarithm_off_at_low_precision": (logarithms.compare_mpfr, "to 2 bits:"),
    "clamp_too_near": (constants.compare_constants, "upper clamp"),
    "overhead_forgotten": (constants.compare_constants, "the proved bound of"),
    "law_beside_the_tie": (laws.compare_laws, "enumerated"),
    "filter_without_doubt": (same_bits.compare_scalars, "first word"),
    "reused_word": (same_bits.compare_vectors, "count, fine: value"),
}


@pytest.mark.parametrize("compare", LEAST, ids=lambda each: each.__name__)
def test_the_library_answers_as_the_second_arithmetic(compare):
    found = compare(QUICK)
    assert found.differences == ()
    assert found.comparisons >= LEAST[compare]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault, monkeypatch):
    compare, said = FAULTS[fault]
    with getattr(faults, fault)(monkeypatch):
        assert said in " ".join(compare(QUICK).differences)


@pytest.mark.long
def test_long_arrays_answer_as_the_second_definition():
    assert same_bits.compare_long_vectors(QUICK).differences == ()


def test_placed_values_take_more_digits_than_a_word_has():
    case = same_bits.ComparedCase("count, fine", QUICK, 40)
    read = []
    for place in range(3, 40, 4):
        digits = case.bits.digits(place)
        same_bits.index(case.values[place], case.parameters, digits)
        read.append(digits.count)
    assert sum(each > 127 for each in read) > 3


def test_the_second_cipher_is_that_of_openssl_on_random_blocks():
    dice = QUICK.dice("blocks")
    for _ in range(20):
        key, block = dice.randbytes(32), dice.randbytes(16)
        assert encrypted(block, key) == Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(block)
