"""Flags of statistics, translated to the values of a study: the study reader does all the checking.

Room: cli. One set of flags for plan, release and init. A column's declaration is given as `NAME=...`, or without the
name where one column alone can be meant. Blanks around the items of a list are no part of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import click

from snapdp.cli.flags.arguments import NUMBER
from snapdp.errors import ParameterError
from snapdp.exact import positive
from snapdp.studies import BINNED, DROPPED, KINDS, STUDY_VERSION, Statistic

_CONDITION = re.compile(r"^\s*(?P<column>[^<>=]+?)\s*(?P<operator>>=|<|=)\s*(?P<value>[^<>=]+?)\s*$")
_Option = tuple[tuple[str, ...], dict[str, Any]]


def _statistic_option(statistic: type[Statistic]) -> _Option:
    """Return the flag of a kind of statistic: one word for the whole table, or one for each column or pair of them."""
    settings: dict[str, Any] = {"help": statistic.flag}
    if statistic.takes:
        settings |= {"multiple": True, "metavar": ",".join(["COLUMN"] * statistic.takes)}
    else:
        settings |= {"is_flag": True}
    return (f"--{statistic.kind}",), settings


_OPTIONS: tuple[_Option, ...] = (
    *map(_statistic_option, KINDS.values()),
    (
        ("--where",),
        {"multiple": True, "metavar": "CONDITION", "help": 'Of such rows only: "age>=65", "age<70", "region=north".'},
    ),
    (("--by",), {"metavar": "COLUMN", "help": "Each statistic for each of the --categories of this column."}),
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
            "help": "What a missing number counts as: dropped, middle or a number (in a histogram dropped or binned); "
            "by column NAME=RULE,NAME=RULE.",
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
        {"multiple": True, "metavar": "A,B,...", "help": "Public categories of a column, or NAME=A,B,..."},
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
        ("--boolean",),
        {"multiple": True, "metavar": "COLUMN", "help": "This column holds true and false, yes and no, or 1 and 0."},
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
        {"multiple": True, "metavar": "E1,E2,...", "help": "Public bin edges of a histogram, or NAME=E1,..."},
    ),
    (("--n",), {"type": int, "help": "Public number of rows: change-one neighbours."}),
    (
        ("--n-max",),
        {"type": int, "help": "Public bound on the private number of rows: add-remove neighbours."},
    ),
    (("--person",), {"metavar": "COLUMN", "help": "Protect whole persons, named by this column (with --n-max)."}),
    (("--rows-per-person",), {"type": int, "help": "At most so many rows of a person are kept.  [default: 1]"}),
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
            "help": "The accuracy may be missed with this probability.  [default: 0.05]",
        },
    ),
)
NO_COLUMN = {"row": {"kind": "integer", "lower": 0, "upper": 1, "missing": DROPPED}}
NAMES = tuple(names[0].removeprefix("--").replace("-", "_") for names, _ in _OPTIONS)


def statistic_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the flags that say which statistics are asked for."""
    for names, settings in reversed(_OPTIONS):
        command = click.option(*names, **settings)(command)
    return command


def given(options: dict[str, Any]) -> list[str]:
    """Return the flags of statistics that were given."""
    return [f"--{name.replace('_', '-')}" for name in NAMES if options[name] not in (None, False, ())]


def study_values(options: dict[str, Any], *, dataset: str = "from flags") -> dict[str, Any]:
    """Return the values of a study that flags declare."""
    conditions, edges = _conditions(options["where"]), _edges(options)
    statistics = _statistics(options, conditions, edges)
    columns = _columns(options, conditions, edges)
    _bin_missing(statistics, columns)
    return {
        "version": STUDY_VERSION,
        "dataset": dataset,
        **_relation(options),
        "columns": columns,
        "statistic": [
            {**each, **cost} for each, cost in zip(statistics, _costs(options, len(statistics)), strict=True)
        ],
    }


def column_values(options: dict[str, Any]) -> dict[str, Any]:
    """Return the columns that flags declare, for a look at them: what a missing cell counts as may be left out."""
    conditions, edges = _conditions(options["where"]), _edges(options)
    statistics = _statistics(options, conditions, edges)
    found = _columns(options, conditions, edges, missing=DROPPED)
    _bin_missing(statistics, found)
    return {} if found == NO_COLUMN else found


def _edges(options: dict[str, Any]) -> dict[str, str]:
    binned = [name for each in KINDS.values() if "edges" in each.details for name in options[each.kind]]
    if options["edges"] and not binned:
        raise click.UsageError("--edges belongs to --histogram.")
    return _declared(options, "edges", binned)


