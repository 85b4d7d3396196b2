"""A slice of the corpus gives what it gave, and the runner of the whole notices what does not."""

from __future__ import annotations

import copy
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.corpus import replay
from tests.corpus.definition import Definition, defined_sums
from tests.corpus.sources import table_of

ROOT = Path(__file__).parent.parent.parent
SLICE = {  # every n-th case of each family that needs no server
    "studies": 45,
    "sources": 25,
    "mechanisms": 40,
    "formulas": 12,
    "programs": 30,
    "certificates": 200,
    "records": 250,
    "refusals": 100,
    "accounts": 6,
}


def test_only_the_adapter_names_anything_inside_of_snapdp():
    named = {
        path.name for path in Path(__file__).parent.glob("*.py") if re.search("(from|import) snapdp", path.read_text())
    }
    assert named - {Path(__file__).name} == {"adapter.py"}


@pytest.mark.parametrize("family", SLICE)
def test_a_slice_of_the_corpus_gives_what_it_gave(family):
    chosen = list(replay.inputs(family))[:: SLICE[family]]
    fresh = {name: replay.replay(family, replay.inputs(family)[name]) for name in chosen}
    assert list(replay.differences(family, replay.expected(family), fresh)) == []


def test_there_is_an_expectation_for_every_input_and_none_beside():
    for family in replay.FAMILIES:
        assert set(replay.expected(family)) == set(replay.inputs(family)), family


@pytest.mark.parametrize(
    ("family", "name", "field"),
    [
        ("studies", "plain-001", "1 count | noise-free"),
        ("studies", "plain-001", "1 count | index"),
        ("studies", "plain-001", "charge"),
        ("records", "record-001", "audit"),
        ("certificates", "certificate-002", "checker"),
        ("mechanisms", "mechanism-001", "index"),
    ],
)
def test_a_planted_difference_is_listed_with_its_case_and_field(family, name, field):
    found = replay.expected(family)[name]
    planted = copy.deepcopy(found)
    planted[field] = [each + 1 if isinstance(each, int) else each + "1" for each in found[field]]
    (listed,) = replay.differences(family, {name: found}, {name: planted})
    assert name in listed
    assert field in listed
    assert json.dumps(found[field], ensure_ascii=False) in listed


def test_a_field_that_comes_or_goes_is_a_difference():
    found = replay.expected("studies")["plain-001"]
    less = {field: value for field, value in found.items() if field != "charge"}
    assert len(list(replay.differences("studies", {"a": found}, {"a": less}))) == 1
    assert len(list(replay.differences("studies", {"a": less}, {"a": found}))) == 1
    assert len(list(replay.differences("studies", {}, {"a": found}))) == 1


def test_whole_numbers_and_doubles_are_not_the_same():
    assert len(list(replay.differences("studies", {"a": {"value": [1]}}, {"a": {"value": [1.0]}}))) == 1


def test_another_sentence_counts_only_where_sentences_are_compared():
    before, after = ({"a": {"refused": "DataError", "message": text}} for text in ("One way.", "Another way."))
    assert list(replay.differences("refusals", before, after)) == []
    assert len(list(replay.differences("refusals", before, after, messages=True))) == 1
    after["a"]["refused"] = "ParameterError"
    assert len(list(replay.differences("refusals", before, after))) == 2, "the sentence is shown with what it explains"


def test_the_runner_ends_with_1_and_lists_what_differs(tmp_path):
    """In a copy of what is expected one index is another, as a fault in the sampler would make it."""
    lines = (replay.EXPECTED / "mechanisms.jsonl").read_text(encoding="utf-8").splitlines()
    place = next(place for place, line in enumerate(lines) if json.loads(line)[:2] == ["mechanism-001", "index"])
    name, field, indices = json.loads(lines[place])
    lines[place] = json.dumps([name, field, [indices[0] + 1, *indices[1:]]])
    (tmp_path / "mechanisms.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    program = (
        "import sys, pathlib; from tests.corpus import replay;"
        f"replay.EXPECTED = pathlib.Path({str(tmp_path)!r}); sys.exit(replay.main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", program, "mechanism-001", "mechanism-002"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert "mechanism-001 · index" in done.stdout
    assert "1 same, 1 differ (1 fields)" in done.stdout


def test_a_name_that_fits_no_case_is_refused():
    with pytest.raises(SystemExit, match="no case or family"):
        replay.main(["absent"])


def test_the_definition_counts_and_adds_as_the_guides_say():
    """Worked by hand: bounds, steps with ties up, missing rules, a condition, and a category that was not declared."""
    table = table_of(
        {
            "name": "by hand",
            "types": {"x": "double", "g": "text"},
            "rows": [[2.5, "a"], [-9.0, "b"], [99.0, "a"], [None, "a"], ["nan", None], [3.4999, "c"]],
        }
    )
    study = {
        "relation": "add-remove",
        "n_max": 10,
        "columns": {
            "x": {"kind": "number", "lower": 0, "upper": 10, "step": 1, "missing": "dropped"},
            "g": {"kind": "category", "categories": ["a", "b"], "unknown": "binned"},
        },
        "statistic": [
            {"kind": "sum", "column": "x"},
            {"kind": "sum", "column": "x", "by": "g"},
            {"kind": "count", "where": [{"column": "x", "from": 3, "below": 10}]},
            {"kind": "histogram", "column": "x", "edges": [0, 3, 10], "missing": "binned"},
            {"kind": "mean", "column": "x", "where": [{"column": "g", "equals": "a"}]},
        ],
    }
    assert dict(defined_sums(study, table)) == {
        "1 sum | noise-free": ["16"],  # 3 + 0 + 10 + 3
        "2 sum | noise-free": ["13", "0", "3"],
        "3 count | noise-free": ["2"],
        "4 count | noise-free": ["1", "3", "2"],
        "5 count | noise-free": ["2"],
        "5 centred sum | noise-free": ["3"],  # 3 - 5 and 10 - 5
    }
    study["columns"]["x"]["missing"] = "middle"
    assert Definition(study, table).statistic(study["statistic"][0]) == {"sum": [26]}
