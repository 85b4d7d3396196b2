"""The reference has every field of records, every key of studies, every column of ledgers, and every key of JSON."""

from __future__ import annotations

import json
import re
import sqlite3

import pytest
from click.testing import CliRunner

from snapdp.audits import check_program as check, check_release
from snapdp.audits.release_audit import release_certificate
from snapdp.cli import app
from snapdp.ledger import chain
from snapdp.ledger.storage import sqlite_connection as sqlite_link, storage
from snapdp.ledger.storage.schema import expected_schema, schema_text
from snapdp.release import record
from snapdp.studies import study_file as reader
from snapdp.studies.categories import KIND_KEYS
from snapdp.studies.statistics.registry import KINDS
from snapdp.studies.statistics.statistic import CONDITION_KEYS
from tests import ROOT
from tests.docs.reference import page, rows, section, stated_keys, words

from snapdp_reference import commands, generated, requests  # isort: skip

KEPT = ROOT / "tests" / "vectors" / "releases"

# The record


def record_tables(text: str) -> dict[str, dict[str, list[str]]]:
    """Return the rows of the page, by the place in a record and the field."""
    places = {
        "record": "## The whole record",
        **{name: f"## `{name}`" for name in record.ALLOWED if name not in ("record", "column")},
    }
    found = {
        place: {words(line[0])[0]: line for line in rows(section(text, heading))} for place, heading in places.items()
    }
    found["by"] = {**found["columns"], **found["by"]}
    return {**found, "column": found["columns"]}


def fields_of_records() -> dict[str, set[str]]:
    details = {key for kind in KINDS.values() for key in kind.details}
    return {place: fields | (details if place == "statistics" else set()) for place, fields in record.ALLOWED.items()}


def test_every_field_of_a_record_has_its_line_and_no_other():
    tables = record_tables(page("record.md"))
    expected = fields_of_records()
    assert tables.keys() == expected.keys()
    assert {place: wrong for place, fields in expected.items() if (wrong := tables[place].keys() ^ fields)} == {}


def test_a_field_of_a_record_has_the_kind_that_is_checked():
    for place, lines in record_tables(page("record.md")).items():
        for field, line in lines.items():
            kind = line[1]
            assert (kind == "whole number") == (field in record.WHOLE_NUMBERS and place != "versions"), (place, field)
            assert (kind == "true or false") == (field in record.TRUTHS), (place, field)
            assert ("objects" in kind) == (field in record.ROWS | record.TABLE_OR_ROWS), (place, field)
            if field in record.LISTS and not (place == "statistics" and field == "outside"):
                assert kind.startswith("list of "), (place, field)


@pytest.mark.parametrize("path", sorted(KEPT.glob("record*.json")), ids=lambda path: path.stem)
def test_the_fields_of_records_are_in_the_tables(path):
    tables = record_tables(page("record.md"))
    found = json.loads(path.read_text(encoding="utf-8"))

    def look(place: str, values: dict) -> None:
        for key, value in values.items():
            assert key in tables[place], (place, key)
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, dict):
                    look(key, each)

    look("record", found)


# The study file


def study_rows(heading: str) -> dict[str, list[str]]:
    return {words(line[0])[0]: line for line in rows(section(page("study-file.md"), heading))}


def test_every_key_of_a_study_has_its_line():
    top = study_rows("## Top of the file")
    assert set(top) == set(reader.STUDY_KEYS)
    assert set(study_rows("## `[csv]`")) == set(reader.CSV_KEYS)
    assert set(study_rows("## `where`")) == set(CONDITION_KEYS)


def test_every_key_of_a_column_has_its_line_and_kinds():
    kinds = {**KIND_KEYS, **dict.fromkeys(("number", "integer"), (*reader.NUMBER_KEYS, *reader.BIN_KEYS))}
    found = study_rows("## `[columns.NAME]`")
    assert set(found) == {key for keys in kinds.values() for key in keys}
    for key, line in found.items():
        takes = {kind for kind, keys in kinds.items() if key in keys}
        assert (set(kinds) if line[1] == "all" else set(line[1].split(", "))) == takes, key


REFUSED = {("by", "magnitudes"), ("keys", "magnitudes"), ("keys", "quantiles")}  # read, to say that there are none


def test_every_key_of_a_statistic_has_its_line_and_kinds():
    found = study_rows("## `[[statistic]]`")
    takes = {key: {name for name, kind in KINDS.items() if key in kind.toml_keys()} for key in found}
    assert set(found) == {*reader.COST_KEYS, *(key for kind in KINDS.values() for key in kind.toml_keys())}
    for key, line in found.items():
        known = set(KINDS) if line[1] == "all" else set(line[1].split(", "))
        assert known == (takes[key] or set(KINDS)) - {kind for of, kind in REFUSED if of == key}, key
    assert set(words(found["kind"][3])) == {f'"{kind}"' for kind in KINDS}


# The ledger


