"""`snapdp start`: from a file to a report by questions, of which none is lost, and none shows a cell."""

from __future__ import annotations

import ast
import json
import shutil
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner

from snapdp import Ledger
from snapdp.api.outline import about_keys
from snapdp.cli.app import main
from snapdp.cli.start import command as start_command
from snapdp.cli.start.columns import KnownColumns
from snapdp.cli.start.line import KINDS, said_in
from snapdp.cli.start.questions import two_ends
from snapdp.errors import DataError, ParameterError
from snapdp.studies import load_study
from snapdp.tables import StoredColumn
from snapdp.tables.sources.csv import CsvSource
from tests.cli.conversing import END, INTERRUPT, KILL, on_a_terminal, refusals, too_long, without_style
from tests.cli.test_screens import NAMES, UNSEEN
from tests.docs.reference import stated_keys

ROWS = [(31, "1200.50", "north"), (42, "77777.25", "south"), (53, "", "north"), (64, "850", "atlantis")]
ABOUT = [""] * len(about_keys())  # title, publisher and contact, where studies have them
RELATION = ["n", "y", "4"]
AGE, REGION = ["0 to 120", "1", "2"], ["1", "north, south", ""]
LINES = ["average age", *AGE, "count by region", *REGION, "", *ABOUT]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_table("people.csv", ROWS)
    return tmp_path


def write_table(name: str, rows: Sequence[Sequence[Any]], heads: str = "age,income,region") -> None:
    Path(name).write_text("\n".join([heads, *(",".join(map(str, row)) for row in rows), ""]), encoding="utf-8")


def start(*answers: str, flags: Sequence[str] = (), file: str = "people.csv", code: int = 0) -> Any:
    """Run the command with answers, one a line, and an end of input behind them."""
    text = "".join(f"{each}\n" for each in answers)
    done = CliRunner(env={"COLUMNS": "80"}).invoke(main, ["start", file, *flags], input=text)
    assert "broke" not in done.stderr, done.stderr
    assert done.exit_code == code, done.stderr
    return done


def account(name: str = "people") -> Any:
    with Ledger.open(f"{name}.ledger") as ledger:
        return ledger.account(name)


def told(done: Any) -> str:
    return " ".join(done.stderr.split())


# The whole way


def test_one_command_leads_from_a_file_to_a_report():
    done = start(*RELATION, "1", *LINES, "release", "y")
    assert sorted(each.name for each in Path("people-release").iterdir())[-4:] == [
        "record.json", "report.html", "study.toml", "values.csv",
    ]  # fmt: skip
    study = load_study("people-release/study.toml")
    assert [each.statistic.title for each in study.asked] == ["mean(age)", "count by region"]
    assert [each.epsilon for each in study.asked] == [Fraction(1, 2), Fraction(1, 2)]
    assert (study.data, study.dataset, study.relation.rows) == ("../people.csv", "people", 4)
    assert (account().spent, account().cap) == (1, 1)
    assert "north" in done.stdout
    assert not Path("people.start.json").exists()
    for command in ("verify people-release/record.json", "release people-release/study.toml --ledger people.ledger"):
        assert f"  snapdp {command}\n" in done.stderr
        assert CliRunner().invoke(main, command.split()).exit_code == 0
    assert account().spent == 1


def test_the_end_is_told_to_machines_by_json_alone():
    done = start(*RELATION, "1", *LINES, "release", flags=["--json", "--yes"])
    found = json.loads(done.stdout)
    assert found["ok"] is True
    assert found.keys() == stated_keys("`snapdp start`") - {"draft"}
    assert found["charged"] == "1"
    assert found["digest"].startswith("sha256:")
    assert all(Path(found[key]).is_file() for key in ("study", "record", "report", "values", "datapackage", "ledger"))
    stopped = json.loads(start("n", flags=["--json", "--ledger", "other.ledger"], code=1).stdout)
    assert (stopped["ok"], stopped["spent"], stopped["draft"]) == (False, "0", "people.start.json")


def test_flags_answer_questions_that_are_then_not_asked():
    Path("kept").mkdir()
    flags = ["--budget", "1/2", "--directory", "out", "--ledger", "kept/l.ledger", "--dataset", "survey", "--yes"]
    done = start(*RELATION, *LINES, "release", flags=flags)
    assert "How much may be told" not in done.stderr
    assert load_study("out/study.toml").budget == Fraction(1, 2)
    with Ledger.open("kept/l.ledger") as ledger:
        assert ledger.account("survey").spent == Fraction(1, 2)
    assert CliRunner().invoke(main, ["start", "people.csv", "--directory", "out"]).exit_code == 2


