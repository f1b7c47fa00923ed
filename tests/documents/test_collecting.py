"""Collections that are kept in one file: made, brought up to date, moved, opened, and what can go wrong with that."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest
from filelock import FileLock

from aeon.documents import archive as archive_module
from aeon.documents import index as index_module
from aeon.documents import update as update_module
from aeon.documents.collecting import Collected, collect, contents
from aeon.documents.collection import Collection
from aeon.documents.folder import Folder
from aeon.errors import InputFileError, ToolFailed, UsageError
from aeon.schema import Document
from documents.files import pdf

pytestmark = [
    pytest.mark.requirement("T2", "T2b"),
    pytest.mark.usefixtures("indexes", "words_only"),
]

BRIDGE = "# The bridge\n\nThe bridge of Galway was built in 1931. It is made of steel.\n"
FERRY = "The ferry to Inis leaves at nine. It carries forty cars.\n"
PIER = "The pier was widened in 1988. It holds two ships.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of two texts, which have not changed of late."""
    root = tmp_path / "papers"
    (root / "old").mkdir(parents=True)
    write(root / "bridge.md", BRIDGE)
    write(root / "old" / "ferry.txt", FERRY)
    return root


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where the collection is kept."""
    (tmp_path / "kept").mkdir()
    return tmp_path / "kept" / "papers.aeon"


def write(path: Path, text: str, seconds: int = 1_000_000_000) -> None:
    """Write a file that was changed at that time."""
    path.write_text(text, encoding="utf-8")
    os.utime(path, (seconds, seconds))


def sources(place: Path, question: str) -> list[str]:
    """The documents that the passages for a question are of."""
    with closing(Collection.open(place)) as documents:
        return [passage.source for passage in documents.search(question)]


def refused(place: Path | str) -> str:
    """Why a file cannot be opened, in one line that names it."""
    with pytest.raises(InputFileError) as error:
        Collection.open(place)
    said = str(error.value)
    assert "\n" not in said and said.startswith(str(place).replace("\x00", "\ufffd")[:40])
    return said


def not_collected(folders: Path, place: Path) -> str:
    """Why a collection cannot be made or changed, in one line; what is there stays as it is, and nothing is left."""
    before = sorted(os.listdir(place.parent)) if place.parent.is_dir() else []
    old = place.read_bytes() if place.is_file() else None
    with pytest.raises(InputFileError) as error:
        collect(folders, place)
    assert "\n" not in str(error.value)
    assert (place.read_bytes() if place.is_file() else None) == old
    assert (sorted(os.listdir(place.parent)) if place.parent.is_dir() else []) == before
    return str(error.value)


def test_a_collection_needs_its_folder_no_more(folder: Path, place: Path, tmp_path: Path) -> None:
    """Moved, and without the folder, it gives passages, texts, and what is known of each document."""
    done = collect(folder, place)
    assert (done.documents, done.passages, done.bytes) == (2, 2, place.stat().st_size)
    assert done.added == ("papers/bridge.md", "papers/old/ferry.txt")
    assert (done.updated, done.removed, done.skipped, done.notes) == ((), (), (), ())
    assert os.listdir(place.parent) == ["papers.aeon"]
    shutil.rmtree(folder)
    moved = place.rename(tmp_path / "else.aeon")
    with closing(Collection.open(moved)) as documents:
        assert documents.documents == ("papers/bridge.md", "papers/old/ferry.txt")
        (hit, *_) = documents.search("When was the bridge built?")
        text = documents.text(hit.source)
        assert text == BRIDGE and text[hit.start : hit.end] == hit.text
        known = documents.document(hit.source)
        digest = hashlib.sha256(BRIDGE.encode()).hexdigest()
        assert datetime.fromisoformat(known.retrieved).tzinfo is not None
        assert known == Document(
            source="papers/bridge.md", title="The bridge", retrieved=known.retrieved, extractor="Aeon",
            raw_sha256=digest, text_sha256=digest,
        )  # fmt: skip
        for give in (documents.text, documents.document):
            with pytest.raises(ToolFailed, match=r"there is no document 'bridge\.md'"):
                give("bridge.md")


def test_again(folder: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what has changed is read again; what was added, changed, removed and skipped is said."""
    write(folder / "pier.txt", PIER)
    collect(folder, place)
    reads: list[str] = []
    content = update_module.content
    monkeypatch.setattr(update_module, "content", lambda path, label: reads.append(label) or content(path, label))
    (folder / "pier.txt").unlink()
    write(folder / "bridge.md", BRIDGE.replace("1931", "1932"), 1_100_000_000)
    write(folder / "new.txt", "A tunnel is dug.")
    (folder / "blank.txt").write_text(" ")
    (folder / "photo.jpg").write_bytes(b"\x00")
    done = collect(folder, place)
    assert (done.added, done.updated, done.removed) == (
        ("papers/new.txt",), ("papers/bridge.md",), ("papers/pier.txt",),
    )  # fmt: skip
    assert done.skipped == (("papers/blank.txt", "holds no text"), ("papers/photo.jpg", "no document"))
    assert sorted(reads) == ["papers/blank.txt", "papers/bridge.md", "papers/new.txt"]
    assert sources(place, "1932") == ["papers/bridge.md"] and sources(place, "pier") == []


