"""What a worker does with runs: begins, ends, continues, stops them, and leaves alone those that are not for it."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import time
from collections.abc import Iterator

import pytest

import aeon
from aeon.errors import JournalError, UsageError
from aeon.runtime.fork import fork
from aeon.runtime.lines import Entry
from aeon.runtime.replay import replay

from .conftest import Place, chaos, errands, place_in, until

ENGINE = errands.ENGINE


def stop(place: Place, pid: int) -> None:
    """Stop a process while it holds no lock on the database file: every other one would wait for it."""
    for _ in range(100):
        os.kill(pid, signal.SIGSTOP)
        time.sleep(0.1)  # it goes on for a moment, and may take the lock in it
        if _is_free(place.url):
            return
        os.kill(pid, signal.SIGCONT)
        time.sleep(0.02)
    raise AssertionError("the worker writes all the time")


def _is_free(url: str) -> bool:
    scheme, _, path = url.partition(":///")
    if scheme != "sqlite":
        return True
    with contextlib.closing(sqlite3.connect(path, timeout=0.2)) as database:
        try:
            database.execute("BEGIN IMMEDIATE")
            database.rollback()
        except sqlite3.OperationalError:
            return False
    return True


@pytest.mark.requirement("X5", "X5b")
def test_a_submitted_run_ends_as_it_does_in_one_process(shared: Place) -> None:
    """Its journal in the database is that of a run in memory, but for times; it replays bit by bit."""
    shared.submit("whole", rounds=2)
    job = shared.reaches("whole", "ended")
    journal = shared.jobs.journal("whole")
    assert job.end is not None and job.end.stop_reason == "done" and job.end.sufficient
    assert chaos.entries(journal) == chaos.undisturbed("whole", 2, errands.Counts(str(shared.folder / "plain.sqlite")))
    assert replay(journal, ENGINE).answer == job.end.answer
    assert shared.posts("whole") == [1, 1]


@pytest.mark.requirement("X5b")
def test_the_journal_is_what_a_file_would_hold(shared: Place) -> None:
    """Written to a file, its lines with their seals are a journal that Aeon reads, and of which no line can change."""
    shared.submit("kept")
    shared.reaches("kept", "ended")
    written = shared.jobs.written("kept")
    path = shared.folder / "kept.jsonl"
    path.write_bytes(written)
    journal = aeon.Journal.read(path)
    assert replay(journal, ENGINE).stop_reason == "done"
    assert journal.entries == shared.jobs.journal("kept").entries
    path.write_bytes(written.replace(b"read 1", b"read 7"))
    with pytest.raises(JournalError, match="damaged or was edited"):
        aeon.Journal.read(path)


@pytest.mark.requirement("X5b")
def test_a_line_that_was_edited_in_the_database_is_found(shared: Place) -> None:
    """Who changes a step there is found by its seal."""
    shared.submit("edited")
    shared.reaches("edited", "ended")
    with sqlite3.connect(shared.folder / "runs.sqlite", timeout=30) as file:
        edit = (
            "UPDATE operation_outputs SET output = replace(output, 'read 1', 'read 9') WHERE workflow_uuid = 'edited:1'"
        )
        assert file.execute(edit).rowcount
    with pytest.raises(JournalError, match="damaged or was edited"):
        shared.jobs.journal("edited")


@pytest.mark.requirement("X5b")
def test_a_fork_is_a_run_of_its_own(shared: Place) -> None:
    """It shares the past, does the rest anew, and names its parent."""
    shared.submit("parent", rounds=2)
    shared.reaches("parent", "ended")
    name = shared.jobs.fork(fork(shared.jobs.journal("parent"), 5, ENGINE), shared.jobs.get("parent"))
    shared.reaches(name, "ended")
    journal = shared.jobs.journal(name)
    assert journal.opened.parent is not None and journal.opened.parent.execution_id == "parent"
    assert [journal.entries[n] for n in range(5)] == [shared.jobs.journal("parent").entries[n] for n in range(5)]
    assert shared.posts(name) == [1], "the first post is the parent's"


@pytest.mark.requirement("X5e")
def test_a_run_that_this_version_would_continue_otherwise_is_named_and_left_as_it_is(shared: Place) -> None:
    """The entry that differs is named before anything is issued."""
    shared.submit("older", rounds=2)
    shared.reaches("older", "ended")
    forked = fork(shared.jobs.journal("older"), 5, ENGINE)
    forked.entries[1] = forked.entries[1].changed(fingerprint="0" * 16)
    name = shared.jobs.fork(forked, shared.jobs.get("older"))
    job = shared.reaches(name, "failed")
    assert "would continue it otherwise" in job.detail and "entry 1" in job.detail
    assert len(shared.jobs.journal(name).entries) == 5 and shared.posts(name) == []


@pytest.mark.requirement("X5e")
@pytest.mark.parametrize("other", ["engine", "model", "tools"])
def test_a_worker_leaves_a_run_alone_that_needs_what_it_has_not(shared: Place, other: str) -> None:
    """Another version of the engine, another model, other tools: the run waits for a worker that has them."""
    first = errands.opening(f"for-{other}", 1, shared.counts.tool)
    changed = {
        "engine": {"engine": "errands/2"},
        "model": {"setup": {**first.setup, "model_name": "larger"}},
        "tools": {"setup": {**first.setup, "tools": ["calculator"]}},
    }
    shared.submit(f"for-{other}", **changed[other])
    shared.submit(f"after-{other}")
    shared.reaches(f"after-{other}", "ended")
    job = shared.jobs.get(f"for-{other}")
    assert job.state == "queued" and job.needs not in next(iter(shared.jobs.workers().values()))


@pytest.mark.requirement("X5d")
def test_a_question_is_answered_once_whoever_asks_and_however_late(place: Place) -> None:
    """A worker is killed in a post; the run waits; thirty days and a restart later an answer continues it."""
    place.submit("asks", rounds=2)
    with place.worker(posting=60) as first:
        until(lambda: place.posts("asks"))
        first.kill()
        first.wait()
        with place.worker():
            job = place.reaches("asks", "waiting")
    assert job.end is not None and job.end.question is not None and "Was it done" in job.end.question.text
    month = 30 * 24 * 3600 * 1000
    with sqlite3.connect(place.folder / "runs.sqlite", timeout=30) as file:
        columns = ("created_at", "updated_at", "completed_at", "started_at_epoch_ms")
        file.execute(f"UPDATE workflow_status SET {', '.join(f'{one} = {one} - {month}' for one in columns)}")
    with pytest.raises(UsageError, match="none of the options"):
        place.jobs.answer("asks", "perhaps")
    place.jobs.answer("asks", "done")
    with pytest.raises(UsageError, match="waits for no answer: it is queued"):
        place.jobs.answer("asks", "repeat")
    with place.worker():
        place.reaches("asks", "ended")
    assert place.posts("asks") == [1, 1]
    assert replay(place.jobs.journal("asks"), ENGINE).stop_reason == "done"


@pytest.mark.requirement("X5", "X5a", "X5f")
def test_a_worker_that_stood_still_can_write_nothing_more(place: Place) -> None:
    """Stopped in a post for longer than its patience, it finds that its run is another's, and does no harm to it."""
    place.submit("still", rounds=3)
    with place.worker(posting=1.5) as still:
        until(lambda: place.posts("still"))
        stop(place, still.pid)
        with place.worker():
            place.reaches("still", "waiting")
            place.jobs.answer("still", "done")
            place.reaches("still", "ended")
            before = place.jobs.written("still")
            os.kill(still.pid, signal.SIGCONT)
            until(lambda: "still  is no longer this worker's" in (place.folder / "workers.log").read_text())
        assert place.jobs.written("still") == before
    assert place.posts("still") == [1, 1, 1]


