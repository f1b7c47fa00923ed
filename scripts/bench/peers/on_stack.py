"""Aeon's whole stack on a model that answers at once: prompts rendered, JSON parsed and validated, ledger charged.

It is another loop than the others': the shipped modules decide what they ask, and all of it is counted. The model's
text is ready before it is asked for, so that what is measured is Aeon.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable

from workload import PASSES, STEPS, Model

from aeon.assembly.build import build
from aeon.llm.scripted import Scripted
from aeon.schema import (
    Budget,
    Capabilities,
    Config,
    Decide,
    JsonObject,
    LLMRequest,
    LLMResponse,
    Questions,
    ReasoningEngine,
    TokenProbability,
    Usage,
)
from aeon.testing.obliging import plainest

__all__ = ["ANSWER", "CALLS", "make"]

ANSWER, CALLS = "the answer is 42", 0
_SPENT = Usage(calls=1, prompt_tokens=300, generated_tokens=30)
_SURE = (TokenProbability(token="Yes", probability=0.9), TokenProbability(token="No", probability=0.1))
_CONFIG = Config(
    max_passes=PASSES,
    budget=Budget(calls=400, tokens=10_000_000, seconds=3_600, cost=0.5),
    questions=Questions(most=0),
    reasoning_engine=ReasoningEngine(decide=Decide(confidence_threshold=1.0, coverage_threshold=1.0)),
)


def make(model: Model) -> Callable[[], Awaitable[str]]:
    """One run of a task: eight steps of reasoning, three passes, a refinement between two.

    The last step of each pass is blocked, which keeps the run from converging whatever else is said.
    """
    script = _Script(model)
    can = Capabilities(json_schema=True, json_mode=True, logprobs=True)
    llm = Scripted(script.reply, can, name="qwen2.5-coder-1.5b")  # a model whose judgments were measured: it is asked
    orchestrator = build(llm, tools=(), config=_CONFIG)

    async def run() -> str:
        result = await orchestrator.aexecute("What is six times seven?")
        llm.requests.clear()
        if result.passes != PASSES or result.degraded:
            raise AssertionError(f"{result.passes} passes, {result.stop_reason}: {result.degraded}")
        return result.answer

    return run


class _Script:
    """Replies by what is asked for; most texts are made once."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._known: dict[tuple[str, ...], LLMResponse] = {}
        self._planned = 0
        self._reasoned = 0

    def reply(self, request: LLMRequest) -> LLMResponse:
        self._model.calls += 1
        if request.top_logprobs:
            return LLMResponse(text="Yes", usage=_SPENT, first_token=_SURE)
        if request.json_schema is None:
            return LLMResponse(text=ANSWER, usage=_SPENT)
        properties = request.json_schema.get("properties")
        names = properties if isinstance(properties, dict) else {}
        if "n1" in names:
            return _said(self._refinement(names))
        if "s1" in names:
            self._planned, self._reasoned = STEPS, 0
        if "clarity" in names:
            self._reasoned += 1
        blocked = "clarity" in names and self._reasoned == self._planned
        key = (*names, *(["blocked"] if blocked else []))
        if key not in self._known:
            self._known[key] = _said(_value(request.json_schema, blocked))
        return self._known[key]

    def _refinement(self, names: JsonObject) -> JsonObject:
        """New steps in the first place that may be changed, as many as there may be."""
        new = [name for name in names if name[:1] == "n" and name[1:].isdecimal()]
        self._planned, self._reasoned = len(new), 0
        change = names["change"]
        places = change["enum"] if isinstance(change, dict) else None
        place = places[0] if isinstance(places, list) else None
        return {"problem": "something is missing", "change": place} | {name: _step(f"{name} of $s1") for name in new}


def _said(value: JsonObject) -> LLMResponse:
    return LLMResponse(text=json.dumps(value), usage=_SPENT)


def _value(schema: JsonObject, blocked: bool) -> JsonObject:
    """The plainest value, but for a profile of enough depth, a plan of eight steps, and a step that is blocked."""
    value = plainest(schema)
    if not isinstance(value, dict):
        raise AssertionError(f"no object is asked for by {schema}")
    if "reasoning_depth" in value:
        return {**value, "reasoning_depth": PASSES, "expected_step_count": STEPS, "ambiguity": 0.1}
    if "s1" in value:
        return {"s1": _step("find the factors")} | {f"s{n}": _step(f"part {n} of $s1") for n in range(2, STEPS + 1)}
    return {**value, "clarity": "BLOCKED" if blocked else "CLEAR"} if "clarity" in value else value


def _step(goal: str) -> JsonObject:
    return {"goal": goal, "tool": "none"}
