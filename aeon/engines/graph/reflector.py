"""Looking around after a failure with typed, read-only actions; and saying what a new plan should do otherwise."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue, RootModel

from aeon.engines.graph.effects import ChooseLook, Reflect, TakeLook
from aeon.engines.graph.showing import fenced_failure, fenced_plan, seen
from aeon.engines.graph.timing import limit
from aeon.engines.graph.values import Choice, Look, LookAction, Reflection
from aeon.errors import ToolFailed
from aeon.runtime.ledger import current_ledger
from aeon.schema import Frozen, JsonObject, StepResult
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.prompt import load, render
from aeon.supervisor.schema import schema_of
from aeon.supervisor.supervisor import Supervisor
from aeon.tools.look import LOOK
from aeon.tools.registry import ToolRegistry
from aeon.tools.tool import Tool

__all__ = ["Reflector"]

_CHOICE_TOKENS, _THOUGHT_TOKENS = 80, 160
_LONGEST_ARGUMENT = 200
_TOOLS: dict[LookAction, tuple[str, str, str]] = {
    "list": ("list_files", "", "list the files"),
    "read": (LOOK, "path", 'read the first lines of the file named in "at"'),
    "search": ("search_files", "text", 'find the lines that hold the word in "at"'),
    "query": ("sql", "query", 'ask the tables the SQL query in "at"'),
}
"""For each action the tool that does it, the parameter that its argument is, and what prompts say of it."""


class _Choice(Frozen):
    action: Literal["list", "read", "search", "query", "stop"]
    at: str = Field(max_length=_LONGEST_ARGUMENT)


class _Thought(Frozen):
    cause: str = Field(min_length=3, max_length=200)
    advice: str = Field(min_length=3, max_length=240)


class _Chosen(RootModel[dict[str, JsonValue]]):
    """A choice, already valid against the schema of the actions that there are."""


class Reflector:
    """Offers the looks that the tools of the run allow: those without side effects, and no other. No shell."""

    def __init__(self, supervisor: Supervisor, briefing: Briefing, tools: ToolRegistry, look_seconds: float) -> None:
        self._supervisor = supervisor
        self._briefing = briefing
        self._tools = tools
        self._seconds = look_seconds
        self._actions = {action: one for action, one in _TOOLS.items() if _is_look(tools, one[0])}

    async def choose(self, effect: ChooseLook) -> Choice:
        """The look that the model chooses; none where there is nothing to look at, and then nobody is asked.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
        """
        if not self._actions:
            return Choice()
        lines = [f'"{action}": {told}' for action, (_, _, told) in self._actions.items()]
        question = render(
            load("aeon.engines.graph", "choose_look.md"),
            plan=fenced_plan(effect.plan),
            failure=fenced_failure(effect.failure),
            seen=seen(effect.looks),
            actions="\n".join(lines),
        )
        reply = await self._supervisor.structured(
            self._briefing.prompt(effect.task, question),
            _Chosen,
            schema=self._schema(),
            max_tokens=_CHOICE_TOKENS,
            repairs=1,
        )
        chosen = _Choice.model_validate(reply.value.root)
        if chosen.action == "stop":
            return Choice()
        return Choice(look=Look(action=chosen.action, argument="" if chosen.action == "list" else chosen.at.strip()))

    def _schema(self) -> JsonObject:
        """The schema of a choice among the actions that there are."""
        schema = schema_of(_Choice)
        properties = schema["properties"]
        if isinstance(properties, dict):
            properties["action"] = {"enum": [*self._actions, "stop"]}
        return schema

    async def look(self, effect: TakeLook) -> StepResult:
        """What the look shows.

        Raises:
            ToolError: there is no such look, or it showed nothing.
            CompletionError: it took too long.
        """
        action, argument = effect.look.action, effect.look.argument
        if action not in self._actions:
            raise ToolFailed(f"{action}: there is no tool for this look")
        name, parameter, _ = self._actions[action]
        arguments: JsonObject = {parameter: argument} if parameter else {}
        if name == LOOK:
            arguments["action"] = action
        ledger = current_ledger()
        async with limit(f"look '{action}'", self._seconds, read_only=True):
            output = await self._tools.call(name, arguments, ledger.execution_id, guard=ledger.tool_call)
        return StepResult(output=output.value, mode="tool", cut=output.cut)

    async def reflect(self, effect: Reflect) -> Reflection:
        """Why the plan failed, and what to do otherwise.

        Raises:
            CompletionError, ModelError, AllowanceExhausted: the model gave nothing usable.
        """
        question = render(
            load("aeon.engines.graph", "reflect.md"),
            plan=fenced_plan(effect.plan),
            failure=fenced_failure(effect.failure),
            seen=seen(effect.looks),
        )
        prompt = self._briefing.prompt(effect.task, question)
        reply = await self._supervisor.structured(prompt, _Thought, max_tokens=_THOUGHT_TOKENS, repairs=1)
        return Reflection(cause=reply.value.cause, advice=reply.value.advice)


def _is_look(tools: ToolRegistry, name: str) -> bool:
    """Whether there is a tool of this name that changes nothing."""
    found: Tool | None = tools.get(name) if name in tools.names else None
    return found is not None and not found.side_effects
