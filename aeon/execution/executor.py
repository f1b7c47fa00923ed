"""Doing one step: by its tool, by the tool after its call was mended once, or by reasoning; the result says which."""

from __future__ import annotations

from pydantic import Field, JsonValue, RootModel

from aeon.errors import CompletionError, ToolArgumentError
from aeon.multipass.effects import ExecuteStep
from aeon.runtime.ledger import current_ledger
from aeon.schema import Clarity, Frozen, JsonObject, StepMode, StepResult, ToolCall
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.prompt import fence, load, render
from aeon.supervisor.schema import schema_of
from aeon.supervisor.supervisor import Supervisor
from aeon.tools.references import substitute
from aeon.tools.registry import ToolRegistry

__all__ = ["Executor"]

_LONGEST_INPUTS = 5_000


class _ReasoningReply(Frozen):
    """What a reasoning step is asked for: the working first, so that the result can rest on it."""

    working: str = Field(max_length=900)
    result: str = Field(min_length=1, max_length=600)
    clarity: Clarity


class _Arguments(RootModel[dict[str, JsonValue]]):
    """Arguments, already valid against the tool's schema."""


class Executor:
    """Runs steps; tools are called only with arguments that fit their schema.

    A step that is mended asks less often again than one that goes straight, so that the whole way from an unknown tool
    to reasoning stays short: one call for another tool, two for its arguments, two for reasoning.
    """

    def __init__(
        self, supervisor: Supervisor, briefing: Briefing, tools: ToolRegistry, output_tokens: int = 512
    ) -> None:
        self._supervisor = supervisor
        self._briefing = briefing
        self._tools = tools
        self._output_tokens = output_tokens

    async def execute(self, effect: ExecuteStep) -> StepResult:
        """The step's result.

        Raises:
            ToolFailed, ToolTimeout: the tool was called and failed; that fails the step.
            CompletionError, ModelError, AllowanceExhausted: the step needed the model and got nothing usable.
        """
        action = effect.step.action
        if not isinstance(action, ToolCall):
            return await self._reason(effect, "reasoning")
        if action.tool not in self._tools.names:
            return await self._mend_tool(effect, action)
        outputs = {name: source.output for source in effect.inputs for name in source.names}
        if action.arguments is None:
            arguments = await self._write_arguments(effect, action.tool, "")
            return await self._call(effect, action.tool, arguments, outputs, "tool")
        try:
            arguments = substitute(action.arguments, outputs)
            return await self._call(effect, action.tool, arguments, outputs, "tool")
        except ToolArgumentError as error:
            problem = str(error)
        try:
            arguments = await self._write_arguments(effect, action.tool, problem, repairs=1)
            return await self._call(effect, action.tool, arguments, outputs, "tool_repaired")
        except (CompletionError, ToolArgumentError) as error:
            return await self._reason(effect, "reasoning_fallback", str(error))

    async def _mend_tool(self, effect: ExecuteStep, action: ToolCall) -> StepResult:
        """A tool that does not exist: have one of those that do chosen, once; failing that, reason."""
        problem = f"the tool '{action.tool}' does not exist"
        if not self._tools.names:
            return await self._reason(effect, "reasoning_fallback", problem)
        try:
            tool = await self._choose(effect, problem)
            arguments = await self._write_arguments(effect, tool, "", repairs=1)
            outputs = {name: source.output for source in effect.inputs for name in source.names}
            return await self._call(effect, tool, arguments, outputs, "tool_repaired")
        except (CompletionError, ToolArgumentError) as error:
            return await self._reason(effect, "reasoning_fallback", f"{problem}; {error}")

    async def _choose(self, effect: ExecuteStep, problem: str) -> str:
        schema: JsonObject = {
            "type": "object",
            "properties": {"tool": {"enum": list(self._tools.names)}},
            "required": ["tool"],
            "additionalProperties": False,
        }
        question = f"Step: {effect.step.description}\nIts tool cannot be used: {problem}. Which tool does this step?"
        prompt = self._briefing.prompt(effect.task, question)
        reply = await self._supervisor.structured(prompt, _Arguments, schema=schema, max_tokens=40, repairs=0)
        return str(reply.value.root["tool"])

    async def _write_arguments(
        self, effect: ExecuteStep, tool: str, problem: str, repairs: int | None = None
    ) -> JsonObject:
        note = f"\nA first try cannot be used: {problem}" if problem else ""
        question = render(load("aeon.execution", "arguments.md"), tool=tool, problem=note, **_place(effect))
        reply = await self._supervisor.structured(
            self._briefing.prompt(effect.task, question),
            _Arguments,
            schema=self._tools.get(tool).parameters,
            max_tokens=self._output_tokens,
            check=lambda arguments: self._tools.check(tool, arguments.root),
            repairs=repairs,
        )
        return reply.value.root

    async def _call(
        self, effect: ExecuteStep, tool: str, arguments: JsonObject, outputs: dict[str, JsonValue], mode: StepMode
    ) -> StepResult:
        ledger = current_ledger()
        key = f"{ledger.execution_id}:{effect.step.id}"
        world = tool if self._tools.get(tool).side_effects else ""
        output = await self._tools.call(tool, arguments, key, outputs, guard=lambda: ledger.tool_call(world))
        return StepResult(output=output.value, mode=mode, cut=output.cut)

    async def _reason(self, effect: ExecuteStep, mode: StepMode, problem: str = "") -> StepResult:
        question = render(load("aeon.execution", "reason.md"), **_place(effect))
        reply = await self._supervisor.structured(
            self._briefing.prompt(effect.task, question),
            _ReasoningReply,
            schema=schema_of(_ReasoningReply),
            max_tokens=self._output_tokens,
            repairs=1 if mode == "reasoning_fallback" else None,
        )
        value = reply.value
        missing = value.result if value.clarity == "BLOCKED" else problem
        return StepResult(output=value.result, clarity=value.clarity, mode=mode, problem=missing)


def _place(effect: ExecuteStep) -> dict[str, str]:
    """Where the step stands, for its prompt: index, total, goal, incoming context, handoff."""
    step = effect.step
    share = _LONGEST_INPUTS // max(1, len(effect.inputs))
    sources = [fence(source.names[0], f"{source.description}\n{source.output}", share) for source in effect.inputs]
    return {
        "index": str(step.index),
        "total": str(step.total),
        "goal": step.description,
        "context": "Results of earlier steps:\n" + "\n".join(sources) + "\n" if sources else "",
        "handoff": f"Your result goes to: {step.handoff}\n" if step.handoff else "",
    }
