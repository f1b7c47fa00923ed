"""The profile of a task, inferred again, and the questions of an evaluation: what changes the course of a run."""

from __future__ import annotations

import pytest
from kernel.world import BLOCKED, CONVERGED, NOT_YET, World, add, found, step

from aeon.multipass.record import DECLINED
from aeon.schema import (
    ROWS,
    Answer,
    Budget,
    Claim,
    Config,
    ConvergenceAssessment,
    Dimensions,
    Evaluation,
    Failure,
    Question,
    Questions,
    Reading,
    ReasoningEngine,
    Refinement,
    RefinementLimits,
    Reply,
    ReplyKind,
    SemanticValidationReport,
    Standing,
    StepResult,
    TaskProfile,
)
from aeon.schema.effects import Effect


def growing(effect: object, n: int) -> Refinement:
    """A refinement that adds a step each time it is asked for."""
    return add(step(f"more{n}"))


@pytest.mark.requirement("J3")
@pytest.mark.parametrize(("said", "taken"), [(1, 2), (2, 2), (4, 4), (5, 4)])
def test_a_new_profile_stays_within_one_tier_of_the_first(said: int, taken: int) -> None:
    """A blocked step and an issue lead to a new profile, whose depth is held to one tier up or down."""
    depths = [3, said]
    world = World(
        execute=lambda e, n: BLOCKED if n == 0 else StepResult(output=1), assess=NOT_YET, refine_plan=growing,
        validate_results=found("s1"), profile=lambda _, n: TaskProfile(reasoning_depth=depths[min(n, 1)]),
    )  # fmt: skip
    result = world.run(Config(max_passes=2))
    first, second = result.history.passes
    assert (first.profile.reasoning_depth, first.profile.version) == (3, 1)
    assert (second.profile.reasoning_depth, second.profile.version) == (taken, 2)
    assert world.of("profile")[1].issues == ("s1 is wrong",)


@pytest.mark.requirement("J3")
@pytest.mark.parametrize(
    ("clarity", "report", "assessment", "asked"),
    [
        ("BLOCKED", found("s1"), NOT_YET, 2),
        ("CLEAR", found("s1"), NOT_YET, 1),
        ("BLOCKED", SemanticValidationReport(), NOT_YET, 1),
        ("BLOCKED", found("s1"), CONVERGED, 1),
    ],
    ids=["all three", "not blocked", "no issues", "converged"],
)
def test_the_profile_is_asked_again_only_for_all_three_reasons(
    clarity: str, report: SemanticValidationReport, assessment: ConvergenceAssessment, asked: int
) -> None:
    """Not converged, an issue and a blocked step must come together."""
    world = World(
        execute=StepResult(output=1, clarity=clarity), validate_results=report, assess=assessment, refine_plan=growing
    )
    world.run(Config(max_passes=2))
    assert world.phases.count("profile") == asked


def reprofiled(*depths: int, **replies: object) -> World:
    """A world with a blocked step and an issue in each pass, and a profile of these depths, one after the other."""
    said: dict[str, object] = {
        "execute": BLOCKED,
        "assess": NOT_YET,
        "refine_plan": growing,
        "validate_results": lambda effect, _: found(effect.executed[0]),
        "profile": lambda _, n: TaskProfile(reasoning_depth=depths[min(n, len(depths) - 1)], ambiguity=0),
    }
    return World(**said | replies)  # type: ignore[arg-type]


@pytest.mark.requirement("J3", "H1")
def test_a_revised_profile_that_ends_the_run_is_in_the_record() -> None:
    """An easier task gets fewer passes: the run ends at once, and the pass at whose end it was revised says why."""
    world = reprofiled(3, 3, 2)
    result = world.run()
    assert (result.stop_reason, result.detail, result.passes) == ("ttl_expired", "all 2 passes are used", 2)
    first, second = result.history.passes
    assert second.revised_profile and (second.revised_profile.reasoning_depth, second.revised_profile.version) == (2, 3)
    assert first.revised_profile == second.profile
    assert second.decision and second.decision.action == "CONTINUE"


@pytest.mark.requirement("J3", "H1")
def test_a_pass_without_a_revision_records_none() -> None:
    """Also where the profile was asked for again and the judgment failed."""
    world = reprofiled(3)
    world.replies["profile"] = lambda _, n: (  # type: ignore[assignment]
        Failure(kind="completion", message="declined") if n else TaskProfile(reasoning_depth=3, ambiguity=0)
    )
    result = world.run(Config(max_passes=2))
    assert world.phases.count("profile") == 2
    assert [record.revised_profile for record in result.history.passes] == [None, None]
    assert result.history.passes[1].profile == result.history.preparation.profile


