"""Forged and mutated ledgers: every field of every entry changed, with digests and standing made to fit again.

Both stores. A change is refused by verify (or by the server, before it is there), or found by the audit of the record,
or it is one of the few that say nothing about money: they are listed.
"""

from __future__ import annotations

import contextlib
import copy
import hashlib
import json
import re
import sqlite3
from itertools import islice

import duckdb
import pytest

import snapdp
from snapdp.audits.release_audit import audit
from snapdp.errors import LedgerError, SnapdpError
from snapdp.ledger import chain
from snapdp.ledger.ledger import Ledger
from snapdp.ledger.rules import identical
from snapdp.ledger.storage.storage import Entry, Standing
from tests.tiers import first_of
from tests.unit.ledger.teams import insert, opened, psycopg, refused
from tests.unit.release.support import NAME, F, ask, fingerprint, new_ledger, record_of, release

# What nothing in the ledger contradicts. A cap can be raised only by who can write the file, or is the keeper: the
# published records find it, as they find every other change here.
EXPLAINED = re.compile(r"cap|time|session|reason|record\.versions\..*|record\.engine")
DRAWN = re.compile(r"\.record\.(statistics\.parts|derived|versions)")  # of these the server knows nothing
MISFIT = r"reserves another request|does not belong"
TABLE = {"age": [31, 42, 53], "area": ["north", "south", "north"]}


def study(**more):
    given = {
        "format": 1,
        "dataset": NAME,
        "relation": "add-remove",
        "n_max": 100,
        "columns": {
            "age": {"kind": "integer", "lower": 0, "upper": 120, "missing": "middle"},
            "area": {"kind": "category", "categories": ["north", "south"]},
        },
        "statistic": [
            {"kind": "mean", "column": "age", "epsilon": "0.2"},
            {"kind": "count", "by": "area", "epsilon": "1/8"},
        ],
    }
    return snapdp.study({**given, **more})


def changes(value, path=""):
    """Yield (path, changed copy) for every field below a value: another value, another kind, gone, one more."""
    if isinstance(value, dict):
        for key, each in value.items():
            for place, other in changes(each, f"{path}.{key}"):
                yield place, {**value, key: other}
            yield f"{path}.{key}", {name: one for name, one in value.items() if name != key}
        yield f"{path}.zzz", {**value, "zzz": 1}
    elif isinstance(value, list):
        for number, each in enumerate(value):
            for place, other in changes(each, path):
                yield place, [*value[:number], other, *value[number + 1 :]]
        yield path, [*value, *value[-1:]]
        yield path, value[:-1] or ["0"]
    elif isinstance(value, str):
        yield from (
            (path, value + "x"),
            (path, value + "0"),
            (path, re.sub("[0-9]", _next, value, count=1) + ""),
            (path, 7),
        )
        yield path, [value]
    elif isinstance(value, bool) or value is None:
        yield path, not value
        yield path, "0"
    else:
        yield from ((path, value + 1), (path, str(value)), (path, [value]), (path, True))


def _next(found):
    return str((int(found[0]) + 1) % 10)


def entry_of(body):
    """Return the entry with a body, its columns and digest made to fit."""
    text = chain.canonical(body)
    columns = {name: body.get(name) for name in ("account", "number", "kind", "version", "request", "reserve")}
    return Entry(**columns, body=text, digest=chain.digest(text))


def relinked(bodies):
    """Return a chain of bodies whose digests fit, those that records carry too, and its standing."""
    entries, head, heads = [], "", {}
    for body in copy.deepcopy(bodies):
        body["previous"] = head if body.get("previous") is not None else None
        record = body.get("record")
        if isinstance(record, dict) and record.get("previous") in heads:
            record["previous"] = heads[record["previous"]]
        entry = entry_of(body)
        heads[chain.digest(chain.canonical(bodies[len(entries)]))] = entry.digest
        entries.append(entry)
        head = entry.digest
    last = bodies[-1]
    return entries, Standing(account=last["account"], entries=len(entries), spent=last["spent"], head=head)


