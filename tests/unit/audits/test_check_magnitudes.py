"""The independent checker and first looks: the same trees, radii, ranks and names, and nothing else is accepted."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from itertools import product

import pytest

import snapdp
from snapdp.accuracy import LevelTree, prefixes, ranked
from snapdp.audits import check_release
from snapdp.audits.check_release import OrderedCells, Refused, check, ranks, read_column, span_label
from snapdp.audits.release_audit import audit, release_certificate
from snapdp.studies.magnitudes import magnitude_column, span_name
from snapdp.studies.ranks.level_counts import radii_in_grids
from tests.unit.audits.releases import random_record

F = Fraction
TREES = [(4, 2), (4, 4), (6, 3), (9, 2), (10, 3), (23, 5), (104, 26), (104, 104), (104, 3), (514, 20)]
SHARES = [F(1, 40), F(1, 4), F(1, 2), F(999_999, 1_000_000), F(1, 3)]
COSTS = [*product([F(4096), F(10_000, 3)], [F(1, 20), F(1, 10**6)]), (F(7), F(1, 2))]
GAMMA = F(1, 1 << 40)


@pytest.mark.parametrize(("cells", "branching"), TREES)
def test_radii_are_the_same_doubles_although_nothing_is_shared(cells, branching):
    ours, theirs = LevelTree(cells=cells, branching=branching), OrderedCells.of(cells, branching)
    assert (ours.nodes, list(ours.own)) == (theirs.nodes, theirs.own)
    for share, (scale, alpha) in zip(
        SHARES, product([F(4096), F(10_000, 3)], [F(1, 20), F(1, 10**6), F(1, 2)]), strict=False
    ):
        level = alpha - sum(theirs.nodes) * GAMMA
        assert theirs.radii(share, scale, level) == radii_in_grids(ours, share, scale, alpha).tolist()


@pytest.mark.parametrize(("cells", "branching"), TREES)
def test_prefixes_and_ranks_are_the_same_for_any_draws(cells, branching):
    dice = random.Random(f"{cells} {branching}")
    ours, theirs = LevelTree(cells=cells, branching=branching), OrderedCells.of(cells, branching)
    shares = [F(1, 40), F(1, 4), F(1, 2), F(3, 4), F(39, 40)]
    for spread in (3, 3000, 30_000_000):
        measured = [[dice.randint(-spread, 5 * spread) for _ in range(nodes)] for nodes in ours.nodes]
        found = prefixes(ours, measured)
        exact = theirs.prefixes(measured)
        assert exact == [F(each, found.denominator) for each in found.numerators]
        radii = [radii_in_grids(ours, share, F(500), F(1, 20)) for share in shares]
        expected = ranked(found, shares, radii)
        assert ranks(exact, shares, [each.tolist() for each in radii]) == [list(each) for each in expected]


@pytest.mark.parametrize("exponents", [(0, 0), (-3, 4), (-62, -59), (59, 62), (-1022, -1000), (1000, 1023)])
def test_places_have_the_same_ends_and_names(exponents):
    stated = {"name": "x", "kind": "magnitude", "exponents": list(exponents)}
    column = read_column(check_release.At(stated, "column"), "magnitude")
    ours = magnitude_column("x", exponents=exponents)
    ends = [(check_release.place_edge(column, i), check_release.place_edge(column, i + 1)) for i in range(column.cells)]
    assert ends == [ours.ends(place) for place in range(ours.places)]
    named = {"lowest": exponents[0], "highest": exponents[1]}
    for first in range(0, ours.places, 3):
        for last in range(first, ours.places, 5):
            assert span_label(column, first, last) == span_name(first, last, **named)


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
        ("arithmetic", "proved"),
    ],
)
def test_another_declaration_does_not_fit_the_numbers(field, value):
    study = snapdp.study(dataset="people", columns=COLUMNS, statistic=LOOKS[:1], **ADD)
    record = random_record(random.Random(1), study)
    made = release_certificate(record)
    assert check(made) == []
    assert check({**made, "record": changed(record, field, value)}) != []


def test_a_magnitude_has_no_place_in_other_statistics_and_in_version_1():
    study = snapdp.study(dataset="people", columns=COLUMNS, statistic=LOOKS[:1], **ADD)
    record = json.loads(json.dumps(random_record(random.Random(1), study)))
    made = release_certificate(record)
    for kind in ("histogram", "mean"):
        assert check({**made, "record": changed(record, "kind", kind)}) != []
    assert any("version 1" in each for each in check({**made, "record": {**record, "snapdp_record": 1}}))
