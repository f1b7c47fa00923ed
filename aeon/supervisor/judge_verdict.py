"""Whether an answer is right: one structured reply with issues, scores and what kind of reply the answer is.

It is for models that write such an object well. The host decides what follows from the reply: see `verdict_of`.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from pydantic import Field

from aeon.schema import (
    LONGEST_TASK,
    Calculation,
    ConvergenceAssessment,
    ConvergenceThresholds,
    Frozen,
    Issue,
    IssueType,
    JsonValue,
    ReplyKind,
    SemanticValidationReport,
    Severity,
    Standing,
    Step,
    Task,
    fragment,
)
from aeon.schema.calibration import Calibration
from aeon.schema.frozen import JsonObject
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.calls import Ask
from aeon.supervisor.judge_evidence import shown_work
from aeon.supervisor.judge_specs import Calibrations
from aeon.supervisor.judge_standing import of_verdict, standing
from aeon.supervisor.prompt import Prompt, fence, load, render
from aeon.supervisor.supervisor import Supervisor

__all__ = [
    "RESULTS", "RESULTS_WORDING", "UNVERIFIED", "Answered", "FoundIssue", "Review", "VerdictJudge", "issue_schema",
    "issues_of", "odds_of", "report_of", "strict_object", "unanswered", "verdict_of",
]  # fmt: skip

RESULTS = "results"
"""The name of this judgment in calibrations."""
UNVERIFIED = "unverified"
"""The code of an answer that only a bad judge found good."""

_MOST_TOKENS = 700
_PER_ITEM = 60
"""The tokens that each criterion, and each value without a place, may take more."""
_LONGEST_WORK = 16_000
_LONGEST_ANSWER = 9_000
_LONGEST_VALUES = 600
_LONGEST_MATERIAL = 1_500
_SHARES = (1.0, 0.6, 0.35, 0.2, 0.1)
"""How much of these is shown, the first that fits."""
_GRAVE = ("HIGH", "CRITICAL")
_SURE = 1e-4
_ANSWER = "answer"
_TEXT: JsonObject = {"type": "string"}


class FoundIssue(Frozen):
    """One thing that is wrong, in the model's words; where there is one step, it needs no place."""

    type: IssueType
    severity: Severity
    description: str = Field(min_length=1)
    location: str = ""
    proposed_repair: str = ""


class _CriterionVerdict(Frozen):
    """Whether the criterion of this number is met."""

    number: int
    met: Literal["yes", "no", "unclear"]
    why: str = ""


class Review(Frozen):
    """What a model says of an answer."""

    explanation: str
    kind: ReplyKind
    issues: tuple[FoundIssue, ...] = ()
    criteria: tuple[_CriterionVerdict, ...] = ()
    calculations: tuple[Calculation, ...] = ()
    completeness: float = Field(ge=0, le=1)
    coherence: float = Field(ge=0, le=1)
    consistency: float = Field(ge=0, le=1)


@dataclass(frozen=True)
class Answered:
    """An answer to judge: the ``steps`` of the plan that count, and of them those that give the ``answer``.

    ``missing`` are values of the answer that the host found nowhere. ``issues`` are found already.
    """

    task: Task
    steps: Sequence[Step]
    answer: Sequence[Step]
    missing: Sequence[str] = ()
    issues: Sequence[str] = ()

    @classmethod
    def of(
        cls,
        task: Task,
        steps: Sequence[Step],
        answer: Sequence[str],
        missing: Sequence[str] = (),
        issues: Sequence[str] = (),
    ) -> Answered:
        """The answer that these steps give: those of the ids in ``answer``, else those that no other one builds on."""
        names = {fragment(name) for name in answer}
        needed = {name for step in steps for name in step.dependencies}
        last = tuple(step for step in steps if step.id not in needed)
        return cls(task, steps, tuple(s for s in steps if fragment(s.id) in names) or last, missing, issues)

    @property
    def text(self) -> str:
        """The answer as it is written."""
        return "\n\n".join(str(step.output) for step in self.answer if step.output is not None)

    @property
    def places(self) -> tuple[str, ...]:
        """Where an issue may be; nothing to choose where there is one step."""
        ids = tuple(step.id for step in self.steps)
        return (_ANSWER, *ids) if len(ids) > 1 else ids

    @property
    def has_open_steps(self) -> bool:
        """Whether a step has come to no good end, or there is none."""
        return not self.steps or any(step.status != "complete" for step in self.steps)

    @property
    def is_unfinished(self) -> bool:
        """Whether a step has come to no good end, or there is no answer."""
        return self.has_open_steps or not self.text.strip()


