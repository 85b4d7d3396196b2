"""Which programs were checked: versions as they tell them themselves, where a release would find them.

Room: selftest.
"""

from __future__ import annotations

import platform
import sqlite3
import sys


def checked_versions() -> dict[str, str]:
    """Return the names and versions of what the guarantee rests on; what is not there is "absent"."""
    import gmpy2
    import numpy as np

    return {
        "snapdp": str(sys.modules["snapdp"].__version__),
        "Python": f"{platform.python_version()} ({platform.python_implementation()})",
        "gmpy2": str(gmpy2.version()),
        "MPFR": str(gmpy2.mpfr_version()).removeprefix("MPFR "),
        "GMP": str(gmpy2.mp_version()).removeprefix("GMP "),
        "numpy": str(np.__version__),
        "DuckDB": _duckdb(),
        "SQLite": sqlite3.sqlite_version,
        "OpenSSL": _openssl(),
        "system": f"{platform.system()} {platform.release()}, {platform.machine()}",
    }


def _duckdb() -> str:
    try:
        import duckdb
    except ImportError:
        return "absent"
    return str(duckdb.__version__)


def _openssl() -> str:
    """Return the OpenSSL inside `cryptography`, which noise is drawn with; Python's own may be another."""
    from cryptography import __version__
    from cryptography.hazmat.backends.openssl import backend

    told = str(backend.openssl_version_text()).removeprefix("OpenSSL ").split()
    return f"{told[0] if told else 'unknown'} (cryptography {__version__})"
