"""Names of before, and names that people try: what each of them is called here.

Room: cli/help. Two tables, one of commands and one of flags, and what single commands say; a new name is one line. A
hint is said only where it can be followed: one that names flags, where the command has all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches

import click

FORMER_COMMANDS = {"bound": "lab bound", "derive": "lab derive"}  # they work, and say their new name
_NAMED = {
    "inspect": "look look-at look_at check-data describe head columns schema profile peek view summary info read",
    "explore": "bounds quartiles discover range ranges",
    "plan": "cost estimate preview dry-run dryrun price accuracy utility budget-plan",
    "release": "publish query answer count mean means sum variance std histogram quantiles median covariance noise dp",
    "release SOURCE --report FILE.html": "report html page",
    "release SOURCE --values FILE.csv": "values export csv parquet",
    "release SOURCE --record FILE.json": "record save",
    "init": "study template generate make write",
    "ledger create": "account open",
    "ledger show": "balance budget budgets accounts spent left status",
    "ledger history": "log charges entries",
    "ledger amend": "raise close cap",
    "verify": "audit prove judge test analyse analyze",
    "verify RECORD --certificate FILE.json": "certify certificate",
    "check": "check-certificate validate recheck",
    "selftest": "self-test diagnose doctor sanity",
    "lab compare": "comparison benchmark",
    "lab bound": "error rounding",
    "lab derive": "derivation rules",
    "lab": "laboratory experiment research",
    "demo": "example examples sample",
    "help": "topics docs guide manual man explain glossary",
    "--version": "version",
}
_OF_LEDGER = {
    "create": "new open add account init",
    "show": "balance budget list accounts spent left status",
    "history": "log charges entries",
    "verify": "check audit",
    "backup": "copy save",
    "restore": "recover",
    "amend": "raise close cap edit change set",
}
NATURAL_COMMANDS = {  # of each group, by the words that call it
    "": {name: told for told, names in _NAMED.items() for name in names.split()},
    "ledger": {name: told for told, names in _OF_LEDGER.items() for name in names.split()},
}
_OUTPUTS = (
    "--report FILE.html writes a page, --values FILE.csv the numbers, --record FILE.json the record",
    "--certificate FILE.json writes the certificate, --report FILE.html a page",
    "--plot FILE.svg writes a picture; --json prints JSON, which > FILE keeps",
    "--json prints JSON, which > FILE keeps",
    "> FILE keeps what is printed",
)
_TOLD: dict[str, tuple[str, ...]] = {  # for each name the first sentence that can be followed
    "std sd stdev stddev standard-deviation deviation": ("The standard deviation comes with --variance COLUMN",),
    "var": ("Give --variance COLUMN",),
    "cov": ("Give --covariance COLUMN,COLUMN",),
    "corr cor correlations": ("Give --covariance COLUMN,COLUMN --correlation",),
    "average avg": ("Give --mean COLUMN",),
    "averages": ("Give --means COLUMN,COLUMN",),
    "total": ("Give --sum COLUMN",),
    "counts hist frequencies freq distribution": ("Give --histogram COLUMN",),
    "rows size": ("Give --count for a count; the public number of rows is --n N", "The public number of rows is --n N"),
    "quantile percentile percentiles quartiles": ("Give --quantiles COLUMN, with --at 0.25,0.5,0.75",),
    "min max minimum maximum": (
        "The extremes of a column belong to single persons: give --quantiles COLUMN --at 0.05,0.95",
    ),
    "group groupby group-by groups per": ("Give --by COLUMN",),
    "filter if condition select": ('Give --where "age>=65"',),
    "eps e budget-epsilon privacy": ("Give --epsilon NUMBER",),
    "budget limit": ("What an account may ever be charged is --cap NUMBER",),
    "lower upper low high range": ("Give --bounds LOWER,UPPER",),
    "clip clamp-to bound-to": ("Give --bounds LOWER,UPPER: values outside are moved to the nearest end",),
    "bins breaks cuts": ("Give --edges E1,E2,...",),
    "levels values-of category": ("Give --categories A,B,...",),
    "na nan nulls fill impute": ("Give --missing dropped, middle or a number", "Give --null TEXT,..."),
    "rounding round resolution": ("Give --step STEP, or --integer",),
    "confidence level ci": ("Give --alpha 0.05 for 95 %, --alpha 0.1 for 90 %",),
    "error precision within": ("Give --accuracy NUMBER",),
    "delta": ("There is no delta here: what is promised is epsilon alone, by --epsilon NUMBER",),
    "seed random-state": (
        "Noise has no seed: who knew it could take the noise off again. The same request again is answered the same, "
        "from its ledger",
    ),
    "user id ids person-id unit subject household": ("Give --person COLUMN",),
    "private private-n": ("Where the number of rows is private give --n-max N",),
    "max-rows nmax n_max rows-max": ("Give --n-max N",),
    "max-contributions contributions rows-per-user": ("Give --rows-per-person N",),
    "sep separator": ("Give --delimiter CHARACTER",),
    "dec": ("Give --decimal CHARACTER",),
    "file input csv parquet source": ("Give --data FILE", "The table is the first word behind the command"),
    "study config": ("The study file is the first word behind the command",),
    "name": ("The account is --dataset NAME",),
    "account": ("Give --dataset NAME",),
    "output out o": _OUTPUTS,
    "html page": ("--report FILE.html writes a page",),
    "plot picture figure chart": ("--plot FILE.svg writes a picture", "--report FILE.html writes a page with pictures"),
    "format": ("--json prints JSON",),
    "y force no-confirm quiet q": ("Give --yes: nothing is asked then",),
    "dry-run": ("`snapdp plan` shows what it will cost, and charges nothing",),
    "db database": ("Give --ledger PATH",),
    "v version": ("`snapdp --version` prints the version",),
    "engine": ("Give --dialect NAME",),
}
_NO_TABLE = "A plan opens no table: a study file, or flags such as --bounds and --n, say everything"
_OF_ONE: dict[str, dict[str, str]] = {  # of one command, where something else is to be said
    "plan": {
        "file input csv parquet source data table": _NO_TABLE,
        "sep separator delimiter dec decimal thousands encoding quote": f"{_NO_TABLE}; --delimiter is for a release",
    },
    "inspect": {"json": "There is none: what inspect tells is for you alone, and not to be kept or passed on"},
}
FLAGS_OF_ONE = {
    command: {name: told for names, told in each.items() for name in names.split()} for command, each in _OF_ONE.items()
}
NATURAL_FLAGS = {name: told for names, told in _TOLD.items() for name in names.split()}
MOST_NAMED = 3
_FLAG = re.compile(r"(?<![\w`-])--[a-z-]+")


def no_such_command(ctx: click.Context, name: str) -> str:
    """Return what is said of a command that does not exist: with what was meant, where that can be told."""
    group, path = ctx.command, ctx.command_path
    assert isinstance(group, click.Group)
    told = NATURAL_COMMANDS.get(" ".join(path.split()[1:]), {}).get(name.lower())
    inner = [f"{each} {name}" for each, names in _groups(ctx) if name in names]
    near = get_close_matches(name, group.list_commands(ctx), cutoff=0.7)
    meant = inner or ([told] if told else near[:MOST_NAMED])
    hint = f" Did you mean: {', '.join(f'{path} {each}' for each in meant)}" if meant else ""
    return f"No such command '{name}'.{hint}"


def no_such_option(misuse: click.NoSuchOption) -> click.UsageError:
    """Return what is said of a flag that a command does not have: what it is called here, or whose it is."""
    name, ctx = misuse.option_name, misuse.ctx
    if ctx is None:
        return misuse
    own = {flag for each in ctx.command.params for flag in (*each.opts, *each.secondary_opts)}
    plain = name.lstrip("-").lower()
    followed = (each for each in NATURAL_FLAGS.get(plain, ()) if {*_FLAG.findall(each)} <= own)
    special = FLAGS_OF_ONE.get(ctx.command.name or "", {}).get(plain)
    told = special or next(followed, None) or _whose(ctx, name) or _nearest(name, own)
    return click.UsageError(f"No such option '{name}'.{told and f' {told}.'}", ctx)


@contextmanager
def hinting() -> Iterator[None]:
    """Let a flag that does not exist be answered with what it is called here."""
    try:
        yield
    except click.NoSuchOption as misuse:
        raise no_such_option(misuse) from None


def _nearest(name: str, own: set[str]) -> str:
    near = get_close_matches(name.lower(), sorted(own), cutoff=0.7)
    return f"Did you mean: {', '.join(near)}" if near else ""


def _whose(ctx: click.Context, name: str) -> str:
    """Return which commands have a flag of that name; nothing where they are many, as with --json."""
    root = ctx.find_root()
    found = [
        path for path, command in commands_below(root.command, root) if any(name in x.opts for x in command.params)
    ]
    if not found or len(found) > MOST_NAMED:
        return ""
    return f"It belongs to {', '.join(f'{root.command_path} {each}' for each in found)}"


def commands_below(group: click.Command, ctx: click.Context, path: str = "") -> Iterator[tuple[str, click.Command]]:
    """Yield every command of a group, and of the groups in it, with the words that call it."""
    if not isinstance(group, click.Group):
        return
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        if command is not None:
            yield f"{path}{name}", command
            yield from commands_below(command, ctx, f"{path}{name} ")


def _groups(ctx: click.Context) -> Iterator[tuple[str, list[str]]]:
    """Yield the groups of a group, and the names of their commands."""
    for path, command in commands_below(ctx.command, ctx):
        if isinstance(command, click.Group):
            yield path, command.list_commands(ctx)
