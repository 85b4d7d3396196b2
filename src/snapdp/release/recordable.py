"""Whether what a request will write can be read again, audited and certified: decided before any data, from its
declarations alone.

It has seen no data. After the charge a record is written that nobody may refuse: not `checked`, not the server of a
team ledger, not the audit, not the independent checker of certificates. Everything these refuse is refused here first:
a trial record without numbers goes through `checked`, every statistic is made again from its declaration as the audit
makes it, and the record is bounded by the widest numbers that its parts can have.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from snapdp.errors import BoundError, ParameterError, PremiseError, SnapdpError
from snapdp.ledger.chain import canonical
from snapdp.mechanism.mechanism import Mechanism
from snapdp.release.draw import Drawn, is_whole
from snapdp.release.record import LIBRARIES, RECORD_FORMAT, checked, part_values
from snapdp.release.request import MOST_DIGITS, Request, relation_values
from snapdp.studies.columns import INLINE, Column, storable
from snapdp.studies.grouping.keys import KeyColumn
from snapdp.studies.plans.lines import Line
from snapdp.studies.relation import identifier_of
from snapdp.studies.statistics.parts import Part
from snapdp.studies.statistics.registry import statistic_class
from snapdp.tables.engine_names import ENGINES
from snapdp.values import Facts, Values

MOST_BYTES = (1 << 24) - (1 << 16)  # the server of a team ledger takes records below 2**24
BEYOND_INT64 = 1 << 63
_FREE_TEXT = {
    "name",
    "title",
    "categories",
    "equals",
    "dataset",
    "unit",
    "person",
    "own",
    "versions",
    "keys",
    "level",
    "of",
    "margin",
    "margins",
}
_DIGEST = "sha256:" + "0" * 64
_NOTHING: Values = {"cells": 0, "cell": [], "index": [], "value": [], "shown": [], "low": [], "high": []}
_LISTS, _DOUBLE, _FRAME = 5, 26, 600  # of a cell, beside the index, at most; bytes of a double, of a block's own


def check_recordable(request: Request) -> None:
    """Refuse a request whose record could not be written, read, audited or certified."""
    # Refuse two declarations of one column, which no study has, and names that no certificate can have.
    found: dict[str, Column] = {}
    for column in (each.plain for line in request.lines for each in line.statistic.every_column):
        other = found.setdefault(column.name, column)
        if other != column and not _are_keys(other, column):
            raise ParameterError("one column is declared in two ways.", "Declare it once, for all statistics.")
    persons = request.relation.person_columns
    for piece in (found[each] for each in persons if each in found):
        if identifier_of(piece) not in (None, *request.relation.identifiers):
            raise ParameterError(
                f"column {piece.name!r} is part of the person, and its declared values do not tell persons apart.",
                "Build the relation with with_identifiers(relation, columns), or declare everything in one study.",
            )
    if "" in found or "" in persons:
        raise ParameterError("a column has no name.", "Give it one: its records could not be certified.")
    for name in (*persons, request.own):
        storable(name or "", "the name of a person's column, or of a role,")
    if request.own == "":
        raise ParameterError("the role has no name.", "Leave it out, or name it: its records could not be certified.")
    _check_digits(request.declaration)
    for line, declared in zip(request.lines, request.declaration["statistics"], strict=True):
        _check_read_again(line, declared)
    for line, mechanisms in zip(request.lines, request.mechanisms, strict=True):
        for part, m in zip(line.statistic.parts, mechanisms, strict=True):
            # Refuse whole numbers that a column of a side file could not hold exactly, whatever is drawn.
            if part.cells > INLINE and is_whole(part, m) and max(map(abs, _ends(part, m))) >= BEYOND_INT64:
                raise BoundError(
                    f"the {part.numerator.name} of {line.statistic.shown} may leave the whole numbers of 64 bits, "
                    f"which hold the results of more than {INLINE} cells.",
                    'Declare the column with kind = "number", or in another unit. Nothing was read and nothing spent.',
                )
    trial = _trial(request)
    _check_digits(trial)
    try:
        checked(trial)
    except SnapdpError as refusal:
        raise _refused(f"the request cannot be recorded: {refusal.problem}") from None
    if (size := most_bytes(request, trial)) > MOST_BYTES:
        raise _refused(
            f"the record would take up to {size >> 20} MiB, and at most {MOST_BYTES >> 20} are taken",
            "Ask in several requests, for fewer cells, or with shorter names.",
        )


def most_bytes(request: Request, trial: Facts | None = None) -> int:
    """Return a bound on the length of the request's record, whatever is drawn."""
    return len(canonical(trial or _trial(request))) + sum(map(_bytes, request.lines, request.mechanisms))


def _are_keys(one: Column, other: Column) -> bool:
    """Tell whether two declarations are of one column by other keys, compared alike."""
    return isinstance(one, KeyColumn) and isinstance(other, KeyColumn) and one.compare == other.compare


def _check_digits(values: Any) -> None:
    """Refuse numbers of more digits than records hold, in every field but those of free text."""
    if isinstance(values, Mapping):
        for key, value in values.items():
            if key not in _FREE_TEXT:
                _check_digits(value)
    elif isinstance(values, (list, tuple)):
        for value in values:
            _check_digits(value)
    elif isinstance(values, str) and max(map(len, values.lstrip("-").split("/"))) > MOST_DIGITS:
        raise _refused(f"a number has more than {MOST_DIGITS} digits")