def test_nothing_has_changed(folder: Path, place: Path) -> None:
    """Then nothing is said to have, and the file is not written."""
    collect(folder, place)
    before = place.stat()
    done = collect(folder, place)
    assert (done.added, done.updated, done.removed, done.documents) == ((), (), (), 2)
    assert (place.stat().st_ino, place.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_file_that_can_no_longer_be_read(folder: Path, place: Path) -> None:
    """It counts as removed, once, and as added when it can be read again."""
    collect(folder, place)
    write(folder / "bridge.md", "\x00", 1_100_000_000)
    assert collect(folder, place).removed == ("papers/bridge.md",)
    done = collect(folder, place)
    assert done.removed == () and done.skipped == (("papers/bridge.md", "is a binary file, not text"),)
    write(folder / "bridge.md", BRIDGE, 1_200_000_000)
    assert collect(folder, place).added == ("papers/bridge.md",)


class TestDuplicates:
    """Files of the same text."""

    def test_they_are_one_document(self, folder: Path, place: Path) -> None:
        """Its passages are found once; both paths are noted, and either one gives the text."""
        write(folder / "copy.md", BRIDGE)
        done = collect(folder, place)
        assert (done.documents, done.passages) == (2, 2)
        assert done.skipped == (("papers/copy.md", "the same text as papers/bridge.md"),)
        assert sources(place, "bridge") == ["papers/bridge.md"]
        (entry, _) = contents(place).documents
        assert entry.document.source == "papers/bridge.md"
        assert sorted(entry.files) == ["papers/bridge.md", "papers/copy.md"]

    def test_the_first_one_goes(self, folder: Path, place: Path) -> None:
        """The document stays, under the path and with the hash of the other file."""
        write(folder / "copy.txt", f"\ufeff{BRIDGE}")
        collect(folder, place)
        (folder / "bridge.md").unlink()
        done = collect(folder, place)
        assert (done.removed, done.documents, done.skipped) == (("papers/bridge.md",), 2, ())
        assert sources(place, "bridge") == ["papers/copy.txt"]
        with closing(Collection.open(place)) as documents:
            raw = hashlib.sha256((folder / "copy.txt").read_bytes()).hexdigest()
            assert documents.document("papers/copy.txt").raw_sha256 == raw
            assert documents.text("papers/copy.txt") == BRIDGE

    def test_in_a_folder(self, folder: Path) -> None:
        """They are one document of a folder too, under the first path that was named."""
        write(folder / "copy.md", BRIDGE)
        names = ["copy.md", "bridge.md", "old/ferry.txt"]
        documents = Collection.of(Folder.open(folder), names, ":memory:")
        assert documents.documents == ("copy.md", "old/ferry.txt")
        assert documents.skipped == (("bridge.md", "the same text as copy.md"),)
        assert [hit.source for hit in documents.search("bridge")] == ["copy.md"]


@pytest.mark.parametrize(
    ("name", "data", "title"),
    [
        ("a.md", b"Words before.\n\n## A *good* title #\n\nWords.", "A *good* title"),
        ("a.txt", b"A title\n=======\n\nWords.", "A title"),
        ("a.txt", b"\n A title \n\nWords and words.", "A title"),
        ("a.txt", b"This is a sentence.\n\nWords.", "a.txt"),
        ("a-b.txt", b"words\nwords\n\nwords", "a-b.txt"),
        ("a.txt", b"# " + b"long " * 100, ("long " * 24)[:119] + "…"),
        ("a.html", b"<title>A &amp; B\n page</title><body><p>Words and words.</p></body>", "A & B page"),
        ("a.html", b"<title>A page</title><body><h1>A heading</h1><p>Words.</p></body>", "A heading"),
        ("a.pdf", pdf([["Some words on a page."]], "/Info 6 0 R", ["<< /Title (A paper) >>"]), "A paper"),
        ("a.pdf", pdf([["Some words on a page."]]), "a.pdf"),
    ],
)
def test_titles(tmp_path: Path, place: Path, name: str, data: bytes, title: str) -> None:
    """A title is the first heading, what the file says of itself, a first line that stands alone, or its name."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / name).write_bytes(data)
    collect(tmp_path / "data", place)
    (entry,) = contents(place).documents
    assert entry.document.title == title


def test_extractors(tmp_path: Path, place: Path) -> None:
    """A document says which library made its text, with the version."""
    (tmp_path / "a.pdf").write_bytes(pdf([["About apples."]]))
    collect(tmp_path, place)
    (entry,) = contents(place).documents
    assert entry.document.extractor.startswith("pypdfium2 ")


class TestFolders:
    """Collections of several folders."""

    def test_another_folder_is_added(self, folder: Path, place: Path, tmp_path: Path) -> None:
        """The documents of the others stay; one of the same name gets another one."""
        collect(folder, place)
        other = tmp_path / "other" / "papers"
        other.mkdir(parents=True)
        write(other / "pier.txt", PIER)
        done = collect(other, place)
        assert (done.added, done.removed, done.documents) == (("papers-2/pier.txt",), (), 3)
        assert sources(place, "pier") == ["papers-2/pier.txt"] and sources(place, "ferry") == ["papers/old/ferry.txt"]
        assert collect([folder, other], place).added == ()

    def test_a_folder_that_was_moved(self, folder: Path, place: Path, tmp_path: Path) -> None:
        """It keeps its name in the collection, and is said to lie elsewhere."""
        collect(folder, place)
        (tmp_path / "deep").mkdir()
        moved = folder.rename(tmp_path / "deep" / "papers")
        done = collect(moved, place)
        assert (done.added, done.removed, done.documents) == ((), (), 2)
        assert done.notes == (f"the folder papers is now {moved}",)

    def test_folder_and_collection_are_moved_together(self, folder: Path, tmp_path: Path) -> None:
        """Then nothing has changed."""
        place = tmp_path / "papers.aeon"
        collect(folder, place)
        (tmp_path / "deep").mkdir()
        for path in (folder, place):
            path.rename(tmp_path / "deep" / path.name)
        done = collect(tmp_path / "deep" / "papers", tmp_path / "deep" / "papers.aeon")
        assert (done.added, done.removed, done.notes) == ((), (), ())

    def test_an_emptied_folder(self, folder: Path, place: Path) -> None:
        """It is refused, as that of a disk that is not there: nothing is removed."""
        collect(folder, place)
        shutil.rmtree(folder)
        assert "papers" in not_collected(folder, place)
        folder.mkdir()
        assert "holds no text now, and the collection has 2 files of it" in not_collected(folder, place)
        assert sources(place, "bridge") == ["papers/bridge.md"]

    def test_no_text(self, tmp_path: Path, place: Path) -> None:
        """A folder without a text makes no collection; the reasons are said."""
        (tmp_path / "empty").mkdir()
        assert "no text to collect" in not_collected(tmp_path / "empty", place)
        (tmp_path / "empty" / "a.txt").write_bytes(b"\x00")
        assert "skipped: empty/a.txt (is a binary file, not text)" in not_collected(tmp_path / "empty", place)
        with pytest.raises(UsageError, match="name a folder"):
            collect([], place)

    def test_links(self, folder: Path, place: Path, tmp_path: Path) -> None:
        """What is hidden or outside the folder is not collected; a file that became a link to the outside is gone."""
        write(tmp_path / "secret.txt", "The secret is out.")
        (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
        (folder / ".hidden.txt").write_text("The secret is hidden.")
        collect(folder, place)
        (folder / "bridge.md").unlink()
        (folder / "bridge.md").symlink_to(tmp_path / "secret.txt")
        assert collect(folder, place).removed == ("papers/bridge.md",)
        assert sources(place, "secret") == []

    def test_odd_names(self, folder: Path, place: Path) -> None:
        """Names of any characters are kept; one that is no text is skipped."""
        odd = ["a'b\"; DROP TABLE files--.txt", "%?#&.txt", "日本語.txt", "[x]*.txt", " blank .txt", "back\\slash.txt"]
        for number, name in enumerate(odd):
            write(folder / name, f"Oddity number{number}.")
        write(folder / os.fsdecode(b"caf\xe9.txt"), "secret")
        done = collect(folder, place)
        assert {f"papers/{name}" for name in odd} <= set(done.added)
        assert done.skipped == (("papers/caf\ufffd.txt", "its name holds characters that cannot be shown"),)
        assert [sources(place, f"number{number}") for number in range(6)] == [[f"papers/{name}"] for name in odd]
        assert collect(folder, place).added == ()


def read_whole(place: Path) -> None:
    """All that a collection holds is read."""
    with closing(Collection.open(place)) as documents:
        for name in documents.documents:
            documents.document(name)
            documents.text(name)
        documents.search("bridge")
        documents.files()
        documents.sizes()


def damaged(place: Path) -> None:
    """Put zeros into the middle of a file."""
    data = bytearray(place.read_bytes())
    data[4096 : len(data) // 2] = bytes(len(data) // 2 - 4096)
    place.write_bytes(data)


class TestWrongFiles:
    """What is no collection, or not a sound one."""

    def test_opened(self, folder: Path, place: Path, tmp_path: Path) -> None:
        """Each is refused in one line that says what it is and what to do."""
        assert f"there is no such file; aeon collect FOLDER --into {place} makes it" in refused(place)
        assert f"is a folder, no collection; aeon collect {folder} --into FILE" in refused(folder)
        assert "is another kind of file, no collection" in refused(folder / "bridge.md")
        place.touch()
        assert "is empty, no collection" in refused(place)
        place.write_bytes(b"SQLite format 3\x00")
        assert "no collection" in refused(place)
        os.mkfifo(tmp_path / "pipe")
        assert "is no regular file, no collection" in refused(tmp_path / "pipe")
        with closing(sqlite3.connect(tmp_path / "other.db")) as database:
            database.execute("CREATE TABLE precious (value)")
        assert "is the database of another program, no collection" in refused(tmp_path / "other.db")
        refused(tmp_path / ("x" * 300))
        refused("nul\x00")

    def test_truncated(self, folder: Path, place: Path) -> None:
        """A file that was not copied to its end is said to be damaged, and how much is there."""
        size = collect(folder, place).bytes
        place.write_bytes(place.read_bytes()[: size // 2])
        assert f"is damaged ({size // 2:,} of {size:,} bytes are there); make it anew" in refused(place)

    def test_another_version(self, folder: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """It is not opened; collecting makes it anew and keeps the old file."""
        with monkeypatch.context() as patch:
            for module in (index_module, archive_module):
                patch.setattr(module, "LAYOUT", 1)
            collect(folder, place)
            old = place.read_bytes()
        assert "is a collection of another version of Aeon; make it anew: aeon collect" in refused(place)
        (place.parent / "papers.aeon.old").write_text("mine")
        done = collect(folder, place)
        assert done.notes == (
            "the collection was made anew: it was of another version of Aeon; the old file is now papers.aeon.old2",
        )
        assert (place.parent / "papers.aeon.old").read_text() == "mine"
        assert (place.parent / "papers.aeon.old2").read_bytes() == old
        assert sources(place, "bridge") == ["papers/bridge.md"]

    def test_damaged(self, folder: Path, place: Path) -> None:
        """It is not opened; collecting makes it anew and keeps the old file."""
        collect(folder, place)
        damaged(place)
        assert "is damaged (" in refused(place)
        done = collect(folder, place)
        assert done.notes == ("the collection was made anew: it was damaged; the old file is now papers.aeon.old",)
        assert done.added == ("papers/bridge.md", "papers/old/ferry.txt")

    def test_a_forged_text(self, folder: Path, place: Path) -> None:
        """A text that is not the one that was read is refused."""
        collect(folder, place)
        with closing(sqlite3.connect(place)) as database:
            database.execute("UPDATE documents SET text = replace(text, '1931', '1831')")
            database.commit()
        with closing(Collection.open(place)) as documents, pytest.raises(ToolFailed, match="a text is damaged"):
            documents.text("papers/bridge.md")

    @pytest.mark.parametrize(
        "change",
        [
            "CREATE VIEW more AS SELECT 1",
            "CREATE TRIGGER t AFTER INSERT ON files BEGIN DELETE FROM documents; END",
            "ALTER TABLE documents RENAME TO d; CREATE VIEW documents AS SELECT * FROM d",
            "DROP TABLE passages",
        ],
    )
    def test_a_forged_schema(self, folder: Path, place: Path, change: str) -> None:
        """A file from elsewhere with a view, a trigger or other tables is not opened."""
        collect(folder, place)
        with closing(sqlite3.connect(place)) as database:
            database.executescript(change)
        assert "is damaged (its tables are not those of a collection)" in refused(place)

    @pytest.mark.parametrize(
        "change",
        [
            "sentences = '['", "sentences = '[1]'", "sentences = '[[1, \"x\"]]'", "sentences = '[[1e999, 2]]'",
            f"sentences = '{'[' * 100_000}'", f"sentences = '[[{'9' * 5_000}, 1]]'", "sentences = '[[0, 99999999]]'",
            "sentences = '[[5, 5]]'", f"sentences = '[{', '.join(['[0, 1]'] * 9_000)}]'", "sentences = x'ff00'",
            "start = 'x'", "start = 1.5", "start = -1", "page = 'x'", "heading = x'00ff'", "text = x'ff'",
        ],
        ids=lambda change: change[:30],
    )  # fmt: skip
    def test_forged_passages(self, folder: Path, place: Path, change: str) -> None:
        """What a passage says of itself is refused in one line if it cannot be so, whatever stands there."""
        collect(folder, place)
        with closing(sqlite3.connect(place)) as database:
            database.execute(f"UPDATE passages SET {change}")
            database.commit()
        with closing(Collection.open(place)) as documents, pytest.raises(ToolFailed) as refusal:
            documents.search("bridge")
        assert str(refusal.value).startswith("the index of the documents cannot be read: ")

    @pytest.mark.parametrize(
        "change", ["documents SET path = x'ff' || id", "documents SET text = x'ff00'", "documents SET title = x'ff'",
                   "documents SET text = 5", "files SET size = 'x'", "files SET path = x'ff' || document",
                   "files SET document = 'x'"],
    )  # fmt: skip
    def test_forged_rows(self, folder: Path, place: Path, change: str) -> None:
        """A value of another type, which SQLite keeps in any column, is damage: told in one line."""
        collect(folder, place)
        with closing(sqlite3.connect(place)) as database:
            database.execute(f"UPDATE {change}")
            database.commit()
        with pytest.raises((ToolFailed, InputFileError)):
            read_whole(place)

    def test_a_forged_folder(self, folder: Path, place: Path) -> None:
        """Where a collection does not say where its folders lie, it is not brought up to date, and stays as it is."""
        collect(folder, place)
        with closing(sqlite3.connect(place)) as database:
            database.execute("UPDATE folders SET path = x'ff'")
            database.commit()
        forged = place.read_bytes()
        with pytest.raises(InputFileError, match="what does not belong there"):
            collect(folder, place)
        assert place.read_bytes() == forged

    @pytest.mark.parametrize("content", [b"", b"My notes.\n", None])
    def test_nothing_else_is_overwritten(self, folder: Path, place: Path, content: bytes | None) -> None:
        """Neither a file that is no collection, be it empty, nor a database of another program."""
        if content is None:
            with closing(sqlite3.connect(place)) as database:
                database.execute("CREATE TABLE precious (value)")
        else:
            place.write_bytes(content)
        assert "no collection, and is not overwritten; name another file" in not_collected(folder, place)
        assert "is a folder, no collection, and is not overwritten" in not_collected(folder, folder)

    def test_no_folder_for_it(self, folder: Path, tmp_path: Path) -> None:
        """None is made."""
        assert "there is no folder" in not_collected(folder, tmp_path / "no" / "x.aeon")
        assert not (tmp_path / "no").exists()

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
    def test_a_folder_that_cannot_be_written(self, folder: Path, place: Path) -> None:
        """The collection in it can be opened, and not changed."""
        collect(folder, place)
        write(folder / "pier.txt", PIER)
        place.parent.chmod(0o500)
        assert "cannot be written: permission denied" in not_collected(folder, place)
        assert sources(place, "bridge") == ["papers/bridge.md"]
        place.parent.chmod(0o700)

    def test_a_link(self, folder: Path, place: Path, tmp_path: Path) -> None:
        """The file that a link leads to is replaced, not the link; it keeps its mode."""
        collect(folder, place)
        place.chmod(0o640)
        link = tmp_path / "link.aeon"
        link.symlink_to(place)
        write(folder / "pier.txt", PIER)
        collect(folder, link)
        assert link.is_symlink() and sources(place, "pier") == ["papers/pier.txt"]
        assert place.stat().st_mode & 0o777 == 0o640


SCRIPT = """
import os, resource, signal, sys
from aeon.documents import collection, update
collection.embedder = update.embedder = lambda: None
from aeon.documents.collecting import collect

def progress(done, total):
    if sys.argv[3] == "kill" and done == total:
        os.kill(os.getpid(), signal.SIGKILL)

if sys.argv[3] == "full":
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limit = os.path.getsize(sys.argv[2]) + 20_000
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    print(collect(sys.argv[1], sys.argv[2], progress).documents)
except Exception as error:
    print(f"{type(error).__name__}: {error}")
"""


def process(folder: Path, place: Path, fault: str = "") -> subprocess.Popen[str]:
    """A process that collects the folder, with a fault."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", SCRIPT, str(folder), str(place), fault]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


