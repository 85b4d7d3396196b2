"""From a study back to what a person types: words that ask for exactly it, or why there are none."""

from __future__ import annotations

import json
import random
import shlex
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

import snapdp
from snapdp.api.plan_values import plan_values
from snapdp.cli.app import main
from snapdp.cli.spelling import difference, plan_words, release_file_words, release_words
from snapdp.ledger.rules import identical
from snapdp.release.request import Request
from snapdp.studies.statistics.registry import KINDS
from snapdp.studies.study_file import plan_of, study_to_toml
from snapdp.values import replaced
from tests.cli.running import run
from tests.unit.audits.releases import random_study

PERSONS = {"relation": "add-remove", "n_max": 900, "person": "id", "rows_per_person": 2}
ROWS = {"relation": "add-remove", "n_max": 900}
FIXED = {"relation": "change-one", "n": 900}
AGE = {"kind": "integer", "lower": 0, "upper": 120, "missing": "dropped"}
WHOLE = {**AGE, "missing": "middle"}
PAY = {"kind": "number", "lower": "-10.5", "upper": 9000, "missing": "middle"}
REGION = {"kind": "category", "categories": ["north", "south, east"]}
CODE = {"kind": "category", "categories": ["00", "01"], "compare": "text"}
SEX = {"kind": "boolean", "null": "binned"}
DAY = {"kind": "date", "from": "2024-01-01", "to": "2024-12-31", "each": "month"}
BINNED = {**AGE, "edges": [0, 18, 65, 120], "null": "binned"}
TREE = {**REGION, "parents": {"land: a": {"A;B": ["north", "south, east"]}}}


def declared(relation, columns, *statistics, **more):
    said = {"dataset": "people", **relation, "columns": columns, "statistic": list(statistics), **more}
    return snapdp.study(said).declared


def one(kind, relation=FIXED, *, columns=None, epsilon="0.3", **details):
    return declared(relation, columns or {"age": AGE}, {"kind": kind, "epsilon": epsilon, **details})


