"""The picture of the page: the demo's study in Chromium. `python -m tests.docs.page_picture` takes it anew."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from tests import ROOT
from tests.cli.test_serve import running

PICTURE = ROOT / "docs" / "page.png"
SIZE = {"width": 1280, "height": 860}
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run", "--disable-sync")
SETTLED = 1500  # milliseconds after the last picture came


def take(path: Path) -> None:
    """Write the picture of the page, as it is when the demo has just been opened."""
    from playwright.sync_api import sync_playwright

    with TemporaryDirectory() as place:
        words = ("demo", os.path.join(place, "demo"), "--page", "--no-browser")
        with running(*words) as (address, _), sync_playwright() as play:
            browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=list(FLAGS))
            page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type]
            page.goto(address)
            page.wait_for_selector("svg[role=img]")
            page.wait_for_timeout(SETTLED)
            page.screenshot(path=path)
            browser.close()


if __name__ == "__main__":
    take(PICTURE)
