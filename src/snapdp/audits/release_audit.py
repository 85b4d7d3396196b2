"""The audit of a release: everything public in a record is derived again and compared, field by field.

Room: audits. Reads a record and, if given, the ledger that holds it; opens no data. A finding names the field.

1. the declared statistics are rebuilt through the constructors that made them: sensitivity, range, noise scale, grid
   and clamp follow, and must be those of the record;
2. every index lies inside the clamp; value, what is shown, interval and everything derived are recomputed from the
   indices; a record of before `shown` has it nowhere;
3. the charge is the sum of the epsilons, and the digest of the request is that of what the record declares. If it is
   not, the one field is looked for whose change by a digit explains it, as long as that takes no more than a bounded
   work;
4. the ledger is sound and holds the record.

What remains are premises: some proved, some tested when the library starts, some assumed. They are listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from snapdp.audits.forensics import altered_field
from snapdp.audits.from_record import rebuilt
from snapdp.errors import LedgerError, SnapdpError
from snapdp.ledger import Ledger, declaration_of, identical, is_failure
from snapdp.release import Drawn, Request, checked, derived_blocks, derived_values, part_values
from snapdp.studies import dialect_words, stated_dialect
from snapdp.tables import ENGINES
from snapdp.values import Value, replaced

PROVED, TESTED, ASSUMED = "proved", "tested", "assumed"


class Finding(Value):
    """One field of a record that is not what it must be."""

    field: str
    says: str
    should: str


class Premise(Value):
    """Something the guarantee rests on, and on what it rests itself."""

    name: str
    status: str
    why: str


class Audit(Value):
    """What was checked of a release, what does not fit, and what is taken for granted."""

    dataset: str
    epsilon: str
    findings: tuple[Finding, ...]
    premises: tuple[Premise, ...]
    in_ledger: bool

    @property
    def sound(self) -> bool:
        return not self.findings


def audit(record: Mapping[str, Any], ledger: Ledger | None = None) -> Audit:
    """Return the audit of a record; with its ledger, also of the charge behind it."""
    wrong = {"change-one": "n_max", "add-remove": "n"}.get(str(record.get("relation")), "")
    if wrong in record:
        belongs = "add-remove" if wrong == "n_max" else "change-one"
        should = f"{belongs}, to which {wrong} belongs"
        found = Finding(field="relation", says=str(record["relation"]), should=should)
        return Audit(dataset="", epsilon="", findings=(found,), premises=(), in_ledger=False)
    kept = checked(record)
    findings = list(_findings(kept))
    if ledger is not None:
        findings += _ledger_findings(kept, ledger)
    return Audit(
        dataset=kept["dataset"],
        epsilon=kept["charged"],
        findings=tuple(findings),
        premises=tuple(premises(kept)),
        in_ledger=ledger is not None,
    )


def is_sound(record: Mapping[str, Any]) -> bool:
    """Return whether everything in a record follows from what it declares: asked before another's answer is used."""
    try:
        return audit(record).sound
    except Exception:  # it is another's text: whatever it breaks, it is not sound
        return False


def _findings(record: dict[str, Any]) -> Iterator[Finding]:
    try:
        request = rebuilt(record)
    except SnapdpError as refusal:
        yield from _request_finding(record, None)
        yield Finding(field="statistics", says="what cannot be declared", should=refusal.problem)
        return
    yield from _request_finding(record, request)
    if record["charged"] != str(request.epsilon):
        yield Finding(field="charged", says=record["charged"], should=str(request.epsilon))
    if record["arithmetic"] != "exact":
        yield Finding(field="arithmetic", says=record["arithmetic"], should="exact")
    if record["unit"] != request.relation.unit:
        yield Finding(field="unit", says=record["unit"], should=request.relation.unit)
    if "engine" in record and record["engine"] not in ENGINES:
        yield Finding(field="engine", says=record["engine"], should=" or ".join(ENGINES))
    yield from _dialect_finding(record)
    drawn, unsaid = [], _unsaid(record)
    for number, (line, mechanisms) in enumerate(zip(request.lines, request.mechanisms, strict=True)):
        stated = record["statistics"][number]
        declared = request.declaration["statistics"][number]
        yield from _differences(f"statistics[{number}]", stated, {**declared, "parts": stated["parts"]})
        if len(stated["parts"]) != len(line.statistic.parts):
            yield Finding(
                field=f"statistics[{number}].parts", says="another number of parts", should=line.statistic.title
            )
            return
        parts = []
        for place, (part, mechanism) in enumerate(zip(line.statistic.parts, mechanisms, strict=True)):
            found = Drawn(line=line, part=part, mechanism=mechanism, indices=stated["parts"][place].get("index", []))
            yield from _part_findings(f"statistics[{number}].parts[{place}]", stated["parts"][place], found, unsaid)
            parts.append(found)
        drawn.append(parts)
    listed = [number for number, parts in enumerate(drawn) if all(len(p.indices) == p.part.cells for p in parts)]
    yield from _derived_findings(record, drawn, listed, unsaid)


