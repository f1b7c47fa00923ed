"""Files of runs that something happened to: torn, damaged, of another version, or held by another process."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from kernel.world import World, step

import aeon
from aeon.errors import InputFileError, JournalError
from aeon.runtime.journal import Journal
from aeon.runtime.sealed import SealedFile, read_sealed
from runtime.lives import Crash, Striking, lived, went_on, world

ROOTS = f"{Path(aeon.__file__).parents[1]}:{Path(__file__).parents[1]}"
SMALL = (step("a"), step("b"))


def python(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """What another process says."""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env={"PYTHONPATH": ROOTS}, check=False)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A small run that has ended."""
    path = tmp_path / "run.jsonl"
    lived(path, World(SMALL))
    return path


REOPEN = """
import sys
from aeon.errors import AeonError
from aeon.runtime.journal import Journal
try:
    print(len(Journal.reopen(sys.argv[1]).entries), "entries")
except AeonError as error:
    print(f"{type(error).__name__}: {error}")
"""


@pytest.mark.requirement("X3", "K9")
def test_a_second_process_cannot_go_on_with_the_same_run(saved: Path) -> None:
    """It is told so in one line, and may look at it; once the first has let go, it may."""
    journal = Journal.reopen(saved)
    said = python(REOPEN, saved).stdout
    assert said == f"InputFileError: {saved}: another process is working on this run; wait until it has ended\n"
    assert len(Journal.read(saved).entries) == 8
    journal.close()
    assert python(REOPEN, saved).stdout == "8 entries\n"


@pytest.mark.requirement("X3", "K9")
def test_a_run_under_way_is_locked_from_its_first_line_on(tmp_path: Path) -> None:
    """Another process cannot take it up while it runs."""
    path = tmp_path / "run.jsonl"
    journal = Journal(path)
    said: list[str] = []
    lived(journal, World(), observers=(lambda _: said.append(python(REOPEN, path).stdout) if not said else None,))
    assert "another process is working on this run" in said[0]


HOLD = """
import os, signal, sys
from aeon.runtime.sealed import SealedFile
file = SealedFile.reopen(sys.argv[1])[0]
file.append(b'{"line":"checkpoint"}')
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.requirement("X3", "X5")
def test_the_lock_of_a_process_that_was_killed_is_gone(saved: Path) -> None:
    """The run can be taken up at once, and nothing but the journal lies in its folder at any time."""
    assert python(HOLD, saved).returncode == -signal.SIGKILL
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]
    file, lines, torn = SealedFile.reopen(saved)
    assert (len(lines), torn) == (11, False)
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]
    file.close()


@pytest.mark.requirement("X3")
def test_a_journal_is_read_by_the_handle_that_holds_its_lock(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a lock keeps all other handles from reading, as on Windows, a run is taken up all the same."""

    def locked(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    whole = len(read_sealed(saved)[0])
    monkeypatch.setattr(Path, "read_bytes", locked)
    file, lines, _ = SealedFile.reopen(saved)
    file.close()
    assert len(lines) == whole


@pytest.mark.requirement("X3", "H1")
@pytest.mark.parametrize("kept", [1, 40, -2, -1])
def test_a_torn_last_line_is_cut_off_and_said(tmp_path: Path, saved: Path, kept: int) -> None:
    """Wherever it broke off, the journal holds what was there before, and the run comes to the same bytes."""
    whole = saved.read_bytes()
    for lines in (2, 5, 9):
        path = tmp_path / f"torn{lines}.jsonl"
        ends = [n + 1 for n, byte in enumerate(whole) if byte == 10]
        start, end = ends[lines - 1], ends[lines]
        path.write_bytes(whole[: start + kept] if kept > 0 else whole[: end + kept + 1 - 1])
        journal = Journal.read(path)
        assert (journal.torn, len(journal.entries)) == (True, lines - 1)
        result = went_on(path, World(SMALL))
        assert (result.stop_reason, path.read_bytes()) == ("converged", whole)


@pytest.mark.requirement("X3", "H1")
@pytest.mark.parametrize("hole", ["at the end", "instead of a line", "in the last line"])
def test_what_a_power_cut_leaves_of_a_line_does_not_count(saved: Path, hole: str) -> None:
    """A file system may give back zeros for what had not reached the disk, with or without the line's end."""
    whole = saved.read_bytes()
    *before, last = whole.splitlines(keepends=True)
    left = {
        "at the end": whole + bytes(3000),
        "instead of a line": b"".join(before) + bytes(len(last)),
        "in the last line": b"".join(before) + last[:20] + bytes(len(last) - 40) + last[-20:],
    }
    saved.write_bytes(left[hole])
    assert Journal.read(saved).torn
    went_on(saved, World(SMALL))
    assert saved.read_bytes() == whole


@pytest.mark.requirement("H1")
@pytest.mark.parametrize("left", [b"", b"\0" * 100, b'{"format":"aeon-journal","versio', None])
def test_a_first_line_that_never_got_to_disk_is_told(saved: Path, left: bytes | None) -> None:
    """There is nothing to go on with, and the message says what to do."""
    whole = saved.read_bytes().splitlines(keepends=True)[0]
    saved.write_bytes(whole[:40] + bytes(40) + whole[80:] if left is None else left)
    for opened in (Journal.read, Journal.reopen):
        with pytest.raises(InputFileError, match=r"no Aeon journal|holds no run") as caught:
            opened(saved)
        assert "\n" not in str(caught.value) and str(saved) in str(caught.value)


@pytest.mark.requirement("H1", "X3")
@pytest.mark.parametrize("seed", range(8))
def test_flipped_bits_are_found_wherever_they_are(saved: Path, seed: int) -> None:
    """One clear line, and no damaged line ever counts; only the last one can pass for one that a crash cut short."""
    random, whole = Random(seed), saved.read_bytes()
    start = whole.rindex(b"\n", 0, -1) + 1
    for _ in range(40):
        at = random.randrange(len(whole))
        damaged = bytearray(whole)
        damaged[at] ^= 1 << random.randrange(8)
        saved.write_bytes(damaged)
        try:
            journal = Journal.read(saved)
        except (InputFileError, JournalError) as error:
            assert "\n" not in str(error) and str(saved) in str(error)
        else:
            assert at >= start and journal.torn and journal.ended is None


@pytest.mark.requirement("H1")
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"line": "entry", "version": 1}, "line 11 is of version 1, which this Aeon does not read"),
        ({"line": "checkpoint", "version": 3}, "line 11 is of version 3"),
        ({"line": "checkpoint", "version": 2}, "line 11 is no line of a journal"),
        ({"line": "entry", "number": "x"}, "line 11 is no line of a journal"),
        ({}, "line 11 is no line of a journal"),
    ],
)
def test_a_line_that_another_version_wrote_is_refused_by_version(saved: Path, line: object, said: str) -> None:
    """Its seal is right, and still nobody guesses what it means."""
    file, _, _ = SealedFile.reopen(saved)
    file.append(json.dumps(line).encode())
    file.close()
    for opened in (Journal.read, Journal.reopen):
        with pytest.raises((InputFileError, JournalError), match=said):
            opened(saved)
    assert len(read_sealed(saved)[0]) == 11


