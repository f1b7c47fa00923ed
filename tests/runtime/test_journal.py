"""The journal: on disk before the next effect, never overwritten, and read back only if it is as it was written."""

from __future__ import annotations

import asyncio
import errno
import io
import json
import re
from pathlib import Path

import pytest
from kernel.world import World, step

from aeon.errors import InputFileError, JournalError
from aeon.kernel.passes import MULTIPASS
from aeon.runtime.driver import AsyncDriver
from aeon.runtime.journal import Journal
from aeon.runtime.lines import Entry, fingerprint
from aeon.runtime.replay import replay
from aeon.schema import Config, Outcome, Result, Value
from aeon.schema.effects import Effect
from runtime.handlers import job

STEPS = (step("a"), step("b"), step("c", "a"))


def saved(path: Path, world: World | None = None) -> Result:
    """A run whose journal is on disk."""
    return AsyncDriver(journal=lambda execution_id: Journal(path)).execute(job(world or World(STEPS)))


@pytest.mark.requirement("H1")
def test_a_journal_in_memory_holds_every_effect_of_the_run() -> None:
    """One entry per effect, numbered from 0, with phase and usage."""
    journal = Journal()
    result = AsyncDriver(journal=lambda execution_id: journal).execute(job(World(STEPS)))
    assert sorted(journal.entries) == list(range(9))
    phases = [journal.entries[n].phase for n in range(9)]
    assert phases == ["profile", "plan", "validate_plan", *["execute"] * 3, "validate_results", "assess", "synthesize"]
    assert sum(e.usage.calls for e in journal.entries.values()) == result.usage.calls
    assert journal.opening and journal.opening.execution_id == result.history.execution_id


@pytest.mark.requirement("H1")
def test_each_line_is_on_disk_before_the_next_effect_is_issued(tmp_path: Path) -> None:
    """Every handler finds the outcomes of all batches before it in the file, whole."""
    path = tmp_path / "run.jsonl"
    world = World(STEPS)
    seen: list[tuple[str, int]] = []
    reply = world.reply

    def look(effect: Effect) -> Value:
        lines = path.read_bytes().split(b"\n")
        assert lines.pop() == b""
        seen.append((effect.phase, len([json.loads(line) for line in lines])))
        return reply(effect)

    world.reply = look  # type: ignore[method-assign]
    saved(path, world)
    counts = dict(seen)
    assert (counts["profile"], counts["plan"], counts["validate_plan"]) == (1, 2, 3)
    assert (counts["validate_results"], counts["assess"], counts["synthesize"]) == (7, 8, 9)


@pytest.mark.requirement("H1")
def test_a_journal_on_disk_reads_back_as_it_was(tmp_path: Path) -> None:
    """The same entries and the same opening."""
    kept: list[Journal] = []
    path = tmp_path / "run.jsonl"
    AsyncDriver(journal=lambda execution_id: kept.append(Journal(path)) or kept[0]).execute(job(World(STEPS)))  # type: ignore[func-returns-value]
    again = Journal.read(path)
    assert (again.opening, again.entries) == (kept[0].opening, kept[0].entries)


@pytest.mark.requirement("H1")
def test_an_existing_file_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    """A journal is never overwritten."""
    path = tmp_path / "run.jsonl"
    path.write_text("mine")
    with pytest.raises(InputFileError, match="exists already"):
        saved(path)
    assert path.read_text() == "mine"


@pytest.mark.requirement("H1")
def test_a_file_in_a_missing_folder_is_refused_before_anything_runs(tmp_path: Path) -> None:
    """The message names the file."""
    world = World()
    with pytest.raises(InputFileError, match=r"gone/run\.jsonl: cannot be written: No such file"):
        saved(tmp_path / "gone" / "run.jsonl", world)
    assert world.effects == []


@pytest.mark.requirement("H1")
@pytest.mark.parametrize("text", ["", "\n", "hello", "[]", "{}", '{"format": "x"}', '{"a":' * 9999, "\x89PNG\n"])
def test_a_file_of_another_program_is_refused(tmp_path: Path, text: str) -> None:
    """One line says that it is no journal and how to get one."""
    path = tmp_path / "file"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(InputFileError, match="this is no Aeon journal"):
        Journal.read(path)


@pytest.mark.requirement("H1")
def test_a_journal_of_another_version_is_refused(tmp_path: Path) -> None:
    """The message names the version."""
    path = tmp_path / "run.jsonl"
    saved(path)
    path.write_bytes(path.read_bytes().replace(b'"version":2', b'"version":9', 1))
    with pytest.raises(InputFileError, match="journal version 9"):
        Journal.read(path)


@pytest.mark.requirement("H1")
def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    """The message names the file."""
    with pytest.raises(InputFileError, match="none: cannot be read: No such file"):
        Journal.read(tmp_path / "none")


