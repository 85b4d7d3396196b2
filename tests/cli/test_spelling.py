"""One spelling for flag, study key and keyword of Python: the three are compared, and what must differ is listed."""

from __future__ import annotations

import inspect

import click

import snapdp
from snapdp.cli.app import main
from snapdp.studies.categories import KIND_KEYS
from snapdp.studies.statistics.registry import KINDS
from snapdp.studies.study_file import BIN_KEYS, COST_KEYS, CSV_KEYS, NUMBER_KEYS, STUDY_KEYS

ONE_LINERS = (
    "count",
    "persons",
    "sum",
    "mean",
    "variance",
    "covariance",
    "histogram",
    "quantiles",
    "median",
    "explore",
)
OF_A_COMMAND = {  # what a command does with a release, which no study and no call says
    "fit", "json", "no_inspect", "own", "record", "report", "spark", "table", "values", "yes", "directory", "ledger",
}  # fmt: skip
KINDS_AS_FLAGS = {*KINDS, "means", "median"}  # kind = "mean" is --mean, and snapdp.mean
FLAGS_ALONE = {"boolean", "date", "bounds", "integer"}  # --bounds 0,9 is lower = 0 and upper = 9; the others are a kind
KEYS_ALONE = {  # a study says more than flags can
    "format", "statistic", "kind", "csv", "relation",  # its frame; --n and --n-max say the relation
    "lower", "upper", "from", "to", "each",  # --bounds, --date FROM,TO,EACH
    "bounds_from",  # the look of explore, which writes it
    "lock", "count_share",  # of a line of the plan; flags share equally
    "column", "columns", "exponents", "outside", "unknown",  # of a column; explore has flags for some
}  # fmt: skip
KEYWORDS_ALONE = {
    "data", "other", "given",  # the table itself, or two columns of it
    "groups",  # lists of the columns of by, where these are given as arrays: categories are those of the column itself
}  # fmt: skip
OF_THE_STUDY_ALONE = {  # in one line they are the account's, or belong to the file that was read already
    "budget", "n", "n_max", "person", "unit_rows", *CSV_KEYS, "compare", "parents",
    "title", "publisher", "contact",  # of a report
}  # fmt: skip


def flags(name: str = "release") -> set[str]:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    options = [each for each in command.params if isinstance(each, click.Option)]
    return {each.opts[0].removeprefix("--").replace("-", "_") for each in options}


def keys() -> set[str]:
    found = {*STUDY_KEYS, *CSV_KEYS, *NUMBER_KEYS, *BIN_KEYS, *COST_KEYS}
    found |= {key for each in KIND_KEYS.values() for key in each}
    return found | {key for each in KINDS.values() for key in each.toml_keys()}


def keywords() -> set[str]:
    return {name for each in ONE_LINERS for name in inspect.signature(getattr(snapdp, each)).parameters}


def test_every_flag_of_a_release_is_a_study_key_of_that_very_name():
    assert flags() - keys() <= OF_A_COMMAND | KINDS_AS_FLAGS | FLAGS_ALONE


def test_every_study_key_is_a_flag_of_that_very_name():
    assert keys() - flags() <= KEYS_ALONE


def test_every_keyword_of_one_line_is_a_study_key_or_a_flag():
    assert keywords() - keys() - flags() <= KEYWORDS_ALONE


def test_every_key_that_flags_have_is_a_keyword_too():
    assert keys() & flags() - keywords() <= OF_THE_STUDY_ALONE | KINDS_AS_FLAGS


def test_no_exception_is_idle():
    assert flags() >= OF_A_COMMAND | FLAGS_ALONE
    assert {*KEYS_ALONE} <= keys() - flags()
    assert keywords() | {"given"} >= KEYWORDS_ALONE
    assert not OF_THE_STUDY_ALONE & keywords() - {"null"}


def test_flags_of_other_commands_are_those_of_a_release():
    """A flag that two commands have means one thing in both; those of plan about a bare mechanism are its own."""
    assert flags("inspect") <= flags()
    assert flags("init") <= flags()
    assert flags("plan") - flags() <= {
        "sensitivity", "arithmetic", "bits",
        "grid", "gamma", "bound", "clamp", "if_value", "if_output", "if_like", "if_rows", "plot",
        "details", "sql", "dialect",
    }  # fmt: skip
    assert flags("explore") - flags() <= {"columns", "only", "outside", "exponents", "study"}
