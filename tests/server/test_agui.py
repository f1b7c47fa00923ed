"""The AG-UI protocol, held against the events of its own package."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .conftest import TASK, WORDS_TASK, Serve, Server, complains

pytestmark = pytest.mark.requirement("V3c")


def ran(server: Server, engine: str = "multi-pass", **body: Any) -> list[dict[str, Any]]:
    """The events of an agent's run, each one that the protocol knows."""
    core = pytest.importorskip("ag_ui.core")
    pydantic = pytest.importorskip("pydantic")
    message = {"id": "m1", "role": "user", "content": TASK}
    sent = {"threadId": "t", "runId": "r", "messages": [message], "tools": [], "context": [], "state": {}, **body}
    checked = core.RunAgentInput.model_validate(sent).model_dump(mode="json", by_alias=True, exclude_none=True)
    reply = server.post(f"/agui/{engine}", checked)
    assert reply.status_code == 200, reply.text
    events = [json.loads(line.removeprefix("data: ")) for line in reply.text.splitlines() if line.startswith("data: ")]
    for event in events:
        pydantic.TypeAdapter(core.Event).validate_python(event)
    return events


def test_an_agent_answers(serve: Serve) -> None:
    """It begins, takes its steps, each of which ends, says its answer, and finishes with how."""
    events = ran(serve())
    kinds = [event["type"] for event in events]
    assert kinds[0] == "RUN_STARTED" and kinds[-4:] == [
        "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "RUN_FINISHED"
    ]  # fmt: skip
    begun = [event["stepName"] for event in events if event["type"] == "STEP_STARTED"]
    assert begun and begun == [event["stepName"] for event in events if event["type"] == "STEP_FINISHED"]
    assert "40.8" in events[-3]["delta"]
    assert events[-1]["outcome"] == {"type": "success"} and events[-1]["result"]["stop_reason"] == "converged"
    assert {"threadId": "t", "runId": "r"}.items() <= events[0].items()


def test_a_question_is_an_interrupt(serve: Serve) -> None:
    """The run finishes with it; what resumes it is the answer, or cancels the run; then only what is new is told."""
    server = serve()
    asking = [{"id": "m1", "role": "user", "content": "drop words from either end"}]
    (interrupt,) = ran(server, "shorten", messages=asking)[-1]["outcome"]["interrupts"]
    assert (interrupt["message"], interrupt["metadata"]["options"]) == ("Which end?", ["front", "back"])
    answer = {"interruptId": interrupt["id"], "status": "resolved", "payload": {"answer": "front"}}
    events = ran(server, "shorten", messages=asking, resume=[answer])
    assert next(event["delta"] for event in events if "delta" in event) == "either end"
    numbers = [event["stepName"] for event in events if event["type"] == "STEP_STARTED"]
    assert len(numbers) == len(set(numbers))
    (other,) = ran(server, "shorten", messages=asking)[-1]["outcome"]["interrupts"]
    stop = {"interruptId": other["id"], "status": "cancelled"}
    assert ran(server, "shorten", messages=asking, resume=[stop])[-1]["outcome"] == {"type": "cancelled"}


def test_what_is_no_run_is_refused(serve: Serve) -> None:
    """No task, an unknown engine, an interrupt that is none: problems, before anything streams."""
    server = serve()
    body = {"threadId": "t", "runId": "r", "messages": [{"id": "1", "role": "user", "content": WORDS_TASK}]}
    complains(server.post("/agui/multi-pass", {**body, "messages": []}), 400, "invalid", "the task")
    complains(server.post("/agui/multi-pass", {"messages": []}), 400, "invalid", "threadId")
    complains(server.post("/agui/nobody", body), 422, "unknown_engine", "installed")
    resume = [{"interruptId": "nothing", "status": "resolved", "payload": "x"}]
    complains(server.post("/agui/multi-pass", {**body, "resume": resume}), 404, "unknown_job")
    name = server.post("/run", {"task": WORDS_TASK, "engine": "shorten"}).json()["id"]
    resume = [{"interruptId": name, "status": "resolved", "payload": "x"}]
    complains(server.post("/agui/shorten", {**body, "resume": resume}), 409, "no_question")
    complains(server.post("/agui/shorten", {**body, "resume": [{**resume[0], "payload": 5}]}), 422, "invalid", "text")
