"""What Aeon is compared with in the everyday benchmark: simpler ways to use the same model on the same folder.

Each system is a coroutine of a question, the folder and the model, and gives a `Reply`. None of them is told the kind
of the question. `aeon_answer` runs the product itself.
"""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import duckdb
from everyday_folder import Folder, opened, said
from everyday_items import Item

from aeon.assembly.build import build
from aeon.bench.systems import DIRECT
from aeon.convergence.evaluation import mean_confidence
from aeon.convergence.experience import kind_of
from aeon.llm.adapter import LLMAdapter, Permit, freely
from aeon.observability.snapshot import plan_before
from aeon.schema import Capabilities, Evaluation, LLMRequest, LLMResponse, Message, Plan, ReasoningEngine, Usage

__all__ = [
    "DIRECT", "LONG", "Calls", "Reply", "System", "aeon_answer", "asked", "bm25", "direct", "from_passages", "pasted",
    "sql",
]  # fmt: skip

PASSAGES = (
    "Answer the question from the passages alone, with a few words or a number and nothing else. If the passages do "
    "not say it, answer: not stated"
)
FILES = "Answer the question, from the files where they say it. Give the result only. If no file says it: not stated"
WHERE = (
    "Where is the answer to the question to be found? Reply with one word: TABLE if it follows from the tables, "
    "DOCUMENT if one of the texts states it, NEITHER if no file is needed."
)
SQL = "Write one DuckDB query that answers the question. Reply with the query only."
SHORT, LONG, QUERY = 120, 500, 300


@dataclass(frozen=True)
class Reply:
    """An answer, what it cost, and what was said on the way to it.

    ``probability`` is how likely it is to be right, as the system itself says. Of a run of Aeon, ``stop`` is its stop
    reason, ``kind`` how the answer came about, ``confidence`` the weighted mean of the assessment, and ``likelihood``
    how likely the model was to write the program of its plan.
    """

    answer: str
    usage: Usage
    seconds: float
    trace: tuple[str, ...] = ()
    stop: str = ""
    kind: str = ""
    probability: float | None = None
    confidence: float | None = None
    likelihood: float | None = None


System: TypeAlias = Callable[[Item, Path, LLMAdapter], Awaitable[Reply]]


class Calls:
    """The calls that one answer takes."""

    def __init__(self, llm: LLMAdapter) -> None:
        self._llm, self._began = llm, time.monotonic()
        self.usage, self.trace = Usage(), list[str]()

    async def ask(self, how: str, what: str, tokens: int = SHORT, examples: Sequence[tuple[str, str]] = ()) -> str:
        """One call to the model, after examples of what was asked and said; what it says, without white space."""
        return self.count(await self._llm.complete(asked(how, what, tokens, examples)))

    def count(self, reply: LLMResponse) -> str:
        """Take down a call that was made, and give what the model said, without white space around it."""
        self.usage += reply.usage
        self.trace.append(reply.text)
        return reply.text.strip()

    def reply(self, answer: str, probability: float | None = None) -> Reply:
        """The answer, with what all calls cost."""
        seconds = time.monotonic() - self._began
        return Reply(answer, self.usage, seconds, tuple(self.trace), probability=probability)


def asked(how: str, what: str, tokens: int, examples: Sequence[tuple[str, str]] = ()) -> LLMRequest:
    """The request for one answer, after examples of what was asked and said."""
    turns = [
        ("system", how),
        *(turn for a, b in examples for turn in (("user", a), ("assistant", b))),
        ("user", what),
    ]
    messages = tuple(Message.model_validate({"role": role, "content": content}) for role, content in turns)
    return LLMRequest(messages=messages, max_tokens=tokens)


async def direct(task: Item, folder: Path, llm: LLMAdapter) -> Reply:
    """The question and nothing else, in one call."""
    calls = Calls(llm)
    return calls.reply(await calls.ask(DIRECT, task.question, LONG))


async def pasted(task: Item, folder: Path, llm: LLMAdapter) -> Reply:
    """All files before the question, cut to fit the context: the texts, then the tables, the longest last."""
    calls, found = Calls(llm), opened(folder)
    room = ((await llm.capabilities()).context_tokens or 8192) - LONG - 2 * _tokens(task.question) - 200
    tables = {f"{name}.csv": text for name, text in sorted(found.tables.items(), key=lambda pair: len(pair[1]))}
    kept: list[str] = []
    for name, text in {**found.texts, **tables}.items():
        for line in (f"\n{name}:", *text.splitlines()):
            room -= _tokens(line) + 1
            if room < 0:
                break
            kept.append(line)
    return calls.reply(await calls.ask(FILES, "\n".join([*kept, "", f"Question: {task.question}"]), LONG))


