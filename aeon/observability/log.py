"""A log of a run: one JSON line an event, through structlog."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO

import structlog

from aeon.schema import Frozen

__all__ = ["log_observer"]


def log_observer(file: TextIO) -> Callable[[Frozen], None]:
    """An observer that writes every event to ``file``, with the time, as JSON Lines."""
    logger = structlog.wrap_logger(
        structlog.WriteLogger(file),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(ensure_ascii=True),
        ],
    )

    def observe(event: Frozen) -> None:
        fields = event.model_dump(mode="json")
        logger.info(fields.pop("type", type(event).__name__), **fields)

    return observe
