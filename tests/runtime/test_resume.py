"""Taking a run up again, after anything: it ends as if nothing had happened, and nothing is done twice."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from kernel.world import World, step

from aeon.errors import Divergence, EndpointUnreachable, OutcomeUnknown
from aeon.kernel.passes import MULTIPASS
from aeon.multipass.effects import ExecuteStep
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.events import EffectEnded
from aeon.runtime.fork import fork
from aeon.runtime.journal import Journal
from aeon.runtime.ledger import current_ledger
from aeon.runtime.lines import Begun, Called, Ended, Entry, Resumed, fingerprint
from aeon.runtime.replay import boundaries, replay, resume_point
from aeon.schema import Budget, Config, Failure, Question, Questions, Reply, Result, StepResult, Usage, Value
from aeon.schema.effects import Effect
from runtime.handlers import job
from runtime.lives import PASSES, WHICH, Crash, Striking, counted, lived, went_on, world

EFFECTS = 20
LINES = EFFECTS + 2  # an opening, an entry each, an ending
WAITING = Failure(kind="waiting", message=WHICH.text, question=WHICH)


def calls(*worlds: World) -> Counter[str]:
    """How often each effect was handled, over all processes."""
    return Counter(fingerprint(effect) for one in worlds for effect in one.effects)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, bytes]:
    """The result and the journal of the run to which nothing happens."""
    path = tmp_path_factory.mktemp("whole") / "run.jsonl"
    result = lived(path, world())
    assert (result.stop_reason, result.passes) == ("own_knowledge", 2)
    assert len(Journal.read(path).entries) == EFFECTS
    return result.model_dump_json(), path.read_bytes()


@pytest.mark.requirement("X3", "K9", "K3")
@pytest.mark.parametrize("after", [False, True], ids=["before the commit", "after the commit"])
@pytest.mark.parametrize("number", range(1, LINES))
def test_a_crash_at_any_line_changes_neither_result_nor_journal(
    tmp_path: Path, whole: tuple[str, bytes], number: int, after: bool
) -> None:
    """Before or after the commit of every line, the run that is taken up ends in the same bytes."""
    path = tmp_path / "run.jsonl"
    first, second = world(), world()
    with pytest.raises(Crash):
        lived(Striking(path, number, after), first)
    assert len(path.read_bytes().splitlines()) == number + after
    result = went_on(path, second)
    assert (result.model_dump_json(), path.read_bytes()) == whole


@pytest.mark.requirement("X3", "K9")
@pytest.mark.parametrize("number", range(1, LINES))
def test_what_was_committed_is_never_done_again(tmp_path: Path, number: int) -> None:
    """Over both processes each effect is handled once, but for those that were under way."""
    path = tmp_path / "run.jsonl"
    first, second = world(), world()
    with pytest.raises(Crash):
        lived(Striking(path, number, after=True), first)
    kept = {entry.fingerprint for entry in Journal.read(path).entries.values()}
    went_on(path, second)
    assert not kept & calls(second).keys()
    lost = calls(first).keys() - kept
    assert {effect for effect, times in calls(first, second).items() if times > 1} == lost
    assert len(kept) + len(calls(second)) == EFFECTS


@pytest.mark.requirement("X3")
def test_a_run_may_be_taken_up_any_number_of_times(tmp_path: Path, whole: tuple[str, bytes]) -> None:
    """One batch a process, and the bytes are the same."""
    path = tmp_path / "run.jsonl"
    with pytest.raises(Crash):
        lived(Striking(path, 1, after=False), world())

    class Done(Crash):
        """A batch is done."""

    def once(event: object) -> None:
        if isinstance(event, EffectEnded) and not event.recorded:
            raise Done

    processes = 0
    while len(Journal.read(path).entries) < EFFECTS:
        journal = Journal.reopen(path)
        processes += 1
        with pytest.raises(Done):
            AsyncDriver([once], lambda _, j=journal: j, lambda: 0.0).execute(job(world(), PASSES))  # type: ignore[misc]
    assert processes == len(boundaries(Journal.read(path), MULTIPASS)) - 1
    assert went_on(path, world()).model_dump_json() == whole[0]
    assert path.read_bytes() == whole[1]


@pytest.mark.requirement("X3", "K9", "K13")
@pytest.mark.parametrize("broken_off", [True, False], ids=["in the effect", "at its end"])
@pytest.mark.parametrize("number", range(EFFECTS))
def test_a_run_that_was_interrupted_anywhere_ends_as_one_that_was_not(
    tmp_path: Path, whole: tuple[str, bytes], number: int, broken_off: bool
) -> None:
    """The ending that the interrupt led to is taken back; what was done counts, what was broken off is done again."""
    path, journal_of = tmp_path / "run.jsonl", Journal
    driver = AsyncDriver((), lambda execution_id: journal_of(path), lambda: 0.0, new_id=lambda: "run-1")
    first, second = world(), world()
    left = count()

    def stopping(answer: Callable[[Effect], object]) -> Callable[[Effect], object]:
        async def handler(effect: Effect) -> Value:
            if next(left) == number and broken_off:
                driver.interrupt()
                await asyncio.Event().wait()
            try:
                return await answer(effect)  # type: ignore[misc, no-any-return]
            finally:
                if len(first.effects) == number + 1 and not broken_off:
                    driver.interrupt()

        return handler

    made = job(first, PASSES)
    wrapped = {phase: stopping(handler) for phase, handler in made.handlers.items()}
    result = driver.execute(replace(made, handlers=wrapped))
    last = number == EFFECTS - 1
    assert result.stop_reason == ("own_knowledge" if last else "interrupted")
    again = went_on(path, second)
    assert unlost(again) == whole[0]
    assert (again.usage + again.lost).calls == len(first.effects) + len(second.effects)
    assert again.lost.calls == (0 if last else 1), "the synthesis of the ending that was taken back"
    assert counted(Journal.read(path)) == counted_of(whole[1], tmp_path)
    assert replay(Journal.read(path), MULTIPASS) == again


def unlost(result: Result) -> str:
    """The result as JSON, as if no life of the run had spent anything in vain."""
    history = result.history
    conclusion = history.conclusion.changed(lost=Usage())
    figures = history.statistics.changed(lost=Usage())
    whole = history.changed(conclusion=conclusion, statistics=figures)
    return result.changed(lost=Usage(), history=whole).model_dump_json()


def counted_of(data: bytes, folder: Path) -> list[str]:
    """The entries of a journal's bytes."""
    path = folder / "other.jsonl"
    path.write_bytes(data)
    return counted(Journal.read(path))


