"""Forks: the same past, another future; and what no fork can share."""

from __future__ import annotations

import asyncio
import errno
import io
from dataclasses import replace
from pathlib import Path

import pytest
from kernel.world import World, step

from aeon.errors import InputFileError, JournalError, UsageError
from aeon.kernel.passes import MULTIPASS
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.fork import fork
from aeon.runtime.journal import Journal
from aeon.runtime.replay import boundaries, replay, resume_point
from aeon.schema import Config, ConvergenceThresholds, Failure, JsonValue, Result, StepResult, Value
from aeon.schema.effects import Effect
from runtime.handlers import job
from runtime.lives import PASSES, WHICH, counted, lived, went_on, world

EFFECTS = 20
BOUNDARIES = tuple(number for number in range(EFFECTS + 1) if number not in (8, 9))  # three steps are issued at once
NO_PASSES = Config(max_passes=1)


def original() -> tuple[Result, Journal]:
    """The run that is forked."""
    journal = Journal()
    return lived(journal, world()), journal


def same(result: Result, other: Result) -> bool:
    """Whether two results are the same but for the ids of their runs."""
    ids = {result.history.execution_id, other.history.execution_id}
    assert len(ids) == 2
    mine, theirs = (one.model_dump_json().replace(one.history.execution_id, "") for one in (result, other))
    return mine == theirs


@pytest.mark.requirement("H3")
def test_a_run_can_be_forked_at_its_boundaries() -> None:
    """Between two effects that were issued one after the other, and at both ends."""
    _, journal = original()
    assert boundaries(journal, MULTIPASS) == BOUNDARIES


@pytest.mark.requirement("H3", "K3")
@pytest.mark.parametrize("on_disk", [False, True])
@pytest.mark.parametrize("at", BOUNDARIES)
def test_a_fork_without_a_change_has_the_same_past_and_comes_to_the_same_end(
    tmp_path: Path, at: int, on_disk: bool
) -> None:
    """Its entries are those of the run, nothing before the fork is done again, and it is a run of its own."""
    result, journal = original()
    path = tmp_path / "fork.jsonl" if on_disk else None
    forked = fork(journal, at, MULTIPASS, path=path)
    assert counted(forked) == counted(journal)[:at]
    assert forked.opened.parent is not None
    assert (forked.opened.parent.execution_id, forked.opened.parent.at) == ("run-1", at)
    answered = world()
    forked.close()
    again = went_on(path or forked, answered)
    assert len(answered.effects) == EFFECTS - at
    assert same(again, result)
    assert replay(Journal.read(path) if path else forked, MULTIPASS).model_dump_json() == again.model_dump_json()


@pytest.mark.requirement("H3")
@pytest.mark.parametrize("at", BOUNDARIES)
def test_from_a_fork_on_another_configuration_holds(at: int) -> None:
    """The past is as it was; the pass limit and the thresholds of the future are the new ones."""
    _, journal = original()
    strict = Config(max_passes=1, convergence=ConvergenceThresholds(completeness=1.0))
    forked = fork(journal, at, MULTIPASS, strict)
    answered = world()
    result = went_on(forked, answered)
    assert forked.config(Config) == strict == result.history.configuration
    assert all(effect.thresholds.completeness == 1.0 for effect in answered.of("assess"))
    assert replay(forked, MULTIPASS).model_dump_json() == result.model_dump_json()
    assert [e.fingerprint for e in forked.entries.values()][:at] == [journal.entries[n].fingerprint for n in range(at)]
    assert result.passes == (1 if at <= 16 else 2)
    assert result.stop_reason == ("ttl_expired" if at <= 16 else "own_knowledge")


@pytest.mark.requirement("H3")
def test_a_fork_may_have_another_outcome() -> None:
    """What a person would have said otherwise is asked of nobody, is marked, and changes what follows."""
    result, journal = original()
    number = next(n for n, entry in journal.entries.items() if entry.phase == "ask")
    forked = fork(journal, number, MULTIPASS, value={"text": "1789"})
    answered = world()
    other = went_on(forked, answered)
    assert "ask" not in answered.phases
    assert [n for n, entry in forked.entries.items() if entry.altered] == [number]
    assert [known.answer for known in other.history.task.clarifications] == ["1789"]
    assert [known.answer for known in result.history.task.clarifications] == ["1066"]
    assert replay(forked, MULTIPASS).model_dump_json() == other.model_dump_json()


@pytest.mark.requirement("H3")
def test_a_failure_can_be_forked_into_a_value() -> None:
    """A step that failed is given its output, and what it would have led to comes about."""
    journal = Journal()
    lived(journal, World((step("s1"), step("s2", "s1")), execute=Failure(kind="tool", message="no such row")))
    forked = fork(journal, 3, MULTIPASS, value=StepResult(output=7).model_dump(mode="json"))
    result = went_on(forked, World((step("s1"), step("s2", "s1"))))
    assert [(s.id, s.output) for s in result.history.passes[0].executed] == [("s1", 7), ("s2", "out of s2")]


