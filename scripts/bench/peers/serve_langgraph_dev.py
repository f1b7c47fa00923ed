"""The loop behind LangGraph's own development server, whose checkpoints are in memory, on a model that takes a time.

    python serve_langgraph_dev.py FOLDER LATENCY PARALLEL

Prints its address, and becomes the server, which needs no licence. It needs ``langgraph-cli[inmem]``.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from pathlib import Path

GRAPH = """\
from on_langgraph import Nodes, built
from workload import Model

graph = built(Nodes(Model({latency}))).compile()
"""


def main() -> None:
    """Become the server."""
    folder, latency, parallel = Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    (folder / "loop.py").write_text(GRAPH.format(latency=latency))
    (folder / "langgraph.json").write_text(json.dumps({"dependencies": ["."], "graphs": {"loop": "./loop.py:graph"}}))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    print(f"http://127.0.0.1:{port}", flush=True)
    os.chdir(folder)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(1, 2)
    command = [str(Path(sys.executable).parent / "langgraph"), "dev", "--no-browser", "--no-reload"]
    command += ["--port", str(port), "--n-jobs-per-worker", str(parallel)]
    os.execve(command[0], command, {**os.environ, "PYTHONPATH": str(Path(__file__).parent)})


if __name__ == "__main__":
    main()
