"""What is said beside published numbers, in a line each: on a terminal, in a report and in a notebook alike.

Functions of the record: of released numbers, and of the public range of what they are. What is declared of a statistic
(its bounds, its bins, which rows count) is put into clauses from its declaration alone, which requests have too, so the
words are the same before a release and after it. Names are anybody's text, and are made visible.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from snapdp.display.numbers import exact_amount
from snapdp.display.text import each_by_itself, listed, one_line
from snapdp.errors import SnapdpError
from snapdp.exact.numbers import parameter
from snapdp.release.numbers import CUT_MARK, Number, NumberBlock
from snapdp.studies.categories import DateColumn
from snapdp.studies.columns import DROPPED, CategoryColumn, Column, NumberColumn
from snapdp.studies.declarations import Unlisted, column_from, condition_from, groups_from, stated_groups
from snapdp.studies.grouping.groups import BinnedColumn, binned
from snapdp.studies.grouping.margins import HIERARCHY, WIDER, hierarchy_of
from snapdp.studies.labels import key_text, readable_number, readable_title, told_apart
from snapdp.studies.protection import describe_protected, groups_clause, rows_clause
from snapdp.studies.relation import Relation, add_remove, change_one, with_identifiers
from snapdp.studies.statistics.counts import PersonCount
from snapdp.studies.statistics.magnitudes import BOUNDS
from snapdp.studies.statistics.quantiles import DISTRIBUTION
from snapdp.studies.statistics.registry import KINDS
from snapdp.values import Facts

MOVED = (
    "A draw beyond what the statistic can be is shown as the nearest possible number. "
    "For sums, averages and margins take the values as drawn: the files hold them."
)
ROUNDED = "Adjusted tables add up, up to the rounding of printing"
AS_DRAWN = "Adjusted tables add up as files of values have them, not where the nearest possible number is shown"
MEASURED = "the tables as measured are in the record and in files of values."
CUT = (
    f"{CUT_MARK} The noise went so far beyond what the number can be that only the end of that is left of its "
    "interval. This is no certainty: intervals hold as often as they say among all releases, not among those with "
    "such noise."
)
MOST_NAMED, LONGEST = 5, 80  # cells in a line, characters of a name
Range = tuple[Fraction, Fraction]

NO_INTERVAL = "the total has noise too, and no interval is known"
WHY_UNKNOWN = "too few rows for this epsilon, or too few of them have a value that could be read"


def moved_line(numbers: Iterable[Number]) -> str:
    """Return what is to be known where another number is shown than was drawn; empty where none is."""
    return MOVED if any(each.moved for each in numbers) else ""


def cut_line(numbers: Iterable[Number]) -> str:
    """Return what the mark at an interval means of which only the end of what is possible is left; empty without one.

    An interval holds with its probability over all draws. Given a draw so far beyond zero it holds if the truth is zero
    itself and misses if it is not, which nobody can tell from it.
    """
    return CUT if any(each.is_cut for each in numbers) else ""


def by_itself_line(blocks: Iterable[NumberBlock], what: str = "The interval") -> str:
    """Return that intervals hold for each number by itself; empty where no statistic has several of them.

    Bounds that a first look has found are left out: what is claimed of them is one claim about their column.
    """
    shown = [block for block in blocks if block.is_first and block.name != BOUNDS]
    return each_by_itself(what, [len(block.numbers) for block in shown])


def margins_line(blocks: Iterable[NumberBlock]) -> str:
    """Return what adds up, and where the measured tables are; empty where no block is a margin."""
    margins = [block for block in blocks if block.is_margin]
    moved = any(each.moved for block in margins if block.derived for each in block.numbers)
    return f"{AS_DRAWN if moved else ROUNDED}; {MEASURED}" if margins else ""


def share_line(block: NumberBlock) -> str:
    """Return of what the numbers of a block are shares, and why they have no interval; empty where they are none."""
    if not block.share_of:
        return ""
    why = "" if any(each.low is not None for each in block.numbers) else f": {NO_INTERVAL}"
    return f"{_short(block.readable_title)}: each is a share of {block.share_of}{why}."


def unknown_places(block: NumberBlock) -> set[int]:
    """Return the places of the numbers of which nothing is known: they are no result, whatever was drawn."""
    if block.derived and block.name == BOUNDS:  # of a column of magnitudes, which has no range
        return {place for place, each in enumerate(block.numbers) if each.low is each.high is None}
    possible = _public_range(block)
    return {place for place, each in enumerate(block.numbers) if _is_everything(each, possible)}


def unknown_line(block: NumberBlock) -> str:
    """Return of which numbers of a block nothing is known; empty where something is known of all.

    Nothing is known where an interval is all that the number can be: the mean of a group that may be empty, say.
    """
    unknown = unknown_places(block)
    found = [each for place, each in enumerate(block.readable) if place in unknown]
    if not found:
        return ""
    title = _short(block.readable_title) + (f", {_short(block.part)}" if block.part else "")
    if block.is_single:
        return f"{title}: nothing is known. The interval is everything that the number can be: {WHY_UNKNOWN}."
    names = listed([_short(each.cell) for each in found], MOST_NAMED)
    whom = "any of its numbers" if len(found) == len(block.numbers) else names
    return f"{title}: nothing is known of {whom}. The interval is everything that the number can be: {WHY_UNKNOWN}."


def bound_lines(block: NumberBlock) -> list[str]:
    """Return which quantiles may be a bound of their column, where clamped values end; the whole range is unknown."""
    possible = _public_range(block) if block.is_ranked and block.is_first else None
    if possible is None:
        return []
    found = []
    known = [each for each in block.readable if not _is_everything(each, possible)]
    at_lower = [each for each in known if each.low is not None and Fraction(each.low) <= possible[0]]
    at_upper = [each for each in known if each.high is not None and Fraction(each.high) >= possible[1]]
    for bound, there in zip(possible, (at_lower, at_upper), strict=True):
        names = [_short(each.cell) for each in there]
        if names:
            of_what = "" if block.is_single else f" of {listed(names, MOST_NAMED)}"
            said = f"the interval{of_what} reaches the bound {readable_number(str(bound))}"
            found.append(f"{_short(block.readable_title)}: {said}: the clamped values end there.")
    return found


def step_lines(block: NumberBlock) -> list[str]:
    """Return what an interval of one number means, of quantiles: values are rounded to a step first."""
    if not (block.is_ranked and block.is_first) or all(each.low != each.high for each in block.numbers):
        return []
    step = readable_number(str(block.declared["columns"][0].get("step", "1")))
    said = f"quantiles are of values rounded to the step of {step}, so an interval can be a single number"
    return [f"{_short(block.readable_title)}: {said}."]


def bounds_from_line(record: Facts) -> str:
    """Return by which earlier look the bounds of columns were found; empty where a record names none.

    Its epsilon is not in this record, but the bounds are: whoever reads them has both.
    """
    found = record.get("bounds_from")
    if not isinstance(found, str):
        return ""
    charged = "which was charged by itself and is not in this epsilon"
    return f"Bounds come from an earlier look at the table, {charged}: record {_short(found)}."


def distribution_line(blocks: Iterable[NumberBlock]) -> str:
    """Return where the distributions are, of which quantiles are shown; empty where there are none."""
    titles = [_short(block.readable_title) for block in blocks if block.is_ranked and not block.is_first]
    behind = [title for title in dict.fromkeys(titles) if title.startswith(DISTRIBUTION)]
    return f"In the report and in files of values: {listed(behind, MOST_NAMED)}." if behind else ""


def relation_stated(record: Facts) -> Relation | None:
    """Return who is a neighbour, as a record states it; None where a record, which may be anybody's, does not."""
    try:
        if record["relation"] == "change-one":
            return change_one(n=record["n"])
        person = record.get("person")
        bound = {} if person is None else {"person": person, "rows_per_person": record["rows_per_person"]}
        relation = add_remove(n_max=record["n_max"], **bound, unit_rows=record.get("unit_rows"))
        return with_identifiers(relation, map(column_from, record.get("person_columns", ())))
    except (SnapdpError, LookupError, TypeError):
        return None


