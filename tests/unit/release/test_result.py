"""Results: everything shown comes from the record, in a terminal, in a notebook and as files."""

from __future__ import annotations

import csv
import html.parser
import json
import random
import re
from decimal import Decimal
from fractions import Fraction

import duckdb
import pytest

import snapdp
from snapdp.cli.release_screen import show_release
from snapdp.display.numbers import six_digits
from snapdp.errors import DataError, ParameterError
from snapdp.ledger.chain import canonical
from snapdp.release.numbers import Number, shown_row
from snapdp.release.remarks import MOVED
from snapdp.release.result import Release
from snapdp.release.value_table import VALUE_FIELDS
from tests.unit.release.people import LONG, MEAN, new_book, released

HISTOGRAM = {"kind": "histogram", "column": "region", "epsilon": 1}
GROUPED = {"kind": "mean", "column": "pay", "by": "region", "epsilon": 1}


@pytest.fixture
def result(tmp_path):
    return released(tmp_path, MEAN, HISTOGRAM, GROUPED)


def test_a_release_of_long_blocks_alone_prints_and_is_saved(tmp_path):
    """All of its numbers are in side files: it once had nothing to measure the width of."""
    result = released(tmp_path, LONG)
    (name,) = result.files()
    assert repr(result) == f"release of people: epsilon 1/2 charged\n  histogram(cell): in {name}"
    for ending in ("csv", "parquet"):
        result.save(tmp_path / f"values.{ending}")
        with duckdb.connect() as connection:
            found = connection.execute(f"SELECT * FROM '{tmp_path}/values.{ending}'")
            assert [column[0] for column in found.description] == list(VALUE_FIELDS)
            assert found.fetchall() == []
    assert f"in <code>{name}</code>.</p><p>Such files belong to the record: they are published, or" in result.to_html()


def test_every_number_is_in_the_saved_values(result, tmp_path):
    result.save(tmp_path / "values.csv")
    with open(tmp_path / "values.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    numbers = list(result.numbers())
    assert len(rows) == len(numbers) == 1 + 3 + 3 + 3 + 3 + 3  # mean; counts and shares; sums, counts and means
    stored = {(float(row["value"]), float(row["low"]), float(row["high"]), row["region"]) for row in rows}
    assert stored == {(each.value, each.low, each.high, each.cell) for each in numbers}
    assert all(each.low <= each.high for each in numbers)
    measures = ["mean", *["count"] * 3, *["share"] * 3, *["mean"] * 3, *["sum of distances"] * 3, *["count"] * 3]
    assert [row["measure"] for row in rows] == measures
    with duckdb.connect() as connection:
        result.save(tmp_path / "values.parquet")
        stored = connection.execute(f"SELECT value FROM '{tmp_path}/values.parquet'").fetchall()
    assert [value for (value,) in stored] == [float(row["value"]) for row in rows]


def test_derived_numbers_take_the_place_of_their_parts_among_the_values(result):
    values = result.values
    assert list(values) == ["mean(age)", "histogram(region)", "shares of histogram(region)", "mean(pay) by region"]
    derived = next(each for each in result.record["derived"] if each["title"] == "mean(pay) by region")
    assert values["mean(pay) by region"] == dict(zip(derived["cell"], derived["value"], strict=True))


def test_a_category_without_a_name_is_a_cell_like_others(tmp_path):
    """An empty text is a category people do declare; it once was taken for a statistic of one number."""
    counted = snapdp.study(
        format=1, dataset="people", relation="change-one", n=4,
        columns={"g": {"kind": "category", "categories": ["a", "", "b"]}},
        statistic=[{"kind": "count", "by": "g", "epsilon": 1}],
    )  # fmt: skip
    with new_book(tmp_path) as book:
        result = counted.release({"g": ["a", "", "b", ""]}, ledger=book)
    (part,) = result.record["statistics"][0]["parts"]
    assert result.values == {"count by g": dict(zip(["a", "", "b"], part["value"], strict=True))}


def test_statistics_of_one_title_do_not_hide_each_other(tmp_path):
    edges = [{"kind": "histogram", "column": "cell", "edges": cut, "epsilon": 1} for cut in ([0, 10], [0, 10, 20])]
    values = released(tmp_path, *edges).values
    shown = ["histogram(cell)", "shares of histogram(cell)", "histogram(cell) (2)", "shares of histogram(cell) (2)"]
    assert list(values) == shown
    assert [len(each) for each in values.values()] == [1, 1, 2, 2]


def test_a_record_read_back_shows_the_same(result, tmp_path):
    result.save(tmp_path / "record.json")
    again = snapdp.load_release(tmp_path / "record.json")
    assert again.to_json() == result.to_json() == (tmp_path / "record.json").read_text().rstrip("\n")
    assert again.to_html() == result.to_html()
    assert again._repr_html_() == result._repr_html_()
    assert repr(again) == repr(result)
    assert canonical(json.loads(result.to_json())) == result.to_json()


def test_what_is_no_record_is_refused(tmp_path):
    path = tmp_path / "record.json"
    for text in ("", "[]", "3", '{"format": 2}', '{"a": 1}', '"text"', "\x00"):
        path.write_text(text)
        with pytest.raises(DataError):
            snapdp.load_release(path)
    with pytest.raises(DataError, match="cannot be read"):
        snapdp.load_release(tmp_path / "absent.json")
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(DataError):
        snapdp.load_release(path)


def test_an_unknown_ending_is_refused(result, tmp_path):
    with pytest.raises(ParameterError, match=r"values\.xlsx"):
        result.save(tmp_path / "values.xlsx")
    with pytest.raises(DataError, match="cannot be written"):
        result.save(tmp_path / "absent" / "values.csv")
    assert not list(tmp_path.glob(".snapdp-*"))


class Tags(html.parser.HTMLParser):
    """Collects the tags and addresses of a page."""

    def __init__(self):
        super().__init__()
        self.tags, self.links = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name in ("src", "href", "xlink:href", "action")]
        assert not any(name.startswith("on") for name, _ in attrs)


