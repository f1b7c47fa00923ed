"""Doing one step: by its tool, by the tool after its call was mended once, or by reasoning; the result says which."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pydantic import Field, JsonValue, RootModel

from aeon.documents.words import content_words
from aeon.errors import CompletionError, ToolArgumentError
from aeon.execution.constants import calculation, is_constant
from aeon.execution.grounded import write_grounded
from aeon.execution.operands import unstated
from aeon.execution.reading import absent_from, read_answer
from aeon.execution.shelved import read_shelf
from aeon.execution.writing import write_text
from aeon.multipass.effects import ExecuteStep
from aeon.runtime.ledger import current_ledger
from aeon.schema import (
    LONGEST_CONTEXT,
    Clarity,
    Frozen,
    JsonObject,
    Source,
    StepInput,
    StepMode,
    StepResult,
    ToolCall,
    Writing,
)
from aeon.supervisor.answers import AnswerJudge
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.judge import Judge
from aeon.supervisor.prompt import Prompt, fence, load, render
from aeon.supervisor.questions import asks_yes_no, presumes
from aeon.supervisor.schema import schema_of
from aeon.supervisor.shelf import Shelf
from aeon.supervisor.supervisor import Supervisor
from aeon.text import one_line
from aeon.tools.choose import CHOOSE
from aeon.tools.numbers import figure, is_number
from aeon.tools.quote import QUOTE, quoted
from aeon.tools.references import references, substitute
from aeon.tools.registry import ToolRegistry
from aeon.tools.texts import READ_TEXTS, every_text, read_sentences

__all__ = ["Executor"]

_LONGEST_INPUTS = 5_000
_LONGEST_PROBLEM = 800
_CALCULATOR, _SQL = "calculator", "sql"
_EXACT = (_CALCULATOR, CHOOSE)
_COMPUTING = (_CALCULATOR, _SQL)
_LEANS = re.compile(r"\b(?:it|its|they|their|them|he|she|his|her|that|this|those|these|one|ones)\b", re.IGNORECASE)
_NAMED = 3
"""Words of a question that say what it is about; one with fewer, or with a pronoun, leans on the task."""


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
        self,
        supervisor: Supervisor,
        briefing: Briefing,
        tools: ToolRegistry,
        output_tokens: int = 512,
        twice: bool = True,
    ) -> None:
        """``twice``: what is read in texts is held against a second reading."""
        self._supervisor = supervisor
        self._briefing = briefing
        self._tools = tools
        self._output_tokens = output_tokens
        self._twice = twice

    async def execute(self, effect: ExecuteStep, objection: str = "") -> StepResult:
        """The step's result. ``objection`` is what was wrong with a first one, where a model is asked for a second.

        Raises:
            ToolFailed, ToolTimeout: the tool was called and failed; that fails the step.
            CompletionError, ModelError, AllowanceExhausted: the step needed the model and got nothing usable.
        """
        match effect.step.action:
            case Writing() as action:
                return await self._write(effect, action, objection)
            case ToolCall(tool=tool) as action if tool in self._tools.names:
                return await self._use(effect, action)
            case ToolCall() as action:
                return await self._mend_tool(effect, action)
            case _:
                return await self._reason(effect, "reasoning", objection=objection)

    async def _use(self, effect: ExecuteStep, action: ToolCall) -> StepResult:
        """What the step's tool gives; nothing where it computes with what is not known."""
        if missing := _missing(effect, action.tool):
            return _unknown(missing)
        outputs = {name: source.output for source in effect.inputs for name in source.names}
        if action.arguments is None:
            arguments = await self._write_arguments(effect, action.tool, "")
            return await self._call(effect, action.tool, arguments, outputs, "tool")
        try:
            known = _figures(action.arguments, outputs) if action.tool == _CALCULATOR else outputs
            arguments = substitute(action.arguments, known)
            return await self._call(effect, action.tool, arguments, outputs, "tool")
        except ToolArgumentError as error:
            problem = str(error)
        if action.tool in _EXACT and _without_number(outputs.values()):
            return _unknown(problem)  # whoever mended it would have to invent a number
        return await self._mend_call(effect, action.tool, outputs, problem)

    async def _mend_call(
        self, effect: ExecuteStep, tool: str, outputs: dict[str, JsonValue], problem: str
    ) -> StepResult:
        """Arguments that the tool does not take: have them written anew, once; failing that, reason."""
        try:
            arguments = await self._write_arguments(effect, tool, problem, repairs=1)
            return await self._call(effect, tool, arguments, outputs, "tool_repaired")
        except (CompletionError, ToolArgumentError) as error:
            return await self._reason(effect, "reasoning_fallback", str(error))

    async def _mend_tool(self, effect: ExecuteStep, action: ToolCall) -> StepResult:
        """A tool that does not exist: have one of those that do chosen, once; failing that, reason."""
        problem = f"the tool '{action.tool}' does not exist"
        if not self._tools.offered:
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
            "properties": {"tool": {"enum": list(self._tools.offered)}},
            "required": ["tool"],
            "additionalProperties": False,
        }
        why = fence("problem", problem, _LONGEST_PROBLEM)
        question = f"Step: {effect.step.description}\nIts tool cannot be used:\n{why}\nWhich tool does this step?"
        prompt = self._briefing.prompt(effect.task, question)
        reply = await self._supervisor.structured(prompt, _Arguments, schema=schema, max_tokens=40, repairs=0)
        return str(reply.value.root["tool"])

    async def _write_arguments(
        self, effect: ExecuteStep, tool: str, problem: str, repairs: int | None = None
    ) -> JsonObject:
        note = f"\nA first try cannot be used:\n{fence('problem', problem, _LONGEST_PROBLEM)}" if problem else ""
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
        reading, question = self._tools.get(tool).reading, str(arguments.get("question", ""))
        if (
            reading
            and question != effect.task.text
            and (_LEANS.search(question) or len(content_words(question)) < _NAMED)
        ):
            arguments = {**arguments, "question": f"{question} {effect.task.text}"}
        ledger = current_ledger()
        key = f"{ledger.execution_id}:{effect.step.id}"
        world = tool if self._tools.get(tool).side_effects else ""
        output = await self._tools.call(tool, arguments, key, outputs, guard=lambda: ledger.tool_call(world))
        if reading:
            return await self._read(tool, question, effect, output.value)
        if tool == _SQL and (lacking := _lacking(output.value, effect.task.text)):
            return _unknown(f"the files do not say: {effect.task.text} ({lacking})")
        value, sources = _with_sources(tool, output.value)
        own = _own(effect, tool, arguments)
        called: StepMode = "reasoning" if own else mode
        return StepResult(output=value, mode=called, problem=own, cut=output.cut, sources=sources)

    async def _read(self, tool: str, question: str, effect: ExecuteStep, found: JsonValue) -> StepResult:
        """What the texts say to a question, which is put to all of them, or to what was ``found`` in them."""
        task, known = effect.task, effect.step.read
        searched = self._tools.get(tool).hint.removeprefix("Texts: ")
        by_passages = bool(task.background) or asks_yes_no(task.text)
        texts = None if by_passages else await every_text(self._tools, question)
        absent = absent_from(searched, question)
        shelf = Shelf(self._supervisor, texts) if texts else None
        judge = AnswerJudge(Judge(self._supervisor, samples=0))
        read = await read_shelf(shelf, question, absent, judge, self._twice, known) if shelf else None
        return read or await read_answer(self._supervisor, question, task.text, found, searched, self._twice)

    async def _write(self, effect: ExecuteStep, action: Writing, objection: str) -> StepResult:
        """The text that is asked for, as the model writes it; asked for again once where its form is not as asked."""
        task, outputs = effect.task, {name: source.output for source in effect.inputs for name in source.names}
        text = str(substitute({"task": action.task}, outputs)["task"]) if effect.inputs else action.task
        context = [fence("context", task.background, LONGEST_CONTEXT)] if task.background else []
        criteria = ["The answer must meet:\n" + "\n".join(f"- {one}" for one in task.criteria)] if task.criteria else []
        said = [f"{one.question} {one.answer}" for one in task.clarifications]
        parts = [*context, text, *said, *criteria, *_objected(objection)]
        if effect.step.is_grounded:
            return await write_grounded(self._supervisor, task, _read(effect.inputs), parts, self._output_tokens)
        prompt = Prompt("", "\n\n".join(parts))
        written = await write_text(self._supervisor, prompt, text, self._output_tokens)
        return StepResult(output=written, mode="reasoning")

    async def _reason(self, effect: ExecuteStep, mode: StepMode, problem: str = "", objection: str = "") -> StepResult:
        question = "\n".join([render(load("aeon.execution", "reason.md"), **_place(effect)), *_objected(objection)])
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


