"""The independent checker and first looks: the same places and names, and nothing that was changed is accepted."""

from __future__ import annotations

import json
import random

import pytest

import snapdp
from snapdp.audits import check_release
from snapdp.audits.check_release import PlaceTree, Refused, check, read_column
from snapdp.audits.release_audit import audit, release_certificate
from snapdp.studies.columns import magnitude_column, span_name
from tests.unit.audits.releases import random_record


@pytest.mark.parametrize("exponents", [(0, 0), (-3, 4), (-62, -59), (59, 62), (-1022, -1000), (1000, 1023)])
def test_places_have_the_same_ends_and_names(exponents):
    stated = {"name": "x", "kind": "magnitude", "exponents": list(exponents)}
    column = read_column(check_release.At(stated, "column"), "magnitude")
    ours = magnitude_column("x", exponents=exponents)
    tree = PlaceTree(column, 2, [], False, False)
    assert [(tree.edge(i), tree.edge(i + 1)) for i in range(ours.places)] == list(map(ours.ends, range(ours.places)))
    assert [tree.middle(i) for i in range(ours.places)] == [float(ours.middle(i)) for i in range(ours.places)]
    named = {"lowest": exponents[0], "highest": exponents[1]}
    for first in range(0, ours.places, 3):
        for last in range(first, ours.places, 5):
            assert tree.span(first, last) == span_name(first, last, **named)


@pytest.mark.parametrize(
    "exponents", [[0], [0, 1, 2], [1, 0], [-1023, 0], [0, 1024], [0, 256], ["0", 1], [True, 1], []]
)
def test_exponents_that_could_not_have_been_declared_are_refused(exponents):
    with pytest.raises(Refused):
        read_column(check_release.At({"name": "x", "kind": "magnitude", "exponents": exponents}, "c"), "magnitude")


COLUMNS = {
    "x": {"kind": "magnitude"},
    "y": {"kind": "magnitude", "exponents": [0, 3]},
    "z": {"kind": "boolean"},
}
ADD, ONE = {"relation": "add-remove", "n_max": 5000}, {"relation": "change-one", "n": 5000}
RELATIONS = [ADD, ONE, {**ADD, "unit_rows": 3}, {**ADD, "person": "id", "rows_per_person": 4}]
LOOKS = [
    {"kind": "magnitudes", "column": "x", "epsilon": "0.1"},
    {"kind": "magnitudes", "column": "y", "outside": "0.4", "branching": 3, "epsilon": 7, "alpha": "1/3"},
    {"kind": "magnitudes", "column": "y", "where": [{"column": "z", "equals": "true"}], "epsilon": "2/7"},
]


@pytest.mark.parametrize("relation", RELATIONS, ids=lambda each: " ".join(each))
def test_audit_and_checker_accept_every_draw(relation):
    study = snapdp.study(dataset="people", columns=COLUMNS, statistic=LOOKS, **relation)
    for seed in range(3):
        record = json.loads(json.dumps(random_record(random.Random(seed), study)))
        assert audit(record).sound
        assert check(release_certificate(record)) == []


def changed(record, field, value):
    """Return a record in which one field of the first look says something else."""
    found = json.loads(json.dumps(record))
    found["statistics"][0][field] = value
    return found


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("outside", "1/10"),
        ("outside", "3/5"),
        ("outside", "0"),
        ("outside", "100000000001/1000000000002"),
        ("branching", 52),
        ("branching", 1),
        ("branching", 105),
        ("branching", "26"),
        ("alpha", "1/1000000000000"),
        ("columns", [{"name": "x", "kind": "magnitude", "exponents": [-10, 41]}]),
        ("columns", [{"name": "x", "kind": "integer", "lower": "0", "upper": "1", "step": "1", "missing": "dropped"}]),
        ("by", {"name": "z", "kind": "boolean", "unknown": "dropped", "null": "dropped"}),
    ],
)
def test_another_declaration_does_not_fit_the_numbers(field, value):
    study = snapdp.study(dataset="people", columns=COLUMNS, statistic=LOOKS[:1], **ADD)
    record = random_record(random.Random(1), study)
    made = release_certificate(record)
    assert check(made) == []
    assert check({**made, "record": changed(record, field, value)}) != []


def test_a_magnitude_has_no_place_in_other_statistics():
    study = snapdp.study(dataset="people", columns=COLUMNS, statistic=LOOKS[:1], **ADD)
    record = json.loads(json.dumps(random_record(random.Random(1), study)))
    made = release_certificate(record)
    for kind in ("histogram", "mean"):
        assert check({**made, "record": changed(record, "kind", kind)}) != []
