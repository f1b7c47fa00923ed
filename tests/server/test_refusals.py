"""Wrong input: each gets the right status and a problem that says what to do, and nothing is lost or started."""

from __future__ import annotations

import errno
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from aeon.errors import InputFileError
from aeon.runtime.commits import CommitLog
from aeon.runtime.sealed import SealedFile
from aeon.server.runs import RunRecord, Runs
from aeon.server.service import Limits

from .conftest import TASK, WORDS_TASK, Gated, Serve, complains, until

pytestmark = pytest.mark.requirement("V2d")
FULL = OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize(
    ("data", "status", "kind", "words"),
    [
        (b"", 400, "invalid_json", "empty"),
        (b"task=hello", 400, "invalid_json", "no JSON"),
        (b'{"task": NaN}', 400, "invalid_json", "no JSON"),
        (b'\xff\xfe{"task": 1}', 400, "invalid_json", "no JSON"),
        (b'{"task": "\\ud800"}', 400, "invalid_json", "no JSON"),
        (b"[1]", 422, "invalid", "a JSON object"),
        (b'{"task": "x", "config": ' + b'{"a":' * 70 + b"1" + b"}" * 71, 400, "invalid_json", "too deeply"),
        (b"[" * 100_000, 400, "invalid_json", "too deeply"),
        (b'{"task": "x", "n": ' + b"9" * 5000 + b"}", 400, "invalid_json", "no JSON"),
        (b"{}", 422, "invalid", "task"),
        (b'{"task": 5}', 422, "invalid", "task"),
        (b'{"task": "x", "asynch": true}', 422, "invalid", "asynch: is no field here"),
        (b'{"task": "x", "async": "yes"}', 422, "invalid", "async"),
        (b'{"task": "x", "files": "/etc"}', 422, "invalid", "files: is no field here"),
        (b'{"task": "x", "engine": "../x"}', 422, "unknown_engine", "installed are"),
        (b'{"task": "x", "sources": ["/etc"]}', 422, "unknown_collection", "has none"),
        (b'{"task": "x", "async": true, "stream": true}', 422, "invalid", "one of them"),
        (b'{"task": "x", "config": {"budget": {"seconds": 1e999}}}', 422, "invalid", "seconds"),
    ],
)
def test_a_body_that_is_none_is_refused(serve: Serve, data: bytes, status: int, kind: str, words: str) -> None:
    """No JSON, too deep, of another shape, with what no request may name: refused, and nothing is started."""
    server = serve()
    for path in ("/run", "/run-simple"):
        complains(server.client.post(path, content=data), status, kind, words)
    assert server.get("/jobs").json()["jobs"] == []


def test_a_form_is_read_as_what_it_holds(serve: Serve) -> None:
    """``curl -d`` says that it sends a form; what counts is that the body is JSON."""
    server = serve()
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    text = json.dumps({"task": WORDS_TASK, "engine": "shorten"})
    assert server.client.post("/run", content=text, headers=headers).status_code == 200


def test_paths_and_methods_that_are_not_there(serve: Serve) -> None:
    """Unknown paths, methods, jobs and parameters are problems, too; no path leads to a file of the server."""
    server = serve()
    complains(server.get("/nothing"), 404, "unknown_path", "openapi.json")
    complains(server.get(f"/jobs?before={10**30}"), 422, "invalid", "before")
    complains(server.get("/run"), 405, "wrong_method", "POST")
    complains(server.client.put("/jobs", json={}), 405, "wrong_method", "GET")
    complains(server.get("/jobs?most=0"), 422, "invalid", "most")
    complains(server.get("/jobs?state=lost"), 422, "invalid", "state")
    complains(server.get("/jobs?before=x"), 422, "invalid", "before")
    for name in ("nothing", "..", "%2e%2e%2fetc%2fpasswd", "x" * 3000, "a%00b", "' OR 1=1 --"):
        reply = server.get(f"/jobs/{name}/history")
        assert reply.status_code == 404 and reply.json()["error"]["type"] in ("unknown_job", "unknown_path")
    for action in ("cancel", "resume", "fork", "answer"):
        complains(server.post(f"/jobs/nothing/{action}", {"at": 0, "answer": "x"}), 404, "unknown_job", "GET /jobs")


def test_an_answer_to_no_question(serve: Serve) -> None:
    """A run that asks nothing takes no answer, before, while and after it runs; an empty one is no answer."""
    model = Gated()
    server = serve(model, Limits(parallel=1))
    names = [server.job(), server.job()]
    until(lambda: model.waiting == 1)
    for name in names:
        complains(server.post(f"/jobs/{name}/answer", {"answer": "x"}), 409, "no_question", "waits for no answer")
        complains(server.post(f"/jobs/{name}/resume"), 409, "not_broken_off")
    complains(server.post(f"/jobs/{names[1]}/fork", {"at": 0}), 409, "not_begun")
    complains(server.get(f"/jobs/{names[1]}/proof"), 409, "not_begun")
    model.gate.set()
    server.over(names[1])
    complains(server.post(f"/jobs/{names[1]}/answer", {"answer": "x"}), 409, "no_question", "ended")
    complains(server.post(f"/jobs/{names[1]}/answer", {"answer": 5}), 422, "invalid", "answer")


