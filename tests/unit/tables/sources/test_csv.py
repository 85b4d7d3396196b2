"""CSV: one definition of a well-formed file, the same on DuckDB as in plain Python, whatever the bytes are."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import random

import pytest

from snapdp.errors import DataError, ParameterError
from snapdp.studies.aggregates import Count, Persons, Sum
from snapdp.studies.csv_dialect import DELIMITERS, QUOTES, CsvDialect
from snapdp.tables.engines.opening import open_table
from snapdp.tables.sources import csv_bytes as csvtext, csv_form as csvform
from snapdp.tables.sources.csv import CsvSource
from snapdp.tables.sources.csv_bytes import scanned
from snapdp.tables.sources.csv_form import ROW_BYTES, NotWellFormed, lines, read
from snapdp.tables.sql.generator import Rows
from snapdp.values import replaced
from tests.unit.tables.csvfuzz import X, expected, files, told, written

PLAIN = CsvDialect()
KNOWN = [*((",", each) for each in QUOTES), *((each, '"') for each in DELIMITERS[1:])]
DIALECTS = [PLAIN, CsvDialect(null="NA"), CsvDialect(delimiter=";"), CsvDialect(quote="'"), CsvDialect(delimiter="\t")]


def agree(folder, seed, count, dialect=PLAIN):
    accepted = 0
    for content in files(seed, count):
        translated = content.replace(b",", dialect.separator.encode()).replace(b'"', dialect.quote.encode())
        table = open_table(written(folder, translated), dialect=dialect)
        known = expected(translated, dialect)
        assert told(table, translated, dialect) == known, translated
        accepted += known is not None
    assert count / 8 < accepted < 7 * count / 8  # both sides of the definition are met


def test_duckdb_reads_generated_files_as_the_definition_says(tmp_path):
    agree(tmp_path, seed=11, count=200)


@pytest.mark.parametrize("dialect", DIALECTS[1:], ids=repr)
def test_duckdb_reads_other_dialects_as_the_definition_says(dialect, tmp_path):
    agree(tmp_path, seed=12, count=25, dialect=dialect)


@pytest.mark.parametrize(("delimiter", "quote"), KNOWN)
def test_duckdb_reads_every_allowed_delimiter_and_quote_as_the_definition_says(delimiter, quote, tmp_path):
    agree(tmp_path, seed=13, count=12, dialect=CsvDialect(delimiter=delimiter, quote=quote))


def test_a_delimiter_or_quote_that_no_test_covers_is_refused():
    """DuckDB drops every row of a file in which two blanks stand alone on a line, where a blank is the quote."""
    for each in map(chr, range(0x180)):
        if each not in QUOTES:
            with pytest.raises(ParameterError, match="engine"):
                CsvDialect(quote=each)
        if each not in DELIMITERS:
            with pytest.raises(ParameterError, match="engine"):
                CsvDialect(delimiter=each)


@pytest.mark.parametrize("dialect", [PLAIN, CsvDialect(null="NA")], ids=repr)
def test_the_pass_over_the_bytes_counts_the_rows_of_the_definition(dialect, monkeypatch):
    for size in (3, 4, 7, 1 << 22):
        monkeypatch.setattr(csvtext, "BLOCK", size)
        for content in files(31, 300):
            with contextlib.suppress(NotWellFormed):
                names, rows = read(content, dialect)
                scan = scanned(io.BytesIO(content), dialect)
                assert scan.lines - 1 - (0 if len(names) == 1 and not dialect.null else scan.empty) == len(rows)


@pytest.mark.parametrize("persons", [None, Persons(column="g", most=1)])
def test_an_engine_that_reads_another_number_of_rows_is_not_believed(persons, tmp_path, monkeypatch):
    table = open_table(written(tmp_path, b"x,g\n1,a\n2,a\n\n3,b\n"))
    assert table.aggregates([Count(persons=persons)]).rows == (3 if persons is None else 2)
    honest = CsvSource.open
    monkeypatch.setattr(CsvSource, "open", lambda *given: limited(honest(*given)))
    for act in (lambda: table.aggregates([Count(persons=persons)]), lambda: table.check([X])):
        with pytest.raises(DataError, match="another number of rows"):
            act()


def limited(rows: Rows) -> Rows:
    return replaced(rows, origin=f"(SELECT * FROM {rows.origin} LIMIT 2)")


def test_the_engine_alone_would_be_found(tmp_path, monkeypatch):
    """Without the pass over the bytes DuckDB accepts files that the definition refuses, and the comparison sees it."""
    monkeypatch.setattr(CsvSource, "prepare", lambda *_: None)
    with pytest.raises(AssertionError):
        agree(tmp_path, seed=11, count=200)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10))
def test_duckdb_reads_thousands_of_generated_files_as_the_definition_says(seed, tmp_path):
    agree(tmp_path, seed=1000 + seed, count=1500, dialect=DIALECTS[seed % len(DIALECTS)])


def test_the_definition_reads_what_a_csv_writer_wrote():
    """Against Python's own writer and strict reader: the definition is not only agreed on here."""
    draw = random.Random(3)
    for end in ("\n", "\r\n"):
        rows = [
            ["".join(draw.choice('ab ,"\r\n;é') for _ in range(draw.randrange(6))) for _ in "xyz"] for _ in range(200)
        ]
        stream = io.StringIO(newline="")
        csv.writer(stream, lineterminator=end, quoting=csv.QUOTE_ALL).writerows([["x", "y", "z"], *rows])
        names, found = read(stream.getvalue().encode(), PLAIN)
        assert (names, found) == (["x", "y", "z"], rows)
        assert found == list(csv.reader(io.StringIO(stream.getvalue(), newline=""), strict=True))[1:]


