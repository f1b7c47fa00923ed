"""Faulty drivers, modules and programs: each breaks one promise that the simulation has to notice."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable, Iterable

from aeon.asking.asker import Answerer
from aeon.assembly.build import assemble
from aeon.kernel.effects import Batch, Effect, Note, Program
from aeon.multipass.effects import ExecuteStep, InferProfile, Synthesize
from aeon.kernel.phases import run
from aeon.kernel.ports import Modules
from aeon.llm.adapter import LLMAdapter, Permit, freely
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.events import Observer
from aeon.runtime.journal import Journal
from aeon.schema import (
    Answer,
    Capabilities,
    Config,
    LLMRequest,
    LLMResponse,
    Outcome,
    RefinementLimits,
    Result,
    StepResult,
    Task,
    TaskProfile,
    Usage,
)
from aeon.simulation.life import Parts
from aeon.tools.tool import Tool


def _driver(change: Callable[[Journal], None]) -> type[AsyncDriver]:
    """A driver whose journals are changed before it gets them."""

    class Faulty(AsyncDriver):
        def __init__(
            self,
            observers: Iterable[Observer],
            journal: Callable[[], Journal],
            clock: Callable[[], float],
            new_id: Callable[[], str],
        ) -> None:
            def changed() -> Journal:
                made = journal()
                change(made)
                return made

            super().__init__(observers, changed, clock, new_id)

    return Faulty


def _loses_an_entry(journal: Journal) -> None:
    append = journal.append

    def lossy(number: int, effect: Effect, outcome: Outcome) -> None:
        if effect.phase != "validate_plan":
            append(number, effect, outcome)

    journal.append = lossy  # type: ignore[method-assign]


def _notes_no_tool(journal: Journal) -> None:
    journal.begin = lambda number, tool: None  # type: ignore[method-assign]


def _miscounts(journal: Journal) -> None:
    append = journal.append

    def cheaper(number: int, effect: Effect, outcome: Outcome) -> None:
        append(number, effect, outcome.changed(usage=Usage()))

    journal.append = cheaper  # type: ignore[method-assign]


def _modules(change: Callable[[Modules], Modules]) -> Parts:
    """Parts whose modules are changed."""

    def changed(llm: LLMAdapter, tools: Iterable[Tool], config: Config, ask: Answerer | None) -> Modules:
        return change(assemble(llm, tools, config, ask))

    return Parts(assemble=changed)


def _does_steps_twice(modules: Modules) -> Modules:
    async def execute(effect: ExecuteStep) -> StepResult:
        await modules.execute(effect)
        return await modules.execute(effect)

    return modules._replace(execute=execute)


def _remembers(modules: Modules) -> Modules:
    done: list[str] = []

    async def execute(effect: ExecuteStep) -> StepResult:
        result = await modules.execute(effect)
        done.append(effect.step.id)
        return result.changed(output=f"step number {len(done)}")

    return modules._replace(execute=execute)


def _raises(modules: Modules) -> Modules:
    async def profile(effect: InferProfile) -> TaskProfile:
        raise LookupError("of its own")

    return modules._replace(profile=profile)


def _hangs(modules: Modules) -> Modules:
    async def profile(effect: InferProfile) -> TaskProfile:
        await asyncio.Event().wait()
        raise AssertionError

    return modules._replace(profile=profile)


def _says_nothing(modules: Modules) -> Modules:
    async def synthesize(effect: Synthesize) -> Answer:
        return Answer(text="")

    return modules._replace(synthesize=synthesize)


@dataclasses.dataclass
class _Greedy:
    """An endpoint that bills far more calls than it was allowed to make."""

    llm: LLMAdapter

    @property
    def name(self) -> str:
        return self.llm.name

    async def complete(self, request: LLMRequest) -> LLMResponse:
        return await self.llm.complete(request).changed(usage=Usage(calls=500))

    @property
    def free(self) -> bool:
        return self.llm.free

    async def capabilities(self, permit: Permit = freely) -> Capabilities:
        return await self.llm.capabilities(permit)

    async def aclose(self) -> None:
        await self.llm.aclose()


def _overspends(llm: LLMAdapter, tools: Iterable[Tool], config: Config, ask: Answerer | None) -> Modules:
    return assemble(_Greedy(llm), tools, config, ask)


def _rewrites(task: Task, config: Config, execution_id: str) -> Program[Result]:
    """The shipped program, with another output in each step that has run."""
    running = run(task, config, execution_id)
    reply: tuple[Outcome, ...] | None = None
    while True:
        try:
            request = next(running) if reply is None else running.send(reply)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]
        if isinstance(request, Note) and request.plan is not None:
            plan = request.plan
            done = [s.changed(output="edited") for s in plan.steps if s.executed]
            request = request.changed(plan=plan.merge(done))
        reply = yield request


def _goes_on(task: Task, config: Config, execution_id: str) -> Program[Result]:
    """The shipped program, and one effect more when it has ended."""
    result = yield from run(task, config, execution_id)
    yield Batch(effects=(InferProfile(task=task),))
    return result


def _never_ends(task: Task, config: Config, execution_id: str) -> Program[Result]:
    """The same effect over and over."""
    while True:
        yield Batch(effects=(InferProfile(task=task),))


def _refines_too_often(task: Task, config: Config, execution_id: str) -> Program[Result]:
    """The shipped program with larger limits than the run was given."""
    lax = config.changed(limits=RefinementLimits(attempts=99, attempts_per_fragment=99))
    result = yield from run(task, lax, execution_id)
    return Result.of(result.history.changed(configuration=config))


PLANTED: dict[str, tuple[Parts, str, str]] = {
    "loses an entry": (Parts(driver=_driver(_loses_an_entry)), "none", "replay is byte-identical"),
    "miscounts": (Parts(driver=_driver(_miscounts)), "none", "usage is the sum of the entries"),
    "does steps twice": (_modules(_does_steps_twice), "crash_begun", "each side effect happens once"),
    "notes no tool": (Parts(driver=_driver(_notes_no_tool)), "crash_called", "each side effect happens once"),
    "remembers": (_modules(_remembers), "crash_after", "the same bytes as without trouble"),
    "raises": (_modules(_raises), "none", "only errors of the hierarchy"),
    "hangs": (_modules(_hangs), "none", "it ends"),
    "never ends": (Parts(program=_never_ends), "none", "it ends in an answer"),
    "says nothing": (_modules(_says_nothing), "none", "it ends in an answer"),
    "overspends": (Parts(assemble=_overspends), "none", "within its bound"),
    "rewrites": (Parts(program=_rewrites), "bad_judgment", "executed steps never change"),
    "goes on": (Parts(program=_goes_on), "none", "no effect after the end"),
    "refines too often": (Parts(program=_refines_too_often), "bad_judgment,tool_fails", "refinement limits hold"),
}
"""By name: the faulty parts, the faults that bring it to light, and the invariant that it violates."""
