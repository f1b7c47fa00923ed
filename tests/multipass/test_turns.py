"""The tool loop: a step that a model does turn by turn, with the tools that it calls and what it sees of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from kernel.world import BLOCKED, CONVERGED, ENDPOINT_DOWN, NOT_YET, Said, World, calls, found, looped, step, used

from aeon.schema import (
    Budget,
    Config,
    Failure,
    Question,
    Questions,
    Refinement,
    RefinementAction,
    RefinementLimits,
    Reply,
    SemanticValidationReport,
    Task,
    TaskProfile,
    ToolLoop,
    Turn,
)
from aeon.schema.effects import Effect

SIMPLE = TaskProfile(reasoning_depth=1, ambiguity=0, expected_step_count=1, form="tools")
HARDER = SIMPLE.changed(expected_step_count=9)
ANSWER = Turn(text="it is 7", cites=("s1.1",))
BEFORE, AFTER = ["profile", "validate_plan"], ["validate_results", "assess", "synthesize"]
NO_ANSWER = Failure(kind="completion", message="neither called nor said anything")


def turns(*said: Turn | Failure | Callable[[Effect], Turn]) -> Callable[[Effect, int], Turn | Failure]:
    """What a model does turn by turn; from the last one on always the same."""

    def turn(effect: Effect, n: int) -> Turn | Failure:
        one = said[min(n, len(said) - 1)]
        return one(effect) if callable(one) else one

    return turn


def called(*tools: str, **fields: object) -> Callable[[Effect], Turn]:
    """A turn that calls these tools."""
    return lambda effect: calls(effect, *tools, **fields)


def simple(*said: Turn | Failure | Callable[[Effect], Turn], **replies: Said) -> World:
    """A world with a task that is its own plan, and a model that does these turns."""
    return World(**{"profile": SIMPLE, "turn": turns(*said)} | replies)  # type: ignore[arg-type]


@pytest.mark.requirement("L1", "K1")
@pytest.mark.parametrize(("count", "depth", "drafts"), [(1, 1, 0), (8, 4, 0), (9, 1, 1), (1, 5, 1)])
def test_a_task_of_a_few_steps_is_its_own_plan_without_a_call(count: int, depth: int, drafts: int) -> None:
    """One step with tools, the task itself, which is also the answer; one of many steps, or a deep one, is planned."""
    world = World([looped("s1")], profile=SIMPLE.changed(expected_step_count=count, reasoning_depth=depth))
    result = world.run(task="How many are there?")
    assert world.phases.count("plan") == drafts
    plan = result.history.preparation.plan
    assert [(one.id, one.action) for one in plan.steps] == [("s1", ToolLoop())]
    if not drafts:
        assert world.phases == [*BEFORE, "turn", *AFTER]
        assert (plan.answer, plan.steps[0].description, plan.steps[0].total) == (("s1",), "How many are there?", 1)


@pytest.mark.requirement("L1", "K1")
@pytest.mark.parametrize(
    ("said", "config", "phase"),
    [
        (SIMPLE, Config(form="program"), "write"),
        (SIMPLE.changed(form="program"), Config(form="tools"), "turn"),
        (SIMPLE.changed(form=None), Config(), "execute"),
        (Failure(kind="completion", message="no"), Config(form="tools"), "plan"),
    ],
    ids=["the setting goes before", "either way", "nobody found out", "no profile"],
)
def test_the_form_is_that_of_the_setting_else_that_of_the_profile(said: Said, config: Config, phase: str) -> None:
    """Without a profile nobody knows that a task is simple: it is planned."""
    world = World(profile=said)
    world.run(config)
    assert phase in world.phases and ("turn" in world.phases) == (phase == "turn")


@pytest.mark.requirement("L1")
def test_without_a_sound_plan_the_task_is_one_step_with_tools() -> None:
    """The form of work stays: only the plan could not be had."""
    world = World(profile=HARDER, plan=NO_ANSWER)  # type: ignore[arg-type]
    result = world.run()
    assert [one.action for one in result.history.preparation.plan.steps] == [ToolLoop()]
    assert [one.phase for one in result.degraded] == ["plan"] and world.phases.count("turn") == 1


@pytest.mark.requirement("L1", "K2")
def test_a_model_sees_each_result_before_it_goes_on() -> None:
    """Turns follow each other until one is a text; each gets all turns before it with what came of their calls."""
    world = simple(called("look"), called("look", "count"), ANSWER, use_tool=lambda e, n: used(e, n))
    result = world.run()
    assert world.phases == [*BEFORE, "turn", "use_tool", "turn", "use_tool", "use_tool", "turn", *AFTER]
    seen = [[[use.output for use in one.uses] for one in effect.exchanges] for effect in world.of("turn")]  # type: ignore[attr-defined]
    assert seen == [[], [[0]], [[0], [1, 2]]]
    (done,) = result.history.passes[0].executed
    assert (done.status, done.output, done.mode, done.cites) == ("complete", "it is 7", "tools", ("s1.1",))
    assert [(use.id, use.tool, use.output) for use in done.uses] == [
        ("s1.1", "look", 0), ("s1.2", "look", 1), ("s1.3", "count", 2),
    ]  # fmt: skip
    assert (result.stop_reason, result.usage) == ("converged", world.spent)


@pytest.mark.requirement("L1", "K4")
def test_the_calls_of_a_turn_go_out_at_once_and_come_back_in_order() -> None:
    """They are one batch, and nothing waits for anything in it."""
    world = simple(called("a", "b", "c"), ANSWER)
    world.run()
    (batch,) = [one for one in world.batches if one.effects[0].phase == "use_tool"]
    assert [(one.call.tool, one.step, one.after) for one in batch.effects] == [  # type: ignore[attr-defined]
        ("a", "s1", ()), ("b", "s1", ()), ("c", "s1", ()),
    ]  # fmt: skip
    uses = world.of("turn")[1].exchanges[0].uses  # type: ignore[attr-defined]
    assert [use.id for use in uses] == ["s1.1", "s1.2", "s1.3"]


@pytest.mark.requirement("L1", "L3")
def test_a_call_that_cannot_be_made_is_answered_with_its_problem() -> None:
    """In its place among the others; where none can be made, nothing is issued, and the model has the next turn."""

    def mixed(effect: Effect) -> Turn:
        look, fly, count = calls(effect, "look", "fly", "count").calls
        return Turn(calls=(look, fly.changed(problem="no such tool"), count))

    world = simple(mixed, ANSWER)
    world.run()
    assert [one.call.tool for one in world.of("use_tool")] == ["look", "count"]  # type: ignore[attr-defined]
    (exchange,) = world.of("turn")[1].exchanges  # type: ignore[attr-defined]
    assert [(use.tool, use.output, use.problem) for use in exchange.uses] == [
        ("look", 7, ""), ("fly", None, "no such tool"), ("count", 7, ""),
    ]  # fmt: skip
    none = simple(
        lambda e: Turn(calls=tuple(c.changed(problem="no such tool") for c in calls(e, "fly", "swim").calls)), ANSWER
    )
    none.run()
    assert none.phases == [*BEFORE, "turn", "turn", *AFTER]
    assert [use.problem for use in none.of("turn")[1].exchanges[0].uses] == ["no such tool"] * 2  # type: ignore[attr-defined]


@pytest.mark.requirement("L1", "K12")
def test_calls_beyond_what_a_turn_may_make_are_answered_as_not_made() -> None:
    """Those that have a problem do not count; the model hears of each, in order."""

    def many(effect: Effect) -> Turn:
        turn = calls(effect, *["look"] * 40)
        return turn.changed(calls=(turn.calls[0].changed(problem="no such tool"), *turn.calls[1:]))

    world = simple(many, ANSWER)
    world.run(Config(limits=RefinementLimits(calls_per_turn=3)))
    assert [one.call.id for one in world.of("use_tool")] == ["s1.2", "s1.3", "s1.4"]  # type: ignore[attr-defined]
    uses = world.of("turn")[1].exchanges[0].uses  # type: ignore[attr-defined]
    assert [use.id for use in uses] == [f"s1.{n}" for n in range(1, 41)]
    assert [use.problem for use in uses[:5]] == ["no such tool", "", "", "", "not made: at most 3 calls in one turn"]


@pytest.mark.requirement("L1", "K12")
@pytest.mark.parametrize(
    "limits",
    [RefinementLimits(turns_per_step=3), RefinementLimits(turns=3), RefinementLimits(turns=3, turns_per_step=3)],
)
def test_the_last_turn_must_answer(limits: RefinementLimits) -> None:
    """A model that calls for ever is told which turn is its last, and what it calls then is not done."""
    world = simple(called("look", text="let me see"))
    result = world.run(Config(limits=limits))
    assert [one.last for one in world.of("turn")] == [False, False, True]  # type: ignore[attr-defined]
    assert world.phases.count("use_tool") == 2
    (done,) = result.history.passes[0].executed
    assert (done.status, done.output) == ("complete", "let me see")
    assert [use.id for use in done.uses] == ["s1.1", "s1.2"]


@pytest.mark.requirement("L1", "K12")
def test_a_single_turn_is_the_last_one() -> None:
    """With one turn a step no tool can be called at all."""
    world = simple(called("look"))
    result = world.run(Config(limits=RefinementLimits(turns_per_step=1), max_passes=1))
    assert [one.last for one in world.of("turn")] == [True] and "use_tool" not in world.phases  # type: ignore[attr-defined]
    assert result.history.passes[0].executed[0].status == "failed"


@pytest.mark.requirement("L1", "J7", "K11")
@pytest.mark.parametrize("said", [Turn(), NO_ANSWER, Failure(kind="allowance", limit="calls", message="3 are used")])
def test_a_turn_that_calls_nothing_and_says_nothing_fails_its_step(said: Turn | Failure) -> None:
    """What it found before stays with the step, and another one is done all the same."""
    world = World(
        [looped("s1"), step("s2")],
        profile=HARDER,
        turn=turns(called("look"), said),
        assess=NOT_YET,  # type: ignore[arg-type]
    )
    result = world.run(Config(max_passes=2))
    assert {s.id: s.status for s in result.history.passes[0].executed} == {"s1": "failed", "s2": "complete"}
    failed = next(s for s in result.history.passes[0].executed if s.id == "s1")
    assert (failed.problem, [use.id for use in failed.uses]) == ("the model gave no answer", ["s1.1"])
    assert world.of("refine_plan")[0].triggers[0].kind == "failed_step"  # type: ignore[attr-defined]
    assert bool(result.degraded) == isinstance(said, Failure)


@pytest.mark.requirement("L1", "K11")
def test_a_tool_that_fails_is_a_result_and_the_loop_goes_on() -> None:
    """The model reads why in the place of an output; a handler that breaks or gives another type is the same."""
    odd = [Failure(kind="tool", message="no such table"), Failure(kind="handler", message="it broke"), CONVERGED]
    world = simple(called("a", "b", "c"), ANSWER, use_tool=lambda _, n: odd[n])  # type: ignore[arg-type, return-value]
    result = world.run()
    uses = world.of("turn")[1].exchanges[0].uses  # type: ignore[attr-defined]
    other_type = "the handler returned a value of another type"
    assert [use.problem for use in uses] == ["no such table", "it broke", other_type]
    (done,) = result.history.passes[0].executed
    assert (done.status, done.mode, len(done.uses)) == ("complete", "reasoning", 3)
    assert result.stop_reason == "own_knowledge"


ASKED = Question(text="call s1.1 (mail): it did not return. Was it done?", options=("done", "repeat", "stop"))
UNKNOWN = Failure(kind="unknown", message="mail did not return", question=ASKED)


def unsure(reply: str) -> World:
    """A world in which nobody knows whether the first of two calls was done, until a person says it."""

    def use(effect: Effect, n: int) -> Said:
        return UNKNOWN if n == 0 else used(effect, n)  # type: ignore[return-value]

    return simple(called("mail", "look"), ANSWER, use_tool=use, ask=Reply(text=reply))  # type: ignore[arg-type]


@pytest.mark.requirement("X3", "K9")
def test_a_call_that_was_done_is_not_made_again() -> None:
    """The model is told that it was done and that nobody knows what it gave."""
    world = unsure("done")
    result = world.run()
    assert [one.call.id for one in world.of("use_tool")] == ["s1.1", "s1.2"]  # type: ignore[attr-defined]
    assert [one.question for one in world.of("ask")] == [ASKED]  # type: ignore[attr-defined]
    (exchange,) = world.of("turn")[1].exchanges  # type: ignore[attr-defined]
    assert [(use.output, use.problem) for use in exchange.uses] == [(None, "done; its output was lost"), (1, "")]
    assert result.stop_reason == "converged"


@pytest.mark.requirement("X3", "K9")
def test_a_call_is_repeated_where_the_person_says_so() -> None:
    """The same call with the same id, alone; what it gives then stands in its place."""
    world = unsure("repeat")
    world.run()
    assert [one.call.id for one in world.of("use_tool")] == ["s1.1", "s1.2", "s1.1"]  # type: ignore[attr-defined]
    (exchange,) = world.of("turn")[1].exchanges  # type: ignore[attr-defined]
    assert [(use.id, use.output) for use in exchange.uses] == [("s1.1", 2), ("s1.2", 1)]


@pytest.mark.requirement("K9", "K10")
def test_a_call_that_is_made_again_has_the_time_that_is_left_then() -> None:
    """Not what was left when it was first made."""
    world = unsure("repeat")
    world.run(Config(budget=Budget(seconds=1_000)))
    first, _, again = [one.allowance.seconds for one in world.of("use_tool")]
    assert first is not None and again is not None and again < first


@pytest.mark.requirement("X3", "K9", "K13")
@pytest.mark.parametrize(("reply", "questions"), [("stop", Questions()), ("repeat", Questions(unknown_outcome="stop"))])
def test_a_run_stops_where_nobody_says_whether_a_call_was_done(reply: str, questions: Questions) -> None:
    """What the other calls of the turn gave is in the answer all the same."""
    world = unsure(reply)
    result = world.run(Config(questions=questions))
    assert (result.stop_reason, result.abandoned, world.phases[-1]) == ("unknown_outcome", ("s1",), "synthesize")
    (pending,) = world.effects[-1].plan.steps  # type: ignore[attr-defined]
    assert [(use.id, use.problem or use.output) for use in pending.uses] == [
        ("s1.1", "mail did not return"), ("s1.2", 1),
    ]  # fmt: skip


@pytest.mark.requirement("L1", "K4")
def test_a_plan_may_mix_steps_of_both_kinds() -> None:
    """Each runs once what it builds on is complete, whichever kind that is, and is told its outputs."""
    plan = [step("a"), looped("b", "a"), step("c", "b"), looped("d", "a"), step("e", "c", "d"), step("f")]
    world = World(plan, profile=HARDER, turn=lambda e, _: calls(e, "look") if not e.exchanges else Turn(text="7"))
    result = world.run()
    assert {s.status for s in result.history.passes[0].executed} == {"complete"}
    known = {e.step.id: [one.output for one in e.inputs] for e in world.effects if e.phase in ("execute", "turn")}  # type: ignore[attr-defined]
    assert known["c"] == ["7"] and known["b"] == known["d"] == ["out of a"]
    assert (result.passes, result.stop_reason) == (1, "converged")


@pytest.mark.requirement("L1", "K4")
def test_steps_with_tools_go_side_by_side_with_each_other_and_with_plain_ones() -> None:
    """Their turns, and then their calls, go out in common batches."""
    world = World(
        [looped("a"), looped("b"), step("c")], profile=HARDER,
        turn=lambda e, _: Turn(text="7") if e.exchanges else calls(e, "look", "count"),
    )  # fmt: skip
    world.run()
    batches = [[one.phase for one in batch.effects] for batch in world.batches]
    assert batches[3:6] == [["turn", "turn", "execute"], ["use_tool"] * 4, ["turn", "turn"]]


@pytest.mark.requirement("L1", "K6")
def test_a_blocked_step_keeps_back_the_loop_that_builds_on_it() -> None:
    """As it does any other."""
    world = World([step("a"), looped("b", "a")], profile=HARDER, execute=BLOCKED, assess=NOT_YET)
    result = world.run(Config(max_passes=1))
    assert "turn" not in world.phases and result.abandoned == ("b",)


@pytest.mark.requirement("K13", "J7")
def test_a_loop_whose_endpoint_goes_down_keeps_what_its_tools_gave() -> None:
    """Nothing more is asked; without a finished step the answer says so."""
    world = simple(called("look"), ENDPOINT_DOWN)  # type: ignore[arg-type]
    result = world.run()
    assert (result.stop_reason, result.abandoned, world.phases[-1]) == ("failed", ("s1",), "turn")
    assert result.answer == "No step was completed: nobody answers."


def again(effect: Effect, n: int) -> Refinement:
    """The latest version of the step once more, with what was found in it."""
    latest = effect.plan.steps[-1]  # type: ignore[attr-defined]
    new = looped(f"s1_r{n + 1}", description=f"{latest.description}: mind what was found")
    return Refinement(actions=(RefinementAction(type="REPLACE", target=latest.id, steps=(new,)),))


@pytest.mark.requirement("L1", "K7", "J5")
def test_a_step_that_is_done_again_goes_on_from_its_turns_with_what_was_found() -> None:
    """The model sees its turns, the calls, its answer and the objection to it; calls are numbered on."""
    world = simple(
        called("look"), ANSWER, called("count"), Turn(text="it is 8"),
        refine_plan=again, assess=lambda _, n: CONVERGED if n else NOT_YET,
        validate_results=lambda _, n: SemanticValidationReport() if n else found("s1"),
    )  # fmt: skip
    result = world.run()
    third, fourth = world.of("turn")[2:]
    first, second = third.exchanges  # type: ignore[attr-defined]
    assert (first.objection, second.turn, second.uses) == ("", ANSWER, ())
    assert second.objection == "- s1 is wrong\n- half"
    assert [use.id for one in fourth.exchanges for use in one.uses] == ["s1.1", "s1.2"]  # type: ignore[attr-defined]
    steps = {s.id: s.status for s in world.effects[-1].plan.steps}  # type: ignore[attr-defined]
    assert steps == {"s1": "invalid", "s1_r1": "complete"}
    (done,) = result.history.passes[1].executed
    assert (done.output, [use.id for use in done.uses]) == ("it is 8", ["s1.1", "s1.2"])
    assert (result.stop_reason, result.passes) == ("converged", 2)


@pytest.mark.requirement("L1", "K12")
def test_the_turns_of_a_run_hold_over_its_passes() -> None:
    """A step that is done again takes its turns from what is left; without any it is not asked."""
    world = simple(called("look"), called("look"), ANSWER, refine_plan=again, assess=NOT_YET)
    world.replies["turn"] = lambda e, _: ANSWER if e.last else calls(e, "look")  # type: ignore[attr-defined]
    world.run(Config(limits=RefinementLimits(turns=5, turns_per_step=3)))
    assert [one.last for one in world.of("turn")] == [False, False, True, False, True]  # type: ignore[attr-defined]


@pytest.mark.requirement("J5", "L1")
def test_the_verdict_of_a_report_is_the_assessment_where_that_fails() -> None:
    """The assessment is asked with the report in view; without a usable one, what the report said stands."""
    verdicts = [NOT_YET, CONVERGED]
    world = simple(
        called("look"), ANSWER, refine_plan=again, assess=NO_ANSWER,  # type: ignore[arg-type]
        validate_results=lambda _, n: (found() if n else found("s1")).changed(verdict=verdicts[n]),
    )  # fmt: skip
    result = world.run()
    assert [one.report.verdict for one in world.of("assess")] == verdicts  # type: ignore[attr-defined]
    assert [one.assessment for one in result.history.passes] == verdicts
    assert result.stop_reason == "converged"


@pytest.mark.requirement("J8", "K13")
@pytest.mark.parametrize(
    ("said", "assessment", "reason", "sufficient"),
    [
        ((called("look"), ANSWER), CONVERGED, "converged", True),
        ((ANSWER,), CONVERGED, "own_knowledge", True),
        ((called("look"), ANSWER), CONVERGED.changed(standing="bad"), "unverified", False),
        ((called("look"), ANSWER), CONVERGED.changed(standing="none"), "unverified", False),
        ((ANSWER,), NOT_YET.changed(standing="none", reason_codes=()), "unverified", False),
        ((ANSWER,), NO_ANSWER, "unverified", False),
    ],
    ids=["converged", "own knowledge", "a bad judge", "no judge", "nor its own knowledge", "no judgment"],
)
def test_a_run_ends_by_what_its_judgment_is_worth(
    said: tuple[Turn], assessment: Said, reason: str, sufficient: bool
) -> None:
    """By what a tool gave, by what the model knows, or unverified where no judgment counts."""
    result = simple(*said, assess=assessment).run()
    assert (result.stop_reason, result.sufficient, result.converged) == (reason, sufficient, reason == "converged")
    assert result.passes == 1


@pytest.mark.requirement("J8")
def test_what_is_not_done_is_not_unverified() -> None:
    """A judge whose word does not count ends no run whose steps have not all come to a good end."""
    world = World([looped("s1"), step("s2")], profile=HARDER, execute=BLOCKED, assess=NOT_YET.changed(standing="bad"))
    assert world.run(Config(max_passes=1)).stop_reason == "ttl_expired"


@pytest.mark.requirement("J8", "L1")
def test_a_text_that_came_with_the_task_is_something_to_check_against() -> None:
    """An answer without a tool is then not the model's own knowledge alone."""
    from_text = simple(ANSWER)
    assert from_text.run(task=Task(text="How many?", context="There are 7.")).stop_reason == "converged"