def _read(inputs: Iterable[StepInput]) -> list[Source]:
    """The sentences that the steps before it have read."""
    return [source for one in inputs for source in one.sources]


def _own(effect: ExecuteStep, tool: str, arguments: JsonObject) -> str:
    """Why what a tool gives is reasoning: the model wrote it, or the numbers that it comes of; "" if it is not."""
    if tool not in _COMPUTING:
        return ""
    numbers = unstated(calculation(arguments), effect.task, [one.output for one in effect.inputs])
    if not numbers:
        return "the model wrote it into the call itself" if is_constant(arguments) else ""
    return f"it is computed with {', '.join(numbers)}, which nothing states"


def _with_sources(tool: str, output: JsonValue) -> tuple[JsonValue, tuple[Source, ...]]:
    """What a tool gave, and the sentences that it rests on."""
    if tool == READ_TEXTS:
        return read_sentences(output)
    return quoted(output) if tool == QUOTE else (output, ())


def _lacking(found: JsonValue, question: str) -> str:
    """Why a query says nothing: it gives nothing, as the sum of no rows, or no row of what is presumed; else ""."""
    if found is None:
        return "what the tables have of it is empty"
    return "no row of the tables is about it" if found == [] and presumes(question) else ""


def _objected(objection: str) -> list[str]:
    """What was wrong with a first result, for the prompt of a second; nothing where there was none."""
    if not objection:
        return []
    return [f"A first result was rejected for this:\n{fence('objection', objection, _LONGEST_PROBLEM)}\nDo better."]


def _figures(arguments: JsonObject, outputs: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """The numbers that the outputs state.

    Raises ``ToolArgumentError`` for a text that is none, such as a date, where a formula refers to it: it would be a
    subtraction there.
    """
    known = {name: figure(value) for name, value in outputs.items()}
    for name in references(arguments):
        value = known.get(name)
        if isinstance(value, str) and not is_number(value):
            raise ToolArgumentError(f"{_CALCULATOR}: {one_line(repr(value), 100)} is no number")
    return known


def _missing(effect: ExecuteStep, tool: str) -> str:
    """What an exact step builds on that nobody found; empty where all is there."""
    missing = [source.description for source in effect.inputs if source.output is None] if tool in _EXACT else []
    return "; ".join(f"not known: {description}" for description in missing)


def _without_number(values: Iterable[JsonValue]) -> bool:
    return any(isinstance(figure(value), str) for value in values)


def _unknown(problem: str) -> StepResult:
    return StepResult(output=None, clarity="PARTIALLY_CLEAR", mode="tool", problem=problem)


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
