"""Settings that all tests share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from equipment import MISSING
from hypothesis import settings
from measured import every_judgment

from aeon.documents.index import Index
from aeon.home import cache_dir

settings.register_profile("aeon", deadline=None)  # a busy machine is no failure: nothing here is about time
settings.load_profile("aeon")


def pytest_addoption(parser: pytest.Parser) -> None:
    """An option for machines that must run every test."""
    parser.addoption("--nothing-missing", action="store_true", help="a test fails that something is missing for")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """A test that something is missing for is skipped, unless nothing may be missing."""
    report: Any = yield
    if report.skipped and item.config.getoption("nothing_missing") and MISSING in str(report.longrepr):
        report.outcome, report.longrepr = "failed", report.longrepr[2]
    return report


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


@pytest.fixture(scope="session", autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what tests and their processes write between runs out of the user's home, which lends its models alone."""
    models, home = cache_dir() / "models", tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patched:
        patched.delenv("AEON_HOME", raising=False)
        for kind in ("CACHE", "DATA"):
            patched.setenv(f"XDG_{kind}_HOME", str(home / kind.lower()))
        if cache_dir().is_relative_to(home) and models.is_dir():
            cache_dir().mkdir(parents=True)
            (cache_dir() / "models").symlink_to(models, target_is_directory=True)
        yield


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
