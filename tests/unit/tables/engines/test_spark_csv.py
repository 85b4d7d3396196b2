"""CSV on Spark: it accepts no file that the definition refuses, and where it accepts, the integers are DuckDB's."""

from __future__ import annotations

import collections
import csv
import gzip
import io
import os

import duckdb
import pytest

from snapdp.errors import DataError, ParameterError
from snapdp.studies.aggregates import Categories, Count, Persons, Sum
from snapdp.studies.columns import category_column, integer_column
from snapdp.studies.csv_dialect import DELIMITERS, QUOTES, CsvDialect
from snapdp.tables.engines.opening import open_table
from snapdp.tables.engines.spark_csv import CsvLines, headed
from snapdp.tables.sources.csv_form import BOM, ROW_BYTES, NotWellFormed, lines, read
from tests.services import on_spark
from tests.tiers import first_of, one_in
from tests.unit.tables.csvfuzz import files, translated, written

pytestmark = on_spark
PLAIN = CsvDialect()
X = integer_column("x", lower=0, upper=1000, missing=7)
G = category_column("g", categories=["north", "south"], unknown="binned", null="binned")
ASKED = [Count(), Sum(column=X), Categories(column=G)]


def refused_on_spark(content: bytes, quote: bytes = b'"') -> bool:
    """Tell whether the guide names a file that DuckDB reads and Spark does not: a line end inside quotes."""
    if quote not in content:
        return False
    inside = [piece for number, piece in enumerate(content.split(quote)) if number % 2]
    return any(b"\r" in piece or b"\n" in piece for piece in inside)


def is_headed(content: bytes, header: bytes, end: bytes, dialect: CsvDialect) -> bool:
    """Tell whether a sound file begins with the header that all of them should have."""
    line = next(iter(lines(content, dialect)))
    return line.end in (end, b"") and content.removeprefix(BOM)[: line.size] == header


def rows_of(content: bytes, dialect: CsvDialect = PLAIN) -> list[tuple[str | None, ...]] | None:
    try:
        return [tuple(row) for row in read(content, dialect)[1]]
    except NotWellFormed:
        return None


def agree(session, folder, header, end, more, dialect=PLAIN):
    """Judge many files of one header in one scan, then read all that are sound in another."""
    first = header + end + b"," * header.count(b",") + end  # decides what the header is
    contents = [translated(each, dialect) for each in (first, *more)]
    header = translated(header, dialect)
    paths = [str(written(folder, content, f"{i:05}.csv")) for i, content in enumerate(contents)]
    table = CsvLines(session.read, paths, dialect, headed(session.read, paths[0], dialect))
    judged = {
        int(os.path.basename(row.path)[:5]): not row.broken and row.starts and row.whole and row.headers
        for row in table.summary().collect()
    }
    known = [rows_of(content, dialect) for content in contents]
    for number, content in enumerate(contents):
        sound_here = known[number] is not None and not refused_on_spark(content, dialect.quote.encode())
        wanted = sound_here and is_headed(content, header, end, dialect)
        assert bool(judged.get(number)) == wanted, content
    sound = [number for number in judged if judged[number]]
    assert len(contents) / 8 < len(sound) < 7 * len(contents) / 8
    table = CsvLines(session.read, [paths[number] for number in sound], dialect, table.first)
    found = collections.Counter(map(tuple, table.frame(table.check(len(sound))).collect()))
    assert found == collections.Counter(row for number in sound for row in known[number])


HEADERS = {b"x,g": b"\n", b"g": b"\r\n", b'"x",g,y': b"\r"}


@pytest.mark.parametrize("header", first_of(HEADERS))
def test_spark_reads_generated_files_as_the_definition_says(header, spark, tmp_path):
    end = HEADERS[header]
    agree(spark, tmp_path, header, end, files(31, 60, header=header, end=end))


FORMATS = [
    CsvDialect(delimiter=";", decimal=",", thousands=".", encoding="latin-1", null=["NA", "."]),
    CsvDialect(delimiter="|", quote="'", thousands=" ", null=["a", "é", "N"]),
]


@pytest.mark.parametrize("dialect", first_of(FORMATS), ids=repr)
def test_spark_reads_other_encodings_and_null_texts_as_the_definition_says(dialect, spark, tmp_path):
    agree(spark, tmp_path, b"x,g", b"\n", files(32, 60, header=b"x,g", end=b"\n", numbers=True), dialect)


