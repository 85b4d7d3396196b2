"""A team ledger: the same rows in a PostgreSQL database, where the server keeps the rules.

psycopg is loaded when a ledger is opened. A database holds one ledger, in the schema `snapdp`. Its owner is the keeper,
who opens accounts and admits analysts. Three procedures of postgres.sql look, lock, check, append and commit in one
step, so that an account has one writer and nobody holds it; analysts append through them and in no other way. This
relies on COMMIT being on the server's disk when it returns (fsync and synchronous_commit on, checked here). If the
connection is lost while committing, the entry may be there; if it is, it is spent. Every failure is one fixed sentence.
Theory: docs/theory/ledger.md, (6)-(7).
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
from typing import Any, TypeVar

from snapdp.errors import LedgerError, PremiseError
from snapdp.ledger.storage.schema import Run, schema_digest, schema_text
from snapdp.ledger.storage.sqlite_connection import fill_standard_streams
from snapdp.ledger.storage.storage import (
    FORMAT,
    NOTHING_DONE,
    OTHER_VERSION,
    PAGE,
    Dataset,
    Entry,
    Identity,
    Signed,
    Standing,
    UnavailableError,
    first,
)
from snapdp.values import Value

V = TypeVar("V", bound=Value)
SETTINGS = (
    "SET search_path = pg_catalog, pg_temp",
    "SET standard_conforming_strings = on",
    "SET idle_in_transaction_session_timeout = '60s'",  # who stops in the middle does not stop the team
)
KEEPALIVE: dict[str, Any] = {"keepalives": 1, "keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}
DURABLE = ("on", "remote_apply")
LOST = (
    "lost its connection.",
    "Open it again and look at its history: a reservation that reached the server is spent, any other left no trace. "
    "Publish nothing whose commit did not return.",
)
MISUSED = ("was closed, or opened in another thread or process.", f"Open it where it is used. {NOTHING_DONE}")
OTHER = ("failed in its database.", f"Verify the ledger. {NOTHING_DONE}")
DAMAGED = ("is damaged: its rows cannot be read.", f"Restore the newest copy and verify it. {NOTHING_DONE}")
BUSY = (
    "is locked: another process has been writing for too long.",
    f"Wait for it, or look for a process that hangs. {NOTHING_DONE}",
)
NO_ROOM = (
    "has no room: the server is out of disk, memory or connections.",
    f"Make room and try again. {NOTHING_DONE}",
)
UNREACHABLE = ("cannot be reached, or refuses this role.", f"Check address and password. {NOTHING_DONE}")
FULL = re.compile("too many (clients|connections)|remaining connection slots|out of (shared )?memory|No space left")
NO_LEDGER = ("is no ledger: the database has none.", f"Create it first. {NOTHING_DONE}")
SENTENCES = {  # by the state that the server gives, or by its class
    "08": LOST,
    "57": LOST,
    "25P03": LOST,
    "55P03": BUSY,
    "40": BUSY,
    "42501": ("does not let this role do that.", f"Ask its keeper. {NOTHING_DONE}"),
    "25006": ("cannot be written: the server is read-only.", f"Use the primary server. {NOTHING_DONE}"),
    "53": NO_ROOM,
    "58": ("cannot be read or written: the server's system fails.", f"Check its disk, then verify. {NOTHING_DONE}"),
    "23": ("refused an entry that contradicts those it has.", f"Verify the ledger. {NOTHING_DONE}"),
    "22": ("refused an entry that it cannot read.", f"Verify the ledger. {NOTHING_DONE}"),
    "42P06": ("exists already.", "One ledger in a database: give another one. Nothing is ever overwritten."),
    "3F000": NO_LEDGER,
    "42P01": NO_LEDGER,
    "42883": OTHER_VERSION,  # a function that is not there
}
NOT_KEEPER = ("shows this role its own entries only: the keeper verifies it.", f"Ask its keeper. {NOTHING_DONE}")
FAILURES = (
    LOST,
    MISUSED,
    BUSY,
    NOT_KEEPER,
    NO_ROOM,
    UNREACHABLE,
    SENTENCES["42501"],
    SENTENCES["58"],
)  # no fault of the ledger's


class PostgresStorage:
    """A ledger in a PostgreSQL database. For one thread of one process."""

    _connection: Any
    role: str
    is_keeper: bool

    def __init__(self, address: str, *, patience: float) -> None:
        """Open an existing ledger; `patience` is how many seconds to wait for other writers."""
        self._open(address, patience)
        try:
            self._whose()
        except LedgerError:
            self.close()
            raise

    @classmethod
    def create(cls, address: str, identity: Identity, *, patience: float) -> PostgresStorage:
        """Make the schema in a database that has none, all of it or nothing, and write the empty ledger into it."""
        storage = cls.__new__(cls)
        storage._open(address, patience)
        try:
            storage.begin(writing=True)
            storage._run(schema_text("postgres"))
            fields = (FORMAT, schema_digest("postgres"), *identity._values())
            columns = "format, schema, name, key, seal"
            storage._run(f"INSERT INTO snapdp.ledger ({columns}) VALUES (%s, %s, %s, %s, %s)", fields)
            storage._whose()
            storage.commit()
        except BaseException:
            storage.close()
            raise
        return storage

    # Transactions

    def begin(self, *, writing: bool) -> None:
        self._run("BEGIN" if writing else "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    def commit(self) -> None:
        self._run("COMMIT")

    def rollback(self) -> None:
        if self._connection is not None and self._owner == _whoever():
            with contextlib.suppress(Exception):
                self._connection.execute("ROLLBACK")

    # Rows

    def identity(self) -> Identity:
        """Return what the ledger is; its key and seal are the keeper's alone."""
        rows = self._run("SELECT * FROM snapdp.identity()")  # another version may say more after the first two
        if len(rows) == 1 and rows[0][:2] != (FORMAT, schema_digest("postgres")):
            raise self._refused(*OTHER_VERSION)
        secrets = self._run("SELECT key, seal FROM snapdp.ledger") if self.is_keeper else [(b"", "")]
        if len(rows) != 1 or len(secrets) != 1:
            raise self._refused(*DAMAGED)
        return Identity(name=rows[0][2], key=secrets[0][0], seal=secrets[0][1])

    def standings(self) -> list[Standing]:
        return self._select(Standing, 'snapdp.standing ORDER BY account COLLATE "C"')

    def standing(self, account: str) -> Standing | None:
        return first(self._select(Standing, "snapdp.standing WHERE account = %s", (account,)))

    def held(self, account: str) -> Standing | None:
        """Lock the account, as the keeper, and return how it stands; analysts never hold one."""
        return first(self._select(Standing, "snapdp.standing WHERE account = %s FOR UPDATE", (account,)))

    def add_standing(self, standing: Standing) -> None:
        """Do nothing: the server added it with the first entry."""

    def swap_standing(self, old: Standing, new: Standing) -> bool:
        """Tell whether the account stands at `new`: the server moved it with the entry, which had to follow `old`."""
        return self.standing(old.account) == new

    def append(self, entry: Entry) -> None:
        columns = ", ".join(Entry._fields)
        self._run(f"INSERT INTO snapdp.entry ({columns}) VALUES (%s, %s, %s, %s, %s, %s, %s, %s)", entry._values())

    def entry(self, account: str, number: int) -> Entry | None:
        return first(self._select(Signed, "snapdp.entry_at(%s, %s)", (account, number)))

    def entries(self, account: str, *, start: int) -> list[Entry]:
        return list(self._select(Signed, f"snapdp.entries_from(%s, %s, {PAGE}) ORDER BY number", (account, start)))

    def stands(self, account: str) -> bool:
        """Ask the server whether the last entry of an account says what its standing says."""
        return self._run("SELECT snapdp.stands(%s)", (account,)) == [(True,)]

    def amendments(self, account: str) -> list[Entry]:
        return list(self._select(Signed, "snapdp.amendments(%s) ORDER BY number", (account,)))

    def newest_amendment(self, account: str) -> Entry | None:
        return first(self._select(Signed, "snapdp.amendments(%s) ORDER BY number DESC LIMIT 1", (account,)))

    def twins(self, account: str, version: str, request: str) -> list[Entry]:
        found = list(self._select(Signed, "snapdp.twins(%s, %s, %s) ORDER BY number", (account, version, request)))
        for commit in (entry for entry in found if entry.kind == "commit"):
            return [*(entry for entry in found if entry.number == commit.reserve), commit]
        closed = {entry.reserve for entry in found}
        newest = [entry for entry in found if entry.kind == "reserve"][-1:]  # older ones are orphans
        return [entry for entry in newest if entry.number not in closed]

    def closing(self, account: str, reserve: int) -> Entry | None:
        return first(self._select(Signed, "snapdp.entry WHERE account = %s AND reserve = %s", (account, reserve)))

    def datasets(self) -> list[Dataset]:
        return self._select(Dataset, 'snapdp.dataset ORDER BY account COLLATE "C", version')

    def dataset(self, keyed: str) -> Dataset | None:
        return first(self._select(Dataset, "snapdp.dataset WHERE keyed = %s", (keyed,)))

    def dataset_of(self, version: str) -> Dataset | None:
        return first(self._select(Dataset, "snapdp.dataset WHERE version = %s", (version,)))

    def add_dataset(self, dataset: Dataset) -> None:
        """Add a content, as the keeper; analysts do it by `register`."""
        columns = ", ".join(Dataset._fields)
        self._run(f"INSERT INTO snapdp.dataset ({columns}) VALUES (%s, %s, %s, %s)", dataset._values())

    # Steps that look, check and append at once, outside any transaction

    def register(self, account: str, fingerprint: bytes, fresh: str) -> tuple[str, str]:
        """Return account and version of a content; what is new becomes the version `fresh` of this account."""
        found = self._called("snapdp.register(%s, %s, %s, NULL)", (account, fingerprint, fresh))
        return found[0], found[1]

    def reserve(self, account: str, version: str, epsilon: str, asked: str, session: str, moment: str) -> list[str]:
        """Return done with number, body and digest of the entry, or why there is none: answered, pending, over."""
        fields = (account, version, epsilon, asked, session, moment)
        return self._called("snapdp.reserve(%s, %s, %s, %s, %s, %s, NULL)", fields)

    def finish(self, account: str, kind: str, number: int, head: str, record: str | None) -> list[str]:
        """Commit or abandon a reservation; return as `reserve` does: unknown or answered where it is not open."""
        fields = (account, kind, number, head, record)
        return self._called("snapdp.close(%s, %s, %s, %s, %s, NULL)", fields)

    def _called(self, procedure: str, fields: tuple[Any, ...]) -> list[str]:
        ((told,),) = self._run(f"CALL {procedure}", fields)
        return list(told)

    # Sessions, damage, end

    def start_session(self, token: str) -> None:
        """Hold a lock as long as the connection lives: the server drops it when the process is gone."""
        self._run("SELECT pg_catalog.pg_advisory_lock(%s)", (_lock_of(token),))

    def session_lives(self, token: str) -> bool:
        held = (
            "SELECT 1 FROM pg_catalog.pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1 "
            "AND database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()) "
            "AND (classid::bigint << 32) + objid::bigint = %s"
        )
        return bool(self._run(held, (_lock_of(token),)))

    def damage(self) -> list[str]:
        if not self.is_keeper:
            raise self._refused(*NOT_KEEPER)
        return loopholes(self._run) + differences(lines_of(self._run, "snapdp"), self._fresh())

    def _fresh(self) -> list[str]:
        """Return what a ledger made just now would be made of: made on a connection of its own, and undone."""
        other = PostgresStorage.__new__(PostgresStorage)
        other._open(self._address, self._patience)
        try:
            other.begin(writing=True)
            return fresh_lines(other._run, f"fresh_{os.urandom(8).hex()}")
        finally:
            other.rollback()
            other.close()

    def close(self) -> None:
        if self._owner[0] != os.getpid():
            return  # a copy of the parent's connection: closing it here would end the parent's session
        if self._connection is not None:
            with contextlib.suppress(Exception):
                self._connection.close()
            self._connection = None

    # Inside

    def _open(self, address: str, patience: float) -> None:
        self._owner, self._address, self._patience = _whoever(), address, patience
        self._name = "of a PostgreSQL server"
        self._connection = None
        try:
            import psycopg
            from psycopg.conninfo import conninfo_to_dict
        except ImportError:
            raise PremiseError("psycopg is not installed.", "pip install 'psycopg[binary]>=3.2.1'") from None
        failure = UNREACHABLE
        try:
            fill_standard_streams()  # a socket with their number would be sent what is printed
            parts = conninfo_to_dict(address)
            host = str(parts.get("host", "")).rpartition("@")[2]  # a password with an @ leaves its end here
            self._name = f"postgresql://{host}/{parts.get('dbname', '')}"
            self._connection = psycopg.connect(
                address, autocommit=True, connect_timeout=max(2, round(patience)), client_encoding="UTF8", **KEEPALIVE
            )
        except Exception as error:  # it quotes the address, which may hold a password: only its kind goes on
            failure = NO_ROOM if FULL.search(str(error)) else UNREACHABLE
        if self._connection is None:
            raise self._refused(*failure)
        self._connection.prepare_threshold = None
        try:
            for each in (*SETTINGS, f"SET lock_timeout = {max(1, round(1000 * patience))}"):
                self._run(each)
            if self._run("SHOW fsync") != [("on",)]:
                raise self._refused("is on a server that does not sync its disk.", f"Set fsync = on. {NOTHING_DONE}")
            if self._run("SHOW synchronous_commit")[0][0] not in DURABLE:
                self._run("SET synchronous_commit = on")
        except LedgerError:
            self.close()
            raise

    def _whose(self) -> None:
        """Find out as whom the ledger was opened."""
        ((self.role, self.is_keeper),) = self._run("SELECT session_user::text, snapdp.is_keeper()")

    def _run(self, statement: str, fields: Any = None) -> list[tuple[Any, ...]]:
        if self._connection is None or self._owner != _whoever():
            raise self._refused(*MISUSED)
        failure: LedgerError
        try:
            cursor = self._connection.execute(statement, fields)
            return cursor.fetchall() if cursor.description else []
        except Exception as error:
            failure = self._refusal(error)
        raise failure  # outside the handler: the server's own words, which may quote entries, travel nowhere

    def _refusal(self, error: Exception) -> LedgerError:
        state = getattr(error, "sqlstate", None) or ""
        if self._connection.closed:
            return self._refused(*LOST)
        return self._refused(*(SENTENCES.get(state) or SENTENCES.get(state[:2]) or OTHER))

    def _refused(self, what: str, advice: str) -> LedgerError:
        kind = UnavailableError if (what, advice) in FAILURES else LedgerError
        facts: dict[str, object] = {"lacking": "ledger"} if (what, advice) == NO_LEDGER else {}
        if (what, advice) == LOST:  # whether the server did what it was asked is not known
            facts = {"lost": True}
        return kind(f"the ledger {self._name!r} {what}", advice, **facts)

    def _select(self, kind: type[V], source: str, fields: tuple[Any, ...] | None = None) -> list[V]:
        rows = self._run(f"SELECT {', '.join(kind._fields)} FROM {source}", fields)
        return [kind(**dict(zip(kind._fields, row, strict=True))) for row in rows]


