"""What the corpus asks of snapdp: the only file here that names anything inside the package.

Each function takes a case, a plain value read from tests/corpus/inputs, and returns what snapdp made of it as plain
fields: {name: value}. Numbers are exact: integers, fractions as text, doubles as the digits that they print. Nothing
that depends on the day, a path, a version or the machine is among them. The sentence of a refusal is returned apart,
as the field MESSAGE, because a sentence may be rewritten without anything having changed.

A redesign changes this file alone, and converts the inputs where a format changed.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy
import pyarrow.parquet

import snapdp
from snapdp import lab
from snapdp.audits import check_release
from snapdp.audits.check_program import Refusal, examine
from snapdp.audits.release_audit import audit, release_certificate
from snapdp.errors import SnapdpError
from snapdp.lab.language.fpcore import Format, read_cores
from snapdp.lab.language.parser import parse, read_formula
from snapdp.lab.loss.certificate import certificate_text
from snapdp.lab.loss.verdict import verify
from snapdp.lab.semantics.error_bound import bound_error, read_ranges
from snapdp.lab.semantics.machine import parse_machine
from snapdp.ledger.ledger import Ledger
from snapdp.mechanism.mechanism import index_with_bits, release_with_bits
from snapdp.release.release import exact_values, released
from tests.corpus.sources import Table, opened

MESSAGE = "message"
Case = dict[str, Any]
Fields = dict[str, Any]
SIXTEEN = Context(prec=16, Emax=MAX_EMAX, Emin=MIN_EMIN)
EVALUATIONS = 40  # of the search for an output that loses most: the bound does not depend on it


class Bits:
    """Fair bits that are the same in every replay: words of SHA-256 of a label, a position and a counter.

    first   first words to take instead, by position
    start   the position of these bits that is asked for as position 0
    """

    def __init__(self, label: str, first: list[int] | None = None, start: int = 0) -> None:
        self.label, self.first, self.start = label, first or [], start

    def _word(self, position: int, place: int) -> int:
        text = f"{self.label}/{self.start + position}/{place}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")

    def first_word(self, position: int = 0) -> int:
        if self.start + position < len(self.first):
            return self.first[self.start + position]
        word = self._word(position, 0)
        return word - (1 << 64) if word >> 63 else word

    def first_words(self) -> Callable[[Any], None]:
        return self._filling(8, lambda word: word.to_bytes(8, "little", signed=True))

    def first_halves(self) -> Callable[[Any], None]:
        return self._filling(4, lambda word: (word >> 32).to_bytes(4, "little", signed=True))

    def second_halves(self, positions: Any) -> bytes:
        return b"".join((self.first_word(int(i)) % (1 << 32)).to_bytes(4, "little") for i in positions)

    def extension(self, position: int = 0) -> Iterator[int]:
        place = 0
        while True:
            place += 1
            yield self._word(position, place)

    def _filling(self, size: int, part: Callable[[int], bytes]) -> Callable[[Any], None]:
        position = 0

        def fill(buffer: Any) -> None:
            nonlocal position
            count = len(buffer) // size
            buffer[:] = b"".join(part(self.first_word(position + i)) for i in range(count))
            position += count

        return fill


def refusal_of(error: BaseException) -> Fields:
    """Return the class of a refusal and the field that it names; any other exception is a defect."""
    if not isinstance(error, SnapdpError):
        return {"refused": f"defect: {type(error).__name__}", MESSAGE: ""}
    numbers = error.numbers
    field = {key: numbers[key] for key in ("place", "key", "declares") if isinstance(numbers.get(key), str)}
    return {"refused": type(error).__name__, **({"at": field} if field else {}), MESSAGE: str(error)}


def plain(value: Any) -> Any:
    """Return a number of the library as JSON has it: whole numbers as they are, others as exact text."""
    if isinstance(value, Fraction):
        return str(value)
    if value is None or isinstance(value, (str, bool, float)):
        return value  # a double is written with the digits that it prints
    return int(value)


# Studies


def replay_study(case: Case, table: Table) -> Fields:
    """Return what a study says, plans and releases from a table with the bits of the case's name."""
    try:
        return _released_fields(case, table)[0]
    except Exception as error:
        return refusal_of(error)


