"""What becomes of a search that failed: whether and when it is tried again, and when a provider is given up."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from aeon.engines.research.config import Retries
from aeon.schema.search import SearchProblem

__all__ = ["Breaker", "delay"]


def delay(policy: Retries, problem: SearchProblem, attempt: int, seed: str) -> float | None:
    """Seconds to wait before the next attempt; ``None``: there is none.

    They double with each attempt, plus up to a second of jitter, which follows from ``seed``: so a replay waits for the
    same time. A provider's own wish counts for more, unless it is longer than anyone waits.
    """
    if not problem.retryable or attempt >= policy.attempts:
        return None
    if problem.retry_after is not None:
        return problem.retry_after if problem.retry_after <= policy.longest else None
    digest = hashlib.sha256(f"{seed}:{attempt}".encode()).digest()
    jitter = int.from_bytes(digest[:2]) / 65_536 * min(1.0, policy.base)
    doubled: float = policy.base * 2 ** (attempt - 1)
    return round(min(policy.longest, doubled + jitter), 3)


@dataclass(slots=True)
class Breaker:
    """Counts how the queries of one provider ended; ``open``: it is not asked any more.

    ``refused`` is why it is of no use until somebody changes a setting; that counts until it answers.
    """

    policy: Retries
    refused: SearchProblem | None = None
    queries: int = 0
    failed: int = 0
    in_a_row: int = 0

    def settle(self, problem: SearchProblem) -> None:
        """Take in that a query failed and is not tried again: a wrong setting is no failure of the provider."""
        if problem.kind == "configuration" and not self.answered:
            self.refused = problem
        else:
            self.note(failed=True)

    def note(self, failed: bool) -> None:
        """Take in how a query ended, its retries included."""
        self.queries += 1
        self.failed += failed
        self.in_a_row = self.in_a_row + 1 if failed else 0

    @property
    def answered(self) -> bool:
        """Whether any query was answered."""
        return self.queries > self.failed

    @property
    def misconfigured(self) -> bool:
        """Whether a setting keeps it from answering anything."""
        return self.refused is not None and not self.answered

    @property
    def open(self) -> bool:
        """Whether too much failed, or anything would."""
        many = self.queries >= self.policy.least and self.failed >= self.policy.share * self.queries
        return self.misconfigured or self.in_a_row >= self.policy.consecutive or many
