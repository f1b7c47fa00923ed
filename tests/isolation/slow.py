"""Work in a module that takes a second to be loaded."""

from __future__ import annotations

import sys
import time

__all__ = ["answers"]

if "pytest" not in sys.modules:
    time.sleep(1.0)


def answers(data: bytes) -> str:
    """Answer at once."""
    return "answered"
