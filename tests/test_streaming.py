"""Runs whose text is told while a model writes it: with real endpoints, in every engine that writes prose."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Event as Gate
from typing import Any

import pytest
from approving import approval
from played_endpoint import Endpoint, chunk, event, gated, served, stream
from pydantic import BaseModel
from speaking import Speaking

from aeon import Journal, OnRecord, Task, TextDelta, build, resume
from aeon.assembly.registry import plugin
from aeon.llm.openai_compatible import OpenAICompatible
from aeon.runtime.events import EffectEnded, EffectStarted, Event
from aeon.schema import Capabilities, LLMRequest, StepResult, Turn
from aeon.testing.obliging import oblige

pytestmark = pytest.mark.requirement("P3f")
CAN = Capabilities(json_schema=True, json_mode=True, tools=True)
ANSWER = ("The bridge ", "was opened ", "in 1931.")
TASK = "When was the bridge opened?"
USAGE = {"prompt_tokens": 20, "completion_tokens": 9}


def texts(events: list[Event]) -> dict[int, str]:
    """The text that stands told of each effect in the end."""
    told: dict[int, str] = {}
    for one in events:
        if isinstance(one, TextDelta):
            assert one.begins or one.number in told
            told[one.number] = one.text if one.begins else told[one.number] + one.text
    return told


class Played:
    """Answers whatever a run asks of the endpoint: objects at once, and its text in pieces, behind a gate."""

    def __init__(self, endpoint: Endpoint, gate: Gate) -> None:
        self._gate = gate
        endpoint.play(self._answer)

    def _answer(self, handler: Any, body: dict[str, Any]) -> None:
        shape = body.get("response_format", {}).get("json_schema", {}).get("schema")
        request = LLMRequest.model_validate({"messages": [{"role": "user", "content": "x"}], "json_schema": shape})
        if shape is not None:
            stream(chunk(approval(request) or oblige(request).text), chunk(finish="stop"))(handler, body)
            return
        first, *rest = (event(chunk(piece)) for piece in ANSWER)
        last = [event(chunk(finish="stop")), event({"choices": [], "usage": USAGE})]
        gated(self._gate, [first], [*rest, *last])(handler, body)


@pytest.mark.parametrize("engine", ["multi-pass", "loop"])
def test_the_text_is_told_before_the_call_has_ended(engine: str) -> None:
    """The endpoint sends the rest of its answer only when the stream gave its first piece."""

    async def go(endpoint: Endpoint) -> tuple[list[Event], str]:
        gate, events = Gate(), []
        Played(endpoint, gate)
        llm = OpenAICompatible(endpoint.model, endpoint.base_url, capabilities=CAN, retries=0)
        run = build(llm, tools=(), engine=plugin(engine)).stream(TASK)
        async for one in run:
            events.append(one)
            if isinstance(one, TextDelta):
                assert isinstance(events[-2], EffectStarted | TextDelta)
                gate.set()
        return events, run.result.answer

    with served() as endpoint:
        events, answer = asyncio.run(go(endpoint))
    pieces = [one.text for one in events if isinstance(one, TextDelta)]
    assert pieces == ["The bridge", " was opened", " in 1931."]
    assert answer == "".join(ANSWER)


def writing(request: LLMRequest) -> str:
    """A model that finds every task easy, and writes."""
    return approval(request) or (oblige(request).text if request.json_schema is not None else "".join(ANSWER))


def test_the_stream_can_be_left_in_the_middle_of_a_text(tmp_path: Path) -> None:
    """The run is interrupted, and its journal can be continued; what is recorded then is not told again."""
    path = tmp_path / "run.jsonl"

    async def go() -> str:
        orchestrator = build(Speaking(writing, CAN), tools=(), journal=lambda _: Journal(path))
        async with orchestrator.stream(TASK) as run:
            async for one in run:
                if isinstance(one, TextDelta):
                    break
        return run.result.stop_reason

    assert asyncio.run(go()) == "interrupted"
    events: list[Event] = []
    result = resume(path, Speaking(writing, CAN), tools=(), observers=[events.append])
    assert result.answer == "".join(ANSWER)
    recorded = {one.number for one in events if isinstance(one, EffectEnded) and one.recorded}
    assert recorded and set(texts(events).values()) == {"".join(ANSWER)} and not recorded & texts(events).keys()


def test_leaving_does_not_wait_for_the_endpoint() -> None:
    """The call is broken off while the endpoint holds back the rest of its text; the last answer is told anew."""

    async def go(endpoint: Endpoint, gate: Gate) -> tuple[list[str], str]:
        Played(endpoint, gate)
        llm = OpenAICompatible(endpoint.model, endpoint.base_url, capabilities=CAN, retries=0)
        run = build(llm, tools=()).stream(TASK)
        async for one in run:
            if isinstance(one, TextDelta):
                break
        broken: list[str] = []
        async for one in run:  # it was left: the run ends with an answer of what there is
            if isinstance(one, EffectEnded) and not gate.is_set():
                broken.append(one.outcome.failure.kind if one.outcome.failure is not None else "")
            if isinstance(one, TextDelta):
                gate.set()
        return broken, run.result.stop_reason

    with served() as endpoint:
        assert asyncio.run(go(endpoint, Gate())) == (["interrupted"], "interrupted")


class Year(BaseModel):
    """An answer as an object."""

    year: int


@pytest.mark.parametrize("engine", ["multi-pass", "loop", "graph", "team", "ensemble", "auto"])
def test_every_program_that_listens_gets_every_text(engine: str) -> None:
    """In pieces, or at its end from a model that hands on none: in the end the same texts, each that of its outcome."""
    every = []
    for chunks in (True, False):
        events: list[Event] = []
        model = Speaking(writing, CAN)
        if not chunks:
            model.complete = super(Speaking, model).complete  # type: ignore[method-assign]
        result = build(model, tools=(), engine=plugin(engine), observers=[events.append]).execute(TASK)
        told, ended = texts(events), [one for one in events if isinstance(one, EffectEnded)]
        for one in ended:
            value = one.outcome.value
            text = value.output if isinstance(value, StepResult) else getattr(value, "text", None)
            if one.number in told and one.outcome.failure is None:
                assert told[one.number] == text
            if isinstance(value, Turn):
                assert one.number in told or not value.text
        every.append((told, result.answer))
    assert every[0] == every[1] and every[0][0]


def test_an_answer_in_json_is_not_told() -> None:
    """A task with a schema is answered by an object: what is told is the work on it alone."""
    events: list[Event] = []
    task = Task(text=TASK, answer_schema=Year.model_json_schema())
    result = build(Speaking(writing, CAN), tools=(), observers=[events.append]).execute(task)
    final = next(one for one in reversed(events) if isinstance(one, EffectEnded))
    assert final.effect.phase == "synthesize" and json.loads(result.answer)
    assert final.number not in texts(events)


@pytest.mark.parametrize("wrap", [OnRecord, lambda one: one], ids=["on record", "all"])
def test_who_waits_for_what_is_on_record_is_told_no_text(wrap: Callable[[Any], Any]) -> None:
    """An observer says so itself."""
    events: list[Event] = []
    build(Speaking(writing, CAN), tools=(), observers=[wrap(events.append)]).execute(TASK)
    assert any(isinstance(one, TextDelta) for one in events) is (wrap is not OnRecord)


def test_the_example_of_the_page_prints_what_the_page_says() -> None:
    """Its program, with a model behind an endpoint that streams its words."""
    page = (Path(__file__).parents[1] / "docs" / "runs.md").read_text()
    _, code, _, printed, *_ = page.partition("## A text while it is written")[2].split("```")
    note = printed.strip("\n").splitlines()[0]

    def answer(handler: Any, body: dict[str, Any]) -> None:
        shape = body.get("response_format", {}).get("json_schema", {}).get("schema")
        request = LLMRequest.model_validate({"messages": [{"role": "user", "content": "x"}], "json_schema": shape})
        text = note if shape is None else approval(request) or oblige(request).text
        stream(*(chunk(f"{word} ") for word in text.split(" ")), chunk(finish="stop"))(handler, body)

    with served() as endpoint:
        endpoint.play(answer)
        env = os.environ | {"AEON_BASE_URL": endpoint.base_url, "AEON_MODEL": "played"}
        env["PYTHONPATH"] = os.pathsep.join(sys.path)
        ran = subprocess.run(
            [sys.executable, "-c", code.removeprefix("python")], env=env, capture_output=True, text=True, check=False
        )
    assert (ran.stderr, ran.stdout) == ("", printed[1:])
