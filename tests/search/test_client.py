"""One fetch: within its limits, from the checked address, and with a word for what goes wrong."""

from __future__ import annotations

import asyncio
import gzip
import socket
import zlib
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from aeon.schema import SearchProblem
from aeon.search.client import USER_AGENT, Ask, Client, Limits, Reply
from aeon.search.failures import of_status
from aeon.search.guard import Guard
from search.certificates import contexts
from search.web import Site, Step, client, names, page, run, send, serving

HTML = frozenset({"text/html"})
QUICK = Limits(seconds=0.5, read_seconds=0.3, connect_seconds=0.3)


def fetch(url: str, by: Client, **ask: object) -> Reply:
    reply = run(by.fetch(Ask(url, **ask)))  # type: ignore[arg-type]
    assert isinstance(reply, Reply), reply
    return reply


def problem(url: str, by: Client, **ask: object) -> SearchProblem:
    reply = run(by.fetch(Ask(url, **ask)))  # type: ignore[arg-type]
    assert isinstance(reply, SearchProblem), reply
    assert "\n" not in reply.message
    return reply


def redirect(to: str, status: int = 302) -> Step:
    return send(status, b"", Location=to)


def endless(piece: bytes, pause: float = 0.0, **headers: str) -> Step:
    """Answer without end, with a pause between the pieces."""

    def step(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        for name, value in {"Content-Type": "text/html", **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        site: Site = handler.server.site  # type: ignore[attr-defined]
        while not site.closed.wait(pause):
            handler.wfile.write(piece)
            handler.wfile.flush()

    return step


def silent(handler: BaseHTTPRequestHandler) -> None:
    handler.server.site.closed.wait(5)  # type: ignore[attr-defined]


def test_a_page_is_fetched(site: Site) -> None:
    """A fetch gives the bytes, their type and where they came from, and says who asks."""
    site.pages["/a"] = page("Hello.")
    reply = fetch(f"{site.url}/a?b=c#d", client(site), types=HTML)
    assert (reply.status, reply.content_type, reply.charset) == (200, "text/html", "utf-8")
    assert reply.url == f"{site.url}/a?b=c"
    assert b"<p>Hello.</p>" in reply.body
    assert reply.retrieved.endswith("+00:00")
    asked = site.asked[0]
    assert asked.path == "/a?b=c"
    assert asked.headers["user-agent"] == USER_AGENT and USER_AGENT.startswith("Aeon")
    assert asked.headers["host"] == f"127.0.0.1:{site.port}"


def test_a_name_is_connected_to_where_it_was_checked(site: Site) -> None:
    """A name that resolves differently the second time does no harm: it is resolved once, and keeps its Host."""
    site.pages["/"] = page("Hello.")
    answers = [["127.0.0.1"], ["169.254.169.254"]]
    by = client(site, resolver=names(rebind_test=answers))
    reply = fetch(f"http://rebind.test:{site.port}/", by)
    assert reply.host == "rebind.test"
    assert site.asked[0].headers["host"] == f"rebind.test:{site.port}"
    assert "169.254.169.254" in problem(f"http://rebind.test:{site.port}/", by).message
    assert len(site.asked) == 1


def test_a_second_address_of_a_name_is_tried(site: Site) -> None:
    """Where the first address of a name does not answer, the next one is asked."""
    site.pages["/"] = page("Hello.")
    by = client(site, allow=(f"two.test:{site.port}",), resolver=names(two_test=[["127.0.0.9", "127.0.0.1"]]))
    assert fetch(f"http://two.test:{site.port}/", by).status == 200


def test_proxies_of_the_environment_are_not_used(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy would connect to addresses that nobody checked, so it is left out."""
    for variable in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(variable, "http://127.0.0.1:1")
    site.pages["/"] = page("Hello.")
    assert fetch(f"{site.url}/", client(site)).status == 200


def test_redirects_are_followed_and_cookies_are_not_kept(site: Site, other: Site) -> None:
    """A redirect leads on, to another server too, without a cookie that was set on the way."""
    site.pages["/a"] = send(302, b"", Location="/b", Set_Cookie="secret=1")
    site.pages["/b"] = redirect(f"{other.url}/c", 301)
    other.pages["/c"] = page("Here.")
    reply = fetch(f"{site.url}/a", client(site, other))
    assert reply.url == f"{other.url}/c"
    assert all("cookie" not in asked.headers for asked in (*site.asked, *other.asked))
    assert all("authorization" not in asked.headers for asked in other.asked)


@pytest.mark.parametrize(
    "to",
    [
        "http://169.254.169.254/latest/meta-data/", "http://[::ffff:127.0.0.1]/", "http://127.0.0.1:1/", "http://localhost/",
        "http://2130706433/", "//10.0.0.1/", "file:///etc/passwd", "javascript:alert(1)", "http://user:pw@93.184.216.34/",
        "http://[", "gopher://127.0.0.1/",
    ],
)  # fmt: skip
def test_redirects_to_what_may_not_be_fetched_are_refused(site: Site, to: str) -> None:
    """Every hop is checked again: a public page cannot lead to the machine or its network."""
    site.pages["/"] = redirect(to)
    refused = problem(f"{site.url}/", client(site))
    assert (refused.kind, refused.retryable) == ("forbidden", False)
    assert len(site.asked) == 1


def test_redirects_are_followed_five_times(site: Site) -> None:
    """Five redirects are followed, and of a loop no more."""
    for number in range(5):
        site.pages[f"/{number}"] = redirect(f"/{number + 1}")
    site.pages["/5"] = page("Here.")
    assert fetch(f"{site.url}/0", client(site)).url == f"{site.url}/5"
    site.pages["/loop"] = redirect("/loop")
    looped = problem(f"{site.url}/loop", client(site))
    assert (looped.kind, looped.retryable) == ("unreachable", False)
    assert site.paths().count("/loop") == 6


def test_a_service_is_not_left(site: Site, other: Site) -> None:
    """A request that stays sends its headers nowhere else, and follows a redirect within its server."""
    site.pages["/in"] = redirect("/here")
    site.pages["/here"] = send(body={"ok": True})
    site.pages["/out"] = redirect(f"{other.url}/")
    by = client(site, other)
    headers = {"Authorization": "Bearer secret"}
    assert fetch(f"{site.url}/in", by, stays=True, headers=headers).url == f"{site.url}/here"
    refused = problem(f"{site.url}/out?q=private", by, stays=True, headers=headers)
    assert refused.kind == "configuration" and other.url in refused.message
    assert "secret" not in refused.message and "private" not in refused.message
    assert not other.asked


def test_a_redirect_from_https_to_http_is_refused(site: Site, tmp_path: Path) -> None:
    """What was asked for over TLS is not fetched without; and the certificate is checked against the name."""
    server, trusting = contexts(tmp_path, "good.test")
    with serving(server) as secure:
        secure.pages["/"] = page("Hello.")
        secure.pages["/down"] = redirect(f"{site.url}/")
        guard = Guard((secure.entry, site.entry), names(good_test="127.0.0.1", bad_test="127.0.0.1"))
        by = Client(guard, tls=trusting)
        assert fetch(f"https://good.test:{secure.port}/", by).status == 200
        assert secure.asked[0].headers["host"] == f"good.test:{secure.port}"
        down = problem(f"https://good.test:{secure.port}/down", by)
        assert down.kind == "forbidden" and "from https to http" in down.message
        wrong = problem(f"https://bad.test:{secure.port}/", by)
        assert (wrong.kind, wrong.retryable) == ("unreachable", False)
        assert "certificate" in wrong.message
        untrusted = problem(f"https://good.test:{secure.port}/", Client(guard))
        assert "certificate" in untrusted.message


def test_gzip_is_unpacked(site: Site) -> None:
    """A body that is packed is unpacked."""
    site.pages["/g"] = send(body=gzip.compress(b"Hello."), Content_Encoding="gzip")
    site.pages["/d"] = send(body=zlib.compress(b"Hello."), Content_Encoding="deflate")
    assert fetch(f"{site.url}/g", client(site)).body == b"Hello."
    assert fetch(f"{site.url}/d", client(site)).body == b"Hello."


@pytest.mark.parametrize(
    ("body", "packing"),
    [
        (b"no gzip at all", "gzip"),
        (gzip.compress(b"Hello." * 1000)[:-20], "gzip"),
        (gzip.compress(b"one") + gzip.compress(b"two"), "gzip"),
        (b"Hello.", "br"),
        (gzip.compress(gzip.compress(b"Hello.")), "gzip, gzip"),
        (zlib.compress(b"Hello.")[2:-4], "deflate"),
    ],
)
def test_what_cannot_be_unpacked_is_malformed(site: Site, body: bytes, packing: str) -> None:
    """A broken, cut or unasked packing is told, never taken as a shorter text."""
    site.pages["/"] = send(body=body, Content_Encoding=packing)
    broken = problem(f"{site.url}/", client(site))
    assert broken.kind == "malformed" and "packed" in broken.message


def test_large_bodies_are_broken_off(site: Site) -> None:
    """Fifty megabytes, a stream without end and a bomb are not read beyond the limit."""
    bomb = gzip.compress(b"\0" * 50_000_000)
    assert len(bomb) < 100_000
    site.pages["/large"] = send(body=b"x" * 50_000_000)
    site.pages["/endless"] = endless(b"x" * 65_536)
    site.pages["/bomb"] = send(body=bomb, Content_Encoding="gzip")
    site.pages["/behind"] = endless(b"\0" * 65_536, Content_Encoding="identity")
    for path in ("large", "endless", "bomb", "behind"):
        refused = problem(f"{site.url}/{path}", client(site))
        assert (refused.kind, refused.retryable) == ("too_large", False), path
        assert "5 MB" in refused.message


def test_slow_servers_time_out(site: Site) -> None:
    """A server that says nothing, and one that sends a byte now and then, end at the deadline."""
    site.pages["/silent"] = silent
    site.pages["/drip"] = endless(b"x", 0.02)
    for path in ("silent", "drip"):
        late = problem(f"{site.url}/{path}", client(site, limits=QUICK))
        assert (late.kind, late.retryable) == ("timeout", True), path


def test_what_does_not_answer_is_unreachable() -> None:
    """A closed port, an unknown name and a name without an address are unreachable, and may be there later."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        by = Client(Guard((f"127.0.0.1:{port}",), names(empty_test=[[]])))
        for url in (f"http://127.0.0.1:{port}/", "http://unknown.test/", "http://empty.test/"):
            gone = problem(url, by)
            assert (gone.kind, gone.retryable) == ("unreachable", True), gone


def raw(data: bytes) -> Step:
    def step(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(data)

    return step


@pytest.mark.parametrize(
    "data",
    [
        b"", b"hello", b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\nContent-Type: text/html\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nx",
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 1_000_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 100_000 + b"\r\n",
    ],
)  # fmt: skip
def test_what_is_no_whole_response_is_malformed(site: Site, data: bytes) -> None:
    """A response that breaks off, or is none, is told, never taken as a shorter text."""
    site.pages["/"] = raw(data)
    broken = problem(f"{site.url}/", client(site))
    assert broken.kind in ("malformed", "unreachable") and broken.retryable


@pytest.mark.parametrize("kind", ["image/png", "application/octet-stream", "text/css", "garbage", "application/zip"])
def test_other_types_are_not_read(site: Site, kind: str) -> None:
    """What is no page is refused by its type."""
    site.pages["/"] = send(body=b"x", kind=kind)
    refused = problem(f"{site.url}/", client(site), types=HTML)
    assert (refused.kind, refused.retryable) == ("malformed", False)
    assert kind in refused.message


@pytest.mark.parametrize(
    ("header", "kind", "charset"),
    [
        ("text/HTML;charset=UTF-8", "text/html", "utf-8"),
        ('text/html; a=b; charset="koi8-r"', "text/html", "koi8-r"),
        ("text/html; charset=", "text/html", ""),
        ("text/html;charset*", "text/html", ""),
        ("text/html; charset*0*=x'y'%E9", "text/html", ""),
        ("text/html; xcharset=utf-8", "text/html", ""),
        ("", "", ""),
    ],
)
def test_content_types_are_read_however_they_are_written(site: Site, header: str, kind: str, charset: str) -> None:
    """Type and charset are read in any spelling, and a header that makes no sense does no harm."""
    site.pages["/"] = send(body=b"x", **{"Content-Type": header})
    reply = fetch(f"{site.url}/", client(site))
    assert (reply.content_type, reply.charset) == (kind, charset)


@pytest.mark.parametrize(
    ("status", "kind", "retryable"),
    [
        (401, "forbidden", False), (403, "forbidden", False), (404, "unreachable", False), (408, "timeout", True),
        (410, "unreachable", False), (418, "server", False), (429, "rate_limited", True), (451, "forbidden", False),
        (500, "server", True), (501, "server", False), (502, "server", True), (503, "server", True),
        (304, "server", False),
    ],
)  # fmt: skip
def test_statuses_have_their_problems(status: int, kind: str, retryable: bool) -> None:
    """Each status is a problem of its kind, which says whether trying again may help."""
    told = of_status(status, "x.test")
    assert told is not None
    assert (told.kind, told.retryable) == (kind, retryable)
    assert str(status) in told.message


def test_success_is_no_problem() -> None:
    """A status of success stands for no problem."""
    assert of_status(200, "x.test") is None


def test_an_error_is_a_reply_without_its_body(site: Site) -> None:
    """The page that comes with an error is not read; what it asks to wait is."""
    site.pages["/"] = send(503, b"x" * 100, Retry_After="7")
    reply = fetch(f"{site.url}/", client(site), types=frozenset({"application/pdf"}))
    assert (reply.status, reply.body, reply.wait) == (503, b"", 7.0)


def test_a_client_serves_several_loops_and_many_fetches_at_once(site: Site) -> None:
    """One client works in one event loop after another, with fetches side by side."""
    site.pages["/"] = page("Hello.")
    by = client(site)

    async def several() -> list[Reply | SearchProblem]:
        return await asyncio.gather(*(by.fetch(Ask(f"{site.url}/")) for _ in range(5)))

    for _ in range(2):
        assert all(isinstance(reply, Reply) for reply in run(several()))
    assert len(site.asked) == 10