class VerdictJudge:
    """Asks for a review of an answer, in one reply, and says what it is worth.

    ``measured`` holds what was measured, by default on the endpoint itself, then what is shipped.
    """

    def __init__(self, supervisor: Supervisor, briefing: Briefing, measured: Calibrations | None = None) -> None:
        self._supervisor = supervisor
        self._briefing = briefing
        self._measured = measured

    async def review(self, answered: Answered, short: bool = False) -> Review:
        """The review; a ``short`` one names no issues and no calculations.

        Raises:
            CompletionError: there is no usable one.
            AllowanceExhausted: the prompt is too long, or the ledger does not admit a call.
            ModelError: the endpoint gave no answer at all.
        """
        schema = _schema(answered, short)
        most = _MOST_TOKENS + (len(answered.task.criteria) + len(answered.missing)) * _PER_ITEM
        prompt = await self._prompt(answered, schema, short)
        reply = await self._supervisor.structured(prompt, Review, schema=schema, max_tokens=most)
        return reply.value

    async def calibration(self) -> Calibration | None:
        """What was measured of such reviews on the endpoint."""
        return await of_verdict(self._supervisor, self._measured, RESULTS, RESULTS_WORDING)

    async def _prompt(self, answered: Answered, schema: JsonObject, short: bool) -> Prompt:
        """The prompt; results and answer are cut as far as it takes to fit."""
        can = await self._supervisor.capabilities()
        most = (await self._supervisor.bounds()).prompt_bytes
        enforced = schema if can.json_schema else None
        room = most if can.json_schema else most - len(str(schema)) - 200
        prompt = self._shown(answered, _SHARES[0], short)
        for share in _SHARES[1:]:
            if Ask(prompt.messages, _MOST_TOKENS, enforced).most_prompt_tokens <= room:
                break
            prompt = self._shown(answered, share, short)
        return prompt

    def _shown(self, answered: Answered, share: float, short: bool) -> Prompt:
        work = shown_work(answered.steps, round(_LONGEST_WORK * share))
        there = self._briefing.material if work else ""
        parts = [
            fence("what there is", there, round(_LONGEST_MATERIAL * share)) if there else "",
            self._briefing.facts(answered.task, round(LONGEST_TASK * share)),
            f"What was done:\n{work}" if work else "Nothing was looked up.",
            f"The answer, as written:\n{fence('answer', answered.text, round(_LONGEST_ANSWER * share))}",
        ]
        if answered.missing:
            values = "; ".join(answered.missing)
            parts.append(f"Values of it that stand in no result: {fence('values', values, _LONGEST_VALUES)}")
        if answered.issues:
            parts.append(fence("found already", "\n".join(answered.issues), _LONGEST_VALUES))
        alone = "" if work else ". Check facts by what you know"
        more = f"{_issue_lines(answered, short)}{_more(answered, short)}"
        question = render(load("aeon.supervisor", "judge_results.md"), alone=alone, more=more)
        system = self._briefing.instructed(load("aeon.supervisor", "judge_results_system.md").strip())
        return Prompt(system=system, user="\n\n".join([*filter(None, parts), question.strip()]))


def report_of(review: Review, answered: Answered, verdict: ConvergenceAssessment) -> SemanticValidationReport:
    """The validation report that a review makes, the most severe issue first, with its verdict."""
    return SemanticValidationReport(
        issues=issues_of(review.issues, answered.places[0]), verdict=verdict, calculations=review.calculations,
        form="verdict", standing=verdict.standing,
    )  # fmt: skip


def issues_of(issues: Sequence[FoundIssue], place: str) -> tuple[Issue, ...]:
    """The issues, the most severe first; one without a place of its own is at ``place``."""
    made = (
        Issue(
            type=one.type, severity=one.severity, description=one.description, proposed_repair=one.proposed_repair,
            location=one.location or place,
        )
        for one in issues
    )  # fmt: skip
    order = list(get_args(Severity))[::-1]
    return tuple(sorted(made, key=lambda issue: order.index(issue.severity)))


def verdict_of(
    review: Review, answered: Answered, thresholds: ConvergenceThresholds, calibration: Calibration | None = None
) -> ConvergenceAssessment:
    """What the host makes of a review: converged only where nothing in it, and nothing that the host knows, is against.

    A bad judge decides nothing: then the answer is ``unverified``, unless the host knows more. A measured one must hold
    the answer to be right by its calibration as well.
    """
    worth: Standing = standing(calibration)
    known = ["steps_unfinished"] if answered.is_unfinished else []
    codes = [*known, *_codes(review, answered, thresholds)]
    if worth == "bad":
        codes = known or [UNVERIFIED]
    elif calibration is not None and calibration.odds(odds_of(review)) < 0 and not codes:
        codes = [UNVERIFIED]
    return ConvergenceAssessment(
        converged=not codes, reason_codes=tuple(dict.fromkeys(codes)), explanation=review.explanation,
        completeness=review.completeness, coherence=review.coherence, consistency=review.consistency,
        detected_issues=tuple(one.description for one in review.issues),
        form="verdict", standing=worth, reply=review.kind,
    )  # fmt: skip


