"""An engine for the benchmarks of durable runs: rounds of thoughts, readings and posts, which change the world.

    python scripts/bench/errands.py URL COUNTS [--name NAME] [--parallel N] [--beat S] [--patience S] [--posting S]
        [--killer RUN] [--lingers FILE]

is a worker with it. At SIGUSR1 its time of day jumps thirty days on, and back at the next. Each post is counted in a
table of its own, in the SQLite file COUNTS, by its idempotency key.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sqlite3
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel

from aeon import (
    Answer,
    Caps,
    Conclusion,
    EffectOf,
    Engine,
    Halt,
    Plugin,
    Program,
    Rule,
    Run,
    Settings,
    Signals,
    Task,
    Tool,
    Value,
)
from aeon.assembly.plugin import Services
from aeon.assembly.setup import setup_of
from aeon.durable.database import Address, Database
from aeon.durable.equipment import Equipment, Limits
from aeon.durable.worker import Worker
from aeon.errors import InputFileError, UsageError
from aeon.kernel.ports import Handlers
from aeon.llm.scripted import Scripted
from aeon.runtime.ledger import current_ledger
from aeon.runtime.lines import Opening
from aeon.runtime.store import FileStore
from aeon.schema import JsonObject, Questions
from aeon.supervisor.prompt import Prompt
from aeon.testing.obliging import oblige

ROUND = 5
"""The effects of a round: a thought and two readings at once, a post, and a reading after it."""


class Said(Value):
    """What came of an errand."""

    text: str


class Think(EffectOf[Said]):
    """What does the model think of this?"""

    phase = "think"
    number: int


class Read(EffectOf[Said]):
    """What stands there?"""

    phase = "read"
    number: int


class Post(EffectOf[Said]):
    """Put this where others see it."""

    phase = "post"
    number: int
    again: int = 0


class ErrandCaps(Caps):
    """One call a thought; four are allowed, so that what a crash loses does not keep it from being thought again."""

    think: int = 4
    read: int = 0
    post: int = 0


class ErrandSettings(Settings):
    """How many rounds there are."""

    caps: ErrandCaps = ErrandCaps()
    questions: Questions = Questions(most=50, unattended="suspend")
    rounds: int = 7


@dataclass(slots=True)
class Round(Signals):
    """Whether the last round is over."""

    over: bool = False


class Errands(Conclusion):
    """What was said, in order."""

    said: tuple[str, ...] = ()


def program(run: Run[ErrandSettings, Round]) -> Program[Errands]:
    """The rounds, one after the other."""
    said: list[str] = []
    try:
        for number in range(run.config.rounds):
            run.boundary()
            at = number * ROUND
            share = run.allow("think")
            three = (
                Think(task=run.task, number=at, allowance=share),
                Read(task=run.task, number=at + 1),
                Read(task=run.task, number=at + 2, after=(1,)),
            )
            outcomes = yield from run.issue(three)
            said += [one.value.text for one in outcomes if isinstance(one.value, Said)]
            said += yield from posted(run, at + 3)
            last = yield from run.perform(Read(task=run.task, number=at + 4), Said(text=""))
            said.append(last.text)
        run.signals.over = True
        run.boundary()
    except Halt as halt:
        answer = Answer(text=" ".join(said) or "nothing")
        return Errands(**dict(run.conclude(halt.decision, answer)), said=tuple(said))
    raise AssertionError("the table ends every run")


def posted(run: Run[ErrandSettings, Round], number: int) -> Program[list[str]]:
    """Post once; where nobody knows whether that was done, a person says it."""
    again = 0
    while True:
        (outcome,) = yield from run.issue((Post(task=run.task, number=number, again=again),))
        if not outcome.unknown:
            return [outcome.value.text] if isinstance(outcome.value, Said) else []
        if (yield from run.resolve(outcome)) == "done":
            return [f"posted {number}"]
        again += 1


ENGINE: Engine[ErrandSettings, Round, Errands] = Engine(
    name="errands/1",
    config=ErrandSettings,
    result=Errands,
    signals=Round,
    effects=(Think, Read, Post),
    table=(Rule("done", "over", "every errand is done", sufficient=True),),
    calls=lambda config: config.rounds * config.caps.think,
    program=program,
)


class Thought(BaseModel):
    """What a model says."""

    text: str


def handlers(services: Services[ErrandSettings]) -> Handlers:
    """What answers the errands."""

    async def think(effect: Think) -> Said:
        reply = await services.supervisor.structured(Prompt("", f"Think of {effect.number}."), Thought)
        return Said(text=reply.value.text)

    async def read(effect: Read) -> Said:
        if READING:
            await asyncio.sleep(READING)
        if KILLER and effect.task.text == f"errands {KILLER}":
            os.kill(os.getpid(), signal.SIGKILL)
        return Said(text=f"read {effect.number}")

    async def post(effect: Post) -> Said:
        ledger = current_ledger()
        key = f"{ledger.execution_id}:{effect.number}"
        done = await services.tools.call("post", {}, key, guard=lambda: ledger.tool_call("post"))
        return Said(text=f"posted {effect.number}" if done.value else "")

    return {"think": think, "read": read, "post": post}


PLUGIN = Plugin(engine=ENGINE, handlers=handlers)
MODEL = Scripted(oblige)
READING = 0.0
"""Seconds that a read takes."""
KILLER = ""
"""The run whose reads end the worker's process."""


