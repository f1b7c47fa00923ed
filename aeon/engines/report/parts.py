"""The parts of a report, whatever form it is written in: what each form shows is decided here, and once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from aeon.engines.report.grading import answered, confidence, score
from aeon.engines.report.tiers import Ranked
from aeon.engines.report.values import Comparison, Draft, Finding, Missing, Review, SourceCited
from aeon.engines.research.values import Citation
from aeon.schema.claims import Verdict
from aeon.schema.plan import Passage
from aeon.schema.search import SearchProblem

__all__ = ["Inline", "Part", "anchor", "published", "refusal", "report", "results", "withheld"]

_LIMITED = "Search capabilities were limited; the report is based on partial information."
_LONGEST_NAME, _LONGEST_QUOTE, _MOST_SEARCHED = 200, 2_000, 6
_NOTHING = "nothing"
_ANSWERLESS = "the sources do not answer this."
_UNKNOWN = 9
"""Where a source of an unknown tier stands among others: behind them."""
_NOTES: dict[Verdict, str] = {
    "supported": "", "partial": "supported in part", "not_checked": "not checked",
    "not_found": "not supported by what it cites", "contradicted": "contradicted by what it cites",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Inline:
    """A text with the numbers of what it cites, and a note; of a sentence of the report, its ``finding``.

    What comes from a source or a model in a text has no marks of its own. ``mark``: the number that stands before it.
    """

    text: str
    mark: str = ""
    citations: tuple[Citation, ...] = ()
    note: str = ""
    finding: Finding | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A heading of level 2 or 3, a paragraph, a point of a list, or a quote, to which its ``anchor`` leads."""

    kind: Literal["h2", "h3", "p", "li", "blockquote"]
    inlines: tuple[Inline, ...]
    anchor: str = ""


def published(draft: Draft, review: Review | None) -> bool:
    """Whether the draft is published: in strict, not where the critic rejects it."""
    return not (draft.mode == "strict" and review is not None and review.status == "REJECT")


def report(draft: Draft, review: Review | None, found: int) -> Iterator[Part]:
    """The parts of a report that is published, without its title; ``found`` counts the sources of the query."""
    yield _text(
        f"Mode: {draft.mode}. Confidence: {confidence(draft, review)} ({score(draft)} of 100). "
        f"Questions answered: {len(answered(draft))} of {len(draft.questions)}. "
        f"Sources cited: {len(draft.cited)}, found for the query: {found}."
    )
    if not draft.findings:
        yield _text(_ANSWERLESS.capitalize() if review is not None else "Nothing was found before the run ended.")
    if draft.limited:
        yield _text(_LIMITED)
    for number, question in enumerate(draft.questions, 1):
        yield from _section(draft, number, question)
    yield from _compared(draft)
    yield from _reviewed(draft, review)
    yield from _lacking(draft)
    yield from _sources(draft)
    yield from _dropped(draft)


def withheld(draft: Draft, review: Review | None) -> Iterator[Part]:
    """What stands in the place of a report that strict does not publish: the critic rejected it, or it is empty."""
    rejected = "No report: the critic rejected the draft, and strict publishes no such draft."
    yield _text(rejected if draft.findings else f"No report: {_ANSWERLESS}")
    yield from _points(review.reasons if review is not None else ())
    yield from _lacking(draft)
    yield from _dropped(draft)


def refusal(reason: str, detail: str, problems: Sequence[SearchProblem]) -> Iterator[Part]:
    """What stands in the place of a report for which there are no sources."""
    yield _text("Nothing was found." if reason == "nothing_found" else f"No report: {detail}.")
    if reason != "search_failed":  # it says so itself
        yield from _failed(problems)


def results(passages: Sequence[Passage], draft: Draft) -> Iterator[Part]:
    """What a plain search found, best first. Its draft says what went wrong, and what the mode does not take."""
    yield from (_text(f"{one.text} ({one.source})") for one in passages)
    if not passages:
        yield _text("Nothing was found.")
    yield from _failed(draft.problems)
    yield from _dropped(draft)


def anchor(citation: Citation) -> str:
    """The name of a quote."""
    return f"source-{citation.number}-{citation.source.start}-{citation.source.end}"


def _text(text: str, kind: Literal["h2", "h3", "p", "li"] = "p") -> Part:
    return Part(kind, (Inline(text),))


def _points(texts: Iterable[str]) -> Iterator[Part]:
    return (_text(text, "li") for text in texts)


def _listed(heading: str, texts: Iterable[str]) -> Iterator[Part]:
    if points := list(_points(texts)):
        yield _text(heading, "h2")
        yield from points


def _section(draft: Draft, number: int, question: str) -> Iterator[Part]:
    """The prose on a question, and below it what sources say differently."""
    findings = draft.answered(number)
    if findings:
        yield _text(question, "h2")
        yield Part("p", tuple(_sentence(one) for one in findings))
    for one in draft.disagreements:
        if one.question == number and draft.mode != "monitor":
            yield _text("Sources give different values:")
            yield from _sides(one)