def protected_line(record: Facts, *, subject: str = "") -> str:
    """Return what is protected, as a sentence; empty where a record does not say it."""
    relation = relation_stated(record)
    return "" if relation is None else describe_protected(relation, subject=subject)


def person_lines(record: Facts) -> list[str]:
    """Return how persons count in each statistic, a line for all that count them alike; none where rows are counted."""
    if not {"person", "rows_per_person"} <= {*record}:  # a record may be anybody's
        return []
    alike: dict[str, list[str]] = {}
    titles = told_apart(each["title"] for each in record["statistics"])
    for title, each in zip(titles, record["statistics"], strict=True):
        alike.setdefault(_person_clause(record, each), []).append(_short(readable_title(title, each)))
    return [f"{listed(titles, MOST_NAMED)}: {clause}." for clause, titles in alike.items()]


def _person_clause(record: Facts, statistic: Facts) -> str:
    """Return how often a person counts in a statistic; empty where a record protects rows."""
    if not {"person", "rows_per_person"} <= {*record}:
        return ""
    if statistic["kind"] != PersonCount.kind:
        return rows_clause(record["person"], statistic.get("rows_per_person", record["rows_per_person"]))
    return groups_clause(record["person"], statistic.get("groups_per_person"), margins="margins" in statistic)


