"""Several folders that are read as one."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from aeon.documents.folder import Folder
from aeon.documents.folders import Folders, roots
from aeon.errors import InputFileError, ToolFailed, UsageError
from aeon.tools import ToolRegistry
from aeon.tools.files import Files, takes_long

pytestmark = pytest.mark.requirement("T3")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """Two folders of one name, each with a table and a text of the same names."""
    made = tmp_path / "old" / "data", tmp_path / "new" / "data"
    for root, shop, bridge in zip(made, ("Harbour", "Mill"), ("north", "south"), strict=True):
        root.mkdir(parents=True)
        (root / "sales.csv").write_text(f"shop,total\n{shop},{len(shop)}\n")
        (root / "bridge.txt").write_text(f"The {bridge} bridge is made of stone.\n")
    return made


def listed(folder: Folder) -> list[str]:
    """The paths of its files."""
    return [path for path, _ in folder.files()]


def ask(files: Files, name: str, **arguments: str) -> object:
    """Call one of the tools."""
    return asyncio.run(ToolRegistry(files.tools).call(name, dict(arguments))).value


def test_tables_and_texts_of_all_folders_are_asked_at_once(pair: tuple[Path, Path]) -> None:
    """One query reads the tables of both, and one question is looked up in the texts of both."""
    files = Files.open(pair)
    assert files.found == "2 tables; 2 documents"
    query = "SELECT shop FROM sales UNION ALL SELECT shop FROM sales_2"
    assert ask(files, "sql", query=query) == ["Harbour", "Mill"]
    found = ask(files, "lookup", question="Which bridge is made of stone?")
    assert isinstance(found, list) and {each["source"] for each in found} == {"data/bridge.txt", "data-2/bridge.txt"}
    assert ask(files, "search_files", text="SOUTH") == "data-2/bridge.txt:1: The south bridge is made of stone."


def test_an_index_belongs_to_the_folders_that_it_was_made_of(pair: tuple[Path, Path], cache: Path) -> None:
    """The same folders use it again, others have one of their own."""
    for paths in (pair, pair, pair[::-1], pair[:1]):
        Files.open(paths)
    assert len(list((cache / "aeon" / "collections").glob("*.sqlite"))) == 3
    (pair[1] / "bridge.txt").unlink()
    assert Files.open(pair).collection.documents == ("data/bridge.txt",)


def test_one_folder_is_itself(pair: tuple[Path, Path]) -> None:
    """Its paths have no prefix, however often and in whatever way it is named."""
    one = Folders.open(pair[0])
    assert one == Folder(pair[0].resolve()) == Folders.open([pair[0], str(pair[0]), pair[0] / ".." / "data"])
    assert listed(one) == ["bridge.txt", "sales.csv"] and roots(one) == (pair[0].resolve(),)


def test_a_folder_in_another_gives_its_files_once(tmp_path: Path) -> None:
    """A file is there under the first of its paths; a hidden folder that is named is read."""
    for name in ("a/b", "a/.c"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "x.txt").write_text("x")
    paths = [tmp_path / "a", tmp_path / "a" / "b", tmp_path / "a" / ".c"]
    assert listed(Folders.open(paths)) == ["a/b/x.txt", ".c/x.txt"]
    assert listed(Folders.open(paths[::-1])) == [".c/x.txt", "b/x.txt"]


@pytest.mark.parametrize(
    ("names", "prefixes"),
    [
        (["1/data", "2/data", "data-2"], ["data", "data-2", "data-2-2"]),
        (["a b", "a\nb", "a\\b"], ["a b", "a-b", "a-b-2"]),
        (["Verträge", "-", "\x1b"], ["Verträge", "-", "--2"]),
    ],
)
def test_each_folder_has_a_name_of_its_own(tmp_path: Path, names: list[str], prefixes: list[str]) -> None:
    """It is the last part of its path, without what could be misread, and leads back to the file."""
    for name in names:
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "x.txt").write_text(name)
    folder = Folders.open([tmp_path / name for name in names])
    assert listed(folder) == [f"{prefix}/x.txt" for prefix in prefixes]
    assert [folder.text(folder.find(path), 99)[0] for path in listed(folder)] == names


def test_nothing_outside_is_found(pair: tuple[Path, Path], tmp_path: Path) -> None:
    """Neither by an absolute path nor by one that leaves its folder nor without a folder's name."""
    (tmp_path / "new" / "secret.txt").write_text("secret")
    (pair[0] / "link.txt").symlink_to(tmp_path / "new" / "secret.txt")
    folder = Folders.open(pair)
    outside = [str(pair[0] / "bridge.txt"), "data/../../new/secret.txt", "data//etc/passwd", "data/link.txt", "..", ""]
    for name in [*outside, "bridge.txt", "data", "data/no.txt", "data\\..\\..\\secret.txt"]:
        with pytest.raises(ToolFailed):
            folder.find(name)
    with pytest.raises(ToolFailed, match="begins with the name of its folder: data, data-2"):
        folder.find("bridge.txt")
    assert folder.find("data-2\\bridge.txt") == pair[1].resolve() / "bridge.txt"
    assert "data/link.txt" not in listed(folder)


