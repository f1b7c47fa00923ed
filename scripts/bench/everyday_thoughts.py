"""Chain of thought and self-consistency in the everyday benchmark: baselines that say how sure they are of an answer.

Both see the question alone, or with the passages of the texts that BM25 finds best for it before it.
"""

from __future__ import annotations

import json
import math
import re
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from everyday_baselines import LONG, Calls, Reply, asked
from everyday_folder import opened
from everyday_items import Item
from everyday_scoring import dates, numbers, plain

from aeon.bench.voting import MOST, enough
from aeon.errors import EndpointFailed
from aeon.llm.adapter import LLMAdapter
from aeon.llm.asking import Habits, request_body
from aeon.llm.local import Local
from aeon.llm.openai_compatible import OpenAICompatible
from aeon.llm.translation import translate, translated
from aeon.schema import LLMRequest, LLMResponse, Usage

__all__ = ["Consistency", "Thought", "Token", "final", "meaning", "scored", "sequence_probability", "spent"]

THINK = "Think step by step, then give the final answer on a last line that begins with 'Answer:'."
MARK = re.compile(r"\bAnswer:[\s*]*")
SECONDS = 600.0
SAMPLES = 5
LEAST = 2
TEMPERATURE = 0.7


class Token(NamedTuple):
    """A generated token, as bytes, and its log-probability under the model."""

    text: bytes
    logprob: float


async def scored(llm: LLMAdapter, request: LLMRequest) -> tuple[LLMResponse, tuple[Token, ...]]:
    """A completion with its tokens; none where the model is not behind an endpoint or the endpoint tells none."""
    tokens: list[Token] = []

    async def call(endpoint: OpenAICompatible, request: LLMRequest) -> LLMResponse:
        body = request_body(request.changed(top_logprobs=1), endpoint.name, "text", Habits(streams=False))
        options = endpoint.connections.options(request.timeout or SECONDS)
        try:
            client = await endpoint.connections.client()
            reply: Any = await client.post("/chat/completions", body=body, cast_to=object, options=options)
        except translated() as error:
            raise translate(error, f"{endpoint.name} at {endpoint.base_url}", ()) from error
        try:
            response, found = _read(reply)
        except (KeyError, TypeError, IndexError) as error:
            raise EndpointFailed(f"{endpoint.base_url} answered something that is no chat completion") from error
        tokens.extend(found)
        return response

    if isinstance(llm, Local):
        return await llm.through(request, call), tuple(tokens)
    if isinstance(llm, OpenAICompatible):
        return await call(llm, request), tuple(tokens)
    return await llm.complete(request), ()


def _read(reply: Mapping[str, Any]) -> tuple[LLMResponse, list[Token]]:
    choice, counts = reply["choices"][0], reply["usage"]
    told = (choice.get("logprobs") or {}).get("content") or []
    tokens = [Token(bytes(one["bytes"]) if one.get("bytes") else one["token"].encode(), one["logprob"]) for one in told]
    usage = Usage(
        calls=1, prompt_tokens=counts["prompt_tokens"], generated_tokens=counts["completion_tokens"],
        cached_tokens=(counts.get("prompt_tokens_details") or {}).get("cached_tokens") or 0,
    )  # fmt: skip
    return LLMResponse(text=choice["message"]["content"] or "", usage=usage), tokens


def final(text: str) -> tuple[int, int]:
    """Where the final answer of a chain of thought stands: behind the last "Answer:", else its last line."""
    end = len(text.rstrip())
    marks = list(MARK.finditer(text))
    return (min(marks[-1].end(), end) if marks else text.rfind("\n", 0, end) + 1), end