@pytest.mark.requirement("X5a", "X5f")
def test_a_worker_that_stood_still_does_not_go_along_behind_another(place: Place) -> None:
    """Stopped in a read, before a post: its next lines are on record by then, and it makes none of the posts again."""
    place.submit("behind", rounds=3)
    with place.worker(reading=1.0) as still:
        until(lambda: len(place.jobs.lines("behind")) >= 4)
        stop(place, still.pid)
        with place.worker():
            place.reaches("behind", "ended")
            before = place.jobs.written("behind")
            assert place.posts("behind") == [1, 1, 1]
            os.kill(still.pid, signal.SIGCONT)
            left, log = "behind  is no longer this worker's", place.folder / "workers.log"
            until(lambda: left in log.read_text() or place.posts("behind") != [1, 1, 1])
        assert place.jobs.written("behind") == before
    assert place.posts("behind") == [1, 1, 1]


@pytest.mark.requirement("X5a", "X5f")
@pytest.mark.parametrize("said", ["repeat", "done"])
def test_a_worker_that_stood_still_before_it_calls_a_tool_does_not_call_it(place: Place, said: str) -> None:
    """Stopped between the line that announces a post and the call; when it is back it counts again, and is too late."""
    place.submit("late", rounds=1)
    lingering, log = place.folder / "lingering", place.folder / "workers.log"
    with place.worker(lingers=lingering, patience=3.0) as still:
        until(lingering.exists)
        stop(place, still.pid)
        with place.worker(patience=3.0):
            place.reaches("late", "waiting")
            place.jobs.answer("late", said)
            place.reaches("late", "ended")
            posts = place.posts("late")
            os.kill(still.pid, signal.SIGCONT)
            until(lambda: "this worker stood still" in log.read_text() or place.posts("late") != posts)
    assert place.posts("late") == posts == ([1] if said == "repeat" else [])


