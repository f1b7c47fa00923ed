"""Connections that cost without asking: silent ones, slow ones, too many, and such as read nothing."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from aeon.server.connections import Crowd, Patient, descriptors

from .conftest import Gated, Serve, Server, events_of, until

pytestmark = pytest.mark.requirement("V2e")
HEAD = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: "


@contextlib.contextmanager
def opened(server: Server, many: int, said: bytes = b"") -> Iterator[list[socket.socket]]:
    """So many connections that have said this."""
    with contextlib.ExitStack() as kept:
        made = []
        for _ in range(many):
            one = kept.enter_context(socket.create_connection(server.socket.getsockname(), timeout=10))
            one.sendall(said)
            made.append(one)
        yield made


def closed(one: socket.socket) -> bool:
    """Whether the server has closed it."""
    try:
        return bool(select.select([one], [], [], 0)[0]) and one.recv(4000, socket.MSG_PEEK) == b""
    except ConnectionError:
        return True


def test_dozens_of_silent_and_slow_connections_are_closed(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is closed at its time, however often it sends a byte more; others are served, and descriptors come back."""
    monkeypatch.setattr(Patient, "head_seconds", 1.0)
    server = serve()
    assert server.get("/healthz").status_code == 200
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").is_dir() else 0
    with opened(server, 20) as silent, opened(server, 20, HEAD) as slow:
        began = time.monotonic()
        while not all(map(closed, silent + slow)):
            for one in slow:
                with contextlib.suppress(OSError):
                    one.send(b"x")
            assert server.get("/healthz").status_code == 200
            assert time.monotonic() - began < 10
            time.sleep(0.05)
        assert time.monotonic() - began > 0.5
    if before:
        until(lambda: len(os.listdir("/proc/self/fd")) <= before)


def test_more_connections_than_there_is_room_for(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that has waited longest makes room; a stream stays, and who asks is served, although none is too old."""
    monkeypatch.setattr("aeon.server.serving.descriptors", lambda: 40)
    model = Gated()
    server = serve(model)
    name = server.job()
    with server.client.stream("GET", f"/jobs/{name}/events") as reply:
        parts = reply.iter_text()
        next(parts)
        with opened(server, 60) as idle:
            until(lambda: sum(map(closed, idle)) >= 31)
            assert server.get("/healthz").status_code == 200
            assert closed(idle[0]) and not closed(idle[-1])
        model.gate.set()
        assert events_of("".join(parts))[-1].type == "run_ended"


def test_where_all_are_served_one_more_is_turned_away(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """No stream is broken off for it, and there is room again when one ends."""
    monkeypatch.setattr("aeon.server.serving.descriptors", lambda: 8)
    model = Gated()
    server = serve(model)
    name = server.job()
    asked = f"GET /jobs/{name}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    server.client.close()
    with opened(server, 6, asked) as streams:
        until(lambda: all(select.select([one], [], [], 0)[0] for one in streams))
        with opened(server, 1, HEAD) as (one,):
            until(lambda: closed(one))
        assert not any(map(closed, streams))
    with opened(server, 1, HEAD + b"\r\n\r\n") as (one,):
        assert b" 200 " in one.recv(4000)
    model.gate.set()


def test_who_reads_nothing_is_let_go(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that takes nothing of what waits for it is closed after a time, and what was kept for it is free."""
    monkeypatch.setattr(Patient, "stalled_seconds", 0.3)
    server = serve()
    words = "a text of many words " * 400
    name = server.job(task=words, engine="shorten", config={"longest": 7000})
    server.over(name)
    server.client.close()
    with socket.socket() as raw:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        raw.connect(server.socket.getsockname())
        raw.sendall(f"GET /jobs/{name}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() * 4)
        until(lambda: server._server.server_state.connections)
        until(lambda: not server._server.server_state.connections)


def test_room_is_left_for_runs() -> None:
    """Connections take three quarters of what a process may have open; what comes in one go fits into the rest."""
    for limit in (64, 256, 1024, descriptors()):
        crowd = Crowd(limit)
        assert crowd.most + 3 * crowd.backlog < limit


@pytest.mark.requirement("V2d")
@pytest.mark.parametrize(
    "said",
    [
        b"HELO server\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: 1\x00\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: " + b"9" * 66_000,
        b"POST /run HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
        b"\x16\x03\x01\x02\x00",
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n" + b"\x00" * 9 + b"\r\n\r\n",
    ],
)
def test_what_is_no_request_gets_a_problem(serve: Serve, said: bytes) -> None:
    """What is no HTTP, or has a head without end, is answered like every other mistake, and the connection closed."""
    server = serve()
    with opened(server, 1, said) as (one,):
        answer = b"".join(iter(lambda: one.recv(4000), b""))
    assert answer.count(b"HTTP/1.1 400 ") == 1 and b"application/problem+json" in answer
    assert b'"type":"no_request"' in answer.rpartition(b"\r\n\r\n")[2]
    assert server.get("/healthz").status_code == 200
