"""The release: request -> exact numerators -> reserve -> draw -> record -> commit. Ledger before noise.

Room: release. The only function where private integers, random bits and the ledger meet.
Everything that can fail because of the data happens before the charge: the table is read and summed first (exact,
deterministic, nothing leaves), n is compared, and only then the ledger is asked. From the charge on, nothing depends on
the data but the indices. If anything does fail after the charge (a full disk), the reservation is given up: it stays
spent, and the same request pays again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from snapdp.errors import LedgerError, PremiseError, SnapdpError
from snapdp.exact import require_directed_rounding, shown
from snapdp.ledger import Answer, Ledger, agree, payable, too_much, unit_for, units_of
from snapdp.randomness import BitSource, SystemBits
from snapdp.release.certificates import named_in, write_certificates
from snapdp.release.derived import derived_blocks
from snapdp.release.draw import Bits, Block, Drawn, draw
from snapdp.release.private_values import exact_values
from snapdp.release.record import (
    BlockKey,
    EngineUsed,
    SideFile,
    check_engine,
    file_names,
    is_long,
    key_of,
    library_versions,
    record_values,
)
from snapdp.release.request import Request
from snapdp.studies import INLINE, aggregates_of
from snapdp.tables import Engine, Watch
from snapdp.values import Value


class Outcome(Value):
    """A record, and whether it was charged now or had been before.

    author   the other role of a team ledger that drew it; None where it is this role's own
    """

    record: dict[str, Any]
    head: str
    free: bool
    author: str | None = None


def system_bits(statistic: int, part: int) -> BitSource:  # noqa: ARG001
    """Return the bits of every release that people make."""
    return SystemBits()


def released(
    request: Request,
    table: Engine,
    ledger: Ledger,
    *,
    directory: Path,
    is_sound: Callable[[dict[str, Any]], bool],
    bits: Bits | None = None,
    watch: Watch | None = None,
    ask: Callable[[], None] | None = None,
    texts: Mapping[str, str] | None = None,
) -> Outcome:
    """Release every statistic of a request and return its record; free of charge where it was answered before.

    directory   where side files of long blocks are written, and certificates of finite precision
    is_sound    whether all of a record, and of its files in the directory, follows from what it declares: asked before
                another's answer is handed out
    bits        for tests and replay only
    watch       is given the engine's connection while it scans, for a progress bar
    ask         is called before the table is read, if this is no repetition and can be paid; ends it by an exception
    texts       title, publisher and contact for the record, and the look that bounds come from: no part of the request,
                so a repetition keeps the first. A look that the account was not charged for is refused
    """
    from snapdp.release.files import check_place

    relation, account = request.relation, ledger.account(request.dataset)
    unit = unit_for(account, units_of(request.declaration))
    promised: dict[str, Any] = {"relation": relation.kind, "rows": relation.rows, "unit": unit}
    agree(account, **promised)
    state, fingerprint = table.state(), table.fingerprint()
    asked: dict[str, Any] = {"epsilon": request.epsilon, "request": request.declaration}
    certificates = request.certificate_files  # refused now, where there is no proof
    answer = ledger.answered(account.name, fingerprint=fingerprint, **asked)
    if answer is not None:
        write_certificates(named_in(answer.record, certificates), directory)
        return _repeated(answer, ledger, directory, is_sound)
    statistics = [line.statistic for line in request.lines]
    table.statement(aggregates_of(statistics), salt=request.dataset)  # columns that are missing are not paid for
    payable(request.epsilon)
    if request.epsilon > account.left:
        raise too_much(account, request.epsilon)  # before a long scan; the ledger itself decides below
    _check_look((texts or {}).get("bounds_from"), ledger, account.name)
    if any(part.cells > INLINE for line in request.lines for part in line.statistic.parts):
        check_place(directory)  # a side file that cannot be written would be paid for all the same
    if ask is not None:
        ask()
    exact = exact_values(statistics, table, salt=request.dataset, watch=watch)
    table.check_unchanged(state)
    library_versions()  # asked for now, as the engine's: nothing may be missing after the charge, ...
    engine = EngineUsed(name=table.name, versions=table.engine_versions(), csv=table.csv)
    check_engine(engine)
    require_directed_rounding()  # ... and MPFR must round as it is told
    write_certificates(certificates, directory)
    version = ledger.dataset_version(account.name, fingerprint)
    reserved = ledger.reserve(account.name, version=version, **asked, **promised)
    if isinstance(reserved, Answer):
        return _repeated(reserved, ledger, directory, is_sound)
    try:
        drawn = draw(request, exact, bits or system_bits)
        derived = list(derived_blocks(drawn))
        files = _side_files(drawn, derived, directory)
        record = record_values(request, reserved.binding, drawn, derived, files, engine, texts)
        head = ledger.commit(reserved, record)
    except BaseException as problem:
        _abandon(ledger, reserved)
        if not isinstance(problem, Exception):
            raise
        failure = _failed_after_the_charge(problem, request)
    else:
        return Outcome(record=record, head=head, free=False)
    raise failure  # out here, so that what went wrong is not even its context


def holds_look(ledger: Ledger, account: str, look: str) -> bool:
    """Return whether an account was charged for the record of this digest, by which bounds were found."""
    return ledger.holds(account, look)


def _check_look(look: str | None, ledger: Ledger, account: str) -> None:
    """Refuse bounds that are said to come from a look nobody paid for: a record would state it as a fact."""
    if look is not None and not holds_look(ledger, account, look):
        raise PremiseError(
            f"bounds_from = {look} names a look at the table that the account {shown(account)} was not charged for.",
            "Give the ledger that was charged for the look. Where the bounds are public for another reason, take "
            "bounds_from out of the study. Nothing was spent.",
        )


def _repeated(answer: Answer, ledger: Ledger, directory: Path, is_sound: Callable[[dict[str, Any]], bool]) -> Outcome:
    """Return a stored answer; another role's only if everything in it, and in its files, follows from what it declares.

    Without its files nobody could look at their numbers: they are asked for first.
    """
    author = None if answer.author == ledger.role else answer.author
    if author is not None and not is_sound(answer.record):
        raise LedgerError(
            f"the stored answer to this request, drawn by {shown(author)}, is not what its own declarations say.",
            "It is not handed out: audit it, and draw your own. Nothing was spent.",
        )
    needed = [] if author is None else file_names(answer.record)
    lacking = [name for name in needed if not os.path.isfile(directory / name)]
    if lacking:
        raise LedgerError(
            f"the stored answer to this request, drawn by {shown(author)}, has numbers in {lacking[0]}, which is not "
            f"in {shown(str(directory))}.",
            "Ask whoever drew it for its files, put them there and ask again, or draw your own. Nothing was spent.",
        )
    return Outcome(record=answer.record, head=answer.head, free=True, author=author)


def _failed_after_the_charge(problem: Exception, request: Request) -> SnapdpError:
    """Return what is said when a charged release cannot be finished: what it cost, and no text from below."""
    spent = f"The epsilon of {request.epsilon} that was charged stays spent; the same request would pay again."
    if isinstance(problem, SnapdpError):
        return type(problem)(problem.problem, f"{problem.advice} {spent}".strip(), spent=request.epsilon)
    return LedgerError("the release could not be finished.", spent, spent=request.epsilon)


def _abandon(ledger: Ledger, reserved: Any) -> None:
    """Give the reservation up if the ledger still can: it is spent either way."""
    try:
        ledger.abandon(reserved)
    except SnapdpError:
        return


def _side_files(
    drawn: list[list[Drawn]], derived: list[tuple[int, Block]], directory: Path
) -> dict[BlockKey, SideFile]:
    from snapdp.release.files import write_blocks

    every = [(number, part.block) for number, parts in enumerate(drawn) for part in parts] + derived
    blocks = {key_of(number, block): block for number, block in every if is_long(block)}
    return dict(zip(blocks, write_blocks(blocks.values(), directory), strict=True)) if blocks else {}
