"""Where fair bits come from. Bits are always an argument; nothing here takes a seed.

Each value of a call owns one infinite string of fair bits: the 64 bits of its first word, then as
many extension words as the exact decision asks for. Whoever holds the same strings computes the same answers, so
scalar path, vector path and definition can be compared bit for bit. A long vector takes first words by halves, the
second half only where the first leaves a doubt; a half that nobody asks for is never drawn.
SystemBits keeps no state between calls, so it is safe under threads and fork. Vector words and first halves are the key
stream of AES-256 in counter mode, keyed by 44 fresh bytes of the operating system for every call, again every 2**20
words, and again in a process that a fork has made; second halves are few and come from the operating system.
The counter mode used is the one inside GCM (the tag is never formed): OpenSSL has it vectorised, plain CTR not, and
it costs half. A key yields 2**19 blocks, far below GCM's limit of 2**32; the gap between a random permutation and a
random function is then below 2**-90 a key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from os import getpid, urandom
from struct import Struct
from typing import Any, Protocol

from snapdp.randomness.uniform import halves

WORD_BYTES = 8
HALF_BYTES = 4
WORDS_PER_KEY = 1 << 20
USED_UP = "the recorded bits are used up"
_KEY_BYTES, _NONCE_BYTES = 32, 12
_signed_word = Struct("<q").unpack

Fill = Callable[[Any], None]  # writes fresh words, or first halves, into a buffer of bytes


class BitSource(Protocol):
    """One infinite string of fair bits for each position of a call."""

    def first_word(self, position: int = 0) -> int:
        """Return the first 64 bits of a position's string, as a signed integer."""

    def first_words(self) -> Fill:
        """Return a function that writes the first words of positions 0, 1, 2, ... into the buffers it is given."""

    def first_halves(self) -> Fill:
        """Return a function that does the same with the first halves of the first words: 32 bits a position."""

    def second_halves(self, positions: Any) -> bytes:
        """Return the second halves for a list or array of positions, to be asked for once a position."""

    def extension(self, position: int = 0) -> Iterator[int]:
        """Yield the further words of a position's string, as unsigned integers."""


class SystemBits:
    """Fair bits from the operating system."""

    __slots__ = ()

    def first_word(self, position: int = 0) -> int:
        word: int = _signed_word(urandom(WORD_BYTES))[0]
        return word

    def first_words(self) -> Fill:
        return key_stream()

    def first_halves(self) -> Fill:
        return key_stream()

    def second_halves(self, positions: Any) -> bytes:
        return urandom(HALF_BYTES * len(positions))

    def extension(self, position: int = 0) -> Iterator[int]:
        while True:
            yield int.from_bytes(urandom(WORD_BYTES), "little")


class RecordedBits:
    """Given bits, for tests and replay: `words[i]` is position i's first word, `extensions[i]` what follows it.

    >>> bits = RecordedBits([5], extensions={0: [1, 2]})
    >>> bits.first_word(), next(bits.extension(0))
    (5, 1)
    """

    def __init__(self, words: Sequence[int], extensions: Mapping[int, Sequence[int]] | None = None) -> None:
        self._words = words
        self._extensions = extensions or {}

    def first_word(self, position: int = 0) -> int:
        return int(self._words[position])

    def first_words(self) -> Fill:
        return self._in_order(lambda word: word, WORD_BYTES)

    def first_halves(self) -> Fill:
        return self._in_order(lambda word: halves(word)[0], HALF_BYTES)

    def second_halves(self, positions: Any) -> bytes:
        return b"".join(halves(self.first_word(int(i)))[1].to_bytes(HALF_BYTES, "little") for i in positions)

    def _in_order(self, part: Callable[[int], int], size: int) -> Fill:
        position = 0

        def fill(buffer: Any) -> None:
            nonlocal position
            count = len(buffer) // size
            block = self._words[position : position + count]
            if len(block) < count:
                raise IndexError(USED_UP)
            buffer[:] = b"".join(part(int(word)).to_bytes(size, "little", signed=True) for word in block)
            position += count

        return fill

    def extension(self, position: int = 0) -> Iterator[int]:
        yield from self._extensions.get(position, ())
        raise IndexError(USED_UP)


@lru_cache(maxsize=1)
def _ciphers() -> tuple[Any, Any, Any]:
    """Return what makes a cipher, imported in the first call."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    return Cipher, algorithms.AES, modes.GCM


def key_stream(entropy_of: Callable[[int], bytes] | None = None) -> Fill:
    """Return a function that adds (XOR) the key stream of fresh keys to the buffers it is given.

    entropy_of   where keys come from, for whoever compares ciphers; the operating system where left out
    """
    cipher_of, aes, gcm = _ciphers()
    left = owner = 0
    update_into: Callable[[Any, Any], int]

    def fill(buffer: Any) -> None:
        nonlocal left, owner, update_into
        if left < len(buffer) or owner != getpid():  # a key that a fork has copied serves two processes
            entropy = (entropy_of or urandom)(_KEY_BYTES + _NONCE_BYTES)
            cipher = cipher_of(aes(entropy[:_KEY_BYTES]), gcm(entropy[_KEY_BYTES:]))
            update_into = cipher.encryptor().update_into
            left, owner = WORDS_PER_KEY * WORD_BYTES, getpid()
        # In place: the key stream is added (XOR) to whatever the buffer holds. It is uniform and independent of that,
        # so the sum is too; and no block of zeros has to pass through the cache.
        update_into(buffer, buffer)
        left -= len(buffer)

    return fill
