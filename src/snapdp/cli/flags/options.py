"""The flags that say which statistics are asked for: one set for plan, release, init and inspect.

`statistics` and `columns` say what they mean. One table puts each flag under the same heading on every help page, in
the order in which flags are declared; a flag without a line there is under OTHERS, and a test asks for its line.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import click

from snapdp.cli.flags.numbers import NUMBER, WHOLE
from snapdp.cli.groups import HELP_FLAGS
from snapdp.studies.categories import BOOLEAN_WORDS
from snapdp.studies.statistics.registry import KINDS
from snapdp.studies.statistics.statistic import Statistic
from snapdp.values import Values

_Option = tuple[tuple[str, ...], dict[str, Any]]


def _statistic_option(statistic: type[Statistic]) -> _Option:
    """Return the flag of a kind of statistic: one word for the whole table, or one for each column or pair of them."""
    settings: Values = {"help": statistic.flag}
    if statistic.takes:
        settings |= {"multiple": True, "metavar": ",".join(["COLUMN"] * statistic.takes)}
    else:
        settings |= {"is_flag": True}
    return (f"--{statistic.kind}",), settings


_OPTIONS: tuple[_Option, ...] = (
    *map(_statistic_option, KINDS.values()),
    (
        ("--means",),
        {
            "multiple": True,
            "metavar": "COLUMN,COLUMN,...",
            "help": "The means of several columns over the same rows, with one count for all.",
        },
    ),
    (
        ("--complete",),
        {"is_flag": True, "help": "With --means: of rows in which all of the columns are present."},
    ),
    (("--median",), {"multiple": True, "metavar": "COLUMN", "help": "The median of a column: its quantile at 0.5."}),
    (
        ("--at",),
        {
            "metavar": "Q1,Q2,...",
            "help": "With --quantiles: the shares of rows, rising, between 0 and 1.  [default: 0.25,0.5,0.75]",
        },
    ),
    (
        ("--branching",),
        {
            "type": WHOLE,
            "metavar": "B",
            "help": "Of quantiles and medians: the branches of the tree that counts levels.  [default: chosen]",
        },
    ),
    (
        ("--correlation",),
        {
            "is_flag": True,
            "help": "With --covariance of rows whose number is private: the correlation as well, of the same epsilon.",
        },
    ),
    (
        ("--where",),
        {"multiple": True, "metavar": "CONDITION", "help": 'Of such rows only: "age>=65", "age<70", "region=north".'},
    ),
    (
        ("--by",),
        {
            "multiple": True,
            "metavar": "COLUMN,...",
            "help": "Each statistic for each of the --categories of this column, or for all combinations of several; "
            "a column of numbers by bins between --edges.",
        },
    ),
    (
        ("--keys",),
        {
            "metavar": "FILE",
            "help": "The groups of --by as a public CSV or Parquet file, one row a group, with these columns: lists "
            "that are long, or not all combinations. It takes the place of their --categories.",
        },
    ),
    (
        ("--margins",),
        {
            "multiple": True,
            "metavar": "all|hierarchy|A;A,B;",
            "help": "Tables of counts, sums and persons with margins that add up: all of them, or those by these "
            'columns of --by, with semicolons between them. An empty one is the total: "region;region,sex;". Or '
            "hierarchy: the levels of one column that has --parents.",
        },
    ),
    (
        ("--shares",),
        {
            "metavar": "S1,S2,...",
            "help": "The part of epsilon that each of the --margins gets, in their order.  [default: equal ones]",
        },
    ),
    (
        ("--bounds",),
        {
            "multiple": True,
            "metavar": "LOWER,UPPER",
            "help": "Public bounds of a column of numbers, or NAME=LOWER,UPPER where there are several.",
        },
    ),
    (
        ("--missing",),
        {
            "multiple": True,
            "metavar": "RULE",
            "help": "What a missing number counts as: dropped, middle or a number (in bins dropped or binned); "
            "by column NAME=RULE,NAME=RULE; of categories and dates by name alone, dropped or binned.",
        },
    ),
    (("--integer",), {"is_flag": True, "help": "Columns of statistics hold whole numbers (step 1)."}),
    (
        ("--step",),
        {
            "multiple": True,
            "metavar": "STEP",
            "help": "Values of columns of statistics are rounded to multiples of this; by column NAME=STEP.",
        },
    ),
    (
        ("--categories",),
        {
            "multiple": True,
            "metavar": "A,B,...",
            "help": 'Public categories of a column, or NAME=A,B,...; one that holds a comma in quotes: A,"B, C".',
        },
    ),
    (
        ("--compare",),
        {
            "multiple": True,
            "metavar": "text|numbers",
            "help": "How cells are compared with --categories, where these do not say it; by column NAME=text.",
        },
    ),
    (
        ("--parents",),
        {
            "multiple": True,
            "metavar": "LEVEL:P=A,B;Q=C",
            "help": "A level above the --categories of --by, for --margins hierarchy: which of them, or of the level "
            "before, each parent holds. One flag for each level, from the categories up.",
        },
    ),
    (
        ("--boolean",),
        {
            "multiple": True,
            "metavar": "COLUMN",
            "help": f"This column holds {BOOLEAN_WORDS}, in any capitals. Other words, such as ja and nein, are two "
            "categories.",
        },
    ),
    (
        ("--date",),
        {
            "multiple": True,
            "metavar": "FROM,TO,EACH",
            "help": "This column holds dates, counted by day, week, month or year: 2020-01-01,2024-12-31,month, "
            "or NAME=FROM,TO,EACH.",
        },
    ),
    (
        ("--edges",),
        {
            "multiple": True,
            "metavar": "E1,E2,...",
            "help": "Public bin edges of a column of numbers, for a histogram or --by; or NAME=E1,...",
        },
    ),
    (
        ("--n",),
        {
            "type": WHOLE,
            "help": "The number of rows is public, and this: nobody learns the values of a row (change-one).",
        },
    ),
    (
        ("--n-max",),
        {"type": WHOLE, "help": "It is private, and at most this: whether a row is there is protected (add-remove)."},
    ),
    (
        ("--person",),
        {
            "multiple": True,
            "metavar": "COLUMN,...",
            "help": "Protect persons, named by this column; several protect what they name together, such as user "
            "and day (with --n-max).",
        },
    ),
    (("--rows-per-person",), {"type": WHOLE, "help": "At most so many rows of a person are kept.  [default: 1]"}),
    (
        ("--groups-per-person",),
        {"type": WHOLE, "help": "With --persons and --by: each person counts in at most so many groups."},
    ),
    (
        ("--unit-rows",),
        {
            "type": WHOLE,
            "help": "Where no column names persons: protect so many rows together, which nothing enforces.",
        },
    ),
    (
        ("--epsilon",),
        {"type": NUMBER, "metavar": "NUMBER", "help": "What everything together may cost, in equal shares ..."},
    ),
    (
        ("--accuracy",),
        {"type": NUMBER, "metavar": "NUMBER", "help": "... or how accurate one statistic must be."},
    ),
    (
        ("--alpha",),
        {
            "type": NUMBER,
            "metavar": "NUMBER",
            "help": "In this share of releases a number may be further off than its ± says: 0.05 is 95 %.  "
            "[default: 0.05]",
        },
    ),
)
NAMES = tuple(names[0].removeprefix("--").replace("-", "_") for names, _ in _OPTIONS)


def statistic_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the flags that say which statistics are asked for."""
    for names, settings in reversed(_OPTIONS):
        command = click.option(*names, **settings)(command)
    return command


