"""The evaluation of a plan after a pass: every component on plans of every kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.convergence.evaluation import Judgments, evaluate
from aeon.grounding.results import PlanEvidence
from aeon.multipass.effects import AssessConvergence
from aeon.multipass.trends import confident as confident_rule
from aeon.schema import (
    Agreement,
    Clarity,
    ConfidenceParts,
    Contradiction,
    ConvergenceThresholds,
    Derivation,
    Dimensions,
    Evaluation,
    Form,
    Gaps,
    Issue,
    IssueType,
    JsonObject,
    JsonValue,
    Plan,
    Reasoning,
    ReasoningEngine,
    SemanticValidationReport,
    Step,
    StepMode,
    StepStatus,
    Task,
    ToolLoop,
    ToolUse,
)
from aeon.schema.turns import Lines
from aeon.schema.weight import Weight

SCORES = {"completeness": 0.96, "coherence": 0.8, "consistency": 0.7}


def step(
    name: str,
    status: StepStatus = "complete",
    mode: StepMode | None = "program",
    clarity: Clarity = "CLEAR",
    needs: tuple[str, ...] = (),
) -> Step:
    """A step as it stands after a pass."""
    action = Reasoning() if mode == "reasoning" else ToolLoop(form="program")
    return Step(
        id=name, description=f"find {name}", action=action, status=status, mode=mode, clarity=clarity,
        dependencies=needs,
    )  # fmt: skip


def reasoned(name: str, *needs: str) -> Step:
    """A complete step that the model did itself."""
    return step(name, mode="reasoning", needs=needs)


def blocked(name: str) -> Step:
    """A step that lacked something."""
    return step(name, "invalid", clarity="BLOCKED")


def evaluated(
    *steps: Step,
    issues: Sequence[Issue] = (),
    entities: dict[str, bool] | None = None,
    failed: bool = False,
    form: Form = "none",
    contradictions: Sequence[Contradiction] = (),
    scores: Mapping[str, float] | None = None,
    criteria: tuple[tuple[str, bool], ...] = (),
    task: str = "What is it?",
    **policy: JsonObject,
) -> Evaluation:
    """The evaluation of these steps under this policy; without scores, results have the usual ones.

    However few sources there are, that lowers no confidence, unless the policy says so.
    """
    policy["evaluate"] = {"min_sources_for_confidence": 0} | policy.get("evaluate", {})
    effect = AssessConvergence(
        task=Task(text=task), plan=Plan(steps=steps), thresholds=ConvergenceThresholds(),
        report=SemanticValidationReport(issues=tuple(issues), failed=failed, form=form),
    )  # fmt: skip
    if scores is None:
        scores = SCORES if any(step.status == "complete" for step in steps) else {}
    judgments = Judgments(scores, criteria, entities, tuple(contradictions))
    evidence = PlanEvidence(effect.task, effect.plan)
    return evaluate(effect, ReasoningEngine.model_validate(policy), judgments, evidence)


def parts(*steps: Step, **given: object) -> ConfidenceParts:
    """The components of the confidence."""
    found = evaluated(*steps, **given).parts  # type: ignore[arg-type]
    assert found is not None
    return found


def issue(kind: IssueType, location: str) -> Issue:
    """An issue of a kind at a step."""
    return Issue(type=kind, description="It is off.", location=location)


def gave(name: str, output: JsonValue, score: float | None = None, *lines: Lines) -> Step:
    """A complete step whose call gave this output, from these sentences, and what a judge made of it."""
    use = ToolUse(id=f"{name}.1", tool="quote" if lines else "sql", arguments={}, output=output, lines=lines)
    return step(name).changed(output=output, uses=(use,), weight=Weight(score=score))


def said(name: str, text: str, *needs: str) -> Step:
    """A complete step that the model worded so."""
    return reasoned(name, *needs).changed(output=text)


FEE = Lines(source="fees.md", spans=((0, 23),), texts=("The fee is 12.50 euros.",))


@pytest.mark.requirement("O2")
@pytest.mark.parametrize(
    ("steps", "quality"),
    [
        ((gave("s1", 12.5),), 1.0),
        ((gave("s1", 12.5, 0.9),), 0.9),
        ((gave("s1", [12.5, 3], 0.9), gave("s2", [7, 8])), 0.95),
        ((gave("s1", 12.5, 0.9), said("s2", "It is 12.5.", "s1")), 0.9),
        ((gave("s1", 12.5, 0.9), gave("s2", 7), said("s3", "12.5 + 7 = 19.5.", "s1", "s2")), 2.8 / 3),
        ((gave("s1", 12.5, 0.9, FEE).changed(output="12.50 euros"),), 0.9),
        ((gave("s1", 12.5, None, FEE), said("s2", "It is 12.50 euros and 99.", "s1")), 1.0),
        ((gave("s1", 12.5), said("s2", "It is 99.", "s1")), None),
        ((said("s1", "It is 99."),), None),
        ((gave("s1", True),), None),
        ((gave("s1", 12.5).changed(status="failed"),), None),
    ],
)
def test_source_quality_is_how_what_results_rest_on_came_about(steps: tuple[Step, ...], quality: float | None) -> None:
    """It is counted in values of final results; one that rests on nothing has no source, and says nothing of one."""
    assert parts(*steps).source_quality == (None if quality is None else pytest.approx(quality, abs=1e-6))


@pytest.mark.requirement("O2")
@pytest.mark.parametrize(
    ("steps", "density"),
    [
        ((step("s1"), step("s2")), 1.0),
        ((reasoned("s1"), reasoned("s2")), 0.0),
        ((step("s1"), reasoned("s2")), 0.5),
        ((step("s1"), reasoned("s2", "s1")), 1.0),
        ((step("s1"), reasoned("s2", "s1"), reasoned("s3", "s2")), 1.0),
        ((reasoned("s1"), step("s2", needs=("s1",))), 1.0),
        ((reasoned("s1"), reasoned("s2", "s1"), step("s3", "failed", needs=("s2",))), 0.0),
        ((step("s1", "invalid"), reasoned("s2", "s1")), 0.0),
    ],
)
def test_citation_density_is_what_final_results_rest_on(steps: tuple[Step, ...], density: float) -> None:
    """A result that nothing builds on rests on a tool itself or through earlier steps whose results stand."""
    assert parts(*steps).citation_density == density


@pytest.mark.requirement("O2")
@pytest.mark.parametrize(
    ("text", "density"),
    [
        ("They pay 37.5.", 1.0),
        ("They pay 37.5 and 99.", 0.5),
        ("3 guests pay 99.", 0.0),
        ("3 guests pay.", 0.0),
        ("37.5 + 2.5 = 40, and the tip is 2.5.", 1.0),
        ("37.5 + 99 = 136.5.", 1 / 3),
        ("3 + 4 = 7.", 0.0),
        ("They pay.", 1.0),
    ],
)
def test_citation_density_is_counted_in_values(text: str, density: float) -> None:
    """Of a reasoned result those that a tool gave, or that follow from such; neither an invented one nor the task's."""
    first = gave("s1", [37.5, 2.5])
    result = evaluated(first, reasoned("s2", "s1").changed(output=text), task="What do 3 guests pay, or 4?")
    assert result.parts and result.parts.citation_density == pytest.approx(density, abs=1e-6)
    warned = "no value of a result stands in what a tool gave or in a cited sentence" in result.warnings
    assert warned is (density == 0)


