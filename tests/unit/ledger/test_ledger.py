"""What a ledger promises, one process at a time: exact sums, free repetition, refusals that cost nothing."""

from __future__ import annotations

import copy
import pickle
import threading
from decimal import Decimal

import pytest
from hypothesis import given, settings, strategies as st

from snapdp.errors import BudgetError, LedgerError, ParameterError, PremiseError
from snapdp.ledger.accounts import Answer, InProgressError, Reservation
from snapdp.ledger.ledger import Ledger
from tests.unit.release.support import NAME, TERMS, F, ask, fingerprint, new_ledger, record_of, release

# Amounts


def test_three_thirds_fill_a_cap_of_one_exactly(book):
    ledger, version = book
    for what in "abc":
        release(ledger, version, what, "1/3")
    assert ledger.account(NAME).spent == 1
    assert ledger.account(NAME).left == 0
    with pytest.raises(BudgetError):
        ask(ledger, version, "d", F(1, 10**30))


@settings(max_examples=20, deadline=None)
@given(
    amounts=st.lists(
        st.fractions(min_value=F(1, 1000), max_value=F(1, 2), max_denominator=1000)
        | st.decimals(min_value="1e-30", max_value="0.5", places=30).map(F),
        min_size=1,
        max_size=8,
    )
)
def test_spent_is_the_exact_sum_of_what_fitted(tmp_path_factory, amounts):
    ledger, version = new_ledger(tmp_path_factory.mktemp("sum") / "x.ledger")
    spent = F(0)
    with ledger:
        for what, amount in enumerate(amounts):
            if spent + amount <= 1:
                spent += amount
                assert isinstance(ask(ledger, version, what, amount), Reservation)
            else:
                with pytest.raises(BudgetError):
                    ask(ledger, version, what, amount)
        assert ledger.account(NAME).spent == spent
        assert sum(charge.epsilon for charge in ledger.history(NAME)) == spent
        ledger.verify()


def test_a_budget_error_says_needed_left_and_cap_as_fractions(book):
    ledger, version = book
    release(ledger, version, "a", "4/5")
    with pytest.raises(BudgetError) as caught:
        ask(ledger, version, "b", Decimal("0.3"))
    assert str(caught.value) == (
        "this release needs epsilon = 3/10; the account 'survey' has 1/5 left of 1.\n"
        "  Ask for epsilon <= 1/5, or plan again within that. Nothing was spent."
    )
    assert caught.value.numbers == {"needed": F(3, 10), "left": F(1, 5), "cap": 1, "account": NAME}
    assert ledger.account(NAME).spent == F(4, 5)


@pytest.mark.parametrize("epsilon", [0, -1, "nan", "inf", None, True, "1/0", [], F(1, 10**1000)])
def test_an_epsilon_that_is_no_short_positive_number_is_refused(book, epsilon):
    ledger, version = book
    with pytest.raises(ParameterError):
        ask(ledger, version, "a", epsilon)
    assert ledger.history(NAME) == ()


@pytest.mark.parametrize("epsilon", [F(1, 10**999 + 7), F(1, 1009), F(1, 10**31), F(1, 3**7), F(7, 2**31)])
def test_an_epsilon_that_would_lengthen_all_later_sums_is_refused(book, epsilon):
    ledger, version = book
    with pytest.raises(ParameterError, match="denominator"):
        ask(ledger, version, "a", epsilon)
    assert ledger.account(NAME).spent == 0
    for what, other in enumerate(
        (F(1, 999), F(1, 10**30), F(1, 2**30), F(3, 10**15), F(1, 3) + F(1, 997) + F(1, 1000))
    ):
        ask(ledger, version, what, other)


def test_a_sum_whose_digits_run_away_is_refused_before_it_cannot_be_printed(path, monkeypatch):
    monkeypatch.setattr("snapdp.ledger.ledger.payable", lambda amount: amount)
    ledger, version = new_ledger(path, cap=10)
    with ledger:
        ask(ledger, version, "a", F(1, 3**1500))
        with pytest.raises(ParameterError, match="digits"):
            ask(ledger, version, "b", F(1, 7**1000))
        assert ledger.account(NAME).spent == F(1, 3**1500)
        ledger.verify()


# The same request


def test_the_same_request_gets_the_stored_record_free_of_charge(book):
    ledger, version = book
    first = release(ledger, version, "a", "1/2", value=0.1)
    again = ask(ledger, version, "a", 0.5)
    assert isinstance(again, Answer)
    assert again.record == first
    assert ledger.account(NAME).spent == F(1, 2)


