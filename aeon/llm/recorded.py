"""Answers kept in a file, a cassette, so that a run can be repeated without its model.

A cassette is JSON Lines. Each line holds ``key`` (SHA-256 of the canonical request), ``model``, ``request`` and
``response``; a line with ``capabilities`` instead of those two says what the model can do.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from pathlib import Path

from filelock import lock_descriptor
from pydantic import ValidationError

from aeon.errors import CassetteMiss, ConfigError, InputFileError
from aeon.llm.adapter import LLMAdapter, Permit, freely
from aeon.schema.frozen import Frozen, JsonObject
from aeon.schema.llm import Capabilities, LLMRequest, LLMResponse, Message

__all__ = ["Recorded", "request_key"]


class _Track(Frozen):
    """One line of a cassette."""

    model: str
    key: str = ""
    request: JsonObject | None = None
    response: LLMResponse | None = None
    capabilities: Capabilities | None = None


def _canonical(request: LLMRequest) -> JsonObject:
    """The parts of a request that shape its answer: not how long to wait, how often to try, what to keep or to tell.

    Tools, calls and what answers them are parts only where there are any, so that cassettes without them stay valid.
    """
    parts = request.model_dump(
        mode="json",
        exclude={"timeout", "attempts", "fixed_messages", "fixed_characters", "likelihood", "messages", "tools"},
    )
    parts["messages"] = [_message(message) for message in request.messages]
    return {**parts, "tools": [tool.model_dump(mode="json") for tool in request.tools]} if request.tools else parts


def _message(message: Message) -> JsonObject:
    dumped = message.model_dump(mode="json")
    return {name: value for name, value in dumped.items() if value or name in ("role", "content")}


def request_key(model: str, request: LLMRequest) -> str:
    """SHA-256, in hex, of the request and the model's name as JSON with sorted keys."""
    text = json.dumps({"model": model, "request": _canonical(request)}, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


class Recorded:
    """Replays a cassette; with an ``inner`` adapter, what is not on it yet is asked of that and recorded.

    A request that is on the cassette several times gets its answers in the order of recording. Once they are used up,
    the last one is repeated, or with ``inner`` the next one is recorded. Without ``inner`` nothing is ever called: a
    request that is not on the cassette raises `CassetteMiss`. Raises `InputFileError` for a file that is no cassette.
    """

    def __init__(self, path: str | Path, inner: LLMAdapter | None = None) -> None:
        self._path = Path(path)
        self._inner = inner
        self._tracks = _load(self._path, must_exist=inner is None)
        self._answers: dict[str, list[LLMResponse]] = defaultdict(list)
        for track in self._tracks:
            if track.response is not None:
                self._answers[track.key].append(track.response)
        self._used: dict[str, int] = defaultdict(int)
        self._name = inner.name if inner is not None else self._only_model()

    @property
    def name(self) -> str:
        """The name of the model whose answers these are."""
        return self._name

    async def complete(self, request: LLMRequest) -> LLMResponse:
        """The recorded answer. Raises `CassetteMiss`, or what ``inner`` raises; a failure is not recorded."""
        key = request_key(self._name, request)
        turn = self._used[key]
        self._used[key] += 1
        answers = self._answers[key]
        if turn < len(answers):
            return answers[turn]
        if self._inner is not None:
            return await self._record(self._inner, key, request)
        if answers:
            return answers[-1]
        raise CassetteMiss(
            f"{self._path} has no answer of {self._name} for request {key}; record it with the model at hand, "
            "or undo the change to the prompt"
        )

    @property
    def free(self) -> bool:
        """A recorded answer costs nothing; any other costs what ``inner`` does."""
        return self._inner is None or self._inner.free

    async def capabilities(self, permit: Permit = freely) -> Capabilities:
        """The recorded capabilities. Raises `CassetteMiss` if there are none."""
        for track in self._tracks:
            if track.capabilities is not None and track.model == self._name:
                return track.capabilities
        if self._inner is None:
            raise CassetteMiss(f"{self._path} does not say what {self._name} can do; record it again")
        track = _Track(model=self._name, capabilities=await self._inner.capabilities(permit))
        self._append(track)
        return track.capabilities or Capabilities()

    async def aclose(self) -> None:
        """Close the inner adapter, if there is one."""
        if self._inner is not None:
            await self._inner.aclose()

    async def _record(self, inner: LLMAdapter, key: str, request: LLMRequest) -> LLMResponse:
        response = await inner.complete(request)
        self._answers[key].append(response)
        self._append(_Track(model=self._name, key=key, request=_canonical(request), response=response))
        return response

    def _append(self, track: _Track) -> None:
        """Write one line at once and under a lock, after cutting off a line that a crash left unfinished."""
        self._tracks.append(track)
        line = track.model_dump_json(exclude_none=True).encode() + b"\n"
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a+b") as file:
            lock_descriptor(file.fileno())
            file.seek(0)
            content = file.read()
            if not content.endswith(b"\n"):
                file.truncate(content.rfind(b"\n") + 1)
            file.write(line)

    def _only_model(self) -> str:
        models = sorted({track.model for track in self._tracks})
        if len(models) == 1:
            return models[0]
        raise ConfigError(f"{self._path} holds answers of {models or 'no model'}; use a cassette of one model")


def _load(path: Path, must_exist: bool) -> list[_Track]:
    try:
        lines = path.read_bytes().split(b"\n")[:-1]  # what follows the last line end is unfinished
    except FileNotFoundError:
        if must_exist:
            raise InputFileError(f"there is no cassette at {path}; record one first") from None
        return []
    except OSError as error:
        raise InputFileError(f"cannot read the cassette {path}: {error.strerror}") from None
    return [_track(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]


def _track(path: Path, number: int, line: bytes) -> _Track:
    try:
        return _Track.model_validate_json(line)
    except ValidationError:
        raise InputFileError(f"line {number} of {path} is not of a cassette; remove it or record again") from None