@pytest.mark.long
@pytest.mark.parametrize("dialect", FORMATS, ids=repr)
@pytest.mark.parametrize("header", HEADERS)
def test_spark_reads_thousands_of_files_of_other_formats_as_the_definition_says(header, dialect, spark, tmp_path):
    end = HEADERS[header]
    agree(spark, tmp_path, header, end, files(42, 1500, header=header, end=end, numbers=True), dialect)


def test_a_file_from_a_spreadsheet_gives_the_integers_of_duckdb(spark, tmp_path):
    dialect = FORMATS[0]
    content = 'Ort;x\nKöln;1.000\n"Köln";12,5\nZürich;12.5\nNA;NA\n"NA";999,9\n;.\n'.encode("latin-1")
    g = category_column("Ort", categories=["Köln", "Zürich", "NA"], unknown="binned", null="binned")
    asked = [Count(), Sum(column=X), Categories(column=g)]
    tables = [open_table(written(tmp_path, content), spark=engine, dialect=dialect) for engine in (None, spark)]
    assert tables[0].aggregates(asked) == tables[1].aggregates(asked)
    assert tables[1].aggregates(asked)[Categories(column=g)] == (2, 1, 1, 0, 2)
    assert tables[1].aggregates(asked)[Sum(column=X)] == (1000 + 13 + 7 + 7 + 1000 + 7,)
    assert tables[1].csv == tables[0].csv == dialect.stated()


def test_what_is_no_latin_1_is_refused_on_spark_too(spark, tmp_path):
    latin = CsvDialect(encoding="latin-1")
    for number, wrong in enumerate((b"x,g\n1,\x80\n", BOM + b"x,g\n1,a\n", b"x,\x93\n1,a\n")):
        path = written(tmp_path, wrong, f"{number}.csv")
        for engine in (None, spark):
            with pytest.raises(DataError):
                open_table(path, spark=engine, dialect=latin).aggregates([Count()])
    packed = written(tmp_path, gzip.compress(b"x,g\n1,\xe9\n"), "t.csv.gz")
    assert open_table(packed, dialect=latin).aggregates(ASKED).rows == 1
    with pytest.raises(DataError, match="in UTF-8 only"):
        open_table(packed, spark=spark, dialect=latin).aggregates(ASKED)


@pytest.mark.long
def test_the_format_of_numbers_is_part_of_the_fingerprint_on_spark(spark, tmp_path):
    """Equal cells are other numbers: an answer about one is none about the other."""
    path = written(tmp_path, b"x;g\n1;a\n")
    kinds = [
        CsvDialect(delimiter=";"),
        CsvDialect(delimiter=";", decimal=","),
        CsvDialect(delimiter=";", thousands=","),
    ]
    assert len({open_table(path, spark=spark, dialect=each).fingerprint() for each in kinds}) == 3


def test_a_dialect_for_what_is_no_csv_file_is_refused_on_spark(spark, tmp_path):
    for given, more in ((spark.range(1), {}), (spark, {"table": "t"}), (tmp_path / "t.parquet", {"spark": spark})):
        with pytest.raises(ParameterError, match="have no dialect"):
            open_table(given, dialect=CsvDialect(), **more)


@pytest.mark.long
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("header", HEADERS)
def test_spark_reads_thousands_of_generated_files_as_the_definition_says(header, end, spark, tmp_path):
    agree(spark, tmp_path, header, end, files(41, 1500, header=header, end=end))


@pytest.mark.parametrize("end", first_of(["\r\n", "\n", "\r"]))
def test_no_line_is_lost_or_read_twice_where_pieces_of_a_file_meet(end, spark, tmp_path):
    """The same file cut at every few bytes, by other sizes: pieces end inside lines, line ends and characters."""
    text = "x,g" + end + end.join(f'{i},"é{i}"' if i % 3 else f"{i}," for i in range(20))
    path = written(tmp_path, text.encode())
    before = spark.conf.get("spark.sql.files.maxPartitionBytes")
    try:
        for size in (13, 16):
            spark.conf.set("spark.sql.files.maxPartitionBytes", str(size))
            assert open_table(path, spark=spark).aggregates(ASKED) == open_table(path).aggregates(ASKED)
    finally:
        spark.conf.set("spark.sql.files.maxPartitionBytes", before)


def planted(line_end: str) -> str:
    """Return one row whose last cell imitates a thousand rows, as a CSV writer writes it."""
    stream = io.StringIO(newline="")
    cell = line_end.join(["hi", *["q,north,1000,x"] * 1000])
    csv.writer(stream, lineterminator="\n").writerow(["q", "north", 1, cell])
    return stream.getvalue()


