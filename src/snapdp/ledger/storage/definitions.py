"""What a team ledger's database is made of, as sorted lines: compared with those of a schema made afresh beside it.

Room: ledger. Runs on a connection it is given. Whatever the server knows about the schema is one line each: owner,
privileges, columns, constraints, indexes, triggers with their state, functions as their text, policies, rules,
inheritance, and everything else that lives in it or looks into it with the keeper's rights (a view of somebody else's
gives nobody more than that one has). The fresh schema is made by the same SQL on the same server and rolled back, so
that no wording of another version of PostgreSQL matters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from snapdp.ledger.storage.schema import schema_text

Run = Callable[..., list[tuple[Any, ...]]]

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