@pytest.mark.requirement("H1")
def test_a_refused_file_can_be_opened_by_others(saved: Path) -> None:
    """Nothing stays locked behind an error."""
    file, _, _ = SealedFile.reopen(saved)
    file.append(b'{"line":"checkpoint"}')
    file.close()
    for _ in range(2):
        with pytest.raises(JournalError, match="is no line of a journal"):
            Journal.reopen(saved)


@pytest.mark.requirement("H1")
def test_a_folder_and_a_file_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    """The message names the path and the reason."""
    for opened in (Journal.read, Journal.reopen):
        with pytest.raises(InputFileError, match="cannot be read: Is a directory"):
            opened(tmp_path)
        with pytest.raises(InputFileError, match="cannot be read: No such file"):
            opened(tmp_path / "none")
    link = tmp_path / "link"
    link.symlink_to(link)
    with pytest.raises(InputFileError, match="cannot be read: "):
        Journal.read(link)


@pytest.mark.requirement("H1", "X3")
def test_a_file_that_cannot_be_written_can_still_be_looked_at(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Going on with it is refused in one line."""

    def denied(path: object, mode: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("aeon.runtime.sealed.io.FileIO", denied)
    with pytest.raises(InputFileError, match=r"run\.jsonl: cannot be opened: Permission denied"):
        Journal.reopen(saved)
    assert len(Journal.read(saved).entries) == 8


FULL = """
import resource, signal, sys
from pathlib import Path
from aeon.errors import AeonError
from runtime.lives import lived, world
size = int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
try:
    result = lived(Path(sys.argv[1]), world())
    print(f"{result.stop_reason}: {result.detail}")
except AeonError as error:
    print(f"{type(error).__name__}: {error}")
"""


@pytest.mark.requirement("H1", "X3")
@pytest.mark.parametrize("share", [0.02, 0.2, 0.55, 0.9])
def test_a_disk_that_is_full_leaves_a_run_that_can_be_continued(tmp_path: Path, share: float) -> None:
    """The run ends in an answer that says so; what was saved is whole; resumed, it ends as an undisturbed one."""
    path, other = tmp_path / "run.jsonl", tmp_path / "other.jsonl"
    lived(other, world())
    room = int(len(other.read_bytes()) * share)
    said = python(FULL, path, room)
    if share == 0.02:
        assert said.stdout == f"JournalError: {path}: cannot be written: File too large; nothing was saved\n"
        assert not path.exists()
        return
    rest = "what was saved before is whole; continue with: aeon resume"
    assert said.stdout == f"failed: {path}: cannot be written: File too large; {rest}\n"
    assert path.stat().st_size <= room and not Journal.read(path).torn
    went_on(path, world())
    assert path.read_bytes() == other.read_bytes()


@pytest.mark.requirement("H1", "X3")
def test_nothing_is_issued_once_the_journal_cannot_be_kept(tmp_path: Path) -> None:
    """A run that goes on without its journal could not be taken up again."""
    answered = world()
    with pytest.raises(Crash):
        lived(Striking(tmp_path / "run.jsonl", 3, after=False), answered)
    assert answered.phases == ["profile", "plan", "validate_plan"]
