"""What flags say of columns: a step for those it is meant for, categories as people type them, and whose bounds."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from snapdp.cli.app import main
from snapdp.studies.study_file import load_study
from tests.cli.running import run

REST = ("--n", "50", "--epsilon", "1")
BOUNDS = ["--bounds", "income=0,10000", "--bounds", "age=0,120", "--missing", "dropped"]
OLD = ("--count", "--mean", "income", "--where", "age>=65", *BOUNDS)


def told(*flags):
    done = run("plan", *flags, *REST, code=None)
    return done.exit_code, " ".join(f"{done.stdout} {done.stderr}".split())


def steps(tmp_path, *flags):
    """Return kind and step of every column that the flags declare."""
    study = tmp_path / f"{len(flags)}.toml"
    run("init", str(study), "--dataset", "d", *flags, *REST)
    return {each.name: (each.kind, str(each.step)) for each in load_study(study).columns}


def test_a_step_is_for_columns_of_statistics_and_not_for_those_of_conditions(tmp_path):
    """65 <= age counted every row from 50 on: --step 100 had rounded the ages as well."""
    found = steps(tmp_path, *OLD, "--step", "100")
    assert found == {"income": ("number", "100"), "age": ("number", "1/16384")}
    assert steps(tmp_path, *OLD, "--integer", "--step", "age=1")["income"] == ("integer", "1")


def test_a_step_may_be_given_by_name(tmp_path):
    named = steps(tmp_path, *OLD, "--step", "income=100", "--step", "age=5")
    assert {name: step for name, (_, step) in named.items()} == {"income": "100", "age": "5"}


@pytest.mark.parametrize(
    ("flags", "problem"),
    [
        ((*OLD, "--step", "age=100"), "the end 65 of column 'age' is no multiple of its step 100"),
        (
            [
                "--histogram",
                "age",
                "--edges",
                "0,18,65,120",
                "--bounds",
                "0,120",
                "--missing",
                "dropped",
                "--step",
                "50",
            ],
            "the bin edge 18 of column 'age' is no multiple of its step 50",
        ),
        (["--count", "--where", "pay>=5", "--bounds", "0,9", "--missing", "0", "--integer"], "--integer belongs to no"),
        (["--count", "--where", "pay>=5", "--bounds", "0,9", "--missing", "0", "--step", "2"], '--step "2" belongs'),
        ((*OLD, "--step", "Income=100"), '"Income=100" belongs to no column'),
        ((*OLD, "--step", "income=1", "--step", "income=2"), "--step speaks of income twice"),
        (("--histogram", "g", "--categories", "0,1,2,3+"), "some categories of column 'g' are numbers, but '3+'"),
        (("--histogram", "g", "--categories", "00,01"), "(--compare text)"),
        (["--count", "--where", "age!=30", "--bounds", "age=0,9", "--missing", "0"], '"age!=30" is not understood'),
        (["--mean", "Age", "--bounds", "age=0,9", "--missing", "0"], "the columns are Age"),
    ],
)
def test_what_would_be_read_otherwise_than_it_is_meant_is_refused(flags, problem):
    code, said = told(*flags)
    assert code != 0
    assert problem in said


def test_blanks_around_the_items_of_a_list_are_no_part_of_them(tmp_path):
    study = tmp_path / "study.toml"
    flags = ["--histogram", "g", "--categories", "very happy, pretty happy", "--histogram", "age"]
    flags += ["--edges", "age=0, 60, 120", "--bounds", "age=0, 120", "--missing", "dropped", *REST]
    flags[3] = f"g={flags[3]}"
    run("init", str(study), "--dataset", "d", *flags)
    assert load_study(study).column("g").categories == ("very happy", "pretty happy")
    assert told("--histogram", "g", "--categories", "0, 1")[1].count("compared as numbers: 1.0 is 1") == 1


def test_text_is_compared_where_it_is_said(tmp_path):
    study = tmp_path / "study.toml"
    flags = ["--histogram", "g", "--categories", "0,1,2,3+", "--compare", "text", *REST]
    run("init", str(study), "--dataset", "d", *flags)
    assert 'compare = "text"' in study.read_text()  # what is written is read again
    assert load_study(study).column("g").compare == "text"


def test_missing_numbers_have_a_bin_where_flags_say_so(tmp_path):
    study = tmp_path / "study.toml"
    flags = ["--histogram", "age", "--edges", "0,60,120", "--bounds", "0,120", "--missing", "binned", *REST]
    run("init", str(study), "--dataset", "d", *flags)
    (asked,) = load_study(study).asked
    assert asked.statistic.labels[-1] == "(missing)"
    mean = ["--mean", "age", "--bounds", "0,120", "--missing", "binned"]
    assert "missing = 'binned' of column 'age' is not known" in told(*mean)[1]


def test_a_condition_that_every_row_meets_is_refused_in_these_words():
    flags = ["--count", "--bounds", "age=15,49", "--missing", "dropped", "--where"]
    assert "every number of column 'age' is >= 15" in told(*flags, "age>=15")[1]
    assert "every number of column 'age' is < 50" in told(*flags, "age<50")[1]
    assert "no number of column 'age' is >= 50" in told(*flags, "age>=50")[1]
    assert "no number of column 'age' is < 15" in told(*flags, "age<15")[1]


def study_by_flags(tmp_path, *flags):
    study = tmp_path / "quoted.toml"
    run("init", str(study), "--dataset", "d", *flags, *REST)
    return load_study(study)


def test_names_and_categories_with_commas_stand_in_quotes(tmp_path):
    """Of 'f,"m, x"' there were three categories once, two of them with a quote."""
    flags = ("--count", "--by", '"region, old" , sex', "--categories", '"region, old"=north,"south, east"')
    flags += ("--categories", 'sex=f, "m ""x""",5" pipe', "--margins", '"region, old";sex')
    found = study_by_flags(tmp_path, *flags)
    assert {each.name: each.categories for each in found.columns} == {
        "region, old": ("north", "south, east"),
        "sex": ("f", 'm "x"', '5" pipe'),
    }
    assert found.asked[0].statistic.by.names == ("region, old", "sex")
    assert len(found.asked[0].statistic.parts) == 2


