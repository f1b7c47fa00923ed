"""Runs in a database from outside, without a worker; and what is said where there is nothing to be had."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from aeon.durable.database import Address
from aeon.durable.jobs import Jobs
from aeon.errors import InputFileError, UnknownNameError, UsageError

from .conftest import Place, errands


@pytest.mark.requirement("X5c")
def test_a_submitted_run_waits_and_can_be_looked_at(place: Place) -> None:
    """Its task, what it needs, and the beginning of its journal are there before a worker is."""
    place.submit("one")
    job = place.jobs.get("one")
    assert (job.state, job.task, job.life, job.worker) == ("queued", "errands one", 1, None)
    assert job.needs == "errands/1 scripted @post" and job.engine == "errands/1"
    assert place.jobs.journal("one").opened.task.text == "errands one"
    assert [job.id for job in place.jobs.latest()] == ["one"]
    assert place.jobs.latest("ended") == []


@pytest.mark.requirement("X5c")
def test_what_is_submitted_survives(tmp_path: Path) -> None:
    """Another process finds it, with any text in it."""
    url = f"sqlite:///{tmp_path / 'runs.sqlite'}"
    counts = errands.Counts(str(tmp_path / "counts.sqlite"))
    with Jobs(url, create=True) as jobs:
        jobs.submit(errands.opening("kept", 1, counts.tool))
    with Jobs(url) as jobs:
        assert jobs.get("kept").state == "queued"


@pytest.mark.requirement("X5h")
@pytest.mark.parametrize("id_", ["nosuch", "kept:1", "", "%", "k"])
def test_an_id_that_is_none_is_said_so(place: Place, id_: str) -> None:
    """A prefix of an id, or the name of a workflow, is none either."""
    place.submit("kept")
    for ask in (place.jobs.get, place.jobs.journal, place.jobs.written, place.jobs.cancel, place.jobs.resume):
        with pytest.raises(UnknownNameError, match="there is no run of this id"):
            ask(id_)


@pytest.mark.requirement("X5h")
def test_a_run_that_waits_for_nothing_takes_no_answer(place: Place) -> None:
    """It says where the run is."""
    place.submit("one")
    with pytest.raises(UsageError, match="waits for no answer: it is queued"):
        place.jobs.answer("one", "yes")
    with pytest.raises(UsageError, match="nothing to continue: it is queued"):
        place.jobs.resume("one")
    place.jobs.cancel("one")
    with pytest.raises(UsageError, match="is over already: cancelled"):
        place.jobs.cancel("one")


@pytest.mark.requirement("X5d")
def test_two_who_continue_a_run_at_once_begin_one_life(place: Place) -> None:
    """The second is told; nothing is begun twice."""
    place.submit("one")
    before = place.jobs.cancel("one")
    place.jobs.resume("one")
    with pytest.raises(UsageError, match="somebody else has just continued it"):
        place.jobs._continue(before, None, None, None)
    assert place.jobs.get("one").life == 2


@pytest.mark.requirement("X5e")
def test_a_run_can_be_given_to_workers_with_another_model(place: Place) -> None:
    """Its next life waits for those."""
    place.submit("one")
    place.jobs.cancel("one")
    setup = {"model": None, "model_name": "larger", "tools": ["@post"]}
    assert place.jobs.resume("one", setup=setup).needs == "errands/1 larger @post"


@pytest.mark.requirement("X5h")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nonsense", "is no address of a database"),
        ("mysql://host/name", "names no database that can be used"),
        ("postgresql://user:secret@host", "names no database that can be used"),
        ("sqlite://", "names no database that can be used"),
        ("sqlite:///:memory:", "names no database that can be used"),
    ],
)
def test_an_address_that_is_none_is_refused(text: str, words: str) -> None:
    """With the forms that there are, and without a password."""
    with pytest.raises(UsageError, match=words) as refused:
        Address.of(text)
    assert "write sqlite, sqlite:///FILE or postgresql://USER@HOST/NAME" in str(refused.value)
    assert "secret" not in str(refused.value)


@pytest.mark.requirement("X5h")
def test_a_password_is_never_shown() -> None:
    """What is said of a database has stars for it."""
    assert Address.of("postgresql://user:secret@host/name").shown == "postgresql://user:***@host/name"


@pytest.mark.requirement("X5h")
def test_a_database_that_cannot_be_used_is_one_line(tmp_path: Path) -> None:
    """Not there, not a database, not writable, out of reach, without tables: each says what it is."""
    text = tmp_path / "text.sqlite"
    text.write_text("this is no database, but a text that is long enough to be looked at")
    empty = tmp_path / "empty.sqlite"
    sqlite3.connect(empty).close()
    empty.touch()
    for url, create, words in (
        (f"sqlite:///{tmp_path / 'none.sqlite'}", False, "is not there; aeon submit and aeon worker make it"),
        (f"sqlite:///{text}", False, "file is not a database"),
        (f"sqlite:///{text}", True, "file is not a database"),
        (f"sqlite:///{empty}", False, "holds no runs of Aeon"),
        ("sqlite:////proc/none/x.sqlite", True, "cannot be used"),
        ("postgresql://aeon@127.0.0.1:1/runs", True, "Connection refused"),
        ("postgresql://aeon@127.0.0.1:1/runs", False, "Connection refused"),
    ):
        with pytest.raises(InputFileError, match=words) as refused:
            Jobs(url, create)
        assert "\n" not in str(refused.value) and url.partition("://")[2] in str(refused.value)
    assert not (tmp_path / "none.sqlite").exists()


@pytest.mark.requirement("X5h")
@pytest.mark.parametrize(
    ("version", "words"), [(2, "a newer Aeon made them: update this one"), (0, "use the Aeon that")]
)
def test_tables_of_another_version_are_left_as_they_are(place: Place, version: int, words: str) -> None:
    """It says which they are, and what to do."""
    place.submit("one")
    with sqlite3.connect(place.folder / "runs.sqlite") as file:
        file.execute(f"UPDATE aeon_about SET version = {version}")
    for create in (True, False):
        with pytest.raises(InputFileError, match=f"tables are of version {version}, not 1; {words}"):
            Jobs(place.url, create)


@pytest.mark.requirement("X5")
def test_nothing_of_it_is_loaded_by_who_does_not_use_it() -> None:
    """Neither by the package nor by commands that could name a database."""
    commands = ("diff", "fork", "history", "jobs", "replay", "resume", "serve", "submit", "verify", "worker")
    modules = ("", ".assembly.build", ".server.app", ".server.service", *(f".cli.{name}" for name in commands))
    code = f"import sys, {', '.join(f'aeon{name}' for name in modules)}"
    check = "assert not {'dbos', 'sqlalchemy', 'aeon.durable.jobs'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", f"{code}\n{check}"], check=True)