def _dialect_finding(record: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield what is wrong with the stated form of CSV files: nothing that a release could have read."""
    try:
        _ = "csv" in record and stated_dialect(record["csv"])
    except SnapdpError as refusal:
        yield Finding(field="csv", says=dialect_words(record["csv"]), should=f"another form: {refusal.problem}")


def _unsaid(record: Mapping[str, Any]) -> set[str]:
    """Return the columns of numbers that a record has nowhere: those of before `shown` do not have it."""
    parts = [part for statistic in record["statistics"] for part in statistic["parts"]]
    return set() if any("shown" in block for block in (*parts, *record["derived"])) else {"shown"}


def _part_findings(field: str, stated: Mapping[str, Any], drawn: Drawn, unsaid: set[str]) -> Iterator[Finding]:
    """Yield what in a part is not a function of its declaration and its indices."""
    p = drawn.mechanism.parameters
    if "file" in stated:  # the numbers are elsewhere: what stands here must still be what was declared
        expected = {**part_values(drawn), "cells": drawn.part.cells, "file": stated["file"]}
        yield from _differences(field, stated, expected)
        return
    if stated["cells"] != drawn.part.cells:
        yield Finding(field=f"{field}.cells", says=str(stated["cells"]), should=str(drawn.part.cells))
        return
    outside = [k for k in stated["index"] if not p.low <= k <= p.high]
    if outside:
        yield Finding(field=f"{field}.index", says=str(outside[0]), should=f"{p.low} to {p.high}")
        return
    should = {**part_values(drawn), **drawn.block.listed}
    for cell, index in enumerate(stated["index"]):
        printed = (stated["value"][cell], stated["low"][cell], stated["high"][cell])
        other = drawn.index_printed_as(printed)
        if other is not None and other != index:  # the three agree with each other, not with the index
            yield Finding(field=f"{field}.index[{cell}]", says=str(index), should=str(other))
    yield from _differences(field, stated, {key: each for key, each in should.items() if key not in unsaid})


def _derived_findings(
    record: Mapping[str, Any], drawn: Sequence[Sequence[Drawn]], listed: Sequence[int], unsaid: set[str]
) -> Iterator[Finding]:
    """Yield what is wrong with derived numbers of the statistics whose own numbers stand in the record."""
    blocks = derived_blocks([drawn[number] for number in listed])
    expected = [derived_values(listed[place], block) | block.listed for place, block in blocks]
    numbers = set(listed)
    stated = [(place, each) for place, each in enumerate(record["derived"]) if each["statistic"] in numbers]
    if len(expected) != len(stated):
        yield Finding(field="derived", says=f"{len(stated)} blocks", should=f"{len(expected)} blocks")
        return
    for (place, says), should in zip(stated, expected, strict=True):
        yield from _differences(
            f"derived[{place}]", says, {key: each for key, each in should.items() if key not in unsaid}
        )


def _request_finding(record: dict[str, Any], request: Request | None) -> Iterator[Finding]:
    """Yield the field whose change explains that the digest of the request does not fit, or the digest itself."""
    if request is not None and record["request"] == identical(request.epsilon, declaration_of(record)):
        return
    found = altered_field(record)
    if found is not None:
        field, says, should = found
        yield Finding(field=field, says=says, should=f"{should}: the digest of the request then fits")
        return
    yield Finding(field="request", says=record["request"], should="the digest of what the record declares")


def _differences(field: str, stated: Mapping[str, Any], should: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield every field of a table that differs, element by element."""
    for key in sorted({*stated, *should}):
        if stated.get(key) != should.get(key) or type(stated.get(key)) is not type(should.get(key)):
            yield from _difference(f"{field}.{key}", stated.get(key), should.get(key))


def _difference(field: str, stated: Any, should: Any) -> Iterator[Finding]:
    if isinstance(stated, Mapping) and isinstance(should, Mapping):
        yield from _differences(field, stated, should)
    elif isinstance(stated, list) and isinstance(should, list) and len(stated) == len(should):
        for place, (one, other) in enumerate(zip(stated, should, strict=True)):
            if one != other or type(one) is not type(other):
                yield from _difference(f"{field}[{place}]", one, other)
    else:
        yield Finding(field=field, says=str(stated), should=str(should))


def _ledger_findings(record: Mapping[str, Any], ledger: Ledger) -> Iterator[Finding]:
    try:
        ledger.verify(record)
    except LedgerError as problem:
        if is_failure(problem):  # which says nothing about the record
            raise
        held = ledger.record_of(record)
        if held is None:
            yield Finding(field="previous", says=str(record["previous"]), should=problem.problem)
        elif held != record:
            for each in _differences("record", record, held):
                yield replaced(each, should=f"{each.should}: the ledger has it so")
        else:  # the ledger has this very record, and cannot be trusted
            yield Finding(field="ledger", says="this record", should=problem.problem)


def premises(record: Mapping[str, Any]) -> Iterator[Premise]:
    """Yield what the guarantee of a release rests on."""
    exact = "rounding and clamping are functions of an exact Laplace draw: docs/theory/mechanism.md (1)-(3)"
    yield Premise(name="post-processing", status=PROVED, why=exact)
    sums = "docs/theory/sensitivities.md (5)-(13), (17)-(19), for the declared bounds and relation"
    yield Premise(name="sensitivity", status=PROVED, why=sums)
    yield Premise(name="exact sums", status=PROVED, why="whole numbers of proven width: docs/theory/exact-sums.md")
    yield Premise(
        name="composition",
        status=PROVED,
        why=f"epsilons add up: {' + '.join(each['epsilon'] for each in record['statistics'])} = {record['charged']}",
    )
    filtered = "docs/theory/fast-path.md; the logarithm is compared with a table before its first use"
    yield Premise(name="fast path", status=TESTED, why=filtered)
    yield Premise(name="fair bits", status=ASSUMED, why="the operating system's entropy, and AES-256 keyed by it")
    yield Premise(name="engine", status=ASSUMED, why=f"{_engine(record)} as SQL says; tested against rationals")
    yield Premise(
        name="public declarations", status=ASSUMED, why="bounds, categories and n were not taken from the data"
    )
    unit = f"{record['person']} names persons" if "person" in record else "one row is one person"
    yield Premise(name="unit", status=ASSUMED, why=unit)


def _engine(record: Mapping[str, Any]) -> str:
    """Return what added up the rows, as far as the record says."""
    if "engine" not in record:
        return "the engine, not named in a record of version 1, adds and compares"
    engine = ENGINES.get(record["engine"])
    name, library = (record["engine"], "") if engine is None else (engine.shown, engine.library)
    version = record["versions"].get(library, "")
    read = f"reads CSV ({dialect_words(record['csv'])}), " if "csv" in record else ""
    return f"{name} {version}".rstrip() + f" {read}adds and compares"


def release_certificate(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the certificate of a sound release: what is claimed, and the record to derive it from."""
    kept = checked(record)
    return {
        "format": "snapdp-release-certificate/1",
        "claim": str(Fraction(kept["charged"])),
        "premises": [[each.name, each.status, each.why] for each in premises(kept)],
        "record": kept,
    }
