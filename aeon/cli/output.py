"""What commands print on standard output besides lines: one JSON document."""

from __future__ import annotations

import json
import sys

from pydantic import BaseModel

from aeon.schema import Value

__all__ = ["print_json"]


def print_json(value: BaseModel | Value) -> None:
    """The value as one JSON document in valid UTF-8."""
    text = json.dumps(value.model_dump(mode="json"), ensure_ascii=False, indent=2, allow_nan=False)
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "replace") + b"\n")