class Counts:
    """The table of posts: one row a call, whatever its key. ``seconds`` is how long a post takes, after its row.

    At the path ``-`` there is no table, and a post is nothing.
    """

    def __init__(self, path: str, seconds: float = 0.0) -> None:
        self._path = path
        self._seconds = seconds
        if path == "-":
            return
        with self._opened() as file:
            file.execute("PRAGMA journal_mode=WAL")
            file.execute("CREATE TABLE IF NOT EXISTS posts (key TEXT NOT NULL)")

    def _opened(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=60)

    def post(self, idempotency_key: str) -> bool:
        """Add a row. It takes the key and counts each call all the same: that is what is measured."""
        if self._path == "-":
            return True
        file = self._opened()
        try:
            with file:
                file.execute("INSERT INTO posts VALUES (?)", [idempotency_key])
        finally:
            file.close()
        time.sleep(self._seconds)
        return True

    def by_key(self) -> dict[str, int]:
        """How often each key was posted."""
        file = self._opened()
        try:
            return dict(file.execute("SELECT key, COUNT(*) FROM posts GROUP BY key").fetchall())
        finally:
            file.close()

    @property
    def tool(self) -> Tool:
        """The tool that posts."""
        schema: JsonObject = {"type": "object", "properties": {}, "additionalProperties": False}
        return Tool(name="post", description="Posts.", parameters=schema, call=self.post, side_effects=True)


def opening(name: str, rounds: int, tool: Tool, *also: str) -> Opening:
    """The first line of a run, whose worker has tools beside that one."""
    config = ErrandSettings(rounds=rounds, prices={MODEL.name: None}).model_dump(mode="json")
    setup = setup_of(MODEL, None, [tool, *also])
    return Opening(execution_id=name, engine=ENGINE.name, task=Task(text=f"errands {name}"), config=config, setup=setup)


def say(line: str) -> None:
    """A line for who looks at the worker."""
    print(line, file=sys.stderr, flush=True)


def jump_at_signal() -> None:
    """Have the time of day, as this process reads it, jump at SIGUSR1: thirty days on, and at the next one back."""
    real, ahead = time.time, [0.0]
    time.time = lambda: real() + ahead[0]

    def jump(*_: object) -> None:
        ahead[0] = 30 * 24 * 3600 - ahead[0]

    signal.signal(signal.SIGUSR1, jump)


def linger(file: Path) -> None:
    """Have the worker wait between the line that announces its first post and the call, and make a file to say so.

    Who stops it meanwhile, and lets it go on, finds it waiting again, for long enough to count among the workers.
    """
    real = FileStore.append

    async def append(store: FileStore, line: bytes) -> None:
        await real(store, line)
        if line.startswith(b'{"line":"begun"') and not file.exists():
            file.touch()
            for _ in range(2):
                await asyncio.sleep(3)

    FileStore.append = append  # type: ignore[method-assign]


def main() -> int:
    """Work until SIGTERM."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("counts")
    parser.add_argument("--name")
    parser.add_argument("--parallel", type=int, default=8)
    parser.add_argument("--everywhere", type=int)
    parser.add_argument("--beat", type=float, default=1.0)
    parser.add_argument("--patience", type=float, default=5.0)
    parser.add_argument("--poll", type=float, default=0.2)
    parser.add_argument("--posting", type=float, default=0.0)
    parser.add_argument("--reading", type=float, default=0.0)
    parser.add_argument("--killer", default="")
    parser.add_argument("--lingers", type=Path)
    parser.add_argument("--slots", type=int)
    parser.add_argument("--owner", type=int)
    parser.add_argument("--also", action="append", default=[])
    options = parser.parse_args()
    globals().update(READING=options.reading, KILLER=options.killer)
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    jump_at_signal()
    if options.lingers:
        linger(options.lingers)
    limits = Limits(
        options.parallel, options.everywhere, options.beat, options.patience, options.poll, options.slots, options.owner
    )
    equipment = Equipment(MODEL, None, [Counts(options.counts, options.posting).tool, *options.also], [PLUGIN])
    while True:
        try:
            database = Database(Address.of(options.url))
            worker = Worker(database, equipment, limits, options.name, say)
            worker.start()
            break
        except UsageError as error:
            say(str(error))
            if not isinstance(error, InputFileError):
                return 2
            time.sleep(0.5)  # the database is away: whatever starts workers would try again
        except Exception as error:  # noqa: BLE001 - the same, in the midst of its tables being made
            say(str(error))
            time.sleep(0.5)
    print("ready", flush=True)
    ended.wait()
    worker.stop()
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    sys.exit(main())
