"""The history of a run: deltas from which each pass's plan is derived, and a record of every pass."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel.world import CONVERGED, ENDPOINT_DOWN, NOT_YET, ONE_CALL, WildWorld, World, add, found, step

from aeon.observability.lines import plain
from aeon.observability.passes.report import history_lines
from aeon.observability.snapshot import plan_before
from aeon.runtime.lines import digest
from aeon.schema import (
    Answer,
    Budget,
    Claim,
    Config,
    ExecutionHistory,
    Failure,
    Reading,
    RefinementLimits,
    Result,
    SemanticValidationReport,
    TaskProfile,
    Verdict,
)
from aeon.schema.claims import ENDINGS
from aeon.schema.statistics import JudgmentCounts

SEVEN = Reading(value="7", form="point")
DEEP = TaskProfile(reasoning_depth=5, ambiguity=1, confidence_requirement="high")


@pytest.mark.requirement("H2", "H1")
@given(random=st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_the_plan_that_a_pass_found_is_derived_from_start_and_deltas(random: Random) -> None:
    """For wild runs, each derived plan holds exactly the steps that the pass then ran and judged."""
    config = Config(max_passes=4, budget=Budget(cost=None))
    world = WildWorld(random, config)
    result = world.run(config)
    executed = 0
    issued = [(e.step, o.failure) for e, o in zip(world.effects, world.outcomes, strict=True) if e.phase == "execute"]
    done = [step for step, failure in issued if failure is None or failure.kind != "skipped"]
    some_lost = any(o.failure and o.failure.kind == "unknown" for o in world.outcomes)  # a step may be issued twice
    in_turns = bool(world.of("turn") or world.of("write"))  # these take several effects
    for record in result.history.passes:
        derived = plan_before(result.history, record.number).merge(record.executed)
        judged = [e for e in world.of("validate_results") if e.executed == tuple(s.id for s in record.executed)]
        ran = done[executed : executed + len(record.executed)]
        executed += len(record.executed)
        as_issued = [s.id for s in ran if s.status == "running"] == [s.id for s in record.executed]
        assert as_issued or not record.complete or some_lost or in_turns
        if record.complete:  # one that ended right after its execute phase was never judged, only synthesized
            assert derived in [e.plan for e in (*judged, *world.of("synthesize"))]


@pytest.mark.requirement("H1")
@given(random=st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_the_statistics_follow_from_the_history_and_are_what_happened(random: Random) -> None:
    """Of wild runs: each effect that was issued is one of its phase, whatever ended the run; so in JSON, and back."""
    config = Config(max_passes=4, budget=Budget(cost=None))
    world = WildWorld(random, config)
    history = world.run(config).history
    whole = history.statistics
    assert whole.effects == Counter(effect.phase for effect in world.effects)
    assert (whole.usage, whole.seconds, whole.passes) == (
        history.conclusion.usage, history.conclusion.seconds, len(history.passes)
    )  # fmt: skip
    written = history.model_dump(mode="json")
    assert written["statistics"]["effects"] == whole.effects
    assert ExecutionHistory.model_validate(written) == history


@pytest.mark.requirement("H1", "J8")
def test_the_statistics_tell_judgments_that_were_made_from_those_that_were_not() -> None:
    """A model made some, nobody was asked for others, and one failed; the report of the run says so."""
    clean, failed = SemanticValidationReport(form="verdict"), Failure(kind="request", message="no")
    result = World(validate_plan=clean, validate_results=failed, assess=CONVERGED).run()
    assert result.history.statistics.judgments == JudgmentCounts(made=3, not_made=0, failed=1)
    unasked = World(profile=TaskProfile(inferred=False), validate_results=SemanticValidationReport()).run()
    assert unasked.history.statistics.judgments == JudgmentCounts(made=1, not_made=3, failed=0)
    refused = World(profile=failed).run().history.statistics.judgments
    assert refused.failed == 1
    assert "judgments  3 made, 0 not made, 1 failed" in plain(history_lines(result.history))


@pytest.mark.requirement("J6", "G4")
@pytest.mark.parametrize(
    ("verdicts", "codes"),
    [
        (("supported",), ()),
        (("partial", "not_checked"), ()),
        (("not_found",), ("unsupported",)),
        (("supported", "not_found", "contradicted", "not_found"), ("contradicted", "unsupported")),
    ],
)
def test_the_last_assessment_is_held_against_the_claims_of_the_answer(
    verdicts: tuple[Verdict, ...], codes: tuple[str, ...]
) -> None:
    """It was green when the answer was worded; with a claim that does not stand it is not, and names it."""
    claims = tuple(
        Claim(
            id=f"c{n}", start=n, end=n + 1, text=str(n), kind="number", note="nowhere" * (n % 2), verdict=verdict,
            reading=Reading(value=str(n), form="point"),
        )
        for n, verdict in enumerate(verdicts)
    )  # fmt: skip
    result = World(synthesize=Answer(text="0123", claims=claims)).run()
    last = result.history.passes[-1].assessment
    assert (
        last and last.converged and not last.reason_codes and result.assessment == result.history.conclusion.assessment
    )
    assert result.assessment and (result.assessment.converged, result.assessment.reason_codes) == (not codes, codes)
    named = [f"answer[{c.start}:{c.end}]: {c.text}: {c.note or c.verdict}" for c in claims if c.verdict in ENDINGS]
    assert list(result.assessment.detected_issues) == [*last.detected_issues, *named]
    assert result.stop_reason == next(iter(codes), "converged")


@pytest.mark.requirement("J6", "H1")
def test_an_assessment_that_is_not_green_gets_the_codes_of_the_claims_too() -> None:
    """A run that ends because its passes are used up says what is wrong with its answer all the same."""
    lost = Claim(id="c1", start=0, end=1, text="7", kind="number", reading=SEVEN, verdict="not_found")
    answer = Answer(text="7", claims=(lost,))
    result = World(synthesize=answer, assess=NOT_YET).run()
    assert result.stop_reason == "stalled" and result.assessment
    assert result.assessment.reason_codes == (*NOT_YET.reason_codes, "unsupported")
    plain = World(synthesize=answer.changed(claims=()), assess=NOT_YET).run()
    assert plain.assessment == NOT_YET and digest(result) != digest(plain)


@pytest.mark.requirement("H2")
def test_the_plan_at_the_end_is_one_past_the_last_pass() -> None:
    """It holds the last outputs; a pass that never was is an error."""
    result = refined_run(3, size=2)
    last = plan_before(result.history, result.passes + 1)
    assert [s.status for s in last.steps] == ["complete"] * 5
    assert [len(plan_before(result.history, n).steps) for n in (1, 2, 3)] == [3, 4, 5]
    for number in (0, result.passes + 2):
        with pytest.raises(IndexError, match=f"pass {number} is not among the 3"):
            plan_before(result.history, number)


def refined_run(passes: int, size: int) -> Result:
    """A run of so many passes that adds one step before each."""
    world = World(
        tuple(step(f"s{n}") for n in range(size)), validate_plan=found("plan"), validate_results=found("plan"),
        assess=NOT_YET, refine_plan=lambda _, n: add(step(f"more{n}")), profile=DEEP,
    )  # fmt: skip
    limits = RefinementLimits(attempts_per_fragment=90, attempts=90, plan_steps=99, total_steps=200)
    return world.run(Config(max_passes=passes, limits=limits, budget=Budget(cost=None)))


@pytest.mark.requirement("H2")
def test_a_pass_adds_as_much_to_the_history_as_it_changed() -> None:
    """A further pass of one step costs the same however large the plan is."""

    def growth(size: int) -> int:
        sizes = [len(refined_run(passes, size).history.model_dump_json()) for passes in (5, 6)]
        return sizes[1] - sizes[0]

    small, large = growth(5), growth(60)
    assert abs(large - small) < 50


@pytest.mark.requirement("H1")
def test_a_pass_records_everything_about_itself() -> None:
    """Profile, steps, report, assessment, decision, deltas, clarity, spending and timings are all there."""
    result = refined_run(2, size=1)
    first, second = result.history.passes
    assert first.profile == DEEP
    assert first.clarity == {"s0": "CLEAR", "more0": "CLEAR"}
    assert first.report == found("plan")
    assert first.assessment == NOT_YET
    assert first.decision and (first.decision.action, first.decision.reason) == ("CONTINUE", "continue")
    assert [a.steps[0].id for a in first.refinement.applied] == ["more1"]
    assert (first.budget_before.calls, first.budget_after.calls) == (5, 11)
    phases = ["execute", "execute", "validate_results", "assess", "refine_plan", "validate_plan"]
    assert [t.phase for t in first.timings] == phases
    assert [(t.started, t.ended) for t in first.timings] == [(5, 6), (5, 6), (6, 7), (7, 8), (8, 9), (9, 10)]
    assert second.decision and (second.decision.action, second.decision.reason) == ("OUTPUT", "ttl_expired")
    assert second.budget_before == first.budget_after


@pytest.mark.requirement("H1")
def test_the_history_holds_task_configuration_preparation_and_conclusion() -> None:
    """What was asked, under which settings, what was prepared and how it ended."""
    config = Config(max_passes=2)
    result = World(validate_plan=found("plan"), refine_plan=add(step("n"))).run(config, task="Add up the sums.")
    history = result.history
    assert (history.execution_id, history.task.text, history.configuration) == ("run-1", "Add up the sums.", config)
    assert [s.id for s in history.preparation.plan.steps] == ["s1"]
    assert history.preparation.report == found("plan")
    prepared = ["profile", "plan", "validate_plan", "refine_plan", "validate_plan"]
    assert [t.phase for t in history.preparation.timings] == prepared
    assert history.synthesis and history.synthesis.phase == "synthesize"
    assert history.conclusion.usage.calls == 10 * ONE_CALL.calls
    assert history.conclusion.seconds == 9.0
    assert Result.model_validate_json(result.model_dump_json()) == result


@pytest.mark.requirement("H1", "H2")
def test_a_run_that_ends_during_preparation_keeps_what_was_prepared() -> None:
    """The drafted plan, whose steps the result names as abandoned, stands in the history with its timings."""
    result = World().run(Config(budget=Budget(tokens=200)))
    assert result.abandoned == ("s1",)
    assert [s.id for s in plan_before(result.history, 1).steps] == ["s1"]
    assert [t.phase for t in result.history.preparation.timings] == ["profile", "plan"]


@pytest.mark.requirement("H1")
def test_a_run_without_synthesis_has_no_timing_of_one() -> None:
    """Where the endpoint failed, nothing was synthesized."""
    result = World(validate_results=ENDPOINT_DOWN).run()
    assert result.history.synthesis is None


@pytest.mark.requirement("H1", "J5")
def test_the_check_of_a_plan_is_in_the_history_also_where_the_run_ends_right_after_it() -> None:
    """The budget is gone before the plan can be refined: what was wrong with it stands in the record all the same."""
    world = World(validate_plan=found("plan"), refine_plan=add(step("n")))
    result = world.run(Config(budget=Budget(tokens=400)))
    assert world.phases == ["profile", "plan", "validate_plan", "synthesize"]
    assert result.history.preparation.report == found("plan")
    assert [t.phase for t in result.history.preparation.timings] == ["profile", "plan", "validate_plan"]