def replay_refusal(case: Case, table: Table) -> Fields:
    """Return how a study or its table is refused, by class and field; the charge where it is not refused after all."""
    try:
        with _study_of(case, table) as (study, engine):
            request = study.request()
            exact_values([line.statistic for line in request.lines], engine, salt=study.dataset)
            return {"accepted": str(request.epsilon)}
    except Exception as error:
        return refusal_of(error)


def replay_sums(case: Case, table: Table) -> Fields:
    """Return the noise-free numbers alone: all that depends on the engine and on how the table is stored."""
    try:
        with _study_of(case, table) as (study, engine):
            request = study.request()
            found = exact_values([line.statistic for line in request.lines], engine, salt=study.dataset)
            return dict(_exact_fields(request, found))
    except Exception as error:
        return refusal_of(error)


@contextmanager
def _study_of(case: Case, table: Table) -> Iterator[tuple[Any, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        values = case.get("study", {})
        for name, text in case.get("files", {}).items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        if "text" in case:
            (Path(folder) / "study.toml").write_text(case["text"], encoding="utf-8")
            study = snapdp.study(Path(folder) / "study.toml")
        elif case.get("files"):
            study = snapdp.study(_with_paths(values, folder))
        else:
            study = snapdp.study(values)
        with opened(table, case.get("source", {}), Path(folder)) as (data, options):
            yield study, snapdp.open_table(data, dialect=study.csv, **options)


def _with_paths(values: dict[str, Any], folder: str) -> dict[str, Any]:
    """Return a study whose files of keys are those of the case."""
    asked = [
        {**each, "keys": str(Path(folder) / each["keys"])} if isinstance(each.get("keys"), str) else each
        for each in values["statistic"]
    ]
    return {**values, "statistic": asked}


def _released_fields(case: Case, table: Table) -> tuple[Fields, dict[str, Any]]:
    with _study_of(case, table) as (study, engine), tempfile.TemporaryDirectory() as folder:
        plan = study.plan().fit() if case.get("fit") else study.plan()
        request = study.request(plan)
        found = exact_values([line.statistic for line in request.lines], engine, salt=study.dataset)
        with Ledger.create(Path(folder) / "a.ledger") as ledger:
            relation = study.relation
            ledger.create_account(
                study.dataset, cap=10**6, relation=relation.kind, rows=relation.rows, unit=relation.unit_in_full
            )
            record = released(
                request,
                engine,
                ledger,
                directory=Path(folder),
                is_sound=lambda _: True,
                bits=lambda statistic, part: Bits(f"{case['name']}/{statistic}/{part}"),
                texts=study.declared.texts,
            ).record
            spent = ledger.account(study.dataset).spent
        fields: Fields = {"charge": str(spent), "unit": _unit(record), **dict(_exact_fields(request, found))}
        for number, (line, errors) in enumerate(zip(plan.lines, plan.errors, strict=True), start=1):
            fields[f"{number} planned"] = [str(line.epsilon), *(f"{float(each.error):.6g}" for each in errors)]
        fields |= _record_fields(record, Path(folder))
        fields["audit"] = verdict_of_audit(record, Path(folder))
        fields["checker"] = verdict_of_checker(release_certificate(record))
        return fields, record


def _unit(record: dict[str, Any]) -> list[Any]:
    keys = ("relation", "n", "n_max", "person", "rows_per_person", "unit_rows")
    return [record[key] for key in keys if key in record]


def _exact_fields(request: Any, found: Any) -> Iterator[tuple[str, Any]]:
    """Yield the noise-free numbers of each part, in units of the statistic."""
    for number, (line, values) in enumerate(zip(request.lines, found, strict=True), start=1):
        for part, numerators in zip(line.statistic.parts, values, strict=True):
            exact = [plain(part.numerator.statistic(int(each))) for each in numerators]
            yield f"{number} {part.numerator.name} | noise-free", exact


def _record_fields(record: dict[str, Any], folder: Path) -> Fields:
    """Return mechanisms, indices and results; cells once for each statistic, and what is shown where it differs."""
    fields: Fields = {}
    cells: list[tuple[int, Any]] = []
    for number, statistic in enumerate(record["statistics"], start=1):
        fields[f"{number} is"] = statistic["kind"]
        for part in statistic["parts"]:
            name = f"{number} {part['name']}"
            fields[f"{name} | mechanism"] = [part["noise_scale"], part["grid"], *part["clamp"]]
            fields |= _numbers(name, number, part, folder, cells)
    for block in record["derived"]:
        number = block["statistic"] + 1
        fields |= _numbers(f"{number} {block['name']}", number, block, folder, cells)
    return fields


def _numbers(name: str, number: int, block: dict[str, Any], folder: Path, cells: list[tuple[int, Any]]) -> Fields:
    if "file" in block:
        stored = pyarrow.parquet.read_table(folder / block["file"]["name"])
        block = {key: stored[key].to_pylist() for key in stored.column_names}
    found = {
        key: [list(each) if isinstance(each, list) else plain(each) for each in block[key]]
        for key in ("cell", "index", "value", "shown", "low", "high")
        if key in block
    }
    if repr(found.get("shown")) == repr(found.get("value")):
        found.pop("shown", None)
    if (number, found.get("cell")) in cells:
        del found["cell"]
    else:
        cells.append((number, found.get("cell")))
    return {f"{name} | {key}": values for key, values in found.items()}


# Records


def verdict_of_audit(record: dict[str, Any], folder: Path | None = None) -> str:
    """Return what the library says of a record: sound, or refused with the field of the first finding."""
    try:
        found = audit(record, directory=folder)
    except SnapdpError as error:
        return f"refused: {type(error).__name__}"
    return "sound" if not found.findings else f"not sound: {found.findings[0].field}"


def verdict_of_checker(certificate: dict[str, Any]) -> str:
    """Return what the independent checker says of the certificate of a release."""
    try:
        faults = check_release.check(json.loads(json.dumps(certificate)))
    except check_release.Refused:
        faults = ["refused"]
    return "refused" if faults else "accepted"


@cache
def _base_record(case: str, table: Table) -> tuple[str, str]:
    record = _released_fields(json.loads(case), table)[1]
    return json.dumps(record), json.dumps(release_certificate(record))


def replay_record(case: Case, base: Case, table: Table) -> Fields:
    """Return what both checkers say of the record of a study in which one place is something else."""
    record, certificate = map(json.loads, _base_record(json.dumps(base), table))
    changed = forged(record, case)
    return {
        "audit": verdict_of_audit(changed),
        "checker": verdict_of_checker({**certificate, "record": changed}),
    }


def forged(value: Any, case: Case) -> Any:
    """Return a value in which one place is changed, dropped or added; nothing at all for an empty path."""
    changed: Any = json.loads(json.dumps(value))
    if not case["path"]:
        return changed
    at: Any = changed
    for step in case["path"][:-1]:
        at = at[step]
    if case.get("drop"):
        del at[case["path"][-1]]
    else:
        at[case["path"][-1]] = case["value"]
    return changed


# The mechanism by itself


def replay_mechanism(case: Case) -> Fields:
    """Return the constants of a mechanism, what it makes of values and bits, and probabilities of its outputs."""
    try:
        mechanism = snapdp.Snapping(**case["mechanism"])
        p = mechanism.parameters
        clamp = [p.data_value(p.low), p.data_value(p.high)]
        fields: Fields = {"constants": [str(each) for each in (p.noise_scale * p.unit, p.data_grid, *clamp)]}
        values, words = list(map(_number, case["values"])), [int(word, 16) - (1 << 63) for word in case["words"]]
        bits = [Bits(case["name"], words, place) for place in range(len(words))]
        inner = mechanism._mechanism
        fields["index"] = [int(index_with_bits(inner, value, own)) for value, own in zip(values, bits, strict=True)]
        fields["number"] = [release_with_bits(inner, value, own) for value, own in zip(values, bits, strict=True)]
        together = index_with_bits(inner, [float(value) for value in values], bits[0])
        fields["the same all at once"] = list(map(int, together)) == fields["index"]
        for value in case["law"]:
            law = mechanism.law(value)
            middle = law.quantile_index("1/2")
            places = sorted({p.low, p.high, *(min(max(middle + far, p.low), p.high) for far in (-40, -3, 0, 1, 7))})
            fields[f"law of {value}"] = [[j, digits(law.index_probability(j))] for j in places]
        fields["accuracy"] = digits(mechanism.accuracy(alpha=case.get("alpha", "0.05")))
        return fields
    except Exception as error:
        return refusal_of(error)


def _number(value: Any) -> Any:
    """Return a value of a case: a whole number, or a double from its hexadecimal text."""
    return float.fromhex(value) if isinstance(value, str) else value


def digits(value: Any) -> str:
    """Return an exact number, or the middle of an enclosure far narrower than that, by its first 16 digits."""
    exact = (value.lower + value.upper) / 2 if hasattr(value, "lower") else Fraction(value)
    return str(SIXTEEN.divide(Decimal(exact.numerator), Decimal(exact.denominator)).normalize(SIXTEEN))


# Rounding errors of formulas, programs and their certificates


def replay_formula(case: Case) -> Fields:
    """Return the certified bound of the rounding error of a formula, and the largest error that was met."""
    try:
        if "core" in case:
            (core,) = read_cores(case["core"])
            box = {name: (low, high) for name, low, high in core.box}
            found = bound_error(core.formula, box, core.floats, most_boxes=case["boxes"])
        else:
            formula, box = read_formula(case["formula"]), read_ranges(case["ranges"])
            found = bound_error(formula, box, Format(p=case["p"]), most_boxes=case["boxes"])
        return {"absolute error": digits(found.absolute), "reached": digits(found.reached)}
    except Exception as error:
        return refusal_of(error)


def replay_program(case: Case) -> Fields:
    """Return the verdict on a program, its bound and its claim, and whether its certificate is accepted.

    A program is text of the verifier's language, or a Python function called `release` that is decorated by `audit`.
    """
    try:
        if "python" in case:
            names = ("audit", "ln", "clamp", "round_to")
            space: dict[str, Any] = {**{name: getattr(lab, name) for name in names}, "np": numpy}
            exec(compile(case["python"], case["name"], "exec"), space)
            program = space["release"].program
        else:
            program = parse(case["text"], name=case["name"])
        machine = parse_machine(case.get("machine", ""))
        claim = case.get("claim") or ("note" if program.claim is None else None)
        verdict = verify(program, machine, claim=claim, evaluations=EVALUATIONS)
        fields: Fields = {"verdict": verdict.kind, "bound": None if verdict.upper is None else str(verdict.upper)}
        fields["claim"] = None if verdict.claim.value is None else str(verdict.claim.value)
        fields["failed premises"] = sorted(each.name for each in verdict.failed)
        fields["impossible output"] = verdict.is_infinite
        if verdict.kind in ("VERIFIED", "REFUTED"):
            fields["certificate"] = verdict_of_prover_and_checker(verdict)
        return fields
    except Exception as error:
        return refusal_of(error)


def verdict_of_prover_and_checker(verdict: Any) -> str:
    try:
        return replay_certificate_text(certificate_text(verdict))
    except SnapdpError as error:
        return f"none: {type(error).__name__}"


def replay_certificate_text(text: str) -> str:
    """Return accepted, refused, or unreadable, as the checker of programs exits with 0, 1 or 2."""
    try:
        examine(text)
    except Refusal:
        return "refused"
    except (ValueError, RecursionError):
        return "unreadable"
    return "accepted"


def replay_certificate(case: Case, base: Any) -> Fields:
    """Return what the checker of programs says of a certificate in which one place is something else."""
    return {"checker": replay_certificate_text(json.dumps(forged(base, case)))}


# Accounts


def replay_account(case: Case, studies: dict[str, Case], tables: dict[str, Table]) -> Fields:
    """Return what each of several releases from one account is charged, and what the account has spent after it."""
    fields: Fields = {}
    with tempfile.TemporaryDirectory() as folder, Ledger.create(Path(folder) / "a.ledger") as ledger:
        ledger.create_account(**case["account"])
        for number, step in enumerate(case["steps"], start=1):
            try:
                fields[f"{number}"] = _account_step(step, ledger, studies, tables, Path(folder))
            except Exception as error:
                told = refusal_of(error)
                fields[f"{number}"] = told["refused"]
                fields[f"{number} {MESSAGE}"] = told[MESSAGE]
            fields[f"{number} spent"] = str(ledger.account(case["account"]["name"]).spent)
    return fields


def _account_step(step: Case, ledger: Any, studies: dict[str, Case], tables: dict[str, Table], folder: Path) -> str:
    if "amend" in step:
        ledger.amend(**step["amend"])
        return "amended"
    case = {**studies[step["study"]], **step.get("with", {})}
    with _study_of(case, tables[case["table"]]) as (study, engine):
        outcome = released(
            study.request(),
            engine,
            ledger,
            directory=folder,
            is_sound=lambda _: True,
            bits=lambda statistic, part: Bits(f"{case['name']}/{statistic}/{part}"),
        )
    return "free" if outcome.free else "charged"
