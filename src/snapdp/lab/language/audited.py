"""`@snapdp.lab.audit`: a Python function becomes a program that the verifier can judge.

The first argument is the private value f(D); the others are what is drawn for it, passed in; arguments that are
keyword-only are parameters, their values the defaults. Only the private value and the draws become symbols: parameters
stay the numbers they are, so that integers are exact where Python's are. The function can still be called; its private
value, its draws and what it returns are doubles then, as they were judged: an end of 64 that is told from a result of
64.0 would tell more than was judged. It is traced when its program is first asked for, twice: two different traces mean
that something else decides. A function can be named as `FILE.py:function`; then the file is run, as Python runs it on
import.
"""

from __future__ import annotations

import inspect
import numbers
import sys
import traceback
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from fractions import Fraction
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from snapdp.drafts import open_regular
from snapdp.errors import ProgramError
from snapdp.exact.numbers import parameter, shown
from snapdp.lab.language.parser import ETA, LONGEST_TEXT, RESERVED, decoded, parse
from snapdp.lab.language.syntax import FUNCTIONS, Assignment, Program, QueryValue, Sample, Variable
from snapdp.lab.language.text import printed
from snapdp.lab.language.tracing import Trace, Traced, named, refusal_at, refuse_chance, run
from snapdp.lab.semantics.machine import Machine, parse_machine
from snapdp.values import replaced

if TYPE_CHECKING:
    from snapdp.lab.loss.verdict import Verdict

UNIFORM, SIGN = "unif", "{-1,1}"
KNOWN_DRAWS = {"U": UNIFORM, "u": UNIFORM, "uniform": UNIFORM, "S": SIGN, "s": SIGN, "sign": SIGN}

Number = int | float | str | Fraction


def audit(
    function: object = None,
    /,
    *,
    query: tuple[Number, Number] | None = None,
    sensitivity: Number = 1,
    epsilon: Number | None = None,
    claim: Number | None = None,
    draws: Mapping[str, str] | None = None,
) -> Callable[[Callable[..., Any]], Audited]:
    """Return a decorator that makes a function auditable: @audit(...), with what is known of the private value.

    query        lower and upper end of the private value, or None where it is not confined
    sensitivity  how far the private values of neighbours may be apart
    epsilon      what is claimed: a loss of epsilon, and what the roundings of the machine are certified to add; or
    claim        the whole loss, a number or a formula of the parameters and eta: "eps + 23*B*eps*eta"
    draws        what arguments stand for, by name: "unif", "{-1,1}", "laplace(1/eps)"; U and S are known

    >>> @audit(query=(-64, 64), epsilon=0.5)
    ... def naive(f, U, S, *, eps=0.5):
    ...     return f + S * ln(U) / eps
    >>> from snapdp.lab.language.tracing import ln
    >>> naive.program.statements[-1].expression.left
    QueryValue(name='f')
    """
    if function is not None:
        raise ProgramError(
            "@audit alone says nothing about the private value of the function, nor what is claimed of it.",
            "Say both: @snapdp.lab.audit(query=(-64, 64), epsilon=0.5)",
        )
    if epsilon is not None and claim is not None:
        raise ProgramError("epsilon and claim are given both.", "Give one of them.")
    if query is not None and not (isinstance(query, (tuple, list)) and len(query) == 2):
        raise ProgramError("query is no pair of numbers.", "Give the ends of the private value: query=(-64, 64).")
    exact = None if epsilon is None else parameter(epsilon, name="epsilon")

    def decorate(function: Callable[..., Any]) -> Audited:
        if not isinstance(function, FunctionType):
            kind = named(type(function))
            raise ProgramError(f"a {kind} cannot be audited.", "Audit a plain function: def mechanism(f, U, S).")
        return Audited(function, _Declared(query, sensitivity, exact, claim, draws or {}))

    return decorate


class _Declared(NamedTuple):
    """What `audit` is given."""

    query: tuple[Number, Number] | None
    sensitivity: Number
    epsilon: Fraction | None
    claim: Number | None
    draws: Mapping[str, str]


