"""What a word of a command may be: a number, or the file of a study. What it is not is said in the words of commands.

Room: cli. The words themselves are handed on as they were typed: the library reads them.
"""

from __future__ import annotations

import os
from typing import Any

import click

from snapdp.errors import ParameterError
from snapdp.exact import parameter, shown


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
