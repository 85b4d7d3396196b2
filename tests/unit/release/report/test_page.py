"""The page of a release: every number in the open, pictures that agree with them, and nothing a page must not do."""

from __future__ import annotations

import html.parser
import itertools
import random
import re

import pytest

import snapdp
from snapdp.release.numbers import shown_pair
from snapdp.release.remarks import unknown_places
from snapdp.release.report.results import table_places
from snapdp.release.result import Release
from tests.unit.audits.releases import random_record
from tests.unit.release.report.printed import printed

COLUMNS = {
    "age": {"kind": "integer", "lower": 0, "upper": 120, "missing": "middle"},
    "pay": {"kind": "number", "lower": 0, "upper": 10000, "step": "0.25", "missing": "dropped"},
    "region": {"kind": "category", "categories": ["north", "<south>", "pacific"]},
    "sex": {"kind": "category", "categories": ["f", "m"]},
    "many": {"kind": "category", "categories": [f"place {i}" for i in range(200)]},
}
ASKED = [
    {"kind": "mean", "column": "age", "epsilon": 1},
    {"kind": "variance", "column": "age", "epsilon": 1},
    {"kind": "histogram", "column": "region", "epsilon": 1},
    {"kind": "histogram", "column": "many", "epsilon": 1},
    {"kind": "mean", "column": "pay", "by": "region", "epsilon": 4},
    {"kind": "mean", "column": "pay", "by": ["region", "sex"], "epsilon": 4},
    {"kind": "sum", "column": "age", "by": ["region", "sex"], "margins": "all", "epsilon": 4},
    {"kind": "quantiles", "column": "pay", "at": ["0.25", "0.5"], "epsilon": 4},
    {"kind": "quantiles", "column": "age", "by": "sex", "at": ["0.25", "0.5", "0.75"], "epsilon": 4},
    {"kind": "count", "where": [{"column": "age", "from": 65}], "epsilon": 1},
]
TEXTS = {"title": "How we live", "publisher": "Office <b>", "contact": "office@example.org"}


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    dice = random.Random(1)
    rows = {
        "age": [dice.randrange(100) for _ in range(600)],
        "pay": [dice.randrange(500_000) / 100 for _ in range(600)],
        **{name: [dice.choice(COLUMNS[name]["categories"]) for _ in range(600)] for name in ("region", "sex", "many")},
    }
    asked = snapdp.study(dataset="people", relation="change-one", n=600, columns=COLUMNS, statistic=ASKED, **TEXTS)
    with snapdp.Ledger.create(folder / "l.ledger", clock=lambda: "2026-01-31T12:00:00Z") as book:
        book.create_account("people", cap=100, relation="change-one", rows=600)
        return asked.release(rows, ledger=book, directory=folder)


