"""What commands print besides the lines of a run: one JSON document, and remarks on standard error."""

from __future__ import annotations

import json
import os
import sys

from pydantic import BaseModel

from aeon.observability.lines import visible
from aeon.schema import Value

__all__ = ["print_json", "remark"]


def print_json(value: BaseModel | Value) -> None:
    """The value as one JSON document in valid UTF-8."""
    text = json.dumps(value.model_dump(mode="json"), ensure_ascii=False, indent=2, allow_nan=False)
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "replace") + b"\n")


def remark(text: str) -> None:
    """One line on standard error; where that takes no more, as on a full disk, nothing is said from then on."""
    try:
        print(f"aeon: {' '.join(visible(text).split())}", file=sys.stderr, flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
