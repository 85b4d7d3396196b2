"""Properties are tried on the same examples, and with the same noise, at every run; HYPOTHESIS_PROFILE=fresh: new ones.

Noise is drawn from bytes that the name of a test decides: what a test sees does not change from run to run, nor with
the tests before it. What other processes draw is the operating system's. With fresh noise a test whose error is bounded
by "once in 1,000 runs" fails that often: the profile is for looking, not for a gate.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from random import Random

import pytest
from hypothesis import settings

from tests import ROOT

BEFORE = pytest.StashKey[set[str]]()
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "same")

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("fresh", deadline=None)
settings.load_profile(PROFILE)


@contextmanager
def noise_of(name: str) -> Iterator[None]:
    """Let noise be drawn from bytes that a name decides."""
    from snapdp.randomness import bits

    before = bits.urandom
    if PROFILE == "same":
        bits.urandom = Random(name).randbytes
    try:
        yield
    finally:
        bits.urandom = before


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    with noise_of(item.nodeid):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef, request):
    """Draw the noise of what several tests share from its own name, whichever of them comes first."""
    if fixturedef.scope == "function":
        return (yield)
    with noise_of(f"{fixturedef.baseid}::{fixturedef.argname}[{request.param_index}]"):
        return (yield)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Send all tests of Spark to one worker, and those of a file to one: what they share is made once.

    A second session of Spark costs a minute. Marks are not seen by every xdist.
    """
    from xdist.scheduler import LoadGroupScheduling

    class OneSession(LoadGroupScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return "spark" if "spark" in nodeid.lower() else nodeid.split("::")[0]

    return OneSession(config, log)


def pytest_collection(session):
    """Let each worker compile its share of the tests first, and read what the others have compiled.

    In a fresh clone rewriting the asserts of all files takes most of the time of collection, in every worker.
    """
    if (worker := getattr(session.config, "workerinput", None)) and len(session.config.args) == 1:
        files = sorted((ROOT / session.config.args[0]).rglob("test_*.py"))
        for path in files[int(worker["workerid"].removeprefix("gw")) :: worker["workercount"]]:
            with suppress(Exception, pytest.skip.Exception):  # it is said again when the file is collected
                import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))


def pytest_sessionstart(session):
    session.config.stash[BEFORE] = _results_in_the_root()


def pytest_sessionfinish(session):
    """Fail a run that leaves results in the root: a test released there, where nobody looks."""
    if left := _results_in_the_root() - session.config.stash[BEFORE]:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        print(f"\nleft in the root by a test: {', '.join(sorted(left))}")


def _results_in_the_root() -> set[str]:
    return {path.name for path in ROOT.glob("snapdp-*")}
