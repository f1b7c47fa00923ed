"""The live view: finished lines scroll by, and on a terminal the last line shows what is under way and for how long."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Self, TextIO

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.padding import Padding
from rich.spinner import Spinner
from rich.text import Text

from aeon.cli.narration import Narrator, Past
from aeon.cli.narrators import narrator_of
from aeon.observability.lines import Line
from aeon.runtime.events import EffectEnded, EffectStarted, Event, RunStarted

__all__ = ["LiveView"]

_STYLES = {
    "good": "green",
    "bad": "red",
    "warn": "yellow",
    "now": "cyan",
    "dim": "bright_black",
    "strong": "bold",
    "": "",
}


class _Console(Console):
    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


class LiveView:
    """An observer that shows one run on ``file``, and a context manager around it.

    On a terminal it uses colours (unless ``NO_COLOR`` is set) and a moving last line; elsewhere plain lines.
    ``asks``: questions are put at this terminal. ``past`` is what a resumed run did before. ``broken`` is why nothing
    can be shown any more; then ``stop`` is called, and again whenever another effect begins.
    """

    def __init__(self, file: TextIO, model: str) -> None:
        self._console = _Console(file=file, highlight=False, markup=False, emoji=False)
        self._model = model
        self._narrator: Narrator | None = None
        self._file = file
        self.asks = False
        self.past: Past | None = None
        self.broken: OSError | None = None
        self.stop: Callable[[], None] = lambda: None
        self._under_way: dict[int, tuple[str, float]] = {}
        self._note = ""
        dots = self._console.encoding.lower().startswith("utf")
        self._spinner = Spinner("dots" if dots else "line", style="cyan")
        self._live = Live(self, console=self._console, refresh_per_second=8, transient=True, redirect_stderr=False)

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        self._live.stop()

    def __call__(self, event: Event) -> None:
        """Show what is new."""
        if isinstance(event, RunStarted):
            self._narrator = narrator_of(event.engine)(event.engine, self._model, self.asks, self.past)
        if self.broken is None:
            try:
                self._show(event)
            except OSError as error:  # nobody reads it any more, or the disk is full
                self.broken = error
                self.stop()
        elif isinstance(event, EffectStarted):
            self.stop()

    def _show(self, event: Event) -> None:
        narrator = self._narrator
        if narrator is None:
            return
        match event:
            case EffectStarted():
                self._under_way[event.number] = (narrator.doing(event.effect), time.monotonic())
            case EffectEnded():
                self._under_way.pop(event.number, None)
            case _:
                pass
        for line in narrator.lines(event):
            self._print(line)

    def show(self, lines: Iterable[Line]) -> None:
        """Show lines of the host's own."""
        for line in lines:
            self._print(line)

    @contextlib.contextmanager
    def paused(self) -> Iterator[Callable[[str], None]]:
        """Keep the last line still, so that a question can be asked on it; gives what writes there."""
        self._live.stop()

        def say(text: str) -> None:
            self._file.write(text)
            self._file.flush()

        try:
            yield say
        finally:
            if self._console.is_terminal:
                self._live.start()

    def note(self, text: str) -> None:
        """Show a word of the host's own: on the last line of a terminal, else as a line."""
        self._note = text
        if not self._console.is_terminal:
            self._console.print(text, soft_wrap=True)

    def _print(self, line: Line) -> None:
        text = Text()
        for span in line:
            text.append(span.text, _STYLES[span.style])
        if self._console.is_terminal:
            left = len(text.plain) - len(text.plain.lstrip())
            self._console.print(_indented(text, left))
        else:
            self._console.print(text, soft_wrap=True)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The last line: a spinner, what is under way, and the seconds since it began."""
        if not self._under_way:
            return
        now = time.monotonic()
        what, since = next(iter(self._under_way.values()))
        more = f" and {len(self._under_way) - 1} more" if len(self._under_way) > 1 else ""
        text = Text(f" {what}{more}  {now - since:.0f} s", style="cyan", no_wrap=True, overflow="ellipsis")
        if self._note:
            text.append(f"  {self._note}", "yellow")
        frame = self._spinner.render(console.get_time())
        yield Text.assemble("  ", frame if isinstance(frame, Text) else str(frame), text)


def _indented(text: Text, left: int) -> Padding | Text:
    """The text so that what wraps stays in its column."""
    return Padding(text[left:], (0, 0, 0, left)) if left and text.plain.strip() else text
