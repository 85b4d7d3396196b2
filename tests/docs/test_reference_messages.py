"""The reference lacks no class of errors and no message: each is read from the source, and has its place on a page."""

from __future__ import annotations

import ast
import re
from collections import Counter

import click
import pytest

from tests.docs.reference import REFERENCE, page, rows, words

from snapdp_reference import api, completed, generated, messages, messages_page  # isort: skip
from snapdp_reference.message_texts import CLOSED, OPENED  # isort: skip
from snapdp_reference.messages import Message  # isort: skip
from snapdp_reference.messages_page import ADVICE, PAGES, ROOMS, every_message  # isort: skip


WITHOUT_USAGE = {"FileError", "OutputError"}  # of click, where nothing was typed wrong


def test_every_class_of_errors_has_its_page_and_advice():
    family = set(messages.error_classes(api.SOURCE)) - {messages.FAMILY}
    assert set(PAGES) == family | set(messages.MISUSE), "PAGES of messages_page.py"
    assert set(ADVICE) == family | WITHOUT_USAGE, "ADVICE of messages_page.py"
    there = {path.stem for path in (REFERENCE / "messages").glob("*.md")}
    assert set(PAGES.values()) == there


def below(family: type) -> set[str]:
    """Return the classes of this package that are derived from one, as far as they are loaded."""
    own = [each for each in family.__subclasses__() if each.__module__.startswith("snapdp.")]
    return {each.__name__ for each in own}.union(*map(below, own))


def test_every_class_of_errors_that_python_knows_is_read_from_the_source():
    from snapdp.errors import SnapdpError
    from snapdp.ledger.accounts import InProgressError

    known = below(SnapdpError)
    assert InProgressError.__name__ in known
    assert known <= set(messages.error_classes(api.SOURCE))


def test_every_class_of_errors_is_in_the_table():
    shown = {word for line in rows(generated("classes")) for word in words(line[0])}
    assert shown == set(messages.error_classes(api.SOURCE)) - {messages.FAMILY}
    counts = {words(line[0])[0]: int(line[3]) for line in rows(generated("classes"))}
    made = Counter(each.error for each in every_message())
    assert counts == {name: made[name] for name in counts}


HANDED_ON = {  # where an error only repeats what another one has said, which is on a page already
    "cli/flags/arguments.py": 1,
    "cli/flags/several_columns.py": 1,
    "cli/gallery/attack.py": 1,
    "cli/verify.py": 1,
    "studies/statistics/parts.py": 1,
}


def errors_of_click() -> set[str]:
    """Return what tells a person of wrong usage, or that something cannot be written: of click, and of ours."""

    def with_all_below(family: type) -> set[str]:
        return {family.__name__}.union(*map(with_all_below, family.__subclasses__()))

    names = with_all_below(click.ClickException)
    classes = (node for tree in messages.trees(api.SOURCE).values() for node in tree.body)
    ours = (node for node in classes if isinstance(node, ast.ClassDef))
    return names | {node.name for node in ours if names & {getattr(base, "attr", "") for base in node.bases}}


def raising(node: ast.AST, family: set[str]) -> bool:
    """Tell whether an error of the family is made by a call, with words, or by click's method `fail`."""
    if not isinstance(node, ast.Call) or not (node.args or node.keywords):
        return False
    called = node.func
    if isinstance(called, ast.Attribute) and called.attr == "fail":
        return isinstance(called.value, ast.Name) and called.value.id != "pytest"
    return getattr(called, "attr", getattr(called, "id", "")) in family


