"""What a form of answering asks a model, counted, and what it gives."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from aeon.llm.adapter import LLMAdapter, Permit, freely
from aeon.schema import Capabilities, LLMRequest, LLMResponse, Passage, Source, Usage
from aeon.schema.frozen import Frozen, JsonObject
from aeon.supervisor.prompt import Prompt
from aeon.supervisor.supervisor import Supervisor

__all__ = ["Answer", "Asker", "Counted"]


@dataclass(frozen=True)
class Answer:
    """A short answer, empty for a refusal; the sentences that it cites, the passages that were read for it, and notes.

    ``scores`` are figures that a refusal could rest on, by name. ``marks`` are the numbers that the answer cites by as
    it is published, ``listed`` those of its source list; a form that numbers nothing has neither.
    """

    text: str
    cited: tuple[Source, ...] = ()
    read: tuple[Passage, ...] = ()
    notes: tuple[str, ...] = ()
    scores: dict[str, float] = field(default_factory=dict)
    marks: tuple[int, ...] = ()
    listed: tuple[int, ...] = ()


class Counted:
    """A model whose calls are counted and whose replies are kept."""

    def __init__(self, llm: LLMAdapter) -> None:
        self._llm, self._began = llm, time.monotonic()
        self.name, self.free = llm.name, llm.free
        self.usage, self.replies = Usage(), list[str]()

    @property
    def counted(self) -> LLMAdapter:
        """The model itself."""
        return self._llm

    @property
    def seconds(self) -> float:
        """The time since it was made."""
        return time.monotonic() - self._began

    async def complete(self, request: LLMRequest) -> LLMResponse:
        """One completion."""
        reply = await self._llm.complete(request)
        self.usage += reply.usage
        first = reply.first_token[:1]
        said = f"{first[0].token} {first[0].probability:.2f}" if first else reply.text
        self.replies.append(f"{request.messages[-1].content[-80:]} => {said}")
        return reply

    async def capabilities(self, permit: Permit = freely) -> Capabilities:
        """What the model can do."""
        return await self._llm.capabilities(permit)

    async def aclose(self) -> None:
        """The model stays with whoever made it."""


class _Choice(Frozen):
    choice: str


class Asker:
    """Asks a model for a text, a value of a schema, or how likely a yes is."""

    def __init__(self, llm: LLMAdapter) -> None:
        self.supervisor = Supervisor(llm)

    async def text(self, system: str, user: str, examples: Sequence[tuple[str, str]] = (), tokens: int = 40) -> str:
        """What the model says, without white space around it."""
        prompt = Prompt(system, user, tuple(examples), fixed=True)
        return (await self.supervisor.text(prompt, max_tokens=tokens, repairs=0)).value.strip()

    async def choice(self, system: str, user: str, examples: Sequence[tuple[str, str]], options: Sequence[str]) -> str:
        """One of the options; the model can say nothing else. ``examples`` name one each."""
        answered = tuple((one, json.dumps({"choice": option}, ensure_ascii=False)) for one, option in examples)
        prompt = Prompt(system, user, answered, fixed=True)
        schema: JsonObject = {
            "type": "object", "properties": {"choice": {"type": "string", "enum": list(options)}},
            "required": ["choice"], "additionalProperties": False,
        }  # fmt: skip
        return (await self.supervisor.structured(prompt, _Choice, schema=schema, max_tokens=80, repairs=0)).value.choice

    async def yes(self, user: str) -> float:
        """The probability of a yes."""
        return await self.supervisor.probability(Prompt("", user))
