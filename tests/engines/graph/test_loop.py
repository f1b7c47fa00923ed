"""Loop runs: classify, plan, execute, verify, respond; a no leads to a retry that is told the reason."""

from __future__ import annotations

from typing import Any

import pytest

from aeon.engines.graph.config import WorkConfig
from aeon.engines.graph.values import Verdict
from aeon.engines.loop.program import LOOP
from aeon.multipass.effects import DraftPlan
from aeon.schema import StepResult
from engines.graph.world import World, call, planned, tool_result, way

pytestmark = pytest.mark.requirement("E1a")
BAD, GOOD = planned(call("s1", "bad")), planned(call("s1", "good"))


def test_a_run_classifies_plans_executes_verifies_and_responds() -> None:
    """In this order, each once, where nothing fails."""
    world = World(complexity="COMPLEX")
    result = world.loop()
    assert way(result) == ["classify", "plan", "execute", "verify"]
    assert world.phases == ["classify", "plan", "execute", "validate_results", "synthesize"]
    assert (result.engine, result.stop_reason, result.sufficient) == ("loop/4", "verified", True)


def test_a_task_that_needs_no_tool_is_not_planned() -> None:
    """Its text is the only step."""
    result = World(complexity="BYPASS", execute=StepResult(output="Hello!")).loop("Hello")
    assert way(result) == ["classify", "execute", "verify"] and result.stop_reason == "answered"


@pytest.mark.parametrize("output", [None, {"returncode": 2}])
@pytest.mark.requirement("E1b")
def test_a_tools_failure_and_a_return_code_are_a_no_with_its_reason(output: Any) -> None:
    """The retry is told what the tool said."""
    replies = {} if output is None else {"execute": lambda effect, n: tool_result(output if n == 0 else 7)}
    world = World(BAD, GOOD, **replies)  # type: ignore[arg-type]
    result = world.loop()
    assert way(result) == ["classify", "plan", "execute", "verify", "plan", "execute", "verify"]
    assert [one.says for one in result.verdicts] == ["no", "yes"] and result.verdicts[0].by == "steps"
    second = world.of("plan")[1]
    assert isinstance(second, DraftPlan) and second.problems == (result.verdicts[0].reason,)
    assert result.sufficient


def test_the_model_as_a_verifier_can_say_no_and_its_reason_is_in_the_retry() -> None:
    """Its verdict is a value; a reason that holds the word pass is none."""
    no = Verdict(says="no", reason="it would PASS if the unit were there: yes", by="model")
    world = World(GOOD, planned(call("s1", "other")), verify=lambda effect, n: no if n == 0 else Verdict(says="yes"))
    result = world.loop(verifier="model")
    second = world.of("plan")[1]
    assert isinstance(second, DraftPlan) and second.problems == (no.reason,)
    assert [one.says for one in result.verdicts] == ["no", "yes"] and result.sufficient


def test_retries_end() -> None:
    """Two new plans; the answer is what there is, and says that it was rejected."""
    no = Verdict(says="no", reason="a part is missing", by="model")
    world = World(*(planned(call("s1", f"q{n}")) for n in range(9)), verify=no)
    result = world.loop(verifier="model")
    assert len(world.of("plan")) == 3 and (result.stop_reason, result.sufficient) == ("rejected", False)
    assert result.answer.endswith("Not verified: a part is missing.")


def test_the_loop_never_reflects_and_its_bound_says_so() -> None:
    """It has no such effects."""
    assert not {"choose_look", "look", "reflect"} & set(LOOP.phases)
    caps = WorkConfig().caps
    once = caps.classify + caps.plan + caps.validate_results + caps.verify + caps.synthesize
    assert LOOP.bound(WorkConfig(plan_retries=0)).calls == once + 27 * caps.execute
