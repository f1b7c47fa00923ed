"""What the result of a multi-pass run must rest on: judgments as the model made them, reports, steps, whole texts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from aeon.runtime.journal import Journal
from aeon.runtime.lines import Entry
from aeon.schema import (
    Conclusion,
    ConvergenceAssessment,
    ConvergenceThresholds,
    ExecutionPass,
    Result,
    SemanticValidationReport,
)
from aeon.simulation.texts import CUT
from aeon.simulation.words import WRONG
from aeon.simulation.world import World
from aeon.supervisor.judge_specs import judgment

__all__ = ["hold_rests", "hold_whole"]

_LIKELY, _UNLIKELY = 0.7, 0.15
_WORD = re.compile(r"[A-Za-z]{2,}|\d+")
_SAID_BY_HOST = "unchecked no step was were completed none yes true false null the files do not say searched nan"
_HOST_WORDS = frozenset(_SAID_BY_HOST.split())
"""What the host itself can put into an answer."""
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
    if result.stop_reason == "converged" and (latest is None or latest.failed or not latest.converged):
        world.wrong("converged rests on an assessment", f"the latest one is {latest}")
    _reported(world, result, journal)
    _from_the_run(world, result, journal)


def _assessments(journal: Journal) -> Iterator[tuple[int, ConvergenceAssessment | None]]:
    for number, entry in sorted(journal.entries.items()):
        if entry.phase == "assess":
            value = entry.value if entry.failure is None else None
            yield number, ConvergenceAssessment.model_validate(value) if value is not None else None


def _as_judged(world: World, number: int, assessment: ConvergenceAssessment, thresholds: ConvergenceThresholds) -> None:
    """Where the model leaned one way in every question, the score goes that way; a low one keeps from converging."""
    for name in ("completeness", "coherence", "consistency"):
        sure = [probability for asked, probability in world.leanings[number] if asked == name]
        score = getattr(assessment, name)
        if score is None:
            continue
        yes = score >= judgment(name).threshold
        against = bool(sure) and ((max(sure) <= _UNLIKELY and yes) or (min(sure) >= _LIKELY and not yes))
        if against or (assessment.converged and score < getattr(thresholds, name)):
            detail = f"effect {number}: {name} is {score}, converged {assessment.converged}; the model said {sure}"
            world.wrong("a verdict is the model's", detail)


def _reported(world: World, result: Result, journal: Journal) -> None:
    """Each report that a validation gave is in the record, and each issue of a pass that went on led to a trigger."""
    history = result.history
    kept = [history.preparation.report, history.preparation.refinement.report]
    for record in history.passes:
        kept += [record.report, record.refinement.report]
    phases = ("validate_plan", "validate_results")
    entries = [entry for _, entry in sorted(journal.entries.items()) if entry.phase in phases]
    made = [report for report in map(_report, entries) if report is not None]
    if [report for report in made if report != _EMPTY] != [r for r in kept if r != _EMPTY and not r.failed]:
        world.wrong("no report is dropped", f"{len(made)} were made; the record has {kept}"[:400])
    results = [entry for entry in entries if entry.phase == "validate_results"]
    for record, report in zip(history.passes, map(_report, results), strict=False):
        _seen(world, record, report)
    for record in history.passes:
        steps = {step.id for step in record.executed}
        triggers = {(trigger.location, trigger.detail) for trigger in record.refinement.triggers}
        issues = {(i.location, i.description) for i in record.report.issues if i.location in steps}
        if record.refinement.triggers and not issues <= triggers:
            world.wrong("no report is dropped", f"pass {record.number}: {issues} led to {triggers}"[:400])


def _report(entry: Entry) -> SemanticValidationReport | None:
    return None if entry.failure else SemanticValidationReport.model_validate(entry.value)


def _seen(world: World, record: ExecutionPass, report: SemanticValidationReport | None) -> None:
    """A report on results says something of each one whose sum is plainly wrong."""
    reasoned = [s for s in record.executed if s.status == "complete" and s.mode in ("reasoning", "reasoning_fallback")]
    wrong = [step.id for step in reasoned if WRONG in str(step.output)]
    if report is None or not wrong:
        return
    told = {line.partition(":")[0] for line in report.evidence}
    if missing := sorted(set(wrong) - told):
        world.wrong("no report is dropped", f"pass {record.number} says nothing of {', '.join(missing)}: {WRONG}")


def _from_the_run(world: World, result: Result, journal: Journal) -> None:
    """Each word and number of the answer is in a step, in the task, in why the run ended, or was said by the model."""
    history = result.history
    steps = [step for record in history.passes for step in record.executed]
    said = [text for n, entry in journal.entries.items() if entry.phase == "synthesize" for text in world.texts[n]]
    known = [*(f"{s.description} {s.output} {s.problem}" for s in steps), *said, result.detail, history.task.text]
    known += [one.taken.answer for one in (r.agreement for r in history.passes) if one is not None and one.taken]
    material = " ".join(known).casefold()
    strange = {word for word in _WORD.findall(result.answer.casefold()) if word not in material} - _HOST_WORDS
    if strange:
        world.wrong("an answer is made of the run", f"{', '.join(sorted(strange)[:5])} in {result.answer[:200]!r}")
