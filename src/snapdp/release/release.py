"""The release: request -> exact numerators -> reserve -> draw -> record -> commit. Ledger before noise.

The only function where private integers, random bits and the ledger meet.
Everything that can fail because of the data happens before the charge: the table is read and summed first (exact,
deterministic, nothing leaves; theory: docs/theory/exact-sums.md (8)), n is compared, and only then the ledger is asked.
From the charge on, nothing depends on the data but the indices. If anything does fail after the charge (a full disk),
the reservation is given up: it stays spent, and the same request is charged again. Whatever ends a release says what it
has cost (`_Cost`); if the ledger did not answer, that is "unknown".
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from snapdp.errors import UNKNOWN, LedgerError, PremiseError, SnapdpError, state_cost
from snapdp.exact.functions import require_directed_rounding
from snapdp.exact.numbers import shown
from snapdp.ledger.accounts import Answer, agree, payable, too_much, unit_for
from snapdp.ledger.ledger import Ledger
from snapdp.ledger.rules import units_of
from snapdp.mechanism.mechanism import load_array_path
from snapdp.randomness.bits import BitSource, SystemBits
from snapdp.release.draw import Bits, Block, Drawn, derived_blocks, draw
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
from snapdp.studies.columns import INLINE
from snapdp.studies.statistics.statistic import Numerators, Statistic, aggregates_of, numerators
from snapdp.tables.engines.engine import Engine, Gate, Watch
from snapdp.values import Value, Values

AGAIN = "would be charged again"


class Outcome(Value):
    """A record, and whether it was charged now or had been before.

    author   the other role of a team ledger that drew it; None where it is this role's own
    """

    record: Values
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
    is_sound: Callable[[Values], bool],
    bits: Bits | None = None,
    watch: Watch | None = None,
    ask: Gate | None = None,
    texts: Mapping[str, str] | None = None,
) -> Outcome:
    """Release every statistic of a request and return its record; free of charge where it was answered before.

    directory   where side files of long blocks are written
    is_sound    whether all of a record, and of its files in the directory, follows from what it declares: asked before
                another's answer is handed out
    bits        for tests and replay only
    watch       is given the engine's connection while it scans, for a progress bar
    ask         is called before the table is read, if this is no repetition and can be paid; ends it by an exception
    texts       title, publisher and contact for the record, and the look that bounds come from: no part of the request,
                so a repetition keeps the first. A look that the account was not charged for is refused
    """

    def check_request() -> None:
        """Refuse what no row decides, before a long scan; the ledger itself decides below."""
        payable(request.epsilon)
        if request.epsilon > account.left:
            raise too_much(account, request.epsilon)
        look = (texts or {}).get("bounds_from")
        if look is not None and not ledger.holds(account.name, look):  # a record would state it as a fact
            raise PremiseError(
                f"bounds_from = {look} names a look at the table that the account {shown(account.name)} was not "
                "charged for.",
                "Give the ledger that was charged for the look. Where the bounds are public for another reason, take "
                "bounds_from out of the study. Nothing was spent.",
            )
        if any(part.cells > INLINE for line in request.lines for part in line.statistic.parts):
            from snapdp.release.files import check_place

            check_place(directory)  # a side file that cannot be written would be paid for all the same

    with _Cost(request) as cost:
        relation, account = request.relation, ledger.account(request.dataset)
        unit = unit_for(account, units_of(request.declaration))
        promised: Values = {"relation": relation.kind, "rows": relation.rows, "unit": unit}
        agree(account, **promised)
        state, fingerprint = table.state(), table.fingerprint()
        asked: Values = {"epsilon": request.epsilon, "request": request.declaration}
        answer = ledger.answered(account.name, fingerprint=fingerprint, **asked)
        if answer is not None:
            return _repeated(answer, ledger, directory, is_sound)
        statistics = [line.statistic for line in request.lines]
        if ask is not None:  # nothing is held open while somebody thinks
            table.statement(aggregates_of(statistics), salt=request.dataset)
            check_request()
            ask()
        exact = exact_values(statistics, table, salt=request.dataset, watch=watch, check=check_request)
        table.check_unchanged(state)
        library_versions()  # asked for now, as the engine's: nothing may be missing after the charge, ...
        engine = EngineUsed(name=table.name, versions=table.engine_versions(), csv=table.csv)
        check_engine(engine)
        require_directed_rounding()  # ... and MPFR must round as it is told
        load_array_path(max(part.cells for line in request.lines for part in line.statistic.parts))
        version = ledger.dataset_version(account.name, fingerprint)
        failure: SnapdpError
        cost.is_not_known()
        try:
            reserved = ledger.reserve(account.name, version=version, **asked, **promised)
        except Exception as problem:
            failure = cost.failed_to_charge(problem)
        else:
            if isinstance(reserved, Answer):
                cost.is_nothing()
                return _repeated(reserved, ledger, directory, is_sound)
            cost.is_charged(answer=AGAIN)
            try:
                drawn = draw(request, exact, bits or system_bits)
                derived = list(derived_blocks(drawn))
                files = _side_files(drawn, derived, directory)
                record = record_values(request, reserved.binding, drawn, derived, files, engine, texts)
                cost.is_charged(answer="is free if its answer was stored, and would be charged again if not")
                head = ledger.commit(reserved, record)
                cost.is_charged(answer="is free")
            except BaseException as problem:
                if _abandon(ledger, reserved):
                    cost.is_charged(answer=AGAIN)
                if not isinstance(problem, Exception):
                    raise
                failure = cost.failed(problem)
            else:
                return Outcome(record=record, head=head, free=False)
        raise failure  # out here, so that what went wrong is not even its context


def _repeated(answer: Answer, ledger: Ledger, directory: Path, is_sound: Callable[[Values], bool]) -> Outcome:
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


class _Cost:
    """What a release has cost so far, for whatever ends it: exactly, or "unknown", never a guess."""

    def __init__(self, request: Request) -> None:
        self._epsilon = request.epsilon
        self.is_nothing()

    def is_nothing(self) -> None:
        self._spent: Fraction | str = Fraction(0)
        self._sentence = "Nothing was charged."

    def is_not_known(self) -> None:
        self._spent = UNKNOWN
        self._sentence = (
            f"It is not known whether the epsilon of {self._epsilon} was charged. Look at the history of the ledger "
            "(snapdp ledger history) before you repeat the request: a charge that is there stays spent, and the same "
            "request would be charged again."
        )

    def is_charged(self, *, answer: str) -> None:
        self._spent = self._epsilon
        self._sentence = f"The epsilon of {self._epsilon} that was charged stays spent; the same request {answer}."

    def failed(self, problem: Exception) -> SnapdpError:
        """Return the refusal of a release that may have been charged: what it cost, and no text from below."""
        if isinstance(problem, SnapdpError):
            return type(problem)(problem.problem, f"{problem.advice} {self._sentence}".strip(), spent=self._spent)
        return LedgerError("the release could not be finished.", self._sentence, spent=self._spent)

    def failed_to_charge(self, problem: Exception) -> SnapdpError:
        """Return the refusal of a release that the ledger did not acknowledge: most have cost nothing."""
        if isinstance(problem, SnapdpError) and problem.numbers.get("spent") != UNKNOWN:
            return problem
        return self.failed(problem)

    def __enter__(self) -> _Cost:
        return self

    def __exit__(self, kind: object, problem: BaseException | None, at: object) -> None:
        """Write the cost into an interrupt, or whatever else is no refusal: a refusal has it already."""
        if problem is not None and not isinstance(problem, SnapdpError):
            state_cost(problem, str(self._spent), self._sentence)


def _abandon(ledger: Ledger, reserved: Any) -> bool:
    """Give the reservation up, if it is still open; return whether that could be done. It is spent either way."""
    try:
        ledger.abandon(reserved)
    except SnapdpError:
        return False
    return True


def _side_files(
    drawn: list[list[Drawn]], derived: list[tuple[int, Block]], directory: Path
) -> dict[BlockKey, SideFile]:
    every = [(number, part.block) for number, parts in enumerate(drawn) for part in parts] + derived
    blocks = {key_of(number, block): block for number, block in every if is_long(block)}
    if not blocks:
        return {}
    from snapdp.release.files import write_blocks

    return dict(zip(blocks, write_blocks(blocks.values(), directory), strict=True))


def exact_values(
    statistics: Sequence[Statistic],
    table: Engine,
    *,
    salt: str = "",
    watch: Watch | None = None,
    check: Gate | None = None,
) -> list[Numerators]:
    """Return the exact numerators of all statistics, from one state of the table: private, before any noise.

    salt    public text that decides, with the rows themselves, which of its rows a person keeps
    watch   see `Engine.aggregates`, and so for check
    """
    found = table.aggregates(aggregates_of(statistics), salt=salt, watch=watch, check=check)
    return [numerators(each, found) for each in statistics]
