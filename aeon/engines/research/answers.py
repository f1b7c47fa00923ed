"""Answers with citations, put together by the host: it alone writes numbers of sources, and names what was searched."""

from __future__ import annotations

from collections.abc import Sequence

from aeon.engines.research.effects import Cite
from aeon.engines.research.numbering import unmarked
from aeon.engines.research.values import Citation, Cited, Finding, Sentence
from aeon.grounding.citations import CitedSentence, cited_claims
from aeon.grounding.results import told
from aeon.text import one_line

__all__ = ["LIMITED", "cited", "evidence_of", "marked", "refusal", "unworded"]

LIMITED = "Search capabilities were limited; the answer is based on partial information."
_MOST_SEARCHED = 8


def evidence_of(findings: Sequence[Finding]) -> tuple[Citation, ...]:
    """The sentences that findings rest on, each once."""
    every = [one for finding in findings if finding.answer for one in finding.evidence]
    return tuple({(one.number, one.source.start): one for one in every}.values())


def marked(text: str, evidence: Sequence[Citation]) -> str:
    """A sentence with the numbers of what it cites before its full stop, and with no others that look like them."""
    plain = unmarked(text).strip()
    marks = "".join(f"[{number}]" for number in dict.fromkeys(one.number for one in evidence))
    stop = plain[-1] if plain[-1:] in (".", "!", "?") else ""
    return f"{plain.removesuffix(stop) if stop else plain} {marks}{stop or '.'}"


def cited(effect: Cite, text: str, short: str, sentences: tuple[Sentence, ...]) -> Cited:
    """The answer with the claims of its sentences, and what a reader has to know of the search."""
    spans = [
        CitedSentence(one.start, one.end, tuple(citation.source for citation in one.citations), one.verdict)
        for one in sentences
    ]
    found = cited_claims(text, told(effect.task), spans)
    return Cited(text=_with_limits(effect, text), short=short, sentences=sentences, claims=found)


def refusal(what: str, effect: Cite) -> Cited:
    """That there is no answer, and what was searched for."""
    searched = [one_line(query, 100) for query in effect.searched]
    more = len(searched) - _MOST_SEARCHED
    listed = "; ".join(searched[:_MOST_SEARCHED]) + (f"; and {more} more" if more > 0 else "")
    text = f"{what}: {one_line(effect.task.text, 200)} (searched for: {listed or 'nothing'})."
    return Cited(text=_with_limits(effect, text))


def unworded(effect: Cite) -> Cited:
    """What the rounds found out, word for word, where no model can put it into a sentence; else that there is none."""
    asked = [one for one in effect.findings if one.asked and one.answer and one.evidence]
    if not effect.answer or not asked:
        return refusal("No answer could be made", effect)
    short = "; ".join(one.answer for one in asked)
    bare = short if len(asked) == 1 else "; ".join(f"{one.question} {one.answer}" for one in asked)
    evidence = evidence_of(effect.findings)
    text = marked(bare, evidence)
    return cited(effect, text, short, (Sentence(start=0, end=len(text), citations=evidence),))


def _with_limits(effect: Cite, text: str) -> str:
    return f"{text}\n{LIMITED}" if effect.limited else text
