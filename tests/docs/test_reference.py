"""The generated parts of the reference can be made, and show names and errors as the source has them."""

from __future__ import annotations

import doctest
import inspect
import re
from importlib import import_module

import pytest

from tests.docs.reference import DOCS, page

from snapdp_reference import GENERATORS, MARK, api, docstrings  # isort: skip

# What is generated


def test_every_part_that_a_page_asks_for_can_be_made():
    texts = [path.read_text(encoding="utf-8") for path in DOCS.rglob("*.md")]
    asked = [found[1] for text in texts for found in MARK.finditer(text)]
    assert set(asked) == set(GENERATORS)
    assert len(asked) == sum(text.count("<!-- generated") + text.count("<!--generated") for text in texts)


@pytest.mark.parametrize("name", ["api", "docstrings", "markdown"])
def test_examples_of_the_generators_give_what_they_show(name):
    assert doctest.testmod(import_module(f"snapdp_reference.{name}")).failed == 0


# Names

every_public_module = pytest.mark.parametrize("module", api.PUBLIC)


def silent(value: object) -> bool:
    """Tell whether a class or function says nothing of itself; of aliases and constants nothing is asked."""
    return (inspect.isclass(value) or api.is_function(value)) and not value.__doc__


@every_public_module
def test_a_class_or_function_says_what_it_is(module):
    assert [name for name in api.names_of(module) if silent(getattr(import_module(module), name))] == []


@pytest.mark.parametrize("module", ["snapdp", "snapdp.lab.testing"])
def test_what_classes_can_do_is_said_too(module):
    """What has no docstring is not shown."""
    values = [getattr(import_module(module), name) for name in api.names_of(module)]
    members = [
        (value.__name__, name, part)
        for value in values
        if inspect.isclass(value)
        for name, part in vars(value).items()
        if name[0] != "_"
    ]
    plain = [(of, name, getattr(part, "fget", getattr(part, "__func__", part))) for of, name, part in members]
    assert [(of, name) for of, name, part in plain if silent(part)] == []


def test_constants_have_their_values_and_what_is_said_beside_them():
    block = api.names_page("snapdp.exact.numbers", "LARGEST_DECIMAL_EXPONENT")
    assert "   :value: 1000\n\n   far beyond doubles, far below" in block
    assert "KNOWN_VALUES\n\n" in api.names_page("snapdp.exact.functions", "KNOWN_VALUES")  # too long to be shown


def test_fields_of_values_say_what_stands_beside_them():
    from snapdp.release.draw import PagedBlock
    from snapdp.studies.grouping.keys import KeyColumn

    lines = api.docstring_of(KeyColumn, ["A column."])
    assert lines == ["A column.", "", "``place``", "    among the columns of the keys", ""]
    assert [name for name, *_ in api.fields_of(PagedBlock)] == list(PagedBlock._fields)  # most are those of a Block
    assert api.without_addresses("(clock=<function now at 0x7f00>, n=1)") == "(clock=now, n=1)"


def test_a_class_of_values_has_the_signature_of_its_fields():
    from snapdp.ledger.accounts import Charge
    from snapdp.studies.aggregates import Bins

    assert api.signature_of(str) is None
    assert api.signature_of(Charge).startswith("(*, ")
    assert "missing: bool = False" in api.signature_of(Bins)


@pytest.mark.parametrize(
    ("lines", "shown"),
    [
        (["A *b* of `c_d`, 2*x*3, *args."], [r"A *b* of ``c_d``, 2\*x\*3, \*args."]),
        (["x      one", "       more", "y, z   two"], ["``x``", "    one more", "``y, z``", "    two"]),
        (["lower, top  one", "a_longer_b two"], ["``lower, top``", "    one a\\_longer\\_b two"]),
        (["lower    one", "a_longer two"], ["``lower``", "    one", "``a_longer``", "    two"]),
        (["    a = b**2"], ["::", "", "    a = b**2"]),
        ([">>> 1", "1"], [">>> 1", "1"]),
        (["- a", "  b", "- c"], ["- a b", "- c"]),
        (["Words.", "x  one"], ["Words.", "", "``x``", "    one"]),
        (["One line", "  set by hand"], ["| One line", "|   set by hand"]),
        (["    a", "      b"], ["::", "", "    a", "      b"]),
        (["2`x`s and `y`z"], [r"2\ ``x``\ s and ``y``\ z"]),
    ],
)
def test_a_docstring_reads_as_it_is_written(lines, shown):
    assert docstrings.as_rst(lines) == [*shown, ""]


# Errors


def test_the_error_that_the_page_shows_is_the_one_that_is_raised(capsys):
    block, shown = re.search(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```", page("errors.md"), re.M | re.S).groups()
    exec(compile(block, "errors.md", "exec"), {})
    assert capsys.readouterr().out == shown
