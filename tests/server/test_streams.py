"""Streams of events: resumed from any event, on record before they are sent, and in nobody's way."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from itertools import pairwise
from pathlib import Path

import pytest
from speaking import Speaking

from aeon import tool
from aeon.llm.hearing import hearing
from aeon.runtime.events import Event, TextDelta
from aeon.schema import LLMRequest, LLMResponse
from aeon.server.feed import PING, Feed, frames
from aeon.server.service import Limits
from aeon.server.told import Place, Told

from .conftest import TASK, WORDS_TASK, Gated, Sent, Serve, Server, complains, events_of, lasting, played, until

ENDS = "drop the words of this text from either end"


def of(server: Server, **body: object) -> str:
    """The events of a new run while it is under way."""
    with server.client.stream("POST", "/run", json={"task": TASK, "stream": True, **body}) as reply:
        assert reply.status_code == 200 and reply.headers["content-type"].startswith("text/event-stream")
        return "".join(reply.iter_text())


@pytest.mark.requirement("V2")
@pytest.mark.parametrize(
    "body",
    [
        *({"budget": {"calls": calls}} for calls in (1, 2, 3, 30)),
        {"config": {"max_passes": 1}},
        *({"task": f"{WORDS_TASK} {'and more ' * more}", "engine": "shorten"} for more in (0, 1, 7)),
        {"task": ENDS, "engine": "shorten"},
        {"task": ENDS, "engine": "shorten", "unattended": "suspend"},
    ],
)
def test_the_parts_of_a_stream_are_the_whole(serve: Serve, body: dict[str, object]) -> None:
    """Cut after any event, live or later, the rest begins with the next one: together they are the same bytes."""
    server = serve()
    live = lasting(of(server, **body))
    name = events_of(live)[0].data["execution_id"]
    assert lasting(server.events(name)) == live
    blocks = [f"{block}\n\n" for block in live.split("\n\n") if block]
    for cut, event in enumerate(events_of(live), 1):
        rest = server.get(f"/jobs/{name}/events?after={event.id}")
        assert "".join(blocks[:cut]) + lasting(rest.text) == live
    places = [Place.read(event.id) for event in events_of(live)]
    assert all(a < b for a, b in pairwise(places) if a and b)


@pytest.mark.requirement("P3f")
def test_a_stream_tells_what_is_on_record_and_no_text_that_is_being_written(serve: Serve) -> None:
    """Nobody even listens to the model; where an observer of the user's own does, the stream is the same."""
    listening: list[bool] = []
    seen: list[Event] = []

    def answered(request: LLMRequest) -> LLMResponse:
        listening.append(hearing() is not None)
        return played(request)

    def stream(**more: object) -> list[tuple[str, str]]:
        listening.clear()
        return [(one.id, one.type) for one in events_of(lasting(of(serve(Speaking(answered), **more))))]

    alone = stream()
    assert listening and not any(listening)
    assert stream(observers=[lambda: seen.append]) == alone
    assert any(listening) and any(isinstance(event, TextDelta) for event in seen)
    assert "text_delta" not in {kind for _, kind in alone}


@pytest.mark.requirement("V2")
def test_an_event_is_on_disk_before_it_is_sent(serve: Serve, tmp_path: Path) -> None:
    """Whoever reads an event finds its line in the journal, with the same outcome."""
    server = serve()
    body = {"task": f"{WORDS_TASK} {'and more ' * 20}", "engine": "shorten", "stream": True}
    with server.client.stream("POST", "/run", json=body) as reply:
        journal = tmp_path / f"runs{reply.headers['location'].removeprefix('/jobs')}.jsonl"
        for line in reply.iter_lines():
            if line.startswith("id: "):
                number = int(line.removeprefix("id: ").partition(".")[0])
                assert len(journal.read_bytes().splitlines()) > number
    told = [event for event in events_of(server.events(journal.stem)) if event.type == "effect_ended"]
    lines = journal.read_text().splitlines()
    assert all(json.loads(lines[int(event.id)])["value"] == event.data["outcome"]["value"] for event in told)


