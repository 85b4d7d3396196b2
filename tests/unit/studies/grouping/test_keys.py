"""Groups by keys: their digest, names and limits, how they are declared, and what all small tables show of them."""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from itertools import product

import pytest

from snapdp.errors import BoundError, DataError, ParameterError
from snapdp.studies.columns import INLINE, integer_column
from snapdp.studies.grouping.keys import MOST_KEYS, KeyLabels, digest_of_keys, keyed_groups, keys_of
from snapdp.studies.relation import add_remove, change_one
from snapdp.studies.statistics.counts import count_query
from snapdp.studies.statistics.histogram import histogram_query
from snapdp.studies.statistics.mean import mean_query
from snapdp.studies.statistics.registry import statistic_class
from snapdp.studies.statistics.sum import sum_query
from tests.unit.studies.statistics.enumeration import Extremes, grid_values, proven

X = integer_column("x", lower=-1, upper=2, missing="dropped")
PAIRS = [("b", "p"), ("a", "q"), ("b", "q")]  # no product: ("a", "p") is no cell
N = add_remove(n_max=100)


def groups(rows=PAIRS, names=("g", "h"), compare=None):
    digest = digest_of_keys(names, rows)
    return keyed_groups(
        keys_of(names, count=len(rows), digest=digest, listed=rows, compare=compare or ["text"] * len(names))
    )


def queries(relation, by):
    yield count_query(relation, by=by)
    yield sum_query(X, relation, by=by)
    yield mean_query(X, relation, by=by)
    yield histogram_query(X, relation, edges=[-1, 1, 2], by=by)


@pytest.mark.parametrize("relation", [add_remove(n_max=2), change_one(n=2)], ids=["add-remove", "change-one"])
def test_neighbours_lose_what_is_charged_and_no_more_by_all_small_tables(relation):
    """Rows that have no key are among them: a row may come into the cells, leave them, and move between two."""
    cells = [("b", "p"), ("a", "q"), ("b", "q"), ("a", "p"), (None, "q")]
    rows = [(x, Fraction(0), g, h) for x, (g, h) in product([*grid_values(X)[::3], None], cells)]
    for query in queries(relation, groups()):
        proven(query, rows)


def test_a_single_key_under_change_one_has_a_row_that_comes_or_goes():
    """A count of one cell moves by one, and runs at the whole epsilon; that of two would need half for each."""
    rows = [(Fraction(0), Fraction(0), g, "p") for g in ("a", "b")]
    query = count_query(change_one(n=2), by=groups([("a", "p")]))
    assert (query.parts[0].moving, Extremes(query, rows).largest_loss) == (1, 1)


def test_the_digest_is_that_of_a_csv_file_with_every_text_in_quotes():
    rows = [("a", 'say "b"'), ("x,\ny", "")]
    text = '"g","h"\n"a","say ""b"""\n"x,\ny",""\n'
    assert digest_of_keys(["g", "h"], rows) == "sha256:" + hashlib.sha256(text.encode()).hexdigest()
    others = [rows[::-1], [("a", 'say "b"'), ("x,", "\ny")], rows[:1]]
    assert digest_of_keys(["g", "h"], rows) not in [digest_of_keys(["g", "h"], each) for each in others]
    assert digest_of_keys(["g", "h"], rows) != digest_of_keys(["h", "g"], rows)


def test_labels_are_tuples_in_the_order_of_keys_a_histograms_own_cells_innermost():
    by = groups()
    assert (by.cells, by.is_crossed, list(by.labels)) == (3, True, PAIRS)
    assert list(by.beside(["u", "v"])) == [(*key, cell) for key in PAIRS for cell in ("u", "v")]
    one = groups([("b",), ("a",)], ["g"])
    assert (list(one.labels), one.labels[1], one.labels[:1], len(one.labels)) == (
        [("b",), ("a",)],
        ("a",),
        (("b",),),
        2,
    )
    assert count_query(N, by=one).title == "count by g"
    assert count_query(N, by=one).keys == ("g",)


