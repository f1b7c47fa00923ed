"""How good a report is: the verdict on a draft, its score and its confidence. All of it follows from the draft."""

from __future__ import annotations

from collections.abc import Sequence

from aeon.engines.report.tiers import ModeConfigs, usable
from aeon.engines.report.values import Checked, Confidence, Draft, Finding, Review, ReviewStatus, SourceCited
from aeon.schema.claims import Verdict

__all__ = ["answered", "confidence", "judged", "reviewed", "score", "stands"]

_TIER_WEIGHTS: dict[int | None, float] = {1: 1.0, 2: 0.9, 3: 0.7, 4: 0.5, 5: 0.3, None: 0.5}
_UNCHECKED, _SUPPORTED = 0.5, 1.0
"""What a finding counts that nobody checked, and one that a judge said is supported without a probability."""
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

    The worth of a finding is its support (the judge's probability; 0.5 where nobody checked it, 0 where it is refuted)
    times the weight of the best tier that it cites: 1, .9, .7, .5 and .3 for tiers 1 to 5, .5 for an unknown source.
    So nothing that was not measured counts as much as what was.
    """
    if not draft.findings or not draft.questions:
        return 0
    worth = [_support(one) * _weight(one, draft) for one in draft.findings]
    return round(100 * len(answered(draft)) / len(draft.questions) * sum(worth) / len(worth))


def confidence(draft: Draft, review: Review | None) -> Confidence:
    """High for a draft that passed, with a score from 75 on; Medium for one that was not rejected, from 40; else Low.

    What nobody reviewed has a low confidence.
    """
    points = score(draft)
    if review is None or review.status == "REJECT" or points < _MEDIUM:
        return "Low"
    return "High" if review.status == "PASS" and points >= _HIGH else "Medium"


def judged(draft: Draft, checked: Sequence[Checked]) -> Draft:
    """The draft with what a critic says of its findings."""
    by_id = {one.id: one for one in checked}
    findings = (
        one.changed(verdict=by_id[one.id].verdict, score=by_id[one.id].score) if one.id in by_id else one
        for one in draft.findings
    )
    return draft.changed(findings=tuple(findings))


def reviewed(draft: Draft, checked: Sequence[Checked], modes: ModeConfigs) -> Review:
    """The verdict on a draft: REJECT what must not be published so, WARN of what a reader has to know, else PASS."""
    draft = judged(draft, checked)
    outside = _outside(draft, modes)
    faults = [*outside, *_refuted(draft)]
    gaps = _unanswered(draft)
    missing = [f"nothing was found on: {question}" for question in gaps]
    reasons = (*faults, *_unsure(draft), *_low(draft), *missing)
    return Review(
        status=_status(faults, reasons),
        critique="; ".join(reasons) or "every finding is supported by what it cites",
        reasons=reasons,
        suggestions=tuple(f"word otherwise, and look elsewhere for: {question}" for question in gaps),
        mode_compliance="violated" if outside else "compliant",
        logical_gaps=tuple(missing),
        checked=tuple(checked),
        rejected=tuple(one.id for one in draft.findings if not stands(one)),
    )


def _status(faults: Sequence[str], reasons: Sequence[str]) -> ReviewStatus:
    if faults:
        return "REJECT"
    return "WARN" if reasons else "PASS"


def _refuted(draft: Draft) -> list[str]:
    """What does not stand; a draft of nothing does not either."""
    refuted = [one.text for one in draft.findings if not stands(one)]
    empty = [] if draft.findings else ["nothing was found on any question"]
    return [*(f"“{text}” is not supported by what it cites" for text in refuted), *empty]


def _outside(draft: Draft, modes: ModeConfigs) -> list[str]:
    """What is cited although the mode does not take it."""
    barred = (one for one in draft.sources if not usable(one.tier, draft.mode, modes))
    return [f"source [{one.number}] is of a tier that {draft.mode} does not take ({_tier(one)})" for one in barred]


def _unanswered(draft: Draft) -> list[str]:
    known = answered(draft)
    return [question for number, question in enumerate(draft.questions, 1) if number not in known]


def _unsure(draft: Draft) -> list[str]:
    partly = sum(one.verdict == "partial" for one in draft.findings)
    unchecked = sum(one.verdict == "not_checked" for one in draft.findings)
    differ = len(draft.disagreements)
    said = [
        (partly, "supported in part only"),
        (unchecked, "not checked: no judge was measured, or nothing was left to ask it"),
    ]
    found = [f"{count} of {len(draft.findings)} findings {words}" for count, words in said if count]
    return [*found, *([f"sources give different values to {differ} of the questions"] if differ else [])]


def _low(draft: Draft) -> list[str]:
    """A word on each source of a low tier."""
    low = [one for one in draft.sources if one.tier is not None and one.tier >= _WARNED]
    return [f"[{one.number}] {one.title} is {_tier(one)}" for one in low] if draft.mode == "discovery" else []


def _tier(source: SourceCited) -> str:
    return f"tier {source.tier} ({source.type or 'no type'})" if source.tier is not None else "unknown"


def _support(finding: Finding) -> float:
    if not stands(finding):
        return 0.0
    if finding.verdict == "not_checked":
        return _UNCHECKED
    return _SUPPORTED if finding.score is None else finding.score


def _weight(finding: Finding, draft: Draft) -> float:
    return max((_TIER_WEIGHTS[draft.source(one.number).tier] for one in finding.citations), default=0.0)
