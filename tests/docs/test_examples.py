"""Every example runs: docstrings of the package, and the Python blocks of README and docs."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import shlex
import shutil
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

import snapdp
from snapdp.cli import release
from snapdp.cli.app import main
from tests.docs.navigation import pages_of_the_site
from tests.services import address, new_database, on_spark, postgres_server, spark_session

ROOT = Path(__file__).resolve().parents[2]
BELOW = [name for _, name, _ in pkgutil.walk_packages(snapdp.__path__, "snapdp.") if not name.endswith("__main__")]
MODULES = ["snapdp", *BELOW]
README = ROOT / "README.md"
REAL_TABLES = ROOT / "docs" / "guide" / "real-tables.md"
PAGES = sorted([README, *(ROOT / "docs").rglob("*.md")])
TOML = re.compile(r"^```toml\n(.*?)^```", re.MULTILINE | re.DOTALL)
SHELL = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
MADE = re.compile(r"^```python file\n(.*?)^```", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"^```(?:toml|csv) (\S+)\n(.*?)^```", re.MULTILINE | re.DOTALL)  # saved under its name
FENCE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_give_what_they_show(name):
    failures, _ = doctest.testmod(importlib.import_module(name))
    assert failures == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_python_blocks_of_a_page_run_in_order(page, tmp_path, monkeypatch):
    """With nothing at hand but what the page says: its tables, and its first block of TOML, saved as study.toml."""
    source = page.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    make_tables(page)
    for study in TOML.findall(source)[:1]:
        Path("study.toml").write_text(study, encoding="utf-8")
    namespace: dict[str, object] = {}
    for block in FENCE.findall(source):
        exec(compile(block, str(page), "exec"), namespace)


def make_tables(page):
    """Write the tables of a page, and its files that have a name, into the current directory."""
    source = page.read_text(encoding="utf-8")
    for block in MADE.findall(source):
        exec(compile(block, str(page), "exec"), {})
    for name, study in NAMED.findall(source):
        Path(name).write_text(study, encoding="utf-8")


def blocks_for(page, component):
    """Return the blocks of a page that need a component, and its SQL, in order: (kind, text)."""
    source = page.read_text(encoding="utf-8")
    return re.findall(rf"^```(python {component}|sql|sql as keeper)\n(.*?)^```", source, re.MULTILINE | re.DOTALL)


def pages_for(component):
    marked = f"\n```python {component}\n"
    return [page for page in PAGES if marked in page.read_text(encoding="utf-8")]


def run_block(page, block, namespace):
    exec(compile(block, str(page), "exec"), namespace)


@pytest.mark.long
@on_spark
@pytest.mark.parametrize("page", pages_for("spark"), ids=lambda p: str(p.relative_to(ROOT)))
def test_blocks_that_need_spark_run_in_order(page):
    namespace: dict[str, object] = {"spark": spark_session()}
    for _, block in blocks_for(page, "spark"):
        run_block(page, block, namespace)


@pytest.mark.parametrize("page", pages_for("postgres"), ids=lambda p: str(p.relative_to(ROOT)))
def test_blocks_that_need_postgres_run_in_order(page):
    """SQL is run by the superuser, or by the keeper; roles that it makes are dropped again."""
    server = postgres_server()
    import psycopg

    with new_database(server) as where:
        name = psycopg.conninfo.conninfo_to_dict(where)["dbname"]
        keeper, analyst = (address(server, database=name, role=f"ledger_{each}") for each in ("keeper", "ann"))
        namespace: dict[str, object] = {"address": where, "keeper_address": keeper, "analyst_address": analyst}
        roles: list[str] = []
        try:
            for kind, block in blocks_for(page, "postgres"):
                if kind.startswith("python"):
                    run_block(page, block, namespace)
                    continue
                roles += re.findall(r"CREATE ROLE (\w+)", block)
                with psycopg.connect(keeper if kind == "sql as keeper" else where, autocommit=True) as connection:
                    connection.execute(block.replace("budgets", name))
        finally:
            with psycopg.connect(where, autocommit=True) as connection:
                for role in reversed(roles):
                    connection.execute(f"DROP OWNED BY {role} CASCADE")
                    connection.execute(f"DROP ROLE {role}")


def test_pages_that_need_a_component_are_found():
    assert [page.name for page in pages_for("spark")] == ["large-data-on-spark.md"]
    assert [page.name for page in pages_for("postgres")] == ["large-data-on-spark.md", "team-ledger.md"]


def in_the_order_of_reading():
    """Return the README and the pages of the site, as somebody comes to them who begins at the top."""
    return [README, *pages_of_the_site()]


def commands_of(page):
    """Yield the commands of a page that a reader types after the installation: snapdp, cp, and bin/demo."""
    blocks = "".join(SHELL.findall(page.read_text(encoding="utf-8")))
    for line in blocks.replace("\\\n", " ").splitlines():  # a long line goes on after a backslash
        words = shlex.split(line, comments=True)
        if words[:1] in (["snapdp"], ["cp"], ["bin/demo"]):
            yield words


@pytest.mark.long
def test_all_pages_can_be_followed_one_after_the_other_in_one_directory(tmp_path, monkeypatch):
    (tmp_path / "clone").mkdir()
    monkeypatch.chdir(tmp_path / "clone")
    for page in in_the_order_of_reading():
        source = page.read_text(encoding="utf-8")
        make_tables(page)
        for study in TOML.findall(source)[: bool(MADE.search(source))]:  # of a table of the page itself
            Path("pay.toml").write_text(study, encoding="utf-8")
        follow(page)


def follow(page):
    """Run the commands of a page in the current directory, as a person does who answers each question by y."""
    for command, *words in commands_of(page):
        if command == "cp":
            shutil.copy(*words)
            continue
        done = as_on_a_terminal(["demo", *words] if command == "bin/demo" else words)
        assert done.exit_code == 0, (page.name, words, done.output, done.stderr)


def as_on_a_terminal(words):
    """Run a command that may ask: first whether to look at the cells, then whether to charge the ledger."""
    terminal = type("Terminal", (), {"isatty": staticmethod(lambda: True)})
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(release, "sys", type("sys", (), {"stdin": terminal}))
        patched.setattr(release, "is_conversation", lambda: True)
        return CliRunner().invoke(main, words, input="y\ny\n")


def test_the_page_of_real_tables_can_be_followed_by_itself(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_tables(REAL_TABLES)
    follow(REAL_TABLES)
    assert "--yes" not in REAL_TABLES.read_text(encoding="utf-8")  # so somebody was asked, and answered
    left = {name: (tmp_path / f"{name}-look.toml").read_text(encoding="utf-8") for name in ("families", "happiness")}
    assert all(f'dataset = "{name}"' in text for name, text in left.items())


def test_no_page_writes_something_else_under_the_name_that_another_page_has_written():
    """A certificate of one page had the name of a record of the next, in the same directory."""
    written: dict[str, set[str]] = {}
    for page in in_the_order_of_reading():
        for words in commands_of(page):
            for flag, name in pairwise(words):
                if flag in ("--record", "--certificate", "--report", "--values", "--plot"):
                    written.setdefault(name, set()).add(flag)
    assert len(written) > 5
    assert {name: flags for name, flags in written.items() if len(flags) > 1} == {}


@pytest.mark.parametrize("page", sorted((ROOT / "docs/theory").glob("*.md")), ids=lambda p: p.name)
def test_commands_of_a_page_of_theory_run_by_themselves(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for _, *words in commands_of(page):
        done = CliRunner().invoke(main, words)
        assert done.exit_code == 0, (words, done.output, done.stderr)
