"""From a study back to the words of `snapdp release` or `snapdp plan`, or why flags cannot say it.

Room: cli. Words are made from the values of the study, and then believed in nothing: the command's own parser reads
them, the command's own function makes a study of them, and only if that asks for the same request are they handed out.
The maker may fall short of what flags can say; it cannot be wrong. Nothing is run: no table, no ledger is opened, and
no file but one of keys.

A request does not hold the budget that a plan is fitted to, locks, or columns that no statistic needs: a command has
none of these. Passwords of addresses are left out.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from typing import Any

import click

from snapdp.api.study_values import study_values_of
from snapdp.cli.flags.csv_dialect import CSV_FLAGS, csv_dialect
from snapdp.cli.spelled.columns import column_words
from snapdp.cli.spelled.statistics import cost_words, relation_words, statistic_words, used_columns
from snapdp.cli.spelled.unsayable import Unsayable, flag
from snapdp.display import PUBLIC_TEXTS, one_line, shown_address, visible
from snapdp.errors import SnapdpError
from snapdp.studies import CsvDialect, DeclaredStudy, Plan, plan_of
from snapdp.values import Value

ADDRESSES = ("data", "ledger")
PLAIN, NULL = CsvDialect(), "null"
CSV_WORDS = {"\t": "tab", " ": "space"}
CALLED = {"columns": "its columns", "by": "its groups", "where": "its conditions"}
UNSEEN = "a name or text in it has a character that a terminal would obey or not show"
REFUSED = "the flags that come nearest to it are refused"


class Spelled(Value):
    """The words of a command behind `snapdp`, or why there are none; a reason is the end of a sentence."""

    words: tuple[str, ...] | None
    reason: str = ""

    @property
    def text(self) -> str:
        """Return the command as a shell takes it; empty where there is none."""
        return "" if self.words is None else shlex.join(("snapdp", *self.words))


def release_words(study: DeclaredStudy, *, data: str, ledger: str | None, table: str | None = None) -> Spelled:
    """Return the words that release exactly this study from a table, charged to a ledger.

    table   the name of the table, in a database
    """
    source = [_argument(data), *_given("table", table)]
    texts = [word for key in PUBLIC_TEXTS for word in _given(key, getattr(study, key))]
    behind = [*texts, *_csv_words(study.csv), *_given("ledger", ledger), *flag("dataset", study.dataset)]
    return _first_equal(study, (["release", *source, *made, *behind] for made in _candidates(study)))


def release_file_words(
    study_file: str, *, data: str | None = None, ledger: str | None, table: str | None = None
) -> Spelled:
    """Return the words that release the study of a file, which can say everything; `data` where it is not its own.

    >>> release_file_words("study.toml", data="people.csv", ledger="people.ledger").text
    'snapdp release study.toml --data people.csv --ledger people.ledger'
    """
    words = ["release", _argument(study_file), *_given("data", data), *_given("table", table)]
    words += _given("ledger", ledger)
    return Spelled(words=None, reason=UNSEEN) if _is_unseen(words) else Spelled(words=tuple(words))


def plan_words(study: DeclaredStudy, *, ledger: str | None = None) -> Spelled:
    """Return the words that plan exactly this study, beside its account where a ledger is given."""
    account = [] if ledger is None else [*_given("ledger", ledger), *flag("dataset", study.dataset)]
    return _first_equal(study, (["plan", *made, *account] for made in _candidates(study)))


def _candidates(study: DeclaredStudy) -> Iterator[list[str]]:
    """Yield words for what is asked: first those that leave out what is chosen where nothing is said."""
    values = study_values_of(study)
    used = used_columns(values)
    whom, cost = relation_words(study.relation), cost_words(study, values["statistic"])
    for is_brief in (True, False):
        asked = statistic_words(values["statistic"], is_brief=is_brief)
        yield [*asked, *column_words(study, values, used), *whom, *cost]


def _first_equal(study: DeclaredStudy, candidates: Iterator[list[str]]) -> Spelled:
    """Return the first words that ask for the study, or why none of them do."""
    reasons = []
    try:
        for words in candidates:
            reasons.append(difference(study, words))
            if not reasons[-1]:
                return Spelled(words=tuple(words))
    except Unsayable as unsayable:
        reasons.append(str(unsayable))
    return Spelled(words=None, reason=one_line(reasons[0]))


def difference(study: DeclaredStudy, words: Sequence[str]) -> str:
    """Return how what a command's words ask for differs from a study, as the end of a sentence; empty where it does
    not. Whatever a terminal would obey or not show is no word: a command is copied as it is seen.
    """
    if _is_unseen(words):
        return UNSEEN
    try:
        made, texts, dialect = (_released if words[0] == "release" else _planned)(study, words[1:])
    except click.ClickException as refusal:
        return f"{REFUSED}: {refusal.format_message()}"
    except SnapdpError as refusal:
        return f"{REFUSED}: {refusal.problem}"
    if dialect != study.csv:
        return "no flag says how its CSV file is written"
    if texts != study.texts:
        return "no flag says which record its bounds were found by"
    return _other_request(plan_of(study), made)


def _released(study: DeclaredStudy, words: Sequence[str]) -> tuple[Plan, dict[str, str], CsvDialect | None]:
    """Return what `snapdp release` makes of words, as far as it comes without a ledger."""
    from snapdp.cli.flags.source import is_study, refuse_strays
    from snapdp.cli.flags.statistics import declared_by_flags
    from snapdp.cli.release import release_command

    options = _parsed(release_command, words)
    refuse_strays(options, ())
    if is_study(options) or options["dataset"] != study.dataset:
        raise click.UsageError("These words name another study.")
    made = declared_by_flags(options, dataset=options["dataset"])
    return plan_of(made), made.texts, csv_dialect(options, None)


def _planned(study: DeclaredStudy, words: Sequence[str]) -> tuple[Plan, dict[str, str], CsvDialect | None]:
    """Return what `snapdp plan` makes of words: a plan has no texts, and no table."""
    from snapdp.cli.plan import asked_plan, plan_command, refuse_strays

    options = _parsed(plan_command, words)
    others = ("ledger_path", "dataset", "as_json", "plot")
    refuse_strays({key: each for key, each in options.items() if key not in others})
    if options["study"] is not None or options["dataset"] not in (None, study.dataset):
        raise click.UsageError("These words name another study.")
    return asked_plan(options), study.texts, study.csv


def _parsed(command: click.Command, words: Sequence[str]) -> dict[str, Any]:
    """Return what a command's own parser reads; it is not called."""
    with command.make_context(command.name, list(words)) as context:
        return dict(context.params)