def counted_clauses(record: Facts, statistic: Facts) -> list[str]:
    """Return what counts in one statistic, as clauses that stand beside it: persons, rows, missing values."""
    person, most = _person_clause(record, statistic), statistic.get("groups_per_person")
    found = [person] if person else []
    if person and most is not None:
        found.append(f"who is in more counts in {most} of them only, so numbers of groups may be too small")
    # What missing values of the columns of a statistic count as, where it is about numbers.
    columns = [each for each in statistic.get("columns", ()) if "lower" in each]
    needed = [_short(each["name"]) for each in columns if each.get("missing") == DROPPED]
    if needed and "edges" not in statistic:
        left_out = f"rows without {needed[0]} are left out"
        found.append(left_out if len(columns) == 1 else f"only rows count that have {listed(needed, MOST_NAMED)}")
    for each in columns:
        if "missing_in_sums" in each and "edges" not in statistic:
            number = readable_number(each["missing_in_sums"])
            found.append(f"missing values of {_short(each['name'])} count as {number}")
    if statistic.get("margins") == HIERARCHY and _is_wide(statistic):
        found.append(WIDER)
    return found


def complete_lines(record: Facts) -> list[str]:
    """Return which rows count in means and covariances of several columns, where some are left out."""
    found = []
    titles = told_apart(each["title"] for each in record["statistics"])
    for title, each in zip(titles, record["statistics"], strict=True):
        columns = each.get("columns", [])
        needed = [_short(column["name"]) for column in columns if column.get("missing") == DROPPED]
        if needed and len(columns) > 1:
            named = _short(readable_title(title, each))
            found.append(f"{named}: only rows count that have {listed(needed, MOST_NAMED)}.")
    return list(dict.fromkeys(found))


def wide_lines(record: Facts) -> list[str]:
    """Return which intervals are bounds, wider than need be, because a hierarchy is irregular: its sizes decide."""
    found = []
    for each in record["statistics"]:
        if each.get("margins") == HIERARCHY and _is_wide(each):
            found.append(f"{_short(readable_title(each['title'], each))}: {WIDER}.")
    return list(dict.fromkeys(found))


def _is_wide(statistic: Facts) -> bool:
    try:
        return hierarchy_of(groups_from(statistic["by"]), None, known_total=False).is_wide
    except SnapdpError:  # a record may be anybody's
        return False


def _short(name: str) -> str:
    """Return a name of the record as it can stand in a line."""
    return one_line(name, LONGEST)


def _is_everything(number: Number, possible: Range | None) -> bool:
    if possible is None or number.low is None or number.high is None:
        return False
    return Fraction(number.low) <= possible[0] and Fraction(number.high) >= possible[1]


def _public_range(block: NumberBlock) -> Range | None:
    """Return what a number of a block can be; None where that is not known here, or is said of what it follows from."""
    declared = block.declared
    try:
        if block.derived and block.mean_of is not None:  # of one column among several
            declared = {**declared, "columns": [x for x in declared["columns"] if x["name"] == block.mean_of]}
        if block.derived:
            return KINDS[declared["kind"]].derived_range(declared, block.name)
        part = next(part for part in declared["parts"] if part["name"] == block.name)
        factor, shift, lower, upper = (parameter(part[key], name=key) for key in ("factor", "shift", "lower", "upper"))
        return shift + factor * lower, shift + factor * upper
    except (SnapdpError, LookupError):  # a record may be anybody's
        return None