def has_ledger(address: str, *, patience: float = 30.0) -> bool:
    """Tell whether a database has a ledger, of whatever version."""
    storage = PostgresStorage.__new__(PostgresStorage)
    storage._open(address, patience)
    try:
        return bool(storage._run("SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = 'snapdp'"))
    finally:
        storage.close()


def _whoever() -> tuple[int, int]:
    return os.getpid(), threading.get_ident()


def _lock_of(token: str) -> int:
    """Return the number of a session's lock: 60 bits of its token."""
    return int(token[:15], 16)


# What the schema is made of, as sorted lines, compared with those of a schema made afresh beside it
#
# Whatever the server knows about the schema is one line each: owner, privileges, columns, constraints, indexes,
# triggers with their state, functions as their text, policies, rules, inheritance, and everything else that lives in it
# or looks into it with the keeper's rights (a view of another role gives nobody more than that role has). The fresh
# schema is made by the same SQL on the same server and rolled back, so the wording of another version of PostgreSQL
# does not matter.

_ACL = "COALESCE((SELECT pg_catalog.string_agg(a::text, ' ' ORDER BY a::text) FROM pg_catalog.unnest({}) AS a), '-')"
_HERE = "relnamespace = %(schema)s::pg_catalog.regnamespace"
_LINES = f"""
SELECT pg_catalog.concat_ws(' | ', 'schema', pg_catalog.pg_get_userbyid(nspowner), {_ACL.format("nspacl")})
FROM pg_catalog.pg_namespace WHERE oid = %(schema)s::pg_catalog.regnamespace
UNION ALL
SELECT pg_catalog.concat_ws(' | ', 'relation', relname, relkind, relpersistence, pg_catalog.pg_get_userbyid(relowner),
    relrowsecurity, relforcerowsecurity, relispartition, relreplident, {_ACL.format("relacl")})
FROM pg_catalog.pg_class WHERE {_HERE}
UNION ALL
SELECT pg_catalog.concat_ws(' | ', 'column', relname, attnum, attname,
    pg_catalog.format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated, attcollation,
    COALESCE(pg_catalog.pg_get_expr(adbin, adrelid), '-'), {_ACL.format("attacl")})
FROM pg_catalog.pg_attribute JOIN pg_catalog.pg_class c ON c.oid = attrelid
LEFT JOIN pg_catalog.pg_attrdef ON adrelid = attrelid AND adnum = attnum
WHERE {_HERE} AND attnum > 0 AND NOT attisdropped
UNION ALL
SELECT pg_catalog.concat_ws(' | ', 'constraint', relname, conname, convalidated, pg_catalog.pg_get_constraintdef(o.oid))
FROM pg_catalog.pg_constraint o JOIN pg_catalog.pg_class c ON c.oid = conrelid WHERE {_HERE}
UNION ALL
SELECT pg_catalog.concat_ws(' | ', 'index', pg_catalog.pg_get_indexdef(indexrelid), indisvalid, indisready, indislive)
FROM pg_catalog.pg_index JOIN pg_catalog.pg_class c ON c.oid = indrelid WHERE {_HERE}
UNION ALL
SELECT pg_catalog.concat_ws(' | ', 'trigger', relname, tgenabled, CASE WHEN tgisinternal
    THEN pg_catalog.concat_ws(' ', tgtype, p.proname) ELSE pg_catalog.pg_get_triggerdef(t.oid) END)
FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_class c ON c.oid = tgrelid JOIN pg_catalog.pg_proc p ON p.oid = tgfoid
WHERE {_HERE}
UNION ALL
SELECT pg_catalog.concat_ws(' | ', 'function', proname, pg_catalog.pg_get_userbyid(proowner), {_ACL.format("proacl")},
    CASE WHEN prokind IN ('f', 'p') THEN pg_catalog.pg_get_functiondef(oid) ELSE prokind::text END)
FROM pg_catalog.pg_proc WHERE pronamespace = %(schema)s::pg_catalog.regnamespace
UNION ALL
SELECT pg_catalog.concat_ws(' | ', 'policy', relname, polname, polcmd, polpermissive,
    (SELECT pg_catalog.string_agg(CASE r WHEN 0 THEN 'public' ELSE pg_catalog.pg_get_userbyid(r)::text END, ' '
     ORDER BY r) FROM pg_catalog.unnest(polroles) AS r),
    COALESCE(pg_catalog.pg_get_expr(polqual, polrelid), '-'),
    COALESCE(pg_catalog.pg_get_expr(polwithcheck, polrelid), '-'))
FROM pg_catalog.pg_policy JOIN pg_catalog.pg_class c ON c.oid = polrelid WHERE {_HERE}
UNION ALL
SELECT pg_catalog.concat_ws(' | ', 'rule', relname, ev_enabled, pg_catalog.pg_get_ruledef(w.oid))
FROM pg_catalog.pg_rewrite w JOIN pg_catalog.pg_class c ON c.oid = ev_class WHERE {_HERE}
UNION ALL
SELECT pg_catalog.concat_ws(' | ', 'child', relname, inhrelid::pg_catalog.regclass)
FROM pg_catalog.pg_inherits JOIN pg_catalog.pg_class c ON c.oid = inhparent WHERE {_HERE}
UNION ALL
SELECT pg_catalog.concat_ws(' | ', 'object', pg_catalog.pg_describe_object(classid, objid, objsubid))
FROM pg_catalog.pg_depend
WHERE refclassid = 'pg_catalog.pg_namespace'::pg_catalog.regclass AND refobjid = %(schema)s::pg_catalog.regnamespace
UNION ALL
SELECT pg_catalog.concat_ws(' | ', 'reader', c.relname, pg_catalog.pg_describe_object(d.classid, d.objid, 0))
FROM pg_catalog.pg_depend d
JOIN (SELECT oid, relname, relowner FROM pg_catalog.pg_class WHERE {_HERE}) c ON c.oid = d.refobjid
JOIN pg_catalog.pg_rewrite w ON w.oid = d.objid AND w.ev_class <> c.oid
JOIN pg_catalog.pg_class v ON v.oid = w.ev_class AND pg_catalog.pg_has_role(v.relowner, c.relowner, 'MEMBER')
WHERE d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
  AND d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass
UNION ALL
SELECT pg_catalog.concat_ws(' | ', 'default privileges', pg_catalog.pg_get_userbyid(defaclrole), defaclobjtype,
    {_ACL.format("defaclacl")})
FROM pg_catalog.pg_default_acl WHERE defaclnamespace = %(schema)s::pg_catalog.regnamespace
UNION ALL
SELECT pg_catalog.concat_ws(' | ', 'publication', relname, pubname)
FROM pg_catalog.pg_publication_rel JOIN pg_catalog.pg_class c ON c.oid = prrelid
JOIN pg_catalog.pg_publication p ON p.oid = prpubid WHERE {_HERE}
"""
_OWNER = "SELECT pg_catalog.pg_get_userbyid(nspowner) FROM pg_catalog.pg_namespace WHERE nspname = 'snapdp'"
_ADMITTED = (
    "SELECT DISTINCT r.rolname FROM pg_catalog.pg_namespace n, pg_catalog.aclexplode(n.nspacl) a, "
    "pg_catalog.pg_roles r WHERE n.nspname = 'snapdp' AND r.oid = a.grantee AND a.grantee <> n.nspowner ORDER BY 1"
)


