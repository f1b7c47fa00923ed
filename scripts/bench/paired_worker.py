"""Answers the questions that come in, one a line, with the Aeon that it finds first: a variant of ``paired.py``."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

from aeon import Config
from aeon.assembly.build import build
from aeon.llm.select import select
from aeon.schema import Usage

__all__ = ["answering"]

COUNTS = {"calls": "calls", "prompt": "prompt_tokens", "cached": "cached_tokens", "generated": "generated_tokens"}


def answering(given: dict[str, Any]) -> None:
    """Answer the questions that come in; the body of a variant's process."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no reply
    llm = select(given["model"])
    config = Config(**given["settings"])
    build(llm=llm, config=config).execute("What is 2 + 3?")
    print("{}", file=replies, flush=True)
    for line in sys.stdin:
        asked, began = json.loads(line), time.monotonic()
        try:
            result = build(llm=llm, config=config, files=asked["folder"]).execute(asked["question"])
            reply = {"answer": result.answer, "stop": str(result.stop_reason), **_counts(result.usage)}
        except Exception as error:  # noqa: BLE001 - whatever a version raises is its answer
            reply = {"answer": "", "stop": f"{type(error).__name__}: {error}", **_counts(Usage())}
        print(json.dumps({**reply, "seconds": round(time.monotonic() - began, 2)}), file=replies, flush=True)


def _counts(spent: Usage) -> dict[str, int]:
    return {name: getattr(spent, field) for name, field in COUNTS.items()}


if __name__ == "__main__":
    sys.exit(answering(json.loads(sys.argv[1])))
