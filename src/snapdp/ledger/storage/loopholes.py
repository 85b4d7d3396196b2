"""What lies outside a team ledger's schema and undoes its rules: who else is the keeper, and what the server was told.

Room: ledger. Runs on a connection it is given. What only a superuser can do to single roles (superuser, BYPASSRLS,
pg_write_all_data) stays outside: docs/known-limits.md.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Run = Callable[..., list[tuple[Any, ...]]]

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