@pytest.mark.requirement("X3", "K13")
@pytest.mark.parametrize("number", range(EFFECTS))
def test_a_run_whose_endpoint_was_dead_ends_as_one_whose_endpoint_was_not(
    tmp_path: Path, whole: tuple[str, bytes], number: int
) -> None:
    """The failure is taken back as soon as the run is taken up with an endpoint that lives."""
    path = tmp_path / "run.jsonl"
    first = world()
    reply, left = first.reply, count()

    def down(effect: Effect) -> Value:
        if next(left) >= number:
            raise EndpointUnreachable("nobody answers")
        return reply(effect)

    first.reply = down  # type: ignore[method-assign]
    result = lived(path, first)
    assert result.stop_reason == ("failed" if number < EFFECTS - 1 else "own_knowledge")
    assert went_on(path, world()).model_dump_json() == whole[0]


@pytest.mark.requirement("X3")
def test_a_run_that_has_ended_is_left_as_it_is(tmp_path: Path, whole: tuple[str, bytes]) -> None:
    """Taking it up gives its result again, asks nobody and writes nothing."""
    path = tmp_path / "run.jsonl"
    path.write_bytes(whole[1])
    nobody = world()
    assert resume_point(Journal.read(path), MULTIPASS).void is None
    assert went_on(path, nobody).model_dump_json() == whole[0]
    assert (nobody.effects, path.read_bytes()) == ([], whole[1])


