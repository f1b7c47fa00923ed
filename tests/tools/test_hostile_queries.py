"""Queries that take far more than they may: each ends with one line, in a process of its own."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from aeon.documents.folder import Folder
from aeon.errors import ToolError, ToolFailed
from aeon.isolation import pool
from aeon.schema import JsonObject, JsonValue
from aeon.tools import ToolRegistry, database
from aeon.tools.database import Database, NotRun
from aeon.tools.files import Files

pytestmark = [
    pytest.mark.requirement("T1f"),
    pytest.mark.skipif(sys.platform != "linux", reason="memory is held on Linux"),
]

SOUND = "SELECT count(*) FROM sales"
ENDLESS = "SELECT length(regexp_replace(repeat('ab', 10000000), 'a(.{0,500}c)?', '', 'g')) FROM sales"
"""One call of a function, which takes half a minute and cannot be interrupted."""
GROWS = "WITH RECURSIVE g(s, n) AS (SELECT 'sixteen letters!', 0 UNION ALL SELECT s || s, n + 1 FROM g WHERE n < 40)"
HOSTILE = {
    "list": "SELECT range(50000000) FROM sales",
    "resized list": "SELECT list_resize([1], 500000000) FROM sales",
    "rows of a list": "SELECT unnest(range(100000000)) FROM sales",
    "JSON": "SELECT to_json(range(30000000)) FROM sales",
    "doubled text": f"{GROWS} SELECT length(s) FROM g ORDER BY n DESC LIMIT 1",
    "nested replace": f"SELECT length({'replace(' * 9}'xxxxxxxxxx'{', $x$x$x$, $x$xxxxxxxxxx$x$)' * 9}) FROM sales",
    "repeat": "SELECT length(repeat('x', 4000000000)) FROM sales",
    "repeated repeat": "SELECT length(repeat(repeat('x', 30000), 30000)) FROM sales",
    "printf": "SELECT length(printf('%2000000000d', id)) FROM sales",
    "format": "SELECT length(format('{:2000000000}', id)) FROM sales",
    "string_agg": "SELECT string_agg(a.city || b.city || c.city, ',') FROM sales a, sales b, sales c",
    "list of a cross join": "SELECT list(i) FROM generate_series(1, 99999) a(i), generate_series(1, 99999) b(j), sales",
    "lambda": "SELECT list_transform(range(30000000), lambda x: [x, x + 1, x + 2]) FROM sales",
    "regexp_replace": "SELECT length(regexp_replace(repeat('x', 20000), 'x', repeat('y', 50000), 'g')) FROM sales",
    "casts": "SELECT list_transform(range(20000000), lambda x: x::HUGEINT::DECIMAL(38, 0)::VARCHAR) FROM sales",
    "wide rows": f"SELECT {', '.join(f'range(1000000) AS c{n}' for n in range(200))} FROM sales",
    "ordered list": "SELECT array_agg(x ORDER BY hash(x)) FROM range(200000000) t(x), sales",
    "map": "SELECT map_from_entries(list_transform(range(10000000), lambda x: (x, x))) FROM sales",
    "split": "SELECT string_split(repeat('a,', 50000000), ',') FROM sales",
    "much to say": "SELECT repeat('x', 400000) || id FROM sales LIMIT 5",
}  # fmt: skip
PLAIN = ("list", "rows of a list", "repeat", "string_agg", "split", "much to say")
"""What is put to a loop's tool, too: what it gives is made in the same process."""


