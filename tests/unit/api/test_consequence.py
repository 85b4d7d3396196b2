"""Consequences of a line at a guess: figures counted by hand, every kind of statistic, words that stay words."""

from __future__ import annotations

import json
import random
import re
import xml.etree.ElementTree as ET
from fractions import Fraction

import pytest

import snapdp
from snapdp.api.consequence import Consequence, consequence, line_words
from snapdp.display.text import guessed_right
from snapdp.errors import BoundError, ParameterError, SnapdpError
from snapdp.ledger.accounts import Account
from snapdp.studies.statistics.registry import KINDS
from snapdp.values import replaced
from tests.unit.audits.releases import random_study

F = Fraction
PICTURES = ("law", "odds", "interval", "curve")
COLUMNS = {
    "age": {"kind": "integer", "lower": 0, "upper": 120, "missing": "dropped"},
    "pay": {"kind": "number", "lower": 0, "upper": 1000, "step": 1, "missing": 0},
    "size": {"kind": "magnitude"},
    "region": {"kind": "category", "categories": ["north", "south"]},
    "sex": {"kind": "category", "categories": ["f", "m"]},
}
EVERYTHING = [
    {"kind": "count"},
    {"kind": "count", "by": ["region", "sex"], "margins": "all"},
    {"kind": "persons"},
    {"kind": "histogram", "column": "region"},
    {"kind": "sum", "column": "pay", "by": "region"},
    {"kind": "mean", "column": "age"},
    {"kind": "mean", "columns": ["age", "pay"], "complete": True},
    {"kind": "variance", "column": "pay"},
    {"kind": "covariance", "columns": ["age", "pay"]},
    {"kind": "quantiles", "column": "age"},
    {"kind": "magnitudes", "column": "size"},
]
PERSONS = {"relation": "add-remove", "n_max": 2000, "person": "id", "rows_per_person": 2}
NORTH = {"kind": "count", "where": [{"column": "region", "equals": "north"}]}
ROWS = {"relation": "change-one", "n": 2000}


def plan_of(*asked, columns=COLUMNS, relation=None, **said):
    statistic = [{"epsilon": "0.5", **each} for each in asked]
    return snapdp.study(
        format=1, dataset="p", columns=columns, statistic=statistic, **(relation or ROWS), **said
    ).plan()


def checked(found: Consequence) -> dict:
    """Return its plain values, if they can be read: JSON, four pictures, sentences."""
    values = json.loads(json.dumps(found.values(), allow_nan=False))
    assert list(values["pictures"]) == list(PICTURES)
    for svg in values["pictures"].values():
        tree = ET.fromstring(svg)
        assert [each.tag for each in tree][:2] == ["title", "desc"]
        assert not list(tree.iter("script"))
        assert not re.search(r"nan|style=|href|url\(|http", svg)
    low, high = map(F, values["range"])
    assert low <= F(values["value"]) <= high
    assert all(each.endswith(".") for each in values["says"])
    return values


def account(spent):
    terms = {"relation": "change-one", "unit": "row", "rows": 2000, "opened": "2026-01-01"}
    return Account(name="p", cap=F(9), spent=F(spent), entries=1, head="sha256:0", **terms)


# Every statistic


def test_every_kind_of_statistic_has_consequences_of_all_its_parts():
    plan = plan_of(*EVERYTHING, relation=PERSONS)
    assert {line.statistic.kind for line in plan.lines} == {*KINDS}
    for place, line in enumerate(plan.lines):
        for part in range(len(line.statistic.parts)):
            values = checked(consequence(plan, place, part=part))
            assert len(values["parts"]) == len(line.statistic.parts)
            assert values["part"] == part
        assert line_words(plan, place)["offer"].startswith("10 % more epsilon: ")


def test_rows_that_change_have_consequences():
    asked = [each for each in EVERYTHING if each["kind"] in ("histogram", "sum", "variance") and "by" not in each]
    plan = plan_of(*asked, {"kind": "mean", "column": "pay"})
    for place in range(len(plan.lines)):
        checked(consequence(plan, place))


def _random_consequences(seeds):
    for seed in seeds:
        study = random_study(random.Random(seed))
        try:
            plan = study.plan()
            assert all(line.mechanisms for line in plan.lines)
        except SnapdpError:
            continue  # a range too wide for its epsilon: no plan either
        for place, line in enumerate(plan.lines):
            part = seed % len(line.statistic.parts)
            checked(consequence(plan, place, part=part, value=(None, "-1e12", "1e12", 3)[seed % 4]))


def test_random_studies_have_consequences():
    _random_consequences(range(8))


@pytest.mark.long
def test_many_random_studies_have_consequences():
    _random_consequences(range(8, 300))


# Figures


