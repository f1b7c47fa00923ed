"""Aeon's whole stack on a model that answers at once: prompts rendered, JSON parsed and validated, ledger charged.

It is another loop than the others': the shipped modules decide what they ask, and all of it is counted. The model's
text is ready before it is asked for, so that what is measured is Aeon.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable

from aeon.assembly import build
from aeon.llm.scripted import Scripted
from aeon.schema import Budget, Capabilities, Config, JsonObject, LLMRequest, LLMResponse, TokenProbability, Usage
from aeon.testing.obliging import plainest
from workload import PASSES, STEPS, Model

__all__ = ["ANSWER", "CALLS", "make"]

ANSWER, CALLS = "the answer is 42", 0
_SPENT = Usage(calls=1, prompt_tokens=300, generated_tokens=30)
_EVEN = (TokenProbability(token="Yes", probability=0.5), TokenProbability(token="No", probability=0.5))
_CONFIG = Config(max_passes=PASSES, budget=Budget(calls=200, tokens=10_000_000, seconds=3_600, cost=0.5))


def make(model: Model) -> Callable[[], Awaitable[str]]:
    """One run of a task: eight steps of reasoning, three passes, a refinement between two."""
    script = _Script(model)
    llm = Scripted(script.reply, Capabilities(json_schema=True, json_mode=True, logprobs=True))
    orchestrator = build(llm, tools=(), config=_CONFIG)

    async def run() -> str:
        result = await orchestrator.aexecute("What is six times seven?")
        llm.requests.clear()
        if result.passes != PASSES or result.degraded:
            raise AssertionError(f"{result.passes} passes, {result.stop_reason}: {result.degraded}")
        return result.answer

    return run


class _Script:
    """Replies by what is asked for: each text is made once."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._known: dict[tuple[str, ...], LLMResponse] = {}

    def reply(self, request: LLMRequest) -> LLMResponse:
        self._model.calls += 1
        if request.top_logprobs:
            return LLMResponse(text="Yes", usage=_SPENT, first_token=_EVEN)
        if request.json_schema is None:
            return LLMResponse(text=ANSWER, usage=_SPENT)
        properties = request.json_schema.get("properties")
        key = tuple(properties) if isinstance(properties, dict) else ()
        if key not in self._known:
            self._known[key] = LLMResponse(text=json.dumps(_value(request.json_schema)), usage=_SPENT)
        return self._known[key]


def _value(schema: JsonObject) -> JsonObject:
    """The plainest value, but for a profile of enough depth, a plan of eight steps, and a refinement of three."""
    value = plainest(schema)
    if not isinstance(value, dict):
        raise AssertionError(f"no object is asked for by {schema}")
    if "reasoning_depth" in value:
        return {**value, "reasoning_depth": PASSES, "expected_step_count": STEPS, "ambiguity": "low"}
    if "s1" in value:
        return {"s1": _step("find the factors")} | {f"s{n}": _step(f"part {n} of $s1") for n in range(2, STEPS + 1)}
    if "n1" in value:
        added = {f"n{n}": _step(f"look again at part {n} of $s1") for n in range(1, 4)}
        return {"problem": "something is missing", "change": "new", **added}
    return value


def _step(goal: str) -> JsonObject:
    return {"goal": goal, "tool": "none"}
