"""Files of keys: what is read, what is refused with which row, and that answers are those of the definition."""

from __future__ import annotations

import random
from pathlib import Path

import duckdb
import numpy as np
import pytest

from snapdp.errors import BoundError, DataError, ParameterError, PremiseError
from snapdp.studies.aggregates import Bins, Categories, Count, Levels, People, Persons, Present, Sum
from snapdp.studies.columns import INLINE, category_column, integer_column, number_column
from snapdp.studies.grouping.keys import LONGEST_KEY, digest_of_keys, keyed_groups
from snapdp.tables import keys as module
from snapdp.tables.engines.engine import statement
from snapdp.tables.engines.opening import open_table
from snapdp.tables.keys import read_keys
from snapdp.tables.sql.dialects import DUCKDB, POSTGRES
from snapdp.tables.sql.persons import LIMB, array_answers
from snapdp.values import replaced

HOSTILE = ["", ",", '"', "'", "a\nb", "\r", " a", "\x1b[31m", "Ä", "𝄞", "NULL", "1.0", "x" * LONGEST_KEY]


def parquet(path: Path, statement: str) -> Path:
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({statement}) TO '{path}' (FORMAT PARQUET)")
    return path


def csv(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


def quoted(text: str) -> str:
    return '"{}"'.format(text.replace('"', '""'))


def test_keys_are_the_columns_by_name_in_the_order_of_rows(tmp_path):
    path = csv(tmp_path / "k.csv", "other,h,g\n1,p,b\n2,q,a\n3,q,b\n")
    found = read_keys(path, ["g", "h"])
    assert found.listed == (("b", "p"), ("a", "q"), ("b", "q"))
    assert (found.count, found.names, found.compare) == (3, ("g", "h"), ("text", "text"))
    assert found.digest == digest_of_keys(["g", "h"], found.listed)
    assert found.given == str(path)


def test_hostile_texts_are_keys_and_csv_and_parquet_are_one_list(tmp_path):
    one = read_keys(csv(tmp_path / "k.csv", "g\n" + "".join(f"{quoted(each)}\n" for each in HOSTILE)), ["g"])
    with duckdb.connect() as connection:
        connection.register("texts", {"g": np.array(HOSTILE, dtype=object)})
        connection.execute(f"COPY (SELECT * FROM texts) TO '{tmp_path / 'k.parquet'}' (FORMAT PARQUET)")
    two = read_keys(tmp_path / "k.parquet", ["g"])
    assert one == two
    assert [text for (text,) in one.listed] == HOSTILE


def test_whole_numbers_are_the_text_they_print_and_compare_as_numbers(tmp_path):
    one = read_keys(parquet(tmp_path / "k.parquet", "SELECT unnest([3, -1, 0])::BIGINT AS g"), ["g"])
    assert one == read_keys(csv(tmp_path / "k.csv", "g\n3\n-1\n0\n"), ["g"])
    assert (one.listed, one.compare) == ((("3",), ("-1",), ("0",)), ("numbers",))
    for odd in ("01", "1.0", "+1", "1234567890123456", "-0"):
        assert read_keys(csv(tmp_path / "odd.csv", f"g\n3\n{odd}\n"), ["g"]).compare == ("text",)


REFUSED = {
    "a key twice": ("g,h\na,p\nb,p\na,p\n", "the key a, p stands twice in 'k.csv', in rows 1 and 3"),
    "a missing text": ("g,h\na,p\nb,\n", "the h of row 2 of 'k.csv' is missing"),
    "an absent column": ("g,k\na,p\n", "the table has no column named 'h'"),
    "no key": ("g,h\n", "there is no key in 'k.csv'"),
    "a very long text": (f"g,h\na,{'x' * (LONGEST_KEY + 1)}\n", "the h of row 1 of 'k.csv' is longer than 4096 bytes"),
    "a stray quote": ('g,h\na,"p\n', "line 2 of 'k.csv' is not well formed"),
    "no file form": ("", "is no header"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_is_refused_with_the_row_and_nothing_is_spent(name, tmp_path):
    text, said = REFUSED[name]
    with pytest.raises(DataError, match="Nothing was spent") as refusal:
        read_keys(csv(tmp_path / "k.csv", text), ["g", "h"])
    assert refusal.value.problem.startswith("keys: ")
    assert said in refusal.value.problem


@pytest.mark.parametrize("stored", ["DOUBLE", "BOOLEAN", "DATE", "DECIMAL(9,2)", "INTEGER[]"])
def test_keys_are_text_or_whole_numbers(stored, tmp_path):
    path = parquet(tmp_path / "k.parquet", f"SELECT CAST(NULL AS {stored}) AS g")
    with pytest.raises(DataError, match="column 'g' is stored as"):
        read_keys(path, ["g"])


def test_the_null_character_and_other_files_are_refused(tmp_path):
    with pytest.raises(DataError, match=r"row 2 of 'k\.parquet' holds the null character"):
        read_keys(parquet(tmp_path / "k.parquet", "SELECT unnest(['a', 'b' || chr(0)]) AS g"), ["g"])
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 and no more")
    for name in ("broken.parquet", "absent.csv", "keys.xlsx", "keys.duckdb", "keys"):
        with pytest.raises((DataError, ParameterError), match="Nothing was spent"):
            read_keys(tmp_path / name, ["g"])
    with pytest.raises(ParameterError, match="twice"):
        read_keys(tmp_path / "k.parquet", ["g", "g"])


def test_there_are_at_most_so_many_and_the_number_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST_KEYS", 4)
    with pytest.raises(BoundError, match=r"there are 5 keys in 'k\.csv', and at most 4 are taken"):
        read_keys(csv(tmp_path / "k.csv", "g\na\nb\nc\nd\ne\n"), ["g"])


def test_texts_with_one_hash_are_compared_themselves(tmp_path, monkeypatch):
    """Where two keys had one hash of 64 bits, they would be told apart by their texts."""
    genuine = np.unique
    monkeypatch.setattr(np, "unique", lambda hashes: genuine(np.append(hashes, every)))
    path = csv(tmp_path / "k.csv", "g\na\nb\n")
    with duckdb.connect() as connection:
        every = connection.execute("SELECT unnest([hash('a'), hash('b')]) AS h").fetchnumpy()["h"]
    assert read_keys(path, ["g"]).count == 2


def test_many_keys_are_read_from_a_copy_whatever_happens_to_the_file(tmp_path):
    count = 3 * INLINE
    path = parquet(tmp_path / "k.parquet", f"SELECT 'p' || (i * 7 % {count}) AS g FROM range({count}) AS t(i)")
    found = read_keys(path, ["g"])
    path.unlink()
    rows = [(f"p{i * 7 % count}",) for i in range(count)]
    assert (found.listed, list(found.rows())) == ((), rows)
    assert found.digest == digest_of_keys(["g"], rows)
    copy = Path(found.file.copy)
    assert copy.exists()
    del found
    assert not copy.exists()


X = integer_column("x", lower=-5, upper=5, missing="dropped")
C = category_column("c", categories=[f"c{i}" for i in range(70)])
TEXTS = ["a", "b", "", "a,", "1"]


def counted(rows, keys, asked):
    """Return the answers by definition: for each key the rows that have exactly its texts."""
    found = []
    for key in keys:
        own = [row for row in rows if tuple(row[:2]) == key]
        if asked.where:
            own = [row for row in own if row[2] is not None]
        levels = [min(max(row[2], -5), 5) + 5 for row in own if row[2] is not None]
        if isinstance(asked, Count):
            found.append(len(own))
        elif isinstance(asked, Sum):
            found.append(sum(levels))
        elif isinstance(asked, Bins):
            found += [sum(low <= q < high for q in levels) for low, high in ((0, 4), (4, 11))]
        else:
            found += [sum(row[3] == f"c{i}" for row in own) for i in range(70)]
    return found


@pytest.mark.parametrize("seed", range(3))
def test_counts_and_sums_by_keys_are_those_of_the_definition(seed, tmp_path):
    chosen = random.Random(seed)
    rows = [
        (chosen.choice([*TEXTS, None, "?"]), chosen.choice(["7", "12", None, "-1"]), *pair)
        for pair in ((chosen.choice([None, -9, -5, 0, 3, 5, 8]), f"c{chosen.randrange(72)}") for _ in range(200))
    ]
    keys = [(g, h) for g in TEXTS for h in ("12", "7", "0")]
    chosen.shuffle(keys)
    keys = keys[:11]
    path = csv(tmp_path / "k.csv", "g,h\n" + "".join(f"{quoted(g)},{h}\n" for g, h in keys))
    by = keyed_groups(read_keys(path, ["g", "h"]))
    asked = [
        Count(by=by),
        Sum(column=X, by=by),
        Count(by=by, where=(Present(column=X),)),
        Bins(column=X, cuts=(0, 4, 11), by=by),
        Categories(column=C, by=by),
    ]
    columns = {name: [row[i] for row in rows] for i, name in enumerate("ghxc")}
    for h in (columns["h"], [None if each is None else int(each) for each in columns["h"]]):  # as text, and as numbers
        found = open_table({**columns, "h": h}).aggregates(asked)
        for each in asked:
            assert [int(number) for number in found[each]] == counted(rows, keys, each)


def test_a_cell_that_writes_a_number_otherwise_is_the_same_number(tmp_path):
    by = keyed_groups(read_keys(csv(tmp_path / "k.csv", "g\n1\n2\n"), ["g"]))
    found = open_table({"g": ["1", "1.0", " 01 ", "1e0", "2.5", "x", None]}).aggregates([Count(by=by)])
    assert found[Count(by=by)].tolist() == [3, 0]


def test_rows_of_persons_and_persons_themselves_are_counted_by_keys(tmp_path):
    by = keyed_groups(read_keys(csv(tmp_path / "k.csv", "g\nb\na\n"), ["g"]))
    table = open_table({"g": ["a", "a", "a", "b", "z", "a"], "id": ["p", "p", "p", "p", "p", "q"]})
    kept, people = Persons(columns=("id",), most=4), Persons(columns=("id",), most=1)
    asked = Count(by=by, persons=kept)
    counts = table.aggregates([asked], salt="s")[asked].tolist()
    assert counts[0] <= 1
    assert 3 <= sum(counts) <= 5
    every = People(by=by, persons=people, groups=2)
    assert table.aggregates([every])[every].tolist() == [1, 2]
    once = People(by=by, persons=people, groups=1)
    assert sum(table.aggregates([once])[once].tolist()) == 2


def test_sums_beyond_64_bits_are_exact(tmp_path):
    by = keyed_groups(read_keys(csv(tmp_path / "k.csv", "g\nb\na\n"), ["g"]))
    asked = (Sum(column=X, by=by),)
    pieces = {"code": np.array([1]), "m0_above": np.array([6]), "m0": np.array([7])}
    assert list(array_answers(asked, [(0,)], pieces, coded=False)[asked[0]]) == [0, 6 * 2**LIMB + 7]
    wide = number_column("w", lower=0, upper=2**20, step="1/2048", missing="dropped")
    assert list(
        open_table({"g": ["a"] * 3, "w": [2.0**20] * 3}).aggregates([Sum(column=wide, by=by)])[Sum(column=wide, by=by)]
    ) == [0, 3 * 2**31]


def test_the_statement_says_what_is_joined_and_names_no_key(tmp_path):
    by = keyed_groups(read_keys(csv(tmp_path / "k.csv", "g,h\nsecret,x\n"), ["g", "h"]))
    text = open_table({"g": ["a"], "h": ["b"]}).statement([Count(by=by)])
    assert '-- snapdp_cells_0 (k0, k1, code): the 1 declared keys of "g", "h", numbered from 0' in text
    assert "secret" not in text


def test_an_engine_that_does_not_take_keys_refuses_them(tmp_path, monkeypatch):
    by = keyed_groups(read_keys(csv(tmp_path / "k.csv", "g\na\n"), ["g"]))
    table = open_table({"g": ["a"]})
    monkeypatch.setattr(type(table), "dialect", replaced(DUCKDB, labels=POSTGRES.labels))
    with pytest.raises(PremiseError, match="does not count by keys from a file; DuckDB does"):
        table.aggregates([Count(by=by)])
    with pytest.raises(PremiseError, match="spark does not count by keys"):
        statement([Count(by=by)], dialect="spark")


def test_a_column_that_is_no_text_cannot_be_compared_with_keys(tmp_path):
    by = keyed_groups(read_keys(csv(tmp_path / "k.csv", "g\n1\n"), ["g"]))
    with pytest.raises(DataError, match="column 'g' is declared as key but stored as DOUBLE"):
        open_table({"g": np.array([1.0])}).aggregates([Count(by=by, where=(Levels(column=X, start=0, below=3),))])
