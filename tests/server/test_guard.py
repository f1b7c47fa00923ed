"""Who may ask, for what, and how much: hosts, origins, tokens, sizes; and what no answer gives away."""

from __future__ import annotations

import asyncio
import hashlib
import socket
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from aeon.errors import InputFileError
from aeon.server.connections import Patient
from aeon.server.guard import MOST_BYTES, Guard
from aeon.server.service import Limits
from aeon.server.serving import is_loopback
from aeon.server.tokens import Tokens

from .conftest import TASK, WORDS_TASK, Gated, Serve, complains, events_of, until

pytestmark = pytest.mark.requirement("V2e")

ALICE, BOB = "alice-secret-token-0001", "bob-secret-token-000002"
HASHED = f"sha256:{hashlib.sha256(BOB.encode()).hexdigest()}"
LINES = ["# who may", "", f"{ALICE} name=alice", f"{HASHED} name=bob expires=2026-06-01"]


def asked(server: socket.socket, *lines: str, body: bytes = b"") -> bytes:
    """The answer to these lines of a request."""
    with socket.create_connection(server.getsockname()) as raw:
        raw.sendall("\r\n".join([*lines, "Connection: close", "", ""]).encode() + body)
        return b"".join(iter(lambda: raw.recv(4000), b""))


def test_names_of_other_sites_are_refused(serve: Serve) -> None:
    """A name that somebody had point here is refused, whatever the request; addresses and localhost are not."""
    server = serve()
    for host in ("evil.example", "evil.example:8765", "localhost.evil.example", "127.0.0.1.evil.example", "[", "", "*"):
        complains(server.client.get("/jobs", headers={"Host": host}), 421, "wrong_host", "--allow-host")
        assert b" 421 " in asked(server.socket, "GET /jobs HTTP/1.1", f"Host: {host}")
    for host in ("localhost", "127.0.0.1:99", "[::1]:8765", "LOCALHOST"):
        assert server.client.get("/jobs", headers={"Host": host}).status_code == 200
    twice = asked(server.socket, "GET /jobs HTTP/1.1", "Host: localhost", "Host: evil.example")
    assert b" 400 " in twice


def test_pages_of_other_sites_are_refused(serve: Serve) -> None:
    """A browser says which page sends a request: only the server's own may, and no answer opens it to others."""
    server = serve()
    origins = [{"Origin": one} for one in ("https://evil.example", "null", "http://[::1")]
    for header in (*origins, {"Sec-Fetch-Site": "cross-site"}):
        complains(server.post("/run", {"task": TASK}, **header), 403, "wrong_origin", "own pages")
    own = server.post("/run", {"task": WORDS_TASK, "engine": "shorten"}, Origin=server.url)
    assert own.status_code == 200
    preflight = server.client.options("/run", headers={"Origin": server.url, "Access-Control-Request-Method": "POST"})
    assert not any(name.startswith("access-control") for name in {**preflight.headers, **own.headers})
    assert own.headers["content-security-policy"].startswith("default-src 'none'")
    assert own.headers["x-content-type-options"] == "nosniff" and own.headers["cache-control"] == "no-store"


def test_bodies_are_limited(serve: Serve) -> None:
    """One that says that it is too large, or turns out to be, is refused before it is read to its end."""
    server = serve()
    said = asked(server.socket, "POST /run HTTP/1.1", "Host: localhost", f"Content-Length: {MOST_BYTES + 1}")
    assert b" 413 " in said and b"too_large" in said
    complains(server.client.post("/run", content=(b"x" * 65536 for _ in range(1600))), 413, "too_large", "a folder")
    assert server.get("/healthz").json()["status"] == "ok"


def test_a_body_in_many_pieces_costs_no_more_than_one() -> None:
    """What each costs does not grow with those before it: a body that comes byte by byte keeps nobody waiting."""
    pieces = [{"type": "http.request", "body": b" ", "more_body": True}] * 50_000
    left = iter([*pieces, {"type": "http.request", "body": b"{}", "more_body": False}])
    bodies: list[bytes] = []

    async def receive() -> Any:
        return next(left)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        bodies.append((await receive())["body"])

    async def send(message: Any) -> None:
        raise AssertionError(message)

    scope = {"type": "http", "method": "POST", "path": "/run", "headers": [(b"host", b"localhost")]}
    began = time.process_time()
    asyncio.run(Guard(app)(scope, receive, send))
    assert len(bodies[0]) == 50_002 and time.process_time() - began < 3


