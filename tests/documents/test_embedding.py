"""Searching by similarity too, with the extra embeddings."""

from __future__ import annotations

import importlib.util
import itertools
import os
import socket
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aeon.documents import collection as collection_module
from aeon.documents import embedding
from aeon.documents import embedding as embedding_module
from aeon.documents import update as update_module
from aeon.documents.collection import Collection
from aeon.documents.embedding import DIMENSIONS, Embedder, Vectors, embedder
from aeon.documents.folder import Folder
from aeon.documents.fusion import fused, share
from aeon.documents.query import terms
from aeon.errors import MissingExtraError, ToolFailed

pytestmark = [pytest.mark.requirement("T2"), pytest.mark.usefixtures("indexes")]

TEXTS = {
    "ferry.txt": "The crew ties motorbikes down. Cars queue at the gate.",
    "clinic.txt": "Patients see the physician in the rooms upstairs.",
    "office.txt": "Parcels are taken in at the back. A doctor's note is due on the third day.",
}
QUESTION = "Which doctor treats the sick?"
"""It shares a word with the office, and its answer is in the clinic, in other words."""


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """A folder of some texts, none of which has changed of late."""
    root = tmp_path / "data"
    root.mkdir()
    for name, text in TEXTS.items():
        (root / name).write_text(text)
        os.utime(root / name, (1_000_000_000, 1_000_000_000))
    return Folder.open(root)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where the index is kept."""
    return tmp_path / "index.sqlite"


def collection(folder: Folder, place: Path | None = None) -> Collection:
    """The collection of all files of the folder, in memory unless a place is named."""
    return Collection.of(folder, [name for name, _ in folder.files()], place or ":memory:")  # type: ignore[arg-type]


def without(patch: pytest.MonkeyPatch) -> None:
    """Go on as where the extra is not installed."""
    for module in (collection_module, update_module):
        patch.setattr(module, "embedder", lambda: None)


def sources(documents: Collection, question: str = QUESTION) -> list[str]:
    """The documents that the passages for a question are of."""
    return [passage.source for passage in documents.search(question)]


def test_other_words(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """What answers a question in other words is found beside what holds its words, which comes first."""
    hits = collection(folder).search(QUESTION)
    assert [hit.source for hit in hits] == ["office.txt", "clinic.txt"]
    assert hits[0].score >= hits[1].score > 0
    assert hits[1].text == TEXTS["clinic.txt"] and hits[1].sentences == ((0, len(TEXTS["clinic.txt"])),)
    without(monkeypatch)
    assert sources(collection(folder)) == ["office.txt"]


def test_fused_search(folder: Folder) -> None:
    """A search joins the ranking by words and the one by similarity, without what is not similar."""
    (folder.root / "wool.txt").write_text(
        "Linen, cotton, silk and wool are washed, dried and ironed with care, care, care."
    )
    documents = collection(folder)
    question = "Which doctor treats the sick with care?"
    words = [row.path for row in documents._index.ranked(terms(question))]
    similar = [row.path for row in documents._index.nearest(question, real()) if row.score >= 0.1]
    assert words == ["wool.txt", "office.txt"] and similar[0] == "office.txt" and "clinic.txt" in similar
    assert sources(documents, question) == [path for path, _ in fused([words, similar])]


@pytest.mark.requirement("T2")
def test_no_word_of_the_question(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A question of which no document holds a word finds what is similar to it, and by words alone nothing."""
    assert sources(collection(folder), "Which surgeon heals people?") == ["clinic.txt"]
    without(monkeypatch)
    assert sources(collection(folder), "Which surgeon heals people?") == []


