"""Who has the runs of a server, as routes see it: accepts, finds, reads, streams, stops, answers and forks them."""

from __future__ import annotations

import asyncio
import hashlib
import json
import uuid
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from aeon.assembly.noting import ModelCall
from aeon.assembly.registry import plugin_of
from aeon.errors import AeonError
from aeon.llm.local import Local
from aeon.runtime.journal import Journal
from aeon.schema import Bound, JsonObject
from aeon.server.bodies import ForkBody, TaskBody
from aeon.server.equipment import Equipment, Order
from aeon.server.metrics import Metrics
from aeon.server.problems import Problem, problem_of
from aeon.server.runs import OPEN, RunRecord, RunState
from aeon.server.told import Place, Told

__all__ = ["Host", "accepted", "branched", "fork_digest", "no_past", "not_begun", "queue_full", "same"]


class Host(ABC):
    """Has runs, and says what becomes of them. ``problem`` says why no run can start, ``closing`` that it stops."""

    def __init__(self, equipment: Equipment, metrics: Metrics | None = None) -> None:
        self.equipment = equipment
        self.metrics = metrics or Metrics()
        self.ready = False
        self.problem: Problem | None = None
        self.closing = False

    async def make_ready(self) -> None:
        """Load the model, so that the first run does not wait for it; ``problem`` says why it cannot be."""
        try:
            if isinstance(self.equipment.model, Local):
                await asyncio.to_thread(self.equipment.model.load)
            self.ready = True
        except AeonError as error:
            self.problem = problem_of(error)

    @property
    def obstacle(self) -> Problem | None:
        """Why no run can start now."""
        return self.problem

    @property
    @abstractmethod
    def place(self) -> str:
        """Where its files are: a path that no answer may hold."""

    @property
    def hidden(self) -> dict[str, str]:
        """Paths of the server, each with what stands for it in answers."""
        return {self.place: "runs", **self.equipment.hidden}

    def hide(self, text: str) -> str:
        """The text, or JSON, without paths of the server."""
        for path, name in self.hidden.items():
            text = text.replace(path, name) if path in text else text
        return text

    @property
    @abstractmethod
    def busy(self) -> tuple[int, int]:
        """How many runs it works on itself, and how many wait."""

    @abstractmethod
    async def start(self) -> None:
        """Begin, or go on with what it had when it ended."""

    @abstractmethod
    def close_streams(self) -> None:
        """End all streams, and start nothing more: the server is going."""

    @abstractmethod
    async def close(self) -> None:
        """Let go of every run; it is continued later."""

    @abstractmethod
    async def submit(self, record: RunRecord, order: Order, most: int | None = None) -> RunRecord:
        """Accept a new run, or give the one whose idempotency key it has. It is kept when this returns.

        ``most`` is how many model calls the owner's runs may make in all.

        Raises:
            Problem: there is no room, the key was used for something else, or it cannot be written.
        """

    @abstractmethod
    async def fork(
        self, record: RunRecord, body: ForkBody, key: str | None = None, most: int | None = None
    ) -> RunRecord:
        """Give a run another future, as a run of its own; ``most`` as for `submit`.

        Raises:
            Problem: the run has not begun, or as `submit`.
            AeonError: the fork is not possible; says why.
        """

    @abstractmethod
    async def find(self, name: str) -> RunRecord | None:
        """The run of that id."""

    @abstractmethod
    async def page(self, owner: str, most: int, before: int | None, state: RunState | None) -> list[RunRecord]:
        """The latest runs of an owner, newest first, before the place ``before`` in the list."""

    @abstractmethod
    async def position(self, record: RunRecord) -> int | None:
        """How many runs are started before this one; ``None`` if it does not wait."""

    @abstractmethod
    async def over(self, name: str) -> RunRecord:
        """The run when it does no more: it is over, waits for an answer, or the server stops."""

    @abstractmethod
    async def cancel(self, record: RunRecord, now: bool = False) -> None:
        """Ask a run to stop; one that waits, in the queue or for an answer, is over at once.

        The run ends with what there is, in words; ``now``, also after it was asked, breaks off the wording too.

        Raises:
            Problem: it is over, or was asked already.
        """

    @abstractmethod
    async def answer(self, record: RunRecord, said: str) -> None:
        """Answer the question that a run waits for, and continue it.

        Raises:
            Problem: it waits for no answer, or what was said is none.
        """

    @abstractmethod
    async def resume(self, record: RunRecord) -> None:
        """Continue a run that was broken off: by an endpoint that cannot be used, a full disk, an interrupt.

        Raises:
            Problem: it is under way, or there is nothing left to do.
        """

    @abstractmethod
    def kept(self, record: RunRecord) -> AbstractAsyncContextManager[Path]:
        """The journal of a run as a file, while it is entered.

        Raises:
            Problem: it has not begun, or its journal was taken away.
        """

    @abstractmethod
    async def told(self, record: RunRecord) -> Sequence[Told]:
        """The events of a run that are on record."""

    @abstractmethod
    def follow(self, record: RunRecord, after: Place | None) -> AsyncIterator[bytes] | None:
        """What a stream of a run that is not at rest sends, from the event behind ``after`` on; ``None`` of another."""

    @abstractmethod
    async def calls(self, record: RunRecord, number: int) -> tuple[ModelCall, ...]:
        """The model calls for an effect; none where nothing was noted of it."""


