"""What snapdp is held against inside its own environment: numpy's sampler, a textbook one, MPFR, and hard limits.

None of these is a private release, except the MPFR loop: numpy's generator is predictable, and floating-point
Laplace noise without snapping reveals the value it hides.
"""

from __future__ import annotations

import os
from functools import partial

import gmpy2
import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, algorithms, modes
from numpy.typing import NDArray

from case import LOWER, NOISE_SCALE, SCALAR_FLOAT, SEED, UPPER, Case, Step, calls, measure

MILLION = 10**6
BLOCK = 16_384  # values; 128 kB of float64, so the working set stays in the second-level cache
BLOCKS_PER_STEP = 16
PAGE = 4096  # bytes
PLACES = 4
SCALAR_CALLS = 2_000
MPFR_VALUES = 1_000
MPFR_PRECISION_BITS = 118
GRID = 2  # the natural grid: the smallest power of two not below the noise scale


def uniform_inputs(count: int) -> NDArray[np.float64]:
    """Return `count` values between the bounds."""
    return np.random.default_rng(SEED).uniform(LOWER, UPPER, count)


def numpy_laplace_add() -> Step:
    """Noise from numpy's generator, added to a vector."""
    generator, values = np.random.default_rng(), uniform_inputs(MILLION)
    return lambda: values + generator.laplace(0.0, NOISE_SCALE, MILLION)


def numpy_laplace(count: int) -> Step:
    """Noise alone; numpy offers no `out`, so large vectors pay for fresh memory."""
    generator = np.random.default_rng()
    return lambda: generator.laplace(0.0, NOISE_SCALE, count)


def numpy_laplace_scalar() -> Step:
    """One value at a time."""
    generator = np.random.default_rng()
    return calls(lambda: SCALAR_FLOAT + generator.laplace(0.0, NOISE_SCALE), SCALAR_CALLS)


def keystream() -> CipherContext:
    """Return AES-256 in counter mode under a fresh key: encrypting zeros yields random bytes."""
    return Cipher(algorithms.AES(os.urandom(32)), modes.CTR(os.urandom(16))).encryptor()


def textbook(block: int) -> Step:
    """Laplace noise as sign * scale * ln(u) from secure bits, added without snapping, `block` values at a time."""
    values, out = uniform_inputs(MILLION), np.zeros(MILLION)
    cipher, zeros, random_bytes = keystream(), bytes(8 * block), bytearray(8 * block)
    words = np.frombuffer(random_bytes, dtype=np.int64)
    signed, noise = np.zeros(block), np.zeros(block)

    def step() -> None:
        for start in range(0, MILLION, block):
            count = min(block, MILLION - start)
            u, y = signed[:count], noise[:count]
            cipher.update_into(zeros, random_bytes)
            np.multiply(words[:count], 2.0**-63, out=u)
            np.abs(u, out=y)
            np.log(y, out=y)
            np.multiply(y, NOISE_SCALE, out=y)
            np.copysign(y, u, out=y)
            np.add(values[start : start + count], y, out=out[start : start + count])

    return step


def mpfr_snap(value: float, scale: gmpy2.mpfr) -> float:
    """Snap one value with a correctly rounded logarithm and no shortcut; works in the current gmpy2 context."""
    word = int.from_bytes(os.urandom(24), "little")
    negative, tail, head = word & 1, (word >> 1) & (2**117 - 1), word >> 118
    exponent = 75 - head.bit_length()
    while not head:  # probability 2**-74
        head = int.from_bytes(os.urandom(8), "little")
        exponent += 64 - head.bit_length()
    u = gmpy2.div_2exp(gmpy2.mpfr(2**117 + tail), 117 + exponent)
    noise = scale * gmpy2.log(u)
    total = min(max(value, LOWER), UPPER) + (-noise if negative else noise)
    snapped = int(gmpy2.floor(total / GRID + 0.5)) * GRID
    return float(min(max(snapped, LOWER), UPPER))


def mpfr_loop() -> Step:
    """A plain loop over `mpfr_snap`."""
    values = uniform_inputs(MPFR_VALUES).tolist()

    def step() -> list[float]:
        with gmpy2.context(precision=MPFR_PRECISION_BITS):
            scale = gmpy2.mpfr(NOISE_SCALE)
            return [mpfr_snap(value, scale) for value in values]

    return step


def log_step() -> Step:
    """np.log of one block into the next, both at the start of a page."""
    memory = np.zeros(2 * 8 * BLOCK + PAGE, dtype=np.uint8)
    start = -memory.ctypes.data % PAGE
    values, out = memory[start : start + 2 * 8 * BLOCK].view(np.float64).reshape(2, BLOCK)
    np.random.default_rng(SEED).random(out=values)
    return calls(lambda: np.log(values, out=out), BLOCKS_PER_STEP)


def log_limit() -> Step:
    """np.log alone, in cache; the best of a few places in memory, because an unlucky one can double the time."""
    candidates = [log_step() for _ in range(PLACES)]

    def cpu_seconds(step: Step) -> float:
        sample = measure(step, values_per_step=1, min_cpu_seconds=0.01)
        return sample.cpu_seconds / sample.values

    return min(candidates, key=cpu_seconds)


def cipher_limit() -> Step:
    """AES-256-CTR alone, 8 bytes a value, in cache."""
    cipher, zeros, out = keystream(), bytes(8 * BLOCK), bytearray(8 * BLOCK)
    return calls(lambda: cipher.update_into(zeros, out), BLOCKS_PER_STEP)


def urandom_limit() -> Step:
    """The system's generator alone, 8 bytes a value."""
    return calls(lambda: os.urandom(8 * BLOCK), BLOCKS_PER_STEP)


PER_STEP = BLOCK * BLOCKS_PER_STEP
CASES = [
    Case("MPFR loop, no filter", "scalar", MPFR_VALUES, mpfr_loop),
    Case("numpy laplace + add 1e6 (insecure)", "vector", MILLION, numpy_laplace_add),
    Case("numpy laplace 1e7, fresh memory (insecure)", "vector", 10 * MILLION, partial(numpy_laplace, 10 * MILLION)),
    Case("numpy laplace scalar (insecure)", "scalar", SCALAR_CALLS, numpy_laplace_scalar),
    Case("textbook np.log + AES, whole 1e6 (no snapping)", "vector", MILLION, partial(textbook, MILLION)),
    Case("textbook np.log + AES, blocks (no snapping)", "vector", MILLION, partial(textbook, BLOCK)),
    Case("limit: np.log float64", "limit", PER_STEP, log_limit),
    Case("limit: AES-256-CTR", "limit", PER_STEP, cipher_limit),
    Case("limit: os.urandom", "limit", PER_STEP, urandom_limit),
]
