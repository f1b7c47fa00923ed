"""MCP servers over streamable HTTP: one made with the SDK, and hostile ones."""

from __future__ import annotations

import asyncio
import importlib
import json
import logging
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from aeon.errors import OutcomeUnknown, ToolFailed
from aeon.server.serving import configured, listening

from .playing import call, opened

TOOLS = [
    {
        "name": name,
        "description": "",
        "inputSchema": {"type": "object"},
        "annotations": {"readOnlyHint": name == "echo"},
    }
    for name in ("echo", "write")
]


@pytest.fixture(scope="module")
def good() -> Iterator[str]:
    """The address of the server made with the SDK, which sets up logging for the process when it is made: not here."""
    root = logging.getLogger()
    handlers, level = [*root.handlers], root.level
    good_server = importlib.import_module(".good", __package__).server
    root.handlers, root.level = handlers, level
    where = listening("127.0.0.1", 0)
    app = good_server.streamable_http_app()
    server = uvicorn.Server(configured(app))

    async def serve() -> None:
        async with good_server.session_manager.run():
            await server.serve(sockets=[where])

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    yield f"http://127.0.0.1:{where.getsockname()[1]}/mcp"
    server.should_exit = True
    thread.join()
    where.close()


class Hostile(BaseHTTPRequestHandler):
    """Speaks the revision 2025-11-25 until a tool is called; then it does what its server's ``mode`` says."""

    def do_POST(self) -> None:
        mode, heard = self.server.mode, self.server.heard  # type: ignore[attr-defined]
        heard.append(self.headers.get("Authorization"))
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if mode == "closed":
            self.answer(401, "text/plain", b"who are you?")
        elif mode == "page":
            self.answer(200, "text/html", b"<html>Welcome</html>")
        elif message["method"] == "initialize":
            info = {
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "h", "version": "1"},
            }
            self.result(message, info)
        elif message["method"] == "tools/list":
            self.result(message, {"tools": TOOLS})
        elif message["method"] == "tools/call":
            self.called(mode, message)
        elif "id" in message:
            error = {"code": -32601, "message": "unknown"}
            self.answer(
                200, "application/json", json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}).encode()
            )
        else:
            self.answer(202, "application/json", b"")

    def called(self, mode: str, message: dict[str, Any]) -> None:
        """Misbehave."""
        match mode:
            case "huge":
                self.result(message, {"content": [{"type": "text", "text": "x" * 50_000_000}]})
            case "drops":
                self.close_connection = True
                self.connection.close()
            case "breaks":
                self.answer(500, "text/plain", b"oops")
            case "garbage":
                self.answer(200, "application/json", b"{not json")
            case "moves":
                self.send_response(307)
                self.send_header("Location", "http://evil.example/mcp")
                self.send_header("Content-Length", "0")
                self.end_headers()
            case _:
                self.result(message, {"content": [{"type": "text", "text": "fine"}]})

    def result(self, message: dict[str, Any], result: dict[str, Any]) -> None:
        """Answer a request."""
        body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()
        self.answer(200, "application/json", body)

    def answer(self, status: int, kind: str, body: bytes) -> None:
        """Send an answer; who asked may be gone."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            self.close_connection = True

    def do_GET(self) -> None:
        self.answer(405, "text/plain", b"")

    do_DELETE = do_GET

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def web() -> Iterator[ThreadingHTTPServer]:
    """A hostile server; its ``mode`` says how."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hostile)
    server.daemon_threads = True
    server.mode, server.heard = "fine", []  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def address(server: ThreadingHTTPServer) -> str:
    """Where a server is."""
    return f"http://127.0.0.1:{server.server_address[1]}/mcp"


@pytest.mark.requirement("E7")
def test_the_tools_of_a_server_at_an_address_are_called(good: str, tmp_path: Path) -> None:
    """The current protocol revision is spoken; the label of an address without a name is mcp."""
    with opened(tmp_path, good) as servers:
        assert call(servers, "mcp_add", a=2, b=3).value == 5
        assert [server.protocol for server in servers.opened] == ["2026-07-28"]


@pytest.mark.requirement("E7")
def test_a_server_of_the_revision_before_is_called_and_gets_its_token(
    web: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The handshake is used where discovery is unknown; the token of the label, and no other, is sent."""
    monkeypatch.setenv("AEON_MCP_TOKEN_SHOP", "secret")
    monkeypatch.setenv("AEON_MCP_TOKEN_OTHER", "another")
    with opened(tmp_path, f"shop={address(web)}") as servers:
        assert call(servers, "shop_echo").value == "fine"
        assert [server.protocol for server in servers.opened] == ["2025-11-25"]
    assert {*web.heard} == {"Bearer secret"}


@pytest.mark.requirement("E7a")
@pytest.mark.parametrize(
    ("mode", "words"),
    [("huge", "more than 8,000,000 bytes"), ("drops", ""), ("garbage", "Failed to parse"), ("moves", "evil.example")],
)
def test_a_call_over_http_that_goes_wrong_is_a_typed_failure(web: Any, tmp_path: Path, mode: str, words: str) -> None:
    """A redirect to another origin is not followed; of a tool that changes something the outcome is unknown."""
    web.mode = mode
    with opened(tmp_path, address(web)) as servers:
        with pytest.raises(ToolFailed) as raised:
            call(servers, "mcp_echo")
        assert words in str(raised.value) and "\n" not in str(raised.value)
    if mode in ("huge", "drops"):
        with opened(tmp_path, address(web)) as servers, pytest.raises(OutcomeUnknown):
            call(servers, "mcp_write")


@pytest.mark.requirement("E7a")
def test_a_server_at_an_address_that_cannot_be_used_is_one_line(web: Any, tmp_path: Path) -> None:
    """One that wants a token, one that is a web page, and one that is not there."""
    for mode, words in (("closed", "status 401; its token is read from AEON_MCP_TOKEN_MCP"), ("page", "text/html")):
        web.mode = mode
        with pytest.raises(ToolFailed, match=words):
            opened(tmp_path, address(web))
    where = listening("127.0.0.1", 0)
    port = where.getsockname()[1]
    where.close()
    with pytest.raises(ToolFailed, match="MCP server mcp: it cannot be reached"):
        opened(tmp_path, f"http://127.0.0.1:{port}/mcp")