@pytest.mark.requirement("O2")
def test_a_reading_is_held_against_its_sentence() -> None:
    """Its words are the model's; a value that its cited sentence does not have is no citation."""
    read = gave("s1", "12.50 euros", None, FEE)
    assert parts(read).citation_density == 1.0
    assert parts(read.changed(output="13.50 euros")).citation_density == 0.0


@pytest.mark.requirement("O2")
def test_without_a_final_result_there_is_no_citation_density() -> None:
    """Nothing could rest on a tool."""
    assert parts(step("s1", "failed"), step("s2", "pending")).citation_density is None


@pytest.mark.requirement("O2")
def test_consistency_is_the_judges() -> None:
    """Where no judge compared results it is absent, not 1."""
    assert parts(step("s1")).consistency == 0.7
    assert parts(step("s1"), scores={"completeness": 1.0}).consistency is None


@pytest.mark.requirement("O2")
@pytest.mark.parametrize(
    ("steps", "recency"),
    [
        ((step("s1"), step("s2")), None),
        ((step("s1"), step("s2", "failed")), None),
        ((step("s1"), step("s2", "pending")), None),
        ((step("s1"), step("s2", "invalid"), step("s2_r1", "pending")), None),
        ((step("s1"), step("s2_r1"), step("s2_r2")), None),
        ((step("s1"), step("s2", "failed"), step("s2_r1")), 1.0),
        ((step("s1"), step("s2", "invalid"), step("s2_r1", "failed")), 0.5),
        ((step("s1"), step("s2", "failed"), step("s2_r1"), step("s3", "failed")), pytest.approx(2 / 3, abs=1e-6)),
        ((step("s1", "failed"), step("s1_r1", "failed")), 0.0),
    ],
)
def test_recency_is_the_share_of_results_that_still_stand(steps: tuple[Step, ...], recency: float | None) -> None:
    """Measured once a step was executed again; an attempt that was made good, or is being, is forgiven."""
    assert parts(*steps).recency == recency


