"""The site of the documentation: `bin/docs` builds it, without network, with warnings as errors."""

from __future__ import annotations

import sys
from pathlib import Path

from pygments.lexers.special import TextLexer
from sphinx.highlighting import lexers

import snapdp

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "snapdp"
version = release = snapdp.__version__
copyright = "the snapdp developers, Apache-2.0"
language = "en"

extensions = [
    "myst_parser",
    "sphinx_design",
    "sphinx-mathjax-offline",  # so it is called, with hyphens
    "anchors",
    "cells",
]

# Pages are Markdown that a forge shows as well: links name files, anchors are the words of a heading.
myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
nitpicky = True
lexers["csv"] = TextLexer()  # tables are shown as they are

html_theme = "furo"
html_title = f"snapdp {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"top_of_page_buttons": []}  # "view" and "edit" need the address of a repository