class Forged:
    """A storage whose entries and standing are other than they were."""

    def __init__(self, storage, entries, standing):
        self._storage, self._entries, self._standing = storage, entries, standing

    def __getattr__(self, name):
        return getattr(self._storage, name)

    def standings(self):
        return [self._standing]

    def standing(self, account):
        return self._standing if account == self._standing.account else None

    def entry(self, account, number):
        return next((each for each in self._entries if (each.account, each.number) == (account, number)), None)

    def entries(self, account, *, start):
        return [each for each in self._entries if each.account == account][start:]

    def amendments(self, account):
        return [each for each in self._entries if each.account == account and each.kind in ("amend", "close")]

    def newest_amendment(self, account):
        return next(reversed(self.amendments(account)), None)

    def twins(self, account, version, request):
        about = (account, version, request)
        return [each for each in self._entries if (each.account, each.version, each.request) == about]


@pytest.fixture
def real(tmp_path):
    """A ledger with a release of this library, one of another program, and an abandoned reservation."""
    ledger = Ledger.create(tmp_path / "people.ledger")
    ledger.create_account(NAME, cap=1, relation="add-remove", rows=100)
    with ledger:
        record = study().release(TABLE, ledger=ledger).record
        version = record["dataset_version"]
        terms = {"relation": "add-remove", "rows": 100}
        held = ledger.reserve(NAME, epsilon="1/4", request={"ask": [1, "x"]}, version=version, **terms)
        ledger.commit(held, record_of(held))
        ledger.abandon(ledger.reserve(NAME, epsilon="1/5", request={"ask": 2}, version=version, **terms))
        yield ledger, record


def is_found_by_the_audit(record):
    try:
        return not audit(record).sound
    except (SnapdpError, KeyError, TypeError, ValueError, AttributeError):
        return True


@pytest.mark.parametrize("every", first_of([6, 1]))
def test_every_changed_field_of_every_entry_of_a_file_is_found(real, every):
    ledger, record = real
    ledger.amend(NAME, cap="3/2", reason="a second wave")
    ledger.amend(NAME, cap=2, reason="a third one")
    ledger.close_account(NAME, reason="done")
    storage = ledger._storage
    bodies = [json.loads(entry.body) for entry in storage.entries(NAME, start=0)]
    assert [body["kind"] for body in bodies] == [
        "open",
        "dataset",
        "reserve",
        "commit",
        "reserve",
        "commit",
        "reserve",
        "abandon",
        "amend",
        "amend",
        "close",
    ]
    tried, unseen = 0, set()
    for number, body in enumerate(bodies):
        for path, changed in islice(changes(body), None, None, every):
            try:
                forged, standing = relinked([*bodies[:number], changed, *bodies[number + 1 :]])
            except (KeyError, TypeError):  # no account or sum left to write a standing from
                continue
            if forged[number].body == chain.canonical(body):
                continue
            tried += 1
            if is_refused(storage, forged, standing):
                continue
            if number == 3 and path.startswith(".record") and is_found_by_the_audit(changed["record"]):
                continue
            unseen.add((body["kind"], path.lstrip(".")))
            published = record if number <= 3 else entry_of(bodies[-1]).digest
            assert is_refused(storage, forged, standing, against=published), path
    assert tried > 1000 / every
    others = {pair for pair in unseen if not EXPLAINED.fullmatch(pair[1])}
    # Of a record that another program made only the binding is known.
    assert {pair for pair in others if not re.match(r"record\.(value|format|zzz)", pair[1])} == set()


def is_refused(storage, entries, standing, against=None):
    try:
        Ledger(Forged(storage, entries, standing)).verify(against)
    except LedgerError:
        return True
    return False


@pytest.mark.parametrize(
    ("number", "field", "value"),
    [
        *((0, "relation", value) for value in ("nonsense", None, 1)),
        *((0, "rows", value) for value in (-5, 0, True, "100", 2.0)),
        *((0, "unit", value) for value in ("", " ", "a\x07b", "x" * 1000, 5)),
        *((number, "time", value) for number in (0, 2) for value in ("", "soon", "2026-01-01T00:00:00Z\n", None, 5)),
        *((2, "session", value) for value in ("", "0" * 31, "\x1b" * 32, "A" * 32, None, 5)),
    ],
)
def test_what_this_library_would_not_have_written_is_found(tmp_path, number, field, value):
    """In an account whose requests are somebody else's, so that nothing else contradicts it."""
    ledger, version = new_ledger(tmp_path / "people.ledger")
    with ledger:
        ask(ledger, version, "a", "1/4")
        bodies = [json.loads(entry.body) for entry in ledger._storage.entries(NAME, start=0)]
        assert field in bodies[number]
        assert not is_refused(ledger._storage, *relinked(bodies))
        bodies[number][field] = value
        assert is_refused(ledger._storage, *relinked(bodies))