class Page(html.parser.HTMLParser):
    """Collects the texts that a reader sees, by tag, and the tags in order; what is folded is no text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.inside: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag != "meta":
            self.inside.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.inside.pop() == tag

    def handle_data(self, data):
        if data.strip() and not {"details", "title", "style"} & {*self.inside}:
            self.texts.append((self.inside[-1], data))

    @property
    def seen(self) -> set[str]:
        return {text for tag, text in self.texts if tag in ("td", "th", "span", "strong")}


def every_text(release: Release) -> list[str]:
    """Return what was asked for and its parts as a page prints them; a number of which nothing is known is none.

    Of a distribution those points that its table has; the counts it is read off are in the record and in files.
    """
    found = []
    for block in release.blocks():
        if block.is_ranked and not block.derived:
            continue
        unknown = unknown_places(block) if block.is_first else ()
        is_curve = block.name == "distribution"
        assert not is_curve or len(table_places(block)) <= 50 or "by" in block.declared
        for place, number in enumerate(block.readable):
            if is_curve and place not in table_places(block):
                continue
            value, interval = shown_pair(number)
            found += [*([] if place in unknown else [value]), *filter(None, [interval])]
    return found


def test_every_value_and_interval_is_in_a_table_and_nothing_is_folded(release):
    page = Page(release.to_html())
    wanted = every_text(release)
    assert len(wanted) > 150
    assert [each for each in wanted if each not in page.seen] == []
    assert "details" not in {tag for tag, _ in page.tags}


@pytest.mark.parametrize("seed", range(30))
def test_whatever_was_asked_every_number_of_the_record_is_on_the_page(seed):
    found = Release(random_record(random.Random(seed)))
    page = Page(found.to_html())
    assert [each for each in every_text(found) if each not in page.seen] == []


@pytest.mark.long
@pytest.mark.parametrize("seed", range(30, 400))
def test_whatever_else_was_asked_every_number_of_the_record_is_on_the_page(seed):
    test_whatever_was_asked_every_number_of_the_record_is_on_the_page(seed)


@pytest.mark.long
def test_every_number_is_on_paper(release, tmp_path):
    paper = printed(release.to_html(), tmp_path)
    wanted = [re.sub(r"\s", "", each) for each in every_text(release)]
    assert [each for each in wanted if each not in paper] == []
    assert "Howwelive" in paper
    assert "pacific" in paper
    # a table that is folded is not printed: the check can fail
    lost = "<details><summary>table</summary>7654321</details>"
    assert "7654321" not in printed(f"<body>{lost}</body>", tmp_path)


def test_the_front_says_what_it_is_who_publishes_it_and_what_is_protected(release):
    page = release.to_html()
    assert "<title>How we live</title>" in page
    assert "<h1>How we live</h1>" in page
    assert "Office &lt;b&gt; &middot; contact: office@example.org &middot; charged on 2026-01-31 (UTC)" in page
    assert 'Together, the results use an <span class="charge">epsilon of 25</span> from the table\'s budget.' in page
    assert "two values for this one equally likely: after seeing the results they could be right every time." in page
    assert "whole numbers between 0 and 120, others count as the nearest of these; missing values count as 60." in page
    assert "rows without it are left out" in page


def test_a_record_without_texts_is_titled_by_its_dataset(release):
    untitled = {key: each for key, each in release.record.items() if key not in TEXTS}
    page = Release(untitled).to_html()
    assert "<h1>Statistics of people</h1>" in page
    assert "contact" not in page.partition("<h2>")[0].partition("<body")[2]


def test_words_that_only_we_use_stand_in_the_annex_alone(release):
    front = Page(release.to_html().partition("<h2>Technical annex")[0] + "</body></html>")
    text = " ".join(text for _, text in front.texts)
    assert re.findall(r"(?i)\b(derived|numerators?|centred|alpha|cells?|neighbours?)\b", text) == []
    assert "95 % interval" in text


def test_bars_and_dots_stand_where_the_numbers_beside_them_are(release):
    """The axis is read off its own labels, as a reader does."""
    tables = re.findall(r'<table class="wide">.*?</table>', release.to_html(), re.DOTALL)
    blocks = [each for each in release.blocks() if each.name in ("mean", "count") and not each.is_single]
    shown = [each for each in blocks if each.declared["kind"] in ("mean", "histogram") and not each.is_made_of]
    assert len(tables) > len(shown) >= 4
    for block, table in zip(shown, (each for each in tables if "measured" not in each), strict=True):
        ticks = re.findall(r'<text x="([0-9.]+)%"[^>]*>(-?[0-9.]+)</text>', table.partition("</thead>")[0])
        (start, low), (end, high) = ((float(x), float(text)) for x, text in (ticks[0], ticks[-1]))
        assert (start, end) == (0, 100)
        for number, row in zip(block.numbers, table.partition("<tbody>")[2].split("</tr>"), strict=False):
            dots, bars = (
                re.findall(r'cx="([0-9.]+)%"', row),
                re.findall(r'<rect x="([0-9.]+)%"[^>]*width="([0-9.]+)%"', row),
            )
            place = 100 * (number.printed - low) / (high - low)
            if dots:
                assert float(dots[0]) == pytest.approx(place, abs=0.01)
            elif bars:
                assert float(bars[0][0]) + float(bars[0][1]) == pytest.approx(place, abs=0.02)
                assert low == 0  # lengths are compared


def test_headings_are_in_order_tables_have_captions_and_pictures_titles(release):
    page = Page(release.to_html())
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    tags = [tag for tag, _ in page.tags]
    assert tags.count("table") == tags.count("caption") > 10
    heads = [attributes for tag, attributes in page.tags if tag == "th"]
    assert all(each.get("scope") in ("row", "col") for each in heads)
    pictures = re.findall(r"<svg[^>]*>(.{7})", release.to_html())
    assert set(pictures) <= {"<title>", "<path d"}  # the latter inside another


def test_nothing_is_wider_than_a_telephone_but_what_scrolls_by_itself(release):
    """Pictures are as wide as their place, and every table is inside of a box that scrolls."""
    page = release.to_html()
    widths = {attributes.get("width") for tag, attributes in Page(page).tags if tag == "svg"}
    assert widths == {"100%"}
    assert (
        page.count("<table") == page.count('<div class="box') == len(re.findall(r'<div class="box[^>]*><table', page))
    )
    style = page.partition("<style>")[2].partition("</style>")[0]
    assert all(float(each) <= 9 for each in re.findall(r"min-width: ([0-9.]+)(?:rem|em)", style))
    assert ".box { overflow-x: auto" in style
    assert 'name="viewport"' in page


def test_a_page_runs_nothing_fetches_nothing_and_styles_nothing_inline(release):
    page = Page(release.to_html())
    assert not {"script", "link", "img", "iframe", "object", "form", "base"} & {tag for tag, _ in page.tags}
    names = {name for _, attributes in page.tags for name in attributes}
    assert not {name for name in names if name.startswith("on")} | names & {"src", "href", "style", "action"}


def test_the_page_says_how_to_check_it_with_the_digest_of_the_record(release):
    from snapdp.studies.declarations import digest

    page = release.to_html().partition("<h2>How to check this</h2>")[2]
    assert digest(release.to_json()) in page
    assert "snapdp verify record.json" in page
    assert "snapdp verify certificate.json" in page


def test_a_notebook_folds_the_annex_and_has_everything_in_it(release):
    body = release._repr_html_()
    assert body.count("<details>") == 1
    assert body.index("<h2>Results</h2>") < body.index("<details>")
    assert 'class="snapdp"' in body


def test_quantiles_have_the_places_of_the_step_of_their_column(release):
    block = next(each for each in release.blocks() if each.name == "quantile" and not each.declared.get("by"))
    for number in block.readable:
        value, interval = shown_pair(number)
        assert re.fullmatch(r"[0-9]+\.[0-9]{2}", value)
        assert re.fullmatch(r"[0-9]+\.[0-9]{2} to [0-9]+\.[0-9]{2}", interval)


def test_the_odds_are_about_all_rows_that_are_protected_together(tmp_path):
    columns = {"age": {"kind": "integer", "lower": 0, "upper": 9, "missing": "dropped"}}
    asked = snapdp.study(
        dataset="people", relation="add-remove", n_max=9, unit_rows=3, columns=columns,
        statistic=[{"kind": "count", "epsilon": 1}],
    )  # fmt: skip
    with snapdp.Ledger.create(tmp_path / "l.ledger") as book:
        book.create_account_for(asked, cap=1)
        found = asked.release({"age": [1, 2]}, ledger=book, directory=tmp_path)
    assert "that these 3 rows are in the table or not" in found.to_html()