def test_answers_that_cannot_be_kept_are_told_once_and_taken_all_the_same():
    done = start(*RELATION, "1", *LINES, "save", flags=["--directory", "people.csv/none"], code=1)
    assert told(done).count("Your answers cannot be kept") == 1
    assert "kept in" not in done.stderr
    assert "! 'people.csv/none' cannot be made" in told(done)


def test_a_file_that_cannot_be_written_hides_no_charge(monkeypatch):
    def full(*_: Any) -> None:
        raise DataError("the disk is full.")

    monkeypatch.setattr("snapdp.drafts.write_text", full)
    done = start(*RELATION, "1", *LINES, "release", flags=["--yes"], code=1)
    assert "The release was made; asking again is free." in told(done)
    assert account().spent == 1


def test_a_study_can_be_saved_and_nothing_is_charged():
    start(*RELATION, "1", *LINES, "save")
    assert load_study("people-release/study.toml").dataset == "people"
    assert not Path("people.ledger").exists()
    start("go on", "release", "y")
    assert load_study("people-release-2/study.toml") == load_study("people-release/study.toml")


def test_nothing_is_charged_or_opened_where_the_last_question_is_declined():
    done = start(*RELATION, "1", *LINES, "release", "n", "release", "", code=1)
    assert done.stderr.count("Nothing was charged.\n") == 3
    assert sorted(each.name for each in Path().iterdir()) == ["people.csv", "people.start.json"]


def test_means_in_odds_are_said_at_once():
    done = start("n", "n", "100", "1/2", code=1)
    assert "the results raise their chance of telling which from 50% to at most 63%" in told(done)


# Answers are checked when they are typed, and kept


def test_every_question_takes_an_answer_again_that_cannot_be_used():
    """Behind a ! what is refused; all that is before and behind it is kept."""
    answers = [
        "!perhaps", "n", "!", "!x", "y", "!-3", "!0", "!4.5", "4", "!0", "!minus", "1",
        "!", "!avrage", "!9", "!average by region", "!count age", "average", "!agee", "!0", "age",
        "!1", "!120, 0", "!a to b", "0..120", "!0", "!fine", "1", "!never", "!-3", "2",
        "!nowhere", "!region, region", "region", "!5", "1", "!a, a", "!,", '!"a', "north, south", "!3", "1",
        "!median region", "table", "!age, region", "2", "!", "4", "!0", "!7", "!3, 2", "!0, x", "0, 50000, 90000",
        "!7", "1", "!income", "", "",
        *ABOUT, "!9", "!", "more", "!3", "2", "!0", "3", "remove", "!0", "1", "!remove", "release",
    ]  # fmt: skip
    done = start(*(each.removeprefix("!") for each in answers), flags=["--yes"])
    assert refusals(done.stderr) == sum(each.startswith("!") for each in answers)
    (asked,) = load_study("people-release/study.toml").asked
    assert (asked.statistic.title, asked.epsilon) == ("histogram(income)", 1)


def test_a_name_that_is_nearly_one_is_suggested_and_enter_takes_it():
    done = start(*RELATION, "1", "average incom by regoin", "", "", "0 to 99", "1", "1", code=1)
    assert 'Did you mean "income"? Enter takes it.' in told(done)
    assert 'Did you mean "region"? Enter takes it.' in told(done)
    assert "What does region hold?" in done.stderr


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("table region, age", "table region by age"),
        ("table 3, 1 by income", "table 3 by 1, income"),
        ("average income, region", "average income by region"),
        ("count region, age", "count by region, age"),
        ("size income, age", "size income"),
        ("tabl region, age", None),
        ("table regoin, age", "table region, age"),
        ("table region, agee", "table region, age"),
    ],
)
def test_a_line_of_several_columns_is_offered_as_it_can_be_meant(line, meant):
    columns = KnownColumns([StoredColumn(name=each) for each in ("age", "income", "region")])
    with pytest.raises(ParameterError) as refusal:
        said_in(line, KINDS, columns)
    assert refusal.value.numbers.get("nearest") == meant
    if meant is not None and " by " in meant:
        assert said_in(meant, KINDS, columns) is not None
        assert f'Did you mean "{meant}"? Enter takes it.' in str(refusal.value)