def remarks_on(record: Facts, every: Sequence[NumberBlock], *, most: int) -> list[str]:
    """Return what is to be known of the numbers that are shown first: what is no result first, how they were made last.

    every   all blocks of the record
    most    so many numbers of each block are shown
    """
    blocks = [block for block in every if block.is_first]
    shown = [each for block in blocks for each in block.numbers[:most]]
    found = [
        *map(unknown_line, blocks),
        *(line for block in blocks for line in (*bound_lines(block), *step_lines(block))),
        *(moved_line(shown), cut_line(shown), by_itself_line(blocks)),
        *(*person_lines(record), *complete_lines(record), *wide_lines(record)),
        *(margins_line(blocks), distribution_line(every), bounds_from_line(record)),
    ]
    return list(dict.fromkeys(filter(None, found)))


# What is declared of a statistic

MOST_DECLARED, LONGEST_CLAUSE = 12, 400  # names or edges in a clause, and its characters


def declared_clauses(statistic: Facts, *, cells: bool = True) -> list[str]:
    """Return what is declared of a statistic, and which rows are left out of it; nothing where that cannot be read.

    cells   with the names of its groups, categories and bins, which a table of its numbers has by itself
    """
    try:
        columns, tested = _counted(statistic), [condition_from(each).column for each in statistic.get("where", ())]
        found = [*_declared(columns, cells=cells), *_rules(columns), *map(_untested, tested)]
    except (SnapdpError, LookupError, TypeError, AttributeError):  # a record may be anybody's
        return []
    return list(dict.fromkeys(one_line(each, LONGEST_CLAUSE) for each in found if each))


def _counted(statistic: Facts) -> list[Column]:
    """Return the columns that decide in which number a row counts, and as what; a histogram may have its own edges."""
    own = [column_from(each) for each in statistic.get("columns", ())]
    if "edges" in statistic and isinstance(own[0], NumberColumn):
        own[0] = binned(own[0], edges=statistic["edges"], outside=statistic["outside"], null=statistic["missing"])
    groups = stated_groups(statistic)
    return own if groups is None else [*own, *groups.columns]


def _declared(columns: list[Column], *, cells: bool) -> Iterator[str]:
    for each in columns:
        if isinstance(each, BinnedColumn):
            edges = listed([_grouped(edge) for edge in each.edges], MOST_DECLARED)
            yield f"{each.cells} bins of {each.name} with the edges {edges}" if cells else ""
        elif isinstance(each, NumberColumn):
            yield f"{each.name} from {_grouped(each.lower)} to {_grouped(each.upper)}"
        elif isinstance(each, DateColumn):
            yield f"{each.name} from {each.first} to {each.last}, by {each.each}"
        elif cells and each.listed and each.categories:
            yield f"{len(each.categories):,} {each.called} of {each.name}{_names(each)}"


def _names(column: CategoryColumn) -> str:
    """Return the first categories of a column; of a list that is named by its digest nothing."""
    if isinstance(column.categories, Unlisted):
        return ""
    more = len(column.categories) - MOST_DECLARED
    names = ", ".join(map(key_text, column.categories[:MOST_DECLARED]))
    return f": {names} and {more:,} more" if more > 0 else f": {names}"


def _rules(columns: list[Column]) -> Iterator[str]:
    for each in columns:
        if isinstance(each, BinnedColumn):
            yield from (each.bins_in_words, each.others_in_words)
        elif isinstance(each, NumberColumn):
            yield each.missing_in_words
        else:
            yield each.others_in_words


def _untested(column: Column) -> str:
    """Return which rows meet no condition on a column."""
    if isinstance(column, CategoryColumn):
        return f"a row whose {column.name} is none of its {column.called}, or empty, meets no condition"
    return column.missing_in_conditions


def _grouped(number: Fraction) -> str:
    """Return a number with commas between its thousands where it is whole.

    >>> _grouped(Fraction(100000)), _grouped(Fraction(5, 2))
    ('100,000', '2.5')
    """
    return f"{number.numerator:,}" if number.denominator == 1 else exact_amount(number)
