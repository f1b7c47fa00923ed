"""A run that takes several processes: its world answers each effect by what it is, whoever asks and however often."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from kernel.world import CONVERGED, NOT_YET, World, add, found, step

from aeon.kernel.passes import MULTIPASS
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.journal import Journal
from aeon.runtime.replay import drop_after, resume_point
from aeon.runtime.sealed import SealedFile
from aeon.runtime.store import Store
from aeon.schema import (
    Config,
    Failure,
    Plan,
    Question,
    Refinement,
    Reply,
    Result,
    StepResult,
    TaskProfile,
    Usage,
    Value,
)
from aeon.schema.effects import Effect
from runtime.handlers import Handler, job

WHICH = Question(text="Which year?", options=("2025", "2026"), default="2026")
PASSES = Config(max_passes=3)


class Crash(BaseException):
    """The process is gone."""


def _refined(effect: Effect, _: int) -> Value:
    if effect.may_ask and not effect.task.clarifications:
        return Refinement(question=WHICH)
    return add(step(f"more{len(effect.plan.steps)}"))


def _executed(effect: Effect, _: int) -> Value:
    if effect.step.id == "b":
        return Failure(kind="tool", message="no such row")
    return StepResult(output=f"out of {effect.step.id} in {len(effect.task.clarifications)}")


def world(**replies: object) -> World:
    """A branching plan, a step that fails, a question, and refinements before and after the passes."""
    said: dict[str, object] = {
        "profile": TaskProfile(reasoning_depth=3, ambiguity=0.9, rationale="no year is given"),
        "plan": Plan(steps=(step("a"), step("b"), step("c", "a"), step("d", "a", "c"))),
        "refine_plan": _refined,
        "execute": _executed,
        "validate_results": lambda effect, _: found(effect.executed[0]),
        "assess": lambda effect, _: CONVERGED if len(effect.plan.steps) > 5 else NOT_YET,
        "ask": Reply(text="1066"),
    }
    return World(**(said | replies))  # type: ignore[arg-type]


class Striking:
    """Keeps lines in a file until, at the line ``number`` (counted from 0), the process is gone."""

    def __init__(self, path: Path, number: int, after: bool) -> None:
        self._file = SealedFile.create(path)
        self._left = number
        self._after = after

    async def append(self, line: bytes) -> None:
        """Add a line, or be gone before or after that."""
        self.append_now(line)

    def append_now(self, line: bytes) -> None:
        """The same outside an event loop."""
        self._left -= 1
        if self._left < -1 or (self._left < 0 and not self._after):
            raise Crash
        self._file.append(line)
        if self._left < 0:
            raise Crash

    def close(self) -> None:
        """The system does this for a process that is gone."""
        self._file.close()


def lived(
    journal: Journal | Path | Store,
    answered: World,
    config: Config = PASSES,
    clock: Callable[[], float] = lambda: 0.0,
    observers: tuple[Callable[[object], None], ...] = (),
    **handlers: Handler,
) -> Result:
    """A run in one process, from its beginning."""
    if isinstance(journal, Path):
        journal = Journal(journal)
    kept = journal if isinstance(journal, Journal) else Journal(store=journal)
    driver = AsyncDriver(observers, lambda execution_id: kept, clock, new_id=lambda: "run-1")
    return driver.execute(job(answered, config, **handlers))


def went_on(
    journal: Journal | Path,
    answered: World,
    clock: Callable[[], float] = lambda: 0.0,
    **handlers: Handler,
) -> Result:
    """The same run, continued by another process."""
    kept = Journal.reopen(journal) if isinstance(journal, Path) else journal
    try:
        drop_after(kept, resume_point(kept, MULTIPASS))
        again = replace(job(answered, kept.first_config(Config), **handlers), task=kept.opened.task)
        return AsyncDriver((), lambda execution_id: kept, clock).execute(again)
    finally:
        kept.close()


def counted(journal: Journal) -> list[str]:
    """The entries that count, as JSON, without what was spent in vain before them."""
    return [entry.changed(lost=Usage()).model_dump_json() for _, entry in sorted(journal.entries.items())]
