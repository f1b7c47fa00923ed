"""A scripted model that reads, chooses, words and judges as a test says, whatever its prompts look like."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Coroutine, Mapping
from typing import Any, TypeVar

from aeon.adaptive.profiler import Profiler
from aeon.engines.research.reflector import Reflector
from aeon.engines.research.writer import Writer
from aeon.llm.scripted import Reply, Scripted
from aeon.runtime.ledger import Ledger
from aeon.schema import Allowance, Capabilities, JsonObject, JsonValue, LLMRequest, LLMResponse, TokenProbability, Usage
from aeon.supervisor.briefing import Briefing
from aeon.supervisor.judge import Judge
from aeon.supervisor.supervisor import Supervisor
from tests.wordings import results_of

__all__ = ["Reader", "done", "reflector", "writer"]

T = TypeVar("T")
_FENCED = re.compile(r"<data [^>]*>\n(.*)\n</data>", re.DOTALL)


class Reader(Scripted):
    """Answers a question over passages by the first of ``says`` that the question holds, else with "not stated".

    Asked for queries, it writes ``queries``.

    A choice is the first of ``chooses`` among the options, else the first option. Sentences are worded as ``words``,
    with the results in the places of ``{r1}``, ``{r2}`` and so on. As a judge it says yes with the probability of the
    first of ``supports`` that the evidence holds, else with 0.02. A reply may be an error, which is raised.
    """

    def __init__(
        self,
        says: Mapping[str, Reply] | None = None,
        chooses: tuple[str, ...] = (),
        words: Reply = "{r1}.",
        supports: Mapping[str, float] | None = None,
        depth: int = 3,
        queries: Reply = "",
    ) -> None:
        super().__init__(self._reply, Capabilities(json_schema=True, json_mode=True, logprobs=supports is not None))
        self.says, self.chooses, self.words, self.supports, self.depth = (
            says or {},
            chooses,
            words,
            supports or {},
            depth,
        )
        self.queries = queries

    @property
    def asked(self) -> list[str]:
        """The questions over passages, without the passages."""
        return [self._outside(text).splitlines()[0] for text in self.prompts if "<data texts>" in text]

    @property
    def prompts(self) -> list[str]:
        """What stood last in each request."""
        return [request.messages[-1].content for request in self.requests]

    def _outside(self, text: str) -> str:
        return _FENCED.sub("", text).strip()

    def _reply(self, request: LLMRequest) -> Reply:
        text = request.messages[-1].content
        if request.top_logprobs:
            return self._judged(text)
        if request.json_schema is not None:
            return self._object(request.json_schema, text)
        if request.messages[0].content.startswith("You write search queries"):
            return self.queries
        if "<data texts>" in text:
            question = self._outside(text)
            return next((reply for words, reply in self.says.items() if words in question), "not stated")
        return _worded(self.words, results_of(text)) if isinstance(self.words, str) else self.words

    def _judged(self, text: str) -> LLMResponse:
        if "Answer with one digit." in text:
            digit = TokenProbability(token=str(self.depth), probability=1)
            return LLMResponse(text=str(self.depth), first_token=(digit,), model=self.name)
        evidence = _FENCED.search(text)
        held = [yes for words, yes in self.supports.items() if evidence is not None and words in evidence[1]]
        yes = held[0] if held else 0.02
        words = (TokenProbability(token="Yes", probability=yes), TokenProbability(token="No", probability=1 - yes))
        usage = Usage(calls=1, prompt_tokens=9, generated_tokens=1)
        return LLMResponse(text="Yes", usage=usage, first_token=words, model=self.name)

    def _object(self, schema: JsonObject, text: str) -> str:
        properties = schema["properties"]
        assert isinstance(properties, dict)
        if "choice" in properties:
            options = _enum(properties["choice"])
            return json.dumps({"choice": next((one for one in self.chooses if one in options), options[0])})
        words = {"reasoning_depth": self.depth}
        return json.dumps({name: words.get(name, _plain(kind)) for name, kind in properties.items()})


def _worded(words: str, results: str) -> str:
    """The words with the results, one a line, in their places."""
    for number, result in enumerate(results.splitlines(), 1):
        words = words.replace(f"{{r{number}}}", result)
    return words


def _enum(schema: JsonValue) -> list[str]:
    options = schema["enum"] if isinstance(schema, dict) else []
    return [str(one) for one in options] if isinstance(options, list) else []


def _plain(schema: JsonValue) -> JsonValue:
    if not isinstance(schema, dict):
        return ""
    if options := schema.get("enum"):
        return options[0] if isinstance(options, list) else ""
    return {"integer": 1, "number": 0.1}.get(str(schema.get("type")), "some")


def done(asked: Coroutine[Any, Any, T], calls: int = 9) -> T:
    """What a handler gives, with so many calls allowed."""

    async def within() -> T:
        with Ledger(Allowance(calls=calls)):
            return await asked

    return asyncio.run(within())


def reflector(model: Scripted) -> Reflector:
    """The shipped reflector on this model."""
    supervisor = Supervisor(model)
    return Reflector(supervisor, Profiler(supervisor, Briefing("")), Judge(supervisor))


def writer(model: Scripted) -> Writer:
    """The shipped writer on this model."""
    supervisor = Supervisor(model)
    return Writer(supervisor, Judge(supervisor))