# The breaks themselves, in a file


def rewritten(path, *bodies):
    """Append entries to the chain of a file, as somebody who can write it: digests right, standing moved."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        rules = database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in rules:
            database.execute(f"DROP TRIGGER {name}")
        entries, spent, head = database.execute("SELECT entries, spent, head FROM standing").fetchone()
        standing = Standing(account=NAME, entries=entries, spent=spent, head=head)
        for kind, fields in bodies:
            made = {**fields, "spent": fields.get("spent", standing.spent)}
            if kind == "commit":
                made["record"] = {**made["record"], "previous": standing.head}
                made["reserve"] = standing.entries - 1
            entry, standing = chain.link(standing, kind, **made)
            database.execute("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?)", entry._values())
        database.execute("UPDATE standing SET entries = ?, spent = ?, head = ?", standing._values()[1:])
        for _, sql in rules:
            database.execute(sql)
        database.commit()


def planted(version, *, epsilon, charged, asked, answers, spent):
    """Return a reservation of one amount and a record that says another, for a request of somebody else's choice."""
    same = identical(F(answers), asked)
    when = {"session": "0" * 32, "time": "2026-01-01T00:00:00Z"}
    record = {"dataset": NAME, "dataset_version": version, "charged": charged, "request": same, "value": 666}
    return (
        ("reserve", {"asked": asked, "epsilon": epsilon, "request": same, "version": version, "spent": spent, **when}),
        ("commit", {"record": record, "request": same, "version": version}),
    )


@pytest.mark.parametrize(
    ("epsilon", "charged", "answers"), [("1/1000000", "9/10", "9/10"), ("1/2", "50", "50"), ("1/4", "1/2", "1/4")]
)
def test_an_under_charged_answer_planted_in_a_file_is_found_and_not_handed_out(tmp_path, epsilon, charged, answers):
    path = tmp_path / "people.ledger"
    ledger, version = new_ledger(path)
    ledger.close()
    pair = planted(version, epsilon=epsilon, charged=charged, asked={"ask": "a"}, answers=answers, spent=epsilon)
    rewritten(path, *pair)
    rows = fingerprint("rows of " + NAME)
    with Ledger.open(path) as ledger:
        with pytest.raises(LedgerError, match=MISFIT):
            ledger.verify()
        for action in (
            lambda: ask(ledger, version, "a", answers),
            lambda: ledger.answered(NAME, fingerprint=rows, epsilon=F(answers), request={"ask": "a"}),
            lambda: ledger.history(NAME),
            lambda: ledger.record_of({"previous": ledger._storage.entry(NAME, 2).digest}),
        ):  # fmt: skip
            with pytest.raises(LedgerError, match=MISFIT):
                action()


def test_an_audit_with_a_ledger_that_is_not_sound_is_not_sound(real, tmp_path):
    ledger, record = real
    assert audit(record, ledger).sound
    version = record["dataset_version"]
    ledger.close()
    path = tmp_path / "people.ledger"
    rewritten(path, *planted(version, epsilon="1/100", charged="1/2", asked={"ask": 9}, answers="1/2", spent="117/200"))
    with Ledger.open(path) as ledger, pytest.raises(LedgerError):
        ledger.verify()
    with Ledger.open(path) as ledger:
        assert [finding.field for finding in audit(record, ledger).findings] == ["ledger"]


# The same on a server


def refusal_of(connection, entry):
    """Return what the server says to an entry; None if it takes it. Nothing stays."""
    try:
        with connection.transaction(force_rollback=True):
            insert(connection, entry)
    except psycopg.Error as error:
        return str(error)
    return None


