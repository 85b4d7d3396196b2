"""`snapdp help`: a topic in plain words, or the help page of a command.

Topics come first, because `bounds` and `epsilon` are not commands. Each text fits 80 columns, its numbers are computed,
and it ends with a command that a test runs next to the files of the demo.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from difflib import get_close_matches
from fractions import Fraction

import click

from snapdp.cli.groups import json_option
from snapdp.cli.screen import echo, echo_json
from snapdp.display.text import guessed_right


@click.command("help", epilog="\b\nExamples:\n  snapdp help\n  snapdp help epsilon\n  snapdp help ledger create")
@click.argument("words", metavar="[TOPIC]", nargs=-1)
@json_option()
@click.pass_context
def help_command(ctx: click.Context, /, words: tuple[str, ...], as_json: bool) -> None:
    """Explain a word that plans and reports use, or show the help page of a command.

    Without TOPIC the topics are listed.
    """

    topic = TOPIC_OF.get(words[0].lower()) if len(words) == 1 else None
    command = None if topic in words else _page(ctx, words)  # of `check` and `bounds` what bears the very name
    text = command or (topic and TOPICS[topic]())
    if words and not text:
        raise click.UsageError(_unknown(" ".join(words), [*TOPIC_OF]))
    if as_json:
        echo_json({"ok": True, **({"text": text} if text else {"topics": ABOUT})})
    else:
        echo((text or _listed(ABOUT)).rstrip("\n"))


def _page(ctx: click.Context, words: tuple[str, ...]) -> str | None:
    """Return the help page of the command that some words call; None where they call none."""
    found = ctx.find_root()
    for name in words:
        group = found.command
        command = group.get_command(found, name) if isinstance(group, click.Group) else None
        if command is None:
            return None
        found = click.Context(command, info_name=name, parent=found)
    return found.get_help() if words else None


def _listed(about: dict[str, str]) -> str:
    lines = "\n".join(f"    {topic:<12}{told}" for topic, told in about.items())
    return (
        f"Topics, each on one screen:\n\n{lines}\n\n"
        "Type snapdp help epsilon for one of them, snapdp help plan for the page of a\n"
        "command, snapdp --help for the list of commands."
    )


def _unknown(word: str, known: list[str]) -> str:

    near = get_close_matches(word.lower(), known, n=1, cutoff=0.7)
    topics = f" Topics: {', '.join(ABOUT)}."
    meant = f" Did you mean: snapdp help {near[0]}" if near else ""
    return f"There is no topic and no command '{word}'.{meant or topics}"


# Topics

EPSILONS = ("0.1", "0.2", "0.5", "1", "2", "3")
WIDTH = 80


def epsilon_text() -> str:
    """Return what epsilon means: to what it may raise an even chance of guessing right."""
    from snapdp.studies.protection import explain_protection
    from snapdp.studies.relation import add_remove, change_one

    chances = "\n".join(f"      {each:>5}   {guessed_right(Fraction(each)):>3}%" for each in EPSILONS)
    private, public = (
        textwrap.fill(explain_protection(each, Fraction(1)), WIDTH) for each in (add_remove(n_max=1), change_one(n=1))
    )
    return f"""\
epsilon: what may be learned about one person

If the number of rows is private, an epsilon of 1 means this:
{private}
If it is public:
{public}
With other epsilons, 50% rises to at most

    epsilon   chance
{chances}

If the number of rows is private, the chance of telling two values of a row
apart is that of twice the epsilon. Epsilon is a budget: what several releases
cost adds up, so epsilon 0.5 today and 0.5 next year are epsilon 1 together. A
ledger keeps the account, and refuses what is beyond its cap.

A smaller epsilon hides more and makes numbers less exact; half of it makes the
error of a number about twice as large. At most 1 for all that is ever published
about a table is a cautious choice; above 3 little is hidden. More rows help:
with ten times the people a mean is ten times as exact at the same epsilon.

To see what an epsilon is worth before anything is spent:

    snapdp plan --mean age --bounds 0,120 --missing dropped --n 5000 \\
        --epsilon 0.5
"""


def neighbours_text() -> str:
    """Return who is protected, and how it is said."""
    return """\
neighbours: who is protected, and from what

A release promises that the published numbers would look much the same had one
person's data been different. What "different" means is declared once, in the
study and in the ledger. There are two promises:

    relation = "change-one", n = 5000
        The number of rows is public. Which values a row has is protected.

    relation = "add-remove", n_max = 10000
        The number of rows is private; n_max is a public number that it does
        not exceed. Whether a row is in the table at all is protected.

Take the second where it would tell something that a person is in the table: a
register of patients, a list of debtors.

If a person can have several rows, say which column names the person:
person = "customer" protects all of a person's rows together, and
rows_per_person says how many of them count. Without it one row is protected,
and for a person with ten rows an epsilon of 0.5 is one of 5. With
person = ["customer", "day"] one customer and day is protected: a customer
present on ten days has ten times epsilon.

Two tables that differ in one such row or person are called neighbours.
The same statistic under both promises:

    snapdp plan --count --where "age>=65" --bounds age=0,120 --missing dropped \\
        --n 5000 --epsilon 0.5
    snapdp plan --count --where "age>=65" --bounds age=0,120 --missing dropped \\
        --n-max 10000 --epsilon 0.5
"""


def bounds_text() -> str:
    """Return where bounds come from, and what they do."""
    return """\
