"""How a CSV file is written: delimiter, quote, encoding, missing cells, numbers. Declared, never guessed; public.

Opens no file. One value for study files, flags, Python and records; `tables` reads by it, the same on every engine. The
lists are closed: for what is on them tests compare every engine with the definition. Theory: docs/theory/exact-sums.md,
(2) and (11).
"""

from __future__ import annotations

from collections.abc import Sequence

from snapdp.errors import ParameterError
from snapdp.exact.numbers import shown
from snapdp.studies.columns import storable
from snapdp.values import Facts, Value, Values, replaced

QUOTES, DELIMITERS = "\"'`|~^", ",;:|~^\t\x01\x1f"
DECIMALS, THOUSANDS = ".,", ".,' \u00a0\u202f_"
ENCODINGS = {"utf-8": "UTF-8", "latin-1": "Latin-1"}  # with their names for people
MOST_NULLS = 100
WORDS = {"tab": "\t", "space": " ", "no-break space": "\u00a0", "narrow no-break space": "\u202f"}
_NO_LATIN = bytes(range(0x80, 0xA0))
_NAMES = {each: word for word, each in WORDS.items()}


class CsvDialect(Value):
    """How a CSV file with a header line is written.

    delimiter   between cells; left out, it is a tab in a file named .tsv and a comma in any other
    quote       around cells that hold a delimiter, a quote or a line end; doubled inside
    null        what a missing cell looks like without quotes; the same text in quotes is text. One text, or a list of
                several: beside these the empty cell is then missing as well
    decimal     the sign before the fraction of a number
    thousands   what stands between groups of three digits; left out, a number has no groups
    encoding    "utf-8" or "latin-1"

    >>> CsvDialect(delimiter=";", decimal=",", thousands=".", null=["NA"]).nulls
    ('', 'NA')
    """

    delimiter: str | None = None
    quote: str = '"'
    null: str | Sequence[str] = ""
    decimal: str = "."
    thousands: str = ""
    encoding: str = "utf-8"

    def _check(self) -> None:
        allowed = {
            "delimiter": [None, *DELIMITERS],
            "quote": [*QUOTES],
            "decimal": [*DECIMALS],
            "thousands": ["", *THOUSANDS],
        }
        for key in (each for each in SINGLE_TEXTS if each != "encoding"):
            if getattr(self, key) not in allowed[key]:
                listed = " ".join(_quoted(each) for each in allowed[key] if each)
                given = f"{key} = {shown(getattr(self, key))}"
                raise ParameterError(f"{given} is none that every engine reads alike.", f"One of {listed}.")
        if self.encoding not in list(ENCODINGS):
            raise ParameterError(
                f"encoding = {shown(self.encoding)} is none that every engine reads alike.",
                "Give utf-8 or latin-1, or save the file as UTF-8. A file in windows-1252 without the euro sign, "
                "curly quotes and long dashes is one in latin-1.",
            )
        for first, second in (("delimiter", "quote"), ("decimal", "thousands"), ("thousands", "quote")):
            if getattr(self, first) == getattr(self, second):
                raise ParameterError(f"{first} and {second} are the same character.", "Give two different ones.")
        object.__setattr__(self, "null", _null(self.null))
        for text in self.nulls:
            given = f"null = {shown(text)}"
            if any(each in text for each in (self.separator, self.quote, "\r", "\n", "\x00")):
                raise ParameterError(f"{given} holds a delimiter, a quote or a line end.", "Give plain text.")
            written = storable(text, "null").encode(self.encoding, "ignore")
            if written.decode(self.encoding) != text or not is_text(written, self.encoding):
                raise ParameterError(
                    f"{given} cannot be written in {self.encoding}.", "No cell can look like this: leave it out."
                )

    @property
    def separator(self) -> str:
        """Return what stands between cells, of a file whose name does not say otherwise."""
        return "," if self.delimiter is None else self.delimiter

    @property
    def nulls(self) -> tuple[str, ...]:
        """Return all spellings of a missing cell."""
        return (self.null,) if isinstance(self.null, str) else tuple(self.null)

    def of_file(self, name: str) -> CsvDialect:
        """Return the dialect of a file of this name: tabs in a file named .tsv, unless a delimiter is declared."""
        if self.delimiter is not None:
            return self
        return replaced(self, delimiter="\t" if name.lower().endswith(".tsv") else ",")

    def stated(self) -> Values:
        """Return what differs from a plain CSV file, as records say it; nothing for a plain one.

        >>> CsvDialect(delimiter=";", null=["NA"]).stated(), CsvDialect(delimiter=",").stated()
        ({'delimiter': ';', 'nulls': ['', 'NA']}, {})
        """
        plain = CsvDialect(delimiter=",")
        mine = self if self.delimiter else replaced(self, delimiter=",")
        keys = [key for key in SINGLE_TEXTS if getattr(mine, key) != getattr(plain, key)]
        found = {key: getattr(mine, key) for key in keys}
        return found if self.nulls == ("",) else {**found, "nulls": list(self.nulls)}