def test_the_server_refuses_every_changed_field_of_every_entry(team, real):
    _, record = real
    asked = study().request().declaration
    with Ledger.open(team.at("keeper")) as keeper:
        name = "people"
        keeper.create_account(name, cap=1, relation="add-remove", rows=100)
        version = keeper.dataset_version(name, fingerprint("people"))
        standing = keeper._storage.standing(name)
        ledger_name = keeper._identity.name
    epsilon = F(13, 40)
    request = identical(epsilon, asked)
    about = {"version": version, "request": request}
    when = {"time": "2026-01-01T00:00:00Z"}
    reserve, reserved = chain.link(
        standing, "reserve", spent=str(epsilon), asked=asked, epsilon=str(epsilon), session="0" * 32, **about, **when
    )
    binding = {"dataset": name, "dataset_version": version, "charged": str(epsilon), "request": request}
    stored = {**record, **binding, "previous": reserve.digest, "date": when["time"][:10]}
    terms = {"cap": "1", "ledger": ledger_name, "relation": "add-remove", "rows": 100, "unit": "row", **when}
    candidates = [
        (chain.link(chain.nothing("new"), "open", spent="0", **terms)[0], False),
        (chain.link(standing, "dataset", spent="0", version="2" * 16)[0], False),
        (reserve, True),
        (chain.link(reserved, "commit", spent=reserved.spent, record=stored, reserve=2, **about)[0], False),
        (chain.link(reserved, "abandon", spent=reserved.spent, reserve=2, **about)[0], False),
        (chain.link(reserved, "amend", spent=reserved.spent, before="1", cap="3/2", reason="more", **when)[0], False),
        (chain.link(reserved, "close", spent=reserved.spent, cap="1", reason="done", **when)[0], False),
    ]
    taken, tried = set(), 0
    with psycopg.connect(team.at("keeper"), autocommit=True) as connection:
        for entry, stays in candidates:
            assert refusal_of(connection, entry) is None
            body = json.loads(entry.body)
            for path, changed in changes(body):
                if changed == body or not isinstance(changed.get("account", 0), str) or DRAWN.match(path):
                    continue
                tried += 1
                try:
                    mutated = entry_of(changed)
                except (KeyError, SnapdpError):
                    continue
                if refusal_of(connection, mutated) is None and not (
                    entry.kind == "commit" and is_found_by_the_audit(changed["record"])
                ):
                    taken.add((entry.kind, path.lstrip(".")))
            if stays:
                insert(connection, entry)
    assert tried > 400
    free = {("open", each) for each in ("cap", "rows", "unit", "account", "time", "relation")} | {
        ("dataset", "version"),
    }
    assert {pair for pair in taken - free if not EXPLAINED.fullmatch(pair[1])} == set()


def test_an_analyst_cannot_reserve_one_amount_and_commit_another(team):
    asked = chain.canonical(study().request().declaration)
    with Ledger.open(team.at("keeper")) as keeper:
        keeper.create_account("people", cap=1, relation="add-remove", rows=100)
    session, when = "0" * 32, "2026-01-01T00:00:00Z"
    call = "CALL snapdp.reserve(%s, %s, %s, %s, %s, %s, NULL)"
    close = "CALL snapdp.close(%s, 'commit', %s, %s, %s, NULL)"
    with psycopg.connect(team.at("ann"), autocommit=True) as ann:
        register = "CALL snapdp.register('people', 'x', '1111111111111111', NULL)"
        version = ann.execute(register).fetchone()[0][1]
        for epsilon, text in (
            ("1/1000000", asked),  # the statistics cost 13/40
            ("13/40", asked.replace('"n_max":100', '"n_max":1000')),  # not what the account promises
            ("13/40", asked.replace("{", '{"own":"bob",', 1)),
            ("13/40", asked + " "),
            ("13/40", "[]"),
            (f"1/{10**999 + 7}", "{}"),
        ):
            with pytest.raises((psycopg.errors.CheckViolation, psycopg.DataError)):
                ann.execute(call, ("people", version, epsilon, text, session, when))
        done, number, _, head = ann.execute(call, ("people", version, "1/1000000", "{}", session, when)).fetchone()[0]
        assert done == "done"
        request = identical(F(1, 10**6), {})
        good = {
            "dataset": "people",
            "dataset_version": version,
            "charged": "1/1000000",
            "request": request,
            "previous": head,
            "date": when[:10],
        }
        wrong = [{**good, "charged": "9/10"}, {**good, "previous": "sha256:0"}, {**good, "dataset": NAME}]
        wrong += [{**good, "date": "2026-01-02"}, {name: good[name] for name in good if name != "date"}]
        wrong += [{**good, "request": identical(F(9, 10), {})}, {**good, "statistics": []}, {}]
        for record in map(chain.canonical, wrong):
            with pytest.raises(psycopg.errors.CheckViolation):
                ann.execute(close, ("people", int(number), head, record))
        assert ann.execute(close, ("people", int(number), head, chain.canonical(good))).fetchone()[0][0] == "done"
    with Ledger.open(team.at("keeper")) as ledger:
        ledger.verify()


