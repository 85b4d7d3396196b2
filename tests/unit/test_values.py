"""Immutable records behave like frozen, keyword-only dataclasses."""

from __future__ import annotations

import copy
import pickle
from fractions import Fraction

import pytest

from snapdp.values import Value, replaced


class Point(Value):
    """Two numbers, the second with a default, and a rule."""

    x: Fraction
    y: int = 5
    _private: int = 0

    def _check(self) -> None:
        if self.x < 0:
            raise ValueError("x is negative")


class Weighted(Point):
    """A point with one more field."""

    weight: int


class Plain(Point):
    """A point under another name, without fields of its own."""


def test_fields_come_from_annotations_and_take_keywords():
    point = Point(x=Fraction(1, 3))
    assert (point.x, point.y) == (Fraction(1, 3), 5)
    assert Point(y=6, x=Fraction(1)).y == 6
    assert Point._fields == ("x", "y")


def test_positions_are_refused():
    with pytest.raises(TypeError):
        Point(Fraction(1), 2)


def test_a_missing_field_is_refused_by_name():
    with pytest.raises(TypeError, match="x"):
        Point(y=1)


def test_an_unknown_field_is_refused_by_name():
    with pytest.raises(TypeError, match="colour"):
        Point(x=Fraction(1), colour="red")
    with pytest.raises(TypeError, match="_private"):
        Point(x=Fraction(1), _private=1)


def test_the_rule_of_a_class_is_checked_when_it_is_made_and_when_it_is_changed():
    with pytest.raises(ValueError, match="negative"):
        Point(x=Fraction(-1))
    with pytest.raises(ValueError, match="negative"):
        replaced(Point(x=Fraction(1)), x=Fraction(-1))


def test_a_changed_copy_leaves_the_original():
    point = Point(x=Fraction(1), y=2)
    assert replaced(point, y=3) == Point(x=Fraction(1), y=3)
    assert point == Point(x=Fraction(1), y=2)
    with pytest.raises(TypeError, match="colour"):
        replaced(point, colour="red")


def test_a_subclass_adds_its_fields_after_those_it_inherits():
    weighted = Weighted(x=Fraction(1), weight=7)
    assert Weighted._fields == ("x", "y", "weight")
    assert repr(weighted) == "Weighted(x=1, y=5, weight=7)"
    assert type(replaced(weighted, weight=8)) is Weighted
    assert Plain._fields == ("x", "y")


def test_equality_and_hash_go_by_class_and_fields():
    point = Point(x=Fraction(1), y=2)
    assert point == Point(x=Fraction(1), y=2)
    assert hash(point) == hash(Point(x=Fraction(1), y=2))
    assert point != Point(x=Fraction(1), y=3)
    assert point != Plain(x=Fraction(1), y=2)
    assert point != (Fraction(1), 2)
    assert len({point, Point(x=Fraction(1), y=2), Plain(x=Fraction(1), y=2)}) == 2


def test_fields_cannot_be_set():
    point = Point(x=Fraction(1))
    for name in ("x", "y", "z"):
        with pytest.raises(AttributeError, match="immutable"):
            setattr(point, name, 2)


def test_fields_cannot_be_deleted():
    point = Point(x=Fraction(1))
    with pytest.raises(AttributeError, match="immutable"):
        del point.x


def test_fractions_print_as_they_are_written():
    assert repr(Point(x=Fraction(1, 3))) == "Point(x=1/3, y=5)"


def test_copies_and_pickles_are_equal():
    point = Weighted(x=Fraction(1, 3), weight=7)
    for twin in (copy.copy(point), copy.deepcopy(point), pickle.loads(pickle.dumps(point))):
        assert twin == point
        with pytest.raises(AttributeError, match="immutable"):
            twin.x = Fraction(2)


def test_a_field_with_another_default_in_a_subclass_stays_one_field():
    class Plain(Value):
        name: str
        cells: tuple[str, ...]

    class Preset(Plain):
        cells: tuple[str, ...] = ("no", "yes")

    assert Preset._fields == ("name", "cells")
    assert repr(Preset(name="x")) == "Preset(name='x', cells=('no', 'yes'))"
    assert Preset(name="x", cells=("a",)).cells == replaced(Preset(name="x"), cells=("a",)).cells == ("a",)
