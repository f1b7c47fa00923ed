"""Searching a local collection as a provider."""

from __future__ import annotations

from pathlib import Path

import pytest

from aeon.documents.collection import Collection
from aeon.documents.folder import Folder
from aeon.documents.joined import Joined
from aeon.errors import MissingExtraError, ToolFailed
from aeon.search.collection import CollectionSearch
from aeon.search.pages import digest
from aeon.search.provider import Provider, Selective
from search.web import run

pytestmark = pytest.mark.usefixtures("indexes", "words_only")


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    """Two documents of a folder."""
    (tmp_path / "bridges.md").write_text("# Bridges of the harbour\n\nThe Harbour Bridge was opened in 1932.\n")
    (tmp_path / "tunnels.txt").write_text("The Harbour Tunnel was opened in 1992.\n")
    folder = Folder.open(tmp_path)
    return Collection.of(folder, ["bridges.md", "tunnels.txt"], ":memory:")


def test_a_collection_is_searched_offline(collection: Collection) -> None:
    """Passages come with their documents, whose texts the collection keeps."""
    search = CollectionSearch(collection)
    found = run(search.search("When was the Harbour Bridge opened?", 3))
    assert isinstance(search, Provider)
    assert (found.provider, found.problem) == ("collection", None)
    assert [passage.source for passage in found.passages] == ["bridges.md", "tunnels.txt"]
    first, second = found.documents
    assert (first.source, first.title, first.text) == ("bridges.md", "Bridges of the harbour", "")
    assert second.title == "tunnels.txt"
    assert first.text_sha256 == digest(collection.text("bridges.md"))


def test_an_empty_search_is_no_failure(collection: Collection) -> None:
    """What no document mentions is an empty search."""
    found = run(CollectionSearch(collection, "papers").search("zeppelin", 3))
    assert (found.provider, found.passages, found.problem) == ("papers", (), None)


def test_documents_that_are_not_taken_hide_no_other(tmp_path: Path) -> None:
    """However many fit better: a selective search finds the one that is taken, also behind equal scores and parts."""
    for part in ("a", "b"):
        (tmp_path / part).mkdir()
        for number in range(600):
            (tmp_path / part / f"{number}.txt").write_text(f"The bridge was opened, says walker {number}.\n")
    (tmp_path / "b" / "z.txt").write_text("The bridge was opened, says office 1.\n")
    folders = {part: Folder.open(tmp_path / part) for part in ("a", "b")}
    names = {part: [path.name for path in (tmp_path / part).iterdir()] for part in folders}
    parts = {part: Collection.of(folder, names[part], ":memory:") for part, folder in folders.items()}
    search = CollectionSearch(Joined(parts))
    assert isinstance(search, Selective)
    found = run(search.select("Which bridge was opened?", 3, lambda document: document.source == "b/z.txt"))
    assert [passage.source for passage in found.passages] == ["b/z.txt"]


@pytest.mark.parametrize(
    ("error", "kind"),
    [(ToolFailed("the index is damaged"), "malformed"), (MissingExtraError("numpy"), "configuration")],
)
def test_a_damaged_index_is_a_problem(
    collection: Collection, monkeypatch: pytest.MonkeyPatch, error: Exception, kind: str
) -> None:
    """What goes wrong is a problem in the value, never an exception."""

    def failing(*_: object) -> None:
        raise error

    monkeypatch.setattr(collection, "search", failing)
    problem = run(CollectionSearch(collection).search("bridge", 3)).problem
    assert problem is not None
    assert (problem.kind, problem.message, problem.retryable) == (kind, str(error), False)
