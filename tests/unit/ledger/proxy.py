"""A server in between that cuts the connection at a chosen message, for tests of what a lost connection leaves."""

from __future__ import annotations

import contextlib
import select
import socket
import threading
from pathlib import Path


class Proxy:
    """Passes messages between one client at a time and a server's socket, until the message at which it cuts.

    cut     the number of the client's message, from 0; None never cuts
    reply   cut before the message reaches the server (False), or after it did and before its reply returns (True)
    """

    def __init__(self, folder: Path, server: str, *, cut: int | None, reply: bool) -> None:
        self.folder = folder
        self._server, self._cut, self._reply = f"{server}/.s.PGSQL.5432", cut, reply
        self.messages = 0
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(folder / ".s.PGSQL.5432"))
        self._listener.listen()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def __enter__(self) -> Proxy:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(10)
        (self.folder / ".s.PGSQL.5432").unlink(missing_ok=True)

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                with client, socket.socket(socket.AF_UNIX) as server:
                    server.connect(self._server)
                    self._pass_on(client, server)

    def _pass_on(self, client: socket.socket, server: socket.socket) -> None:
        while True:
            for ready in select.select([client, server], [], [])[0]:
                data = ready.recv(1 << 16)
                if not data:
                    return
                if ready is server:
                    client.sendall(data)
                    continue
                number, self.messages = self.messages, self.messages + 1
                if number == self._cut and not self._reply:
                    return
                server.sendall(data)
                if number == self._cut:
                    server.recv(1 << 16)  # the server has done it
                    return
