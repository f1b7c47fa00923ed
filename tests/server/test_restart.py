"""What a server does again after it was killed, or stopped: everything that it owes, and nothing twice."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from cli.played_model import Model, served

from .conftest import TASK, Gated, Serve, events_of, lasting, until
from .processes import ROOM, Process


@pytest.fixture
def model() -> Iterator[Model]:
    """A model in another server, which answers everything well."""
    with served() as made:
        made.was_measured()
        yield made


def about_the_task(model: Model) -> list[str]:
    return [told for body in model.bodies if TASK in (told := json.dumps(body, sort_keys=True))]


@pytest.mark.requirement("V2b")
@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_killed_server_goes_on_where_it_was(model: Model, tmp_path: Path, at: int) -> None:
    """Killed while a model works: after the restart all runs end, and nothing on record is done or told again."""
    model.hangs(lambda body: len(about_the_task(model)) == at)
    first = Process(tmp_path / "runs", model.url)
    body = {"task": TASK, "async": True, "config": {"caps": ROOM}}
    names = [first.client.post("/run", json=body).json()["id"] for _ in range(3)]
    until(lambda: len(about_the_task(model)) >= at)
    until(lambda: [first.job(name)["state"] for name in names] == ["running", "running", "queued"])
    journal = tmp_path / "runs" / f"{names[0]}.jsonl"
    before = journal.read_bytes()
    first.end(signal.SIGKILL)
    model.before = lambda handler, body: False
    second = Process(tmp_path / "runs", model.url)
    for name in names:
        assert second.over(name)["stop_reason"] == "converged"
        told = events_of(second.client.get(f"/jobs/{name}/events").text)
        assert len({event.id for event in told}) == len(told)
        outcomes = [event.data["number"] for event in told if event.type == "effect_ended"]
        assert outcomes == sorted(set(outcomes))
    assert journal.read_bytes().startswith(before)
    assert second.end(signal.SIGTERM)[0] == 0


@pytest.mark.requirement("V2b")
def test_what_a_client_saw_before_a_kill_is_not_told_again(model: Model, tmp_path: Path) -> None:
    """The events before the kill and those after it, from the last id on, are the whole, byte for byte."""
    model.hangs(lambda body: len(about_the_task(model)) == 2)
    first = Process(tmp_path / "runs", model.url)
    name = first.client.post("/run", json={"task": TASK, "async": True, "config": {"caps": ROOM}}).json()["id"]
    until(lambda: len(about_the_task(model)) == 2)
    seen = b""
    with pytest.raises(httpx2.TransportError), first.client.stream("GET", f"/jobs/{name}/events") as reply:
        for part in reply.iter_bytes():
            seen += part
            if b"effect_started" in seen:
                first.end(signal.SIGKILL)
    model.before = lambda handler, body: False
    second = Process(tmp_path / "runs", model.url)
    second.over(name)
    before = lasting(seen.decode())
    after = second.client.get(f"/jobs/{name}/events", headers={"Last-Event-ID": events_of(before)[-1].id})
    assert before + lasting(after.text) == lasting(second.client.get(f"/jobs/{name}/events").text)
    second.end(signal.SIGKILL)


@pytest.mark.requirement("V2b", "V2c")
def test_a_question_outlives_the_server(serve: Serve) -> None:
    """What waits for an answer waits on after a restart; a run's idempotency key is known, too."""
    body = {"task": "drop words from either end", "engine": "shorten", "unattended": "suspend"}
    server = serve()
    name = server.post("/run", body, **{"Idempotency-Key": "k1"}).json()["id"]
    later = serve()
    assert later.get(f"/jobs/{name}").json()["state"] == "waiting"
    assert later.post("/run", body, **{"Idempotency-Key": "k1"}).json()["id"] == name
    later.post(f"/jobs/{name}/answer", {"answer": "back"})
    assert later.over(name)["state"] == "ended"


@pytest.mark.requirement("V2a", "V2b")
def test_a_server_that_stops_says_so_and_goes_on_later(serve: Serve) -> None:
    """Streams end with ``closing``, an answer that is not there yet is 503; the next start continues the run."""
    model = Gated()
    server = serve(model)
    name = server.job()
    until(lambda: model.waiting == 1)
    with server.client.stream("GET", f"/jobs/{name}/events") as reply:
        parts = reply.iter_text()
        seen = next(parts)
        server._server.should_exit = True
        seen += "".join(parts)
    assert [event.type for event in events_of(seen)][-1] == "closing"
    later = serve(model)
    until(lambda: later.get(f"/jobs/{name}").json()["state"] == "running")
    model.gate.set()
    assert later.over(name)["stop_reason"] == "converged"
    assert lasting(later.events(name)).startswith(lasting(seen))


@pytest.mark.requirement("V2b")
def test_a_run_that_was_asked_to_stop_does_not_come_back(serve: Serve) -> None:
    """Cancelled just before the server went, it is cancelled after the restart, and nothing stays running."""
    model = Gated()
    server = serve(model)
    name = server.job()
    until(lambda: model.waiting == 1)
    server.post(f"/jobs/{name}/cancel")
    later = serve(model)
    assert later.get(f"/jobs/{name}").json()["state"] == "cancelled"
    assert later.service.busy == (0, 0)


@pytest.mark.requirement("V2b")
def test_a_run_whose_journal_is_damaged_fails_and_harms_no_other(serve: Serve, tmp_path: Path) -> None:
    """It ends as failed, with what is wrong; a journal that had no first line is begun anew."""
    model = Gated()
    server = serve(model, None)
    names = [server.job(), server.job()]
    until(lambda: model.waiting == 2)
    server.stop()
    broken, fresh = [tmp_path / "runs" / f"{name}.jsonl" for name in names]
    broken.write_bytes(re.sub(rb'"execution_id":"..', b'"execution_id":"zz', broken.read_bytes()))
    fresh.write_bytes(fresh.read_bytes()[:40])
    model.gate.set()
    later = serve(model)
    failed = later.over(names[0])
    assert failed["state"] == "failed" and "damaged" in failed["error"]["message"]
    assert str(tmp_path) not in json.dumps(failed)
    assert later.over(names[1])["stop_reason"] == "converged"
