"""Parents of categories as they are declared: levels, their order, what is refused, and what says the same again."""

from __future__ import annotations

import json

import pytest

from snapdp.errors import BoundError, DataError, ParameterError, SnapdpError
from snapdp.studies.categories import level_columns, parent_places, with_parents
from snapdp.studies.columns import category_column
from snapdp.studies.declarations import groups_from, groups_values
from snapdp.studies.grouping.groups import groups_of
from snapdp.studies.study_file import study_from_toml, study_from_values, study_to_toml

TOWNS = ["Aachen", "Bonn", "Mainz", "Trier"]
COUNTIES = {"NRW": ["Bonn", "Aachen"], "RLP": ["Mainz", "Trier"]}
PARENTS = {"county": COUNTIES, "country": {"Germany": ["RLP", "NRW"]}}
TOWN = category_column("town", categories=TOWNS)
HOSTILE = ["", " / ", "a, b", '"', "\x1b[31m", "../../x", "= 1", "<b>", "x" * 300, "ä\u202e"]
STUDY = """format = 1
dataset = "people"
relation = "add-remove"
n_max = 100

[columns.town]
kind = "category"
categories = ["Aachen", "Bonn", "Mainz", "Trier"]

[columns.town.parents.county]
NRW = ["Bonn", "Aachen"]
RLP = ["Mainz", "Trier"]

[columns.town.parents.country]
Germany = ["RLP", "NRW"]

[[statistic]]
kind = "count"
by = "town"
margins = "hierarchy"
epsilon = 1
"""


def study_of(column, **statistic):
    given = {"format": 1, "dataset": "d", "relation": "add-remove", "n_max": 9, "columns": {"town": column}}
    asked = {"kind": "count", "by": "town", "margins": "hierarchy", "epsilon": 1, **statistic}
    return study_from_values({**given, "statistic": [asked]})


def test_levels_are_kept_from_the_categories_up_and_nodes_by_their_first_category():
    found = with_parents(TOWN, PARENTS)
    assert [(each.name, each.nodes, each.above) for each in found.parents] == [
        ("county", ("NRW", "RLP"), (0, 0, 1, 1)),
        ("country", ("Germany",), (0, 0)),
    ]
    turned = {"county": {"RLP": ["Trier", "Mainz"], "NRW": ["Aachen", "Bonn"]}, "country": {"Germany": ["NRW", "RLP"]}}
    assert with_parents(TOWN, turned) == found


def test_cells_of_other_texts_are_their_own_parents():
    every = category_column("town", categories=TOWNS, unknown="binned", null="binned")
    found = with_parents(every, PARENTS)
    assert [each.labels[-2:] for each in level_columns(found)] == [("(unknown)", "(null)")] * 3
    assert parent_places(found) == [[0, 0, 1, 1, 2, 3], [0, 0, 1, 2]]


def test_a_study_declares_parents_and_is_written_and_read_back():
    study = study_from_toml(STUDY)
    assert study.column("town") == with_parents(TOWN, PARENTS)
    text = study_to_toml(study)
    assert 'margins = "hierarchy"' in text
    assert study_from_toml(text) == study
    assert study == study_from_values(
        {
            "format": 1,
            "dataset": "people",
            "relation": "add-remove",
            "n_max": 100,
            "columns": {"town": {"kind": "category", "categories": TOWNS, "parents": PARENTS}},
            "statistic": [{"kind": "count", "by": "town", "margins": "hierarchy", "epsilon": 1}],
        }
    )


def test_hostile_names_are_written_and_read_back():
    names = [*HOSTILE, *"abcdefghij"]
    column = {
        "kind": "category",
        "categories": names,
        "compare": "text",
        "parents": {'a "level"': {node: [node, other] for node, other in zip(HOSTILE, "abcdefghij", strict=True)}},
    }
    study = study_of(column)
    assert study_from_toml(study_to_toml(study)) == study
    (asked,) = study.asked
    stated = json.loads(json.dumps(asked.statistic.declaration()))
    assert type(asked.statistic).from_declaration(stated, asked.statistic.relation) == asked.statistic


def test_parents_are_stated_where_a_hierarchy_is_asked_for_and_nowhere_else():
    column = {"kind": "category", "categories": TOWNS, "parents": PARENTS}
    stated = study_of(column).asked[0].statistic.declaration()
    assert stated["margins"] == "hierarchy"
    assert stated["by"]["parents"] == [
        {"level": "county", "of": ["NRW", "NRW", "RLP", "RLP"]},
        {"level": "country", "of": ["Germany", "Germany"]},
    ]
    for said in ({"margins": "all"}, {"margins": [[], ["town"]]}):
        plain = {key: each for key, each in column.items() if key != "parents"}
        with_them, without = (study_of(each, **said).asked[0].statistic.declaration() for each in (column, plain))
        assert with_them == without


def test_a_long_list_of_categories_is_stated_by_its_digest_and_its_parents_are_listed():
    names = [f"town {i}" for i in range(1500)]
    column = with_parents(category_column("town", categories=names), {"half": {"a": names[:700], "b": names[700:]}})
    values = json.loads(json.dumps(groups_values(groups_of(column), parents=True)))
    assert values["categories"]["count"] == 1500
    found = groups_from(values).columns[0]
    assert found.parents == column.parents
    assert [each.cells for each in level_columns(found)] == [1500, 2]
    assert groups_values(groups_of(found), parents=True) == values


