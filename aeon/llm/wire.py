"""Reading what an OpenAI-compatible endpoint sends: whole completions and streamed chunks, by one set of models.

Servers differ in what they leave out, so every field is optional here, and what Aeon needs is checked when the
completion is put together.
"""

from __future__ import annotations

import codecs
import math
from collections.abc import Callable, Mapping
from typing import Annotated

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)

from aeon.errors import MalformedResponse
from aeon.llm.lenient import Spare
from aeon.llm.tool_calls import MOST_CALLS, CallGathering, WireCall, WireFunction
from aeon.schema.llm import FinishReason, LLMResponse, TokenProbability
from aeon.schema.usage import Usage

__all__ = ["Count", "Gathering", "WireReply", "parse"]

_WORDS: Mapping[FinishReason, tuple[str, ...]] = {
    "stop": ("stop", "eos", "eos_token", "stop_sequence", "end_turn", "tool_calls", "tool_use", "function_call"),
    "length": ("length", "max_tokens", "model_length"),
    "refusal": ("content_filter", "refusal"),
}
_FINISH_REASONS = {word: reason for reason, words in _WORDS.items() for word in words}
"""What servers call the end of an answer. vLLM's ``abort`` or DeepSeek's ``insufficient_system_resource`` is none."""


MOST_TOKENS = 10_000_000
"""A count beyond which nothing is believed: no model reads or writes so much at once."""
_MOST_NAME = 200
_MOST_CHOICES = 128
_MOST_ALTERNATIVES = 64
_MOST_BYTES = 256
_MOST_SCORED = 8_192
"""Tokens of one reply or chunk whose probabilities are read."""
_TEXT_PARTS = ("text", "output_text")
_THOUGHT_PARTS = ("thinking", "reasoning", "redacted_thinking")
_LEAST_SCORE = -1e6
"""The logarithm of a probability that is none."""


def _first(most: int) -> BeforeValidator:
    """Leaves out what follows the first items of a list, unread."""
    return BeforeValidator(lambda raw: raw[:most] if isinstance(raw, list) else raw)


def _plausible(raw: object, read: ValidatorFunctionWrapHandler) -> int | None:
    """The count, or ``None`` for one that cannot be."""
    try:
        count = read(raw)
    except ValidationError:
        return None
    return count if count is not None and 0 <= count <= MOST_TOKENS else None


Count = Annotated[int | None, WrapValidator(_plausible)]
"""A number of tokens; ``None`` where the endpoint tells none, or one that cannot be."""