RULES = {
    "the first line names no columns": [b"", b"\n", b"\nx\n1\n", b'"x\ny"\n1\n', b'"x\ry",z\n'],
    "the file is not in UTF-8": [b"x\nM\xfcller\n", b"\xff\xfe\n1\n", b"x\n\xed\xa0\x80\n", b"x\n\xc3"],
    "the file holds a NUL byte": [b"x\n\x00\n"],
    "line ends are mixed": [b"x\n1\r2\n", b"x\r\n1\n", b"x\n1\r", b"x\r\n1\r\n2\r", b"x\n\r\n", b"x\r1\r\n"],
    "a quote is out of place": [b'x\n1"2"\n', b'x\n"1"2\n', b'x\n "1"\n', b'x"\n'],
    "a quote is never closed": [b'x\n"1', b'x\n"1\n2\n', b'x\n"', b'"'],
    "a row has more or fewer cells than the header": [b"x,y\n1\n", b"x\n1,2\n", b'x\n1,""\n', b"x,y\n1,2,,3\n"],
}


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_refuses_in_the_definition_and_on_duckdb(rule, tmp_path):
    for content in RULES[rule]:
        with pytest.raises(NotWellFormed, match=rule):
            read(content, PLAIN)
        with pytest.raises(DataError):
            open_table(written(tmp_path, content)).aggregates([Count()])


def test_a_column_that_is_not_asked_for_is_checked_too(tmp_path):
    """DuckDB alone looks only at the cells that it needs."""
    for bad in (b"M\xfcller", b"\x00"):
        with pytest.raises(DataError, match="line 3 "):
            open_table(written(tmp_path, b"x,g\n1,a\n2," + bad + b"\n")).aggregates([Sum(column=X)])


@pytest.mark.parametrize("size", [3, 4, 5, 7, 11, 1 << 22])
def test_the_bytes_are_judged_alike_wherever_blocks_end(size, monkeypatch):
    """All rules but the number of cells are those of the fast pass; the definition decides what it should find."""
    monkeypatch.setattr(csvtext, "BLOCK", size)
    for content in files(21, 400):
        scan = scanned(io.BytesIO(content), PLAIN)
        assert (scan.problem == "") == sound(content), content
        assert scan.quoted == (b'"' in content) or scan.problem, content


def sound(content: bytes) -> bool:
    """Tell whether text, quotes and line ends are as the definition wants them; cells are not counted."""
    try:
        content.decode()
        ends = {line.end for line in lines(content, PLAIN)} - {b""}
    except ValueError:
        return False
    return b"\x00" not in content and len(ends) < 2


def test_the_line_of_a_quote_out_of_place_is_where_its_cell_begins():
    for content in (b'a\n"x', b'a\nx"y"\n', b'a\n"x"y\n', b'a\n"x\n\n'):
        scan = scanned(io.BytesIO(content), PLAIN)
        assert scan.problem == csvtext.STRAY_QUOTE
        assert csvtext.line_of_problem(io.BytesIO(content), PLAIN, scan.problem) == 2


