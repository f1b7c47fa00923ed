"""The record of a multi-pass run while it is made, and the result that it ends in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from aeon.kernel.decide import ENDINGS
from aeon.kernel.engine import Run
from aeon.multipass.refine import Attempts
from aeon.multipass.rules import PassSignals, pass_limit, revised
from aeon.schema.claims import Claim
from aeon.schema.conclusion import Decision
from aeon.schema.config import Config
from aeon.schema.evaluation import Evaluation
from aeon.schema.history import ExecutionHistory, ExecutionPass, FinalResult, Preparation, Result
from aeon.schema.judgment import ConvergenceAssessment, TaskProfile
from aeon.schema.outcome import Answer
from aeon.schema.plan import Plan, Step, ToolCall, Writing
from aeon.schema.task import Task, Unread

__all__ = ["Progress"]


@dataclass(slots=True)
class Progress:
    """What a multi-pass run knows. ``settled`` is the plan of the latest complete pass, number ``complete``.

    ``executed`` is the number of the latest pass whose execute phase came to its end. ``unprofiled``: the task was left
    without a profile until one pass was not enough.
    """

    run: Run[Config, PassSignals]
    attempts: Attempts
    profile: TaskProfile = field(default_factory=lambda: TaskProfile(inferred=False))
    unprofiled: bool = False
    plan: Plan = field(default_factory=Plan)
    settled: Plan | None = None
    complete: int = 0
    executed: int = 0
    assessment: ConvergenceAssessment | None = None
    preparation: Preparation = field(default_factory=Preparation)
    passes: list[ExecutionPass] = field(default_factory=list)
    evaluations: list[Evaluation] = field(default_factory=list)

    @property
    def number(self) -> int:
        """The number of the pass under way, or of the last one; 0 before the first."""
        return len(self.passes)

    @property
    def this_pass(self) -> ExecutionPass:
        """The record of the pass under way, or of the last one."""
        return self.passes[-1]

    @this_pass.setter
    def this_pass(self, record: ExecutionPass) -> None:
        self.passes[-1] = record

    def profile_again(self, profile: TaskProfile) -> None:
        """Take a new profile: the first one as it is, a later one within a tier of the first."""
        first = profile if self.unprofiled else self.preparation.profile
        self.profile, self.unprofiled = revised(self.profile, profile, first), not profile.inferred
        self.this_pass = self.this_pass.changed(revised_profile=self.profile)

    def settle(self) -> None:
        """Count the pass under way as complete: what its phases gave is in the answer."""
        self.settled, self.complete = self.plan, self.number
        self.run.signals.passes = self.complete
        self.limit_passes()
        self.this_pass = self.this_pass.changed(complete=True)

    def limit_passes(self) -> None:
        """Show the decision table the limit on passes (TTL): it follows from the profile and the configuration."""
        self.run.signals.ttl = pass_limit(self.profile, self.run.config)

    def end_pass(self, decision: Decision) -> None:
        """Complete the record of the pass under way: timings, what is spent, and a decision if it has none."""
        if self.passes:
            self.this_pass = self.this_pass.changed(
                timings=tuple(self.run.timings),
                budget_after=self.run.usage,
                decision=self.this_pass.decision or decision,
            )

    def result(self, decision: Decision, answer: Answer) -> Result:
        """The result with its history: how the run ended and all that it rests on."""
        run = self.run
        ended, unread = run.conclude(decision, answer), self._unread()
        ended = ended.changed(
            unread=unread, sufficient=ended.sufficient and not unread, sentence_checks=answer.sentence_checks
        )
        end = FinalResult(
            **dict(ended),
            converged=ended.sufficient and ended.stop_reason == "converged",
            assessment=self.assessment and _held(self.assessment, answer.claims),
            pass_number=self.complete or self.number,
            passes=self.number,
            abandoned=self.plan.pending(),
            needs_manual_intervention=self.attempts.stuck,
        )
        history = ExecutionHistory(
            execution_id=run.execution_id,
            task=run.task,
            configuration=run.config,
            preparation=self.preparation,
            passes=tuple(self.passes),
            synthesis=next((timing for timing in reversed(run.timings) if timing.phase == "synthesize"), None),
            conclusion=end,
        )
        return Result.of(history)

    def _unread(self) -> tuple[Unread, ...]:
        """What of the task was not read whole.

        A text that is written gets the whole task. A step of the model's own is shown a part of the context; one that
        looks something up searches all of it.
        """
        unread = self.run.task.unread
        executed = [step for one in self.passes for step in one.executed] if unread else []
        whole = {"task": _is_written(executed, self.run.task), "context": _is_searched(executed)}
        return tuple(one for one in unread if not whole[one.part])


def _held(assessment: ConvergenceAssessment, claims: Sequence[Claim]) -> ConvergenceAssessment:
    """The assessment, held against the claims of the finished answer: with one that does not stand it is not converged.

    It was made of the results, before the answer was worded.
    """
    lost = [claim for claim in claims if claim.verdict in ENDINGS]
    verdicts = {claim.verdict for claim in lost}
    codes = [reason for verdict, reason in ENDINGS.items() if verdict in verdicts]
    return assessment.changed(
        converged=assessment.converged and not lost,
        reason_codes=tuple(dict.fromkeys([*assessment.reason_codes, *codes])),
        detected_issues=(*assessment.detected_issues, *map(_fault, lost)),
    )


def _fault(claim: Claim) -> str:
    """What is wrong with a claim of the answer, and where it stands."""
    return f"answer[{claim.start}:{claim.end}]: {claim.text}: {claim.note or claim.verdict}"


def _is_written(steps: Sequence[Step], task: Task) -> bool:
    """Whether no step does anything but write what the task says."""
    written = Writing(task=task.text)
    return all(step.action == written for step in steps)


def _is_searched(steps: Sequence[Step]) -> bool:
    """Whether a step rests on what was found in a text, and none is the model's own."""
    return any(step.mode == "reading" or step.sources for step in steps) and all(
        isinstance(step.action, ToolCall) for step in steps
    )
