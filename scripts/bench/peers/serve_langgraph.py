"""The loop behind FastAPI and LangGraph with its SQLite checkpointer, on a model that takes a time.

    python serve_langgraph.py FOLDER LATENCY PARALLEL

Prints its address. ``POST /run`` works on a run, whose checkpoints are in one SQLite file after each step.
"""

from __future__ import annotations

import asyncio
import socket
import sys
import uuid
from typing import Any

import uvicorn
from fastapi import FastAPI
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from on_langgraph import Nodes, built
from workload import Model


async def served(folder: str, latency: float, parallel: int) -> None:
    """Serve until the process is ended."""
    room = asyncio.Semaphore(parallel)
    async with AsyncSqliteSaver.from_conn_string(f"{folder}/runs.sqlite") as saver:
        graph = built(Nodes(Model(latency))).compile(checkpointer=saver)
        app = FastAPI()

        @app.post("/run")
        async def run() -> dict[str, Any]:
            name = uuid.uuid4().hex
            config = {"configurable": {"thread_id": name}, "recursion_limit": 100}
            async with room:
                state = await graph.ainvoke({"results": [], "passes": 0}, config)
            return {"id": name, "summary": state["answer"]}

        @app.get("/healthz")
        async def healthz() -> dict[str, str]:
            return {"status": "ok"}

        with socket.create_server(("127.0.0.1", 0), backlog=2048) as where:
            print(f"http://127.0.0.1:{where.getsockname()[1]}", flush=True)
            await uvicorn.Server(uvicorn.Config(app, log_level="error")).serve(sockets=[where])


if __name__ == "__main__":
    asyncio.run(served(sys.argv[1], float(sys.argv[2]), int(sys.argv[3])))
