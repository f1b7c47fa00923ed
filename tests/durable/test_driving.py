"""Programs whose runs live in a database: ``build(durable=URL)``."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

import aeon
from aeon.errors import UsageError
from aeon.runtime.replay import replay

from .conftest import Place, errands, until

pytestmark = pytest.mark.requirement("X5j")
PROGRAM = Path(__file__).with_name("program.py")


def begun(place: Place, run: str, *arguments: object) -> subprocess.Popen[str]:
    """The program, which works on this run."""
    given = [place.url, str(place.folder / "counts.sqlite"), run, *map(str, arguments)]
    with (place.folder / "program.log").open("a") as log:
        return subprocess.Popen(
            [sys.executable, str(PROGRAM), *given], stdout=subprocess.PIPE, stderr=log, text=True
        )  # fmt: skip


def said(place: Place, run: str, *arguments: object) -> str:
    """What the program prints of its result."""
    program = begun(place, run, *arguments)
    out, _ = program.communicate(timeout=60)
    assert program.returncode == 0, (place.folder / "program.log").read_text()
    return out.splitlines()[-1]


def test_a_program_that_is_killed_and_begun_again_takes_its_run_up(place: Place) -> None:
    """What is on record is not done again; a post without an outcome is asked about; the end is given again."""
    first = begun(place, "report", "Report.", 3, 60)
    until(lambda: place.posts("report"))
    first.kill()
    first.communicate()
    assert place.jobs.get("report").state == "running"
    again = said(place, "report", "Report.", 3, 0, "done")
    assert again.startswith("done 15 ") and "posted 13" in again
    assert place.posts("report") == [1, 1, 1]
    before = place.jobs.written("report")
    assert said(place, "report", "Report.", 3, 0).split()[:3] == ["done", "15", "0"], "an ended run does nothing more"
    assert place.jobs.written("report") == before
    assert replay(place.jobs.journal("report"), errands.ENGINE).stop_reason == "done"


def test_a_run_is_that_of_its_task_and_settings(place: Place) -> None:
    """Another task, other settings, other tools under its id are refused, and an id that is none; nothing is done."""
    assert said(place, "one", "Report.", 1, 0).startswith("done 5 5 ")
    for arguments, words in (
        (("one", "Another.", 1, 0), "is a run with another task"),
        (("one", "Report.", 2, 0), "is a run with another config"),
        (("a:b", "Report.", 1, 0), "is no id"),
    ):
        program = begun(place, *arguments)
        program.communicate(timeout=60)
        assert program.returncode == 1 and words in (place.folder / "program.log").read_text()
    assert place.posts("one") == [1] and [job.id for job in place.jobs.latest()] == ["one"]


def test_another_worker_may_do_it(place: Place) -> None:
    """The result is the same, from the journal; a run that waits for an answer is given as one that waits."""
    made = aeon.build(errands.MODEL, [place.counts.tool], errands.ErrandSettings(rounds=1), engine=errands.PLUGIN)
    config = made.config.model_dump(mode="json")
    with place.worker(posting=60) as first:
        place.submit("shared", task=aeon.Task(text="Report."), config=config)
        until(lambda: place.posts("shared"))
        first.kill()
        with place.worker():
            place.reaches("shared", "waiting")
            assert said(place, "shared", "Report.", 1, 0).startswith("waiting ")
            place.jobs.answer("shared", "done")
            place.reaches("shared", "ended")
    assert said(place, "shared", "Report.", 1, 0).startswith("done 5 0 ")
    assert place.posts("shared") == [1]


def test_in_one_process_runs_share_a_worker_and_stream(place: Place) -> None:
    """Several at once; their events come as they happen; another database meanwhile is refused."""
    with place.worker():
        pass  # its tables are there
    code = f"""
