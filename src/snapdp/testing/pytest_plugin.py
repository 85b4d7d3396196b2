"""PYTEST_DONT_REWRITE The plugin of pytest: the fixture `dp_audit`, and the marker that gives it its claims.

Room: testing. pytest loads it at its start, in every project of the environment: it imports nothing but pytest, and
does nothing until a test asks for the fixture.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from snapdp.testing import AuditReport

MARKER = "dp_audit(**claims): what the fixture dp_audit claims of every release of the test, such as epsilon=1"


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known, also under --strict-markers."""
    config.addinivalue_line("markers", MARKER)


@pytest.fixture
def dp_audit(request: pytest.FixtureRequest) -> Callable[..., AuditReport]:
    """Return a function that audits a release on two neighbouring inputs, and fails the test with what it found."""
    from snapdp.testing import audit

    said: dict[str, Any] = {}
    for mark in reversed(list(request.node.iter_markers("dp_audit"))):  # the nearest one last
        said |= mark.kwargs

    def audited(release: Callable[[Any], Any], first: Any, second: Any, **claims: Any) -> AuditReport:
        __tracebackhide__ = True
        return audit(release, first, second, **{**said, **claims}).check()

    return audited
