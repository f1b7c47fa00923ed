"""What a response says of itself: when it was made, by which model, and how many tokens it took."""

from __future__ import annotations

from pydantic import Field

from aeon.schema.frozen import Frozen

__all__ = ["ResponseMetadata"]


class ResponseMetadata(Frozen):
    """``timestamp`` is in ISO 8601 with its offset; ``model`` is that of the run; the tokens are all that it took."""

    timestamp: str
    model: str
    token_count: int = Field(ge=0)
