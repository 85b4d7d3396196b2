"""The reference lacks no public name, command or flag: each has its place on a page (errors: test_reference_messages).

Pages are asked with the parts that are generated when the site is built; the sources say what must be there.
"""

from __future__ import annotations

import ast
import doctest
import inspect
import re
from functools import cache
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import click
import pytest

from snapdp.cli import app, screen
from snapdp.cli.help.pages import HEADINGS, OTHERS
from tests.docs.reference import DOCS, page, rows, section, words

from snapdp_reference import GENERATORS, MARK, api, commands, completed, docstrings, generated  # isort: skip
from snapdp_reference.markdown import plain  # isort: skip

every_door = pytest.mark.parametrize("door", api.doors())


# What is generated


def test_every_part_that_a_page_asks_for_can_be_made():
    texts = [path.read_text(encoding="utf-8") for path in DOCS.rglob("*.md")]
    asked = [found[1] for text in texts for found in MARK.finditer(text)]
    assert set(asked) == set(GENERATORS)
    assert len(asked) == sum(text.count("<!-- generated") + text.count("<!--generated") for text in texts)


@pytest.mark.parametrize("name", ["api", "docstrings", "markdown", "message_texts"])
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


def lacking_flags(text: str, path: str, command: click.Command) -> list[str]:
    """Return the flags of a command that its section does not have; the path, where there is no section."""
    found = re.search(rf"^#+ {re.escape(path)}$(.*?)(?=^#+ |\Z)", text, re.M | re.S)
    if found is None:
        return [path]
    shown = {word for line in re.findall(r"^\.\. option:: (.*)$", found[1], re.M) for word in line.split(", ")}
    flags = {word.split()[0] for word in shown}
    options = [each for each in command.params if isinstance(each, click.Option)]
    named = [flag for each in options if "--help" not in each.opts for flag in (*each.opts, *each.secondary_opts)]
    return [flag for flag in named if flag not in flags]


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


def test_a_section_has_the_words_of_its_command_and_its_flags_under_their_headings():
    text = generated("commands")
    for path, each in commands.every_command().items():
        first = " ".join((each.help or "").split("\n\n")[0].split())
        assert f" snapdp {path}\n\n{plain(first)}\n\n" in text, path
    assert "\n\n```text\nExit: 0 VERIFIED, 1 REFUTED" in re.search(r"^### snapdp verify$(.*?)^##", text, re.M | re.S)[1]
    assert "\n\nIts commands: `derive`, `run`, `bound`, `compare`, `published`, `bits`." in text
    plan = re.search(r"^### snapdp plan$(.*?)^##", text, re.M | re.S)[1]
    headings = re.findall(r"^\.\. rubric:: (.*)$", plan, re.M)
    assert headings == [each for each in (*dict.fromkeys(HEADINGS.values()), OTHERS) if each in headings]
    assert len(headings) > 3


def test_every_variable_of_the_environment_is_in_the_table():
    told = {word for line in rows(section(page("commands.md"), "## Output and exit codes")) for word in words(line[0])}
    read = {name for path in api.SOURCE.rglob("*.py") for name in OUR_VARIABLE.findall(path.read_text("utf-8"))}
    assert {name for name in told if name.startswith("SNAPDP_")} == read


OUR_VARIABLE = re.compile(r"\bSNAPDP_[A-Z_]+")  # not _SNAPDP_COMPLETE, which shells set for themselves
ENDING = ("exit", "Exit", "SystemExit", "_exit")
CLI = api.SOURCE / "cli"
OF_ERRORS = {click.UsageError.exit_code, click.FileError.exit_code, screen.OutputError.exit_code}


def exit_codes(tree: ast.AST, module: object, functions: dict[str, list[ast.expr]]) -> set[int]:
    """Return the numbers that a program ends with: literals, constants, and what functions return that are asked."""

    def numbers(node: ast.expr) -> set[int]:
        found: set[int] = set()
        for each in ast.walk(node):
            value = each.value if isinstance(each, ast.Constant) else None
            if isinstance(each, ast.Name):
                found = found.union(*map(numbers, functions.get(each.id, ())))
                value = getattr(module, each.id, None)
            found |= {one for one in (value.values() if isinstance(value, dict) else [value]) if type(one) is int}
        return found

    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args)
    ending = (call for call in calls if getattr(call.func, "attr", getattr(call.func, "id", "")) in ENDING)
    return set().union(*(numbers(call.args[0]) for call in ending))


def returned_numbers(tree: ast.AST) -> dict[str, list[ast.expr]]:
    """Return what functions that return a number return, by their names."""
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.returns)
    return {
        each.name: [node.value for node in ast.walk(each) if isinstance(node, ast.Return) and node.value is not None]
        for each in functions
        if ast.unparse(each.returns) == "int"
    }


def codes_of(text: str) -> set[int]:
    """Return the exit codes that a page has in its table."""
    return {int(code) for line in rows(text) for code in line[0].split(", ") if code.isdigit()}


def test_every_exit_code_is_in_the_tables():
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(CLI.rglob("*.py"))}
    trees = {path: ast.parse(text) for path, text in texts.items() if "xit(" in text or "-> int:" in text}
    functions = {name: values for tree in trees.values() for name, values in returned_numbers(tree).items()}
    found = OF_ERRORS | {app.REFUSED, app.MISUSED}
    for path, tree in trees.items():
        module = import_module(".".join(("snapdp", *path.relative_to(api.SOURCE).with_suffix("").parts)))
        found |= exit_codes(tree, module, functions)
    assert codes_of(section(page("commands.md"), "## Output and exit codes")) == found
    assert codes_of(section((DOCS / "guide" / "commands.md").read_text("utf-8"), "## Output and exit codes")) == found
    assert codes_of(section(page("errors.md"), "## Exit codes of commands")) == OF_ERRORS | {app.BROKEN}


def test_exit_codes_of_a_program_are_found():
    program = ast.parse("raise Exit(STOPPED)\nctx.exit(0 if n else 9)\nctx.exit(asked(n))\nctx.exit(TABLE[n])")
    functions = returned_numbers(ast.parse("def asked(n) -> int:\n    return 7 if n else STOPPED"))
    module = SimpleNamespace(STOPPED=5, TABLE={"a": 3, "b": 4})
    assert exit_codes(program, module, functions) == {0, 3, 4, 5, 7, 9}
