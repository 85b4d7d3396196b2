"""The published numbers of a record: what each is, what it cost, and how people read it.

Everything here is read from the record. Terminal, report, notebook and files of values take numbers and costs from
`number_blocks`, so that none of them tells another story.

What a statistic cost is said of the statistic as a whole: its cells, and the parts it was drawn as, are paid for
together. A mean that follows from a sum and a count is the statistic that was paid for, and so are several that share
a count, together; what has a title of its own (shares, a standard deviation, a correlation) is free of charge.

A number is printed with as many digits as its noise leaves meaningful, ends of intervals outward, curves all alike.
What decides is half the length of an interval: of the number itself; of a share whose total is private, which has none,
that of its count; of a distribution the longest, so that what rises is printed rising.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any, NamedTuple

from snapdp.display.numbers import decimal_places, exact_amount, noise_digits, six_digits
from snapdp.errors import SnapdpError
from snapdp.exact.numbers import parameter
from snapdp.studies.declarations import groups_from, stated_levels
from snapdp.studies.grouping.margins import margin_text
from snapdp.studies.labels import BETWEEN, label_text, readable_cell, readable_keys, readable_title, told_apart
from snapdp.studies.protection import unit_nouns
from snapdp.studies.statistics.counts import PersonCount
from snapdp.studies.statistics.histogram import shares_are_of_n
from snapdp.studies.statistics.magnitudes import BOUNDS
from snapdp.studies.statistics.parts import MEAN_OF, SHARE
from snapdp.studies.statistics.quantiles import DISTRIBUTION, OWN_KEYS, QUANTILE, Quantiles
from snapdp.values import Facts, Value, Values, replaced

MOST_DECIMALS = 9  # of a quantile
FREE = "0"  # the epsilon of what is free of charge
_EACH = "count of each "  # of quantiles: so many levels
PART_WORDS = {
    "centred sum": "sum of distances",
    "centred squares": "sum of squared distances",
    "centred products": "sum of products of distances",
    "count at each level": "rows at each step",
}
Keys = tuple[tuple[str, str], ...]


class Number(NamedTuple):
    """One published number.

    value     what was drawn
    shown     the same, moved to what the statistic can be
    epsilon   of the statistic it belongs to, all cells and parts together; "0" where it is free of charge
    derived   whether it follows from others
    charged   the same epsilon on the first number that was asked for, "0" on the others of a statistic: these add up to
              what was charged
    share_of  of what it is a share; empty where it is none
    deviation the standard deviation of its error, where the record says it: of adjusted numbers
    keys      the columns that name its cell, and what they name it by; none where it is in no group
    places    decimals of the numbers that it is one of: a quantile is a multiple of its column's step; None for others
    digits_of half the length of an interval that decides its digits, where that is not its own: of a share whose total
              is private that of the counts, of a distribution the longest
    most      beyond which no end of an interval is printed, where rounding outward would: the largest end of a
              distribution, which is never beyond a public number of rows
    """

    statistic: str
    part: str
    cell: str
    value: float
    shown: float
    low: float | None
    high: float | None
    alpha: str
    epsilon: str
    derived: bool
    charged: str = FREE
    share_of: str = ""
    deviation: float | None = None
    keys: Keys = ()
    places: int | None = None
    digits_of: Decimal | None = None
    most: float | None = None

    @property
    def label(self) -> tuple[str, ...]:
        """Return what its cell is named by, a text for each key."""
        return tuple(text for _, text in self.keys)

    @property
    def printed(self) -> float:
        """Return the number that screens and pages show."""
        return self.shown

    @property
    def moved(self) -> bool:
        """Tell whether another number is shown than was drawn."""
        return self.printed != self.value

    @property
    def is_cut(self) -> bool:
        """Tell whether noise went so far beyond what the number can be that its interval is the end of that alone."""
        return self.moved and self.low == self.high == self.printed


class NumberBlock(Value):
    """The numbers of one part of a statistic, or of what is derived from it, in the order of its cells.

    place        the number of the statistic in the record
    name         of the part, or of what is derived: "count", "mean", "share"
    title        of what the numbers are, as the record has it; with the number of the statistic where another has it
    statistic    the title of the statistic, told apart likewise
    declared     the statistic, as the record has it
    parts        the names of all parts of the statistic
    derived      whether the numbers follow from others
    epsilon      as that of its numbers
    is_replaced  something derived has the title of the statistic and stands for its parts
    deviation    the standard deviation of each number, where the record says it: one for all, or a list
    are_kept     it is about rows of persons of whom no more than so many count
    units        what a count of persons counts
    """

    place: int
    name: str
    title: str
    statistic: str
    declared: Facts
    parts: tuple[str, ...]
    derived: bool
    epsilon: str
    is_replaced: bool
    numbers: tuple[Number, ...]
    deviation: float | Sequence[float] | None = None
    are_kept: bool = False
    units: str = "persons"

    @property
    def part(self) -> str:
        """Return which of several parts the numbers are; empty where they are a whole, as every margin is."""
        return self.numbers[0].part

    @property
    def readable_title(self) -> str:
        """Return the title as people read it."""
        return readable_title(self.title, self.declared)

    @property
    def readable(self) -> tuple[Number, ...]:
        """Return the numbers with the names of statistic and cell that people read."""
        return tuple(map(self._readable, self.numbers))

    def _readable(self, number: Number) -> Number:
        if not number.keys:
            return number._replace(statistic=self.readable_title, cell=readable_cell(number.cell, self.declared))
        texts = readable_keys(number.label, self.declared)
        keys = tuple(zip((name for name, _ in number.keys), texts, strict=True))
        cell = label_text(texts) if self.is_crossed else BETWEEN.join(texts)
        return number._replace(statistic=self.readable_title, cell=cell, keys=keys)

    @property
    def is_crossed(self) -> bool:
        """Tell whether cells are named by several columns."""
        return not isinstance(self.declared.get("by", {}), Mapping)

    @property
    def share_of(self) -> str:
        """Return of what the numbers are shares; empty where they are none."""
        return self.numbers[0].share_of

    @property
    def mean_of(self) -> str | None:
        """Return the column whose mean it is, where means of several are one statistic; None where they are not."""
        return self.name.removeprefix(MEAN_OF) if self.name.startswith(MEAN_OF) else None

    @property
    def is_made_of(self) -> bool:
        """Tell whether it is a part that something else stands for: a sum or a count behind means."""
        return bool(self.part) and self.mean_of is None

    @property
    def is_first(self) -> bool:
        """Tell whether people ask for it first: a mean, not its sum and count; adjusted margins; no shares or curve."""
        return self.name not in (SHARE, DISTRIBUTION) if self.derived else not (self.is_replaced or self.is_margin)

    @property
    def is_ranked(self) -> bool:
        """Tell whether it belongs to quantiles: these, the distribution, and the counts that both are read off."""
        return bool(self.declared["kind"] == Quantiles.kind)

    @property
    def is_one_quantile(self) -> bool:
        """Tell whether it is quantiles at one share, which no cell names then."""
        return self.name == QUANTILE and len(self.declared.get("at", ())) == 1

    def told_cell(self, number: Number) -> str:
        """Return the cell of a number where other statistics stand beside it: of quantiles with the word before it."""
        if self.name != QUANTILE or not self.is_ranked or self.is_one_quantile:
            return number.cell
        *groups, share = number.label or (number.cell,)
        texts = (*groups, f"{QUANTILE} {share}")
        return label_text(texts) if self.is_crossed else BETWEEN.join(texts)

    @property
    def own_key(self) -> str:
        """Return what names its cells beside their groups: "quantile", "up to"; empty where a column does."""
        return OWN_KEYS.get(self.name, "") if self.is_ranked else ""

    @property
    def is_single(self) -> bool:
        """Tell whether it is one number, without a cell; a category without a name is a cell among others."""
        return [each.cell for each in self.numbers] == [""]

    @property
    def is_margin(self) -> bool:
        """Tell whether it is one of the margins of a table, measured or adjusted."""
        return "margins" in self.declared


def number_blocks(record: Facts) -> Iterator[NumberBlock]:
    """Yield every block of numbers that a record itself holds; long ones are in their side files.

    No two statistics have blocks of one title: what is drawn or derived keeps its own, unless another has it.
    """
    derived: dict[int, list[Values]] = {}
    for block in record["derived"]:
        derived.setdefault(block["statistic"], []).append(block)
    names = told_apart(each["title"] for each in record["statistics"])
    owners = {name: place for place, name in enumerate(names)}
    for place, statistic in enumerate(record["statistics"]):
        # Of what the shares of a histogram are shares, in words.
        conditional, missing = "where" in statistic, statistic.get("missing")
        of_n = shares_are_of_n(record["relation"], conditional=conditional, missing=missing)
        whole = f"all {record['n']} rows" if of_n else "all counts together"
        share_of = f"{whole}, of all groups" if "by" in statistic else whole
        blocks = digits_alike(list(_blocks(place, names[place], statistic, derived.get(place, []), share_of)))
        if counts_kept_rows(record, statistic):
            blocks = [replaced(each, are_kept=True) for each in blocks]
        if isinstance(record.get("person"), (list, tuple)):
            blocks = [replaced(each, units=unit_nouns(record["person"])) for each in blocks]
        yield from (_named(block, owners) for block in _charged(blocks, statistic["epsilon"]))


def counts_kept_rows(record: Facts, statistic: Facts) -> bool:
    """Tell whether a statistic is about rows of persons of whom no more than so many count."""
    return "person" in record and statistic["kind"] != PersonCount.kind


def long_blocks(record: Facts) -> Iterator[tuple[str, str]]:
    """Yield the name of every side file, and what its numbers are, as people read it."""
    names = told_apart(each["title"] for each in record["statistics"])
    for statistic, name in zip(record["statistics"], names, strict=True):
        for part in statistic["parts"]:
            several = len(statistic["parts"]) > 1 and "margin" not in part
            titled = name + (f", {part_in_words(part['name'])}" if several else "")
            title = _title(statistic, part) if "margin" in part else titled
            if "file" in part:
                yield part["file"]["name"], readable_title(title, statistic)
    for block in record["derived"]:
        if "file" in block:
            yield block["file"]["name"], readable_title(block["title"], record["statistics"][block["statistic"]])


def part_in_words(name: str) -> str:
    """Return what a part is, as people read it.

    >>> part_in_words("centred sum of pay"), part_in_words("count of each 324 levels"), part_in_words("count")
    ('sum of distances of pay', 'rows in each 324 steps', 'count')
    """
    if name.startswith(_EACH):
        return f"rows in each {name.removeprefix(_EACH).removesuffix(' levels')} steps"
    kind, of, column = name.partition(" of ")
    return PART_WORDS.get(kind, kind) + of + column


def _named(block: NumberBlock, owners: dict[str, int]) -> NumberBlock:
    """Return a block under a title that no other statistic has; remember whose it is."""
    title = block.statistic if block.title == block.declared["title"] else block.title
    while owners.setdefault(title, block.place) != block.place:
        title = f"{title} ({block.place + 1})"
    numbers = tuple(each._replace(statistic=title) for each in block.numbers)
    return block if title == block.title else replaced(block, title=title, numbers=numbers)


def _blocks(place: int, named: str, statistic: Facts, derived: Sequence[Facts], share_of: str) -> Iterator[NumberBlock]:
    """Yield the blocks of one statistic."""
    title, parts = statistic["title"], tuple(part["name"] for part in statistic["parts"])
    is_replaced = any(block["title"] == title for block in derived)
    own = [(part, _title(statistic, part), statistic["alpha"], False) for part in statistic["parts"]]
    made = [(each, each["title"], each["alpha"], True) for each in derived]
    in_order = [*made, *own] if statistic["kind"] == Quantiles.kind else [*own, *made]  # what was asked for is first
    for block, titled, alpha, follows in in_order:
        if "file" in block:
            continue
        epsilon = statistic["epsilon"] if titled == title or not follows else FREE
        whole = follows or len(parts) == 1 or "margin" in block
        part = "" if whole and not block["name"].startswith(MEAN_OF) else block["name"]
        base = share_of if follows and block["name"] == SHARE else ""
        like = Number(titled, part, "", 0, 0, None, None, alpha, epsilon, follows, share_of=base)
        like = like._replace(places=_places(statistic, block))
        numbers = list(_numbers(block, like, _keys(_grouped(statistic, block), block)))
        if not numbers:
            continue
        yield NumberBlock(
            place=place,
            name=block["name"],
            title=titled,
            statistic=named,
            declared=_grouped(statistic, block),
            parts=parts,
            derived=follows,
            epsilon=epsilon,
            is_replaced=is_replaced,
            numbers=tuple(numbers),
            deviation=block.get("deviation"),
        )


def _charged(blocks: list[NumberBlock], epsilon: str) -> list[NumberBlock]:
    """Return the blocks of one statistic; the first number that was asked for carries what they all cost."""
    paid = next((place for place, block in enumerate(blocks) if block.is_first), 0)
    for place, block in enumerate(blocks):
        if place == paid:
            first, *others = block.numbers
            blocks[place] = replaced(block, numbers=(first._replace(charged=epsilon), *others))
    return blocks


def _title(statistic: Facts, part: Facts) -> str:
    """Return the title of a part: that of the statistic, or of the margin that it is."""
    title = str(statistic["title"])
    if "margin" not in part or "by" not in statistic:
        return title
    by = ", ".join(column["name"] for column in _columns(statistic["by"]))
    return f"{title.removesuffix(f' by {by} with margins')} {margin_text(part['margin'])}"


def _grouped(statistic: Facts, block: Facts) -> Facts:
    """Return what is declared of the cells of a block: the statistic, and of a margin only the columns it is by."""
    if "margin" not in block:
        return statistic
    columns = _columns(statistic.get("by", ()))
    named = {each["name"]: each for column in columns for each in (column, *stated_levels(column))}
    by = [named[name] for name in block["margin"] if name in named]
    others = {key: value for key, value in statistic.items() if key != "by"}
    return {**others, "by": by[0] if len(by) == 1 else by} if by else others


def _columns(by: Any) -> Sequence[Facts]:
    return [by] if isinstance(by, Mapping) else by


def _numbers(block: Facts, like: Number, keys: Sequence[Keys]) -> Iterator[Number]:
    deviation = block.get("deviation")
    each = deviation if isinstance(deviation, list) else [deviation] * len(block["value"])
    columns = (block["cell"], keys, block["value"], block["shown"], block["low"], block["high"], each)
    for label, named, value, shown, low, high, spread in zip(*columns, strict=True):
        cell = label if isinstance(label, str) else label_text(tuple(label))
        yield like._replace(cell=cell, keys=named, value=value, shown=shown, low=low, high=high, deviation=spread)


def _places(statistic: Facts, block: Facts) -> int | None:
    """Return the decimals that write every quantile of a column exactly; None where none do, or very many."""
    if statistic["kind"] != Quantiles.kind or block["name"] != QUANTILE:
        return None
    try:
        column = statistic["columns"][0]
        step = column.get("step", "1")
        found = [decimal_places(parameter(each, name="step")) for each in (column["lower"], step)]
    except (SnapdpError, LookupError):  # a record may be anybody's
        return None
    known = [each for each in found if each is not None]
    return max(known) if len(known) == 2 and max(known) <= MOST_DECIMALS else None


def _own_names(statistic: Facts, block: Facts) -> tuple[str, ...]:
    """Return what names a cell beside its groups: the columns of the statistic, or what quantiles call it."""
    if statistic["kind"] != Quantiles.kind or block["name"] not in OWN_KEYS:
        return tuple(column["name"] for column in statistic.get("columns", ()))
    name, grouped = OWN_KEYS[block["name"]], [column["name"] for column in _columns(statistic["by"])]
    return (f"{name} of {statistic['columns'][0]['name']}" if name in grouped else name,)


def _keys(statistic: Facts, block: Facts) -> Sequence[Keys]:
    """Return for each cell the columns that name it, and by what; nothing where there are no groups."""
    cells = block["cell"]
    if "by" not in statistic:
        return [()] * len(cells)
    by = statistic["by"]
    own = _own_names(statistic, block)
    if not isinstance(by, Mapping):
        names = (*(column["name"] for column in by), *own)
        return [() if isinstance(cell, str) else tuple(zip(names, cell, strict=False)) for cell in cells]
    try:
        groups = groups_from(by).labels
    except SnapdpError:  # a record may be anybody's
        return [()] * len(cells)
    in_each = max(1, len(cells) // len(groups))  # the cells of a histogram, groups outermost
    named = [str(groups[min(place // in_each, len(groups) - 1)]) for place in range(len(cells))]
    return [_key_of((by["name"], *own), group, str(cell)) for group, cell in zip(named, cells, strict=True)]


def _key_of(names: Sequence[str], group: str, cell: str) -> Keys:
    """Return what names a cell of one group: its text is that of the group, and of a histogram's cell behind it."""
    if cell == group:
        return ((names[0], group),)
    if len(names) == 2 and cell.startswith(group + BETWEEN):
        return ((names[0], group), (names[1], cell.removeprefix(group + BETWEEN)))
    return ()


