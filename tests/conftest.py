"""Settings that all tests share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from measured import every_judgment

from aeon.documents.index import Index

settings.register_profile("aeon", deadline=None)  # a busy machine is no failure: nothing here is about time
settings.load_profile("aeon")


@pytest.hookimpl(tryfirst=True)  # before xdist, which looks at the groups here
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of the real models run in one process, so that they do not take each other's cores."""
    for item in items:
        if item.get_closest_marker("embedded") or item.get_closest_marker("tiny"):
            item.add_marker(pytest.mark.xdist_group("models"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """The embedded model beside other tests has one core: two threads that wait for each other lose their time."""
    is_alone = item.get_closest_marker("embedded") is None or "PYTEST_XDIST_WORKER" not in os.environ
    if is_alone or not hasattr(os, "sched_setaffinity"):
        return (yield)
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        return (yield)
    finally:
        os.sched_setaffinity(0, cores)


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Packed bytes hold the time of packing: named by them, a test would differ between processes side by side."""
    return argname if isinstance(val, bytes) and not val.isascii() else None


@pytest.fixture(autouse=True)
def _own_probes(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep what is found out about played endpoints, and what runs on them took, out of the user's cache."""
    own = tmp_path_factory.getbasetemp() / "cache"
    for module in ("aeon.llm.probe_records", "aeon.assembly.costs"):
        monkeypatch.setattr(f"{module}.cache_dir", lambda: Path(os.environ.get("AEON_HOME", own)))


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every judgment of the models that tests play decide, as if it had been measured on them."""
    found = every_judgment("scripted", "obliging", "played")
    monkeypatch.setattr("aeon.supervisor.judge.calibrations", lambda: found)


@pytest.fixture
def bad_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the models that tests play be measured to be too poor to decide anything."""
    found = every_judgment("scripted", "obliging", "played", auroc=0.6)
    monkeypatch.setattr("aeon.supervisor.judge.calibrations", lambda: found)


@pytest.fixture
def indexes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Keep the indexes of documents below the test's own folder, and close them at its end."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    opened: list[Index] = []
    prepare = Index._prepare

    def noted(self: Index) -> None:
        opened.append(self)
        prepare(self)

    monkeypatch.setattr(Index, "_prepare", noted)
    yield
    for index in opened:
        index.close()


@pytest.fixture
def words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Search documents by words alone, as where the extra embeddings is not installed."""
    for module in ("collection", "update"):
        monkeypatch.setattr(f"aeon.documents.{module}.embedder", lambda: None)
