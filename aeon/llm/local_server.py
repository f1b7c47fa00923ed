"""The child process that runs the embedded model: ``python -m aeon.llm.local_server``.

It serves llama.cpp's OpenAI-compatible API on a free port of the loopback interface. The first line of its standard
input is the API key, the first line of its standard output a JSON object with ``address`` or ``error``. It ends when
its standard input does: when the parent dies, however that happens, its end of the pipe closes.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import threading
import time
from pathlib import Path

import xllamacpp

__all__ = ["main"]

PARENT_CHECK_SECONDS = 1.0
CGROUP_QUOTA = Path("/sys/fs/cgroup/cpu.max")
KEPT_MEBIBYTES = 512
"""Memory for states of earlier prompts; of a model of 1.5B parameters, 500 tokens take about 14."""


def _physical_cores() -> int:
    """How many physical cores this process may use: by affinity, and by the control group's quota."""
    if sys.platform != "linux":
        return max(1, (os.cpu_count() or 2) // 2)
    cores = {_siblings(cpu) for cpu in os.sched_getaffinity(0)}
    return max(1, min(len(cores), _quota()))


def _siblings(cpu: int) -> str:
    try:
        return Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list").read_text().strip()
    except OSError:
        return str(cpu)


def _quota() -> int:
    try:
        quota, period = CGROUP_QUOTA.read_text().split()
        return math.ceil(int(quota) / int(period))
    except (OSError, ValueError):  # no control group, or no limit: "max"
        return os.cpu_count() or 1


def _parameters(model: str, context: int, states: str, api_key: str) -> xllamacpp.CommonParams:
    """llama.cpp's settings for one user on this machine."""
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.n_ctx = context
    params.n_parallel = 1
    params.port = 0  # the system chooses a free one
    params.api_keys = [api_key]
    params.warmup = False
    params.ui = False
    params.cache_ram_mib = KEPT_MEBIBYTES
    params.slot_save_path = os.path.join(states, "")  # llama.cpp appends the file's name as it is
    params.cpuparams.n_threads = _physical_cores()
    return params


def _end_with(parent: int) -> None:
    """End this process, from threads beside it, once the parent is gone: standard input ends, or it has another parent.

    Never by returning: what llama.cpp does when its server is taken apart waits for requests that will not come.
    """

    def drain() -> None:
        while sys.stdin.buffer.read(1 << 10):
            pass
        os._exit(0)

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(PARENT_CHECK_SECONDS)
        os._exit(0)

    for watch in (drain, look):
        threading.Thread(target=watch, daemon=True).start()


def _tell(channel: int, **fields: str) -> None:
    """One JSON object to the parent; if it is gone already, there is nothing left to do."""
    try:
        os.write(channel, json.dumps(fields).encode() + b"\n")
    except OSError:
        os._exit(0)


def main() -> None:
    """Serve until the parent is gone."""
    parser = argparse.ArgumentParser(description="Serve one model to the parent process")
    parser.add_argument("--model", required=True, help="path of a GGUF file")
    parser.add_argument("--context", required=True, type=int, help="context length in tokens")
    parser.add_argument("--states", required=True, help="folder for the states of its slot")
    parser.add_argument("--parent", required=True, type=int, help="process id of the parent")
    arguments = parser.parse_args()
    channel = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # the native library's own output belongs into the log
    api_key = sys.stdin.buffer.readline().decode().strip()
    _end_with(arguments.parent)
    try:
        server = xllamacpp.Server(_parameters(arguments.model, arguments.context, arguments.states, api_key))
    except (RuntimeError, ValueError, OSError) as error:
        _tell(channel, error=" ".join(str(error).split()))
        os._exit(1)
    _tell(channel, address=server.listening_address)
    threading.Event().wait()


if __name__ == "__main__":
    main()