def test_nobody_abandons_what_was_answered(team):
    """Two reservations of one request, one of them answered: closing the other would be what verify refuses."""
    ann, version = opened(team.at("ann"))
    with ann:
        first = ask(ann, version, "a", "1/4")
    with opened(team.at("ann"))[0] as again:
        release(again, version, "a", "1/4")
        with refused("closed before"):
            again.abandon(first)
    with Ledger.open(team.at("keeper")) as ledger:
        ledger.verify()


# What equalities cannot show: who drew


@pytest.fixture
def people(team):
    """The team with an account that real releases can be made from."""
    with Ledger.open(team.at("keeper")) as keeper:
        keeper.create_account("people", cap=1, relation="add-remove", rows=100)
    return team


def released(team, who, **more):
    with Ledger.open(team.at(who)) as ledger:
        return study(dataset="people").release(TABLE, ledger=ledger, **more), ledger.account("people").spent


def test_an_answer_that_another_role_drew_carries_its_name_and_own_draws_anew(people):
    first, spent = released(people, "ann")
    assert (first.author, first.free, spent) == (None, False, F(13, 40))
    again, spent = released(people, "ann")
    assert (again.author, again.free, spent) == (None, True, F(13, 40))
    second, spent = released(people, "bob")
    ann, bob = people.roles["ann"], people.roles["bob"]
    assert (second.record, second.author, second.free, spent) == (first.record, ann, True, F(13, 40))
    assert f"drawn by {ann}" in repr(second)
    assert second.to_html() == first.to_html()
    assert "drawn by" not in repr(first)
    own, spent = released(people, "bob", own=True)
    assert (own.author, own.free, spent, own.record["own"]) == (None, False, F(13, 20), bob)
    assert audit(own.record).sound
    assert own.record["request"] != first.record["request"]
    repeated, spent = released(people, "bob", own=True)
    assert (repeated.record, repeated.free, spent) == (own.record, True, F(13, 20))
    with Ledger.open(people.at("keeper")) as keeper:
        keeper.verify(against=own.record)
        assert [charge.answer.author for charge in keeper.history("people")] == [ann, bob]


def test_own_belongs_to_a_team_ledger(real):
    ledger, _ = real
    before = ledger.account(NAME)
    with pytest.raises(SnapdpError, match="knows no roles"):
        study().release(TABLE, ledger=ledger, own=True)
    assert ledger.account(NAME) == before


def test_a_planted_answer_that_was_paid_for_is_refused_where_its_numbers_do_not_follow(people, tmp_path):
    """An analyst without data pays the epsilon and commits what the mechanism cannot have printed."""
    request = study(dataset="people").request()
    ann = Ledger.open(people.at("ann"))
    with ann:
        opened_table = snapdp.open_table(TABLE)
        version = ann.dataset_version("people", opened_table.fingerprint())
        terms = {"relation": "add-remove", "rows": 100}
        held = ann.reserve("people", epsilon=request.epsilon, request=request.declaration, version=version, **terms)
        with Ledger.create(tmp_path / "own.ledger") as mine:
            mine.create_account("people", cap=1, **terms)
            drawn = study(dataset="people").release(TABLE, ledger=mine).record
        record = {**copy.deepcopy(drawn), **held.binding}
        record["statistics"][0]["parts"][0]["index"] = [10**6]
        ann.commit(held, record)
    with pytest.raises(LedgerError, match=r"drawn by .* is not what its own declarations say"):
        released(people, "bob")
    own, _ = released(people, "bob", own=True)
    assert own.record["own"] == people.roles["bob"]


def forged_by_ann(people, asked, forge, folder) -> None:
    """Let ann pay for a request and commit a forged record of it."""
    terms = {"relation": "add-remove", "rows": 100}
    request = asked.request()
    with Ledger.open(people.at("ann")) as ann, Ledger.create(folder / "own.ledger") as mine:
        version = ann.dataset_version("people", snapdp.open_table(TABLE).fingerprint())
        held = ann.reserve("people", epsilon=request.epsilon, request=request.declaration, version=version, **terms)
        mine.create_account("people", cap=1, **terms)
        record = copy.deepcopy(asked.release(TABLE, ledger=mine, directory=folder).record)
        forge(record)
        ann.commit(held, {**record, **held.binding})


