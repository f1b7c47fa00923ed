"""Graph runs from top to bottom: routes, reflections, retries, what is not done again, and honest ends."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from kernel.world import ENDPOINT_DOWN

from aeon.engines.graph.config import PROFILES, REFLECTIONS, GraphConfig
from aeon.engines.graph.effects import ChooseLook, Reflect, TakeLook
from aeon.engines.graph.program import GRAPH
from aeon.engines.graph.rules import TABLE
from aeon.engines.graph.values import Choice, Complexity, Look, Verdict
from aeon.multipass.effects import DraftPlan, ExecuteStep, Synthesize
from aeon.schema import (
    Agreement,
    Answer,
    Budget,
    ConvergenceAssessment,
    Derivation,
    Failure,
    Issue,
    Lines,
    Plan,
    SemanticValidationReport,
    Standing,
    Step,
    StepResult,
    ToolUse,
)
from aeon.schema.effects import Effect
from engines.graph.world import World, call, planned, tool_result, way

BAD, GOOD = planned(call("s1", "bad")), planned(call("s1", "good"))


@pytest.mark.requirement("E2b")
def test_a_task_that_needs_no_tool_is_answered_directly() -> None:
    """One text, no plan, no verifier."""
    world = World(complexity="BYPASS", execute=StepResult(output="Hello!"))
    result = world.graph("Hello")
    assert way(result) == ["classify", "direct"] and world.phases == ["classify", "execute", "synthesize"]
    (step,) = world.of("execute")
    assert isinstance(step, ExecuteStep) and step.step.action.type == "writing"
    assert (result.stop_reason, result.sufficient, result.complexity) == ("answered", True, "BYPASS")


@pytest.mark.requirement("E2b")
def test_a_simple_task_is_planned_and_done_without_a_verifier() -> None:
    """What was read in a text needs nobody to check it; what was computed is verified."""
    world = World(complexity="SIMPLE", execute=StepResult(output="Pavel", mode="program"))
    result = world.graph()
    assert way(result) == ["classify", "direct"]
    assert world.phases == ["classify", "plan", "execute", "synthesize"]
    assert (result.stop_reason, result.sufficient) == ("verified", True)
    assert way(World(complexity="SIMPLE").graph()) == ["classify", "direct", "verify"]


def disagreeing(**more: Any) -> Agreement:
    """Another program gave 7."""
    return Agreement(derivations=(Derivation(method="query", text="SELECT 7", answer="7"),), **more)


def voted(agreement: Agreement | None, *lines: Lines) -> StepResult:
    """What programs gave, that they agree on so far; quoted from these lines, or else computed."""
    use = ToolUse(id="s1.1", tool="quote" if lines else "sql", arguments={}, output=8, lines=lines)
    return StepResult(output="8", mode="program", uses=(use,), agreement=agreement)


READ = Lines(source="a.txt", spans=((0, 10),), texts=("There are 8",))


@pytest.mark.requirement("E2b")
@pytest.mark.parametrize(
    ("found", "nodes", "reason"),
    [
        (voted(None), ["classify", "direct", "verify"], "verified"),
        (voted(None, READ), ["classify", "direct"], "verified"),
        (voted(disagreeing(ahead=True), READ), ["classify", "direct"], "verified"),
        (voted(disagreeing(), READ), ["classify", "direct"], "unverified"),
    ],
    ids=["computed", "quoted", "quoted and ahead", "quoted and in doubt"],
)
def test_a_simple_task_done_by_programs_is_verified_where_they_compute(
    found: StepResult, nodes: list[str], reason: str
) -> None:
    """A quotation needs nobody to check it, unless programs gave different ones and none is ahead."""
    result = World(complexity="SIMPLE", execute=found).graph()
    assert (way(result), result.stop_reason, result.sufficient) == (nodes, reason, reason == "verified")


@pytest.mark.requirement("E2b", "E1a")
def test_a_simple_task_whose_programs_disagree_is_done_again() -> None:
    """What was computed in two ways that differ is a no, told to the next plan."""
    again = planned(call("s1", "other"))
    world = World(GOOD, again, complexity="SIMPLE", execute=lambda effect, n: voted(None if n else disagreeing()))
    result = world.graph()
    assert way(result) == ["classify", "direct", "verify", "plan", "execute", "verify"]
    second = world.of("plan")[1]
    assert isinstance(second, DraftPlan) and second.problems == ("derived in other ways, the answer is 7",)
    assert (result.stop_reason, result.sufficient) == ("verified", True)


@pytest.mark.requirement("E2b")
def test_a_direct_try_that_fails_is_planned_and_told_why() -> None:
    """The failed step is in the next plan's problems."""
    world = World(BAD, GOOD, complexity="SIMPLE")
    result = world.graph()
    assert way(result) == ["classify", "direct", "plan", "execute", "verify"]
    second = world.of("plan")[1]
    assert isinstance(second, DraftPlan) and second.problems == ("ask bad: no such table",)
    assert result.sufficient and not result.reflections


