"""The server: a port on this machine, one address with a token, and an end by Ctrl-C.

It listens on 127.0.0.1 alone. The application is made, and asked once, before the address is printed.
Whoever has no token, such as another program of this machine, can open connections and begin requests: how much of a
request is kept, how long one may take, and how many connections there are is limited here; the gate reads no body of
theirs.
"""

from __future__ import annotations

import asyncio
import socket
import sys
import tempfile
import threading
import time
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from snapdp.errors import ParameterError, SnapdpError
from snapdp.web.app import AsCommand, application
from snapdp.web.gate import ENTRANCE, Tokens
from snapdp.web.workplace import Workplace

HOST = "127.0.0.1"
PORT, TRIED = 8765, 20  # the first port, and how many after it
BACKLOG = 256
SEEN, PATIENCE = 60, 3  # seconds: until a browser has read a file, and for answers at the end
MOST_HEADERS = 1 << 16  # bytes: other programs of this machine may set cookies for this host
MOST_CONNECTIONS, HEADER_SECONDS = 100, 10  # a browser opens six; from then on until all headers of a request are there


class Connection(H11Protocol):
    """A connection that ends if no request arrives in time, or to make room for others when there are too many.

    It waits from its start, and after each answer, until it has all headers of a request: HEADER_SECONDS at most,
    however it sends them. Of more than MOST_CONNECTIONS the one that has waited longest is ended, so that nobody keeps
    a browser out by opening connections and sending nothing. A request that is being answered is never cut off.
    """

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._set_deadline()
        if len(self.connections) > MOST_CONNECTIONS:
            waiting = [each for each in self.connections if isinstance(each, Connection) and each._deadline is not None]
            oldest = min(waiting, key=Connection._ends_at, default=self)
            oldest._remove_deadline()
            oldest.transport.abort()

    def handle_events(self) -> None:
        super().handle_events()
        self._set_deadline()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._set_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        self._remove_deadline()
        super().connection_lost(exc)

    def _set_deadline(self) -> None:
        """Set a deadline if the connection waits for a request and has none yet; remove it if there is a request."""
        if self.transport.is_closing() or not (self.cycle is None or self.cycle.response_complete):
            self._remove_deadline()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(HEADER_SECONDS, self._end)

    def _remove_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _ends_at(self) -> float:
        assert self._deadline is not None
        return self._deadline.when()

    def _end(self) -> None:
        self._remove_deadline()
        self.transport.close()  # what is still being sent is sent


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
    server = uvicorn.Server(server_settings(app))

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


def server_settings(app: Any) -> uvicorn.Config:
    """Return how an application is served: what is kept of requests, and for how long."""
    return uvicorn.Config(
        app, log_level="critical", access_log=False, server_header=False, lifespan="off", ws="none", http=Connection,
        h11_max_incomplete_event_size=MOST_HEADERS, timeout_graceful_shutdown=PATIENCE,
    )  # fmt: skip


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
