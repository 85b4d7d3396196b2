"""The bits that noise is drawn with: the cipher against a second one, and a look whether the system's bits are sane.

Room: selftest. No test can show that bits are fair or secret; these find a source that is stuck, repeats itself,
forgets to be seeded again after a fork, or is biased by a few per cent. Bounds on counts are derived, not
tried: docs/theory/second-arithmetic.md, (5)-(7).
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections import Counter
from itertools import islice

from snapdp.randomness import SystemBits, key_stream
from snapdp.selftest.check import Checked, Comparison, Effort
from snapdp.selftest.second_cipher import BLOCK, counter_stream, encrypted

FALSE_ALARM = 1e-9  # of one run of `compare_entropy`; half for repeated words, half for counts
WORDS = 1 << 14  # of each kind; together 2**16, two of which are equal with probability below 2**-33
KINDS = 4
KNOWN_KEY, KNOWN_PLAIN = bytes(range(32)), bytes.fromhex("00112233445566778899aabbccddeeff")
KNOWN_CIPHER = bytes.fromhex("8ea2b7ca516745bfeafc49904b496089")  # FIPS 197, appendix C.3
WORDS_PER_KEY = 1 << 20


def compare_cipher(effort: Effort) -> Checked:
    """Compare the key stream of known keys with AES in plain Python, also behind the change of keys."""
    comparison, dice = Comparison(), effort.dice("cipher")
    comparison.same(encrypted(KNOWN_PLAIN, KNOWN_KEY), KNOWN_CIPHER, "AES of FIPS 197 in plain Python:")
    for number in range(effort.size(24, 3)):
        entropy, blocks = dice.randbytes(44), effort.size(40, 12)
        buffer = bytearray(BLOCK * blocks)
        key_stream(lambda _, entropy=entropy: entropy)(buffer)  # type: ignore[misc]
        pieces = [bytes(buffer[i : i + BLOCK]).hex() for i in range(0, len(buffer), BLOCK)]
        true = counter_stream(entropy, blocks)
        expected = [true[i : i + BLOCK].hex() for i in range(0, len(true), BLOCK)]
        comparison.all_same(pieces, expected, lambda i, number=number: f"key {number}, block {i}:")  # type: ignore[misc]
    keys = iter([dice.randbytes(44), dice.randbytes(44)])
    second, fill = bytearray(BLOCK), key_stream(lambda _: next(keys))
    fill(bytearray(8 * WORDS_PER_KEY))
    fill(second)
    comparison.holds(next(keys, None) is None, "no second key after 2**20 words")
    return comparison.checked()


def compare_entropy(_: Effort) -> Checked:
    """Look at words as a release draws them: whether some are equal, and how often each bit and byte comes."""
    comparison = Comparison()
    kinds = drawn(WORDS)
    every = [word for words in kinds.values() for word in words]
    comparison.same(len(set(every)), len(every), "different words among those drawn:")
    for kind, words in kinds.items():
        _compare_counts(kind, words, comparison)
    return comparison.checked()


def drawn(count: int) -> dict[str, list[int]]:
    """Return unsigned words of every kind that a release draws."""
    source = SystemBits()
    buffer, halves = bytearray(8 * count), bytearray(8 * count)
    half = len(buffer) // 2
    fill = source.first_words()
    fill(memoryview(buffer)[:half])  # two blocks of one vector
    fill(memoryview(buffer)[half:])
    source.first_halves()(halves)
    return {
        "first words": [source.first_word() % (1 << 64) for _ in range(count)],
        "extensions": list(islice(source.extension(), count)),
        "words of a vector": _as_words(bytes(buffer)),
        "halves of a vector": _as_words(bytes(halves)),
    }


def _as_words(buffer: bytes) -> list[int]:
    return [int.from_bytes(buffer[i : i + 8], "little") for i in range(0, len(buffer), 8)]


def _compare_counts(kind: str, words: list[int], comparison: Comparison) -> None:
    n = len(words)
    share = FALSE_ALARM / 2 / KINDS / (64 + 256)  # of each count
    allowed = math.sqrt(n * math.log(2 / share) / 2)
    for place in range(64):
        ones = sum(word >> place & 1 for word in words)
        comparison.holds(abs(ones - n / 2) < allowed, f"{kind}: bit {place} is 1 in {ones} of {n} words")
    found = Counter(b"".join(word.to_bytes(8, "little") for word in words))
    mean, weight = n * 8 / 256, math.log(2 / share)
    farthest = weight / 3 + math.sqrt(weight * weight / 9 + 2 * mean * weight)  # where Bernstein's bound is the share
    for value in range(256):
        comparison.holds(
            abs(found[value] - mean) < farthest, f"{kind}: byte {value} comes {found[value]} times in {8 * n} bytes"
        )


def compare_forks(_: Effort) -> Checked:
    """Let a process draw, fork twice, and draw again in all three: no word comes twice."""
    if not hasattr(os, "fork"):
        return Checked(absent="this system has no fork")
    run = subprocess.run([sys.executable, "-m", "snapdp.selftest.forking"], capture_output=True, text=True, check=False)
    comparison = Comparison()
    words = run.stdout.split()
    comparison.same(run.returncode, 0, "the process that forks ends with code")
    comparison.same(len(words), 3 * KINDS * 8, "words that three processes drew:")
    for place, word in enumerate(words):
        comparison.holds(word not in words[:place], f"a word was drawn twice by processes that were forked: {word}")
    return comparison.checked()
