"""The page in a real browser: `snapdp serve` in a process of its own, Chromium before it, and what both said.

Playwright is loaded by the tests that drive it, not when tests are collected.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.unit.release.report.printed import chromium

FLAGS = [
    "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--no-first-run",
]  # fmt: skip
PATIENCE = 30_000  # milliseconds until something that must come has not come
ROWS = 500


def table(folder: Path, rows: int = ROWS) -> Path:
    """Write a table of made-up people: an age, an income and a region."""
    lines = [f"{20 + 7 * at % 60},{1000 + 37 * at % 4000},{'nsew'[at % 4]}" for at in range(rows)]
    path = folder / "people.csv"
    path.write_text("\n".join(["age,income,region", *lines, ""]), encoding="utf-8")
    return path


@contextmanager
def served(folder: Path, words: Sequence[str]) -> Iterator[Any]:
    """Run the command; yield what prints a new address. It ends as people end it, and says where the ledger is."""
    command = [sys.executable, "-m", "snapdp", "serve", *words, "--no-browser"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        assert line.startswith("The page is at http://127.0.0.1:"), line
        yield line.split()[-1]
    finally:
        os.kill(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert "keep it" in said
    assert "Traceback" not in said


@contextmanager
def browser() -> Iterator[Any]:
    """Start Chromium, where there is one."""
    from playwright.sync_api import sync_playwright

    program = chromium()
    flags = [*FLAGS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=program, args=flags)
        yield found
        found.close()


class Visit:
    """A tab on the page, with everything that it asked for and complained about."""

    def __init__(self, context: Any, address: str) -> None:
        self.context, self.host = context, urlsplit(address).netloc
        self.asked: list[str] = []
        self.complaints: list[str] = []
        self.tab = self.opened(address)

    def opened(self, address: str) -> Any:
        """Open one more tab."""
        tab = self.context.new_page()
        tab.set_default_timeout(PATIENCE)
        tab.on("request", lambda request: self.asked.append(request.url))
        tab.on("console", lambda said: said.type in ("error", "warning") and self.complaints.append(said.text))
        tab.on("pageerror", lambda problem: self.complaints.append(str(problem)))
        tab.goto(address)
        tab.wait_for_url(f"http://{self.host}/**")
        tab.wait_for_selector("#study fieldset, #accounts, #program")
        return tab

    def check(self) -> None:
        """Refuse a visit that asked somebody else, or complained about more than a refusal in words."""
        others = [each for each in self.asked if urlsplit(each).netloc != self.host and not each.startswith("data:")]
        assert others == []
        assert [each for each in self.complaints if "status of 40" not in each] == []


class Form:
    """The form of a plan, by the pointers of its fields."""

    def __init__(self, tab: Any) -> None:
        self.tab = tab

    def field(self, pointer: str) -> Any:
        return self.tab.locator(f'#main :is(input, select, textarea)[data-field="{pointer}"]').first

    def write(self, pointer: str, text: str) -> None:
        self.field(pointer).fill(text)

    def choose(self, pointer: str, value: str) -> None:
        self.field(pointer).select_option(value)

    def protect_rows(self, rows: int) -> None:
        self.tab.get_by_label("Each row; the number of rows is public").check()
        self.write("/n", str(rows))

    def declare_numbers(self, name: str, lower: str, upper: str) -> None:
        self.choose(f"/columns/{name}/kind", "integer")
        self.write(f"/columns/{name}/lower", lower)
        self.write(f"/columns/{name}/upper", upper)
        self.choose(f"/columns/{name}/missing", "dropped")

    def add(self, kind: str, column: str) -> int:
        """Add a statistic of a column; return its place."""
        place = self.tab.locator("tbody[data-row]").count()
        self.tab.locator("#add").click()
        self.choose(f"/statistic/{place}/kind", kind)
        self.choose(f"/statistic/{place}/column", column)
        return place

    def total(self) -> str:
        return str(self.tab.locator("p.total").inner_text())

    def left(self) -> str:
        return str(self.tab.locator("#account .key .free").inner_text())

    def follows(self, selector: str, text: str) -> None:
        """Wait until something is said somewhere."""
        self.tab.locator(selector).filter(has_text=text).first.wait_for()


@contextmanager
def visiting(folder: Path, *words: str, **context: Any) -> Iterator[tuple[Visit, Form, Any]]:
    """Serve the page and open it in a browser; yield the visit, form and tab; check it at the end."""
    with served(folder, words) as address, browser() as program:
        visit = Visit(program.new_context(**context), address)
        yield visit, Form(visit.tab), visit.tab
        visit.check()


def four_statistics(form: Form) -> None:
    """Build a plan from nothing: a mean, a sum, a histogram and quantiles."""
    form.protect_rows(ROWS)
    form.write("/dataset", "people")
    form.write("/budget", "1")
    form.add("sum", "age")
    form.declare_numbers("age", "0", "120")
    form.write("/statistic/0/epsilon", "0.2")
    form.add("sum", "income")
    form.declare_numbers("income", "0", "5000")
    form.write("/statistic/1/epsilon", "0.2")
    form.add("histogram", "region")
    form.choose("/columns/region/kind", "category")
    form.write("/columns/region/categories", "n\ns\ne\nw")
    form.write("/statistic/2/epsilon", "0.1")
    form.add("quantiles", "age")
    if not form.field("/statistic/3/at").is_visible():
        form.tab.locator('tbody[data-row] summary:has-text("of statistic 4")').click()
    form.write("/statistic/3/at", "0.5")
    form.write("/statistic/3/epsilon", "0.1")
