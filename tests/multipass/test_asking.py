"""Asking: when a question is put, what becomes of the answer, and what holds where nobody answers."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel.world import BLOCKED, NOT_YET, WildWorld, World, add, found, step

from aeon.kernel.passes import MULTIPASS
from aeon.schema import (
    Budget,
    CallCaps,
    Clarification,
    Config,
    ConvergenceThresholds,
    Failure,
    Question,
    Questions,
    Refinement,
    RefinementLimits,
    Reply,
    StepResult,
    TaskProfile,
)
from aeon.schema.effects import Effect

WHICH = Question(text="Which year?", options=("2025", "2026"), default="2026")
WAITING = Failure(kind="waiting", message="Which year?", question=WHICH)
DONE = Question(text="step s1 (do s1): mail did not return. Was it done?", options=("done", "repeat", "stop"))
UNKNOWN = Failure(kind="unknown", message="mail did not return", question=DONE)
AMBIGUOUS = TaskProfile(reasoning_depth=3, ambiguity=0.8, rationale="no year is given")


def asking(question: Callable[[int], Question] | None = None) -> Callable[[Effect, int], Refinement]:
    """A planner that asks whenever it may, and adds a step whenever it may not."""
    made = question or (lambda _: WHICH)
    return lambda effect, n: Refinement(question=made(n)) if effect.may_ask else add(step(f"more{n}"))


def once(first: Failure) -> Callable[[Effect, int], Failure | StepResult]:
    """A step whose first attempt has this failure."""
    return lambda effect, n: StepResult(output=f"out of {effect.step.id}", mode="tool") if n else first


@pytest.mark.requirement("O6", "K2")
def test_a_question_is_put_between_two_refinements_and_its_answer_is_part_of_the_task() -> None:
    """It is put at a boundary and noted as a decision; then the deltas are asked for with the answer in view."""
    world = World(validate_plan=found("plan"), refine_plan=asking(), ask=Reply(text="1066"))
    result = world.run()
    assert world.phases[3:8] == ["refine_plan", "ask", "refine_plan", "validate_plan", "execute"]
    first, second = world.of("refine_plan")
    known = (Clarification(question="Which year?", answer="1066"),)
    assert (first.may_ask, first.task.clarifications) == (True, ())
    assert (second.may_ask, second.task.clarifications) == (False, known)
    assert all(effect.task.clarifications == known for effect in world.effects[5:])
    assert result.history.task.clarifications == known
    assert result.history.preparation.refinement.question == WHICH
    assert [a.steps[0].id for a in result.history.preparation.refinement.applied] == ["more1"]
    assert [n.decision.detail for n in world.notes if n.decision and n.decision.action == "ASK"] == ["Which year?"]
    assert (result.stop_reason, result.question, result.assumptions) == ("converged", None, ())


@pytest.mark.requirement("O6")
def test_an_effect_of_asking_may_spend_no_model_call() -> None:
    """A question costs nothing but a person's time."""
    world = World(validate_plan=found("plan"), refine_plan=asking())
    world.run()
    (asked,) = world.of("ask")
    assert (asked.question, asked.allowance.calls) == (WHICH, 0)


@pytest.mark.requirement("O6")
def test_the_same_question_is_never_put_twice() -> None:
    """However often a planner comes back to it, and also where the task brings the answer along."""
    world = World(validate_plan=found("plan"), validate_results=found("plan"), assess=NOT_YET, refine_plan=asking())
    result = world.run(Config(max_passes=3))
    assert world.phases.count("ask") == 1
    assert len(result.history.task.clarifications) == 1


@pytest.mark.requirement("O6", "K12")
@pytest.mark.parametrize("most", [0, 1, 2, 3])
def test_a_run_puts_no_more_questions_than_it_may(most: int) -> None:
    """After the last one no planner is told that it may ask; with a cap of 0 none ever is."""
    world = World(
        validate_plan=found("plan"), validate_results=found("answer"), assess=NOT_YET,
        refine_plan=asking(lambda n: Question(text=f"Which of {n}?")),
        profile=TaskProfile(reasoning_depth=5, ambiguity=0),
    )  # fmt: skip
    world.run(Config(questions=Questions(most=most)))
    assert world.phases.count("ask") == most
    after = [e.may_ask for e in world.of("refine_plan")][2 * most :]
    assert after and not any(after)


