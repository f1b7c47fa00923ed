"""The run from top to bottom: the order of phases, waves of steps, every way out, and what stands in for a failure."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel.world import BLOCKED, CONVERGED, ENDPOINT_DOWN, NOT_YET, WildWorld, World, add, found, step

import aeon
from aeon.kernel.decide import table
from aeon.kernel.table import TABLE
from aeon.multipass.effects import RefinePlan
from aeon.schema import (
    Answer,
    Budget,
    Config,
    ConvergenceAssessment,
    Failure,
    Plan,
    Refinement,
    RefinementAction,
    RefinementLimits,
    SemanticValidationReport,
    StepResult,
    Task,
    TaskProfile,
    ToolLoop,
    ToolUse,
)
from aeon.schema.programs import Programs, ProgramText, Ran
from aeon.schema.weight import Weight

PREPARED = ["profile", "plan", "validate_plan"]
ENDED = ["validate_results", "assess", "synthesize"]
REASONS = {rule.reason for rule in table(TABLE)} - {"continue", "budget"}
REASONS |= {f"{kind}_exhausted" for kind in ("calls", "tokens", "seconds", "cost")}
NO_ANSWER = Failure(kind="completion", message="the model declined")


def growing(effect: object, n: int) -> Refinement:
    """A refinement that adds a step each time it is asked for."""
    return add(step(f"more{n}"))


GROWING = {"assess": NOT_YET, "refine_plan": growing}


@pytest.mark.requirement("G7")
def test_an_answer_that_was_not_worded_is_a_degradation() -> None:
    """The values that stand in for the sentence are the answer, and why is on record."""
    result = World(synthesize=Answer(text="348", problem="the sentence cannot be used: It is 7.")).run()
    assert result.answer == "348" and result.assembled
    assert [(d.phase, d.message) for d in result.degraded] == [("synthesize", "the sentence cannot be used: It is 7.")]
    worded = World(synthesize=Answer(text="It is 348.")).run()
    assert not worded.degraded and not worded.assembled


SUM = ToolUse(id="s1.1", tool="calculator", arguments={"expression": "3 + 4"}, output=7)


def by_programs(**world: Any) -> World:
    """A world whose model works by programs: one gives 7, and a judge is sure of it."""
    program = ProgramText(way="query", text="SELECT 7")
    return World(**{
        "profile": TaskProfile(reasoning_depth=2, ambiguity=0.0, form="program"),
        "write": Programs(programs=(program,)),
        "run_program": Ran(values=(7,), uses=(SUM,), cites=("s1.1",)),
        "weigh": Weight(score=0.9, form="probability", standing="measured"),
    } | world)  # fmt: skip


@pytest.mark.requirement("W3", "K1")
def test_a_model_that_works_by_programs_plans_nothing_and_has_its_results_weighed() -> None:
    """The task is the only step; each program, its result and the judgment of it are effects of their own."""
    world = by_programs()
    result = world.run()
    assert world.phases == ["profile", "validate_plan", "write", "run_program", "weigh", *ENDED]
    (step_done,) = result.history.passes[0].executed
    assert step_done.output == "7" and step_done.mode == "program" and result.converged


@pytest.mark.requirement("W3", "K13")
@pytest.mark.parametrize("phase", ["write", "run_program", "weigh"])
def test_a_part_of_the_program_form_that_fails_is_a_degradation(phase: str) -> None:
    """Without a judge the result stands unjudged; without a program, or a result of it, the step has failed."""
    result = by_programs(**{phase: NO_ANSWER}).run()
    (step_done, *_) = result.history.passes[0].executed
    assert phase in [one.phase for one in result.degraded]
    assert step_done.status == ("complete" if phase == "weigh" else "failed")


@pytest.mark.requirement("W3", "K6")
def test_a_step_is_done_again_with_what_was_found() -> None:
    """The programs of the second pass are told."""
    again = RefinementAction(
        type="REPLACE", target="s1", steps=(step("s1_r1", action=ToolLoop(form="program")),), justification="wrong"
    )
    reports = {"validate_results": lambda effect, n: found("s1") if n == 0 else SemanticValidationReport()}
    assess = {"assess": lambda effect, n: NOT_YET if n == 0 else CONVERGED}
    world = by_programs(refine_plan=Refinement(actions=(again,)), **reports, **assess)
    assert world.run().converged
    first, second = world.of("write")
    assert (first.earlier, first.against) == ("", ())  # type: ignore[attr-defined]
    assert (second.earlier, second.against, second.ways) == ("7", ("s1 is wrong", "half"), ("query",))  # type: ignore[attr-defined]


@pytest.mark.requirement("W3c", "K6")
@pytest.mark.parametrize("more", ["7", "8"])
def test_what_gives_the_same_when_it_is_done_again_is_not_done_a_third_time(more: str) -> None:
    """Whatever is found in it: another answer would be looked into once more."""
    names = iter(("s1_r1", "s1_r2", "s1_r3"))

    def again(effect: RefinePlan, _: int) -> Refinement:
        new = step(next(names), action=ToolLoop(form="program"))
        action = RefinementAction(type="REPLACE", target=effect.plan.steps[-1].id, steps=(new,))
        return Refinement(actions=(action,))

    world = by_programs(
        profile=TaskProfile(reasoning_depth=5, form="program"),
        write=lambda _, n: Programs(programs=(ProgramText(way="again" if n else "query", text=str(n)),)),
        run_program=lambda _, n: Ran(values=(int(more) if n else 7,), uses=(SUM,), cites=("s1.1",)),
        weigh=lambda _, n: Weight(score=0.9 if n else 0.5),
        validate_results=lambda _, n: found(f"s1_r{n}" if n else "s1"),
        refine_plan=again, assess=NOT_YET,
    )  # fmt: skip
    result = world.run()
    outputs = [one.output for each in result.history.passes for one in each.executed]
    assert (outputs, result.stop_reason) == ((["7", "7"], "stalled") if more == "7" else (["7", "8", "8"], "stalled"))


@pytest.mark.requirement("W3", "K12")
def test_rounds_of_programs_are_limited() -> None:
    """Of which a run has so many."""
    asks_on = Programs(programs=(ProgramText(way="query", text="SELECT 7"),), more=True)
    world = by_programs(write=asks_on, weigh=Weight(score=0.1), assess=NOT_YET)
    world.run(config=Config(limits=RefinementLimits(rounds=3)))
    assert len(world.of("write")) == 3


@pytest.mark.requirement("K1", "K2")
def test_the_phases_come_in_order_and_a_phase_with_nothing_to_do_costs_no_call() -> None:
    """Without anything to mend, no refinement is asked for, before or after execution."""
    world = World()
    world.run()
    assert world.phases == [*PREPARED, "execute", *ENDED]


@pytest.mark.requirement("K1")
def test_issues_lead_to_a_refinement_before_the_first_pass_and_after_each_pass() -> None:
    """Plan issues are mended before execution; result issues before the next pass."""
    again = [NOT_YET, CONVERGED]
    world = World(
        validate_plan=found("plan"), refine_plan=growing, validate_results=found("s1"), assess=lambda _, n: again[n]
    )
    world.run()
    one_pass = ["execute", "validate_results", "assess"]
    refined = ["refine_plan", "validate_plan"]
    assert world.phases == [*PREPARED, *refined, "execute", *one_pass, *refined, *one_pass, "synthesize"]


@pytest.mark.requirement("K1", "K7")
def test_the_refined_plan_is_the_one_that_runs() -> None:
    """A step that refinement adds before the first pass is executed in it."""
    world = World(validate_plan=found("plan"), refine_plan=growing)
    world.run()
    assert world.waves == [["s1", "more0"]]


@pytest.mark.requirement("K4")
def test_all_ready_steps_run_at_once_wave_by_wave_in_plan_order() -> None:
    """A diamond runs in three waves; its middle is one batch, in the order of the plan."""
    world = World((step("d", "b", "c"), step("c", "a"), step("b", "a"), step("a")))
    world.run()
    assert world.waves == [["a"], ["c", "b"], ["d"]]


@pytest.mark.requirement("K5")
def test_a_step_that_is_issued_is_running_and_one_that_was_not_done_is_pending_again() -> None:
    """The effect shows what the world sees; the plan that people and judges see has no step that runs for ever."""
    world = World((step("a"), step("b", "a")), interrupted_at=3)
    world.replies["execute"] = Failure(kind="interrupted", message="broken off")
    result = world.run()
    assert {effect.step.status for effect in world.of("execute")} == {"running"}  # type: ignore[attr-defined]
    assert [s.status for s in world.effects[-1].plan.steps] == ["pending", "pending"]  # type: ignore[attr-defined]
    assert (result.abandoned, result.history.passes[0].executed) == (("a", "b"), ())


@pytest.mark.requirement("K5")
def test_a_step_is_told_its_place_its_context_and_what_it_builds_on() -> None:
    """Index, total, incoming context, handoff, the task and the outputs of its dependencies come with the effect."""
    world = World((step("a"), step("b_r1", "a"), step("c", "b_r1")))
    world.run(task="Add up the sums.")
    middle = world.of("execute")[1]
    assert middle.task.text == "Add up the sums."
    assert (middle.step.index, middle.step.total, middle.step.status) == (2, 3, "running")
    assert (middle.step.incoming_context, middle.step.handoff) == ("a: do a", "c: do c")
    assert [(i.names, i.output) for i in middle.inputs] == [(("a",), "out of a")]
    assert world.of("execute")[2].inputs[0].names == ("b_r1", "b")


@pytest.mark.requirement("K6")
def test_a_blocked_step_keeps_its_output_becomes_invalid_and_asks_for_refinement() -> None:
    """What depends on it does not run, and the trigger names the step and its problem."""
    world = World((step("a"), step("b", "a")), execute=BLOCKED, assess=NOT_YET)
    result = world.run(Config(max_passes=2))
    (blocked,) = result.history.passes[0].executed
    assert (blocked.status, blocked.output, blocked.clarity) == ("invalid", "a half", "BLOCKED")
    trigger = world.of("refine_plan")[0].triggers[0]
    assert (trigger.kind, trigger.location, trigger.detail) == ("blocked", "a", "which year is not said")
    assert world.waves == [["a"]]
    assert result.abandoned == ("b",)


@pytest.mark.requirement("K11", "K6")
def test_a_failed_step_is_a_trigger_and_independent_steps_go_on() -> None:
    """The failure's message is the step's problem; a step beside it completes."""
    world = World(
        (step("a"), step("b")), assess=NOT_YET,
        execute=lambda e, _: Failure(kind="tool", message="no such row") if e.step.id == "a" else StepResult(output=2),
    )  # fmt: skip
    result = world.run(Config(max_passes=2))
    first = result.history.passes[0]
    ended = [(s.id, s.status, s.problem) for s in first.executed]
    assert ended == [("a", "failed", "no such row"), ("b", "complete", "")]
    assert first.refinement.triggers[0].kind == "failed_step"


@pytest.mark.requirement("K1", "K13")
@pytest.mark.parametrize(
    ("reason", "said", "config"),
    [
        ("converged", {}, Config()),
        ("ttl_expired", GROWING, Config(max_passes=2)),
        ("calls_exhausted", GROWING, Config(budget=Budget(calls=7))),
        ("tokens_exhausted", GROWING, Config(budget=Budget(tokens=800))),
        ("seconds_exhausted", GROWING, Config(budget=Budget(seconds=8))),
        ("cost_exhausted", GROWING, Config(budget=Budget(cost=0.08))),
        ("interrupted", GROWING | {"interrupted_at": 4}, Config()),
        ("stalled", {"assess": NOT_YET}, Config()),
    ],
)
def test_every_way_out_leads_through_synthesis(reason: str, said: dict[str, Any], config: Config) -> None:
    """The result names the reason, and the answer is the synthesizer's, made with a caveat unless converged."""
    world = World(**said)
    result = world.run(config)
    assert (result.stop_reason, result.converged, result.answer) == (reason, reason == "converged", "the answer")
    assert not result.assembled
    assert world.phases.count("synthesize") == 1
    assert world.phases[-1] == "synthesize"
    assert bool(world.effects[-1].caveat) == (reason != "converged")
    assert world.notes[-1].decision and world.notes[-1].decision.reason == reason


