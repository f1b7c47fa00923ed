"""The outer loop in whole runs: its evaluation and strategy in the history, its own models, its switches."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler
from itertools import count
from typing import Any

import pytest
from cli.played_model import Model, reply, served
from kernel.world import World
from kernel.world import found as issues

from aeon.assembly.build import build
from aeon.assembly.runs import replay
from aeon.llm.scripted import Scripted
from aeon.observability.lines import plain
from aeon.observability.monitor import monitor
from aeon.observability.passes.report import history_lines
from aeon.runtime.journal import Journal
from aeon.schema import (
    Capabilities,
    Config,
    Decision,
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
    few = {"min_sources_for_confidence": 1}
    result, _ = run(decide={"confidence_threshold": 0.7, "coverage_threshold": 0.1}, evaluate=few)
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


@pytest.mark.requirement("O4")
def test_in_probabilistic_mode_the_same_run_stops_by_some_seeds_and_goes_on_by_others() -> None:
    """With enough coverage the confidence is the chance to stop; deterministically this one is never enough."""
    decide: dict[str, JsonValue] = {"coverage_threshold": 0.1}
    certain, _ = run(decide=decide)
    assert not certain.sufficient and certain.passes > 1
    chances = [run(decide=decide | {"decision_mode": "probabilistic", "seed": seed})[0] for seed in range(8)]
    stopped = {(one.history.passes[0].decision or Decision(action="ASK", reason="")).reason for one in chances}
    assert stopped == {"confident", "continue"}
    for one in chances:
        evaluation = one.history.passes[0].assessment.evaluation  # type: ignore[union-attr]
        assert evaluation is not None and evaluation.draw is not None and evaluation.confidence is not None
        assert (one.passes == 1) == (evaluation.draw < evaluation.confidence)


STEPS = {"steps": [{"goal": "the rolls", "needs": []}, {"goal": "the sum", "needs": [1]}]}
WORDS: dict[str, JsonValue] = {
    "refined_query": "How much in all?", "focus_areas": ["the sum"], "exclude_areas": ["rolls"],
    "source_preferences": ["calculator"],
}  # fmt: skip
REVIEW: dict[str, JsonValue] = {"explanation": "half", "kind": "part", "issues": [], "calculations": []}
BY_TURNS = Capabilities(json_schema=True, json_mode=True, tools=True)


def searching(completeness: float) -> Callable[[LLMRequest], LLMResponse | str]:
    """A model that plans two steps, always says something else, and is never more complete than that."""
    said, changed = count(1), count(1)

    def answer(request: LLMRequest) -> LLMResponse | str:
        shape = str(request.json_schema)
        if request.json_schema is None:
            return f"in words {'x' * next(said)}"
        if "reasoning_depth" in shape and isinstance(easy := oblige(request), LLMResponse):
            return json.dumps(json.loads(easy.text) | {"reasoning_depth": 5})
        if "refined_query" in shape:
            return json.dumps({name: WORDS[name] for name in request.json_schema["properties"]})  # type: ignore[union-attr]
        if "'changes'" in shape:
            goal = f"look again {'x' * (number := next(changed))}"
            change = {"replaces": "" if number < 4 else "s2", "goals": [goal], "why": "half"}
            return json.dumps({"changes": [change]})
        if "completeness" in shape:
            scores = {"completeness": completeness, "coherence": 1, "consistency": 1}
            return json.dumps({name: (REVIEW | scores)[name] for name in request.json_schema["properties"]})  # type: ignore[union-attr]
        return json.dumps(STEPS) if "'needs'" in shape else oblige(request)

    return answer


def planned(completeness: float, **engine: JsonValue) -> tuple[Result, Scripted]:
    """A run of such a model, by this policy; and the model with what it was asked."""
    model = Scripted(searching(completeness), BY_TURNS)
    config = Config.model_validate({"reasoning_engine": engine})
    return build(model, config=config).execute(TASK), model


@pytest.mark.requirement("O4", "O5")
def test_an_ordinary_run_that_gains_nothing_pivots_once_and_then_its_returns_diminish() -> None:
    """Under the default settings: the planner is told to take another way, and after that pass the run ends."""
    result, model = planned(0.6)
    strategies = [one.refinement.strategy for one in result.history.passes]
    assert strategies == ["DEEPEN", "DEEPEN", "DEEPEN", "PIVOT", None] and result.stop_reason == "diminishing_returns"
    told = [one.messages[-1].content for one in model.requests if "'changes'" in str(one.json_schema)]
    assert "Strategy PIVOT. What was tried has not helped: take another way than so far." in told[-1]
    assert "The task in other words: How much in all?" in told[-1]
    assert "Leave out: rolls\nPrefer: calculator" in told[-1]
    query = result.history.passes[3].refinement.query
    assert query is not None and (query.strategy_used, query.focus_areas) == ("PIVOT", ("the sum",))
    assert "strategy PIVOT" in plain(history_lines(result.history))


@pytest.mark.requirement("O2", "O5")
def test_an_ordinary_run_whose_answer_covers_much_on_few_sources_narrows() -> None:
    """No source bears its answer, so that the confidence is low where the coverage is not: the weak is made sure."""
    result, model = planned(0.8)
    first = result.history.passes[0]
    assert first.refinement.strategy == "NARROW"
    assert any("Strategy NARROW." in one.messages[-1].content for one in model.requests)
    assert any("make them sure" in message.content for one in model.requests for message in one.messages)


@pytest.mark.requirement("O5")
def test_the_switches_of_the_new_wording_work_in_a_run() -> None:
    """Without rewriting nobody words the task anew; without source preferences nobody is asked for them."""
    off, silent = planned(0.6, refine={"allow_query_rewrite": False})
    assert all(one.refinement.query is None for one in off.history.passes)
    assert not any("refined_query" in str(one.json_schema) for one in silent.requests)
    for allowed in (True, False):
        _, model = planned(0.6, refine={"allow_source_preference": allowed, "query_diversity": "low"})
        asked = [one for one in model.requests if "refined_query" in str(one.json_schema)]
        assert asked and all(("source_preferences" in str(one.json_schema)) == allowed for one in asked)
        assert all("Keep close to the words of the task." in one.messages[-1].content for one in asked)


@pytest.mark.requirement("O2", "O3")
def test_entity_ratio_counts_what_the_model_says_the_answer_must_contain() -> None:
    """An answer that is judged complete and lacks one of three things covers two thirds, and the gap has its name."""

    def naming(request: LLMRequest) -> LLMResponse | str:
        said = request.messages[-1].content
        if "'things'" in str(request.json_schema):
            return json.dumps({"things": ["rolls", "loaves", "the sum"]})
        return NO if "loaves" in said and request.json_schema is None else oblige(request)

    covered = {}
    for method in ("aspect_ratio", "entity_ratio"):
        config = Config.model_validate({"reasoning_engine": {"state_monitor": {"coverage_method": method}}})
        result = build(Scripted(naming, SCORING), config=config).execute(TASK)
        evaluation = result.history.passes[0].assessment.evaluation  # type: ignore[union-attr]
        assert evaluation is not None
        covered[method] = (evaluation.coverage, evaluation.gaps.missing_entities)
    assert covered["entity_ratio"] == (pytest.approx(2 / 3, abs=1e-6), ("loaves",))
    assert covered["aspect_ratio"][1] == ()


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
