"""What was found out about endpoints by asking them, kept for later processes: a file for each endpoint and model.

No key is in it. A file that cannot be read, or is too old, costs a probe and no run.
"""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from aeon.home import cache_dir
from aeon.llm.asking import Habits
from aeon.llm.profiles import Told, agrees, file_name
from aeon.replacing import put
from aeon.schema.frozen import Frozen
from aeon.schema.llm import Capabilities, LLMResponse

__all__ = ["LONGEST_KEPT", "Memory", "ProbeRecord", "recall"]

LONGEST_KEPT = timedelta(days=30)
"""How old a probe may be."""
_MANY = 4_096
"""Tokens of an answer with thoughts, up to which nothing is noted: it is what such an answer gets at first."""


class ProbeRecord(Frozen):
    """What the probes of one model at one endpoint found, and when (UTC), and what the endpoint does not take.

    ``told`` is what the server said of itself then: the capabilities hold only as long as that `agrees`.
    Of a server that lists no models, ``answered_as`` is the model's name in its completions, and has to stay the same.
    ``thought_tokens`` are the most that an answer with thoughts took, if that is more than answers get at first.
    """

    version: Literal[1] = 1
    endpoint: str
    model: str
    probed_at: datetime
    told: Told = Told()
    answered_as: str = ""
    thought_tokens: int = Field(default=0, ge=0)
    capabilities: Capabilities | None = None
    habits: Habits


class Memory:
    """What a process knows of one model at one endpoint, shared by all adapters for it.

    ``confirmed`` says that the capabilities were found, or held against what the server says of itself, in this
    process. With ``kept`` it is written to disk.
    """

    def __init__(self, endpoint: str, model: str, kept: bool) -> None:
        self._endpoint, self._model, self._kept = endpoint, model, kept
        self.habits = Habits()
        self.told = Told()
        self.answered_as = ""
        self.thought_tokens = 0
        self.capabilities: Capabilities | None = None
        self.confirmed = False
        self._probed_at = datetime.now(UTC)
        record = self._load() if kept else None
        if record is not None:
            self.habits, self.told, self.capabilities = record.habits, record.told, record.capabilities
            self.answered_as, self._probed_at = record.answered_as, record.probed_at
            self.thought_tokens = record.thought_tokens
        self._written = self._record()

    def found(self, capabilities: Capabilities, told: Told) -> None:
        """Note what probes found just now."""
        self.capabilities, self.told, self.confirmed = capabilities, told, True
        self._probed_at = datetime.now(UTC)
        self.keep()

    def confirm(self, told: Told) -> None:
        """Take the capabilities of an earlier process for true if the server still says the same of itself."""
        if not agrees(self._model, self.told, told):
            self.capabilities = None
        self.confirmed = self.capabilities is not None

    def answered(self, name: str) -> None:
        """Note the model's name in a completion; of a server that lists none, another name is another model.

        What one that lists its models answers under may change from call to call, as behind a router.
        """
        if self.told.models or not name or name == self.answered_as:
            return
        if self.answered_as:
            self.capabilities = None
        self.answered_as = name
        self.keep()

    def thought(self, response: LLMResponse) -> None:
        """Note how many tokens a whole answer took with its thoughts, where that is more than ever before."""
        tokens = response.usage.generated_tokens
        if response.thought and response.finish_reason == "stop" and tokens > max(_MANY, self.thought_tokens):
            self.thought_tokens = tokens
            self.keep()

    def keep(self) -> None:
        """Write down what is new; where that cannot be done, a later process finds it out again."""
        record = self._record()
        if not self._kept or record == self._written:
            return
        self._written = record
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            put(self._path, record.model_dump_json(indent=2) + "\n")

    @property
    def _path(self) -> Path:
        return cache_dir() / "probes" / file_name(self._endpoint, self._model)

    def _record(self) -> ProbeRecord:
        return ProbeRecord(
            endpoint=self._endpoint, model=self._model, probed_at=self._probed_at, told=self.told,
            answered_as=self.answered_as, thought_tokens=self.thought_tokens, capabilities=self.capabilities,
            habits=self.habits.copied(),
        )  # fmt: skip

    def _load(self) -> ProbeRecord | None:
        try:
            record = ProbeRecord.model_validate_json(self._path.read_bytes())
            age = datetime.now(UTC) - record.probed_at
        except (OSError, ValidationError, TypeError):
            return None
        same = (record.endpoint, record.model) == (self._endpoint, self._model)
        return record if same and timedelta() <= age <= LONGEST_KEPT else None


_KNOWN: dict[tuple[str, str], Memory] = {}


def recall(endpoint: str, model: str) -> Memory:
    """What this process, or an earlier one, found out about the model at the endpoint."""
    key = (endpoint, model)
    if key not in _KNOWN:
        _KNOWN[key] = Memory(endpoint, model, kept=True)
    return _KNOWN[key]
