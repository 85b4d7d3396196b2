"""The runner behind bin/corpus: replays the inputs of the corpus and compares with what they gave when it was written.

    bin/corpus                    replay everything; exit code 1 and a list where anything differs
    bin/corpus studies record-*   some families or cases
    bin/corpus --engine duckdb    without Spark and PostgreSQL, which bin/services starts
    bin/corpus --messages         compare the sentences of refusals as well
    bin/corpus --write            write what is found as what is expected; of other engines, what DuckDB finds

Inputs are lines of JSON, a case each; what is expected is a line of JSON for each field of a case, so that a change is
read as a diff. Noise-free numbers are compared with tests/corpus/definition.py before they are written.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
INPUTS, EXPECTED = HERE / "inputs", HERE / "expected"
FAMILIES = (
    "studies", "sources", "engines", "mechanisms", "formulas", "programs", "certificates", "records", "refusals",
    "accounts",
)  # fmt: skip
ELSEWHERE = ("postgresql", "spark")
MOST_LISTED, BATCH = 20, 6
Case = dict[str, Any]
Fields = dict[str, Any]
Task = tuple[str, tuple[str, ...], bool]  # a family, the names of some of its cases, and whether to write them


@cache
def inputs(family: str) -> dict[str, Case]:
    """Return the cases of a family by their names, in their order."""
    lines = (INPUTS / f"{family}.jsonl").read_text(encoding="utf-8").splitlines()
    return {case["name"]: case for case in map(json.loads, lines)}


def expected(family: str) -> dict[str, Fields]:
    """Return what each case of a family gave, sentences among it."""
    found: dict[str, Fields] = {}
    for path in (EXPECTED / f"{family}.jsonl", EXPECTED / f"{family}.messages.jsonl"):
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        for name, field, value in map(json.loads, lines):
            found.setdefault(name, {})[field] = value
    return found


def replay(family: str, case: Case, *, as_reference: bool = False) -> Fields:
    """Return what a case gives now, field by field.

    as_reference   what every engine must give: that is what DuckDB gives
    """
    from tests.corpus import adapter

    tables = _tables()
    if family == "studies":
        found = adapter.replay_study(case, tables[case["table"]])
    elif family == "refusals":
        if "of" in case:
            case = {**case, "study": adapter.forged(inputs("bases")[case["of"]]["study"], case)}
        found = adapter.replay_refusal(case, tables[case["table"]])
    elif family in ("sources", "engines"):
        case = {**case, "source": {}} if as_reference and family == "engines" else case
        found = adapter.replay_sums(case, tables[case["table"]])
    elif family == "mechanisms":
        found = adapter.replay_mechanism(case)
    elif family == "formulas":
        found = adapter.replay_formula(case)
    elif family == "programs":
        found = adapter.replay_program(case)
    elif family == "certificates":
        found = adapter.replay_certificate(case, inputs("bases")[case["of"]]["certificate"])
    elif family == "records":
        base = inputs("studies")[case["of"]]
        found = adapter.replay_record(case, base, tables[base["table"]])
    else:
        assert family == "accounts", family
        found = adapter.replay_account(case, inputs("studies"), tables)
    return {field: _short(value) for field, value in json.loads(json.dumps(found)).items()}


@cache
def _tables() -> dict[str, Any]:
    from tests.corpus.sources import table_of

    return {name: table_of(values) for name, values in inputs("tables").items()}


def _short(value: Any) -> Any:
    """Return a value, or of a long list its beginning and a digest."""
    if not isinstance(value, list) or len(value) <= MOST_LISTED:
        return value
    digest = hashlib.sha256(json.dumps(value).encode()).hexdigest()
    return {"count": len(value), "first": value[:6], "sha256": digest[:24]}


def defined(family: str, case: Case) -> Fields:
    """Return the noise-free numbers of a case by the definitions, where these say what they are."""
    from tests.corpus.definition import defined_sums

    if family not in ("studies", "sources", "engines"):
        return {}
    found = defined_sums(case["study"], _tables()[case["table"]])
    return {field: _short(values) for field, values in found}


def is_message(field: str) -> bool:
    return field.endswith("message")


# Choosing and running


def engine_of(case: Case) -> str:
    engine: str = case.get("source", {}).get("engine", "duckdb")
    return engine


def chosen(names: Sequence[str], engines: Sequence[str]) -> dict[str, list[str]]:
    """Return the names of the cases to replay, by family; refuse a name that fits none."""
    fits = {
        family: [
            name
            for name, case in inputs(family).items()
            if engine_of(case) in engines
            and (not names or any(fnmatch(name, each) or family == each for each in names))
        ]
        for family in FAMILIES
    }
    for each in names:
        if not any(family == each or fnmatch(name, each) for family in FAMILIES for name in inputs(family)):
            raise SystemExit(f"bin/corpus: no case or family is called {each}; the families are {', '.join(FAMILIES)}")
    return {family: found for family, found in fits.items() if found}


def tasks(wanted: dict[str, list[str]], *, as_reference: bool) -> list[Task]:
    """Return batches for the processes: all of Spark is one, and first, because it takes longest."""
    spark = [name for name in wanted.get("engines", ()) if engine_of(inputs("engines")[name]) == "spark"]
    found: list[Task] = [("engines", tuple(spark), as_reference)] if spark else []
    for family, names in wanted.items():
        rest = [name for name in names if family != "engines" or name not in spark]
        if family == "records":  # by the record that is forged: it is made once in a process
            rest.sort(key=lambda name: str(inputs("records")[name]["of"]))
        size = 40 if family in ("records", "certificates", "refusals") else BATCH
        found += [(family, tuple(rest[start : start + size]), as_reference) for start in range(0, len(rest), size)]
    return found


def run(task: Task) -> list[tuple[str, str, Fields]]:
    family, names, as_reference = task
    return [(family, name, replay(family, inputs(family)[name], as_reference=as_reference)) for name in names]


def results(wanted: dict[str, list[str]], processes: int, *, as_reference: bool) -> dict[str, dict[str, Fields]]:
    """Return what every chosen case gives, by family and name."""
    todo, total = tasks(wanted, as_reference=as_reference), sum(map(len, wanted.values()))
    found: dict[str, dict[str, Fields]] = {family: {} for family in wanted}
    done, told = 0, time.monotonic()

    def take(batches: Iterable[list[tuple[str, str, Fields]]]) -> None:
        nonlocal done, told
        for batch in batches:
            for family, name, fields in batch:
                found[family][name] = fields
            done += len(batch)
            if time.monotonic() - told > 10 or done == total:
                told = time.monotonic()
                print(f"  {done} of {total} replayed", file=sys.stderr, flush=True)

    if processes == 1 or len(todo) == 1:
        take(map(run, todo))
    else:
        with multiprocessing.get_context("spawn").Pool(processes) as pool:
            take(pool.imap_unordered(run, todo))
    return found


def differences(
    family: str, before: dict[str, Fields], after: dict[str, Fields], *, messages: bool = False
) -> Iterator[str]:
    """Yield a text for each field of a case that is not what it was: the case, the field, before and after.

    The sentence of a refusal is shown beside another difference of its case, and counts by itself only with `messages`.
    """
    for name, fields in after.items():
        was = before.get(name)
        if was is None:
            yield f"{family} {name}\n    is expected to give nothing: write it first"
            continue
        places = [*was, *(field for field in fields if field not in was)]
        changed = [field for field in places if _text(was, field) != _text(fields, field)]
        if all(is_message(field) for field in changed) and not messages:
            continue
        for field in changed:
            yield f"{family} {name} · {field}\n    before  {_text(was, field)}\n    after   {_text(fields, field)}"


def _text(fields: Fields, field: str) -> str:
    return json.dumps(fields[field], ensure_ascii=False) if field in fields else "(nothing)"


# Writing


def write(found: dict[str, dict[str, Fields]]) -> list[str]:
    """Write what was found as what is expected; return where it is not what is defined, which is written instead."""
    faults: list[str] = []
    checked = 0
    EXPECTED.mkdir(exist_ok=True)
    for family, fresh in found.items():
        kept = expected(family)
        for name, fields in fresh.items():
            right = defined(family, inputs(family)[name])
            wrong = [field for field in right if field in fields and fields[field] != right[field]]
            checked += sum(field in fields for field in right)
            defects = [each for each in fields.values() if isinstance(each, str) and each.startswith("defect")]
            faults += [f"{family} {name}\n    {each}" for each in defects]
            faults += [
                f"{family} {name} · {field}\n    defined {_text(right, field)}\n    found   {_text(fields, field)}"
                for field in wrong
            ]
            kept[name] = {field: right[field] for field in wrong} if wrong else fields
        every = {name: kept[name] for name in inputs(family) if name in kept}
        for path, is_wanted in (
            (EXPECTED / f"{family}.jsonl", lambda field: not is_message(field)),
            (EXPECTED / f"{family}.messages.jsonl", is_message),
        ):
            lines = [
                json.dumps([name, field, value], ensure_ascii=False, separators=(",", ":"))
                for name, fields in every.items()
                for field, value in fields.items()
                if is_wanted(field)
            ]
            if lines:
                path.write_text("\n".join(lines) + "\n", encoding="utf-8")
            else:
                path.unlink(missing_ok=True)
    print(f"{checked} fields are what tests/corpus/definition.py computes from the cells", file=sys.stderr)
    return faults


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="bin/corpus", description="Replay the corpus and compare.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="a family, a case, or a pattern such as study-01*")
    parser.add_argument("--write", action="store_true", help="write what is found as what is expected")
    parser.add_argument("--messages", action="store_true", help="compare the sentences of refusals as well")
    parser.add_argument(
        "--engine", action="append", choices=["duckdb", *ELSEWHERE], help="only this engine; repeatable"
    )
    parser.add_argument("--processes", type=int, default=2)
    asked = parser.parse_args(arguments)
    wanted = chosen(asked.names, asked.engine or ["duckdb", *ELSEWHERE])
    if not asked.write and {engine_of(inputs(family)[name]) for family, names in wanted.items() for name in names} & {
        *ELSEWHERE
    }:
        _with_services(arguments)
    start = time.monotonic()
    found = results(wanted, asked.processes, as_reference=asked.write)
    took, total = time.monotonic() - start, sum(map(len, wanted.values()))
    if asked.write:
        faults = write(found)
        print(*faults, f"{total} written, {len(faults)} faults; {took:.0f} s", sep="\n")
        return 1 if faults else 0
    differing = [
        each
        for family, fresh in found.items()
        for each in differences(family, expected(family), fresh, messages=asked.messages)
    ]
    cases = len({each.split("\n")[0].split(" · ")[0] for each in differing})
    print(*differing, sep="\n", end="\n" if differing else "")
    print(f"{total - cases} same, {cases} differ ({len(differing)} fields); {took:.0f} s")
    return 1 if differing else 0


def _with_services(arguments: Sequence[str]) -> None:
    """Run this again where there are a PostgreSQL server and Java, if there is no server yet."""
    if "SNAPDP_POSTGRES" not in os.environ:
        services = str(HERE.parent.parent / "bin" / "services")
        os.execv(services, [services, sys.executable, "-m", "tests.corpus.replay", *arguments])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