@pytest.mark.requirement("E2b")
@pytest.mark.parametrize(("complexity", "most"), REFLECTIONS.items())
def test_complexity_decides_how_often_it_reflects(complexity: Complexity, most: int) -> None:
    """0, 0, 1 and 3 times under the default settings, each with a plan after it; no plan beyond the retries else."""
    world = World(*world_plans(), complexity=complexity, execute=lambda effect, n: BROKEN_STEP)
    result = world.graph()
    went = way(result)
    assert len(result.reflections) == went.count("reflect") == most
    assert all(after == "plan" for node, after in pairwise(went) if node == "reflect")
    assert went.count("plan") == max(most, GraphConfig().plan_retries) + 1
    assert result.stop_reason == "partial" and not result.sufficient


@pytest.mark.requirement("E2b")
@pytest.mark.parametrize(("retries", "plans"), [(0, 4), (2, 4), (5, 6)])
def test_a_reflection_brings_a_plan_of_its_own(retries: int, plans: int) -> None:
    """Few retries cut off no plan that was reflected on; more of them are made without a reflection."""
    world = World(*world_plans(), complexity="COMPLEX")
    result = world.graph(plan_retries=retries)
    assert (way(result).count("plan"), len(result.reflections)) == (plans, 3)
    assert way(World(*world_plans(), complexity="COMPLEX").graph(plan_retries=0, max_reflections=0)).count("plan") == 1


def world_plans() -> list[Plan]:
    """Plans that all fail, each in its own way."""
    return [planned(call("s1", f"bad {n}")) for n in range(20)]


BROKEN_STEP = Failure(kind="tool", message="no such table")


@pytest.mark.requirement("E2c")
def test_without_a_failure_nobody_reflects() -> None:
    """A run where every step was done and the verifier has nothing against it looks at nothing."""
    world = World(complexity="COMPLEX")
    result = world.graph()
    assert way(result) == ["classify", "plan", "execute", "verify"]
    assert not {"choose_look", "look", "reflect"} & set(world.phases) and result.sufficient


@pytest.mark.requirement("E2c")
def test_a_failed_step_is_reflected_on_with_what_was_seen() -> None:
    """The looks that the model chose are shown to the reflection, and its advice to the next plan."""
    world = World(
        BAD, GOOD, complexity="COMPLEX",
        choose_look=lambda effect, n: Choice(look=(Look(action="list"), Look(action="search", argument="x"), None)[n]),
        look=lambda effect, n: tool_result(f"seen {n}"),
    )  # fmt: skip
    result = world.graph(profile="developer")
    assert way(result) == ["classify", "plan", "execute", "reflect", "plan", "execute", "verify"]
    (thought,) = world.of("reflect")
    assert isinstance(thought, Reflect) and thought.failure == "ask bad: no such table"
    assert [(one.look.action, one.showed) for one in thought.looks] == [("list", "seen 0"), ("search", "seen 1")]
    second = world.of("plan")[1]
    assert isinstance(second, DraftPlan)
    assert second.problems == ("ask bad: no such table", "the table has another name ask the other table")
    assert result.sufficient and [one.showed for one in result.reflections[0].looks] == ["seen 0", "seen 1"]


@pytest.mark.requirement("E2c")
def test_at_most_five_looks_and_none_twice() -> None:
    """The model may not look for ever, nor at the same thing again."""
    ever = World(BAD, GOOD, choose_look=lambda effect, n: Choice(look=Look(action="search", argument=f"w{n}")))
    ever.graph()
    assert len(ever.of("look")) == 5
    same = World(BAD, GOOD, choose_look=Choice(look=Look(action="list")))
    same.graph()
    assert len(same.of("look")) == 1 and len(same.of("choose_look")) == 2


