"""The site: every page is in its navigation, once; bin/docs builds it anew."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from tests import ROOT
from tests.docs.navigation import DOCS, pages_of_the_site
from tests.docs.programs import module_of

sidebar = module_of("docs/_ext/sidebar.py")


def test_every_page_is_in_the_navigation_and_only_once():
    there = set(DOCS.rglob("*.md"))
    assert Counter(pages_of_the_site()) == Counter(there)


def test_words_that_a_page_is_also_found_by_are_of_pages_that_exist():
    also = module_of("docs/_ext/searched.py").ALSO
    assert [page for page in also if not (DOCS / f"{page}.md").is_file()] == []


TREE = """<ul>
<li class="toctree-l1"><a class="reference internal" href="start/index.html">Start</a><ul>
<li class="toctree-l2"><a class="reference internal" href="start/install.html">Install</a></li>
</ul>
</li>
<li class="toctree-l1"><a class="reference internal" href="glossary.html">Glossary</a></li>
</ul>
"""
BESIDE_INSTALL = """<ul class="current">
<li class="toctree-l1 current"><a class="reference internal" href="../start/index.html">Start</a><ul class="current">
<li class="toctree-l2 current"><a class="current reference internal" href="#">Install</a></li>
</ul>
</li>
<li class="toctree-l1"><a class="reference internal" href="../glossary.html">Glossary</a></li>
</ul>
"""


def test_the_tree_beside_a_page_marks_it_and_what_is_above_it_and_leads_up_first():
    with_current = sidebar.with_current
    assert with_current(TREE, "start/install", "start/install.html") == BESIDE_INSTALL
    assert with_current(TREE, "search", "search.html") == TREE
    glossary = '<a class="reference internal" href="glossary.html">Glossary'
    marked = TREE.replace(f'l1">{glossary}', 'l1 current"><a class="current reference internal" href="#">Glossary')
    assert with_current(TREE, "glossary", "glossary.html") == marked.replace("<ul>", '<ul class="current">', 1)


def test_a_tree_that_is_open_at_one_page_only_is_not_taken_for_all_pages():
    context: dict[str, Any] = {}
    sidebar.resolved_once({}, SimpleNamespace(builder=None), "start/install", "", context, None)
    with pytest.raises(AssertionError, match="another one for each page"):
        context["toctree"](collapse=True)


STUB = '#!/bin/sh\necho "$@" >>"$(dirname "$0")/../../said"\n'


def built(root, *words, where):
    """Run bin/docs of a tree whose Python only says what it was asked for; return that, by lines."""
    for path, text in {"bin/setup": "#!/bin/sh\n", ".venv/bin/python": STUB}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
        (root / path).chmod(0o755)
    shutil.copy(ROOT / "bin" / "docs", root / "bin" / "docs")
    subprocess.run([root / "bin" / "docs", *words], cwd=where, check=True)
    return (root / "said").read_text(encoding="utf-8").splitlines()


def test_the_site_is_built_where_one_stands_and_an_earlier_one_is_removed(tmp_path):
    root, where = tmp_path / "clone", tmp_path / "elsewhere"
    for name in ("site", "other"):
        (where / name).mkdir(parents=True)
        (where / name / "gone.html").touch()
    (where / "site" / ".buildinfo").touch()
    (built_there,) = built(root, "site", where=where)
    assert built_there.endswith(f" --doctree-dir build/site.doctrees docs {where / 'site'}")
    assert "--fail-on-warning" in built_there
    assert not (where / "site").exists()
    assert built(root, "other", where=where)[-1].endswith(f" {where / 'other'}")
    assert (where / "other" / "gone.html").exists()  # not made by Sphinx
    assert built(root, where=where)[-1].endswith(" docs build/site")