SAYABLE = {
    "count": one("count", ROWS),
    "sum": one("sum", column="age"),
    "mean": one("mean", column="pay", columns={"pay": PAY}),
    "means": declared(
        ROWS,
        {"age": WHOLE, "x,y": {**AGE, "missing": 7}},
        {"kind": "mean", "columns": ["age", "x,y"], "epsilon": 1},
    ),
    "complete means": declared(
        ROWS,
        {"age": AGE, "size": {**AGE, "upper": 250}},
        {"kind": "mean", "columns": ["age", "size"], "complete": True, "epsilon": 1},
    ),
    "variance": one("variance", column="age"),
    "covariance": declared(
        ROWS,
        {"pay": PAY, "tax=x": {**PAY, "step": "1/4"}},
        {"kind": "covariance", "columns": ["pay", "tax=x"], "correlation": True, "epsilon": 2},
    ),
    "histogram of categories": one("histogram", column="region", columns={"region": REGION}),
    "histogram of codes": one("histogram", column="code", columns={"code": CODE}),
    "histogram of bins": one("histogram", column="age", edges=[0, 18, 65, 120]),
    "histogram with a bin of missing": one("histogram", column="age", edges=[0, 18, 120], missing="binned"),
    "quantiles": one("quantiles", ROWS, column="age", at=["0.1", "1/2", "0.9"]),
    "quartiles": one("quantiles", ROWS, column="age", at=["0.25", "0.5", "0.75"], branching=5),
    "median": one("quantiles", ROWS, column="age", at=["0.5"]),
    "magnitudes": one("magnitudes", ROWS, column="m", columns={"m": {"kind": "magnitude"}}),
    "persons": one("persons", {**PERSONS, "rows_per_person": 1}),
    "persons by groups": declared(
        PERSONS,
        {"region": REGION, "age": AGE},
        {"kind": "mean", "column": "age", "by": "region", "epsilon": 1},
        {"kind": "persons", "by": "region", "groups_per_person": 2, "epsilon": 1},
    ),
    "unit of several rows": one("sum", {**ROWS, "unit_rows": 4}, column="age"),
    "person of several columns": one("sum", {**PERSONS, "person": ["a, b", "c=d", '"e"']}, column="age"),
    "groups": declared(
        FIXED,
        {"region": REGION, "sex": SEX, "day": DAY, "age": AGE},
        {"kind": "sum", "column": "age", "by": ["region", "sex", "day"], "epsilon": 1},
    ),
    "groups by bins": one("count", by="age", columns={"age": BINNED}),
    "margins": one("count", by=["region", "sex"], margins="all", columns={"region": REGION, "sex": SEX}),
    "some margins": one(
        "count",
        ROWS,
        by=["region", "sex"],
        margins=[["region"], []],
        shares=["0.3", "0.7"],
        columns={"region": REGION, "sex": SEX},
    ),
    "hierarchy": one("count", by="region", margins="hierarchy", columns={"region": TREE}),
    "conditions": declared(
        FIXED,
        {"pay": PAY, "region": {**REGION, "categories": ["north", "south"]}, "day": DAY, "sex": SEX, "age": AGE},
        {
            "kind": "mean",
            "column": "age",
            "epsilon": 1,
            "where": [
                {"column": "day", "from": "2024-03", "below": "2024-07"},
                {"column": "pay", "from": 0, "below": "61/2"},
                {"column": "region", "equals": "north"},
                {"column": "sex", "equals": True},
            ],
        },
    ),
    "accuracy": one("sum", column="age", epsilon=None, accuracy="500", alpha="0.01"),
    "several": declared(
        ROWS,
        {"age": AGE, "size": {**AGE, "upper": 250, "step": 5, "missing": "middle"}, "region": REGION},
        {"kind": "mean", "column": "age", "epsilon": "1/3"},
        {"kind": "sum", "column": "size", "epsilon": "1/3"},
        {"kind": "histogram", "column": "region", "epsilon": "1/3"},
        {"kind": "quantiles", "column": "age", "epsilon": "1/3"},
        {"kind": "count", "epsilon": "1/3"},
    ),
}
UNSAYABLE = {
    "several epsilons": (
        declared(
            ROWS,
            {"age": AGE},
            {"kind": "sum", "column": "age", "epsilon": 1},
            {"kind": "count", "epsilon": 2},
        ),
        "cost different amounts",
    ),
    "another order": (
        declared(
            ROWS,
            {"age": AGE},
            {"kind": "count", "epsilon": 1},
            {"kind": "sum", "column": "age", "epsilon": 1},
        ),
        "stand in another order",
    ),
    "several groups": (
        declared(
            ROWS,
            {"age": AGE, "sex": SEX},
            {"kind": "sum", "column": "age", "by": "sex", "epsilon": 1},
            {"kind": "count", "epsilon": 1},
        ),
        "several groups",
    ),
    "several conditions": (
        declared(
            ROWS,
            {"age": AGE},
            {"kind": "sum", "column": "age", "epsilon": 1},
            {"kind": "count", "where": [{"column": "age", "below": 18}], "epsilon": 1},
        ),
        "several conditions",
    ),
    "a share of the count": (one("mean", ROWS, column="age", count_share="1/5"), "says of count_share"),
    "outside bins": (one("histogram", column="age", edges=[18, 65], outside="binned"), "outside its edges"),
    "unknown cells": (one("histogram", column="g", columns={"g": {**REGION, "unknown": "binned"}}), "not in its list"),
    "rows of one statistic": (one("sum", PERSONS, column="age", rows_per_person=5), "says of rows_per_person"),
    "whole numbers of a condition": (one("count", where=[{"column": "age", "below": 18}]), "only conditions speak"),
    "whole numbers and others": (
        declared(FIXED, {"age": WHOLE, "pay": PAY}, {"kind": "mean", "columns": ["age", "pay"], "epsilon": 1}),
        "all or none",
    ),
    "a range of magnitudes": (
        one("magnitudes", ROWS, column="m", columns={"m": {"kind": "magnitude", "exponents": [0, 20]}}),
        "says of its columns",
    ),
    "a name of two lines": (one("sum", column="a\nb", columns={"a\nb": AGE}), "terminal would obey"),
}


