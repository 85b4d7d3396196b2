"""What a word of a command may be: a number, a whole number, or a study file. Errors speak of commands.

Words are passed on as they were typed, because the library reads them. Flags have decimal points, and 1.250 is a
number. A number with groups of three zeros behind a point (20.000) is 20 or, where points separate thousands, 20,000.
It is refused in flags of values of a column and of errors, because nobody needs the zeros to say 20, and if you mean
20,000 you would pay for meaningless numbers. Flags of whole numbers refuse all signs between digits.
"""

from __future__ import annotations

import os
import re
from typing import Any

import click

from snapdp.errors import ParameterError
from snapdp.exact.numbers import parameter, shown


class NumberWord(click.types.StringParamType):
    """A number as people type it."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            parameter(value, name="a number")
        except ParameterError as problem:
            if problem.numbers:  # of a number that is not read: what is
                self.fail(f"{shown(value)}: {problem.advice}", param, ctx)
            self.fail(f"{shown(value)} is no number: write 3, 0.5, 1/2 or 1e-3.", param, ctx)
        return str(value)


class NumberWords(click.types.StringParamType):
    """Several numbers with commas between them."""

    name = "numbers"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return tuple(NUMBER.convert(each.strip(), param, ctx) for each in str(value).split(","))


class StudyFile(click.Path):
    """The file of a study; a table is easily given in its place."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if os.path.isfile(value) and not str(value).lower().endswith(".toml"):
            self.fail(
                f"{shown(value)} is no study file: its name does not end in .toml. `snapdp init` writes one; "
                "`snapdp plan --mean COLUMN ...` plans by flags, and needs no table.",
                param,
                ctx,
            )
        return super().convert(value, param, ctx)


NUMBER, NUMBERS = NumberWord(), NumberWords()

# Numbers that can be read in two ways

PARTED = re.compile(r"[+-]?[1-9]\d{0,2}([.,' _])\d{3}(\1\d{3})*", re.ASCII)  # a whole number with groups of digits
ZEROS = re.compile(r"[+-]?[1-9]\d{0,2}(\.000)+", re.ASCII)


def plain_number(text: str, flag: str) -> str:
    """Return the number of a flag as it was typed; refuse one that may be meant for thousands.

    >>> plain_number("1.250", "bounds"), plain_number("0.000", "bounds"), plain_number("20.0", "bounds")
    ('1.250', '0.000', '20.0')
    """
    if ZEROS.fullmatch(text):
        raise click.UsageError(f'--{flag}: "{text}" can be read in two ways. Type {whole_meant(text)}.')
    return text


class WholeNumber(click.types.IntParamType):
    """A whole number of a flag; of one with signs between its digits it is said what may be meant."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, str) and (meant := whole_meant(value)):
            self.fail(f'"{value}" can be read in two ways. Type {meant}.', param, ctx)
        return super().convert(value, param, ctx)


class WholeRange(WholeNumber, click.IntRange):
    """The same between two ends."""


WHOLE = WholeNumber()


def whole_meant(text: str) -> str:
    """Return which whole numbers may be meant by one with signs between its digits; empty where there are none.

    >>> [whole_meant(text) for text in ("5.000", "5,000", "1.250", "1 000 000", "5000", "0.5")]
    ['5 or 5000', '5 or 5000', '1250', '1000000', '', '']
    """
    found = PARTED.fullmatch(text)
    if found is None:
        return ""
    first, *others = text.split(found[1])
    is_decimal = others == ["000"] and found[1] in ".,"
    return f"{first} or {first}000" if is_decimal else first + "".join(others)
