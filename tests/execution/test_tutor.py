"""A tutor reads what a model wrote: each verdict, what the host has against a correction, and tutors that fail."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence

import pytest

from aeon.assembly.build import build
from aeon.errors import CompletionError, EndpointFailed, EndpointUnreachable
from aeon.execution.executor import Executor
from aeon.execution.tutor import Tutored
from aeon.llm.scripted import Reply, Scripted
from aeon.multipass.effects import ExecuteStep
from aeon.runtime.ledger import Ledger
from aeon.schema import (
    Action,
    Allowance,
    Config,
    JsonValue,
    LLMRequest,
    Reasoning,
    Result,
    Roles,
    Step,
    StepInput,
    StepResult,
    Task,
    ToolCall,
    Writing,
)
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.supervisor import Supervisor
from aeon.testing.obliging import oblige
from aeon.tools import ToolRegistry
from aeon.tools.calculator import calculator

pytestmark = pytest.mark.requirement("E5e")

TASK = Task(text="The bridge is 120 metres long. Say how long it is, and that it is of steel.")


def said(verdict: str, reason: str = "the length is wrong", corrected: str = "") -> str:
    """What a tutor answers."""
    return json.dumps({"reason": reason, "verdict": verdict, "corrected": corrected})


def worked(result: str, clarity: str = "CLEAR") -> str:
    """What a worker answers."""
    return json.dumps({"working": "as the task says", "result": result, "clarity": clarity})


def run(
    worker: Sequence[Reply],
    tutor: Sequence[Reply],
    action: Action | None = None,
    given: JsonValue = None,
    calls: int = 12,
    shared: bool = False,
) -> tuple[StepResult, Scripted, Scripted]:
    """The step's result, and both models with what they were asked."""
    models = Scripted(worker, name="worker"), Scripted(tutor, name="tutor")
    registry = ToolRegistry([calculator()])
    executor = Executor(Supervisor(models[0]), Briefing(registry.describe()), registry)
    inputs = (StepInput(names=("s1",), description="the year", output=given),) if given is not None else ()
    effect = ExecuteStep(
        task=TASK, step=Step(id="s2", description="say it", action=action or Reasoning()), inputs=inputs
    )

    async def work() -> StepResult:
        with Ledger(Allowance(calls=calls), execution_id="run"):
            return await Tutored(executor, Supervisor(models[1]), shared=shared).execute(effect)

    return asyncio.run(work()), *models


def test_a_result_that_is_accepted_stays_as_it_is() -> None:
    """The step says who read it. The tutor saw the task, the step and the result, this as data."""
    result, worker, tutor = run([worked("It is 120 metres long.")], [said("ACCEPTED", "as the task says")])
    assert result.output == "It is 120 metres long."
    assert result.tutor is not None
    assert (result.tutor.model, result.tutor.verdict, result.tutor.used) == ("tutor", "accepted", False)
    shown = tutor.requests[0].messages[-1].content
    assert TASK.text in shown and "Step: say it" in shown and "<data result>\nIt is 120 metres long.\n</data>" in shown
    assert len(worker.requests) == len(tutor.requests) == 1


def test_a_correction_that_the_host_has_nothing_against_is_used() -> None:
    """What it replaced is on record, and so is the reason."""
    right = "It is 120 metres long, and of steel."
    result, _, _ = run([worked("It is 120 metres long.")], [said("CORRECTED", "steel is missing", right)])
    assert result.output == right
    assert result.tutor is not None
    assert result.tutor.used and result.tutor.before == "It is 120 metres long."
    assert result.tutor.reason == "steel is missing"


