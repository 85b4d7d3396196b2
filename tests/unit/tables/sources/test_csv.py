"""CSV: one definition of a well-formed file, the same on DuckDB as in plain Python, whatever the bytes are."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import random

import pytest

from snapdp.errors import DataError, ParameterError
from snapdp.studies.aggregates import Categories, Count, Persons, Sum
from snapdp.studies.columns import category_column
from snapdp.studies.csv_dialect import DELIMITERS, QUOTES, CsvDialect
from snapdp.tables.engines.opening import open_table
from snapdp.tables.sources import csv as csvtext, csv_form as csvform
from snapdp.tables.sources.csv import CsvSource, scanned
from snapdp.tables.sources.csv_form import BOM, ROW_BYTES, NotWellFormed, lines, read
from snapdp.tables.sql.stored import Rows
from snapdp.values import replaced
from tests.tiers import first_of, one_in
from tests.unit.tables.csvfuzz import X, expected, files, told, translated, written

PLAIN, LATIN = CsvDialect(), CsvDialect(encoding="latin-1")
KNOWN = [*((",", each) for each in QUOTES), *((each, '"') for each in DELIMITERS[1:])]
DIALECTS = [PLAIN, CsvDialect(null="NA"), CsvDialect(delimiter=";"), CsvDialect(quote="'"), CsvDialect(delimiter="\t")]
FORMATS = [
    CsvDialect(delimiter=";", decimal=",", thousands=".", encoding="latin-1", null=["NA", "."]),
    CsvDialect(thousands=",", null=["NA", "a", "é"]),
    CsvDialect(delimiter="\t", decimal=",", thousands="\u00a0", null=["1"], encoding="latin-1"),
    CsvDialect(delimiter="|", quote="'", thousands=" ", null=["."]),
]


def agree(folder, seed, count, dialect=PLAIN):
    accepted = 0
    for each in files(seed, count, numbers=dialect in FORMATS):
        content = translated(each, dialect)
        table = open_table(written(folder, content), dialect=dialect)
        known = None if only_duckdb_refuses(content, dialect) else expected(content, dialect)
        assert told(table, content, dialect) == known, content
        accepted += known is not None
    assert count / 8 < accepted < 7 * count / 8  # both sides of the definition are met


def only_duckdb_refuses(content: bytes, dialect: CsvDialect) -> bool:
    """Tell whether a file has a byte order mark and a first name in quotes that holds a delimiter: theory (11)."""
    with contextlib.suppress(NotWellFormed):
        names, _ = read(content, dialect)
        return content.startswith(BOM + dialect.quote.encode()) and dialect.separator in names[0]
    return False


@pytest.mark.parametrize("count", first_of([30, 120]))
def test_duckdb_reads_generated_files_as_the_definition_says(tmp_path, count):
    agree(tmp_path, seed=11, count=count)


@pytest.mark.parametrize("dialect", DIALECTS[1:], ids=repr)
def test_duckdb_reads_other_dialects_as_the_definition_says(dialect, tmp_path):
    agree(tmp_path, seed=12, count=25, dialect=dialect)


@pytest.mark.parametrize("dialect", FORMATS, ids=repr)
@pytest.mark.parametrize(("seed", "count"), [(14, 16), pytest.param(2014, 1500, marks=pytest.mark.long)])
def test_duckdb_reads_other_numbers_encodings_and_null_texts_as_the_definition_says(seed, count, dialect, tmp_path):
    agree(tmp_path, seed=seed, count=count, dialect=dialect)


@pytest.mark.parametrize(("delimiter", "quote"), one_in(3, KNOWN))
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


@pytest.mark.parametrize("dialect", [PLAIN, CsvDialect(null="NA"), CsvDialect(null=["NA"])], ids=repr)
def test_the_pass_over_the_bytes_counts_the_rows_of_the_definition(dialect, monkeypatch):
    for size in (3, 4, 7, 1 << 22):
        monkeypatch.setattr(csvtext, "BLOCK", size)
        for content in files(31, 300):
            with contextlib.suppress(NotWellFormed):
                names, rows = read(content, dialect)
                scan = scanned(io.BytesIO(content), dialect)
                assert scan.lines - 1 - (0 if len(names) == 1 and "" in dialect.nulls else scan.empty) == len(rows)


@pytest.mark.parametrize("persons", [None, Persons(columns=("g",), most=1)])
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


@pytest.mark.parametrize("size", [3, 7, 1 << 22])
def test_the_bytes_of_latin_1_are_judged_alike_wherever_blocks_end(size, monkeypatch):
    monkeypatch.setattr(csvtext, "BLOCK", size)
    for each in files(23, 300):
        content = translated(each, LATIN)
        known = all(not 0x80 <= byte < 0xA0 for byte in content) and not content.startswith(BOM)
        try:
            known = known and len({line.end for line in lines(content, LATIN)} - {b""}) < 2 and b"\x00" not in content
        except NotWellFormed:
            known = False
        assert (scanned(io.BytesIO(content), LATIN).problem == "") == known, content


def test_latin_1_is_read_byte_by_byte_in_names_and_cells(tmp_path):
    every = bytes(byte for byte in range(1, 256) if byte not in b'\r\n",' and not 0x80 <= byte < 0xA0)
    name = category_column("Größe", categories=[every.decode("latin-1"), "Köln", "K\u00c3\u00b6ln"], unknown="binned")
    asked = Categories(column=name)
    content = "Größe,x\n".encode("latin-1") + every + ',1\nKöln,2\n"Köln",3\n'.encode("latin-1")
    assert read(content, LATIN)[1] == [[every.decode("latin-1"), "1"], ["Köln", "2"], ["Köln", "3"]]
    path = written(tmp_path, content)
    assert open_table(path, dialect=LATIN).aggregates([asked])[asked] == (1, 2, 0, 0)
    packed = written(tmp_path, gzip.compress(content), "t.csv.gz")
    assert open_table(packed, dialect=LATIN).aggregates([asked])[asked] == (1, 2, 0, 0)
    with pytest.raises(DataError, match=r"line 1 of .* is not in UTF-8") as refused:
        open_table(path).aggregates([asked])
    assert refused.value.numbers == {"line": 1, "encoding": "latin-1"}


def test_a_file_of_windows_1252_is_no_latin_1(tmp_path):
    for byte in (0x80, 0x85, 0x93, 0x9F):
        path = written(tmp_path, b"x,g\n1,a\n2," + bytes([byte]) + b"\n")
        with pytest.raises(DataError, match=r"line 3 of .* is not in Latin-1") as refused:
            open_table(path, dialect=LATIN).aggregates([Count()])
        assert refused.value.numbers == {"line": 3}


def test_a_file_that_is_marked_as_utf_8_is_not_read_in_another_encoding(tmp_path):
    """Its letters would be two each, and belong to no category."""
    path = written(tmp_path, BOM + "x,g\n1,é\n".encode())
    with pytest.raises(NotWellFormed, match="begins with the mark of UTF-8"):
        read(path.read_bytes(), LATIN)
    with pytest.raises(DataError, match="begins with the mark of UTF-8"):
        open_table(path, dialect=LATIN).aggregates([Count()])
    odd = written(tmp_path, BOM + b'"x,",g\n1,2\n', "odd.csv")
    assert only_duckdb_refuses(odd.read_bytes(), PLAIN)
    with pytest.raises(DataError, match="begins with a byte order mark and a name in quotes"):
        open_table(odd).aggregates([Count()])
    assert open_table(path).aggregates([Count()]).rows == 1


def test_the_longest_row_of_latin_1_is_counted_in_its_own_bytes(tmp_path):
    for size, rows in ((ROW_BYTES, 1), (ROW_BYTES + 3, None)):
        path = written(tmp_path, b"x,g\n1," + b"\xe9" * (size - 2) + b"\n")
        assert told(open_table(path, dialect=LATIN), b"x\n", LATIN) == (
            rows and (rows, {Count(): (1,), Sum(column=X): (1,)})
        )


@pytest.mark.long
def test_a_large_file_of_latin_1_is_read_whole_wherever_buffers_end(tmp_path):
    draw = random.Random(5)
    labels = ["é" * size + "ü" for size in range(40)]
    column = category_column("g", categories=labels, unknown="binned")
    for end, quote in (("\n", ""), ("\r\n", '"')):
        drawn = [draw.randrange(40) for _ in range(3_000_000)]
        lines = ["x,g", *(f"{i % 7},{quote}{labels[each]}{quote}" for i, each in enumerate(drawn))]
        path = written(tmp_path, end.join(lines).encode("latin-1"))
        asked = [Categories(column=column), Sum(column=X)]
        found = open_table(path, dialect=LATIN).aggregates(asked)
        assert found[asked[0]] == (*(drawn.count(each) for each in range(40)), 0)
        assert found[asked[1]] == (sum(i % 7 for i in range(3_000_000)),)


OTHERS = {"a dict": {"x": [1]}, "an Arrow table": None, "a PostgreSQL table": "postgresql://nowhere/x"}


@pytest.mark.parametrize("kind", [*OTHERS, "t.parquet", "t.duckdb", "*.parquet"])
def test_a_dialect_for_what_is_no_csv_file_is_refused(kind, tmp_path):
    """It would go unread, and whoever declared it would think otherwise."""
    import pyarrow

    given = {**OTHERS, "an Arrow table": pyarrow.table({"x": [1]})}.get(kind, tmp_path / kind)
    with pytest.raises(ParameterError, match=r"no CSV files? (and has|have) no dialect"):
        open_table(given, table="t" if kind in ("t.duckdb", "a PostgreSQL table") else None, dialect=CsvDialect())


def test_another_dialect_is_another_table_to_the_ledger(tmp_path):
    path = written(tmp_path, b"x,g\n1,a\n")
    kinds = [PLAIN, CsvDialect(decimal=","), CsvDialect(thousands="_"), LATIN, CsvDialect(null=["NA"])]
    marks = {open_table(path, dialect=each).fingerprint() for each in kinds}
    assert len(marks) == len(kinds)
    assert open_table(path, dialect=PLAIN).fingerprint() == open_table(path).fingerprint()


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


@pytest.mark.parametrize("end", first_of([b"\n", b"\r\n", b"\r"]))
@pytest.mark.parametrize(
    "cell", first_of([b'"' + b"y\n" * 16_500_000 + b'"', b"y" * 33_000_000]), ids=["quoted", "plain"]
)
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
