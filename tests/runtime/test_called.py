"""What a run spent counts over all its lives: calls of a life that crashed, and of endings that were taken back."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from kernel.world import World

from aeon.kernel.passes import MULTIPASS
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.journal import Journal
from aeon.runtime.ledger import current_ledger
from aeon.runtime.replay import drop_after, replay, resume_point
from aeon.runtime.sealed import SealedFile
from aeon.schema import Budget, Config, Result, Usage, Value
from aeon.schema.effects import Effect
from runtime.handlers import Handler, job
from runtime.lives import PASSES, Crash, Striking, lived, went_on, world

pytestmark = pytest.mark.requirement("K9", "K12", "X3")
MOST = Usage(calls=1, prompt_tokens=300, generated_tokens=100)
REAL = Usage(calls=1, prompt_tokens=90, generated_tokens=10)


class Model:
    """Counts what was really asked of it, over all lives of a run."""

    def __init__(self) -> None:
        self.calls = 0

    def handlers(self, answered: World) -> dict[str, Handler]:
        """Handlers that make two calls an effect, as an adapter does; a person is asked without one."""
        answered.cost = Usage()
        plain = job(answered).handlers

        async def handler(effect: Effect) -> Value:
            for _ in range(2):
                ledger = current_ledger()
                await ledger.admit(MOST)
                self.calls += 1
                await asyncio.sleep(0)
                ledger.settle(MOST, REAL)
            return await plain[effect.phase](effect)

        return {phase: plain[phase] if phase == "ask" else handler for phase in MULTIPASS.phases}


def spent(result: Result) -> Usage:
    """What a result says was spent over all lives."""
    return result.usage + result.lost


class Continued(Striking):
    """A file of an earlier life that is continued until the process is gone again."""

    def __init__(self, file: SealedFile, number: int) -> None:
        self._file, self._left, self._after = file, number, True


@pytest.mark.requirement("K12a")
@pytest.mark.parametrize("number", range(1, 54, 2))
@pytest.mark.parametrize("again", [None, 1, 4])
def test_calls_of_a_life_that_crashed_are_charged(tmp_path: Path, number: int, again: int | None) -> None:
    """At any line, once or twice: what was called counts, no less than was spent, and no more than it could be."""
    path, model = tmp_path / "run.jsonl", Model()
    first = world()
    with pytest.raises(Crash):
        lived(Striking(path, number, after=True), first, **model.handlers(first))
    if again is not None:
        second = world()
        file, lines, _ = SealedFile.reopen(path)
        journal = Journal.of(path, lines, store=Continued(file, again))
        with pytest.raises(Crash):
            went_on(journal, second, **model.handlers(second))
    last = world()
    result = went_on(path, last, **model.handlers(last))
    undisturbed = lived(Journal(), world(), **Model().handlers(world())).usage
    assert result.usage.calls == undisturbed.calls
    assert model.calls <= spent(result).calls <= result.bound.calls
    assert spent(result).calls - model.calls <= (1 if again is None else 2) * 3, "of at most a batch under way"
    assert spent(result).tokens >= model.calls * REAL.tokens
    assert replay(Journal.read(path), MULTIPASS) == result


@pytest.mark.requirement("K12a", "X1")
@pytest.mark.parametrize("calls", [9, 14, 23])
def test_a_bound_holds_over_all_lives_of_a_run(tmp_path: Path, calls: int) -> None:
    """Interrupted in life after life it makes no more calls than its budget, and reports each of them."""
    path, model = tmp_path / "run.jsonl", Model()
    config = Config(max_passes=3, budget=Budget(calls=calls))
    result = None
    for life in range(12):
        answered, left = world(), count()
        kept = Journal.reopen(path) if life else Journal(path)
        driver = AsyncDriver((), lambda execution_id, kept=kept: kept, lambda: 0.0, lambda: "run-1")  # type: ignore[misc]
        handlers = model.handlers(answered)

        def stopping(handler: Handler, driver: AsyncDriver = driver, left: count[int] = left) -> Handler:
            async def stop(effect: Effect) -> Value:
                value = await handler(effect)
                if next(left) == 1:
                    driver.interrupt()
                    await asyncio.sleep(0)
                return value

            return stop

        handlers = {phase: stopping(handler) for phase, handler in handlers.items()}
        result = continued(driver, kept, job(answered, config, **handlers))
        assert model.calls <= calls
        assert spent(result).calls == model.calls
    assert result is not None and result.stop_reason == "calls_exhausted"
    assert result.lost.calls > 0


def continued(driver: AsyncDriver, journal: Journal, made: object) -> Result:
    """The result of a life of the run."""
    from_here = made
    if journal.opening is not None:
        drop_after(journal, resume_point(journal, MULTIPASS))
        from_here = replace(made, task=journal.opened.task)  # type: ignore[type-var]
    return driver.execute(from_here)  # type: ignore[arg-type, no-any-return]


def test_a_call_is_on_record_before_it_is_made(tmp_path: Path) -> None:
    """Whatever the model does then, the journal says what it can cost."""
    path, kept = tmp_path / "run.jsonl", Counter[str]()

    async def profile(effect: Effect) -> Value:
        await current_ledger().admit(MOST)
        kept["called"] = path.read_bytes().count(b'"line":"called"')
        raise Crash

    with pytest.raises(Crash):
        lived(path, world(), PASSES, profile=profile)
    assert kept["called"] == 1
    journal = Journal.read(path)
    assert journal.unsettled
    result = went_on(path, world())
    assert result.lost == MOST