@pytest.mark.requirement("O6", "K12")
def test_a_question_of_a_planner_that_may_not_ask_is_dropped() -> None:
    """It is neither put nor does it cost a second refinement; the deltas that came with it count."""
    changes = add(step("more")).changed(question=WHICH)
    world = World(validate_plan=found("plan"), refine_plan=changes)
    world.run(Config(questions=Questions(most=0)))
    assert (world.phases.count("ask"), world.phases.count("refine_plan")) == (0, 1)
    assert world.waves == [["s1", "more"]]


@pytest.mark.requirement("O6")
def test_an_assumed_answer_is_listed_under_the_assumptions() -> None:
    """Nobody was there: the default holds, and the result says so; what a person said is no assumption."""
    replies = [Reply(text="2026", assumed=True), Reply(text="in euros")]
    world = World(
        validate_plan=found("plan"), validate_results=found("answer"), assess=NOT_YET,
        refine_plan=asking(lambda n: Question(text=f"Which of {n}?")), ask=lambda _, n: replies[n],
    )  # fmt: skip
    result = world.run(Config(max_passes=2, questions=Questions(most=2)))
    assert len(result.history.task.clarifications) == 2
    assert result.assumptions == (Clarification(question="Which of 0?", answer="2026", assumed=True),)


@pytest.mark.requirement("O6", "J7")
def test_where_asking_fails_the_default_is_assumed() -> None:
    """The failure is listed, and the run goes on."""
    broken = Failure(kind="handler", message="the terminal is gone")
    result = World(validate_plan=found("plan"), refine_plan=asking(), ask=broken).run()
    assert result.assumptions == (Clarification(question="Which year?", answer="2026", assumed=True),)
    assert [(d.phase, d.message) for d in result.degraded] == [("ask", "the terminal is gone")]
    assert result.stop_reason == "converged"


@pytest.mark.requirement("O6", "K13", "X5")
def test_a_waiting_run_ends_without_asking_anything_more() -> None:
    """No synthesis is spent on it: the answer so far is the outputs, and the result carries the question."""
    world = World(
        (step("a"), step("b", "a")), execute=lambda e, _: BLOCKED if e.step.id == "b" else StepResult(output=7),
        assess=NOT_YET, refine_plan=asking(), ask=WAITING,
    )  # fmt: skip
    result = world.run()
    assert world.phases[-1] == "ask" and "synthesize" not in world.phases
    assert (result.stop_reason, result.detail, result.question) == ("waiting", "Which year?", WHICH)
    assert (result.answer, result.assembled, result.converged) == ("do a: 7", True, False)
    assert result.history.task.clarifications == ()


@pytest.mark.requirement("O6", "J2")
@pytest.mark.parametrize(
    ("ambiguity", "most", "inferred", "kinds"),
    [
        (0.79, 3, True, []),
        (0.8, 3, True, ["ambiguous"]),
        (1.0, 3, True, ["ambiguous"]),
        (1.0, 0, True, []),
        (1.0, 3, False, []),
    ],
)
def test_an_ambiguous_task_is_a_reason_to_ask_what_is_meant(
    ambiguity: float, most: int, inferred: bool, kinds: list[str]
) -> None:
    """From the cut on, where the profile is a judgment and a question is left; it says what is ambiguous."""
    profile = AMBIGUOUS.changed(ambiguity=ambiguity, inferred=inferred)
    world = World(profile=profile, refine_plan=asking())
    result = world.run(Config(questions=Questions(most=most, ambiguity=0.8)))
    triggers = result.history.preparation.refinement.triggers
    assert [t.kind for t in triggers] == kinds
    assert [t.detail for t in triggers] == ["no year is given"] * len(kinds)
    assert world.phases.count("ask") == len(kinds)


@pytest.mark.requirement("O6", "J2")
def test_the_ambiguity_from_which_a_run_asks_is_a_setting() -> None:
    """With a lower cut a clearer task is asked about as well."""
    world = World(profile=AMBIGUOUS.changed(ambiguity=0.3), refine_plan=asking())
    world.run(Config(questions=Questions(ambiguity=0.3)))
    assert world.phases.count("ask") == 1


@pytest.mark.requirement("O6", "K2", "K9")
def test_a_run_that_is_asked_to_stop_puts_no_question() -> None:
    """The boundary before the question is one like any other."""
    world = World(validate_plan=found("plan"), refine_plan=asking(), interrupted_at=3)
    result = world.run()
    assert (result.stop_reason, "ask" in world.phases) == ("interrupted", False)


