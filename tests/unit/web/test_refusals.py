"""A refusal stands at the field that caused it: every way to fill a form wrongly, and where it is told."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import pytest

import snapdp.web
from snapdp.errors import ParameterError
from snapdp.web.refusals import field_of, told
from tests.unit.web.pages import ROWS, STUDY

ODD = 'a.b/c~d: "e"\u200b (mean)'  # a name of a column may be anything that can be stored
NUMBERS = {"kind": "number", "lower": 0, "upper": 1, "missing": "dropped"}
CATEGORIES = {"kind": "category", "categories": ["a", "b"]}


def spoilt(changes: dict[str, Any]) -> dict[str, Any]:
    """Return the study with values put at pointers; None takes a key away."""
    study = copy.deepcopy(STUDY)
    for pointer, value in changes.items():
        *way, last = pointer.split("/")[1:]
        at: Any = study
        for step in way:
            at = at[int(step)] if isinstance(at, list) else at[step.replace("~1", "/").replace("~0", "~")]
        if value is None:
            del at[last]
        elif isinstance(at, list):
            at.insert(int(last), value)
        else:
            at[last.replace("~1", "/").replace("~0", "~")] = value
    return study


def line(**values: Any) -> dict[str, Any]:
    """Return a change that puts a statistic first."""
    return {"/statistic/0": {"epsilon": "1/10", **values}}


def column(**values: Any) -> dict[str, Any]:
    """Return a change that declares one more column, of a plain name."""
    return {"/columns/z": {key: value for key, value in values.items() if value is not None}}


OF_ROWS: dict[str, Any] = {"/relation": "add-remove", "/n": None, "/n_max": 6}
WRONG: list[tuple[str, dict[str, Any], str]] = [
    # the study
    ("a dataset without a name", {"/dataset": " "}, "/dataset"),
    ("no dataset", {"/dataset": None}, "/dataset"),
    ("a dataset that is a number", {"/dataset": 7}, "/dataset"),
    ("a title of two lines", {"/title": "a\nb"}, "/title"),
    ("a publisher that is empty", {"/publisher": ""}, "/publisher"),
    ("a contact too long", {"/contact": "x" * 201}, "/contact"),
    ("an unknown relation", {"/relation": "neighbours"}, "/relation"),
    ("no relation", {"/relation": None}, "/relation"),
    ("no number of rows", {"/n": None}, "/n"),
    ("a number of rows that is none", {"/n": "many"}, "/n"),
    ("half a row", {"/n": "1/2"}, "/n"),
    ("no rows", {"/n": 0}, "/n"),
    ("a bound where the number is public", {"/n_max": 6}, "/n_max"),
    ("persons where rows change", {"/person": "k"}, "/person"),
    ("n where it is private", {"/relation": "add-remove", "/n_max": 6}, "/n"),
    ("no bound on the rows", {"/relation": "add-remove", "/n": None}, "/n_max"),
    ("a bound that is none", {"/relation": "add-remove", "/n": None, "/n_max": -1}, "/n_max"),
    ("rows of a person without persons",
     {"/relation": "add-remove", "/n": None, "/n_max": 6, "/rows_per_person": 2}, "/rows_per_person"),
    ("no rows of a person",
     {"/relation": "add-remove", "/n": None, "/n_max": 6, "/person": "k", "/rows_per_person": 0}, "/rows_per_person"),
    ("a person without a name",
     {"/relation": "add-remove", "/n": None, "/n_max": 6, "/person": "", "/rows_per_person": 2}, "/person"),
    ("persons that are numbers",
     {"/relation": "add-remove", "/n": None, "/n_max": 6, "/person": [1], "/rows_per_person": 2}, "/person"),
    ("a unit of no rows",
     {"/relation": "add-remove", "/n": None, "/n_max": 6, "/unit_rows": 0}, "/unit_rows"),
    ("a budget of nothing", {"/budget": "0"}, "/budget"),
    ("a budget that is no number", {"/budget": "a lot"}, "/budget"),
    ("a budget that is a list", {"/budget": [1]}, "/budget"),
    ("an unknown key", {"/colour": "red"}, ""),
    ("no statistic", {"/statistic": []}, "/statistic"),
    ("statistics that are none", {"/statistic": [1]}, "/statistic"),
    ("columns that are none", {"/columns": []}, "/columns"),
    ("an unknown delimiter", {"/csv": {"delimiter": "x"}}, "/csv"),
    ("a csv that is text", {"/csv": "x"}, "/csv"),
    # columns
    ("no kind of column", column(lower=0, upper=1), "/columns/z/kind"),
    ("an unknown kind of column", column(kind="colour"), "/columns/z/kind"),
    ("a column that is a number", {"/columns/z": 7}, "/columns/z"),
    ("bounds that are swapped", column(**{**NUMBERS, "lower": 2}), "/columns/z/lower"),
    ("a lower bound that is no number", column(**{**NUMBERS, "lower": "x"}), "/columns/z/lower"),
    ("an upper bound that is no number", column(**{**NUMBERS, "upper": "x"}), "/columns/z/upper"),
    ("no upper bound", column(**{**NUMBERS, "upper": None}), "/columns/z/upper"),
    ("no rule for missing cells", column(**{**NUMBERS, "missing": None}), "/columns/z/missing"),
    ("an unknown rule for missing cells", column(**{**NUMBERS, "missing": "guess"}), "/columns/z/missing"),
    ("a missing cell beyond the bounds", column(**{**NUMBERS, "missing": 7}), "/columns/z/missing"),
    ("a huge upper bound", column(**{**NUMBERS, "kind": "integer", "upper": "1e308"}), "/columns/z/upper"),
    ("an upper bound that no step fits", column(**{**NUMBERS, "upper": "1e308"}), "/columns/z/upper"),
    ("a step far too small", column(**NUMBERS, step="1e-300"), "/columns/z/step"),
    ("a step of nothing", column(**NUMBERS, step=0), "/columns/z/step"),
    ("a step that is no number", column(**NUMBERS, step="x"), "/columns/z/step"),
    ("edges that fall", column(**NUMBERS, edges=[1, 0]), "/columns/z/edges"),
    ("edges that are no numbers", column(**NUMBERS, edges=["x", "y"]), "/columns/z/edges"),
    ("a rule of edges without edges", column(**NUMBERS, outside="binned"), "/columns/z/outside"),
    ("an unknown rule of edges", column(**NUMBERS, edges=[0, 1], outside="x"), "/columns/z/outside"),
    ("no categories", column(kind="category"), "/columns/z/categories"),
    ("an empty list of categories", column(kind="category", categories=[]), "/columns/z/categories"),
    ("a category twice", column(kind="category", categories=["a", "a"]), "/columns/z/categories"),
    ("categories that are numbers", column(kind="category", categories=[1]), "/columns/z/categories"),
    ("an unknown rule for other cells", column(**CATEGORIES, unknown="x"), "/columns/z/unknown"),
    ("an unknown rule for empty cells", column(**CATEGORIES, null="x"), "/columns/z/null"),
    ("an unknown comparison", column(**CATEGORIES, compare="x"), "/columns/z/compare"),
    ("parents that are none", column(**CATEGORIES, parents=7), "/columns/z/parents"),
    ("a key of another kind", column(**CATEGORIES, lower=0), "/columns/z/lower"),
    ("days that are none", column(kind="date", **{"from": "x", "to": "2026-01-01", "each": "day"}), "/columns/z/from"),
    ("a last day that is none",
     column(kind="date", **{"from": "2026-01-01", "to": "x", "each": "day"}), "/columns/z/to"),
    ("no first day", column(kind="date", to="2026-01-01", each="day"), "/columns/z/from"),
    ("an unknown length of time",
     column(kind="date", **{"from": "2026-01-01", "to": "2026-02-01", "each": "moon"}), "/columns/z/each"),
    ("exponents that are none", column(kind="magnitude", exponents="x"), "/columns/z/exponents"),
    # statistics
    ("no kind of statistic", line(), "/statistic/0/kind"),
    ("an unknown kind", line(kind="mode"), "/statistic/0/kind"),
    ("a statistic that has no such key", line(kind="count", at=["0.5"]), "/statistic/0/at"),
    ("no column", line(kind="mean"), "/statistic/0/column"),
    ("a column that is not declared", line(kind="mean", column="nobody"), "/statistic/0/column"),
    ("a mean of categories", line(kind="mean", column="g"), "/statistic/0/column"),
    ("a covariance of one column", line(kind="covariance", columns=["x"]), "/statistic/0/columns"),
    ("a covariance with another column", line(kind="covariance", columns=["x", "nobody"]), "/statistic/0/columns"),
    ("neither epsilon nor error", line(kind="mean", column="x", epsilon=None), "/statistic/0/epsilon"),
    ("epsilon and error", line(kind="mean", column="x", accuracy="1"), "/statistic/0/epsilon"),
    ("an epsilon of nothing", line(kind="mean", column="x", epsilon="0"), "/statistic/0/epsilon"),
    ("an epsilon below nothing", line(kind="mean", column="x", epsilon="-1"), "/statistic/0/epsilon"),
    ("an epsilon that is no number", line(kind="mean", column="x", epsilon="x"), "/statistic/0/epsilon"),
    ("an epsilon that is a flag", line(kind="mean", column="x", epsilon=True), "/statistic/0/epsilon"),
    ("an epsilon far too large", line(kind="sum", column="x", epsilon="1e30"), "/statistic/0/epsilon"),
    ("an error of nothing", line(kind="mean", column="k", epsilon=None, accuracy="0"), "/statistic/0/accuracy"),
    ("an error that cannot be promised",
     line(kind="quantiles", column="x", at=["0.5"], epsilon=None, accuracy="1"), "/statistic/0/accuracy"),
    ("an error of a mean of unknown rows",
     line(kind="mean", column="k", epsilon=None, accuracy="1"), "/statistic/0/accuracy"),
    ("an error below the step", line(kind="sum", column="x", epsilon=None, accuracy="1e-300"), "/statistic/0/accuracy"),
    ("a share of nothing", line(kind="mean", column="x", alpha="0"), "/statistic/0/alpha"),
    ("a lock that is none", line(kind="mean", column="x", lock="x"), "/statistic/0/lock"),
    ("groups that are not declared", line(kind="mean", column="x", by="nobody"), "/statistic/0/by"),
    ("groups by a column without categories", line(kind="mean", column="x", by="k"), "/statistic/0/by"),
    ("groups that are numbers", line(kind="count", by=7), "/statistic/0/by"),
    ("a condition on another column", line(kind="count", where=[{"column": "nobody", "equals": "a"}]),
     "/statistic/0/where"),
    ("a condition without an end", line(kind="count", where=[{"column": "x"}]), "/statistic/0/where"),
    ("a condition on another category", line(kind="count", where=[{"column": "g", "equals": "z"}]),
     "/statistic/0/where"),
    ("a condition that is text", line(kind="count", where="x > 3"), "/statistic/0/where"),
    ("a condition with an unknown key", line(kind="count", where=[{"column": "x", "above": 3}]), "/statistic/0/where"),
    ("a condition that is empty", line(kind="count", where=[{"column": "x", "from": 9, "below": 3}]),
     "/statistic/0/where"),
    ("no edges", line(kind="histogram", column="x"), "/statistic/0/edges"),
    ("edges that fall in a histogram", line(kind="histogram", column="x", edges=[900, 600]), "/statistic/0/edges"),
    ("an unknown rule of edges in a histogram",
     line(kind="histogram", column="x", edges=[600, 900], outside="x"), "/statistic/0/outside"),
    ("a median of numbers without a step", line(kind="quantiles", column="x", at=["0.5"]) | {"/columns/x/step": None},
     "/columns/x/step"),
    ("a quantile above one", line(kind="quantiles", column="x", at=["1.5"]), "/statistic/0/at"),
    ("a list without a quantile", line(kind="quantiles", column="x", at=[]), "/statistic/0/at"),
    ("quantiles that are one number", line(kind="quantiles", column="x", at="0.5"), "/statistic/0/at"),
    ("an odd tree", line(kind="quantiles", column="x", at=["0.5"], branching=1), "/statistic/0/branching"),
    ("margins of a mean", line(kind="mean", column="x", margins="all"), "/statistic/0/margins"),
    ("margins of nothing", line(kind="sum", column="x", margins="all"), "/statistic/0/margins"),
    ("unknown margins", line(kind="count", by=["g"], margins="some"), "/statistic/0/margins"),
    ("too few shares", line(kind="count", by=["g"], margins="all", shares=["1"]) | OF_ROWS, "/statistic/0/shares"),
    ("shares that do not add up",
     line(kind="count", by=["g"], margins="all", shares=["1/2", "1/3"]) | OF_ROWS, "/statistic/0/shares"),
    ("shares that are none", line(kind="count", by=["g"], margins="all", shares=["x"]), "/statistic/0/shares"),
    ("a share of the count where n is public", line(kind="mean", column="x", count_share="1/2"),
     "/statistic/0/count_share"),
    ("a flag that is text", line(kind="covariance", columns=["x", "k"], correlation="x"), "/statistic/0/correlation"),
    ("rows of persons of nobody", line(kind="sum", column="x", rows_per_person=2), "/statistic/0/rows_per_person"),
    ("persons who are not declared", line(kind="persons"), "/statistic/0/kind"),
    ("keys of a declared column", line(kind="count", by=["g"], keys="x.csv"), "/statistic/0/keys"),
    ("a count of rows that are public", line(kind="count"), "/statistic/0"),
    ("keys that the page does not read", line(kind="count", by=["new"], keys="x.csv"), "/statistic/0/keys"),
    ("a statistic twice", {"/statistic/3": {"kind": "mean", "column": "x", "epsilon": "1"}}, "/statistic/3"),
    ("a statistic that is text", {"/statistic/0": "mean"}, "/statistic"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "pointer"), [each[1:] for each in WRONG], ids=[each[0] for each in WRONG])
def test_a_refusal_stands_at_its_field(page, changes, pointer):
    answer = page.write("/api/plan", {"study": spoilt(changes)})
    assert answer.status in (400, 409), answer.text
    assert (answer.json["field"], answer.json["spent"]) == (pointer, "0"), answer.json["error"]


def escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


@pytest.mark.parametrize(
    "name", [ODD, "a.b", "a/b", "~", "a: lower", "statistic 1", "x" * 300, "\u202ex", "é", "columns.z", "kind", " z"]
)
@pytest.mark.parametrize(("key", "value"), [("lower", "x"), ("upper", -1), ("missing", "guess"), ("kind", "colour")])
def test_the_pointer_names_the_real_column_whatever_it_is_called(page, name, key, value):
    study = {**STUDY, "columns": {**STUDY["columns"], name: {**NUMBERS, key: value}}}
    found = page.write("/api/plan", {"study": study}).json
    wanted = "lower" if key == "upper" else key  # the two together are wrong; the first is named
    assert found["field"] == f"/columns/{escaped(name)}/{wanted}", found["error"]


@pytest.mark.parametrize("name", ["epsilon", "statistic 1", "alpha is wrong: column", ODD])
def test_a_name_that_looks_like_a_field_leads_nowhere_else(page, name):
    asked = {"kind": "mean", "column": name, "epsilon": "1/10"}
    found = page.write("/api/plan", {"study": spoilt({"/statistic/0": asked})}).json
    assert found["field"] == "/statistic/0/column", found["error"]


def test_words_are_those_of_the_library():
    refusal = ParameterError("budget = 0 is not positive.", "Give more.", place="study", budget=0)
    assert told(refusal) == {
        "ok": False, "error": "budget = 0 is not positive.", "advice": "Give more.", "field": "/budget", "spent": "0",
    }  # fmt: skip
    assert field_of(ParameterError("the cap is not positive.")) is None


def test_a_file_that_is_written_otherwise_is_refused_at_the_field_that_says_how(new_page, tmp_path):
    """By what the refusal keeps, not by its words: what to do is said in words of the page."""
    data, ask = tmp_path / "people.csv", {"study": STUDY}
    data.write_text("\n".join(["x;k;g", *ROWS, ""]).replace(",", ";"), encoding="utf-8")
    told = [new_page.write("/api/before", ask).json]
    data.write_text("\n".join(["x,k,g", *ROWS, ""]).replace("a", "ä"), encoding="latin-1")
    told += [new_page.release(STUDY).json]
    data.write_text("k,g\n1,a\n", encoding="utf-8")
    told += [new_page.write("/api/before", ask).json]
    assert [each["field"] for each in told] == ["/csv/delimiter", "/csv/encoding", None]
    assert {each["spent"] for each in told} == {"0"}


# Sentences that the page says in other words

STATIC = Path(snapdp.web.__file__).parent / "static"
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
PATTERN = re.compile(r"(?<=[=\[(] |.[\[(\s])/((?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\n\[])+)/g?(?=[.,;)])")
REWORDED = [
    {"/n": "1,5"},
    {"/n": "5,000"},
    {"/budget": "0,5"},
    {"/columns": {}},
    {"/columns": None},
    {"/budget": ""},
    line(kind="mean", column=""),
    {"/relation": "add-remove", "/n": None, "/n_max": 6, "/person": "k", "/rows_per_person": 2}
    | line(kind="persons", by=["g"]),
]  # beside those of WRONG


def sought_by(name: str) -> list[str]:
    """Return the patterns of a script, the alternatives of a plain one each for itself."""
    script = COMMENT.sub("", (STATIC / name).read_text(encoding="utf-8"))
    return [part for each in PATTERN.findall(script) for part in ([each] if "(" in each else each.split("|"))]


def test_every_sentence_that_the_page_says_in_other_words_is_one_that_the_library_says(page):
    """Whoever rewords the library learns of it here: the page would show keys and flags again."""
    asked = [{"study": spoilt(changes)} for changes in [*(each[1] for each in WRONG), *REWORDED]]
    asked += [{"study": STUDY, "if_rows": 7}]
    told = [page.write("/api/plan", each).json for each in asked]
    said = [each.get(key, "") for each in told for key in ("error", "advice")]
    many = {"/columns/x/upper": 100000, "/n": 10**6}
    study = spoilt(line(kind="quantiles", column="x", at=["0.5"]) | many)
    said += [each["remarks"] for each in page.write("/api/plan", {"study": study}).json["lines"]]
    sought = {name: sought_by(name) for name in ("faults.js", "words.js")}
    assert [len(each) for each in sought.values()] == [12, 15]
    lost = {name: [p for p in each if not any(re.search(p, text) for text in said)] for name, each in sought.items()}
    assert lost == {"faults.js": [], "words.js": []}
