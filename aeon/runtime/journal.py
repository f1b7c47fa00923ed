"""The journal: every outcome of a run in order, from which the run can be derived again without a model.

On disk it is a sealed file of JSON lines: an opening with engine, task and configuration, then one line per effect. An
outcome is on disk before the next effect is issued, so that a crash loses at most the effects that were under way. What
a model call can cost is on disk before the call, so that what a crash loses is still charged; and a tool that changes
the world leaves a line before it is called, so that its call is never repeated unasked.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from aeon.errors import Divergence, JournalError
from aeon.runtime.header import broken_line, refuse_others
from aeon.runtime.lines import LINE, Begun, Called, Ended, Entry, Line, Opening, Resumed, fingerprint
from aeon.runtime.sealed import SealedFile, read_sealed
from aeon.runtime.seals import sealer
from aeon.runtime.store import FileStore, Store
from aeon.schema import NOTHING, Conclusion, Frozen, JsonObject, Outcome, Settings, Usage
from aeon.schema.effects import Effect

__all__ = ["Journal"]

C = TypeVar("C", bound=Settings)


class Journal:
    """The entries of one run, in memory and, with a ``path``, on disk; or wherever ``store`` keeps them.

    ``line`` is the number of the latest line, from 0. ``begun`` holds the tools that change the world and were called,
    by the number of the effect that they were called for; ``torn``: the last line was cut short by a crash and does not
    count. Where their entries do not count any more, what these tools gave is still known: see `done`.
    ``authentic``: it is sealed with the user's own key, so that nobody else has written it. ``lost`` is what
    earlier lives of the run spent that no entry keeps, by the effect that it is charged to.

    Raises:
        InputFileError: the file exists already or cannot be written.
    """

    def __init__(self, path: Path | str | None = None, store: Store | None = None) -> None:
        self.opening: Opening | None = None
        self.line = -1
        self.begun: dict[int, str] = {}
        self._done: dict[str, list[tuple[str, Entry]]] = {}
        self._setup: JsonObject | None = None
        self.lost: dict[int, Usage] = {}
        self.torn = False
        self.authentic = False
        self._calls: dict[int, Usage] = {}
        self._entries: dict[int, Entry] = {}
        self._lines: dict[int, int] = {}
        self._unread: dict[int, tuple[Effect, Outcome, int]] = {}
        self._ended: Ended | None = None
        self._result: Conclusion | None = None
        self._store = FileStore(SealedFile.create(path)) if path is not None else store

    @property
    def entries(self) -> dict[int, Entry]:
        """The entries that count, by the number of their effect."""
        for number, (effect, outcome, line) in self._unread.items():  # made again when somebody looks: few do
            self._entries[number], self._lines[number] = Entry.of(number, effect, outcome), line
        self._unread.clear()
        return self._entries

    @property
    def ended(self) -> Ended | None:
        """How the run ended, if it did."""
        if self._result is not None:
            self._ended = Ended.of(self._result)
            self._result = None
        return self._ended

    @property
    def altered(self) -> tuple[int, ...]:
        """The numbers of the effects whose outcomes whoever forked the run put in."""
        return tuple(sorted(number for number, entry in self._entries.items() if entry.altered))

    @property
    def stopped(self) -> bool:
        """Whether an interrupt counts in it."""
        return any(entry.interrupted for entry in self.entries.values())

    @property
    def unsettled(self) -> bool:
        """Whether model calls were under way, for effects that have no entry, when the process ended."""
        return bool(self._calls)

    @property
    def opened(self) -> Opening:
        """The opening.

        Raises:
            JournalError: there is none yet.
        """
        if self.opening is None:
            raise JournalError("the journal holds no run")
        return self.opening

    @property
    def setup(self) -> JsonObject:
        """What the host needs to make the run's handlers again, as the latest life of the run has it.

        Raises:
            JournalError: the journal holds no run.
        """
        return self._setup if self._setup is not None else self.opened.setup

    def first_config(self, kind: type[C]) -> C:
        """The configuration that the run began with.

        Raises:
            JournalError: the journal holds no run, or its configuration is none of this kind.
        """
        return _config(kind, self.opened.config)

    def config(self, kind: type[C], before: int | None = None) -> C:
        """The configuration before effect ``before``, or at the end of the journal. Raises as `first_config`."""
        every = sorted(self.entries.items())
        changed = [entry.config for number, entry in every if entry.config and (before is None or number < before)]
        return _config(kind, changed[-1] if changed else self.opened.config)

    async def open(self, opening: Opening) -> None:
        """Write the opening line."""
        self.opening = opening
        await self._write(opening)

    @property
    def call(self) -> Callable[[int, Usage], Awaitable[None]] | None:
        """Notes that an effect of this number is about to call a model, and what it can have cost after that at most.

        ``None`` for a journal in memory: what is not on record there is gone with the process.
        """
        return self._call if self._store is not None else None

    async def _call(self, number: int, most: Usage) -> None:
        await self._write(Called(number=number, most=most))
        self._calls[number] = most

    @property
    def under_way(self) -> Mapping[int, Usage]:
        """What the effects that have no outcome yet can have cost in this life at most, by their numbers."""
        return self._calls

    async def begin(self, number: int, tool: str) -> None:
        """Note that effect ``number`` is about to call a tool that changes the world."""
        line = Begun(number=number, tool=tool)
        self._count(line, await self._write(line))

    async def append(self, number: int, effect: Effect, outcome: Outcome) -> int:
        """Keep the outcome of an effect; it lasts when this returns. The number of its line."""
        if self._store is None:
            self.line += 1
            line = self.line
        else:
            line = await self._write(Entry.of(number, effect, outcome))
        self._settle(number)
        self._unread[number] = (effect, outcome, line)
        return line

    async def end(self, result: Conclusion) -> None:
        """Note how the run ended.

        Raises:
            Divergence: it had ended before, with another result.
        """
        if self.ended is not None:
            self.check_end(result)
        elif self._store is None:
            self._result = result
            self.line += 1
        else:
            line = Ended.of(result)
            self._count(line, await self._write(line))

    def check_end(self, result: Conclusion) -> None:
        """Refuse a result that is not the one that the run ended with, if it had ended.

        Raises:
            Divergence: it is another one.
        """
        if self.ended is not None and self.ended != Ended.of(result):
            raise Divergence("the end: every outcome is the same, but the result is not; another version made it")

    def outcome(self, number: int, effect: Effect, config: type[Settings]) -> Outcome | None:
        """The outcome that it holds for this effect, if any.

        Raises:
            Divergence: it holds one for another effect, or one that does not fit.
        """
        entry = self.entries.get(number) if number in self._entries or number in self._unread else None
        return entry.outcome(effect, config) if entry else None

    def done(self, number: int, effect: Effect, config: type[Settings]) -> Outcome | None:
        """What a tool that changes the world gave for this effect before its entry ceased to count, if one did.

        Whatever the number of the effect is now: it is not done again. What it cost is lost, and so charged already.

        Raises:
            Divergence: the outcome does not fit the effect.
        """
        entry = self._take_done(number, fingerprint(effect)) if self._done else None
        return entry.outcome(effect, config).changed(usage=NOTHING, lost=NOTHING) if entry else None

    def _take_done(self, number: int, request: str) -> Entry | None:
        """Have the effect of this number be the one that the tool was called for."""
        if not (known := self._done.get(request)):
            return None
        self.begun[number], entry = known.pop(0)
        return entry

    def _retake(self, line: Entry) -> None:
        """Have an entry that was read be the one that the tool was called for, if it has what that gave.

        One that was broken off, or that the run had nothing left for, has not: what the tool gave is still to be used.
        """
        known = self._done.get(line.fingerprint)
        if known and (known[0][1].value, known[0][1].failure) == (line.value, line.failure):
            self._take_done(line.number, line.fingerprint)

    def line_of(self, number: int) -> int | None:
        """The number of the line of the entry for effect ``number``, if there is one that counts."""
        if number in self._unread:
            return self._unread[number][2]
        return self._lines[number] if number in self._entries else None

    def resume(self, void: tuple[int, ...], again: tuple[int, ...] = (), setup: JsonObject | None = None) -> None:
        """Begin another life of the run without the entries ``void``; what they cost is lost.

        The effects ``again`` are issued again as they were. From here on the run is made of ``setup``, if it is given.
        """
        line = Resumed(void=void, again=again, setup=setup)
        if self._store is not None:
            self._store.append_now(line.model_dump_json().encode())
        self.line += 1
        self._count(line, self.line)

    def close(self) -> None:
        """Let go of the file, if there is one."""
        if self._store is not None:
            self._store.close()
            self._store = None

    @classmethod
    def written(cls, opening: Opening, entries: Iterable[Entry], path: Path | str | None = None) -> Journal:
        """A new journal of a run with this past.

        Raises:
            InputFileError: the file exists already or cannot be written.
            JournalError: it could not be written to its end; nothing is left of it.
        """
        file = SealedFile.create(path) if path is not None else None
        entries = tuple(entries)
        lines: list[Frozen] = [opening, *entries]
        if file is not None:
            try:
                file.append(*(line.model_dump_json().encode() for line in lines))
            except JournalError:
                file.close()
                Path(path or "").unlink(missing_ok=True)
                raise
        journal = cls(store=FileStore(file) if file is not None else None)
        journal.opening = opening
        journal.line = len(lines) - 1
        for at, entry in enumerate(entries, 1):
            journal._count(entry, at)
        return journal

    @classmethod
    def read(cls, path: Path | str) -> Journal:
        """A journal from disk, to be looked at.

        Raises:
            InputFileError: the file cannot be read or is no journal of this version.
            JournalError: a line is damaged; names it.
        """
        refuse_others(path)
        lines, torn, _ = read_sealed(path)
        journal = cls.of(path, lines, bool(torn))
        journal.authentic = bool(sealer().key)
        return journal

    @classmethod
    def reopen(cls, path: Path | str, store: Callable[[SealedFile], Store] = FileStore) -> Journal:
        """A journal from disk, to be continued in what ``store`` makes of its file; until it is closed nobody else may.

        Raises:
            InputFileError: as for `read`; or it cannot be written, or another process is continuing it.
            JournalError: a line is damaged; names it.
        """
        refuse_others(path)
        file, lines, torn = SealedFile.reopen(path)
        try:
            journal = cls.of(path, lines, torn, store(file))
            journal.authentic = bool(sealer().key)
            return journal
        except BaseException:
            file.close()
            raise

    @classmethod
    def of(cls, path: Path | str, lines: list[bytes], torn: bool = False, store: Store | None = None) -> Journal:
        """The journal that these lines, without their seals, are; ``path`` names it, and ``store`` keeps what follows.

        Raises:
            InputFileError: a line is of another version.
            JournalError: a line is none of a journal; names it.
        """
        journal = cls(store=store)
        journal.torn = torn
        try:
            journal.opening = Opening.model_validate_json(lines[0])
        except ValidationError:
            raise broken_line(path, 1, lines[0]) from None
        for number, line in enumerate(lines[1:], 2):
            try:
                read = LINE.validate_json(line)
            except ValidationError:
                raise broken_line(path, number, line) from None
            if not isinstance(read, Resumed | Ended) and read.number in journal._entries:
                again = "is a second outcome" if isinstance(read, Entry) else "notes a call after the outcome"
                raise JournalError(f"{path}: line {number} {again} of effect {read.number}")
            journal._count(read, number - 1)
        journal.line = len(lines) - 1
        return journal

    async def _write(self, line: Frozen) -> int:
        """Keep a line; its number, which one that could not be kept does not use up."""
        self.line += 1
        number = self.line
        if self._store is not None:
            try:
                await self._store.append(line.model_dump_json().encode())
            except JournalError:
                self.line -= 1
                raise
        return number

    def _count(self, line: Line, at: int) -> None:
        """Have the line of this number count."""
        match line:
            case Entry():
                self._retake(line)
                self._entries[line.number], self._lines[line.number] = line, at
                self._settle(line.number)
            case Called():
                self._calls[line.number] = line.most
            case Begun():
                self.begun[line.number] = line.tool
            case Ended():
                self._ended = line
            case Resumed():
                self._start_life(line)

    def _start_life(self, line: Resumed) -> None:
        """Take back what does not count any more.

        What it cost is charged to the same effect where that is issued again, else to the first that is issued now: an
        effect of an ending that is taken back may never come again.
        """
        self._ended = self._result = None
        self._setup = line.setup if line.setup is not None else self._setup
        first = min(line.again or line.void, default=None)
        dropped, kept = _parted(self.entries, line.void)
        self._set_aside(dropped)
        for number, usage in (*self._calls.items(), *((entry.number, entry.usage + entry.lost) for entry in dropped)):
            charged = number if first is None or number in line.again else first
            self.lost[charged] = self.lost.get(charged, NOTHING) + usage
        self._calls.clear()
        self._entries = {entry.number: entry.changed(interrupted=False) for entry in kept}

    def _set_aside(self, dropped: Iterable[Entry]) -> None:
        """Keep what tools gave that changed the world, for the same requests in this life."""
        for entry in dropped:
            if entry.number in self.begun and not Outcome(failure=entry.failure).broken_off:
                self._done.setdefault(entry.fingerprint, []).append((self.begun.pop(entry.number), entry))

    def _settle(self, number: int) -> None:
        """Note that the effect has its outcome, which holds all that it took."""
        self._calls.pop(number, None)
        self.lost.pop(number, None)


def _parted(entries: dict[int, Entry], void: tuple[int, ...]) -> tuple[list[Entry], list[Entry]]:
    """The void entries and the others, in order."""
    ordered = [entry for _, entry in sorted(entries.items())]
    return [one for one in ordered if one.number in void], [one for one in ordered if one.number not in void]


def _config(kind: type[C], config: object) -> C:
    try:
        return kind.model_validate(config)
    except ValidationError as error:
        place = ".".join(["config", *(str(part) for part in error.errors()[0]["loc"])])
        reason = f"{place}: {error.errors()[0]['msg']}"
        raise JournalError(f"the journal's configuration does not fit this version: {reason}") from None
