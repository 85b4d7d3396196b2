"""The server: a port on this machine, one address with a token, and an end by Ctrl-C.

Room: web. It listens on 127.0.0.1 alone. The application is made, and asked once, before the address is printed.
"""

from __future__ import annotations

import socket
import sys
import tempfile
import threading
import time
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import uvicorn

from snapdp.errors import ParameterError, SnapdpError
from snapdp.web.app import AsCommand, application
from snapdp.web.gate import ENTRANCE
from snapdp.web.tokens import Tokens
from snapdp.web.workplace import Workplace

HOST = "127.0.0.1"
PORT, TRIED = 8765, 20  # the first port, and how many after it
BACKLOG = 256
SEEN, PATIENCE = 60, 3  # seconds: until a browser has read a file, and for answers at the end
MOST_HEADERS = 1 << 20  # bytes: other programs of this machine may set cookies for this host, and many


def listening(port: int | None) -> socket.socket:
    """Return a socket that listens on a port of this machine: the one given, or the first that is free."""
    tried = [port] if port is not None else range(PORT, PORT + TRIED)
    for each in tried:
        found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind((HOST, each))
            found.listen(BACKLOG)
        except (OSError, OverflowError):
            found.close()
        else:
            return found
    told = f"port {port} is" if port is not None else f"ports {PORT} to {PORT + TRIED - 1} are"
    raise ParameterError(f"{told} in use, or cannot be used.", "Give another: --port NUMBER.", key="port")


def served(
    place: Workplace, *, port: int | None, as_command: AsCommand, announce: Callable[[str], None], browser: bool
) -> bool:
    """Serve the page until it is stopped; tell whether plans that nobody waits for any longer keep the process.

    announce   prints an address: the first one, and one for each Enter in the terminal
    browser    opens the address in a browser
    """
    opened, tokens = listening(port), Tokens()
    number = opened.getsockname()[1]
    app = application(place, tokens, cookie=f"snapdp-{number}", as_command=as_command)
    server = uvicorn.Server(
        uvicorn.Config(
            app, log_level="critical", access_log=False, server_header=False, lifespan="off", ws="none", http="h11",
            h11_max_incomplete_event_size=MOST_HEADERS, timeout_graceful_shutdown=PATIENCE,
        )
    )  # fmt: skip

    def address() -> str:
        return f"http://{HOST}:{number}{ENTRANCE}?token={tokens.token}"

    _warm_up(place)
    announce(address())
    if browser:
        threading.Thread(target=_opened, args=(address(),), daemon=True).start()
    if sys.stdin is not None and sys.stdin.isatty():
        threading.Thread(target=_on_enter, args=(lambda: announce(address()),), daemon=True).start()
    try:
        server.run(sockets=[opened])
    except KeyboardInterrupt:
        pass
    finally:
        opened.close()
    still_plans: bool = app.app.state.desk.finish()
    return still_plans


def _warm_up(place: Workplace) -> None:
    """Do once what the first requests would wait for: the names of the table's columns, a plan, its consequences."""
    from snapdp.api.consequence import consequence

    with suppress(SnapdpError):  # whatever is wrong is said on the page
        opened = place.opened_study()
        place.known_columns(None)
        if opened is not None:
            consequence(opened.plan(), 0)


def _opened(address: str) -> None:
    """Open an address in a browser by a private file that moves on to it: words of a command are everybody's to see."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "open.html"
        path.touch(mode=0o600)
        path.write_text(f'<!doctype html><meta http-equiv="refresh" content="0; url={address}">', encoding="utf-8")
        webbrowser.open(path.as_uri())
        time.sleep(SEEN)  # until a browser has read it


def _on_enter(print_address: Callable[[], None]) -> None:
    for _ in sys.stdin:
        print_address()