class TestFaults:
    """Crashes, full disks, several processes, and files that change."""

    def test_kill(self, folder: Path, place: Path) -> None:
        """A process that is killed leaves the collection as it was; the next one removes what that left behind."""
        collect(folder, place)
        before = place.read_bytes()
        write(folder / "pier.txt", PIER)
        with process(folder, place, "kill") as running:
            assert running.wait(60) == -signal.SIGKILL
        assert place.read_bytes() == before and len(os.listdir(place.parent)) > 1
        assert sources(place, "ferry") == ["papers/old/ferry.txt"] and sources(place, "pier") == []
        assert collect(folder, place).added == ("papers/pier.txt",)
        assert os.listdir(place.parent) == ["papers.aeon"]

    def test_full_disk(self, folder: Path, place: Path) -> None:
        """It is said in one line; the collection is as it was, and nothing is left."""
        collect(folder, place)
        before = place.read_bytes()
        write(folder / "large.txt", "".join(f"Sentence number {number} says nothing. " for number in range(5_000)))
        said = process(folder, place, "full").communicate(timeout=60)[0]
        assert said.startswith(f"InputFileError: {place}: cannot be written: ")
        assert place.read_bytes() == before and os.listdir(place.parent) == ["papers.aeon"]

    def test_several_processes(self, folder: Path, place: Path) -> None:
        """Each one that collects at the same time either does it or is told to try again; the collection is whole."""
        for number in range(200):
            write(folder / f"note-{number}.txt", f"Note number{number} is short.")
        running = [process(folder, place) for _ in range(3)]
        said = [one.communicate(timeout=60)[0].strip() for one in running]
        busy = f"InputFileError: {place}: another process is writing it; try again when it is done"
        assert "202" in said and set(said) <= {"202", busy}
        assert len(contents(place).documents) == 202

    def test_while_another_process_writes(self, folder: Path, place: Path) -> None:
        """The collection can be opened and searched, and is not changed by a second one."""
        collect(folder, place)
        with FileLock(place.parent / ".papers.aeon.lock"):
            assert sources(place, "ferry") == ["papers/old/ferry.txt"]
            assert "another process is writing it" in not_collected(folder, place)

    def test_open_while_it_is_changed(self, folder: Path, place: Path) -> None:
        """Who has it open goes on with what it held; a copy made at any time is a sound collection."""
        collect(folder, place)
        with closing(Collection.open(place)) as documents:
            copies: list[Path] = []

            def copy(done: int, total: int) -> None:
                copies.append(Path(shutil.copy(place, place.parent / f"copy{done}")))

            (folder / "bridge.md").unlink()
            write(folder / "pier.txt", PIER)
            collect(folder, place, copy)
            assert documents.text("papers/bridge.md") == BRIDGE and documents.search("pier") == []
        assert sources(place, "bridge") == [] and sources(place, "pier") == ["papers/pier.txt"]
        assert copies and all(sources(one, "bridge") == ["papers/bridge.md"] for one in copies)

    def test_a_file_goes_while_others_are_read(self, folder: Path, place: Path) -> None:
        """It is skipped."""

        def progress(done: int, total: int) -> None:
            (folder / "old" / "ferry.txt").unlink(missing_ok=True)

        done = collect(folder, place, progress)
        assert done.added == ("papers/bridge.md",)
        assert "there is no file" in dict(done.skipped)["papers/old/ferry.txt"]

    def test_a_file_changes_while_it_is_read(self, folder: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Text and hash are of the same bytes, and the next time it is read again."""
        content = update_module.content

        def changing(path: Path, label: str) -> bytes:
            data = content(path, label)
            write(path, data.decode().replace("1931", "1932"), 1_000_000_001)
            return data

        with monkeypatch.context() as patch:
            patch.setattr(update_module, "content", changing)
            collect(folder, place)
        with closing(Collection.open(place)) as documents:
            assert documents.text("papers/bridge.md") == BRIDGE
            assert documents.document("papers/bridge.md").raw_sha256 == hashlib.sha256(BRIDGE.encode()).hexdigest()
        assert collect(folder, place).updated == ("papers/bridge.md",)

    def test_an_interrupt(self, folder: Path, place: Path) -> None:
        """It leaves the collection as it was, and nothing beside it."""
        collect(folder, place)
        before = place.read_bytes()
        write(folder / "pier.txt", PIER)

        def interrupt(done: int, total: int) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            collect(folder, place, interrupt)
        assert place.read_bytes() == before and os.listdir(place.parent) == ["papers.aeon"]


def test_what_it_says_is_a_value(folder: Path, place: Path) -> None:
    """What was done and what is held can be written as JSON and read again."""
    done = collect(folder, place)
    assert Collected.model_validate_json(done.model_dump_json()) == done
    held = contents(place)
    assert (held.passages, held.bytes) == (done.passages, done.bytes)
    assert [entry.passages for entry in held.documents] == [1, 1]