def shown_amount(text: str) -> str:
    """Return an epsilon or a level of a record: as a short decimal where it is one; what is no number as it is."""
    try:
        return exact_amount(parameter(text, name="amount"))
    except SnapdpError:
        return text


# Digits

WHOLE = Decimal(10)  # half the length of an interval whose ends are printed as whole numbers
CUT_MARK = "*"  # behind an interval of which only the end of what is possible is left


def digits_alike(blocks: list[NumberBlock]) -> list[NumberBlock]:
    """Return the blocks of one statistic; for points of a distribution, and shares without intervals, with what decides
    on their digits.
    """
    for place, block in enumerate(blocks):
        if block.derived and block.name == DISTRIBUTION and block.is_ranked:
            # The points of a distribution with one number of digits; numbers of rows are whole, at the finest.
            numbers = block.numbers
            longest = max(map(half_width, numbers))
            most = max((each.high for each in numbers if each.high is not None), default=None)
            blocks[place] = replaced(
                block, numbers=tuple(each._replace(digits_of=max(longest, WHOLE), most=most) for each in numbers)
            )
        elif block.derived and block.name == SHARE and all(each.low is each.high is None for each in block.numbers):
            counts = next((each for each in blocks if not each.derived and are_alike(each, block)), None)
            if counts is not None:
                blocks[place] = replaced(block, numbers=_as_their_counts(block.numbers, counts.numbers))
    return blocks