PEOPLE = "id,g,x,note\n" + "".join(f"p{i},south,{i},\n" for i in range(50))


@pytest.mark.parametrize("line_end", ["\n", "\r", "\r\n"])
def test_one_row_is_never_a_thousand_and_one(line_end, spark, tmp_path):
    """It was: count 50 became 1051 on Spark and 51 on DuckDB."""
    path = written(tmp_path, (PEOPLE + planted(line_end)).encode())
    assert open_table(path).aggregates(ASKED).rows == 51
    one = Count(persons=Persons(columns=("id",), most=1))
    assert open_table(path).aggregates([one])[one] == (51,)
    with pytest.raises(DataError, match="not well formed"):
        open_table(path, spark=spark).aggregates(ASKED)


def test_the_reader_of_spark_alone_would_be_found(spark, tmp_path):
    """What was used before: the comparison with the definition sees every one of these."""
    options = {"header": True, "quote": '"', "escape": '"', "multiLine": False, "mode": "PERMISSIVE", "nullValue": ""}
    blank = b"x\ty\n1\t2\n\t\n"
    assert read(blank, CsvDialect(delimiter="\t"))[1] == [["1", "2"], [None, None]]
    assert spark.read.csv(str(written(tmp_path, blank)), sep="\t", **options).count() == 1
    for content, rows in (
        ((PEOPLE + planted("\n")).encode(), 1051),
        (b"x,g\nM\xfcller,1\n", 1),
        (b'x,g\n1,"2\n', 1),
        (b"x,g\n1,2\r\n3,4\n", 2),
    ):
        found = spark.read.csv(str(written(tmp_path, content)), **options)
        assert found.count() == rows
        assert [tuple(row) for row in found.collect()] != rows_of(content)


def test_a_folder_of_files_and_a_stored_name_with_capitals_are_read(spark, tmp_path):
    folder = tmp_path / "people.csv"
    folder.mkdir()
    for i in range(3):
        written(folder, f"x,g\n{i},north\n".encode(), f"part-{i}.CSV")
    written(folder, b"", "_SUCCESS")
    assert open_table(f"{folder}/", spark=spark).aggregates(ASKED)[Sum(column=X)] == (3,)
    written(folder, b"x,g\n", "notes.md")
    with pytest.raises(DataError, match="none by its name"):
        open_table(folder, spark=spark).aggregates(ASKED)


REFUSED = [
    b"M\xfcller,south,1,\nM\xf6ller,south,1,\n",
    b"a,north,1,\r\n",
    b'a,nor"th,1,\n',
    b'a,"north,1,\n',
    b"a,north\n",
    b"a,north,1,,x\n",
    b"a\x00,north,1,\n",
    b"a,north,1," + b"y" * ROW_BYTES + b"\n",
]


@pytest.mark.parametrize("more", one_in(2, REFUSED))
def test_what_duckdb_refuses_spark_refuses(more, spark, tmp_path):
    """Bytes of Latin-1 were replaced, so that three persons became one; other line ends and stray quotes were read."""
    path = written(tmp_path, PEOPLE.encode() + more)
    for engine in (None, spark):
        with pytest.raises(DataError):
            open_table(path, spark=engine).aggregates(ASKED)


def test_a_row_that_looks_like_the_header_is_a_row(spark, tmp_path):
    paths = [written(tmp_path, BOM * i + b"x,g\nx,g\n1,north\nx,g\n", f"{i}.csv") for i in range(2)]
    table = open_table(paths, spark=spark)
    assert table.aggregates(ASKED).rows == 6
    assert table.aggregates(ASKED)[Categories(column=G)] == (2, 0, 4, 0)
    first = table.fingerprint()
    paths[0].write_bytes(b"x,g\nx,g\n1,north\nx,g\nx,g\n")
    assert table.aggregates(ASKED).rows == 7
    assert table.fingerprint() != first


def test_files_without_the_one_header_are_refused(spark, tmp_path):
    for wrong in (b"1,north\nx,g\n", b"g,x\n", b"x,g\r\n"):
        paths = [written(tmp_path, b"x,g\n1,north\n", "1.csv"), written(tmp_path, wrong, "2.csv")]
        with pytest.raises(DataError, match="one header"):
            open_table(paths, spark=spark).aggregates(ASKED)


