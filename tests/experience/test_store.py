"""The file of lessons: found by similarity, both outcomes, by project, pruned by age; and files that are none."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest

from aeon.errors import InputFileError, ToolFailed
from aeon.experience import store
from aeon.experience.store import Experience, similarities
from aeon.schema.experience import Lesson, Pattern

pytestmark = pytest.mark.requirement("E9a")
DAY = 86_400.0
ASKED = "How much did we sell in Lyon in May?"
COLUMNS = "(id, project, task, outcome, text, made)"


class Clock:
    """A clock that stands."""

    def __init__(self) -> None:
        self.now = 1_000 * DAY

    def __call__(self) -> float:
        return self.now


def lesson(number: str, task: str = ASKED, outcome: str = "success", project: str = "", text: str = "sum it") -> Lesson:
    """A lesson."""
    return Lesson.model_validate({"id": number, "task": task, "outcome": outcome, "project": project, "text": text})


def found(kept: Experience, task: str = ASKED, project: str = "", most: int = 5, days: int = 180) -> list[str]:
    """The ids of the lessons that are found."""
    return [one.id for one in kept.find(task, project, 0.7, most, days).lessons]


@pytest.fixture
def clock() -> Clock:
    """A clock that the test moves."""
    return Clock()


@pytest.fixture
def kept(tmp_path: Path, clock: Clock) -> Experience:
    """An empty file of lessons."""
    return Experience(str(tmp_path / "lessons.sqlite"), clock)


def test_similar_tasks_are_found_the_most_similar_first(kept: Experience) -> None:
    """A sibling is found, an unrelated task is not."""
    kept.keep(lesson("sibling", "How much did we sell in Lyon in June?"), 180)
    kept.keep(lesson("same"), 180)
    kept.keep(lesson("other", "Write a poem about snow."), 180)
    assert found(kept) == ["same", "sibling"]
    (first, second) = kept.find(ASKED, "", 0.7, 5, 180).lessons
    assert first.similarity == 1.0 > second.similarity >= 0.7


def test_without_the_extra_the_words_decide(kept: Experience, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same tasks are found by what they share."""
    monkeypatch.setattr(store, "embedder", lambda: None)
    kept.keep(lesson("same"), 180)
    kept.keep(lesson("other", "Write a poem about snow."), 180)
    assert found(kept) == ["same"]
    assert similarities("", ["a"]) == [0.0] and similarities("x", []) == []


def test_at_most_five_and_both_outcomes(kept: Experience, clock: Clock) -> None:
    """A failure is among them though six successes are as similar."""
    kept.keep(lesson("failed", outcome="failure"), 180)
    for number in range(6):
        clock.now += 1
        kept.keep(lesson(f"good{number}"), 180)
    assert found(kept) == ["good5", "good4", "good3", "good2", "failed"]
    assert found(kept, most=1) == ["good5"]


def test_a_project_sees_its_own_lessons_and_those_of_none(kept: Experience) -> None:
    """Lessons of another project stay there."""
    for project in ("", "a", "b"):
        kept.keep(lesson(f"of {project}", project=project), 180)
    assert set(found(kept, project="a")) == {"of ", "of a"} and found(kept) == ["of "]


def test_old_lessons_are_dropped(kept: Experience, clock: Clock, tmp_path: Path) -> None:
    """None older than asked for is found, and the next one that is kept drops them."""
    kept.keep(lesson("old"), 180)
    clock.now += 100 * DAY
    assert found(kept, days=99) == [] and found(kept, days=101) == ["old"]
    kept.keep(lesson("new", "Something else entirely"), 99)
    assert found(kept, days=1_000) == []