def _tokens(text: str) -> int:
    """About how many tokens a text has, rather too many: each digit is one."""
    return len(re.findall(r"\d|[^\W\d]{1,5}|[^\w\s]", text))


async def from_passages(question: str, found: Folder, calls: Calls) -> str:
    """What the three best passages say, in a few words."""
    passages = "\n\n".join(found.passages(question))
    return await calls.ask(PASSAGES, f"{passages}\n\nQuestion: {question}")


async def bm25(task: Item, folder: Path, llm: LLMAdapter) -> Reply:
    """The three best passages, in one call."""
    calls = Calls(llm)
    return calls.reply(await from_passages(task.question, opened(folder), calls))


async def sql(task: Item, folder: Path, llm: LLMAdapter) -> Reply:
    """Text to SQL for what the model says is in the tables; else the passages, or the question alone."""
    calls, found = Calls(llm), opened(folder)
    known = f"Tables:\n{found.told()}\nTexts: {', '.join(found.texts)}\n\nQuestion: {task.question}"
    where = (await calls.ask(WHERE, known, 8)).upper()
    if "TABLE" in where:
        return calls.reply(await _queried(known, found, calls))
    if "DOCUMENT" in where:
        return calls.reply(await from_passages(task.question, found, calls))
    return calls.reply(await calls.ask(DIRECT, task.question, LONG))


async def _queried(known: str, found: Folder, calls: Calls) -> str:
    query = _query(await calls.ask(SQL, known, QUERY))
    try:
        return said(_single(found.query(query)))
    except duckdb.Error as error:
        again = f"{known}\n\nThis query failed:\n{query}\n{str(error)[:300]}\n\nWrite a query that works."
    try:
        return said(_single(found.query(_query(await calls.ask(SQL, again, QUERY)))))
    except duckdb.Error:
        return "not stated"


def _query(text: str) -> str:
    match = re.search(r"```(?:sql)?\s*(.*?)(?:```|$)", text, re.DOTALL)
    return (match[1] if match else text).strip()


def _single(rows: list[tuple[object, ...]]) -> object:
    return None if not rows or all(value is None for row in rows for value in row) else rows


async def aeon_answer(task: Item, folder: Path, adapter: LLMAdapter) -> Reply:
    """Aeon itself. THE ONE PLACE that says how it is built and with which tools."""
    began = time.monotonic()
    heard = Overheard(adapter)
    result = await build(llm=heard, files=folder).aexecute(task.question)
    seconds = time.monotonic() - began
    plan, assessed = plan_before(result.history, result.passes + 1), result.assessment
    return Reply(
        result.answer, result.usage, seconds, tuple(heard.replies), result.stop_reason, kind_of(plan),
        assessed.probability if assessed else None,
        weighted(assessed.evaluation, plan) if assessed and assessed.evaluation else None, likelihood(plan),
    )  # fmt: skip


def likelihood(plan: Plan) -> float | None:
    """How likely the model was to write what was taken, where that is known: that of the least likely step."""
    return min((step.likelihood for step in plan.steps if step.likelihood is not None), default=None)


def weighted(evaluation: Evaluation, plan: Plan) -> float | None:
    """The confidence of an assessment: the weighted mean of its parts, less where it rests on too few tool results.

    A short run judges nothing, so that its evaluation has no confidence; then it is the mean of the parts that the host
    measured: how the results came about, and how many of the final ones rest on a tool.
    """
    if evaluation.confidence is not None or evaluation.parts is None:
        return evaluation.confidence
    return mean_confidence(evaluation.parts, plan, ReasoningEngine())


class Overheard:
    """A model whose replies are kept."""

    def __init__(self, llm: LLMAdapter) -> None:
        self._llm, self.replies = llm, list[str]()
        self.name, self.free = llm.name, llm.free

    async def complete(self, request: LLMRequest) -> LLMResponse:
        """One completion."""
        reply = await self._llm.complete(request)
        self.replies.append(reply.text)
        return reply

    async def capabilities(self, permit: Permit = freely) -> Capabilities:
        """What the model can do."""
        return await self._llm.capabilities(permit)

    async def aclose(self) -> None:
        """The model stays with whoever made it."""