@pytest.mark.requirement("O2")
@pytest.mark.parametrize(
    ("steps", "coverage"),
    [
        ((step("s1"), step("s2")), 1.0),
        ((step("s1"), step("s2", "pending")), 0.5),
        ((step("s1"), blocked("s2"), step("s3", "failed"), step("s4", "pending")), 0.25),
        ((step("s1"), step("s2", clarity="PARTIALLY_CLEAR")), 0.75),
        ((step("s1"), blocked("s2"), step("s2_r1")), 1.0),
        ((step("s1"), blocked("s2"), step("s2_r1"), step("s2_r2", "failed")), 0.75),
        ((step("s1"), blocked("s2"), step("s2_r1", "failed"), step("s2_r3"), step("s2_r2")), 1.0),
        ((step("s1"), blocked("s2"), step("s2_r1", "failed"), step("s2_r2", "pending")), 0.5),
        ((step("s1"), blocked("s2"), step("s2_r1", "failed"), step("s2_r3", "failed"), step("s2_r2")), 0.75),
        ((), None),
    ],
)
def test_coverage_is_the_share_of_aspects_addressed(steps: tuple[Step, ...], coverage: float | None) -> None:
    """An aspect is a fragment of the plan, subplan included; what is partly clear or done addresses it partly."""
    assert evaluated(*steps).coverage == coverage


@pytest.mark.requirement("O2")
def test_a_result_beside_the_point_addresses_no_aspect() -> None:
    """Its step is complete, and an issue says that it is not relevant; other issues leave the coverage as it is."""
    for kind, coverage in (("relevance", 0.5), ("consistency", 1.0)):
        assert evaluated(step("s1"), reasoned("s2"), issues=[issue(kind, "s2")]).coverage == coverage  # type: ignore[arg-type]


@pytest.mark.requirement("O2", "O3")
def test_the_criteria_of_the_task_are_aspects() -> None:
    """One that the assessment says is not met is an aspect that is not answered."""
    result = evaluated(step("s1"), criteria=(("in euros", False), ("short", True)))
    assert result.coverage == pytest.approx(2 / 3, abs=1e-6) and result.gaps.unanswered_aspects == ("in euros",)


