"""How good the answer is so far, with the parts that it rests on. All scores are in 0-1."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from aeon.schema.value import Value

__all__ = ["ConfidenceParts", "Contradiction", "Dimensions", "Evaluation", "Gaps", "Score"]

Score = Annotated[float, Field(ge=0, le=1)]
"""A degree or a share, from 0 to 1."""


class ConfidenceParts(Value):
    """The parts of the confidence, with and without sources. A part that was not measured is ``None``, never 1.

    Its weight then goes to the others. Each part says when it is measured:

    - ``source_quality``: where a value of a final result rests on a tool or a cited sentence. The mean over these
      values of how that came about: what a judge made of the program that gave it, 1 where a tool was called as it is
      or nobody was asked; of a value that follows from several, the least.
    - ``entity_coverage``: where the things that the answer must contain were named, the share of them that is there;
      else where the completeness was judged, that; else, where tools were asked about a name, or gave or cited one, the
      share of the names and quotations of the question among these. This last one alone makes no confidence.
    - ``citation_density``: where a final step, one that nothing builds on, is complete. The mean over those of the
      share of the values of its result that stand in what a tool gave or a cited sentence, or follow from such values.
      A tool's own result counts as 1; one without values as 1 if it builds on a tool's, directly or through earlier
      steps, else as 0.
    - ``consistency``: where a judge whose accuracy was measured on labelled cases, and is good enough, held several
      results against each other. Its score.
    - ``recency``: where a step was executed again. The share of the executed steps whose result still stands; attempts
      that were made again are left out.
    """

    source_quality: Score | None = None
    entity_coverage: Score | None = None
    citation_density: Score | None = None
    consistency: Score | None = None
    recency: Score | None = None


class Dimensions(Value):
    """The dimensions that an answer is judged by. One that was not measured is ``None``, as with the confidence.

    - ``completeness``: where it was judged. The assessment's.
    - ``accuracy``: where a value of a final result was checked. The share of the supported ones among those that were;
      none of a result that rests on one which a judge calls untrue: inconsistent, made up, or other than what it says.
    - ``relevance``: where a validator was asked about results. Of the complete steps that it looks at, the reasoned
      ones and those that an issue names, the share that no issue calls beside the point.
    - ``freshness``: as the recency of the confidence.
    - ``coherence``: where a judge whose accuracy was measured, and is good enough, judged it. Its score.
    """

    completeness: Score | None = None
    accuracy: Score | None = None
    relevance: Score | None = None
    freshness: Score | None = None
    coherence: Score | None = None


class Contradiction(Value):
    """A claim, and the two sources that do not agree on it.

    A source is a step id; characters of a step's output, of a cited text or of the task, as ``s2[12:14]`` (several with
    commas between them); or ``plan`` or the method of a derivation, where ways to the answer give different ones.
    """

    claim: str
    source_a: str
    source_b: str
    resolution_needed: bool = True


class Gaps(Value):
    """What the answer lacks: things it must name and does not; aspects addressed in part, or not at all.

    An aspect is a fragment of the plan or a criterion of the task.
    """

    missing_entities: tuple[str, ...] = ()
    weak_coverage: tuple[str, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    unanswered_aspects: tuple[str, ...] = ()


class Evaluation(Value):
    """The state of a run after a pass. What is not tracked, and what was not measured, is ``None``.

    ``confidence`` is the weighted mean of the ``parts`` that were measured, or what a calibration makes of it; ``None``
    where none was. ``parts`` is ``None`` only where the confidence is not tracked. ``coverage`` is the share of the
    aspects required that are addressed. ``score`` is the weighted mean of the ``dimensions`` that were measured.
    ``draw`` is the random number (0-1) of a run in probabilistic mode, kept so that it replays.
    """

    confidence: Score | None = None
    parts: ConfidenceParts | None = None
    coverage: Score | None = None
    dimensions: Dimensions
    score: Score | None = None
    gaps: Gaps = Gaps()
    warnings: tuple[str, ...] = ()
    needs_clarification: bool = False
    draw: Score | None = None
