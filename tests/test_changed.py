"""What `bin/test --changed` runs: the tests of each kind of file, since the commit that is meant."""

import subprocess

import pytest

from tests.changed import DOCTESTS, PASSED, changed_files, targets

USER = "from snapdp.exact.log import ln\nfrom tests.unit.exact.tables import (\n    TABLE,\n)"
PAGES = """
import pytest

@pytest.mark.parametrize("page", [f"docs/{name}.md" for name in "ac"] + ["b", "ab"])
def test_p(page): ...
"""
FILES = {
    "src/snapdp/exact/log.py": "",
    "src/snapdp/errors.py": "",
    "src/snapdp/cli/plan.py": "",
    "tests/unit/exact/test_log.py": "",
    "tests/unit/exact/test_other.py": "from snapdp.exact import numbers",
    "tests/unit/exact/tables.py": "",
    "tests/unit/test_errors.py": "",
    "tests/unit/web/test_page.py": USER,
    "tests/unit/web/test_gate.py": "from snapdp.exact import (\n    log,\n)\nfrom snapdp.exact.logs import x",
    "tests/cli/test_plan_words.py": "from snapdp.errors import SnapdpError",
    "tests/docs/test_pages.py": PAGES,
    "tests/docs/test_one.py": "PAGE = 'b.md'",
    "docs/a.md": "",
    "docs/b.md": "",
}


@pytest.fixture
def tree(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("changed", "run"),
    [
        ("src/snapdp/exact/log.py", "unit/exact/test_log unit/exact/test_other unit/web/test_page unit/web/test_gate"),
        ("src/snapdp/errors.py", "unit/test_errors cli/test_plan_words"),
        ("src/snapdp/cli/plan.py", "cli/test_plan_words"),
        ("tests/unit/exact/tables.py", "unit/web/test_page"),
        ("tests/unit/exact/test_log.py", "unit/exact/test_log"),
        ("pyproject.toml", ""),
    ],
)
def test_a_file_has_the_tests_beside_it_those_that_import_it_and_its_doctests(tree, changed, run):
    found = {f"tests/{name}.py" for name in run.split()}
    if changed.startswith("src/"):
        found.add(f"{DOCTESTS}[{changed.removeprefix('src/').removesuffix('.py').replace('/', '.')}]")
    assert targets(tree, [changed]) == sorted(found)


def test_a_page_has_the_tests_that_name_or_carry_it(tree):
    assert targets(tree, ["docs/a.md"]) == ["tests/docs/test_pages.py::test_p[docs/a.md]"]
    assert targets(tree, ["docs/b.md"]) == ["tests/docs/test_one.py", "tests/docs/test_pages.py::test_p[b]"]
    assert targets(tree, ["docs/b.md", "tests/docs/test_pages.py"]) == [
        "tests/docs/test_one.py",
        "tests/docs/test_pages.py",
    ]


def test_changes_are_those_since_the_commit_that_passed_committed_or_not(tree):
    def git(*words):
        subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e", *words], cwd=tree, check=True)

    def change(name):
        (tree / name).write_text("1", encoding="utf-8")

    git("init", "--quiet")
    for name in ("docs/a.md", "docs/b.md"):
        change(name)
        git("add", ".")
        git("commit", "--quiet", "--message", name)
    assert changed_files(tree) == ["docs/b.md"]  # of the last commit, where nothing else is known
    change("new.md")
    assert changed_files(tree) == ["new.md"]
    git("update-ref", PASSED, "HEAD~1")
    assert changed_files(tree) == ["docs/b.md", "new.md"]
    git("update-ref", PASSED, "HEAD")
    (tree / "new.md").unlink()
    assert changed_files(tree) == []
