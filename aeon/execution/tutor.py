"""A tutor reads what the worker wrote: it accepts, corrects or rejects, in a value of a schema; the host checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from aeon.errors import AllowanceExhausted, CompletionError, ModelError
from aeon.execution.executor import Executor
from aeon.grounding.grounds import ToolOutput
from aeon.grounding.matching import claims
from aeon.grounding.results import told
from aeon.multipass.effects import ExecuteStep
from aeon.runtime.ledger import current_ledger
from aeon.schema import LONGEST_CONTEXT, Frozen, StepResult, Tutoring, Writing
from aeon.supervisor.form import form_faults
from aeon.supervisor.prompt import Prompt, cut, fence, load
from aeon.supervisor.supervisor import Supervisor
from aeon.text import one_line

__all__ = ["TUTOR_CALLS", "Tutored"]

TUTOR_CALLS = 2
"""Model calls that a tutor may make for one result: one, and one more where its answer cannot be used."""
_LONGEST_RESULT, _LONGEST_INPUT, _LONGEST_TASK = 4_000, 1_500, 1_000
_LONGEST_REASON = 300
_WRITTEN = ("reasoning", "reasoning_fallback")


class _Verdict(Frozen):
    reason: str = Field(max_length=_LONGEST_REASON)
    verdict: Literal["ACCEPTED", "CORRECTED", "REJECTED"]
    corrected: str = Field(max_length=_LONGEST_RESULT)


class Tutored:
    """An executor whose results a tutor reads, where a model wrote them.

    What a tool gave, or was read from a cited sentence, is the host's to prove: no tutor is asked about it. A tutor
    that is down, or answers nothing usable, costs no step: the worker's result stands, and says that nobody read it.
    ``shared``: it is the worker's own model, which is down for both; that ends the run, as it does for any step.
    """

    def __init__(self, executor: Executor, tutor: Supervisor, output_tokens: int = 512, shared: bool = False) -> None:
        self._executor = executor
        self._tutor = tutor
        self._output_tokens = output_tokens
        self._shared = shared

    async def execute(self, effect: ExecuteStep) -> StepResult:
        """The step's result, with what the tutor said of it. Raises as the executor."""
        first = await self._executor.execute(effect)
        if first.mode not in _WRITTEN or first.clarity == "BLOCKED" or not str(first.output).strip():
            return first
        try:
            said = await self._read(effect, first)
        except (CompletionError, AllowanceExhausted, ModelError) as error:
            if self._shared and isinstance(error, ModelError) and error.fatal:
                raise
            reason = f"the tutor {self._tutor.llm.name} gave no verdict: {error}"
            return first.changed(
                tutor=Tutoring(model=self._tutor.llm.name, verdict="none", reason=one_line(reason, 400))
            )
        match said.verdict:
            case "CORRECTED":
                return self._corrected(effect, first, said)
            case "REJECTED":
                return await self._again(effect, first, said)
        return first.changed(tutor=self._note(said))

    async def _read(self, effect: ExecuteStep, first: StepResult) -> _Verdict:
        prompt = Prompt(load("aeon.execution", "tutor.md"), _case(effect, first), fixed=True)
        reply = await self._tutor.structured(
            prompt, _Verdict, max_tokens=self._output_tokens, check=_faults, repairs=TUTOR_CALLS - 1
        )
        return reply.value

    def _note(
        self, said: _Verdict, used: bool = False, before: StepResult | None = None, problem: str = ""
    ) -> Tutoring:
        verdicts: dict[str, Literal["accepted", "corrected", "rejected"]] = {
            "ACCEPTED": "accepted", "CORRECTED": "corrected", "REJECTED": "rejected",
        }  # fmt: skip
        return Tutoring(
            model=self._tutor.llm.name,
            verdict=verdicts[said.verdict],
            reason=one_line(said.reason, _LONGEST_REASON),
            used=used,
            before=before.output if before is not None else None,
            problem=problem,
        )

    def _corrected(self, effect: ExecuteStep, first: StepResult, said: _Verdict) -> StepResult:
        """The correction, unless the host has something against it that it has not against the result."""
        if problem := _worse(effect, str(first.output), said.corrected):
            return first.changed(tutor=self._note(said, problem=problem))
        return first.changed(output=said.corrected, tutor=self._note(said, used=True, before=first))

    async def _again(self, effect: ExecuteStep, first: StepResult, said: _Verdict) -> StepResult:
        """A second result, made with the tutor's reason in view; the first one where there can be none."""
        if current_ledger().calls_left() < 1:
            return first.changed(tutor=self._note(said, problem="no call was left for a second result"))
        try:
            second = await self._executor.execute(effect, said.reason)
        except (CompletionError, AllowanceExhausted) as error:
            problem = one_line(f"there was no second result: {error}", _LONGEST_REASON)
            return first.changed(tutor=self._note(said, problem=problem))
        return second.changed(tutor=self._note(said, used=True, before=first))


def _case(effect: ExecuteStep, first: StepResult) -> str:
    """What the tutor sees: the task, the step with its inputs, and the result."""
    task = effect.task
    context = [fence("context", task.background, LONGEST_CONTEXT)] if task.background else []
    inputs = [fence(one.names[0], f"{one.description}\n{one.output}", _LONGEST_INPUT) for one in effect.inputs]
    step = effect.step.action.task if isinstance(effect.step.action, Writing) else effect.step.description
    result = fence("result", str(first.output), _LONGEST_RESULT)
    return "\n".join([*context, f"Task: {cut(task.text, _LONGEST_TASK)}", *inputs, f"Step: {step}", result])


def _faults(said: _Verdict) -> Sequence[str]:
    """What is wrong with a verdict that fits the schema."""
    if said.verdict == "CORRECTED" and not said.corrected.strip():
        return ["corrected: is empty, though the verdict is CORRECTED"]
    if said.verdict == "REJECTED" and not said.reason.strip():
        return ["reason: is empty, though the verdict is REJECTED"]
    return []


def _worse(effect: ExecuteStep, before: str, after: str) -> str:
    """What the host has against a correction and not against the result; "" where that is nothing.

    A value that is contradicted, more values that rest on nothing than before, or a form further from the one asked
    for. What rests on nothing before and after stays unsupported: a tutor proves nothing.
    """
    wrong, loose = _unproved(effect, after)
    wrong_before, loose_before = _unproved(effect, before)
    if new := [text for text in wrong if text not in wrong_before]:
        return f"contradicted: {', '.join(new)}"
    if len(loose) > len(loose_before):
        return (
            f"stands in nothing that the step could use: {', '.join(one for one in loose if one not in loose_before)}"
        )
    asked = effect.step.action.task if isinstance(effect.step.action, Writing) else ""
    faults, faults_before = form_faults(asked, after), form_faults(asked, before)
    return "; ".join(faults) if asked and len(faults) > len(faults_before) else ""


def _unproved(effect: ExecuteStep, text: str) -> tuple[list[str], list[str]]:
    """The values of a text that are contradicted, and those that rest on nothing that the step could use."""
    outputs = [ToolOutput(one.names[0], one.output) for one in effect.inputs]
    found = claims(text, told(effect.task), outputs, [], {effect.step.id: text})
    by_verdict = {
        verdict: [one.text for one in found if one.verdict == verdict] for verdict in ("contradicted", "not_found")
    }
    return by_verdict["contradicted"], by_verdict["not_found"]
