"""Hostile text through every command and every file: what comes out is visible, escaped, encodable, and no traceback.

Names of columns, categories, datasets and persons, titles, paths and fields of records are anybody's text.
"""

from __future__ import annotations

import ast
import csv
import json
import re
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner

import snapdp
from snapdp.cli.app import COMMANDS, main
from snapdp.release.value_table import value_table
from tests.services import address, new_database, postgres_server
from tests.unit.release.guards import unguarded

CLI = Path(snapdp.__file__).parent / "cli"
NAMES = {
    "esc": "a\x1b[2J\x1b[HSOUND",
    "title of a window": "a\x1b]0;SOUND\x07b",
    "c1": "a\x9b31m\x85b",
    "backspace": "aaa\x08\x08\x08SOUND\r",
    "bidi": "a\u202eDNUOS\u2066b\u200f",
    "zero width": "no\u200brt\u2060h\ufeff",
    "unseen": "no\u3164rt\ufe0fh\U000e0041",
    "markup": "id[/x][bold red]SOUND[/]:smile:",
    "dollar": "${jndi:x} $(id) `id` %s {0}",
    "quotes": "a\"b'c''\\\";--",
    "formula": "=cmd|'/C calc'!A0",
    "at": "@SUM(1+1)",
    "minus": "-2+3",
    "tab": "\t=1+1",
    "newline": "a\nSOUND: all is well\r\nb",
    "html": "</title><script>alert(1)</script><img src=x onerror=y>&amp;",
    "long": "n" * 5000,
    "wide": "Zürich 東京 😀 ±█",
    "delete": "a\x7fb",
}
NAMES["everything"] = " ".join(NAMES[key] for key in (
    "esc", "title of a window", "c1", "bidi", "zero width", "unseen", "markup", "dollar", "quotes", "html", "wide",
    "delete",
))  # fmt: skip
UNSEEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]")  # fmt: skip
USUAL = ("everything", "formula")  # the others, one by one, are for the long suite


def case(key: str, *more: Any, usual: bool) -> Any:
    """Return a name as a parameter: of every run, or of the long suite alone."""
    return pytest.param(NAMES[key], *more, id=key, marks=[] if usual else [pytest.mark.long])


hostile = pytest.mark.parametrize("name", [case(key, usual=key in USUAL) for key in NAMES])


def run(*arguments: str, charset: str = "utf-8") -> Any:
    done = CliRunner(charset=charset, env={"COLUMNS": "80"}).invoke(main, list(map(str, arguments)))
    for stream in (done.stdout_bytes, done.stderr_bytes):
        seen = stream.decode(charset)
        assert UNSEEN.search(seen) is None, ascii(seen)
        assert "Traceback" not in seen
    assert "broke" not in done.stderr, done.stderr
    assert done.exit_code in (0, 1, 2), done.exit_code
    return done


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def study_values(name: str, *, person: bool = False) -> dict[str, Any]:
    number, group = f"{name} x", f"{name} g"
    who = (
        {"relation": "add-remove", "n_max": 50, "person": f"{name} p"} if person else {"relation": "change-one", "n": 4}
    )
    return {
        "format": 1,
        "dataset": "people",
        **who,
        "columns": {
            number: {"kind": "integer", "lower": 0, "upper": 9, "missing": "middle", "edges": [0, 3, 9]},
            group: {"kind": "category", "categories": [name, f"{name} 2"], "compare": "text"},
        },
        "statistic": [
            {"kind": "histogram", "column": group, "epsilon": "1/2"},
            {"kind": "mean", "column": number, "by": group, "epsilon": "1/2"},
            {"kind": "count", "by": [group, number], "epsilon": "1/2"},
            {
                "kind": "count",
                "where": [{"column": group, "equals": name}, {"column": number, "from": 3}],
                "epsilon": 1,
            },
        ],
    }


def written(values: dict[str, Any], path: str = "study.toml") -> str:
    from snapdp.studies.study_file import study_from_values, study_to_toml

    text = study_to_toml(study_from_values(values))
    Path(path).write_text(text, encoding="utf-8")
    return path