@pytest.mark.requirement("E2c")
def test_a_look_that_shows_nothing_is_no_failure_of_the_run() -> None:
    """The next choice and the reflection see why it showed nothing."""
    choose: Any = lambda effect, n: Choice(look=Look(action="read", argument="a.txt") if n == 0 else None)  # noqa: E731
    world = World(BAD, GOOD, choose_look=choose, look=Failure(kind="tool", message="there is no file a.txt"))
    result = world.graph()
    (first, second) = world.of("choose_look")
    assert isinstance(second, ChooseLook) and second.looks[0].problem == "there is no file a.txt"
    assert isinstance(first, ChooseLook) and first.looks == ()
    assert result.sufficient and result.degraded == ()


def reviewed(*codes: str, standing: Standing = "assumed") -> SemanticValidationReport:
    """A review of the results with nothing but these codes against them."""
    said = ConvergenceAssessment(converged=not codes, reason_codes=codes, form="verdict", standing=standing)
    return SemanticValidationReport(verdict=said, form="verdict", standing=standing)


@pytest.mark.requirement("J8", "E1a")
@pytest.mark.parametrize(
    ("report", "reason"),
    [
        (reviewed(), "verified"), (reviewed("refusal"), "rejected"),
        (reviewed("unverified", standing="bad"), "unverified"),
        (SemanticValidationReport(failed=True), "unverified"),
    ],
)  # fmt: skip
def test_a_review_says_yes_or_no_and_a_bad_judge_nothing(report: SemanticValidationReport, reason: str) -> None:
    """Whatever it is that speaks against the answer; one that was measured and is assumed decide alike."""
    thought = planned(Step(id="s1", description="think"))
    found = StepResult(output="7", mode="reasoning")
    result = World(thought, thought, execute=found, validate_results=report).graph()
    assert result.stop_reason == reason


@pytest.mark.requirement("E2c", "E1a")
@pytest.mark.parametrize(
    ("replies", "by"),
    [
        ({"execute": lambda effect, n: voted(disagreeing())}, "derivations"),
        (
            {
                "validate_results": SemanticValidationReport(
                    issues=(Issue(type="relevance", description="it is about Lyon", location="s1"),), form="probability"
                )
            },
            "judge",
        ),
        ({"validate_results": reviewed("completeness_low")}, "judge"),
        ({"verify": Verdict(says="no", reason="a part is missing", by="model")}, "model"),
    ],
)
def test_a_verifiers_no_leads_to_a_reflection_and_its_reason_to_the_next_plan(replies: Any, by: str) -> None:
    """Programs whose results disagree, a measured judge and the model as verifier can each say no."""
    world = World(GOOD, planned(call("s1", "other")), **replies)
    result = world.graph(verifier="model")
    assert way(result)[:5] == ["classify", "plan", "execute", "verify", "reflect"]
    assert result.verdicts[0].says == "no" and result.verdicts[0].by == by
    second = world.of("plan")[1]
    assert isinstance(second, DraftPlan) and second.problems[0] == result.verdicts[0].reason
    assert (result.stop_reason, result.sufficient) == ("rejected", False)
    assert "Not verified" in result.answer


@pytest.mark.requirement("E2d")
def test_what_was_executed_is_not_executed_again() -> None:
    """A step of a new plan that is to do what an earlier one did gets the recorded result."""
    first = planned(call("s1", "total"), call("s2", "bad"))
    second = planned(call("s1", "other"), call("s2", "total"), call("s3", "all of it", "s2"))
    world = World(first, second)
    result = world.graph()
    asked = [e.step.description for e in world.of("execute")]  # type: ignore[attr-defined]
    assert asked.count("ask total") == 1
    last = result.plans[-1]
    assert [(step.status, step.output) for step in last.steps][1] == ("complete", "out of total")
    assert result.sufficient


@pytest.mark.requirement("E2d")
def test_a_step_counts_with_what_it_builds_on() -> None:
    """The same work on the same results is known, whatever the steps are named."""
    first = planned(call("s1", "total"), call("s2", "half of it", "s1"), call("s3", "bad"))
    second = planned(call("s1", "else"), call("s2", "total"), call("s3", "half of it", "s2"))
    world = World(first, second)
    result = world.graph()
    assert result.plans[-1].steps[2].output == result.plans[0].steps[1].output
    assert len(world.of("execute")) == 4


