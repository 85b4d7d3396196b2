"""One table, one account: who follows what the commands propose opens no second ledger for a table."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from snapdp.cli.accounts import ledger_beside, ledger_of_table
from snapdp.studies.study_file import load_study
from tests.cli.running import run

COUNT = "--count --n-max 9 --budget"
TRIED = '  Try: same table: dataset = "teachers" in more.toml'


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("teachers.csv").write_text("pay\n1\n2\n3\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def opened(place):
    """Have the account of the table, with nothing spent."""
    run(f"init teachers.toml --data teachers.csv {COUNT} 1")
    run("ledger create --from teachers.toml")
    return place


def ledgers() -> list[str]:
    return sorted(map(str, Path().rglob("*.ledger")))


def renamed(study: str, old: str, new: str) -> None:
    text = Path(study).read_text(encoding="utf-8")
    assert text.count(f'dataset = "{old}"') == 1
    Path(study).write_text(text.replace(f'dataset = "{old}"', f'dataset = "{new}"'), encoding="utf-8")


def test_a_study_is_about_the_table_whatever_its_own_name_is():
    done = run(f"init more.toml --data teachers.csv {COUNT} 1")
    assert load_study("more.toml").dataset == "teachers"
    assert done.stderr.endswith("wrote more.toml; next: snapdp ledger create --from more.toml\n")
    run("ledger create --from more.toml")
    assert ledgers() == ["teachers.ledger"]
    run(f"init mine.toml --data teachers.csv --dataset mine {COUNT} 1")
    run(f"init none.toml {COUNT} 1")
    run(f"init server.toml --data postgresql://server/people {COUNT} 1")
    found = [load_study(f"{name}.toml").dataset for name in ("mine", "none", "server")]
    assert found == ["mine", "none", "server"]


def test_a_link_to_a_table_is_the_table():
    os.symlink("teachers.csv", "latest.csv")
    run(f"init more.toml --data latest.csv {COUNT} 1")
    assert load_study("more.toml").dataset == "teachers"


@pytest.mark.usefixtures("opened")
def test_a_second_study_of_a_table_is_led_to_its_account():
    done = run(f"init more.toml --data teachers.csv {COUNT} 1/2")
    assert done.stderr.splitlines()[-3:] == [
        "wrote more.toml; teachers.ledger has the account of teachers, with 1 of 1 left",
        "next: snapdp inspect more.toml",
        "then: snapdp release more.toml --ledger teachers.ledger",
    ]
    refused = run("ledger create --from more.toml", code=1)
    assert "the account 'teachers' exists already" in refused.stderr
    assert "snapdp release more.toml --ledger teachers.ledger" in refused.stderr
    assert "the one that is here: --ledger teachers.ledger" in run("release more.toml", code=2).stderr
    by_flags = run("release teachers.csv --count --n-max 9 --epsilon 1", code=2)
    assert "the one that is here: --ledger teachers.ledger" in by_flags.stderr
    run("release more.toml --ledger teachers.ledger --yes")
    run("release teachers.toml --ledger teachers.ledger --yes", code=1)
    for budget in ("0.3", "0.2"):
        run(f"release teachers.toml --ledger teachers.ledger --fit --budget {budget} --yes")
    third = run(f"init third.toml --data teachers.csv {COUNT} 1")
    assert "teachers.ledger has the account of teachers, with nothing left" in third.stderr
    assert ledgers() == ["teachers.ledger"]


@pytest.mark.usefixtures("opened")
def test_no_second_ledger_is_made_unless_somebody_names_it():
    Path("more.csv").write_text("pay\n1\n", encoding="utf-8")
    done = run(f"init more.toml --data more.csv {COUNT} 1")
    other = "another table: snapdp ledger create more.ledger --from more.toml"
    same = 'same table: dataset = "teachers" in more.toml, --ledger teachers.ledger'
    assert done.stderr.splitlines()[-3:] == ["wrote more.toml; beside it: teachers.ledger", same, other]
    refused = run("ledger create --from more.toml", code=1)
    assert "teachers.ledger is here, and more.ledger would be one more." in refused.stderr
    assert "Nothing was spent." in refused.stderr
    assert refused.stderr.endswith(f"  Try: {same}\n    {other}\n")
    told = json.loads(run("ledger create --from more.toml --json", code=1).stdout)
    assert (told["ok"], told["try"]) == (False, f"{same}\n{other}")
    page = run("serve more.toml --no-browser", code=1)
    assert page.stderr.endswith("    another table: snapdp serve more.toml --ledger more.ledger\n")
    assert ledgers() == ["teachers.ledger"]
    run(other.partition("snapdp ")[2])
    assert ledgers() == ["more.ledger", "teachers.ledger"]


@pytest.mark.usefixtures("opened")
def test_a_table_whose_account_is_here_is_led_to_no_other_ledger():
    done = run(f"init more.toml --data teachers.csv --dataset more {COUNT} 1")
    same = 'same table: dataset = "teachers" in more.toml, --ledger teachers.ledger'
    assert done.stderr.splitlines()[-2:] == ["wrote more.toml; beside it: teachers.ledger", same]
    for command in ("ledger create --from more.toml", "serve more.toml --no-browser"):
        assert run(command, code=1).stderr.endswith(f"  Try: {same}\n")
    assert ledgers() == ["teachers.ledger"]


@pytest.mark.usefixtures("opened")
def test_one_row_may_be_no_person_and_an_account_that_was_opened_so_is_opened_again():
    Path("teachers.csv").write_text("pay,id\n1,a\n2,a\n3,b\n", encoding="utf-8")
    done = run(f"init rows.toml --data teachers.csv {COUNT} 1")
    assert "One row is one person? If not: --person COLUMN, or --unit-rows N.\n" in done.stderr
    done = run(f"init more.toml --data teachers.csv --person id --rows-per-person 2 {COUNT} 1")
    assert "One row is one person?" not in done.stderr
    refused = " ".join(run("release more.toml --ledger teachers.ledger --yes", code=1).stderr.split())
    assert "Nothing was charged to it yet: if its ledger has no other account, remove that file" in refused
    Path("teachers.ledger").unlink()
    run("ledger create --from more.toml")
    run("release more.toml --ledger teachers.ledger --yes")
    asked = run("release rows.toml --ledger teachers.ledger --yes", code=1).stderr
    assert "was opened with" in asked
    assert "Nothing was charged to it yet" not in asked


@pytest.mark.usefixtures("opened")
def test_an_account_that_is_lacking_is_refused_with_those_that_are_there_and_the_advice_works():
    run(f"init more.toml --data teachers.csv --dataset more {COUNT} 1")
    refused = run("release more.toml --ledger teachers.ledger --yes", code=1).stderr
    assert "the ledger has no account 'more'.\n  It has: 'teachers'." in refused
    assert f"{TRIED}\n    another table: snapdp ledger create teachers.ledger --from more.toml\n" in refused
    misspelt = run("release more.toml --ledger techers.ledger --yes", code=1).stderr
    assert f"{TRIED}, --ledger teachers.ledger\n    another table: snapdp ledger create techers" in misspelt
    by_flags = run("release teachers.csv --count --n-max 9 --epsilon 1 --ledger techers.ledger --yes", code=1).stderr
    assert "same table: --dataset teachers, --ledger teachers.ledger\n" in by_flags
    renamed("more.toml", "more", "teachers")
    run("release more.toml --ledger teachers.ledger --yes")


@pytest.mark.usefixtures("opened")
def test_data_known_under_another_account_is_refused_with_what_to_type():
    run("release teachers.toml --ledger teachers.ledger --fit --budget 1/2 --yes")
    run(f"init more.toml --data teachers.csv --dataset more {COUNT} 1/4")
    run("ledger create teachers.ledger --from more.toml")
    refused = run("release more.toml --ledger teachers.ledger --yes", code=1).stderr
    assert "this data is known under the account 'teachers', not 'more'." in refused
    assert refused.endswith('  Try: dataset = "teachers" in more.toml\n')
    flags = "--count --n-max 9 --epsilon 1/4 --ledger teachers.ledger --yes --dataset"
    assert "  Try: --dataset teachers\n" in run(f"release teachers.csv {flags} more", code=1).stderr
    run(f"release teachers.csv {flags} teachers")


@pytest.mark.usefixtures("opened")
def test_a_study_in_a_directory_of_its_own_has_the_ledger_beside_its_table():
    Path("release").mkdir()
    done = run(f"init release/more.toml --data ../teachers.csv {COUNT} 1/2")
    assert "then: snapdp release release/more.toml --ledger teachers.ledger\n" in done.stderr
    assert "exists already" in run("ledger create --from release/more.toml", code=1).stderr
    assert ledgers() == ["teachers.ledger"]


def test_a_ledger_is_named_like_its_table_and_one_of_before_is_found():
    Path("first.toml").touch()
    assert ledger_beside("first.toml", "staff 2026 (north)") == "staff 2026 (north).ledger"
    assert ledger_beside("first.toml", "../staff") == ledger_beside("first.toml", "a/b") == "first.ledger"
    assert ledger_of_table("staff 2026.v2.csv") == "staff 2026.ledger"
    Path("first.ledger").touch()
    Path("staff 2026.v2.ledger").touch()
    assert ledger_beside("first.toml", "staff 2026 (north)") == "first.ledger"
    assert ledger_beside("first.toml", "staff") == "staff.ledger"
    assert ledger_of_table("staff 2026.v2.csv") == "staff 2026.v2.ledger"


@pytest.mark.usefixtures("opened")
def test_a_study_that_is_there_is_not_overwritten_and_may_be_made_again():
    refused = run(f"init teachers.toml --data teachers.csv {COUNT} 1/2", code=2).stderr
    assert "remove it and write it again, as long as nothing was released with it" in " ".join(refused.split())
    Path("teachers.toml").unlink()
    assert "with 1 of 1 left" in run(f"init teachers.toml --data teachers.csv {COUNT} 1/2").stderr


@pytest.mark.usefixtures("opened")
def test_a_study_that_asks_for_more_than_is_left_is_led_to_what_fits():
    run("release teachers.csv --count --n-max 9 --epsilon 0.7 --ledger teachers.ledger --yes")
    done = run(f"init more.toml --data teachers.csv {COUNT} 1")
    fits = "snapdp release more.toml --ledger teachers.ledger --fit --budget 0.3"
    assert done.stderr.splitlines()[-3:] == [
        "wrote more.toml; teachers.ledger has the account of teachers, with 0.3 of 1 left, and the study asks for 1",
        "next: snapdp inspect more.toml",
        f"then: {fits}",
    ]
    assert f"then: {fits}\n" in run("ledger create --from more.toml", code=1).stderr
    run("init pay.toml --data teachers.csv --mean pay --bounds 0,9 --missing dropped --n-max 9 --budget 1")
    looked = "snapdp release pay.toml --ledger teachers.ledger --no-inspect --fit --budget 0.3"
    assert run("inspect pay.toml").stderr == f"Read as it should be? Then, without another look:\n  {looked}\n"
    run(f"{looked.removeprefix('snapdp ')} --yes")
    raised = "snapdp ledger amend teachers.ledger --dataset teachers --cap 2 --reason"
    other = "another table, such as next month's: a dataset and a ledger of its own\n"
    whose = "to raise the cap, a decision of who answers for the data:\n"
    last = run(f"init last.toml --data teachers.csv {COUNT} 1").stderr
    assert last.endswith(f"with nothing left: nothing new can be released\n{other}{whose}{raised} TEXT\n")
    for refused in ("ledger create --from last.toml", "release last.toml --ledger teachers.ledger --yes"):
        told = run(refused, code=1).stderr
        assert told.endswith(f"{other}    {whose}    {raised} TEXT\n")
        assert "snapdp release" not in told
    assert run("inspect pay.toml").stderr == ""
    run(f"{raised.removeprefix('snapdp ')} 'a second survey'")
    run("release last.toml --ledger teachers.ledger --yes")
    run("ledger amend teachers.ledger --close --reason over")
    assert "which is closed: nothing new can be released\n" in run(f"init no.toml --data teachers.csv {COUNT} 1").stderr
    assert "amend" not in run("release no.toml --ledger teachers.ledger --fit --budget 1/3 --yes", code=1).stderr


@pytest.mark.usefixtures("opened")
def test_a_study_that_its_account_would_refuse_is_told_so_and_how_it_is_written():
    done = run("init more.toml --data teachers.csv --count --n-max 8 --budget 1")
    assert done.stderr.splitlines()[-5:] == [
        "wrote more.toml; teachers.ledger has the account of teachers, opened otherwise: a release would be refused",
        "the request has n_max = 8; the account 'teachers' was opened with 9.",
        "same table: remove more.toml, and write it again with --n-max 9",
        "another table: write it with --dataset NAME",
        "opened by mistake, and nothing else in it: remove teachers.ledger, and open it as meant",
    ]
    assert "snapdp release" not in run("ledger create --from more.toml", code=1).stderr
    run("release more.toml --ledger teachers.ledger --yes", code=1)
