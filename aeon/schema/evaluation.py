"""How good the answer is so far, with the parts that it rests on. All scores are in 0-1."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from aeon.schema.value import Value


__all__ = ["ConfidenceParts", "Contradiction", "Dimensions", "Evaluation", "Gaps", "Score"]

Score = Annotated[float, Field(ge=0, le=1)]
"""A degree or a share, from 0 to 1."""


class ConfidenceParts(Value):
    """The components of the confidence, each defined for tasks with and without sources.

    ``source_quality``: the mean over the complete steps of how their results came about: 1 by a tool, 0.9 by a tool
    whose call was mended, 0.5 by reasoning, 0.3 by reasoning because the tool could not be used. ``entity_coverage``:
    the share of what the answer must contain that is there; where that was not named, the assessment's completeness.
    ``citation_density``: the share of the final steps' results that rest, directly or through earlier steps, on a tool.
    ``consistency``: whether the results agree. ``recency``: the share of executed steps whose result still stands;
    attempts that were made again are left out.
    """

    source_quality: Score
    entity_coverage: Score
    citation_density: Score
    consistency: Score
    recency: Score


class Dimensions(Value):
    """The dimensions that an answer is judged by.

    ``completeness`` and ``coherence`` are the assessment's. ``accuracy``: the mean over the complete steps of 1 for a
    tool's result, 0.5 for a reasoned one, 0 for one that an issue calls untrue: inconsistent, made up, or other than
    what it says. ``relevance``: the share of complete steps that no issue calls beside the point. ``freshness``: as the
    recency of the confidence.
    """

    completeness: Score
    accuracy: Score
    relevance: Score
    freshness: Score
    coherence: Score


class Contradiction(Value):
    """Two results that do not agree; the sources are step ids."""

    claim: str
    source_a: str
    source_b: str
    resolution_needed: bool = True


class Gaps(Value):
    """What the answer lacks: things it must name and does not, steps that are only partly clear or not done at all."""

    missing_entities: tuple[str, ...] = ()
    weak_coverage: tuple[str, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    unanswered_aspects: tuple[str, ...] = ()


class Evaluation(Value):
    """The state of a run after a pass. What is not tracked is ``None``.

    ``confidence`` is the weighted mean of ``parts``, or what a calibration makes of it. ``coverage`` is the share of
    the aspects addressed. ``score`` is the weighted mean of ``dimensions``. ``draw`` is the random number (0-1) of a
    run in probabilistic mode, kept so that it replays.
    """

    confidence: Score | None = None
    parts: ConfidenceParts | None = None
    coverage: Score | None = None
    dimensions: Dimensions
    score: Score
    gaps: Gaps = Gaps()
    warnings: tuple[str, ...] = ()
    needs_clarification: bool = False
    draw: Score | None = None
