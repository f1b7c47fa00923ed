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
    JsonValue,
    LLMRequest,
    LLMResponse,
    Questions,
    ReasoningEngine,
    RefinementLimits,
    TokenProbability,
    Usage,
)
from aeon.testing.obliging import plainest

__all__ = ["ANSWER", "CALLS", "make"]

ANSWER, CALLS = "the answer is 42", 0
_SPENT = Usage(calls=1, prompt_tokens=300, generated_tokens=30)
_SURE = (TokenProbability(token="Yes", probability=0.9), TokenProbability(token="No", probability=0.1))
_NO = (TokenProbability(token="No", probability=0.9), TokenProbability(token="Yes", probability=0.1))
_COMPLETE = "Is what the task asks for"
_CONFIG = Config(
    max_passes=PASSES,
    thorough=True,
    form="program",
    budget=Budget(calls=400, tokens=10_000_000, seconds=3_600, cost=0.5),
    questions=Questions(most=0),
    limits=RefinementLimits(rounds=4 * STEPS * PASSES),
    reasoning_engine=ReasoningEngine(decide=Decide(confidence_threshold=1.0, coverage_threshold=1.0)),
)


def make(model: Model) -> Callable[[], Awaitable[str]]:
    """One run of a task: eight steps done by programs, three passes, a refinement between two.

    The judge says each time that the answer is not complete, which keeps the run from converging.
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

    def reply(self, request: LLMRequest) -> LLMResponse:
        self._model.calls += 1
        if request.top_logprobs:
            is_no = _COMPLETE in request.messages[-1].content
            return LLMResponse(text="No" if is_no else "Yes", usage=_SPENT, first_token=_NO if is_no else _SURE)
        if request.json_schema is None:
            is_program = "Python program" in request.messages[0].content
            return LLMResponse(text=f"print({ANSWER!r})" if is_program else ANSWER, usage=_SPENT)
        properties = request.json_schema.get("properties")
        key = tuple(properties if isinstance(properties, dict) else {})
        if key not in self._known:
            self._known[key] = _said(_value(request.json_schema))
        return self._known[key]


def _said(value: JsonObject) -> LLMResponse:
    return LLMResponse(text=json.dumps(value), usage=_SPENT)


def _value(schema: JsonObject) -> JsonObject:
    """The plainest value, but for a profile of enough depth, a plan of eight steps, and a change of it."""
    value = plainest(schema)
    if not isinstance(value, dict):
        raise AssertionError(f"no object is asked for by {schema}")
    if "reasoning_depth" in value:
        return {**value, "reasoning_depth": PASSES, "expected_step_count": STEPS, "ambiguity": 0.1}
    if "steps" in value:
        later: list[JsonValue] = [{"goal": f"find part {n}", "needs": [1]} for n in range(2, STEPS + 1)]
        return {"steps": [{"goal": "find the factors", "needs": []}, *later]}
    if "changes" in value:
        return {"changes": [{"replaces": "", "goals": ["find what is missing"], "why": "something is missing"}]}
    return value
