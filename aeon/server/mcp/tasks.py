"""Calls that are worked on while nobody waits for them: tasks, which clients ask for by their ids.

A task under way lives in this process. One that has ended is a file, so that a later process can still tell how.
"""

from __future__ import annotations

import asyncio
import logging
import math
import secrets
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import ValidationError

from aeon.replacing import put
from aeon.schema import Frozen, JsonObject
from aeon.server.mcp.shapes import Asked, is_id
from aeon.server.problems import Problem
from aeon.text import one_line

__all__ = ["Outcome", "TaskState", "TaskStatus", "Tasks", "UnderWay"]

_SHORTEST_MS, _LONGEST_MS = 600_000, 86_400_000
"""How long a task is kept after its creation: at least, and at most. A client that names no time gets the most."""
_MOST_OPEN, _MOST_ENDED = 32, 100
_INTERNAL = -32603
_log = logging.getLogger("aeon.server")

TaskStatus = Literal["working", "input_required", "completed", "failed", "cancelled"]
_ENDED: tuple[TaskStatus, ...] = ("completed", "failed", "cancelled")


class Outcome(NamedTuple):
    """What a call comes to: its result, or the error of the protocol that it is answered with, as JSON."""

    result: JsonObject | None = None
    error: JsonObject | None = None


class TaskState(Frozen):
    """A task as it stands; ``created`` and ``updated`` in seconds since 1970, ``ttl`` in milliseconds from ``created``.

    With the status ``input_required`` it has a question, ``asked``, and its ``key``, which no other question of the
    task has. ``result`` and ``error`` are those of its `Outcome`.
    """

    version: Literal[1] = 1
    id: str
    status: TaskStatus = "working"
    message: str = ""
    created: float
    updated: float
    ttl: int
    key: str = ""
    asked: Asked | None = None
    result: JsonObject | None = None
    error: JsonObject | None = None

    @property
    def ended(self) -> bool:
        """Whether it stays as it is."""
        return self.status in _ENDED

    @property
    def expires(self) -> float:
        """When it is forgotten, in seconds since 1970."""
        return self.created + self.ttl / 1000


class UnderWay:
    """A task in this process: what works on it tells and asks here, and who waits for it waits here."""

    def __init__(self, owner: str, ttl: int, clock: Callable[[], float]) -> None:
        now = clock()
        self.owner = owner
        self.state = TaskState(id=secrets.token_hex(16), created=now, updated=now, ttl=ttl)
        self.job: asyncio.Task[None] | None = None
        self.kept = asyncio.Event()
        self._clock = clock
        self._changed = asyncio.Event()
        self._answer: asyncio.Future[str | None] | None = None
        self._questions = 0
        self._asks = True

    def told(self, text: str) -> None:
        """Note what it begins to do."""
        if self.state.status == "working":
            self.state = self.state.changed(message=one_line(text, 200), updated=self._clock())

    async def ask(self, asked: Asked) -> str | None:
        """Put a question, and give the answer; ``None`` where it is declined, or the task's time is over."""
        if not self._asks:
            return None
        self._questions += 1
        self._answer = asyncio.get_running_loop().create_future()
        self._become("input_required", asked.text, key=f"question-{self._questions}", asked=asked)
        try:
            return await asyncio.wait_for(self._answer, max(self.state.expires - self._clock(), 0))
        except TimeoutError:
            return None
        finally:
            self._become("working", "", key="", asked=None)

    def answer(self, key: str, text: str | None) -> None:
        """Answer the question with this key, or decline it with ``None``; another key is ignored."""
        if key == self.state.key and self._answer is not None and not self._answer.done():
            self._answer.set_result(text)

    def decline(self) -> None:
        """Decline the question that it has, and each that it would put."""
        self._asks = False
        self.answer(self.state.key, None)

    def end(self, status: TaskStatus, outcome: Outcome, message: str = "") -> None:
        """End it, if it has not ended. It is kept for a while from then on, however long it took."""
        passed = round((self._clock() - self.state.created) * 1000)
        ttl = max(self.state.ttl, passed + _SHORTEST_MS)
        self._become(status, message, key="", asked=None, ttl=ttl, result=outcome.result, error=outcome.error)

    async def told_of(self) -> TaskState:
        """How it stands; that it has ended is told as soon as that is kept, so that it stays true whatever comes."""
        if self.state.ended:
            await self.kept.wait()
        return self.state

    async def changed(self, since: TaskState) -> None:
        """Wait until it has another status, or another question, than then."""
        while (self.state.status, self.state.key) == (since.status, since.key):
            await self._changed.wait()

    def _become(self, status: TaskStatus, message: str, **fields: object) -> None:
        if self.state.ended:
            return
        self.state = self.state.changed(status=status, message=one_line(message, 200), updated=self._clock(), **fields)
        event, self._changed = self._changed, asyncio.Event()
        event.set()