def are_alike(block: NumberBlock, other: NumberBlock) -> bool:
    """Tell whether two blocks have the same cells, as shares and their counts have."""
    return [each.cell for each in block.numbers] == [each.cell for each in other.numbers]


def _as_their_counts(shares: Sequence[Number], counts: Sequence[Number]) -> tuple[Number, ...]:
    """Return shares with the digits that the noise of their counts leaves meaningful, in parts of their total."""
    pairs = ((share.value, count.value) for share, count in zip(shares, counts, strict=True))
    total = next((abs(Decimal(repr(count)) / Decimal(repr(share))) for share, count in pairs if share and count), None)
    if total is None:
        return tuple(shares)
    longest = max(map(half_width, counts)) / total  # one cut at zero is no measure of the noise
    return tuple(each._replace(digits_of=longest or None) for each in shares)


def half_width(number: Number) -> Decimal:
    """Return half the length of the interval of a number; 0 where there is none."""
    if number.low is None or number.high is None:
        return Decimal(0)
    return (Decimal(repr(number.high)) - Decimal(repr(number.low))) / 2


def shown_row(number: Number) -> tuple[str, str, str]:
    """Return statistic, value and interval as people read them."""
    title = number.statistic + (f", {number.part}" if number.part else "")
    title += f" [{number.cell}]" if number.cell else ""
    return title, *shown_pair(number)