def tags_of(page):
    parser = Tags()
    parser.feed(page)
    return parser


def test_the_report_is_one_page_without_scripts_or_addresses(result):
    page = tags_of(result.to_html())
    assert "svg" in page.tags
    assert not {"script", "link", "img", "iframe", "object", "form", "base"} & set(page.tags)
    assert page.links == []
    assert "http" not in result.to_html().replace("http://www.w3.org/2000/svg", "")
    assert "url(" not in result.to_html()


def with_texts_replaced(value, text):
    """Return a record with another text in every place where a text may stand.

    Relation and kind of categories decide what else there is.
    """
    if isinstance(value, dict):
        kept = {"relation", "kind"} if "unknown" in value else {"relation"}
        return {key: each if key in kept else with_texts_replaced(each, text) for key, each in value.items()}
    if isinstance(value, list):
        return [with_texts_replaced(each, text) for each in value]
    return text if isinstance(value, str) else value


@pytest.mark.parametrize("relation", ["change-one", "add-remove"])
def test_no_text_of_a_record_becomes_a_tag_of_the_report(relation, tmp_path):
    """A record may come from somebody else; parameters of mechanisms once went into the page as they were."""
    result = released(tmp_path, GROUPED, {"kind": "sum", "column": "age", "epsilon": 1}, relation=relation)
    plain = set(tags_of(result.to_html()).tags)
    hostile = with_texts_replaced(result.record, '<marquee onload="x()"></style><script>\'')
    page = Release(hostile).to_html()
    assert set(tags_of(page).tags) - {"circle"} == plain - {"circle"}  # of a kind that is none nothing is unknown
    assert "<marquee" not in page
    assert "<script" not in page


