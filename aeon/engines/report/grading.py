"""How good a report is: what follows from a draft and its review for the verdict, the score and the confidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aeon.engines.report.tiers import ModeConfigs, usable
from aeon.engines.report.values import Checked, Confidence, Draft, Finding, Review, ReviewStatus, SourceCited
from aeon.schema.claims import Verdict

__all__ = ["answered", "confidence", "judged", "reviewed", "score", "stands", "unreviewed"]

_TIER_WEIGHTS: dict[int | None, float] = {1: 1.0, 2: 0.9, 3: 0.7, 4: 0.5, 5: 0.3, None: 0.5}
_WORTH: dict[Verdict, float] = {"supported": 1.0, "partial": 0.5, "not_checked": 0.5}
"""What a finding counts for which no judge told a probability."""
_HIGH, _MEDIUM = 75, 40
"""The least score of a report of high and of medium confidence."""
_REFUTED: tuple[Verdict, ...] = ("contradicted", "not_found")
_WARNED = 3
"""The tier from which on a source deserves a warning."""


def stands(finding: Finding) -> bool:
    """Whether nobody refuted a finding."""
    return finding.verdict not in _REFUTED


def answered(draft: Draft) -> frozenset[int]:
    """The numbers of the questions, from 1, that have a finding which stands."""
    return frozenset(one.question for one in draft.findings if stands(one))


def score(draft: Draft) -> int:
    """The score of a draft, 0-100: the share of its questions with findings, times the mean worth of its findings.

    The worth of a finding is its support (the judge's probability; without one 1 where it is supported, 0.5 where that
    is so in part or nobody checked it, 0 where it is refuted) times the weight of the best tier that it cites: 1, .9,
    .7, .5 and .3 for tiers 1 to 5, .5 for an unknown source.
    """
    if not draft.findings or not draft.questions:
        return 0
    worth = [_support(one) * _weight(one, draft) for one in draft.findings]
    return round(100 * len(answered(draft)) / len(draft.questions) * sum(worth) / len(worth))


def confidence(draft: Draft, review: Review | None) -> Confidence:
    """High for a draft that passed, with a score from 75 on; Medium for one with warnings or from 40 on; else Low.

    What nobody reviewed, or the critic rejected, has a low confidence.
    """
    points = score(draft)
    if review is None or review.status in ("REJECT", "UNREVIEWED") or points < _MEDIUM:
        return "Low"
    return "High" if review.status == "PASS" and points >= _HIGH else "Medium"


def judged(draft: Draft, checked: Sequence[Checked]) -> Draft:
    """The draft with what a critic says of its findings."""
    by_id = {one.id: one.model_dump(exclude={"id"}) for one in checked}
    return draft.changed(findings=tuple(one.changed(**by_id.get(one.id, {})) for one in draft.findings))


def unreviewed(why: str) -> Review:
    """What stands for the review of a critic that cannot criticise."""
    return Review(status="UNREVIEWED", critique=why, reasons=(f"unreviewed: {why}",))


def reviewed(draft: Draft, said: Review, modes: ModeConfigs) -> Review:
    """What the critic ``said`` of a draft, and what follows from the draft itself.

    It is REJECT where a sentence cites nothing, a source is outside of the mode or a finding is refuted, or there is
    none; at least WARN of what a reader has to know.
    """
    draft = judged(draft, said.checked)
    outside = tuple(_outside(draft, modes))
    faults = (*outside, *_unfounded(draft))
    gaps = tuple(_gaps(draft))
    reasons = (*faults, *_breach(said, outside), *said.reasons, *_unsure(draft, said.status), *_low(draft), *gaps)
    return said.changed(
        status=_worst(said.status, bool(faults), bool(reasons)),
        critique=said.critique or "; ".join(reasons) or "every finding is supported by what it cites",
        reasons=reasons,
        mode_compliance="violated" if outside else said.mode_compliance,
        logical_gaps=tuple(dict.fromkeys((*said.logical_gaps, *gaps))),
        rejected=tuple(one.id for one in draft.findings if not stands(one) or not one.citations),
    )


def _worst(said: ReviewStatus, faulty: bool, doubtful: bool) -> ReviewStatus:
    if faulty:
        return "REJECT"
    return "WARN" if said == "PASS" and doubtful else said


def _unfounded(draft: Draft) -> Iterator[str]:
    """What does not stand; a draft of nothing does not either."""
    for one in draft.findings:
        if not one.citations:
            yield f"“{one.text}” cites nothing"
        elif not stands(one):
            yield f"“{one.text}” is not supported by what it cites{f' ({one.why})' if one.why else ''}"
    if not draft.findings:
        yield "nothing was found on any question"


def _outside(draft: Draft, modes: ModeConfigs) -> Iterator[str]:
    """What is cited although the mode does not take it."""
    barred = (one for one in draft.cited if not usable(one.tier, draft.mode, modes))
    return (f"source [{one.number}] is of a tier that {draft.mode} does not take ({_tier(one)})" for one in barred)


def _breach(said: Review, outside: Sequence[str]) -> Iterator[str]:
    """That the critic holds the mode to be violated, where no source says so already."""
    if said.mode_compliance == "violated" and not outside:
        yield "it does not keep to its mode, says the critic"


def _unsure(draft: Draft, status: ReviewStatus) -> Iterator[str]:
    count = len(draft.findings)
    if partly := sum(one.verdict == "partial" for one in draft.findings):
        yield f"{partly} of {count} sentences supported in part only"
    unchecked = sum(one.verdict == "not_checked" for one in draft.findings)
    if unchecked and status != "UNREVIEWED":
        yield f"{unchecked} of {count} sentences not checked"
    if differ := len(draft.disagreements):
        yield f"sources give different values to {differ} of the questions"


def _gaps(draft: Draft) -> Iterator[str]:
    """The questions that have no finding which stands."""
    known = answered(draft)
    return (f"nothing was found on: {one}" for n, one in enumerate(draft.questions, 1) if n not in known)


def _low(draft: Draft) -> Iterator[str]:
    """A word on each source of a low tier."""
    low = (one for one in draft.cited if one.tier is not None and one.tier >= _WARNED)
    return (f"[{one.number}] {one.title} is {_tier(one)}" for one in low if draft.mode == "discovery")


def _tier(source: SourceCited) -> str:
    return f"tier {source.tier} ({source.type or 'no type'})" if source.tier is not None else "unknown"


def _support(finding: Finding) -> float:
    return (finding.score if finding.score is not None else _WORTH[finding.verdict]) if stands(finding) else 0.0


def _weight(finding: Finding, draft: Draft) -> float:
    return max((_TIER_WEIGHTS[draft.source(one.number).tier] for one in finding.citations), default=0.0)