@pytest.mark.parametrize("listed", ["male,,female", ",male", "male,female,", "male, ,female"])
def test_nothing_between_two_commas_is_no_category(listed):
    """male,,female declared an empty category once, without a word."""
    code, said = told("--histogram", "sex", "--categories", listed)
    assert code == 2
    assert f"{listed} has an item that is empty." in said
    assert told("--histogram", "sex", "--categories", "sex=")[0] == 2
    assert told("--histogram", "age", "--edges", "0,,18", "--bounds", "0,18", "--missing", "dropped")[0] == 1


def test_an_empty_category_that_is_meant_stands_in_quotes(tmp_path):
    (column,) = study_by_flags(tmp_path, "--histogram", "sex", "--categories", 'male,"",female').columns
    assert column.categories == ("male", "", "female")


def test_every_flag_by_name_takes_the_name_in_quotes(tmp_path):
    flags = ("--mean", "pay, net", "--bounds", '"pay, net"=0,90', "--missing", '"pay, net"=dropped')
    (column,) = study_by_flags(tmp_path, *flags, "--step", '"pay, net"=10').columns
    assert (column.name, column.step, column.upper, column.missing) == ("pay, net", 10, 90, None)


@pytest.mark.parametrize("listed", ['north,"south', 'north,"south"east', '"north'])
def test_a_quote_that_does_not_close_is_refused(listed):
    code, said = told("--count", "--by", "region", "--categories", listed)
    assert code == 2
    assert "stands in double quotes" in said


@pytest.mark.parametrize("listed", ["a,'unempl, laid off',b", "'a','b'", "'a, b'"])
def test_single_quotes_are_refused_because_they_would_be_part_of_a_category(listed):
    """Groups that nobody is in were charged for."""
    code, said = told("--count", "--by", "region", "--categories", listed)
    assert code == 2
    assert "has single quotes, which belong to the texts themselves" in said


def test_an_apostrophe_is_no_quote(tmp_path):
    (column,) = study_by_flags(tmp_path, "--count", "--by", "kind", "--categories", "boys',girl's,'n,\"'all'\"").columns
    assert column.categories == ("boys'", "girl's", "'n", "'all'")


