"""Bits come from the operating system, are never repeated, and can be recorded for tests."""

from __future__ import annotations

import inspect
import struct
import subprocess
import sys
from itertools import islice

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

import snapdp
from snapdp import Snapping
from snapdp.randomness import bits
from snapdp.randomness.bits import HALF_BYTES, WORD_BYTES, WORDS_PER_KEY, RecordedBits, SystemBits
from snapdp.randomness.uniform import joined

KEY_BYTES, NONCE_BYTES = 32, 12
CALL_BYTES = KEY_BYTES + NONCE_BYTES


class CountedEntropy:
    """Known bytes in place of the operating system's, each request remembered."""

    def __init__(self) -> None:
        self.requests: list[bytes] = []

    def __call__(self, count: int) -> bytes:
        start = 17 * len(self.requests)
        self.requests.append(bytes((start + 31 * i) % 256 for i in range(count)))
        return self.requests[-1]

    @property
    def keys(self) -> list[bytes]:
        return [request for request in self.requests if len(request) == CALL_BYTES]


@pytest.fixture
def entropy(monkeypatch):
    counted = CountedEntropy()
    monkeypatch.setattr(bits, "urandom", counted)
    return counted


def counter_blocks(entropy: bytes, *, first: int, count: int) -> bytes:
    """Return AES-256 of the blocks nonce || counter, one block cipher call each: no mode of operation is trusted."""
    encrypt = Cipher(algorithms.AES(entropy[:KEY_BYTES]), modes.ECB()).encryptor().update
    return b"".join(encrypt(entropy[KEY_BYTES:] + (first + i).to_bytes(4, "big")) for i in range(count))


def xor(a: bytes, b: bytes) -> bytes:
    return bytes(x ^ y for x, y in zip(a, b, strict=True))


# One word at a time


def test_a_first_word_is_eight_fresh_bytes_as_a_signed_integer(entropy):
    word = SystemBits().first_word(0)
    assert [len(request) for request in entropy.requests] == [WORD_BYTES]
    assert word == struct.unpack("<q", entropy.requests[0])[0]


def test_both_signs_of_a_first_word_occur(monkeypatch):
    monkeypatch.setattr(bits, "urandom", lambda count: b"\xff" * count)
    assert SystemBits().first_word() == -1
    monkeypatch.setattr(bits, "urandom", lambda count: b"\xff" * (count - 1) + b"\x7f")
    assert SystemBits().first_word() == 2**63 - 1


def test_extension_words_are_fresh_and_unsigned(entropy):
    words = list(islice(SystemBits().extension(3), 5))
    assert words == [struct.unpack("<Q", request)[0] for request in entropy.requests]
    assert len(entropy.requests) == 5


def test_first_halves_are_the_key_stream_and_second_halves_fresh_bytes(entropy):
    buffer = bytearray(32)
    SystemBits().first_halves()(buffer)
    assert bytes(buffer) == counter_blocks(entropy.keys[0], first=2, count=2)
    second = SystemBits().second_halves([7, 9, 1000])
    assert second == entropy.requests[-1]
    assert len(second) == 3 * HALF_BYTES


def test_system_bits_keep_no_state():
    assert SystemBits.__slots__ == ()
    assert not hasattr(SystemBits(), "__dict__")


def test_words_differ_between_calls():
    # 64 fair bits: two of these 200 words are equal with probability below 200**2 / 2**65 < 2**-49.
    source = SystemBits()
    words = [source.first_word() for _ in range(100)] + list(islice(source.extension(), 100))
    assert len(set(words)) == 200


# The key stream of a vector call


def test_the_key_stream_is_aes_256_in_counter_mode(entropy):
    buffer = bytearray(16 * 40)
    SystemBits().first_words()(buffer)
    assert [len(request) for request in entropy.requests] == [CALL_BYTES]
    # GCM keeps counter 1 (J0 = nonce || 1) for the tag, so the stream starts at counter 2.
    assert bytes(buffer) == counter_blocks(entropy.requests[0], first=2, count=40)


def test_the_key_stream_is_added_to_what_the_buffer_holds(entropy):
    before = bytes(range(256))
    buffer = bytearray(before)
    SystemBits().first_words()(buffer)
    assert bytes(buffer) == xor(before, counter_blocks(entropy.requests[0], first=2, count=16))


def test_the_key_stream_goes_on_from_one_buffer_to_the_next(entropy):
    fill = SystemBits().first_words()
    first, second = bytearray(16 * 3), bytearray(16 * 5)
    fill(first)
    fill(second)
    assert len(entropy.requests) == 1
    assert bytes(first + second) == counter_blocks(entropy.requests[0], first=2, count=8)


def test_the_key_stream_goes_on_inside_a_cipher_block(entropy):
    fill = SystemBits().first_words()
    parts = [bytearray(WORD_BYTES * n) for n in (1, 2, 3, 1, 1)]
    for part in parts:
        fill(part)
    assert b"".join(parts) == counter_blocks(entropy.requests[0], first=2, count=4)


def test_every_call_has_a_key_of_its_own(entropy):
    source = SystemBits()
    first, second = bytearray(64), bytearray(64)
    source.first_words()(first)
    source.first_words()(second)
    assert len(set(entropy.keys)) == 2
    assert first != second


