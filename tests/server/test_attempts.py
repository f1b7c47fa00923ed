"""A run that ends its server each time: it is given up, and the runs beside it are not."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import threading
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import httpx2
import pytest
from cli.played_model import served

from aeon.llm.scripted import Scripted
from aeon.runtime.attempts import MOST, REASON
from aeon.schema import LLMRequest, LLMResponse
from aeon.server.told import Told

from .conftest import TASK, Serve, Server, events_of, lasting, played, until
from .processes import ROOM, Process

BAD = "What do 19 pens at 2.40 cost?"


@pytest.mark.requirement("V2b", "K13")
def test_a_run_that_ends_its_server_is_given_up_and_no_other(tmp_path: Path) -> None:
    """Two good runs and a bad one, whose second model call ends the process, always: three trials, then it is failed.

    It has an answer of what its journal holds, and can be resumed by hand; the server lives on, and is stopped in
    order.
    """
    runs, posted, deaths, bad = tmp_path / "runs", threading.Event(), 0, 0
    with served() as model:
        model.was_measured()
        server = Process(runs, model.url)

        def before(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> bool:
            nonlocal bad
            posted.wait(20)
            if BAD not in json.dumps(body):
                time.sleep(0.3)  # so that it is under way, and gets nowhere, when the server dies
                return False
            bad += 1
            if bad == 1:
                return False
            server.kill()
            return True

        model.before = before
        tasks = (TASK, BAD, TASK)
        names = [server.client.post("/run", json=_body(task)).json()["id"] for task in tasks]
        posted.set()
        while deaths <= MOST + 1:
            until(lambda now=server: _state(now, names[1]) in ("gone", "failed"))
            if not server.gone:
                break
            server.end(signal.SIGKILL)
            deaths += 1
            server = Process(runs, model.url)
        failed = server.job(names[1])
        assert (failed["state"], deaths) == ("failed", MOST + 1)
        assert failed["error"]["type"] == "process_ended" and REASON in failed["error"]["message"]
        assert failed["stop_reason"] == "failed" and failed["summary"]
        told = events_of(server.client.get(f"/jobs/{names[1]}/events").text)
        assert told[0].type == "run_started" and told[-1].type == "failed" and not told[-1].id
        for name in (names[0], names[2]):
            assert server.over(name)["stop_reason"] == "converged"
        model.before = lambda handler, body: False
        assert server.client.post(f"/jobs/{names[1]}/resume").status_code == 202
        assert server.over(names[1])["stop_reason"] == "converged"
        assert server.end(signal.SIGTERM)[0] == 0


def _state(server: Process, name: str) -> str:
    """Where a job stands, or that its server is gone."""
    with contextlib.suppress(httpx2.TransportError):
        return str(server.job(name)["state"])
    return "gone" if server.gone else ""


def _body(task: str) -> dict[str, Any]:
    return {"task": task, "async": True, "config": {"caps": ROOM}}


class Rationed(Scripted):
    """A scripted model that answers as many calls as are ``left``, and then waits for more."""

    def __init__(self) -> None:
        super().__init__(played)
        self.left = self.waiting = 0

    async def complete(self, request: LLMRequest) -> LLMResponse:
        """The reply, once one is left."""
        self.waiting += 1
        try:
            while not self.left:
                await asyncio.sleep(0.005)
            self.left -= 1
        finally:
            self.waiting -= 1
        return await super().complete(request)


def _told(server: Server, name: str) -> list[Told]:
    """The events of a run, as those who read them now get them."""

    async def ask() -> list[Told]:
        record = await server.service.find(name)
        assert record is not None
        return [*await server.service.told(record)]

    return asyncio.run_coroutine_threadsafe(ask(), server.loop).result(20)


@pytest.mark.requirement("V2", "V2b")
@pytest.mark.parametrize("how", ["stopped", "interrupted"])
def test_ids_of_events_rise_over_all_lives_of_a_run(serve: Serve, how: str) -> None:
    """No id comes twice, in no life, and what was told stays as it was told, whoever reads it and when.

    After each call of its model the server is stopped in order; or the run is, and its ending is taken back.
    """
    model = Rationed()
    server = serve(model)
    name, seen, lives = server.job(config={"caps": ROOM}), [], 0
    while not _ended(server, name):
        model.left = 1
        until(lambda now=server: (model.waiting and not model.left) or _ended(now, name))
        if how == "interrupted" and not _ended(server, name):
            server.post(f"/jobs/{name}/cancel", {"now": True})
            server.over(name)
        told = _told(server, name)
        places = [one.place for one in told]
        assert places == sorted(set(places)), places
        frames = [one.frame for one in told]
        assert frames[: len(seen)] == seen
        seen, lives = frames, lives + 1
        if how == "stopped" and not _ended(server, name):
            server = serve(model)
        elif how == "interrupted" and server.over(name)["stop_reason"] == "interrupted":
            server.post(f"/jobs/{name}/resume")
    assert lives > 3 and sum(b"event: resumed" in frame for frame in seen) >= lives - 2
    assert b"".join(seen).decode() == lasting(server.events(name))


def _ended(server: Server, name: str) -> bool:
    return bool(server.get(f"/jobs/{name}").json()["state"] == "ended")
