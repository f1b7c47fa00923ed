"""A strategy, and the task worded anew for it: what reaches the planner's prompt, and what switches it off."""

from __future__ import annotations

import asyncio
import json

import pytest

from aeon.llm.scripted import Reply, Scripted
from aeon.multipass.effects import RefinePlan
from aeon.plan.recursive import RecursivePlanner
from aeon.plan.strategy import constraints, query_schema
from aeon.schema import (
    Contradiction,
    Dimensions,
    Evaluation,
    Gaps,
    LLMRequest,
    LLMResponse,
    Plan,
    Refine,
    RefinedQuery,
    Refinement,
    Step,
    Strategy,
    Trigger,
)
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.supervisor import Supervisor
from aeon.tools import ToolRegistry
from plan.words import ENFORCING, TASK, TOOLS, prompt, sums

pytestmark = pytest.mark.requirement("O5")

GAPS = Gaps(
    missing_entities=("the tax",), weak_coverage=("the rolls",), unanswered_aspects=("the total",),
    contradictions=(Contradiction(claim="a price", source_a="s1", source_b="s2"),),
)  # fmt: skip
EVALUATION = Evaluation(
    confidence=0.6, coverage=0.6, score=0.5, gaps=GAPS,
    dimensions=Dimensions(completeness=0.5, accuracy=0.5, relevance=0.5, freshness=0.5, coherence=0.5),
)  # fmt: skip
PLAN = Plan(steps=(Step(id="s1", description="the rolls", status="complete", output=108, mode="tool"),)).numbered()
LOW = Trigger(kind="reason_code", location="answer", detail="completeness_low: loaves are missing")
QUERY = {
    "refined_query": "What do the loaves bring in?", "focus_areas": ["loaves"], "exclude_areas": ["rolls"],
    "source_preferences": ["calculator"],
}  # fmt: skip
AIMS: dict[Strategy, str] = {"EXPAND": "Broaden", "NARROW": "Narrow", "PIVOT": "another way", "DEEPEN": "Deepen"}


def refine(
    strategy: Strategy | None = "EXPAND",
    policy: Refine | None = None,
    query: Reply | None = None,
    evaluation: Evaluation | None = EVALUATION,
) -> tuple[Refinement, Scripted]:
    """What a planner changes by a strategy, and the model with what it was asked."""

    def say(request: LLMRequest) -> Reply:
        if "refined_query" not in str(request.json_schema):
            return json.dumps({"problem": "loaves are missing", "change": "new", "n1": sums("$s1 + 240")})
        if query is not None:
            return query
        assert request.json_schema and isinstance(request.json_schema["properties"], dict)
        return json.dumps({name: QUERY[name] for name in request.json_schema["properties"]})

    model, registry = Scripted(say, ENFORCING), ToolRegistry(TOOLS)
    made = RecursivePlanner(Supervisor(model), Briefing(registry.describe()), registry, policy)
    effect = RefinePlan(task=TASK, plan=PLAN, triggers=(LOW,), most_steps=6, strategy=strategy, evaluation=evaluation)
    return asyncio.run(made.refine(effect)), model


@pytest.mark.parametrize("strategy", AIMS)
def test_a_strategy_reaches_the_planner_as_a_constraint(strategy: Strategy) -> None:
    """The task is worded anew for it first; then its name, its aim and the wording stand in the planner's prompt."""
    refinement, model = refine(strategy)
    asked, planned = map(prompt, model.requests)
    assert AIMS[strategy] in asked and f"Strategy {strategy}." in planned and AIMS[strategy] in planned
    assert refinement.query == RefinedQuery.model_validate(
        {"original_query": TASK.text, "strategy_used": strategy, **QUERY}
    )
    for words in ("What do the loaves bring in?", "Dwell on: loaves", "Leave out: rolls", "Prefer: calculator"):
        assert words in planned
    assert [action.type for action in refinement.actions] == ["ADD"]


def test_what_lacks_is_shown_as_data() -> None:
    """Every kind of gap, both sources of a contradiction among them, in both prompts."""
    _, model = refine()
    for said in map(prompt, model.requests):
        told = said.partition("<data lacking>\n")[2].partition("\n</data>")[0].splitlines()
        assert told == [
            "not answered: the total", "only partly answered: the rolls", "missing: the tax",
            "s1 and s2 contradict each other: a price",
        ]  # fmt: skip


def test_without_a_strategy_nothing_is_worded_anew() -> None:
    """One call, no constraint, no query: as before the first evaluation."""
    refinement, model = refine(None, evaluation=None)
    assert refinement.query is None and len(model.requests) == 1 and "Strategy" not in prompt(model.requests[0])


def test_rewriting_can_be_switched_off() -> None:
    """The strategy still holds; the call for the wording is saved."""
    refinement, model = refine(policy=Refine(allow_query_rewrite=False))
    assert refinement.query is None and len(model.requests) == 1
    assert "Strategy EXPAND." in prompt(model.requests[0]) and "in other words" not in prompt(model.requests[0])


def test_source_preferences_can_be_switched_off() -> None:
    """They are neither mentioned nor in the shape that is asked for, and none reach the planner."""
    refinement, model = refine(policy=Refine(allow_source_preference=False))
    assert refinement.query and refinement.query.source_preferences == ()
    assert "source_preferences" not in prompt(model.requests[0]) and "Prefer:" not in prompt(model.requests[1])
    assert "source_preferences" not in str(model.requests[0].json_schema)
    assert "source_preferences" in prompt(refine()[1].requests[0])


@pytest.mark.parametrize(
    ("diversity", "words", "areas"), [("low", "close", 1), ("medium", "help", 2), ("high", "side", 3)]
)
def test_diversity_is_how_far_the_wording_may_go(diversity: str, words: str, areas: int) -> None:
    """In the words of the prompt, and in how many areas may be named."""
    policy = Refine.model_validate({"query_diversity": diversity})
    _, model = refine(policy=policy)
    assert words in prompt(model.requests[0])
    properties = query_schema(policy)["properties"]
    assert isinstance(properties, dict)
    lists = [each for each in properties.values() if isinstance(each, dict) and each["type"] == "array"]
    assert [each["maxItems"] for each in lists] == [areas] * 3


@pytest.mark.parametrize("bad", ["No.", LLMResponse(text="{}", finish_reason="refusal"), '{"focus_areas": []}'])
def test_without_a_usable_wording_the_strategy_still_holds(bad: Reply) -> None:
    """A model that cannot word the task anew still refines by it."""
    refinement, model = refine("PIVOT", query=bad)
    assert refinement.query is None and len(refinement.actions) == 1
    assert "Strategy PIVOT." in prompt(model.requests[-1])


def test_a_wording_without_areas_says_nothing_of_them() -> None:
    """Only what is there is told to the planner; without an evaluation, nothing lacks."""
    query = RefinedQuery(original_query="a", refined_query="b", strategy_used="NARROW")
    told = constraints("NARROW", None, query)
    assert "The task in other words: b" in told and "lacking" not in told
    assert not [words for words in ("Dwell on", "Leave out", "Prefer") if words in told]
    assert constraints(None, EVALUATION, query) == ""