def test_a_column_whose_name_has_a_comma_is_one():
    columns = KnownColumns([StoredColumn(name="region, east"), StoredColumn(name="age")])
    for line in ("table region, east by age", 'table "region, east" by age', 'table age by "region, east"'):
        said = said_in(line, KINDS, columns)
        assert said is not None
        assert {*(said.about or ()), *(said.by or ())} == {"region, east", "age"}
    said = said_in('average "a, b"', KINDS, KnownColumns())  # where no file says what there is
    assert said is not None
    assert said.about == ("a, b",)


def test_enter_takes_the_line_that_was_meant():
    done = start(*RELATION, "1", "table region, age", "", "table", "3, age", "", code=1)
    assert 'Table takes one column. Did you mean "table region by age"? Enter takes it.' in told(done)
    assert "What does region hold?" in done.stderr
    done = start("2", *RELATION, "1", "table", "3, age", "", code=1)
    assert 'groups of another are asked for next. Enter takes "region".' in told(done)
    assert "Taken: region." in done.stderr


def test_a_column_is_named_by_its_number_or_its_name():
    write_table("numbers.csv", [(1, 2, 3)] * 4, heads="b,1,a")
    answers = ["n", "n", "9", "1", "average", "{}", "0 to 9", "1", "1", "", "", *ABOUT, "save"]
    titles = []
    for place, typed in enumerate(("a", "3", "1")):  # "1" is the name of the second column, and the name it is
        flags = ["--directory", f"out{place}"]
        start("y", *(each.format(typed) for each in answers), file="numbers.csv", flags=flags)
        titles.append(load_study(f"out{place}/study.toml").asked[0].statistic.title)
    assert titles == ["mean(a)", "mean(a)", "mean(1)"]


def test_going_back_asks_what_was_passed_and_keeps_all_other_answers():
    done = start("n", "n", "<", "y", "4", "<", "back", "y", "", "1", *LINES, "<", "", "save")
    assert done.stderr.count("Can one person have several rows") == 1
    assert done.stderr.count("\nHow many rows does the table have?") == 3
    assert "Another number is refused. (Enter: 4)" in told(done)
    study = load_study("people-release/study.toml")
    assert (study.relation.kind, study.relation.rows) == ("change-one", 4)


def test_a_slip_two_questions_ago_is_asked_about_again():
    done = start(*RELATION, "20", "<", "<", "", "2", *LINES, "<", "<", "A title", "", "", "save")
    assert "and makes numbers rougher. (Enter: 20)" in told(done)
    assert "(Enter: 4)" in done.stderr
    assert "9 rows" not in done.stderr  # errors need no guess where all know how many there are
    study = load_study("people-release/study.toml")
    assert (study.budget, study.relation.rows, study.publisher) == (2, 4, "A title")


def test_a_budget_that_hides_nothing_is_kept_only_where_somebody_says_so():
    done = start(*RELATION, "5000", "", "", *LINES, "budget", "5000", "n", "", "budget", "600", "yes", "save")
    assert told(done).count("Epsilon 5000 hides nothing") == 2
    assert done.stderr.count("\nKeep 5000?\n") == 2
    assert done.stderr.count("makes numbers rougher. (Enter: 1)") == 5
    assert load_study("people-release/study.toml").budget == 600


def test_errors_are_shown_for_fewer_rows_than_there_may_be():
    lines = ["n", "n", "5000", "1", "average age", "0 to 120", "1", "1", "", "", *ABOUT]
    done = start(*lines, "rows", "9999", "1500", "rows", "", "save")
    assert "fewer rows, larger errors. Another: type rows. " in told(done)
    assert "9 rows " in told(done)
    assert "9999 is more than the 5000 that there may be." in told(done)
    first, guessed, last = (each.partition("This is")[0] for each in done.stderr.split("Plan: epsilon")[1:])
    assert "if 5,000 rows count" in first == last
    assert "if 1,500 rows count" in guessed


