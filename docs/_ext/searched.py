"""Words under which people look for a page whose title has other ones: a crosstab is a table by two columns here.

The search finds a page only if it has every word that was typed. The words below are added to what is found of a page,
as its keywords, and the scorer of the search (`_static/scorer.js`) counts them like words of its title.
`tests/browser/test_site.py` has the searches, each with the page that must come first, second or third.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from docutils import nodes

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ALSO = {
    "attacks-and-where-we-stand": "known published vulnerability vulnerabilities broken side channel timing",
    "benchmarks": "speed performance fast slow time nanoseconds benchmark",
    "compared-with": "comparison compare alternatives versus OpenDP diffprivlib Tumult PipelineDP Google difference "
    "machine learning synthetic data joins",
    "errata": "mistakes errors in the notes papers",
    "explanation/choosing-bounds-and-n-max": "outliers clipping range minimum maximum lower upper limits n-max",
    "explanation/choosing-epsilon": "which value typical recommended how large small should take good",
    "explanation/clamping-and-bias": "negative count counts below zero truncation rounding",
    "explanation/composition": "delta adding up several releases zCDP advanced accounting",
    "explanation/epsilon-in-odds": "meaning mean privacy loss parameter definition explained",
    "explanation/noise-intervals": "confidence interval margin error uncertainty plus minus 95 percent press "
    "release newspaper journalist sentence wording quote which publish",
    "explanation/who-is-a-neighbour": "add-remove change-one bounded unbounded differential privacy "
    "neighbour relation neighbouring neighboring neighbors adjacent swap",
    "explanation/why-a-grid": "discrete rounding multiples snapping natural grid step",
    "explanation/why-floating-point-breaks-privacy": "Mironov doubles least significant bits numpy laplace",
    "guide/attacks": "break demonstration timing attack numpy",
    "guide/audit-release": "check a report record verify published numbers checker reproduce",
    "guide/columns": "data types dates days boolean yes no integer decimal column kinds",
    "guide/csv-files": "semicolon semicolons delimiter separator decimal comma encoding Latin-1 umlauts Excel dialect "
    "not well formed ragged line spreadsheet import read file spelling spelled spelt misspelt typos capital capitals "
    "letters upper case uppercase lower case lowercase blanks whitespace trim spaces category categories names",
    "guide/explore": "unknown bounds find bounds automatic",
    "guide/first-release": "example tutorial quick command line",
    "guide/grouped-release": "group by category histogram counts per region breakdown bar chart",
    "guide/inspect": "preview check how cells are read",
    "guide/large-data-on-spark": "PySpark big database warehouse postgres SQL parquet",
    "guide/ledger": "budget cap account spent remaining raise left exhausted used up over empty overspent run out "
    "exceeded next month year new data again updated table",
    "guide/missing-data": "empty cells blank NA null nan missing values imputation filter where subset unanswered",
    "guide/moments": "standard deviation spread covariance correlation",
    "guide/noise-primitive": "Laplace add noise array numpy library function",
    "guide/page": "browser web interface GUI serve",
    "guide/planning": "how accurate error before accuracy cost sample size plus minus",
    "guide/python": "pandas polars dataframe Jupyter API",
    "guide/quantiles": "percentile percentiles quartile deciles",
    "guide/record": "publish what output JSON file values",
    "guide/tables": "crosstab cross table tabulation two columns two-way contingency pivot totals",
    "guide/team-ledger": "PostgreSQL postgres server shared several people",
    "guide/test-your-own": "pytest unit test audit own code",
    "guide/utility": "accuracy error bias usefulness",
    "guide/who-is-a-person": "several rows per person household patient visits user level privacy unit multiple "
    "count too small smaller fewer than rows limit",
    "known-limits": "limits limitations caveats Gaussian noise side channel memory timing",
    "reference/commands": "flags options command line",
    "reference/errors": "error messages refusal refused exception",
    "references": "how to cite citation bibliography papers literature",
    "start/install": "installation installing setup pip Windows macOS Linux requirements version",
    "start/ten-minutes": "quickstart tutorial getting started begin first steps CSV",
    "what-the-guarantee-rests-on": "assumptions trust proof proofs premises trusted",
}


def with_keywords(app: Sphinx, doctree: nodes.document) -> None:
    """Add what a page is also looked for by, as its keywords."""
    if words := ALSO.get(app.env.docname):
        doctree.insert(0, nodes.meta("", name="keywords", content=", ".join(re.findall(r"\w+", words))))


def known_to_the_scorer(app: Sphinx, page: str, *_: Any) -> None:
    """Hand the words to the scorer, on the page that searches."""
    if page == "search":
        app.add_js_file(None, body=f"var ALSO = {json.dumps(ALSO)};")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", with_keywords)
    app.connect("html-page-context", known_to_the_scorer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
