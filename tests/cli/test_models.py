"""``aeon models``: the catalogue, where a model lies, and the fetching."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from aeon.llm import weights
from aeon.llm.catalogue import CatalogueEntry, HubFile

from . import played_model
from .conftest import Outcome
from .played_model import Model

Aeon = Callable[..., Outcome]
DATA = b"weights" * 1_000


@pytest.fixture
def small(model: Model, monkeypatch: pytest.MonkeyPatch) -> CatalogueEntry:
    """A catalogue of one small model, which the played server offers."""

    def get(handler: BaseHTTPRequestHandler) -> None:
        played_model.reply(handler, 200, DATA)

    monkeypatch.setattr(played_model._Handler, "do_GET", get)
    digest = hashlib.sha256(DATA).hexdigest()
    entry = CatalogueEntry(
        name="small", title="Small", file_name="small.gguf", size=len(DATA), sha256=digest, licence="MIT",
        context_tokens=512, mirrors=(HubFile(url=f"{model.root}/weights"),),
    )  # fmt: skip
    catalogue: dict[str, Any] = {"small": entry}
    monkeypatch.setattr("aeon.cli.models.CATALOGUE", catalogue)
    monkeypatch.setattr("aeon.llm.catalogue.CATALOGUE", catalogue)
    return entry


def test_the_list_says_what_is_cached(aeon: Aeon, small: CatalogueEntry) -> None:
    """Name, size, licence and state stand on one line a model."""
    assert "not cached" in aeon("models").out
    assert aeon("models", "pull", "small").code == 0
    line = aeon("models", "list").out
    assert all(word in line for word in ("small", "MIT", " cached")) and "not" not in line


def test_pull_fetches_and_prints_the_path(aeon: Aeon, small: CatalogueEntry) -> None:
    """The path alone is on standard output; the progress is on standard error."""
    done = aeon("models", "pull", "small")
    assert Path(done.out.strip()).read_bytes() == DATA
    assert "fetching Small" in done.err and "/weights" in done.err and "fetched and verified" in done.err
    assert aeon("models", "path", "small").out == done.out


def test_the_path_of_a_model_that_is_not_there(aeon: Aeon, small: CatalogueEntry) -> None:
    """Exit code 1, and the line says how to fetch it."""
    aeon("models", "path", "small").complains(1, "aeon models pull small")


def test_weights_with_the_wrong_hash_are_refused(aeon: Aeon, small: CatalogueEntry) -> None:
    """A file that is not what the catalogue names is never used; the list calls it damaged."""
    path = weights.path_of(small)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"x" * len(DATA))
    for action in ("pull", "path"):
        aeon("models", action, "small").complains(1, "small.gguf", "SHA-256", "delete the file")
    assert "damaged" in aeon("models").out


def test_a_transfer_that_brings_other_bytes_leaves_nothing(
    aeon: Aeon, small: CatalogueEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mirror sends something else: one line at the end, and no file."""
    monkeypatch.setattr(
        played_model._Handler, "do_GET", lambda handler: played_model.reply(handler, 200, b"y" * len(DATA))
    )
    done = aeon("models", "pull", "small")
    assert done.code == 1 and "SHA-256" in done.err.splitlines()[-1] and done.out == ""
    assert not weights.path_of(small).exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("models", "pull"), "needs a name"),
        (("models", "path", "big"), "'big'"),
        (("models", "list", "small"), "aeon models pull small"),
        (("models", "drop"), "drop"),
    ],
)
def test_wrong_usage_is_one_line(aeon: Aeon, small: CatalogueEntry, arguments: tuple[str, ...], words: str) -> None:
    """Exit code 2 and what to do."""
    aeon(*arguments).complains(2, words)