def shown_pair(number: Number) -> tuple[str, str]:
    """Return value and interval of a number for people."""
    return shown_value(number), shown_interval(number)


def shown_value(number: Number) -> str:
    """Return the number for people, with the digits that its noise leaves meaningful: it stays in its interval."""
    if number.places is not None:
        return _decimals(number.printed, number.places)
    if number.low is None or number.high is None:
        if number.digits_of is None:
            return six_digits(number.printed)
        return noise_digits(number.printed, half_width=number.digits_of)
    half = _digits_of(number)
    text = noise_digits(number.printed, half_width=half)
    if number.digits_of is not None:  # ends are rounded likewise, so it stays between them
        return _at_most(text, number)
    if Decimal(text) > Decimal(repr(number.high)):
        return noise_digits(number.printed, half_width=half, rounding=ROUND_FLOOR)
    if Decimal(text) < Decimal(repr(number.low)):
        return noise_digits(number.printed, half_width=half, rounding=ROUND_CEILING)
    return text


def shown_interval(number: Number) -> str:
    """Return the interval for people, its ends rounded outward; empty where there is none.

    A mark behind it says that noise left nothing of it but the end of what the number can be: that is no certainty.
    """
    if number.low is None or number.high is None:
        ends = (("from", number.low), ("to", number.high))
        return "".join(f"{side} {six_digits(end)}" for side, end in ends if end is not None)
    if number.places is not None:
        return f"{_decimals(number.low, number.places)} to {_decimals(number.high, number.places)}"
    half = _digits_of(number)
    low = noise_digits(number.low, half_width=half, rounding=ROUND_FLOOR)
    high = noise_digits(number.high, half_width=half, rounding=ROUND_CEILING)
    return f"{low} to {_at_most(high, number)}{CUT_MARK * number.is_cut}"