def test_connections_without_a_request_are_closed(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that says nothing, or half a request, first or after another, is closed; a stream that works is not."""
    monkeypatch.setattr(Patient, "head_seconds", 0.2)
    model = Gated()
    server = serve(model)
    name = server.job()
    with server.client.stream("GET", f"/jobs/{name}/events") as reply:
        parts = reply.iter_text()
        next(parts)
        for said in (b"", b"GET / HTTP/1.1\r\nHost: loc", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /h"):
            with socket.create_connection(server.socket.getsockname(), timeout=10) as raw:
                raw.sendall(said)
                answer = b"".join(iter(lambda: raw.recv(4000), b""))
                assert answer.count(b"HTTP/1.1 200") == said.count(b"localhost")
        model.gate.set()
        assert events_of("".join(parts))[-1].type == "run_ended"


def test_a_server_with_tokens_asks_for_one(serve: Serve) -> None:
    """Missing, wrong, expired and twice: 401 without a word on which is right; what holds no run is open."""
    server = serve(tokens=Tokens(LINES, "tokens", lambda: datetime(2026, 7, 1, tzinfo=UTC)))
    complains(server.get("/jobs"), 401, "unauthorized", "Authorization: Bearer")
    for wrong in ("Bearer wrong-token-00000000", f"Basic {ALICE}", "Bearer", f"Bearer {ALICE}x", f"Bearer {HASHED}"):
        refused = server.get("/jobs", Authorization=wrong)
        assert refused.status_code == 401 and refused.headers["www-authenticate"].startswith("Bearer")
        assert ALICE not in refused.text
    complains(server.get("/jobs", Authorization=f"Bearer {BOB}"), 401, "expired", "a new one")
    assert server.get("/jobs", Authorization=f"Bearer {ALICE}").status_code == 200
    assert server.get("/jobs", Authorization=f"bearer  {ALICE}").status_code == 200
    assert server.get("/healthz").status_code == server.get("/readyz").status_code == 200
    complains(server.get("/metrics"), 401, "unauthorized")


def test_a_job_belongs_to_its_token(serve: Serve) -> None:
    """Another's job is not there: not to look at, not to stop; lists and keys are apart."""
    tokens = Tokens(LINES, "tokens", lambda: datetime(2026, 1, 1, tzinfo=UTC))
    server = serve(tokens=tokens)
    alice, bob = ({"Authorization": f"Bearer {token}"} for token in (ALICE, BOB))
    body = {"task": WORDS_TASK, "engine": "shorten"}
    name = server.post("/run", body, **alice, **{"Idempotency-Key": "k"}).json()["id"]
    other = server.post("/run", body, **bob, **{"Idempotency-Key": "k"}).json()["id"]
    assert name != other
    for path in ("", "/events", "/history", "/proof", "/result", f"/diff/{other}"):
        complains(server.get(f"/jobs/{name}{path}", **bob), 404, "unknown_job")
        assert server.get(f"/jobs/{name}{path if 'diff' not in path else ''}", **alice).status_code == 200
    complains(server.get(f"/jobs/{other}/diff/{name}", **bob), 404, "unknown_job")
    for action in ("cancel", "answer", "fork", "resume"):
        complains(server.post(f"/jobs/{name}/{action}", {"at": 0, "answer": "x"}, **bob), 404, "unknown_job")
    assert [job["id"] for job in server.get("/jobs", **bob).json()["jobs"]] == [other]


def test_a_token_has_a_budget(serve: Serve) -> None:
    """What its runs have made and could make counts; what a run did not use is given back, also over a restart."""
    tokens = Tokens([f"{ALICE} name=alice calls=60", f"{BOB} name=bob"], "tokens")
    model = Gated()
    server = serve(model, tokens=tokens)
    alice = {"Authorization": f"Bearer {ALICE}"}
    body = {"task": TASK, "async": True, "budget": {"calls": 40}}
    name = server.post("/run", body, **alice).json()["id"]
    refused = server.post("/run", body, **alice)
    complains(refused, 403, "over_budget", "60 model calls in all, 40 are made or promised", '"calls": 20')
    assert server.post("/run", body, Authorization=f"Bearer {BOB}").status_code == 202
    model.gate.set()
    until(lambda: server.get(f"/jobs/{name}", **alice).json()["state"] == "ended")
    used = server.get(f"/jobs/{name}/result", **alice).json()["usage"]["calls"]
    assert 0 < used <= 10
    later = serve(model, tokens=tokens)
    assert later.post("/run", {**body, "async": False}, **alice).status_code == 200
    model.gate.clear()
    assert later.post(f"/jobs/{name}/fork", {"at": 0}, **alice).status_code == 202
    complains(later.post(f"/jobs/{name}/fork", {"at": 0}, **{**alice, "Idempotency-Key": "x"}), 403, "over_budget")
    complains(later.post("/run", body, **alice), 403, "over_budget")
    model.gate.set()


def test_a_token_has_so_many_runs_at_once(serve: Serve) -> None:
    """The next of them waits while runs of others that came later begin; of tokens with one name the least counts."""
    lines = [f"{ALICE} name=alice runs=1", f"{ALICE}-two name=alice runs=3", f"{BOB} name=bob"]
    tokens, model = Tokens(lines, "tokens"), Gated()
    assert tokens.rooms == {"alice": 1, "bob": None}
    server = serve(model, Limits(parallel=3, rooms=tokens.rooms), tokens)
    who = ("alice", "alice", "bob", "bob")
    owns = {"alice": {"Authorization": f"Bearer {ALICE}"}, "bob": {"Authorization": f"Bearer {BOB}"}}
    names = [server.post("/run", {"task": TASK, "async": True}, **owns[one]).json()["id"] for one in who]

    def states() -> list[str]:
        return [server.get(f"/jobs/{name}", **owns[one]).json()["state"] for name, one in zip(names, who, strict=True)]

    until(lambda: states() == ["running", "queued", "running", "running"])
    assert server.post(f"/jobs/{names[0]}/cancel", {"now": True}, **owns["alice"]).status_code == 202
    until(lambda: states()[:2] == ["ended", "running"])
    model.gate.set()
    until(lambda: states() == ["ended"] * 4)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "holds no token"),
        ("# nothing\n", "holds no token"),
        ("short\n", "line 1: a token has at least 16"),
        (f"{ALICE}\n{ALICE} name=x\n", "line 2: this token stands above"),
        (f"{ALICE} name=a b\n", "nothing else"),
        (f"{ALICE} expires=soon\n", "a date such as"),
        (f"{ALICE} name=a/b\n", "nothing else"),
        (f"{ALICE} calls=-1\n", "nothing else"),
        (f"{ALICE} runs=0\n", "runs=N above 0, nothing else"),
        (f"{ALICE} runs=many\n", "nothing else"),
    ],
)
def test_files_of_tokens_are_checked(tmp_path: Path, text: str, words: str) -> None:
    """What is no token, or no word about one, is named by its line; no token stands in what is said."""
    path = tmp_path / "tokens"
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(InputFileError, match=words) as said:
        Tokens.read(path)
    assert ALICE not in str(said.value)


