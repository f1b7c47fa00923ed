"""Faulty drivers, handlers and programs: each breaks one promise that the simulation has to notice."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from aeon.assembly.multipass import PLUGIN
from aeon.assembly.plugin import AnyPlugin, Plugin, Services
from aeon.kernel.engine import Run
from aeon.kernel.passes import MULTIPASS
from aeon.kernel.ports import Handlers
from aeon.kernel.table import PassSignals
from aeon.llm.adapter import LLMAdapter, Permit, freely
from aeon.multipass.effects import InferProfile, PassNote, Synthesize, TakeTurn, UseTool, ValidateResults
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.events import Observer
from aeon.runtime.journal import Journal
from aeon.runtime.ledger import Ledger, current_ledger
from aeon.runtime.telling import Telling
from aeon.schema import (
    Capabilities,
    Config,
    LLMRequest,
    LLMResponse,
    Outcome,
    Plan,
    Result,
    SemanticValidationReport,
    TaskProfile,
    Turn,
    Usage,
)
from aeon.schema.effects import Batch, Effect, Program
from aeon.simulation.life import Parts
from aeon.supervisor.prompt import Prompt
from simulation.second import SECOND, Line, SecondSettings, Write

MultipassRun = Run[Config, PassSignals]


def _driver(change: Callable[[Journal], None]) -> Parts:
    """Parts whose driver gets changed journals."""

    class Faulty(AsyncDriver):
        def __init__(
            self,
            observers: Iterable[Observer],
            journal: Callable[[str], Journal],
            clock: Callable[[], float],
            new_id: Callable[[], str],
        ) -> None:
            def changed(execution_id: str) -> Journal:
                made = journal(execution_id)
                change(made)
                return made

            super().__init__(observers, changed, clock, new_id)

    return Parts(driver=Faulty)


def _loses_an_entry(journal: Journal) -> None:
    append = journal.append

    async def lossy(number: int, effect: Effect, outcome: Outcome) -> int:
        return journal.line if effect.phase == "validate_plan" else await append(number, effect, outcome)

    journal.append = lossy  # type: ignore[method-assign]


def _notes_no_tool(journal: Journal) -> None:
    async def begin(number: int, tool: str) -> None:
        pass

    journal.begin = begin  # type: ignore[method-assign]


def _notes_no_call(journal: Journal) -> None:
    async def call(number: int, most: Usage) -> None:
        pass

    journal._call = call  # type: ignore[method-assign]


def _miscounts(journal: Journal) -> None:
    append = journal.append

    async def cheaper(number: int, effect: Effect, outcome: Outcome) -> int:
        return await append(number, effect, outcome.changed(usage=Usage()))

    journal.append = cheaper  # type: ignore[method-assign]


def _forgets_tools(journal: Journal) -> None:
    journal.begun.clear()


def _forgets_what_was_lost(journal: Journal) -> None:
    journal.lost.clear()


def _handlers(change: Callable[[Handlers, Services[Any]], dict[str, Any]], plugin: AnyPlugin = PLUGIN) -> Parts:
    """Parts with other handlers for some phases."""

    def changed(services: Services[Any]) -> Handlers:
        made = plugin.handlers(services)
        return {**made, **change(made, services)}

    return Parts(Plugin(plugin.engine, changed))


def _calls_twice(handlers: Handlers, _: Services[Config]) -> dict[str, Any]:
    async def use(effect: UseTool) -> object:
        await handlers["use_tool"](effect)
        return await handlers["use_tool"](effect)

    return {"use_tool": use}


def _remembers(handlers: Handlers, _: Services[Config]) -> dict[str, Any]:
    done: list[str] = []

    async def turn(effect: TakeTurn) -> object:
        said = await handlers["turn"](effect)
        done.append(effect.step.id)
        assert isinstance(said, Turn)
        text = f"turn number {len(done)}"
        current_ledger().retell(text)
        return said.changed(text=text)

    return {"turn": turn}


def _tells_more(handlers: Handlers, _: Services[Config]) -> dict[str, Any]:
    async def turn(effect: TakeTurn) -> object:
        said = await handlers["turn"](effect)
        telling = current_ledger().telling
        if telling is not None and telling.begun:
            telling.add(" and more")
        return said

    return {"turn": turn}


def _tells_no_beginning(handlers: Handlers, _: Services[Config]) -> dict[str, Any]:
    class Endless(Telling):
        __slots__ = ()

        def begin(self) -> None:
            pass

    async def turn(effect: TakeTurn) -> object:
        if (telling := current_ledger().telling) is not None:
            telling.__class__ = Endless
        return await handlers["turn"](effect)

    return {"turn": turn}


def _raises(_: Handlers, __: Services[Config]) -> dict[str, Any]:
    async def profile(effect: InferProfile) -> TaskProfile:
        raise LookupError("of its own")

    return {"profile": profile}


def _hangs(_: Handlers, __: Services[Config]) -> dict[str, Any]:
    async def profile(effect: InferProfile) -> TaskProfile:
        await asyncio.Event().wait()
        raise AssertionError

    return {"profile": profile}


def _says_nothing(_: Handlers, __: Services[SecondSettings]) -> dict[str, Any]:
    async def final(effect: Effect) -> Line:
        return Line(text=" ")

    return {"final": final}


@dataclass
class _Through:
    """An endpoint that goes through another one."""

    llm: LLMAdapter

    @property
    def name(self) -> str:
        return self.llm.name

    @property
    def free(self) -> bool:
        return self.llm.free

    async def complete(self, request: LLMRequest) -> LLMResponse:
        return await self.llm.complete(request)

    async def capabilities(self, permit: Permit = freely) -> Capabilities:
        return await self.llm.capabilities(permit)

    async def aclose(self) -> None:
        await self.llm.aclose()


class _Greedy(_Through):
    """It bills far more calls than it was allowed to make."""

    async def complete(self, request: LLMRequest) -> LLMResponse:
        return (await self.llm.complete(request)).changed(usage=Usage(calls=500))


class _Free(_Through):
    """It bills nothing."""

    async def complete(self, request: LLMRequest) -> LLMResponse:
        return (await self.llm.complete(request)).changed(usage=Usage())


def _endpoint(kind: type[_Through]) -> Parts:
    """Parts whose endpoint is one of that kind."""

    def through(services: Services[Config]) -> Handlers:
        return PLUGIN.handlers(Services.of(services.config, kind(services.adapter), services.tools))

    return Parts(Plugin(PLUGIN.engine, through))


class _Careless(Ledger):
    """It reserves nothing for the calls that are under way."""

    __slots__ = ()

    async def admit(self, most: Usage) -> None:
        self.check(most)

    def settle(self, most: Usage, actual: Usage) -> None:
        self.charge(actual)


def _reserves_nothing(_: Handlers, services: Services[SecondSettings]) -> dict[str, Any]:
    async def write(effect: Write) -> Line:
        """Six calls at once, though only so many may be made."""
        current_ledger().__class__ = _Careless
        prompts = (services.briefing.prompt(effect.task, f"{number}: {effect.about}") for number in range(6))
        await asyncio.gather(*map(text, prompts), return_exceptions=True)
        return Line(text="six")

    async def text(prompt: Prompt) -> None:
        await services.supervisor.text(prompt, max_tokens=64)

    return {"write": write}


def _program(program: Callable[[MultipassRun], Program[Result]]) -> Parts:
    """Parts with another program of the multi-pass engine."""
    return Parts(Plugin(replace(MULTIPASS, program=program), PLUGIN.handlers))


def _rewrites(run: MultipassRun) -> Program[Result]:
    """The shipped program, with another output in each step that has run."""
    running = MULTIPASS.program(run)
    reply: tuple[Outcome, ...] | None = None
    while True:
        try:
            request = next(running) if reply is None else running.send(reply)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]
        if isinstance(request, PassNote) and request.plan is not None:
            plan = request.plan
            done = [s.changed(output="edited") for s in plan.steps if s.executed]
            request = request.changed(plan=plan.merge(done))
        reply = yield request


def _goes_on(run: MultipassRun) -> Program[Result]:
    """The shipped program, and one effect more when it has ended."""
    result = yield from MULTIPASS.program(run)
    yield Batch(effects=(InferProfile(task=run.task),))
    return result


def _vouches(run: MultipassRun) -> Program[Result]:
    """The shipped program, which says of every answer that it is good enough."""
    result = yield from MULTIPASS.program(run)
    return result.changed(sufficient=True)


def _never_ends(run: MultipassRun) -> Program[Result]:
    """The same effect over and over."""
    while True:
        yield Batch(effects=(InferProfile(task=run.task),))


def _refines_too_often(run: MultipassRun) -> Program[Result]:
    """The shipped program with larger limits than the run was given."""
    given = run.config
    run.config = given.changed(limits=given.limits.changed(attempts=99, attempts_per_fragment=99))
    result = yield from MULTIPASS.program(run)
    return Result.of(result.history.changed(configuration=given))


def _plans_of_any_size(run: MultipassRun) -> Program[Result]:
    """The shipped program, which lets plans grow beyond the steps that the run was given."""
    given = run.config
    run.config = given.changed(limits=given.limits.changed(total_steps=1_000))
    result = yield from MULTIPASS.program(run)
    return Result.of(result.history.changed(configuration=given))


def _drops_reports(run: MultipassRun) -> Program[Result]:
    """The shipped program, which hears of no report on results."""
    running = MULTIPASS.program(run)
    reply: tuple[Outcome, ...] | None = None
    while True:
        try:
            request = next(running) if reply is None else running.send(reply)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]
        reply = yield request
        if isinstance(request, Batch) and isinstance(request.effects[0], ValidateResults) and reply:
            reply = (reply[0].changed(value=SemanticValidationReport()),)


def _answers_twice(run: MultipassRun) -> Program[Result]:
    """The shipped program, which had its answer made before, without the run's being charged."""
    yield Batch(effects=(Synthesize(task=run.task, plan=Plan(), allowance=run.allow("synthesize", final=True)),))
    return (yield from MULTIPASS.program(run))