@pytest.mark.requirement("O6", "X3", "X5")
def test_a_run_that_was_suspended_ends_as_one_that_was_answered_at_once(
    tmp_path: Path, whole: tuple[str, bytes]
) -> None:
    """No trace of the waiting is left: result and journal are the same bytes."""
    path = tmp_path / "run.jsonl"
    waiting = lived(path, world(ask=WAITING))
    assert (waiting.stop_reason, waiting.question) == ("waiting", WHICH)
    journal = Journal.read(path)
    point = resume_point(journal, MULTIPASS)
    assert (point.void, point.question, journal.ended) == ((), WHICH, None)
    assert replay(journal, MULTIPASS).model_dump_json() == waiting.model_dump_json()
    again = went_on(path, world(ask=WAITING))
    assert again.model_dump_json() == waiting.model_dump_json()
    assert went_on(path, world()).model_dump_json() == whole[0]
    assert path.read_bytes() == whole[1]


@pytest.mark.requirement("O6", "X3", "X5")
def test_a_question_that_an_interrupt_broke_off_is_still_open(tmp_path: Path, whole: tuple[str, bytes]) -> None:
    """It can be answered when the run is taken up."""
    path = tmp_path / "run.jsonl"
    journals: list[Journal] = []

    def opened(execution_id: str) -> Journal:
        journals.append(Journal(path))
        return journals[0]

    driver = AsyncDriver((), opened, lambda: 0.0, lambda: "run-1")

    async def ask(effect: Effect) -> Value:
        driver.interrupt()
        await asyncio.Event().wait()
        raise AssertionError

    result = driver.execute(job(world(), PASSES, ask=ask))
    assert result.stop_reason == "interrupted"
    assert resume_point(Journal.read(path), MULTIPASS).question == WHICH
    again = went_on(path, world())
    assert (unlost(again), again.lost.calls) == (whole[0], 1)


@pytest.mark.requirement("X3", "K9")
def test_the_time_between_two_processes_does_not_count(tmp_path: Path) -> None:
    """Eleven days lie between, in either direction, and the run has spent some seconds of its budget."""
    spans = []
    config = Config(max_passes=3, budget=Budget(seconds=900))
    for name, start in (("later", 1e6), ("earlier", -1e6)):
        path = tmp_path / name
        first, second = count(0), count(int(start))
        with pytest.raises(Crash):
            lived(Striking(path, 9, after=True), world(), config, lambda f=first: next(f) * 1.0)  # type: ignore[misc]
        result = went_on(path, world(), clock=lambda s=second: next(s) * 1.0)  # type: ignore[misc]
        assert result.stop_reason == "own_knowledge"
        times = [(e.started, e.ended) for _, e in sorted(Journal.read(path).entries.items())]
        assert all(0 <= started <= ended < 900 for started, ended in times)
        assert [t for t, _ in times] == sorted(t for t, _ in times)
        spans.append(result.seconds)
    assert spans[0] == spans[1]


@pytest.mark.requirement("O6", "K9")
def test_the_time_of_a_person_does_not_count() -> None:
    """An answer that takes a day leaves the budget of a minute alone."""
    now = [0.0]

    async def ask(effect: Effect) -> Value:
        now[0] += 86_400
        return Reply(text="1066")

    result = lived(Journal(), world(), Config(budget=Budget(seconds=60)), lambda: now[0], ask=ask)
    assert (result.stop_reason, result.seconds) == ("own_knowledge", 0.0)


async def mail(effect: ExecuteStep) -> StepResult:
    """Step ``a`` is done by a tool that changes the world."""
    if effect.step.id == "a":
        async with current_ledger().tool_call("mail"):
            pass
    return StepResult(output="sent", mode="tool" if effect.step.id == "a" else "reasoning")