@pytest.mark.requirement("E2d")
def test_a_call_is_known_by_what_it_is_called_with_when_it_can_be_made() -> None:
    """Another step gives the same input: the call with it is not made again, though it waited for that step."""
    first = planned(call("s1", "one way"), call("s2", "half of $s1", "s1"), call("s3", "bad"))
    second = planned(call("s1", "another way"), call("s2", "half of $s1", "s1"))

    def executed_alike(effect: Effect, n: int) -> Any:
        assert isinstance(effect, ExecuteStep)
        said = effect.step.description
        return BROKEN_STEP if "bad" in said else tool_result(7 if "way" in said else 3)

    world = World(first, second, execute=executed_alike)
    result = world.graph()
    descriptions = [e.step.description for e in world.of("execute")]  # type: ignore[attr-defined]
    assert descriptions.count("ask half of $s1") == 1 and result.plans[-1].steps[1].output == 3


@pytest.mark.requirement("E2d")
def test_a_call_that_failed_is_not_made_again_either() -> None:
    """A plan that does nothing new ends the run, though retries are left."""
    world = World(BAD)
    result = world.graph(plan_retries=9)
    assert len(world.of("execute")) == 1 and len(world.of("plan")) == 2
    assert result.stop_reason == "partial"


@pytest.mark.requirement("E2d")
def test_steps_of_later_plans_have_names_of_their_own() -> None:
    """Tools that change the world tell calls apart by the step."""
    world = World(BAD, planned(call("s1", "good"), call("s2", "more of $s1", "s1")))
    world.graph()
    assert [e.step.id for e in world.of("execute")] == ["s1", "s1_r1", "s2_r1"]  # type: ignore[attr-defined]


@pytest.mark.requirement("E2e")
def test_plan_retries_end_in_an_honest_partial_answer() -> None:
    """Two new plans; then the answer says in the host's words what was not done."""
    plans = [planned(call("s1", f"part {n}"), call("s2", f"bad {n}")) for n in range(9)]
    world = World(*plans, synthesize=Answer(text="It is 7."))
    result = world.graph()
    assert len(world.of("plan")) == 3
    assert (result.stop_reason, result.sufficient) == ("partial", False)
    assert result.answer.startswith("It is 7.\n\nPartial answer. Not done:\n- ask bad 2 (no such table)")
    (last,) = world.of("synthesize")
    assert isinstance(last, Synthesize) and "no such table" in last.caveat


@pytest.mark.requirement("E2e")
@pytest.mark.parametrize("stopped", ["calls", "interrupt", "endpoint"])
def test_a_run_that_is_stopped_answers_with_what_it_has(stopped: str) -> None:
    """The steps that were done are in the answer's plan."""
    replies: dict[str, Any] = {"verify": ENDPOINT_DOWN} if stopped == "endpoint" else {}
    world = World(planned(call("s1", "a"), call("s2", "of $s1", "s1")), **replies)
    world.interrupted_at = 2 if stopped == "interrupt" else None
    budget = Budget(calls=7) if stopped == "calls" else Budget()
    result = world.graph(budget=budget, verifier="model", derivations=1)
    assert result.stop_reason == {"calls": "calls_exhausted", "interrupt": "interrupted", "endpoint": "failed"}[stopped]
    assert not result.sufficient and result.plans[-1].steps[0].output == "out of a"


@pytest.mark.requirement("E2e")
def test_what_the_files_do_not_say_is_said_so() -> None:
    """A step that found nothing is no failure: nobody reflects on it."""
    world = World(execute=StepResult(output=None, mode="tool", problem="the files do not say it"))
    result = world.graph()
    assert (result.stop_reason, result.sufficient, result.reflections) == ("not_stated", False, ())


@pytest.mark.requirement("E2e")
def test_the_limits_are_the_ones_of_the_reference() -> None:
    """Plan retries 2, 60 s a step, 5 looks of 30 s; and what the profiles set."""
    config = GraphConfig()
    assert (config.plan_retries, config.step_seconds, config.looks, config.look_seconds) == (2, 60, 5, 30)
    assert {name: (one.max_reflections, one.verbose) for name, one in PROFILES.items()} == {
        "standard": (3, False), "developer": (2, True), "production": (1, False),
    }  # fmt: skip
    assert GraphConfig(profile="production").reflections == 1
    assert GraphConfig(profile="production", max_reflections=2).reflections == 2