def sequence_probability(text: str, tokens: Sequence[Token], start: int, end: int) -> float | None:
    """The probability (0-1) of an answer within a text given what stands before it: the product over its tokens.

    This is the sequence probability of Malinin & Gales (2021), not normalised by length. Of an answer with figures only
    the tokens with a digit count, which is where Wang & Zhou (2024) look too: the words and marks around them may vary.
    ``None`` where the tokens are not those of the text, or the answer is empty.
    """
    if start >= end or b"".join(token.text for token in tokens)[: len(text.encode())] != text.encode():
        return None
    first, last = len(text[:start].encode()), len(text[:end].encode())
    figures = any(map(str.isdigit, text[start:end]))
    at, total = 0, 0.0
    for token in tokens:
        if at < last and at + len(token.text) > first and (re.search(rb"\d", token.text) or not figures):
            total += token.logprob
        at += len(token.text)
    return round(math.exp(min(0.0, total)), 4)


def _posed(task: Item, folder: Path, passages: bool) -> str:
    """The question, behind the passages that are best for it."""
    found = opened(folder).passages(task.question) if passages else []
    return "\n\n".join([*found, f"Question: {task.question}"]) if found else task.question


@dataclass(frozen=True)
class Thought:
    """A chain of thought, whose own probability is that of the final answer's tokens: see `sequence_probability`."""

    passages: bool = False

    async def __call__(self, task: Item, folder: Path, llm: LLMAdapter) -> Reply:
        """The final answer."""
        calls = Calls(llm)
        reply, tokens = await scored(llm, asked(THINK, _posed(task, folder, self.passages), 2 * LONG))
        calls.count(reply)
        start, end = final(reply.text)
        return calls.reply(reply.text[start:end], sequence_probability(reply.text, tokens, start, end))


@dataclass(frozen=True)
class Consistency:
    """Self-consistency (Wang et al., 2022): the most frequent final answer of chains of thought at temperature 0.7.

    Its probability is the share of votes. ``tokens`` says for a kind of question how many tokens, read and generated
    together, are to be spent: it samples until they are, so that it never has fewer, from 2 to 20 times. Where it says
    nothing of the kind, ``samples`` are taken. An empty answer has no vote.
    """

    samples: int = SAMPLES
    tokens: Mapping[str, float] = field(default_factory=dict)
    passages: bool = False

    async def __call__(self, task: Item, folder: Path, llm: LLMAdapter) -> Reply:
        """The most frequent answer, in the words of its first sample; of equally frequent ones the first."""
        calls, votes = Calls(llm), defaultdict[str, list[str]](list)
        request = asked(THINK, _posed(task, folder, self.passages), 2 * LONG).changed(temperature=TEMPERATURE)
        for seed in range(1, MOST + 1):
            if self._is_enough(seed - 1, calls.usage.tokens, task.kind):
                break
            reply = await llm.complete(request.changed(seed=seed))
            calls.count(reply)
            said = reply.text[slice(*final(reply.text))]
            if meaning(said):
                votes[meaning(said)].append(said)
        if not votes:
            return calls.reply("")
        most = max(votes.values(), key=len)
        return calls.reply(most[0], round(len(most) / sum(map(len, votes.values())), 4))

    def _is_enough(self, samples: int, tokens: int, kind: str) -> bool:
        if kind not in self.tokens:
            return samples >= self.samples
        return enough(samples, tokens, self.tokens[kind], LEAST, MOST)


def meaning(answer: str) -> str:
    """What answers that say the same have in common: their days and numbers, else their words."""
    days, rest = dates(plain(answer))
    figures = sorted({str(given.value.normalize()) for given in numbers(rest)})
    found = [*sorted(str(sorted(day, key=str)) for day in days), *figures]
    return ", ".join(found) or " ".join(re.findall(r"\w+", answer.casefold()))


def spent(files: Iterable[Path]) -> dict[str, float]:
    """The median of the tokens, read and generated together, that Aeon spent on a question of each kind."""
    by: defaultdict[str, list[int]] = defaultdict(list)
    for path in files:
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            if row["system"] == "aeon":
                by[row["kind"]].append(row["prompt"] + row["generated"])
    return {kind: statistics.median(tokens) for kind, tokens in by.items()}