@pytest.mark.requirement("J3", "J7")
def test_a_profile_that_failed_is_not_asked_for_again_unasked() -> None:
    """The default stands in for it, as it did: journals of such runs replay."""
    failed = Failure(kind="completion", message="declined")
    world = World(assess=NOT_YET, refine_plan=growing, profile=lambda _, n: failed)  # type: ignore[arg-type, return-value]
    world.run(Config(max_passes=3))
    assert world.phases.count("profile") == 1


WHICH = Question(text="Which year?", default="2026")


def evaluated(needs_clarification: bool = True, confidence: float = 0.3) -> ConvergenceAssessment:
    """Not converged, and so confident; perhaps a question would help."""
    return NOT_YET.changed(
        evaluation=Evaluation(
            confidence=confidence, coverage=1.0, dimensions=Dimensions(), needs_clarification=needs_clarification
        )
    )


def unsure(effect: Effect, _: int) -> Refinement:
    """The question, once; then a step more."""
    asked = bool(effect.task.clarifications)
    if effect.may_ask and not asked:  # type: ignore[attr-defined]
        return Refinement(question=WHICH)
    return add(step(f"more{len(effect.plan.steps)}"))  # type: ignore[attr-defined]


@pytest.mark.requirement("O4", "O6", "H1")
def test_a_decision_to_ask_stands_in_the_record_of_its_pass() -> None:
    """The evaluation sees a need, a question is left: the pass decides ASK, and the question follows."""
    world = World(assess=evaluated(), refine_plan=unsure, ask=Reply(text="1066"))
    result = world.run(Config(max_passes=2, questions=Questions(most=1)))
    first, second = result.history.passes
    assert first.decision and (first.decision.action, first.decision.reason) == ("ASK", "needs_clarification")
    assert (first.refinement.question, world.phases.count("ask")) == (WHICH, 1)
    assert second.decision and second.decision.action == "OUTPUT"
    noted = [note.decision.action for note in world.notes if note.decision]
    assert noted == ["ASK", "ASK", "OUTPUT"]


@pytest.mark.requirement("O4", "O6")
@pytest.mark.parametrize(
    ("assessment", "questions"),
    [(evaluated(False), Questions()), (evaluated(), Questions(most=0)), (NOT_YET, Questions())],
    ids=["no need", "no question left", "no evaluation"],
)
def test_a_pass_decides_to_ask_only_where_a_question_is_needed_and_left(
    assessment: ConvergenceAssessment, questions: Questions
) -> None:
    """Otherwise it continues."""
    result = World(assess=assessment, refine_plan=growing).run(Config(max_passes=2, questions=questions))
    decision = result.history.passes[0].decision
    assert decision and (decision.action, decision.reason) == ("CONTINUE", "continue")


@pytest.mark.requirement("O4")
@pytest.mark.parametrize(("first", "passes"), [("needs_clarification", 6), ("diminishing_returns", 4)])
def test_the_order_of_the_table_is_honoured_between_asking_and_giving_up(first: str, passes: int) -> None:
    """Both rows hold after four passes without a gain: the one that stands first decides, and what follows is its."""
    order = [first, *(row for row in ROWS if row != first)]
    engine = ReasoningEngine.model_validate({"decide": {"order": order}})
    limits = RefinementLimits(attempts_per_fragment=9)
    config = Config(max_passes=6, reasoning_engine=engine, limits=limits, budget=Budget(cost=None))
    profile = TaskProfile(reasoning_depth=5, ambiguity=0, confidence_requirement="high")
    world = World(profile=profile, assess=evaluated(), refine_plan=growing)
    result = world.run(config)
    assert result.passes == passes
    decision = result.history.passes[3].decision
    assert decision and decision.reason == first
    assert result.stop_reason == ("ttl_expired" if first == "needs_clarification" else "diminishing_returns")


@pytest.mark.requirement("S2")
@pytest.mark.parametrize(
    ("said", "standing", "declined"),
    [
        ("refusal", "assumed", True),
        ("refusal", "measured", True),
        ("refusal", "bad", False),
        ("hedge", "assumed", False),
    ],
)
def test_what_a_judge_takes_for_a_refusal_is_no_answer(said: ReplyKind, standing: Standing, declined: bool) -> None:
    """Its text is quoted as what the model wrote and claims nothing; a judge measured as bad decides nothing."""
    claim = Claim(id="c1", start=0, end=1, text="I", kind="name", reading=Reading(value="i", form="text"))
    review = NOT_YET.changed(reply=said, standing=standing, reason_codes=(said,), form="verdict")
    world = World(assess=review, synthesize=Answer(text="I can't.", claims=(claim,)), refine_plan=growing)
    result = world.run(Config(max_passes=2))
    assert result.answer == (f"{DECLINED} I can't." if declined else "I can't.")
    assert (result.claims == ()) == declined and not result.sufficient
