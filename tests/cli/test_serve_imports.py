"""What the page needs is loaded by the page alone: other commands start as quickly as before."""

from __future__ import annotations

import subprocess
import sys

import pytest

WEB = {"fastapi", "starlette", "uvicorn", "jinja2", "pydantic", "anyio", "httpx", "h11"}
LOADED = """
import sys
from snapdp.cli.app import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print("LOADED", *sorted({name.partition(".")[0] for name in sys.modules} | {"snapdp.web"} & set(sys.modules)))
"""
PLAN = ["plan", "--n", "100", "--column", "age=0:120", "--mean", "age", "--epsilon", "1"]


@pytest.mark.parametrize("words", [["--help"], ["serve", "--help"], PLAN], ids=["help", "help of serve", "plan"])
def test_a_command_does_not_load_what_the_page_needs(words, tmp_path):
    found = subprocess.run([sys.executable, "-c", LOADED, *words], capture_output=True, text=True, cwd=tmp_path)
    loaded = set(found.stdout.splitlines()[-1].split()[1:])
    assert "snapdp" in loaded
    assert loaded & (WEB | {"snapdp.web"}) == set()