def _other_request(plan: Plan, made: Plan) -> str:
    """Return how one request differs from another, as the end of a sentence; empty where it does not."""
    if plan.relation != made.relation:
        return "no flags say whom it protects"
    if len(plan.lines) != len(made.lines):
        return "no flags say how many statistics it has"
    for line, other in zip(plan.lines, made.lines, strict=True):
        mine, its = line.statistic.declaration(), other.statistic.declaration()
        if keys := [key for key in mine if mine[key] != its.get(key)] + [key for key in its if key not in mine]:
            about = " and ".join(CALLED.get(key, key) for key in keys)
            return f"no flag says all that {line.statistic.shown} says of {about}"
        if (line.epsilon, line.alpha) != (other.epsilon, other.alpha):
            return f"no flags say what {line.statistic.shown} costs"
    return ""


def _csv_words(dialect: CsvDialect | None) -> list[str]:
    """Return the flags that say how a CSV file is written; a dialect that is a plain one is said, too."""
    if dialect is None:
        return []
    texts = {key: getattr(dialect, key) for key in CSV_FLAGS if key != NULL}
    said = {key: text for key, text in texts.items() if text != getattr(PLAIN, key)}
    nulls = ",".join(each for each in dialect.nulls if each)
    found = [word for key, text in said.items() for word in flag(key, CSV_WORDS.get(text, text))]
    return [*found, *_given(NULL, nulls or None)] or flag("encoding", dialect.encoding)


def _given(name: str, text: str | None) -> list[str]:
    """Return a flag where there is something to say; an address stands there without its password."""
    return [] if text is None else flag(name, shown_address(text) if name in ADDRESSES else text)


def _argument(path: str) -> str:
    """Return a path as an argument, which is no flag, however it begins."""
    shown = shown_address(path)
    return os.path.join(".", shown) if shown.startswith("-") else shown


def _is_unseen(words: Sequence[str]) -> bool:
    return any(visible(word) != word for word in words)
