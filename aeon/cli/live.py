"""The live view: finished lines scroll by, and on a terminal the last line shows what is under way and for how long."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Self, TextIO, TypeAlias

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from aeon.cli.narration import Narrator, Past
from aeon.cli.narrators import narrator_of
from aeon.observability.lines import Line, Span, labelled, short, visible
from aeon.runtime.events import EffectEnded, EffectStarted, Event, Observer, OnRecord, RunStarted, TextDelta

__all__ = ["LiveView", "Progress"]

Progress: TypeAlias = Callable[[int, int], None]
"""Receives how many are done of how many."""

_STYLES = {
    "good": "green",
    "bad": "red",
    "warn": "yellow",
    "now": "cyan",
    "dim": "bright_black",
    "strong": "bold",
    "": "",
}
_LONG = 2.0
"""Seconds after which what is under way gets a line of its own where no line moves."""
_BAR = 20
_MOST_WRITTEN = 300
"""Characters of a text that is being written whose end the last line shows."""
_LEAST_WRITTEN = 12
"""Columns below which it shows none of it."""
_ECHO = 3
"""Columns that the last line leaves free: a terminal writes ``^C`` there, and a full line would be broken by it."""


class _Console(Console):
    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


@dataclass
class _Work:
    """Something under way: what, since when, how far it is, and whether it has a line of its own already.

    ``written`` is the end of the text that a model writes for it.
    """

    what: str
    since: float
    done: int = 0
    total: int = 0
    announced: bool = False
    written: str = ""


class LiveView:
    """An observer that shows one run on ``file``, and a context manager around it.

    On a terminal it uses colours (unless ``NO_COLOR`` is set) and a moving last line; elsewhere, and on a terminal that
    can do no more, plain lines: there what takes long is named once. ``model`` is the name of the run's model;
    ``asks``: questions are put at this terminal. ``past`` is what a resumed run did before. ``broken`` is why nothing
    can be shown any more; the run goes on to its answer. ``clock`` gives seconds.
    """

    def __init__(self, file: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = _Console(file=file, highlight=False, markup=False, emoji=False)
        self.model = ""
        self._narrator: Narrator | None = None
        self._file = file
        self._clock = clock
        self.asks = False
        self.past: Past | None = None
        self.broken: OSError | None = None
        self._under_way: dict[int, _Work] = {}
        self._note = ""
        self._asking = False
        self._fancy = self._console.encoding.lower().startswith("utf")
        self._spinner = Spinner("dots" if self._fancy else "line", style="cyan")
        self._live = Live(self, console=self._console, refresh_per_second=8, transient=True, redirect_stderr=False)
        self._over = threading.Event()

    @property
    def moves(self) -> bool:
        """Whether the last line can move."""
        return self._console.is_terminal and not self._console.is_dumb_terminal

    @property
    def observer(self) -> Observer:
        """The view as it observes a run: a text while it is written is shown where a line moves."""
        return self if self.moves else OnRecord(self)

    def __enter__(self) -> Self:
        if self.moves:
            self._live.start()
        else:
            self._over.clear()
            threading.Thread(target=self._watch, name="aeon-view", daemon=True).start()
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        self._live.stop()
        self._over.set()

    def __call__(self, event: Event) -> None:
        """Show what is new."""
        if isinstance(event, RunStarted):
            self._narrator = narrator_of(event.engine)(event.engine, self.model, self.asks, self.past)
        if self.broken is None:
            try:
                self._show(event)
            except OSError as error:  # nobody reads it any more, or the disk is full
                self.broken = error

    def _show(self, event: Event) -> None:
        narrator = self._narrator
        if narrator is None:
            return
        match event:
            case EffectStarted():
                self._under_way[event.number] = _Work(narrator.doing(event.effect), self._clock())
            case EffectEnded():
                self._under_way.pop(event.number, None)
            case TextDelta() if (work := self._under_way.get(event.number)) is not None:
                work.written = f"{'' if event.begins else work.written}{event.text}"[-_MOST_WRITTEN:]
            case _:
                pass
        for line in narrator.lines(event):
            self._print(line)

    def show(self, lines: Iterable[Line]) -> None:
        """Show lines of the host's own, while there is somebody to read them."""
        if self.broken is not None:
            return
        try:
            for line in lines:
                self._print(line)
        except OSError as error:
            self.broken = error

    @contextlib.contextmanager
    def busy(self, what: str) -> Iterator[Progress]:
        """Show what is being done before the run, on a moving line or as a line; gives what takes the progress."""
        work = self._under_way[-1] = _Work(what, self._clock())

        def report(done: int, total: int) -> None:
            work.done, work.total = done, total

        try:
            if self.moves:
                self._live.start()
            else:
                self.show([(Span(f"{what} …", "dim"),)])
            yield report
        finally:
            self._live.stop()
            del self._under_way[-1]

    @contextlib.contextmanager
    def paused(self) -> Iterator[Callable[[str], None]]:
        """Keep the last line still, so that a question can be asked on it; gives what writes there."""
        self._live.stop()
        self._asking = True

        def say(text: str) -> None:
            self._file.write(text)
            self._file.flush()

        try:
            yield say
        finally:
            self._asking = False
            if self.moves:
                self._live.start()

    def note(self, text: str) -> None:
        """Show a word of the host's own: on the last line of a terminal, else as a line."""
        self._note = text
        if not self.moves:
            self.show([(Span(text),)])

    def announce(self) -> None:
        """Name what has been under way for long and was not named yet: for where no line moves."""
        now = self._clock()
        for work in list(self._under_way.values()):
            if not (work.announced or self._asking) and now - work.since >= _LONG:
                work.announced = True
                for line in labelled("now", [(Span(work.what, "dim"),)]):
                    self._print(line)

    def _watch(self) -> None:
        """Announce until the run is over, or until nobody reads it."""
        while self.broken is None and not self._over.wait(_LONG / 4):
            try:
                self.announce()
            except OSError as error:
                self.broken = error

    def _print(self, line: Line) -> None:
        text = Text()
        for span in line:
            text.append(span.text, _STYLES[span.style])
        if self._console.is_terminal:
            self._console.print(_indented(text, line))
        else:
            self._console.print(text, soft_wrap=True)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The last line: a spinner, what is under way with a bar where it is known how far, and the seconds.

        Of a text that is being written it shows the end.
        """
        if not self._under_way:
            return
        work = next(iter(list(self._under_way.values())))
        more = f" and {len(self._under_way) - 1} more" if len(self._under_way) > 1 else ""
        width = options.max_width - _ECHO
        start, end = f" {self._bar(work, width)}", f"{more}  {self._clock() - work.since:.0f} s"
        note = f"  {self._note}" if self._note else ""
        room = width - len(start) - len(end) - len(note) - 3
        frame = self._spinner.render(console.get_time())
        spinner = frame if isinstance(frame, Text) else str(frame)
        line = Text.assemble("  ", spinner, (f"{start}{_shown(work, max(room, 1))}{end}", "cyan"), (note, "yellow"))
        line.truncate(width, overflow="ellipsis")  # what is wiped away is one line
        yield line

    def _bar(self, work: _Work, width: int) -> str:
        """A bar with the figures; nothing where it is not known how far the work is."""
        if not work.total:
            return ""
        whole = min(_BAR, width // 5)
        full = whole * work.done // work.total
        on, off = ("━", "╌") if self._fancy else ("#", "-")
        return f"{on * full}{off * (whole - full)} {work.done:,} of {work.total:,}  "


def _shown(work: _Work, room: int) -> str:
    """What is under way; behind it the last words of what is being written, as far as there is room."""
    written, left = " ".join(visible(work.written).split()), room - cell_len(f"{work.what}: … ")
    if not written or left < _LEAST_WRITTEN:
        return short(work.what, room)
    end = written
    while cell_len(end) > left:
        end = end[1:]
    return f"{work.what}: {'… ' if end != written else ''}{end}"


def _indented(text: Text, line: Line) -> Table | Text:
    """The text so that what wraps stays in its column, beside a label in the margin."""
    margin = line[0].text if line and line[0].text.startswith("  ") and line[0].text.endswith(" ") else ""
    left = max(len(margin), len(text.plain) - len(text.plain.lstrip()))
    if not left or left >= len(text):
        return text
    columns = Table.grid()
    columns.add_column(width=left, no_wrap=True)
    columns.add_column()
    columns.add_row(text[:left], text[left:])
    return columns
