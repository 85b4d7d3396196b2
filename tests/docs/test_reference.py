"""The reference lacks no public name, command, flag or error: each has its place on a page.

Pages are asked with the parts that are generated when the site is built; the sources say what must be there.
"""

from __future__ import annotations

import ast
import doctest
import inspect
import re
from importlib import import_module

import click
import pytest

from snapdp.cli import app, screen, verify
from tests.docs.reference import DOCS, REFERENCE, page, rows, section, words

from snapdp_reference import GENERATORS, MARK, api, commands, completed, docstrings, generated, messages  # isort: skip
from snapdp_reference.messages_page import ADVICE, PAGES, ROOMS, every_message  # isort: skip

every_door = pytest.mark.parametrize("door", api.doors())


# What is generated


def test_every_part_that_a_page_asks_for_can_be_made():
    asked = {found[1] for path in REFERENCE.rglob("*.md") for found in MARK.finditer(path.read_text(encoding="utf-8"))}
    assert asked == set(GENERATORS)


@pytest.mark.parametrize("name", ["api", "docstrings", "markdown", "messages"])
def test_examples_of_the_generators_give_what_they_show(name):
    assert doctest.testmod(import_module(f"snapdp_reference.{name}")).failed == 0


# Names


def lacking_names(text: str, names: list[str]) -> list[str]:
    """Return the names of a door that its page neither describes nor leads to."""
    described = set(re.findall(r"^\.\. (?:autoclass|autofunction|py:data):: (?:snapdp\.(?:\w+\.)?)?(\w+)$", text, re.M))
    led = set(re.findall(r"^``(\w+)`` is described as :py:\w+:`[\w.]+`\.$", text, re.M))
    assert not described & led
    return [name for name in names if name not in described | led]


@every_door
def test_every_name_of_a_door_is_on_its_page(door):
    text = completed((DOCS / api.page_of(door)).read_text(encoding="utf-8"))
    assert lacking_names(text, api.names_of(door)) == []
    assert lacking_names(text, ["newcomer"]) == ["newcomer"]


def test_the_doors_are_those_of_the_house():
    from tests.test_doors import WITH_DOOR

    assert set(api.doors()) == {"snapdp", "snapdp.errors", "snapdp.published", "snapdp.values"} | {
        f"snapdp.{room}" for room in WITH_DOOR
    }


def test_a_name_is_described_once_and_where_others_lead():
    for (door, name), place in api.places().items():
        owner, _, last = place.rpartition(".")
        assert api.places()[owner, last] == place, (door, name)


def silent(value: object) -> bool:
    """Tell whether a class or function says nothing of itself; of aliases and constants nothing is asked."""
    return (inspect.isclass(value) or inspect.isfunction(value)) and not value.__doc__


@every_door
def test_a_class_or_function_says_what_it_is(door):
    assert [name for name in api.names_of(door) if silent(getattr(import_module(door), name))] == []


@pytest.mark.parametrize("door", api.FIRST[:3])
def test_what_classes_can_do_is_said_too(door):
    """Of what most people import; what has no docstring is not shown."""
    classes = [each for name in api.names_of(door) if inspect.isclass(each := getattr(import_module(door), name))]
    members = [(each.__name__, name, part) for each in classes for name, part in vars(each).items() if name[0] != "_"]
    plain = [(of, name, getattr(part, "fget", getattr(part, "__func__", part))) for of, name, part in members]
    assert [(of, name) for of, name, part in plain if silent(part)] == []


def test_what_says_nothing_is_found():
    assert [silent(each) for each in (silent, lambda: None, type("Newcomer", (), {}), "text")] == [
        False,
        True,
        True,
        False,
    ]


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
    ],
)
def test_a_docstring_reads_as_it_is_written(lines, shown):
    assert docstrings.as_rst(lines) == [*shown, ""]


# Commands


def lacking_flags(text: str, path: str, command: click.Command) -> list[str]:
    """Return the flags of a command that its section does not have; the path, where there is no section."""
    found = re.search(rf"^#+ {re.escape(path)}$(.*?)(?=^#+ |\Z)", text, re.M | re.S)
    if found is None:
        return [path]
    shown = {word for line in re.findall(r"^\.\. option:: (.*)$", found[1], re.M) for word in line.split(", ")}
    flags = {word.split()[0] for word in shown}
    options = [each for each in command.params if isinstance(each, click.Option)]
    return [flag for each in options for flag in each.opts if flag not in flags and "--help" not in each.opts]


