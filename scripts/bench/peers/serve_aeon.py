"""The loop behind Aeon's service: the multi-pass engine with the handlers of ``on_aeon``, on a model that takes a time.

    python serve_aeon.py FOLDER LATENCY PARALLEL

Prints its address. Runs are kept as the service keeps them: a journal each, whose lines are on disk before they are
told, and a list in SQLite.
"""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

from on_aeon import Judges
from workload import Model

from aeon.assembly import multipass
from aeon.llm.scripted import Scripted
from aeon.server.app import application
from aeon.server.equipment import Equipment
from aeon.server.runs import Runs
from aeon.server.service import Limits, Service
from aeon.server.serving import listening, serve


def main() -> None:
    """Serve until the process is ended."""
    folder, latency, parallel = Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    multipass.PLUGIN = replace(multipass.PLUGIN, handlers=lambda services: Judges(Model(latency)).handlers)
    service = Service(Runs(folder), Equipment(Scripted("")), Limits(parallel, 10 * parallel))
    with listening("127.0.0.1", 0) as where:
        address = f"http://127.0.0.1:{where.getsockname()[1]}"
        asyncio.run(serve(service, application(service), where, lambda: print(address, flush=True)))


if __name__ == "__main__":
    main()
