"""Notebooks as text: a block `{code-cell} python` is run when its page is read, and shown with what it prints.

The cells of a page share their names and a directory of their own, which is thrown away. They run in the process that
builds the site, so no kernel is started and no port opened; a cell that fails is a fault of the site. Nothing that is
printed is kept: it is there anew at every build. The tests run notebooks by `run_cells`, too.
"""

from __future__ import annotations

import ast
import io
import re
import tempfile
from contextlib import chdir, redirect_stderr, redirect_stdout
from typing import Any, NamedTuple

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

CELL = re.compile(r"^```\{code-cell\} python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
KEPT = "outputs of cells"


class Output(NamedTuple):
    """A cell, what it printed, and what its last line is: as HTML where that knows how to show itself, else as text."""

    source: str
    printed: str
    text: str = ""
    html: str = ""


def run_cells(page: str, name: str) -> tuple[list[Output], dict[str, Any]]:
    """Run the cells of a page in a directory of their own; return their outputs, and the names that they leave."""
    names: dict[str, Any] = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as place, chdir(place):
        cells = enumerate(CELL.findall(page), 1)
        return [_run(source, f"{name}, cell {number}", names) for number, source in cells], names


def _run(source: str, name: str, names: dict[str, Any]) -> Output:
    tree = ast.parse(source, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        exec(compile(tree, name, "exec"), names)
        value = None if last is None else eval(compile(ast.Expression(last.value), name, "eval"), names)
    html = value._repr_html_() if hasattr(value, "_repr_html_") else ""
    return Output(source, printed.getvalue(), "" if value is None or html else repr(value), html)


def output_of(source: str, number: int, outputs: list[Output], name: str) -> Output:
    """Return the output of a cell of a page, by its number; it must be that of this very cell."""
    found = outputs[number - 1] if number <= len(outputs) else None
    if found is None or found.source.strip() != source.strip():
        raise ValueError(f"{name}, cell {number} was not run: it begins with ```{{code-cell}} python, at the margin")
    return found


class CodeCell(SphinxDirective):
    """A cell: its source, and below it what came out."""

    has_content = True
    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        source = "\n".join(self.content)
        number = self.env.temp_data["cell"] = self.env.temp_data.get("cell", 0) + 1
        found = output_of(source, number, self._outputs(), self.env.docname)
        shown: list[nodes.Node] = [nodes.literal_block(source, source, language="python", classes=["cell"])]
        for text in filter(None, (found.printed.rstrip("\n"), found.text)):
            shown.append(nodes.literal_block(text, text, language="none", classes=["cell-output"]))
        if found.html:
            shown.append(nodes.raw("", f'<div class="cell-output">{found.html}</div>', format="html"))
        return shown

    def _outputs(self) -> list[Output]:
        """Return the outputs of all cells of this page, run when the first of them is met."""
        if KEPT not in self.env.temp_data:
            with open(self.env.doc2path(self.env.docname), encoding="utf-8") as file:
                self.env.temp_data[KEPT] = run_cells(file.read(), self.env.docname)[0]
        return self.env.temp_data[KEPT]


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("code-cell", CodeCell)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