bounds: the range that a column may have

A mean or a sum needs to know how far one person could move it. So each column
of numbers has public bounds: lower = 0, upper = 120 for ages. A value outside
counts as the nearest bound; no row is lost by it.

Bounds are something you know without the table: an age lies between 0 and 120,
an hourly wage between 0 and 500. Never take the smallest and the largest value
of the table: they belong to two persons, and publishing them tells about both.

Wide bounds are safe and cost exactness: the error of a mean grows with their
width. Narrow bounds cut off: incomes above the upper bound all count as that
bound, and the mean comes out too low. Take the narrowest that hold nearly all.

Where nobody can say what a column holds, a small part of the budget finds out.
This is charged like a release, so its answer may be used:

    snapdp explore people.csv --columns income --epsilon 0.1 --n 5000 \\
        --ledger people.ledger
"""


def missing_text() -> str:
    """Return what may stand in for a cell that has no number."""
    return """\
missing: what counts where a cell has no number

Empty cells, NA and texts that are no number are missing. What they count as is
declared for each column of numbers, because it changes what is published:

    missing = "dropped"   The row is left out: the mean of those who answered.
                          How many these are is private, so a mean is made of
                          a sum and a count, both with noise.
    missing = "middle"    The middle of the bounds stands in, for everybody
                          without a number: 60 for ages from 0 to 120. The
                          count is known then, and the mean more exact; but it
                          is pulled towards the middle.
    missing = 0           This public number stands in: right where an empty
                          cell means none, as in a column of allowances.

In histograms rows without a value are left out (dropped), or get a bin of
their own (binned). In groups the same is said of the column of the groups.

How many cells are missing can be seen by whoever may read the table. It is
free, and its answer is not to be published:

    snapdp inspect people.csv
"""


def interval_text() -> str:
    """Return how far a published number may be from the table's."""
    return """\
interval: how far a number may be from the table's

Every released number has noise in it, and says how much: 47.2 ± 0.5 means that
in 95 of 100 releases the number is within ± 0.5 of the one in the table. A
plan shows this before anything is spent, since it depends on nothing private.

The interval is about the noise alone. It does not say how far the table is
from a population that it is a sample of, nor what was left out, cut off by
bounds or filled in. For those add an error of sampling that was not computed
from this table, or from a variance that was released: how much its values
spread tells about the rows, too.

95 % is a choice. --alpha says in which share of releases the number may be
further off: --alpha 0.05 is 95 %, --alpha 0.1 is 90 %. It changes how the noise
is described, not the noise: the cost is the same.

Several numbers at once: with 20 intervals of 95 % each, one of them may well
miss. Where all 20 must hold together in 95 of 100 releases give --alpha 0.0025,
which is 0.05 / 20.

How exact would it be, and what would it cost to be exact to ± 0.3?

    snapdp plan --mean age --bounds 0,120 --missing middle --n 5000 \\
        --accuracy 0.3
"""


def delta_text() -> str:
    """Return what weaker measures promise, and what they are shown for."""
    return """\
delta: what a weaker promise leaves out

snapdp charges epsilon alone, and epsilon promises the same of every release:
whatever is published, nobody learns more than it allows. After many releases
the sum of their epsilons is still true, but it reckons with the worst case in
every one of them at once, which hardly ever happens.

A weaker promise leaves such rare cases out. "epsilon 4.7 with delta 0.000001"
means: nothing becomes more likely than epsilon 4.7 allows by more than one in a
million. The chance that somebody learns more than epsilon 4.7 allows can be
some times as large, and then there may be no limit. So delta has to be
small: well below one divided by the number of persons in the table.

zCDP with rho is another weaker promise. It has no delta of its own: it says how
quickly the chance of learning more falls, and a smaller rho promises more.
Other tools ask for it; to compare two releases take epsilon and delta.

Both are shown and never charged. They gain something where there are many
small releases: 100 counts at epsilon 0.1 have the sum 10, and are epsilon 4.7
with delta 0.000001. For a few releases the sum is as good. They are true only
where it was settled before the first answer how often would be asked, which
kinds of statistics, and at which epsilon. The sum is true in any case.

What they say of all that an account was charged:

    snapdp ledger composed people.ledger --delta 1e-9
"""


TOPICS: dict[str, Callable[[], str]] = {
    "epsilon": epsilon_text,
    "neighbours": neighbours_text,
    "bounds": bounds_text,
    "missing": missing_text,
    "interval": interval_text,
    "delta": delta_text,
}
ABOUT = {
    "epsilon": "what may be learned about one person",
    "neighbours": "who is protected, and from what",
    "bounds": "the range that a column may have, and where it comes from",
    "missing": "what counts where a cell has no number",
    "interval": "how far a published number may be from the table's",
    "delta": "what weaker promises say of many releases, and leave out",
}
SYNONYMS = {
    "epsilon": "eps privacy budget odds cost",
    "neighbours": "neighbors neighbour neighbor relation person persons protected change-one add-remove n n-max",
    "bounds": "bound lower upper range clamp clipping sensitivity",
    "missing": "null na nan empty dropped middle",
    "interval": "intervals alpha accuracy confidence error noise",
    "delta": "zcdp rho composed composition",
}
TOPIC_OF = {word: topic for topic, words in SYNONYMS.items() for word in (topic, *words.split())}