@pytest.mark.requirement("O2")
@pytest.mark.parametrize(("completeness", "coverage"), [(0.0, 0.0), (0.41, 0.41), (0.8, 0.75), (0.95, 0.75)])
def test_coverage_is_not_above_a_completeness_that_is_too_low(completeness: float, coverage: float) -> None:
    """What the results lack has no step: the aspects that the plan names are not all that are required."""
    steps, scores = (step("s1"), step("s2", clarity="PARTIALLY_CLEAR")), {"completeness": completeness}
    assert evaluated(*steps, scores=scores).coverage == coverage
    by_entities: JsonObject = {"coverage_method": "entity_ratio"}
    entities = evaluated(*steps, scores=scores, entities={"a sum": True}, state_monitor=by_entities)
    assert entities.coverage == (completeness if completeness < 0.95 else 1.0)


@pytest.mark.requirement("O2")
def test_coverage_can_count_what_the_answer_must_contain() -> None:
    """With ``entity_ratio`` it is the share of named things that are there; where none could be named, of aspects."""
    by_entities: JsonObject = {"coverage_method": "entity_ratio"}
    steps, named = (step("s1"), step("s2", "pending")), {"a sum": True, "a tax": True, "a total": False}
    assert evaluated(*steps, entities=named, state_monitor=by_entities).coverage == pytest.approx(2 / 3, abs=1e-6)
    assert evaluated(*steps, entities=named).coverage == 0.5
    assert evaluated(*steps, state_monitor=by_entities).coverage == 0.5


@pytest.mark.requirement("O2")
def test_entity_coverage_is_how_much_of_the_answer_is_there() -> None:
    """The share of the things that it must contain; where none were named, the judge's completeness, or nothing."""
    assert parts(step("s1"), step("s2", "pending")).entity_coverage == 0.96
    assert parts(step("s1", "failed"), scores={}).entity_coverage is None
    by_entities: JsonObject = {"coverage_method": "entity_ratio"}
    named = {"a sum": True, "a tax": False}
    assert parts(step("s1"), entities=named, state_monitor=by_entities).entity_coverage == 0.5


@pytest.mark.requirement("O2", "O4")
@pytest.mark.parametrize(("completeness", "confident"), [(0.0, False), (0.41, False), (0.89, False), (1.0, True)])
@pytest.mark.parametrize("others", [{}, {"consistency": 1.0, "coherence": 1.0}])
def test_tools_alone_make_no_incomplete_answer_a_confident_one(
    completeness: float, confident: bool, others: dict[str, float]
) -> None:
    """Every step done by a tool, one of them twice: whatever else is measured as 1, a low completeness stops no run."""
    scores = {"completeness": completeness} | others
    result = evaluated(step("s1"), step("s2", "failed"), step("s2_r1"), scores=scores)
    assert result.parts and result.parts.recency == 1.0
    assert confident_rule(ReasoningEngine(), [result]) is confident


@pytest.mark.requirement("O2")
def test_confidence_is_the_weighted_mean_of_its_parts() -> None:
    """With the design's weights, and with others."""
    steps = (gave("s1", [1.5, 2], 0.9), said("s2", "It is 99."), step("s3", "failed"))
    steps = (*steps, step("s3_r1", "failed"))
    assert parts(*steps).model_dump() == {
        "source_quality": 0.9, "entity_coverage": 0.96, "citation_density": 0.5, "consistency": 0.7,
        "recency": pytest.approx(2 / 3, abs=1e-6),
    }  # fmt: skip
    expected = 0.30 * 0.9 + 0.25 * 0.96 + 0.20 * 0.5 + 0.15 * 0.7 + 0.10 * 2 / 3
    assert evaluated(*steps).confidence == pytest.approx(expected, abs=1e-6)
    only: JsonObject = {**dict.fromkeys(ConfidenceParts.model_fields, 0), "consistency": 1}
    assert evaluated(*steps, state_monitor={"weights": only}).confidence == 0.7


@pytest.mark.requirement("O2")
def test_the_weight_of_a_part_that_was_not_measured_goes_to_the_others() -> None:
    """Three parts of five were measured: they share the whole weight in their proportion."""
    result = evaluated(gave("s1", 12.5, 0.9), reasoned("s2"), scores={"completeness": 0.41})
    assert result.parts == ConfidenceParts(source_quality=0.9, entity_coverage=0.41, citation_density=0.5)
    assert result.confidence == pytest.approx((0.30 * 0.9 + 0.25 * 0.41 + 0.20 * 0.5) / 0.75, abs=1e-6)