@pytest.mark.requirement("H1")
@pytest.mark.parametrize("number", range(10))
def test_an_edit_of_any_line_is_found_and_named(tmp_path: Path, number: int) -> None:
    """Also one that no replay would stumble over, such as another answer in the last line."""
    path = tmp_path / "run.jsonl"
    saved(path)
    lines = path.read_bytes().split(b"\n")
    edits = {0: (b"How much", b"How many"), 9: (b"the answer", b"an answer.")}
    lines[number] = lines[number].replace(*edits.get(number, (b'"prompt_tokens":90', b'"prompt_tokens":91')))
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(JournalError, match=f"line {number + 1} is damaged or was edited"):
        Journal.read(path)


@pytest.mark.requirement("H1")
@pytest.mark.parametrize("change", ["swapped", "doubled", "dropped"])
def test_lines_that_were_moved_are_found(tmp_path: Path, change: str) -> None:
    """Each line's seal covers the line before it."""
    path = tmp_path / "run.jsonl"
    saved(path)
    lines = path.read_bytes().splitlines(keepends=True)
    middle = {"swapped": [lines[4], lines[3]], "doubled": [lines[3], lines[3], lines[4]], "dropped": [lines[4]]}
    path.write_bytes(b"".join([*lines[:3], *middle[change], *lines[5:]]))
    with pytest.raises(JournalError, match=r"line \d is damaged"):
        Journal.read(path)


@pytest.mark.requirement("H1")
def test_a_journal_cut_at_any_byte_is_never_taken_as_whole(tmp_path: Path) -> None:
    """It says that the run had not ended, unless every outcome is there and only the note of its end is missing."""
    path, cut = tmp_path / "run.jsonl", tmp_path / "cut.jsonl"
    result = saved(path)
    data = path.read_bytes()
    ends = sorted(n + 1 for n, byte in enumerate(data) if byte == 10)
    complete = ends[-2]
    for size in sorted({*range(0, len(data), 97), *ends, *(e - 1 for e in ends)}):
        cut.write_bytes(data[:size])
        if size >= complete:
            assert replay(Journal.read(cut), MULTIPASS) == result
            continue
        with pytest.raises((JournalError, InputFileError)):
            replay(Journal.read(cut), MULTIPASS)


@pytest.mark.requirement("H1")
@pytest.mark.parametrize("partial", [0, 40])
@pytest.mark.parametrize("good", [0, 1, 4])
def test_a_full_disk_is_one_clear_error_and_what_was_saved_stays_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, good: int, partial: int
) -> None:
    """No half a line is left behind, and no file without a line."""
    path = tmp_path / "run.jsonl"

    class Full(io.FileIO):
        written = 0

        def write(self, data: bytes) -> int:  # type: ignore[override]
            Full.written += 1
            if Full.written <= good:
                return super().write(data)
            if partial and Full.written == good + 1:
                return super().write(data[:partial])
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("aeon.runtime.sealed.io.FileIO", Full)
    refusal = r"run\.jsonl: cannot be written: No space left on device; (nothing was saved|.*aeon resume)$"
    if not good:
        with pytest.raises(JournalError, match=refusal):
            saved(path)
        assert not path.exists()
        return
    world = World(STEPS)
    result = saved(path, world)
    assert result.stop_reason == "failed" and re.search(refusal, result.detail)
    assert (result.answer, result.assembled) == ("No step was completed: " + result.detail + ".", True)
    assert len(Journal.read(path).entries) == good - 1
    assert len(world.effects) == {1: 1, 4: 5}[good], "the steps of a batch run at once"


@pytest.mark.requirement("K3")
def test_a_fingerprint_tells_any_two_effects_apart() -> None:
    """All effects of a run have different ones, and the same effect always has the same."""
    world = World(STEPS)
    world.run()
    prints = [fingerprint(effect) for effect in world.effects]
    assert len(set(prints)) == len(prints)
    assert prints == [fingerprint(effect.changed()) for effect in world.effects]


@pytest.mark.requirement("H1")
def test_an_entry_gives_its_outcome_back() -> None:
    """Value, usage, times and flags survive the way to JSON and back."""
    world = World(STEPS)
    world.run(Config())
    for number, (effect, outcome) in enumerate(zip(world.effects, world.outcomes, strict=True)):
        entry = Entry.model_validate_json(Entry.of(number, effect, outcome).model_dump_json())
        assert entry.outcome(effect, Config) == outcome
    interrupted = Outcome(interrupted=True, started=1.25, ended=2.5)
    assert Entry.of(0, world.effects[0], interrupted).outcome(world.effects[0], Config) == interrupted


@pytest.mark.requirement("K9")
def test_a_run_closes_its_journal_however_it_ends(tmp_path: Path) -> None:
    """Also where it is cancelled from outside."""
    journals: list[Journal] = []

    async def plan(effect: Effect) -> Value:
        await asyncio.Event().wait()
        raise AssertionError

    async def go() -> None:
        driver = AsyncDriver(journal=lambda execution_id: journals.append(Journal(tmp_path / "run")) or journals[0])  # type: ignore[func-returns-value]
        running = asyncio.create_task(driver.aexecute(job(World(), plan=plan)))
        while not (journals and journals[0].entries):
            await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(go())
    assert journals[0]._store is None
    assert len(Journal.read(tmp_path / "run").entries) == 1
