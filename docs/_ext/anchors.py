"""Places of a page that are linked by number: `<a id="7"></a>` in Markdown, which a forge understands as it stands."""

from __future__ import annotations

import re

from sphinx.application import Sphinx

_ANCHOR = re.compile(r'^<a id="([\w.-]+)"></a>$', re.MULTILINE)


def known_to_myst(_app: Sphinx, _page: str, source: list[str]) -> None:
    """Write each anchor of a page as a span with an id, which links of other pages are checked against."""
    source[0] = _ANCHOR.sub(r"[]{#\1}", source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", known_to_myst)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
