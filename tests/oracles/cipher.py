"""AES-256 once more, in plain Python: the block cipher of FIPS 197 and the counter mode that noise is drawn with.

Much slower than OpenSSL, and it has nothing in common with it. No table is copied:
the S-box is computed from its definition, the inverse in the field of 256 elements and an affine map of its bits.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

BLOCK = 16
ROUNDS = 14
KEY_BYTES = 32
FIRST_COUNTER = 2  # GCM keeps the counter 1 for its tag


def counter_blocks(entropy: bytes, places: Iterable[int]) -> list[bytes]:
    """Return the blocks of the same key stream at these places, counted from 0."""
    keys = _round_keys(entropy[:KEY_BYTES])
    nonce = entropy[KEY_BYTES:]
    return [_block(nonce + (FIRST_COUNTER + place).to_bytes(4, "big"), keys) for place in places]


def encrypted(block: bytes, key: bytes) -> bytes:
    """Return one encrypted block.

    >>> encrypted(bytes.fromhex("00112233445566778899aabbccddeeff"), bytes(range(32))).hex()  # FIPS 197, C.3
    '8ea2b7ca516745bfeafc49904b496089'
    """
    return _block(block, _round_keys(key))


def _block(block: bytes, keys: list[bytes]) -> bytes:
    box = _box()
    state = _added(block, keys[0])
    for key in keys[1:]:
        state = bytes(box[each] for each in state)
        state = bytes(state[(i + 4 * (i % 4)) % BLOCK] for i in range(BLOCK))  # row i % 4 moves by so many columns
        if key is not keys[-1]:
            state = b"".join(_mixed(state[i : i + 4]) for i in range(0, BLOCK, 4))
        state = _added(state, key)
    return state


def _mixed(column: bytes) -> bytes:
    a, b, c, d = column
    every = a ^ b ^ c ^ d
    pairs = ((a, b), (b, c), (c, d), (d, a))
    return bytes(one ^ every ^ _product(2, one ^ other) for one, other in pairs)


def _round_keys(key: bytes) -> list[bytes]:
    box, words, constant = _box(), [key[i : i + 4] for i in range(0, KEY_BYTES, 4)], 1
    for i in range(8, 4 * (ROUNDS + 1)):
        word = words[-1]
        if i % 8 == 0:
            word = bytes(box[each] for each in word[1:] + word[:1])
            word, constant = bytes([word[0] ^ constant]) + word[1:], _product(2, constant)
        elif i % 8 == 4:
            word = bytes(box[each] for each in word)
        words.append(_added(word, words[i - 8]))
    return [b"".join(words[i : i + 4]) for i in range(0, len(words), 4)]


@lru_cache(maxsize=1)
def _box() -> bytes:
    inverse = [0, *(next(y for y in range(1, 256) if _product(x, y) == 1) for x in range(1, 256))]
    return bytes(_affine(each) for each in inverse)


def _affine(x: int) -> int:
    turned = (x << 1 | x >> 7, x << 2 | x >> 6, x << 3 | x >> 5, x << 4 | x >> 4)
    return (x ^ turned[0] ^ turned[1] ^ turned[2] ^ turned[3] ^ 0x63) & 0xFF


@lru_cache(maxsize=1 << 16)
def _product(x: int, y: int) -> int:
    """Return the product in the field of 256 elements, modulo x^8 + x^4 + x^3 + x + 1."""
    found = 0
    while y:
        if y & 1:
            found ^= x
        x = x << 1 ^ (0x11B if x & 0x80 else 0)
        y >>= 1
    return found


def _added(one: bytes, other: bytes) -> bytes:
    return bytes(x ^ y for x, y in zip(one, other, strict=True))
