"""The outer loop in whole runs: its evaluation and strategy in the history, its own models, its switches."""

from __future__ import annotations

import json
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from cli.played_model import Model, reply, served
from kernel.world import World
from kernel.world import found as issues

from aeon.assembly.build import build
from aeon.assembly.runs import replay
from aeon.llm.scripted import Scripted
from aeon.observability.monitor import monitor
from aeon.runtime.journal import Journal
from aeon.schema import (
    Capabilities,
    Config,
    ExecutionHistory,
    JsonValue,
    LLMRequest,
    LLMResponse,
    Refinement,
    Result,
    TokenProbability,
)
from aeon.testing.obliging import oblige, plainest
from tests.second import way_of

TASK = "What is 240 * 0.45 + 75 * 3.20?"
NO = LLMResponse(
    text="no",
    first_token=(TokenProbability(token="no", probability=0.9), TokenProbability(token="yes", probability=0.1)),
)
SCORING = Capabilities(json_schema=True, json_mode=True, logprobs=True)
COMPLETE = "Is what the task asks for"
WRONG = "What is wrong:"
PLAN = "Plan this task as few steps"


def answer(request: LLMRequest) -> LLMResponse | str:
    """A model that works out one sum, finds its own answer incomplete and goes on with another sum."""
    said, shape = request.messages[-1].content, str(request.json_schema)
    if way_of(request) == "program":
        return "print(240 * 0.45 + 75 * 3.20)" if "<data earlier answer>" in said else "print(240 * 0.45)"
    if "reasoning_depth" in shape and isinstance(easy := oblige(request), LLMResponse):
        return json.dumps(json.loads(easy.text) | {"reasoning_depth": 4})
    return NO if COMPLETE in said else oblige(request)


def run(**engine: JsonValue) -> tuple[Result, Journal]:
    """A run whose answer is never complete, under this policy."""
    config = Config.model_validate({"max_passes": 4, "reasoning_engine": engine, "thorough": True})
    journal = Journal()
    return build(Scripted(answer, SCORING), config=config, journal=lambda _: journal).execute(TASK), journal


@pytest.mark.requirement("O1", "O2", "O3", "O5")
def test_evaluation_and_strategy_are_in_the_history() -> None:
    """Each pass has its evaluation; the refinement after it the strategy that followed."""
    result, _ = run()
    first = result.history.passes[0]
    assert first.assessment and first.assessment.evaluation and first.assessment.evaluation.parts
    assert first.refinement.strategy == "EXPAND" and first.refinement.applied
    assert [one.executed[0].output for one in result.history.passes[:2]] == ["108", "348"]
    state = monitor(result.history)
    assert state.confidence == result.history.passes[-1].assessment.evaluation.confidence  # type: ignore[union-attr]
    assert len(state.iterations) == len(result.history.passes) > 1


@pytest.mark.requirement("O4")
def test_a_confident_run_stops_though_it_has_not_converged() -> None:
    """Where the policy is content with what tools did, and asks for hardly any coverage."""
    result, _ = run(decide={"confidence_threshold": 0.7, "coverage_threshold": 0.1})
    (last,) = result.history.passes
    assert last.decision is not None and (last.decision.reason, last.decision.sufficient) == ("confident", True)
    assert (result.stop_reason, result.sufficient, result.answer) == ("confident", True, "108")


@pytest.mark.requirement("O4", "O5")
def test_without_the_outer_loop_a_run_has_neither_evaluation_nor_strategy() -> None:
    """``enabled = false`` leaves convergence, passes and budgets."""
    result, _ = run(enabled=False)
    first = result.history.passes[0]
    assert first.assessment and first.assessment.evaluation is None
    assert first.refinement.strategy is None and first.refinement.query is None and result.passes > 1


@pytest.mark.requirement("O4", "H3")
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_probabilistic_run_replays(seed: int) -> None:
    """Its draws are in the journal and follow from the seed: the same run again, and the same replay."""
    decide: JsonValue = {"decision_mode": "probabilistic", "seed": seed}
    result, journal = run(decide=decide)
    again, _ = run(decide=decide)
    draws = [drawn(result.history), drawn(again.history)]
    assert draws[0] == draws[1] and None not in draws[0]
    assert replay(journal).history == result.history


@pytest.mark.requirement("O5")
def test_a_strategy_that_is_set_holds_from_the_first_plan_on() -> None:
    """An issue with the plan is refined before anything runs: by the strategy of ``manual`` selection, else by none."""
    for refine, strategy in (({"strategy_selection": "manual", "strategy": "DEEPEN"}, "DEEPEN"), ({}, None)):
        config = Config.model_validate({"reasoning_engine": {"refine": refine}})
        world = World(validate_plan=issues("plan"), refine_plan=Refinement())
        assert world.run(config).history.preparation.refinement.strategy == strategy


def drawn(history: ExecutionHistory) -> list[float | None]:
    """The draw of each pass."""
    judged = [record.assessment for record in history.passes if record.assessment]
    return [each.evaluation.draw for each in judged if each.evaluation]


def incomplete(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> bool:
    """Says no to the question whether the answer is complete, and that a task takes two passes, each of two steps."""
    shape = (body.get("response_format") or {}).get("json_schema", {}).get("schema", {})
    said: dict[str, Any] | None = None
    if "reasoning_depth" in shape.get("properties", {}):
        easy = plainest(shape)
        assert isinstance(easy, dict)
        said = {**easy, "reasoning_depth": 2}
    elif "steps" in shape.get("properties", {}):
        said = {"steps": [{"goal": "the rolls", "needs": []}, {"goal": "the sum", "needs": [1]}]}
    if said is not None:
        message = {"role": "assistant", "content": json.dumps(said)}
        choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": "stop"}
    elif COMPLETE in body["messages"][-1]["content"]:
        scored = {"content": [{"token": "No", "top_logprobs": [{"token": "No", "logprob": -0.001}]}]}
        message = {"role": "assistant", "content": "No"}
        choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": scored}
    else:
        return False
    usage = {"prompt_tokens": 20, "completion_tokens": 1}
    payload = json.dumps({"id": "1", "model": "played", "choices": [choice], "usage": usage}).encode()
    reply(handler, 200, payload, Content_Type="application/json")
    return True


def asked(model: Model) -> str:
    """All that a model was asked."""
    return "\n".join(body["messages"][-1]["content"] for body in model.bodies)


@pytest.mark.requirement("O3", "O5")
def test_judgments_and_refinements_can_have_models_of_their_own() -> None:
    """Each endpoint is asked what it is there for, and nothing else; without the settings the run's is asked all."""
    with ExitStack() as stack:
        own, judging, refining = (stack.enter_context(served()) for _ in range(3))
        own.before = judging.before = incomplete
        engine: JsonValue = {
            "evaluate": {"eval_model": judging.url}, "refine": {"refinement_model": refining.url},
        }  # fmt: skip
        config = {"max_passes": 2, "reasoning_engine": engine, "thorough": True}
        build(own.url, config=Config.model_validate(config)).execute(TASK)
        assert PLAN in asked(own)
        assert COMPLETE in asked(judging) and WRONG in asked(refining)
        for words, others in ((COMPLETE, (own, refining)), (WRONG, (own, judging)), (PLAN, (judging, refining))):
            assert not [model for model in others if words in asked(model)]
        build(own.url, config=Config.model_validate(config | {"reasoning_engine": {}})).execute(TASK)
        assert COMPLETE in asked(own)