@pytest.mark.requirement("O2", "O4")
def test_where_nothing_was_measured_there_is_no_confidence() -> None:
    """No step is complete and nothing was judged, or only parts without a weight were: no run is confident by that."""
    nothing = evaluated(step("s1", "failed"), scores={})
    assert nothing.parts == ConfidenceParts() and nothing.confidence is None
    assert nothing.dimensions == Dimensions() and nothing.score is None
    only: JsonObject = {**dict.fromkeys(ConfidenceParts.model_fields, 0), "consistency": 1}
    weightless = evaluated(step("s1"), scores={"completeness": 1.0}, state_monitor={"weights": only})
    assert weightless.confidence is None and not confident_rule(ReasoningEngine(), [weightless])


@pytest.mark.requirement("O2")
@pytest.mark.parametrize(("least", "share"), [(0, 1.0), (1, 1.0), (2, 0.5), (4, 0.25)])
def test_too_few_sources_scale_the_confidence_down(least: int, share: float) -> None:
    """In proportion to the tool results that there are of those that are wanted."""
    full = evaluated(step("s1"), reasoned("s2")).confidence
    found = evaluated(step("s1"), reasoned("s2"), evaluate={"min_sources_for_confidence": least})
    assert full is not None and found.confidence == pytest.approx(full * share, abs=1e-6)


@pytest.mark.requirement("O2")
def test_by_default_a_confidence_rests_on_three_sources_as_the_reference_has_it() -> None:
    """Each call that gave something is one; one that failed is none."""
    default = ReasoningEngine().evaluate.min_sources_for_confidence

    def share(*uses: ToolUse) -> float | None:
        found = evaluated(step("s1").changed(uses=uses), evaluate={"min_sources_for_confidence": default})
        full = evaluated(step("s1").changed(uses=uses)).confidence
        return found.confidence / full if found.confidence and full else None

    use = ToolUse(id="s1.1", tool="sql", arguments={}, output=1)
    assert share() == share(use) == share(use, use.changed(problem="no table")) == pytest.approx(1 / 3, abs=1e-4)
    assert share(use, use) == pytest.approx(2 / 3, abs=1e-4) and share(use, use, use) == pytest.approx(1.0)


@pytest.mark.requirement("O2")
def test_a_calibration_maps_the_confidence_and_leaves_its_parts() -> None:
    """The parts stay what they are; the confidence is what they mean. Where there is none, nothing is mapped."""

    def confidence(status: StepStatus, scores: dict[str, float]) -> tuple[Evaluation, Evaluation]:
        effect = AssessConvergence(
            task=Task(text="t"), plan=Plan(steps=(step("s1", status),)), thresholds=ConvergenceThresholds(),
            report=SemanticValidationReport(),
        )  # fmt: skip
        judged, policy, evidence = Judgments(scores), ReasoningEngine(), PlanEvidence(effect.task, effect.plan)
        mapped = evaluate(effect, policy, judged, evidence, calibrated=lambda mean: mean / 2)
        return evaluate(effect, policy, judged, evidence), mapped

    plain, mapped = confidence("complete", SCORES)
    assert plain.confidence and mapped.confidence == plain.confidence / 2 and mapped.parts == plain.parts
    assert [result.confidence for result in confidence("failed", {})] == [None, None]


@pytest.mark.requirement("O1", "O2")
def test_what_is_not_tracked_is_not_computed() -> None:
    """No confidence and parts, or no coverage; the other stays."""
    off = evaluated(step("s1"), state_monitor={"track_confidence": False})
    assert (off.confidence, off.parts, off.coverage) == (None, None, 1.0)
    off = evaluated(step("s1"), state_monitor={"track_coverage": False})
    assert off.coverage is None and off.confidence is not None


