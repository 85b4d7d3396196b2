"""The generated parts of the reference can be made, and show names and errors as the source has them."""

from __future__ import annotations

import doctest
import inspect
import re
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from tests.docs.reference import DOCS, page, rows, section, words

from snapdp_reference import GENERATORS, MARK, api, docstrings, generated  # isort: skip

every_door = pytest.mark.parametrize("door", api.doors())


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


def test_every_file_of_the_package_itself_is_a_door_or_says_that_it_is_none():
    none = {"__init__", "__main__", "doors", "drafts"}  # how rooms are made
    files = {f"snapdp.{path.stem}" for path in api.SOURCE.glob("*.py") if path.stem not in none}
    assert files == {each for each in api.doors() if (api.SOURCE / f"{each.rpartition('.')[2]}.py").exists()}


def test_a_file_that_is_a_door_says_which_of_its_classes_and_functions_are_for_others():
    for door in ("snapdp.errors", "snapdp.values"):
        module = import_module(door)
        own = {name for name, each in vars(module).items() if inspect.isclass(each) and each.__module__ == door}
        assert own <= set(api.names_of(door)) <= set(vars(module))


def test_the_doors_are_those_of_the_house():
    from tests.test_doors import WITH_DOOR

    assert set(api.doors()) == {"snapdp", "snapdp.errors", "snapdp.published", "snapdp.values"} | {
        f"snapdp.{room}" for room in WITH_DOOR
    }


def test_the_page_of_python_says_of_every_door_what_is_behind_it():
    page = (DOCS / "reference" / "api" / "index.md").read_text(encoding="utf-8")
    told = re.findall(r"^\| \[([\w.]+)\]\((\w+\.md)\) \| \w.* \|$", page, re.MULTILINE)
    assert dict(told) == {door: Path(api.page_of(door)).name for door in api.doors()}


def test_a_name_is_described_once_and_where_others_lead():
    for (door, name), place in api.places().items():
        owner, _, last = place.rpartition(".")
        assert api.places()[owner, last] == place, (door, name)


def silent(value: object) -> bool:
    """Tell whether a class or function says nothing of itself; of aliases and constants nothing is asked."""
    return (inspect.isclass(value) or api.is_function(value)) and not value.__doc__


@every_door
def test_a_class_or_function_says_what_it_is(door):
    assert [name for name in api.names_of(door) if silent(getattr(import_module(door), name))] == []


@pytest.mark.parametrize("door", api.IMPORTED_BY_MOST)
def test_what_classes_can_do_is_said_too(door):
    """What has no docstring is not shown."""
    classes = [each for name in api.names_of(door) if inspect.isclass(each := getattr(import_module(door), name))]
    members = [(each.__name__, name, part) for each in classes for name, part in vars(each).items() if name[0] != "_"]
    plain = [(of, name, getattr(part, "fget", getattr(part, "__func__", part))) for of, name, part in members]
    assert [(of, name) for of, name, part in plain if silent(part)] == []


def test_what_says_nothing_is_found():
    each = (silent, lambda: None, cache(lambda: None), type("Newcomer", (), {}), "text")
    assert [silent(value) for value in each] == [False, True, True, True, False]


@every_door
def test_what_is_shown_of_a_name_says_what_it_is(door):
    """A class has its members, a function its words, a constant its value where that is short; none has nothing."""
    for name in api.names_of(door):
        value = getattr(import_module(door), name)
        block = api.described(door, [name])
        if "is described as" in block:
            continue
        if inspect.isclass(value):
            assert f".. autoclass:: {door}.{name}\n   :members:\n" in block
        elif inspect.isfunction(value) or hasattr(value, "cache_info"):
            assert f".. autofunction:: {door}.{name}\n" in block
        else:
            assert f".. py:data:: {name}\n" in block
            assert ":value: \n" not in block


def test_constants_have_their_values_and_what_is_said_beside_them():
    block = api.described("snapdp.exact", ["LARGEST_DECIMAL_EXPONENT", "Parameter"])
    assert "   :value: 1000\n\n   far beyond doubles, far below" in block
    assert "``Parameter`` is described as :py:data:`snapdp.Parameter`." in block
    assert "   :value: Enclosure(1)\n" in api.described("snapdp.mechanism", ["ONE"])  # ZERO, ONE = ...
    assert "KNOWN_VALUES\n\n" in api.described("snapdp.exact", ["KNOWN_VALUES"])  # too long to be shown


def test_fields_of_values_say_what_stands_beside_them():
    from snapdp.release import PagedBlock
    from snapdp.studies import KeyColumn

    lines = api.docstring_of(KeyColumn, ["A column."])
    assert lines == ["A column.", "", "``place``", "    among the columns of the keys", ""]
    assert [name for name, *_ in api.fields_of(PagedBlock)] == list(PagedBlock._fields)  # most are those of a Block
    assert api.without_addresses("(clock=<function now at 0x7f00>, n=1)") == "(clock=now, n=1)"


def test_a_class_of_values_has_the_signature_of_its_fields():
    from snapdp.ledger import Charge
    from snapdp.studies import Bins

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


# Commands


def test_every_variable_of_the_environment_is_in_the_table():
    told = {word for line in rows(section(page("commands.md"), "## Output and exit codes")) for word in words(line[0])}
    read = {name for path in api.SOURCE.rglob("*.py") for name in OUR_VARIABLE.findall(path.read_text("utf-8"))}
    assert {name for name in told if name.startswith("SNAPDP_")} == read


OUR_VARIABLE = re.compile(r"\bSNAPDP_[A-Z_]+")  # not _SNAPDP_COMPLETE, which shells set for themselves


# Errors


def test_every_class_of_errors_is_in_the_table():
    shown = {word for line in rows(generated("classes")) for word in words(line[0])}
    texts = (path.read_text(encoding="utf-8") for path in api.SOURCE.rglob("*.py"))
    assert shown == {
        name for text in texts for name in re.findall(r"^class (\w+Error)\((?!Value)\w+Error\):", text, re.M)
    }


def test_what_the_page_refuses_by_itself_is_in_the_reference():
    from snapdp.web.refusals import REFUSED

    shown = rows(generated("page-refusals"))
    assert [line[0] for line in shown] == [str(each.status) for each in REFUSED.values()]
    assert all(len(line) == 3 and all(line) for line in shown)


def test_the_error_that_the_page_shows_is_the_one_that_is_raised(capsys):
    block, shown = re.search(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```", page("errors.md"), re.M | re.S).groups()
    exec(compile(block, "errors.md", "exec"), {})
    assert capsys.readouterr().out == shown
