"""A step done in one effect, for engines that ask for whole steps: found out with tools, in the form that it names."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from aeon.errors import CompletionError, OutcomeUnknown, ToolError
from aeon.kernel.ports import Handlers
from aeon.multipass import turns
from aeon.multipass.effects import ExecuteStep, TakeTurn, UseTool
from aeon.multipass.plans import is_by_programs
from aeon.multipass.sampling import Sampled, sample
from aeon.schema import Call, Exchange, Step, StepMode, StepResult, ToolUse, Turn, Writing
from aeon.schema.effects import Effect
from aeon.schema.value import Value

__all__ = ["WholeSteps"]


class WholeSteps:
    """Does steps by the handlers of their parts, in so many turns or rounds at most; what these spend is the step's."""

    def __init__(self, handlers: Handlers, most_turns: int = 12, most_rounds: int = 3) -> None:
        self._handlers = handlers
        self._most_turns = most_turns
        self._most_rounds = most_rounds

    async def execute(self, effect: ExecuteStep) -> StepResult:
        """The result of a step.

        Raises:
            CompletionError: it came to none.
            ModelError, AllowanceExhausted: the model could not be asked.
            OutcomeUnknown: nobody knows what a tool did that changes the world.
        """
        done = await (self._sampled(effect) if is_by_programs(effect.step) else self._turned(effect))
        if done.status != "complete" or done.mode is None:
            raise CompletionError(done.problem or f"step {done.id} came to no result")
        return StepResult(
            output=done.output, clarity=done.clarity, mode=done.mode, problem=done.problem, uses=done.uses,
            cites=done.cites, likelihood=done.likelihood, weight=done.weight, agreement=done.agreement,
        )  # fmt: skip

    async def _sampled(self, effect: ExecuteStep) -> Step:
        asking = sample(effect.task, effect.step, effect.inputs, rounds=self._most_rounds)
        try:
            asked, instead = next(asking)
            while True:
                asked, instead = asking.send(await self._answered(asked, instead))
        except StopIteration as end:
            done: Sampled = end.value
            return done.step

    async def _answered(self, effect: Effect, instead: Value) -> Value:
        """What a handler says; what stands in its place where the model's text was of no use, or a tool failed."""
        with suppress(CompletionError, ToolError):
            return await self._handlers[effect.phase](effect)
        return instead

    async def _turned(self, effect: ExecuteStep) -> Step:
        exchanges: tuple[Exchange, ...] = ()
        turn, most = Turn(), 1 if isinstance(effect.step.action, Writing) else self._most_turns  # a text needs no tool
        for taken in range(1, most + 1):
            asked = TakeTurn(
                task=effect.task, step=effect.step, inputs=effect.inputs, exchanges=exchanges, last=taken == most
            )
            value = await self._handlers[asked.phase](asked)
            turn = value if isinstance(value, Turn) else Turn()
            if not turn.calls or asked.last:
                break
            uses = {call.id: await self._used(effect, call) for call in turns.to_make(turn, len(turn.calls))}
            exchanges = turns.exchanged(exchanges, turn, uses)
        return _finished(effect.step, turn, {use.id: use for one in exchanges for use in one.uses})

    async def _used(self, effect: ExecuteStep, call: Call) -> ToolUse:
        try:
            value = await self._handlers["use_tool"](UseTool(task=effect.task, step=effect.step.id, call=call))
        except OutcomeUnknown:
            raise
        except ToolError as error:
            return turns.answered(call, str(error))
        return value if isinstance(value, ToolUse) else turns.answered(call, "it gave nothing")


def _finished(step: Step, turn: Turn, uses: Mapping[str, ToolUse]) -> Step:
    """The step with the text that the last turn ends in; failed where that says nothing."""
    made = tuple(uses.values())
    if not turn.text:
        return step.changed(status="failed", problem="the model gave no answer", uses=made)
    mode: StepMode = "tools" if any(not use.problem for use in made) else "reasoning"
    return step.given(StepResult(output=turn.text, mode=mode, uses=made, cites=turn.cites))
