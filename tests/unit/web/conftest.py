"""A page for each test that asks for one."""

from __future__ import annotations

import pytest

from tests.unit.web.pages import Page, workplace


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """Return a page on a table of six rows and an account with epsilon 1, for tests that change nothing of it."""
    found = Page(workplace(tmp_path_factory.mktemp("page")))
    yield found
    found.close()


@pytest.fixture
def new_page(tmp_path):
    """Return such a page of which a test may change everything."""
    found = Page(workplace(tmp_path))
    yield found
    found.close()
