"""Nothing that an endpoint sends is read without a limit, and nothing is sent where it points."""

from __future__ import annotations

import asyncio
import gzip
import json
import zlib
from collections.abc import AsyncIterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from played_endpoint import USAGE, Endpoint, Step, chunk, hello, request, send, served, stream, whole

from aeon.errors import (
    AeonError,
    ConfigError,
    EndpointFailed,
    EndpointMoved,
    EndpointTimeout,
    EndpointUnreachable,
    MalformedResponse,
    ModelError,
    RateLimited,
    RequestRefused,
)
from aeon.llm import replies
from aeon.llm.listing import only_model
from aeon.llm.openai_compatible import OpenAICompatible
from aeon.llm.profiles import Told
from aeon.llm.replies import ALIVE, MOST_BODY, MOST_ERROR, MOST_STREAM, events
from aeon.llm.select import select
from aeon.schema.llm import Capabilities, LLMResponse

KEY = "sk-very-secret"
PIECE = b"x" * (1 << 20)


def ask(endpoint: Endpoint, **changes: Any) -> LLMResponse:
    llm = OpenAICompatible(endpoint.model, endpoint.base_url, KEY, 0, capabilities=Capabilities())
    return asyncio.run(llm.complete(request(**changes)))


class Flood:
    """Answers without end; ``sent`` is how many bytes the endpoint was rid of before the client hung up."""

    def __init__(self, piece: bytes, start: bytes = b"", status: int = 200, **headers: str) -> None:
        self._piece = piece
        self._start = start
        self._status = status
        self._headers = {"Content_Type": "application/json", "Connection": "close", **headers}
        self.sent = 0

    def __call__(self, handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
        handler.close_connection = True
        handler.send_response(self._status)
        for name, value in self._headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(self._start)
        while self.sent < 20 * MOST_STREAM:
            handler.wfile.write(self._piece)
            self.sent += len(self._piece)


def events_of(*parts: bytes) -> list[bytes]:
    async def sent() -> AsyncIterator[bytes]:
        for part in parts:
            yield part

    async def read() -> list[bytes]:
        return [event async for event in events(sent(), "here") if event != ALIVE]

    return asyncio.run(read())


STREAM = "text/event-stream"
SHORT = 16 << 20
SLACK = 32 << 20
"""What lies in the buffers between the two ends at most."""


@pytest.mark.parametrize(
    ("flood", "most", "says"),
    [
        (Flood(PIECE, b'{"choices":[{"message":{"content":"'), MOST_BODY, "8 MB in one reply"),
        (Flood(PIECE, b"data: ", Content_Type=STREAM), MOST_BODY, "8 MB in one event"),
        (Flood(b"data:a\n" * 10_000, Content_Type=STREAM), MOST_BODY, "8 MB in one event"),
        (Flood(b": still here\n\n" * 10_000, Content_Type=STREAM), SHORT, "16 MB in one reply"),
        (Flood(b"data: {}\n\n" * 20_000, Content_Type=STREAM), SHORT, "16 MB in one reply"),
    ],
    ids=["body", "line", "event", "comments", "stream"],
)
def test_a_reply_without_end_is_broken_off(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, flood: Flood, most: int, says: str
) -> None:
    """The endpoint is hung up on soon after the limit; the call is charged, and not made again."""
    monkeypatch.setattr(replies, "MOST_STREAM", SHORT)
    endpoint.play(flood)
    with pytest.raises(MalformedResponse, match=f"more than {says}.*check what serves this address") as caught:
        ask(endpoint)
    assert (caught.value.attempts, caught.value.unmetered, len(endpoint.bodies)) == (1, 1, 1)
    assert flood.sent < most + SLACK


def test_the_page_of_an_error_is_read_in_part(endpoint: Endpoint) -> None:
    """An error page without end is still the error that its status says."""
    flood = Flood(PIECE, b'{"error":"', 429)
    endpoint.play(flood)
    with pytest.raises(RateLimited, match="HTTP 429"):
        ask(endpoint)
    assert flood.sent < MOST_ERROR + SLACK


def packed(body: bytes, packing: str = "gzip") -> Step:
    def step(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
        handler.send_response(200)
        for name, value in {"Content-Type": "application/json", "Content-Encoding": packing}.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return step


ANSWER = json.dumps({"choices": [{"message": {"content": "hello"}, "finish_reason": "stop"}], "usage": USAGE}).encode()


@pytest.mark.parametrize(("packing", "body"), [("gzip", gzip.compress(ANSWER)), ("deflate", zlib.compress(ANSWER))])
def test_a_packed_reply_is_unpacked(endpoint: Endpoint, packing: str, body: bytes) -> None:
    """Servers may pack what they send, in the two ways that they are told."""
    endpoint.play(packed(body, packing))
    assert ask(endpoint).text == "hello"
    assert endpoint.headers[0]["accept-encoding"] == "gzip, deflate"


def test_a_large_packed_answer_is_whole(endpoint: Endpoint) -> None:
    """What unpacks to many pieces is put together again."""
    text = "".join(map(str, range(200_000)))
    endpoint.play(packed(gzip.compress(ANSWER.replace(b"hello", text.encode()))))
    assert ask(endpoint).text == text


@pytest.mark.parametrize(
    ("body", "packing", "says"),
    [
        (gzip.compress(b'{"a":"' + b"x" * 10 * MOST_BODY), "gzip", "more than 8 MB"),
        (b"\x1f\x8bnonsense" * 9, "gzip", "cannot be unpacked"),
        (b"junk", "br", "packs its replies as 'br'"),
        (b"junk", "gzip, gzip", "packs its replies as 'gzip, gzip'"),
    ],
    ids=["bomb", "broken", "unasked", "twice"],
)
def test_what_cannot_be_unpacked_safely_is_no_answer(endpoint: Endpoint, body: bytes, packing: str, says: str) -> None:
    """A bomb is unpacked up to the limit of a body; anything else gets its line."""
    endpoint.play(packed(body, packing))
    with pytest.raises(MalformedResponse, match=says):
        ask(endpoint)


def test_a_bomb_is_unpacked_piece_by_piece() -> None:
    """No piece of what a packed reply unpacks to is larger than 64 KB, whatever it was packed from."""
    unpack = replies._unpacking("gzip", "here")
    sizes = [len(piece) for piece in unpack(gzip.compress(bytes(1 << 24)))]
    assert max(sizes) == 1 << 16 and sum(sizes) == 1 << 24


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_events_are_read_however_they_are_cut(size: int) -> None:
    """Line ends of all three kinds, events of several lines, comments, and what follows the end."""
    sent = b': hi\n\ndata: {"a":\ndata:1}\n\nevent: x\r\ndata: two\r\n\r\rdata: three\r\r\n\n'
    sent += b"data: [DONE]\n\ndata: four\n\n"
    parts = [sent[at : at + size] for at in range(0, len(sent), size)]
    assert events_of(*parts) == [b'{"a":\n1}', b"two", b"three"]


def test_a_line_that_comes_byte_by_byte_is_looked_at_once() -> None:
    """A long event in many parts costs no more than its size."""
    assert events_of(b"data: ", *[b"x" * 16] * 200_000, b"\n\n") == [b"x" * 3_200_000]


def redirect(target: str, status: int = 307) -> Step:
    return send(status, "", Location=target)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_no_prompt_and_no_key_goes_to_another_origin(endpoint: Endpoint, status: int) -> None:
    """A redirect to another host or port is one clear line, is final, and nothing reaches that place."""
    with served() as other:
        other.play(hello())
        endpoint.play(redirect(f"{other.base_url}/chat/completions", status))
        with pytest.raises(EndpointMoved, match=f"redirects to '{other.root}'.*make it the base URL") as caught:
            ask(endpoint)
        assert (other.bodies, other.headers, len(endpoint.bodies)) == ([], [], 1)
    assert (caught.value.attempts, caught.value.unmetered, caught.value.fatal) == (1, 0, True)


@pytest.mark.parametrize("target", ["https://[", "//elsewhere.test/v1", "http://user:pw@elsewhere.test/", "ftp://x"])
def test_odd_redirects_are_refused_as_well(endpoint: Endpoint, target: str) -> None:
    """Whatever a location looks like, it leads nowhere else, and no secret in it is shown."""
    endpoint.play(redirect(target))
    with pytest.raises(EndpointMoved, match="redirects to") as caught:
        ask(endpoint)
    assert "pw" not in str(caught.value)


def test_a_redirect_within_the_origin_is_followed(endpoint: Endpoint) -> None:
    """Some servers add a slash; one that goes round in circles is given up soon."""
    endpoint.play(redirect("/v1/chat/completions/"), hello())
    assert ask(endpoint).text == "hello"
    endpoint.bodies.clear()
    endpoint.play(redirect("/v1/chat/completions"))
    with pytest.raises(EndpointFailed, match="TooManyRedirects"):
        ask(endpoint)
    assert len(endpoint.bodies) <= 5


def test_what_a_server_says_of_itself_is_bounded_as_well(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list of models without end, or from elsewhere, is as good as none where it is a courtesy."""
    llm = OpenAICompatible(endpoint.model, endpoint.base_url)
    for page in (Flood(PIECE, b'{"data":["'), redirect("http://elsewhere.test/"), send(200, {"data": [{}] * 20_000})):
        endpoint.pages = {"/v1/models": page}
        assert asyncio.run(llm.told()).models == ()


def test_a_list_of_models_is_bounded(endpoint: Endpoint) -> None:
    """An endpoint that must say which model it serves, and sends without end or points elsewhere, gets one line."""
    cases: list[tuple[Step, type[AeonError]]] = [
        (Flood(PIECE, b'{"data":["'), MalformedResponse),
        (redirect("http://elsewhere.test/"), EndpointMoved),
        (send(200, {"data": [{"id": "m"}] * 20_000}), ConfigError),
    ]
    for page, error in cases:
        endpoint.pages = {"/v1/models": page}
        with pytest.raises(error):
            only_model(endpoint.base_url, None)


def test_a_list_that_drips_in_meets_a_deadline(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes byte by byte is never silent for long, and is given up all the same."""

    def drip(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
        handler.close_connection = True
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.end_headers()
        while not handler.server.closed.wait(0.02):  # type: ignore[attr-defined]
            handler.wfile.write(b" ")

    monkeypatch.setattr("aeon.llm.listing.ANSWER_SECONDS", 0.2)
    monkeypatch.setattr("aeon.llm.probe.INFORMATION_SECONDS", 0.2)
    endpoint.pages = {"/v1/models": drip, "/props": drip}
    with pytest.raises(EndpointTimeout, match="within the deadline"):
        only_model(endpoint.base_url, None)
    assert asyncio.run(OpenAICompatible("m", endpoint.base_url).told()) == Told()


def test_a_reply_of_countless_parts_is_refused_early(endpoint: Endpoint) -> None:
    """A million choices are no completion; of a thousand alternatives the first few are read."""
    endpoint.play(send(200, {"choices": [{}] * 1_000_000, "usage": USAGE}))
    with pytest.raises(MalformedResponse, match="choices"):
        ask(endpoint)
    logprobs = {"content": [{"top_logprobs": [{"token": "a", "logprob": -1}] * 1000}] * 100}
    endpoint.play(stream(chunk("hello", logprobs=logprobs), chunk(finish="stop")))
    assert len(ask(endpoint).first_token) == 64
    endpoint.play(send(200, {"model": "m" * 100_000, **json.loads(ANSWER)}))
    assert len(ask(endpoint).model) == 200


def test_an_error_with_the_status_of_success_is_one(endpoint: Endpoint) -> None:
    """A proxy may report an error in a body with the status 200; its words are quoted, without the key."""
    endpoint.play(send(200, {"error": {"message": f"upstream of {KEY} is gone"}}))
    with pytest.raises(EndpointFailed, match=r"reported an error: upstream of \*\*\* is gone"):
        ask(endpoint)
    endpoint.play(send(200, {"error": None, **json.loads(ANSWER)}), whole())
    assert ask(endpoint).text == "hello"


def nested(depth: int, status: int = 200) -> Step:
    return raw(b'{"choices":' + b"[" * depth + b"]" * depth + b"}", status)


def raw(body: bytes, status: int = 200, **headers: str) -> Step:
    def step(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
        handler.send_response(status)
        for name, value in {"Content_Type": "application/json", "Content_Length": str(len(body)), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return step


def choice(**more: object) -> Step:
    return send(200, {"choices": [{"message": {"content": "hi"}, "finish_reason": "stop", **more}], "usage": USAGE})


@pytest.mark.parametrize(
    ("step", "error"),
    [
        (nested(100_000), MalformedResponse),
        (nested(100_000, 400), RequestRefused),
        (nested(900, 400), RequestRefused),
        (raw(b"data: " + b"[" * 100_000 + b"\n\n", Content_Type=STREAM), MalformedResponse),
        (raw(b'data: {"x":"\xff"}\n\n', Content_Type=STREAM), MalformedResponse),
        (raw(b"data: null\n\n", Content_Type=STREAM), MalformedResponse),
        (raw(b"\x00" * 1000), MalformedResponse),
        (raw(b""), MalformedResponse),
        (raw(ANSWER.replace(b"hello", b"\\ud800")), MalformedResponse),
        (raw(ANSWER, Content_Type="image/png"), MalformedResponse),
        (raw(b"<html>", Content_Type=STREAM), MalformedResponse),
        (choice(message=7), MalformedResponse),
        (choice(message={"content": 7}), MalformedResponse),
        (choice(message={"content": "hi", "tool_calls": 7}), MalformedResponse),
        (send(200, {"choices": []}), EndpointFailed),
        (send(200, {"choices": [], "error": ["out", "of", "order"]}), EndpointFailed),
        (send(400, {"error": {"message": "no seed", "param": ["seed"], "code": {}, "type": 7}}), RequestRefused),
        (send(400, {"error": [[[]]]}), RequestRefused),
        (raw(b"{}", 999), EndpointFailed),
        (raw(b"{}", 429, Retry_After="Fri, 31 Dec 9999 23:59:59 -2359"), RateLimited),
        (raw(b"{}", 429, Retry_After="inf"), RateLimited),
        (raw(b"{}", 429, Retry_After="nan"), RateLimited),
        (raw(b"{}", 429, Retry_After="-1"), RateLimited),
    ],
)
def test_whatever_an_endpoint_sends_the_failure_is_typed_and_counted(
    endpoint: Endpoint, step: Step, error: type[ModelError]
) -> None:
    """No reply gets past the adapter as anything but an answer or a `ModelError` that says how many calls it took."""
    endpoint.play(step)
    with pytest.raises(ModelError) as caught:
        ask(endpoint)
    assert type(caught.value) is error
    assert caught.value.attempts == len(endpoint.bodies) and "\n" not in str(caught.value)


def test_what_nobody_thought_of_is_typed_as_well(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever reading raises, the call was made and is charged at its most; the text names no key."""

    def unforeseen(*_: object) -> None:
        raise RecursionError(f"at {KEY}")

    monkeypatch.setattr("aeon.llm.endpoint.parse", unforeseen)
    endpoint.play(hello())
    with pytest.raises(MalformedResponse, match=r"cannot be read \(RecursionError: at \*\*\*\)") as caught:
        ask(endpoint)
    assert (caught.value.attempts, caught.value.unmetered) == (1, 1)


def test_a_deep_answer_to_a_probe_is_no_object(endpoint: Endpoint) -> None:
    """The text of an answer may be nested as deep as its writer likes."""
    endpoint.play(whole("[" * 100_000), whole("1" * 5000), hello())
    can = asyncio.run(OpenAICompatible(endpoint.model, endpoint.base_url).capabilities())
    assert not can.json_schema and not can.json_mode


@pytest.mark.parametrize("proxy", ["foo", "socks9://x", "http://[", "http://\n"])
def test_a_proxy_that_cannot_be_used_is_told_before_any_request(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The line names the variables to mend."""
    monkeypatch.setenv("ALL_PROXY", proxy)
    llm = OpenAICompatible("m", "http://endpoint.invalid/v1", retries=0)
    with pytest.raises((ConfigError, EndpointUnreachable), match=r"prox|cannot reach"):
        asyncio.run(llm.complete(request()))


@pytest.mark.parametrize(
    ("key", "says"),
    [
        ("sk-1\n", "a line end"),
        ("sk 1", "a space"),
        ("sk-ä1", r"U\+00E4"),
        ("\x00sk", r"U\+0000"),
        ("sk\u200b1", r"U\+200B"),
    ],
)
def test_a_key_that_no_header_can_carry_is_one_line(endpoint: Endpoint, key: str, says: str) -> None:
    """It is refused before any request, with the name of its variable, and is not repeated."""
    endpoint.pages = {"/v1/models": send(200, {"data": [{"id": "m"}]})}
    cases = [
        ({"AEON_API_KEY": key}, endpoint.base_url, "AEON_API_KEY"),
        ({"OPENAI_API_KEY": key, "OPENAI_BASE_URL": endpoint.base_url}, None, "OPENAI_API_KEY"),
        ({"OPENAI_API_KEY": key, "OPENAI_BASE_URL": endpoint.base_url}, f"{endpoint.base_url}#m", "OPENAI_API_KEY"),
        ({"OPENAI_API_KEY": key}, "openai:m", "OPENAI_API_KEY"),
        ({"AEON_API_KEY": key}, "openai:m", "AEON_API_KEY"),
    ]
    for environ, model, variable in cases:
        with pytest.raises(ConfigError, match=f"the API key has .*{says}.* in it.*{variable}$") as caught:
            select(model, environ=environ)
        assert key not in str(caught.value)
    with pytest.raises(ConfigError, match=says):
        OpenAICompatible("m", endpoint.base_url, key)
    assert endpoint.headers == []