@pytest.mark.parametrize(
    ("parents", "problem", "advice"),
    [
        (
            {"county": {"NRW": ["Aachen", "Bonn"], "RLP": ["Mainz", "Trier", "Bonn"]}},
            "'Bonn' is in two parents",
            "once",
        ),
        ({"county": {"NRW": ["Aachen", "Bonn", "Bonn"], "RLP": ["Mainz", "Trier"]}}, "twice below 'NRW'", "once"),
        ({"county": {"NRW": ["Aachen"], "RLP": ["Mainz", "Trier"]}}, "'Bonn' has no parent", "Name a parent"),
        ({"county": {"NRW": ["Aachen"]}}, "'Bonn', 'Mainz', 'Trier' have no parent", "one cell of each level"),
        ({"county": {"NRW": [*TOWNS, "Ulm"]}}, "the parent of 'Ulm', which is not below it", "'Aachen', 'Bonn'"),
        ({"country": {"Germany": ["NRW"]}, "county": COUNTIES}, "the parent of 'NRW'", "from the categories up"),
        ({**PARENTS, "world": {"Earth": ["Germany", "World"]}}, "the parent of 'World'", "from the categories up"),
        ({**PARENTS, "world": {"Earth": ["Earth"]}}, "the parent of 'Earth'", "from the categories up"),
        ({"county": COUNTIES, "country": {"Germany": ["NRW"]}}, "'RLP' has no parent", "Name a parent"),
        ({"town": {"NRW": TOWNS}}, "one name, or that of the column", "its own"),
        ({" ": {"NRW": TOWNS}}, "no name", "county"),
        ({"county": {"NRW": TOWNS, "RLP": []}}, "'RLP' at level 'county'", "county"),
        ({"county": {"NRW": "Aachen"}}, "no parent with a list of names", "county"),
        ({"county": {"NRW": [1, 2]}}, "no parent with a list of names", "county"),
        ({"county": TOWNS}, "no table of parents", "county"),
        ({"county": {}}, "no table of parents", "county"),
        ({"county": {"a\x00": TOWNS}}, "cannot store", "Leave it out"),
        ({}, "no table of levels", "county"),
        ([COUNTIES], "no table of levels", "county"),
        ("county", "no table of levels", "county"),
    ],
)
def test_what_are_no_parents_is_refused_with_what_to_do(parents, problem, advice):
    column = {"kind": "category", "categories": TOWNS, "parents": parents}
    with pytest.raises(ParameterError) as refusal:
        study_of(column)
    assert problem in refusal.value.problem
    assert advice in refusal.value.advice
    assert refusal.value.problem.startswith("columns.town: ")


def test_names_of_cells_for_other_texts_are_refused_where_there_are_such_cells():
    column = {"kind": "category", "categories": TOWNS, "parents": {"county": {"(null)": TOWNS}}}
    assert study_of(column)
    with pytest.raises(ParameterError, match="the name of a cell for other texts"):
        study_of({**column, "null": "binned"})


def test_too_many_levels_are_refused():
    chain = {f"level {i}": {"x": TOWNS if i == 0 else ["x"]} for i in range(17)}
    with pytest.raises(BoundError, match="17 levels"):
        with_parents(TOWN, chain)


@pytest.mark.parametrize("kind", ["integer", "boolean", "date"])
def test_columns_without_a_list_of_categories_have_no_parents(kind):
    said = {
        "integer": {"lower": 0, "upper": 3, "missing": "dropped"},
        "boolean": {},
        "date": {"from": "2024-01-01", "to": "2024-12-31", "each": "month"},
    }[kind]
    with pytest.raises(ParameterError, match="the key 'parents' is not known"):
        study_of({"kind": kind, **said, "parents": {"county": COUNTIES}})


@pytest.mark.parametrize(
    "stated",
    [
        [{"level": "county", "of": ["NRW", "NRW", "RLP"]}],
        [{"level": "county", "of": ["NRW", "NRW", "RLP", "RLP", "RLP"]}],
        [{"level": "town", "of": ["NRW", "NRW", "RLP", "RLP"]}],
        [{"level": "county", "of": ["NRW", "NRW", "RLP", "RLP"]}, {"level": "country", "of": ["Germany"]}],
        [{"level": "county", "of": ["NRW"] * 4}, {"level": "county", "of": ["Germany"]}],
    ],
)
def test_a_record_that_states_other_parents_is_refused(stated):
    values = {**groups_values(groups_of(TOWN)), "parents": stated}
    with pytest.raises(SnapdpError):
        groups_from(values)


def test_a_record_of_truth_values_has_no_parents():
    values = {"name": "old", "kind": "boolean", "unknown": "dropped", "null": "dropped"}
    with pytest.raises(DataError, match="without a list"):
        groups_from({**values, "parents": [{"level": "x", "of": ["a", "a"]}]})
