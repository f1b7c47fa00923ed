"""The AG-UI protocol: a run as an agent, its effects as steps, its question as an interrupt."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from aeon.schema import JsonObject, JsonValue
from aeon.server.asking import started
from aeon.server.bodies import Wishes
from aeon.server.conversation import Before, Said, received, task_of
from aeon.server.feed import PING
from aeon.server.problems import Problem
from aeon.server.routing import PROBLEMS, STREAMED, run_of, service_of, streamed, takes
from aeon.server.runs import RunRecord
from aeon.server.streams import stream_of
from aeon.server.told import Place

__all__ = ["AgentBody", "agent", "router"]

router = APIRouter(prefix="/agui", responses=PROBLEMS)


class _Part(BaseModel):
    """What the application adds to a conversation."""

    description: str = ""
    value: str = ""


class _Resume(BaseModel):
    """What became of an interrupt."""

    model_config = ConfigDict(extra="ignore")

    interruptId: str
    status: str
    payload: Any = None


class _Forwarded(BaseModel):
    """What the application sends along: under ``aeon`` what the protocol has no place for."""

    model_config = ConfigDict(extra="ignore")

    aeon: Wishes = Wishes()


class AgentBody(BaseModel):
    """What a client sends for a run. Its tools are not called: a run has those of the server."""

    model_config = ConfigDict(extra="ignore")

    threadId: str
    runId: str
    messages: list[Said] = Field(default_factory=list)
    context: list[_Part] = Field(default_factory=list)
    resume: list[_Resume] = Field(default_factory=list)
    forwardedProps: _Forwarded | None = None

    def refuse(self) -> None:
        """Nothing is refused: what a run has no place for is an offer."""


@router.post("/{engine}", openapi_extra=takes(AgentBody), responses=STREAMED)
async def agent(request: Request, engine: str) -> Response:
    """Run the engine as an agent; its question ends the run with an interrupt, whose answer continues it."""
    asked: AgentBody = received(AgentBody, await request.body())
    after: Place | None = None
    if asked.resume:
        record, after = await _resumed(request, asked.resume[0])
    else:
        before = Before(asked=tuple(f"{part.description}: {part.value}" for part in asked.context))
        body = task_of(asked.messages, engine, None, before, (asked.forwardedProps or _Forwarded()).aeon)
        body = body.changed(unattended="suspend")
        record = await started(request, body, "agui")
    return streamed(_events(request, record, asked, after))


async def _resumed(request: Request, entry: _Resume) -> tuple[RunRecord, Place | None]:
    """Answer the question of a run, or stop it; the run, and the last event before that."""
    service, record = service_of(request), await run_of(request, entry.interruptId)
    told = await service.told(record)
    if entry.status == "cancelled":
        await service.cancel(record)
    else:
        await service.answer(record, _said(entry.payload))
    return await run_of(request, record.id), told[-1].place if told else None


def _said(payload: JsonValue) -> str:
    """The answer in a payload: a text, or an object with one.

    Raises:
        Problem: it holds none.
    """
    said = payload.get("answer") if isinstance(payload, dict) else payload
    if not isinstance(said, str):
        raise Problem(422, "invalid", 'payload: answer with a text, or with {"answer": "…"}')
    return said


async def _events(request: Request, record: RunRecord, asked: AgentBody, after: Place | None) -> AsyncIterator[bytes]:
    """What the client gets: the run's events in its words."""
    service, names = service_of(request), {"threadId": asked.threadId, "runId": asked.runId}
    state: JsonObject = {"job": f"/jobs/{record.id}", "engine": record.engine}
    yield _frame({"type": "RUN_STARTED", **names})
    yield _frame({"type": "STATE_SNAPSHOT", "snapshot": state})
    telling = _Telling(record.id, names)
    frames = await stream_of(service, record, after)
    if frames is None:
        return
    async for frame in frames:
        if frame == PING:
            yield frame
            continue
        for event in telling.of(*_read(frame)):
            yield _frame(event)


def _read(frame: bytes) -> tuple[str, dict[str, Any]]:
    """The type and the data of an event."""
    fields = dict(line.split(": ", 1) for line in frame.decode().splitlines() if ": " in line)
    return fields.get("event", ""), json.loads(fields.get("data", "{}"))


def _frame(event: JsonObject) -> bytes:
    return f"data: {json.dumps(event, ensure_ascii=False)}\n\n".encode()


class _Telling:
    """Puts the events of one run into those of the protocol; every step that begins also ends."""

    def __init__(self, name: str, names: dict[str, str]) -> None:
        self._name = name
        self._names = names
        self._open: dict[int, str] = {}

    def of(self, kind: str, data: dict[str, Any]) -> Iterator[JsonObject]:
        """The events that one event of the run is."""
        match kind:
            case "effect_started":
                yield from self._begin(data)
            case "effect_ended":
                yield from self._begin(data)
                yield {"type": "STEP_FINISHED", "stepName": self._open.pop(data["number"])}
            case "noted" if data["note"].get("decision"):
                yield {"type": "CUSTOM", "name": "decision", "value": data["note"]["decision"]}
            case "run_ended" | "waiting" | "cancelled" | "failed" | "closing":
                while self._open:
                    yield {"type": "STEP_FINISHED", "stepName": self._open.popitem()[1]}
                yield from self._end(kind, data)

    def _begin(self, data: dict[str, Any]) -> Iterator[JsonObject]:
        if data["number"] not in self._open:
            self._open[data["number"]] = f"{data['number']} {data['title']}"
            yield {"type": "STEP_STARTED", "stepName": self._open[data["number"]]}

    def _end(self, kind: str, data: dict[str, Any]) -> Iterator[JsonObject]:
        finished: JsonObject = {"type": "RUN_FINISHED", **self._names}
        match kind:
            case "run_ended":
                yield from self._message(str(data["answer"]))
                kept = ("stop_reason", "sufficient", "detail", "value", "claims", "usage")
                result: JsonObject = {name: data[name] for name in kept}
                yield {**finished, "result": result, "outcome": {"type": "success"}}
            case "waiting":
                question = data["question"]
                schema: JsonObject = {"type": "string"}
                if question["options"] and not question["default"].strip():
                    schema["enum"] = question["options"]
                interrupt: JsonObject = {
                    "id": self._name, "reason": "question", "message": question["text"], "responseSchema": schema,
                    "metadata": {"options": question["options"], "default": question["default"]},
                }  # fmt: skip
                yield {**finished, "outcome": {"type": "interrupt", "interrupts": [interrupt]}}
            case "cancelled":
                yield {**finished, "outcome": {"type": "cancelled"}}
            case _:
                error = data.get("error") or {"type": kind, "message": data.get("detail", kind)}
                yield {"type": "RUN_ERROR", "message": error["message"], "code": error["type"]}

    def _message(self, text: str) -> Iterator[JsonObject]:
        """The answer as a message of the assistant."""
        if not text:
            return
        name = f"msg_{self._name}"
        yield {"type": "TEXT_MESSAGE_START", "messageId": name, "role": "assistant"}
        yield {"type": "TEXT_MESSAGE_CONTENT", "messageId": name, "delta": text}
        yield {"type": "TEXT_MESSAGE_END", "messageId": name}
