"""Properties are tried on the same examples at every run; HYPOTHESIS_PROFILE=fresh tries new ones."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

from tests import ROOT

BEFORE = pytest.StashKey[set[str]]()

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("fresh", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Send all tests of Spark to one worker: a second session costs a minute. Marks are not seen by every xdist."""
    from xdist.scheduler import LoadGroupScheduling

    class OneSession(LoadGroupScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return "spark" if "spark" in nodeid.lower() else nodeid

    return OneSession(config, log)


def pytest_sessionstart(session):
    session.config.stash[BEFORE] = _results_in_the_root()


def pytest_sessionfinish(session):
    """Fail a run that leaves results in the root: a test released there, where nobody looks."""
    if left := _results_in_the_root() - session.config.stash[BEFORE]:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        print(f"\nleft in the root by a test: {', '.join(sorted(left))}")


def _results_in_the_root() -> set[str]:
    return {path.name for path in ROOT.glob("snapdp-*")}
