"""The generators of Python with frozen noise: random, secrets, os.urandom, and the bits of snapdp.

Room: testing. `secrets` and SystemRandom ask the system through the module random; numpy takes its entropy from there.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable
from functools import wraps
from random import Random  # as it is before any audit
from typing import Any

from snapdp.randomness import SystemBits
from snapdp.testing.frozen.noise import FrozenNoise

# what the positional parameters of a method are called; of these, `mu` is where noise is centred, the rest its scale
PARAMETERS = {
    "gauss": ("mu", "sigma"),
    "normalvariate": ("mu", "sigma"),
    "lognormvariate": ("mu", "sigma"),
    "expovariate": ("lambd",),
    "uniform": ("a", "b"),
    "gammavariate": ("alpha", "beta"),
    "paretovariate": ("alpha",),
    "weibullvariate": ("alpha", "beta"),
}
OTHERS = ("random", "getrandbits", "randbytes", "betavariate", "choice", "choices", "randint", "randrange", "sample")
METHODS = (*PARAMETERS, *OTHERS, "shuffle", "triangular", "vonmisesvariate")
_DEFAULTS: dict[str, Any] = {"mu": 0.0, "sigma": 1.0, "lambd": 1.0}


def recording_random(noise: FrozenNoise) -> type[Random]:
    """Return the class that takes the place of Random."""

    def seed(self: Random, a: Any = None, version: int = 2) -> None:
        if a is not None:
            noise.seeded("random", a)
        Random.seed(self, noise.entropy() if a is None else a, version)

    def init(self: Random, x: Any = None) -> None:
        if x is None:
            noise.made(self, Random.seed)
        else:
            seed(self, x)

    own = {name: _recorded(noise, name) for name in METHODS if hasattr(Random, name)}
    return type("Random", (Random,), {"__init__": init, "seed": seed, **own})


def _recorded(noise: FrozenNoise, name: str) -> Callable[..., Any]:
    method = getattr(Random, name)
    named = PARAMETERS.get(name, ())

    @wraps(method)
    def drawn(self: Random, *args: Any, **kwargs: Any) -> Any:
        with noise.one_draw():
            found = method(self, *args, **kwargs)
            given = {**_DEFAULTS, **dict(zip(named, args, strict=False)), **kwargs}
            location = (given["mu"],) if "mu" in named else ()
            scale = tuple(given[each] for each in named if each not in ("mu", "a", "b") and each in given)
            width = (given["b"] - given["a"],) if {"a", "b"} <= set(named) and {"a", "b"} <= set(given) else ()
            size = len(found) if name in ("choices", "sample", "randbytes") else 1
            values = (found,) if type(found) in (int, float) else ()
            noise.record(LAWS.get(name, name), size=size, location=location, scale=scale or width, values=values)
        return found

    return drawn


LAWS = {"gauss": "normal", "normalvariate": "normal", "expovariate": "exponential-rate"}


def replacements(noise: FrozenNoise) -> dict[int, Any]:
    """Return what takes the place of the functions and classes of Python that draw, by the id of what was there."""
    kind = recording_random(noise)
    common = kind.__new__(kind)
    noise.starts(lambda number: Random.seed(common, number))
    names = [name for name in (*METHODS, "seed") if hasattr(random, name)]
    found = {id(getattr(random, name)): getattr(common, name) for name in names}
    found[id(Random)] = kind
    found[id(os.urandom)] = noise.urandom
    if hasattr(os, "getrandom"):
        found[id(os.getrandom)] = noise.urandom
    return found


def bits_of_snapdp() -> Any:
    """Return the module whose `urandom` gives snapdp its bits. Nothing else of the library lets them be replaced."""
    return sys.modules[SystemBits.__module__]


def frozen_copy(generator: Random, noise: FrozenNoise, kind: type[Random]) -> Random:
    """Return what takes the place of a generator that somebody holds."""
    del generator
    copied = kind.__new__(kind)
    noise.starts(lambda number: Random.seed(copied, number))
    return copied