@pytest.mark.requirement("X3", "K9")
@pytest.mark.parametrize(
    ("reply", "sent", "reason"), [("done", 0, "converged"), ("repeat", 1, "converged"), ("stop", 0, "unknown_outcome")]
)
def test_a_tool_that_was_called_when_the_process_ended_is_not_called_again_unasked(
    tmp_path: Path, reply: str, sent: int, reason: str
) -> None:
    """Its line in the journal shows that it was called; the run asks what became of it."""
    path = tmp_path / "run.jsonl"
    number = 1 + len(_before_mail(tmp_path)) + 1
    with pytest.raises(Crash):
        lived(Striking(path, number, after=False), world(), execute=mail)
    assert b'"line":"begun"' in path.read_bytes().splitlines()[-1]
    second, questions, mails = world(), [], []

    async def ask(effect: Effect) -> Value:
        questions.append(effect.question)
        return Reply(text=reply)

    async def again(effect: ExecuteStep) -> StepResult:
        mails.extend(["sent"] * (effect.step.id == "a"))
        return await mail(effect)

    result = went_on(path, second, execute=again, ask=ask)
    said = "mail had been called when the process ended, and whether it was done is not known"
    assert [q.text for q in questions] == [f"step a (do a): {said}. Was it done?"]
    assert questions[0].options == ("done", "repeat", "stop") and not questions[0].default
    assert (len(mails), result.stop_reason) == (sent, reason)
    assert replay(Journal.read(path), MULTIPASS).model_dump_json() == result.model_dump_json()
    assert result.usage.tool_calls == 1 + sent


@pytest.mark.requirement("X3", "K9")
def test_a_repeated_tool_that_is_lost_again_is_asked_about_again(tmp_path: Path) -> None:
    """Crash after crash within the call, each one is a question of its own, until somebody says that it was done."""
    path = tmp_path / "run.jsonl"
    number = 1 + len(_before_mail(tmp_path)) + 1
    with pytest.raises(Crash):
        lived(Striking(path, number, after=False), world(), execute=mail)
    asked: list[str] = []
    for answer in ("repeat", "repeat", "done"):

        async def ask(effect: Effect, answer: str = answer) -> Value:
            asked.append(effect.question.text)
            return Reply(text=answer)

        async def crash(effect: ExecuteStep) -> StepResult:
            async with current_ledger().tool_call("mail" if effect.step.id == "a" else ""):
                if effect.step.id == "a":
                    raise Crash
            return StepResult(output="sent")

        if answer == "repeat":
            with pytest.raises(Crash):
                went_on(path, world(), execute=crash, ask=ask)
        else:
            result = went_on(path, world(), execute=crash, ask=ask)
    assert [text.partition("Was it done")[2] for text in asked] == ["?", " this time (call 2)?"]
    assert result.stop_reason == "unknown_outcome", "the third question was about the year"
    journal = Journal.read(path)
    last = max(number for number, entry in journal.entries.items() if entry.failure and entry.failure.kind == "unknown")
    at = min(boundary for boundary in boundaries(journal, MULTIPASS) if boundary > last)
    more = journal.config(Config).changed(questions=Questions(most=9))
    result = went_on(fork(journal, at, MULTIPASS, more), world(), execute=crash, ask=ask)
    assert asked[-1].endswith("Was it done this time (call 3)?")
    assert result.stop_reason == "converged"
    assert [one.problem for one in result.history.passes[0].executed if one.id == "a"] == ["done; its output was lost"]


def _before_mail(folder: Path) -> list[int]:
    """The numbers of the effects before the wave of step ``a``."""
    path = folder / "whole.jsonl"
    lived(path, world(), execute=mail)
    found = Journal.read(path)
    (number,) = found.begun
    return list(range(number))


@pytest.mark.requirement("X3", "K9")
def test_a_crash_before_the_note_of_a_call_means_that_it_was_not_made(tmp_path: Path) -> None:
    """Then the tool is called as if nothing had happened, and nobody is asked about it."""
    path = tmp_path / "run.jsonl"
    with pytest.raises(Crash):
        lived(Striking(path, 1 + len(_before_mail(tmp_path)), after=False), world(), execute=mail)
    second = world()
    result = went_on(path, second, execute=mail)
    assert [e.question for e in second.of("ask")] == []
    assert (result.stop_reason, result.usage.tool_calls) == ("converged", 1)


