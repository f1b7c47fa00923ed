"""Turns of a model that may call tools: sensible ones, and every way in which they can be odd."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from aeon.schema import CallRequest, JsonObject, JsonValue, LLMRequest, ToolSpec
from aeon.simulation.words import WRONG, Words

__all__ = ["ODD", "Speech", "Turns", "offered"]

_ACTION = "You can call tools. For each: its name,"
_TOOL = re.compile(r"^- (\w+): .*\n  (\{.*\})$", re.MULTILINE)
_SHARE_OF_ANSWERS, _SHARE_OF_WRONG_SUMS = 0.45, 0.2
_FORTY = 40

ODD = ("unknown_tool", "wrong_types", "for_ever", "forty_calls", "no_json", "calls_and_text", "says_nothing")
"""How a turn can be odd."""


@dataclass(frozen=True)
class Speech:
    """What a model says in a turn; ``odd`` names the way in which it does."""

    text: str
    calls: tuple[CallRequest, ...] = ()
    odd: str = ""

    @property
    def action(self) -> str:
        """The same as one JSON object."""
        if not self.calls:
            return json.dumps({"answer": self.text}, ensure_ascii=False)
        calls = [{"tool": one.name, "arguments": _value(one.arguments)} for one in self.calls]
        return json.dumps({"calls": calls} | ({"answer": self.text} if self.text else {}), ensure_ascii=False)


def offered(request: LLMRequest) -> tuple[ToolSpec, ...]:
    """The tools that a turn may call: natively, or as the prompt tells them; none where no turn is asked for."""
    if request.tools:
        return request.tools
    told = request.messages[0].content
    found = _TOOL.findall(told) if _ACTION in told else []
    return tuple(ToolSpec(name=name, description="", parameters=json.loads(schema)) for name, schema in found)


@dataclass(frozen=True)
class Turns:
    """Makes turns by ``chance`` out of ``words``; those in ``stuck`` are the same whatever went before."""

    chance: Random
    words: Words
    stuck: Random

    def turn(self, tools: Sequence[ToolSpec], odd: bool) -> Speech:
        """An answer, or a few calls; an ``odd`` one is one that no host may stumble over."""
        if odd:
            return self._odd(tools, self.chance.choice(ODD))
        if self.chance.random() < _SHARE_OF_ANSWERS:
            return self.answer()
        return Speech("", tuple(self._call(tools, n) for n in range(self.chance.randint(1, 3))))

    def answer(self) -> Speech:
        """Some words, with what they rest on in the last line now and then, and a wrong sum among them."""
        cited = self.chance.choice(("", "", "\n[1]", "\n[1.2] [9]", " [2]"))
        wrong = f"{WRONG}, " if self.chance.random() < _SHARE_OF_WRONG_SUMS else ""
        return Speech(f"{wrong}{self.words.sentence()}{cited}")

    def calls(self, tools: Sequence[ToolSpec]) -> tuple[CallRequest, ...]:
        """Calls that nobody may have asked for."""
        return (self._call(tools, 0),) if tools else (_request("launch_missiles", {"at": "once"}, 0),)

    def _odd(self, tools: Sequence[ToolSpec], way: str) -> Speech:
        match way:
            case "unknown_tool":
                return Speech("", (_request("launch_missiles", {"at": "once"}, 0), self._call(tools, 1)), way)
            case "wrong_types":
                return Speech("", (self._wrong(self._call(tools, 0)),), way)
            case "for_ever":
                spec = self.stuck.choice(list(tools))
                same = Words(self.stuck).value(spec.parameters)
                return Speech("", (_request(spec.name, same, 0),), way)
            case "forty_calls":
                return Speech("", tuple(self._call(tools, n) for n in range(_FORTY)), way)
            case "no_json":
                broken = ("{", "[1]", "", "null", '{"of": ', "x" * 5_000)
                one = self._call(tools, 0)
                return Speech("", (one.changed(arguments=self.chance.choice(broken)),), way)
            case "calls_and_text":
                return Speech(self.words.sentence(), self.calls(tools), way)
            case _:
                return Speech("", (), way)

    def _wrong(self, one: CallRequest) -> CallRequest:
        """The call with arguments of types that no tool takes."""
        given = _value(one.arguments)
        keys = given if isinstance(given, dict) and self.chance.random() < 0.8 else ("of", "name", "times")
        return _request(one.name, {key: [None] for key in keys}, 0)

    def _call(self, tools: Sequence[ToolSpec], number: int) -> CallRequest:
        liked = [one for one in tools if one.name in self.words.favoured]
        spec = self.chance.choice(liked if liked and self.chance.random() < 0.7 else list(tools))
        return _request(spec.name, self.words.value(spec.parameters), number)


def _request(name: str, arguments: JsonValue, number: int) -> CallRequest:
    return CallRequest(id=f"c{number}", name=name, arguments=json.dumps(arguments, ensure_ascii=False))


def _value(arguments: str) -> JsonValue:
    try:
        value: JsonObject = json.loads(arguments)
    except ValueError:
        return arguments
    return value