@pytest.mark.parametrize(("compare", "last"), [(["text", "text"], "00"), (["text", "numbers"], "0")])
def test_a_statistic_is_what_its_declaration_makes_of_it(compare, last):
    by = groups([("b", "1"), ("a", "-2"), ("b", last)], compare=compare)
    for query in queries(N, by):
        declared = json.loads(json.dumps(query.declaration()))
        assert declared["keys"]["cell"] == [["b", "1"], ["a", "-2"], ["b", last]]
        assert declared["keys"]["digest"] == by.keys.digest
        assert statistic_class(declared["kind"]).from_declaration(declared, N) == query
    assert declared["by"][1] == {"name": "h", "kind": "key"} | ({"compare": "numbers"} if "numbers" in compare else {})


def test_many_keys_are_declared_by_their_number_and_digest():
    digest = digest_of_keys(["g"], [["a"]])
    many = keyed_groups(keys_of(["g"], count=INLINE + 1, digest=digest, compare=["text"]))
    declared = count_query(N, by=many).declaration()
    assert declared["keys"] == {"count": INLINE + 1, "digest": digest}
    again = statistic_class("count").from_declaration(declared, N)
    assert (again.cells, len(again.labels), again) == (INLINE + 1, INLINE + 1, count_query(N, by=many))
    with pytest.raises(DataError, match="digest alone"):
        list(again.labels)
    assert isinstance(again.labels, KeyLabels)


ALTERED = {
    "another digest": lambda said: said["keys"].update(digest="sha256:" + "0" * 64),
    "no digest": lambda said: said["keys"].update(digest="md5:0"),
    "another number": lambda said: said["keys"].update(count=2),
    "a number beyond the list": lambda said: said["keys"].update(count=2000),
    "no list of few": lambda said: said["keys"].pop("cell"),
    "another order": lambda said: said["keys"]["cell"].reverse(),
    "another text": lambda said: said["keys"]["cell"][0].__setitem__(0, "c"),
    "a text less": lambda said: said["keys"]["cell"][0].pop(),
    "a text for a key": lambda said: said["keys"]["cell"].__setitem__(0, "bp"),
    "another column": lambda said: said["by"][0].update(name="k"),
    "another kind": lambda said: said["by"][0].update(kind="category"),
    "a comparison that is none": lambda said: said["by"][0].update(compare="words"),
    "numbers that are none": lambda said: said["by"][0].update(compare="numbers"),
    "half a character": lambda said: said["keys"]["cell"][0].__setitem__(0, "\ud800"),
    "a column less": lambda said: said["by"].pop(),
}


@pytest.mark.parametrize("name", ALTERED)
def test_a_declaration_that_was_altered_is_refused(name):
    declared = json.loads(json.dumps(count_query(N, by=groups()).declaration()))
    ALTERED[name](declared)
    with pytest.raises((DataError, BoundError, ParameterError)):
        statistic_class("count").from_declaration(declared, N)


def test_whole_numbers_are_compared_as_numbers_and_nothing_else_is():
    """Nobody can declare it otherwise: how keys compare follows from them."""
    for rows, compare in (([("1",), ("2",)], ["text"]), ([("1",), ("a",)], ["numbers"])):
        with pytest.raises(DataError, match="compared in another way"):
            groups(rows, ["g"], compare=compare)


def test_a_key_that_stands_twice_is_refused_also_with_its_own_digest():
    with pytest.raises(DataError, match="one key stands twice"):
        groups([("a", "p"), ("a", "p")])


def test_there_are_at_most_so_many_keys_and_the_refusal_has_their_number():
    digest = digest_of_keys(["g"], [["a"]])
    with pytest.raises(BoundError, match=f"there are {MOST_KEYS + 1} keys, and at most {MOST_KEYS} are taken"):
        keys_of(["g"], count=MOST_KEYS + 1, digest=digest, compare=["text"])
    most = keyed_groups(keys_of(["g"], count=MOST_KEYS, digest=digest, compare=["text"]))
    assert count_query(N, by=most).cells == MOST_KEYS
    with pytest.raises(BoundError, match=f"there are {2 * MOST_KEYS} cells, more than {MOST_KEYS}"):
        histogram_query(X, N, edges=[-1, 0, 2], by=most)


def test_margins_are_refused_with_keys():
    for query in (count_query, lambda *given, **more: sum_query(X, *given, **more)):
        with pytest.raises(ParameterError, match="a file of keys lists the cells"):
            query(N, by=groups(), margins="all")
