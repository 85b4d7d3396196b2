"""From a study back to the words of `snapdp release` or `snapdp plan`, or why flags cannot say it.

The inverse of `flags.statistics` and `flags.columns`. The words are not trusted: the command's own parser reads them,
its own function makes a study of them, and they are handed out only if that study asks for the same request. So this
module may miss something that flags can say, but it cannot be wrong. No table or ledger is opened, and no file but one
of keys. A request does not hold the budget of a plan, locks, or columns that no statistic needs, so neither does the
command. Passwords of addresses are left out.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import click

from snapdp.api.outline import study_values_of
from snapdp.cli.flags.columns import statistics_in_order
from snapdp.cli.flags.files import CSV_FLAGS, csv_dialect
from snapdp.cli.flags.lists import as_item, in_quotes, person_words
from snapdp.display.numbers import exact_amount
from snapdp.display.text import PUBLIC_TEXTS, one_line, shown_address, visible
from snapdp.errors import SnapdpError
from snapdp.exact.dyadic import nearest_multiple
from snapdp.exact.numbers import parameter
from snapdp.studies.columns import BINNED, DROPPED, INTEGER, MIDDLE, NUMBER, NumberColumn
from snapdp.studies.csv_dialect import CsvDialect
from snapdp.studies.grouping.margins import ALL, HIERARCHY
from snapdp.studies.plans.plan import Plan
from snapdp.studies.relation import Relation
from snapdp.studies.statistics.quantiles import QUARTILES, Quantiles
from snapdp.studies.statistics.registry import KINDS
from snapdp.studies.study_file import DeclaredStudy, plan_of
from snapdp.values import Value, Values

# Statistics, groups, conditions, neighbours and cost: what flags say once must be the same in all statistics

SHARED = {  # what flags say once, and how people call it
    "where": "conditions",
    "by": "groups",
    "keys": "files of keys",
    "margins": "margins",
    "shares": "shares of their margins",
    "alpha": "levels of confidence",
}
MEDIAN = Fraction(1, 2)


def about(statistic: Values) -> list[str]:
    """Return the columns that a statistic is about."""
    return [statistic["column"]] if "column" in statistic else list(statistic.get("columns", ()))


def conditions(statistic: Values) -> list[str]:
    """Return the columns that its conditions are on."""
    return [each["column"] for each in statistic.get("where", ())]


def groups(statistic: Values) -> list[str]:
    """Return the columns that it is grouped by."""
    by = statistic.get("by", [])
    return [by] if isinstance(by, str) else list(by)


def statistic_words(statistics: list[Values], *, is_brief: bool) -> list[str]:
    """Return the flags of statistics, conditions and groups.

    is_brief   leave out what is chosen where nothing is said: branches of trees, shares of margins
    """
    for key, called in SHARED.items():
        if any(each.get(key) != statistics[0].get(key) for each in statistics):
            raise Unsayable(f"its statistics have several {called}, and flags say them once for all")
    # Refuse another order than that of flags: it is part of a request.
    kinds = [each.kind for each in statistics_in_order()]
    places = [(kinds.index(each["kind"]), _stands_later(each)) for each in statistics]
    if places != sorted(places):
        order = ", ".join(dict.fromkeys(kinds[place] for place, _ in sorted(places)))
        raise Unsayable(
            f"its statistics stand in another order than flags put them in ({order}): it would be another request"
        )
    found = [word for each in statistics for word in _kind_words(each)]
    found += _quantile_words(statistics, is_brief=is_brief)
    found += ["--complete"] if any(each.get("complete") for each in statistics) else []
    found += ["--correlation"] if any(each.get("correlation") for each in statistics) else []
    first = statistics[0]
    for each in first.get("where", ()):
        # The flags of a condition: one for each end.
        signs = {"equals": "=", "from": ">=", "below": "<"}
        ends = ((signs[key], _end(each[key])) for key in signs if key in each)
        found += [word for sign, end in ends for word in flag("where", f"{each['column']}{sign}{end}")]
    found += flag("by", ",".join(map(as_item, groups(first)))) if groups(first) else []
    found += flag("keys", first["keys"]) if "keys" in first else []
    found += flag("margins", _margins(first["margins"])) if "margins" in first else []
    found += flag("shares", numbers(first["shares"])) if "shares" in first and not is_brief else []
    most = [each["groups_per_person"] for each in statistics if "groups_per_person" in each]
    found += flag("groups_per_person", str(most[0])) if most else []
    return found


def _kind_words(statistic: Values) -> list[str]:
    """Return the flag of one statistic."""
    kind, names = KINDS[statistic["kind"]], about(statistic)
    if not kind.takes:
        return [f"--{kind.kind}"]
    if _is_median(statistic):
        return flag("median", names[0])
    if len(names) == kind.takes == 1:
        return flag(kind.kind, names[0])
    return flag(kind.kind if kind.takes > 1 else f"{kind.kind}s", ",".join(map(as_item, names)))


def _stands_later(statistic: Values) -> bool:
    """Tell whether it stands behind others of its kind: means of several columns, and medians."""
    several = KINDS[statistic["kind"]].several and len(about(statistic)) > 1
    return several or _is_median(statistic)


def _is_median(statistic: Values) -> bool:
    return statistic["kind"] == Quantiles.kind and [*map(Fraction, statistic["at"])] == [MEDIAN]


def _quantile_words(statistics: list[Values], *, is_brief: bool) -> list[str]:
    """Return the shares of quantiles, and the branches of trees."""
    shares = {numbers(each["at"]) for each in statistics if "at" in each and not _is_median(each)}
    branches = {each["branching"] for each in statistics if "branching" in each}
    if len(shares) > 1:
        raise Unsayable("its quantiles are at several lists of shares, and flags say one for all")
    found = [word for each in shares if each != numbers(QUARTILES) for word in flag("at", each)]
    if is_brief or not branches:
        return found
    if len(branches) > 1:
        raise Unsayable("its quantiles are counted by several trees, and flags say one for all")
    return [*found, *flag("branching", str(branches.pop()))]


def _end(value: Any) -> str:
    """Return an end of a range, or a category; a number that is no fraction stands as people write it."""
    text = str(value)
    is_fraction = "/" in text and all(part.lstrip("-").isdecimal() for part in text.split("/", 1))
    return number(text) if is_fraction else text


def _margins(margins: Any) -> str:
    """Return margins as flags say them: a word, or lists with semicolons between them; an empty one is the total."""
    if margins in (ALL, HIERARCHY):
        return str(margins)
    return ";".join(",".join(map(as_item, each)) for each in margins)


def relation_words(relation: Relation) -> list[str]:
    """Return the flags that say whom epsilon protects."""
    found = flag("n" if relation.is_change_one else "n_max", str(relation.rows))
    found += person_words(relation.person_columns)
    found += flag("rows_per_person", str(relation.rows_per_person)) if relation.rows_per_person > 1 else []
    return found + (flag("unit_rows", str(relation.unit_rows)) if relation.unit_rows > 1 else [])


def cost_words(study: DeclaredStudy, statistics: list[Values]) -> list[str]:
    """Return the flags of what everything together costs, in equal shares, or of the accuracy of one statistic."""
    asked = study.asked
    found = flag("alpha", number(statistics[0]["alpha"])) if "alpha" in statistics[0] else []
    if any(each.accuracy is not None for each in asked):
        if len(asked) > 1:
            raise Unsayable("one of its statistics has an accuracy, and flags say that of one statistic alone")
        return [*flag("accuracy", number(asked[0].accuracy)), *found]
    costs = {parameter(each.epsilon, name="epsilon") for each in asked}
    if len(costs) > 1:
        raise Unsayable("its statistics cost different amounts, and flags share epsilon equally")
    return [*flag("epsilon", exact_amount(costs.pop() * len(asked))), *found]


# Columns: a flag names its column wherever another could be meant


def column_words(study: DeclaredStudy, values: Values, used: list[str]) -> list[str]:
    """Return the flags of the columns that are used."""
    declared = {name: values["columns"][name] for name in used}
    asked = values["statistic"]
    edges = _edges(declared, asked)
    measured = {name for each in asked if KINDS[each["kind"]].numbers for name in about(each)} | {*edges}
    lists = {name: each for name, each in declared.items() if each["kind"] not in (NUMBER, INTEGER)}
    tested = {name for each in asked for name in conditions(each)}
    is_one_list = len({*lists, *tested}) == 1
    found = _number_words({name: each for name, each in declared.items() if name not in lists}, measured)
    found += by_name("edges", edges, is_alone=_is_one_cut(asked))
    found += _missing_words(study, declared, asked)
    found += _list_words(lists, is_alone=is_one_list)
    return found + (_parents_words(declared[groups(asked[0])[0]]) if asked[0].get("margins") == HIERARCHY else [])


def _number_words(columns: Values, measured: set[str]) -> list[str]:
    """Return bounds, steps, and whether columns hold whole numbers: those of statistics do, all or none."""
    whole = {name for name, each in columns.items() if each["kind"] == INTEGER}
    if others := sorted(whole - measured):
        raise Unsayable(
            f"{others[0]} holds whole numbers and only conditions speak of it: flags say that of columns of statistics"
        )
    if whole and whole != measured & {*columns}:
        raise Unsayable("some of its columns hold whole numbers and others do not, and flags say that of all or none")
    is_alone = len(columns) == 1
    bounds = {name: f"{number(each['lower'])},{number(each['upper'])}" for name, each in columns.items()}
    steps = {name: number(each["step"]) for name, each in columns.items() if "step" in each}
    steps = {name: step for name, step in steps.items() if name not in whole or step != "1"}
    found = by_name("bounds", bounds, is_alone=is_alone) + (["--integer"] if whole else [])
    return found + by_name("step", steps, is_alone=is_alone and {*columns} <= measured)


def _edges(columns: Values, asked: list[Values]) -> dict[str, str]:
    """Return {column: its bin edges}, of histograms and of groups."""
    said = [(each["column"], each) for each in asked if "edges" in each]
    said += [(name, columns[name]) for each in asked for name in groups(each) if "edges" in columns.get(name, {})]
    found: dict[str, str] = {}
    for name, cut in said:
        if cut.get("outside") == BINNED:
            raise Unsayable(f"{name} has groups for what lies outside its edges: no flag says that")
        if found.setdefault(name, numbers(cut["edges"])) != numbers(cut["edges"]):
            raise Unsayable(f"{name} is cut by several lists of edges, and flags say one")
    return found


def _is_one_cut(asked: list[Values]) -> bool:
    """Tell whether edges can be meant for one column alone."""
    kinds = (each for each in asked if "edges" in KINDS[each["kind"]].details)
    return len({*(each["column"] for each in kinds), *groups(asked[0])}) == 1


def _missing_words(study: DeclaredStudy, columns: Values, asked: list[Values]) -> list[str]:
    """Return what missing cells count as: one rule for all numbers where it is one, others by name."""
    rules, nulls, cut = {}, {}, {name for each in asked for name in groups(each)}
    for name, each in columns.items():
        if each["kind"] in (NUMBER, INTEGER):
            bins = [each] if name in cut else []
            bins += [{"null": line.get("missing")} for line in asked if line.get("column") == name]
            rules[name] = _rule(study.column(name), each, is_binned=any(each.get("null") == BINNED for each in bins))
        elif each.get("null") == BINNED:
            nulls[name] = BINNED
    if len({*rules.values()}) == 1:
        return [*flag("missing", next(iter(rules.values()))), *by_name("missing", nulls, is_alone=False)]
    return by_name("missing", {**rules, **nulls}, is_alone=False)


def _rule(column: Any, declared: Values, *, is_binned: bool) -> str:
    """Return what a missing number counts as; in bins it may have one of its own."""
    if is_binned:
        return BINNED
    if declared["missing"] == DROPPED or not isinstance(column, NumberColumn):
        return DROPPED
    is_middle = column.missing == nearest_multiple(column.middle, column.step)
    return MIDDLE if is_middle else number(declared["missing"])


def _list_words(columns: Values, *, is_alone: bool) -> list[str]:
    """Return categories, dates and booleans."""
    found = []
    for name, each in columns.items():
        if each.get("unknown") == BINNED:
            raise Unsayable(f"cells of {name} that are not in its list have a group of their own: no flag says that")
        if each["kind"] == "category":
            listed = ",".join(map(as_item, each["categories"]))
            found += by_name("categories", {name: listed}, is_alone=is_alone and "=" not in listed)
            found += flag("compare", f"{as_item(name)}={each['compare']}") if "compare" in each else []
        elif each["kind"] == "date":
            found += by_name("date", {name: f"{each['from']},{each['to']},{each['each']}"}, is_alone=is_alone)
        elif each["kind"] == "boolean":
            found += flag("boolean", name)
    return found


def _parents_words(column: Values) -> list[str]:
    """Return the levels above the categories of a column, from these up."""
    found = []
    for level, nodes in column["parents"].items():
        pairs = (f"{as_item(node)}={','.join(map(as_item, below))}" for node, below in nodes.items())
        name = in_quotes(level) if ":" in level else as_item(level)
        found += flag("parents", f"{name}:{';'.join(pairs)}")
    return found


# What flags cannot say, and how one flag is typed.


class Unsayable(Exception):
    """Flags cannot say it: the reason, as the end of a sentence."""


def flag(name: str, value: str) -> list[str]:
    """Return a flag with its value: in one word where the value would look like another flag.

    >>> flag("n_max", "50"), flag("bounds", "-1,1")
    (['--n-max', '50'], ['--bounds=-1,1'])
    """
    typed = f"--{name.replace('_', '-')}"
    return [f"{typed}={value}"] if value.startswith("-") else [typed, value]


def by_name(key: str, texts: dict[str, str], *, is_alone: bool) -> list[str]:
    """Return a flag for each column, NAME=TEXT; without the name where no other column can be meant."""
    pairs = ((text if is_alone else f"{as_item(name)}={text}") for name, text in texts.items())
    return [word for each in pairs for word in flag(key, each)]


def number(value: Any) -> str:
    """Return a number of a study as a person types it.

    >>> number("61/2"), number(7), number("1/3")
    ('30.5', '7', '1/3')
    """
    return exact_amount(parameter(value, name="a number"))


def numbers(values: Sequence[Any]) -> str:
    """Return numbers with commas between them."""
    return ",".join(map(number, values))


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
    # The declared columns that statistics, conditions and groups name, as they come.
    named = [name for each in values["statistic"] for name in (*about(each), *conditions(each), *groups(each))]
    used = [name for name in dict.fromkeys(named) if name in values.get("columns", {})]
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
    # How one request differs from another, as the end of a sentence; empty where it does not.
    plan = plan_of(study)
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


def _released(study: DeclaredStudy, words: Sequence[str]) -> tuple[Plan, dict[str, str], CsvDialect | None]:
    """Return what `snapdp release` makes of words, as far as it comes without a ledger."""
    from snapdp.cli.flags.files import is_study, refuse_strays
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


def _parsed(command: click.Command, words: Sequence[str]) -> Values:
    """Return what a command's own parser reads; it is not called."""
    with command.make_context(command.name, list(words)) as context:
        return dict(context.params)


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
