"""What the commands that run something share: one run before the user's eyes, and how it ends for the shell."""

from __future__ import annotations

import argparse
import contextlib
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from aeon.asking.asker import Answerer
from aeon.assembly.registry import view_of
from aeon.cli.interrupts import interruptible
from aeon.cli.live import LiveView, Progress
from aeon.cli.logs import LogFile, faults_in_one_line
from aeon.cli.output import print_answer, print_json, remark
from aeon.cli.progress import fetch_weights
from aeon.cli.prompt import Prompt
from aeon.documents.folders import roots
from aeon.documents.stored import opened_paths
from aeon.errors import UsageError
from aeon.kernel.ports import Driver
from aeon.llm.adapter import LLMAdapter
from aeon.llm.catalogue import CATALOGUE
from aeon.llm.local import Local
from aeon.llm.select import select
from aeon.observability.lines import Line, Span, visible
from aeon.runtime.events import Observer, OnRecord
from aeon.schema import Conclusion
from aeon.tools.files import Files, takes_long
from aeon.tools.mcp.servers import Servers, start_seconds_of
from aeon.tools.select import Given, connected, opened

__all__ = ["Session", "exit_code", "portable_model", "spec_of"]

_SUFFICIENT, _ANSWERED = 0, 3
_CODES = {"failed": 1, "misconfigured": 2, "waiting": 4}


class Session:
    """One run: shown as the options say, its questions asked at the terminal, its journal at ``path``.

    ``spec`` says which model, and ``models`` gives it; ``observers`` and ``ask`` are for whoever builds the run. A
    context manager: it closes the log.

    Raises:
        UsageError: no such model, or a log that cannot be written.
        ModelError: an endpoint cannot be asked which model it serves.
    """

    def __init__(
        self,
        options: argparse.Namespace,
        spec: str | None,
        path: str | Path | None,
        models: Callable[[str | None], LLMAdapter] = select,
    ) -> None:
        self._json: bool = options.json
        self._quiet: bool = options.quiet
        self._path = path
        self._loaded: dict[str, Local] = {}
        self.view = LiveView(sys.stderr)
        self._shown = not self._quiet and (not options.json or sys.stderr.isatty())
        with self._busy("looking for the model", lambda: False):  # an endpoint is asked which one it serves
            self.model: LLMAdapter = models(spec)
        self.view.model = visible(self.model.name)
        self.spec = spec_of(self.model, spec)
        self._prompt = Prompt(self.view.paused) if self._shown and _typed() else None
        self.view.asks = self._prompt is not None
        self.observers: list[Observer] = [self.view.observer] if self._shown else []
        self._open = contextlib.ExitStack()
        if log := options.log or os.environ.get("AEON_LOG"):
            if path and os.path.realpath(log) == os.path.realpath(path):
                raise UsageError(f"--log: {log} is the file of the run; name another file for the log")
            self.observers.insert(0, OnRecord(self._open.enter_context(LogFile(log))))
        self._open.enter_context(faults_in_one_line())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        self._open.close()

    @property
    def ask(self) -> Answerer | None:
        """What answers the questions of the run; ``None`` without a terminal."""
        return self._prompt

    def opened(self, tools: Iterable[Given], seconds: float | None = None) -> list[Given]:
        """The same tools with their folders and MCP servers opened; shows what was found there, and that it is done.

        Folders are read for as many ``seconds`` as the run has, if that is limited, and servers start in no more.

        Raises:
            UsageError: no such tool, a folder that cannot be read, a tool of a server that was not approved, or an
                extra is missing.
            ToolFailed: a server cannot be reached, or does not answer.
        """
        reading = partial(self._folder, seconds=seconds)
        return connected(opened(tools, reading), lambda specs: self._servers(specs, seconds))

    def _servers(self, specs: list[str], seconds: float | None) -> Servers:
        with self._busy(f"starting {visible(', '.join(specs))}"):
            servers = self._open.enter_context(Servers.open(specs, start=start_seconds_of(os.environ, seconds)))
        self._say(f"MCP: {servers.found}")
        return servers

    def _folder(self, paths: list[str], seconds: float | None) -> Files:
        folder = opened_paths(paths)
        where = visible(", ".join(str(root) for root in roots(folder)))
        with self._busy(f"reading {where}", lambda: takes_long(folder)) as progress:
            files = Files.for_run(folder, seconds, progress)
        self._say(f"{where}: {files.found}")
        return files

    def _busy(self, what: str, announced: Callable[[], bool] = lambda: True) -> AbstractContextManager[Progress]:
        """Show what is being done before the run; where no line moves, only if it is worth a line."""
        if self._shown and (self.view.moves or announced()):
            return self.view.busy(what)
        return contextlib.nullcontext(lambda done, total: None)

    def _say(self, words: str) -> None:
        if self._shown:
            self.view.show([(Span(visible(words), "dim"),)])

    def begin_loading(self) -> None:
        """Have a local model load while files are read; `make_ready` waits for it."""
        if isinstance(self.model, Local):
            self.model.begin_loading()

    def cast(self, roles: Mapping[str, str], ready: bool) -> None:
        """Name the models of roles beside the run's own, and make all of them ``ready``. Raises as `make_ready`."""
        self.view.model += "".join(f", {role} {visible(model)}" for role, model in roles.items())
        if ready:
            self.make_ready(roles.values())

    def make_ready(self, others: Iterable[str] = ()) -> None:
        """Fetch and load the model, if it has to be: neither a run's clock nor its journal starts before it is there.

        So are the ``others``, which roles have.

        Raises:
            WeightsError, MissingExtraError, InputFileError, ServerBroken: it cannot be made ready.
        """
        self._load(self.model)
        for name in others:
            if name in CATALOGUE or name.endswith(".gguf"):
                self._load(select(name))

    def _load(self, model: LLMAdapter) -> None:
        if not isinstance(model, Local) or model.name in self._loaded:
            return
        fetch_weights(model, self._quiet)
        with self._busy(f"loading {visible(model.name)}"):
            model.load()
        self._loaded[model.name] = model  # its process is shared with every other adapter of the same file

    def conduct(
        self,
        driver: Driver,
        execute: Callable[[], Conclusion],
        proved: Callable[[Conclusion], list[Line]] = lambda result: [],
    ) -> int:
        """Run it to its end, show the answer and how to continue where that is possible, and give the exit code.

        ``proved`` gives lines on what the answer rests on.

        Raises:
            InputFileError: what ``proved`` writes cannot be written.
            OSError: nobody reads the answer any more, or it cannot be written.
        """
        note = self.view.note if self._shown else lambda _: None
        with interruptible(driver, note, self._prompt), self.view:
            result = execute()
        self._show_answer(result)
        lines = [*proved(result), *_next(result, self._path)]
        if self._shown:
            self.view.show([*([] if self._json else [()]), *view_of(result.engine).ending(result), *lines])
        if result.stop_reason == "failed":
            remark(result.detail)
        elif result.question is not None and self._quiet:
            remark(f"waits for an answer: {result.question.text}")
        return exit_code(result)

    def _show_answer(self, result: Conclusion) -> None:
        """Print the answer, or the result, on standard output, and above it on the terminal what it is."""
        answer = view_of(result.engine).answer(result)
        if self._json:
            print_json(result)
        elif answer:
            if self._shown:
                heading = "Results so far" if result.stop_reason == "waiting" else "Answer"
                self.view.show([(), (Span(heading, "strong"),)])
            print_answer(answer)