def test_another_epsilon_or_another_version_is_another_request(book):
    ledger, version = book
    release(ledger, version, "a", "1/4")
    assert isinstance(ask(ledger, version, "a", "1/3"), Reservation)
    newer = ledger.dataset_version(NAME, fingerprint("rows, changed"))
    assert isinstance(ask(ledger, newer, "a", "1/4"), Reservation)


def test_a_twin_elsewhere_waits_for_the_answer(book, path):
    ledger, version = book
    held = ask(ledger, version, "a", "1/4")
    got = []

    def twin():
        with Ledger.open(path) as other:
            got.append(ask(other, version, "a", "1/4", wait=30))

    thread = threading.Thread(target=twin)
    thread.start()
    thread.join(0.2)
    assert got == []
    ledger.commit(held, record_of(held))
    thread.join()
    assert got[0].record == record_of(held)
    assert ledger.account(NAME).spent == F(1, 4)


def test_a_twin_elsewhere_is_told_when_its_wait_is_over(book, path):
    ledger, version = book
    ask(ledger, version, "a", "1/4")
    with Ledger.open(path) as other, pytest.raises(InProgressError):
        ask(other, version, "a", "1/4", wait=0.1)


def test_a_retry_of_an_orphan_pays_again_under_a_new_entry(path):
    ledger, version = new_ledger(path)
    with ledger:
        ask(ledger, version, "a", "1/4")  # and never commit: closed with the reservation open
    with Ledger.open(path) as ledger:
        release(ledger, version, "a", "1/4")
        assert [charge.state for charge in ledger.history(NAME)] == ["orphaned", "committed"]
        assert ledger.account(NAME).spent == F(1, 2)
        ledger.verify()


def test_an_abandoned_reservation_stays_spent_and_cannot_be_committed(book):
    ledger, version = book
    held = ask(ledger, version, "a", "1/4")
    ledger.abandon(held)
    with pytest.raises(LedgerError, match="closed before"):
        ledger.commit(held, record_of(held))
    release(ledger, version, "a", "1/4")
    assert [charge.state for charge in ledger.history(NAME)] == ["abandoned", "committed"]
    assert ledger.account(NAME).spent == F(1, 2)


def test_a_version_that_is_no_text_is_refused(book):
    for wrong in (None, 3, b"x", "\ud800"):
        with pytest.raises(ParameterError, match="version"):
            ask(book[0], wrong, "a", "1/4")


# Commit


def test_a_reservation_is_committed_once(book):
    ledger, version = book
    held = ask(ledger, version, "a", "1/4")
    head = ledger.commit(held, record_of(held, 1))
    with pytest.raises(LedgerError, match="closed before"):
        ledger.commit(held, record_of(held, 2))
    assert ask(ledger, version, "a", "1/4").head == head
    assert ask(ledger, version, "a", "1/4").record["value"] == 1


def test_one_whose_session_file_was_taken_away_cannot_overwrite_the_answer(book, path):
    ledger, version = book
    held = ask(ledger, version, "a", "1/4")
    for file in path.parent.glob("*.session-*"):
        file.unlink()
    with Ledger.open(path) as other:
        record = release(other, version, "a", "1/4", value=2)
    with pytest.raises(LedgerError, match="Do not publish"):
        ledger.commit(held, record_of(held, 1))
    assert ask(ledger, version, "a", "1/4").record == record
    assert ledger.account(NAME).spent == F(1, 2)
    ledger.verify()


@pytest.mark.parametrize("field", ["dataset", "dataset_version", "charged", "request", "previous"])
def test_a_record_that_belongs_elsewhere_is_not_committed(book, field):
    ledger, version = book
    held = ask(ledger, version, "a", "1/4")
    for record in ({**record_of(held), field: "other"}, {k: v for k, v in record_of(held).items() if k != field}):
        with pytest.raises(LedgerError, match=f": {field}."):
            ledger.commit(held, record)
    ledger.commit(held, record_of(held))


@pytest.mark.parametrize(
    "value",
    [float("nan"), F(1, 2), {1: 2}, b"x", {"a": [object()]}, [10**5000]],
    ids=lambda value: type(value).__name__,
)
def test_a_record_that_is_no_json_is_refused_without_repeating_it(book, value):
    ledger, version = book
    held = ask(ledger, version, "a", "1/4")
    with pytest.raises(ParameterError, match="the record holds"):
        ledger.commit(held, record_of(held, value))
    ledger.commit(held, record_of(held))


