"""What a call makes and keeps: a generator, a function, a module. It is frozen meanwhile, and no longer."""

from __future__ import annotations

import gc
import random
import subprocess
import sys
import warnings

import numpy as np
import pytest

from snapdp.lab.testing import audit
from tests.unit.lab.testing.planted import clamped

PAIR = ([1, 0], [1, 1])
CLAIMS = {"epsilon": 1, "sensitivity": 1, "allow": "float-noise", "replays": 9}


def keeping(make):
    """Return a release that makes a generator in its first call, and keeps it."""
    kept = {}

    def release(rows):
        if not kept:
            kept["generator"] = make()
        return clamped(rows) + noise_of(kept["generator"])

    release.kept = kept
    return release


def keeping_among_others():
    """One is kept, one is made in vain by every call but the first, one by every call."""
    kept = {}

    def release(rows):
        generator, own = kept.setdefault("generator", random.Random()), random.Random()
        return clamped(rows) + (generator.expovariate(1) - own.expovariate(1))

    release.kept = kept
    return release


def noise_of(generator):
    if isinstance(generator, random.Random):
        return generator.expovariate(1) - generator.expovariate(1)
    return generator.laplace()


KEEPING = {
    "Random": lambda: keeping(lambda: random.Random()),
    "default_rng": lambda: keeping(lambda: np.random.default_rng()),
    "RandomState": lambda: keeping(lambda: np.random.RandomState()),
    "among others": keeping_among_others,
}


@pytest.mark.parametrize("made", KEEPING.values(), ids=KEEPING)
def test_a_generator_that_the_first_call_makes_and_keeps_is_no_state_and_is_frozen_no_more_afterwards(made):
    releases = [made(), made()]
    for each in releases:
        audit(each, *PAIR, **CLAIMS).check()
    one, other = (float(each([1])) for each in releases)
    assert one != other  # two audits end alike: who is frozen goes on alike
    audit(releases[0], *PAIR, **CLAIMS).check()  # it is known to the next audit


def test_a_generator_with_a_seed_of_its_own_that_is_kept_is_state():
    assert audit(keeping(lambda: random.Random(5)), *PAIR, **CLAIMS).kinds == {"state"}


class Left:
    """What lies in a circle, and complains when it is collected."""

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        warnings.warn("nobody closed it", ResourceWarning, stacklevel=1)
        print("collected")


@pytest.mark.parametrize("call", [1, 2, 3, 4])
def test_what_others_left_is_not_of_the_call_in_which_it_happens_to_be_collected(call, recwarn, capsys):
    calls = []

    def release(rows):
        calls.append(1)
        if len(calls) == call:
            gc.collect()
        return clamped(rows) + random.expovariate(1) - random.expovariate(1)

    gc.disable()
    try:
        Left()
        audit(release, *PAIR, **CLAIMS).check()
    finally:
        gc.enable()
    assert gc.get_freeze_count() == 0
    gc.collect()
    assert [str(each.message) for each in recwarn] == ["nobody closed it"]
    assert capsys.readouterr().out == "collected\n"


def test_what_a_call_leaves_is_heard_in_that_call():
    def release(rows):
        if sum(rows) > 1:
            Left()
        return clamped(rows) + random.expovariate(1) - random.expovariate(1)

    gc.disable()
    try:
        found = audit(release, *PAIR, **{**CLAIMS, "replays": None})
    finally:
        gc.enable()
    assert {"written", "warning"} <= found.kinds


MODULE = """
from os import urandom
from random import Random, expovariate
from numpy.random import default_rng

RNG = Random()


def noise():
    return expovariate(1) - RNG.expovariate(1)
"""


def test_a_module_that_the_call_imports_is_frozen_in_each_audit_and_no_longer(tmp_path, monkeypatch):
    (tmp_path / "imported_by_a_release.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)

    def release(rows):
        import imported_by_a_release

        return clamped(rows) + imported_by_a_release.noise()

    try:
        drawn = []
        for _ in range(2):
            audit(release, *PAIR, **CLAIMS).check()
            module = sys.modules["imported_by_a_release"]
            drawn.append((module.urandom(16), module.noise(), module.Random().random(), module.default_rng().random()))
        assert all(one != other for one, other in zip(*drawn, strict=True))
    finally:
        sys.modules.pop("imported_by_a_release", None)


IMPORTING = """
import sys
from snapdp.lab.testing import audit

assert "numpy" not in sys.modules


def release(rows):
    import numpy

    return sum(rows) + numpy.random.laplace()


report = audit(release, [1], [0], epsilon=1, sensitivity=1, replays=3)
assert report.kinds == {"float-noise"}, report
"""


def test_numpy_that_the_first_call_imports_is_frozen_in_all_others():
    subprocess.run([sys.executable, "-c", IMPORTING], check=True, timeout=60)