def split(words):
    """Return the flags of a command, each with its value."""
    found = []
    for word in words:
        if word.startswith("--"):
            found.append([word])
        else:
            found[-1].append(word)
    return found


@pytest.mark.parametrize("study", SAYABLE.values(), ids=SAYABLE)
def test_the_command_plans_the_very_request_of_the_study(study):
    spelled = plan_words(study)
    assert spelled.words is not None, spelled.reason
    assert shlex.split(spelled.text) == ["snapdp", *spelled.words]
    planned = json.loads(run(*spelled.words, "--json").stdout)
    assert planned == json.loads(json.dumps(plan_values(plan_of(study), {})))


@pytest.mark.parametrize("study", SAYABLE.values(), ids=SAYABLE)
def test_no_flag_is_idle_and_none_may_say_something_else(study):
    """The twin: without any one of its flags, and with any number in them changed, it is another command."""
    words = plan_words(study).words
    assert words is not None
    assert difference(study, words) == ""
    flags = split(words[1:])
    for place, flag in enumerate(flags):
        others = [flags[:place] + flags[place + 1 :]]
        digits = [at for at, each in enumerate(flag[-1]) if each.isdigit() and each != "0"]  # 0 to 1 may be one step
        if flag[0] == "--accuracy":
            digits = digits[:1]  # 501 needs the epsilon that 500 needs: outputs are on a grid
        for at in digits:
            digit = str((int(flag[-1][at]) + 1) % 10)
            changed = [*flag[:-1], flag[-1][:at] + digit + flag[-1][at + 1 :]]
            others.append([*flags[:place], changed, *flags[place + 1 :]])
        for each in others:
            assert difference(study, [words[0], *(word for one in each for word in one)]), (flag, each)


def test_every_kind_of_statistic_can_be_said_by_flags():
    assert {line.statistic.kind for each in SAYABLE.values() for line in each.asked} == {*KINDS}


@pytest.mark.parametrize(("study", "reason"), UNSAYABLE.values(), ids=UNSAYABLE)
def test_what_flags_cannot_say_has_no_words_and_a_reason(study, reason):
    for spelled in (plan_words(study), release_words(study, data="people.csv", ledger="people.ledger")):
        assert spelled.words is None
        assert spelled.text == ""
        assert reason in spelled.reason
        assert spelled.reason.isprintable()


def check_random(seed):
    """Return whether a study, and how many of its statistics by themselves, have words: all of them are true."""
    study = random_study(random.Random(seed)).declared
    alone = [replaced(study, asked=(each,)) for each in study.asked]
    found = []
    for each in (study, *alone):
        spelled = plan_words(each)
        found.append(spelled.words is not None)
        assert found[-1] or spelled.reason
        if spelled.words is not None:
            made = json.loads(run(*spelled.words, "--json").stdout)
            assert made == json.loads(json.dumps(plan_values(plan_of(each), {})))
    return found


def test_words_of_random_studies_are_true_where_there_are_some():
    every = [each for seed in range(20) for each in check_random(seed)]
    assert sum(every) >= 5  # most ask for what no flag says


@pytest.mark.long
def test_words_of_many_random_studies_are_true_where_there_are_some():
    whole, alone = 0, []
    for seed in range(200):
        first, *others = check_random(seed)
        whole += first
        alone += others
    print(f"{whole} of 200 random studies have words, {sum(alone)} of {len(alone)} of their statistics by themselves")
    assert whole
    assert sum(alone) * 5 > len(alone)


NAMES = ["a,b", 'say "x"', "-x", "--mean", "=1+1", "a=b", "a;b", "'q'", "it's", "north:south", "é ü", "$(id)", "`id`"]
NAMES += ["a b", "x!", "*", "~", "\\", "%s", "#", "a&b", "|", "2024", "1e5", "dropped", "all", "<5", "a>=b"]
LOST = [" pad", "pad ", "new\nline", "\x1b[2J", "\u202e", "\u200b", "tab\tbed"]


