"""The rules of a team ledger: whoever bends names, holds locks, wants the key or switches something off."""

from __future__ import annotations

import hashlib
import hmac
import json
import random
import struct

import pytest

from snapdp.errors import ParameterError
from snapdp.ledger import chain
from snapdp.ledger.accounts import COMMON_DENOMINATOR
from snapdp.ledger.ledger import Ledger
from snapdp.ledger.storage.postgres import differences, fresh_lines, lines_of
from tests.unit.ledger.teams import opened, psycopg, refused
from tests.unit.release.support import NAME, TERMS, F, fingerprint, new_ledger, release

NAMES = ("pg_class", "pg_locks", "pg_database", "pg_roles", "pg_namespace", "entry", "standing", "dataset", "ledger")
SHADOWS = [
    *(f"CREATE TEMP TABLE {name} (oid oid, relowner oid, account text, kind text, author text)" for name in NAMES),
    "INSERT INTO pg_temp.pg_class SELECT oid, (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = session_user) "
    "FROM pg_catalog.pg_class",
    "CREATE FUNCTION pg_temp.pg_has_role(name, oid, text) RETURNS boolean LANGUAGE sql AS 'SELECT true'",
    "CREATE FUNCTION pg_temp.sha256(bytea) RETURNS bytea LANGUAGE sql AS 'SELECT $1'",
    "CREATE FUNCTION pg_temp.yes(name, name) RETURNS boolean LANGUAGE sql AS 'SELECT true'",
    "CREATE OPERATOR pg_temp.= (FUNCTION = pg_temp.yes, LEFTARG = name, RIGHTARG = name)",
    "CREATE DOMAIN pg_temp.regclass AS text",
    "SET search_path = pg_temp, pg_catalog",
]


# Names


def test_a_role_that_shadows_every_name_sees_and_wins_nothing(team):
    ann, version = opened(team.at("ann"))
    with ann:
        release(ann, version, "a", "1/4")
    with psycopg.connect(team.at("bob"), autocommit=True) as bob:
        for each in SHADOWS:
            bob.execute(each)
        seen = bob.execute("SELECT DISTINCT kind FROM snapdp.entries_from('survey', 0, 99)").fetchall()
        assert seen == [("open",)]
        assert bob.execute("SELECT snapdp.is_keeper()").fetchall() == [(False,)]
        assert bob.execute("SELECT * FROM snapdp.entry_at('survey', 2)").fetchall() == []
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            bob.execute("SELECT key FROM snapdp.ledger")
        terms = (NAME, version, "2", json.dumps({}), "0" * 32, "2026-01-01T00:00:00Z")
        call = "CALL snapdp.reserve(%s, %s, %s, %s, %s, %s, NULL)"
        assert bob.execute(call, terms).fetchall() == [(["over"],)]


def test_every_function_fixes_the_names_it_reads(database):
    new_ledger(database)[0].close()
    with psycopg.connect(database) as connection:
        kept = connection.execute(
            "SELECT proname, prokind, proconfig FROM pg_proc WHERE pronamespace = 'snapdp'::regnamespace"
        ).fetchall()
    assert len(kept) > 20
    for name, kind, config in kept:
        if kind == "f":
            assert "search_path=pg_catalog, pg_temp" in (config or []), name
        else:  # a procedure that commits may set nothing: it names everything in full
            assert name in ("register", "reserve", "close")


def test_settings_of_the_caller_change_nothing(team):
    with psycopg.connect(team.at("bob"), autocommit=True) as bob:
        for each in ("standard_conforming_strings = off", "extra_float_digits = -15", "quote_all_identifiers = off",
                     "synchronous_commit = off", "default_transaction_isolation = 'serializable'"):  # fmt: skip
            bob.execute(f"SET {each}")
        fresh = bob.execute("CALL snapdp.register(%s, %s, %s, NULL)", (NAME, b"x", "1" * 16)).fetchone()[0]
        asked = chain.canonical({"u": 'a\\u0041"\\', "x": 0.1})
        terms = (NAME, fresh[1], "1/4", asked, "0" * 32, "2026-01-01T00:00:00Z")
        told = bob.execute("CALL snapdp.reserve(%s, %s, %s, %s, %s, %s, NULL)", terms).fetchone()[0]
        assert told[0] == "done"
    with Ledger.open(team.at("keeper")) as ledger:
        ledger.verify()


# The key