@pytest.fixture(scope="module")
def sales(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """A folder with one table of 3,000 rows."""
    folder = tmp_path_factory.mktemp("sales")
    rows = "".join(f"{n},{'Rome' if n % 2 else 'Oslo'},{n}.25\n" for n in range(1, 3_001))
    (folder / "sales.csv").write_text(f"id,city,amount\n{rows}")
    return Files(Folder(folder), Database.load(Folder(folder), ["sales.csv"]), Files.open(folder).collection, ())


def asked(files: Files, query: str, *, plain: bool = False) -> JsonValue:
    """What the tool ``sql`` gives."""
    registry = ToolRegistry(files.loop_tools if plain else files.tools)
    return asyncio.run(registry.call("sql", {"query": query})).value


def most_memory(*, reset: bool = False) -> int:
    """The most bytes that this process had in memory since that was reset."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


@pytest.mark.parametrize(("kind", "plain"), [*((kind, False) for kind in HOSTILE), *((kind, True) for kind in PLAIN)])
def test_a_hostile_query_is_one_line(sales: Files, kind: str, *, plain: bool) -> None:
    """It ends in time, takes no memory of this process, and the next query is answered."""
    asked(sales, SOUND, plain=plain)
    before, began = most_memory(reset=True), time.monotonic()
    try:
        given = asked(sales, HOSTILE[kind], plain=plain)
    except ToolFailed as error:
        assert "\n" not in str(error) and len(str(error)) < 300
        assert str(error).startswith("sql: the query needs too much") or kind == "much to say"
    else:
        assert plain and len(str(given)) < 20_000
    assert time.monotonic() - began < 12
    assert most_memory() - before < 100_000_000
    assert asked(sales, "SELECT max(id) FROM sales") == 3_000


def test_a_call_that_nothing_interrupts_is_ended(sales: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its process ends with it, and says so as for any query that takes too long."""
    assert sales.database
    sales.database.query(SOUND)
    monkeypatch.setattr(database, "_SECONDS", 0.3)
    began = time.monotonic()
    with pytest.raises(ToolFailed, match=r"^the query took longer than 0\.3 s; ask for less at once$"):
        sales.database.query(ENDLESS)
    with pytest.raises(ToolFailed, match=r"^the query was stopped after 0\.3 s$"):
        sales.database.plain_query(ENDLESS, 16_384)
    assert time.monotonic() - began < 8
    monkeypatch.undo()
    assert sales.database.query(SOUND) == 3_000


def test_queries_run_side_by_side(sales: Files) -> None:
    """Eight threads with sound queries and others get each their own, in the time of a few."""
    given: dict[int, object] = {}

    def ask(number: int) -> None:
        query = f"SELECT sum(id) + {number} FROM sales" if number % 4 else HOSTILE["list"]
        try:
            given[number] = asked(sales, query, plain=number % 2 == 1)
        except ToolError as error:
            given[number] = str(error)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert time.monotonic() - began < 12
    for number in range(8):
        text = str(given[number])
        assert (str(4_501_500 + number) in text) if number % 4 else text.startswith("sql: the query needs too much")


def test_sound_queries_do_not_wait_for_a_crowd_of_endless_ones(
    sales: Files, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """Each query has its turn; one that takes longer makes way for those that wait, and runs again apart from them."""
    monkeypatch.setattr(database, "_SECONDS", 4.0)
    ends: list[str] = []

    def ask() -> None:
        with pytest.raises(ToolFailed) as ended:
            asked(sales, ENDLESS)
        ends.append(str(ended.value))

    crowd = [threading.Thread(target=ask) for _ in range(6)]
    for thread in crowd:
        thread.start()
    request.addfinalizer(lambda: [thread.join() for thread in crowd])
    time.sleep(0.3)
    for number in range(4):
        began = time.monotonic()
        assert asked(sales, f"SELECT sum(id) + {number} FROM sales") == 4_501_500 + number
        assert time.monotonic() - began < 5.5
    for thread in crowd:
        thread.join()
    assert len(ends) == 6 and all("took longer" in end or "was not run" in end for end in ends)


def test_what_was_not_run_is_asked_again(sales: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where other queries take all the room, that is said after a while, and is not kept as the query's answer."""
    registry = ToolRegistry(sales.tools)
    arguments: JsonObject = {"query": "SELECT min(id) FROM sales"}
    monkeypatch.setattr(pool.ASKING, "_most_wait", 0.2)
    with pool.ASKING.worker(pool.MOST_MEMORY, pool.Deadline()):
        with pytest.raises(NotRun, match="other work takes all"):
            assert sales.database
            sales.database.query("SELECT 1")
        with pytest.raises(ToolFailed, match="ask it again later"):
            asyncio.run(registry.call("sql", arguments))
    assert asyncio.run(registry.call("sql", arguments)).value == 1


@pytest.mark.parametrize(
    ("name", "message"),
    [("SIGKILL", "^the query was not run: the system ended"), ("SIGSEGV", "^the query failed: .*SIGSEGV$")],
)
def test_a_process_that_died_is_one_line(sales: Files, name: str, message: str) -> None:
    """What the system ended may be asked again; a crash says how it ended. The next query runs, nothing is left."""
    assert sales.database
    sales.database.query(SOUND)
    process = pool.ASKING._idle[-1]._child.pid
    left = sales.database._scratch / f"spill-{process}"
    left.mkdir()
    threading.Timer(0.5, os.kill, (process, getattr(signal, name))).start()
    with pytest.raises(ToolFailed, match=message):
        sales.database.query(ENDLESS)
    assert not left.exists()
    assert sales.database.query(SOUND) == 3_000


def test_the_latest_files_are_kept_open_in_one_process(tmp_path: Path) -> None:
    """Databases are asked in turns by one process; one that was released is closed there, and gone from the disk."""
    pool.close()
    databases: list[Database] = []
    for number in range(6):
        (tmp_path / f"t{number}.csv").write_text(f"n\n{number}\n")
        databases.append(Database.load(Folder(tmp_path), [f"t{number}.csv"]))
    for _ in range(2):
        assert [one.query(f"SELECT n FROM t{number}") for number, one in enumerate(databases)] == [*range(6)]
    process = pool.ASKING._idle[-1]._child.pid
    assert len(_open_files(process)) == 4
    kept, gone = databases[5], databases.pop(4)._scratch
    databases.clear()
    gc.collect()
    assert not gone.exists() and kept.query("SELECT n + 1 FROM t5") == 6
    assert pool.ASKING._idle[-1]._child.pid == process and len(_open_files(process)) == 1


def test_a_fork_leaves_the_file_to_its_parent(tmp_path: Path) -> None:
    """A process that was forked and ends does not take the tables with it."""
    (tmp_path / "t.csv").write_text("n\n7\n")
    one = Database.load(Folder(tmp_path), ["t.csv"])
    scratch, process = one._scratch, os.fork()
    if not process:
        with contextlib.suppress(BaseException):
            del one
            gc.collect()
        os._exit(0)
    assert os.waitpid(process, 0)[1] == 0
    assert one.query("SELECT n FROM t") == 7
    del one
    gc.collect()
    assert not scratch.exists()


def _open_files(process: int) -> list[str]:
    links = (os.readlink(link) for link in Path(f"/proc/{process}/fd").iterdir())
    return [link for link in links if "memory.duckdb" in link]