def test_a_reservation_of_another_ledger_is_unknown(book, tmp_path):
    ledger, version = book
    held = ask(ledger, version, "a", "1/4")
    other, theirs = new_ledger(tmp_path / "other.ledger")
    with other:
        for attempt in range(2):  # first it has no entry of that number, then one of its own
            with pytest.raises(LedgerError, match="does not know"):
                other.commit(held, record_of(held))
            ask(other, theirs, attempt, "1/4")


# Accounts and datasets


def test_accounts_in_one_file_do_not_touch_each_other(book):
    ledger, version = book
    other = ledger.create_account(
        "wages", cap="1/2", relation="add-remove", rows=100, unit="person (id, at most 3 rows)"
    )
    release(ledger, version, "a", "1/4")
    assert [account.name for account in ledger.accounts()] == [NAME, "wages"]
    assert ledger.account("wages") == other
    assert (other.cap, other.relation, other.rows, other.unit) == (
        F(1, 2),
        "add-remove",
        100,
        "person (id, at most 3 rows)",
    )


def test_an_account_for_persons_names_their_column_at_once(book):
    ledger, _ = book
    rows = {"cap": 1, "relation": "add-remove", "rows": 100}
    made = ledger.create_account("bounded", **rows, person="id", rows_per_person=3)
    assert made.unit == "person (id, at most 3 rows)"
    units = {
        "person (id)": {"person": "id"},
        'person (["user","country"])': {"person": ["user", "country"]},
        'person (["id, at most 3 rows"])': {"person": "id, at most 3 rows"},
        "30 rows": {"unit_rows": 30},
        "row": {"unit_rows": 1},
    }
    for number, (unit, said) in enumerate(units.items()):
        assert ledger.create_account(f"a{number}", **rows, **said).unit == unit
        assert ledger.create_account(f"b{number}", **rows, unit=unit).unit == unit
    opened = len(ledger.accounts())
    for wrong in (
        {"unit": "person"},
        {"unit": "person ()"},
        {"unit": 'person (["id"])'},
        {"unit": "1 rows"},
        {"unit": "30 rows", "relation": "change-one"},
        {"rows_per_person": 2},
        {"rows_per_person": 1},
        {"person": "id", "unit": "person"},
        {"person": "id", "rows_per_person": 0},
        {"person": "id", "unit_rows": 3},
        {"person": ["id", "id"]},
        {"person": ["user", "country"], "rows_per_person": 3},
        {"person": ["user", "a\nb"]},
        {"person": []},
        {"person": "id", "relation": "change-one"},
        {"unit_rows": 0},
        {"unit_rows": 30, "relation": "change-one"},
        {"unit_rows": 30, "unit": "visit"},
    ):
        with pytest.raises(ParameterError):
            ledger.create_account("wrong", **{**rows, **wrong})
    assert len(ledger.accounts()) == opened


def test_an_account_is_opened_once(book):
    ledger, _ = book
    before = ledger.account(NAME)
    with pytest.raises(LedgerError, match="exists already"):
        ledger.create_account(NAME, cap=2, **TERMS)
    assert ledger.account(NAME) == before


@pytest.mark.parametrize(
    "wrong",
    [
        {"cap": 0}, {"cap": "many"}, {"relation": "both"}, {"rows": 0}, {"rows": 1.5}, {"unit": ""}, {"unit": "a\nb"},
        {"name": " "}, {"name": "x" * 101}, {"name": 3},
    ],
)  # fmt: skip
def test_terms_that_make_no_sense_are_refused(book, wrong):
    terms = {"name": "new", "cap": 1, **TERMS, **wrong}
    with pytest.raises(ParameterError):
        book[0].create_account(terms.pop("name"), **terms)
    assert len(book[0].accounts()) == 1


@pytest.mark.parametrize(
    ("wrong", "said"),
    [({"relation": "add-remove"}, "relation"), ({"rows": 4999}, "n = 4999"), ({"unit": "person"}, "unit")],
)
def test_a_request_planned_under_other_terms_is_refused(book, wrong, said):
    ledger, version = book
    with pytest.raises(PremiseError, match=said):
        ask(ledger, version, "a", "1/4", **wrong)
    assert ledger.history(NAME) == ()


def test_the_same_data_keep_their_version_and_changed_data_get_a_new_one(book):
    ledger, version = book
    assert ledger.dataset_version(NAME, fingerprint("rows of survey")) == version
    newer = ledger.dataset_version(NAME, fingerprint("rows of survey, corrected"))
    assert newer != version
    assert ledger.dataset_version(NAME, fingerprint("rows of survey")) == version


