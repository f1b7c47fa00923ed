"""How many effects a second durable runs do, beside bare steps of DBOS, and what they cost in rows and bytes.

    python scripts/bench/durable.py [--runs 60] [--workers 1,2,4] [--parallel 8] [--out FILE]

Runs are those of ``errands.py``, 35 effects each, whose tools and model take no time: what is left is what being
durable costs. Bare steps are a workflow of 35 steps in a row, each giving a text as long as an entry. Both are measured
in one go on SQLite and, where its binaries are installed, on a Postgres server of its own, from the beginning of the
first step to the end of the last, by DBOS's own records. The runs in memory have no database. Runs with slots share
as many slots of their model as may be worked on. Through services, as many processes of ``aeon serve --durable`` as
workers get requests for runs of the multi-pass engine, whose model takes no time either, and work on them: accepted is
from the first request to the last answer. Prints JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import sqlalchemy as sa
from dbos import DBOS, DBOSConfig
from errands import ENGINE, MODEL, PLUGIN, Counts, opening
from machine import kept, machine
from postgres import Postgres, binaries

from aeon.assembly.build import assemble
from aeon.durable.database import APPLICATION, JSON, SCHEMA, Address, Database
from aeon.durable.equipment import Limits
from aeon.durable.jobs import APP_VERSION, Jobs
from aeon.kernel.ports import Job
from aeon.llm.scripted import Scripted
from aeon.runtime.driver import AsyncDriver
from aeon.server.app import application
from aeon.server.durable import DurableService, Work
from aeon.server.equipment import Equipment
from aeon.server.serving import listening, serve
from aeon.testing.obliging import oblige

ROUNDS, EFFECTS = 7, 35
ENTRY = "x" * 400
QUEUE = "bare"


def bare(url: str, parallel: int) -> None:
    """A worker for workflows of bare steps, until it is ended."""
    DBOS(config=DBOSConfig(
        name=APPLICATION, system_database_url=url, dbos_system_schema=SCHEMA, application_version=APP_VERSION,
        serializer=JSON, log_level="CRITICAL", enable_otlp=False,
    ))  # fmt: skip

    async def steps(count: int) -> None:
        for _ in range(count):
            await DBOS.run_step_async({"name": "bare"}, lambda: ENTRY)

    DBOS.workflow(name="bare")(steps)
    DBOS.listen_queues([QUEUE])
    DBOS.launch()
    DBOS.register_queue(QUEUE, worker_concurrency=parallel, polling_interval_sec=0.1, on_conflict="always_update")
    print("ready", flush=True)
    time.sleep(3600)


def service(url: str, parallel: int) -> None:
    """A service that works on its runs, until it is ended; prints its address once it has worked on one."""
    database, limits = Database(Address.of(url), create=True), Limits(parallel, poll=0.1)
    made = DurableService(database, Equipment(Scripted(oblige)), Work(limits))
    with listening("127.0.0.1", 0) as where:
        print("ready", where.getsockname()[1], flush=True)
        asyncio.run(serve(made, application(made), where, lambda: None))


@contextlib.contextmanager
def processes(commands: list[list[str]]) -> Any:  # noqa: ANN401 - a generator
    """These processes, ready, while it is entered."""
    begun = [subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, text=True) for words in commands]
    try:
        said = [process.stdout.readline().split() for process in begun if process.stdout is not None]
        assert all(words[:1] == ["ready"] for words in said)
        yield [int(words[1]) for words in said if len(words) > 1]
    finally:
        for process in begun:
            process.kill()
            process.communicate()


def finished(jobs: Jobs, names: set[str]) -> None:
    """Wait until these workflows have succeeded."""
    while True:
        states = jobs.database.client.list_workflows(status="SUCCESS", load_input=False, load_output=False)
        if names <= {one.workflow_id for one in states}:
            return
        time.sleep(0.2)


def measured(jobs: Jobs, names: set[str]) -> dict[str, float]:
    """Seconds, rows and bytes of these workflows, by DBOS's own records."""
    place = "" if jobs.database.address.file else f"{SCHEMA}."
    columns = "workflow_uuid, started_at_epoch_ms, completed_at_epoch_ms, LENGTH(output)"
    sql = f"SELECT {columns} FROM {place}operation_outputs"
    with jobs.database.engine.begin() as connection:
        rows = [row for row in connection.execute(sa.text(sql)) if row[0] in names]
    seconds = (max(row[2] for row in rows) - min(row[1] for row in rows)) / 1000
    return {
        "seconds": round(seconds, 2),
        "effects_per_s": round(len(names) * EFFECTS / seconds, 1),
        "steps_per_s": round(len(rows) / seconds, 1),
        "steps_a_run": round(len(rows) / len(names), 1),
        "bytes_a_run": round(sum(row[3] for row in rows) / len(names)),
    }