def test_a_new_key_is_taken_after_two_to_the_twenty_words(entropy):
    fill = SystemBits().first_words()
    block = bytearray(WORD_BYTES * (WORDS_PER_KEY // 8))
    for _ in range(8):
        fill(block)
    assert WORDS_PER_KEY == 2**20
    assert len(entropy.keys) == 1  # exactly used up
    last = bytearray(16)
    fill(last)
    assert len(entropy.keys) == 2
    assert bytes(last) == counter_blocks(entropy.keys[1], first=2, count=1)


def test_a_buffer_that_the_key_cannot_serve_whole_gets_a_new_one(entropy):
    fill = SystemBits().first_words()
    fill(bytearray(WORD_BYTES * (WORDS_PER_KEY - 1)))
    last = bytearray(2 * WORD_BYTES)
    fill(last)
    assert len(entropy.keys) == 2
    assert bytes(last) == counter_blocks(entropy.keys[1], first=2, count=1)


def test_a_long_array_is_released_under_several_keys(entropy):
    m = Snapping(epsilon=1, sensitivity=1, lower=0, upper=10)
    count = 2 * WORDS_PER_KEY + 1  # half a word each
    values, out = np.full(count, 5.0), np.empty(count)
    m.release(values, out=out)
    assert len(entropy.keys) == 2
    m.release(values[:100])
    assert len(entropy.keys) == 3


FORK = """
import os, sys
from snapdp.randomness.bits import SystemBits
source = SystemBits()
fill = source.first_words   # made before the fork, as a long-lived object would be
source.first_word(), fill()(bytearray(64)), next(source.extension())
pipes = []
for _ in range(2):
    read, write = os.pipe()
    if os.fork() == 0:
        buffer = bytearray(64)
        fill()(buffer)
        words = [source.first_word(), next(source.extension()), int.from_bytes(buffer, "little")]
        os.write(write, " ".join(map(str, words)).encode())
        os._exit(0)
    os.wait()
    pipes.append(read)
print(*(os.read(pipe, 4096).decode() for pipe in pipes), sep="\\n")
"""


def test_two_forked_children_draw_different_words():
    run = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, check=True)
    first, second = (line.split() for line in run.stdout.splitlines())
    assert len(first) == len(second) == 3
    assert not set(first) & set(second)


# Recorded bits


def test_recorded_bits_are_returned_as_given():
    source = RecordedBits([5, -7, 2**63 - 1], extensions={1: [9, 2**64 - 1]})
    assert [source.first_word(i) for i in range(3)] == [5, -7, 2**63 - 1]
    assert list(islice(source.extension(1), 2)) == [9, 2**64 - 1]


def test_recorded_words_fill_buffers_in_order():
    words = [5, -7, 2**63 - 1, -(2**63), 0]
    fill = RecordedBits(words).first_words()
    first, second = bytearray(16), bytearray(24)
    fill(first)
    fill(second)
    assert list(struct.unpack("<5q", first + second)) == words


def test_recorded_words_are_the_same_string_whole_and_by_halves():
    words = [5, -7, 2**63 - 1, -(2**63), 0, 123456789012345678]
    source, buffer = RecordedBits(words), bytearray(HALF_BYTES * len(words))
    source.first_halves()(buffer)
    second = struct.unpack("<6I", source.second_halves(range(6)))
    assert [joined(*both) for both in zip(struct.unpack("<6i", buffer), second, strict=True)] == words
    with pytest.raises(IndexError, match="used up"):
        RecordedBits(words).first_halves()(bytearray(HALF_BYTES * 7))


def test_recorded_bits_overwrite_what_the_buffer_holds():
    buffer = bytearray(b"\xff" * 8)
    RecordedBits([1]).first_words()(buffer)
    assert buffer == (1).to_bytes(8, "little")


def test_recorded_bits_raise_when_they_are_used_up():
    source = RecordedBits([5, 6], extensions={0: [1]})
    with pytest.raises(IndexError):
        source.first_word(2)
    extension = source.extension(0)
    assert next(extension) == 1
    with pytest.raises(IndexError, match="used up"):
        next(extension)
    with pytest.raises(IndexError, match="used up"):
        next(source.extension(1))
    fill = source.first_words()
    fill(bytearray(8))
    with pytest.raises(IndexError, match="used up"):
        fill(bytearray(16))


# No seed


def public_parameter_names() -> set[str]:
    names: set[str] = set()
    for public in snapdp.__all__:
        item = getattr(snapdp, public)
        names.update(getattr(item, "_fields", ()))
        members = [member for name, member in inspect.getmembers(item) if not name.startswith("_")]
        for function in (item, *filter(callable, members)):
            try:
                names.update(inspect.signature(function).parameters)
            except (ValueError, TypeError):  # a builtin of Exception without a signature, a type of numbers
                continue
    return names


def test_nothing_public_takes_a_seed():
    names = public_parameter_names()
    assert {"epsilon", "value", "out", "step", "bits", "grid"} <= names  # the search does see parameters
    assert not names & {"seed", "random_state", "rng", "random", "generator", "source", "prng"}