@pytest.mark.parametrize("seed", range(300))
def test_what_is_shown_keeps_the_promise_of_the_interval(seed):
    rng = random.Random(seed)
    value = rng.choice([-1, 1]) * rng.random() * 10.0 ** rng.randint(-8, 14)
    half = abs(rng.choice([value, 1.0])) * 10.0 ** -rng.randint(0, 13) * (0.1 + rng.random())
    low, high = value - half * rng.random(), value + half * rng.choice([0, 1])
    number = Number("mean(x)", "", "", value, value, low, high, "1/20", "1", False)
    unit = (Fraction(high) - Fraction(low)) / 20  # a tenth of the half width, at most: its second digit
    _, text, interval = shown_row(number)
    shown_low, shown_high = (Fraction(end) for end in interval.split(" to "))
    slack = Fraction(1, 2**52) * abs(Fraction(value))  # repr is the shortest text of a double, not all its digits
    assert abs(Fraction(text) - Fraction(value)) <= unit + slack
    assert Fraction(low) - unit - slack <= shown_low <= Fraction(low) + slack
    assert Fraction(high) - slack <= shown_high <= Fraction(high) + unit + slack
    assert Fraction(low) - slack <= Fraction(text) <= Fraction(high) + slack  # where the value is an end, too


def test_a_mean_far_from_zero_is_shown_inside_its_interval():
    value = 1000000047.3125
    number = Number("mean(x)", "", "", value, value, 1000000044.25, 1000000050.375, "1/20", "1", False)
    assert shown_row(number) == ("mean(x)", "1000000047.3", "1000000044.2 to 1000000050.4")
    assert six_digits(412.0, half_width=Decimal(3)) == "412"
    assert six_digits(2**60, half_width=Decimal(3)) == str(2**60)
    assert six_digits(3.5, half_width=Decimal(0)) == "3.5"


def test_a_record_that_is_not_there_is_named(tmp_path):
    with pytest.raises(DataError, match=r"no such\.json cannot be read: No such file"):
        snapdp.load_release(tmp_path / "no such.json")


def with_first_cell(record, *, value, shown):
    """Return a record in which the first cell was drawn and is shown as told, and every other is shown as drawn."""
    for block in [*record["derived"], *(part for each in record["statistics"] for part in each["parts"])]:
        block["shown"] = list(block["value"])
    part = record["statistics"][0]["parts"][0]
    part["value"][0], part["shown"][0], part["low"][0], part["high"][0] = value, shown, 0, 2
    return record


def test_what_is_impossible_is_shown_as_possible_and_one_line_says_so(tmp_path, capsys):
    record = released(tmp_path, HISTOGRAM).record
    moved = Release(with_first_cell(record, value=-12345, shown=0))
    for text in (repr(moved), moved.to_html(), moved._repr_html_()):
        assert text.count(MOVED) == 1
        assert "-12345" not in text
    assert "histogram(region) [north] 0 0 to 2" in " ".join(repr(moved).split())
    assert next(iter(moved.values["histogram(region)"].values())) == -12345  # for sums and averages
    show_release(moved, left=Fraction(1))
    printed = capsys.readouterr()
    assert MOVED in " ".join(printed.err.split())
    assert "-12345" not in printed.out


def test_a_bar_of_a_picture_is_as_long_as_what_is_shown(tmp_path):
    record = released(tmp_path, HISTOGRAM).record
    pages = [Release(with_first_cell(record, value=value, shown=0)).to_html() for value in (-12345, 0)]
    pictures = [re.findall("<svg.*?</svg>", page) for page in pages]
    assert pictures[0]
    assert pictures[0] == pictures[1]


def test_no_number_is_lost_among_cells_of_one_name(result):
    """A record may be anybody's, and name its cells alike."""
    record = json.loads(result.to_json())
    title, values = "histogram(region)", record["statistics"][1]["parts"][0]["value"]
    record["statistics"][1]["parts"][0]["cell"] = ["(unknown) (3)", "(unknown)", "(unknown)"]
    named = {"(unknown) (3)": values[0], "(unknown)": values[1], "(unknown) (3) (3)": values[2]}
    assert Release(record).values[title] == named
