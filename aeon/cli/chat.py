"""``aeon chat``: turn by turn at a prompt, each a run that is shown the ones before it and saved like any other."""

from __future__ import annotations

import argparse
import contextlib
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path

from aeon.assembly.build import build
from aeon.assembly.plugin import AnyPlugin
from aeon.assembly.registry import plugin
from aeon.assembly.turns import Turn, task_after
from aeon.cli.output import remark
from aeon.cli.run import TOOLS, common_settings, refuse_unused, settings_of_engine
from aeon.cli.session import Session
from aeon.errors import AeonError, InputFileError, ToolFailed, UsageError
from aeon.home import data_dir
from aeon.llm.adapter import LLMAdapter
from aeon.llm.select import select as model_of
from aeon.observability.lines import counted, short, visible
from aeon.runtime.journal import Journal
from aeon.schema import Conclusion, Settings
from aeon.settings import assignments, load_config, merged
from aeon.tools.select import folder_specs, server_specs

__all__ = ["command"]

_FOLDER = "chats"
_PROMPT = "> "
_COMMANDS = "/show lists the turns so far, /quit leaves; anything else that begins with / is no turn"


def command(options: argparse.Namespace) -> int:
    """Chat until /quit, the end of input, or Ctrl-C at the prompt.

    Raises:
        UsageError: an option or a setting is wrong, or the engine cannot be used.
        InputFileError: the folder is there already, or cannot be made.
    """
    options.json = False
    brought = plugin(options.engine)
    refuse_unused(options, brought)
    kind = brought.engine.config
    own = merged(settings_of_engine(options, kind), common_settings(options))
    config = load_config(kind, options.config, merged(own, assignments(kind, options.set)), os.environ)
    chat = _Chat(options, brought, config, model_of(options.model), _folder(options.save))
    with contextlib.suppress(EOFError, KeyboardInterrupt):
        while chat.hear(_typed()):
            pass
    return 0


def _folder(named: str | None) -> Path:
    """A new folder for the runs of this chat, which is the user's alone."""
    path = Path(named) if named else data_dir() / _FOLDER / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    try:
        path.mkdir(mode=0o700, parents=True)
    except FileExistsError:
        raise InputFileError(f"{path}: exists already; name a new folder for the runs (--save)") from None
    except OSError as error:
        raise InputFileError(f"{path}: cannot be made: {error.strerror or error}") from None
    return path


def _typed() -> str:
    """The line that is typed. Raises ``EOFError`` where there is none."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return input()
    print(_PROMPT, end="", flush=True)
    try:
        _await_line()
        return input()
    except (EOFError, KeyboardInterrupt):
        print()
        raise


def _await_line() -> None:
    """Wait for a line or a signal: `input` alone forgets a Ctrl-C that comes just before it begins to wait."""
    woken, waker = socket.socketpair()
    waker.setblocking(False)
    before = signal.set_wakeup_fd(waker.fileno(), warn_on_full_buffer=False)
    try:
        select.select([sys.stdin, woken], [], [])
    finally:
        signal.set_wakeup_fd(before)
        waker.close()
        woken.close()


class _Chat:
    """A conversation: what was said, and where its runs are."""

    def __init__(
        self, options: argparse.Namespace, brought: AnyPlugin, config: Settings, model: LLMAdapter, folder: Path
    ) -> None:
        self._options, self._brought, self._config = options, brought, config
        self._model, self._folder = model, folder
        self._turns: dict[Path, Turn] = {}
        self._number = 0
        self._commands: dict[str, Callable[[], bool]] = {"/quit": lambda: False, "/show": self._show}

    def hear(self, line: str) -> bool:
        """Take what was typed; whether the chat goes on."""
        said = line.encode("utf-8", "surrogateescape").decode("utf-8", "replace").strip()
        if said.startswith("/"):
            return self._commands.get(said, self._explain)()
        if said:
            try:
                self._answer(said)
            except AeonError as error:
                if isinstance(error, UsageError | ToolFailed) and not self._turns:  # it would be so again
                    raise
                remark(str(error))
        return True

    def _answer(self, said: str) -> None:
        """Run the turn before the user's eyes, and keep it."""
        options, brought = self._options, self._brought
        self._number += 1
        path = self._folder / f"turn-{self._number:02}.jsonl"
        task = task_after([*self._turns.values()], said)
        tools = [*(options.tools or (TOOLS if brought.reads else ())), *folder_specs(options.files)]
        results: list[Conclusion] = []
        with Session(options, options.model, path, lambda spec: self._model) as session:
            given = session.opened([*tools, *server_specs(options.mcp)], self._config.budget.seconds)
            orchestrator = build(
                session.model, given, self._config, session.observers, lambda _: Journal(path), session.ask,
                session.spec, brought,
            )  # fmt: skip
            session.cast(orchestrator.config.roles.named, ready=self._number == 1 and orchestrator.bound.calls > 0)

            def run() -> Conclusion:
                results.append(orchestrator.execute(task))
                return results[-1]

            session.conduct(orchestrator.driver, run)
        self._turns[path] = Turn.of(said, results[-1])

    def _show(self) -> bool:
        for path, turn in self._turns.items():
            found = f"  ({counted(len(turn.parts), 'part')} found on the way)" if turn.parts else ""
            print(visible(f"{path.name}  {short(turn.question)}\n    {short(turn.answer)}{found}"))
        where = visible(str(self._folder))
        print(f"aeon history {where}/turn-01.jsonl shows a run" if self._turns else "nothing was answered so far")
        return True

    def _explain(self) -> bool:
        remark(_COMMANDS)
        return True
