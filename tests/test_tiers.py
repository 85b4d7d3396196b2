"""Cases that are shared between the default suite and the long one are lost in neither."""

from tests.tiers import first_of, one_in, those_in


def tiers(cases):
    """Return the cases of the default suite and those of the long one."""
    is_long = [hasattr(case, "marks") and [mark.name for mark in case.marks] == ["long"] for case in cases]
    default = [case for case, later in zip(cases, is_long, strict=True) if not later]
    return default, [case.values for case, later in zip(cases, is_long, strict=True) if later]


def test_one_in_three_is_in_the_default_suite_and_the_others_in_the_long_one():
    assert tiers(one_in(3, "abcdefg")) == (["a", "d", "g"], [("b",), ("c",), ("e",), ("f",)])


def test_the_first_ones_are_in_the_default_suite_and_the_others_in_the_long_one():
    assert tiers(first_of([(1, "a"), (2, "b"), (3, "c")], 2)) == ([(1, "a"), (2, "b")], [(3, "c")])
    assert tiers(first_of(["a"])) == (["a"], [])


def test_those_that_are_named_are_in_the_default_suite_and_the_others_in_the_long_one():
    assert tiers(those_in(["b", "c"], "abc")) == (["b", "c"], [("a",)])
