"""The file of lessons: what earlier runs learnt, found by the similarity of their tasks.

One SQLite file, in WAL mode, which several processes may use. A lesson is found by the embedding of its task, the same
that collections are searched with; without the extra embeddings, by the words that the tasks share.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence

from pydantic import TypeAdapter, ValidationError

from aeon.documents.embedding import embedder, numpy
from aeon.errors import InputFileError, ToolFailed
from aeon.language.words import stems
from aeon.schema.experience import Lesson, Lessons, Pattern
from aeon.text import one_line, printable

__all__ = ["Experience", "similarities"]

_APPLICATION = 0x41454C45
"""SQLite's application id of a file of lessons."""
_LAYOUT = 2
_OLDER = """
    ALTER TABLE lessons ADD COLUMN category TEXT NOT NULL DEFAULT '';
    ALTER TABLE lessons ADD COLUMN tools TEXT NOT NULL DEFAULT '[]';
"""
"""What a file of layout 1 lacks: it knew no category and no tools."""
_BUSY_SECONDS = 10.0
_DAY = 86_400.0
_LONGEST = 400
"""Characters of a lesson's task, and of its text."""
_MOST_KEPT = 10_000
"""Lessons that a file holds; beyond them the oldest go, so that a search stays fast."""
_TABLES = """
    CREATE TABLE IF NOT EXISTS lessons (
        id TEXT PRIMARY KEY, project TEXT NOT NULL, task TEXT NOT NULL, outcome TEXT NOT NULL, text TEXT NOT NULL,
        made REAL NOT NULL, category TEXT NOT NULL DEFAULT '', tools TEXT NOT NULL DEFAULT '[]'
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS lessons_made ON lessons (made);
"""
_KEEP = """
    INSERT OR REPLACE INTO lessons (id, project, task, outcome, text, made, category, tools)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
_PATTERNS = """
    SELECT tools, sum(outcome = 'success'), sum(outcome <> 'success') FROM lessons
    WHERE category = ? AND project IN ('', ?) AND made BETWEEN ? AND ? AND tools <> '[]'
    GROUP BY tools HAVING count(*) > 1 ORDER BY count(*) DESC, tools LIMIT ?