def test_a_guess_of_rows_is_one_of_the_table_and_shared_by_its_groups():
    lines = ["n", "n", "5000", "1", "average age by region", "0 to 120", "1", "1", "1", "north, south", "", "", *ABOUT]
    done = start(*lines, "rows", "?", "1500", "save")
    assert "Errors for how many rows in the table?" in done.stderr
    assert "a guess, of which every group has an equal share." in told(done)
    first, guessed = (each.partition("This is")[0] for each in done.stderr.split("Plan: epsilon")[1:])
    assert "if a group has 2,500 rows" in first
    assert "if a group has 750 rows" in guessed


def test_at_the_first_question_there_is_nothing_to_go_back_to():
    assert "This is the first question." in start("<", code=1).stderr


def _words(call: ast.Call, *names: str) -> set[str]:
    """Return the words that are written for some arguments of a call, by whatever expression."""
    values = [each.value for each in call.keywords if each.arg in names]
    texts = [part.value for value in values for part in ast.walk(value) if isinstance(part, ast.Constant)]
    return {word.strip(".,:;").lower() for text in texts if isinstance(text, str) for word in text.split()}


def test_no_question_explains_itself_by_its_hint_alone():
    """That each has an explanation its class demands; a name stands for a text that several questions share."""
    found = 0
    for path in Path(start_command.__file__).parent.glob("*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(call, ast.Call) and getattr(call.func, "id", "") in ("Question", "which")):
                continue
            assert any(each.arg in ("more", "why") for each in call.keywords), (path.name, call.lineno)
            told = _words(call, "more", "why")
            found += bool(told)
            assert not told or len(told - _words(call, "hint", "text")) >= 8, (path.name, call.lineno)
    assert found > 25


def test_rows_that_nothing_counts_are_explained():
    done = start("y", "", "?", code=1)
    assert "Somebody with more rows than that is protected less" in told(done)
    assert told(done).count("it is believed") == 1  # the hint is not said again


def test_a_question_explains_itself():
    done = start("?", "help", code=1)
    assert told(done).count("all of them are protected together") == 2


def test_one_answer_can_be_changed_and_what_it_spoils_is_asked_again():
    answers = ["n", "y", "4", "1", "average age", "0 to 120", "1", "1", "table age", "0, 60, 120", "", *ABOUT]
    done = start(*answers, "change", "6", "0 to 100", "0, 50, 100", "save")
    assert done.stderr.count("\nBetween which edges is age counted?") == 2
    assert load_study("people-release/study.toml").column("age").edges == (0, 50, 100)
    assert done.stderr.count("\nHow many rows does the table have?") == 1


def test_another_statistic_is_asked_for_its_own_column():
    answers = [*RELATION, "1", "average", "age", *AGE, "", "", *ABOUT]
    done = start(*answers, "change", "5", "count", "region", *REGION, "save")
    assert load_study("people-release/study.toml").asked[0].statistic.title == "count by region"
    assert "In the groups of which column?" in done.stderr


def test_the_plan_can_be_changed():
    more = ["more", "1", "3", "add", "table region", "remove", "2", "budget", "2", "release"]
    start(*RELATION, "1", *LINES, *more, flags=["--yes"])
    asked = load_study("people-release/study.toml").asked
    assert [(each.statistic.title, each.epsilon) for each in asked] == [
        ("mean(age)", Fraction(3, 2)),
        ("histogram(region)", Fraction(1, 2)),
    ]
    assert account().cap == 2


def test_a_statistic_that_is_not_defined_is_left_out_and_the_others_are_kept():
    done = start(*RELATION, "1", "average age", *AGE, "average age", "", *ABOUT, "save")
    assert "This one is left out; the others are kept." in told(done)
    assert len(load_study("people-release/study.toml").asked) == 1


@pytest.mark.parametrize(
    ("line", "title"),
    [
        (["total", "age", *AGE, ""], "sum(age)"),
        (["spread age", *AGE], "variance(age)"),
        (["5 1", *AGE, ""], "quantiles(age)"),
        (["together age, income", *AGE, "0 90000", "0.01", "1"], "covariance(age, income)"),
        (["size income"], "magnitudes(income)"),
        (["count", "region", *REGION], "count by region"),
    ],
)
def test_every_kind_of_statistic_has_a_word(line, title):
    start(*RELATION, "1", *line, "", *ABOUT, "release", flags=["--yes"])
    assert load_study("people-release/study.toml").asked[0].statistic.title == title


def test_values_too_fine_for_medians_are_asked_to_be_rounded_more_coarsely():
    lines = ["average income", "0 to 90,000", "0.01", "1", "median income", "0.01", "100", "", "", *ABOUT]
    done = start(*RELATION, "1", *lines, "release", flags=["--yes"])
    assert "! This is still too fine." in done.stderr
    assert load_study("people-release/study.toml").column("income").step == 100
    assert len(load_study("people-release/study.toml").asked) == 2


@pytest.mark.parametrize("text", ["0 to 20.000", "1.234 to 9", "0 to 1.234.567"])
def test_a_point_that_may_stand_between_thousands_is_asked_about(text):
    assert "can be read in two ways." in told(start(*RELATION, "1", "average income", text, code=1))


@pytest.mark.parametrize(("text", "advice"), [("5.000", "Type 5 or 5000."), ("1.250", "Type 1.25 or 1250.")])
def test_a_number_of_rows_with_such_a_point_is_asked_about_too(text, advice):
    assert f'"{text}" can be read in two ways. {advice}' in told(start("n", "y", text, code=1))


def test_an_answer_can_be_taken_back_where_none_is_needed():
    lines = [*RELATION, "1", "average age", *AGE, "", "Wrong title", "<", "-", *ABOUT[1:], "save"]
    done = start(*lines)
    assert "(Enter: Wrong title; - for none)" in done.stderr
    assert "title" not in Path("people-release/study.toml").read_text(encoding="utf-8")


def test_codes_in_a_row_are_named_by_their_ends():
    write_table("people.csv", [(1, 1980, 3)] * 4)
    done = start(*RELATION, "1", "table 2", "1", "1980..1982, other", "", "", *ABOUT, "save")
    assert "Compared as text: a cell 1.0 is not 1." in done.stderr
    assert load_study("people-release/study.toml").column("income").categories == ("1980", "1981", "1982", "other")
    done = start("2", *RELATION, "1", "table 2", "1", "1..2000", code=1)
    assert "more than 1000 codes" in done.stderr


# Stopping and going on


@pytest.mark.parametrize("stop", ["quit", None])
def test_whoever_stops_goes_on_where_it_was(stop):
    answers = [*RELATION, "1", *LINES]
    for first in range(0, len(answers), 3):
        flags = ["--directory", f"out{first}", "--ledger", f"{first}.ledger"]
        done = start(*answers[:first], *([stop] if stop else []), flags=flags, code=1)
        assert "Nothing was charged." in done.stderr
        begun = ["1"] if first else []
        start(*begun, *answers[first:], "save", flags=flags)
        assert len(load_study(f"out{first}/study.toml").asked) == 2


def test_answers_of_before_can_be_thrown_away():
    start("n", "n", code=1)
    done = start("start over", *RELATION, "1", *LINES, "save")
    assert "people.start.json has 2 answers of before." in done.stderr
    assert load_study("people-release/study.toml").relation.kind == "change-one"


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"snapdp_start": 9}', "\x00", "[" * 99_999])
def test_a_draft_that_is_none_is_told_and_not_overwritten_without_a_word(text):
    Path("people.start.json").write_text(text, encoding="utf-8")
    done = start(code=1)
    assert "is no draft of answers" in told(done)
    assert Path("people.start.json").read_text(encoding="utf-8") == text
    start("1", "n", code=1)
    assert json.loads(Path("people.start.json").read_text(encoding="utf-8"))["answers"] == [[["several"], "n"]]