def test_compressed_files_and_another_null_text_are_read_as_by_duckdb(spark, tmp_path):
    dialect = CsvDialect(delimiter="|", quote="'", null="NA")
    path = written(tmp_path, gzip.compress(b"x|g\n1|'NA'\nNA|NA|NA\n2|'nor''th'\n\n|'|'\n"), "t.csv.gz")
    g = category_column("g", categories=["NA", "nor'th", "|"], unknown="binned", null="binned")
    asked = [Count(), Sum(column=X), Categories(column=g)]
    tables = [open_table(path, spark=engine, dialect=dialect) for engine in (None, spark)]
    assert tables[0].aggregates(asked) == tables[1].aggregates(asked)
    assert tables[1].aggregates(asked)[Categories(column=g)] == (1, 1, 1, 0, 1)


def test_a_second_byte_order_mark_is_part_of_a_name_as_the_definition_says(spark, tmp_path):
    for marks, known in ((1, True), (2, False)):
        path = written(tmp_path, BOM * marks + b"x,g\n1,north\n", f"{marks}.csv")
        assert (read(path.read_bytes(), PLAIN)[0][0] == "x") is known
        for engine in (None, spark):
            table = open_table(path, spark=engine)
            if known:
                assert table.aggregates([Sum(column=X)]).rows == 1
            else:
                with pytest.raises(DataError, match="no column named 'x'"):
                    table.aggregates([Sum(column=X)])


@pytest.mark.parametrize("every", first_of([4, 1]))
def test_every_allowed_delimiter_and_quote_is_read_as_the_definition_says(every, spark, tmp_path):
    pairs = [(each, QUOTES[i % 3 if each not in QUOTES else 0]) for i, each in enumerate(DELIMITERS)]
    pairs = [*pairs, *((",", each) for each in QUOTES[3:])][::every]
    for number, (delimiter, quote) in enumerate(pairs):
        dialect = CsvDialect(delimiter=delimiter, quote=quote)
        rows = [b'1,"a"', b'2,"a""b"', b'3,"a,b"', b'"4",', b',""', b"5, ", b"", b'"",""""']
        content = b"\n".join([b"x,g", *rows]).replace(b",", b"\x00").replace(b'"', quote.encode())
        content = content.replace(b"\x00", delimiter.encode())
        labels = ["a", f"a{quote}b", f"a{delimiter}b", "", " ", quote]
        g = category_column("g", categories=labels, unknown="binned", null="binned")
        cells = [row[1] for row in read(content, dialect)[1]]
        table = open_table(written(tmp_path, content, f"{number}.csv"), dialect=dialect, spark=spark)
        assert table.aggregates([Categories(column=g)])[Categories(column=g)] == (*map(cells.count, labels), 0, 1)


def test_no_text_is_taken_for_a_setting(spark, tmp_path, monkeypatch):
    """${name} in a category was replaced by a setting, or by nothing, and its rows were counted elsewhere."""
    monkeypatch.setenv("SNAPDP_SECRET", "north")
    spark.conf.set("snapdp.side", "north")
    names = ["${snapdp.side}", "${env:SNAPDP_SECRET}", "${nothing}", "$", "north", "{}"]
    few = category_column("${snapdp.side}", categories=names, unknown="binned")
    many = category_column("${snapdp.side}", categories=[*names, *map(str, range(100))], unknown="binned")
    path = written(tmp_path, b"${snapdp.side},y\n" + b"".join(f"{n},1\n".encode() for n in names), "${x}.csv")
    written(tmp_path, b"wrong,y\n", "$x.csv")
    one = Persons(columns=("${snapdp.side}",), most=1)
    asked = [Categories(column=few), Categories(column=many)]
    people = [Count(persons=one)]
    tables = [open_table(path), open_table(path, spark=spark)]
    try:
        for ask, salt in ((asked, ""), (people, "${snapdp.side}")):
            assert tables[0].aggregates(ask, salt=salt) == tables[1].aggregates(ask, salt=salt)
        assert tables[1].aggregates(asked)[asked[0]] == (1, 1, 1, 1, 1, 1, 0)
    finally:
        spark.conf.unset("snapdp.side")
    with pytest.raises(ParameterError, match="for certain"):
        open_table(spark, table="t${x}")


def test_a_table_that_is_stored_as_csv_is_refused(spark, tmp_path):
    spark.sql(f"CREATE TABLE snapdp_csv (x STRING) USING csv LOCATION '{tmp_path}/stored'")
    try:
        for action in (lambda t: t.aggregates([Count()]), lambda t: t.fingerprint()):
            with pytest.raises(DataError, match="stored as CSV"):
                action(open_table(spark, table="snapdp_csv"))
    finally:
        spark.sql("DROP TABLE snapdp_csv")


