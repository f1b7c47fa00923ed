"""How long a call waits for an endpoint that limits the rate of requests."""

from __future__ import annotations

from aeon.errors import ModelError, RateLimited
from aeon.llm.translation import backoff

__all__ = ["Patience"]


class Patience:
    """Waits as long as a rate limit asks; ``most`` bounds the seconds in all, ``None``: the time that is left does.

    The endpoint did not work on such a request, so it is no call. Each wait is at least a backoff, so that an endpoint
    that never asks for a real one is not asked without end.
    """

    def __init__(self, most: float | None) -> None:
        self._left = most
        self.waits = 0

    def asked(self, error: ModelError, wait: float | None, left: float) -> float | None:
        """Seconds to wait before the request is made again; ``None`` if it was not put off, or for too long."""
        if not wait or not isinstance(error, RateLimited):
            return None
        wait = max(wait, backoff(self.waits + 1))
        if wait >= (left if self._left is None else self._left):
            return None
        self.waits += 1
        if self._left is not None:
            self._left -= wait
        return wait
