"""Keeps on disk what the embedded model has read of the fixed beginnings of prompts, for later processes.

Reading the instructions and examples of a prompt takes a small machine seconds, and they are the same in every run; so
are the texts of a small folder, and what a query is told of its tables. The first request with such a beginning has
llama.cpp read it alone and save the state of its only slot; only then comes the request itself. So a file holds nothing
of what a user asks, and the request goes on from the same state whether that was restored or has just been read. What
it holds of files only their user may read.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import importlib.metadata
import itertools
import json
import os
import platform
import secrets
import time
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel

from aeon.llm import sdk as openai
from aeon.llm.catalogue import CatalogueEntry
from aeon.llm.connections import Connections
from aeon.schema.frozen import JsonObject
from aeon.schema.llm import LLMRequest, Message

__all__ = ["MOST_BYTES", "MOST_FILES", "Beginning", "PrefixFiles", "Prefixes", "Recent", "identity"]

MOST_FILES = 40
MOST_BYTES = 600_000_000
"""Of a model of 1.5B parameters, 1,000 tokens take 29 MB."""

_LAYOUT = 1
"""Counts up when files of earlier versions of this module or of other server settings must not be used again."""
_ABANDONED_SECONDS = 3600.0
"""After this time, a file that is still being written belongs to a process that is gone."""
_MARK = "XQUESTIONX"
_START = 300
_KEPT_CHARACTERS = 48_000
"""How much of earlier prompts a server has in memory, at least: of llama.cpp's 512 MiB, a thousand take about 8."""
_PRIVATE = 0o700


def _faults() -> tuple[type[Exception], ...]:
    """What can go wrong with a file, with the server or with what it answers; the request is then sent without."""
    return (openai.OpenAIError, OSError, ValueError)


