"""The child's side: it does one piece of work after the other, each within its limits, and answers with data.

A request is a line of JSON and as many bytes as it says; so is the answer. A request names a function of Aeon's, which
takes the bytes first and gives a value that JSON can carry. The parent never runs anything that the child sends.
"""

from __future__ import annotations

import importlib
import json
import os
import select
import sys
from typing import BinaryIO, NamedTuple

from aeon.errors import AeonError, MissingExtraError, ToolArgumentError
from aeon.isolation.limits import MEGABYTE, Limits, impose, kept_bytes
from aeon.text import one_line

__all__ = ["IDLE_SECONDS", "OUT_OF_MEMORY", "main", "prepare"]

IDLE_SECONDS = 60.0
"""How long a child waits for more work before it ends by itself."""
OUT_OF_MEMORY = 70
"""The exit code of a child that ran out of memory."""
_MOST_KEPT = 144 * MEGABYTE
"""Bytes of memory above which a child that is done does no more: what it holds would be missing to the next file."""


class _Answer(NamedTuple):
    error: str
    body: bytes


def main() -> None:
    """Answer requests on the standard input until it ends, or none comes."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not pass for an answer
    requests = sys.stdin.buffer
    while _comes(requests) and (line := requests.readline()):
        request = json.loads(line)
        limits = Limits(**request["limits"])
        answer = _answer(request, requests.read(request["bytes"]), limits)
        is_last = kept_bytes() > _MOST_KEPT
        head = {"error": answer.error, "bytes": len(answer.body), "last": is_last}
        answers.write(json.dumps(head).encode() + b"\n" + answer.body)
        answers.flush()
        if is_last:
            return


def prepare(module: bytes) -> None:
    """Load a module of Aeon's, so that work in it can begin at once."""
    importlib.import_module(module.decode())


def _comes(requests: BinaryIO) -> bool:
    """Whether there is another request, or the end of them, in time."""
    return os.name != "posix" or bool(select.select([requests], [], [], IDLE_SECONDS)[0])


def _answer(request: dict[str, str], data: bytes, limits: Limits) -> _Answer:
    """What the work gives, as JSON, or the error that it raises for its user."""
    module, _, function = request["work"].partition(":")
    try:
        impose(limits)
        value = getattr(importlib.import_module(module), function)(data, **json.loads(request["arguments"]))
        return _Answer("", json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except AeonError as error:
        kinds = (kind.__name__ for kind in (MissingExtraError, ToolArgumentError) if isinstance(error, kind))
        return _Answer(next(kinds, "ToolFailed"), json.dumps(str(error)).encode())
    except Exception as error:  # noqa: BLE001 - whatever a reader meets in a file, the next file can be read
        return _Answer("Fault", json.dumps(one_line(f"{type(error).__name__}: {error}", 160)).encode())


if __name__ == "__main__":
    main()