@pytest.mark.requirement("O3")
@pytest.mark.parametrize(
    ("issues", "accuracy", "relevance"),
    [
        ((), 0.75, 1.0),
        ((issue("hallucination", "s2"),), 0.25, 1.0),
        ((issue("consistency", "s1"),), 0.5, 1.0),
        ((issue("do_say_mismatch", "s1"), issue("consistency", "s1")), 0.5, 1.0),
        ((issue("hallucination", "s2").changed(by="host"),), 0.75, 1.0),
        ((issue("relevance", "s2"),), 0.75, 0.0),
        ((issue("relevance", "s1"),), 0.75, 0.5),
        ((issue("specificity", "s1"),), 0.75, 1.0),
        ((issue("consistency", "answer"), issue("relevance", "s9")), 0.75, 1.0),
    ],
)
def test_issues_cost_the_dimension_that_they_are_about(
    issues: tuple[Issue, ...], accuracy: float, relevance: float
) -> None:
    """What a judge calls untrue is not accurate, what it calls beside the point is not relevant."""
    steps = (gave("s1", 12.5), said("s2", "They are 12.5, 12.5 and 99."))
    dimensions = evaluated(*steps, issues=issues, form="probability").dimensions
    assert (dimensions.accuracy, dimensions.relevance) == (accuracy, relevance)


@pytest.mark.requirement("O3")
@pytest.mark.parametrize(
    ("steps", "accuracy"),
    [
        ((gave("s1", 12.5),), 1.0),
        ((gave("s1", 12.5), said("s2", "It is 12.5 and 99.", "s1")), 0.5),
        ((gave("s1", 12.5), said("s2", "12.5 + 12.5 = 26.", "s1")), pytest.approx(2 / 3, abs=1e-6)),
        ((gave("s1", 12.5, None, FEE).changed(output="13.50 euros"), gave("s2", "x")), 0.0),
        ((gave("s1", 12.5), said("s2", "They are fine.", "s1")), None),
        ((said("s1", "It is 99."),), None),
        ((gave("s1", True),), None),
        ((step("s1"),), None),
        ((step("s1", "failed"),), None),
    ],
)
def test_accuracy_is_the_share_of_supported_values_among_the_checked(
    steps: tuple[Step, ...], accuracy: float | None
) -> None:
    """Of final results; where nothing was looked up nothing was checked, and where there is no value nothing could."""
    assert evaluated(*steps).dimensions.accuracy == accuracy


@pytest.mark.requirement("O3")
def test_a_result_that_builds_on_an_untrue_one_is_not_accurate() -> None:
    """What a judge says of an earlier step is true of what was made of it; also where that has no value."""
    steps = (gave("s1", 12.5), said("s2", "Half is 6.25.", "s1"), said("s3", "They pay.", "s2"), gave("s4", 7))
    assert evaluated(*steps).dimensions.accuracy == 1.0
    assert evaluated(*steps, issues=[issue("hallucination", "s2")]).dimensions.accuracy == 0.5


@pytest.mark.requirement("O3")
def test_relevance_is_measured_where_a_validator_was_asked_about_a_result() -> None:
    """Nobody asks about a tool's result; a report that failed, or in which nothing was asked, says nothing."""
    assert evaluated(step("s1"), form="verdict").dimensions.relevance is None
    assert evaluated(reasoned("s1")).dimensions.relevance is None
    assert evaluated(reasoned("s1"), form="verdict", failed=True).dimensions.relevance is None
    assert evaluated(reasoned("s1"), form="verdict").dimensions.relevance == 1.0
    assert evaluated(reasoned("s1"), issues=[issue("relevance", "s1")]).dimensions.relevance == 0.0
    found = issue("hallucination", "s1").changed(by="host")
    assert evaluated(reasoned("s1"), issues=[found]).dimensions.relevance is None