def test_every_message_of_the_source_is_on_a_page():
    """By the places at which errors are made, of all files: those that hand on what was told elsewhere are few."""
    listed = {each.place for each in messages.at_every_place(api.SOURCE)}
    family = {*messages.error_classes(api.SOURCE), *errors_of_click()}
    assert {"BoundError", "FileError", "OutputError"} <= family
    may_raise = re.compile(rf"\b(?:{'|'.join(family)}|fail)\(")  # parsing all files would take a second more
    texts = ((path, path.read_text(encoding="utf-8")) for path in sorted(api.SOURCE.rglob("*.py")))
    made = [
        f"{path.relative_to(api.SOURCE).as_posix()}:{node.lineno}"
        for path, text in texts
        if may_raise.search(text)
        for node in ast.walk(messages.trees(api.SOURCE).get(path) or ast.parse(text))
        if raising(node, family)
    ]
    assert len(made) > 850
    lacking = {place for place in made if place not in listed}
    assert Counter(place.partition(":")[0] for place in lacking) == HANDED_ON, sorted(lacking)
    assert [each.place for each in every_message() if each.room not in ROOMS] == []


def test_every_message_is_of_a_class_that_has_a_page():
    """Of the family's base there is none: its classes tell refusals apart."""
    assert {each.error for each in every_message()} <= set(PAGES)


def test_what_the_page_refuses_by_itself_stands_in_one_table_and_in_the_reference():
    from snapdp.web.refusals import REFUSED

    shown = rows(generated("page-refusals"))
    assert [line[:1] for line in shown] == [[str(each.status)] for each in REFUSED.values()]
    assert all(len(line) == 3 and all(line) for line in shown)
    elsewhere = (path for path in sorted((api.SOURCE / "web").glob("*.py")) if path.name != "refusals.py")
    assert {path.name: found for path in elsewhere if (found := STATUS.findall(path.read_text("utf-8")))} == {
        "app.py": ["409", "403", "400"]  # the library's refusals; a page of HTML; what it is told about a request
    }


STATUS = re.compile(r"\b[45]\d\d\b")


@pytest.mark.parametrize("name", sorted(set(PAGES.values())))
def test_a_page_of_messages_has_every_message_of_its_classes(name):
    text = completed(page(f"messages/{name}.md"))
    of_page = [each for each in every_message() if PAGES[each.error] == name]
    assert text.count("\n- **") == len(of_page) > 0


def test_a_message_is_shown_with_what_to_do_and_of_which_class_it_is(monkeypatch):
    """The end of a sentence is added, and so is advice where a message has none of its own."""
    found = [
        Message("LedgerError", "ledger", "it is locked", "", "ledger/a.py:1"),
        Message("InProgressError", "ledger", "it is busy.", "Ask again.", "ledger/a.py:2"),
        Message("UsageError", "cli", "no *such* flag", "", "cli/a.py:3"),
    ]
    monkeypatch.setattr(messages_page, "every_message", lambda: found)
    assert messages_page.messages_page("ledger") == (
        "## The ledger\n\n- **it is busy.** *(InProgressError)*\\\n  Ask again.\n"
        f"- **it is locked.**\\\n  {ADVICE['LedgerError']}"
    )
    assert messages_page.messages_page("usage") == "## Commands\n\n- **no \\*such\\* flag.**"
    found.append(Message("BoundError", "exact", "no range", "", "exact/a.py:1"))
    assert "*(" not in messages_page.messages_page("bound")
    found.append(Message("FileError", "cli", "it exists.", "", "cli/a.py:4"))
    assert f"- **it exists.**\\\n  {ADVICE['FileError']}" in messages_page.messages_page("usage")
    found.append(Message("BoundError", "nowhere", "no range", "", "nowhere.py:1"))
    with pytest.raises(LookupError, match="the room 'nowhere' has no line in ROOMS"):
        messages_page.messages_page("bound")


