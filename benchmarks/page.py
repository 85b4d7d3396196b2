"""How quick the page is: 200 edits of a plan with ten statistics, and from the start of the process to its address.

    python benchmarks/page.py           one JSON line for each case; times are those of the server alone
    python benchmarks/page.py --edits 50

Targets: 95 of 100 edits below 100 ms; usable within a second of the moment at which the process listens.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from snapdp.ledger.ledger import Ledger
from snapdp.web.app import application
from snapdp.web.gate import SECRET, Admission, Tokens
from snapdp.web.workplace import Workplace

EDITS, HOST = 200, "127.0.0.1:8765"
STUDY: dict[str, Any] = {
    "format": 1,
    "dataset": "people",
    "relation": "change-one",
    "n": 5000,
    "budget": "2",
    "columns": {
        "age": {"kind": "integer", "lower": 0, "upper": 120, "missing": "middle"},
        "income": {"kind": "number", "lower": 0, "upper": 10000, "step": "1/100", "missing": "dropped"},
        "region": {"kind": "category", "categories": ["north", "south", "east", "west"]},
    },
    "statistic": [
        {"kind": "mean", "column": "age"},
        {"kind": "mean", "column": "income"},
        {"kind": "sum", "column": "income"},
        {"kind": "variance", "column": "age"},
        {"kind": "covariance", "columns": ["age", "income"]},
        {"kind": "histogram", "column": "region"},
        {"kind": "histogram", "column": "age", "edges": [0, 18, 65, 120]},
        {"kind": "quantiles", "column": "age", "at": ["0.25", "0.5", "0.75"]},
        {"kind": "mean", "column": "income", "by": "region"},
        {"kind": "count", "where": [{"column": "age", "from": 65}]},
    ],
}


def edited(number: int) -> dict[str, Any]:
    """Return the study after so many edits: another row has another epsilon each time."""
    place = number % 10
    lines = [{"epsilon": "1/5", **each} for each in STUDY["statistic"]]
    lines[place] = {**lines[place], "epsilon": f"{100 + number}/2000"}
    return {"study": {**STUDY, "statistic": lines}, "edited": place}


async def answered(app: Any, entry: Admission, path: str, body: Any) -> float:
    """Return the seconds that an answer takes."""
    content, status = json.dumps(body).encode(), []
    headers = {
        "host": HOST,
        "origin": f"http://{HOST}",
        "content-type": "application/json",
        "cookie": f"c={entry.session}",
    }
    headers |= {SECRET: entry.secret}
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "scheme": "http",
        "path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "", "client": None, "server": None,
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }  # fmt: skip

    async def receive() -> Any:
        return {"type": "http.request", "body": content, "more_body": False}

    async def send(message: Any) -> None:
        status.append(message.get("status"))

    begun = time.perf_counter()
    await app(scope, receive, send)
    seconds = time.perf_counter() - begun
    assert status[0] == 200, status
    return seconds


async def measured(app: Any, entry: Admission, path: str, bodies: list[Any]) -> list[float]:
    await answered(app, entry, path, bodies[0])
    return [await answered(app, entry, path, each) for each in bodies]


def say(case: str, seconds: list[float]) -> None:
    ordered = sorted(seconds)
    found = {"p50": statistics.median(ordered), "p95": ordered[int(0.95 * len(ordered))], "worst": ordered[-1]}
    print(json.dumps({"case": case, "of": len(ordered), **{f"{k}_ms": round(1000 * v, 1) for k, v in found.items()}}))


def start(folder: Path) -> float:
    """Return the seconds from the start of the process until it has printed its address."""
    begun = time.perf_counter()
    command = [sys.executable, "-m", "snapdp", "serve", "--data", "people.csv", "--no-browser"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    seconds = time.perf_counter() - begun
    os.kill(process.pid, signal.SIGINT)
    process.communicate()
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure how quick the page is.")
    parser.add_argument("--edits", type=int, default=EDITS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder, tokens = Path(name), Tokens()
        (folder / "people.csv").write_text("age,income,region\n1,2,north\n", encoding="utf-8")
        with Ledger.create(folder / "people.ledger") as ledger:
            ledger.create_account("people", cap=2, relation="change-one", rows=5000)
        place = Workplace(directory=folder, data=str(folder / "people.csv"), ledger=str(folder / "people.ledger"))
        app = application(place, tokens, cookie="c", as_command=lambda _: {})
        bodies = [edited(number) for number in range(options.edits)]
        say("plan, ten statistics", asyncio.run(measured(app, tokens.entry, "/api/plan", bodies)))
        shown = [{**each, "place": each["edited"]} for each in bodies[: options.edits // 4]]
        say("consequence of a row", asyncio.run(measured(app, tokens.entry, "/api/consequence", shown)))
        say("start of the process", [start(folder) for _ in range(3)])


if __name__ == "__main__":
    main()
