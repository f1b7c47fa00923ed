"""Answers with their claims, and refusals that name what was searched."""

from __future__ import annotations

from aeon.engines.research.effects import Cite
from aeon.engines.research.marking import listed, with_limits
from aeon.engines.research.values import Cited, Sentence
from aeon.grounding.citations import CitedSentence, cited_claims
from aeon.grounding.results import told
from aeon.text import one_line

__all__ = ["cited", "refusal"]


def cited(effect: Cite, text: str, short: str, sentences: tuple[Sentence, ...]) -> Cited:
    """The answer with the claims of its sentences, and what a reader has to know of the search."""
    spans = [
        CitedSentence(one.start, one.end, tuple(citation.source for citation in one.citations), one.verdict)
        for one in sentences
    ]
    found = cited_claims(text, told(effect.task), spans)
    return Cited(text=with_limits(effect, text), short=short, sentences=sentences, claims=found)


def refusal(what: str, effect: Cite) -> Cited:
    """That there is no answer, and what was searched for."""
    searched = [one_line(query, 100) for query in effect.searched]
    text = f"{what}: {one_line(effect.task.text, 200)} (searched for: {listed(searched)})."
    return Cited(text=with_limits(effect, text))