def _digits_of(number: Number) -> Decimal:
    if number.digits_of is None:
        return half_width(number)
    return WHOLE if number.low == number.high else number.digits_of  # a public number of rows is printed as it is


def _at_most(text: str, number: Number) -> str:
    """Return a number as it is printed, unless rounding took it beyond what no end of its table passes."""
    if number.most is None or Decimal(text) <= Decimal(repr(number.most)):
        return text
    return noise_digits(number.most, half_width=WHOLE, rounding=ROUND_CEILING)


def _decimals(x: float, places: int) -> str:
    """Return a number that so many places write exactly; the double that stands for it may lie beside it."""
    return f"{Decimal(repr(x)):.{places}f}"


# Groups by two columns as a cross table: one column down, the other across

MOST_ACROSS, MOST_DOWN, NARROW = 12, 60, 6  # of a cross table; so many stand side by side before it is turned


class Crossed(Value):
    """Which number of a block stands where.

    down, across   the names of the two columns
    rows, heads    what names a row, and a column
    places         of the numbers in the block, row by row
    """

    down: str
    across: str
    rows: tuple[str, ...]
    heads: tuple[str, ...]
    places: tuple[tuple[int, ...], ...]


def crossed(block: NumberBlock) -> Crossed | None:
    """Return how the numbers of a block stand in a cross table; None where they are no such table, or a large one."""
    numbers = block.readable
    if {len(each.label) for each in numbers} != {2} or block.name == BOUNDS:
        return None
    down, across = (tuple(dict.fromkeys(each.label[place] for each in numbers)) for place in (0, 1))
    if [each.label for each in numbers] != [(a, b) for a in down for b in across]:
        return None
    first, second = (name for name, _ in numbers[0].keys)
    wide = len(across)
    places = tuple(tuple(range(row * wide, (row + 1) * wide)) for row in range(len(down)))
    if wide > max(NARROW, len(down)):
        first, second, down, across, places = second, first, across, down, tuple(zip(*places, strict=True))
    if not 1 < len(across) <= MOST_ACROSS or not 1 < len(down) <= MOST_DOWN:
        return None
    return Crossed(down=first, across=second, rows=down, heads=across, places=places)