def exit_code(result: Conclusion) -> int:
    """What the end of a run means for a shell, whatever its engine."""
    return _SUFFICIENT if result.sufficient else _CODES.get(result.stop_reason, _ANSWERED)


def spec_of(model: LLMAdapter, spec: str | None) -> str | None:
    """What the model of a run is named by in its journal, so that it is found again from anywhere."""
    own = model.name if isinstance(model, Local) and model.name in CATALOGUE else None
    return portable_model(spec) if spec else own


def portable_model(spec: str) -> str:
    """What a model is named by from any folder: the whole path of a file."""
    return str(Path(spec).expanduser().resolve()) if spec.endswith(".gguf") else spec


def _typed() -> bool:
    """Whether a person can be asked: they see what is shown, and can type."""
    return sys.stderr.isatty() and sys.stdin is not None and sys.stdin.isatty()


def _next(result: Conclusion, path: str | Path | None) -> list[Line]:
    """How to continue a run that has not come to its end."""
    if result.stop_reason not in ("waiting", "interrupted", "failed"):
        return []
    waiting = result.stop_reason == "waiting"
    if path is None:
        words = "this run was not saved and cannot be continued; save one with: --save FILE"
        return [(Span(words, "dim"),)] if waiting else []
    answer = ' --answer "…"' if waiting else ""
    return [(Span("continue with: ", "dim"), Span(f"aeon resume {shlex.quote(visible(str(path)))}{answer}"))]