SINGLE_TEXTS = tuple(key for key in CsvDialect._fields if key != "null")  # of null there may be several


def dialect_words(stated: Facts) -> str:
    """Return in words what a record states about a CSV file.

    >>> print(dialect_words(CsvDialect(delimiter=";", decimal=",", encoding="latin-1", null=["NA"]).stated()))
    encoding latin-1, delimiter ";", decimal ",", missing cells "" "NA"
    """
    found = [f"encoding {stated['encoding']}"] if "encoding" in stated else []
    found += [f"{key} {_quoted(stated[key])}" for key in SINGLE_TEXTS if key in stated and key != "encoding"]
    if "nulls" in stated:
        found.append(f"missing cells {' '.join(map(_quoted, stated['nulls']))}")
    return ", ".join(found)


def stated_dialect(stated: Facts) -> CsvDialect:
    """Return the dialect that a record states; whatever could not have been stated is refused."""
    nulls = stated.get("nulls", [""])
    found = CsvDialect(
        **{key: value for key, value in stated.items() if key != "nulls"},
        null=nulls[0] if len(nulls) == 1 else nulls,
    )
    if not stated or found.stated() != dict(stated):
        raise ParameterError("a plain CSV file, or one that is stated otherwise.", "The record was altered.")
    return found


def dialect_from(values: Facts) -> CsvDialect:
    """Return the dialect that a table of a study, or flags, declare: `tab` and `space` may be said in words.

    The empty cell is missing there, whatever else is.

    >>> dialect_from({"delimiter": "tab", "null": ["NA"]})
    CsvDialect(delimiter='\\t', quote='"', null=('', 'NA'), decimal='.', thousands='', encoding='utf-8')
    """
    said = {key: WORDS.get(value, value) if isinstance(value, str) else value for key, value in values.items()}
    if "null" in values:  # as it is written: here no word stands for another
        said["null"] = [values["null"]] if isinstance(values["null"], str) else list(values["null"])
    return CsvDialect(**said)


def is_text(content: bytes, encoding: str) -> bool:
    """Tell whether bytes are text in an encoding. Of Latin-1 the control characters from 0x80 on are none.

    DuckDB refuses these, and they tell a file in windows-1252.
    """
    if content.isascii():
        return True
    if encoding == "latin-1":
        return len(content.translate(None, delete=_NO_LATIN)) == len(content)
    try:
        content.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _null(given: object) -> str | tuple[str, ...]:
    """Return one spelling of a missing cell as text, several in order, the empty cell first."""
    if isinstance(given, str):
        return given
    if not isinstance(given, (list, tuple)) or not all(isinstance(each, str) for each in given):
        raise ParameterError(f"null = {shown(given)} is no text.", 'Give text such as "NA", or a list of such.')
    found = tuple(sorted({"", *given}))
    if len(found) > MOST_NULLS:
        raise ParameterError(f"null lists more than {MOST_NULLS} texts.", "Give fewer spellings of a missing cell.")
    return found if len(found) > 1 else ""


def _quoted(text: str) -> str:
    """Return a text as a person can read it, and a character that none can see by its name."""
    return f"({_NAMES[text]})" if text in _NAMES else f'"{text}"' if text.isprintable() else repr(text)
