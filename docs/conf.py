"""The site of the documentation: `bin/docs` builds it, without network, with warnings as errors."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

from pygments.lexers.special import TextLexer
from sphinx.highlighting import lexers

import snapdp

sys.path.insert(0, str(Path(__file__).parent / "_ext"))
gc.set_threshold(100_000, 50, 100)  # pages live until they are written: nothing is gained by looking through them often

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
    "searched",
    "sidebar",
    "snapdp_reference",
]

# Pages are Markdown that a forge shows as well: links name files, anchors are the words of a heading.
myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
nitpicky = True
smartquotes = False  # a quote that somebody copies is the one to type

# The reference is made of the package itself, one parameter a line where signatures are long.
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
maximum_signature_line_length = 88
add_module_names = False
toc_object_entries = False  # 890 names in the navigation of every page took three quarters of the time
lexers["csv"] = TextLexer()  # tables are shown as they are

html_theme = "furo"
html_title = f"snapdp {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_search_scorer = str(Path(__file__).parent / "_static" / "scorer.js")
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"top_of_page_buttons": []}  # "view" and "edit" need the address of a repository