@pytest.mark.requirement("T2")
def test_the_nearest_passages_however_far(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those who judge what they read get them where a search finds nothing; each once, none without the extra."""
    documents = collection(folder)
    assert len(documents.nearest("zebra", 2)) == 2 and len(documents.nearest("zebra", 99)) == len(TEXTS)
    assert documents.nearest("", 2) == documents.nearest("zebra", 0) == []
    without(monkeypatch)
    assert documents.nearest("zebra", 2) == []


@pytest.mark.parametrize("question", ["zebra", "", "What is the?", "都東"])
def test_nothing_like_the_question(folder: Folder, question: str) -> None:
    """What has neither a word of a question nor anything similar to it finds nothing."""
    assert collection(folder).search(question) == []


def test_dissimilar(folder: Folder) -> None:
    """What neither holds a word of a question nor is similar to it is left out."""
    assert "ferry.txt" not in sources(collection(folder))


def test_own_documents(folder: Folder, place: Path) -> None:
    """A collection finds only its own documents."""
    collection(folder, place).close()
    assert sources(Collection.of(folder, ["office.txt"], place)) == ["office.txt"]


def test_equal_texts(folder: Folder, place: Path) -> None:
    """Texts that are equally similar come in the order of their paths, whichever was read first."""
    collection(folder, place).close()
    (folder.root / "a.txt").write_text(f"{TEXTS['clinic.txt']}\n")
    ranked = collection(folder, place)._index.nearest(QUESTION, real())
    assert [row.path for row in ranked][1:3] == ["a.txt", "clinic.txt"]


def test_many(folder: Folder) -> None:
    """Behind the passages that both rankings gave come all others that hold a word, each once, in falling order."""
    for number in range(30):
        (folder.root / f"note-{number:02}.txt").write_text(f"Note {number} says where the parcels are.")
    hits = collection(folder).search("parcels", 99)
    assert len({(hit.source, hit.start) for hit in hits}) == len(hits)
    assert {hit.source for hit in hits} >= {"office.txt", *(f"note-{number:02}.txt" for number in range(30))}
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)


def test_extra_installed_later(folder: Folder, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An index that was built without embeddings gets them, and no file is read for that."""
    with monkeypatch.context() as patch:
        without(patch)
        collection(folder, place).close()
    monkeypatch.setattr(update_module, "text_of", None)
    documents = collection(folder, place)
    assert documents.note == ""
    assert sources(documents) == ["office.txt", "clinic.txt"]


def test_extra_removed_later(folder: Folder, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An index with embeddings serves without the extra, and what is new meanwhile is embedded when it is back."""
    collection(folder, place).close()
    with monkeypatch.context() as patch:
        without(patch)
        (folder.root / "hospital.txt").write_text("The surgeon healed ill people in hospital.")
        documents = collection(folder, place)
        assert documents.note == "" and documents.search(QUESTION) == collection(folder).search(QUESTION)
        assert sources(documents) == ["office.txt"]
        documents.close()
    assert "hospital.txt" in sources(collection(folder, place))


EDITS = st.lists(
    st.tuples(st.sampled_from(sorted(TEXTS)), st.sampled_from([None, "", "\x00", *TEXTS.values()]), st.booleans()),
    max_size=5,
)


@settings(max_examples=25)
@given(EDITS)
def test_update_equals_fresh_build(
    tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[str, str | None, bool]]
) -> None:
    """However a folder changes, with and without the extra, an index that was kept finds the same as a new one."""
    base = tmp_path_factory.mktemp("edits")
    root, place = base / "data", base / "index.sqlite"
    root.mkdir()
    for name, text, installed in edits:
        if text is None:
            (root / name).unlink(missing_ok=True)
        else:
            (root / name).write_text(text)
        with pytest.MonkeyPatch.context() as patch:
            if not installed:
                without(patch)
            kept, fresh = collection(Folder.open(root), place), collection(Folder.open(root))
            assert (kept.documents, kept.skipped, kept.note) == (fresh.documents, fresh.skipped, "")
            for question in (QUESTION, "Where do vehicles wait in line at the gate?", "rooms at the back"):
                assert kept.search(question, 9) == fresh.search(question, 9)
            kept.close()
            fresh.close()


@pytest.mark.parametrize("blob", [b"\x01", b""])
def test_damaged(folder: Folder, place: Path, blob: bytes) -> None:
    """Embeddings that are damaged are told, not passed over."""
    collection(folder, place).close()
    database = sqlite3.connect(place)
    with database:
        database.execute("UPDATE vectors SET vectors = ?", (blob,))
    database.close()
    with pytest.raises(ToolFailed, match="the embeddings are damaged"):
        collection(folder, place).search(QUESTION)


def test_any_character(folder: Folder) -> None:
    """Characters that are none, and texts without tokens, are no error."""
    assert "office.txt" in sources(collection(folder), "parcels \ud800 \x00")
    assert not real().embed(["", "parcels"])[0].any()


def real() -> Embedder:
    """What embeds texts in this environment."""
    found = embedder()
    assert found is not None
    return found


def test_no_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The weights come with the package: without a network and a home everything works."""

    def refuse(*arguments: object, **options: object) -> None:
        raise AssertionError("the network was used")

    for name in ("socket", "create_connection", "getaddrinfo"):
        monkeypatch.setattr(socket, name, refuse)
    monkeypatch.setenv("HOME", str(tmp_path / "none"))
    fresh = Embedder(real()._folder)
    assert fresh.embed(["parcels"]).shape == (1, DIMENSIONS)
    assert not (tmp_path / "none").exists()


def test_embedding_of_a_text_is_its_own() -> None:
    """An embedding does not depend on what is embedded with it, and similar texts have similar ones."""
    texts = [f"parcel number {number}" for number in range(300)]
    together = real().embed(texts)
    assert (together[299] == real().embed(texts[299:])[0]).all()
    food, meals, motor = (row.astype(int) for row in real().embed(["surplus food", "leftover meals", "a motorbike"]))
    assert food @ meals > 2 * (food @ motor)


def test_broken_extra(tmp_path: Path) -> None:
    """A package without its weights is an error that says what to do."""
    advice = r"holds no .*: install it again: pip install --force-reinstall wordllama"
    with pytest.raises(MissingExtraError, match=advice):
        Embedder(tmp_path).embed(["x"])


def test_missing_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package there is nothing that embeds."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    embedding.embedder.cache_clear()
    try:
        assert embedder() is None
    finally:
        embedding.embedder.cache_clear()


@given(st.integers(0, 2**32 - 1), st.sampled_from([0, 1, 3, 300, 2500]), st.sampled_from([1, 127]))
@settings(max_examples=25)
def test_nearest(seed: int, count: int, largest: int) -> None:
    """Scores are the cosines, in falling order; rows of the same score keep theirs, those that are equal above all."""
    chance = np.random.default_rng(seed)
    rows = chance.integers(-largest, largest + 1, (count, DIMENSIONS), dtype=np.int8)
    rows[count // 2 :] = rows[: count - count // 2]
    question = chance.integers(-127, 128, DIMENSIONS, dtype=np.int8)
    numbers = np.arange(count, dtype="<i8") + 7
    found = list(Vectors(numbers.tobytes(), rows.tobytes()).nearest(question))
    wide, asked = rows.astype(np.float64), question.astype(np.float64)
    exact = wide @ asked / np.maximum(np.sqrt((wide * wide).sum(axis=1)), 1) / np.sqrt(asked @ asked)
    assert sorted(number for number, _ in found) == list(numbers)
    half = dict(found)
    assert all(half[number + 7] == half[number + 7 - count // 2] for number in range(count // 2, 2 * (count // 2)))
    assert found == sorted(found, key=lambda pair: (-pair[1], pair[0]))
    assert np.allclose([score for _, score in found], [exact[number - 7] for number, _ in found], atol=1e-6)


def test_fusion() -> None:
    """A score is the sum of 1 / (60 + rank); of the same, the earlier ranking comes first."""
    assert fused([["a", "b"], ["c", "b"]]) == [("b", 2 / 62), ("a", 1 / 61), ("c", 1 / 61)]
    assert share(2) == 1 / 62 and fused([]) == []


def test_very_many(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of very many passages the likely ones come first, in the order that they have among all; then all others."""
    for number in range(60):
        (folder.root / f"note-{number:02}.txt").write_text(f"Note {number} says where the parcels of {number} are.")
    documents = collection(folder)
    exact = [(row.path, row.score) for row in documents._index.nearest(QUESTION, real())]
    with monkeypatch.context() as patch:
        patch.setattr(embedding_module, "_MANY", 10)
        patch.setattr(embedding_module, "_LIKELY", 20)
        patch.setattr(embedding_module, "_ALONE", 7)
        ranked = [(row.path, row.score) for row in documents._index.nearest(QUESTION, real())]
    assert ranked[:3] == exact[:3] and sorted(ranked) == sorted(exact)
    scores = [score for _, score in ranked]
    assert sum(later > earlier for earlier, later in itertools.pairwise(scores)) == 1
