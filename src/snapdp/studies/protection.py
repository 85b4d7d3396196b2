"""What a release protects, in words: the privacy unit, and one sentence for each neighbour relation and unit.

Holds no data. Plans, reports, pages, ledgers and help take these sentences from here and compose none of their own. A
sentence is Bayes' rule at even odds: of two neighbouring tables that are equally likely beforehand, no output makes
either more likely than e**epsilon / (1 + e**epsilon), which is rounded up. Theory: planning (39), (40).

    change-one     two values of one row. That the row is there is not protected.
    add-remove     whether a unit is in the table. Two values of a unit are two steps apart, which takes 2 epsilon.

The unit is a row, several rows together, a person (one column), or what several columns name together: "user and day".
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from snapdp.display.numbers import exact_amount
from snapdp.display.text import guessed_right, one_line
from snapdp.studies.relation import Person, declared_in, listed_names, person_in, person_names

if TYPE_CHECKING:
    from snapdp.studies.categories import DateColumn
    from snapdp.studies.relation import Relation

EVEN, SURE = 50, 100  # percent
LONGEST_NAME = 80  # characters of a column in a sentence
COUNTED = "rows that count"
ROWS_LEFT_OUT = "rows beyond are left out of every number"
RIGHT_EVERY_TIME = "could be right every time"


# The unit


def unit_noun(person: Person | list[str] | None) -> str:
    """Return what the columns of a unit name: a person, if one column does.

    >>> unit_noun("id"), unit_noun(("user", "day")), unit_noun(None)
    ('person', 'user and day', 'row')
    """
    if person is None:
        return "row"
    return "person" if isinstance(person, str) else _join(person)


def unit_nouns(person: Person | list[str] | None) -> str:
    """Return the plural of `unit_noun`.

    >>> unit_nouns("id"), unit_nouns(("user", "day"))
    ('persons', 'combinations of user and day')
    """
    noun = unit_noun(person)
    return f"{noun}s" if person is None or isinstance(person, str) else f"combinations of {noun}"


def unit_in_words(unit: str) -> str:
    """Return the unit of an account for people; part of the digest tells units apart whose columns are declared.

    >>> unit_in_words('person (["carrier","flight"])'), unit_in_words('person (["a, b","c"])'), unit_in_words("row")
    ('carrier and flight', '"a, b" and c', 'row')
    """
    person, digest = person_in(unit), declared_in(unit)
    if person is None or (isinstance(person, str) and not digest):
        return unit
    names = _join([listed_names([each]) for each in person_names(person)])
    return f"{names}, as declared ({digest[:8]})" if digest else names


def person_in_words(person: Person | list[str]) -> str:
    """Return the columns that name a person, for people."""
    return person if isinstance(person, str) else _join(person)


def _join(names: Sequence[str]) -> str:
    shown = list(map(_show, names))
    return f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else shown[0]


def _show(name: str) -> str:
    """Return a name of a column, which is anybody's text, as a sentence can have it."""
    return one_line(name, LONGEST_NAME)


# What is protected


def describe_protected(relation: Relation, *, subject: str = "") -> str:
    """Return what is protected, as a sentence; without a subject it begins with "Protects".

    >>> from snapdp.studies.relation import add_remove, change_one
    >>> describe_protected(change_one(n=5000), subject="This report")
    'This report protects the values in any one row; the number of rows, 5,000, is public.'
    >>> describe_protected(add_remove(n_max=9000, person=["user", "day"])).partition(";")[0]
    'Protects the presence of any one user and day, with all rows of that user and day'
    """
    verb = f"{subject} protects" if subject else "Protects"
    if relation.is_change_one:
        return f"{verb} the values in any one row; the number of rows, {relation.rows:,}, is public."
    what, premise = "any one row", ""
    if relation.person is not None:
        noun = unit_noun(relation.person)
        named = f" ({_show(relation.person)})" if isinstance(relation.person, str) else ""
        what = f"any one {noun}{named}, with all rows of that {noun}"
    elif relation.unit_rows > 1:
        what, premise = f"any {relation.unit_rows} rows together", f" {believed(relation.unit_rows)}"
    private = f"the number of rows is private, at most {relation.rows:,} are counted."
    return f"{verb} the presence of {what}; {private}{premise}"


def explain_protection(relation: Relation, epsilon: Fraction, *, results: str = "the results") -> str:
    """Return the protection sentence: what an epsilon allows someone to learn who knows everything but the secret.

    results   what was released at this epsilon, in the plural, where it is not all that a reader sees

    Where several columns make the unit, what someone with several units has is said as well.

    >>> from snapdp.studies.relation import change_one
    >>> explain_protection(change_one(n=5000), Fraction(1))
    'Suppose someone knows every other row and thinks two values for this one equally likely: the results raise their \
chance of picking the right one from 50% to at most 74%.'
    """
    told = _explain(*_secret(relation), epsilon, results)
    more = explain_several_units(relation, epsilon)
    return f"{told} {more}" if more else told


def explain_other_unit(unit: str, *, is_change_one: bool, epsilon: Fraction, results: str = "the results") -> str:
    """Return the protection sentence of an account with a unit that no column is known for, such as "household"."""
    unit = _show(unit)
    others = f"all rows of others than this {unit}"
    if is_change_one:
        return _explain(f"{others} and thinks two versions of its own equally likely", True, epsilon, results)
    return _explain(f"{others} and {_present(f'this {unit} is')}", False, epsilon, results)