@pytest.mark.requirement("V2c")
def test_one_idempotency_key_is_one_run(serve: Serve) -> None:
    """At once and later the same job comes back; with another body, path or fork the key is refused."""
    model = Gated()
    server = serve(model)
    body, key = {"task": TASK, "async": True}, {"Idempotency-Key": "order 5"}
    names = {server.post("/run", body, **key).json()["id"] for _ in range(3)}
    assert len(names) == 1
    model.gate.set()
    name = names.pop()
    assert server.post("/run", {"task": TASK}, **key).json()["id"] == name
    complains(server.post("/run", {"task": "another"}, **key), 422, "key_reused", "a new one")
    complains(server.post("/run-simple", {"task": TASK}, **key), 422, "key_reused")
    complains(server.post(f"/jobs/{name}/fork", {"at": 0}, **key), 422, "key_reused")
    fork = [server.post(f"/jobs/{name}/fork", {"at": 0}, **{"Idempotency-Key": "f"}).json()["id"] for _ in range(2)]
    assert fork[0] == fork[1] != name
    for wrong in ("", "x" * 201):
        complains(server.post("/run", body, **{"Idempotency-Key": wrong}), 400, "invalid_key", "such as a UUID")
    assert len(server.get("/jobs").json()["jobs"]) == 2


@pytest.mark.parametrize(
    ("kind", "name", "error"),
    [(SealedFile, "write", lambda file: file.broken(FULL, file._size)), (CommitLog, "_sync", lambda log: FULL)],
)
def test_a_full_disk_loses_nothing(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, kind: type, name: str, error: Callable[[Any], Exception]
) -> None:
    """A run whose journal takes no more fails and says so; when there is room again, it goes on from there."""
    model = Gated()
    server = serve(model)
    run = server.job()
    until(lambda: model.waiting == 1)
    kept, full = getattr(kind, name), [True]

    def limited(self: object, *what: object) -> object:
        if full[0]:
            raise error(self)
        return kept(self, *what)

    monkeypatch.setattr(kind, name, limited)
    model.gate.set()
    failed = server.over(run)
    assert failed["state"] == "failed" and failed["error"]["type"] == "storage" and failed["error"]["retryable"]
    assert "make room" in failed["error"]["message"]
    complains(server.get(f"/jobs/{run}/result"), 500, "storage", "make room")
    full[0] = False
    assert server.post(f"/jobs/{run}/resume").status_code == 202
    assert server.over(run)["stop_reason"] == "converged"


def test_a_disk_that_is_full_holds_runs_up(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing at all can be written, runs under way fail, those in the queue wait, new ones are refused.

    When there is room again the queue goes on by itself, and what failed is resumed; the list says so all the time.
    """
    model = Gated()
    server = serve(model, Limits(parallel=1))
    first, second = server.job(), server.job()
    until(lambda: model.waiting == 1)

    def full(*_: object) -> None:
        raise FULL

    def unlisted(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as disk:
        disk.setattr(CommitLog, "_sync", full)
        disk.setattr("aeon.server.runs._change", unlisted)
        disk.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=0))
        model.gate.set()
        failed = server.over(first)
        assert failed["state"] == "failed" and "make room" in failed["error"]["message"]
        listed = server.get("/jobs").json()["jobs"]
        assert [job["state"] for job in listed] == ["queued", "failed"]
        assert server.events(first).rstrip().rpartition("event: ")[2].startswith("failed")
        complains(server.post("/run", {"task": TASK}), 507, "storage", "make room")
        complains(server.post(f"/jobs/{first}/resume"), 507, "storage", "nothing was started")
        complains(server.post(f"/jobs/{first}/fork", {"at": 0}), 507, "storage", "make room")
        complains(server.get("/readyz"), 507, "storage", "make room")
    assert server.over(second)["stop_reason"] == "converged"
    until(lambda: server.runs._unwritten == {})
    assert server.post(f"/jobs/{first}/resume").status_code == 202
    assert server.over(first)["stop_reason"] == "converged"
    assert server.get("/readyz").status_code == 200


def test_a_list_that_cannot_be_written_starts_nothing(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the list of runs is full or broken the request is refused as one that may be tried again."""
    server = serve()

    def full(*_: object) -> object:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("aeon.server.runs._add", full)
    refused = server.post("/run", {"task": TASK})
    complains(refused, 507, "storage", "no space is left", "nothing was started")
    assert refused.json()["error"]["retryable"]
    monkeypatch.undo()
    assert server.service.busy == (0, 0)


def test_the_folder_of_runs_is_checked(tmp_path: Path) -> None:
    """Another server's folder, one that is a file or cannot be made, and another version's list: one line each."""
    first = Runs(tmp_path / "runs")
    with pytest.raises(InputFileError, match="another server works on these runs"):
        Runs(tmp_path / "runs")
    first.close()
    Runs(tmp_path / "runs").close()
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputFileError, match="cannot be written"):
        Runs(tmp_path / "file")
    list_of_runs = tmp_path / "runs" / "runs.sqlite"
    with sqlite3.connect(list_of_runs) as file:
        file.execute("PRAGMA user_version=99")
    file.close()
    with pytest.raises(InputFileError, match="version 99"):
        Runs(tmp_path / "runs")
    list_of_runs.write_bytes(b"no database at all" * 100)
    with pytest.raises(InputFileError, match="cannot be used"):
        Runs(tmp_path / "runs")


@pytest.mark.requirement("V1a")
def test_the_order_of_runs_is_no_clock_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that jumps back changes what is shown as the time, not the order in which runs are listed and begun."""
    import asyncio  # noqa: PLC0415 - only here

    times = iter(["2026-01-02", "2020-01-01", "1970-01-01"])
    monkeypatch.setattr("aeon.server.runs.now", lambda: next(times))
    runs = Runs(tmp_path / "runs")

    async def listed() -> tuple[list[str], list[str]]:
        for name in "abc":
            await runs.add(RunRecord.new(name, "", "e", {"task": "x"}, None, "d", None))
        return [one.id for one in await runs.open()], [one.id for one in await runs.page("", 9, None, None)]

    assert asyncio.run(listed()) == (["a", "b", "c"], ["c", "b", "a"])
    runs.close()