class Tasks:
    """The tasks of a server. ``folder`` says where those of an owner are kept when they have ended."""

    def __init__(self, folder: Callable[[str], Path], clock: Callable[[], float] = time.time) -> None:
        self.clock = clock
        self._folder = folder
        self._open: dict[str, UnderWay] = {}

    async def begin(self, owner: str, ttl: int | None, work: Callable[[UnderWay], Awaitable[Outcome]]) -> TaskState:
        """Begin to work, and give the task of it. ``ttl``, in milliseconds, is kept within what is allowed.

        Raises:
            Problem: the owner has too many tasks that have not ended.
        """
        await asyncio.to_thread(self._prune, owner)
        self._forget()
        if sum(one.owner == owner and not one.state.ended for one in self._open.values()) >= _MOST_OPEN:
            raise Problem(429, "too_many", f"{_MOST_OPEN} tasks have not ended: wait for one, or cancel one", True)
        limited = _LONGEST_MS if ttl is None else min(max(ttl, _SHORTEST_MS), _LONGEST_MS)
        task = UnderWay(owner, limited, lambda: self.clock())
        self._open[task.state.id] = task
        task.job = asyncio.create_task(self._worked(task, work))
        return task.state

    async def state(self, owner: str, name: str) -> TaskState:
        """The task of an owner.

        Raises:
            Problem: there is none by this id, it is another owner's, or its time is over.
        """
        task = self._open.get(name)
        state = await task.told_of() if task is not None and task.owner == owner else None
        if state is None:
            state = await asyncio.to_thread(self._read, owner, name)
        if state is None or (state.ended and state.expires <= self.clock()):
            raise Problem(404, "unknown_task", "there is no such task, or its time is over")
        return state

    def under_way(self, owner: str, name: str) -> UnderWay | None:
        """The task of an owner, if it is of this process and has not ended."""
        task = self._open.get(name)
        return task if task is not None and task.owner == owner and not task.state.ended else None

    async def cancel(self, owner: str, name: str) -> TaskState:
        """Cancel a task, which interrupts its run; one that has ended stays as it is. Raises as `state`."""
        task = self.under_way(owner, name)
        if task is None:
            return await self.state(owner, name)
        task.end("cancelled", Outcome(), "cancelled by the client")
        if task.job is not None:
            task.job.cancel()
        await self._keep(task)
        return task.state

    async def of(self, owner: str) -> list[TaskState]:
        """All tasks of an owner, the oldest first."""
        own = {one.state.id: await one.told_of() for one in [*self._open.values()] if one.owner == owner}
        kept = await asyncio.to_thread(self._all_read, owner)
        return sorted({**kept, **own}.values(), key=lambda one: one.created)

    def decline(self) -> None:
        """Decline all questions, also later ones: the runs wait, and their tasks end with that."""
        for task in self._open.values():
            task.decline()

    async def settle(self, seconds: float) -> None:
        """Wait until all tasks have ended, for so long at most."""
        jobs = {one.job for one in self._open.values() if one.job is not None}
        if jobs:
            await asyncio.wait(jobs, timeout=seconds)

    async def _worked(self, task: UnderWay, work: Callable[[UnderWay], Awaitable[Outcome]]) -> None:
        try:
            outcome = await work(task)
        except Exception as error:  # noqa: BLE001 - else whoever asks for it would wait for ever
            _log.error("a task failed", exc_info=error)
            outcome = Outcome(error={"code": _INTERNAL, "message": "the server could not finish this task"})
        task.end("failed" if outcome.result is None else "completed", outcome)
        await self._keep(task)

    async def _keep(self, task: UnderWay) -> None:
        """Keep a task that has ended as a file; where that cannot be written, it stays in memory."""
        try:
            with suppress(OSError):
                await asyncio.to_thread(self._write, task.owner, task.state)
                self._open.pop(task.state.id, None)
        finally:
            task.kept.set()

    def _forget(self) -> None:
        """Forget ended tasks that no file could take: those whose time is over, and all but the latest."""
        ended = [(one.state.updated, name) for name, one in self._open.items() if one.state.ended]
        over = {name for name, one in self._open.items() if one.state.ended and one.state.expires <= self.clock()}
        for name in over | {name for _, name in sorted(ended)[:-_MOST_ENDED]}:
            del self._open[name]

    def _write(self, owner: str, state: TaskState) -> None:
        folder = self._folder(owner)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        put(folder / f"{_digits(math.ceil(state.expires))}-{state.id}.json", state.model_dump_json())

    def _read(self, owner: str, name: str) -> TaskState | None:
        if not is_id(name):
            return None
        return next(filter(None, map(_of_file, self._folder(owner).glob(f"*-{name}.json"))), None)

    def _all_read(self, owner: str) -> dict[str, TaskState]:
        self._prune(owner)
        found = filter(None, map(_of_file, self._folder(owner).glob("*-*.json")))
        return {state.id: state for state in found}

    def _prune(self, owner: str) -> None:
        """Forget the tasks of an owner whose time is over, and of the others all but the latest."""
        files = sorted(self._folder(owner).glob("*-*.json"), key=_written)
        over = [file for file in files if file.name.partition("-")[0] <= _digits(self.clock())]
        for file in {*over, *files[:-_MOST_ENDED]}:
            file.unlink(missing_ok=True)


def _written(file: Path) -> float:
    """When a task ended, whose file is written then; 0 of a file that is gone."""
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0


def _digits(seconds: float) -> str:
    """The seconds when a task expires as the first part of its file's name, which is ordered as they are."""
    return f"{int(seconds):012}"


def _of_file(path: Path) -> TaskState | None:
    """The task that a file holds; a file that is torn, of another version or gone holds none."""
    try:
        return TaskState.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None