@pytest.mark.requirement("X3", "K9")
def test_a_step_that_was_done_is_not_done_again() -> None:
    """The person says that it was done: it counts as complete without an output, and what builds on it continues.

    No words of ours stand in for the output: they would end up in the arguments of later tools.
    """
    world = World((step("s1"), step("b", "s1")), execute=once(UNKNOWN), ask=Reply(text="done"))
    result = world.run()
    assert world.waves == [["s1"], ["b"]]
    (asked,) = world.of("ask")
    assert asked.question == DONE
    done = result.history.passes[0].executed[0]
    assert (done.id, done.status, done.mode, done.clarity) == ("s1", "complete", "tool", "PARTIALLY_CLEAR")
    assert (done.output, done.problem, result.stop_reason) == (None, "done; its output was lost", "converged")
    depending = world.of("execute")[-1]
    assert (depending.step.id, [source.output for source in depending.inputs]) == ("b", [None])


@pytest.mark.requirement("X3", "K9")
def test_a_step_is_repeated_where_the_person_says_so() -> None:
    """The very same step runs once more, with the same id."""
    world = World(execute=once(UNKNOWN), ask=Reply(text="repeat"))
    result = world.run()
    assert world.waves == [["s1"], ["s1"]]
    assert [(s.id, s.output) for s in result.history.passes[0].executed] == [("s1", "out of s1")]
    assert result.stop_reason == "converged"


@pytest.mark.requirement("X3", "K9", "K13")
def test_a_step_whose_repetition_is_unknown_again_stops_the_run() -> None:
    """The same question is never put twice, so that nothing is repeated on an old answer."""
    world = World(execute=UNKNOWN, ask=Reply(text="repeat"))
    result = world.run()
    assert (world.waves, world.phases.count("ask")) == ([["s1"], ["s1"]], 1)
    assert result.stop_reason == "unknown_outcome"


@pytest.mark.requirement("X3", "K9", "K13")
@pytest.mark.parametrize(
    ("failure", "reply", "questions", "asked"),
    [
        (UNKNOWN, Reply(text="stop"), Questions(), 1),
        (UNKNOWN, Reply(text="no idea"), Questions(), 1),
        (UNKNOWN, Failure(kind="handler", message="the terminal is gone"), Questions(), 1),
        (UNKNOWN, Reply(text="done"), Questions(unknown_outcome="stop"), 0),
        (UNKNOWN, Reply(text="done"), Questions(most=0), 0),
        (UNKNOWN.changed(question=None), Reply(text="done"), Questions(), 0),
    ],
    ids=["stop", "another answer", "no answer", "policy", "no question left", "no question"],
)
def test_an_unknown_outcome_is_never_repeated_unasked(
    failure: Failure, reply: Reply | Failure, questions: Questions, asked: int
) -> None:
    """Without a clear word the run stops, with that reason; the step is left pending, and its dependent too."""
    world = World((step("s1"), step("b", "s1")), execute=failure, ask=reply)
    result = world.run(Config(questions=questions))
    assert (world.waves, world.phases.count("ask")) == ([["s1"]], asked)
    assert (result.stop_reason, result.detail) == ("unknown_outcome", "mail did not return")
    assert (result.abandoned, result.answer) == (("s1", "b"), "the answer")


@pytest.mark.requirement("X3", "X5", "O6")
def test_a_run_waits_for_the_word_on_an_unknown_outcome() -> None:
    """Where nobody is there, the question stays open and nothing is done again."""
    waiting = Failure(kind="waiting", message=DONE.text, question=DONE)
    world = World(execute=UNKNOWN, ask=waiting)
    result = world.run()
    assert (result.stop_reason, result.question, world.waves) == ("waiting", DONE, [["s1"]])


@pytest.mark.requirement("X3", "K4")
def test_each_of_several_unknown_outcomes_in_a_wave_is_asked_about() -> None:
    """One question each, in plan order; a step beside them keeps its result."""

    def execute(effect: Effect, n: int) -> Failure | StepResult:
        question = Question(text=f"was {effect.step.id} done?")
        lost = UNKNOWN.changed(question=question)
        return lost if effect.step.id != "b" else StepResult(output=1)

    world = World((step("a"), step("b"), step("c")), execute=execute, ask=Reply(text="done"))
    result = world.run()
    assert [e.question.text for e in world.of("ask")] == ["was a done?", "was c done?"]
    assert sorted(s.id for s in result.history.passes[0].executed) == ["a", "b", "c"]
    assert world.waves == [["a", "b", "c"]]