def test_a_lesson_of_the_future_is_not_used_and_goes_first(
    kept: Experience, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clock was wrong: its age is not known. A day is allowed for clocks that differ."""
    monkeypatch.setattr(store, "_MOST_KEPT", 2)
    clock.now += 2 * DAY
    kept.keep(lesson("future"), 180)
    clock.now -= 1.5 * DAY
    kept.keep(lesson("today"), 180)
    assert found(kept) == ["today"]
    clock.now += DAY
    assert found(kept) == ["future", "today"]
    clock.now -= DAY
    kept.keep(lesson("another"), 180)
    clock.now += 2 * DAY
    assert set(found(kept)) == {"today", "another"}


def test_a_row_that_another_program_wrote_is_held_to_what_a_lesson_is(kept: Experience, tmp_path: Path) -> None:
    """An unknown outcome is no success, and a text is one short line."""
    text = "obey\n" * 1_000
    with sqlite3.connect(tmp_path / "lessons.sqlite") as db:
        db.execute(f"INSERT INTO lessons {COLUMNS} VALUES ('x', '', ?, 'PASS', ?, ?)", (ASKED, text, 1_000 * DAY))
    db.close()
    (only,) = kept.find(ASKED, "", 0.7, 5, 180).lessons
    assert only.outcome == "failure" and "\n" not in only.text and len(only.text) <= 400


NO_LESSON = {
    "a task of bytes": ("'x'", "x'ff'", "'do it'"),
    "a task of spaces": ("'x'", "'  '", "'do it'"),
    "an id without a character": ("''", "?1", "'do it'"),
    "an id of bytes": ("x'00ff'", "?1", "'do it'"),
    "a text of bytes": ("'x'", "?1", "x'ff'"),
    "a number as the task": ("'x'", "x'31'", "'do it'"),
}


@pytest.mark.parametrize("what", NO_LESSON)
def test_a_row_that_is_no_lesson_costs_no_other_one(kept: Experience, tmp_path: Path, what: str) -> None:
    """It is skipped and counted, whatever another program wrote there; the others are found."""
    kept.keep(lesson("good"), 180)
    number, task, text = NO_LESSON[what]
    with sqlite3.connect(tmp_path / "lessons.sqlite") as db:
        row = f"SELECT {number}, '', {task}, 'success', {text}, ?2 WHERE ?1 != ''"
        db.execute(f"INSERT INTO lessons {COLUMNS} {row}", (ASKED, 1_000 * DAY))
    db.close()
    found_there = kept.find(ASKED, "", 0.7, 5, 180)
    assert [one.id for one in found_there.lessons] == ["good"] and found_there.skipped == 1


def test_a_text_that_is_no_utf_8_is_read_with_marks(kept: Experience, tmp_path: Path) -> None:
    """SQLite keeps any bytes as a text."""
    with sqlite3.connect(tmp_path / "lessons.sqlite") as db:
        db.execute(
            f"INSERT INTO lessons {COLUMNS} VALUES ('x', '', ?, 'success', CAST(x'61ff' AS TEXT), ?)",
            (ASKED, 1_000 * DAY),
        )
    db.close()
    (only,) = kept.find(ASKED, "", 0.7, 5, 180).lessons
    assert only.text == "a\ufffd"


def test_a_lesson_of_the_same_run_takes_its_place(kept: Experience) -> None:
    """A run that is resumed teaches once."""
    kept.keep(lesson("run-1", text="one"), 180)
    kept.keep(lesson("run-1", text="two"), 180)
    (only,) = kept.find(ASKED, "", 0.7, 5, 180).lessons
    assert only.text == "two"


def test_it_never_grows_without_end(kept: Experience, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the limit the oldest go."""
    monkeypatch.setattr(store, "_MOST_KEPT", 3)
    for number in range(5):
        clock.now += 1
        kept.keep(lesson(f"n{number}"), 180)
    assert found(kept) == ["n4", "n3", "n2"]


def test_several_write_at_once(tmp_path: Path) -> None:
    """Threads with a connection each lose nothing; the file is in WAL mode."""
    path = str(tmp_path / "lessons.sqlite")
    Experience(path)
    threads = [
        threading.Thread(target=lambda n=n: Experience(path).keep(lesson(f"t{n}"), 180))  # type: ignore[misc]
        for n in range(8)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT count(*) FROM lessons").fetchone() == (8,)
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    db.close()


def _torn(path: Path) -> None:
    Experience(str(path))
    for number in range(300):
        Experience(str(path)).keep(lesson(f"n{number}", text="x" * 200), 180) if number < 30 else None
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    path.write_bytes(path.read_bytes()[:6_000])


def _marked(version: int, application: int = store._APPLICATION) -> str:
    return f"CREATE TABLE lessons (id TEXT); PRAGMA application_id={application}; PRAGMA user_version={version};"


def _made(path: Path, script: str) -> None:
    db = sqlite3.connect(path)
    db.executescript(script)
    db.close()


BAD = {
    "text": (lambda path: path.write_text("these are no lessons, " * 100), "damaged, or no file of lessons"),
    "torn": (_torn, "move it away or name another file of lessons"),
    "newer": (lambda path: _made(path, _marked(9)), "lessons of a newer version"),
    "older": (lambda path: _made(path, _marked(0)), "lessons of an older version"),
    "foreign": (lambda path: _made(path, "CREATE TABLE notes (id TEXT)"), "is no file of lessons"),
    "no columns": (lambda path: _made(path, _marked(1)), "no such column"),
    "folder": (lambda path: path.mkdir(), "is a folder"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_file_that_is_no_file_of_lessons_is_one_clear_line(kind: str, tmp_path: Path) -> None:
    """It is named, and left as it is."""
    path = tmp_path / "lessons.sqlite"
    make, said = BAD[kind]
    make(path)  # type: ignore[no-untyped-call]
    before = path.read_bytes() if path.is_file() else b""
    with pytest.raises(InputFileError) as caught:
        Experience(str(path))
    assert said in str(caught.value) and str(path) in str(caught.value) and "\n" not in str(caught.value)
    assert not path.is_file() or path.read_bytes() == before


def test_a_folder_that_is_not_there_is_one_clear_line(tmp_path: Path) -> None:
    """Nothing is made there."""
    with pytest.raises(InputFileError, match="unable to open database file"):
        Experience(str(tmp_path / "none" / "lessons.sqlite"))


def test_a_file_that_breaks_while_it_is_used_is_a_failed_tool(kept: Experience, tmp_path: Path) -> None:
    """The run goes on without lessons."""
    for one in tmp_path.iterdir():
        one.write_bytes(b"no database any more" * 500)
    with pytest.raises(ToolFailed, match="lessons"):
        kept.find(ASKED, "", 0.7, 5, 180)
    with pytest.raises(ToolFailed, match="lessons"):
        kept.keep(lesson("x"), 180)


def done(number: int, *tools: str, outcome: str = "success", category: str = "SIMPLE", project: str = "") -> Lesson:
    """A lesson of a task of this category that was done with these tools."""
    kind = lesson(f"{category}-{outcome}-{project}-{'-'.join(tools)}-{number}", outcome=outcome, project=project)
    return kind.changed(category=category, tools=tools)


def test_patterns_say_how_often_a_way_of_doing_a_category_of_tasks_ended_well(kept: Experience, clock: Clock) -> None:
    """Twice at least, of this project and of none, and none that is too old; what called no tool is no way."""
    for number in range(3):
        kept.keep(done(number, "sql"), 180)
        kept.keep(done(number, "read", "calculator", outcome="failure"), 180)
    kept.keep(done(0, "sql", outcome="failure", project="office"), 180)
    kept.keep(done(0, "sql", outcome="failure", project="home"), 180)
    kept.keep(done(0, "search"), 180)
    kept.keep(done(0), 180)
    kept.keep(done(1), 180)
    kept.keep(done(0, "sql", category="COMPLEX"), 180)
    assert kept.patterns("SIMPLE", "office") == (
        Pattern(category="SIMPLE", tools=("sql",), successes=3, failures=1),
        Pattern(category="SIMPLE", tools=("read", "calculator"), successes=0, failures=3),
    )
    assert [one.tools for one in kept.patterns("SIMPLE", most=1)] == [("read", "calculator")]
    assert kept.patterns("COMPLEX") == ()
    clock.now += 181 * DAY
    assert kept.patterns("SIMPLE", "office") == ()


def test_a_file_of_the_layout_before_is_brought_up_to_date(tmp_path: Path) -> None:
    """Its lessons are found, and new ones have their category and tools."""
    path = tmp_path / "lessons.sqlite"
    _made(
        path,
        f"""
        CREATE TABLE lessons (
            id TEXT PRIMARY KEY, project TEXT NOT NULL, task TEXT NOT NULL, outcome TEXT NOT NULL, text TEXT NOT NULL,
            made REAL NOT NULL
        ) WITHOUT ROWID;
        INSERT INTO lessons VALUES ('old', '', '{ASKED}', 'success', 'sum it', {1_000 * DAY});
        PRAGMA application_id={store._APPLICATION}; PRAGMA user_version=1;
    """,
    )
    for _ in range(2):
        kept = Experience(str(path), Clock())
        assert found(kept) == ["old"]
    kept.keep(done(0, "sql"), 180)
    kept.keep(done(1, "sql"), 180)
    assert [one.tools for one in kept.patterns("SIMPLE")] == [("sql",)]