@pytest.mark.requirement("O3")
def test_the_score_is_the_weighted_mean_of_the_dimensions() -> None:
    """Completeness and coherence are the assessment's; weights are the design's, or others."""
    steps = (gave("s1", [12.5, 7]), said("s2", "It is 12.5 and 99."), step("s3", "failed"), step("s3_r1", "failed"))
    result = evaluated(*steps, form="probability")
    expected = {"completeness": 0.96, "accuracy": 0.75, "relevance": 1.0, "freshness": 2 / 3, "coherence": 0.8}
    assert result.dimensions.fields() == pytest.approx(expected, abs=1e-6)
    mean = 0.30 * 0.96 + 0.25 * 0.75 + 0.20 * 1 + 0.15 * 2 / 3 + 0.10 * 0.8
    assert result.score == pytest.approx(mean, abs=1e-6)
    only: JsonObject = {**dict.fromkeys(Dimensions.model_fields, 0), "freshness": 1}
    assert evaluated(*steps, evaluate={"weights": only}).score == pytest.approx(2 / 3, abs=1e-6)
    few = evaluated(gave("s1", 12.5), scores={"completeness": 0.4})
    assert few.dimensions == Dimensions(completeness=0.4, accuracy=1.0)
    assert few.score == pytest.approx((0.30 * 0.4 + 0.25) / 0.55, abs=1e-6)


GAPPED = (step("s1"), step("s2", clarity="PARTIALLY_CLEAR"), step("s3", "pending"), blocked("s4"), step("s4_r1"))
BOTH = Contradiction(claim="c", source_a="s1", source_b="s2")


@pytest.mark.requirement("O3")
def test_gaps_name_what_is_missing_weak_unanswered_and_contradictory() -> None:
    """Things that are not there, steps that are partly clear, steps that are not done, and both sides of a conflict."""
    gaps = evaluated(*GAPPED, entities={"a sum": True, "a tax": False}, contradictions=[BOTH]).gaps
    assert gaps == Gaps(
        missing_entities=("a tax",), weak_coverage=("find s2",), unanswered_aspects=("find s3",), contradictions=(BOTH,)
    )


@pytest.mark.requirement("O3")
def test_a_contradiction_names_where_both_sides_stand() -> None:
    """The characters that say it, and those that it should follow from; then ways to the answer that differ."""
    steps = (gave("s1", [12.5, 7]), said("s2", "12.5 + 3 = 17.", "s1"), said("s3", "It is 17.", "s2"))
    (wrong,) = evaluated(*steps, task="What do 3 pay?").gaps.contradictions
    assert wrong == Contradiction(claim="17 (it is 15.5)", source_a="s2[11:13]", source_b="s1.1/0[0:4], task[8:9]")
    (own,) = evaluated(gave("s1", 7), said("s2", "8 + 8 = 20.")).gaps.contradictions
    assert own == Contradiction(claim="20 (it is 16)", source_a="s2[8:10]", source_b="s2[0:1], s2[4:5]")
    off: JsonObject = {"contradiction_detection": False}
    assert evaluated(*steps, evaluate=off).gaps.contradictions == ()


@pytest.mark.requirement("O3")
@pytest.mark.parametrize(
    ("derived", "found"),
    [
        ({"8": False, "9": False}, [("8", "plan", "m0"), ("9", "plan", "m1")]),
        ({"8": True, "9": False}, []),
    ],
)
def test_derivations_that_differ_contradict_each_other(derived: dict[str, bool], found: list[tuple[str, ...]]) -> None:
    """Where no two are alike; one that two ways give contradicts nothing."""
    ways = (Derivation(method=f"m{n}", text=a, answer=a, agrees=like) for n, (a, like) in enumerate(derived.items()))
    agreement = Agreement(derivations=tuple(ways))
    effect = AssessConvergence(
        task=Task(text="t"), plan=Plan(steps=(gave("s1", 7).changed(agreement=agreement),), answer=("s1",)),
        thresholds=ConvergenceThresholds(), report=SemanticValidationReport(),
    )  # fmt: skip
    gaps = evaluate(effect, ReasoningEngine(), Judgments(SCORES), PlanEvidence(effect.task, effect.plan)).gaps
    assert [(one.claim, one.source_a, one.source_b) for one in gaps.contradictions] == found