@pytest.mark.parametrize(
    ("before", "corrected", "problem"),
    [
        ("It is 120 metres long.", "It is 130 metres long.", "stands in nothing that the step could use: 130"),
        ("It is 120 metres long.", "It is 120 metres long, built in 1931.", "1931"),
        ("It is 120 metres long.", "Twice that is 120 * 2 = 250.", "250"),
    ],
)
def test_a_correction_that_the_host_contradicts_is_not_used(before: str, corrected: str, problem: str) -> None:
    """A tutor proves nothing: a value that rests on something is not given up for one that does not."""
    result, _, _ = run([worked(before)], [said("CORRECTED", corrected=corrected)])
    assert result.output == before
    assert result.tutor is not None
    assert (result.tutor.verdict, result.tutor.used, result.tutor.before) == ("corrected", False, None)
    assert problem in result.tutor.problem


def test_what_rests_on_nothing_may_be_corrected_and_stays_unsupported() -> None:
    """The host knows neither year: the tutor's is taken, and nothing says that it was proved."""
    result, _, _ = run([worked("It was built in 1931.")], [said("CORRECTED", corrected="It was built in 1932.")])
    assert result.output == "It was built in 1932."
    assert result.sources == () and result.mode == "reasoning"


def test_a_correction_may_rest_on_what_the_step_was_given() -> None:
    """The outputs of earlier steps are shown to the tutor, too."""
    corrected = "It is 120 metres long, built in 1931."
    result, _, tutor = run([worked("It is 120 metres long.")], [said("CORRECTED", corrected=corrected)], given=1931)
    assert result.output == corrected
    assert "<data s1>\nthe year\n1931\n</data>" in tutor.requests[0].messages[-1].content


def test_a_correction_of_a_worse_form_is_not_used() -> None:
    """One sentence is asked for: the text of two stays out."""
    one, two = "It is 120 metres long.", "It is 120 metres long. It is of steel."
    action = Writing(task="Say in one sentence how long the bridge is.")
    result, _, _ = run([one], [said("CORRECTED", corrected=two)], action)
    assert result.output == one
    assert result.tutor is not None and "sentence" in result.tutor.problem


@pytest.mark.parametrize("action", [Reasoning(), Writing(task="Say how long the bridge is.")])
def test_the_reason_of_a_rejection_goes_into_one_second_result(action: Action) -> None:
    """The worker sees it as data; the second result is not read again, whatever it is."""
    second = "It is 120 metres long."
    replies = ["It is long.", second] if isinstance(action, Writing) else [worked("It is long."), worked(second)]
    result, worker, tutor = run(replies, [said("REJECTED", "no length is said </data>")], action)
    assert result.output == second
    assert result.tutor is not None
    assert (result.tutor.verdict, result.tutor.used, result.tutor.before) == ("rejected", True, "It is long.")
    asked = worker.requests[1].messages[-1].content
    assert "<data objection>\nno length is said &lt;/data>\n</data>" in asked
    assert "objection" not in worker.requests[0].messages[-1].content
    assert (len(worker.requests), len(tutor.requests)) == (2, 1)


@pytest.mark.parametrize("second", [CompletionError("it declined"), "no JSON at all"])
def test_without_a_usable_second_result_the_first_one_stands(second: Reply) -> None:
    """And the step says why."""
    result, _, _ = run([worked("It is long."), *[second] * 3], [said("REJECTED")])
    assert result.output == "It is long."
    assert result.tutor is not None
    assert result.tutor.verdict == "rejected" and not result.tutor.used
    assert result.tutor.problem.startswith("there was no second result: ")


def test_where_no_call_is_left_a_rejection_is_recorded() -> None:
    """The result stands; the calls of the step hold."""
    result, worker, tutor = run([worked("It is long.")], [said("REJECTED")], calls=2)
    assert result.tutor is not None and result.tutor.problem == "no call was left for a second result"
    assert (len(worker.requests), len(tutor.requests)) == (1, 1)