"""
_TOOLS = TypeAdapter(tuple[str, ...])


class Experience:
    """The lessons in a file, which is made if it is not there. Several threads and processes may use it.

    ``clock`` gives the time in seconds since 1970.

    Raises:
        InputFileError: the file is damaged, of another version or program, or cannot be opened or made.
    """

    def __init__(self, path: str, clock: Callable[[], float] = time.time) -> None:
        self._path, self._clock = path, clock
        if os.path.isdir(path):
            raise InputFileError(f"{path}: is a folder; name a file of lessons")
        try:
            with self._opened() as db:
                self._prepare(db)
        except sqlite3.Error as error:
            raise InputFileError(f"{path}: {_problem(error)}; move it away or name another file of lessons") from None

    def keep(self, lesson: Lesson, days: int) -> None:
        """Keep a lesson, in the place of one of the same id; those older than ``days`` are dropped.

        Raises:
            ToolFailed: the file cannot be written.
        """
        now = self._clock()
        tools = json.dumps(lesson.tools, ensure_ascii=False)
        row = (lesson.id, lesson.project, lesson.task, lesson.outcome, lesson.text, now, lesson.category, tools)
        with self._used() as db, db:
            db.execute(_KEEP, row)
            db.execute("DELETE FROM lessons WHERE made < ?", (now - days * _DAY,))
            oldest = "SELECT id FROM lessons ORDER BY made > ?, made DESC, id LIMIT -1 OFFSET ?"
            db.execute(f"DELETE FROM lessons WHERE id IN ({oldest})", (now + _DAY, _MOST_KEPT))

    def find(self, task: str, project: str, least: float, most: int, days: int) -> Lessons:
        """The lessons of a project, and of none, whose tasks are at least so similar (0-1), the most similar first.

        Where both outcomes are among them, so they are among those that are given. None is older than ``days``,
        and none is of the future: a clock was wrong, and nobody knows how old it is. Rows that are no lesson are
        skipped and counted.

        Raises:
            ToolFailed: the file cannot be read.
        """
        query = (
            "SELECT id, task, outcome, text, project FROM lessons WHERE project IN ('', ?) AND made BETWEEN ? AND ?"
            " ORDER BY made DESC, id"
        )
        now = self._clock()
        with self._used() as db:
            rows = db.execute(query, (project, now - days * _DAY, now + _DAY)).fetchall()
        every = [lesson for row in rows if (lesson := _lesson(row)) is not None]
        scores = similarities(task, [lesson.task for lesson in every])
        scored = zip(scores, every, strict=True)
        near = [one.changed(similarity=_rounded(score)) for score, one in scored if score >= least]
        near.sort(key=lambda one: -one.similarity)  # of the same score, the latest first
        return Lessons(lessons=_both(near, most), skipped=len(rows) - len(every))

    def patterns(self, category: str, project: str = "", most: int = 5, days: int = 180) -> tuple[Pattern, ...]:
        """The ways in which tasks of a category were done at least twice, the most frequent first, ``most`` of them.

        Of a project, and of none; none older than ``days``, and none of the future.

        Raises:
            ToolFailed: the file cannot be read.
        """
        now = self._clock()
        with self._used() as db:
            rows = db.execute(_PATTERNS, (category, project, now - days * _DAY, now + _DAY, most)).fetchall()
        return tuple(pattern for row in rows if (pattern := _pattern(category, row)) is not None)

    @contextlib.contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        db = sqlite3.connect(self._path, timeout=_BUSY_SECONDS)
        db.text_factory = _decoded
        try:
            yield db
        finally:
            db.close()

    @contextlib.contextmanager
    def _used(self) -> Iterator[sqlite3.Connection]:
        try:
            with self._opened() as db:
                yield db
        except (sqlite3.Error, ValueError) as error:
            raise ToolFailed(f"the lessons in {self._path}: {_problem(error)}") from None

    def _prepare(self, db: sqlite3.Connection) -> None:
        """Make the tables of a new file; of one that is there, look whether it is a sound one of this version."""
        (tables,) = db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        (application,) = db.execute("PRAGMA application_id").fetchone()
        (layout,) = db.execute("PRAGMA user_version").fetchone()
        if tables and application != _APPLICATION:
            raise InputFileError(f"{self._path}: is no file of lessons; name another one")
        if tables and layout not in (1, _LAYOUT):
            age = "a newer" if layout > _LAYOUT else "an older"
            raise InputFileError(f"{self._path}: holds lessons of {age} version of Aeon; name another file")
        if tables:
            if db.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                raise sqlite3.DatabaseError("it is damaged")
            db.execute("SELECT id, project, task, outcome, text, made FROM lessons LIMIT 1")
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("BEGIN IMMEDIATE")
        (layout,) = db.execute("PRAGMA user_version").fetchone()  # another process may have brought it up to date
        marks = f"PRAGMA application_id = {_APPLICATION}; PRAGMA user_version = {_LAYOUT};"
        for statement in f"{marks}{_OLDER if layout == 1 else ''}{_TABLES}".split(";"):
            db.execute(statement)
        db.commit()


def _problem(error: Exception) -> str:
    text = one_line(str(error), 120)
    return "is damaged, or no file of lessons" if "not a database" in text or "malformed" in text else text


def _decoded(data: bytes) -> str:
    """A text of the file: SQLite takes bytes that are none."""
    return data.decode("utf-8", "replace")


def _lesson(row: Sequence[object]) -> Lesson | None:
    """The lesson of a row; ``None`` where what others have written there is none."""
    number, task, outcome, text, project = (printable(one) if isinstance(one, str) else None for one in row)
    if not (number and number.strip()) or not (task and task.strip()) or text is None or project is None:
        return None
    return Lesson(
        id=number,
        task=one_line(task, _LONGEST),
        outcome="success" if outcome == "success" else "failure",
        text=one_line(text, _LONGEST),
        project=project,
    )


def _pattern(category: str, row: Sequence[object]) -> Pattern | None:
    """The pattern of a row; ``None`` where what others have written there is none."""
    try:
        tools = _TOOLS.validate_json(str(row[0]))
        return Pattern.model_validate({
            "category": category, "tools": [one_line(printable(one), _LONGEST) for one in tools],
            "successes": row[1], "failures": row[2],
        })  # fmt: skip
    except ValidationError:
        return None


def _rounded(score: float) -> float:
    return round(min(1.0, max(0.0, score)), 4)


def _both(lessons: list[Lesson], most: int) -> tuple[Lesson, ...]:
    """The first lessons; the last of them gives way to the first of the other outcome, if it would be left out."""
    chosen = lessons[:most]
    others = [one for one in lessons[most:] if all(one.outcome != other.outcome for other in chosen)]
    if others and most > 1:
        chosen = [*chosen[:-1], others[0]]
    return tuple(chosen)


def similarities(task: str, others: Sequence[str]) -> list[float]:
    """How similar each of the other tasks is to this one (0-1)."""
    if not others:
        return []
    embed = embedder()
    if embed is None:
        return [_shared(stems(task), stems(other)) for other in others]
    np = numpy()
    rows = embed.embed([task, *others]).astype(np.float64)
    lengths = np.maximum(np.sqrt((rows * rows).sum(axis=1)), 1e-9)
    cosines = (rows[1:] @ rows[0]) / lengths[1:] / lengths[0]
    return [float(one) for one in cosines]


def _shared(some: frozenset[str], others: frozenset[str]) -> float:
    """The cosine of two sets of words."""
    return len(some & others) / math.sqrt(len(some) * len(others)) if some and others else 0.0