class Audited:
    """A function, and the program that it is."""

    def __init__(self, function: FunctionType, declared: _Declared) -> None:
        self.__wrapped__ = function
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        self._declared = declared
        self._program: Program | None = None

    def __call__(self, *arguments: Any, **settings: Any) -> Any:
        """Call the function; what is given for private value and draws, and what is returned, become doubles."""
        code = self.__wrapped__.__code__
        symbols = code.co_varnames[: code.co_argcount]
        doubles = {name: _double(value) if name in symbols else value for name, value in settings.items()}
        return _double(self.__wrapped__(*map(_double, arguments), **doubles))

    def __repr__(self) -> str:
        return f"<audited {named(self)}>"

    @property
    def program(self) -> Program:
        """Return the program that the function is; the function is traced when this is first asked for."""
        if self._program is None:
            refuse_chance(self.__wrapped__)
            value, drawn, parameters = self._arguments()
            frame = self._frame(value, drawn, parameters)
            first, second = (self._traced(frame, value, drawn, parameters) for _ in range(2))
            if first != second:
                advice = "Something outside of its arguments decides what it computes: pass that in."
                raise ProgramError(f"{named(self)} gave two different programs when traced twice.", advice)
            again = parse(printed(first), name=named(self))  # also refuses what is too large for the language
            assert replaced(again, parameters=first.parameters) == first
            self._program = first
        return self._program

    def verify(self, *, machine: Machine | str = "", claim: str | Fraction | None = None) -> Verdict:
        """Return the verifier's verdict, against the function's own claim or epsilon unless another claim is given."""
        from snapdp.lab.loss.verdict import verify

        where = machine if isinstance(machine, Machine) else parse_machine(machine)
        return verify(self.program, where, claim=claim, epsilon=self._declared.epsilon)

    def _traced(self, frame: Program, value: str, drawn: list[str], parameters: Mapping[str, Any]) -> Program:
        trace = Trace({value, *drawn, *parameters, ETA})
        arguments = {value: Traced(QueryValue(name=value), trace)}
        arguments |= {name: Traced(Variable(name=name), trace) for name in drawn}
        result = run(self.__wrapped__, arguments, parameters)
        if not isinstance(result.expression, Variable) or result.expression.name in drawn:
            trace.bind("result", result)
        assert isinstance(result.expression, Variable)
        samples = [statement for statement in frame.statements if isinstance(statement, Sample)]
        return replaced(frame, statements=(*samples, *trace.statements), result=result.expression.name)

    def _arguments(self) -> tuple[str, list[str], dict[str, Any]]:
        """Return the name of the private value, the names of the draws, and the parameters as they are."""
        kinds = inspect.Parameter
        plain: list[str] = []
        parameters: dict[str, Any] = {}
        if self.__wrapped__.__code__.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE):
            raise self._refusal("it is a generator or a coroutine")
        for name, argument in inspect.signature(self.__wrapped__, follow_wrapped=False).parameters.items():
            if not name.isascii() or name in RESERVED or name == ETA:
                raise self._refusal(f"{name} is no name a program can have")
            has_default = argument.default is not kinds.empty
            if argument.kind is kinds.KEYWORD_ONLY and has_default:
                parameters[name] = argument.default
            elif argument.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD) and not has_default:
                plain.append(name)
            else:
                raise self._refusal(f"{name} is neither a plain argument nor a keyword-only one with a default")
        if not plain:
            raise self._refusal("it has no argument for the private value")
        if plain[0] in FUNCTIONS:
            raise self._refusal(f"{plain[0]} is a function of programs, and no name for the private value")
        return plain[0], plain[1:], parameters

    def _refusal(self, why: str) -> ProgramError:
        advice = "First the private value, then what is drawn, then parameters: def mechanism(f, U, S, *, eps=1)."
        return ProgramError(f"{named(self)} cannot be traced: {why}.", advice)

    def _frame(self, value: str, drawn: list[str], parameters: Mapping[str, Any]) -> Program:
        """Return the program around the statements: declarations, samples and claim, read by the language itself."""
        query, sensitivity, _, claim, draws = self._declared
        samples = {name: draws.get(name, KNOWN_DRAWS.get(name)) for name in drawn}
        for name, law in samples.items():
            if law is None:
                raise ProgramError(f"what is drawn for {name} is not known.", f'Say it: draws={{"{name}": "unif"}}.')
        if unknown := [name for name in draws if name not in samples]:
            raise ProgramError(f"{unknown[0]} is no argument of {named(self)}.", "Draws are named as there.")
        interval = "" if query is None else f" in [{', '.join(map(_text, query))}]"
        title = self.__name__ if self.__name__.isidentifier() and self.__name__ not in RESERVED else "mechanism"
        lines = [
            f"program {title} {{",
            *(f"param {name} = {parameter(number, name=name)};" for name, number in parameters.items()),
            f"query {value}{interval} sensitivity {_text(sensitivity)};",
            *(f"{name} <-$ {law};" for name, law in samples.items()),
            f"return {value}(D);",
            *([] if claim is None else [f"claim loss <= {_text(claim)};"]),
            "}",
        ]
        declared = parse("\n".join(lines), name=f"the declaration of {named(self)}")
        return replaced(declared, statements=tuple(s for s in declared.statements if not isinstance(s, Assignment)))