def test_the_band_holds_as_many_releases_as_it_says_and_no_end_could_be_left_out():
    """Counted through the whole law of a small count: 61 outputs or so, one by one."""
    plan = plan_of({"kind": "count", "epsilon": "1"}, relation={"relation": "add-remove", "n_max": 5})
    law = plan.lines[0].mechanisms[0].law(3)
    chances = {int(row.value): float(row.probability) for row in law.table()}
    said = next(each for each in consequence(plan, 0, value=3).says if each.startswith("If the true value were 3:"))
    low, high = map(int, re.search(r"between (-?\d+) and (-?\d+)\.", said).groups())
    inside = sum(chance for value, chance in chances.items() if low <= value <= high)
    assert inside >= 0.95
    assert sum(chance for value, chance in chances.items() if value <= low) > 0.025
    assert sum(chance for value, chance in chances.items() if value >= high) > 0.025
    assert (low, high) == (int(law.quantile("0.025")), int(law.quantile("0.975")))


def test_the_band_is_that_of_the_alpha_of_the_line():
    plan = plan_of({"kind": "mean", "column": "pay", "alpha": "0.2"})
    (said,) = [each for each in consequence(plan, 0, value=300).says if each.startswith("If the true")]
    law = plan.lines[0].mechanisms[0].law(300 * 2000)
    low, high = (float(law.quantile(q)) / 2000 for q in ("0.1", "0.9"))
    shown = [float(each) for each in re.search(r"80 of 100 .* between ([\d.]+) and ([\d.]+)\.", said).groups()]
    assert 0 <= low - shown[0] < 0.1  # outward, to the second digit of the error, which is between 1 and 10
    assert 0 <= shown[1] - high < 0.1


def test_the_picture_of_the_law_adds_up_to_one():
    plan = plan_of({"kind": "count", "epsilon": "1"}, relation={"relation": "add-remove", "n_max": 5})
    tree = ET.fromstring(consequence(plan, 0, value=3).law)
    (path,) = tree.iter("path")
    tops = [float(each) for each in re.findall(r"1000V([\d.]+)H", path.attrib["d"])]
    texts = [each.text for each in tree.iter("text")]
    full = 40  # percent: the axis of heights ends at its highest tick
    assert f"{full} %" in texts
    assert sum((1000 - top) / 1000 * full / 100 for top in tops) == pytest.approx(0.9995, abs=0.002)


def test_the_ends_of_what_can_be_released_are_told_and_almost_never_met():
    plan = plan_of({"kind": "mean", "column": "pay", "epsilon": "0.02"})
    for value in (0, 500, 1000):
        found = consequence(plan, 0, value=value)
        assert any("It almost never falls on an end" in each for each in found.says)
        assert "possible:" not in found.law


def test_a_guess_moves_the_band_and_never_backwards():
    plan = plan_of({"kind": "mean", "column": "pay"})
    bands = []
    for guess in range(0, 1001, 50):
        (said,) = [each for each in consequence(plan, 0, value=guess).says if each.startswith("If the true")]
        bands.append([float(each) for each in re.search(r"between (\S+) and (\S+)\.$", said).groups()])
    assert bands == sorted(bands)
    assert [high for _, high in bands] == sorted(high for _, high in bands)
    assert bands[0][0] < bands[-1][0] - 900


def test_guesses_are_clamped_to_the_range_and_the_middle_is_taken_unless_told():
    plan = plan_of(NORTH)
    assert [consequence(plan, 0, value=each).value for each in (None, -5, 9999, "12.4", 12.6)] == [
        1000,
        0,
        2000,
        12,
        13,
    ]
    slider = consequence(plan, 0, value=12).values()["slider"]
    assert slider == {"min": 0.0, "max": 2000.0, "value": 12.0, "step": 10.0}


def test_a_guess_is_kept_as_it_was_typed_unless_the_statistic_is_visibly_another():
    """Means of 1999 rows are no decimals; a field must not turn 44.51 into a fraction of seven digits."""
    plan = plan_of({"kind": "mean", "column": "pay"}, relation={"relation": "change-one", "n": 1999})
    assert consequence(plan, 0, value="44.51").values()["value"] == "44.51"
    sure = replaced(plan, lines=(replaced(plan.lines[0], epsilon=F(10**4)),))
    assert consequence(sure, 0, value="44.51").value == F(round(F("44.51") * 1999), 1999)
    assert consequence(plan, 0).values()["range_shown"] == ["0", "1000"]


@pytest.mark.parametrize("wrong", ["abc", "", float("nan"), float("inf"), [1], "1/0"])
def test_a_guess_that_is_no_number_is_refused(wrong):
    with pytest.raises(ParameterError, match=r"value = .* is not a finite number"):
        consequence(plan_of(NORTH), 0, value=wrong)