def explored(name: str, data: str, who: list[str]) -> None:
    """Take a first look at both columns of a table, and write a study that is one."""
    from snapdp.cli.flags.lists import as_item

    number, group = as_item(f"{name} x"), as_item(f"{name} g")
    asked = ["--columns", f"{number},{group}", "--categories", f"{group}={as_item(name)}", "--epsilon", "1", "--yes"]
    done = run("explore", data, *asked, *who, "--ledger", "people.ledger", "--study", "look.toml")
    assert done.exit_code == 0, done.output
    tomllib.loads(Path("look.toml").read_text(encoding="utf-8"))


def table(name: str) -> str:
    """Return a table whose columns and categories have that name; no header of a CSV file holds a line end."""
    if set(name) & set("\r\n"):
        return parquet(name)
    with open("people.csv", "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow([f"{name} x", f"{name} g", f"{name} p"])
        rows.writerows([i, name, f"p{i}"] for i in range(4))
    return "people.csv"


def parquet(name: str) -> str:
    quoted = name.replace('"', '""')
    cells = f"""i AS "{quoted} x", ? AS "{quoted} g", 'p' || i AS "{quoted} p\""""
    duckdb.execute(f"COPY (SELECT {cells} FROM range(4) t(i)) TO 'people.parquet'", [name])
    return "people.parquet"


def parsed(path: str) -> str:
    """Return the text of a page that has no script, no handler and no picture but our own."""

    class Reader(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.text: list[str] = []

        def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
            assert tag not in ("script", "img", "iframe", "link")
            assert not any(key.startswith("on") for key, _ in attributes)

        def handle_data(self, data: str) -> None:
            self.text.append(data)

    reader = Reader()
    content = Path(path).read_text(encoding="utf-8")
    assert UNSEEN.search(content) is None
    reader.feed(content)
    return "".join(reader.text)


@pytest.mark.parametrize(
    ("name", "person"),
    [case(key, False, usual=key in USUAL) for key in NAMES] + [case(key, True, usual=key == "markup") for key in NAMES],
)
def test_a_name_goes_through_every_command_and_file(name, person):
    study = written(study_values(name, person=person))
    who = ["--relation", "add-remove", "--n-max", "50", "--person", f"{name} p"] if person else []
    who = who or ["--relation", "change-one", "--n", "4"]
    assert run("plan", study).exit_code == 0
    assert run("plan", study, "--json").exit_code == 0
    assert run("plan", study, "--sql").exit_code == 0
    created = run("ledger", "create", "people.ledger", "--dataset", "people", "--cap", "9", *who)
    if created.exit_code:  # an account's unit is a short printable name
        assert person
        return
    data = table(name)
    assert run("inspect", study, "--data", data).exit_code == 0
    assert run("inspect", data).exit_code == 0
    if name == name.strip():  # blanks around a name are no part of it in a list of flags
        explored(name, data, who[2:])
    files = ["--record", "r.json", "--report", "r.html", "--values", "v.csv"]
    done = run("release", study, "--data", data, "--ledger", "people.ledger", "--yes", *files)
    assert done.exit_code == 0
    assert run("release", study, "--data", data, "--ledger", "people.ledger", "--yes", "--json").exit_code == 0
    assert run("release", study, "--data", data, "--ledger", "people.ledger", "--yes", "--values", "v.parquet")
    checked = run("verify", "r.json", "--ledger", "people.ledger", "--certificate", "c.json", "--report", "r.html")
    assert checked.stdout.startswith("ACCEPTED: r.html")
    assert checked.exit_code == 0
    assert run("verify", "r.json", "--json").exit_code == 0
    assert run("verify", "c.json").exit_code == 0
    for command in ("show", "history", "verify"):
        assert run("ledger", command, "people.ledger").exit_code == 0
        assert run("ledger", command, "people.ledger", "--json").exit_code == 0
    parsed("r.html")
    release = snapdp.load_release("r.json")
    assert UNSEEN.search(repr(release)) is None
    with open("v.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    released = value_table(release.blocks())
    assert [unguarded(head) for head in rows[0]] == list(released.columns)
    for field, head in zip(released.fields, rows[0], strict=True):
        for row, cell in zip(rows, released.columns[field.name], strict=True):
            if field.kind == "string":
                assert not row[head].lstrip().startswith(("=", "+", "-", "@"))
                assert unguarded(row[head]) == (cell or "")
    kinds = duckdb.execute("DESCRIBE SELECT * FROM 'v.parquet'").fetchall()
    stored = {"string": "VARCHAR", "number": "DOUBLE", "boolean": "BOOLEAN"}
    assert [(name, kind) for name, kind, *_ in kinds] == [(each.name, stored[each.kind]) for each in released.fields]
    package = json.loads(Path("datapackage.json").read_text(encoding="ascii"))
    assert [each["path"] for each in package["resources"]] == ["v.csv", "v.parquet"]


@hostile
def test_no_screen_of_an_altered_record_begins_with_sound_whatever_stands_in_any_field(name):
    study, data = written(study_values("x")), table("x")
    run(
        "ledger", "create", "people.ledger", "--dataset", "people", "--cap", "9", "--relation", "change-one", "--n", "4"
    )
    files = ["--record", "r.json", "--report", "r.html"]
    run("release", study, "--data", data, "--ledger", "people.ledger", "--yes", *files)
    record = json.loads(Path("r.json").read_text(encoding="utf-8"))
    for path in places(record):
        changed = json.loads(json.dumps(record))
        inner = changed
        for step in path[:-1]:
            inner = inner[step]
        if inner[path[-1]] == name:
            continue
        inner[path[-1]] = name
        Path("forged.json").write_text(json.dumps(changed), encoding="utf-8")
        done = run("verify", "forged.json", "--report", "r.html")
        free = path[0] in ("dataset", "dataset_version", "previous", "versions")  # the ledger's to tell
        if not free:
            assert done.exit_code != 0, path
            assert "SOUND:" not in done.stdout.split("\n", 1)[0], path


def places(value: Any) -> list[tuple[Any, ...]]:
    """Return a place for each kind of text field."""
    found: dict[tuple[str, ...], tuple[Any, ...]] = {}

    def walk(each: Any, path: tuple[Any, ...]) -> None:
        if isinstance(each, dict):
            for key, inner in each.items():
                walk(inner, (*path, key))
        elif isinstance(each, list):
            for number, inner in enumerate(each[:1]):
                walk(inner, (*path, number))
        elif isinstance(each, str):
            found.setdefault(tuple(step for step in path if isinstance(step, str)), path)

    walk(value, ())
    return list(found.values())


@hostile
def test_a_word_of_the_command_line_is_repeated_visibly_whatever_it_is(name):
    Path("empty.ledger").write_bytes(b"")
    for arguments in (
        (name,),
        (f"--{name}",),
        ("plan", name),
        ("plan", "--mean", name, "--missing", "1", "--bounds", "1", "--n", "5", "--epsilon", "1"),
        ("plan", "--mean", name, "--missing", name, "--bounds", name, "--n", "5", "--epsilon", name),
        ("plan", "--histogram", name, "--categories", f"{name},b", "--n", "5", "--epsilon", "1"),
        ("plan", "--count", "--where", name, "--n-max", "5", "--epsilon", "1"),
        ("plan", "--mean", "x", "--bounds", "0,1", "--missing", "0", "--n", "5", "--epsilon", "1", "--plot", f"{name}"),
        ("ledger", "create", "new.ledger", "--dataset", name, "--cap", "1", "--relation", "change-one", "--n", "5"),
        ("ledger", "create", f"no/{name}", "--dataset", "d", "--cap", "1", "--relation", "change-one", "--n", "5"),
        ("ledger", "show", name),
        ("ledger", "history", "empty.ledger", "--dataset", name),
        ("ledger", "verify", f"{name}.ledger", "--against", name),
        ("ledger", "backup", name, f"{name}.backup"),
        ("ledger", "restore", f"{name}.backup", name),
        ("ledger", "restore", f"{name}.backup", name, "--against", name),
        ("release", name, "--ledger", "empty.ledger", "--count", "--n-max", "5", "--epsilon", "1", "--yes"),
        ("release", f"{name}.toml", "--ledger", name, "--yes"),
        ("verify", name),
        ("verify", f"{name}.json"),
        ("lab", "verify", "snap_half", "--claim", name),
        ("lab", "verify", "snap_half", "--machine", name),
        ("lab", "verify", name),
        ("lab", "attack", name),
        ("lab", "attack", "ties", "--target", name),
        ("registry", name),
        ("registry", "release.json", "--output", name),
        ("lab", "derive", name),
        ("lab", "run", name),
        ("lab", "run", "snap_half", "--set", f"{name}=1"),
        ("derive", name),
        ("bound", name),
        ("bound", "x", "--range", name),
        ("init", f"{name}.toml", "--count", "--n-max", "5", "--epsilon", name),
        ("plan", name, "--sql"),
        ("help", name),
        ("lab", "selftest", "--only", name),
        ("plan", "--count", "--n-max", "5", "--epsilon", "1", "--ledger", name),
        ("ledger", name),
        ("plan", f"--{name}"),
        ("demo", "--directory", f"empty.ledger/{name}"),
        ("serve", "--data", f"nowhere/{name}"),
    ):
        run(*arguments)


@hostile
def test_paths_of_files_that_are_written_may_have_any_name(name):
    folder = Path("f" + name.replace("/", "")[:60])
    folder.mkdir()
    study, data = written(study_values("x"), str(folder / "s.toml")), table("x")
    ledger = str(folder / "people.ledger")
    terms = ["--dataset", "people", "--cap", "9", "--relation", "change-one", "--n", "4"]
    assert run("ledger", "create", ledger, *terms).exit_code == 0
    record, values = str(folder / "r.json"), str(folder / "v.csv")
    files = ["--record", record, "--values", values, "--report", str(folder / "r.html")]
    assert run("release", study, "--data", data, "--ledger", ledger, "--yes", *files).exit_code == 0
    backup, again = str(folder / "b.ledger"), str(folder / "a.ledger")
    assert run("ledger", "backup", ledger, backup).exit_code == 0
    assert run("ledger", "restore", backup, again, "--against", record).exit_code == 0
    pages = ["--certificate", str(folder / "c.json"), "--report", str(folder / "r.html")]
    assert run("verify", record, "--ledger", ledger, *pages).stdout.startswith("ACCEPTED")
    parsed(str(folder / "r.html"))
    assert run("verify", str(folder / "c.json")).exit_code == 0
    assert run("init", str(folder / "i.toml"), "--count", "--n-max", "5", "--epsilon", "1").exit_code == 0
    assert run("lab", "verify", "snap_half", "--report", str(folder / "h.html")).exit_code == 0


# Any encoding


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1", "utf-8"])
def test_every_encoding_of_the_screen_works_and_files_are_whole(encoding):
    name = "東京 ±█ é"
    study, data = written(study_values(name)), table(name)
    terms = ["--dataset", "people", "--cap", "9", "--relation", "change-one", "--n", "4"]
    run("ledger", "create", "people.ledger", *terms, charset=encoding)
    shown = run("plan", study, charset=encoding)
    assert shown.exit_code == 0
    assert ("\\u6771" in shown.stdout) == (encoding != "utf-8")
    assert (re.search(r"\+- [0-9]", shown.stdout) is not None) == (encoding == "ascii")
    done = run(
        "release", study, "--data", data, "--ledger", "people.ledger", "--yes", "--record", "r.json", charset=encoding
    )
    assert done.exit_code == 0
    assert snapdp.load_release("r.json").record["statistics"][0]["columns"][0]["categories"][0] == name
    assert run("verify", "r.json", charset=encoding).stdout.startswith("SOUND")


# Files before screens


def test_files_are_written_even_where_nothing_can_be_printed(monkeypatch):
    from snapdp.cli import plan_screen, release_screen

    def torn(*_: Any, **__: Any) -> None:
        raise BrokenPipeError

    monkeypatch.setattr(release_screen, "table", torn)
    study, data = written(study_values("x")), table("x")
    terms = ["--dataset", "people", "--cap", "9", "--relation", "change-one", "--n", "4"]
    run("ledger", "create", "people.ledger", *terms)
    files = ["--record", "r.json", "--report", "r.html", "--values", "v.csv"]
    monkeypatch.setattr(plan_screen, "show_plan", lambda *_, **__: None)
    CliRunner().invoke(main, ["release", study, "--data", data, "--ledger", "people.ledger", "--yes", *files])
    assert all(Path(name).stat().st_size for name in ("r.json", "r.html", "v.csv"))
    monkeypatch.setattr(plan_screen, "show_plan", torn)
    CliRunner().invoke(main, ["plan", study, "--plot", "p.svg"])
    assert Path("p.svg").stat().st_size
    CliRunner().invoke(main, ["demo"])
    assert Path("snapdp-demo/report.html").stat().st_size


# Passwords


ADDRESSES = [
    "postgresql://ann:S3CR3T@127.0.0.1:1/people",
    "postgres://ann:S3%20CR3T@127.0.0.1:1/people",
    "postgresql://127.0.0.1:1/people?user=ann&password=S3CR3T",
    "postgresql://127.0.0.1:1/people?p%61ssword=S3CR3T",
    "postgresql://ann:x@S3CR3T@127.0.0.1:1/people",
    "POSTGRESQL://ann:S3CR3T@127.0.0.1:1/people",
    "postgresql+psycopg://ann:S3CR3T@127.0.0.1:1/people",
    "host=127.0.0.1 port=1 user=ann password=S3CR3T dbname=people",
    "host=127.0.0.1 password='S3CR3T' dbname=people",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_password_is_printed_by_any_command(address):
    flags = ["--count", "--n-max", "5", "--epsilon", "1", "--yes"]
    terms = ["--dataset", "people", "--cap", "1", "--relation", "add-remove", "--n-max", "5"]
    Path("r.json").write_text("{}")
    for arguments in (
        ["ledger", "create", address, *terms],
        ["ledger", "show", address],
        ["ledger", "history", address],
        ["ledger", "verify", address],
        ["ledger", "backup", address, "b.ledger"],
        ["ledger", "backup", "no.ledger", address],
        ["ledger", "restore", address, "b.ledger"],
        ["ledger", "restore", "no.ledger", address],
        ["release", "people.csv", "--ledger", address, *flags],
        ["release", address, "--table", "t", "--ledger", "no.ledger", *flags],
        ["verify", "r.json", "--ledger", address],
        ["verify", address],
        ["plan", address, "--sql"],
        ["plan", address],
    ):
        for more in ([], ["--json"]):
            done = run(*arguments, *more)
            assert done.exit_code in (1, 2) or " " in address  # a file may have such a name
            assert "CR3T" not in done.output
            assert "S3" not in done.output


def test_a_team_ledger_is_used_without_its_password_on_any_screen():
    from psycopg.conninfo import conninfo_to_dict

    with new_database(postgres_server()) as where:
        given = address(postgres_server(), database=conninfo_to_dict(where)["dbname"], password="S3CR3T")
        terms = ["--dataset", "people", "--cap", "9", "--relation", "change-one", "--n", "4"]
        study, data = written(study_values("x")), table("x")
        files = ["--record", "r.json"]
        for arguments in (
            ["ledger", "create", given, *terms],
            ["ledger", "create", given, *terms],  # it is there already
            ["release", study, "--data", data, "--ledger", given, "--yes", *files],
            ["ledger", "show", given],
            ["ledger", "history", given],
            ["ledger", "verify", given, "--against", "r.json"],
            ["verify", "r.json", "--ledger", given],
        ):
            for more in ([], ["--json"]):
                done = run(*arguments, *more)
                assert "S3CR3T" not in done.output
        assert done.exit_code == 0


# One module prints


def test_no_module_of_the_commands_prints_but_through_the_screen():
    for path in sorted(CLI.rglob("*.py")):
        if path.name == "screen.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                assert called not in ("print", "click.echo", "click.secho", "click.style", "Console"), path.name


def test_every_command_is_among_those_that_were_tried():
    source = Path(__file__).read_text(encoding="utf-8")
    assert all(f'"{name}"' in source for name in COMMANDS)

    # Errors, reprs and pictures

    values = study_values(NAMES["everything"])
    values["statistic"] = values["statistic"][:1]
    done = run("plan", written(values), "--plot", "p.svg")
    assert done.exit_code == 0, done.stderr
    assert "picture: p.svg" in done.stderr
    assert UNSEEN.search(Path("p.svg").read_text(encoding="utf-8")) is None