class _Wire(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _Cached(_Wire):
    """The part of the prompt that came from a prefix cache."""

    cached_tokens: Count = None


class _Hidden(_Wire):
    """The part of the completion that was reasoning."""

    reasoning_tokens: Count = None


class _Usage(_Wire):
    """Token counts as the endpoint tells them."""

    prompt_tokens: Count = None
    completion_tokens: Count = None
    prompt_tokens_details: Spare[_Cached] = None
    completion_tokens_details: Spare[_Hidden] = None


class _Alternative(_Wire):
    """One candidate token; ``token`` or ``bytes`` can be missing."""

    token: str | None = None
    bytes: Annotated[list[int] | None, _first(_MOST_BYTES)] = None
    logprob: float | None = None


class _Token(_Wire):
    """One generated token with its alternatives."""

    top_logprobs: Annotated[list[_Alternative] | None, _first(_MOST_ALTERNATIVES)] = None


def _scores(content: object) -> list[tuple[bytes, float]] | None:
    """The tokens of a text with the logarithms of their probabilities, as far as all of them are told."""
    if not isinstance(content, list) or len(content) > _MOST_SCORED:
        return None
    scores = [_score(token) for token in content]
    return [one for one in scores if one is not None] if None not in scores else None


def _score(token: object) -> tuple[bytes, float] | None:
    if not isinstance(token, dict) or not isinstance(logprob := token.get("logprob"), int | float):
        return None
    text, given = token.get("token"), token.get("bytes")
    if not math.isfinite(logprob):
        return None
    try:
        return (bytes(given) if isinstance(given, list) else str(text).encode()), min(0.0, float(logprob))
    except (ValueError, TypeError, OverflowError):
        return None


class _Logprobs(_Wire):
    """Log-probabilities of the generated tokens, in order: the alternatives of the first, and what each one scored.

    ``scores`` are the texts of the tokens, as bytes, with their logarithms; ``None`` where one of them is not told.
    """

    content: Annotated[list[_Token] | None, _first(1)] = None
    scores: list[tuple[bytes, float]] | None = None

    @model_validator(mode="before")
    @classmethod
    def _scored(cls, raw: object) -> object:
        return {**raw, "scores": _scores(raw.get("content"))} if isinstance(raw, dict) else raw


class _Message(_Wire):
    """Text and tool calls, or a part of them; the reasoning beside them goes by one of two names.

    A content of parts is read as those of their texts that are an answer or a refusal; thoughts are reasoning.
    """

    content: str | None = None
    refusal: str | None = None
    reasoning_content: object = None
    reasoning: object = None
    tool_calls: Annotated[list[WireCall] | None, _first(MOST_CALLS + 1)] = None
    function_call: WireFunction | None = None

    @model_validator(mode="before")
    @classmethod
    def _joined(cls, raw: object) -> object:
        parts = raw.get("content") if isinstance(raw, dict) else None
        return {**raw, **_of_parts(parts)} if isinstance(raw, dict) and isinstance(parts, list) else raw

    @property
    def calls(self) -> list[WireCall]:
        """The tool calls in it; servers of old know one only, without an id."""
        if self.tool_calls or self.function_call is None:
            return self.tool_calls or []
        return [WireCall(index=0, function=self.function_call)]


def _of_parts(parts: list[object]) -> dict[str, object]:
    """The content and what is beside it, out of parts, each with a type."""
    told = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
    known = [part for part in told if isinstance(part, dict)]
    read: dict[str, object] = {
        "content": _joined_texts(known, "text", _TEXT_PARTS),
        "reasoning": any(part.get("type") in _THOUGHT_PARTS for part in known),
    }
    refusal = _joined_texts(known, "refusal", ("refusal",))
    return read | ({"refusal": refusal} if refusal else {})


def _joined_texts(parts: list[dict[str, object]], field: str, types: tuple[str, ...]) -> str:
    texts = [part.get(field) for part in parts if part.get("type", "text") in types]
    return "".join(text for text in texts if isinstance(text, str))


class _Choice(_Wire):
    """One choice: ``message`` in a whole completion, ``delta`` in a chunk."""

    index: Spare[int] = 0
    message: _Message | None = None
    delta: _Message | None = None
    finish_reason: Spare[str] = None
    logprobs: Spare[_Logprobs] = None


class WireReply(_Wire):
    """A whole completion or one chunk of it; or an error, which some servers send with the status 200."""

    model: Spare[str] = None
    choices: list[_Choice] | None = Field(None, max_length=_MOST_CHOICES, fail_fast=True)
    usage: Spare[_Usage] = None
    error: object = None

    @property
    def vacant(self) -> bool:
        """Whether it has the place where a completion stands, and none there."""
        return "choices" in self.model_fields_set and not self.choices

    @property
    def complaint(self) -> str:
        """What went wrong, in the endpoint's own words; empty if nothing did."""
        if not self.error:
            return ""
        said = self.error.get("message") if isinstance(self.error, dict) else self.error
        return said if isinstance(said, str) and said.strip() else "it does not say what"


def parse(raw: bytes, where: str) -> WireReply:
    """Read JSON. Raises `MalformedResponse` if it has not the shape of a completion."""
    try:
        return WireReply.model_validate_json(raw.removeprefix(codecs.BOM_UTF8))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        at = ".".join(str(part) for part in first["loc"]) or "the body"
        raise MalformedResponse(
            f"{where} answered something that is no chat completion ({at}: {first['msg']}); "
            "check that the base URL ends in the API's root, such as /v1"
        ) from None


class Gathering:
    """Puts a completion together out of one whole reply or many chunks; ``hear`` is told each piece of its text."""

    def __init__(self, hear: Callable[[str], None] | None = None) -> None:
        self._hear = hear
        self._texts: list[str] = []
        self._calls = CallGathering()
        self._finish: str | None = None
        self._refused = False
        self._thought = False
        self._first_token: tuple[TokenProbability, ...] = ()
        self._scores: list[tuple[bytes, float]] = []
        self._usage: _Usage | None = None
        self._model = ""
        self._started = False
        self._vacant = False

    @property
    def started(self) -> bool:
        """Whether the endpoint sent any part of a completion."""
        return self._started

    @property
    def vacant(self) -> bool:
        """Whether the endpoint sent what has the shape of a completion, and nothing in it."""
        return self._vacant and not self._started

    @property
    def finished(self) -> bool:
        """Whether the endpoint said why it stopped; without it the text may be a part only."""
        return self._finish is not None

    @property
    def counted(self) -> bool:
        """Whether the endpoint told its token counts."""
        return self._usage is not None

    @property
    def complete(self) -> bool:
        """Whether all came that is needed."""
        return self.finished and self.counted

    def add(self, reply: WireReply) -> None:
        """Take in one reply or chunk. Raises `MalformedResponse` where tool calls are larger than is read."""
        self._model = (reply.model or self._model)[:_MOST_NAME]
        self._usage = reply.usage or self._usage
        self._vacant |= reply.vacant
        for choice in reply.choices or []:
            if not choice.index:
                self._take(choice)

    def _take(self, choice: _Choice) -> None:
        self._started = True
        part = choice.message or choice.delta
        if part is not None and part.content:
            self._texts.append(part.content)
            if self._hear is not None:
                self._hear(part.content)
        if part is not None:
            self._calls.add(part.calls, whole=choice.message is not None)
        self._thought |= _reasoning_beside(part)
        if part is not None and part.refusal:
            self._refused = True
            self._texts.append(part.refusal)
        if choice.logprobs is not None:
            self._score(choice.logprobs)
        self._finish = choice.finish_reason or self._finish

    def _score(self, told: _Logprobs) -> None:
        if told.content and not self._first_token:
            self._first_token = _probabilities(told.content[0])
        self._scores += told.scores or []

    def response(self, attempts: int, unmetered: int = 0, put_off: int = 0, calls_before: int = 0) -> LLMResponse:
        """The completion; ``attempts`` is how many it took, ``unmetered`` how many before it were not counted.

        ``calls_before`` is how many tool calls the conversation holds before it. ``put_off`` requests before it met
        a rate limit. An attempt with counts that cannot be is one that was not counted: it is charged with the most
        that it can have used.
        """
        believed = self._is_believable()
        finish = _FINISH_REASONS.get((self._finish or "").lower(), "other")
        return LLMResponse(
            text="".join(self._texts),
            calls=self._calls.calls(calls_before),
            finish_reason="refusal" if self._refused else finish,
            usage=self._total_usage(attempts, put_off) if believed else Usage(calls=attempts, put_off=put_off),
            first_token=self._first_token,
            model=self._model,
            thought=self._thought or self._has_reasoning_tokens(),
            likelihood=self._likelihood(),
            unmetered=unmetered,
            metered=believed,
        )

    def _likelihood(self) -> float | None:
        """The probability of the text, in four places; ``None`` where the tokens that are told are not just its own."""
        told = b"".join(text for text, _ in self._scores)
        if not told or told != "".join(self._texts).encode(errors="replace"):
            return None
        return round(math.exp(math.fsum(max(score, _LEAST_SCORE) for text, score in self._scores if text.strip())), 4)

    def _has_reasoning_tokens(self) -> bool:
        details = self._usage.completion_tokens_details if self._usage else None
        return bool(details and details.reasoning_tokens)

    def _is_believable(self) -> bool:
        """Whether the counts can be: no prompt has no tokens, and no text."""
        usage = self._usage
        if usage is None or not usage.prompt_tokens or usage.completion_tokens is None:
            return False
        return usage.completion_tokens > 0 or not (any(self._texts) or self._calls)

    def _total_usage(self, calls: int, put_off: int) -> Usage:
        usage = self._usage or _Usage()
        details = usage.prompt_tokens_details
        cached = (details.cached_tokens if details else None) or 0
        return Usage(
            calls=calls,
            prompt_tokens=usage.prompt_tokens or 0,
            cached_tokens=min(cached, usage.prompt_tokens or 0),
            generated_tokens=usage.completion_tokens or 0,
            put_off=put_off,
        )


def _reasoning_beside(part: _Message | None) -> bool:
    return part is not None and bool(part.reasoning_content or part.reasoning)


def _probabilities(token: _Token) -> tuple[TokenProbability, ...]:
    return tuple(
        TokenProbability(token=_token_text(alternative), probability=min(1.0, math.exp(min(alternative.logprob, 0.0))))
        for alternative in token.top_logprobs or []
        if alternative.logprob is not None and not math.isnan(alternative.logprob)
    )


def _token_text(alternative: _Alternative) -> str:
    if alternative.token is not None:
        return alternative.token
    return bytes(byte & 0xFF for byte in alternative.bytes or []).decode("utf-8", errors="replace")
