"""Trees: every kind of expression survives lists and text, and every reader of trees must know every kind."""

from __future__ import annotations

import ast
from fractions import Fraction
from typing import get_args

import pytest

from snapdp.lab.language import syntax
from snapdp.lab.language.syntax import as_lists, children, expression_text, from_lists
from snapdp.lab.semantics.intervals import Bound
from tests import ROOT

READERS = sorted((ROOT / "src" / "snapdp" / "verifier").rglob("*.py"))
KINDS = {getattr(kind, "__origin__", kind) for kind in get_args(syntax.Node)}
OF_BOUNDS = {getattr(kind, "__origin__", kind) for kind in get_args(Bound)}

REFUSING = ("case_:\nassert_never(", "case_:\nreturnNone", "case_:\nraise")

x = syntax.Variable(name="x")
ONE_OF_EACH = [
    syntax.Constant(value=Fraction(1, 10)),
    x,
    syntax.QueryValue(name="f"),
    syntax.Negation(operand=x),
    syntax.Logarithm(operand=x),
    syntax.BINARY["-"](left=x, right=syntax.QueryValue(name="f")),
    syntax.Rounding(grid=Fraction(1, 4), operand=x),
    syntax.Clamping(lower=Fraction(-1), upper=Fraction(2), operand=x),
    syntax.FUNCTIONS["floor"](operand=x),
]
STATEMENTS = [
    syntax.Sample(name="U", distribution="unif"),
    syntax.Sample(name="Y", distribution="laplace", argument=Fraction(1, 3)),
    syntax.Assignment(name="y", expression=ONE_OF_EACH[-1]),
]


def open_ended(source: str) -> list[int]:
    """Return the lines of matches over trees that end with neither assert_never nor a refusal of what they miss."""
    names = {kind.__name__ for kind in KINDS | OF_BOUNDS}
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Match)
        and any(
            isinstance(part, ast.MatchClass) and ast.unparse(part.cls).removeprefix("syntax.") in names
            for part in ast.walk(node)
        )
        and not ast.unparse(node.cases[-1]).replace(" ", "").startswith(REFUSING)
    ]


def test_there_is_one_of_each_kind():
    assert [type(tree) for tree in ONE_OF_EACH] == list(dict.fromkeys(type(tree) for tree in ONE_OF_EACH))
    assert {type(tree) for tree in ONE_OF_EACH} == KINDS < OF_BOUNDS


@pytest.mark.parametrize("tree", [*ONE_OF_EACH, *STATEMENTS], ids=lambda tree: type(tree).__name__)
def test_a_tree_comes_back_from_its_lists(tree):
    assert from_lists(as_lists(tree)) == tree


def test_a_statement_inside_an_expression_is_no_tree():
    with pytest.raises(ValueError, match="no tree"):
        from_lists(["neg", ["sample", "U", "unif"]])


@pytest.mark.parametrize("tree", ONE_OF_EACH, ids=lambda tree: type(tree).__name__)
def test_children_are_the_fields_that_are_expressions(tree):
    assert children(tree) == [value for value in tree._values() if type(value) in KINDS]
    assert expression_text(tree)


def test_every_match_over_trees_is_checked_for_exhaustiveness():
    found = {str(path): open_ended(path.read_text(encoding="utf-8")) for path in READERS}
    assert {path: lines for path, lines in found.items() if lines} == {}


def test_a_match_that_forgets_silently_would_be_found():
    forgetful = "match tree:\n    case syntax.Negation(operand=a):\n        y = a\n"
    assert open_ended(forgetful) == [1]
    assert open_ended(forgetful + "    case _:\n        y = None\n") == [1]
    assert open_ended(forgetful + "    case _:\n        assert_never(tree)\n") == []
    assert open_ended("match word:\n    case 'neg':\n        y = 1\n") == []


def test_what_is_no_tree_is_refused():
    with pytest.raises(AssertionError, match="unreachable"):
        as_lists("x")