@pytest.mark.requirement("H3")
@pytest.mark.parametrize("at", [-1, 8, 9, EFFECTS + 1, 999])
def test_a_fork_elsewhere_is_refused(tmp_path: Path, at: int) -> None:
    """Inside a batch or beyond the run: the message says where there are boundaries, and no file is left."""
    _, journal = original()
    said = rf"^--at {at}: is no boundary of this run; there are 0 to 7, 10 to {EFFECTS}$"
    with pytest.raises(UsageError, match=said):
        fork(journal, at, MULTIPASS, path=tmp_path / "fork.jsonl")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.requirement("H3")
@pytest.mark.parametrize(
    ("at", "value", "said"),
    [
        (7, {"output": 1}, "no single effect was issued there"),
        (EFFECTS, {"text": "x"}, "no single effect was issued there"),
        (0, {"reasoning_depth": 9}, "entry 0: its value is no TaskProfile"),
        (0, 3, "entry 0: its value is no TaskProfile"),
        (4, {}, "entry 4: its value is no Reply"),
    ],
)
def test_a_value_that_is_no_outcome_is_refused(tmp_path: Path, at: int, value: JsonValue, said: str) -> None:
    """Where several effects or none were issued, or it does not fit the one that was; no file is left."""
    _, journal = original()
    with pytest.raises(UsageError, match=said):
        fork(journal, at, MULTIPASS, value=value, path=tmp_path / "fork.jsonl")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.requirement("H3")
def test_a_fork_never_overwrites_a_file(tmp_path: Path) -> None:
    """The one that is there stays as it is."""
    _, journal = original()
    path = tmp_path / "fork.jsonl"
    path.write_text("mine")
    with pytest.raises(InputFileError, match="exists already"):
        fork(journal, 3, MULTIPASS, path=path)
    assert path.read_text() == "mine"


@pytest.mark.requirement("H3")
def test_a_fork_that_cannot_be_written_to_its_end_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half a past would be another fork."""
    _, journal = original()

    class Full(io.FileIO):
        def write(self, data: bytes) -> int:  # type: ignore[override]
            super().write(data[:300])
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("aeon.runtime.sealed.io.FileIO", Full)
    with pytest.raises(JournalError, match="No space left on device; nothing was saved"):
        fork(journal, 10, MULTIPASS, path=tmp_path / "fork.jsonl")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.requirement("H3", "X3")
@pytest.mark.parametrize("number", BOUNDARIES[:-2])
def test_a_fork_shares_no_ending_that_an_interrupt_led_to(number: int) -> None:
    """At each boundary before it a fork without a change goes on as if nobody had asked to stop."""
    result, _ = original()
    journal = Journal()
    first = world()
    driver = AsyncDriver((), lambda execution_id: journal, lambda: 0.0, lambda: "run-1")
    made = job(first, PASSES)

    def stopping(answer: object) -> object:
        async def handler(effect: Effect) -> Value:
            if len(first.effects) == number:
                driver.interrupt()
                await asyncio.Event().wait()
            return await answer(effect)  # type: ignore[operator, no-any-return]

        return handler

    wrapped = {phase: stopping(handler) for phase, handler in made.handlers.items()}
    assert driver.execute(replace(made, handlers=wrapped)).stop_reason == "interrupted"
    with pytest.raises(UsageError, match="is no boundary of this run"):
        fork(journal, len(journal.entries), MULTIPASS)
    forked = fork(journal, number, MULTIPASS)
    assert same(went_on(forked, world()), result)


@pytest.mark.requirement("H3", "O6")
def test_a_run_that_waits_can_be_forked_at_its_question() -> None:
    """The fork waits as well."""
    journal = Journal()
    lived(journal, world(ask=Failure(kind="waiting", message=WHICH.text, question=WHICH)))
    forked = fork(journal, 4, MULTIPASS)
    assert resume_point(forked, MULTIPASS).question == WHICH
    assert went_on(forked, world()).stop_reason == "own_knowledge"


@pytest.mark.requirement("H3")
def test_a_fork_of_a_fork_keeps_what_changed_on_the_way() -> None:
    """Its parent is the fork, and the configuration is the one in force there."""
    _, journal = original()
    first = fork(journal, 3, MULTIPASS, NO_PASSES)
    went_on(first, world())
    second = fork(first, 5, MULTIPASS)
    assert second.config(Config) == NO_PASSES
    assert second.opened.parent is not None
    assert second.opened.parent.execution_id == first.opened.execution_id
    assert same(went_on(second, world()), replay(first, MULTIPASS))
