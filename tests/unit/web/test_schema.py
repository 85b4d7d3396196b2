"""The documented requests, tried by a program that knows only the documentation: no defect, and documented answers."""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from snapdp.web.gate import SECRET
from snapdp.web.schema import ANSWERS
from tests.unit.web.pages import COOKIE, HOST, Page, undocumented


def tried(page: Page, examples: int) -> Counter[int]:
    """Send so many requests to each address; return how many got which status."""
    import schemathesis
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

    headers = {"Host": HOST, "Origin": f"http://{HOST}", "Cookie": f"{COOKIE}={page.tokens.entry.session}"}
    headers |= {SECRET: page.tokens.entry.secret}
    schema = schemathesis.openapi.from_dict(page.read("/openapi.json").json)
    statuses: Counter[int] = Counter()
    for operation in schema.get_all_operations():
        found = operation.ok()

        @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
        @_given(found)
        def one(case: Any) -> None:
            answer = case.call(app=page.app, headers=headers, base_url=f"http://{HOST}")
            statuses[answer.status_code] += 1
            case.validate_response(
                answer, checks=[not_a_server_error, status_code_conformance, response_schema_conformance]
            )

        one()
    return statuses


def _given(operation: Any) -> Any:
    from hypothesis import given

    return given(case=operation.as_strategy())


@pytest.mark.long
def test_no_request_that_the_documentation_allows_finds_a_defect(page):
    statuses = tried(page, int(os.environ.get("SNAPDP_EXAMPLES", "25")))
    assert {403, 415} & set(statuses) == set()  # the gate let all of them in
    assert statuses[200]
    assert statuses[400]


def test_every_answer_is_documented_key_by_key_but_files(page):
    paths = page.read("/openapi.json").json["paths"]
    answered = {path: each["responses"]["200"] for path, methods in paths.items() for each in methods.values()}
    assert set(answered) == {*ANSWERS, "/api/file"}
    for path in ANSWERS:
        schema = answered[path]["content"]["application/json"]["schema"]
        assert schema["additionalProperties"] is False
        assert all(each["description"].endswith(".") for key, each in schema["properties"].items() if key != "ok")


def test_a_key_that_is_not_documented_is_noticed():
    """What every other test of the page relies on: see `Page.asked`."""
    answer = {"ok": True, "percent": "3", "more": 1}
    assert undocumented("/api/progress", answer) == {"percent": "str", "more": "int"}
    assert undocumented("/api/study", {"ok": True}) == {"study": "lacking"}
