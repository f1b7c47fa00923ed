"""What judgment modules say: profile, validation report, convergence assessment, refinement."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from aeon.schema.claims import Claim
from aeon.schema.evaluation import Evaluation, Score
from aeon.schema.plan import RefinementAction
from aeon.schema.policy import Strategy
from aeon.schema.task import Question
from aeon.schema.turns import WorkForm
from aeon.schema.value import Value
from aeon.schema.weight import Form, Standing

__all__ = [
    "Calculation",
    "ConvergenceAssessment",
    "Form",
    "Issue",
    "IssueType",
    "Level",
    "RefinedQuery",
    "Refinement",
    "ReplyKind",
    "SemanticValidationReport",
    "Severity",
    "Standing",
    "TaskProfile",
    "ToolUsage",
]

Level = Literal["low", "medium", "high"]
ToolUsage = Literal["none", "minimal", "moderate", "extensive"]
Severity = Literal["LOW", "MEDIUM", "HIGH", "CRITICAL"]
IssueType = Literal["specificity", "relevance", "consistency", "hallucination", "do_say_mismatch"]
ReplyKind = Literal["answer", "part", "not_stated", "hedge", "refusal"]
"""What a reply is, as judged: an answer, a part of one, or words that say it is not stated, unsure or declined."""


class TaskProfile(Value):
    """How hard a task looks before it starts. ``inferred`` is false for the default, where the judgment failed.

    ``problem`` says why it failed. ``form`` is how the model of the run works, ``None`` where nobody found out.
    """

    version: Annotated[int, Field(ge=1)] = 1
    reasoning_depth: Annotated[int, Field(ge=1, le=5)] = 3
    ambiguity: Score = 0.5
    information_sufficiency: Score = 0.5
    dependency_complexity: Level = "medium"
    expected_step_count: Annotated[int, Field(ge=1, le=50)] = 3
    expected_tool_usage: ToolUsage = "moderate"
    output_breadth: Literal["narrow", "moderate", "broad"] = "moderate"
    confidence_requirement: Level = "medium"
    rationale: str = ""
    inferred: bool = True
    form: WorkForm | None = None
    problem: str = ""


class Issue(Value):
    """One thing that a validator found. ``location`` is a step id, ``plan`` or ``answer``.

    ``by``: a model judged so, or the host looked it up. ``claim`` is the value at fault, with its span in the output of
    the step and what was found of it, where the host can say which it is.
    """

    type: IssueType
    severity: Severity = "MEDIUM"
    description: Annotated[str, Field(min_length=1)]
    location: str
    proposed_repair: str = ""
    by: Literal["judge", "host"] = "judge"
    claim: Claim | None = None


class Calculation(Value):
    """How a ``value`` of an answer follows from values that stand in results, as a judge says; the host checks it.

    ``expression`` is arithmetic over numbers that stand in them, with ``rows(N)`` for the rows of result ``N``; "" for
    a value that only counts or labels something, or that the answer assumes, so that it states nothing.
    """

    value: str
    expression: str


class SemanticValidationReport(Value):
    """Issues, most severe first. Advisory: it never stops a run by itself. An empty one says that nobody was asked.

    ``evidence`` lists what host code found and showed the judge. ``failed`` says that the judgment could not be made.
    ``verdict`` is the assessment of convergence where one reply gave both. ``calculations`` are those of values that
    stand nowhere as they are.
    """

    verdict: ConvergenceAssessment | None = None
    calculations: tuple[Calculation, ...] = ()
    standing: Standing = "none"
    issues: tuple[Issue, ...] = ()
    evidence: tuple[str, ...] = ()
    form: Form = "none"
    failed: bool = False

    @property
    def judged(self) -> bool:
        """Whether a model was asked and gave a usable answer: only then does a report without issues say anything."""
        return self.form != "none" and not self.failed

    @property
    def repairs(self) -> tuple[str, ...]:
        """What the validator proposes, each with the place that it is for."""
        return tuple(f"{i.location}: {i.proposed_repair}" for i in self.issues if i.proposed_repair)


class ConvergenceAssessment(Value):
    """Whether the results so far answer the task. Scores are in 0-1; ``reason_codes`` name the criteria not met.

    A score is ``None`` where nobody judged it: there was nothing to judge, or its judgment is bad on the model and
    decides nothing. So an assessment without any says that none was made.
    ``probability`` is that of the answer's being right, as ``runs`` recorded runs of the model say whose answers came
    about like this one; ``None`` where there are too few. ``standing`` is what the judgment is worth on this model,
    ``reply`` what kind of reply the results are; ``None`` where nobody judged that.
    """

    converged: bool
    probability: Score | None = None
    runs: Annotated[int, Field(ge=0)] = 0
    completeness: Score | None = None
    coherence: Score | None = None
    consistency: Score | None = None
    reason_codes: tuple[str, ...] = ()
    detected_issues: tuple[str, ...] = ()
    explanation: str = ""
    form: Form = "none"
    standing: Standing = "none"
    reply: ReplyKind | None = None
    failed: bool = False
    evaluation: Evaluation | None = None

    @property
    def judged(self) -> bool:
        """Whether a model was asked and gave a usable answer."""
        return self.form != "none" and not self.failed


class RefinedQuery(Value):
    """The task, worded anew for the next iteration: what to dwell on, what to leave out, which sources to prefer."""

    original_query: str
    refined_query: str
    strategy_used: Strategy
    focus_areas: tuple[str, ...] = ()
    exclude_areas: tuple[str, ...] = ()
    source_preferences: tuple[str, ...] = ()


class Refinement(Value):
    """What a planner proposes to change, repairs of a validator that it overruled, and a question it must ask first."""

    actions: tuple[RefinementAction, ...] = ()
    advisories: tuple[str, ...] = ()
    question: Question | None = None
    query: RefinedQuery | None = None
