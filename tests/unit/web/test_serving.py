"""The server itself, on a port: what whoever has no token can make it keep, and for how long."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import httpx
import pytest
import uvicorn

from snapdp.web import serving
from tests.unit.web.pages import COOKIE, Page

PATIENCE = 60  # seconds, on a machine that is busy; nothing is expected to take so long
HEADERS = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"


@contextmanager
def running(app) -> Iterator[tuple[uvicorn.Server, int]]:
    """Serve an application from a thread; yield the server and its port."""
    opened = serving.listening(None)
    server = uvicorn.Server(serving.server_settings(app))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [opened]})
    thread.start()
    try:
        yield server, opened.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        opened.close()


def begun(port: int, content: bytes) -> socket.socket:
    """Return a connection on which a request was begun."""
    found = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    found.sendall(content)
    return found


def received(connection: socket.socket) -> bytes:
    """Return all that comes until the server ends a connection."""
    found = b""
    try:
        while more := connection.recv(1 << 16):
            found += more
    except ConnectionError:
        pass
    return found


def answered(page: Page, port: int) -> int:
    """Return the status of an answer to who has the session of a page."""
    cookies = {COOKIE: page.tokens.entry.session}
    return httpx.get(f"http://127.0.0.1:{port}/", cookies=cookies, timeout=PATIENCE).status_code


def within(condition) -> bool:
    """Tell whether something comes to be true."""
    until = time.monotonic() + PATIENCE
    while not (found := condition()) and time.monotonic() < until:
        time.sleep(0.01)
    return found


@pytest.fixture
def soon(monkeypatch):
    monkeypatch.setattr(serving, "HEADER_SECONDS", 0.2)


def test_the_page_answers_beside_400_requests_that_were_only_begun_and_keeps_few_of_them(page, monkeypatch):
    """Each could keep a megabyte in memory, for ever."""
    monkeypatch.setattr(serving, "HEADER_SECONDS", 10 * PATIENCE)  # none of them ends by its deadline
    with running(page.app) as (server, port), ExitStack() as opened:
        sockets = [begun(port, HEADERS + b"X: " + b"x" * 60_000) for _ in range(400)]
        for each in sockets:
            opened.enter_context(each)
        assert answered(page, port) == 200
        assert within(lambda: len(server.server_state.connections) <= serving.MOST_CONNECTIONS)
        for each in sockets[: 400 - serving.MOST_CONNECTIONS]:  # the oldest are ended, the newest may still go on
            assert received(each) == b""
        sockets[-1].sendall(b"\r\n\r\n")
        assert b" 403 " in sockets[-1].recv(1 << 16)


def test_headers_are_limited(page):
    with running(page.app) as (_, port):
        with begun(port, HEADERS + b"X: " + b"x" * serving.MOST_HEADERS) as sent:
            assert received(sent).startswith(b"HTTP/1.1 400 ")
        with begun(port, HEADERS + b"X: " + b"x" * (serving.MOST_HEADERS - 100) + b"\r\n\r\n") as sent:
            assert sent.recv(1 << 16).startswith(b"HTTP/1.1 403 ")


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", b""),
        (HEADERS, b""),
        (HEADERS + b"\r\n" + HEADERS, b" 403 "),  # the second request of a connection
        (b"POST /api/plan HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9999999\r\n\r\n{", b" 403 "),
        (b"POST /start HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://127.0.0.1\r\nContent-Type: application/json\r\n"
         b"Content-Length: 9999999\r\n\r\n{", b" 403 "),
    ],
)  # fmt: skip
def test_a_connection_without_a_whole_request_ends_even_if_more_comes_of_it(page, content, told):
    with running(page.app) as (_, port), begun(port, content) as sent:
        stopped = threading.Event()

        def drip():
            while not stopped.wait(0.02):
                try:
                    sent.sendall(b"x")
                except OSError:
                    return

        dripping = threading.Thread(target=drip)
        dripping.start()
        try:
            assert told in received(sent)
        finally:
            stopped.set()
            dripping.join()


@pytest.mark.usefixtures("soon")
def test_a_request_that_is_being_answered_is_not_cut_off(monkeypatch):
    """A release takes as long as it takes, also when others open more connections than there may be."""
    monkeypatch.setattr(serving, "MOST_CONNECTIONS", 3)
    began, others_ended = threading.Event(), threading.Event()

    async def slow(_scope, _receive, send):
        began.set()
        await asyncio.to_thread(others_ended.wait, PATIENCE)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"4")]})
        await send({"type": "http.response.body", "body": b"done"})

    with running(slow) as (_, port), begun(port, HEADERS + b"\r\n") as asked, ExitStack() as opened:
        assert began.wait(PATIENCE)
        for _ in range(6):  # the deadline of the first passed before that of these
            assert received(opened.enter_context(begun(port, HEADERS))) == b""
        others_ended.set()
        assert b"done" in received(asked)
