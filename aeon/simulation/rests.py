"""What the result of a multi-pass run must rest on: judgments as the model made them, reports, steps, whole texts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence

from aeon.runtime.journal import Journal
from aeon.runtime.lines import Entry
from aeon.schema import (
    Conclusion,
    ConvergenceAssessment,
    ConvergenceThresholds,
    ExecutionHistory,
    ExecutionPass,
    Result,
    SemanticValidationReport,
)
from aeon.simulation.texts import CUT
from aeon.simulation.words import WRONG
from aeon.simulation.world import World
from aeon.supervisor.judge_specs import judgment

__all__ = ["hold_rests", "hold_whole"]

_LIKELY, _UNLIKELY = 0.9, 0.15
_WORD = re.compile(r"[A-Za-z]{2,}|\d+")
_DECIMAL = re.compile(r"\d+\.\d+(?:e[+-]?\d+)?|\d+e[+-]?\d+")
_ROUNDED = 1e-3
"""How far apart, in proportion or at all, a decimal of an answer may be from what it rounds."""
_SAID_BY_HOST = """
    unchecked no step was were completed none perhaps yes true false null the files do not say stated in what searched
    nan no answer the model declined it wrote
"""
_HOST_WORDS = frozenset(_SAID_BY_HOST.split())
"""What the host itself can put into an answer."""
_VALIDATIONS = ("validate_plan", "validate_results")
_EMPTY = SemanticValidationReport()


def hold_whole(world: World, result: Conclusion, journal: Journal) -> None:
    """No text that was cut off is in an outcome or in the result; this holds for any engine."""
    for number, entry in journal.entries.items():
        if CUT in json.dumps(entry.value):
            world.wrong("what is cut off is not used", f"effect {number}, '{entry.phase}'")
    if CUT in result.answer:
        world.wrong("what is cut off is not used", result.answer[:200])


def hold_rests(world: World, result: Result, journal: Journal) -> None:
    """Hold the verdict, the record and the answer against what the model and the steps gave."""
    assessed = list(_assessments(journal))
    for number, assessment in assessed:
        if assessment is not None:
            _as_judged(world, number, assessment, result.history.configuration.convergence)
    latest = assessed[-1][1] if assessed else None
    if result.stop_reason in ("converged", "own_knowledge") and not _is_borne_out(latest):
        world.wrong("converged rests on an assessment", f"the latest one is {latest}")
    _reported(world, result, journal)
    _from_the_run(world, result, journal)


def _is_borne_out(latest: ConvergenceAssessment | None) -> bool:
    """Whether an assessment says that a run has converged, and rests on a judgment that counts."""
    return latest is not None and latest.converged and not latest.failed and latest.standing in ("assumed", "measured")


def _assessments(journal: Journal) -> Iterator[tuple[int, ConvergenceAssessment | None]]:
    for number, entry in sorted(journal.entries.items()):
        if entry.phase == "assess":
            value = entry.value if entry.failure is None else None
            yield number, ConvergenceAssessment.model_validate(value) if value is not None else None


def _as_judged(world: World, number: int, assessment: ConvergenceAssessment, thresholds: ConvergenceThresholds) -> None:
    """Where the model leaned one way in every question, the score goes that way; a low one keeps from converging."""
    for name in ("completeness", "coherence", "consistency"):
        sure = [probability for asked, probability in world.leanings[number] if asked == name]
        score: float | None = getattr(assessment, name)
        if score is None:
            continue
        low = score < getattr(thresholds, name)
        if _against(sure, score >= judgment(name).threshold) or (assessment.converged and low):
            detail = f"effect {number}: {name} is {score}, converged {assessment.converged}; the model said {sure}"
            world.wrong("a verdict is the model's", detail)


def _against(sure: Sequence[float], yes: bool) -> bool:
    """Whether a judgment says the opposite of what all its answers do."""
    return bool(sure) and (max(sure) <= _UNLIKELY if yes else min(sure) >= _LIKELY)


def _reported(world: World, result: Result, journal: Journal) -> None:
    """Each report of a validation is in the record, and says what it must; its issues led to triggers."""
    made = [entry for _, entry in sorted(journal.entries.items()) if entry.phase in _VALIDATIONS]
    reports, kept = _telling(map(_report, made)), _telling(_kept(result.history))
    if reports != kept:
        world.wrong("no report is dropped", f"{len(reports)} were made; the record has {kept}"[:400])
    results = [_report(entry) for entry in made if entry.phase == "validate_results"]
    for record, report in zip(result.history.passes, results, strict=False):
        _seen(world, record, report)
    for record in result.history.passes:
        _triggered(world, record)


def _telling(reports: Iterable[SemanticValidationReport | None]) -> list[SemanticValidationReport]:
    """Those that were made and say something."""
    return [report for report in reports if report is not None and report != _EMPTY and not report.failed]


def _kept(history: ExecutionHistory) -> Iterator[SemanticValidationReport]:
    """The reports of the record, in the order in which they were made."""
    yield from (history.preparation.report, history.preparation.refinement.report)
    for record in history.passes:
        yield from (record.report, record.refinement.report)


def _triggered(world: World, record: ExecutionPass) -> None:
    """Where a pass led to a refinement, each issue of a step that it ran is among the reasons."""
    steps = {step.id for step in record.executed}
    triggers = {(trigger.location, trigger.detail) for trigger in record.refinement.triggers}
    issues = {(issue.location, issue.description) for issue in record.report.issues if issue.location in steps}
    if triggers and not issues <= triggers:
        world.wrong("no report is dropped", f"pass {record.number}: {issues} led to {triggers}"[:400])


def _report(entry: Entry) -> SemanticValidationReport | None:
    return None if entry.failure else SemanticValidationReport.model_validate(entry.value)


def _seen(world: World, record: ExecutionPass, report: SemanticValidationReport | None) -> None:
    """A report on results says something of each one whose sum is plainly wrong."""
    reasoned = [s for s in record.executed if s.status == "complete" and s.mode == "reasoning"]
    wrong = [step.id for step in reasoned if WRONG in str(step.output)]
    if report is None or not wrong:
        return
    told = {line.partition(":")[0] for line in report.evidence}
    if missing := sorted(set(wrong) - told):
        world.wrong("no report is dropped", f"pass {record.number} says nothing of {', '.join(missing)}: {WRONG}")


def _from_the_run(world: World, result: Result, journal: Journal) -> None:
    """Each word and number of the answer is in a step, in the task, in why the run ended, or was said by the model."""
    texts = (*_steps(result.history), *_said(world, journal), result.detail, result.history.task.text)
    material = " ".join(texts).casefold()
    answer = result.answer.casefold()
    known = [float(number) for number in _DECIMAL.findall(material)]
    for number in map(float, _DECIMAL.findall(answer)):
        if not any(abs(number - one) <= _ROUNDED * max(1.0, abs(one)) for one in known):
            world.wrong("an answer is made of the run", f"{number} in {result.answer[:200]!r}")
    words = set(_WORD.findall(_DECIMAL.sub(" ", answer))) - _HOST_WORDS
    strange = {word for word in words if word not in material}
    if strange and result.stop_reason != "overspent":  # which goes before a reason that the answer has told already
        world.wrong("an answer is made of the run", f"{', '.join(sorted(strange)[:5])} in {result.answer[:200]!r}")


def _steps(history: ExecutionHistory) -> Iterator[str]:
    """What the steps were for and gave, and what other derivations gave in their place."""
    for record in history.passes:
        for step in record.executed:
            yield f"{step.description} {step.output} {step.problem}"


def _said(world: World, journal: Journal) -> Iterator[str]:
    """What the model said when it was asked for the answer."""
    for number, entry in journal.entries.items():
        if entry.phase == "synthesize":
            yield from world.texts[number]