@pytest.mark.requirement("O3")
def test_gaps_can_be_switched_off() -> None:
    """Then none are listed; the scores are the same."""
    on, off = evaluated(*GAPPED), evaluated(*GAPPED, evaluate={"gap_detection": False})
    assert off.gaps == Gaps() and off == on.changed(gaps=Gaps())


@pytest.mark.requirement("O3")
@pytest.mark.parametrize(
    ("steps", "failed", "warnings"),
    [
        ((step("s1"),), False, ()),
        ((reasoned("s1"),), False, ("no result rests on a tool",)),
        ((step("s1", "failed"),), False, ("no step is complete",)),
        ((step("s1"),), True, ("the results could not be checked",)),
        (
            (gave("s1", 7), said("s2", "7 and 99.", "s1")),
            False,
            ("1 of 2 checked values of the results are supported",),
        ),
        ((), True, ("no step is complete", "the results could not be checked")),
    ],
)
def test_warnings(steps: tuple[Step, ...], failed: bool, warnings: tuple[str, ...]) -> None:
    """What a reader of the answer should know, in words."""
    assert evaluated(*steps, failed=failed).warnings == warnings


@pytest.mark.requirement("O3")
@pytest.mark.parametrize(
    ("steps", "policy", "needed"),
    [
        ((blocked("s1"),), {}, True),
        ((blocked("s1"), step("s2")), {}, False),
        ((blocked("s1"), step("s2")), {"decide": {"ask_threshold": 1.0}}, True),
        ((blocked("s1"), step("s1_r1", mode="reasoning")), {"decide": {"ask_threshold": 1.0}}, False),
        ((step("s1", "failed"),), {}, False),
        ((blocked("s1"), step("s2")), {"state_monitor": {"track_confidence": False}}, True),
    ],
)
def test_clarification_is_needed_where_a_step_is_blocked_and_confidence_is_low(
    steps: tuple[Step, ...], policy: dict[str, JsonObject], needed: bool
) -> None:
    """Not where a later version made it good or the rest makes up for it; untracked, being blocked is enough."""
    assert evaluated(*steps, **policy).needs_clarification is needed


@pytest.mark.requirement("O4")
def test_the_draw_of_the_probabilistic_mode_can_be_had_again() -> None:
    """The same run draws the same number; another seed, task or plan another. Else there is none."""

    def draw(seed: int = 1, task: str = "t", name: str = "s1", mode: str = "probabilistic") -> float | None:
        return evaluated(step(name), task=task, decide={"decision_mode": mode, "seed": seed}).draw

    assert draw(mode="deterministic") is None
    drawn = [draw(), draw(seed=2), draw(task="u"), draw(name="s2")]
    assert draw() == drawn[0] and len(set(drawn)) == 4
    assert all(value is not None and 0 <= value < 1 for value in drawn)


@pytest.mark.requirement("O2", "O3")
@given(st.lists(
    st.tuples(
        st.sampled_from(["s1", "s2", "s3", "s1_r1", "s2_r1"]),
        st.sampled_from(["complete", "failed", "invalid", "pending"]),
        st.sampled_from(["tool", "program", "tools", "reasoning"]),
        st.sampled_from(["CLEAR", "PARTIALLY_CLEAR", "BLOCKED"]),
    ),
    max_size=5, unique_by=lambda drawn: drawn[0],
))  # fmt: skip
def test_any_plan_has_an_evaluation(drawn: list[tuple[str, StepStatus, StepMode, Clarity]]) -> None:
    """Every figure is in 0-1, and with full coverage nothing is weak or unanswered."""
    result = evaluated(*(step(*fields) for fields in drawn))
    if any(fields[1] == "complete" for fields in drawn):
        assert result.confidence is not None and result.score is not None
    assert (result.coverage is not None) == bool(drawn)
    whole = bool(drawn) and not result.gaps.weak_coverage and not result.gaps.unanswered_aspects
    assert (result.coverage == 1) == whole
