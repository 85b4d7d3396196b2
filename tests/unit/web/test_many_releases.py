"""A hundred people press the button at once, near the cap: what is accepted is paid for, and the rest is refused."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from snapdp.ledger.ledger import Ledger
from snapdp.web import queues as waiting, releases as releasing
from tests.cli.test_serve import secret_of
from tests.unit.web.pages import STUDY, Answer, Page, workplace

AGREED = "whatever is left"
SERVER = f"""
import sys
from pathlib import Path
from snapdp.web import releases as releasing
from snapdp.web.serving import served
from snapdp.web.workplace import Workplace
releasing.agreement = lambda *_: {AGREED!r}
folder = Path(sys.argv[1])
place = Workplace(directory=folder, data=str(folder / "people.csv"), ledger=str(folder / "people.ledger"))
served(place, port=None, as_command=lambda _: {{}}, announce=lambda line: print(line, flush=True), browser=False)
"""


def asked(number: int) -> dict[str, Any]:
    """Return one of many different requests, of epsilon 1/10 each."""
    rows = [{"column": "k", "below": str(Fraction(number + 1, 4))}]
    study = {**STUDY, "budget": "1/10", "statistic": [{"kind": "count", "where": rows, "epsilon": "1/10"}]}
    study["columns"] = {**STUDY["columns"], "k": {"kind": "number", "lower": 0, "upper": 100, "missing": "dropped"}}
    study["columns"]["k"]["step"] = "1/4"
    return {"study": study, "cost": "1/10", "agreed": AGREED}


@pytest.fixture(autouse=True)
def agreed(monkeypatch):
    """Let everybody agree to whatever is left: that nothing is overspent is for the ledger to see to."""
    monkeypatch.setattr(releasing, "agreement", lambda *_: AGREED)


def crowd(page: Page, numbers: range) -> list[Answer]:
    """Send so many releases at once to a page.

    Pages are made before, one after the other: the web framework silences warnings meanwhile, for all threads at once.
    """

    async def all_at_once() -> list[Answer]:
        bodies = [json.dumps(asked(number)).encode() for number in numbers]
        return list(await asyncio.gather(*(page.asked("POST", "/api/release", content=[each]) for each in bodies)))

    found = page.runner.run(all_at_once())
    page.close()
    return found


def workplace_of(folder: Path) -> Any:
    from snapdp.web.workplace import Workplace

    return Workplace(directory=folder, data=str(folder / "people.csv"), ledger=str(folder / "people.ledger"))


def check(answers: list[Answer], folder: Path) -> None:
    """Compare what was said with what the ledger holds."""
    accepted = [each for each in answers if each.status == 200]
    refused = [each for each in answers if each.status != 200]
    assert len(accepted) == 10
    assert {each.json["charged"] for each in accepted} == {"1/10"}
    assert len({each.json["number"] for each in accepted}) == 10
    for each in refused:
        assert each.status in (409, 429)
        assert each.json["spent"] == "0"
        assert "epsilon" in each.json["error"] or each.status == 429
    with Ledger.open(folder / "people.ledger") as book:
        account = book.account("people")
        assert (account.spent, account.left) == (1, 0)
        book.verify()
        assert len([each for each in book.history("people") if each.answer is not None]) == 10


def test_of_forty_releases_at_once_on_two_pages_ten_are_paid_and_none_is_more(tmp_path):
    workplace(tmp_path)
    with ThreadPoolExecutor(2) as pool:
        pages = [Page(workplace_of(tmp_path)) for _ in range(2)]
        found = list(pool.map(crowd, pages, [range(20), range(20, 40)]))
    check([each for answers in found for each in answers], tmp_path)


@pytest.mark.long
def test_of_a_hundred_releases_at_once_on_four_pages_ten_are_paid_and_none_is_more(tmp_path):
    workplace(tmp_path)
    with ThreadPoolExecutor(4) as pool:
        pages = [Page(workplace_of(tmp_path)) for _ in range(4)]
        found = list(pool.map(crowd, pages, [range(25 * at, 25 * at + 25) for at in range(4)]))
    check([each for answers in found for each in answers], tmp_path)


def test_too_many_who_wait_are_asked_to_come_again(tmp_path, monkeypatch):
    workplace(tmp_path)
    monkeypatch.setattr(waiting, "MOST_WAITING", 3)
    found = [each.status for each in crowd(Page(workplace_of(tmp_path)), range(9))]
    paid, asked_again = found.count(200), found.count(429)
    assert paid + asked_again == 9
    assert min(paid - 3, asked_again) > 0  # one at work and three who wait, or more where some were done meanwhile
    with Ledger.open(tmp_path / "people.ledger") as book:
        assert book.account("people").spent == Fraction(paid, 10)


def test_whoever_asks_the_same_at_once_pays_once(tmp_path):
    workplace(tmp_path)
    page = Page(workplace_of(tmp_path))
    body = json.dumps(asked(1)).encode()

    async def all_at_once() -> list[Answer]:
        return list(await asyncio.gather(*(page.asked("POST", "/api/release", content=[body]) for _ in range(8))))

    answers = [each.json for each in page.runner.run(all_at_once())]
    assert sorted(each["free"] for each in answers) == [False] + [True] * 7
    assert len({json.dumps([each["blocks"], each["number"]]) for each in answers}) == 1
    page.close()


def test_of_six_who_saw_the_same_balance_one_is_paid_and_the_others_look_again(tmp_path, monkeypatch):
    monkeypatch.undo()
    page = Page(workplace(tmp_path))
    bodies = [asked(number) for number in range(6)]
    for each in bodies:
        each["agreed"] = page.write("/api/before", {"study": each["study"]}).json["agreed"]

    async def all_at_once() -> list[Answer]:
        sent = [json.dumps(each).encode() for each in bodies]
        return list(await asyncio.gather(*(page.asked("POST", "/api/release", content=[each]) for each in sent)))

    answers = page.runner.run(all_at_once())
    assert sorted(each.status for each in answers) == [200] + [409] * 5
    assert {each.json["spent"] for each in answers if each.status == 409} == {"0"}
    with Ledger.open(tmp_path / "people.ledger") as book:
        assert book.account("people").spent == Fraction(1, 10)
    page.close()


@pytest.mark.long
@pytest.mark.parametrize("after", [0.05, 0.3, 0.8])
def test_a_page_that_is_killed_leaves_a_ledger_that_verifies(tmp_path, after):
    import httpx

    workplace(tmp_path)
    server = subprocess.Popen([sys.executable, "-c", SERVER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    address = server.stdout.readline().split()[-1]
    with httpx.Client(base_url=address.partition("/start")[0]) as client, ThreadPoolExecutor(8) as pool:
        headers = {"origin": str(client.base_url).rstrip("/"), **secret_of(client.get(address))}

        def release(number: int) -> Any:
            try:
                return client.post("/api/release", json=asked(number), headers=headers, timeout=30)
            except httpx.HTTPError:
                return None  # it was killed meanwhile

        sent = [pool.submit(release, number) for number in range(20)]
        time.sleep(after)
        os.kill(server.pid, signal.SIGKILL)
        told = [each.result() for each in sent]
    server.wait()
    server.stdout.close()
    accepted = [each for each in told if each is not None and each.status_code == 200]
    with Ledger.open(tmp_path / "people.ledger") as book:
        book.verify()
        account = book.account("people")
        assert Fraction(len(accepted), 10) <= account.spent <= 1