def hostile(name):
    """Yield studies in which a name stands in every place."""
    yield one("sum", column=name, columns={name: AGE})
    yield one("histogram", column=name, columns={name: {**REGION, "categories": ["a", "b"]}})
    yield one(
        "histogram", column="g", columns={"g": {"kind": "category", "categories": ["b", name], "compare": "text"}}
    )
    yield one("count", by=[name, "sex"], columns={name: {**REGION, "categories": ["a", "b"]}, "sex": SEX})
    yield declared(ROWS, {name: WHOLE, "age": WHOLE}, {"kind": "mean", "columns": ["age", name], "epsilon": 1})
    yield one("sum", {**PERSONS, "person": ["id", name]}, column="age")
    lands = {**CODE, "categories": ["a", name], "parents": {name: {name: ["a", name]}}}
    yield one("count", by="g", margins="hierarchy", columns={"g": lands})
    yield declared(FIXED, {"age": AGE}, {"kind": "sum", "column": "age", "epsilon": 1}, dataset=name)
    if name.isprintable() and name.strip():
        yield declared(FIXED, {"age": AGE}, {"kind": "sum", "column": "age", "epsilon": 1}, title=name, contact=name)


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_any_name_on_one_line_stands_in_a_command_as_it_is(name):
    for study in hostile(name):
        spelled = release_words(study, data="-people.csv", ledger=name)
        assert spelled.words is not None, (study, spelled.reason)
        assert shlex.split(spelled.text)[1:] == [*spelled.words]


@pytest.mark.parametrize("name", LOST, ids=ascii)
def test_a_name_that_would_be_read_otherwise_or_not_seen_has_words_that_say_it_or_none(name):
    for study in hostile(name):
        spelled = release_words(study, data="people.csv", ledger="people.ledger")
        if spelled.words is None:
            assert spelled.reason
        else:
            assert name == name.strip() or name.strip() == "pad"
            assert spelled.text.isprintable()


def test_a_shell_reads_the_words_as_they_are():
    words = [
        release_words(one("sum", column=each, columns={each: AGE}), data=each, ledger=each).words for each in NAMES
    ]
    every = [word for each in words if each is not None for word in each]
    typed = f"printf '%s\\0' {shlex.join(every)}"
    done = subprocess.run(["sh", "-c", typed], capture_output=True, check=True, text=True, encoding="utf-8")
    assert done.stdout.split("\0")[:-1] == every


def test_conditions_on_names_and_categories_with_signs_have_no_words():
    for name, value in (("a<b", "north"), ("region", "a=b"), ("region!", "north"), (" region", "north")):
        columns = {name: {"kind": "category", "categories": [value, "other"]}}
        spelled = plan_words(one("count", where=[{"column": name, "equals": value}], columns=columns))
        assert spelled.words is None
        assert spelled.reason


# Commands that are run


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{20 + each % 60};{'north' if each % 2 else 'south'}\n" for each in range(100))
    Path("people.csv").write_text(f"age;region\n{rows}", encoding="utf-8")
    with snapdp.Ledger.create("people.ledger") as ledger:
        ledger.create_account("other", cap=1, relation="change-one", rows=5)
        ledger.create_account("people", cap=3, relation="add-remove", rows=900)
    return tmp_path


def spent():
    with snapdp.Ledger.open("people.ledger") as ledger:
        return ledger.account("people").spent


def test_the_command_releases_the_very_request_of_the_study(place):  # noqa: ARG001
    study = declared(
        ROWS,
        {"age": AGE, "region": {"kind": "category", "categories": ["north", "south"]}},
        {"kind": "mean", "column": "age", "by": "region", "epsilon": "1/2"},
        {"kind": "count", "by": "region", "epsilon": "1/2"},
        csv={"delimiter": ";", "null": ["NA", "."], "thousands": "space"},
        title="Who we are",
        publisher='The "office"',
        contact="a@b.example",
        budget=3,
    )
    spelled = release_words(study, data="people.csv", ledger="people.ledger")
    assert spelled.words is not None, spelled.reason
    record = json.loads(run(*spelled.words, "--yes", "--json").stdout)
    asked = Request(dataset="people", plan=plan_of(study))
    assert record["request"] == identical(Fraction(1), asked.declaration)
    assert (record["title"], record["publisher"], record["contact"]) == (study.title, study.publisher, study.contact)
    assert spent() == 1
    again = snapdp.Study(study).release("people.csv", ledger="people.ledger")
    assert again.free
    assert spent() == 1
    planned = plan_words(study, ledger="people.ledger")
    assert json.loads(run(*planned.words, "--json").stdout)["account"]["asked_before"] is True