PLANTED: dict[str, tuple[Parts, str, str]] = {
    "loses an entry": (_driver(_loses_an_entry), "none", "replay is byte-identical"),
    "miscounts": (_driver(_miscounts), "none", "usage is the sum of the entries"),
    "calls twice": (_handlers(_calls_twice), "crash_begun", "each side effect happens once"),
    "notes no tool": (_driver(_notes_no_tool), "none", "nothing is done before it is on record"),
    "forgets tools": (_driver(_forgets_tools), "crash_called", "each side effect happens once"),
    "notes no call": (_driver(_notes_no_call), "none", "nothing is done before it is on record"),
    "forgets what was lost": (_driver(_forgets_what_was_lost), "interrupt", "whatever was used is counted"),
    "charges no call": (_endpoint(_Free), "none", "whatever was used is counted"),
    "charges no effect": (_program(_answers_twice), "none", "whatever was used is counted"),
    "reserves nothing": (_handlers(_reserves_nothing, SECOND), "budget_calls", "within its bound"),
    "remembers": (_handlers(_remembers), "crash_after", "the same bytes as without trouble"),
    "tells more": (_handlers(_tells_more), "none", "a text that is told is the one that is taken"),
    "begins no text": (_handlers(_tells_no_beginning), "retried", "a text that is told is the one that is taken"),
    "raises": (_handlers(_raises), "none", "only errors of the hierarchy"),
    "hangs": (_handlers(_hangs), "none", "it ends"),
    "vouches for anything": (_program(_vouches), "none", "a good answer stands"),
    "never ends": (_program(_never_ends), "none", "it ends in an answer"),
    "says nothing": (_handlers(_says_nothing, SECOND), "none", "it ends in an answer"),
    "overspends": (_endpoint(_Greedy), "none", "within its bound"),
    "rewrites": (_program(_rewrites), "bad_judgment", "executed steps never change"),
    "goes on": (_program(_goes_on), "none", "no effect after the end"),
    "plans of any size": (_program(_plans_of_any_size), "bad_judgment,steps=1", "refinement limits hold"),
    "drops reports": (_program(_drops_reports), "none", "no report is dropped"),
    "refines too often": (_program(_refines_too_often), "bad_judgment,tool_fails", "refinement limits hold"),
}
"""By name: the faulty parts, the faults that bring it to light, and the invariant that it violates."""