def through_services(jobs: Jobs, url: str, label: str, runs: int, workers: int, parallel: int) -> dict[str, float]:
    """Runs that so many services accept over HTTP, and work on."""
    with processes([[__file__, "--service", url, "--parallel", str(parallel)]] * workers) as ports:
        addresses = [f"http://127.0.0.1:{port}/run" for port in ports]
        with httpx2.Client(timeout=60) as client:
            first = [client.post(one, json={"task": "What is 2 + 2?"}).json()["id"] for one in addresses]
            body = {"task": "What do 17 pens at 2.40 cost?", "async": True}
            with ThreadPoolExecutor(4 * workers) as many:
                began = time.monotonic()
                turns = [addresses[number % workers] for number in range(runs)]
                names = [reply.json()["id"] for reply in many.map(lambda one: client.post(one, json=body), turns)]
                accepted = time.monotonic() - began
        ids = {f"{name}:1" for name in names}
        assert not ids & {f"{name}:1" for name in first}
        finished(jobs, ids)
        found = measured(jobs, ids)
    effects = sum(len(jobs.journal(name).entries) for name in names)
    return {
        "accepted_per_s": round(runs / accepted, 1), "effects_a_run": round(effects / runs, 1),
        "effects_per_s": round(effects / found["seconds"], 1), "steps_per_s": found["steps_per_s"],
    }  # fmt: skip


def durable_runs(
    jobs: Jobs, url: str, label: str, runs: int, workers: int, parallel: int, slots: int = 0
) -> dict[str, float]:
    """Runs with so many workers, which share so many slots if there are some."""
    names = [f"{label}-{number}" for number in range(runs)]
    script = str(Path(__file__).with_name("errands.py"))
    command = [script, url, "-", "--parallel", str(parallel), "--poll", "0.1"]
    command += ["--slots", str(slots)] if slots else []
    with processes([command] * workers):
        for name in names:
            jobs.submit(opening(name, ROUNDS, Counts("-").tool))
        ids = {f"{name}:1" for name in names}
        finished(jobs, ids)
        return measured(jobs, ids)


def bare_steps(jobs: Jobs, url: str, label: str, runs: int, workers: int, parallel: int) -> dict[str, float]:
    """Workflows of bare steps with so many workers."""
    ids = {f"{label}-{number}" for number in range(runs)}
    with processes([[__file__, "--bare", url, "--parallel", str(parallel)]] * workers):
        for name in ids:
            jobs.database.client.enqueue(
                {"workflow_name": "bare", "queue_name": QUEUE, "workflow_id": name, "app_version": APP_VERSION}, EFFECTS
            )
        finished(jobs, ids)
        return measured(jobs, ids)


def in_memory(runs: int) -> float:
    """Effects a second of one run after the other without a database."""
    counts = Counts("-")
    first = opening("memory", ROUNDS, counts.tool)
    config = ENGINE.config.model_validate(first.config)
    job = Job(ENGINE, first.task, config, assemble(MODEL, [counts.tool], config, plugin=PLUGIN))
    driver = AsyncDriver(setup=first.setup)
    began = time.monotonic()
    for _ in range(runs):
        driver.execute(job)
    return round(runs * EFFECTS / (time.monotonic() - began), 1)


def on(url: str, runs: int, workers: list[int], parallel: int) -> list[dict[str, Any]]:
    """Both, for each number of workers, one after the other."""
    rows: list[dict[str, Any]] = []
    with Jobs(url, create=True) as jobs:
        for number in workers:
            steps = bare_steps(jobs, url, f"bare{number}", runs, number, parallel)
            ours = durable_runs(jobs, url, f"run{number}", runs, number, parallel)
            slotted = durable_runs(jobs, url, f"slot{number}", runs, number, parallel, number * parallel)
            served = through_services(jobs, url, f"served{number}", runs, number, parallel)
            rows.append({
                "database": url.partition(":")[0], "workers": number, "bare": steps, "runs": ours, "slots": slotted,
                "services": served, "effects_to_bare_steps": round(ours["effects_per_s"] / steps["steps_per_s"], 2),
            })  # fmt: skip
            print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    return rows


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bare", metavar="URL")
    parser.add_argument("--service", metavar="URL")
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--workers", default="1,2,4")
    parser.add_argument("--parallel", type=int, default=8)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    if options.bare:
        bare(options.bare, options.parallel)
    if options.service:
        service(options.service, options.parallel)
    workers = [int(number) for number in options.workers.split(",")]
    found: dict[str, Any] = {"machine": machine(), "in_memory": in_memory(options.runs), "rows": []}
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        urls = [f"sqlite:///{name}/runs.sqlite"]
        if binaries():
            urls.append(stack.enter_context(Postgres()).url)
        for url in urls:
            found["rows"] += on(url, options.runs, workers, options.parallel)
    kept(found, options.out)


if __name__ == "__main__":
    main()
