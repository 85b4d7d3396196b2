"""Pages: text from outside stays text wherever it stands; one sheet for screens, dark ones too, and for paper."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import example, given, strategies as st

from snapdp.display.html import (
    STYLE,
    TEXT_STYLE,
    Html,
    escape,
    folded,
    html_block,
    html_fragment,
    html_page,
    html_table,
    markup,
)

ANY = st.text(st.characters(), max_size=40)  # lone surrogates too
HOSTILE = [
    "</td></title></style><script>alert(1)</script>",
    '"><img src=x onerror=y>',
    "' onload='x()",
    "&lt;b&gt;&#0;<!-- ]]>",
    "\u202eevil\x1b[2J\ud800",
]
every_attack = pytest.mark.parametrize("text", HOSTILE)


class Reader(HTMLParser):
    """Collects the tags of a page with their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags, self.open, self.text = [], [], ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, *attrs))
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


PLACES = {
    "the title": lambda text: html_page(text, []),
    "the class of a body": lambda text: html_page("t", [], kind=text.replace("\\", "")),
    "a head": lambda text: html_table([text, "b"], []),
    "a cell": lambda text: html_table(["a", "b"], [["1", text]]),
    "a cell that spans": lambda text: html_table(["a", "b"], [[text]]),
    "a block": html_block,
    "a summary": lambda text: folded(text, "inside"),
    "what is folded": lambda text: folded("more", text),
    "a paragraph": lambda text: f"<p>{escape(text)}</p>",
    "a fragment": lambda text: html_fragment([f"<p>{escape(text)}</p>"]),
}


def structure(tags):
    return [tuple(name if isinstance(name, str) else name[0] for name in tag) for tag in tags]


@every_attack
@pytest.mark.parametrize("place", PLACES)
def test_text_stays_text_in_every_place(place, text):
    plain, hostile = Reader(PLACES[place]("plain")), Reader(PLACES[place](text))
    assert structure(hostile.tags) == structure(plain.tags)
    assert hostile.open == []
    assert not set(PLACES[place](text)) & set("\u202e\x1b\ud800")


@given(ANY)
@example("<&>\"'")
def test_what_is_escaped_reads_back_as_the_visible_text(text):
    from snapdp.display.text import visible

    assert not set(escape(text)) & set("<>\"'\n")
    assert Reader(f"<p>{escape(text)}</p>").text == visible(text)
    assert markup(escape(text)) == escape(text)  # once is enough


def test_a_long_text_is_cut_before_it_is_escaped():
    assert escape("<" * 10, most=5) == "&lt;&lt;..."
    assert escape("<" * 3, most=5) == "&lt;" * 3


def test_text_that_was_put_together_is_no_markup():
    assert markup(Html("<b>") + "<i>") == "&lt;b&gt;&lt;i&gt;"


def test_a_block_keeps_its_lines():
    assert html_block("a\n\x1b<b>") == "<pre>a\n\\x1b&lt;b&gt;</pre>"


def test_a_page_is_one_closed_document():
    page = html_page("t", ["<p>a</p>", "", "<p>b</p>"], kind="snapdp")
    reader = Reader(page)
    assert reader.open == []
    assert page.startswith("<!doctype html>\n")
    assert "<p>a</p>\n<p>b</p>\n</body>" in page
    assert [tag[0] for tag in reader.tags] == ["html", "head", "meta", "meta", "title", "style", "body", "p", "p"]


@pytest.mark.parametrize("sheet", [STYLE, TEXT_STYLE, html_fragment([])], ids=["whole", "text", "fragment"])
def test_a_sheet_fetches_nothing_and_is_well_formed(sheet):
    assert not re.search(r"url\(|@import|https?:|expression", sheet)
    assert sheet.count("{") == sheet.count("}")
    depth = 0
    for sign in re.findall(r"[{}]", sheet):
        depth += 1 if sign == "{" else -1
        assert 0 <= depth <= 2


def test_the_sheet_is_readable_in_the_dark():
    assert "color-scheme: light dark" in STYLE
    assert "@media screen and (prefers-color-scheme: dark)" in STYLE  # not for paper
    everywhere = STYLE.split("@media")[0]
    text_colours = re.findall(r"[{;] color: ([^;]+);", everywhere)
    assert set(text_colours) == {"var(--link)", "var(--good)", "var(--bad)", "#fff"}  # white on a ground of its own


def test_a_page_of_text_is_unfolded_on_paper_and_nothing_is_cut():
    paper = TEXT_STYLE.split("@media print")[1]
    assert "details::details-content { content-visibility: visible; }" in paper
    assert "pre { white-space: pre-wrap; overflow: visible; }" in paper
    assert "max-width: none" in paper
    assert paper.split("\n", 1)[1].removesuffix("}\n") in STYLE.split("@media print")[1]  # and so is the whole sheet


def test_nothing_that_is_shown_is_hidden_on_paper():
    paper = STYLE.split("@media print")[1]
    assert not re.search(r"display: none|visibility: hidden|height: 0|overflow: (hidden|auto|scroll)", paper)
    for scrolled in re.findall(r"(\w+) \{[^{}]*overflow-x: auto", STYLE):
        assert re.search(rf"{scrolled} \{{[^{{}}]*overflow: visible", paper)
    for limited in re.findall(r"([.\w]+) \{[^{}]*max-height: [0-9]", STYLE):  # whatever stands before it
        assert re.search(rf"\{limited} \{{[^{{}}]*max-height: none !important", paper)
    assert "background: none" in paper  # a white text on a ground that is not printed would be lost
    assert "color: inherit" in paper


def test_the_style_of_a_fragment_touches_nothing_around_it():
    style = html_fragment([]).split("<style>")[1].split("</style>")[0]
    selectors = [each.strip() for found in re.findall(r"([^{}]+)\{[^{}]*\}", style) for each in found.split(",")]
    assert len(selectors) > 40
    assert all(".snapdp" in each for each in selectors)
    assert not re.search(r"color-scheme: [a-z ]+;", style)
    for rule in re.findall(r"\{([^{}]*)\}", STYLE):
        assert rule in style or "color-scheme" in rule


def test_numbers_that_end_at_one_line_have_their_head_above_them():
    table = html_table(["cell", "value"], [["north", "3"], ["south", "40"]], kinds=["", "r"])
    assert '<tr><th>cell</th><th class="r">value</th></tr>' in table
    assert '<td>south</td><td class="r">40</td>' in table
    assert ".r { text-align: right; }" in STYLE


def test_the_last_cell_of_a_short_row_spans_the_rest():
    table = html_table(["a", "b", "c"], [["1"], ["1", "2"], ["1", "2", "3"]], kinds=["c", "n"])
    assert '<tr><td colspan="3">1</td></tr>' in table
    assert '<tr><td class="c">1</td><td colspan="2">2</td></tr>' in table
    assert '<tr><td class="c">1</td><td class="n">2</td><td>3</td></tr>' in table