def test_answers_about_other_columns_are_not_taken():
    start(*RELATION, "1", "average 1", "0 to 9", code=1)
    write_table("people.csv", ROWS, heads="income,age,region")
    done = start("go on", *RELATION, "1", *LINES, "save")
    assert "The file has other columns than before" in told(done)


def test_whoever_is_killed_has_all_answers():
    shown, code = on_a_terminal(["start", "people.csv"], [*RELATION, "1", "average age", KILL])
    assert code < 0
    assert "average age" in shown
    draft = json.loads(Path("people.start.json").read_text(encoding="utf-8"))
    assert [text for _, text in draft["answers"]] == [*RELATION, "1", "average age"]
    start("go on", *LINES[1:], "save")
    assert list(Path().glob(".snapdp-*")) == []


# The ledger


def test_an_account_that_is_there_is_used_and_nothing_is_asked_twice():
    start(*RELATION, "1", *LINES, "budget", "2", "release", flags=["--yes"])
    with Ledger.create("more.ledger") as ledger:
        ledger.create_account("people", cap=1, relation="change-one", rows=4)
    done = start("3", "", "average age", *AGE, "", *ABOUT, "release", "y", flags=["--ledger", "more.ledger"])
    assert "more.ledger knows this dataset: 1 of 1 is left." in told(done)
    assert "Can one person" not in done.stderr
    assert "The ledger has 1 left." in told(done)
    assert refusals(done.stderr) == 1
    assert load_study("people-release-2/study.toml").budget == 1
    refused = start(flags=["--ledger", "more.ledger"], code=1)
    assert "all of 1 was spent" in told(refused)


