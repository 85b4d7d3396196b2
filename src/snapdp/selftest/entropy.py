"""The bits that noise is drawn with: the cipher against a second one, and a look whether the system's bits are sane.

Room: selftest. No test can show that bits are fair or secret; these find a source that is stuck, repeats itself,
forgets to be seeded again after a fork, or is biased by a few per cent. Bounds on counts are derived, not
tried: docs/theory/second-arithmetic.md, (5)-(7).
"""

from __future__ import annotations

import math
import os
import subprocess
from collections import Counter
from collections.abc import Sequence
from itertools import islice, pairwise
from random import Random

from snapdp.randomness import SystemBits, key_stream
from snapdp.selftest.check import Checked, Comparison, Effort
from snapdp.selftest.processes import command, environment
from snapdp.selftest.second_cipher import BLOCK, counter_blocks, encrypted

FALSE_ALARM = 1e-9  # of one run of `compare_entropy`; half for repeated words, half for counts
WORDS = 1 << 14  # of each kind; together 2**16, two of which are equal with probability below 2**-33
KINDS = 4
PROCESSES, RELEASES, EACH = 3, 3, 8  # of a fork: processes, ways of releasing numbers, and draws of each kind
KNOWN_KEY, KNOWN_PLAIN = bytes(range(32)), bytes.fromhex("00112233445566778899aabbccddeeff")
KNOWN_CIPHER = bytes.fromhex("8ea2b7ca516745bfeafc49904b496089")  # FIPS 197, appendix C.3
WORDS_PER_KEY = 1 << 20
BLOCKS_PER_KEY = 8 * WORDS_PER_KEY // BLOCK


def compare_cipher(effort: Effort) -> Checked:
    """Compare the key stream of known keys with AES in plain Python: its first blocks, deep ones, and its last."""
    comparison, dice = Comparison(), effort.dice("cipher")
    comparison.same(encrypted(KNOWN_PLAIN, KNOWN_KEY), KNOWN_CIPHER, "AES of FIPS 197 in plain Python:")
    for number in range(effort.size(24, 3)):
        entropy, blocks = dice.randbytes(44), effort.size(40, 12)
        buffer = bytearray(BLOCK * blocks)
        key_stream(lambda _, entropy=entropy: entropy)(buffer)  # type: ignore[misc]
        _compare_blocks(buffer, entropy, range(blocks), f"key {number}", comparison)
    for number in range(effort.size(2, 1)):
        _compare_whole_key(dice, effort.size(200, 40), f"whole key {number}", comparison)
    return comparison.checked()


def _compare_whole_key(dice: Random, count: int, about: str, comparison: Comparison) -> None:
    """Use a key up in pieces of any length, added to what a buffer holds; then the first block of the next key."""
    one, other, held = dice.randbytes(44), dice.randbytes(44), dice.randbytes(BLOCK)
    keys = iter([one, other])
    fill, buffer = key_stream(lambda _: next(keys)), bytearray(held * BLOCKS_PER_KEY)
    cuts = sorted(dice.sample(range(8 * WORDS_PER_KEY), 60))
    for start, end in pairwise([0, *cuts, len(buffer)]):
        fill(memoryview(buffer)[start:end])
    stream = _added(buffer, held)
    ends = range(BLOCKS_PER_KEY - 4, BLOCKS_PER_KEY)
    carries = [(1 << bits) + place for bits in (8, 15, 16, 17, 18) for place in range(-3, 1)]  # the counter begins at 2
    _compare_blocks(stream, one, [*dice.sample(range(BLOCKS_PER_KEY), count), *carries, *ends], about, comparison)
    pieces = {stream[i : i + BLOCK] for i in range(0, len(stream), BLOCK)}
    comparison.same(len(pieces), BLOCKS_PER_KEY, f"{about}: different blocks:")
    second = bytearray(BLOCK)
    fill(second)
    _compare_blocks(second, other, [0], f"the key behind {about}", comparison)


def _compare_blocks(
    stream: bytes | bytearray, entropy: bytes, places: Sequence[int], about: str, comparison: Comparison
) -> None:
    found = [bytes(stream[BLOCK * i : BLOCK * (i + 1)]).hex() for i in places]
    expected = [each.hex() for each in counter_blocks(entropy, places)]
    comparison.all_same(found, expected, lambda i: f"{about}, block {places[i]}:")


def _added(buffer: bytearray, held: bytes) -> bytes:
    """Return what was added (XOR) to a buffer that held the same block again and again."""
    before = int.from_bytes(held * (len(buffer) // len(held)), "little")
    return (int.from_bytes(buffer, "little") ^ before).to_bytes(len(buffer), "little")


def compare_entropy(_: Effort) -> Checked:
    """Look at words as a release draws them: whether some are equal, and how often each bit and byte comes."""
    comparison = Comparison()
    kinds = Drawers().drawn(WORDS)
    every = [word for words in kinds.values() for word in words]
    comparison.same(len(set(every)), len(every), "different words among those drawn:")
    for kind, words in kinds.items():
        _compare_counts(kind, words, comparison)
    return comparison.checked()


class Drawers:
    """Everything that words of a release come from, made once: a source, what it has handed out, and a mechanism."""

    def __init__(self) -> None:
        self._source = SystemBits()
        self._more = self._source.extension()
        self._words, self._halves = self._source.first_words(), self._source.first_halves()

    def drawn(self, count: int) -> dict[str, list[int]]:
        """Return unsigned words of every kind that a release draws."""
        buffer, halves = bytearray(8 * count), bytearray(8 * count)
        half = len(buffer) // 2
        self._words(memoryview(buffer)[:half])  # two blocks of one vector
        self._words(memoryview(buffer)[half:])
        self._halves(halves)
        return {
            "first words": [self._source.first_word() % (1 << 64) for _ in range(count)],
            "extensions": list(islice(self._more, count)),
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
    """Let a process draw, fork twice, and draw again in all three, from the same objects: nothing comes twice."""
    if not hasattr(os, "fork"):
        return Checked(absent="this system has no fork")
    run = subprocess.run(command("forking"), env=environment(), capture_output=True, text=True, check=False)
    comparison = Comparison()
    drawn = run.stdout.split()
    comparison.same(run.returncode, 0, "the process that forks ends with code")
    comparison.same(len(drawn), PROCESSES * (KINDS + RELEASES) * EACH, "words and numbers that three processes drew:")
    for place, each in enumerate(drawn):
        comparison.holds(each not in drawn[:place], f"drawn twice by processes that were forked: {each}")
    return comparison.checked()