def lines_of(run: Run, schema: str) -> list[str]:
    """Return what a schema is made of."""
    return sorted(str(line) for (line,) in run(_LINES, {"schema": schema}))


def fresh_lines(run: Run, schema: str) -> list[str]:
    """Return what the ledger's schema would be made of, had it been made just now; to be rolled back."""
    ((owner,),) = run(_OWNER)
    admitted = [role for (role,) in run(_ADMITTED)]
    run("SELECT pg_catalog.set_config('role', %s, true)", (owner,))
    run(schema_text("postgres").replace("snapdp.", f"{schema}.").replace("SCHEMA snapdp", f"SCHEMA {schema}"))
    for role in admitted:
        run(f"SELECT {schema}.admit(%s)", (role,))
    return sorted(line.replace(f"{schema}.", "snapdp.").replace(schema, "snapdp") for line in lines_of(run, schema))


def differences(kept: list[str], fresh: list[str]) -> list[str]:
    """Return sentences about the lines that are in one list only, one for each thing they are about."""
    odd = {_subject(line): None for line in sorted({*kept} ^ {*fresh})}
    return [f"the rules of the database were changed: {each}." for each in odd]


def _subject(line: str) -> str:
    kind, _, rest = line.partition(" | ")
    first = rest.partition("\n")[0].split(" | ")
    return f"{kind} {' '.join(first[:1] if kind in ('relation', 'function', 'object') else first[:3])}".strip()[:200]


