"""The time that a run takes to read its files is the run's, wherever a run reads for itself."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from approving import Approving

from aeon import Budget, Config, build
from aeon.assembly.build import resumption
from aeon.errors import UsageError
from aeon.llm.scripted import Reply
from aeon.runtime.journal import Journal
from aeon.schema import LLMRequest
from aeon.tools.files import Files
from tests.second import way_of

pytestmark = [pytest.mark.usefixtures("indexes"), pytest.mark.requirement("K9")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A table and a text."""
    place = tmp_path / "mill"
    place.mkdir()
    (place / "mill.txt").write_text("The mill was built in 1883.")
    (place / "loaves.csv").write_text("loaf,price\nrye,3\n")
    return place


def model() -> Approving:
    """Writes a sum, whatever it is asked."""

    def reply(request: LLMRequest) -> Reply:
        return {"program": "print(2 + 3)", "reading": "not stated"}.get(way_of(request), "SELECT 1")

    return Approving(reply)


def starts(journal: Journal) -> list[float]:
    """When the effects of a run began, in seconds of the run."""
    return [entry.started for _, entry in sorted(journal.entries.items())]


def test_what_was_read_for_one_run_is_the_first_of_its_time(folder: Path) -> None:
    """Every effect begins later by that, once: the files serve a second run without being read again."""
    journals: list[Journal] = []

    def kept(_: str) -> Journal:
        journals.append(Journal())
        return journals[-1]

    read = Files.for_run(folder, None)
    assert read.seconds > 0
    orchestrator = build(llm=model(), tools=[replace(read, seconds=40.0)], journal=kept)
    for _ in range(2):
        orchestrator.execute("How much is that?")
    first, second = map(starts, journals)
    assert first[0] == 40.0 and 40.0 <= max(first) < 60.0
    assert second[0] == 0.0 and max(second) < 20.0


def test_a_run_whose_time_went_into_reading_ends_in_an_answer(folder: Path) -> None:
    """It stops for its seconds, as if a model had taken them."""
    config = Config(budget=Budget(seconds=30.0))
    result = build(llm=model(), tools=[replace(Files.open(folder), seconds=40.0)], config=config).execute("How much?")
    assert result.answer and result.stop_reason == "seconds_exhausted" and result.usage.calls == 0


def test_a_run_that_is_continued_is_charged_for_reading_again(folder: Path, tmp_path: Path) -> None:
    """What is on record keeps its times; the first effect after it begins later, and a replay finds the same."""
    path = tmp_path / "run.jsonl"
    build(llm=model(), files=folder, journal=lambda _: Journal(path)).execute("How much is that?")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:4]))
    before = starts(Journal.read(path))
    again = resumption(Journal.reopen(path), model(), [replace(Files.open(folder), seconds=40.0)])
    result = again.execute()
    after = starts(Journal.read(path))
    assert result.answer and after[: len(before)] == before and max(before) < 40.0 <= after[len(before)] < 60.0


def test_a_run_that_is_continued_reads_its_own_folder_on_its_own_time(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In Python as on the command line: `resumption` opens what the journal names."""
    path = tmp_path / "run.jsonl"
    build(llm=model(), files=folder, journal=lambda _: Journal(path)).execute("How much is that?")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:4]))
    before = starts(Journal.read(path))
    whole = Files.for_run
    monkeypatch.setattr(Files, "for_run", lambda *given: replace(whole(*given), seconds=40.0))
    resumption(Journal.reopen(path), model()).execute()
    assert starts(Journal.read(path))[len(before)] >= 40.0


def test_what_is_read_for_many_runs_has_a_limit_of_its_own(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After it no file is read any more, and what was left out is said; a limit that is no number is refused."""
    monkeypatch.setenv("AEON_READ_SECONDS", "1e-9")
    late = Files.open(folder)
    assert {name for name, _ in late.skipped} == {"mill.txt", "loaves.csv"} and late.seconds == 0.0
    assert asyncio.run(build(llm=model(), files=folder).aexecute("How much is that?")).answer
    monkeypatch.setenv("AEON_READ_SECONDS", "soon")
    with pytest.raises(UsageError, match="AEON_READ_SECONDS: 'soon' is no number of seconds above 0"):
        build(llm=model(), files=folder)