def explain_several_units(relation: Relation, epsilon: Fraction) -> str:
    """Return what someone has who appears in k units made of several columns; empty for any other unit.

    Where one column is a declared date, k is at most the number of its values.                   theory: planning (40)
    """
    dates = relation.date_column
    if dates is None:
        several = len(relation.person_columns) > 1
        nouns = unit_nouns(relation.person)
        return f"Someone who appears in k {nouns} has k times this epsilon." if several else ""
    most = relation.most_units
    assert most is not None
    if most == 1:
        return ""
    who, on = _others(relation, dates), _preposition(dates)
    right = guessed_right(most * epsilon)
    sure = f"has a chance of at most {right}% of telling which, up from {EVEN}%"
    return (
        f"Any {who} present {on} k {dates.each}s has k times this epsilon: up to {exact_amount(most * epsilon)}, for "
        f"{_all_values(dates)}. Someone who thinks it equally likely that the same {who} is present {on} all of them "
        f"or {on} none {RIGHT_EVERY_TIME if right == SURE else sure}."
    )


def describe_most_units(relation: Relation) -> str:
    """Return who has the most units that a declared date allows: "for any user present on all 31 days declared"."""
    dates = relation.date_column
    assert dates is not None
    return f"for any {_others(relation, dates)} present {_preposition(dates)} {_all_values(dates)}"


def describe_chance(epsilon: Fraction) -> str:
    """Return what becomes of an even chance, as a clause about the someone of the protection sentence.

    >>> describe_chance(Fraction(1)), describe_chance(Fraction(6))
    ('their chance rises from 50% to at most 74%', 'they could be right every time')
    """
    if guessed_right(epsilon) == SURE:
        return f"they {RIGHT_EVERY_TIME}"
    return f"their chance rises {describe_rise(epsilon)}"


def describe_rise(epsilon: Fraction) -> str:
    """Return from where to where an even chance may rise, in short.

    >>> describe_rise(Fraction(1)), describe_rise(Fraction(6))
    ('from 50% to at most 74%', 'from 50%: could be right every time')
    """
    right = guessed_right(epsilon)
    return f"from {EVEN}%: {RIGHT_EVERY_TIME}" if right == SURE else f"from {EVEN}% to at most {right}%"


def _secret(relation: Relation) -> tuple[str, bool]:
    """Return what someone knows and thinks equally likely, and whether they pick a value."""
    if relation.is_change_one:
        return "every other row and thinks two values for this one equally likely", True
    if relation.person is None and relation.unit_rows == 1:
        return f"every other row and {_present('this row is')}", False
    if relation.person is None:
        return f"every other row and {_present(f'these {relation.unit_rows} rows are')}", False
    if isinstance(relation.person, str):
        return f"everyone else's rows and {_present('this person is')}", False
    noun = unit_noun(relation.person)
    return f"all rows but those of one {noun} and {_present('these are')}", False


def _present(subject: str) -> str:
    return f"thinks it equally likely that {subject} in the table or not"


def _explain(knows: str, picks: bool, epsilon: Fraction, results: str) -> str:
    suppose, what = f"Suppose someone knows {knows}", "picking the right one" if picks else "telling which"
    if guessed_right(epsilon) == SURE:
        return f"{suppose}: after seeing {results} they {RIGHT_EVERY_TIME}."
    return f"{suppose}: {results} raise their chance of {what} {describe_rise(epsilon)}."


def _others(relation: Relation, dates: DateColumn) -> str:
    """Return what the other columns of a unit name, which may have many dates."""
    names = [name for name in relation.person_columns if name != dates.name]
    return _join(names) if names else "person"


def _preposition(dates: DateColumn) -> str:
    return "on" if dates.each == "day" else "in"


def _all_values(dates: DateColumn) -> str:
    return f"all {dates.cells:,} {dates.each}s declared"


# What counts of a unit


def rows_clause(person: Person | list[str] | None, most: int) -> str:
    """Return how many rows of each unit a statistic takes account of.

    >>> rows_clause("id", 3)
    'at most 3 rows of each person count; rows beyond are left out of every number'
    """
    rows = f"at most {most} row{'s' * (most > 1)} of each {unit_noun(person)}"
    return f"{rows} count{'s' * (most == 1)}; {ROWS_LEFT_OUT}"


def rows_that_count(person: Person | list[str] | None, most: int) -> str:
    """Return of which rows a statistic is one, where units have more of them than count.

    >>> rows_that_count("id", 3)
    'the rows that count: at most 3 of each person'
    """
    return f"the {COUNTED}: at most {most} of each {unit_noun(person)}"


def groups_clause(person: Person | list[str] | None, most: int | None, *, margins: bool = False) -> str:
    """Return how often a unit is counted; `most` is None where there are no groups.

    margins   of the table by these groups are released beside it

    >>> groups_clause("id", None), groups_clause(("user", "day"), 2)
    ('each person counts once', 'each user and day counts once in each of at most 2 groups, which do not add up')
    """
    noun = unit_noun(person)
    if most is None:
        return f"each {noun} counts once"
    if most == 1:
        return f"each {noun} counts in 1 group" + ", the same in all margins" * margins
    return f"each {noun} counts once in each of at most {most} groups, which do not add up"


def believed(rows: int) -> str:
    """Return what is not known of a unit of several rows, as a sentence."""
    return f"snapdp cannot check that nobody has more than {rows} rows."
