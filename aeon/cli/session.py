"""What the commands that run something share: one run before the user's eyes, and how it ends for the shell."""

from __future__ import annotations

import argparse
import contextlib
import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from aeon.asking.asker import Answerer
from aeon.cli.interrupts import interruptible
from aeon.cli.live import LiveView
from aeon.cli.output import print_json
from aeon.cli.progress import fetch
from aeon.cli.prompt import Prompt
from aeon.errors import InputFileError
from aeon.kernel.ports import Driver
from aeon.llm.adapter import LLMAdapter
from aeon.llm.catalogue import CATALOGUE
from aeon.llm.local import Local
from aeon.llm.select import select
from aeon.observability.lines import Line, Span, visible
from aeon.observability.log import log_observer
from aeon.runtime.events import Observer
from aeon.schema import Result

__all__ = ["Session", "exit_code", "spec_of"]

_CONVERGED, _FAILED, _ANSWERED, _WAITING = 0, 1, 3, 4


class Session:
    """One run: shown as the options say, its questions asked at the terminal, its journal at ``path``.

    ``spec`` says which model. ``observers`` and ``ask`` are for whoever builds the run. A context manager: it closes
    the log.

    Raises:
        UsageError: no such model, or a log that cannot be written.
        ModelError: an endpoint cannot be asked which model it serves.
    """

    def __init__(self, options: argparse.Namespace, spec: str | None, path: str | Path | None) -> None:
        self.model: LLMAdapter = select(spec)
        self._json: bool = options.json
        self._path = path
        stream = sys.stderr if options.json else sys.stdout
        self.view = LiveView(stream, self.model.name)
        self._shown = not options.json or stream.isatty()
        self._prompt = Prompt(self.view.paused) if stream.isatty() and _typed() else None
        self.view.asks = self._prompt is not None
        self.observers: list[Observer] = [self.view] if self._shown else []
        self._open = contextlib.ExitStack()
        if log := options.log or os.environ.get("AEON_LOG"):
            self.observers.insert(0, self._log(log))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        self._open.close()

    @property
    def ask(self) -> Answerer | None:
        """What answers the questions of the run; ``None`` without a terminal."""
        return self._prompt

    def make_ready(self) -> None:
        """Fetch the model, if it has to be: neither a run's clock nor its journal starts before it is there."""
        if isinstance(self.model, Local) and self.model.name in CATALOGUE:
            fetch(CATALOGUE[self.model.name])

    def conduct(self, driver: Driver, execute: Callable[[], Result]) -> int:
        """Run it to its end, say how to go on where it can be, and give the exit code."""
        note = self.view.note if self._shown else lambda _: None
        with interruptible(driver, note, self._prompt), self.view:
            result = execute()
        if self._shown:
            self.view.show(_next(result, self._path))
        if self._json:
            print_json(result)
        if result.stop_reason == "failed":
            sys.stdout.flush()
            print(f"aeon: {' '.join(visible(result.detail).split())}", file=sys.stderr)
        return exit_code(result)

    def _log(self, path: str) -> Observer:
        try:
            return log_observer(self._open.enter_context(Path(path).open("a", encoding="utf-8", buffering=1)))
        except OSError as error:
            raise InputFileError(f"{path}: cannot be written: {error.strerror}") from None


def exit_code(result: Result) -> int:
    """What a run's stop reason means for a shell."""
    codes = {"converged": _CONVERGED, "confident": _CONVERGED, "failed": _FAILED, "waiting": _WAITING}
    return codes.get(result.stop_reason, _ANSWERED)


def spec_of(model: LLMAdapter, given: str | None) -> str | None:
    """What the model of a run is named by in its journal, so that it is found again from anywhere."""
    if given and given.endswith(".gguf"):
        return str(Path(given).expanduser().resolve())
    return given or (model.name if isinstance(model, Local) and model.name in CATALOGUE else None)


def _typed() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _next(result: Result, path: str | Path | None) -> list[Line]:
    """How to go on with a run that has not come to its end."""
    if result.stop_reason not in ("waiting", "interrupted", "failed"):
        return []
    waiting = result.stop_reason == "waiting"
    if path is None:
        words = "this run was not saved and cannot be gone on with; save one with: --save FILE"
        return [(Span(words, "dim"),)] if waiting else []
    answer = ' --answer "…"' if waiting else ""
    return [(Span("go on with: ", "dim"), Span(f"aeon resume {shlex.quote(visible(str(path)))}{answer}"))]