def test_the_settings_of_a_session_do_not_matter(spark, tmp_path):
    path = written(tmp_path, b'x,g\n1,north\n"2","so""uth"\n,\n')
    whole = open_table(path).aggregates(ASKED)
    cut = written(tmp_path, gzip.compress(PEOPLE.encode() * 50)[:-20], "cut.csv.gz")
    settings = {
        "spark.sql.files.ignoreCorruptFiles": "true",
        "spark.sql.files.ignoreMissingFiles": "true",
        "spark.sql.parser.escapedStringLiterals": "true",
        "spark.sql.ansi.enabled": "false",
        "spark.sql.caseSensitive": "true",
    }
    before = {name: spark.conf.get(name) for name in settings}
    try:
        for name, value in settings.items():
            spark.conf.set(name, value)
        assert open_table(path, spark=spark).aggregates(ASKED) == whole
        with pytest.raises(DataError):
            open_table(cut, spark=spark).aggregates(ASKED)
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_file_is_counted_once_on_spark(link, spark, tmp_path):
    path = written(tmp_path, b"x,g\n1,north\n", "a.csv")
    with pytest.raises(DataError, match="named twice"):
        open_table([path, path], spark=spark).aggregates(ASKED)
    link(path, tmp_path / "b.csv")
    for given in ([path, tmp_path / "b.csv"], tmp_path / "*.csv"):
        with pytest.raises(DataError, match="one file, named twice"):
            open_table(given, spark=spark).aggregates(ASKED)


def test_a_file_that_changes_while_it_is_read_is_refused_on_spark(spark, tmp_path):
    path = written(tmp_path, b"x,g\n1,north\n")
    table = open_table(path, spark=spark)
    select = table._select

    def slow(*given):
        path.write_bytes(b"x,g\n1,north\n2,south\n")
        return select(*given)

    table._select = slow
    with pytest.raises(DataError):
        table.aggregates(ASKED)


def test_an_empty_file_is_refused_in_any_order_by_files_folder_and_pattern(spark, tmp_path):
    """It was left out behind another file, and refused before it."""
    folder = tmp_path / "people.csv"
    folder.mkdir()
    full, empty = written(folder, b"x,g\n1,north\n", "a.csv"), written(folder, b"", "b.csv")
    for given in ([full, empty], [empty, full], [empty], folder, folder / "*.csv", folder / "{a,b}.csv"):
        with pytest.raises(DataError, match="empty"):
            open_table(given, spark=spark).aggregates(ASKED)
    with pytest.raises(DataError, match="no header"):
        open_table(empty).aggregates(ASKED)
    empty.unlink()
    assert open_table(folder / "*.csv", spark=spark).aggregates(ASKED).rows == 1


def test_a_file_that_spark_would_leave_out_by_its_name_is_refused(spark, tmp_path):
    """Among others it was left out without a word, and DuckDB counted its rows."""
    full = written(tmp_path, b"x,g\n1,north\n", "a.csv")
    for name in ("_b.csv", ".b.csv", "_[b].csv"):
        other = written(tmp_path, b"x,g\n1,north\n", name)
        for given in ([full, other], [other], [full, "s3a://lake/_b.csv"]):
            with pytest.raises(DataError, match="leaves out"):
                open_table(given, spark=spark).aggregates(ASKED)
        if name.startswith("_"):
            for pattern in (tmp_path / "*.csv", f"file://{tmp_path}/*.csv", tmp_path / "_*.csv"):
                with pytest.raises(DataError, match="leaves out"):
                    open_table(pattern, spark=spark).aggregates(ASKED)
        other.unlink()


def test_a_pattern_means_the_same_files_as_on_duckdb(spark, tmp_path):
    """Spark read a folder that a pattern meets, with all files in it; DuckDB left it out. Now both refuse it."""
    (tmp_path / "c.parquet").mkdir()
    for name in ("a.parquet", "b.parquet", "c.parquet/d.parquet"):
        duckdb.sql(f"COPY (SELECT 1 AS x, 'north' AS g) TO '{tmp_path / name}' (FORMAT parquet)")
    for engine in (None, spark):
        for pattern, rows in (("*/*.parquet", 1), ("**/*.parquet", 3), ("[ab].parquet", 2)):
            assert open_table(f"{tmp_path}/{pattern}", spark=engine).aggregates(ASKED).rows == rows
        with pytest.raises(DataError, match="is a directory"):
            open_table(f"{tmp_path}/*.parquet", spark=engine).aggregates(ASKED)