def test_an_account_for_persons_is_asked_as_it_was_opened():
    write_table("visits.csv", [(1, 30), (1, 40), (2, 50)], heads="id,minutes")
    answers = ["y", "id", "2", "100", "average minutes", "0 to 60", "1", "1", "people", "", "", *ABOUT]
    start(*answers, "release", flags=["--yes", "--budget", "1"], file="visits.csv")
    assert account("visits").unit == "person (id)"
    study = load_study("visits-release/study.toml")
    assert [each.statistic.title for each in study.asked] == ["mean(minutes)", "persons"]
    assert (study.relation.person, study.relation.rows_per_person) == ("id", 2)
    with Ledger.create("more.ledger") as ledger:
        ledger.create_account("visits", cap=1, relation="add-remove", rows=100, person="id")
    more = ["3", "1", "count", "", "", *ABOUT, "release"]
    done = start(*more, flags=["--yes", "--ledger", "more.ledger"], file="visits.csv")
    assert "At most how many rows of one person are counted?" in done.stderr
    assert load_study("visits-release-2/study.toml").relation.rows_per_person == 3


def test_rows_of_one_person_that_no_column_names_are_protected_together():
    start("y", "", "12", "100", "1", "count", "", "", *ABOUT, "save")
    assert load_study("people-release/study.toml").relation.unit_rows == 12


def test_what_a_release_would_refuse_is_told_before_anything_is_opened():
    done = start("n", "y", "5", "1", *LINES, "release", code=1)
    assert "\n! " in done.stderr
    assert "Release it, and charge" not in done.stderr
    assert not Path("people.ledger").exists()
    assert not Path("people-release").exists()
    start("1", "change", "3", "4", "release", "y")
    assert account().rows == 4


# The file


def test_no_row_is_read_before_a_release(monkeypatch):
    def prepare(*_: Any) -> int:
        raise AssertionError("the rows were read")

    monkeypatch.setattr(CsvSource, "prepare", prepare)
    start(*RELATION, "1", *LINES, "save")


def test_nothing_that_is_shown_or_kept_depends_on_a_cell():
    answers = [*RELATION, "1", *LINES, "release", "n", "quit"]
    shown, kept = [], []
    for rows in (ROWS, [(9, "nine", "x y z")] * 4):
        write_table("people.csv", rows)
        shown.append(start(*answers, code=1).output)
        kept.append(Path("people.start.json").read_bytes())
        Path("people.start.json").unlink()
    assert shown[0] == shown[1]
    assert kept[0] == kept[1]
    assert "atlantis" not in shown[0]


def test_a_look_is_for_a_terminal_and_leaves_nothing_behind():
    done = start(*RELATION, "1", *LINES, "look", code=1)
    assert "shown on a terminal only" in told(done)
    before = Path("people.start.json").read_bytes()
    shown, _ = on_a_terminal(["start", "people.csv"], ["1", "look", "quit"])
    assert "Classes are shares of all rows" in shown
    assert "change no bound or category because of it. One that was mistyped may be put right" in " ".join(
        shown.split()
    )
    assert Path("people.start.json").read_bytes() == before


def test_semicolons_and_decimal_commas_are_asked_for():
    Path("people.csv").write_text("alter;lohn\n31;1.200,50\n42;900\n", encoding="utf-8")
    answers = ["y", "3", "n", "y", "2", "1", "average lohn", "0 to 5000", "0.01", "2", "", *ABOUT, "release"]
    done = start(*answers, flags=["--yes"])
    assert "1 alter   2 lohn" in done.stderr
    study = load_study("people-release/study.toml")
    assert study.csv is not None
    assert (study.csv.delimiter, study.csv.decimal, study.csv.thousands) == (";", ",", ".")