def accepted(
    owner: str, body: TaskBody, order: Order, key: str | None, kind: str, about: JsonObject | None
) -> RunRecord:
    """A new run as a request asks for it, with the model calls that it may make.

    ``kind`` is the kind of request, ``about`` what another API keeps of it.
    """
    request: JsonObject = TaskBody.model_validate(
        {name: getattr(body, name) for name in TaskBody.model_fields}
    ).model_dump(mode="json")
    text = json.dumps({"kind": kind, "request": request, "about": about}, sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()
    record = RunRecord.new(uuid.uuid4().hex, owner, order.plugin.engine.name, request, key, digest, None)
    bound: Bound = order.plugin.engine.bound(order.config)
    return record._replace(about=about, calls=bound.calls)


def branched(parent: RunRecord, key: str | None, digest: str, made: Journal) -> RunRecord:
    """A new run that is another future of one, with the model calls that it may make."""
    engine = plugin_of(made).engine
    bound: Bound = engine.bound(made.config(engine.config))
    name = made.opened.execution_id
    new = RunRecord.new(name, parent.owner, parent.engine, parent.request, key, digest, parent.id)
    return new._replace(calls=bound.calls)


def fork_digest(record: RunRecord, body: ForkBody) -> str:
    """The hash of what a fork asks for."""
    return hashlib.sha256(f"fork:{record.id}:{body.model_dump_json()}".encode()).hexdigest()


def same(digest: str, there: RunRecord) -> RunRecord:
    """The run that an idempotency key names, if the same was asked for.

    Raises:
        Problem: something else was.
    """
    if there.digest != digest:
        raise Problem(422, "key_reused", "the Idempotency-Key was used for another request; choose a new one")
    return there


def queue_full(waiting: int) -> Problem:
    """Why no more runs are accepted now."""
    return Problem(503, "queue_full", f"{waiting:,} runs wait already; try again later", True, {"Retry-After": "30"})


def no_past() -> Problem:
    """Why a run cannot be forked yet."""
    return Problem(409, "not_begun", "the run has not begun, so that nothing is there to fork; wait for it")


def not_begun(record: RunRecord) -> Problem:
    """Why there is no journal of a run."""
    if record.state in OPEN:
        return Problem(409, "not_begun", "the run has not begun; try again", True, {"Retry-After": "1"})
    return Problem(410, "gone", "nothing is on record of this run: it never began, or its journal was taken away")