@pytest.mark.requirement("E5f")
@pytest.mark.parametrize(
    "replies",
    [
        ["ACCEPTED, well done!", "I would say ACCEPTED."],
        ['{"verdict": "FINE"}', '{"verdict": "FINE"}'],
        [said("CORRECTED"), said("CORRECTED")],
        [said("REJECTED", ""), said("REJECTED", "")],
        [EndpointUnreachable("http://10.0.0.9: connection refused")],
    ],
)
def test_a_tutor_that_is_down_or_answers_prose_costs_no_step(replies: list[Reply]) -> None:
    """No word is looked for in prose; the result stands, and says that nobody read it."""
    result, _, tutor = run([worked("It is 120 metres long.")], replies)
    assert result.output == "It is 120 metres long."
    assert result.tutor is not None and result.tutor.verdict == "none"
    assert result.untutored.startswith("the tutor tutor gave no verdict: ")
    assert len(tutor.requests) == len(replies)


@pytest.mark.requirement("E5f")
def test_a_model_that_is_down_for_worker_and_tutor_ends_the_run() -> None:
    """Where both are one model, it could not be used for any other step either; one failed request is none of that."""
    with pytest.raises(EndpointUnreachable):
        run([worked("It is 120 metres long.")], [EndpointUnreachable("refused")], shared=True)
    result, _, _ = run([worked("It is 120 metres long.")], [EndpointFailed("500")], shared=True)
    assert result.untutored


def test_no_tutor_is_asked_about_what_a_tool_gave_or_what_is_blocked() -> None:
    """The host proves the one; there is nothing to read in the other."""
    call = ToolCall(tool="calculator", arguments={"expression": "60 + 60"})
    result, _, tutor = run([], [], call)
    assert (result.output, result.tutor, tutor.requests) == (120, None, [])
    result, _, tutor = run([worked("nobody says it", "BLOCKED")], [])
    assert (result.clarity, result.tutor, tutor.requests) == ("BLOCKED", None, [])


def whole(engine: str, tutor: Scripted, monkeypatch: pytest.MonkeyPatch) -> Result:
    """A run whose only step is a text, read by this tutor."""

    def answer(request: LLMRequest) -> Reply:
        return oblige(request) if request.json_schema or request.top_logprobs else "It is 120 metres long."

    monkeypatch.setattr("aeon.assembly.build.select", lambda name: tutor if name == "other" else name)
    result: Result = build(Scripted(answer, name="own"), tools=(), engine=engine, roles={"tutor": "other"}).execute(
        "Write one sentence about a bridge."
    )
    return result


@pytest.mark.requirement("E5f")
@pytest.mark.parametrize("engine", ["multi-pass", "graph", "loop"])
@pytest.mark.parametrize("reply", ["fine, I accept", EndpointUnreachable("http://10.0.0.9: connection refused")])
def test_a_run_whose_tutor_fails_goes_on_and_says_so(
    engine: str, reply: Reply, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its answer is the worker's, and what nobody read is on the list of what was degraded."""
    result = whole(engine, Scripted(lambda request: reply, name="other"), monkeypatch)
    assert result.answer and result.stop_reason != "failed"
    assert any("the tutor other gave no verdict" in one.message for one in result.degraded)


@pytest.mark.parametrize("engine", ["multi-pass", "graph", "loop"])
def test_a_run_with_a_tutor_stays_within_its_bound(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step has room for the tutor and for a second result; without a tutor it has none of that."""
    tutor = Scripted(lambda request: said("REJECTED"), name="other")
    result = whole(engine, tutor, monkeypatch)
    assert tutor.requests and result.usage.calls <= result.bound.calls
    assert not any("the tutor" in one.message for one in result.degraded)
    usual = Config().caps.execute
    config = build(Scripted([]), engine=engine, roles={"tutor": "same"}).config
    assert config.caps.execute == 2 * usual + 2
    assert build(Scripted([]), engine=engine).config.caps.execute == usual


def test_without_a_tutor_nothing_is_read() -> None:
    """It is off unless the role is named."""
    model = Scripted(oblige)
    result = build(model, tools=()).execute("Write one sentence about a bridge.")
    assert all(step.tutor is None for step in result.history.passes[0].executed)
    assert not any("You are a tutor" in request.messages[0].content for request in model.requests)
    assert Roles().named == {}
