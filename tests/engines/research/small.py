"""A small scripted model: it reads, words queries, and judges by how likely it is to say yes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from aeon.engines import research
from aeon.llm.scripted import Reply, Scripted
from aeon.schema import Capabilities, LLMRequest, LLMResponse, TokenProbability, Usage
from aeon.supervisor.prompt import load

__all__ = ["SMALL", "Small"]

SMALL = Capabilities(logprobs=True)
_FENCED = re.compile(r"<data (?:text|evidence)>\n(.*?)\n</data>", re.DOTALL)
_NAMES = ("answer", "translate", "queries", "missing")
_PROMPTS = {load(research.__name__, f"{name}.md").strip(): name for name in _NAMES}


class Small(Scripted):
    """Says ``answer`` over texts, ``queries`` for a task, with titles or without, and ``missing`` for the next search.

    As a judge it says yes with the probability of the first of ``supports`` that what it is shown holds, else with
    0.02; to whether a text gives an answer, by ``gives``, where that is another. ``answer`` may be a function of the
    prompt. What it was asked is kept by name, ``judge`` for a judgment.
    """

    def __init__(
        self,
        answer: Reply | Callable[[str], Reply] = "",
        supports: Mapping[str, float] | None = None,
        queries: Reply = "",
        missing: Reply = "",
        depth: int = 3,
        capabilities: Capabilities = SMALL,
        gives: Mapping[str, float] | None = None,
    ) -> None:
        super().__init__(self._reply, capabilities)
        self.answer, self.supports = answer, supports or {}
        self.gives = self.supports if gives is None else gives
        self.words = {"translate": queries, "queries": queries, "missing": missing}
        self.depth = depth
        self.seen: list[tuple[str, str]] = []

    def prompts(self, name: str) -> list[str]:
        """What stood last in each request of a name."""
        return [text for one, text in self.seen if one == name]

    def _reply(self, request: LLMRequest) -> Reply:
        text = request.messages[-1].content
        if request.top_logprobs:
            self.seen.append(("judge", text))
            return self._judged(text)
        name = _PROMPTS[request.messages[0].content.partition("\n\n## ")[0].strip()]
        self.seen.append((name, text))
        if name != "answer":
            return self.words[name]
        return self.answer(text) if callable(self.answer) else self.answer

    def _judged(self, text: str) -> LLMResponse:
        if "Answer with one digit." in text:
            digit = TokenProbability(token=str(self.depth), probability=1)
            return LLMResponse(text=str(self.depth), first_token=(digit,), model=self.name)
        shown = _FENCED.search(text)
        likely = self.gives if "\nAnswer: " in text else self.supports
        held = [yes for words, yes in likely.items() if shown is not None and words in shown[1]]
        yes = held[0] if held else 0.02
        words = (TokenProbability(token="Yes", probability=yes), TokenProbability(token="No", probability=1 - yes))
        usage = Usage(calls=1, prompt_tokens=9, generated_tokens=1)
        return LLMResponse(text="Yes", usage=usage, first_token=words, model=self.name)
