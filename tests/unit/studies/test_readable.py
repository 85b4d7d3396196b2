"""Names for people: short decimals instead of fractions, and nothing else is another."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

import snapdp
from snapdp.audits.release_audit import audit
from snapdp.release.result import Release
from snapdp.studies.labels import readable_cell, readable_number, readable_title
from tests.unit.audits.releases import random_record, random_study

COLUMNS = {
    "age": {"kind": "number", "lower": 0, "upper": 120, "step": "1/2", "missing": "dropped"},
    "1/2 <= age": {"kind": "category", "categories": ["1/2", "61/2 <= age"]},
}


def study(*statistics):
    relation = {"relation": "change-one", "n": 5000}
    return snapdp.study(format=1, dataset="people", columns=COLUMNS, statistic=[*statistics], **relation)


COUNT = {"kind": "count", "where": [{"column": "age", "from": "30.5", "below": "65.5"}], "epsilon": 1}
BINS = {"kind": "histogram", "column": "age", "edges": ["0.5", "30.5", 120], "outside": "binned", "epsilon": 1}


def test_people_read_decimals_and_records_keep_the_name_that_makes_a_request_what_it_is():
    record = random_record(random.Random(1), study(COUNT, BINS))
    assert record["statistics"][0]["title"] == "count where 61/2 <= age < 131/2"
    assert record["statistics"][1]["parts"][0]["cell"] == ["below 1/2", "[1/2, 61/2)", "[61/2, 120]"]
    assert audit(record).sound
    release = Release(record)
    assert next(iter(release.values)) == "count where 61/2 <= age < 131/2"
    for text in (repr(release), release.to_html().replace("&lt;", "<")):
        assert "count where 30.5 <= age < 65.5" in text
        assert all(each in text for each in ("below 0.5", "[0.5, 30.5)", "[30.5, 120]"))
        assert "61/2" not in text


def test_a_study_and_its_plan_are_read_alike():
    asked = study(COUNT)
    for text in (repr(asked), asked._repr_html_().replace("&lt;", "<"), repr(asked.plan())):
        assert "count where 30.5 <= age < 65.5" in text


def test_names_of_columns_and_categories_stay_as_they_are():
    where = [{"column": "1/2 <= age", "equals": "61/2 <= age"}]
    asked = study({**BINS, "where": where, "by": "1/2 <= age"})
    title = "histogram(age) where 1/2 <= age = 61/2 <= age by 1/2 <= age"
    (statistic,) = random_record(random.Random(1), asked)["statistics"]
    assert readable_title(statistic["title"], statistic) == statistic["title"] == title
    assert readable_cell("1/2 / [1/2, 61/2)", statistic) == "1/2 / [0.5, 30.5)"
    assert readable_cell("1/2", {"kind": "count"}) == "1/2"


@pytest.mark.parametrize("seed", range(60))
def test_what_a_record_is_read_as_is_what_its_study_says(seed):
    asked = random_study(random.Random(seed))
    record = random_record(random.Random(seed), asked)
    for line, statistic in zip(asked.request().lines, record["statistics"], strict=True):
        assert readable_title(statistic["title"], statistic) == line.statistic.readable_title


def test_a_number_that_is_no_short_decimal_or_none_at_all_stays_as_it_is():
    kept = ["1/3", "1/0", "12", "-5", "2024-01", "0099", "a/b", str(Fraction(1, 2**40)), "9" * 5000 + "/2"]
    assert [readable_number(each) for each in kept] == kept
    assert readable_number("-1/8") == "-0.125"