def test_data_known_under_one_account_are_refused_under_another(book):
    ledger, version = book
    ledger.create_account("again", cap=1, **TERMS)
    with pytest.raises(LedgerError, match="known under the account 'survey'"):
        ledger.dataset_version("again", fingerprint("rows of survey"))
    with pytest.raises(LedgerError, match="no such version"):
        ask(ledger, version, "a", "1/4", name="again")
    assert ledger.account("again").entries == 1


def test_the_fingerprint_of_the_data_is_nowhere_in_the_file(path):
    ledger, version = new_ledger(path)
    with ledger:
        release(ledger, version, "a", "1/4")
    print_of = fingerprint("rows of survey")
    kept = path.read_bytes()
    assert print_of not in kept
    assert print_of.hex().encode() not in kept


def test_heads_do_not_depend_on_the_data(tmp_path):
    heads = []
    for content in ("rows", "neighbouring rows"):
        stream = iter(range(1000))
        path = tmp_path / f"{content}.ledger"
        fixed = {"clock": lambda: "2026-01-01T00:00:00Z", "entropy": lambda n, s=stream: bytes([next(s)]) * n}
        with Ledger.create(path, **fixed) as ledger:
            ledger.create_account(NAME, cap=1, **TERMS)
            version = ledger.dataset_version(NAME, fingerprint(content))
            release(ledger, version, "a", "1/4")
            heads.append(ledger.account(NAME).head)
    assert heads[0] == heads[1]


def test_the_refusal_of_an_unknown_account_names_those_that_are_there(book):
    with pytest.raises(LedgerError) as refused:
        book[0].account("nobody")
    assert refused.value.advice.startswith(f"It has: '{NAME}'. If this is the same table, charge it there;")
    assert refused.value.numbers["accounts"] == (NAME,)


def test_a_ledger_file_belongs_to_its_owner_alone(path):
    new_ledger(path)[0].close()
    assert path.stat().st_mode & 0o077 == 0


# What verify would refuse cannot be written

STUDY = {"snapdp_request": 1, "relation": "change-one", "unit": "row", "n": 5000, "statistics": [{"epsilon": "1/10"}]}
UNREADABLE = {
    "asks what cannot be read": {"snapdp_request": 1, "q": 1},
    "is charged another epsilon than its statistics say": {**STUDY, "statistics": [{"epsilon": "1/5"}]},
    "was asked under other terms": {**STUDY, "n": 4999},
}


@pytest.mark.parametrize("fault", UNREADABLE)
def test_a_request_that_verify_would_refuse_is_not_reserved(book, fault):
    ledger, version = book
    with pytest.raises(LedgerError, match=fault):
        ledger.reserve(NAME, epsilon="1/10", request=UNREADABLE[fault], version=version, **TERMS)
    assert ledger.account(NAME).spent == 0
    assert isinstance(ledger.reserve(NAME, epsilon="1/10", request=STUDY, version=version, **TERMS), Reservation)
    ledger.verify()


def test_a_record_that_verify_would_refuse_is_not_committed(book):
    """One commit of another program made the whole file unsound for ever."""
    ledger, version = book
    foreign = ask(ledger, version, "a program of my own", "1/10")
    own = ledger.reserve(NAME, epsilon="1/10", request=STUDY, version=version, **TERMS)
    for held, more in [(foreign, {"statistics": {"mean": 1.5}}), (own, {}), (own, {"statistics": 5})]:
        with pytest.raises(LedgerError, match=r"holds a record (whose|that).*\n.*stays spent"):
            ledger.commit(held, {**held.binding, **more})
        ledger.verify()
    ledger.commit(foreign, {**foreign.binding, "mean": 1.5})
    declared = {key: value for key, value in STUDY.items() if key != "snapdp_request"}
    ledger.commit(own, {**own.binding, **declared, "statistics": [{"epsilon": "1/10", "parts": []}]})
    ledger.verify()


@pytest.mark.parametrize("wrong", [{"clock": lambda: "noon"}, {"entropy": lambda _: b"x" * 32}])
def test_a_clock_or_entropy_that_verify_would_not_know_writes_nothing(path, book, wrong):
    _, version = book
    with Ledger.open(path, **wrong) as other, pytest.raises(LedgerError, match=r"clock|entropy"):
        ask(other, version, "a", "1/10")
    with Ledger.open(path) as again:
        assert again.account(NAME).spent == 0
        again.verify()


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_ledger_is_not_copied(book, copied):
    """Closing the copy would close the original."""
    ledger, version = book
    with pytest.raises(LedgerError, match=r"cannot be copied or pickled.\n  Open it again"):
        copied(ledger)
    assert isinstance(ask(ledger, version, "a", "1/10"), Reservation)
