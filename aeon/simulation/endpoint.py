"""A model that answers as the seed has it. The same request always gets the same answer, in any process."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Sequence
from functools import lru_cache
from random import Random

from aeon.errors import (
    EndpointFailed,
    EndpointRejected,
    EndpointTimeout,
    EndpointUnreachable,
    MalformedResponse,
    ModelError,
    ModelNotFound,
    RateLimited,
    RequestRefused,
    ServerBroken,
)
from aeon.llm.adapter import Permit, freely
from aeon.llm.spending import most_prompt_tokens
from aeon.runtime.ledger import current_ledger
from aeon.schema import Capabilities, JsonObject, LLMRequest, LLMResponse, TokenProbability, ToolSpec, Usage
from aeon.simulation.clock import QUANTUM
from aeon.simulation.counting import counting
from aeon.simulation.programs import Writer
from aeon.simulation.scene import capabilities, model
from aeon.simulation.spoken import Spoken
from aeon.simulation.texts import CUT, spoilt
from aeon.simulation.tools import ORDERS, WORLDLY
from aeon.simulation.turns import Turns, offered
from aeon.simulation.words import Words
from aeon.simulation.world import World
from aeon.supervisor.judge_specs import judgments

__all__ = ["Endpoint"]

_SHOWN = "It must fit this JSON Schema:\n"
_FAILED = (RequestRefused, RateLimited, EndpointTimeout, MalformedResponse, EndpointFailed)
_DOWN = (EndpointUnreachable, EndpointRejected, ModelNotFound, ServerBroken)
_PROBE = Usage(calls=1, prompt_tokens=24, generated_tokens=8)
_TEXTS = re.compile(r"<data texts>\n(.*)\n</data>", re.DOTALL)
_DATA = re.compile(r"<data [^>\n]*>\n.*?\n</data>", re.DOTALL)
_IN_A_TOOL = {"crash_begun", "crash_called", "handed_over", "tool_hangs"}
"""Faults that need a tool that changes the world: the model likes to call one."""
_LATE = 1e-6  # seconds: times are kept in six decimals
_SHARE_OF_ODD_TURNS = 0.7


class Endpoint:
    """An adapter for the model of a simulated world."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._can = capabilities(world.scenario)
        self._counting = counting(world.scenario)
        self._mood = world.scenario.chance("mood").choice((0.95, 0.5, 0.3))
        self._favoured = WORLDLY if world.scenario.faults & _IN_A_TOOL else ()

    @property
    def name(self) -> str:
        """The model's name."""
        return model(self._world.scenario)

    @property
    def free(self) -> bool:
        """It has a price in the configuration of its world."""
        return False

    async def capabilities(self, permit: Permit = freely) -> Capabilities:
        """What this seed's endpoint can do; to find that out takes no calls, unless the scenario has it so."""
        if self._world.has("probed"):
            async with permit(_PROBE + _PROBE) as report:
                self._world.ask()
                self._world.fired["probed"] += 1
                for _ in range(2):
                    self._world.spend(_PROBE)
                    await asyncio.sleep(QUANTUM)
                    report(_PROBE)
        return self._can

    async def aclose(self) -> None:
        """Nothing to let go of."""

    async def complete(self, request: LLMRequest) -> LLMResponse:
        """The completion that follows from the seed and from what is asked.

        The world counts what it takes at once: an endpoint works on a request even if nobody waits for the answer.
        """
        world = self._world
        number = world.ask()
        self._check(request)
        chance = Random(_identity(world.scenario.seed, request))
        seconds = chance.randint(1, 256) * QUANTUM * (100 if world.fails("endpoint_slow", chance) else 1)
        error = self._failure(request, chance, number)
        response = self._response(request, chance)
        spoken = Spoken(response.text, _identity(world.scenario.seed, request))
        spoken.begin()
        one = self._counting.usage(request, response.text)
        said = self._counting.said(request, one, chance.random())
        if request.timeout is not None and seconds > request.timeout:
            world.spend(one)
            await asyncio.sleep(request.timeout)
            raise EndpointTimeout(f"no answer within {request.timeout:g} s")
        if error is not None:
            world.spend(_repeated(one, error.unmetered).changed(calls=error.attempts))
            await asyncio.sleep(seconds)
            raise error
        more = request.attempts - 1 if world.fails("retried", chance) else 0
        spoken.repeat(more)
        worked = chance.randint(0, more)
        world.fired.update([said.fault] if said.fault else [])
        under = said.fault == "under_reported"  # all that is known then is that each of these was a call
        counted = said.usage if under else one
        world.spend((counted + _repeated(one, worked)).changed(calls=1 + (worked if under else more)))
        world.texts[current_ledger().number].append(response.text)
        self._lean(request, response)
        await asyncio.sleep(seconds)
        spoken.rest()
        world.hear(counted, said.usage, most_prompt_tokens(request.messages, request.json_schema, request.tools))
        return response.changed(usage=said.usage.changed(calls=said.usage.calls and 1 + more), unmetered=worked)

    def _check(self, request: LLMRequest) -> None:
        """Hold a request against what none may have: a tool's output as an instruction, or more time than is left."""
        world = self._world
        for message in request.messages:
            if ORDERS in (message.content if message.role == "system" else _DATA.sub("", message.content)):
                world.wrong("data stays data", f"a tool's output stands unfenced in a message of the {message.role}")
        late = world.clock() + (request.timeout or 0.0)
        if world.deadline is not None and not (request.timeout and late <= world.deadline + _LATE):
            world.wrong("nothing begins after its time", f"a call may take until {late} s of {world.deadline} s")

    def _lean(self, request: LLMRequest, response: LLMResponse) -> None:
        """Have the world know how sure this answer to a question is that the judgment holds."""
        sure = {one.token: one.probability for one in response.first_token}.get("Yes")
        asked = _judgment(request.messages[-1].content) if sure is not None else None
        if sure is not None and asked is not None:
            name, speaks_for = asked
            self._world.leanings[current_ledger().number].append((name, sure if speaks_for else 1 - sure))

    def _failure(self, request: LLMRequest, chance: Random, number: int) -> ModelError | None:
        """What keeps the answer from coming, if anything does."""
        world = self._world
        error: ModelError | None = None
        if world.fails("endpoint_dead", chance, 0.06):
            error = chance.choice(_FAILED)("the endpoint fails on this request")
            error.attempts = request.attempts if isinstance(error, EndpointFailed | RateLimited) else 1
            error.unmetered *= error.attempts
        if world.down_at is not None and number >= world.down_at:
            world.fired["outage"] += 1
            error = chance.choice(_DOWN)("the endpoint is down")
        return error

    def _response(self, request: LLMRequest, chance: Random) -> LLMResponse:
        if self._world.fails("refused", chance):
            return LLMResponse(text="I cannot do that.", finish_reason="refusal")
        if self._world.fails("empty", chance):
            return LLMResponse(text=chance.choice(("", " \n", "\ufeff", "\x00")))
        if request.top_logprobs:
            return self._scored(chance)
        tools = offered(request)
        if tools or _has_results(request):
            return self._turn(request, tools, chance)
        return self._reply(request, chance)

    def _reply(self, request: LLMRequest, chance: Random) -> LLMResponse:
        world = self._world
        text, spoilable = self._text(request, chance)
        if world.fails("malformed", chance, 0.4) and spoilable:
            text, form = spoilt(text, chance)
            world.fired[f"malformed:{form}"] += 1
        if world.fails("truncated", chance):
            return LLMResponse(text=text[: len(text) * 2 // 3] + CUT, finish_reason="length")
        room = request.max_tokens * self._counting.bytes_per_token
        if len(text) > room:
            return LLMResponse(text=text[:room], finish_reason="length")
        return LLMResponse(text=text, likelihood=round(chance.random(), 6) if request.likelihood else None)

    def _turn(self, request: LLMRequest, tools: Sequence[ToolSpec], chance: Random) -> LLMResponse:
        """A turn of a model that may call these tools; calls of tools that are not offered come as well."""
        world = self._world
        turns = Turns(chance, self._words(chance), world.scenario.chance("stuck"))
        odd = world.fails("malformed", chance, _SHARE_OF_ODD_TURNS)
        said = turns.turn(tools, odd) if tools else turns.answer()
        world.fired.update([f"malformed:{said.odd}"] if said.odd else [])
        if world.fails("truncated", chance):
            return LLMResponse(text=f"{said.text}{CUT}", calls=said.calls, finish_reason="length")
        if request.tools or not tools:
            return LLMResponse(text=said.text, calls=turns.calls(tools) if odd and not tools else said.calls)
        text = said.action
        if odd and chance.random() < 0.5:
            text, form = spoilt(text, chance)
            world.fired[f"malformed:{form}"] += 1
        return LLMResponse(text=text)

    def _words(self, chance: Random) -> Words:
        bad = self._world.fails("bad_judgment", chance, 0.7) or chance.random() > self._mood
        unclear = any(kind.startswith("question") for kind in self._world.scenario.faults)
        return Words(chance, self._world.scenario.steps, self._favoured, bad, unclear)

    def _scored(self, chance: Random) -> LLMResponse:
        bad = self._world.fails("bad_judgment", chance, 0.7)
        sure = chance.random() * 0.15 if bad or chance.random() > self._mood else 0.9 + chance.random() * 0.1
        if self._world.fails("malformed", chance):
            self._world.fired["malformed:no_verdict"] += 1
            return LLMResponse(text="Well", first_token=(TokenProbability(token="Well", probability=0.9),))
        tokens = (("Yes", sure), (" no", 1 - sure))
        first = tuple(TokenProbability(token=token, probability=round(p, 6)) for token, p in tokens)
        return LLMResponse(text="Yes", first_token=first)

    def _text(self, request: LLMRequest, chance: Random) -> tuple[str, bool]:
        """What a willing model would write, and whether it is JSON."""
        words = self._words(chance)
        schema = _wanted(request)
        if schema is None:
            if texts := _TEXTS.search(request.messages[-1].content):
                return words.read(texts[1]), False
            said = Writer(words).reply(request.messages[0].content, request.messages[-1].content)
            return words.sentence() if said is None else said, False
        return json.dumps(words.value(schema), ensure_ascii=False), True


def _has_results(request: LLMRequest) -> bool:
    """Whether it is a turn after calls, natively."""
    return any(message.role == "tool" for message in request.messages)


@lru_cache(maxsize=256)
def _judgment(text: str) -> tuple[str, bool] | None:
    """The shipped judgment that a prompt asks for, and whether a Yes speaks for it."""
    questions = ((name, question) for name, spec in judgments().items() for question in spec.questions)
    return next(((name, one.yes) for name, one in questions if text.endswith(one.prompt)), None)


def _wanted(request: LLMRequest) -> JsonObject | None:
    """The schema that the answer must fit, enforced or shown."""
    if request.json_schema is not None:
        return request.json_schema
    shown = (message.content for message in request.messages if _SHOWN in message.content)
    return next((_read(text.rpartition(_SHOWN)[2]) for text in shown), None)


@lru_cache(maxsize=256)
def _read(text: str) -> JsonObject:
    schema: JsonObject = json.JSONDecoder().raw_decode(text)[0]
    return schema


def _identity(seed: int, request: LLMRequest) -> int:
    """What tells this request of this run from any other, whatever time or money is left for it."""
    told = "\n".join(f"{message.role}:{message.content}" for message in request.messages)
    asked = f"{seed}:{request.seed}:{request.top_logprobs}:{request.json_schema is None}:{told}"
    asked += "".join(f":{call.name}{call.arguments}" for message in request.messages for call in message.calls)
    asked += ":tools" if request.tools else ""
    return int.from_bytes(hashlib.blake2b(asked.encode(), digest_size=8).digest())


def _repeated(one: Usage, times: int) -> Usage:
    return sum((one for _ in range(times)), Usage())
