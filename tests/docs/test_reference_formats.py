"""Results in JSON have the keys that the reference states, and the SQL of a ledger is the one of its file."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from snapdp.cli import app
from snapdp.ledger.storage.schema import schema_text
from tests import ROOT
from tests.docs.reference import page, rows, section, stated_keys, words

from snapdp_reference import generated, requests  # isort: skip

KEPT = ROOT / "tests" / "vectors" / "releases"


# The ledger


def test_the_sql_of_a_file_is_on_the_page():
    assert schema_text("sqlite").strip() in generated("ledger-schema", "sqlite")


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
    ("lab claims --epsilon 1 --sensitivity 1 --bound 10 --grid 4 --if-value 0", "`snapdp lab claims`", set()),
    ("lab selftest --list", "`snapdp lab selftest`", {"seed", "quick", "versions", "error", "advice", "--list"}),
    ("lab attack --list", "`snapdp lab attack` --list", set()),
    ("lab attack returned-noise --target numpy --trials 50", "`snapdp lab attack`", set()),
]


SLOW = "lab claims"  # it computes every claim of the notes
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


def test_a_key_means_in_a_request_what_the_request_says_of_it_and_else_what_another_one_says(monkeypatch):
    def schema(told: str) -> dict:
        return {"description": f"A request.\n\n{told}", "properties": {"n": {}, "m": {}}}

    schemas = {"A": schema("n  of A\nm  how many"), "B": schema("n  of B")}
    monkeypatch.setattr(requests, "openapi", lambda: {"components": {"schemas": schemas}})
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}}
    (taken,) = requests._taken({"requestBody": body})
    assert [line[3] for line in rows(taken)] == ["of A", "how many"]