def _check_read_again(line: Line, declared: Facts) -> None:
    """Refuse a statistic that is not the one its declaration makes: the audit has nothing else."""
    statistic = line.statistic
    try:
        again = statistic_class(declared["kind"]).from_declaration(declared, statistic.relation)
    except SnapdpError as refusal:
        raise _refused(f"{statistic.shown} could not be declared: {refusal.problem}") from None
    labels = again.labels if statistic.cells <= INLINE else statistic.labels
    if (again.parts, again.declaration(), labels) != (statistic.parts, statistic.declaration(), statistic.labels):
        raise PremiseError(
            f"{statistic.shown} is not what its declaration makes of it.",
            "Build columns and statistics with the functions of snapdp.studies. Nothing was read and nothing spent.",
        )


def _ends(part: Part, m: Mechanism) -> list[Fraction]:
    """Return the outermost numbers that a part may print, values and ends of intervals."""
    numerators = (m.parameters.data_value(m.parameters.low), m.parameters.data_value(m.parameters.high))
    return [*map(part.numerator.statistic, numerators), *part.numerator.statistic_range]


def _trial(request: Request) -> Values:
    """Return the record of the request without a number in it."""
    statistics = []
    for declared, line, mechanisms in zip(
        request.declaration["statistics"], request.lines, request.mechanisms, strict=True
    ):
        pairs = zip(line.statistic.parts, mechanisms, strict=True)
        drawn = (Drawn(line=line, part=part, mechanism=m, indices=()) for part, m in pairs)
        statistics.append({**declared, "parts": [{**part_values(each), **_NOTHING} for each in drawn]})
    return {
        "format": RECORD_FORMAT,
        **relation_values(request.relation),
        **({} if request.own is None else {"own": request.own}),
        "dataset": request.dataset,
        "dataset_version": "0" * 16,
        "date": "0000-00-00",
        "charged": str(request.epsilon),
        "engine": max(ENGINES, key=len),
        "versions": dict.fromkeys(("snapdp", "python", *LIBRARIES), "0" * 41),
        "statistics": statistics,
        "derived": [],
        "request": _DIGEST,
        "previous": _DIGEST,
    }


def _bytes(line: Line, mechanisms: tuple[Mechanism, ...]) -> int:
    """Return how many bytes the numbers of a statistic take at most, and what is derived from them."""
    if line.statistic.margins is not None:
        return _bytes_of_margins(line, mechanisms)
    statistic = line.statistic
    if statistic.following:
        return _bytes_of_blocks(line, mechanisms)
    follow = statistic.derived_blocks
    blocks = len(mechanisms) + follow
    found = blocks * _FRAME + follow * len(canonical([statistic.title, str(line.alpha)]))
    found += len(canonical([column.name for column in statistic.columns])) if follow > 1 else 0
    if statistic.cells > INLINE:  # they are in files
        return found
    widths = [
        follow * _LISTS * _DOUBLE,
        *(_width(part, m) for part, m in zip(statistic.parts, mechanisms, strict=True)),
    ]
    return found + blocks * len(canonical(list(statistic.labels))) + statistic.cells * sum(widths)


def _bytes_of_margins(line: Line, mechanisms: tuple[Mechanism, ...]) -> int:
    """Return the same of a table with margins: of every margin what is measured, and what is adjusted."""
    statistic, margins = line.statistic, line.statistic.margins
    assert margins is not None
    widths = {part.margin: _width(part, m) for part, m in zip(statistic.parts, mechanisms, strict=True)}
    found = 0
    for margin in margins.asked:
        named = [statistic.title_of(margin), str(line.alpha), list(margins.names(margin))]
        found += 2 * (_FRAME + len(canonical(named)))
        if margins.cells(margin) <= INLINE:  # else they are in files
            labels = [list(each) if isinstance(each, tuple) else each for each in statistic.labels_of(margin)]
            numbers = (_LISTS + 1) * _DOUBLE + widths.get(margin, 0)  # and a deviation of each
            found += 2 * len(canonical(labels)) + margins.cells(margin) * numbers
    return found


def _bytes_of_blocks(line: Line, mechanisms: tuple[Mechanism, ...]) -> int:
    """Return the same where every block, released or derived, has cells of its own."""
    statistic, title = line.statistic, line.statistic.title
    blocks = [(part.margin, _width(part, m)) for part, m in zip(statistic.parts, mechanisms, strict=True)]
    found = 0
    for margin, width in [*blocks, *((margin, _LISTS * _DOUBLE) for margin in statistic.following)]:
        found += _FRAME + len(canonical([title, str(line.alpha)]))
        if statistic.cells_of(margin) <= INLINE:  # else they are in files
            labels = [list(each) if isinstance(each, tuple) else each for each in statistic.labels_of(margin)]
            found += len(canonical(labels)) + len(labels) * width
    return found


def _width(part: Part, m: Mechanism) -> int:
    """Return the most bytes that the numbers of one cell take."""
    index = max(len(str(end)) for end in m.parameters.ends) + 1
    if not is_whole(part, m):
        return index + _LISTS * _DOUBLE
    return index + _LISTS * (max(len(str(int(end))) for end in _ends(part, m)) + 1)


def _refused(problem: str, advice: str = "Change what is declared.") -> BoundError:
    return BoundError(f"{problem.rstrip('.')}.", f"{advice} Nothing was read and nothing spent.")