def test_no_analyst_gets_the_key_or_a_keyed_digest(team):
    ann, _ = opened(team.at("ann"))
    with ann:
        assert (ann._identity.key, ann._identity.seal) == (b"", "")
    for statement in (
        "SELECT * FROM snapdp.ledger",
        "SELECT * FROM snapdp.dataset",
        "SELECT snapdp.hmac('', '')",
        "SELECT snapdp.appended(s, 'dataset', '', '', '', 0, '', '', '', '') FROM snapdp.standing s",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            team.sql("ann", statement)
    secrets = {key.hex() for (key,) in team.sql("keeper", "SELECT key FROM snapdp.ledger")}
    secrets |= {each for row in team.sql("keeper", "SELECT keyed, seal FROM snapdp.dataset") for each in row}
    heard = []
    with psycopg.connect(team.at("ann"), autocommit=True) as ann:
        ann.add_notice_handler(lambda notice: heard.append(str(notice.message_primary) + str(notice.message_detail)))
        for each in ("debug_print_plan", "debug_print_parse", "debug_print_rewritten"):
            ann.execute(f"SET {each} = on")
        ann.execute("SET client_min_messages = debug5")
        print_like = {_as_bytes_are_printed(each) for each in secrets}
        known = fingerprint("rows of " + NAME)
        told = [ann.execute("CALL snapdp.register(%s, %s, %s, NULL)", (NAME, what, one * 16)).fetchall()
                for what, one in ((known, "1"), (b"new", "2"))]  # fmt: skip
    assert len(told) == 2
    assert heard  # the notices do arrive, and so would a plan
    everything = "".join(heard) + repr(told)
    assert not any(secret in everything for secret in secrets | print_like)


def _as_bytes_are_printed(text):
    """Return the start of a text as the server prints it in a plan."""
    return " ".join(str(byte) for byte in text.encode()[:12])


def test_the_server_keys_digests_as_the_library_does(database):
    ledger, version = new_ledger(database)
    with ledger:
        assert [(row.keyed, row.version) for row in ledger._storage.datasets()] == [
            (chain.keyed(ledger._identity.key, "content", fingerprint("rows of " + NAME).hex()), version)
        ]
        for size in (0, 1, 32, 64, 65, 200):
            key = bytes(range(size))
            found = ledger._storage._run("SELECT snapdp.hmac(%s, %s)", (key, "é 🙂"))
            assert found == [(hmac.new(key, "é 🙂".encode(), hashlib.sha256).hexdigest(),)]


def test_asking_whether_content_is_known_leaves_an_entry(team):
    ann, version = opened(team.at("ann"))
    with ann, opened(team.at("bob"))[0] as bob:
        request = {"epsilon": F(1, 4), "request": {"ask": "a"}}
        before = bob.account(NAME).entries
        assert bob.answered(NAME, fingerprint=fingerprint("rows of " + NAME), **request) is None
        assert bob.account(NAME).entries == before
        assert bob.answered(NAME, fingerprint=fingerprint("a guess"), **request) is None
        assert bob.account(NAME).entries == before + 1
    for fresh in ("", "x" * 16, version):  # what would fail after the search fails before it, known or not
        for content in (fingerprint("rows of " + NAME), b"another guess"):
            with psycopg.connect(team.at("bob"), autocommit=True) as bob, pytest.raises(psycopg.errors.CheckViolation):
                bob.execute("CALL snapdp.register(%s, %s, %s, NULL)", (NAME, content, fresh))


def test_content_of_another_account_is_refused_by_name(team):
    with Ledger.open(team.at("keeper")) as keeper:
        keeper.create_account("other", cap=1, **TERMS)
    ann, _ = opened(team.at("ann"))
    with ann, refused("known under the account 'survey', not 'other'"):
        ann.dataset_version("other", fingerprint("rows of " + NAME))


# Locks


def test_nobody_holds_an_account_in_an_open_transaction(team):
    ann, version = opened(team.at("ann"))
    terms = f"'{NAME}', '{version}', '1/4', '{{}}', '{'0' * 32}', '2026-01-01T00:00:00Z'"
    direct = f"SELECT snapdp.reserved({terms})"
    frame = "PL/pgSQL function snapdp.reserve(text) line 4 at assignment"
    function = "CREATE FUNCTION pg_temp.f() RETURNS text[] LANGUAGE plpgsql AS "
    for *before, last in (
        ("BEGIN", f"CALL snapdp.reserve({terms}, NULL)"),
        (f"BEGIN; CALL snapdp.reserve({terms}, NULL)",),
        ("BEGIN", direct),
        (direct,),
        (f"{function} $$ BEGIN RETURN ({direct}); END $$", "SELECT pg_temp.f()"),
        (f"{function} $$ BEGIN RETURN snapdp.reserved({terms}); END $$", "SELECT pg_temp.f()"),
        (
            f"{function} $$ DECLARE r text[]; BEGIN EXECUTE $q${direct} /*\n{frame}\n*/$q$ INTO r; RETURN r; END $$",
            "SELECT pg_temp.f()",
        ),
        (
            "CREATE PROCEDURE pg_temp.reserve(INOUT r text[]) LANGUAGE plpgsql AS "
            f"$$ BEGIN r := snapdp.reserved({terms}); END $$",
            "CALL pg_temp.reserve(NULL)",
        ),
        (
            f"DO $$ DECLARE r text[]; BEGIN BEGIN CALL snapdp.reserve({terms}, r); "
            "EXCEPTION WHEN division_by_zero THEN NULL; END; END $$",
        ),
        ("SELECT * FROM snapdp.standing FOR UPDATE",),
        ("BEGIN", "LOCK TABLE snapdp.entry IN ROW EXCLUSIVE MODE"),
    ):
        with psycopg.connect(team.at("bob"), autocommit=True) as bob:
            for each in before:
                bob.execute(each)
            refusals = (psycopg.errors.InsufficientPrivilege, psycopg.errors.InvalidTransactionTermination)
            with pytest.raises(refusals):
                bob.execute(last)
    with ann:
        assert ann.account(NAME).spent == 0
        with psycopg.connect(team.at("bob")) as bob:  # the most that a client can hold open
            bob.execute("SELECT * FROM snapdp.standing")
            bob.execute("SELECT * FROM snapdp.entries_from('survey', 0, 99)")
            release(ann, version, "a", "1/4")


# Canonical text


def floats():
    dice = random.Random(20121016)
    some = [struct.unpack("<d", dice.randbytes(8))[0] for _ in range(400)]
    some += [dice.uniform(-1, 1) * 10.0 ** dice.randrange(-8, 25) for _ in range(400)]
    some += [float(2**k) for k in range(-80, 90)] + [2.0**k * (1 + 2**-52) for k in range(-30, 80)]
    some += [1e15, 1e16, 1e17, 1e22, 1e23, 9e22, 5e-324, 1.7976931348623157e308, 1e-4, 9.9e-5, 1e-5, 0.0, -0.0, 0.1]
    some += [dice.randrange(1, 1 << 54) * 5**k * 2.0**j for k in range(24) for j in range(3)]
    some += [1125899906842624.25 + k / 4 for k in range(40)] + [float(10**k + d) for k in range(15, 24) for d in (1, 2)]
    return [x for x in some if x == x and abs(x) != float("inf")]


def test_the_server_knows_how_python_writes_numbers(database):
    new_ledger(database)[0].close()
    good = [repr(x) for x in floats()] + ["0", "-1", "10", str(10**200)]
    bad = ["-0", "01", "1.", ".5", "1.50", "1e5", "1E+20", "1e+05", "1e16", "1.0e+16", "0.00001", "10000000000000000.0"]
    bad += ["0.10000000000000001", "9.999999999999999e+22", "1e-04", "00.5", "-00.5", "1e+016", "1.10e+20", "nan"]
    bad += [f"{x:.17g}" for x in floats()[:300] if f"{x:.17g}" != repr(x)]
    with psycopg.connect(database) as connection:

        def judged(words):
            found = connection.execute("SELECT w, snapdp.is_number(w) FROM unnest(%s::text[]) AS w", (words,))
            return {word for word, is_good in found.fetchall() if is_good}

        assert set(good) - judged(good) == set()
        assert judged(bad) - {str(int(float(x))) for x in bad if x.isdigit()} == set()
        with pytest.raises(psycopg.errors.NumericValueOutOfRange):
            judged(["1e+999"])


def test_the_server_takes_canonical_json_and_no_other(database):
    new_ledger(database)[0].close()
    dice = random.Random(7)
    letters = [
        '"',
        "\\",
        "/",
        "\x00",
        "\n",
        "\x7f",
        "~",
        " ",
        "é",
        "🙂",
        "\ud800",
        "\udc00",
        "u0041",
        "\\u0000",
        "a",
        "\b",
        "\x1f",
    ]

    def value(depth):
        kind = dice.randrange(8 if depth else 6)
        if kind == 6:
            return [value(depth - 1) for _ in range(dice.randrange(4))]
        if kind == 7:
            return {"".join(dice.choices("abcXYZ_ 09", k=3)): value(depth - 1) for _ in range(dice.randrange(4))}
        return [None, True, dice.randrange(-99, 99), dice.uniform(-2, 2), "".join(dice.choices(letters, k=4)), 7][kind]

    with psycopg.connect(database, autocommit=True) as connection:

        def is_canonical(text):
            try:
                return connection.execute("SELECT snapdp.is_canonical(%s)", (text,)).fetchone()[0]
            except psycopg.DataError:
                return False

        for _ in range(150):
            text = chain.canonical({"a": value(4)})
            assert is_canonical(text), text
            place = dice.randrange(len(text))
            changed = (
                text[:place]
                + dice.choice(['"', "\\", " ", "0", ".5", "\\u0041", "é", ",", "}", "\n", "-"])
                + text[place:]
            )
            assert not is_canonical(changed) or _is_canonical_here(changed), changed
        for text in ('{"b":1,"a":2}', '{"a":1,"a":1}', '{"a": 1}', '{"a":"\\u0041"}', '{"a":"\\u00E9"}', '{"a":"\\/"}',
                     '{"a":"\\u000a"}', '{"a":"é"}', '{"a":[{"b":1,"a":2}]}', '{"a":1e2}', '{"a":"\\u007e"}', "",
                     '{"a":-0}', '{"a":1}\n', '{"a":NaN}', "[" * 60 + "]" * 60):  # fmt: skip
            assert not is_canonical(text), text


def _is_canonical_here(text):
    try:
        return chain.canonical(json.loads(text)) == text
    except (ValueError, ParameterError, RecursionError):
        return False


# Rules switched off

CHANGES = (
    """
ALTER TABLE snapdp.entry DISABLE TRIGGER check_entry
ALTER TABLE snapdp.entry ENABLE REPLICA TRIGGER check_entry
ALTER TABLE snapdp.entry DISABLE TRIGGER ALL
DROP TRIGGER check_entry ON snapdp.entry
CREATE OR REPLACE TRIGGER check_entry BEFORE INSERT ON snapdp.entry FOR EACH ROW WHEN (false) EXECUTE FUNCTION CHECK
CREATE OR REPLACE TRIGGER append_only BEFORE UPDATE ON snapdp.entry EXECUTE FUNCTION snapdp.append_only()
CREATE OR REPLACE TRIGGER append_only BEFORE DELETE ON snapdp.standing EXECUTE FUNCTION snapdp.append_only()
CREATE TRIGGER another AFTER INSERT ON snapdp.entry EXECUTE FUNCTION snapdp.append_only()
ALTER TABLE snapdp.entry DISABLE ROW LEVEL SECURITY
ALTER TABLE snapdp.standing ENABLE ROW LEVEL SECURITY
ALTER TABLE snapdp.entry FORCE ROW LEVEL SECURITY
ALTER POLICY own_entries ON snapdp.entry USING (true)
ALTER POLICY own_entries ON snapdp.entry TO pg_monitor
CREATE POLICY more ON snapdp.entry USING (true)
DROP POLICY own_entries ON snapdp.entry
GRANT INSERT ON snapdp.entry TO PUBLIC
GRANT SELECT (key) ON snapdp.ledger TO PUBLIC
GRANT SELECT ON snapdp.dataset TO pg_monitor
GRANT EXECUTE ON FUNCTION snapdp.hmac(bytea, text) TO PUBLIC
GRANT CREATE ON SCHEMA snapdp TO PUBLIC
ALTER DEFAULT PRIVILEGES IN SCHEMA snapdp GRANT SELECT ON TABLES TO PUBLIC
DROP INDEX snapdp.one_answer
DROP INDEX snapdp.one_closing
DROP INDEX snapdp.entry_by_request
CREATE INDEX more ON snapdp.entry (body)
ALTER TABLE snapdp.entry DROP CONSTRAINT entry_pkey
ALTER TABLE snapdp.dataset DROP CONSTRAINT dataset_version_key
ALTER TABLE snapdp.dataset DROP CONSTRAINT dataset_account_fkey
ALTER TABLE snapdp.ledger DROP CONSTRAINT ledger_one_check
ALTER TABLE snapdp.entry ALTER COLUMN digest DROP NOT NULL
ALTER TABLE snapdp.entry ADD COLUMN more text
ALTER TABLE snapdp.entry ALTER COLUMN author SET DEFAULT 'somebody'
CREATE RULE nothing AS ON INSERT TO snapdp.entry DO INSTEAD NOTHING
CREATE RULE nothing AS ON UPDATE TO snapdp.standing DO INSTEAD NOTHING
CREATE OR REPLACE FUNCTION snapdp.append_only() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'
CREATE OR REPLACE FUNCTION snapdp.is_keeper() RETURNS boolean LANGUAGE sql AS 'SELECT true'
ALTER FUNCTION snapdp.check_entry() SECURITY INVOKER
ALTER FUNCTION snapdp.check_entry() RESET search_path
ALTER FUNCTION snapdp.is_keeper() SET search_path = public
ALTER FUNCTION snapdp.is_canonical(text) OWNER TO pg_monitor
ALTER PROCEDURE snapdp.reserve(text, text, text, text, text, text, text[]) SECURITY DEFINER
ALTER TABLE snapdp.entry OWNER TO pg_monitor
CREATE FUNCTION snapdp.more() RETURNS int LANGUAGE sql AS 'SELECT 1'
CREATE VIEW snapdp.more AS SELECT * FROM snapdp.dataset
CREATE VIEW public.more AS SELECT * FROM snapdp.dataset
CREATE TABLE public.more () INHERITS (snapdp.entry)
CREATE TABLE snapdp.more (x int)
CREATE TYPE snapdp.more AS ENUM ('x')
CREATE SEQUENCE snapdp.more
CREATE OPERATOR snapdp.= (FUNCTION = texteq, LEFTARG = text, RIGHTARG = text)
CREATE PUBLICATION more FOR TABLE snapdp.dataset
""".replace("CHECK", "snapdp.check_entry()")
    .strip()
    .splitlines()
)


def test_each_rule_that_was_switched_off_is_found(team):
    """Each change in a transaction of its own, undone at the end: nothing is reported before, something with each."""
    schema = "fresh_0"
    with psycopg.connect(team.at(None)) as connection:

        def run(statement, fields=None):
            cursor = connection.execute(statement, fields)
            return cursor.fetchall() if cursor.description else []

        run("SET search_path = pg_catalog, pg_temp")
        connection.commit()
        fresh = fresh_lines(run, schema)
        connection.rollback()
        assert differences(lines_of(run, "snapdp"), fresh) == []
        for change in CHANGES:
            connection.rollback()
            run("SET client_min_messages = error")
            run(change)
            assert differences(lines_of(run, "snapdp"), fresh), change
    connection.close()


def test_verify_says_what_was_changed_and_leaves_nothing_behind(team):
    with Ledger.open(team.at("keeper")) as ledger:
        assert ledger.verify().accounts == 1
        team.sql("keeper", "GRANT SELECT ON snapdp.dataset TO PUBLIC")
        with refused("rules of the database were changed: relation dataset"):
            ledger.verify()
    assert team.sql(None, "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'fresh%'") == []


# An account that cannot be read


def test_one_bad_account_does_not_stop_the_others(team):
    with Ledger.open(team.at("keeper")) as keeper:
        keeper.create_account("other", cap=1, **TERMS)
        version = keeper.dataset_version("other", fingerprint("other"))
    table = "ALTER TABLE snapdp.entry"
    worse = "UPDATE snapdp.entry SET body = body || ' ' WHERE account = 'survey'"
    team.sql("keeper", f"{table} DISABLE TRIGGER append_only", worse, f"{table} ENABLE TRIGGER append_only")
    with Ledger.open(team.at("ann")) as ann:
        assert [account.name for account in ann.accounts()] == ["other"]
        assert [error.numbers["account"] for error in ann.unsound()] == [NAME]
        release(ann, version, "a", "1/4", name="other")
        with refused("entry 0 of the account 'survey' was altered"):
            ann.account(NAME)


def test_the_server_and_the_library_charge_the_same_amounts(team):
    powers = (3**6, 3**7, 2**30, 2**31, 10**30, 10**31, 10**999 + 7)
    fractions = [F(1, d) for d in (1, 2, 997, 999, 1000, 1001, 1009, *powers)]
    amounts = [*fractions, sum(F(1, d) for d in range(1, 1001)), F(7, COMMON_DENOMINATOR), F(7, 2 * COMMON_DENOMINATOR)]
    listed = ", ".join(f"('{each}')" for each in amounts)
    answers = team.sql("keeper", f"SELECT e, snapdp.is_payable(e) FROM (VALUES {listed}) AS amounts (e)")
    expected = {str(each): COMMON_DENOMINATOR % each.denominator == 0 for each in amounts}
    assert dict(answers) == expected
    assert set(expected.values()) == {True, False}