def test_a_file_of_tokens_is_the_owner_s_alone(tmp_path: Path) -> None:
    """One that others may read, that is missing or no file is refused."""
    path = tmp_path / "tokens"
    path.write_text(ALICE)
    path.chmod(0o644)
    with pytest.raises(InputFileError, match="chmod 600"):
        Tokens.read(path)
    with pytest.raises(InputFileError, match="cannot be read"):
        Tokens.read(tmp_path / "nowhere")
    with pytest.raises(InputFileError, match="no file of tokens"):
        Tokens.read(tmp_path)
    path.chmod(0o600)
    assert Tokens.read(path).found(f"Bearer {ALICE}").owner == hashlib.sha256(ALICE.encode()).hexdigest()[:12]


def test_only_loopback_is_loopback() -> None:
    """What other machines can reach is told from what they cannot."""
    assert all(map(is_loopback, ("127.0.0.1", "127.9.9.9", "::1", "localhost")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "192.168.0.1", "example.org", "")))


def test_the_description_names_every_route(serve: Serve) -> None:
    """The OpenAPI document has the routes, their bodies and their problems, and no reference that leads nowhere."""
    server = serve()
    document = server.get("/openapi.json").json()
    paths = {"/run", "/run-simple", "/search", "/estimate", "/engines", "/jobs", "/jobs/{name}/events", "/healthz"}
    assert paths <= set(document["paths"])
    text = server.get("/openapi.json").text
    named = {one.split('"')[0] for one in text.split("#/components/schemas/")[1:]}
    assert named <= set(document["components"]["schemas"]) and {"RunBody", "ProblemDetails", "RunReply"} <= named
    assert "#/$defs/" not in text