SOURCE_OF_ERRORS = '''
class SnapdpError(ValueError):
    """Base."""

class FarError(SnapdpError):
    """Too far."""

class AwayError(KeyError, room.FarError):
    """Two bases, of which the second is of the family."""

class OtherError(KeyError):
    """Of another family."""

CHOICES = "Give one of them."
TABLE = {"a": "A of the table.", "b": "B of the table."}

def far(column, words):
    return FarError(f"column {column.name!r} {words}.", CHOICES)

def use(column, n, is_long):
    kind = "long" if is_long else "short"
    if n:
        raise far(column, "is too far")
    raise FarError(f"{n} is {kind}" + ".", advice="Give " + ("more" if n else "less") + ".")

def other(text, is_near):
    for key, told in TABLE.items():
        raise FarError(told)
    raise FarError(f"{text.rstrip()}: {is_near}")

def stripped(words):
    return FarError(f"{words.rstrip('.')}!")

def twice(n):
    raise stripped("once.")
    raise FarError(in_words(n))
    raise AwayError("away.")
    raise OtherError("of no family.")

def in_words(n):
    if n:
        return f"{n} in words."
    return "no words."

class Kind:
    def convert(self, value, ctx):
        self.fail(f"{value} is no kind.")
        ctx.fail(f"{value} is no use.")

def named(*, where, when="at once"):
    return FarError(f"{where} {when}.")

def by_name():
    raise named(where="here")
    raise named(where="there", when="later")

def at_once():
    problem, advice = "both", "Do both."
    raise FarError(problem, advice)

def unpacked(*more):
    raise FarError("several.", *more)
    raise stripped(*more)
'''


def test_messages_are_read_with_their_holes_helpers_and_alternatives(tmp_path):
    (tmp_path / "room.py").write_text(SOURCE_OF_ERRORS, encoding="utf-8")
    found = {each.name: each.base for each in messages.error_classes(tmp_path).values()}
    assert found == {"SnapdpError": "ValueError", "FarError": "SnapdpError", "AwayError": "FarError"}
    signs = str.maketrans({OPENED: "<", CLOSED: ">"})
    assert {(each.problem.translate(signs), each.advice) for each in messages.messages(tmp_path)} == {
        ("column '<column>' is too far.", "Give one of them."),
        ("<n> is long.", "Give more."),
        ("<n> is long.", "Give less."),
        ("<n> is short.", "Give more."),
        ("<n> is short.", "Give less."),
        ("A of the table.", ""),
        ("B of the table.", ""),
        ("once.!", ""),
        ("<n> in words.", ""),
        ("no words.", ""),
        ("away.", ""),
        ("<value> is no kind.", ""),
        ("<value> is no use.", ""),
        ("here at once.", ""),
        ("there later.", ""),
        ("both", "Do both."),
        ("several.", ""),
    }


FAR = '''
class SnapdpError(ValueError):
    """Base."""

ADVICE = "Come nearer."
HINT = "of far"

def refused(words, advice="By default."):
    return SnapdpError(f"far: {words}.", advice)
'''
NEAR = """
from snapdp.far import ADVICE, HINT

HINT = "of near"

def refused(words):
    return SnapdpError(f"near: {words}.", ADVICE)

def use():
    raise refused("one")
    raise SnapdpError(HINT)
"""
THIRD = """
from snapdp.far import HINT, refused

def use():
    raise refused("two")
    raise SnapdpError(f"third {HINT}.")
"""


def test_helpers_and_texts_of_one_name_are_told_apart_by_their_files(tmp_path):
    """What two files call by one name is not followed from a third; a text of another file is, where it is one."""
    for name, text in {"far": FAR, "near": NEAR, "third": THIRD}.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    signs = str.maketrans({OPENED: "<", CLOSED: ">"})
    assert {(each.problem.translate(signs), each.advice) for each in messages.messages(tmp_path)} == {
        ("far: <words>.", "By default."),
        ("near: one.", "Come nearer."),
        ("of near", ""),
        ("third <hint>.", ""),
    }


def test_the_error_that_the_page_shows_is_the_one_that_is_raised(capsys):
    block, shown = re.search(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```", page("errors.md"), re.M | re.S).groups()
    exec(compile(block, "errors.md", "exec"), {})
    assert capsys.readouterr().out == shown