def test_names_in_quotes_and_flags_are_read_as_they_are():
    Path("people.csv").write_bytes('"Alter";"Größe"\n31;1,80\n42;1,75\n'.encode("latin-1"))
    assert "written in Latin-1?" in told(start(code=1))
    answers = ["y", "n", "y", "2", "1", "average 2", "0 to 3", "0.01", "2", "", *ABOUT, "release"]
    start(*answers, flags=["--yes", "--encoding", "latin-1", "--decimal", ","])
    csv = load_study("people-release/study.toml").csv
    assert csv is not None
    assert (csv.delimiter, csv.decimal, csv.encoding) == (";", ",", "latin-1")


def test_of_several_tables_in_a_file_one_is_asked_for():
    with duckdb.connect("all.duckdb") as made:
        made.execute("CREATE TABLE a (x INTEGER, day DATE, ok BOOLEAN); CREATE TABLE b (y INTEGER)")
        made.execute("INSERT INTO a VALUES (1, DATE '2024-01-02', true)")
    answers = ["[c]", "a", "n", "n", "9", "1", "[average day]", "table ok", "", "", "average x", "0 9", "1", "1", ""]
    done = start(*(each.strip("[]") for each in answers), *ABOUT, "release", file="all.duckdb", flags=["--yes"])
    assert refusals(done.stderr) == 2
    assert "1 x   2 day   3 ok" in done.stderr
    assert "--ledger all.ledger --table a" in done.stderr
    assert "(Enter: yes/no)" in done.stderr


def test_a_first_line_that_may_be_one_of_cells_is_not_shown():
    write_table("people.csv", ROWS[1:], heads="31,1200.50,north")
    done = start("n", code=1)
    assert "needs names for its columns" in told(done)
    assert "1200" not in done.output
    assert not Path("people.start.json").exists()


def test_files_of_other_programs_are_refused_before_a_question():
    Path("people.xlsx").write_bytes(b"PK")
    assert "Save As" in told(start(file="people.xlsx", code=1))


# What it looks like


HOSTILE = ["esc", "bidi", "markup", "quotes", "long", "everything"]


def test_names_from_outside_are_shown_harmlessly():
    names = [NAMES[each] for each in HOSTILE] + ["", "twice", "twice"]
    heads = ",".join('"' + each.replace("\n", " ").replace("\r", " ").replace('"', '""') + '"' for each in names)
    write_table("people.csv", [[1] * len(names)] * 4, heads=heads)
    answers = ["y", *RELATION, "1", "average", "7", "8", "1", "0 to 9", "1", "1", "6", "1", "a, b", "", "", *ABOUT]
    done = start(*answers, "release", flags=["--yes"])
    assert UNSEEN.search(done.stderr + done.stdout) is None
    assert "This column has no name." in done.stderr
    assert "several columns named twice" in told(done)


@pytest.mark.parametrize("settings", [{}, {"NO_COLOR": "1", "TERM": "dumb", "PYTHONIOENCODING": "ascii"}])
def test_every_line_fits_a_terminal_of_80_columns(settings):
    shutil.copy("people.csv", "a-table-whose-name-is-long-enough-to-wrap-lines.csv")
    answers = ["?", *RELATION, "?", "1", "?", "average nothing", *LINES, "change", "", "release", "y", "y"]
    shown, code = on_a_terminal(["start", "people.csv"], answers, **settings)
    assert code == 0, shown
    assert too_long(shown) == []
    if settings:
        assert shown == without_style(shown)
        assert shown.isascii()


def test_an_interrupt_and_an_end_of_input_keep_the_answers():
    for stop in (INTERRUPT, END):
        Path("people.start.json").unlink(missing_ok=True)
        shown, code = on_a_terminal(["start", "people.csv"], [*RELATION, stop])
        assert code == 1
        assert "Your answers are kept in people.start.json. To go on:\n  snapdp start people.csv\n" in shown


@pytest.mark.parametrize(
    ("text", "ends"), [("0 to 120", ("0", "120")), ("0,120", ("0", "120")), ("-1.5 .. 1e3", ("-1.5", "1e3"))]
)
def test_two_ends_are_read_as_people_write_them(text, ends):
    assert two_ends(text) == ends