@pytest.mark.requirement("K1", "K13", "J7")
def test_without_an_endpoint_the_answer_is_put_together_from_outputs_with_no_further_effect() -> None:
    """Once the endpoint has failed nothing more is asked, synthesis included, and the result says why."""
    world = World((step("a"), step("b", "a")), validate_results=ENDPOINT_DOWN)
    result = world.run()
    assert world.phases[-1] == "validate_results"
    assert (result.stop_reason, result.detail, result.assembled) == ("failed", "nobody answers", True)
    assert result.answer == "do a: out of a\ndo b: out of b"


@pytest.mark.requirement("K13")
def test_a_run_that_fails_at_once_still_ends_in_a_result() -> None:
    """Without a single completed step the answer says so, and no step is invented."""
    result = World(profile=ENDPOINT_DOWN).run()
    assert result.stop_reason == "failed"
    assert result.answer == "No step was completed: nobody answers."
    assert (result.passes, result.pass_number, result.abandoned) == (0, 0, ())


@pytest.mark.requirement("K13", "K2")
@given(random=st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_every_run_ends_in_a_result_whatever_the_models_say(random: Random) -> None:
    """However wild the signals, the generator never raises, and its result carries a typed stop reason."""
    config = Config(max_passes=random.randint(1, 4))
    world = WildWorld(random, config)
    result = world.run(config)
    assert result.stop_reason in REASONS
    assert result.answer
    assert result.passes <= config.max_passes
    assert result.usage == world.spent


@pytest.mark.requirement("J7")
def test_a_failed_profile_becomes_the_default_profile() -> None:
    """It is marked as not inferred, and the failure is listed."""
    result = World(profile=NO_ANSWER).run()
    assert result.history.preparation.profile == TaskProfile(inferred=False)
    assert [(d.phase, d.message) for d in result.degraded] == [("profile", "the model declined")]


@pytest.mark.requirement("J7", "K13")
@pytest.mark.parametrize(
    "drafted",
    [
        NO_ANSWER,
        Plan(),
        Plan(steps=(step("a", "b"), step("b", "a"))),
        Plan(steps=(step("a", "gone"),)),
        Plan(steps=(step("a"), step("a"))),
        Plan(steps=tuple(step(f"s{n}") for n in range(13))),
    ],
    ids=["failed", "empty", "circle", "dangling", "duplicate", "too many steps"],
)
def test_without_a_sound_plan_the_task_is_the_only_step(drafted: Plan | Failure) -> None:
    """Nothing of an unsound plan runs, and the degradation says what was wrong with it."""
    world = World(plan=drafted)
    result = world.run(task="Add up the sums.")
    assert [s.description for s in result.history.passes[0].executed] == ["Add up the sums."]
    assert [d.phase for d in result.degraded] == ["plan"]
    assert result.degraded[0].message


@pytest.mark.requirement("J7", "J7a", "K13")
@pytest.mark.parametrize("phase", ["profile", "plan", "validate_plan", "execute", "validate_results", "assess"])
def test_one_failed_request_degrades_its_phase_and_the_run_continues(phase: str) -> None:
    """A timeout, a 400 or a prompt that does not fit in one phase; the others are asked, and an answer is made."""
    late = Failure(kind="request", message="no answer within 60 s")
    result = World((step("a"), step("b")), **{phase: late}).run(Config(max_passes=1))
    ends = {"execute": "own_knowledge", "assess": "unverified"}
    assert (result.stop_reason, result.answer) == (ends.get(phase, "converged"), "the answer")
    if phase == "execute":
        assert {s.problem for s in result.history.passes[0].executed} == {late.message}
    else:
        assert {(d.phase, d.message) for d in result.degraded} == {(phase, late.message)}


@pytest.mark.requirement("J7", "J7a", "K13")
def test_three_failed_requests_in_a_row_end_the_run_as_failed() -> None:
    """Whatever they asked for: then the endpoint counts as unusable, and nothing more is asked of it."""
    late = Failure(kind="request", message="no answer within 60 s")
    world = World(profile=late, plan=late, validate_plan=late)
    result = world.run()
    assert (result.stop_reason, result.detail, world.phases) == ("failed", late.message, PREPARED)
    assert result.assembled


@pytest.mark.requirement("J7")
@pytest.mark.parametrize("phase", ["validate_plan", "validate_results"])
def test_a_failed_validation_is_an_empty_report_flagged_as_failed(phase: str) -> None:
    """No issue is made up, and the run goes on."""
    result = World(**{phase: NO_ANSWER}).run()
    reports = {"validate_plan": result.history.preparation.report, "validate_results": result.history.passes[0].report}
    assert reports[phase] == SemanticValidationReport(failed=True)
    assert [d.phase for d in result.degraded] == [phase]
    assert result.stop_reason == "converged"


@pytest.mark.requirement("J7", "J6")
def test_a_failed_assessment_is_not_convergence_and_is_marked() -> None:
    """The run does not take silence for consent."""
    result = World(assess=NO_ANSWER).run(Config(max_passes=1))
    assert result.assessment == ConvergenceAssessment(
        converged=False, failed=True, standing="none", reason_codes=("assessment_failed",)
    )
    assert (result.stop_reason, result.sufficient) == ("unverified", False)
    assert [d.phase for d in result.degraded] == ["assess"]


@pytest.mark.requirement("J7")
def test_a_failed_refinement_leaves_the_plan_as_it_is() -> None:
    """The steps run as drafted, and the failure is listed."""
    world = World(validate_plan=found("plan"), refine_plan=NO_ANSWER)
    result = world.run()
    assert world.waves == [["s1"]]
    assert [d.phase for d in result.degraded] == ["refine_plan"]


@pytest.mark.requirement("J7")
def test_a_failed_synthesis_becomes_an_answer_assembled_from_outputs() -> None:
    """The answer is the outputs word for word, flagged as assembled."""
    result = World((step("a"), step("b")), synthesize=NO_ANSWER).run()
    assert result.answer == "do a: out of a\ndo b: out of b"
    assert (result.assembled, result.converged) == (True, True)


@pytest.mark.requirement("J7", "K13")
@pytest.mark.parametrize("said", [NO_ANSWER, Answer(text="much"), Answer(text=" ")])
def test_without_a_value_that_fits_the_schema_of_the_task_a_run_has_not_converged(said: Any) -> None:
    """The outputs are the answer, and the stop reason says that it is not the one that was asked for."""
    asked = Task(text="How much is it?", answer_schema={"type": "object"})
    result = World(synthesize=said).run(task=asked)
    assert (result.stop_reason, result.sufficient, result.converged) == ("schema_unmet", False, False)
    assert (result.value, bool(result.answer), result.detail) == (None, True, result.history.conclusion.detail)
    met = World(synthesize=Answer(text="{}", value={})).run(task=asked)
    assert (met.stop_reason, met.sufficient, met.value) == ("converged", True, {})
    late = World(synthesize=said, **GROWING).run(Config(max_passes=2), asked)
    assert late.stop_reason == "ttl_expired"


@pytest.mark.requirement("J7")
def test_null_is_a_value_that_fits_where_the_schema_says_so() -> None:
    """A value of null is told from one that could not be had."""
    result = World(synthesize=Answer(text="null")).run(task=Task(text="t", answer_schema={"type": "null"}))
    assert (result.stop_reason, result.answer) == ("converged", "null")


@pytest.mark.requirement("J7", "K2")
def test_a_value_of_the_wrong_type_is_a_failure_of_its_phase() -> None:
    """An outcome that carries another type is not used."""
    result = World(validate_results=CONVERGED).run()
    assert result.history.passes[0].report.failed
    assert result.degraded[0].phase == "validate_results"


@pytest.mark.requirement("K1", "K2")
def test_a_trigger_that_points_nowhere_is_dropped() -> None:
    """An issue at a place that does not exist leads to no refinement."""
    world = World(validate_plan=found("s9", "the second paragraph"))
    result = world.run()
    assert "refine_plan" not in world.phases
    assert result.history.preparation.refinement.triggers == ()


@pytest.mark.requirement("K12", "K13")
@pytest.mark.parametrize("refinement", [Refinement(), add(step("s1")), add(step("again", "missing"))])
def test_imaginary_issues_do_not_make_a_run_loop(refinement: Refinement) -> None:
    """Issues without end and refinements that change nothing end the run as stalled after one pass."""
    world = World(validate_results=found("s1", "answer"), assess=NOT_YET, refine_plan=refinement)
    result = world.run(Config(max_passes=1000))
    assert (result.stop_reason, result.passes) == ("stalled", 1)


@pytest.mark.requirement("K8", "K12")
def test_endless_refinement_ends_at_its_limits() -> None:
    """A plan that grows at each issue stops growing at the fragment's limit, and the run ends."""
    world = World(
        validate_results=found("plan"), assess=NOT_YET, refine_plan=growing,
        profile=TaskProfile(reasoning_depth=5, ambiguity=1, confidence_requirement="high"),
    )  # fmt: skip
    result = world.run(Config(max_passes=7))
    records = (result.history.preparation, *result.history.passes)
    applied = [a for record in records for a in record.refinement.applied]
    assert len(applied) == Config().limits.attempts_per_fragment
    assert result.stop_reason == "stalled"


SCRIPT = """
from random import Random
from aeon.schema import Config
from kernel.world import WildWorld
for seed in range(12):
    config = Config(max_passes=3)
    print(WildWorld(Random(seed), config).run(config).model_dump_json())
"""


@pytest.mark.requirement("K2", "K3")
def test_the_same_signals_give_the_same_bytes_in_any_process() -> None:
    """Whatever the hash seed, the results of a dozen wild runs are byte-identical."""
    roots = [Path(__file__).parents[1], Path(aeon.__file__).parents[1]]
    outputs = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT], capture_output=True, check=True,
            env={"PYTHONHASHSEED": str(seed), "PYTHONPATH": ":".join(map(str, roots))},
        ).stdout
        for seed in (0, 1, 2)
    }  # fmt: skip
    assert len(outputs) == 1
    assert outputs.pop().count(b"\n") == 12