def test_a_planted_answer_that_hides_its_numbers_in_a_file_is_refused(people, tmp_path):
    def forge(record):
        for part in record["statistics"][0]["parts"]:
            for name in ("cell", "index", "value", "shown", "low", "high"):
                part.pop(name, None)
            part["file"] = {"name": "snapdp-x.parquet", "digest": "x", "rows": 1}
        record["derived"][0] |= {"value": [119.0], "low": [118.5], "high": [119.5]}

    forged_by_ann(people, study(dataset="people"), forge, tmp_path)
    with pytest.raises(LedgerError, match=r"drawn by .* is not what its own declarations say"):
        released(people, "bob")


LONG = {"kind": "histogram", "column": "age", "edges": [f"{i}/10" for i in range(0, 1201, 1)], "epsilon": "1/8"}


def long_study():
    columns = {"age": {"kind": "number", "lower": 0, "upper": 120, "step": "1/10", "missing": "middle"}}
    return study(dataset="people", columns=columns, statistic=[LONG])


def test_another_role_s_long_answer_is_handed_out_with_its_files_only(people, tmp_path):
    ann, bob = tmp_path / "ann", tmp_path / "bob"
    ann.mkdir(), bob.mkdir()
    with Ledger.open(people.at("ann")) as ledger:
        first = long_study().release(TABLE, ledger=ledger, directory=ann)
    (name,) = first.files()
    with Ledger.open(people.at("bob")) as ledger:
        with pytest.raises(LedgerError, match=f"has numbers in {name}, which is not in"):
            long_study().release(TABLE, ledger=ledger, directory=bob)
        (bob / name).write_bytes((ann / name).read_bytes() + b"x")
        with pytest.raises(LedgerError, match="is not what its own declarations say"):
            long_study().release(TABLE, ledger=ledger, directory=bob)
        (bob / name).write_bytes((ann / name).read_bytes())
        found = long_study().release(TABLE, ledger=ledger, directory=bob)
    assert (found.record, found.author, found.free) == (first.record, people.roles["ann"], True)
    (ann / name).unlink()
    with Ledger.open(people.at("ann")) as ledger:  # her own answer is hers, with or without the file
        assert long_study().release(TABLE, ledger=ledger, directory=ann).free


def test_a_planted_file_with_a_fitting_digest_is_refused(people, tmp_path):
    def forge(record):
        file = record["statistics"][0]["parts"][0]["file"]
        path, made = tmp_path / file["name"], tmp_path / "made.parquet"
        with duckdb.connect(":memory:") as connection:
            connection.execute("CREATE TABLE t AS SELECT * FROM read_parquet(?)", [str(path)])
            connection.execute(f"COPY (SELECT * REPLACE (value + 7 AS value) FROM t) TO '{made}' (FORMAT PARQUET)")
        digest = hashlib.sha256(made.read_bytes()).hexdigest()
        file |= {"name": f"snapdp-{digest[:32]}.parquet", "digest": f"sha256:{digest}"}
        made.rename(tmp_path / file["name"])

    forged_by_ann(people, long_study(), forge, tmp_path)
    with (
        Ledger.open(people.at("bob")) as ledger,
        pytest.raises(LedgerError, match="is not what its own declarations say"),
    ):
        long_study().release(TABLE, ledger=ledger, directory=tmp_path)


def test_nobody_reserves_in_the_name_of_another_role(people, monkeypatch):
    with Ledger.open(people.at("ann")) as ann:
        version = ann.dataset_version("people", b"x")
        asked = {**study(dataset="people").request().declaration, "own": people.roles["bob"]}
        with refused("reserved for another role"):
            ann.reserve("people", epsilon="13/40", request=asked, version=version, relation="add-remove", rows=100)
        monkeypatch.setattr("snapdp.ledger.ledger.reserve_fault", lambda *_: None)  # a client that does not ask itself
        with refused("contradicts"):
            ann.reserve("people", epsilon="13/40", request=asked, version=version, relation="add-remove", rows=100)