def _sentence(finding: Finding) -> Inline:
    note = _NOTES[finding.verdict] if finding.citations else "cites nothing"
    return Inline(finding.text, citations=finding.citations, note=note, finding=finding)


def _sides(comparison: Comparison) -> Iterator[Part]:
    for side in sorted(comparison.sides, key=lambda side: side.tier or _UNKNOWN):
        tier = f"tier {side.tier}" if side.tier is not None else "unknown tier"
        yield Part("li", (Inline(side.answer, citations=(side.citation,), note=tier),))


def _compared(draft: Draft) -> Iterator[Part]:
    """What the two tiers of monitor say to each question, side by side."""
    every = [*(one.tier for one in draft.findings), *(one.tier for one in draft.missing)]
    tiers = sorted({tier for tier in every if tier is not None})
    if draft.mode != "monitor" or not tiers:
        return
    yield _text("Side by side", "h2")
    for number, question in enumerate(draft.questions, 1):
        said = [_said(draft, number, tier) for tier in tiers]
        differ = any(one.question == number for one in draft.disagreements)
        same = "no difference found" if all(one.citations for one in said) else "cannot be compared"
        yield _text(question, "h3")
        yield from (Part("li", (one,)) for one in said)
        yield _text("differ" if differ else same, "li")


def _said(draft: Draft, number: int, tier: int) -> Inline:
    sides = [s for one in draft.comparisons if one.question == number for s in one.sides if s.tier == tier]
    if sides:
        return Inline(f"Tier {tier}: {sides[0].answer}", citations=(sides[0].citation,))
    there = next((one for one in draft.answered(number) if one.tier == tier), None)
    return Inline(f"Tier {tier}: {there.text if there else _NOTHING}", citations=there.citations if there else ())


def _reviewed(draft: Draft, review: Review | None) -> Iterator[Part]:
    """What the critic says, where it is not just that the report is good."""
    if review is None:
        yield from _listed("Warnings", ["unreviewed: the run ended before anybody could review this draft"])
        return
    rejected = "Why this report was rejected" if draft.findings else "Why there are no findings"
    if review.status == "PASS":
        return
    headings = {"REJECT": rejected, "UNREVIEWED": "Unreviewed"}
    yield from _listed(headings.get(review.status, "Warnings"), review.reasons)


def _lacking(draft: Draft) -> Iterator[Part]:
    """What the report lacks, and why: questions without a finding, and searches that failed."""
    yield from _listed("What was not found", (*draft.gaps, *(_missing(one, draft) for one in draft.missing)))
    yield from _failed(draft.problems)


def _missing(one: Missing, draft: Draft) -> str:
    """A question without a finding, with what was searched for."""
    more = len(one.searched) - _MOST_SEARCHED
    listed = "; ".join(one.searched[:_MOST_SEARCHED])
    tier = f" in tier {one.tier}" if one.tier is not None else ""
    dropped = "".join(f" Dropped: {words}." for words in one.dropped)
    searched = f"searched for: {listed or _NOTHING}{f'; and {more} more' if more > 0 else ''}"
    return f"{draft.questions[one.question - 1]} Not found{tier} ({searched}).{dropped}"


def _failed(problems: Sequence[SearchProblem]) -> Iterator[Part]:
    yield from _listed("Searches that failed", (one.message for one in problems))


def _sources(draft: Draft) -> Iterator[Part]:
    """The sources of each tier with what is quoted of them, the best tier first, unknown ones last."""
    if draft.cited:
        yield _text("Sources", "h2")
    for tier in sorted({one.tier for one in draft.cited}, key=lambda tier: tier or _UNKNOWN):
        yield _text("Unknown" if tier is None else f"Tier {tier}", "h3")
        for source in (one for one in draft.cited if one.tier == tier):
            kind = f" ({source.type})" if source.type else ""
            named = f"{source.title[:_LONGEST_NAME]}{kind}{_where(source)}"
            yield Part("p", (Inline(named, mark=f"[{source.number}] "),))
            quotes = {anchor(one): one for _, one in reversed([*draft.citations()]) if one.number == source.number}
            for name, one in sorted(quotes.items(), key=lambda pair: pair[1].source.start):
                quote = Inline(f"“{one.source.text[:_LONGEST_QUOTE]}”", note=_place(one, source))
                yield Part("blockquote", (quote,), name)


def _place(citation: Citation, source: SourceCited) -> str:
    page = f"page {citation.source.page}" if citation.source.page else ""
    heading = "" if citation.source.heading == source.title else citation.source.heading
    return ", ".join(filter(None, (page, heading)))


def _where(source: SourceCited | Ranked) -> str:
    return "" if source.title in ("", source.source) else f", {source.source}"


def _dropped(draft: Draft) -> Iterator[Part]:
    """The sources that the mode does not take, each with its tier, which is why."""
    names = (f"{(one.title or one.source)[:_LONGEST_NAME]}{_where(one)} ({one.words})" for one in draft.dropped)
    yield from _listed("Sources that were dropped for their tier", names)