@pytest.mark.parametrize("wrong", [-1, 1, "0", True, None])
def test_a_line_or_part_that_is_not_there_is_refused(wrong):
    plan = plan_of({"kind": "mean", "column": "pay"})
    with pytest.raises(ParameterError, match="is no line of the plan"):
        consequence(plan, wrong)
    with pytest.raises(ParameterError, match="is none of the numbers"):
        consequence(plan, 0, part=wrong)
    with pytest.raises(ParameterError, match="is no line of the plan"):
        line_words(plan, wrong)


# Odds


def test_odds_are_of_the_line_of_the_plan_and_of_everything_ever_charged():
    plan = plan_of({"kind": "mean", "column": "pay", "epsilon": "0.3"}, {"kind": "histogram", "column": "region"})
    found = consequence(plan, 0, account=account("1.2")).values()["odds"]
    expected = [F("0.3"), F("0.8"), F("2")]
    assert [F(each["epsilon"]) for each in found] == expected
    assert [each["right_of_100"] for each in found] == [guessed_right(each) for each in expected] == [58, 69, 89]
    svg = consequence(plan, 0, account=account("1.2")).odds_picture
    assert re.findall(r">at most (\d+)%<", svg) == ["58", "69", "89"]
    assert len(consequence(plan, 0).odds) == 2
    assert "nothing yet" in consequence(plan, 0, account=account(0)).odds_picture


def test_odds_that_leave_nothing_hidden_are_said_to_be_all():
    plan = plan_of({"kind": "mean", "column": "pay", "epsilon": "30"})
    assert consequence(plan, 0).odds[0].text == "from 50%: could be right every time"


# What more epsilon buys


def test_a_tenth_more_epsilon_is_offered_with_both_errors():
    plan = plan_of({"kind": "histogram", "column": "region", "epsilon": "0.3"})
    assert line_words(plan, 0) == {
        "offer": "10 % more epsilon: ± 18 instead of ± 20",
        "cliff": "Epsilon 0.2923 gives ± 20 as well: the rest buys nothing here.",
    }
    said = consequence(plan, 0).says
    assert "10 % more epsilon buys ± 18 instead of ± 20." in said
    assert line_words(plan, 0)["cliff"] in said


def test_where_more_epsilon_buys_nothing_that_is_said():
    plan = plan_of({"kind": "histogram", "column": "region", "epsilon": "3"})
    assert line_words(plan, 0)["offer"] == "10 % more epsilon: still ± 2"
    assert "10 % more epsilon: still ± 2." in consequence(plan, 0).says


def test_what_is_computed_from_several_numbers_is_told_apart_from_what_is_shown():
    plan = plan_of({"kind": "mean", "column": "age"}, {"kind": "quantiles", "column": "age"})
    said = " ".join(consequence(plan, 0, part=1).says)
    assert "Shown is count, one of the 2 numbers that are released." in said
    assert "mean(age) is computed from the released numbers, at no extra cost; it has no single law to draw." in said
    assert "mean(age): 10 % more epsilon buys ± " in said
    ranks = plan.lines[1].ranks
    assert f"the number of rows at or below any one given value is known to {ranks.text}." in " ".join(
        consequence(plan, 1).says
    )
    assert "rows of a rank" in consequence(plan, 1).curve


def test_a_line_that_cannot_be_planned_is_refused_as_its_plan_is():
    plan = plan_of({"kind": "mean", "column": "pay"})
    dear = replaced(plan, lines=(replaced(plan.lines[0], epsilon=F(10**9)),))
    with pytest.raises(BoundError, match=r"mean.pay.: doubles near 1000"):
        consequence(dear, 0)


def test_no_more_is_offered_where_more_is_refused():
    plan = plan_of({"kind": "mean", "column": "pay"})
    last = max(1000 * 2**j for j in range(30) if _is_planned(plan, F(1000 * 2**j)))  # from here to twice it, one grid
    dear = replaced(plan, lines=(replaced(plan.lines[0], epsilon=last * F(19, 10)),))
    assert line_words(dear, 0)["offer"] == ""


def _is_planned(plan, epsilon):
    try:
        return bool(replaced(plan.lines[0], epsilon=epsilon).mechanisms)
    except BoundError:
        return False


# Words that stay words


def test_names_from_outside_are_text_in_every_picture():
    name = "<script>alert(1)</script>\u202e&\"'"
    columns = {name: {"kind": "category", "categories": ["</svg><b>", "&amp;"]}, "x": COLUMNS["pay"]}
    plan = plan_of({"kind": "histogram", "column": name}, {"kind": "sum", "column": "x", "by": name}, columns=columns)
    for place in (0, 1):
        values = checked(consequence(plan, place, account=account(1)))
        for svg in values["pictures"].values():
            assert "<script" not in svg
            assert "\u202e" not in svg
        assert "\u202e" not in values["title"]
