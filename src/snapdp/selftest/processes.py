"""Processes of this installation: the same Python, and the same places where it finds what it imports.

Room: selftest. What lies in the directory where a self-test is called is no part of the installation, so such a process
does not look there.
"""

from __future__ import annotations

import os
import sys


def command(module: str, *words: str) -> list[str]:
    """Return the command that runs a module of the self-test."""
    return [sys.executable, "-P", "-m", f"snapdp.selftest.{module}", *words]


def environment() -> dict[str, str]:
    """Return the variables of this process, with all places of its imports."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(os.path.abspath(each) for each in sys.path if each)}
