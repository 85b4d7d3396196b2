"""Environments of the libraries that snapdp is measured against.

One virtual environment per peer below `benchmarks/.peers/`, because their requirements contradict each other (and
snapdp's own). An environment is built once and rebuilt when its requirement list changes. A peer that cannot be
installed is a `Missing` with the last line of the reason; it never stops the run.

    python benchmarks/peers.py        build all environments and say what is there
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
CACHE = HERE / ".peers"
INSTALL_TIMEOUT_SECONDS = 900


@dataclass(frozen=True)
class Peer:
    """A library, what pip needs to install it, and the module that holds its cases."""

    name: str
    requirements: tuple[str, ...]
    cases_module: str


@dataclass(frozen=True)
class Missing:
    """Something that cannot be measured here, and why, in one line."""

    reason: str


PEERS = (
    # diffprivlib 0.6.6 does not import with newer scikit-learn.
    Peer("diffprivlib", ("diffprivlib==0.6.6", "scikit-learn<1.7"), "cases_diffprivlib"),
    Peer("opendp", ("opendp[polars]==0.16.0",), "cases_opendp"),
    Peer("python-dp", ("python-dp==1.1.5",), "cases_pydp"),
)


def last_line(text: str) -> str:
    """Return the last line with something on it; of a traceback or a pip log that is the reason."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no message"


def interpreter_of(environment: Path) -> Path:
    """Return the interpreter of a virtual environment on this platform."""
    return environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def without_pythonpath() -> dict[str, str]:
    """Return the process environment for a peer: snapdp's own import path must not leak into it."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def ensure(peer: Peer) -> Path | Missing:
    """Return the interpreter of the peer's environment, building it on first use."""
    environment = CACHE / peer.name
    stamp, wanted = environment / "installed.txt", "\n".join(peer.requirements)
    if stamp.is_file() and stamp.read_text() == wanted:
        return interpreter_of(environment)
    shutil.rmtree(environment, ignore_errors=True)
    try:
        _call([sys.executable, "-m", "venv", str(environment)])
        _call([str(interpreter_of(environment)), "-m", "pip", "install", "--quiet", *peer.requirements])
    except subprocess.CalledProcessError as error:
        return Missing(last_line(error.stderr))
    except (OSError, subprocess.TimeoutExpired) as error:
        return Missing(last_line(str(error)))
    stamp.write_text(wanted)
    return interpreter_of(environment)


def _call(command: list[str]) -> None:
    subprocess.run(
        command, env=without_pythonpath(), check=True, capture_output=True, text=True, timeout=INSTALL_TIMEOUT_SECONDS
    )


def main() -> None:
    """Build every environment and print one line for each."""
    for peer in PEERS:
        result = ensure(peer)
        print(f"{peer.name}: {'missing, ' + result.reason if isinstance(result, Missing) else 'ready'}")


if __name__ == "__main__":
    main()
