"""A capable scripted model: it plans, reflects, summarises, writes and judges as a test says, whatever prompts hold."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypeVar

from aeon import build
from aeon.assembly.research import PLUGIN
from aeon.engines.research.config import ResearchConfig
from aeon.engines.research.record import Research
from aeon.engines.research.rules import TABLE
from aeon.llm.scripted import Reply, Scripted
from aeon.runtime.ledger import Ledger
from aeon.schema import Allowance, Capabilities, Found, JsonObject, LLMRequest, Task
from aeon.schema.claims import LACKING
from aeon.tools.finding import finding
from engines.research.world import document, passage

__all__ = [
    "CAPABLE", "ENOUGH", "MILL", "QUESTION", "TEXTS", "Phase", "Shelf", "Thinker", "done", "ids", "judging", "run",
    "told", "writing",
]  # fmt: skip

T = TypeVar("T")
Phase = Literal["plan", "reflect", "summarise", "write", "judge", "value"]
Said: TypeAlias = Reply | JsonObject
Says: TypeAlias = Said | Callable[[str, int], Said]
"""What it says in a phase: a value, or a function of the prompt and of how often it was asked before."""

CAPABLE = Capabilities(json_schema=True, json_mode=True, tools=True)
_FIELDS: Mapping[str, Phase] = {
    "queries": "plan", "sufficient": "reflect", "notes": "summarise", "calculations": "write", "kind": "judge",
}  # fmt: skip
_LINE = re.compile(r"^(\d+\.\d+) (.*)$", re.MULTILINE)
_JUDGED = re.compile(r"^(\d+)\. (.*(?:\n   .*)*)$", re.MULTILINE)
REASONS = {
    *(rule.reason for rule in TABLE),
    *LACKING,
    "calls_exhausted",
    "tokens_exhausted",
    "seconds_exhausted",
    "failed",
}
QUESTION = "When was the mill built?"
MILL = "The mill was built in 1869. It stands by the river. It burnt down in 1899."
TEXTS = {"mill.txt": MILL, "inn.txt": "Red Inn opened in 1901. Travellers ate there.", "road.txt": "The road is long."}
ENOUGH: JsonObject = {"sufficient": True, "confidence": 0.9, "gaps": [], "new_queries": []}


def ids(prompt: str, *words: str) -> list[str]:
    """The ids of the sentences in a prompt that hold one of these words."""
    return [name for name, text in _LINE.findall(prompt) if any(word in text for word in words)]


def writing(*sentences: tuple[str, str], calculations: Mapping[str, str] | None = None) -> Says:
    """Writes these sentences, each with the ids of what holds the word beside it; what nothing holds is not found."""

    def says(prompt: str, n: int) -> JsonObject:
        parts: list[Any] = [
            {"text": text, "citations": found} for text, word in sentences if (found := ids(prompt, word))
        ]
        missing: list[Any] = [word for _, word in sentences if not ids(prompt, word)]
        made: list[Any] = [{"value": value, "expression": said} for value, said in (calculations or {}).items()]
        return {"answer": parts, "not_found": missing, "calculations": made}

    return says


def judging(*words: str, kind: str = "answer", otherwise: str = "not_found") -> Says:
    """Holds each sentence supported that cites one of these words, as a judge does that reads what is cited."""

    def says(prompt: str, n: int) -> JsonObject:
        text = prompt.partition("<data sentences>")[2].partition("</data>")[0]
        verdicts: list[Any] = []
        for number, rest in _JUDGED.findall(text):
            cited = rest.partition("\n")[2]
            verdict = "supported" if any(word in cited for word in words) else otherwise
            verdicts.append({"number": int(number), "why": "it reads so", "verdict": verdict})
        return {"sentences": verdicts, "explanation": "", "kind": kind}

    return says


class Thinker(Scripted):
    """Gives a reply of its own in each phase, and a text to whatever else it is asked."""

    def __init__(
        self,
        write: Says = "",
        judge: Says = "",
        queries: Sequence[str] = ("mill", "inn", "road"),
        plan: Says | None = None,
        reflect: Says = ENOUGH,
        summarise: Says | None = None,
        capabilities: Capabilities = CAPABLE,
        text: Reply = "It is so.",
        value: Says = "",
    ) -> None:
        super().__init__(self._reply, capabilities)
        self.text = text
        self.queries = tuple(queries)
        self.says: dict[Phase, Says] = {
            "plan": plan if plan is not None else self._planned, "reflect": reflect,
            "summarise": summarise or _kept, "write": write, "judge": judge, "value": value,
        }  # fmt: skip
        self.seen: list[tuple[Phase, LLMRequest]] = []

    def prompts(self, phase: Phase) -> list[str]:
        """The first user message of each request of a phase."""
        return [_asked(request) for one, request in self.seen if one == phase]

    def last(self, phase: Phase) -> list[str]:
        """The last message of each request of a phase: of one that asks again, what was wrong."""
        return [request.messages[-1].content for one, request in self.seen if one == phase]

    def _planned(self, prompt: str, n: int) -> JsonObject:
        """As many of the queries as the request allows."""
        properties: Any = (self.requests[-1].json_schema or {})["properties"]
        most = properties["queries"]["maxItems"]
        return {"queries": [{"text": text, "intent": "to know"} for text in self.queries[:most]]}

    def _reply(self, request: LLMRequest) -> Reply:
        if request.json_schema is None:
            return self.text
        properties = request.json_schema["properties"]
        assert isinstance(properties, dict)
        phase: Phase = next((phase for field, phase in _FIELDS.items() if field in properties), "value")
        says = self.says[phase]
        said = says(_asked(request), len(self.prompts(phase))) if callable(says) else says
        self.seen.append((phase, request))
        return json.dumps(said, ensure_ascii=False) if isinstance(said, dict) else said


def _asked(request: LLMRequest) -> str:
    return next(message.content for message in request.messages if message.role == "user")


def _kept(prompt: str, n: int) -> JsonObject:
    """Of each source the first sentence."""
    first: dict[str, str] = {}
    for name, _ in _LINE.findall(prompt):
        first.setdefault(name.partition(".")[0], name)
    return {"notes": [{"source": int(n), "summary": "in short", "sentences": [one]} for n, one in first.items()]}


class Shelf:
    """A provider that gives every text to every query."""

    name, local = "shelf", True

    def __init__(self, texts: dict[str, str], every: bool = True) -> None:
        self.texts, self.every, self.asked = texts, every, list[str]()

    async def search(self, query: str, most: int) -> Found:
        """Each text, or the one that is named by the query alone."""
        self.asked.append(query)
        names = [name for name in self.texts if self.every or name.startswith(query)][:most]
        return Found(
            provider=self.name,
            passages=tuple(passage(name, self.texts[name]) for name in names),
            documents=tuple(document(name, self.texts[name], name) for name in names),
        )


def run(
    model: Scripted,
    texts: dict[str, str] | None = None,
    task: str | Task = QUESTION,
    every: bool = True,
    **settings: Any,
) -> Research:
    """A whole run on the shipped handlers, as `aeon.build` makes them."""
    tools = [finding(Shelf(texts or TEXTS, every))]
    result: Research = build(model, tools, ResearchConfig.model_validate(settings), engine=PLUGIN).execute(task)
    told(result)
    usage, bound = result.usage, result.bound
    assert usage.calls <= len(model.requests) and bound.calls is not None and usage.calls <= bound.calls
    assert Research.model_validate_json(result.model_dump_json()) == result
    return result


def told(result: Research) -> None:
    """Fail unless the result is whole: it has an answer, and each citation is a sentence of a source that is there."""
    assert result.answer.strip() and result.stop_reason in REASONS
    there = {source.number: source for source in result.sources}
    for sentence in result.sentences:
        assert 0 <= sentence.start < sentence.end <= len(result.answer)
        for one in sentence.citations:
            assert there[one.number].around(one.source) is not None
            assert f"[{one.number}]" in result.answer[sentence.start : sentence.end]
    if result.sufficient:
        assert result.citations and not any(one.verdict in ("not_found", "contradicted") for one in result.claims)


def done(asked: Coroutine[Any, Any, T], calls: int = 9) -> T:
    """What a handler gives, with so many calls allowed."""

    async def within() -> T:
        with Ledger(Allowance(calls=calls)):
            return await asked

    return asyncio.run(within())
