"""The generators of numpy with frozen noise: the functions of numpy.random, Generator, RandomState and default_rng.

Room: testing. It is asked only where numpy is loaded; the classes are made then, below those of numpy, so that whoever
checks for a Generator gets one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from snapdp.testing.frozen.noise import MOST_VALUES, FrozenNoise

# what the positional parameters of a method are called; `loc` is where noise is centred, SCALES how wide it is
PARAMETERS = {
    **dict.fromkeys(("laplace", "normal", "gumbel", "logistic"), ("loc", "scale", "size")),
    **dict.fromkeys(("exponential", "rayleigh"), ("scale", "size")),
    "lognormal": ("mean", "sigma", "size"),
    "gamma": ("shape", "scale", "size"),
    "geometric": ("p", "size"),
    "poisson": ("lam", "size"),
    "uniform": ("low", "high", "size"),
    "integers": ("low", "high", "size"),
    "randint": ("low", "high", "size"),
    "choice": ("a", "size", "replace", "p"),
}
SCALES = {"laplace": "scale", "normal": "scale", "gumbel": "scale", "logistic": "scale", "exponential": "scale"}
SCALES |= {"rayleigh": "scale", "gamma": "scale", "lognormal": "sigma", "geometric": "p", "poisson": "lam"}
# other names of laws, of scale 1
LAWS = {"standard_normal": "normal", "randn": "normal", "standard_exponential": "exponential", "rand": "random"}
LAWS |= dict.fromkeys(("random_sample", "ranf", "sample"), "random")
_DEFAULTS = {"loc": 0.0, "scale": 1.0, "sigma": 1.0, "lam": 1.0, "low": 0.0, "high": 1.0}
_NO_DRAWS = {"bit_generator", "spawn", "get_state", "set_state", "seed"}


def recording_classes(noise: FrozenNoise) -> tuple[type, type]:
    """Return the classes that take the place of Generator and RandomState."""
    import numpy as np

    generator, state, bits = np.random.Generator, np.random.RandomState, np.random.BitGenerator  # before they change

    def init(self: Any, bit_generator: Any) -> None:
        generator.__init__(self, bit_generator)
        entropy = getattr(getattr(bit_generator, "seed_seq", None), "entropy", None)
        if entropy is not None:
            noise.seeded("numpy", entropy)

    def init_legacy(self: Any, seed: Any = None) -> None:
        if seed is None:
            noise.made(self, lambda made, number: state.__init__(made, number % 2**32))
            return
        state.__init__(self, seed)
        if not isinstance(seed, bits):
            noise.seeded("numpy", seed)

    def seed_legacy(self: Any, seed: Any = None) -> None:
        if seed is not None:
            noise.seeded("numpy", seed)
        state.seed(self, seed)

    modern = {**_methods(noise, generator), "__init__": init}
    legacy = {**_methods(noise, state), "__init__": init_legacy, "seed": seed_legacy}
    return type("Generator", (generator,), modern), type("RandomState", (state,), legacy)


def _methods(noise: FrozenNoise, base: type) -> dict[str, Callable[..., Any]]:
    names = [name for name in dir(base) if not name.startswith("_") and name not in _NO_DRAWS]
    return {name: _recorded(noise, getattr(base, name), name) for name in names if callable(getattr(base, name))}


def _recorded(noise: FrozenNoise, method: Callable[..., Any], name: str) -> Callable[..., Any]:
    named = PARAMETERS.get(name, ())

    @wraps(method)
    def drawn(self: Any, *args: Any, **kwargs: Any) -> Any:
        with noise.one_draw():
            found = method(self, *args, **kwargs)
            given = {**_DEFAULTS, **dict(zip(named, args, strict=False)), **kwargs}
            location = _numbers(given["loc"]) if "loc" in named else ()
            scale = _scale(name, named, given)
            chances = _numbers(given.get("p")) if name == "choice" else ()
            size = getattr(found, "size", 1) if found is not None else 1
            values = _numbers(found) if size <= MOST_VALUES else ()
            noise.record(
                LAWS.get(name, name), size=int(size), location=location, scale=scale, chances=chances, values=values
            )
        return found

    return drawn


def _scale(name: str, named: Sequence[str], given: dict[str, Any]) -> tuple[Any, ...]:
    if name in SCALES:
        return _numbers(given.get(SCALES[name]))
    return _width(given) if "low" in named else (1.0,) if name in LAWS else ()


def _width(given: dict[str, Any]) -> tuple[Any, ...]:
    low, high = _numbers(given["low"]), _numbers(given["high"])
    return tuple(b - a for a, b in zip(low, high, strict=False))


def _numbers(value: Any) -> tuple[Any, ...]:
    """Return a parameter as a tuple of numbers; what is none is told by its type."""
    import numpy as np

    if value is None:
        return ()
    array = np.asarray(value)
    return tuple(array.ravel().tolist()) if array.dtype.kind in "biuf" else (type(value).__qualname__,)


def replacements(noise: FrozenNoise) -> dict[int, Any]:
    """Return what takes the place of the functions and classes of numpy.random, by the id of what was there."""
    if "numpy" not in sys.modules:
        return {}
    import numpy as np

    modern, legacy = recording_classes(noise)
    generator, state, bits_kind = np.random.Generator, np.random.RandomState, np.random.BitGenerator
    fresh, old = np.random.PCG64, np.random.default_rng
    common = legacy(0)
    noise.starts(lambda number: state.seed(common, number % 2**32))
    functions = [name for name in dir(np.random) if name in legacy.__dict__ and not name.startswith("_")]
    found = {id(getattr(np.random, name)): getattr(common, name) for name in functions}

    def default_rng(seed: Any = None) -> Any:
        if isinstance(seed, modern):
            return seed
        if isinstance(seed, bits_kind):
            return modern(seed)
        if isinstance(seed, (generator, state)):
            return modern(old(seed).bit_generator)
        if seed is not None:
            return modern(fresh(seed))
        made: Any = generator.__new__(modern)
        noise.made(made, lambda each, number: generator.__init__(each, fresh(number)))
        return made

    found[id(old)] = default_rng
    found[id(generator)] = modern
    found[id(state)] = legacy
    return found


def frozen_copy(generator: Any, noise: FrozenNoise, modern: Any, legacy: Any) -> Any:
    """Return what takes the place of a generator that somebody holds."""
    import numpy as np

    state, fresh = legacy.__mro__[1], np.random.PCG64
    if isinstance(generator, state):
        old = legacy(0)
        noise.starts(lambda number: state.seed(old, number % 2**32))
        return old
    copied = modern(fresh(0))

    def reseed(number: int) -> None:
        copied.bit_generator.state = fresh(number).state

    noise.starts(reseed)
    return copied
