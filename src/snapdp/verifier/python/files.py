"""A function in a file: `FILE.py:function`. The file is run, as Python runs it when it is imported.

Room: verifier. What the file does when it is run, it does; whoever judges a file trusts it as far as running it. What
it prints goes to stderr. An error of the file is told by its kind and line, not by its text.
"""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import Any

from snapdp.drafts import open_regular
from snapdp.errors import ProgramError
from snapdp.exact import shown
from snapdp.verifier.language.grammar import LONGEST_TEXT
from snapdp.verifier.language.programs import decoded
from snapdp.verifier.python.audited import Audited
from snapdp.verifier.python.trace import named

SUFFIX = ".py:"
_FORM = "Write FILE.py:function, a function that is decorated with @snapdp.audit(query=(-64, 64), epsilon=0.5)."


def names_a_function(reference: str) -> bool:
    """Tell whether a text is of the form FILE.py:function."""
    return SUFFIX in reference


def audited_function(reference: str) -> Audited:
    """Return the audited function that FILE.py:function names; the file is run."""
    path, _, name = reference.rpartition(":")
    if not name.isidentifier():
        raise ProgramError(f"{shown(reference)} names no function.", _FORM)
    found = getattr(_module(Path(path)), name, None)
    if found is None:
        raise ProgramError(f"{shown(path)} has no {name}.", _FORM)
    if not isinstance(found, Audited):
        kind = named(type(found))
        raise ProgramError(f"{name} in {shown(path)} is a {kind} that says nothing about its private value.", _FORM)
    return found


def _module(path: Path) -> ModuleType:
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    code = _compiled(path)
    sys.path.insert(0, str(path.parent))
    try:
        with redirect_stdout(sys.stderr):
            exec(code, module.__dict__)  # what this function is for
    except (ProgramError, KeyboardInterrupt):
        raise
    except BaseException as problem:
        raise _failed(path, problem) from None
    finally:
        sys.path.remove(str(path.parent))
    return module


def _compiled(path: Path) -> Any:
    try:
        with open_regular(path) as file:
            text = decoded(file.read(LONGEST_TEXT + 1), name=path.name)
    except OSError as problem:
        why = problem.strerror or type(problem).__name__
        raise ProgramError(f"{shown(str(path))} cannot be read: {why}.", _FORM) from None
    if len(text) > LONGEST_TEXT:
        raise ProgramError(
            f"{path.name} has more than {LONGEST_TEXT} characters.", "Put the mechanism into its own file."
        )
    try:
        return compile(text, str(path), "exec")
    except (SyntaxError, ValueError) as problem:
        line = getattr(problem, "lineno", None) or 1
        raise ProgramError(
            f"{path.name}, line {line}: this is no Python.", "Run it with Python first.", line=line
        ) from None


def _failed(path: Path, problem: BaseException) -> ProgramError:
    """Return the refusal of a file that stopped: what kind of error, and the last line of the file it came through."""
    line, step = 0, problem.__traceback__
    while step is not None:
        line = step.tb_lineno if step.tb_frame.f_code.co_filename == str(path) else line
        step = step.tb_next
    kind = named(type(problem))
    return ProgramError(
        f"{path.name}, line {line}: the file was run, and stopped with {kind}.", "Run it with Python first.", line=line
    )