@pytest.mark.requirement("V2", "V2a")
def test_a_client_that_leaves_cancels_nothing(serve: Serve) -> None:
    """A stream, or an answer, that nobody waits for any more ends no run."""
    model = Gated()
    server = serve(model)
    with server.client.stream("POST", "/run", json={"task": TASK, "stream": True}) as reply:
        name = reply.headers["location"].rpartition("/")[2]
        next(reply.iter_text())
    raw = socket.create_connection(server.socket.getsockname())
    text = json.dumps({"task": TASK}).encode()
    raw.sendall(b"POST /run HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n%s" % (len(text), text))
    until(lambda: model.waiting == 2)
    raw.close()
    model.gate.set()
    names = [job["id"] for job in server.get("/jobs").json()["jobs"]]
    assert name in names and len(names) == 2
    assert all(server.over(one)["stop_reason"] == "converged" for one in names)


@pytest.mark.requirement("V2a")
def test_a_reader_that_reads_nothing_holds_up_no_run(serve: Serve) -> None:
    """A run with much to tell ends while one reader stands still, and another one gets all of it."""
    server = serve()
    words = "a text of many words " * 400
    name = server.job(task=words, engine="shorten", config={"longest": 7000})
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    raw.connect(server.socket.getsockname())
    raw.sendall(f"GET /jobs/{name}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    assert server.over(name)["stop_reason"] == "short"
    told = server.events(name)
    assert len(told) > 2_000_000
    assert events_of(told)[-1].type == "run_ended"
    raw.close()


@pytest.mark.requirement("V2")
def test_a_stopped_run_tells_what_is_new_when_it_is_resumed(serve: Serve) -> None:
    """Outcomes and notes of the second life come after those of the first, live as later; none is told twice."""
    model = Gated()
    server = serve(model, Limits(parallel=1))
    name = server.job()
    until(lambda: model.waiting == 1)
    server.post(f"/jobs/{name}/cancel", {"now": True})
    server.over(name)
    first = lasting(server.events(name))
    assert events_of(first)[-1].data["stop_reason"] == "interrupted"
    assert server.post(f"/jobs/{name}/resume").status_code == 202
    last = events_of(first)[-1].id
    with server.client.stream("GET", f"/jobs/{name}/events", headers={"Last-Event-ID": last}) as reply:
        model.gate.set()
        second = lasting("".join(reply.iter_text()))
    assert events_of(second)[0].type == "resumed"
    assert events_of(second)[-1].data["stop_reason"] == "converged"
    assert first + second == lasting(server.events(name))


@pytest.mark.requirement("V2")
def test_what_a_stop_decided_is_not_mixed_with_what_came_instead(serve: Serve) -> None:
    """A tool call that ends after the stop counts: the decisions after it in both lives are told, each in its place."""
    gate, called = threading.Event(), threading.Event()

    @tool(side_effects=False)
    def calculator(expression: str) -> float:
        """Compute an expression."""
        called.set()
        gate.wait(20)
        return 40.8

    server = serve(tools=[calculator])
    name = server.job()
    assert called.wait(20)
    server.post(f"/jobs/{name}/cancel", {"now": True})
    gate.set()
    assert server.over(name)["stop_reason"] == "interrupted"
    first = lasting(server.events(name))
    server.post(f"/jobs/{name}/resume")
    assert server.over(name)["stop_reason"] == "converged"
    whole = lasting(server.events(name))
    assert whole.startswith(first)
    told = events_of(whole)
    reasons = [event.data["note"]["decision"]["reason"] for event in told if event.type == "noted" and decided(event)]
    assert "interrupted" in reasons and reasons[-1] == "converged"
    places = [Place.read(event.id) for event in told]
    assert all(a < b for a, b in pairwise(places) if a and b)
    for event in told:
        rest = lasting(server.events(name, event.id))
        assert whole.endswith(rest) and len(events_of(rest)) == len(told) - told.index(event) - 1


def decided(event: Sent) -> bool:
    """Whether a note holds a decision."""
    return event.data["note"]["decision"] is not None


@pytest.mark.requirement("V2", "V2d")
def test_the_place_to_go_on_from_is_checked(serve: Serve) -> None:
    """An id from the future, of another run, or that is none is refused; behind the last event nothing is left."""
    server = serve()
    short = server.post("/run", {"task": WORDS_TASK, "engine": "shorten"}).json()["id"]
    name = server.post("/run", {"task": TASK}).json()["id"]
    last = events_of(server.events(short))[-1].id
    for wrong in ("99999", f"{last}.7", "2.9"):
        complains(server.get(f"/jobs/{short}/events", **{"Last-Event-ID": wrong}), 409, "unknown_event", "its latest")
    for wrong in ("x", "-1", "1.x", "1e3", "9" * 40, "٣"):
        reply = server.client.get(f"/jobs/{short}/events", params={"after": wrong})
        complains(reply, 400, "invalid_event_id", "a number such as 7")
    other = next(event.id for event in events_of(server.events(name)) if "." in event.id)
    assert other not in [event.id for event in events_of(server.events(short))]
    complains(server.get(f"/jobs/{short}/events", **{"Last-Event-ID": other}), 409, "unknown_event")
    assert server.get(f"/jobs/{short}/events", **{"Last-Event-ID": last}).status_code == 204
    assert server.get(f"/jobs/{short}/events?after=0", **{"Last-Event-ID": last}).status_code == 204
    complains(server.get("/jobs/nothing/events"), 404, "unknown_job")


@pytest.mark.requirement("V2d")
def test_a_journal_that_was_taken_away_is_missed(serve: Serve, tmp_path: Path) -> None:
    """Its events, history and proof are gone, which is said; its answer is there."""
    server = serve()
    name = server.post("/run", {"task": WORDS_TASK, "engine": "shorten"}).json()["id"]
    (tmp_path / "runs" / f"{name}.jsonl").unlink()
    for path in ("events", "events?after=3", "history", "proof"):
        complains(server.get(f"/jobs/{name}/{path}"), 410, "gone", "taken away")
    complains(server.post(f"/jobs/{name}/fork", {"at": 0}), 409, "not_begun")
    assert server.get(f"/jobs/{name}/result").json()["summary"] == "one two"


@pytest.mark.requirement("V2", "V2d")
def test_a_run_is_watched_before_its_first_line_is_written(serve: Serve, tmp_path: Path) -> None:
    """While its journal is there without a line, a stream waits for the first one, and what needs a line says so."""
    model = Gated()
    server = serve(model, Limits(parallel=1))
    first, name = server.job(), server.job(task=WORDS_TASK, engine="shorten")
    (tmp_path / "runs" / f"{name}.jsonl").write_bytes(b'{"format":"aeon-jou')
    until(lambda: model.waiting == 1)
    for path in ("history", "proof", f"diff/{first}"):
        complains(server.get(f"/jobs/{name}/{path}"), 409, "not_begun", "try again")
    complains(server.post(f"/jobs/{name}/fork", {"at": 0}), 409, "not_begun")
    with server.client.stream("GET", f"/jobs/{name}/events") as reply:
        assert reply.status_code == 200
        model.gate.set()
        told = events_of("".join(reply.iter_text()))
    assert (told[0].type, told[-1].type) == ("run_started", "run_ended")


@pytest.mark.requirement("V2", "V2a")
def test_pings_and_what_is_under_way_have_no_id() -> None:
    """A stream that has nothing to tell pings; what is under way is shown, and a late reader sees it too."""

    async def read() -> list[bytes]:
        feed = Feed()
        told = Told(Place(0), "run_started", dict)
        feed.tell(told)
        feed.begin(0, lambda: b"event: effect_started\ndata: {}\n\n")
        stream = frames(feed, None, ping=0.001)
        parts = [await anext(stream) for _ in range(4)]
        feed.close(b"event: failed\ndata: {}\n\n")
        return [*parts, *[part async for part in stream]]

    parts = [part for part in asyncio.run(read())]
    assert parts[:4] == [b"id: 0\nevent: run_started\ndata: {}\n\n", b"event: effect_started\ndata: {}\n\n", PING, PING]
    assert parts[-1].startswith(b"event: failed") and set(parts[4:-1]) <= {PING}
    assert all(b"id:" not in part for part in parts[1:])
