"""One run of a function on symbols: the statements so far, and the first refusal.

Room: verifier. A refusal says which line of the function asked for what no program can say. It is kept, so that a
function that catches it is refused all the same.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

from snapdp.display import one_line
from snapdp.errors import ProgramError
from snapdp.verifier.language.grammar import RESERVED
from snapdp.verifier.language.syntax import Assignment, Variable

if TYPE_CHECKING:
    from snapdp.verifier.python.symbols import Traced

ADVICE = "A mechanism is a straight line of + - * /, ln, abs, sign, rounding and clamps on its arguments."
LONGEST_NAME = 60  # letters of a name that a message repeats


class Trace:
    """The statements that a function makes, in order."""

    def __init__(self, taken: set[str]) -> None:
        self.statements: list[Assignment] = []
        self.taken = set(taken)
        self.refusal: ProgramError | None = None

    def refuse(self, problem: str, advice: str = ADVICE) -> NoReturn:
        """Refuse what the nearest line outside of this package and of numpy does."""
        place, line = _caller()
        refusal = ProgramError(f"{place}, line {line}: {problem}", advice, line=line)
        self.refusal = self.refusal or refusal
        raise refusal

    def bind(self, name: str, value: Traced) -> None:
        """Give a computed value a name; from now on it is that variable."""
        if isinstance(value.expression, Variable):
            return  # another name for what has one
        fresh = self._fresh(name)
        self.statements.append(Assignment(name=fresh, expression=value.expression))
        value.expression = Variable(name=fresh)

    def _fresh(self, name: str) -> str:
        stem = name if name.isascii() and name not in RESERVED else "value"
        candidates = (f"{stem}_{number}" if number else stem for number in range(len(self.taken) + 1))
        fresh = next(candidate for candidate in candidates if candidate not in self.taken)
        self.taken.add(fresh)
        return fresh


def _caller() -> tuple[str, int]:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and str(frame.f_globals.get("__name__", "")).split(".")[0] in ("snapdp", "numpy"):
        frame = frame.f_back
    return (Path(frame.f_code.co_filename).name, frame.f_lineno) if frame is not None else ("the function", 0)


def named(thing: Any) -> str:
    """Return the name of a function or a type of somebody's file as one short line: a name can be set to any text."""
    return one_line(str(thing.__name__), LONGEST_NAME)