def test_every_table_and_column_of_a_ledger_has_its_line():
    text = page("ledger-format.md")
    made = expected_schema()
    with sqlite3.connect(":memory:") as connection:
        for name, statement in made.items():
            if statement.startswith("CREATE TABLE"):
                connection.execute(statement)
                lines = {words(line[0])[0]: line[1] for line in rows(section(text, f"### `{name}`"))}
                columns = connection.execute(f"SELECT name, type FROM pragma_table_info('{name}')").fetchall()
                assert lines == dict(columns), name
    connection.close()
    assert [name for name, each in made.items() if each.startswith("CREATE TABLE")] == re.findall(
        r"^### `(\w+)`$", text, re.M
    )


def test_every_pragma_and_field_of_an_entry_has_its_line():
    text = page("ledger-format.md")
    shown = {name: line[1] for line in rows(section(text, "### Pragmas")) for name in words(line[0])}
    assert shown | dict(each.split(" = ") for each in sqlite_link.SETTINGS) == shown
    assert f"0x{sqlite_link.APPLICATION:X}" in shown["application_id"]
    common, *_ = re.findall(r"\| field \|.*?\n\n", section(text, "## Bodies of entries"), re.DOTALL)
    assert {words(line[0])[0] for line in rows(common)} == chain.COMMON
    own = [line for line in rows(section(text, "## Bodies of entries")) if len(line) == 4]
    fields = {(words(line[0])[0], words(line[1])[0]): line for line in own}
    assert set(fields) == {(kind, field) for kind, names in chain.FIELDS.items() for field in names}
    for (_, field), line in fields.items():
        expected = "whole number" if field in chain.NUMBERS else "object" if field in chain.TABLES else "text"
        assert line[2] == expected, field
    assert f"The format is {storage.FORMAT}." in text


def test_the_sql_of_a_file_is_on_the_page():
    assert schema_text("sqlite").strip() in generated("ledger-schema", "sqlite")


# Certificates


def keys_in(text: str) -> set[str]:
    return {word for line in rows(text) for word in words(line[0])}


def test_every_key_of_a_certificate_has_its_line_and_no_other():
    """By the closed lists of the checker of programs; that of releases is closed as well."""
    text = page("certificates.md")
    of_program, of_witness = section(text, "## Of a program").split("A witness has these.")
    assert keys_in(of_program) == check.ALWAYS.union(*check.ONLY.values())
    assert keys_in(of_witness) - set().union(*check.WITNESS.values()) == {"kind", "f", "f_prime", "output"}
    assert keys_in(of_witness) > set().union(*check.WITNESS.values())
    of_release, _ = section(text, "## Of a release").split("From what the record declares")
    made = release_certificate(json.loads((KEPT / "record.json").read_text(encoding="utf-8")))
    assert made.keys() == keys_in(of_release)


def test_the_premises_of_releases_are_those_of_the_checker():
    shown = [
        f"{line[0]} {line[1]}"
        for line in rows(page("certificates.md"))
        if line[1:2] and line[1] in ("proved", "tested", "assumed")
    ]
    assert sorted(shown) == sorted(check_release.PREMISES.split(", "))


# JSON


PLAN = "plan --mean age --bounds 0,120 --missing middle --n 5000 --epsilon 0.5"
BARE = "lab plan --sensitivity 1 --bounds 0,10 --epsilon 1 --if-value 5 --if-output 9.5"
CREATE = "ledger create l.ledger --dataset x --cap 1 --relation change-one --n 50"


RESULTS = [  # what is typed, the line of the page, and its keys that stand there only with other words
    (PLAN, "`snapdp plan` STUDY", {"account", "--ledger"}),
    (BARE, "`snapdp lab plan`", {"--if-value", "--if-output"}),
    (CREATE, "`snapdp ledger create`, `amend`", {"create"}),
    ("ledger show l.ledger", "`snapdp ledger show`", set()),
    ("ledger history l.ledger", "`snapdp ledger history`", set()),
    ("ledger composed l.ledger", "`snapdp ledger composed`", set()),
    ("ledger verify l.ledger", "`snapdp ledger verify`", set()),
    ("ledger backup l.ledger b.ledger", "`snapdp ledger backup`", set()),
    (f"init s.toml {PLAN.removeprefix('plan ')}", "`snapdp init`", set()),
    ("plan s.toml --sql", "`snapdp plan --sql`", set()),
    ("lab verify snap_half --certificate h.json", "`snapdp lab verify` PROGRAM", set()),
    ("verify h.json", "`snapdp verify` CERTIFICATE", {"certificates"}),
    ("lab derive snap_half", "`snapdp lab derive`", {"rules", "warning", "--rules"}),
    ("lab run snap_half --f 3 --U 0.3 --S -1", "`snapdp lab run`", set()),
    ("lab bound 1/(x*x+1) --range x=0,1", "`snapdp lab bound`", {"cores"}),
    ("lab compare --epsilons 1", "`snapdp lab compare`", set()),
    ("lab bits --epsilon 0.5 --sensitivity 1 --bounds 0,1000 --bits 118", "`snapdp lab bits`", set()),
    ("help epsilon", "`snapdp help`", {"topics"}),
    ("ledger restore l.ledger b.ledger --no-record", "`snapdp ledger restore`", set()),
    (f"registry {KEPT}/record.json", "`snapdp registry`", set()),
    (f"verify {KEPT}/record-median.json", "`snapdp verify` RECORD", set()),
    ("lab published --epsilon 1 --sensitivity 1 --bound 10 --grid 4 --if-value 0", "`snapdp lab published`", set()),
    ("lab selftest --list", "`snapdp lab selftest`", {"seed", "quick", "versions", "error", "advice", "--list"}),
    ("lab attack --list", "`snapdp lab attack` --list", set()),
    ("lab attack returned-noise --target numpy --trials 50", "`snapdp lab attack`", set()),
]
NEED_MORE = {  # a person, noise and a ledger, a server: tests/cli compares their results
    "`snapdp release`, `snapdp explore`", "`snapdp serve`",
}  # fmt: skip


