"""What reviews of an answer come to: the score before the peer's, the peer's verdict, and the ranking by both."""

from __future__ import annotations

from collections.abc import Iterable

from aeon.engines.contractive.values import Candidate, Reviewed, Verdict

__all__ = ["pre_reviewed", "ranked", "reviewed", "verdict_of"]

_BANDS: tuple[tuple[float, Verdict], ...] = ((0.6, "approved"), (0.4, "minor_revision"), (0.3, "major_revision"))
_PLACES = 6


def verdict_of(score: float | None) -> Verdict:
    """The verdict on an answer that a peer gives this score (0-1), whatever word the peer used."""
    if score is None:
        return "not_reviewed"
    return next((verdict for least, verdict in _BANDS if score >= least), "reject")


def pre_reviewed(candidate: Candidate) -> Candidate:
    """The candidate with its score: the mean of its share and its latest share."""
    before = (candidate.share + candidate.latest) / 2
    return candidate.changed(before=round(before, _PLACES))


def reviewed(candidate: Candidate, review: Reviewed) -> Candidate:
    """The candidate with what the peer says of it."""
    verdict, said = verdict_of(review.score), ""
    if review.score is not None and review.said not in ("not_reviewed", verdict):
        said = f"the peer said {review.said.replace('_', ' ')}, with a score of {review.score:.2f}"
    return candidate.changed(peer=review.score, verdict=verdict, issue="; ".join(filter(None, (said, review.issue))))


def ranked(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """The candidates, best first; those that the peer rejected come last. Of equal ones, the first stays first."""
    return tuple(sorted(candidates, key=lambda one: (one.verdict == "reject", -one.score)))