class PrefixFiles:
    """States of one model in a folder that other models and processes use, too.

    The name of a file is its key and a digest of its content: llama.cpp ends the process over a file that is cut off,
    and reads one with a wrong byte without complaint, so only a file that is whole may reach it. Methods block.
    """

    def __init__(self, folder: Path, model: str) -> None:
        """``model`` is what tells its states from those of any other, its `identity`."""
        self._folder = folder
        self._model = model

    def key(self, text: str) -> str:
        """The key of the state that this beginning leads to, with this model, llama.cpp and kind of machine."""
        version = importlib.metadata.version("xllamacpp")
        return _digest(json.dumps([_LAYOUT, version, platform.machine(), self._model, text]).encode())

    def find(self, key: str) -> str | None:
        """The name of the state's file, which counts as used now; ``None`` without one. A damaged file is removed."""
        for path in self._newest_first(f"{key}-*.state"):
            try:
                if _digest(path.read_bytes()) == path.stem.removeprefix(f"{key}-"):
                    with contextlib.suppress(OSError):  # a folder that is read-only serves all the same
                        os.utime(path)
                    return path.name
            except OSError:
                continue
            self.remove(path.name)
        return None

    def reserve(self) -> str | None:
        """A new name for a state to be written under; ``None`` where nothing can be written out of reach of others."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._folder.chmod(_PRIVATE)
        except OSError:
            return None
        return f"{secrets.token_hex(8)}.part" if os.access(self._folder, os.W_OK) else None

    def keep(self, name: str, key: str) -> None:
        """Give the written file its place, instead of what had the same key, and remove what is too much."""
        part = self._folder / name
        part.replace(self._folder / f"{key}-{_digest(part.read_bytes())}.state")
        for path in self._newest_first(f"{key}-*.state")[1:]:
            self.remove(path.name)
        self._limit()

    def remove(self, name: str) -> None:
        """Remove a file, if that is possible."""
        with contextlib.suppress(OSError):
            (self._folder / name).unlink()

    def _limit(self) -> None:
        """Remove the files that were not used for longest, and what broken-off processes left."""
        size = 0
        for number, path in enumerate(self._newest_first("*.state"), 1):
            size += _status(path)[1]
            if number > MOST_FILES or size > MOST_BYTES:
                self.remove(path.name)
        for path in self._folder.glob("*.part"):
            if _status(path)[0] < time.time() - _ABANDONED_SECONDS:
                self.remove(path.name)

    def _newest_first(self, pattern: str) -> list[Path]:
        return sorted(self._folder.glob(pattern), key=_status, reverse=True)


@dataclass(frozen=True)
class Beginning:
    """A beginning that the server has before it: its key, "" if none is kept, and the tokens that it read for it now.

    ``broken`` says that the server did not answer and may have ended.
    """

    key: str = ""
    read_tokens: int = 0
    broken: bool = False


class Recent(NamedTuple):
    """The prompts that a server read last, the newest first: those whose states it has, in its slot or beside it.

    Each is the key of its beginning, "" for none, the start of what comes behind it, and its length in characters.
    """

    prompts: tuple[tuple[str, str, int], ...] = ()

    def has(self, key: str, start: str) -> bool:
        """Whether the server finds the beginning by itself, with the same sentences behind it if there are any."""
        return bool(self.prompts) and (key == self.prompts[0][0] or (key, start) in [one[:2] for one in self.prompts])

    def then(self, key: str, request: LLMRequest) -> Recent:
        """With one more prompt, and without those for which there is no more room.

        In the slot it takes the place of the one before it, where both begin with the same texts or instructions.
        """
        others = self.prompts[1:] if key and self.prompts and self.prompts[0][0] == key else self.prompts
        prompts = ((key, _start_of(request), sum(len(one.content) for one in request.messages)), *others)
        sizes = itertools.accumulate(size for _, _, size in prompts)
        return Recent(tuple(one for one, size in zip(prompts, sizes, strict=True) if size <= _KEPT_CHARACTERS))


def _start_of(request: LLMRequest) -> str:
    """What comes behind the fixed beginning of a request, as far as it tells one text from another."""
    behind = "".join(message.content for message in request.messages[request.fixed_messages :])
    return behind[request.fixed_characters :][:_START]


class _Rendered(BaseModel):
    prompt: str


class _Timings(BaseModel):
    prompt_n: int


class _Read(BaseModel):
    """``tokens_evaluated`` are those of the prompt, ``prompt_n`` those of them that no cache had."""

    tokens_evaluated: int
    timings: _Timings


class _Saved(BaseModel):
    n_saved: int


class Prefixes:
    """Puts beginnings into the slot of one llama.cpp server at ``root``, its address without ``/v1``.

    Nobody else may use the server meanwhile: the slot would hold, and the file keep, what another asks.
    """

    def __init__(self, root: str, connections: Connections, files: PrefixFiles) -> None:
        self._root = root
        self._connections = connections
        self._files = files

    async def prepare(self, request: LLMRequest, recent: Recent, seconds: float) -> Beginning:
        """Restore the request's beginning, or have it read and kept, in at most so many seconds; never raises.

        ``recent`` are the prompts before it: what is like one of them the server has in memory, and finds by itself.
        """
        try:
            async with asyncio.timeout(seconds):
                return await self._prepared(request, recent)
        except _faults() as error:
            return Beginning(broken=isinstance(error, openai.APIConnectionError))

    async def _prepared(self, request: LLMRequest, recent: Recent) -> Beginning:
        text = await self._rendered(request)
        key = self._files.key(text) if text else ""
        if not key or recent.has(key, _start_of(request)):
            return Beginning(key)
        name = await asyncio.to_thread(self._files.find, key)
        if name is not None:
            if recent.prompts:
                await self._put_by()
            await self._restore(name)
            return Beginning(key)
        begun = await self._instructed(request, recent)
        name = await asyncio.to_thread(self._files.reserve)
        return await self._read(text, key, name, begun) if name is not None else Beginning()

    async def _instructed(self, request: LLMRequest, recent: Recent) -> int:
        """Have the whole messages of a beginning before the server, which other files have, too; the tokens read."""
        if not request.fixed_characters:
            return 0
        return (await self._prepared(request.changed(fixed_characters=0), recent)).read_tokens

    async def _rendered(self, request: LLMRequest) -> str:
        """The text that every prompt with this beginning begins with, by the model's own template; "" if none."""
        first, behind = request.messages[: request.fixed_messages], request.messages[request.fixed_messages :]
        shared = behind[0].content[: request.fixed_characters] if behind else ""
        turns = [*first, Message(role="user", content=f"{shared}{_MARK}")]
        body: JsonObject = {"messages": [{"role": turn.role, "content": turn.content} for turn in turns]}
        reply = await self._post("/apply-template", body)
        return _Rendered.model_validate(reply).prompt.rpartition(_MARK)[0]

    async def _put_by(self) -> None:
        """Have the server keep in memory what the slot holds: it does before it reads a prompt that is unlike it."""
        await self._post("/completion", {"prompt": [0], "n_predict": 0, "cache_prompt": True})

    async def _restore(self, name: str) -> None:
        try:
            await self._post("/slots/0?action=restore", {"filename": name})
        except _faults():
            await asyncio.to_thread(self._files.remove, name)
            raise

    async def _read(self, text: str, key: str, name: str, begun: int) -> Beginning:
        """Have the beginning read, with nothing after it, and keep the slot's state under this name.

        So many tokens of it have been read already.
        """
        body: JsonObject = {"prompt": text, "n_predict": 0, "cache_prompt": True}
        read = _Read.model_validate(await self._post("/completion", body))
        tokens = begun + read.timings.prompt_n
        try:
            saved = _Saved.model_validate(await self._post("/slots/0?action=save", {"filename": name}))
            if saved.n_saved != read.tokens_evaluated:
                raise ValueError(f"the slot holds {saved.n_saved} tokens, the beginning has {read.tokens_evaluated}")
            await asyncio.to_thread(self._files.keep, name, key)
        except _faults() as error:  # such as a full disk; the beginning has been read all the same
            await asyncio.to_thread(self._files.remove, name)
            return Beginning(read_tokens=tokens, broken=isinstance(error, openai.APIConnectionError))
        return Beginning(key, tokens)

    async def _post(self, path: str, body: JsonObject) -> object:
        client = await self._connections.client()
        return await client.post(self._root + path, body=body, cast_to=object, options=self._connections.options())


def identity(model: CatalogueEntry | Path, context_tokens: int) -> str:
    """What tells a model with this context from others: the digest of known weights, else the state of the file."""
    if isinstance(model, CatalogueEntry):
        return f"{model.sha256} {context_tokens}"
    return f"{model.resolve()} {_status(model)} {context_tokens}"


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _status(path: Path) -> tuple[float, int]:
    """When a file was last used and how many bytes it has; zeros for one that is gone."""
    try:
        status = path.stat()
    except OSError:
        return 0.0, 0
    return status.st_mtime, status.st_size