def _bin_missing(statistics: list[dict[str, Any]], columns: dict[str, Any]) -> None:
    """Give histograms the rule "binned", which is theirs: elsewhere rows without the number are left out."""
    about = [(KINDS[each["kind"]], each, columns.get(each.get("column", ""), {})) for each in statistics]
    binned = [column for kind, _, column in about if kind.numbers and column.get("missing") == BINNED]
    for kind, statistic, column in about:
        if "missing" in kind.details and column.get("missing") == BINNED and column not in binned:
            statistic["missing"] = BINNED
    for statistic in statistics:
        if statistic.get("missing") == BINNED:
            columns[statistic["column"]]["missing"] = DROPPED


def _columns_first() -> list[type[Statistic]]:
    """Return the kinds of statistics, those about columns before those about the whole table."""
    return sorted(KINDS.values(), key=lambda statistic: not statistic.takes)


def _named(statistic: type[Statistic], options: dict[str, Any]) -> list[list[str]]:
    """Return for each statistic of a kind that is asked for the names of its columns."""
    if not statistic.takes:
        return [[]] if options[statistic.kind] else []
    return [
        [name.strip() for name in text.split(",")] if statistic.takes > 1 else [text]
        for text in options[statistic.kind]
    ]


def _statistics(options: dict[str, Any], conditions: dict[str, Any], edges: dict[str, str]) -> list[dict[str, Any]]:
    where = [{"column": name, **tests} for name, tests in conditions.items()]
    found: list[dict[str, Any]] = []
    for statistic in _columns_first():
        for names in _named(statistic, options):
            about = {"column": names[0]} if statistic.takes == 1 else {"columns": names} if names else {}
            details: dict[str, list[Any]] = {
                "edges": _items(edges.get(names[0], "")) if names else [],
            }
            said = {key: value for key, value in details.items() if key in statistic.details and any(value)}
            found.append({"kind": statistic.kind, **about, **said, **({"where": where} if where else {})})
    if not found:
        flags = ", ".join(f"--{kind}" for kind in KINDS)
        raise click.UsageError(f"Give a study file, or one or more of {flags}.")
    return [{**each, "by": options["by"]} for each in found] if options["by"] else found


