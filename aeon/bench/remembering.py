"""A model that is asked the same thing once: samples that several systems draw alike are the very same ones."""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Iterator
from pathlib import Path

from pydantic import Field, ValidationError

from aeon.bench.lines import append, whole_lines
from aeon.errors import InputFileError, ModelError
from aeon.llm.adapter import LLMAdapter, Permit, freely
from aeon.schema import Capabilities, Frozen, LLMRequest, LLMResponse

__all__ = ["Remembering", "Replies"]


class _Line(Frozen):
    """A reply with what was asked for, and the seconds that it took."""

    key: str
    max_tokens: int
    seconds: float = Field(ge=0)
    reply: LLMResponse


class Replies:
    """The replies of models, in memory and, if a file is named, in it, so that a later process has them too.

    ``saved`` is how many seconds the replies took, when they were asked for, that were given without asking since.

    Raises:
        InputFileError: the file cannot be used, or holds something else.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path, self._lines = path, dict[str, list[_Line]]()
        self.saved = 0.0
        for number, text in enumerate(whole_lines(path) if path is not None else (), 1):
            try:
                line = _Line.model_validate_json(text)
            except ValidationError:
                raise InputFileError(f"{path}: line {number} is no reply of a model; delete the file") from None
            self._lines.setdefault(line.key, []).append(line)

    def find(self, key: str, max_tokens: int) -> LLMResponse | None:
        """The reply to a request, if it is known: under this limit, or one that ended by itself below it."""
        for line in self._lines.get(key, ()):
            ended = line.reply.finish_reason == "stop" and line.reply.usage.generated_tokens < max_tokens
            if ended or line.max_tokens == max_tokens:
                self.saved += line.seconds
                return line.reply
        return None

    def keep(self, key: str, max_tokens: int, seconds: float, reply: LLMResponse) -> None:
        """Remember a reply. Raises ``InputFileError`` if the file cannot be written."""
        line = _Line(key=key, max_tokens=max_tokens, seconds=seconds, reply=reply)
        self._lines.setdefault(key, []).append(line)
        if self._path is not None:
            append(self._path, line.model_dump_json())


class Remembering:
    """A model that answers the same request with the same reply; it counts as asked each time.

    ``broken`` is the error after which it cannot be used at all.
    """

    def __init__(self, llm: LLMAdapter, replies: Replies | None = None) -> None:
        self._llm = llm
        self._replies = replies or Replies()
        self.broken: ModelError | None = None

    @property
    def name(self) -> str:
        """The model's name."""
        return self._llm.name

    @property
    def free(self) -> bool:
        """Whether the model's calls cost nothing."""
        return self._llm.free

    async def complete(self, request: LLMRequest) -> LLMResponse:
        """The reply, from the model where the request is new. Raises as the model does."""
        asked = request.changed(timeout=None, attempts=1, max_tokens=1).model_dump_json(exclude={"likelihood"})
        key = hashlib.sha256(f"{self.name} {asked}".encode()).hexdigest()
        known = self._replies.find(key, request.max_tokens)
        if known is not None:
            return known
        began = time.monotonic()
        with self._noting():
            reply = await self._llm.complete(request)
        self._replies.keep(key, request.max_tokens, time.monotonic() - began, reply)
        return reply

    async def capabilities(self, permit: Permit = freely) -> Capabilities:
        """What the model can do; what it takes to find out is charged to nobody, as it is known from then on."""
        with self._noting():
            return await self._llm.capabilities(freely)

    @contextlib.contextmanager
    def _noting(self) -> Iterator[None]:
        """Note an error after which the model cannot be used at all, whatever it was asked."""
        try:
            yield
        except ModelError as error:
            self.broken = error if error.fatal else None
            raise

    async def aclose(self) -> None:
        """End the model."""
        await self._llm.aclose()