def unanswered(answered: Answered) -> ConvergenceAssessment:
    """What the host makes of steps that give no answer to review."""
    return ConvergenceAssessment(converged=False, reason_codes=("steps_unfinished",) if answered.has_open_steps else ())


def odds_of(review: Review) -> float:
    """The log-odds of the answer's being right that a review amounts to: the least of its scores, if it is one.

    What is no answer, or has a grave issue, counts as next to nothing; every other issue takes a tenth.
    """
    least = min(review.completeness, review.coherence, review.consistency)
    if review.kind != _ANSWER or any(one.severity in _GRAVE for one in review.issues):
        least *= 0.1
    likely = min(max(least * 0.9 ** len(review.issues), _SURE), 1 - _SURE)
    return math.log(likely / (1 - likely))


def _codes(review: Review, answered: Answered, thresholds: ConvergenceThresholds) -> Iterator[str]:
    """A code for everything in the review that speaks against the answer."""
    if review.kind != _ANSWER:
        yield review.kind
    for name in ("completeness", "coherence", "consistency"):
        if getattr(review, name) < getattr(thresholds, name):
            yield f"{name}_low"
    for number in range(1, len(answered.task.criteria) + 1):
        said = [one.met for one in review.criteria if one.number == number]
        if set(said) != {"yes"}:  # unmet, unjudged, or both at once
            yield f"criterion_{number}"
    for one in review.issues:
        if one.severity in _GRAVE:
            yield f"issue_{one.type}"


def _issue_lines(answered: Answered, short: bool) -> str:
    """What issues are, where they are asked for."""
    if short:
        return ""
    place = "; location: the step that it is in, or answer" if len(answered.places) > 1 else ""
    return f"{render(load('aeon.supervisor', 'judge_issues.md'), place=place).strip()} "


def _more(answered: Answered, short: bool) -> str:
    """What is asked for only where the task, or the answer, gives reason to."""
    lines = []
    if answered.task.criteria:
        lines.append("criteria (whether each numbered one is met, unclear if that cannot be judged)")
    if answered.missing and not short:
        lines.append(
            "calculations (for each value listed above the arithmetic over numbers that stand in results or the task, "
            "such as 1899 - 1869, 23:10 - 21:40 (minutes), 1917-05-01 - 1917-03-14 (days), ceil(a / b) with their "
            'numbers, rows(2), sum(2.amount); "" if a result says it in '
            "other words, or it is a label, a list number, a quoted word or an assumption that the answer names; leave "
            "out what does not follow)"
        )
    return "".join(f"{line}; " for line in lines)


def _schema(answered: Answered, short: bool) -> JsonObject:
    """The schema of the reply: every key is required, and no other allowed."""
    properties: dict[str, JsonValue] = {"explanation": _TEXT, "kind": _one_of(get_args(ReplyKind))}
    if not short:
        properties["issues"] = _list_of(issue_schema(answered.places))
    if answered.task.criteria:
        numbers: list[JsonValue] = list(range(1, len(answered.task.criteria) + 1))
        number: JsonValue = {"type": "integer", "enum": numbers}
        properties["criteria"] = _list_of({"number": number, "why": _TEXT, "met": _one_of(("yes", "no", "unclear"))})
    if answered.missing and not short:
        properties["calculations"] = _list_of({"value": _one_of(answered.missing), "expression": _TEXT})
    score: JsonValue = {"type": "number", "minimum": 0, "maximum": 1}
    return strict_object(properties | dict.fromkeys(("completeness", "coherence", "consistency"), score))


def issue_schema(places: Sequence[str]) -> dict[str, JsonValue]:
    """The properties of an issue in one of these places; where there is but one, it is not asked for."""
    place: dict[str, JsonValue] = {"location": _one_of(places)} if len(places) > 1 else {}
    kinds: dict[str, JsonValue] = {"type": _one_of(get_args(IssueType)), "severity": _one_of(get_args(Severity))}
    return kinds | {"description": _TEXT} | place | {"proposed_repair": _TEXT}


def strict_object(properties: dict[str, JsonValue]) -> JsonObject:
    """The schema of an object with exactly these properties, as strict modes want it."""
    return {
        "type": "object", "properties": properties, "required": list(properties), "additionalProperties": False,
    }  # fmt: skip


def _list_of(properties: dict[str, JsonValue]) -> JsonValue:
    return {"type": "array", "items": strict_object(properties)}


def _one_of(values: Sequence[str]) -> JsonValue:
    return {"type": "string", "enum": list(values)}


def _wording() -> str:
    """A digest of all that is asked; a calibration holds for one wording only."""
    empty = Answered(Task(text="-"), (), ())
    names = ("judge_results.md", "judge_results_system.md", "judge_issues.md")
    asked = [*(load("aeon.supervisor", name) for name in names), json.dumps(_schema(empty, short=False))]
    return hashlib.sha256("\n".join(asked).encode("utf-8")).hexdigest()[:12]


RESULTS_WORDING = _wording()
"""The digest of this judgment's wording."""