@pytest.fixture(scope="module")
def single(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A place whose workers may have one run in all, with one that would take four, and posts slowly."""
    for place in place_in(tmp_path_factory.mktemp("single")):
        with place.worker(parallel=4, everywhere=1, posting=0.1):
            yield place


@pytest.mark.requirement("X5c")
def test_a_run_is_stopped_wherever_it_is(single: Place) -> None:
    """Under way at its next boundary with what there is, in the queue at once; then never again, but continued."""
    single.submit("under-way", rounds=500)
    single.submit("queued")
    until(lambda: single.posts("under-way"))
    assert single.jobs.cancel("queued").state == "cancelled"
    assert single.jobs.cancel("under-way").stopping
    with pytest.raises(UsageError, match=r"was asked to stop already|is over already"):
        single.jobs.cancel("under-way")
    job = single.reaches("under-way", "ended")
    assert job.end is not None and job.end.stop_reason == "interrupted" and "posted 3" in job.end.answer
    assert set(single.posts("under-way")) == {1}
    with pytest.raises(UsageError, match="is over already: ended"):
        single.jobs.cancel("under-way")
    assert single.posts("queued") == []
    single.jobs.resume("queued")
    single.reaches("queued", "ended")
    assert single.posts("queued") == [1]
    with pytest.raises(UsageError, match="nothing to continue: it is ended"):
        single.jobs.resume("queued")


@pytest.mark.requirement("X5c")
def test_runs_go_by_priority_and_within_the_limit_of_all_workers(single: Place) -> None:
    """One at a time: the lowest number first, and of these the oldest."""
    single.submit("before", rounds=500)
    until(lambda: single.posts("before"))
    for name, priority in (("late", 9), ("second", 5), ("third", 5), ("first", 1)):
        single.jobs.submit(errands.opening(name, 1, single.counts.tool), priority)
    assert {single.jobs.get(name).state for name in ("late", "second", "third", "first")} == {"queued"}
    single.jobs.cancel("before")
    single.reaches("late", "ended")
    with sqlite3.connect(single.folder / "counts.sqlite") as file:
        order = [key.partition(":")[0] for (key,) in file.execute("SELECT key FROM posts ORDER BY rowid")]
    assert [name for name in order if name in ("late", "second", "third", "first")] == [
        "first",
        "second",
        "third",
        "late",
    ]


@pytest.mark.requirement("X5c")
def test_a_worker_has_as_many_runs_at_once_as_it_may(shared: Place) -> None:
    """Two: the third waits until one of them is stopped."""
    names = ["one", "two", "three"]
    for name in names:
        shared.submit(name, rounds=5000)
    until(lambda: shared.posts("one") and shared.posts("two"))
    assert shared.jobs.get("three").state == "queued" and shared.posts("three") == []
    shared.jobs.cancel("one")
    until(lambda: shared.posts("three"))
    for name in names[1:]:
        shared.jobs.cancel(name)
    for name in names:
        shared.reaches(name, "ended")


@pytest.mark.requirement("X5b")
def test_an_entry_is_read_as_it_was_written(shared: Place) -> None:
    """A text with any character survives the database."""
    shared.submit("text", task=aeon.Task(text="Ω “x” \u2028 \U0001f600"))
    shared.reaches("text", "ended")
    assert shared.jobs.journal("text").opened.task.text == "Ω “x” \u2028 \U0001f600"
    assert all(isinstance(entry, Entry) for entry in shared.jobs.journal("text").entries.values())
