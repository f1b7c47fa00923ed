"""What a run costs over all its lives: the bound holds for what the world counted, and everything is in the result."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from aeon.assembly.build import build, resumption
from aeon.errors import JournalError, RequestRefused, Waiting
from aeon.kernel.decide import Signals
from aeon.kernel.engine import Engine, Halt, Run
from aeon.kernel.ports import Job
from aeon.llm.scripted import Scripted
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.journal import Journal
from aeon.runtime.ledger import current_ledger
from aeon.runtime.replay import drop_after, replay, resume_point
from aeon.schema import (
    Answer,
    Budget,
    Caps,
    Conclusion,
    Config,
    LLMRequest,
    LLMResponse,
    Question,
    Reply,
    Settings,
    Task,
    Usage,
    Value,
)
from aeon.schema.effects import AskUser, EffectOf, Program
from aeon.testing.obliging import oblige

TASK = "What is 240 * 0.45?"


class Interrupted:
    """An obliging model that has the run interrupted in the call after every ``quiet`` calls; ``calls`` counts them."""

    def __init__(self, quiet: int) -> None:
        self._llm = Scripted(oblige)
        self.quiet, self.calls, self.left = quiet, 0, quiet
        self.interrupt: Callable[[], None] = lambda: None

    def __getattr__(self, name: str) -> object:
        return getattr(self._llm, name)

    async def complete(self, request: LLMRequest) -> LLMResponse:
        """The obliging answer, unless it is time for an interrupt: then there is none."""
        self.calls += 1
        self.left -= 1
        if self.left < 0:
            self.left = self.quiet
            self.interrupt()
            await asyncio.sleep(60)
        return await self._llm.complete(request)


@pytest.mark.requirement("K12", "X3", "K12a")
@pytest.mark.parametrize("quiet", range(4))
def test_five_interrupts_make_no_more_calls_than_the_budget_has(tmp_path: Path, quiet: int) -> None:
    """What an interrupt broke off was spent: the lives of a run share one budget, and the result says it all."""
    path, llm, config = tmp_path / "run.jsonl", Interrupted(quiet), Config(budget=Budget(calls=9))
    first = build(llm=llm, config=config, journal=lambda _: Journal(path))
    llm.interrupt = first.driver.interrupt
    result = first.execute(TASK)
    for _ in range(5):
        life = resumption(Journal.reopen(path), llm)
        llm.interrupt = life.driver.interrupt
        result = life.execute()
    assert llm.calls <= 9
    assert result.usage.calls + result.lost.calls >= llm.calls
    assert result.usage.calls + result.lost.calls <= result.bound.calls == 9
    assert replay(Journal.read(path), life.job.engine) == result


@pytest.mark.requirement("K12", "X3")
def test_an_effect_that_lost_calls_still_has_its_own_where_the_run_has_them_to_spare(tmp_path: Path) -> None:
    """Without a budget, a run that was interrupted three times in one effect ends as one that never was."""
    path, llm = tmp_path / "run.jsonl", Interrupted(1)
    first = build(llm=llm, journal=lambda _: Journal(path))
    llm.interrupt = first.driver.interrupt
    first.execute(TASK)
    for _ in range(3):
        llm.left = 0
        life = resumption(Journal.reopen(path), llm)
        llm.interrupt = life.driver.interrupt
        life.execute()
    llm.left = 1_000
    result = resumption(Journal.reopen(path), llm).execute()
    undisturbed = build(llm=Scripted(oblige)).execute(TASK)
    assert result.lost.calls > 0 and result.usage == undisturbed.usage
    assert (result.answer, result.stop_reason, result.degraded) == (
        undisturbed.answer, undisturbed.stop_reason, undisturbed.degraded
    )  # fmt: skip


class Said(Value):
    """What a handler gives."""

    text: str = ""


class Say(EffectOf[Said]):
    """Says something."""

    phase = "say"
    number: int = 0


class SayCaps(Caps):
    """One call for each."""

    say: int = 1


class SaySettings(Settings):
    """The usual settings."""

    caps: SayCaps = SayCaps()


Saying: TypeAlias = Engine[SaySettings, Signals, Conclusion]


def saying(program: Callable[[Run[SaySettings, Signals]], Program[None]]) -> Saying:
    """An engine that ends when this program does."""

    def whole(run: Run[SaySettings, Signals]) -> Program[Conclusion]:
        try:
            yield from program(run)
            decision = run.decide()
        except Halt as halt:
            decision = halt.decision
        answer = yield from run.final(Say(task=run.task, number=9), Said(text="nothing"), decision)
        return run.conclude(decision, Answer(text=answer.text))

    return Engine(
        name="saying/1", config=SaySettings, result=Conclusion, signals=Signals, effects=(Say,), table=(),
        calls=lambda config: 20, program=whole, final=Say,
    )  # fmt: skip


def job(engine: Saying, **handlers: Callable[..., Awaitable[Value]]) -> Job[SaySettings, Signals, Conclusion]:
    """A run of such an engine."""
    return Job(engine, Task(text="say it"), SaySettings(), handlers)


def lived(engine: Saying, journal: Journal, **handlers: Callable[..., Awaitable[Value]]) -> Conclusion:
    """One life of that run, with this journal."""
    return AsyncDriver(journal=lambda _: journal).execute(job(engine, **handlers))


async def said(effect: Say) -> Said:
    """Spends a call and says the number."""
    current_ledger().charge(Usage(calls=1))
    return Said(text=str(effect.number))


async def refused(effect: Say) -> Said:
    """Spends a call; the first three requests fail."""
    current_ledger().charge(Usage(calls=1))
    if effect.number < 3:
        raise RequestRefused("too long")
    return Said(text=str(effect.number))


@pytest.mark.requirement("J7", "X3")
def test_requests_that_failed_side_by_side_are_made_again_though_a_later_one_did_not_fail(tmp_path: Path) -> None:
    """Three failures in a row end the run wherever they stand in a batch, and so the run can be resumed from there."""

    def program(run: Run[SaySettings, Signals]) -> Program[None]:
        share = run.allow("say")
        yield from run.issue([Say(task=run.task, number=n, allowance=share) for n in range(4)])
        run.boundary()

    path, engine = tmp_path / "run.jsonl", saying(program)
    first = lived(engine, Journal(path), say=refused)
    assert (first.stop_reason, first.usage.calls) == ("failed", 4)
    journal = Journal.reopen(path)
    drop_after(journal, resume_point(journal, engine))
    again = lived(engine, journal, say=said)
    assert (again.stop_reason, again.usage.calls, again.lost.calls) == ("continue", 5, 3)
    assert replay(Journal.read(path), engine) == again


@pytest.mark.requirement("K12", "X3")
def test_a_run_that_waits_says_what_it_has_lost(tmp_path: Path) -> None:
    """An interrupt while the person was asked, an answer made all the same, and then the question once more."""
    question = Question(text="Which year?", options=("2025", "2026"), default="")

    def program(run: Run[SaySettings, Signals]) -> Program[None]:
        yield from run.ask(question)

    async def interrupted(effect: AskUser) -> Reply:
        driver.interrupt()
        await asyncio.sleep(60)
        raise AssertionError

    async def nobody(effect: AskUser) -> Reply:
        raise Waiting(question.text)

    path, engine = tmp_path / "run.jsonl", saying(program)
    driver = AsyncDriver(journal=lambda _: Journal(path))
    first = driver.execute(job(engine, say=said, ask=interrupted))
    assert (first.stop_reason, first.usage.calls) == ("interrupted", 1)
    journal = Journal.reopen(path)
    drop_after(journal, resume_point(journal, engine))
    waiting = AsyncDriver(journal=lambda _: journal).execute(job(engine, say=said, ask=nobody))
    assert (waiting.stop_reason, waiting.usage.calls, waiting.lost.calls) == ("waiting", 0, 1)
    assert replay(Journal.read(path), engine) == waiting


@pytest.mark.requirement("K13", "H1")
def test_a_journal_that_takes_no_last_line_does_not_take_the_answer(tmp_path: Path) -> None:
    """All effects are on record, so the run has ended as it did; the line is there when it is resumed."""

    def program(run: Run[SaySettings, Signals]) -> Program[None]:
        yield from run.perform(Say(task=run.task), Said())

    class Full(Journal):
        async def end(self, result: Conclusion) -> None:
            raise JournalError("run.jsonl: cannot be written: No space left on device")

    path, engine = tmp_path / "run.jsonl", saying(program)
    result = lived(engine, Full(path), say=said)
    assert (result.answer, result.stop_reason) == ("9", "continue")
    journal = Journal.reopen(path)
    assert journal.ended is None
    assert lived(engine, journal, say=said) == result
    assert Journal.read(path).ended is not None


@pytest.mark.requirement("K12", "X3")
def test_a_driver_that_continues_a_journal_counts_the_calls_that_a_crash_cut_off(tmp_path: Path) -> None:
    """Also where nothing is taken back, so that the run is continued without a resume point."""

    def program(run: Run[SaySettings, Signals]) -> Program[None]:
        yield from run.perform(Say(task=run.task), Said())

    async def dies(effect: Say) -> Said:
        await current_ledger().admit(Usage(calls=1, prompt_tokens=9))
        raise KeyboardInterrupt

    path, engine = tmp_path / "run.jsonl", saying(program)
    with pytest.raises(KeyboardInterrupt):
        lived(engine, Journal(path), say=dies)
    result = lived(engine, Journal.reopen(path), say=said)
    assert (result.usage.calls, result.lost) == (2, Usage(calls=1, prompt_tokens=9))
    assert replay(Journal.read(path), engine) == result