# What undoes the rules from outside the schema: who else is the keeper, and what the server was told
#
# What only a superuser can do to single roles (superuser, BYPASSRLS, pg_write_all_data) is not covered:
# docs/known-limits.md.

_KEEPER = "(SELECT nspowner FROM pg_catalog.pg_namespace WHERE nspname = 'snapdp')"
# Since PostgreSQL 16 who may only administer a role is a member too, and cannot act as it.
_RIGHTS = ("MEMBER",), ("USAGE", "SET")
_MEMBERS = "SELECT rolname FROM pg_catalog.pg_roles WHERE NOT rolsuper AND oid <> {keeper} AND ({acts}) ORDER BY 1"
_SETTINGS = (
    "SELECT DISTINCT pg_catalog.split_part(one, '=', 1) FROM pg_catalog.pg_db_role_setting, "
    "pg_catalog.unnest(setconfig) AS one WHERE setdatabase IN (0, (SELECT oid FROM pg_catalog.pg_database "
    "WHERE datname = pg_catalog.current_database())) AND (one LIKE 'session_replication_role=%%' "
    "OR one ~ '^synchronous_commit=' AND one !~ '=(on|remote_apply|true|yes|1)$') "
    "UNION SELECT name FROM pg_catalog.pg_settings WHERE name = 'session_replication_role' "
    "AND (setting <> 'origin' OR source NOT IN ('default', 'configuration file'))"
)
_GRANTED = "SELECT 1 FROM pg_catalog.pg_parameter_acl WHERE parname = 'session_replication_role'"
_PUBLISHED = "SELECT pubname FROM pg_catalog.pg_publication WHERE puballtables ORDER BY 1"
_FUNCTIONS = (
    "SELECT p.oid::pg_catalog.regprocedure::text FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n "
    "ON n.oid = p.pronamespace JOIN pg_catalog.pg_roles r ON r.oid = p.proowner WHERE p.prosecdef AND NOT r.rolsuper "
    "AND p.proowner = {keeper} AND n.nspname <> 'snapdp' ORDER BY 1"
)


def loopholes(run: Run) -> list[str]:
    """Return sentences about what undoes the rules of a ledger from outside its schema."""
    ((version,),) = run("SELECT pg_catalog.current_setting('server_version_num')::integer")
    rights = _RIGHTS[version >= 160000]
    acts = " OR ".join(f"pg_catalog.pg_has_role(oid, {_KEEPER}, '{right}')" for right in rights)
    found = [f"the role {name!r} may act as the keeper." for (name,) in run(_MEMBERS.format(keeper=_KEEPER, acts=acts))]
    told = {name for (name,) in run(_SETTINGS)}
    if "session_replication_role" in told or (version >= 150000 and run(_GRANTED)):
        found.append("the server was told to skip the rules of the database, or lets somebody tell it.")
    if "synchronous_commit" in told:
        found.append("the server was told to acknowledge before it has synced.")
    found += [f"the publication {name!r} sends every table away, the key with them." for (name,) in run(_PUBLISHED)]
    functions = run(_FUNCTIONS.format(keeper=_KEEPER))
    return found + [f"the function {name} outside the ledger has the keeper's rights." for (name,) in functions]