def test_rows_without_a_category_boolean_or_date_have_a_cell_where_a_flag_says_so(tmp_path):
    flags = ["--count", "--by", "sex,smokes,day,age", "--categories", "sex=f,m", "--boolean", "smokes"]
    flags += ["--date", "day=2024-01-01,2024-12-31,year", "--edges", "age=0,120", "--bounds", "age=0,120"]
    rules = {"sex": "binned", "smokes": "binned", "day": "dropped", "age": "binned"}
    found = study_by_flags(tmp_path, *flags, "--missing", ",".join(f"{name}={rule}" for name, rule in rules.items()))
    assert {each.name: each.null for each in found.asked[0].statistic.by.columns} == rules
    for rule, message in (("sex=middle", "sex is no column of numbers"), ("sex=7", "sex=binned, or are left out")):
        code, said = told(*flags, "--missing", f"age=dropped,{rule}")
        assert (code, message in said) == (2, True)


def test_a_rule_without_a_name_is_for_columns_of_numbers_alone(tmp_path):
    flags = ["--count", "--by", "sex,age", "--categories", "sex=f,m", "--edges", "age=0,120", "--bounds", "age=0,120"]
    found = study_by_flags(tmp_path, *flags, "--missing", "binned")
    assert {each.name: each.null for each in found.asked[0].statistic.by.columns} == {"sex": "dropped", "age": "binned"}
    code, said = told("--count", "--by", "sex", "--categories", "f,m", "--missing", "binned")
    assert (code, "give NAME=RULE" in said) == (2, True)


MEAN = ("--mean", "age")
BOUNDED = (*MEAN, "--bounds", "0,120", "--missing", "dropped")


@pytest.mark.parametrize(
    ("line", "flag", "typed", "meant"),
    [
        ("plan --count --epsilon 1 --n-max {}", "--n-max", "5.000", "5 or 5000"),
        ("plan --count --epsilon 1 --n-max 9 --person id --rows-per-person {}", "--rows-per-person", "1.250", "1250"),
        ("plan --count --epsilon 1 --n-max 9 --if-rows {}", "--if-rows", "2'000", "2000"),
        ("ledger create l --dataset d --cap 1 --n-max {}", "--n-max", "5.000", "5 or 5000"),
        ("lab attack --trials {}", "--trials", "100.000", "100 or 100000"),
    ],
)
def test_a_whole_number_that_may_be_meant_for_thousands_is_asked_back(line, flag, typed, meant):
    done = CliRunner().invoke(main, [each.format(typed) for each in line.split()], env={"COLUMNS": "80"})
    assert done.exit_code == 2
    said = " ".join(done.stderr.split())
    assert f"""Invalid value for '{flag}': "{typed}" can be read in two ways. Type {meant}.""" in said


def test_a_flag_of_whole_numbers_that_holds_none_says_so_as_before():
    done = run("plan --count --epsilon 1 --n-max 5.5", code=2)
    assert "'5.5' is not a valid integer" in done.stderr


@pytest.mark.parametrize(
    ("flags", "typed", "meant"),
    [
        ((*MEAN, "--bounds", "0,1.000", "--missing", "dropped"), "1.000", "1 or 1000"),
        ((*BOUNDED, "--step", "10.000"), "10.000", "10 or 10000"),
        ((*MEAN, "--bounds", "0,120", "--missing", "50.000"), "50.000", "50 or 50000"),
        (("--count", "--by", "age", "--edges", "0,1.000", *BOUNDED[2:]), "1.000", "1 or 1000"),
        (("--count", "--accuracy", "1.000"), "1.000", "1 or 1000"),
    ],
)
def test_a_flag_about_values_that_may_be_meant_for_thousands_is_asked_back(flags, typed, meant):
    code, text = told(*flags)
    assert code == 2
    assert f'"{typed}" can be read in two ways. Type {meant}.' in text


@pytest.mark.parametrize(
    "flags",
    [
        (*MEAN, "--bounds", "0.000,1.250", "--missing", "0.125"),
        (*MEAN, "--bounds", "0.5,2.0", "--missing", "dropped", "--step", "0.001"),
        (*MEAN, "--bounds", "0,1000.000", "--missing", "dropped"),  # thousands have a point before their last three
        ["--count", "--where", "age=1.000", "--categories", "1.000,2.000"],
    ],
)
def test_decimals_that_nobody_means_for_thousands_are_read(flags):
    code, text = told(*flags)
    assert code == 0, text


def test_an_epsilon_has_as_many_zeros_as_one_likes():
    run("plan", *BOUNDED, "--n", "50", "--epsilon", "1.000")
