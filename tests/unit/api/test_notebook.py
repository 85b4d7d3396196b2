"""What a terminal and a notebook show of studies, plans, verdicts, laws and mechanisms: short, and nothing obeyed."""

from __future__ import annotations

import html.parser
import re
from fractions import Fraction

import pytest

import snapdp
from snapdp.lab.language.parser import load_program
from snapdp.lab.loss.verdict import verify
from tests.unit.release.people import study

HOSTILE = "<script>alert(1)</script>\x1b[2J\u202e&\"'" + "x" * 500
MANY = [f"category {i}" for i in range(100_000)]
NOISE = snapdp.Snapping(epsilon="0.5", sensitivity=1, lower=0, upper=1000)
VERDICT = verify(load_program("snap_half"), evaluations=20)


def hostile_study(statistics: int = 1) -> snapdp.Study:
    return snapdp.study(
        dataset="people" + HOSTILE[:60],
        relation="add-remove",
        n_max=10,
        person=HOSTILE,
        columns={
            HOSTILE: {"kind": "integer", "lower": 0, "upper": 120, "missing": 60},
            "many": {"kind": "category", "categories": MANY},
        },
        statistic=[
            {"kind": "count", "where": [{"column": HOSTILE, "from": i + 1}], "epsilon": 1} for i in range(statistics)
        ],
    )


SHOWN = {
    "study": hostile_study(100),
    "plan": hostile_study(100).plan(),
    "mechanism": NOISE,
    "law": NOISE.law(412),
    "finite law": snapdp.Snapping(
        epsilon=1, sensitivity=1, lower=0, upper=100, arithmetic=snapdp.FinitePrecision(bits=53)
    ).law(Fraction(1, 3)),
    "verdict": VERDICT,
}
every_value = pytest.mark.parametrize("name", SHOWN)


class Tags(html.parser.HTMLParser):
    """The tags of a fragment that are open, and the text that is not style."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.text = ""

    def handle_starttag(self, tag, attrs):  # noqa: ARG002
        self.seen.append(tag)

    def handle_data(self, data):
        if self.seen[-1:] != ["style"]:
            self.text += data


@every_value
def test_what_a_terminal_shows_is_short_and_printable(name):
    text = repr(SHOWN[name])
    assert len(text) < (20_000 if name == "plan" else 1000)
    assert text.replace("\n", "").isprintable()
    assert "\u202e" not in text


@every_value
def test_what_a_notebook_shows_is_short_and_has_no_tag_from_outside(name):
    page = SHOWN[name]._repr_html_()
    assert len(page) < 40_000
    tags = Tags()
    tags.feed(page)
    assert set(tags.seen) <= {"div", "style", "p", "b", "table", "thead", "tbody", "tr", "th", "td", "span"}
    assert re.search(r"[\x00-\x09\x0b-\x1f\u202a-\u202e]", tags.text) is None
    assert len(tags.text.strip()) > 50


def test_a_tag_from_outside_would_be_seen():
    tags = Tags()
    tags.feed(f"<p>{HOSTILE}</p>")
    assert "script" in tags.seen


def test_a_study_is_shown_in_one_line_and_a_plan_in_fifty():
    few = study({"kind": "mean", "column": "age", "epsilon": 1})
    assert repr(few) == (
        "Study(dataset='people', relation='change-one', n=4, columns=(age, pay, region, cell, many), "
        "statistics=(mean(age)))"
    )
    assert "... 95 more" in repr(SHOWN["study"])
    lines = repr(SHOWN["plan"]).splitlines()
    assert lines[0] == "Plan: epsilon 100 in total"
    assert sum(line.endswith("± 3") for line in lines) == 50  # each title, which is long, above its figures
    assert lines[2 + 2 * 50] == "  ... and 50 more"
    assert "92 more" in " ".join(lines[103:])
    assert len(lines) < 150


def test_equal_values_are_equal_and_have_one_hash():
    again = snapdp.Snapping(epsilon=Fraction(1, 2), sensitivity="1", lower=0, upper=1000)
    assert again == NOISE
    assert len({again, NOISE, snapdp.Snapping(epsilon="0.5", sensitivity=1, lower=0, upper=1000, nan=3)}) == 2
    assert snapdp.Snapping(epsilon="0.6", sensitivity=1, lower=0, upper=1000) != NOISE
    assert hostile_study() == hostile_study()
    assert hostile_study().plan() == hostile_study().plan()
    assert len({hostile_study(2).plan(), hostile_study(2).plan(), hostile_study().plan()}) == 2
    twin = verify(load_program("snap_half"), evaluations=20)
    assert (twin, hash(twin)) == (VERDICT, hash(VERDICT))
    assert verify(load_program("snap_half"), claim=Fraction(1, 1000), evaluations=20) != VERDICT


def test_a_verdict_says_its_kind_first():
    assert repr(VERDICT).startswith("Verdict(VERIFIED: snap_half: the loss is at most ")


def test_names_that_can_be_completed_are_the_public_ones():
    assert dir(snapdp) == sorted([*snapdp.__all__, "__version__"])
    assert all(hasattr(snapdp, name) for name in dir(snapdp))
