"""The machine's clock jumps while runs go on."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from aeon.server.service import Limits
from aeon.server.tokens import Tokens

from .conftest import TASK, Gated, Serve, complains, events_of, lasting, until

pytestmark = pytest.mark.requirement("V1a", "V2", "V2e")
TOKEN = "a-token-of-some-length"
JUMPS = (datetime(2026, 5, 1, tzinfo=UTC), datetime(1970, 1, 1, tzinfo=UTC), datetime(2026, 5, 30, tzinfo=UTC))


def test_a_clock_that_jumps_changes_nothing_but_dates(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Streams, budgets of seconds, durations and the order of the list go by no clock; a token ends on its day."""
    where = [JUMPS[0]]
    monkeypatch.setattr("aeon.server.runs.now", lambda: where[0].isoformat())
    monkeypatch.setattr("aeon.server.service.now", lambda: where[0].isoformat())
    monkeypatch.setattr(time, "time", lambda: where[0].timestamp())
    tokens = Tokens([f"{TOKEN} name=alice expires=2026-06-01"], "tokens", lambda: where[0])
    model = Gated()
    server = serve(model, Limits(parallel=3), tokens)
    server.client.headers["Authorization"] = f"Bearer {TOKEN}"
    names = []
    for place, jump in enumerate(JUMPS):
        where[0] = jump
        names.append(server.job(budget={"seconds": 60}))
        until(lambda many=place + 1: model.waiting == many)
    with server.client.stream("GET", f"/jobs/{names[0]}/events") as reply:
        where[0] = JUMPS[1]
        model.gate.set()
        live = lasting("".join(reply.iter_text()))
    assert events_of(live)[-1].data["stop_reason"] == "converged"
    assert lasting(server.events(names[0])) == live
    assert all(server.over(name)["stop_reason"] == "converged" for name in names)
    assert [job["id"] for job in server.get("/jobs").json()["jobs"]] == names[::-1]
    for event in events_of(live):
        if event.type == "effect_ended":
            assert 0 <= event.data["outcome"]["ended"] - event.data["outcome"]["started"] < 30
    where[0] = datetime(2026, 6, 1, tzinfo=UTC)
    complains(server.post("/run", {"task": TASK}), 401, "expired")