def _costs(options: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """Return the cost keys of each statistic: what is typed is charged, in equal shares."""
    common = {key: options[key] for key in ("accuracy", "alpha") if options[key] is not None}
    if count > 1 and options["accuracy"] is not None:
        raise click.UsageError("--accuracy is for one statistic; give --epsilon, or a study file.")
    if options["epsilon"] is None and options["accuracy"] is None:
        raise click.UsageError("What may it cost? Give --epsilon NUMBER, or for one statistic --accuracy NUMBER.")
    if options["epsilon"] is None:
        return [common] * count
    try:
        share = positive(options["epsilon"], name="epsilon") / count
    except ParameterError:
        share = None  # the study reader says what is wrong with it
    return [{**common, "epsilon": options["epsilon"] if share is None or count == 1 else str(share)}] * count


def _relation(options: dict[str, Any]) -> dict[str, Any]:
    if options["n"] is not None and options["n_max"] is not None:
        raise click.UsageError(
            "--n and --n-max exclude each other: --n N says that the number of rows is public, --n-max N that it is "
            "private and at most N. Give one."
        )
    if options["n"] is None and options["n_max"] is None:
        raise click.UsageError(
            "Who is a neighbour? Give --n N (n is public, one row's values change) "
            "or --n-max N (n is private, one row comes or goes)."
        )
    persons = {key: options[key] for key in ("person", "rows_per_person") if options[key] is not None}
    if options["n"] is not None:
        return {"relation": "change-one", "n": options["n"], **persons}
    return {"relation": "add-remove", "n_max": options["n_max"], **persons}


def _columns(
    options: dict[str, Any], conditions: dict[str, Any], edges: dict[str, str], *, missing: str | None = None
) -> dict[str, Any]:
    """Return a declaration of every column named: categories for those that need them, else bounds.

    missing   what a missing number counts as where no flag says it; None where one must
    """
    named = [(each, name) for each in _columns_first() for names in _named(each, options) for name in names]
    numbers = [name for each, name in named if each.numbers or name in edges]
    categories = [name for each, name in named if not each.numbers and name not in edges]
    categories += [*conditions, *([options["by"]] if options["by"] else [])]
    kinds = _kind_columns(options, _once(categories))
    numbers += [name for name, tests in conditions.items() if "equals" not in tests and name not in kinds]
    if not numbers and not categories:  # a count of all rows names none, and a study needs one
        return dict(NO_COLUMN)
    lists = [name for name in _once(categories) if name not in kinds and name not in _once(numbers)]
    told = _category_columns(options, lists)  # first: without it a histogram of numbers has no bounds
    measured = [name.strip() for each, name in named if each.numbers or name in edges]
    return {**_number_columns(options, _once(numbers), measured, missing), **kinds, **told}


def _once(names: list[str]) -> list[str]:
    return list(dict.fromkeys(name.strip() for name in names))


def _items(text: str) -> list[str]:
    return [item.strip() for item in text.split(",")]


def _number_columns(
    options: dict[str, Any], names: list[str], measured: list[str], missing: str | None
) -> dict[str, Any]:
    """Return the columns of numbers; those that only conditions speak of keep the finest step unless they are named."""
    if options["integer"] and not measured:
        raise click.UsageError("--integer belongs to no column: it is for those of statistics. Leave it out.")
    steps = _by_name(options, "step", names, measured)
    found = {}
    for name, text in _declared(options, "bounds", names).items():
        pair = _items(text)
        if len(pair) != 2:
            raise click.UsageError(f'--bounds "{text}" is not LOWER,UPPER.')
        found[name] = {"kind": "integer" if options["integer"] and name in measured else "number"}
        found[name] |= {"lower": pair[0], "upper": pair[1], **({"step": steps[name]} if name in steps else {})}
    unbounded = [name for name in names if name not in found]
    if unbounded:
        raise click.UsageError(f"Give --bounds LOWER,UPPER for each of: {', '.join(unbounded)}.")
    rules = _rules_for_missing(options["missing"], names, missing)
    return {name: {**declared, "missing": rules[name]} for name, declared in found.items()}


def _rules_for_missing(texts: tuple[str, ...], names: list[str], default: str | None) -> dict[str, str]:
    """Return what a missing cell of each column counts as: NAME=RULE by name, a rule alone for all others."""
    by_name: dict[str, str] = {}
    for_others: list[str] = []
    for text in texts:
        _read_rules(text, names, by_name, for_others)
    unsaid = [name for name in names if name not in by_name]
    if len(for_others) > 1 or (for_others and not unsaid):
        whom = "give NAME=RULE,NAME=RULE" if names else "no statistic here needs it"
        raise click.UsageError(f'--missing "{for_others[-1]}" belongs to no column: {whom}.')
    if unsaid and not for_others and default is not None:
        for_others = [default]
    if unsaid and not for_others:
        raise click.UsageError(
            f"What does a missing cell count as, in {', '.join(unsaid)}? Give --missing dropped (rows without it are "
            "left out), --missing middle (the middle of the bounds stands in), or --missing NUMBER (that public number "
            "stands in); by column: --missing NAME=RULE,NAME=RULE."
        )
    return {**dict.fromkeys(unsaid, *for_others), **by_name} if unsaid else by_name


def _read_rules(text: str, names: list[str], by_name: dict[str, str], for_others: list[str]) -> None:
    """Take a text of rules apart; a name may hold commas and equals signs, a rule holds neither."""
    rest = text
    while rest:
        name = max((each for each in names if rest.startswith(f"{each}=")), key=len, default=None)
        rule, _, after = rest.removeprefix("" if name is None else f"{name}=").partition(",")
        if name is None and "=" in rule:
            raise click.UsageError(
                f'--missing "{rule}" belongs to no column: the columns of numbers are {", ".join(names) or "none"}.'
            )
        if name in by_name:
            raise click.UsageError(f"--missing speaks of {name} twice.")
        if name is None:
            for_others.append(rule.strip())
        else:
            by_name[name] = rule.strip()
        rest = after.lstrip()


def _kind_columns(options: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Return the columns that flags declare as booleans and dates."""
    for name in _once(list(options["boolean"])):
        if name not in names:
            raise click.UsageError(f"--boolean {name} belongs to no column: {_told(names)}.")
    found: dict[str, Any] = {name: {"kind": "boolean"} for name in _once(list(options["boolean"]))}
    listed = {text.partition("=")[0].strip() for text in options["categories"]}
    left = [name for name in names if name not in found and name not in listed]
    for name, text in _declared(options, "date", left).items():
        parts = [part.strip() for part in text.split(",")]
        if len(parts) != 3:
            raise click.UsageError(f'--date "{text}" is not FROM,TO,EACH, such as 2020-01-01,2024-12-31,month.')
        found[name] = {"kind": "date", "from": parts[0], "to": parts[1], "each": parts[2]}
    return found


def _told(names: list[str]) -> str:
    return f"the columns are {', '.join(names)}" if names else "no statistic here needs it"


def _category_columns(options: dict[str, Any], names: list[str]) -> dict[str, Any]:
    compare = _by_name(options, "compare", names, names)
    found = {
        name: {
            "kind": "category",
            "categories": _items(text),
            **({"compare": compare[name]} if name in compare else {}),
        }
        for name, text in _declared(options, "categories", names).items()
    }
    missing = [name for name in names if name not in found]
    if missing:
        raise click.UsageError(_without_categories(options, missing))
    return found


def _without_categories(options: dict[str, Any], names: list[str]) -> str:
    """Return what to give for columns of which neither categories nor edges are known."""
    binned = [name for name in names if any(name in options[each.kind] for each in KINDS.values() if each.takes)]
    tested = [name for name in names if name not in binned and name != options["by"]]
    said = f"Give --categories A,B,... for each of: {', '.join(names)} (dates: --date; true and false: --boolean)."
    if binned:
        said += f" If {binned[0]} holds numbers, give --edges E1,E2,... (and --bounds) for {binned[0]}."
    if tested:
        said += f' If {tested[0]} holds numbers, test it by ">=" and "<": "{tested[0]}>=65".'
    return said


def _by_name(options: dict[str, Any], key: str, names: list[str], others: list[str]) -> dict[str, str]:
    """Return {column: word} of a flag: NAME=WORD by name, a word alone for all the others."""
    found: dict[str, str] = {}
    alone = []
    for text in options[key]:
        name, equals, word = (part.strip() for part in text.rpartition("="))
        if equals and name not in names:
            raise click.UsageError(f'--{key} "{text}" belongs to no column: {_told(names)}.')
        if name in found:
            raise click.UsageError(f"--{key} speaks of {name} twice.")
        if equals:
            found[name] = word
        else:
            alone.append(word)
    left = [name for name in others if name not in found]
    if len(alone) > 1 or (alone and not left):
        whom = f"give NAME={alone[-1]}" if names else "no statistic here needs it"
        raise click.UsageError(f'--{key} "{alone[-1]}" belongs to no column: {whom}.')
    return {**dict.fromkeys(left, *alone), **found} if alone else found


def _declared(options: dict[str, Any], key: str, names: list[str]) -> dict[str, str]:
    """Return {column: text} of a flag: NAME=TEXT by name, another for the one column left."""
    found: dict[str, str] = {}
    unnamed = []
    for text in options[key]:
        name = max((each for each in names if re.match(rf"\s*{re.escape(each)}\s*=", text)), key=len, default=None)
        if name in found:
            raise click.UsageError(f"--{key} declares {name} twice.")
        if name is not None:
            found[name] = text.strip().removeprefix(name).lstrip().removeprefix("=")
        elif "=" in text and key != "categories":  # of all such lists these alone may hold the sign
            raise click.UsageError(f'--{key} "{text}" belongs to no column: {_told(names)}.')
        else:
            unnamed.append(text)
    left = [name for name in names if name not in found]
    if len(unnamed) > len(left):
        raise click.UsageError(f'--{key} "{unnamed[len(left)]}" belongs to no column: {_told(names)}.')
    if unnamed and len(left) > 1 and not (len(unnamed) == len(left) and len(set(unnamed)) == 1):
        each = " ".join(f"--{key} {name}=..." for name in left)
        raise click.UsageError(f"Which --{key} is whose? Several columns could be meant; say {each}")
    return found | dict(zip(left, unnamed, strict=False))


def _conditions(texts: tuple[str, ...]) -> dict[str, dict[str, str]]:
    """Return {column: {from, below, equals}} of conditions such as "age>=65"."""
    keys = {">=": "from", "<": "below", "=": "equals"}
    found: dict[str, dict[str, str]] = {}
    for text in texts:
        match = _CONDITION.match(text)
        if match is None or match["column"].endswith("!"):
            raise click.UsageError(
                f'--where "{text}" is not understood: it takes >=, < or =, as in "age>=65", "age<70", "region=north".'
            )
        tests = found.setdefault(match["column"], {})
        if keys[match["operator"]] in tests:
            raise click.UsageError(f'--where "{text}" says a second time what {match["column"]} is tested for.')
        tests[keys[match["operator"]]] = match["value"]
    return found