def test_characters_at_the_ends_of_blocks(monkeypatch):
    """A character of several bytes goes on in the next block; one that breaks off there is none, in ASCII too."""
    whole = "x,é€🙂\n1,🙂€é\n".encode()
    for size in range(1, len(whole) + 1):
        monkeypatch.setattr(csvtext, "BLOCK", size)
        assert not scanned(io.BytesIO(whole), PLAIN).problem
        for start, rest in ((b"\xc3", b"\xa9"), (b"\xe2\x82", b"\xac"), (b"\xf0\x9f\x99", b"\x82")):
            for end in (b"", b"1\n", b"\n1,2,3,4,5,6,7\n", b"1" + rest, b"1,2,3\n" + rest + b"\n"):
                broken = b"x\n" + start + end
                assert scanned(io.BytesIO(broken), PLAIN).problem == csvtext.NOT_TEXT, (size, broken)


def test_the_definition_knows_the_longest_row_and_what_an_empty_line_is(monkeypatch):
    monkeypatch.setattr(csvform, "ROW_BYTES", 100)
    longest = b"y" * 100
    assert read(b"x\n" + longest + b"\n", PLAIN)[1] == [[longest.decode()]]
    for content in (b"x\n" + longest + b"y\n", b"x\n" + longest + b"y", longest + b"y\n1\n"):
        with pytest.raises(NotWellFormed):
            read(content, PLAIN)
    assert read(b"x\n\n1\n", PLAIN)[1] == [[None], ["1"]]
    assert read(b"x\n\nNA\n1\n", CsvDialect(null="NA"))[1] == [[None], ["1"]]
    assert read(b"x,y\n\n1,2\n", PLAIN)[1] == [["1", "2"]]


def test_line_ends_at_the_ends_of_blocks(monkeypatch):
    whole = b'x,y\r\n"1\r",2\r\n"\n""\n",3\r\n,"\r\n"\r\n'
    for size in range(1, len(whole) + 1):
        monkeypatch.setattr(csvtext, "BLOCK", size)
        for more, ends in ((b"", {"CR LF"}), (b"1,2\n", {"CR LF", "LF"}), (b"1,2\r", {"CR LF", "CR"})):
            assert scanned(io.BytesIO(whole + more), PLAIN).ends == ends


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("cell", [b"y" * 33_000_000, b'"' + b"y\n" * 16_500_000 + b'"'], ids=["plain", "quoted"])
def test_a_row_beyond_the_buffer_of_the_engine_is_refused_and_not_dropped(end, cell, tmp_path):
    """DuckDB alone leaves such a row out where it is the last one, without a word."""
    for last in (b"", end):
        path = written(tmp_path, b"x,g" + end + b"1,a" + end + b"2," + cell + last)
        with pytest.raises(DataError, match=f"longer than {ROW_BYTES} bytes|mixes line ends"):
            open_table(path).aggregates([Count()])


def test_the_longest_row_is_read_and_one_byte_more_is_refused(tmp_path):
    for size, rows in ((ROW_BYTES, 1), (ROW_BYTES + 1, None)):
        content = b"x,g\n1," + b"y" * (size - 2) + b"\n"
        assert told(open_table(written(tmp_path, content)), b"x\n", PLAIN) == (
            rows and (rows, {Count(): (1,), Sum(column=X): (1,)})
        )


def test_the_statement_that_is_shown_does_not_depend_on_any_cell(tmp_path):
    texts = set()
    for cells in (b"1,a\n", b'"1","a"\n', b'1,"a\nb"\n', b"", b'1,"never closed\n'):
        texts.add(open_table(written(tmp_path, b"x,g\n" + cells)).statement([Sum(column=X)]))
    assert len(texts) == 1
    assert "parallel = COALESCE(getvariable('snapdp_parallel'), false)" in texts.pop()


@pytest.mark.parametrize("name", ["t.csv.GZ", "t.CSV.GZ", "t.Csv.gz", "t.tsv.gz", "t.csv.bz2", "t.txt.zst", "t.csv.Gz"])
def test_a_compressed_text_that_engines_read_differently_is_refused(name, tmp_path):
    for kind in (None, "local[1]"):  # before a session is started
        with pytest.raises(DataError, match="compressed text that engines read differently"):
            open_table(written(tmp_path, gzip.compress(b"x\n1\n"), name), spark=kind)


def test_a_gzip_file_is_read_to_its_end_or_refused(tmp_path):
    whole = gzip.compress(b"x\n1\n") + gzip.compress(b"2\n")
    assert open_table(written(tmp_path, whole, "t.csv.gz")).aggregates([Sum(column=X)])[Sum(column=X)] == (3,)
    for cut in (1, 4, 9):
        with pytest.raises(DataError, match="to its end"):
            open_table(written(tmp_path, whole[:-cut], "t.csv.gz")).aggregates([Count()])