def test_every_line_of_results_is_compared_with_a_result():
    lines = [line[0] for line in rows(section(page("json-api.md"), "## Commands").partition("| command |")[2])]
    assert {*lines} == {line for _, line, _ in RESULTS} | NEED_MORE


SLOW = "lab published"  # it computes every claim of the notes
EACH = [pytest.param(*each, marks=[pytest.mark.long] * each[0].startswith(SLOW)) for each in RESULTS]


@pytest.mark.parametrize(("typed", "line", "others"), EACH)
def test_results_have_the_keys_that_the_page_states(typed, line, others, tmp_path, monkeypatch):
    """In one directory, one after the other: what a command needs, another has made."""
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()
    if "l.ledger" in typed and not typed.startswith("ledger create"):
        runner.invoke(app.main, CREATE.split())
    if typed == "plan s.toml --sql":
        runner.invoke(app.main, [*f"init s.toml {PLAN.removeprefix('plan ')}".split()])
    if typed == "verify h.json":
        runner.invoke(app.main, ["lab", "verify", "snap_half", "--certificate", "h.json"])
    done = runner.invoke(app.main, [*typed.split(), "--json"])
    assert done.exit_code in (0, int("attack" in typed)), done.output  # 1 is a verdict there
    result = json.loads(done.stdout)
    assert set(result[0] if isinstance(result, list) else result) == stated_keys(line) - others


def test_a_refusal_has_the_keys_that_the_page_states():
    done = CliRunner().invoke(app.main, ["ledger", "show", "nowhere.ledger", "--json"])
    head = section(page("json-api.md"), "## Commands").partition("`inspect`")[0]
    assert set(json.loads(done.stdout)) | {"try"} == {words(line[0])[0] for line in rows(head)}


ALSO = {"ledger amend"}  # on the line of `ledger create`


def test_every_command_with_json_has_its_keys_stated():
    text = section(page("json-api.md"), "## Commands")
    for path, each in commands.every_command().items():
        if any("--json" in option.opts for option in each.params):
            assert f"`snapdp {path}`" in text or path in ALSO, path


def must_be_given(text: str) -> set[str]:
    """Return what a section says that a request takes, but for what may be left out."""
    return {words(line[0])[0] for line in rows(text) if len(line) == 4 and line[2] != "may be left out"}


def required(said: dict) -> set[str]:
    """Return what a request must be given: keys of its body, and what stands in its address."""
    in_address = {each["name"] for each in said.get("parameters", ()) if each.get("required")}
    body = said.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    name = body.get("$ref", "").rpartition("/")[2]
    return in_address | set(requests.openapi()["components"]["schemas"].get(name, body).get("required", ()))


def test_every_request_of_the_page_is_described_with_all_that_it_takes():
    text = generated("requests")
    for path, ways in requests.openapi()["paths"].items():
        for method in ways:
            assert f"### {method.upper()} {path}\n\n" in text
            assert must_be_given(section(text, f"### {method.upper()} {path}")) == required(ways[method]), path
    taken = [line for line in rows(text) if len(line) == 4]
    assert [line for line in taken if not line[3]] == []
    assert text.count("\n| it answers |") > 5
    assert "\n\nIt answers with a file." in section(text, "### GET /api/file")


def test_every_key_of_a_refusal_and_every_status_of_the_page_has_its_line():
    from snapdp.web.app import REFUSALS
    from snapdp.web.schema import RefusalBody

    keys = [words(line[0])[0] for line in rows(section(page("json-api.md"), "### Refusals"))]
    assert keys == [*RefusalBody.model_fields]
    shown = rows(section(page("errors.md"), "## On the page").partition("What the page")[0])
    assert sorted(int(status) for line in shown for status in line[0].split(", ")) == sorted(REFUSALS)


def test_a_key_means_in_a_request_what_the_request_says_of_it_and_else_what_another_one_says(monkeypatch):
    def schema(told: str) -> dict:
        return {"description": f"A request.\n\n{told}", "properties": {"n": {}, "m": {}}}

    schemas = {"A": schema("n  of A\nm  how many"), "B": schema("n  of B")}
    monkeypatch.setattr(requests, "openapi", lambda: {"components": {"schemas": schemas}})
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}}
    (taken,) = requests._taken({"requestBody": body})
    assert [line[3] for line in rows(taken)] == ["of A", "how many"]
