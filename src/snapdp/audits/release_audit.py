"""The audit of a release: everything public in a record is derived again and compared, field by field.

Reads a record and, if given, the ledger that holds it; opens no data. A finding names the field.

1. the declared statistics are rebuilt through the constructors that made them: sensitivity, range, noise scale, grid
   and clamp follow, and must be those of the record;
2. every index lies inside the clamp; value, what is shown, interval and everything derived are recomputed from the
   indices. A file stands in for them exactly where they are more than INLINE, and is read where it lies beside the
   record;
3. the charge is the sum of the epsilons, and the digest of the request is that of what the record declares. If it is
   not, the one field is looked for whose change by a digit explains it, as long as that takes no more than a bounded
   work;
4. the ledger is sound and holds the record.

A record is public and not trusted: every number goes through the constructors of statistics, so whatever could not have
been declared is refused, with its place in the record. What remains are premises: some proved, some tested when the
library starts, some assumed. They are listed.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Generator, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from snapdp.audits.findings import LEDGER, Finding, altered_field, differences
from snapdp.audits.side_files import SHA256, FilesBeside, are_unseen
from snapdp.display.text import LONGEST_TEXT, PUBLIC_TEXTS, is_public_text
from snapdp.errors import DataError, LedgerError, SnapdpError
from snapdp.exact.numbers import shown, to_float_down, to_float_up
from snapdp.ledger.accounts import Amendment
from snapdp.ledger.ledger import Ledger
from snapdp.ledger.rules import declaration_of, identical
from snapdp.ledger.statements import amendment_values
from snapdp.ledger.storage.sqlite_connection import is_failure
from snapdp.release.draw import Drawn, derived_blocks
from snapdp.release.record import LIBRARIES, RECORD_FORMAT, VERSION, checked, derived_values, part_values
from snapdp.release.request import MOST_STATISTICS, Request, added
from snapdp.studies.columns import INLINE
from snapdp.studies.csv_dialect import dialect_words, stated_dialect
from snapdp.studies.declarations import column_from
from snapdp.studies.plans.lines import Line, ask, planned
from snapdp.studies.plans.plan import Plan
from snapdp.studies.protection import unit_noun
from snapdp.studies.relation import CHANGE_ONE, Relation, add_remove, change_one, with_identifiers
from snapdp.studies.statistics.registry import KINDS, statistic_class
from snapdp.studies.toml import placed
from snapdp.tables.engine_names import ENGINES
from snapdp.values import Facts, Value, Values, replaced

if TYPE_CHECKING:
    from snapdp.ledger.accounts import Verification

PROVED, TESTED, ASSUMED = "proved", "tested", "assumed"
# What follows from nothing in a record; the ledger knows it. It has a form all the same.
FREE = {
    "dataset": (re.compile("[^\0]+"), "a name"),
    "dataset_version": (re.compile("[0-9a-f]{16}"), "16 hexadecimal digits"),
    "previous": (SHA256, "sha256: and 64 hexadecimal digits"),
    "bounds_from": (SHA256, "sha256: and 64 hexadecimal digits"),
    "date": (re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}"), "a day, such as 2026-01-31"),
}


class Premise(Value):
    """Something the guarantee rests on, and on what it rests itself."""

    name: str
    status: str
    why: str


class Audit(Value):
    """What was checked of a release, what does not fit, and what is taken for granted.

    seen     the side files that were read, each number in them derived again
    unseen   those of which something was not looked at: of it nothing is said
    amendments   how the account was amended, before and after: told by its ledger, where that is sound and was given
    look     whether the ledger holds the look by which bounds were found; None where there is none, or no ledger
    """

    dataset: str
    epsilon: str
    findings: tuple[Finding, ...]
    premises: tuple[Premise, ...]
    in_ledger: bool
    seen: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    amendments: tuple[Amendment, ...] = ()
    look: bool | None = None

    @property
    def sound(self) -> bool:
        return not self.findings


def audit(
    record: Facts,
    ledger: Ledger | None = None,
    *,
    directory: str | os.PathLike[str] | None = None,
    request: Request | None = None,
) -> Audit:
    """Return the audit of a record; with its ledger, also of the charge behind it.

    directory   where the files of its long blocks are looked for; without it, and of those not there, no number is seen
    request     what was asked, where it is known: its long lists of categories are; else the record tells it
    """
    wrong = {"change-one": "n_max", "add-remove": "n"}.get(str(record.get("relation")), "")
    if wrong in record:
        belongs = "add-remove" if wrong == "n_max" else "change-one"
        should = f"{belongs}, to which {wrong} belongs"
        found = Finding(field="relation", says=str(record["relation"]), should=should)
        return Audit(dataset="", epsilon="", findings=(found,), premises=(), in_ledger=False)
    kept = checked(record)
    place = None if directory is None else Path(directory)
    files = FilesBeside(place)
    findings = list(_findings(kept, files, request))
    amendments: tuple[Amendment, ...] = ()
    look = None if ledger is None else _holds_look(kept, ledger)
    if ledger is not None and not (told := [*_ledger_findings(kept, ledger)] or [*_look_finding(kept, look)]):
        amendments = ledger.amendments(kept["dataset"])
    elif ledger is not None:
        findings += told
    return Audit(
        dataset=kept["dataset"],
        epsilon=kept["charged"],
        findings=tuple(findings),
        premises=tuple(premises(kept)),
        in_ledger=ledger is not None,
        seen=tuple(files.seen),
        unseen=tuple(files.unseen),
        amendments=amendments,
        look=look,
    )


def _holds_look(record: Facts, ledger: Ledger) -> bool | None:
    """Return whether a ledger holds the record that bounds come from, charged; None where a record names none."""
    if "bounds_from" not in record:
        return None
    try:
        return ledger.holds(record["dataset"], record["bounds_from"])
    except LedgerError:  # of an account that is not there: another finding says so
        return False


def _look_finding(record: Facts, held: bool | None) -> Iterator[Finding]:
    """Yield that nobody paid for the look that bounds are said to come from: they may have been read off the rows."""
    if held is False:
        should = "a look that this account of the ledger was charged for"
        yield Finding(field="bounds_from", says=str(record["bounds_from"]), should=should)


def is_sound(record: Facts, directory: str | os.PathLike[str] | None = None, request: Request | None = None) -> bool:
    """Return whether everything in a record follows from what it declares: asked before another's answer is used.

    So must all in those of its side files that are in the directory; `released` asks for the others.
    """
    try:
        return audit(record, directory=directory, request=request).sound
    except Exception:  # it is another's text: whatever it breaks, it is not sound
        return False


def _findings(record: Values, files: FilesBeside, request: Request | None) -> Iterator[Finding]:
    try:
        request = rebuilt(record) if request is None else request
    except SnapdpError as refusal:
        yield from _request_finding(record, None)
        yield Finding(field="statistics", says="what cannot be declared", should=refusal.problem)
        return
    yield from _request_finding(record, request)
    should = {"charged": str(request.epsilon), "unit": request.relation.unit}
    for key, each in should.items():
        yield from differences(key, record[key], each)
    for key in ("person_columns", "most_units"):
        yield from differences(key, record.get(key), request.declaration.get(key))
    yield from _form_findings(record)
    drawn = []
    for number, stated in enumerate(record["statistics"][: len(request.lines)]):
        parts = yield from _statistic_findings(number, stated, request, files)
        drawn += [] if parts is None else [parts]
    if len(drawn) == len(request.lines):  # else it is not even known what to derive from
        yield from _derived_findings(record, drawn, files)


def _form_findings(record: Facts) -> Iterator[Finding]:
    """Yield what cannot be in a field that follows from nothing else in the record."""
    for name, (pattern, should) in FREE.items():
        if name in record and not pattern.fullmatch(record[name]):
            yield Finding(field=name, says=record[name], should=should)
    for name in PUBLIC_TEXTS:
        if name in record and not is_public_text(record[name]):
            yield Finding(field=name, says=record[name], should=f"one line of at most {LONGEST_TEXT} characters")
    # What is wrong with the stated form of CSV files: nothing that a release could have read.
    try:
        _ = "csv" in record and stated_dialect(record["csv"])
    except SnapdpError as refusal:
        yield Finding(field="csv", says=dialect_words(record["csv"]), should=f"another form: {refusal.problem}")
    engine = record["engine"]
    if engine not in ENGINES:
        yield Finding(field="engine", says=engine, should=" or ".join(ENGINES))
        return
    if "csv" in record and not ENGINES[engine].files:
        yield Finding(field="csv", says=dialect_words(record["csv"]), should=f"nothing: {engine} reads no CSV files")
    libraries = {"snapdp", "python", *LIBRARIES, ENGINES[engine].library}
    if libraries != {*record["versions"]}:
        yield Finding(field="versions", says=", ".join(record["versions"]), should=", ".join(sorted(libraries)))
    for name, version in record["versions"].items():
        if not VERSION.fullmatch(version):
            yield Finding(field=f"versions.{name}", says=version, should="a version")


def _statistic_findings(
    number: int,
    stated: Facts,
    request: Request,
    files: FilesBeside,
) -> Generator[Finding, None, list[Drawn] | None]:
    """Yield what is wrong with a statistic; return its parts, or None where they have no numbers to derive from."""
    field, line, mechanisms = f"statistics[{number}]", request.lines[number], request.mechanisms[number]
    declared = request.declaration["statistics"][number]
    yield from differences(field, stated, {**declared, "parts": stated["parts"]})
    if len(stated["parts"]) != len(mechanisms):
        yield Finding(field=f"{field}.parts", says="another number of parts", should=line.statistic.title)
        return None
    found = []
    for place, (part, mechanism) in enumerate(zip(line.statistic.parts, mechanisms, strict=True)):
        says = stated["parts"][place]
        drawn = Drawn(line=line, part=part, mechanism=mechanism, indices=says.get("index", []))
        name, known = f"{field}.parts[{place}]", None
        values = part_values(drawn)
        if part.cells > INLINE:
            known = yield from files.part(name, says, drawn, values)
        else:
            known = yield from _part_findings(name, says, drawn, values)
        found += [] if known is None else [known]
    return found if len(found) == len(mechanisms) else None


def _part_findings(field: str, stated: Facts, drawn: Drawn, values: Facts) -> Generator[Finding, None, Drawn | None]:
    """Yield what in a part is not a function of its declaration and its indices; return it, if it has these."""
    p = drawn.mechanism.parameters
    if "file" in stated:
        yield Finding(field=f"{field}.file", says="a file in place of numbers", should=f"{drawn.part.cells} numbers")
        return None
    if stated["cells"] != drawn.part.cells:
        yield Finding(field=f"{field}.cells", says=str(stated["cells"]), should=str(drawn.part.cells))
        return None
    outside = [k for k in stated["index"] if not p.low <= k <= p.high]
    if outside:
        yield Finding(field=f"{field}.index", says=str(outside[0]), should=f"{p.low} to {p.high}")
        return None
    should = {**values, **drawn.block.listed}
    for cell, index in enumerate(stated["index"]):
        printed = (stated["value"][cell], stated["low"][cell], stated["high"][cell])
        other = drawn.index_printed_as(printed)
        if other is not None and other != index:  # the three agree with each other, not with the index
            yield Finding(field=f"{field}.index[{cell}]", says=str(index), should=str(other))
    yield from differences(field, stated, should)
    return drawn


def _derived_findings(record: Facts, drawn: Sequence[Sequence[Drawn]], files: FilesBeside) -> Iterator[Finding]:
    """Yield what is wrong with derived blocks: there are those that the statistics derive, and no other."""
    stated, expected = record["derived"], list(derived_blocks(drawn))
    if len(expected) != len(stated):
        yield Finding(field="derived", says=f"{len(stated)} blocks", should=f"{len(expected)} blocks")
        return
    for place, (says, (number, block)) in enumerate(zip(stated, expected, strict=True)):
        field, parts = f"derived[{place}]", drawn[number]
        values = derived_values(number, block, parts[0].line.statistic)
        if parts[0].line.statistic.cells_of(block.margin) > INLINE:
            yield from files.derived(field, says, values, parts, block)
        elif are_unseen(parts):  # it follows from numbers in files that were not looked at
            # What a derived block must say beside numbers that nobody derived again: these as it says them.
            # They are of the kind of the others: whole numbers, or doubles.
            kind = type(block.values[0])
            taken = {
                key: [each if type(each) is kind else kind(each or 0) for each in says[key]]
                for key in ("value", "shown", "low", "high")
                if key in says
            }
            yield from differences(
                field,
                says,
                {**values, **{key: each for key, each in block.listed.items() if key in ("cells", "cell")}, **taken},
            )
            if "file" not in says:
                yield from _impossible(field, says, record["statistics"][number])
        else:
            yield from differences(field, says, values | block.listed)


def _impossible(field: str, says: Facts, declared: Facts) -> Iterator[Finding]:
    """Yield numbers that nobody derived again and that cannot be: outside of their interval, or of the public range."""
    possible = KINDS[declared["kind"]].derived_range(declared, says["name"])
    least, most = (-math.inf, math.inf) if possible is None else (to_float_down(possible[0]), to_float_up(possible[1]))
    for cell, ends in enumerate(zip(says["low"], says["shown"], says["high"], strict=True)):
        if None not in ends and not least <= ends[0] <= ends[1] <= ends[2] <= most:
            yield Finding(field=f"{field}.shown[{cell}]", says=str(ends[1]), should="a number that it can be")


def _request_finding(record: Values, request: Request | None) -> Iterator[Finding]:
    """Yield the field whose change explains that the digest of the request does not fit, or the digest itself."""
    fitting = None if request is None else identical(request.epsilon, request.declaration)
    if request is not None and record["request"] == identical(request.epsilon, declaration_of(record)) == fitting:
        return
    found = altered_field(record)
    if found is not None:
        field, says, should = found
        yield Finding(field=field, says=says, should=f"{should}: the digest of the request then fits")
        return
    yield Finding(field="request", says=record["request"], should="the digest of what the record declares")


def _ledger_findings(record: Facts, ledger: Ledger) -> Iterator[Finding]:
    """Yield what the ledger says: it is unsound by itself, holds nothing for this charge, or another text."""
    if (problem := _refusal(ledger, record)) is None:
        return
    if (own := _refusal(ledger)) is not None:
        yield Finding(field=LEDGER, says="what it holds", should=own, about=LEDGER)
        return
    held = ledger.record_of(record)
    if held is None:
        yield Finding(field="previous", says=str(record["previous"]), should=problem)
        return
    for each in differences("record", record, held):
        yield replaced(each, should=f"{each.should}: the ledger has it so")


def _refusal(ledger: Ledger, against: Facts | None = None) -> str | None:
    """Return why a ledger, with a record or by itself, is not sound; None where it is."""
    try:
        ledger.verify(against)
    except LedgerError as problem:
        if is_failure(problem):  # which says nothing about the record
            raise
        return problem.problem
    return None


def premises(record: Facts) -> Iterator[Premise]:
    """Yield what the guarantee of a release rests on; nothing of it depends on what lies beside the record."""
    exact = "rounding and clamping are functions of an exact Laplace draw: docs/theory/mechanism.md (1)-(3)"
    yield Premise(name="post-processing", status=PROVED, why=exact)
    sums = "docs/theory/sensitivities.md (5)-(13), (17)-(22), for the declared bounds and relation"
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
    yield Premise(name="public declarations", status=ASSUMED, why=_declared_in_words(record))
    yield Premise(name="unit", status=ASSUMED, why=_unit_in_words(record))


def _declared_in_words(record: Facts) -> str:
    """Return what must be true of bounds, categories and n: of bounds that a look has found, that it was charged."""
    if "bounds_from" not in record:
        return "bounds, categories and n were not taken from the data"
    look = "bounds come from an earlier look at the data, whose epsilon was charged by itself, on top of this one"
    return f"{look}; categories, n and other bounds were not taken from the data"


def _unit_in_words(record: Facts) -> str:
    """Return what must be true of the rows for epsilon to protect a person."""
    if "unit_rows" in record:
        return f"nobody has more than {record['unit_rows']} rows: declared, and not enforced"
    if "person" not in record:
        return "one row is one person"
    person = record["person"]
    if isinstance(person, str):
        return f"{person} names persons"
    several = f"one {unit_noun(person)} is the unit; someone in k of them has k times epsilon"
    return f"{several}, and is in {record['most_units']} at most" if "most_units" in record else several


def _engine(record: Facts) -> str:
    """Return what added up the rows."""
    engine = ENGINES.get(record["engine"])
    name, library = (record["engine"], "") if engine is None else (engine.shown, engine.library)
    version = record["versions"].get(library, "")
    read = f"reads CSV ({dialect_words(record['csv'])}), " if "csv" in record else ""
    return f"{name} {version}".rstrip() + f" {read}adds and compares"


def release_certificate(record: Facts) -> Values:
    """Return the certificate of a sound release: what is claimed, and the record to derive it from."""
    kept = checked(record)
    return {
        "format": RECORD_FORMAT,
        "claim": str(Fraction(kept["charged"])),
        "premises": [[each.name, each.status, each.why] for each in premises(kept)],
        "record": kept,
    }


# From a record back to the request that it declares


def rebuilt(record: Facts) -> Request:
    """Return the request that a record declares."""
    if not 1 <= len(record["statistics"]) <= MOST_STATISTICS:
        raise DataError(f"there are not 1 to {MOST_STATISTICS} statistics.", "The record was altered.")
    relation = rebuilt_relation(record)
    lines = []
    for number, values in enumerate(record["statistics"]):
        with placed(f"statistics[{number}]"):
            lines.append(_line(values, relation))
    added(line.epsilon for line in lines)
    return Request(dataset=str(record["dataset"]), plan=Plan(lines=tuple(lines)), own=record.get("own"))


def rebuilt_relation(record: Facts) -> Relation:
    """Return the neighbour relation that a record declares."""
    if record["relation"] == CHANGE_ONE:
        return change_one(n=record["n"])
    unit = {key: record[key] for key in ("person", "rows_per_person", "unit_rows") if key in record}
    return with_identifiers(
        add_remove(n_max=record["n_max"], **unit), map(column_from, record.get("person_columns", ()))
    )


def _line(values: Facts, relation: Relation) -> Line:
    statistic = statistic_class(values["kind"]).from_declaration(values, relation)
    return planned(ask(statistic, epsilon=values["epsilon"], alpha=values["alpha"]))


# A ledger beside a record


def verified_ledger(ledger: Ledger, record: Values | None) -> Verification:
    """Return how much was found sound; where the record does not fit, tell whether it is the one that was altered."""
    try:
        return ledger.verify(record)
    except LedgerError:
        if record is not None:
            ledger.verify()
            _refuse_stranger(record, ledger)
            refuse_altered(record, ledger)
        raise


def _refuse_stranger(record: Values, ledger: Ledger) -> None:
    """Refuse a record of a dataset that a ledger knows nothing of: that says nothing about either."""
    if all(each.name != record.get("dataset") for each in ledger.accounts()):
        raise DataError(
            f"the record given is of {shown(record.get('dataset'))}, of which this ledger has no account.",
            "The ledger itself is sound. Take the ledger that was charged for the record, or another record.",
        )


def refuse_altered(record: Values, ledger: Ledger | None = None) -> None:
    """Refuse a record that was edited before it says anything about a ledger: that one may be as it should."""
    judged = "" if ledger is None else "The ledger itself is sound. "
    if not audit(record).sound:
        raise DataError(
            "the record given is not what any release wrote: it was altered.",
            f"{judged}Audit the record to see which fields; take the one that was published.",
            altered=True,
        )
    if ledger is not None and ledger.record_of(record) not in (None, record):
        raise DataError(
            "the record given is not the one that the ledger holds of this charge: it was altered.",
            f"{judged}Audit the record with its ledger to see which fields; take the one that was published.",
            altered=True,
        )


# What an audit found, in words and as plain values: all of it is public, and names were made visible by the caller


def is_certificate(record: Facts) -> bool:
    """Tell a certificate from the record of a release."""
    return "record" in record or "program" in record


def audit_in_words(found: Audit, name: str, *, ask: str = "") -> str:
    """Return the verdict of an audit, the word first.

    name   what the record is called
    ask    how its ledger can be asked, where it was not
    """
    if not found.sound:
        return f"ALTERED: {_altered(found, name)} must be."
    files = {0: "", 1: " with the file beside it"}.get(len(found.seen), f" with the {len(found.seen)} files beside it")
    where = "and its ledger holds it" if found.in_ledger else f"its ledger was not asked{ask}"
    return f"SOUND: {name}{files} follows from what it declares, {where}."


def look_in_words(held: bool) -> str:
    """Return whether the look that bounds come from is in the ledger."""
    where = "is in the ledger, and was charged there" if held else "is not in this account of the ledger"
    return f"The look at the table that bounds come from {where}."


def unseen_in_words(is_there: bool) -> str:
    """Return why a file beside a record was not looked at."""
    if not is_there:
        return "It is not beside the record: of its numbers, and of those that follow from them, nothing is said."
    return "It is whole; of what the record does not tell, or only with another file, nothing is said."


def _altered(found: Audit, name: str) -> str:
    """Return what is not as it must be: fields of the record, files beside it, the ledger; up to the verb."""
    fields = sum(not each.about for each in found.findings)
    files = len({each.about for each in found.findings} - {"", LEDGER})
    counted = ((fields, "field", f" of {name}"), (files, "file", f" beside {name}"))
    things = [f"{number} {what}{'s' * (number > 1)}{where}" for number, what, where in counted if number]
    things += [f"the ledger of {name}"] * any(each.about == LEDGER for each in found.findings)
    is_one = len(things) == 1 and fields + files < 2
    return f"{' and '.join(things)} {'is not what it' if is_one else 'are not what they'}"


def audit_values(found: Audit) -> Values:
    """Return the verdict, the findings, and what it rests on."""
    return {
        "ok": found.sound,
        "verdict": "SOUND" if found.sound else "ALTERED",
        "dataset": found.dataset,
        "epsilon": found.epsilon,
        "in_ledger": found.in_ledger,
        "amendments": [amendment_values(each) for each in found.amendments],
        "bounds_look_in_ledger": found.look,
        "files": {"seen": list(found.seen), "unseen": list(found.unseen)},
        "findings": [
            {"field": each.field, "says": each.says, "should": each.should, "about": each.about or "record"}
            for each in found.findings
        ],
        "premises": [{"name": each.name, "status": each.status, "why": each.why} for each in found.premises],
    }
