"""Pictures of the guide are drawn by what the page beside them says: those on disk show what it draws today.

`bin/pictures` draws them anew.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from click.testing import CliRunner

from snapdp.cli.app import main
from snapdp.cli.demo import REGIONS
from snapdp.lab.language.parser import load_program
from snapdp.lab.loss.verdict import verify
from snapdp.lab.report.page import verdict_page
from tests import ROOT
from tests.docs import real_tables

GUIDE = ROOT / "docs" / "guide"
COMMANDS = {  # a picture of a command, which writes it by --plot
    "plan-mean.svg": "plan --mean age --bounds 0,120 --missing middle --n 5000 --epsilon 0.5",
    "plan-natural.svg": "lab plan --sensitivity 1 --bounds 0,1000 --epsilon 0.49 --grid natural",
    "compare-accuracy.svg": "lab compare --epsilons 0.5,2",
    "compare-bias.svg": "lab compare --show bias --epsilon 1 --sensitivity 1 --bounds 0,10",
}
REPORTS = {"audit-naive.svg": "naive_laplace", "verify-halfscale.svg": "snap_halfscale"}  # the last one of a report
OF_A_RELEASE = {"release-report.svg", "attack-gallery.svg"}  # drawn at random once, as releases are
OF_REAL_TABLES = real_tables.PICTURES  # of releases by recorded bits, which can be made again


def drawn(name: str, directory: Path) -> str:
    """Return a picture as it is drawn today."""
    if name in REPORTS:
        found = re.findall(r"<svg .*?</svg>", verdict_page(verify(load_program(REPORTS[name]))), re.DOTALL)
        return found[-1].replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1) + "\n"
    if name in OF_REAL_TABLES:
        real_tables.made(directory)
        return OF_REAL_TABLES[name](directory)
    path = directory / name
    done = CliRunner().invoke(main, [*shlex.split(COMMANDS[name]), "--plot", str(path)])
    assert done.exit_code == 0, done.output
    return path.read_text(encoding="utf-8")


LARGEST_PAGE = 200_000  # bytes
SLOW = ("verify-halfscale.svg",)
DRAWN = (*COMMANDS, *REPORTS, *OF_REAL_TABLES)
EACH = [pytest.param(name, marks=[pytest.mark.long] * (name in SLOW)) for name in DRAWN]


@pytest.mark.parametrize("name", EACH)
def test_a_picture_on_disk_is_what_is_drawn_today(name, tmp_path):
    kept = (GUIDE / name).read_text(encoding="utf-8")
    assert kept == drawn(name, tmp_path)
    assert len(kept) < 100_000


def test_the_quartiles_of_real_tables_are_those_of_the_recorded_release_and_of_the_tables(tmp_path):
    real_tables.made(tmp_path)
    page = real_tables.PAGE.read_text(encoding="utf-8")
    for rows in real_tables.quartile_rows(tmp_path):
        assert f"|---|---|---|---|\n{rows}\n\n" in page


def test_the_picture_of_a_report_has_the_regions_of_the_demo_with_an_interval_each():
    picture = (GUIDE / "release-report.svg").read_text(encoding="utf-8")
    rows = re.findall(r">([a-z]+)</text>.*?>(\d+) \((\d+) to (\d+)\)</text>", picture, re.DOTALL)
    assert [name for name, *_ in rows] == list(REGIONS)
    assert [name for name, value, low, high in rows if not int(low) < int(value) < int(high)] == []
    assert "<title>mean income by region, with 95 % intervals</title>" in picture


if __name__ == "__main__":
    for each in DRAWN:
        with TemporaryDirectory() as place:
            (GUIDE / each).write_text(drawn(each, Path(place)), encoding="utf-8")
