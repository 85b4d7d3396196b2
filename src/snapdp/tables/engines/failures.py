"""What is said about an error while a table was read: its kind and its place in the code, never its text.

Room: tables. Texts of engines and of Python quote cells; the name of an exception's class and a line of the program do
not. What is not about the table (a missing package, no memory, a defect here) is not blamed on it.
"""

from __future__ import annotations

from pathlib import Path

from snapdp.errors import DataError, PremiseError, SnapdpError

ENGINE_PACKAGES = ("duckdb", "_duckdb", "pyspark", "py4j", "psycopg", "pyarrow")
INSTALL = {  # what the extras of this package ask for; itself it is in no index
    "psycopg": "pip install 'psycopg[binary]>=3.2.1'",
    "pyspark": "pip install 'pyspark>=4.1'; it needs Java 17 or newer as well.",
}
PACKAGE = Path(__file__).parents[2]


def refusal(error: Exception) -> SnapdpError:
    """Return what may be said: the table cannot be read, or something else is wrong."""
    kind, room = type(error).__name__, type(error).__module__.partition(".")[0]
    if isinstance(error, MemoryError) or "OutOfMemory" in kind:
        return PremiseError("there is not enough memory to read the table.", "Nothing was spent.")
    if isinstance(error, ImportError):
        missing = f" {error.name!r}" if isinstance(error.name, str) else ""
        advice = INSTALL.get(str(error.name).partition(".")[0], "Install it again.")
        return PremiseError(f"a Python package{missing} that is needed to read the table is missing or broken.", advice)
    if room in ENGINE_PACKAGES or isinstance(error, OSError):
        return DataError(
            f"the engine could not read the table ({kind}).", "Check that it is complete and readable.", kind=kind
        )
    return PremiseError(
        f"reading the table was stopped by a {kind} {_place(error)}.",
        "That is a defect of the program or of its environment, not of the table: please report it. Nothing was spent.",
        kind=kind,
    )


def _place(error: Exception) -> str:
    """Return the last line of this package that an error passed."""
    frame, place = error.__traceback__, "outside snapdp"
    while frame is not None:
        path = Path(frame.tb_frame.f_code.co_filename)
        if path.is_relative_to(PACKAGE):
            place = f"in {path.relative_to(PACKAGE).as_posix()}, line {frame.tb_lineno}"
        frame = frame.tb_next
    return place