@pytest.mark.requirement("X3", "K9")
@pytest.mark.parametrize("policy", ["ask", "stop"])
def test_a_tool_that_did_not_say_how_it_ended_is_not_called_again_unasked(policy: str) -> None:
    """In the same process too; by policy the run stops without a question."""
    tried: list[str] = []

    async def hangs(effect: ExecuteStep) -> StepResult:
        tried.append(effect.step.id)
        raise OutcomeUnknown("mail did not return within 5 s")

    config = Config(questions=Questions(unknown_outcome=policy))  # type: ignore[arg-type]
    answered = World(ask=Reply(text="stop"))
    result = lived(Journal(), answered, config, execute=hangs)
    assert (tried, result.stop_reason) == (["s1"], "unknown_outcome")
    said = "step s1 (do s1): mail did not return within 5 s. Was it done?"
    assert [e.question.text for e in answered.of("ask")] == ([said] if policy == "ask" else [])


@pytest.mark.requirement("O6")
def test_only_a_question_can_wait() -> None:
    """A handler of another phase that raises ``Waiting`` has failed, and the run goes on without it."""
    result = lived(Journal(), World(validate_results=Failure(kind="waiting", message="for Godot")))
    assert (result.stop_reason, [d.message for d in result.degraded]) == ("converged", ["for Godot"])


@pytest.mark.requirement("H1", "X3")
def test_a_journal_keeps_what_happened_in_lines_of_several_kinds(tmp_path: Path) -> None:
    """Openings, begun tools, entries, resumptions and endings read back as they were written."""
    journal = Journal(tmp_path / "run.jsonl")
    lived(journal, world(), execute=mail)
    again = Journal.reopen(tmp_path / "run.jsonl")
    assert again.begun == {journal_number: "mail" for journal_number in journal.begun}
    assert again.ended == journal.ended and again.ended is not None
    again.resume(void=(EFFECTS - 1,))
    assert again.ended is None
    again.close()
    last = Journal.read(tmp_path / "run.jsonl")
    assert (last.ended, sorted(last.entries)) == (None, list(range(EFFECTS - 1)))
    assert [kind.model_fields["version"].default for kind in (Begun, Called, Ended, Entry, Resumed)] == [2] * 5


@pytest.mark.requirement("K3", "X3")
def test_an_ending_that_another_version_made_is_told(tmp_path: Path, whole: tuple[str, bytes]) -> None:
    """Every outcome is the same, and the history is not: that is a divergence."""
    path = tmp_path / "run.jsonl"
    path.write_bytes(whole[1])
    journal = Journal.read(path)
    assert journal.ended is not None
    journal._ended = journal.ended.changed(digest="0" * 32)
    with pytest.raises(Divergence, match=r"^the end: "):
        replay(journal, MULTIPASS)


@pytest.mark.requirement("H3")
def test_a_waiting_question_has_no_answer_in_the_boundaries(tmp_path: Path) -> None:
    """A suspended run can be forked up to its question, and no further."""
    path = tmp_path / "run.jsonl"
    lived(path, world(ask=WAITING))
    assert boundaries(Journal.read(path), MULTIPASS) == (0, 1, 2, 3, 4)
    question = Question.model_validate(Journal.read(path).entries[3].value["question"])  # type: ignore[index,call-overload]
    assert question == WHICH


@pytest.mark.requirement("X3", "K3")
def test_what_follows_a_batch_that_was_partly_done_begins_after_all_of_it() -> None:
    """A step that is done again may end before one that was done already; time goes on from the later end."""
    whole = Journal()
    parallel = World(steps=(step("a"), step("b"), step("c", "a", "b")))
    AsyncDriver(journal=lambda execution_id: whole, clock=lambda: 7.0).execute(job(parallel))
    there = [entry for number, entry in sorted(whole.entries.items()) if number < 3 or number == 4]
    partly = Journal.written(whole.opened, [one.changed(ended=100.0) if one.number == 4 else one for one in there])
    driver = AsyncDriver(journal=lambda execution_id: partly, clock=lambda: 7.0)
    driver.execute(job(World(steps=parallel.replies["plan"].steps)))
    assert partly.entries[3].ended < 100 <= partly.entries[5].started
    assert replay(partly, MULTIPASS).seconds >= 100
