"""Programs to try the verifier on: the snapping mechanism in its variants, and mechanisms that are broken.

Each .imp file begins with a comment on what is to be seen in it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from snapdp.drafts import open_regular
from snapdp.errors import ProgramError
from snapdp.exact.numbers import shown
from snapdp.lab.language.parser import LONGEST_TEXT, parse
from snapdp.lab.language.syntax import Program

_FOLDER = Path(__file__).parent
_MACHINE = re.compile(r"^[ \t]*// Machine: (\S+)[ \t]*$", re.MULTILINE)


def program_names() -> tuple[str, ...]:
    """Return the names of the bundled programs, in alphabetical order."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.imp")))


def program_text(name: str) -> str:
    """Return the text of a bundled program."""
    if name not in program_names():
        raise ProgramError(f"no bundled program is called {name!r}.", f"There are: {', '.join(program_names())}.")
    return (_FOLDER / f"{name}.imp").read_text(encoding="utf-8")


def load_program(reference: str) -> Program:
    """Return the program in a file, or the bundled program of that name."""
    text, name = _source(reference)
    return parse(text, name=name)


def stated_machine(reference: str) -> str:
    """Return the machine that the file of a program says it runs on, in a comment; empty where it says none.

    So do the programs of this package's own mechanisms: on another machine they would be other mechanisms.
    """
    return machine_in(_source(reference)[0])


def machine_in(text: str) -> str:
    """Return the machine that the text of a program says it runs on, in a comment; empty where it says none."""
    found = _MACHINE.search(text.partition("{")[0])
    return "" if found is None else found[1]


def comment_of(text: str) -> str:
    """Return what the comment at the beginning of a program says, but for its machine.

    >>> comment_of("// One.\\n// Two.\\n// Machine: p=53\\nprogram a { }")
    'One. Two.'
    """
    lines = [line.strip() for line in _MACHINE.sub("", text.partition("{")[0]).splitlines()]
    return " ".join(line.removeprefix("//").strip() for line in lines if line.startswith("//"))


def _source(reference: str) -> tuple[str, str]:
    """Return the text of a program, and its name for messages."""
    if reference in program_names() and not os.path.isfile(reference):
        return program_text(reference), reference
    try:
        with open_regular(reference) as file:
            data = file.read(LONGEST_TEXT + 1)
    except (OSError, ValueError) as problem:
        why = getattr(problem, "strerror", None) or str(problem)
        raise ProgramError(
            f"{shown(reference)} is no bundled program and cannot be read as a file: {why}.",
            f"Bundled are: {', '.join(program_names())}.",
        ) from None
    source = os.path.basename(reference)
    return decoded(data, name=source), source


def decoded(data: bytes, *, name: str) -> str:
    """Return the text of a file."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise ProgramError(
            f"{name}, line {line}: this is no UTF-8 text.", "Save the program as UTF-8.", line=line, column=1
        ) from None