@pytest.mark.requirement("E2e")
def test_a_profile_lowers_the_reflections_and_says_what_is_kept() -> None:
    """Production reflects once, and its result keeps what was looked at, not what that showed."""
    plans = [planned(call("s1", f"bad {n}")) for n in range(9)]
    choose: Any = lambda effect, n: Choice(look=Look(action="list") if not effect.looks else None)  # noqa: E731
    world = World(*plans, complexity="COMPLEX", choose_look=choose)
    result = world.graph(profile="production")
    assert len(result.reflections) == 1
    assert [(one.look.action, one.showed) for one in result.reflections[0].looks] == [("list", "")]


@pytest.mark.requirement("E2b", "E1a")
@pytest.mark.parametrize("phase", ["classify", "plan", "validate_results", "choose_look", "reflect"])
def test_each_judgment_that_fails_has_something_in_its_place(phase: str) -> None:
    """The run goes on, and says so."""
    failed = Failure(kind="completion", message="nothing usable")
    world = World(BAD, GOOD, complexity="COMPLEX", **{phase: failed})
    result = world.graph()
    assert phase in {one.phase for one in result.degraded} or phase not in world.phases
    assert result.answer


@pytest.mark.requirement("E1b")
@pytest.mark.parametrize("output", [{"returncode": 1, "stderr": "boom"}, {"exit_code": -9}])
def test_a_return_code_that_is_not_zero_is_a_failure(output: Any) -> None:
    """A tool that ran, and says that what it ran failed, has failed."""
    world = World(GOOD, planned(call("s1", "other")), execute=lambda effect, n: tool_result(output if n == 0 else 0))
    result = world.graph()
    assert "reflect" in way(result) and result.plans[0].steps[0].status == "failed"
    assert "return code" in result.plans[0].steps[0].problem and result.sufficient


def test_a_plan_that_is_none_gives_way_to_the_task_itself() -> None:
    """Steps that depend on nothing that exists are no plan."""
    wrong = Plan(steps=(Step(id="s1", description="x", dependencies=("s9",)),))
    world = World(wrong)
    result = world.graph()
    (step,) = world.of("execute")
    assert step.step.description == "How much is it?"  # type: ignore[attr-defined]
    assert "plan" in {one.phase for one in result.degraded}


@pytest.mark.requirement("E2e")
def test_the_rows_and_the_bound_follow_from_the_configuration() -> None:
    """Each row has its own reason, and no run makes more calls than are stated."""
    assert [rule.reason for rule in TABLE][:6] == [
        "partial", "rejected", "not_stated", "verified", "answered", "unverified",
    ]  # fmt: skip
    calls, caps = [GRAPH.bound(GraphConfig(max_reflections=n)).calls for n in (0, 1, 3)], GraphConfig().caps
    one_plan = caps.plan + caps.validate_results + caps.verify
    assert calls[1] - calls[0] == 5 * 2 + 2 and calls[2] - calls[0] == 3 * (5 * 2 + 2) + one_plan


def test_looks_are_typed() -> None:
    """There are four actions, and no text that a shell could take."""
    assert TakeLook.model_json_schema()["$defs"]["Look"]["properties"]["action"]["enum"] == [
        "list", "read", "search", "query",
    ]  # fmt: skip
    effects: list[type[Effect]] = list(GRAPH.effects)
    assert not any("shell" in effect.phase for effect in effects)


AGREEING = Agreement(derivations=(Derivation(method="query", text="SELECT 7", answer="7", agrees=True),))


@pytest.mark.requirement("G4", "E2b")
@pytest.mark.parametrize("complexity", ["SIMPLE", "MODERATE"])
@pytest.mark.parametrize("others", [None, AGREEING])
def test_a_guess_of_programs_is_not_good_enough(complexity: Complexity, others: Agreement | None) -> None:
    """A vote that nothing settled leaves the result in doubt: no tool vouches for it, whoever else gave the same."""
    settled = tool_result("7").changed(agreement=others)
    guess = settled.changed(clarity="PARTIALLY_CLEAR", problem="nothing confirms it")
    unasked = {"validate_results": SemanticValidationReport()}
    for given, ending in ((settled, ("verified", True)), (guess, ("unverified", False))):
        result = World(complexity=complexity, execute=given, **unasked).graph()
        assert (result.stop_reason, result.sufficient) == ending
