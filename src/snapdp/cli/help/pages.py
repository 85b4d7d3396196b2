"""Help pages of commands with many flags: they stand under headings, by what they are about.

Room: cli/help. One table for all commands, so that a flag stands under the same heading everywhere; under a heading
flags keep the order in which they are declared. A flag without a line here stands under OTHERS, and a test asks for it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import click

from snapdp.cli.help.late import HELP_FLAGS
from snapdp.studies import KINDS

OTHERS = "Options"
_HEADINGS = {
    "Statistics": "means complete median at branching correlation columns only outside exponents",
    "Which rows, which groups": "where by keys margins shares",
    "Columns": "bounds missing integer step categories compare parents boolean date edges",
    "Who is protected": "n n-max person rows-per-person groups-per-person unit-rows",
    "The table": "data table spark",
    "How a CSV file is written": "delimiter quote decimal thousands encoding null",
    "Cost": "epsilon accuracy alpha fit budget ledger dataset own yes no-inspect",
    "A bare mechanism": "sensitivity arithmetic bits grid gamma bound clamp",
    "What if": "if-like if-rows if-value if-output",
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