import asyncio, sys
sys.path.insert(0, {str(PROGRAM.parents[2] / "scripts" / "bench")!r})
import errands, aeon
from aeon.errors import UsageError
tool = errands.Counts({str(place.folder / "counts.sqlite")!r}, 0.5).tool
config = errands.ErrandSettings(rounds=2)
build = lambda **given: aeon.build(errands.MODEL, [tool], config, engine=errands.PLUGIN, **given)
made = build(durable={place.url!r})
async def main():
    async with made.stream("One.") as stream:
        kinds = [type(event).__name__ async for event in stream]
    assert kinds[0] == "RunStarted" and kinds[-1] == "RunEnded" and kinds.count("EffectEnded") == 10, kinds
    long = aeon.build(
        errands.MODEL, [tool], errands.ErrandSettings(rounds=40), engine=errands.PLUGIN, durable={place.url!r}
    )
    async with long.stream("Long.") as stream:
        await anext(stream)
    assert stream.result.stop_reason == "interrupted", stream.result
    several = [asyncio.create_task(made.aexecute(f"Number {{n}}.")) for n in range(3)]
    await asyncio.sleep(0.5)
    try:
        await build(durable={f"sqlite:///{place.folder / 'other.sqlite'}"!r}).aexecute("Elsewhere.")
        raise SystemExit("was not refused")
    except UsageError as error:
        assert "can have one worker" in str(error), error
    assert [one.stop_reason for one in await asyncio.gather(*several)] == ["done"] * 3
    return await build(durable={f"sqlite:///{place.folder / 'other.sqlite'}"!r}).aexecute("Elsewhere.")
print(asyncio.run(main()).stop_reason)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=90, check=False)
    assert (ran.returncode, ran.stdout) == (0, "done\n"), ran.stderr
    assert len(place.jobs.latest("ended")) == 5


@pytest.mark.requirement("P3f")
def test_in_one_process_a_text_is_told_while_it_is_written(place: Place) -> None:
    """The worker's thread tells the program's event loop, in order; who waits for what is on record is told none."""
    with place.worker():
        pass  # its tables are there
    code = f"""
import asyncio, sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from approving import approval
from speaking import Speaking, pieces
import aeon
from aeon.schema import Capabilities
from aeon.testing.obliging import oblige
TEXT = "The bridge was opened in 1931."
def reply(request):
    return approval(request) or (oblige(request).text if request.json_schema is not None else TEXT)
recorded = []
model = Speaking(reply, Capabilities(json_schema=True, json_mode=True, tools=True))
made = aeon.build(model, tools=(), durable={place.url!r}, observers=[aeon.OnRecord(recorded.append)])
async def main():
    async with made.stream("When was the bridge opened?") as stream:
        return [event async for event in stream]
events = asyncio.run(main())
told = [event for event in events if isinstance(event, aeon.TextDelta)]
assert "".join(event.text for event in told) == TEXT and [event.begins for event in told] == [True] + [False] * 5, told
at = events.index(told[0])
assert events[at - 1].type == "effect_started" and events[at + len(told)].type == "effect_ended", events
assert recorded == [event for event in events if event not in told]
print("done")
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=90, check=False)
    assert (ran.returncode, ran.stdout) == (0, "done\n"), ran.stderr


def test_what_does_not_go_together_is_refused(tmp_path: Path) -> None:
    """An id without a database, a journal beside it, an address that is none: before anything is begun."""
    for given, words in (
        ({"run": "x"}, "names a run in a database"),
        ({"durable": "sqlite", "journal": lambda name: aeon.Journal()}, "the database keeps it"),
        ({"durable": "mysql://x/y"}, "names no database that can be used"),
        ({"durable": f"sqlite:///{tmp_path / 'x.sqlite'}", "run": " "}, "is no id"),
    ):
        with pytest.raises(UsageError, match=words):
            aeon.build(errands.MODEL, **given)
    assert not (tmp_path / "x.sqlite").exists()
    with pytest.raises(UsageError, match="task"):
        asyncio.run(aeon.build(errands.MODEL, durable=f"sqlite:///{tmp_path / 'x.sqlite'}").aexecute(7))