def _text(value: Number) -> str:
    """Return a number, or a formula of the parameters, as the language writes it."""
    return value if isinstance(value, str) else str(parameter(value, name="the number"))


def _double(value: Any) -> Any:
    """Return a number as a double, an array of numbers as one of doubles; anything else as it is."""
    dtype = getattr(value, "dtype", None)
    if dtype is not None and value.shape != ():
        return value.astype("float64") if dtype.kind in "iuf" else value
    return float(value) if isinstance(value, numbers.Real) and not isinstance(value, float) else value


# Functions in files. What a file prints goes to stderr.

SUFFIX = ".py:"
_FORM = "Write FILE.py:function, a function that is decorated with @snapdp.lab.audit(query=(-64, 64), epsilon=0.5)."


def names_a_function(reference: str) -> bool:
    """Tell whether a text is of the form FILE.py:function."""
    return SUFFIX in reference


def audited_function(reference: str) -> Audited:
    """Return the audited function that FILE.py:function names; the file is run."""
    path, _, name = reference.rpartition(":")
    if not name.isidentifier():
        raise ProgramError(f"{shown(reference)} names no function.", _FORM)
    audited = getattr(_module(Path(path)), name, None)
    if audited is None:
        raise ProgramError(f"{shown(path)} has no {name}.", _FORM)
    if not isinstance(audited, Audited):
        kind = named(type(audited))
        raise ProgramError(f"{name} in {shown(path)} is a {kind} that says nothing about its private value.", _FORM)
    return audited


def _module(path: Path) -> ModuleType:
    """Return the module of a file, which is run. Of its errors only kind and line are told."""
    try:
        with open_regular(path) as file:
            text = decoded(file.read(LONGEST_TEXT + 1), name=path.name)
    except OSError as problem:
        why = problem.strerror or type(problem).__name__
        raise ProgramError(f"{shown(str(path))} cannot be read: {why}.", _FORM) from None
    if len(text) > LONGEST_TEXT:
        advice = "Put the mechanism into its own file."
        raise ProgramError(f"{path.name} has more than {LONGEST_TEXT} characters.", advice)
    run_it = "Run it with Python first."
    try:
        code = compile(text, str(path), "exec")
    except (SyntaxError, ValueError) as problem:
        line = getattr(problem, "lineno", None) or 1
        raise refusal_at(path.name, line, "this is no Python.", run_it) from None
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    sys.path.insert(0, str(path.parent))
    try:
        with redirect_stdout(sys.stderr):
            exec(code, module.__dict__)  # what this function is for
    except (ProgramError, KeyboardInterrupt):
        raise
    except BaseException as problem:
        lines = [f.lineno or 0 for f in traceback.extract_tb(problem.__traceback__) if f.filename == str(path)]
        line = lines[-1] if lines else 0
        what = f"the file was run, and stopped with {named(type(problem))}."
        raise refusal_at(path.name, line, what, run_it) from None
    finally:
        sys.path.remove(str(path.parent))
    return module
