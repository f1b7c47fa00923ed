"""The journal of a run as the steps of its workflow: each step holds the sealed lines that were committed together.

DBOS records a step in one transaction with a look at who owns the workflow. A worker that was taken for dead, and
whose run another one continues, can therefore write no line any more: neither that it calls a tool nor an outcome. A
step that is on record already is the other one's: going on from there would do again what that one has done.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping

from dbos import DBOS, DBOSClient
from dbos._error import DBOSBaseException, DBOSWorkflowConflictIDError

from aeon.durable.lease import Lease
from aeon.durable.values import workflow_id
from aeon.errors import JournalError
from aeon.runtime.sealed import sealed, unsealed
from aeon.runtime.seals import sealer
from aeon.runtime.store import FileStore
from aeon.text import one_line

__all__ = ["Past", "StepStore", "Steps", "past_of"]

_BEGUN = b'{"line":"begun",'


class Past:
    """The journal of a run as it is in the database: its ``lines``, and the ``seal`` of the last one.

    ``steps`` is the number of the last step of the latest life.

    Raises:
        JournalError: a line was changed.
        InputFileError: it is sealed with another key.
    """

    def __init__(self, run: str, stored: Iterable[str], steps: int = 0) -> None:
        self.whole = "".join(stored).encode()
        self.lines, torn, self.seal = unsealed(run, self.whole, sealer())
        if torn:
            raise JournalError(f"{run}: the last line in the database is not whole")
        self.steps = steps


def past_of(client: DBOSClient, run: str, lives: int) -> Past:
    """The journal of a run over so many lives. Raises as `Past`."""
    stored: list[str] = []
    last = 0
    for life in range(1, lives + 1):
        steps = client.list_workflow_steps(workflow_id(run, life))
        stored += [str(step["output"]) for step in steps]
        last = max((step["function_id"] for step in steps), default=0)
    return Past(run, stored, last)


class Steps:
    """Where a run's lines last: made and used in its workflow. A `FileStore` commits to it what comes in together.

    ``lost`` is there when the workflow is no longer this worker's: another one has it, or it was cancelled. ``broken``
    says why the database took a line no more, if it did not. ``before`` is called before lines are added.
    """

    def __init__(self, past: Past, before: Callable[[], None] = lambda: None) -> None:
        self._seal = past.seal
        self._before = before
        self._sealer = sealer()
        self.lost: DBOSBaseException | None = None
        self.broken = ""
        if past.steps:
            while DBOS.reserve_step().step_id < past.steps:  # the steps of an earlier attempt keep their numbers
                pass

    def append(self, *lines: bytes) -> None:
        """Add lines as one step; they last when this returns.

        Raises:
            JournalError: they could not be kept.
        """
        seal, parts = self._seal, []
        for line in lines:
            whole, seal = sealed(line, seal, self._sealer)
            parts.append(whole)
        text, written = b"".join(parts).decode(), False

        def give() -> str:
            nonlocal written
            written = True
            return text

        self._before()
        try:
            DBOS.run_step({"name": ", ".join(map(_title, lines))}, give)
            if not written:  # DBOS gives what is on record without a look at who owns the workflow
                raise DBOSWorkflowConflictIDError(str(DBOS.workflow_id))
        except DBOSBaseException as error:
            self.lost = error
            raise JournalError("another worker continues this run, or it was cancelled") from None
        except Exception as error:  # noqa: BLE001 - whatever a driver raises, who waits for the line must hear of it
            self.broken = one_line(str(getattr(error, "orig", None) or error), 200)
            raise JournalError(f"the database takes no more: {self.broken}") from None
        self._seal = seal

    def close(self) -> None:
        """Nothing: the database is the worker's."""


class StepStore(FileStore):
    """Keeps the lines of a journal in steps. A tool that changes the world is called only while the ``lease`` holds.

    After the line that announces the call, the worker may have stood still for so long that another one has the run.
    """

    def __init__(self, steps: Steps, lease: Lease) -> None:
        super().__init__(steps)
        self._steps = steps
        self._lease = lease

    async def append(self, line: bytes) -> None:
        """Add a line; it is in the database when this returns.

        Raises:
            JournalError: it could not be kept, or what it announces must not be done any more.
        """
        await super().append(line)
        if line.startswith(_BEGUN) and not await self._lease.holds():
            self._steps.broken = "this worker stood still, and may have been taken for dead"
            raise JournalError(self._steps.broken)


def _title(line: bytes) -> str:
    """What a line is, for people who look at the steps: ``entry 7 execute``."""
    read: object = json.loads(line)
    assert isinstance(read, Mapping)
    parts = (read.get("line", "opening"), read.get("number"), read.get("phase") or read.get("tool"))
    return " ".join(str(part) for part in parts if part is not None)