ONE_EACH = CallCaps(**dict.fromkeys(CallCaps.model_fields, 1))


@pytest.mark.requirement("K12", "O6")
@pytest.mark.parametrize("new", [True, False], ids=["new questions", "the same question"])
@pytest.mark.parametrize("most", [0, 1, 4])
def test_the_bound_counts_the_questions(most: int, new: bool) -> None:
    """Whatever is asked, answered and repeated, the effects that were issued never add up to more than the bound."""

    def execute(effect: Effect, n: int) -> Failure | StepResult:
        lost = UNKNOWN.changed(question=Question(text=f"was number {n} done?"))
        return BLOCKED if n % 2 else lost

    config = Config(max_passes=6, caps=ONE_EACH, questions=Questions(most=most), limits=RefinementLimits(total_steps=8))
    world = World(
        profile=AMBIGUOUS.changed(reasoning_depth=5), assess=NOT_YET, execute=execute,
        validate_plan=found("plan"), validate_results=found("s1"), ask=Reply(text="repeat"),
        refine_plan=asking((lambda n: Question(text=f"Which of {n}?")) if new else None),
    )  # fmt: skip
    world.run(config)
    assert sum(phase != "ask" for phase in world.phases) <= MULTIPASS.bound(config).calls


@pytest.mark.requirement("O6", "K13", "X5")
@given(random=st.randoms(use_true_random=False))
@settings(max_examples=80)
def test_whatever_is_asked_a_question_is_put_once_and_within_the_cap(random: Random) -> None:
    """In wild runs too; and only a waiting run leaves a question open."""
    config = Config(max_passes=3, questions=Questions(most=random.randint(0, 3), ambiguity=0.3))
    world = WildWorld(random, config)
    result = world.run(config)
    texts = [e.question.text for e in world.of("ask")]
    assert len(texts) == len(set(texts)) <= config.questions.most
    assert (result.stop_reason == "waiting") == (result.question is not None)
    assert {known.question for known in result.history.task.clarifications} <= set(texts)


@pytest.mark.requirement("H3")
@pytest.mark.parametrize("number", range(6))
def test_a_configuration_that_comes_with_an_outcome_holds_from_there_on(number: int) -> None:
    """What is asked before has the old thresholds, what is asked after it the new ones, as has the history."""
    lax = Config(max_passes=2, convergence=ConvergenceThresholds(completeness=0.25))
    world = World(assess=NOT_YET, refine_plan=lambda _, n: add(step(f"more{n}")))
    world.changes = {number: lax}
    result = world.run(Config(max_passes=3))
    assert (result.history.configuration, result.passes) == (lax, 2)
    taken = [e.thresholds.completeness for e in world.of("assess")]
    assert taken == ([0.95, 0.25] if number >= 5 else [0.25, 0.25])
    assert result.bound == MULTIPASS.bound(lax)


@pytest.mark.requirement("H3", "K8")
def test_from_a_change_of_the_configuration_on_its_refinement_limits_hold() -> None:
    """A run that is forked with other limits refines by them."""
    none_left = Config(limits=RefinementLimits(attempts=0))
    world = World(validate_plan=found("plan"), refine_plan=add(step("more")))
    world.changes = {0: none_left}
    result = world.run()
    assert world.of("refine_plan") == [] and result.history.preparation.refinement.applied == ()
    unchanged = World(validate_plan=found("plan"), refine_plan=add(step("more"))).run()
    assert unchanged.history.preparation.refinement.applied


@pytest.mark.requirement("O6", "K9")
def test_a_run_that_something_else_stops_waits_for_no_answer() -> None:
    """Where the budget ends a run before its question is put, the result has no open question."""
    world = World(validate_plan=found("plan"), refine_plan=asking(), seconds=10)
    result = world.run(Config(budget=Budget(seconds=45)))
    assert (result.stop_reason, result.question) == ("seconds_exhausted", None)
    assert "ask" not in world.phases and result.history.preparation.refinement.question is None