def given(options: Values) -> list[str]:
    """Return the flags of statistics that were given."""
    return [f"--{name.replace('_', '-')}" for name in NAMES if options[name] not in (None, False, ())]


# Headings of help pages

OTHERS = "Options"
_HEADINGS = {
    "Statistics": "means complete median at branching correlation columns only outside exponents",
    "Which rows, which groups": "where by keys margins shares",
    "Columns": "bounds missing integer step categories compare parents boolean date edges",
    "Who is protected": "n n-max person rows-per-person groups-per-person unit-rows",
    "The table": "data table spark",
    "How a CSV file is written": "delimiter quote decimal thousands encoding null",
    "Cost": "epsilon accuracy alpha fit budget ledger dataset own yes no-inspect",
    "What if": "if-like if-rows",
    "Output": "title publisher contact report record values study directory plot details sql dialect json",
}
HEADINGS = {name: heading for heading, names in _HEADINGS.items() for name in names.split()}
HEADINGS |= dict.fromkeys(KINDS, "Statistics")
TAKES_NO_COLUMNS = {"--correlation": "Give --covariance COLUMN,COLUMN --correlation: the flag itself takes no columns."}


class SectionedCommand(click.Command):
    """A command whose help page has its flags under headings.

    click keeps the flag for help that a command was first asked for. Such commands are also parsed alone, to compare
    what was spelled with what it means, so each names that flag itself.
    """

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **{"context_settings": {"help_option_names": HELP_FLAGS}, **settings})

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        found: dict[str, list[tuple[str, str]]] = {heading: [] for heading in (*_HEADINGS, OTHERS)}
        for each in self.get_params(ctx):
            record = each.get_help_record(ctx) if isinstance(each, click.Option) else None
            if record is not None:
                found[heading_of(each)].append(record)
        for heading, records in found.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        for flag, told in TAKES_NO_COLUMNS.items():
            words = (word for before, word in pairwise(args) if before == flag)
            if any("," in word and not word.startswith("-") for word in words):
                raise click.UsageError(told, ctx)
        return super().parse_args(ctx, args)


def heading_of(option: click.Parameter) -> str:
    """Return the heading under which a flag stands."""
    return HEADINGS.get(option.opts[0].lstrip("-"), OTHERS)
