"""What the tests of the command line share."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from aeon.cli.main import main
from aeon.llm import openai_compatible, probe_records, translation

from .played_model import Model, served


def up_to_entry(journal: bytes, entries: int) -> bytes:
    """The lines of a journal up to the one with this number of entries: what a kill may leave."""
    lines = journal.splitlines(keepends=True)
    ends = [number for number, line in enumerate(lines, 1) if b'"line":"entry"' in line]
    return b"".join(lines[: ends[entries - 1] if entries else 1])


class Outcome(NamedTuple):
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def shown(self) -> str:
        """What a person sees at a terminal: the story of a run on standard error, and the answer."""
        return self.err + self.out

    @property
    def errors(self) -> list[str]:
        """What went wrong, or is worth a warning: the lines on standard error beside the story of a run."""
        return [line for line in self.err.splitlines() if line.startswith("aeon: ")]

    @property
    def document(self) -> Any:
        """Standard output as one JSON document."""
        return json.loads(self.out)

    def complains(self, code: int, *words: str) -> None:
        """Whether it failed with this code and one line, beside the story of a run, that holds these words."""
        assert self.code == code, self
        lines = self.errors
        assert len(lines) == 1, self.err
        assert "Traceback" not in self.out + self.err
        for word in words:
            assert word in lines[0], lines[0]


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[Model]:
    """A fresh server whose model answers everything well, and which the environment names as the user's own."""
    with served() as played:
        monkeypatch.setenv("AEON_MODEL", played.url)
        yield played


@pytest.fixture
def aeon(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Callable[..., Outcome]:
    """Carries out a command line in this process, which knows of no endpoint what a command before it found out."""

    def call(*arguments: str) -> Outcome:
        probe_records._KNOWN.clear()
        shutil.rmtree(tmp_path / "home" / "probes", ignore_errors=True)
        capfd.readouterr()
        code = main(arguments)
        return Outcome(code, *capfd.readouterr())

    return call


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty cache, no settings from outside, hardly any wait between attempts, and short deadlines."""
    monkeypatch.setenv("AEON_HOME", str(tmp_path / "home"))
    for name in ("MODEL", "BASE_URL", "API_KEY", "HEADERS", "BODY", "JOURNAL_KEY", "LOG", "DEBUG"):
        monkeypatch.delenv(f"AEON_{name}", raising=False)
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(translation, "BACKOFF_SECONDS", 0.01)
    defaults = openai_compatible.OpenAICompatible.__init__.__defaults__ or ()
    short = tuple(2.0 if value in (120.0, 60.0) else value for value in defaults)
    monkeypatch.setattr(openai_compatible.OpenAICompatible.__init__, "__defaults__", short)


@pytest.fixture
def thorough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every task is profiled and planned in steps, so that a run has all its phases."""
    monkeypatch.setenv("AEON_THOROUGH", "true")
