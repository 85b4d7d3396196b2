"""Pages of the reference that are made from the package itself when the site is built.

A page has a line `<!-- generated: NAME WORDS -->` where a part of it is made: GENERATORS has what makes it, and the
line is replaced before the page is read. Docstrings, which are plain text, become reStructuredText on the way to
autodoc. What makes parts knows nothing of Sphinx, so that tests can ask it; only `setup` and what it connects do.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

GENERATORS = {  # the name in a page: the function that makes the part, from the words behind the name
    "names": "api:names_page",
    "modules": "api:modules_page",
    "commands": "commands:commands_page",
    "classes": "refusals:classes_table",
    "page-refusals": "refusals:page_refusals",
    "requests": "requests:requests_page",
    "ledger-schema": "ledger_schema:ledger_schema",
}
MARK = re.compile(r"^<!-- generated: ([\w-]+)((?: \S+)*) -->$", re.MULTILINE)
API = "reference/api/"


def generated(name: str, *words: str) -> str:
    """Return a generated part of a page, as Markdown."""
    module, _, function = GENERATORS[name].partition(":")
    maker: Callable[..., str] = getattr(import_module(f"snapdp_reference.{module}"), function)
    return maker(*words)


def completed(text: str) -> str:
    """Return the text of a page with its generated parts."""
    return MARK.sub(lambda found: generated(found[1], *found[2].split()), text)


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect what makes pages, docstrings and signatures."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("source-read", _page)
    app.connect("autodoc-process-docstring", _docstring)
    app.connect("autodoc-process-signature", _signature)
    app.connect("doctree-read", _exactly)
    app.connect("missing-reference", _found_elsewhere)
    app.connect("warn-missing-reference", _is_no_fault)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _page(_: Sphinx, __: str, source: list[str]) -> None:
    source[0] = completed(source[0])


def _docstring(_: Sphinx, __: str, ___: str, value: object, ____: object, lines: list[str]) -> None:
    lines[:] = import_module("snapdp_reference.api").docstring_of(value, lines)


def _signature(
    _: Sphinx, __: str, ___: str, value: object, ____: object, signature: str | None, returned: str | None
) -> tuple[str | None, str | None] | None:
    api = import_module("snapdp_reference.api")
    own = api.signature_of(value)
    if own is not None:
        return own, None
    return (api.without_addresses(signature), returned) if signature else None


def _exactly(app: Sphinx, doctree: Any) -> None:
    """Take names in signatures for what they are, and not for anything of some class that ends so, such as `range`."""
    from sphinx.addnodes import pending_xref

    for node in doctree.findall(pending_xref) if app.env.docname.startswith(API) else ():
        node.attributes.pop("refspecific", None)


def _found_elsewhere(app: Sphinx, env: Any, node: Any, content: Any) -> Any:
    """Lead from a name in a signature to its description on another page, where only one thing has that name."""
    if node.get("refdomain") != "py" or not node.get("refdoc", "").startswith(API):
        return None
    last = node["reftarget"].rpartition(".")[2]
    if import_module("snapdp_reference.api").own_names()[last] != 1:
        return None
    objects = env.domains["py"].objects
    found = sorted(path for path, each in objects.items() if path.endswith(f".{last}") and not each.aliased)
    if not found:
        return None
    from sphinx.util.nodes import make_refnode

    entry = objects[found[0]]
    return make_refnode(app.builder, node["refdoc"], entry.docname, entry.node_id, content, found[0])


def _is_no_fault(_: Sphinx, __: Any, node: Any) -> bool | None:
    """Tell that a name in a signature may lead nowhere: types of other packages, and names for several types."""
    is_of_signature = node.get("refdomain") == "py" and node.get("refdoc", "").startswith(API)
    return True if is_of_signature and not node.get("refexplicit") else None