def test_every_command_and_flag_has_its_place():
    text = completed(page("commands.md"))
    every = commands.every_command()
    assert {path: found for path, each in every.items() if (found := lacking_flags(text, f"snapdp {path}", each))} == {}
    assert len(every) > 30
    newcomer = click.Command("plan", params=[click.Option(["--newcomer"])])
    assert lacking_flags(text, "snapdp plan", newcomer) == ["--newcomer"]
    assert lacking_flags(text, "snapdp newcomer", newcomer) == ["snapdp newcomer"]


def test_defaults_and_examples_of_commands_are_shown():
    text = generated("commands")
    assert text.count("[default: ") > 50
    for path, each in commands.every_command().items():
        examples = re.findall(r"^  (snapdp .*?)(?: \\)?$", each.epilog or "", re.M)
        assert all(f"\n{line}" in text for line in examples), path


def test_every_exit_code_is_in_the_table():
    codes = {app.REFUSED, app.MISUSED, app.BROKEN, screen.OutputError.exit_code, *verify.EXIT.values(), 0}
    found = {
        int(line[0]) for line in rows(section(page("commands.md"), "## Output and exit codes")) if line[0].isdigit()
    }
    assert found == codes


# Errors


def test_every_class_of_errors_has_its_page_and_advice():
    family = set(messages.error_classes(api.SOURCE)) - {messages.FAMILY}
    assert family <= set(PAGES)
    assert family <= set(ADVICE)
    there = {path.stem for path in (REFERENCE / "messages").glob("*.md")}
    assert set(PAGES.values()) == there


@pytest.mark.long
def test_every_class_of_errors_is_in_the_table():
    shown = {word for line in rows(generated("classes")) for word in words(line[0])}
    assert shown == set(messages.error_classes(api.SOURCE)) - {messages.FAMILY}


@pytest.mark.long
def test_every_message_of_the_source_is_on_a_page():
    """By the places at which errors are made: those that hand on what was told elsewhere have no words of their own."""
    listed = {each.place for each in messages.at_every_place(api.SOURCE)}
    family = (*messages.error_classes(api.SOURCE), *messages.MISUSE)
    made = [
        (f"{path.relative_to(api.SOURCE).as_posix()}:{node.lineno}", node)
        for path, tree in messages.trees(api.SOURCE).items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and getattr(node.func, "attr", getattr(node.func, "id", "")) in family
        and node.args
    ]
    spoken = [
        place for place, node in made if any(isinstance(each, (ast.JoinedStr, ast.Constant)) for each in node.args[:1])
    ]
    assert len(spoken) > 600
    assert [place for place in spoken if place not in listed] == []
    assert all(each.room in ROOMS for each in every_message())
    assert all(each.advice or each.error in {*ADVICE, *messages.MISUSE} for each in every_message())


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(set(PAGES.values())))
def test_a_page_of_messages_has_every_message_of_its_classes(name):
    text = completed(page(f"messages/{name}.md"))
    of_page = [each for each in every_message() if PAGES[each.error] == name]
    assert text.count("\n- **") == len(of_page) > 0


SOURCE_OF_ERRORS = '''
class SnapdpError(ValueError):
    """Base."""

class FarError(SnapdpError):
    """Too far."""

CHOICES = "Give one of them."

def far(column, words):
    return FarError(f"column {column.name!r} {words}.", CHOICES)

def use(column, n, is_long):
    kind = "long" if is_long else "short"
    if n:
        raise far(column, "is too far")
    raise FarError(f"{n} is {kind}" + ".", advice="Give " + ("more" if n else "less") + ".")

def other(text):
    raise FarError(text)
'''


def test_messages_are_read_with_their_holes_helpers_and_alternatives(tmp_path):
    (tmp_path / "room.py").write_text(SOURCE_OF_ERRORS, encoding="utf-8")
    assert [each.name for each in messages.error_classes(tmp_path).values()] == ["SnapdpError", "FarError"]
    signs = str.maketrans({messages.OPENED: "<", messages.CLOSED: ">"})
    assert {(each.problem.translate(signs), each.advice) for each in messages.messages(tmp_path)} == {
        ("column '<column>' is too far.", "Give one of them."),
        ("<n> is long.", "Give more."),
        ("<n> is long.", "Give less."),
        ("<n> is short.", "Give more."),
        ("<n> is short.", "Give less."),
    }


def test_the_error_that_the_page_shows_is_the_one_that_is_raised(capsys):
    block, shown = re.search(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```", page("errors.md"), re.M | re.S).groups()
    exec(compile(block, "errors.md", "exec"), {})
    assert capsys.readouterr().out == shown
