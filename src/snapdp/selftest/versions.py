"""Which programs were checked: versions as they tell them themselves, where a release would find them.

Room: selftest.
"""

from __future__ import annotations

import platform
import sqlite3
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def checked_versions() -> dict[str, str]:
    """Return the names and versions of what the guarantee rests on; what is not there is "absent"."""
    return {
        "snapdp": str(sys.modules["snapdp"].__version__),
        "Python": f"{platform.python_version()} ({platform.python_implementation()})",
        "gmpy2": _told("gmpy2", lambda gmpy2: gmpy2.version()),
        "MPFR": _told("gmpy2", lambda gmpy2: gmpy2.mpfr_version().removeprefix("MPFR ")),
        "GMP": _told("gmpy2", lambda gmpy2: gmpy2.mp_version().removeprefix("GMP ")),
        "numpy": _told("numpy", lambda numpy: numpy.__version__),
        "DuckDB": _told("duckdb", lambda duckdb: duckdb.__version__),
        "SQLite": sqlite3.sqlite_version,
        # the OpenSSL inside cryptography draws the noise; that of Python itself may be another
        "OpenSSL": _told("cryptography.hazmat.backends.openssl", _openssl),
        "cryptography": _told("cryptography", lambda cryptography: cryptography.__version__),
        "system": f"{platform.system()} {platform.release()}, {platform.machine()}",
    }


def _told(name: str, ask: Callable[[Any], Any]) -> str:
    try:
        return str(ask(import_module(name)))
    except ImportError:
        return "absent"


def _openssl(openssl: Any) -> str:
    words = str(openssl.backend.openssl_version_text()).removeprefix("OpenSSL ").split()
    return words[0] if words else "unknown"
