"""Columns that flags declare: bounds, steps and rules for missing cells; categories, booleans and dates.

Every column that a statistic, a condition or the groups name is declared, and no other: a flag that belongs to no
column is refused. The study reader checks what a declaration says. A name may hold commas, so `--histogram club,active`
is read as one column; only if it is refused does the message say how several columns are asked for.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click

from snapdp.cli.flags.lists import as_item, in_quotes, items, lists, name_before, named_list, unquoted
from snapdp.cli.flags.numbers import plain_number
from snapdp.studies.columns import BINNED, DROPPED, INTEGER
from snapdp.studies.statistics.quantiles import Quantiles
from snapdp.studies.statistics.registry import KINDS
from snapdp.studies.statistics.statistic import Statistic
from snapdp.values import Values

NO_COLUMN = {"row": {"kind": INTEGER, "lower": 0, "upper": 1, "missing": DROPPED}}  # a study declares a column at least
PARENTS_OF = "--parents belongs to the one column of --by, with its --categories."


def statistics_in_order() -> list[type[Statistic]]:
    """Return the kinds of statistics, those about columns before those about the whole table."""
    return sorted(KINDS.values(), key=lambda statistic: not statistic.takes)


def names_of(statistic: type[Statistic], options: Values) -> list[list[str]]:
    """Return for each statistic of a kind that is asked for the names of its columns."""
    if not statistic.takes:
        return [[]] if options[statistic.kind] else []
    together = [items(text) for text in options[f"{statistic.kind}s"]] if statistic.several else []
    medians = [[text] for text in options["median"]] if statistic is Quantiles else []
    alone = (items(text) if statistic.takes > 1 else [text] for text in options[statistic.kind])
    return [*alone, *together, *medians]


def declared_columns(
    options: Values, conditions: Values, edges: dict[str, str], *, missing: str | None = None
) -> Values:
    """Return a declaration of every column named: categories for those that need them, else bounds.

    missing   what a missing number counts as where no flag says it; None where one must
    """
    named = [(each, name) for each in statistics_in_order() for names in names_of(each, options) for name in names]
    grouped = declared_groups(options)
    if options["parents"] and len(grouped) != 1:
        raise click.UsageError(PARENTS_OF)
    numbers = [name for each, name in named if each.numbers or name in edges]
    numbers += [name for name in grouped if name in edges]
    categories = [name for each, name in named if not each.numbers and name not in edges]
    categories += [*conditions, *(name for name in grouped if name not in edges)]
    kinds = _kind_columns(options, once(categories))
    kinds |= {name: {"kind": each.column_kind} for each, name in named if each.column_kind is not None}
    numbers += [name for name, tests in conditions.items() if "equals" not in tests and name not in kinds]
    if not numbers and not categories:  # a count of all rows names none, and a study needs one
        return {} if options["keys"] is not None else dict(NO_COLUMN)
    lists = [name for name in once(categories) if name not in kinds and name not in once(numbers)]
    told = _category_columns(options, lists)  # first: without it a histogram of numbers has no bounds
    measured = [name.strip() for each, name in named if each.numbers or name in edges]
    measured += [name for name in grouped if name in edges]
    found = _number_columns(options, once(numbers), once(measured))
    rules = rules_for_missing(options["missing"], once(numbers), missing, others=[*kinds, *told])
    for rule in rules.values():
        plain_number(rule, "missing")
    found = {name: {**declared, "missing": rules[name]} for name, declared in found.items()}
    counted = {name: {**declared, **_null(name, rules)} for name, declared in {**kinds, **told}.items()}
    summed = [name for each, name in named if each.numbers]
    for name in (each for each in grouped if each in edges):
        found[name] = _cut(found[name], edges[name], is_summed=name in summed)
    return {**found, **counted}


def _null(name: str, rules: dict[str, str]) -> dict[str, str]:
    """Return what happens to rows without a category, boolean or date, where a flag says it."""
    if name not in rules:
        return {}
    if rules[name] not in (BINNED, DROPPED):
        raise click.UsageError(
            f'--missing "{name}={rules[name]}": {name} is no column of numbers. Rows without it have a cell of their '
            f"own with {name}=binned, or are left out with {name}=dropped."
        )
    return {"null": rules[name]}


def group_names(options: Values) -> list[str]:
    """Return the columns that statistics are grouped by; --by region,sex is --by region --by sex."""
    return [name for text in options["by"] for name in items(text)]


def declared_groups(options: Values) -> list[str]:
    """Return those of them that flags declare: none where a file has the keys."""
    return [] if options["keys"] is not None else group_names(options)


def _cut(column: Values, edges: str, *, is_summed: bool) -> Values:
    """Return a column of numbers with the edges of its bins; rows without the number may have a bin of their own."""
    rule = {"missing": DROPPED, "null": BINNED} if column["missing"] == BINNED and not is_summed else {}
    return {**column, "edges": [plain_number(each, "edges") for each in items(edges)], **rule}


def _number_columns(options: Values, names: list[str], measured: list[str]) -> Values:
    """Return the columns of numbers, with bounds and steps; those that only conditions speak of keep the finest step
    unless they are named.
    """
    if options["integer"] and not measured:
        raise click.UsageError("--integer belongs to no column: it is for those of statistics. Leave it out.")
    steps = words_by_name(options, "step", names, measured)
    for step in steps.values():
        plain_number(step, "step")
    found = {}
    for name, text in declared_by_name(options, "bounds", names).items():
        pair = [plain_number(each, "bounds") for each in items(text)]
        if len(pair) != 2:
            raise click.UsageError(f'--bounds "{text}" is not LOWER,UPPER.')
        found[name] = {"kind": "integer" if options["integer"] and name in measured else "number"}
        found[name] |= {"lower": pair[0], "upper": pair[1], **({"step": steps[name]} if name in steps else {})}
    unbounded = [name for name in names if name not in found]
    if unbounded:
        raise click.UsageError(f"Give --bounds LOWER,UPPER for each of: {', '.join(unbounded)}.")
    return found


def _kind_columns(options: Values, names: list[str]) -> Values:
    """Return the columns that flags declare as booleans and dates."""
    for name in once(list(options["boolean"])):
        if name not in names:
            raise click.UsageError(f"--boolean {name} belongs to no column: {belongs(names)}.")
    found = {name: {"kind": "boolean"} for name in once(list(options["boolean"]))}
    listed = {name_before(text) for text in options["categories"]}
    left = [name for name in names if name not in found and name not in listed]
    for name, text in declared_by_name(options, "date", left).items():
        parts = items(text)
        if len(parts) != 3:
            raise click.UsageError(f'--date "{text}" is not FROM,TO,EACH, such as 2020-01-01,2024-12-31,month.')
        found[name] = {"kind": "date", "from": parts[0], "to": parts[1], "each": parts[2]}
    return found


def _category_columns(options: Values, names: list[str]) -> Values:
    compare = words_by_name(options, "compare", names, names)
    found: dict[str, Values] = {
        name: {
            "kind": "category",
            "categories": items(text, any_text=True),
            **({"compare": compare[name]} if name in compare else {}),
        }
        for name, text in declared_by_name(options, "categories", names).items()
    }
    missing = [name for name in names if name not in found]
    if missing:
        # What to give for columns of which neither categories nor edges are known.
        binned = [name for name in missing if any(name in options[each.kind] for each in KINDS.values() if each.takes)]
        grouped = [name for name in declared_groups(options) if name in missing]
        tested = [name for name in missing if name not in (*binned, *grouped)]
        said = (
            f"Give --categories A,B,... for each of: {', '.join(missing)} (dates: --date; true and false: --boolean)."
        )
        binned += grouped
        if binned:
            said += f" If {binned[0]} holds numbers, give --edges E1,E2,... (and --bounds) for {binned[0]}."
        if tested:
            said += f' If {tested[0]} holds numbers, test it by ">=" and "<": "{tested[0]}>=65".'
        raise click.UsageError(said)
    for name in group_names(options) if options["parents"] else ():
        if name not in found:
            raise click.UsageError(PARENTS_OF)
        found[name]["parents"] = _parents(options["parents"])
    return found


def _parents(texts: Sequence[str]) -> Values:
    """Return the levels above a column, one of each flag: LEVEL:PARENT=A,B;PARENT=C,D; names may be in quotes."""
    found = {}
    for text in texts:
        level, rest = named_list(text, ":") or ("", "")
        pairs = [named_list(piece, "=") for piece in lists(rest) if piece.strip()]
        told = [pair for pair in pairs if pair is not None]
        is_sure = "=" not in level or text.lstrip().startswith('"')  # else it may begin like the other flags, NAME=
        if not level or not told or len(told) < len(pairs) or not is_sure:
            raise click.UsageError(
                f'--parents "{text}" is not LEVEL:PARENT=A,B;PARENT=C,D. A name with one of the signs : ; = or a comma '
                "in it stands in double quotes, and a quote in there twice."
            )
        names = [name for name, _ in told]
        if level in found or len(set(names)) != len(names):
            raise click.UsageError(f'--parents "{text}" says something twice: name each level and parent once.')
        found[level] = {name: items(below, any_text=True) for name, below in told}
    return found


# Words of flags by the column they belong to: NAME=..., or without the name if no other column can be meant.
#
# Blanks around the items of a list do not belong to them; an item in double quotes may hold commas, and so may a name.
# Three grammars for what may follow the name:
#
#     a text   declared_by_name    commas, in categories equals signs too; without a name it is for the one column left
#     a word   words_by_name       no equals sign; without a name it is for all columns left
#     a rule   rules_for_missing   neither, so that one flag may hold several: NAME=RULE,NAME=RULE


def declared_by_name(options: Values, key: str, names: list[str], *, others: Sequence[str] = ()) -> dict[str, str]:
    """Return {column: text} of a flag: NAME=TEXT by name, another for the one column left.

    others   columns for which it must have the name
    """
    found = {}
    unnamed = []
    every = list(dict.fromkeys([*names, *others]))
    for text in options[key]:
        name, rest = _named(text, every)
        if name in found:
            raise click.UsageError(f"--{key} declares {name} twice.")
        if name is not None:
            found[name] = rest
        elif "=" in text and key != "categories":  # of all such lists these alone may hold the sign
            raise click.UsageError(f'--{key} "{text}" belongs to no column: {belongs(every)}.')
        else:
            unnamed.append(text)
    left = [name for name in names if name not in found]
    if len(unnamed) > len(left):
        raise click.UsageError(f'--{key} "{unnamed[len(left)]}" belongs to no column: {belongs(names)}.')
    if unnamed and len(left) > 1 and not (len(unnamed) == len(left) and len(set(unnamed)) == 1):
        between = " " if len(unnamed) == len(left) else " or "
        each = between.join(f"--{key} {as_item(name)}=..." for name in left)
        raise click.UsageError(f"Which --{key} is whose? Several columns could be meant; say {each}")
    return found | dict(zip(left, unnamed, strict=False))


def words_by_name(options: Values, key: str, names: list[str], others: list[str]) -> dict[str, str]:
    """Return {column: word} of a flag: NAME=WORD by name, a word alone for all the others."""
    found = {}
    alone = []
    for text in options[key]:
        before, equals, word = (part.strip() for part in text.rpartition("="))
        name = unquoted(before)
        if equals and name not in names:
            raise click.UsageError(f'--{key} "{text}" belongs to no column: {belongs(names)}.')
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


def rules_for_missing(
    texts: tuple[str, ...], names: list[str], default: str | None, *, others: Sequence[str] = ()
) -> dict[str, str]:
    """Return what a missing cell of each column counts as: NAME=RULE by name, a rule alone for all other numbers.

    others   columns of no numbers, whose rules have the name
    """
    by_name: dict[str, str] = {}
    for_others: list[str] = []
    for text in texts:
        _read_rules(text, [*names, *others], by_name, for_others)
    unsaid = [name for name in names if name not in by_name]
    if len(for_others) > 1 or (for_others and not unsaid):
        whom = "give NAME=RULE,NAME=RULE" if names or others else "no statistic here needs it"
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
        name, told = _named(rest, names)
        rule, _, after = told.partition(",")
        if name is None and "=" in rule:
            raise click.UsageError(f'--missing "{rule}" belongs to no column: {belongs(names)}.')
        if name in by_name:
            raise click.UsageError(f"--missing speaks of {name} twice.")
        if name is None:
            for_others.append(rule.strip())
        else:
            by_name[name] = rule.strip()
        rest = after.lstrip()


def belongs(names: list[str]) -> str:
    """Return to which columns a flag could belong, for the refusal of one that belongs to none."""
    return f"the columns are {', '.join(names)}" if names else "no statistic here needs it"


def once(names: list[str]) -> list[str]:
    return list(dict.fromkeys(name.strip() for name in names))


def _named(text: str, names: Sequence[str]) -> tuple[str | None, str]:
    """Return the column that a text begins with, as NAME= or "NAME"=, and what stands behind it; None without one."""
    found = {name: match for name in names if (match := _before_equals(name).match(text))}
    longest = max(found, key=len, default=None)
    return longest, text if longest is None else text[found[longest].end() :]


def _before_equals(name: str) -> re.Pattern[str]:
    return re.compile(rf"\s*(?:{re.escape(name)}|{re.escape(in_quotes(name))})\s*=")


# Several columns behind a flag that takes one

DECLARING = ("bounds", "categories", "edges", "date", "step", "boolean")


@contextmanager
def several_told(options: Values) -> Iterator[None]:
    """Add to a refusal of a name with commas what to type if it is several columns; keep it for a table without it."""
    # What to type for each name with commas that no flag declares, if it is several columns.
    declared = {name_before(text) for key in DECLARING for text in options[key]}
    flags = [(kind.kind, kind) for kind in KINDS.values() if kind.takes == 1] + [("median", Quantiles)]
    meant = {}
    for flag, kind in flags:
        for text in options[flag]:
            names = [each.strip() for each in text.split(",")]
            if len(names) > 1 and all(names) and '"' not in text and text not in declared:
                instead = _instead(flag, kind, names, options)
                meant[text] = f'"{text}" is taken for one column. If it is several: {instead}.'
    context = click.get_current_context(silent=True)
    if context is not None:
        context.meta["snapdp.several"] = meant
    try:
        yield
    except click.UsageError as misuse:
        told = [said for name, said in meant.items() if name in misuse.message or as_item(name) in misuse.message]
        if not told:
            raise
        raise click.UsageError(" ".join([misuse.message, *told[:1]]), misuse.ctx) from None


def _instead(flag: str, kind: type[Statistic], names: Sequence[str], options: Values) -> str:
    """Return the flags for several columns: means that share a count, a table by all of them, or one flag for each."""
    if kind.several:
        return f"--{flag}s {_list(names)}"
    if "edges" in kind.details:
        lists = " ".join(f"--categories {shlex.quote(as_item(name))}=..." for name in names)
        by = f"--count --by {_list([*group_names(options), *names])}"
        return f"{by} {lists} (or --date, --boolean, --edges with --bounds)"
    return " ".join(f"--{flag} {shlex.quote(name)}" for name in names)


def _list(names: Sequence[str]) -> str:
    return shlex.quote(",".join(map(as_item, names)))
