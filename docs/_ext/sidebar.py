"""The tree of pages beside each page, resolved once and not for every page: only links and what is open differ.

Sphinx resolves the whole tree anew for each page, which took a tenth of the time of a build. Here it is resolved for
the front page; for another page its links get the way up, and the page with all that is above it is marked as current.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_LIST, _ITEM, _LINK = "<ul>", '<li class="toctree-l', '<a class="reference internal" href="'
_TOKEN = re.compile(rf'{_LIST}|</ul>|{_ITEM}\d+">|</li>|{_LINK}([^"#]+)">')


def with_current(tree: str, page: str, link: str) -> str:
    """Return a tree of links from the front page as it stands beside another page, which has this link in it."""
    way_up, above, marked = "../" * page.count("/"), [], set()
    for token in _TOKEN.finditer(tree):
        if token[0].startswith("</"):
            above.pop()
        elif token[1] is None:
            above.append(token.start())
        elif token[1] == link:
            marked |= {*above, token.start()}
    return _TOKEN.sub(lambda token: _written(token, way_up, is_current=token.start() in marked), tree)


def _written(token: re.Match[str], way_up: str, *, is_current: bool) -> str:
    if token[1] is not None:
        return '<a class="current reference internal" href="#">' if is_current else f'{_LINK}{way_up}{token[1]}">'
    if not is_current:
        return token[0]
    return '<ul class="current">' if token[0] == _LIST else f'{token[0][:-2]} current">'


def resolved_once(trees: dict[str, str], app: Sphinx, page: str, _: str, context: dict[str, Any], __: object) -> None:
    """Give a page the tree of the front page in place of one of its own; keep the tree, by what was asked of it."""
    builder: Any = app.builder

    def tree(**options: Any) -> str:
        assert not options.get("collapse"), "a tree that is open at one page only is another one for each page"
        asked = repr(sorted(options.items()))
        if asked not in trees:
            trees[asked] = builder._get_local_toctree(app.config.root_doc, **options)
        return with_current(trees[asked], page, builder.get_target_uri(page))

    context["toctree"] = tree


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("html-page-context", partial(resolved_once, {}), priority=400)  # before the theme asks for it
    return {"parallel_read_safe": True, "parallel_write_safe": True}
