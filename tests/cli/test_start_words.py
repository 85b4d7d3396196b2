"""`snapdp start` in the hands of somebody new: what is typed loosely, what stands on the screen, what is said when."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

from snapdp import Ledger
from snapdp.cli.app import main
from snapdp.cli.learn.demo import people, table_text
from snapdp.cli.plans.screen import weak_lines
from snapdp.cli.start.questions import number, two_ends, two_numbers
from snapdp.errors import ParameterError
from snapdp.studies import load_study, plan_of
from tests.cli.conversing import on_a_terminal, refusals, without_style
from tests.cli.test_start import ABOUT, AGE, LINES, RELATION, place, start, told, write_table  # noqa: F401
from tests.docs.test_guide_start import ANSWERS

MENU = 8  # choices below the plan
LATIN = '"Alter";"Größe"\n31;1,80\n42;1,75\n'.encode("latin-1")
OF_LATIN = ["y", "y", "2", "n", "y", "2", "1", "average 2", "0 to 3", "0.01", "2", "", *ABOUT]
ROUGH = ["average income", "0 to 90000", "0.01", "1", "", *ABOUT]


def opened(cap: str, spent: str | None = None) -> None:
    """Make a ledger that knows the table; where something is spent, by a release of it."""
    with Ledger.create("people.ledger") as ledger:
        ledger.create_account("people", cap=cap, relation="change-one", rows=4)
    if spent is not None:
        words = "release people.csv --mean age --bounds 0,120 --missing middle --n 4 --ledger people.ledger --yes"
        assert CliRunner().invoke(main, [*words.split(), "--epsilon", spent]).exit_code == 0


# Ranges


@pytest.mark.parametrize(
    "text",
    [
        "0 to 120", "from 0 to 120", "From 0 To 120", "between 0 and 120", "0 - 120", "0-120", "0 \u2013 120",
        "0\u2013120", "0 \u2014 120", "0..120", "0; 120", "0, 120", "0 120",
    ],
)  # fmt: skip
def test_a_range_is_read_however_people_write_it(text):
    assert two_numbers(text) == ("0", "120")


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("\u20135 to 5", ("-5", "5")),
        ("-10 \u20135", ("-10", "-5")),
        ("\u221210 - \u22125", ("-10", "-5")),
        ("-5-5", ("-5", "5")),
        ("2024-01-01 - 2024-12-31", ("2024-01-01", "2024-12-31")),
        ("2024-01-01 2024-12-31", ("2024-01-01", "2024-12-31")),
        ("1e-3 to 2", ("1e-3", "2")),
    ],
)
def test_a_dash_before_a_number_is_its_sign(text, ends):
    assert two_ends(text) == ends


def test_blanks_between_thousands_are_read():
    assert two_numbers("0 to 10 000") == two_numbers("0 to 10,000") == ("0", "10000")


@pytest.mark.parametrize("text", ["0,01", "0,05 to 1", "0,500 to 1", "00 to 5", "2024-01-01"])
def test_a_decimal_comma_is_never_taken_for_two_ends(text):
    with pytest.raises(ParameterError):
        two_numbers(text)
    with pytest.raises(ParameterError):
        number("0,500")
    assert "! " in start(*RELATION, "1", "average income", text, code=1).stderr


@pytest.mark.parametrize(("text", "budget"), [("0,125", "0.125"), ("1,25", "1.25")])
def test_a_decimal_comma_is_read_where_one_number_is_asked_for(text, budget):
    start(*RELATION, text, *LINES, "save")
    assert load_study("people-release/study.toml").budget == Fraction(budget)


def test_a_number_that_is_none_is_told_to_have_a_point_whatever_the_file_has():
    said = told(start(*RELATION, "half", code=1))
    assert '"half" is no number. Type one such as 120, 0.5 or 1/3: with a point here, whatever the file has.' in said


def test_outer_edges_are_the_bounds_unless_these_were_said():
    done = start(*RELATION, "1", "table age", "4", "0, 18, 65, 120", "1", "", *ABOUT, "save")
    assert "Between which values does age lie?" not in done.stderr
    assert "Cells below 0 count as 0, above 120 as 120." in done.stderr
    age = load_study("people-release/study.toml").column("age")
    assert (age.lower, age.upper, age.edges) == (0, 120, (0, 18, 65, 120))
    start("2", *RELATION, "1", "average age", *AGE, "table age", "18, 65", "", *ABOUT, "save")
    age = load_study("people-release-2/study.toml").column("age")
    assert (age.lower, age.upper, age.edges) == (0, 120, (18, 65))


# Questions


def test_an_offer_lasts_for_one_answer():
    done = start(*RELATION, "1", "count", "regoin", "1..13", "", code=1)
    assert 'Did you mean "region"?' in told(done)
    assert "Something must be typed here." in told(done)
    assert "What does region hold?" not in done.stderr


def test_questions_before_the_charge_are_read_like_all_others():
    answers = [*RELATION, "1", *LINES, "release", "?", "perhaps", "n", "?", "perhaps", "<", "release", "<", "quit"]
    shown, code = on_a_terminal(["start", "people.csv"], answers)
    assert code == 1
    assert "Error" not in shown
    assert shown.count('! "perhaps" is neither yes nor no.') == 2
    assert "what they cost is spent for good" in " ".join(shown.split())
    assert shown.count("This is the plan. What now?") == 3
    assert not Path("people.ledger").exists()


def test_the_list_of_answers_is_left_like_any_question():
    done = start(*RELATION, "1", *LINES, "change", "?", "99", "<", "change", "", "save")
    assert "is the number of no question" in told(done)
    assert done.stderr.count("This is the plan. What now?") == 3
    assert "Stopped." in start("1", "change", "quit", code=1).stderr


def test_a_statistic_is_no_title_unless_it_is_quoted():
    done = start(*RELATION, "1", "avg age", *AGE, "", "count by region", '"median age"', "", "", "save")
    assert refusals(done.stderr) == 1
    assert "in double quotes it is taken as it is" in told(done)
    assert load_study("people-release/study.toml").title == "median age"
    start("2", *RELATION, "1", "avg age", *AGE, "", "Median age", "", "", "save")
    assert load_study("people-release-2/study.toml").title == "Median age"


def test_a_wrong_number_of_rows_is_told_in_the_words_of_the_conversation():
    done = start("n", "y", "5", "1", *LINES, "release", "?", code=1)
    assert "! The table does not have 5 rows. Type change, then 3, and the right number" in told(done)
    assert "change-one" not in done.stderr
    assert "no row was read" not in told(done)


def test_a_wrong_number_of_rows_that_a_ledger_fixed_is_told_with_what_can_be_done():
    opened("2")
    write_table("people.csv", [(31, 1, "north")] * 5)
    done = start("1", "average age", *AGE, "", *ABOUT, "release", code=1)
    assert "The table does not have 4 rows. The ledger knows it with so many" in told(done)
    assert "change-one" not in done.stderr


def test_what_more_does_is_what_it_says():
    done = start(*RELATION, "1", *LINES, "add", "table region", "more", "1", "2", "save")
    assert "Its part of the budget: 0.5, up to now 1/3." in told(done)
    assert [str(each.epsilon) for each in load_study("people-release/study.toml").asked] == ["1/2", "1/4", "1/4"]


def test_the_only_line_has_all_of_the_budget():
    done = start(*RELATION, "1", "average age", *AGE, "", *ABOUT, "more", code=1)
    assert "! The one line has all of the budget. Type budget to give it a larger one." in told(done)


def test_no_budget_is_said_to_be_more_than_it_is():
    assert "with 5 someone could be right every time." in told(start(*RELATION, "?", code=1))


# The plan


def test_plan_and_menu_are_on_a_screen_of_24_lines_together():
    Path("people.csv").write_text(table_text(people()), encoding="utf-8")
    shown, _ = on_a_terminal(["start", "people.csv"], [*ANSWERS[:-3], "budget", "", "?", "quit"])
    first, again = without_style(shown).split("Plan: epsilon")[1:]
    for part in (first, again):
        screen = part.partition("\n> ")[0].split("\n")
        assert len(screen) + 1 < 24  # and the line that is typed
        assert screen[-MENU].startswith("  1 release")
        assert sum(each.startswith("  ") and "1/6" in each for each in screen) == 6
    assert shown.count("Protects the ") == 1
    assert "--if-rows" not in shown


def test_a_look_stays_on_a_screen_of_24_lines_with_the_menu_in_short():
    shown, _ = on_a_terminal(["start", "people.csv"], [*RELATION, "1", *LINES, "look", "quit"])
    plan, look = without_style(shown).partition("> look\n")[::2]
    assert "Plan: epsilon" in plan
    assert "Plan: epsilon" not in look
    screen = look.partition("\n> ")[0].rstrip().split("\n")
    assert screen[-1] == "This is the plan. What now?"
    assert screen[-2].startswith("  1 release  2 more  3 remove  4 add")
    assert len(screen) + 1 < 24


def test_a_look_is_not_offered_again_before_the_release_of_what_was_looked_at():
    offered = "Look at how the cells are read first?"
    answers = [*RELATION, "1", *LINES, "look"]
    shown, _ = on_a_terminal(["start", "people.csv"], [*answers, "release", "n", "quit"])
    assert offered not in shown
    assert "Release it, and charge the ledger?" in shown
    changed = ["add", "total age", "", "release", "n", "add", "average income", "0 9000", "1", "1", "", "release"]
    shown, _ = on_a_terminal(["start", "people.csv"], ["2", *answers, *changed, "n", "n", "quit"])
    assert shown.count(offered) == 1
    assert offered in shown.partition("average income")[2]


def test_yes_no_names_its_words_and_a_look_says_where_others_become_categories():
    write_table("people.csv", [("ja",), ("nein",)] * 2, heads="raucher")
    answers = [*RELATION, "1", "count by raucher", "2", "", "", *ABOUT]
    shown, _ = on_a_terminal(["start", "people.csv"], [*answers, "look", "change", "6", "1", "ja, nein", "", "look"])
    shown = without_style(shown)
    assert "2 yes/no      true, t, yes, y, 1 or false, f, no, n, 0; not ja, nein\n" in shown
    first, then = shown.split("> look\n")[1:]
    assert "If raucher holds other words: type change, then 6, then categories, and the words." in " ".join(
        first.split()
    )
    assert "  6. What does raucher hold? 2\n" in first
    assert "nearly no cell reads as true or false" in first
    assert "raucher: " not in then


def test_the_menu_of_the_plan_keeps_no_answer_of_before():
    done = start(*RELATION, "1", *LINES, "2", "<", "change", "", "2", "1", "2", "<", "<", "<", "add", "<", code=1)
    menus = done.stderr.split("This is the plan. What now?\n")[1:]
    assert len(menus) > 3
    assert not any("(Enter" in each.partition("\n> ")[0] for each in menus)
    assert "Which line gets more?" in done.stderr


def test_questions_keep_their_numbers_when_an_answer_leads_to_others():
    edited = ["change", "9", "average income", "0 9000", "1", "1", ""]
    done = start(*RELATION, "1", *LINES, *edited, "change", "14", "Incomes", "save")
    first, then = (each.partition("Which one?")[0] for each in done.stderr.split("  1. ")[1:])
    for kept in (8, 13, 14):
        (line,) = re.findall(f"^ +{kept}[.] .*$", first, re.MULTILINE)
        assert line in then
    assert " 10. What does region hold?" in first
    assert " 10. " not in then
    assert " 17. Between which values does income lie? 0 9000" in then
    assert load_study("people-release/study.toml").title == "Incomes"


def test_a_median_is_asked_for_a_coarse_step_and_the_plan_says_where_a_wider_one_is_typed():
    answers = ["n", "n", "500", "1", "median income", "0 to 20000", "1", "1", "", "average age", *AGE, "", *ABOUT]
    done = start(*answers, "change", "7", "10", code=1)
    asked, first, then = (
        done.stderr.partition("Plan: epsilon")[0],
        *done.stderr.split("the number of rows at or below")[1:3],
    )
    income, _, age = asked.partition("Between which values does age lie?")
    assert "  Coarse, for a median: 50 or 100 for incomes, 1 for ages.\n" in income
    assert "  1 for whole numbers, 0.01 for cents, 1000 for thousands.\n" in age
    told = "declare a wider step, such as 10 (type change, then 7, then 10): fewer levels err less."
    assert told in " ".join(first.split())
    assert "declare a wider step" not in then
    assert "--step" not in done.stderr
    assert "0 to 120 for ages, 0 to 20000 for a month's pay." in income


def test_how_many_lines_say_little_is_said_before_the_charge():
    done = start(*RELATION, "1", *LINES[:-4], *ROUGH, "release", "y")
    before = done.stderr.partition("Release it, and charge the ledger?")[0]
    assert "3 of 3 lines say little (marked !)." in " ".join(before.split()[-40:])
    words = ["release", "people-release/study.toml", "--ledger", "more.ledger", "--no-inspect"]
    with Ledger.create("more.ledger") as ledger:
        ledger.create_account("people", cap=1, relation="change-one", rows=4)
    shown, code = on_a_terminal(words, ["n"])
    assert code == 1
    assert "After it nothing is left for later releases of this table.\n3 of 3" in shown
    assert "3 of 3 lines say little (marked !).\nCharge epsilon 1 to people" in shown


def test_plans_that_say_something_are_released_without_such_a_word():
    Path("people.csv").write_text(table_text(people()), encoding="utf-8")
    start("n", "y", "5000", "1", *LINES, "save")
    plan = plan_of(load_study("people-release/study.toml"))
    assert weak_lines(plan) == ""


def test_cells_that_are_left_out_are_told_of_once():
    lines = ["average age", "0 to 120", "1", "1", "table age", "0, 60, 120", "total age", "", "", *ABOUT]
    done = start("n", "n", "9", "1", *lines, "save")
    assert told(done).count("rows without age are left out") == 1


# The ledger


def test_odds_are_said_with_everything_that_was_charged_before():
    opened("2", spent="3/2")
    done = start("1/2", "average age", *AGE, "", *ABOUT, "release", "y")
    assert told(done).count("epsilon 2 together") == 3  # at the budget, with the plan, and before the charge
    assert "0.5 of the 0.5 that is left of 2 will be spent on people, for good." in told(done)


def test_what_is_not_charged_yet_is_said_as_such():
    done = start(*RELATION, "1", *LINES, "release", "n", code=1)
    assert "In a new ledger: 1 of 1 will be spent on people, for good." in told(done)


def test_an_account_that_was_closed_is_told_before_a_question():
    opened("2")
    with Ledger.open("people.ledger") as ledger:
        ledger.close_account("people", reason="the survey is over")
    done = start(code=1)
    assert re.search("was closed on [0-9-]{10}: the survey is over. It takes no charge", told(done))
    assert "Can one person" not in done.stderr


# The file and what goes on


def test_a_file_in_latin_1_is_asked_about_and_read():
    Path("people.csv").write_bytes(LATIN)
    done = start(*OF_LATIN, "release", flags=["--yes"])
    assert "1 Alter   2 Größe" in done.stderr
    csv = load_study("people-release/study.toml").csv
    assert csv is not None
    assert (csv.delimiter, csv.decimal, csv.encoding) == (";", ",", "latin-1")
    assert "header of column names" in told(start("n", flags=["--ledger", "b.ledger"], code=1))


def test_the_draft_keeps_how_the_file_is_read():
    Path("people.csv").write_bytes(LATIN)
    start("y", "n", flags=["--encoding", "latin-1", "--decimal", ","], code=1)
    assert json.loads(Path("people.start.json").read_text())["named"] == {"decimal": ",", "encoding": "latin-1"}
    done = start("go on", *OF_LATIN[4:], "save")
    assert "As before: --decimal , --encoding latin-1" in told(done)
    csv = load_study("people-release/study.toml").csv
    assert csv is not None
    assert (csv.decimal, csv.encoding) == (",", "latin-1")
    done = start("start over", flags=["--ledger", "b.ledger"], code=1)
    assert "written in Latin-1?" in done.stderr


def test_the_command_that_goes_on_has_all_flags():
    Path("people.csv").write_bytes(LATIN)
    flags = ["--encoding", "latin-1", "--decimal", ",", "--dataset", "a", "--budget", "1/2", "--ledger", "l.ledger"]
    flags += ["--directory", "out here"]
    done = start("y", "n", flags=flags, code=1)
    (command,) = (line for line in done.stderr.split("\n") if line.startswith("  snapdp start "))
    assert command == (
        "  snapdp start people.csv --ledger l.ledger --dataset a --decimal , --encoding latin-1 --directory 'out here'"
    )  # the budget is one of the answers that are kept: another may have been chosen since
    done = start("go on", "y", "2", "quit", flags=["--directory", "out here"], code=1)
    assert "What is published?" in done.stderr


def test_every_file_of_a_release_is_named_at_its_end():
    write_table("people.csv", [(31, 1, "north")] * 4)
    lines = ["median income", "0 to 80", "0.01", "1", "", "", *ABOUT]
    done = start(*RELATION, "1", *lines, "release", flags=["--yes"])
    named = done.stderr.partition("Written to people-release:\n")[2].partition("The ledger is")[0]
    there = sorted(each.name for each in Path("people-release").iterdir())
    assert "datapackage.json" in there
    assert sorted(name for line in named.split("\n") for name in line.split()[:1] if "." in name) == there
