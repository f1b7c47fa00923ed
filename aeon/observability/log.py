"""A log of a run: one JSON line an event, through structlog."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO

import structlog

from aeon.schema import Frozen

__all__ = ["json_logger", "log_observer"]


def json_logger(file: TextIO) -> structlog.typing.WrappedLogger:
    """What writes to ``file``, with level and time, as JSON Lines."""
    return structlog.wrap_logger(
        structlog.WriteLogger(file),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(ensure_ascii=True),
        ],
    )


def log_observer(file: TextIO) -> Callable[[Frozen], None]:
    """An observer that writes every event to ``file``."""
    logger = json_logger(file)

    def observe(event: Frozen) -> None:
        fields = event.model_dump(mode="json")
        logger.info(fields.pop("type", type(event).__name__), **fields)

    return observe
