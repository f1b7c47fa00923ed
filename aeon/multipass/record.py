"""The record of a multi-pass run while it is made, and the result that it ends in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from aeon.multipass import triggers
from aeon.multipass.limits import revised
from aeon.multipass.plans import is_by_programs, outputs_before
from aeon.multipass.refine import Attempts
from aeon.multipass.statistics import statistics
from aeon.multipass.trends import AIMS
from aeon.multipass.votes import Ballot
from aeon.schema.claims import LACKING, Claim
from aeon.schema.conclusion import Conclusion, Decision, PhaseTiming
from aeon.schema.config import Config
from aeon.schema.evaluation import Evaluation
from aeon.schema.history import (
    ExecutionHistory,
    ExecutionPass,
    FinalResult,
    Preparation,
    RefinementRecord,
    Result,
)
from aeon.schema.judgment import Calculation, ConvergenceAssessment, SemanticValidationReport, TaskProfile
from aeon.schema.outcome import Answer
from aeon.schema.plan import (
    LOOKED_UP,
    Plan,
    Step,
    StepMode,
    StepResult,
    ToolLoop,
    Trigger,
    Writing,
    fragment,
)
from aeon.schema.task import Task, Unread
from aeon.schema.turns import Exchange, Turn
from aeon.schema.usage import Usage

__all__ = ["DECLINED", "Record"]

DECLINED = "No answer: the model declined. It wrote:"
"""What stands before a text that a judge took for a refusal."""


@dataclass(slots=True)
class Record:
    """What a multi-pass run knows. ``settled`` is the plan of the latest complete pass, number ``complete``.

    ``executed`` is the number of the latest pass whose execute phase came to its end. ``loops`` are the exchanges of
    each fragment that a model works on turn by turn, ``turns`` how many turns it was asked for in all; ``ballots`` are
    the votes of each that programs are written for, ``rounds`` how many rounds of them there were in all.
    """

    attempts: Attempts = field(default_factory=Attempts)
    profile: TaskProfile = field(default_factory=lambda: TaskProfile(inferred=False))
    plan: Plan = field(default_factory=Plan)
    settled: Plan | None = None
    complete: int = 0
    executed: int = 0
    turns: int = 0
    rounds: int = 0
    loops: dict[str, tuple[Exchange, ...]] = field(default_factory=dict)
    assessment: ConvergenceAssessment | None = None
    preparation: Preparation = field(default_factory=Preparation)
    ballots: dict[str, Ballot] = field(default_factory=dict)
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

    def note(self, **fields: object) -> None:
        """Set these fields in the record of the pass under way, or of the last one."""
        self.passes[-1] = self.passes[-1].changed(**fields)

    def ran(self, steps: Sequence[Step]) -> None:
        """Take in steps that have run, in the plan and in the pass; others are in the plan as they are."""
        done = tuple(step for step in steps if step.executed)
        self.plan = self.plan.merge(done)
        self.note(executed=self.this_pass.executed + done)

    def begin_pass(self, spent: Usage) -> None:
        """Begin the record of the next pass."""
        self.passes.append(ExecutionPass(number=self.number + 1, profile=self.profile, budget_before=spent))

    def held(self, answer: Answer) -> Answer:
        """The answer; where a judge that counts took its text for a refusal, no answer, which says so and quotes it."""
        said = self.assessment
        if said is None or said.reply != "refusal" or said.standing == "bad" or answer.value is not None:
            return answer
        return answer.changed(text=f"{DECLINED} {answer.text}", claims=(), sentence_checks=())

    def assess(self, assessment: ConvergenceAssessment) -> None:
        """Take in the assessment of the pass under way."""
        self.assessment = assessment
        self.evaluations += [assessment.evaluation] if assessment.evaluation else []
        self.note(assessment=assessment)

    def reasons(self, report: SemanticValidationReport, executed: Sequence[str]) -> tuple[Trigger, ...]:
        """Why the plan should be refined after this pass; nothing more where what was done again gave the same."""
        if self._is_unmoved(executed):
            return ()
        unmet = triggers.unmet_criteria(self.assessment) if self.assessment else ()
        return (*triggers.issues(report), *triggers.bad_ends(self.plan, executed), *unmet)

    def _is_unmoved(self, executed: Sequence[str]) -> bool:
        """Whether all that ran in this pass was done again, and came to what it had come to before."""
        ran = [step for step in self.plan.steps if step.id in executed]
        return bool(ran) and all(
            isinstance(step.action, ToolLoop) and step.output in outputs_before(self.plan, step) for step in ran
        )

    def is_blocked(self, executed: Sequence[str]) -> bool:
        """Whether one of these steps was blocked."""
        return any(step.clarity == "BLOCKED" for step in self.plan.steps if step.id in executed)

    def may_ask(self, asked: int, most: int) -> bool:
        """Whether a question is left of those that the run may ask, and the latest evaluation sees a need."""
        return asked < most and (not self.evaluations or self.evaluations[-1].needs_clarification)

    @property
    def has_pivoted(self) -> bool:
        """Whether a pass led to a refinement that took another way."""
        return any(one.refinement.strategy == "PIVOT" for one in self.passes)

    def profile_again(self, profile: TaskProfile) -> None:
        """Take a new profile, within a tier of the first."""
        self.profile = revised(self.profile, profile, self.preparation.profile)
        self.note(revised_profile=self.profile)

    @property
    def calculations(self) -> tuple[Calculation, ...]:
        """How values follow from others, as the latest report has it."""
        return self.passes[-1].report.calculations if self.passes else ()

    def settle(self) -> None:
        """Count the pass under way as complete: what its phases gave is in the answer."""
        self.settled, self.complete = self.plan, self.number
        self.note(complete=True)

    def end_pass(self, decision: Decision, timings: Sequence[PhaseTiming], spent: Usage) -> None:
        """Complete the record of the pass under way: timings, what is spent, and a decision if it has none."""
        if self.passes:
            ended = self.this_pass.decision or decision
            self.note(timings=tuple(timings), budget_after=spent, decision=ended)

    def keep(self, step: Step, exchanges: tuple[Exchange, ...]) -> None:
        """Keep the turns of a step so far."""
        self.loops[fragment(step.id)] = exchanges

    def exchanges(self, step: Step) -> tuple[Exchange, ...]:
        """The turns of a step so far: of an earlier version too, whose answer has what was found in it."""
        before = self.loops.get(fragment(step.id), ())
        if not before or before[-1].turn.calls:
            return before
        objection = "\n".join(f"- {one}" for one in self._against)
        return (*before[:-1], before[-1].changed(objection=objection))

    def voted(self, step: Step) -> Ballot:
        """The votes of a step so far: of an earlier version too, with what was found in its result."""
        before = self.ballots.get(fragment(step.id))
        return Ballot() if before is None else before.objected(self._against)

    @property
    def _against(self) -> tuple[str, ...]:
        """What was found in the results of the pass before this one, and what its strategy asks for."""
        last = self.passes[-2].refinement if self.number > 1 else RefinementRecord()
        aim = (AIMS[last.strategy],) if last.strategy is not None else ()
        return (*triggers.told(last.triggers), *aim)

    def sampled(self, step: Step, ballot: Ballot) -> None:
        """Take in a step as programs leave it, with the votes that led to that."""
        self.ballots[fragment(step.id)] = ballot
        self.ran([step])

    def looped(self, step: Step, turn: Turn) -> Step:
        """A step as the model left it: complete with the text of its last turn, failed where that says nothing."""
        exchanges = self.loops.get(fragment(step.id), ())
        uses = tuple(use for one in exchanges for use in one.uses)
        if not turn.text:
            return step.changed(status="failed", problem="the model gave no answer", uses=uses)
        self.loops[fragment(step.id)] = (*exchanges, Exchange(turn=turn))
        mode: StepMode = "tools" if any(not use.problem for use in uses) else "reasoning"
        return step.given(StepResult(output=turn.text, mode=mode, uses=uses, cites=turn.cites))

    def answering(self) -> Plan:
        """The plan that the answer is made of: the settled one, else the one under way with what its loops found."""
        if self.settled is not None:
            return self.settled
        begun = (step for step in self.plan.steps if step.status == "pending" and fragment(step.id) in self.loops)
        return self.plan.merge(
            step.changed(uses=tuple(use for one in self.loops[fragment(step.id)] for use in one.uses)) for step in begun
        )

    def is_grounded(self, task: Task) -> bool:
        """Whether a tool or a source was there that the answer can be checked against."""
        done = (step for step in self.plan.steps if step.status == "complete")
        return bool(task.context) or any(step.mode in LOOKED_UP for step in done)

    def result(self, ended: Conclusion, answer: Answer, run: tuple[Task, Config, Sequence[PhaseTiming]]) -> Result:
        """The result with its history: how the run ended and all that it rests on."""
        task, config, timings = run
        early = {} if self.passes else {"timings": tuple(one for one in timings if one.phase != "synthesize")}
        history = ExecutionHistory(
            execution_id=ended.execution_id,
            task=task,
            configuration=config,
            preparation=self.preparation.changed(**early),
            passes=tuple(self.passes),
            synthesis=next((timing for timing in reversed(timings) if timing.phase == "synthesize"), None),
            conclusion=self._final(ended, answer, task),
        )
        return Result.of(history.changed(statistics=statistics(history)))

    def _final(self, ended: Conclusion, answer: Answer, task: Task) -> FinalResult:
        """How the run ended, with what is known of its passes."""
        unread = self._unread(task)
        ended = ended.changed(
            unread=unread, sufficient=ended.sufficient and not unread, sentence_checks=answer.sentence_checks
        )
        return FinalResult(
            **dict(ended),
            converged=ended.sufficient and ended.stop_reason == "converged",
            assessment=self.assessment and _held(self.assessment, answer.claims),
            pass_number=self.complete or self.number,
            passes=self.number,
            abandoned=self.plan.pending(),
            needs_manual_intervention=self.attempts.stuck,
        )

    def _unread(self, task: Task) -> tuple[Unread, ...]:
        """What of the task was not read whole.

        A text that is written gets the whole task, and so does a model that works turn by turn; one that writes
        programs is shown a part of a long one. A step of the model's own, and a text that a program wants written, is
        shown a part of the context; one that looks something up there searches all of it.
        """
        unread = task.unread
        executed = [step for one in self.passes for step in one.executed] if unread else []
        whole = {"task": _is_written(executed, task), "context": _is_searched(executed)}
        return tuple(one for one in unread if not whole[one.part])


def _held(assessment: ConvergenceAssessment, claims: Sequence[Claim]) -> ConvergenceAssessment:
    """The assessment, held against the claims of the finished answer: with one that does not stand it is not converged.

    It was made of the results, before the answer was worded.
    """
    lost = [claim for claim in claims if claim.lacking]
    codes = sorted((claim.lacking for claim in lost), key=LACKING.index)
    return assessment.changed(
        converged=assessment.converged and not lost,
        reason_codes=tuple(dict.fromkeys([*assessment.reason_codes, *codes])),
        detected_issues=(*assessment.detected_issues, *map(_fault, lost)),
    )


def _fault(claim: Claim) -> str:
    """What is wrong with a claim of the answer, and where it stands."""
    return f"answer[{claim.start}:{claim.end}]: {claim.text}: {claim.note or claim.verdict}"


def _is_written(steps: Sequence[Step], task: Task) -> bool:
    """Whether no step does anything but write what the task says, or was done turn by turn."""
    written = Writing(task=task.text)
    return all(step.action == written or _is_turned(step) for step in steps)


def _is_turned(step: Step) -> bool:
    """Whether a step ended in a turn; of programs only a text does, which nobody weighs before it is there."""
    if is_by_programs(step):
        return step.status == "complete" and step.weight is None
    return isinstance(step.action, ToolLoop)


def _is_searched(steps: Sequence[Step]) -> bool:
    """Whether a step rests on what was found in a text, and none is the model's own."""
    return any(map(_looked, steps)) and all(isinstance(step.action, ToolLoop) for step in steps)


def _looked(step: Step) -> bool:
    """Whether a step looked in texts: of programs those that quote one, or that find that none states it."""
    if is_by_programs(step):
        return step.mode == "program" and (step.output is None or any(use.lines for use in step.uses))
    return step.mode == "tools"