def test_texts_dialect_and_account_must_be_those_of_the_study():
    study = declared(
        FIXED, {"age": AGE}, {"kind": "sum", "column": "age", "epsilon": 1}, csv={"delimiter": "tab"}, title="A"
    )
    words = release_words(study, data="people.csv", ledger="people.ledger").words
    assert words is not None
    assert "tab" in words
    for old, new in (("tab", ";"), ("A", "B"), ("people", "other"), ("people.csv", "study.toml")):
        assert difference(study, [new if word == old else word for word in words])
    plain = replaced(study, csv=snapdp.CsvDialect())
    assert release_words(plain, data="people.csv", ledger=None).words is not None
    comma = replaced(study, csv=snapdp.CsvDialect(delimiter=";", null=["a,b"]))
    assert "CSV" in release_words(comma, data="people.csv", ledger=None).reason


def test_bounds_of_a_look_need_the_study_file():
    study = declared(
        FIXED, {"age": AGE}, {"kind": "sum", "column": "age", "epsilon": 1}, bounds_from=f"sha256:{'0' * 64}"
    )
    assert "bounds" in release_words(study, data="people.csv", ledger=None).reason


def test_no_password_stands_in_a_command():
    study = SAYABLE["sum"]
    address = "postgresql://ann:s3cret@db/people?password=s3cret"
    spelled = release_words(study, data=address, ledger=address, table="people")
    assert spelled.words is not None
    assert "s3cret" not in spelled.text
    assert spelled.text.startswith("snapdp release postgresql://ann@db/people --table people --sum age ")
    by_file = release_file_words("study.toml", data=address, ledger=address, table="people")
    assert "s3cret" not in by_file.text
    assert by_file.text.endswith("--ledger postgresql://ann@db/people")


def test_what_flags_cannot_say_is_released_by_its_file(place):  # noqa: ARG001
    study, _ = UNSAYABLE["several epsilons"]
    study = replaced(study, csv=snapdp.CsvDialect(delimiter=";"))
    Path("-s.toml").write_text(study_to_toml(study), encoding="utf-8")
    words = release_file_words("-s.toml", data="people.csv", ledger="people.ledger").words
    assert words is not None
    record = json.loads(run(*words, "--yes", "--json").stdout)
    assert record["request"] == identical(Fraction(3), Request(dataset="people", plan=plan_of(study)).declaration)
    assert release_file_words("a\nb.toml", ledger=None).words is None


def test_keys_are_read_from_the_file_that_the_command_names(place):
    Path("keys.csv").write_text("region\nnorth\nsouth\n", encoding="utf-8")
    study = one("count", ROWS, by=["region"], keys="keys.csv", columns={})
    spelled = release_words(study, data="people.csv", ledger="people.ledger")
    assert spelled.words is not None, spelled.reason
    assert "--keys keys.csv" in spelled.text
    Path("keys.csv").write_text("region\nnorth\nwest\n", encoding="utf-8")
    assert "no flag says all that count by region says of keys" in plan_words(study).reason
    (place / "keys.csv").unlink()
    assert "there is no file 'keys.csv'" in plan_words(study).reason


def test_the_ledger_that_is_proposed_has_the_very_columns_of_the_persons(place):
    (place / "people.ledger").unlink()  # the one that is there would be named
    flags = ["--sum", "age", "--bounds", "0,9", "--missing", "0", "--n-max", "9", "--epsilon", "1"]
    refused = CliRunner().invoke(main, ["release", "people.csv", *flags, "--person", "a=b", "--person", '"c, d"'])
    told = " ".join(refused.stderr.split())
    assert told.endswith("""--relation add-remove --n-max 9 --person a=b --person '"c, d"'""")