def test_one_that_cannot_be_read_is_named(pair: tuple[Path, Path], tmp_path: Path) -> None:
    """A missing folder, a file and no folder at all are errors of the caller."""
    for wrong, reason in ((tmp_path / "none", "No such file"), (pair[0] / "sales.csv", "Not a directory")):
        with pytest.raises(InputFileError, match=reason):
            Folders.open([*pair, wrong])
    with pytest.raises(UsageError, match="no folder is named"):
        Folders.open([])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_without_permission_is_named(tmp_path: Path) -> None:
    """It is said that it may not be read."""
    (tmp_path / "shut").mkdir(mode=0)
    with pytest.raises(InputFileError, match="Permission denied"):
        Folders.open(tmp_path / "shut")


def test_much_to_read_is_known_before(tmp_path: Path) -> None:
    """Many documents or a large table take long; a few small files, or large ones of no use, do not."""
    (tmp_path / "picture.png").write_bytes(b"x")
    os.truncate(tmp_path / "picture.png", 10**9)
    for number in range(50):
        (tmp_path / f"{number}.txt").write_text("x")
    assert not takes_long(Folder.open(tmp_path))
    (tmp_path / "table.csv").write_text("n\n")
    os.truncate(tmp_path / "table.csv", 10**8)
    assert takes_long(Folder.open(tmp_path))
    (tmp_path / "table.csv").unlink()
    (tmp_path / "last.md").write_text("x")
    assert takes_long(Folder.open(tmp_path))


def test_a_folder_with_more_files_than_are_looked_at_says_so(
    pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line on what was found names it and the limit; a folder that is not cut is not named."""
    monkeypatch.setattr("aeon.documents.folder.MOST_FILES", 2)
    monkeypatch.setattr("aeon.tools.files.MOST_FILES", 2)
    assert "looked at" not in Files.open(pair).found
    (pair[1] / "z.txt").write_text("x")
    told = f"only the first 2 files of {pair[1]} are looked at"
    assert Files.open(pair).found == f"2 tables; 2 documents; {told}"
    assert Files.open(pair[1]).found == f"1 table; 1 document; {told}"
    assert listed(Folder.open(pair[1])) == ["bridge.txt", "sales.csv"]


def test_a_folder_of_many_files_is_looked_at_whole(tmp_path: Path) -> None:
    """A question about the last of 2,500 files finds it, by words and as a text."""
    root = tmp_path / "many"
    root.mkdir()
    for number in range(2_500):
        (root / f"{number:04}.txt").write_text(f"The keeper of well w{number}x is person {number * 7}.\n")
    files = Files.open(root)
    assert files.found == "0 tables; 2,500 documents" and files.left_out == ""
    found = ask(files, "lookup", question="Who is the keeper of well w2499x?")
    assert isinstance(found, list) and found[0]["source"] == "2499.txt"
    assert ask(files, "search_files", text="w2499X") == "2499.txt:1: The keeper of well w2499x is person 17493."


def test_what_a_search_has_no_time_for_is_named(pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not pass for searched."""
    monkeypatch.setattr("aeon.tools.files._SEARCH_SECONDS", -1.0)
    told = "no line contains 'bridge'; not searched, as only -1 s are taken: bridge.txt, sales.csv"
    assert ask(Files.open(pair[0]), "search_files", text="bridge") == told
