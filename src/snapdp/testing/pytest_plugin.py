"""PYTEST_DONT_REWRITE The plugin of pytest: the fixture `dp_audit`, and the marker that gives it its claims.

Room: testing. pytest loads it at its start, in every project of the environment: it imports nothing but pytest, and
does nothing until a test asks for the fixture. What an audit that passed could not judge is told at the end of the run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from snapdp.testing import AuditReport

MARKER = "dp_audit(**claims): what the fixture dp_audit claims of every release of the test, such as epsilon=1"
NOTE = "dp_audit note"


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known, also under --strict-markers."""
    config.addinivalue_line("markers", MARKER)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Refuse a marker that would claim nothing: without names, or on a test without the fixture."""
    if any(mark.args for mark in item.iter_markers("dp_audit")):
        pytest.fail("dp_audit takes claims by name: @pytest.mark.dp_audit(epsilon=1, sensitivity=60)", pytrace=False)
    marked = any(mark.name == "dp_audit" for mark in item.own_markers)
    if marked and "dp_audit" not in getattr(item, "fixturenames", ()):
        pytest.fail("the marker dp_audit audits nothing by itself: ask for the fixture dp_audit too", pytrace=False)


@pytest.fixture
def dp_audit(request: pytest.FixtureRequest) -> Callable[..., AuditReport]:
    """Return a function that audits a release on two neighbouring inputs, and fails the test with what it found."""
    from snapdp.testing import audit

    said: dict[str, Any] = {}
    for mark in reversed(list(request.node.iter_markers("dp_audit"))):  # the nearest one last
        said |= mark.kwargs
    request.node.user_properties.append((NOTE, "the fixture was asked for, and audited nothing"))

    def audited(release: Callable[[Any], Any], first: Any, second: Any, **claims: Any) -> AuditReport:
        __tracebackhide__ = True
        kept = request.node.user_properties
        kept[:] = [each for each in kept if each[0] != NOTE or "audited nothing" not in each[1]]
        report = audit(release, first, second, **{**said, **claims})
        kept += [(NOTE, each) for each in report.notes if (NOTE, each) not in kept]
        return report.check()

    return audited


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Write what audits of tests that passed could not judge; such notes are nowhere else to be seen."""
    told: dict[str, list[str]] = {}
    for report in terminalreporter.stats.get("passed", []):
        for name, note in getattr(report, "user_properties", ()):
            if name == NOTE and report.when == "call" and report.nodeid not in told.setdefault(note, []):
                told[note].append(report.nodeid)
    if told:
        terminalreporter.section("dp_audit: passed, and not judged")
        for note, tests in told.items():
            more = f" and {len(tests) - 1} more" if len(tests) > 1 else ""
            terminalreporter.write_line(f"{tests[0]}{more}: {note}")
