"""A model that works with tools, turn by turn: what it is shown, what it asks for, and what the tools give."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from aeon.errors import Malformed
from aeon.isolation.aside import aside
from aeon.multipass.effects import TakeTurn, UseTool
from aeon.runtime.ledger import current_ledger
from aeon.schema import Call, CallRequest, Exchange, JsonObject, JsonValue, Message, StepInput, ToolUse, Turn, fragment
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.prompt import characters, clean, fence, load
from aeon.supervisor.supervisor import Supervisor
from aeon.supervisor.turns import Spoken, arguments_of
from aeon.text import one_line
from aeon.tools.registry import ToolRegistry
from aeon.tools.rendering import shown
from aeon.tools.textparts import lines_of
from aeon.tools.toolspecs import specs

__all__ = ["TurnTaker"]

_LONGEST_RESULT = 8_000
_SHORTEST_RESULT = 300
_LONGEST_INPUT = 4_000
_LONGEST_OBJECTION = 2_000
_LONGEST_MATERIAL = 8_000
_SPARE = 8
"""One byte of so many of a prompt is left free: an answer that cannot be used is shown to the model once more."""
_CUTS = 4
_CITES = re.compile(
    r"(?:(?:\A|\n)[ \t]*(?:[^\W\d][^\d\[\n.!?]{0,40}[:\uff1a]|[^\W\d]+)?|[ \t])[ \t]*"
    r"((?:\[\d+(?:\.\d+)?\][ \t,;]*)+)\.?\s*\Z"
)
"""The end of an answer where it holds nothing but ids, in a line of their own perhaps behind a label."""
_LONGEST_CITES = 2_000
"""Characters at the end of an answer that may hold its ids."""
_ID = re.compile(r"\[(\d+(?:\.\d+)?)\]")
_LAST = "No more tool calls are possible. Write the answer now, from what the results say, with its last line."
_AGAIN = (
    "Your answer was checked, and this was found:\n{objection}\n"
    "Look again with the tools where that helps. Then write the whole answer once more: corrected, or as it is where "
    "it is right."
)


class TurnTaker:
    """Has a model work on a step, and makes the calls that it asks for.

    The briefing's material is what the tools can be used on. Every call is checked against the tool's schema before it
    is made: what is wrong with one is told to the model as its result.
    """

    def __init__(
        self, supervisor: Supervisor, briefing: Briefing, tools: ToolRegistry, output_tokens: int = 1_024
    ) -> None:
        self._supervisor = supervisor
        self._briefing = briefing
        self._tools = tools
        self._output_tokens = output_tokens
        self._specs = specs(tools)

    async def turn(self, effect: TakeTurn) -> Turn:
        """The model's next turn: calls, each with its id, or the text of its answer and what that rests on.

        Raises:
            CompletionError: it neither called nor said anything, or was cut off; repairs included.
            ModelError, AllowanceExhausted: it could not be asked.
        """
        offered = () if effect.last else self._specs
        messages = await self._fitted(effect)
        reply = await self._supervisor.turn(
            messages, offered, max_tokens=self._output_tokens, tell=lambda said: _text(said, effect)
        )
        spoken, first = reply.value, sum(len(one.turn.calls) for one in effect.exchanges) + 1
        calls = await aside(lambda: self._calls(fragment(effect.step.id), first, spoken.calls))
        if calls:
            return Turn(text=spoken.text, calls=calls, form=spoken.form, mended=spoken.mended)
        return _answer(spoken, effect)

    async def use(self, effect: UseTool) -> ToolUse:
        """What the tool gave.

        Raises:
            ToolError: the tool refused the arguments, failed, or took too long; or nobody knows what it did.
        """
        call, ledger, tool = effect.call, current_ledger(), self._tools.get(effect.call.tool)
        world = call.tool if tool.side_effects else ""
        key = f"{ledger.execution_id}:{effect.step}.{_number(call)}"
        output = await self._tools.call(call.tool, call.arguments, key, guard=lambda: ledger.tool_call(world))
        value = output.value
        total = _total(value)
        return ToolUse(
            id=call.id, tool=call.tool, arguments=call.arguments, output=value, total=total,
            lines=lines_of(value) if tool.reading else (), cut=output.cut or _is_cut(value), tables=output.tables,
        )  # fmt: skip

    def _calls(self, step: str, first: int, requests: Sequence[CallRequest]) -> tuple[Call, ...]:
        return tuple(self._call(step, first + n, one) for n, one in enumerate(requests))

    def _call(self, step: str, number: int, request: CallRequest) -> Call:
        """A call with its id, and what keeps it from being made."""
        name = f"{step}.{number}"
        try:
            arguments = arguments_of(request)
        except Malformed as error:
            return Call(id=name, tool=one_line(request.name, 80), arguments={}, problem=f"no JSON object: {error}")
        fault, tool = self._fault(request, arguments), one_line(request.name, 80)
        return Call(id=name, tool=tool, arguments=arguments, problem=fault, signature=request.signature)

    def _fault(self, request: CallRequest, arguments: JsonObject) -> str:
        if request.name not in self._tools.names:
            return f"there is no tool {one_line(request.name, 80)!r}; the tools are: {', '.join(self._tools.names)}"
        faults = self._tools.check(request.name, arguments)
        return one_line("; ".join(faults), 600)

    async def _fitted(self, effect: TakeTurn) -> tuple[Message, ...]:
        """The conversation so far, its texts cut as far as it takes for the prompt to be as long as it may be."""
        most = (await self._supervisor.bounds()).prompt_bytes
        spare = most // _SPARE
        for _ in range(_CUTS):
            messages = self._messages(effect, most)
            left = await self._supervisor.turn_room(messages, self._specs) - spare
            if left >= 0:
                break
            most += left
        return messages

    def _messages(self, effect: TakeTurn, most: int) -> tuple[Message, ...]:
        """The conversation so far, in about ``most`` bytes: what to do, the task, each turn and what came of it."""
        instructions = self._briefing.instructed(load("aeon.execution", "loop.md").strip())
        system = Message(role="system", content=clean(instructions))
        material = self._briefing.material
        parts = [fence("material", material, min(_LONGEST_MATERIAL, most // 3))] if material else []
        free = most - sum(len(one.encode()) for one in (system.content, *parts))
        longest = characters(f"{effect.task.text}{effect.task.background}", free * 2 // 3)
        parts += [self._briefing.facts(effect.task, max(_SHORTEST_RESULT, longest)), *_step(effect)]
        user = Message(role="user", content=clean("\n\n".join(parts)))
        return (system, user, *_turns(effect, most - sum(len(one.content.encode()) for one in (system, user))))


def _is_cut(value: JsonValue) -> bool:
    """Whether a tool says that it gave a part only."""
    return isinstance(value, dict) and value.get("cut") is True


def _total(value: JsonValue) -> int | None:
    """How many rows there are, where not all of them are shown."""
    if not isinstance(value, dict):
        return None
    rows, total = value.get("rows"), value.get("total")
    return total if isinstance(rows, list) and isinstance(total, int) and total > len(rows) else None


def _step(effect: TakeTurn) -> list[str]:
    """Where a step stands that is one of several: its place, its goal, what it builds on and where it goes."""
    step = effect.step
    if step.total == 1 or step.description == effect.task.text:
        return []
    known = [fence(one.names[0], _input(one), _LONGEST_INPUT) for one in effect.inputs]
    place = f"This is step {step.index} of {step.total}. Answer just this: {step.description}"
    handoff = f"Your answer goes to: {step.handoff}" if step.handoff else ""
    return [*known, "\n".join(filter(None, (place, handoff)))]


def _input(one: StepInput) -> str:
    return f"{one.description}\n{one.output}"


def _turns(effect: TakeTurn, room: int) -> Iterator[Message]:
    """The turns so far as messages; the results in at most about ``room`` bytes, the latest ones longest."""
    limits = _limits([use for one in effect.exchanges for use in one.uses], room)
    for exchange in effect.exchanges:
        yield Message(role="assistant", content=clean(exchange.turn.text), calls=_requests(exchange))
        for use in exchange.uses:
            yield Message(role="tool", content=_result(use, limits[use.id]), call_id=_wire_id(use.id))
        if exchange.objection:
            objection = fence("found", exchange.objection, _LONGEST_OBJECTION)
            yield Message(role="user", content=_AGAIN.format(objection=objection))
    if effect.last and effect.exchanges:
        yield Message(role="user", content=_LAST)


def _requests(exchange: Exchange) -> tuple[CallRequest, ...]:
    return tuple(
        CallRequest(
            id=_wire_id(call.id),
            name=call.tool,
            signature=call.signature,
            arguments=json.dumps(call.arguments, ensure_ascii=False),
        )
        for call in exchange.turn.calls
    )


def _wire_id(name: str) -> str:
    """The id of a call in the characters that every endpoint takes."""
    return name.replace(".", "_")


def _result(use: ToolUse, limit: int) -> str:
    """A result as the model sees it: fenced, under its number."""
    return fence(f"result {_number(use)}", _told(use), limit)


def _told(use: ToolUse) -> str:
    return f"error: {use.problem}" if use.problem else shown(use.output, int(_number(use)))


def _number(use: ToolUse | Call) -> str:
    return use.id.rpartition(".")[2]


def _limits(uses: Sequence[ToolUse], room: int) -> dict[str, int]:
    """How many characters of each result are shown: the latest are served first, each gets a few at least."""
    limits: dict[str, int] = {}
    for use in reversed(uses):
        text = _told(use)
        limits[use.id] = max(_SHORTEST_RESULT, min(len(text) + 200, _LONGEST_RESULT, characters(text, room)))
        room -= len(text[: limits[use.id]].encode()) + 100
    return limits


def _answer(spoken: Spoken, effect: TakeTurn) -> Turn:
    """The text of an answer without the line of ids that it ends in, and these ids in full."""
    text, uses = spoken.text, {use.id: use for one in effect.exchanges for use in one.uses}
    body, named = _cited(text, fragment(effect.step.id))
    cites = tuple(dict.fromkeys(one for one in named if _is_given(one, uses)))
    unknown = tuple(dict.fromkeys(one for one in named if not _is_given(one, uses)))
    body = body if cites else text  # what is no citation at all is the answer's own
    return Turn(text=body, cites=cites, unknown=unknown, form=spoken.form, mended=spoken.mended)


def _text(spoken: Spoken, effect: TakeTurn) -> str:
    """The words of a turn: of an answer without the line of ids."""
    return spoken.text if spoken.calls else _answer(spoken, effect).text


def _cited(text: str, step: str) -> tuple[str, list[str]]:
    """A text without the line of ids that it ends in, and these ids in full."""
    text = text.rstrip()
    start = max(text.rfind("\n"), len(text) - _LONGEST_CITES, 0)
    found = _CITES.search(text, start)
    if not found:
        return text, []
    return text[: found.start()].rstrip() or text, [f"{step}.{one}" for one in _ID.findall(found[1])]


def _is_given(name: str, uses: dict[str, ToolUse]) -> bool:
    """Whether the host gave this id, to a result or to a sentence of one."""
    if name in uses:
        return not uses[name].problem
    use, _, sentence = name.rpartition(".")
    known = uses.get(use)
    return known is not None and 1 <= int(sentence) <= sum(len(lines.texts) for lines in known.lines)
