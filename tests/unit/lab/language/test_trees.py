"""Trees: every kind of expression survives lists and text, and whatever gives trees a meaning must know every kind."""

from __future__ import annotations

from fractions import Fraction

import pytest

from snapdp.lab.language import syntax
from snapdp.lab.language.text import as_lists, expression_text, from_lists

x = syntax.Variable(name="x")
OWN = {
    "const": {"value": Fraction(1, 10)},
    "var": {"name": "x"},
    "query": {"name": "f"},
    "round": {"grid": Fraction(1, 4)},
    "clamp": {"lower": Fraction(-1), "upper": Fraction(2)},
}
ONE_OF_EACH = [
    kind(**OWN.get(kind.word, {}), **dict.fromkeys(kind._parts, x))
    for kind in sorted(syntax.PROGRAMS, key=lambda kind: kind.word)
]
STATEMENTS = [
    syntax.Sample(name="U", distribution="unif"),
    syntax.Sample(name="Y", distribution="laplace", argument=Fraction(1, 3)),
    syntax.Assignment(name="y", expression=ONE_OF_EACH[-1]),
]


@pytest.mark.parametrize("tree", [*ONE_OF_EACH, *STATEMENTS], ids=lambda tree: type(tree).__name__)
def test_a_tree_comes_back_from_its_lists(tree):
    assert from_lists(as_lists(tree)) == tree


def test_a_statement_inside_an_expression_is_no_tree():
    with pytest.raises(ValueError, match="no expression"):
        from_lists(["neg", ["sample", "U", "unif"]])


@pytest.mark.parametrize("tree", ONE_OF_EACH, ids=lambda tree: tree.word)
def test_operands_are_the_fields_that_are_expressions(tree):
    assert list(tree.operands) == [value for value in tree._values() if isinstance(value, syntax.Expression)]
    assert expression_text(tree)


@pytest.mark.parametrize("kind", sorted(syntax.FORMULAS, key=lambda kind: kind.word))
def test_what_forgets_an_operation_fails_when_it_is_imported(kind):
    rest = {other.word: lambda *_: 0 for other in syntax.FORMULAS - {kind}}
    with pytest.raises(TypeError, match=f"no meaning for {kind.word}$"):
        type("Forgetful", (syntax.Semantics,), rest, language=syntax.FORMULAS)
    with pytest.raises(TypeError, match=f"nothing for {kind.word}$"):
        syntax.table(syntax.FORMULAS, **rest)
    assert syntax.table(syntax.FORMULAS - {kind}, **rest)


def test_what_is_no_tree_is_refused():
    with pytest.raises(AssertionError):
        as_lists("x")


def test_the_text_of_a_deep_formula_is_cut_and_shared_parts_are_written_once_each():
    tree = x
    for _ in range(5000):
        tree = syntax.Addition(left=tree, right=tree)
    assert len(expression_text(tree, longest=400)) < 410
