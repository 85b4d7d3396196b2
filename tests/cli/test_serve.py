"""`snapdp serve` and `snapdp demo --page`, started and stopped as people do it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import httpx
import pytest

from snapdp.cli.app import main
from snapdp.cli.demo import STUDY, people, table_text
from snapdp.ledger.ledger import Ledger
from snapdp.web import serving
from tests import ROOT
from tests.docs.reference import stated_keys

ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/start\?token=[\w-]+")
PATIENCE = 60  # seconds until a page listens, on a machine that is busy
STOPPED = "Stopped. The ledger is people.ledger: keep it, it says what may still be spent."


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(table_text(people()), encoding="utf-8")
    Path("study.toml").write_text(STUDY, encoding="utf-8")
    return tmp_path


@contextmanager
def running(*words: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Run a command that serves a page until the block ends; yield its address."""
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    command = [sys.executable, "-m", "snapdp", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as page:
        try:
            yield _address(page), page
        finally:
            page.kill()


def secret_of(entrance: httpx.Response) -> dict[str, str]:
    """Return what the page's script sends with every request."""
    assert entrance.status_code == 200
    return {"X-Snapdp-Secret": re.findall('data-secret="([^"]+)"', entrance.text)[0]}


def _address(page: subprocess.Popen[str]) -> str:
    assert page.stdout is not None
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and (line := page.stdout.readline()):
        if found := ADDRESS.search(line):
            return found[0]
    raise AssertionError(page.stderr.read() if page.stderr else "")


@pytest.mark.usefixtures("place")
def test_the_page_listens_is_entered_once_and_says_at_the_end_where_the_ledger_is():
    with running("serve", "study.toml", "--ledger", "people.ledger", "--port", "0") as (address, page):
        base = address.partition("/start")[0]
        with httpx.Client() as stranger, httpx.Client() as holder:
            assert stranger.get(base).status_code == 403
            holder.headers.update(secret_of(holder.get(address)))
            assert holder.get(base).status_code == 200
            assert holder.get(f"{base}/api/state").json()["study"]["dataset"] == "people"
            assert stranger.get(address).status_code == 403  # it was used
        assert page.stdout is not None
        assert page.stdout.readline().startswith("It opens the page once.")
        page.send_signal(signal.SIGINT)
        _, told = page.communicate(timeout=PATIENCE)
        assert page.returncode == 0
        assert told.splitlines() == ["The ledger is people.ledger, which is made when you open an account.", STOPPED]
    assert not Path("people.ledger").exists()


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("still_plans", [False, True])
def test_plans_that_nobody_waits_for_do_not_keep_the_process(monkeypatch, capsys, still_plans):
    left = []
    monkeypatch.setattr(serving, "served", lambda *_, **__: still_plans)
    monkeypatch.setattr(os, "_exit", left.append)
    main(["serve", "study.toml", "--ledger", "people.ledger"], standalone_mode=False)
    assert left == [0] * still_plans
    assert capsys.readouterr().err.splitlines()[-1] == STOPPED


@pytest.mark.usefixtures("place")
def test_programs_read_the_address_as_json():
    with running("serve", "--port", "0", "--json") as (address, page):
        with httpx.Client() as holder:
            assert holder.get(address).status_code == 200
        page.send_signal(signal.SIGINT)
        assert page.wait(PATIENCE) == 0


@pytest.mark.usefixtures("place")
def test_the_json_of_the_address_has_the_keys_that_the_reference_states(monkeypatch, capsys):
    monkeypatch.setattr(serving, "served", lambda *_, announce, **__: announce("http://127.0.0.1:1/"))
    main(["serve", "--json"], standalone_mode=False)
    assert json.loads(capsys.readouterr().out).keys() == stated_keys("`snapdp serve`")


@pytest.mark.usefixtures("place")
def test_without_the_packages_of_the_page_the_command_says_to_install_what_its_extra_asks_for(monkeypatch):
    monkeypatch.setitem(sys.modules, "snapdp.web.serving", None)
    with pytest.raises(click.UsageError) as refused:
        main(["serve"], standalone_mode=False)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert sorted(re.findall("'([^']+)'", refused.value.message)) == sorted(extras["web"])


@pytest.mark.usefixtures("place")
def test_the_demo_opens_the_page_on_a_ledger_from_which_nothing_is_spent():
    with running("demo", "shown", "--page", "--no-browser") as (address, page), httpx.Client() as holder:
        holder.headers.update(secret_of(holder.get(address)))
        base = address.partition("/start")[0]
        study = holder.get(f"{base}/api/state").json()["study"]
        found = holder.post(f"{base}/api/plan", json={"study": study}, headers={"Origin": base}).json()
        assert (found["account"]["left"], found["account"]["affordable"]) == ("1", True)
        page.send_signal(signal.SIGTERM)
        page.wait(PATIENCE)
    with Ledger.open("shown/people.ledger") as ledger:
        assert ledger.account("people").spent == 0


@pytest.mark.usefixtures("place")
def test_the_command_line_does_not_load_the_page():
    program = (
        "import sys; from snapdp.cli.app import main\n"
        "try: main(['plan', 'study.toml'], prog_name='snapdp')\nexcept SystemExit: pass\n"
        "loaded = {'fastapi', 'uvicorn', 'starlette', 'jinja2', 'pydantic', 'snapdp.web'} & set(sys.modules)\n"
        "assert not loaded, loaded"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--data", "nobody.csv"], "--data nobody.csv: there is no such file."),
        (["--directory", "nowhere"], "there is no such directory"),
        (["--port", "70000"], "--port"),
    ],
)
def test_what_cannot_be_served_is_refused_before_a_port_is_taken(words, told):
    done = subprocess.run(
        [sys.executable, "-m", "snapdp", "serve", *words], check=False, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert told in done.stderr


@pytest.mark.parametrize(
    ("environment", "no_browser", "opens"),
    [({"DISPLAY": ":0"}, False, True), ({"DISPLAY": ":0"}, True, False), ({"WAYLAND_DISPLAY": "w"}, False, True)],
)
def test_a_browser_is_opened_where_somebody_sees_it_and_wants_it(monkeypatch, environment, no_browser, opens):
    from snapdp.cli.serve import _opens

    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    assert not _opens(no_browser)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert _opens(no_browser) == opens


def test_no_command_names_the_token_when_a_browser_is_opened(monkeypatch):
    """What a command is given is everybody's to see: a private file moves on to the address."""
    from snapdp.web import serving

    opened = []
    monkeypatch.setattr(serving.webbrowser, "open", lambda address: opened.append((address, _read(address))))
    monkeypatch.setattr(serving, "SEEN", 0)
    serving._opened("http://127.0.0.1:1/start?token=secret")
    ((address, (content, mode)),) = opened
    assert "secret" not in address
    assert 'url=http://127.0.0.1:1/start?token=secret"' in content
    assert mode & 0o077 == 0


def _read(address: str) -> tuple[str, int]:
    path = Path(address.removeprefix("file://"))
    return path.read_text(encoding="utf-8"), path.stat().st_mode
